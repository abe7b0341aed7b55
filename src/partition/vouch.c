/*
 * vouch.c
 *		Showing values for the first time, so that no later release tells whose
 *		they are.
 *
 * NOTES
 *		Invented rows only have values that true rows show, or showed before.  An
 *		observer who knows that concludes from the first release of a value: a
 *		true row has it there.  If it stands beside invented rows only, those who
 *		may have it are few, and later classes, which put some of them together,
 *		make them fewer.
 *
 *		A value is vouched for if, in its first release, true rows show it under
 *		two different signatures, or under one all of whose values true rows show.
 *		If all values are, nobody loses a candidate, however many releases follow.
 *		For each person and each value of the person's signature there is a world
 *		in which the person has that value: the two values are exchanged, one for
 *		the other, in all classes of this signature in all releases, and nothing
 *		else is changed.  Each class shows what it showed, since it shows the two
 *		equally often.  And each value still has a true row in its first release:
 *		under the other signature, where nothing was changed, or under this one,
 *		where a true row had each value before, and so has each value now.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "frame/codes.h"
#include "partition/filling.h"

/* ----------------------------------------------------------------
 * Is it so?
 * ----------------------------------------------------------------
 */

static bool
is_all_true(const Filling *filling, uint32 b)
{
	for (uint64 slot = filling->signatures->first[b]; slot < filling->signatures->first[b + 1]; slot++)
		if (filling->count[slot] == 0)
			return false;
	return true;
}

/* Notes under how many signatures true rows show each value: two, where one is enough. */
static void
note_true_rows(const Filling *filling, uint8 *signatures_of)
{
	const TupleNumbers *signatures = filling->signatures;

	for (uint32 b = 0; b < signatures->n; b++)
	{
		bool		is_enough = is_all_true(filling, b);

		for (uint64 slot = signatures->first[b]; slot < signatures->first[b + 1]; slot++)
		{
			uint8	   *n = &signatures_of[signatures->word[slot]];

			if (filling->count[slot] > 0)
				*n = is_enough || *n > 0 ? 2 : 1;
		}
	}
}

uint64
count_unvouched(const Filling *filling)
{
	Code		nvalues = filling->frame->nsensitive;
	uint8	   *signatures_of = new_zeros(uint8, nvalues);
	uint64		rows = 0;

	note_true_rows(filling, signatures_of);
	for (Code v = 0; v < nvalues; v++)
		if (is_new_value(filling, v) && signatures_of[v] < 2)
			rows += newcomers_with(filling, v);
	pfree(signatures_of);
	return rows;
}

/* ----------------------------------------------------------------
 * Making it so
 * ----------------------------------------------------------------
 */

static int
compare_newcomers(const void *a, const void *b, void *arg)
{
	uint64		x = newcomers_with(arg, *(const Code *) a);
	uint64		y = newcomers_with(arg, *(const Code *) b);

	if (x != y)
		return x > y ? -1 : 1;
	return (*(const Code *) a > *(const Code *) b) - (*(const Code *) a < *(const Code *) b);
}

/* Values that are new, or not, the most frequent among newcomers first; returns how many. */
static Code
list_values(Filling *filling, bool are_new, Code *list)
{
	Code		n = 0;

	for (Code v = 0; v < filling->frame->nsensitive; v++)
		if (are_new ? is_new_value(filling, v) : filling->was_shown[v])
			list[n++] = v;
	qsort_arg(list, n, sizeof(Code), compare_newcomers, filling);
	return n;
}

/* Values to be invented are drawn by lot: the first so many after those that newcomers have. */
static void
draw_known(Filling *filling, Code *known, Code from, Code n, Code wanted)
{
	for (Code i = from; i < n && i < wanted; i++)
	{
		Code		other = pg_prng_uint64_range(&filling->random, i, n - 1);
		Code		swap = known[i];

		known[i] = known[other];
		known[other] = swap;
	}
}

/* One set of these values and of those to fill up with. */
static void
take_one(Filling *filling, const Code *values, uint32 n, const Code *more, uint32 nmore)
{
	Code	   *signature = new_array(Code, n + nmore);

	memcpy(signature, values, sizeof(Code) * n);
	memcpy(signature + n, more, sizeof(Code) * nmore);
	sort_codes(signature, n + nmore);
	take_sets(filling, tuple_number(filling->signatures, signature, n + nmore), 1);
	pfree(signature);
}

static inline uint64
newcomers_left(const Filling *filling, Code value)
{
	return filling->first_new[value + 1] - filling->next[value];
}

/* The value that most newcomers who are left have. */
static Code
most_left(const Filling *filling)
{
	Code		most = 0;

	for (Code v = 1; v < filling->frame->nsensitive; v++)
		if (newcomers_left(filling, v) > newcomers_left(filling, most))
			most = v;
	return most;
}

static bool
has_value(const Code *values, uint32 n, Code value)
{
	for (uint32 i = 0; i < n; i++)
		if (values[i] == value)
			return true;
	return false;
}

/*
 * Sets of m new values or more.  A set without the most frequent value would take
 * counterfeits elsewhere, so that it stands in all of them.
 */
static void
take_true_sets(Filling *filling, const Code *new, Code nnew)
{
	uint32		m = filling->m;
	Code		n;

	for (Code at = 0; at < nnew; at += n)
	{
		Code		most = most_left(filling);
		bool		is_in = newcomers_left(filling, most) == 0 || has_value(new + at, Min(m, nnew - at), most);
		bool		stays = newcomers_left(filling, most) > 1;

		n = is_in ? m : Max(m - 1, 1);
		if (nnew - at < n + (stays ? Max(m - 1, 1) : m))
			n = nnew - at;
		take_one(filling, new + at, n, &most, is_in ? 0 : 1);
	}
}

/*
 * With m different values among newcomers, each new one stands in a set that is all
 * true; otherwise all new values stand in two sets that differ in what is known.
 */
void
vouch_for_new(Filling *filling)
{
	uint32		m = filling->m;
	Code	   *new = new_array(Code, filling->frame->nsensitive);
	Code	   *known = new_array(Code, filling->frame->nsensitive);
	Code		nnew = list_values(filling, true, new);
	Code		nknown = list_values(filling, false, known);
	Code		having = 0;		/* known values that newcomers have */

	while (having < nknown && newcomers_with(filling, known[having]) > 0)
		having++;
	if (nnew >= m)
		take_true_sets(filling, new, nnew);
	else if (nnew + having >= m)
		take_one(filling, new, nnew, known, m - nnew);
	else if (nnew > 0 && nnew + nknown > m)
	{
		draw_known(filling, known, having, nknown, m - nnew + 1);
		for (int set = 0; set < 2; set++)
			take_one(filling, new, nnew, known + set, m - nnew);
	}
	pfree(new);
	pfree(known);
}

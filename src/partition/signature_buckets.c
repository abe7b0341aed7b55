/*
 * signature_buckets.c
 *		Division, balancing and assignment: phases 1 to 3 of m-invariance and of
 *		Cor-Split.
 *
 * NOTES
 *		Counterfeits are as few as can be: balancing takes newcomers wherever there
 *		are any.  If then one value has more than 1/m of the newcomers who are
 *		left, counterfeits of other values make up for that, m times the value's
 *		rows less all; keeping newcomers back from balancing would save none of
 *		them, since each would be missing there.
 *
 *		Few signatures rather than many: buckets are large then, and each row
 *		has many neighbors to share a class with.  So newcomers first fill
 *		signatures that there are, and new ones take as many rows as is possible
 *		at once.  What is taken from those left must leave no value more than 1/m
 *		of the rest.  The last rows, fewer than m (m + 1), are dealt: sorted by
 *		their values, to one class after the other, so that none gets a value
 *		twice.
 */
#include "postgres.h"

#include "common/pg_prng.h"
#include "frame/arrays.h"
#include "frame/domain.h"
#include "frame/tuple_numbers.h"
#include "miscadmin.h"
#include "partition/buckets.h"
#include "utils/memutils.h"

typedef struct Filling
{
	const Frame *frame;
	const Paths *paths;
	uint32		m;
	pg_prng_state random;
	Refusal    *refusal;

	TupleNumbers *signatures;	/* [buckets] their values, ascending; a slot is a word of these */
	uint32	   *bucket;			/* [rows] NO_BUCKET for newcomers */
	uint32		allocated;		/* buckets */
	uint64	   *sets;			/* [allocated] */

	/* Newcomers by value: those from next[v] on, up to first_new[v + 1], are not yet in a bucket */
	uint64	   *first_new;		/* [values + 1] */
	uint64	   *next;			/* [values] */
	RowId	   *newcomer;
	uint64	   *invented;		/* [values] counterfeits that stand beside them */
	bool	   *was_shown;		/* [values] in an earlier release, as far as the past tells */

	/* Rows by slot */
	uint64		nslots;
	uint64	   *count;			/* [slots allocated] */
	uint64		slots_allocated;
} Filling;

/* Newcomers with a value, all of them. */
static inline uint64
newcomers_with(const Filling *filling, Code value)
{
	return filling->first_new[value + 1] - filling->first_new[value];
}

/* A value of newcomers that no release has shown. */
static inline bool
is_new_value(const Filling *filling, Code value)
{
	return !filling->was_shown[value] && newcomers_with(filling, value) > 0;
}

/* ----------------------------------------------------------------
 * Division
 * ----------------------------------------------------------------
 */

static bool
refuse(Filling *filling, RefusalKind kind, uint64 rows)
{
	if (rows == 0)
		return false;
	filling->refusal->kind = kind;
	filling->refusal->rows = rows;
	return true;
}

/* Sorts values, and takes out what repeats; *is_even is set to whether all occur equally often. */
static uint32
distinct_values(Code *values, uint32 n, bool *is_even)
{
	uint32		distinct = 0;
	uint32		times = 0;		/* that the first value occurs */

	*is_even = n > 0;
	sort_codes(values, n);
	for (uint32 i = 0, to; i < n; i = to)
	{
		for (to = i + 1; to < n && values[to] == values[i];)
			to++;
		if (distinct == 0)
			times = to - i;
		*is_even &= to - i == times;
		values[distinct++] = values[i];
	}
	return distinct;
}

/* The signature of each class of the past, or NO_NUMBER where it is not even. */
static uint32 *
signatures_of_classes(Filling *filling)
{
	const Paths *paths = filling->paths;
	uint32	   *number = new_zeros(uint32, paths->nclasses);
	uint64		largest = 0;
	Code	   *values;

	for (uint32 c = 0; c < paths->nclasses; c++)
		largest = Max(largest, paths_size(paths, c));
	values = new_zeros(Code, largest);
	for (uint32 c = 0; c < paths->nclasses; c++)
	{
		uint32		size = paths_size(paths, c);
		bool		is_even;
		uint32		distinct;

		if (c % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
		memcpy(values, paths->value + paths->first_value[c], sizeof(Code) * size);
		distinct = distinct_values(values, size, &is_even);
		number[c] = is_even && values[distinct - 1] != NO_CODE ?
			tuple_number(filling->signatures, values, distinct) : NO_NUMBER;
	}
	pfree(values);
	return number;
}

/* Puts people who were published before into the buckets of their signatures; false if one of them cannot be. */
static bool
divide(Filling *filling)
{
	const Frame *frame = filling->frame;
	const Paths *paths = filling->paths;
	uint32	   *signature = signatures_of_classes(filling);
	uint64		nulls = 0;
	uint64		changed = 0;
	uint64		uneven = 0;

	for (uint64 row = 0; row < frame->nrows; row++)
	{
		uint64		last;

		filling->bucket[row] = NO_BUCKET;
		nulls += frame->sensitive[row] == NO_CODE;
		if (!paths_known(paths, row))
			continue;
		last = paths_last(paths, row);
		filling->bucket[row] = signature[paths->class[last]];
		changed += frame->sensitive[row] != NO_CODE && paths->shown[last] != frame->sensitive[row];
		uneven += filling->bucket[row] == NO_NUMBER;
	}
	pfree(signature);
	return !refuse(filling, REFUSED_NULLS, nulls) && !refuse(filling, REFUSED_CHANGES, changed) &&
		!refuse(filling, REFUSED_UNEVEN, uneven);
}

/* ----------------------------------------------------------------
 * Slots
 * ----------------------------------------------------------------
 */

static void
make_room(Filling *filling)
{
	const TupleNumbers *signatures = filling->signatures;

	array_reserve_zeros(filling->sets, filling->allocated, signatures->n);
	array_reserve_zeros(filling->count, filling->slots_allocated, signatures->first[signatures->n]);
}

static uint64
slot_of(const Filling *filling, uint32 bucket, Code value)
{
	const TupleNumbers *signatures = filling->signatures;
	uint64		first = signatures->first[bucket];

	return first + find_code(signatures->word + first, signatures->first[bucket + 1] - first, value);
}

/* Counts returning people by slot; a bucket has as many sets as its fullest slot has rows. */
static void
count_returning(Filling *filling)
{
	make_room(filling);
	for (uint64 row = 0; row < filling->frame->nrows; row++)
	{
		uint32		bucket = filling->bucket[row];
		uint64		slot;

		if (bucket == NO_BUCKET)
			continue;
		slot = slot_of(filling, bucket, filling->frame->sensitive[row]);
		filling->count[slot]++;
		filling->sets[bucket] = Max(filling->sets[bucket], filling->count[slot]);
	}
}

/* ----------------------------------------------------------------
 * Newcomers
 * ----------------------------------------------------------------
 */

static inline uint64
left_of(const Filling *filling, Code value)
{
	return filling->first_new[value + 1] - filling->next[value] + filling->invented[value];
}

/* Sorts newcomers by value, in random order: those first in the source must not fill the first bucket. */
static void
sort_newcomers(Filling *filling)
{
	const Frame *frame = filling->frame;
	uint64	   *end;

	for (uint64 row = 0; row < frame->nrows; row++)
		if (filling->bucket[row] == NO_BUCKET)
			filling->first_new[frame->sensitive[row] + 1]++;
	for (Code v = 0; v < frame->nsensitive; v++)
		filling->first_new[v + 1] += filling->first_new[v];
	filling->newcomer = new_zeros(RowId, filling->first_new[frame->nsensitive]);
	end = filling->next;
	memcpy(end, filling->first_new, sizeof(uint64) * frame->nsensitive);
	for (uint64 row = 0; row < frame->nrows; row++)
		if (filling->bucket[row] == NO_BUCKET)
			filling->newcomer[end[frame->sensitive[row]]++] = row;
	for (Code v = 0; v < frame->nsensitive; v++)
	{
		RowId	   *rows = filling->newcomer + filling->first_new[v];

		filling->next[v] = filling->first_new[v];
		for (uint64 i = newcomers_with(filling, v); i > 1; i--)
		{
			uint64		j = pg_prng_uint64_range(&filling->random, 0, i - 1);
			RowId		swap = rows[i - 1];

			rows[i - 1] = rows[j];
			rows[j] = swap;
		}
	}
}

/* Up to so many newcomers with a value, and then counterfeits, into a slot. */
static void
take(Filling *filling, uint32 bucket, uint64 slot, uint64 n)
{
	Code		value = filling->signatures->word[slot];
	uint64		there = Min(n, filling->first_new[value + 1] - filling->next[value]);

	for (uint64 i = 0; i < there; i++)
		filling->bucket[filling->newcomer[filling->next[value]++]] = bucket;
	filling->count[slot] += there;
	filling->invented[value] -= Min(filling->invented[value], n - there);
}

/* Newcomers are promised m candidates; who came when m was smaller stays with what he has. */
static bool
is_large(const Filling *filling, uint32 bucket)
{
	return filling->signatures->first[bucket + 1] - filling->signatures->first[bucket] >= filling->m;
}

/* ----------------------------------------------------------------
 * Assignment
 * ----------------------------------------------------------------
 */

/* Newcomers who are left, by value, the most frequent values first. */
typedef struct Left
{
	uint64		rows;
	Code		n;				/* values */
	Code	   *order;			/* [values of the frame] */
} Left;

/* Orders values by the rows left to be placed, most first. */
static int
compare_left(const void *a, const void *b, void *arg)
{
	uint64		x = left_of(arg, *(const Code *) a);
	uint64		y = left_of(arg, *(const Code *) b);

	if (x != y)
		return x > y ? -1 : 1;
	return *(const Code *) a < *(const Code *) b ? -1 : 1;
}

/* Counts the newcomers who are left, and orders their values. */
static void
look_left(Filling *filling, Left *left)
{
	left->rows = 0;
	left->n = 0;
	for (Code v = 0; v < filling->frame->nsensitive; v++)
	{
		if (left_of(filling, v) == 0)
			continue;
		left->rows += left_of(filling, v);
		left->order[left->n++] = v;
	}
	qsort_arg(left->order, left->n, sizeof(Code), compare_left, filling);
}

/* Observers rely on it: only a value that a true row shows now, or any row showed before. */
static inline bool
can_be_invented(const Filling *filling, Code value)
{
	return filling->was_shown[value] || newcomers_with(filling, value) > 0;
}

/*
 * Invents counterfeits, of no value more than most: each has the value of a person drawn by lot, so that
 * values are as frequent among counterfeits as they are among people.  Where these are used up, any other does.
 */
static void
invent(Filling *filling, uint64 lacking, uint64 most)
{
	const Frame *frame = filling->frame;
	Code		nvalues = frame->nsensitive;
	Code		start = pg_prng_uint64_range(&filling->random, 0, nvalues - 1);

	for (uint64 draws = 4 * lacking; draws > 0 && lacking > 0; draws--)
	{
		Code		v = frame->sensitive[pg_prng_uint64_range(&filling->random, 0, frame->nrows - 1)];

		if (left_of(filling, v) >= most)
			continue;
		filling->invented[v]++;
		lacking--;
	}
	for (Code step = 0; step < nvalues && lacking > 0; step++)
	{
		Code		v = ((uint64) start + step) % nvalues;
		uint64		more = can_be_invented(filling, v) ? Min(lacking, most - left_of(filling, v)) : 0;

		filling->invented[v] += more;
		lacking -= more;
	}
}

/* Counterfeits for newcomers of whom too many have one value. */
static bool
make_up(Filling *filling, Left *left)
{
	uint64		most;
	uint64		lacking;
	Code		nvalues = 0;

	if (left->rows == 0)
		return true;
	most = left_of(filling, left->order[0]);
	if (most * filling->m <= left->rows)
		return true;
	lacking = most * filling->m - left->rows;
	filling->refusal->newcomers = left->rows;
	filling->refusal->value = left->order[0];
	filling->refusal->having = most;
	filling->refusal->limit = filling->m;
	for (Code v = 0; v < filling->frame->nsensitive; v++)
		nvalues += can_be_invented(filling, v);
	if (nvalues < filling->m)
		return !refuse(filling, REFUSED_FEW_VALUES, nvalues);
	if (lacking > filling->frame->nrows)
		return !refuse(filling, REFUSED_SKEW, lacking);
	invent(filling, lacking, most);
	look_left(filling, left);
	return true;
}

/* How many sets of a signature can be taken so that no value has more than 1/m of the rest. */
static uint64
takeable(Filling *filling, const Left *left, const Code *values, uint32 n)
{
	uint64		sets = PG_UINT64_MAX;
	uint32		m = filling->m;

	for (uint32 i = 0; i < n; i++)
		sets = Min(sets, left_of(filling, values[i]));
	for (Code i = 0; i < left->n && sets > 0; i++)
	{
		Code		value = left->order[i];
		uint64		spare = left->rows - left_of(filling, value) * m;
		bool		is_taken = find_code(values, n, value) < n;

		if (!is_taken)
			sets = Min(sets, spare / n);
		else if (n > m)
			sets = Min(sets, spare / (n - m));
		if (i >= n && !is_taken)
			break;				/* all others are rarer */
	}
	return sets;
}

/* Sets of a signature, made of newcomers who are left, and of counterfeits where there are none. */
static void
take_sets(Filling *filling, uint32 bucket, uint64 sets)
{
	const TupleNumbers *signatures = filling->signatures;

	make_room(filling);
	for (uint64 slot = signatures->first[bucket]; slot < signatures->first[bucket + 1]; slot++)
		take(filling, bucket, slot, sets);
	filling->sets[bucket] += sets;
}

/* Signatures that there are, whose buckets grow. */
static void
fill_known(Filling *filling, Left *left)
{
	const TupleNumbers *signatures = filling->signatures;
	uint32		n = signatures->n;

	for (uint32 b = 0; b < n && left->rows > 0; b++)
	{
		uint64		sets;

		CHECK_FOR_INTERRUPTS();
		if (filling->sets[b] == 0 || !is_large(filling, b))
			continue;
		sets = takeable(filling, left, signatures->word + signatures->first[b],
						signatures->first[b + 1] - signatures->first[b]);
		if (sets == 0)
			continue;
		take_sets(filling, b, sets);
		look_left(filling, left);
	}
}

/* The m most frequent values together, as long as that leaves no others too frequent. */
static void
fill_new(Filling *filling, Left *left)
{
	Code	   *values = new_zeros(Code, filling->m);

	while (left->n >= filling->m)
	{
		uint64		sets;

		CHECK_FOR_INTERRUPTS();
		memcpy(values, left->order, sizeof(Code) * filling->m);
		sort_codes(values, filling->m);
		sets = takeable(filling, left, values, filling->m);
		if (sets == 0)
			break;
		take_sets(filling, tuple_number(filling->signatures, values, filling->m), sets);
		look_left(filling, left);
	}
	pfree(values);
}

/* The last rows, to one class after the other. */
static void
deal(Filling *filling, Left *left)
{
	uint64		nclasses = left->rows / filling->m;
	Code	   *dealt = new_zeros(Code, left->rows);
	Code	   *values = new_zeros(Code, left->rows);
	uint64		at = 0;

	for (Code i = 0; i < left->n; i++)
		for (uint64 k = left_of(filling, left->order[i]); k > 0; k--)
			dealt[at++] = left->order[i];
	for (uint64 c = 0; c < nclasses; c++)
	{
		uint32		n = 0;

		for (uint64 i = c; i < left->rows; i += nclasses)
			values[n++] = dealt[i];
		sort_codes(values, n);
		take_sets(filling, tuple_number(filling->signatures, values, n), 1);
	}
	pfree(dealt);
	pfree(values);
}

/* Puts newcomers into buckets: into known signatures first, then new ones, then the last rows. */
static bool
assign(Filling *filling)
{
	Left		left = {.order = new_zeros(Code, filling->frame->nsensitive)};

	look_left(filling, &left);
	if (!make_up(filling, &left))
		return false;
	fill_known(filling, &left);
	fill_new(filling, &left);
	if (left.rows > 0)
		deal(filling, &left);
	pfree(left.order);
	return true;
}

/* ----------------------------------------------------------------
 * Showing values for the first time, so that no later release tells whose they are
 *
 * Invented rows only have values that true rows show, or showed before.  An
 * observer who knows that concludes from the first release of a value: a
 * true row has it there.  If it stands beside invented rows only, those who
 * may have it are few, and later classes, which put some of them together,
 * make them fewer.
 *
 * A value is vouched for if, in its first release, true rows show it under
 * two different signatures, or under one all of whose values true rows show.
 * If all values are, no person loses a candidate, however many releases follow.
 * For each person and each value of the person's signature there is a world
 * in which the person has that value: the two values are exchanged, one for
 * the other, in all classes of this signature in all releases, and nothing
 * else is changed.  Each class shows what it showed, since it shows the two
 * equally often.  And each value still has a true row in its first release:
 * under the other signature, where nothing was changed, or under this one,
 * where a true row had each value before, and so has each value now.
 * ----------------------------------------------------------------
 */

/* Newcomers whose value is new, and not vouched for by the buckets as they are. */
static uint64
count_unvouched(const Filling *filling)
{
	const TupleNumbers *signatures = filling->signatures;
	Code		nvalues = filling->frame->nsensitive;
	uint8	   *signatures_of = new_zeros(uint8, nvalues);	/* by true rows: two, where one is enough */
	uint64		rows = 0;

	for (uint32 b = 0; b < signatures->n; b++)
	{
		bool		is_all_true = true;

		for (uint64 slot = signatures->first[b]; slot < signatures->first[b + 1]; slot++)
			is_all_true &= filling->count[slot] > 0;
		for (uint64 slot = signatures->first[b]; slot < signatures->first[b + 1]; slot++)
		{
			uint8	   *n = &signatures_of[signatures->word[slot]];

			if (filling->count[slot] > 0)
				*n = is_all_true || *n > 0 ? 2 : 1;
		}
	}
	for (Code v = 0; v < nvalues; v++)
		if (is_new_value(filling, v) && signatures_of[v] < 2)
			rows += newcomers_with(filling, v);
	pfree(signatures_of);
	return rows;
}

/* Orders values by their newcomers, most first. */
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

/* Takes one set of these values and of others to fill up with. */
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
		Code		most = 0;
		bool		is_in;
		bool		stays;

		for (Code v = 1; v < filling->frame->nsensitive; v++)
			if (newcomers_left(filling, v) > newcomers_left(filling, most))
				most = v;
		is_in = newcomers_left(filling, most) == 0;
		for (uint32 i = 0; i < Min(m, nnew - at); i++)
			is_in |= new[at + i] == most;
		stays = newcomers_left(filling, most) > 1;
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
static void
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
		/* Values to be invented are drawn by lot: the first so many after those that newcomers have. */
		for (Code i = having; i < nknown && i < m - nnew + 1; i++)
		{
			Code		other = pg_prng_uint64_range(&filling->random, i, nknown - 1);
			Code		swap = known[i];

			known[i] = known[other];
			known[other] = swap;
		}
		for (int set = 0; set < 2; set++)
			take_one(filling, new, nnew, known + set, m - nnew);
	}
	pfree(new);
	pfree(known);
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

/* Lists the rows of the buckets slot by slot. */
static Buckets *
gather(const Filling *filling)
{
	const TupleNumbers *signatures = filling->signatures;
	const Frame *frame = filling->frame;
	Buckets    *buckets = palloc0(sizeof(Buckets));
	uint64		nslots = signatures->first[signatures->n];
	uint64	   *end;

	buckets->n = signatures->n;
	buckets->first_value = signatures->first;
	buckets->value = signatures->word;
	buckets->sets = filling->sets;
	buckets->first = new_zeros(uint64, nslots + 1);
	buckets->rows = new_zeros(RowId, frame->nrows);
	for (uint64 slot = 0; slot < nslots; slot++)
		buckets->first[slot + 1] = buckets->first[slot] + filling->count[slot];
	end = new_zeros(uint64, nslots);
	memcpy(end, buckets->first, sizeof(uint64) * nslots);
	for (uint64 row = 0; row < frame->nrows; row++)
		buckets->rows[end[slot_of(filling, filling->bucket[row], frame->sensitive[row])]++] = row;
	pfree(end);
	return buckets;
}

/* Puts all rows into buckets; false, and the refusal says why, where that cannot be. */
static bool
fill(Filling *filling, bool vouches)
{
	const TupleNumbers *signatures = filling->signatures;

	memset(filling->refusal, 0, sizeof(Refusal));
	if (!divide(filling))
		return false;
	for (uint64 i = 0; i < filling->paths->first_value[filling->paths->nclasses]; i++)
		if (filling->paths->value[i] != NO_CODE)
			filling->was_shown[filling->paths->value[i]] = true;
	count_returning(filling);
	sort_newcomers(filling);
	if (vouches)
		vouch_for_new(filling);
	/* Balancing: what is missing of each value is made up for. */
	for (uint32 b = 0; b < signatures->n; b++)
		for (uint64 slot = signatures->first[b]; slot < signatures->first[b + 1] && is_large(filling, b); slot++)
			take(filling, b, slot, filling->sets[b] - filling->count[slot]);
	return assign(filling);
}

/*
 * Mostly new values are vouched for by themselves.  Where one is not, the buckets
 * are filled anew, with newcomers kept for that.
 */
Buckets *
fill_buckets(const Frame *frame, const Paths *paths, uint32 m, uint64 seed, Refusal *refusal)
{
	for (int try = 0; try < 2; try++)
	{
		Filling    *filling = palloc0(sizeof(Filling));
		uint64		unvouched;

		filling->frame = frame;
		filling->paths = paths;
		filling->m = m;
		filling->refusal = refusal;
		pg_prng_seed(&filling->random, seed);
		filling->signatures = tuple_numbers_create(ANY_WIDTH);
		filling->bucket = new_zeros(uint32, frame->nrows);
		filling->first_new = new_zeros(uint64, (uint64) frame->nsensitive + 1);
		filling->next = new_zeros(uint64, frame->nsensitive);
		filling->invented = new_zeros(uint64, frame->nsensitive);
		filling->was_shown = new_zeros(bool, frame->nsensitive);
		array_reserve_zeros(filling->sets, filling->allocated, 64);
		array_reserve_zeros(filling->count, filling->slots_allocated, 64);
		if (!fill(filling, try > 0))
			return NULL;
		unvouched = count_unvouched(filling);
		if (unvouched == 0)
			return gather(filling);
		*refusal = (Refusal) {.kind = REFUSED_FOUND, .rows = unvouched, .limit = m};
	}
	return NULL;
}

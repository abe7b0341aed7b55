/*
 * signature_sets.c
 *		Division, balancing and assignment: phases 1 to 3 of m-invariance and of
 *		Cor-Split.
 *
 * NOTES
 *		Division puts people into sets of their signature.  Balancing and assignment are local (follow.c,
 *		local_sets.c): cells are as wide as people of a set live apart, so that nearness counts more than how
 *		few signatures there are.  Sets of one signature help each other out (settle.c).
 *		Newcomers who are left are of fewer than m values.  Each joins a set of newcomers that
 *		lacks the value, or takes a place that is free farther away.  Where one value is too frequent
 *		for that, counterfeits of other values make up for it.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "frame/domain.h"
#include "miscadmin.h"
#include "partition/set_making.h"

#define LOOK 512				/* sets of which a row that is left takes the nearest */

/* ----------------------------------------------------------------
 * Sets
 * ----------------------------------------------------------------
 */

void
making_clear(Making *making)
{
	making->nsets = making->sets_allocated = making->ncells = making->cells_allocated = 0;
	making->sets = new_array(MadeSet, 0);
	making->hulls = new_array(Span, 0);
	making->cells = new_array(RowId, 0);
}

uint64
set_create(Making *making, uint32 signature)
{
	uint32		n = tuple_width(making->signatures, signature);
	uint64		set = making->nsets++;

	if (set == making->sets_allocated)
	{
		making->sets_allocated = array_room(making->sets_allocated, set + 1);
		array_resize(making->sets, making->sets_allocated);
		array_resize(making->hulls, making->sets_allocated * making->measure->ndimensions);
	}
	array_reserve(making->cells, making->cells_allocated, making->ncells + n);
	making->sets[set] = (MadeSet) {.signature = signature, .first = making->ncells};
	for (uint32 i = 0; i < n; i++)
		making->cells[making->ncells++] = NO_ROW;
	hull_clear(making->measure, set_hull(making, set));
	return set;
}

void
set_put(Making *making, uint64 set, uint32 cell, RowId row)
{
	if (row == NO_ROW)
		return;
	making->cells[making->sets[set].first + cell] = row;
	making->sets[set].true_rows++;
	hull_add_row(making, set_hull(making, set), row);
}

void
set_fill(Making *making, uint64 set, const RowId *cell)
{
	for (uint32 i = 0; i < set_values(making, set); i++)
		set_put(making, set, i, cell[i]);
}

static inline uint64
cell_of(const Making *making, uint32 signature, Code value)
{
	return find_code(tuple_words(making->signatures, signature), tuple_width(making->signatures, signature), value);
}

/* Newcomers with a value, all of them. */
static inline uint64
newcomers_with(const Making *making, Code value)
{
	return making->first_new[value + 1] - making->first_new[value];
}

static inline uint64
newcomers_left(const Making *making, Code value)
{
	return making->end_new[value] - making->first_new[value];
}

/* A value of newcomers that no release has shown. */
static inline bool
is_new_value(const Making *making, Code value)
{
	return !making->was_shown[value] && newcomers_with(making, value) > 0;
}

/* ----------------------------------------------------------------
 * Division
 * ----------------------------------------------------------------
 */

static bool
refuse(Making *making, RefusalKind kind, uint64 rows)
{
	if (rows == 0)
		return false;
	making->refusal->kind = kind;
	making->refusal->rows = rows;
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
signatures_of_classes(Making *making)
{
	const Paths *paths = making->paths;
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
			tuple_number(making->signatures, values, distinct) : NO_NUMBER;
	}
	pfree(values);
	return number;
}

/* Refuses where people have no value, or another one, or were in classes that are not even. */
static bool
cannot_be_shown(Making *making, const uint32 *of_class)
{
	const Frame *frame = making->frame;
	const Paths *paths = making->paths;
	uint64		nulls = 0;
	uint64		changed = 0;
	uint64		uneven = 0;

	for (uint64 row = 0; row < frame->nrows; row++)
	{
		uint64		last;

		nulls += frame->sensitive[row] == NO_CODE;
		if (!paths_known(paths, row))
			continue;
		last = paths_last(paths, row);
		changed += frame->sensitive[row] != NO_CODE && paths->shown[last] != frame->sensitive[row];
		uneven += of_class[paths->class[last]] == NO_NUMBER;
	}
	return refuse(making, REFUSED_NULLS, nulls) || refuse(making, REFUSED_CHANGES, changed) ||
		refuse(making, REFUSED_UNEVEN, uneven);
}

/* Parts of the people who were published before: those of one class, or those of a signature who are dealt anew. */
typedef struct Division
{
	uint64		n;				/* classes of the past, then signatures */
	uint32	   *signature;		/* [n] */
	uint64	   *first_slot;		/* [n + 1] slots: a part's rows with one value */
	bool	   *is_dealt;		/* [classes] */
} Division;

/* To be in other company, people are dealt anew unless their class was a set, and all of them are here. */
static bool *
classes_dealt_anew(const Making *making, const uint32 *of_class)
{
	const Paths *paths = making->paths;
	bool	   *is_dealt = new_zeros(bool, paths->nclasses);
	uint64	   *here;

	if (making->together == 1)
		return is_dealt;
	here = new_zeros(uint64, paths->nclasses);
	for (uint64 row = 0; row < making->frame->nrows; row++)
		if (paths_known(paths, row))
			here[paths->class[paths_last(paths, row)]]++;
	for (uint32 c = 0; c < paths->nclasses; c++)
		is_dealt[c] = here[c] < paths_size(paths, c) ||
			paths_size(paths, c) > tuple_width(making->signatures, of_class[c]);
	pfree(here);
	return is_dealt;
}

static uint64
slot_of(const Making *making, const Division *division, RowId row)
{
	uint64		part = making->paths->class[paths_last(making->paths, row)];

	if (division->is_dealt[part])
		part = making->paths->nclasses + division->signature[part];
	return division->first_slot[part] + cell_of(making, division->signature[part], making->frame->sensitive[row]);
}

/* Sorts people by slot: those of slot s are rows[first[s]] up to, not including, rows[first[s + 1]], [slots + 2]. */
static RowId *
sort_by_slot(const Making *making, const Division *division, uint64 *first)
{
	RowId	   *rows = new_array(RowId, making->frame->nrows);

	for (uint64 row = 0; row < making->frame->nrows; row++)
		if (paths_known(making->paths, row))
			first[slot_of(making, division, row) + 2]++;
	for (uint64 slot = 0; slot < division->first_slot[division->n]; slot++)
		first[slot + 2] += first[slot + 1];
	for (uint64 row = 0; row < making->frame->nrows; row++)
		if (paths_known(making->paths, row))
			rows[first[slot_of(making, division, row) + 1]++] = row;
	return rows;
}

/* Makes as few sets of a part as can be. */
static void
divide_part(Making *making, uint32 signature, RowId *rows, const uint64 *first)
{
	uint32		n = tuple_width(making->signatures, signature);
	uint64		sets = 0;
	RowId	   *cell;

	for (uint32 i = 0; i < n; i++)
		sets = Max(sets, first[i + 1] - first[i]);
	cell = new_array(RowId, sets * n);
	even_split(making->frame, rows, first, first + 1, n, sets, cell);
	for (uint64 k = 0; k < sets; k++)
		set_fill(making, set_create(making, signature), cell + k * n);
	pfree(cell);
}

/* Puts people who were published before into sets of their signatures; false if one of them cannot be. */
static bool
divide(Making *making)
{
	const TupleNumbers *signatures = making->signatures;
	uint32		nclasses = making->paths->nclasses;
	Division	division = {.signature = signatures_of_classes(making)};
	uint64	   *first;
	RowId	   *rows;

	if (cannot_be_shown(making, division.signature))
		return false;
	division.n = (uint64) nclasses + signatures->n;
	division.is_dealt = classes_dealt_anew(making, division.signature);
	array_resize(division.signature, division.n);
	for (uint32 b = 0; b < signatures->n; b++)
		division.signature[nclasses + b] = b;
	division.first_slot = new_zeros(uint64, division.n);
	for (uint64 part = 0; part < division.n; part++)
		division.first_slot[part + 1] = division.first_slot[part] +
			(division.signature[part] == NO_NUMBER ? 0 : tuple_width(signatures, division.signature[part]));
	first = new_zeros(uint64, division.first_slot[division.n] + 1);
	rows = sort_by_slot(making, &division, first);
	for (uint64 part = 0; part < division.n; part++)
	{
		if (part % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (division.signature[part] != NO_NUMBER)
			divide_part(making, division.signature[part], rows, first + division.first_slot[part]);
	}
	making->returning = making->nsets;
	pfree(rows);
	pfree(first);
	pfree(division.first_slot);
	pfree(division.is_dealt);
	pfree(division.signature);
	return true;
}

/* Sorts newcomers by value, in random order: those first in the source must not be vouched for first. */
static void
sort_newcomers(Making *making)
{
	const Frame *frame = making->frame;
	uint64	   *end = making->end_new;

	for (uint64 row = 0; row < frame->nrows; row++)
		if (!paths_known(making->paths, row))
			making->first_new[frame->sensitive[row] + 1]++;
	for (Code v = 0; v < frame->nsensitive; v++)
		making->first_new[v + 1] += making->first_new[v];
	making->newcomer = new_array(RowId, making->first_new[frame->nsensitive]);
	memcpy(end, making->first_new, sizeof(uint64) * frame->nsensitive);
	for (uint64 row = 0; row < frame->nrows; row++)
		if (!paths_known(making->paths, row))
			making->newcomer[end[frame->sensitive[row]]++] = row;
	for (Code v = 0; v < frame->nsensitive; v++)
	{
		RowId	   *rows = making->newcomer + making->first_new[v];

		for (uint64 i = newcomers_with(making, v); i > 1; i--)
		{
			uint64		j = pg_prng_uint64_range(&making->random, 0, i - 1);
			RowId		swap = rows[i - 1];

			rows[i - 1] = rows[j];
			rows[j] = swap;
		}
	}
}

/* ----------------------------------------------------------------
 * The last rows
 * ----------------------------------------------------------------
 */

/* Rows of one value that are left, and where they can go. */
typedef struct Openings
{
	uint64		n;
	uint64	   *set;			/* [n] that have a free place for the value, or no row with it */
} Openings;

/* Sets with a place that is free for a value, and sets of newcomers that lack it. */
static Openings
find_openings(const Making *making, Code value)
{
	Openings	openings = {.set = new_array(uint64, making->nsets)};

	for (uint64 set = 0; set < making->nsets; set++)
	{
		const MadeSet *made = &making->sets[set];
		uint32		n = set_values(making, set);
		uint64		cell;

		if (!is_large(making, set) || made->true_rows == 0 || (set < making->returning && made->true_rows == n))
			continue;
		cell = cell_of(making, made->signature, value);
		if (cell < n ? making->cells[made->first + cell] == NO_ROW : set >= making->returning && n < 2 * making->m - 1)
			openings.set[openings.n++] = set;
	}
	return openings;
}

/* A value more for a set of newcomers. */
static void
widen_signature(Making *making, uint64 set, Code value)
{
	MadeSet		made = making->sets[set];
	uint32		n = set_values(making, set);
	Code	   *values = new_array(Code, n + 1);
	uint32		at;

	memcpy(values, tuple_words(making->signatures, made.signature), sizeof(Code) * n);
	for (at = n; at > 0 && values[at - 1] > value; at--)
		values[at] = values[at - 1];
	values[at] = value;
	making->sets[set].signature = tuple_number(making->signatures, values, n + 1);
	making->sets[set].first = making->ncells;
	array_reserve(making->cells, making->cells_allocated, making->ncells + n + 1);
	for (uint32 i = 0; i <= n; i++)
		making->cells[making->ncells++] = i == at ? NO_ROW : making->cells[made.first + i - (i > at)];
	pfree(values);
}

/* Rows of one value go where they widen a set least; returns how many find no place. */
static uint64
place_rows(Making *making, RowId *rows, uint64 n)
{
	Code		value;
	Openings	openings;
	uint64		placed;

	if (n == 0)
		return 0;
	value = making->frame->sensitive[rows[0]];
	openings = find_openings(making, value);
	for (placed = 0; placed < n && openings.n > 0; placed++)
	{
		uint64		from = pg_prng_uint64_range(&making->random, 0, openings.n - 1);
		uint64		best = 0;
		double		least = 0;
		uint64		set;

		CHECK_FOR_INTERRUPTS();
		for (uint64 k = 0; k < Min(openings.n, LOOK); k++)
		{
			uint64		i = (from + k) % openings.n;
			double		cost = cost_of_joining(making, openings.set[i], rows[placed]);

			if (k > 0 && cost >= least)
				continue;
			least = cost;
			best = i;
		}
		set = openings.set[best];
		openings.set[best] = openings.set[--openings.n];
		if (cell_of(making, making->sets[set].signature, value) == set_values(making, set))
			widen_signature(making, set, value);
		set_put(making, set, cell_of(making, making->sets[set].signature, value), rows[placed]);
	}
	pfree(openings.set);
	memmove(rows, rows + placed, sizeof(RowId) * (n - placed));
	return n - placed;
}

/* Observers rely on it: only a value that a true row shows now, or any row showed before. */
static inline bool
can_be_invented(const Making *making, Code value)
{
	return making->was_shown[value] || newcomers_with(making, value) > 0;
}

/*
 * Adds values to some until there are m different ones: each is that of a person drawn by lot, so that values are as frequent
 * among counterfeits as they are among people.  Where lots bring nothing new, any other does.
 */
static void
invent_values(Making *making, Code *values, uint32 n)
{
	const Frame *frame = making->frame;
	uint32		m = making->m;
	Code		start = pg_prng_uint64_range(&making->random, 0, frame->nsensitive - 1);

	for (uint64 draws = 8 * m; draws > 0 && n < m; draws--)
	{
		Code		v = frame->sensitive[pg_prng_uint64_range(&making->random, 0, frame->nrows - 1)];
		uint32		i = 0;

		while (i < n && values[i] != v)
			i++;
		if (i == n)
			values[n++] = v;
	}
	for (Code step = 0; n < m && step < frame->nsensitive; step++)
	{
		Code		v = ((uint64) start + step) % frame->nsensitive;
		uint32		i = 0;

		while (i < n && values[i] != v)
			i++;
		if (i == n && can_be_invented(making, v))
			values[n++] = v;
	}
}

/* Takes one set of these values: a newcomer of each who is left, and nobody where there is none. */
static void
take_one(Making *making, Code *values, uint32 n)
{
	uint64		set;

	sort_codes(values, n);
	set = set_create(making, tuple_number(making->signatures, values, n));
	for (uint32 i = 0; i < n; i++)
		if (newcomers_left(making, values[i]) > 0)
			set_put(making, set, i, making->newcomer[--making->end_new[values[i]]]);
}

/* Sets of one row of each value that is left, beside counterfeits; false, and the refusal says why, where there can be none. */
static bool
make_up(Making *making, const Code *left, uint32 nleft)
{
	Code		nvalues = 0;
	uint64		rows = 0;
	uint64		most = 0;
	Code	   *values = new_array(Code, making->m);

	for (uint32 i = 0; i < nleft; i++)
	{
		rows += newcomers_left(making, left[i]);
		if (newcomers_left(making, left[i]) <= most)
			continue;
		most = newcomers_left(making, left[i]);
		making->refusal->value = left[i];
	}
	making->refusal->newcomers = making->first_new[making->frame->nsensitive];
	making->refusal->having = newcomers_with(making, making->refusal->value);
	making->refusal->limit = making->m;
	for (Code v = 0; v < making->frame->nsensitive; v++)
		nvalues += can_be_invented(making, v);
	if (nvalues < making->m)
		return !refuse(making, REFUSED_FEW_VALUES, nvalues);
	if (most * making->m - rows > making->frame->nrows)
		return !refuse(making, REFUSED_SKEW, most * making->m - rows);
	for (; most > 0; most--)
	{
		uint32		n = 0;

		CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < nleft; i++)
			if (newcomers_left(making, left[i]) > 0)
				values[n++] = left[i];
		invent_values(making, values, n);
		take_one(making, values, making->m);
	}
	pfree(values);
	return true;
}

/* Rows of one value that local sets have left. */
typedef struct LeftValue
{
	Code		value;
	uint64		n;
	RowId	   *rows;
} LeftValue;

/* The commonest first. */
DEFINE_ORDER(compare_left, LeftValue, DESCENDING(n) ASCENDING(value));

/* Sets of all newcomers who are left.  Where counterfeits must stand beside the commonest value, others better do. */
static bool
assign(Making *making)
{
	const Code *sensitive = making->frame->sensitive;
	RowId	   *rows = new_array(RowId, making->first_new[making->frame->nsensitive]);
	uint64		n = make_local_sets(making, rows);
	LeftValue  *left = new_array(LeftValue, making->m);
	Code	   *values = new_array(Code, making->m);
	uint32		nleft = 0;
	uint64		kept = 0;		/* most of one value: no place is open for them */

	memcpy(making->end_new, making->first_new, sizeof(uint64) * making->frame->nsensitive);
	for (uint64 i = 0; i < n; i++)
	{
		if (i == 0 || sensitive[rows[i]] != sensitive[rows[i - 1]])
			left[nleft++] = (LeftValue) {.value = sensitive[rows[i]], .rows = rows + i};
		left[nleft - 1].n++;
	}
	qsort(left, nleft, sizeof(LeftValue), compare_left);
	for (uint32 i = 0; i < nleft; i++)
	{
		uint64		beside = Min(kept, left[i].n);
		uint64		stay = place_rows(making, left[i].rows + beside, left[i].n - beside) + beside;

		memcpy(making->newcomer + making->first_new[left[i].value], left[i].rows, sizeof(RowId) * stay);
		making->end_new[left[i].value] += stay;
		kept = Max(kept, stay);
		values[i] = left[i].value;
	}
	pfree(rows);
	return kept == 0 || make_up(making, values, nleft);
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

/* Newcomers whose value is new, and not vouched for by the sets as they are. */
static uint64
count_unvouched(const Making *making)
{
	const TupleNumbers *signatures = making->signatures;
	Code		nvalues = making->frame->nsensitive;
	uint8	   *signatures_of = new_zeros(uint8, nvalues);	/* by true rows: two, where one is enough */
	bool	   *is_true = new_zeros(bool, signatures->first[signatures->n]);	/* does a true row show it? */
	uint64		rows = 0;

	for (uint64 set = 0; set < making->nsets; set++)
	{
		const MadeSet *made = &making->sets[set];

		for (uint32 i = 0; i < set_values(making, set); i++)
			is_true[signatures->first[made->signature] + i] |= making->cells[made->first + i] != NO_ROW;
	}
	for (uint32 b = 0; b < signatures->n; b++)
	{
		uint64		from = signatures->first[b];
		uint64		to = signatures->first[b + 1];
		bool		is_all_true = memchr(is_true + from, 0, to - from) == NULL;

		for (uint64 slot = from; slot < to; slot++)
		{
			uint8	   *n = &signatures_of[signatures->word[slot]];

			if (is_true[slot])
				*n = is_all_true || *n > 0 ? 2 : 1;
		}
	}
	for (Code v = 0; v < nvalues; v++)
		if (is_new_value(making, v) && signatures_of[v] < 2)
			rows += newcomers_with(making, v);
	pfree(is_true);
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
list_values(Making *making, bool are_new, Code *list)
{
	Code		n = 0;

	for (Code v = 0; v < making->frame->nsensitive; v++)
		if (are_new ? is_new_value(making, v) : making->was_shown[v])
			list[n++] = v;
	qsort_arg(list, n, sizeof(Code), compare_newcomers, making);
	return n;
}

/* Takes one set of these values and of others to fill up with. */
static void
take_with(Making *making, const Code *values, uint32 n, const Code *more, uint32 nmore)
{
	Code	   *signature = new_array(Code, n + nmore);

	memcpy(signature, values, sizeof(Code) * n);
	memcpy(signature + n, more, sizeof(Code) * nmore);
	take_one(making, signature, n + nmore);
	pfree(signature);
}

/*
 * Sets of m new values or more.  A set without the most frequent value would take
 * counterfeits elsewhere, so that it stands in all of them.
 */
static void
take_true_sets(Making *making, const Code *new, Code nnew)
{
	uint32		m = making->m;
	Code		n;

	for (Code at = 0; at < nnew; at += n)
	{
		Code		most = 0;
		bool		is_in;
		bool		stays;

		for (Code v = 1; v < making->frame->nsensitive; v++)
			if (newcomers_left(making, v) > newcomers_left(making, most))
				most = v;
		is_in = newcomers_left(making, most) == 0;
		for (uint32 i = 0; i < Min(m, nnew - at); i++)
			is_in |= new[at + i] == most;
		stays = newcomers_left(making, most) > 1;
		n = is_in ? m : Max(m - 1, 1);
		if (nnew - at < n + (stays ? Max(m - 1, 1) : m))
			n = nnew - at;
		take_with(making, new + at, n, &most, is_in ? 0 : 1);
	}
}

/*
 * With m different values among newcomers, each new one stands in a set that is all
 * true; otherwise all new values stand in two sets that differ in what is known.
 */
static void
vouch_for_new(Making *making)
{
	uint32		m = making->m;
	Code	   *new = new_array(Code, making->frame->nsensitive);
	Code	   *known = new_array(Code, making->frame->nsensitive);
	Code		nnew = list_values(making, true, new);
	Code		nknown = list_values(making, false, known);
	Code		having = 0;		/* known values that newcomers have */

	while (having < nknown && newcomers_with(making, known[having]) > 0)
		having++;
	if (nnew >= m)
		take_true_sets(making, new, nnew);
	else if (nnew + having >= m)
		take_with(making, new, nnew, known, m - nnew);
	else if (nnew > 0 && nnew + nknown > m)
	{
		/* Values to be invented are drawn by lot: the first so many after those that newcomers have. */
		for (Code i = having; i < nknown && i < m - nnew + 1; i++)
		{
			Code		other = pg_prng_uint64_range(&making->random, i, nknown - 1);
			Code		swap = known[i];

			known[i] = known[other];
			known[other] = swap;
		}
		for (int set = 0; set < 2; set++)
			take_with(making, new, nnew, known + set, m - nnew);
	}
	pfree(new);
	pfree(known);
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

/* Lists the sets signature by signature. */
static SignatureSets *
gather(Making *making)
{
	const TupleNumbers *signatures = making->signatures;
	SignatureSets *result = palloc0(sizeof(SignatureSets));
	uint64	   *first = new_zeros(uint64, (uint64) signatures->n + 1);
	Point	   *sets = order_sets(making, first);
	RowId	   *cell;

	result->n = signatures->n;
	result->first_value = signatures->first;
	result->value = signatures->word;
	result->nsets = new_zeros(uint64, result->n);
	result->first_cell = new_zeros(uint64, result->n);
	cell = result->cell = new_array(RowId, making->ncells);
	for (uint32 b = 0; b < result->n; b++)
	{
		result->first_cell[b] = cell - result->cell;
		for (uint64 i = first[b]; i < first[b + 1]; i++)
		{
			const MadeSet *made = &making->sets[sets[i].set];

			if (made->true_rows == 0)
				continue;
			memcpy(cell, making->cells + made->first, sizeof(RowId) * signature_values(result, b));
			cell += signature_values(result, b);
			result->nsets[b]++;
		}
	}
	pfree(sets);
	pfree(first);
	return result;
}

/* Puts all rows into sets; false, and the refusal says why, where that cannot be. */
static bool
make_sets(Making *making, bool vouches)
{
	memset(making->refusal, 0, sizeof(Refusal));
	if (!divide(making))
		return false;
	for (uint64 i = 0; i < making->paths->first_value[making->paths->nclasses]; i++)
		if (making->paths->value[i] != NO_CODE)
			making->was_shown[making->paths->value[i]] = true;
	sort_newcomers(making);
	if (vouches)
		vouch_for_new(making);
	follow(making);
	dissolve_small_sets(making);
	return assign(making);
}

/*
 * Mostly new values are vouched for by themselves.  Where one is not, the sets
 * are made anew, with newcomers kept for that.
 */
SignatureSets *
make_signature_sets(const Frame *frame, const Paths *paths, uint32 m, uint32 together, uint64 seed, Refusal *refusal)
{
	for (int try = 0; try < 2; try++)
	{
		Making	   *making = palloc0(sizeof(Making));
		uint64		unvouched;

		making->frame = frame;
		making->paths = paths;
		making->m = m;
		making->together = together;
		making->shares = true;
		making->refusal = refusal;
		pg_prng_seed(&making->random, seed);
		making->signatures = tuple_numbers_create(ANY_WIDTH);
		making->measure = records_none(frame);
		making->first_new = new_zeros(uint64, (uint64) frame->nsensitive + 1);
		making->end_new = new_zeros(uint64, frame->nsensitive);
		making->was_shown = new_zeros(bool, frame->nsensitive);
		making_clear(making);
		if (!make_sets(making, try > 0))
			return NULL;
		unvouched = count_unvouched(making);
		if (unvouched == 0)
			return gather(making);
		*refusal = (Refusal) {.kind = REFUSED_FOUND, .rows = unvouched, .limit = m};
	}
	return NULL;
}

/*
 * returning.c
 *		People who were published before: classes that stay together, and people who
 *		are dealt anew.
 *
 * NOTES
 *		A class to which the values of a person's last class can all have become, one by one, has an entry for
 *		each of these: the candidate update set of the value (Algorithm 2).  People of one class
 *		live close together.  So they stay together as long as their values differ, and newcomers
 *		take the places of those who have left (newcomers.c).  Where a place stays free, the people of the
 *		class go to the bucket of all whose classes have equal entries, which is split into as few groups as can be.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "frame/domain.h"
#include "method/m_distinct/m_distinct.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define NO_SET_YET PG_UINT64_MAX

/* ----------------------------------------------------------------
 * Entries of a class
 * ----------------------------------------------------------------
 */

/* Raises the error that no class can show m values. */
void
refuse_few_values(const Distinct *distinct)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("there are fewer than %u sensitive values", distinct->m),
			 errdetail("Every class must show so many different ones."),
			 errhint("Declare a table \"updates\" with all values that there can be, or a smaller \"m\": once something was published, that takes \"accept_weakening\": true.")));
}

/* The values that this one can become; one that was not declared stays as it is. */
static SetId
entry_of(Sets *sets, Code value)
{
	return sets->of_value[value] != NO_SET ? sets->of_value[value] : set_find(sets, &value, 1);
}

/*
 * Where a class had fewer values than are wanted now (m was raised, or it was
 * imported), any value may come along that one of its values can become.
 */
static void
fill_slots(Distinct *distinct, SetId *slots, uint32 n)
{
	Sets	   *sets = distinct->sets;
	SetId		any = n == 0 ? NO_SET : slots[0];
	Code	   *value = palloc(sizeof(Code) * distinct->m);

	for (uint32 i = 1; i < n; i++)
		any = set_union(sets, any, slots[i]);
	for (uint32 i = n; i < distinct->m; i++)
		slots[i] = any;
	memset(value, 0xff, sizeof(Code) * distinct->m);	/* NO_CODE */
	if (n == 0 || !represent(sets, slots, distinct->m, value))
	{
		Code	   *all = new_array(Code, sets->updates->nvalues);
		Code		nall = 0;

		for (Code v = 0; v < sets->updates->nvalues; v++)
			if (sets->of_value[v] != NO_SET)
				all[nall++] = v;
		for (uint32 i = n; i < distinct->m; i++)
			slots[i] = set_find(sets, all, nall);
		pfree(all);
		memset(value, 0xff, sizeof(Code) * distinct->m);
		if (!represent(sets, slots, distinct->m, value))
			refuse_few_values(distinct);
	}
	pfree(value);
}

/*
 * The bucket of a class: an entry for each of its values.  Under strict a class stays as small as it was: whatever filled
 * it up would have values that none of its people can have, and newcomers with these would be known.
 */
static uint32
bucket_of_class(Distinct *distinct, uint32 class, bool is_mixed, Code *values, SetId *slots)
{
	const Paths *paths = distinct->paths;
	uint32		size = paths_size(paths, class);
	uint32		n = 0;

	memcpy(values, paths->value + paths->first_value[class], sizeof(Code) * size);
	sort_codes(values, size);
	for (uint32 i = 0; i < size; i++)
	{
		if (values[i] == NO_CODE || (i > 0 && values[i] == values[i - 1]))
			continue;
		slots[n++] = entry_of(distinct->sets, values[i]);
	}
	if (n < distinct->m && !distinct->strict)
	{
		fill_slots(distinct, slots, n);
		n = distinct->m;
	}
	return bucket_find(distinct, slots, n, is_mixed);
}

/* ----------------------------------------------------------------
 * Classes that stay together
 * ----------------------------------------------------------------
 */

bool
set_shows(const Distinct *distinct, uint64 set, Code value)
{
	const RowId *cell = distinct->making.cells + distinct->making.sets[set].first;

	for (uint32 i = 0; i < set_values(&distinct->making, set); i++)
		if (cell[i] != NO_ROW && distinct->frame->sensitive[cell[i]] == value)
			return true;
	return false;
}

bool
set_take(Distinct *distinct, uint64 set, SetId entry, RowId row)
{
	Making	   *making = &distinct->making;
	const MadeSet *made = &making->sets[set];
	const SetId *slots = tuple_words(making->signatures, made->signature);

	for (uint32 i = 0; i < set_values(making, set); i++)
		if (slots[i] == entry && making->cells[made->first + i] == NO_ROW)
		{
			set_put(making, set, i, row);
			return true;
		}
	return false;
}

/*
 * Puts a row into a cell for its value, if no other row of the set has the value: where it was in its last class, or else
 * anywhere.
 */
static bool
stay(Distinct *distinct, uint64 set, RowId row)
{
	Making	   *making = &distinct->making;
	const Paths *paths = distinct->paths;
	Code		value = distinct->frame->sensitive[row];
	Code		before = paths->shown[paths_last(paths, row)];
	const MadeSet *made = &making->sets[set];

	if (set_shows(distinct, set, value))
		return false;
	if (before != NO_CODE && set_has(distinct->sets, entry_of(distinct->sets, before), value) &&
		set_take(distinct, set, entry_of(distinct->sets, before), row))
		return true;
	for (uint32 i = 0; i < distinct->buckets[made->signature].n; i++)
		if (making->cells[made->first + i] == NO_ROW &&
			set_has(distinct->sets, tuple_words(making->signatures, made->signature)[i], value))
		{
			set_put(making, set, i, row);
			return true;
		}
	return false;
}

void
enter_people(Distinct *distinct)
{
	const Frame *frame = distinct->frame;
	const Paths *paths = distinct->paths;
	uint32		nclasses = paths == NULL ? 0 : paths->nclasses;
	uint64	   *set = new_array(uint64, nclasses);
	uint64		largest = 0;
	Code	   *values;
	SetId	   *slots;

	memset(set, 0xff, sizeof(uint64) * nclasses);	/* NO_SET_YET */
	for (uint32 c = 0; c < nclasses; c++)
		largest = Max(largest, paths_size(paths, c));
	values = new_array(Code, largest);
	slots = new_array(SetId, largest + distinct->m);
	for (uint64 row = 0; row < frame->nrows; row++)
	{
		uint32		class;

		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (nclasses == 0 || !paths_known(paths, row))
		{
			distinct->newcomer[distinct->newcomers++] = row;
			continue;
		}
		class = paths->class[paths_last(paths, row)];
		if (set[class] == NO_SET_YET)
			set[class] = set_create(&distinct->making,
									bucket_of_class(distinct, class, distinct->is_mixed != NULL && distinct->is_mixed[row], values, slots));
		if (!stay(distinct, set[class], row) &&
			!stay(distinct, set_create(&distinct->making, distinct->making.sets[set[class]].signature), row))
			elog(ERROR, "a sensitive value has no entry in its bucket");
	}
	pfree(set);
	pfree(values);
	pfree(slots);
}

/* ----------------------------------------------------------------
 * People who are dealt anew
 * ----------------------------------------------------------------
 */

/* The rows of the bucket with an entry each, as the placement says; kinds in several entries are dealt out evenly. */
static void
enter_rows(const Distinct *distinct, const Bucket *bucket, const Placement *placement, BalancedRow *rows)
{
	uint32	   *left = palloc(sizeof(uint32) * bucket->nentries);

	for (uint32 k = 0; k < bucket->nkinds; k++)
	{
		uint32		e = 0;

		memcpy(left, placement->in + (Size) k * bucket->nentries, sizeof(uint32) * bucket->nentries);
		for (RowId row = bucket->kinds[k].head; row != NO_ROW; row = distinct->next[row])
		{
			do
				e = (e + 1) % bucket->nentries;
			while (left[e] == 0);
			left[e]--;
			*rows++ = (BalancedRow) {row, e};
		}
	}
}

/* Buckets while they are split. */
typedef struct Dealing
{
	Distinct   *distinct;
	MemoryContext work;			/* of the bucket at hand */
	Splitter   *splitter;
	BalancedRow *rows;			/* [rows of the frame] */
	uint32	   *size;			/* [rows of the frame] of groups */
} Dealing;

/* Has room for the buckets that there are now, but not for those that are made later. */
static Dealing
dealing_create(Distinct *distinct)
{
	Dealing		dealing = {.distinct = distinct};
	uint32		most_entries = 0;

	for (uint32 b = 0; b < distinct->nbuckets; b++)
		most_entries = Max(most_entries, distinct->buckets[b].nentries);
	dealing.work = AllocSetContextCreate(CurrentMemoryContext, "bucket", ALLOCSET_DEFAULT_SIZES);
	dealing.splitter = splitter_create(distinct->frame, distinct->frame->nrows, most_entries);
	dealing.rows = new_array(BalancedRow, distinct->frame->nrows);
	dealing.size = new_array(uint32, distinct->frame->nrows);
	return dealing;
}

/* Splits a bucket; returns into how many groups. */
static uint32
split(Dealing *dealing, const Bucket *bucket)
{
	MemoryContext old;
	Placement  *placement;

	CHECK_FOR_INTERRUPTS();
	MemoryContextReset(dealing->work);
	old = MemoryContextSwitchTo(dealing->work);
	placement = place_bucket(dealing->distinct, bucket);
	enter_rows(dealing->distinct, bucket, placement, dealing->rows);
	split_bucket(dealing->splitter, &(BalancedBucket) {
				 .nentries = bucket->nentries, .multiplicity = bucket->multiplicity,
				 .ngroups = placement->groups, .nrows = bucket->rows, .rows = dealing->rows}, dealing->size);
	MemoryContextSwitchTo(old);
	return placement->groups;
}

/* In rows withheld: what so many rows lose in a hull, and those that are to be invented. */
static inline double
cost_of(const Making *making, const Span *hull, uint32 rows, uint32 n)
{
	return rows * hull_loss(making->measure, hull) / Max(making->measure->ndimensions, 1) + (n - rows);
}

/* The cost of a bucket, were it split now. */
static double
cost_of_splitting(Dealing *dealing, const Bucket *bucket, Span *hull)
{
	const Making *making = &dealing->distinct->making;
	uint32		groups = split(dealing, bucket);
	const BalancedRow *row = dealing->rows;
	double		cost = 0;

	for (uint32 g = 0; g < groups; g++)
	{
		hull_clear(making->measure, hull);
		for (uint32 i = 0; i < dealing->size[g]; i++)
			hull_add_row(making, hull, row[i].row);
		row += dealing->size[g];
		if (dealing->size[g] > 0)
			cost += cost_of(making, hull, dealing->size[g], bucket->n);
	}
	return cost;
}

/* Puts the rows of a set into its bucket. */
static void
enter_set(Distinct *distinct, uint64 set)
{
	MadeSet    *made = &distinct->making.sets[set];
	Bucket	   *bucket = &distinct->buckets[made->signature];

	for (uint32 i = 0; i < bucket->n; i++)
	{
		RowId		row = distinct->making.cells[made->first + i];
		Code		value;

		if (row == NO_ROW)
			continue;
		value = distinct->frame->sensitive[row];
		if (distinct->kind_of[value] >= bucket->nkinds || bucket->kinds[distinct->kind_of[value]].value != value)
		{
			distinct->kind_of[value] = bucket->nkinds;
			(void) add_kind(bucket, value);
		}
		kind_push(distinct, &bucket->kinds[distinct->kind_of[value]], row);
		bucket->rows++;
	}
}

typedef struct Listed
{
	uint32		bucket;
	uint32		free;			/* places */
	uint64		set;
} Listed;

/* By bucket, those with most free places first. */
DEFINE_ORDER(compare_listed, Listed, ASCENDING(bucket) DESCENDING(free) ASCENDING(set));

/* All sets that have rows. */
static Listed *
list_sets(const Distinct *distinct, uint64 *n)
{
	const Making *making = &distinct->making;
	Listed	   *listed = new_array(Listed, making->nsets);

	*n = 0;
	for (uint64 set = 0; set < making->nsets; set++)
	{
		const MadeSet *made = &making->sets[set];

		if (made->true_rows > 0)
			listed[(*n)++] = (Listed) {made->signature, distinct->buckets[made->signature].n - made->true_rows, set};
	}
	qsort(listed, *n, sizeof(Listed), compare_listed);
	return listed;
}

/* Of the sets of a bucket, how many is it best to deal anew?  Those with most free places, and stragglers. */
static uint64
choose_sets(Dealing *dealing, const Listed *listed, uint64 n, Span *hull)
{
	Distinct   *distinct = dealing->distinct;
	Making	   *making = &distinct->making;
	Bucket	   *bucket = &distinct->buckets[listed[0].bucket];
	double		kept = 0;
	double		cost = 0;
	double		least;
	uint64		best = 0;

	for (uint64 i = 0; i < n; i++)
		kept += cost_of(making, set_hull(making, listed[i].set), making->sets[listed[i].set].true_rows, bucket->n);
	least = kept;
	for (uint64 i = 0, to; i < n; i = to)
	{
		/* Of four times as many people in an area, neighbors live half as far apart: is it worth a try? */
		if (listed[i].free == 0 && i > 0 && cost * sqrt((double) n / i) > cost + kept)
			break;
		for (to = i; to < n && listed[to].free == listed[i].free; to++)
		{
			enter_set(distinct, listed[to].set);
			kept -= cost_of(making, set_hull(making, listed[to].set), making->sets[listed[to].set].true_rows, bucket->n);
		}
		if (to == 1 && listed[0].free == 0)
			continue;
		if (to == 1)
			cost = least - kept;
		else
			cost = cost_of_splitting(dealing, bucket, hull);
		if (kept + cost > least)
			continue;
		least = kept + cost;
		best = to;
	}
	bucket->nkinds = 0;
	bucket->rows = 0;
	return best;
}

/* Puts people into buckets where that is better than that they stay together. */
static void
take_apart(Distinct *distinct)
{
	Dealing		dealing = dealing_create(distinct);
	Making	   *making = &distinct->making;
	Span	   *hull = new_array(Span, making->measure->ndimensions);
	uint64		n;
	Listed	   *listed = list_sets(distinct, &n);

	for (uint64 i = 0, to; i < n; i = to)
	{
		uint64		anew;

		for (to = i; to < n && listed[to].bucket == listed[i].bucket;)
			to++;
		anew = choose_sets(&dealing, listed + i, to - i, hull);
		for (uint64 k = i; k < i + anew; k++)
		{
			enter_set(distinct, listed[k].set);
			making->sets[listed[k].set].true_rows = 0;
		}
	}
	pfree(listed);
	pfree(hull);
}

/* Splits all buckets into groups, which become sets. */
static void
split_buckets(Distinct *distinct)
{
	Dealing		dealing = dealing_create(distinct);

	for (uint32 b = 0; b < distinct->nbuckets; b++)
	{
		const Bucket *bucket = &distinct->buckets[b];
		const BalancedRow *row = dealing.rows;
		uint32		groups = bucket->rows == 0 ? 0 : split(&dealing, bucket);

		for (uint32 g = 0; g < groups; g++)
		{
			uint64		set = set_create(&distinct->making, b);

			for (uint32 i = 0; i < dealing.size[g]; i++, row++)
				if (!set_take(distinct, set, bucket->set[row->entry], row->row))
					elog(ERROR, "a group has too many rows of an entry");
		}
	}
	MemoryContextDelete(dealing.work);
}

void
deal_anew(Distinct *distinct)
{
	take_apart(distinct);
	split_buckets(distinct);
}

/*
 * split_buckets.c
 *		Buckets become classes: split, invented rows added, and covered.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/m_distinct/m_distinct.h"
#include "miscadmin.h"
#include "partition/balanced.h"
#include "utils/memutils.h"

typedef struct Grouping
{
	Distinct   *distinct;
	Drafting   *drafting;
	Splitter   *splitter;
	BalancedRow *rows;			/* [most rows] */
	uint32	   *size;			/* [most groups] */
	SetId	   *slots;			/* [most slots] */
	Code	   *value;			/* [most slots] */
} Grouping;

/* ----------------------------------------------------------------
 * Invented rows
 * ----------------------------------------------------------------
 */

static bool
is_used(const Code *value, uint32 n, Code candidate)
{
	for (uint32 i = 0; i < n; i++)
		if (value[i] == candidate)
			return true;
	return false;
}

/*
 * A value for an invented row: of those that leave the next release most
 * choice, one as frequent as among the true rows, drawn by lot.  NO_CODE if
 * the entry's values are all in the group.
 */
static Code
invent_value(Grouping *grouping, uint32 n, SetId id)
{
	Distinct   *distinct = grouping->distinct;
	ValueSet	set = set_at(distinct->sets, id);
	Code		widest = 0;
	uint64		weight = 0;
	Code		drawn = NO_CODE;

	for (Code i = 0; i < set.n; i++)
	{
		Code		value = set.value[i];
		uint64		own = distinct->frequency[value] + 1;
		Code		width = updates_size(distinct->updates, value);

		if (width < widest || is_used(grouping->value, n, value))
			continue;
		weight = (width > widest ? 0 : weight) + own;
		widest = width;
		if (pg_prng_uint64_range(&distinct->random, 0, weight - 1) < own)
			drawn = value;
	}
	return drawn;
}

/* The slots of a group, with the values of its rows. */
static uint32
fill_slots(Grouping *grouping, const Bucket *bucket, const BalancedRow *rows, uint32 nrows)
{
	const Frame *frame = grouping->distinct->frame;
	uint32		at = 0;

	for (uint32 e = 0; e < bucket->nentries; e++)
	{
		uint32		end = at + bucket->multiplicity[e];

		for (uint32 i = 0; i < nrows; i++)
			if (rows[i].entry == e)
			{
				grouping->slots[at] = bucket->set[e];
				grouping->value[at++] = frame->sensitive[rows[i].row];
			}
		for (; at < end; at++)
		{
			grouping->slots[at] = bucket->set[e];
			grouping->value[at] = NO_CODE;
		}
	}
	return at;
}

/* Completes a group by invented rows, so that each entry has a value of its own. */
static void
invent_rows(Grouping *grouping, const Bucket *bucket, const BalancedRow *rows, uint32 nrows)
{
	const Frame *frame = grouping->distinct->frame;
	uint32		n = fill_slots(grouping, bucket, rows, nrows);
	Code	   *counterfeit = drafting_invent(grouping->drafting, n - nrows);

	for (uint32 i = 0; i < n; i++)
		if (grouping->value[i] == NO_CODE)
			grouping->value[i] = invent_value(grouping, n, grouping->slots[i]);
	if (!represent(grouping->distinct->sets, grouping->slots, n, grouping->value))
		elog(ERROR, "a group cannot be completed");
	for (uint32 i = 0; i < n; i++)
	{
		bool		is_true = false;

		for (uint32 k = 0; k < nrows; k++)
			is_true |= frame->sensitive[rows[k].row] == grouping->value[i];
		if (!is_true)
			*counterfeit++ = grouping->value[i];
	}
}

/* ----------------------------------------------------------------
 * Classes
 * ----------------------------------------------------------------
 */

static void
add_class(Grouping *grouping, const Bucket *bucket, const BalancedRow *rows, uint32 nrows)
{
	for (uint32 i = 0; i < nrows; i++)
		drafting_add_rows(grouping->drafting, &rows[i].row, 1);
	if (bucket->n > nrows)
		invent_rows(grouping, bucket, rows, nrows);
	(void) drafting_end_class(grouping->drafting, NULL);
}

/* The rows of the bucket with an entry each, as the placement says; kinds in several entries are dealt out evenly. */
static void
enter_rows(Grouping *grouping, const Bucket *bucket, const Placement *placement)
{
	const Distinct *distinct = grouping->distinct;
	uint32	   *left = palloc(sizeof(uint32) * bucket->nentries);
	BalancedRow *next = grouping->rows;

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
			*next++ = (BalancedRow) {row, e};
		}
	}
}

/* Splits a bucket into groups, and makes a class of each. */
static void
draft_bucket(Grouping *grouping, const Bucket *bucket)
{
	Placement  *placement = place_bucket(grouping->distinct, bucket);
	BalancedRow *rows = grouping->rows;

	enter_rows(grouping, bucket, placement);
	split_bucket(grouping->splitter, &(BalancedBucket) {
				 .nentries = bucket->nentries, .multiplicity = bucket->multiplicity,
				 .ngroups = placement->groups, .nrows = bucket->rows, .rows = rows}, grouping->size);
	for (uint32 g = 0; g < placement->groups; g++)
	{
		if (grouping->size[g] > 0)
			add_class(grouping, bucket, rows, grouping->size[g]);
		rows += grouping->size[g];
	}
}

Draft *
draft_groups(Distinct *distinct, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Grouping	grouping = {.distinct = distinct, .drafting = drafting_create(distinct->frame, distinct->m)};
	MemoryContext work;
	uint64		most_rows = 0;
	uint32		most_entries = 0;
	uint32		most_slots = 0;

	MemoryContextSwitchTo(old);
	work = AllocSetContextCreate(old, "bucket", ALLOCSET_DEFAULT_SIZES);
	for (uint32 b = 0; b < distinct->nbuckets; b++)
	{
		most_rows = Max(most_rows, distinct->buckets[b].rows);
		most_entries = Max(most_entries, distinct->buckets[b].nentries);
		most_slots = Max(most_slots, distinct->buckets[b].n);
	}
	grouping.splitter = splitter_create(distinct->frame, most_rows, most_entries);
	grouping.rows = new_array(BalancedRow, most_rows);
	grouping.size = new_array(uint32, most_rows);
	grouping.slots = palloc(sizeof(SetId) * (most_slots + 1));
	grouping.value = palloc(sizeof(Code) * (most_slots + 1));
	for (uint32 b = 0; b < distinct->nbuckets; b++)
	{
		if (distinct->buckets[b].rows == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(work);
		MemoryContextSwitchTo(work);
		draft_bucket(&grouping, &distinct->buckets[b]);
		MemoryContextSwitchTo(old);
	}
	MemoryContextDelete(work);
	return grouping.drafting->draft;
}

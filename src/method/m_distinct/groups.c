/*
 * groups.c
 *		Buckets become classes: split, invented rows added, and covered.
 */
#include "postgres.h"

#include "method/m_distinct/m_distinct.h"
#include "miscadmin.h"
#include "partition/balanced.h"
#include "utils/memutils.h"

typedef struct Drafting
{
	Distinct   *distinct;
	Draft	   *draft;
	uint32		classes_allocated;
	uint64		counterfeits_allocated;
	Splitter   *splitter;
	BalancedRow *rows;			/* [most rows] */
	uint32	   *size;			/* [most groups] */
	SetId	   *slots;			/* [most slots] */
	Code	   *value;			/* [most slots] */
} Drafting;

static void
make_room(Drafting *drafting, uint64 counterfeits)
{
	Classes    *classes = drafting->draft->classes;

	if (classes->nclasses + 2 > drafting->classes_allocated)
	{
		drafting->classes_allocated *= 2;
		classes->first = repalloc_huge(classes->first, sizeof(uint64) * drafting->classes_allocated);
		classes->first_counterfeit = repalloc_huge(classes->first_counterfeit, sizeof(uint64) * drafting->classes_allocated);
		classes->regions = repalloc_huge(classes->regions, sizeof(Span) * Max(1, classes->nqis) * drafting->classes_allocated);
	}
	counterfeits += classes->first_counterfeit[classes->nclasses];
	if (counterfeits > drafting->counterfeits_allocated)
	{
		drafting->counterfeits_allocated = counterfeits * 2;
		classes->counterfeit = repalloc_huge(classes->counterfeit, sizeof(Code) * drafting->counterfeits_allocated);
	}
}

static void
cover(const Frame *frame, const BalancedRow *rows, uint32 n, Span *region)
{
	for (int q = 0; q < frame->nqis; q++)
	{
		Span		hull = span_of(frame->code[q][rows[0].row]);

		for (uint32 i = 1; i < n; i++)
			hull = span_hull(hull, span_of(frame->code[q][rows[i].row]));
		region[q] = domain_cover(&frame->domain[q], hull);
	}
}

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
invent_value(Drafting *drafting, uint32 n, SetId id)
{
	Distinct   *distinct = drafting->distinct;
	const ValueSet *set = &distinct->sets->set[id];
	Code		widest = 0;
	uint64		weight = 0;
	Code		drawn = NO_CODE;

	for (Code i = 0; i < set->n; i++)
	{
		Code		value = set->value[i];
		uint64		own = distinct->frequency[value] + 1;
		Code		width = updates_size(distinct->updates, value);

		if (width < widest || is_used(drafting->value, n, value))
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
fill_slots(Drafting *drafting, const Bucket *bucket, const BalancedRow *rows, uint32 nrows)
{
	const Frame *frame = drafting->distinct->frame;
	uint32		at = 0;

	for (uint32 e = 0; e < bucket->nentries; e++)
	{
		uint32		end = at + bucket->multiplicity[e];

		for (uint32 i = 0; i < nrows; i++)
			if (rows[i].entry == e)
			{
				drafting->slots[at] = bucket->set[e];
				drafting->value[at++] = frame->sensitive[rows[i].row];
			}
		for (; at < end; at++)
		{
			drafting->slots[at] = bucket->set[e];
			drafting->value[at] = NO_CODE;
		}
	}
	return at;
}

static void
invent_rows(Drafting *drafting, const Bucket *bucket, const BalancedRow *rows, uint32 nrows)
{
	Classes    *classes = drafting->draft->classes;
	const Frame *frame = drafting->distinct->frame;
	uint32		n = fill_slots(drafting, bucket, rows, nrows);
	Code	   *counterfeit = classes->counterfeit + classes->first_counterfeit[classes->nclasses];

	for (uint32 i = 0; i < n; i++)
		if (drafting->value[i] == NO_CODE)
			drafting->value[i] = invent_value(drafting, n, drafting->slots[i]);
	if (!represent(drafting->distinct->sets, drafting->slots, n, drafting->value))
		elog(ERROR, "a group cannot be completed");
	for (uint32 i = 0; i < n; i++)
	{
		bool		is_true = false;

		for (uint32 k = 0; k < nrows; k++)
			is_true |= frame->sensitive[rows[k].row] == drafting->value[i];
		if (!is_true)
			*counterfeit++ = drafting->value[i];
	}
	Assert(counterfeit - classes->counterfeit == (int64) classes->first_counterfeit[classes->nclasses] + n - nrows);
}

/* ----------------------------------------------------------------
 * Classes
 * ----------------------------------------------------------------
 */

static void
add_class(Drafting *drafting, const Bucket *bucket, const BalancedRow *rows, uint32 nrows)
{
	Classes    *classes = drafting->draft->classes;
	uint32		c = classes->nclasses;
	uint32		missing = bucket->n - nrows;

	make_room(drafting, missing);
	for (uint32 i = 0; i < nrows; i++)
		classes->rows[classes->first[c] + i] = rows[i].row;
	cover(drafting->distinct->frame, rows, nrows, &classes->regions[(Size) c * classes->nqis]);
	if (missing > 0)
		invent_rows(drafting, bucket, rows, nrows);
	classes->nclasses++;
	classes->first[c + 1] = classes->first[c] + nrows;
	classes->first_counterfeit[c + 1] = classes->first_counterfeit[c] + missing;
}

/* The rows of the bucket with an entry each, as the placement says; kinds in several entries are dealt out evenly. */
static void
enter_rows(Drafting *drafting, const Bucket *bucket, const Placement *placement)
{
	const Distinct *distinct = drafting->distinct;
	uint32	   *left = palloc(sizeof(uint32) * bucket->nentries);
	BalancedRow *next = drafting->rows;

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

static void
draft_bucket(Drafting *drafting, const Bucket *bucket)
{
	Placement  *placement = place_bucket(drafting->distinct, bucket);
	BalancedRow *rows = drafting->rows;

	enter_rows(drafting, bucket, placement);
	split_bucket(drafting->splitter, &(BalancedBucket) {
				 .nentries = bucket->nentries,.multiplicity = bucket->multiplicity,
				 .ngroups = placement->groups,.nrows = bucket->rows,.rows = rows}, drafting->size);
	for (uint32 g = 0; g < placement->groups; g++)
	{
		if (drafting->size[g] > 0)
			add_class(drafting, bucket, rows, drafting->size[g]);
		rows += drafting->size[g];
	}
}

static Draft *
draft_create(const Distinct *distinct)
{
	const Frame *frame = distinct->frame;
	Draft	   *draft = palloc0(sizeof(Draft));
	Classes    *classes = palloc0(sizeof(Classes));

	draft->k = distinct->m;
	draft->classes = classes;
	classes->nqis = frame->nqis;
	classes->rows = palloc_extended(sizeof(RowId) * (frame->nrows + 1), MCXT_ALLOC_HUGE);
	classes->first = palloc0(sizeof(uint64) * 64);
	classes->first_counterfeit = palloc0(sizeof(uint64) * 64);
	classes->regions = palloc(sizeof(Span) * Max(1, frame->nqis) * 64);
	classes->counterfeit = palloc(sizeof(Code) * 64);
	return draft;
}

Draft *
draft_groups(Distinct *distinct, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Drafting	drafting = {.distinct = distinct,.draft = draft_create(distinct)};
	MemoryContext work;
	uint64		most_rows = 0;
	uint32		most_entries = 0;
	uint32		most_slots = 0;

	MemoryContextSwitchTo(old);
	work = AllocSetContextCreate(old, "bucket", ALLOCSET_DEFAULT_SIZES);
	drafting.classes_allocated = drafting.counterfeits_allocated = 64;
	for (uint32 b = 0; b < distinct->nbuckets; b++)
	{
		most_rows = Max(most_rows, distinct->buckets[b].rows);
		most_entries = Max(most_entries, distinct->buckets[b].nentries);
		most_slots = Max(most_slots, distinct->buckets[b].n);
	}
	drafting.splitter = splitter_create(distinct->frame, most_rows, most_entries);
	drafting.rows = palloc_extended(sizeof(BalancedRow) * (most_rows + 1), MCXT_ALLOC_HUGE);
	drafting.size = palloc_extended(sizeof(uint32) * (most_rows + 1), MCXT_ALLOC_HUGE);
	drafting.slots = palloc(sizeof(SetId) * (most_slots + 1));
	drafting.value = palloc(sizeof(Code) * (most_slots + 1));
	for (uint32 b = 0; b < distinct->nbuckets; b++)
	{
		if (distinct->buckets[b].rows == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(work);
		MemoryContextSwitchTo(work);
		draft_bucket(&drafting, &distinct->buckets[b]);
		MemoryContextSwitchTo(old);
	}
	MemoryContextDelete(work);
	return drafting.draft;
}

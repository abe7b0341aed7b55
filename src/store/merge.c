/*
 * merge.c
 *		Merging groups.  See merge.h.
 *
 * NOTES
 *		A merged group spans the numbers of all that it was made of, so no other
 *		group may ever have a row between them (lookup.h): a group in progress, or
 *		pending rows, end a run of groups that can be merged.  The reserving lock
 *		makes sure that we see every reservation below the counter.
 *
 * LOCKING
 *		One merger at a time, to the end of its transaction: until then the
 *		groups that it has deleted are there for all other transactions.
 */
#include "postgres.h"

#include "store/merge.h"

#include "access/htup_details.h"
#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "store/group.h"
#include "store/metapage.h"
#include "store/rownumber.h"
#include "store/rows.h"
#include "store/seal.h"
#include "utils/combocid.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* Writers look for groups to merge after this many small ones. */
#define MERGE_AFTER 64

/* The most encoded bytes of groups that are merged at once. */
#define MERGE_BYTES ((uint64) 4 * 1024 * 1024)

typedef struct Candidate
{
	uint64		first;
	uint32		nrows;
	uint32		span;
	uint64		length;
} Candidate;

typedef struct Merge
{
	Store	   *store;
	ChunkReader *reader;
	SnapshotData dirty;
	uint64		end;			/* groups from here on do not count */
	uint32		most;			/* rows of a group */

	/* A run of groups */
	Candidate  *run;
	uint32		nrun;
	uint32		room;
	uint64		rows;
	uint64		length;
	uint64		merged;			/* groups, in all */
} Merge;

/* ----------------------------------------------------------------
 * Choosing groups
 * ----------------------------------------------------------------
 */

/* May the chunk's transaction still be undone, or is it too new to be deleted by this command? */
static bool
is_settled(const Merge *merge, const Chunk *chunk)
{
	HeapTupleHeader tuple = chunk->tuple->t_data;

	if (TransactionIdIsValid(merge->dirty.xmin) || TransactionIdIsValid(merge->dirty.xmax))
		return false;
	if (HeapTupleHeaderXminFrozen(tuple) || !TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple)))
		return true;
	return HeapTupleHeaderGetCmin(tuple) < GetCurrentCommandId(false);
}

/* The group that begins last, up to a row: false if it cannot be merged. */
static bool
look_at(Merge *merge, uint64 row, uint64 *first, bool *found, Candidate *candidate)
{
	Chunk		chunk;
	GroupHeader header;

	*found = chunk_upto(merge->reader, row, PART_MAX, &chunk);
	if (!*found)
		return false;
	if (chunk.damage != NULL)
		chunk_damaged(merge->store->rel, chunk.first, chunk.damage);
	*first = chunk.first;
	if (chunk.part != PART_HEADER || !is_settled(merge, &chunk))
		return false;
	read_header(merge->store->rel, &chunk, &header);
	*candidate = (Candidate) {chunk.first, header.nrows, header.span, header.length};
	return true;
}

static void
clear_run(Merge *merge)
{
	merge->nrun = 0;
	merge->rows = 0;
	merge->length = 0;
}

/* Adds a group to the run that will be merged. */
static void
add_to_run(Merge *merge, const Candidate *candidate)
{
	if (merge->nrun == merge->room)
	{
		merge->room = merge->room == 0 ? 64 : merge->room * 2;
		merge->run = merge->run == NULL ? palloc(merge->room * sizeof(Candidate)) :
			repalloc_huge(merge->run, merge->room * sizeof(Candidate));
	}
	merge->run[merge->nrun++] = *candidate;
	merge->rows += candidate->nrows;
	merge->length += candidate->length;
}

/* Can the run take in one more group, within its limits of rows, bytes and row numbers spanned? */
static bool
fits(const Merge *merge, const Candidate *candidate)
{
	const Candidate *other = merge->nrun > 0 ? &merge->run[0] : candidate;
	uint64		low = Min(other->first, candidate->first);
	uint64		high = Max(other->first + other->span, candidate->first + candidate->span);

	return merge->rows + candidate->nrows <= merge->most &&
		merge->length + candidate->length <= MERGE_BYTES && high - low <= PG_INT32_MAX;
}

/* ----------------------------------------------------------------
 * Merging a run
 * ----------------------------------------------------------------
 */

/* Allocates room for the values of all rows of the run. */
static void
begin_merged(const Merge *merge, Rows *rows)
{
	int			natts = RelationGetNumberOfAttributes(merge->store->rel);

	rows->first = merge->run[0].first;
	rows->nrows = 0;
	rows->natts = natts;
	rows->values = palloc(Max(natts, 1) * sizeof(Datum *));
	rows->nulls = palloc(Max(natts, 1) * sizeof(bool *));
	for (int i = 0; i < natts; i++)
	{
		rows->values[i] = palloc(merge->rows * sizeof(Datum));
		rows->nulls[i] = palloc(merge->rows);
	}
}

/*
 * Decodes a group behind those before.  The values stay in memory, and so do
 * the bytes that they may point into.
 */
static void
append_group(Merge *merge, const Candidate *candidate, Rows *rows, uint32 *numbers)
{
	Chunk		header;
	RowGroup   *group;

	if (!chunk_upto(merge->reader, candidate->first, PART_HEADER, &header) || header.first != candidate->first)
		chunk_damaged(merge->store->rel, candidate->first, "Its header is missing.");
	group = open_group(merge->reader, &header, CurrentMemoryContext);
	for (int i = 0; i < rows->natts; i++)
		read_column(group, i, rows->values[i] + rows->nrows, rows->nulls[i] + rows->nrows);
	for (uint32 i = 0; i < group->header.nrows; i++)
		numbers[rows->nrows + i] = (uint32) (group_number(group, i) - rows->first);
	rows->nrows += group->header.nrows;
}

/* The reservation goes, too: the header of the merged group says what it said. */
static void
delete_group(Merge *merge, uint64 first)
{
	List	   *tids = NIL;
	ListCell   *cell;
	Chunk		chunk;
	bool		found;

	for (found = chunk_from(merge->reader, first, 0, &chunk);
		 found && chunk.damage == NULL && chunk.first == first;
		 found = next_chunk(merge->reader, &chunk))
	{
		ItemPointer tid = palloc(sizeof(ItemPointerData));

		*tid = chunk.tuple->t_self;
		tids = lappend(tids, tid);
	}
	foreach(cell, tids)
		delete_chunk(merge->store, lfirst(cell));
}

static int
compare_candidates(const void *a, const void *b)
{
	uint64		x = ((const Candidate *) a)->first;
	uint64		y = ((const Candidate *) b)->first;

	return x < y ? -1 : x > y;
}

/* Merges the groups of the run into one, if they are more than one. */
static void
merge_run(Merge *merge)
{
	MemoryContext context;
	MemoryContext old;
	Rows		rows;
	uint32	   *numbers;

	if (merge->nrun < 2)
	{
		clear_run(merge);
		return;
	}
	context = AllocSetContextCreate(CurrentMemoryContext, "merging groups", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	qsort(merge->run, merge->nrun, sizeof(Candidate), compare_candidates);
	begin_merged(merge, &rows);
	numbers = palloc(merge->rows * sizeof(uint32));
	for (uint32 i = 0; i < merge->nrun; i++)
	{
		CHECK_FOR_INTERRUPTS();
		append_group(merge, &merge->run[i], &rows, numbers);
	}
	rows.numbers = numbers[rows.nrows - 1] == rows.nrows - 1 ? NULL : numbers;
	for (uint32 i = 0; i < merge->nrun; i++)
		delete_group(merge, merge->run[i].first);
	write_rows(merge->store, RelationGetDescr(merge->store->rel), &rows, GetCurrentCommandId(true), 0);
	merge->merged += merge->nrun;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	clear_run(merge);
}

/* ----------------------------------------------------------------
 * Begin and end
 * ----------------------------------------------------------------
 */

/* Prepares a merge; false if the table has no rows. */
static bool
begin_merge(Merge *merge, Relation rel)
{
	Counters	counters;
	int			natts = RelationGetNumberOfAttributes(rel);
	bool		any;

	memset(merge, 0, sizeof(*merge));
	lock_reserving(rel);
	any = read_counters(rel, &counters);
	unlock_reserving(rel);
	if (!any || counters.next == counters.valid)
		return false;
	forget_small_groups(rel);
	InitDirtySnapshot(merge->dirty);
	merge->store = open_store_to_write(rel);
	merge->store->counters = counters;
	merge->reader = begin_chunks(merge->store, &merge->dirty);
	merge->end = counters.next;
	merge->most = group_rows_at_most(natts);
	return true;
}

static void
end_merge(Merge *merge)
{
	end_chunks(merge->reader);
	close_store(merge->store);
}

/* From the end backward: what is merged grows until a group is too big to be worth it. */
static void
merge_last(Merge *merge)
{
	uint64		valid = merge->store->counters.valid;
	uint64		row = merge->end - 1;
	uint64		first;
	bool		found = true;

	while (found)
	{
		Candidate	candidate;

		CHECK_FOR_INTERRUPTS();
		if (!look_at(merge, row, &first, &found, &candidate))
		{
			/* Another transaction is at work there: look further if there is nothing to merge yet. */
			if (merge->nrun > 1)
				break;
			clear_run(merge);
		}
		else if (first < valid || !fits(merge, &candidate) ||
				 candidate.nrows > Max(merge->rows * 2, MERGE_AFTER))
			break;
		else
			add_to_run(merge, &candidate);
		if (!found || first <= valid)
			break;
		row = first - 1;
	}
	merge_run(merge);
}

void
merge_when_many(Relation rel)
{
	Counters	counters;
	Merge		merge;

	/* A serializable transaction would conflict with all that read what it merges. */
	if (IsInParallelMode() || IsolationIsSerializable() ||
		!read_counters(rel, &counters) || counters.small < MERGE_AFTER ||
		!lock_merging(rel, false))
		return;
	if (begin_merge(&merge, rel))
	{
		merge_last(&merge);
		end_merge(&merge);
	}
}

uint64
merge_all(Relation rel)
{
	Merge		merge;
	uint64		row;
	Chunk		chunk;

	lock_merging(rel, true);
	if (!begin_merge(&merge, rel))
		return 0;
	row = merge.store->counters.valid;
	while (row < merge.end && chunk_from(merge.reader, row, 0, &chunk) && chunk.first < merge.end)
	{
		Candidate	candidate;
		uint64		first = chunk.first;
		bool		found;

		CHECK_FOR_INTERRUPTS();
		if (chunk.damage != NULL)
			chunk_damaged(rel, first, chunk.damage);
		if (!look_at(&merge, first, &first, &found, &candidate))
			merge_run(&merge);
		else
		{
			if (!fits(&merge, &candidate))
				merge_run(&merge);
			if (fits(&merge, &candidate))
				add_to_run(&merge, &candidate);
		}
		row = first + 1;
	}
	merge_run(&merge);
	end_merge(&merge);
	return merge.merged;
}

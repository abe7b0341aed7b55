/*
 * rewrite.c
 *		VACUUM FULL: the TOAST relation is written anew, as it is.
 *
 * Its tuples are copied with rewriteheap, which keeps xmin and xmax;
 * inserting the rows again would hide them from older snapshots.  PostgreSQL
 * swaps the contents of both TOAST relations afterwards.
 *
 * One thing must not stay as it is.  Once a table was rewritten, PostgreSQL
 * forgets which value a column has in rows that were there before the column was
 * added: groups without it are given it first.
 *
 * In the order of an index nothing can be copied that way, so CLUSTER is refused.
 */
#include "postgres.h"

#include "store/handler.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/rewriteheap.h"
#include "access/table.h"
#include "access/toast_internals.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "store/group.h"
#include "store/metapage.h"
#include "store/refuse.h"
#include "store/rows.h"
#include "store/rownumber.h"
#include "store/seal.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

typedef struct Rewrite
{
	Relation	rel;			/* the old table */
	Store	   *store;			/* of it; NULL if it has no rows */
	Relation	old;			/* TOAST relations */
	Relation	new;
	Relation   *indexes;		/* of the new one */
	int			nindexes;
	RewriteState state;
	TransactionId oldest_xmin;
	HTAB	   *outdated;		/* stamps of groups that lack a value; NULL: none can */
	double		live;
	double		dead;
	double		recently_dead;
	double		rows;
} Rewrite;

/* ----------------------------------------------------------------
 * Groups that must be encoded anew
 * ----------------------------------------------------------------
 */

static int
last_missing(TupleDesc desc)
{
	for (int i = desc->natts; i > 0; i--)
		if (TupleDescAttr(desc, i - 1)->atthasmissing)
			return i;
	return 0;
}

static bool
is_outdated(const Rewrite *rewrite, uint64 stamp)
{
	return rewrite->outdated != NULL && hash_search(rewrite->outdated, &stamp, HASH_FIND, NULL) != NULL;
}

/* All headers, dead or not, are looked at once. */
static void
find_outdated(Rewrite *rewrite)
{
	int			needed = last_missing(RelationGetDescr(rewrite->rel));
	HASHCTL		control = {.keysize = sizeof(uint64), .entrysize = sizeof(uint64), .hcxt = CurrentMemoryContext};
	TableScanDesc scan;
	HeapTuple	tuple;

	if (needed == 0)
		return;
	rewrite->outdated = hash_create("groups without a column", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	scan = table_beginscan(rewrite->old, SnapshotAny, 0, NULL);
	while ((tuple = heap_getnext(scan, ForwardScanDirection)) != NULL)
	{
		Chunk		chunk;
		GroupHeader header;

		CHECK_FOR_INTERRUPTS();
		read_chunk(rewrite->old, tuple, &chunk);
		if (chunk.damage == NULL && chunk.part == PART_HEADER &&
			knows_header(chunk.bytes, chunk.length, &header) && header.natts < needed)
			hash_search(rewrite->outdated, &chunk.stamp, HASH_ENTER, NULL);
	}
	table_endscan(scan);
}

/*
 * Indexes of the new TOAST relation are filled tuple by tuple: built at once,
 * they would leave out tuples that only older snapshots see, since PostgreSQL
 * takes a relation that was made in this transaction for one that no other
 * backend looks at.
 */
static void
put_tuple(Rewrite *rewrite, HeapTuple template, HeapTuple tuple)
{
	Datum		values[2];
	bool		nulls[2];

	rewrite_heap_tuple(rewrite->state, template, tuple);
	for (int i = 0; i < 2; i++)
		values[i] = heap_getattr(tuple, i + 1, RelationGetDescr(rewrite->new), &nulls[i]);
	for (int i = 0; i < rewrite->nindexes; i++)
		index_insert(rewrite->indexes[i], values, nulls, &tuple->t_self, rewrite->new, UNIQUE_CHECK_NO, false, NULL);
}

typedef struct Template
{
	Rewrite    *rewrite;
	HeapTuple	tuple;			/* its xmin and xmax become the group's */
} Template;

static void
rewrite_chunk(void *arg, uint64 first, uint32 part, uint64 stamp, const char *bytes, Size length)
{
	Template   *template = arg;
	HeapTuple	tuple = form_chunk(template->rewrite->new, first, part, stamp, bytes, length);

	put_tuple(template->rewrite, template->tuple, tuple);
	heap_freetuple(tuple);
}

/* The whole group goes where its header goes. */
static void
rewrite_group(Rewrite *rewrite, HeapTuple tuple)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "rewriting a group", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	ChunkReader *reader = begin_chunks(rewrite->store, SnapshotAny);
	Template	template = {rewrite, heap_copytuple(tuple)};
	Chunk		header;
	Rows		rows;

	read_chunk(rewrite->old, template.tuple, &header);
	read_group(open_group(reader, &header, context), RelationGetNumberOfAttributes(rewrite->rel), &rows);
	seal_rows(RelationGetDescr(rewrite->rel), &rows, rewrite_chunk, &template);
	end_chunks(reader);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* ----------------------------------------------------------------
 * Copying
 * ----------------------------------------------------------------
 */

/* Is the tuple dead to every snapshot? */
static bool
tuple_is_dead(Rewrite *rewrite, HeapTuple tuple, Buffer buffer)
{
	HTSV_Result result;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	result = HeapTupleSatisfiesVacuum(tuple, rewrite->oldest_xmin, buffer);
	LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	switch (result)
	{
		case HEAPTUPLE_DEAD:
			rewrite->dead += 1;
			return true;
		case HEAPTUPLE_RECENTLY_DEAD:
		case HEAPTUPLE_DELETE_IN_PROGRESS:
			rewrite->recently_dead += 1;
			return false;
		case HEAPTUPLE_LIVE:
		case HEAPTUPLE_INSERT_IN_PROGRESS:
			rewrite->live += 1;
			return false;
	}
	elog(ERROR, "unexpected HeapTupleSatisfiesVacuum result");
	return false;
}

/*
 * Copies a chunk, unless its group lacks a column that was added later: such a
 * group is written anew.
 */
static void
copy_tuple(Rewrite *rewrite, HeapTuple tuple)
{
	HeapTuple	copy;
	Chunk		chunk;
	GroupHeader header;

	read_chunk(rewrite->old, tuple, &chunk);
	if (chunk.damage == NULL && chunk.part == PART_HEADER && knows_header(chunk.bytes, chunk.length, &header))
		rewrite->rows += header.nrows;
	if (chunk.part != PART_RESERVATION && is_outdated(rewrite, chunk.stamp))
	{
		if (chunk.part == PART_HEADER)
			rewrite_group(rewrite, tuple);
		return;
	}
	copy = heap_copytuple(tuple);
	put_tuple(rewrite, tuple, copy);
	heap_freetuple(copy);
}

/* Copies all chunks of the TOAST relation that are not dead to every snapshot. */
static void
copy_tuples(Rewrite *rewrite)
{
	TableScanDesc scan = table_beginscan(rewrite->old, SnapshotAny, 0, NULL);
	TupleTableSlot *slot = table_slot_create(rewrite->old, NULL);

	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		HeapTuple	tuple = ExecFetchSlotHeapTuple(slot, false, NULL);

		CHECK_FOR_INTERRUPTS();
		if (tuple_is_dead(rewrite, tuple, ((BufferHeapTupleTableSlot *) slot)->buffer))
			rewrite_heap_dead_tuple(rewrite->state, tuple);
		else
			copy_tuple(rewrite, tuple);
	}
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
}

/* Copies the chunks as heapam rewrites a table: with their visibility, and frozen where they can be. */
static void
copy_groups(Rewrite *rewrite, TransactionId freeze_xid, MultiXactId cutoff)
{
	find_outdated(rewrite);
	rewrite->state = begin_heap_rewrite(rewrite->old, rewrite->new, rewrite->oldest_xmin, freeze_xid, cutoff);
	copy_tuples(rewrite);
	end_heap_rewrite(rewrite->state);
	if (rewrite->outdated)
		hash_destroy(rewrite->outdated);
}

void
pprepub_relation_copy_for_cluster(Relation old, Relation new, Relation index, bool use_sort,
								  TransactionId oldest_xmin, TransactionId *xid_cutoff, MultiXactId *multi_cutoff,
								  double *num_tuples, double *tups_vacuumed, double *tups_recently_dead)
{
	Rewrite		rewrite = {.rel = old, .oldest_xmin = oldest_xmin};
	Counters	counters;

	if (index != NULL)
		refuse(old, REFUSE_CLUSTER);
	rewrite.store = open_store(old);
	if (rewrite.store == NULL)
	{
		/* No chunk in its TOAST relation counts. Its numbers may begin anew: its indexes do. */
		return;
	}
	read_counters(old, &counters);
	write_counters(new, &counters);
	rewrite.old = rewrite.store->toast;
	rewrite.new = table_open(new->rd_rel->reltoastrelid, AccessExclusiveLock);
	toast_open_indexes(rewrite.new, AccessExclusiveLock, &rewrite.indexes, &rewrite.nindexes);
	copy_groups(&rewrite, *xid_cutoff, *multi_cutoff);
	toast_close_indexes(rewrite.indexes, rewrite.nindexes, NoLock);
	table_close(rewrite.new, NoLock);
	close_store(rewrite.store);
	*num_tuples = rewrite.rows;
	*tups_vacuumed = rewrite.dead;
	*tups_recently_dead = rewrite.recently_dead;
}

/*
 * files.c
 *		A table's files: making, emptying, moving and vacuuming them, and their sizes.
 *
 * NOTES
 *		The main fork has one page (metapage.c) or none; what it says of rows
 *		stands in the TOAST relation, whose files PostgreSQL makes, empties, moves
 *		and vacuums by itself, before or after.
 */
#include "postgres.h"

#include "store/handler.h"

#include <math.h>

#include "access/genam.h"
#include "access/heapam.h"
#include "access/multixact.h"
#include "access/rewriteheap.h"
#include "access/table.h"
#include "access/toast_internals.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class_d.h"
#include "catalog/storage.h"
#include "catalog/storage_xlog.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/procarray.h"
#include "storage/smgr.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

/*
 * An unlogged table's init fork is empty, too: after a crash it has no rows, as
 * its TOAST relation has none.  Nothing in the main fork has a transaction id.
 */
static void
relation_set_new_filelocator(Relation rel, const RelFileLocator *node, char persistence,
							 TransactionId *freeze_xid, MultiXactId *minmulti)
{
	SMgrRelation files;

	/* Rows of this subtransaction belong to the old files. */
	if (OidIsValid(rel->rd_rel->reltoastrelid))
		seal_pending(rel);
	*freeze_xid = InvalidTransactionId;
	*minmulti = InvalidMultiXactId;
	files = RelationCreateStorage(*node, persistence, true);
	if (persistence == RELPERSISTENCE_UNLOGGED)
	{
		smgrcreate(files, INIT_FORKNUM, false);
		log_smgrcreate(node, INIT_FORKNUM);
		smgrimmedsync(files, INIT_FORKNUM);
	}
	smgrclose(files);
}

/*
 * The table's indexes are rebuilt next, and only then the TOAST relation is
 * emptied: until then its rows must count as none.  The numbers go on.
 */
static void
relation_nontransactional_truncate(Relation rel)
{
	seal_pending(rel);
	invalidate_rows(rel);
}

/* Moves the table to other files, in another tablespace. */
static void
relation_copy_data(Relation rel, const RelFileLocator *node)
{
	SMgrRelation to;

	seal_pending(rel);
	if (has_pending(rel, NULL))
		refuse(rel, REFUSE_MOVE_PENDING);
	to = smgropen(*node, rel->rd_backend);
	/* The files are copied, not the buffers. */
	FlushRelationBuffers(rel);
	RelationCreateStorage(*node, rel->rd_rel->relpersistence, true);
	for (ForkNumber fork = MAIN_FORKNUM; fork <= MAX_FORKNUM; fork++)
	{
		if (!smgrexists(RelationGetSmgr(rel), fork))
			continue;
		if (fork != MAIN_FORKNUM)
		{
			smgrcreate(to, fork, false);
			if (RelationIsPermanent(rel) || fork == INIT_FORKNUM)
				log_smgrcreate(node, fork);
		}
		RelationCopyStorage(RelationGetSmgr(rel), to, fork, rel->rd_rel->relpersistence);
	}
	RelationDropStorage(rel);
	smgrclose(to);
}

/* ----------------------------------------------------------------
 * Sizes
 * ----------------------------------------------------------------
 */

/* The size that ANALYZE and the planner see: see handler.h. */
static uint64
relation_size(Relation rel, ForkNumber fork)
{
	Counters	counters;

	if (fork != MAIN_FORKNUM && fork != InvalidForkNumber)
		return (uint64) smgrnblocks(RelationGetSmgr(rel), fork) * BLCKSZ;
	return read_counters(rel, &counters) ? (uint64) blocks_of(&counters) * BLCKSZ : 0;
}

/* Always true, whatever the columns are: all rows are stored in the TOAST relation. */
static bool
relation_needs_toast_table(Relation rel)
{
	return true;
}

static Oid
relation_toast_am(Relation rel)
{
	return HEAP_TABLE_AM_OID;
}

/*
 * Pages are those that a scan reads.  How many numbers were given out is known
 * exactly; how many of them have a row, since ANALYZE or VACUUM counted.
 */
static void
relation_estimate_size(Relation rel, int32 *attr_widths, BlockNumber *pages, double *tuples,
					   double *allvisfrac)
{
	Counters	counters;
	double		numbers = read_counters(rel, &counters) ? (double) numbers_of(&counters) : 0;
	double		reltuples = rel->rd_rel->reltuples;
	BlockNumber relpages = rel->rd_rel->relpages;

	*allvisfrac = 0;
	*pages = 0;
	if (numbers > 0 && OidIsValid(rel->rd_rel->reltoastrelid))
	{
		Relation	toast = table_open(rel->rd_rel->reltoastrelid, AccessShareLock);

		*pages = RelationGetNumberOfBlocks(toast);
		*pages = Max(*pages, 1);
		table_close(toast, AccessShareLock);
	}
	*tuples = numbers;
	if (reltuples >= 0 && relpages > 0 && relpages < MAX_BLOCKS)
	{
		double		estimate = rint(reltuples / relpages * blocks_of(&counters));

		*tuples = Min(numbers, estimate);
	}

	/*
	 * At least ten pages are assumed, as for a heap: a plan may be cached before the table is loaded.
	 */
	if (reltuples < 0 && *pages < 10 && !rel->rd_rel->relhassubclass)
	{
		*pages = 10;
		*tuples = Max(*tuples, 10 * ROWS_PER_BLOCK);
	}
}

/* ----------------------------------------------------------------
 * VACUUM
 * ----------------------------------------------------------------
 */

/* The rows of all groups that are committed. */
static double
count_rows(Relation rel)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	Store	   *store = open_store(rel, false);
	double		rows = 0;

	if (store != NULL)
	{
		ChunkReader *reader = begin_chunks(store, snapshot);
		Chunk		chunk;

		for (uint64 from = 0; find_header_from(reader, from, &chunk); from = chunk.first + 1)
		{
			GroupHeader header;

			CHECK_FOR_INTERRUPTS();
			read_header(rel, &chunk, &header);
			rows += header.nrows;
		}
		end_chunks(reader);
		close_store(store);
	}
	UnregisterSnapshot(snapshot);
	return rows;
}

/*
 * Never writes a row.  The TOAST relation is vacuumed, and frozen, by itself.  Indexes may put in order what they have
 * put off; their entries of rows that were rolled back stay until REINDEX: they find nothing, since numbers are never
 * given again.
 *
 * The main fork has no transaction ids, but VACUUM FULL and ALTER TABLE note some in pg_class: they are brought up to
 * date, or they would hold all others back.
 */
static void
relation_vacuum(Relation rel, VacuumOrder params, BufferAccessStrategy strategy)
{
	TransactionId frozen = InvalidTransactionId;
	MultiXactId minmulti = InvalidMultiXactId;
	double		rows = count_rows(rel);
	Relation   *indexes;
	int			nindexes;
	TimestampTz started pg_attribute_unused() = GetCurrentTimestamp();

	if (TransactionIdIsValid(rel->rd_rel->relfrozenxid))
		frozen = GetOldestNonRemovableTransactionId(rel);
	if (MultiXactIdIsValid(rel->rd_rel->relminmxid))
		minmulti = GetOldestMultiXactId();
	vac_open_indexes(rel, RowExclusiveLock, &nindexes, &indexes);
	for (int i = 0; i < nindexes && params->index_cleanup != VACOPTVALUE_DISABLED; i++)
	{
		IndexVacuumInfo info = {
			.index = indexes[i],
			.message_level = DEBUG2,
			.num_heap_tuples = rows,
			.estimated_count = true,
			.strategy = strategy
		};
		IndexBulkDeleteResult *result;

		set_heaprel(&info, rel);
		result = index_vacuum_cleanup(&info, NULL);
		if (result != NULL && !result->estimated_count)
			note_size(indexes[i], result->num_pages, result->num_index_tuples, false, InvalidTransactionId, InvalidMultiXactId);
	}
	vac_close_indexes(nindexes, indexes, NoLock);
	note_size(rel, RelationGetNumberOfBlocks(rel), rows, nindexes > 0, frozen, minmulti);
	report_vacuum(rel, (PgStat_Counter) rows, 0, started);
}

/* ----------------------------------------------------------------
 * VACUUM FULL: the TOAST relation is written anew, as it is
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
 * ----------------------------------------------------------------
 */

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

/* All headers, dead or not, are looked at once. */
static void
find_outdated(Rewrite *rewrite)
{
	TupleDesc	desc = RelationGetDescr(rewrite->rel);
	int			needed = desc->natts;
	HASHCTL		control = {.keysize = sizeof(uint64), .entrysize = sizeof(uint64), .hcxt = CurrentMemoryContext};
	TableScanDesc scan;
	HeapTuple	tuple;

	/* Up to the last column that was added with a value. */
	while (needed > 0 && !TupleDescAttr(desc, needed - 1)->atthasmissing)
		needed--;
	if (needed == 0)
		return;
	rewrite->outdated = hash_create("groups without a column", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	scan = table_beginscan(rewrite->old, SnapshotAny, 0, NULL, 0);
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
	if (chunk.part != PART_RESERVATION && rewrite->outdated != NULL && hash_search(rewrite->outdated, &chunk.stamp, HASH_FIND, NULL) != NULL)
	{
		if (chunk.part == PART_HEADER)
			rewrite_group(rewrite, tuple);
		return;
	}
	copy = heap_copytuple(tuple);
	put_tuple(rewrite, tuple, copy);
	heap_freetuple(copy);
}

/* VACUUM FULL.  REPACK (CONCURRENTLY), for which the snapshot is, refuses all access methods but heap by itself. */
static void
relation_copy_for_cluster(Relation old, Relation new, Relation index, bool use_sort,
						  TransactionId oldest_xmin since_19(Snapshot snapshot), TransactionId *xid_cutoff, MultiXactId *multi_cutoff,
						  double *num_tuples, double *tups_vacuumed, double *tups_recently_dead)
{
	Rewrite		rewrite = {.rel = old, .oldest_xmin = oldest_xmin};
	Counters	counters;
	TableScanDesc scan;
	TupleTableSlot *slot;

	if (index != NULL)
		refuse(old, REFUSE_CLUSTER);
	rewrite.store = open_store(old, false);
	/* If no chunk in its TOAST relation counts, numbers may begin anew: its indexes do. */
	if (rewrite.store == NULL)
		return;
	read_counters(old, &counters);
	write_counters(new, &counters);
	rewrite.old = rewrite.store->toast;
	rewrite.new = table_open(new->rd_rel->reltoastrelid, AccessExclusiveLock);
	toast_open_indexes(rewrite.new, AccessExclusiveLock, &rewrite.indexes, &rewrite.nindexes);
	find_outdated(&rewrite);
	/* Chunks keep their visibility, and are frozen where they can be, like the rows of a heap. */
	rewrite.state = begin_heap_rewrite(rewrite.old, rewrite.new, oldest_xmin, *xid_cutoff, *multi_cutoff);
	/* Copies all chunks of the TOAST relation that are not dead to every snapshot. */
	scan = table_beginscan(rewrite.old, SnapshotAny, 0, NULL, 0);
	slot = table_slot_create(rewrite.old, NULL);
	while (table_scan_getnextslot(scan, ForwardScanDirection, slot))
	{
		HeapTuple	tuple = ExecFetchSlotHeapTuple(slot, false, NULL);

		CHECK_FOR_INTERRUPTS();
		if (tuple_is_dead(&rewrite, tuple, ((BufferHeapTupleTableSlot *) slot)->buffer))
			rewrite_heap_dead_tuple(rewrite.state, tuple);
		else
			copy_tuple(&rewrite, tuple);
	}
	ExecDropSingleTupleTableSlot(slot);
	table_endscan(scan);
	end_heap_rewrite(rewrite.state);
	if (rewrite.outdated)
		hash_destroy(rewrite.outdated);
	toast_close_indexes(rewrite.indexes, rewrite.nindexes, NoLock);
	table_close(rewrite.new, NoLock);
	close_store(rewrite.store);
	*num_tuples = rewrite.rows;
	*tups_vacuumed = rewrite.dead;
	*tups_recently_dead = rewrite.recently_dead;
}

void
add_file_callbacks(TableAmRoutine *methods)
{
	methods->relation_set_new_filelocator = relation_set_new_filelocator;
	methods->relation_nontransactional_truncate = relation_nontransactional_truncate;
	methods->relation_copy_data = relation_copy_data;
	methods->relation_copy_for_cluster = relation_copy_for_cluster;
	methods->relation_vacuum = relation_vacuum;
	methods->relation_size = relation_size;
	methods->relation_needs_toast_table = relation_needs_toast_table;
	methods->relation_toast_am = relation_toast_am;
	methods->relation_estimate_size = relation_estimate_size;
}

/*
 * files.c
 *		A table's files: creating, truncating and moving them, and their sizes.
 *
 * NOTES
 *		The main fork has one page (metapage.h) or none; what it says of rows
 *		stands in the TOAST relation, whose files PostgreSQL makes, empties and
 *		moves by itself, before or after.
 */
#include "postgres.h"

#include "store/handler.h"

#include <math.h>

#include "access/multixact.h"
#include "access/table.h"
#include "catalog/pg_am_d.h"
#include "catalog/pg_class_d.h"
#include "catalog/storage.h"
#include "catalog/storage_xlog.h"
#include "compat.h"
#include "storage/bufmgr.h"
#include "storage/smgr.h"
#include "store/blocks.h"
#include "store/metapage.h"
#include "store/pending.h"
#include "store/refuse.h"

/*
 * An unlogged table's init fork is empty, too: after a crash it has no rows, as
 * its TOAST relation has none.  Nothing in the main fork has a transaction id.
 */
void
pprepub_relation_set_new_filelocator(Relation rel, const RelFileLocator *node, char persistence,
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
void
pprepub_relation_nontransactional_truncate(Relation rel)
{
	seal_pending(rel);
	invalidate_rows(rel);
}

/* Copies a fork to the new file, and logs its creation where it has to survive a crash. */
static void
copy_fork(Relation rel, SMgrRelation to, const RelFileLocator *node, ForkNumber fork)
{
	if (fork != MAIN_FORKNUM)
	{
		smgrcreate(to, fork, false);
		if (RelationIsPermanent(rel) || fork == INIT_FORKNUM)
			log_smgrcreate(node, fork);
	}
	RelationCopyStorage(RelationGetSmgr(rel), to, fork, rel->rd_rel->relpersistence);
}

void
pprepub_relation_copy_data(Relation rel, const RelFileLocator *node)
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
		if (smgrexists(RelationGetSmgr(rel), fork))
			copy_fork(rel, to, node, fork);
	RelationDropStorage(rel);
	smgrclose(to);
}

/* ----------------------------------------------------------------
 * Sizes
 * ----------------------------------------------------------------
 */

/* The size that ANALYZE and the planner see: see blocks.h. */
uint64
pprepub_relation_size(Relation rel, ForkNumber fork)
{
	Counters	counters;

	if (fork != MAIN_FORKNUM && fork != InvalidForkNumber)
		return (uint64) smgrnblocks(RelationGetSmgr(rel), fork) * BLCKSZ;
	return read_counters(rel, &counters) ? (uint64) blocks_of(&counters) * BLCKSZ : 0;
}

/* Always true, whatever the columns are: all rows are stored in the TOAST relation. */
bool
pprepub_relation_needs_toast_table(Relation rel)
{
	return true;
}

Oid
pprepub_relation_toast_am(Relation rel)
{
	return HEAP_TABLE_AM_OID;
}

/* The number of blocks of the table's TOAST relation. */
static BlockNumber
toast_blocks(Relation rel)
{
	Relation	toast;
	BlockNumber blocks;

	if (!OidIsValid(rel->rd_rel->reltoastrelid))
		return 0;
	toast = table_open(rel->rd_rel->reltoastrelid, AccessShareLock);
	blocks = RelationGetNumberOfBlocks(toast);
	table_close(toast, AccessShareLock);
	return blocks;
}

/*
 * Pages are those that a scan reads.  How many numbers were given out is known
 * exactly; how many of them have a row, since ANALYZE or VACUUM counted.
 */
void
pprepub_relation_estimate_size(Relation rel, int32 *attr_widths, BlockNumber *pages, double *tuples,
							   double *allvisfrac)
{
	Counters	counters;
	double		numbers = read_counters(rel, &counters) ? (double) numbers_of(&counters) : 0;
	double		reltuples = rel->rd_rel->reltuples;
	BlockNumber relpages = rel->rd_rel->relpages;

	*allvisfrac = 0;
	*pages = numbers > 0 ? toast_blocks(rel) : 0;
	if (numbers > 0 && *pages == 0)
		*pages = 1;
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

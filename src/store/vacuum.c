/*
 * vacuum.c
 *		VACUUM: never writes a row.
 *
 * The TOAST relation is vacuumed, and frozen, by itself.  What is left for us are
 * the figures in pg_class, and index entries of rows that were rolled back: they
 * find nothing, since numbers are never given again, but take room.
 */
#include "postgres.h"

#include "store/handler.h"

#include "access/genam.h"
#include "access/multixact.h"
#include "commands/vacuum.h"
#include "compat.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/procarray.h"
#include "store/census.h"
#include "store/living.h"
#include "store/metapage.h"
#include "store/rownumber.h"
#include "utils/snapmgr.h"

static double
count_rows(Relation rel)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	double		rows = census_rows(take_census(rel, snapshot));

	UnregisterSnapshot(snapshot);
	return rows;
}

static bool
is_dead(ItemPointer tid, void *living)
{
	uint64		row;

	return row_of_tid(tid, &row) && number_is_dead(living, row);
}

/* Deletes an index's entries of dead rows, if these are known, and lets it clean up. */
static void
vacuum_index(Relation rel, Relation index, double rows, const Living *living, BufferAccessStrategy strategy)
{
	IndexVacuumInfo info = {
		.index = index,
		.message_level = DEBUG2,
		.num_heap_tuples = rows,
		.estimated_count = true,
		.strategy = strategy
	};
	IndexBulkDeleteResult *result = NULL;

	set_heaprel(&info, rel);
	if (living != NULL)
		result = index_bulk_delete(&info, NULL, is_dead, unconstify(Living *, living));
	result = index_vacuum_cleanup(&info, result);
	if (result == NULL)
		return;
	if (!result->estimated_count)
		note_size(index, result->num_pages, result->num_index_tuples, false, InvalidTransactionId, InvalidMultiXactId);
	pfree(result);
}

/* Vacuums all indexes; returns how many there are. */
static int
vacuum_indexes(Relation rel, const struct VacuumParams *params, double rows, BufferAccessStrategy strategy)
{
	Relation   *indexes;
	int			nindexes;

	vac_open_indexes(rel, RowExclusiveLock, &nindexes, &indexes);
	if (nindexes > 0 && params->index_cleanup != VACOPTVALUE_DISABLED)
	{
		/* While a merge is under way, dead rows are left to the next VACUUM. */
		Living	   *living = lock_merging(rel, false) ? find_living(rel) : NULL;
		bool		any_dead = living != NULL && any_newly_dead(living);

		for (int i = 0; i < nindexes; i++)
			vacuum_index(rel, indexes[i], rows, any_dead ? living : NULL, strategy);
		if (any_dead || (living != NULL && any_newly_settled(living)))
			note_cleaned(rel, settled_below(living));
	}
	vac_close_indexes(nindexes, indexes, NoLock);
	return nindexes;
}

/*
 * The main fork has no transaction ids, but VACUUM FULL and ALTER TABLE note some
 * in pg_class: they are brought up to date, or they would hold all others back.
 */
void
pprepub_relation_vacuum(Relation rel, struct VacuumParams *params, BufferAccessStrategy strategy)
{
	TransactionId frozen = InvalidTransactionId;
	MultiXactId minmulti = InvalidMultiXactId;
	double		rows = count_rows(rel);
	int			nindexes;
	TimestampTz started pg_attribute_unused() = GetCurrentTimestamp();

	if (TransactionIdIsValid(rel->rd_rel->relfrozenxid))
		frozen = GetOldestNonRemovableTransactionId(rel);
	if (MultiXactIdIsValid(rel->rd_rel->relminmxid))
		minmulti = GetOldestMultiXactId();
	nindexes = vacuum_indexes(rel, params, rows, strategy);
	note_size(rel, RelationGetNumberOfBlocks(rel), rows, nindexes > 0, frozen, minmulti);
	pgstat_report_vacuum(RelationGetRelid(rel), rel->rd_rel->relisshared, (PgStat_Counter) rows, 0, started);
}

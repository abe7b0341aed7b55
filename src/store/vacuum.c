/*
 * vacuum.c
 *		VACUUM: never writes a row.
 *
 * The TOAST relation is vacuumed, and frozen, by itself.  What is left for us are
 * the figures in pg_class.  Index entries of rows that were rolled back stay until
 * the index is rebuilt: their numbers are never given again, so they find nothing.
 */
#include "postgres.h"

#include "store/handler.h"

#include "access/genam.h"
#include "access/multixact.h"
#include "commands/vacuum.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/procarray.h"
#include "store/census.h"
#include "utils/snapmgr.h"

static double
count_rows(Relation rel)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	double		rows = census_rows(take_census(rel, snapshot));

	UnregisterSnapshot(snapshot);
	return rows;
}

static int
vacuum_indexes(Relation rel, const struct VacuumParams *params, double rows, BufferAccessStrategy strategy)
{
	Relation   *indexes;
	int			nindexes;

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
		IndexBulkDeleteResult *result = index_vacuum_cleanup(&info, NULL);

		if (result != NULL)
			pfree(result);
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

	if (TransactionIdIsValid(rel->rd_rel->relfrozenxid))
		frozen = GetOldestNonRemovableTransactionId(rel);
	if (MultiXactIdIsValid(rel->rd_rel->relminmxid))
		minmulti = GetOldestMultiXactId();
	nindexes = vacuum_indexes(rel, params, rows, strategy);
	vac_update_relstats(rel, RelationGetNumberOfBlocks(rel), rows, 0, nindexes > 0,
						frozen, minmulti, NULL, NULL, false);
	pgstat_report_vacuum(RelationGetRelid(rel), rel->rd_rel->relisshared, (PgStat_Counter) rows, 0);
}

/*
 * vacuum.c
 *		Vacuuming one table, as an autovacuum worker does it.
 *
 * NOTES
 *		The session's user is the owner; VACUUM itself sees to it that code of
 *		the table's indexes runs restricted.
 */
#include "serve/answer/vacuum.h"

#include "access/xact.h"
#include "commands/vacuum.h"
#include "nodes/makefuncs.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"

static void
run_vacuum(Oid table, MemoryContext context)
{
	VacuumParams params = {
		.options = VACOPT_VACUUM | VACOPT_PROCESS_TOAST | VACOPT_SKIP_LOCKED,
		.freeze_min_age = -1,.freeze_table_age = -1,
		.multixact_freeze_min_age = -1,.multixact_freeze_table_age = -1,
		.log_min_duration = -1,
		.index_cleanup = VACOPTVALUE_UNSPECIFIED,
		.truncate = VACOPTVALUE_DISABLED,	/* nobody waits for its lock */
		.nworkers = -1
	};
	StartTransactionCommand();
	MemoryContextSwitchTo(context);	/* transactions end in between */
	vacuum(list_make1(makeVacuumRelation(NULL, table, NIL)), &params, GetAccessStrategy(BAS_VACUUM), true);
	CommitTransactionCommand();
}

void
vacuum_table(Oid table)
{
	MemoryContext old = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "vacuum", ALLOCSET_DEFAULT_SIZES);

	PortalContext = context;
	PG_TRY();
	{
		run_vacuum(table, context);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(old);
		FlushErrorState();		/* it will be tried again */
		AbortCurrentTransaction();
	}
	PG_END_TRY();
	PortalContext = NULL;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

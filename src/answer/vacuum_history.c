/*
 * vacuum_history.c
 *		Vacuuming one table, as an autovacuum worker does it.
 *
 * NOTES
 *		VACUUM itself sees to it that code of the table's indexes runs restricted.
 *		Transactions end in it, so whose name it goes under is set outside of them.
 */
#include "answer/vacuum_history.h"

#include "access/xact.h"
#include "answer/optional_work.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"

typedef struct Vacuuming
{
	Oid			table;
	MemoryContext context;		/* transactions end in between */
} Vacuuming;

static void
run_vacuum(void *what)
{
	const Vacuuming *vacuuming = what;
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
	MemoryContextSwitchTo(vacuuming->context);
	vacuum(list_make1(makeVacuumRelation(NULL, vacuuming->table, NIL)), &params, GetAccessStrategy(BAS_VACUUM), true);
	CommitTransactionCommand();
}

void
vacuum_table(Oid table, Oid owner)
{
	Vacuuming	vacuuming = {
		.table = table,
		.context = AllocSetContextCreate(TopMemoryContext, "vacuum", ALLOCSET_DEFAULT_SIZES),
	};
	Oid			user;
	int			security_context;

	GetUserIdAndSecContext(&user, &security_context);
	SetUserIdAndSecContext(owner, security_context);	/* transactions must not start restricted */
	PortalContext = vacuuming.context;
	(void) do_unasked(run_vacuum, &vacuuming);
	PortalContext = NULL;
	SetUserIdAndSecContext(user, security_context);
	MemoryContextDelete(vacuuming.context);
}

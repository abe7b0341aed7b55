/*
 * vacuum_history.c
 *		Vacuuming tables, as an autovacuum worker does it.
 *
 * NOTES
 *		VACUUM itself sees to it that code of the table's indexes runs restricted.
 *		Transactions end in it, so whose name it goes under is set outside of them.
 */
#include "answer/vacuum_history.h"

#include "access/xact.h"
#include "answer/optional_work.h"
#include "commands/vacuum.h"
#include "declare/catalog.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"

/*
 * Of a publication, whose answers are numbered for all to see: when it is
 * vacuumed says nothing about what was answered.
 */
#define ANSWERS_PER_VACUUM 16

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

/* As the table's owner. */
static void
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

/* Each answer replaces a publication's row. */
typedef struct CatalogTable
{
	Oid			table;
	Oid			owner;
} CatalogTable;

static void
find_catalog(void *what)
{
	CatalogTable *catalog = what;

	StartTransactionCommand();
	catalog->table = catalog_relation("catalog_publication");
	catalog->owner = catalog_owner();
	CommitTransactionCommand();
}

void
vacuum_after(const Answer *answer)
{
	CatalogTable catalog = {InvalidOid, InvalidOid};

	if (answer->number % ANSWERS_PER_VACUUM != 0)
		return;
	if (OidIsValid(answer->fold))
		vacuum_table(answer->fold, GetUserId());
	if (do_unasked(find_catalog, &catalog) && OidIsValid(catalog.table))
		vacuum_table(catalog.table, catalog.owner);
}

/*
 * background_work.c
 *		What a worker does between two questions: optional work, which may fail,
 *		and VACUUM of the tables that answers write.
 *
 * NOTES
 *		Workers count nothing into the cumulative statistics, which all may read.
 *		So autovacuum does not learn of the rows that answers replace, and workers
 *		vacuum these tables themselves.
 *
 *		VACUUM runs code of a table's indexes in a restricted context.  It ends
 *		transactions, so the user that it runs as is set outside of them.
 */
#include "answer/answer.h"

#include "access/xact.h"
#include "commands/vacuum.h"
#include "compat.h"
#include "declare/catalog.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/bufmgr.h"
#include "utils/memutils.h"

bool
try_in_background(void (*work) (void *what), void *what)
{
	MemoryContext old = CurrentMemoryContext;
	volatile bool is_done = false;

	PG_TRY();
	{
		work(what);
		is_done = true;
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(old);
		FlushErrorState();		/* the work is tried again, or the next question meets the error */
		AbortCurrentTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
	return is_done;
}

/*
 * Analysts can see the numbers of answers, so a VACUUM after every so many of
 * them tells nothing about what was answered.
 */
#define ANSWERS_PER_VACUUM 16

typedef struct Vacuuming
{
	Oid			table;
	MemoryContext context;		/* transactions end in between */
} Vacuuming;

/* Vacuums one table in a transaction of its own, unless another backend holds its lock. */
static void
run_vacuum(void *what)
{
	const Vacuuming *vacuuming = what;
	VacuumParams params = {
		.options = VACOPT_VACUUM | VACOPT_PROCESS_MAIN | VACOPT_PROCESS_TOAST | VACOPT_SKIP_LOCKED,
		.freeze_min_age = -1, .freeze_table_age = -1,
		.multixact_freeze_min_age = -1, .multixact_freeze_table_age = -1,
		.log_min_duration = -1,
		.index_cleanup = VACOPTVALUE_UNSPECIFIED,
		.truncate = VACOPTVALUE_DISABLED,	/* which would need a stronger lock */
		.nworkers = -1
	};

	StartTransactionCommand();
	MemoryContextSwitchTo(vacuuming->context);
	vacuum_relations(list_make1(makeVacuumRelation(NULL, vacuuming->table, NIL)), &params, GetAccessStrategy(BAS_VACUUM), vacuuming->context);
	CommitTransactionCommand();
}

/* Vacuums a table as its owner does: without these rights, VACUUM would only warn and skip it. */
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
	(void) try_in_background(run_vacuum, &vacuuming);
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

/* Looks up the catalog's table and its owner, in a transaction of its own. */
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
	if (try_in_background(find_catalog, &catalog) && OidIsValid(catalog.table))
		vacuum_table(catalog.table, catalog.owner);
}

/*
 * subtransaction.c
 *		Running code that may fail through no fault of ours.
 */
#include "declare/subtransaction.h"

#include "access/xact.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

/* A parallel worker writes its errors to the server's log, also those that are caught: there is none until the level ends. */
static int
without_workers(void)
{
	int			level = NewGUCNestLevel();

	(void) set_config_option("max_parallel_workers_per_gather", "0", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}

/* Runs the work as PL/pgSQL runs a block with an exception handler; keeps its effects if asked to. */
static ErrorData *
try_work(void (*work) (void *what), void *what, bool is_kept)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	int			level = GetCurrentTransactionNestLevel();
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		int			settings = without_workers();

		work(what);
		AtEOXact_GUC(true, settings);
		if (is_kept)
			ReleaseCurrentSubTransaction();
		else
			RollbackAndReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		/*
		 * First back to where we were: there may be no memory for a copy of the error, which is another error, of our
		 * caller.
		 */
		while (GetCurrentTransactionNestLevel() > level)
			RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return error;
}

ErrorData *
try_in_subtransaction(void (*work) (void *what), void *what)
{
	return try_work(work, what, true);
}

ErrorData *
look_in_subtransaction(void (*work) (void *what), void *what)
{
	return try_work(work, what, false);
}

bool
is_transient(int sqlerrcode)
{
	int			category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return category == ERRCODE_OPERATOR_INTERVENTION || category == ERRCODE_TRANSACTION_ROLLBACK ||
		category == ERRCODE_INSUFFICIENT_RESOURCES || sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE;
}

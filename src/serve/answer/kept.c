/*
 * kept.c
 *		Reading the directory between two questions.
 *
 * LOCKING
 *		The publication is not locked while the fold is read, which takes as long
 *		as an answer: so it is asked for its number of releases before and
 *		afterwards.
 */
#include "serve/answer/kept.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "serve/answer/vacuum.h"
#include "storage/lmgr.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

static Directory *kept = NULL;
static MemoryContext kept_context = NULL;

Directory *
kept_directory(const DeclaredPublication *publication)
{
	return kept != NULL && directory_is_current(kept, publication) ? kept : NULL;
}

void
kept_forget(void)
{
	if (kept_context != NULL)
		MemoryContextDelete(kept_context);
	kept_context = NULL;
	kept = NULL;
}

void
kept_tidy(void)
{
	Oid			table = kept == NULL ? InvalidOid : directory_worn_table(kept);

	if (OidIsValid(table))
		vacuum_table(table);
}

/* As it is committed now; waits for who publishes, and locks nobody out. */
static DeclaredPublication *
look_at_publication(const Question *question)
{
	DeclaredPublication *publication = publication_open(question->name, AccessShareLock);

	unlock_publication_number(question->publication, AccessShareLock);
	return publication;
}

static void
read_directory(const Question *question)
{
	DeclaredPublication *publication = look_at_publication(question);

	kept_forget();
	kept_context = AllocSetContextCreate(TopMemoryContext, "pprepub directory", ALLOCSET_DEFAULT_SIZES);
	PushActiveSnapshot(GetLatestSnapshot());
	kept = directory_read(publication, kept_context);
	PopActiveSnapshot();
	if (!directory_is_current(kept, look_at_publication(question)))
		kept_forget();
}

void
kept_learn(const Question *question)
{
	MemoryContext old = CurrentMemoryContext;

	if (kept != NULL && directory_knows(kept, question->publication))
		return;					/* the last answer was made with it */
	PG_TRY();
	{
		Identity	before;

		StartTransactionCommand();
		act_as(&before, question->owner);
		SPI_connect();
		read_directory(question);
		SPI_finish();
		act_as_before(&before);
		CommitTransactionCommand();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(old);
		FlushErrorState();		/* the next question will meet it, if it is still there */
		AbortCurrentTransaction();
		kept_forget();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(old);
}

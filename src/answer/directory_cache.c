/*
 * directory_cache.c
 *		Reading the directory between two questions.
 *
 * OWNERSHIP
 *		An entry owns its directory, which lives in the entry's own context, which
 *		only forget() deletes.  Callers borrow a directory until the end of the
 *		transaction.  It is forgotten when a transaction that may have
 *		changed it fails, and when the publication has released without it.  A
 *		publication that is dropped leaves its entry behind: nobody asks about its
 *		number again, and of the table nothing but its oid is kept, which is looked
 *		up each time.
 *
 * LOCKING
 *		The publication is not locked while the fold is read, which takes as long
 *		as an answer.  Nor is it asked for afterwards, since the fold is locked by
 *		then: a drop locks the publication first, and the fold after it.  Where a
 *		release came in between, the next question finds that the directory is out
 *		of date.
 */
#include "answer/directory_cache.h"

#include "access/xact.h"
#include "answer/optional_work.h"
#include "answer/worker_registry.h"
#include "executor/spi.h"
#include "history/fold.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

typedef struct Kept
{
	int32		publication;
	Directory  *directory;
	MemoryContext context;
} Kept;

/* The publication that was asked about last comes first. */
static Kept kept[KEPT_PUBLICATIONS];
static int	nkept = 0;

static int
find_kept(int32 publication)
{
	for (int i = 0; i < nkept; i++)
		if (kept[i].publication == publication)
			return i;
	return -1;
}

static void
forget(int i)
{
	MemoryContextDelete(kept[i].context);
	nkept--;
	memmove(&kept[i], &kept[i + 1], sizeof(Kept) * (nkept - i));
}

static void
put_first(Kept entry)
{
	if (nkept == KEPT_PUBLICATIONS)
		forget(nkept - 1);
	memmove(&kept[1], &kept[0], sizeof(Kept) * nkept);
	kept[0] = entry;
	nkept++;
}

Directory *
kept_directory(const DeclaredPublication *publication)
{
	int			i = find_kept(publication->id);
	Kept		entry;

	if (i < 0)
		return NULL;
	entry = kept[i];
	if (!directory_is_current(entry.directory, publication))
	{
		forget(i);
		return NULL;
	}
	memmove(&kept[1], &kept[0], sizeof(Kept) * i);
	kept[0] = entry;
	return entry.directory;
}

void
kept_forget(int32 publication)
{
	int			i = find_kept(publication);

	if (i >= 0)
		forget(i);
}

/* As it is committed now; waits for nobody but who drops it, and locks nobody out. */
static DeclaredPublication *
look_at_publication(const Question *question)
{
	DeclaredPublication *publication = publication_open_number(question->publication, AccessShareLock);

	unlock_publication_number(question->publication, AccessShareLock);
	return publication;
}

/* NULL before the first release, when there is nothing to be found. */
static Directory *
read_directory(const Question *question, MemoryContext context)
{
	DeclaredPublication *publication = look_at_publication(question);
	Directory  *directory = NULL;

	PushActiveSnapshot(GetLatestSnapshot());
	if (OidIsValid(fold_of(publication)))
		directory = directory_read(publication, context);
	PopActiveSnapshot();
	return directory;
}

typedef struct Learning
{
	const Question *question;
	MemoryContext context;
	Directory  *directory;
} Learning;

static void
learn(void *what)
{
	Learning   *learning = what;
	Identity	before;

	StartTransactionCommand();
	act_as(&before, learning->question->owner);
	SPI_connect();
	learning->directory = read_directory(learning->question, learning->context);
	SPI_finish();
	act_as_before(&before);
	CommitTransactionCommand();
}

void
kept_learn(const Question *question)
{
	Learning	learning = {.question = question};

	if (find_kept(question->publication) >= 0)
		return;					/* the last answer was made with it */
	learning.context = AllocSetContextCreate(TopMemoryContext, "pprepub directory", ALLOCSET_DEFAULT_SIZES);
	if (do_unasked(learn, &learning) && learning.directory != NULL)
		put_first((Kept) {question->publication, learning.directory, learning.context});
	else
		MemoryContextDelete(learning.context);
}

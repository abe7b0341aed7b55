/*
 * directory_cache.c
 *		The directories that a worker keeps from one question to the next: of the
 *		publications that it answered about last, where in the fold people are.
 *
 * OWNERSHIP
 *		An entry owns its directory, which lives in the entry's own context, which
 *		only evict() deletes.  Callers borrow a directory until the end of the
 *		transaction.  It is evicted when a transaction that may have
 *		changed it fails, and when the publication has released without it.  A
 *		publication that is dropped leaves its entry behind: its number is not asked
 *		about again, and of the table nothing but its oid is kept, which is looked
 *		up each time.
 *
 * LOCKING
 *		The publication is not locked while the fold is read, which takes as long
 *		as an answer.  It is not locked afterwards either, since the fold is
 *		locked by then: a drop locks the publication first, and the fold after it.
 *		If a release comes in between, the next question finds that the directory
 *		is out of date.
 */
#include "answer/answer.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "history/fold.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

typedef struct CachedDirectory
{
	int32		publication;
	Directory  *directory;
	MemoryContext context;
} CachedDirectory;

/* Most recently asked about first; the last one is evicted when there are too many. */
static CachedDirectory cache[CACHED_PUBLICATIONS];
static int	ncached = 0;

static int
find_cached(int32 publication)
{
	for (int i = 0; i < ncached; i++)
		if (cache[i].publication == publication)
			return i;
	return -1;
}

static void
evict(int i)
{
	MemoryContextDelete(cache[i].context);
	ncached--;
	memmove(&cache[i], &cache[i + 1], sizeof(CachedDirectory) * (ncached - i));
}

static void
put_first(CachedDirectory entry)
{
	if (ncached == CACHED_PUBLICATIONS)
		evict(ncached - 1);
	memmove(&cache[1], &cache[0], sizeof(CachedDirectory) * ncached);
	cache[0] = entry;
	ncached++;
}

Directory *
cached_directory(const DeclaredPublication *publication)
{
	int			i = find_cached(publication->id);
	CachedDirectory entry;

	if (i < 0)
		return NULL;
	entry = cache[i];
	if (!directory_is_current(entry.directory, publication))
	{
		evict(i);
		return NULL;
	}
	memmove(&cache[1], &cache[0], sizeof(CachedDirectory) * i);
	cache[0] = entry;
	return entry.directory;
}

void
forget_directory(int32 publication)
{
	int			i = find_cached(publication);

	if (i >= 0)
		evict(i);
}

/* The publication as it is committed now.  The lock conflicts with a drop only, and is released at once (LOCKING). */
static DeclaredPublication *
look_at_publication(const Question *question)
{
	DeclaredPublication *publication = publication_open_number(question->publication, AccessShareLock);

	unlock_publication_number(question->publication, AccessShareLock);
	return publication;
}

/* NULL before the first release: there is no fold then. */
static Directory *
read_directory(const Question *question, MemoryContext context)
{
	DeclaredPublication *publication = look_at_publication(question);
	Directory  *directory = NULL;

	PushActiveSnapshot(GetLatestSnapshot());
	if (OidIsValid(past_table(publication, NEIGHBORHOODS_TABLE)))
		directory = directory_read(publication, context);
	PopActiveSnapshot();
	return directory;
}

typedef struct ReadDirectory
{
	const Question *question;
	MemoryContext context;
	Directory  *directory;
} ReadDirectory;

/* Runs in a transaction of its own. */
static void
read_in_background(void *what)
{
	ReadDirectory *reading = what;
	Identity	before;

	StartTransactionCommand();
	act_as(&before, reading->question->owner);
	SPI_connect();
	reading->directory = read_directory(reading->question, reading->context);
	SPI_finish();
	act_as_before(&before);
	CommitTransactionCommand();
}

void
cache_directory(const Question *question)
{
	ReadDirectory reading = {.question = question};

	if (find_cached(question->publication) >= 0)
		return;					/* and kept up to date by the answer */
	reading.context = AllocSetContextCreate(TopMemoryContext, "pprepub directory", ALLOCSET_DEFAULT_SIZES);
	if (try_in_background(read_in_background, &reading) && reading.directory != NULL)
		put_first((CachedDirectory) {question->publication, reading.directory, reading.context});
	else
		MemoryContextDelete(reading.context);
}

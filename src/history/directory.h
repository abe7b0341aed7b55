/*
 * directory.h
 *		Where in the fold people are: a look-up by key that outlives the
 *		transaction, for a process that answers again and again.
 *
 * It keeps hashes of keys and where rows stand, some fifteen bytes a person, so
 * that an answer reads the neighborhoods it touches and no others.
 */
#ifndef PPREPUB_HISTORY_DIRECTORY_H
#define PPREPUB_HISTORY_DIRECTORY_H

#include "postgres.h"

#include "declare/publication.h"
#include "executor/tuptable.h"
#include "frame/key_table.h"
#include "storage/itemptr.h"

typedef struct Directory Directory;

/* A neighborhood's row, and its number, by which it is recognised there. */
typedef struct NeighborhoodRef
{
	ItemPointerData tid;
	uint32		index;			/* in the directory */
	int64		number;
} NeighborhoodRef;

typedef struct NeighborhoodRefs
{
	uint32		n;
	NeighborhoodRef *refs;		/* [n] in the order of the table */
	ItemPointerData *tids;		/* [n] theirs */
} NeighborhoodRefs;

/* As the owner, inside SPI, under the active snapshot: reads the whole fold, if there is one. */
extern Directory *directory_read(const DeclaredPublication *publication, MemoryContext context);

/* Does it know all that the publication, which is locked, has released?  Not before there is a fold. */
extern bool directory_is_current(const Directory *directory, const DeclaredPublication *publication);

/*
 * The neighborhoods of those of these people whom it knows.  Some may be of
 * others only, who have the same hash; and there is one unless it knows nobody.
 */
extern NeighborhoodRefs directory_find(const Directory *directory, const KeyTable *people);

/* Numbers given so far. */
extern int64 directory_last_number(const Directory *directory);
extern int64 directory_last_invented(const Directory *directory);

/*
 * What a release changes: neighborhoods are forgotten before their members are
 * added as others, and it advances when all are.  When its transaction aborts,
 * the directory is wrong and must be deleted, with its context.
 */
extern void directory_add(Directory *directory, TupleTableSlot *slot);
extern void directory_forget(Directory *directory, uint32 index);
extern void directory_advance(Directory *directory, int32 releases, int64 newcomers);

#endif							/* PPREPUB_HISTORY_DIRECTORY_H */

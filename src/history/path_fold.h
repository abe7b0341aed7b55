/*
 * path_fold.h
 *		Where everybody was, kept beside the log for methods that follow people
 *		one by one.
 *
 * A plain table of TARGET_private, NAME_paths.  It is a fold of the log that is
 * only ever appended to: rebuild_history() makes it anew and compares.  People
 * have numbers, from 0 on, in the order that they were first published.  A row is
 * a block of classes of one release: the keys of who is new in it, the classes'
 * sizes, and for each of their rows the person's number, or the negative of an
 * invented row's, and which of the block's values it showed.  So a release writes
 * few and long rows, and reads the keys of all people, but only as many blocks as
 * it takes to find who is in the source.
 */
#ifndef PPREPUB_HISTORY_PATH_FOLD_H
#define PPREPUB_HISTORY_PATH_FOLD_H

#include "postgres.h"

#include "frame/load.h"
#include "history/element.h"
#include "history/paths.h"

/* The fold's columns. */
enum
{
	PATHS_RELEASE,
	PATHS_PEOPLE,				/* so many people, invented rows and rows in all */
	PATHS_INVENTED,				/* there are up to the end of the block */
	PATHS_ROWS,
	PATHS_KEYS,
	PATHS_SIZES,
	PATHS_MEMBERS,
	PATHS_SHOWN,				/* places in the values, from 0 on; -1 for NULL */
	PATHS_VALUES,
	PATHS_COLUMNS
};

/* How many there are, up to some place. */
typedef struct PathCounts
{
	int64		people;
	int64		invented;
	int64		rows;
} PathCounts;

typedef struct PathFold PathFold;

/* The table, or InvalidOid before the first release; and made when it is not there yet. */
extern Oid	path_fold_of(const DeclaredPublication *publication);
extern Oid	path_fold_ensure(const DeclaredPublication *publication);

/* As the owner, inside SPI, under the active snapshot; all is allocated in the context given. */
extern PathFold *path_fold_read(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context);

/* What methods see of it, once the frame has its codes. */
extern const Paths *path_fold_paths(PathFold *fold, const LoadedFrame *loaded);

/* What a release adds to. */
extern const DeclaredPublication *path_fold_publication(const PathFold *fold);
extern PathCounts path_fold_counts(const PathFold *fold);
extern uint32 path_fold_person(const PathFold *fold, RowId row);	/* a number, or NO_KEY */

/*
 * A row of the fold, which is borrowed; raises an error if it is malformed in
 * itself, or is not what must come after the last one.
 */
typedef struct PathBlock
{
	int32		release;
	PathCounts	end;
	ArrayType  *keys;
	int			nclasses;
	const int32 *sizes;
	int			nrows;
	const int32 *members;
	const int32 *shown;
	ArrayType  *values;
	int			nvalues;
} PathBlock;

extern void read_block(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block);

#endif							/* PPREPUB_HISTORY_PATH_FOLD_H */

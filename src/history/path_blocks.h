/*
 * path_blocks.h
 *		The table of paths, block by block.
 *
 * A plain table of TARGET_private, NAME_paths.  It is a fold of the log that is
 * only ever appended to: rebuild_history() makes it anew and compares.  People
 * have numbers, from 0 on, in the order that they were first published.  A row is
 * a block of classes of one release: the keys of who is new in it, the classes'
 * sizes, and for each of their rows the person's number, or the negative of an
 * invented row's, and which of the block's values it showed.  So a release writes
 * few and long rows, and reads the keys of all people, but only as many blocks as
 * it takes to find who is in the source; of the others, the numbers of who was in
 * which class, where that matters.
 *
 * Of methods that ask for all classes of everybody, a row also has what these had
 * told of each of its people by then (see told.h), so that the last one suffices
 * for most people.  It is about the values that are protected now: where others
 * are protected, path_recount.c writes all of it anew.
 */
#ifndef PPREPUB_HISTORY_PATH_BLOCKS_H
#define PPREPUB_HISTORY_PATH_BLOCKS_H

#include "postgres.h"

#include "declare/publication.h"
#include "executor/tuptable.h"
#include "storage/itemptr.h"
#include "utils/array.h"

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
	PATHS_TOLD,					/* of members, 0 for invented rows; NULL where nobody asks */
	PATHS_COLUMNS
};

/* How many there are, up to some place. */
typedef struct PathCounts
{
	int64		people;
	int64		invented;
	int64		rows;
} PathCounts;

/* The table, or InvalidOid before the first release; and made when it is not there yet. */
extern Oid	path_table_of(const DeclaredPublication *publication);
extern Oid	path_table_ensure(const DeclaredPublication *publication);

/* Has it what was told of people? */
extern bool keeps_told(const DeclaredPublication *publication);

extern void pg_attribute_noreturn() path_blocks_refuse(const DeclaredPublication *publication);

/* A row of the fold, which is borrowed; raises an error if it is malformed in itself. */
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
	const int32 *told;			/* NULL where nobody asks */
} PathBlock;

extern void read_block(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block);

/* The same, but only who was in which class; or that and what was shown; or, of a block read so, what was told. */
extern void read_block_members(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block);
extern void read_block_shown(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block);
extern void read_block_told(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block);

/*
 * What a class tells of its members, by what each of its rows showed; count, of
 * the block's values, is 0 before and after.
 */
extern int32 told_by_shown(const int32 *shown, uint64 size, const bool *is_protected, uint32 *count);

/*
 * Where blocks stand, in the order in which people were numbered: where a table
 * was mended, they stand where there was space.
 */
typedef struct BlockPlace
{
	ItemPointerData tid;
	int32		release;
	PathCounts	end;
} BlockPlace;

typedef struct PathBlocks
{
	const DeclaredPublication *publication;
	uint32		n;
	uint32		allocated;
	BlockPlace *place;
} PathBlocks;

/* None before the first release. */
extern void path_blocks_find(const DeclaredPublication *publication, PathBlocks *blocks);

/* Until a visit says no. */
extern void path_blocks_visit(const PathBlocks *blocks, bool newest_first,
							  bool (*visit) (void *what, TupleTableSlot *slot), void *what);

#endif							/* PPREPUB_HISTORY_PATH_BLOCKS_H */

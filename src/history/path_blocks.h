/*
 * path_blocks.h
 *		The table of paths, block by block.
 *
 * A plain table of TARGET_private, NAME_paths.  It is a fold of the log that is
 * only ever appended to: rebuild_history() makes it anew and compares.  People
 * have numbers, from 0 on, in the order that they were first published.  A row is
 * a block of classes of one release: the keys of people who are new in it, the
 * classes' sizes, and for each of their rows the person's number, or the negative
 * of an invented row's, and which of the block's values it showed.  Thus a release
 * writes few and long rows, and reads the keys of all people, but only as many
 * blocks as it takes to find the people of the source; of the other blocks, only
 * the numbers of the people in each class, where that matters.
 *
 * With methods that ask for all classes of each person, a row also has what these
 * had disclosed of each of its people by then (see disclosure.h), so that the last
 * one suffices for most people.  It is about the values that are protected now:
 * where others are protected, paths_recount() writes all of it anew.
 */
#ifndef PPREPUB_HISTORY_PATH_BLOCKS_H
#define PPREPUB_HISTORY_PATH_BLOCKS_H

#include "postgres.h"

#include "history/past_tables.h"
#include "storage/itemptr.h"
#include "utils/array.h"

/* The numbers of all that there is up to some place. */
typedef struct PathCounts
{
	int64		people;
	int64		invented;
	int64		rows;
} PathCounts;

/* Does the table say what was disclosed of people? */
extern bool keeps_disclosures(const DeclaredPublication *publication);

/* A row of the table, which is borrowed. */
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
	const int32 *disclosed;		/* NULL where the method does not ask */
} PathBlock;

/* Raises an error if the row is malformed in itself. */
extern void read_block(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block);

/*
 * Parts of a block only: the members of its classes; these and what they showed;
 * or, of a block that was read so, what was disclosed of them.
 */
extern void read_block_members(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block);
extern void read_block_shown(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block);
extern void read_block_disclosed(const DeclaredPublication *publication, TupleTableSlot *slot, PathBlock *block);

/*
 * The disclosure of a class, by what each of its rows showed; count, of the
 * block's values, is 0 before and after.
 */
extern int32 disclosure_by_shown(const int32 *shown, uint64 size, const bool *is_protected, uint32 *count);

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

/* Finds all blocks; none before the first release. */
extern void path_blocks_find(const DeclaredPublication *publication, PathBlocks *blocks);

/* Blocks are visited until a visit returns false. */
extern void path_blocks_visit(const PathBlocks *blocks, bool newest_first,
							  bool (*visit) (void *what, TupleTableSlot *slot), void *what);

/* Raises an error if any block is malformed. */
extern void path_blocks_verify(const DeclaredPublication *publication);

#endif							/* PPREPUB_HISTORY_PATH_BLOCKS_H */

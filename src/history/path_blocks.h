/*
 * path_blocks.h
 *		The table of paths, block by block.
 *
 * A plain table of TARGET_private, NAME_paths.  It is a fold of the log that is only ever appended to:
 * rebuild_history() makes it anew and compares.  People have numbers, from 0 on, in the order that they were first
 * published.  A row is a block of classes of one release: the keys of people who are new in it, the classes' sizes,
 * and for each of their rows the person's number, or the negative of an invented row's, and which of the block's
 * values it showed.  Thus a release writes few and long rows, and reads the keys of all people, but only as many
 * blocks as it takes to find the people of the source; of the other blocks, only the numbers of the people in each
 * class, where that matters.
 *
 * With methods that ask for all classes of each person, a row also has what these had disclosed of each of its people
 * by then (see past.h), so that the last one suffices for most people.  It is about the values that are protected
 * now: where others are protected, paths_recount() (rebuild.h) writes all of it anew.
 */
#ifndef PPREPUB_HISTORY_PATH_BLOCKS_H
#define PPREPUB_HISTORY_PATH_BLOCKS_H

#include "postgres.h"

#include "frame/load.h"
#include "history/element.h"
#include "history/past.h"
#include "history/past_tables.h"
#include "history/rows.h"
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
#define keeps_disclosures(publication) keeps_past(publication, PAST_PATHS)

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
 * The disclosure of a class, by what each of its rows showed; count, of the block's values, is 0 before and after.
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

/* ---- Gathering the classes of releases into rows of the table ---- */

typedef struct BlockWriter
{
	RowWriter  *table;
	Element		key;
	Element		sensitive;
	bool		keeps_disclosures;
	int32		release;		/* set by the caller, between blocks */
	PathCounts	counts;			/* up to the last row that was added */
	bool		any_block;

	/* The block at hand */
	uint64		nkeys;
	uint64		nclasses;
	uint64		nrows;
	uint64		allocated;		/* of each of these */
	Datum	   *keys;
	int32	   *sizes;
	int32	   *members;
	int32	   *shown;
	int32	   *disclosed;
	int32		nvalues;
	int32	   *place;			/* [codes] in the block's values, or -1 */
	Datum	   *values;			/* [codes] */
	Code	   *codes;			/* [nvalues] */
	bool	   *is_protected;	/* [nvalues] */
	uint32	   *count;			/* [nvalues] in the class at hand, 0 between uses */
} BlockWriter;

/* The table, whose columns are those that rows are written with. */
extern Oid	path_table_ready(const DeclaredPublication *publication);

/* Opens a table for blocks without rows; and makes room for rows with so many different values. */
extern void blocks_open(BlockWriter *writer, Oid table, const DeclaredPublication *publication);
extern void blocks_prepare(BlockWriter *writer, Code ncodes);

/* The next number of a person, with the key; that of an invented row that comes next. */
extern int32 blocks_add_person(BlockWriter *writer, Datum key);
extern int32 blocks_add_invented(BlockWriter *writer);

/* A class: room for so many rows, then each of them, then the end. */
extern void blocks_make_room(BlockWriter *writer, uint64 rows);
extern void blocks_add_row(BlockWriter *writer, int32 member, Code code, Datum value, bool is_protected);
extern void blocks_end_class(BlockWriter *writer, uint64 size);

/* Before its end: what a class has disclosed, and where it is told what was disclosed of each member. */
extern int32 *blocks_disclose(BlockWriter *writer, uint64 size, int32 *by_class);

/* Ends a release, which has a block though without rows; and all. */
extern void blocks_end_release(BlockWriter *writer);
extern void blocks_close(BlockWriter *writer);

/* ---- paths_read.c: people who are in the source, found by their keys, and their classes ---- */

/* The past as it is read; publication, counts, person and disclosed are for those who add to it. */
typedef struct PathReader
{
	const DeclaredPublication *publication;
	FrameLoad  *load;
	MemoryContext context;
	Element		key;
	Element		sensitive;
	bool		last_only;
	uint64		nrows;			/* of the load */

	/* People */
	PathCounts	counts;
	RowId	   *row;			/* [people] in the source, or NO_ROW */
	uint32	   *person;			/* [nrows] or NO_KEY */
	uint64	   *wanted;			/* [people] a bit for each whose steps are wanted: most blocks have hardly any of them */
	uint64		to_find;		/* people whose last step is not known yet */
	int32	   *disclosed;		/* [nrows] by all steps; NULL where the method does not ask */

	ElementRoom room;			/* for a block's keys and values */

	/* Steps as they are found: values are numbers of the load's dictionary */
	Paths		paths;
	uint32		allocated_classes;
	uint64		allocated_values;
	uint64		nsteps;
	uint64		allocated_steps;
	RowId	   *step_row;
	uint32	   *step_class;
	Code	   *step_shown;

	/* Companies, if they are wanted */
	CompanyFinder *companies;
	uint32		degree;			/* of the method */
	uint32	   *nvalues;		/* [nrows] different ones that a person's last class shows */
	RowId	   *here;			/* [here_allocated] of the class at hand */
	uint64		here_allocated;
} PathReader;

/* To be opened as the owner, inside SPI, under the active snapshot; all is allocated in the context given. */
extern PathReader *path_reader_open(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context);

/* The past as methods see it, once the frame has its codes. */
extern const Paths *path_reader_paths(PathReader *reader, const LoadedFrame *loaded);
extern const Companies *path_reader_companies(PathReader *reader);	/* or NULL */

/* ---- paths_write.c: writing the classes of a release ---- */

typedef struct PathWriter PathWriter;

/* To be opened as the owner, inside SPI, after path_reader_paths(). */
extern PathWriter *path_writer_open(const PathReader *reader, const LoadedFrame *loaded, int32 release);

/* A class: the rows of its people, and what its invented rows show, which are numbered as they come. */
extern void path_writer_add(PathWriter *writer, const RowId *rows, uint64 nrows,
							const Code *invented, uint64 ninvented);

/* People and invented rows that were new. */
extern uint64 path_writer_close(PathWriter *writer);

/*
 * All that is kept beside the log, made when it is not there yet, for a release of
 * which nothing is known, or in which no person is: as the owner, inside SPI.
 */
extern void past_skip(const DeclaredPublication *publication, int32 release);

#endif							/* PPREPUB_HISTORY_PATH_BLOCKS_H */

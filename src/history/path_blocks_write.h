/*
 * path_blocks_write.h
 *		Gathering the classes of releases into rows of the table of paths.
 */
#ifndef PPREPUB_HISTORY_PATH_BLOCKS_WRITE_H
#define PPREPUB_HISTORY_PATH_BLOCKS_WRITE_H

#include "postgres.h"

#include "history/element.h"
#include "history/path_blocks.h"
#include "history/writer.h"

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

/* The next number of a person, with the key; that of an invented row that comes next; one that an invented row has. */
extern int32 blocks_add_person(BlockWriter *writer, Datum key);
extern int32 blocks_add_invented(BlockWriter *writer);
extern void blocks_note_invented(BlockWriter *writer, int64 number);

/* A class: room for so many rows, then each of them, then the end. */
extern void blocks_make_room(BlockWriter *writer, uint64 rows);
extern void blocks_add_row(BlockWriter *writer, int32 member, Code code, Datum value, bool is_protected);
extern void blocks_end_class(BlockWriter *writer, uint64 size);

/* Before its end: what a class has disclosed, and where it is told what was disclosed of each member. */
extern int32 *blocks_disclose(BlockWriter *writer, uint64 size, int32 *by_class);

/* Ends a release, which has a block though without rows; and all. */
extern void blocks_end_release(BlockWriter *writer);
extern void blocks_close(BlockWriter *writer);

#endif							/* PPREPUB_HISTORY_PATH_BLOCKS_WRITE_H */

/*
 * load_private.h
 *		A load in progress: what load.c and load_finish.c share.
 */
#ifndef PPREPUB_FRAME_LOAD_PRIVATE_H
#define PPREPUB_FRAME_LOAD_PRIVATE_H

#include "postgres.h"

#include "frame/load.h"
#include "tcop/dest.h"

/* A column of the source on its way into the frame. */
typedef struct LoadingColumn
{
	const DeclaredColumn *column;
	const StoredTree *tree;		/* or NULL */
	int16		word;			/* its length if it is passed by value, or 0 */
	Dictionary *dictionary;		/* NULL for the key */
	uint32	   *number;			/* [capacity] the dictionary's numbers */
} LoadingColumn;

struct FrameLoad
{
	DestReceiver receiver;		/* must be first */
	const DeclaredPublication *publication;
	const char *condition;		/* or NULL */
	const bool *shown;
	MemoryContext context;

	int			ncolumns;
	LoadingColumn *columns;
	int			key;			/* a column */
	KeyTable   *keys;			/* rows by their keys */

	uint64		nrows;
	uint64		nasked;			/* the first of them; all others are helpers */
	uint64		nregistered;	/* the last of them, who are not in the source */
	bool		is_registry;	/* is it read at the moment? */
	uint64		capacity;
	uint64		null_keys;

	/* Values that are protected: numbers of the sensitive column; NULL for all */
	uint32	   *protected;
	uint64		nprotected;

	/* For answers: a row that cannot be shown is left out, rather than an error */
	bool		is_lenient;
	uint64		left_out;		/* of the rows asked for */
};

#endif							/* PPREPUB_FRAME_LOAD_PRIVATE_H */

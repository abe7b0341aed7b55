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
	int16		word;			/* the type's length if passed by value, or 0 */
	Dictionary *dictionary;		/* NULL for the key */
	uint32	   *number;			/* [capacity] the dictionary's numbers */
	bool		is_layout_only; /* newcomers are laid out by it, but the frame does not have it */
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
	const LoadingColumn *leaves;	/* or NULL */
	KeyTable   *keys;			/* rows by their keys */

	uint64		nrows;
	uint64		nasked;			/* rows asked for, which come first; others are helpers */
	uint64		nregistered;	/* rows from a registry only, which come last */
	bool		is_registry;	/* is a registry being read? */
	uint64		capacity;
	uint64		null_keys;

	/* Numbers of the protected sensitive values, or NULL for all */
	uint32	   *protected;
	uint64		nprotected;

	/* Answers leave a row out that cannot be shown, instead of raising an error */
	bool		is_lenient;
	uint64		left_out;		/* of the rows asked for */

	/* The distribution that people are compared with, and the numbers of its values; or NULL */
	const Shares *shares;
	uint32	   *share_number;	/* [shares->n] */

	bool		is_exact;		/* codes stand for values, also where releases show bins */
};

extern const LoadingColumn *load_sensitive_column(const FrameLoad *load);

/* The aspects of n sensitive values, by the numbers of which code gives theirs; with shares, if there are any. */
extern const Aspects *load_aspects(const FrameLoad *load, const SensitiveColumns *columns, const Code *code, Code n);

#endif							/* PPREPUB_FRAME_LOAD_PRIVATE_H */

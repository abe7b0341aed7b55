/*
 * column.h
 *		What a column's bytes begin with.
 */
#ifndef PPREPUB_STORE_ENCODING_COLUMN_H
#define PPREPUB_STORE_ENCODING_COLUMN_H

#include "store/encoding/nulls.h"
#include "store/encoding/sequence.h"

#define COLUMN_VERSION 1

/* The repetitions of a column's values: which of them are stored. */
typedef enum Repeats
{
	REPEATS_NONE,				/* each */
	REPEATS_ALL,				/* one for all */
	REPEATS_RUNS				/* one a run */
} Repeats;

/*
 * Then come the sections of NULLs, runs and the sequence of values, those of
 * them that there are.
 */
typedef struct ColumnHeader
{
	uint8		version;
	uint8		nulls;			/* NullsForm */
	uint8		repeats;		/* Repeats */
	uint8		has_dictionary;
	uint32		nvalues;		/* rows that are not NULL */
} ColumnHeader;

#endif							/* PPREPUB_STORE_ENCODING_COLUMN_H */

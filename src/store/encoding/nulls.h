/*
 * nulls.h
 *		Which rows are NULL, and how many values come before a row.
 *
 * Only what is not NULL is encoded as a value; the first of a column's values
 * may so belong to any row.
 */
#ifndef PPREPUB_STORE_ENCODING_NULLS_H
#define PPREPUB_STORE_ENCODING_NULLS_H

#include "store/encoding/runs.h"

/* The form of the section, as stored in the column's header. */
typedef enum NullsForm
{
	NULLS_NONE,
	NULLS_ALL,
	NULLS_BITMAP,
	NULLS_RUNS
} NullsForm;

typedef struct NullsPlan
{
	NullsForm	form;
	uint32		nrows;
	uint32		nvalues;		/* rows that are not NULL */
	const bool *nulls;			/* borrowed */
	RunsPlan	runs;
} NullsPlan;

/* nulls may be NULL. */
extern void nulls_measure(NullsPlan *plan, const bool *nulls, uint32 nrows);
extern void nulls_write(Output *out, const NullsPlan *plan);

typedef struct NullsReader
{
	const EncodedBytes *bytes;	/* borrowed */
	NullsForm	form;
	uint32		nrows;
	uint32		nvalues;
	const uint32 *ranks;		/* borrowed; for each vector, the values before it */
	const uint8 *bitmap;		/* borrowed */
	bool		begins;			/* is the first run one of NULLs? */
	RunsReader	runs;
} NullsReader;

extern const char *nulls_open(NullsReader *reader, Input *in, NullsForm form, uint32 nrows,
							  uint32 nvalues);

/*
 * Sets, for the first n rows of a vector, the NULLs, the number of values
 * before the vector, and the number of these rows that have a value.
 */
extern const char *nulls_read(const NullsReader *reader, uint32 vector, uint32 n, bool *nulls,
							  uint32 *before, uint32 *count);

#endif							/* PPREPUB_STORE_ENCODING_NULLS_H */

/*
 * tables.h
 *		Tables made of columns, for the encodings' bench, and what heap takes for
 *		them.
 */
#ifndef PPREPUB_BENCH_ENCODING_TABLES_H
#define PPREPUB_BENCH_ENCODING_TABLES_H

#include "postgres.h"

#include "store/encoding/encoding.h"

typedef struct EncodedColumn
{
	const char *name;
	ColumnShape shape;
	Datum	   *values;			/* [rows of the table] */
	bool	   *nulls;			/* or NULL */
} EncodedColumn;

#define MAX_COLUMNS 8

typedef struct Table
{
	const char *name;
	uint32		nrows;
	int			ncolumns;
	EncodedColumn columns[MAX_COLUMNS];
} Table;

/* A release of census-like rows as it is published: class by class, cells printed. */
extern Table census_release(uint32 nrows, uint32 k, uint32 l);

/* Makes what is remembered of so many releases of the same people. */
extern Table history(uint32 nreleases, uint32 nkeys);

/* Bytes of all pages that heap fills with the rows. */
extern uint64 heap_bytes(const Table *table);

extern const ColumnShape shape_int4;
extern const ColumnShape shape_int8;
extern const ColumnShape shape_text;
extern Datum text_datum(const char *text);

/* A generator of numbers, the same in every run. */
extern uint64 draw_bits(void);
extern uint32 draw_below(uint32 n);

#endif							/* PPREPUB_BENCH_ENCODING_TABLES_H */

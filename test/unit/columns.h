/*
 * columns.h
 *		Columns of all shapes, drawn at random, for those who encode them.
 */
#ifndef PPREPUB_TEST_COLUMNS_H
#define PPREPUB_TEST_COLUMNS_H

#include "store/encoding/encoding.h"

/* A generator of numbers, the same in every run (xorshift). */
extern uint64 draw_state;
extern uint64 draw_bits(void);
extern uint32 draw(uint32 n);

typedef struct TestColumn
{
	ColumnShape shape;
	uint32		nrows;
	Datum	   *values;
	bool	   *nulls;			/* may be NULL */
} TestColumn;

/* Draws a column of at most so many rows, of any shape or of one. */
extern TestColumn draw_column(uint32 most);
extern TestColumn draw_column_of(ColumnShape shape, uint32 most);

/* How many shapes there are, and one of them. */
extern int	shapes(void);
extern ColumnShape shape_number(int i);

/* A value of a shape that a number stands for; the same each time. */
extern Datum value_of(const ColumnShape *shape, uint64 number, int style);

/* Is a decoded value that which was encoded, and does it stand as PostgreSQL wants it? */
extern bool same_datum(const ColumnShape *shape, Datum a, Datum b);
extern bool stands_well(const ColumnShape *shape, Datum value);

/* The bytes, somewhere where the sanitizer sees their ends. */
extern EncodedBytes place_bytes(const char *bytes, Size length);

/* Adds up all bytes of a value, so that none is out of reach. */
extern uint64 touch_datum(const ColumnShape *shape, Datum value);

#endif							/* PPREPUB_TEST_COLUMNS_H */

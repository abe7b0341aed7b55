/*
 * values.h
 *		A sequence of values: integers, if they are passed by value, else items.
 */
#ifndef PPREPUB_STORE_ENCODING_VALUES_H
#define PPREPUB_STORE_ENCODING_VALUES_H

#include "store/encoding/items.h"
#include "store/encoding/packed.h"

typedef struct Values
{
	const ColumnShape *shape;	/* borrowed */
	uint32		n;
	uint64	   *numbers;		/* one of the two */
	Item	   *items;
} Values;

/* An array of n values; functions that put a value into it, and copy one from elsewhere. */
extern Values values_create(const ColumnShape *shape, uint32 n);
extern void values_set(Values *values, uint32 i, Datum value);

static inline void
values_copy(Values *to, uint32 i, const Values *from, uint32 j)
{
	if (to->numbers != NULL)
		to->numbers[i] = from->numbers[j];
	else
		to->items[i] = from->items[j];
}

typedef struct ValuesPlan
{
	const Values *values;		/* borrowed */
	PackedPlan	numbers;
	ItemsPlan	items;
	uint64		size;
} ValuesPlan;

extern void values_measure(ValuesPlan *plan, const Values *values);
extern void values_write(Output *out, const ValuesPlan *plan);

typedef struct ValuesReader
{
	const ColumnShape *shape;	/* borrowed */
	uint32		n;
	PackedReader numbers;
	ItemsReader items;
} ValuesReader;

extern const char *values_open(ValuesReader *reader, Input *in, const ColumnShape *shape, uint32 n);

/* Reads some values; of integers, at most ENCODING_VECTOR. */
extern const char *values_read(const ValuesReader *reader, uint32 from, uint32 n, MemoryContext context,
							   Datum *values);
extern const char *values_verify(const ValuesReader *reader, MemoryContext scratch);

#endif							/* PPREPUB_STORE_ENCODING_VALUES_H */

/*
 * values.c
 *		A sequence of values: integers, if they are passed by value, else items.
 *
 * NOTES
 *		A Datum that is narrower than 8 bytes is taken for a signed integer, as when
 *		a tuple is read: what a Datum has above its type's bytes says nothing.
 */
#include "postgres.h"

#include "store/encoding/values.h"

Values
values_create(const ColumnShape *shape, uint32 n)
{
	Values		values = {.shape = shape, .n = n};

	if (shape->typbyval)
		values.numbers = palloc(sizeof(uint64) * Max(n, 1));
	else
		values.items = palloc(sizeof(Item) * Max(n, 1));
	return values;
}

/* A value passed by value as a number, its sign extended. */
static inline uint64
number_of(const ColumnShape *shape, Datum value)
{
	switch (shape->typlen)
	{
		case 1:
			return (uint64) CharGetDatum((char) value);
		case 2:
			return (uint64) (int64) (int16) value;
		case 4:
			return (uint64) (int64) (int32) value;
		default:
			return (uint64) value;
	}
}

void
values_set(Values *values, uint32 i, Datum value)
{
	if (values->numbers != NULL)
		values->numbers[i] = number_of(values->shape, value);
	else
		values->items[i] = item_of(values->shape, value);
}

void
values_measure(ValuesPlan *plan, const Values *values)
{
	plan->values = values;
	if (values->numbers != NULL)
	{
		packed_measure(&plan->numbers, values->numbers, values->n, PACKED_VALUES);
		plan->size = plan->numbers.size;
	}
	else
	{
		items_measure(&plan->items, values->shape, values->items, values->n);
		plan->size = plan->items.size;
	}
}

void
values_write(Output *out, const ValuesPlan *plan)
{
	if (plan->values->numbers != NULL)
		packed_write(out, &plan->numbers, plan->values->numbers);
	else
		items_write(out, &plan->items);
}

const char *
values_open(ValuesReader *reader, Input *in, const ColumnShape *shape, uint32 n)
{
	*reader = (ValuesReader) {.shape = shape, .n = n};
	return shape->typbyval ? packed_open(&reader->numbers, in, n) : items_open(&reader->items, in, shape, n);
}

const char *
values_read(const ValuesReader *reader, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	uint64		numbers[ENCODING_VECTOR];

	if (!reader->shape->typbyval)
		return items_read(&reader->items, from, n, context, values);
	Assert(n <= ENCODING_VECTOR);
	packed_read(&reader->numbers, from, n, numbers);
	for (uint32 i = 0; i < n; i++)
		values[i] = (Datum) numbers[i];
	return NULL;
}

const char *
values_verify(const ValuesReader *reader, MemoryContext scratch)
{
	return reader->shape->typbyval ? NULL : items_verify(&reader->items, scratch);
}

/*
 * tables.c
 *		A census release, a history, and what heap takes for them.
 */
#include "tables.h"

#include "bench.h"

#include "compat.h"
#include "partition/mondrian.h"
#include "store/encoding/parts.h"

#include <string.h>

const ColumnShape shape_int4 = {4, true, 'i', false};
const ColumnShape shape_int8 = {8, true, 'd', false};
const ColumnShape shape_text = {-1, false, 'i', true};

/* splitmix64 */
uint64
draw_bits(void)
{
	static uint64 state = 2012;
	uint64		z = (state += UINT64CONST(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

uint32
draw_below(uint32 n)
{
	return (draw_bits() >> 16) % n;
}

static Datum
varlena_datum(const void *data, Size length)
{
	char	   *value = palloc(VARHDRSZ + length);

	SET_VARSIZE(value, VARHDRSZ + length);
	memcpy(VARDATA(value), data, length);
	return PointerGetDatum(value);
}

Datum
text_datum(const char *text)
{
	return varlena_datum(text, strlen(text));
}

/* Stores an int4range: its type, both bounds, a byte of flags. */
static Datum
range_datum(int32 lower, int32 upper)
{
	const uint32 type = 3904;
	char		data[13];

	memcpy(data, &type, 4);
	memcpy(data + 4, &lower, 4);
	memcpy(data + 8, &upper, 4);
	data[12] = 2;
	return varlena_datum(data, sizeof(data));
}

static void
add_column(Table *table, const char *name, ColumnShape shape)
{
	EncodedColumn *column = &table->columns[table->ncolumns++];

	*column = (EncodedColumn) {.name = name,.shape = shape};
	column->values = palloc_extended(sizeof(Datum) * table->nrows, MCXT_ALLOC_HUGE);
}

/* A cell as text: a leaf, a group or everything. */
static Datum
print_cell(const char *what, Span cell, Code size)
{
	char		text[64];

	if (cell.lo == cell.hi)
		snprintf(text, sizeof(text), "%s number %u", what, cell.lo);
	else if (span_width(cell) == size)
		snprintf(text, sizeof(text), "any %s", what);
	else
		snprintf(text, sizeof(text), "%s group %u", what, cell.lo);
	return text_datum(text);
}

static Datum
print_age(const Frame *frame, Span cell)
{
	return range_datum((int32) frame->domain[0].position[cell.lo], (int32) frame->domain[0].position[cell.hi] + 1);
}

/* Classes stand in no order, nor do the rows of one. */
Table
census_release(uint32 nrows, uint32 k, uint32 l)
{
	Table		table = {.name = "census release",.nrows = nrows};
	Frame	   *frame = synthetic_census(nrows);
	RowId	   *rows = palloc_extended(sizeof(RowId) * nrows, MCXT_ALLOC_HUGE);
	Principle	principle = principle_k_l(k, l);
	Classes    *classes;
	uint32	   *order;
	uint32		row = 0;

	for (uint32 i = 0; i < nrows; i++)
		rows[i] = i;
	classes = mondrian(frame, rows, nrows, &principle, 1);
	order = palloc(sizeof(uint32) * classes->nclasses);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		uint32		other = draw_below(c + 1);

		order[c] = order[other];
		order[other] = c;
	}
	add_column(&table, "class", shape_int8);
	add_column(&table, "age", shape_text);
	add_column(&table, "sex", shape_text);
	add_column(&table, "education", shape_text);
	add_column(&table, "country", shape_text);
	add_column(&table, "income", shape_int4);
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		const Span *region = class_region(classes, order[c]);
		uint64		first = classes->first[order[c]];
		uint64		size = class_size(classes, order[c]);

		for (uint64 i = 0; i < size; i++, row++)
		{
			uint64		other = i + draw_below(size - i);
			RowId		taken = classes->rows[first + other];

			classes->rows[first + other] = classes->rows[first + i];
			table.columns[0].values[row] = (Datum) (c + 1);
			table.columns[1].values[row] = print_age(frame, region[0]);
			table.columns[2].values[row] = print_cell("sex", region[1], frame->domain[1].size);
			table.columns[3].values[row] = print_cell("education", region[2], frame->domain[2].size);
			table.columns[4].values[row] = print_cell("country", region[3], frame->domain[3].size);
			table.columns[5].values[row] = (Datum) frame->sensitive[taken];
		}
	}
	return table;
}

/* Each release puts everybody into a class of some 15, in no order; one in fifty has a new value. */
Table
history(uint32 nreleases, uint32 nkeys)
{
	Table		table = {.name = "history",.nrows = nreleases * nkeys};
	uint32	   *sensitive = palloc(sizeof(uint32) * nkeys);
	uint32		row = 0;

	add_column(&table, "release", shape_int4);
	add_column(&table, "key", shape_int4);
	add_column(&table, "class", shape_int8);
	add_column(&table, "sensitive", shape_int4);
	for (uint32 key = 0; key < nkeys; key++)
		sensitive[key] = draw_below(50);
	for (uint32 release = 1; release <= nreleases; release++)
		for (uint32 key = 0; key < nkeys; key++, row++)
		{
			if (draw_below(50) == 0)
				sensitive[key] = draw_below(50);
			table.columns[0].values[row] = (Datum) release;
			table.columns[1].values[row] = (Datum) (key * 3 + key % 2);
			table.columns[2].values[row] = (Datum) (1 + draw_below(nkeys / 15));
			table.columns[3].values[row] = (Datum) sensitive[key];
		}
	return table;
}

/* ----------------------------------------------------------------
 * Heap
 * ----------------------------------------------------------------
 */

static Size
aligned_end(const ColumnShape *shape, Size at, Size length)
{
	return TYPEALIGN(shape->typalign == 'd' ? 8 : shape->typalign == 'i' ? 4 : shape->typalign == 's' ? 2 : 1, at) + length;
}

static Size
heap_tuple_size(const Table *table, uint32 row)
{
	const Size	header = 23;
	Size		at = MAXALIGN(header);

	for (int c = 0; c < table->ncolumns; c++)
	{
		const ColumnShape *shape = &table->columns[c].shape;
		Datum		value = table->columns[c].values[row];

		at = aligned_end(shape, at, shape->typbyval ? (Size) shape->typlen : item_of(shape, value).length);
	}
	return MAXALIGN(at);
}

uint64
heap_bytes(const Table *table)
{
	const Size	page_header = 24;
	const Size	line_pointer = 4;
	Size		left = 0;
	uint64		pages = 0;

	for (uint32 row = 0; row < table->nrows; row++)
	{
		Size		size = heap_tuple_size(table, row) + line_pointer;

		if (size > left)
		{
			left = BLCKSZ - page_header;
			pages++;
		}
		left -= size;
	}
	return pages * BLCKSZ;
}

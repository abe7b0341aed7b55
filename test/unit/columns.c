/*
 * columns.c
 *		Columns of all shapes, drawn at random, for those who encode them.
 */
#include "shim.h"

#include "columns.h"
#include "compat.h"

#include <string.h>

uint64		draw_state = 2012;

uint64
draw_bits(void)
{
	draw_state ^= draw_state << 13;
	draw_state ^= draw_state >> 7;
	draw_state ^= draw_state << 17;
	return draw_state * UINT64CONST(0x2545F4914F6CDD1D);
}

uint32
draw(uint32 n)
{
	return (draw_bits() >> 20) % n;
}

static const ColumnShape all_shapes[] = {
	{1, true, 'c', false},
	{2, true, 's', false},
	{4, true, 'i', false},
	{8, true, 'd', false},
	{1, false, 'c', false},
	{3, false, 'c', false},
	{6, false, 's', false},
	{12, false, 'i', false},
	{16, false, 'c', false},
	{16, false, 'd', false},
	{20, false, 'd', false},
	{64, false, 'c', false},
	{2001, false, 's', false},
	{-1, false, 'i', false},
	{-1, false, 'i', true},
	{-1, false, 'd', false},
	{-1, false, 'd', true},
};

int
shapes(void)
{
	return lengthof(all_shapes);
}

ColumnShape
shape_number(int i)
{
	return all_shapes[i];
}

static uint64
scatter(uint64 z)
{
	z += UINT64CONST(0x9E3779B97F4A7C15);
	z = (z ^ (z >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

/*
 * Styles: numbers may be as they are, multiples of something, or all bits;
 * bytes may be text that compresses or noise, and of lengths small or large.
 */
static Datum
number_value(const ColumnShape *shape, uint64 number, int style)
{
	uint64		bits = number;

	switch (style % 4)
	{
		case 1:
			bits = number * 1000000 - 86400000000;
			break;
		case 2:
			bits = scatter(number);
			break;
		case 3:
			bits = number % 2 == 0 ? (uint64) PG_INT64_MIN + number : (uint64) PG_INT64_MAX - number;
			break;
	}
	switch (shape->typlen)
	{
		case 1:
			return CharGetDatum((char) bits);
		case 2:
			return Int16GetDatum((int16) bits);
		case 4:
			return Int32GetDatum((int32) bits);
		default:
			return (Datum) bits;
	}
}

static void
fill_bytes(char *data, Size length, uint64 number, int style)
{
	static const char *const words[] = {"alpha ", "beta ", "gamma ", "delta ", "epsilon ", "zeta ", "eta ", "theta "};
	uint64		state = number;

	for (Size at = 0; at < length;)
	{
		const char *word = words[scatter(state) % lengthof(words)];

		state = scatter(state + 1);
		if (style % 2 == 0)
			for (; *word != '\0' && at < length; word++)
				data[at++] = *word;
		else
			for (int i = 0; i < 8 && at < length; i++)
				data[at++] = (char) (state >> (8 * i));
	}
	/* So that numbers are told apart, where there is room. */
	if (length >= sizeof(number))
		memcpy(data, &number, sizeof(number));
}

static Size
length_of(uint64 number, int style)
{
	switch (style / 2 % 4)
	{
		case 0:
			return scatter(number) % 20;
		case 1:
			return scatter(number) % 300;
		case 2:
			return scatter(number) % 64 == 0 ? 30000 + scatter(number) % 8000 : scatter(number) % 140;
		default:
			return 120 + number % 10;
	}
}

Datum
value_of(const ColumnShape *shape, uint64 number, int style)
{
	Size		length = shape->typlen > 0 ? (Size) shape->typlen : length_of(number, style);
	char	   *data;

	if (shape->typbyval)
		return number_value(shape, number, style);
	if (shape->typlen != -1)
	{
		data = palloc(length);
		fill_bytes(data, length, number, style);
		return PointerGetDatum(data);
	}
	data = palloc(length + VARHDRSZ);
	if (shape->packable && length + VARHDRSZ_SHORT <= VARATT_SHORT_MAX && style / 8 % 2 == 0)
	{
		SET_VARSIZE_SHORT(data, length + VARHDRSZ_SHORT);
		fill_bytes(data + VARHDRSZ_SHORT, length, number, style);
	}
	else
	{
		SET_VARSIZE(data, length + VARHDRSZ);
		fill_bytes(VARDATA(data), length, number, style);
	}
	return PointerGetDatum(data);
}

/* ---- Columns ---- */

static uint32
draw_nrows(uint32 most)
{
	static const uint32 edges[] = {0, 1, 2, 1023, 1024, 1025, 2048, 2049, 3000};
	uint32		nrows = edges[draw(lengthof(edges))];

	if (draw(3) == 0)
		nrows = draw(most + 1);
	return Min(nrows, most);
}

/* The numbers of a column's rows: some kind of repetition, or none. */
static void
draw_numbers(uint64 *numbers, uint32 n)
{
	int			kind = draw(8);
	uint32		distinct = 1 + draw(draw(2) == 0 ? 10 : 5000);
	uint32		length = 1 + draw(draw(2) == 0 ? 5 : 3000);
	uint64		number = draw(1000);

	for (uint32 i = 0; i < n; i++)
	{
		switch (kind)
		{
			case 0:				/* one */
				break;
			case 1:				/* some, mixed */
				number = draw(distinct);
				break;
			case 2:				/* runs */
				if (draw(length) == 0)
					number = draw(distinct);
				break;
			case 3:				/* each once, in order */
				number++;
				break;
			case 4:				/* in order, unevenly */
				number += draw(distinct);
				break;
			case 5:				/* anything */
				number = draw_bits() >> draw(32);
				break;
			case 6:				/* runs in order */
				number += draw(length) == 0;
				break;
			case 7:				/* mostly one */
				number = draw(200) == 0 ? draw_bits() : 7;
				break;
		}
		numbers[i] = number;
	}
}

static bool *
draw_nulls(uint32 n)
{
	bool	   *nulls = palloc0(n + 1);
	int			kind = draw(8);
	uint32		length = 1 + draw(500);
	bool		null = draw(2) == 0;

	if (kind >= 4)
		return kind == 4 ? nulls : NULL;
	for (uint32 i = 0; i < n; i++)
	{
		if (kind == 0)
			null = draw(length) == 0;
		else if (kind == 1)
			null = draw(2) == 0;
		else if (kind == 2 && draw(length) == 0)
			null = !null;
		else if (kind == 3)
			null = true;
		nulls[i] = null;
	}
	return nulls;
}

TestColumn
draw_column_of(ColumnShape shape, uint32 most)
{
	TestColumn	column = {.shape = shape, .nrows = draw_nrows(most)};
	uint64	   *numbers = palloc(sizeof(uint64) * (column.nrows + 1));
	int			style = draw(32);

	if (column.shape.typlen > 1000 || (!column.shape.typbyval && style / 2 % 4 == 2))
		column.nrows = Min(column.nrows, 2100);
	draw_numbers(numbers, column.nrows);
	column.nulls = draw_nulls(column.nrows);
	column.values = palloc(sizeof(Datum) * (column.nrows + 1));
	for (uint32 i = 0; i < column.nrows; i++)
		if (column.nulls != NULL && column.nulls[i])
			column.values[i] = (Datum) UINT64CONST(0xDEADBEEFDEADBEEF);
		else if (i > 0 && numbers[i] == numbers[i - 1] && draw(2) == 0 && (column.nulls == NULL || !column.nulls[i - 1]))
			column.values[i] = column.values[i - 1];
		else
			column.values[i] = value_of(&column.shape, numbers[i], style);
	return column;
}

TestColumn
draw_column(uint32 most)
{
	return draw_column_of(all_shapes[draw(lengthof(all_shapes))], most);
}

/* ---- Looking at values ---- */

bool
same_datum(const ColumnShape *shape, Datum a, Datum b)
{
	const char *pa = DatumGetPointer(a);
	const char *pb = DatumGetPointer(b);

	if (shape->typbyval)
		return a == b;
	if (shape->typlen > 0)
		return memcmp(pa, pb, shape->typlen) == 0;
	return VARSIZE_ANY_EXHDR(pa) == VARSIZE_ANY_EXHDR(pb) &&
		memcmp(VARDATA_ANY(pa), VARDATA_ANY(pb), VARSIZE_ANY_EXHDR(pa)) == 0;
}

bool
stands_well(const ColumnShape *shape, Datum value)
{
	const char *pointer = DatumGetPointer(value);
	Size		alignment = shape->typalign == 'd' ? 8 : shape->typalign == 'i' ? 4 : shape->typalign == 's' ? 2 : 1;

	if (shape->typbyval)
		return true;
	if (shape->typlen == -1 && shape->packable && VARATT_IS_SHORT(pointer))
		return true;
	if (shape->typlen == -1 && !VARATT_IS_4B_U(pointer))
		return false;
	return (uintptr_t) pointer % alignment == 0;
}

EncodedBytes
place_bytes(const char *bytes, Size length)
{
	char	   *data = palloc(length);

	memcpy(data, bytes, length);
	return (EncodedBytes) {.data = data, .length = length};
}

uint64
touch_datum(const ColumnShape *shape, Datum value)
{
	const unsigned char *pointer = (const unsigned char *) DatumGetPointer(value);
	Size		length = 0;
	uint64		sum = 0;

	if (shape->typbyval)
		return value;
	if (shape->typlen > 0)
		length = shape->typlen;
	else
		length = VARSIZE_ANY(pointer);
	for (Size i = 0; i < length; i++)
		sum = sum * 31 + pointer[i];
	return sum;
}

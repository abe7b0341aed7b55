/*
 * test_encoding.c
 *		Columns of all shapes to bytes and back, bit for bit.
 */
#include "shim.h"

#include "columns.h"
#include "compat.h"
#include "store/encoding/parts.h"

#include <dlfcn.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

static EncodedColumn *
open_well(const TestColumn * column, const EncodedBytes *bytes)
{
	EncodedColumn *opened = NULL;
	const char *error = open_column(&column->shape, bytes, column->nrows, &opened);

	if (error != NULL)
		printf("# %s\n", error);
	check(error == NULL);
	return error == NULL ? opened : NULL;
}

static EncodedBytes
encode(const TestColumn * column)
{
	Size		length;
	char	   *bytes = encode_column(&column->shape, column->values, column->nulls, column->nrows, &length);

	return place_bytes(bytes, length);
}

static bool
is_null(const TestColumn * column, uint32 row)
{
	return column->nulls != NULL && column->nulls[row];
}

static bool
is_as_given(const TestColumn * column, uint32 row, Datum value, bool null)
{
	if (null || is_null(column, row))
		return null && is_null(column, row) && value == 0;
	return same_datum(&column->shape, column->values[row], value) && stands_well(&column->shape, value);
}

static bool
vectors_come_back(const TestColumn * column, EncodedColumn *opened)
{
	for (uint32 from = 0; from < column->nrows; from += ENCODING_VECTOR)
	{
		uint32		n = Min(ENCODING_VECTOR, column->nrows - from);
		Datum	   *values = palloc(sizeof(Datum) * n);
		bool	   *nulls = palloc(n);

		if (decode_vector(opened, from / ENCODING_VECTOR, CurrentMemoryContext, values, nulls) != NULL)
			return false;
		for (uint32 i = 0; i < n; i++)
			if (!is_as_given(column, from + i, values[i], nulls[i]))
				return false;
	}
	return true;
}

/* Do codes stand for the values that were given, in a column that has some? */
static bool
codes_come_back(const TestColumn * column, EncodedColumn *opened)
{
	CodedVector *coded = palloc(sizeof(CodedVector));

	for (uint32 from = 0; from < column->nrows && column_has_codes(opened); from += ENCODING_VECTOR)
	{
		if (decode_codes(opened, from / ENCODING_VECTOR, CurrentMemoryContext, coded) != NULL)
			return false;
		for (uint32 i = 0; i < Min(ENCODING_VECTOR, column->nrows - from); i++)
		{
			uint32		code = coded->codes[i];
			Datum		value = 0;

			if (code >= coded->ncodes)
				return false;
			if (code > 0 && !coded->lasting)
				value = coded->values[code];
			else if (code > 0 && value_of_code(opened, code, &value) != NULL)
				return false;
			if (!is_as_given(column, from + i, value, code == 0))
				return false;
		}
	}
	return true;
}

static bool
row_comes_back(const TestColumn * column, EncodedColumn *opened, uint32 row)
{
	Datum		value;
	bool		null;
	uint32		length;

	if (decode_run(opened, row, CurrentMemoryContext, &value, &null, &length) != NULL ||
		length == 0 || length > column->nrows - row)
		return false;
	for (uint32 i = 0; i < length; i++)
		if (!is_as_given(column, row + i, value, null))
			return false;
	return true;
}

/* What the values take as they are, aligned, with a long header, and with what is needed to find them. */
static Size
plain_size(const TestColumn * column)
{
	Size		size = 100 + column->nrows / 4 + (column->nrows / ENCODING_VECTOR + 1) * 64;

	for (uint32 row = 0; row < column->nrows; row++)
		if (is_null(column, row))
			continue;
		else if (column->shape.typlen > 0)
			size += column->shape.typbyval ? (Size) column->shape.typlen : MAXALIGN(column->shape.typlen);
		else
			size += MAXALIGN(VARSIZE_ANY_EXHDR(DatumGetPointer(column->values[row])) + VARHDRSZ) + sizeof(uint32);
	return size;
}

static void
check_round_trip(const TestColumn * column)
{
	EncodedBytes bytes = encode(column);
	EncodedColumn *opened = open_well(column, &bytes);
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "scratch", ALLOCSET_DEFAULT_SIZES);
	bool		rows = true;

	if (opened == NULL)
		return;
	for (int i = 0; i < 20 && column->nrows > 0; i++)
		rows = rows && row_comes_back(column, opened, draw(column->nrows));
	check(rows);
	check(vectors_come_back(column, opened));
	check(codes_come_back(column, opened));
	for (int i = 0; i < 20 && column->nrows > 0; i++)
		rows = rows && row_comes_back(column, opened, draw(column->nrows));
	check(rows);
	check(verify_column(opened, scratch) == NULL);
	check(encoding_name(opened) != NULL);
	check(bytes.length <= plain_size(column));
}

static int
name_number(const char *name)
{
	static const char *const names[] = {"empty", "all null", "constant", "packed", "plain", "dictionary",
	"compressed", "runs of packed", "runs of plain", "runs of dictionary", "runs of compressed"};

	for (int i = 0; i < (int) lengthof(names); i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return -1;
}

static void
test_random_columns(void)
{
	bool		met[11] = {false};
	MemoryContext outer = CurrentMemoryContext;

	for (int i = 0; i < Max(1000, some_of(4000)); i++)
	{
		TestColumn	column;
		EncodedBytes bytes;
		int			name;

		CurrentMemoryContext = AllocSetContextCreate(outer, "column", ALLOCSET_DEFAULT_SIZES);
		column = draw_column(i % 100 == 0 ? 70000 : 6000);
		check_round_trip(&column);
		bytes = encode(&column);
		name = name_number(encoding_name(open_well(&column, &bytes)));
		check(name >= 0);
		met[Max(name, 0)] = true;
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
	for (int i = 0; i < (int) lengthof(met); i++)
	{
		if (!met[i])
			printf("# never met encoding %d\n", i);
		check(met[i]);
	}
}

/* ---- Bytes that come only when they are needed ---- */

typedef struct Lender
{
	const char *source;
	char	   *data;
	Size		length;
	Size		lent;
}			Lender;

/* Brings just what was asked for; all else is noise. */
static void
lend(void *arg, Size from, Size upto)
{
	Lender	   *lender = arg;

	check(from <= upto && upto <= lender->length);
	memcpy(lender->data + from, lender->source + from, upto - from);
	lender->lent += upto - from;
}

static EncodedBytes
lend_bytes(Lender * lender, const EncodedBytes *bytes)
{
	*lender = (Lender) {.source = bytes->data, .data = palloc(bytes->length), .length = bytes->length};
	memset(lender->data, 0xA5, bytes->length);
	return (EncodedBytes) {.data = lender->data, .length = bytes->length, .need = lend, .arg = lender};
}

static void
test_bytes_come_when_needed(void)
{
	MemoryContext outer = CurrentMemoryContext;

	for (int i = 0; i < 1000; i++)
	{
		TestColumn	column;
		EncodedBytes bytes;
		EncodedBytes lent;
		Lender		lender;
		EncodedColumn *opened;

		CurrentMemoryContext = AllocSetContextCreate(outer, "column", ALLOCSET_DEFAULT_SIZES);
		column = draw_column(6000);
		bytes = encode(&column);
		lent = lend_bytes(&lender, &bytes);
		opened = open_well(&column, &lent);
		if (opened != NULL && column.nrows > 0)
		{
			check(row_comes_back(&column, opened, draw(column.nrows)));
			check(vectors_come_back(&column, opened));
			lent = lend_bytes(&lender, &bytes);
			opened = open_well(&column, &lent);
			check(verify_column(opened, AllocSetContextCreate(CurrentMemoryContext, "scratch",
															  ALLOCSET_DEFAULT_SIZES)) == NULL);
		}
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
}

/* One of many wide values is read with few others. */
static void
test_one_of_wide_values(void)
{
	TestColumn	column = {.shape = {-1, false, 'i', true}, .nrows = 2000};
	EncodedBytes bytes;
	EncodedBytes lent;
	Lender		lender;
	EncodedColumn *opened;

	column.values = palloc(sizeof(Datum) * column.nrows);
	for (uint32 i = 0; i < column.nrows; i++)
	{
		char	   *value = palloc(5000);

		SET_VARSIZE(value, 5000);
		for (int j = 0; j < 4996; j++)
			VARDATA(value)[j] = draw_bits() >> 33;
		column.values[i] = PointerGetDatum(value);
	}
	bytes = encode(&column);
	lent = lend_bytes(&lender, &bytes);
	opened = open_well(&column, &lent);
	check(strcmp(encoding_name(opened), "plain") == 0);
	check(row_comes_back(&column, opened, 1500));
	check(lender.lent < 50000);
}

/* ---- Edges ---- */

static TestColumn
numbers_column(uint32 nrows, uint64 (*number) (uint32 row))
{
	TestColumn	column = {.shape = {8, true, 'd', false}, .nrows = nrows};

	column.values = palloc(sizeof(Datum) * Max(nrows, 1));
	for (uint32 row = 0; row < nrows; row++)
		column.values[row] = (Datum) number(row);
	return column;
}

static uint64
extremes(uint32 row)
{
	static const uint64 few[] = {0, PG_UINT64_MAX, UINT64CONST(1) << 63, (UINT64CONST(1) << 63) - 1, 1};

	return few[row % lengthof(few)] + row / lengthof(few) * (row % 3);
}

static uint64
small_floats(uint32 row)
{
	float8		number = row * 7 % 1000;
	uint64		bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static uint64
counting(uint32 row)
{
	return 1000000 + 3 * (uint64) row;
}

static void
check_size(const TestColumn * column, const char *name, Size most)
{
	EncodedBytes bytes = encode(column);
	EncodedColumn *opened = open_well(column, &bytes);

	check_round_trip(column);
	if (strcmp(encoding_name(opened), name) != 0 || bytes.length > most)
		printf("# %s, %zu bytes\n", encoding_name(opened), bytes.length);
	check(strcmp(encoding_name(opened), name) == 0);
	check(bytes.length <= most);
}

static void
test_numbers(void)
{
	TestColumn	column = numbers_column(50000, extremes);

	check_round_trip(&column);
	/* A thousand different floats take 10 bits each, numbers of rows times 3 take 12. */
	column = numbers_column(60000, small_floats);
	check_size(&column, "dictionary", 60000 * 10 / 8 + 9100);
	column = numbers_column(ENCODING_MAX_ROWS, counting);
	check_size(&column, "packed", ENCODING_MAX_ROWS * 12 / 8 + 128 * 16 + 40);
}

static void
test_widths(void)
{
	for (int width = 0; width <= 64; width++)
	{
		TestColumn	column = {.shape = {8, true, 'd', false}, .nrows = 1024 + draw(1500)};

		column.values = palloc(sizeof(Datum) * column.nrows);
		for (uint32 i = 0; i < column.nrows; i++)
			column.values[i] = width == 0 ? 5 : draw_bits() >> (64 - width);
		check_round_trip(&column);
		for (uint32 i = 0; i < column.nrows; i++)
			column.values[i] = (width == 0 ? 5 : draw_bits() >> (64 - width)) + (i == 0 ? 0 : column.values[i - 1]);
		check_round_trip(&column);
	}
}

static bool
has_nulls(const TestColumn * column)
{
	EncodedBytes bytes = encode(column);

	(void) open_well(column, &bytes);
	return ((const ColumnHeader *) bytes.data)->nulls != NULLS_NONE;
}

static uint64
nothing(uint32 row)
{
	return 0;
}

static void
test_nothing(void)
{
	TestColumn	column = numbers_column(0, nothing);
	bool	   *nulls = palloc(ENCODING_MAX_ROWS);

	check_size(&column, "empty", 8);
	column = numbers_column(ENCODING_MAX_ROWS, nothing);
	check(!has_nulls(&column));
	memset(nulls, true, ENCODING_MAX_ROWS);
	check_size(&column, "constant", 40);
	column.nulls = nulls;
	check_size(&column, "all null", 8);
	check(has_nulls(&column));
	nulls[77777] = false;
	check_size(&column, "constant", ENCODING_MAX_ROWS / 8 + 128 * 4 + 100);
}

/* Every length around those where headers and blocks change. */
static void
test_lengths(void)
{
	static const Size around[] = {0, 126, 127, 1024, 32768 - 4, 32768, 70000};

	for (int s = 0; s < shapes(); s++)
	{
		TestColumn	column = {.shape = shape_number(s), .nrows = lengthof(around) * 5};

		if (column.shape.typlen > 0)
			continue;
		column.values = palloc(sizeof(Datum) * column.nrows);
		for (uint32 i = 0; i < column.nrows; i++)
		{
			Size		length = around[i / 5] + Max(i % 5, 2) - 2;
			char	   *value = palloc(length + VARHDRSZ + 1);

			memset(value, 'a' + i % 3, length + VARHDRSZ);
			value[length] = '\0';
			if (column.shape.typlen == -1)
				SET_VARSIZE(value, length + VARHDRSZ);
			column.values[i] = PointerGetDatum(value);
		}
		check_round_trip(&column);
	}
}

/* A wide value stands in memory as often as it must. */
static void
test_wide_value(void)
{
	const Size	wide = 200 * 1024 * 1024;
	TestColumn	column = {.shape = {-1, false, 'i', true}, .nrows = 1};
	char	   *value = palloc(wide);
	EncodedColumn *opened;
	EncodedBytes bytes;
	Size		length;
	uint64		before;

	SET_VARSIZE(value, wide);
	for (Size i = VARHDRSZ; i < wide; i += sizeof(uint64))
	{
		uint64		noise = i % 4096 < 2048 ? draw_bits() : 0;

		memcpy(value + i, &noise, Min(sizeof(noise), wide - i));
	}
	column.values = palloc(sizeof(Datum));
	column.values[0] = PointerGetDatum(value);
	before = shim_allocated_peak = shim_allocated;
	bytes.data = encode_column(&column.shape, column.values, NULL, 1, &length);
	check(shim_allocated_peak - before < 2 * wide);
	check(shim_allocated - before < wide * 6 / 10);
	bytes = (EncodedBytes) {.data = bytes.data, .length = length};
	opened = open_well(&column, &bytes);
	before = shim_allocated_peak = shim_allocated;
	check(row_comes_back(&column, opened, 0));
	check(shim_allocated_peak - before < 2 * wide + 1000);
}

/* What encoding takes beside its result: as the header says. */
static void
test_working_memory(void)
{
	MemoryContext outer = CurrentMemoryContext;

	for (int i = 0; i < 300; i++)
	{
		TestColumn	column;
		Size		length;
		uint64		before;

		CurrentMemoryContext = AllocSetContextCreate(outer, "column", ALLOCSET_DEFAULT_SIZES);
		column = draw_column(20000);
		before = shim_allocated_peak = shim_allocated;
		encode_column(&column.shape, column.values, column.nulls, column.nrows, &length);
		check(shim_allocated - before < length + 2000);
		check(shim_allocated_peak - before < 150 * (uint64) column.nrows + 3 * plain_size(&column) + 100000);
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
}

/* ---- Damage ---- */

static TestColumn
sentences_column(uint32 nrows)
{
	TestColumn	column = {.shape = {-1, false, 'i', true}, .nrows = nrows};

	column.values = palloc(sizeof(Datum) * nrows);
	for (uint32 row = 0; row < nrows; row++)
		column.values[row] = value_of(&column.shape, row, 2);
	return column;
}

/* Writes a number over some bytes; what does opening, or else decoding the first row, say? */
static const char *
error_of_damage(const TestColumn * column, Size place, uint32 number, Size width)
{
	EncodedBytes bytes = encode(column);
	EncodedColumn *opened;
	Datum		value;
	bool		null;
	uint32		length;
	const char *error;

	memcpy((char *) bytes.data + place, &number, width);
	error = open_column(&column->shape, &bytes, column->nrows, &opened);
	return error != NULL ? error : decode_run(opened, 0, CurrentMemoryContext, &value, &null, &length);
}

static void
check_damage(const TestColumn * column, Size place, uint32 number, Size width, const char *expected)
{
	const char *error = error_of_damage(column, place, number, width);

	if (error == NULL || strcmp(error, expected) != 0)
		printf("# %s\n", error == NULL ? "no error" : error);
	check(error != NULL && strcmp(error, expected) == 0);
}

static void
test_damage(void)
{
	TestColumn	column = sentences_column(3000);

	/* The column's header. */
	check_damage(&column, 0, 2, 1, "The column is of a version that is not known.");
	check_damage(&column, 1, 9, 1, "It is not known how NULLs are encoded.");
	check_damage(&column, 1, 1, 1, "There are values, though all rows are NULL.");
	check_damage(&column, 2, 3, 1, "The column's header is damaged.");
	check_damage(&column, 4, 2999, 4, "There are not as many values as rows.");
	/* The values' header, and the directory of blocks. */
	check_damage(&column, 8, 3001, 4, "The header of values is missing or damaged.");
	check_damage(&column, 16, 1, 4, "The directory of values does not begin with the first.");
	check_damage(&column, 20, 12345, 4, "Compressed values are not as long as their directory says.");
	check_damage(&column, 24, PG_UINT32_MAX, 4, "A block of values is not where its directory says.");
	check_damage(&column, 28, 3, 4, "A block of values is not where its directory says.");
	/* A bitmap of NULLs. */
	column.nulls = palloc0(column.nrows);
	for (uint32 row = 0; row < column.nrows; row += 3)
		column.nulls[row] = true;
	check_damage(&column, 4, 3000, 4, "There are as many values as rows, though some are NULL.");
	check_damage(&column, 4, 3001, 4, "The column's header is damaged.");
	check_damage(&column, 8, 5000, 4, "The directory of NULLs does not agree with them.");
}

/* What was not read well is not taken from the dictionary the next time. */
static void
test_damage_stays_damage(void)
{
	TestColumn	column = sentences_column(3000);
	EncodedBytes bytes;
	EncodedColumn *opened;
	Datum		values[ENCODING_VECTOR];
	bool		nulls[ENCODING_VECTOR];

	/* Long ones and short ones in turn, then only one that is short. */
	for (uint32 row = 0; row < column.nrows; row++)
	{
		char		text[201];

		snprintf(text, sizeof(text), "%0*u", row % 2 == 0 ? 200 : 20, row % 600);
		column.values[row] = PointerGetDatum(palloc(VARHDRSZ + sizeof(text)));
		SET_VARSIZE(DatumGetPointer(column.values[row]), VARHDRSZ + strlen(text));
		memcpy(VARDATA(DatumGetPointer(column.values[row])), text, strlen(text));
	}
	for (uint32 row = ENCODING_VECTOR; row < 2 * ENCODING_VECTOR; row++)
		column.values[row] = column.values[1];
	bytes = encode(&column);
	opened = open_well(&column, &bytes);
	check(strstr(encoding_name(opened), "dictionary") != NULL);
	/* For a type that has no short headers, those of the entries are damage. */
	column.shape.packable = false;
	opened = open_well(&column, &bytes);
	for (int i = 0; i < 3; i++)
	{
		memset(values, 0x5A, sizeof(values));
		check(decode_vector(opened, 1, CurrentMemoryContext, values, nulls) != NULL);
	}
}

/* Modulo 2^64, of an odd number, by Newton's steps. */
static uint64
inverse_of(uint64 number)
{
	uint64		inverse = 1;

	for (int i = 0; i < 6; i++)
		inverse *= 2 - number * inverse;
	return inverse;
}

/* Values that one who knows the hash can choose: all are met in one place, and no dictionary is worth that. */
static void
test_values_chosen_to_collide(void)
{
	TestColumn	column = {.shape = {8, true, 'd', false}, .nrows = 60000};
	uint64		first = inverse_of(UINT64CONST(0x9E3779B97F4A7C15));
	uint64		second = inverse_of(UINT64CONST(0xBF58476D1CE4E5B9));

	column.values = palloc(sizeof(Datum) * column.nrows);
	for (uint32 i = 0; i < column.nrows; i++)
		column.values[i] = (Datum) (first * draw(5000));
	check_size(&column, "dictionary", 60000 * 13 / 8 + 5000 * 8 + 2000);
	for (uint32 i = 0; i < column.nrows; i++)
	{
		uint64		hash = (UINT64CONST(77) << 32 | draw(5000)) * second;

		column.values[i] = (Datum) (first * (hash ^ hash >> 29 ^ hash >> 58));
	}
	check_size(&column, "packed", 60000 * 8 + 2000);
}

/* Nothing of what was in memory before gets into the bytes. */
static void
test_bytes_are_of_the_column_alone(void)
{
	MemoryContext outer = CurrentMemoryContext;

	for (int i = 0; i < 1000; i++)
	{
		TestColumn	column;
		EncodedBytes bytes[2];

		CurrentMemoryContext = AllocSetContextCreate(outer, "column", ALLOCSET_DEFAULT_SIZES);
		column = draw_column(6000);
		for (int noise = 0; noise < 2; noise++)
		{
			shim_noise = noise == 0 ? 0x5A : 0xC3;
			bytes[noise] = encode(&column);
			shim_noise = -1;
		}
		check(bytes[0].length == bytes[1].length && memcmp(bytes[0].data, bytes[1].data, bytes[0].length) == 0);
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
}

/* Damage that decoding need not see is seen when all is looked at. */
static void
check_verified(TestColumn * column, Size place, const char *name)
{
	EncodedBytes bytes = encode(column);
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "scratch", ALLOCSET_DEFAULT_SIZES);
	EncodedColumn *opened = open_well(column, &bytes);

	check(strcmp(encoding_name(opened), name) == 0);
	check(verify_column(opened, scratch) == NULL);
	((char *) bytes.data)[place] ^= 1;
	opened = open_well(column, &bytes);
	check(verify_column(opened, scratch) != NULL);
}

static void
test_verify(void)
{
	TestColumn	column = {.shape = {4, true, 'i', false}, .nrows = 5000};
	bool		nulls[5000];

	column.values = palloc(sizeof(Datum) * column.nrows);
	/* The directory of runs stands behind two headers of 8 bytes: a run, and a row. */
	for (uint32 row = 0; row < column.nrows; row++)
		column.values[row] = (Datum) (row / 100 * 7 % 5);
	check_verified(&column, 16, "runs of packed");
	check_verified(&column, 20, "runs of packed");
	/* So do the numbers of values before each vector, behind one. */
	for (uint32 row = 0; row < column.nrows; row++)
		nulls[row] = row % 3 == 0;
	column.nulls = nulls;
	check_verified(&column, 8 + 4, "runs of packed");
	/* And the directory of blocks of values. */
	column.nulls = NULL;
	column.shape = (ColumnShape) {-1, false, 'i', true};
	for (uint32 row = 0; row < column.nrows; row++)
	{
		char	   *value = palloc(VARHDRSZ + 16);

		SET_VARSIZE(value, VARHDRSZ + 16);
		for (int i = 0; i < 16; i++)
			VARDATA(value)[i] = draw_bits() >> 40;
		column.values[row] = PointerGetDatum(value);
	}
	check_verified(&column, 16 + 4, "plain");
}

/* Two values of 40 kB in turn: more than a column may take, were there no dictionary. */
static void
test_repeated_wide_values(void)
{
	TestColumn	column = {.shape = {-1, false, 'i', true}, .nrows = ENCODING_MAX_ROWS};
	char	   *two[2];
	EncodedBytes bytes;

	for (int i = 0; i < 2; i++)
	{
		two[i] = palloc(40000);
		SET_VARSIZE(two[i], 40000);
		for (int j = VARHDRSZ; j < 40000; j++)
			two[i][j] = draw_bits() >> 40;
	}
	column.values = palloc(sizeof(Datum) * column.nrows);
	for (uint32 row = 0; row < column.nrows; row++)
		column.values[row] = PointerGetDatum(two[row % 2]);
	bytes = encode(&column);
	check(bytes.length < 80000 + ENCODING_MAX_ROWS / 8 + 3000);
	check(row_comes_back(&column, open_well(&column, &bytes), 77777));
}

static Datum refused_value;

/* So many different values that there is no room for them: they differ in where they begin. */
static void
encode_too_much(void)
{
	ColumnShape shape = {20000, false, 'c', false};
	char	   *bytes = palloc(20000 + ENCODING_MAX_ROWS);
	Datum	   *values = palloc(sizeof(Datum) * ENCODING_MAX_ROWS);
	Size		length;

	for (Size i = 0; i < 20000 + ENCODING_MAX_ROWS; i++)
		bytes[i] = draw_bits() >> 40;
	for (uint32 row = 0; row < ENCODING_MAX_ROWS; row++)
		values[row] = PointerGetDatum(bytes + row);
	encode_column(&shape, values, NULL, ENCODING_MAX_ROWS, &length);
}

static void
encode_refused(void)
{
	ColumnShape shape = {-1, false, 'i', true};
	Size		length;

	encode_column(&shape, &refused_value, NULL, 1, &length);
}

static void
encode_too_many(void)
{
	TestColumn	column = numbers_column(ENCODING_MAX_ROWS + 1, nothing);

	encode(&column);
}

static void
encode_no_shape(void)
{
	TestColumn	column = numbers_column(1, nothing);

	column.shape.typlen = 3;
	encode(&column);
}

static void
check_opening(ColumnShape shape, EncodedBytes bytes, uint32 nrows, const char *expected)
{
	EncodedColumn *opened;
	const char *error = open_column(&shape, &bytes, nrows, &opened);

	check(error != NULL && strcmp(error, expected) == 0);
}

static bool zstd_is_starved = false;

/* Takes the place of the library's. */
size_t
ZSTD_compressCCtx(ZSTD_CCtx *context, void *to, size_t room, const void *from, size_t length, int level)
{
	static size_t (*real) (ZSTD_CCtx *, void *, size_t, const void *, size_t, int);

	if (zstd_is_starved)
		return (size_t) -ZSTD_error_memory_allocation;
	if (real == NULL)
		*(void **) &real = dlsym(RTLD_NEXT, "ZSTD_compressCCtx");
	return real(context, to, room, from, length, level);
}

static void
encode_wide_value(void)
{
	const Size	wide = 100 * 1024;
	ColumnShape shape = {-1, false, 'i', true};
	char	   *value = palloc0(wide);
	Datum		datum = PointerGetDatum(value);
	Size		length;

	SET_VARSIZE(value, wide);
	(void) encode_column(&shape, &datum, NULL, 1, &length);
}

static void
test_no_memory(void)
{
	check(error_of(encode_wide_value) == NULL);
	zstd_is_starved = true;
	shim_sqlerrcode = 0;
	check(error_of(encode_wide_value) != NULL);
	check(shim_sqlerrcode == ERRCODE_OUT_OF_MEMORY);
	zstd_is_starved = false;
}

static void
test_refused(void)
{
	static union
	{
		char		bytes[32];
		int64		aligned;
	}			toasted;
	ColumnShape shape = {8, true, 'd', false};
	EncodedBytes bytes = {.data = toasted.bytes + 4, .length = 20};

	SET_VARTAG_EXTERNAL(toasted.bytes, VARTAG_ONDISK);
	refused_value = PointerGetDatum(toasted.bytes);
	check(error_of(encode_refused) != NULL);
	check(error_of(encode_too_much) != NULL);
	check(error_of(encode_too_many) != NULL);
	check(error_of(encode_no_shape) != NULL);
	check_opening(shape, bytes, 5, "The column is not aligned.");
	bytes.data = toasted.bytes;
	check_opening(shape, bytes, ENCODING_MAX_ROWS + 1, "There are more rows than a column may have.");
	shape.typalign = 'x';
	check_opening(shape, bytes, 5, "The column's type has a length or alignment that is not known.");
	shape = (ColumnShape) {5, true, 'd', false};
	check_opening(shape, bytes, 5, "The column's type has a length or alignment that is not known.");
	bytes.length = 7;
	shape.typlen = 8;
	check_opening(shape, bytes, 5, "The column is cut off.");
}

static const Test tests[] = {
	{"random columns", test_random_columns},
	{"bytes that come when they are needed", test_bytes_come_when_needed},
	{"one of many wide values", test_one_of_wide_values},
	{"numbers", test_numbers},
	{"widths", test_widths},
	{"nothing, and NULL", test_nothing},
	{"lengths", test_lengths},
	{"a wide value", test_wide_value},
	{"values chosen to collide", test_values_chosen_to_collide},
	{"bytes are of the column alone", test_bytes_are_of_the_column_alone},
	{"wide values that repeat", test_repeated_wide_values},
	{"working memory", test_working_memory},
	{"damage", test_damage},
	{"damage stays damage", test_damage_stays_damage},
	{"what verifying sees", test_verify},
	{"what is refused", test_refused},
	{"no memory to compress", test_no_memory},
};

RUN(tests)

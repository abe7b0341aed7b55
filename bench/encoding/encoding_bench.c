/*
 * encoding_bench.c
 *		How few bytes columns take, and how long it takes to encode and to decode
 *		them; and what a release and a history take beside heap.
 *
 * The first table has one group of each kind of column: its encoding, bytes a
 * row, nanoseconds a row to encode it, to decode all its vectors one after the
 * other, and to copy as many Datums with memcpy; and nanoseconds to open the
 * column and decode one row in it.  The second has every column of two tables,
 * cut into groups, and what heap's pages would take, computed from the form of
 * its tuples.
 */
#include "shim.h"

#include "tables.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Rows of a group, as the table access method makes them. */
#ifndef GROUP_ROWS
#define GROUP_ROWS 16384
#endif
#define RUNS 15

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int
compare_doubles(const void *a, const void *b)
{
	return *(const double *) a < *(const double *) b ? -1 : *(const double *) a > *(const double *) b;
}

static double
median(double *times)
{
	qsort(times, RUNS, sizeof(double), compare_doubles);
	return times[RUNS / 2];
}

static void
must_not(const char *error)
{
	if (error == NULL)
		return;
	printf("%s\n", error);
	exit(1);
}

/* ----------------------------------------------------------------
 * One column
 * ----------------------------------------------------------------
 */

typedef struct Measured
{
	char		name[32];
	Size		bytes;
	double		encode;			/* nanoseconds a row */
	double		decode;
	double		copy;
	double		one;			/* nanoseconds */
} Measured;

static EncodedColumn *
open_bytes(const EncodedColumn *column, const char *bytes, Size length, uint32 n)
{
	EncodedBytes encoded = {.data = bytes,.length = length};
	EncodedColumn *opened;

	must_not(open_column(&column->shape, &encoded, n, &opened));
	return opened;
}

static void
decode_all(EncodedColumn *opened, uint32 n)
{
	static Datum values[ENCODING_VECTOR];
	static bool nulls[ENCODING_VECTOR];

	for (uint32 vector = 0; vector * ENCODING_VECTOR < n; vector++)
		must_not(decode_vector(opened, vector, CurrentMemoryContext, values, nulls));
}

static void
copy_all(const Datum *from, uint32 n)
{
	static Datum values[ENCODING_VECTOR];

	for (uint32 at = 0; at < n; at += ENCODING_VECTOR)
	{
		memcpy(values, from + at, sizeof(Datum) * Min(ENCODING_VECTOR, n - at));
		__asm__ __volatile__("" : : "r" (values) : "memory");
	}
}

static Measured
measure(const EncodedColumn *column, uint32 first, uint32 n)
{
	Measured	measured = {.bytes = 0};
	double		encode[RUNS];
	double		decode[RUNS];
	double		copy[RUNS];
	double		one[RUNS];

	for (int run = 0; run < RUNS; run++)
	{
		MemoryContext outer = CurrentMemoryContext;
		EncodedColumn *opened;
		Datum		value;
		bool		null;
		uint32		length;
		char	   *bytes;
		double		start;

		CurrentMemoryContext = AllocSetContextCreate(outer, "run", ALLOCSET_DEFAULT_SIZES);
		start = now();
		bytes = encode_column(&column->shape, column->values + first,
							  column->nulls == NULL ? NULL : column->nulls + first, n, &measured.bytes);
		encode[run] = (now() - start) / n;
		start = now();
		opened = open_bytes(column, bytes, measured.bytes, n);
		must_not(decode_run(opened, n / 3 * 2, CurrentMemoryContext, &value, &null, &length));
		one[run] = now() - start;
		decode_all(opened, Min(n, ENCODING_VECTOR));
		start = now();
		decode_all(opened, n);
		decode[run] = (now() - start) / n;
		start = now();
		copy_all(column->values + first, n);
		copy[run] = (now() - start) / n;
		snprintf(measured.name, sizeof(measured.name), "%s", encoding_name(opened));
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
	measured.encode = median(encode);
	measured.decode = median(decode);
	measured.copy = median(copy);
	measured.one = median(one);
	return measured;
}

/* ----------------------------------------------------------------
 * Each kind of column
 * ----------------------------------------------------------------
 */

static Datum
float_datum(double number)
{
	uint64		bits;

	memcpy(&bits, &number, sizeof(bits));
	return (Datum) bits;
}

static Datum
sentence(uint32 nwords)
{
	static const char *const words[] = {"patient ", "was ", "seen ", "with ", "fever ", "and ", "cough ", "for ",
	"days ", "no ", "history ", "of ", "asthma ", "advised ", "rest ", "fluids "};
	char		text[2048] = "";

	for (uint32 i = 0; i < nwords; i++)
		strcat(text, words[draw_below(lengthof(words))]);
	return text_datum(text);
}

static Datum
numbered_text(const char *format, uint32 number)
{
	char		text[64];

	snprintf(text, sizeof(text), format, number);
	return text_datum(text);
}

static Datum
noise(Size length)
{
	char	   *data = palloc(length);

	for (Size i = 0; i < length; i++)
		data[i] = draw_bits() >> 40;
	return PointerGetDatum(data);
}

static Datum
some_value(int kind, uint32 row)
{
	switch (kind)
	{
		case 0:
			return (Datum) 42;
		case 1:
			return (Datum) (row / 15 % 1000);
		case 2:
			return (Datum) draw_below(50);
		case 3:
			return (Datum) (row * 3 + draw_below(3));
		case 4:
			return (Datum) (1000000 + row);
		case 5:
			return (Datum) draw_bits();
		case 6:
			return (Datum) (UINT64CONST(700000000000000) + draw_below(86400 * 365) * UINT64CONST(1000000));
		case 7:
			return float_datum(draw_below(1000000));
		case 8:
			return float_datum(draw_below(10000) / 100.0);
		case 9:
			return (Datum) (draw_bits() & 1);
		case 10:
			return numbered_text("region %u", row / 15 * 7 % 100);
		case 11:
			return numbered_text("diagnosis %u", draw_below(200));
		case 12:
			return numbered_text("%08u", draw_below(100000000));
		case 13:
			return sentence(4 + draw_below(12));
		case 14:
			return sentence(150);
		default:
			return noise(16);
	}
}

static void
bench_kinds(void)
{
	static const struct
	{
		const char *name;
		ColumnShape shape;
		bool		has_nulls;
	}			kinds[] = {
		{"int8, one", {8, true, 'd', false}, false},
		{"int8, 15 alike", {8, true, 'd', false}, false},
		{"int4, 50", {4, true, 'i', false}, false},
		{"int4, sorted", {4, true, 'i', false}, false},
		{"int4, counting", {4, true, 'i', false}, false},
		{"int8, anything", {8, true, 'd', false}, false},
		{"timestamp, seconds", {8, true, 'd', false}, false},
		{"float8, whole", {8, true, 'd', false}, false},
		{"float8, 10,000", {8, true, 'd', false}, false},
		{"bool", {1, true, 'c', false}, false},
		{"text, 15 alike", {-1, false, 'i', true}, false},
		{"text, 200", {-1, false, 'i', true}, false},
		{"text, digits", {-1, false, 'i', true}, false},
		{"text, sentences", {-1, false, 'i', true}, false},
		{"text, pages", {-1, false, 'i', true}, false},
		{"uuid", {16, false, 'c', false}, false},
		{"int4, 50, half null", {4, true, 'i', false}, true},
		{"text, 200, half null", {-1, false, 'i', true}, true},
	};

	printf("%-22s %-20s %11s %8s %8s %8s %9s\n", "one group", "encoding", "bytes a row", "encode", "decode",
		   "memcpy", "one row");
	for (int kind = 0; kind < (int) lengthof(kinds); kind++)
	{
		MemoryContext outer = CurrentMemoryContext;
		EncodedColumn column = {.name = kinds[kind].name,.shape = kinds[kind].shape};
		Measured	m;

		CurrentMemoryContext = AllocSetContextCreate(outer, "column", ALLOCSET_DEFAULT_SIZES);
		column.values = palloc(sizeof(Datum) * GROUP_ROWS);
		if (kinds[kind].has_nulls)
			column.nulls = palloc(GROUP_ROWS);
		for (uint32 row = 0; row < GROUP_ROWS; row++)
		{
			column.values[row] = some_value(kind < 16 ? kind : kind == 16 ? 2 : 11, row);
			if (column.nulls != NULL)
				column.nulls[row] = draw_below(2) == 0;
		}
		m = measure(&column, 0, GROUP_ROWS);
		printf("%-22s %-20s %11.3f %8.2f %8.2f %8.2f %9.0f\n", column.name, m.name, (double) m.bytes / GROUP_ROWS,
			   m.encode, m.decode, m.copy, m.one);
		MemoryContextDelete(CurrentMemoryContext);
		CurrentMemoryContext = outer;
	}
}

/* ----------------------------------------------------------------
 * Whole tables
 * ----------------------------------------------------------------
 */

static void
bench_table(const Table *table)
{
	uint64		heap = heap_bytes(table);
	uint64		ours = 0;

	printf("\n%-22s %-20s %11s %8s %8s %8s\n", table->name, "encoding", "bytes a row", "encode", "decode", "memcpy");
	for (int c = 0; c < table->ncolumns; c++)
	{
		Measured	sum = {.bytes = 0};
		uint32		ngroups = 0;

		for (uint32 first = 0; first < table->nrows; first += GROUP_ROWS, ngroups++)
		{
			Measured	m = measure(&table->columns[c], first, Min(GROUP_ROWS, table->nrows - first));

			sum.bytes += m.bytes;
			sum.encode += m.encode;
			sum.decode += m.decode;
			sum.copy += m.copy;
			snprintf(sum.name, sizeof(sum.name), "%s", m.name);
		}
		ours += sum.bytes;
		printf("%-22s %-20s %11.3f %8.2f %8.2f %8.2f\n", table->columns[c].name, sum.name,
			   (double) sum.bytes / table->nrows, sum.encode / ngroups, sum.decode / ngroups, sum.copy / ngroups);
	}
	printf("%u rows: heap %.1f bytes a row, ours %.2f, 1/%.1f\n", table->nrows, (double) heap / table->nrows,
		   (double) ours / table->nrows, (double) heap / ours);
}

int
main(void)
{
	Table		table;

	CurrentMemoryContext = AllocSetContextCreateInternal(NULL, "bench", 0, 0, 0);
	printf("groups of %d rows, median of %d, nanoseconds\n", GROUP_ROWS, RUNS);
	bench_kinds();
	table = census_release(600000, 10, 3);
	bench_table(&table);
	MemoryContextReset(CurrentMemoryContext);
	table = history(20, 200000);
	bench_table(&table);
	return 0;
}

/*
 * records.c
 *		Sorting rows by their codes, and collapsing those with equal tuples.
 *
 * NOTES
 *		Codes are dense, so rows are sorted by counting, least significant
 *		column first.  The sensitive column is sorted by too: only then does
 *		nothing but the codes decide what follows.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "frame/arrays.h"
#include "partition/groups.h"

/* Codes are sorted by digits of so many bits, whose places fit into the nearest cache. */
#define DIGIT_BITS		11

/* A domain up to this size gets a table of all its spans' losses. */
#define MAX_TABLE_SIZE	256

/* ----------------------------------------------------------------
 * Sorting
 * ----------------------------------------------------------------
 */

/* Sorts rows by codes below size, or NO_CODE, which comes last: a stable pass of counting sort for each digit. */
static void
sort_by_code(const Code *code, Code size, RowId *rows, RowId *spare, uint64 nrows)
{
	uint32		place[(1 << DIGIT_BITS) + 1];
	const uint32 mask = (1 << DIGIT_BITS) - 1;

	for (int shift = 0; shift < 32 && size >> shift > 0; shift += DIGIT_BITS)
	{
		memset(place, 0, sizeof(uint32) * (Min(size >> shift, mask) + 2));
		for (uint64 i = 0; i < nrows; i++)
			place[((Min(code[rows[i]], size) >> shift) & mask) + 1]++;
		CHECK_FOR_INTERRUPTS();
		for (uint32 digit = 1; digit <= Min(size >> shift, mask); digit++)
			place[digit] += place[digit - 1];
		for (uint64 i = 0; i < nrows; i++)
			spare[place[(Min(code[rows[i]], size) >> shift) & mask]++] = rows[i];
		CHECK_FOR_INTERRUPTS();
		memcpy(rows, spare, sizeof(RowId) * nrows);
	}
}

/* Sorts rows by all columns, the sensitive one last. */
static void
sort_rows(const Frame *frame, const Records *records, RowId *rows, uint64 nrows)
{
	RowId	   *spare = new_array(RowId, nrows);

	sort_by_code(frame->sensitive, frame->nsensitive, rows, spare, nrows);
	for (int d = records->ndimensions - 1; d >= 0; d--)
		sort_by_code(frame->code[records->dimensions[d].qi], records->dimensions[d].size - 1, rows, spare, nrows);
	pfree(spare);
}

/* ----------------------------------------------------------------
 * Dimensions
 * ----------------------------------------------------------------
 */

/* Tables only pay where they are looked at more often than they are made. */
static void
tabulate_dimensions(Records *records, uint64 looks)
{
	for (int d = 0; d < records->ndimensions; d++)
	{
		Dimension  *dimension = &records->dimensions[d];
		const Domain *domain = dimension->domain;
		Code		size = dimension->size;

		if (size <= MAX_TABLE_SIZE && size <= looks)
		{
			float	   *losses = palloc0(sizeof(float) * size * size);

			for (Code lo = 0; lo < size; lo++)
				for (Code hi = lo + 1; hi < size; hi++)
					losses[lo * size + hi] = dimension->weight * cover_loss(domain, (Span) {lo, hi});
			dimension->losses = losses;
		}
	}
}

/* ----------------------------------------------------------------
 * Records
 * ----------------------------------------------------------------
 */

/*
 * Finds where records begin among the sorted rows, and copies the codes of each.  Each row is looked at once, a cache
 * line for each of its codes.
 */
static void
find_records(Records *records, const Frame *frame, uint64 nrows)
{
	Size		width = records->ndimensions;
	uint32		allocated = 0;

	for (uint64 i = 0; i < nrows; i++)
	{
		Code	   *tuple;

		CHECK_FOR_INTERRUPTS();
		if (records->nrecords == allocated)
		{
			allocated = array_room(allocated, records->nrecords + 1);
			array_resize(records->first, allocated);
			array_resize(records->tuples, allocated * width);
		}
		for (Size d = 0; d < width && i + ROWS_AHEAD < nrows; d++)
			__builtin_prefetch(&frame->code[records->dimensions[d].qi][records->rows[i + ROWS_AHEAD]]);
		tuple = records->tuples + records->nrecords * width;
		for (Size d = 0; d < width; d++)
			tuple[d] = frame->code[records->dimensions[d].qi][records->rows[i]];
		if (i > 0 && memcmp(tuple, tuple - width, sizeof(Code) * width) == 0)
			continue;
		records->first[records->nrecords++] = i;
	}
	array_resize(records->first, records->nrecords);
	array_resize(records->tuples, records->nrecords * width);
	records->first[records->nrecords] = nrows;
}

/* The next number of a generator (splitmix64). */
static uint64
next_random(uint64 *state)
{
	uint64		z = (*state += UINT64CONST(0x9E3779B97F4A7C15));

	z = (z ^ (z >> 30)) * UINT64CONST(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

/* Shuffles the rows of each record. */
static void
shuffle_records(Records *records, uint64 seed)
{
	uint64		state = seed;

	for (uint32 r = 0; r < records->nrecords; r++)
	{
		RowId	   *rows = records->rows + records->first[r];

		for (uint32 n = record_rows(records, r); n > 1; n--)
		{
			uint32		other = ((next_random(&state) >> 32) * n) >> 32;
			RowId		row = rows[n - 1];

			CHECK_FOR_INTERRUPTS();
			rows[n - 1] = rows[other];
			rows[other] = row;
		}
	}
}

void
records_count_values(Records *records, const Frame *frame, Tally *tally)
{
	uint64		nrows = records->first[records->nrecords];
	uint32		n = 0;

	records->first_value = new_array(uint32, records->nrecords);
	records->values = new_array(ValueRows, nrows);
	for (uint32 r = 0; r < records->nrecords; r++)
	{
		uint64		nulls;

		CHECK_FOR_INTERRUPTS();
		records->first_value[r] = n;
		for (uint32 i = records->first[r]; i < records->first[r + 1]; i++)
		{
			if (i + ROWS_AHEAD < nrows)
				__builtin_prefetch(&frame->sensitive[records->rows[i + ROWS_AHEAD]]);
			tally_add(tally, frame->sensitive[records->rows[i]]);
		}
		nulls = tally->rows;
		for (uint32 i = 0; i < tally->values; i++)
		{
			Code		value = tally->value[i];

			records->values[n++] = (ValueRows) {value, tally->count[value]};
			nulls -= tally->count[value];
		}
		if (nulls > 0)
			records->values[n++] = (ValueRows) {NO_CODE, nulls};
		tally_clear(tally);
	}
	records->first_value[records->nrecords] = n;
}

/* The dimensions of a frame, without losses, and no record. */
static Records *
records_create(const Frame *frame)
{
	Records    *records = palloc0(sizeof(Records));

	records->ndimensions = frame->nqis;
	records->dimensions = palloc0(sizeof(Dimension) * Max(1, frame->nqis));
	for (int qi = 0; qi < frame->nqis; qi++)
	{
		const Domain *domain = &frame->domain[qi];
		Code		nplaces = domain->size - (domain->null_code == NO_CODE ? 0 : 1);
		bool		is_line = domain->tree == NULL && nplaces > 0;
		int			d = qi;

		for (; d > 0 && records->dimensions[d - 1].size > domain->size; d--)
			records->dimensions[d] = records->dimensions[d - 1];
		records->dimensions[d] = (Dimension) {
			.qi = qi, .domain = domain, .size = domain->size, .weight = weight_of(frame, qi),
			.position = is_line ? domain->position : NULL,
			.width = is_line ? (domain->position[nplaces - 1] - domain->position[0]) / weight_of(frame, qi) : 0
		};
	}
	return records;
}

Records *
records_none(const Frame *frame)
{
	Records    *records = records_create(frame);

	tabulate_dimensions(records, frame->nrows);
	return records;
}

Records *
records_collapse(const Frame *frame, RowId *rows, uint64 nrows, uint64 seed)
{
	Records    *records = records_create(frame);

	records->rows = rows;
	sort_rows(frame, records, rows, nrows);
	find_records(records, frame, nrows);
	tabulate_dimensions(records, records->nrecords);
	shuffle_records(records, seed);
	return records;
}

/*
 * records.c
 *		Sorting rows by their codes, and collapsing those with equal tuples.
 *
 * NOTES
 *		Codes are dense, so rows are sorted by counting, least significant
 *		column first, with one array of row numbers beside the rows' own.  The
 *		sensitive column is sorted by too: only then does nothing but the codes
 *		decide what follows.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "frame/arrays.h"
#include "partition/groups.h"

/* Codes are sorted by digits of so many bits: few rows are sorted twice before all places of a wide digit are counted. */
#define DIGIT_BITS		16
#define FEW_DIGIT_BITS	8
#define FEW_ROWS		4096

/* A domain up to this size gets a table of all its spans' losses. */
#define MAX_TABLE_SIZE	256

/* A tree deeper than this is climbed by jumps. */
#define MAX_STEPS		16

/* One stable pass of counting sort over a digit; NO_CODE comes last. */
static void
sort_by_digit(const Code *code, int shift, int bits, const RowId *from, RowId *to, uint64 nrows)
{
	const int	mask = (1 << bits) - 1;
	uint32	   *place = palloc0(sizeof(uint32) * (mask + 2));

	for (uint64 i = 0; i < nrows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		place[((code[from[i]] >> shift) & mask) + 1]++;
	}
	for (int digit = 1; digit <= mask; digit++)
		place[digit] += place[digit - 1];
	for (uint64 i = 0; i < nrows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		to[place[(code[from[i]] >> shift) & mask]++] = from[i];
	}
	pfree(place);
}

/* Sorts by a column whose codes are below size, or NO_CODE. */
static void
sort_by_column(const Code *code, Code size, RowId **rows, RowId **buffer, uint64 nrows)
{
	const int	bits = nrows < FEW_ROWS ? FEW_DIGIT_BITS : DIGIT_BITS;

	for (int shift = 0; shift == 0 || (shift < 32 && (size >> shift) != 0); shift += bits)
	{
		RowId	   *sorted = *buffer;

		sort_by_digit(code, shift, bits, *rows, sorted, nrows);
		*buffer = *rows;
		*rows = sorted;
	}
}

/* Sorts rows by all columns, the sensitive one last. */
static void
sort_rows(const Frame *frame, const Records *records, RowId *rows, uint64 nrows)
{
	RowId	   *own = new_array(RowId, nrows);
	RowId	   *sorted = rows;
	RowId	   *buffer = own;

	sort_by_column(frame->sensitive, frame->nsensitive, &sorted, &buffer, nrows);
	for (int d = records->ndimensions - 1; d >= 0; d--)
	{
		const Dimension *dimension = &records->dimensions[d];

		sort_by_column(frame->code[dimension->qi], dimension->size,
					   &sorted, &buffer, nrows);
	}
	if (sorted != rows)
		memcpy(rows, sorted, sizeof(RowId) * nrows);
	pfree(own);
}

/* The losses of all spans of a dimension whose domain is small. */
static const float *
tabulate_losses(const Dimension *dimension)
{
	const Domain *domain = dimension->domain;
	Code		size = domain->size;
	float	   *losses = palloc0(sizeof(float) * size * size);

	for (Code lo = 0; lo < size; lo++)
		for (Code hi = lo + 1; hi < size; hi++)
			losses[lo * size + hi] =
				dimension->weight * domain_loss(domain, domain_cover(domain, (Span) {lo, hi}));
	return losses;
}

/*
 * For each node an ancestor to jump to, so that any ancestor is found in a
 * number of steps that grows with the logarithm of the depth: two jumps of one
 * length are followed by one of both lengths and one step.  NULL if no node is
 * deep.  After Myers: An applicative random-access stack (1983).
 */
static const uint32 *
make_jumps(const Tree *tree)
{
	uint32	   *jump = new_array(uint32, tree->nnodes);
	uint32	   *depth = new_array(uint32, tree->nnodes);
	bool		deep = false;

	jump[0] = depth[0] = 0;
	for (uint32 i = 1; i < tree->nnodes; i++)
	{
		uint32		parent = tree->nodes[i].parent;
		uint32		above = jump[parent];

		CHECK_FOR_INTERRUPTS();
		jump[i] = depth[parent] - depth[above] == depth[above] - depth[jump[above]]
			? jump[above] : parent;
		depth[i] = depth[parent] + 1;
		deep |= depth[i] > MAX_STEPS;
	}
	pfree(depth);
	if (deep)
		return jump;
	pfree(jump);
	return NULL;
}

double
deep_loss(const Dimension *dimension, Code lo, Code hi)
{
	const Tree *tree = dimension->domain->tree;
	uint32		node = tree->leaf[lo];

	while (tree->nodes[node].leaves.hi < hi)
	{
		uint32		jump = dimension->jump[node];

		node = tree->nodes[jump].leaves.hi < hi ? jump : tree->nodes[node].parent;
	}
	return dimension->weight * domain_loss(dimension->domain, tree->nodes[node].leaves);
}

/* Describes a quasi-identifier; the positions are those of a line. */
static Dimension
make_dimension(const Frame *frame, int qi)
{
	const Domain *domain = &frame->domain[qi];
	Dimension	dimension = {.qi = qi, .domain = domain, .size = domain->size, .weight = weight_of(frame, qi)};
	Code		nplaces = domain->size - (domain->null_code == NO_CODE ? 0 : 1);

	if (domain->tree == NULL && nplaces > 0)
	{
		dimension.position = domain->position;
		dimension.width = domain->position[nplaces - 1] - domain->position[0];
	}
	return dimension;
}

/* Puts the dimensions in order: by size, and as declared among equals. */
static void
order_dimensions(Records *records, const Frame *frame)
{
	records->ndimensions = frame->nqis;
	records->dimensions = palloc0(sizeof(Dimension) * Max(1, frame->nqis));
	for (int qi = 0; qi < frame->nqis; qi++)
	{
		int			d = qi;

		for (; d > 0 && records->dimensions[d - 1].size > frame->domain[qi].size; d--)
			records->dimensions[d] = records->dimensions[d - 1];
		records->dimensions[d] = make_dimension(frame, qi);
	}
}

/* Tables and jumps only pay where they are looked at more often than they are made. */
static void
tabulate_dimensions(Records *records)
{
	for (int d = 0; d < records->ndimensions; d++)
	{
		Dimension  *dimension = &records->dimensions[d];
		Code		size = dimension->size;

		if (size <= MAX_TABLE_SIZE && size <= records->nrecords)
			dimension->losses = tabulate_losses(dimension);
		else if (dimension->domain->tree != NULL && size / MAX_TABLE_SIZE <= records->nrecords)
			dimension->jump = make_jumps(dimension->domain->tree);
	}
}

static bool
equal_tuples(const Frame *frame, RowId a, RowId b)
{
	for (int qi = 0; qi < frame->nqis; qi++)
		if (frame->code[qi][a] != frame->code[qi][b])
			return false;
	return true;
}

/* Finds where records begin among the sorted rows. */
static void
find_records(Records *records, const Frame *frame, uint64 nrows)
{
	const RowId *rows = records->rows;
	uint32		n = 0;

	for (uint64 i = 0; i < nrows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i == 0 || !equal_tuples(frame, rows[i - 1], rows[i]))
			n++;
	}
	records->nrecords = n;
	records->first = new_array(uint32, n);
	n = 0;
	for (uint64 i = 0; i < nrows; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i == 0 || !equal_tuples(frame, rows[i - 1], rows[i]))
			records->first[n++] = i;
	}
	records->first[n] = nrows;
}

/* Copies the codes of each record, tuple by tuple. */
static void
copy_tuples(Records *records, const Frame *frame)
{
	Code	   *tuple;

	records->tuples = new_array(Code, (Size) records->ndimensions * records->nrecords + 1);
	tuple = records->tuples;
	for (uint32 r = 0; r < records->nrecords; r++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int d = 0; d < records->ndimensions; d++)
			*tuple++ = frame->code[records->dimensions[d].qi][records->rows[records->first[r]]];
	}
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

/* Empties the tally into the values of a record, behind those of the ones before. */
static void
take_values(Records *records, uint32 record, Tally *tally)
{
	uint32		n = records->first_value[record];
	uint64		nulls = tally->rows;

	for (uint32 i = 0; i < tally->values; i++)
	{
		Code		value = tally->value[i];

		records->values[n++] = (ValueRows) {value, tally->count[value]};
		nulls -= tally->count[value];
	}
	if (nulls > 0)
		records->values[n++] = (ValueRows) {NO_CODE, nulls};
	records->first_value[record + 1] = n;
	tally_clear(tally);
}

void
records_count_values(Records *records, const Frame *frame, Tally *tally)
{
	records->first_value = new_array(uint32, records->nrecords);
	records->values = new_array(ValueRows, records->first[records->nrecords]);
	records->first_value[0] = 0;
	for (uint32 r = 0; r < records->nrecords; r++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint32 i = records->first[r]; i < records->first[r + 1]; i++)
			tally_add(tally, frame->sensitive[records->rows[i]]);
		take_values(records, r, tally);
	}
}

Records *
records_describe(const Frame *frame, uint32 nrecords)
{
	Records    *records = palloc0(sizeof(Records));

	records->nrecords = nrecords;
	order_dimensions(records, frame);
	tabulate_dimensions(records);
	return records;
}

Records *
records_collapse(const Frame *frame, RowId *rows, uint64 nrows, uint64 seed)
{
	Records    *records = palloc0(sizeof(Records));

	records->rows = rows;
	order_dimensions(records, frame);
	sort_rows(frame, records, rows, nrows);
	find_records(records, frame, nrows);
	copy_tuples(records, frame);
	tabulate_dimensions(records);
	shuffle_records(records, seed);
	return records;
}

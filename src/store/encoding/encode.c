/*
 * encode.c
 *		A column as bytes: in what form it takes least.
 *
 * NOTES
 *		Three questions are answered one after the other, each by counting what the
 *		answers would take, not by writing them all: where NULLs are, whether values
 *		stand in runs, and whether a dictionary is worth it.  Only what is left then
 *		as items is looked at for compressing.
 *
 *		A Datum that is narrower than 8 bytes is taken for a signed integer, as when
 *		a tuple is read: what a Datum has above its type's bytes says nothing.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "store/encoding/parts.h"
#include "utils/memutils.h"

/* A sequence of values: integers, if they are passed by value, else items. */
typedef struct Values
{
	const ColumnShape *shape;	/* borrowed */
	uint32		n;
	uint64	   *numbers;		/* one of the two */
	Item	   *items;
} Values;

/* A sequence of values, as they are or with a dictionary. */
typedef struct SequencePlan
{
	Values		values;			/* all, or the dictionary's */
	PackedPlan	numbers;
	ItemsPlan	items;
	uint64	   *codes;			/* NULL: there is no dictionary */
	PackedPlan	packed_codes;
	uint64		size;
} SequencePlan;

/* ----------------------------------------------------------------
 * Values
 * ----------------------------------------------------------------
 */

/* Makes room for n values. */
static Values
create_values(const ColumnShape *shape, uint32 n)
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

/* The values of the rows that are not NULL. */
static Values
take_values(const ColumnShape *shape, const Datum *datums, const bool *nulls, uint32 nrows, uint32 nvalues)
{
	Values		values = create_values(shape, nvalues);
	uint32		n = 0;

	for (uint32 row = 0; row < nrows; row++)
	{
		if (nulls != NULL && nulls[row])
			continue;
		if (shape->typbyval)
			values.numbers[n++] = number_of(shape, datums[row]);
		else
			values.items[n++] = item_of(shape, datums[row]);
	}
	return values;
}

/* Some of the values, by their places. */
static Values
choose_values(const Values *from, const uint32 *places, uint32 n)
{
	Values		values = create_values(from->shape, n);

	for (uint32 i = 0; i < n; i++)
		if (values.numbers != NULL)
			values.numbers[i] = from->numbers[places[i]];
		else
			values.items[i] = from->items[places[i]];
	return values;
}

static inline bool
same_value(const Values *values, uint32 i, uint32 j)
{
	return values->numbers != NULL ? values->numbers[i] == values->numbers[j] :
		items_equal(&values->items[i], &values->items[j]);
}

/* ----------------------------------------------------------------
 * Dictionaries
 * ----------------------------------------------------------------
 */

#define STEPS_A_VALUE 8
#define FREE_STEPS 4096

/* The number of values after which we look whether they repeat at all. */
#define VALUES_TRIED 2048

typedef struct Slot
{
	uint32		hash;
	uint32		code;			/* and 1; 0: free */
} Slot;

static inline uint64
mix(uint64 hash, uint64 word)
{
	hash = (hash ^ word) * UINT64CONST(0x9E3779B97F4A7C15);
	return hash ^ (hash >> 29);
}

/* 8 bytes at a time; the last ones may overlap those before. */
static inline uint64
hash_bytes_of(uint64 hash, const char *data, uint32 length)
{
	uint64		word = 0;

	if (length < sizeof(word))
	{
		for (uint32 i = 0; i < length; i++)
			word = word << 8 | (unsigned char) data[i];
		return mix(hash, word);
	}
	for (uint32 at = 0; at + sizeof(word) < length; at += sizeof(word))
	{
		memcpy(&word, data + at, sizeof(word));
		hash = mix(hash, word);
	}
	memcpy(&word, data + length - sizeof(word), sizeof(word));
	return mix(hash, word);
}

static inline uint32
hash_value(const Values *values, uint32 i)
{
	uint64		hash = values->numbers != NULL ? mix(0, values->numbers[i]) :
		hash_bytes_of(values->items[i].length, values->items[i].data, values->items[i].length);

	return hash * UINT64CONST(0xBF58476D1CE4E5B9) >> 32;
}

/*
 * Numbers the values in order of appearance: codes for all of them, and where each
 * is met first.  Returns how many there are; 0, if there are more than the limit, or
 * if it takes too long: values may have been chosen so that they all meet in one
 * place of the hash table.  If as many values as the limit allows were equally frequent,
 * a certain number of the first ones would have been repetitions: with less than half as
 * many, the rest is not tried.
 */
static uint32
find_distinct(const Values *values, uint32 limit, uint64 *codes, uint32 *first)
{
	uint32		nslots = pg_nextpower2_32(2 * limit);
	Slot	   *slots = palloc0(sizeof(Slot) * nslots);
	uint64		steps = (uint64) values->n * STEPS_A_VALUE + FREE_STEPS;
	uint32		n = 0;
	bool		worthwhile = true;

	for (uint32 i = 0; i < values->n && worthwhile; i++)
	{
		uint32		hash = hash_value(values, i);
		Slot	   *slot = &slots[hash & (nslots - 1)];

		for (; slot->code != 0 && steps > 0; steps--)
		{
			if (slot->hash == hash && same_value(values, first[slot->code - 1], i))
				break;
			slot = slot == &slots[nslots - 1] ? slots : slot + 1;
		}
		worthwhile = steps > 0 && (slot->code != 0 || n < limit) &&
			(i != VALUES_TRIED || VALUES_TRIED - n >= VALUES_TRIED / 2 * VALUES_TRIED / limit / 2);
		if (slot->code == 0 && worthwhile)
		{
			first[n] = i;
			*slot = (Slot) {.hash = hash, .code = ++n};
		}
		codes[i] = slot->code - 1;
		if (i % ENCODING_VECTOR == 0)
			CHECK_FOR_INTERRUPTS();
	}
	pfree(slots);
	return worthwhile ? n : 0;
}

/*
 * The most entries of a dictionary that may save something: it takes the codes'
 * bits for each value, and the entries, each as long as a value is on average.
 */
static uint32
entries_at_most(uint32 n, uint64 size)
{
	uint32		limit = 0;

	for (uint32 bits = 1; bits < 32; bits++)
	{
		uint64		codes = (uint64) n * bits / 8;
		uint64		entries = codes >= size ? 0 : n * (size - codes) / size;

		if (entries <= UINT64CONST(1) << (bits - 1))
			break;
		limit = Min(entries, UINT64CONST(1) << bits);
	}
	return limit;
}

/* Measures values as they are. */
static void
measure_values(SequencePlan *plan, const Values *values)
{
	plan->values = *values;
	if (values->numbers != NULL)
		packed_measure(&plan->numbers, values->numbers, values->n);
	else
		items_measure(&plan->items, values->shape, values->items, values->n);
	plan->size = values->numbers != NULL ? plan->numbers.size : plan->items.size;
}

/* Chooses the encoding that takes least for these values, which must stay. */
static void
measure_sequence(SequencePlan *plan, const Values *values)
{
	SequencePlan other = {.size = 0};
	uint32		limit;
	uint32	   *first;
	uint32		n;
	Values		entries;

	*plan = (SequencePlan) {.codes = NULL};
	measure_values(plan, values);
	limit = entries_at_most(values->n, plan->size);
	if (limit == 0)
		return;
	other.codes = palloc(sizeof(uint64) * values->n);
	first = palloc(sizeof(uint32) * limit);
	n = find_distinct(values, limit, other.codes, first);
	if (n == 0)
	{
		pfree(first);
		pfree(other.codes);
		return;
	}
	entries = choose_values(values, first, n);
	packed_measure(&other.packed_codes, other.codes, values->n);
	measure_values(&other, &entries);
	other.size += sizeof(uint64) + other.packed_codes.size;
	if (other.size < plan->size)
		*plan = other;
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* Finds the runs of at least one value: their lengths, and where they begin. */
static uint32
find_runs(const Values *values, uint64 *lengths, uint32 *starts)
{
	uint32		nruns = 0;
	uint32		start = 0;

	for (uint32 i = 1; i <= values->n; i++)
	{
		if (i < values->n && same_value(values, i, i - 1))
			continue;
		starts[nruns] = start;
		lengths[nruns++] = i - start;
		start = i;
	}
	return nruns;
}

/* Decides whether values are stored one by one, as runs, or as a single one. */
static Repeats
choose_repeats(const Values *values, SequencePlan *sequence, RunsPlan *runs)
{
	uint64	   *lengths = palloc(sizeof(uint64) * values->n);
	uint32	   *starts = palloc(sizeof(uint32) * values->n);
	uint32		nruns = find_runs(values, lengths, starts);
	Values		of_runs;
	SequencePlan by_row;
	double		for_each;

	if (nruns == values->n && nruns > 1)
	{
		measure_sequence(sequence, values);
		return REPEATS_NONE;
	}
	of_runs = choose_values(values, starts, nruns);
	measure_sequence(sequence, &of_runs);
	if (nruns == 1)
		return REPEATS_ALL;
	runs_measure(runs, lengths, nruns, values->n);
	/* The size of all values is estimated by that of one for each run: it is not worth the time to find it out. */
	for_each = sequence->codes != NULL ? sequence->packed_codes.size : sequence->size;
	if (runs->size + sequence->size < for_each * values->n / nruns + (sequence->size - for_each))
		return REPEATS_RUNS;
	measure_sequence(&by_row, values);
	if (runs->size + sequence->size < by_row.size)
		return REPEATS_RUNS;
	*sequence = by_row;
	return REPEATS_NONE;
}

char *
encode_column(const ColumnShape *shape, const Datum *values, const bool *nulls, uint32 nrows, Size *length)
{
	Output		out;
	ColumnHeader header = {.version = COLUMN_VERSION, .nvalues = nulls == NULL ? nrows : count_values(nulls, nrows)};
	SequencePlan sequence = {.codes = NULL};
	RunsPlan	runs;
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext scratch = AllocSetContextCreate(outer, "column being encoded", ALLOCSET_DEFAULT_SIZES);

	if (nrows > ENCODING_MAX_ROWS || !shape_is_known(shape))
		elog(ERROR, "cannot encode %u rows of length %d", nrows, shape->typlen);
	output_create(&out);
	MemoryContextSwitchTo(scratch);
	header.nulls = header.nvalues == nrows ? NULLS_NONE : header.nvalues == 0 ? NULLS_ALL : NULLS_BITMAP;
	if (header.nvalues > 0)
	{
		Values		present = take_values(shape, values, nulls, nrows, header.nvalues);

		header.repeats = choose_repeats(&present, &sequence, &runs);
		header.has_dictionary = sequence.codes != NULL;
	}
	*(ColumnHeader *) output_add(&out, sizeof(ColumnHeader)) = header;
	if (header.nulls == NULLS_BITMAP)
		nulls_write(&out, nulls, nrows);
	if (header.repeats == REPEATS_RUNS)
		runs_write(&out, &runs);
	if (header.nvalues > 0)
	{
		if (sequence.codes != NULL)
		{
			*(uint64 *) output_add(&out, sizeof(uint64)) = sequence.values.n;
			packed_write(&out, &sequence.packed_codes, sequence.codes);
		}
		if (sequence.values.numbers != NULL)
			packed_write(&out, &sequence.numbers, sequence.values.numbers);
		else
			items_write(&out, &sequence.items);
	}
	MemoryContextSwitchTo(outer);
	MemoryContextDelete(scratch);
	return output_finish(&out, length);
}

/*
 * sequence.c
 *		A sequence of values, as they are or with a dictionary.
 *
 * LAYOUT
 *		With a dictionary: the number of its entries, codes as packed integers, the
 *		entries as values.  Else the values.  What may be long comes last.
 */
#include "postgres.h"

#include "store/encoding/sequence.h"

/* ----------------------------------------------------------------
 * Writing
 * ----------------------------------------------------------------
 */

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

static uint64
dictionary_size(const SequencePlan *plan)
{
	return sizeof(uint64) + plan->codes.size + plan->values.size;
}

static Values
gather_entries(const Values *values, const Distinct *distinct)
{
	Values		entries = values_create(values->shape, distinct->n);

	for (uint32 i = 0; i < distinct->n; i++)
		values_copy(&entries, i, values, distinct->first[i]);
	return entries;
}

/* A dictionary instead of the values as they are, if it takes less. */
static void
try_dictionary(SequencePlan *plan, uint32 n)
{
	SequencePlan other = *plan;

	other.has_dictionary = true;
	packed_measure(&other.codes, other.distinct.codes, n, PACKED_COUNTS);
	values_measure(&other.values, &plan->entries);
	other.size = dictionary_size(&other);
	if (other.size < plan->size)
		*plan = other;
}

void
sequence_measure(SequencePlan *plan, const Values *values)
{
	uint32		limit;

	*plan = (SequencePlan) {.has_dictionary = false};
	values_measure(&plan->values, values);
	plan->size = plan->values.size;
	limit = entries_at_most(values->n, plan->size);
	if (limit == 0 || !find_distinct(&plan->distinct, values, limit))
		return;
	plan->entries = gather_entries(values, &plan->distinct);
	try_dictionary(plan, values->n);
}

/* Returns the code of each value, from the codes and the lengths of the runs. */
static uint64 *
repeat_codes(const uint64 *codes, const uint64 *lengths, uint32 nruns, uint32 n)
{
	uint64	   *all = palloc(sizeof(uint64) * n);
	uint64	   *at = all;

	for (uint32 run = 0; run < nruns; run++)
		for (uint64 i = 0; i < lengths[run]; i++)
			*at++ = codes[run];
	return all;
}

void
sequence_measure_rows(SequencePlan *plan, const Values *values, const SequencePlan *by_run,
					  const uint64 *lengths, uint32 nruns)
{
	*plan = (SequencePlan) {.has_dictionary = false};
	values_measure(&plan->values, values);
	plan->size = plan->values.size;
	if (!by_run->has_dictionary)
		return;
	plan->distinct = by_run->distinct;
	plan->distinct.codes = repeat_codes(by_run->distinct.codes, lengths, nruns, values->n);
	plan->entries = by_run->entries;
	try_dictionary(plan, values->n);
}

void
sequence_write(Output *out, const SequencePlan *plan)
{
	if (plan->has_dictionary)
	{
		*(uint64 *) output_add(out, sizeof(uint64)) = plan->distinct.n;
		packed_write(out, &plan->codes, plan->distinct.codes);
	}
	values_write(out, &plan->values);
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

const char *
sequence_open(SequenceReader *reader, Input *in, const ColumnShape *shape, uint32 n, bool has_dictionary)
{
	const uint64 *nentries;
	const char *error;

	*reader = (SequenceReader) {.n = n, .has_dictionary = has_dictionary, .context = CurrentMemoryContext};
	if (!has_dictionary)
		return values_open(&reader->values, in, shape, n);
	nentries = (const uint64 *) input_take(in, sizeof(uint64));
	if (nentries == NULL || *nentries == 0 || *nentries > n)
		return "The dictionary has no entries, or more than there are values.";
	reader->nentries = *nentries;
	error = packed_open(&reader->codes, in, n);
	return error != NULL ? error : values_open(&reader->values, in, shape, reader->nentries);
}

/* Reads a code's entry, and those beside it, into the dictionary that is kept. */
static const char *
keep_entries(SequenceReader *reader, uint32 code)
{
	uint32		from;
	uint32		n;

	items_beside(&reader->values.items, code, &from, &n);
	return values_read(&reader->values, from, n, reader->context, reader->entries + from);
}

/* Numbers are kept all at once, as 0 is one. */
static const char *
open_dictionary(SequenceReader *reader)
{
	Datum	   *entries;

	if (reader->entries != NULL)
		return NULL;
	entries = MemoryContextAllocZero(reader->context, sizeof(Datum) * reader->nentries);
	for (uint32 from = 0; reader->values.shape->typbyval && from < reader->nentries; from += ENCODING_VECTOR)
	{
		uint32		n = Min(ENCODING_VECTOR, reader->nentries - from);
		const char *error = values_read(&reader->values, from, n, reader->context, entries + from);

		if (error != NULL)
			return error;
	}
	reader->entries = entries;
	return NULL;
}

const char *
sequence_read_codes(const SequenceReader *reader, uint32 from, uint32 n, uint64 *codes)
{
	uint64		highest = 0;

	packed_read(&reader->codes, from, n, codes);
	for (uint32 i = 0; i < n; i++)
		highest = Max(highest, codes[i]);
	return highest >= reader->nentries ? "A code is not in the dictionary." : NULL;
}

/* Reads entries that were not needed before. */
static inline const char *
get_entry(SequenceReader *reader, uint32 code, bool is_number, Datum *value)
{
	*value = reader->entries[code];
	if (unlikely(*value == 0) && !is_number)
	{
		const char *error = keep_entries(reader, code);

		if (error != NULL)
			return error;
		*value = reader->entries[code];
	}
	return NULL;
}

const char *
sequence_entry(SequenceReader *reader, uint32 code, Datum *value)
{
	const char *error = open_dictionary(reader);

	return error != NULL ? error : get_entry(reader, code, reader->values.shape->typbyval, value);
}

const char *
sequence_read(SequenceReader *reader, uint32 from, uint32 n, MemoryContext context, Datum *values)
{
	bool		is_number = reader->values.shape->typbyval;
	uint64		codes[ENCODING_VECTOR];
	const char *error;

	Assert(n <= ENCODING_VECTOR);
	if (!reader->has_dictionary)
		return values_read(&reader->values, from, n, context, values);
	error = open_dictionary(reader);
	if (error == NULL)
		error = sequence_read_codes(reader, from, n, codes);
	for (uint32 i = 0; i < n && error == NULL; i++)
		error = get_entry(reader, codes[i], is_number, &values[i]);
	return error;
}

const char *
sequence_read_one(const SequenceReader *reader, uint32 i, MemoryContext context, Datum *value)
{
	uint64		code = i;

	if (reader->has_dictionary)
	{
		packed_read(&reader->codes, i, 1, &code);
		if (code >= reader->nentries)
			return "A code is not in the dictionary.";
	}
	return values_read(&reader->values, code, 1, context, value);
}

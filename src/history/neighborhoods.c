/*
 * neighborhoods.c
 *		Reading the fold whole.
 *
 * NOTES
 *		Sensitive values are numbered by their bytes as they come.  They are
 *		counted in the end, when it is known which of them are equal.
 */
#include "history/neighborhoods.h"

#include "frame/arrays.h"
#include "frame/dictionary.h"
#include "history/element.h"
#include "history/fold.h"
#include "history/reader.h"
#include "miscadmin.h"
#include "utils/memutils.h"

typedef struct Reading
{
	const DeclaredPublication *publication;
	const Recalled *recalled;
	Element		key;
	Element		sensitive;
	Dictionary *dictionary;
	MemoryContext context;
	KnownNeighborhood *known;
	uint64		n;
	uint64		allocated;

	/* Numbers of the values, neighborhood by neighborhood */
	uint64	   *first_value;	/* [n + 1] */
	uint32	   *value;
	uint64		values_allocated;
} Reading;

/* Makes room for another neighborhood with so many values. */
static void
make_room(Reading *reading, uint64 values)
{
	uint64		filled = reading->first_value[reading->n];

	if (reading->n + 2 > reading->allocated)
	{
		reading->allocated *= 2;
		reading->known = repalloc_huge(reading->known, sizeof(KnownNeighborhood) * reading->allocated);
		reading->first_value = repalloc_huge(reading->first_value, sizeof(uint64) * reading->allocated);
	}
	if (filled + values > reading->values_allocated)
	{
		reading->values_allocated = Max(reading->values_allocated * 2, filled + values);
		reading->value = repalloc_huge(reading->value, sizeof(uint32) * reading->values_allocated);
	}
}

/* Finds the individual of the first person, or else of the first invented row. */
static Individual
find_member(const Reading *reading, const TupleTableSlot *slot)
{
	ElementWalk walk;

	for (element_walk(&walk, &reading->key, DatumGetArrayTypeP(slot->tts_values[FOLD_KEYS])); element_next(&walk);)
		if (!walk.isnull)
			return recalled_person(reading->recalled, walk.value);
	if (!slot->tts_isnull[FOLD_INVENTED])
		for (element_walk(&walk, &element_int8, DatumGetArrayTypeP(slot->tts_values[FOLD_INVENTED])); element_next(&walk);)
			if (!walk.isnull)
				return recalled_invented(reading->recalled, DatumGetInt64(walk.value));
	return NO_INDIVIDUAL;
}

/* Keeps the numbers of the values of a neighborhood until all rows are read. */
static void
keep_values(Reading *reading, Datum sensitive)
{
	uint64		first = reading->first_value[reading->n];
	ElementWalk walk;

	element_walk(&walk, &reading->sensitive, DatumGetArrayTypeP(sensitive));
	make_room(reading, walk.n);
	while (element_next(&walk))
		reading->value[first + walk.i] = dictionary_number(reading->dictionary, walk.value, walk.isnull);
	reading->first_value[reading->n + 1] = first + walk.n;
}

/* Visits a row of the fold; a malformed one, or one of people that the log does not have, is an error. */
static void
read_neighborhood(void *what, TupleTableSlot *slot)
{
	Reading    *reading = what;
	ArrayType  *keys;
	KnownNeighborhood known;

	if (!is_neighborhood(slot))
		refuse_neighborhood(reading->publication, slot);
	keys = DatumGetArrayTypeP(slot->tts_values[FOLD_KEYS]);
	known = (KnownNeighborhood) {
		.number = DatumGetInt64(slot->tts_values[FOLD_NEIGHBORHOOD]),
		.member = find_member(reading, slot),
		.records = ArrayGetNItems(ARR_NDIM(keys), ARR_DIMS(keys)),
	};
	keep_values(reading, slot->tts_values[FOLD_SENSITIVE]);
	if (known.member == NO_INDIVIDUAL || known.records == 0 ||
		(reading->first_value[reading->n + 1] - reading->first_value[reading->n]) % known.records != 0)
		refuse_neighborhood(reading->publication, slot);
	reading->known[reading->n++] = known;
}

/* Counts different values of an aspect by epoch.  Epochs are numbered across neighborhoods, so shown_in need not be cleared. */
static void
count_aspect(Reading *reading, const Code *code, const Aspect *aspect)
{
	uint64	   *shown_in = new_zeros(uint64, aspect->ncodes);
	uint64		epoch = 0;

	for (uint64 n = 0; n < reading->n; n++)
	{
		KnownNeighborhood *known = &reading->known[n];

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = reading->first_value[n]; i < reading->first_value[n + 1];)
		{
			uint64		end = i + known->records;
			int64		different = 0;

			for (epoch++; i < end; i++)
			{
				Code		value = code[reading->value[i]];

				if (value != NO_CODE && aspect->code != NULL)
					value = aspect->code[value];
				if (value == NO_CODE || shown_in[value] == epoch)
					continue;
				shown_in[value] = epoch;
				different++;
			}
			known->sensitive_values = Min(known->sensitive_values, different);
		}
	}
	pfree(shown_in);
}

/* Counts the fewest different values of any aspect. */
static void
count_values(Reading *reading)
{
	Code		nvalues;
	Datum	   *values;
	Oid			collation = publication_column(reading->publication, ROLE_SENSITIVE)->collation;
	const Code *code = dictionary_merge_equal(reading->dictionary, collation, &nvalues, &values);
	const Aspects *aspects = sensitive_columns(reading->publication, values, nvalues)->aspects;
	Aspect		values_themselves = {.ncodes = nvalues};

	for (uint64 n = 0; n < reading->n; n++)
		reading->known[n].sensitive_values = reading->known[n].records;
	if (aspects == NULL)
		count_aspect(reading, code, &values_themselves);
	for (int a = 0; aspects != NULL && a < aspects->n; a++)
		count_aspect(reading, code, &aspects->aspect[a]);
}

KnownNeighborhood *
neighborhoods_read(const DeclaredPublication *publication, const Recalled *recalled, uint64 *n)
{
	Oid			fold = past_table(publication, NEIGHBORHOODS_TABLE);
	const DeclaredColumn *sensitive = publication_column(publication, ROLE_SENSITIVE);
	Reading		reading = {
		.publication = publication,
		.recalled = recalled,
		.key = element_of(publication_column(publication, ROLE_KEY)),
		.sensitive = element_of(sensitive),
		.dictionary = dictionary_create(sensitive->type),
		.context = CurrentMemoryContext,
		.known = palloc(sizeof(KnownNeighborhood) * 64),
		.allocated = 64,
		.first_value = palloc0(sizeof(uint64) * 64),
		.value = palloc(sizeof(uint32)),
	};

	if (!OidIsValid(fold))
		past_refuse(publication, 0);
	past_table_verify(publication, NEIGHBORHOODS_TABLE);
	read_each(fold, read_neighborhood, &reading);
	count_values(&reading);
	*n = reading.n;
	return reading.known;
}

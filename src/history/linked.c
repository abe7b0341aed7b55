/*
 * linked.c
 *		linked_values(): for each person and value, the classes that linked the two.
 *
 * NOTES
 *		A class links all its people, and those for whom its counterfeits stand,
 *		to all values that it shows.  Where a method protects only some values,
 *		the others are left out.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "declare/work.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "history/protected.h"
#include "history/statistics.h"
#include "history/texts.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_linked_values);

/* A result in the making, and the links of the person at hand, value by value. */
typedef struct Linking
{
	const Recalled *recalled;
	const Statistics *statistics;
	const bool *is_protected;	/* [values] or NULL for all */
	const OwnersWork *work;
	TextCast   *key;
	TextCast   *sensitive;
	NullableDatum *texts;		/* [values] made when first needed; value 0 until then */
	MemoryContext texts_context;

	/* The person's values */
	Code	   *values;
	Code		nvalues;
	uint64	   *links;			/* [values] number of links; all are 0 between people */
	uint64	   *end;			/* [values] end of the links put into the arrays so far */

	/* The person's links */
	Datum	   *sizes;
	Datum	   *counts;
} Linking;

/* Casts a value to text once, and keeps the text for later people. */
static NullableDatum
text_of_value(Linking *linking, Code value)
{
	NullableDatum *text = &linking->texts[value];

	if (text->value == (Datum) 0 && !text->isnull)
	{
		MemoryContext old = MemoryContextSwitchTo(linking->texts_context);

		text->value = text_cast(linking->sensitive, linking->recalled->values[value], &text->isnull);
		MemoryContextSwitchTo(old);
	}
	return *text;
}

static inline bool
counts(const Linking *linking, Code value)
{
	return linking->is_protected == NULL || linking->is_protected[value];
}

/* Finds the values that a person was linked to, and counts the links; returns the number of all links. */
static uint64
find_values(Linking *linking, const Step *step, const Step *end)
{
	uint64		links = 0;

	linking->nvalues = 0;
	for (; step < end; step++)
	{
		const ShownValues *shown = &linking->statistics->shown[step->release];

		for (uint64 i = shown->first[step->class]; i < shown->first[step->class + 1]; i++)
		{
			if (!counts(linking, shown->value[i]))
				continue;
			if (linking->links[shown->value[i]]++ == 0)
				linking->values[linking->nvalues++] = shown->value[i];
			links++;
		}
	}
	return links;
}

/* Sorts the links by value: find_values() has counted them, so the place of each value is known. */
static void
put_links(Linking *linking, const Step *step, const Step *end, uint64 links)
{
	uint64		at = 0;

	linking->sizes = new_array(Datum, links);
	linking->counts = new_array(Datum, links);
	for (Code v = 0; v < linking->nvalues; v++)
	{
		linking->end[linking->values[v]] = at;
		at += linking->links[linking->values[v]];
	}
	for (; step < end; step++)
	{
		const ShownValues *shown = &linking->statistics->shown[step->release];
		Datum		size = Int32GetDatum(statistics_size(linking->statistics, *step));

		for (uint64 i = shown->first[step->class]; i < shown->first[step->class + 1]; i++)
		{
			uint64		place;

			if (!counts(linking, shown->value[i]))
				continue;
			place = linking->end[shown->value[i]]++;
			linking->sizes[place] = size;
			linking->counts[place] = Int32GetDatum(shown->count[i]);
		}
	}
}

static Datum
array_of(Datum *integers, uint64 n)
{
	return PointerGetDatum(construct_array(integers, n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

/* Returns a row for each value of the person, and sets the counts back to 0. */
static void
return_links(Linking *linking, Individual person)
{
	Datum		values[4];
	bool		nulls[4] = {false, false, false, false};

	values[0] = text_cast(linking->key, linking->recalled->people->keys[person], &nulls[0]);
	for (Code v = 0; v < linking->nvalues; v++)
	{
		Code		value = linking->values[v];
		uint64		n = linking->links[value];
		uint64		first = linking->end[value] - n;
		NullableDatum text = text_of_value(linking, value);

		values[1] = text.value;
		nulls[1] = text.isnull;
		values[2] = array_of(linking->sizes + first, n);
		values[3] = array_of(linking->counts + first, n);
		report_row(linking->work, values, nulls);
		linking->links[value] = 0;
	}
}

/* Collects the links of one person from all classes on its path. */
static void
link_person(Linking *linking, Individual person)
{
	const Statistics *statistics = linking->statistics;
	const Step *step = statistics->step + statistics->first[person];
	const Step *end = statistics->step + statistics->first[person + 1];

	put_links(linking, step, end, find_values(linking, step, end));
	return_links(linking, person);
}

/* Returns the links of all people; memory for one person is freed before the next. */
static void
link_people(const OwnersWork *work)
{
	const DeclaredPublication *publication = work->publication;
	const Recalled *recalled = recall(publication);
	Size		nvalues = (Size) recalled->seen.nvalues + 1;
	MemoryContext links = AllocSetContextCreate(CurrentMemoryContext, "links of a person", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	Linking		linking = {
		.recalled = recalled,
		.statistics = statistics_of(&recalled->seen),
		.is_protected = protected_values(publication, recalled),
		.work = work,
		.key = text_cast_create(publication_column(publication, ROLE_KEY)),
		.sensitive = text_cast_create(publication_column(publication, ROLE_SENSITIVE)),
		.texts = new_zeros(NullableDatum, nvalues),
		.texts_context = CurrentMemoryContext,
		.values = new_array(Code, nvalues),
		.links = new_zeros(uint64, nvalues),
		.end = new_array(uint64, nvalues),
	};

	old = MemoryContextSwitchTo(links);
	for (Individual person = 0; person < recalled->people->size; person++)
	{
		CHECK_FOR_INTERRUPTS();
		link_person(&linking, person);
		MemoryContextReset(links);
	}
	MemoryContextSwitchTo(old);
}

Datum
pprepub_linked_values(PG_FUNCTION_ARGS)
{
	return report(fcinfo, link_people);
}

/*
 * links.c
 *		linked_values() and breach_probability(): which classes linked people to values, and how
 *		likely an observer of all of them thinks it that there ever was a link.
 *
 * NOTES
 *		A class links all its people to all protected values that it shows.  These are as many links as people, releases and values: in SQL, sorting them takes ten times as long.
 */
#include "postgres.h"

#include "audit/breach.h"
#include "catalog/pg_type.h"
#include "declare/work.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "history/element.h"
#include "history/recall.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_links);

typedef struct Linking
{
	const OwnersWork *work;
	const Recalled *recalled;
	const LinkedValues *linked;
	bool		lists_classes;	/* or tells probabilities */
	TextCast   *key;
	TextCast   *sensitive;
	Individual	person;			/* whose key stands in key_text */
	NullableDatum key_text;
	MemoryContext of_person;
	NullableDatum *texts;		/* [values] made when first needed: value 0 if not */
} Linking;

static Datum
integers_of(const ClassLink *links, uint64 n, bool sizes)
{
	int32	   *integers = new_array(int32, n);

	for (uint64 i = 0; i < n; i++)
		integers[i] = sizes ? links[i].size : links[i].count;
	return integer_array(integers, n);
}

/* Puts a person, a value, and what linked them as a row.  Those of a person come together. */
static void
put_link(void *what, const Breach *breach)
{
	Linking    *linking = what;
	NullableDatum *text = &linking->texts[breach->value];
	Datum		values[4];
	bool		nulls[4] = {false};
	MemoryContext old;

	if (text->value == (Datum) 0 && !text->isnull)
		text->value = text_cast(linking->sensitive, linking->linked->codes->keys[breach->value], &text->isnull);
	if (breach->person != linking->person)
		MemoryContextReset(linking->of_person);
	old = MemoryContextSwitchTo(linking->of_person);
	if (breach->person != linking->person)
		linking->key_text.value = text_cast(linking->key, linking->recalled->people->keys[breach->person], &linking->key_text.isnull);
	linking->person = breach->person;
	values[0] = linking->key_text.value;
	nulls[0] = linking->key_text.isnull;
	values[1] = text->value;
	nulls[1] = text->isnull;
	values[2] = linking->lists_classes ? integers_of(breach->links, breach->n, true) : Int32GetDatum(breach->n);
	values[3] = linking->lists_classes ? integers_of(breach->links, breach->n, false)
		: Float8GetDatum(breach_probability_of(breach->links, breach->n));
	report_row(linking->work, values, nulls);
	MemoryContextSwitchTo(old);
}

/* Puts all links, as the owner: with sizes and counts of classes where the result has arrays for them. */
static void
put_links(const OwnersWork *work)
{
	const DeclaredPublication *publication = work->publication;
	const Recalled *recalled = recall(publication);
	LinkedValues linked = linked_values(publication, recalled);
	Seen		people = seen_of_people(&recalled->seen);
	Linking		linking = {
		.work = work, .recalled = recalled, .linked = &linked, .lists_classes = TupleDescAttr(work->result->setDesc, 2)->atttypid == INT4ARRAYOID,
		.key = text_cast_create(publication_column(publication, ROLE_KEY)),
		.sensitive = text_cast_create(linked.column),
		.person = NO_INDIVIDUAL,
		.of_person = AllocSetContextCreate(CurrentMemoryContext, "links of a person", ALLOCSET_DEFAULT_SIZES),
		.texts = new_zeros(NullableDatum, linked.codes->size),
	};

	visit_breaches(statistics_of(&people, linked.aspects), people.npeople,
				   protected_values(publication, &linked), put_link, &linking);
}

Datum
pprepub_links(PG_FUNCTION_ARGS)
{
	return report(fcinfo, put_links);
}

/*
 * breach_report.c
 *		breach_probability(): how likely each person was ever linked to each value.
 */
#include "postgres.h"

#include "audit/breach.h"
#include "declare/work.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "history/protected.h"
#include "history/texts.h"
#include "method/global/sql/global_sql.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_breach_probability);

typedef struct Reporting
{
	const Recalled *recalled;
	const OwnersWork *work;
	TextCast   *key;
	TextCast   *sensitive;
	Thread		person;			/* whose key stands in key_text */
	NullableDatum key_text;
	MemoryContext of_person;
	NullableDatum *texts;		/* [values] made when first needed: value 0 if not */
} Reporting;

static NullableDatum
text_of_person(Reporting *reporting, Thread person)
{
	if (person != reporting->person)
	{
		MemoryContext old;

		MemoryContextReset(reporting->of_person);
		old = MemoryContextSwitchTo(reporting->of_person);
		reporting->key_text.value = text_cast(reporting->key, reporting->recalled->people->keys[person],
											  &reporting->key_text.isnull);
		reporting->person = person;
		MemoryContextSwitchTo(old);
	}
	return reporting->key_text;
}

static NullableDatum
text_of_value(Reporting *reporting, Code value)
{
	NullableDatum *text = &reporting->texts[value];

	if (text->value == (Datum) 0 && !text->isnull)
		text->value = text_cast(reporting->sensitive, reporting->recalled->values[value], &text->isnull);
	return *text;
}

static void
put_breach(void *what, const Breach *breach)
{
	Reporting  *reporting = what;
	NullableDatum key = text_of_person(reporting, breach->person);
	NullableDatum sensitive = text_of_value(reporting, breach->value);
	Datum		values[] = {
		key.value, sensitive.value, Int32GetDatum(breach->n),
		Float8GetDatum(breach_probability_of(breach->links, breach->n)),
	};
	bool		nulls[] = {key.isnull, sensitive.isnull, false, false};

	report_row(reporting->work, values, nulls);
}

static void
put_breaches(const OwnersWork *work)
{
	const DeclaredPublication *publication = work->publication;
	const Recalled *recalled = recall(publication);
	Reporting	reporting = {
		.recalled = recalled,.work = work,
		.key = text_cast_create(publication_column(publication, ROLE_KEY)),
		.sensitive = text_cast_create(publication_column(publication, ROLE_SENSITIVE)),
		.person = NO_THREAD,
		.of_person = AllocSetContextCreate(CurrentMemoryContext, "key of a person", ALLOCSET_SMALL_SIZES),
		.texts = new_zeros(NullableDatum, recalled->seen.nvalues),
	};

	visit_breaches(statistics_of(&recalled->seen), recalled->people->size,
				   protected_values(publication, recalled), put_breach, &reporting);
}

Datum
pprepub_breach_probability(PG_FUNCTION_ARGS)
{
	OwnersWork	work;

	report_open(&work, fcinfo, AccessShareLock);
	if (report_begin(&work, fcinfo))
	{
		put_breaches(&work);
		work_close(&work);
	}
	return (Datum) 0;
}

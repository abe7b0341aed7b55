/*
 * reference.c
 *		The distribution that releases are compared with, kept beside their log.
 */
#include "history/reference.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/parameters.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "history/element.h"
#include "history/past_tables.h"
#include "history/rows.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define PART "reference"

/* The columns of the table. */
enum
{
	REFERENCE_SENSITIVE,
	REFERENCE_PEOPLE,
	REFERENCE_OF,
	REFERENCE_RELEASE,
	REFERENCE_COLUMNS
};

/* ----------------------------------------------------------------
 * A distribution
 * ----------------------------------------------------------------
 */

static void
make_room(Reference *reference, uint32 n)
{
	reference->allocated = n;
	array_resize(reference->people, n);
	array_resize(reference->of, n);
	array_resize(reference->release, n);
	array_resize(reference->share, n);
}

/* Makes a distribution without values. */
static Reference *
reference_create(const DeclaredPublication *publication)
{
	const DeclaredColumn *sensitive = publication_column(publication, ROLE_SENSITIVE);
	Reference  *reference = palloc0(sizeof(Reference));

	reference->values = keys_create(sensitive->type, sensitive->collation);
	make_room(reference, 16);
	return reference;
}

/* Makes the view of it by which frames are given shares. */
static void
show_shares(Reference *reference)
{
	reference->shares = (Shares) {
		.n = reference->values->size, .values = reference->values->keys,
		.share = reference->share, .since = reference->release
	};
}

/* Adds a value; one that equals another is ignored: its share was given. */
static void
add_value(Reference *reference, Datum value, int64 people, int64 of, double share, int32 release)
{
	uint64		n = reference->values->size;

	if (keys_add(reference->values, value) < n)
		return;
	if (n == reference->allocated)
		make_room(reference, reference->allocated * 2);
	reference->people[n] = people;
	reference->of[n] = of;
	reference->release[n] = release;
	reference->share[n] = share;
}

/* Adds a value that a release has found; nobody may have it any more. */
static void
add_found(Reference *reference, Datum value, uint64 people, uint64 known, int32 release)
{
	people = Max(people, 1);
	known = Max(known, people);
	add_value(reference, value, people, known, (double) people / known, release);
}

void
reference_find(Reference *reference, FrameLoad *load, int32 release)
{
	ValuePeople found = load_count_people(load);

	for (Code value = 0; value < found.n; value++)
		add_found(reference, found.values[value], found.people[value], found.known, release);
	show_shares(reference);
}

/* ----------------------------------------------------------------
 * The table
 * ----------------------------------------------------------------
 */

Oid
reference_table(const DeclaredPublication *publication)
{
	return noted_relation(publication, PART);
}

static void
refuse_table(const DeclaredPublication *publication)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("the distribution that releases of publication \"%s\" are compared with is malformed", publication->name),
			 errhint("Restore its table from a backup.")));
}

typedef struct Reading
{
	const DeclaredPublication *publication;
	Reference  *reference;
	Element		element;
} Reading;

/* Visits a row. */
static void
take_row(void *what, TupleTableSlot *slot)
{
	static const int always[] = {REFERENCE_SENSITIVE, REFERENCE_PEOPLE, REFERENCE_OF, REFERENCE_RELEASE};
	const Reading *reading = what;
	int64		people;
	int64		of;
	Datum		value;

	if (!row_has_values(slot, REFERENCE_COLUMNS, always, lengthof(always)))
		refuse_table(reading->publication);
	people = DatumGetInt64(slot->tts_values[REFERENCE_PEOPLE]);
	of = DatumGetInt64(slot->tts_values[REFERENCE_OF]);
	if (people <= 0 || of < people)
		refuse_table(reading->publication);
	value = slot->tts_values[REFERENCE_SENSITIVE];
	if (reading->element.stored != reading->element.type)
		value = element_from_text(&reading->element, value);
	add_value(reading->reference, value, people, of, (double) people / of, DatumGetInt32(slot->tts_values[REFERENCE_RELEASE]));
}

void
reference_write(const DeclaredPublication *publication, const Reference *reference)
{
	Element		element = element_of(publication_column(publication, ROLE_SENSITIVE));
	RowWriter  *writer;

	if (reference->is_declared || reference->nkept == reference->values->size)
		return;
	writer = writer_open(private_table_ensure(publication, PART,
											  psprintf("sensitive %s, people pg_catalog.int8, \"of\" pg_catalog.int8, release pg_catalog.int4",
													   format_type_extended(element.stored, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY)),
											  IN_HEAP), false);
	for (uint64 i = reference->nkept; i < reference->values->size; i++)
	{
		Datum		value = reference->values->keys[i];
		Datum		values[REFERENCE_COLUMNS] = {
			[REFERENCE_SENSITIVE] = element.stored == element.type ? value : element_to_text(&element, value),
			[REFERENCE_PEOPLE] = Int64GetDatum(reference->people[i]),
			[REFERENCE_OF] = Int64GetDatum(reference->of[i]),
			[REFERENCE_RELEASE] = Int32GetDatum(reference->release[i]),
		};
		bool		nulls[REFERENCE_COLUMNS] = {false};

		writer_add(writer, values, nulls);
	}
	writer_close(writer);
}

/* ----------------------------------------------------------------
 * A declared distribution
 * ----------------------------------------------------------------
 */

Reference *
reference_declared(const DeclaredPublication *publication, Oid copy)
{
	Reference  *reference = reference_create(publication);
	RowReader  *reader = reader_open(copy);
	TupleTableSlot *slot;
	int			n;

	reference->is_declared = true;
	pfree(list_sensitive(publication, &n));
	while ((slot = reader_next(reader)) != NULL)
	{
		bool		any = false;

		if (slot->tts_tupleDescriptor->natts != n + 1)
			refuse_table(publication);
		for (int i = 0; i < n; i++)
			any |= !slot->tts_isnull[i];
		if (any && !slot->tts_isnull[n])	/* the last column is the share */
			add_value(reference, join_value(publication, slot->tts_values, slot->tts_isnull), 0, 0, DatumGetFloat8(slot->tts_values[n]), 0);
	}
	reader_close(reader);
	show_shares(reference);
	return reference;
}

Reference *
reference_read(const DeclaredPublication *publication)
{
	Oid			copy = copied_table(publication, "distribution");
	Oid			table = reference_table(publication);
	Reference  *reference;

	if (OidIsValid(copy))
		return reference_declared(publication, copy);
	reference = reference_create(publication);
	if (OidIsValid(table))
	{
		Reading		reading = {publication, reference, element_of(publication_column(publication, ROLE_SENSITIVE))};
		Oid			types[REFERENCE_COLUMNS] = {reading.element.stored, INT8OID, INT8OID, INT4OID};

		if (!has_columns(table, types, REFERENCE_COLUMNS))
			refuse_table(publication);
		read_each(table, take_row, &reading);
		reference->nkept = reference->values->size;
	}
	show_shares(reference);
	return reference;
}

/* ----------------------------------------------------------------
 * The log
 * ----------------------------------------------------------------
 */

/* Marks the releases of everybody whose people are known: [releases]. */
static bool *
releases_of_everybody(const DeclaredPublication *publication)
{
	bool	   *is_of_everybody = new_zeros(bool, publication->releases);
	CatalogAccess access;

	catalog_enter(&access);
	catalog_read("SELECT number FROM pprepub_internal.catalog_release"
				 " WHERE publication = $1 AND kind <> 'query' AND cohort IS NULL AND identified",
				 CATALOG_INT(publication->id));
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		int32		number = catalog_int(i, "number");

		if (number > 0 && number <= publication->releases)
			is_of_everybody[number - 1] = true;
	}
	catalog_leave(&access);
	return is_of_everybody;
}

void
reference_recall_release(Reference *reference, const Recalled *recalled, int32 r)
{
	const SeenRelease *release = seen_release(&recalled->seen, r);
	uint64	   *people = new_zeros(uint64, recalled->seen.nvalues);
	uint64		known = 0;

	for (uint64 row = 0; row < release->first[release->nclasses]; row++)
		if (release->value[row] != NO_CODE && !seen_is_counted(release, row))
		{
			people[release->value[row]]++;
			known++;
		}
	for (Code value = 0; value < recalled->seen.nvalues; value++)
		if (people[value] > 0)
			add_found(reference, recalled->values[value], people[value], known, r + 1);
	pfree(people);
	show_shares(reference);
}

void
reference_recall(Reference *reference, const DeclaredPublication *publication, const Recalled *recalled)
{
	bool	   *is_of_everybody = releases_of_everybody(publication);

	for (int32 r = 0; r < recalled->seen.nreleases; r++)
		if (is_of_everybody[r])
			reference_recall_release(reference, recalled, r);
	pfree(is_of_everybody);
}

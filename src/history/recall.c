/*
 * recall.c
 *		From the log to dense integers.
 *
 * NOTES
 *		Individuals of invented rows come after those of all people.  While the
 *		number of people is not known, they are counted down from the top.
 *
 *		The log does not say where people sit whom a class published elsewhere shows, and who had a place: they keep it.
 *		Answers stand in a table of their own, so this is known only when all is read.
 *
 *		The log and a list of protected values may write equal values in different ways, so they
 *		are compared by the type's own equality.
 *
 *		The distribution that sets are compared with has values that no release has shown, of people who were withheld.
 *		They have codes behind all others, which nothing but the aspects knows.
 */
#include "history/recall.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/parameters.h"
#include "frame/arrays.h"
#include "frame/several_rows.h"
#include "frame/dictionary.h"
#include "frame/tuple_numbers.h"
#include "history/element.h"
#include "history/past_tables.h"
#include "history/places.h"
#include "history/reference.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

typedef struct Recalling
{
	const DeclaredPublication *publication;
	Recalled   *recalled;
	Dictionary *dictionary;		/* of all sensitive values, equal or not, by their bytes */
	MemoryContext context;
	Element		key;
	Element		sensitive;
	ElementRoom room;			/* for the keys of the class at hand */
	uint64	   *rows_allocated; /* [releases] */
	uint32	   *classes_allocated;	/* [releases] */
	uint64		ninvented;

	/* Where there are places: numbers of groups, and pairs of a group's number here and a place */
	KeyTable   *groups;			/* NULL where there are none */
	TupleNumbers *places;
	bool	   *is_imported;	/* [releases] */
	bool	   *keeps_places;	/* [releases] are there people who keep a place, which is not said? */

	/* Where rows may go to a file */
	SeenFile   *file;			/* NULL where they may not */
	int32		last;			/* the release of the class before, or -1 */
} Recalling;

/* Makes room in a release for another class with so many rows. */
static void
make_room(Recalling *recalling, int32 r, uint64 rows)
{
	SeenRelease *release = &recalling->recalled->seen.release[r];
	uint64		filled = release->first[release->nclasses];

	if (release->nclasses + 2 > recalling->classes_allocated[r])
	{
		recalling->classes_allocated[r] *= 2;
		array_resize(release->number, recalling->classes_allocated[r]);
		array_resize(release->first, recalling->classes_allocated[r]);
		if (release->group != NULL)
			array_resize(release->group, recalling->classes_allocated[r]);
	}
	if (filled + rows > recalling->rows_allocated[r])
	{
		uint64		room = recalling->rows_allocated[r] = array_room(recalling->rows_allocated[r], filled + rows);

		array_resize(release->individual, room);
		array_resize(release->value, room);
		array_resize(release->counterfeit, room);
		array_resize(release->fingerprint, room);
		if (release->person != NULL)
			array_resize(release->person, room);
		if (release->is_counted != NULL)
		{
			array_resize(release->is_counted, room);
			memset(release->is_counted + filled, false, sizeof(bool) * (recalling->rows_allocated[r] - filled));
		}
	}
}

/* The releases that left the sensitive columns out, if the method keeps what was shown before: [releases], or NULL. */
static const bool *
find_without_values(const DeclaredPublication *publication)
{
	bool	   *without = NULL;
	CatalogAccess access;

	if (!method_declaration(publication->method)->keeps_values)
		return NULL;
	catalog_enter(&access);
	catalog_read("SELECT number FROM pprepub_internal.catalog_release"
				 " WHERE publication = $1 AND number <= $2 AND NOT columns &&"
				 " ARRAY(SELECT c.name FROM pprepub_internal.catalog_column c WHERE c.publication = $1 AND c.role IN ('sensitive', 'sensitive part'))",
				 CATALOG_INT(publication->id), CATALOG_INT(publication->releases));
	if (SPI_processed > 0)
		without = MemoryContextAllocZero(access.context, sizeof(bool) * publication->releases);
	for (uint64 i = 0; i < SPI_processed; i++)
		without[catalog_int(i, "number") - 1] = true;
	catalog_leave(&access);
	return without;
}

/* Prepares to read places. */
static void
prepare_places(Recalling *recalling)
{
	CatalogAccess access;

	recalling->groups = keys_create(INT8OID, InvalidOid);
	recalling->places = tuple_numbers_create(2);
	recalling->is_imported = new_zeros(bool, recalling->publication->releases);
	recalling->keeps_places = new_zeros(bool, recalling->publication->releases);
	for (int32 r = 0; r < recalling->publication->releases; r++)
	{
		recalling->recalled->seen.release[r].group = new_array(uint32, 64);
		recalling->recalled->seen.release[r].person = new_array(Individual, 0);
	}
	catalog_enter(&access);
	catalog_read("SELECT number FROM pprepub_internal.catalog_release WHERE publication = $1 AND number <= $2 AND kind = 'imported'",
				 CATALOG_INT(recalling->publication->id), CATALOG_INT(recalling->publication->releases));
	for (uint64 i = 0; i < SPI_processed; i++)
		recalling->is_imported[catalog_int(i, "number") - 1] = true;
	catalog_leave(&access);
}

/* Makes a history of empty releases. */
static Recalling *
recalling_create(const DeclaredPublication *publication)
{
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	const DeclaredColumn *sensitive = publication_column(publication, ROLE_SENSITIVE);
	Recalling  *recalling = palloc0(sizeof(Recalling));
	Recalled   *recalled = palloc0(sizeof(Recalled));

	recalling->publication = publication;
	recalling->recalled = recalled;
	recalling->context = CurrentMemoryContext;
	recalling->key = element_of(key);
	recalling->sensitive = element_of(sensitive);
	recalling->dictionary = dictionary_create(sensitive->type);
	recalling->rows_allocated = palloc0(sizeof(uint64) * publication->releases);
	recalling->classes_allocated = palloc0(sizeof(uint32) * publication->releases);
	recalled->people = keys_create(key->type, key->collation);
	recalled->seen.nreleases = publication->releases;
	recalled->seen.has_no_values = find_without_values(publication);
	recalled->seen.release = palloc0(sizeof(SeenRelease) * publication->releases);
	recalling->last = -1;
	for (int32 r = 0; r < publication->releases; r++)
	{
		SeenRelease *release = &recalled->seen.release[r];

		recalling->classes_allocated[r] = 64;
		release->number = palloc(sizeof(int64) * 64);
		release->first = palloc0(sizeof(uint64) * 64);
		release->individual = new_array(Individual, 0);
		release->value = new_array(Code, 0);
		release->counterfeit = new_array(bool, 0);
		release->fingerprint = new_array(uint32, 0);
	}
	if (keeps_past(publication, PAST_PLACES))
		prepare_places(recalling);
	return recalling;
}

/* ----------------------------------------------------------------
 * Rows that go to a file
 * ----------------------------------------------------------------
 */

/* Puts all releases but this one into the file, if there are too many rows; those of this one come back if they are there. */
static void
go_to_release(Recalling *recalling, int32 r)
{
	Seen	   *seen = &recalling->recalled->seen;
	uint64		rows = 0;		/* in memory */

	recalling->last = r;
	for (int32 other = 0; other < seen->nreleases; other++)
		if (!seen_file_has(recalling->file, other))
			rows += recalling->rows_allocated[other];
	if (rows * SEEN_ROW_BYTES > work_mem * (uint64) 1024)
		for (int32 other = 0; other < seen->nreleases; other++)
			if (other != r && !seen_file_has(recalling->file, other) && recalling->rows_allocated[other] > 0)
				seen_file_put(recalling->file, other);
	if (seen_file_has(recalling->file, r))
	{
		seen_file_take_back(recalling->file, r);
		recalling->rows_allocated[r] = seen->release[r].first[seen->release[r].nclasses];
	}
}

/* ----------------------------------------------------------------
 * A class
 * ----------------------------------------------------------------
 */

/* Walks through an array of a class, which may be of its first members only, but not of more members. */
static void
walk_first(ElementWalk *walk, const Recalling *recalling, const Element *element, Datum array, uint64 n)
{
	element_walk(walk, element, DatumGetArrayTypeP(array));
	if ((uint64) walk->n > n)
		refuse_class(recalling->publication);
}

static void
walk_members(ElementWalk *walk, const Recalling *recalling, const Element *element, Datum array, uint64 n)
{
	walk_first(walk, recalling, element, array, n);
	if ((uint64) walk->n != n)
		refuse_class(recalling->publication);
}

/* Reads the individuals of people, who have keys and come first; all other members are counterfeits. */
static void
recall_keys(Recalling *recalling, Datum keys, uint64 n, Individual *individual, bool *counterfeit)
{
	ElementRoom *room = &recalling->room;
	bool		has_null = element_read(&recalling->key, keys, room, recalling->context);

	if (has_null || (uint64) room->n > n)
		refuse_class(recalling->publication);
	keys_add_all(recalling->recalled->people, room->values, room->n, individual);
	for (uint64 i = 0; i < n; i++)
		counterfeit[i] = i >= (uint64) room->n;
	for (uint64 i = room->n; i < n; i++)
		individual[i] = NO_INDIVIDUAL;
}

/* Finds the places of a class's members, who get them as their individuals; NO_INDIVIDUAL is left to people who keep a place. */
static void
recall_places(Recalling *recalling, const TupleTableSlot *slot, uint64 n, int32 r, uint64 at)
{
	SeenRelease *release = &recalling->recalled->seen.release[r];
	Individual *individual = release->individual + at;
	uint32		group = NO_GROUP;
	ElementWalk walk;

	memcpy(release->person + at, individual, sizeof(Individual) * n);
	memset(individual, 0xff, sizeof(Individual) * n);	/* NO_INDIVIDUAL */
	if (!slot->tts_isnull[LOG_GROUP])
		group = keys_add(recalling->groups, slot->tts_values[LOG_GROUP]);
	if (!slot->tts_isnull[LOG_PLACES])
		for (walk_members(&walk, recalling, &element_int4, slot->tts_values[LOG_PLACES], n); element_next(&walk);)
		{
			if (walk.isnull)
				continue;
			if (group == NO_GROUP || DatumGetInt32(walk.value) <= 0)
				refuse_class(recalling->publication);
			individual[walk.i] = tuple_number(recalling->places, (uint32[]) {group, DatumGetInt32(walk.value)}, 2);
		}
	for (uint64 i = 0; i < n; i++)
		if (individual[i] == NO_INDIVIDUAL)
		{
			if (!recalling->is_imported[r] || release->counterfeit[at + i])
				refuse_class(recalling->publication);
			recalling->keeps_places[r] = true;
		}
	release->group[release->nclasses] = recalling->is_imported[r] ? NO_GROUP : group;
}

/* Visits a class of the log; its values stay numbers of the dictionary until all classes are read. */
static void
recall_class(void *what, TupleTableSlot *slot)
{
	Recalling  *recalling = what;
	static const int always[] = {LOG_RELEASE, LOG_CLASS, LOG_KEYS, LOG_SENSITIVE, LOG_FINGERPRINTS};
	int32		r;
	ArrayType  *sensitive;
	uint64		n;
	SeenRelease *release;
	uint64		at;
	ElementWalk walk;

	if (!row_has_values(slot, LOG_COLUMNS, always, lengthof(always)))
		refuse_class(recalling->publication);
	r = DatumGetInt32(slot->tts_values[LOG_RELEASE]) - 1;
	sensitive = DatumGetArrayTypeP(slot->tts_values[LOG_SENSITIVE]);
	n = ArrayGetNItems(ARR_NDIM(sensitive), ARR_DIMS(sensitive));
	if (r < 0 || r >= recalling->publication->releases)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the log of publication \"%s\" tells of release %d", recalling->publication->name, r + 1)));
	if (recalling->file != NULL && recalling->last != r)
		go_to_release(recalling, r);
	make_room(recalling, r, n);
	release = &recalling->recalled->seen.release[r];
	at = release->first[release->nclasses];
	recall_keys(recalling, slot->tts_values[LOG_KEYS], n, release->individual + at, release->counterfeit + at);
	if (recalling->groups != NULL)
		recall_places(recalling, slot, n, r, at);
	for (uint64 i = at; i < at + n && recalling->groups == NULL; i++)
		if (release->counterfeit[i])
			release->individual[i] = NO_INDIVIDUAL - 1 - recalling->ninvented++;
	for (walk_members(&walk, recalling, &recalling->sensitive, slot->tts_values[LOG_SENSITIVE], n); element_next(&walk);)
		release->value[at + walk.i] = dictionary_number(recalling->dictionary, walk.value, walk.isnull);
	for (walk_first(&walk, recalling, &element_int4, slot->tts_values[LOG_FINGERPRINTS], n); element_next(&walk);)
	{
		if (walk.isnull)
			refuse_class(recalling->publication);
		release->fingerprint[at + walk.i] = (uint32) DatumGetInt32(walk.value);
	}
	for (uint64 i = walk.n; i < n; i++)
	{
		release->fingerprint[at + i] = 0;
		if (release->counterfeit[at + i])
			continue;
		/* People without a fingerprint have no row: they are counted in. */
		if (release->is_counted == NULL)
			release->is_counted = MemoryContextAllocExtended(recalling->context, sizeof(bool) * (recalling->rows_allocated[r] + 1),
															 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		release->is_counted[at + i] = true;
	}
	release->number[release->nclasses++] = DatumGetInt64(slot->tts_values[LOG_CLASS]);
	release->first[release->nclasses] = at + n;
	progress_step(n);
}

/* ----------------------------------------------------------------
 * The whole log
 * ----------------------------------------------------------------
 */

/* Gives people of a release who keep a place the place that they sat in last. */
static void
keep_places(const Recalling *recalling, SeenRelease *release, Individual *held)
{
	CHECK_FOR_INTERRUPTS();
	for (uint64 i = 0; i < release->first[release->nclasses]; i++)
	{
		Individual *place = &release->individual[i];

		if (release->person[i] == NO_INDIVIDUAL)
			continue;
		if (*place == NO_INDIVIDUAL)
			*place = held[release->person[i]];
		if (*place == NO_INDIVIDUAL)
			refuse_class(recalling->publication);
		held[release->person[i]] = *place;
	}
}

/* Tells of the places, whose numbers are final, and finds those that people keep. */
static void
number_places(Recalling *recalling)
{
	Seen	   *seen = &recalling->recalled->seen;
	uint32	   *group_of = new_array(uint32, recalling->places->n);
	Individual *held = new_array(Individual, seen->npeople);
	int32		last = seen->nreleases - 1;

	seen->nindividuals = recalling->places->n;
	seen->ngroups = recalling->groups->size;
	for (uint32 place = 0; place < recalling->places->n; place++)
		group_of[place] = tuple_words(recalling->places, place)[0];
	seen->group_of = group_of;
	tuple_numbers_free(recalling->places);
	while (last >= 0 && !recalling->keeps_places[last])
		last--;
	memset(held, 0xff, sizeof(Individual) * seen->npeople);
	for (int32 r = 0; r <= last; r++)
	{
		if (recalling->keeps_places[r] && recalling->file != NULL && seen_file_has(recalling->file, r))
			seen_file_take_back(recalling->file, r);
		(void) seen_release(seen, r);
		keep_places(recalling, &seen->release[r], held);
	}
	pfree(held);
	seen_put_aside(seen);
}

/* Replaces preliminary numbers of individuals and values by the final ones. */
static void
number_all(Recalling *recalling)
{
	Recalled   *recalled = recalling->recalled;
	Seen	   *seen = &recalled->seen;
	const DeclaredColumn *sensitive = publication_column(recalling->publication, ROLE_SENSITIVE);
	const Code *code = dictionary_merge_equal(recalling->dictionary, sensitive->collation, &seen->nvalues, &recalled->values);

	recalled->codes = keys_create(sensitive->type, sensitive->collation);
	for (Code value = 0; value < seen->nvalues; value++)
		(void) keys_add(recalled->codes, recalled->values[value]);
	seen->npeople = recalled->people->size;
	seen->nindividuals = seen->npeople + recalling->ninvented;
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		CHECK_FOR_INTERRUPTS();
		if (recalling->file == NULL || !seen_file_has(recalling->file, r))
			seen_number_rows(&seen->release[r], code, seen->npeople);
	}
	if (recalling->file != NULL)
		seen_file_number(recalling->file, code, seen->npeople);
	if (recalling->groups != NULL)
		number_places(recalling);
}

/* Reads the log. */
static Recalled *
recall_all(Recalling *recalling)
{
	progress_phase("read history", NO_TOTAL);
	if (recalling->publication->releases > 0)
		log_read(recalling->publication, recall_class, recalling);
	number_all(recalling);
	return recalling->recalled;
}

Recalled *
recall(const DeclaredPublication *publication)
{
	return recall_all(recalling_create(publication));
}

Recalled *
recall_in_parts(const DeclaredPublication *publication)
{
	Recalling  *recalling = recalling_create(publication);

	recalling->file = seen_file_create(&recalling->recalled->seen);
	return recall_all(recalling);
}

void
recalled_close(const Recalled *recalled)
{
	if (recalled->seen.file != NULL)
		seen_file_close(recalled->seen.file);
}

Individual
recalled_person(const Recalled *recalled, Datum key)
{
	return keys_find(recalled->people, key);
}

void
recalled_forget_people(Recalled *recalled)
{
	keys_forget(recalled->people);
}

Code
recalled_value(const Recalled *recalled, Datum value, bool isnull)
{
	uint32		found;

	if (isnull)
		return NO_CODE;
	found = keys_find(recalled->codes, value);
	return found == NO_KEY ? UNKNOWN_VALUE : found;
}

Code
recalled_new_value(const Recalled *recalled, Datum value)
{
	return keys_add(recalled->codes, value);
}

SensitiveColumns *
recalled_columns(const DeclaredPublication *publication, const Recalled *recalled)
{
	return sensitive_columns(publication, recalled->codes->keys, recalled->codes->size);
}

/* ----------------------------------------------------------------
 * Protected values
 * ----------------------------------------------------------------
 */

/* Numbers the rows of several sensitive columns, as tuples; those that are NULL in each column are no values. */
static void
link_tuples(LinkedValues *linked, const DeclaredPublication *publication, const Recalled *recalled, const SensitiveColumns *columns)
{
	uint64		nrows = columns->first[recalled->codes->size];
	Code	   *code = new_array(Code, nrows);
	DeclaredColumn *column = palloc(sizeof(DeclaredColumn));
	Aspect	   *aspect = palloc0(sizeof(Aspect));
	Aspects    *aspects = palloc(sizeof(Aspects));

	*column = *linked->column;
	column->type = split_type(publication);
	linked->column = column;
	linked->codes = keys_create(column->type, column->collation);
	for (Code value = 0; value < recalled->codes->size; value++)
	{
		int			n;
		Datum	   *row = rows_of_value(recalled->values[value], &n);

		CHECK_FOR_INTERRUPTS();
		keys_add_all(linked->codes, row, n, code + columns->first[value]);
		pfree(row);
	}
	for (uint64 row = 0; row < nrows; row++)
	{
		bool		is_null = true;

		for (int c = 0; c < columns->n; c++)
			is_null &= columns->column[c].code[row] == NO_CODE;
		code[row] = is_null ? NO_CODE : code[row];
	}
	*aspect = (Aspect) {.name = column->name, .ncodes = linked->codes->size, .code = code};
	*aspects = (Aspects) {.n = 1, .nvalues = recalled->codes->size, .aspect = aspect, .first = columns->first};
	linked->aspects = aspects;
}

LinkedValues
linked_values(const DeclaredPublication *publication, const Recalled *recalled)
{
	LinkedValues linked = {publication_column(publication, ROLE_SENSITIVE), recalled->codes, NULL};
	SensitiveColumns *columns;

	if (!has_several_rows(publication))
		return linked;
	columns = recalled_columns(publication, recalled);
	if (columns->n > 1)
	{
		link_tuples(&linked, publication, recalled, columns);
		return linked;
	}
	linked.column = columns->column[0].column;
	linked.codes = keys_create(linked.column->type, linked.column->collation);
	for (Code code = 0; code < columns->column[0].ncodes; code++)
		(void) keys_add(linked.codes, columns->column[0].values[code]);
	linked.aspects = columns->aspects;
	return linked;
}

typedef struct Listing
{
	const LinkedValues *values;
	bool	   *is_listed;
} Listing;

/* Marks a listed value, if the log has it. */
static void
list_value(void *what, TupleTableSlot *slot)
{
	const Listing *listing = what;
	uint32		value = slot->tts_isnull[0] ? NO_KEY : keys_find(listing->values->codes, slot->tts_values[0]);

	if (value != NO_KEY)
		listing->is_listed[value] = true;
}

bool *
listed_values(Oid table, const LinkedValues *values)
{
	Listing		listing = {.values = values, .is_listed = new_zeros(bool, values->codes->size)};

	read_each(table, list_value, &listing);
	return listing.is_listed;
}

const bool *
protected_values(const DeclaredPublication *publication, const LinkedValues *values)
{
	Oid			list = copied_table(publication, "transient");

	return OidIsValid(list) ? listed_values(list, values) : NULL;
}

void
load_protected_values(const DeclaredPublication *publication, FrameLoad *load)
{
	Oid			list = copied_table(publication, "transient");

	if (OidIsValid(list))
		load_protected(load, list);
}

/* ----------------------------------------------------------------
 * Aspects
 * ----------------------------------------------------------------
 */

const Aspects *
aspects_of_recalled(const DeclaredPublication *publication, const Recalled *recalled)
{
	Reference  *reference = reference_read(publication);
	const Shares *shares = &reference->shares;
	Code		n = recalled->codes->size;
	Datum	   *values;
	double	   *share;
	int32	   *since;

	if (shares->n == 0)
		reference_recall(reference, publication, recalled);
	for (int32 r = 0; r < recalled->seen.nreleases && shares->n == 0; r++)
		reference_recall_release(reference, recalled, r);
	values = new_array(Datum, (uint64) n + shares->n);
	share = new_zeros(double, (uint64) n + shares->n);
	since = new_zeros(int32, (uint64) n + shares->n);
	memcpy(values, recalled->codes->keys, sizeof(Datum) * n);
	for (uint32 i = 0; i < shares->n; i++)
	{
		Code		value = recalled_value(recalled, shares->values[i], false);

		if (value == UNKNOWN_VALUE)
			value = n++;
		values[value] = shares->values[i];
		share[value] = shares->share[i];
		since[value] = shares->since[i];
	}
	return aspects_with_shares(sensitive_columns(publication, values, n), share, since, n);
}

/*
 * store_import.c
 *		An import as classes, as a release's table, in the log and in the fold.
 *
 * NOTES
 *		If the table has a column named class, observers can tell rows apart by it, whatever it means.
 *
 *		The share of a value in a row's checksum is computed once for all rows that have it.
 *
 *		Without a key no identity enters the history: there is nothing to remember but that there was a release.
 *		Where the release does not show sensitive values, those of today are remembered, as with every release that
 *		leaves them out; of people who have left and were never shown before, that of somebody else.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "frame/arrays.h"
#include "frame/print.h"
#include "frame/several_rows.h"
#include "history/fold.h"
#include "history/past_tables.h"
#include "history/recall.h"
#include "history/remember.h"
#include "history/rows.h"
#include "import/import.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * Classes: rows of equal cells, with numbers that tell nothing
 * ----------------------------------------------------------------
 */

/* Drawn by lot where the release shows them, as their cells say where it does not. */
static void
number_classes(Import *import, const ImportColumn *const *columns, const TupleNumbers *regions)
{
	ImportClasses *classes = &import->classes;
	Dictionary **cells = palloc(sizeof(Dictionary *) * (regions->width + 1));
	uint32	   *place;

	classes->order = new_array(uint32, classes->nclasses);
	classes->number = new_array(int64, classes->nclasses);
	for (uint32 c = 0; c < classes->nclasses; c++)
		classes->order[c] = c;
	shuffle(classes->order, classes->nclasses);
	for (uint32 i = 0; i < classes->nclasses; i++)
		classes->number[classes->order[i]] = (int64) i + 1;
	if (has_class_column(import->publication))
		return;
	for (int c = 0; c < regions->width; c++)
		cells[c] = columns[c]->values;
	place = region_places(regions, cells);
	for (uint32 c = 0; c < classes->nclasses; c++)
		classes->number[c] = (int64) place[c] + 1;
}

/* Makes classes of the people.  Of somebody whose rows are in several, observers know more than the history can. */
static void
class_people(Import *import, const uint32 *class)
{
	ImportClasses *classes = &import->classes;
	uint64		npeople = import->people->size;
	uint32	   *own = new_array(uint32, npeople);
	uint64		apart = 0;
	uint64		example = 0;

	memset(own, 0xff, sizeof(uint32) * npeople);
	for (uint64 row = 0; row < import->nrows; row++)
	{
		uint32		person = import->person[row];

		if (own[person] == PG_UINT32_MAX)
			own[person] = class[row];
		if (own[person] != class[row] && apart++ == 0)
			example = row;
	}
	if (apart > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("\"%s\" has " UINT64_FORMAT " row(s) in another class than the first row of the same person", import->table_name, apart),
				 errdetail("For example: those of key %s.", imported_text(import->key, import->key->number[example])),
				 errdetail_log("Its values are told to the owner only."),
				 errhint("Is \"%s\" the right key? Releases are judged only if all rows of a person have equal cells, and an equal class, if there is that column.",
						 import->key->name)));
	list_by_group(own, npeople, classes->nclasses, &classes->first_person, &classes->people);
	pfree(own);
}

/* Makes classes of the rows: cells part them in declared order, and then a class. */
void
make_classes(Import *import)
{
	const DeclaredPublication *publication = import->publication;
	ImportClasses *classes = &import->classes;
	const ImportColumn **columns = palloc(sizeof(ImportColumn *) * (import->ncolumns + 1));
	uint32	   *class = new_array(uint32, import->nrows);
	TupleNumbers *regions;
	uint32	   *numbers;
	int			n = 0;

	for (int i = 0; i < publication->ncolumns; i++)
		if (import->shown[i] && publication->columns[i].role == ROLE_QUASI_IDENTIFIER)
			columns[n++] = import->declared[i];
	if (import->class != NULL)
		columns[n++] = import->class;
	regions = tuple_numbers_create(n);
	numbers = palloc(sizeof(uint32) * (n + 1));
	for (uint64 row = 0; row < import->nrows; row++)
	{
		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int c = 0; c < n; c++)
			numbers[c] = columns[c]->number[row];
		class[row] = tuple_number(regions, numbers, n);
	}
	classes->nclasses = regions->n;
	list_by_group(class, import->nrows, classes->nclasses, &classes->first, &classes->rows);
	if (import->key != NULL)
		class_people(import, class);
	pfree(class);
	number_classes(import, columns, regions);
}

/* ----------------------------------------------------------------
 * The table
 * ----------------------------------------------------------------
 */

typedef struct Storing
{
	const Import *import;
	RowWriter  *table;
	Checksum   *checksum;
	int			natts;
	const ImportColumn **columns;	/* [natts] NULL for what all rows, or all of a class, have in common */
	RowSum	  **sums;			/* [natts][values] zeros where not yet known */
	RowSum		common;			/* of all rows of the class at hand */
	Datum	   *values;
	bool	   *nulls;
} Storing;

/* Prepares to write rows to the release's table: columns that the imported one lacks are set once for all of them. */
static Storing
storing_create(const Import *import, Oid table, uint64 seed)
{
	const DeclaredPublication *publication = import->publication;
	TupleDesc	columns = released_columns(publication);
	Storing		storing = {.import = import, .table = writer_open(table, false), .natts = columns->natts};
	int			attribute = has_class_column(publication);

	storing.checksum = checksum_create(publication, columns, PG_INT32_MAX, seed);
	storing.columns = palloc0(sizeof(ImportColumn *) * storing.natts);
	storing.sums = palloc0(sizeof(RowSum *) * storing.natts);
	storing.values = palloc0(sizeof(Datum) * storing.natts);
	storing.nulls = palloc0(sizeof(bool) * storing.natts);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const ImportColumn *column = import->declared[i];
		bool		is_cell = publication->columns[i].role == ROLE_QUASI_IDENTIFIER;

		if (publication->columns[i].role == ROLE_KEY)
			continue;
		storing.columns[attribute] = column;
		if (column != NULL)
			storing.sums[attribute] = new_zeros(RowSum, dictionary_size(column->values));
		else if (is_cell)
			storing.values[attribute] = print_withheld(&publication->columns[i]);
		storing.nulls[attribute++] = column == NULL && !is_cell;
	}
	return storing;
}

/* Sets the columns that all rows of a class have in common beside their cells, which are looked up like any value. */
static void
set_class(Storing *storing, int64 number)
{
	if (has_class_column(storing->import->publication))
		storing->values[0] = Int64GetDatum(number);
	storing->common = (RowSum) {{0, 0}};
	for (int a = 0; a < storing->natts; a++)
		if (storing->columns[a] == NULL)
			storing->common = row_sum(storing->common,
									  checksum_value(storing->checksum, a, storing->values[a], storing->nulls[a]));
}

/* Writes a row, and adds it to the checksum. */
static void
store_row(Storing *storing, RowId row)
{
	RowSum		sum = storing->common;

	for (int a = 0; a < storing->natts; a++)
	{
		const ImportColumn *column = storing->columns[a];
		uint32		number;
		RowSum	   *value;

		if (column == NULL)
			continue;
		number = column->number[row];
		value = &storing->sums[a][number];
		storing->nulls[a] = number == DICTIONARY_NULL;
		storing->values[a] = storing->nulls[a] ? (Datum) 0 : dictionary_value(column->values, number);
		if (value->lane[0] == 0 && value->lane[1] == 0)
			*value = checksum_value(storing->checksum, a, storing->values[a], storing->nulls[a]);
		sum = row_sum(sum, *value);
	}
	checksum_add_row(storing->checksum, sum);
	writer_add(storing->table, storing->values, storing->nulls);
}

/* Stores the rows of a class in random order: their order in the imported table may tell whose they are. */
static void
store_rows(Storing *storing, uint32 *rows, uint32 n)
{
	shuffle(rows, n);
	for (uint32 i = 0; i < n; i++)
	{
		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		store_row(storing, rows[i]);
		progress_step(1);
	}
}

/* Class by class, or all rows in one order where there are no classes to be seen. */
static void
store_all(Storing *storing)
{
	const ImportClasses *classes = &storing->import->classes;
	uint32	   *rows = new_array(uint32, storing->import->nrows);

	memcpy(rows, classes->rows, sizeof(uint32) * storing->import->nrows);
	if (!has_class_column(storing->import->publication))
	{
		set_class(storing, 0);
		store_rows(storing, rows, storing->import->nrows);
		return;
	}
	for (uint32 i = 0; i < classes->nclasses; i++)
	{
		uint32		c = classes->order[i];

		set_class(storing, classes->number[c]);
		store_rows(storing, rows + classes->first[c], classes->first[c + 1] - classes->first[c]);
	}
}

void
store_import(Import *import, int32 number, Imported *imported)
{
	MemoryContext work;
	MemoryContext old;
	Storing		storing;
	pg_uuid_t  *checksum;

	progress_phase("store rows", import->nrows);
	work = AllocSetContextCreate(CurrentMemoryContext, "storing", ALLOCSET_DEFAULT_SIZES);
	imported->release = create_release_table(import->publication, number);
	imported->checksum_seed = random_seed();
	old = MemoryContextSwitchTo(work);
	storing = storing_create(import, imported->release, imported->checksum_seed);
	store_all(&storing);
	writer_close(storing.table);
	checksum = checksum_result(storing.checksum);
	MemoryContextSwitchTo(old);
	imported->checksum = memcpy(palloc(sizeof(pg_uuid_t)), checksum, sizeof(pg_uuid_t));
	MemoryContextDelete(work);
	keep_release_table(import->publication, imported->release);
}

/* ----------------------------------------------------------------
 * The history
 * ----------------------------------------------------------------
 */

/* Makes a value of all rows of each person; all of them are out, be they more than releases show. */
static uint32 *
gather_values(const Import *import, Dictionary *dictionary, const uint32 *number)
{
	RowSets    *sets = row_sets_create(import->publication);
	uint64		npeople = import->people->size;
	uint32	   *of_person = new_array(uint32, npeople);
	uint32	   *own = new_array(uint32, import->nrows);
	uint64	   *first;
	uint32	   *rows;

	list_by_group(import->person, import->nrows, npeople, &first, &rows);
	for (uint64 i = 0; i < import->nrows; i++)
		own[i] = number[rows[i]];
	for (uint64 p = 0; p < npeople; p++)
	{
		CHECK_FOR_INTERRUPTS();
		of_person[p] = row_set_number(sets, dictionary, NULL, own + first[p], first[p + 1] - first[p]);
	}
	return of_person;
}

/*
 * The sensitive values that are remembered of the import's people, as numbers: each column as the import shows it or,
 * where it does not, as people have it in the source today.
 */
static uint32 *
remembered_values(const Import *import, Dictionary *dictionary)
{
	const DeclaredPublication *publication = import->publication;
	const SensitiveColumns *present = import->present->columns;
	uint32	   *number = new_array(uint32, import->nrows);
	int			n;
	int		   *listed = list_sensitive(publication, &n);
	Datum	   *columns = palloc(sizeof(Datum) * n);
	bool	   *nulls = palloc(sizeof(bool) * n);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "value", ALLOCSET_SMALL_SIZES);

	for (uint64 row = 0; row < import->nrows; row++)
	{
		MemoryContext old = MemoryContextSwitchTo(work);
		bool		has_value = has_several_rows(publication);	/* a row counts, whatever it holds */
		Datum		value;

		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int c = 0; c < n; c++)
		{
			const ImportColumn *shown = import->declared[listed[c]];
			Code		today = code_in_column(&present->column[c], import->row_of_value[row]);

			nulls[c] = shown == NULL ? today == NO_CODE : shown->number[row] == DICTIONARY_NULL;
			columns[c] = nulls[c] ? (Datum) 0 : shown == NULL ? present->column[c].values[today] :
				dictionary_value(shown->values, shown->number[row]);
			has_value |= !nulls[c];
		}
		value = has_value ? join_value(publication, columns, nulls) : (Datum) 0;
		if (has_several_rows(publication))
			value = value_of_rows(publication_column(publication, ROLE_SENSITIVE)->type, &value, 1);
		number[row] = dictionary_number(dictionary, value, !has_value);
		MemoryContextSwitchTo(old);
		MemoryContextReset(work);
	}
	return has_several_rows(publication) ? gather_values(import, dictionary, number) : number;
}

/*
 * Where the sensitive columns are left out, nobody knows what somebody has who has left and was never shown before.  Such
 * people show what others of their class do, or else the rows that stand in for them would be told from those of people.
 */
static void
invent_unknown_values(const Import *import, const Places *places, Frame *frame)
{
	const ImportClasses *classes = &import->classes;
	RowId	   *known = new_array(RowId, import->people->size);

	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		uint64		n = 0;

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = classes->first_person[c]; i < classes->first_person[c + 1]; i++)
			if (import->row_of_person[classes->people[i]] != NO_ROW || places->place[classes->people[i]] != NO_PLACE)
				known[n++] = classes->people[i];
		for (uint64 i = classes->first_person[c]; i < classes->first_person[c + 1] && n > 0; i++)
			if (import->row_of_person[classes->people[i]] == NO_ROW && places->place[classes->people[i]] == NO_PLACE)
				frame->sensitive[classes->people[i]] = frame->sensitive[known[pg_prng_uint64_range(&pg_global_prng_state, 0, n - 1)]];
	}
	pfree(known);
}

/* Fingerprints of quasi-identifiers are known only of people whom the cells still cover. */
static void
take_fingerprints(const Import *import, LoadedFrame *loaded)
{
	bool	   *is_unprinted = new_array(bool, import->people->size);

	for (uint64 person = 0; person < import->people->size; person++)
	{
		RowId		row = import->row_of_person[person];

		is_unprinted[person] = row == NO_ROW || import->has_changed[person];
		if (!is_unprinted[person])
			loaded->fingerprint[person] = import->present->fingerprint[row];
	}
	loaded->is_unprinted = is_unprinted;
	loaded->shown = import->shown;
}

/* Everybody keeps a place that he has; others of a class become a group. */
static const ShownPlaces *
places_of_import(const Import *import, const Past *past)
{
	const ImportClasses *classes = &import->classes;
	ShownPlaces *showing = palloc0(sizeof(ShownPlaces));
	Classes    *shown = palloc0(sizeof(Classes));
	uint32	   *group = new_array(uint32, classes->nclasses);

	for (uint32 c = 0; c < classes->nclasses; c++)
		group[c] = NO_GROUP;
	*shown = (Classes) {.nclasses = classes->nclasses, .first = classes->first_person, .rows = classes->people};
	*showing = (ShownPlaces) {.classes = shown, .group = group, .place = past->places == NULL ? NULL : past->places->place};
	return showing;
}

void
remember_import(const Import *import, int32 number, Imported *imported)
{
	const DeclaredPublication *publication = import->publication;
	const ImportClasses *classes = &import->classes;
	Stopwatch	watch = stopwatch_start();
	Dictionary *values;
	FrameLoad  *load;
	Fold	   *fold;
	LoadedFrame *loaded;
	const Past *past;

	if (publication->releases > 0)
		log_verify(publication);	/* a new one would hide that it is gone */
	past_skip(publication);
	if (import->key == NULL)
		return;
	/* People with the sensitive values that the import shows, or else with those of the source today */
	values = dictionary_create(publication_column(publication, ROLE_SENSITIVE)->type);
	load = load_given(publication, import->people, values, remembered_values(import, values), import->context);
	load_protected_values(publication, load);
	fold = fold_read(publication, load, false, false, import->context);
	loaded = load_finish(load);
	past = fold_past(fold, loaded);
	if (shows_last_values(publication, import->shown))
	{
		fold_keep_values(fold, loaded);
		invent_unknown_values(import, past->places, &loaded->frame);
	}
	take_fingerprints(import, loaded);
	imported->newcomers = remember(fold, loaded, &(Remembered) {
		.number = number, .log = MEMBERS_TABLE, .showing = places_of_import(import, past), .class = classes->number,
		.order = classes->order
	});
	imported->history_seconds = stopwatch_seconds(&watch);
}

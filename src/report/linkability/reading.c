/*
 * reading.c
 *		Reading release tables, what is kept of answers, and drafts.
 *
 * NOTES
 *		Nothing is taken for granted of a table but its columns: rows of one class may have different cells.
 *
 *		The cells of a draft are the values themselves: people who are known to have
 *		changed in any release that could be made of its rows are known to have changed.
 */
#include "report/linkability/linkability.h"

#include "frame/arrays.h"
#include "frame/print.h"
#include "history/past_tables.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "shared/progress.h"
#include "utils/memutils.h"

void
refuse_release(const Reading *reading, const ReadRelease *release)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("release %d of publication \"%s\" is not as it was published",
					release->number, reading->publication->name),
			 errhint("pprepub.audit() says what has changed. Restore the publication's tables from a backup, or name releases without this one.")));
}

/* ---- Sensitive values ---- */

/* The code of the columns at hand that rows are joined by. */
static Code
joined_value(Reading *reading)
{
	bool		is_null = true;
	Datum		value;
	Code		code;

	for (int c = 0; c < reading->nsensitive; c++)
	{
		reading->isnull[c] |= !reading->is_joined[c];
		is_null &= reading->isnull[c];
	}
	if (is_null)
		return NO_CODE;
	value = join_value(reading->publication, reading->part, reading->isnull);
	code = recalled_new_value(reading->recalled, value);
	if (reading->nsensitive > 1)
		pfree(DatumGetPointer(value));
	return code;
}

/* The code of what is joined of a sensitive value. */
static Code
joined_part(Reading *reading, Datum value)
{
	split_value(reading->publication, value, false, reading->part, reading->isnull);
	return joined_value(reading);
}

/*
 * Finds the columns that rows are joined by: those that all releases show which
 * show the one that is judged.  Others than that are joined without values.
 */
static void
find_joined(Reading *reading, Released *released, const int32 *numbers, int32 n, const LoadedFrame *draft)
{
	const DeclaredPublication *publication = reading->publication;

	pfree(list_sensitive(publication, &reading->nsensitive));
	reading->part = palloc(sizeof(Datum) * reading->nsensitive);
	reading->isnull = palloc(sizeof(bool) * reading->nsensitive);
	reading->is_joined = palloc(sizeof(bool) * reading->nsensitive);
	memset(reading->is_joined, true, sizeof(bool) * reading->nsensitive);
	for (int32 r = 0; r < n + (draft != NULL); r++)
	{
		Released   *at = r < n ? &released[numbers[r] - 1] : NULL;
		const bool *shows = shown_sensitive(publication, at == NULL ? draft->shown : at->shown);

		if (at != NULL)
			at->shows_sensitive = shows[reading->judged];
		for (int c = 0; c < reading->nsensitive && shows[reading->judged]; c++)
			reading->is_joined[c] &= shows[c];
	}
}

/* Finds what is joined of each value that was recalled, and puts it into the log of all releases. */
static void
join_log(Reading *reading)
{
	Seen	   *seen = &reading->recalled->seen;
	Code	   *joined;

	if (reading->nsensitive == 1)
		return;
	joined = new_array(Code, seen->nvalues);
	for (Code value = 0; value < seen->nvalues; value++)
		joined[value] = joined_part(reading, reading->recalled->values[value]);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		SeenRelease *release = &seen->release[r];

		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
			if (release->value[i] != NO_CODE)
				release->value[i] = joined[release->value[i]];
	}
	pfree(joined);
}

/* ---- Rows ---- */

#define grow(array, n) \
	do { \
		if ((array) != NULL) \
			array_resize(array, n); \
	} while (0)

/* Doubles the room for rows in all columns that are shown. */
static void
make_room(const Reading *reading, ReadRelease *release)
{
	uint64		n = release->allocated *= 2;

	if (n > PG_UINT32_MAX / 2)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("release %d of publication \"%s\" has too many rows to be joined",
						release->number, reading->publication->name),
				 errhint("Join releases of a part of the people, as cohorts are.")));
	for (int q = 0; q < reading->nqis; q++)
		grow(release->cell[q], n);
	for (int i = 0; i < reading->ninsensitive; i++)
		grow(release->insensitive[i], n);
	grow(release->value, n);
	grow(release->class, n);
	grow(release->individual, n);
}

/* Makes room for a row more; returns its number. */
static uint64
add_read_row(const Reading *reading, ReadRelease *release)
{
	if (release->nrows == release->allocated)
		make_room(reading, release);
	return release->nrows++;
}

/* Makes room for the columns that a release shows. */
static void
begin_read_release(const Reading *reading, ReadRelease *release)
{
	const DeclaredPublication *publication = reading->publication;
	const Released *released = release->released;
	int			q = 0;
	int			insensitive = 0;

	release->allocated = 1024;
	release->cell = palloc0(sizeof(Cell *) * (reading->nqis + 1));
	release->tree = palloc0(sizeof(int32) * (reading->nqis + 1));
	release->insensitive = palloc0(sizeof(uint32 *) * (reading->ninsensitive + 1));
	if (released->shows_sensitive)
		release->value = palloc(sizeof(Code) * release->allocated);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role == ROLE_QUASI_IDENTIFIER)
		{
			/* The tree is not known of an import, and a draft is made with today's. */
			release->tree[q] = release->is_draft || released->is_imported ? column->tree : released->tree[i];
			if (released->shown[i])
				release->cell[q] = palloc(sizeof(Cell) * release->allocated);
			q++;
		}
		if (column->role == ROLE_INSENSITIVE)
		{
			if (released->shown[i] && !released->is_answer)
				release->insensitive[insensitive] = palloc(sizeof(uint32) * release->allocated);
			insensitive++;
		}
	}
}

/* ---- Drafts: a release that is not published yet, behind those that are ---- */

uint32 *
numbers_of_codes(Dictionary *dictionary, const PlainColumn *plain)
{
	uint32	   *number = new_zeros(uint32, plain->ncodes);

	for (Code code = 0; code < plain->ncodes; code++)
		number[code] = dictionary_number(dictionary, plain->values[code], false);
	return number;
}

/* The number of each code's cell. */
static uint32 *
cells_of_codes(Cells *cells, const Coding *coding)
{
	uint32	   *number = new_zeros(uint32, coding->domain->size);

	for (Code code = 0; code < coding->domain->size; code++)
	{
		bool		isnull;
		Datum		printed = print_cell(coding, span_of(code), &isnull);

		number[code] = cells_number(cells, printed, isnull);
	}
	return number;
}

static void
fill_column(uint32 *column, const uint32 *number, const Code *code, uint64 nrows)
{
	for (uint64 row = 0; row < nrows; row++)
		column[row] = code[row] == NO_CODE ? DICTIONARY_NULL : number[code[row]];
}

/* The log's part of a draft, as it will be. */
static SeenRelease *
seen_draft(Reading *reading, const LoadedFrame *loaded, Individual *individual)
{
	uint64		nrows = loaded->frame.nrows;
	SeenRelease *seen = palloc0(sizeof(SeenRelease));

	seen->nclasses = 1;
	seen->number = palloc(sizeof(int64));
	seen->number[0] = 1;
	seen->first = new_zeros(uint64, 1);
	seen->first[1] = nrows;
	seen->individual = individual;
	seen->counterfeit = new_zeros(bool, nrows);
	seen->fingerprint = loaded->fingerprint;
	seen->value = new_array(Code, nrows);
	for (uint64 row = 0; row < nrows; row++)
	{
		Code		code = loaded->sensitive.code[row];

		seen->value[row] = code == NO_CODE ? NO_CODE : joined_part(reading, loaded->sensitive.values[code]);
	}
	return seen;
}

/* Fills the columns that a draft shows. */
static void
show_columns(Reading *reading, ReadRelease *release, const LoadedFrame *loaded)
{
	uint64		nrows = loaded->frame.nrows;
	int			n = 0;
	int			insensitive = 0;

	for (uint64 row = 0; row < nrows; row++)
		(void) add_read_row(reading, release);
	for (int q = 0; q < reading->nqis; q++)
		if (release->cell[q] != NULL)
		{
			fill_column(release->cell[q], cells_of_codes(reading->cells[q], loaded->codings[n]), loaded->frame.code[n], nrows);
			n++;
		}
	for (int i = 0; i < reading->ninsensitive; i++)
		if (release->insensitive[i] != NULL)
		{
			const PlainColumn *plain = &loaded->insensitive[insensitive++];

			fill_column(release->insensitive[i], numbers_of_codes(reading->insensitive[i], plain), plain->code, nrows);
		}
	if (release->value != NULL)
		memcpy(release->value, release->seen->value, sizeof(Code) * nrows);
}

/* Reads the rows of a frame as a release that is not published yet, behind the others. */
static void
read_draft(Reading *reading, const LoadedFrame *loaded)
{
	const DeclaredPublication *publication = reading->publication;
	Recalled   *recalled = reading->recalled;
	ReadRelease *release = &reading->release[reading->nreleases++];
	Released   *released = palloc0(sizeof(Released));
	Individual *individual = new_zeros(Individual, loaded->frame.nrows);

	/* Newcomers get individuals behind all that are known. */
	if (recalled->seen.nindividuals != recalled->people->size)
		elog(ERROR, "releases without classes have invented rows");
	for (uint64 row = 0; row < loaded->frame.nrows; row++)
		individual[row] = keys_add(recalled->people, loaded->keys[row]);
	recalled->seen.nindividuals = recalled->people->size;
	released->number = release->number = publication->releases + 1;
	released->is_identified = true;
	released->shown = loaded->shown;
	released->shows_sensitive = shown_sensitive(publication, loaded->shown)[reading->judged];
	release->released = released;
	release->seen = seen_draft(reading, loaded, individual);
	release->is_logged = release->is_draft = true;
	begin_read_release(reading, release);
	show_columns(reading, release, loaded);
	release->individual = individual;
}

/* ---- Tables ---- */

typedef struct TableReading
{
	Reading    *reading;
	ReadRelease *release;
	int		   *insensitive;	/* [ninsensitive] attributes, from 0 on */

	/* By the numbers of the table's cells and values */
	uint32	   *cells_room;		/* [nqis] */
	Cell	  **cell;			/* [nqis] */
	uint32		values_room;
	Code	   *value;
} TableReading;

static void
note_cell(void *what, int q, uint32 number, Datum cell, bool isnull)
{
	TableReading *table = what;

	array_reserve(table->cell[q], table->cells_room[q], number + 1);
	table->cell[q][number] = cells_number(table->reading->cells[q], cell, isnull);
}

/* Finds the code of what rows are joined by. */
static void
note_value(void *what, uint32 number, const Datum *columns, const bool *nulls)
{
	TableReading *table = what;
	Reading    *reading = table->reading;

	memcpy(reading->part, columns, sizeof(Datum) * reading->nsensitive);
	memcpy(reading->isnull, nulls, sizeof(bool) * reading->nsensitive);
	array_reserve(table->value, table->values_room, number + 1);
	table->value[number] = joined_value(reading);
}

/* Takes a row: of its columns, those that the release shows. */
static void
note_row(void *what, const ReleasedRow *released)
{
	TableReading *table = what;
	const Reading *reading = table->reading;
	ReadRelease *release = table->release;
	uint64		row = add_read_row(reading, release);

	progress_step(1);
	for (int q = 0; q < reading->nqis; q++)
		if (release->cell[q] != NULL)
			release->cell[q][row] = table->cell[q][released->cell[q]];
	for (int i = 0; i < reading->ninsensitive; i++)
		if (release->insensitive[i] != NULL)
			release->insensitive[i][row] = dictionary_number(reading->insensitive[i],
															 released->slot->tts_values[table->insensitive[i]],
															 released->slot->tts_isnull[table->insensitive[i]]);
	if (release->value != NULL)
		release->value[row] = table->value[released->value];
	if (release->class == NULL)
		return;
	if (released->class < 1 || released->class > PG_UINT32_MAX)
		refuse_release(reading, release);
	release->class[row] = (uint32) released->class;
}

/* Reads a release's table; an error if it is not as it was published. */
static void
read_table(Reading *reading, ReadRelease *release)
{
	const DeclaredPublication *publication = reading->publication;
	RowVisitor	visitor = {.wants_class = release->is_logged, .cell = note_cell, .row = note_row};
	TableReading table = {.reading = reading, .release = release, .insensitive = palloc(sizeof(int) * publication->ncolumns)};
	int			attribute = has_class_column(publication);
	int			n = 0;

	if (release->released->is_forgotten)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the table of release %d of publication \"%s\" was forgotten", release->number, publication->name),
				 errhint("Name releases without this one.")));
	if (!table_stands(publication, release->released))
		refuse_release(reading, release);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		if (publication->columns[i].role == ROLE_INSENSITIVE)
			table.insensitive[n++] = attribute;
		attribute += publication->columns[i].role != ROLE_KEY;
	}
	table.cells_room = palloc0(sizeof(uint32) * (reading->nqis + 1));
	table.cell = palloc0(sizeof(Cell *) * (reading->nqis + 1));
	for (int q = 0; q < reading->nqis; q++)
		array_reserve(table.cell[q], table.cells_room[q], 1);
	array_reserve(table.value, table.values_room, 1);
	if (release->value != NULL)
		visitor.value = note_value;
	if (release->is_logged)
		release->class = palloc(sizeof(uint32) * release->allocated);
	released_rows(publication, release->released->table, &visitor, &table);
}

/* When all values are known, NULL gets a code behind them. */
static void
code_nulls(Reading *reading)
{
	reading->null_value = reading->recalled->codes->size;
	reading->nvalues = reading->null_value + 1;
	reading->judged_column = &recalled_columns(reading->publication, reading->recalled)->column[reading->judged];
	reading->place = new_zeros(uint32, reading->judged_column->ncodes);
	for (int32 r = 0; r < reading->nreleases; r++)
	{
		ReadRelease *release = &reading->release[r];

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; release->value != NULL && i < release->nrows; i++)
			if (release->value[i] == NO_CODE)
				release->value[i] = reading->null_value;
	}
}

/* ---- Answers ---- */

/* The true rows of a class: its cells, and what the log tells of its members. */
static void
add_class(Reading *reading, ReadRelease *release, uint32 class, const Cell *cell)
{
	const SeenRelease *seen = release->seen;

	for (uint64 i = seen->first[class]; i < seen->first[class + 1]; i++)
	{
		uint64		row;

		if (seen->counterfeit[i])
			continue;
		row = add_read_row(reading, release);
		for (int q = 0; q < reading->nqis; q++)
			if (release->cell[q] != NULL)
				release->cell[q][row] = cell[q];
		if (release->value != NULL)
			release->value[row] = seen->value[i] == NO_CODE ? reading->null_value : seen->value[i];
		release->individual[row] = seen->individual[i];
	}
}

/* Reads an answer from the log and from what is kept of its classes. */
static void
read_answer(Reading *reading, ReadRelease *release, const AnsweredRelease *answer)
{
	const SeenRelease *seen = release->seen;
	uint32	   *class = new_array(uint32, seen->nclasses);	/* by their numbers, which are 1 .. nclasses */

	if (answer->nclasses != seen->nclasses)
		refuse_release(reading, release);
	memset(class, 0xff, sizeof(uint32) * ((Size) seen->nclasses + 1));
	for (uint32 c = 0; c < seen->nclasses; c++)
	{
		if (seen->number[c] < 1 || seen->number[c] > seen->nclasses || class[seen->number[c]] != PG_UINT32_MAX)
			refuse_release(reading, release);
		class[seen->number[c]] = c;
	}
	release->individual = palloc(sizeof(Individual) * release->allocated);
	for (uint32 place = 0; place < answer->nclasses; place++)
	{
		int64		number = answer->number[place];
		uint32		c;

		CHECK_FOR_INTERRUPTS();
		if (number < 1 || number > seen->nclasses || class[number] == PG_UINT32_MAX)
			refuse_release(reading, release);
		c = class[number];
		class[number] = PG_UINT32_MAX;	/* once each */
		if (answer->rows[place] != (int64) seen_size(seen, c))
			refuse_release(reading, release);
		add_class(reading, release, c, &answer->cell[(Size) place * reading->nqis]);
	}
	pfree(class);
}

/* Reads all answers among the releases. */
static void
read_answers(Reading *reading)
{
	Answered   *answered = NULL;

	for (int32 r = 0; r < reading->nreleases; r++)
	{
		ReadRelease *release = &reading->release[r];

		if (!release->released->is_answer)
			continue;
		if (answered == NULL)
			answered = answered_read(reading->publication, reading->cells, reading->publication->releases);
		if (answered == NULL)
			refuse_release(reading, release);
		read_answer(reading, release, &answered->release[release->number - 1]);
	}
}

/* ---- The whole ---- */

/* Prepares to read: dictionaries for all columns that can be shown. */
static Reading *
reading_create(const DeclaredPublication *publication)
{
	Reading    *reading = palloc0(sizeof(Reading));

	reading->publication = publication;
	reading->column = palloc(sizeof(DeclaredColumn *) * publication->ncolumns);
	reading->cells = palloc(sizeof(Cells *) * publication->ncolumns);
	reading->insensitive = palloc(sizeof(Dictionary *) * publication->ncolumns);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role == ROLE_QUASI_IDENTIFIER)
		{
			reading->column[reading->nqis] = column;
			reading->cells[reading->nqis++] = cells_create(column);
		}
		if (column->role == ROLE_INSENSITIVE)
			reading->insensitive[reading->ninsensitive++] = dictionary_create(column->type);
	}
	return reading;
}

/* The log's part of a release, true and invented rows: people who were only counted in have none. */
static const SeenRelease *
leave_out_counted(const SeenRelease *all)
{
	SeenRelease *seen;
	uint64		nall = all->first[all->nclasses];
	uint64		n = 0;

	if (all->is_counted == NULL)
		return all;
	seen = palloc(sizeof(SeenRelease));
	*seen = (SeenRelease) {
		.nclasses = all->nclasses,
		.number = all->number,
		.first = new_array(uint64, all->nclasses),
		.individual = new_array(Individual, nall),
		.value = new_array(Code, nall),
		.counterfeit = new_array(bool, nall),
		.fingerprint = new_array(uint32, nall),
	};
	for (uint32 c = 0; c < all->nclasses; c++)
	{
		seen->first[c] = n;
		for (uint64 i = all->first[c]; i < all->first[c + 1]; i++)
		{
			if (all->is_counted[i])
				continue;
			seen->individual[n] = all->individual[i];
			seen->value[n] = all->value[i];
			seen->counterfeit[n] = all->counterfeit[i];
			seen->fingerprint[n++] = all->fingerprint[i];
		}
	}
	seen->first[all->nclasses] = n;
	return seen;
}

Reading *
read_releases(const DeclaredPublication *publication, const int32 *numbers, int32 n, int sensitive, const LoadedFrame *draft)
{
	Reading    *reading = reading_create(publication);
	Released   *released = read_released(publication);
	uint64		rows = 0;		/* as the log tells */

	reading->judged = sensitive;
	reading->recalled = recall(publication);
	reading->recalled->seen = seen_of_people(&reading->recalled->seen);
	find_joined(reading, released, numbers, n, draft);
	join_log(reading);
	reading->nreleases = n;
	reading->release = palloc0(sizeof(ReadRelease) * (n + 1));
	for (int32 r = 0; r < n; r++)
	{
		const SeenRelease *seen = &reading->recalled->seen.release[numbers[r] - 1];

		rows += seen->first[seen->nclasses];
	}
	take_steps(rows * RECORD_STEPS);
	progress_phase("read releases", rows);
	for (int32 r = 0; r < n; r++)
	{
		ReadRelease *release = &reading->release[r];

		release->number = numbers[r];
		release->released = &released[numbers[r] - 1];
		release->seen = leave_out_counted(&reading->recalled->seen.release[numbers[r] - 1]);
		release->is_logged = release->seen->nclasses > 0;
		begin_read_release(reading, release);
		if (!release->released->is_answer)
			read_table(reading, release);
	}
	if (draft != NULL)
		read_draft(reading, draft);
	code_nulls(reading);
	read_answers(reading);
	reading->is_compared = palloc0(sizeof(bool) * (reading->ninsensitive + 1));
	for (int i = 0; i < reading->ninsensitive; i++)
	{
		int32		shown_by = 0;

		for (int32 r = 0; r < reading->nreleases; r++)
			shown_by += reading->release[r].insensitive[i] != NULL;
		reading->is_compared[i] = shown_by > 1 && !has_several_rows(publication);	/* whose rows have no one value */
	}
	return reading;
}

/*
 * paths.c
 *		Reading the log, and the table of people, for methods without places.
 *
 * NOTES
 *		Each row of the log is a class, and releases stand in it one behind the other.  A class is a person's last one if
 *		all rows of later releases were read.  So that is verified, wherever reading ends.
 */
#include "history/paths.h"

#include "declare/catalog.h"
#include "declare/parameters.h"
#include "frame/arrays.h"
#include "history/element.h"
#include "history/past_tables.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define NO_STEP PG_UINT64_MAX
#define PUBLISHED -1			/* in a release that was not found yet */

struct PathReader
{
	const DeclaredPublication *publication;
	FrameLoad  *load;
	MemoryContext context;
	Element		key;
	Element		sensitive;
	bool		keeps_people;
	bool		wants_last;		/* the last step of each person */
	bool		wants_all;		/* or all steps */
	uint64		nrows;			/* of the load */
	int64		npeople;		/* so far, and invented rows */
	uint64	   *logged;			/* [releases] rows of each */
	int32	   *latest;			/* [nrows] the last release found that shows the person, PUBLISHED, or 0 */
	uint64		to_find;		/* people whose last class is not known yet, where the table of people tells who they
								 * are */
	int32		release;		/* of the class at hand */
	int32		earliest;		/* of those read */

	/* The class at hand */
	ElementRoom room;
	RowId	   *here;			/* [here_allocated] rows of its people, or NO_ROW */
	uint64		here_allocated;

	/* Steps as they are found: values are numbers of the load's dictionary */
	Paths		paths;
	uint32		allocated_classes;
	uint64		allocated_values;
	uint64		nsteps;
	uint64		allocated_steps;
	RowId	   *step_row;
	uint32	   *step_class;
	Code	   *step_shown;
	uint64	   *last_step;		/* [nrows] or NO_STEP */

	/* Companies, or NULL if they are not wanted */
	CompanyFinder *companies;
	uint32		degree;			/* of the method */
};

/* ----------------------------------------------------------------
 * A class
 * ----------------------------------------------------------------
 */

static int
length_of(Datum datum)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);

	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

/* Counts the rows of a class: people without a fingerprint are only counted in. */
static void
count_rows(PathReader *reader, const TupleTableSlot *slot)
{
	static const int always[] = {LOG_RELEASE, LOG_KEYS, LOG_SENSITIVE, LOG_FINGERPRINTS};
	int			n;
	int			npeople;
	int			nprints;

	if (!row_has_values(slot, LOG_COLUMNS, always, lengthof(always)))
		refuse_class(reader->publication);
	reader->release = DatumGetInt32(slot->tts_values[LOG_RELEASE]);
	n = length_of(slot->tts_values[LOG_SENSITIVE]);
	npeople = length_of(slot->tts_values[LOG_KEYS]);
	nprints = length_of(slot->tts_values[LOG_FINGERPRINTS]);
	if (reader->release < 1 || reader->release > reader->publication->releases || npeople > n)
		refuse_class(reader->publication);
	reader->earliest = Min(reader->earliest, reader->release);
	reader->logged[reader->release - 1] += n - Max(0, npeople - nprints);
}

/* Finds the members of a class among the rows loaded; returns how many there are. */
static uint32
find_members(PathReader *reader, Datum keys)
{
	ElementRoom *room = &reader->room;
	uint32		n = 0;

	if (element_read(&reader->key, keys, room, reader->context))
		refuse_class(reader->publication);
	array_reserve(reader->here, reader->here_allocated, (uint64) room->n);
	keys_find_all(load_keys(reader->load), room->values, NULL, room->n, reader->here);
	for (int i = 0; i < room->n; i++)
		n += reader->here[i] != NO_ROW;
	return n;
}

/* Adds a class with its values, as numbers of the load's dictionary; returns these. */
static const Code *
add_class(PathReader *reader, const TupleTableSlot *slot)
{
	Paths	   *paths = &reader->paths;
	ElementRoom *room = &reader->room;
	uint64		first = paths->first_value[paths->nclasses];

	(void) element_read(&reader->sensitive, slot->tts_values[LOG_SENSITIVE], room, reader->context);
	array_reserve(paths->first_value, reader->allocated_classes, paths->nclasses + 1);
	array_reserve(paths->value, reader->allocated_values, first + room->n);
	load_sensitive_numbers(reader->load, room->values, room->nulls, paths->value + first, room->n);
	paths->first_value[++paths->nclasses] = first + room->n;
	return paths->value + first;
}

/* Notes the step of a person into the class that was added last: a new one, or the only one. */
static void
add_step(PathReader *reader, RowId row, Code shown)
{
	uint64		step = reader->last_step[row];

	if (reader->wants_all || step == NO_STEP)
	{
		if (reader->nsteps == reader->allocated_steps)
		{
			reader->allocated_steps = array_room(reader->allocated_steps, reader->nsteps + 1);
			array_resize(reader->step_row, reader->allocated_steps);
			array_resize(reader->step_class, reader->allocated_steps);
			array_resize(reader->step_shown, reader->allocated_steps);
		}
		step = reader->nsteps++;
	}
	reader->last_step[row] = step;
	reader->step_row[step] = row;
	reader->step_class[step] = reader->paths.nclasses - 1;
	reader->step_shown[step] = shown;
}

/* Is the step of a row into the class at hand wanted? */
static inline bool
is_wanted(const PathReader *reader, RowId row)
{
	return row != NO_ROW && (reader->wants_all || reader->latest[row] < reader->release);
}

/* Adds the steps of a class that are wanted, with the class. */
static void
add_steps(PathReader *reader, const TupleTableSlot *slot, int npeople)
{
	const Code *shown = NULL;

	for (int i = 0; i < npeople; i++)
	{
		RowId		row = reader->here[i];

		if (!is_wanted(reader, row))
			continue;
		if (shown == NULL)
			shown = add_class(reader, slot);
		add_step(reader, row, shown[i]);
	}
}

/* How many different values does a class show, all of which occur equally often?  Methods of companies make no others. */
static uint32
different_values(const Paths *paths, uint32 class)
{
	const Code *value = paths->value + paths->first_value[class];
	uint32		size = paths_size(paths, class);
	uint32		times = 0;

	for (uint32 i = 0; i < size; i++)
		times += value[i] == value[0];
	return size / times;
}

/* Adds the members of a class who are in the source.  They are among the same values in all releases, so any of their classes tells how many. */
static void
add_company(PathReader *reader, int npeople)
{
	uint32		n = 0;

	for (int i = 0; i < npeople; i++)
		if (reader->here[i] != NO_ROW)
		{
			companies_count(reader->companies, reader->here[i]);
			reader->here[n++] = reader->here[i];
		}
	if (n + reader->degree > different_values(&reader->paths, reader->step_class[reader->last_step[reader->here[0]]]))
		companies_add(reader->companies, reader->here, n);
}

/* Notes that a person is shown in the class at hand; one whom the table of people does not have would pass for a newcomer in other releases. */
static void
note_shown(PathReader *reader, RowId row)
{
	int32	   *latest = &reader->latest[row];

	if (*latest == 0 && reader->keeps_people)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the log of publication \"%s\" has somebody who is not among its people", reader->publication->name),
				 errhint(REBUILD_HINT)));
	if (*latest == PUBLISHED)
		reader->to_find--;
	*latest = Max(*latest, reader->release);
}

/* Visits a class of the log; returns whether more are needed. */
static bool
visit_class(void *what, TupleTableSlot *slot)
{
	PathReader *reader = what;
	int			npeople;

	count_rows(reader, slot);
	if (find_members(reader, slot->tts_values[LOG_KEYS]) > 0)
	{
		npeople = reader->room.n;
		if (reader->wants_last || reader->wants_all)
			add_steps(reader, slot, npeople);
		for (int i = 0; i < npeople; i++)
			if (reader->here[i] != NO_ROW)
				note_shown(reader, reader->here[i]);
		if (reader->companies != NULL)
			add_company(reader, npeople);
	}
	return !reader->keeps_people || reader->to_find > 0;
}

/* ----------------------------------------------------------------
 * People
 * ----------------------------------------------------------------
 */

/* Visits a row of the table of people: those of the source are to be found in the log. */
static bool
visit_people(void *what, TupleTableSlot *slot)
{
	PathReader *reader = what;
	static const int always[] = {PEOPLE_CAME, PEOPLE_KEYS};

	if (!row_has_values(slot, PEOPLE_COLUMNS, always, lengthof(always)) || ARR_HASNULL(DatumGetArrayTypeP(slot->tts_values[PEOPLE_KEYS])))
		past_refuse(reader->publication, reader->npeople);
	if (find_members(reader, slot->tts_values[PEOPLE_KEYS]) > 0)
		for (int i = 0; i < reader->room.n; i++)
			if (reader->here[i] != NO_ROW && reader->latest[reader->here[i]] == 0)
			{
				reader->latest[reader->here[i]] = PUBLISHED;
				reader->to_find++;
			}
	reader->npeople += reader->room.n;
	return true;
}

/* Finds out who was published; the missing would pass for newcomers. */
static void
read_people(PathReader *reader)
{
	const DeclaredPublication *publication = reader->publication;
	Oid			table = past_table(publication, PEOPLE_TABLE);
	CatalogAccess access;

	if (publication->remembered > 0 && !OidIsValid(table))
		past_refuse(publication, 0);
	if (!OidIsValid(table))
		return;
	past_table_verify(publication, PEOPLE_TABLE);
	catalog_enter(&access);
	catalog_read("SELECT coalesce(sum(counterfeits), 0)::bigint AS n FROM pprepub_internal.catalog_release WHERE publication = $1 AND number <= $2",
				 CATALOG_INT(publication->id), CATALOG_INT(publication->releases));
	reader->npeople = catalog_int(0, "n");
	catalog_leave(&access);
	(void) read_backward(table, visit_people, reader);
	if (reader->npeople != publication->remembered)
		past_refuse(publication, reader->npeople);
}

/* Reads the log as far as it is needed. */
static void
read_log(PathReader *reader)
{
	const DeclaredPublication *publication = reader->publication;
	bool		is_all;

	if (reader->keeps_people)
		read_people(reader);
	if (reader->keeps_people && reader->to_find == 0)
		return;
	is_all = log_read_backward(publication, visit_class, reader);
	if (reader->to_find > 0)
		past_refuse(publication, reader->npeople - reader->to_find);
	log_verify_rows(publication, reader->logged, is_all ? 1 : reader->earliest + 1);
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

PathReader *
paths_read(const DeclaredPublication *publication, FrameLoad *load, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	PathReader *reader = palloc0(sizeof(PathReader));
	const MethodDeclaration *method = method_declaration(publication->method);

	reader->publication = publication;
	reader->load = load;
	reader->context = context;
	reader->key = element_of(publication_column(publication, ROLE_KEY));
	reader->sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
	reader->keeps_people = keeps_people(publication);
	reader->wants_last = keeps_past(publication, PAST_LAST);
	reader->wants_all = keeps_past(publication, PAST_PATHS);
	reader->earliest = publication->releases;
	reader->nrows = load_keys(load)->size;
	reader->logged = new_zeros(uint64, publication->releases);
	reader->latest = new_zeros(int32, reader->nrows);
	reader->here = new_array(RowId, 0);
	reader->last_step = new_array(uint64, reader->nrows);
	memset(reader->last_step, 0xff, sizeof(uint64) * reader->nrows);	/* NO_STEP */
	array_resize(reader->step_row, 0);
	array_resize(reader->step_class, 0);
	array_resize(reader->step_shown, 0);
	reader->paths.first_value = new_zeros(uint64, 0);
	reader->paths.value = new_array(Code, 0);
	if (keeps_past(publication, PAST_COMPANIES))
	{
		reader->companies = companies_begin(reader->nrows);
		reader->degree = method->degree(param_values(method, publication->params));
	}
	if (publication->releases > 0)
		read_log(reader);
	MemoryContextSwitchTo(old);
	return reader;
}

bool
paths_know(const PathReader *reader, RowId row)
{
	return reader->latest[row] != 0;
}

/* Sorts steps by people; they were found from the newest on. */
static void
sort_steps(PathReader *reader, const Code *code)
{
	Paths	   *paths = &reader->paths;
	uint64	   *end = new_array(uint64, reader->nrows);

	paths->first = new_zeros(uint64, reader->nrows);
	paths->class = new_array(uint32, reader->nsteps);
	paths->shown = new_array(Code, reader->nsteps);
	for (uint64 i = 0; i < reader->nsteps; i++)
		paths->first[reader->step_row[i] + 1]++;
	for (uint64 row = 0; row < reader->nrows; row++)
	{
		paths->first[row + 1] += paths->first[row];
		end[row] = paths->first[row + 1];
	}
	for (uint64 i = 0; i < reader->nsteps; i++)
	{
		uint64		at = --end[reader->step_row[i]];

		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		paths->class[at] = reader->step_class[i];
		paths->shown[at] = code[reader->step_shown[i]];
	}
	pfree(end);
}

void
paths_finish(PathReader *reader, const LoadedFrame *loaded, Past *past)
{
	MemoryContext old = MemoryContextSwitchTo(reader->context);
	Paths	   *paths = &reader->paths;

	Assert(loaded->frame.nrows == reader->nrows);
	if (reader->wants_last || reader->wants_all)
	{
		sort_steps(reader, loaded->sensitive_code);
		for (uint64 i = 0; i < paths->first_value[paths->nclasses]; i++)
			paths->value[i] = loaded->sensitive_code[paths->value[i]];
		past->paths = paths;
	}
	if (reader->companies != NULL)
		past->companies = companies_end(reader->companies);
	MemoryContextSwitchTo(old);
}

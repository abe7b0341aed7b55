/*
 * inspect_release.c
 *		Reading a release once, for its checksum, its rows and its cells.
 */
#include "postgres.h"

#include "check/checks.h"
#include "check/row_before.h"
#include "frame/arrays.h"
#include "frame/print.h"
#include "history/reader.h"
#include "miscadmin.h"
#include "release/checksum.h"
#include "release/row_classes.h"
#include "shared/progress.h"
#include "utils/memutils.h"

typedef struct Inspecting
{
	const DeclaredPublication *publication;
	const Released *released;
	Recalled   *recalled;
	const Answers *answers;
	const SeenRelease *seen;
	const LoadedFrame *present;
	Inspection	inspection;
	Checksum   *checksum;
	RowClasses *classes;		/* of a table's rows */
	Code	   *shown_code;		/* [values of the log] what the release shows of each, NULLs for other columns, by */
	KeyTable   *shown_values;	/* their numbers */
	bool	   *shows;			/* [sensitive columns] does the release? */
	Datum	   *columns;		/* [sensitive columns] of the row at hand */
	bool	   *nulls;
	uint32	   *class_of;		/* [nclasses + 1] index in the log of a class number, or NO_ROW */
	Code	   *values;			/* [rows of the log] of the table's rows, class by class, as many as there is room for */
	uint32	   *filled;			/* [nclasses] rows of each */
	RowBefore  *before;
	uint32		class;			/* of the row before, or NO_ROW */

	/* Cells, for each quasi-identifier that is shown */
	int			nqis;
	int		   *attribute;		/* [nqis] */
	CellReader **readers;		/* [nqis] */
	bool	   *is_read;		/* [nclasses] */
	Span	   *cells;			/* [nclasses][nqis] codes of the present; lo > hi for none */
	CellEnds   *ends;			/* [nclasses][nqis] */
} Inspecting;

/* The columns that the release shows, if there is something to compare them with. */
static void
find_cells(Inspecting *inspecting)
{
	const DeclaredPublication *publication = inspecting->publication;
	const Answers *answers = inspecting->answers;
	int			q = 0;

	inspecting->attribute = palloc0(sizeof(int) * publication->ncolumns);
	inspecting->readers = palloc0(sizeof(CellReader *) * publication->ncolumns);
	for (int i = 0; i < publication->ncolumns && inspecting->present != NULL; i++)
	{
		if (publication->columns[i].role != ROLE_QUASI_IDENTIFIER)
			continue;
		if (inspecting->released->shown[i])
		{
			inspecting->readers[inspecting->nqis] = cell_reader(inspecting->present->codings[inspecting->nqis]);
			inspecting->attribute[inspecting->nqis++] = answers->cell[q];
		}
		q++;
	}
}

/* Finds the classes of the log by their numbers. */
static void
index_classes(Inspecting *inspecting)
{
	const SeenRelease *seen = inspecting->seen;

	inspecting->class_of = new_array(uint32, seen->nclasses);
	memset(inspecting->class_of, 0xff, sizeof(uint32) * ((Size) seen->nclasses + 1));
	for (uint32 c = 0; c < seen->nclasses; c++)
		if (seen->number[c] > 0 && seen->number[c] <= seen->nclasses)
			inspecting->class_of[seen->number[c]] = c;
	inspecting->is_read = palloc0(sizeof(bool) * ((Size) seen->nclasses + 1));
	inspecting->cells = new_array(Span, (Size) Max(1, inspecting->nqis) * ((Size) seen->nclasses + 1));
	inspecting->ends = new_array(CellEnds, (Size) Max(1, inspecting->nqis) * ((Size) seen->nclasses + 1));
}

static uint32
find_class(const Inspecting *inspecting, int64 number)
{
	return number > 0 && number <= inspecting->seen->nclasses ? inspecting->class_of[number] : NO_ROW;
}

/* Notes the ends of a class's cell of a column. */
static void
note_ends(Inspecting *inspecting, uint32 class, int q, Datum value, bool isnull, Span codes)
{
	const Coding *coding = inspecting->present->codings[q];
	CellEnds   *ends = &inspecting->ends[(Size) class * inspecting->nqis + q];

	*ends = cell_ends(coding, value, isnull, codes);
	inspecting->inspection.ends += ends->n;
	inspecting->inspection.loose_ends += ends->loose;
	if (ends->loose > 0)
		inspecting->inspection.loose_column = coding->column->name;
}

/* The codes that a class's cells cover; all its rows must have the same. */
static void
read_cells(Inspecting *inspecting, uint32 class, const Datum *values, const bool *nulls)
{
	Span	   *cells = &inspecting->cells[(Size) class * inspecting->nqis];

	for (int q = 0; q < inspecting->nqis; q++)
	{
		int			a = inspecting->attribute[q];
		Span		codes;

		if (!cell_codes(inspecting->readers[q], values[a], nulls[a], &codes))
			codes = (Span) {1, 0};
		if (!inspecting->is_read[class])
		{
			cells[q] = codes;
			note_ends(inspecting, class, q, values[a], nulls[a], codes);
		}
		else if (!span_equal(cells[q], codes))
			inspecting->inspection.is_logged = false;
	}
	inspecting->is_read[class] = true;
}

/* The code of what the release shows of the sensitive columns at hand. */
static Code
code_shown(Inspecting *inspecting, bool is_new)
{
	int			n = inspecting->answers->nsensitive;
	bool		is_null = true;
	Datum		value;
	uint32		found;

	for (int c = 0; c < n; c++)
	{
		inspecting->nulls[c] |= !inspecting->shows[c];
		is_null &= inspecting->nulls[c];
	}
	if (is_null)
		return NO_CODE;
	value = join_value(inspecting->publication, inspecting->columns, inspecting->nulls);
	found = is_new ? keys_add(inspecting->shown_values, value) : keys_find(inspecting->shown_values, value);
	if (n > 1)
		pfree(DatumGetPointer(value));
	return found == NO_KEY ? UNKNOWN_VALUE : found;
}

/* Finds what the release shows of each value of the log. */
static void
code_all_shown(Inspecting *inspecting)
{
	const DeclaredColumn *sensitive = publication_column(inspecting->publication, ROLE_SENSITIVE);
	Code		n = inspecting->recalled->seen.nvalues;

	inspecting->shows = shown_sensitive(inspecting->publication, inspecting->released->shown);
	inspecting->columns = palloc(sizeof(Datum) * inspecting->answers->nsensitive);
	inspecting->nulls = palloc(sizeof(bool) * inspecting->answers->nsensitive);
	inspecting->shown_values = keys_create(sensitive->type, sensitive->collation);
	inspecting->shown_code = new_array(Code, n);
	for (Code value = 0; value < n; value++)
	{
		CHECK_FOR_INTERRUPTS();
		split_value(inspecting->publication, inspecting->recalled->values[value], false, inspecting->columns, inspecting->nulls);
		inspecting->shown_code[value] = code_shown(inspecting, true);
	}
}

/* Has the row at hand the class and the cells of the row before? */
static bool
is_as_before(const Inspecting *inspecting, uint32 class)
{
	if (class != inspecting->class)
		return false;
	for (int q = 0; q < inspecting->nqis; q++)
		if (!row_before_is_same(inspecting->before, inspecting->attribute[q]))
			return false;
	return true;
}

/* Adds a value to those of its class; a class of the log may have no room for it. */
static void
add_value(Inspecting *inspecting, uint32 class, Code value)
{
	if (class == NO_ROW || inspecting->filled[class] == seen_size(inspecting->seen, class))
		inspecting->inspection.is_logged = false;
	else
		inspecting->values[inspecting->seen->first[class] + inspecting->filled[class]++] = value;
}

/* Takes a row of a release's table into account. */
static void
inspect_row(void *what, TupleTableSlot *slot)
{
	Inspecting *inspecting = what;
	uint32		class = find_class(inspecting, row_class(inspecting->classes, slot));

	for (int c = 0; c < inspecting->answers->nsensitive; c++)
	{
		inspecting->columns[c] = slot->tts_values[inspecting->answers->sensitive[c]];
		inspecting->nulls[c] = slot->tts_isnull[inspecting->answers->sensitive[c]];
	}
	row_before_take(inspecting->before, slot->tts_values, slot->tts_isnull);
	progress_step(1);
	inspecting->inspection.rows++;
	if (inspecting->released->is_identified)
		add_value(inspecting, class, code_shown(inspecting, false));
	if (class != NO_ROW && !is_as_before(inspecting, class))
		read_cells(inspecting, class, slot->tts_values, slot->tts_isnull);
	inspecting->class = class;
}

/* Where the value at hand is counted: each shown value, then NULL, then all that the log does not know. */
static inline uint64
count_of(const Inspecting *inspecting, Code value)
{
	return value == NO_CODE ? inspecting->shown_values->size :
		value == UNKNOWN_VALUE ? inspecting->shown_values->size + 1 : value;
}

/* Does the table show the values of a class as often as the log?  count is 0 before and after. */
static bool
has_values_of_log(const Inspecting *inspecting, uint32 class, uint32 *count)
{
	const SeenRelease *seen = inspecting->seen;
	const Code *values = inspecting->values + seen->first[class];
	uint32		n = inspecting->filled[class];
	uint32		logged = 0;
	bool		all = true;

	for (uint32 i = 0; i < n; i++)
		count[count_of(inspecting, values[i])]++;
	for (uint64 i = seen->first[class]; i < seen->first[class + 1]; i++)
		if (!seen_is_counted(seen, i))
		{
			uint64		at = count_of(inspecting, seen->value[i] == NO_CODE ? NO_CODE : inspecting->shown_code[seen->value[i]]);

			logged++;
			all &= count[at] > 0;
			count[at] -= count[at] > 0;
		}
	for (uint32 i = 0; i < n; i++)
		count[count_of(inspecting, values[i])] = 0;
	return all && logged == n;
}

/* Compares the rows with those of the log, in any order within a class. */
static void
compare_rows(Inspecting *inspecting)
{
	uint32	   *count = new_zeros(uint32, inspecting->shown_values->size + 2);
	Inspection *inspection = &inspecting->inspection;

	for (uint32 c = 0; c < inspecting->seen->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		if (has_values_of_log(inspecting, c, count))
			continue;
		inspection->is_logged = false;
		inspection->unlogged_class = inspecting->seen->number[c];
		break;
	}
	pfree(count);
}

/* Inspects the rows of a release's table. */
static void
inspect_table(Inspecting *inspecting)
{
	const Released *released = inspecting->released;
	const SeenRelease *seen = inspecting->seen;

	inspecting->values = new_array(Code, seen->first[seen->nclasses]);
	inspecting->filled = new_zeros(uint32, seen->nclasses);
	inspecting->class = NO_ROW;
	inspecting->checksum = checksum_create(inspecting->answers->columns, released->checksum_seed);
	inspecting->before = row_before_create(inspecting->answers->columns, inspecting->checksum);
	inspecting->classes = row_classes_read(inspecting->publication, released->table);
	code_all_shown(inspecting);
	read_each(released->table, inspect_row, inspecting);
	inspecting->inspection.is_intact = memcmp(checksum_result(inspecting->checksum), &released->checksum,
											  sizeof(pg_uuid_t)) == 0;
	if (released->is_identified)
		compare_rows(inspecting);
}

/* ----------------------------------------------------------------
 * Answers
 * ----------------------------------------------------------------
 */

static void
find_unlogged(Inspecting *inspecting, int64 class)
{
	inspecting->inspection.is_logged = false;
	if (inspecting->inspection.unlogged_class == 0)
		inspecting->inspection.unlogged_class = class;
}

/* Each class of the log is kept once, and as many rows of it left as it has members. */
static void
inspect_answer(Inspecting *inspecting)
{
	const SeenRelease *seen = inspecting->seen;
	const Answers *answers = inspecting->answers;
	const AnsweredRelease *answer = &answers->answered->release[inspecting->released->number - 1];
	Datum	   *values = palloc0(sizeof(Datum) * answers->columns->natts);
	bool	   *nulls = palloc0(sizeof(bool) * answers->columns->natts);

	for (uint32 place = 0; place < answer->nclasses; place++)
	{
		uint32		class = find_class(inspecting, answer->number[place]);

		CHECK_FOR_INTERRUPTS();
		inspecting->inspection.rows += answer->rows[place];
		if (class == NO_ROW || inspecting->is_read[class] ||
			answer->rows[place] != (int64) seen_size(seen, class))
			find_unlogged(inspecting, answer->number[place]);
		if (class == NO_ROW)
			continue;
		set_answered_class(answers, answer, place, values, nulls);
		read_cells(inspecting, class, values, nulls);
	}
	for (uint32 c = 0; c < seen->nclasses; c++)
		if (!inspecting->is_read[c])
			find_unlogged(inspecting, seen->number[c]);
	inspecting->inspection.is_intact = answers->is_intact[inspecting->released->number - 1];
}

/* ----------------------------------------------------------------
 * Does it cover whom it says?
 * ----------------------------------------------------------------
 */

/* Notes whether the cells of a class cover one of its people, as the source has that person. */
static void
cover_member(Inspecting *inspecting, uint32 class, RowId row)
{
	const Frame *frame = &inspecting->present->frame;
	const Span *cells = &inspecting->cells[(Size) class * inspecting->nqis];
	Inspection *inspection = &inspecting->inspection;

	inspection->unchanged++;
	for (int q = 0; q < inspecting->nqis; q++)
		if (frame->code[q][row] < cells[q].lo || frame->code[q][row] > cells[q].hi)
		{
			inspection->uncovered_class = inspecting->seen->number[class];
			inspection->uncovered_column = inspecting->present->codings[q]->column->name;
			return;
		}
	inspection->covered++;
}

/* Adds a member to those who have an end's value: alone[nqis][2]. */
static void
count_ends(const Inspecting *inspecting, uint32 class, RowId row, uint64 *alone)
{
	const CellEnds *ends = &inspecting->ends[(Size) class * inspecting->nqis];

	for (int q = 0; q < inspecting->nqis; q++)
		for (int end = 0; end < 2; end++)
			alone[2 * q + end] += inspecting->present->frame.code[q][row] == ends[q].value[end];
}

/* Counts the ends that are one member's alone, and begins anew for the next class. */
static void
note_lone_ends(Inspecting *inspecting, uint64 *alone)
{
	for (int i = 0; i < 2 * inspecting->nqis; i++)
	{
		if (alone[i] == 1)
		{
			inspecting->inspection.lone_ends++;
			inspecting->inspection.lone_column = inspecting->present->codings[i / 2]->column->name;
		}
		alone[i] = 0;
	}
}

#define AHEAD 16

/* Fetches what will be needed of a member: rows of people who stand together in the log may be anywhere in the source. */
static inline void
await_member(const Inspecting *inspecting, const RowId *row_of_person, uint64 i)
{
	const SeenRelease *seen = inspecting->seen;
	RowId		row = NO_ROW;

	if (i < seen->first[seen->nclasses] && !seen->counterfeit[i])
		row = row_of_person[seen->individual[i]];
	if (row == NO_ROW)
		return;
	__builtin_prefetch(&inspecting->present->fingerprint[row]);
	for (int q = 0; q < inspecting->nqis; q++)
		__builtin_prefetch(&inspecting->present->frame.code[q][row]);
}

/* Goes through the people whose quasi-identifiers are what they were when they were published. */
static void
cover_members(Inspecting *inspecting, const RowId *row_of_person)
{
	const SeenRelease *seen = inspecting->seen;
	uint64	   *alone = new_zeros(uint64, 2 * inspecting->nqis);

	for (uint32 c = 0; c < seen->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint64 i = seen->first[c]; i < seen->first[c + 1] && inspecting->is_read[c]; i++)
		{
			RowId		row = seen->counterfeit[i] || seen_is_counted(seen, i) ? NO_ROW : row_of_person[seen->individual[i]];

			await_member(inspecting, row_of_person, i + AHEAD);
			if (row == NO_ROW || inspecting->present->fingerprint[row] != seen->fingerprint[i])
				continue;
			cover_member(inspecting, c, row);
			count_ends(inspecting, c, row, alone);
		}
		note_lone_ends(inspecting, alone);
	}
}

RowId *
find_people(const Recalled *recalled, const KeyTable *present)
{
	const KeyTable *people = recalled->people;
	RowId	   *row_of_person = new_array(RowId, people->size);

	StaticAssertStmt(NO_ROW == NO_KEY, "who is not found is in no row");
	for (uint64 person = 0; person < people->size; person += 1024)
	{
		CHECK_FOR_INTERRUPTS();
		keys_find_all(present, people->keys + person, NULL, Min(1024, people->size - person), row_of_person + person);
	}
	return row_of_person;
}

Inspection
inspect_release(const DeclaredPublication *publication, const Released *released,
				Recalled *recalled, const Answers *answers,
				const LoadedFrame *present, const RowId *row_of_person)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "inspection", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Inspecting	inspecting = {
		.publication = publication, .released = released, .recalled = recalled, .answers = answers,
		.seen = seen_release(&recalled->seen, released->number - 1), .present = present,
		.inspection = {.is_logged = true}
	};

	inspecting.inspection.exists = released->is_answer ? answers->answered != NULL :
		table_stands(publication, released);
	if (inspecting.inspection.exists)
	{
		find_cells(&inspecting);
		index_classes(&inspecting);
		if (released->is_answer)
			inspect_answer(&inspecting);
		else
			inspect_table(&inspecting);
		if (present != NULL)
			cover_members(&inspecting, row_of_person);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return inspecting.inspection;
}

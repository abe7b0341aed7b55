/*
 * inspect.c
 *		Reading a release once, for its checksum, its rows, its cells and the ends of its ranges.
 *
 * NOTES
 *		The share of a cell, or of sensitive values, in a row's checksum is computed once, as are the codes that a cell covers.
 *
 *		An end that only one member of a class has as value singles that person out.  Ends of columns with a step do
 *		not follow what anybody has, so only those count there that are not where a step ends, as in tables that were
 *		imported.  Members who have left, or changed, may have had the value, too: nobody knows.
 */
#include "postgres.h"

#include "check/checks.h"
#include "frame/arrays.h"
#include "frame/line.h"
#include "frame/print.h"
#include "frame/several_rows.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "shared/progress.h"
#include "utils/memutils.h"

typedef struct CellEnds
{
	int			n;				/* finite ends */
	Code		value[2];		/* codes whose values the ends are, NO_CODE for none; never of a column with a step */
	int			loose;			/* ends that are not where a step of the column ends */
} CellEnds;

/* A cell, the codes of the present that it covers, lo > hi for none, and its ends. */
typedef struct InspectedCell
{
	Span		codes;
	CellEnds	ends;
} InspectedCell;

/* A quasi-identifier of a table. */
typedef struct InspectedColumn
{
	int			attribute;
	int			shown;			/* its place among those that are compared with the present, or -1 */
	CellReader *reader;			/* of such a one */
	uint32		room;
	RowSum	   *sum;			/* by the number of a cell */
	uint32		cells_room;
	InspectedCell *cell;		/* the same, if it is compared */
} InspectedColumn;

typedef struct Inspecting
{
	const DeclaredPublication *publication;
	const Released *released;
	Recalled   *recalled;
	const Answers *answers;
	const SeenRelease *seen;
	const LoadedFrame *present;
	Inspection	inspection;

	/* Quasi-identifiers, and those of them that are shown and compared with the present */
	InspectedColumn *columns;	/* [answers->ncells] */
	int			nqis;
	bool	   *is_read;		/* [nclasses] */
	InspectedCell *cells;		/* [nclasses][nqis] */
	uint32	   *class_of;		/* [nclasses + 1] index in the log of a class number, or NO_ROW */

	/* Sensitive values */
	uint64	   *first_shown;	/* [values of the log + 1] the rows of each: one, but for people with several */
	Code	   *shown_code;		/* what the release shows of each row, NULLs for other columns, by */
	KeyTable   *shown_values;	/* their numbers */
	bool	   *shows;			/* [sensitive columns] does the release? */
	Datum	   *column;			/* [sensitive columns] of the value at hand */
	bool	   *isnull;
	uint32		values_room;
	Code	   *value_code;		/* by the number of a table's value */
	uint32		sums_room;
	RowSum	   *value_sum;		/* the same */
	uint64	   *first_row;		/* [nclasses + 1] where the log's rows of each class begin */
	Code	   *values;			/* of the table's rows, class by class, as many as the log has */
	uint32	   *filled;			/* [nclasses] rows of each */

	/* Rows */
	Checksum   *checksum;
	int			ninsensitive;
	int		   *insensitive;	/* [ninsensitive] attributes */
	int64		class;			/* of the row before, or 0 */
	RowSum		class_sum;
} Inspecting;

/* ----------------------------------------------------------------
 * Cells
 * ----------------------------------------------------------------
 */

/* Reads the lower and the upper bound of a printed cell. */
static void
read_bounds(const Coding *coding, Datum cell, RangeBound *bounds)
{
	bool		empty;

	range_deserialize(range_over(coding->column->type), DatumGetRangeTypeP(cell), &bounds[0], &bounds[1], &empty);
	bounds[0].infinite |= empty;
	bounds[1].infinite |= empty;
}

/* The ends of a printed cell, which covers the codes; lo > hi for none. */
static CellEnds
cell_ends(const Coding *coding, Datum cell, bool isnull, Span codes)
{
	CellEnds	ends = {.value = {NO_CODE, NO_CODE}};
	RangeBound	printed[2];
	RangeBound	present[2];
	bool		is_none = codes.lo > codes.hi;

	if (isnull || coding->column->kind != KIND_RANGE)
		return ends;
	read_bounds(coding, cell, printed);
	if (printed[0].infinite && printed[1].infinite)
		return ends;			/* it may hold NULL, and nothing else may be left */
	if (!is_none && coding->step == NULL)
		read_bounds(coding, print_cell(coding, codes, &is_none), present);
	for (int end = 0; end < 2; end++)
	{
		if (printed[end].infinite)
			continue;
		ends.n++;
		if (coding->step != NULL)
			ends.loose += !is_bin_bound(coding->step, &printed[end]);
		else if (!is_none && range_cmp_bounds(range_over(coding->column->type), &printed[end], &present[end]) == 0)
			ends.value[end] = end == 0 ? codes.lo : codes.hi;
	}
	return ends;
}

/* Finds the columns, and those that the release shows if there is something to compare them with. */
static void
find_columns(Inspecting *inspecting)
{
	const DeclaredPublication *publication = inspecting->publication;
	const Answers *answers = inspecting->answers;
	int			natts = answers->columns->natts;
	bool	   *is_other = palloc(sizeof(bool) * natts);
	int			q = 0;

	memset(is_other, true, sizeof(bool) * natts);
	is_other[0] = !has_class_column(publication);
	inspecting->columns = palloc0(sizeof(InspectedColumn) * (answers->ncells + 1));
	for (int i = 0; i < publication->ncolumns; i++)
	{
		InspectedColumn *column = &inspecting->columns[q];

		if (publication->columns[i].role != ROLE_QUASI_IDENTIFIER)
			continue;
		is_other[answers->cell[q]] = false;
		column->attribute = answers->cell[q++];
		column->shown = -1;
		array_reserve(column->sum, column->room, 1);
		array_reserve(column->cell, column->cells_room, 1);
		if (inspecting->present == NULL || !inspecting->released->shown[i])
			continue;
		column->reader = cell_reader(inspecting->present->codings[inspecting->nqis]);
		column->shown = inspecting->nqis++;
	}
	for (int c = 0; c < answers->nsensitive; c++)
		is_other[answers->sensitive[c]] = false;
	inspecting->insensitive = palloc(sizeof(int) * natts);
	for (int a = 0; a < natts; a++)
		if (is_other[a])
			inspecting->insensitive[inspecting->ninsensitive++] = a;
}

static uint32
find_class(const Inspecting *inspecting, int64 number)
{
	return number > 0 && number <= inspecting->seen->nclasses ? inspecting->class_of[number] : NO_ROW;
}

/* A cell with what the present has of it. */
static InspectedCell
inspect_cell(const Inspecting *inspecting, const InspectedColumn *column, Datum value, bool isnull)
{
	InspectedCell cell;

	if (!cell_codes(column->reader, value, isnull, &cell.codes))
		cell.codes = (Span) {1, 0};
	cell.ends = cell_ends(inspecting->present->codings[column->shown], value, isnull, cell.codes);
	return cell;
}

/* Takes a class's cell of a column; all its rows must have the same. */
static void
take_cell(Inspecting *inspecting, uint32 class, const InspectedColumn *column, const InspectedCell *cell)
{
	InspectedCell *known = &inspecting->cells[(Size) class * inspecting->nqis + column->shown];

	if (inspecting->is_read[class])
	{
		inspecting->inspection.is_logged &= span_equal(known->codes, cell->codes);
		return;
	}
	*known = *cell;
	inspecting->inspection.ends += cell->ends.n;
	inspecting->inspection.loose_ends += cell->ends.loose;
	if (cell->ends.loose > 0)
		inspecting->inspection.loose_column = inspecting->present->codings[column->shown]->column->name;
}

/* ----------------------------------------------------------------
 * Tables
 * ----------------------------------------------------------------
 */

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
		inspecting->isnull[c] |= !inspecting->shows[c];
		is_null &= inspecting->isnull[c];
	}
	if (is_null)
		return NO_CODE;
	value = join_value(inspecting->publication, inspecting->column, inspecting->isnull);
	found = is_new ? keys_add(inspecting->shown_values, value) : keys_find(inspecting->shown_values, value);
	if (n > 1)
		pfree(DatumGetPointer(value));
	return found == NO_KEY ? UNKNOWN_VALUE : found;
}

/* Learns of a cell of the table. */
static void
note_cell(void *what, int q, uint32 number, Datum value, bool isnull)
{
	Inspecting *inspecting = what;
	InspectedColumn *column = &inspecting->columns[q];

	array_reserve(column->sum, column->room, number + 1);
	column->sum[number] = checksum_value(inspecting->checksum, column->attribute, value, isnull);
	if (column->shown < 0)
		return;
	array_reserve(column->cell, column->cells_room, number + 1);
	column->cell[number] = inspect_cell(inspecting, column, value, isnull);
}

/* Learns of sensitive values of the table. */
static void
note_value(void *what, uint32 number, const Datum *columns, const bool *nulls)
{
	Inspecting *inspecting = what;
	int			n = inspecting->answers->nsensitive;
	RowSum		sum = {{0, 0}};

	for (int c = 0; c < n; c++)
		sum = row_sum(sum, checksum_value(inspecting->checksum, inspecting->answers->sensitive[c], columns[c], nulls[c]));
	memcpy(inspecting->column, columns, sizeof(Datum) * n);
	memcpy(inspecting->isnull, nulls, sizeof(bool) * n);
	array_reserve(inspecting->value_sum, inspecting->sums_room, number + 1);
	array_reserve(inspecting->value_code, inspecting->values_room, number + 1);
	inspecting->value_sum[number] = sum;
	inspecting->value_code[number] = code_shown(inspecting, false);
}

/* Takes a row of a release's table into account. */
static void
inspect_row(void *what, const ReleasedRow *row)
{
	Inspecting *inspecting = what;
	const TupleTableSlot *slot = row->slot;
	uint32		class = find_class(inspecting, row->class);
	RowSum		sum = inspecting->value_sum[row->value];

	if (has_class_column(inspecting->publication) && (row->class == 0 || row->class != inspecting->class))
		inspecting->class_sum = checksum_value(inspecting->checksum, 0, slot->tts_values[0], slot->tts_isnull[0]);
	inspecting->class = row->class;
	sum = row_sum(sum, inspecting->class_sum);
	for (int i = 0; i < inspecting->ninsensitive; i++)
	{
		int			a = inspecting->insensitive[i];

		sum = row_sum(sum, checksum_value(inspecting->checksum, a, slot->tts_values[a], slot->tts_isnull[a]));
	}
	for (int q = 0; q < inspecting->answers->ncells; q++)
	{
		const InspectedColumn *column = &inspecting->columns[q];

		sum = row_sum(sum, column->sum[row->cell[q]]);
		if (class != NO_ROW && column->shown >= 0)
			take_cell(inspecting, class, column, &column->cell[row->cell[q]]);
	}
	checksum_add_row(inspecting->checksum, sum);
	if (class != NO_ROW)
		inspecting->is_read[class] = true;
	if (!inspecting->released->is_identified)
		;						/* the log knows of no value */
	else if (class == NO_ROW || inspecting->filled[class] == inspecting->first_row[class + 1] - inspecting->first_row[class])
		inspecting->inspection.is_logged = false;
	else
		inspecting->values[inspecting->first_row[class] + inspecting->filled[class]++] = inspecting->value_code[row->value];
	inspecting->inspection.rows++;
	progress_step(1);
}

/* Where the value at hand is counted: each shown value, then NULL, then all that the log does not know. */
static inline uint64
count_of(const Inspecting *inspecting, Code value)
{
	return value == NO_CODE ? inspecting->shown_values->size :
		value == UNKNOWN_VALUE ? inspecting->shown_values->size + 1 : value;
}

/* How many rows a member of a class has. */
static inline uint64
rows_of_member(const Inspecting *inspecting, uint64 i)
{
	Code		value = inspecting->seen->value[i];
	int			nrows = 1;

	if (value == NO_CODE)
		return 1;
	if (inspecting->first_shown != NULL)
		return inspecting->first_shown[value + 1] - inspecting->first_shown[value];
	if (has_several_rows(inspecting->publication))
		pfree(rows_of_value(inspecting->recalled->values[value], &nrows));
	return nrows;
}

/* Does the table show the values of a class as often as the log?  count is 0 before and after. */
static bool
has_values_of_log(const Inspecting *inspecting, uint32 class, uint32 *count)
{
	const SeenRelease *seen = inspecting->seen;
	const Code *values = inspecting->values + inspecting->first_row[class];
	uint32		n = inspecting->filled[class];
	uint32		logged = 0;
	bool		all = true;

	for (uint32 i = 0; i < n; i++)
		count[count_of(inspecting, values[i])]++;
	for (uint64 i = seen->first[class]; i < seen->first[class + 1]; i++)
	{
		uint64		rows = seen_is_counted(seen, i) ? 0 : rows_of_member(inspecting, i);

		for (uint64 row = 0; row < rows; row++)
		{
			Code		value = seen->value[i];
			uint64		at = count_of(inspecting, value == NO_CODE ? NO_CODE : inspecting->shown_code[inspecting->first_shown[value] + row]);

			logged++;
			all &= count[at] > 0;
			count[at] -= count[at] > 0;
		}
	}
	for (uint32 i = 0; i < n; i++)
		count[count_of(inspecting, values[i])] = 0;
	return all && logged == n;
}

/* Lists what the release shows of each value of the log. */
static void
list_shown(Inspecting *inspecting, Code n)
{
	uint64		room = 0;

	inspecting->first_shown = new_zeros(uint64, n);
	for (Code value = 0; value < n; value++)
	{
		Datum	   *row = &inspecting->recalled->values[value];
		int			nrows = 1;
		uint64		first = inspecting->first_shown[value];

		CHECK_FOR_INTERRUPTS();
		if (has_several_rows(inspecting->publication))
			row = rows_of_value(*row, &nrows);
		array_reserve(inspecting->shown_code, room, first + nrows);
		for (int i = 0; i < nrows; i++)
		{
			split_value(inspecting->publication, row[i], false, inspecting->column, inspecting->isnull);
			inspecting->shown_code[first + i] = code_shown(inspecting, true);
		}
		inspecting->first_shown[value + 1] = first + nrows;
	}
}

/* Inspects the rows of a release's table. */
static void
inspect_table(Inspecting *inspecting)
{
	static const RowVisitor visitor = {.wants_class = true, .cell = note_cell, .value = note_value, .row = inspect_row};
	const Released *released = inspecting->released;
	const SeenRelease *seen = inspecting->seen;
	const DeclaredColumn *sensitive;

	inspecting->filled = new_zeros(uint32, seen->nclasses);
	inspecting->checksum = checksum_create(inspecting->publication, inspecting->answers->columns, released->number, released->checksum_seed);
	array_reserve(inspecting->value_sum, inspecting->sums_room, 1);
	array_reserve(inspecting->value_code, inspecting->values_room, 1);
	/* Finds what the release shows of each value of the log. */
	sensitive = publication_column(inspecting->publication, ROLE_SENSITIVE);
	inspecting->shows = shown_sensitive(inspecting->publication, inspecting->released->shown);
	inspecting->column = palloc(sizeof(Datum) * inspecting->answers->nsensitive);
	inspecting->isnull = palloc(sizeof(bool) * inspecting->answers->nsensitive);
	inspecting->shown_values = keys_create(split_type(inspecting->publication), sensitive->collation);
	list_shown(inspecting, inspecting->recalled->seen.nvalues);
	inspecting->first_row = new_zeros(uint64, seen->nclasses);
	for (uint32 c = 0; c < seen->nclasses; c++)
	{
		inspecting->first_row[c + 1] = inspecting->first_row[c];
		for (uint64 i = seen->first[c]; i < seen->first[c + 1]; i++)
			inspecting->first_row[c + 1] += rows_of_member(inspecting, i);
	}
	inspecting->values = new_array(Code, inspecting->first_row[seen->nclasses]);
	released_rows(inspecting->publication, released->table, &visitor, inspecting);
	inspecting->inspection.is_intact = memcmp(checksum_result(inspecting->checksum), &released->checksum,
											  sizeof(pg_uuid_t)) == 0;
	if (released->is_identified)
	{
		uint32	   *count = new_zeros(uint32, inspecting->shown_values->size + 2);
		Inspection *inspection = &inspecting->inspection;

		/* Compares the rows with those of the log, in any order within a class. */
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
		if (class == NO_ROW || inspecting->is_read[class] ||
			answer->rows[place] != (int64) seen_size(seen, class))
			find_unlogged(inspecting, answer->number[place]);
		if (class == NO_ROW)
			continue;
		for (uint64 i = seen->first[class]; i < seen->first[class + 1]; i++)
			inspecting->inspection.rows += rows_of_member(inspecting, i);
		set_answered_class(answers, answer, place, values, nulls);
		for (int q = 0; q < answers->ncells; q++)
		{
			const InspectedColumn *column = &inspecting->columns[q];
			InspectedCell cell;

			if (column->shown < 0)
				continue;
			cell = inspect_cell(inspecting, column, values[column->attribute], nulls[column->attribute]);
			take_cell(inspecting, class, column, &cell);
		}
		inspecting->is_read[class] = true;
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
	const InspectedCell *cells = &inspecting->cells[(Size) class * inspecting->nqis];
	Inspection *inspection = &inspecting->inspection;

	inspection->unchanged++;
	for (int q = 0; q < inspecting->nqis; q++)
		if (!span_contains(cells[q].codes, row_span(frame, q, row)))
		{
			inspection->uncovered_class = inspecting->seen->number[class];
			inspection->uncovered_column = inspecting->present->codings[q]->column->name;
			return;
		}
	inspection->covered++;
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
			RowId		row = seen->counterfeit[i] || seen_is_counted(seen, i) ? NO_ROW : row_of_person[seen_person(seen, i)];
			const InspectedCell *cells;

			if (row == NO_ROW || inspecting->present->fingerprint[row] != seen->fingerprint[i])
				continue;
			cover_member(inspecting, c, row);
			/* Adds a member to those who have an end's value: alone[nqis][2]. */
			cells = &inspecting->cells[(Size) c * inspecting->nqis];
			for (int q = 0; q < inspecting->nqis; q++)
			{
				Span		own = row_span(&inspecting->present->frame, q, row);

				alone[2 * q] += own.lo == cells[q].ends.value[0];
				alone[2 * q + 1] += own.hi == cells[q].ends.value[1];
			}
		}
		/* Counts the ends that are one member's alone, and begins anew for the next class. */
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
		const SeenRelease *seen;

		find_columns(&inspecting);
		/* Finds the classes of the log by their numbers. */
		seen = inspecting.seen;
		inspecting.class_of = new_array(uint32, seen->nclasses);
		memset(inspecting.class_of, 0xff, sizeof(uint32) * ((Size) seen->nclasses + 1));
		for (uint32 c = 0; c < seen->nclasses; c++)
			if (seen->number[c] > 0 && seen->number[c] <= seen->nclasses)
				inspecting.class_of[seen->number[c]] = c;
		inspecting.is_read = palloc0(sizeof(bool) * ((Size) seen->nclasses + 1));
		inspecting.cells = new_array(InspectedCell, (Size) Max(1, inspecting.nqis) * ((Size) seen->nclasses + 1));
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

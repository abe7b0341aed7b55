/*
 * released_rows.c
 *		Reading a release's table: its cells and values by numbers, and the class of each
 *		row in its own column, or by its cells.
 */
#include "release/released_rows.h"

#include "frame/arrays.h"
#include "frame/print.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "release/past_releases.h"

/* ----------------------------------------------------------------
 * The order of regions
 * ----------------------------------------------------------------
 */

typedef struct NumberedText
{
	const char *text;			/* NULL for the cell of NULL */
	uint32		number;
} NumberedText;

/* Orders cells by their text, NULL first. */
static int
compare_texts(const void *a, const void *b)
{
	const char *x = ((const NumberedText *) a)->text;
	const char *y = ((const NumberedText *) b)->text;

	if (x == NULL || y == NULL)
		return (x != NULL) - (y != NULL);
	return strcmp(x, y);
}

/* The place of each cell of a column among all others. */
static uint32 *
cell_places(const Dictionary *cells)
{
	uint32		n = dictionary_size(cells);
	char	  **texts = dictionary_texts(cells);
	NumberedText *order = new_array(NumberedText, n);
	uint32	   *place = new_array(uint32, n);

	for (uint32 i = 0; i < n; i++)
		order[i] = (NumberedText) {i == DICTIONARY_NULL ? NULL : texts[i], i};
	qsort(order, n, sizeof(NumberedText), compare_texts);
	for (uint32 i = 0; i < n; i++)
		place[order[i].number] = i;
	return place;
}

typedef struct RegionOrder
{
	const TupleNumbers *regions;
	uint32	  **cell_place;		/* [width] */
} RegionOrder;

/* Orders regions by the places of their cells, column by column. */
static int
compare_regions(const void *a, const void *b, void *arg)
{
	const RegionOrder *order = arg;
	const uint32 *x = tuple_words(order->regions, *(const uint32 *) a);
	const uint32 *y = tuple_words(order->regions, *(const uint32 *) b);

	for (int q = 0; q < order->regions->width; q++)
		if (x[q] != y[q])
			return order->cell_place[q][x[q]] < order->cell_place[q][y[q]] ? -1 : 1;
	return 0;
}

uint32 *
region_places(const TupleNumbers *regions, Dictionary *const *cells)
{
	RegionOrder order = {.regions = regions, .cell_place = palloc(sizeof(uint32 *) * (regions->width + 1))};
	uint32	   *sorted = new_array(uint32, regions->n);
	uint32	   *place = new_array(uint32, regions->n);

	for (int q = 0; q < regions->width; q++)
		order.cell_place[q] = cell_places(cells[q]);
	for (uint32 i = 0; i < regions->n; i++)
		sorted[i] = i;
	CHECK_FOR_INTERRUPTS();
	qsort_arg(sorted, regions->n, sizeof(uint32), compare_regions, &order);
	for (uint32 i = 0; i < regions->n; i++)
		place[sorted[i]] = i;
	pfree(sorted);
	return place;
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

typedef struct RowReading
{
	const RowVisitor *visitor;
	void	   *what;
	int			ncells;
	const int  *cell;			/* [ncells] attributes */
	Dictionary **cells;			/* [ncells] */
	uint32	   *told;			/* [ncells] how many of them the visitor knows */
	int			nvalues;
	const int  *sensitive;		/* [nvalues] attributes */
	Dictionary **parts;			/* [nvalues] */
	TupleNumbers *values;		/* of numbers of the parts */
	Datum	   *column;			/* [nvalues] of the row at hand */
	bool	   *isnull;
	uint32	   *numbers;		/* [columns] of its cells, or its values */
	TupleNumbers *regions;		/* NULL where rows have a class of their own */
	uint32	   *place;			/* [regions] once all are known */
} RowReading;

/* Numbers the cells of a row, and tells the visitor of those that are new. */
static void
take_cells(RowReading *reading, const TupleTableSlot *slot, bool tells)
{
	for (int q = 0; q < reading->ncells; q++)
	{
		int			a = reading->cell[q];

		reading->numbers[q] = dictionary_number(reading->cells[q], slot->tts_values[a], slot->tts_isnull[a]);
		if (tells && reading->numbers[q] == reading->told[q])
			reading->visitor->cell(reading->what, q, reading->told[q]++, slot->tts_values[a], slot->tts_isnull[a]);
	}
}

/* The number of a row's sensitive values, of which the visitor is told when they are new. */
static uint32
take_value(RowReading *reading, const TupleTableSlot *slot)
{
	uint32		known = reading->values->n;
	uint32		number;

	for (int c = 0; c < reading->nvalues; c++)
	{
		reading->column[c] = slot->tts_values[reading->sensitive[c]];
		reading->isnull[c] = slot->tts_isnull[reading->sensitive[c]];
		reading->numbers[c] = dictionary_number(reading->parts[c], reading->column[c], reading->isnull[c]);
	}
	number = tuple_number(reading->values, reading->numbers, reading->nvalues);
	if (number == known)
		reading->visitor->value(reading->what, number, reading->column, reading->isnull);
	return number;
}

static void
note_region(void *what, TupleTableSlot *slot)
{
	RowReading *reading = what;

	take_cells(reading, slot, false);
	(void) tuple_number(reading->regions, reading->numbers, reading->ncells);
}

/* Tells the visitor of a row. */
static void
visit_row(void *what, TupleTableSlot *slot)
{
	RowReading *reading = what;
	ReleasedRow row = {.slot = slot};
	uint32		region;

	if (reading->visitor->value != NULL)
		row.value = take_value(reading, slot);
	take_cells(reading, slot, reading->visitor->cell != NULL);
	row.cell = reading->numbers;
	if (reading->regions != NULL)
	{
		region = tuple_find(reading->regions, reading->numbers, reading->ncells);
		row.class = region == NO_NUMBER ? 0 : (int64) reading->place[region] + 1;
	}
	else if (reading->visitor->wants_class && !slot->tts_isnull[0])
		row.class = DatumGetInt64(slot->tts_values[0]);
	reading->visitor->row(reading->what, &row);
}

/* A dictionary for each of these attributes. */
static Dictionary **
create_dictionaries(TupleDesc columns, const int *attribute, int n)
{
	Dictionary **dictionaries = palloc(sizeof(Dictionary *) * (n + 1));

	for (int i = 0; i < n; i++)
		dictionaries[i] = dictionary_create(TupleDescAttr(columns, attribute[i])->atttypid);
	return dictionaries;
}

void
released_rows(const DeclaredPublication *publication, Oid table, const RowVisitor *visitor, void *what)
{
	RowReading	reading = {.visitor = visitor, .what = what};
	TupleDesc	columns = released_columns(publication);

	reading.cell = released_cells(publication, &reading.ncells);
	reading.cells = create_dictionaries(columns, reading.cell, reading.ncells);
	reading.told = palloc(sizeof(uint32) * (reading.ncells + 1));
	reading.sensitive = released_sensitive(publication, &reading.nvalues);
	reading.parts = create_dictionaries(columns, reading.sensitive, reading.nvalues);
	reading.values = tuple_numbers_create(reading.nvalues);
	reading.column = palloc(sizeof(Datum) * columns->natts);
	reading.isnull = palloc(sizeof(bool) * columns->natts);
	reading.numbers = palloc(sizeof(uint32) * columns->natts);
	for (int q = 0; q < reading.ncells; q++)
	{
		reading.told[q] = DICTIONARY_NULL + 1;
		if (visitor->cell != NULL)
			visitor->cell(what, q, DICTIONARY_NULL, (Datum) 0, true);
	}
	if (visitor->wants_class && !has_class_column(publication))
	{
		reading.regions = tuple_numbers_create(reading.ncells);
		read_each(table, note_region, &reading);
		reading.place = region_places(reading.regions, reading.cells);
	}
	read_each(table, visit_row, &reading);
}

/* ----------------------------------------------------------------
 * Drafts
 * ----------------------------------------------------------------
 */

/* The place of each class of a draft whose rows show no class. */
static uint32 *
places_of_classes(const ReleaseBuild *build)
{
	const Classes *classes = build->draft->classes;
	TupleNumbers *regions = tuple_numbers_create(classes->nqis);
	Dictionary **cells = palloc(sizeof(Dictionary *) * (classes->nqis + 1));
	uint32	   *numbers = palloc(sizeof(uint32) * (classes->nqis + 1));

	for (int q = 0; q < classes->nqis; q++)
		cells[q] = dictionary_create(printed_type(build->loaded->codings[q]->column->kind, build->loaded->codings[q]->column->type));
	for (uint32 c = 0; c < classes->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int q = 0; q < classes->nqis; q++)
		{
			bool		isnull;
			Datum		printed = print_cell(build->loaded->codings[q], class_region(classes, c)[q], &isnull);

			numbers[q] = dictionary_number(cells[q], printed, isnull);
		}
		(void) tuple_number(regions, numbers, classes->nqis);
	}
	if (regions->n != classes->nclasses)
		elog(ERROR, "two classes print the same cells");
	return region_places(regions, cells);
}

int64 *
class_numbers(const ReleaseBuild *build, const uint32 *order)
{
	uint32		nclasses = build->draft->classes->nclasses;
	int64	   *number = new_array(int64, nclasses);
	uint32	   *place;

	for (uint32 i = 0; i < nclasses; i++)
		number[order[i]] = (int64) i + 1;
	if (has_class_column(build->publication) || nclasses == 0)
		return number;
	place = places_of_classes(build);
	for (uint32 c = 0; c < nclasses; c++)
		number[c] = (int64) place[c] + 1;
	pfree(place);
	return number;
}

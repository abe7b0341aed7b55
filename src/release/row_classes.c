/*
 * row_classes.c
 *		Finding the class of a row in its own column, or by its cells.
 */
#include "release/row_classes.h"

#include "frame/arrays.h"
#include "frame/print.h"
#include "history/reader.h"
#include "miscadmin.h"
#include "release/past_releases.h"

struct RowClasses
{
	bool		has_column;

	/* Otherwise */
	int			nqis;
	const int  *attribute;		/* [nqis] */
	Dictionary **cells;			/* [nqis] */
	uint32	   *numbers;		/* [nqis] of the row at hand */
	TupleNumbers *regions;
	uint32	   *place;			/* [regions] */
};

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

static void
take_cells(RowClasses *classes, const TupleTableSlot *slot)
{
	for (int q = 0; q < classes->nqis; q++)
		classes->numbers[q] = dictionary_number(classes->cells[q], slot->tts_values[classes->attribute[q]],
												slot->tts_isnull[classes->attribute[q]]);
}

static void
note_region(void *what, TupleTableSlot *slot)
{
	RowClasses *classes = what;

	take_cells(classes, slot);
	(void) tuple_number(classes->regions, classes->numbers, classes->nqis);
}

RowClasses *
row_classes_read(const DeclaredPublication *publication, Oid table)
{
	RowClasses *classes = palloc0(sizeof(RowClasses));
	TupleDesc	columns = released_columns(publication);

	classes->has_column = has_class_column(publication);
	if (classes->has_column)
		return classes;
	classes->attribute = released_cells(publication, &classes->nqis);
	classes->cells = palloc(sizeof(Dictionary *) * (classes->nqis + 1));
	classes->numbers = palloc(sizeof(uint32) * (classes->nqis + 1));
	for (int q = 0; q < classes->nqis; q++)
		classes->cells[q] = dictionary_create(TupleDescAttr(columns, classes->attribute[q])->atttypid);
	classes->regions = tuple_numbers_create(classes->nqis);
	read_each(table, note_region, classes);
	classes->place = region_places(classes->regions, classes->cells);
	return classes;
}

int64
row_class(RowClasses *classes, const TupleTableSlot *slot)
{
	uint32		region;

	if (classes->has_column)
		return slot->tts_isnull[0] ? 0 : DatumGetInt64(slot->tts_values[0]);
	take_cells(classes, slot);
	region = tuple_find(classes->regions, classes->numbers, classes->nqis);
	return region == NO_NUMBER ? 0 : (int64) classes->place[region] + 1;
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

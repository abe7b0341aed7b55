/*
 * import_classes.c
 *		Rows of equal cells as classes, with numbers that tell nothing.
 *
 * NOTES
 *		If the table has a column named class, observers can tell rows apart by
 *		it, whatever it means.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "import/import.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "utils/memutils.h"

/* The columns that part rows: cells in declared order, then a class. */
static int
parting_columns(const Import *import, const ImportColumn **columns)
{
	const DeclaredPublication *publication = import->publication;
	int			n = 0;

	for (int i = 0; i < publication->ncolumns; i++)
		if (import->shown[i] && publication->columns[i].role == ROLE_QUASI_IDENTIFIER)
			columns[n++] = import->declared[i];
	if (import->class != NULL)
		columns[n++] = import->class;
	return n;
}

/* Numbers rows by the columns that part them: [rows]. */
static uint32 *
class_of_rows(const Import *import, const ImportColumn *const *columns, TupleNumbers *regions)
{
	uint32	   *class = new_array(uint32, import->nrows);
	uint32	   *numbers = palloc(sizeof(uint32) * (regions->width + 1));

	for (uint64 row = 0; row < import->nrows; row++)
	{
		if (row % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int c = 0; c < regions->width; c++)
			numbers[c] = columns[c]->number[row];
		class[row] = tuple_number(regions, numbers, regions->width);
	}
	return class;
}

/* Lists rows class by class. */
static void
gather_rows(Import *import, const uint32 *class)
{
	ImportClasses *classes = &import->classes;
	uint64	   *filled;

	classes->first = new_zeros(uint64, classes->nclasses);
	classes->rows = new_array(RowId, import->nrows);
	for (uint64 row = 0; row < import->nrows; row++)
		classes->first[class[row] + 1]++;
	for (uint32 c = 0; c < classes->nclasses; c++)
		classes->first[c + 1] += classes->first[c];
	filled = new_array(uint64, classes->nclasses);
	memcpy(filled, classes->first, sizeof(uint64) * classes->nclasses);
	for (uint64 row = 0; row < import->nrows; row++)
		classes->rows[filled[class[row]]++] = row;
	pfree(filled);
}

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
	shuffle(shuffler_create(), classes->order, classes->nclasses);
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

void
make_classes(Import *import)
{
	const ImportColumn **columns = palloc(sizeof(ImportColumn *) * (import->ncolumns + 1));
	TupleNumbers *regions = tuple_numbers_create(parting_columns(import, columns));
	uint32	   *class = class_of_rows(import, columns, regions);

	import->classes.nclasses = regions->n;
	gather_rows(import, class);
	pfree(class);
	number_classes(import, columns, regions);
}

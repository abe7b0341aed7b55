/*
 * measure_import.c
 *		The metrics of an import, where they make sense.
 *
 * NOTES
 *		They measure cells against the rows that they were made from.  So nothing
 *		is measured unless all of these are known: with a key, and everybody in
 *		the source and in the cells.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "import/import.h"
#include "release/past_releases.h"
#include "utils/memutils.h"

static RowId *
rows_of_members(const Import *import)
{
	RowId	   *rows = new_array(RowId, import->nrows);

	for (uint64 i = 0; i < import->nrows; i++)
		rows[i] = import->row_of_person[import->classes.rows[i]];
	return rows;
}

static Span *
regions_of_classes(const Import *import)
{
	const ImportClasses *classes = &import->classes;
	const DeclaredPublication *publication = import->publication;
	int			nqis = import->present->frame.nqis;
	Span	   *regions = new_array(Span, (Size) classes->nclasses * nqis);

	for (int i = 0; i < publication->ncolumns; i++)
	{
		const ImportColumn *column = import->declared[i];
		int			q;

		if (column == NULL || column->column->role != ROLE_QUASI_IDENTIFIER)
			continue;
		q = coded_column(import, column->column);
		for (uint32 c = 0; c < classes->nclasses; c++)
			regions[(Size) c * nqis + q] = column->codes[column->number[classes->rows[classes->first[c]]]];
	}
	return regions;
}

const Metrics *
measure_import(const Import *import)
{
	const DeclaredPublication *publication = import->publication;
	Principle	promised = principle_under(publication->method, publication->params);
	Metrics    *metrics;
	Classes		classes;

	if (import->key == NULL || import->left > 0 || import->changed > 0)
		return NULL;
	metrics = palloc(sizeof(Metrics));
	classes = (Classes) {
		.nclasses = import->classes.nclasses,
		.nqis = import->present->frame.nqis,
		.first = import->classes.first,
		.rows = rows_of_members(import),
		.regions = regions_of_classes(import),
	};
	*metrics = measure_release(&import->present->frame, &classes, &(ReleaseCounts) {0}, promised.k);
	return metrics;
}

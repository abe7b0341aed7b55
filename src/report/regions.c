/*
 * regions.c
 *		Reading the cells of classes, and intersecting them along a path.
 *
 * NOTES
 *		Columns that a release left out are withheld in it, as are cells
 *		that cover everything: neither says anything.
 */
#include "report/regions.h"

#include "catalog/pg_class.h"
#include "frame/arrays.h"
#include "history/answer_regions.h"
#include "history/reader.h"
#include "release/past_releases.h"
#include "release/row_classes.h"
#include "utils/lsyscache.h"

/* ----------------------------------------------------------------
 * A release
 * ----------------------------------------------------------------
 */

/* A release being read: its table, or what is kept of it. */
typedef struct ReleaseReading
{
	const DeclaredPublication *publication;
	const Regions *regions;
	int32		number;			/* of the release */
	const SeenRelease *seen;
	const int  *attribute;		/* [nqis] in a table, from 0 on */
	RowClasses *classes;		/* of a table */
	uint32	   *class;			/* [nclasses + 1] a number's index; NO_CLASS once read */
	Cell	   *shown;			/* [nclasses][nqis] */
} ReleaseReading;

static void
refuse_release(const ReleaseReading *reading)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("release %d of publication \"%s\" is not as it was published",
					reading->number, reading->publication->name),
			 errhint("Restore the publication's tables from a backup.")));
}

/* The log's classes by their numbers, which are 1 .. nclasses. */
static void
index_classes(ReleaseReading *reading)
{
	const SeenRelease *seen = reading->seen;

	reading->class = new_array(uint32, seen->nclasses);
	for (uint32 c = 0; c < seen->nclasses; c++)
	{
		if (seen->number[c] < 1 || seen->number[c] > seen->nclasses)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("the log of publication \"%s\" tells of class " INT64_FORMAT " of release %d",
							reading->publication->name, seen->number[c], reading->number),
					 errhint("Restore its table from a backup.")));
		reading->class[seen->number[c]] = c;
	}
}

/* Where a class's cells are to be put; NULL if they are known. */
static Cell *
cells_of_class(ReleaseReading *reading, int64 number)
{
	uint32		c;

	if (number < 1 || number > reading->seen->nclasses)
		refuse_release(reading);
	c = reading->class[number];
	reading->class[number] = NO_CLASS;
	return c == NO_CLASS ? NULL : reading->shown + (Size) c * reading->regions->nqis;
}

/* All rows of a class have the same cells: one tells them. */
static void
read_row(ReleaseReading *reading, const TupleTableSlot *slot)
{
	const Regions *regions = reading->regions;
	Cell	   *shown = cells_of_class(reading, row_class(reading->classes, slot));

	for (int q = 0; q < regions->nqis && shown != NULL; q++)
		shown[q] = cells_number(regions->cells[q], slot->tts_values[reading->attribute[q]],
								slot->tts_isnull[reading->attribute[q]]);
}

/* Classes that the table lacks, as under a snapshot that is too old for them, say nothing. */
static void
withhold_all(ReleaseReading *reading)
{
	const Regions *regions = reading->regions;

	reading->shown = new_array(Cell, (Size) reading->seen->nclasses * regions->nqis);
	for (uint32 c = 0; c < reading->seen->nclasses; c++)
		for (int q = 0; q < regions->nqis; q++)
			reading->shown[(Size) c * regions->nqis + q] = cells_whole(regions->cells[q]);
}

/* Reads the cells of a release's table, class by class. */
static void
read_table(ReleaseReading *reading, const Released *released)
{
	RowReader  *reader;
	TupleTableSlot *slot;

	if (get_rel_relkind(released->table) != RELKIND_RELATION || !table_stands(reading->publication, released))
		refuse_release(reading);	/* what its access method does not know of */
	reading->classes = row_classes_read(reading->publication, released->table);
	reader = reader_open(released->table);
	while ((slot = reader_next(reader)) != NULL)
		read_row(reading, slot);
	reader_close(reader);
}

/* Takes the cells that are kept of an answer. */
static void
read_answer(ReleaseReading *reading, const AnsweredRelease *answer)
{
	int			nqis = reading->regions->nqis;

	for (uint32 c = 0; c < answer->nclasses; c++)
	{
		Cell	   *shown = cells_of_class(reading, answer->number[c]);

		if (shown != NULL)
			memcpy(shown, answer->cell + (Size) c * nqis, sizeof(Cell) * nqis);
	}
}

/* NULL where nothing is there that could tell. */
static Cell *
read_release(ReleaseReading *reading, const Released *released, const Answered *answered)
{
	if (released->is_answer ? answered == NULL : !OidIsValid(released->table) || !released->is_identified)
		return NULL;
	index_classes(reading);
	withhold_all(reading);
	if (released->is_answer)
		read_answer(reading, &answered->release[released->number - 1]);
	else
		read_table(reading, released);
	pfree(reading->class);
	return reading->shown;
}

/* ----------------------------------------------------------------
 * All releases
 * ----------------------------------------------------------------
 */

/* Prepares to read: cells of all quasi-identifiers. */
static Regions *
regions_create(const DeclaredPublication *publication)
{
	Regions    *regions = palloc0(sizeof(Regions));

	regions->column = palloc(sizeof(DeclaredColumn *) * publication->ncolumns);
	regions->cells = palloc(sizeof(Cells *) * publication->ncolumns);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role != ROLE_QUASI_IDENTIFIER)
			continue;
		regions->column[regions->nqis] = column;
		regions->cells[regions->nqis++] = cells_create(column);
	}
	return regions;
}

Regions *
regions_read(const DeclaredPublication *publication, const Seen *seen)
{
	Regions    *regions = regions_create(publication);
	int			nqis;
	const int  *attribute = released_cells(publication, &nqis);
	const Released *released = read_released(publication);
	const Answered *answered = answered_read(publication, regions->cells, seen->nreleases);

	regions->nreleases = seen->nreleases;
	regions->shown = palloc0(sizeof(Cell *) * (seen->nreleases + 1));
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		ReleaseReading reading = {
			.publication = publication,
			.regions = regions,
			.number = r + 1,
			.seen = &seen->release[r],
			.attribute = attribute,
		};

		regions->shown[r] = read_release(&reading, &released[r], answered);
	}
	return regions;
}

/* ----------------------------------------------------------------
 * A path
 * ----------------------------------------------------------------
 */

/* Narrows a region by what a class shows; where they have nothing in common it stays as it is. */
static bool
narrow(const Regions *regions, const Cell *shown, Cell *region)
{
	Cell	   *both = palloc(sizeof(Cell) * regions->nqis);
	int			q = 0;

	while (q < regions->nqis && (both[q] = cells_meet(regions->cells[q], region[q], shown[q])) != NO_CELL)
		q++;
	if (q == regions->nqis)
		memcpy(region, both, sizeof(Cell) * regions->nqis);
	pfree(both);
	return q == regions->nqis;
}

void
region_of(const Regions *regions, const Atoms *atoms, uint32 atom, Cell *region)
{
	for (int q = 0; q < regions->nqis; q++)
		region[q] = cells_whole(regions->cells[q]);
	for (uint32 place = atoms->last[atom]; place != NO_PLACE; place = atoms->previous[place])
	{
		const Cell *shown = regions->shown[atoms->release[place]];

		if (shown != NULL && !narrow(regions, shown + (Size) atoms->class[place] * regions->nqis, region))
			break;
	}
}

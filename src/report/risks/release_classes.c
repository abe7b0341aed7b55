/*
 * release_classes.c
 *		Reading the classes of one release.
 *
 * NOTES
 *		Classes are told apart by their cells alone: two that show the same cells are
 *		one to whoever reads the table, numbered or not.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "history/answer_regions.h"
#include "history/counterfeits.h"
#include "history/reader.h"
#include "history/recall.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "release/row_classes.h"
#include "report/risks/risks.h"

#define NO_REGION PG_UINT32_MAX

/* A release while it is read. */
typedef struct ClassReading
{
	const DeclaredPublication *publication;
	const Released *released;
	ReleaseClasses *classes;
	const SeenRelease *seen;	/* NULL where the log does not say whose the rows are */
	uint32	   *region;			/* [seen->nclasses + 1] of the class of a number, or NO_REGION */
	Cell	   *cell;			/* [nqis] of the row at hand */
} ClassReading;

static void
refuse_release(const ClassReading *reading)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("release %d of publication \"%s\" is not as it was published",
					reading->released->number, reading->publication->name),
			 errhint("pprepub.audit() says what has changed. Restore the publication's tables from a backup.")));
}

/* Adds rows to the class of the cells at hand, and notes the number that these go by. */
static void
add_rows(ClassReading *reading, uint64 rows, int64 number)
{
	ReleaseClasses *classes = reading->classes;
	uint32		region = tuple_number(classes->regions, reading->cell, classes->nqis);

	array_reserve_zeros(classes->class, classes->allocated, region + 1);
	classes->class[region].rows += rows;
	classes->class[region].people += rows;
	if (reading->seen == NULL)
		return;
	if (number < 1 || number > reading->seen->nclasses)
		refuse_release(reading);
	reading->region[number] = region;
}

/* Reads the cells of each row of a release's table. */
static void
read_table(ClassReading *reading)
{
	ReleaseClasses *classes = reading->classes;
	int			nqis;
	const int  *attribute = released_cells(reading->publication, &nqis);
	RowClasses *row_classes;
	RowReader  *reader;
	TupleTableSlot *slot;

	if (!table_stands(reading->publication, reading->released))
		refuse_release(reading);
	row_classes = row_classes_read(reading->publication, reading->released->table);
	reader = reader_open(reading->released->table);
	while ((slot = reader_next(reader)) != NULL)
	{
		for (int q = 0; q < nqis; q++)
			reading->cell[q] = cells_number(classes->cells[q], slot->tts_values[attribute[q]], slot->tts_isnull[attribute[q]]);
		add_rows(reading, 1, row_class(row_classes, slot));
	}
	reader_close(reader);
}

/* Takes the cells that are kept of an answer, class by class. */
static void
read_answer(ClassReading *reading)
{
	const DeclaredPublication *publication = reading->publication;
	const Answered *answered = answered_read(publication, reading->classes->cells, publication->releases);
	const AnsweredRelease *answer;
	int			nqis = reading->classes->nqis;

	if (answered == NULL)
		refuse_release(reading);
	answer = &answered->release[reading->released->number - 1];
	for (uint32 c = 0; c < answer->nclasses; c++)
	{
		CHECK_FOR_INTERRUPTS();
		if (nqis > 0)
			memcpy(reading->cell, answer->cell + (Size) c * nqis, sizeof(Cell) * nqis);
		add_rows(reading, answer->rows[c], answer->number[c]);
	}
}

/* Takes invented rows from the people of their classes; and from what observers count, where they are told. */
static void
leave_out_invented(ClassReading *reading)
{
	const SeenRelease *seen = reading->seen;
	bool		are_told = tells_counterfeits(reading->publication);

	for (uint32 c = 0; c < seen->nclasses; c++)
	{
		uint64		invented = 0;
		uint32		region = NO_REGION;
		RiskClass  *class;

		CHECK_FOR_INTERRUPTS();
		for (uint64 row = seen->first[c]; row < seen->first[c + 1]; row++)
			invented += seen->counterfeit[row];
		if (seen->number[c] >= 1 && seen->number[c] <= seen->nclasses)
			region = reading->region[seen->number[c]];
		if (region == NO_REGION)
			refuse_release(reading);
		class = &reading->classes->class[region];
		if (invented > class->people)
			refuse_release(reading);
		class->people -= invented;
		if (are_told)
			class->rows -= invented;
	}
}

/* Makes room for the classes of a release that is not read yet. */
static ReleaseClasses *
classes_create(const DeclaredPublication *publication)
{
	ReleaseClasses *classes = palloc0(sizeof(ReleaseClasses));

	classes->column = palloc(sizeof(DeclaredColumn *) * (publication->ncolumns + 1));
	classes->cells = palloc(sizeof(Cells *) * (publication->ncolumns + 1));
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role != ROLE_QUASI_IDENTIFIER)
			continue;
		classes->column[classes->nqis] = column;
		classes->cells[classes->nqis++] = cells_create(column);
	}
	classes->regions = tuple_numbers_create(classes->nqis);
	array_reserve_zeros(classes->class, classes->allocated, 64);
	return classes;
}

ReleaseClasses *
read_release_classes(const DeclaredPublication *publication, int32 number)
{
	const Released *released = read_one_released(publication, number);
	ClassReading reading = {.publication = publication, .released = released, .classes = classes_create(publication)};

	reading.cell = palloc(sizeof(Cell) * (reading.classes->nqis + 1));
	if (released->is_identified)
	{
		reading.seen = &recall(publication)->seen.release[number - 1];
		reading.region = new_array(uint32, reading.seen->nclasses);
		for (uint32 c = 0; c <= reading.seen->nclasses; c++)
			reading.region[c] = NO_REGION;
	}
	if (released->is_answer)
		read_answer(&reading);
	else
		read_table(&reading);
	if (reading.seen != NULL)
		leave_out_invented(&reading);
	return reading.classes;
}

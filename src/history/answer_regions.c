/*
 * answer_regions.c
 *		Making and reading the table of what answers showed.
 */
#include "history/answer_regions.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "history/past_tables.h"
#include "history/reader.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

Oid
answered_of(const DeclaredPublication *publication)
{
	return noted_relation(publication, "regions");
}

Oid
answered_ensure(const DeclaredPublication *publication)
{
	StringInfoData columns;

	initStringInfo(&columns);
	appendStringInfo(&columns, "%s pg_catalog.int4, class pg_catalog.int8, %s pg_catalog.int8",
					 free_column_name(publication, "release"), free_column_name(publication, "rows"));
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER)
			appendStringInfo(&columns, ", %s %s", quote_identifier(publication->columns[i].name),
							 printed_type_sql(&publication->columns[i]));
	return private_table_ensure(publication, "regions", columns.data, IN_HEAP);
}

/* ----------------------------------------------------------------
 * Reading
 * ----------------------------------------------------------------
 */

/* Checks the types of all columns, since reading a value as another type could crash the server. */
static bool
has_answered_columns(const DeclaredPublication *publication, Oid table)
{
	Oid		   *types = palloc(sizeof(Oid) * (ANSWERED_CELLS + publication->ncolumns));
	int			n = ANSWERED_CELLS;

	types[ANSWERED_RELEASE] = INT4OID;
	types[ANSWERED_CLASS] = INT8OID;
	types[ANSWERED_ROWS] = INT8OID;
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER)
			types[n++] = printed_type(publication->columns[i].kind, publication->columns[i].type);
	return has_columns(table, types, n);
}

/* Makes room for more classes of a release. */
static void
make_room(const Answered *answered, AnsweredRelease *release)
{
	MemoryContext old = MemoryContextSwitchTo(answered->context);

	if (release->allocated == 0)
	{
		release->number = palloc(sizeof(int64));
		release->rows = palloc(sizeof(int64));
		release->cell = palloc(sizeof(Cell) * answered->nqis);
	}
	release->allocated = Max(16, release->allocated * 2);
	release->number = repalloc_huge(release->number, sizeof(int64) * release->allocated);
	release->rows = repalloc_huge(release->rows, sizeof(int64) * release->allocated);
	release->cell = repalloc_huge(release->cell, sizeof(Cell) * (Size) release->allocated * answered->nqis);
	MemoryContextSwitchTo(old);
}

/* NULL in a column that always has a value becomes 0, which is no class and no number of rows. */
static int64
number_in(const TupleTableSlot *slot, int column)
{
	return slot->tts_isnull[column] ? 0 : DatumGetInt64(slot->tts_values[column]);
}

/* Adds a class to its release; rows of later releases, or of none, are skipped. */
static void
read_class(void *what, TupleTableSlot *slot)
{
	Answered   *answered = what;
	int32		number = slot->tts_isnull[ANSWERED_RELEASE] ? 0 : DatumGetInt32(slot->tts_values[ANSWERED_RELEASE]);
	AnsweredRelease *release;
	uint32		c;

	if (number < 1 || number > answered->nreleases)
		return;
	release = &answered->release[number - 1];
	if (release->nclasses == release->allocated)
		make_room(answered, release);
	c = release->nclasses++;
	release->number[c] = number_in(slot, ANSWERED_CLASS);
	release->rows[c] = number_in(slot, ANSWERED_ROWS);
	for (int q = 0; q < answered->nqis; q++)
		release->cell[(Size) c * answered->nqis + q] =
			cells_number(answered->cells[q], slot->tts_values[ANSWERED_CELLS + q], slot->tts_isnull[ANSWERED_CELLS + q]);
}

Answered *
answered_read(const DeclaredPublication *publication, Cells **cells, int32 nreleases)
{
	Oid			table = answered_of(publication);
	Answered   *answered;

	if (!OidIsValid(table) || get_rel_relkind(table) != RELKIND_RELATION ||
		!has_answered_columns(publication, table))
		return NULL;
	answered = palloc0(sizeof(Answered));
	answered->cells = cells;
	for (int i = 0; i < publication->ncolumns; i++)
		answered->nqis += publication->columns[i].role == ROLE_QUASI_IDENTIFIER;
	answered->nreleases = nreleases;
	answered->release = palloc0(sizeof(AnsweredRelease) * (nreleases + 1));
	answered->context = CurrentMemoryContext;
	read_each(table, read_class, answered);
	return answered;
}

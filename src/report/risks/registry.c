/*
 * registry.c
 *		Counting the people of a registry in the cells of a release's classes.
 *
 * NOTES
 *		Values are put on one line with all cells of their column, and people who
 *		stand at the same places are counted together: there are far fewer places
 *		than values.
 *
 *		A value that no cell can name, such as a leaf that a taxonomy lacks, lies in
 *		withheld cells alone.
 */
#include "postgres.h"

#include "audit/boxes.h"
#include "catalog/pg_attribute.h"
#include "frame/arrays.h"
#include "frame/coding.h"
#include "miscadmin.h"
#include "report/risks/risks.h"
#include "tcop/dest.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

typedef struct RegistryReading
{
	DestReceiver receiver;		/* must be first */
	int			nqis;
	Dictionary **values;		/* [nqis] */
	int16	   *word;			/* [nqis] bytes of a value passed by value, or 0 */
	TupleNumbers *tuples;		/* of values */
	uint64	   *people;			/* [tuples->n] */
	uint32		allocated;
	uint32	   *number;			/* [nqis] of the row at hand */
	MemoryContext context;
} RegistryReading;

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

/* Receives a row of the registry. */
static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	RegistryReading *reading = (RegistryReading *) self;
	MemoryContext old = MemoryContextSwitchTo(reading->context);
	uint32		tuple;

	slot_getallattrs(slot);
	for (int q = 0; q < reading->nqis; q++)
	{
		bool		isnull = slot->tts_isnull[q];

		reading->number[q] = dictionary_number(reading->values[q], isnull ? (Datum) 0 : as_stored(slot->tts_values[q], reading->word[q]),
											   isnull);
	}
	tuple = tuple_number(reading->tuples, reading->number, reading->nqis);
	array_reserve_zeros(reading->people, reading->allocated, tuple + 1);
	reading->people[tuple]++;
	MemoryContextSwitchTo(old);
	return true;
}

/* Does nothing: all is made before. */
static void
receiver_startup(DestReceiver *self, int operation, TupleDesc typeinfo)
{
}

/* Does nothing: the memory goes with its context. */
static void
receiver_end(DestReceiver *self)
{
}

/* Builds the query for the quasi-identifiers, in the types that they have in the source. */
static char *
registry_query(const ReleaseClasses *classes, Oid registry)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int q = 0; q < classes->nqis; q++)
	{
		const DeclaredColumn *column = classes->column[q];

		if (get_attnum(registry, column->name) <= InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("registry \"%s\" has no column \"%s\"", get_rel_name(registry), column->name),
					 errhint("A registry has all quasi-identifiers, by their names. Declare a view that names them so.")));
		appendStringInfo(&sql, "%sr.%s::%s", q > 0 ? ", " : "", quote_identifier(column->name), column_type_sql(column));
	}
	appendStringInfo(&sql, " FROM %s r", quoted_relation(registry));
	return sql.data;
}

/* Reads the registry as tuples of values, with how many people have each. */
static RegistryReading *
read_registry(const ReleaseClasses *classes, Oid registry)
{
	RegistryReading *reading = palloc0(sizeof(RegistryReading));
	SPIExecuteOptions options = {.read_only = true, .dest = &reading->receiver};

	reading->receiver.receiveSlot = receive_row;
	reading->receiver.rStartup = receiver_startup;
	reading->receiver.rShutdown = receiver_end;
	reading->receiver.rDestroy = receiver_end;
	reading->receiver.mydest = DestTuplestore;	/* any that is not SPI's own */
	reading->context = CurrentMemoryContext;
	reading->nqis = classes->nqis;
	reading->values = palloc(sizeof(Dictionary *) * (classes->nqis + 1));
	reading->word = palloc(sizeof(int16) * (classes->nqis + 1));
	reading->number = palloc(sizeof(uint32) * (classes->nqis + 1));
	reading->tuples = tuple_numbers_create(classes->nqis);
	for (int q = 0; q < classes->nqis; q++)
	{
		bool		byval;

		reading->values[q] = dictionary_create(classes->column[q]->type);
		get_typlenbyval(classes->column[q]->type, &reading->word[q], &byval);
		if (!byval)
			reading->word[q] = 0;
	}
	if (SPI_execute_extended(registry_query(classes, registry), &options) != SPI_OK_SELECT)
		elog(ERROR, "could not read the registry");
	fix_settings();				/* the registry's code may have changed them */
	return reading;
}

/* ----------------------------------------------------------------
 * Places
 * ----------------------------------------------------------------
 */

/* The place of each value of a column on the line of its cells. Withheld cells reach one place beyond NULL's. */
static Code *
places_of_values(const RegistryReading *reading, const ReleaseClasses *classes, int q, CellSpans *line)
{
	const DeclaredColumn *column = classes->column[q];
	const Cells *cells = classes->cells[q];
	const StoredTree *tree = column->kind == KIND_TAXONOMY ? stored_tree_read(column->tree) : NULL;
	uint32		n = dictionary_size(reading->values[q]);
	Code	   *place = new_array(Code, n);
	Code	   *code;
	Uncodable	uncodable;
	Coding	   *coding = code_column(column, NULL, tree, reading->values[q], true, &code, &uncodable);
	Code		beyond;

	*line = cell_spans(column, cells, coding);
	beyond = ++line->span[cells_whole(cells)].hi;
	for (uint32 i = 0; i < n; i++)
		place[i] = code[i] == NO_CODE ? beyond : line->code[code[i]];
	return place;
}

/* The registry's people by their places: tuples of places, and how many stand there. */
static TupleNumbers *
place_people(const RegistryReading *reading, Code *const *place, uint64 **people)
{
	TupleNumbers *places = tuple_numbers_create(reading->nqis);
	Code	   *at = palloc(sizeof(Code) * (reading->nqis + 1));

	*people = new_zeros(uint64, reading->tuples->n);
	for (uint32 t = 0; t < reading->tuples->n; t++)
	{
		const uint32 *number = tuple_words(reading->tuples, t);

		if (t % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		for (int q = 0; q < reading->nqis; q++)
			at[q] = place[q][number[q]];
		(*people)[tuple_number(places, at, reading->nqis)] += reading->people[t];
	}
	return places;
}

void
count_registered(ReleaseClasses *classes, Oid registry)
{
	int			nqis = classes->nqis;
	const RegistryReading *reading = read_registry(classes, registry);
	Code	  **place = palloc(sizeof(Code *) * (nqis + 1));
	CellSpans  *line = palloc(sizeof(CellSpans) * (nqis + 1));
	Span	   *box = palloc(sizeof(Span) * (nqis + 1));
	TupleNumbers *places;
	PointTree  *tree;
	uint64	   *people;

	for (int q = 0; q < nqis; q++)
		place[q] = places_of_values(reading, classes, q, &line[q]);
	places = place_people(reading, place, &people);
	tree = points_create(places->word, people, places->n, nqis);
	for (uint32 c = 0; c < classes->regions->n; c++)
	{
		const uint32 *cell = tuple_words(classes->regions, c);

		for (int q = 0; q < nqis; q++)
			box[q] = line[q].span[cell[q]];
		classes->class[c].registered = points_in_box(tree, box);
	}
}

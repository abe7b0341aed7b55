/*
 * past_releases.c
 *		The releases of a publication that are out.
 */
#include "postgres.h"

#include "release/past_releases.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/parameters.h"
#include "frame/arrays.h"
#include "frame/print.h"
#include "history/rows.h"
#include "method/method.h"
#include "miscadmin.h"
#include "partition/principle_kinds.h"
#include "release/release.h"
#include "utils/array.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

Principle
principle_under(const char *method, Jsonb *params)
{
	const Method *found = find_method(method);

	return found->principle == NULL ? principle_k_l(1, 1) :
		found->principle(param_values(&found->declaration, params));
}

bool
shows_true_rows(const char *method, Jsonb *params)
{
	const MethodDeclaration *found = method_declaration(method);

	return found->without_stand_ins != NULL && found->without_stand_ins(param_values(found, params)) == NULL;
}

/* Taxonomies' trees are noted in the order of their columns; ladders that sensitive columns are judged by are not. */
static int32 *
trees_of_columns(const DeclaredPublication *publication, ArrayType *noted)
{
	int32	   *tree = palloc0(sizeof(int32) * publication->ncolumns);
	int			nnoted = ArrayGetNItems(ARR_NDIM(noted), ARR_DIMS(noted));
	int			n = 0;

	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER && publication->columns[i].tree != 0 && n < nnoted)
			tree[i] = ((const int32 *) ARR_DATA_PTR(noted))[n++];
	return tree;
}

/* Reads a row of the catalog into the context of the caller. */
static void
read_row(CatalogAccess *access, const DeclaredPublication *publication, uint64 row, Released *released)
{
	MemoryContext old;
	bool		isnull;
	bool		shows_all;
	Datum		columns;
	Datum		checksum;

	verify_format(publication->name, catalog_int(row, "format"), RELEASE_FORMAT);
	released->number = catalog_int(row, "number");
	released->is_answer = strcmp(catalog_text(access, row, "kind"), "query") == 0;
	released->is_imported = strcmp(catalog_text(access, row, "kind"), "imported") == 0;
	released->is_identified = catalog_int(row, "identified");
	released->table = catalog_oid(row, "relation");
	(void) catalog_field(row, "relation", &isnull);
	released->is_forgotten = isnull && !released->is_answer;
	if (get_rel_relkind(released->table) != RELKIND_RELATION)
		released->table = InvalidOid;
	released->checksum_seed = (uint64) catalog_int(row, "checksum_seed");
	checksum = catalog_field(row, "checksum", &isnull);
	if (!isnull)
		released->checksum = *DatumGetUUIDP(checksum);
	columns = catalog_field(row, "columns", &shows_all);
	old = MemoryContextSwitchTo(access->context);
	released->params = DatumGetJsonbPCopy(catalog_field(row, "params", &isnull));
	released->principle = principle_under(catalog_text(access, row, "method"), released->params);

	/* The bands by which its values were judged are gone. */
	if (has_other_bands(method_declaration(publication->method), released->params, publication->params))
		released->principle = principle_k_l(released->principle.k, 1);
	released->shown = noted_columns(publication, shows_all ? NULL : DatumGetArrayTypeP(columns), released->number);
	released->tree = trees_of_columns(publication, DatumGetArrayTypeP(catalog_field(row, "trees", &isnull)));
	for (int i = 0; i < publication->ncolumns; i++)
		released->shows_sensitive |= is_sensitive(&publication->columns[i]) && released->shown[i];
	MemoryContextSwitchTo(old);
}

Released *
read_released(const DeclaredPublication *publication)
{
	int32		n = publication->releases;
	Released   *released = palloc0(sizeof(Released) * (n + 1));
	CatalogAccess access;

	catalog_enter(&access);
	catalog_read("SELECT number, kind, identified, method, params, relation::oid AS relation, columns, trees, format::int, checksum_seed, checksum"
				 " FROM pprepub_internal.catalog_release WHERE publication = $1 AND number BETWEEN 1 AND $2 ORDER BY number",
				 CATALOG_INT(publication->id), CATALOG_INT(n));
	if (SPI_processed != (uint64) n)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("publication \"%s\" has " UINT64_FORMAT " instead of %d of the releases from 1 on", publication->name, SPI_processed, n),
				 errhint("Restore the catalog of pprepub from a backup.")));
	for (int32 i = 0; i < n; i++)
		read_row(&access, publication, i, &released[i]);
	catalog_leave(&access);
	return released;
}

bool
was_weaker(const DeclaredPublication *publication)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	bool		result = false;
	CatalogAccess access;

	catalog_enter(&access);
	catalog_read("SELECT DISTINCT kind = 'imported' AS imported, params FROM pprepub_internal.catalog_release"
				 " WHERE publication = $1 AND number <= $2 AND (kind = 'imported' OR params <> $3)",
				 CATALOG_INT(publication->id), CATALOG_INT(publication->releases), CATALOG_PARAM(JSONBOID, JsonbPGetDatum(publication->params)));
	for (uint64 row = 0; row < SPI_processed && !result; row++)
	{
		bool		isnull;
		Jsonb	   *params = DatumGetJsonbPCopy(catalog_field(row, "params", &isnull));

		result = DatumGetBool(catalog_field(row, "imported", &isnull)) || weakened_parameter(method, publication->params, params) != NULL;
	}
	catalog_leave(&access);
	return result;
}

bool
has_release_of_everybody(const DeclaredPublication *publication)
{
	bool		result;
	CatalogAccess access;

	catalog_enter(&access);
	catalog_read("SELECT FROM pprepub_internal.catalog_release WHERE publication = $1 AND number <= $2 AND kind = 'stored' AND cohort IS NULL LIMIT 1",
				 CATALOG_INT(publication->id), CATALOG_INT(publication->releases));
	result = SPI_processed > 0;
	catalog_leave(&access);
	return result;
}

bool
shows_last_values(const DeclaredPublication *publication, const bool *shown)
{
	if (!method_declaration(publication->method)->keeps_values)
		return false;
	for (int i = 0; i < publication->ncolumns; i++)
		if (is_sensitive(&publication->columns[i]) && shown[i])
			return false;
	return true;
}

bool
has_class_column(const DeclaredPublication *publication)
{
	return find_method(publication->method)->declaration.classes;
}

TupleDesc
released_columns(const DeclaredPublication *publication)
{
	bool		has_class = has_class_column(publication);
	TupleDesc	columns = CreateTemplateTupleDesc(publication->ncolumns - !has_class);
	AttrNumber	attribute = 1;

	if (has_class)
		TupleDescInitEntry(columns, attribute++, "class", INT8OID, -1, 0);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role == ROLE_QUASI_IDENTIFIER)
			TupleDescInitEntry(columns, attribute++, column->name, printed_type(column->kind, column->type), -1, 0);
		else if (column->role != ROLE_KEY)
		{
			TupleDescInitEntry(columns, attribute, column->name, column->type, column->typmod, 0);
			TupleDescInitEntryCollation(columns, attribute++, column->collation);
		}
	}
	TupleDescFinalize(columns);
	return columns;
}

/* Where releases have quasi-identifiers, or sensitive columns. */
static int *
attributes_of(const DeclaredPublication *publication, bool sensitive, int *n)
{
	int		   *attributes = palloc(sizeof(int) * publication->ncolumns);
	int			attribute = has_class_column(publication);

	*n = 0;
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (sensitive ? is_sensitive(column) : column->role == ROLE_QUASI_IDENTIFIER)
			attributes[(*n)++] = attribute;
		attribute += column->role != ROLE_KEY;
	}
	return attributes;
}

int *
released_cells(const DeclaredPublication *publication, int *n)
{
	return attributes_of(publication, false, n);
}

int *
released_sensitive(const DeclaredPublication *publication, int *n)
{
	return attributes_of(publication, true, n);
}

bool
table_stands(const DeclaredPublication *publication, const Released *released)
{
	TupleDesc	expected = released_columns(publication);
	TupleDesc	columns;
	Relation	table;
	bool		result;

	if (!OidIsValid(released->table))
		return false;
	table = table_open(released->table, AccessShareLock);
	columns = RelationGetDescr(table);
	result = columns->natts == expected->natts;
	for (int i = 0; i < expected->natts && result; i++)
		result = TupleDescAttr(columns, i)->atttypid == TupleDescAttr(expected, i)->atttypid;
	table_close(table, AccessShareLock);
	return result;
}

void
verify_may_see_figures(const DeclaredPublication *publication, int32 number)
{
	if (!has_rights_of(publication->owner) &&
		!catalog_finds("SELECT FROM pprepub_internal.catalog_release WHERE publication = $1 AND number = $2 AND kind <> 'query' AND cohort IS NULL",
					   CATALOG_INT(publication->id), CATALOG_INT(number)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of publication \"%s\" to see figures of release %d", publication->name, number),
				 errdetail("It is an answer, or about a cohort, and its figures would tell how many people are in that.")));
}

/* ----------------------------------------------------------------
 * Reading a principle that is not declared, and binding those that are.
 * ----------------------------------------------------------------
 */

/* The parameters that a principle has which is not a publication's, so that no table is copied for it. */
static const ParamSpec principle_params[] = {
	{"k", PARAM_INTEGER, PARAM_OPTIONAL, 1, PG_INT32_MAX, NULL, "1", STRENGTH_MORE},
	{"l", PARAM_INTEGER, PARAM_OPTIONAL, 1, PG_INT32_MAX, NULL, "1", STRENGTH_MORE},
	PRINCIPLE_PARAMS,
	{.name = NULL}
};

const Principle *
principle_argument(FunctionCallInfo fcinfo, int argument)
{
	static const MethodDeclaration declaration = {.name = "principle", .title = "a principle", .params = principle_params};
	const int64 *params;
	Principle  *principle;
	const char *wrong;

	if (PG_ARGISNULL(argument))
		return NULL;
	params = param_values(&declaration, check_parameters(&declaration, PG_GETARG_JSONB_P(argument), NULL));
	principle = palloc(sizeof(Principle));
	*principle = principle_declared(params[0], params[1], params + 2);
	wrong = principle_contradiction(params + 2);
	if (wrong != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameters of a principle contradict each other"),
				 errdetail("%s", wrong)));
	if (principle->k <= 1 && principle->l <= 1 && principle->nterms == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the principle asks for nothing"),
				 errdetail("Every set of people satisfies it."),
				 errhint("Give at least one condition, for example {\"frequency\": 3}.")));
	return principle;
}

void
bind_principles(Released *released, const Seen *seen, const Aspects *aspects, const Principle *given)
{
	if (given != NULL)
	{
		if (given->joint && aspects->first != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("\"joint\" is not judged where a person may have several rows"),
					 errhint("Leave it out: each column is judged by itself.")));
		for (int i = 0; i < given->nterms; i++)
			for (int a = 0; a < aspects->n; a++)
				if (given->term[i].kind == &t_principle && given->term[i].detail == DISTANCE_ORDERED &&
					aspects->aspect[a].place == NULL)
					ereport(ERROR,
							(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							 errmsg("sensitive values have no order in which they are near or far"),
							 errhint("Give \"distance\": \"equal\" or \"auto\".")));
	}
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const Principle *principle = given != NULL ? given : &released[r].principle;

		/* Most releases were made under the same parameters as the one before. */
		if (r > 0 && principle_implies(principle, &released[r - 1].principle) && principle_implies(&released[r - 1].principle, principle))
			released[r].principle = released[r - 1].principle;
		else
			released[r].principle = principle_bound(principle, seen->nvalues, aspects);
	}
}

/* ----------------------------------------------------------------
 * Reading a release's table: its cells and values by numbers, and the class of each
 * row in its own column, or by its cells.
 * ----------------------------------------------------------------
 */

/* The place of each of n things in an order of their numbers. */
static uint32 *
places_in_order(uint32 n, int (*compare) (const void *a, const void *b, void *arg), void *arg)
{
	uint32	   *sorted = new_array(uint32, n);
	uint32	   *place = new_array(uint32, n);

	for (uint32 i = 0; i < n; i++)
		sorted[i] = i;
	CHECK_FOR_INTERRUPTS();
	qsort_arg(sorted, n, sizeof(uint32), compare, arg);
	for (uint32 i = 0; i < n; i++)
		place[sorted[i]] = i;
	pfree(sorted);
	return place;
}

/* Orders cells by their text, NULL first. */
static int
compare_texts(const void *a, const void *b, void *arg)
{
	char	   *const *texts = arg;
	const char *x = texts[*(const uint32 *) a];
	const char *y = texts[*(const uint32 *) b];

	if (x == NULL || y == NULL)
		return (x != NULL) - (y != NULL);
	return strcmp(x, y);
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

	for (int q = 0; q < regions->width; q++)
		order.cell_place[q] = places_in_order(dictionary_size(cells[q]), compare_texts, dictionary_texts(cells[q]));
	return places_in_order(regions->n, compare_regions, &order);
}

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
	{
		uint32		known = reading->values->n;
		uint32		number;

		/* The number of a row's sensitive values, of which the visitor is told when they are new. */
		for (int c = 0; c < reading->nvalues; c++)
		{
			reading->column[c] = slot->tts_values[reading->sensitive[c]];
			reading->isnull[c] = slot->tts_isnull[reading->sensitive[c]];
			reading->numbers[c] = dictionary_number(reading->parts[c], reading->column[c], reading->isnull[c]);
		}
		number = tuple_number(reading->values, reading->numbers, reading->nvalues);
		if (number == known)
			reading->visitor->value(reading->what, number, reading->column, reading->isnull);
		row.value = number;
	}
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

/*
 * past_releases.c
 *		Reading the catalog of releases.
 */
#include "release/past_releases.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/parameters.h"
#include "frame/print.h"
#include "method/method.h"
#include "release/request.h"
#include "utils/array.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

Principle
principle_under(const char *method, Jsonb *params)
{
	const Method *found = find_method(method);

	return found->principle == NULL ? principle_k_l(1, 1) :
		found->principle(param_values(&found->declaration, params));
}

/* Copies the list of columns out of a row of the catalog; NULL if the release has none. */
static ArrayType *
columns_of(CatalogAccess *access, uint64 row)
{
	bool		isnull;
	Datum		columns = catalog_field(row, "columns", &isnull);
	MemoryContext old = MemoryContextSwitchTo(access->context);
	ArrayType  *copy = isnull ? NULL : DatumGetArrayTypePCopy(columns);

	MemoryContextSwitchTo(old);
	return copy;
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
	bool		isnull;
	ArrayType  *columns = columns_of(access, row);
	MemoryContext old;
	Datum		checksum;

	verify_format(publication->name, catalog_int(row, "format"), RELEASE_FORMAT);
	released->number = catalog_int(row, "number");
	released->is_answer = strcmp(catalog_text(access, row, "kind"), "query") == 0;
	released->is_imported = strcmp(catalog_text(access, row, "kind"), "imported") == 0;
	released->is_identified = DatumGetBool(catalog_field(row, "identified", &isnull));
	released->table = catalog_oid(row, "relation");
	if (get_rel_relkind(released->table) != RELKIND_RELATION)
		released->table = InvalidOid;
	released->checksum_seed = (uint64) DatumGetInt64(catalog_field(row, "checksum_seed", &isnull));
	checksum = catalog_field(row, "checksum", &isnull);
	if (!isnull)
		released->checksum = *DatumGetUUIDP(checksum);
	old = MemoryContextSwitchTo(access->context);
	released->params = DatumGetJsonbPCopy(catalog_field(row, "params", &isnull));
	released->principle = principle_under(catalog_text(access, row, "method"), released->params);

	/* The bands by which its values were judged are gone. */
	if (has_other_bands(method_declaration(publication->method), released->params, publication->params))
		released->principle = principle_k_l(released->principle.k, 1);
	released->shown = noted_columns(publication, columns);
	released->tree = trees_of_columns(publication, DatumGetArrayTypeP(catalog_field(row, "trees", &isnull)));
	for (int i = 0; i < publication->ncolumns; i++)
		released->shows_sensitive |= is_sensitive(&publication->columns[i]) && released->shown[i];
	MemoryContextSwitchTo(old);
}

/* Reads the releases from one number to another: [last - first + 1]. */
static Released *
read_range(const DeclaredPublication *publication, int32 first, int32 last)
{
	int32		n = last - first + 1;
	Released   *released = palloc0(sizeof(Released) * (n + 1));
	CatalogAccess access;

	catalog_enter(&access);
	catalog_read("SELECT number, kind, identified, method, params, relation::oid AS relation, columns, trees, format::int, checksum_seed, checksum"
				 " FROM pprepub_internal.catalog_release WHERE publication = $1 AND number BETWEEN $2 AND $3 ORDER BY number",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
				 CATALOG_PARAM(INT4OID, Int32GetDatum(first)),
				 CATALOG_PARAM(INT4OID, Int32GetDatum(last)));
	if (SPI_processed != (uint64) n)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("publication \"%s\" has " UINT64_FORMAT " instead of %d of the releases from %d on",
						publication->name, SPI_processed, n, first),
				 errhint("Restore the catalog of pprepub from a backup.")));
	for (int32 i = 0; i < n; i++)
		read_row(&access, publication, i, &released[i]);
	catalog_leave(&access);
	return released;
}

uint64
people_exposed(const DeclaredPublication *publication)
{
	CatalogAccess access;
	bool		isnull;
	uint64		people;

	catalog_enter(&access);
	catalog_read("SELECT coalesce(sum(coalesce(rows, 0) - coalesce(counterfeits, 0) + coalesce(suppressed, 0)), 0)::int8 AS people"
				 " FROM pprepub_internal.catalog_release WHERE publication = $1 AND kind <> 'query' AND cohort IS NULL",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)));
	people = DatumGetInt64(catalog_field(0, "people", &isnull));
	catalog_leave(&access);
	return people;
}

bool
judges_shares_under(const DeclaredPublication *publication, Jsonb *params)
{
	Principle	principle = principle_under(publication->method, params);
	int			naspects = 0;
	int			nbands;

	for (int i = 0; i < publication->ncolumns; i++)
		naspects += is_sensitive(&publication->columns[i]);
	(void) param_keys(params, "bands", &nbands);
	return principle_judges_shares(&principle, naspects > 1 || nbands > 0);
}

bool
has_loose_rows(const DeclaredPublication *publication)
{
	CatalogAccess access;
	bool		result = false;
	bool		isnull;

	catalog_enter(&access);
	catalog_read("SELECT DISTINCT params FROM pprepub_internal.catalog_release WHERE publication = $1 AND counterfeits > 0",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)));
	for (uint64 i = 0; i < SPI_processed && !result; i++)
		result = !judges_shares_under(publication, DatumGetJsonbP(catalog_field(i, "params", &isnull)));
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

uint64
people_of_last(const DeclaredPublication *publication, uint64 *withheld)
{
	CatalogAccess access;
	bool		isnull;
	uint64		people;

	catalog_enter(&access);
	catalog_read("SELECT coalesce(max(rows - counterfeits + suppressed), 0)::int8 AS people, coalesce(max(suppressed), 0)::int8 AS withheld"
				 " FROM (SELECT coalesce(rows, 0) AS rows, coalesce(counterfeits, 0) AS counterfeits, coalesce(suppressed, 0) AS suppressed"
				 " FROM pprepub_internal.catalog_release WHERE publication = $1 AND kind <> 'query' AND cohort IS NULL ORDER BY number DESC LIMIT 1) last",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)));
	people = DatumGetInt64(catalog_field(0, "people", &isnull));
	*withheld = DatumGetInt64(catalog_field(0, "withheld", &isnull));
	catalog_leave(&access);
	return people;
}

Released *
read_released(const DeclaredPublication *publication)
{
	return read_range(publication, 1, publication->releases);
}

Released *
read_one_released(const DeclaredPublication *publication, int32 number)
{
	return read_range(publication, number, number);
}

/* ----------------------------------------------------------------
 * Their columns
 * ----------------------------------------------------------------
 */

/* Describes a released column; a quasi-identifier has the type that its cells are printed as. */
static void
set_column(TupleDesc columns, AttrNumber attribute, const DeclaredColumn *column)
{
	if (column->role == ROLE_QUASI_IDENTIFIER)
	{
		TupleDescInitEntry(columns, attribute, column->name, printed_type(column->kind, column->type), -1, 0);
		return;
	}
	TupleDescInitEntry(columns, attribute, column->name, column->type, column->typmod, 0);
	TupleDescInitEntryCollation(columns, attribute, column->collation);
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
		if (publication->columns[i].role != ROLE_KEY)
			set_column(columns, attribute++, &publication->columns[i]);
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
has_released_columns(const DeclaredPublication *publication, TupleDesc columns)
{
	TupleDesc	expected = released_columns(publication);
	bool		result = columns->natts == expected->natts;

	for (int i = 0; i < expected->natts && result; i++)
		result = TupleDescAttr(columns, i)->atttypid == TupleDescAttr(expected, i)->atttypid;
	FreeTupleDesc(expected);
	return result;
}

bool
table_stands(const DeclaredPublication *publication, const Released *released)
{
	Relation	table;
	bool		result;

	if (!OidIsValid(released->table))
		return false;
	table = table_open(released->table, AccessShareLock);
	result = has_released_columns(publication, RelationGetDescr(table));
	table_close(table, AccessShareLock);
	return result;
}

Principle
weakest_principle(const Released *released, int32 n)
{
	Principle	weakest = released[0].principle;

	for (int32 i = 1; i < n; i++)
		weakest = principle_weaker(&weakest, &released[i].principle);
	return weakest;
}

void
verify_may_see_figures(const DeclaredPublication *publication, int32 number)
{
	CatalogAccess access;
	bool		is_about_everybody;

	if (has_rights_of(publication->owner))
		return;
	catalog_enter(&access);
	is_about_everybody = catalog_read("SELECT FROM pprepub_internal.catalog_release WHERE publication = $1 AND number = $2 AND kind <> 'query' AND cohort IS NULL",
									  CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
									  CATALOG_PARAM(INT4OID, Int32GetDatum(number))) > 0;
	catalog_leave(&access);
	if (!is_about_everybody)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of publication \"%s\" to see figures of release %d", publication->name, number),
				 errdetail("It is an answer, or about a cohort, and its figures would tell how many people are in that.")));
}

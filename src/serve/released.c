/*
 * released.c
 *		Reading the catalog of releases.
 */
#include "serve/released.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/parameters.h"
#include "frame/print.h"
#include "method/method.h"
#include "serve/columns.h"
#include "utils/lsyscache.h"

Principle
principle_under(const char *method, Jsonb *params)
{
	const Method *found = find_method(method);

	return found->principle(param_values(&found->declaration, params));
}

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

static void
read_one(CatalogAccess *access, const DeclaredPublication *publication, uint64 row, Released *released)
{
	bool		isnull;
	ArrayType  *columns = columns_of(access, row);
	MemoryContext old;
	Datum		checksum;

	released->number = catalog_int(row, "number");
	released->is_stored = strcmp(catalog_text(access, row, "kind"), "stored") == 0;
	released->table = released->is_stored ? catalog_oid(row, "relation") : InvalidOid;
	if (get_rel_relkind(released->table) != RELKIND_RELATION)
		released->table = InvalidOid;
	released->checksum_seed = (uint64) DatumGetInt64(catalog_field(row, "checksum_seed", &isnull));
	checksum = catalog_field(row, "checksum", &isnull);
	if (!isnull)
		released->checksum = *DatumGetUUIDP(checksum);
	released->principle = principle_under(catalog_text(access, row, "method"),
										  DatumGetJsonbP(catalog_field(row, "params", &isnull)));
	old = MemoryContextSwitchTo(access->context);
	released->shown = shown_columns(publication, columns);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_SENSITIVE)
			released->shows_sensitive = released->shown[i];
	MemoryContextSwitchTo(old);
}

Released *
read_released(const DeclaredPublication *publication)
{
	Released   *released = palloc0(sizeof(Released) * (publication->releases + 1));
	CatalogAccess access;

	catalog_enter(&access);
	catalog_read("SELECT number, kind, method, params, relation::oid AS relation, columns, checksum_seed, checksum"
				 " FROM pprepub.catalog_release WHERE publication = $1 AND number <= $2 ORDER BY number",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->releases)));
	if (SPI_processed != (uint64) publication->releases)
		elog(ERROR, "publication \"%s\" has " UINT64_FORMAT " instead of %d releases",
			 publication->name, SPI_processed, publication->releases);
	for (int32 i = 0; i < publication->releases; i++)
		read_one(&access, publication, i, &released[i]);
	catalog_leave(&access);
	return released;
}

/* The class, and then all declared columns but the key. */
bool
has_released_columns(const DeclaredPublication *publication, TupleDesc columns)
{
	int			attribute = 1;

	if (columns->natts != publication->ncolumns || TupleDescAttr(columns, 0)->atttypid != INT8OID)
		return false;
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];
		Oid			type = column->role == ROLE_QUASI_IDENTIFIER ? printed_type(column->kind, column->type) : column->type;

		if (column->role != ROLE_KEY && TupleDescAttr(columns, attribute++)->atttypid != type)
			return false;
	}
	return true;
}

Principle
weakest_principle(const Released *released, int32 n)
{
	Principle	weakest = released[0].principle;

	for (int32 i = 1; i < n; i++)
		weakest = principle_weaker(&weakest, &released[i].principle);
	return weakest;
}

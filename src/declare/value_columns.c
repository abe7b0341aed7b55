/*
 * value_columns.c
 *		Expressions that show the cells of a release as values.
 *
 * NOTES
 *		Names are qualified, since anybody's search path may be set where they are read.
 */
#include "declare/value_columns.h"

#include "catalog/pg_type.h"
#include "declare/taxonomy.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* The type alone: cells need not fit into the length or the digits that the source's values have. */
static char *
plain_type_sql(Oid type)
{
	return format_type_extended(type, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

char *
value_type_sql(const DeclaredColumn *column)
{
	DeclaredColumn plain = *column;

	if (column->role == ROLE_QUASI_IDENTIFIER)
		plain.typmod = -1;
	return column_type_sql(&plain);
}

/* A text cell, but NULL where it is withheld. */
static char *
shown_text_sql(const char *cell, const char *withheld)
{
	return psprintf("CASE WHEN %s OPERATOR(pg_catalog.=) %s::pg_catalog.text THEN NULL ELSE %s END",
					cell, quote_literal_cstr(withheld), cell);
}

/* The middle of a ladder's interval; of whole numbers rounded down, as that of a range is. */
static char *
middle_sql(const DeclaredColumn *column, const char *interval)
{
	char	   *middle = psprintf("pprepub.midpoint((%s)::pg_catalog.numrange)", interval);

	if (column->type == INT2OID || column->type == INT4OID || column->type == INT8OID)
		return psprintf("pg_catalog.floor(%s)", middle);
	return middle;
}

/* A text cell that is a leaf, else NULL. */
static char *
leaf_sql(const char *cell, int32 tree)
{
	return psprintf("CASE WHEN pprepub.width(pprepub_internal.leaves(%s, %d)) OPERATOR(pg_catalog.=) 1 THEN %s END", cell, tree, cell);
}

/* A node is a value where the column holds texts; else the middle of an interval is, or a leaf. */
static char *
node_value_sql(const DeclaredColumn *column, const char *cell)
{
	char	   *shown = shown_text_sql(cell, tree_root(column->tree));

	if (is_string(column->type))
		return shown;
	if (tree_is_ladder(column->tree))
		return middle_sql(column, shown);
	return leaf_sql(cell, column->tree);
}

/* The value, of any type. */
static char *
cell_value_sql(const DeclaredColumn *column, const char *cell)
{
	switch (column->kind)
	{
		case KIND_RANGE:
			return psprintf("pprepub.midpoint(%s)", cell);
		case KIND_TAXONOMY:
			return node_value_sql(column, cell);
		case KIND_PREFIX:
		case KIND_SUPPRESS:
			break;
	}
	return shown_text_sql(cell, "*");
}

char *
value_sql(const DeclaredColumn *column)
{
	const char *name = quote_identifier(column->name);

	if (column->role != ROLE_QUASI_IDENTIFIER)
		return pstrdup(name);
	return psprintf("(%s)::%s", cell_value_sql(column, name), plain_type_sql(column->type));
}

/* By arrays, since a function has 100 arguments at most. */
char *
cells_sql(const DeclaredPublication *publication)
{
	StringInfoData names;
	StringInfoData cells;

	initStringInfo(&names);
	initStringInfo(&cells);
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const char *name = publication->columns[i].name;

		if (publication->columns[i].role != ROLE_QUASI_IDENTIFIER)
			continue;
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", quote_literal_cstr(name));
		appendStringInfo(&cells, "%s%s::pg_catalog.text", cells.len > 0 ? ", " : "", quote_identifier(name));
	}
	return psprintf("pg_catalog.jsonb_object(ARRAY[%s]::pg_catalog.text[], ARRAY[%s])", names.data, cells.data);
}

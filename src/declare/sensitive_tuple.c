/*
 * sensitive_tuple.c
 *		Declaring several sensitive columns.
 */
#include "declare/sensitive_tuple.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#define WHAT "the list of sensitive columns"

/* Cuts a name off where identifiers end, as the type name does. */
static char *
as_name(const char *words)
{
	return pstrdup(NameStr(*DatumGetName(DirectFunctionCall1(namein, CStringGetDatum(words)))));
}

/* An error for a list of none, or of a column twice. */
static void
verify_listed(char *const *names, int n)
{
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg(WHAT " is empty"),
				 errhint("Name one column, sensitive => 'disease', or several: sensitive => '{disease, income}'.")));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			if (strcmp(names[i], names[j]) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("column \"%s\" is listed twice", names[i])));
}

char **
parse_sensitive(const char *words, int *n)
{
	ArrayType  *list;
	Datum	   *values;
	bool	   *nulls;
	char	  **names;

	if (words[0] != '{')
	{
		names = palloc(sizeof(char *));
		names[0] = as_name(words);
		*n = 1;
		return names;
	}
	list = DatumGetArrayTypeP(OidFunctionCall3(F_ARRAY_IN, CStringGetDatum(words), ObjectIdGetDatum(TEXTOID), Int32GetDatum(-1)));
	if (ARR_NDIM(list) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg(WHAT " must have one dimension")));
	deconstruct_array(list, TEXTOID, -1, false, TYPALIGN_INT, &values, &nulls, n);
	names = palloc(sizeof(char *) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg(WHAT " must not hold a null")));
		names[i] = as_name(TextDatumGetCString(values[i]));
	}
	verify_listed(names, *n);
	return names;
}

/* ----------------------------------------------------------------
 * The tuple
 * ----------------------------------------------------------------
 */

static bool
has_column(TupleDesc source, const char *name)
{
	for (int i = 0; i < source->natts; i++)
		if (!TupleDescAttr(source, i)->attisdropped && strcmp(NameStr(TupleDescAttr(source, i)->attname), name) == 0)
			return true;
	return false;
}

void
hide_tuple(DeclaredPublication *publication, TupleDesc source)
{
	char	   *name = pstrdup("sensitive_tuple");

	while (has_column(source, name))
		name = psprintf("%s_", name);
	publication->columns[publication->ncolumns + publication->nhidden++] = (DeclaredColumn) {
		.name = as_name(name),
		.role = ROLE_SENSITIVE,
		.typmod = -1,
	};
}

bool
is_tuple(const DeclaredPublication *publication, const DeclaredColumn *column)
{
	return column->role == ROLE_SENSITIVE && column >= publication->columns + publication->ncolumns;
}

void
create_tuple_type(DeclaredPublication *publication)
{
	DeclaredColumn *tuple = &publication->columns[publication->ncolumns];
	char	   *words = quoted_private(publication, "_sensitive");
	char	   *separator = "";
	StringInfoData sql;
	Oid			relation;

	if (publication->nhidden == 0 || !is_tuple(publication, tuple))
		return;
	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TYPE %s AS (", words);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_SENSITIVE_PART)
		{
			appendStringInfo(&sql, "%s%s %s", separator, quote_identifier(publication->columns[i].name),
							 column_type_sql(&publication->columns[i]));
			separator = ", ";
		}
	appendStringInfoChar(&sql, ')');
	execute_ddl(sql.data);
	relation = get_relname_relid(psprintf("%s_sensitive", publication->name), get_namespace_oid(publication->private, false));
	tuple->type = get_rel_type_id(relation);
	reset_rights(TypeRelationId, tuple->type, psprintf("TYPE %s", words));
}

void
note_tuple_type(const DeclaredPublication *publication)
{
	const DeclaredColumn *tuple = publication_column(publication, ROLE_SENSITIVE);

	if (is_tuple(publication, tuple))
		note_relation(publication, get_typ_typrelid(tuple->type), "sensitive_tuple");
}

char *
tuple_sql(const DeclaredPublication *publication, const char *const *names)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role == ROLE_SENSITIVE_PART)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "", quote_identifier(names[i]));
	/* IS NULL would look into columns that are rows themselves. */
	return psprintf("CASE WHEN pg_catalog.num_nonnulls(%s) OPERATOR(pg_catalog.>) 0 THEN ROW(%s)::%s END",
					list.data, list.data, quoted_private(publication, "_sensitive"));
}

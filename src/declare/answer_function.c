/*
 * answer_function.c
 *		Creating the SQL functions TARGET.NAME() and TARGET.NAME_counts() of a publication.
 *
 * NOTES
 *		The functions' bodies are strings, not parsed SQL-standard bodies: pg_dump
 *		and pg_restore carry a string along without parsing it, and while a dump
 *		is restored, neither the catalog nor the history is there yet.
 */
#include "declare/answer_function.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "declare/parameters.h"
#include "lib/stringinfo.h"
#include "nodes/value.h"
#include "utils/builtins.h"

Oid
answer_function(const DeclaredPublication *publication)
{
	static const Oid arguments[] = {TEXTOID, NAMEARRAYOID};

	return function_in_target(publication, "", arguments, lengthof(arguments));
}

char *
answer_function_sql(const DeclaredPublication *publication)
{
	return psprintf("%s(pg_catalog.text, pg_catalog.name[])", quoted_target(publication, ""));
}

/* The column definitions of the function's result: those of a release. */
static char *
column_list_sql(const DeclaredPublication *publication)
{
	StringInfoData list;

	initStringInfo(&list);
	appendStringInfoString(&list, "class pg_catalog.int8");
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];
		DeclaredColumn plain = *column;

		if (column->role == ROLE_KEY)
			continue;
		plain.collation = InvalidOid;	/* a function's columns have no collation and no length */
		plain.typmod = -1;
		appendStringInfo(&list, ", %s %s", quote_identifier(column->name), released_type_sql(&plain));
	}
	return list.data;
}

static char *
body_sql(const DeclaredPublication *publication, const char *columns)
{
	return psprintf("SELECT * FROM pprepub_internal.answer(%s, $1, $2) AS answer(%s)",
					quote_literal_cstr(publication->name), columns);
}

void
create_answer_function(const DeclaredPublication *publication)
{
	char	   *columns = column_list_sql(publication);
	char	   *function = answer_function_sql(publication);

	if (!method_declaration(publication->method)->answers)
		return;
	execute_ddl(psprintf("CREATE FUNCTION %s(cohort pg_catalog.text DEFAULT NULL, columns pg_catalog.name[] DEFAULT NULL)"
						 " RETURNS TABLE (%s) LANGUAGE sql VOLATILE PARALLEL UNSAFE SECURITY DEFINER"
						 " SET search_path = pg_catalog, pg_temp AS %s",
						 quoted_target(publication, ""), columns,
						 quote_literal_cstr(body_sql(publication, columns))));
	execute_ddl(psprintf("COMMENT ON FUNCTION %s IS %s", function,
						 quote_literal_cstr("ask for the people of a cohort, safe together with all that was published before; each call is one answer, and is remembered")));
	reset_rights(ProcedureRelationId, answer_function(publication), psprintf("FUNCTION %s", function));
}

#define COUNTS "_counts"

Oid
counts_function(const DeclaredPublication *publication)
{
	static const Oid arguments[] = {NAMEARRAYOID, JSONBOID};

	return function_in_target(publication, COUNTS, arguments, lengthof(arguments));
}

char *
counts_function_sql(const DeclaredPublication *publication)
{
	return psprintf("%s(pg_catalog.name[], pg_catalog.jsonb)", quoted_target(publication, COUNTS));
}

void
create_counts_function(const DeclaredPublication *publication)
{
	char	   *function = counts_function_sql(publication);
	char	   *body = psprintf("SELECT * FROM pprepub_internal.counts(%s, $1, $2)", quote_literal_cstr(publication->name));

	execute_ddl(psprintf("CREATE FUNCTION %s(by pg_catalog.name[], bins pg_catalog.jsonb DEFAULT '{}')"
						 " RETURNS TABLE (bin pg_catalog.jsonb, at_least pg_catalog.int8, estimate pg_catalog.float8, at_most pg_catalog.int8)"
						 " LANGUAGE sql STABLE PARALLEL UNSAFE SECURITY INVOKER AS %s",
						 quoted_target(publication, COUNTS), quote_literal_cstr(body)));
	execute_ddl(psprintf("COMMENT ON FUNCTION %s IS %s", function,
						 quote_literal_cstr("count rows of the newest release of everybody in bins of these columns: at least, about, and at most")));
	reset_rights(ProcedureRelationId, counts_function(publication), psprintf("FUNCTION %s", function));
	execute_ddl(psprintf("GRANT EXECUTE ON FUNCTION %s TO PUBLIC", function));
}

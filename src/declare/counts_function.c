/*
 * counts_function.c
 *		Creating the SQL function TARGET.NAME_counts() of a publication.
 *
 * NOTES
 *		Its body is a string, for the reasons that answer_function.c gives.
 */
#include "declare/counts_function.h"

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"

#define SUFFIX "_counts"

Oid
counts_function(const DeclaredPublication *publication)
{
	static const Oid arguments[] = {NAMEARRAYOID, JSONBOID};

	return function_in_target(publication, SUFFIX, arguments, lengthof(arguments));
}

char *
counts_function_sql(const DeclaredPublication *publication)
{
	return psprintf("%s(pg_catalog.name[], pg_catalog.jsonb)", quoted_target(publication, SUFFIX));
}

void
create_counts_function(const DeclaredPublication *publication)
{
	char	   *function = counts_function_sql(publication);
	char	   *body = psprintf("SELECT * FROM pprepub_internal.counts(%s, $1, $2)", quote_literal_cstr(publication->name));

	execute_ddl(psprintf("CREATE FUNCTION %s(by pg_catalog.name[], bins pg_catalog.jsonb DEFAULT '{}')"
						 " RETURNS TABLE (bin pg_catalog.jsonb, at_least pg_catalog.int8, estimate pg_catalog.float8, at_most pg_catalog.int8)"
						 " LANGUAGE sql STABLE PARALLEL UNSAFE SECURITY INVOKER AS %s",
						 quoted_target(publication, SUFFIX), quote_literal_cstr(body)));
	execute_ddl(psprintf("COMMENT ON FUNCTION %s IS %s", function,
						 quote_literal_cstr("count rows of the newest release of everybody in bins of these columns: at least, about, and at most")));
	reset_rights(ProcedureRelationId, counts_function(publication), psprintf("FUNCTION %s", function));
	execute_ddl(psprintf("GRANT EXECUTE ON FUNCTION %s TO PUBLIC", function));
}

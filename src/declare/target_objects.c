/*
 * target_objects.c
 *		What stands in schema TARGET for analysts from the declaration on, and what it says of itself; and the schemas.
 */
#include "declare/target_objects.h"

#include "access/attnum.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_database_d.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/comment.h"
#include "compat.h"
#include "declare/parameters.h"
#include "declare/publication.h"
#include "declare/taxonomy.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/numeric.h"

PG_FUNCTION_INFO_V1(pprepub_promise);

/* ---- TARGET and TARGET_private, which belong to the owner alone ---- */

/* Raises an error unless the schema exists, belongs to the owner, and lets no other role create in it. */
static void
verify_schema(const char *name, Oid owner, bool is_declared)
{
	CatalogAccess access;

	catalog_enter(&access);
	catalog_read("SELECT wrong FROM pprepub_internal.schema_in_the_way($1, $2, $3)",
				 CATALOG_TEXT(name), CATALOG_OID(owner), CATALOG_PARAM(BOOLOID, BoolGetDatum(is_declared)));
	catalog_raise();
	catalog_leave(&access);
}

void
verify_schemas(const DeclaredPublication *publication, Oid owner)
{
	verify_schema(publication->target, owner, true);
	verify_schema(publication->private, owner, true);
}

/* Creates a schema as its owner, and revokes what default privileges grant on it; one that stands is verified. */
static void
ensure_schema(const char *name, Oid owner)
{
	const char *quoted = quote_identifier(name);

	if (OidIsValid(get_namespace_oid(name, true)))
	{
		verify_schema(name, owner, false);
		return;
	}
	if (object_aclcheck(DatabaseRelationId, MyDatabaseId, owner, ACL_CREATE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("role \"%s\" may not create schema \"%s\" in this database",
						GetUserNameFromId(owner, false), name),
				 errhint("Have it created beforehand: CREATE SCHEMA %s AUTHORIZATION %s.",
						 quoted, quote_identifier(GetUserNameFromId(owner, false)))));
	execute_ddl(psprintf("CREATE SCHEMA %s", quoted));
	reset_rights(NamespaceRelationId, get_namespace_oid(name, false), psprintf("SCHEMA %s", quoted));
}

void
ensure_schemas(const DeclaredPublication *publication)
{
	ensure_schema(publication->target, publication->owner);
	ensure_schema(publication->private, publication->owner);
}

void
ensure_catalog_view(const DeclaredPublication *publication)
{
	Oid			schema = get_namespace_oid(publication->target, false);
	const char *view = quote_qualified_identifier(publication->target, "catalog");
	Identity	caller;
	Oid			relation;

	if (OidIsValid(get_relname_relid("catalog", schema)))
		return;
	act_as(&caller, publication->owner);
	SPI_connect();
	execute_ddl(psprintf("CREATE VIEW %s AS SELECT object, shows, costs, may_read FROM pprepub.catalog WHERE target OPERATOR(pg_catalog.=) %s",
						 view, quote_literal_cstr(publication->target)));
	relation = get_relname_relid("catalog", schema);
	reset_rights(RelationRelationId, relation, psprintf("TABLE %s", view));
	execute_ddl(psprintf("GRANT SELECT ON %s TO PUBLIC", view));
	execute_ddl(psprintf("COMMENT ON VIEW %s IS 'what is published in this schema, what it costs, and whether you may read it'", view));
	SPI_finish();
	act_as_before(&caller);
	note_relation(publication, relation, "catalog");
}

/* ---- The promise, in the parameters' own words ---- */

Datum
declared_number(const DeclaredPublication *publication, const char *name, bool *isnull)
{
	const JsonbValue *value = getKeyJsonValueFromContainer(&publication->params->root, name, strlen(name), NULL);

	*isnull = value == NULL || value->type != jbvNumeric;
	return *isnull ? (Datum) 0 : NumericGetDatum(value->val.numeric);
}

/* The value of a parameter as it is written, or NULL where it has none that may be told. */
static char *
parameter_text(const DeclaredPublication *publication, const ParamSpec *spec)
{
	const JsonbValue *value = getKeyJsonValueFromContainer(&publication->params->root, spec->name, strlen(spec->name), NULL);

	if (value == NULL || spec->type == PARAM_TABLE || spec->type == PARAM_SEED)
		return NULL;
	switch (value->type)
	{
		case jbvNumeric:
			return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value->val.numeric)));
		case jbvString:
			return pnstrdup(value->val.string.val, value->val.string.len);
		case jbvBool:
			return value->val.boolean ? pstrdup("true") : NULL;
		default:
			return NULL;
	}
}

/* Lists the parameters that say how strong the promise is.  A rule that is followed unless another one is given is no measure of it. */
static char *
list_promise(const DeclaredPublication *publication, bool has_k_and_l)
{
	StringInfoData list;

	initStringInfo(&list);
	for (const ParamSpec *spec = method_declaration(publication->method)->params; spec->name != NULL; spec++)
	{
		bool		is_told = spec->strength != STRENGTH_NONE && (spec->type != PARAM_CHOICE || spec->fallback == NULL);
		char	   *text = is_told ? parameter_text(publication, spec) : NULL;

		if (text != NULL && (has_k_and_l || (strcmp(spec->name, "k") != 0 && strcmp(spec->name, "l") != 0)))
			appendStringInfo(&list, "%s%s = %s", list.len > 0 ? ", " : "", spec->name, text);
	}
	return list.len > 0 ? list.data : NULL;
}

char *
further_principle(const DeclaredPublication *publication)
{
	return list_promise(publication, false);
}

/* All of the promise: "k = 10, l = 3, frequency = 3"; or the method's name. */
static char *
whole_principle(const DeclaredPublication *publication)
{
	char	   *promise = list_promise(publication, true);

	return promise == NULL ? pstrdup(publication->method) : promise;
}

Datum
pprepub_promise(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(whole_principle(publication_look(text_argument(fcinfo, 0, "the name of a publication"), true))));
}

/* ---- Comments ---- */

void
comment_on_relation(const DeclaredPublication *publication, Oid relation, const char *what)
{
	CreateComments(relation, RelationRelationId, 0,
				   psprintf("%s; publication \"%s\" promises %s", what, publication->name, whole_principle(publication)));
	CommandCounterIncrement();
}

/* Explains the cells of a kind, and the values that live tables show in their place. */
static const char *const kind_comments[][2] = {
	[KIND_RANGE] = {
		"range that contains the person's value; (,) if withheld, NULL if the value is missing; operators are those of ranges (&&, <@)",
		"middle of a range that contains the person's value; NULL if withheld or missing"
	},
	[KIND_PREFIX] = {
		"prefix of the person's value and a star; * if withheld, NULL if the value is missing",
		"prefix of the person's value and a star; NULL if withheld or missing"
	},
	[KIND_TAXONOMY] = {
		"taxonomy node that is the person's value or stands above it; the root if withheld, NULL if the value is missing",
		"taxonomy node that is the person's value or stands above it; NULL if withheld or missing"
	},
	[KIND_SUPPRESS] = {
		"the person's value; * if withheld, NULL if the value is missing",
		"the person's value; NULL if withheld or missing"
	},
};

void
comment_on_column(Oid relation, const char *name, const char *comment)
{
	AttrNumber	attribute = get_attnum(relation, name);

	if (attribute != InvalidAttrNumber)
		CreateComments(relation, RelationRelationId, attribute, comment);
}

void
comment_on_columns(const DeclaredPublication *publication, Oid relation, ShownAs shown)
{
	comment_on_column(relation, "class",
					  psprintf("rows of one release with the same number cannot be told apart (%s)", whole_principle(publication)));
	for (int i = 0; i < publication->ncolumns; i++)
	{
		const DeclaredColumn *column = &publication->columns[i];

		if (column->role == ROLE_QUASI_IDENTIFIER)
			comment_on_column(relation, column->name, psprintf("quasi-identifier: %s", kind_comments[column->kind][shown]));
		else if (column->role != ROLE_KEY)
			comment_on_column(relation, column->name, is_sensitive(column) ? "sensitive: the person's own value" :
							  "insensitive: the person's own value");
	}
	if (shown == SHOWN_AS_VALUES)
		comment_on_column(relation, free_column_name(publication, "cells"), "cells of the quasi-identifiers as releases print them, by column");
	CommandCounterIncrement();
}

/* ---- Values ---- */

/* A text cell, but NULL where it is withheld. */
static char *
shown_text_sql(const char *cell, const char *withheld)
{
	return psprintf("CASE WHEN %s OPERATOR(pg_catalog.=) %s::pg_catalog.text THEN NULL ELSE %s END",
					cell, quote_literal_cstr(withheld), cell);
}

/* A node is a value where the column holds texts; else the middle of a ladder's interval is, as of a range, or a leaf. */
static char *
node_value_sql(const DeclaredColumn *column, const char *cell)
{
	char	   *shown = shown_text_sql(cell, tree_root(column->tree));
	bool		is_whole = column->type == INT2OID || column->type == INT4OID || column->type == INT8OID;

	if (is_string(column->type))
		return shown;
	if (tree_is_ladder(column->tree))
		return psprintf("%s(pprepub.midpoint((%s)::pg_catalog.numrange))", is_whole ? "pg_catalog.floor" : "", shown);
	return psprintf("CASE WHEN pprepub.width(pprepub_internal.leaves(%s, %d)) OPERATOR(pg_catalog.=) 1 THEN %s END",
					cell, column->tree, cell);
}

char *
value_sql(const DeclaredColumn *column)
{
	const char *name = quote_identifier(column->name);
	char	   *value;

	if (column->role != ROLE_QUASI_IDENTIFIER)
		return pstrdup(name);
	if (column->kind == KIND_RANGE)
		value = psprintf("pprepub.midpoint(%s)", name);
	else
		value = column->kind == KIND_TAXONOMY ? node_value_sql(column, name) : shown_text_sql(name, "*");
	/* The type alone: cells need not fit into the length or the digits that the source's values have. */
	return psprintf("(%s)::%s", value,
					format_type_extended(column->type, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
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

/* ---- TARGET.NAME() ---- */

Oid
answer_function(const DeclaredPublication *publication)
{
	static const Oid arguments[] = {TEXTOID, NAMEARRAYOID};

	return function_in_target(publication, "", arguments, lengthof(arguments));
}

void
create_answer_function(const DeclaredPublication *publication)
{
	char	   *columns;
	char	   *function;
	StringInfoData list;

	/* The column definitions of the function's result: those of a release. */
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
	columns = list.data;
	if (!method_declaration(publication->method)->answers)
		return;
	execute_ddl(psprintf("CREATE FUNCTION %s(cohort pg_catalog.text DEFAULT NULL, columns pg_catalog.name[] DEFAULT NULL)"
						 " RETURNS TABLE (%s) LANGUAGE sql VOLATILE PARALLEL UNSAFE SECURITY DEFINER"
						 " SET search_path = pg_catalog, pg_temp AS %s",
						 quoted_target(publication, ""), columns,
						 quote_literal_cstr(psprintf("SELECT * FROM pprepub_internal.answer(%s, $1, $2) AS answer(%s)",
													 quote_literal_cstr(publication->name), columns))));
	function = format_procedure_qualified(answer_function(publication));
	execute_ddl(psprintf("COMMENT ON FUNCTION %s IS %s", function,
						 quote_literal_cstr("ask for the people of a cohort, safe together with all that was published before; each call is one answer, and is remembered")));
	reset_rights(ProcedureRelationId, answer_function(publication), psprintf("FUNCTION %s", function));
}

void
replace_answer_function(const DeclaredPublication *publication)
{
	Oid			before = answer_function(publication);
	CatalogAccess access;
	char	   *grants;

	if (!OidIsValid(before))
		return;
	catalog_enter(&access);
	catalog_read("SELECT string_agg(format('GRANT EXECUTE ON FUNCTION %s TO %s%s', f.oid::regprocedure,"
				 " CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END,"
				 " CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' END), '; ') AS grants"
				 " FROM pg_proc f, aclexplode(f.proacl) a WHERE f.oid = $1 AND a.grantee <> f.proowner",
				 CATALOG_OID(before));
	grants = catalog_text(&access, 0, "grants");
	catalog_leave(&access);
	execute_own_ddl(psprintf("DROP FUNCTION %s", format_procedure_qualified(before)));
	create_answer_function(publication);
	if (grants != NULL)
		execute_ddl(grants);
}

#define COUNTS "_counts"

Oid
counts_function(const DeclaredPublication *publication)
{
	static const Oid arguments[] = {NAMEARRAYOID, JSONBOID, INT4OID};

	return function_in_target(publication, COUNTS, arguments, lengthof(arguments));
}

void
create_counts_function(const DeclaredPublication *publication)
{
	char	   *function = psprintf("%s(pg_catalog.name[], pg_catalog.jsonb, pg_catalog.int4)", quoted_target(publication, COUNTS));
	char	   *body = psprintf("SELECT * FROM pprepub_internal.counts(%s, $1, $2, $3)", quote_literal_cstr(publication->name));

	execute_ddl(psprintf("CREATE FUNCTION %s(by pg_catalog.name[], bins pg_catalog.jsonb DEFAULT '{}', release pg_catalog.int4 DEFAULT NULL)"
						 " RETURNS TABLE (bin pg_catalog.jsonb, people_at_least pg_catalog.int8, estimate pg_catalog.float8, people_at_most pg_catalog.int8,"
						 " rows_at_least pg_catalog.int8, rows_estimate pg_catalog.float8, rows_at_most pg_catalog.int8)"
						 " LANGUAGE sql STABLE PARALLEL UNSAFE SECURITY INVOKER AS %s",
						 quoted_target(publication, COUNTS), quote_literal_cstr(body)));
	execute_ddl(psprintf("COMMENT ON FUNCTION %s IS %s", function,
						 quote_literal_cstr("count people and rows of a release in bins of these columns: at least, about, and at most")));
	reset_rights(ProcedureRelationId, counts_function(publication), psprintf("FUNCTION %s", function));
	execute_ddl(psprintf("GRANT EXECUTE ON FUNCTION %s TO PUBLIC", function));
}

/* ---- TARGET.NAME_noisy() and TARGET.NAME_noise_left() ---- */

static const struct
{
	const char *name;
	const char *by_default;
	const char *columns;
	const char *comment;
}			noise_functions[NOISE_FUNCTIONS] = {

	{"noisy", "", "bin pg_catalog.jsonb, noisy_count pg_catalog.int8, half_width pg_catalog.int8, noisy_sum pg_catalog.\"numeric\", sum_half_width pg_catalog.\"numeric\"",
	"count people in bins of these columns, with noise; each question that was not answered since the last release is charged"},
	{"noise_left", " DEFAULT '{}'", "total pg_catalog.\"numeric\", total_left pg_catalog.\"numeric\", role_left pg_catalog.\"numeric\","
		" per_question pg_catalog.\"numeric\", least_cost pg_catalog.\"numeric\", cost pg_catalog.\"numeric\", half_width pg_catalog.int8,"
		" sum_half_width pg_catalog.\"numeric\", total_epsilon pg_catalog.float8",
	"show what is left for noisy counts, and what a question would cost; nothing is counted or charged"},
};

Oid
noise_function(const DeclaredPublication *publication, int which)
{
	static const Oid arguments[] = {NAMEARRAYOID, TEXTOID, JSONBOID, NUMERICOID, JSONBOID};

	return function_in_target(publication, psprintf("_%s", noise_functions[which].name), arguments, lengthof(arguments));
}

void
ensure_noise_functions(const DeclaredPublication *publication)
{
	const char *noise = param_member(publication->params, "noise_budget", "noise");
	const char *cost = noise != NULL && strcmp(noise, "gaussian") == 0 ? "rho" : "epsilon";

	if (param_named(method_declaration(publication->method), publication->params, "noise_budget") == PARAM_ABSENT)
		return;
	for (int i = 0; i < NOISE_FUNCTIONS; i++)
	{
		const char *name = noise_functions[i].name;
		char	   *function;

		if (OidIsValid(noise_function(publication, i)))
			continue;
		execute_ddl(psprintf("CREATE FUNCTION %s(by pg_catalog.name[]%s, \"where\" pg_catalog.text DEFAULT NULL, bins pg_catalog.jsonb DEFAULT '{}',"
							 " %s pg_catalog.\"numeric\" DEFAULT NULL, sum pg_catalog.jsonb DEFAULT NULL) RETURNS TABLE (%s)"
							 " LANGUAGE sql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS %s",
							 quoted_target(publication, psprintf("_%s", name)), noise_functions[i].by_default, cost, noise_functions[i].columns,
							 quote_literal_cstr(psprintf("SELECT * FROM pprepub_internal.%s(%s, $1, $2, $3, $4, $5)",
														 name, quote_literal_cstr(publication->name)))));
		function = format_procedure_qualified(noise_function(publication, i));
		execute_ddl(psprintf("COMMENT ON FUNCTION %s IS %s", function, quote_literal_cstr(noise_functions[i].comment)));
		reset_rights(ProcedureRelationId, noise_function(publication, i), psprintf("FUNCTION %s", function));
	}
}

/* ---- TARGET.NAME_now ---- */

char *
live_column_sql(const DeclaredColumn *column)
{
	DeclaredColumn shown = *column;

	if (column->role == ROLE_QUASI_IDENTIFIER)
		shown.typmod = -1;		/* texts are of any length, as prefixes and nodes are */
	return psprintf("%s %s", quote_identifier(column->name), column_type_sql(&shown));
}

void
create_live_table(const DeclaredPublication *publication)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	StringInfoData columns;
	StringInfoData later;

	if (!method->answers)
		return;
	initStringInfo(&columns);
	initStringInfo(&later);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role != ROLE_KEY && publication->columns[i].came == 0)
			appendStringInfo(&columns, "%s, ", live_column_sql(&publication->columns[i]));
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].came > 0)
			appendStringInfo(&later, ", %s", live_column_sql(&publication->columns[i]));
	comment_on_live_table(publication, make_relation(publication, publication->target, "_now", "FOREIGN TABLE",
													 psprintf("(%s%s%s pg_catalog.jsonb%s) SERVER pprepub", columns.data,
															  method->classes ? "class pg_catalog.int8, " : "",
															  free_column_name(publication, "cells"), later.data)));
}

void
comment_on_live_table(const DeclaredPublication *publication, Oid table)
{
	comment_on_relation(publication, table,
						"live table: each scan makes one answer, which is remembered; conditions on quasi-identifiers and insensitive columns choose the people");
	comment_on_columns(publication, table, SHOWN_AS_VALUES);
}

int
live_column(const DeclaredPublication *publication, AttrNumber attribute)
{
	int			left = attribute;
	int			i = 0;

	for (; i < publication->ncolumns && publication->columns[i].came == 0; i++)
		if (publication->columns[i].role != ROLE_KEY && --left == 0)
			return i;
	if (method_declaration(publication->method)->classes && --left == 0)
		return LIVE_CLASS;
	return left == 1 ? LIVE_CELLS : i + left - 2;
}

int
count_live_columns(const DeclaredPublication *publication)
{
	return publication->ncolumns + (method_declaration(publication->method)->classes ? 1 : 0);	/* no key, but cells */
}

void
verify_live_columns(const DeclaredPublication *publication, TupleDesc columns)
{
	bool		is_same = columns->natts == count_live_columns(publication);

	for (int i = 0; i < columns->natts && is_same; i++)
	{
		int			column = live_column(publication, i + 1);

		is_same = !TupleDescAttr(columns, i)->attisdropped && TupleDescAttr(columns, i)->atttypid ==
			(column == LIVE_CLASS ? INT8OID : column == LIVE_CELLS ? JSONBOID : publication->columns[column].type);
	}
	if (!is_same)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the foreign table of live answers of publication \"%s\" has other columns than it was made with", publication->name),
				 errhint("Its owner can drop it: pprepub.alter_publication() makes it again.")));
}

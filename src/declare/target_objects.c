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
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/value.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

/* ----------------------------------------------------------------
 * TARGET and TARGET_private, which belong to the owner alone
 * ----------------------------------------------------------------
 */

/* Returns the owner of a schema, from the system cache. */
static Oid
schema_owner(Oid schema)
{
	HeapTuple	tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(schema));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for schema %u", schema);
	owner = ((Form_pg_namespace) GETSTRUCT(tuple))->nspowner;
	ReleaseSysCache(tuple);
	return owner;
}

/*
 * Do publications of other roles stand in the schema?  It must not become another role's then, since nothing of them
 * would be published any more.
 */
static bool
has_publications_of_others(const char *schema, Oid owner)
{
	CatalogAccess access;
	bool		found;

	catalog_enter(&access);
	found = catalog_read("SELECT FROM pprepub_internal.catalog_publication WHERE $1 IN (target::text, target::text || '_private') AND owner::oid <> $2",
						 CATALOG_TEXT(schema), CATALOG_PARAM(OIDOID, ObjectIdGetDatum(owner))) > 0;
	catalog_leave(&access);
	return found;
}

/* An error about a schema that is another role's: a publication that stands in it already cannot have another one. */
static void
refuse_owner(const char *name, const char *owner_name, bool is_declared, bool is_in_use)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("schema \"%s\" does not belong to role \"%s\"", name, owner_name),
			 errdetail("The owner of a schema can drop what stands in it, so it must be the owner of the source."),
			 is_declared
			 ? errhint("Run ALTER SCHEMA %s OWNER TO %s.", quote_identifier(name), quote_identifier(owner_name))
			 : is_in_use
			 ? errhint("Publications of others stand in it: declare this one with a schema of its own, target => '…'.")
			 : errhint("Declare the publication with another schema, target => '…', or run ALTER SCHEMA %s OWNER TO %s if nobody else needs this one.",
					   quote_identifier(name), quote_identifier(owner_name))));
}

/* Raises an error unless the schema exists, belongs to the owner, and lets no other role create in it. */
static void
verify_schema(const char *name, Oid owner, bool is_declared)
{
	Oid			schema = get_namespace_oid(name, true);
	char	   *owner_name = GetUserNameFromId(owner, false);
	Acl		   *acl;

	if (!OidIsValid(schema))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_SCHEMA),
				 errmsg("schema \"%s\" does not exist", name),
				 errhint("Run CREATE SCHEMA %s AUTHORIZATION %s.",
						 quote_identifier(name), quote_identifier(owner_name))));
	if (schema_owner(schema) != owner)
		refuse_owner(name, owner_name, is_declared, has_publications_of_others(name, owner));
	acl = rights_on(NamespaceRelationId, schema);
	for (int i = 0; acl != NULL && i < ACL_NUM(acl); i++)
		if (ACL_DAT(acl)[i].ai_grantee != owner &&
			(ACLITEM_GET_PRIVS(ACL_DAT(acl)[i]) & ACL_CREATE) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_SCHEMA_DEFINITION),
					 errmsg("others may create objects in schema \"%s\"", name),
					 errhint("Revoke CREATE on it from everybody but its owner, or declare the publication with another schema: target => '…'.")));
}

void
verify_schemas(const DeclaredPublication *publication, Oid owner)
{
	verify_schema(publication->target, owner, true);
	verify_schema(publication->private, owner, true);
}

/* Creates a schema as its owner, and revokes what default privileges grant on it. */
static void
create_schema(const char *name, Oid owner)
{
	if (object_aclcheck(DatabaseRelationId, MyDatabaseId, owner, ACL_CREATE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("role \"%s\" may not create schema \"%s\" in this database",
						GetUserNameFromId(owner, false), name),
				 errhint("Have it created beforehand: CREATE SCHEMA %s AUTHORIZATION %s.",
						 quote_identifier(name), quote_identifier(GetUserNameFromId(owner, false)))));
	execute_ddl(psprintf("CREATE SCHEMA %s", quote_identifier(name)));
	reset_rights(NamespaceRelationId, get_namespace_oid(name, false),
				 psprintf("SCHEMA %s", quote_identifier(name)));
}

static void
ensure_schema(const char *name, Oid owner)
{
	if (OidIsValid(get_namespace_oid(name, true)))
		verify_schema(name, owner, false);
	else
		create_schema(name, owner);
}

void
ensure_schemas(const DeclaredPublication *publication)
{
	ensure_schema(publication->target, publication->owner);
	ensure_schema(publication->private, publication->owner);
}

/* ----------------------------------------------------------------
 * The promise, in the parameters' own words
 * ----------------------------------------------------------------
 */

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

static bool
is_k_or_l(const ParamSpec *spec)
{
	return strcmp(spec->name, "k") == 0 || strcmp(spec->name, "l") == 0;
}

/* Lists the parameters that say how strong the promise is. */
static char *
list_promise(const DeclaredPublication *publication, bool has_k_and_l)
{
	StringInfoData list;

	initStringInfo(&list);
	for (const ParamSpec *spec = method_declaration(publication->method)->params; spec->name != NULL; spec++)
	{
		char	   *text = spec->strength == STRENGTH_NONE ? NULL : parameter_text(publication, spec);

		if (text != NULL && (has_k_and_l || !is_k_or_l(spec)))
			appendStringInfo(&list, "%s%s = %s", list.len > 0 ? ", " : "", spec->name, text);
	}
	return list.len > 0 ? list.data : NULL;
}

char *
further_principle(const DeclaredPublication *publication)
{
	return list_promise(publication, false);
}

char *
whole_principle(const DeclaredPublication *publication)
{
	char	   *promise = list_promise(publication, true);

	return promise == NULL ? pstrdup(publication->method) : promise;
}

/* ----------------------------------------------------------------
 * Comments
 * ----------------------------------------------------------------
 */

void
comment_on_relation(const DeclaredPublication *publication, Oid relation, const char *what)
{
	CreateComments(relation, RelationRelationId, 0,
				   psprintf("%s; publication \"%s\" promises %s", what, publication->name, whole_principle(publication)));
	CommandCounterIncrement();
}

/* Explains the cells of a kind. */
static const char *
cell_comment(Kind kind)
{
	switch (kind)
	{
		case KIND_RANGE:
			return "quasi-identifier: range that contains the person's value; (,) if withheld, NULL if the value is missing; operators are those of ranges (&&, <@)";
		case KIND_PREFIX:
			return "quasi-identifier: prefix of the person's value and a star; * if withheld, NULL if the value is missing";
		case KIND_TAXONOMY:
			return "quasi-identifier: taxonomy node that is the person's value or stands above it; the root if withheld, NULL if the value is missing";
		case KIND_SUPPRESS:
			break;
	}
	return "quasi-identifier: the person's value; * if withheld, NULL if the value is missing";
}

/* Explains the values of a kind. */
static const char *
value_comment(Kind kind)
{
	switch (kind)
	{
		case KIND_RANGE:
			return "quasi-identifier: middle of a range that contains the person's value; NULL if withheld or missing";
		case KIND_PREFIX:
			return "quasi-identifier: prefix of the person's value and a star; NULL if withheld or missing";
		case KIND_TAXONOMY:
			return "quasi-identifier: taxonomy node that is the person's value or stands above it; NULL if withheld or missing";
		case KIND_SUPPRESS:
			break;
	}
	return "quasi-identifier: the person's value; NULL if withheld or missing";
}

static const char *
column_comment(const DeclaredColumn *column, ShownAs shown)
{
	if (is_sensitive(column))
		return "sensitive: the person's own value";
	if (column->role != ROLE_QUASI_IDENTIFIER)
		return "insensitive: the person's own value";
	return shown == SHOWN_AS_CELLS ? cell_comment(column->kind) : value_comment(column->kind);
}

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
		if (publication->columns[i].role != ROLE_KEY)
			comment_on_column(relation, publication->columns[i].name, column_comment(&publication->columns[i], shown));
	if (shown == SHOWN_AS_VALUES)
		comment_on_column(relation, free_column_name(publication, "cells"), "cells of the quasi-identifiers as releases print them, by column");
	CommandCounterIncrement();
}

/* ----------------------------------------------------------------
 * Values
 * ----------------------------------------------------------------
 */

/* The type alone: cells need not fit into the length or the digits that the source's values have. */
static char *
plain_type_sql(Oid type)
{
	return format_type_extended(type, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

/* The type of the column's values, as DDL writes it: the source's, but texts are of any length, as prefixes and nodes are. */
static char *
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

/* ----------------------------------------------------------------
 * TARGET.NAME()
 * ----------------------------------------------------------------
 */

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

/* ----------------------------------------------------------------
 * TARGET.NAME_now
 * ----------------------------------------------------------------
 */

void
create_live_table(const DeclaredPublication *publication)
{
	const MethodDeclaration *method = method_declaration(publication->method);
	char	   *words = quoted_target(publication, "_now");
	StringInfoData sql;
	Oid			table;

	if (!method->answers)
		return;
	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE FOREIGN TABLE %s (", words);
	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role != ROLE_KEY)
			appendStringInfo(&sql, "%s %s, ", quote_identifier(publication->columns[i].name),
							 value_type_sql(&publication->columns[i]));
	appendStringInfo(&sql, "%s%s pg_catalog.jsonb) SERVER pprepub",
					 method->classes ? "class pg_catalog.int8, " : "", free_column_name(publication, "cells"));
	execute_ddl(sql.data);
	table = relation_in_target(publication, "_now");
	reset_rights(RelationRelationId, table, psprintf("TABLE %s", words));
	comment_on_live_table(publication, table);
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

	for (int i = 0; i < publication->ncolumns; i++)
		if (publication->columns[i].role != ROLE_KEY && --left == 0)
			return i;
	return left == 1 && method_declaration(publication->method)->classes ? LIVE_CLASS : LIVE_CELLS;
}

/* The type of the column that has the number. */
static Oid
live_type(const DeclaredPublication *publication, AttrNumber attribute)
{
	int			column = live_column(publication, attribute);

	return column == LIVE_CLASS ? INT8OID : column == LIVE_CELLS ? JSONBOID : publication->columns[column].type;
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
		is_same = !TupleDescAttr(columns, i)->attisdropped &&
			TupleDescAttr(columns, i)->atttypid == live_type(publication, i + 1);
	if (!is_same)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the foreign table of live answers of publication \"%s\" has other columns than it was made with", publication->name),
				 errhint("Its owner can drop it: pprepub.alter_publication() makes it again.")));
}

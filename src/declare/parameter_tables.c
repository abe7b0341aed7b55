/*
 * parameter_tables.c
 *		Resolving and copying the tables that parameters name.
 */
#include "declare/parameters.h"

#include "access/relation.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "parser/parse_coerce.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/varlena.h"

/* ---- Names ---- */

Jsonb *
resolve_tables(const MethodDeclaration *method, Jsonb *given)
{
	if (!JB_ROOT_IS_OBJECT(given))
		return given;			/* left to check_parameters() */
	for (const TableSpec *spec = method->tables; spec != NULL && spec->param != NULL; spec++)
	{
		char	   *name = param_string(given, spec->param);

		Oid			table;

		if (name == NULL)
			continue;
		table = RangeVarGetRelid(makeRangeVarFromNameList(textToQualifiedNameList(cstring_to_text(name))), NoLock, false);
		/* Raises an error unless the relation can be read like a table and outlives the session. */
		if (!is_read_like_table(table))
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("parameter \"%s\" cannot name \"%s\"", spec->param, get_rel_name(table)),
					 errdetail("It names a table, a view, a materialized view or a foreign table.")));
		if (get_rel_persistence(table) == RELPERSISTENCE_TEMP)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("parameter \"%s\" cannot name \"%s\"", spec->param, get_rel_name(table)),
					 errdetail("It is temporary, and a publication outlives the session."),
					 errhint("Name a permanent table with its rows.")));
		given = with_string(given, spec->param, quoted_relation(table));
	}
	return given;
}

void
refuse_tables(const MethodDeclaration *method, Jsonb *given)
{
	for (const TableSpec *spec = method->tables; spec != NULL && spec->param != NULL; spec++)
		if (param_string(given, spec->param) != NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("a preview cannot take another table for \"%s\"", spec->param),
					 errdetail("Its rows would have to be copied, and a preview changes nothing."),
					 errhint("Leave it out to use the copy that was made before.")));
}

/* ---- Columns ---- */

/* A column of the copy: the name of the column that it is copied from, and its type. */
typedef struct CopiedColumn
{
	const char *name;
	Oid			type;
	const char *type_sql;		/* as DDL writes it */
	bool		optional;
} CopiedColumn;

/* Adds a column with a declared column's type.  The length is dropped, since a cast to it would cut values off. */
static void
add_declared(CopiedColumn *columns, int *n, const DeclaredColumn *column, const char *name, bool optional)
{
	DeclaredColumn plain = *column;

	plain.typmod = -1;
	columns[(*n)++] = (CopiedColumn) {name == NULL ? column->name : name, column->type, column_type_sql(&plain), optional};
}

/* The columns of the copy, in the order of the method's list; quasi-identifiers in that of the source. */
static CopiedColumn *
copied_columns(const DeclaredPublication *publication, const TableSpec *spec, int *n)
{
	CopiedColumn *columns;
	int			most = 0;

	while (spec->columns[most].kind != TABLE_END)
		most++;
	columns = palloc0(sizeof(CopiedColumn) * (most + publication->ncolumns));
	*n = 0;
	for (const TableColumn *column = spec->columns; column->kind != TABLE_END; column++)
	{
		if (column->kind == TABLE_KEY)
			add_declared(columns, n, publication_column(publication, ROLE_KEY), column->name, column->optional);
		else if (column->kind == TABLE_SENSITIVE)
			add_declared(columns, n, publication_column(publication, ROLE_SENSITIVE), column->name, column->optional);
		else if (column->kind == TABLE_NUMBER)
			columns[(*n)++] = (CopiedColumn) {column->name, FLOAT8OID, "pg_catalog.float8", column->optional};
		else
			for (int i = 0; i < publication->ncolumns; i++)
				if (column->kind == TABLE_SENSITIVE_COLUMNS ? is_sensitive(&publication->columns[i]) :
					publication->columns[i].role == ROLE_QUASI_IDENTIFIER)
					add_declared(columns, n, &publication->columns[i], NULL, column->optional);
	}
	return columns;
}

/* Has the table the column?  Raises an error if its type cannot be cast, or if it is missing and must not be. */
static bool
has_column(TupleDesc table, const CopiedColumn *columns, int n, const CopiedColumn *column, const char *param)
{
	Form_pg_attribute attribute = source_attribute(table, column->name);
	Oid			type = attribute == NULL ? InvalidOid : getBaseType(attribute->atttypid);

	if (attribute != NULL && !can_coerce_type(1, &type, &column->type, COERCION_IMPLICIT))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of the table that \"%s\" names is of type %s instead of %s",
						column->name, param, format_type_be(attribute->atttypid), format_type_be(column->type)),
				 errhint("Name a view that casts the column.")));
	if (attribute == NULL && !column->optional)
	{
		StringInfoData list;

		initStringInfo(&list);
		for (int i = 0; i < n; i++)
			appendStringInfo(&list, "%s\"%s\" %s%s", i > 0 ? ", " : "", columns[i].name,
							 format_type_be(columns[i].type), columns[i].optional ? " (optional)" : "");
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the table that \"%s\" names has no column \"%s\"", param, column->name),
				 errhint("Its columns are %s.", list.data)));
	}
	return attribute != NULL;
}

/* ---- Copies ---- */

/* Copies the table's rows into a new table. As the owner, inside SPI. */
static void
copy_rows(const DeclaredPublication *publication, const TableSpec *spec, Oid table, const char *copy)
{
	Relation	relation = relation_open(table, AccessShareLock);
	int			n;
	CopiedColumn *columns = copied_columns(publication, spec, &n);
	StringInfoData definition;
	StringInfoData values;

	initStringInfo(&definition);
	initStringInfo(&values);
	for (int i = 0; i < n; i++)
	{
		const char *name = quote_identifier(columns[i].name);

		appendStringInfo(&definition, "%s%s %s", i > 0 ? ", " : "", name, columns[i].type_sql);
		appendStringInfo(&values, "%s%s::%s", i > 0 ? ", " : "",
						 has_column(RelationGetDescr(relation), columns, n, &columns[i], spec->param)
						 ? name : "NULL", columns[i].type_sql);
	}
	execute_ddl(psprintf("CREATE TABLE %s (%s)", copy, definition.data));
	execute_ddl(psprintf("INSERT INTO %s SELECT %s FROM %s", copy, values.data, quoted_relation(table)));
	relation_close(relation, NoLock);
}

/* Makes a copy, which replaces the old one if there was one. */
static void
copy_table(const DeclaredPublication *publication, const TableSpec *spec, Oid table, bool accept_weakening)
{
	char	   *part = psprintf(TABLE_PART "%s", spec->param);
	char	   *name = psprintf("%s_%s", publication->name, spec->param);
	Oid			old_copy = copied_table(publication, spec->param);
	char	   *made = OidIsValid(old_copy) ? psprintf("%s_new", name) : name;
	char	   *qualified = quote_qualified_identifier(publication->private, made);
	Identity	caller;
	Oid			copy;

	act_as(&caller, publication->owner);
	SPI_connect();
	verify_name_is_not_taken(publication, publication->private, made);
	copy_rows(publication, spec, table, qualified);
	copy = get_relname_relid(made, get_namespace_oid(publication->private, false));
	reset_rights(RelationRelationId, copy, psprintf("TABLE %s", qualified));
	declare_hooks->check_table(publication, spec->param, old_copy, copy, accept_weakening);
	if (OidIsValid(old_copy))
	{
		execute_own_ddl(psprintf("DROP TABLE %s", quoted_relation(old_copy)));
		execute_own_ddl(psprintf("ALTER TABLE %s RENAME TO %s", qualified, quote_identifier(name)));
	}
	seal_table(copy);
	SPI_finish();
	act_as_before(&caller);
	note_relation(publication, copy, part);
}

void
copy_tables(const DeclaredPublication *publication, Jsonb *named, bool accept_weakening)
{
	const MethodDeclaration *method = method_declaration(publication->method);

	for (const TableSpec *spec = method->tables; spec != NULL && spec->param != NULL; spec++)
	{
		char	   *name = param_string(publication->params, spec->param);
		bool		is_named = name != NULL && param_string(named, spec->param) != NULL;
		RangeVar   *variable;
		Oid			table;
		const char *why;

		if (name == NULL)
			continue;
		variable = makeRangeVarFromNameList(textToQualifiedNameList(cstring_to_text(name)));
		table = RangeVarGetRelid(variable, NoLock, !is_named);
		if (is_named)
			why = NULL;
		else if (!OidIsValid(table))
			why = "It does not exist any more.";
		else
			why = pg_class_aclcheck(table, publication->owner, ACL_SELECT) == ACLCHECK_OK ? NULL :
				"The publication's owner may not read it any more.";
		if (why == NULL)
			copy_table(publication, spec, table, accept_weakening);
		else
		{
			int			n;
			Relation	copy = relation_open(copied_table(publication, spec->param), AccessShareLock);
			bool		has_all;

			/* A copy that lacks a column that was added is of no use. */
			(void) copied_columns(publication, spec, &n);
			has_all = RelationGetNumberOfAttributes(copy) == n;
			relation_close(copy, NoLock);
			ereport(has_all ? NOTICE : ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("table %s was not copied again for parameter \"%s\"", name, spec->param),
					 errdetail("%s The copy that was made before stays.", why)));
		}
	}
}

Oid
copied_table(const DeclaredPublication *publication, const char *param)
{
	return noted_relation(publication, psprintf(TABLE_PART "%s", param));
}

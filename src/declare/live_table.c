/*
 * live_table.c
 *		Creating the foreign table TARGET.NAME_now of a publication.
 */
#include "declare/live_table.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/comments.h"
#include "declare/parameters.h"
#include "declare/value_columns.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

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

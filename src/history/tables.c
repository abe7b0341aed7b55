/*
 * tables.c
 *		Making the tables of a history.
 */
#include "postgres.h"

#include "history/tables.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "declare/protection.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* Arrays of keys hardly become smaller by compression, which costs more than all else. */
static void
keep_arrays_plain(Oid relation, const char *words)
{
	Relation	table = table_open(relation, AccessShareLock);
	TupleDesc	columns = RelationGetDescr(table);
	StringInfoData sql;

	initStringInfo(&sql);
	for (int i = 0; i < columns->natts; i++)
		if (OidIsValid(get_element_type(TupleDescAttr(columns, i)->atttypid)))
			appendStringInfo(&sql, "%s ALTER %s SET STORAGE EXTERNAL", sql.len > 0 ? "," : "",
							 quote_identifier(NameStr(TupleDescAttr(columns, i)->attname)));
	table_close(table, NoLock);
	if (sql.len > 0)
		execute_ddl(psprintf("ALTER TABLE %s%s", words, sql.data));
}

Oid
ensure_history_table(const DeclaredPublication *publication, const char *part,
					 const char *suffix, const char *columns, HistoryStorage storage)
{
	Oid			table = noted_relation(publication, part);
	char	   *name = psprintf("%s%s", publication->name, suffix);
	char	   *words = quoted_private(publication, suffix);

	if (OidIsValid(table))
		return table;
	verify_name_is_not_taken(publication, publication->private, name);
	execute_ddl(psprintf("CREATE TABLE %s (%s) %s", words, columns,
						 storage == IN_GROUPS ? "USING pprepub" : "USING heap WITH (toast_tuple_target = 8160)"));
	table = get_relname_relid(name, get_namespace_oid(publication->private, false));
	if (storage == IN_HEAP)
		keep_arrays_plain(table, words);
	reset_rights(RelationRelationId, table, psprintf("TABLE %s", words));
	seal_table(table);
	note_relation(publication, table, part);
	return table;
}

bool
has_columns(Oid table, const Oid *types, int n)
{
	Relation	relation = table_open(table, AccessShareLock);
	TupleDesc	columns = RelationGetDescr(relation);
	bool		result = columns->natts == n;

	for (int i = 0; i < n && result; i++)
		result = TupleDescAttr(columns, i)->atttypid == types[i];
	table_close(relation, NoLock);
	return result;
}

void
verify_columns(const DeclaredPublication *publication, const char *what, Oid table, const Oid *types, int n)
{
	if (!has_columns(table, types, n))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the table of %s of publication \"%s\" is malformed", what, publication->name),
				 errdetail("It has other columns than it was made with, or was made by an earlier version."),
				 errhint("Restore it from a backup, or drop the publication with its history, and declare it anew.")));
}

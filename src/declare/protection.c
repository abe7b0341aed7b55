/*
 * protection.c
 *		The statement trigger and the event trigger behind protection.h.
 *
 * NOTES
 *		The event trigger sees every DDL command of the database, so it asks
 *		one indexed question and goes.  It fails closed: a command on a
 *		protected relation that is not known to be harmless is refused.
 *
 *		Inheritance needs a check of its own: a statement trigger does not fire
 *		for rows that are reached through a parent, and rows of a child would
 *		show up in the release.
 */
#include "declare/protection.h"

#include "catalog/pg_type.h"
#include "commands/event_trigger.h"
#include "commands/trigger.h"
#include "declare/catalog.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#define SEAL "pprepub_seal"

PG_FUNCTION_INFO_V1(pprepub_refuse_change);
PG_FUNCTION_INFO_V1(pprepub_protect);

static bool ddl_is_ours = false;

void
seal_table(Oid table)
{
	char	   *words = relation_words(table);

	execute_ddl(psprintf("CREATE TRIGGER " SEAL
						 " BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s"
						 " FOR EACH STATEMENT EXECUTE FUNCTION pprepub.refuse_change()", words));
	execute_ddl(psprintf("ALTER TABLE %s ENABLE ALWAYS TRIGGER " SEAL, words));
}

void
execute_own_ddl(const char *sql)
{
	ddl_is_ours = true;
	PG_TRY();
	{
		execute_ddl(sql);
	}
	PG_FINALLY();
	{
		ddl_is_ours = false;
	}
	PG_END_TRY();
}

static int
hint_stays(void)
{
	return errhint("What was published, and the memory of it, stays as it is. pprepub.drop_publication(name, forget_history => true) drops a publication with all that was made for it.");
}

Datum
pprepub_refuse_change(PG_FUNCTION_ARGS)
{
	TriggerData *trigger = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("this function can only be called as a trigger")));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" cannot be changed", RelationGetRelationName(trigger->tg_relation)),
			 hint_stays()));
}

/* The command has done its work by now, so it is named by its tag, not by what it touched. */
static void
refuse(const char *tag, int32 publication)
{
	catalog_execute("SELECT name FROM pprepub.catalog_publication WHERE publication = $1",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication)));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 SPI_processed == 0
			 ? errmsg("%s would change what was made for a publication", tag)
			 : errmsg("%s would change what was made for publication \"%s\"", tag,
					  SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1)),
			 hint_stays()));
}

/* Is this ALTER TABLE made of subcommands only that leave rows, columns and fence alone? */
static bool
is_harmless(const AlterTableStmt *statement)
{
	ListCell   *cell;

	foreach(cell, statement->cmds)
	{
		const AlterTableCmd *command = lfirst_node(AlterTableCmd, cell);

		switch (command->subtype)
		{
			case AT_ChangeOwner:
			case AT_EnableAlwaysTrig:
			case AT_SetStatistics:
			case AT_SetOptions:
			case AT_ResetOptions:
			case AT_SetStorage:
			case AT_SetCompression:
			case AT_SetTableSpace:
			case AT_SetRelOptions:
			case AT_ResetRelOptions:
			case AT_ReplicaIdentity:
			case AT_ClusterOn:
			case AT_DropCluster:
			case AT_AddIndex:
			case AT_AddIndexConstraint:
			case AT_DropConstraint:
				break;
			case AT_AddConstraint:
				{
					ConstrType	type = castNode(Constraint, command->def)->contype;

					if (type != CONSTR_PRIMARY && type != CONSTR_UNIQUE && type != CONSTR_EXCLUSION)
						return false;
					break;
				}
			default:
				return false;
		}
	}
	return true;
}

/*
 * The publications whose relations the command touched, with a word for how:
 * "itself", "trigger", "rule", "schema", "inheritance".
 */
static const char *const touched_query =
"SELECT DISTINCT c.command_tag, 'itself' AS how, r.publication"
" FROM pg_event_trigger_ddl_commands() c JOIN pprepub.catalog_relation r ON r.relation::oid = c.objid"
" WHERE c.classid = 'pg_class'::regclass AND r.part <> 'view'"
" UNION ALL SELECT c.command_tag, 'trigger', r.publication"
" FROM pg_event_trigger_ddl_commands() c JOIN pg_trigger t ON t.oid = c.objid"
" JOIN pprepub.catalog_relation r ON r.relation::oid = t.tgrelid"
" WHERE c.classid = 'pg_trigger'::regclass AND r.part <> 'view'"
" AND (c.command_tag <> 'CREATE TRIGGER'"
"  OR t.tgname = '" SEAL "' AND t.tgfoid <> 'pprepub.refuse_change()'::regprocedure)"
" UNION ALL SELECT c.command_tag, 'rule', r.publication"
" FROM pg_event_trigger_ddl_commands() c JOIN pg_rewrite w ON w.oid = c.objid"
" JOIN pprepub.catalog_relation r ON r.relation::oid = w.ev_class"
" WHERE c.classid = 'pg_rewrite'::regclass AND r.part <> 'view'"
" UNION ALL SELECT c.command_tag, 'schema', r.publication"
" FROM pg_event_trigger_ddl_commands() c JOIN pg_class k ON k.relnamespace = c.objid"
" JOIN pprepub.catalog_relation r ON r.relation::oid = k.oid"
" WHERE c.classid = 'pg_namespace'::regclass"
" UNION ALL SELECT 'ALTER TABLE', 'inheritance', r.publication"
" FROM pg_inherits i JOIN pprepub.catalog_relation r ON r.relation::oid IN (i.inhrelid, i.inhparent)";

static bool
is_allowed(const char *tag, const char *how, Node *statement)
{
	if (strcmp(how, "schema") == 0)
		return !IsA(statement, RenameStmt);
	if (strcmp(how, "itself") != 0)
		return false;
	if (strcmp(tag, "COMMENT") == 0 || strcmp(tag, "SECURITY LABEL") == 0 ||
		strcmp(tag, "GRANT") == 0 || strcmp(tag, "REVOKE") == 0)
		return true;
	return IsA(statement, AlterTableStmt) && is_harmless(castNode(AlterTableStmt, statement));
}

static void
check_commands(const char *tag, Node *statement)
{
	catalog_run(touched_query, 0, NULL);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		char	   *command = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1);
		char	   *how = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 2);

		if (!is_allowed(command, how, statement))
			refuse(tag, catalog_int(row, "publication"));
	}
}

static void
check_rewrite(const char *tag)
{
	catalog_run("SELECT publication FROM pprepub.catalog_relation"
				" WHERE relation::oid = pg_event_trigger_table_rewrite_oid()", 0, NULL);
	if (SPI_processed > 0)
		refuse(tag, catalog_int(0, "publication"));
}

/* The view of the newest release may go; the next release makes another one. */
static void
forget_dropped_views(void)
{
	catalog_run("SELECT FROM pg_event_trigger_dropped_objects() o JOIN pprepub.catalog_relation r"
				" ON o.classid = 'pg_class'::regclass AND o.objid = r.relation::oid AND r.part = 'view'", 0, NULL);
	if (SPI_processed == 0)
		return;					/* what is not ours may be dropped where nothing may be written */
	catalog_run("DELETE FROM pprepub.catalog_relation r USING pg_event_trigger_dropped_objects() o"
				" WHERE o.classid = 'pg_class'::regclass AND o.objid = r.relation::oid AND r.part = 'view'", 0, NULL);
}

static void
check_drops(const char *tag)
{
	catalog_run("SELECT r.publication FROM pg_event_trigger_dropped_objects() o"
				" JOIN pprepub.catalog_relation r ON r.part <> 'view' AND ("
				"  o.classid = 'pg_class'::regclass AND o.objid = r.relation::oid"
				"  OR o.classid = 'pg_trigger'::regclass AND o.address_names[3] = '" SEAL "'"
				"   AND r.relation::oid = to_regclass(format('%I.%I', o.address_names[1], o.address_names[2]))::oid)"
				" ORDER BY r.publication LIMIT 1", 0, NULL);
	if (SPI_processed > 0)
		refuse(tag, catalog_int(0, "publication"));
}

Datum
pprepub_protect(PG_FUNCTION_ARGS)
{
	EventTriggerData *trigger = (EventTriggerData *) fcinfo->context;
	CatalogAccess access;
	const char *tag;

	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("this function can only be called as an event trigger")));
	/* While the extension itself is being made or dropped, there is no catalog. */
	if (ddl_is_ours || !OidIsValid(catalog_relation("catalog_relation")))
		PG_RETURN_VOID();

	tag = GetCommandTagName(trigger->tag);
	catalog_enter(&access);
	if (strcmp(trigger->event, "ddl_command_end") == 0)
		check_commands(tag, trigger->parsetree);
	else if (strcmp(trigger->event, "table_rewrite") == 0)
		check_rewrite(tag);
	else
	{
		check_drops(tag);
		forget_dropped_views();
	}
	catalog_leave(&access);
	PG_RETURN_VOID();
}

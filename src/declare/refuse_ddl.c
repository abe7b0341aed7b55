/*
 * refuse_ddl.c
 *		The statement trigger and the event trigger that keep releases and history as they are (publication.h).
 *
 * NOTES
 *		The event trigger sees every DDL command of the database, also those that touch nothing of ours.  One query checks
 *		all the ways in which a command may touch a protected relation; it takes a fifth of a millisecond.  It fails
 *		closed: a command on a protected relation that is not known to be harmless is refused.
 *
 *		Inheritance needs a check of its own: a statement trigger does not fire for rows that are reached through a
 *		parent, and rows of a child would show up in the release.
 */
#include "declare/publication.h"

#include "catalog/namespace.h"
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

/* A pinned view that reads nothing, which the CREATE VIEW at hand replaces, or InvalidOid. */
static Oid	dummy_view = InvalidOid;

void
seal_table(Oid table)
{
	char	   *name = quoted_relation(table);

	execute_ddl(psprintf("CREATE TRIGGER " SEAL
						 " BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s"
						 " FOR EACH STATEMENT EXECUTE FUNCTION pprepub_internal.refuse_change()", name));
	execute_ddl(psprintf("ALTER TABLE %s ENABLE ALWAYS TRIGGER " SEAL, name));
}

void
execute_past_seal(Oid table, const char *sql, Oid type, Datum value)
{
	char	   *name = quoted_relation(table);

	execute_own_ddl(psprintf("ALTER TABLE %s DISABLE TRIGGER " SEAL, name));
	if (SPI_execute_with_args(psprintf(sql, name), OidIsValid(type) ? 1 : 0, &type, &value, NULL, false, 0) < 0)
		elog(ERROR, "could not change table %s", name);
	execute_own_ddl(psprintf("ALTER TABLE %s ENABLE ALWAYS TRIGGER " SEAL, name));
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
hint_to_drop(void)
{
	return errhint("Releases and their history stay as they are. pprepub.drop_publication(name, forget_history => true) drops a publication with all that was made for it.");
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
			 hint_to_drop()));
}

/* Refuses a command.  It has done its work by now, so the message names it by its tag, not by the object that it touched. */
static void
refuse(const char *tag, int32 publication)
{
	catalog_read("SELECT name FROM pprepub_internal.catalog_publication WHERE publication = $1",
				 CATALOG_INT(publication));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 SPI_processed == 0
			 ? errmsg("%s would change what was made for a publication", tag)
			 : errmsg("%s would change what was made for publication \"%s\"", tag,
					  SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1)),
			 hint_to_drop()));
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

/* Is a command, which touches a relation in this way, known to be harmless? */
static bool
is_allowed(const char *tag, const char *how, Node *statement)
{
	if (strcmp(tag, "COMMENT") == 0 || strcmp(tag, "SECURITY LABEL") == 0)
		return true;
	if (strcmp(how, "schema") == 0)
		return !IsA(statement, RenameStmt);
	if (strcmp(how, "type") == 0)
		/* Has it changed how values of the type print? */
		return IsA(statement, AlterEnumStmt) ? castNode(AlterEnumStmt, statement)->oldVal == NULL : !IsA(statement, AlterTableStmt);
	if (strcmp(how, "seal") == 0)	/* pg_restore creates one where there was none */
		return IsA(statement, CreateTrigStmt) && !castNode(CreateTrigStmt, statement)->replace;
	if (strcmp(how, "itself") != 0)
		return false;
	if (strcmp(tag, "GRANT") == 0 || strcmp(tag, "REVOKE") == 0)
		return true;
	return IsA(statement, AlterTableStmt) && is_harmless(castNode(AlterTableStmt, statement));
}

/*
 * Refuses to drop a protected relation or its seal.  A pinned view may be dropped with its source until something was
 * published, so that an owner can drop the table without dropping the publication first.  Afterwards it stays: another
 * publication could be declared over the same people, and would not know of this one.  Views and live tables are their
 * owner's to drop, but not "pg_restore --clean"'s, which would put strangers in their place, all the rest being refused.
 */
static void
check_drops(const char *tag)
{
	catalog_read("SELECT r.publication FROM pg_event_trigger_dropped_objects() o"
				 " JOIN pprepub_internal.catalog_relation r ON"
				 "  (NOT pprepub_internal.is_loose(r.part) OR o.original AND current_setting('application_name') = 'pg_restore') AND ("
				 "  o.classid = 'pg_class'::regclass AND o.objid = r.relation::oid AND (r.part <> 'source' OR o.original"
				 "   OR EXISTS (SELECT FROM pprepub_internal.catalog_publication p WHERE p.publication = r.publication AND p.releases > 0))"
				 "  OR o.classid = 'pg_trigger'::regclass AND o.address_names[3] = '" SEAL "'"
				 "   AND r.relation::oid = to_regclass(format('%I.%I', o.address_names[1], o.address_names[2]))::oid)"
				 " ORDER BY r.publication LIMIT 1");
	if (SPI_processed > 0)
		refuse(tag, catalog_int(0, "publication"));

	/*
	 * Relations that may go are deleted from the catalog; a column that is dropped has its relation's number, too.
	 * Other relations may be dropped also where the catalog cannot be written.
	 */
	if (catalog_read("SELECT FROM pg_event_trigger_dropped_objects() o JOIN pprepub_internal.catalog_relation r"
					 " ON o.classid = 'pg_class'::regclass AND o.objid = r.relation::oid AND o.objsubid = 0") > 0)
		catalog_execute("DELETE FROM pprepub_internal.catalog_relation r USING pg_event_trigger_dropped_objects() o"
						" WHERE o.classid = 'pg_class'::regclass AND o.objid = r.relation::oid AND o.objsubid = 0");
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
	/* While the extension itself is being created or dropped, there is no catalog. */
	if (ddl_is_ours || !OidIsValid(catalog_relation("catalog_relation")))
		PG_RETURN_VOID();

	tag = GetCommandTagName(trigger->tag);
	catalog_enter(&access);
	if (strcmp(trigger->event, "ddl_command_start") == 0)
	{
		Oid			view = RangeVarGetRelid(castNode(ViewStmt, trigger->parsetree)->view, NoLock, true);

		/*
		 * Remembers the dummy view that a CREATE OR REPLACE VIEW is about to replace.  Where a view depends on an
		 * object restored later, pg_restore makes a dummy first, and replaces it in the end.
		 */
		dummy_view = InvalidOid;
		catalog_read("SELECT FROM pprepub_internal.catalog_publication p WHERE p.pinned::oid = $1"
					 " AND NOT EXISTS (SELECT FROM pprepub_internal.catalog_source s WHERE s.publication = p.publication)",
					 CATALOG_OID(view));
		if (SPI_processed > 0)
			dummy_view = view;
	}
	else if (strcmp(trigger->event, "ddl_command_end") == 0)
	{
		/* Refuses the command if it touched a protected relation in a way not known to be harmless. */
		catalog_read("SELECT command_tag, how, publication FROM pprepub_internal.touched_relations() WHERE NOT is_view OR relation <> $1",
					 CATALOG_OID(dummy_view));
		dummy_view = InvalidOid;
		for (uint64 row = 0; row < SPI_processed; row++)
		{
			char	   *command = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1);
			char	   *how = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 2);

			if (!is_allowed(command, how, trigger->parsetree))
				refuse(tag, catalog_int(row, "publication"));
		}
	}
	else if (strcmp(trigger->event, "table_rewrite") == 0)
	{
		if (catalog_read("SELECT publication FROM pprepub_internal.catalog_relation WHERE relation::oid = pg_event_trigger_table_rewrite_oid()") > 0)
			refuse(tag, catalog_int(0, "publication"));
	}
	else
		check_drops(tag);
	catalog_leave(&access);
	PG_RETURN_VOID();
}

/*
 * pg_cron_calls.c
 *		Finding pg_cron, and calling it.
 *
 * NOTES
 *		Functions are called by their OIDs, so that no search path matters; the
 *		caller's rights on them, which a statement would be asked for, are
 *		checked here.
 */
#include "release/schedule/pg_cron_calls.h"

#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "commands/extension.h"
#include "compat.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* ----------------------------------------------------------------
 * Where it is
 * ----------------------------------------------------------------
 */

static Oid
member(const Cron *cron, Oid class, Oid object)
{
	return OidIsValid(object) && getExtensionOfObject(class, object) == cron->extension ? object : InvalidOid;
}

static Oid
function(const Cron *cron, const char *name, const Oid *types, int n)
{
	return member(cron, ProcedureRelationId,
				  GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
								  PointerGetDatum(buildoidvector(types, n)), ObjectIdGetDatum(cron->schema)));
}

static bool
has_table(const Cron *cron, const char *name)
{
	return OidIsValid(member(cron, RelationRelationId, get_relname_relid(name, cron->schema)));
}

bool
find_cron(Cron *cron)
{
	static const Oid schedule[] = {TEXTOID, TEXTOID, TEXTOID};
	static const Oid unschedule[] = {INT8OID};

	cron->extension = get_extension_oid("pg_cron", true);
	cron->schema = get_namespace_oid("cron", true);
	if (!OidIsValid(cron->extension) || !OidIsValid(cron->schema))
		return false;
	cron->schedule = function(cron, "schedule", schedule, lengthof(schedule));
	cron->unschedule = function(cron, "unschedule", unschedule, lengthof(unschedule));
	return OidIsValid(cron->schedule) && OidIsValid(cron->unschedule) &&
		has_table(cron, "job") && has_table(cron, "job_run_details");
}

/* The database that it runs jobs of, or NULL if it is not loaded: a setting that is not its own is a placeholder. */
static const char *
database_of_cron(void)
{
	const char *name = GetConfigOption("cron.database_name", true, false);

	return name == NULL || (GetConfigOptionFlags("cron.database_name", true) & GUC_CUSTOM_PLACEHOLDER) ? NULL : name;
}

bool
cron_is_loaded(void)
{
	return database_of_cron() != NULL;
}

void
verify_cron_is_loaded(void)
{
	if (!cron_is_loaded())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("pg_cron does not run on this server"),
				 errdetail("Schedules are run by extension pg_cron."),
				 errhint("Install it (on Debian: package postgresql-" PG_MAJORVERSION "-cron), set shared_preload_libraries = 'pg_cron' and"
						 " cron.database_name = %s in postgresql.conf, restart the server, and run CREATE EXTENSION pg_cron.",
						 quote_literal_cstr(get_database_name(MyDatabaseId)))));
}

/* The setting is for superusers to read, so the other database is not named. */
static void
refuse_database(const char *job, const char *schedule, const char *command)
{
	const char *database = get_database_name(MyDatabaseId);

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("pg_cron runs in another database"),
			 errdetail("Jobs are kept in the database that cron.database_name says."),
			 errhint("There, a superuser can schedule the job: SELECT cron.schedule_in_database(%s, %s, %s, %s, %s).",
					 quote_literal_cstr(psprintf("%s in %s", job, database)), quote_literal_cstr(schedule),
					 quote_literal_cstr(command), quote_literal_cstr(database),
					 quote_literal_cstr(GetUserNameFromId(GetUserId(), false)))));
}

/* Refuses users who may not call cron.schedule(), with a hint how to allow it. */
static void
verify_rights(const Cron *cron)
{
	if (object_aclcheck(NamespaceRelationId, cron->schema, GetUserId(), ACL_USAGE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for schema cron"),
				 errhint("A role that schedules jobs needs it: GRANT USAGE ON SCHEMA cron TO %s.",
						 quote_identifier(GetUserNameFromId(GetUserId(), false)))));
	if (object_aclcheck(ProcedureRelationId, cron->schedule, GetUserId(), ACL_EXECUTE) != ACLCHECK_OK)
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_FUNCTION, "cron.schedule");
}

void
require_cron(Cron *cron, const char *job, const char *schedule, const char *command)
{
	verify_cron_is_loaded();
	if (strcmp(database_of_cron(), get_database_name(MyDatabaseId)) != 0)
		refuse_database(job, schedule, command);
	if (!find_cron(cron))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 OidIsValid(cron->extension) ?
				 errmsg("extension \"pg_cron\" of this database is too old") :
				 errmsg("extension \"pg_cron\" is not installed in this database"),
				 OidIsValid(cron->extension) ?
				 errhint("Run ALTER EXTENSION pg_cron UPDATE. Version 1.4 is needed.") :
				 errhint("Run CREATE EXTENSION pg_cron.")));
	verify_rights(cron);
}

/* ----------------------------------------------------------------
 * Calling it
 * ----------------------------------------------------------------
 */

/* Raises its error again; what it says of a schedule that it cannot read is short in some versions. */
static void
explain_error(MemoryContext context)
{
	ErrorData  *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	if (error->sqlerrcode == ERRCODE_INVALID_PARAMETER_VALUE && error->hint == NULL)
		error->hint = "A schedule has five fields: minute, hour, day of the month, month, day of the week."
			" '0 3 * * 1' is each Monday at three, in GMT unless cron.timezone says otherwise.";
	ReThrowError(error);
}

int64
cron_schedule(const Cron *cron, const char *job, const char *schedule, const char *command)
{
	MemoryContext context = CurrentMemoryContext;
	volatile Datum number = 0;

	PG_TRY();
	{
		number = OidFunctionCall3(cron->schedule, CStringGetTextDatum(job), CStringGetTextDatum(schedule),
								  CStringGetTextDatum(command));
	}
	PG_CATCH();
	{
		explain_error(context);
	}
	PG_END_TRY();
	return DatumGetInt64(number);
}

void
cron_unschedule(const Cron *cron, int64 job)
{
	(void) OidFunctionCall1(cron->unschedule, Int64GetDatum(job));
}

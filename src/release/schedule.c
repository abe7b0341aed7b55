/*
 * schedule.c
 *		schedule() and unschedule(): a publication has one job of pg_cron, or none.
 */
#include "postgres.h"

#include "release/release.h"

#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "commands/extension.h"
#include "compat.h"
#include "declare/publication.h"
#include "declare/warn_owner.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "release/cohort/cohort.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_schedule);
PG_FUNCTION_INFO_V1(pprepub_unschedule);
PG_FUNCTION_INFO_V1(pprepub_scheduled_jobs);

/* ----------------------------------------------------------------
 * Finding pg_cron, and calling it.
 *
 * Functions are called by their OIDs, so that no search path matters; the
 * caller's rights on them, which a statement would be asked for, are
 * checked here.
 * ----------------------------------------------------------------
 */

/* pg_cron as it stands in this database. */
typedef struct Cron
{
	Oid			extension;
	Oid			schema;

	/* Functions */
	Oid			schedule;		/* (name, schedule, command) */
	Oid			unschedule;		/* (number) */
} Cron;

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

static bool
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

static bool
cron_is_loaded(void)
{
	return database_of_cron() != NULL;
}

static void
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

static void
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

static int64
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

static void
cron_unschedule(const Cron *cron, int64 job)
{
	(void) OidFunctionCall1(cron->unschedule, Int64GetDatum(job));
}

/* ----------------------------------------------------------------
 * schedule() and unschedule(): a publication has one job of pg_cron, or none.
 *
 * The job runs as the role that scheduled it, which must be able to log in
 * and have the owner's rights: publish() then acts as the owner, who need
 * not be able to.  What belongs to whom is noted beside the job's number:
 * anybody may give a job any name, so a job that is not as it was noted
 * (with a name, database and role of its own) is not the publication's.
 *
 * Each member of the owner's role may replace or end the schedule, also
 * one that another member made; pg_cron is therefore asked to as the
 * extension's owner.
 *
 * LOCKING
 * The publication is locked as for publishing: a run that is at work is
 * waited for, not ended in the middle.
 * ----------------------------------------------------------------
 */

#define JOB_PREFIX "pprepub: "

/* Is j the job that was noted as s, for publication p? */
#define IS_NOTED_JOB "j.jobid = s.job AND j.jobname = '" JOB_PREFIX "' || p.name" \
	" AND j.database = current_database() AND j.username = s.run_by"

/* Stands for the tables of pg_cron where it is not. */
#define NO_JOBS "(SELECT NULL::bigint AS jobid, NULL::text AS jobname, NULL::text AS database," \
	" NULL::text AS username, NULL::text AS schedule, NULL::boolean AS active WHERE false)"
#define NO_RUNS "(SELECT NULL::bigint AS jobid, NULL::bigint AS runid, NULL::text AS username," \
	" NULL::timestamptz AS start_time, NULL::text AS status, NULL::text AS return_message WHERE false)"

/* The job that was noted for a publication. */
typedef struct Job
{
	int64		number;
	bool		stands;			/* pg_cron has it still */
} Job;

/* ----------------------------------------------------------------
 * The job
 * ----------------------------------------------------------------
 */

static char *
job_name(const DeclaredPublication *publication)
{
	return psprintf(JOB_PREFIX "%s", publication->name);
}

/* Literals of this kind mean the same whatever standard_conforming_strings says. */
static char *
job_command(const DeclaredPublication *publication, const char *cohort)
{
	char	   *name = quote_literal_cstr(publication->name);

	return cohort == NULL ? psprintf("SELECT pprepub.publish(%s)", name) :
		psprintf("SELECT pprepub.publish(%s, cohort => %s)", name, quote_literal_cstr(cohort));
}

/* The role that runs the job logs in. */
static void
verify_may_log_in(const DeclaredPublication *publication)
{
	HeapTuple	tuple = SearchSysCache1(AUTHOID, ObjectIdGetDatum(GetUserId()));
	bool		can_log_in = HeapTupleIsValid(tuple) && ((Form_pg_authid) GETSTRUCT(tuple))->rolcanlogin;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	if (!can_log_in)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("role \"%s\" is not permitted to log in", GetUserNameFromId(GetUserId(), false)),
				 errdetail("pg_cron runs a job as the role that schedules it. Releases are made as the publication's owner all the same."),
				 errhint("Call pprepub.schedule() as a member of role \"%s\" that is permitted to log in.",
						 GetUserNameFromId(publication->owner, false))));
}

/* Refuses at once what publish() would refuse later, unseen. */
static void
verify_cohort(const DeclaredPublication *publication, const char *cohort)
{
	Identity	caller;

	act_as(&caller, publication->owner);
	(void) cohort_condition(publication, cohort);
	act_as_before(&caller);
}

/* pg_cron would change a job of that name, made by hand or for another database. */
static void
verify_job_name_is_free(const char *job)
{
	char	   *role = GetUserNameFromId(GetUserId(), false);
	CatalogAccess access;

	catalog_enter(&access);
	catalog_read("SELECT jobid::text AS job FROM cron.job WHERE jobname = $1 AND username = $2",
				 CATALOG_TEXT(job), CATALOG_TEXT(role));
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("role \"%s\" has another job named \"%s\"", role, job),
				 errhint("It was not made by pprepub.schedule() in this database. SELECT cron.unschedule(%s) removes it.",
						 catalog_text(&access, 0, "job"))));
	catalog_leave(&access);
}

/* Finds the job that is noted for a publication; false if there is none. */
static bool
find_job(const DeclaredPublication *publication, bool has_cron, Job *job)
{
	CatalogAccess access;
	bool		isnull;
	bool		found;

	catalog_enter(&access);
	catalog_read(psprintf("SELECT s.job, j.jobid IS NOT NULL AS stands FROM pprepub_internal.catalog_schedule s"
						  " JOIN pprepub_internal.catalog_publication p USING (publication)"
						  " LEFT JOIN %s j ON " IS_NOTED_JOB " WHERE publication = $1", has_cron ? "cron.job" : NO_JOBS),
				 CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)));
	found = SPI_processed > 0;
	if (found)
	{
		job->number = DatumGetInt64(catalog_field(0, "job", &isnull));
		job->stands = DatumGetBool(catalog_field(0, "stands", &isnull));
	}
	catalog_leave(&access);
	return found;
}

/* Ends the job of a publication, if it is still as it was noted. */
static void
remove_job(const DeclaredPublication *publication, const Cron *cron, const Job *job)
{
	CatalogAccess access;

	catalog_enter(&access);
	if (job->stands)
		cron_unschedule(cron, job->number);
	catalog_execute("DELETE FROM pprepub_internal.catalog_schedule WHERE publication = $1",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)));
	if (SPI_processed == 0)		/* it was noted after the transaction's snapshot */
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not serialize access due to concurrent update")));
	catalog_leave(&access);
}

/* Notes the job of a publication that has none. */
static void
note_job(const DeclaredPublication *publication, int64 job, const char *cohort)
{
	char	   *role = GetUserNameFromId(GetUserId(), false);
	CatalogAccess access;

	catalog_enter(&access);
	catalog_execute("INSERT INTO pprepub_internal.catalog_schedule (publication, job, run_by, cohort, scheduled_at)"
					" VALUES ($1, $2, $3::name, $4, now())",
					CATALOG_PARAM(INT4OID, Int32GetDatum(publication->id)),
					CATALOG_PARAM(INT8OID, Int64GetDatum(job)),
					CATALOG_TEXT(role), CATALOG_TEXT(cohort));
	catalog_leave(&access);
}

/* ----------------------------------------------------------------
 * Scheduling
 * ----------------------------------------------------------------
 */

Datum
pprepub_schedule(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	char	   *schedule = text_argument(fcinfo, 1, "the schedule");
	char	   *cohort = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
	DeclaredPublication *publication;
	char	   *command;
	Cron		cron;
	Job			former;
	int64		job;

	verify_may_change("schedule()");
	publication = publication_open(name, ExclusiveLock);
	command = job_command(publication, cohort);
	verify_may_log_in(publication);
	if (cohort != NULL)
		verify_cohort(publication, cohort);
	require_cron(&cron, job_name(publication), schedule, command);
	if (find_job(publication, true, &former))
		remove_job(publication, &cron, &former);
	verify_job_name_is_free(job_name(publication));
	job = cron_schedule(&cron, job_name(publication), schedule, command);
	note_job(publication, job, cohort);
	PG_RETURN_INT64(job);
}

Datum
pprepub_unschedule(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;
	Cron		cron;
	Job			job;

	verify_may_change("unschedule()");
	publication = publication_open(name, ExclusiveLock);
	if (!find_job(publication, find_cron(&cron), &job))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("publication \"%s\" is not scheduled", name),
				 errhint("View pprepub.scheduled lists what is.")));
	if (job.stands)
		verify_cron_is_loaded();
	remove_job(publication, &cron, &job);
	PG_RETURN_VOID();
}

void
unschedule_dropped(const DeclaredPublication *publication)
{
	Cron		cron;
	Job			job;

	if (!find_job(publication, find_cron(&cron), &job))
		return;
	if (job.stands && !cron_is_loaded())
	{
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("job " INT64_FORMAT " of pg_cron, which does not run, was not removed", job.number),
			.hint = psprintf("Before the server runs with pg_cron again: DELETE FROM cron.job WHERE jobid = " INT64_FORMAT ".",
							 job.number),
		});
		job.stands = false;
	}
	remove_job(publication, &cron, &job);
}

/* ----------------------------------------------------------------
 * Listing jobs
 * ----------------------------------------------------------------
 */

/* The numbers of a job's runs: the last one, the last that has ended, and the last that failed. */
#define RUNS_OF_JOB "SELECT max(r.runid) AS last, max(r.runid) FILTER (WHERE r.status IN ('succeeded', 'failed')) AS ended," \
	" max(r.runid) FILTER (WHERE r.status = 'failed') AS failed FROM %2$s r WHERE r.jobid = j.jobid AND r.username = s.run_by"

/* The newest release that a job has made, or that its role has made by hand of the very cohort. */
#define RELEASE_OF_JOB "SELECT * FROM pprepub_internal.catalog_release r WHERE r.publication = p.publication AND r.kind = 'stored'" \
	" AND r.published_by = s.run_by AND r.published_at > s.scheduled_at AND r.cohort IS NOT DISTINCT FROM s.cohort" \
	" ORDER BY r.number DESC LIMIT 1"

/* How a schedule fares; a run that is at work leaves it as it was. */
#define STATE_OF_JOB "CASE WHEN j.jobid IS NULL THEN 'gone' WHEN NOT j.active THEN 'paused' WHEN NOT $2 THEN 'stopped'" \
	" WHEN n.ended = n.failed THEN 'failed' WHEN l.number IS NULL THEN 'waiting' WHEN l.starves THEN 'starving' ELSE 'ok' END"

/* Rows for whom the caller is an owner, under the statement's snapshot. */
Datum
pprepub_scheduled_jobs(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Oid			types[] = {OIDOID, BOOLOID};
	Datum		values[] = {ObjectIdGetDatum(GetUserId()), BoolGetDatum(cron_is_loaded())};
	CatalogAccess access;
	Cron		cron;
	bool		has_cron = find_cron(&cron);
	char	   *sql = psprintf("SELECT p.name, s.job, j.schedule, s.cohort, s.run_by, coalesce(j.active, false), " STATE_OF_JOB ","
							   " d.start_time, d.status, d.return_message, f.start_time, f.return_message, l.number, l.rows, l.suppressed,"
							   " (100.0 * l.suppressed / nullif(l.rows - l.dirty - l.counterfeits + l.suppressed, 0))::float8, l.warnings"
							   " FROM pprepub_internal.catalog_schedule s JOIN pprepub_internal.catalog_publication p USING (publication)"
							   " LEFT JOIN %1$s j ON " IS_NOTED_JOB
							   " CROSS JOIN LATERAL (" RUNS_OF_JOB ") n LEFT JOIN %2$s d ON d.runid = n.last LEFT JOIN %2$s f ON f.runid = n.failed"
							   " LEFT JOIN LATERAL (" RELEASE_OF_JOB ") l ON true"
							   " WHERE pg_has_role($1, p.owner, 'USAGE')",
							   has_cron ? "cron.job" : NO_JOBS, has_cron ? "cron.job_run_details" : NO_RUNS);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	catalog_enter(&access);
	if (SPI_execute_with_args(sql, lengthof(types), types, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read what is scheduled");
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
	catalog_leave(&access);
	return (Datum) 0;
}

/*
 * schedule.c
 *		schedule() and unschedule(): a publication has one job of pg_cron, or none.
 *
 * NOTES
 *		The job runs as the role that scheduled it, which must be able to log in
 *		and have the owner's rights: publish() then acts as the owner, who need
 *		not be able to.
 *
 *		Each member of the owner's role may replace or end the schedule, also
 *		one that another member made; pg_cron is therefore asked to as the
 *		extension's owner, by the functions of schedule.sql.
 *
 * LOCKING
 *		The publication is locked as for publishing: a run that is at work is
 *		waited for, not ended in the middle.
 */
#include "postgres.h"

#include "declare/gate.h"
#include "release/release.h"

#include "catalog/pg_type.h"
#include "declare/warn_owner.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "release/cohort/cohort.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_schedule);
PG_FUNCTION_INFO_V1(pprepub_unschedule);
PG_FUNCTION_INFO_V1(pprepub_scheduled_jobs);

/* The job that was noted for a publication. */
typedef struct Job
{
	int64		number;
	bool		stands;			/* pg_cron has it still */
	bool		can_end;		/* pg_cron runs */
} Job;

/* Finds the job that is noted for a publication, in whatever snapshot; false if there is none. */
static bool
find_job(const DeclaredPublication *publication, Job *job)
{
	CatalogAccess access;
	bool		found;

	catalog_enter(&access);
	found = catalog_read("SELECT job, stands, can_end FROM pprepub_internal.noted_job($1)", CATALOG_INT(publication->id)) > 0;
	if (found)
	{
		job->number = catalog_int(0, "job");
		job->stands = catalog_int(0, "stands");
		job->can_end = catalog_int(0, "can_end");
	}
	catalog_leave(&access);
	return found;
}

/* Ends the job of a publication, if it is still as it was noted. */
static void
remove_job(const DeclaredPublication *publication, const Job *job)
{
	CatalogAccess access;

	catalog_enter(&access);
	catalog_execute("SELECT pprepub_internal.remove_job($1, $2, $3)", CATALOG_INT(publication->id),
					CATALOG_PARAM(INT8OID, Int64GetDatum(job->number)), CATALOG_PARAM(BOOLOID, BoolGetDatum(job->stands)));
	catalog_leave(&access);
}

Datum
pprepub_schedule(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	char	   *schedule = text_argument(fcinfo, 1, "the schedule");
	char	   *cohort = PG_ARGISNULL(2) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(2));
	char	   *role = GetUserNameFromId(GetUserId(), false);
	DeclaredPublication *publication;
	char	   *command;
	Job			former;
	int64		job;
	bool		isnull;
	CatalogAccess access;

	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_may_change("schedule()");
	publication = publication_open(name, ExclusiveLock);
	(void) catalog_finds("SELECT pprepub_internal.verify_may_log_in($1, $2)", CATALOG_TEXT(role), CATALOG_INT(publication->id));
	if (cohort != NULL)
	{
		Identity	caller;

		/* what publish() would refuse later, unseen */
		act_as(&caller, publication->owner);
		(void) cohort_condition(publication, cohort);
		act_as_before(&caller);
	}
	catalog_enter(&access);
	catalog_read("SELECT pprepub_internal.require_cron($1, $2, $3, $4) AS command", CATALOG_TEXT(role), CATALOG_TEXT(name),
				 CATALOG_TEXT(schedule), CATALOG_TEXT(cohort));
	command = catalog_text(&access, 0, "command");
	catalog_leave(&access);
	if (find_job(publication, &former))
		remove_job(publication, &former);
	(void) catalog_finds("SELECT pprepub_internal.verify_job_is_free($1, $2)", CATALOG_TEXT(role), CATALOG_TEXT(name));
	/* pg_cron runs it as the caller, who has the rights on it. */
	SPI_connect();
	execute_ddl(psprintf("SELECT pprepub_internal.make_job(%s, %s, %s)", quote_literal_cstr(name), quote_literal_cstr(schedule),
						 quote_literal_cstr(command)));
	job = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	SPI_finish();
	catalog_enter(&access);
	catalog_execute("INSERT INTO pprepub_internal.catalog_schedule (publication, job, run_by, cohort, scheduled_at) VALUES ($1, $2, $3::name, $4, now())",
					CATALOG_INT(publication->id), CATALOG_PARAM(INT8OID, Int64GetDatum(job)), CATALOG_TEXT(role), CATALOG_TEXT(cohort));
	catalog_leave(&access);
	PG_RETURN_INT64(job);
}

Datum
pprepub_unschedule(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication;
	Job			job;

	PASS_TO_SHARDS(SHARDED_CHANGE);
	verify_may_change("unschedule()");
	publication = publication_open(name, ExclusiveLock);
	if (!find_job(publication, &job))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("publication \"%s\" is not scheduled", name),
				 errhint("View pprepub.health shows what is.")));
	if (job.stands)
		(void) catalog_finds("SELECT pprepub_internal.verify_cron_runs()");
	remove_job(publication, &job);
	PG_RETURN_VOID();
}

void
unschedule_dropped(const DeclaredPublication *publication)
{
	Job			job;

	if (!find_job(publication, &job))
		return;
	if (job.stands && !job.can_end)
	{
		warn_owner(publication, &(OwnerWarning) {
			.message = psprintf("job " INT64_FORMAT " of pg_cron, which does not run, was not removed", job.number),
			.hint = psprintf("Before the server runs with pg_cron again: DELETE FROM cron.job WHERE jobid = " INT64_FORMAT ".",
							 job.number),
		});
		job.stands = false;
	}
	remove_job(publication, &job);
}

/* Rows for whom the caller is an owner, under the statement's snapshot. */
Datum
pprepub_scheduled_jobs(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Oid			caller = GetUserId();
	CatalogAccess access;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	catalog_enter(&access);
	catalog_look("SELECT * FROM pprepub_internal.jobs_of($1)", CATALOG_OID(caller));
	for (uint64 i = 0; i < SPI_processed; i++)
		tuplestore_puttuple(result->setResult, SPI_tuptable->vals[i]);
	catalog_leave(&access);
	return (Datum) 0;
}

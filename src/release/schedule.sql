-- ----------------------------------------------------------------
-- release/: releases on a schedule
-- ----------------------------------------------------------------

CREATE TABLE pprepub_internal.catalog_schedule (
	publication int PRIMARY KEY,
	job bigint NOT NULL,
	run_by name NOT NULL,
	cohort text,
	scheduled_at timestamptz NOT NULL
);
COMMENT ON TABLE pprepub_internal.catalog_schedule IS 'jobs of pg_cron that publish';
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_schedule', '');

CREATE FUNCTION pprepub.schedule(publication text, cron text, cohort text DEFAULT NULL) RETURNS bigint
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_schedule';
COMMENT ON FUNCTION pprepub.schedule(text, text, text) IS
	'let pg_cron publish regularly, in place of an earlier schedule; returns the number of the job';

CREATE FUNCTION pprepub.unschedule(publication text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_unschedule';
COMMENT ON FUNCTION pprepub.unschedule(text) IS 'end the schedule of a publication';

CREATE FUNCTION pprepub_internal.scheduled_jobs(OUT publication text, OUT job bigint, OUT cron text, OUT cohort text, OUT run_by name,
		OUT active boolean, OUT state text, OUT last_run timestamptz, OUT last_status text, OUT last_message text,
		OUT last_failure timestamptz, OUT last_error text,
		OUT last_release int, OUT rows bigint, OUT withheld bigint, OUT withheld_percent float8, OUT warnings text[])
	RETURNS SETOF record
	LANGUAGE C STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_scheduled_jobs';
COMMENT ON FUNCTION pprepub_internal.scheduled_jobs() IS 'rows of view pprepub.scheduled';

CREATE VIEW pprepub.scheduled WITH (security_barrier) AS
	SELECT publication, job, cron, cohort, run_by, active, state, last_run, last_status, last_message, last_failure, last_error,
		last_release, rows, withheld, withheld_percent, warnings
	FROM pprepub_internal.scheduled_jobs();
COMMENT ON VIEW pprepub.scheduled IS
	'schedules of your publications: the job, its state, its last run, and its newest release';

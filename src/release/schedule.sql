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

-- Calls of pg_cron.  pprepub does without it, so it is looked for when it is asked for.  Anybody may have made a schema "cron" where
-- it is not: all that is called or read belongs to the extension.  Functions are called with the very types of their arguments, so
-- that no others are found.  All but make_job() run as the owner of this extension.

CREATE FUNCTION pprepub_internal.has_cron() RETURNS boolean
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT count(*) = 4
	FROM pg_extension e JOIN pg_depend d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' JOIN (
		SELECT 'pg_proc'::regclass::oid AS classid, p.oid AS objid FROM pg_proc p
		WHERE p.pronamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = 'cron')
			AND (p.proname = 'schedule' AND p.proargtypes = '25 25 25'::oidvector OR p.proname = 'unschedule' AND p.proargtypes = '20'::oidvector)
		UNION ALL SELECT 'pg_class'::regclass, c.oid FROM pg_class c
		WHERE c.relnamespace = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = 'cron') AND c.relname IN ('job', 'job_run_details')) o
		ON (o.classid, o.objid) = (d.classid, d.objid)
	WHERE e.extname = 'pg_cron'
$$;
COMMENT ON FUNCTION pprepub_internal.has_cron() IS 'tell whether this database has pg_cron, with all that is used of it';

-- Without the library, jobs stand in tables, and are neither run nor removed.  A setting that is not its own is no row here.
CREATE FUNCTION pprepub_internal.cron_database() RETURNS text
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT s.setting FROM pg_settings s WHERE s.name = 'cron.database_name' $$;
COMMENT ON FUNCTION pprepub_internal.cron_database() IS 'name the database that pg_cron runs jobs of; NULL where its library is not loaded';

CREATE FUNCTION pprepub_internal.verify_cron_runs() RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	IF pprepub_internal.cron_database() IS NULL THEN
		RAISE EXCEPTION 'pg_cron does not run on this server' USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = 'Schedules are run by extension pg_cron.',
			HINT = format('Install it (on Debian: package postgresql-%s-cron), set shared_preload_libraries = ''pg_cron'' and cron.database_name = %L in postgresql.conf, restart the server, and run CREATE EXTENSION pg_cron.',
				current_setting('server_version_num')::int / 10000, current_database());
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.verify_cron_runs() IS 'raise an error if the server runs without pg_cron';

CREATE FUNCTION pprepub_internal.job_name(publication text) RETURNS text
	LANGUAGE SQL IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$ SELECT 'pprepub: ' || publication $$;
COMMENT ON FUNCTION pprepub_internal.job_name(text) IS 'name the job of a publication';

-- Literals of this kind mean the same whatever standard_conforming_strings says.
CREATE FUNCTION pprepub_internal.job_command(publication text, cohort text) RETURNS text
	LANGUAGE SQL IMMUTABLE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT format('SELECT pprepub.publish(%L%s)', publication, ', cohort => ' || quote_literal(cohort)) $$;
COMMENT ON FUNCTION pprepub_internal.job_command(text, text) IS 'write what the job of a publication runs';

CREATE FUNCTION pprepub_internal.verify_may_log_in(role name, publication int) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	IF NOT (SELECT r.rolcanlogin FROM pg_roles r WHERE r.rolname = role) THEN
		RAISE EXCEPTION 'role "%" is not permitted to log in', role USING ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = 'pg_cron runs a job as the role that schedules it. Releases are made as the publication''s owner all the same.',
			HINT = format('Call pprepub.schedule() as a member of role "%s" that is permitted to log in.',
				(SELECT pg_get_userbyid(p.owner) FROM pprepub_internal.catalog_publication p WHERE p.publication = verify_may_log_in.publication));
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.verify_may_log_in(name, int) IS 'raise an error if no job can run as a role';

-- The setting is for superusers to read, so the other database is not named.
CREATE FUNCTION pprepub_internal.require_cron(role name, publication text, cron text, cohort text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	command CONSTANT text := pprepub_internal.job_command(publication, cohort);
BEGIN
	PERFORM pprepub_internal.verify_cron_runs();
	IF pprepub_internal.cron_database() <> current_database() THEN
		RAISE EXCEPTION 'pg_cron runs in another database' USING ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = 'Jobs are kept in the database that cron.database_name says.',
			HINT = format('There, a superuser can schedule the job: SELECT cron.schedule_in_database(%L, %L, %L, %L, %L).',
				pprepub_internal.job_name(publication) || ' in ' || current_database(), cron, command, current_database(), role);
	ELSIF NOT EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'pg_cron') THEN
		RAISE EXCEPTION 'extension "pg_cron" is not installed in this database' USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Run CREATE EXTENSION pg_cron.';
	ELSIF NOT pprepub_internal.has_cron() THEN
		RAISE EXCEPTION 'extension "pg_cron" of this database is too old' USING ERRCODE = 'object_not_in_prerequisite_state',
			HINT = 'Run ALTER EXTENSION pg_cron UPDATE. Version 1.4 is needed.';
	ELSIF NOT has_schema_privilege(role, 'cron', 'USAGE') THEN
		RAISE EXCEPTION 'permission denied for schema cron' USING ERRCODE = 'insufficient_privilege',
			HINT = format('A role that schedules jobs needs it: GRANT USAGE ON SCHEMA cron TO %I.', role);
	ELSIF NOT has_function_privilege(role, 'cron.schedule(text,text,text)', 'EXECUTE') THEN
		RAISE EXCEPTION 'permission denied for function cron.schedule' USING ERRCODE = 'insufficient_privilege';
	END IF;
	RETURN command;
END
$$;
COMMENT ON FUNCTION pprepub_internal.require_cron(name, text, text, text) IS 'write what the job of a publication runs; an error says what to do if a role cannot schedule it here';

-- Anybody may give a job any name, so a job that is not as it was noted is not the publication's.
CREATE FUNCTION pprepub_internal.cron_jobs(OUT job bigint, OUT publication int, OUT cron text, OUT active boolean) RETURNS SETOF record
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	IF pprepub_internal.has_cron() THEN
		RETURN QUERY EXECUTE 'SELECT j.jobid, s.publication, j.schedule, j.active
			FROM pprepub_internal.catalog_schedule s JOIN pprepub_internal.catalog_publication p USING (publication) JOIN cron.job j ON j.jobid = s.job
			WHERE j.jobname = pprepub_internal.job_name(p.name) AND j.database = current_database() AND j.username = s.run_by';
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.cron_jobs() IS 'list jobs of publications that pg_cron still has as they were noted';

CREATE FUNCTION pprepub_internal.noted_job(publication int, OUT job bigint, OUT stands boolean, OUT can_end boolean) RETURNS SETOF record
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT s.job, j.job IS NOT NULL, pprepub_internal.cron_database() IS NOT NULL
	FROM pprepub_internal.catalog_schedule s LEFT JOIN pprepub_internal.cron_jobs() j ON j.publication = s.publication
	WHERE s.publication = noted_job.publication
$$;
COMMENT ON FUNCTION pprepub_internal.noted_job(int) IS 'find the job of a publication, and whether pg_cron has it';

CREATE FUNCTION pprepub_internal.remove_job(publication int, job bigint, stands boolean) RETURNS void
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	IF stands THEN
		EXECUTE 'SELECT cron.unschedule($1)' USING job;
	END IF;
	DELETE FROM pprepub_internal.catalog_schedule s WHERE s.publication = remove_job.publication;
	IF NOT FOUND THEN
		-- it was noted after the transaction's snapshot
		RAISE EXCEPTION 'could not serialize access due to concurrent update' USING ERRCODE = 'serialization_failure';
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.remove_job(int, bigint, boolean) IS 'end and forget the job of a publication';

-- pg_cron would change a job of that name, made by hand or for another database.
CREATE FUNCTION pprepub_internal.verify_job_is_free(role name, publication text) RETURNS void
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	job bigint;
BEGIN
	EXECUTE 'SELECT j.jobid FROM cron.job j WHERE j.jobname = $1 AND j.username = $2' INTO job USING pprepub_internal.job_name(publication), role;
	IF job IS NOT NULL THEN
		RAISE EXCEPTION 'role "%" has another job named "%"', role, pprepub_internal.job_name(publication) USING ERRCODE = 'duplicate_object',
			HINT = format('It was not made by pprepub.schedule() in this database. SELECT cron.unschedule(%s) removes it.', job);
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.verify_job_is_free(name, text) IS 'raise an error if a role has another job of the name';

-- The job is the caller's.  Some versions of pg_cron say little of a schedule that they cannot read.
CREATE FUNCTION pprepub_internal.make_job(publication text, cron text, command text) RETURNS bigint
	LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	job bigint;
	hint text;
BEGIN
	EXECUTE 'SELECT cron.schedule($1, $2, $3)' INTO job USING pprepub_internal.job_name(publication), cron, command;
	RETURN job;
EXCEPTION WHEN invalid_parameter_value THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RAISE EXCEPTION '%', SQLERRM USING ERRCODE = 'invalid_parameter_value', HINT = coalesce(nullif(hint, ''),
		'A schedule has five fields: minute, hour, day of the month, month, day of the week. ''0 3 * * 1'' is each Monday at three, in GMT unless cron.timezone says otherwise.');
END
$$;
COMMENT ON FUNCTION pprepub_internal.make_job(text, text, text) IS 'let pg_cron run a command as the caller';

-- The release of a job is the newest that it has made, or that its role has made by hand of the very cohort.
CREATE FUNCTION pprepub_internal.jobs_of(role oid, OUT publication text, OUT job bigint, OUT cron text, OUT cohort text, OUT run_by name, OUT state text,
		OUT last_run timestamptz, OUT last_status text, OUT last_message text, OUT last_failure timestamptz, OUT last_error text, OUT release int)
	RETURNS SETOF record
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	RETURN QUERY EXECUTE format('
		SELECT p.name COLLATE "default", s.job, j.cron, s.cohort, s.run_by,
			-- a run that is at work leaves it as it was
			CASE WHEN j.job IS NULL THEN ''gone'' WHEN NOT j.active THEN ''paused'' WHEN pprepub_internal.cron_database() IS NULL THEN ''stopped''
				WHEN n.ended = n.failed THEN ''failed'' WHEN l.number IS NULL THEN ''waiting'' WHEN l.starves THEN ''starving'' ELSE ''ok'' END,
			d.start_time, d.status, d.return_message, f.start_time, f.return_message, l.number
		FROM pprepub_internal.catalog_schedule s JOIN pprepub_internal.catalog_publication p USING (publication)
			LEFT JOIN pprepub_internal.cron_jobs() j USING (publication)
			CROSS JOIN LATERAL (
				SELECT max(r.runid) AS last, max(r.runid) FILTER (WHERE r.status IN (''succeeded'', ''failed'')) AS ended, max(r.runid) FILTER (WHERE r.status = ''failed'') AS failed
				FROM %1$s r WHERE r.jobid = j.job AND r.username = s.run_by) n
			LEFT JOIN %1$s d ON d.runid = n.last LEFT JOIN %1$s f ON f.runid = n.failed
			LEFT JOIN LATERAL (
				SELECT r.number, r.starves FROM pprepub_internal.catalog_release r
				WHERE r.publication = p.publication AND r.kind = ''stored'' AND r.published_by = s.run_by AND r.published_at > s.scheduled_at
					AND r.cohort IS NOT DISTINCT FROM s.cohort
				ORDER BY r.number DESC LIMIT 1) l ON true
		WHERE pg_has_role($1, p.owner, ''USAGE'')',
		CASE WHEN pprepub_internal.has_cron() THEN 'cron.job_run_details'
			ELSE '(SELECT NULL::bigint AS jobid, NULL::bigint AS runid, NULL::text AS username, NULL::timestamptz AS start_time, NULL::text AS status, NULL::text AS return_message WHERE false)' END)
	USING role;
END
$$;
COMMENT ON FUNCTION pprepub_internal.jobs_of(oid) IS 'list the schedules of publications that a role owns, and how they fare';

CREATE FUNCTION pprepub.schedule(publication text, cron text, cohort text DEFAULT NULL) RETURNS bigint
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_schedule';
COMMENT ON FUNCTION pprepub.schedule(text, text, text) IS
	'let pg_cron publish regularly, in place of an earlier schedule; returns its job';

CREATE FUNCTION pprepub.unschedule(publication text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_unschedule';
COMMENT ON FUNCTION pprepub.unschedule(text) IS 'end the schedule of a publication';

CREATE FUNCTION pprepub_internal.scheduled_jobs(OUT publication text, OUT job bigint, OUT cron text, OUT cohort text, OUT run_by name, OUT state text,
		OUT last_run timestamptz, OUT last_status text, OUT last_message text, OUT last_failure timestamptz, OUT last_error text, OUT release int)
	RETURNS SETOF record
	LANGUAGE C STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_scheduled_jobs';
COMMENT ON FUNCTION pprepub_internal.scheduled_jobs() IS 'schedules in view pprepub.health';

-- Figures of publications for a monitoring role, which gets rights on two functions and on no table:
--   psql -v exporter=exporter -f monitoring/figures.sql DATABASE
-- An owner who may create schemas in the database runs it for their own publications, a superuser for all of the database.
-- Where the schema is there already nothing is made: functions of somebody else in it would run as the owner of ours.
\set ON_ERROR_STOP on
BEGIN;
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA pprepub_monitoring;
COMMENT ON SCHEMA pprepub_monitoring IS 'figures of publications, for monitoring/pprepub.collector.yml';

-- A broken publication has other figures, too.
CREATE FUNCTION pprepub_monitoring.loss_percent(publication text, release int) RETURNS float8
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	RETURN (SELECT m.value FROM pprepub.metrics(publication, release) m WHERE m.metric = 'loss_percent');
EXCEPTION WHEN OTHERS THEN
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION pprepub_monitoring.loss_percent(text, int) IS 'how much a release lost; NULL where it cannot be told';

CREATE FUNCTION pprepub_monitoring.publications(OUT publication text, OUT release_age_seconds float8, OUT rows bigint, OUT loss_percent float8, OUT withheld_percent float8,
		OUT invented_percent float8, OUT stale_percent float8, OUT starving int, OUT warnings int, OUT releases bigint, OUT answers bigint, OUT answers_last_day bigint,
		OUT failed_answers_last_day bigint, OUT bytes bigint, OUT history_bytes bigint, OUT bytes_per_day float8, OUT noise_spent_percent float8, OUT schedule_state text,
		OUT refused text) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT h.publication, EXTRACT(epoch FROM h.age)::float8, h.rows, pprepub_monitoring.loss_percent(h.publication, h.last_release), h.withheld_percent,
		h.invented_percent, h.stale_percent, h.starving::int, cardinality(h.warnings), h.releases, h.answers, h.answers_last_day,
		h.failed_last_day, h.bytes, h.history_bytes, h.bytes_per_day, 100 * h.noise_spent / nullif(h.noise_total, 0), h.schedule_state, h.refused
	FROM pprepub.health h
$$;
COMMENT ON FUNCTION pprepub_monitoring.publications() IS 'figures of each publication that the owner of this function may see';

-- Several sessions may do the same: the one that is furthest behind is told.
CREATE FUNCTION pprepub_monitoring.commands(OUT publication text, OUT command text, OUT phase text, OUT seconds float8, OUT percent float8) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
	SELECT p.publication, p.command, p.phase, max(EXTRACT(epoch FROM clock_timestamp() - p.since))::float8, min(100.0 * p.units_done / p.units_total)::float8
	FROM pprepub.progress p GROUP BY p.publication, p.command, p.phase
$$;
COMMENT ON FUNCTION pprepub_monitoring.commands() IS 'commands that run on publications that the owner of this function may see';

-- Without the extension they would call what somebody else calls pprepub.
ALTER FUNCTION pprepub_monitoring.loss_percent(text, int) DEPENDS ON EXTENSION pprepub;
ALTER FUNCTION pprepub_monitoring.publications() DEPENDS ON EXTENSION pprepub;
ALTER FUNCTION pprepub_monitoring.commands() DEPENDS ON EXTENSION pprepub;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA pprepub_monitoring FROM PUBLIC;
GRANT USAGE ON SCHEMA pprepub_monitoring TO :"exporter";
GRANT EXECUTE ON FUNCTION pprepub_monitoring.publications(), pprepub_monitoring.commands() TO :"exporter";
COMMIT;

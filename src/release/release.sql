-- ----------------------------------------------------------------
-- release/: releases
-- ----------------------------------------------------------------

CREATE VIEW pprepub.release WITH (security_barrier) AS
	SELECT p.name AS publication, r.number, r.kind, r.published_at, r.published_by, r.published_as, r.method,
		CASE WHEN a.is_owner THEN r.params ELSE r.params OPERATOR(pg_catalog.-) 'seed'::pg_catalog.text END AS params,
		r.relation, CASE WHEN s.is_owner THEN r.cohort END AS cohort, r.columns, s.figures * r.rows AS rows, s.figures * r.classes AS classes,
		s.figures * r.suppressed AS suppressed, s.figures * r.dirty AS dirty, s.figures * r.counterfeits AS counterfeits, s.figures * r.seconds AS seconds,
		CASE WHEN s.is_owner THEN r.warnings END AS warnings, CASE WHEN s.is_owner THEN r.phases END AS phases
	FROM pprepub_internal.catalog_release r JOIN pprepub_internal.catalog_publication p USING (publication) JOIN pprepub_internal.catalog_reader a USING (publication)
		-- auditors may be among those who ask, and figures of cohorts follow who is in them
		CROSS JOIN LATERAL (SELECT a.is_owner, CASE WHEN a.is_owner OR r.kind <> 'query' AND r.cohort IS NULL THEN 1 END AS figures) s;
COMMENT ON VIEW pprepub.release IS 'releases and answers of publications that you own or may audit';

CREATE FUNCTION pprepub.publish(publication text, cohort text DEFAULT NULL, columns name[] DEFAULT NULL)
	RETURNS pprepub.release
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_publish';
COMMENT ON FUNCTION pprepub.publish(text, text, name[]) IS
	'make a stored release of a publication, safe together with all that was published before';

CREATE FUNCTION pprepub.preview(publication text, cohort text DEFAULT NULL, columns name[] DEFAULT NULL, params jsonb DEFAULT NULL,
		OUT metric text, OUT value float8) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_preview';
COMMENT ON FUNCTION pprepub.preview(text, text, name[], jsonb) IS
	'measure the release that publish() would make, also with other parameters; nothing is published or remembered';

CREATE FUNCTION pprepub.forecast(publication text, releases integer, leave float8 DEFAULT NULL, come float8 DEFAULT NULL, change float8 DEFAULT NULL,
		params jsonb DEFAULT NULL,
		OUT release integer, OUT rows bigint, OUT withheld_percent float8, OUT invented_percent float8, OUT loss_percent float8, OUT average_class float8)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_forecast';
COMMENT ON FUNCTION pprepub.forecast(text, integer, float8, float8, float8, jsonb) IS
	'simulate the next releases, starting from the rows of today; nothing is published or remembered';

-- TARGET.NAME_all

CREATE FUNCTION pprepub_internal.releases_handler() RETURNS fdw_handler
	LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'pprepub_releases_handler';
COMMENT ON FUNCTION pprepub_internal.releases_handler() IS 'handler of the foreign-data wrapper of tables TARGET.NAME_all';

CREATE FOREIGN DATA WRAPPER pprepub_releases HANDLER pprepub_internal.releases_handler;
COMMENT ON FOREIGN DATA WRAPPER pprepub_releases IS 'foreign-data wrapper of tables TARGET.NAME_all, which show releases';

CREATE SERVER pprepub_releases FOREIGN DATA WRAPPER pprepub_releases;
COMMENT ON SERVER pprepub_releases IS 'server of tables TARGET.NAME_all: this database';

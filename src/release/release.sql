-- ----------------------------------------------------------------
-- release/: releases
-- ----------------------------------------------------------------

CREATE VIEW pprepub.release WITH (security_barrier) AS
	SELECT p.name AS publication, r.number, r.kind, r.published_at, r.published_by, r.method, r.params,
		r.relation, r.cohort, r.columns, r.rows, r.classes, r.suppressed, r.dirty, r.counterfeits, r.seconds, r.warnings
	FROM pprepub.catalog_release r JOIN pprepub.catalog_publication p USING (publication)
	WHERE pg_catalog.pg_has_role(p.owner, 'USAGE');
COMMENT ON VIEW pprepub.release IS 'every release of the publications that you own; warnings are those that were raised while it was made';

CREATE FUNCTION pprepub.publish(publication text, cohort text DEFAULT NULL, columns name[] DEFAULT NULL)
	RETURNS pprepub.release
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_publish';
COMMENT ON FUNCTION pprepub.publish(text, text, name[]) IS
	'makes a stored release of a publication, about everybody or a cohort, safe together with all that was published before, in the transaction that calls it';

CREATE FUNCTION pprepub.preview(publication text, cohort text DEFAULT NULL, columns name[] DEFAULT NULL, params jsonb DEFAULT NULL,
		OUT metric text, OUT value float8) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_preview';
COMMENT ON FUNCTION pprepub.preview(text, text, name[], jsonb) IS
	'what publish() would give, also with other parameters: its metrics, and where time and memory go; nothing is published, changed or remembered';

CREATE FUNCTION pprepub.forecast(publication text, releases integer, leave float8 DEFAULT NULL, come float8 DEFAULT NULL, change float8 DEFAULT NULL,
		params jsonb DEFAULT NULL,
		OUT release integer, OUT rows bigint, OUT withheld_percent float8, OUT invented_percent float8, OUT loss_percent float8, OUT average_class float8)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_forecast';
COMMENT ON FUNCTION pprepub.forecast(text, integer, float8, float8, float8, jsonb) IS
	'what the next releases would be like if these shares of the people leave, come and get another sensitive value from release to release, played on the rows of today; nothing is published, changed or remembered';

CREATE FUNCTION pprepub.counts(publication text, by name[], bins jsonb)
	RETURNS TABLE (bin jsonb, at_least bigint, estimate float8, at_most bigint)
	LANGUAGE C STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_counts';
COMMENT ON FUNCTION pprepub.counts(text, name[], jsonb) IS
	'how many rows of the newest release of everybody lie in bins of these columns: at least, about, and at most, for whoever may read its view; TARGET.NAME_counts() calls it';

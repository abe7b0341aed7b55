-- ----------------------------------------------------------------
-- release/: releases
-- ----------------------------------------------------------------

CREATE VIEW pprepub.release WITH (security_barrier) AS
	SELECT p.name AS publication, r.number, r.kind, r.published_at, r.published_by, r.published_as, r.method,
		CASE WHEN a.is_owner THEN r.params ELSE r.params OPERATOR(pg_catalog.-) 'seed'::pg_catalog.text END AS params,
		r.relation::pg_catalog.regclass AS relation, CASE WHEN s.is_owner THEN r.cohort END AS cohort, r.columns, s.figures * r.rows AS rows, s.figures * r.people AS people, s.figures * r.classes AS classes,
		s.figures * r.suppressed AS suppressed, s.figures * r.dirty AS dirty, s.figures * r.counterfeits AS counterfeits,
		s.figures * r.stale AS stale, s.figures * r.unrefreshed AS unrefreshed, s.figures * r.seconds AS seconds,
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

-- Shares of the people who left, came, and so on, between releases of everybody, as far as the log tells: people who are
-- withheld are not in it, so releases count that withheld few, and show all columns; and none with the one before it where
-- columns came between them.  The last eight intervals count, quiet ones apart.  Values that changed are shown, or make more
-- rows stale, or were those of people who left.
CREATE FUNCTION pprepub_internal.life_of_log(publication text, columns_came int[], OUT intervals bigint, OUT leave float8, OUT come float8, OUT change float8, OUT move float8,
		OUT come_back float8, OUT quiet float8, OUT known bigint)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	private CONSTANT text := (SELECT quote_ident(p.target || '_private') FROM pprepub.publication p WHERE p.name = life_of_log.publication);
BEGIN
	EXECUTE format($query$
		WITH whole AS (
			SELECT r.number, lag(r.number) OVER numbers AS before, r.stale, lag(r.stale) OVER numbers AS stale_before, r.tells AND lag(r.tells) OVER numbers AS counts FROM (
				SELECT r.number, r.stale, r.columns IS NULL AND r.suppressed * 20 <= r.people - r.dirty - r.counterfeits + r.suppressed AS tells,
					(SELECT count(*) FROM unnest($2) c WHERE c <= r.number) AS shown
				FROM pprepub.release r WHERE r.publication = $1 AND r.kind = 'stored' AND r.cohort IS NULL) r WINDOW numbers AS (PARTITION BY r.shown ORDER BY r.number)),
		pair AS MATERIALIZED (SELECT w.* FROM whole w WHERE w.counts ORDER BY w.number DESC LIMIT 8),
		person AS MATERIALIZED (
			SELECT p.* FROM (SELECT m.release, unnest(m.keys)::text AS key, unnest(m.fingerprints) AS fingerprint, unnest(m.sensitive)::text AS value
				FROM %1$s m WHERE m.release IN (SELECT number FROM pair UNION SELECT before FROM pair)) p WHERE p.key IS NOT NULL),
		known AS MATERIALIZED (SELECT p.key::text AS key, min(p.came) AS came FROM %2$s p GROUP BY 1),
		seen AS (
			SELECT p.number, p.before, p.stale, p.stale_before, s.key, bool_or(s.release = p.before) AS was, bool_or(s.release = p.number) AS here,
				min(nullif(s.fingerprint, 0)) <> max(nullif(s.fingerprint, 0)) AS moved, count(DISTINCT coalesce(s.value, '')) > 1 AS changed
			FROM pair p JOIN person s ON s.release IN (p.number, p.before) GROUP BY 1, 2, 3, 4, 5),
		passed AS (
			SELECT count(*) FILTER (WHERE s.was) AS people, count(*) FILTER (WHERE NOT s.here) AS gone, count(*) FILTER (WHERE NOT s.was) AS came,
				count(*) FILTER (WHERE s.was AND s.here AND s.changed) AS changed, s.stale, s.stale_before, count(*) FILTER (WHERE s.was AND s.here AND s.moved) AS moved,
				count(*) FILTER (WHERE NOT s.was AND k.came < s.before) AS back,
				(SELECT count(*) FROM known k WHERE k.came <= s.before) - count(*) FILTER (WHERE s.was) AS away
			FROM seen s JOIN known k USING (key) GROUP BY s.number, s.before, s.stale, s.stale_before)
		SELECT count(*), coalesce(sum(p.gone) / nullif(sum(p.people), 0), 0), least(coalesce(sum(p.came) / nullif(sum(p.people), 0), 0), 1),
			coalesce(greatest(sum(p.changed + p.stale - p.stale_before + p.stale_before * p.gone / p.people::float8) / nullif(sum(p.people - p.gone), 0), 0), 0),
			coalesce(sum(p.moved) / nullif(sum(p.people - p.gone), 0), 0),
			coalesce(sum(p.back) / nullif(sum(p.away), 0), 0), 1 - count(*)::float8 / nullif((SELECT count(*) FROM pair), 0),
			(SELECT count(*) FROM known k)
		FROM passed p WHERE p.gone + p.came + p.changed + p.moved > 0
		$query$, private || '.' || quote_ident(publication || '_members'), private || '.' || quote_ident(publication || '_places'))
	INTO intervals, leave, come, change, move, come_back, quiet, known USING publication, columns_came;
END
$$;
COMMENT ON FUNCTION pprepub_internal.life_of_log(text, int[]) IS 'how people came and went between the last releases of everybody';

CREATE FUNCTION pprepub.forecast(publication text, releases integer, leave float8 DEFAULT NULL, come float8 DEFAULT NULL, change float8 DEFAULT NULL,
		move float8 DEFAULT NULL, come_back float8 DEFAULT NULL, quiet float8 DEFAULT NULL, back_changed float8 DEFAULT 0.5, answers integer DEFAULT 0,
		params jsonb DEFAULT NULL,
		OUT release integer, OUT rows bigint, OUT people bigint, OUT withheld_percent float8, OUT invented_percent float8, OUT stale_percent float8, OUT loss_percent float8,
		OUT average_class float8, OUT returners_withheld_percent float8)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_forecast';
COMMENT ON FUNCTION pprepub.forecast(text, integer, float8, float8, float8, float8, float8, float8, float8, integer, jsonb) IS
	'simulate the next releases, starting from the rows of today; nothing is published or remembered';

CREATE FUNCTION pprepub.forget_releases(publication text, before timestamptz) RETURNS int[]
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_forget_releases';
COMMENT ON FUNCTION pprepub.forget_releases(text, timestamptz) IS
	'drop the tables of older releases, but for those shown as the newest; the history keeps their sets';

CREATE FUNCTION pprepub.possible_parameters(publication text, OUT parameter text, OUT value numeric, OUT people_lost bigint) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_possible_parameters';
COMMENT ON FUNCTION pprepub.possible_parameters(text) IS
	'count the people who could never be published again if a parameter were declared stronger';

-- Distributions that releases are compared with

-- SQLSTATE, message, detail and hint of an error if the copy of a declared one has rows that make no sense together.
CREATE FUNCTION pprepub_internal.wrong_distribution(copy regclass) RETURNS text[]
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	subject CONSTANT text := 'the table that "distribution" names';
	names CONSTANT text[] := ARRAY(SELECT quote_ident(a.attname) FROM pg_attribute a
		WHERE a.attrelid = copy AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> 'share' ORDER BY a.attnum);
	sums record;
BEGIN
	-- NaN is above all numbers
	EXECUTE format('SELECT count(*) AS rows, count(*) FILTER (WHERE share IS NULL OR %2$s) AS incomplete, count(*) FILTER (WHERE NOT (share > 0 AND share <= 1)) AS shareless,
			(SELECT count(*) FROM (SELECT FROM %1$s GROUP BY %3$s) d) AS values, sum(share) AS sum FROM %1$s',
		copy, (SELECT string_agg(n || ' IS NOT DISTINCT FROM NULL', ' OR ') FROM unnest(names) n), array_to_string(names, ', ')) INTO sums;
	RETURN CASE
		WHEN sums.incomplete > 0 THEN ARRAY['22004', format('%s has %s row(s) without a value or a share', subject, sums.incomplete), NULL,
			'Shares are of the people who have a value: NULL has none.']
		WHEN sums.shareless > 0 THEN ARRAY['22023', format('%s has %s row(s) with a share that is none', subject, sums.shareless), NULL,
			'Shares are greater than 0, and 1 at most; leave out values that nobody has.']
		WHEN sums.rows = 0 THEN ARRAY['22023', format('%s is empty', subject), NULL, 'Each row has a value, and the share of the people who have it.']
		WHEN sums.values < sums.rows THEN ARRAY['22023', format('%s has %s row(s) with a value that another row has', subject, sums.rows - sums.values), NULL,
			'Each value has one row, with all of its share.']
		WHEN abs(sums.sum - 1) > 1e-6 THEN ARRAY['22023', format('the shares of %s sum to %s instead of 1', subject, trim_scale(round(sums.sum::numeric, 8))), NULL,
			'Divide each by their sum, if no value is missing.'] END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.wrong_distribution(regclass) IS 'why rows are no distribution';

-- TARGET.NAME_releases, and the views of releases of everybody with all columns

-- None is hidden, as the tuple of several sensitive columns is.
CREATE VIEW pprepub_internal.catalog_released_column AS
	SELECT c.publication, c.position, c.name, c.came FROM pprepub_internal.catalog_column c
	WHERE c.role NOT IN ('key', 'layout') AND (c.role <> 'sensitive' OR NOT EXISTS (
		SELECT FROM pprepub_internal.catalog_column p WHERE p.publication = c.publication AND p.role = 'sensitive part'));
COMMENT ON VIEW pprepub_internal.catalog_released_column IS 'columns of publications that releases can show';

-- Figures are told of releases of everybody alone, and shares in whole per cents: a count that follows a cohort tells of the people in it.
CREATE VIEW pprepub_internal.catalog_listed_release AS
	SELECT r.publication, r.number AS release, r.published_at, r.relation::pg_catalog.text AS relation,
		CASE WHEN r.kind = 'imported' THEN r.kind WHEN r.cohort IS NULL THEN 'everybody' ELSE 'cohort' END AS kind,
		ARRAY(SELECT c.name FROM pprepub_internal.catalog_released_column c
			WHERE c.publication = r.publication AND c.came <= r.number AND (r.columns IS NULL OR c.name = ANY (r.columns)) ORDER BY c.position) AS columns,
		t.told * r.rows AS rows, t.told * r.people AS people,
		pg_catalog.round(100 * coalesce(r.suppressed::pg_catalog.float8 / nullif(r.people - r.counterfeits - r.dirty + r.suppressed, 0), 0))::pg_catalog.int4 * t.told
			AS withheld_percent,
		pg_catalog.round(100 * coalesce(r.counterfeits::pg_catalog.float8 / nullif(r.people, 0), 0))::pg_catalog.int4 * t.told AS invented_percent,
		pg_catalog.ceil(100.0 * r.stale / greatest(r.people, 1))::pg_catalog.int4 * t.told AS stale_percent,
		(r.params->>'k')::pg_catalog."numeric" AS k, (r.params->>'l')::pg_catalog."numeric" AS l, r.params->>'repair' AS repair
	FROM pprepub_internal.catalog_release r
		CROSS JOIN LATERAL (SELECT CASE WHEN r.kind = 'stored' AND r.cohort IS NULL THEN 1 END AS told) t;
COMMENT ON VIEW pprepub_internal.catalog_listed_release IS 'rows of tables TARGET.NAME_releases, which C adds to with the principle';

CREATE VIEW pprepub_internal.catalog_full_release AS
	SELECT a.relation AS shown_in, r.number, r.published_at, r.relation
	FROM pprepub_internal.catalog_relation a JOIN pprepub_internal.catalog_release r USING (publication)
		JOIN pg_catalog.pg_class k ON k.oid = r.relation::pg_catalog.oid
	WHERE a.part = 'all_view' AND r.kind = 'stored' AND r.cohort IS NULL
		AND (r.columns IS NULL OR NOT EXISTS (
			SELECT FROM pprepub_internal.catalog_released_column c WHERE c.publication = r.publication AND c.came <= r.number AND c.name <> ALL (r.columns)));
COMMENT ON VIEW pprepub_internal.catalog_full_release IS 'releases of everybody with all columns whose tables are there, for tables TARGET.NAME_all';

CREATE FUNCTION pprepub_internal.releases_handler() RETURNS fdw_handler
	LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'pprepub_releases_handler';
COMMENT ON FUNCTION pprepub_internal.releases_handler() IS 'handler of the foreign-data wrapper of tables TARGET.NAME_all';

CREATE FOREIGN DATA WRAPPER pprepub_releases HANDLER pprepub_internal.releases_handler;
COMMENT ON FOREIGN DATA WRAPPER pprepub_releases IS 'foreign-data wrapper of tables TARGET.NAME_all, which show releases';

CREATE SERVER pprepub_releases FOREIGN DATA WRAPPER pprepub_releases;
COMMENT ON SERVER pprepub_releases IS 'server of tables TARGET.NAME_all: this database';

-- For analysts, instead of TARGET's \d+.  Comments say what an object shows; of functions, the calls that they were made with.
CREATE VIEW pprepub.catalog WITH (security_barrier) AS
	SELECT c.target, c.publication, c.object, c.shows, c.costs, c.may_read FROM (
	SELECT t.target, t.publication, o.object COLLATE "default" AS object, o.number, (pg_catalog.split_part(o.comment, '; publication "', 1)
			|| coalesce(', number ' || o.number || ' of ' || pg_catalog.to_char(o.published_at, 'YYYY-MM-DD'), '')) COLLATE "default" AS shows,
		CASE o.made_by WHEN 'live' THEN 'an answer for each query' WHEN 'answer' THEN 'an answer for each call' WHEN 'noisy' THEN 'noise budget' ELSE 'nothing' END AS costs,
		o.may_read
	FROM (SELECT p.publication AS id, p.name AS publication, n.oid AS schema, p.target
			FROM pprepub_internal.catalog_publication p JOIN pg_catalog.pg_namespace n ON n.nspname = p.target
			WHERE pg_catalog.has_schema_privilege(n.oid, 'USAGE')) t
		CROSS JOIN LATERAL (
			SELECT s.number, s.published_at, pg_catalog.format('%I.%I', t.target, c.relname) AS object, r.part AS made_by,
				pg_catalog.obj_description(c.oid, 'pg_class') AS comment, pg_catalog.has_table_privilege(c.oid, 'SELECT') AS may_read
			FROM pprepub_internal.catalog_relation r JOIN pg_catalog.pg_class c ON c.oid = r.relation::pg_catalog.oid
				LEFT JOIN pprepub_internal.catalog_release s ON s.publication = t.id AND s.kind <> 'query' AND s.relation::pg_catalog.oid = c.oid
			WHERE r.publication = t.id AND c.relnamespace = t.schema AND r.part <> 'catalog'
			UNION ALL SELECT NULL, NULL, pg_catalog.format('%I.%I(%s)', t.target, f.proname, pg_catalog.array_to_string(f.proargnames[:f.pronargs], ', ')), m.made_by,
				pg_catalog.obj_description(f.oid, 'pg_proc'), pg_catalog.has_function_privilege(f.oid, 'EXECUTE') AND (m.made_by <> 'counts' OR coalesce((
					SELECT pg_catalog.has_any_column_privilege(r.relation::pg_catalog.oid, 'SELECT')
					FROM pprepub_internal.catalog_relation r WHERE r.publication = t.id AND r.part = 'view'), false))
			FROM pg_catalog.pg_proc f CROSS JOIN LATERAL (SELECT (pg_catalog.regexp_match(f.prosrc, '^SELECT \* FROM pprepub_internal\.([a-z_]+)\('))[1] AS made_by) m
			WHERE f.pronamespace = t.schema AND m.made_by IS NOT NULL
				AND f.proname IN (t.publication, t.publication || '_counts', t.publication || '_noisy', t.publication || '_noise_left')) o
	UNION ALL SELECT s.target, s.name, o.object COLLATE "default", NULL::pg_catalog.int4, o.comment, o.costs, o.may_read
	FROM pprepub_internal.catalog_sharded s JOIN pg_catalog.pg_namespace n ON n.nspname = s.target AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
		CROSS JOIN LATERAL (
			SELECT pg_catalog.format('%I.%I', s.target, c.relname) AS object, pg_catalog.obj_description(c.oid, 'pg_class') AS comment,
				CASE WHEN c.relname = s.name || '_now' THEN 'an answer of each shard for each query' ELSE 'nothing' END AS costs, pg_catalog.has_table_privilege(c.oid, 'SELECT') AS may_read
			FROM pg_catalog.pg_class c WHERE c.relnamespace = n.oid AND c.relkind = 'v' AND (c.relname = s.name OR pprepub_internal.is_name_of(c.relname::pg_catalog.text, s.name))
			UNION ALL SELECT pg_catalog.format('%I.%I(%s)', s.target, f.proname, pg_catalog.array_to_string(f.proargnames[:f.pronargs], ', ')),
				pg_catalog.obj_description(f.oid, 'pg_proc'), 'nothing', pg_catalog.has_function_privilege(f.oid, 'EXECUTE')
			FROM pg_catalog.pg_proc f WHERE f.pronamespace = n.oid AND f.proname = s.name || '_counts') o) c
	ORDER BY c.target, c.publication, c.number NULLS FIRST, c.object COLLATE "C";
COMMENT ON VIEW pprepub.catalog IS 'what is published in each target that you may use, what it costs, and whether you may read it';

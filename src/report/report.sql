-- ----------------------------------------------------------------
-- report/: what releases tell
-- ----------------------------------------------------------------

CREATE VIEW pprepub_internal.measured WITH (security_barrier) AS
	SELECT p.name AS publication, r.number AS release, m.position, m.metric, m.value,
		r.people::float8, r.classes, r.suppressed, r.dirty, r.counterfeits, r.stale,
		(SELECT pg_catalog.count(*) FROM pprepub_internal.catalog_column c
		 WHERE c.publication = r.publication AND c.role = 'quasi-identifier' AND c.came <= r.number AND (r.columns IS NULL OR c.name = ANY (r.columns))) AS columns
	FROM pprepub_internal.catalog_publication p JOIN pprepub_internal.catalog_release r USING (publication)
		JOIN pprepub_internal.catalog_metric m ON m.publication = r.publication AND m.release = r.number
	WHERE pg_catalog.pg_has_role(p.owner, 'USAGE');
COMMENT ON VIEW pprepub_internal.measured IS 'metrics of releases as they were measured, and what they are compared with, for owners';

CREATE FUNCTION pprepub_internal.metrics(publication text, release int, OUT metric text, OUT value float8) RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	BEGIN ATOMIC
		WITH measured AS MATERIALIZED (
			SELECT m.* FROM pprepub_internal.measured m WHERE m.publication = metrics.publication AND m.release = metrics.release)
		SELECT f.metric, f.value FROM (
			SELECT s.* FROM measured m CROSS JOIN LATERAL (VALUES
				(-5, 'loss_percent', coalesce(100 * m.value / nullif((m.people - m.counterfeits) * m.columns, 0), 0)),
				(-4, 'withheld_percent', coalesce(100 * m.suppressed / nullif(m.people - m.counterfeits - m.dirty + m.suppressed, 0), 0)),
				(-3, 'invented_percent', coalesce(100 * m.counterfeits / nullif(m.people, 0), 0)),
				(-2, 'stale_percent', coalesce(100 * m.stale / nullif(m.people - m.counterfeits, 0), 0)),
				(-1, 'average_class', coalesce(m.people / nullif(m.classes, 0), 0))) s (position, metric, value)
			WHERE m.metric = 'lm'
			UNION ALL SELECT m.position, m.metric, nullif(m.value, 'NaN') FROM measured m) f
		ORDER BY f.position;
	END;
COMMENT ON FUNCTION pprepub_internal.metrics(text, int) IS 'rows of pprepub.metrics(), for the owner of the publication';

CREATE FUNCTION pprepub.metrics(publication text, release int, OUT metric text, OUT value float8)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_release_figures';
COMMENT ON FUNCTION pprepub.metrics(text, int) IS
	'show how much a release lost and how much it still says, as measured when it was made';

CREATE FUNCTION pprepub_internal.withheld(publication text, OUT release int, OUT reason text, OUT people bigint) RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	BEGIN ATOMIC
		WITH measured AS MATERIALIZED (
			SELECT m.* FROM pprepub_internal.measured m WHERE m.publication = withheld.publication AND m.release = (
				SELECT max(r.number) FROM pprepub.release r WHERE r.publication = withheld.publication AND r.kind = 'stored' AND r.cohort IS NULL)),
			known AS (SELECT m.release, m.metric, m.value::bigint AS people, m.suppressed FROM measured m WHERE m.metric IN ('waiting', 'retired', 'hidden'))
		SELECT k.release, 'left_out', k.suppressed - sum(k.people)::bigint FROM known k GROUP BY k.release, k.suppressed
		UNION ALL SELECT k.release, k.metric, k.people FROM known k;
	END;
COMMENT ON FUNCTION pprepub_internal.withheld(text) IS 'rows of pprepub.withheld(), for the owner of the publication';

CREATE FUNCTION pprepub.withheld(publication text, OUT release int, OUT reason text, OUT people bigint) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_figures';
COMMENT ON FUNCTION pprepub.withheld(text) IS
	'count the people whom the newest release of everybody withholds, by reason';

CREATE FUNCTION pprepub_internal.withheld_keys(publication text, OUT key text, OUT reason text) RETURNS SETOF record
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	made record;
BEGIN
	SELECT p.name, p.target || '_private' AS private, p.key, max(r.number) AS newest INTO made
	FROM pprepub.publication p LEFT JOIN pprepub.release r ON r.publication = p.name AND r.kind = 'stored' AND r.cohort IS NULL
	WHERE p.name = withheld_keys.publication GROUP BY p.name, p.target, p.key;
	RETURN QUERY EXECUTE format('SELECT s.%1$I::text, %2$s FROM (SELECT DISTINCT s.%1$I FROM %3$I.%4$I s) s
			WHERE NOT EXISTS (SELECT FROM (SELECT unnest(l.keys) AS key FROM %3$I.%5$I l WHERE l.release = $1) l WHERE l.key = s.%1$I) ORDER BY s.%1$I',
		made.key,
		CASE WHEN to_regclass(format('%I.%I', made.private, made.name || '_places')) IS NULL THEN 'NULL::text' ELSE
			format('CASE WHEN EXISTS (SELECT FROM %1$I.%2$I p WHERE p.key = s.%3$I) THEN ''has a place, not shown'' ELSE ''never had a place'' END',
				made.private, made.name || '_places', made.key) END,
		made.private, made.name || '_source', made.name || '_members')
	USING made.newest;
END
$$;
COMMENT ON FUNCTION pprepub_internal.withheld_keys(text) IS 'rows of pprepub.withheld_keys(), for the owner of the publication';

CREATE FUNCTION pprepub.withheld_keys(publication text, OUT key text, OUT reason text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_class_members';
COMMENT ON FUNCTION pprepub.withheld_keys(text) IS
	'list the people of the source who are not in the newest release of everybody';

CREATE FUNCTION pprepub.attack(publication text, principle jsonb DEFAULT NULL, OUT release int, OUT kind text, OUT other_release int,
		OUT records bigint, OUT sensitive_values bigint, OUT holds boolean) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_attack';
COMMENT ON FUNCTION pprepub.attack(text, jsonb) IS
	'find the smallest and least diverse sets of people that all releases reveal together, and judge them';

CREATE FUNCTION pprepub_internal.class_members(publication text, OUT release int, OUT key text, OUT class bigint) RETURNS SETOF record
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	part text;
BEGIN
	FOREACH part IN ARRAY ARRAY['_members', '_asked'] LOOP
		RETURN QUERY EXECUTE format('SELECT l.release, unnest(l.keys)::text, l.class FROM %I.%I l',
			(SELECT p.target || '_private' FROM pprepub.publication p WHERE p.name = class_members.publication), class_members.publication || part);
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.class_members(text) IS 'rows of pprepub.class_members(), for the owner of the publication';

CREATE FUNCTION pprepub.class_members(publication text, OUT release int, OUT key text, OUT class bigint)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_class_members';
COMMENT ON FUNCTION pprepub.class_members(text) IS 'list the people of each class of each release';

CREATE FUNCTION pprepub.linked_values(publication text, OUT key text, OUT sensitive text, OUT sizes int[], OUT counts int[])
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_links';
COMMENT ON FUNCTION pprepub.linked_values(text) IS
	'list the sensitive values that releases linked to each person, with the sizes of the classes that did';

CREATE FUNCTION pprepub.breach_probability(publication text, OUT key text, OUT sensitive text, OUT releases int,
		OUT probability float8) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_links';
COMMENT ON FUNCTION pprepub.breach_probability(text) IS
	'compute how likely an observer of all releases thinks it that each person was ever linked to each protected value';

-- Parts that are apart are not shown.
CREATE FUNCTION pprepub_internal.groups(publication text, OUT "group" bigint, OUT part int, OUT places bigint, OUT people bigint, OUT free bigint,
		OUT sensitive_values bigint, OUT created int, OUT since int) RETURNS SETOF record
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	kept regclass := (SELECT to_regclass(format('%I.%I', p.target || '_private', p.name || '_groups')) FROM pprepub.publication p WHERE p.name = groups.publication);
BEGIN
	IF kept IS NULL THEN
		RETURN;
	END IF;
	-- Values that are hashed need not be sorted, too.
	RETURN QUERY EXECUTE format('SELECT g."group", m.part, sum(m.n)::bigint, sum(m.there)::bigint, sum(m.n - m.there)::bigint,
			%s, g.created, g.epochs[cardinality(g.epochs)]
		FROM %s g CROSS JOIN LATERAL (
			SELECT coalesce(u.part, 1) AS part, u.value, count(*) AS n, count(*) FILTER (WHERE u.key IS DISTINCT FROM NULL AND coalesce(u.state, 0) = 0) AS there
			FROM (SELECT unnest(g.keys) AS key, unnest(g.states) AS state, unnest(g.parts) AS part,
				unnest(g.sensitive[cardinality(g.sensitive) - cardinality(g.keys) + 1 : ]) AS value) u GROUP BY coalesce(u.part, 1), u.value) m
		WHERE m.part > 0 GROUP BY g."group", m.part, g.created, g.epochs ORDER BY g."group", m.part',
		CASE WHEN pprepub_internal.has_several_rows(publication) THEN '(SELECT count(DISTINCT t) FROM unnest(array_agg(m.value)) v CROSS JOIN unnest(v.tuples) t)'
			ELSE 'count(*) FILTER (WHERE m.value IS DISTINCT FROM NULL)' END, kept);
END
$$;
COMMENT ON FUNCTION pprepub_internal.groups(text) IS 'rows of pprepub.groups(), for the owner of the publication';

CREATE FUNCTION pprepub.groups(publication text, OUT "group" bigint, OUT part int, OUT places bigint, OUT people bigint, OUT free bigint,
		OUT sensitive_values bigint, OUT created int, OUT since int) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_owners_list';
COMMENT ON FUNCTION pprepub.groups(text) IS
	'list the groups of places that are shown together, with their people and values';

CREATE FUNCTION pprepub.historical_correlations(publication text, most int DEFAULT NULL, OUT release_a int, OUT class_a bigint,
		OUT release_b int, OUT class_b bigint, OUT unmatched int) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_historical_correlations';
COMMENT ON FUNCTION pprepub.historical_correlations(text, int) IS
	'list pairs of classes of two releases that show the same values and share some people, but not all';

CREATE FUNCTION pprepub.compromise(publication text, keys text[], OUT key text, OUT release int, OUT candidates text[],
		OUT without_keys text[], OUT exact boolean, OUT sensitive text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_compromise';
COMMENT ON FUNCTION pprepub.compromise(text, text[]) IS
	'list what values remain to people for an observer of all releases who knows the values of these people';

CREATE FUNCTION pprepub_internal.running(OUT pid int, OUT publication name, OUT command text, OUT phase text, OUT units_done bigint, OUT units_total bigint,
		OUT since timestamptz, OUT phase_since timestamptz) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'pprepub_running';
COMMENT ON FUNCTION pprepub_internal.running() IS 'rows of view pprepub.progress';

CREATE VIEW pprepub.progress WITH (security_barrier) AS
	SELECT r.pid, d.oid AS datid, d.datname, s.source::oid AS relid, r.publication, r.command, r.phase, r.units_total, r.units_done, r.since, r.phase_since
	FROM pprepub_internal.running() r JOIN pg_database d ON d.datname = current_database()
		LEFT JOIN pprepub_internal.catalog_publication p ON p.name = r.publication LEFT JOIN pprepub_internal.catalog_source s ON s.publication = p.publication;
COMMENT ON VIEW pprepub.progress IS 'long commands that run on your publications in any session, and how far they are';

-- ----------------------------------------------------------------
-- shards/: what shards tell, put together
-- ----------------------------------------------------------------

-- pprepub.NAME('a sharded publication', …) calls pprepub_internal.sharded_NAME, by the gate in declare/gate.c, or returns the rows of
-- all shards.  Figures are sums, least and greatest values, and means by rows that follow from those of the shards; others are left
-- out.  Classes of different shards are different classes, since their numbers tell the shard.  A shard that does not answer is an error.

-- It is run in the search path of the caller.  Types of arguments are PostgreSQL's own.
CREATE FUNCTION pprepub_internal.sharded_call(function oid, has_rows boolean) RETURNS text
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT CASE
		WHEN EXISTS (SELECT FROM pg_proc s WHERE s.pronamespace = 'pprepub_internal'::regnamespace AND s.proname = 'sharded_' || f.proname AND s.proargtypes = f.proargtypes)
		THEN format('SELECT * FROM pprepub_internal.%I(%s)', 'sharded_' || f.proname, (SELECT string_agg('$' || i, ', ' ORDER BY i) FROM generate_series(1, f.pronargs) i))
		WHEN $2 AND f.proretset
		THEN format('SELECT r.* FROM pprepub_internal.on_shards($1, pg_catalog.format(%L%s)) s CROSS JOIN LATERAL pg_catalog.jsonb_to_record(s.answer) r(%s)',
			format('SELECT * FROM pprepub.%I({publication}%s)', f.proname, (SELECT string_agg(format(', %%L::pg_catalog.%I', t.typname), '' ORDER BY u.i)
				FROM unnest(f.proargtypes) WITH ORDINALITY u(type, i) JOIN pg_type t ON t.oid = u.type WHERE u.i > 1)),
			(SELECT string_agg(', $' || i, '' ORDER BY i) FROM generate_series(2, f.pronargs) i),
			(SELECT string_agg(format('%I pg_catalog.%I', u.name, t.typname), ', ' ORDER BY u.i) FROM unnest(f.proallargtypes, f.proargmodes, f.proargnames) WITH ORDINALITY u(type, mode, name, i)
				JOIN pg_type t ON t.oid = u.type WHERE u.mode = 'o')) END
	FROM pg_proc f WHERE f.oid = $1
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_call(oid, boolean) IS 'statement that calls a function for all shards, or NULL';

-- On a shard: transactions that were prepared by somebody who may, and are not finished.
CREATE FUNCTION pprepub_internal.in_doubt(publication text, attempt text) RETURNS SETOF text
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT x.gid FROM pg_prepared_xacts x LEFT JOIN pprepub.publication p ON p.name = $1
	WHERE x.database = current_database() AND split_part(x.gid, ' ', 1) = 'pprepub' AND split_part(x.gid, ' ', 3) = $2 AND coalesce(pg_has_role(x.owner, p.owner::oid, 'USAGE'), true)
$$;
COMMENT ON FUNCTION pprepub_internal.in_doubt(text, text) IS 'transactions of a sharded publication that are in doubt here';

-- Checks that no shard can make alone.
CREATE FUNCTION pprepub_internal.checks_over_shards(publication text, OUT check_name text, OUT required text, OUT measured text, OUT holds boolean, OUT measured_value float8)
	RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	WITH told AS MATERIALIZED (
		SELECT s.shard, format('shard %s: ', s.shard) AS place, a.*, regexp_match(a.condition, '^(.*) (?:= |OPERATOR\(pg_catalog\.=\) )(''.*'')') AS parts
		FROM pprepub_internal.on_shards($1, format('WITH n AS (SELECT {publication}::pg_catalog.text AS name)
			SELECT (SELECT coalesce((SELECT max(r.number) FROM pprepub.release r WHERE r.publication = p.name AND r.kind = ''stored''), 0) FROM pprepub.publication p WHERE p.name = n.name) AS newest,
				pprepub_internal.shard_attempt(n.name) AS attempt, (SELECT p.shard FROM pprepub.publication p WHERE p.name = n.name) AS condition,
				ARRAY(SELECT d FROM pprepub_internal.in_doubt(n.name, %L) d) AS doubt FROM n', pprepub_internal.attempt_of($1))) s
			CROSS JOIN LATERAL jsonb_to_record(s.answer) a(newest int, attempt text, condition text, doubt text[]))
	SELECT 'numbers', 'one newest release, and one last change', string_agg(t.place || coalesce(t.newest::text, 'none') || CASE WHEN (SELECT count(DISTINCT coalesce(u.attempt, '')) > 1 FROM told u) THEN ' by ' || coalesce(right(t.attempt, 12), 'none') ELSE '' END, ', ' ORDER BY t.shard),
		count(t.newest) = count(*) AND min(t.newest) = max(t.newest) AND count(DISTINCT coalesce(t.attempt, '')) = 1, min(t.newest) FROM told t
	UNION ALL SELECT 'conditions', 'one expression, with another value on each shard', string_agg(t.place || coalesce(t.condition, 'none'), ', ' ORDER BY t.shard),
		count(t.parts) = count(*) AND count(DISTINCT t.parts[1]) = 1 AND count(DISTINCT t.parts[2]) = count(*), NULL FROM told t
	UNION ALL SELECT 'in_doubt', 'nothing is in doubt', coalesce((SELECT string_agg(DISTINCT d, ', ') FROM told t, unnest(t.doubt) d), 'nothing'),
		count(*) FILTER (WHERE t.doubt <> '{}') = 0, NULL FROM told t
$$;
COMMENT ON FUNCTION pprepub_internal.checks_over_shards(text) IS 'check what no shard can check alone';

CREATE FUNCTION pprepub_internal.sharded_audit(publication text, principle jsonb, OUT check_name text, OUT required text, OUT measured text,
		OUT holds boolean, OUT worst jsonb, OUT required_value float8, OUT measured_value float8, OUT failing_classes bigint, OUT failing_people bigint)
	RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT c.check_name, c.required, c.measured, c.holds, c.worst, c.required_value, c.measured_value, c.failing_classes, c.failing_people FROM (
		SELECT 1 AS part, 0 AS shard, 0 AS place, c.check_name, c.required, c.measured, c.holds, NULL::jsonb AS worst, NULL::float8 AS required_value, c.measured_value,
			NULL::bigint AS failing_classes, NULL::bigint AS failing_people
		FROM pprepub_internal.checks_over_shards($1) c
		UNION ALL SELECT 2, s.shard, row_number() OVER (), a.check_name, a.required, format('shard %s: %s', s.shard, a.measured), a.holds,
			a.worst || jsonb_build_object('shard', s.shard), a.required_value, a.measured_value, a.failing_classes, a.failing_people
		FROM pprepub_internal.on_shards($1, format('SELECT * FROM pprepub.audit({publication}, %L)', $2)) s
			CROSS JOIN LATERAL jsonb_to_record(s.answer) a(check_name text, required text, measured text, holds boolean, worst jsonb,
				required_value float8, measured_value float8, failing_classes bigint, failing_people bigint)) c
	ORDER BY CASE c.holds WHEN false THEN 1 WHEN true THEN 3 ELSE 2 END, c.part, c.shard, c.place
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_audit(text, jsonb) IS 'body of audit() for sharded publications: the checks of each shard, and of all together';

CREATE FUNCTION pprepub_internal.sharded_assert_safe(publication text, principle jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	failing text := (SELECT string_agg(format('%s (%s)', a.check_name, a.measured), ', ') FROM pprepub_internal.sharded_audit(publication, principle) a
		WHERE NOT a.holds OR a.check_name = 'numbers' AND a.measured_value = 0);
BEGIN
	IF failing IS NOT NULL THEN
		RAISE EXCEPTION 'what publication "%" has published is not safe', publication
			USING ERRCODE = 'PP001', DETAIL = format('Checks that fail: %s.', failing), HINT = format('SELECT * FROM pprepub.audit(%L) tells more.', publication);
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_assert_safe(text, jsonb) IS 'body of assert_safe() for sharded publications';

-- Joins do not cross shards: of an observer who knows the shard of each person, also where the person is in no release.
CREATE FUNCTION pprepub_internal.sharded_linkability(publication text, releases int[], join_kind text, OUT join_kind text, OUT releases int, OUT nodes bigint,
		OUT edges bigint, OUT matches bigint, OUT cliques numeric, OUT tuples bigint, OUT linkability int, OUT diversity float8, OUT unknown bigint, OUT people_at bigint[])
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	WITH told AS MATERIALIZED (
		SELECT a.* FROM pprepub_internal.on_shards($1, format('SELECT * FROM pprepub.linkability({publication}, %L, %L)', $2, $3)) s
			CROSS JOIN LATERAL jsonb_to_record(s.answer) a(join_kind text, releases int, nodes bigint, edges bigint, matches bigint, cliques numeric, tuples bigint,
				linkability int, diversity float8, unknown bigint, people_at bigint[]))
	SELECT min(t.join_kind), min(t.releases), sum(t.nodes)::bigint, sum(t.edges)::bigint, sum(t.matches)::bigint, CASE WHEN count(t.cliques) = count(*) THEN sum(t.cliques) END,
		sum(t.tuples)::bigint, min(t.linkability), min(t.diversity), sum(t.unknown)::bigint,
		ARRAY(SELECT sum(u.people)::bigint FROM told o CROSS JOIN LATERAL unnest(o.people_at) WITH ORDINALITY u(people, i) GROUP BY u.i ORDER BY u.i)
	FROM told t
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_linkability(text, int[], text) IS 'body of linkability() for sharded publications: shard by shard';

-- Numbers of classes, with the shard in their last three digits.
CREATE FUNCTION pprepub_internal.sharded_class_members(publication text, OUT release int, OUT key text, OUT class bigint) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT a.release, a.key, a.class * 1000 + s.shard FROM pprepub_internal.on_shards($1, 'SELECT * FROM pprepub.class_members({publication})') s
		CROSS JOIN LATERAL jsonb_to_record(s.answer) a(release int, key text, class bigint)
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_class_members(text) IS 'body of class_members() for sharded publications';

CREATE FUNCTION pprepub_internal.sharded_groups(publication text, OUT "group" bigint, OUT part int, OUT places bigint, OUT people bigint, OUT free bigint,
		OUT sensitive_values bigint, OUT created int, OUT since int) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT a."group" * 1000 + s.shard, a.part, a.places, a.people, a.free, a.sensitive_values, a.created, a.since
	FROM pprepub_internal.on_shards($1, 'SELECT * FROM pprepub.groups({publication})') s
		CROSS JOIN LATERAL jsonb_to_record(s.answer) a("group" bigint, part int, places bigint, people bigint, free bigint, sensitive_values bigint, created int, since int)
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_groups(text) IS 'body of groups() for sharded publications';

CREATE FUNCTION pprepub_internal.sharded_historical_correlations(publication text, most int, OUT release_a int, OUT class_a bigint, OUT release_b int, OUT class_b bigint,
		OUT unmatched int) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT a.release_a, a.class_a * 1000 + s.shard, a.release_b, a.class_b * 1000 + s.shard, a.unmatched
	FROM pprepub_internal.on_shards($1, format('SELECT * FROM pprepub.historical_correlations({publication}, %L)', $2)) s
		CROSS JOIN LATERAL jsonb_to_record(s.answer) a(release_a int, class_a bigint, release_b int, class_b bigint, unmatched int) LIMIT $2
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_historical_correlations(text, int) IS 'body of historical_correlations() for sharded publications';

CREATE FUNCTION pprepub_internal.sharded_withheld(publication text, OUT release int, OUT reason text, OUT people bigint) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT t.release, t.reason, sum(t.people)::bigint FROM (
		SELECT a.*, row_number() OVER () AS place FROM pprepub_internal.on_shards($1, 'SELECT * FROM pprepub.withheld({publication})') s
			CROSS JOIN LATERAL jsonb_to_record(s.answer) a(release int, reason text, people bigint)) t
	GROUP BY t.release, t.reason ORDER BY min(t.place)
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_withheld(text) IS 'body of withheld() for sharded publications';

-- Of a query that tells "classes", too.
CREATE FUNCTION pprepub_internal.metrics_of_shards(publication text, query text, OUT metric text, OUT value float8) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	WITH told AS MATERIALIZED (
		SELECT s.shard, a.*, row_number() OVER () AS place FROM pprepub_internal.on_shards($1, $2) s CROSS JOIN LATERAL jsonb_to_record(s.answer) a(metric text, value float8)),
		named AS (SELECT t.shard, jsonb_object_agg(t.metric, t.value) AS f FROM told t GROUP BY t.shard),
		shard AS MATERIALIZED (
			SELECT n.shard, r.*, (f ->> 'rows')::float8 AS rows, (f ->> 'classes')::float8 AS classes, r.people - (f ->> 'counterfeits')::float8 AS true, (f ->> 'suppressed')::float8 - (f ->> 'dirty')::float8 AS more
			FROM named n CROSS JOIN LATERAL (SELECT round((f ->> 'average_class')::float8 * (f ->> 'classes')::float8) AS people) r)
	SELECT t.metric, CASE
		WHEN t.metric = 'smallest_class' THEN min(t.value)
		WHEN t.metric ~ '^largest_class$|_seconds$' THEN max(t.value)
		WHEN t.metric = 'bytes_per_row' THEN sum(t.value * s.rows) / nullif(sum(s.rows), 0)
		WHEN t.metric IN ('average_class', 'avg') THEN coalesce(sum(t.value * s.classes) / nullif(sum(s.classes), 0), 0)
		WHEN t.metric = 'invented_percent' THEN coalesce(sum(t.value * s.people) / nullif(sum(s.people), 0), 0)
		WHEN t.metric = 'withheld_percent' THEN coalesce(sum(t.value * (s.true + s.more)) / nullif(sum(s.true + s.more), 0), 0)
		WHEN t.metric ~ '^(loss_percent|stale_percent|ail$|precision$)' THEN coalesce(sum(t.value * s.true) / nullif(sum(s.true), 0), 0)
		ELSE sum(t.value) END
	FROM told t JOIN shard s USING (shard)
	WHERE t.metric !~ '^(fem|vem|count_error)' GROUP BY t.metric ORDER BY min(t.place)
$$;
COMMENT ON FUNCTION pprepub_internal.metrics_of_shards(text, text) IS 'metrics of the releases of all shards, taken for one';

CREATE FUNCTION pprepub_internal.sharded_metrics(publication text, release int, OUT metric text, OUT value float8) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT m.metric, m.value FROM pprepub_internal.metrics_of_shards($1, format('WITH n AS (SELECT {publication}::pg_catalog.text AS name)
		SELECT m.metric, m.value FROM n, pprepub.metrics(n.name, %1$L) m
		UNION ALL SELECT ''classes'', r.classes FROM n JOIN pprepub.release r ON r.publication = n.name AND r.number = %1$L', $2)) m WHERE m.metric <> 'classes'
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_metrics(text, int) IS 'body of metrics() for sharded publications';

CREATE FUNCTION pprepub_internal.sharded_preview(publication text, cohort text, columns name[], params jsonb, OUT metric text, OUT value float8) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT m.metric, m.value FROM pprepub_internal.metrics_of_shards($1, format('SELECT * FROM pprepub.preview({publication}, %L, %L, %L)', $2, $3, $4)) m
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_preview(text, text, name[], jsonb) IS 'body of preview() for sharded publications';

-- All but the size of the middle class.
CREATE FUNCTION pprepub_internal.sharded_risks(publication text, release int, threshold float8, OUT measure text, OUT value float8, OUT meaning text) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	WITH told AS MATERIALIZED (
		SELECT s.shard, a.*, row_number() OVER () AS place FROM pprepub_internal.on_shards($1, format('SELECT * FROM pprepub.risks({publication}, %L, %L)', $2, $3)) s
			CROSS JOIN LATERAL jsonb_to_record(s.answer) a(measure text, value float8, meaning text)),
		shard AS (SELECT jsonb_object_agg(t.measure, t.value) AS f FROM told t GROUP BY t.shard),
		total AS (
			SELECT sum(rows) AS rows, sum((f ->> 'people')::float8) AS people, sum((f ->> 'classes')::float8) AS classes,
				sum((1 - (f ->> 'separation')::float8) * rows * (rows - 1)) AS alike, sum((f ->> 'marketer_people')::float8) AS found, sum((f ->> 'prosecutor_above')::float8) AS above
			FROM shard CROSS JOIN LATERAL (SELECT (f ->> 'rows')::float8 AS rows) r)
	SELECT t.measure, CASE
		WHEN t.measure = 'class_smallest' THEN min(t.value)
		WHEN t.measure IN ('class_largest', 'prosecutor_highest', 'prosecutor_highest_uninvented') THEN max(t.value)
		WHEN t.measure = 'separation' THEN min(1 - o.alike / nullif(o.rows * (o.rows - 1), 0))
		WHEN t.measure = 'distinction' THEN min(o.classes / nullif(o.rows, 0))
		WHEN t.measure IN ('prosecutor_average', 'marketer') THEN min(o.found / nullif(o.people, 0))
		WHEN t.measure = 'prosecutor_share_above' THEN min(o.above / nullif(o.people, 0))
		ELSE sum(t.value) END, min(t.meaning)
	FROM told t CROSS JOIN total o WHERE t.measure <> 'class_median' GROUP BY t.measure ORDER BY min(t.place)
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_risks(text, int, float8) IS 'body of risks() for sharded publications';

CREATE FUNCTION pprepub_internal.sharded_manifest(publication text, release int, format text) RETURNS jsonb
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT CASE $3 WHEN 'dcat' THEN jsonb_build_object('@context', min((s.answer #> '{m,@context}')::text)::jsonb, '@type', 'dcat:Dataset',
			'dct:title', format('Release %s of %s', $2, $1), 'dct:hasPart', jsonb_agg(s.answer -> 'm' #- '{@context}' ORDER BY s.shard))
		ELSE jsonb_build_object('manifest', 1, 'publication', $1, 'release', $2, 'rows', sum((s.answer #>> '{m,rows}')::bigint), 'people', sum((s.answer #>> '{m,people}')::bigint),
			'classes', sum((s.answer #>> '{m,classes}')::bigint), 'verdict', CASE WHEN bool_and(s.answer #>> '{m,verdict}' = 'holds')
				AND (SELECT bool_and(c.holds) FROM pprepub_internal.checks_over_shards($1) c) THEN 'holds' ELSE 'fails' END,
			'shards', jsonb_agg(jsonb_build_object('shard', s.shard) || (s.answer -> 'm') ORDER BY s.shard)) END
	FROM pprepub_internal.on_shards($1, format('SELECT pprepub.manifest({publication}, %L, %L) AS m', $2, $3)) s
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_manifest(text, int, text) IS 'body of manifest() for sharded publications: a part for each shard';

-- The worst shard is one with most checks that fail, or else the smallest k.  Pages of shards are one page, with places that have different names.
CREATE FUNCTION pprepub_internal.sharded_report(publication text, internal boolean, format text) RETURNS text
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	told CONSTANT jsonb := (SELECT jsonb_agg(jsonb_build_object('shard', s.shard, 'server', h.server, 'publication', h.shard_publication, 'report', s.answer -> 'r') ORDER BY s.shard)
		FROM pprepub_internal.on_shards(publication, pg_catalog.format('SELECT pprepub.report({publication}, %L, %L) AS r', internal, format)) s
			JOIN pprepub.shard h ON h.publication = sharded_report.publication AND h.shard = s.shard);
	own CONSTANT text[] := '{numbers,conditions,in_doubt}';
	checks CONSTANT jsonb := (SELECT jsonb_agg(a.*) FROM pprepub_internal.sharded_audit(publication, NULL) a);
	fails CONSTANT int := (SELECT count(*) FROM jsonb_array_elements(checks) c WHERE c ->> 'holds' = 'false');
	worst CONSTANT record := (
		SELECT w FROM (SELECT t.*, count(*) FILTER (WHERE NOT c.holds) AS fails, min(c.measured_value) FILTER (WHERE c.check_name = 'k') AS k
			FROM jsonb_to_recordset(told) t(shard int, server text, publication text)
				JOIN jsonb_to_recordset(checks) c(check_name text, measured text, holds boolean, measured_value float8)
					ON c.check_name <> ALL (own) AND starts_with(c.measured, pg_catalog.format('shard %s: ', t.shard))
			GROUP BY t.shard, t.server, t.publication ORDER BY 4 DESC, 5, 1 LIMIT 1) w);
	place CONSTANT text := pg_catalog.format('shard %s, publication %s on server %s', worst.shard, worst.publication, worst.server);
	sentence CONSTANT text := CASE WHEN worst.fails > 0 THEN pg_catalog.format('Do not sign: %s of %s checks fail, most of them on %s.', fails, jsonb_array_length(checks), place)
		WHEN fails > 0 THEN 'Do not sign: each shard is safe alone, and a check of all together fails.'
		ELSE pg_catalog.format('All checks hold on all %s shards%s.', jsonb_array_length(told), ', and the smallest k is ' || worst.k || ', on ' || place) END;
BEGIN
	RETURN CASE format WHEN 'json' THEN jsonb_build_object('publication', publication, 'internal', coalesce(internal, false), 'made_at', now(), 'sentence', sentence,
			'checks', (SELECT jsonb_agg(c) FROM jsonb_array_elements(checks) c WHERE c ->> 'check_name' = ANY (own)),
			'shards', (SELECT jsonb_agg(t || jsonb_build_object('report', (t ->> 'report')::jsonb)) FROM jsonb_array_elements(told) t))::text
		ELSE pprepub_internal.html_page(pg_catalog.format('%s of publication %s', CASE WHEN internal THEN 'Internal report' ELSE 'Report' END, publication),
			pprepub_internal.html_heading('sentence', 'In one sentence') || pprepub_internal.html_paragraph(sentence, CASE WHEN fails > 0 THEN 'verdict bad' ELSE 'verdict good' END)
			|| pprepub_internal.html_table('Checks of all shards together', '{Check,Verdict,Required,Measured}', (
				SELECT jsonb_agg(jsonb_build_array(c ->> 'check_name', CASE c ->> 'holds' WHEN 'true' THEN 'holds' ELSE 'fails' END, c ->> 'required', c ->> 'measured'))
				FROM jsonb_array_elements(checks) c WHERE c ->> 'check_name' = ANY (own)))
			|| (SELECT jsonb_agg(jsonb_build_object('markup', regexp_replace(regexp_replace(regexp_replace(regexp_replace(t ->> 'report', '^.*<main>\n|</main>.*$', '', 'g'),
				'<h1>(.*?)</h1>', pg_catalog.format('<h2>Shard %s: \1</h2>', t ->> 'shard')), ' (id="|href="#|aria-labelledby=")', pg_catalog.format(' \1shard-%s-', t ->> 'shard'), 'g'),
				'( aria-labelledby="\S+ )', pg_catalog.format('\1shard-%s-', t ->> 'shard'), 'g'))) FROM jsonb_array_elements(told) t)) END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_report(text, boolean, text) IS 'body of report() for sharded publications: what is worst, and a part for each shard';

-- A row in any case.  What is no sum is that of the worst shard.
CREATE FUNCTION pprepub_internal.sharded_health(publication text) RETURNS pprepub_internal.health
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	made pprepub_internal.health;
	wrong text[];
	detail text;
BEGIN
	BEGIN
		SELECT min(h.last_release), max(h.last_published_at), min(h.age), min(h.releases), max(h.answers), max(h.answers_last_day), max(h.failed_last_day), sum(h.rows), sum(h.people),
			max(h.withheld_percent), max(h.invented_percent), max(h.stale_percent), bool_or(h.starving), sum(h.bytes), sum(h.history_bytes), sum(h.bytes_per_day),
			min(h.refused), max(h.noise_total), max(h.noise_spent)
		INTO made.last_release, made.last_published_at, made.age, made.releases, made.answers, made.answers_last_day, made.failed_last_day, made.rows, made.people,
			made.withheld_percent, made.invented_percent, made.stale_percent, made.starving, made.bytes, made.history_bytes, made.bytes_per_day, made.refused, made.noise_total, made.noise_spent
		FROM pprepub_internal.on_shards(sharded_health.publication, 'SELECT * FROM pprepub_internal.health h WHERE h.publication = {publication}') s
			CROSS JOIN LATERAL jsonb_populate_record(NULL::pprepub_internal.health, s.answer) h;
		SELECT array_agg(format('%s: %s', c.check_name, c.measured)), coalesce(max(c.check_name), made.refused) INTO wrong, made.refused
		FROM pprepub_internal.checks_over_shards(sharded_health.publication) c WHERE c.holds IS NOT TRUE;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
		made := NULL;
		made.refused := 'shard';
		wrong := ARRAY[concat_ws(': ', SQLERRM, nullif(detail, ''))];
	END;
	made.publication := sharded_health.publication;
	made.warnings := wrong;
	RETURN made;
END
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_health(text) IS 'a row of pprepub.health for a sharded publication';

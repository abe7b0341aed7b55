-- The experiments of Wong, Fu, Liu, Wang and Xu, section 8: 20 rounds, each of a twentieth of the people and a fifth of the round
-- before, a fifth of the values being drawn anew; the rarest tenth of the values is protected, everybody is in the registry.
--
-- Errors are those of counting queries (an interval of ages, some genders, some races, some of the diagnoses), answered from a release
-- as if people lay evenly in their cells, beside the truth; on average, over queries that somebody meets.
SET client_min_messages = error;
SET max_parallel_workers_per_gather = 0;
CREATE FUNCTION h(text) RETURNS float8 LANGUAGE sql IMMUTABLE AS
	$$ SELECT ('x' || substr(md5($1), 1, 7))::bit(28)::int / 268435456.0 $$;
SELECT to_regclass('serial') IS NULL AS is_drawn \gset
\if :is_drawn
	CREATE TABLE serial AS
	SELECT 1 AS release, i AS id, (floor(10 * sqrt(h(i || 'a'))) * 10)::int AS age, (ARRAY['Female', 'Male'])[1 + floor(2 * h(i || 'g'))::int] AS gender,
		(ARRAY['Caucasian', 'Caucasian', 'Caucasian', 'AfricanAmerican', 'Hispanic', 'Other'])[1 + floor(6 * h(i || 'r'))::int] AS race,
		'diagnosis ' || floor(700 * power(h(i || 'd'), 4)) AS diagnosis
	FROM generate_series(1, 90000) i;
\endif
CREATE TABLE dist AS SELECT row_number() OVER (ORDER BY release, id) - 1 AS n, diagnosis FROM serial;
ALTER TABLE dist ADD PRIMARY KEY (n);
CREATE TABLE pool AS SELECT * FROM (SELECT DISTINCT ON (id) id, age, gender, race, diagnosis FROM serial ORDER BY id, release) p ORDER BY md5(id::text) LIMIT 40000;
CREATE TABLE wong AS SELECT 1 AS release, * FROM pool LIMIT 0;
DO $$ BEGIN
	FOR i IN 1..20 LOOP
		INSERT INTO wong
		SELECT i, t.id, t.age, t.gender, t.race, CASE WHEN h(t.id || '/c/' || i) < 0.2 THEN d.diagnosis ELSE t.diagnosis END
		FROM (SELECT * FROM pool WHERE floor(h(id || '/p') * 20) + 1 = i
			UNION ALL SELECT id, age, gender, race, diagnosis FROM wong WHERE release = i - 1 AND h(id || '/k/' || i) < 0.2) t
		JOIN dist d ON d.n = floor(h(t.id || '/v/' || i) * (SELECT count(*) FROM dist))::bigint;
	END LOOP;
END $$;
CREATE TABLE rare AS SELECT diagnosis FROM (SELECT diagnosis, percent_rank() OVER (ORDER BY count(*), diagnosis) AS rank FROM dist GROUP BY 1) r WHERE rank < 0.1;
CREATE TABLE tenth AS SELECT diagnosis FROM (SELECT diagnosis, sum(count(*)) OVER (ORDER BY count(*), diagnosis) AS upto FROM dist GROUP BY 1) r
	WHERE upto <= (SELECT count(*) / 10 FROM dist);
CREATE TABLE registry AS SELECT id, age, gender, race FROM pool;
CREATE TABLE current AS SELECT id, age, gender, race, diagnosis FROM wong LIMIT 0;
ALTER TABLE current ADD PRIMARY KEY (id);
CREATE TABLE query AS SELECT q, (floor(10 * least(a, b)) * 10)::int AS lo, (floor(10 * greatest(a, b)) * 10)::int AS hi,
	1 + floor(3 * h(q || 'g'))::int AS genders, 1 + floor(63 * h(q || 'r'))::int AS races, 1 + floor(65535 * h(q || 'd'))::int AS diagnoses
	FROM (SELECT q, h(q || 'x') AS a, h(q || 'y') AS b FROM generate_series(1, :queries) q) d;
CREATE TABLE race AS SELECT race, row_number() OVER (ORDER BY race NULLS LAST) - 1 AS bit FROM (SELECT DISTINCT race FROM pool) r;
-- Queries about the same ages and genders have much in common.
CREATE TABLE cell AS SELECT DISTINCT lo, hi, genders FROM query;
CREATE TABLE truth AS
WITH told AS (SELECT release, age, (gender = 'Male')::int AS gender, coalesce(bit, 5)::int AS slot, (h(diagnosis) * 16)::int % 16 AS d, count(*) AS n
		FROM wong LEFT JOIN race USING (race) GROUP BY 1, 2, 3, 4, 5),
	part AS (SELECT release, cell.*, slot, d, sum(n) AS n FROM cell JOIN told ON age BETWEEN lo AND hi AND genders >> gender & 1 = 1 GROUP BY 1, 2, 3, 4, 5, 6)
SELECT release, q, sum(n)::float8 AS n FROM query JOIN part USING (lo, hi, genders) WHERE diagnoses >> d & 1 = 1 AND races >> slot & 1 = 1 GROUP BY 1, 2;
CREATE INDEX ON truth (release);
ANALYZE;
CREATE TABLE run (figure text, l int, releases int, alpha numeric, protected text, release int, rows bigint, suppressed bigint, classes bigint, seconds float8,
	average float8, largest bigint, error float8);

-- A cell that is withheld covers all.
CREATE FUNCTION error_of_release(release int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	result float8;
BEGIN
	EXECUTE format($q$
		WITH told AS (SELECT coalesce(lower(age), 0) AS lo, coalesce(upper(age) - 1, 90) AS hi, gender, CASE r.race WHEN '*' THEN 6 ELSE coalesce(bit, 5) END::int AS slot,
				(h(diagnosis) * 16)::int %% 16 AS d, count(*)::float8 AS n
				FROM published.current_%1$s r LEFT JOIN race ON race.race IS NOT DISTINCT FROM r.race GROUP BY 1, 2, 3, 4, 5),
			part AS (SELECT c.*, slot, d, sum(n * (least(t.hi, c.hi) - greatest(t.lo, c.lo) + 10) / (t.hi - t.lo + 10) *
					CASE WHEN gender = '*' AND genders <> 3 THEN 0.5 ELSE 1 END) AS n
				FROM cell c JOIN told t ON t.lo <= c.hi AND t.hi >= c.lo AND (gender = '*' OR genders >> (gender = 'Male')::int & 1 = 1) GROUP BY 1, 2, 3, 4, 5),
			estimate AS (SELECT q, sum(n * CASE slot WHEN 6 THEN bit_count(races::bit(6)) / 6.0::float8 ELSE 1 END) AS n
				FROM query JOIN part USING (lo, hi, genders) WHERE diagnoses >> d & 1 = 1 AND (slot = 6 OR races >> slot & 1 = 1) GROUP BY q)
		SELECT avg(abs(coalesce(e.n, 0) - a.n) / a.n) FROM truth a LEFT JOIN estimate e USING (q) WHERE release = %1$s$q$, release) INTO result;
	RETURN result;
END $$;

CREATE PROCEDURE live(what text, l int, releases int, alpha numeric, which text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.create_publication('current', 'current', 'id', '{"age": "range", "gender": "suppress", "race": "suppress"}', 'diagnosis', 'global',
		jsonb_strip_nulls(jsonb_build_object('l', l, 'strategy', CASE WHEN alpha IS NULL THEN 'constant-ratio' ELSE 'geometric' END,
			'releases', releases, 'alpha', alpha, 'transient', which, 'registry', 'registry')));
	FOR n IN 1..20 LOOP
		DELETE FROM current;
		INSERT INTO current SELECT id, age, gender, race, diagnosis FROM wong WHERE wong.release = n;
		COMMIT;
		INSERT INTO run SELECT what, l, releases, alpha, which, number, p.rows, p.suppressed, p.classes, p.seconds FROM pprepub.publish('current') p;
		UPDATE run SET (average, largest) = (SELECT avg(size), max(size) FROM (SELECT count(*) AS size FROM pprepub.class_members('current') m
				WHERE m.release = n GROUP BY class HAVING count(*) >= 2) s),
			error = error_of_release(n)
		WHERE (run.figure, run.release) = (what, n) AND run.l = live.l AND run.releases IS NOT DISTINCT FROM live.releases
			AND run.alpha IS NOT DISTINCT FROM live.alpha AND run.protected = which;
		COMMIT;
	END LOOP;
	PERFORM pprepub.drop_publication('current', true);
	COMMIT;
END $$;

SELECT format('CALL live(%L, %s, %s, %s, %L)', figure, l, coalesce(releases::text, 'NULL'), coalesce(alpha::text, 'NULL'), which)
FROM (SELECT 'Figure 6' AS figure, l, 3 AS releases, NULL::int AS alpha FROM unnest('{2,3,5,7,10}'::int[]) l
	UNION ALL SELECT 'Figure 7', l, NULL, 3 FROM unnest('{2,3,5,7,10}'::int[]) l
	UNION ALL SELECT 'Figure 8', 2, k, NULL FROM unnest('{3,5,10,15,20}'::int[]) k
	UNION ALL SELECT 'Figure 9', 2, NULL, a FROM unnest('{2,3,4,5}'::int[]) a) f, unnest('{rare,tenth}'::text[]) which
WHERE figure LIKE '%' || :'figure'
\gexec

\echo
\echo By round: average relative error, average and largest class of more than one person with everybody who was counted in, seconds
SELECT figure, protected, l, releases, alpha, release AS round, round(error::numeric, 4) AS error, round(average::numeric, 1) AS average, largest, suppressed AS withheld,
	round(seconds::numeric, 3) AS seconds
FROM run ORDER BY figure, protected DESC, l, releases, alpha, release;
\echo
\echo The same, by experiment: errors of rounds 1, 5, 10, 15, 20
SELECT figure, protected, l, releases, alpha, string_agg(round(error::numeric, 4)::text, ' ' ORDER BY release) FILTER (WHERE release IN (1, 5, 10, 15, 20)) AS error,
	round(avg(average)::numeric, 1) AS average, max(largest) AS largest, round((100 * sum(suppressed) / sum(rows + suppressed))::numeric, 2) AS withheld_pct,
	round((avg(seconds) FILTER (WHERE release <= 5))::numeric, 3) AS first_five_s, round((avg(seconds) FILTER (WHERE release > 15))::numeric, 3) AS last_five_s
FROM run GROUP BY figure, protected, l, releases, alpha ORDER BY figure, protected DESC, l, releases, alpha;

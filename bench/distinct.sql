-- Method m-distinct, in the set-up of Li and Zhou's section VI: a tenth of the rows leaves from release to
-- release, a quarter comes, a quarter of the occupations changes.
--
--   [SIZE=full|ROWS] [D=10] [M=4] [RELEASES=20] test/run bench distinct
--
-- D is the number of occupations that one can become, itself included; DELETED=0.15 is section VI.C.2.
-- Per release: invented rows per class (Figures 7 and 8); rows whose value left the candidates of their first class,
-- which m-invariance cannot publish (Figure 4); the median error of queries over a tenth of each domain (Figures
-- 5 and 6); the loss of a cell; seconds (Figure 9), and beside them CREATE TABLE AS SELECT ... ORDER BY of the same rows.
-- Data are drawn from the numbers of the rows.  In the end, diagnoses of a hospital as they were, if they are there.
\set ON_ERROR_STOP on
\set QUIET on
\pset pager off
\pset footer off
\getenv size SIZE
\getenv d D
\getenv m M
\getenv releases RELEASES
\getenv deleted DELETED
\if :{?size}
\else
\set size 20000
\endif
\if :{?d}
\else
\set d 10
\endif
\if :{?m}
\else
\set m 4
\endif
\if :{?releases}
\else
\set releases 20
\endif
\if :{?deleted}
\else
\set deleted 0.1
\endif
SELECT replace(:'size', 'full', '200000')::int AS n \gset
SET client_min_messages = warning;
SELECT pprepub.drop_publication(name, forget_history => true) FROM pprepub.publication WHERE name = 'bench' \g /dev/null
DROP SCHEMA IF EXISTS bench CASCADE;
CREATE SCHEMA bench;
SET search_path = bench, public;

-- People of :n * 6 in all; occupations are skewed, the attributes' sizes those of Table VII.
CREATE FUNCTION drawn(i bigint, what int) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN (hashint8extended(i, what) & 16777215) / 16777216.0;
CREATE TABLE pool AS SELECT i AS id, (100 * drawn(i, 1) * (1 + drawn(i, 2)) / 2)::int AS age, (2 * drawn(i, 3) - 0.5)::int AS gender,
	(6 * drawn(i, 4) - 0.5)::int AS marital, (17 * drawn(i, 5) - 0.5)::int AS education, floor(50 * power(drawn(i, 6), 1.3))::int AS occupation
FROM generate_series(1, :n * 6) i;
CREATE TABLE people (LIKE pool);
ALTER TABLE people ADD PRIMARY KEY (id);
INSERT INTO people SELECT * FROM pool WHERE id <= :n;
CREATE TABLE updates AS SELECT a AS from_value, b AS to_value FROM generate_series(0, 49) a, generate_series(0, 49) b WHERE a / :d = b / :d;
ANALYZE;
SELECT pprepub.create_publication('bench', 'people', 'id', '{"age": "range", "gender": "suppress", "marital": "suppress", "education": "range"}',
	'occupation', 'm-distinct', jsonb_build_object('m', :m::int, 'updates', 'bench.updates')) \g /dev/null
CREATE TABLE figures (release int, rows bigint, classes bigint, counterfeits bigint, invalid bigint, error float8, loss float8, seconds float8, sorted float8);
-- The candidates of each person's first class: what m-invariance would keep him to.
CREATE TABLE first_candidates (id bigint PRIMARY KEY, occupations int[]);

CREATE FUNCTION overlap(cell int4range, low int, high int) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN CASE WHEN isempty(cell * int4range(low, high)) THEN 0 ELSE
	(coalesce(upper(cell * int4range(low, high)), high) - coalesce(lower(cell * int4range(low, high)), low))::float8
	/ greatest(1, coalesce(upper(cell), 101) - coalesce(lower(cell), 0)) END;

-- The median of |estimated - true| / estimated over counting queries on age, education and occupation.
CREATE FUNCTION query_error() RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	errors float8[] := '{}'; r float8; e float8; a int; s int; c int;
BEGIN
	FOR q IN 1..60 LOOP
		a := 10 + floor(50 * bench.drawn(q, 11)); s := floor(10 * bench.drawn(q, 12)); c := floor(30 * bench.drawn(q, 13));
		SELECT count(*) INTO r FROM people WHERE age >= a AND age < a + 25 AND education >= s AND education < s + 6 AND occupation >= c AND occupation < c + 15;
		SELECT sum(bench.overlap(age, a, a + 25) * bench.overlap(education, s, s + 6)) INTO e FROM published.bench
		WHERE occupation >= c AND occupation < c + 15;
		CONTINUE WHEN coalesce(e, 0) = 0;
		errors := errors || abs(e - r) / e;
	END LOOP;
	RETURN (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) FROM unnest(errors) x);
END $$;

CREATE PROCEDURE step(r int, n int, d int, deleted float8) LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz; sorted float8; made pprepub.release; invalid bigint;
BEGIN
	IF r > 1 THEN
		DELETE FROM people WHERE id IN (SELECT id FROM people ORDER BY bench.drawn(id, 20 + r) LIMIT n * deleted);
		INSERT INTO people SELECT * FROM pool WHERE id > n + (r - 2) * (n / 4) AND id <= n + (r - 1) * (n / 4);
		UPDATE people SET age = least(age + 1, 100);
		UPDATE people SET occupation = least(49, occupation / d * d + floor(d * bench.drawn(id, 100 + r))::int)
		WHERE id IN (SELECT id FROM people ORDER BY bench.drawn(id, 60 + r) LIMIT n / 4);
	END IF;
	SELECT count(*) INTO invalid FROM people JOIN first_candidates f USING (id) WHERE occupation <> ALL (f.occupations);
	began := clock_timestamp();
	CREATE TABLE sorted AS SELECT * FROM people ORDER BY age, gender, marital, education;
	sorted := extract(epoch FROM clock_timestamp() - began);
	DROP TABLE sorted;
	made := pprepub.publish('bench');
	INSERT INTO first_candidates SELECT k, m.sensitive FROM published_private.bench_members m CROSS JOIN unnest(m.keys) k
	WHERE m.release = r AND k IS NOT NULL ON CONFLICT DO NOTHING;
	INSERT INTO figures SELECT r, made.rows, made.classes, made.counterfeits, invalid, bench.query_error(),
		(SELECT value / (made.rows - made.counterfeits) / 4 FROM pprepub.metrics('bench', r) WHERE metric = 'lm'), made.seconds, sorted;
END $$;
SELECT format('CALL step(%s, %s, %s, %s)', r, :n, :d, :deleted) FROM generate_series(1, least(:releases, 21)) r \gexec

\echo :n rows at first, d = :d, m = :m
SELECT release, rows, round(counterfeits::numeric / classes, 4) AS invented_a_class, invalid AS lost_to_m_invariance, round(error::numeric, 4) AS median_error,
	round(loss::numeric, 4) AS loss, round(seconds::numeric, 3) AS seconds, round(sorted::numeric, 3) AS create_table_as, round((seconds / sorted)::numeric, 1) AS ratio
FROM figures WHERE release IN (1, 2, 3, 5, 10, 15, 20) ORDER BY release;
SELECT check_name, measured, holds FROM pprepub.audit('bench') WHERE check_name IN ('m-unique', 'legal updates', 'candidates', 're-publication risk') ORDER BY 1;
SELECT pprepub.drop_publication('bench', forget_history => true) \g /dev/null

-- Diagnoses of patients as they followed each other, where every diagnosis can become every other one.
\getenv serial SERIAL
\if :{?serial}
CREATE TABLE serial (release int, id int, encounter_id int, age int, gender text, race text, admission_type text, payer_code text,
	medical_specialty text, days_in_hospital int, diagnosis text, PRIMARY KEY (release, id));
\set command 'zcat ' :serial
COPY serial FROM PROGRAM :'command' WITH (FORMAT csv, HEADER);
CREATE TABLE patients AS SELECT id, age, gender, race, admission_type, diagnosis FROM serial WHERE release = 0;
ALTER TABLE patients ADD PRIMARY KEY (id);
CREATE TABLE diagnoses AS SELECT a AS from_value, b AS to_value FROM (SELECT DISTINCT diagnosis AS a FROM serial) x, (SELECT DISTINCT diagnosis AS b FROM serial) y;
SELECT pprepub.create_publication('bench', 'patients', 'id', '{"age": "range", "gender": "suppress", "race": "suppress", "admission_type": "suppress"}',
	'diagnosis', 'm-distinct', jsonb_build_object('m', :m::int, 'updates', 'bench.diagnoses')) \g /dev/null
CREATE PROCEDURE serial_step(r int) LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE patients;
	INSERT INTO patients SELECT id, age, gender, race, admission_type, diagnosis FROM serial WHERE release = r;
	PERFORM pprepub.publish('bench');
END $$;
SELECT format('CALL serial_step(%s)', r) FROM generate_series(1, 20) r \gexec
SELECT number AS release, rows, counterfeits, classes, round(seconds::numeric, 3) AS seconds FROM pprepub.release WHERE publication = 'bench' AND number IN (1, 2, 5, 10, 20) ORDER BY 1;
SELECT check_name, measured, holds FROM pprepub.audit('bench') WHERE check_name IN ('m-unique', 'legal updates', 'candidates', 're-publication risk') ORDER BY 1;
SELECT pprepub.drop_publication('bench', forget_history => true) \g /dev/null
\endif
DROP SCHEMA bench CASCADE;

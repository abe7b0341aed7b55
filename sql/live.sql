-- The live table: plain SQL is the question, and each scan is one answer.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET client_min_messages = notice;
SET ROLE regress_owner;
CREATE TABLE people (id int PRIMARY KEY, age int, zip varchar(5), sex char(1), seen timestamptz, disease text, note text COLLATE "C", weight numeric(5, 1));
INSERT INTO people SELECT i, 20 + i % 30, '53' || i % 10 + 100, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END,
	'2026-01-01 12:00+00'::timestamptz + i % 20 * interval '1 day', 'd' || i % 7, 'n' || i % 2, 50 + i % 30 + 0.5 FROM generate_series(1, 300) i;
SELECT pprepub.create_publication('asked', 'people', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress", "seen": "range", "weight": "range"}', 'disease', 'bpg',
	'{"k": 10, "l": 3, "repair": "dirty", "reserve": 1, "max_added": 1}', insensitive => '{note}') \g /dev/null
CREATE FUNCTION last_cohort(OUT number int, OUT cohort text, OUT columns text) LANGUAGE sql AS
	'SELECT number, cohort, columns::text FROM pprepub.release WHERE publication = ''asked'' ORDER BY number DESC LIMIT 1';
\set ECHO all

-- It stands beside the releases, for nobody else to read yet.
\pset format aligned \t off
\d published.asked_now
\pset format unaligned \t on \pset recordsep '; '
SELECT relkind, relowner::regrole, relacl, obj_description(oid, 'pg_class') FROM pg_class WHERE oid = 'published.asked_now'::regclass;
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'published.asked_now'::regclass AND attnum > 0 ORDER BY attnum;
GRANT USAGE ON SCHEMA published TO regress_analyst;
SET SESSION AUTHORIZATION regress_analyst;
SELECT count(*) FROM published.asked_now;
SELECT * FROM pprepub.answers('published.asked_now');
RESET SESSION AUTHORIZATION;
SET ROLE regress_owner;
GRANT SELECT ON published.asked_now, published.asked_answers TO regress_analyst;

-- Values of the source's types; conditions are the cohort, columns that are not used are not shown.
SET SESSION AUTHORIZATION regress_analyst;
SELECT pg_typeof(age), pg_typeof(zip), pg_typeof(sex), pg_typeof(seen), pg_typeof(disease), pg_typeof(note), pg_typeof(weight), pg_typeof(class), pg_typeof(cells)
FROM published.asked_now LIMIT 1;
SELECT count(*), count(DISTINCT disease), bool_and(age BETWEEN 30 AND 49) AS middles FROM published.asked_now WHERE age >= 30;
RESET SESSION AUTHORIZATION;
SET ROLE regress_owner;
SELECT * FROM last_cohort();

-- ---- Which conditions are asked ----

-- the cohort in words, without asking
CREATE FUNCTION cohort_of(query text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(btrim(line), '; ') FROM explained('COSTS OFF', query) line WHERE line ~ '(Cohort|Columns|Filter|One-Time)' $$;
SELECT cohort_of('SELECT age, disease FROM published.asked_now WHERE age > 40 AND sex = ''F'' AND note IS NOT NULL');
SELECT cohort_of('SELECT age FROM published.asked_now WHERE age BETWEEN 30 AND 40 AND zip LIKE ''531%'' AND sex IN (''F'', ''M'')');
SELECT cohort_of('SELECT disease FROM published.asked_now WHERE (age < 30 OR sex = ''F'') AND NOT (zip = ''53101'')');
SELECT cohort_of('SELECT disease FROM published.asked_now WHERE seen >= now() - interval ''30 days'' AND weight < 60 AND age IS DISTINCT FROM 33');
-- the sensitive column, sums of columns, an OR with other columns: applied to what comes out
SELECT cohort_of('SELECT age FROM published.asked_now WHERE disease = ''d1'' AND age > 40');
SELECT cohort_of('SELECT disease FROM published.asked_now WHERE age + 1 > 40');
SELECT cohort_of('SELECT disease FROM published.asked_now WHERE age > 40 OR disease = ''d1''');
SELECT cohort_of('SELECT disease FROM published.asked_now WHERE class > 1 AND cells->>''sex'' = ''*''');
SELECT cohort_of('SELECT disease FROM published.asked_now WHERE sex ILIKE ''f'' AND zip ~ ''53'' AND zip COLLATE "C" > ''5''');
SELECT cohort_of('SELECT disease FROM published.asked_now WHERE random() < 0.5');
-- what is false before anybody is asked
SELECT cohort_of('SELECT disease FROM published.asked_now WHERE age > 40 AND false');
-- joins: outer joins keep what they are made of
SELECT cohort_of('SELECT p.disease FROM generate_series(1, 3) g JOIN published.asked_now p ON p.age = g AND p.sex = ''F'' WHERE p.age > 30');
SELECT cohort_of('SELECT p.disease FROM generate_series(1, 3) g LEFT JOIN published.asked_now p ON p.age = g AND p.sex = ''F''');
SELECT cohort_of('SELECT p.disease FROM published.asked_now p LEFT JOIN generate_series(1, 3) g ON p.age = g AND p.sex = ''F'' WHERE p.age > 30');
SELECT cohort_of('SELECT p.disease FROM published.asked_now p FULL JOIN generate_series(1, 3) g ON p.age = g WHERE p.age IS NULL');
SELECT cohort_of('SELECT g FROM generate_series(1, 3) g WHERE EXISTS (SELECT FROM published.asked_now p WHERE p.age = g AND p.sex = ''F'')');
SELECT cohort_of('SELECT g FROM generate_series(1, 3) g WHERE NOT EXISTS (SELECT FROM published.asked_now p WHERE p.age = g AND p.sex = ''F'')');
-- what follows from a join is about what comes out
SELECT cohort_of('SELECT count(*) FROM (VALUES (''53101''), (''53102'')) z (zip) JOIN published.asked_now p USING (zip) WHERE z.zip = ''53101''');
-- subqueries that stand by themselves are computed first; others are not asked
SELECT cohort_of('SELECT disease FROM published.asked_now WHERE age > (SELECT 40)');
SELECT cohort_of('SELECT disease FROM published.asked_now WHERE age > (SELECT max(g) FROM generate_series(1, 40) g)');
SELECT cohort_of('SELECT (SELECT count(*) FROM published.asked_now p WHERE p.age > g) FROM generate_series(30, 32) g');
SELECT cohort_of('SELECT * FROM (SELECT age, count(*) FROM published.asked_now WHERE sex = ''M'' GROUP BY age) s WHERE age > 40');
SELECT cohort_of('WITH a AS MATERIALIZED (SELECT age FROM published.asked_now) SELECT * FROM a WHERE age > 40');
-- columns: of cells those that are named
SELECT cohort_of('SELECT count(*) FROM published.asked_now WHERE sex = ''F''');
SELECT cohort_of('SELECT cells->>''age'', (cells->>''seen'')::tstzrange FROM published.asked_now');
SELECT cohort_of('SELECT cells FROM published.asked_now');
SELECT cohort_of('SELECT a FROM published.asked_now a');
SELECT cohort_of('SELECT disease FROM published.asked_now ORDER BY class');
-- all cells, where it cannot be seen which are looked at
SELECT cohort_of('SELECT key FROM published.asked_now a, LATERAL jsonb_each_text(a.cells) WHERE a.age = 30');
SELECT cohort_of('SELECT c FROM published.asked_now a, LATERAL (SELECT a.cells->>''age'' AS c OFFSET 0) x');
SELECT cohort_of('SELECT cells->>''age'' FROM (SELECT cells FROM published.asked_now UNION ALL SELECT cells FROM published.asked_now) u');
-- rows that are kept to be looked at again need no more columns than the query does
SELECT cohort_of('SELECT g FROM generate_series(1, 3) g JOIN published.asked_now p ON p.age = g FOR UPDATE OF p');
SELECT cohort_of('UPDATE people SET age = people.age FROM published.asked_now p WHERE p.zip = people.zip');
SELECT cohort_of('UPDATE people SET note = p::text FROM published.asked_now p WHERE p.zip = people.zip');
-- what is made one query of with others shares its conditions
SELECT cohort_of('SELECT age FROM (SELECT age, sex FROM published.asked_now UNION ALL SELECT age, sex FROM people) u WHERE sex = ''F''');

-- With values that are known when the query begins, in the way the session has them
SET timezone = 'America/New_York';
SET datestyle = 'German';
SET intervalstyle = 'iso_8601';
PREPARE p(int, text, date) AS SELECT count(*) > 0 AS some FROM published.asked_now WHERE age >= $1 AND sex = $2 AND seen > $3;
EXECUTE p(25, 'F', '05.01.2026');
SELECT * FROM last_cohort();
SET plan_cache_mode = force_generic_plan;
EXECUTE p(25, 'F', '05.01.2026');
SELECT * FROM last_cohort();
EXECUTE p(25, 'F', '06.01.2026');
SELECT * FROM last_cohort();
EXECUTE p(NULL, 'F', '05.01.2026');
EXPLAIN (COSTS OFF) EXECUTE p(25, 'F', '05.01.2026');
RESET plan_cache_mode;
DEALLOCATE p;
SELECT count(*) > 0 AS some FROM published.asked_now WHERE seen BETWEEN timestamp '2026-01-03 00:00' AND timestamptz '2026-01-15 00:00' AND age IN (20, 21, 22, 23, 24, 25)
	AND weight >= (SELECT 50.5) AND zip <> '53''101' AND age > -1;
SELECT * FROM last_cohort();
-- local times follow one another as points in time do, but where clocks are changed
CREATE TABLE local_times (id int, at timestamp, on_day date, disease text);
INSERT INTO local_times SELECT i, timestamp '2026-11-01 00:30' + i % 4 * interval '1 hour', date '2026-10-31' + i % 3, 'd' || i % 3 FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('local', 'local_times', 'id', '{"at": "range", "on_day": "range"}', 'disease', 'bpg', '{"k": 1, "reserve": 1}') \g /dev/null
SELECT at_time, (SELECT count(*) FROM local_times WHERE at >= at_time) AS true_count FROM unnest('{2026-11-01 03:00-05,2026-11-02 00:00-05,2026-10-31 20:00-04}'::timestamptz[]) at_time;
SELECT count(*) FROM published.local_now WHERE at >= timestamptz '2026-11-01 03:00-05';
SELECT count(*) FROM published.local_now WHERE at >= timestamptz '2026-11-02 00:00-05';
SELECT count(*) FROM published.local_now WHERE at >= timestamptz '2026-10-31 20:00-04';
SELECT count(*) FROM published.local_now WHERE at >= timestamptz '2026-11-01 01:30-05';
SELECT count(*) FROM published.local_now WHERE at >= timestamptz '2026-11-01 01:30-04';
SELECT count(*) FROM published.local_now WHERE at >= CAST(timestamptz '2026-11-01 01:30-04' AS timestamp);
SELECT count(*), (SELECT count(*) FROM local_times WHERE on_day >= timestamptz '2026-11-01 12:00-05') AS true_count FROM published.local_now WHERE on_day >= timestamptz '2026-11-01 12:00-05';
SELECT cohort_of('SELECT at FROM published.local_now WHERE on_day IN (timestamptz ''2026-11-01 00:00-04'', timestamptz ''2026-11-02 00:00-05'')');
SELECT pprepub.drop_publication('local', true) \g /dev/null
DROP TABLE local_times;
RESET timezone;
RESET datestyle;
RESET intervalstyle;

-- A condition that is asked says nothing of what comes out: these rows are sorted before they are grouped.
EXPLAIN (COSTS OFF) SELECT sex, count(*) FROM published.asked_now WHERE sex = 'F' GROUP BY sex;

-- Conditions that are applied to generalized values are told, once a scan.
SELECT count(*) > 0 AS some FROM published.asked_now WHERE age * 2 > 50 AND sex = 'F';
SELECT count(*) > 0 AS some FROM published.asked_now p JOIN (VALUES ('53101'), ('53102')) z (zip) USING (zip) WHERE sex = 'F' OR disease = 'd1';
SELECT count(*) > 0 AS some FROM published.asked_now p LEFT JOIN (VALUES ('53101'), ('53101')) z (zip) USING (zip);
SELECT count(*) > 0 AS some FROM (SELECT age, sex FROM published.asked_now UNION ALL SELECT age, sex FROM people) u WHERE sex = 'F';

-- ---- One scan, one answer ----

\set ECHO none
SET client_min_messages = warning;
CREATE FUNCTION asked_since() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	since bigint := coalesce(nullif(current_setting('test.asked', true), ''), '0');
BEGIN
	PERFORM set_config('test.asked', (last_cohort()).number::text, false);
	RETURN current_setting('test.asked')::bigint - since;
END $$;
\set ECHO all
SELECT asked_since() > 0 AS asked;
EXPLAIN (COSTS OFF) SELECT * FROM published.asked_now WHERE age > 30;
SELECT * FROM published.asked_now LIMIT 0;
WITH unused AS (SELECT * FROM published.asked_now) SELECT 1 AS one;
SELECT count(*) FROM published.asked_now WHERE false;
SELECT asked_since() AS none;
SELECT count(*) > 0 AS ok FROM generate_series(1, 5) g, published.asked_now;
SELECT asked_since() AS once;
SELECT sum(n) > 0 AS ok FROM (SELECT (SELECT count(*) FROM published.asked_now p WHERE p.age > g) AS n FROM generate_series(30, 32) g) s;
SELECT asked_since() AS once;
SELECT sum(n) > 0 AS ok FROM generate_series(30, 32) g, LATERAL (SELECT count(*) AS n FROM published.asked_now p WHERE p.age > g OFFSET 0) p;
SELECT asked_since() AS once;
WITH a AS MATERIALIZED (SELECT * FROM published.asked_now) SELECT count(*) > 0 AS ok FROM a JOIN a b USING (class);
SELECT asked_since() AS once;
SELECT count(*) FROM published.asked_now a JOIN published.asked_now b USING (class);
SELECT asked_since() AS once;
SELECT explained('ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', $$SELECT disease FROM published.asked_now WHERE age > 30 AND sex = 'F'$$);
SELECT asked_since() AS once;
BEGIN;
DECLARE c CURSOR FOR SELECT 'row' FROM published.asked_now;
FETCH 2 FROM c;
SAVEPOINT s;
FETCH 2 FROM c;
ROLLBACK TO s;
FETCH 1 FROM c;
COMMIT;
SELECT asked_since() AS once;
BEGIN;
SAVEPOINT s;
DECLARE c SCROLL CURSOR FOR SELECT 'row' FROM published.asked_now;
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
ROLLBACK TO s;
COMMIT;
SELECT asked_since() AS once;
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT 'row' FROM published.asked_now;
COMMIT;
FETCH 2 FROM c;
CLOSE c;
SELECT asked_since() AS once;
-- a query with a live table is run by one process, whatever else it reads
SELECT force_parallel('on');
SET parallel_setup_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*) > 0 AS ok FROM published.asked_now a JOIN people p ON p.disease = a.disease;
SELECT asked_since() AS once;
SELECT force_parallel('off');
RESET parallel_setup_cost;
RESET min_parallel_table_scan_size;
-- other values of a parameter would be another question
SELECT sum(n) FROM generate_series(30, 32) g, LATERAL (SELECT count(*) AS n FROM published.asked_now p WHERE p.age > (SELECT g + 0 * max(h) FROM generate_series(1, 2) h) OFFSET 0) p;
SELECT asked_since() AS once;

-- Seen and rolled back is seen; where nothing may be written, nobody is asked.
SET SESSION AUTHORIZATION regress_analyst;
BEGIN;
SELECT count(*) > 0 AS ok FROM published.asked_now;
ROLLBACK;
BEGIN READ ONLY;
SELECT count(*) FROM published.asked_now;
ROLLBACK;
RESET SESSION AUTHORIZATION;
CREATE MATERIALIZED VIEW kept AS SELECT class FROM published.asked_now;
CREATE TEMP TABLE kept AS SELECT class FROM published.asked_now;
DROP TABLE kept;
SET ROLE regress_owner;
SELECT asked_since() AS twice;

-- Answers are counted, and told how many are left.
SELECT pprepub.alter_publication('asked', format('{"max_answers_per_role": %s, "max_answers_per_statement": 1}', count(*) + 2)::jsonb)
FROM pprepub.release WHERE publication = 'asked' AND published_by = 'regress_analyst';
SET SESSION AUTHORIZATION regress_analyst;
SELECT * FROM published.asked_answers \g (format=aligned t=off)
SELECT count(*) FROM published.asked_now a JOIN published.asked_now b USING (class);
SELECT count(*) > 0 AS ok FROM published.asked_now;
SELECT answers_left FROM published.asked_answers;
SELECT count(*) FROM published.asked_now;
RESET SESSION AUTHORIZATION;
SET ROLE regress_owner;
SELECT pprepub.alter_publication('asked', '{"max_answers_per_role": 1000}') \g /dev/null

-- ---- What cannot be done with it ----

INSERT INTO published.asked_now (age) VALUES (1);
UPDATE published.asked_now SET age = 1;
DELETE FROM published.asked_now;
TRUNCATE published.asked_now;
COPY published.asked_now TO STDOUT;
ANALYZE published.asked_now;
IMPORT FOREIGN SCHEMA published FROM SERVER pprepub INTO public;
CREATE INDEX ON published.asked_now (age);
CREATE FOREIGN TABLE stranger (age int) SERVER pprepub;
SELECT * FROM stranger;
EXPLAIN SELECT * FROM stranger;
DROP FOREIGN TABLE stranger;
CREATE FOREIGN TABLE stranger (age int) SERVER pprepub OPTIONS (publication 'asked');
ALTER FOREIGN TABLE published.asked_now OPTIONS (ADD k '1');
CREATE USER MAPPING FOR regress_owner SERVER pprepub OPTIONS (password 'x');
-- its owner may change it, and then it is not what it was made as
ALTER FOREIGN TABLE published.asked_now ADD COLUMN more int;
SELECT count(*) FROM published.asked_now;
ALTER FOREIGN TABLE published.asked_now DROP COLUMN more;
SELECT count(*) > 0 AS ok FROM published.asked_now;
DROP FOREIGN TABLE published.asked_now;
\set VERBOSITY terse
DROP FOREIGN TABLE published.asked_now CASCADE;
SELECT pprepub.alter_publication('asked', '{}') \g /dev/null
SELECT count(*) > 0 AS ok, max(relacl::text) FROM published.asked_now, pg_class WHERE pg_class.oid = 'published.asked_now'::regclass;
SELECT relname, relacl FROM pg_class WHERE oid = 'published.asked_answers'::regclass;

-- ---- Views and functions over it ----

GRANT SELECT ON published.asked_now TO regress_analyst;
CREATE VIEW women AS SELECT age, disease FROM published.asked_now WHERE sex = 'F';
CREATE VIEW guarded WITH (security_barrier) AS SELECT age, disease FROM published.asked_now WHERE sex = 'F';
SELECT cohort_of('SELECT disease FROM women WHERE age > 40');
SELECT cohort_of('SELECT disease FROM guarded WHERE age > 40');
GRANT SELECT ON women TO regress_other;
SET SESSION AUTHORIZATION regress_other;
SELECT count(*) > 0 AS ok FROM women WHERE age > 30;
SELECT count(*) FROM published.asked_now;
RESET SESSION AUTHORIZATION;
SET ROLE regress_owner;
SELECT published_by, cohort, columns FROM pprepub.release WHERE publication = 'asked' ORDER BY number DESC LIMIT 1;
-- rights on some columns
REVOKE SELECT ON published.asked_now FROM regress_analyst;
GRANT SELECT (age) ON published.asked_now TO regress_analyst;
SET SESSION AUTHORIZATION regress_analyst;
SELECT count(*) > 0 AS ok FROM published.asked_now WHERE age > 30;
SELECT count(*) FROM published.asked_now WHERE sex = 'F';
SELECT answers_used > 0 AS used FROM pprepub.answers('published.asked_now');
\set ECHO none
RESET SESSION AUTHORIZATION;
SET ROLE regress_owner;

-- ---- Sources that fail: their owner is told, others are not ----

CREATE FUNCTION fail(id int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF id = 50 THEN
		RAISE EXCEPTION 'secret %', id;
	END IF;
	RETURN id;
END $$;
CREATE VIEW failing AS SELECT fail(id) AS id, age, disease FROM people;
\set ECHO all
SELECT pprepub.create_publication('failing', 'failing', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 3, "max_answers_per_statement": 10}', beside => '{asked}');
GRANT SELECT ON published.failing_now TO regress_analyst;
GRANT EXECUTE ON FUNCTION published.failing TO regress_analyst;
SET SESSION AUTHORIZATION regress_analyst;
SELECT * FROM published.failing_now;
SELECT * FROM published.failing();
SET SESSION AUTHORIZATION regress_owner;
SELECT * FROM published.failing_now;
SELECT * FROM published.failing();
-- code that could keep the error is not told
DO $$
BEGIN
	PERFORM FROM published.failing_now;
	PERFORM FROM published.failing();
	RAISE WARNING 'told nothing';
END $$;
SELECT release, sqlstate, message FROM pprepub.failed_answer WHERE publication = 'failing' ORDER BY release;
RESET SESSION AUTHORIZATION;
-- a session of a superuser's that acts as an analyst sees what analysts see
SET ROLE regress_analyst;
SELECT * FROM published.failing_now;
SELECT * FROM published.failing();
\set ECHO none
SET ROLE regress_owner;
SELECT pprepub.drop_publication('failing', true) \g /dev/null
DROP VIEW failing;
DROP FUNCTION fail;

-- ---- Values of every kind, live and in the view of the newest release ----

CREATE TYPE mood AS ENUM ('well', 'ill');
CREATE TABLE moods (mood text, root text);
INSERT INTO moods VALUES ('well', 'any'), ('ill', 'any');
CREATE TABLE codes (code text, region text, world text);
INSERT INTO codes VALUES ('1', 'west', 'world'), ('2', 'west', 'world'), ('3', 'east', 'world'), ('4', 'east', 'world');
SELECT pprepub.create_taxonomy('moods', 'moods') \g /dev/null
SELECT pprepub.create_taxonomy('codes', 'codes') \g /dev/null
SELECT pprepub.create_range_taxonomy('tens', 0, 100, '{5, 10, 20}') \g /dev/null
CREATE TABLE kinds (id int, small int2, big int8, real8 float8, day date, hour timestamp, code int, mood mood, ten int, flag bool, name varchar(3), disease text);
INSERT INTO kinds SELECT i, i % 4, 10 * (i % 4), (i % 4) / 2.0, '2026-01-01'::date + i % 4, '2026-01-01 10:00'::timestamp + i % 4 * interval '1 hour', 1 + i % 4,
	(enum_range(NULL::mood))[1 + i % 2], 10 * (i % 4) + 3, i % 2 = 0, 'n' || i % 2, 'd' || i % 3 FROM generate_series(1, 240) i;
SELECT pprepub.create_publication('kinds', 'kinds', 'id', '{"small": "range", "big": "range", "real8": "range", "day": "range", "hour": "range", "code": "taxonomy codes",
	"mood": "taxonomy moods", "ten": "taxonomy tens", "flag": "suppress", "name": "prefix"}', 'disease', 'bpg', '{"k": 10, "l": 2, "reserve": 1}') \g /dev/null
\set ECHO all
SELECT rows FROM pprepub.publish('kinds');
\d published.kinds_values
SELECT small, big, real8, day, hour, code, mood, ten, flag, name, cells - 'hour' AS cells, count(*) FROM published.kinds_values GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ORDER BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 \g (format=aligned t=off)
-- a live answer about everybody has the same values as the release before it
SELECT count(*) FROM (SELECT small, big, real8, day, hour, code, mood, ten, flag, name, cells, disease FROM published.kinds_now
	EXCEPT ALL SELECT small, big, real8, day, hour, code, mood, ten, flag, name, cells, disease FROM published.kinds_values) d;
SELECT small, day, count(*) FROM published.kinds_now WHERE small <= 1 AND flag AND mood = 'ill' GROUP BY 1, 2 ORDER BY 1, 2;
SELECT small, day, count(*) FROM published.kinds_now WHERE small <= 1 AND NOT flag GROUP BY 1, 2 ORDER BY 1, 2;
SELECT cohort FROM pprepub.release WHERE publication = 'kinds' ORDER BY number DESC LIMIT 1;
-- withheld cells are NULL, and so are missing values, which cells tell apart
UPDATE kinds SET small = NULL, big = NULL WHERE id % 4 = 0;
SELECT pprepub.drop_publication('kinds', true) \g /dev/null
SELECT pprepub.create_publication('kinds', 'kinds', 'id', '{"small": "range", "name": "prefix"}', 'disease', 'bpg', '{"k": 50, "l": 2, "reserve": 1}') \g /dev/null
SELECT small, name, cells, count(*) FROM published.kinds_now GROUP BY 1, 2, 3 ORDER BY 1, 2, 3;
SELECT pprepub.drop_publication('kinds', true) \g /dev/null
DROP TABLE kinds, moods, codes;
DROP TYPE mood;
SELECT pprepub.drop_taxonomy('moods'), pprepub.drop_taxonomy('codes'), pprepub.drop_taxonomy('tens');

-- ---- What analysts may know ----

SELECT pprepub.create_publication('told', 'people', 'id', '{"age": "range", "sex": "suppress"}', 'disease', 'bpg',
	'{"k": 5, "l": 2, "frequency": 1.5, "repair": "dirty", "reserve": 1}', beside => '{asked}') \g /dev/null
SELECT * FROM published.told_answers;
SELECT number FROM pprepub.publish('told');
SELECT number FROM pprepub.publish('told', cohort => 'age > 30');
SELECT number FROM pprepub.publish('told', columns => '{age,disease}');
DELETE FROM people WHERE id > 290;
SELECT number FROM pprepub.publish('told');
SELECT release, relation, kind, columns, rows, withheld_percent, invented_percent, k, l, principle, repair FROM published.told_releases ORDER BY release \g (format=aligned t=off)
SELECT round(100.0 * suppressed / (rows + suppressed)) AS withheld FROM pprepub.release WHERE publication = 'told' AND number = 4;
SELECT release, count(*) FROM published.told_all GROUP BY release ORDER BY release;
SELECT count(*) = (SELECT count(*) FROM published.told_4) AS newest FROM published.told;
SELECT relname, obj_description(oid, 'pg_class') FROM pg_class WHERE relnamespace = 'published'::regnamespace AND relkind IN ('r', 'v', 'f') AND relname LIKE 'told%' ORDER BY 1 \g (recordsep='\n')
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'published.told_4'::regclass AND attnum > 0 ORDER BY attnum;
-- parameters change, and so do comments
SELECT pprepub.alter_publication('told', '{"frequency": 1.4, "accept_weakening": true}') \g /dev/null
SELECT obj_description('published.told_now'::regclass, 'pg_class') LIKE '%promises k = 5, l = 2, frequency = 1.4' AS says_so;
-- neither is anybody's to change, but the list stays as it is
INSERT INTO published.told_releases (release) VALUES (1);
DELETE FROM published.told_releases;
DROP TABLE published.told_releases;
ALTER TABLE published.told_releases DISABLE TRIGGER ALL;
-- columns that are called like ours have their names, and ours get another one
CREATE TABLE named AS SELECT i AS id, i % 10 AS release, i % 3 AS cells, i % 5 AS published_at, 'd' || i % 4 AS disease FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('named', 'named', 'id', '{"release": "range", "cells": "range", "published_at": "range"}', 'disease', 'bpg', '{"k": 2}') \g /dev/null
SELECT number FROM pprepub.publish('named');
SELECT release_, published_at_ < now() AS before, count(release) AS releases, count(published_at) AS times FROM published.named_all GROUP BY 1, 2;
SELECT count(*), count(cells) AS cells, count(cells_->>'cells') AS texts FROM published.named_now WHERE release < 5;
SELECT count(*), count(cells) AS cells, count(cells_->>'cells') AS texts FROM published.named_values;
SELECT pprepub.drop_publication('named', true) \g /dev/null
DROP TABLE named;
-- many columns
SELECT format('CREATE TABLE wide AS SELECT i AS id, ''d'' || i %% 3 AS disease, %s FROM generate_series(1, 30) i', string_agg(format('i %% 2 AS c%s', n), ', ')) FROM generate_series(1, 200) n \gexec
SELECT pprepub.create_publication('wide', 'wide', 'id', (SELECT jsonb_object_agg('c' || n, 'range') FROM generate_series(1, 200) n), 'disease', 'bpg', '{"k": 5}') \g /dev/null
SELECT number FROM pprepub.publish('wide');
SELECT DISTINCT cells->>'c1' AS c1, cells->>'c200' AS c200 FROM published.wide_values ORDER BY 1;
SELECT DISTINCT (SELECT count(*) FROM jsonb_object_keys(cells)) AS cells FROM published.wide_now;
SELECT pprepub.drop_publication('wide', true) \g /dev/null
DROP TABLE wide;

-- The tables go with the publication.
DROP VIEW women, guarded;
SELECT pprepub.drop_publication('asked', true), pprepub.drop_publication('told', true);
SELECT relname FROM pg_class WHERE relnamespace = 'published'::regnamespace;
CALL public.clean();

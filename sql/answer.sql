-- Answers on the fly: who may ask, what comes, when it counts.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET client_min_messages = warning;
SET ROLE regress_owner;
CREATE TABLE people (id int PRIMARY KEY, age int, zip varchar(5), disease text, note text COLLATE "C");
INSERT INTO people SELECT i, 20 + i % 30, '53' || i % 10 + 100, 'd' || i % 7, 'n' || i % 2 FROM generate_series(1, 300) i;
SELECT pprepub.create_publication('asked', 'people', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'bpg',
	'{"k": 10, "l": 3, "repair": "dirty"}', insensitive => '{note}') \g /dev/null
CREATE VIEW asked_so_far AS
	SELECT number, kind, published_by, relation, cohort, columns, rows FROM pprepub.release WHERE publication = 'asked' ORDER BY number;
\set ECHO all

-- The functions stand beside the releases, the one that answers for nobody else to call yet.
SELECT proname, pg_get_function_arguments(oid), pg_get_function_result(oid), provolatile, proparallel, prosecdef, proconfig, proowner::regrole, proacl,
	obj_description(oid, 'pg_proc') FROM pg_proc WHERE pronamespace = 'published'::regnamespace ORDER BY proname;
GRANT USAGE ON SCHEMA published TO regress_analyst;
SET SESSION AUTHORIZATION regress_analyst;
SELECT count(*) FROM published.asked();
SELECT count(*) FROM pprepub_internal.answer('asked', NULL, NULL) AS a(class bigint);
RESET SESSION AUTHORIZATION;
SET ROLE regress_owner;
SELECT * FROM asked_so_far;
GRANT EXECUTE ON FUNCTION published.asked TO regress_analyst;

-- Rows, typed like those of a release; each call is one.
SET SESSION AUTHORIZATION regress_analyst;
SELECT count(*), count(DISTINCT class), bool_and(age <@ '[20,50)' AND zip LIKE '53%'), count(DISTINCT disease), count(note) FROM published.asked();
SELECT count(*), bool_and(age = '(,)'), bool_and(zip = '*'), count(disease), count(note) FROM published.asked(columns => '{disease}');
SELECT pg_typeof(class), pg_typeof(age), pg_typeof(zip), pg_typeof(disease), pg_typeof(note) FROM published.asked() LIMIT 1;
RESET SESSION AUTHORIZATION;
SELECT * FROM asked_so_far \g (format=aligned t=off)
SELECT check_name, holds FROM pprepub.audit('asked') WHERE NOT holds;

-- A wrong request gets an error, and costs nothing.
SET SESSION AUTHORIZATION regress_analyst;
SELECT * FROM published.asked(columns => '{weight}');
SELECT * FROM published.asked(columns => '{id}');
SELECT * FROM published.asked(columns => '{}');
RESET SESSION AUTHORIZATION;
SELECT * FROM pprepub_internal.answer('asked', NULL, NULL) AS a(class bigint);
\set VERBOSITY terse
SELECT pprepub_internal.answer('asked', NULL, NULL);
SELECT * FROM pprepub_internal.answer('nothing', NULL, NULL) AS a(class bigint);
SELECT * FROM pprepub_internal.answer(NULL, NULL, NULL) AS a(class bigint);
SELECT count(*) FROM asked_so_far;

-- A request that comes to other columns has been answered, and counts.
SELECT max(number) FROM asked_so_far WHERE rows > 0;

-- Seen and rolled back is seen.
SET SESSION AUTHORIZATION regress_analyst;
BEGIN;
SELECT count(*) FROM published.asked();
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
SELECT count(*) FROM published.asked();
SELECT count(*) FROM published.asked();
ROLLBACK;
RESET SESSION AUTHORIZATION;
SELECT count(*) FROM asked_so_far;

-- Where nothing may be written.
SET SESSION AUTHORIZATION regress_analyst;
BEGIN READ ONLY;
SELECT count(*) FROM published.asked();
ROLLBACK;
RESET SESSION AUTHORIZATION;
CREATE MATERIALIZED VIEW kept AS SELECT class FROM published.asked();
CREATE TEMP TABLE kept AS SELECT class FROM published.asked();
SELECT count(*) FROM kept;
\set ECHO none
DROP TABLE kept;

-- Whatever a column holds: types of the owner's, nulls, values larger than what is sent at once.
SET ROLE regress_owner;
CREATE TYPE mood AS ENUM ('well', 'ill');
CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN short AS varchar(3);
CREATE TABLE wide (id text, day date, mood mood, pair pair, tags short[], big text);
ALTER TABLE wide ALTER big SET STORAGE EXTERNAL;
INSERT INTO wide SELECT 'P' || i, '2020-01-01'::date + i % 10, (enum_range(NULL::mood))[1 + i % 2], (i % 3, repeat('b', 9000))::pair,
	ARRAY['t' || i % 4, NULL], CASE WHEN i > 1 THEN repeat('x', 300000) END FROM generate_series(1, 20) i;
\set ECHO all
SELECT pprepub.create_publication('wide', 'wide', 'id', '{"day": "range", "mood": "suppress"}', 'big', 'bpg', '{"k": 2, "repair": "dirty"}', insensitive => '{pair,tags}');
SELECT pg_get_function_result('published.wide'::regproc);
CREATE TEMP TABLE answer AS SELECT * FROM published.wide();
SELECT count(*), count(big), min(length(big)), max(length(big)), min(length((pair).b)), array_agg(DISTINCT (pair).a), bool_and(lower_inc(day)),
	array_agg(DISTINCT tags), array_agg(DISTINCT mood) FROM answer;
\set ECHO none
DROP TABLE answer;
SELECT pprepub.drop_publication('wide', true) \g /dev/null
DROP TABLE wide;
DROP TYPE mood, pair, short;
RESET ROLE;

-- ---- Wherever it is called ----

CREATE FUNCTION asked_since(boolean DEFAULT false) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	since bigint := coalesce(nullif(current_setting('test.asked', true), ''), '0');
BEGIN
	PERFORM set_config('test.asked', count(*)::text, false) FROM asked_so_far;
	RETURN current_setting('test.asked')::bigint - since;
END $$;
\set ECHO all
SELECT asked_since() > 0 AS asked;

-- run not at all
EXPLAIN (COSTS OFF) SELECT * FROM published.asked();
SELECT * FROM published.asked() LIMIT 0;
WITH unused AS (SELECT * FROM published.asked()) SELECT 1 AS one;
SELECT count(*) FROM published.asked() WHERE false;
SELECT asked_since() AS none;

-- run once
SELECT count(*) > 0 AS ok FROM (SELECT DISTINCT class FROM published.asked()) subquery;
SELECT asked_since() AS once;
WITH a AS (SELECT * FROM published.asked()) SELECT count(*) FROM a JOIN a b USING (class, age, zip, disease, note) WHERE a.class < 0;
SELECT asked_since() AS once;
SELECT count(*) FROM generate_series(1, 5) g, published.asked();
SELECT asked_since() AS once;
SELECT explained('ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', $$SELECT * FROM published.asked()$$);
SELECT asked_since() AS once;
SELECT count(*) FROM (SELECT published.asked()) s;
SELECT asked_since() AS once;
PREPARE p AS SELECT count(*) FROM published.asked(columns => $1);
EXECUTE p('{age}');
EXECUTE p('{zip}');
SELECT asked_since() AS twice;
DEALLOCATE p;
CREATE VIEW asking AS SELECT age, count(*) FROM published.asked() GROUP BY age;
SELECT sum(count) FROM asking;
SELECT asked_since() AS once;
BEGIN;
DECLARE c CURSOR FOR SELECT 'row' FROM published.asked();
FETCH 2 FROM c;
FETCH 2 FROM c;
MOVE ALL FROM c;
CLOSE c;
COMMIT;
SELECT asked_since() AS once;
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT 'row' FROM published.asked();
COMMIT;
FETCH 2 FROM c;
SELECT asked_since() AS once;
CLOSE c;
SELECT force_parallel('on');
SET parallel_setup_cost = 0;
SELECT count(*) > 0 AS ok FROM published.asked() a JOIN people p ON p.disease = a.disease;
SELECT asked_since() AS once;
-- a function that says of itself what is not true of an answer
CREATE FUNCTION mislabelled() RETURNS bigint LANGUAGE sql PARALLEL SAFE AS 'SELECT count(*) FROM published.asked()';
\set VERBOSITY terse
SELECT mislabelled();
\set VERBOSITY default
DROP FUNCTION mislabelled;
SELECT force_parallel('off');
RESET parallel_setup_cost;
SELECT asked_since() AS none;

-- A statement has one, unless the owner allows more.
SELECT count(*) FROM unnest('{age,zip}'::name[]) c, LATERAL published.asked(columns => ARRAY[c]);
SELECT (SELECT count(*) FROM published.asked(columns => ARRAY[c])) FROM unnest('{age,zip}'::name[]) c;
SELECT count(*) FROM asking JOIN asking b USING (age);
DO $$
BEGIN
	FOR i IN 1 .. 3 LOOP
		BEGIN
			PERFORM FROM published.asked();
			RAISE WARNING 'answered';
		EXCEPTION WHEN configuration_limit_exceeded THEN
			RAISE WARNING 'refused';
		END;
	END LOOP;
END $$;
SELECT asked_since() AS four;
SELECT pprepub.alter_publication('asked', '{"max_answers_per_statement": 2}') \g /dev/null
SELECT count(*) FROM unnest('{age,zip}'::name[]) c, LATERAL published.asked(columns => ARRAY[c]);
SELECT count(*) FROM unnest('{age,zip,note}'::name[]) c, LATERAL published.asked(columns => ARRAY[c]);
SELECT asked_since() AS four;

-- A role has so many, and no more.
SELECT pprepub.alter_publication('asked', format('{"max_answers_per_role": %s}', count(*) + 1)::jsonb)
FROM asked_so_far WHERE published_by = 'regress_analyst';
SET SESSION AUTHORIZATION regress_analyst;
SELECT count(*) FROM published.asked();
SELECT count(*) FROM published.asked();
\set VERBOSITY default
RESET SESSION AUTHORIZATION;
SELECT asked_since() AS once;

-- ---- Locks and rows of the transaction that asks ----

SET ROLE regress_other;
CREATE TABLE others AS SELECT i AS id, i % 10 AS age, 'd' || i % 7 AS disease FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('locked', 'others', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 3, "l": 2}', target => 'others') \g /dev/null
\set VERBOSITY terse
BEGIN; LOCK TABLE others; SELECT count(*) FROM others.locked(); ROLLBACK;
BEGIN; ALTER TABLE others ADD COLUMN weight int; SELECT count(*) FROM others.locked(); ROLLBACK;
BEGIN; SELECT number FROM pprepub.publish('locked'); SELECT count(*) FROM others.locked(); ROLLBACK;
\set VERBOSITY default
BEGIN;
SELECT pprepub.create_publication('fresh', 'others', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 3}', target => 'others', beside => '{locked}') \g /dev/null
SELECT count(*) FROM others.fresh();
ROLLBACK;
BEGIN;
INSERT INTO others SELECT i, 5, 'd1' FROM generate_series(101, 200) i;
SELECT count(*) FROM others.locked();
COMMIT;
SELECT number, kind, rows FROM pprepub.release WHERE publication = 'locked';

-- ---- A source that fails looks like one without anybody ----

\set ECHO none
CREATE FUNCTION fail(id int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF id = 50 THEN
		RAISE EXCEPTION 'secret %', id;
	END IF;
	RETURN id;
END $$;
CREATE VIEW failing AS SELECT fail(id) AS id, age, disease FROM others;
\set ECHO all
SELECT pprepub.create_publication('failing', 'failing', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 3}', target => 'others', beside => '{locked}');
GRANT USAGE ON SCHEMA others TO regress_analyst;
GRANT EXECUTE ON FUNCTION others.failing TO regress_analyst;
RESET ROLE;
SET SESSION AUTHORIZATION regress_analyst;
SELECT * FROM others.failing();
SELECT * FROM pprepub.failed_answer;
RESET SESSION AUTHORIZATION;
SET ROLE regress_other;
SELECT number, kind, published_by, rows, classes FROM pprepub.release WHERE publication = 'failing';
SELECT publication, release, sqlstate, message FROM pprepub.failed_answer;
-- also when it says that the machine is to blame
\set ECHO none
CREATE OR REPLACE FUNCTION fail(id int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF id = 50 THEN
		RAISE EXCEPTION 'secret %', id USING ERRCODE = '53200';
	END IF;
	RETURN id;
END $$;
\set ECHO all
SELECT * FROM others.failing();
SELECT publication, release, sqlstate, message FROM pprepub.failed_answer;
SELECT pprepub.drop_publication('failing', true) \g /dev/null
SELECT publication, release, sqlstate, message FROM pprepub.failed_answer;
DROP VIEW failing;
DROP FUNCTION fail;

-- ---- The function's life ----

CREATE FUNCTION others.taken(int) RETURNS int LANGUAGE sql AS 'SELECT 1';
SELECT pprepub.create_publication('taken', 'others', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 3}', target => 'others', beside => '{locked}');
DROP FUNCTION others.taken;
-- the new owner of a source answers from then on
RESET ROLE;
ALTER TABLE others OWNER TO regress_owner;
SELECT count(*) FROM others.locked();
ALTER SCHEMA others OWNER TO regress_owner;
ALTER SCHEMA others_private OWNER TO regress_owner;
SELECT pprepub.alter_publication('locked', '{}') \g /dev/null
SELECT proowner::regrole, proacl FROM pg_proc WHERE oid = 'others.locked'::regproc;
SELECT count(*) FROM others.locked();
-- dropped by its owner, it can be had again
DROP FUNCTION others.locked;
SELECT pprepub.alter_publication('locked', '{}') \g /dev/null
SELECT oid::regprocedure, proacl FROM pg_proc WHERE pronamespace = 'others'::regnamespace ORDER BY proname;
SELECT count(*) FROM others.locked();
-- it goes with the publication, and what stands on it is in the way
SELECT pprepub.drop_publication('locked', true) \g /dev/null
SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'others'::regnamespace;
DROP SCHEMA others, others_private;
DROP TABLE others;
SELECT pprepub.drop_publication('asked', true);
DROP VIEW asking;
SELECT pprepub.drop_publication('asked', true) \g /dev/null
CALL public.clean();

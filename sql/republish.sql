-- Releases that follow each other, and are safe together.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
\set VERBOSITY terse
SET ROLE regress_owner;

-- Sets of places that nobody can tell apart, from the log alone.
CREATE FUNCTION seen(publication text) RETURNS TABLE (who text, release int, class bigint, sensitive text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT "group" || ''.'' || place, release, class, value FROM published_private.%I,
		unnest(places, sensitive::text[]) u (place, value)', publication || '_members');
END $$;
ALTER FUNCTION seen ROWS 10000;
CREATE FUNCTION unsafe(publication text, k int, l int) RETURNS bigint LANGUAGE sql AS $$
	WITH log AS MATERIALIZED (SELECT * FROM seen(publication)),
	v AS (SELECT who, array_agg((release, class) ORDER BY release) AS seen FROM log GROUP BY who)
	SELECT count(*) FROM (SELECT seen, release FROM v JOIN log USING (who) GROUP BY seen, release
		HAVING count(*) < k OR count(DISTINCT sensitive) < l) x
$$;

-- The paper's Table 1: two of four leave, two come, twice.  Published naively,
-- the first two releases tell that Fran and George have flu and cancer.
CREATE TABLE patients (name text, age int, gender text, illness text);
INSERT INTO patients VALUES ('Alice', 30, 'F', 'Flu'), ('Charlotte', 33, 'F', 'Migraine'), ('Bob', 36, 'M', 'Pneumonia'), ('Dave', 40, 'M', 'HIV');
SELECT pprepub.create_publication('patients', 'patients', 'name', '{"age": "range", "gender": "suppress"}', 'illness', 'bpg', '{"k": 4, "l": 3, "repair": "dirty"}') \g /dev/null
\set ECHO all
SELECT number, rows, suppressed FROM pprepub.publish('patients');
DELETE FROM patients WHERE name IN ('Charlotte', 'Bob');
INSERT INTO patients VALUES ('Fran', 31, 'F', 'Flu'), ('George', 35, 'M', 'Cancer');
SELECT number FROM pprepub.publish('patients');		-- nothing of it is safe
SELECT number FROM pprepub.preview('patients') AS p (number, v);
CALL forget('patients');
-- With k = 2 they would be told apart two by two, which is allowed then.
SELECT pprepub.create_publication('patients', 'patients', 'name', '{"age": "range", "gender": "suppress"}', 'illness', 'bpg', '{"k": 2, "l": 2, "repair": "dirty"}') \g /dev/null
DELETE FROM patients;
INSERT INTO patients VALUES ('Alice', 30, 'F', 'Flu'), ('Charlotte', 33, 'F', 'Migraine'), ('Bob', 36, 'M', 'Pneumonia'), ('Dave', 40, 'M', 'HIV');
SELECT pprepub.alter_publication('patients', '{"reserve": 2}') \g /dev/null
SELECT number, rows, classes FROM pprepub.publish('patients');
DELETE FROM patients WHERE name IN ('Charlotte', 'Bob');
INSERT INTO patients VALUES ('Fran', 31, 'F', 'Flu'), ('George', 35, 'M', 'Cancer');
SELECT number, rows, classes, suppressed FROM pprepub.publish('patients');
DELETE FROM patients WHERE name IN ('Alice', 'Dave');
INSERT INTO patients VALUES ('Ellis', 38, 'M', 'HIV'), ('Helen', 39, 'F', 'HIV');
SELECT number, rows, classes, suppressed FROM pprepub.publish('patients');	-- Table 2: both have HIV, so neither is told
\set VERBOSITY default
SELECT key, array_agg(release ORDER BY release) AS releases FROM pprepub.class_members('patients') GROUP BY key ORDER BY key;
SELECT * FROM pprepub.linked_values('patients') WHERE key IN ('Bob', 'Fran') ORDER BY key, sensitive;
SELECT * FROM pprepub.rebuild_history('patients');
SELECT unsafe('patients', 2, 2);
SELECT release, array_agg(key ORDER BY key) FROM pprepub.class_members('patients') GROUP BY release, class ORDER BY 1, 2;
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums';
\set ECHO none
CALL forget('patients');

-- A larger life, under each repair.
CREATE TABLE people AS SELECT i AS id, (i * 7) % 60 AS age, 'd' || (i * i) % 7 AS ill FROM generate_series(1, 400) i;
CREATE FUNCTION live(repair text, reserve int, OUT release int, OUT rows bigint, OUT suppressed bigint, OUT dirty bigint, OUT counterfeits bigint, OUT unsafe bigint, OUT equal boolean)
RETURNS SETOF record LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', jsonb_build_object('k', 5, 'l', 2, 'repair', repair, 'reserve', reserve));
	FOR n IN 1 .. 6 LOOP
		SELECT number, p.rows, p.suppressed, p.dirty, p.counterfeits INTO release, rows, suppressed, dirty, counterfeits FROM pprepub.publish('people') p;
		unsafe := unsafe('people', 5, 2);
		equal := (SELECT r.equal FROM pprepub.rebuild_history('people') r);
		RETURN NEXT;
		DELETE FROM people WHERE id % 23 = n;
		INSERT INTO people SELECT i, i % 60, 'd' || i % 7 FROM generate_series(n * 1000, n * 1000 + 30) i;
		INSERT INTO people SELECT 23 + n - 1, 5, 'd1' WHERE n > 1 ON CONFLICT DO NOTHING;		-- comes back
		UPDATE people SET ill = 'd' || (id + n) % 7 WHERE id % 11 = n;
		UPDATE people SET age = 59 - age WHERE id % 29 = n;
	END LOOP;
	PERFORM pprepub.drop_publication('people', true);
END $$;
SET client_min_messages = error;
\set ECHO all
SELECT release, rows + suppressed - counterfeits AS asked, suppressed < rows AS most, dirty, counterfeits > 0 AS invented, unsafe, equal FROM live('dirty', 1);
TRUNCATE people;
INSERT INTO people SELECT i, (i * 7) % 60, 'd' || (i * i) % 7 FROM generate_series(1, 400) i;
SELECT release, rows + suppressed - counterfeits AS asked, suppressed * 10 < rows AS nearly_all, dirty, counterfeits > 0 AS invented, unsafe, equal FROM live('counterfeit', 1);
RESET client_min_messages;
TRUNCATE people;

-- Much withheld: the owner is told why, and what can be done by then.
INSERT INTO people SELECT i, i, 'd' || i % 7 FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2, "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT number, rows FROM pprepub.publish('people');
BEGIN;
DELETE FROM people WHERE id IN (1, 100);
SELECT value FROM pprepub.preview('people') WHERE metric = 'suppressed';
DELETE FROM people WHERE id = 50;
SELECT value FROM pprepub.preview('people', 'age < 1000') WHERE metric = 'suppressed';		-- a cohort asks for some, who may have others later
\set VERBOSITY terse
SELECT value FROM pprepub.preview('people', params => '{"repair": "counterfeit"}') WHERE metric = 'suppressed';
SELECT value FROM pprepub.preview('people', params => '{"reserve": 20}') WHERE metric = 'suppressed';
INSERT INTO people SELECT i, i, 'd' || i % 7 FROM generate_series(1001, 2000) i;
SELECT value FROM pprepub.preview('people') WHERE metric = 'suppressed';		-- these take the free places
ROLLBACK;
DELETE FROM people WHERE id % 5 = 0 AND id <= 80;
SELECT value FROM pprepub.preview('people') WHERE metric = 'suppressed';
SELECT number, rows, suppressed FROM pprepub.publish('people');

-- Stronger parameters hold for what comes, and for what it can be joined with.
SELECT pprepub.alter_publication('people', '{"reserve": 2}') \g /dev/null
SELECT pprepub.alter_publication('people', '{"k": 10}');
SELECT pprepub.alter_publication('people', '{"k": 10, "accept_lockout": true}');
SELECT pprepub.alter_publication('people', '{"k": 10}');	-- nobody else is lost
SELECT pprepub.publish('people');
INSERT INTO people SELECT i, i % 60, 'd' || i % 7 FROM generate_series(200, 219) i;
SELECT number, rows, classes FROM pprepub.publish('people');
SELECT number, params ->> 'k' AS k FROM pprepub.release ORDER BY 1;

-- Readers of the view may read each new release.
GRANT USAGE ON SCHEMA published TO regress_analyst;
GRANT SELECT ON published.people TO regress_analyst;
SELECT number FROM pprepub.publish('people');
SET ROLE regress_analyst;
SELECT count(*) = (SELECT count(*) FROM published.people_4) AS newest FROM published.people;
SELECT count(*) FROM published.people_3;
SET ROLE regress_owner;

-- A number that was rolled back is given again, with the history that it had.
BEGIN;
SELECT number FROM pprepub.publish('people');
ROLLBACK;
SELECT number FROM pprepub.publish('people');
\set VERBOSITY default
SELECT unsafe('people', 5, 2);
CALL forget('people');

-- Free places are invented rows, or are parted off; a group in which few are left is not shown, and newcomers take them in.
TRUNCATE people;
INSERT INTO people SELECT i, i, 'd' || i % 7 FROM generate_series(1, 20) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 10, "l": 2, "reserve": 2}') \g /dev/null
SELECT number, rows FROM pprepub.publish('people');
DELETE FROM people WHERE id > 11;
SELECT number, rows, suppressed, counterfeits FROM pprepub.publish('people');
DELETE FROM people WHERE id > 10;
SELECT number, rows, suppressed, counterfeits FROM pprepub.publish('people');
DELETE FROM people WHERE id > 4;
INSERT INTO people SELECT i, i, 'd' || i % 7 FROM generate_series(101, 112) i;
SELECT number, rows, suppressed FROM pprepub.publish('people');
CALL forget('people');

-- Keys and sensitive values of types that have no arrays of their own.
CREATE TABLE odd AS SELECT ARRAY[i, NULL] AS id, i AS age, ARRAY[i % 5 / 2.0] AS ill FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('odd', 'odd', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2, "reserve": 4, "repair": "counterfeit"}') \g /dev/null
SELECT number, rows, suppressed FROM pprepub.publish('odd');
DELETE FROM odd WHERE age % 10 = 0;
SELECT number, rows, suppressed, counterfeits FROM pprepub.publish('odd');
SELECT number, rows, suppressed, counterfeits FROM pprepub.publish('odd');
SELECT unsafe('odd', 3, 2);
SELECT * FROM pprepub.rebuild_history('odd');
SELECT key, array_agg(release ORDER BY release) AS releases FROM pprepub.class_members('odd') GROUP BY key ORDER BY key LIMIT 2;
-- The folds can be made anew from the log.
\set ECHO none
RESET ROLE;
BEGIN;
SET LOCAL allow_system_table_mods = on;
UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.odd_groups'::regclass;
DELETE FROM published_private.odd_groups WHERE "group" = (SELECT min("group") FROM published_private.odd_groups);
UPDATE published_private.odd_groups SET sensitive[1] = sensitive[2];
UPDATE pg_class SET relhastriggers = true WHERE oid = 'published_private.odd_groups'::regclass;
\set ECHO all
SELECT * FROM pprepub.rebuild_history('odd');
SELECT * FROM pprepub.rebuild_history('odd');
SELECT number, rows, suppressed FROM pprepub.publish('odd');
SELECT * FROM pprepub.rebuild_history('odd');
\set ECHO none
ROLLBACK;
-- A history that was lost, whole or in part, is not taken for a short one.
BEGIN;
SET LOCAL allow_system_table_mods = on;
UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.odd_groups'::regclass;
SAVEPOINT s;
\set VERBOSITY terse
DELETE FROM published_private.odd_groups;
\set ECHO all
SELECT pprepub.publish('odd');
ROLLBACK TO s;
DELETE FROM published_private.odd_groups WHERE "group" = (SELECT max("group") FROM published_private.odd_groups);
SELECT pprepub.preview('odd');
ROLLBACK TO s;
DELETE FROM published_private.odd_groups;
SELECT * FROM pprepub.rebuild_history('odd');
SELECT number FROM pprepub.publish('odd');
ROLLBACK;
-- Nor is one whose tables somebody destroyed past all protection.
BEGIN;
ALTER EVENT TRIGGER pprepub_protect_drops DISABLE;
DROP TABLE published_private.odd_groups;
SAVEPOINT s;
SELECT pprepub.publish('odd');
ROLLBACK TO s;
-- The log tells who was where.
SELECT count(*) FROM pprepub.class_members('odd');
ROLLBACK TO s;
SELECT * FROM pprepub.rebuild_history('odd');
SELECT * FROM pprepub.rebuild_history('odd');
SELECT number FROM pprepub.publish('odd');
DROP TABLE published_private.odd_members;
SELECT count(*) FROM pprepub.class_members('odd');
ROLLBACK;
\set VERBOSITY default
SET ROLE regress_owner;
SELECT * FROM pprepub.rebuild_history('none such');
CALL public.clean();

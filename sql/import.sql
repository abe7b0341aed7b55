-- import_release(): tables that were published elsewhere become releases.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET client_min_messages = notice;
SET ROLE regress_owner;
CREATE TABLE levels (leaf text, parent text, root text);
INSERT INTO levels VALUES ('France', 'Europe', 'World'), ('Spain', 'Europe', 'World'), ('Mali', 'Africa', 'World');
SELECT pprepub.create_taxonomy('places', 'levels') \g /dev/null
CREATE TABLE patients (id int PRIMARY KEY, age int, zip text, country text, sex text, disease text, ward text);
INSERT INTO patients VALUES
	(1, 30, '5310', 'France', 'F', 'flu', 'A'), (2, 31, '5311', 'Spain', 'M', 'cold', 'A'), (3, 33, '5312', 'France', 'F', 'gout', NULL),
	(4, 61, '7710', 'Mali', 'M', 'flu', 'B'), (5, 62, '7711', 'Mali', NULL, 'cold', 'A'), (6, NULL, NULL, 'Mali', 'M', NULL, 'B');
SET client_min_messages = error;
SELECT pprepub.create_publication('patients', 'patients', 'id',
	'{"age": "range", "zip": "prefix", "country": "taxonomy places", "sex": "suppress"}', 'disease', 'bpg', '{"k": 3, "l": 2}', '{ward}') \g /dev/null
SET client_min_messages = notice;

-- All that an error says.
CREATE FUNCTION try_import(source regclass, key name DEFAULT NULL, accept_changes boolean DEFAULT false, publication text DEFAULT 'patients')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text; message text; detail text; hint text;
	r pprepub.release;
BEGIN
	r := pprepub.import_release(publication, source, key, accept_changes);
	RETURN format('release %s: %s rows, %s classes', r.number, r.rows, r.classes);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', state || ' ' || message, nullif(detail, ''), nullif(hint, ''));
END
$$;
-- Imports a query's rows, and takes it back.
CREATE FUNCTION try_rows(rows text, key name DEFAULT 'person', accept_changes boolean DEFAULT false) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
BEGIN
	EXECUTE 'CREATE VIEW attempt AS ' || rows;
	said := try_import('attempt', key, accept_changes);
	RAISE EXCEPTION USING ERRCODE = 'XX999', MESSAGE = said;
EXCEPTION WHEN SQLSTATE 'XX999' THEN
	RETURN SQLERRM;
END
$$;

-- ---- With a key: every form that a cell can have ----

CREATE TABLE published_before (person text, age text, zip text, country text, sex text, disease text, ward text);
INSERT INTO published_before VALUES
	('1', '[30,34)', '531*', 'Europe', 'F', 'flu', 'A'), ('2', '[30,33]', '531**', 'Europe', '*', 'cold', 'A'), ('3', '(29,34)', '531*', 'Europe', 'F', 'gout', NULL),
	('4', '61', '7710', 'Mali', 'M', 'flu', 'B'), ('5', '*', '***', '*', NULL, 'cold', 'A'), ('6', NULL, NULL, 'Mali', 'M', NULL, 'B');
\set ECHO all
SELECT number, kind, method, relation, cohort, columns, rows, classes, suppressed, dirty, counterfeits
FROM pprepub.import_release('patients', 'published_before', key => 'person');
\pset format aligned \t off
\d published.patients_1
\pset format unaligned \t on \pset recordsep '; '
SELECT age, zip, country, sex, disease, ward FROM published.patients_1 ORDER BY disease, age;
SELECT class, count(*) FROM published.patients_1 GROUP BY class HAVING count(DISTINCT (age, zip, country, sex)) > 1;
SELECT m.key, r.age FROM pprepub.class_members('patients') m JOIN (SELECT DISTINCT class, age FROM published.patients_1) r USING (class) ORDER BY 1;
SELECT key, array_agg(release ORDER BY release) AS releases FROM pprepub.class_members('patients') GROUP BY key ORDER BY key;
SELECT check_name, required, measured, holds FROM pprepub.audit('patients');
SELECT * FROM pprepub.rebuild_history('patients');
-- There is no view of it: what is imported is not the newest that is stored here.
SELECT to_regclass('published.patients');
SELECT kind, relacl AS rights FROM pprepub.release JOIN pg_class ON oid = relation;
-- It stays as it is.
DELETE FROM published.patients_1;
DROP TABLE published.patients_1;
SELECT pprepub.drop_publication('patients');
CALL forget('patients');

-- Other types than text: ranges of another type, numbers, the exact values.
SET client_min_messages = error;
SELECT pprepub.create_publication('patients', 'patients', 'id',
	'{"age": "range", "zip": "prefix", "country": "taxonomy places", "sex": "suppress"}', 'disease', 'bpg', '{"k": 3, "l": 2}', '{ward}') \g /dev/null
SET client_min_messages = notice;
SELECT try_rows($$SELECT id::bigint AS person, int8range(age, age, '[]') AS age FROM patients$$);
SELECT try_rows($$SELECT id::numeric AS person, age::numeric, zip::varchar, country::char(20), sex::char(3), disease::char(9), ward::name FROM patients$$);
SELECT try_rows($$SELECT id AS person, CASE WHEN age < 60 THEN '[-2147483648,60)' ELSE '*' END::text AS age FROM patients$$);
-- Columns that are not there are withheld, even all of them.
SELECT try_rows($$SELECT id AS person FROM patients$$);
SELECT try_rows($$SELECT FROM patients$$, NULL);
SELECT try_rows($$SELECT id AS person, disease FROM patients$$);
-- A class parts rows, whatever it means.
SELECT try_rows($$SELECT id AS person, '*' AS age, id % 2 AS class FROM patients$$);

-- ---- What is wrong with it ----

-- Columns
SELECT try_rows($$SELECT id AS person, age AS years FROM patients$$);
SELECT try_rows($$SELECT id, age FROM patients$$, NULL);
SELECT try_rows($$SELECT id AS person, age FROM patients$$, 'id');
SELECT try_rows($$SELECT zip, age FROM patients$$, 'zip');
SELECT try_rows($$SELECT FROM patients$$, 'id');
SELECT try_rows($$SELECT id, 1 AS person FROM patients$$);
-- Keys
SELECT try_rows($$SELECT nullif(id, 3) AS person, age FROM patients$$);
SELECT try_rows($$SELECT id / 2 AS person FROM patients$$);
SELECT try_rows($$SELECT 'p' || id AS person FROM patients$$);
SELECT try_rows($$SELECT id + 100 AS person, age FROM patients$$);
-- Cells
SELECT try_rows($$SELECT id AS person, '30-39' AS age FROM patients$$);
SELECT try_rows($$SELECT id AS person, (ARRAY['empty', '[3,', '(,)', '[9,3]', '', 'NaN'])[id] AS age FROM patients$$);
SELECT try_rows($$SELECT id AS person, (ARRAY['France', 'Spain', 'Gaul', 'Iberia', 'Europe', '*'])[id] AS country FROM patients$$);
SELECT try_rows($$SELECT id AS person, (ARRAY['F', '*', 'F*', 'M', NULL, 'M'])[id] AS sex FROM patients$$);
-- Cells that do not cover whose they are
SELECT try_rows($$SELECT id AS person, int4range(age + id % 2, age + 3) AS age FROM patients$$);
SELECT try_rows($$SELECT id AS person, left(zip, 2) || 'x*' AS zip FROM patients$$);
SELECT try_rows($$SELECT id AS person, CASE WHEN id < 3 THEN 'Africa' ELSE '*' END AS country FROM patients$$);
SELECT try_rows($$SELECT id AS person, 'F'::text AS sex FROM patients$$);
SELECT try_rows($$SELECT id AS person, upper(disease) AS disease FROM patients$$);
SELECT try_rows($$SELECT id AS person, '*'::text AS disease FROM patients$$);
SELECT try_rows($$SELECT id AS person, 'A'::text AS ward FROM patients$$);
SELECT try_rows($$SELECT id AS person, NULL::int4range AS age FROM patients$$);
-- Without a key: counts, and rows that cannot be anybody's
SELECT try_rows($$SELECT age FROM patients WHERE id > 2$$, NULL);
SELECT try_rows($$SELECT age FROM patients UNION ALL SELECT 30$$, NULL);
SELECT try_rows($$SELECT age + 100 AS age FROM patients$$, NULL);
SELECT try_rows($$SELECT CASE WHEN id < 5 THEN '[30,34)' ELSE '*' END AS age FROM patients$$, NULL);
SELECT try_rows($$SELECT zip, CASE id WHEN 1 THEN 'cold' WHEN 2 THEN 'flu' ELSE disease END AS disease FROM patients$$, NULL);
SELECT try_rows($$SELECT '*' AS zip, CASE id WHEN 1 THEN 'cold' WHEN 2 THEN 'flu' ELSE disease END AS disease FROM patients$$, NULL);
SELECT try_rows($$SELECT ward || 'x' AS ward FROM patients$$, NULL);
-- Tables
SELECT try_rows($$SELECT id AS person FROM patients WHERE false$$);
SELECT try_import('patients_pkey');
SELECT try_import(NULL);
SELECT try_import(4000000000::oid::regclass);
SELECT pprepub.import_release('patients', 'published_before', 'person', NULL);
SELECT pprepub.import_release(NULL, 'published_before');
SELECT pprepub.import_release('nobody', 'published_before');
CREATE VIEW divides AS SELECT id AS person, age / (id - 3) AS age FROM patients;
SELECT try_import('divides', 'person');
BEGIN READ ONLY;
SELECT pprepub.import_release('patients', 'published_before', 'person');
ROLLBACK;
SELECT count(*) FROM pprepub.release;

-- ---- People who have changed or left since ----

SET client_min_messages = notice;
SELECT classes FROM pprepub.import_release('patients', 'published_before', 'person');
UPDATE patients SET age = 50 WHERE id = 1;
UPDATE patients SET disease = 'gout' WHERE id = 2;
DELETE FROM patients WHERE id = 6;
SELECT pprepub.import_release('patients', 'published_before', 'person');
SELECT classes FROM pprepub.import_release('patients', 'published_before', 'person', accept_changes => true);
CREATE VIEW left_long_ago AS SELECT id + 100 AS person, age FROM patients;
SELECT classes FROM pprepub.import_release('patients', 'left_long_ago', 'person', accept_changes => true);
CREATE VIEW without_key AS SELECT age, zip FROM published_before;
SELECT classes FROM pprepub.import_release('patients', 'without_key');
SELECT classes FROM pprepub.import_release('patients', 'without_key', accept_changes => true);
SELECT * FROM pprepub.metrics('patients', 4);
SELECT check_name, measured, holds, worst FROM pprepub.audit('patients') WHERE check_name IN ('identified', 'invariant', 'rows', 'covers');
SELECT * FROM pprepub.rebuild_history('patients');
SELECT release, array_agg(key::int ORDER BY key::int) AS keys FROM pprepub.class_members('patients') GROUP BY 1 ORDER BY 1;

-- ---- Without a key: nothing is published until that is waived ----

SELECT pprepub.publish('patients');
SELECT * FROM published.patients();
SELECT classes FROM pprepub.import_release('patients', 'without_key', accept_changes => true);
SELECT pprepub.publish('patients');
SELECT pprepub.acknowledge_history('patients');
SELECT pprepub.acknowledge_history('patients');
INSERT INTO patients SELECT 10 + i, 40 + i % 3, '9' || i % 2, 'Spain', 'F', (ARRAY['flu', 'cold', 'gout'])[1 + i % 3], 'A' FROM generate_series(1, 12) i;
SET client_min_messages = error;
SELECT number, kind, rows, suppressed FROM pprepub.publish('patients');
SET client_min_messages = notice;
SELECT count(*) FROM published.patients;
SELECT release, kind, other_release, holds FROM pprepub.attack('patients') WHERE release = 6 OR other_release = 6;
-- The view stays with what was stored here.
SET client_min_messages = error;
SELECT number FROM pprepub.import_release('patients', 'published_before', 'person', true);
SET client_min_messages = notice;
SELECT count(*) FROM published.patients;

-- A number that is rolled back is given again.
BEGIN;
SET LOCAL client_min_messages = error;
SELECT number FROM pprepub.import_release('patients', 'published_before', 'person', true);
ROLLBACK;
SET client_min_messages = error;
SELECT number FROM pprepub.import_release('patients', 'published_before', 'person', true);
SET client_min_messages = notice;
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'invariant';

-- ---- Who may ----

SET ROLE regress_other;
CREATE TABLE others (person int, age int);
INSERT INTO others VALUES (1, 30);
SELECT pprepub.import_release('patients', 'others', 'person');
RESET ROLE;
-- A superuser's own rights are not the owner's.
SELECT pprepub.import_release('patients', 'others', 'person');
GRANT SELECT (person) ON others TO regress_owner;
SELECT pprepub.import_release('patients', 'others', 'person');
GRANT SELECT ON others TO regress_owner;
ALTER TABLE others ENABLE ROW LEVEL SECURITY;
SELECT pprepub.import_release('patients', 'others', 'person');
\set ECHO none
SET ROLE regress_owner;
CALL forget('patients');

-- ---- Method sequential: declared, imported, audited; its releases have no classes ----

SET client_min_messages = error;
CREATE FUNCTION try_sequential(params jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text; message text; detail text;
BEGIN
	PERFORM pprepub.create_publication('seq', 'patients', 'id', '{"age": "range", "country": "taxonomy places"}', 'disease', 'sequential', params, '{ward}');
	RETURN (SELECT p.params - 'seed' FROM pprepub.publication p WHERE p.name = 'seq');
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(' / ', state || ' ' || message, nullif(detail, ''));
END
$$;
\set ECHO all
SELECT x, try_sequential(x::jsonb) FROM unnest(ARRAY[
	'{}', '{"k": 0.5}', '{"k": 2.0000001}', '{"k": "2"}', '{"k": 2.5}', '{"k": 2, "privacy": "secrecy"}',
	'{"k": 2, "join": "fmj"}', '{"k": 2, "seed": -1}', '{"k": 2, "l": 2}',
	'{"k": 2.5, "privacy": "diversity", "join": "mj", "model": "cut", "loss": "em", "approach": "separative", "seed": 7}']) x;
CALL forget('seq');
SELECT try_sequential('{"k": 2}');
SELECT params -> 'seed' >= '0' AS seeded FROM pprepub.publication WHERE name = 'seq';
SELECT proname FROM pg_proc WHERE pronamespace = 'published'::regnamespace ORDER BY proname;
SET client_min_messages = notice;
SELECT * FROM pprepub_internal.answer('seq', NULL, NULL) AS a (age int4range);

DELETE FROM patients WHERE id > 10;
CREATE VIEW first_one AS SELECT id AS person, int4range(age / 10 * 10, age / 10 * 10 + 10) AS age,
	CASE WHEN id % 2 = 0 THEN 'World' ELSE country END AS country, ward FROM patients;
SELECT number, kind, columns, rows, classes FROM pprepub.import_release('seq', 'first_one', 'person');
\d published.seq_1
SELECT age, country, disease, ward FROM published.seq_1 ORDER BY age, country, ward;
SELECT m.key, m.class FROM pprepub.class_members('seq') m ORDER BY class, key;
CREATE VIEW second_one AS SELECT country, disease FROM patients;
SELECT number, kind, columns, rows FROM pprepub.import_release('seq', 'second_one');
CREATE VIEW with_class AS SELECT id AS person, 1 AS class FROM patients;
SELECT try_import('with_class', 'person', publication => 'seq');
SELECT check_name, required, measured, holds FROM pprepub.audit('seq');
SELECT * FROM pprepub.attack('seq');
SELECT * FROM pprepub.rebuild_history('seq');
-- Not less than was promised, unless that is what is wanted.
SELECT pprepub.alter_publication('seq', '{"k": 1}');
SELECT pprepub.alter_publication('seq', '{"join": "mj"}') \g /dev/null
SELECT pprepub.alter_publication('seq', '{"k": 2.5}');
SELECT pprepub.alter_publication('seq', '{"k": 2.5, "privacy": "diversity"}') \g /dev/null
SELECT pprepub.alter_publication('seq', '{"privacy": "linkability", "k": 3}');
\set ECHO none
SELECT pprepub.alter_publication('seq', '{"privacy": "linkability", "k": 3, "accept_weakening": true}') \g /dev/null
SELECT pprepub.alter_publication('seq', '{"join": "mj", "accept_weakening": true}') \g /dev/null
CALL public.clean();

-- m-distinct: people whose sensitive values change, as everybody knows they can.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
\set VERBOSITY terse
SET client_min_messages = notice;
SET ROLE regress_owner;
CREATE TABLE patients (name text PRIMARY KEY, zip int, hours int, disease text);
INSERT INTO patients VALUES ('Ken', 14, 20, 'dyspepsia'), ('Julia', 16, 23, 'pneumonia'), ('Tom', 24, 32, 'pneumonia'),
	('Harry', 26, 35, 'gastritis'), ('Lily', 29, 17, 'glaucoma'), ('Ben', 31, 19, 'flu');
CREATE TABLE progress (from_value text, to_value text);
INSERT INTO progress VALUES ('dyspepsia', 'gastritis'), ('gastritis', 'dyspepsia'), ('pneumonia', 'flu'), ('flu', 'pneumonia'),
	('pneumonia', 'lung cancer'), ('glaucoma', 'cataract');
\set ECHO all
\set qis '{"zip": "range", "hours": "range"}'

-- The paper's two releases (Tables I and II), and what they need.
SELECT pprepub.create_publication('patients', 'patients', 'name', :'qis', 'disease', 'm-distinct', '{"m": 2, "updates": "progress"}');
SELECT params FROM pprepub.publication;
SELECT * FROM published_private.patients_updates ORDER BY 1, 2 \g (format=aligned t=off)
SELECT rows, classes, suppressed, dirty, counterfeits FROM pprepub.publish('patients');
UPDATE patients SET zip = 18, hours = 31, disease = 'lung cancer' WHERE name = 'Julia';
UPDATE patients SET zip = 15, hours = 27 WHERE name = 'Tom';
UPDATE patients SET zip = 23, hours = 32, disease = 'dyspepsia' WHERE name = 'Harry';
UPDATE patients SET zip = 12 WHERE name = 'Lily';
UPDATE patients SET zip = 26, hours = 35, disease = 'pneumonia' WHERE name = 'Ben';
SELECT rows, classes, suppressed, dirty, counterfeits <= 2 AS few_counterfeits FROM pprepub.publish('patients');
SELECT check_name, required, measured, holds FROM pprepub.audit('patients') ORDER BY check_name;
SELECT max(risk) < 1 AS nobody_is_known, min(candidates) FROM pprepub.risk_after_updates('patients');

-- Somebody leaves, somebody comes.
DELETE FROM patients WHERE name IN ('Ken', 'Lily');
INSERT INTO patients VALUES ('Ann', 13, 18, 'flu');
SELECT rows - counterfeits AS true_rows FROM pprepub.publish('patients');
SELECT bool_and(holds) FROM pprepub.audit('patients');
SELECT release, sum(counterfeits) = (SELECT counterfeits FROM pprepub.release r WHERE r.number = release) AS told
FROM published.patients_counterfeits GROUP BY release ORDER BY release;

-- Impossible updates are refused, and the owner sees the values.
UPDATE patients SET disease = 'cataract' WHERE name = 'Tom';
SELECT pprepub.publish('patients');
SELECT pprepub.preview('patients');
\set VERBOSITY default
UPDATE patients SET disease = 'measles' WHERE name = 'Tom';
SELECT pprepub.publish('patients');
UPDATE patients SET disease = NULL WHERE name = 'Tom';
SELECT pprepub.publish('patients');
UPDATE patients SET disease = 'pneumonia' WHERE name = 'Tom';

-- A release is about everybody, and all of it.
SELECT pprepub.publish('patients', cohort => 'zip > 15');
SELECT pprepub.publish('patients', columns => '{zip}');
SELECT to_regprocedure('published.patients(text, name[])');

-- The table may be changed: more that is possible is a weaker promise, less a warning; new values are neither.
INSERT INTO progress VALUES ('measles', 'measles');
SELECT pprepub.alter_publication('patients', '{}');
SELECT count(*) FROM published_private.patients_updates;
INSERT INTO progress VALUES ('cataract', 'glaucoma');
SELECT pprepub.alter_publication('patients', '{}');
SELECT count(*) FROM published_private.patients_updates;
SELECT pprepub.alter_publication('patients', '{"accept_weakening": true}');
DELETE FROM progress WHERE from_value = 'cataract';
SELECT pprepub.alter_publication('patients', '{"updates": "progress"}');
SELECT count(*) FROM pprepub.publish('patients');
SELECT pprepub.preview('patients', params => '{"updates": "progress"}');	-- it would have to be copied
SELECT value FROM pprepub.preview('patients', params => '{"m": 1}') WHERE metric = 'suppressed';
SELECT pprepub.alter_publication('patients', '{"m": 1}');
SELECT pprepub.alter_publication('patients', '{"m": 3}');
SELECT rows - counterfeits AS true_rows FROM pprepub.publish('patients');
SELECT min(n) FROM (SELECT count(DISTINCT disease) AS n FROM published.patients GROUP BY class) s;
-- The copy is sealed, and goes with the publication; the table may go before.
DELETE FROM published_private.patients_updates;
DROP TABLE published_private.patients_updates;
DROP TABLE progress;
SELECT pprepub.alter_publication('patients', '{}');
SELECT pprepub.alter_publication('patients', '{"updates": "progress"}');
SELECT count(*) FROM pprepub.publish('patients');
CALL forget('patients');
SELECT count(*) FROM pg_class WHERE relnamespace = 'published_private'::regnamespace;

-- Declaring: each table that makes no sense, and why.
\set ECHO none
CREATE FUNCTION try(params jsonb, source regclass DEFAULT 'patients', sensitive name DEFAULT 'disease', insensitive name[] DEFAULT '{}')
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text; hint text;
BEGIN
	PERFORM pprepub.create_publication('tried', source, 'name', '{"zip": "range"}', sensitive, 'm-distinct', params, insensitive);
	CALL forget('tried');
	RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', SQLSTATE || ' ' || SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;
CREATE TABLE updates (from_value text, to_value text, probability numeric);
\set ECHO all
SELECT x, try(x::jsonb) FROM unnest(ARRAY[
	'{"m": 2}', '{"m": 0, "updates": "updates"}', '{"m": 2, "updates": 1}', '{"m": 2, "updates": ""}',
	'{"m": 2, "updates": "no"}', '{"m": 2, "updates": "no.such.table.at.all"}', '{"m": 2, "updates": "patients_pkey"}',
	'{"m": 2, "updates": "patients"}', '{"m": 2, "updates": "updates"}', '{"m": 2, "updates": "updates", "strict": 1}',
	'{"m": 2, "updates": "updates", "k": 1}']) x \g (recordsep='\n')
SELECT try('{"m": 2, "updates": "updates"}', insensitive => '{hours}');
INSERT INTO updates VALUES ('flu', NULL);
SELECT try('{"m": 2, "updates": "updates"}');
UPDATE updates SET to_value = 'flu';
SELECT try('{"m": 2, "updates": "updates"}');
INSERT INTO updates SELECT DISTINCT disease, disease FROM patients WHERE disease <> 'flu';
SELECT try('{"m": 2, "updates": "updates"}');
INSERT INTO updates VALUES ('flu', 'pneumonia'), ('pneumonia', 'lung cancer');
SELECT try('{"m": 2, "updates": "updates"}');
UPDATE updates SET probability = 1 WHERE from_value = 'flu';
SELECT try('{"m": 2, "updates": "updates"}');
UPDATE updates SET probability = 1;
SELECT try('{"m": 2, "updates": "updates"}');
UPDATE updates SET probability = 0.5 WHERE from_value IN ('flu', 'pneumonia');
SELECT try('{"m": 2, "updates": "updates"}');
UPDATE updates SET probability = 0.25 WHERE from_value = 'flu' AND to_value = 'pneumonia';
INSERT INTO updates VALUES ('flu', 'lung cancer', 0.25), ('lung cancer', 'lung cancer', 1);
SELECT try('{"m": 2, "updates": "updates"}');
DELETE FROM updates WHERE ctid IN (SELECT min(ctid) FROM updates GROUP BY from_value, to_value HAVING count(*) > 1);
UPDATE updates SET probability = 1 WHERE from_value = to_value AND from_value IN ('lung cancer');
SELECT try('{"m": 2, "updates": "updates"}');
UPDATE updates SET probability = 0 WHERE from_value = 'flu' AND to_value = 'pneumonia';
SELECT try('{"m": 2, "updates": "updates"}');
UPDATE updates SET probability = 'NaN' WHERE from_value = 'flu' AND to_value = 'pneumonia';
SELECT try('{"m": 2, "updates": "updates"}');
UPDATE updates SET probability = 0.25 WHERE from_value = 'flu' AND to_value = 'pneumonia';
INSERT INTO updates SELECT * FROM updates LIMIT 1;
SELECT try('{"m": 2, "updates": "updates"}');
TRUNCATE updates;
INSERT INTO updates SELECT a.disease, b.disease FROM (SELECT DISTINCT disease FROM patients) a, (SELECT DISTINCT disease FROM patients) b;
SELECT try('{"m": 2, "updates": "updates"}');
SELECT try('{"m": 2, "updates": "updates", "accept_insensitive": true}', insensitive => '{hours}');
SELECT x, try(x::jsonb) FROM unnest(ARRAY[
	'{"m": 2, "updates": "public.updates"}', '{"m": 2, "updates": "UPDATES"}', '{"m": 2, "updates": "\"UPDATES\""}']) x;
CREATE VIEW seen AS SELECT from_value::varchar(20), to_value, 1::int / 4::float4 AS probability FROM updates;
SELECT try('{"m": 2, "updates": "seen"}');
CREATE VIEW numbers AS SELECT length(from_value) AS from_value, to_value FROM updates;
SELECT try('{"m": 2, "updates": "numbers"}');
CREATE TEMPORARY TABLE passing AS TABLE updates;
SELECT try('{"m": 2, "updates": "passing"}');
SELECT try('{"m": 2, "updates": "updates"}', sensitive => 'hours');
RESET ROLE;
CREATE TABLE secret AS TABLE updates;
SET ROLE regress_owner;
SELECT try('{"m": 2, "updates": "secret"}');

-- Strict: values of the first class that somebody is in never become the same.
SELECT pprepub.create_publication('strict', 'patients', 'name', :'qis', 'disease', 'm-distinct', '{"m": 2, "updates": "updates", "strict": true}') \g /dev/null
SELECT pprepub.publish('strict');
SELECT pprepub.alter_publication('strict', '{"strict": false}') \g /dev/null
SELECT rows - counterfeits AS true_rows FROM pprepub.publish('strict');
CALL forget('strict');
SELECT pprepub.create_publication('few', 'patients', 'name', :'qis', 'disease', 'm-distinct', '{"m": 20, "updates": "updates"}');
SELECT pprepub.publish('few');
CALL forget('few');

-- Releases of other methods are judged by a table that is named.
SELECT pprepub.create_publication('plain', 'patients', 'name', :'qis', 'disease', 'bpg', '{"k": 2, "l": 2, "reserve": 1}') \g /dev/null
SELECT count(*) FROM pprepub.publish('plain');
SELECT * FROM pprepub.risk_after_updates('plain');
SELECT count(*), bool_and(risk <= 0.5) FROM pprepub.risk_after_updates('plain', 'updates');
SELECT * FROM pprepub.risk_after_updates('plain', 'patients');
\set VERBOSITY terse
SELECT * FROM pprepub.risk_after_updates('no');
SELECT * FROM pprepub.risk_after_updates(NULL);
SET ROLE regress_other;
SELECT * FROM pprepub.risk_after_updates('plain', 'updates');
\set ECHO none
SET ROLE regress_owner;
CALL forget('plain');

-- Observers who follow everybody at once: had Ann been well in the second release, Bob would have been ill from the first one on, and Cem well beside
-- him, and beside Ann; but only one of these two was.  By herself, she keeps two candidates.
TRUNCATE updates;
INSERT INTO updates (from_value, to_value) VALUES ('well', 'well'), ('well', 'ill'), ('ill', 'ill');
CREATE TABLE people (name text PRIMARY KEY, zip int, health text);
INSERT INTO people VALUES ('Ann', 1, 'ill'), ('Bob', 1, 'ill'), ('Cem', 1, 'well');
SELECT pprepub.create_publication('people', 'people', 'name', '{"zip": "range"}', 'health', 'm-distinct', '{"m": 2, "updates": "updates"}') \g /dev/null
CREATE TABLE first AS SELECT * FROM (VALUES ('Ann', 1, 'well', 1), ('Bob', 1, 'ill', 1)) v(name, zip, health, class);
CREATE TABLE second AS SELECT * FROM (VALUES ('Ann', 1, 'ill', 1), ('Cem', 1, 'well', 1)) v(name, zip, health, class);
CREATE TABLE third AS SELECT * FROM (VALUES ('Bob', 1, 'ill', 1), ('Cem', 1, 'well', 1)) v(name, zip, health, class);
\set ECHO all
SELECT (pprepub.import_release('people', relation, key => 'name', accept_changes => true)).number FROM unnest('{first,second,third}'::regclass[]) relation;
SELECT * FROM pprepub.risk_after_updates('people') ORDER BY key, release \g (format=aligned t=off)
\set ECHO none
CALL forget('people');

-- Strict, and m is raised: classes stay as they are, since whatever filled them up would have values that nobody of theirs can have. A newcomer
-- among these would be known.
TRUNCATE updates;
INSERT INTO updates (from_value, to_value) VALUES ('a', 'a'), ('b', 'b'), ('b', 'c'), ('c', 'c'), ('x', 'x'), ('y', 'y');
CREATE TABLE raised (id int PRIMARY KEY, age int, d text);
INSERT INTO raised VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 50, 'a'), (4, 51, 'c');
SELECT pprepub.create_publication('raised', 'raised', 'id', '{"age": "range"}', 'd', 'm-distinct', '{"m": 2, "updates": "updates", "strict": true}') \g /dev/null
\set ECHO all
SELECT rows, classes, counterfeits FROM pprepub.publish('raised');
SELECT pprepub.alter_publication('raised', '{"m": 3}') \g /dev/null
SELECT rows, classes, counterfeits FROM pprepub.publish('raised');
DELETE FROM raised WHERE id = 1;
INSERT INTO raised VALUES (5, 30, 'x');
SELECT rows, classes FROM pprepub.publish('raised');
SELECT release, count(*) AS people, count(*) FILTER (WHERE candidates = 2) AS with_two, count(*) FILTER (WHERE candidates = 3) AS with_three
	FROM pprepub.risk_after_updates('raised') GROUP BY release ORDER BY release;
SELECT check_name, required, measured, holds FROM pprepub.audit('raised') WHERE check_name IN ('apart', 'candidates', 'legal updates', 'm-unique', 're-publication risk') OR NOT holds ORDER BY 1;
SELECT pprepub.assert_safe('raised');
-- More families than there are can be asked of nobody.
SELECT pprepub.alter_publication('raised', '{"m": 5}') \g /dev/null
SELECT count(*) FROM pprepub.publish('raised');
INSERT INTO raised VALUES (6, 30, 'x');
SELECT count(*) FROM pprepub.publish('raised');
CALL forget('raised');
-- Without strict they are filled up, and the audit asks of each release what was promised then.
CREATE TABLE all_ways AS SELECT a AS from_value, b AS to_value FROM unnest('{a,b,c,x,y}'::text[]) a, unnest('{a,b,c,x,y}'::text[]) b;
SELECT pprepub.create_publication('raised', 'raised', 'id', '{"age": "range"}', 'd', 'm-distinct', '{"m": 2, "updates": "all_ways"}') \g /dev/null
SELECT count(*) FROM pprepub.publish('raised');
SELECT pprepub.alter_publication('raised', '{"m": 3}') \g /dev/null
SELECT count(*) FROM pprepub.publish('raised');
SELECT pprepub.alter_publication('raised', '{"m": 4}') \g /dev/null
SELECT count(*) FROM pprepub.publish('raised');
SELECT pprepub.alter_publication('raised', '{"m": 5}') \g /dev/null
SELECT check_name, required, measured, holds FROM pprepub.audit('raised') WHERE check_name IN ('candidates', 'legal updates', 'm-unique', 're-publication risk') OR NOT holds ORDER BY 1;
CALL forget('raised');
-- There may be too few values for that.
DELETE FROM all_ways WHERE from_value <> to_value OR to_value NOT IN ('a', 'b');
DELETE FROM raised WHERE d NOT IN ('a', 'b');
SELECT pprepub.create_publication('raised', 'raised', 'id', '{"age": "range"}', 'd', 'm-distinct', '{"m": 2, "updates": "all_ways"}') \g /dev/null
SELECT count(*) FROM pprepub.publish('raised');
SELECT pprepub.alter_publication('raised', '{"m": 3}');
SELECT count(*) FROM pprepub.publish('raised');
SELECT pprepub.alter_publication('raised', '{"m": 2, "accept_weakening": true}') \g /dev/null
SELECT count(*) FROM pprepub.publish('raised');
CALL public.clean();

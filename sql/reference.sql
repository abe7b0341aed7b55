-- The distribution that t-closeness, beta-likeness and delta-disclosure compare with.  The strengths are so weak that every class keeps them.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
CREATE TABLE people (name text PRIMARY KEY, age int, disease text);
INSERT INTO people SELECT 'p' || i, 20 + i % 37, CASE WHEN i % 8 > 4 THEN 'flu' WHEN i % 8 > 2 THEN 'gastritis' WHEN i % 8 > 0 THEN 'cold' END FROM generate_series(1, 80) i;
\set source '\'people\', \'name\', \'{"age": "range"}\', \'disease\', \'bpg\''
\set ECHO all

-- It is kept only where something compares.
SELECT pprepub.create_publication('plain', :source, '{"k": 5, "l": 2, "frequency": 1.1}') \g /dev/null
SELECT count(*) FROM pprepub.publish('plain');
SELECT to_regclass('published_private.plain_reference');
CALL forget('plain');

-- The first release tells what everybody has; NULL has no share.
SELECT pprepub.create_publication('told', :source, '{"k": 5, "delta": 1000, "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT count(*) > 0 FROM pprepub.preview('told');
SELECT to_regclass('published_private.told_reference');
BEGIN;
SELECT count(*) FROM pprepub.publish('told');
SELECT count(*) FROM published_private.told_reference;
ROLLBACK;
SELECT to_regclass('published_private.told_reference');
SELECT count(*) FROM pprepub.publish('told');
SELECT * FROM published_private.told_reference ORDER BY 1 \g (format=aligned t=off)
\pset format aligned \t off
\d published_private.told_reference
\pset format unaligned \t on \pset recordsep '; '
UPDATE published_private.told_reference SET people = 1;
DROP TABLE published_private.told_reference;
RESET ROLE;
SELECT r.part FROM pprepub_internal.catalog_relation r WHERE r.relation = 'published_private.told_reference'::regclass;
SET ROLE regress_owner;

-- Another distribution of today moves nothing; a new value is added by the next release of everybody, once.
UPDATE people SET disease = 'flu' WHERE disease = 'cold' AND age > 30;
INSERT INTO people SELECT 'q' || i, 20 + i % 37, CASE i % 2 WHEN 0 THEN 'measles' ELSE 'mumps' END FROM generate_series(1, 20) i;
SELECT count(*) FROM pprepub.publish('told', cohort => 'age > 50');
SELECT * FROM published_private.told_reference ORDER BY 1;
SELECT count(*) > 0 FROM pprepub.preview('told');
SELECT count(*) FROM published_private.told_reference;
SELECT count(*) FROM pprepub.publish('told');
SELECT * FROM published_private.told_reference ORDER BY 1;
DELETE FROM people WHERE disease = 'mumps';
SELECT count(*) FROM pprepub.publish('told');
SELECT count(*), max(release) FROM published_private.told_reference;
SELECT * FROM pprepub.rebuild_history('told');
SELECT bool_and(holds) FROM pprepub.audit('told');
-- An audit compares with it, whatever releases show by now.
SELECT check_name, required, holds FROM pprepub.audit('told', '{"delta": 0.9}') WHERE check_name LIKE '%delta%' ORDER BY 1;
SELECT check_name, required, holds FROM pprepub.audit('told', '{"delta": 2.2}') WHERE check_name LIKE '%delta%' ORDER BY 1;
CALL forget('told');
SELECT to_regclass('published_private.told_reference');

-- A cohort that comes first does not choose it: not published ...
DELETE FROM people WHERE name LIKE 'q%';
SELECT pprepub.create_publication('part', :source, '{"k": 5, "delta": 1000}') \g /dev/null
SELECT count(*) FROM pprepub.publish('part', cohort => 'age < 40');
SELECT * FROM published_private.part_reference ORDER BY 1;
CALL forget('part');

-- ... nor asked.
SELECT pprepub.create_publication('asked', :source, '{"k": 5, "delta": 1000, "max_added": 1}') \g /dev/null
GRANT USAGE ON SCHEMA published TO regress_analyst;
GRANT EXECUTE ON FUNCTION published.asked TO regress_analyst;
SET SESSION AUTHORIZATION regress_analyst;
SELECT count(*) > 0 FROM published.asked('age < 30');
SELECT count(*) FROM published_private.asked_reference;
RESET SESSION AUTHORIZATION;
SET ROLE regress_owner;
SELECT * FROM published_private.asked_reference ORDER BY 1;
-- Answers add nothing.
INSERT INTO people SELECT 'q' || i, 20 + i % 37, CASE i % 2 WHEN 0 THEN 'measles' ELSE 'mumps' END FROM generate_series(1, 20) i;
SET SESSION AUTHORIZATION regress_analyst;
SELECT count(*) FILTER (WHERE disease IN ('measles', 'mumps')) FROM published.asked();
RESET SESSION AUTHORIZATION;
SET ROLE regress_owner;
SELECT count(*) FROM published_private.asked_reference;
SELECT count(*) FROM pprepub.publish('asked');
SELECT * FROM published_private.asked_reference WHERE release > 1 ORDER BY 1;
\set ECHO none
CALL forget('asked');
-- A source that fails for the people asked about writes as much as for others.
CREATE TABLE broken (name text PRIMARY KEY, age int, disease text, divisor int);
INSERT INTO broken SELECT name, age, disease, CASE WHEN name = 'p1' THEN 0 ELSE 1 END FROM people;
CREATE VIEW breaking AS SELECT name, age / divisor AS age, disease FROM broken;
SELECT pprepub.create_publication('failing', 'breaking', 'name', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "delta": 1000}') \g /dev/null
GRANT EXECUTE ON FUNCTION published.failing TO regress_analyst;
SET SESSION AUTHORIZATION regress_analyst;
\set ECHO all
SELECT count(*) FROM published.failing('age = 21');
RESET SESSION AUTHORIZATION;
SET ROLE regress_owner;
SELECT * FROM published_private.failing_reference ORDER BY 1;
SELECT sqlstate, message FROM pprepub.failed_answer;
CALL forget('failing');
DROP VIEW breaking;
DROP TABLE broken;

-- Declared later, it is what the first release of everybody showed, and what others added.
DELETE FROM people WHERE name LIKE 'q%';
SELECT pprepub.create_publication('later', :source, '{"k": 5, "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT count(*) FROM pprepub.publish('later', cohort => 'age < 30');
SELECT count(*) FROM pprepub.publish('later');
INSERT INTO people SELECT 'q' || i, 20 + i % 37, 'mumps' FROM generate_series(1, 20) i;
UPDATE people SET disease = 'cold' WHERE name LIKE 'p%';
SELECT count(*) FROM pprepub.publish('later');
SELECT disease, count(*) FROM published.later_2 WHERE disease IS NOT NULL GROUP BY 1 ORDER BY 1;
SELECT disease, count(*), (SELECT count(disease) FROM published.later_3) FROM published.later_3 WHERE disease = 'mumps' GROUP BY 1 ORDER BY 1;
SELECT pprepub.alter_publication('later', '{"delta": 1000}') \g /dev/null
SELECT to_regclass('published_private.later_reference');
INSERT INTO people SELECT 'r' || i, 20 + i % 37, 'rabies' FROM generate_series(1, 20) i;
SELECT count(*) FROM pprepub.publish('later');
SELECT * FROM published_private.later_reference ORDER BY 1;
CALL forget('later');
-- Without such a release it is what the source has then.
SELECT pprepub.create_publication('later', :source, '{"k": 5}') \g /dev/null
SELECT count(*) FROM pprepub.publish('later', cohort => 'age < 30');
SELECT pprepub.alter_publication('later', '{"delta": 1000}') \g /dev/null
SELECT count(*) FROM pprepub.publish('later', cohort => 'age < 30');
SELECT * FROM published_private.later_reference ORDER BY 1;
\set ECHO none
CALL forget('later');

-- A public distribution.
CREATE TABLE census (disease text, share float8);
CREATE FUNCTION try(params jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
	PERFORM pprepub.create_publication('tried', 'people', 'name', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}' || params);
	CALL forget('tried');
	RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', sqlstate || ' ' || sqlerrm, nullif(detail, ''), CASE WHEN hint NOT LIKE 'Parameters of%' THEN nullif(hint, '') END);
END $$;
\set ECHO all
SELECT x, try(x::jsonb) FROM unnest(ARRAY[
	'{"distribution": "census"}', '{"distribution": "census", "frequency": 2}', '{"distribution": "census", "beta": 1}']) x;
INSERT INTO census VALUES ('flu', 0.5), ('cold', 0.25), ('gastritis', 0.2);
SELECT try('{"distribution": "census", "beta": 1}');
INSERT INTO census VALUES ('mumps', 0.050002);
SELECT try('{"distribution": "census", "beta": 1}');
UPDATE census SET share = 0.0500005 WHERE disease = 'mumps';
SELECT try('{"distribution": "census", "beta": 1}');
UPDATE census SET share = 0.05 WHERE disease = 'mumps';
SELECT x, try(x::jsonb) FROM unnest(ARRAY[
	'{"distribution": "census", "t": 0.1}', '{"distribution": "census", "t": 0.1, "distance": "ordered"}',
	'{"distribution": "nowhere", "beta": 1}']) x;
INSERT INTO census VALUES ('rabies', 0);
SELECT try('{"distribution": "census", "delta": 1}');
UPDATE census SET share = -0.05 WHERE disease = 'rabies';
SELECT try('{"distribution": "census", "delta": 1}');
UPDATE census SET share = 'NaN' WHERE disease = 'rabies';
SELECT try('{"distribution": "census", "delta": 1}');
UPDATE census SET share = 'Infinity' WHERE disease = 'rabies';
SELECT try('{"distribution": "census", "delta": 1}');
UPDATE census SET share = NULL WHERE disease = 'rabies';
SELECT try('{"distribution": "census", "delta": 1}');
UPDATE census SET share = 0.05, disease = NULL WHERE disease = 'rabies';
SELECT try('{"distribution": "census", "delta": 1}');
UPDATE census SET share = 0.025, disease = 'mumps' WHERE disease IS NULL OR disease = 'mumps';
SELECT try('{"distribution": "census", "delta": 1}');
CREATE VIEW odd AS SELECT disease FROM census;
SELECT try('{"distribution": "odd", "delta": 1}');
DROP VIEW odd;
CREATE VIEW odd AS SELECT 1 AS disease, 1 AS share;
SELECT try('{"distribution": "odd", "delta": 1}');
DROP VIEW odd;
CREATE VIEW odd AS SELECT 'flu'::text AS disease, 'all'::text AS share;
SELECT try('{"distribution": "odd", "delta": 1}');
DROP VIEW odd;
CREATE VIEW odd AS SELECT 'flu'::varchar(3) AS disease, 1::numeric AS share;
SELECT try('{"distribution": "odd", "delta": 1}');
DROP VIEW odd;

-- It is copied; publishing tells the owner what it lacks, if it is ever to be shown.
DELETE FROM census;
INSERT INTO census VALUES ('flu', 0.5), ('cold', 0.25), ('gastritis', 0.25);
SELECT pprepub.create_publication('public', :source, '{"k": 5, "delta": 1000, "distribution": "census", "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT params->>'distribution' FROM pprepub.publication;
SELECT * FROM published_private.public_distribution ORDER BY 1;
SELECT count(*) FROM pprepub.publish('public');
SELECT count(*) FROM pprepub.preview('public');
SELECT count(*) FROM pprepub.preview('public', params => '{"distribution": "census"}');
GRANT EXECUTE ON FUNCTION published.public TO regress_analyst;
SET SESSION AUTHORIZATION regress_analyst;
SELECT count(*) FILTER (WHERE disease IN ('mumps', 'rabies')) FROM published.public('age < 1');
RESET SESSION AUTHORIZATION;
SET ROLE regress_owner;
SELECT btrim(message) FROM pprepub.failed_answer;
DELETE FROM people WHERE name NOT LIKE 'p%';
SELECT count(*) FROM pprepub.publish('public');
SELECT to_regclass('published_private.public_reference');
SELECT bool_and(holds) FROM pprepub.audit('public');
-- Another one is another promise.
SELECT pprepub.alter_publication('public', '{}') \g /dev/null
UPDATE census SET share = 0.375 WHERE disease <> 'flu';
UPDATE census SET share = 0.25 WHERE disease = 'flu';
SELECT pprepub.alter_publication('public', '{"reserve": 2}');
SELECT pprepub.alter_publication('public', '{"distribution": "census", "accept_weakening": true}') \g /dev/null
SELECT * FROM published_private.public_distribution ORDER BY 1;
CALL forget('public');
SELECT pprepub.create_publication('public', :source, '{"k": 5, "delta": 1000}') \g /dev/null
SELECT pprepub.alter_publication('public', '{"distribution": "census"}') \g /dev/null
CALL forget('public');
SELECT pprepub.create_publication('public', :source, '{"k": 5, "delta": 1000}') \g /dev/null
SELECT count(*) FROM pprepub.publish('public');
SELECT pprepub.alter_publication('public', '{"distribution": "census"}');
SELECT pprepub.alter_publication('public', '{"distribution": "census", "accept_weakening": true}') \g /dev/null
CALL forget('public');
-- With t it may lack values.
INSERT INTO people SELECT 'q' || i, 20 + i % 37, 'mumps' FROM generate_series(1, 20) i;
SELECT pprepub.create_publication('public', :source, '{"k": 5, "t": 0.999, "distribution": "census", "repair": "dirty", "reserve": 100}') \g /dev/null
SELECT count(*) FROM pprepub.publish('public');
CALL forget('public');

-- Equal values are one, however they are written.
CREATE TABLE numbers (name text PRIMARY KEY, age int, income numeric);
INSERT INTO numbers SELECT 'n' || i, 20 + i % 37, CASE i % 4 WHEN 0 THEN '1.0' WHEN 1 THEN '1.00' WHEN 2 THEN '2' ELSE '3' END::numeric FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('numbers', 'numbers', 'name', '{"age": "range"}', 'income', 'bpg', '{"k": 5, "t": 0.99, "distance": "ordered"}') \g /dev/null
SELECT count(*) FROM pprepub.publish('numbers');
SELECT sensitive = 1 AS one, people, "of", release FROM published_private.numbers_reference ORDER BY sensitive;
CALL forget('numbers');
CREATE TABLE incomes AS SELECT * FROM (VALUES (1.0, 0.5), (1.00, 0.5)) v (income, share);
SELECT pprepub.create_publication('numbers', 'numbers', 'name', '{"age": "range"}', 'income', 'bpg', '{"k": 5, "t": 0.99, "distribution": "incomes"}');
-- Types without arrays of their own are kept as text.
CREATE TABLE listed AS SELECT name, age, ARRAY[income, 7] AS incomes FROM numbers;
SELECT pprepub.create_publication('listed', 'listed', 'name', '{"age": "range"}', 'incomes', 'bpg', '{"k": 5, "t": 0.99}') \g /dev/null
SELECT count(*) FROM pprepub.publish('listed');
SELECT pg_typeof(sensitive), people, "of", release FROM published_private.listed_reference ORDER BY sensitive;
SELECT count(*) FROM pprepub.publish('listed');
SELECT count(*) FROM published_private.listed_reference;
CALL forget('listed');

-- Several columns: it tells of tuples, and of each column by them.
CREATE TABLE workers AS SELECT 'w' || i AS name, 20 + i AS age, CASE WHEN i % 5 > 0 THEN 'd' || i % 2 END AS disease, 'j' || i % 3 AS job FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('workers', 'workers', 'name', '{"age": "range"}', '{disease, job}', 'bpg', '{"k": 5, "delta": 5, "repair": "dirty", "reserve": 2}', target => 'worked') \g /dev/null
SELECT count(*) FROM pprepub.publish('workers');
SELECT * FROM worked_private.workers_reference ORDER BY 1 \g (format=aligned t=off)
UPDATE workers SET job = 'j9' WHERE age > 70;
SELECT count(*) > 0 FROM pprepub.preview('workers');
SELECT count(*) FROM pprepub.publish('workers');
SELECT * FROM worked_private.workers_reference WHERE release > 1 ORDER BY 1;
SELECT bool_and(holds) FROM pprepub.audit('workers');
CALL forget('workers');
CREATE TABLE pairs AS SELECT 'd' || a AS disease, 'j' || b AS job, 1/6.0 AS share FROM generate_series(0, 1) a, generate_series(0, 2) b;
SELECT pprepub.create_publication('workers', 'workers', 'name', '{"age": "range"}', '{disease, job}', 'bpg', '{"k": 5, "delta": 5, "distribution": "pairs"}', target => 'worked') \g /dev/null
SELECT * FROM worked_private.workers_distribution ORDER BY 1, 2;
SELECT count(*) FROM pprepub.publish('workers');
DELETE FROM workers WHERE job = 'j9';
SELECT count(*) FROM pprepub.publish('workers');
CALL forget('workers');
UPDATE pairs SET job = NULL WHERE job = 'j0' AND disease = 'd0';
SELECT pprepub.create_publication('workers', 'workers', 'name', '{"age": "range"}', '{disease, job}', 'bpg', '{"k": 5, "delta": 5, "distribution": "pairs"}', target => 'worked');
\set ECHO none
DROP TABLE workers, pairs;
DROP SCHEMA worked, worked_private;

-- Places are ranks in the distribution: what it lacks lies halfway between its neighbors, or with the last one.  All people are one class here.
CREATE TABLE alike (name text PRIMARY KEY, age int, income float8, since date, word text);
INSERT INTO alike SELECT 'a' || i, i, 5, '2020-06-01', 'five' FROM generate_series(1, 20) i;
CREATE TABLE incomes_of_all AS SELECT * FROM (VALUES (0, 1/3.0), (10, 1/3.0), (100, 1/3.0)) v (income, share);
CREATE TABLE dates_of_all AS SELECT * FROM (VALUES (date '2020-01-01', 1/3.0), ('2020-01-02', 1/3.0), ('2030-01-01', 1/3.0)) v (since, share);
CREATE TABLE words_of_all AS SELECT * FROM (VALUES ('five', 0.5), ('six', 0.5)) v (word, share);
CREATE FUNCTION closeness(what text, given text, params jsonb DEFAULT '{}') RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE low int := 0; high int := 1000;	-- refused with a t of low thousandths, accepted with high
BEGIN
	PERFORM pprepub.create_publication('alike', 'alike', 'name', '{"age": "range"}', what, 'bpg',
		jsonb_build_object('k', 20, 't', 0.5, 'distribution', given, 'repair', 'dirty', 'reserve', 1) || params);
	WHILE high > low + 1 LOOP
		BEGIN
			PERFORM pprepub.preview('alike', params => jsonb_build_object('t', (low + high) / 2 * 0.001));
			high := (low + high) / 2;
		EXCEPTION WHEN OTHERS THEN
			low := (low + high) / 2;
		END;
	END LOOP;
	PERFORM pprepub.drop_publication('alike');
	RETURN high * 0.001;
END $$;
SET client_min_messages = warning;
\set ECHO all
SELECT closeness('income', 'incomes_of_all'), closeness('income', 'incomes_of_all', '{"distance": "ordered"}'), closeness('income', 'incomes_of_all', '{"distance": "equal"}');
UPDATE alike SET income = -7 WHERE age > 10;
UPDATE alike SET income = 200 WHERE age <= 10;
SELECT closeness('income', 'incomes_of_all');
UPDATE alike SET income = CASE age % 3 WHEN 0 THEN 0 WHEN 1 THEN 10 ELSE 100 END;
SELECT closeness('income', 'incomes_of_all');
SELECT closeness('since', 'dates_of_all'), closeness('since', 'dates_of_all', '{"distance": "equal"}'), closeness('word', 'words_of_all');
CREATE TABLE bands_of_all AS SELECT * FROM (VALUES (5, 1/3.0), (15, 1/3.0), (105, 1/3.0)) v (income, share);	-- in [0,10), [10,20) and [100,110)
UPDATE alike SET income = 30;
SELECT closeness('income', 'bands_of_all', '{"bands": {"income": "range 10"}}'), closeness('income', 'bands_of_all', '{"bands": {"income": "range 100"}}'),
	closeness('income', 'bands_of_all', '{"bands": {"income": "range 10"}, "distance": "equal"}');
DROP TABLE bands_of_all;
-- Of two columns each has places of its own, and a table of both gives tuples their shares.
CREATE TABLE both_of_all AS SELECT * FROM (VALUES (0, 'five', 1/3.0), (10, 'five', 1/3.0), (100, 'six', 1/3.0)) v (income, word, share);
UPDATE alike SET income = 5;
SELECT closeness('{word, income}', 'both_of_all'), closeness('{word, income}', 'both_of_all', '{"joint": true}');
UPDATE alike SET income = 10;
SELECT closeness('{word, income}', 'both_of_all'), closeness('{word, income}', 'both_of_all', '{"joint": true}'), closeness('{word, income}', 'both_of_all', '{"distance": "equal"}');
SELECT closeness('{word, income}', 'both_of_all', '{"distance": "ordered"}');
CALL public.clean();

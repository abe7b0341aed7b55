-- The distribution that t-closeness, beta-likeness and delta-disclosure compare with.  The strengths are so weak that every class keeps them.
\i test/lib/told.sql
CREATE ROLE regress_comparer;
CREATE ROLE regress_reference_thief;
CREATE ROLE regress_reference_reader;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_comparer', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO regress_comparer;
SET ROLE regress_comparer;
CREATE TABLE people (name text PRIMARY KEY, age int, disease text);
INSERT INTO people SELECT 'p' || i, 20 + i % 37, CASE WHEN i % 8 > 4 THEN 'flu' WHEN i % 8 > 2 THEN 'gastritis' WHEN i % 8 > 0 THEN 'cold' END FROM generate_series(1, 80) i;
\set source '\'people\', \'name\', \'{"age": "range"}\', \'disease\', \'bpg\''

-- It is kept only where something compares.
SELECT pprepub.create_publication('plain', :source, '{"k": 5, "l": 2, "frequency": 1.1}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('plain')$$), '1');
SELECT is(told($$SELECT to_regclass('published_private.plain_reference')$$), 'NULL');
SELECT pprepub.drop_publication('plain', true);

-- The first release tells what everybody has; NULL has no share.
SELECT pprepub.create_publication('told', :source, '{"k": 5, "delta": 1000, "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT is(told($$SELECT count(*) > 0 FROM pprepub.preview('told')$$), 'true');
SELECT is(told($$SELECT to_regclass('published_private.told_reference')$$), 'NULL');
BEGIN;
SELECT is(told($$SELECT count(*) FROM pprepub.publish('told')$$), '1');
SELECT is(told($$SELECT count(*) FROM published_private.told_reference$$), '3');
ROLLBACK;
SELECT is(told($$SELECT to_regclass('published_private.told_reference')$$), 'NULL');
SELECT is(told($$SELECT count(*) FROM pprepub.publish('told')$$), '1');
SELECT is(told($$SELECT * FROM published_private.told_reference ORDER BY 1$$), 'cold,20,70,1; flu,30,70,1; gastritis,20,70,1');
\d published_private.told_reference
SELECT is(told($$UPDATE published_private.told_reference SET people = 1$$), '55000 table "told_reference" cannot be changed / Releases and their history stay as they are. pprepub.drop_publication(name, forget_history => true) drops a publication with all that was made for it.');
SELECT is(told($$DROP TABLE published_private.told_reference$$), '55000 DROP TABLE would change what was made for publication "told" / Releases and their history stay as they are. pprepub.drop_publication(name, forget_history => true) drops a publication with all that was made for it.');
RESET ROLE;
SELECT is(told($$SELECT r.part FROM pprepub_internal.catalog_relation r WHERE r.relation = 'published_private.told_reference'::regclass$$), 'reference');
SET ROLE regress_comparer;

-- Another distribution of today moves nothing; a new value is added by the next release of everybody, once.
UPDATE people SET disease = 'flu' WHERE disease = 'cold' AND age > 30;
INSERT INTO people SELECT 'q' || i, 20 + i % 37, CASE i % 2 WHEN 0 THEN 'measles' ELSE 'mumps' END FROM generate_series(1, 20) i;
SELECT is(told($$SELECT count(*) FROM pprepub.publish('told', cohort => 'age > 50')$$), '1');
SELECT is(told($$SELECT * FROM published_private.told_reference ORDER BY 1$$), 'cold,20,70,1; flu,30,70,1; gastritis,20,70,1');
SELECT is(told($$SELECT count(*) > 0 FROM pprepub.preview('told')$$), 'true');
SELECT is(told($$SELECT count(*) FROM published_private.told_reference$$), '3');
SELECT is(told($$SELECT count(*) FROM pprepub.publish('told')$$), '1');
SELECT is(told($$SELECT * FROM published_private.told_reference ORDER BY 1$$), 'cold,20,70,1; flu,30,70,1; gastritis,20,70,1; measles,10,90,3; mumps,10,90,3');
DELETE FROM people WHERE disease = 'mumps';
SELECT is(told($$SELECT count(*) FROM pprepub.publish('told')$$), '1');
SELECT is(told($$SELECT count(*), max(release) FROM published_private.told_reference$$), '5,3');
SELECT is(told($$SELECT * FROM pprepub.rebuild_history('told')$$), 'groups,t');
SELECT is(told($$SELECT bool_and(holds) FROM pprepub.audit('told')$$), 'true');
-- An audit compares with it, whatever releases show by now.
SELECT is(told($$SELECT check_name, required, holds FROM pprepub.audit('told', '{"delta": 0.9}') WHERE check_name LIKE '%delta%' ORDER BY 1$$), 'delta,"no value is e^0.9 times as common as among all people",f; "revealed delta","no value is e^0.9 times as common as among all people",f');
SELECT is(told($$SELECT check_name, required, holds FROM pprepub.audit('told', '{"delta": 2.2}') WHERE check_name LIKE '%delta%' ORDER BY 1$$), 'delta,"no value is e^2.2 times as common as among all people",t; "revealed delta","no value is e^2.2 times as common as among all people",t');
SELECT pprepub.drop_publication('told', true);
SELECT is(told($$SELECT to_regclass('published_private.told_reference')$$), 'NULL');

-- A cohort that comes first does not choose it: not published ...
DELETE FROM people WHERE name LIKE 'q%';
SELECT pprepub.create_publication('part', :source, '{"k": 5, "delta": 1000}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('part', cohort => 'age < 40')$$), '1');
SELECT is(told($$SELECT * FROM published_private.part_reference ORDER BY 1$$), 'cold,7,70,1; flu,43,70,1; gastritis,20,70,1');
SELECT pprepub.drop_publication('part', true);

-- ... nor asked.
SELECT pprepub.create_publication('asked', :source, '{"k": 5, "delta": 1000, "max_added": 1}') \g /dev/null
GRANT USAGE ON SCHEMA published TO regress_reference_reader;
GRANT EXECUTE ON FUNCTION published.asked TO regress_reference_reader;
SET SESSION AUTHORIZATION regress_reference_reader;
SELECT is(told($$SELECT count(*) > 0 FROM published.asked('age < 30')$$), 'true');
SELECT is(told($$SELECT count(*) FROM published_private.asked_reference$$), '42501 permission denied for schema published_private');
RESET SESSION AUTHORIZATION;
SET ROLE regress_comparer;
SELECT is(told($$SELECT * FROM published_private.asked_reference ORDER BY 1$$), 'cold,7,70,1; flu,43,70,1; gastritis,20,70,1');
-- Answers add nothing.
INSERT INTO people SELECT 'q' || i, 20 + i % 37, CASE i % 2 WHEN 0 THEN 'measles' ELSE 'mumps' END FROM generate_series(1, 20) i;
SET SESSION AUTHORIZATION regress_reference_reader;
SELECT is(told($$SELECT count(*) FILTER (WHERE disease IN ('measles', 'mumps')) FROM published.asked()$$), '0');
RESET SESSION AUTHORIZATION;
SET ROLE regress_comparer;
SELECT is(told($$SELECT count(*) FROM published_private.asked_reference$$), '3');
SELECT is(told($$SELECT count(*) FROM pprepub.publish('asked')$$), '1');
SELECT is(told($$SELECT * FROM published_private.asked_reference WHERE release > 1 ORDER BY 1$$), 'measles,10,90,3; mumps,10,90,3');
SELECT pprepub.drop_publication('asked', true);
-- A source that fails for the people asked about writes as much as for others.
CREATE TABLE broken (name text PRIMARY KEY, age int, disease text, divisor int);
INSERT INTO broken SELECT name, age, disease, CASE WHEN name = 'p1' THEN 0 ELSE 1 END FROM people;
CREATE VIEW breaking AS SELECT name, age / divisor AS age, disease FROM broken;
SELECT pprepub.create_publication('failing', 'breaking', 'name', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "delta": 1000}') \g /dev/null
GRANT EXECUTE ON FUNCTION published.failing TO regress_reference_reader;
SET SESSION AUTHORIZATION regress_reference_reader;
SELECT is(told($$SELECT count(*) FROM published.failing('age = 21')$$), '0');
RESET SESSION AUTHORIZATION;
SET ROLE regress_comparer;
SELECT is(told($$SELECT * FROM published_private.failing_reference ORDER BY 1$$), 'cold,7,90,1; flu,43,90,1; gastritis,20,90,1; measles,10,90,1; mumps,10,90,1');
SELECT is(told($$SELECT sqlstate, message FROM pprepub.failed_answer$$), '22012,"division by zero"');
SELECT pprepub.drop_publication('failing', true);
DROP VIEW breaking;
DROP TABLE broken;

-- Declared later, it is what the first release of everybody showed, and what others added.
DELETE FROM people WHERE name LIKE 'q%';
SELECT pprepub.create_publication('later', :source, '{"k": 5, "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('later', cohort => 'age < 30')$$), '1');
SELECT is(told($$SELECT count(*) FROM pprepub.publish('later')$$), '1');
INSERT INTO people SELECT 'q' || i, 20 + i % 37, 'mumps' FROM generate_series(1, 20) i;
UPDATE people SET disease = 'cold' WHERE name LIKE 'p%';
SELECT is(told($$SELECT count(*) FROM pprepub.publish('later')$$), '1');
SELECT is(told($$SELECT disease, count(*) FROM published.later_2 WHERE disease IS NOT NULL GROUP BY 1 ORDER BY 1$$), 'cold,7; flu,43; gastritis,20');
SELECT is(told($$SELECT disease, count(*), (SELECT count(disease) FROM published.later_3) FROM published.later_3 WHERE disease = 'mumps' GROUP BY 1 ORDER BY 1$$), 'mumps,20,100');
SELECT pprepub.alter_publication('later', '{"delta": 1000}') \g /dev/null
SELECT is(told($$SELECT to_regclass('published_private.later_reference')$$), 'NULL');
INSERT INTO people SELECT 'r' || i, 20 + i % 37, 'rabies' FROM generate_series(1, 20) i;
SELECT is(told($$SELECT count(*) FROM pprepub.publish('later')$$), '1');
SELECT is(told($$SELECT * FROM published_private.later_reference ORDER BY 1$$), 'cold,7,70,2; flu,43,70,2; gastritis,20,70,2; mumps,20,100,3; rabies,20,120,4');
SELECT pprepub.drop_publication('later', true);
-- Without such a release it is what the source has then.
SELECT pprepub.create_publication('later', :source, '{"k": 5}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('later', cohort => 'age < 30')$$), '1');
SELECT pprepub.alter_publication('later', '{"delta": 1000}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('later', cohort => 'age < 30')$$), '1');
SELECT is(told($$SELECT * FROM published_private.later_reference ORDER BY 1$$), 'cold,80,120,2; mumps,20,120,2; rabies,20,120,2');
SELECT pprepub.drop_publication('later', true);

-- A public distribution.
CREATE TABLE census (disease text, share float8);
CREATE FUNCTION try(params jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
	PERFORM pprepub.create_publication('tried', 'people', 'name', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}' || params);
	PERFORM pprepub.drop_publication('tried', true);
	RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', sqlstate || ' ' || sqlerrm, nullif(detail, ''), CASE WHEN hint NOT LIKE 'Parameters of%' THEN nullif(hint, '') END);
END $$;
SELECT is(told($$SELECT x, try(x::jsonb) FROM unnest(ARRAY[
	'{"distribution": "census"}', '{"distribution": "census", "frequency": 2}', '{"distribution": "census", "beta": 1}']) x$$), '"{""distribution"": ""census""}","22023 parameters of method ""bpg"" contradict each other / ""distribution"" is what ""t"", ""beta"" and ""delta"" compare with, and none of them is given"; "{""distribution"": ""census"", ""frequency"": 2}","22023 parameters of method ""bpg"" contradict each other / ""distribution"" is what ""t"", ""beta"" and ""delta"" compare with, and none of them is given"; "{""distribution"": ""census"", ""beta"": 1}","22023 the table that ""distribution"" names is empty / Each row has a value, and the share of the people who have it."');
INSERT INTO census VALUES ('flu', 0.5), ('cold', 0.25), ('gastritis', 0.2);
SELECT is(told($$SELECT try('{"distribution": "census", "beta": 1}')$$), '22023 the shares of the table that "distribution" names sum to 0.95 instead of 1 / Divide each by their sum, if no value is missing.');
INSERT INTO census VALUES ('mumps', 0.050002);
SELECT is(told($$SELECT try('{"distribution": "census", "beta": 1}')$$), '22023 the shares of the table that "distribution" names sum to 1.000002 instead of 1 / Divide each by their sum, if no value is missing.');
UPDATE census SET share = 0.0500005 WHERE disease = 'mumps';
SELECT is(told($$SELECT try('{"distribution": "census", "beta": 1}')$$), 'accepted');
UPDATE census SET share = 0.05 WHERE disease = 'mumps';
SELECT is(told($$SELECT x, try(x::jsonb) FROM unnest(ARRAY[
	'{"distribution": "census", "t": 0.1}', '{"distribution": "census", "t": 0.1, "distance": "ordered"}',
	'{"distribution": "nowhere", "beta": 1}']) x$$), '"{""distribution"": ""census"", ""t"": 0.1}",accepted; "{""distribution"": ""census"", ""t"": 0.1, ""distance"": ""ordered""}","42804 values of column ""disease"" of type text are in no order that ""distance"" could follow / Numbers, dates, times and bands are. / Leave ""distance"" out: each column is judged by its order if it has one."; "{""distribution"": ""nowhere"", ""beta"": 1}","42P01 relation ""nowhere"" does not exist"');
INSERT INTO census VALUES ('rabies', 0);
SELECT is(told($$SELECT try('{"distribution": "census", "delta": 1}')$$), '22023 the table that "distribution" names has 1 row(s) with a share that is none / Shares are greater than 0, and 1 at most; leave out values that nobody has.');
UPDATE census SET share = -0.05 WHERE disease = 'rabies';
SELECT is(told($$SELECT try('{"distribution": "census", "delta": 1}')$$), '22023 the table that "distribution" names has 1 row(s) with a share that is none / Shares are greater than 0, and 1 at most; leave out values that nobody has.');
UPDATE census SET share = 'NaN' WHERE disease = 'rabies';
SELECT is(told($$SELECT try('{"distribution": "census", "delta": 1}')$$), '22023 the table that "distribution" names has 1 row(s) with a share that is none / Shares are greater than 0, and 1 at most; leave out values that nobody has.');
UPDATE census SET share = 'Infinity' WHERE disease = 'rabies';
SELECT is(told($$SELECT try('{"distribution": "census", "delta": 1}')$$), '22023 the table that "distribution" names has 1 row(s) with a share that is none / Shares are greater than 0, and 1 at most; leave out values that nobody has.');
UPDATE census SET share = NULL WHERE disease = 'rabies';
SELECT is(told($$SELECT try('{"distribution": "census", "delta": 1}')$$), '22004 the table that "distribution" names has 1 row(s) without a value or a share / Shares are of the people who have a value: NULL has none.');
UPDATE census SET share = 0.05, disease = NULL WHERE disease = 'rabies';
SELECT is(told($$SELECT try('{"distribution": "census", "delta": 1}')$$), '22004 the table that "distribution" names has 1 row(s) without a value or a share / Shares are of the people who have a value: NULL has none.');
UPDATE census SET share = 0.025, disease = 'mumps' WHERE disease IS NULL OR disease = 'mumps';
SELECT is(told($$SELECT try('{"distribution": "census", "delta": 1}')$$), '22023 the table that "distribution" names has 1 row(s) with a value that another row has / Each value has one row, with all of its share.');
CREATE VIEW odd AS SELECT disease FROM census;
SELECT is(told($$SELECT try('{"distribution": "odd", "delta": 1}')$$), '42703 the table that "distribution" names has no column "share" / Its columns are "disease" text, "share" double precision.');
DROP VIEW odd;
CREATE VIEW odd AS SELECT 1 AS disease, 1 AS share;
SELECT is(told($$SELECT try('{"distribution": "odd", "delta": 1}')$$), '42804 column "disease" of the table that "distribution" names is of type integer instead of text / Name a view that casts the column.');
DROP VIEW odd;
CREATE VIEW odd AS SELECT 'flu'::text AS disease, 'all'::text AS share;
SELECT is(told($$SELECT try('{"distribution": "odd", "delta": 1}')$$), '42804 column "share" of the table that "distribution" names is of type text instead of double precision / Name a view that casts the column.');
DROP VIEW odd;
CREATE VIEW odd AS SELECT 'flu'::varchar(3) AS disease, 1::numeric AS share;
SELECT is(told($$SELECT try('{"distribution": "odd", "delta": 1}')$$), 'accepted');
DROP VIEW odd;

-- It is copied; publishing tells the owner what it lacks, if it is ever to be shown.
DELETE FROM census;
INSERT INTO census VALUES ('flu', 0.5), ('cold', 0.25), ('gastritis', 0.25);
SELECT pprepub.create_publication('public', :source, '{"k": 5, "delta": 1000, "distribution": "census", "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT is(told($$SELECT params->>'distribution' FROM pprepub.publication$$), 'public.census');
SELECT is(told($$SELECT * FROM published_private.public_distribution ORDER BY 1$$), 'cold,0.25; flu,0.5; gastritis,0.25');
SELECT is(told($$SELECT count(*) FROM pprepub.publish('public')$$), '22000 the declared distribution of publication "public" lacks values of column "disease" that 40 people have / For example: "rabies". Nobody who has one could be shown. / Declare a distribution that has them, or a view that turns them into others.');
SELECT is(told($$SELECT count(*) FROM pprepub.preview('public')$$), '22000 the declared distribution of publication "public" lacks values of column "disease" that 40 people have / For example: "rabies". Nobody who has one could be shown. / Declare a distribution that has them, or a view that turns them into others.');
SELECT is(told($$SELECT count(*) FROM pprepub.preview('public', params => '{"distribution": "census"}')$$), '0A000 a preview cannot take another table for "distribution" / Its rows would have to be copied, and a preview changes nothing. / Leave it out to use the copy that was made before.');
GRANT EXECUTE ON FUNCTION published.public TO regress_reference_reader;
SET SESSION AUTHORIZATION regress_reference_reader;
SELECT is(told($$SELECT count(*) FILTER (WHERE disease IN ('mumps', 'rabies')) FROM published.public('age < 1')$$), '0');
RESET SESSION AUTHORIZATION;
SET ROLE regress_comparer;
SELECT is(told($$SELECT btrim(message) FROM pprepub.failed_answer$$), 'no rows');
DELETE FROM people WHERE name NOT LIKE 'p%';
SELECT is(told($$SELECT count(*) FROM pprepub.publish('public')$$), '1');
SELECT is(told($$SELECT to_regclass('published_private.public_reference')$$), 'NULL');
SELECT is(told($$SELECT bool_and(holds) FROM pprepub.audit('public')$$), 'true');
-- Another one is another promise.
SELECT pprepub.alter_publication('public', '{}') \g /dev/null
UPDATE census SET share = 0.375 WHERE disease <> 'flu';
UPDATE census SET share = 0.25 WHERE disease = 'flu';
SELECT is(told($$SELECT pprepub.alter_publication('public', '{"reserve": 2}')$$), '55000 another distribution might weaken what publication "public" has promised / Its releases were compared with the one so far; those to come would be compared with this one. / If that is what you want, say so: add "accept_weakening": true to the parameters.');
SELECT pprepub.alter_publication('public', '{"distribution": "census", "accept_weakening": true}') \g /dev/null
SELECT is(told($$SELECT * FROM published_private.public_distribution ORDER BY 1$$), 'cold,0.375; flu,0.25; gastritis,0.375');
SELECT pprepub.drop_publication('public', true);
SELECT pprepub.create_publication('public', :source, '{"k": 5, "delta": 1000}') \g /dev/null
SELECT pprepub.alter_publication('public', '{"distribution": "census"}') \g /dev/null
SELECT pprepub.drop_publication('public', true);
SELECT pprepub.create_publication('public', :source, '{"k": 5, "delta": 1000}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('public')$$), '1');
SELECT is(told($$SELECT pprepub.alter_publication('public', '{"distribution": "census"}')$$), '55000 another distribution might weaken what publication "public" has promised / Its releases were compared with the one so far; those to come would be compared with this one. / If that is what you want, say so: add "accept_weakening": true to the parameters.');
SELECT pprepub.alter_publication('public', '{"distribution": "census", "accept_weakening": true}') \g /dev/null
SELECT pprepub.drop_publication('public', true);
-- With t it may lack values.
INSERT INTO people SELECT 'q' || i, 20 + i % 37, 'mumps' FROM generate_series(1, 20) i;
SELECT pprepub.create_publication('public', :source, '{"k": 5, "t": 0.999, "distribution": "census", "repair": "dirty", "reserve": 100}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('public')$$), '1');
SELECT pprepub.drop_publication('public', true);

-- Equal values are one, however they are written.
CREATE TABLE numbers (name text PRIMARY KEY, age int, income numeric);
INSERT INTO numbers SELECT 'n' || i, 20 + i % 37, CASE i % 4 WHEN 0 THEN '1.0' WHEN 1 THEN '1.00' WHEN 2 THEN '2' ELSE '3' END::numeric FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('numbers', 'numbers', 'name', '{"age": "range"}', 'income', 'bpg', '{"k": 5, "t": 0.99, "distance": "ordered"}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('numbers')$$), '1');
SELECT is(told($$SELECT sensitive = 1 AS one, people, "of", release FROM published_private.numbers_reference ORDER BY sensitive$$), 't,20,40,1; f,10,40,1; f,10,40,1');
SELECT pprepub.drop_publication('numbers', true);
CREATE TABLE incomes AS SELECT * FROM (VALUES (1.0, 0.5), (1.00, 0.5)) v (income, share);
SELECT is(told($$SELECT pprepub.create_publication('numbers', 'numbers', 'name', '{"age": "range"}', 'income', 'bpg', '{"k": 5, "t": 0.99, "distribution": "incomes"}')$$), '22023 the table that "distribution" names has 1 row(s) with a value that another row has / Each value has one row, with all of its share.');
-- Types without arrays of their own are kept as text.
CREATE TABLE listed AS SELECT name, age, ARRAY[income, 7] AS incomes FROM numbers;
SELECT pprepub.create_publication('listed', 'listed', 'name', '{"age": "range"}', 'incomes', 'bpg', '{"k": 5, "t": 0.99}') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('listed')$$), '1');
SELECT is(told($$SELECT pg_typeof(sensitive), people, "of", release FROM published_private.listed_reference ORDER BY sensitive$$), 'text,20,40,1; text,10,40,1; text,10,40,1');
SELECT is(told($$SELECT count(*) FROM pprepub.publish('listed')$$), '1');
SELECT is(told($$SELECT count(*) FROM published_private.listed_reference$$), '3');
SELECT pprepub.drop_publication('listed', true);

-- Several columns: it tells of tuples, and of each column by them.
CREATE TABLE workers AS SELECT 'w' || i AS name, 20 + i AS age, CASE WHEN i % 5 > 0 THEN 'd' || i % 2 END AS disease, 'j' || i % 3 AS job FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('workers', 'workers', 'name', '{"age": "range"}', '{disease, job}', 'bpg', '{"k": 5, "delta": 5, "repair": "dirty", "reserve": 2}', target => 'worked') \g /dev/null
SELECT is(told($$SELECT count(*) FROM pprepub.publish('workers')$$), '1');
SELECT is(told($$SELECT * FROM worked_private.workers_reference ORDER BY 1$$), '"(d0,j0)",8,60,1; "(d0,j1)",8,60,1; "(d0,j2)",8,60,1; "(d1,j0)",8,60,1; "(d1,j1)",8,60,1; "(d1,j2)",8,60,1; "(,j0)",4,60,1; "(,j1)",4,60,1; "(,j2)",4,60,1');
UPDATE workers SET job = 'j9' WHERE age > 70;
SELECT is(told($$SELECT count(*) > 0 FROM pprepub.preview('workers')$$), 'true');
SELECT is(told($$SELECT count(*) FROM pprepub.publish('workers')$$), '1');
SELECT is(told($$SELECT * FROM worked_private.workers_reference WHERE release > 1 ORDER BY 1$$), '"(d0,j9)",4,60,2; "(d1,j9)",4,60,2; "(,j9)",2,60,2');
SELECT is(told($$SELECT bool_and(holds) FROM pprepub.audit('workers')$$), 'true');
SELECT pprepub.drop_publication('workers', true);
CREATE TABLE pairs AS SELECT 'd' || a AS disease, 'j' || b AS job, 1/6.0 AS share FROM generate_series(0, 1) a, generate_series(0, 2) b;
SELECT pprepub.create_publication('workers', 'workers', 'name', '{"age": "range"}', '{disease, job}', 'bpg', '{"k": 5, "delta": 5, "distribution": "pairs"}', target => 'worked') \g /dev/null
SELECT is(told($$SELECT * FROM worked_private.workers_distribution ORDER BY 1, 2$$), 'd0,j0,0.16666666666666666; d0,j1,0.16666666666666666; d0,j2,0.16666666666666666; d1,j0,0.16666666666666666; d1,j1,0.16666666666666666; d1,j2,0.16666666666666666');
SELECT is(told($$SELECT count(*) FROM pprepub.publish('workers')$$), '22000 the declared distribution of publication "workers" lacks values of column "job" that 10 people have / For example: "j9". Nobody who has one could be shown. / Declare a distribution that has them, or a view that turns them into others.');
DELETE FROM workers WHERE job = 'j9';
SELECT is(told($$SELECT count(*) FROM pprepub.publish('workers')$$), '1');
SELECT pprepub.drop_publication('workers', true);
UPDATE pairs SET job = NULL WHERE job = 'j0' AND disease = 'd0';
SELECT is(told($$SELECT pprepub.create_publication('workers', 'workers', 'name', '{"age": "range"}', '{disease, job}', 'bpg', '{"k": 5, "delta": 5, "distribution": "pairs"}', target => 'worked')$$), '22004 the table that "distribution" names has 1 row(s) without a value or a share / Shares are of the people who have a value: NULL has none.');
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
SELECT is(told($$SELECT closeness('income', 'incomes_of_all'), closeness('income', 'incomes_of_all', '{"distance": "ordered"}'), closeness('income', 'incomes_of_all', '{"distance": "equal"}')$$), '0.417,0.417,1.000');
UPDATE alike SET income = -7 WHERE age > 10;
UPDATE alike SET income = 200 WHERE age <= 10;
SELECT is(told($$SELECT closeness('income', 'incomes_of_all')$$), '0.167');
UPDATE alike SET income = CASE age % 3 WHEN 0 THEN 0 WHEN 1 THEN 10 ELSE 100 END;
SELECT is(told($$SELECT closeness('income', 'incomes_of_all')$$), '0.025');
SELECT is(told($$SELECT closeness('since', 'dates_of_all'), closeness('since', 'dates_of_all', '{"distance": "equal"}'), closeness('word', 'words_of_all')$$), '0.417,1.000,0.500');
CREATE TABLE bands_of_all AS SELECT * FROM (VALUES (5, 1/3.0), (15, 1/3.0), (105, 1/3.0)) v (income, share);	-- in [0,10), [10,20) and [100,110)
UPDATE alike SET income = 30;
SELECT is(told($$SELECT closeness('income', 'bands_of_all', '{"bands": {"income": "range 10"}}'), closeness('income', 'bands_of_all', '{"bands": {"income": "range 100"}}'),
	closeness('income', 'bands_of_all', '{"bands": {"income": "range 10"}, "distance": "equal"}')$$), '0.417,0.334,1.000');
DROP TABLE bands_of_all;
-- Of two columns each has places of its own, and a table of both gives tuples their shares.
CREATE TABLE both_of_all AS SELECT * FROM (VALUES (0, 'five', 1/3.0), (10, 'five', 1/3.0), (100, 'six', 1/3.0)) v (income, word, share);
UPDATE alike SET income = 5;
SELECT is(told($$SELECT closeness('{word, income}', 'both_of_all'), closeness('{word, income}', 'both_of_all', '{"joint": true}')$$), '0.417,1.000');
UPDATE alike SET income = 10;
SELECT is(told($$SELECT closeness('{word, income}', 'both_of_all'), closeness('{word, income}', 'both_of_all', '{"joint": true}'), closeness('{word, income}', 'both_of_all', '{"distance": "equal"}')$$), '0.334,0.334,0.667');
SELECT is(told($$SELECT closeness('{word, income}', 'both_of_all', '{"distance": "ordered"}')$$), '42804 values of column "word" of type text are in no order that "distance" could follow / Numbers, dates, times and bands are. / Leave "distance" out: each column is judged by its order if it has one.');
RESET SESSION AUTHORIZATION;
SELECT pprepub.drop_publication(name, true) FROM pprepub_internal.catalog_publication;
DROP OWNED BY regress_comparer, regress_reference_thief, regress_reference_reader CASCADE;
DROP ROLE regress_comparer, regress_reference_thief, regress_reference_reader;

-- Method sequential: releases with different columns, each safe together with all before.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
CREATE FUNCTION try_publish(publication text, columns name[] DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text; message text; detail text; hint text;
	r pprepub.release;
BEGIN
	r := pprepub.publish(publication, columns => columns);
	RETURN format('release %s: %s rows', r.number, r.rows);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	-- Lots that were drawn before decide how many these are.
	RETURN concat_ws(' / ', state || ' ' || message, nullif(regexp_replace(detail, 'shown that \d+ people', 'shown that N people'), ''), nullif(hint, ''));
END
$$;

-- ---- Example 1.1: each release alone links a person to two diseases, both together to one ----

CREATE TABLE four (id int PRIMARY KEY, age int, gender text, disease text);
INSERT INTO four VALUES (1, 20, 'male', 'measles'), (2, 20, 'female', 'hepatitis'), (3, 30, 'male', 'flu'), (4, 30, 'female', 'angina');
SELECT pprepub.create_publication('four', 'four', 'id', '{"age": "range", "gender": "suppress"}', 'disease', 'sequential', '{"k": 2, "seed": 1}') \g /dev/null
\set ECHO all
SELECT metric, value FROM pprepub.preview('four', columns => '{age, disease}') WHERE metric IN ('rows', 'lm');
SELECT number, kind, columns, rows, classes, suppressed, params FROM pprepub.publish('four', columns => '{age, disease}');
SELECT * FROM published.four_1 ORDER BY disease \g (format=aligned t=off)
SELECT linkability, diversity FROM pprepub.linkability('four');
SELECT try_publish('four', '{gender, disease}');
SELECT count(DISTINCT gender) AS genders, bool_or(gender = '*') AS withheld, count(*) FROM published.four_2;
SELECT linkability FROM pprepub.linkability('four');
SELECT try_publish('four', '{age, gender}');
SELECT linkability FROM pprepub.linkability('four', join_kind => 'fmj');
SELECT check_name, required, measured, holds FROM pprepub.audit('four');
SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'four_1' ORDER BY ordinal_position;

-- Parameters that are refused
SELECT try_publish('four', '{}');
SELECT try_publish('four', '{id}');
SELECT try_publish('four', '{age, age}');
SELECT try_publish('four', '{nothing}');
SELECT pprepub.publish('four', 'age > 20');
CALL forget('four');

-- More than the data can bear
SELECT pprepub.create_publication('four', 'four', 'id', '{"age": "range", "gender": "suppress"}', 'disease', 'sequential', '{"k": 5}');
SELECT try_publish('four');
SELECT try_publish('four', '{age, gender}');
SELECT * FROM published.four_1 ORDER BY age, gender;
SELECT linkability FROM pprepub.linkability('four');
CALL forget('four');
SELECT pprepub.create_publication('four', 'four', 'id', '{"age": "range", "gender": "suppress"}', 'disease', 'sequential', '{"k": 4.5, "privacy": "diversity"}');
SELECT try_publish('four');
TRUNCATE four;
SELECT try_publish('four');
\set ECHO none
CALL forget('four');
DROP TABLE four;

-- ---- Hundreds of people, and releases that come and go ----

CREATE FUNCTION drawn(id int, what text, n int) RETURNS int LANGUAGE sql IMMUTABLE AS
	$$ SELECT (('x' || substr(md5(id || what), 1, 7))::bit(28)::int % n) * (('x' || substr(md5(what || id), 1, 7))::bit(28)::int % n) / n $$;
CREATE VIEW drawn_people AS
	SELECT id, nullif(20 + drawn(id, 'age', 60), 25) AS age, '5' || lpad(drawn(id, 'zip', 30)::text, 2, '0') AS zip,
		(ARRAY['France', 'Spain', 'Mali', NULL])[1 + drawn(id, 'country', 4)] AS country, CASE drawn(id, 'sex', 2) WHEN 0 THEN 'F' ELSE 'M' END AS sex,
		nullif('disease ' || drawn(id, 'disease', 12), 'disease 9') AS disease, drawn(id, 'ward', 3) AS ward
	FROM generate_series(1, 1000) id;
CREATE TABLE people AS SELECT * FROM drawn_people WHERE id <= 300;
CREATE TABLE countries (leaf text, parent text, root text);
INSERT INTO countries VALUES ('France', 'Europe', 'World'), ('Spain', 'Europe', 'World'), ('Mali', 'Africa', 'World');
SELECT pprepub.create_taxonomy('countries', 'countries') \g /dev/null
SET client_min_messages = error;
CREATE PROCEDURE declare(params jsonb) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range", "zip": "prefix", "country": "taxonomy countries", "sex": "suppress"}', 'disease',
		'sequential', '{"seed": 1}' || params, '{ward}');
END
$$;
CALL declare('{"k": 4}');
\set ECHO all
SELECT try_publish('people', '{age, zip, ward}');
SELECT try_publish('people', '{age, sex, disease}');
-- Whose ward this is everybody may know by release 1.
SELECT try_publish('people', '{zip, country, disease, ward}');
SELECT try_publish('people', '{zip, country, disease}');
-- Each cell covers the true value, and what is withheld says so.
SELECT bool_or(upper_inf(age)) AS some_withheld, count(age) FROM published.people_2;
SELECT join_kind, linkability >= 4 AS kept FROM unnest('{mj, kmj}'::text[]) k, LATERAL pprepub.linkability('people', join_kind => k);
SELECT release, linkability >= 4 AS kept FROM generate_series(1, 3) release, pprepub.linkability('people', ARRAY(SELECT generate_series(1, release))) WHERE linkability IS NOT NULL;
SELECT metric, value > 0 AS some FROM pprepub.metrics('people', 3) WHERE metric IN ('lm', 'em', 'suppressed', 'dirty', 'counterfeits');
SELECT holds FROM pprepub.audit('people') WHERE check_name = 'checksums';
SELECT * FROM pprepub.rebuild_history('people');

-- People come, in the strict reading: enough of them, and too few
INSERT INTO people SELECT * FROM drawn_people WHERE id BETWEEN 301 AND 303;
SELECT try_publish('people', '{sex, disease}');
INSERT INTO people SELECT * FROM drawn_people WHERE id BETWEEN 304 AND 400;
SELECT try_publish('people', '{sex, disease}');
SELECT linkability >= 4 AS kept FROM pprepub.linkability('people');
-- They leave, and change: whether that goes depends on how lots were drawn, and on how far a search gets
DELETE FROM people WHERE id % 5 = 0;
SELECT try_publish('people', '{sex, disease}') ~ '^(release|P0002)' AS answered;
SELECT linkability >= 4 AS kept FROM pprepub.linkability('people');
UPDATE people SET age = age + 1 WHERE id % 3 = 0;
SELECT try_publish('people', '{age}') ~ '^(release|P0002)' AS answered;
SELECT linkability >= 4 AS kept FROM pprepub.linkability('people');
UPDATE people SET disease = 'other' WHERE id = 1;
SELECT try_publish('people', '{sex, disease}') ~ '^(release|P0002)' AS answered;
DELETE FROM people WHERE id IN (1, 2);
SELECT try_publish('people', '{sex, disease}') ~ '^(release|P0002)' AS answered;
SELECT linkability >= 4 AS kept FROM pprepub.linkability('people');
CALL forget('people');

-- Newcomers judged by themselves
TRUNCATE people;
INSERT INTO people SELECT * FROM drawn_people WHERE id <= 300;
CALL declare('{"k": 4, "approach": "separative"}');
SELECT try_publish('people', '{age, sex}');
INSERT INTO people SELECT * FROM drawn_people WHERE id BETWEEN 301 AND 303;
SELECT try_publish('people', '{age, disease}');
INSERT INTO people SELECT * FROM drawn_people WHERE id BETWEEN 304 AND 400;
SELECT try_publish('people', '{age, disease}');
SELECT linkability >= 4 AS kept FROM pprepub.linkability('people');
CALL forget('people');

-- Diversity, the match join, cuts, entropy
CALL declare('{"k": 2.5, "privacy": "diversity", "loss": "em"}');
SELECT try_publish('people', '{age, sex}');
SELECT try_publish('people', '{age, disease}');
SELECT diversity >= 2.5 AS kept FROM pprepub.linkability('people');
CALL forget('people');
CALL declare('{"k": 4, "join": "mj", "model": "cut"}');
SELECT try_publish('people', '{age, sex}');
SELECT try_publish('people', '{age, disease}');
SELECT linkability >= 4 AS kept FROM pprepub.linkability('people', join_kind => 'mj');
SELECT count(*) AS overlapping FROM (SELECT DISTINCT age FROM published.people_2) a, (SELECT DISTINCT age FROM published.people_2) b WHERE a.age <> b.age AND a.age && b.age;
CALL forget('people');

-- Imports count; those of which nobody knows whose their rows are do not, once they were waived.
CALL declare('{"k": 4}');
CREATE VIEW before AS SELECT id, int4range(age / 10 * 10, age / 10 * 10 + 10) AS age, disease FROM people;
SELECT number, kind, columns, rows FROM pprepub.import_release('people', 'before', 'id');
SELECT linkability FROM pprepub.linkability('people');
SELECT try_publish('people', '{sex, disease}');
CREATE VIEW nobodys AS SELECT age, disease FROM before;
SELECT number, kind, columns, rows FROM pprepub.import_release('people', 'nobodys');
SELECT try_publish('people', '{sex}');
SELECT pprepub.acknowledge_history('people');
SELECT try_publish('people', '{sex}');
CALL forget('people');

-- ---- People who have left: whose values these were, whoever compares the releases can tell ----

CREATE TABLE leaving (id int PRIMARY KEY, age int, disease text);
INSERT INTO leaving VALUES (1, 20, 'flu'), (2, 20, 'measles'), (3, 20, 'cough'), (4, 20, 'mumps'),
	(5, 40, 'angina'), (6, 40, 'measles'), (7, 40, 'cough'), (8, 40, 'mumps');
SELECT pprepub.create_publication('leaving', 'leaving', 'id', '{"age": "range"}', 'disease', 'sequential', '{"k": 2, "seed": 1}') \g /dev/null
SELECT try_publish('leaving', '{age, disease}');
-- Each age is left with three diseases; but who of 20 has gone had the flu.
DELETE FROM leaving WHERE id IN (1, 5);
SELECT try_publish('leaving', '{disease}');
SELECT try_publish('leaving', '{age}');
-- Two diseases have gone at each age, and two are left.
DELETE FROM leaving WHERE id IN (2, 6);
SELECT try_publish('leaving', '{disease}');
SELECT check_name, required, measured, holds FROM pprepub.audit('leaving') WHERE check_name = 'joined';
\set ECHO none
CALL forget('leaving');
DROP TABLE leaving;

-- ---- What the audit says of all releases together ----

CREATE TABLE audited AS SELECT id, 20 + id % 4 * 10 AS age, CASE WHEN id % 2 = 0 THEN 'F' ELSE 'M' END AS gender, 'd' || id % 7 AS disease FROM generate_series(1, 40) id;
ALTER TABLE audited ADD PRIMARY KEY (id);
CREATE PROCEDURE audit() LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
	FOR r IN SELECT check_name, required, measured, holds FROM pprepub.audit('audited') WHERE check_name = 'joined' LOOP
		RAISE INFO '%: %; %: %', r.check_name, r.required, r.measured, r.holds;
	END LOOP;
END
$$;
SELECT pprepub.create_publication('audited', 'audited', 'id', '{"age": "range", "gender": "suppress"}', 'disease', 'sequential', '{"k": 3, "seed": 1}') \g /dev/null
\set ECHO all
SELECT try_publish('audited', '{age, gender}');
CALL audit();
SELECT try_publish('audited', '{age, disease}');
CALL audit();
-- A larger k is for the next release.
SELECT pprepub.alter_publication('audited', '{"k": 6}') \g /dev/null
CALL audit();
-- People who have left or changed since were judged when they were published.
UPDATE audited SET age = age + 1, disease = 'other' WHERE id <= 3;
DELETE FROM audited WHERE id BETWEEN 4 AND 6;
CALL audit();
-- People who are no worse off, and people who are
SET client_min_messages = warning;
SELECT pprepub.alter_publication('audited', '{"k": 3, "accept_weakening": true}') \g /dev/null
CREATE VIEW no_worse AS SELECT id, gender FROM audited WHERE id > 6;
CREATE VIEW worse AS SELECT id, age, gender, disease FROM audited WHERE id > 6;
SELECT number FROM pprepub.import_release('audited', 'no_worse', 'id');
CALL audit();
SELECT number FROM pprepub.import_release('audited', 'worse', 'id');
CALL audit();
-- A release by a smaller k hides nothing of that.
SELECT pprepub.alter_publication('audited', '{"k": 1, "accept_weakening": true}') \g /dev/null
SELECT try_publish('audited', '{gender}');
CALL audit();
CALL public.clean();

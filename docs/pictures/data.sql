-- Figures that pictures show, as CSV files one after the other.  "make pictures" runs this, and has them drawn.
\set ON_ERROR_STOP 1
SET client_min_messages = error;
SELECT setseed(0) \g /dev/null
\i test/data/hospital.sql
SELECT pprepub.create_taxonomy('world', 'hospital.country_levels') \g /dev/null
CREATE TABLE hospital.start AS SELECT * FROM hospital.patients;
CREATE TABLE week (setting text, week int, withheld float8, invented float8, loss float8);

-- Ten weeks, once for each setting.
CREATE PROCEDURE live(setting text, params jsonb) LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE hospital.patients;
	INSERT INTO hospital.patients SELECT * FROM hospital.start;
	PERFORM pprepub.create_publication('patients', 'hospital.patients', 'id',
		'{"age": "range", "zip": "prefix", "country": "taxonomy world", "sex": "suppress"}', 'disease', 'bpg', '{"k": 10, "l": 3}' || params);
	FOR n IN 1 .. 10 LOOP
		IF n > 1 THEN
			CALL hospital.pass_week(n);
		END IF;
		PERFORM pprepub.publish('patients');
		INSERT INTO week SELECT setting, n, max(value) FILTER (WHERE metric = 'withheld_percent'), max(value) FILTER (WHERE metric = 'invented_percent'),
			max(value) FILTER (WHERE metric = 'loss_percent') FROM pprepub.metrics('patients', n);
	END LOOP;
	PERFORM pprepub.drop_publication('patients', true);
END
$$;
CALL live('the defaults', '{}');
CALL live('reserve 1', '{"reserve": 1}');
CALL live('true rows only, reserve 1', '{"repair": "dirty", "reserve": 1}');
\echo FILE weeks
COPY (SELECT setting, week, round(withheld::numeric, 1) AS withheld, round(invented::numeric, 1) AS invented, round(loss::numeric, 1) AS loss FROM week ORDER BY setting, week) TO STDOUT CSV HEADER;

-- The values that two releases of different columns, joined, link to each combination of quasi-identifiers.
CREATE TABLE hospital.ward (id int PRIMARY KEY, age int, sex text, disease text);
INSERT INTO hospital.ward SELECT id, age, sex, disease FROM hospital.start WHERE id <= 12;
SELECT pprepub.create_publication('ward', 'hospital.ward', 'id', '{"age": "range 10", "sex": "suppress"}', 'disease', 'sequential', '{"k": 2}') \g /dev/null
SELECT pprepub.publish('ward', columns => '{age,disease}') \g /dev/null
SELECT pprepub.publish('ward', columns => '{sex,disease}') \g /dev/null
\echo FILE linkability
COPY (SELECT p.tuple->>'age' AS age, p.tuple->>'sex' AS sex, p.records, v.value, round(v.frequency::numeric, 3) AS share FROM pprepub.link_profile('ward') p, jsonb_to_recordset(p.sensitive) v(value text, frequency float8) ORDER BY 1, 2, 5 DESC, 4) TO STDOUT CSV HEADER;

-- Classes of two releases that share all people but one, and what observers conclude who know the value of one of them.
\i test/data/small.sql
CALL small.six();
\echo FILE correlated
COPY (SELECT method, m.key AS name, max(m.class) FILTER (WHERE m.release = 1) AS one, max(m.class) FILTER (WHERE m.release = 2) AS two,
		min(array_to_string(c.candidates, ' ')) AS candidates
	FROM (VALUES ('m-invariance', 'plain'), ('cor-split', 'split')) v (method, publication), pprepub.class_members(publication) m
		LEFT JOIN LATERAL pprepub.compromise(publication, '{Alice}') c USING (key)
	GROUP BY method, m.key ORDER BY method DESC, name) TO STDOUT CSV HEADER;

-- What each person's class shows in two releases, and which of these values can have become which: releases that were made
-- each by itself, and those of method m-distinct.
CREATE TABLE hospital.first (name text PRIMARY KEY, zip int, hours int, disease text, class int);
INSERT INTO hospital.first VALUES ('Ken', 14, 20, 'dyspepsia', 1), ('Julia', 16, 23, 'pneumonia', 1), ('Tom', 24, 32, 'pneumonia', 2),
	('Harry', 26, 35, 'gastritis', 2), ('Lily', 29, 17, 'glaucoma', 3), ('Ben', 31, 19, 'flu', 3);
CREATE TABLE hospital.second (LIKE hospital.first INCLUDING ALL);
INSERT INTO hospital.second VALUES ('Ken', 14, 20, 'dyspepsia', 1), ('Lily', 12, 17, 'glaucoma', 1), ('Julia', 18, 31, 'lung cancer', 2),
	('Tom', 15, 27, 'pneumonia', 2), ('Harry', 23, 32, 'dyspepsia', 3), ('Ben', 26, 35, 'pneumonia', 3);
CREATE TABLE hospital.changing AS SELECT name, zip, hours, disease FROM hospital.first;
CREATE TABLE hospital.progress (from_value text, to_value text);
INSERT INTO hospital.progress VALUES ('dyspepsia', 'gastritis'), ('gastritis', 'dyspepsia'), ('pneumonia', 'flu'), ('flu', 'pneumonia'),
	('pneumonia', 'lung cancer'), ('glaucoma', 'cataract');
SELECT pprepub.create_publication('changing', 'hospital.changing', 'name', '{"zip": "range", "hours": "range"}', 'disease', 'm-distinct',
	'{"m": 2, "updates": "hospital.progress"}') \g /dev/null
SELECT pprepub.publish('changing') \g /dev/null
UPDATE hospital.changing c SET zip = s.zip, hours = s.hours, disease = s.disease FROM hospital.second s WHERE s.name = c.name;
SELECT pprepub.publish('changing') \g /dev/null
CREATE VIEW hospital.shown (method, name, release, value) AS
	SELECT 'each by itself', own.name, 1, other.disease FROM hospital.first own JOIN hospital.first other USING (class)
	UNION ALL SELECT 'each by itself', own.name, 2, other.disease FROM hospital.second own JOIN hospital.second other USING (class)
	UNION ALL SELECT 'm-distinct', key, 1, r.disease FROM pprepub.class_members('changing') m JOIN published.changing_1 r USING (class) WHERE release = 1
	UNION ALL SELECT 'm-distinct', key, 2, r.disease FROM pprepub.class_members('changing') m JOIN published.changing_2 r USING (class) WHERE release = 2;
\echo FILE candidates
COPY (SELECT DISTINCT method, one.name, one.value AS from_value, two.value AS to_value,
	EXISTS (SELECT FROM published_private.changing_updates u WHERE u.from_value = one.value AND u.to_value = two.value) AS possible
	FROM hospital.shown one JOIN hospital.shown two USING (method, name) WHERE one.release = 1 AND two.release = 2 ORDER BY 1, 2, 3, 4) TO STDOUT CSV HEADER;

-- The chance that a person was ever linked to a value, by method global, and by releases whose classes show it to half of their people.
\echo FILE breach
COPY (SELECT strategy, releases AS round, round(value::numeric, 3) AS breach FROM unnest('{constant-ratio,geometric}'::text[]) strategy,
		pprepub.plan('global', jsonb_build_object('l', 2, 'releases', 8, 'alpha', 3, 'strategy', strategy)) WHERE figure = 'breach'
	UNION ALL SELECT 'each by itself', round, round(1 - 0.5 ^ round, 3) FROM generate_series(1, 8) round ORDER BY 1, 2) TO STDOUT CSV HEADER;

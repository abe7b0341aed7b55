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
CALL live('true rows only, no reserve', '{"repair": "dirty", "reserve": 1}');
CALL live('true rows only, reserve 10', '{"repair": "dirty", "reserve": 10}');
\echo FILE weeks
COPY (SELECT setting, week, round(withheld::numeric, 1) AS withheld, round(invented::numeric, 1) AS invented, round(loss::numeric, 1) AS loss FROM week ORDER BY setting, week) TO STDOUT CSV HEADER;

-- Sets of people who cannot be separated, release by release.
TRUNCATE hospital.patients;
INSERT INTO hospital.patients SELECT * FROM hospital.start WHERE id <= 90;
SELECT pprepub.create_publication('few', 'hospital.patients', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress"}', 'disease', 'bpg', '{"k": 3, "l": 2, "repair": "dirty", "reserve": 4}') \g /dev/null
SELECT pprepub.publish('few') \g /dev/null
CALL hospital.pass_week(2);
DELETE FROM hospital.patients WHERE id > 2000 AND id % 100 > 6;
SELECT pprepub.publish('few') \g /dev/null
CALL hospital.pass_week(3);
DELETE FROM hospital.patients WHERE id > 4000 AND id % 100 > 6;
SELECT pprepub.publish('few') \g /dev/null
\echo FILE neighborhoods
COPY (SELECT key, max(class) FILTER (WHERE release = 1) AS one, max(class) FILTER (WHERE release = 2) AS two, max(class) FILTER (WHERE release = 3) AS three FROM pprepub.class_members('few') GROUP BY key ORDER BY key::int) TO STDOUT CSV HEADER;

-- The values that two releases of different columns, joined, link to each combination of quasi-identifiers.
CREATE TABLE hospital.ward (id int PRIMARY KEY, age int, sex text, disease text);
INSERT INTO hospital.ward SELECT id, age, sex, disease FROM hospital.start WHERE id <= 12;
SELECT pprepub.create_publication('ward', 'hospital.ward', 'id', '{"age": "range 10", "sex": "suppress"}', 'disease', 'sequential', '{"k": 2}') \g /dev/null
SELECT pprepub.publish('ward', columns => '{age,disease}') \g /dev/null
SELECT pprepub.publish('ward', columns => '{sex,disease}') \g /dev/null
\echo FILE linkability
COPY (SELECT p.tuple->>'age' AS age, p.tuple->>'sex' AS sex, p.records, v.value, round(v.frequency::numeric, 3) AS share FROM pprepub.link_profile('ward') p, jsonb_to_recordset(p.sensitive) v(value text, frequency float8) ORDER BY 1, 2, 5 DESC, 4) TO STDOUT CSV HEADER;

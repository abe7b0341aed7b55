-- Releases of a part of the columns: the rest is withheld, and everything is judged as if it were not.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET client_min_messages = notice;
SET ROLE regress_owner;
CREATE TABLE country_levels (country text, region text, world text);
INSERT INTO country_levels VALUES ('France', 'West', 'World'), ('Spain', 'South', 'World'), ('Italy', 'South', 'World');
SELECT pprepub.create_taxonomy('world', 'country_levels');
CREATE TABLE patients AS SELECT i AS id, 20 + i % 40 AS age, 53100 + i % 20 || '' AS zip,
	(ARRAY['France', 'Spain', 'Italy'])[1 + i % 3] AS country, (ARRAY['F', 'M'])[1 + i % 2] AS sex,
	(ARRAY['influenza', 'diabetes', 'asthma', 'gastritis'])[1 + i / 7 % 4] AS disease, 'ward ' || i % 2 AS ward
	FROM generate_series(1, 120) i;
SELECT pprepub.create_publication('patients', 'patients', 'id',
	'{"age": "range", "zip": "prefix", "country": "taxonomy world", "sex": "suppress"}', 'disease', 'bpg',
	'{"k": 5, "l": 3, "repair": "dirty", "reserve": 4}', insensitive => '{ward}');
\set ECHO all

-- Shown columns are as narrow as if the rest did not exist; the others say nothing.
SELECT number, rows, suppressed, columns FROM pprepub.publish('patients', columns => '{disease, age}');
SELECT DISTINCT zip, country, sex, ward FROM published.patients_1;
SELECT count(*), count(DISTINCT age) > 4 AS cut, count(disease), count(DISTINCT disease) FROM published.patients_1;
-- The sensitive column withheld: classes are as diverse as ever, and remembered with their values.
SELECT number, rows, suppressed, columns FROM pprepub.publish('patients', columns => '{country,ward}');
SELECT age, zip, sex, disease, count(DISTINCT country), count(DISTINCT ward) FROM published.patients_2 GROUP BY 1, 2, 3, 4;
-- The loss of the one column that is shown is all that is lost.
SELECT count(*), count(DISTINCT round(value::numeric, 6)), min(value) > 0 AS lost FROM pprepub.metrics('patients', 2) WHERE metric LIKE 'loss_percent%';
SELECT count(DISTINCT (sizes, counts)) > 1 AS remembered FROM pprepub.linked_values('patients');
SELECT number, columns FROM pprepub.publish('patients');
SELECT min(n), min(d) FROM (SELECT count(*) AS n, count(DISTINCT disease) AS d FROM published.patients GROUP BY class) c;
SELECT count(*) FROM (SELECT zip FROM published.patients WHERE zip = '*' OR disease IS NULL OR ward IS NULL LIMIT 1) w;
-- Only the sensitive column: one class of whoever came, all cells withheld.
INSERT INTO patients SELECT 200 + id, age, zip, country, sex, disease, ward FROM patients WHERE id <= 12;
SELECT number, suppressed FROM pprepub.publish('patients', columns => '{disease}');
SELECT DISTINCT age, zip, country, sex, ward FROM published.patients_4;
SELECT * FROM pprepub.rebuild_history('patients');
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums';
-- A value that cannot be coded does not matter in a column that is left out.
UPDATE patients SET country = 'Atlantis' WHERE id = 7;
SELECT metric, value FROM pprepub.preview('patients', columns => '{age,disease}') WHERE metric = 'suppressed';
SELECT pprepub.preview('patients', columns => '{country}');
UPDATE patients SET country = 'France' WHERE id = 7;

-- Refused.
SELECT pprepub.publish('patients', columns => '{}');
SELECT pprepub.publish('patients', columns => '{age,none}');
SELECT pprepub.publish('patients', columns => '{age,id}');
SELECT pprepub.publish('patients', columns => '{age,age}');
SELECT pprepub.publish('patients', columns => '{age,NULL}');
SELECT pprepub.preview('patients', columns => '{Age}');
SELECT number, columns FROM pprepub.release ORDER BY number;
CALL public.clean();

-- The page of an imported table that must be refused, docs/pictures/report_refused.html: Adult, ages rounded to ten years by hand.
-- "adult" (psql -v adult=…) is the path of a gzipped CSV file that the server can read, with a heading, a number for each person in front.
\set QUIET on
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pprepub;
CREATE SCHEMA census;
CREATE TABLE census.adult (id int PRIMARY KEY, age int, workclass text, fnlwgt int, education text, education_num int, marital_status text, occupation text,
	relationship text, race text, sex text, capital_gain int, capital_loss int, hours_per_week int, native_country text, salary_class text);
\set unpack 'gzip -dc ' :adult
COPY census.adult FROM PROGRAM :'unpack' WITH (FORMAT csv, HEADER, NULL '');
SELECT pprepub.create_publication('adult', 'census.adult', 'id', '{"age": "range", "education": "suppress", "sex": "suppress", "race": "suppress"}',
	'occupation', params => '{"k": 10, "l": 3}') \g /dev/null
CREATE TABLE census.made AS SELECT id, int4range(age / 10 * 10, age / 10 * 10 + 10) AS age, education, sex, race, occupation FROM census.adult;
SELECT pprepub.import_release('adult', 'census.made', 'id') \g /dev/null
SELECT pprepub.report('adult');

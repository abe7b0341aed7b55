-- Mistakes that are easily made, and where each message leads.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
CREATE TABLE visits AS
	SELECT i AS id, i / 3 AS person, 20 + i % 50 AS age, 'w' || i % 7 AS ward, 'd' || i % 5 AS disease, 'note ' || i AS note
	FROM generate_series(1, 300) i;
\set ECHO all

-- More different values are asked for than there are: said at the declaration, and by publish() and preview().
SELECT pprepub.create_publication('few', 'visits', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 10, "l": 9}');
SELECT rows FROM pprepub.publish('few');
SELECT * FROM pprepub.preview('few');
SELECT pprepub.alter_publication('few', '{"l": 5, "k": 400}');
SELECT rows FROM pprepub.publish('few');
SELECT pprepub.alter_publication('few', '{"k": 10}') \g /dev/null
SELECT rows FROM pprepub.publish('few');
CALL forget('few');

-- A source without rows.
CREATE VIEW nobody AS SELECT * FROM visits WHERE false;
SELECT pprepub.create_publication('nobody', 'nobody', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3}') \g /dev/null
SELECT rows FROM pprepub.publish('nobody');
CALL forget('nobody');
DROP VIEW nobody;

-- The key has several rows for a person.
SELECT pprepub.create_publication('twice', 'visits', 'person', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3}');

-- Rows of persons who have several: said of a column's name and of a foreign key, through views, also where it is not shown; not where the key is the person, nor of few large wards.
\set ECHO none
CREATE TABLE people (id int PRIMARY KEY);
CREATE TABLE stays AS SELECT id, person AS who, 'w' || id % 7 AS ward, age, disease, note FROM visits;
ALTER TABLE stays ADD PRIMARY KEY (id);
INSERT INTO people SELECT DISTINCT who FROM stays;
ALTER TABLE stays ADD FOREIGN KEY (who) REFERENCES people;
CREATE VIEW stays_seen AS SELECT id, who, age, disease FROM stays;
CREATE VIEW stays_joined AS SELECT s.id, s.age, s.disease FROM stays s JOIN people p ON p.id = s.who;
CREATE VIEW stays_last AS SELECT DISTINCT ON (who) who, id, ward, age, disease FROM stays ORDER BY who, id DESC;
\set ECHO all
SELECT pprepub.create_publication('stays', 'stays_seen', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3}');
SELECT rows > 0 AS published FROM pprepub.publish('stays');
SELECT rows > 0 AS published FROM pprepub.publish('stays');	-- said once
CALL forget('stays');
SELECT pprepub.create_publication('stays', 'stays_joined', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3}');
\set ECHO none
CALL forget('stays');
SELECT pprepub.create_publication('stays', 'stays_last', 'who', '{"age": "range", "ward": "suppress"}', 'disease', params => '{"k": 10, "l": 3}') \g /dev/null
CALL forget('stays');
SELECT pprepub.create_publication('stays', 'stays_last', 'id', '{"age": "range", "ward": "suppress"}', 'disease', params => '{"k": 10, "l": 3}') \g /dev/null
CALL forget('stays');

-- Sensitive values that are rows' own: amounts, notes; not where they are judged by bands.
CREATE TABLE costs AS SELECT id, age, 1000 + id * 7 / 3.0 AS cost, 'patient ' || id % 200 || ' came back with a headache' AS note FROM stays;
\set ECHO all
SELECT pprepub.create_publication('costs', 'costs', 'id', '{"age": "range"}', 'cost', params => '{"k": 10, "l": 3}');
SELECT pprepub.alter_publication('costs', '{"bands": {"cost": "range 100"}}') \g /dev/null
SELECT rows > 0 AS published FROM pprepub.publish('costs');
CALL forget('costs');
SELECT pprepub.create_publication('costs', 'costs', 'id', '{"age": "range"}', '{cost,note}', params => '{"k": 10, "l": 3}');
CALL forget('costs');
SELECT pprepub.create_publication('costs', 'costs', 'id', '{"age": "range"}', 'note', 'global', params => '{"l": 3, "strategy": "constant-ratio", "releases": 4}');
CALL forget('costs');

-- Columns that a release says nothing about, because there are too many.
CREATE TABLE columns AS SELECT i AS id, i % 40 AS age, 'a' || i * 7 % 300 AS street, 'b' || i * 11 % 300 AS job, 'd' || i % 5 AS disease FROM generate_series(1, 300) i;
SELECT pprepub.create_publication('columns', 'columns', 'id', '{"age": "range", "street": "suppress", "job": "suppress"}', 'disease', params => '{"k": 10, "l": 3}') \g /dev/null
SELECT rows > 0 AS published FROM pprepub.publish('columns');
SELECT rows > 0 AS published FROM pprepub.publish('columns', columns => '{age,disease}');
CALL forget('columns');
DROP TABLE columns;

DROP VIEW stays_seen, stays_joined, stays_last;
DROP TABLE costs, stays, people;

-- The warning has been seen.
ALTER TABLE visits DROP COLUMN person;
-- A wrong parameter: a hint about this one alone.  An unknown one: the one first that was meant.
SELECT pprepub.create_publication('wrong', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": "10", "l": 3}');
SELECT pprepub.create_publication('wrong', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": "ten", "l": 3}');
SELECT pprepub.create_publication('wrong', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 0}');
SELECT pprepub.create_publication('wrong', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "max_added": "0.2"}');
SELECT pprepub.create_publication('wrong', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "max_added": "1.2.3"}');
SELECT pprepub.create_publication('wrong', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "accept_insensitive": "true"}');
SELECT pprepub.create_publication('wrong', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"K": 10}');
SELECT pprepub.create_publication('wrong', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "repairs": "dirty"}');
SELECT pprepub.create_publication('wrong', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "m": 3}');
SELECT pprepub.create_publication('wrong', 'visits', 'id', '{"age": "range"}', 'disease', params => ('{"k": 10, "' || repeat('k', 300) || '": 3}')::jsonb) \g /dev/null

-- Arguments that are left out.
SELECT pprepub.create_publication('short', 'visits', 'id', '{"age": "range"}', 'disease');
SELECT pprepub.create_publication('short', 'visits', 'id', '{"age": "range"}', 'disease', params => '{}');
SELECT pprepub.create_publication('short', 'visits', 'id', '{"age": "range"}', '{disease,ward}', params => '{"k": 10, "l": 3}') \g /dev/null
SELECT method, params->>'k' AS k, sensitive FROM pprepub.publication WHERE name = 'short';
SELECT pprepub.drop_publication(publication => 'short') \g /dev/null
-- Arguments in the place of parameters.
SELECT pprepub.create_publication('short', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "insensitive": "{ward}"}');

-- Another mistake is said first where the source is published already.
SELECT pprepub.create_publication('visits', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3}') \g /dev/null
SELECT pprepub.create_publication('again', 'visits', 'id', '{"age": "rnage"}', 'disease', params => '{"k": 10, "l": 3}');
SELECT pprepub.create_publication('again', 'visits', 'id', '{"aeg": "range"}', 'disease', params => '{"k": 10, "l": 3}');
SELECT pprepub.create_publication('again', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 0}');
SELECT pprepub.create_publication('again', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3}');

-- Columns and method stay as they were declared.
SELECT pprepub.alter_publication('visits', '{"quasi_identifiers": {"age": "suppress"}}');
SELECT pprepub.alter_publication('visits', '{"method": "global"}');
SELECT pprepub.alter_publication('visits', '{"sensitive": "ward"}');
SELECT * FROM pprepub.preview('visits', params => '{"source": "visits"}');
SELECT pprepub.alter_publication(publication => 'visits', params => '{}') \g /dev/null

-- Another owner, and the target that is taken by default.
RESET ROLE;
CREATE TABLE visits_2 AS SELECT * FROM visits;
ALTER TABLE visits_2 OWNER TO regress_other;
SET ROLE regress_other;
SELECT pprepub.create_publication('others', 'visits_2', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3}');
RESET ROLE;
DROP TABLE visits_2;
SET ROLE regress_owner;

-- Settings, in a session that knows none yet.
\c -
SHOW pprepub.answer_wait;
SELECT pprepub.lies_in('F', 'F');
SELECT name, setting, unit, context FROM pg_settings WHERE name LIKE 'pprepub.%';
SET ROLE regress_owner;

-- Row versions.
SELECT rows FROM pprepub.publish('visits');
SELECT xmin, * FROM published.visits_1;

-- Raising l asks first where people would be lost.
\set ECHO none
DO $$
BEGIN
	PERFORM pprepub.alter_publication('visits', '{"k": 200}');
	RAISE 'accepted';
EXCEPTION WHEN object_not_in_prerequisite_state THEN
	RAISE NOTICE '%', regexp_replace(SQLERRM, '\d+', 'N');
END $$;
\set ECHO all

-- Text without quotes.
SELECT count(*) FROM published.visits('age = forty');
SELECT count(*) FROM published.visits('age = "forty"');
SELECT count(*) FROM published.visits('disease = ''d1''');
SELECT count(*) FROM published.visits('id = 1');
CALL forget('visits');

-- Insensitive columns that name most people ask first.
SELECT pprepub.create_publication('named', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3, "repair": "dirty"}', insensitive => '{ward,note}');
SELECT pprepub.create_publication('named', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3, "repair": "dirty", "accept_insensitive": true}', insensitive => '{ward,note}');
CALL forget('named');
SELECT pprepub.create_publication('named', 'visits', 'id', '{"age": "range"}', 'disease', 'sequential', '{"k": 2}', insensitive => '{note}');
\set ECHO none
SELECT pprepub.create_publication('named', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3, "repair": "dirty"}', insensitive => '{ward}') \g /dev/null

-- Schemas are left, for what others may have made or been granted there: said where they are empty.
CREATE TABLE published.mine ();
CALL forget('named');
DROP TABLE published.mine;
SELECT pprepub.create_publication('named', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3}') \g /dev/null
CALL forget('named');
DROP SCHEMA published, published_private;

-- A table that a crash empties, or that ends with the session.
ALTER TABLE visits SET UNLOGGED;
\set ECHO all
SELECT pprepub.create_publication('light', 'visits', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3}');
CALL forget('light');
DROP SCHEMA published, published_private;
CREATE TEMP TABLE passing AS SELECT * FROM visits;
SELECT pprepub.create_publication('light', 'passing', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3}');
DROP TABLE passing, visits;

-- Releases that were answers.  The worker that answers is not in this: builds with assertions have a function that makes an
-- answer in the transaction of whoever asks, and the others have nothing to test here.
\set VERBOSITY sqlstate
CREATE FUNCTION answer_here(publication text, cohort text, columns name[]) RETURNS SETOF record
	LANGUAGE C AS '$libdir/pprepub', 'pprepub_answer_here';
\if :ERROR
\quit
\endif
\set VERBOSITY default
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '

SET ROLE regress_owner;
CREATE TABLE patients (id text PRIMARY KEY, age int, sex text, illness text, ward int);
INSERT INTO patients VALUES ('Alice', 30, 'F', 'Flu', 1), ('Bob', 36, 'M', 'HIV', 2), ('Carol', 33, 'F', 'Migraine', 1), ('Dave', 40, 'M', 'Flu', 2),
	('Eve', 71, 'F', 'HIV', 1), ('Fran', 75, 'M', 'Cancer', 1), ('George', 80, 'M', NULL, 2), ('Helen', 79, 'F', 'Flu', 2);
SET client_min_messages = error;
SELECT pprepub.create_publication('patients', 'patients', 'id', '{"age": "range", "sex": "suppress"}', 'illness', 'bpg', '{"k": 4, "l": 2, "repair": "dirty", "reserve": 1}', insensitive => '{ward}') \g /dev/null
RESET client_min_messages;
CREATE FUNCTION answer(columns name[] DEFAULT NULL, cohort text DEFAULT NULL)
	RETURNS TABLE (class bigint, age int4range, sex text, illness text, ward int) LANGUAGE sql AS $$
	SELECT * FROM answer_here('patients', cohort, columns) a (class bigint, age int4range, sex text, illness text, ward int)
$$;

-- An answer has the rows that a stored release would have, class by class.
CREATE TABLE seen AS SELECT row_number() OVER () AS place, a.* FROM answer(cohort => 'age > 0') a;
\set ECHO all
SELECT count(DISTINCT class), bool_and(n = 1) AS class_by_class FROM (SELECT class, max(place) - min(place) + 2 - count(*) AS n FROM seen GROUP BY class) s;
SELECT age, sex, illness, ward FROM seen ORDER BY age, illness, ward;
-- It is a release, without a table.
SELECT number, kind, published_by = session_user AS by_who_asked, relation, cohort, columns, rows, classes, suppressed, seconds > 0 AS took FROM pprepub.release;
SELECT relname, relkind FROM pg_class WHERE relnamespace = 'published'::regnamespace ORDER BY 1;
-- The history keeps the cells of its classes.
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'published_private.patients_regions'::regclass AND attnum > 0;
SELECT release, rows, age, r.sex FROM published_private.patients_regions r JOIN (SELECT class, age, sex FROM seen GROUP BY 1, 2, 3) s USING (class, age) ORDER BY age;
SELECT release, age, array_agg(key ORDER BY key) FROM pprepub.class_members('patients') JOIN (SELECT class, age FROM seen GROUP BY 1, 2) s USING (class)
	GROUP BY 1, 2 ORDER BY 2;
SELECT key, array_agg(release ORDER BY release) AS releases FROM pprepub.class_members('patients') WHERE key = 'Alice' GROUP BY key;
SELECT places, people, free, sensitive_values, created, since FROM pprepub.groups('patients');
SELECT * FROM pprepub.linked_values('patients') WHERE key = 'Alice' ORDER BY sensitive;
SELECT check_name, required, measured, holds FROM pprepub.audit('patients') ORDER BY check_name;
SELECT release, kind, other_release, records, sensitive_values, holds FROM pprepub.attack('patients');
SELECT metric, value FROM pprepub.metrics('patients', 1) WHERE metric IN ('avg', 'suppressed');

-- Stored releases and answers have one history, and share their numbers.
SELECT number, kind, relation, rows FROM pprepub.publish('patients');
SELECT age, sex, illness, ward FROM answer('{illness, ward, sex}') ORDER BY sex, illness, ward;
SELECT age, sex, illness FROM answer(cohort => 'sex = ''M''') ORDER BY illness;
DELETE FROM patients WHERE id = 'Alice';
SELECT count(*) FROM answer();		-- without her, Bob would be told apart
SELECT number, kind, relation, rows, suppressed FROM pprepub.publish('patients');
SELECT number, kind, relation, columns, rows, classes, suppressed FROM pprepub.release ORDER BY number;
SELECT relname, relkind FROM pg_class WHERE relnamespace = 'published'::regnamespace ORDER BY 1;
SELECT count(*) FROM published.patients;		-- the newest that is stored
SELECT key, array_agg(release ORDER BY release) AS releases FROM pprepub.class_members('patients') GROUP BY key ORDER BY key;
SELECT places, people, free, sensitive_values, created, since FROM pprepub.groups('patients') ORDER BY free;
SELECT check_name, measured, holds FROM pprepub.audit('patients') ORDER BY check_name;
SELECT * FROM pprepub.rebuild_history('patients');
-- Answers that failed have no number.
BEGIN;
SELECT count(*) FROM answer();
ROLLBACK;
SELECT releases FROM pprepub.publication;
SELECT count(*) FROM published_private.patients_regions WHERE release > 6;

-- An answer that shows nobody is one like any other.
DELETE FROM patients WHERE id <> 'Bob';
SELECT count(*) FROM answer(cohort => 'age = 36');		-- too few
SELECT count(*) FROM answer(cohort => 'age > 200');		-- nobody
SELECT number FROM pprepub.publish('patients');
SELECT count(*) FROM pprepub.preview('patients');
DELETE FROM patients;
SELECT count(*) FROM answer('{age}');
SELECT number, kind, cohort, columns, rows, classes, suppressed FROM pprepub.release WHERE number > 6 ORDER BY number;
SELECT DISTINCT count(*) FROM pprepub.release r, pprepub.metrics('patients', r.number) WHERE kind = 'query' GROUP BY r.number;
SELECT count(*) FROM published_private.patients_regions WHERE release > 6;
SELECT count(*) FROM pprepub.audit('patients') WHERE NOT holds;

-- It is asked for as releases are.
SELECT count(*) FROM answer('{age, weight}');
SELECT count(*) FROM answer('{id}');
BEGIN READ ONLY;
SELECT count(*) FROM answer();
ROLLBACK;
RESET ROLE;
GRANT USAGE ON SCHEMA published_private TO regress_other;
SET ROLE regress_other;
SELECT count(*) FROM answer();
SELECT * FROM published_private.patients_regions;
RESET ROLE;
REVOKE USAGE ON SCHEMA published_private FROM regress_other;

-- The history of answers stays, like the rest of it.
SET ROLE regress_owner;
INSERT INTO published_private.patients_regions VALUES (1, 1, 1);
UPDATE published_private.patients_regions SET age = NULL;
DELETE FROM published_private.patients_regions;
TRUNCATE published_private.patients_regions;
DROP TABLE published_private.patients_regions;
ALTER TABLE published_private.patients_regions RENAME age TO years;
ALTER TABLE published_private.patients_regions DISABLE TRIGGER ALL;
CREATE RULE r AS ON INSERT TO published_private.patients_regions DO INSTEAD NOTHING;
CALL forget('patients');
SELECT relname FROM pg_class WHERE relnamespace IN ('published'::regnamespace, 'published_private'::regnamespace);

-- An answer may be all that there ever was, and have nobody in it.
CREATE TABLE none (id int, release int, rows int, rows_ int, ill text);
SELECT pprepub.create_publication('none', 'none', 'id', '{"release": "range", "rows": "range", "rows_": "suppress"}', 'ill', 'bpg', '{"k": 3, "repair": "dirty"}') \g /dev/null
CREATE FUNCTION ask() RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM answer_here('none', NULL, NULL) a (class bigint, release int4range, rows int4range, rows_ text, ill text)
$$;
SELECT ask();
SELECT count(*) FROM pprepub.class_members('none');
SELECT count(*) FROM pprepub.groups('none');
SELECT count(*) FROM pprepub.linked_values('none');
SELECT count(*) FROM pprepub.attack('none');
SELECT check_name, measured, holds FROM pprepub.audit('none');
SELECT * FROM pprepub.rebuild_history('none');
-- Quasi-identifiers of any name.
INSERT INTO none SELECT i, i, i, i, i FROM generate_series(1, 9) i;
SELECT ask();
SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'published_private.none_regions'::regclass AND attnum > 0;
SELECT number, kind FROM pprepub.publish('none');
SELECT count(*) FROM pprepub.audit('none') WHERE NOT holds;
SELECT DISTINCT created FROM pprepub.groups('none');
SELECT pprepub.alter_publication('none', '{"k": 10, "accept_lockout": true}');
CALL forget('none');

-- Nothing may stand where it is kept.
CREATE TABLE published_private.none_regions ();
SELECT pprepub.create_publication('none', 'none', 'id', '{"release": "range"}', 'ill', 'bpg', '{"k": 3, "repair": "dirty"}');
DROP TABLE published_private.none_regions;
SELECT pprepub.create_publication('none', 'none', 'id', '{"release": "range"}', 'ill', 'bpg', '{"k": 3, "repair": "dirty"}') \g /dev/null
CREATE TABLE published_private.none_regions ();
SELECT count(*) FROM answer_here('none', NULL, NULL) a (class bigint, release int4range, ill text);
DROP TABLE published_private.none_regions;
SELECT count(*) FROM answer_here('none', NULL, NULL) a (class bigint, release int4range, ill text);
CALL public.clean();

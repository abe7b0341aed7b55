-- publish(), preview() and what they leave: a release, its row, its members, its metrics.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
\set VERBOSITY terse
SET client_min_messages = notice;
SET ROLE regress_owner;
CREATE TABLE patients (id int PRIMARY KEY, age int, zip text, disease text, ward text);
INSERT INTO patients VALUES
	(11, 30, '5310', 'flu', 'A'), (12, 31, '5311', 'cold', 'B'), (13, 30, '5312', 'flu', 'A'),
	(14, 61, '7710', 'gout', 'A'), (15, 62, '7711', 'flu', NULL), (16, 69, '7712', NULL, 'B');
SELECT pprepub.create_publication('patients', 'patients', 'id', '{"age": "range", "zip": "prefix"}',
	'disease', 'bpg', '{"k": 3, "l": 2, "repair": "dirty", "reserve": 1}', insensitive => '{ward}');
\set ECHO all

-- A preview: nothing is published, nothing is remembered.
CREATE TEMP TABLE previewed AS SELECT metric, round(value::numeric, 4) FROM pprepub.preview('patients')
WHERE metric !~ '^seconds of|_seconds$|^bytes_per_row';
TABLE previewed;
SELECT metric, value > 0 AS positive FROM pprepub.preview('patients')
WHERE metric IN ('load_seconds', 'history_seconds', 'partition_seconds', 'bytes_per_row');
\set VERBOSITY default
SELECT count(*) FROM pprepub.release;
SELECT count(*) FROM pprepub.class_members('patients');
SELECT * FROM pprepub.metrics('patients', 1);
\set VERBOSITY terse

-- With other parameters, weaker ones too, which hold for the preview alone; what is not given stays.
CREATE FUNCTION compare(params jsonb, OUT rows float8, OUT classes float8, OUT suppressed float8) LANGUAGE sql AS $$
	SELECT max(value) FILTER (WHERE metric = 'rows'), max(value) FILTER (WHERE metric = 'classes'), max(value) FILTER (WHERE metric = 'suppressed')
	FROM pprepub.preview('patients', params => params)
$$;
SELECT given, c.* FROM unnest('{NULL,"{}","{\"k\": 6}","{\"k\": 2, \"l\": 1}","{\"k\": 2, \"accept_weakening\": true}"}'::jsonb[]) given, compare(given) c;
\set VERBOSITY terse
SELECT compare('{"k": 7}');
SELECT compare('{"k": 3, "repair": "counterfeit"}');		-- as alter_publication() would warn
SELECT compare('{"k": 0}');
SELECT compare('{"m": 2}');
SELECT compare('{"accept_weakening": 1}');
SELECT compare('[]');
\set VERBOSITY default
SELECT params FROM pprepub.publication;
SELECT c.* FROM compare(NULL) c;

-- A release that is rolled back was not published, and its number is given again.
BEGIN;
SELECT number FROM pprepub.publish('patients');
SELECT count(*) FROM published.patients;
ROLLBACK;
SELECT count(*) FROM published.patients;
BEGIN;
SAVEPOINT s;
SELECT number FROM pprepub.publish('patients');
ROLLBACK TO s;
SELECT number FROM pprepub.publish('patients');
COMMIT;

-- The release's row.
SELECT publication, number, kind, published_at <= clock_timestamp() AS dated, published_by = session_user AS signed, published_as,
	method, params, relation, cohort, columns FROM pprepub.release;
SELECT rows, classes, suppressed, dirty, counterfeits, seconds > 0 AS timed FROM pprepub.release;
-- Where its time went; that of answers is not told.
SELECT value::text::float8 >= 0 AS timed, string_agg(key, ', ' ORDER BY key) AS phases FROM pprepub.release, jsonb_each(phases) GROUP BY 1;
SELECT sum(value::text::float8) BETWEEN 0.5 * seconds AND 2 * seconds + 0.01 AS sums_up FROM pprepub.release, jsonb_each(phases) GROUP BY seconds;
SELECT metric ~ 'read source|judge draft' AS told, bool_and(value >= 0) AS timed FROM pprepub.preview('patients') WHERE metric ~ '^seconds of' GROUP BY 1 ORDER BY 1;

-- Its table, and the view of the newest one.
\pset format aligned \t off
\d published.patients_1
\d published.patients
\pset format unaligned \t on \pset recordsep '; '
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = 'published.patients'::regclass AND attnum > 0 ORDER BY attnum;
SELECT regexp_replace(pg_get_viewdef('published.patients'), 'patients_1\.', '', 'g') AS view;
SELECT age, zip, disease, ward FROM published.patients_1 ORDER BY age, disease, ward;
SELECT array_agg(DISTINCT class) FROM published.patients;
SELECT relowner::regrole, relacl::text, string_agg(relname, ' ' ORDER BY relname) FROM pg_class
WHERE relnamespace IN ('published'::regnamespace, 'published_private'::regnamespace) AND relkind <> 'i' GROUP BY 1, 2;

-- Members are the true people of each class.
SELECT m.release, array_agg(m.key ORDER BY m.key) AS keys, min(p.age), max(p.age)
FROM pprepub.class_members('patients') m JOIN patients p ON p.id = m.key::int GROUP BY release, class ORDER BY 2;
\pset format aligned \t off
\d published_private.patients_members
\pset format unaligned \t on \pset recordsep '; '
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums';
TABLE previewed EXCEPT SELECT metric, round(value::numeric, 4) FROM pprepub.metrics('patients', 1) ORDER BY 1;
SELECT * FROM pprepub.metrics('patients', 2);
SELECT * FROM pprepub.metrics('patients', NULL);

-- A release that asked for more than is asked now can be looked at from there, too.
SELECT c.* FROM compare('{"k": 1, "l": 1}') c;
SELECT params, (SELECT count(*) FROM pprepub.release) AS releases FROM pprepub.publication;
DROP FUNCTION compare;

-- Analysts get what they are granted.
GRANT USAGE ON SCHEMA published TO regress_analyst;
GRANT SELECT ON published.patients TO regress_analyst;
SET ROLE regress_analyst;
SELECT count(*) FROM published.patients;
SELECT count(*) FROM published.patients_1;
SELECT count(*) FROM patients;
SELECT count(*) FROM pprepub.release;
SELECT * FROM pprepub.class_members('patients');
SET ROLE regress_owner;

CALL forget('patients');
SELECT count(*) FROM pprepub.release;

-- Errors of publish(), and why.
SELECT pprepub.publish('patients');
SELECT pprepub.publish(NULL);
CREATE VIEW few AS SELECT * FROM patients;
SELECT pprepub.create_publication('few', 'few', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'bpg', '{"k": 3, "l": 2, "repair": "dirty", "reserve": 1}');
CREATE OR REPLACE VIEW few AS SELECT * FROM patients WHERE id < 13;		-- too few people
SELECT pprepub.publish('few');
SELECT pprepub.preview('few');
CREATE OR REPLACE VIEW few AS SELECT * FROM patients WHERE disease = 'flu';		-- too few diseases
SELECT pprepub.publish('few');
CREATE OR REPLACE VIEW few AS SELECT * FROM patients WHERE false;
SELECT pprepub.publish('few');
SELECT pprepub.preview('few');
CREATE OR REPLACE VIEW few AS SELECT * FROM patients UNION ALL SELECT * FROM patients WHERE id < 13;
SELECT pprepub.publish('few');
\set VERBOSITY default
SELECT pprepub.preview('few');
CREATE OR REPLACE VIEW few AS SELECT nullif(id, 11) AS id, age, zip, disease, ward FROM patients;
SELECT pprepub.publish('few');
CREATE OR REPLACE VIEW few AS SELECT id, age / (id - 11) AS age, zip, disease, ward FROM patients;
SELECT pprepub.publish('few');
BEGIN READ ONLY;
SELECT pprepub.publish('few');
ROLLBACK;
SELECT count(*) FROM pprepub.release;
CREATE OR REPLACE VIEW few AS SELECT * FROM patients;
BEGIN READ ONLY;
SELECT value FROM pprepub.preview('few') WHERE metric = 'classes';
ROLLBACK;

-- NULLs count for nobody: a class needs l true values.
CREATE OR REPLACE VIEW few AS SELECT id, age, zip, CASE WHEN id IN (11, 12) THEN disease END AS disease, ward FROM patients;
SELECT classes, rows FROM pprepub.publish('few');
SELECT DISTINCT age, zip FROM published.few;
CALL forget('few');

-- A table may hold rows that its writer has not committed yet.
BEGIN;
CREATE TABLE fresh AS SELECT i AS id, i AS age, i AS disease FROM generate_series(1, 10) i;
SELECT pprepub.create_publication('fresh', 'fresh', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}');
INSERT INTO fresh VALUES (11, 11, 11);
SELECT rows FROM pprepub.publish('fresh');
SELECT age, count(*) FROM published.fresh GROUP BY age ORDER BY age;
COMMIT;
CALL forget('fresh');

-- Equal rows: relaxed cuts, so no class is twice as large as need be.
DELETE FROM fresh;
INSERT INTO fresh SELECT i, 7, i % 5 FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('fresh', 'fresh', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "l": 5, "reserve": 1}');
SELECT classes FROM pprepub.publish('fresh');
SELECT age, min(n), max(n), min(d) FROM (SELECT age, count(*) AS n, count(DISTINCT disease) AS d
	FROM published.fresh GROUP BY class, age) c GROUP BY age;
CALL public.clean();

-- create_publication(): what it accepts, and what it refuses, changing nothing.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET client_min_messages = notice;
SET ROLE regress_owner;
CREATE TABLE patients (id int PRIMARY KEY, age int, zip text, sex text, disease text, ward text, photo point);
CREATE TABLE levels (sex text, root text);
INSERT INTO levels VALUES ('F', 'all'), ('M', 'all');
SELECT pprepub.create_taxonomy('sexes', 'levels') \g /dev/null
SELECT pprepub.create_range_taxonomy('decades', 0, 120, '{10}') \g /dev/null
\set qis '{"age": "range", "zip": "prefix", "sex": "suppress"}'
\set params '{"k": 2}'

-- Declared, with every default, and seen by its owner only.
SELECT pprepub.create_publication('patients', 'patients', 'id', :'qis', 'disease', 'bpg', :'params') \g /dev/null
\set ECHO all
SELECT * FROM published.patients;		-- nothing is published yet
SELECT relname, relkind, relacl FROM pg_class
WHERE relnamespace IN ('published'::regnamespace, 'published_private'::regnamespace) AND relname <> 'catalog' ORDER BY 1;
SELECT regexp_replace(pg_get_viewdef('published_private.patients_source'), '\m(patients|stays)\.', '', 'g') AS source;
SELECT nspname, nspowner::regrole, nspacl FROM pg_namespace WHERE nspname LIKE 'published%' ORDER BY 1;
\x
SELECT * FROM pprepub.publication;
\x
RESET ROLE;
SELECT position, name, role, kind FROM pprepub_internal.catalog_column ORDER BY 1;
SET ROLE regress_other;
SELECT count(*) FROM pprepub.publication;
SET ROLE regress_owner;

-- The source cannot lose or retype what was declared; a rename is followed.
ALTER TABLE patients DROP COLUMN zip;
\set VERBOSITY terse
ALTER TABLE patients ALTER COLUMN age TYPE bigint;
\set VERBOSITY default
ALTER TABLE patients RENAME COLUMN ward TO station;
ALTER TABLE patients RENAME COLUMN zip TO postcode;
INSERT INTO patients VALUES (1, 30, '531', 'F', 'flu'), (2, 31, '531', 'F', 'flu');
SELECT count(*) FROM pprepub.publish('patients');
\set VERBOSITY terse
SELECT age, zip, sex, disease FROM published.patients;
\set ECHO none
ALTER TABLE patients RENAME COLUMN postcode TO zip;
ALTER TABLE patients RENAME COLUMN station TO ward;
CALL forget('patients');

-- A call that fails says why, and leaves nothing behind.
CREATE FUNCTION try(source regclass DEFAULT 'patients', key name DEFAULT 'id',
	qis jsonb DEFAULT '{"age": "range"}', sensitive name DEFAULT 'disease', method text DEFAULT 'bpg',
	params jsonb DEFAULT '{"k": 2}', insensitive name[] DEFAULT '{}', target name DEFAULT 'published',
	beside name[] DEFAULT '{}', name text DEFAULT 'tried') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text; hint text;
BEGIN
	PERFORM pprepub.create_publication(name, source, key, qis, sensitive, method, params, insensitive, target, beside);
	CALL forget(name);
	RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', SQLSTATE || ' ' || SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;
\set ECHO all
SELECT try();

-- Columns.
SELECT try(key => 'no');
SELECT try(sensitive => 'no');
SELECT try(qis => '{"no": "range"}');
SELECT try(insensitive => '{no}');
SELECT try(insensitive => '{ward,ward}');
SELECT try(key => 'age');
SELECT try(sensitive => 'age');
SELECT try(sensitive => 'id');
SELECT try(insensitive => '{age}');
SELECT try(key => 'photo');
SELECT try(sensitive => 'photo');
SELECT try(key => 'ctid');
SELECT try(qis => '{"ctid": "suppress"}');
SELECT try(insensitive => '{ward}');
SELECT try(insensitive => '{NULL}');

-- Kinds.
SELECT x, try(qis => x::jsonb) FROM unnest(ARRAY[
	'{}', '[]', '["age"]', '"age"', 'null', '{"age": 1}', '{"age": null}', '{"age": ["range"]}', '{"age": "Range"}',
	'{"age": "prefix"}', '{"zip": "range"}', '{"photo": "range"}', '{"photo": "prefix"}', '{"photo": "suppress"}',
	'{"sex": "taxonomy"}', '{"sex": "taxonomy "}', '{"sex": "taxonomy no such"}', '{"sex": "taxonomy sexes"}',
	'{"sex": "taxonomy decades"}', '{"age": "taxonomy decades"}']) x \g (recordsep='\n')

-- Parameters.
SELECT try(method => 'no');
SELECT try(method => NULL);
SELECT x, try(params => x::jsonb) FROM unnest(ARRAY['{}', '[]', '[{"k": 2}]', '2', 'null']) x;
SELECT try(params => NULL);
SELECT x, try(params => x::jsonb) FROM unnest(ARRAY[
	'{"k": 0}', '{"k": -1}', '{"k": 2147483647}', '{"k": 2147483648}', '{"k": 1e400}', '{"k": "ten"}', '{"k": "10"}',
	'{"k": 2.5}', '{"k": 2.0}', '{"k": null}', '{"k": true}', '{"k": [2]}', '{"k": 2, "l": 0}', '{"K": 2}', '{"k": 2, "m": 3}',
	'{"k": 2, "repair": "minimal"}', '{"k": 2, "reserve": "auto"}', '{"k": 2, "reserve": 0.9}', '{"k": 2, "ties": "joint"}',
	'{"k": 2, "churn": 0.1}', '{"k": 2, "horizon": 3}', '{"k": 2, "invented_cost": 1}']) x \g (recordsep='\n')
SELECT try(params => '{"k": 1, "reserve": 1, "repair": "dirty", "ties": "none"}');
SELECT try(params => '{"k": 10}');
SELECT x, try(params => x::jsonb) FROM unnest(ARRAY['{"k": 2, "repair": true}', '{"k": 2, "accept_insensitive": true}']) x;

-- Sources.
SELECT try(source => NULL);
SELECT try(source => '4000000000');
SELECT try(source => 'patients_pkey');
CREATE SEQUENCE numbers;
SELECT try(source => 'numbers');
CREATE TEMPORARY TABLE passing (id int, age int, disease text);
SELECT try(source => 'passing');
SELECT try(source => 'pg_class', key => 'oid', qis => '{"relpages": "range"}', sensitive => 'relname');

-- Names.
SELECT try(name => NULL);
SELECT try(name => '');
SELECT try(name => repeat('x', 49));
SELECT try(name => repeat('x', 48));
SELECT try(name => repeat('ä', 25));
SELECT x, try(target => x::name) FROM unnest(ARRAY['', 'pprepub', 'pprepub_internal', 'pg_catalog', 'pg_mine']) x;
SELECT try(target => repeat('x', 56));
SELECT try(beside => '{no}');
SELECT try(beside => '{NULL}');
SELECT try(key => NULL);
SELECT try(qis => NULL);
SELECT try(sensitive => NULL);
SELECT try(insensitive => NULL);
SELECT try(target => NULL);
SELECT try(beside => NULL);
CREATE TABLE words (class int, cohort int, columns text, age int);
SELECT try(source => 'words', key => 'class', qis => '{"cohort": "range"}', sensitive => 'columns');
SELECT try(source => 'words', key => 'age', qis => '{"cohort": "range"}', sensitive => 'columns');
SELECT try(source => 'words', key => 'age', qis => '{"columns": "suppress"}', sensitive => 'cohort');

-- Nothing was left behind.
SELECT count(*) FROM pg_class WHERE relnamespace::regnamespace::text IN ('published', 'published_private');
RESET ROLE;
SELECT (SELECT count(*) FROM pprepub_internal.catalog_publication) AS publications,
	(SELECT count(*) FROM pprepub_internal.catalog_column) AS columns,
	(SELECT count(*) FROM pprepub_internal.catalog_relation) AS relations;
SET ROLE regress_owner;

-- Insensitive columns that tell people apart draw a warning.
INSERT INTO patients SELECT i, i, i::text, 'F', 'flu', i::text FROM generate_series(3, 100) i;
SELECT pprepub.create_publication('warned', 'patients', 'id', :'qis', 'disease', 'bpg', '{"k": 2, "accept_insensitive": true}', insensitive => '{ward}');
SELECT rows FROM pprepub.publish('warned');
CALL forget('warned');

-- So do any, once, where invented rows take the places of people who have left.
UPDATE patients SET ward = 'a';
SELECT pprepub.create_publication('warned', 'patients', 'id', :'qis', 'disease', 'bpg', '{"k": 2, "repair": "counterfeit"}', insensitive => '{ward}');
SELECT rows FROM pprepub.publish('warned');
SELECT pprepub.alter_publication('warned', '{"reserve": 2}');
SELECT pprepub.alter_publication('warned', '{"repair": "dirty"}');
SELECT pprepub.alter_publication('warned', '{"repair": "counterfeit"}');
CALL forget('warned');
SELECT pprepub.create_publication('warned', 'patients', 'id', :'qis', 'disease', 'bpg', '{"k": 2, "repair": "counterfeit"}') \g /dev/null
CALL public.clean();

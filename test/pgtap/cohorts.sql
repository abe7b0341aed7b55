-- Releases of cohorts: which rows are read for them, by what, and what their cells say.

-- A release that leaves one of a group behind takes that one along, who is found by the key, of whatever type.
CREATE TYPE pair AS (a int, b text);
CREATE DOMAIN code AS text CHECK (VALUE ~ '^c');
CREATE TYPE color AS ENUM ('red', 'orange', 'yellow', 'green', 'blue', 'violet');
CREATE FUNCTION published(cohort text, columns name[] DEFAULT NULL) RETURNS pprepub.release LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT r FROM pprepub.publish('person', cohort, columns) r);
EXCEPTION WHEN no_data_found THEN
	RETURN NULL;
END
$$;
CREATE FUNCTION bring_along(key_type text, key text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	r pprepub.release;
BEGIN
	EXECUTE format('CREATE TABLE person AS SELECT (%s)::%s AS id, i AS age, (53100 + i)::text AS zip, i AS s FROM generate_series(1, 6) i', key, key_type);
	PERFORM pprepub.create_publication('person', 'person', 'id', '{"age": "range", "zip": "prefix"}', 's', 'bpg', '{"k": 4, "repair": "dirty"}');
	PERFORM published(NULL);
	r := published('age <= 5');
	RETURN NEXT is(ARRAY[r.rows, r.dirty, r.suppressed], ARRAY[6::bigint, 1, 0], key_type || ': he is brought along');
	RETURN NEXT is((SELECT count(*) FROM pprepub.class_members('person')), 12::bigint, key_type || ': and remembered');
	DELETE FROM person WHERE age = 6;
	r := published('age <= 5', '{zip,s}');
	RETURN NEXT is(r.number, NULL, key_type || ': once he is dead nobody can');
	PERFORM pprepub.drop_publication('person', true);
	DROP TABLE person;
END
$$;
SELECT format('SELECT bring_along(%L, %L)', key_type, key) FROM (VALUES ('int', 'i'), ('int2', 'i'), ('text', '''p'' || i'), ('uuid', 'md5(i::text)::uuid'), ('pair', 'ROW(i, ''x'')'),
	('code', '''c'' || i'), ('int[]', 'ARRAY[i, NULL]'), ('color', '(enum_range(NULL::color))[i]'), ('numeric', 'i || ''.0'''), ('char(3)', 'i'), ('date', 'date ''2024-01-01'' + i')) t (key_type, key) \gexec

-- Rows that are fetched for others' sake are judged as sternly as those that were asked for.
CREATE TABLE person AS SELECT i AS id, i AS age, (53100 + i)::text AS zip, i AS s FROM generate_series(1, 6) i;
SELECT pprepub.create_publication('person', 'person', 'id', '{"age": "range", "zip": "prefix"}', 's', 'bpg', '{"k": 4, "repair": "dirty"}');
SELECT lives_ok('SELECT pprepub.publish(''person'')');
INSERT INTO person VALUES (6, 60, '5', 60);
SELECT throws_like($$SELECT pprepub.publish('person', 'age <= 5')$$, '%"id"%is repeated in 1 row(s)', 'a repeated key');
DELETE FROM person WHERE age = 60;
UPDATE person SET zip = '53*' WHERE id = 6;
SELECT throws_like($$SELECT pprepub.publish('person', 'age <= 5')$$, '%"zip"%has 1 row(s) with values that end in "*"%', 'a value without a code');
SELECT lives_ok($$SELECT pprepub.publish('person', 'age <= 5', '{age,s}')$$, 'but not in a column that is left out');
UPDATE person SET zip = NULL, age = NULL WHERE id = 6;
SELECT is((SELECT dirty FROM pprepub.publish('person', 'age <= 5')), 1::bigint, 'NULL is a value like any other');
SELECT relation AS newest FROM pprepub.release WHERE publication = 'person' ORDER BY number DESC LIMIT 1 \gset
SELECT results_eq('SELECT DISTINCT age, zip FROM ' || :'newest', $$VALUES ('(,)'::int4range, '*')$$, 'and withholds what it is mixed with');

-- Cells say what the people of a cohort have in common.
CREATE TABLE patients AS SELECT i AS id, 20 + i % 60 AS age, (53100 + i % 60)::text AS zip, i % 7 AS s, (ARRAY['F', 'M'])[1 + i / 60 % 2] AS sex, (i % 97)::real AS ward FROM generate_series(1, 30000) i;
CREATE UNIQUE INDEX by_id ON patients (id);
CREATE INDEX by_age ON patients (age);
ANALYZE patients;
SELECT pprepub.create_publication('patients', 'patients', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress"}', 's', 'bpg', '{"k": 1500, "repair": "dirty"}');
SELECT is((SELECT rows FROM pprepub.publish('patients', 'age IN (33, 34, 35)')), 1500::bigint, 'three years of people');
SELECT results_eq('SELECT DISTINCT age, zip, sex FROM published.patients_1', $$VALUES ('[33,36)'::int4range, '5311*', '*')$$, 'are of 33 to 35 years, and live near to each other');

-- Losses of a range are measured against the source: 20 to 79.
SELECT is((SELECT round(value::numeric, 6) FROM pprepub.metrics('patients', 1) WHERE metric = 'lm'), round(1500 * (2 / 59.0 + 1 + 1), 6), 'lm of a cohort');
SELECT results_eq($$SELECT round(value::numeric, 6) FROM pprepub.preview('patients', 'age IN (33, 34, 35)', '{age,s}') WHERE metric = 'lm'$$,
	$$VALUES (round(1500 * 2 / 59.0, 6))$$, 'in a preview as well');

CREATE TABLE lines AS SELECT i AS id, i AS i4, i::int2 AS i2, i::int8 AS i8, i::numeric AS n, i::real AS f4, i::float8 AS f8, date '2024-01-01' + i AS d, timestamp '2024-01-01' + i * interval '1 h' AS ts,
	timestamptz '2024-01-01 00:00+00' + i * interval '1 h' AS tz, i AS s FROM generate_series(0, 20) i;
SELECT pprepub.create_publication('lines', 'lines', 'id', (SELECT jsonb_object_agg(attname, 'range') FROM pg_attribute WHERE attrelid = 'lines'::regclass AND attnum > 0 AND attname NOT IN ('id', 's')),
	's', 'bpg', '{"k": 6, "repair": "dirty"}');
SELECT is((SELECT value FROM pprepub.preview('lines', 'i4 BETWEEN 5 AND 10') WHERE metric = 'ail'), 9 * 0.25::float8, 'six of twenty-one of every type: a quarter of each line');
INSERT INTO lines VALUES (100, 2147483647, 32767, 9223372036854775807, 'infinity', 'NaN', 'infinity', 'infinity', 'infinity', 'infinity', 1);
SELECT is((SELECT round(value::numeric, 6) FROM pprepub.preview('lines', 'i4 BETWEEN 5 AND 10') WHERE metric = 'ail'), round(6 + 5 / 2147483647.0 + 5 / 32767.0, 6), 'where the ends of a line are nowhere, the cohort itself is the measure');
SELECT is((SELECT value FROM pprepub.preview('lines', 'i4 BETWEEN 5 AND 10', '{s}') WHERE metric = 'ail'), 0::float8, 'no line, no measure');

-- Rows that nobody needs are not read.
CREATE FUNCTION reads(OUT scans bigint, OUT through_index bigint, OUT by_key bigint) LANGUAGE sql AS $$
	SELECT pg_stat_get_numscans('patients'::regclass), pg_stat_get_tuples_returned('by_age'::regclass), pg_stat_get_tuples_returned('by_id'::regclass)
$$;
SELECT pprepub.drop_publication('patients', forget_history => true);
SELECT pprepub.create_publication('patients', 'patients', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress", "ward": "suppress"}', 's', 'bpg', '{"k": 5, "reserve": 2, "repair": "dirty", "max_added": 1}');
SELECT pg_stat_force_next_flush();
SELECT scans, through_index, by_key FROM reads() \gset before_
SELECT is((SELECT rows FROM pprepub.publish('patients', 'age = 33')), 500::bigint, 'a year of people');
SELECT pg_stat_force_next_flush();
SELECT scans - :before_scans AS scans, through_index - :before_through_index AS through_index, by_key - :before_by_key AS by_key FROM reads() \gset
SELECT is(:scans, 0, 'the source was not read whole');
SELECT is(:through_index, 502, 'but through an index, and so were the lowest and the highest age');
SELECT scans, through_index, by_key FROM reads() \gset before_
SELECT results_eq($$SELECT suppressed, dirty > 0 FROM pprepub.publish('patients', 'age BETWEEN 33 AND 34 AND ward < 90')$$, $$VALUES (0::bigint, true)$$, 'most of two years of people');
SELECT pg_stat_force_next_flush();
SELECT scans - :before_scans AS scans, through_index - :before_through_index AS through_index, by_key - :before_by_key AS by_key FROM reads() \gset
SELECT is(:scans, 0, 'the source was not read whole');
UPDATE patients SET s = s WHERE age BETWEEN 33 AND 34;
SELECT pg_stat_force_next_flush();
SELECT scans, through_index, by_key FROM reads() \gset before_
SELECT results_eq($$SELECT suppressed, dirty > 0 FROM pprepub.publish('patients', 'age BETWEEN 33 AND 34 AND ward < 80')$$, $$VALUES (0::bigint, true)$$, 'again, when all of them had moved');
SELECT pg_stat_force_next_flush();
SELECT scans - :before_scans AS scans, through_index - :before_through_index AS through_index, by_key - :before_by_key AS by_key FROM reads() \gset
SELECT is(:scans, 0, 'the source was not read whole');
SELECT ok(:by_key BETWEEN 1 AND 400, format('%s were read by their keys', :by_key));

-- Whatever somebody has made, a cohort means what is built in, or nothing.
CREATE FUNCTION number_words(real) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RAISE 'I have seen %', $1; END$$;
CREATE CAST (real AS text) WITH FUNCTION number_words(real) AS IMPLICIT;
SELECT throws_ok($$SELECT pprepub.preview('patients', 'ward LIKE ''3%''')$$, '0A000', NULL, 'a cast that is not built in');
SELECT throws_ok($$SELECT pprepub.preview('patients', '30::real LIKE ''3%''')$$, '0A000', NULL, 'not even of constants');
DROP CAST (real AS text);
CREATE FUNCTION int_is_text(int, text) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE OPERATOR pg_catalog.= (LEFTARG = int, RIGHTARG = text, FUNCTION = public.int_is_text);
SELECT throws_ok($$SELECT pprepub.preview('patients', 'age = zip')$$, '0A000', NULL, 'an operator that is not built in, though a superuser put it into pg_catalog');
DROP OPERATOR pg_catalog.= (int, text);
DO $$
BEGIN
	CREATE COLLATION whatever_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
	CREATE VIEW collated AS SELECT id, age, s, zip COLLATE whatever_case AS zip, sex COLLATE "C" AS sex, zip AS other FROM patients;
	PERFORM pprepub.create_publication('collated', 'collated', 'id', '{"age": "range", "zip": "suppress", "sex": "suppress", "other": "suppress"}', 's', 'bpg', '{"k": 2, "repair": "dirty"}', beside => '{patients}');
EXCEPTION WHEN OTHERS THEN		-- without ICU
	NULL;
END $$;
SELECT CASE WHEN to_regclass('collated') IS NULL THEN skip('there is no ICU', 3) ELSE throws_ok($$SELECT pprepub.preview('collated', 'zip LIKE ''5%''')$$, '0A000', NULL, 'LIKE under a collation that is not deterministic') END;
SELECT throws_ok($$SELECT pprepub.preview('collated', 'zip = sex')$$, '0A000', NULL, 'texts with different collations') WHERE to_regclass('collated') IS NOT NULL;
SELECT lives_ok($$SELECT pprepub.preview('collated', 'zip = other AND zip >= ''5'' AND sex > ''F'' ')$$, 'a collation beats the default') WHERE to_regclass('collated') IS NOT NULL;

-- The language of cohorts, and releases of them.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
CREATE DOMAIN nonnegative AS int CHECK (VALUE >= 0);
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE patients AS SELECT i AS id, 20 + i % 40 AS age, 53100 + i % 20 || '' AS zip,
	(ARRAY['F', 'M'])[1 + i % 2]::char(1) AS sex, (i % 7)::nonnegative AS visits, 50 + i % 40 + 0.5 AS weight, i % 10 = 0 AS smokes,
	date '2024-01-01' + i AS admitted, timestamptz '2024-01-01 12:00+00' + i * interval '1 hour' AS seen,
	daterange(date '2024-01-01' + i, date '2024-01-01' + i + i % 9) AS stay, 'good'::mood AS mood,
	(ARRAY['influenza', 'diabetes', 'asthma', 'gastritis'])[1 + i / 7 % 4] AS disease, 'ward ' || i % 2 AS ward, 'Name ' || i AS name
	FROM generate_series(1, 200) i;
CREATE INDEX ON patients (age);
UPDATE patients SET zip = NULL WHERE id % 50 = 0;
\set ECHO all
SELECT pprepub.create_publication('patients', 'patients', 'id',
	'{"age": "range", "zip": "prefix", "sex": "suppress", "visits": "range", "weight": "range", "smokes": "suppress", "admitted": "range",
	  "seen": "range", "stay": "suppress", "mood": "suppress"}', 'disease', 'bpg', '{"k": 2, "repair": "dirty"}', insensitive => '{ward}');

-- How many rows a release of the cohort has, of how many who meet the condition.
\set ECHO none
CREATE FUNCTION rows_of(cohort text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n numeric;
	asked int;
BEGIN
	BEGIN
		SELECT sum(value) INTO n FROM pprepub.preview('patients', cohort) WHERE metric IN ('rows', 'suppressed');
	EXCEPTION WHEN no_data_found THEN
		n := 0;
	END;
	SET LOCAL timezone = 'UTC';
	EXECUTE 'SELECT count(*) FROM patients WHERE ' || cohort INTO asked;
	RETURN format('%s of %s', n, asked);
END
$$;

CREATE FUNCTION answer_to(cohort text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.preview('patients', cohort);
	RETURN 'accepted';
EXCEPTION WHEN OTHERS THEN
	RETURN format('%s: %s', SQLSTATE, SQLERRM);
END
$$;
\set ECHO all

-- Accepted: how many, how many different numbers of rows they pick, and those that pick others than plain SQL.
SELECT count(*), count(DISTINCT picked), string_agg(format('%s: %s', cohort, picked), '; ') FILTER (WHERE picked !~ '^(\d+) of \1$') FROM unnest(ARRAY[
	'age > 40', 'age >= 40 AND sex = ''F''', 'NOT (age < 30 OR age > 50)', 'age <> 30', '30 < age',
	'age BETWEEN 30 AND 40', 'age BETWEEN SYMMETRIC 40 AND 30', 'age NOT BETWEEN 30 AND 40',
	'age IN (21, 22, 23)', 'age NOT IN (21, 22)', 'age = ANY (''{21,22}'')', 'age = ANY (ARRAY[21, 22])', 'age <> ALL (''{21,22}'')', '25 IN (age, visits)',
	'zip IS NULL', 'zip IS NOT NULL', 'zip ISNULL', 'zip IS DISTINCT FROM ''53101''', 'zip IS NOT DISTINCT FROM NULL',
	'smokes', 'NOT smokes', 'smokes IS TRUE', 'smokes IS NOT UNKNOWN', 'smokes = false', '(age > 30) = smokes',
	'zip LIKE ''5310%''', 'zip NOT LIKE ''5310_''', 'zip LIKE ''53|%%'' ESCAPE ''|'' IS NOT TRUE', 'zip LIKE ANY (''{%1,%2}'')', 'sex LIKE ''F%''', 'ward > ''ward 0''',
	'weight > 60', 'weight > 60.5', 'weight > 60.5::float8 IS NULL OR true', 'age > 30.5', 'age > 3e1', 'visits > 3',
	'admitted > ''2024-03-01''', 'admitted >= date ''2024-03-01'' + 7', 'admitted < now() - interval ''30 days''', 'admitted < current_date - 30',
	'admitted > timestamp ''2024-03-01 00:00''', 'seen > ''2024-01-03''', 'seen > timestamp ''2024-01-03''', 'seen::date = ''2024-01-03''', 'seen < date_trunc(''month'', now())',
	'seen < current_timestamp', 'seen < localtimestamp', 'admitted > make_date(2024, 2, 28)',
	'stay && ''[2024-02-01,2024-02-05)''', 'stay @> date ''2024-02-03''', 'date ''2024-02-03'' <@ stay', 'admitted <@ daterange(''2024-02-01'', ''2024-03-01'')',
	'stay << ''[2024-02-01,)''', 'stay = ''empty''', 'age <@ int4range(30, 40)', 'age = weight', 'age::numeric < weight',
	'age > 2 * (15 + 5) - 10 % 3', 'age > -5', 'true', 'age > 30 AND true', '1 = 1', 'age > pg_catalog.int4 ''30''', 'pg_catalog.now() > seen']) cohort, rows_of(cohort) picked;

-- Not one expression.
SELECT pprepub.preview('patients', 'age >');
SELECT pprepub.preview('patients', 'age > 40 ORDER BY age');
SELECT pprepub.preview('patients', 'age > 40 -- and so on');
SELECT left(cohort, 50) AS cohort, answer_to(cohort) FROM unnest(ARRAY[
	'', '  ', 'age > 40;', 'age > 40; DROP TABLE patients', '1=1) UNION SELECT * FROM patients WHERE (1=1', '1=1 UNION SELECT 1',
	'age > 40 FROM patients', 'age > 40 WHERE true', 'age > 40, true', 'age > 40 AS x', 'age > 40 x', 'DISTINCT smokes', 'smokes LIMIT 1',
	'smokes FOR UPDATE', '*', 'age /* hm */ > 40', repeat(' ', 65536) || 'true', repeat('(age > 1 OR ', 300) || 'true' || repeat(')', 300),
	repeat('NOT ', 15000) || 'true', repeat('(', 100) || 'smokes' || repeat(' BETWEEN SYMMETRIC true AND false)', 100),
	repeat('(', 100) || 'smokes' || repeat(' IN (smokes, age > 1))', 100), 'age IN (1' || repeat(', 1', 20000) || ')', 'age > 1' || repeat(' + 1', 15000), 'age > 1' || repeat(' AND age > 1', 4000)]) cohort \g (recordsep='\n')

-- Columns: what is not declared looks like what does not exist.
SELECT pprepub.preview('patients', 'name = ''Name 1''');
SELECT pprepub.preview('patients', 'nonsense = ''Name 1''');
SELECT pprepub.preview('patients', 'id = 7');
SELECT pprepub.preview('patients', 'disease = ''asthma''');
SELECT pprepub.preview('patients', 'mood = ''good''');
SELECT left(cohort, 50) AS cohort, answer_to(cohort) FROM unnest(ARRAY[
	'ctid = ''(0,1)''', 'tableoid = 1', 'patients_source IS NULL', 'patients.age > 40', 'patients.* IS NULL', '"Age" > 40']) cohort;

-- Not on the lists.
SELECT pprepub.preview('patients', 'age');
SELECT pprepub.preview('patients', 'age + 1 > 40');
SELECT pprepub.preview('patients', 'zip LIKE ''5\''');
SELECT pprepub.preview('patients', 'pg_sleep(10) IS NULL');
SELECT left(cohort, 50) AS cohort, answer_to(cohort) FROM unnest(ARRAY[
	'age / visits > 1', '-age < 1', 'admitted + 1 > now()', 'zip ~ ''^5''', 'zip ILIKE ''5%''', 'zip SIMILAR TO ''5%''', 'zip LIKE ward',
	'zip LIKE ANY (''{5%,5\\}'')', 'zip LIKE repeat(''%a'', 600)', format('zip LIKE %L', repeat('%a', 600)), 'zip || ward = ''5''',
	'zip COLLATE "C" > ''5''', 'zip::int > 5', 'age::text = ''30''', 'age::int2 = 30', 'weight::float8 = 30', 'weight > 30::float8',
	'admitted::timestamp = ''2024-03-01''', 'zip::varchar(2) = ''53''', 'age = ANY (ARRAY[visits, 30])', 'stay -|- ''[2024-02-01,2024-02-05)''',
	'stay + stay = ''empty''', 'date_trunc(''month'', seen) = now()', 'lower(zip) = ''5''', 'public.rows_of(''age'') IS NULL',
	'nowhere.nothing(''age'') IS NULL', 'clock_timestamp() > seen', 'current_user = ward', 'count(*) > 1', 'date_trunc(DISTINCT ''month'', now()) > seen',
	'make_date(year => 2024, month => 1, day => 1) = admitted', 'age IN (SELECT 30)', 'EXISTS (SELECT FROM patients)', 'CASE WHEN age > 40 THEN true END',
	'coalesce(smokes, true)', 'greatest(age, visits) > 40', 'nullif(smokes, true)', '(age, visits) = (40, 1)', '(ARRAY[1, 2])[age] = 1', 'age > $1',
	'''patients''::regclass IS NULL', '''x''::nowhere.nothing IS NULL', '''good''::mood = mood', 'age OPERATOR(public.=) 40', 'B''101'' IS NULL',
	'current_time IS NULL', 'smokes IS DOCUMENT', 'zip IS NORMALIZED']) cohort \g (recordsep='\n')

-- Wrong constants are found whatever rows there are.
SELECT pprepub.preview('patients', 'age > ''abc''');
SELECT pprepub.preview('patients', 'age > 1 / 0');
SELECT left(cohort, 50) AS cohort, answer_to(cohort) FROM unnest(ARRAY[
	'false AND admitted > ''2024-02-30''', 'age > 2147483647 + 1', 'weight < 1e1000', 'weight < ''1e1000''::text::numeric', 'stay && ''[3,1''', 'age > zip']) cohort;
-- Neither settings nor what stands on the search path change what is meant.
CREATE FUNCTION lie(int, int) RETURNS boolean LANGUAGE sql AS 'SELECT true';
CREATE OPERATOR = (LEFTARG = int, RIGHTARG = int, FUNCTION = lie);
CREATE FUNCTION now() RETURNS timestamptz LANGUAGE sql AS $$SELECT '-infinity'::timestamptz$$;
CREATE DOMAIN pg_temp.date AS text;
SELECT answer_to('age = 1000'), answer_to('seen < now()'), answer_to('admitted > ''2024-01-01''::date');
SET search_path = public, pg_catalog;
SELECT answer_to('age = 1000'), answer_to('seen < now()'), answer_to('admitted > ''2024-01-01''::date');
RESET search_path;
DROP OPERATOR public.= (int, int);
DROP FUNCTION lie(int, int), public.now();
SET transform_null_equals = on;
SELECT answer_to('zip = NULL');
RESET transform_null_equals;
SET timezone = 'Asia/Tokyo';
SET datestyle = 'SQL, DMY';
SELECT rows_of('seen > ''2024-01-03'''), rows_of('admitted = ''2024-02-03'' OR admitted = ''2024-02-04''');
RESET timezone;
RESET datestyle;
-- 19 has one kind of literals only.
DO $$ BEGIN SET standard_conforming_strings = off; EXCEPTION WHEN feature_not_supported THEN NULL; END $$;
SELECT answer_to(E'zip LIKE \'5\\\'');
RESET standard_conforming_strings;

-- Releases of cohorts: what was asked stands in the release's row.
SELECT number, rows, suppressed, cohort, columns FROM pprepub.publish('patients', 'age BETWEEN 30 AND 39', '{age,disease}');
SELECT min(lower(age)), max(upper(age)) - 1 AS max FROM published.patients_1;
SELECT cohort, columns FROM pprepub.release ORDER BY number;
SELECT count(*) AS strangers FROM pprepub.class_members('patients') JOIN patients p ON p.id = key::int WHERE p.age NOT BETWEEN 30 AND 39;
SELECT pprepub.publish('patients', 'age > 1000');
SELECT pprepub.publish('patients', 'age = 30 AND visits = 5');
CALL public.clean();

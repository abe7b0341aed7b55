-- Proposals for tables of all sorts, against plain SQL, and with the rights of who asks.
-- A column of a row is a test, too.
\pset fieldsep '\n'

-- Figures of columns and of sets are those of GROUP BY.
CREATE TABLE people AS SELECT i AS id, 17 + (i * i % 7919) % 70 AS age, (ARRAY['Private','State','Self',NULL])[1 + (i * 31 / 7) % 4] AS work,
	(20 + i * 17 % 80)::text || (i % 10) AS zip, i % 13 AS job, round(i * 7 % 500 / 3.0, i % 3) AS weight, date '1950-01-01' + i * 37 % 20000 AS born
	FROM generate_series(1, 3000) i;
CREATE FUNCTION suggested_call(source regclass) RETURNS text LANGUAGE sql AS $$ SELECT why FROM pprepub.suggest(source) WHERE about = 'call' $$;
CREATE FUNCTION wrong(source regclass) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	s record;
	t record;
	list text;
BEGIN
	FOR s IN SELECT * FROM pprepub.suggest(source) WHERE distinct_values IS NOT NULL LOOP
		list := (SELECT string_agg(format('%I', c), ', ') FROM unnest(s.columns) c);
		EXECUTE format('SELECT count(*) AS distinct_values, sum(n) AS rows, count(*) FILTER (WHERE n = 1) AS alone, sum(n * (n - 1)) AS together
			FROM (SELECT count(*) AS n FROM %s GROUP BY %s) g', source, list) INTO t;
		IF s.distinct_values <> t.distinct_values OR abs(s.alone_share - t.alone / t.rows) > 1e-9 OR
			abs(s.separation - (1 - t.together / (t.rows * (t.rows - 1)))) > 1e-9 OR abs(s.distinction - t.distinct_values / t.rows) > 1e-9 THEN
			RETURN NEXT list;
		END IF;
	END LOOP;
END
$$;
SELECT is(ARRAY(SELECT wrong('people')), '{}', 'figures are those of GROUP BY');
SELECT cmp_ok(count(*), '>', 2::bigint, 'sets are found') FROM pprepub.suggest('people') WHERE about = 'set';

-- Which sets: those that single out more, while no part of them does.
CREATE FUNCTION sets(source text, names name[], threshold numeric) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	m int;
	chosen name[];
	alone numeric;
BEGIN
	CREATE TEMP TABLE found (set name[]);
	FOR m IN SELECT b FROM generate_series(1, (1 << cardinality(names)) - 1) b ORDER BY length(replace(b::bit(16)::text, '0', '')), b LOOP
		chosen := ARRAY(SELECT names[i] FROM generate_subscripts(names, 1) i WHERE m >> (i - 1) & 1 = 1);
		CONTINUE WHEN cardinality(chosen) > 4 OR EXISTS (SELECT FROM found f WHERE f.set <@ chosen);
		EXECUTE format('SELECT count(*) FILTER (WHERE n = 1) / sum(n) FROM (SELECT count(*) AS n FROM %s GROUP BY %s) g', source,
			(SELECT string_agg(format('%I', c), ', ') FROM unnest(chosen) c)) INTO alone;
		IF alone > threshold THEN
			INSERT INTO found VALUES (chosen);
		END IF;
	END LOOP;
	RETURN QUERY SELECT array_to_string(ARRAY(SELECT unnest(f.set)::text ORDER BY 1), ',') FROM found f;
	DROP TABLE found;
END
$$;
SELECT is(ARRAY(SELECT array_to_string(ARRAY(SELECT unnest(columns)::text ORDER BY 1), ',') FROM pprepub.suggest('people', threshold => t) WHERE about = 'set' ORDER BY 1),
	ARRAY(SELECT * FROM sets('people', '{age,work,zip,job,weight,born}', t::numeric) ORDER BY 1), 'the smallest sets') FROM (VALUES (0.3::float8), (0.6), (0.95)) v (t);

-- Types of all sorts; NULLs; dropped, generated, and constant columns.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN age AS int CHECK (VALUE > 0);
CREATE TABLE sorts (gone int, a age, j json, jb jsonb, p point, x xml, b bytea, u uuid, m mood, n numeric, f float8, t timestamptz, d date, ti time, iv interval, i inet,
	arr int[], jarr json[], rng int4range, bt bit(3), mon money, tsv tsvector, bl bool, nul text, ch char(3), nm name, bx box,
	twice int GENERATED ALWAYS AS (a + 1) STORED, class int, one text DEFAULT 'x', id bigint PRIMARY KEY);
ALTER TABLE sorts DROP COLUMN gone;
INSERT INTO sorts (a, j, jb, p, x, b, u, m, n, f, t, d, ti, iv, i, arr, jarr, rng, bt, mon, tsv, bl, nul, ch, nm, bx, class, id)
	SELECT 1 + i % 50, '{}', jsonb_build_object('a', i % 4), point(i, i), '<a/>', decode(md5((i % 9)::text), 'hex'), md5(i::text)::uuid, (ARRAY['sad','ok','happy']::mood[])[1 + i % 3],
	CASE i % 4 WHEN 0 THEN 1.0 WHEN 1 THEN 1.00 WHEN 2 THEN 'NaN' ELSE 3.5 END, CASE i % 3 WHEN 0 THEN '-0' WHEN 1 THEN 'Infinity' ELSE 0::float8 END,
	timestamptz '2020-01-01' + i * interval '7 hours', date '2020-01-01' + i % 100, time '10:00' + i % 5 * interval '1 hour', i % 7 * interval '1 day', '10.0.0.1'::inet + i % 5,
	ARRAY[i % 3, NULL], ARRAY['{}'::json], int4range(i % 6, 10), (i % 8)::bit(3), (i % 3)::text::money, to_tsvector('simple', 'a' || i % 4), i % 2 = 0, NULL,
	CASE i % 2 WHEN 0 THEN 'a' ELSE 'b  ' END, 'n' || i % 4, box(point(0, 0), point(i, 1)), i % 5, i FROM generate_series(1, 300) i;
SELECT is(ARRAY(SELECT wrong('sorts')), '{}', 'equality is the one of the type');
SELECT is((SELECT array_agg(columns[1]::text ORDER BY columns[1]::text) FROM pprepub.suggest('sorts') WHERE about = 'column' AND why ~ 'cannot be compared'), '{bx,j,jarr,p,x}', 'types that have none are left out'),
	is((SELECT string_agg(why, ' ') FROM pprepub.suggest('sorts') WHERE columns = '{p}'), 'values of type point cannot be compared; publish parts of it, by a view', 'with a reason'),
	is((SELECT array_agg(columns[1]::text ORDER BY columns[1]::text) FROM pprepub.suggest('sorts') WHERE about = 'column' AND why ~ 'one value'), '{nul,one}', 'so are constants, and NULLs are one'),
	is((SELECT role FROM pprepub.suggest('sorts') WHERE columns = '{twice}' AND about = 'column'), 'left out', 'and what is computed'),
	is((SELECT role FROM pprepub.suggest('sorts') WHERE columns = '{class}' AND about = 'column'), 'left out', 'and reserved names'),
	is((SELECT columns FROM pprepub.suggest('sorts') WHERE role = 'key'), '{id}', 'the primary key is the key'),
	is((SELECT role FROM pprepub.suggest('sorts') WHERE columns = '{u}' AND about = 'column'), 'identifying', 'another one identifies'),
	is((SELECT count(*) FROM pprepub.suggest('sorts') WHERE about = 'column'), 30::bigint, 'a row for each column that there is'),
	ok((SELECT bool_and(kind ~ '^(range|prefix|suppress)') FROM pprepub.suggest('sorts') WHERE role = 'quasi-identifier'), 'each quasi-identifier has a kind');

-- Proposals can be declared and published.
SELECT suggested_call('people') AS call \gset
SELECT lives_ok(:'call', 'the call runs'), lives_ok($$ SELECT pprepub.publish('people') $$, 'and a release is made');
SELECT replace(replace(suggested_call('sorts'), '"l": 3', '"l": 1'), 'params ', 'target => ''sorts_out'', params ') AS call \gset
SELECT lives_ok(:'call', 'with all sorts of columns, too');

-- No rows, one row, all rows equal, NULLs only, no columns.
CREATE TABLE few (id int, a int, b text);
SELECT is((SELECT count(*) FROM pprepub.suggest('few') WHERE about = 'set'), 0::bigint, 'no rows: no sets'), is((SELECT count(role) FROM pprepub.suggest('few')), 0::bigint, 'nor roles');
INSERT INTO few VALUES (1, NULL, 'x');
SELECT is((SELECT count(*) FROM pprepub.suggest('few') WHERE about = 'column'), 3::bigint, 'one row'), is((SELECT separation FROM pprepub.suggest('few') WHERE columns = '{id}'), NULL, 'has no pairs');
INSERT INTO few SELECT 1, NULL, 'x' FROM generate_series(1, 50);
SELECT is((SELECT count(*) FROM pprepub.suggest('few') WHERE role = 'left out'), 3::bigint, 'equal rows tell nothing'), matches(suggested_call('few'), '^-- No proposal', 'and have no call');
CREATE TABLE none ();
INSERT INTO none DEFAULT VALUES;
SELECT is((SELECT count(*) FROM pprepub.suggest('none') WHERE about = 'column'), 0::bigint, 'no columns'), matches(suggested_call('none'), '^-- No proposal', 'no call');

-- Partitions, views, materialized views; a sample has as many rows as it says.
CREATE TABLE parts (id int, g int) PARTITION BY LIST (g);
CREATE TABLE parts_0 PARTITION OF parts FOR VALUES IN (0);
CREATE TABLE parts_1 (g int, x int, id int);
ALTER TABLE parts_1 DROP COLUMN x;
ALTER TABLE parts ATTACH PARTITION parts_1 FOR VALUES IN (1);
INSERT INTO parts SELECT i, i % 2 FROM generate_series(1, 100) i;
CREATE VIEW looks WITH (security_barrier) AS SELECT id, g, id % 10 AS t FROM parts;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM looks;
SELECT is(ARRAY(SELECT wrong(r)), '{}', r::text) FROM unnest('{parts,looks,kept}'::regclass[]) r;
DO $$ BEGIN
	EXECUTE (SELECT 'CREATE TABLE many AS SELECT i AS id, i % 1000 AS a, i % 777 AS b, ' || string_agg('1 AS c' || c, ', ') || ' FROM generate_series(1, 30000) i'
		FROM generate_series(1, 37) c);
END $$;
SELECT is((SELECT why FROM pprepub.suggest('many') WHERE about = 'rows'), '10000 rows are judged, drawn at random from 30000; among all, fewer are alone', 'a sample says so'),
	is((SELECT distinct_values FROM pprepub.suggest('many') WHERE about = 'column' AND columns = '{a}'), 1000::bigint, 'has all frequent values'),
	is((SELECT array_agg(s::text) FROM pprepub.suggest('many') s), (SELECT array_agg(s::text) FROM pprepub.suggest('many') s), 'and is the same each time');
DROP TABLE many;

-- The caller's rights: on the table, on columns, under policies; and a view's functions run as who asks.
DROP ROLE IF EXISTS suggest_reader, suggest_other;	-- of a run that was interrupted
CREATE ROLE suggest_reader;
CREATE ROLE suggest_other;
GRANT USAGE ON SCHEMA public TO suggest_reader;
CREATE TABLE secret AS SELECT i AS id, i % 5 AS a, i % 3 AS b FROM generate_series(1, 60) i;
SET ROLE suggest_reader;
SELECT throws_ok($$ SELECT * FROM pprepub.suggest('secret') $$, '42501', 'permission denied for table secret');
RESET ROLE;
GRANT SELECT (id, a) ON secret TO suggest_reader;
SET ROLE suggest_reader;
SELECT is((SELECT why FROM pprepub.suggest('secret') WHERE columns = '{b}'), 'you have no right to read it', 'columns are read that may be'),
	is((SELECT distinct_values FROM pprepub.suggest('secret') WHERE columns = '{a}' AND about = 'column'), 5::bigint, 'and no others');
RESET ROLE;
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY first_ones ON secret TO suggest_reader USING (id <= 20);
SET ROLE suggest_reader;
SELECT is((SELECT why FROM pprepub.suggest('secret') WHERE about = 'rows'), 'all 20 rows are judged', 'a policy hides rows');
RESET ROLE;
CREATE FUNCTION who() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN current_user; END $$;
CREATE VIEW asks AS SELECT i AS id, who() AS w FROM generate_series(1, 3) i;
ALTER VIEW asks OWNER TO suggest_other;
GRANT SELECT ON asks TO suggest_reader;
CREATE SCHEMA planted;
CREATE OPERATOR planted.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = int8ne);
CREATE OPERATOR planted.> (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = int8lt);
CREATE OPERATOR planted.> (LEFTARG = bigint, RIGHTARG = int, FUNCTION = int84lt);
CREATE OPERATOR planted.= (LEFTARG = bigint, RIGHTARG = int, FUNCTION = int84ne);
CREATE FUNCTION planted.count() RETURNS bigint LANGUAGE sql AS 'SELECT 7::bigint';
SET search_path = planted, public, pg_catalog;
SELECT public.is(q.distinct_values::text, '5'::text, 'operators on the search path are not used') FROM pprepub.suggest('public.secret') q WHERE q.columns::text = '{a}';
RESET search_path;
SET ROLE suggest_reader;
SELECT is((SELECT why FROM pprepub.suggest('asks') WHERE about = 'rows'), 'all 3 rows are judged', 'a view with functions is read as who asks');
RESET ROLE;

-- A superuser runs nothing of others' as superuser.
CREATE TABLE ran (by name);
GRANT INSERT ON ran TO PUBLIC;
CREATE FUNCTION noted() RETURNS text LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.ran VALUES (current_user); RETURN 'a'; END $$;
CREATE VIEW lures AS SELECT i AS id, noted() AS w FROM generate_series(1, 3) i;
ALTER VIEW lures OWNER TO suggest_other;
SELECT count(*) FROM pprepub.suggest('lures') \g /dev/null
SELECT results_eq('SELECT DISTINCT by FROM ran', $$ VALUES ('suggest_other'::name) $$, 'but as the owner');
SELECT is(current_user, session_user, 'and is itself afterwards');
DROP VIEW lures;

-- Rows that point to persons: the person is the key, by a foreign key or by a name, also through a view.
CREATE TABLE enrolled (id int PRIMARY KEY);
INSERT INTO enrolled SELECT generate_series(1, 500);
CREATE TABLE visits AS SELECT i AS visit, 1 + i * 7 % 400 AS patient, 20 + i * 31 % 60 AS age, i % 2 AS sex, (ARRAY['a','b','c','d','e','f','g'])[1 + i * 17 % 7] AS disease, date '2024-01-01' + i % 365 AS day
	FROM generate_series(1, 2000) i;
ALTER TABLE visits ADD PRIMARY KEY (visit);
CREATE VIEW visits_seen AS SELECT * FROM visits;
CREATE TABLE stays AS SELECT visit, patient AS who, age, sex, disease FROM visits;
ALTER TABLE stays ADD PRIMARY KEY (visit), ADD FOREIGN KEY (who) REFERENCES enrolled;
SELECT is((SELECT columns FROM pprepub.suggest(r) WHERE role = 'key'), '{patient}', 'the person is the key: ' || r),
	is((SELECT role FROM pprepub.suggest(r) WHERE columns = '{visit}' AND about = 'column'), 'identifying', 'and no row of theirs'),
	matches(suggested_call(r), 'Column "patient" is named like a person''s key: a person may have several rows.*key +=> ''patient''.*rows +=> ''several''', 'who has several')
FROM unnest('{visits,visits_seen}'::regclass[]) r;
SELECT matches((SELECT why FROM pprepub.suggest('stays') WHERE columns = '{who}' AND about = 'column'), '^column "who" points to public.enrolled: a person may have several rows', 'a foreign key to something else'),
	is((SELECT role FROM pprepub.suggest('stays') WHERE columns = '{who}' AND about = 'column'), 'identifying', 'is no quasi-identifier');
SELECT suggested_call('visits') AS call, (SELECT why FROM pprepub.suggest('visits', 'patient') WHERE about = 'call') AS named \gset
SELECT is(:'named'::text, :'call', 'a person that is named may have several rows, too');
SELECT lives_ok(:'call', 'and it can be declared'), lives_ok($$ SELECT pprepub.publish('visits') $$, 'and published');
SELECT is((SELECT columns FROM pprepub.suggest('visits', 'visit') WHERE role = 'key'), '{visit}', 'a key that is named is the key');

-- Many columns: at most five quasi-identifiers, those that strangers know before those that are unlike; and the likeliest secret.
CREATE TABLE census AS SELECT i AS id, i % 41 AS occupation_code, i % 37 AS industry, i % 31 AS stage, 20 + i % 60 AS age, i % 2 AS sex, 10000 + i % 80 AS zip, i % 29 AS agency,
	date '1950-01-01' + i * 37 % 20000 AS date_of_birth, 'x' || i % 97 AS diagnosis, i % 23 AS language FROM generate_series(1, 3000) i;
SELECT is((SELECT array_agg(columns[1] ORDER BY columns[1]) FROM pprepub.suggest('census') WHERE role = 'quasi-identifier'), '{age,date_of_birth,occupation_code,sex,zip}', 'five quasi-identifiers'),
	is((SELECT columns FROM pprepub.suggest('census') WHERE role = 'sensitive?'), '{diagnosis}', 'the likeliest secret'),
	is((SELECT array_agg(columns[1] ORDER BY columns[1]) FROM pprepub.suggest('census') WHERE role = 'left out'), '{agency,industry,language,stage}', 'others are listed as left out'),
	unalike(suggested_call('census'), '%stage%', 'and not in the call');

-- No value of the data is in what is told.
CREATE TABLE told AS SELECT 'Xq' || i || 'Xq' AS id, 'Xq' || i % 7 AS a, 7777000 + i AS n FROM generate_series(1, 50) i;
SELECT is((SELECT count(*) FROM pprepub.suggest('told') s WHERE s::text ~ 'Xq|7777'), 0::bigint, 'no value is told'), unalike(suggested_call('told'), '%Xq%', 'in the call either');

SELECT pprepub.drop_publication('people', true), pprepub.drop_publication('visits', true) \g /dev/null
DROP VIEW asks;
DROP OWNED BY suggest_reader, suggest_other;
DROP ROLE suggest_reader, suggest_other;

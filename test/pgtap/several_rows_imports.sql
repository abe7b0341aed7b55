-- Releases of several rows a person that were made elsewhere: remembered by person, judged with all that follows, or refused.
\i test/lib/tampering.sql
CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE visits AS SELECT p AS patient, 20 + p / 4 AS age, '2026-01-01'::date + (p * 31 + n * 7) % 50 AS at, ('d' || (p * 7919 + n * 31) % 23) COLLATE caseless AS ill,
	CASE WHEN (p + n) % 9 > 0 THEN 100 + (p * 13 + n) % 40 END AS cost, 'w' || n AS ward FROM generate_series(1, 160) p, generate_series(0, p % 4) n;
CREATE TABLE copied AS TABLE visits;
CREATE FUNCTION declare(pub text, source regclass, params text DEFAULT '{"k": 5, "l": 3}', method text DEFAULT 'bpg') RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication(pub, source, 'patient', '{"age": "range", "at": "range"}', '{ill, cost}', method, params::jsonb, '{ward}', rows => 'several', max_rows => 4)
$$;
SELECT declare('v', 'visits') \g /dev/null
-- A release with the key of each row: what the log has of the people of a class, in its cells.
CREATE FUNCTION export(number int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE exported_%1$s AS SELECT class, key::text AS person, age, at, ill, cost
		FROM (SELECT DISTINCT class, age, at FROM published.v_%1$s) c JOIN published_private.v_members m USING (class), unnest(keys, sensitive) s (key, tuples), unnest(tuples) t WHERE release = %1$s', number);
END $$;
SELECT pprepub.publish('v') \g /dev/null
SELECT export(1) \g /dev/null
SELECT is(sensitive_values, (SELECT min(least(ills, costs)) FROM (SELECT count(DISTINCT ill) AS ills, count(DISTINCT cost) AS costs FROM published.v_1 GROUP BY class) c), 'an attack counts the values of rows')
	FROM pprepub.attack('v') WHERE kind = 'atom';
UPDATE visits SET ill = 'd' || (patient + 3) % 23 WHERE patient % 3 = 0;
INSERT INTO visits SELECT p, 20 + p % 160 / 4, date '2026-02-01', 'd' || p % 23, 100 + p % 40, 'w0' FROM generate_series(1, 160, 2) p UNION ALL SELECT 200 + i % 30, 20 + i % 40, date '2026-01-09', 'd' || i % 23, i, 'w1' FROM generate_series(1, 50) i;
SELECT pprepub.publish('v') \g /dev/null
SELECT export(2) \g /dev/null

CREATE FUNCTION compromise_of(pub text) RETURNS TABLE (key text, candidates text[]) LANGUAGE sql AS $$ SELECT key, candidates FROM pprepub.compromise(pub, ARRAY(SELECT i::text FROM generate_series(1, 150) i)) $$;
-- A twin into which both are imported tells the same of everybody, and goes on.
SELECT declare('twin', 'copied') \g /dev/null
SELECT is(i.rows || ' ' || i.people || ' ' || i.classes, r.rows || ' ' || r.people || ' ' || r.classes, 'release 1 is the same again')
	FROM pprepub.import_release('twin', 'exported_1', 'person') i, pprepub.release r WHERE r.publication = 'v' AND r.number = 1;
SELECT bag_eq($$ SELECT age, at, ill::text, cost, NULL::text FROM published.v_1 $$, 'SELECT age, at, ill::text, cost, ward FROM published.twin_1', 'row by row, but for wards');
SELECT ok(count(*) > 5 AND bool_and(abs(t.value - o.value) < 1e-6), 'and is measured') FROM pprepub.metrics('v', 1) o JOIN pprepub.metrics('twin', 1) t USING (metric);
SELECT set_eq(compromised || '(''twin''), unnest(candidates) c', compromised || '(''v''), unnest(candidates) c', 'of whom all others are known, is known what was')
	FROM (SELECT 'SELECT key, c FROM compromise_of' AS compromised) c;
TRUNCATE copied;
INSERT INTO copied TABLE visits;
SELECT throws_ok($$ SELECT pprepub.import_release('twin', 'exported_2', 'person') $$, '22000', NULL, 'rows that wait are not those of the source');
SELECT is(i.people, r.people, 'release 2') FROM pprepub.import_release('twin', 'exported_2', 'person', accept_changes => true) i, pprepub.release r WHERE r.publication = 'v' AND r.number = 2;
CREATE FUNCTION told(pub text) RETURNS TABLE (what text, said jsonb) LANGUAGE sql AS $$
	SELECT 'members', jsonb_agg(m ORDER BY m) FROM (SELECT release || array_agg(key ORDER BY key)::text AS m FROM pprepub.class_members(pub) GROUP BY release, class) m
	UNION ALL SELECT 'links', jsonb_agg(s ORDER BY s::text) FROM pprepub.linked_values(pub) s
	UNION ALL SELECT 'groups', jsonb_agg(n ORDER BY n::text) FROM (SELECT places, people, free, sensitive_values FROM pprepub.groups(pub)) n
	UNION ALL SELECT 'attack', jsonb_agg(a) FROM pprepub.attack(pub) a
	UNION ALL SELECT 'risks', jsonb_agg(r) FROM pprepub.risks(pub, 2) r
	UNION ALL SELECT 'audit', jsonb_agg(a) FROM (SELECT check_name, required, measured, holds FROM pprepub.audit(pub) WHERE check_name NOT IN ('covers', 'ends')) a
$$;
SELECT is(t.said, o.said, t.what) FROM told('twin') t JOIN told('v') o USING (what);
INSERT INTO copied SELECT p, 20 + p % 160 / 4, date '2026-02-02', 'd' || p % 21, 100 + p % 39, 'w0' FROM generate_series(1, 160, 3) p;
DELETE FROM copied WHERE patient % 13 = 0;
SELECT pprepub.publish('twin') \g /dev/null
SELECT pprepub.publish('twin', 'age < 40') \g /dev/null
SELECT is_empty($$ SELECT check_name FROM pprepub.audit('twin') WHERE NOT holds UNION ALL SELECT a::text FROM pprepub.attack('twin') a WHERE NOT holds $$, 'what follows is safe together with both');
SELECT is(equal, true, 'the fold is what the log tells') FROM pprepub.rebuild_history('twin');

-- ---- What is refused ----

CREATE FUNCTION try(rows text, accept boolean DEFAULT false, key name DEFAULT 'person', pub text DEFAULT 'twin') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r pprepub.release;
	said text;
BEGIN
	EXECUTE 'CREATE VIEW attempt AS ' || rows;
	r := pprepub.import_release(pub, 'attempt', key, accept);
	RAISE EXCEPTION USING ERRCODE = 'XX999', MESSAGE = format('%s rows, %s people, %s classes', r.rows, r.people, r.classes);
EXCEPTION WHEN SQLSTATE 'XX999' THEN
	RETURN SQLERRM;
WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS said = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ' ' || SQLERRM || coalesce(': ' || nullif(said, ''), '');
END $$;
CREATE VIEW few AS SELECT patient, patient AS person, age, at, ill, cost, ward FROM copied WHERE patient BETWEEN 20 AND 39 ORDER BY patient, at, ill, cost, ward;
CREATE FUNCTION taken(classes int) RETURNS text LANGUAGE sql AS $$ SELECT format('%s rows, %s people, %s classes', count(*), count(DISTINCT patient), classes) FROM few $$;
SELECT is(try('SELECT ' || columns || ' FROM few'), taken(classes), columns) FROM (VALUES (1, 'person, ''*'' AS age, ''*'' AS at, ill'), (1, 'person, upper(ill) COLLATE "C" AS ill, cost::text, ward'),
	(1, 'lpad(person::text, 2 + (row_number() OVER ())::int % 5, ''0'') AS person, ill'), (5, 'person, int4range(age, age, ''[]'') AS age, cost')) v(classes, columns);
SELECT matches(try('SELECT ' || columns || ' FROM few'), said, columns) FROM (VALUES
	('nullif(person, 21) AS person, ill', '^23502 key "person" of "attempt" is NULL in 3 row'), ('person, age', '^0A000 "attempt" has no sensitive column'), ('person + 1000 AS person, ill', '^22000 nobody'),
	('person, at, ill', '^22000 "attempt" has \d+ row.s. in another class than the first row of the same person: For example: those of key "21"'),
	('person, ill, row_number() OVER () % 2 AS class', '^22000 .* in another class'), ('person, ill FROM few UNION ALL SELECT DISTINCT 20, ''x''', '^22000 "attempt" has 1 row.s. that the source does not have of the same people: For example, of key "20": ill "x"'),
	('person, ill FROM few UNION ALL SELECT person, ill', '^22000 "attempt" has \d+ row.s. that the source'), ('person, ill, lead(cost) OVER (PARTITION BY person ORDER BY cost) AS cost', '^22000 "attempt" has \d+ row.s. that the source'),
	('person, ill, ''w9'' AS ward', '^22000 "attempt" has \d+ row.s. that the source'), ('person, ''[20,21)'' AS age, ill', '^22000 column "age"'), ('person, ill FROM few, generate_series(1, 300) UNION ALL SELECT person, ill', '^54000 somebody has more than 1000 rows')) v(columns, said);
SELECT matches(try('SELECT ill FROM few', key => NULL), '^0A000 an import without a key takes each row for a person', 'no key');
SELECT is(try('SELECT person, ill FROM few UNION ALL SELECT 20, ''x'' UNION ALL SELECT 5000, NULL', true), (SELECT format('%s rows, %s people, 1 classes', count(*) + 2, count(DISTINCT patient) + 1) FROM few), 'people may have changed, or left');

-- ---- What breaks k and l, in people and in their rows ----

CREATE FUNCTION broken(pub text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(check_name || ' ' || measured || ' ' || coalesce(failing_people, 0), ', ' ORDER BY check_name COLLATE "C") FROM pprepub.audit(pub) WHERE NOT holds
$$;
-- A class of two people with ten rows of ten values, one of five people of whom four have equal rows, and a good one.
CREATE TABLE ward AS SELECT p AS patient, 30 AS age, date '2026-01-01' AS at, ('d' || CASE WHEN p < 3 THEN 5 * p + n WHEN p < 7 THEN n ELSE p * 7 + n END) COLLATE caseless AS ill, p * 100 + n AS cost, '' AS ward
	FROM generate_series(1, 40) p, generate_series(1, CASE WHEN p < 3 THEN 5 WHEN p < 8 THEN 2 ELSE 3 END) n;
CREATE VIEW told_apart AS SELECT patient, ill, CASE WHEN patient < 3 THEN 1 WHEN patient < 8 THEN 2 ELSE 3 END AS class FROM ward;
CREATE VIEW again AS SELECT patient, cost FROM ward WHERE patient BETWEEN 8 AND 20;
SELECT declare('ward', 'ward') \g /dev/null
SELECT is(format('%s %s %s', rows, people, classes), '119 40 3', 'three classes') FROM pprepub.import_release('ward', 'told_apart', 'patient');
SELECT is(broken('ward'), 'atoms k = 2, l = 2 7, k k = 2 2, l l = 2 7', 'audit() finds who has too few people and values around them');
SELECT is(string_agg(kind || ' ' || records || ' ' || sensitive_values || ' ' || holds, ', '), 'atom 2 4 false', 'and attack()') FROM pprepub.attack('ward');
SELECT pprepub.import_release('ward', 'again', 'patient'), pprepub.publish('ward'), pprepub.publish('ward', 'age = 30') \g /dev/null
SELECT is(array_agg(DISTINCT m.key::int ORDER BY m.key::int), ARRAY(SELECT generate_series(8, 40)), 'they are not published again, and others are') FROM pprepub.class_members('ward') m WHERE release > 2;
SELECT is(broken('ward'), 'atoms k = 2, l = 2 7, k k = 2 2, l l = 2 7', 'nothing else is told by all of it');
SELECT is(equal, true, 'and the fold is what the log tells') FROM pprepub.rebuild_history('ward');
SELECT is(sum(w.people) || ' ' || max(h.people) || ' ' || max(h.rows) || ' ' || max(h.withheld_percent), '7 33 99 17.5', 'withheld() and health count people') FROM pprepub.withheld('ward') w, pprepub.health h WHERE h.publication = 'ward';
SELECT set_eq($$ SELECT key::int FROM pprepub.withheld_keys('ward') $$, 'SELECT generate_series(1, 7)', 'withheld_keys() says who is missing');

-- More rows than releases show of anybody: what is out is known, and stays until the class shows others.
CREATE TABLE long AS SELECT p AS patient, 30 AS age, date '2026-01-01' AS at, ('d' || (p * 7 + n * 11) % 40) COLLATE caseless AS ill, p + n * 10 AS cost, '' AS ward FROM generate_series(1, 9) p, generate_series(1, CASE WHEN p = 1 THEN 9 ELSE 6 END) n;
SELECT declare('long', 'long', '{"k": 3, "l": 2}') \g /dev/null
CREATE VIEW long_ago AS SELECT patient, ill FROM long;
SELECT is(rows || ' ' || people, '57 9', 'all rows are imported') FROM pprepub.import_release('long', 'long_ago', 'patient');
SELECT is(rows, 36::bigint, 'a sample of them is shown again, since whose rows go are enough') FROM pprepub.publish('long');
SELECT is(broken('long'), NULL, 'all that is judged');

-- Method global judges each value of an import, and shows nobody again of whom more would be told.
CREATE TABLE chances AS SELECT p AS patient, p / 3 AS age, 'd' || (p * 7919 + n * 31) % 19 AS ill FROM generate_series(1, 90) p, generate_series(0, p % 3) n;
SELECT pprepub.create_publication('g', 'chances', 'patient', '{"age": "range"}', 'ill', 'global', '{"l": 3, "strategy": "constant-ratio", "releases": 3}', rows => 'several') \g /dev/null
CREATE VIEW by_age AS SELECT patient, int4range(age, age + 1) AS age, ill FROM chances WHERE age < 10;
SELECT number FROM pprepub.import_release('g', 'by_age', 'patient') \g /dev/null
SELECT matches(array_to_string(warnings, ' '), 'In 10 of its 10 classes people have different numbers of rows.* it links 2 of 29 people', 'warnings say what it breaks') FROM pprepub.release WHERE publication = 'g';
CREATE TABLE exposed AS SELECT key, sensitive FROM pprepub.breach_probability('g') WHERE probability > 1 / 3::float8 + 1e-9;
SELECT is(array_agg(DISTINCT key), '{1,2}', 'two people are alone in a class') FROM exposed;
SELECT is(broken('g'), 'global p = 0.5, by 1 release(s) 2, localised p = 0.5 0, rows each 10 class(es) with other numbers 0', 'audit() finds them, and that others have another chance than it knows');
SELECT ok(rows > people AND people > 20, 'later releases show others') FROM pprepub.publish('g');
SELECT set_eq($$ SELECT key, sensitive FROM pprepub.breach_probability('g') WHERE probability > 1 / 3::float8 + 1e-9 $$, 'TABLE exposed', 'and tell nothing more of anybody');

-- Imports of any shape among releases: the log and the fold stay whole, and no later release tells of more people.
CREATE TABLE life (patient int, age int, at date, ill text COLLATE caseless, cost int, ward text);
CREATE TABLE elsewhere AS SELECT patient, ill, cost, 0 AS class FROM life;
CREATE FUNCTION lives(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	seeded text := setseed(number / 1000.0);
	told bigint := 0;
	tells bigint;
	n int := 0;
	faults text[];
BEGIN
	INSERT INTO life SELECT p, p % 20, '2026-01-01', 'd' || floor(random() * 9), floor(random() * 30), '' FROM generate_series(1, 60) p, generate_series(0, floor(random() * 4 + p % 3)::int);
	PERFORM declare('life', 'life', jsonb_build_object('k', 2 + number % 3, 'l', 1 + number % 4, 'repair', (ARRAY['dirty', 'counterfeit'])[1 + number % 2])::text);
	FOR step IN 1 .. 6 LOOP
		IF random() < 0.5 THEN
			INSERT INTO elsewhere SELECT patient, upper(ill), cost, CASE WHEN number % 4 = 0 THEN hashint4(patient + step) % 6 ELSE patient / 20 + (patient < step)::int END FROM life WHERE random() < 0.9;
			INSERT INTO elsewhere SELECT 500 + p % 7, 'd' || p, p, p % 7 % 2 FROM generate_series(1, 15) p WHERE step % 2 = 0;
			PERFORM pprepub.import_release('life', 'elsewhere', 'patient', true);
			TRUNCATE elsewhere;
			n := n + 1;
			told := NULL;
		ELSE
			BEGIN
				PERFORM pprepub.publish('life', CASE WHEN random() < 0.3 THEN 'age < 12' END);
				n := n + 1;
			EXCEPTION WHEN no_data_found THEN
			END;
		END IF;
		CONTINUE WHEN n = 0;
		SELECT array_agg(check_name || ' ' || measured) FILTER (WHERE NOT holds AND check_name NOT IN ('k', 'l', 'atoms')), max(failing_people) FILTER (WHERE check_name = 'atoms') INTO faults, tells FROM pprepub.audit('life');
		RETURN NEXT ok(faults IS NULL AND tells <= coalesce(told, tells) AND (SELECT equal FROM pprepub.rebuild_history('life')), format('life %s, step %s, %s releases: %s, %s people told apart', number, step, n, faults, tells));
		told := tells;
		UPDATE life SET ill = 'd' || floor(random() * 9) WHERE random() < 0.1;
		DELETE FROM life WHERE random() < 0.05;
		INSERT INTO life SELECT p, p % 20, '2026-01-01', 'd' || floor(random() * 9), floor(random() * 30), '' FROM generate_series(1, 80) p WHERE random() < 0.2;
	END LOOP;
	PERFORM pprepub.drop_publication('life', true);
	TRUNCATE life;
END $fn$;
SELECT format('SELECT lives(%s)', number) FROM generate_series(1, 8) number \gexec

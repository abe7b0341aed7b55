-- Noisy counts: who is counted in which bin, what is charged to whom, and what is refused. At an epsilon of 100 noise is 0, but for one draw in 10^43.

CREATE ROLE regress_noah; CREATE ROLE regress_nina; CREATE ROLE regress_noel;
GRANT regress_noel TO regress_nina;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_noah', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO regress_noah;
-- pgtap's own
SELECT format('GRANT ALL ON ALL TABLES IN SCHEMA %1$s TO PUBLIC; GRANT ALL ON ALL SEQUENCES IN SCHEMA %1$s TO PUBLIC', pg_my_temp_schema()::regnamespace) \gexec
CREATE TYPE mood AS ENUM ('glad', 'other "one"');
CREATE DOMAIN years AS int;
CREATE TABLE person (id int, age years, height float8, born date, seen timestamptz, country text, cost numeric, mood mood, zip varchar(5), sick boolean, disease text);
INSERT INTO person VALUES
	(1, 20, 1.5, '2000-01-01', '2024-01-01 00:00+00', 'France', 5, 'glad', '53101', true, 'flu'),
	(2, 39, 'NaN', '2000-01-31', '2024-06-01 00:00+00', 'Italy', 10, 'other "one"', '53102', false, 'flu'),
	(3, 40, '-Infinity', '2000-02-01', '2025-01-01 00:00+00', 'Japan', 99, 'glad', '54', NULL, 'cold'),
	(4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true, NULL),
	(5, 19, 2, '1999-12-31', '2024-01-01 00:00+00', 'Atlantis', 100, 'glad', '9', false, 'null');
CREATE TABLE land (country text, continent text, world text);
INSERT INTO land VALUES ('France', 'Europe', 'World'), ('Italy', 'Europe', 'World'), ('Japan', 'Asia', 'World'), ('Chile', 'America', 'World');
ALTER TABLE person OWNER TO regress_noah; ALTER TABLE land OWNER TO regress_noah;
SET SESSION AUTHORIZATION regress_noah;
SELECT pprepub.create_taxonomy('land', 'land');
SELECT pprepub.create_range_taxonomy('costs', 0, 100, '{50,100}');
SELECT pprepub.create_publication('exact', 'person', 'id', '{"age": "range", "height": "range", "born": "range", "seen": "range", "country": "taxonomy land",
	"cost": "taxonomy costs", "mood": "suppress", "zip": "prefix", "sick": "suppress"}', 'disease', 'sequential', '{"k": 2, "noise_budget": {"total": 940}}');

CREATE FUNCTION counted(by name[], "where" text DEFAULT NULL, bins jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(coalesce((SELECT string_agg(coalesce(v, '-'), ' ' ORDER BY k) FROM jsonb_each_text(bin) e(k, v)), '') || ': ' || noisy_count, ', ') FROM published.exact_noisy(by, "where", bins, 20)
$$;
CREATE TEMP TABLE counting (by name[], "where" text, bins jsonb, counts text, why text);
INSERT INTO counting VALUES
	('{}', NULL, '{}', ': 5', 'everybody'),
	('{}', 'age >= 39', '{}', ': 2', 'of an age'),
	('{}', 'age IS NULL OR zip LIKE ''5310%''', '{}', ': 3', 'of any condition, whatever the method publishes'),
	('{age}', NULL, '{"age": [20, 40]}', '[20,40): 2, -: 3', 'a bin holds its lower bound, and not the upper one'),
	('{age}', NULL, '{"age": [0, 19, 20, 1000]}', '[0,19): 0, [19,20): 1, [20,1000): 3, -: 1', 'NULL is no value, and an empty bin has a row'),
	('{height}', NULL, '{"height": [0, 1.5, 2]}', '[0,1.5): 0, [1.5,2): 1, -: 4', 'what is no number is in no bin'),
	('{height}', NULL, '{"height": ["-Infinity", 0, "NaN"]}', '[-Infinity,0): 1, [0,NaN): 2, -: 2', 'unless it is asked for'),
	('{born}', NULL, '{"born": ["2000-01-01", "2000-02-01"]}', '[2000-01-01,2000-02-01): 2, -: 3', 'dates'),
	('{seen}', NULL, '{"seen": ["2024-01-01 00:00+00", "2025-01-01 00:00+00"]}', '[2024-01-01 00:00:00+00,2025-01-01 00:00:00+00): 3, -: 2', 'times'),
	('{country}', NULL, '{}', 'Chile: 0, Japan: 1, France: 1, Italy: 1, -: 2', 'leaves, if nothing else is asked for'),
	('{country}', NULL, '{"country": ["Europe", "Chile"]}', 'Europe: 2, Chile: 0, -: 3', 'nodes'),
	('{country}', NULL, '{"country": ["Italy", "World", "Europe"]}', 'Italy: 1, World: 2, Europe: 0, -: 2', 'a value counts in the first bin that holds it'),
	('{cost}', NULL, '{}', '[0,50): 2, [50,100): 1, -: 2', 'a ladder''s intervals'),
	('{cost}', NULL, '{"cost": [0, 6, 200]}', '[0,6): 1, [6,200): 3, -: 1', 'or others'),
	('{mood}', NULL, '{"mood": ["glad", "other \"one\"", "sad"]}', 'glad: 3, other "one": 1, sad: 0, -: 1', 'an enumeration'),
	('{zip}', NULL, '{"zip": ["53*", "5*", "9", "99*"]}', '53*: 2, 5*: 1, 9: 1, 99*: 0, -: 1', 'prefixes'),
	('{zip}', NULL, '{"zip": ["531020*", "53102", "5310**", "5310*", "*", "9"]}', '531020*: 0, 53102: 1, 5310**: 1, 5310*: 0, *: 2, 9: 0, -: 1', 'of which the first holds a value'),
	('{sick}', NULL, '{"sick": [true]}', 'true: 2, -: 3', 'booleans'),
	('{disease}', NULL, '{"disease": ["flu", "null", "''; DROP"]}', 'flu: 2, null: 1, ''; DROP: 0, -: 2', 'sensitive values, and a text is no NULL'),
	('{disease}', NULL, '{"disease": ["a", "b", "flu", "c", "cold"]}', 'a: 0, b: 0, flu: 2, c: 0, cold: 1, -: 2', 'of many texts'),
	('{age,disease}', NULL, '{"age": [0, 30, 50], "disease": ["flu"]}', '[0,30) flu: 1, [0,30) -: 1, [30,50) flu: 1, [30,50) -: 1, - flu: 0, - -: 1', 'bounds before others'),
	('{zip,sick}', NULL, '{"zip": ["53*"], "sick": [true]}', 'true 53*: 1, - 53*: 1, true -: 1, - -: 2', 'prefixes before others'),
	('{sick,age}', NULL, '{"age": [0, 40], "sick": [true, false]}', '[0,40) true: 1, [0,40) false: 2, [0,40) -: 0, - true: 1, - false: 0, - -: 1', 'several columns'),
	('{age,sick}', NULL, '{"sick": [true, false], "age": [0, 40]}', '[0,40) true: 1, [0,40) false: 2, [0,40) -: 0, - true: 1, - false: 0, - -: 1', 'in any order');
SELECT is(counted(c.by, c."where", c.bins), c.counts, c.why) FROM counting c;
SET DateStyle = 'SQL, DMY';
SET TimeZone = 'Asia/Tokyo';
SELECT is((SELECT count(*) FROM counting c, published.exact_noise_left(c.by, c."where", c.bins, 20) l WHERE l.cost = 0), (SELECT count(*) FROM counting), 'and is free then, whatever the session''s dates look like');
RESET DateStyle;
RESET TimeZone;
SELECT is((SELECT count(*) FROM pprepub.noise WHERE publication = 'exact'), (SELECT count(*) FROM counting) - 1, 'each question is charged once, whatever its columns'' order');
SELECT is(counted(c.by, c."where", c.bins), c.counts, 'again: ' || c.why) FROM counting c;
SELECT is((SELECT sum(cost) FROM pprepub.noise WHERE publication = 'exact'), 20.0 * (SELECT count(*) - 1 FROM counting), 'and not again');

-- A key that is repeated against what was declared is one person still, and rows without a key are nobody.
INSERT INTO person (id, age, sick) VALUES (1, 70, false), (NULL, 70, false), (6, 70, false);
SELECT is(counted('{age}', NULL, '{"age": [0, 60, 100]}'), '[0,60): 4, [60,100): 1, -: 1', 'one of a person''s rows counts');

CREATE TABLE child () INHERITS (person);
DELETE FROM person WHERE id IS NULL OR age = 70;
ALTER TABLE person ADD PRIMARY KEY (id);
INSERT INTO child (id, age) VALUES (1, 70), (2, 70);
SELECT is(counted('{age}', NULL, '{"age": [0, 69, 100]}'), '[0,69): 4, [69,100): 0, -: 1', 'an index tells nothing of tables that inherit');
DROP TABLE child;
ANALYZE person;
SELECT is(counted('{age}', NULL, '{"age": [0, 68, 100]}'), '[0,68): 4, [68,100): 0, -: 1', 'and something of others');

-- Sums of numbers that are cut to bounds, and rounded to steps; with them a question costs twice.
SELECT results_eq($$SELECT noisy_count, noisy_sum, sum_half_width FROM published.exact_noisy('{}', NULL, '{}', 100, '{"column": "cost", "from": 0, "to": 50, "step": 25}')$$, 'VALUES (5::bigint, 100::numeric, 0::numeric)',
	'of 5, 10, 99 and 100 the last two count');
SELECT is((SELECT cost FROM pprepub.noise ORDER BY asked_at DESC LIMIT 1), 200.0);
SELECT is((SELECT string_agg(noisy_sum::text, ' ') FROM published.exact_noisy('{age}', NULL, '{"age": [0, 35]}', 100, '{"column": "height", "from": -1, "to": 1.5, "step": 0.5}')), '3.0 -1.0',
	'infinity is cut, and what is no number is not added');

-- What is refused is not charged, and shows nothing of the source.
CREATE TEMP TABLE refused (by text, "where" text, bins text, epsilon text, state text, sum text);
INSERT INTO refused SELECT '{}', NULL, '{}', e, '22023' FROM unnest('{0,-1,-0.1,NaN,Infinity,-Infinity,1e308,100.1,0.0000001,0.1000000001,1e-300}'::text[]) e;
INSERT INTO refused SELECT '{age}', NULL, b, '1', '22023' FROM unnest(ARRAY['{}', '[]', '1', 'null', '{"age": []}', '{"age": [1]}', '{"age": [2, 1]}', '{"age": [1, 1]}', '{"age": [0, null]}', '{"age": [0, [1]]}', '{"age": {"a": 1}}',
	'{"age": 10}', '{"age": null}', '{"age": ["[0,18)", "[18,40)"]}']) b;
INSERT INTO refused VALUES ('{age}', NULL, '{"age": [0, "x"]}', '1', '22P02'), ('{age}', NULL, '{"age": [0, 1e10]}', '1', '22003'), ('{age}', NULL, '{"age": ["0); DROP TABLE person; --", 1]}', '1', '22P02'),
	('{country}', NULL, '{"country": ["Mars"]}', '1', '22023'), ('{mood}', NULL, '{}', '1', '22023'), ('{mood}', NULL, '{"mood": ["a", "a"]}', '1', '22023'),
	('{zip}', NULL, '{}', '1', '22023'), ('{disease}', NULL, '{}', '1', '22023'),
	('{age}', NULL, '{"age": [0, 1], "zip": ["5*"]}', '1', '42703'), ('{id}', NULL, '{}', '1', '42703'), ('{nobody}', NULL, '{}', '1', '42703'), ('{ctid}', NULL, '{}', '1', '42703'),
	('{age,age}', NULL, '{"age": [0, 1]}', '1', '42701'), ('{NULL}', NULL, '{}', '1', '22004'), (NULL, NULL, '{}', '1', '22004'), ('{}', NULL, NULL, '1', '22004'), ('{}', NULL, '{}', NULL, '22004'),
	('{}', NULL, '{}', '99.9', '53400');
INSERT INTO refused SELECT '{}', w, '{}', '1', s FROM (VALUES ('disease = ''flu''', '0A000'), ('id = 1', '0A000'), ('pg_sleep(1) IS NULL', '0A000'), ('age = (SELECT 1)', '0A000'), ('EXISTS (SELECT FROM person)', '0A000'),
	('true; DROP TABLE person', '42601'), ('1/(age - 20) > 0', '0A000'), ('ctid = ''(0,1)''', '42703'), ('', '42601'), ('age', '42804'), ('age OPERATOR(public.=) 1', '0A000'), ('true) OR (true', '42601'),
	('count(*) > 0', '0A000'), ('random() < 0.5', '0A000'), (repeat('NOT ', 300) || 'true', '54001'), (repeat('age = 1 OR ', 320) || 'age = 2', '54000')) t(w, s);
INSERT INTO refused VALUES ('{age,height,country,zip}', NULL, (SELECT jsonb_build_object('age', jsonb_agg(i), 'height', jsonb_agg(i), 'zip', '["5*"]'::jsonb)::text FROM generate_series(1, 60) i), '1', '54000'),
	('{age}', NULL, (SELECT jsonb_build_object('age', jsonb_agg(i))::text FROM generate_series(1, 10001) i), '1', '22023'),
	('{age}', NULL, (SELECT jsonb_build_object('age', jsonb_agg(i))::text FROM generate_series(1, 9000) i), '1', '54000'),
	('{disease}', NULL, (SELECT jsonb_build_object('disease', jsonb_build_array(repeat('x', 70000)))::text), '1', '54000');
INSERT INTO refused SELECT '{}', NULL, '{}', '1', s, j FROM (VALUES ('22023', '1'), ('22023', '{}'), ('22023', '{"column": "cost"}'), ('22023', '{"column": "cost", "from": 0, "to": "1"}'), ('22023', '{"column": "cost", "from": 1, "to": 0}'),
	('22023', '{"column": "cost", "from": 0, "to": 0}'), ('22023', '{"column": "cost", "from": 0, "to": 1, "step": 0}'), ('22023', '{"column": "cost", "from": 0, "to": 1, "step": -1}'), ('22023', '{"column": "cost", "from": 0, "to": 1, "step": 0.3}'),
	('22023', '{"column": "cost", "from": 0, "to": 1e308}'), ('22023', '{"column": "cost", "from": 0, "to": 1, "more": 1}'), ('54000', '{"column": "cost", "from": 0, "to": 1e9}'), ('42703', '{"column": "id", "from": 0, "to": 1}'),
	('42703', '{"column": "zip", "from": 0, "to": 1}'), ('42703', '{"column": "born", "from": 0, "to": 1}'), ('42703', '{"column": "x", "from": 0, "to": 1}')) t(s, j);
CREATE FUNCTION state_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE sql;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN CASE WHEN SQLERRM ~ 'Atlantis' THEN SQLERRM ELSE SQLSTATE END;
END
$$;
SELECT count(*) AS charged FROM pprepub.noise \gset
SELECT is(state_of(format('SELECT * FROM published.exact_noisy(%L, %L, %L, %L, %L)', r.by, r."where", r.bins, r.epsilon, r.sum)), r.state, format('by %s, where %s, bins %s, epsilon %s, sum %s',
	r.by, left(r."where", 60), left(r.bins, 60), r.epsilon, r.sum)) FROM refused r;
SELECT is((SELECT count(*) FROM pprepub.noise), :charged::bigint, 'nothing of it is charged');
SELECT is((SELECT count(*) FROM person), 5::bigint, 'and nothing done');

-- Rights, roles and the budget.
CREATE TABLE patient AS SELECT i AS id, 20 + i % 50 AS age, i % 5 AS disease FROM generate_series(1, 200) i;
SELECT pprepub.create_publication('patients', 'patient', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}');
SELECT is(to_regproc('published.patients_noisy'), NULL, 'without a budget there is no function');
SELECT pprepub.alter_publication('patients', '{"noise_budget": {"total": 2, "per_role": 1, "per_question": 0.5}}');
SELECT throws_ok($$SELECT pprepub.create_publication('patients_noisy', 'patient', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}', beside => '{patients}')$$, '42710');
GRANT USAGE ON SCHEMA published TO PUBLIC;
SELECT throws_ok(format($$SELECT pprepub.alter_publication('patients', '{"noise_budget": %s}')$$, b), '22023', NULL, b) FROM unnest(ARRAY['{}', '1', 'null', '{"total": 0}', '{"total": -1}', '{"total": "1"}', '{"total": 1, "per_role": 0}', '{"total": 1, "per_question": 0.000099}',
	'{"total": 1e308}', '{"total": 0.0000001}', '{"total": 1, "more": 1}', '{"per_role": 1}', '{"total": 1, "noise": "none"}', '{"total": [1]}', '{"total": {"total": 1}}', '[{"total": 1}]']) b;
SET SESSION AUTHORIZATION regress_nina;
SELECT throws_ok($$SELECT published.patients_noisy('{}')$$, '42501', NULL, 'nobody may ask whom the owner does not let');
SELECT throws_ok($$SELECT published.patients_noise_left()$$, '42501');
SELECT throws_ok($$SELECT pprepub_internal.noisy('patients', '{}', NULL, '{}', 1, NULL)$$, '42501', NULL, 'not even by a detour');
SELECT throws_ok($$SELECT pprepub_internal.noise_left('patients', '{}', NULL, '{}', 1, NULL)$$, '42501');
SELECT throws_ok($$SELECT pprepub_internal.noisy_rows(1, 1)$$, '42501');
SELECT is((SELECT count(*) FROM pprepub.noise), 0::bigint, 'nor see what was asked');
RESET SESSION AUTHORIZATION;
GRANT EXECUTE ON FUNCTION published.patients_noisy, published.patients_noise_left TO regress_nina, regress_noel;
SET SESSION AUTHORIZATION regress_nina;
SELECT results_eq('SELECT * FROM published.patients_noise_left(epsilon => 0.4)', 'VALUES (2::numeric, 2::numeric, 1::numeric, 0.5::numeric, 0.0002::numeric, 0.4::numeric, 7::bigint, NULL::numeric, 2::float8)', 'what a question would cost, and how exact it would be');
SELECT is((SELECT cost FROM published.patients_noise_left(sum => '{"column": "age", "from": 0, "to": 1}')), 0.5, 'count and sum share what a question may cost');
SELECT throws_ok($$SELECT published.patients_noisy('{}', epsilon => 0.000199999)$$, '53400', 'a question about publication "patients" costs 0.0002 at least');
BEGIN;
SELECT noisy_count AS first FROM published.patients_noisy('{}', 'age < 40', epsilon => 0.4) \gset
ROLLBACK;
SELECT results_eq($$SELECT total_left, role_left, cost FROM published.patients_noise_left('{}', 'age < 40', epsilon => 0.4)$$, 'VALUES (1.6, 0.6, 0::numeric)', 'a question that is rolled back is charged, and can be asked again');
SELECT is((SELECT noisy_count FROM published.patients_noisy('{}', 'age < 40', epsilon => 0.4)), :first::bigint, 'for the same answer');
SELECT is((SELECT noisy_count FROM published.patients_noisy('{}', ' age<40 ', epsilon => 0.400)), :first::bigint, 'however it is written');
SELECT throws_ok($$SELECT published.patients_noisy('{}', 'age < 40', epsilon => n) FROM unnest('{0.4,0.40}'::numeric[]) n$$, '53400', 'a statement may have 1 answer(s) of this publication', 'each question is one');
SELECT throws_ok($$SELECT published.patients_noisy('{}', epsilon => 0.500001)$$, '53400', 'a question about publication "patients" may cost 0.5 at most');
SELECT lives_ok($$SELECT published.patients_noisy('{}')$$, 'as much, if nothing is said');
SELECT throws_ok($$SELECT published.patients_noisy('{}', epsilon => 0.2)$$, '53400', 'role "regress_nina" has 0.1 of its 1 left for noisy counts of publication "patients"');
SET ROLE regress_noel;
SELECT throws_ok($$SELECT published.patients_noisy('{}', epsilon => 0.2)$$, '53400', 'role "regress_nina" has 0.1 of its 1 left for noisy counts of publication "patients"', 'setting another role does not help');
SET SESSION AUTHORIZATION regress_noel;
SELECT is((SELECT noisy_count FROM published.patients_noisy('{}', 'age < 40', epsilon => 0.4)), :first::bigint, 'others get it, too');
SELECT results_eq('SELECT total_left, role_left FROM published.patients_noise_left()', 'VALUES (1.1, 1::numeric)', 'at no cost');
RESET SESSION AUTHORIZATION;
GRANT SELECT ON published.patients_now, published.patients_answers TO regress_nina;
SELECT is(row(noise_spent, noise_left)::text, '(0,1)', 'an owner sees it beside other answers') FROM published.patients_answers;
SET SESSION AUTHORIZATION regress_nina;
SELECT is(row(noise_spent, noise_left)::text, '(0.9,0.1)', 'and so does an analyst') FROM published.patients_answers;
RESET SESSION AUTHORIZATION;
BEGIN;
REVOKE EXECUTE ON FUNCTION published.patients_noise_left FROM regress_nina, regress_noel;
SET SESSION AUTHORIZATION regress_nina;
SELECT is(row(noise_spent, noise_left)::text, '(,)', 'but nobody who may not ask what is left') FROM published.patients_answers;
ROLLBACK;

-- The source changes, and answers do not, until the next release.
SET SESSION AUTHORIZATION regress_noah;
INSERT INTO patient SELECT i, 20, 1 FROM generate_series(1001, 9000) i;
SET SESSION AUTHORIZATION regress_noel;
SELECT is((SELECT noisy_count FROM published.patients_noisy('{}', 'age < 40', epsilon => 0.4)), :first::bigint, 'an answer does not tell whether the source changed');
SET SESSION AUTHORIZATION regress_noah;
SELECT count(*) FROM published.patients() \g /dev/null
SELECT is((SELECT noisy_count FROM published.patients_noisy('{}', 'age < 40', epsilon => 0.4)), :first::bigint, 'nor whether somebody asked for rows');
SELECT pprepub.publish('patients') \g /dev/null
SET SESSION AUTHORIZATION regress_noel;
SELECT cmp_ok((SELECT noisy_count FROM published.patients_noisy('{}', 'age < 40', epsilon => 0.4)), '>', 5000::bigint, 'after a release it is new');
SELECT results_eq('SELECT total_left, role_left FROM published.patients_noise_left()', 'VALUES (0.7, 0.6)', 'and charged');

-- The budget can be raised by who says so, and not be lowered below what was spent.
SET SESSION AUTHORIZATION regress_noah;
SELECT throws_ok($$SELECT pprepub.alter_publication('patients', '{"noise_budget": {"total": 1.2}}')$$, '55000', 'noisy counts of publication "patients" have cost more than that already');
SELECT throws_ok($$SELECT pprepub.alter_publication('patients', '{"noise_budget": {"total": 2, "noise": "gaussian"}}')$$, '55000', 'the noise of publication "patients" cannot be of another distribution now');
SELECT throws_ok($$SELECT pprepub.alter_publication('patients', '{"noise_budget": {"total": 2.1}}')$$, '55000', 'this "noise_budget" would weaken what publication "patients" has promised');
SELECT lives_ok($$SELECT pprepub.alter_publication('patients', '{"noise_budget": {"total": 1.3}}')$$);
SELECT throws_ok($$SELECT published.patients_noisy('{}', epsilon => 0.01)$$, '53400', 'publication "patients" has 0 of its 1.3 left for noisy counts');
SELECT lives_ok($$SELECT pprepub.alter_publication('patients', '{"noise_budget": {"total": 2.3}, "accept_weakening": true}')$$);
SELECT lives_ok($$SELECT published.patients_noisy('{}', epsilon => 0.9)$$);
DROP FUNCTION published.patients_noisy;
SELECT pprepub.alter_publication('patients', '{}');
SELECT lives_ok($$SELECT published.patients_noisy('{}', epsilon => 0.1)$$, 'a dropped function is made again');

-- A source that fails says nothing but that, costs all the same, and tells its owner more.
CREATE VIEW broken AS SELECT id, 1000 / (id - 150) + age AS age, disease FROM patient WHERE id <= 200;
SELECT pprepub.create_publication('failing', 'broken', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "noise_budget": {"total": 1}}', beside => '{patients}');
GRANT EXECUTE ON FUNCTION published.failing_noisy TO regress_nina;
SELECT throws_ok($$SELECT published.failing_noisy('{age}', bins => '{"age": [0, 50]}', epsilon => 0.1)$$, '55000', 'the source of publication "failing" could not be counted');
SET SESSION AUTHORIZATION regress_nina;
SELECT throws_ok($$SELECT published.failing_noisy('{age}', bins => '{"age": [0, 50]}', epsilon => 0.1)$$, '55000', 'the source of publication "failing" could not be counted');
SET SESSION AUTHORIZATION regress_noah;
SELECT results_eq($$SELECT asked_by, cost, failed, failure FROM pprepub.noise WHERE publication = 'failing' ORDER BY number$$,
	$$VALUES ('regress_noah'::name, 0.1, true, 'division by zero'), ('regress_nina', 0.1, true, 'division by zero')$$, 'each time');

-- Auditors see what was spent, and not which people were asked about.
SELECT pprepub.grant_audit('patients', 'regress_noel');
SET SESSION AUTHORIZATION regress_noel;
SELECT is((SELECT sum(cost) FROM pprepub.noise), 2.3);
SELECT is((SELECT count(*) FROM pprepub.noise WHERE question ? 'where' OR NOT question ? 'by'), 0::bigint);
SET SESSION AUTHORIZATION regress_noah;

SELECT results_eq($$SELECT noise_total::numeric, noise_spent::numeric FROM pprepub.health WHERE publication = 'patients'$$, 'VALUES (2.3, 2.3)', 'health knows it');
SELECT matches(pprepub.report('patients'), 'Noisy counts by role; all may cost 2.3.*regress_noah.*1<', 'and the report, by role');

-- audit() compares what was spent with what is promised.
CREATE TEMP TABLE audited AS SELECT holds, measured FROM pprepub.audit('patients') WHERE check_name = 'noise';
SELECT results_eq('SELECT * FROM audited', $$VALUES (true, 'they have cost 2.3')$$);
RESET SESSION AUTHORIZATION;
UPDATE pprepub_internal.catalog_noise SET cost = cost + 1 WHERE asked_by = 'regress_nina' AND number = 1;
SET SESSION AUTHORIZATION regress_noah;
SELECT results_eq($$SELECT holds, measured FROM pprepub.audit('patients') WHERE check_name = 'noise'$$, $$VALUES (false, 'they have cost 2.300000001')$$, 'to the last digit');

-- Several rows: a person counts in a bin once, and in max_rows bins at most.
CREATE TABLE visit AS SELECT p AS patient, p % 2 AS ward, v::numeric AS day, 'flu' AS disease FROM generate_series(1, 100) p, generate_series(1, 6) v UNION ALL SELECT p, p % 2, 1, 'cold' FROM generate_series(1, 100) p;
SELECT pprepub.create_publication('visits', 'visit', 'patient', '{"ward": "suppress", "day": "range"}', 'disease', 'bpg', '{"k": 5, "noise_budget": {"total": 1000}}', rows => 'several', max_rows => 3);
SELECT results_eq($$SELECT bin ->> 'disease', noisy_count FROM published.visits_noisy('{disease}', bins => '{"disease": ["flu", "cold", "none"]}', epsilon => 100)$$,
	$$VALUES ('flu', 100::bigint), ('cold', 100), ('none', 0), (NULL, 0)$$, 'people are counted, not rows');
SELECT is((SELECT sum(noisy_count) FROM published.visits_noisy('{day}', bins => '{"day": [1,2,3,4,5,6,7]}', epsilon => 100)), 300::numeric, 'each in three bins');
SELECT cmp_ok((SELECT min(noisy_count) FROM published.visits_noisy('{day}', bins => '{"day": [1,2,3,4,5,6,7]}', epsilon => 100) WHERE bin ->> 'day' IS NOT NULL), '>', 25::bigint, 'that are drawn for each');
SELECT is((SELECT noisy_count FROM published.visits_noisy('{}', 'day > 3 AND ward = 1', epsilon => 100)), 50::bigint, 'by any of the rows');
SELECT is((SELECT noisy_count FROM published.visits_noisy('{ward,disease}', NULL, '{"ward": [9, 8, 7, 6, 5, 4, 3, 2, 1, 0, -1], "disease": ["flu"]}', 100) WHERE bin = '{"ward": "1", "disease": "flu"}'), 50::bigint, 'of many integers');
SELECT results_eq($$SELECT (SELECT half_width FROM published.visits_noise_left(epsilon => 0.1)), (SELECT half_width FROM published.visits_noise_left('{day}', bins => '{"day": [1, 3]}', epsilon => 0.1)),
	(SELECT half_width FROM published.visits_noise_left('{day}', bins => '{"day": [1,2,3,4,5,6,7]}', epsilon => 0.1))$$, 'VALUES (30::bigint, 60::bigint, 90::bigint)', 'noise grows with bins up to max_rows');

SELECT is((SELECT noisy_sum FROM published.visits_noisy('{}', epsilon => 100, sum => '{"column": "day", "from": 0, "to": 2}')), 200::numeric, 'what all rows of a person add is cut');
UPDATE visit SET day = 9e131071 WHERE patient = 1;
SELECT is((SELECT noisy_sum FROM published.visits_noisy('{}', 'ward < 2', epsilon => 100, sum => '{"column": "day", "from": 0, "to": 2}')), 200::numeric, 'and is never too large to be added');

-- Whatever comes in with a person, the counts move by no more than the noise is made for, and so do sums, in their steps.
RESET SESSION AUTHORIZATION;
CREATE FUNCTION asked(by name[], given jsonb, condition text, is_unique boolean DEFAULT false, OUT query text, OUT nbins int, OUT most_steps bigint) LANGUAGE sql AS $$
	SELECT q.query, q.nbins, q.most_steps FROM pprepub_internal.catalog_publication p, pprepub_internal.noise_question(p.publication, 'regress_noah', by, given, condition, 1, '{int,int,numeric,text}', true, is_unique) q
	WHERE p.name = 'visits' $$;
CREATE FUNCTION moved(by name[], given jsonb, condition text) RETURNS numeric[] LANGUAGE plpgsql AS $$
DECLARE
	q record := asked(by, given, condition);
	figures constant text := format('SELECT array_agg(c.count ORDER BY i) || array_agg(c.sum ORDER BY i) FROM generate_series(0, %1$s - 1) i LEFT JOIN (%2$s) c(cell, count, sum) ON c.cell = i', q.nbins, q.query);
	before bigint[];
	after bigint[];
	most numeric[] := '{0,0}';
BEGIN
	FOR person IN 1000 .. 1080 LOOP
		EXECUTE figures INTO before;
		INSERT INTO visit SELECT person, random() * 2, (ARRAY[NULL, 'NaN', 'Infinity', '-Infinity', -9e131071, 2, 3, 4])[1 + floor(random() * 8)::int], (ARRAY['flu', 'cold', NULL])[1 + floor(random() * 3)::int] FROM generate_series(1, 1 + (random() * 20)::int);
		EXECUTE figures INTO after;
		most := (SELECT ARRAY[greatest(most[1], sum(d) FILTER (WHERE i <= q.nbins)), greatest(most[2], sum(d) FILTER (WHERE i > q.nbins))] FROM (SELECT i, abs(coalesce(after[i], 0) - coalesce(before[i], 0)) AS d FROM generate_series(1, 2 * q.nbins) i) m);
		DELETE FROM visit WHERE patient = person;
	END LOOP;
	RETURN ARRAY[most[1] / least(3, q.nbins), most[2] / least(3, q.nbins) / q.most_steps];
END
$$;
SELECT is(moved(by, jsonb_build_array(bins, '{"column": "day"}' || sum), condition), '{1,1}', format('by %s, where %s, sum %s', by, condition, sum)) FROM (VALUES
	('{}'::name[], '{}'::jsonb, '{"from": -2, "to": 3, "step": 0.5}'::jsonb, NULL), ('{day}', '{"day": [1, 2, 3, 7]}', '{"from": 1, "to": 2}', 'ward < 2'), ('{disease,day}', '{"day": [2, 4], "disease": ["flu"]}', '{"from": -1, "to": 2}', NULL),
	('{ward}', '{"ward": [0, 1]}', '{"from": -1, "to": 1}', 'day > 2 OR day IS NULL')) a(by, bins, sum, condition);

-- Work does not follow the condition: all rows take the same way, and all of them are put into bins.
CREATE FUNCTION way(condition text, by name[], is_unique boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	way jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, FORMAT JSON) ' || (asked(by, jsonb_build_array(CASE WHEN by = '{}' THEN '{}' ELSE '{"day": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]}'::jsonb END,
		'{"column": "day", "from": 0, "to": 9}'::jsonb), condition, is_unique)).query INTO way;
	RETURN jsonb_build_array(jsonb_path_query_array(way, '$[0].Plan.Plans.**."Node Type"'), jsonb_path_query_array(way, '$[0].Plan.Plans.**."Actual Rows"'));
END
$$;
SELECT is(way(c, by, u), way('day < 9', by, u), format('where %s, by %s, unique %s', c, by, u))
	FROM unnest('{day < 0,day < 2,ward = 1,ward IS NULL}'::text[]) c, (VALUES ('{day}'::name[], false), ('{}', false), ('{day}', true)) v(by, u);
CREATE FUNCTION seconds_of(zip text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	number text := (SELECT b.number FROM pprepub_internal.noise_bins('zip', 'prefix', NULL, 'text', (SELECT jsonb_agg(i || '*' ORDER BY i) FROM generate_series(10000, 19999) i), 1) b);
	start timestamptz := clock_timestamp();
BEGIN
	EXECUTE format('SELECT count(%s) FROM (SELECT %L || i AS zip FROM generate_series(1, 1000) i) s', number, zip);
	RETURN extract(epoch FROM clock_timestamp() - start);
END
$$;
SELECT cmp_ok(seconds_of('2'), '<', 10 * seconds_of('10000') + 0.02, 'a value in the first of ten thousand bins takes as long as one in none');
SET SESSION AUTHORIZATION regress_noah;
CREATE SEQUENCE ticks;
CREATE FUNCTION tick(n int) RETURNS int LANGUAGE plpgsql STABLE AS 'BEGIN PERFORM nextval(''public.ticks''); RETURN n; END';
CREATE TABLE ticking AS SELECT i AS id, i AS age, i % 2 AS sex, 'flu' AS disease FROM generate_series(1, 100) i;
ALTER TABLE ticking ADD PRIMARY KEY (id);
CREATE VIEW ticked AS SELECT id, tick(age) AS age, sex, disease FROM ticking;
SELECT pprepub.create_publication('ticked', 'ticked', 'id', '{"age": "range", "sex": "suppress"}', 'disease', 'bpg', '{"k": 5, "max_answers_per_statement": 3, "noise_budget": {"total": 1000, "noise": "gaussian"}}');
CREATE FUNCTION ticks_of(condition text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	PERFORM setval('ticks', 1);
	PERFORM published.ticked_noisy('{age}', condition, '{"age": [0, 50, 101]}', 1);
	RETURN (SELECT last_value FROM ticks);
END
$$;
SELECT is(ticks_of(c), 101::bigint, 'where ' || c) FROM unnest('{sex < 0,sex = 0,sex < 2}'::text[]) c;

-- A ledger that has grown is not read through.
SELECT is((SELECT round(total_epsilon::numeric, 3) FROM published.ticked_noise_left()), 1235.079, 'what a budget of rho is worth at a delta of 10^-6');
RESET SESSION AUTHORIZATION;
INSERT INTO pprepub_internal.catalog_noise SELECT p.publication, i, now(), 'regress_nina', 'regress_nina', 0, jsonb_build_object('by', i), 1, array_fill(i::bigint, '{150}'), 1, NULL, NULL, NULL, 3000000000 + i - 99, i - 99
	FROM pprepub_internal.catalog_publication p, generate_series(100, 3000) i WHERE p.name = 'ticked';
ANALYZE pprepub_internal.catalog_noise;
BEGIN;
SELECT seq_tup_read + idx_tup_fetch AS read FROM pg_stat_xact_all_tables WHERE relid = 'pprepub_internal.catalog_noise'::regclass \gset
SELECT is((SELECT ARRAY[total_left, cost] FROM published.ticked_noise_left('{age}', 'sex < 0', '{"age": [0, 50, 101]}', 1)), '{996.999997099,0}', 'costs of all, and an answer');
SELECT cmp_ok((SELECT seq_tup_read + idx_tup_fetch - :read FROM pg_stat_xact_all_tables WHERE relid = 'pprepub_internal.catalog_noise'::regclass), '<', 20::bigint, 'without all rows');
COMMIT;
-- An index of another operator class knows keys apart that are one person's.
CREATE FUNCTION by_text(numeric, numeric) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT bttextcmp($1::text, $2::text)';
CREATE OPERATOR CLASS text_of FOR TYPE numeric USING btree AS OPERATOR 3 =, FUNCTION 1 by_text(numeric, numeric);
SET SESSION AUTHORIZATION regress_noah;
CREATE TABLE numbered AS SELECT n::numeric AS number, 1 AS age, 'flu' AS disease FROM generate_series(1, 2) n;
CREATE UNIQUE INDEX ON numbered (number text_of);
SELECT pprepub.create_publication('numbered', 'numbered', 'number', '{"age": "range"}', 'disease', 'bpg', '{"k": 2, "noise_budget": {"total": 1000}}');
INSERT INTO numbered VALUES (1.0, 1, 'flu');
SELECT is((SELECT noisy_count FROM published.numbered_noisy('{}', epsilon => 100)), 2::bigint);

-- Sums under Gaussian noise: at a rho of 100 it is 0, but for one draw in 10^10.
SELECT results_eq($$SELECT noisy_count, noisy_sum FROM published.ticked_noisy('{}', rho => 100, sum => '{"column": "age", "from": 0, "to": 2}')$$, 'VALUES (100::bigint, 199::numeric)');
SELECT results_eq($$SELECT cost, half_width, sum_half_width FROM published.ticked_noise_left(rho => 0.5, sum => '{"column": "age", "from": -30, "to": 10}')$$, 'VALUES (1::numeric, 2::bigint, 59::numeric)', 'of a deviation of 1 and 30');

-- An index of another collation knows keys apart that are one person's.
CREATE COLLATION alike (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE named (name text COLLATE alike, age int, disease text COLLATE alike);
CREATE UNIQUE INDEX ON named (name COLLATE "C");
INSERT INTO named VALUES ('a', 1, 'flu'), ('b', 1, 'flu');
SELECT pprepub.create_publication('named', 'named', 'name', '{"age": "range"}', 'disease', 'bpg', '{"k": 2, "max_answers_per_statement": 2, "noise_budget": {"total": 1000}}');
INSERT INTO named VALUES ('A', 1, 'flu');
SELECT is((SELECT noisy_count FROM published.named_noisy('{}', epsilon => 100)), 2::bigint);
SELECT is((SELECT array_agg(noisy_count) FROM published.named_noisy('{disease}', bins => (SELECT jsonb_build_object('disease', jsonb_agg(v)) FROM (SELECT unnest('{FLU,flu}'::text[]) UNION ALL SELECT 'd' || generate_series(1, n)) b(v)), epsilon => 100)
	WHERE bin ->> 'disease' IN ('FLU', 'flu')), '{0,2}', 'bins tell values apart by their bytes, however many there are') FROM unnest('{1,30}'::int[]) n;
CREATE VIEW spelled AS SELECT name COLLATE "en-x-icu" AS name, age, disease FROM named;
SELECT pprepub.create_publication('spelled', 'spelled', 'name', '{"age": "range"}', 'disease', 'bpg', '{"k": 2, "noise_budget": {"total": 1000}}', beside => '{named}');
SELECT is((SELECT noisy_count FROM published.spelled_noisy('{}', epsilon => 100)), 3::bigint, 'people are told apart as their column tells them');

-- Everything goes with the publication, which must be said where noisy counts are all that was told.
SELECT throws_ok($$SELECT pprepub.drop_publication('visits')$$, '55000', 'publication "visits" has answered with noisy counts');
SELECT pprepub.drop_publication('visits', true);
SELECT is(to_regproc('published.visits_noisy'), NULL);
SELECT is((SELECT count(*) FROM pprepub.noise WHERE publication = 'visits'), 0::bigint);

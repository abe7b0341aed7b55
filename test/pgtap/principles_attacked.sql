-- Principles of method bpg under attack: what distinct values let pass and each of them stops; whoever tries to move what others are compared with; and
-- messages that could show values.

DROP ROLE IF EXISTS regress_analyst;
CREATE ROLE regress_analyst;
SET pprepub.answer_linger = '100ms';

-- The best guess of an observer who knows in which class somebody is: of the rows with a value, the share of the commonest one.
CREATE FUNCTION best_guess(release text, ruled_out text DEFAULT '') RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	share float8;
BEGIN
	EXECUTE format('SELECT max(n / total) FROM (SELECT count(*)::float8 AS n, sum(count(*)) OVER (PARTITION BY class)::float8 AS total FROM %s WHERE ill <> %L GROUP BY class, ill) c',
		release, ruled_out) INTO share;
	RETURN share;
END $$;
-- How many times commoner than among everybody is a value in some class?
CREATE FUNCTION greatest_gain(release text, source text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	gain float8;
BEGIN
	EXECUTE format('SELECT max(q / p) FROM (SELECT ill, count(*) / (sum(count(*)) OVER (PARTITION BY class))::float8 AS q FROM %s GROUP BY class, ill) c
		JOIN (SELECT ill, count(*) / (sum(count(*)) OVER ())::float8 AS p FROM %s GROUP BY ill) e USING (ill)', release, source) INTO gain;
	RETURN gain;
END $$;
-- All that an error says.
CREATE FUNCTION complaint(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
	hint text;
	context text;
BEGIN
	EXECUTE statement;
	RETURN '';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, context = PG_EXCEPTION_CONTEXT;
	RETURN concat_ws(' / ', SQLSTATE, message, detail, hint, context);
END $$;

-- Publishes a table once, instead of what was published before, and copies the release.
CREATE FUNCTION publish_as(publication name, source text, sensitive text, params jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.drop_publication(p.name, true) FROM pprepub.publication p;
	PERFORM pprepub.create_publication(publication, source, 'id', '{"age": "range"}', sensitive, 'bpg', params || '{"reserve": 1}');
	PERFORM pprepub.publish(publication);
	EXECUTE format('CREATE TABLE %I AS TABLE published.%I', publication, publication || '_1');
END $$;

-- ---- 1: nine of ten ----

-- Ten people of twenty years, of whom nine have HIV; ten of each other age, who have anything.
CREATE TABLE ward AS SELECT i AS id, 20 + 10 * (i / 10) AS age, CASE WHEN i BETWEEN 1 AND 9 THEN 'hiv' ELSE (ARRAY['flu', 'cold', 'gout', 'hiv'])[1 + i % 4] END AS ill FROM generate_series(0, 59) i;
SELECT publish_as('distinct_2', 'ward', 'ill', '{"k": 10, "l": 2}') \g /dev/null
SELECT is(best_guess('distinct_2'), 0.9::float8, '1: with two different values nine of ten may have HIV');
SELECT is((SELECT bool_and(holds) FROM pprepub.audit('distinct_2')), true, '1: what was promised was kept');
SELECT is((SELECT bool_and(holds) FROM pprepub.audit('distinct_2', '{"frequency": 2}')), false, '1: an audit by frequency finds it');
SELECT is((SELECT string_agg(a::text, ' ') ~ 'hiv|flu|cold|gout' FROM pprepub.audit('distinct_2', '{"frequency": 2}') a), false, '1: and names no value');
SELECT publish_as('frequent_2', 'ward', 'ill', '{"k": 10, "frequency": 2}') \g /dev/null
SELECT cmp_ok(best_guess('frequent_2'), '<=', 0.5::float8, '1: with frequency 2 nobody guesses right more often than every other time');
SELECT is((SELECT count(*) FROM frequent_2), 60::bigint, '1: and all are there');
SELECT is((SELECT bool_and(holds) FROM pprepub.audit('frequent_2', '{"frequency": 2}')), true, '1: an audit by frequency finds nothing');
SELECT publish_as('entropy_2', 'ward', 'ill', '{"k": 10, "entropy": 2.5}') \g /dev/null
SELECT cmp_ok(best_guess('entropy_2'), '<', 0.9::float8, '1: nor with entropy, which bounds it less');
SELECT is((SELECT count(*) FROM entropy_2), 60::bigint, '1: and all are there');

-- ---- 2: ruling out ----

-- Five with HIV, four with flu and one with a cold, of twenty years.
UPDATE ward SET ill = CASE WHEN id < 5 THEN 'hiv' WHEN id < 9 THEN 'flu' ELSE 'cold' END WHERE id < 10;
SELECT publish_as('distinct_3', 'ward', 'ill', '{"k": 10, "l": 3}') \g /dev/null
SELECT cmp_ok(best_guess('distinct_3', 'flu'), '>', 0.8::float8, '2: whoever is known not to have flu, has HIV');
SELECT publish_as('recursive_3', 'ward', 'ill', '{"k": 10, "recursive": 3, "c": 2}') \g /dev/null
-- c is 2: the commonest of those that are left has less than twice as many as the others.
SELECT cmp_ok(greatest(best_guess('recursive_3', 'flu'), best_guess('recursive_3', 'hiv'), best_guess('recursive_3', 'cold')), '<', 2 / 3::float8,
	'2: under (2, 3) there is a choice, whatever is ruled out');
SELECT is((SELECT count(*) FROM recursive_3), 60::bigint, '2: and all are there');

-- ---- 3: what is rare, and becomes likely ----

-- Two percent have HIV, all of twenty years.
CREATE TABLE town AS SELECT i AS id, 20 + i / 10 AS age, CASE WHEN i < 5 THEN 'hiv' ELSE (ARRAY['flu', 'cold'])[1 + i % 2] END AS ill FROM generate_series(0, 249) i;
SELECT publish_as('skewed', 'town', 'ill', '{"k": 10, "l": 2}') \g /dev/null
SELECT cmp_ok(greatest_gain('skewed', 'town'), '>', 10::float8, '3: two values let HIV become ten times as likely');
SELECT is((SELECT bool_and(holds) FROM pprepub.audit('skewed', '{"beta": 2}')), false, '3: an audit by beta finds it');
SELECT publish_as('near', 'town', 'ill', '{"k": 10, "t": 0.1}') \g /dev/null
SELECT cmp_ok(greatest_gain('near', 'town'), '<', 6.001::float8, '3: a distance of 0.1 does not');
SELECT publish_as('alike', 'town', 'ill', '{"k": 10, "beta": 2}') \g /dev/null
SELECT cmp_ok(greatest_gain('alike', 'town'), '<', 3.001::float8, '3: nor does beta');
SELECT is((SELECT count(*) FROM alike), 250::bigint, '3: and all are there');
SELECT publish_as('disclosed', 'town', 'ill', '{"k": 10, "delta": 1.1}') \g /dev/null
SELECT cmp_ok(greatest_gain('disclosed', 'town'), '<', exp(1.1::float8), '3: nor delta');

-- ---- 4: what is raised later ----

SELECT pprepub.drop_publication(name, true) FROM pprepub.publication \g /dev/null
CREATE TABLE people AS SELECT i AS id, 20 + i * 7 % 60 AS age, (53100 + i * 13 % 20)::text AS zip, (ARRAY['flu', 'cold', 'gout', 'hiv', 'flu', NULL])[1 + i * i % 6] AS ill FROM generate_series(1, 200) i;
SELECT pprepub.create_publication('asked', 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 5, "frequency": 1.5, "reserve": 2}') \g /dev/null
SELECT pprepub.publish('asked') \g /dev/null
SELECT is(complaint($$ SELECT pprepub.alter_publication('asked', '{"frequency": 1.25}') $$) ~ 'accept_weakening', true, '4: it is not weakened by the way');
SELECT is(complaint($$ SELECT pprepub.alter_publication('asked', '{"frequency": 3}') $$) ~ 'could never be published again', true, '4: raising it may shut people out, and that is asked');
SELECT is(complaint($$ SELECT pprepub.alter_publication('asked', '{"frequency": 3}') $$) ~ 'flu|hiv|gout|cold', false, '4: which names no value');
SELECT pprepub.drop_publication('asked', true) \g /dev/null

-- ---- 5: two sensitive columns ----

-- Of those with the highest income all have HIV.
CREATE TABLE rich AS SELECT i AS id, 20 + i AS age, CASE WHEN i % 10 < 3 THEN 'hiv' ELSE (ARRAY['flu', 'cold', 'gout'])[1 + i % 3] END AS ill, CASE WHEN i % 10 < 3 THEN 9000 ELSE 1000 + 1000 * (i % 4) END AS income FROM generate_series(0, 79) i;
SELECT publish_as('apart', 'rich', '{ill, income}', '{"k": 10, "frequency": 2}') \g /dev/null
SELECT is((SELECT max(n / total) FROM (SELECT count(*)::float8 AS n, sum(count(*)) OVER (PARTITION BY class, income)::float8 AS total FROM apart GROUP BY class, income, ill) c), 1::float8,
	'5: each column by itself is varied, and whoever knows an income knows the rest');
SELECT ok(complaint($$ SELECT publish_as('together', 'rich', '{ill, income}', '{"k": 10, "frequency": 2, "joint": true}') $$) ~ '^P0002', '5: joint columns are not published so');
UPDATE rich SET ill = (ARRAY['flu', 'hiv', 'cold', 'gout'])[1 + id % 4], income = 1000 * (id / 4 % 4);
SELECT publish_as('together', 'rich', '{ill, income}', '{"k": 10, "frequency": 2, "joint": true}') \g /dev/null
SELECT is((SELECT max(n / total) <= 0.5 FROM (SELECT count(*)::float8 AS n, sum(count(*)) OVER (PARTITION BY class, income)::float8 AS total FROM together GROUP BY class, income, ill) c), true,
	'5: under "joint" whoever knows an income still guesses');
SELECT is((SELECT max(n / total) <= 0.5 FROM (SELECT count(*)::float8 AS n, sum(count(*)) OVER (PARTITION BY class, ill)::float8 AS total FROM together GROUP BY class, income, ill) c), true,
	'5: nor tells an illness the income');
-- Incomes that are nearly one.
SELECT ok(complaint($$ SELECT publish_as('rounded', 'rich', 'income', '{"k": 10, "frequency": 2, "bands": {"income": "range 10000"}}') $$) ~ '^P0002', '5: values of one band are one value');
SELECT pprepub.drop_publication(name, true) FROM pprepub.publication \g /dev/null

-- ---- 6: who chooses what everybody is compared with ----

-- One in twenty has HIV: whoever asks first asks only about a ward in which every other has, so that this be usual.
CREATE TABLE clinic AS SELECT i AS id, 20 + i % 50 AS age, CASE WHEN i < 20 THEN 'ward 1' ELSE 'ward ' || 2 + i % 5 END AS ward, CASE WHEN i < 20 AND i % 2 = 0 THEN 'hiv' ELSE (ARRAY['flu', 'cold', 'gout'])[1 + i % 3] END AS ill FROM generate_series(0, 199) i;
CREATE TABLE at_first AS TABLE clinic;
SELECT pprepub.create_publication('clinic', 'clinic', 'id', '{"age": "range", "ward": "suppress"}', 'ill', 'bpg', '{"k": 5, "beta": 3}') \g /dev/null
GRANT USAGE ON SCHEMA published TO regress_analyst;
GRANT EXECUTE ON FUNCTION published.clinic TO regress_analyst;
BEGIN;
SET LOCAL ROLE regress_analyst;
SELECT is((SELECT count(*) FROM published.clinic('ward = ''nowhere''')), 0::bigint, '6: an answer about nobody');
SELECT cmp_ok((SELECT count(*) FROM published.clinic('ward = ''ward 1''')), '<=', 20::bigint, '6: and one about a ward where HIV is common');
ROLLBACK;
SELECT results_eq('SELECT sensitive, people, "of" FROM published_private.clinic_reference ORDER BY 1', 'SELECT ill, count(*), 200::bigint FROM clinic GROUP BY ill ORDER BY 1',
	'6: sets are compared with everybody, whoever was asked about');
SELECT is((SELECT count(*) FROM published_private.clinic_reference WHERE release <> 1), 0::bigint, '6: from the first answer on, which stays though it was rolled back');
-- Later everybody of the ward leaves but those with HIV, others fall ill with it, and with something new.
DELETE FROM clinic WHERE ward = 'ward 1' AND ill <> 'hiv';
UPDATE clinic SET ill = 'hiv' WHERE id % 10 = 1;
UPDATE clinic SET ill = 'plague' WHERE id = 45;
BEGIN;
SET LOCAL ROLE regress_analyst;
SELECT is((SELECT count(*) FROM published.clinic('age < 60') WHERE ill = 'plague'), 0::bigint, '6: a value that nobody had has no share, and is not shown');
ROLLBACK;
BEGIN;
SELECT complaint($$ SELECT pprepub.publish('clinic') $$) \g /dev/null
ROLLBACK;
SELECT complaint($$ SELECT pprepub.publish('clinic', 'age BETWEEN 30 AND 60') $$) \g /dev/null
SELECT results_eq('SELECT sensitive, people, "of" FROM published_private.clinic_reference ORDER BY 1', 'SELECT ill, count(*), 200::bigint FROM at_first GROUP BY ill ORDER BY 1',
	'6: neither answers nor releases about some move it, nor what is rolled back');
SELECT complaint($$ SELECT pprepub.publish('clinic') $$) \g /dev/null
SELECT results_eq('SELECT sensitive, people, "of" FROM published_private.clinic_reference WHERE sensitive <> ''plague'' ORDER BY 1', 'SELECT ill, count(*), 200::bigint FROM at_first GROUP BY ill ORDER BY 1',
	'6: nor does one of everybody, for values that have a share');
CREATE TABLE log AS SELECT release, class, unnest(sensitive) AS ill FROM published_private.clinic_asked;
SELECT 'INSERT INTO log SELECT release, class, unnest(sensitive) FROM published_private.clinic_members' WHERE to_regclass('published_private.clinic_members') IS NOT NULL \gexec
SELECT cmp_ok(count(*), '>', 50::bigint, '6: many are shown') FROM log;
SELECT is((SELECT max(q / p) <= 4.000001 FROM (SELECT ill, count(*) / sum(count(*)) OVER (PARTITION BY release, class) AS q FROM log WHERE ill IS NOT NULL GROUP BY release, class, ill) c
		JOIN (SELECT ill, count(*) / 200.0 AS p FROM at_first GROUP BY ill) e USING (ill)), true,
	'6: nobody''s illness is more than four times as common in a class as it was when all began');
SELECT is((SELECT bool_and(holds) FROM pprepub.audit('clinic')), true, '6: an audit agrees');

-- ---- 7: messages ----

SELECT pprepub.drop_publication('clinic', true) \g /dev/null
CREATE TABLE shares AS SELECT ill, 1 / 3::float8 AS share FROM unnest(ARRAY['flu', 'cold', 'gout']) AS u (ill);
SELECT pprepub.create_publication('clinic', 'clinic', 'id', '{"age": "range", "ward": "suppress"}', 'ill', 'bpg', '{"k": 5, "beta": 3, "distribution": "public.shares"}') \g /dev/null
GRANT USAGE ON SCHEMA published TO regress_analyst;
GRANT EXECUTE ON FUNCTION published.clinic TO regress_analyst;
SET ROLE regress_analyst;
SELECT is(complaint(format('SELECT * FROM published.clinic(%L)', cohort)) ~* 'plague|hiv"|flu|cold|gout|share', false, '7: analysts are told of no value: ' || coalesce(cohort, 'everybody'))
FROM (VALUES (NULL), ('ward = ''ward 1'''), ('age < 30'), ('ill = ''other'''), ('false')) c (cohort);
SELECT is(complaint(q) ~ '42501', true, '7: nor let into the distribution, or what else is kept: ' || q)
FROM (VALUES ('SELECT * FROM published_private.clinic_asked'), ('SELECT * FROM pprepub.audit(''clinic'', ''{"beta": 1}'')'), ('SELECT * FROM pprepub.attack(''clinic'', ''{"beta": 1}'')'),
	('SELECT pprepub.alter_publication(''clinic'', ''{"beta": 4, "accept_weakening": true}'')')) c (q);
RESET ROLE;
SELECT is((SELECT count(*) FROM published_private.clinic_asked m, unnest(m.sensitive) AS v (ill) WHERE v.ill IN ('hiv', 'plague')), 0::bigint, '7: what the distribution lacks was shown to nobody');
SELECT pprepub.drop_publication(name, true) FROM pprepub.publication \g /dev/null

-- ---- 8: t = 0 allows only what is distributed just as everybody is ----

CREATE TABLE six (id text PRIMARY KEY, age int, ill text);
INSERT INTO six VALUES ('a', 20, 'hiv'), ('b', 21, 'hiv'), ('c', 40, 'cold'), ('d', 41, 'flu'), ('e', 42, 'cold'), ('f', 43, 'flu');
SELECT pprepub.create_publication('six', 'six', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 2, "t": 0, "reserve": 1}') \g /dev/null
SELECT is((SELECT rows FROM pprepub.publish('six')), 6::bigint, '8: under t = 0 all can be shown');
SELECT is(greatest_gain('published.six_1', 'six'), 1::float8, '8: in classes that tell nothing of anybody');
SELECT pprepub.drop_publication('six', true) \g /dev/null

DROP OWNED BY regress_analyst;
DROP ROLE regress_analyst;

-- Principles of method bpg under attack: what distinct values let pass and each of them stops; cohorts and rolled back answers that
-- are subtracted from each other; invented rows that are told from true ones; whoever tries to move what others are compared with; and
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
-- The rows of all releases and answers: of a place of a group, with its value, and is somebody there?
CREATE FUNCTION rows_of(publication text) RETURNS TABLE (release int, class bigint, "group" bigint, place int, ill text, is_true boolean) LANGUAGE plpgsql AS $$
DECLARE
	log regclass;
BEGIN
	FOR log IN SELECT c.oid::regclass FROM pg_class c WHERE relnamespace = 'published_private'::regnamespace AND relname IN (publication || '_members', publication || '_asked') LOOP
		RETURN QUERY EXECUTE format('SELECT l.release, l.class, l."group", r.place, r.ill::text, r.nth <= cardinality(l.keys) FROM %s l, unnest(l.places, l.sensitive) WITH ORDINALITY r (place, ill, nth)', log);
	END LOOP;
END $$;
-- The worst of all sets of places that no release and no answer tells apart, with the values that each of these has shown.
CREATE FUNCTION revealed(publication text) RETURNS float8 LANGUAGE sql AS $$
	WITH row AS MATERIALIZED (SELECT * FROM rows_of(publication)),
		path AS (SELECT "group", place, array_agg((release, class)::text ORDER BY release) AS path FROM row GROUP BY 1, 2),
		told AS (SELECT path, release, ill, count(*)::float8 AS n FROM row JOIN path USING ("group", place) WHERE ill IS NOT NULL GROUP BY 1, 2, 3)
	SELECT max(n / total) FROM (SELECT n, sum(n) OVER (PARTITION BY path, release) AS total FROM told) t
$$;
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

-- ---- 4: answers, subtracted from each other, and rolled back when they have been read ----

SELECT pprepub.drop_publication(name, true) FROM pprepub.publication \g /dev/null
CREATE TABLE people AS SELECT i AS id, 20 + i * 7 % 60 AS age, (53100 + i * 13 % 20)::text AS zip, (ARRAY['flu', 'cold', 'gout', 'hiv', 'flu', NULL])[1 + i * i % 6] AS ill FROM generate_series(1, 200) i;
SELECT pprepub.create_publication('asked', 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 5, "frequency": 1.5, "reserve": 2}') \g /dev/null
GRANT USAGE ON SCHEMA published TO regress_analyst;
GRANT EXECUTE ON FUNCTION published.asked TO regress_analyst;
CREATE FUNCTION cohort(i int) RETURNS text LANGUAGE sql AS $$
	SELECT CASE i % 4
		WHEN 0 THEN format('age < %s', 30 + i % 45)
		WHEN 1 THEN format('age < %s AND age <> %s', 30 + i % 45, 25 + i % 45)
		WHEN 2 THEN format('zip <> ''%s''', 53100 + i % 20)
		ELSE format('age BETWEEN %s AND %s', 20 + i % 30, 40 + i % 35) END
$$;
SELECT CASE i % 3 WHEN 0 THEN 'BEGIN' WHEN 1 THEN 'BEGIN ISOLATION LEVEL REPEATABLE READ' ELSE 'BEGIN ISOLATION LEVEL SERIALIZABLE' END, 'SET LOCAL ROLE regress_analyst',
	format('SELECT count(*) FROM published.asked(%L)', cohort(i)), CASE WHEN i % 3 < 2 THEN 'ROLLBACK' ELSE 'COMMIT' END,
	CASE WHEN i % 10 = 9 THEN format('DELETE FROM people WHERE id %% 17 = %s', i % 17) END,
	CASE WHEN i % 10 = 9 THEN format('UPDATE people SET ill = (ARRAY[''flu'', ''gout'', ''hiv''])[1 + id %% 3] WHERE id %% 13 = %s', i % 13) END,
	CASE WHEN i % 10 = 9 THEN format('INSERT INTO people SELECT 1000 * %s + g, 20 + g * 11 %% 60, (53100 + g)::text, ''cold'' FROM generate_series(1, 9) g', i) END
FROM generate_series(1, 60) i
\o /dev/null
\gexec
\o
SELECT is((SELECT releases FROM pprepub.publication), 60, '4: each answer counts, whatever became of its transaction');
SELECT cmp_ok(revealed('asked'), '<=', 1 / 1.5::float8 + 1e-9, '4: whatever is subtracted from whatever, no value has more than two thirds of anybody');
SELECT is((SELECT bool_and(holds) FROM pprepub.audit('asked')), true, '4: an audit agrees');
SELECT is((SELECT jsonb_agg(a) FROM pprepub.attack('asked') a WHERE NOT holds), NULL, '4: and so do intersections and differences');
-- One who has seen releases under l alone: what is raised later holds for what is revealed later.
SELECT is(complaint($$ SELECT pprepub.alter_publication('asked', '{"frequency": 1.25}') $$) ~ 'accept_weakening', true, '4: it is not weakened by the way');
SELECT is(complaint($$ SELECT pprepub.alter_publication('asked', '{"frequency": 3}') $$) ~ 'could never be published again', true, '4: raising it may shut people out, and that is asked');
SELECT is(complaint($$ SELECT pprepub.alter_publication('asked', '{"frequency": 3}') $$) ~ 'flu|hiv|gout|cold', false, '4: which names no value');
SELECT pprepub.drop_publication('asked', true) \g /dev/null

-- ---- 5: invented rows, told from true ones ----

-- People come, of whom many have HIV; later they leave, and what others have changes.
CREATE TABLE many AS SELECT i AS id, 20 + i * 7 % 40 AS age, (ARRAY['flu', 'cold', 'gout', 'hiv', 'rash'])[1 + i % 5] AS ill FROM generate_series(0, 199) i;
SELECT pprepub.create_publication('many', 'many', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 8, "frequency": 2, "reserve": 1}') \g /dev/null
DO $$
BEGIN
	FOR step IN 1 .. 12 LOOP
		PERFORM pprepub.publish('many');
		DELETE FROM many WHERE id % 11 = step;
		UPDATE many SET ill = (ARRAY['flu', 'cold', 'hiv'])[1 + (id + step) % 3] WHERE id % 7 = step % 7;
		INSERT INTO many SELECT 1000 * step + g, 20 + g, 'hiv' FROM generate_series(1, step % 4) g;
		INSERT INTO many SELECT 1000 * step + 100 + g, 20 + g, 'cold' FROM generate_series(1, 2) g;
	END LOOP;
END $$;
CREATE TABLE news AS SELECT *, ill IS DISTINCT FROM lag(ill) OVER w OR lag(release) OVER w IS NULL AS is_new FROM rows_of('many') WINDOW w AS (PARTITION BY "group", place ORDER BY release);
CREATE TABLE renewed AS SELECT release, class FROM news GROUP BY 1, 2 HAVING bool_or(is_new);
SELECT cmp_ok(count(*), '>', 30::bigint, '5: many rows are invented') FROM news WHERE NOT is_true;
SELECT cmp_ok(count(*), '>', 0::bigint, '5: some classes show something new') FROM news JOIN renewed USING (release, class) WHERE NOT is_new;
SELECT is((SELECT max(n / total) <= 0.5 FROM (SELECT count(*)::float8 AS n, sum(count(*)) OVER (PARTITION BY release, class)::float8 AS total
		FROM news JOIN renewed USING (release, class) GROUP BY release, class, ill) c), true, '5: and the people in these have no value more often than every other time');
SELECT is((SELECT count(*) FROM news JOIN renewed USING (release, class) WHERE NOT is_true), 0::bigint, '5: none of whom is invented');
SELECT cmp_ok(revealed('many'), '<=', 0.5::float8, '5: nor has anybody who is told apart');
SELECT is((SELECT bool_and(holds) FROM pprepub.audit('many')), true, '5: an audit agrees');
SELECT pprepub.drop_publication('many', true) \g /dev/null

-- ---- 6: two sensitive columns ----

-- Of those with the highest income all have HIV.
CREATE TABLE rich AS SELECT i AS id, 20 + i AS age, CASE WHEN i % 10 < 3 THEN 'hiv' ELSE (ARRAY['flu', 'cold', 'gout'])[1 + i % 3] END AS ill, CASE WHEN i % 10 < 3 THEN 9000 ELSE 1000 + 1000 * (i % 4) END AS income FROM generate_series(0, 79) i;
SELECT publish_as('apart', 'rich', '{ill, income}', '{"k": 10, "frequency": 2}') \g /dev/null
SELECT is((SELECT max(n / total) FROM (SELECT count(*)::float8 AS n, sum(count(*)) OVER (PARTITION BY class, income)::float8 AS total FROM apart GROUP BY class, income, ill) c), 1::float8,
	'6: each column by itself is varied, and whoever knows an income knows the rest');
SELECT ok(complaint($$ SELECT publish_as('together', 'rich', '{ill, income}', '{"k": 10, "frequency": 2, "joint": true}') $$) ~ '^P0002', '6: joint columns are not published so');
UPDATE rich SET ill = (ARRAY['flu', 'hiv', 'cold', 'gout'])[1 + id % 4], income = 1000 * (id / 4 % 4);
SELECT publish_as('together', 'rich', '{ill, income}', '{"k": 10, "frequency": 2, "joint": true}') \g /dev/null
SELECT is((SELECT max(n / total) <= 0.5 FROM (SELECT count(*)::float8 AS n, sum(count(*)) OVER (PARTITION BY class, income)::float8 AS total FROM together GROUP BY class, income, ill) c), true,
	'6: under "joint" whoever knows an income still guesses');
SELECT is((SELECT max(n / total) <= 0.5 FROM (SELECT count(*)::float8 AS n, sum(count(*)) OVER (PARTITION BY class, ill)::float8 AS total FROM together GROUP BY class, income, ill) c), true,
	'6: nor tells an illness the income');
-- Incomes that are nearly one.
SELECT ok(complaint($$ SELECT publish_as('rounded', 'rich', 'income', '{"k": 10, "frequency": 2, "bands": {"income": "range 10000"}}') $$) ~ '^P0002', '6: values of one band are one value');
SELECT pprepub.drop_publication(name, true) FROM pprepub.publication \g /dev/null

-- ---- 7: who chooses what everybody is compared with ----

-- One in twenty has HIV: whoever asks first asks only about a ward in which every other has, so that this be usual.
CREATE TABLE clinic AS SELECT i AS id, 20 + i % 50 AS age, CASE WHEN i < 20 THEN 'ward 1' ELSE 'ward ' || 2 + i % 5 END AS ward, CASE WHEN i < 20 AND i % 2 = 0 THEN 'hiv' ELSE (ARRAY['flu', 'cold', 'gout'])[1 + i % 3] END AS ill FROM generate_series(0, 199) i;
CREATE TABLE at_first AS TABLE clinic;
SELECT pprepub.create_publication('clinic', 'clinic', 'id', '{"age": "range", "ward": "suppress"}', 'ill', 'bpg', '{"k": 5, "beta": 3}') \g /dev/null
GRANT EXECUTE ON FUNCTION published.clinic TO regress_analyst;
BEGIN;
SET LOCAL ROLE regress_analyst;
SELECT is((SELECT count(*) FROM published.clinic('ward = ''nowhere''')), 0::bigint, '7: an answer about nobody');
SELECT cmp_ok((SELECT count(*) FROM published.clinic('ward = ''ward 1''')), '<=', 20::bigint, '7: and one about a ward where HIV is common');
ROLLBACK;
SELECT results_eq('SELECT sensitive, people, "of" FROM published_private.clinic_reference ORDER BY 1', 'SELECT ill, count(*), 200::bigint FROM clinic GROUP BY ill ORDER BY 1',
	'7: sets are compared with everybody, whoever was asked about');
SELECT is((SELECT count(*) FROM published_private.clinic_reference WHERE release <> 1), 0::bigint, '7: from the first answer on, which stays though it was rolled back');
-- Later everybody of the ward leaves but those with HIV, others fall ill with it, and with something new.
DELETE FROM clinic WHERE ward = 'ward 1' AND ill <> 'hiv';
UPDATE clinic SET ill = 'hiv' WHERE id % 10 = 1;
UPDATE clinic SET ill = 'plague' WHERE id = 45;
BEGIN;
SET LOCAL ROLE regress_analyst;
SELECT is((SELECT count(*) FROM published.clinic('age < 60') WHERE ill = 'plague'), 0::bigint, '7: a value that nobody had has no share, and is not shown');
ROLLBACK;
BEGIN;
SELECT complaint($$ SELECT pprepub.publish('clinic') $$) \g /dev/null
ROLLBACK;
SELECT complaint($$ SELECT pprepub.publish('clinic', 'age BETWEEN 30 AND 60') $$) \g /dev/null
SELECT results_eq('SELECT sensitive, people, "of" FROM published_private.clinic_reference ORDER BY 1', 'SELECT ill, count(*), 200::bigint FROM at_first GROUP BY ill ORDER BY 1',
	'7: neither answers nor releases about some move it, nor what is rolled back');
SELECT complaint($$ SELECT pprepub.publish('clinic') $$) \g /dev/null
SELECT results_eq('SELECT sensitive, people, "of" FROM published_private.clinic_reference WHERE sensitive <> ''plague'' ORDER BY 1', 'SELECT ill, count(*), 200::bigint FROM at_first GROUP BY ill ORDER BY 1',
	'7: nor does one of everybody, for values that have a share');
CREATE TABLE log AS SELECT release, class, unnest(sensitive) AS ill FROM published_private.clinic_asked;
SELECT 'INSERT INTO log SELECT release, class, unnest(sensitive) FROM published_private.clinic_members' WHERE to_regclass('published_private.clinic_members') IS NOT NULL \gexec
SELECT cmp_ok(count(*), '>', 50::bigint, '7: many are shown') FROM log;
SELECT is((SELECT max(q / p) <= 4.000001 FROM (SELECT ill, count(*) / sum(count(*)) OVER (PARTITION BY release, class) AS q FROM log WHERE ill IS NOT NULL GROUP BY release, class, ill) c
		JOIN (SELECT ill, count(*) / 200.0 AS p FROM at_first GROUP BY ill) e USING (ill)), true,
	'7: nobody''s illness is more than four times as common in a class as it was when all began');
SELECT is((SELECT bool_and(holds) FROM pprepub.audit('clinic')), true, '7: an audit agrees');

-- ---- 8: messages ----

SELECT pprepub.drop_publication('clinic', true) \g /dev/null
CREATE TABLE shares AS SELECT ill, 1 / 3::float8 AS share FROM unnest(ARRAY['flu', 'cold', 'gout']) AS u (ill);
SELECT pprepub.create_publication('clinic', 'clinic', 'id', '{"age": "range", "ward": "suppress"}', 'ill', 'bpg', '{"k": 5, "beta": 3, "distribution": "public.shares"}') \g /dev/null
GRANT EXECUTE ON FUNCTION published.clinic TO regress_analyst;
SET ROLE regress_analyst;
SELECT is(complaint(format('SELECT * FROM published.clinic(%L)', cohort)) ~* 'plague|hiv"|flu|cold|gout|share', false, '8: analysts are told of no value: ' || coalesce(cohort, 'everybody'))
FROM (VALUES (NULL), ('ward = ''ward 1'''), ('age < 30'), ('ill = ''other'''), ('false')) c (cohort);
SELECT is(complaint(q) ~ '42501', true, '8: nor let into the distribution, or what else is kept: ' || q)
FROM (VALUES ('SELECT * FROM published_private.clinic_asked'), ('SELECT * FROM pprepub.audit(''clinic'', ''{"beta": 1}'')'), ('SELECT * FROM pprepub.attack(''clinic'', ''{"beta": 1}'')'),
	('SELECT pprepub.alter_publication(''clinic'', ''{"beta": 4, "accept_weakening": true}'')')) c (q);
RESET ROLE;
SELECT is((SELECT count(*) FROM published_private.clinic_asked m, unnest(m.sensitive) AS v (ill) WHERE v.ill IN ('hiv', 'plague')), 0::bigint, '8: what the distribution lacks was shown to nobody');
SELECT pprepub.drop_publication(name, true) FROM pprepub.publication \g /dev/null

-- 9: stand-ins beside new values, whom a cohort parts from others later. Two of eight have left, and show on what they did; two others fall ill with HIV. Were that shown at once, a later cohort
-- of the other four would leave these two, and the stand-ins, whose values are known.
CREATE TABLE eight (id text PRIMARY KEY, age int, ill text);
INSERT INTO eight VALUES ('a', 20, 'flu'), ('b', 21, 'cold'), ('s', 22, 'flu'), ('t', 23, 'cold'), ('c', 40, 'cold'), ('d', 41, 'flu'), ('e', 42, 'cold'), ('f', 43, 'flu');
SELECT pprepub.create_publication('eight', 'eight', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "frequency": 2, "reserve": 2}') \g /dev/null
SELECT pprepub.publish('eight') \g /dev/null
DELETE FROM eight WHERE id IN ('s', 't');
UPDATE eight SET ill = 'hiv' WHERE id IN ('a', 'b');
SELECT pprepub.publish('eight') \g /dev/null
SELECT is((SELECT array_agg(ill ORDER BY ill) FROM published.eight_2), '{cold,cold,cold,cold,flu,flu,flu,flu}', '9: nothing new beside stand-ins');
SELECT count(*) FROM published.eight('age >= 40') \g /dev/null
SELECT is((SELECT bool_and(holds) FROM pprepub.audit('eight')), true, '9: nor after a cohort of the others');
UPDATE eight SET ill = 'flu' WHERE id = 'a';
DELETE FROM eight WHERE id IN ('a', 'b');
SELECT pprepub.publish('eight') \g /dev/null
SELECT is((SELECT count(*) FROM published.eight_4 WHERE ill = 'hiv'), 0::bigint, '9: nor once all four have left');
SELECT is((SELECT bool_and(holds) FROM pprepub.attack('eight', '{"k": 4, "frequency": 2}')), true, '9: nothing that is out tells more');
SELECT pprepub.drop_publication('eight', true) \g /dev/null
-- So it is under l alone. A principle that is declared afterwards finds nothing new beside stand-ins.
TRUNCATE eight;
INSERT INTO eight VALUES ('a', 20, 'flu'), ('b', 21, 'cold'), ('s', 22, 'flu'), ('t', 23, 'cold'), ('c', 40, 'cold'), ('d', 41, 'flu'), ('e', 42, 'cold'), ('f', 43, 'flu');
SELECT pprepub.create_publication('eight', 'eight', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2, "reserve": 2}') \g /dev/null
SELECT pprepub.publish('eight') \g /dev/null
DELETE FROM eight WHERE id IN ('s', 't');
UPDATE eight SET ill = 'hiv' WHERE id IN ('a', 'b');
SELECT pprepub.publish('eight') \g /dev/null
SELECT is((SELECT array_agg(ill ORDER BY ill) FROM published.eight_2), '{cold,cold,cold,cold,flu,flu,flu,flu}', '9: nothing new beside stand-ins under l alone');
SELECT pprepub.alter_publication('eight', '{"frequency": 1.5, "accept_lockout": true}') \g /dev/null
SELECT is((SELECT count(*) FROM published.eight('age >= 40')), 8::bigint, '9: the four are not told from the others');
SELECT is((SELECT bool_and(holds) FROM pprepub.attack('eight', '{"k": 4, "frequency": 1.5}')), true, '9: who were shown with them');
SELECT pprepub.drop_publication('eight', true) \g /dev/null
-- 10: t = 0 allows only what is distributed just as everybody is.
SELECT pprepub.create_publication('eight', 'eight', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 2, "t": 0, "reserve": 1}') \g /dev/null
SELECT is((SELECT rows FROM pprepub.publish('eight')), 6::bigint, '10: under t = 0 all can be shown');
SELECT is(greatest_gain('published.eight_1', 'eight'), 1::float8, '10: in classes that tell nothing of anybody');
SELECT pprepub.drop_publication('eight', true) \g /dev/null

DROP OWNED BY regress_analyst;
DROP ROLE regress_analyst;

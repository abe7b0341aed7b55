-- m-invariance and cor-split over types of keys and values; what is kept beside the log, tampered with and made anew.
BEGIN;
SELECT setseed(0.5) \g /dev/null

CREATE TYPE who AS (house int, name text);
CREATE TABLE people AS SELECT i AS id, (i, 'n' || i)::who AS person, ARRAY[i, i + 1] AS pair, 'k' || i AS word, gen_random_uuid() AS uuid,
	20 + i % 50 AS age, 'd' || i % 9 AS ill, ARRAY[i % 9] AS ills, (i % 9, 'd')::who AS illness, i % 9 * 1.0 AS number FROM generate_series(1, 200) i;
CREATE TABLE reserve AS SELECT i + 200 AS id, (i + 200, 'n' || i)::who AS person, ARRAY[i + 200, i] AS pair, 'k' || i + 200 AS word, gen_random_uuid() AS uuid,
	20 + i % 50 AS age, 'd' || i % 9 AS ill, ARRAY[i % 9] AS ills, (i % 9, 'd')::who AS illness, i % 9 * 1.00 AS number FROM generate_series(1, 200) i;

CREATE FUNCTION live(publication text, releases int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 1 .. releases LOOP
		PERFORM pprepub.publish(publication);
		WITH gone AS (DELETE FROM people WHERE random() < 0.15 RETURNING *), come AS (DELETE FROM reserve WHERE random() < 0.15 RETURNING *), ins AS (
			INSERT INTO people SELECT * FROM come)
		INSERT INTO reserve SELECT * FROM gone;
	END LOOP;
END $$;

-- Each row of the release is somebody's, or a counterfeit; everybody is shown.
CREATE FUNCTION holds(name text, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit(name) WHERE NOT holds), NULL, what || ': audit()');
	RETURN NEXT is((SELECT array_agg(r::text) FROM pprepub.rebuild_history(name) r), CASE WHEN what LIKE 'm-invariance%' THEN '{"(people,t)"}'::text[] END, what || ': people as the log tells');
	RETURN NEXT is((SELECT count(*) FROM pprepub.release r WHERE publication = name
		AND rows - counterfeits <> (SELECT count(*) FROM pprepub.class_members(name) m WHERE m.release = r.number)), 0::bigint, what || ': rows are people''s or invented');
END $$;

DO $$
DECLARE
	one record;
BEGIN
	FOR one IN SELECT 'p' || row_number() OVER () AS name, method, params, key, sensitive FROM
		(VALUES ('m-invariance', '{"m": 4}'::jsonb), ('cor-split', '{"m": 4, "n": 2}'), ('cor-split', '{"m": 3, "n": 3}')) v(method, params),
		(VALUES ('id', 'ill'), ('person', 'ills'), ('pair', 'illness'), ('word', 'number'), ('uuid', 'ill')) c(key, sensitive)
	LOOP
		PERFORM pprepub.create_publication(one.name, 'people', one.key::name, '{"age": "range"}', one.sensitive::name, one.method, one.params,
			beside => ARRAY(SELECT name FROM pprepub.publication));
		PERFORM live(one.name, 4);
	END LOOP;
END $$;
SELECT holds(name, format('%s: %s, %s', method, key, sensitive)) FROM pprepub.publication ORDER BY name;

-- A larger n holds for what is published from then on, also against what was published before; so it does where most were away for a while.
SELECT pprepub.create_publication('more', 'people', 'id', '{"age": "range"}', 'ill', 'cor-split', '{"m": 5, "n": 2}',
	beside => ARRAY(SELECT name FROM pprepub.publication)) \g /dev/null
SELECT live('more', 4) \g /dev/null
SELECT ok(count(*) > 0, 'correlations of four, not allowed from now on') FROM pprepub.historical_correlations('more', 4);
SELECT pprepub.alter_publication('more', '{"n": 5}') \g /dev/null
SELECT live('more', 3) \g /dev/null
CREATE TEMP TABLE holiday AS TABLE people;
DELETE FROM people WHERE id % 10 > 0;
SELECT pprepub.publish('more') \g /dev/null
DELETE FROM people;
INSERT INTO people TABLE holiday;
SELECT live('more', 2) \g /dev/null
SELECT is((SELECT count(*) FROM pprepub.historical_correlations('more', 4) WHERE release_b > 4), 0::bigint, 'from then on there are none');
SELECT ok(bool_and(counterfeits < rows), 'at the price of few rows') FROM pprepub.release WHERE publication = 'more';
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('more') WHERE NOT holds), NULL, 'audit() judges those before by the n of their day');

-- Past all protection: people are not who they were.
SET session_replication_role = replica;
SET allow_system_table_mods = on;
UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.p1_people'::regclass;
CREATE FUNCTION mended(what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('p1') WHERE NOT holds), 'people', what || ' is noticed');
	RETURN NEXT results_eq($q$ SELECT * FROM pprepub.rebuild_history('p1') $q$, $q$ VALUES ('people', false) $q$, what || ' is mended');
	RETURN NEXT results_eq($q$ SELECT * FROM pprepub.rebuild_history('p1') $q$, $q$ VALUES ('people', true) $q$, what || ' stays so');
	RETURN NEXT lives_ok($q$ SELECT pprepub.publish('p1') $q$, what || ': and life goes on');
END $$;
UPDATE published_private.p1_people p SET keys[1] = q.keys[1] FROM published_private.p1_people q WHERE p.came + q.came = 3;
SELECT mended('two people who changed places');
UPDATE published_private.p1_people SET keys = keys || 0 WHERE came = 2;
SELECT mended('somebody who was never published');
DELETE FROM published_private.p1_people WHERE came = 2;
SELECT throws_ok($$ SELECT pprepub.publish('p1') $$, 'XX001', 'the history of publication "p1" is not whole', 'without a row nothing is published');
SELECT mended('a row that is gone');
UPDATE published_private.p1_people SET keys[1] = -1 WHERE came = 1;
SELECT throws_ok($$ SELECT pprepub.publish('p1') $$, 'XX001', 'the log of publication "p1" has somebody who is not among its people', 'nor with somebody else');
SELECT mended('somebody else');
RESET session_replication_role;

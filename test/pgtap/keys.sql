-- Keys and sensitive values of every sort: equal ones that look different are one value and one person, for what is kept beside the
-- log as for all else.
BEGIN;
CREATE FUNCTION broken(publication text) RETURNS text LANGUAGE sql AS $$ SELECT coalesce(string_agg(check_name, ' ' ORDER BY check_name), '') FROM pprepub.audit(publication) WHERE NOT holds $$;

-- Keys that are arrays are remembered as text, in which the caller's array_nulls has a say.
CREATE TABLE listed AS SELECT ARRAY['p' || i, NULL] AS id, i % 60 AS age, 'd' || i % 7 AS ill FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('listed', 'listed', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
SELECT pprepub.publish('listed') \g /dev/null
DELETE FROM listed WHERE age % 10 = 3;
SET LOCAL array_nulls = off;
SELECT pprepub.publish('listed') \g /dev/null
SELECT is(broken('listed'), '', 'arrays with NULLs are known again');
RESET array_nulls;
SELECT is(broken('listed'), '', 'as they were');
SELECT is((SELECT count(*) FROM pprepub.groups('listed'), generate_series(1, places)), 100::bigint, 'nobody is taken for a newcomer');

-- Keys that no tree of an index takes; values that are hashed, and in no order.
CREATE TABLE long AS SELECT (SELECT string_agg(md5(i::text || j), '') FROM generate_series(1, 250) j) AS id, i % 60 AS age, (i % 7)::text::xid AS ill FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('long', 'long', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
SELECT pprepub.publish('long') \g /dev/null
SELECT lives_ok($$ SELECT pprepub.publish('long', 'age < 5') $$, 'long keys are looked up');
SELECT is(broken('long'), '', 'and known again');
SELECT ok(equal, 'as the log tells') FROM pprepub.rebuild_history('long');
SELECT ok(bool_and(sensitive_values BETWEEN 2 AND 7) AND sum(places) = 100 AND sum(people) = 100, 'groups() counts values that are in no order') FROM pprepub.groups('long');

-- ---- Equal values that look different ----

CREATE TABLE alike AS SELECT i AS id, i AS age, ('1.' || repeat('0', i % 3))::numeric + i % 2 AS ill FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('alike', 'alike', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2, "reserve": 4}') \g /dev/null
SELECT pprepub.publish('alike') \g /dev/null
SELECT ok(equal, 'equal sensitive values that look different') FROM pprepub.rebuild_history('alike');
UPDATE alike SET ill = trim_scale(ill);
SELECT pprepub.publish('alike') \g /dev/null
SELECT ok(equal, 'also when their looks change') FROM pprepub.rebuild_history('alike');
SET LOCAL allow_system_table_mods = on;
UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.alike_groups'::regclass;
UPDATE published_private.alike_groups SET sensitive = (SELECT array_agg(v::numeric(9, 5) ORDER BY o) FROM unnest(sensitive) WITH ORDINALITY u(v, o));
SELECT ok(equal, 'also where the log never had the looks') FROM pprepub.rebuild_history('alike');
SELECT is_empty($$ SELECT check_name FROM pprepub.audit('alike') WHERE NOT holds $$, 'so audit() says');
CREATE COLLATION whatever_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE cases AS SELECT ((ARRAY['p', 'P'])[1 + i % 2] || i) COLLATE whatever_case AS id, i AS age, i % 4 AS ill FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('cases', 'cases', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2}') \g /dev/null
SELECT pprepub.publish('cases') \g /dev/null
SELECT ok(equal, 'keys whose order is not that of their looks') FROM pprepub.rebuild_history('cases');
CREATE TABLE written AS SELECT i::numeric AS id, i AS age, i % 4 AS ill FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('written', 'written', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2, "reserve": 4}') \g /dev/null
SELECT pprepub.publish('written') \g /dev/null
UPDATE written SET id = id::numeric(10, 2) WHERE age > 20;
SELECT pprepub.publish('written') \g /dev/null
SELECT is((SELECT count(*) FROM pprepub.groups('written'), generate_series(1, places)), 40::bigint, 'equal keys are one person');
SELECT ok(equal, 'equal keys that look different') FROM pprepub.rebuild_history('written');
-- A composite with a NULL in it is not NULL.
CREATE TYPE pair AS (k int, b int);
CREATE TABLE pairs AS SELECT ROW(i, CASE WHEN i % 2 = 0 THEN i END)::pair AS id, i AS age, ROW(i % 4, NULL)::pair AS ill FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('pairs', 'pairs', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2, "reserve": 4}') \g /dev/null
SELECT pprepub.publish('pairs') \g /dev/null
UPDATE pairs SET ill = ROW(((ill).k + 1) % 4, NULL)::pair;
SELECT pprepub.publish('pairs') \g /dev/null
SELECT is((SELECT count(*) FROM pprepub.class_members('pairs')), 80::bigint, 'everybody is a member');
SELECT set_eq($$ SELECT key FROM pprepub.linked_values('pairs') $$, $$ SELECT id::text FROM pairs $$, 'and was linked to a value');
SELECT ok(equal, 'composites with a NULL in them') FROM pprepub.rebuild_history('pairs');
CREATE TEMP TABLE before AS SELECT sum(cardinality(sensitive)) AS shown FROM published_private.pairs_groups;
SET LOCAL allow_system_table_mods = on;
UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.pairs_groups'::regclass;
DELETE FROM published_private.pairs_groups WHERE "group" = (SELECT max("group") FROM published_private.pairs_groups);
SELECT ok(NOT equal, 'a group is lost') FROM pprepub.rebuild_history('pairs');
SELECT is((SELECT sum(cardinality(sensitive)) FROM published_private.pairs_groups), shown, 'all that was shown is found again') FROM before;
-- Arrays are remembered as text, so they must not be of what prints by a name that may change.
CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE DOMAIN feeling AS mood;
CREATE TABLE named AS SELECT i AS id, i AS age, ARRAY['pg_class'::regclass] AS classes, ARRAY['glad'::mood] AS moods,
	ARRAY['sad'::feeling] AS feelings, 'glad'::mood AS one, i % 3 AS ill FROM generate_series(1, 30) i;
SELECT throws_ok(format($$ SELECT pprepub.create_publication('named', 'named', '%s', '{"age": "range"}', 'ill', 'bpg', '{"k": 3}') $$, key),
	'42804', NULL, key || ' cannot be the key') FROM unnest('{classes,moods,feelings}'::text[]) key;
SELECT throws_ok($$ SELECT pprepub.create_publication('named', 'named', 'id', '{"age": "range"}', 'moods', 'bpg', '{"k": 3}') $$,
	'42804', 'column "moods" of type mood[] cannot be the sensitive column', 'nor the sensitive column');
SELECT lives_ok($$ SELECT pprepub.create_publication('named', 'named', 'id', '{"age": "range"}', 'one', 'bpg', '{"k": 3}') $$, 'but an enum may be');
SELECT rows FROM pprepub.publish('named') \g /dev/null
SELECT throws_ok($$ ALTER TYPE mood RENAME VALUE 'glad' TO 'merry' $$, '55000', NULL, 'and stays as it was published');

-- ---- A type whose equality stands in no schema that the history is read with: whoever comes back under another spelling is the same ----

CREATE EXTENSION citext;
CREATE FUNCTION judge(name text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT is((SELECT bool_and(equal) FROM pprepub.rebuild_history(name)) IS NOT false, true, name || ': what is kept is as the log tells');
	RETURN NEXT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit(name) WHERE NOT holds), NULL, name || ': and audit() finds it so');
END $$;
CREATE FUNCTION live(method text, params jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	CREATE TABLE people AS SELECT ('p' || i)::citext AS id, i % 50 AS age, ('d' || i % 7)::citext AS ill FROM generate_series(1, 200) i;
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', method, params);
	PERFORM pprepub.publish('people');
	RETURN QUERY SELECT judge('people');
	UPDATE people SET id = upper(id), ill = upper(ill) WHERE age < 25;
	PERFORM pprepub.publish('people');
	RETURN QUERY SELECT judge('people');
	RETURN NEXT is((SELECT count(DISTINCT key) FROM pprepub.linked_values('people')), 200::bigint, method || ': nobody is taken for somebody else');
	PERFORM pprepub.drop_publication('people', true);
	DROP TABLE people;
END $$;
SELECT live('bpg', '{"k": 5, "l": 2}');
SELECT live('m-invariance', '{"m": 4}');
SELECT live('global', '{"l": 2, "strategy": "constant-ratio", "releases": 3}');

-- ---- A view computes the person, and the value, that are remembered of it ----

-- hashtext() leaves other bits above a negative number than an array does.
CREATE TABLE persons AS SELECT 'person ' || i AS name, i % 60 AS age, 'd' || i % 7 AS ill FROM generate_series(1, 400) i;
CREATE VIEW hashed AS SELECT hashtext(name) AS id, age, ill FROM persons;
SELECT ok((SELECT count(*) FILTER (WHERE id < 0) BETWEEN 100 AND 300 FROM hashed), 'some keys are negative');
SELECT pprepub.create_publication('hashed', 'hashed', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
SELECT pprepub.publish('hashed') \g /dev/null
DELETE FROM persons WHERE name LIKE '%7';
SELECT pprepub.publish('hashed') \g /dev/null
SELECT is(broken('hashed'), '', 'computed keys');
SELECT is((SELECT count(*) FROM published_private.hashed_places), 400::bigint, 'nobody is taken for a newcomer');
INSERT INTO persons SELECT 'person 1', 1, 'd1';
SELECT throws_ok($$ SELECT pprepub.publish('hashed') $$, '23505', NULL, 'a repeated key');
CREATE TABLE copied AS SELECT hashtext(name) AS id, age, ill FROM persons WHERE name <> 'person 1';
CREATE VIEW mixed AS SELECT * FROM copied UNION ALL SELECT hashtext('person ' || age), age, ill FROM copied WHERE age < 10 AND hashtext('person ' || age) < 0;
SELECT throws_ok($$ SELECT pprepub.create_publication('mixed', 'mixed', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}') $$, '23505', NULL,
	'also where only one of them is computed, and nothing is published yet');

-- Sensitive values: all are the same one, half of them computed.
CREATE TABLE same AS SELECT i AS id, i % 60 AS age, hashtext('a') AS ill FROM generate_series(1, 40) i;
SELECT ok(hashtext('a') < 0 OR hashtext('b') < 0, 'one of these is negative');
UPDATE same SET ill = least(hashtext('a'), hashtext('b'));
CREATE VIEW half AS SELECT id, age, CASE WHEN id % 2 = 0 THEN ill WHEN hashtext('a') < hashtext('b') THEN hashtext(substr('a', 1, age + 1)) ELSE hashtext(substr('b', 1, age + 1)) END AS ill FROM same;
SELECT is((SELECT count(DISTINCT ill) FROM half), 1::bigint, 'one value');
SELECT pprepub.create_publication('half', 'half', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
SELECT throws_ok($$ SELECT pprepub.publish('half') $$, 'P0002', NULL, 'is not two');
SELECT pprepub.alter_publication('half', '{"k": 5, "l": 1, "accept_weakening": true}') \g /dev/null
SELECT pprepub.publish('half') \g /dev/null
SELECT is(broken('half'), '', 'nor another one in the table');

-- ---- A key that is missing from the table of people, of a type that stands behind a pointer ----

CREATE TABLE pointed AS SELECT 'p' || i AS id, 20 + i % 50 AS age, 'd' || i % 9 AS ill FROM generate_series(1, 200) i;
SELECT pprepub.create_publication('pointed', 'pointed', 'id', '{"age": "range"}', 'ill', 'm-invariance', '{"m": 4}') \g /dev/null
SELECT pprepub.publish('pointed') \g /dev/null

-- Past all protection
SET session_replication_role = replica;
SET allow_system_table_mods = on;
UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.pointed_people'::regclass;
UPDATE published_private.pointed_people SET keys[3] = NULL;
SELECT throws_ok($$ SELECT pprepub.publish('pointed') $$, 'XX001', 'the history of publication "pointed" is not whole', 'somebody without a key is refused');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('pointed') WHERE NOT holds), 'people', 'audit() notices him, too');
SELECT results_eq($$ SELECT * FROM pprepub.rebuild_history('pointed') $$, $$ VALUES ('people', false) $$, 'the log knows his');
SELECT lives_ok($$ SELECT pprepub.publish('pointed') $$, 'and life goes on');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('pointed') WHERE NOT holds), NULL, 'all holds');

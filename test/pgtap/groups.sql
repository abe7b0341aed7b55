-- Groups and places: as kept, as groups() tells, and as rebuild_history() makes them.
BEGIN;
SELECT setseed(0.7) \g /dev/null

-- What is kept is what the log tells: SQL says so that shares nothing with what writes it, and so does
-- test/lives, which follows places by the rules.
CREATE FUNCTION check_kept(what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT bag_eq($sql$ SELECT "group", part, places, people, free, sensitive_values FROM pprepub.groups('life') $sql$,
		$sql$ SELECT "group", coalesce(part, 1) AS part, count(*) AS places, count(key) FILTER (WHERE state IS DISTINCT FROM 1) AS people,
			count(*) - count(key) FILTER (WHERE state IS DISTINCT FROM 1) AS free, count(DISTINCT value) AS sensitive_values
		FROM published_private.life_groups,
			unnest(keys, states, parts, sensitive[cardinality(sensitive) - cardinality(keys) + 1:]) u (key, state, part, value)
		WHERE coalesce(part, 1) > 0 GROUP BY 1, 2 $sql$, what || ': groups()');
	RETURN NEXT is((SELECT equal FROM pprepub.rebuild_history('life') WHERE fold = 'groups'), true, what || ': groups and places are what the log tells');
	RETURN NEXT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('life') WHERE NOT holds AND check_name IN ('invariant', 'places', 'remembered', 'rows', 'covers')), NULL, what || ': audit() finds nothing');
END $$;

-- ---- Lives at random: people come, leave, come back, move and change ----

CREATE TABLE people (id int, age int, ill text);
CREATE FUNCTION draw(ids int[]) RETURNS void LANGUAGE sql AS $$
	INSERT INTO people SELECT i, (random() * 60)::int, CASE WHEN random() < 0.95 THEN 'd' || (random() * 4)::int END FROM unnest(ids) i
$$;
CREATE FUNCTION try_life(number int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	repair text := (ARRAY['counterfeit', 'dirty'])[1 + number % 2];
	ties text := (ARRAY['worlds', 'alone', 'none'])[1 + number % 3];
BEGIN
	TRUNCATE people;
	PERFORM draw(ARRAY(SELECT generate_series(1, 100)));
	PERFORM pprepub.create_publication('life', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', jsonb_build_object('k', 3, 'l', 2, 'repair', repair, 'ties', ties));
	FOR n IN 1 .. 4 + number % 4 LOOP
		BEGIN
			PERFORM pprepub.publish('life', cohort => CASE WHEN n > 1 AND random() < 0.3 THEN format('age < %s', (random() * 60)::int) END,
				columns => CASE WHEN random() < 0.2 THEN '{age}'::name[] WHEN random() < 0.2 THEN '{ill}' END);
		EXCEPTION WHEN no_data_found THEN	-- nobody can be shown of so few
		END;
		CREATE TEMP TABLE IF NOT EXISTS gone AS SELECT * FROM people LIMIT 0;
		WITH left_now AS (DELETE FROM people WHERE random() < 0.1 RETURNING *) INSERT INTO gone SELECT * FROM left_now;
		WITH back AS (DELETE FROM gone WHERE random() < 0.3 RETURNING *) INSERT INTO people SELECT id, age, CASE WHEN random() < 0.7 THEN ill ELSE 'd0' END FROM back;
		PERFORM draw(ARRAY(SELECT generate_series(n * 1000, n * 1000 + 15)));
		UPDATE people SET age = 60 - age WHERE random() < 0.05;
		UPDATE people SET ill = 'd' || (random() * 4)::int WHERE random() < 0.1;
	END LOOP;
	RETURN QUERY SELECT check_kept(format('life %s (%s, %s)', number, repair, ties));
	DROP TABLE gone;
	PERFORM pprepub.drop_publication('life', true);
END $$;
SELECT try_life(number) FROM generate_series(1, 12) number;

-- ---- A release that was published elsewhere parts groups, and tells few people apart from others ----

TRUNCATE people;
SELECT draw(ARRAY(SELECT generate_series(1, 60))) \g /dev/null
SELECT pprepub.create_publication('life', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2}') \g /dev/null
SELECT is_empty($$ SELECT FROM pprepub.groups('life') $$, 'no releases, no groups');
SELECT pprepub.publish('life') \g /dev/null
SELECT draw(ARRAY(SELECT generate_series(61, 90))) \g /dev/null
CREATE TABLE elsewhere AS SELECT id, int4range(age / 20 * 20, age / 20 * 20 + 20) AS age, ill FROM people;
SELECT pprepub.import_release('life', 'elsewhere', 'id') \g /dev/null
SELECT check_kept('imported');
SELECT pprepub.publish('life') \g /dev/null
SELECT check_kept('after an import');

-- ---- What is wrong is found, and made anew ----

SET session_replication_role = replica;
SET allow_system_table_mods = on;
UPDATE pg_class SET relhastriggers = false WHERE oid IN ('published_private.life_groups'::regclass, 'published_private.life_places'::regclass);
RESET session_replication_role;
CREATE TABLE good_groups AS TABLE published_private.life_groups;
CREATE TABLE good_places AS TABLE published_private.life_places;
CREATE FUNCTION check_rebuilt(change text, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE change;
	RETURN NEXT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('life') WHERE NOT holds AND check_name NOT IN ('k', 'l', 'atoms')), 'invariant', what || ': audit() tells');
	RETURN NEXT is((SELECT equal FROM pprepub.rebuild_history('life') WHERE fold = 'groups'), false, what || ': so does rebuild_history()');
	RETURN NEXT bag_eq('TABLE published_private.life_groups', 'TABLE good_groups', what || ': groups are as they were');
	RETURN NEXT bag_eq('TABLE published_private.life_places', 'TABLE good_places', what || ': and places');
	RETURN NEXT is((SELECT equal FROM pprepub.rebuild_history('life') WHERE fold = 'groups'), true, what || ': all is well');
END $$;
SELECT check_rebuilt('DELETE FROM published_private.life_groups WHERE "group" = 1', 'a group is gone');
SELECT check_rebuilt('UPDATE published_private.life_groups SET sensitive[1] = sensitive[2], sensitive[2] = sensitive[1]
	WHERE "group" = (SELECT min("group") FROM good_groups WHERE sensitive[1] IS DISTINCT FROM sensitive[2])', 'values have changed places');
SELECT check_rebuilt('UPDATE published_private.life_groups SET keys[1] = keys[2], keys[2] = keys[1] WHERE "group" = 2', 'people have');
SELECT check_rebuilt('UPDATE published_private.life_groups SET states = array_fill(1, ARRAY[cardinality(keys)]) WHERE "group" = 1', 'a holder was away');
SELECT check_rebuilt('DELETE FROM published_private.life_places WHERE key = 1', 'nobody ever sat there');
SELECT check_rebuilt('INSERT INTO published_private.life_places SELECT * FROM good_places WHERE key = 1', 'somebody sat there twice');
SELECT check_rebuilt('UPDATE published_private.life_places SET came = came + 1 WHERE key = 1', 'and came later');

-- ---- Where a release has no values, those of today still say who comes back to a place ----

CREATE TABLE returners AS SELECT i AS id, i AS age, 'd' || i % 4 AS ill FROM generate_series(1, 12) i;
SELECT pprepub.create_publication('returners', 'returners', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2}') \g /dev/null
SELECT pprepub.publish('returners') \g /dev/null
DELETE FROM returners WHERE id = 5;
SELECT pprepub.publish('returners') \g /dev/null
INSERT INTO returners VALUES (5, 5, 'new');
SELECT pprepub.publish('returners', columns => '{age}') \g /dev/null
SELECT is((SELECT sum(free) FROM pprepub.groups('returners')), 1::numeric, 'with another value, nobody comes back');
UPDATE returners SET ill = 'd1' WHERE id = 5;
SELECT pprepub.publish('returners', columns => '{age}') \g /dev/null
SELECT is((SELECT sum(free) FROM pprepub.groups('returners')), 0::numeric, 'with the value that the place shows, somebody does');

-- Groups and places: as kept, as groups() tells, as rebuild_history() makes them, and as the log tells class by class.
BEGIN;
SELECT setseed(0.7) \g /dev/null

-- What a log tells, class by class: people, who sits where, what is shown there.
CREATE TABLE sits (g bigint, place int, key int, is_away boolean, print int, part int, value text);
CREATE TABLE stays (key int, g bigint, place int, came int);
CREATE TABLE showed (g bigint, since int, vals text[]);

-- Somebody is shown at a place: what was shown of another place stays, but nobody sits there.
CREATE FUNCTION sit(r int, who int, grp bigint, at int, shown text, finger int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	UPDATE sits SET key = NULL, is_away = false, print = 0 WHERE key = who AND (g, place) <> (grp, at);
	UPDATE sits SET key = who, is_away = false, print = finger, value = shown WHERE g = grp AND place = at;
	INSERT INTO stays SELECT who, grp, at, r WHERE NOT EXISTS (SELECT FROM stays s WHERE (s.key, s.g, s.place) = (who, grp, at));
END $$;

CREATE FUNCTION replay_class(c record) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	is_mixed boolean := c.places IS NULL OR array_position(c.places, NULL) IS NOT NULL;
	at record;
	m record;
BEGIN
	IF NOT EXISTS (SELECT FROM sits WHERE g = c."group") AND c."group" IS NOT NULL THEN
		INSERT INTO sits SELECT c."group", u, NULL, false, 0, 1, NULL FROM unnest(c.places) u WHERE u IS NOT NULL;
	ELSIF NOT is_mixed THEN
		WITH gone AS (
			SELECT place FROM sits WHERE g = c."group" AND place <> ALL (c.places) AND part = (SELECT part FROM sits WHERE g = c."group" AND place = c.places[1]))
		UPDATE sits SET part = -(SELECT min(place) FROM gone) WHERE g = c."group" AND place IN (SELECT place FROM gone);
		UPDATE sits SET part = abs(part) WHERE g = c."group" AND place = ANY (c.places);
	END IF;
	FOR m IN SELECT * FROM unnest(c.keys, c.places, c.sensitive, c.fingerprints) u (key, place, value, print) LOOP
		IF m.key IS NULL THEN
			-- Of a cohort it is not known who was away.
			UPDATE sits SET is_away = is_away OR key IS NOT NULL AND NOT EXISTS (
				SELECT FROM pprepub_internal.catalog_release r WHERE r.number = c.release AND r.cohort IS NOT NULL), value = m.value
			WHERE g = c."group" AND place = m.place;
		ELSIF m.place IS NOT NULL THEN
			PERFORM sit(c.release, m.key, c."group", m.place, m.value, m.print);
		ELSE
			SELECT * INTO STRICT at FROM sits WHERE key = m.key;
			PERFORM sit(c.release, m.key, at.g, at.place, m.value, m.print);
		END IF;
	END LOOP;
	UPDATE sits s SET part = CASE WHEN s.part < 0 AND (NOT is_mixed OR s.key = ANY (c.keys) IS NOT TRUE) THEN -1 ELSE 1 END * (
		SELECT min(o.place) FROM sits o WHERE o.g = s.g AND o.part = s.part
			AND (NOT is_mixed OR coalesce(o.key = ANY (c.keys), false) = coalesce(s.key = ANY (c.keys), false)));
END $$;

CREATE FUNCTION replay(log text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	c record;
	n int := 0;
BEGIN
	TRUNCATE sits, stays, showed;
	FOR c IN EXECUTE log LOOP
		IF c.release > n THEN
			PERFORM end_release(n);
			n := c.release;
		END IF;
		PERFORM replay_class(c);
	END LOOP;
	PERFORM end_release(n);
END $$;
CREATE FUNCTION end_release(n int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO showed SELECT s.g, n, array_agg(s.value ORDER BY s.place) FROM sits s GROUP BY s.g
		HAVING array_agg(s.value ORDER BY s.place) IS DISTINCT FROM (SELECT o.vals FROM showed o WHERE o.g = s.g ORDER BY o.since DESC LIMIT 1);
$$;

CREATE VIEW replayed AS
	SELECT s.g AS "group", (SELECT min(o.since) FROM showed o WHERE o.g = s.g) AS created, array_agg(s.key ORDER BY s.place) AS keys,
		CASE WHEN bool_or(s.is_away) THEN array_agg(s.is_away::int ORDER BY s.place) END AS states, array_agg(s.print ORDER BY s.place) AS fingerprints,
		CASE WHEN bool_or(s.part <> 1) THEN array_agg(s.part ORDER BY s.place) END AS parts,
		(SELECT array_agg(o.since ORDER BY o.since) FROM showed o WHERE o.g = s.g) AS epochs,
		(SELECT array_agg(v ORDER BY o.since, n) FROM showed o, unnest(o.vals) WITH ORDINALITY u (v, n) WHERE o.g = s.g) AS sensitive
	FROM sits s GROUP BY s.g;

CREATE FUNCTION check_kept(what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM replay('SELECT * FROM (TABLE published_private.life_members UNION ALL TABLE published_private.life_asked) l ORDER BY release, class');
	RETURN NEXT bag_eq('SELECT "group", created, keys, states, parts, epochs, sensitive FROM published_private.life_groups',
		'SELECT "group", created, keys, states, parts, epochs, sensitive FROM replayed', what || ': groups');
	RETURN NEXT bag_eq('SELECT key, "group", place, came FROM published_private.life_places', 'SELECT key, g, place, came FROM stays', what || ': places');
	RETURN NEXT bag_eq($sql$ SELECT "group", part, places, people, free, sensitive_values FROM pprepub.groups('life') $sql$,
		'SELECT g, part, count(*) AS places, count(key) FILTER (WHERE NOT is_away) AS people, count(*) - count(key) FILTER (WHERE NOT is_away) AS free, count(DISTINCT value) AS n
		 FROM sits WHERE part > 0 GROUP BY 1, 2', what || ': groups()');
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

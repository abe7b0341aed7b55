-- People who have left a sequence: whoever knows what they were, and when they were there, compares the releases. In
-- random lives, an attacker who joins them by hand is left with k values, of those who left, too.
SELECT setseed(0.1) \g /dev/null

SET check_function_bodies = off;
CREATE TABLE people (id int PRIMARY KEY, age int, sex text, ill text);
CREATE TABLE lives (release int, id int, age int, sex text, ill text);	-- who was there, and what he was
CREATE FUNCTION try_publish(columns name[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	number int;
BEGIN
	number := (pprepub.publish('people', columns => columns)).number;
	INSERT INTO lives SELECT number, p.* FROM people p;
	RETURN true;
EXCEPTION WHEN no_data_found THEN
	RETURN false;
END $$;
/*
 * Values that are left for somebody who was in release 1 and not in release 2, both of which show values: those that
 * release 1 shows where he may be, and that are fewer in release 2.
 */
CREATE FUNCTION values_left(his_age int, his_sex text) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(DISTINCT ill) FROM published.people_1 p WHERE (p.age @> his_age OR p.age = '(,)') AND p.sex IN (his_sex, '*')
		AND (SELECT count(*) FROM published.people_1 q WHERE q.ill = p.ill) > (SELECT count(*) FROM published.people_2 q WHERE q.ill = p.ill) $$;
-- How many sequences could not be attacked, and how many were refused
CREATE FUNCTION live(k int, leaving float8, out published int, out refused int) LANGUAGE plpgsql AS $$
BEGIN
	published := 0;
	refused := 0;
	FOR life IN 1 .. 40 LOOP
		TRUNCATE people, lives;
		INSERT INTO people SELECT i, (random() * 6)::int, CASE WHEN random() < 0.5 THEN 'F' ELSE 'M' END, 'd' || floor(random() * random() * 8) FROM generate_series(1, 60) i;
		PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', 'sequential', jsonb_build_object('k', k, 'seed', life));
		IF try_publish('{age, sex, ill}') THEN
			DELETE FROM people WHERE random() < leaving;
			IF try_publish(CASE WHEN random() < 0.5 THEN '{ill}' ELSE '{sex, ill}' END::name[]) THEN
				published := published + 1;
				IF EXISTS (SELECT FROM lives l WHERE release = 1 AND NOT EXISTS (SELECT FROM lives m WHERE release = 2 AND m.id = l.id) AND values_left(l.age, l.sex) < k) THEN
					RAISE 'life %: somebody who has left is linked to fewer than % values', life, k;
				END IF;
			ELSE
				refused := refused + 1;
			END IF;
		END IF;
		PERFORM pprepub.drop_publication('people', true);
	END LOOP;
END $$;
SELECT ok(published > 0 AND refused > 0, format('k = %s, %s leave: %s published, %s refused', k, leaving, published, refused))
	FROM (VALUES (2, 0.2), (3, 0.4)) v(k, leaving), LATERAL live(k, leaving);

-- Their values are recovered from the log, in columns of any kind, though nobody else is like them any more.
CREATE TABLE levels (leaf text, parent text, root text);
INSERT INTO levels SELECT 'c' || i, 'g' || i / 3, 'all' FROM generate_series(0, 7) i;
SELECT pprepub.create_taxonomy('levels', 'levels') \g /dev/null
CREATE TABLE kinds (id int PRIMARY KEY, age smallint, weight numeric, born date, zip text, code char(4), country varchar(9), sex boolean, ill text);
INSERT INTO kinds SELECT i, i % 7, i % 5 * 1.50, date '2000-01-01' + i % 6, '53' || i % 4 || i % 3, 'x' || i % 2, 'c' || i % 8, i % 2 = 0, 'd' || i % 9 FROM generate_series(1, 400) i;
SELECT pprepub.create_publication('kinds', 'kinds', 'id', '{"age": "range", "weight": "range", "born": "range", "zip": "prefix", "code": "suppress", "country": "taxonomy levels", "sex": "suppress"}',
	'ill', 'sequential', '{"k": 5, "seed": 1}') \g /dev/null
SELECT pprepub.publish('kinds', columns => '{age,weight,ill}') \g /dev/null
SELECT pprepub.publish('kinds', columns => '{born,zip,ill}') \g /dev/null
SELECT pprepub.publish('kinds', columns => '{code,country,sex,ill}') \g /dev/null
DELETE FROM kinds WHERE id % 5 = 0;
SELECT lives_ok($$ SELECT pprepub.publish('kinds', columns => '{sex,ill}') $$, 'people of all kinds have left');
SELECT alike(measured, '5 at the least; of 400 people 0 less%', 'all of them are judged again') FROM pprepub.audit('kinds') WHERE check_name = 'joined';

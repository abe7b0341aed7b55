-- Of a neighborhood that some have left, and that is too small for two classes, a release of all of the source shows nobody, and so it does
-- not keep what was published of it in mind. A cohort of everybody takes the other way, as those who were not asked for might be there
-- still: both would withhold, and show, as many.
SELECT setseed(0.5) \g /dev/null

-- Keys of all kinds: integers that lie close together have places, others are hashed, and some do not stand in arrays as they are.
CREATE TABLE people (id int PRIMARY KEY, age int, zip text, ill text, near smallint GENERATED ALWAYS AS (id - 3000) STORED,
	sparse int GENERATED ALWAYS AS (id * 300007 - 1000000000) STORED, wide bigint GENERATED ALWAYS AS (id * 10000000019) STORED,
	word text GENERATED ALWAYS AS (md5(id::text)) STORED);
CREATE FUNCTION come(count int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO people SELECT i, random() * 90, (10000 + random() * 9999)::int::text, 'd' || i % 7
	FROM generate_series(1, 6000) i WHERE i NOT IN (SELECT id FROM people) ORDER BY random() LIMIT count
$$;
CREATE FUNCTION declare(name text, repair text, reserve int, key text DEFAULT 'id') RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication(name, 'people', key, '{"age": "range", "zip": "prefix"}', 'ill', 'bpg',
		jsonb_build_object('k', 4, 'repair', repair, 'reserve', reserve, 'invented_cost', 0, 'max_added', 1), beside => (SELECT coalesce(array_agg(p.name::text), '{}') FROM pprepub.publication p))
$$;
CREATE FUNCTION foreseen(name text, cohort text) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_object_agg(metric, value) FROM pprepub.preview(name, cohort) WHERE metric IN ('rows', 'suppressed', 'counterfeits', 'dirty')
$$;

-- They leave, and some of them come back with another age: their key says who they are.
CREATE TABLE left_lately (id int);
CREATE PROCEDURE live() LANGUAGE plpgsql AS $$
BEGIN
	WITH gone AS (DELETE FROM people WHERE random() < 0.1 RETURNING id) INSERT INTO left_lately SELECT id FROM gone;
	WITH back AS (DELETE FROM left_lately WHERE random() < 0.3 RETURNING id)
	INSERT INTO people SELECT id, random() * 90, '10000', 'd1' FROM back ON CONFLICT DO NOTHING;
	PERFORM come(60);
END
$$;

CREATE PROCEDURE compare(name text, rounds int, OUT different int, OUT lost bigint) LANGUAGE plpgsql AS $$
DECLARE
	whole jsonb;
	asked jsonb;
BEGIN
	different := 0;
	FOR i IN 1..rounds LOOP
		whole := foreseen(name, NULL);
		asked := foreseen(name, 'age >= 0');
		different := different + (whole IS DISTINCT FROM asked)::int;
		IF whole IS DISTINCT FROM asked THEN
			RAISE WARNING '% %', whole, asked;
		END IF;
		PERFORM pprepub.publish(name);
		CALL live();
	END LOOP;
	lost := (asked->>'suppressed')::bigint;
END
$$;

SELECT come(1500) \g /dev/null
SELECT declare(repair || reserve, repair, reserve) FROM unnest('{none,dirty,minimal,counterfeit}'::text[]) repair, unnest('{1,3}'::int[]) reserve \g /dev/null
SELECT declare(key, 'dirty', 1, key) FROM unnest('{near,sparse,wide,word}'::text[]) key \g /dev/null
DO $$
DECLARE
	name text;
	different int;
	withheld bigint;
BEGIN
	CREATE TEMPORARY TABLE outcome (name text, different int, withheld bigint);
	FOR name IN SELECT p.name FROM pprepub.publication p ORDER BY 1 LOOP
		CALL compare(name, 12, different, withheld);
		INSERT INTO outcome VALUES (name, different, withheld);
	END LOOP;
END
$$;
SELECT is(different, 0, format('%s: a release of all and one of a cohort of everybody withhold as many', name)) FROM outcome ORDER BY name;
SELECT ok(withheld > 100, format('%s: neighborhoods were lost', name)) FROM outcome WHERE name !~ 'counterfeit' ORDER BY name;
SELECT ok(bool_and(holds), format('%s: and what was published is safe', name)) FROM outcome, pprepub.audit(name) GROUP BY name ORDER BY name;

-- Four people of one age, who are a class, and four of another.
TRUNCATE people;
INSERT INTO people SELECT i, 10 * (1 + i % 2), '10000', 'd' || i FROM generate_series(1, 8) i;
SELECT declare('eight', 'dirty', 1) \g /dev/null
SELECT is(rows || ' ' || suppressed, '8 0', 'two classes of four') FROM pprepub.publish('eight');
DELETE FROM people WHERE id = 1;
SELECT is(rows || ' ' || suppressed, '4 3', 'one of them left: the other three cannot be shown') FROM pprepub.publish('eight');
INSERT INTO people SELECT i, 10, '10000', 'd' || i FROM generate_series(11, 13) i;
SELECT is(rows || ' ' || suppressed, '4 6', 'nor are they company for newcomers, who are too few') FROM pprepub.publish('eight');
INSERT INTO people VALUES (14, 10, '10000', 'd14');
SELECT is(rows || ' ' || suppressed, '8 3', 'and then are not') FROM pprepub.publish('eight');
INSERT INTO people VALUES (1, 10, '10000', 'd1');
SELECT is(rows || ' ' || suppressed, '12 0', 'who has come back brings his company back') FROM pprepub.publish('eight');
SELECT ok(bool_and(equal), 'the history is what the log says') FROM pprepub.rebuild_history('eight');

-- Nor is a key that is written otherwise somebody else's, as if a lost person were a newcomer.
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE FUNCTION spelt(type text, number int, otherwise bool) RETURNS text LANGUAGE sql AS $$
	SELECT CASE type
		WHEN 'interval' THEN CASE WHEN otherwise THEN number * 24 || ' hours' ELSE number || ' days' END
		WHEN 'numeric' THEN CASE WHEN otherwise THEN number || '.00' ELSE number::text END
		WHEN 'text COLLATE any_case' THEN CASE WHEN otherwise THEN 'A' ELSE 'a' END || number
		ELSE CASE WHEN number > 1 THEN number::text WHEN otherwise THEN '-0' ELSE '0' END
	END
$$;
CREATE PROCEDURE put(type text, numbers int[], otherwise bool) LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM persons WHERE ill IN (SELECT 'd' || i FROM unnest(numbers) i);
	EXECUTE format('INSERT INTO persons SELECT spelt(%L, i, %L)::%s, 10 * (1 + i %% 2), ''d'' || i FROM unnest(%L::int[]) i',
		type, otherwise, split_part(type, ' ', 1), numbers);
END
$$;
CREATE PROCEDURE respell(type text, INOUT outcome text) LANGUAGE plpgsql AS $$
DECLARE
	shown text;
BEGIN
	outcome := '';
	EXECUTE format('CREATE TABLE persons (id %s PRIMARY KEY, age int, ill text)', type);
	PERFORM pprepub.create_publication('persons', 'persons', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "repair": "dirty", "reserve": 1}');
	FOR step IN 1..4 LOOP
		CASE step
			WHEN 1 THEN CALL put(type, '{1,2,3,4,5,6,7,8}', false);
			WHEN 2 THEN DELETE FROM persons WHERE ill = 'd3';
				CALL put(type, '{1,2,5,7}', true);
			WHEN 3 THEN CALL put(type, '{11,13,15}', false);
			WHEN 4 THEN CALL put(type, '{3}', true);
		END CASE;
		SELECT rows || ' ' || suppressed INTO shown FROM pprepub.publish('persons');
		outcome := outcome || shown || ', ';
	END LOOP;
	SELECT outcome || bool_and(holds) INTO outcome FROM pprepub.audit('persons');
	PERFORM pprepub.drop_publication('persons', forget_history => true);
	DROP TABLE persons;
END
$$;
DO $$
DECLARE
	type text;
	outcome text;
BEGIN
	CREATE TEMPORARY TABLE respelt (type text, outcome text);
	FOREACH type IN ARRAY '{interval,numeric,float8,text COLLATE any_case}'::text[] LOOP
		CALL respell(type, outcome);
		INSERT INTO respelt VALUES (type, outcome);
	END LOOP;
END
$$;
SELECT is(outcome, '8 0, 4 3, 4 6, 8 3, true', type || ': a key that is written otherwise is the same person''s') FROM respelt;

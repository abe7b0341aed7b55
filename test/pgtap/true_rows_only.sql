-- Repair "dirty": a group of which somebody has left is not shown until its places are taken again.

-- Four people of one age, who are a class, and four of another.
CREATE TABLE people AS SELECT i AS id, 10 * (1 + i % 2) AS age, '10000' AS zip, 'd' || i AS ill FROM generate_series(1, 8) i;
SELECT pprepub.create_publication('eight', 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 4, "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT is(rows || ' ' || suppressed, '8 0', 'two classes of four') FROM pprepub.publish('eight');
DELETE FROM people WHERE id = 1;
SELECT is(rows || ' ' || suppressed, '4 3', 'one of them left: the other three cannot be shown') FROM pprepub.publish('eight');
INSERT INTO people SELECT i, 10, '10000', 'd' || i FROM generate_series(11, 13) i;
SELECT is(rows || ' ' || suppressed, '4 6', 'nor are they company for newcomers, who are too few') FROM pprepub.publish('eight');
INSERT INTO people VALUES (14, 10, '10000', 'd14');
SELECT is(rows || ' ' || suppressed, '8 3', 'and then are not') FROM pprepub.publish('eight');
INSERT INTO people VALUES (1, 20, '10000', 'd1');
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

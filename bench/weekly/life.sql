-- Lives of everybody.  Newcomers have the rows of somebody else who was drawn.
CREATE UNIQUE INDEX ON everybody (number);
CREATE TABLE current AS SELECT number AS id, e.* FROM everybody e WHERE false;
ALTER TABLE current ADD PRIMARY KEY (id);
CREATE TABLE away (since int, who current);
-- The number of somebody, by lot.
CREATE FUNCTION drawn(id int8, seed int8) RETURNS int8 LANGUAGE sql STABLE AS $$
	SELECT 1 + (hashint8extended(id, seed) & 2147483647) % (SELECT max(number) FROM everybody)
$$;

CREATE PROCEDURE come(week int, n int) LANGUAGE sql AS $$
	INSERT INTO current SELECT 10000000 * week::int8 + i, e.* FROM generate_series(1, n) i JOIN everybody e ON number = drawn(10000000 * week::int8 + i, 1)
$$;

CREATE PROCEDURE change(ids int8[], seed int) LANGUAGE sql AS $$
	UPDATE current SET secret = other.secret FROM unnest(ids) i JOIN everybody other ON number = drawn(i, seed) WHERE id = i
$$;

-- People come back, and others move: one of these columns each.
CREATE PROCEDURE come_back(week int, n int, OUT returned int) LANGUAGE plpgsql AS $$
DECLARE
	ids int8[] := ARRAY(SELECT (who).id FROM away WHERE since < come_back.week ORDER BY hashint8extended((who).id, come_back.week) LIMIT n);
BEGIN
	INSERT INTO current SELECT (who).* FROM away WHERE (who).id = ANY (ids);
	DELETE FROM away WHERE (who).id = ANY (ids);
	INSERT INTO unsteady SELECT i, come_back.week FROM unnest(ids) i ON CONFLICT (id) DO UPDATE SET week = excluded.week;
	CALL change(ids[:cardinality(ids) / 2], week);
	returned := cardinality(ids);
END
$$;

CREATE PROCEDURE move(week int, n int, columns text[]) LANGUAGE plpgsql AS $$
DECLARE
	ids int8[] := ARRAY(SELECT id FROM current ORDER BY hashint8extended(id, -1000 - move.week) LIMIT n);
BEGIN
	FOR i IN 1 .. cardinality(columns) LOOP
		EXECUTE format('UPDATE current SET %1$I = other.%1$I FROM unnest($1) WITH ORDINALITY m (id, place) JOIN everybody other ON number = drawn(m.id, $2)
			WHERE current.id = m.id AND place %% $3 = $4 - 1', columns[i]) USING ids, week, cardinality(columns), i;
	END LOOP;
	INSERT INTO unsteady SELECT i, move.week FROM unnest(ids) i ON CONFLICT (id) DO UPDATE SET week = excluded.week;
END
$$;

CREATE PROCEDURE pass(life text, week int, moves text[]) LANGUAGE plpgsql AS $$
DECLARE
	people int := (SELECT count(*) FROM current);
	back int := (SELECT count(*) FROM away) / 20;
	returned int := 0;
	changing int8[];
BEGIN
	IF life = 'whole' AND week = 6 THEN
		RETURN;
	END IF;
	WITH gone AS (DELETE FROM current WHERE id IN (SELECT id FROM current ORDER BY hashint8extended(id, pass.week) LIMIT people / 20) RETURNING current AS who)
	INSERT INTO away SELECT pass.week, who FROM gone;
	IF life = 'whole' THEN
		CALL come_back(week, back, returned);
	END IF;
	CALL come(week, people / 20 - returned);
	changing := ARRAY(SELECT id FROM current ORDER BY hashint8extended(id, -pass.week) LIMIT people / 100);
	CALL change(changing, -week);
	IF life = 'whole' THEN
		CALL move(week, people / 200, moves);
	END IF;
END
$$;

CREATE PROCEDURE begin_life(people int) LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE current, away;
	CALL come(1, people);
END
$$;

-- The weeks of everybody, once for each life and each set of parameters.  Newcomers have the rows of somebody else who was drawn.
SET max_parallel_workers_per_gather = 0;
\pset footer off
CREATE UNIQUE INDEX ON everybody (number);
CREATE TABLE current AS SELECT number AS id, e.* FROM everybody e WHERE false;
ALTER TABLE current ADD PRIMARY KEY (id);
CREATE TABLE away (since int, who current);
-- People who have come back or moved, and when they did so last.
CREATE TABLE unsteady (id int8 PRIMARY KEY, week int);
CREATE TABLE run (life text, params jsonb, week int, people float8, withheld float8, invented float8, loss float8, stale float8, seconds float8,
	unsteady float8, unsteady_withheld float8, live float8);

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

-- By the log: people who show another value than theirs, and those who came back or moved and are not shown.
SET check_function_bodies = off;
CREATE FUNCTION looked_up(number int, OUT stale float8, OUT unsteady float8, OUT unsteady_withheld float8) LANGUAGE sql AS $$
	WITH shown AS MATERIALIZED (
		SELECT unnest(keys) AS id, unnest(sensitive[:cardinality(keys)]) AS secret FROM published_private.current_members WHERE release = number),
		there AS (SELECT c.id, s.id IS NULL AS is_withheld FROM unsteady u JOIN current c USING (id) LEFT JOIN shown s USING (id))
	SELECT (SELECT count(*) FROM shown JOIN current c USING (id) WHERE shown.secret IS DISTINCT FROM c.secret),
		(SELECT count(*) FROM there), (SELECT count(*) FROM there WHERE is_withheld)
$$;
RESET check_function_bodies;

-- Returns how many rows all of the live table has.
CREATE FUNCTION ask() RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	n int8;
	condition text;
BEGIN
	EXECUTE 'SELECT count(*) FROM (SELECT * FROM published.current_now OFFSET 0) everybody' INTO n;
	FOREACH condition IN ARRAY '{age < 30,age BETWEEN 30 AND 45,age >= 60}'::text[] LOOP
		EXECUTE format('SELECT count(*) FROM (SELECT * FROM published.current_now WHERE %s OFFSET 0) cohort', condition);
	END LOOP;
	RETURN n;
END
$$;

CREATE PROCEDURE live(life text, given jsonb, weeks int, people int, qis jsonb, moves text[]) LANGUAGE plpgsql AS $$
DECLARE
	made record;
	asked int8;
BEGIN
	TRUNCATE current, away, unsteady;
	CALL come(1, people);
	PERFORM pprepub.create_publication('current', 'current', 'id', qis, 'secret', 'bpg', '{"k": 10, "l": 3, "max_answers_per_statement": 1000000}' || given);
	FOR week IN 1 .. weeks LOOP
		COMMIT;
		SELECT * INTO made FROM pprepub.publish('current');
		COMMIT;
		IF life = 'whole' AND week = 3 THEN
			SELECT * INTO made FROM pprepub.publish('current');
			COMMIT;
		END IF;
		asked := CASE life WHEN 'whole' THEN ask() END;
		COMMIT;
		INSERT INTO run SELECT life, given, week, n, made.suppressed / n, made.counterfeits / n, m.value / 100 * (1 - made.suppressed / n), l.stale / n, made.seconds,
			l.unsteady, l.unsteady_withheld, asked / nullif(made.rows, 0)::float8
		FROM (SELECT count(*)::float8 AS n FROM current) p, pprepub.metrics('current', made.number) m, looked_up(made.number) l WHERE m.metric = 'loss_percent';
		COMMIT;
		CALL pass(life, week + 1, moves);
	END LOOP;
	PERFORM pprepub.drop_publication('current', true);
	COMMIT;
END
$$;

SELECT format('CALL live(%L, %L, %s, %s, %L, %L)', life, params, :weeks, :people, :'qis', :'moves')
FROM unnest(:'lives'::text[]) life, unnest(:'settings'::text[]) params \gexec

\echo
\echo shares of the people; cost is loss, invented and withheld together; {} are the defaults
\echo unsteady: withheld of those who have come back or moved; live: rows of all of the live table by rows of the release
SELECT life, weeks, params, round(avg(loss)::numeric, 3) AS loss, round(avg(invented)::numeric, 3) AS invented, round(avg(withheld)::numeric, 3) AS withheld,
	round(avg(stale)::numeric, 3) AS stale, round(avg(loss + invented + withheld)::numeric, 3) AS cost,
	round((sum(unsteady_withheld) / nullif(sum(unsteady), 0))::numeric, 3) AS unsteady, round(avg(live)::numeric, 2) AS live, round(avg(seconds)::numeric, 2) AS seconds
FROM run, LATERAL (VALUES ('mean'), ('week ' || :weeks)) w (weeks) WHERE weeks = 'mean' OR week = :weeks GROUP BY 1, 2, 3 ORDER BY life, weeks, cost;

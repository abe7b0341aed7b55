-- The weeks of everybody, once for each set of parameters.  Newcomers have the rows of somebody else who was drawn.
SET max_parallel_workers_per_gather = 0;
\pset footer off
\set people 20000
CREATE UNIQUE INDEX ON everybody (number);
CREATE TABLE current AS SELECT number AS id, e.* FROM everybody e WHERE false;
ALTER TABLE current ADD PRIMARY KEY (id);
CREATE TABLE run (params jsonb, week int, withheld float8, invented float8, loss float8, seconds float8, stale float8, age float8);
-- Illnesses that people have had, from which week on.
CREATE TABLE had (id int, since int, secret text);
CREATE INDEX ON had (id);

CREATE PROCEDURE come(week int, n int) LANGUAGE sql AS $$
	INSERT INTO current SELECT 100000 * week + i, e.*
	FROM generate_series(1, n) i JOIN everybody e ON number = 1 + (hashint8extended(100000 * week + i, 1) & 2147483647) % (SELECT count(*) FROM everybody)
$$;

CREATE PROCEDURE pass(week int) LANGUAGE sql AS $$
	DELETE FROM current WHERE id IN (SELECT id FROM current ORDER BY hashint8extended(id, week) LIMIT 1000);
	CALL come(week, 1000);
	UPDATE current SET secret = other.secret FROM everybody other
	WHERE id IN (SELECT id FROM current ORDER BY hashint8extended(id, -week) LIMIT 200) AND other.number = 1 + id * week % 32561;
$$;

-- The share of the people who show an older value, and how many releases old it is: by the log, where it tells.
SET check_function_bodies = off;
CREATE FUNCTION staleness(week int, OUT stale float8, OUT age float8) LANGUAGE sql AS $$
	WITH shown AS (SELECT unnest(keys) AS id, unnest(sensitive[:cardinality(keys)]) AS secret FROM published_private.current_members WHERE release = week),
		old AS (SELECT min(since) AS since FROM shown JOIN current USING (id) JOIN had USING (id)
			WHERE shown.secret IS DISTINCT FROM current.secret AND had.since > coalesce((SELECT max(since) FROM had h WHERE h.id = shown.id AND h.secret IS NOT DISTINCT FROM shown.secret), 0)
			GROUP BY id)
	SELECT count(*) / 20000.0, avg(week - since + 1) FROM old
$$;
RESET check_function_bodies;

CREATE PROCEDURE live(given jsonb, weeks int, qis jsonb) LANGUAGE plpgsql AS $$
DECLARE
	made record;
BEGIN
	TRUNCATE current, had;
	CALL come(1, 20000);
	PERFORM pprepub.create_publication('current', 'current', 'id', qis, 'secret', 'bpg', '{"k": 10, "l": 3}' || given);
	FOR week IN 1 .. weeks LOOP
		INSERT INTO had SELECT id, week, secret FROM current c WHERE secret IS DISTINCT FROM (SELECT secret FROM had h WHERE h.id = c.id ORDER BY since DESC LIMIT 1)
			OR NOT EXISTS (SELECT FROM had h WHERE h.id = c.id);
		COMMIT;
		SELECT * INTO made FROM pprepub.publish('current');
		INSERT INTO run SELECT given, week, made.suppressed / 20000.0, made.counterfeits / 20000.0, value / 100 * (1 - made.suppressed / 20000.0), made.seconds, s.stale, s.age
		FROM pprepub.metrics('current', week), staleness(week) s WHERE metric = 'loss_percent';
		COMMIT;
		CALL pass(week + 1);
	END LOOP;
	PERFORM pprepub.drop_publication('current', true);
	COMMIT;
END
$$;

SELECT format('CALL live(%L, %s, %L)', params, :weeks, :'qis') FROM unnest(:'settings'::text[]) params \gexec

\echo
\echo shares of the people, averages of the first releases; cost is all three together; {} are the defaults
\echo stale: who show an older value than they have; releases_old: how many releases ago they got it, on average
SELECT weeks, params, round(avg(withheld)::numeric, 3) AS withheld, round(avg(invented)::numeric, 3) AS invented, round(avg(loss)::numeric, 3) AS loss,
	round(avg(withheld + invented + loss)::numeric, 3) AS cost, round(avg(seconds)::numeric, 3) AS seconds,
	round(avg(stale)::numeric, 4) AS stale, round((sum(stale * age) / nullif(sum(stale), 0))::numeric, 1) AS releases_old,
	round(max(loss) FILTER (WHERE week = weeks)::numeric, 3) AS last_loss
FROM run, unnest(ARRAY[10, :weeks]) weeks WHERE week <= weeks GROUP BY 1, 2 ORDER BY weeks, cost;

-- The weeks of table or view "current", once for each life and each set of parameters.  begin_life() and pass() say what happens.
SET max_parallel_workers_per_gather = 0;
\pset footer off
-- People who have come back or moved, and when they did so last.
CREATE TABLE unsteady (id int8 PRIMARY KEY, week int);
CREATE TABLE run (life text, params jsonb, week int, people float8, withheld float8, invented float8, loss float8, stale float8, seconds float8,
	unsteady float8, unsteady_withheld float8, live float8, moving float8, moved_again float8, changed_again float8);
CREATE TABLE jointly (life text, params jsonb, known float8, below bigint, in_doubt bigint, seconds float8);

-- By the log: people who show another value than theirs, and those who came back or moved and are not shown.
SET check_function_bodies = off;
CREATE FUNCTION looked_up(number int, OUT stale float8, OUT unsteady float8, OUT unsteady_withheld float8) LANGUAGE sql AS $$
	WITH shown AS MATERIALIZED (
		SELECT unnest(keys) AS id, unnest(sensitive[:cardinality(keys)]) AS secret FROM published_private.current_members WHERE release = number),
		there AS (SELECT c.id, s.id IS NULL AS is_withheld FROM unsteady u JOIN current c USING (id) LEFT JOIN shown s USING (id))
	SELECT (SELECT count(*) FROM shown JOIN current c USING (id) WHERE shown.secret IS DISTINCT FROM c.secret),
		(SELECT count(*) FROM there), (SELECT count(*) FROM there WHERE is_withheld)
$$;
-- People who sit elsewhere than in the release before, and rows that show another value.
CREATE FUNCTION differing(number int, OUT moved bigint, OUT changed bigint) LANGUAGE sql AS $$
	WITH shown AS MATERIALIZED (
		SELECT release, "group", unnest(places) AS place, unnest(keys) AS id, unnest(sensitive) AS secret FROM published_private.current_members WHERE release IN (number, number - 1))
	SELECT count(*) FILTER (WHERE a.id IS DISTINCT FROM b.id), count(*) FILTER (WHERE a.secret <> b.secret)
	FROM (SELECT * FROM shown WHERE release < number) a FULL JOIN (SELECT * FROM shown WHERE release = number) b USING ("group", place)
$$;
RESET check_function_bodies;

-- About cohorts, or first about everybody: returns how many rows all of the live table has.
CREATE FUNCTION ask(all_of_it boolean DEFAULT true) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
	n int8;
	condition text;
BEGIN
	IF all_of_it THEN
		EXECUTE 'SELECT count(*) FROM (SELECT * FROM published.current_now OFFSET 0) everybody' INTO n;
	END IF;
	FOREACH condition IN ARRAY '{age < 30,age BETWEEN 30 AND 45,age >= 60}'::text[] LOOP
		EXECUTE format('SELECT count(*) FROM (SELECT * FROM published.current_now WHERE %s OFFSET 0) cohort', condition);
	END LOOP;
	RETURN n;
END
$$;

-- What observers who know nobody's value find out of all releases and answers, by the rules and by ties, all taken together.
SET pprepub.search_budget = :'budget';
CREATE PROCEDURE find_out(life text, given jsonb) LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz := clock_timestamp();
	found record;
BEGIN
	SELECT count(DISTINCT key) AS known, count(DISTINCT key) FILTER (WHERE cardinality(candidates) < 3) AS below, count(DISTINCT key) FILTER (WHERE NOT exact) AS in_doubt
	INTO found FROM pprepub.compromise('current', '{}');
	INSERT INTO jointly SELECT life, given, found.known, found.below, found.in_doubt, extract(epoch FROM clock_timestamp() - start);
END
$$;

CREATE PROCEDURE live(life text, given jsonb, weeks int, people int, qis jsonb, moves text[]) LANGUAGE plpgsql AS $$
DECLARE
	made record;
	asked int8;
	again record;
BEGIN
	TRUNCATE unsteady;
	CALL begin_life(people);
	PERFORM pprepub.create_publication('current', 'current', 'id', qis, 'secret', 'bpg', '{"k": 10, "l": 3, "max_answers_per_statement": 1000000}' || given);
	FOR week IN 1 .. weeks LOOP
		COMMIT;
		IF life = 'curious' AND week > 1 THEN
			PERFORM ask(false);
			COMMIT;
		END IF;
		SELECT * INTO made FROM pprepub.publish('current');
		COMMIT;
		again := differing(0);
		IF life <> 'plain' AND week = 3 THEN
			SELECT * INTO made FROM pprepub.publish('current');
			again := differing(made.number);
			COMMIT;
		END IF;
		asked := CASE WHEN life NOT IN ('plain', 'unasked') THEN ask() END;
		COMMIT;
		INSERT INTO run SELECT life, given, week, n, made.suppressed / n, made.counterfeits / n, m.value / 100 * (1 - made.suppressed / n), l.stale / n, made.seconds,
			l.unsteady, l.unsteady_withheld, asked / nullif(made.rows, 0)::float8,
			(SELECT value / 100 FROM pprepub.metrics('current', made.number) WHERE metric = 'loss_percent of ' || moves[cardinality(moves)]), again.moved, again.changed
		FROM (SELECT count(*)::float8 AS n FROM current) p, pprepub.metrics('current', made.number) m, looked_up(made.number) l WHERE m.metric = 'loss_percent';
		COMMIT;
		CALL pass(life, week + 1, moves);
	END LOOP;
	IF life <> 'plain' THEN
		CALL find_out(life, given);
		COMMIT;
	END IF;
	PERFORM pprepub.drop_publication('current', true);
	COMMIT;
END
$$;

SELECT format('CALL live(%L, %L, %s, %s, %L, %L)', life, params, :weeks, :people, :'qis', :'moves')
FROM unnest(:'lives'::text[]) life, unnest(:'settings'::text[]) params \gexec

\echo
\echo shares of the people; cost is loss, invented and withheld together; {} are the defaults
\echo unsteady: withheld of those who have come back or moved; live: rows of all of the live table by rows of the release
\echo moving: loss of the last column that moves; again: places of which a second release at once shows other people, and other values
SELECT life, weeks, params, round(avg(loss)::numeric, 3) AS loss, round(avg(invented)::numeric, 3) AS invented, round(avg(withheld)::numeric, 3) AS withheld,
	round(avg(stale)::numeric, 3) AS stale, round(avg(loss + invented + withheld)::numeric, 3) AS cost,
	round((sum(unsteady_withheld) / nullif(sum(unsteady), 0))::numeric, 3) AS unsteady, round(avg(live)::numeric, 2) AS live,
	round(avg(moving)::numeric, 3) AS moving, sum(moved_again) || ', ' || sum(changed_again) AS again, round(avg(seconds)::numeric, 2) AS seconds
FROM run, (SELECT DISTINCT least(n, :weeks) AS until FROM unnest('{10,12,26,50,1000}'::int[]) n) u, LATERAL (VALUES ('to ' || until, 1), ('week ' || until, until)) w (weeks, since)
WHERE week BETWEEN since AND until GROUP BY 1, 2, 3, until, since ORDER BY life, since > 1, until, cost;

\echo
\echo people who are known, from all of it, to lack a value that their group showed; to have fewer than l = 3; and of whom more may follow
SELECT life, params, known, below, in_doubt, round(seconds::numeric, 1) AS seconds FROM jointly ORDER BY life, params;

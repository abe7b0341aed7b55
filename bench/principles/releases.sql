-- previews of one table by one principle after the other, beside distinct l.
--
-- Variables: source, a table with a column id; qis; secret, its sensitive column; runs.
-- Strengths are those of principles_bench.c, which says how they are chosen, for S = 3. Principles take turns.
\set S 3
SET client_min_messages = error;
SELECT max(rows) / sum(rows) AS p, sum(rows) AS people
FROM (SELECT count(*)::numeric AS rows FROM :source WHERE :secret IS NOT NULL GROUP BY :secret) value \gset

CREATE TEMP TABLE condition AS
SELECT row_number() OVER () AS number, name, params
FROM (VALUES
	('distinct', jsonb_build_object('l', :S)),
	('k alone', jsonb_build_object('l', 1)),
	('frequency', jsonb_build_object('l', 1, 'frequency', :S)),
	('entropy', jsonb_build_object('l', 1, 'entropy', :S)),
	('recursive', jsonb_build_object('l', 1, 'recursive', :S, 'c', 1)),
	('t', jsonb_build_object('l', 1, 't', trunc(1.0 / :S - :p, 6), 'distance', 'equal')),
	('beta', jsonb_build_object('l', 1, 'beta', trunc(1 / (:S * :p) - 1, 6))),
	('delta', jsonb_build_object('l', 1, 'delta', trunc(ln(1 / (:S * :p)), 6))),
	('weak frequency', jsonb_build_object('l', 1, 'frequency', 1.01)),
	('weak entropy', jsonb_build_object('l', 1, 'entropy', 1.01))
) condition (name, params)
WHERE name NOT IN ('t', 'beta', 'delta') OR :S * :p < 1;

SELECT pprepub.create_publication('principle_' || number, source => :'source'::regclass, key => 'id', quasi_identifiers => :'qis',
	sensitive => :'secret', method => 'bpg', params => params || '{"k": 10, "repair": "dirty", "reserve": 1}',
	beside => ARRAY(SELECT 'principle_' || other FROM generate_series(1, number - 1) other)::name[])
FROM condition ORDER BY number \g /dev/null

CREATE TEMP TABLE run (number bigint, metric text, value float8);
CREATE OR REPLACE PROCEDURE pg_temp.measure(runs int) LANGUAGE plpgsql AS $$
DECLARE
	number bigint;
	start timestamptz;
BEGIN
	FOR i IN 1..runs LOOP
		FOR number IN SELECT c.number FROM condition c ORDER BY 1 LOOP
			start := clock_timestamp();
			INSERT INTO run SELECT number, p.metric, p.value FROM pprepub.preview('principle_' || number) p;
			INSERT INTO run VALUES (number, 'preview', extract(epoch FROM clock_timestamp() - start));
		END LOOP;
	END LOOP;
END
$$;
CALL pg_temp.measure(:runs);


-- The greatest share of a value in a class, of a first release.
CREATE OR REPLACE FUNCTION pg_temp.published(number bigint, secret name) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	release pprepub.release := pprepub.publish('principle_' || number);
	posterior float8;
BEGIN
	EXECUTE format('SELECT max(rows / of_all) FROM (
		SELECT count(*)::float8 AS rows, sum(count(*)) OVER (PARTITION BY class) AS of_all FROM %s GROUP BY class, %I) value',
		release.relation, secret) INTO posterior;
	INSERT INTO run VALUES (number, 'publish', release.seconds), (number, 'posterior', posterior);
END
$$;
SELECT pg_temp.published(number, :'secret') FROM condition ORDER BY number \g /dev/null

\echo
SELECT format('%s: %s people, %s, the commonest value has %s of them; previews are medians of %s, each publish is one', :'source', :people, :'secret', round(:p, 3), :runs) AS title \gset
\echo :title
WITH figure AS (
	SELECT number, metric, percentile_cont(0.5) WITHIN GROUP (ORDER BY value)::numeric AS median FROM run GROUP BY number, metric
),
line AS (
	SELECT number, jsonb_object_agg(metric, median) AS at FROM figure GROUP BY number
)
SELECT name AS principle, params - 'l' - 'distance' AS strength,
	round((at->>'preview')::numeric, 3) AS preview_s,
	round((at->>'preview')::numeric / (first_value(at) OVER (ORDER BY number)->>'preview')::numeric, 2) AS ratio,
	round((at->>'partition_seconds')::numeric, 3) AS partition_s,
	round((at->>'publish')::numeric, 3) AS publish_s,
	round((at->>'publish')::numeric / (first_value(at) OVER (ORDER BY number)->>'publish')::numeric, 2) AS ratio,
	round((at->>'classes')::numeric) AS classes, round((at->>'loss_percent')::numeric / 100, 5) AS "LM/cell",
	round((at->>'posterior')::numeric, 3) AS posterior, round((at->>'suppressed')::numeric) AS withheld
FROM line JOIN condition USING (number) ORDER BY number;

SELECT pprepub.drop_publication('principle_' || number, forget_history => true) FROM condition \g /dev/null
DROP TABLE condition, run;

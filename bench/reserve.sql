-- Costs of a reserve, chosen or declared: 20,000 people, of whom 1, 5 or 20 % are replaced from release to release, 10 and
-- 50 releases, or 2.5 %, 40 releases; k = 10, l = 3, four quasi-identifiers, repair "counterfeit": test/run bench reserve
--
-- The cost of a release is the average loss of a cell, and the people withheld and rows invented for each person of the
-- source. auto: with what is usual; and told of the horizon, and before the second release of the churn.
\i test/data/census.sql
\i test/data/census_levels.sql
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;

\set people 20000
CREATE TABLE people AS SELECT row_number() OVER (ORDER BY hashint8extended(id, 42)) AS number, * FROM census(220000);
CREATE UNIQUE INDEX ON people (number);
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,country}'::text[]) name \g /dev/null

CREATE TABLE current (id int PRIMARY KEY, age int, sex text, education text, country text, salary_class int);
CREATE TABLE run (churn numeric, last int, params text, release int, withheld float8, invented float8, loss float8, seconds float8);

CREATE PROCEDURE come(first int, last int) LANGUAGE sql AS $$
	INSERT INTO current SELECT id, age, sex, education, country, salary_class FROM people WHERE number BETWEEN first AND last
$$;

CREATE PROCEDURE live(churn numeric, last int, given jsonb) LANGUAGE plpgsql AS $$
DECLARE
	rate int := 20000 * churn / 100;
	made record;
BEGIN
	TRUNCATE current;
	CALL come(1, 20000);
	PERFORM pprepub.create_publication('current', 'current', 'id',
		'{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country"}',
		'salary_class', 'bpg', '{"k": 10, "l": 3}' || given);
	FOR n IN 1 .. last LOOP
		COMMIT;
		SELECT * INTO made FROM pprepub.publish('current');
		INSERT INTO run SELECT churn, last, given::text, n, made.suppressed / 20000.0, made.counterfeits / 20000.0, value / 4 * (1 - made.suppressed / 20000.0), made.seconds
		FROM pprepub.metrics('current', n) WHERE metric = 'ail';
		COMMIT;
		DELETE FROM current WHERE id IN (SELECT id FROM current ORDER BY hashint8extended(id, n) LIMIT rate);
		CALL come(20001 + (n - 1) * rate, 20000 + n * rate);
	END LOOP;
	PERFORM pprepub.drop_publication('current', true);
	COMMIT;
END
$$;

-- Enough releases that there are people enough.
SELECT format('CALL live(%s, %s, ''{"repair": "counterfeit"}''::jsonb || %L)', churn, last, params)
FROM (SELECT churn, last FROM unnest('{1,5,20}'::numeric[]) churn, unnest('{10,50}'::int[]) last UNION VALUES (2.5, 40)) lives,
	LATERAL (VALUES ('{"reserve": 1}'), ('{"reserve": 5}'), ('{"reserve": 10}'), ('{"reserve": 20}'), ('{"reserve": "auto"}'),
		(format('{"reserve": "auto", "horizon": %s, "churn": %s}', last, churn / 100.0))) p(params)
ORDER BY churn, last \gexec

\echo
\echo costs, averages of the releases
SELECT churn, last AS releases, params - 'repair' AS params, round(avg(loss)::numeric, 3) AS loss, round(avg(withheld)::numeric, 3) AS withheld,
	round(avg(invented)::numeric, 3) AS invented, round(avg(loss + withheld + invented)::numeric, 3) AS cost, round(avg(seconds)::numeric, 3) AS seconds
FROM (SELECT churn, last, params::jsonb AS params, release, withheld, invented, loss, seconds FROM run) r GROUP BY 1, 2, 3 ORDER BY 1, 2, cost;

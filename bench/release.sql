-- A release beside what PostgreSQL does with the same rows, and how the matching of arrivals grows: test/run bench release
--
-- 200,000 people, of whom 5 % leave and as many come from release to release; k = 10, l = 3, the other parameters by default.
-- plain is CREATE TABLE AS SELECT … ORDER BY of the source, made before and after the release: the mean of both. History is
-- what is read of the past, and written: log, groups and places. Matching is all that seats people, of 100,000 to 800,000.
\i test/data/census.sql
\i test/data/census_levels.sql
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;

CREATE TABLE everybody AS SELECT row_number() OVER (ORDER BY hashint8extended(id, 42)) AS number, * FROM census(1000000);
CREATE UNIQUE INDEX ON everybody (number);
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,country}'::text[]) name \g /dev/null
CREATE TABLE current (id int PRIMARY KEY, age int, sex text, education text, country text, salary_class int);
CREATE TABLE run (people int, release int, seconds float8, plain float8, phases jsonb);

CREATE PROCEDURE come(first int, last int) LANGUAGE sql AS $$
	INSERT INTO current SELECT id, age, sex, education, country, salary_class FROM everybody WHERE number BETWEEN first AND last
$$;

CREATE PROCEDURE sort_plainly(INOUT seconds float8) LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz := clock_timestamp();
BEGIN
	CREATE TABLE copy AS SELECT id::bigint AS class, age, sex, education, country, salary_class FROM current
		ORDER BY age, sex COLLATE "C", education COLLATE "C", country COLLATE "C";
	seconds := extract(epoch FROM clock_timestamp() - start);
	DROP TABLE copy;
	COMMIT;
END
$$;

CREATE PROCEDURE live(people int, releases int) LANGUAGE plpgsql AS $$
DECLARE
	leave int := people / 20;
	before float8;
	after float8;
BEGIN
	TRUNCATE current;
	CALL come(1, people);
	PERFORM pprepub.create_publication('current', 'current', 'id',
		'{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country"}',
		'salary_class', 'bpg', '{"k": 10, "l": 3}');
	FOR n IN 1 .. releases LOOP
		COMMIT;
		CALL sort_plainly(before);
		PERFORM pprepub.publish('current');
		COMMIT;
		CALL sort_plainly(after);
		INSERT INTO run SELECT people, n, r.seconds, (before + after) / 2, r.phases FROM pprepub_internal.catalog_release r WHERE number = n;
		DELETE FROM current WHERE id IN (SELECT id FROM current ORDER BY hashint8extended(id, n) LIMIT leave);
		CALL come(people + 1 + (n - 1) * leave, people + n * leave);
	END LOOP;
	PERFORM pprepub.drop_publication('current', true);
END
$$;

CALL live(200000, 12);
CALL live(100000, 5);
CALL live(400000, 5);
CALL live(800000, 5);

CREATE FUNCTION median_of(float8[]) RETURNS numeric LANGUAGE sql IMMUTABLE AS
	$$ SELECT (percentile_cont(0.5) WITHIN GROUP (ORDER BY x))::numeric FROM unnest($1) x $$;
CREATE AGGREGATE median(float8) (SFUNC = array_append, STYPE = float8[], INITCOND = '{}', FINALFUNC = median_of);

CREATE VIEW figure AS
SELECT people, release, seconds, plain,
	(SELECT sum(value::float8) FROM jsonb_each_text(phases) WHERE key IN ('read history', 'guard history', 'write history', 'replace groups')) AS history,
	(SELECT sum(value::float8) FROM jsonb_each_text(phases) WHERE key LIKE 'seat %') AS matching
FROM run;

\echo
\echo a release of 200,000 people, the first and the median of eleven later ones, beside CREATE TABLE AS … ORDER BY; the share of history
SELECT CASE WHEN release = 1 THEN 'first' ELSE 'later' END AS releases, round(median(seconds), 3) AS release_s, round(median(plain), 3) AS plain_s,
	round(median(seconds / plain), 2) AS ratio, round(median(history), 3) AS history_s, round(100 * median(history / seconds)) AS history_pct
FROM figure WHERE people = 200000 GROUP BY 1 ORDER BY 1;

\echo
\echo people seated in releases 2 to 5: where it takes n log n, each doubling adds as many microseconds a person
SELECT people, people / 20 AS arrivals, round(median(matching), 3) AS matching_s,
	round(1e6 * median(matching) / (people / 20), 1) AS us_a_person
FROM figure WHERE release BETWEEN 2 AND 5 GROUP BY people ORDER BY people;

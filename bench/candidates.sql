-- The experiments of Riboni and Bettini, section 5: 200,000 people of whom 10 % are replaced from release to
-- release, 21 times, and 60,000 of whom 33 % are, 24 times; m = 6, n = 3, four quasi-identifiers, 50 sensitive
-- values; m-invariance, cor-split and bpg beside each other: test/run bench candidates
--
-- Times are those of publish(), history included; plain is CREATE TABLE AS SELECT … ORDER BY of the same rows.
-- unsafe counts classes that share all but one or two of their people with an earlier class that shows the same
-- values (Figure 7), invented the counterfeits of all releases (Figure 8), error is the median relative error of
-- counts over random boxes (Figure 9).
\i test/data/census.sql
\i test/data/census_levels.sql
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;

CREATE TABLE people AS SELECT row_number() OVER (ORDER BY hashint8extended(id, 42)) AS number, * FROM census(600000);
CREATE UNIQUE INDEX ON people (number);
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,country}'::text[]) name \g /dev/null

CREATE TABLE current (id int PRIMARY KEY, age int, sex text, education text, country text, salary_class int);
CREATE TABLE run (scenario text, method text, release int, seconds float8, history float8, plain float8, classes bigint,
	counterfeits bigint, fem float8, vem float8, lm float8);
CREATE TABLE unsafe (scenario text, method text, release int, classes bigint);
CREATE TABLE error (scenario text, method text, width int, error float8);

CREATE PROCEDURE come(first bigint, last bigint) LANGUAGE sql AS $$
	INSERT INTO current SELECT id, age, sex, education, country, salary_class FROM people WHERE number BETWEEN first AND last
$$;

-- How far counts over boxes of age and salary are off, if rows lie evenly in their cells, in the last release of a method:
-- 300 boxes for each width, where the paper has 10,000.
CREATE PROCEDURE query(scenario text, publication text, method text) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TEMP TABLE truth AS SELECT age, salary_class, count(*) AS n FROM current GROUP BY 1, 2;
	EXECUTE format('CREATE TEMP TABLE cell AS SELECT coalesce(lower(age), 0) AS low, coalesce(upper(age), 150) AS high, salary_class, count(*) AS n FROM published.%I GROUP BY 1, 2, 3', publication);
	PERFORM setseed(0.5);
	INSERT INTO error
	SELECT query.scenario, query.method, width, percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(estimate - real) / real) FROM (
		SELECT width, q.i,
			(SELECT sum(n * greatest(0, least(high, q.age + width) - greatest(low, q.age))::float8 / (high - low)) FROM cell
				WHERE salary_class BETWEEN q.salary AND q.salary + 9) AS estimate,
			(SELECT sum(n)::float8 FROM truth t WHERE t.age >= q.age AND t.age < q.age + width AND t.salary_class BETWEEN q.salary AND q.salary + 9) AS real
		FROM (VALUES (2), (6), (14)) s(width), (SELECT i, 20 + (random() * 40)::int AS age, (random() * 40)::int AS salary FROM generate_series(1, 300) i) q) e
	WHERE real > 0 GROUP BY width;
	DROP TABLE truth, cell;
END $$;

CREATE PROCEDURE live(scenario text, size int, rate int, rounds int) LANGUAGE plpgsql AS $$
DECLARE
	last bigint := size;
	start timestamptz;
	plain float8;
	one record;
BEGIN
	TRUNCATE current;
	CALL come(1, size);
	FOR one IN SELECT * FROM (VALUES ('a', 'm-invariance', '{"m": 6}'), ('b', 'cor-split', '{"m": 6, "n": 3}'), ('c', 'bpg', '{"k": 6, "l": 6, "reserve": 20}')) v(name, method, params) LOOP
		PERFORM pprepub.create_publication(one.name, 'current', 'id',
			'{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country"}',
			'salary_class', one.method, one.params::jsonb, beside => ARRAY(SELECT name FROM pprepub.publication));
	END LOOP;
	FOR n IN 1 .. rounds LOOP
		COMMIT;
		start := clock_timestamp();
		CREATE TEMP TABLE sorted AS SELECT * FROM current ORDER BY age, sex, education, country, salary_class;
		plain := extract(epoch FROM clock_timestamp() - start);
		DROP TABLE sorted;
		FOR one IN SELECT p.name, p.method FROM pprepub.publication p ORDER BY name LOOP
			COMMIT;
			PERFORM pprepub.publish(one.name);
			INSERT INTO run SELECT scenario, one.method, n, c.seconds, c.history_seconds, live.plain, c.classes, c.counterfeits,
				m.value[1], m.value[3], m.value[2] / c.rows / 4
			FROM (SELECT plain) live, pprepub.catalog_publication k JOIN pprepub.catalog_release c USING (publication),
				(SELECT array_agg(value ORDER BY metric) AS value FROM pprepub.metrics(one.name, n) WHERE metric IN ('fem', 'lm', 'vem')) m
			WHERE k.name = one.name AND c.number = n;
		END LOOP;
		EXIT WHEN n = rounds;
		DELETE FROM current WHERE id IN (SELECT id FROM current ORDER BY hashint8extended(id, n) LIMIT rate);
		CALL come(last + 1, last + rate);
		last := last + rate;
	END LOOP;
	COMMIT;
END $$;

CREATE PROCEDURE look(scenario text) LANGUAGE plpgsql AS $$
DECLARE
	one record;
BEGIN
	FOR one IN SELECT p.name, p.method FROM pprepub.publication p WHERE method <> 'bpg' ORDER BY name LOOP
		INSERT INTO unsafe SELECT scenario, one.method, release_b, count(DISTINCT class_b)
			FROM pprepub.historical_correlations(one.name) WHERE unmatched < 3 GROUP BY release_b;
	END LOOP;
	FOR one IN SELECT p.name, p.method FROM pprepub.publication p ORDER BY name LOOP
		CALL query(scenario, one.name, one.method);
		PERFORM pprepub.drop_publication(one.name, true);
	END LOOP;
END $$;

CALL live('200,000 with 10 %', 200000, 20000, 21);
CALL look('200,000 with 10 %');
CALL live('60,000 with 33 %', 60000, 20000, 24);
CALL look('60,000 with 33 %');

\echo
\echo seconds of a release (medians; fifth: of the third to seventh, last: of the last five), beside CREATE TABLE AS SELECT … ORDER BY
SELECT scenario, method, max(release) AS releases, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)::numeric, 3) AS release_s,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY history)::numeric, 3) AS history_s,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY plain)::numeric, 3) AS plain_s,
	round((percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) / percentile_cont(0.5) WITHIN GROUP (ORDER BY plain))::numeric, 2) AS to_plain,
	round((percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE release > last - 5)
		/ percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE release BETWEEN 3 AND 7))::numeric, 2) AS last_to_fifth
FROM run JOIN (SELECT scenario, max(release) AS last FROM run GROUP BY 1) l USING (scenario) GROUP BY scenario, method ORDER BY 1, 2;

\echo
\echo counterfeits of all releases (Figure 8), classes that are not safe with n = 3 (Figure 7), loss of a cell, FEM and VEM (bits): averages
SELECT scenario, method, sum(counterfeits) AS invented, round(avg(counterfeits), 1) AS a_release,
	(SELECT sum(classes) FROM unsafe u WHERE (u.scenario, u.method) = (r.scenario, r.method)) AS unsafe, sum(classes) AS classes,
	round(avg(lm)::numeric, 4) AS lm, round(avg(fem)::numeric, 2) AS fem, round(avg(vem)::numeric, 2) AS vem
FROM run r GROUP BY scenario, method ORDER BY 1, 2;

\echo
\echo median relative error of counts over boxes of so many years and ten salary classes, last release (Figure 9)
SELECT scenario, width, round(max(error) FILTER (WHERE method = 'm-invariance')::numeric, 4) AS m_invariance,
	round(max(error) FILTER (WHERE method = 'cor-split')::numeric, 4) AS cor_split,
	round((max(error) FILTER (WHERE method = 'cor-split') / nullif(max(error) FILTER (WHERE method = 'm-invariance'), 0))::numeric, 2) AS ratio,
	round(max(error) FILTER (WHERE method = 'bpg')::numeric, 4) AS bpg
FROM error GROUP BY scenario, width ORDER BY 1, 2;

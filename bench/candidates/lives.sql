-- People who come and go, published by several methods beside each other; and what is measured of that.  run says what for.
\i test/data/census.sql
\i test/data/census_levels.sql
SET client_min_messages = error;

CREATE TABLE people AS SELECT row_number() OVER (ORDER BY hashint8extended(id, 42)) AS number, * FROM census(:people);
CREATE UNIQUE INDEX ON people (number);
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,country}'::text[]) name \g /dev/null

CREATE TABLE current (id int PRIMARY KEY, age int, sex text, education text, country text, salary_class int, occupation text);
CREATE TABLE run (scenario text, method text, release int, seconds float8, cpu float8, history float8, plain float8, plain_cpu float8,
	rows bigint, classes bigint, suppressed bigint, counterfeits bigint, fem float8, vem float8, loss float8);
CREATE TABLE unsafe (scenario text, method text, release int, classes bigint);
CREATE TABLE error (scenario text, publication int, expected float8, selectivity float8, even float8, error float8);
CREATE TABLE audited (scenario text, method text, function text, release int, rows bigint, results bigint, seconds float8, cpu float8);

-- Seconds of the processor that this session has had.
CREATE FUNCTION cpu() RETURNS float8 LANGUAGE sql AS $$
	SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9
$$;

CREATE PROCEDURE come(first bigint, last bigint) LANGUAGE sql AS $$
	INSERT INTO current SELECT id, age, sex, education, country, salary_class, occupation FROM people WHERE number BETWEEN first AND last
$$;

-- An attacker knows one person in 25.
CREATE PROCEDURE audit_now(scenario text, publication text, method text) LANGUAGE plpgsql AS $$
DECLARE
	one record;
	start timestamptz;
	began float8;
	n bigint;
BEGIN
	FOR one IN SELECT * FROM (VALUES
		('historical_correlations, 2 at most', 'SELECT count(*) FROM pprepub.historical_correlations($1, 2)'),
		('historical_correlations, all', 'SELECT count(*) FROM pprepub.historical_correlations($1)'),
		('compromise, of 4 % of the people', 'SELECT count(*) FROM pprepub.compromise($1, ARRAY(SELECT DISTINCT key FROM pprepub.class_members($1) WHERE hashtext(key) % 25 = 0))')) f(function, query)
	LOOP
		start := clock_timestamp();
		began := cpu();
		EXECUTE one.query INTO n USING publication;
		INSERT INTO audited SELECT audit_now.scenario, audit_now.method, one.function, max(r.number), sum(r.rows), n,
			extract(epoch FROM clock_timestamp() - start), cpu() - began FROM pprepub.release r WHERE r.publication = audit_now.publication;
	END LOOP;
END $$;

-- From release to release shares of those who are there leave, and come.  methods are names, what to call them, and parameters; audits are
-- releases after which functions are timed.
CREATE PROCEDURE live(scenario text, sensitive name, size int, leaving float8, coming float8, rounds int, methods jsonb, audits int[]) LANGUAGE plpgsql AS $$
DECLARE
	last bigint := size;
	there int := size;
	newcomers int;
	start timestamptz;
	began float8;
	plain float8;
	plain_cpu float8;
	used float8;
	one record;
BEGIN
	TRUNCATE current;
	CALL come(1, size);
	FOR one IN SELECT v->>0 AS name, split_part(v->>1, ' ', 1) AS method, v->2 AS params FROM jsonb_array_elements(methods) v LOOP
		PERFORM pprepub.create_publication(one.name, 'current', 'id',
			'{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country"}',
			sensitive, one.method, one.params, beside => ARRAY(SELECT name FROM pprepub.publication));
	END LOOP;
	FOR n IN 1 .. rounds LOOP
		COMMIT;
		SET LOCAL max_parallel_workers_per_gather = 0;
		start := clock_timestamp();
		began := cpu();
		EXECUTE format('CREATE TEMP TABLE sorted AS SELECT age, sex, education, country, %I FROM current ORDER BY age, sex, education, country, %1$I', sensitive);
		plain := extract(epoch FROM clock_timestamp() - start);
		plain_cpu := cpu() - began;
		DROP TABLE sorted;
		FOR one IN SELECT v->>0 AS name, v->>1 AS method FROM jsonb_array_elements(methods) v LOOP
			COMMIT;
			began := cpu();
			PERFORM pprepub.publish(one.name);
			used := cpu() - began;
			INSERT INTO run SELECT scenario, one.method, n, c.seconds, used, c.history_seconds, live.plain, live.plain_cpu,
				c.rows, c.classes, c.suppressed, c.counterfeits, m.value[1], m.value[3], m.value[2]
			FROM (SELECT plain, plain_cpu) live, pprepub_internal.catalog_publication k JOIN pprepub_internal.catalog_release c USING (publication),
				(SELECT array_agg(value ORDER BY metric) AS value FROM pprepub.metrics(one.name, n) WHERE metric IN ('fem_counterfeit', 'loss_percent', 'vem_counterfeit')) m
			WHERE k.name = one.name AND c.number = n;
			IF n = ANY (audits) AND one.method <> 'bpg' THEN
				CALL audit_now(scenario, one.name, one.method);
			END IF;
		END LOOP;
		EXIT WHEN n = rounds;
		newcomers := round(coming * there);
		DELETE FROM current WHERE id IN (SELECT id FROM current ORDER BY hashint8extended(id, n) LIMIT round(leaving * there));
		CALL come(last + 1, last + newcomers);
		last := last + newcomers;
		there := there + newcomers - round(leaving * there);
	END LOOP;
	COMMIT;
END $$;

-- Classes that share all but one or two of their people with an earlier class that shows the same values.
CREATE PROCEDURE look(scenario text) LANGUAGE sql AS $$
	INSERT INTO unsafe SELECT look.scenario, p.method, release_b, count(DISTINCT class_b)
	FROM pprepub.publication p, pprepub.historical_correlations(p.name, 2) WHERE p.method <> 'bpg' GROUP BY 1, 2, 3
$$;

CREATE PROCEDURE forget() LANGUAGE sql AS $$
	SELECT pprepub.drop_publication(name, true) FROM pprepub.publication
$$;

-- ----------------------------------------------------------------
-- Codes: leaves in the order of their tree, so that each node is an interval
-- ----------------------------------------------------------------

CREATE TABLE leaf AS
SELECT 'education' AS taxonomy, leaf, parent, row_number() OVER (ORDER BY parent, leaf) - 1 AS code FROM education_levels
UNION ALL SELECT 'country', leaf, parent, row_number() OVER (ORDER BY parent, leaf) - 1 FROM country_levels;
CREATE TABLE node AS
SELECT taxonomy, node, min(code) AS low, max(code) AS high FROM leaf, unnest(ARRAY[leaf, parent, '*']) node GROUP BY 1, 2;

CREATE VIEW coded_people AS
SELECT age, (sex = 'M')::int AS sex, e.code AS education, c.code AS country FROM current
JOIN leaf e ON e.taxonomy = 'education' AND e.leaf = education JOIN leaf c ON c.taxonomy = 'country' AND c.leaf = country;

-- The lowest and the highest code of each cell, and how many rows have these cells.
CREATE FUNCTION coded_release(publication text) RETURNS TABLE (age_low int, age_high int, sex_low int, sex_high int,
	education_low bigint, education_high bigint, country_low bigint, country_high bigint, rows bigint) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($q$
		SELECT coalesce(lower(r.age), youngest), coalesce(upper(r.age) - 1, oldest), CASE r.sex WHEN 'M' THEN 1 ELSE 0 END, CASE r.sex WHEN 'F' THEN 0 ELSE 1 END,
			e.low, e.high, c.low, c.high, count(*) FROM published.%I r
		CROSS JOIN (SELECT min(age) AS youngest, max(age) AS oldest FROM current) ages
		JOIN node e ON e.taxonomy = 'education' AND e.node = r.education JOIN node c ON c.taxonomy = 'country' AND c.node = r.country
		GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 $q$, publication);
END $$;

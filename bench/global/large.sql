-- Releases of 200,000 rows that follow each other: a fifth of the people of the last one, and others; a fifth of
-- the values are drawn anew. Beside CREATE TABLE AS … ORDER BY of the same rows. Each round has a source of live rows: where
-- autovacuum does not come by, reading one that is changed in place takes longer each time, whatever a release does.
--
-- "tenth": the rarest of 50 values are protected, which a tenth of the rows have, for 20 releases; "all": all values, for 10, which is more
-- often than most people come back; "often": all values for 5, which after 20 rounds many people came back oftener than; "geometric":
-- the same without a number; "same": the same people in each release, as many as are expected.
\i test/data/census.sql
\i test/data/census_levels.sql
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;
CREATE TABLE people AS SELECT row_number() OVER (ORDER BY hashint8extended(id, 42)) AS number, * FROM census(:people);
CREATE UNIQUE INDEX ON people (number);
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,country}'::text[]) name \g /dev/null
CREATE TABLE current (id int PRIMARY KEY, age int, sex text, education text, country text, salary_class int);
CREATE TABLE tenth AS SELECT salary_class FROM (SELECT salary_class, sum(count(*)) OVER (ORDER BY count(*), salary_class) AS upto FROM people GROUP BY 1) c
	WHERE upto <= :people / 10;
CREATE TABLE run (what text, release int, rows bigint, suppressed bigint, classes bigint, loss float8, seconds float8, history float8, plain float8);

CREATE PROCEDURE live(label text, params jsonb, size int, stay float8, rounds int, total int) LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
	took float8;
BEGIN
	TRUNCATE current;
	PERFORM pprepub.create_publication('current', 'current', 'id',
		'{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country"}', 'salary_class', 'global', params);
	FOR n IN 1..rounds LOOP
		CREATE TEMP TABLE staying ON COMMIT DROP AS SELECT * FROM current WHERE (hashint4extended(id, n) & 1048575) / 1048576.0 < stay;
		TRUNCATE current;
		INSERT INTO current TABLE staying;
		INSERT INTO current SELECT id, age, sex, education, country, salary_class FROM people
			WHERE number IN (SELECT 1 + ((n - 1) * size::bigint * 4 / 5 + i) % total FROM generate_series(0, size - 1) i)
			ORDER BY hashint4extended(id, n) LIMIT size - (SELECT count(*) FROM current) ON CONFLICT DO NOTHING;
		IF stay < 1 THEN
			UPDATE current SET salary_class = p.salary_class FROM people p
			WHERE (hashint4extended(current.id, 77 + n) & 1048575) / 1048576.0 < 0.2
				AND p.number = 1 + (hashint4extended(current.id, 777 + n) & 2147483647) % total;
		END IF;
		COMMIT;
		INSERT INTO run SELECT label, number, p.rows, p.suppressed, p.classes, NULL, p.seconds FROM pprepub.publish('current') p;
		UPDATE run SET history = history_seconds, loss = (SELECT value FROM pprepub.metrics('current', n) WHERE metric = 'loss_percent') FROM pprepub_internal.catalog_release WHERE (what, release) = (label, n) AND number = n;
		start := clock_timestamp();
		CREATE TABLE copy AS SELECT id::bigint AS class, age, sex, education, country, salary_class FROM current
			ORDER BY age, sex COLLATE "C", education COLLATE "C", country COLLATE "C";
		took := extract(epoch FROM clock_timestamp() - start);
		DROP TABLE copy;
		UPDATE run SET plain = took WHERE (what, release) = (label, n);
		COMMIT;
	END LOOP;
	PERFORM pprepub.drop_publication('current', true);
	COMMIT;
END
$$;

CALL live('all', '{"l": 2, "strategy": "constant-ratio", "releases": 10}', :size, 0.2, :rounds, :people);
CALL live('often', '{"l": 2, "strategy": "constant-ratio", "releases": 5}', :size, 0.2, :rounds, :people);
CALL live('tenth', '{"l": 2, "strategy": "constant-ratio", "releases": 20, "transient": "tenth"}', :size, 0.2, :rounds, :people);
CALL live('geometric', '{"l": 2, "strategy": "geometric", "alpha": 2}', :size, 0.2, 8, :people);
CALL live('same', '{"l": 2, "strategy": "constant-ratio", "releases": 8}', :size, 1, 8, :people);

\echo seconds of a release by round, average rows of a class, and all against the plain table of the same round
SELECT what, string_agg(round(seconds::numeric, 2)::text, ' ' ORDER BY release) AS seconds FROM run GROUP BY what ORDER BY what;
SELECT what, string_agg(round(rows::numeric / classes, 1)::text, ' ' ORDER BY release) AS class FROM run GROUP BY what ORDER BY what;
SELECT what, count(*) AS rounds, round(avg(rows)) AS rows, round(avg(100.0 * suppressed / (rows + suppressed)), 2) AS withheld_pct,
	round(avg(loss)::numeric, 2) AS loss_pct, round((max(loss) FILTER (WHERE release = r))::numeric, 2) AS last_loss_pct,
	round((percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds))::numeric, 3) AS release_s,
	round((percentile_cont(0.5) WITHIN GROUP (ORDER BY plain))::numeric, 3) AS plain_s,
	round((percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds / plain))::numeric, 2) AS to_plain,
	round((avg(seconds) FILTER (WHERE release > r - 3) / avg(seconds) FILTER (WHERE release BETWEEN 4 AND 6))::numeric, 2) AS last_to_fifth,
	round((avg(rows::float8 / classes) FILTER (WHERE release > r - 3) / avg(rows::float8 / classes) FILTER (WHERE release BETWEEN 4 AND 6))::numeric, 2) AS size_last_to_fifth,
	round((100 * sum(history) / sum(seconds))::numeric, 1) AS history_pct
FROM run JOIN (SELECT what, max(release) AS r FROM run GROUP BY 1) m USING (what) GROUP BY what ORDER BY what;

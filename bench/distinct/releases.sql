-- Releases of so many rows that follow each other, beside CREATE TABLE AS SELECT … ORDER BY of the same rows.
--
-- People as in Table VII. From release to release a tenth leaves, as many come (:size / 4 where it grows, as in section VI), everybody gets
-- older, a quarter of the occupations changes. Each occupation can become d - 1 others. Times are wall clock, and those of the backend's
-- processor, which say more on a machine that does something else, too.
SET client_min_messages = error;
SET max_parallel_workers_per_gather = 0;

CREATE FUNCTION drawn(i bigint, what int) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN (hashint8extended(i, what) & 16777215) / 16777216.0;
CREATE TABLE pool AS SELECT i AS id, (100 * drawn(i, 1) * (1 + drawn(i, 2)) / 2)::int AS age, (2 * drawn(i, 3) - 0.5)::int AS gender,
	(6 * drawn(i, 4) - 0.5)::int AS marital, (17 * drawn(i, 5) - 0.5)::int AS education, floor(50 * power(drawn(i, 6), 1.3))::int AS occupation
FROM generate_series(1, :size * (1 + :rounds / 4)) i;
ALTER TABLE pool ADD PRIMARY KEY (id);
CREATE TABLE people (LIKE pool);
ALTER TABLE people ADD PRIMARY KEY (id);
CREATE TABLE updates (from_value int, to_value int);
CREATE TABLE run (what text, release int, rows bigint, classes bigint, counterfeits bigint, loss float8, seconds float8, cpu float8,
	history float8, plain float8, plain_cpu float8);

-- Time of the processor for this backend, where the system tells.
CREATE FUNCTION cpu() RETURNS float8 LANGUAGE plpgsql AS $$
BEGIN
	RETURN split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9;
EXCEPTION WHEN OTHERS THEN
	RETURN NULL;
END $$;

CREATE PROCEDURE pass_time(n int, size int, growth int, d int) LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM people WHERE id IN (SELECT id FROM people ORDER BY drawn(id, 20 + n) LIMIT size / 10);
	INSERT INTO people SELECT * FROM pool WHERE id > size + (n - 2) * growth AND id <= size + (n - 1) * growth;
	UPDATE people SET age = least(age + 1, 100),
		occupation = CASE WHEN drawn(id, 60 + n) < size / 4.0 / (SELECT count(*) FROM people)
			THEN occupation / d * d + floor(least(d, 50 - occupation / d * d) * drawn(id, 100 + n))::int ELSE occupation END;
	COMMIT;
END $$;

CREATE PROCEDURE measure(label text, n int) LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz; before float8; plain float8; plain_cpu float8; made pprepub.release; used float8;
BEGIN
	began := clock_timestamp();
	before := cpu();
	CREATE TABLE sorted AS SELECT 1::bigint AS class, age, gender, marital, education, occupation FROM people ORDER BY age, gender, marital, education;
	plain := extract(epoch FROM clock_timestamp() - began);
	plain_cpu := cpu() - before;
	DROP TABLE sorted;
	COMMIT;
	before := cpu();
	made := pprepub.publish('bench');
	used := cpu() - before;
	COMMIT;
	INSERT INTO run SELECT label, n, c.rows, c.classes, c.counterfeits,
		(SELECT value FROM pprepub.metrics('bench', n) WHERE metric = 'loss_percent'), made.seconds, used, c.history_seconds, plain, plain_cpu
	FROM pprepub_internal.catalog_release c WHERE number = n;
	COMMIT;
END $$;

CREATE PROCEDURE live(label text, size int, rounds int, growth int, d int, m int, is_strict boolean) LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE people, updates;
	INSERT INTO updates SELECT a, b FROM generate_series(0, 49) a, generate_series(0, 49) b WHERE a / d = b / d;
	INSERT INTO people SELECT * FROM pool WHERE id <= size;
	PERFORM pprepub.create_publication('bench', 'people', 'id', '{"age": "range", "gender": "suppress", "marital": "suppress", "education": "range"}',
		'occupation', 'm-distinct', jsonb_build_object('m', m, 'updates', 'public.updates', 'strict', is_strict));
	COMMIT;
	FOR n IN 1 .. rounds LOOP
		IF n > 1 THEN
			CALL pass_time(n, size, growth, d);
		END IF;
		CALL measure(label, n);
	END LOOP;
	IF EXISTS (SELECT FROM pprepub.audit('bench') WHERE NOT holds) THEN
		RAISE EXCEPTION 'a promise was not kept: %', label;
	END IF;
	PERFORM pprepub.drop_publication('bench', true);
	COMMIT;
END $$;

CALL live('d = 10, m = 4', :size, :rounds, :size / 10, 10, 4, false);
CALL live('d = 20, m = 8', :size, :rounds, :size / 10, 20, 8, false);
CALL live('d = 5, m = 6', :size, :rounds, :size / 10, 5, 6, false);
CALL live('d = 10, m = 3, strict', :size, :rounds, :size / 10, 10, 3, true);
CALL live('d = 5, m = 6, strict', :size, :rounds, :size / 10, 5, 6, true);
CALL live('d = 10, m = 4, grows', :size, :rounds, :size / 4, 10, 4, false);

\echo
\echo a release beside the plain table: medians over the rounds; last / fifth: the last five rounds beside the third to seventh
SELECT what, max(release) AS releases, round(avg(rows)) AS rows, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)::numeric, 3) AS release_s,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY plain)::numeric, 3) AS plain_s,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds / plain)::numeric, 2) AS to_plain,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY cpu)::numeric, 3) AS release_cpu,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY cpu / plain_cpu)::numeric, 2) AS to_plain_cpu,
	round((max(cpu / plain_cpu))::numeric, 2) AS worst_cpu,
	round((avg(cpu / rows) FILTER (WHERE release > last - 5) / avg(cpu / rows) FILTER (WHERE release BETWEEN 3 AND 7))::numeric, 2) AS last_to_fifth,
	round((100 * sum(history) / sum(seconds))::numeric) AS history_pct
FROM run JOIN (SELECT what, max(release) AS last FROM run GROUP BY 1) l USING (what) GROUP BY what ORDER BY what;

\echo
\echo invented rows of all releases, a class, and in percent; loss of a cell in percent
SELECT what, sum(counterfeits) AS invented, round((sum(counterfeits)::float8 / sum(classes))::numeric, 5) AS a_class,
	round(100 * sum(counterfeits) / sum(rows), 2) AS invented_pct, round(avg(loss)::numeric, 1) AS loss_pct
FROM run GROUP BY what ORDER BY what;

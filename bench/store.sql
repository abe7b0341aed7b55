-- Tables of the access method pprepub beside heaps with the same rows: test/run bench store
--
-- Two tables: a release of 600,000 census-like people as publish() makes it, and the history of 20 releases of 200,000
-- people, sorted by key, whose classes nobody can foretell.  The least of nine runs, taken in turn, in one process.
-- Times are milliseconds, sizes bytes; ratio is heap's by pprepub's for sizes and aggregates, pprepub's by heap's for
-- what may take longer; goal is what issue 6 asks for.
\i test/data/census.sql
\i test/data/census_levels.sql
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;
SET work_mem = '256MB';
SET maintenance_work_mem = '256MB';

CREATE TABLE people AS SELECT * FROM census(600000);
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,country}'::text[]) name \g /dev/null
SELECT pprepub.create_publication('people', 'people', 'id',
	'{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country"}',
	'salary_class', 'bpg', '{"k": 10, "l": 3, "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT rows, classes, round(seconds::numeric, 1) AS seconds FROM pprepub.publish('people');

CREATE TABLE release_rows AS SELECT * FROM published.people_1 ORDER BY class;
CREATE TABLE history_rows AS
	SELECT r AS release, key::bigint, 1 + hashint8extended(key, r) % 20000 + 20000 * (hashint8extended(key, r) < 0)::int AS class
	FROM generate_series(1, 20) r, generate_series(1, 200000) key ORDER BY r, key;
VACUUM ANALYZE release_rows, history_rows;

CREATE TABLE release_heap (LIKE release_rows);
CREATE TABLE release_store (LIKE release_rows) USING pprepub;
CREATE TABLE history_heap (LIKE history_rows);
CREATE TABLE history_store (LIKE history_rows) USING pprepub;

CREATE TABLE run (n int, tab text, what text, am text, value float8);

CREATE FUNCTION milliseconds(query text) RETURNS float8 LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	start timestamptz := clock_timestamp();
BEGIN
	EXECUTE query;
	RETURN extract(epoch FROM clock_timestamp() - start) * 1000;
END $$;

CREATE FUNCTION peak_bytes() RETURNS float8 LANGUAGE sql VOLATILE AS $$
	SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+) kB'))[1]::float8 * 1024
$$;

-- In turn, a statement with %s for the table, and what follows each run.
CREATE PROCEDURE measure(named text, tab text, statement text, after text DEFAULT 'SELECT 1', runs int DEFAULT 9) LANGUAGE plpgsql AS $$
DECLARE
	am text;
BEGIN
	FOR i IN 1 .. runs LOOP
		FOREACH am IN ARRAY CASE i % 2 WHEN 0 THEN '{heap,store}'::text[] ELSE '{store,heap}' END LOOP
			INSERT INTO run VALUES (i, tab, named, am, milliseconds(format(statement, tab || '_' || am)));
			EXECUTE format(after, tab || '_' || am);
			COMMIT;
		END LOOP;
	END LOOP;
END $$;

CALL measure('load', 'release', 'INSERT INTO %s TABLE release_rows', 'TRUNCATE %s');
CALL measure('load', 'history', 'INSERT INTO %s TABLE history_rows', 'TRUNCATE %s', 3);
INSERT INTO release_heap TABLE release_rows;
INSERT INTO release_store TABLE release_rows;
INSERT INTO history_heap TABLE history_rows;
INSERT INTO history_store TABLE history_rows;
VACUUM (FREEZE, ANALYZE) release_heap, release_store, history_heap, history_store;
INSERT INTO run SELECT 1, tab, 'bytes', am, pg_table_size((tab || '_' || am)::regclass)
FROM unnest('{release,history}'::text[]) tab, unnest('{heap,store}'::text[]) am;

CALL measure('index build', 'release', 'CREATE INDEX probed ON %s (class)', 'DROP INDEX probed');
CALL measure('index build', 'history', 'CREATE INDEX probed ON %s (key)', 'DROP INDEX probed', 3);
CREATE INDEX ON release_heap (class);
CREATE INDEX ON release_store (class);
CREATE INDEX ON history_heap (key);
CREATE INDEX ON history_store (key);

CALL measure('sum of the last column', 'release', 'SELECT sum(salary_class) FROM %s');
CALL measure('greatest of a text column', 'release', 'SELECT max(country COLLATE "C") FROM %s');
CALL measure('rows that nobody looks at', 'release', 'SELECT * FROM %s OFFSET 600000');
CALL measure('SELECT *', 'release', 'COPY (SELECT * FROM %s) TO ''/dev/null''');
CALL measure('SELECT *, binary', 'release', 'COPY (SELECT * FROM %s) TO ''/dev/null'' (FORMAT binary)');
CALL measure('count(*)', 'history', 'SELECT count(*) FROM %s');
CALL measure('sum of the last column', 'history', 'SELECT sum(class) FROM %s');
CALL measure('SELECT *', 'history', 'COPY (SELECT * FROM %s) TO ''/dev/null''', runs => 3);

-- Seven queries that people ask a release, without workers, and with those that PostgreSQL takes by itself.
CREATE TABLE seven (place int, what text, statement text);
INSERT INTO seven VALUES
	(1, 'count', 'SELECT count(*) FROM %s'),
	(2, 'group by one', 'SELECT age, count(*) FROM %s GROUP BY age'),
	(3, 'group by two, of a range', 'SELECT sex, education, count(*), avg(salary_class) FROM %s WHERE age <@ ''[30,50)'' GROUP BY sex, education'),
	(4, 'min and max', 'SELECT min(salary_class), max(salary_class) FROM %s'),
	(5, 'group by class', 'SELECT class, count(*) FROM %s GROUP BY class'),
	(6, 'everything', 'COPY (SELECT * FROM %s) TO ''/dev/null'''),
	(7, 'equal to a value', 'SELECT count(*), sum(salary_class) FROM %s WHERE education = ''Masters''');
SELECT format('CALL measure(%L, ''release'', %L)', what, statement) FROM seven ORDER BY place \gexec
SET max_parallel_workers_per_gather = 2;
SELECT format('CALL measure(%L, ''release'', %L)', what || ', workers', statement) FROM seven ORDER BY place \gexec
SET max_parallel_workers_per_gather = 0;

-- Look-ups: of a class's rows, which stand together, and of a person's in all releases, which do not.
CREATE TABLE wanted AS SELECT 1 + abs(hashint8extended(i, 7)) % 20000 AS number FROM generate_series(1, 1000) i;
ANALYZE wanted;
SET enable_seqscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_bitmapscan = off;
CALL measure('1,000 look-ups of a class', 'release',
	'SELECT sum(salary_class) FROM wanted, LATERAL (SELECT * FROM %s WHERE class = number OFFSET 0) r');
CALL measure('1,000 look-ups, 20 rows each', 'history',
	'SELECT sum(class) FROM wanted, LATERAL (SELECT * FROM %s WHERE key = number * 9 OFFSET 0) r');
CALL measure('1,000 look-ups, a row each', 'history',
	'SELECT sum(class) FROM wanted, LATERAL (SELECT * FROM %s WHERE key = number * 9 OFFSET 0 LIMIT 1) r');

WITH leasts AS (
	SELECT tab, what,
		min(value) FILTER (WHERE am = 'heap') AS heap,
		min(value) FILTER (WHERE am = 'store') AS store
	FROM run GROUP BY tab, what),
goals (tab, what, more_is_better, goal, place) AS (VALUES
	('release', 'bytes', true, 25.0, 1), ('history', 'bytes', true, 12, 2),
	('release', 'load', false, 1.3, 3), ('history', 'load', false, 1.3, 4),
	('release', 'index build', false, 1.5, 5), ('history', 'index build', false, 1.5, 6),
	('history', 'count(*)', true, NULL, 7), ('release', 'rows that nobody looks at', true, NULL, 8),
	('release', 'sum of the last column', true, 2, 9), ('history', 'sum of the last column', true, NULL, 10),
	('release', 'greatest of a text column', true, 1.5, 10), ('release', 'SELECT *', true, 1, 12),
	('release', 'SELECT *, binary', true, 1, 13), ('history', 'SELECT *', true, 1, 14),
	('release', '1,000 look-ups of a class', false, 4, 15), ('history', '1,000 look-ups, a row each', false, 4, 16),
	('history', '1,000 look-ups, 20 rows each', false, 4, 17))
SELECT tab, what, round(heap::numeric, 1) AS heap, round(store::numeric, 1) AS pprepub,
	round((CASE WHEN more_is_better THEN heap / store ELSE store / heap END)::numeric, 2) AS ratio,
	CASE WHEN more_is_better THEN 'at least ' ELSE 'at most ' END || goal AS goal
FROM leasts JOIN goals USING (tab, what) ORDER BY place;
WITH leasts AS (
	SELECT place, seven.what, run.what <> seven.what AS workers,
		min(value) FILTER (WHERE am = 'heap') AS heap,
		min(value) FILTER (WHERE am = 'store') AS store
	FROM seven JOIN run ON run.what IN (seven.what, seven.what || ', workers') GROUP BY 1, 2, 3)
SELECT a.what AS query, round(a.heap::numeric, 2) AS heap, round(a.store::numeric, 2) AS pprepub, round((a.heap / a.store)::numeric, 2) AS ratio,
	round(b.heap::numeric, 2) AS heap_workers, round(b.store::numeric, 2) AS pprepub_workers, round((b.heap / b.store)::numeric, 2) AS ratio_workers,
	'at least 1' AS goal
FROM leasts a JOIN leasts b USING (place) WHERE NOT a.workers AND b.workers ORDER BY place;
SELECT "table", groups, rows, bytes, heap_bytes, encodings FROM pprepub.storage ORDER BY 1;

-- How much memory a process takes to load the history, a new one each time.
CREATE TABLE memory (am text, bytes float8);
TRUNCATE history_heap, history_store;
DROP INDEX history_heap_key_idx, history_store_key_idx;
\c
INSERT INTO memory SELECT 'heap', -peak_bytes();
INSERT INTO history_heap TABLE history_rows;
INSERT INTO memory SELECT 'heap', peak_bytes();
\c
INSERT INTO memory SELECT 'pprepub', -peak_bytes();
INSERT INTO history_store TABLE history_rows;
INSERT INTO memory SELECT 'pprepub', peak_bytes();
SELECT am, pg_size_pretty(sum(bytes)::bigint) AS memory_of_a_load, current_setting('pprepub.store_memory') AS store_memory
FROM memory GROUP BY am ORDER BY am;

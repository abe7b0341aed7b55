-- One kind of data at one size: preview() beside ORDER BY of the same columns, in turn, on one core; medians of three.
-- psql -v kind=NAME -v n=ROWS, in a database that has kinds.sql
\set QUIET on
SET client_min_messages = error;
CALL make(:'kind', :n);

-- A backend of its own for the memory: its peak must be preview's.
\c -
SET client_min_messages = error;
SET max_parallel_workers_per_gather = 0;
SELECT count(*) FROM people WHERE sensitive >= 0 \g /dev/null
SELECT peak_bytes() AS before \gset
SELECT count(*) FROM pprepub.preview('people') \g /dev/null
INSERT INTO run SELECT :'kind', :n, 'bytes', (peak_bytes() - :before) / :n;

SET work_mem = '4GB';
SELECT string_agg(CASE key_type WHEN 'text' THEN format('%I COLLATE "C"', key) ELSE quote_ident(key) END, ', ') AS keys
FROM (SELECT key, (SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'people'::regclass AND attname = key) AS key_type
	FROM kind, jsonb_object_keys(quasi_identifiers) key WHERE name = :'kind') k \gset
CALL measure_run(:'kind', :n, :'keys');
SELECT pprepub.drop_publication('people') \g /dev/null

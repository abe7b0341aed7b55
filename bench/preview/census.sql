-- preview() of census-like rows against sorting the same columns, in one process each:
-- test/run bench preview, its last part
--
-- Medians of five runs, taken in turn.  The sort's result is discarded on the server.
-- Memory is the growth of the backend's peak resident set while it previews, after it
-- has touched all of the table; the rows are the larger table's.
SET client_min_messages = error;
DROP TABLE IF EXISTS run;
\i test/data/census.sql
\i test/data/census_levels.sql
SET max_parallel_workers_per_gather = 0;
SET work_mem = '1GB';

CREATE TABLE small AS SELECT * FROM census(600000);
CREATE TABLE large AS SELECT * FROM census(1200000);
VACUUM ANALYZE small, large;

SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass)
FROM unnest('{education,country}'::text[]) name \g /dev/null
SELECT pprepub.create_publication(name, source => name::regclass, key => 'id',
	quasi_identifiers => '{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country"}',
	sensitive => 'salary_class', method => 'bpg', params => '{"k": 10, "l": 3, "repair": "dirty", "reserve": 1}')
FROM unnest('{small,large}'::text[]) name \g /dev/null

CREATE TABLE run (source text, what text, seconds float8);

CREATE OR REPLACE FUNCTION peak_bytes() RETURNS float8 LANGUAGE sql VOLATILE AS $$
	SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+) kB'))[1]::float8 * 1024
$$;

CREATE PROCEDURE measure(source text) LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
BEGIN
	FOR i IN 1..5 LOOP
		start := clock_timestamp();
		EXECUTE format('SELECT count(*) FROM (SELECT id FROM %I
			ORDER BY age, sex COLLATE "C", education COLLATE "C", country COLLATE "C", salary_class OFFSET 0) s', source);
		INSERT INTO run VALUES (source, 'sort', extract(epoch FROM clock_timestamp() - start));

		start := clock_timestamp();
		INSERT INTO run SELECT source, metric, value FROM pprepub.preview(source);
		INSERT INTO run VALUES (source, 'preview', extract(epoch FROM clock_timestamp() - start));
	END LOOP;
END
$$;

-- A backend of its own for the memory: its peak must be preview's.
\c -
SET max_parallel_workers_per_gather = 0;
SELECT count(*) FROM large WHERE age >= 0 \g /dev/null
SELECT peak_bytes() AS before \gset
SELECT count(*) FROM pprepub.preview('large') \g /dev/null
SELECT (peak_bytes() - :before) / 1200000 AS peak \gset

SET work_mem = '1GB';
CALL measure('small');
CALL measure('large');

CREATE VIEW figure AS
SELECT source, what, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS median
FROM run GROUP BY source, what;

\echo
\echo preview against ORDER BY
SELECT CASE s.source WHEN 'small' THEN 600000 ELSE 1200000 END AS rows,
	round(s.median::numeric, 3) AS sort_s, round(p.median::numeric, 3) AS preview_s,
	round((p.median / s.median)::numeric, 2) AS ratio,
	round(l.median::numeric, 3) AS load_s, round(c.median::numeric, 3) AS partition_s,
	round(lm.median::numeric / 4, 4) AS lm_per_cell
FROM figure s JOIN figure p USING (source) JOIN figure l USING (source) JOIN figure c USING (source) JOIN figure lm USING (source)
WHERE s.what = 'sort' AND p.what = 'preview' AND l.what = 'load_seconds' AND c.what = 'partition_seconds' AND lm.what = 'ail'
ORDER BY 1;

\echo twice the rows
SELECT what, round((max(median) FILTER (WHERE source = 'large') / max(median) FILTER (WHERE source = 'small'))::numeric, 2) AS ratio
FROM figure WHERE what IN ('preview', 'sort', 'load_seconds', 'partition_seconds') GROUP BY what ORDER BY what;

\echo memory, bytes a row
SELECT round(:peak::numeric, 1) AS peak_while_previewing,
	(SELECT round(median::numeric, 1) FROM figure WHERE source = 'large' AND what = 'bytes_per_row') AS frame_and_draft;

\echo publish against CREATE TABLE AS … ORDER BY, 600000 rows; store is what remains of publish
SELECT seconds AS publish_seconds FROM pprepub.publish('small') \gset
SELECT extract(epoch FROM clock_timestamp()) AS start \gset
CREATE TABLE plain AS SELECT id::bigint AS class, age, sex, education, country, salary_class FROM small
	ORDER BY age, sex COLLATE "C", education COLLATE "C", country COLLATE "C";
SELECT extract(epoch FROM clock_timestamp()) - :start AS plain_seconds \gset
SELECT round(:publish_seconds::numeric, 3) AS publish_s, round(l.median::numeric, 3) AS load_s,
	round(c.median::numeric, 3) AS partition_s, round((:publish_seconds - l.median - c.median)::numeric, 3) AS store_s,
	round(:plain_seconds::numeric, 3) AS create_table_as_s, round(:publish_seconds::numeric / :plain_seconds::numeric, 2) AS ratio
FROM figure l JOIN figure c USING (source) WHERE source = 'small' AND l.what = 'load_seconds' AND c.what = 'partition_seconds';

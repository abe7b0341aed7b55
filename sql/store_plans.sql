-- Queries on tables of the access method pprepub, but those that are aggregated without looking at rows (store_aggregates), read the columns that they need, of the groups that may have their rows.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
CREATE TABLE store_t USING pprepub AS
	SELECT i AS id, i + 0.5 AS n, 't' || to_char(i, 'FM000000') AS t, ('c' || to_char(i, 'FM000000')) COLLATE "C" AS c, date '2000-01-01' AS d,
		('00000000-0000-0000-0000-' || to_char(i, 'FM000000000000'))::uuid AS u, i::float8 AS f, i % 10 AS o, NULL::int AS e,
		('v' || i / 20000)::varchar(10) AS v
	FROM generate_series(1, 5 * 16384) i;
ALTER TABLE store_t ADD COLUMN late int DEFAULT 4;
ANALYZE store_t;
\set ECHO all
SELECT count(*) AS groups FROM pprepub.verify_storage('store_t');
CREATE FUNCTION groups(query text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(trim(line), '; ') FROM explained('ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', query) line WHERE line ~ 'Custom Scan|Groups|Columns'
$$;
SET max_parallel_workers_per_gather = 0;
SELECT groups('SELECT count(*) FROM store_t');
SELECT groups('SELECT bit_or(id) FROM store_t WHERE id > 70000');
CREATE COLLATION store_any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE store_gaps USING pprepub AS SELECT (ARRAY[7, NULL, 0])[1 + i % 3] AS n, ('a' || i % 2) COLLATE store_any_case AS t FROM generate_series(0, 9999) i;
SELECT (SELECT count(*) FROM store_gaps WHERE n < 1) AS zeros, (SELECT count(*) FROM store_gaps WHERE t = 'A1') AS of_any_case;
DROP TABLE store_gaps;
DROP COLLATION store_any_case;
SELECT groups('SELECT * FROM store_t WHERE id < 100 OR n < 5');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE n = 40000.5');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE 3 >= id');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE id::bigint = 5 AND id > 0::smallint');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE id = 5::bigint');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE t = ''t000005''');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE c > ''c080000''');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE v = ''v4'' AND v IS NOT NULL');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE t LIKE ''t000005''');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE d < ''2000-01-01''');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE u >= ''00000000-0000-0000-0000-000000065537''');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE f BETWEEN 20000 AND 30000');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE f = ''NaN''');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE id = ANY (''{5,80000,NULL}'')');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE id = ANY (NULL::int[]) AND e IS NULL');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE e IS NOT NULL');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE e = 3');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE id IS NULL');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE id = NULL::int');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE late = 5');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE id <> 5 AND id % 7 = 3');
SELECT groups('SELECT store_t FROM store_t WHERE id = 5');
-- Parameters have their values when the scan starts, or starts anew.
PREPARE p(int) AS SELECT bit_or(o) FROM store_t WHERE id > $1;
SET plan_cache_mode = force_generic_plan;
SELECT groups('EXECUTE p(70000)');
SELECT groups('EXECUTE p(NULL)');
SELECT groups('SELECT bit_or(o) FROM store_t WHERE id = (SELECT 70000)');
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off; SET enable_memoize = off;
SELECT groups('SELECT x, (SELECT bit_or(o) FROM store_t WHERE id < x) FROM (VALUES (10), (20000), (NULL)) v(x)');
SELECT x, (SELECT sum(o) FROM store_t WHERE id < x) FROM (VALUES (10), (20000), (NULL), (0), (17000)) v(x);
SELECT groups('SELECT * FROM (VALUES (10), (20000)) v(x), LATERAL (SELECT id FROM store_t WHERE id = x OFFSET 0) s');
RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_material; RESET enable_memoize;
-- Groups say the truth.
SELECT count(*) FILTER (WHERE id > 70000), (SELECT count(*) FROM store_t WHERE id > 70000) FROM store_t;
SELECT sum(o) FROM store_t WHERE t = 't000005';
SELECT sum(o) FROM store_t WHERE id::bigint = 16384 OR n = 16385.5;
SELECT id FROM store_t WHERE f IN (16384, 16385) ORDER BY 1;
CREATE TABLE store_oids USING pprepub AS SELECT (2147483000 + i)::oid AS o FROM generate_series(1::bigint, 1000) i;
SELECT o FROM store_oids WHERE o = 2147483900::oid;
SELECT o FROM store_oids WHERE o < 2147483003::oid OR o > 2147483998::oid AND o <= 2147483999::oid;
DROP TABLE store_oids;
-- Rolled up by others.
SELECT o, count(*) FROM store_t GROUP BY o ORDER BY o LIMIT 2;
SELECT t || o FROM store_t ORDER BY id DESC LIMIT 1;
SELECT a.id, b.t FROM store_t a JOIN store_t b USING (id) WHERE a.id = 70001;
SELECT x.t FROM (SELECT * FROM store_t WHERE id = 3) x;
SELECT (SELECT t FROM store_t b WHERE b.id = a.id) FROM store_t a WHERE id IN (2, 5) ORDER BY id;
SET enable_seqscan = off;
SELECT explained('COSTS OFF', 'SELECT id FROM store_t WHERE id = 5');
RESET enable_seqscan;
SELECT regexp_replace(explained('COSTS OFF, FORMAT JSON', 'SELECT id FROM store_t WHERE id > 5'), '\s+', ' ', 'g');
-- Of workers nothing is said.
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT substring(groups('SELECT bit_or(id) FROM store_t WHERE id > 40000') FROM 'Groups.*');
SET parallel_leader_participation = off;
SELECT sum(id) FROM store_t WHERE id > 40000;
CALL public.clean();

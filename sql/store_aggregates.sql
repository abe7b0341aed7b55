-- Aggregates over tables of the access method pprepub: answered by headers of groups, and by columns as they are encoded.
-- Each query is asked three times: of the table, of a heap with the same rows, and of the table with OFFSET 0, which
-- PostgreSQL's own plan aggregates row by row.  Shown are those that we leave to PostgreSQL, or that differ.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
CREATE TABLE agg_row (id int, big bigint, small smallint, f8 float8, f4 float4, t text, c text COLLATE "C", v varchar(9), d date,
	ts timestamptz, n numeric, o oid, r int4range, u uuid, e int);
CREATE TABLE agg_store (gone int, LIKE agg_row) USING pprepub;
ALTER TABLE agg_store DROP COLUMN gone;
CREATE FUNCTION agg_rows(low int, high int) RETURNS SETOF agg_row LANGUAGE sql AS $$
	SELECT i, i * 1000000007::bigint, (i % 100)::smallint, nullif(i % 50, 7) * 0.5, (i % 20)::float4, 't' || i % 30, 'c' || i / 100,
		(CASE WHEN i % 11 > 0 THEN 'v' || i / 1000 END)::varchar(9), date '2000-01-01' + i % 1000, timestamptz '2000-01-01 UTC' + i * interval '1 h',
		i % 9 + 0.50, (i::bigint + 2147480000)::oid, int4range(i / 10 % 7, 10), md5((i % 5)::text)::uuid, NULL::int
	FROM generate_series(low, high) i
$$;
INSERT INTO agg_store SELECT * FROM agg_rows(1, 40000);
ALTER TABLE agg_store ADD COLUMN late text COLLATE "C" DEFAULT 'later', ADD COLUMN later int;
INSERT INTO agg_store SELECT r.*, 'in time', id FROM agg_rows(40001, 45000) r;
CREATE TABLE agg_heap (LIKE agg_store) USING heap;
INSERT INTO agg_heap TABLE agg_store;
ANALYZE agg_store, agg_heap;
\set ECHO all
SELECT count(*) AS groups FROM pprepub.verify_storage('agg_store');

-- Differences between the three; the plan, if asked for.
\set ECHO none
CREATE FUNCTION agg_ask(query text, OUT uses_ours boolean, OUT is_same boolean) LANGUAGE plpgsql AS $$
DECLARE
	line text;
	answers text[];
	tab text;
	answer text;
BEGIN
	uses_ours := false;
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || replace(query, 'TAB', 'agg_store AS tab') LOOP
		uses_ours := uses_ours OR line ~ 'pprepub aggregate';
	END LOOP;
	FOREACH tab IN ARRAY '{agg_store,agg_heap,(SELECT * FROM agg_store OFFSET 0)}'::text[] LOOP
		EXECUTE 'SELECT string_agg(q::text, E''\n'' ORDER BY q::text COLLATE "C") FROM (' || replace(query, 'TAB', tab || ' AS tab') || ') q' INTO answer;
		answers := answers || answer;
	END LOOP;
	is_same := answers[1] IS NOT DISTINCT FROM answers[2] AND answers[1] IS NOT DISTINCT FROM answers[3];
	IF NOT is_same THEN
		RAISE WARNING E'%\n%\n--\n%\n--\n%', query, answers[1], answers[2], answers[3];
	END IF;
END $$;
CREATE FUNCTION agg_plan(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN SELECT explained('ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF', query) LOOP
		RETURN NEXT regexp_replace(line, 'Memory Usage: \d+kB', 'Memory Usage: …');
	END LOOP;
END $$;

-- The plan.
SET max_parallel_workers_per_gather = 0;
\set ECHO all
SELECT agg_plan('SELECT count(*), count(v), min(id), max(ts) FROM agg_store');
SELECT agg_plan('SELECT count(*) FROM agg_store WHERE id > 20000');
SELECT agg_plan('SELECT count(*), sum(id) FROM agg_store WHERE id > 20000 AND e IS NULL AND f8 + 1 > 2');
SELECT agg_plan('SELECT t, count(*) FROM agg_store WHERE r @> 4 GROUP BY t HAVING count(*) > 1400');
SELECT replace(explained('VERBOSE, COSTS OFF', $$SELECT max(a.c COLLATE "C"), avg(a.small) FROM agg_store a WHERE a.t = 't1' AND a.id = (SELECT 31)$$), 'a.', '');
SELECT regexp_replace(explained('COSTS OFF, FORMAT JSON', 'SELECT v, count(*) FROM agg_store GROUP BY v'), '\s+', ' ', 'g');

-- Without conditions.
SELECT q, a.* FROM unnest(ARRAY[
	'SELECT count(*), count(1), count(id), count(v), count(e), count(late), count(later) FROM TAB',
	'SELECT min(id), max(id), min(big), max(big), min(small), max(small), min(e), max(e), min(later), max(later) FROM TAB',
	'SELECT min(f8), max(f8), min(f4), max(f4), min(d), max(d), min(ts), max(ts), min(o), max(o) FROM TAB',
	'SELECT min(c), max(c), min(late), max(late), min(t COLLATE "C"), max(v COLLATE "C"), min(t || ''x'' COLLATE "C") FROM TAB',
	'SELECT min(c), max(c), min(late), max(late), min(t COLLATE "C"), max(v COLLATE "C") FROM TAB',
	'SELECT sum(id), sum(big), sum(small), sum(e), avg(id), avg(big), avg(small), avg(e), sum(later), avg(later) FROM TAB',
	'SELECT count(*) + max(id) AS x, count(*) FROM TAB HAVING count(*) > 5',
	'SELECT 1 AS x FROM TAB HAVING max(id) < 0',
	'SELECT (SELECT count(*) FROM TAB), (SELECT max(id) FROM TAB WHERE small = 5)',
	'SELECT count(*) AS c FROM TAB UNION ALL SELECT sum(id) FROM TAB']) q, agg_ask(q) a WHERE NOT (uses_ours AND is_same);

-- Conditions that groups meet wholly, in part, or not at all; and those that are asked of each value, or of each row.
SELECT q, a.* FROM unnest(ARRAY[
	'id > 20000', 'id >= 16385', 'id > 16384 AND id <= 32768', 'id < 0', 'id <> 3', 'id = 40000', '40000 < id', 'id BETWEEN 100 AND 200',
	'e IS NULL', 'e IS NOT NULL', 'v IS NULL', 'v IS NOT NULL', 'v = ''v3''', 'v > ''v3'' COLLATE "C"', 'v > ''v3''', 't = ANY (''{t1,t2,NULL}'')',
	'id = ANY (''{1,20000,99999}'')', 'id IN (NULL)', 'small = ANY (NULL::smallint[])', 'id = NULL', 'late = ''later''', 'late = ''in time''', 'later IS NULL',
	'later > 42000', 'late > ''j'' AND later < 44000', 'f8 > 3', 'f8 > 3 OR t = ''t5''', 'f8 + id > 100', 'r @> 4', 'r @> 4 AND small < 50 AND t LIKE ''%1''',
	'n = 3.5', 'n > 3.4999', 'u > ''80000000-0000-0000-0000-000000000000''', 'u = md5(''1'')::uuid', 'o > 2147483700::oid', 'o = 2147483700::oid', 'o < 2147483700::oid',
	'd = ''2000-02-03''', 'ts > ''2003-01-01''', 'small % 10 = id % 10', 'coalesce(v, t) = ''t3''', 'id::bigint = 20000', 'c::varchar = ''c33''',
	'id > 5 AND id % 5 = 0 AND id < 44000', 'CASE WHEN id > 10 THEN 10 / (id - 10) > 0 END', 'id <> 10 AND 10 / (id - 10) = 0',
	'id > (SELECT 30000)', 'tab.* IS NOT NULL', 'random() > 2', 'false', 'true']) q,
	agg_ask('SELECT count(*), count(v), min(f8), max(c), sum(big), avg(id) FROM TAB WHERE ' || q) a WHERE NOT (uses_ours AND is_same);

-- Grouped, by columns of every encoding.
SELECT q, a.* FROM unnest(ARRAY[
	't', 'v', 'c', 'e', 'late', 'later', 'small', 'f8', 'f4', 'n', 'r', 'u', 'd', 't, v', 'small, f8', 'e, late', 'c, d', 't, small, f4, n, r', 'o', 'id % 3']) q,
	agg_ask('SELECT ' || q || ', count(*), count(v), min(id), max(f8), sum(big), avg(small), max(c) FROM TAB GROUP BY ' || q) a WHERE NOT (uses_ours AND is_same);
SELECT q, a.* FROM unnest(ARRAY[
	'SELECT t FROM TAB GROUP BY t', 'SELECT count(*) FROM TAB GROUP BY t', 'SELECT t, t || v, sum(id) / 2 FROM TAB WHERE id > 100 GROUP BY t, v',
	'SELECT t, count(*) FROM TAB WHERE r @> 4 GROUP BY t HAVING count(*) > 1400 AND t > ''t2''', 'SELECT t, count(*) FROM TAB WHERE id < 0 GROUP BY t',
	'SELECT t, rank() OVER (ORDER BY count(*), t) FROM TAB GROUP BY t', 'SELECT DISTINCT count(*) FROM TAB GROUP BY small',
	'SELECT t, count(*) FROM TAB GROUP BY t ORDER BY 2 DESC, 1 LIMIT 5', 'SELECT generate_series(1, 2), t, count(*) FROM TAB GROUP BY t',
	'SELECT t, (SELECT max(x) FROM generate_series(1, 3) x WHERE x < count(tab.id)) FROM TAB GROUP BY t']) q, agg_ask(q) a WHERE NOT (uses_ours AND is_same);

-- Aggregates that are left to others are right, too; two are ours.
SELECT q, a.* FROM unnest(ARRAY[
	'SELECT count(DISTINCT t) FROM TAB', 'SELECT count(*) FILTER (WHERE id > 5) FROM TAB', 'SELECT string_agg(t, '','' ORDER BY id) FROM TAB',
	'SELECT t, v, count(*) FROM TAB GROUP BY GROUPING SETS ((t), (v), ())', 'SELECT max(t) FROM TAB', 'SELECT min(n), sum(f8), sum(n), max(u::text) FROM TAB',
	'SELECT id % 7, count(*) FROM TAB GROUP BY 1', 'SELECT count(tab) FROM TAB', 'SELECT count(*) FROM TAB JOIN (VALUES (5), (6)) b (id) USING (id)',
	'SELECT x, c FROM (VALUES (1), (2)) v (x), LATERAL (SELECT count(*) FROM TAB WHERE small = x) s (c)',
	'SELECT max(c COLLATE "C") FROM TAB WHERE random() < 2', 'SELECT count(*) FROM (SELECT * FROM TAB LIMIT 7) s',
	'SELECT array_agg(x) FROM (SELECT (SELECT sum(id) FROM TAB WHERE small = x) FROM generate_series(1, 3) x) s (x)']) q, agg_ask(q) a WHERE uses_ours OR NOT is_same;
SELECT count(*) FROM agg_store TABLESAMPLE BERNOULLI (100);
SELECT count(*) FROM (SELECT * FROM agg_store WHERE id < 10 FOR SHARE) s;
CREATE TABLE agg_part (LIKE agg_store) PARTITION BY RANGE (id);
CREATE TABLE agg_part_1 PARTITION OF agg_part FOR VALUES FROM (0) TO (100) USING pprepub;
CREATE TABLE agg_part_2 PARTITION OF agg_part FOR VALUES FROM (100) TO (200) USING heap;
INSERT INTO agg_part SELECT * FROM agg_heap WHERE id < 200;
SELECT count(*), sum(id), max(c) FROM agg_part;
SELECT count(*), sum(id), max(c) FROM agg_part_1;
DROP TABLE agg_part;
CREATE MATERIALIZED VIEW agg_view USING pprepub AS SELECT id, t FROM agg_heap WHERE id <= 300;
SELECT count(*), max(id) FROM agg_view;
EXPLAIN (COSTS OFF) SELECT count(*), max(id) FROM agg_view;
DROP MATERIALIZED VIEW agg_view;

-- Errors are those of the rows that are asked.
SELECT count(*) FROM agg_store WHERE 1 / (id - 10) > 5;
SELECT count(*) FROM agg_store WHERE 1 / (small - 10) > 5;
SELECT count(*) FROM agg_store WHERE small <> 10 AND 1 / (small - 10) > 5;

-- Parameters: prepared, of functions, of an outer query, again and again.
PREPARE agg_p(int, text) AS SELECT count(*), max(id) FROM agg_store WHERE id > $1 AND t = $2;
SET plan_cache_mode = force_generic_plan;
EXECUTE agg_p(1000, 't1');
EXECUTE agg_p(44000, 't1');
EXECUTE agg_p(NULL, 't1');
EXPLAIN (COSTS OFF) EXECUTE agg_p(1, 't1');
RESET plan_cache_mode;
CREATE FUNCTION agg_above(x int) RETURNS bigint STABLE LANGUAGE sql AS $$ SELECT count(*) FROM agg_store WHERE id > x $$;
SELECT x, agg_above(x), (SELECT count(*) FROM agg_store WHERE id > x AND small = 3), ARRAY(SELECT v || count(*) FROM agg_store WHERE id > x GROUP BY v ORDER BY v)
FROM (VALUES (43000), (44000), (NULL), (99999), (43000)) w (x);
BEGIN;
DECLARE agg_c SCROLL CURSOR FOR SELECT v, count(*) FROM agg_store WHERE id < 3000 GROUP BY v ORDER BY v;
FETCH 2 FROM agg_c;
FETCH BACKWARD 1 FROM agg_c;
FETCH ALL FROM agg_c;
FETCH BACKWARD ALL FROM agg_c;
COMMIT;

-- More groups than there is memory for are handed on in parts.
SET work_mem = '64kB';
SET enable_sort = off;
SELECT (agg_ask('SELECT c, d, count(*), sum(id), max(c) FROM TAB GROUP BY c, d')).*;
\set ECHO none
RESET work_mem;
RESET enable_sort;

-- Values that are special.
CREATE TABLE agg_special (f8 float8, f4 float4, d date, ts timestamp, i int, b bigint, c text COLLATE "C") USING pprepub;
CREATE FUNCTION agg_both(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	ours text := 'SELECT q::text FROM (' || query || ') q';
	theirs text := replace(ours, 'agg_special', '(SELECT * FROM agg_special OFFSET 0) s');
BEGIN
	RETURN QUERY EXECUTE ours;
	RETURN QUERY EXECUTE format('SELECT ''differs: '' || q FROM ((%1$s EXCEPT ALL (%2$s)) UNION ALL (%2$s EXCEPT ALL (%1$s))) q', '(' || ours || ')', theirs);
END $$;
\set ECHO all
SELECT agg_both('SELECT count(*), count(f8), min(f8), max(f4), min(d), sum(i), sum(b), avg(i), avg(b), min(c) FROM agg_special');
INSERT INTO agg_special SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM generate_series(1, 200);
SELECT agg_both('SELECT count(*), count(f8), min(f8), max(f4), min(d), sum(i), sum(b), avg(i), avg(b), min(c) FROM agg_special');
INSERT INTO agg_special SELECT 0, -0.0::float4, '2000-01-01', '2000-01-01', 2147483647, 9223372036854775807, '' FROM generate_series(1, 200);
INSERT INTO agg_special SELECT -0.0, 0, '2000-01-01', '2000-01-01', 2147483647, 9223372036854775807, repeat('long', 40) FROM generate_series(1, 200);
SELECT agg_both('SELECT min(f8), max(f8), min(f4), max(f4), min(d), max(ts), sum(i), sum(b), avg(i), avg(b), min(c), max(c) FROM agg_special');
SELECT agg_both('SELECT f8, count(*), sum(b) FROM agg_special GROUP BY f8 ORDER BY f8');
INSERT INTO agg_special SELECT 'infinity', '-infinity', '-infinity', 'infinity', -2147483648, -9223372036854775808, 'x' FROM generate_series(1, 200);
SELECT agg_both('SELECT min(f8), max(f8), min(f4), max(f4), min(d), max(d), min(ts), max(ts), sum(i), sum(b), avg(i), avg(b) FROM agg_special');
INSERT INTO agg_special SELECT CASE WHEN i % 2 = 0 THEN 'NaN' ELSE '-infinity' END::float8, 'NaN', 'infinity', '-infinity', -2147483648, -9223372036854775808, 'y'
FROM generate_series(1, 800) i;
SELECT agg_both('SELECT min(f8), max(f8), min(f4), max(f4), min(d), max(d), min(ts), max(ts), sum(i), sum(b), avg(i), avg(b) FROM agg_special');
SELECT agg_both('SELECT count(*) FROM agg_special WHERE f8 > 5');
SELECT agg_both('SELECT count(*) FROM agg_special WHERE f8 = ''NaN''');
SELECT agg_both('SELECT count(*) FROM agg_special WHERE f8 < ''NaN'' AND d < ''infinity''');
SELECT agg_both('SELECT f8, f4, count(*), sum(b) FROM agg_special GROUP BY f8, f4 ORDER BY f8, f4');
SELECT agg_both('SELECT b, sum(b), avg(b), avg(i) FROM agg_special GROUP BY b ORDER BY b');
DROP TABLE agg_special;
DROP FUNCTION agg_both(text);

-- A column that ALTER TABLE gives another type without rewriting it.
CREATE TABLE agg_typed (a varchar(5) COLLATE "C", b int) USING pprepub;
INSERT INTO agg_typed SELECT 'x' || i % 9, i - 500 FROM generate_series(1, 1000) i;
ALTER TABLE agg_typed ALTER a TYPE text COLLATE "C", ALTER b TYPE oid;
SELECT min(a), max(a), min(b), max(b), count(*) FROM agg_typed;
SELECT min(a), max(a), min(b), max(b), count(*) FROM (SELECT * FROM agg_typed OFFSET 0) s;
SELECT count(*) FROM agg_typed WHERE b > 4294967000::oid;
DROP TABLE agg_typed;

-- Rows that are pending, that were rolled back, and that older snapshots see.
CREATE TABLE agg_t (id int, t text COLLATE "C") USING pprepub;
BEGIN;
INSERT INTO agg_t SELECT i, 't' || i % 3 FROM generate_series(1, 1000) i;
SELECT count(*), sum(id), max(t) FROM agg_t;
DECLARE agg_old CURSOR FOR SELECT count(*), sum(id), max(t) FROM agg_t;
DECLARE agg_old_groups CURSOR FOR SELECT t, count(*) FROM agg_t GROUP BY t ORDER BY t;
SAVEPOINT s;
INSERT INTO agg_t SELECT i, 'u' FROM generate_series(1, 1000) i;
SELECT count(*), sum(id), max(t) FROM agg_t;
ROLLBACK TO s;
INSERT INTO agg_t VALUES (5000, 'v');
SELECT count(*), sum(id), max(t) FROM agg_t;
FETCH ALL FROM agg_old;
FETCH ALL FROM agg_old_groups;
\set ECHO none
COMMIT;
-- While a statement inserts, the functions that it calls see what is theirs to see, also inside of a subtransaction.
CREATE FUNCTION agg_seen() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	seen text;
BEGIN
	BEGIN
		SELECT count(*) || '/' || sum(id) || '/' || max(t) INTO seen FROM agg_t WHERE id > 5000;
		seen := seen || ' ' || (SELECT string_agg(g || '', ',' ORDER BY g) FROM (SELECT (t, count(*)) FROM agg_t WHERE id > 5000 GROUP BY t) x (g));
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		RETURN seen;
	END;
END $$;
CREATE FUNCTION agg_seen_stable() RETURNS bigint STABLE LANGUAGE sql AS $$ SELECT count(*) FROM agg_t WHERE id > 5000 $$;
INSERT INTO agg_t SELECT i, agg_seen_stable() || coalesce(agg_seen(), 'nothing') FROM generate_series(5001, 5004) i;
\set ECHO all
SELECT * FROM agg_t WHERE id > 5000 ORDER BY id;
TRUNCATE agg_t;
SELECT count(*), sum(id), max(t) FROM agg_t;
\set ECHO none
DROP TABLE agg_t;

-- Roles that may not read a row, a column, or call a function, do not count.
CREATE ROLE agg_reader;
CREATE TABLE agg_secret (id int, owner name DEFAULT current_user) USING pprepub;
INSERT INTO agg_secret SELECT i, CASE WHEN i % 10 = 0 THEN 'agg_reader' ELSE 'nobody' END FROM generate_series(1, 1000) i;
GRANT SELECT (id) ON agg_secret TO agg_reader;
CREATE VIEW agg_barrier WITH (security_barrier) AS SELECT * FROM agg_secret WHERE id > 990;
GRANT SELECT ON agg_barrier TO agg_reader;
CREATE FUNCTION agg_owned() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS $$ SELECT count(owner) FROM agg_secret $$;
SET ROLE agg_reader;
\set ECHO all
SELECT count(*), max(id) FROM agg_secret;
SELECT count(owner) FROM agg_secret;
SELECT count(*) FROM agg_secret WHERE owner = 'agg_reader';
SELECT count(*) FROM agg_barrier WHERE id % 2 = 0;
SELECT agg_owned();
RESET ROLE;
REVOKE ALL ON agg_secret FROM agg_reader;
SET ROLE agg_reader;
SELECT count(*) FROM agg_secret;
RESET ROLE;
GRANT SELECT ON agg_secret TO agg_reader;
ALTER TABLE agg_secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY agg_policy ON agg_secret USING (owner = current_user);
SET ROLE agg_reader;
SELECT count(*), max(id) FROM agg_secret;
EXPLAIN (COSTS OFF) SELECT count(*) FROM agg_secret WHERE id > 500;
SELECT agg_owned();
RESET ROLE;
BEGIN;
REVOKE EXECUTE ON FUNCTION pg_catalog.int4gt(int, int) FROM PUBLIC;
SET LOCAL ROLE agg_reader;
SELECT count(*) FROM agg_store WHERE id > 500;
ROLLBACK;
BEGIN;
GRANT SELECT ON agg_store TO agg_reader;
REVOKE EXECUTE ON FUNCTION pg_catalog.int4gt(int, int) FROM PUBLIC;
SET LOCAL ROLE agg_reader;
SELECT count(*) FROM agg_store WHERE id > 500;
\set ECHO none
ROLLBACK;
DROP VIEW agg_barrier;
DROP FUNCTION agg_owned();
DROP TABLE agg_secret;
DROP ROLE agg_reader;

-- Operators and aggregates of other schemas are not taken for PostgreSQL's own.
CREATE SCHEMA agg_planted;
CREATE FUNCTION agg_planted.less(int, int) RETURNS boolean IMMUTABLE LANGUAGE sql AS $$ SELECT true $$;
CREATE OPERATOR agg_planted.< (LEFTARG = int, RIGHTARG = int, FUNCTION = agg_planted.less);
CREATE AGGREGATE agg_planted.count(*) (SFUNC = int8inc, STYPE = bigint, INITCOND = '1000000');
CREATE AGGREGATE agg_planted.max(int) (SFUNC = int4smaller, STYPE = int);
SET search_path = agg_planted, public, pg_catalog;
\set ECHO all
SELECT count(*), max(id) FROM agg_store WHERE id < 5;
SELECT pg_catalog.count(*) FROM agg_store WHERE id < 5;
RESET search_path;
SET client_min_messages = warning;
DROP SCHEMA agg_planted CASCADE;

-- Workers may be asked to aggregate one of several tables.
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT count(*) AS c FROM agg_store UNION ALL SELECT sum(id) FROM agg_store UNION ALL SELECT count(*) FROM agg_heap ORDER BY 1;
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
CALL public.clean();

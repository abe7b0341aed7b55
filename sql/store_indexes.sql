-- Indexes on tables of the access method pprepub.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
CREATE TABLE store_t (id int, k int, t text, a int[], r int4range) USING pprepub;
INSERT INTO store_t SELECT i, i % 1000, 'v' || i % 500, ARRAY[i % 7, i % 11], int4range(i, i + 5) FROM generate_series(1, 20000) i;
CREATE INDEX store_btree ON store_t (k, id);
CREATE INDEX store_hash ON store_t USING hash (t);
CREATE INDEX store_gin ON store_t USING gin (a);
CREATE INDEX store_gist ON store_t USING gist (r);
CREATE INDEX store_spgist ON store_t USING spgist (t text_ops);
CREATE UNIQUE INDEX store_part ON store_t (id) WHERE id % 2 = 0;
CREATE INDEX store_expr ON store_t ((k * 2 + id)) INCLUDE (t);
CREATE INDEX CONCURRENTLY store_conc ON store_t (id DESC);
ANALYZE store_t;
SET enable_seqscan = off;
\set ECHO all
\set EXPLAIN 'EXPLAIN (COSTS OFF)'
:EXPLAIN SELECT count(*), sum(id) FROM store_t WHERE k = 77;
SELECT count(*), sum(id) FROM store_t WHERE k = 77;
:EXPLAIN SELECT count(*), sum(id) FROM store_t WHERE t = 'v33';
SELECT count(*), sum(id) FROM store_t WHERE t = 'v33';
:EXPLAIN SELECT count(*), sum(id) FROM store_t WHERE a @> '{3,4}';
SELECT count(*), sum(id) FROM store_t WHERE a @> '{3,4}';
SELECT count(*), sum(id) FROM store_t WHERE r @> 700;
SELECT id, t FROM store_t WHERE k * 2 + id = 300 ORDER BY 1;
SELECT id FROM store_t WHERE id = 4444;
SET enable_bitmapscan = off;
SELECT count(*), sum(id) FROM store_t WHERE k = 77;
:EXPLAIN SELECT k, id FROM store_t WHERE k BETWEEN 5 AND 6 ORDER BY k, id LIMIT 3;
SELECT k, id FROM store_t WHERE k BETWEEN 5 AND 6 ORDER BY k, id LIMIT 3;
SELECT k, id FROM store_t ORDER BY k DESC, id DESC LIMIT 2;
SELECT id FROM store_t ORDER BY id DESC LIMIT 2;
RESET enable_bitmapscan;
-- Bitmaps that are combined, and that become lossy.
SELECT count(*) FROM store_t WHERE k = 77 AND t = 'v77' OR a @> '{6,10}' AND k < 10;
DROP INDEX store_gist, store_spgist, store_hash;
SET work_mem = '64kB';
INSERT INTO store_t SELECT i, i % 1000, 'w', ARRAY[99], NULL FROM generate_series(20001, 400000) i;
SELECT count(*), sum(id) FROM store_t WHERE a @> '{99}';
RESET work_mem;
-- Inserted afterwards, rebuilt.
SELECT count(*), sum(id) FROM store_t WHERE k = 77;
REINDEX INDEX CONCURRENTLY store_btree;
REINDEX TABLE store_t;
SELECT count(*), sum(id) FROM store_t WHERE k = 77;
VACUUM FULL store_t;
SELECT count(*), sum(id) FROM store_t WHERE k = 77;
SELECT count(*) FROM store_t a JOIN store_t b ON b.id = a.k WHERE a.id < 3000;

-- Unique.
CREATE UNIQUE INDEX CONCURRENTLY store_unique ON store_t (id);
INSERT INTO store_t (id) VALUES (500001), (17);
INSERT INTO store_t (id) VALUES (500001), (500001);
INSERT INTO store_t (id) VALUES (500001);
\set VERBOSITY terse
CREATE UNIQUE INDEX ON store_t (k);
CREATE UNIQUE INDEX CONCURRENTLY store_no ON store_t (k);
\set VERBOSITY default
\set ECHO none
DROP INDEX store_no;
ALTER TABLE store_t ADD PRIMARY KEY USING INDEX store_unique;

-- In parallel.
RESET enable_seqscan;
SET max_parallel_maintenance_workers = 2;
SET min_parallel_table_scan_size = 0;
CREATE INDEX store_parallel ON store_t (k);
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 2; SET min_parallel_index_scan_size = 0;
\set ECHO all
SELECT count(*), sum(id + 0), count(DISTINCT ctid) FROM store_t;
:EXPLAIN SELECT count(*), sum(id + 0) FROM store_t;
SELECT count(*), sum(id + 0) FROM store_t;
-- Workers begin anew for each row that asks for them.
SET enable_material = off; SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
:EXPLAIN SELECT * FROM (SELECT count(*), sum(id + 0) FROM store_t WHERE k < 100) s RIGHT JOIN (VALUES (1), (2), (3)) v (x) ON true;
SELECT * FROM (SELECT count(*), sum(id + 0) FROM store_t WHERE k < 100) s RIGHT JOIN (VALUES (1), (2), (3)) v (x) ON true;
RESET enable_material; RESET enable_indexscan; RESET enable_indexonlyscan; RESET enable_bitmapscan;
SET parallel_leader_participation = off;
SELECT count(*), sum(id + 0) FROM store_t WHERE k < 100;
BEGIN;
INSERT INTO store_t (id, k) VALUES (600000, 77);
SELECT count(*), sum(id + 0) FROM store_t;
SAVEPOINT s;
INSERT INTO store_t (id, k) VALUES (600001, 77);
SELECT count(*), sum(id + 0) FROM store_t;
ROLLBACK TO s;
SELECT count(*), sum(id + 0) FROM store_t;
COMMIT;
SET enable_seqscan = off;
SELECT count(*), sum(id) FROM store_t WHERE k = 77;
CALL public.clean();

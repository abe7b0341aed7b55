-- Tables that are only appended to refuse in one way what they cannot do.
\pset format unaligned \t on \pset recordsep '; '
CREATE TABLE store_t (id int PRIMARY KEY, t text) USING pprepub;
INSERT INTO store_t VALUES (1, 'a'), (2, 'b');
-- Each refusal in all of its words.
UPDATE store_t SET t = 'c' WHERE id = 1;
DELETE FROM store_t WHERE id = 1;
SELECT * FROM store_t WHERE id = 1 FOR UPDATE;
INSERT INTO store_t VALUES (1, 'x') ON CONFLICT DO NOTHING;
CLUSTER store_t USING store_t_pkey;
CREATE INDEX ON store_t USING brin (id);
SELECT xmin FROM store_t;
SELECT * FROM pprepub.verify_storage('pg_class');		-- it is not concerned
-- Other statements that come to the same.
\set VERBOSITY terse
SELECT * FROM store_t WHERE id = 1 FOR NO KEY UPDATE;
INSERT INTO store_t VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET t = 'x';
INSERT INTO store_t VALUES (9, 'x') ON CONFLICT DO NOTHING;
WITH w AS (INSERT INTO store_t VALUES (1, 'x') ON CONFLICT DO NOTHING RETURNING id) SELECT * FROM w;
CREATE TABLE store_part (id int PRIMARY KEY) PARTITION BY RANGE (id);
CREATE TABLE store_part_1 PARTITION OF store_part FOR VALUES FROM (0) TO (10) USING pprepub;
INSERT INTO store_part VALUES (1) ON CONFLICT DO NOTHING;
INSERT INTO store_part VALUES (1);
DROP TABLE store_part;
MERGE INTO store_t USING (VALUES (1)) v(i) ON id = i WHEN MATCHED THEN DELETE;
CREATE INDEX CONCURRENTLY store_brin ON store_t USING brin (id);
DROP INDEX store_brin;
SELECT id FROM store_t WHERE cmin::text = '0';
SELECT count(*) FROM store_t a JOIN store_t b ON a.xmax = b.xmax;
SELECT xmax FROM store_t TABLESAMPLE SYSTEM (100);
-- Refreshed concurrently, a materialized view may gain rows, but lose none.
CREATE TABLE store_source (a int);
INSERT INTO store_source VALUES (1), (2);
CREATE MATERIALIZED VIEW store_mv USING pprepub AS SELECT a FROM store_source;
CREATE UNIQUE INDEX ON store_mv (a);
INSERT INTO store_source VALUES (3);
REFRESH MATERIALIZED VIEW CONCURRENTLY store_mv;
SELECT string_agg(a::text, ' ' ORDER BY a) FROM store_mv;
UPDATE store_source SET a = 4 WHERE a = 2;
REFRESH MATERIALIZED VIEW CONCURRENTLY store_mv;
REFRESH MATERIALIZED VIEW store_mv;
SELECT string_agg(a::text, ' ' ORDER BY a) FROM store_mv;
DROP MATERIALIZED VIEW store_mv;
DROP TABLE store_source;

-- Locks are possible, and statements that match no row.
SELECT * FROM store_t WHERE id = 1 FOR KEY SHARE;
SELECT * FROM store_t WHERE id = 2 FOR SHARE;
UPDATE store_t SET t = 'c' WHERE id = 3;
MERGE INTO store_t USING (VALUES (3)) v(i) ON id = i WHEN NOT MATCHED THEN INSERT VALUES (i, 'merged');
DELETE FROM store_t WHERE id = 7;
SELECT * FROM store_t ORDER BY id;

-- Other tables are not concerned.
SELECT * FROM pprepub.verify_storage('pprepub_internal.catalog_release');
SELECT * FROM pprepub_internal.describe_storage('store_t_pkey');
SELECT pprepub_internal.store_handler(NULL);
SET ROLE regress_other;
SELECT * FROM pprepub.verify_storage('store_t');
SELECT * FROM pprepub_internal.describe_storage('store_t');
SELECT * FROM pprepub.storage;
CREATE TABLE store_own (a int) USING pprepub;
INSERT INTO store_own VALUES (1);
SELECT "table", groups, rows FROM pprepub.storage;
SELECT * FROM pprepub.verify_storage('store_own');
DROP TABLE store_own;
RESET ROLE;
\set VERBOSITY sqlstate
SET pprepub.store_memory = 100;
DROP TABLE store_t;

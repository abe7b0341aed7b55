-- Small groups become big ones, everything can be checked, and what is damaged is said.
\pset format unaligned \t on
CREATE TABLE store_t (id int, t text) USING pprepub;
CREATE INDEX ON store_t (id);
DO $$ BEGIN
	FOR i IN 1 .. 50 LOOP
		INSERT INTO store_t VALUES (i, 't' || i);
	END LOOP;
END $$;
SELECT groups, rows FROM pprepub.storage WHERE "table" = 'store_t'::regclass;
CREATE TEMP TABLE before AS SELECT ctid AS place, * FROM store_t;
SELECT pprepub.compact_storage('store_t');
SELECT groups, rows FROM pprepub.storage WHERE "table" = 'store_t'::regclass;
SELECT pprepub.compact_storage('store_t');
-- Rows keep their numbers, and their place.
SELECT count(*) FROM store_t s JOIN before b ON s.ctid = b.place AND s.id = b.id AND s.t = b.t;
SET enable_seqscan = off;
SELECT * FROM store_t WHERE id = 33;
SELECT ctid, id FROM store_t WHERE ctid = (SELECT place FROM before WHERE id = 17);
RESET enable_seqscan;
-- A merge that is rolled back was none.
INSERT INTO store_t VALUES (51, 'x');
BEGIN;
SELECT pprepub.compact_storage('store_t');
SELECT groups FROM pprepub.storage WHERE "table" = 'store_t'::regclass;
ROLLBACK;
SELECT groups FROM pprepub.storage WHERE "table" = 'store_t'::regclass;
-- Numbers of rows that were rolled back stay unused within a group.
BEGIN;
INSERT INTO store_t VALUES (1000, 'x'), (1001, 'y');
ROLLBACK;
INSERT INTO store_t VALUES (52, 'y');
SELECT pprepub.compact_storage('store_t');
SELECT * FROM store_t WHERE id > 50 ORDER BY id;
SELECT count(*) FROM store_t a JOIN store_t b ON a.ctid = b.ctid;
SELECT * FROM pprepub.verify_storage('store_t') \g (format=aligned t=off)
SELECT count(*) FROM store_t TABLESAMPLE BERNOULLI (100);

-- Many one-row inserts make as many groups, until somebody merges them.
CREATE PROCEDURE store_many(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		INSERT INTO store_t VALUES (10000 + i, 'many');
		IF i % 10 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END $$;
CALL store_many(3000);
SELECT rows, groups > 3000 AS many FROM pprepub.storage WHERE "table" = 'store_t'::regclass;
SELECT count(*), count(DISTINCT id), count(DISTINCT ctid) FROM store_t;
SELECT bool_and(holds) FROM pprepub.verify_storage('store_t');
DO $$ BEGIN
	FOR i IN 1 .. 3000 LOOP
		INSERT INTO store_t VALUES (20000 + i, 'in one transaction');
	END LOOP;
END $$;
SELECT rows, groups > 6000 AS many FROM pprepub.storage WHERE "table" = 'store_t'::regclass;
SELECT count(*), count(DISTINCT id), count(DISTINCT ctid) FROM store_t;
VACUUM store_t;
SELECT pprepub.compact_storage('store_t') > 0 AS merged;
SELECT rows, groups FROM pprepub.storage WHERE "table" = 'store_t'::regclass;
-- No snapshot keeps old rows by then.
DO $$ BEGIN
	WHILE EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL) LOOP
		PERFORM pg_sleep(0.05), pg_stat_clear_snapshot();
	END LOOP;
END $$;
VACUUM FULL store_t;
SELECT pg_table_size('store_t') < 100000 AS small;

-- The view.
CREATE TABLE store_show (c int, n int, r text, d text, e text) USING pprepub;
INSERT INTO store_show SELECT 7, NULL, 'r' || i / 500, 'd' || i * 7919 % 13, md5(i::text) FROM generate_series(1, 16000) i;
SELECT pprepub.compact_storage('store_show') > 0 AS merged;
SELECT "table", groups, rows, bytes BETWEEN 100000 AND 1000000 AS bytes, heap_bytes / 8192 BETWEEN 140 AND 160 AS heap FROM pprepub.storage WHERE "table" = 'store_show'::regclass;
SELECT key AS column, value - 'bytes' AS encodings, (value->>'bytes')::int < 20000 AS little FROM pprepub.storage, jsonb_each(encodings) WHERE "table" = 'store_show'::regclass ORDER BY 1;

-- Sizes.
SELECT pg_relation_size('store_show'), pg_table_size('store_show') > 100000 AS table_size, pg_total_relation_size('store_t') > pg_table_size('store_t') AS with_index;

-- VACUUM of all kinds.
VACUUM (VERBOSE OFF, FREEZE, ANALYZE) store_show;
VACUUM (FULL, ANALYZE) store_show;
SELECT relfrozenxid <> '0' AS frozen, relpages, reltuples FROM pg_class WHERE oid = 'store_show'::regclass;
-- Notes of VACUUM FULL in pg_class do not hold others back for ever.
SELECT relfrozenxid AS before FROM pg_class WHERE oid = 'store_show'::regclass \gset
INSERT INTO store_show (c) VALUES (8);
INSERT INTO store_show (c) VALUES (9);
VACUUM store_show;
SELECT age(relfrozenxid) < age(:'before'::xid) AS advanced FROM pg_class WHERE oid = 'store_show'::regclass;
SELECT count(*) FROM store_show;

SET client_min_messages = warning;
DROP TABLE store_t, before, store_show;
DROP PROCEDURE store_many(int);

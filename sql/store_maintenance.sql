-- Small groups, the view of what is stored, and VACUUM of all kinds.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
CREATE TABLE store_t (id int, t text) USING pprepub;
CREATE INDEX ON store_t (id);
-- Many one-row inserts make as many groups.
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
\set ECHO all
SELECT rows, groups >= 3000 AS many FROM pprepub.storage WHERE "table" = 'store_t'::regclass;
SELECT count(*), count(DISTINCT id), count(DISTINCT ctid) FROM store_t;
SELECT bool_and(holds) FROM pprepub.verify_storage('store_t');
DO $$ BEGIN
	FOR i IN 1 .. 3000 LOOP
		INSERT INTO store_t VALUES (20000 + i, 'in one transaction');
	END LOOP;
END $$;
SELECT rows, groups >= 6000 AS many FROM pprepub.storage WHERE "table" = 'store_t'::regclass;
SELECT count(*), count(DISTINCT id), count(DISTINCT ctid) FROM store_t;
VACUUM store_t;
VACUUM FULL store_t;
SELECT bool_and(holds) FROM pprepub.verify_storage('store_t');

-- The view.
CREATE TABLE store_show USING pprepub AS SELECT 7 AS c, NULL::int AS n, 'r' || i / 500 AS r, 'd' || i * 7919 % 13 AS d, md5(i::text) AS e FROM generate_series(1, 16000) i;
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
CALL public.clean();

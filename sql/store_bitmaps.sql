-- Above TID block 131,072 the executor's bitmap scans fail; tables are planned without them before they come there.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
CREATE TABLE store_t (id int, a int[]) USING pprepub;
CREATE INDEX store_gin ON store_t USING gin (a);
CREATE INDEX store_btree ON store_t (id);
INSERT INTO store_t SELECT i, ARRAY[i % 5] FROM generate_series(1, 1000) i;
ANALYZE store_t;
SET enable_seqscan = off;
-- Numbers are used up by statements that fail: 16,384 at a time.
CREATE PROCEDURE store_use_up(n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR time IN 1 .. n LOOP
		BEGIN
			INSERT INTO store_t SELECT 1 / (2 - i), '{99}' FROM generate_series(1, 2) i;
		EXCEPTION WHEN division_by_zero THEN
			NULL;
		END;
	END LOOP;
END $$;
CREATE FUNCTION block() RETURNS bigint LANGUAGE sql AS $$ SELECT (ctid::text::point)[0]::bigint FROM store_t ORDER BY ctid DESC LIMIT 1 $$;
PREPARE p AS SELECT count(*), min(id), max(id + 0) FROM store_t WHERE a @> '{3}';
\set ECHO all
SELECT explained('COSTS OFF', 'EXECUTE p');
EXECUTE p;
CALL store_use_up(2030);
INSERT INTO store_t VALUES (1001, '{3}');
SELECT block() BETWEEN 113000 AND 114687 AS before;
SELECT explained('COSTS OFF', 'EXECUTE p');
EXECUTE p;
CALL store_use_up(20);
INSERT INTO store_t VALUES (1002, '{3}');
SELECT block() BETWEEN 114688 AND 115500 AS behind;
-- The plan that was kept is made anew.
SELECT explained('COSTS OFF', 'EXECUTE p');
EXECUTE p;
CALL store_use_up(320);
INSERT INTO store_t VALUES (1003, '{3}');
INSERT INTO store_t SELECT i, '{3,7}' FROM generate_series(2001, 2100) i;
SELECT block() > 131072 AS beyond;
EXECUTE p;
EXPLAIN (COSTS OFF) SELECT * FROM store_t WHERE id = 2050;
SELECT * FROM store_t WHERE id = 2050;
SELECT count(*) FROM store_t WHERE id IN (1003, 2001, 5);
-- ANALYZE and samples, too, think in blocks.
ANALYZE store_t;
SELECT count(*) FROM store_t TABLESAMPLE BERNOULLI (100);
SELECT count(*) FROM store_t TABLESAMPLE SYSTEM (100);
SELECT bool_and(holds) FROM pprepub.verify_storage('store_t');
-- Rows that are written anew have new numbers.
VACUUM FULL store_t;
SELECT block() > 131072 AS beyond;
CREATE TABLE store_new USING pprepub AS TABLE store_t;
SELECT max(ctid) FROM store_new;
CALL public.clean();

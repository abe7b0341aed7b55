-- Rules without which a table in its own TOAST relation loses rows, or shows wrong ones.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
CREATE TABLE store_t (id int PRIMARY KEY, t text) USING pprepub;
INSERT INTO store_t SELECT i, 'kept' FROM generate_series(1, 10) i;
CREATE TABLE store_v (id int PRIMARY KEY, t text, a int[]) USING pprepub WITH (autovacuum_enabled = off);
CREATE PROCEDURE store_undo(a int, b int) LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO store_v SELECT i, 't' || i, ARRAY[i, i % 7] FROM generate_series(a, b) i;
	RAISE division_by_zero;
EXCEPTION WHEN division_by_zero THEN
END $$;
CREATE PROCEDURE store_do(a int, b int) LANGUAGE sql AS $$
	INSERT INTO store_v SELECT i, 't' || i, ARRAY[i, i % 7] FROM generate_series(a, b) i
$$;
CREATE EXTENSION pgstattuple;
CREATE FUNCTION entries() RETURNS bigint LANGUAGE sql AS $$ SELECT tuple_count FROM pgstattuple('store_t_pkey') $$;
-- Functions with a subtransaction of their own.
CREATE FUNCTION store_count() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	BEGIN
		SELECT count(*) FILTER (WHERE true) INTO n FROM store_t WHERE id >= 1000;
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		RETURN n;
	END;
END $$;
CREATE FUNCTION store_joined() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	BEGIN
		EXECUTE 'SELECT count(*) FROM store_h JOIN store_t USING (id)' INTO n;
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		RETURN n;
	END;
END $$;
CREATE FUNCTION store_count_of(i int, inside boolean) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
BEGIN
	IF NOT inside THEN
		RETURN QUERY SELECT count(*) FILTER (WHERE true) FROM store_t WHERE id BETWEEN 1000 AND 2000;
		RETURN;
	END IF;
	BEGIN
		RETURN QUERY SELECT count(*) FILTER (WHERE true) FROM store_t WHERE id BETWEEN 1000 AND 2000;
	EXCEPTION WHEN division_by_zero THEN
	END;
END $$;
CREATE FUNCTION store_pending() RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN sum(total_bytes) < 4 * 1024 * 1024 THEN 'little' ELSE pg_size_pretty(sum(total_bytes)) END
	FROM pg_backend_memory_contexts WHERE name = 'pending rows'
$$;
CREATE TABLE store_seen (what text);
CREATE FUNCTION store_look() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO store_seen SELECT store_pending();
	RETURN NEW;
END $$;
\set ECHO all

-- A number that a row had is never given again: the index still has the entry of one that was rolled back.
BEGIN;
INSERT INTO store_t VALUES (77, 'rolled back');
SELECT ctid FROM store_t WHERE id = 77;
ROLLBACK;
VACUUM (INDEX_CLEANUP OFF) store_t;
INSERT INTO store_t VALUES (78, 'other') RETURNING ctid > '(0,11)' AS behind;
SET enable_seqscan = off;
SELECT * FROM store_t WHERE id = 77;
SELECT * FROM store_t WHERE id = 78;
-- VACUUM leaves such entries, and REINDEX takes them away.
VACUUM store_t;
SELECT entries();
REINDEX TABLE store_t;
SELECT entries(), count(*) FROM store_t WHERE id > 0;
SELECT * FROM store_t WHERE id = 78;
\set ECHO none
CREATE INDEX store_v_hash ON store_v USING hash (t);
CREATE INDEX store_v_gin ON store_v USING gin (a);
CALL store_do(1, 1000); CALL store_undo(1001, 5000); CALL store_do(5001, 5100); CALL store_undo(5101, 5110);
DO $$ BEGIN
	FOR i IN 6001 .. 6300 LOOP
		CALL store_do(i, i);
		IF i % 3 = 0 THEN CALL store_undo(7000 + i, 7000 + i); END IF;
	END LOOP;
END $$;
-- VACUUM puts in order what gin has put off.
VACUUM store_v;
\set ECHO all
SELECT (pgstatginindex('store_v_gin')).pending_tuples;
CREATE EXTENSION amcheck;
SELECT bt_index_check('store_v_pkey', true);
SELECT count(*) FROM store_v a WHERE t = (SELECT t FROM store_v b WHERE b.id = a.id) AND id = (SELECT id FROM store_v c WHERE c.t = a.t);
SELECT count(*) FROM store_v WHERE a @> ARRAY[3];
CALL store_do(5101, 5103);
SELECT bt_index_check('store_v_pkey', true);
SELECT count(*) FROM store_v WHERE id BETWEEN 5101 AND 5110;
DROP EXTENSION amcheck;

-- TRUNCATE rebuilds the indexes of the table before it comes to the rows.
CREATE TEMP TABLE store_temp (id int PRIMARY KEY) USING pprepub ON COMMIT DELETE ROWS;
BEGIN;
INSERT INTO store_temp SELECT generate_series(1, 1000);
SELECT count(*) FROM store_temp WHERE id > 0;
COMMIT;
SELECT count(*) FROM store_temp;
SELECT * FROM store_temp WHERE id = 7;
BEGIN;
INSERT INTO store_temp VALUES (7), (8);
SELECT * FROM store_temp WHERE id = 7;
COMMIT;
SELECT * FROM store_temp WHERE id = 7;
SELECT tuple_count FROM pgstattuple('store_temp_pkey');
SELECT pg_table_size('store_temp') < 100000 AS small;
BEGIN;
CREATE TABLE store_new (id int PRIMARY KEY) USING pprepub;
INSERT INTO store_new SELECT generate_series(1, 5000);
TRUNCATE store_new;
SELECT count(*), (SELECT tuple_count FROM pgstattuple('store_new_pkey')) FROM store_new WHERE id > 0;
INSERT INTO store_new VALUES (3);
SAVEPOINT s;
TRUNCATE store_new;
INSERT INTO store_new VALUES (4);
ROLLBACK TO s;
SELECT * FROM store_new WHERE id > 0;
COMMIT;
SELECT * FROM store_new WHERE id > 0;
TRUNCATE store_new;
SELECT * FROM store_new WHERE id > 0;

-- An error that a row brings about comes with the row, not when a savepoint is released.
BEGIN;
SAVEPOINT s;
INSERT INTO store_t SELECT 100, repeat('x', 1100000000 - 2 * i) FROM generate_series(1, 1) i;
ROLLBACK TO s;
INSERT INTO store_t VALUES (100, 'after');
-- Nothing is left to be written by then.
SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'pending rows';
COPY store_t FROM stdin;
300	copied
\.
SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'pending rows';
RELEASE s;
COMMIT;
SELECT * FROM store_t WHERE id IN (100, 300) ORDER BY id;

-- A unique index asks for rows while it holds a page: nothing is left to be locked by then.
BEGIN;
INSERT INTO store_t VALUES (301, 'new');
SELECT relkind, mode FROM pg_locks JOIN pg_class c ON c.oid = relation
	WHERE pid = pg_backend_pid() AND relname ~ (SELECT '^pg_toast_' || 'store_t'::regclass::oid) ORDER BY 1, 2;
ROLLBACK;

-- Rewriting ALTER TABLE keeps every row, also those of this transaction.
BEGIN;
INSERT INTO store_t VALUES (101, 'new');
SAVEPOINT s;
ALTER TABLE store_t ALTER id TYPE bigint;
INSERT INTO store_t VALUES (102, 'newer');
RELEASE s;
SELECT count(*) FROM store_t;
COMMIT;
SELECT count(*), max(id) FROM store_t WHERE id > 0;

-- Workers see what their leader has pending, or are not asked; also if it does not take part itself.
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0; SET parallel_leader_participation = off;
RESET enable_seqscan;
INSERT INTO store_t SELECT i, 'saw ' || store_count() FROM generate_series(1000, 1004) i;
SELECT * FROM store_t WHERE id >= 1000 ORDER BY id;
-- Nor is one of them given the whole table, as one side of a join.
CREATE TABLE store_h AS SELECT i AS id FROM generate_series(1, 20000) i;
ANALYZE store_h;
SET enable_parallel_hash = off; SET enable_mergejoin = off; SET enable_nestloop = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM store_h JOIN store_t USING (id);
INSERT INTO store_t SELECT i, 'joined ' || store_joined() FROM generate_series(1010, 1013) i;
SELECT * FROM store_t WHERE id BETWEEN 1010 AND 1013 ORDER BY id;
DROP TABLE store_h;
RESET enable_parallel_hash; RESET enable_mergejoin; RESET enable_nestloop;
-- A plan that was made before there was anything pending is for workers: what is pending is sealed then, or, if it is not ours to
-- seal, the plan is refused.
INSERT INTO store_t SELECT i, 'many' FROM generate_series(100000, 105000) i;
ALTER TABLE store_t SET (parallel_workers = 2);
ANALYZE store_t;
SET enable_indexscan = off; SET enable_indexonlyscan = off; SET enable_bitmapscan = off;
INSERT INTO store_t SELECT i, 'saw ' || c FROM generate_series(1005, 1007) i, LATERAL store_count_of(i, false) c;
SELECT * FROM store_t WHERE id BETWEEN 1005 AND 2000 ORDER BY id;
INSERT INTO store_t SELECT i, 'saw ' || c FROM generate_series(1008, 1009) i, LATERAL store_count_of(i, true) c;
RESET enable_indexscan; RESET enable_indexonlyscan; RESET enable_bitmapscan;
RESET max_parallel_workers_per_gather; RESET parallel_setup_cost; RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size; RESET min_parallel_index_scan_size; RESET parallel_leader_participation;

-- Memory is bounded over many partitions.
\set ECHO none
SET pprepub.store_memory = '1MB';
CREATE TABLE store_p (k int, t text) PARTITION BY LIST (k);
DO $$ BEGIN
	FOR k IN 0 .. 63 LOOP
		EXECUTE format('CREATE TABLE store_p%s PARTITION OF store_p FOR VALUES IN (%s) USING pprepub', k, k);
	END LOOP;
END $$;
CREATE TRIGGER look BEFORE INSERT ON store_p FOR EACH ROW WHEN (NEW.t LIKE '%00') EXECUTE FUNCTION store_look();
INSERT INTO store_p SELECT i % 64, repeat('x', 8000) || i FROM generate_series(1, 4000) i;
\set ECHO all
SELECT what, count(*) FROM store_seen GROUP BY what;
SELECT count(*), count(DISTINCT k), min(length(t)) FROM store_p;
DROP EXTENSION pgstattuple;
CALL public.clean();

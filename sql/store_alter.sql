-- Tables of the access method pprepub change their form as others do.
\pset format unaligned \t on \pset recordsep '; '
CREATE TABLE store_t (id int, t text) USING pprepub;
INSERT INTO store_t SELECT i, 'old' || i FROM generate_series(1, 3000) i;

-- Columns that are added later have their value in older rows, and keep it.
ALTER TABLE store_t ADD COLUMN n int DEFAULT 7, ADD COLUMN w text, ADD COLUMN v text DEFAULT 'default';
INSERT INTO store_t (id, n) VALUES (3001, 8);
SELECT n, w, v, count(*) FROM store_t GROUP BY 1, 2, 3 ORDER BY 1;
SELECT * FROM store_t WHERE id = 17 \g (format=aligned t=off)
ALTER TABLE store_t ALTER n SET DEFAULT 9;
SELECT count(*) FROM store_t WHERE n = 7;
SELECT n, w, v, count(*) FROM store_t GROUP BY 1, 2, 3 ORDER BY 1;
ALTER TABLE store_t ADD COLUMN m numeric DEFAULT 1.25;
VACUUM FULL store_t;
SELECT n, w, v, m, count(*) FROM store_t GROUP BY 1, 2, 3, 4 ORDER BY 1;
ALTER TABLE store_t ADD COLUMN x int DEFAULT 5;
ALTER TABLE store_t ADD COLUMN r float8 DEFAULT random();
SELECT x, count(*), count(DISTINCT r) > 2900 AS random FROM store_t GROUP BY 1;

-- Dropped ones are gone.
ALTER TABLE store_t DROP COLUMN w, DROP COLUMN r;
SELECT * FROM store_t WHERE id IN (17, 3001) ORDER BY id;
INSERT INTO store_t VALUES (3002, 'new', 1, 'v', 2, 3);
SELECT * FROM store_t WHERE id > 3000 ORDER BY id;
VACUUM FULL store_t;
SELECT * FROM store_t WHERE id > 3000 ORDER BY id;
ALTER TABLE store_t DROP COLUMN id;
SELECT count(*), sum(n) FROM store_t;
ALTER TABLE store_t RENAME COLUMN t TO name;
SELECT name FROM store_t LIMIT 1;

-- Types change, with and without writing the rows anew.
CREATE INDEX ON store_t (n);
ALTER TABLE store_t ALTER n TYPE bigint, ALTER x TYPE text USING 'x' || x;
SELECT n, x, count(*) FROM store_t GROUP BY 1, 2 ORDER BY 1;
ALTER TABLE store_t ALTER v TYPE varchar(20);
ALTER TABLE store_t ALTER v TYPE varchar(40), ALTER m TYPE numeric(10,4);
SELECT v, m, count(*) FROM store_t GROUP BY 1, 2 ORDER BY 3;
CREATE TABLE store_oid (i int) USING pprepub;
INSERT INTO store_oid SELECT i - 1000 FROM generate_series(1, 2000) i;
ALTER TABLE store_oid ALTER i TYPE oid;
-- An oid of -1 is more than 1000, whatever the bounds of an integer say.
SELECT count(*) FROM store_oid WHERE i > 4294966000;
SELECT count(*) FROM store_oid WHERE i > 1000;
DROP TABLE store_oid;
ALTER TABLE store_t ALTER name SET STORAGE PLAIN;
INSERT INTO store_t (name) VALUES ('plain');
SELECT count(*), max(name) FROM store_t;
VACUUM FULL store_t;
SELECT count(*), max(name) FROM store_t;

-- From heap and back, with indexes; a heap without TOAST relation too.
ALTER TABLE store_t SET ACCESS METHOD heap;
SELECT count(*), sum(n) FROM store_t;
DELETE FROM store_t WHERE n = 8;
ALTER TABLE store_t SET ACCESS METHOD pprepub;
SELECT count(*), sum(n) FROM store_t;
CREATE TABLE store_narrow (a int PRIMARY KEY) USING heap;
SELECT reltoastrelid FROM pg_class WHERE oid = 'store_narrow'::regclass;
INSERT INTO store_narrow SELECT generate_series(1, 1000);
ALTER TABLE store_narrow SET ACCESS METHOD pprepub;
SELECT count(*), sum(a) FROM store_narrow;
SELECT a FROM store_narrow WHERE a = 500;
INSERT INTO store_narrow VALUES (1);
CREATE TABLE store_none (a int) USING heap;
ALTER TABLE store_none SET ACCESS METHOD pprepub;
SELECT reltoastrelid FROM pg_class WHERE oid = 'store_none'::regclass;
SELECT * FROM store_none;
BEGIN; INSERT INTO store_none VALUES (1); SELECT * FROM store_none; ROLLBACK;
SELECT * FROM store_none;
INSERT INTO store_none VALUES (2);
SELECT * FROM store_none;
VACUUM FULL store_none;
TRUNCATE store_none;
SELECT * FROM store_none;
SET default_table_access_method = pprepub;
CREATE TABLE store_as AS SELECT i AS id FROM generate_series(1, 5000) i;
CREATE TABLE store_twice AS SELECT id * 2 AS id FROM store_as;
CREATE MATERIALIZED VIEW store_view AS SELECT id % 10 AS id, count(*) FROM store_as GROUP BY 1;
RESET default_table_access_method;
SELECT amname FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE c.oid IN ('store_as'::regclass, 'store_view'::regclass);
SELECT sum(id) FROM store_twice;
SELECT * FROM store_view ORDER BY 1 LIMIT 2;
INSERT INTO store_as VALUES (0);
REFRESH MATERIALIZED VIEW store_view;
SELECT * FROM store_view ORDER BY 1 LIMIT 2;
CREATE UNIQUE INDEX ON store_view (id);
-- CONCURRENTLY deletes rows.
INSERT INTO store_as VALUES (0);
\set VERBOSITY terse
REFRESH MATERIALIZED VIEW CONCURRENTLY store_view;
\set VERBOSITY default

-- Logged, unlogged, moved.
ALTER TABLE store_as SET UNLOGGED;
SELECT count(*) FROM store_as;
ALTER TABLE store_as SET LOGGED;
SELECT count(*) FROM store_as;
SET allow_in_place_tablespaces = on;
CREATE TABLESPACE regress_store LOCATION '';
ALTER TABLE store_as SET TABLESPACE regress_store;
SELECT count(*) FROM store_as;
BEGIN; INSERT INTO store_as VALUES (-1); SAVEPOINT s; ALTER TABLE store_as SET TABLESPACE pg_default; RELEASE s; COMMIT;
SELECT count(*) FROM store_as;
DROP TABLESPACE regress_store;

-- Defaults, generated columns, identity, checks.
CREATE TABLE store_c (id int GENERATED ALWAYS AS IDENTITY, a int DEFAULT 3 CHECK (a > 0), b int GENERATED ALWAYS AS (a * 2) STORED, c text NOT NULL) USING pprepub;
INSERT INTO store_c (c) VALUES ('x');
INSERT INTO store_c (a, c) VALUES (5, 'y'), (-1, 'z');
INSERT INTO store_c (a) VALUES (5);
INSERT INTO store_c (a, c) VALUES (5, 'y') RETURNING *;
ALTER TABLE store_c ADD CHECK (b < 10);
ALTER TABLE store_c ADD CHECK (b <= 10), ALTER a SET NOT NULL;
SELECT * FROM store_c;

-- Partitions of both kinds.
\set ECHO none
CREATE TABLE store_p (k int, t text) PARTITION BY RANGE (k);
CREATE TABLE store_p1 PARTITION OF store_p FOR VALUES FROM (0) TO (1000) USING pprepub;
CREATE TABLE store_p2 PARTITION OF store_p FOR VALUES FROM (1000) TO (2000);
CREATE TABLE store_p3 (k int, t text) USING pprepub;
INSERT INTO store_p3 SELECT i, 'attached' FROM generate_series(2000, 2099) i;
ALTER TABLE store_p ATTACH PARTITION store_p3 FOR VALUES FROM (2000) TO (3000);
CREATE INDEX ON store_p (k);
INSERT INTO store_p SELECT i % 3000, 'routed' FROM generate_series(1, 6000) i;
\set ECHO all
SELECT tableoid::regclass, count(*) FROM store_p GROUP BY 1 ORDER BY 1;
SELECT t, count(*) FROM store_p WHERE k BETWEEN 1999 AND 2000 GROUP BY 1 ORDER BY 1;
UPDATE store_p SET t = 'u' WHERE k = 1500;
UPDATE store_p SET t = 'u' WHERE k = 500;
ALTER TABLE store_p DETACH PARTITION store_p1;
SELECT count(*) FROM store_p;
CALL public.clean();

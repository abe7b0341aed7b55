-- Rows of the access method pprepub are there as long as their transaction, and their subtransaction, is.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
CREATE TABLE store_t (id int PRIMARY KEY, t text) USING pprepub;
CREATE FUNCTION store_see(i int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int;
BEGIN
	BEGIN
		INSERT INTO store_t VALUES (-i, 'inner');
		SELECT count(*) INTO n FROM store_t WHERE id BETWEEN 100 AND 200;
		IF i % 2 = 0 THEN
			RAISE division_by_zero;
		END IF;
	EXCEPTION WHEN division_by_zero THEN
		NULL;
	END;
	SELECT count(*) INTO n FROM store_t WHERE abs(id) BETWEEN 100 AND 200;
	RETURN n;
END $$;
CREATE FUNCTION store_see_by_index(i int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	seen text;
BEGIN
	BEGIN
		SELECT t INTO seen FROM store_t WHERE id = i - 1;
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN
		RETURN coalesce(seen, 'nothing');
	END;
END $$;
CREATE FUNCTION store_count() RETURNS bigint STABLE LANGUAGE sql AS $$ SELECT count(*) FROM store_t WHERE id BETWEEN 400 AND 500 $$;
CREATE FUNCTION store_nested(i int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO store_t SELECT 400 + i * 10 + j, 'saw ' || store_count() FROM generate_series(1, 3) j;
	RETURN 'then ' || store_count();
END $$;
\set ECHO all

-- Own rows are seen by the next command, not by the same one.
BEGIN;
INSERT INTO store_t VALUES (1, 'a');
SELECT * FROM store_t;
INSERT INTO store_t SELECT id + 10, 'copied' FROM store_t;
WITH i AS (INSERT INTO store_t VALUES (3, 'c') RETURNING id) SELECT count(*) AS before, (SELECT id FROM i) FROM store_t;
SELECT * FROM store_t ORDER BY id;
SELECT count(*) AS written_at_once FROM pprepub.verify_storage('store_t');
ROLLBACK;
SELECT * FROM store_t;

-- A cursor sees what was there when it was opened.
BEGIN;
INSERT INTO store_t VALUES (1, 'a');
DECLARE c CURSOR FOR SELECT id FROM store_t;
INSERT INTO store_t VALUES (2, 'b');
FETCH ALL FROM c;
DECLARE d CURSOR FOR SELECT id FROM store_t;
FETCH 1 FROM d;
FETCH ALL FROM d;
COMMIT;

-- Savepoints, nested, released and rolled back.
BEGIN;
SAVEPOINT a;
INSERT INTO store_t VALUES (3, 'in a');
SAVEPOINT b;
INSERT INTO store_t VALUES (4, 'in b');
RELEASE b;
SAVEPOINT c;
INSERT INTO store_t VALUES (5, 'in c');
SELECT count(*) FROM store_t;
ROLLBACK TO c;
INSERT INTO store_t VALUES (5, 'again in c');
ROLLBACK TO a;
INSERT INTO store_t VALUES (3, 'again in a');
COMMIT;
SELECT * FROM store_t ORDER BY id;

-- While a statement inserts, functions with subtransactions of their own see its rows, keep theirs, and lose them;
-- what they read is not sealed with their transaction id, or rolling them back would take it away.
INSERT INTO store_t SELECT i, 'saw ' || store_see(i) FROM generate_series(101, 106) i;
SELECT * FROM store_t WHERE abs(id) > 100 ORDER BY abs(id), id;
-- By an index, too.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
INSERT INTO store_t SELECT i, i || ' after ' || store_see_by_index(i) FROM generate_series(201, 204) i;
RESET enable_seqscan;
RESET enable_bitmapscan;
SELECT * FROM store_t WHERE id > 200 ORDER BY id;

-- STABLE functions do not see what their statement inserts, also while another statement inserts.
INSERT INTO store_t SELECT 450 + i, store_nested(i) FROM generate_series(1, 2) i;
SELECT * FROM store_t WHERE id BETWEEN 400 AND 500 ORDER BY id;

-- Errors while rows are pending leave none of them.
INSERT INTO store_t SELECT CASE i WHEN 50 THEN 1 ELSE i + 1000 END, 'x' FROM generate_series(1, 100) i;
INSERT INTO store_t VALUES (300, 'x'), (300, 'y');
SELECT count(*) FROM store_t WHERE id = 300 OR id > 1000;

-- Deferred constraints look at the rows at the end.
CREATE TABLE store_d (id int UNIQUE DEFERRABLE INITIALLY DEFERRED) USING pprepub;
BEGIN;
INSERT INTO store_d VALUES (1), (1);
COMMIT;
BEGIN;
INSERT INTO store_d VALUES (1);
SAVEPOINT s;
INSERT INTO store_d VALUES (1);
ROLLBACK TO s;
COMMIT;
SELECT * FROM store_d;

-- Exclusion constraints too.
CREATE TABLE store_x (r int4range, EXCLUDE USING gist (r WITH &&)) USING pprepub;
INSERT INTO store_x VALUES ('[1,5)'), ('[5,9)');
INSERT INTO store_x VALUES ('[4,6)');
INSERT INTO store_x VALUES ('[20,25)'), ('[24,26)');
SELECT * FROM store_x;

-- Foreign keys that point here keep their row; triggers fire, and see it.
CREATE TABLE store_f (id int REFERENCES store_t) USING pprepub;
CREATE TABLE heap_f (id int REFERENCES store_t ON DELETE CASCADE) USING heap;
INSERT INTO store_f VALUES (1), (101);
INSERT INTO heap_f VALUES (1);
INSERT INTO store_f VALUES (99);
INSERT INTO heap_f VALUES (99);
BEGIN;
INSERT INTO store_t VALUES (99, 'new');
INSERT INTO store_f VALUES (99);
COMMIT;
CREATE TABLE store_log (what text) USING pprepub;
CREATE FUNCTION store_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_LEVEL = 'ROW' THEN
		INSERT INTO store_log VALUES (TG_WHEN || ' ' || NEW.id || ' of ' || (SELECT count(*) FROM store_t WHERE id >= 5000));
		RETURN NEW;
	END IF;
	INSERT INTO store_log SELECT 'statement: ' || count(*) FROM added;
	RETURN NULL;
END $$;
CREATE TRIGGER b BEFORE INSERT ON store_t FOR EACH ROW EXECUTE FUNCTION store_note();
CREATE TRIGGER a AFTER INSERT ON store_t FOR EACH ROW EXECUTE FUNCTION store_note();
CREATE TRIGGER s AFTER INSERT ON store_t REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION store_note();
INSERT INTO store_t VALUES (5000, 'x'), (5001, 'y');
SELECT * FROM store_log;
DROP TRIGGER b ON store_t; DROP TRIGGER a ON store_t; DROP TRIGGER s ON store_t;

-- TRUNCATE, and what is rolled back of it.
BEGIN;
INSERT INTO store_log VALUES ('before');
SAVEPOINT s;
TRUNCATE store_log;
INSERT INTO store_log VALUES ('after');
SELECT * FROM store_log;
ROLLBACK TO s;
SELECT count(*) FROM store_log;
COMMIT;
TRUNCATE store_log RESTART IDENTITY;
SELECT * FROM store_log;
BEGIN;
CREATE TABLE store_new (id int PRIMARY KEY) USING pprepub;
INSERT INTO store_new SELECT generate_series(1, 10);
TRUNCATE store_new;
INSERT INTO store_new SELECT generate_series(5, 7);
SELECT * FROM store_new;
COMMIT;
SELECT id FROM store_new WHERE id = 6;

-- COPY, in and out; what was frozen is there at once.
COPY (SELECT i, 'copy' || i FROM generate_series(10001, 10005) i) TO PROGRAM 'cat > /dev/null';
COPY store_t FROM stdin;
10001	copied
10002	\N
\.
COPY (SELECT * FROM store_t WHERE id > 10000 ORDER BY id) TO stdout;
BEGIN;
TRUNCATE store_new;
COPY store_new FROM stdin (FREEZE);
1
2
\.
COMMIT;
SELECT * FROM store_new;
SELECT count(*) FROM pprepub.verify_storage('store_new') WHERE holds;
CALL public.clean();

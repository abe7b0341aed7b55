-- Tables of the access method pprepub hold any row, and give it back.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
CREATE TYPE store_pair AS (x int, y text);
CREATE TYPE store_mood AS ENUM ('calm', 'glad');
CREATE DOMAIN store_small AS int CHECK (VALUE < 1000);
CREATE TABLE store_types (id int, b boolean, s smallint, l bigint, f real, d float8, n numeric, t text, v varchar(10), c char(5),
	by bytea, da date, ts timestamp, tz timestamptz, iv interval, u uuid, ip inet, j jsonb, a int[], ta text[], r int4range,
	p store_pair, m store_mood, o store_small, nm name, ch "char", bits varbit, pt point, x xml, tsv tsvector) USING pprepub;
INSERT INTO store_types VALUES
	(1, true, 1, 1, 1.5, 1.5, 1.50, 'text', 'varchar', 'char', '\x01', '2001-01-01', '2001-01-01 1:00', '2001-01-01 1:00 UTC', '1 hour',
	 '00000000-0000-0000-0000-000000000001', '10.0.0.1', '{"a": 1}', '{1,2}', '{a,NULL}', '[1,5)', '(1,a)', 'calm', 7, 'name', 'x', B'101',
	 '(1,2)', NULL, 'a b'),
	(2, false, -32768, -9223372036854775808, 'NaN', '-Infinity', 'NaN', '', '', '', '', '-infinity', 'infinity', '-infinity', '-1 year',
	 'ffffffff-ffff-ffff-ffff-ffffffffffff', '::1', 'null', '{}', '{}', 'empty', '(,)', 'glad', -1, '', '', B'', '(0,-1)', NULL, '');
INSERT INTO store_types VALUES (3);
SET timezone = 'UTC';
\set ECHO all
SELECT * FROM store_types ORDER BY id;
-- Again out of a group, with all kinds of other values.
INSERT INTO store_types (id, b, s, l, d, n, t, c, da, u, a, p, o)
	SELECT i, i % 2 = 0, i % 100, i * 1000000007::bigint, i / 7.0, i / 7.0, repeat('x', i % 50), i % 10, date '2000-01-01' + i,
		md5(i::text)::uuid, ARRAY[i, i + 1], ROW(i, 'y' || i)::store_pair, i % 1000
	FROM generate_series(4, 3000) i;
SELECT count(*), sum(id), count(b), sum(s), sum(l), round(sum(d)::numeric, 6) AS d, round(sum(n), 6) AS n, sum(length(t)) AS t,
	count(DISTINCT c) AS c, min(da), max(da), count(DISTINCT u) AS u, sum(a[2]) AS a, max((p).y) AS p, sum(o) AS o FROM store_types;
SELECT id, l, d, n, length(t), c, da, u, a, p, o FROM store_types WHERE id IN (4, 1500, 3000) ORDER BY id;

-- An empty table, one without columns, one with only NULLs.
CREATE TABLE store_empty (a int, b text) USING pprepub;
SELECT * FROM store_empty;
SELECT count(*) FROM store_empty;
CREATE TABLE store_nothing () USING pprepub;
INSERT INTO store_nothing SELECT FROM generate_series(1, 5000);
INSERT INTO store_nothing DEFAULT VALUES;
SELECT count(*) FROM store_nothing;
SELECT ctid FROM store_nothing OFFSET 4998;
CREATE TABLE store_nulls (a int, b text, c numeric) USING pprepub;
INSERT INTO store_nulls SELECT NULL, NULL, NULL FROM generate_series(1, 20000);
SELECT count(*), count(a), count(b), count(c) FROM store_nulls;
SELECT count(*) FROM store_nulls WHERE a IS NULL AND c IS NULL;
SELECT count(*) FROM store_nulls WHERE b IS NOT NULL;
SELECT groups, rows, encodings FROM pprepub.storage WHERE "table" = 'store_nulls'::regclass;

-- 1,600 columns.
DO $$ BEGIN
	EXECUTE 'CREATE TABLE store_wide (' || (SELECT string_agg('c' || i || ' int', ', ') FROM generate_series(1, 1600) i) || ') USING pprepub';
	EXECUTE 'INSERT INTO store_wide SELECT ' || (SELECT string_agg('i + ' || i, ', ') FROM generate_series(1, 1600) i) || ' FROM generate_series(1, 300) i';
	EXECUTE 'INSERT INTO store_wide VALUES (' || (SELECT string_agg(i::text, ', ') FROM generate_series(1, 1600) i) || ')';
END $$;
SELECT count(*), sum(c1), sum(c800), sum(c1600) FROM store_wide;
SELECT count(*) FROM store_wide WHERE store_wide IS NOT NULL;
SELECT count(*), bool_and(holds) FROM pprepub.verify_storage('store_wide');

-- Values that would have to be toasted elsewhere; 200 MB in one.
CREATE TABLE store_big (id int, t text) USING pprepub;
CREATE TEMP TABLE source AS SELECT 1 AS id, repeat('0123456789', 100000) AS t;
INSERT INTO store_big SELECT * FROM source;
INSERT INTO store_big SELECT i, (SELECT string_agg(md5((i * j)::text), '') FROM generate_series(1, 3000) j) FROM generate_series(2, 200) i;
SELECT count(*), sum(length(t)), md5(string_agg(md5(t), '' ORDER BY id)) FROM store_big;
SELECT md5(t) = md5((SELECT string_agg(md5((77 * j)::text), '') FROM generate_series(1, 3000) j)) AS equal FROM store_big WHERE id = 77;
INSERT INTO store_big VALUES (1000, repeat('abcdefghij', 20000000));
SELECT length(t), md5(t) = md5(repeat('abcdefghij', 20000000)) AS equal FROM store_big WHERE id = 1000;
SELECT bool_and(holds) FROM pprepub.verify_storage('store_big');

-- Rows as ctid, tableoid and whole rows tell them.
SELECT ctid, tableoid::regclass, a FROM store_nulls a LIMIT 2;
SELECT ctid, id FROM store_types WHERE ctid = '(0,2)';
SELECT ctid, id FROM store_types WHERE ctid IN ('(0,291)', '(0,292)', '(0,0)', '(4294967295,0)', '(1,1)', '(400,1)');
SELECT currtid2('store_types', '(0,2)'), currtid2('store_types', '(0,0)');
SELECT currtid2('store_types', '(0,2)');
SELECT count(*), min(ctid), max(ctid) FROM store_types WHERE ctid >= '(1,0)' AND ctid < '(3,10)';
SELECT count(*) FROM store_types WHERE ctid > '(1,500)' AND ctid <= '(2,65535)';
SELECT count(*) FROM store_types WHERE ctid > '(5000,1)';

-- Samples are some of the rows.
SELECT count(*) BETWEEN 1 AND 3000 AS some, count(DISTINCT ctid) = count(*) AS once FROM store_types TABLESAMPLE BERNOULLI (50) REPEATABLE (1);
SELECT count(*) FROM store_types TABLESAMPLE BERNOULLI (100);
SELECT count(*) FROM store_types TABLESAMPLE SYSTEM (100);
SELECT count(*) % 291 IN (0, 3000 % 291) AS blocks FROM store_types TABLESAMPLE SYSTEM (30) REPEATABLE (4);

-- Cursors go both ways, and survive their transaction.
BEGIN;
DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT id FROM store_types;
FETCH 2 FROM c;
COMMIT;
FETCH LAST FROM c;
FETCH PRIOR FROM c;
FETCH ABSOLUTE 3 FROM c;
FETCH BACKWARD 2 FROM c;
FETCH FIRST FROM c;
CLOSE c;

-- ANALYZE knows what stands in it.
ANALYZE store_types;
SELECT reltuples FROM pg_class WHERE oid = 'store_types'::regclass;
SELECT attname, null_frac, n_distinct, avg_width, correlation FROM pg_stats WHERE tablename = 'store_types' AND attname IN ('id', 'b', 'c', 'x') ORDER BY 1;
CALL public.clean();

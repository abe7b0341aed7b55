-- How a release is stored says no more than its rows in their order: whoever stores those anew has every byte of it.

-- Withheld people, whose values and keys stand out, are among the others; so are rows that nobody asked for, and invented ones.
CREATE TABLE people AS SELECT i AS id, 20 + i % 60 AS age, lpad((i % 1000)::text, 5, '0') AS zip, 'disease ' || i % 8 AS ill, 'note ' || i % 3 AS note
	FROM generate_series(1, 40000) i;
CREATE FUNCTION declare(name text, params jsonb) RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication(name, 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', params, insensitive => '{note}',
		beside => coalesce((SELECT array_agg(p.name) FROM pprepub.publication p), '{}'))
$$;
SELECT declare('dirty', '{"k": 5, "l": 2, "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT declare('counterfeit', '{"k": 5, "l": 2, "repair": "counterfeit"}') \g /dev/null
SELECT suppressed FROM pprepub.publish('dirty') \g /dev/null
SELECT suppressed FROM pprepub.publish('counterfeit') \g /dev/null
DELETE FROM people WHERE id % 3 = 0;
INSERT INTO people SELECT 90000000 + i, 200 + i, 'WITHHELD' || i, 'WITHHELD', 'WITHHELD' FROM generate_series(1, 3) i;
SELECT suppressed FROM pprepub.publish('counterfeit') \g /dev/null
SELECT suppressed FROM pprepub.publish('dirty', 'age > 40') \g /dev/null
CREATE TABLE elsewhere AS SELECT id, int4range(age / 10 * 10, age / 10 * 10 + 10) AS age, left(zip, 3) || '*' AS zip, ill, note FROM people WHERE id < 30000;
SELECT rows FROM pprepub.import_release('dirty', 'elsewhere', 'id') \g /dev/null
SELECT is(count(*), 5::bigint, 'releases are of the access method') FROM pprepub.storage WHERE "table"::text LIKE 'published.%';
SELECT cmp_ok(min(suppressed), '>=', 3::bigint, 'people are withheld') FROM pprepub.release WHERE publication = 'dirty' AND number = 2;
SELECT ok((SELECT sum(counterfeits) FROM pprepub.release) > 0, 'rows are invented');

CREATE FUNCTION stored(t regclass, what text) RETURNS TABLE (id oid, seq int, bytes text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT chunk_id, chunk_seq, %s FROM %s', what, (SELECT reltoastrelid::regclass FROM pg_class WHERE oid = t));
END $$;
CREATE FUNCTION copy_of(t regclass) RETURNS regclass LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE %I USING pprepub AS SELECT * FROM %s ORDER BY ctid', 'copy of ' || t, t);
	RETURN quote_ident('copy of ' || t)::regclass;
END $$;
-- Behind each chunk's checksum and a random stamp.
SELECT set_eq(format('SELECT * FROM stored(%L, ''md5(substring(chunk_data FROM 13))'')', t), format('SELECT * FROM stored(%L, ''md5(substring(chunk_data FROM 13))'')', copy_of(t)), t || ' is stored as its rows are')
	FROM (SELECT "table" AS t FROM pprepub.storage WHERE "table"::text LIKE 'published.%') s;
-- Without the visibility map, which readers make from PostgreSQL 19 on.
CREATE FUNCTION bytes_of(t regclass) RETURNS bigint LANGUAGE sql AS
$$ SELECT pg_relation_size(t) + pg_relation_size(reltoastrelid) + pg_indexes_size(reltoastrelid) FROM pg_class WHERE oid = t $$;
SELECT is(bytes_of(t), bytes_of(quote_ident('copy of ' || t)::regclass), t || ' takes as much as they do')
	FROM (SELECT "table" AS t FROM pprepub.storage WHERE "table"::text LIKE 'published.%') s;
-- The order of rows is no order of the source's: not of the key, nor of an insensitive column, inside a class.
CREATE FUNCTION runs(t regclass) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	share float8;
BEGIN
	EXECUTE format('SELECT avg((note >= before)::int) FROM (SELECT note, lag(note) OVER (PARTITION BY class ORDER BY ctid) AS before FROM %s) x WHERE before IS NOT NULL AND note <> before', t)
		INTO share;
	RETURN share;
END $$;
SELECT ok(abs(runs(t) - 0.5) < 0.05, format('inside classes of %s insensitive values are in no order: %s', t, round(runs(t)::numeric, 3)))
	FROM (SELECT "table" AS t FROM pprepub.storage WHERE "table"::text LIKE 'published.%') s;
-- Only one table stands where withheld people are named, which is the source.
SELECT ok(NOT EXISTS (SELECT FROM stored(t, 'encode(chunk_data, ''escape'')') WHERE position('WITHHELD' IN bytes) > 0), 'withheld people are not in ' || t)
	FROM (SELECT "table" AS t FROM pprepub.storage WHERE "table"::text LIKE 'published.dirty%') s;
-- Many small releases make as many groups of the log.
CREATE TABLE few AS SELECT * FROM people LIMIT 40;
SELECT pprepub.create_publication('few', 'few', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5}', beside => ARRAY(SELECT p.name FROM pprepub.publication p)) \g /dev/null
SELECT format('SELECT FROM pprepub.publish(%L)', 'few') FROM generate_series(1, 150) \gexec
SELECT is(groups, 150::bigint, 'each release has a group of the log') FROM pprepub.storage WHERE "table" = 'published_private.few_members'::regclass;
SELECT set_eq('SELECT release, count(*) AS rows, count(DISTINCT key) AS people FROM pprepub.class_members(''few'') GROUP BY 1', 'SELECT r, 40::bigint AS rows, 40::bigint AS people FROM generate_series(1, 150) r', 'and nobody is missing');
SELECT is(equal, true, 'and nothing is lost') FROM pprepub.rebuild_history('few');
SELECT is(count(*), 0::bigint, 'nothing is damaged') FROM pprepub.storage s, pprepub.verify_storage(s."table") v WHERE NOT v.holds;
-- Rows of a release stand class by class, whatever their widths.
CREATE TABLE wide AS SELECT i AS id, i % 100 AS age, repeat('x', CASE WHEN i % 7 = 0 THEN 1500 ELSE 1 + i % 50 END) || i % 9 AS d FROM generate_series(1, 3000) i;
SELECT pprepub.create_publication('wide', 'wide', 'id', '{"age": "range"}', 'd', 'bpg', '{"k": 3, "l": 2}') \g /dev/null
SELECT count(*) FROM pprepub.publish('wide') \g /dev/null
SELECT is((SELECT count(*) FROM (SELECT class < lag(class) OVER (ORDER BY ctid) AS back FROM published.wide_1) x WHERE back), 0::bigint, 'rows stand class by class');
-- Those of an import leave the order of its table, which may tell whose they are.
CREATE TABLE wide_elsewhere AS SELECT id, '(,)'::text AS age, d FROM wide ORDER BY id;
SELECT count(*) FROM pprepub.import_release('wide', 'wide_elsewhere', 'id') \g /dev/null
SELECT isnt((SELECT array_agg(d ORDER BY ctid) FROM published.wide_2), (SELECT array_agg(d ORDER BY id) FROM wide), 'rows of an import are shuffled');
-- A sample of a large table stands in the order of its rows.
CREATE TABLE stored USING pprepub AS SELECT i AS up, -i AS down, i * 7919 % 50021 AS mixed FROM generate_series(1, 50000) i;
ANALYZE stored;
SELECT is((SELECT round(correlation::numeric, 3) FROM pg_stats WHERE tablename = 'stored' AND attname = 'up'), 1.000, 'what rises with the rows is known to');
SELECT is((SELECT round(correlation::numeric, 3) FROM pg_stats WHERE tablename = 'stored' AND attname = 'down'), -1.000, 'what falls with them is, too');
SELECT cmp_ok((SELECT abs(correlation) FROM pg_stats WHERE tablename = 'stored' AND attname = 'mixed'), '<', 0.5::real, 'what does neither is not said to');
SELECT is((SELECT reltuples FROM pg_class WHERE relname = 'stored'), 50000::real, 'rows are counted');
-- A stored release does not change with the types of its columns.
CREATE TYPE mood AS ENUM ('a','b','c');
CREATE TABLE t AS SELECT i AS id, i%10 AS age, (enum_range(NULL::mood))[1+i%3] AS d FROM generate_series(1,60) i;
SELECT pprepub.create_publication('p', 't', 'id', '{"age": "range"}', 'd', 'bpg', '{"k": 3, "l": 2}') \g /dev/null
SELECT count(*) FROM pprepub.publish('p') \g /dev/null
SELECT throws_ok($$ ALTER TYPE mood RENAME VALUE 'a' TO 'z' $$, '55000', NULL, 'what was published stays');
CREATE TYPE pair AS (x int, y text);
CREATE TABLE t2 AS SELECT i AS id, i % 10 AS age, ARRAY[ROW(i % 5, 'y')::pair] AS d FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('p2', 't2', 'id', '{"age": "range"}', 'd', 'bpg', '{"k": 3, "l": 2}') \g /dev/null
SELECT count(*) FROM pprepub.publish('p2') \g /dev/null
SELECT throws_ok($$ ALTER TYPE pair DROP ATTRIBUTE y CASCADE $$, '55000', NULL, 'nor loses an attribute within an array');
SELECT lives_ok($$ ALTER TYPE mood ADD VALUE 'd' $$, 'new values are free');
SELECT lives_ok($$ ALTER TYPE mood RENAME TO moods $$, 'so are names');
SELECT is((SELECT count(*) FROM published.p WHERE d::text = 'z'), 0::bigint, 'no released value changed');
SELECT ok((SELECT holds FROM pprepub.audit('p') WHERE check_name = 'checksums'), 'the release is intact');

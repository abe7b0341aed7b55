-- Cohorts are the rows that plain SQL picks, whatever index the plan picks them by, whatever it tells of them, and wherever they have
-- moved since: of all versions of a row, the one that is seen counts, once.
BEGIN;
SELECT setseed(0.25) \g /dev/null

CREATE TABLE people (id int PRIMARY KEY, age int, zip text, born date, ill text) WITH (fillfactor = 60);
INSERT INTO people SELECT i, random() * 90, (10000 + random() * 9999)::int::text, date '1940-01-01' + (random() * 25000)::int, 'd' || i % 5
	FROM generate_series(1, 6000) i;
-- Kinds of indexes that tell different things: hash codes, even the same for many; prefixes; ranges of pages; some rows only.
CREATE FUNCTION lump(text) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT hashtext(left($1, 2)) $$;
CREATE OPERATOR CLASS lumped FOR TYPE text USING hash AS OPERATOR 1 =, FUNCTION 1 lump(text);
CREATE INDEX by_age ON people (age);
CREATE INDEX by_hash ON people USING hash (zip lumped);
CREATE INDEX by_prefix ON people (zip text_pattern_ops);
CREATE INDEX by_trie ON people USING spgist (zip);
CREATE INDEX by_pages ON people USING brin (born) WITH (pages_per_range = 2);
CREATE INDEX of_some ON people (born, age) WHERE age > 40;
CREATE INDEX by_both ON people (born DESC, age) INCLUDE (zip);
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "zip": "prefix", "born": "range"}', 'ill', 'bpg', '{"k": 2, "l": 1, "repair": "dirty"}') \g /dev/null

CREATE FUNCTION a_condition() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE floor(random() * 9)
		WHEN 0 THEN format('age = %s', a)
		WHEN 1 THEN format('age BETWEEN %s AND %s', a, a + b % 20)
		WHEN 2 THEN format('age IN (%s, %s, %s)', a, b, (a * 7 + b) % 90)
		WHEN 3 THEN format('zip = %L', z)
		WHEN 4 THEN format('zip LIKE %L', left(z, 2 + b % 3) || '%')
		WHEN 5 THEN format('born BETWEEN date %L AND date %L', d, d + b * 10)
		WHEN 6 THEN format('born > now() - interval %L AND age > %s', (b + 20) || ' years', 40 + a % 20)
		WHEN 7 THEN format('(born < date %L OR zip LIKE %L OR age = %s)', d, left(z, 3) || '%', a)
		ELSE format('age = %s AND zip > %L AND born < date %L', a, z, d) END
	FROM (SELECT (random() * 90)::int AS a, (random() * 40)::int AS b, (10000 + random() * 9999)::int::text AS z,
		date '1940-01-01' + (random() * 25000)::int AS d) r
$$;
-- A source that asks an index for what is known only when it does.
SET test.age = 60;
CREATE TABLE others AS TABLE people;
CREATE INDEX ON others (age);
CREATE VIEW grown AS SELECT * FROM others WHERE age > current_setting('test.age')::int;
SELECT pprepub.create_publication('grown', 'grown', 'id', '{"age": "range", "zip": "prefix", "born": "range"}', 'ill', 'bpg', '{"k": 2, "l": 1, "repair": "dirty"}') \g /dev/null

-- Rows that are released or withheld, or too few for either.
CREATE FUNCTION cohort_rows(cohort text, publication text DEFAULT 'people') RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	detail text;
BEGIN
	RETURN (SELECT sum(value)::bigint FROM pprepub.preview(publication, cohort) WHERE metric IN ('rows', 'suppressed'));
EXCEPTION WHEN no_data_found THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN substring(detail FROM 'all (\d+) row');
END $$;
CREATE FUNCTION plain_rows(cohort text) RETURNS bigint LANGUAGE plpgsql VOLATILE SET enable_indexscan = off SET enable_bitmapscan = off
	SET enable_indexonlyscan = off AS $$
DECLARE n bigint; BEGIN EXECUTE 'SELECT count(*) FROM people WHERE ' || cohort INTO n; RETURN n; END $$;
-- How the rows of a cohort would be picked now.
CREATE FUNCTION plan_of(cohort text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) SELECT id, age, zip, born, ill FROM people WHERE ' || cohort INTO plan;
	RETURN concat_ws(' ', plan->0->'Plan'->>'Node Type', plan->0->'Plan'->>'Index Name', plan->0->'Plan'->'Plans'->0->>'Node Type',
		plan->0->'Plan'->'Plans'->0->>'Index Name');
END $$;
CREATE FUNCTION lossy_pages(cohort text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, FORMAT json) SELECT id, age, zip, born, ill FROM people WHERE ' || cohort INTO plan;
	RETURN CASE WHEN (plan->0->'Plan'->>'Lossy Heap Blocks')::int > 0 THEN 'lossy ' || (plan->0->'Plan'->'Plans'->0->>'Index Cond') END;
END $$;
CREATE TABLE tried (plan text, cohort text, picked bigint, plain bigint);
CREATE FUNCTION try(cohorts int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO tried SELECT plan_of(c), c, cohort_rows(c), plain_rows(c) FROM (SELECT a_condition() AS c FROM generate_series(1, cohorts)) t
$$;
-- Versions of rows: on the same page, where indexes know only the first of them; elsewhere; of transactions that came to nothing.
CREATE PROCEDURE live() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 3 LOOP
		UPDATE people SET ill = 'd' || (random() * 4)::int WHERE random() < 0.3;
	END LOOP;
	UPDATE people SET age = random() * 90 WHERE random() < 0.2;
	UPDATE people SET zip = (10000 + random() * 9999)::int::text WHERE random() < 0.2;
	DELETE FROM people WHERE random() < 0.1;
	BEGIN
		UPDATE people SET ill = 'gone', born = date '1950-01-01' WHERE random() < 0.2;
		DELETE FROM people WHERE random() < 0.2;
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN NULL;
	END;
END $$;

SET enable_seqscan = off;
SELECT try(60) \g /dev/null
CALL live();
ANALYZE people;
SELECT try(100) \g /dev/null
SET enable_bitmapscan = off;
SELECT try(100) \g /dev/null
DROP INDEX by_prefix, by_both;
SELECT try(60) \g /dev/null
SELECT is(cohort_rows('zip > ''15000''', 'grown'), count(*), 'an index is asked for what a function says') FROM others WHERE zip > '15000' AND age > 60;
SET enable_bitmapscan = on;
SET enable_indexscan = off;
DROP INDEX of_some;
CALL live();
SELECT try(100) \g /dev/null
-- A bitmap that is too large knows only the pages of some rows.
SET work_mem = '64kB';
ALTER TABLE people SET (fillfactor = 20);
INSERT INTO people SELECT i, random() * 90, (10000 + random() * 9999)::int::text, date '1940-01-01' + (random() * 25000)::int, 'd' || i % 5
	FROM generate_series(10001, 60000) i;
INSERT INTO tried SELECT lossy_pages(c), c, cohort_rows(c), plain_rows(c) FROM unnest(ARRAY['age > 10', 'age < 60 AND zip > ''15000''', 'age < 50 OR age > 60', 'age IN (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 4, 7, 11, 18, 29, 47, 76)']) c;

-- Nobody's code can take the query away while its rows are read, or some of its rows.
CREATE FUNCTION meddle(zip text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	found refcursor;
	taken record;
BEGIN
	FOR found IN SELECT name FROM pg_cursors UNION SELECT format('<unnamed portal %s>', i) FROM generate_series(1, 60) i LOOP
		BEGIN
			FETCH found INTO taken;
			CLOSE found;
		EXCEPTION WHEN OTHERS THEN NULL;
		END;
	END LOOP;
	RETURN zip;
END $$;
CREATE TABLE third AS TABLE others;
CREATE INDEX ON third (age);
CREATE VIEW meddling AS SELECT id, age, meddle(zip) AS zip, born, ill FROM third WHERE age = 30;
SELECT pprepub.create_publication('meddling', 'meddling', 'id', '{"age": "range", "zip": "prefix", "born": "range"}', 'ill', 'bpg', '{"k": 2, "l": 1, "repair": "dirty"}') \g /dev/null
SELECT is(cohort_rows(NULL, 'meddling'), count(*), 'nobody closes it, or fetches from it') FROM third WHERE age = 30;

SELECT is_empty('SELECT * FROM tried WHERE picked IS DISTINCT FROM plain', 'a cohort is who plain SQL says');
SELECT cmp_ok(count(*), '>', 300::bigint, 'most of them somebody') FROM tried WHERE plain > 0;
SELECT isnt_empty(format('SELECT FROM tried WHERE plain > 0 AND plan ~ %L', p), p || ' was tried')
	FROM unnest(ARRAY['^Index Scan by_age', '^Index Scan by_hash', '^Index Scan by_prefix', '^Index Scan by_trie', '^Index Scan of_some', '^Index Scan by_both',
		'^Bitmap Heap Scan.*by_age', '^Bitmap Heap Scan.*by_hash', '^Bitmap Heap Scan.*by_pages', 'BitmapOr', 'BitmapAnd', 'lossy .*>', 'lossy .*ANY']) p;

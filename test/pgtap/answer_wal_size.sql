-- How much an answer writes, which everybody can see, says nothing of what was asked for and withheld, nor why.
\if :asserts
\else
SELECT skip('only where there are assertions');
\quit
\endif
CREATE FUNCTION answer_here(publication text, cohort text, columns name[]) RETURNS SETOF record
	LANGUAGE C AS '$libdir/pprepub', 'pprepub_answer_here';

CREATE TABLE people AS SELECT i AS id, i AS age, 'd' || i % 4 AS ill FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "repair": "dirty"}') \g /dev/null
CREATE TABLE near AS SELECT i AS id, i % 40 AS age, 'd' || i % 4 AS ill FROM generate_series(1, 3000) i;
CREATE TABLE far AS SELECT hashint8(i) AS id, i % 40 AS age, 'd' || i % 4 AS ill FROM generate_series(1, 3000) i;
SELECT pprepub.create_publication(name, name::regclass, 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 40}') FROM unnest('{near,far}'::text[]) name \g /dev/null
CREATE TABLE written (source text, answered bigint, bytes bigint);
-- EXPLAIN counts what this session writes: all that is written meanwhile would count others' work, too.
CREATE FUNCTION answer(source text, publication text DEFAULT 'people') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	PERFORM pg_current_xact_id();
	EXECUTE format('EXPLAIN (ANALYZE, WAL, FORMAT JSON) SELECT FROM answer_here(%L, NULL, NULL) a (class bigint, age int4range, ill text)', publication) INTO plan;
	INSERT INTO written SELECT source, (plan #>> '{0,Plan,Actual Rows}')::numeric, (plan #>> '{0,Plan,WAL Bytes}')::bigint;
END $$;
-- The server tidies up meanwhile, which differs from answer to answer: the median does not.
CREATE FUNCTION answers(source text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT format('SELECT answer(%L)', source) FROM generate_series(1, 15) $$;
CREATE FUNCTION alike(one text, other text) RETURNS SETOF text LANGUAGE sql AS $$
	WITH m AS (SELECT source, min(answered) AS answered, percentile_disc(0.5) WITHIN GROUP (ORDER BY bytes) AS bytes FROM written GROUP BY source)
	SELECT is(a.answered, b.answered, format('as many rows leave: %s, %s', one, other)) FROM m a, m b WHERE a.source = one AND b.source = other
	UNION ALL
	SELECT ok(abs(a.bytes - b.bytes) < a.bytes / 100, format('as much is written: %s, %s bytes; %s, %s bytes', one, a.bytes, other, b.bytes))
	FROM m a, m b WHERE a.source = one AND b.source = other
$$;

SELECT answer('the first') \g /dev/null
SELECT answers('the same people') \gexec
INSERT INTO people SELECT i, 1000 + i, 'd' || i FROM generate_series(101, 104) i;
VACUUM ANALYZE people;
SELECT answers('and too few others') \gexec
SELECT alike('the same people', 'and too few others');
DELETE FROM people WHERE id < 100;
VACUUM ANALYZE people;
SELECT answers('too few') \gexec
DELETE FROM people;
VACUUM people;
SELECT answers('nobody') \gexec
INSERT INTO people SELECT i, i, 'd' || i % 4 FROM generate_series(1, 40, 10) i;
VACUUM people;
SELECT answers('one of each who could not be told apart') \gexec
SELECT alike('too few', 'nobody');
SELECT alike('too few', 'one of each who could not be told apart');
SELECT ok(a.bytes > b.bytes + 500, 'but rows that leave are written') FROM written a, written b WHERE a.source = 'the same people' AND b.source = 'nobody' LIMIT 1;

-- Nor does it say whose keys lie close to each other: the history keeps them.
SELECT answer('the first', name) FROM unnest('{near,far}'::text[]) name \g /dev/null
SELECT format('SELECT answer(%L, %L)', 'people who are ' || name, name) FROM unnest('{near,far}'::text[]) name, generate_series(1, 15) \gexec
SELECT alike('people who are near', 'people who are far');

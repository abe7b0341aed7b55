-- A stored release does not change with the types of its columns.
BEGIN;
CREATE TYPE mood AS ENUM ('a','b','c');
CREATE TABLE t AS SELECT i AS id, i%10 AS age, (enum_range(NULL::mood))[1+i%3] AS d FROM generate_series(1,60) i;
SELECT pprepub.create_publication('p','t','id','{"age":"range"}','d','bpg','{"k":3,"l":2}');
SELECT count(*) FROM pprepub.publish('p');
SELECT throws_ok($$ ALTER TYPE mood RENAME VALUE 'a' TO 'z' $$, '55000', NULL, 'what was published stays');
CREATE TYPE pair AS (x int, y text);
CREATE TABLE t2 AS SELECT i AS id, i % 10 AS age, ARRAY[ROW(i % 5, 'y')::pair] AS d FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('p2', 't2', 'id', '{"age": "range"}', 'd', 'bpg', '{"k": 3, "l": 2}');
SELECT count(*) FROM pprepub.publish('p2');
SELECT throws_ok($$ ALTER TYPE pair DROP ATTRIBUTE y CASCADE $$, '55000', NULL, 'nor loses an attribute within an array');
SELECT lives_ok($$ ALTER TYPE mood ADD VALUE 'd' $$, 'new values are free');
SELECT lives_ok($$ ALTER TYPE mood RENAME TO moods $$, 'so are names');
SELECT is((SELECT count(*) FROM published.p WHERE d::text = 'z'), 0::bigint, 'no released value changed');
SELECT ok((SELECT holds FROM pprepub.audit('p') WHERE check_name = 'checksums'), 'the release is intact');

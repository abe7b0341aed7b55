-- A thousand answers on the fly about cohorts that differ a little, under one repair after the other, held against each other.
\set QUIET on
SET client_min_messages = error;
\ir ../lib/attacker.sql
SELECT plan(7);

-- The victim is 33 years old, and nobody else who lives in 53117 is.
CREATE TABLE people AS SELECT i AS id, 20 + i * 7 % 60 AS age, (53100 + i * 13 % 40)::text AS zip, (i * 11 / 7) % 9 AS s
	FROM generate_series(1, 150) i WHERE NOT (20 + i * 7 % 60 = 33 AND i * 13 % 40 = 17);
INSERT INTO people VALUES (1000, 33, '53117', 100);
SELECT pprepub.create_publication('tracked', 'people', 'id', '{"age": "range", "zip": "prefix"}', 's', 'bpg', '{"k": 5, "l": 3, "reserve": 2}') \g /dev/null
SELECT attacker.remember('tracked') \g /dev/null

-- A window that moves by a year; everybody with and without the victim; the victim and ever fewer others; the
-- victim's age or home among ever others; now with these columns, now with those.
CREATE FUNCTION cohort(i int) RETURNS text LANGUAGE sql AS $$
	SELECT CASE i % 6
		WHEN 0 THEN format('age BETWEEN %s AND %s', 20 + i / 6 % 40, 40 + i / 12 % 30)
		WHEN 1 THEN format('age < %s AND NOT (age = 33 AND zip = ''53117'')', 80 - i / 12 % 45)
		WHEN 2 THEN format('age < %s', 80 - i / 12 % 45)
		WHEN 3 THEN format('age = 33 AND zip = ''53117'' OR age > %s', 40 + i / 6 % 38)
		WHEN 4 THEN format('zip <> ''%s''', 53100 + i / 6 % 40)
		ELSE format('zip IN (''53117'', ''%s'', ''%s'') OR age = 33', 53100 + i / 6 % 40, 53100 + i / 9 % 40) END
$$;
CREATE FUNCTION columns(i int) RETURNS name[] LANGUAGE sql AS $$ SELECT ('{"{age,zip,s}","{age,s}","{zip,s}"}'::text[])[1 + i / 6 % 3]::name[] $$;
SELECT CASE WHEN i % 100 = 2 THEN format('SELECT pprepub.alter_publication(''tracked'', ''{"repair": "%s"}'')', ('{dirty,minimal,none}'::text[])[1 + i / 100 % 3]) END,
	format('CREATE TABLE attacker.answer_tracked_%s AS SELECT * FROM published.tracked(%L, %L)', i - 1, cohort(i), columns(i))
FROM generate_series(2, 1001) i \gexec

SELECT is((SELECT releases FROM pprepub.publication), 1000, 'a thousand answers');
SELECT cmp_ok(count(*), '>', 500::bigint, 'most about somebody') FROM pprepub.release WHERE rows > 0;
SELECT cmp_ok(count(DISTINCT rows), '>', 20::bigint, 'and about ever others') FROM pprepub.release;
INSERT INTO attacker.copy_tracked SELECT r, people.* FROM people, generate_series(2, 1000) r;
SELECT is(ARRAY(SELECT attacker.faults('tracked', 5, 3) LIMIT 10), '{}', 'nobody is told apart from fewer than four others, nor what they suffer from');
SELECT is((SELECT jsonb_agg(a) FROM pprepub.attack('tracked') a WHERE NOT holds), NULL, 'nor by intersections and differences');
SELECT is((SELECT jsonb_agg(a) FROM pprepub.audit('tracked') a WHERE NOT holds), NULL, 'and an audit agrees');
-- Wherever the victim was, as many others were in the same classes of all answers.
CREATE TABLE path AS SELECT key, array_agg(ARRAY[release, class] ORDER BY release) AS path FROM pprepub.class_members('tracked') GROUP BY key;
SELECT cmp_ok(count(*), '>=', 5::bigint, 'the victim is never alone') FROM path WHERE path = (SELECT v.path FROM path v WHERE v.key = '1000');
SELECT * FROM finish();

-- Hundreds of answers about cohorts that differ a little, and stored releases among them, under one repair after the other, held against each other.
\i test/lib/attacker.sql

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
SELECT CASE WHEN i % 100 = 2 THEN format('SELECT pprepub.alter_publication(''tracked'', ''{"repair": "%s"}'')', ('{dirty,counterfeit}'::text[])[1 + i / 100 % 2]) END,
	CASE i % 6 WHEN 2 THEN format('SELECT pprepub.publish(''tracked'', %L, %L)', cohort(i), columns(i))
		ELSE format('CREATE TABLE attacker.answer_tracked_%s AS SELECT * FROM published.tracked(%L, %L)', i - 1, cohort(i), columns(i)) END
FROM generate_series(2, 601) i \gexec

SELECT is((SELECT (releases, (SELECT count(*) FROM pprepub.release WHERE kind = 'stored'))::text FROM pprepub.publication), '(600,100)', 'six hundred answers, of which a hundred are stored');
SELECT cmp_ok(count(*), '>', 300::bigint, 'most about somebody') FROM pprepub.release WHERE rows > 0;
SELECT cmp_ok(count(DISTINCT rows), '>', 20::bigint, 'and about ever others') FROM pprepub.release;
INSERT INTO attacker.copy_tracked SELECT r, people.* FROM people, generate_series(2, 600) r;
SELECT is(ARRAY(SELECT attacker.faults('tracked', 5, 3) LIMIT 10), '{}', 'nobody is told apart from fewer than four others, nor what they suffer from');
SELECT is((SELECT jsonb_agg(a) FROM pprepub.attack('tracked') a WHERE NOT holds), NULL, 'nor by intersections and differences');
SELECT is((SELECT jsonb_agg(a) FROM pprepub.audit('tracked') a WHERE NOT holds), NULL, 'and an audit agrees');
-- Whoever of the victim's group was asked for, all its rows were shown, or none.
CREATE TABLE shown AS SELECT keys, "group", (SELECT array_agg(place || ' ' || s ORDER BY place) FROM unnest(places, sensitive) p (place, s)) AS rows
	FROM (TABLE published_private.tracked_members UNION ALL TABLE published_private.tracked_asked) m;
SELECT ok(count(*) > 50 AND count(DISTINCT rows) = 1 AND min(cardinality(rows)) >= 5, 'the victim is never alone') FROM shown WHERE "group" = (SELECT max("group") FROM shown WHERE 1000 = ANY (keys));

-- Invented rows, and a value that changes: the first of two answers has a row that stands in for the victim, the second the victim's own.
CREATE TABLE patients AS SELECT i AS id, 20 + i AS age, (ARRAY['flu', 'asthma', 'diabetes', 'angina'])[1 + i % 4] AS s FROM generate_series(1, 20) i;
SELECT pprepub.create_publication('changing', 'patients', 'id', '{"age": "range"}', 's', params => '{"k": 10, "l": 3, "reserve": 2, "max_answers_per_statement": 10}') \g /dev/null
SELECT pprepub.publish('changing') \g /dev/null
UPDATE patients SET s = 'HIV' WHERE id = 17;
INSERT INTO patients VALUES (99, 99, 'HIV');
CREATE FUNCTION answer(cohort text) RETURNS text[] LANGUAGE sql AS $$ SELECT array_agg(s ORDER BY s) FROM published.changing(cohort) $$;
CREATE TEMP TABLE given AS SELECT n, answer('age <= ' || n) AS values FROM (VALUES (36), (37), (38), (36)) cohort(n);
SELECT is((SELECT count(DISTINCT values) FROM given), 1::bigint, 'cohorts that differ by the victim do not differ by values');
SELECT is((SELECT cardinality(min(values)) FROM given), 20, 'and all have rows');
SELECT is((SELECT values @> '{HIV}' FROM given LIMIT 1), false, 'none of them new');
SELECT is(answer('age <= 40') @> '{HIV}', true, 'but when all are asked for: anybody may have changed');
-- Somebody who comes back with another value is not told by the release of the return.
DELETE FROM patients WHERE id = 3;
SELECT pprepub.publish('changing') \g /dev/null
INSERT INTO patients VALUES (3, 23, 'cancer');
SELECT pprepub.publish('changing') \g /dev/null
SELECT is((SELECT count(*) FROM published.changing WHERE s = 'cancer'), 0::bigint, 'a value that somebody comes back with waits');
SELECT is((SELECT string_agg(kind, ' ') FROM pprepub.attack('changing') WHERE kind = 'change' OR NOT holds), NULL, 'attack finds no change beside invented rows');

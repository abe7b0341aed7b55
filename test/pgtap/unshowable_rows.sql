-- A row that cannot be shown is left out of an answer, as if it were suppressed: nobody learns that something is wrong with it.
-- publish() and preview() complain of it, to the owner.
CREATE TABLE places (leaf text, land text, world text);
INSERT INTO places SELECT 'p' || i, 'l' || i % 3, 'world' FROM generate_series(1, 9) i;
SELECT pprepub.create_taxonomy('place', 'places') \g /dev/null
CREATE TABLE people (id int, age float8, place text, disease text);
INSERT INTO people SELECT i, i % 50, 'p' || i % 9 + 1, 'd' || i % 7 FROM generate_series(1, 300) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "place": "taxonomy place"}', 'disease', 'bpg', '{"k": 1}') \g /dev/null
-- People, without the rows that stand in for those who are left out.
CREATE FUNCTION answered(cohort text DEFAULT NULL) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM published.people(cohort);
	SELECT rows - counterfeits FROM pprepub.release WHERE publication = 'people' ORDER BY number DESC LIMIT 1
$$;
CREATE FUNCTION suppressed() RETURNS bigint LANGUAGE sql AS $$
	SELECT suppressed FROM pprepub.release WHERE publication = 'people' ORDER BY number DESC LIMIT 1
$$;
CREATE FUNCTION shown(who int) RETURNS boolean LANGUAGE sql AS $$
	SELECT bool_or(key = who::text) FROM pprepub.class_members('people') WHERE release = (SELECT max(number) FROM pprepub.release WHERE publication = 'people')
$$;

SELECT is(answered(), 300::bigint, 'everybody');
UPDATE people SET place = 'nowhere' WHERE id IN (17, 18);
SELECT throws_ok($$ SELECT pprepub.publish('people') $$, '22000', NULL, 'publish() complains of a value that its taxonomy does not know');
SELECT is(answered(), 298::bigint, 'an answer leaves it out');
SELECT is(suppressed(), 2::bigint, 'and counts it for the owner');
SELECT ok(NOT shown(17), 'not shown');
SELECT is(answered('place = ''nowhere'''), 0::bigint, 'a cohort of such values is empty');
UPDATE people SET age = 'NaN' WHERE id = 30;
SELECT is(answered(), 297::bigint, 'and so is NaN left out');
INSERT INTO people VALUES (NULL, 20, 'p1', 'd1'), (NULL, 21, 'p1', 'd2');
SELECT throws_ok($$ SELECT pprepub.publish('people') $$, '23502', NULL, 'publish() complains of a NULL key');
SELECT is(answered(), 297::bigint, 'an answer leaves it out');
SELECT is(suppressed(), 5::bigint, 'counted');
DELETE FROM people WHERE id IS NULL;
INSERT INTO people VALUES (40, 20, 'p1', 'd1'), (40, 22, 'p2', 'd3');
SELECT is(answered(), 296::bigint, 'nobody can say which row of a repeated key is the person''s');
SELECT is(suppressed(), 6::bigint, 'three rows more');
SELECT ok(NOT shown(40), 'not shown');
SELECT ok(shown(41), 'others are');
DELETE FROM people WHERE id = 40;
INSERT INTO people VALUES (40, 40, 'p5', 'd5');
UPDATE people SET age = 30 WHERE id = 30;
UPDATE people SET place = 'p1' WHERE id IN (17, 18);
SELECT is(answered(), 300::bigint, 'everybody is remembered, and is back when the rows are right');

-- Rows that would help others are left out of that, too.
SELECT pprepub.create_publication('wards', 'people', 'id', '{"age": "range", "place": "taxonomy place"}', 'disease', 'bpg', '{"k": 5, "l": 2, "reserve": 4}',
	beside => '{people}') \g /dev/null
SELECT is((SELECT count(*) FROM published.wards()), 300::bigint, 'classes of twenty');
UPDATE people SET place = 'nowhere' WHERE id % 2 = 0;
SELECT ok((SELECT count(*) FROM published.wards ('age < 10')) < 60, 'with half of the people unknown, some of the others cannot be shown');
SELECT is_empty($$ SELECT key FROM pprepub.class_members('wards') WHERE key::int % 2 = 0 AND release = 2 $$, 'and nobody whose place is not known');
UPDATE people SET place = 'p1' WHERE id % 2 = 0;
SELECT is_empty($$ SELECT * FROM pprepub.attack('wards') WHERE NOT holds $$, 'everything that is out holds');
SELECT is_empty($$ SELECT * FROM pprepub.audit('wards') WHERE NOT holds AND check_name <> 'covers' $$, 'audit() agrees');
SELECT ok(bool_and("equal"), 'and the fold is what the log tells') FROM pprepub.rebuild_history('wards');

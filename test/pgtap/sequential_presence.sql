-- Observers of a sequence know of everybody in which releases they were.  So they know how many rows of each release are of people
-- who were in which others, too: nothing that makes values certain by that is published, or is judged to hold.

CREATE TABLE people (id int PRIMARY KEY, a int, b text, d text);
CREATE FUNCTION people_are(list text) RETURNS void LANGUAGE sql AS $$
	TRUNCATE people;
	INSERT INTO people SELECT split_part(e, ' ', 1)::int, split_part(e, ' ', 2)::int, split_part(e, ' ', 3), split_part(e, ' ', 4) FROM unnest(string_to_array(list, ', ')) e $$;
CREATE FUNCTION declare(k int DEFAULT 2) RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication('people', 'people', 'id', '{"a": "range", "b": "suppress"}', 'd', 'sequential', jsonb_build_object('k', k, 'seed', 1)) $$;
CREATE FUNCTION forget() RETURNS void LANGUAGE sql AS $$ SELECT pprepub.drop_publication('people', true) $$;
-- Publishes these columns, and tells how that went.
CREATE FUNCTION try_publish(columns name[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN 'release ' || (pprepub.publish('people', columns => columns)).number;
EXCEPTION WHEN no_data_found THEN
	RETURN 'refused';
END $$;
-- Imports a query's rows; true if the owner was warned.
CREATE FUNCTION import(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	n int;
BEGIN
	EXECUTE 'CREATE TABLE elsewhere AS ' || query;
	n := (pprepub.import_release('people', 'elsewhere', 'id')).number;
	DROP TABLE elsewhere;
	RETURN (SELECT warnings <> '{}' FROM pprepub.release WHERE publication = 'people' AND number = n);
END $$;
CREATE FUNCTION joined() RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', CASE WHEN holds THEN 'holds' WHEN holds IS NULL THEN 'open' ELSE 'broken' END, measured) FROM pprepub.audit('people') WHERE check_name = 'joined' $$;

-- ---- Published ----

-- Of 3 and 4, the first release lets one have b at the most, and the third lets one at the least: so the other b is of 6.
SELECT declare() \g /dev/null
SELECT people_are('2 2 x a, 3 3 x a, 4 4 x b') \g /dev/null
SELECT is(try_publish('{d}'), 'release 1', 'three people');
SELECT people_are('1 1 x a, 5 5 x b, 6 6 x b') \g /dev/null
SELECT is(try_publish('{d}'), 'release 2', 'three others');
SELECT people_are('3 3 x a, 4 4 x b, 6 6 x b') \g /dev/null
SELECT is(try_publish('{d}'), 'refused', 'some of both make values certain');
SELECT is(try_publish('{a}'), 'release 3', 'without values they do not');
SELECT is(joined(), 'holds 2 at the least; of 6 people 0 less than promised', 'and that is what audit() says');
SELECT forget() \g /dev/null

-- One of 25 was in the second release and is not in the third: what the rows of the second tell of that person depends on how many were in both.
SELECT declare() \g /dev/null
SELECT people_are('1 25 x a, 2 15 x b, 3 5 x a, 4 5 y a, 5 15 x b, 6 25 y b') \g /dev/null
SELECT try_publish('{b}') \g /dev/null
SELECT people_are('1 25 x a, 3 5 x a, 5 15 x b, 6 25 y b') \g /dev/null
SELECT try_publish('{a,d}') \g /dev/null
SELECT people_are('3 5 x a, 4 5 y a, 5 15 x b, 6 25 y b') \g /dev/null
SELECT try_publish('{a}') \g /dev/null
CREATE FUNCTION rows_of(age int, release int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM published.people_%s WHERE a @> $1 AND NOT (upper_inf(a) OR lower_inf(a))', release) INTO n USING age;
	RETURN n;
END $$;
SELECT ok(rows_of(25, 2) > 1 OR rows_of(25, 3) <> 0, 'the one of 25 who has left is not the only row of that age');
SELECT forget() \g /dev/null

-- ---- Imported ----

-- 1, 3 and 4 have one a, 1, 2 and 4 have no second one beside the b's: 2 has c, and 3 has b.
CREATE FUNCTION six() RETURNS void LANGUAGE sql AS $$ SELECT people_are('1 1 x a, 2 2 x c, 3 3 x b, 4 4 x b, 5 5 x a, 6 6 x c') $$;
SELECT declare(), six() \g /dev/null
SELECT import('SELECT id FROM people') \g /dev/null
SELECT is(import('SELECT id, d FROM people WHERE id IN (1, 3, 4)'), false, 'a release of three is what was promised');
SELECT is(import('SELECT id, d FROM people WHERE id IN (1, 2, 4)'), true, 'with another one, a harmless release before both, the owner is warned');
SELECT alike(joined(), 'broken 1 at the least; of 6 people 2 less than promised', 'and audit() says so');
SELECT is(try_publish('{d}'), 'refused', 'nothing is published on top of it');
SELECT forget() \g /dev/null

-- People who are absent from the last release are judged all the same.
SELECT declare(), people_are('1 5 y a, 2 25 x a, 3 5 x c') \g /dev/null
SELECT import($$ SELECT id, CASE WHEN id = 2 THEN '*' ELSE '[0,10)' END AS a, d FROM people $$) \g /dev/null
SELECT alike(joined(), 'broken 1 at the least; of 3 people 1 less than promised', 'one of 25 is found');
SELECT import($$ SELECT id, '[0,20)' AS a, '*' AS b FROM people WHERE id <> 2 $$) \g /dev/null
SELECT alike(joined(), 'broken 1 at the least; of 3 people % less than promised', 'and stays found after a release without that person');
SELECT forget() \g /dev/null

-- Deleting people turns nothing green, nor does importing after they were deleted.
CREATE FUNCTION five() RETURNS void LANGUAGE sql AS $$ SELECT people_are('1 1 x b, 2 2 x a, 3 3 x b, 4 4 x a, 5 5 x a') $$;
SELECT declare(), five() \g /dev/null
SELECT import('SELECT id, d FROM people') \g /dev/null
SELECT is(import('SELECT id, d FROM people WHERE id IN (1, 3, 5)'), true, 'two who are not in both are found');
SELECT alike(joined(), 'broken 1 at the least; of 5 people 2 less than promised', 'they are found');
DELETE FROM people WHERE id IN (2, 4);
SELECT alike(joined(), 'broken 1 at the least; of 5 people 2 less than promised', 'and stay so when they have left the source');
TRUNCATE people;
SELECT alike(joined(), 'broken 1 at the least; of 5 people 2 less than promised', 'and when everybody has');
SELECT throws_ok($$ SELECT pprepub.assert_safe('people') $$, NULL, NULL, 'and assert_safe() fails');
SELECT is((SELECT measured FROM pprepub.audit('people') WHERE check_name = 'imported' AND NOT holds), '2 with release 2', 'and what was found of an import is kept');
SELECT forget() \g /dev/null
SELECT declare(), five() \g /dev/null
CREATE TABLE kept AS SELECT * FROM people;
DELETE FROM people WHERE id IN (2, 4);
SELECT import('SELECT id, d FROM kept') \g /dev/null
SELECT is(import('SELECT id, d FROM kept WHERE id IN (1, 3, 5)'), true, 'the owner is warned of people who had left before');
SELECT alike(joined(), 'broken 1 at the least; of 5 people 2 less than promised', 'and audit() says so');
SELECT forget() \g /dev/null

-- Where a person has cells of which it is not known any more what they covered, nothing is said to hold.
SELECT declare(), people_are('1 1 x a, 2 2 x b, 3 6 x a, 4 7 x b') \g /dev/null
SELECT import($$ SELECT id, CASE WHEN id < 3 THEN '[1,3)' WHEN id = 3 THEN '[5,8)' ELSE '[6,9)' END AS a, d FROM people $$) \g /dev/null
DELETE FROM people WHERE id = 4;
SELECT alike(joined(), '% could not be judged', 'a person whose age is not known any more is counted');
SELECT isnt((SELECT holds FROM pprepub.audit('people') WHERE check_name = 'joined'), true, 'and does not hold');
SELECT forget() \g /dev/null

-- ---- By the promise of each release ----

SELECT declare(3), people_are('1 1 x a, 2 2 x b, 3 3 x a, 4 4 x b') \g /dev/null
SELECT import('SELECT id, d FROM people') \g /dev/null
SELECT pprepub.alter_publication('people', '{"k": 2, "accept_weakening": true}') \g /dev/null
SELECT is(try_publish('{d}'), 'release 2', 'a weaker release');
SELECT results_eq($$ SELECT required, holds FROM pprepub.audit('people') WHERE check_name = 'joined' ORDER BY 1 $$,
	$$ VALUES ('linkability >= 2 of everybody', true), ('linkability >= 3 of everybody, up to release 1', false) $$, 'hides nothing that was less than was promised before');
SELECT throws_ok($$ SELECT pprepub.assert_safe('people') $$, NULL, NULL, 'nor from assert_safe()');

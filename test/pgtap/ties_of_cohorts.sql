-- Ties of people whom a cohort leaves out: a cohort, or an answer, that asks for everybody of a group shows its new values only if
-- a release of everybody would.
CREATE TABLE people (id int PRIMARY KEY, age int, ill text);
\set change 'UPDATE people SET ill = ''new'' WHERE age BETWEEN 1500 AND 1550 AND ill IN (''flu'', ''asthma'')'

-- Sixteen groups of four, so that a cohort is of few.
CREATE FUNCTION declare() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM pprepub.publication) THEN
		PERFORM pprepub.drop_publication('people', true);
	END IF;
	TRUNCATE people;
	INSERT INTO people SELECT 10 * g + i, 100 * g + i, (ARRAY['flu', 'asthma', 'rash' || g, 'cold' || g])[i] FROM generate_series(1, 16) g, generate_series(1, 4) i;
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 2, "l": 2, "reserve": 2, "max_answers_per_statement": 10}');
	PERFORM pprepub.publish('people');
END $$;
SET check_function_bodies = off;
CREATE FUNCTION seen() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(ill, ' ' ORDER BY ill) FROM published.people('age BETWEEN 1500 AND 1550') $$;

SELECT declare() \g /dev/null
SELECT is(seen(), 'asthma cold15 flu rash15', 'a group as it was released');
:change;
SELECT is(seen(), 'cold15 new new rash15', 'shows new values where nobody is tied');

-- Somebody comes from another group: the value was one that both showed.
SELECT declare() \g /dev/null
SELECT seen() \g /dev/null
DELETE FROM people WHERE id = 151;
SELECT pprepub.publish('people') \g /dev/null
UPDATE people SET age = 1501 WHERE id = 11;
SELECT pprepub.publish('people') \g /dev/null
SELECT is((SELECT count(DISTINCT "group") FROM published_private.people_places WHERE key = 11), 2::bigint, 'somebody comes from another group');
:change;
SELECT is(seen(), 'asthma cold15 flu rash15', 'and would have the new value for certain');
SELECT pprepub.publish('people') \g /dev/null
SELECT is((SELECT string_agg(ill, ' ' ORDER BY ill) FROM published.people WHERE age && '[1500,1550]'), 'asthma cold15 flu rash15', 'a release of everybody agrees');

-- Somebody has left for another group, and is not asked for; a newcomer took the place.
SELECT declare() \g /dev/null
DELETE FROM people WHERE id = 11;
SELECT pprepub.publish('people') \g /dev/null
UPDATE people SET age = 101 WHERE id = 151;
SELECT pprepub.publish('people') \g /dev/null
INSERT INTO people VALUES (155, 1503, 'flu');
SELECT pprepub.publish('people') \g /dev/null
SELECT is((SELECT array_agg(key ORDER BY came) FROM published_private.people_places WHERE ("group", place) = (SELECT "group", place FROM published_private.people_places WHERE key = 155)),
	'{151,155}', 'a newcomer takes the place of somebody who has left for another group');
:change;
SELECT is(seen(), 'asthma cold15 flu rash15', 'the one who has left would tell of the successor');
SELECT is(seen(), 'asthma cold15 flu rash15', 'by indexes, too');
UPDATE people SET ill = 'old' WHERE id = 152;
SELECT is(seen(), 'cold15 new old rash15', 'two values are enough');

-- The same, and nobody was tied.
SELECT declare() \g /dev/null
SELECT seen() \g /dev/null
DELETE FROM people WHERE id = 151;
SELECT pprepub.publish('people') \g /dev/null
INSERT INTO people VALUES (155, 1503, 'flu');
SELECT pprepub.publish('people') \g /dev/null
:change;
SELECT is(seen(), 'cold15 new new rash15', 'a newcomer after somebody who is gone is not tied');

-- Parameters are raised while somebody is tied: the two values that both groups showed are too few, in a cohort and a release.
SELECT declare() \g /dev/null
SELECT seen() \g /dev/null
DELETE FROM people WHERE id = 151;
SELECT pprepub.publish('people') \g /dev/null
UPDATE people SET age = 1501 WHERE id = 11;
SELECT pprepub.publish('people') \g /dev/null
SELECT pprepub.alter_publication('people', '{"l": 3, "accept_lockout": true}') \g /dev/null
SELECT is(seen(), NULL, 'a group in which somebody is tied is hidden where l is raised above what ties leave');
SELECT is(count(*), 4::bigint, 'and others are not') FROM published.people('age BETWEEN 1400 AND 1450');
SELECT pprepub.publish('people') \g /dev/null
SELECT is_empty($$ SELECT FROM published.people WHERE age && '[1500,1550]' $$, 'a release of everybody agrees on that');
SELECT is_empty($$ SELECT check_name FROM pprepub.audit('people') WHERE NOT holds $$, 'all holds');

-- The values that a group showed before its newest ones are too few.
SELECT declare() \g /dev/null
:change;
SELECT is(seen(), 'cold15 new new rash15', 'three values of four people');
UPDATE people SET ill = id WHERE age BETWEEN 1500 AND 1550;
SELECT is(seen(), '151 152 153 154', 'and four');
SELECT pprepub.alter_publication('people', '{"l": 4, "accept_lockout": true}') \g /dev/null
SELECT is(seen(), NULL, 'a group is hidden if l is raised above what it ever showed');
SELECT pprepub.publish('people') \g /dev/null
SELECT is_empty($$ SELECT check_name FROM pprepub.audit('people') WHERE NOT holds $$, 'all holds then');

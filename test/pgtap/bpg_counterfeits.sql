-- Method bpg, "counterfeit": whoever knows that somebody has left knows that one row of his class is invented.  What was shown of
-- him must not be what is missing since: others have the values that they had.
BEGIN;
SELECT setseed(0.7) \g /dev/null

CREATE TABLE people AS SELECT i AS id, 20 + i * 7 % 50 AS age, 'd' || i * 11 % 97 % 30 AS ill FROM generate_series(1, 900) i;
CREATE TABLE everybody AS TABLE people;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg',
	'{"k": 4, "l": 3, "reserve": 2, "repair": "counterfeit"}') \g /dev/null
SELECT pprepub.publish('people') \g /dev/null
DO $$
BEGIN
	FOR n IN 1 .. 5 LOOP
		DELETE FROM people WHERE random() < 0.1;
		INSERT INTO people SELECT 1000 * n + i, 20 + i * 13 % 50, 'd' || i * 11 % 97 % 30 FROM generate_series(1, 40) i;
		PERFORM pprepub.publish('people');
	END LOOP;
END $$;
INSERT INTO everybody SELECT 1000 * n + i, 20 + i * 13 % 50, 'd' || i * 11 % 97 % 30 FROM generate_series(1, 5) n, generate_series(1, 40) i;

-- All rows by their places.
CREATE VIEW row AS SELECT release, class, "group", unnest(places) AS place, unnest(keys) AS key, unnest(sensitive) AS ill FROM published_private.people_members;
CREATE VIEW place AS SELECT *, key IS NULL AS is_invented, lag(ill) OVER (PARTITION BY "group", place ORDER BY release) AS before,
	min(release) OVER (PARTITION BY "group", place) = release AS is_new, key IS NOT NULL AND min(release) OVER (PARTITION BY "group", place, key) = release AS has_arrived FROM row;
SELECT ok(count(*) > 100, 'many rows are invented') FROM place WHERE is_invented;

-- The attacker compares classes of the same places in two releases, and knows who was in the source when.
CREATE TABLE shown (release int, class bigint, ill text);
DO $$
BEGIN
	FOR n IN 1 .. 6 LOOP
		EXECUTE format('INSERT INTO shown SELECT %s, class, ill FROM published.people_%1$s', n);
	END LOOP;
END $$;
CREATE TABLE class AS SELECT release, class, array_agg(ARRAY["group", place] ORDER BY "group", place) AS people, bool_or(is_invented) AS is_invented,
	(SELECT array_agg(ill ORDER BY ill) FROM shown s WHERE (s.release, s.class) = (p.release, p.class)) AS ills FROM place p GROUP BY 1, 2;
SELECT ok(count(*) > 10, 'some of the classes have the places of an earlier one, where others stand in') FROM class b JOIN class a USING (people)
WHERE a.release < b.release AND NOT a.is_invented AND b.is_invented;
SELECT is((SELECT count(*) FROM class b JOIN class a USING (people) WHERE a.release < b.release AND a.ills <> b.ills), 0::bigint,
	'and no value is missing that was there before');
SELECT is((SELECT count(*) FROM place WHERE is_invented AND (is_new OR ill <> before)), 0::bigint, 'a stand-in shows what the place did');

-- They stand anywhere in their classes, as far as rows can be told by their values; and classes that have any have any number.
CREATE TABLE standing (release int, class bigint, classes bigint, place bigint, size bigint, ill text);
DO $$
BEGIN
	FOR n IN 2 .. 6 LOOP
		EXECUTE format('INSERT INTO standing SELECT %s, class, max(class) OVER (), row_number() OVER (PARTITION BY class ORDER BY ctid), count(*) OVER (PARTITION BY class), ill
			FROM published.people_%1$s', n);
	END LOOP;
END $$;
SELECT cmp_ok(count(*), '>', 100::bigint, 'many stand-ins can be told') FROM standing JOIN place p USING (release, class, ill) WHERE is_invented;
-- within five standard deviations
SELECT cmp_ok(abs(sum((s.place - 0.5) / size) - count(*) / 2.0), '<', 5 * sqrt(count(*) / 12.0), 'in the middle on average')
FROM standing s JOIN place USING (release, class, ill) WHERE is_invented
	AND NOT EXISTS (SELECT FROM place o WHERE (o.release, o.class, o.ill) = (s.release, s.class, s.ill) AND NOT o.is_invented);
SELECT cmp_ok(abs(sum((class - 0.5) / classes) - count(*) / 2.0), '<', 5 * sqrt(count(*) / 12.0), 'in classes of any number')
FROM (SELECT DISTINCT release, class, classes FROM standing JOIN place USING (release, class) WHERE is_invented) c;

-- Where people's own values have changed, nobody shows one beside a stand-in: it would be of those who have true rows.
UPDATE people SET ill = 'd0' WHERE id % 3 > 0 AND age < 45;
DELETE FROM people WHERE random() < 0.1;
SELECT pprepub.publish('people') \g /dev/null
CREATE TEMP VIEW changes AS SELECT class, count(*) FILTER (WHERE is_invented) AS stand_ins, count(*) FILTER (WHERE has_arrived) AS arrived,
	count(*) FILTER (WHERE ill IS DISTINCT FROM before) AS changed, count(DISTINCT ill) AS values
FROM place WHERE release = (SELECT max(release) FROM row) GROUP BY class HAVING NOT bool_or(is_new);
SELECT is((SELECT min(values) FROM changes) >= 3, true, 'each class has l values');
SELECT cmp_ok(count(*), '>', 5::bigint, 'there are classes with stand-ins') FROM changes WHERE stand_ins > 0;
SELECT is((SELECT coalesce(sum(changed), 0) FROM changes WHERE stand_ins > 0), 0::numeric, 'nothing is new beside a stand-in');

-- Arrivals show what the places did, and so do the others; what they have now comes with the next release.
UPDATE people SET ill = 'd' || id % 30 WHERE random() < 0.2;
INSERT INTO people SELECT CASE WHEN id % 4 > 0 THEN id ELSE -id END, age, CASE WHEN id % 4 = 1 THEN 'back' ELSE ill END FROM everybody e WHERE NOT EXISTS (SELECT FROM people p WHERE p.id = e.id);
SELECT pprepub.publish('people') \g /dev/null
SELECT ok(count(*) FILTER (WHERE stand_ins = 0 AND arrived > 0) > 5, 'there are classes in which nobody is missing, and people have arrived') FROM changes;
SELECT is((SELECT sum(changed) FROM changes WHERE arrived > 0), 0::numeric, 'nothing is new beside them');
SELECT is((SELECT count(*) FROM place WHERE ill = 'back'), 0::bigint, 'nor is what only those have who come back');
SELECT ok(bool_and(equal), 'who was away is what the log says') FROM pprepub.rebuild_history('people');
UPDATE people SET ill = 'd' || (id + 1) % 30 WHERE random() < 0.2;
SELECT pprepub.publish('people') \g /dev/null
SELECT ok(count(*) FILTER (WHERE changed > 0) > 5, 'now they show what they have') FROM changes WHERE stand_ins = 0;
SELECT is((SELECT coalesce(sum(changed), 0) FROM changes WHERE stand_ins > 0 OR arrived > 0), 0::numeric, 'but not beside stand-ins');
SELECT ok(bool_and(equal), 'the history is what the log says') FROM pprepub.rebuild_history('people');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('people') WHERE NOT holds), NULL, 'audit()');

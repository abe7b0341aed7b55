-- Method bpg, "counterfeit": where a row stands does not tell that it is invented (test/lives asks what invented rows show).
BEGIN;
SELECT setseed(0.7) \g /dev/null

CREATE TABLE people AS SELECT i AS id, 20 + i * 7 % 50 AS age, 'd' || i * 11 % 97 % 30 AS ill FROM generate_series(1, 900) i;
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

-- All rows by their places.
CREATE VIEW row AS SELECT release, class, "group", unnest(places) AS place, unnest(keys) AS key, unnest(sensitive) AS ill FROM published_private.people_members;
CREATE VIEW place AS SELECT *, key IS NULL AS is_invented FROM row;
SELECT ok(count(*) > 100, 'many rows are invented') FROM place WHERE is_invented;

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

SELECT ok(bool_and(equal), 'the history is what the log says') FROM pprepub.rebuild_history('people');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('people') WHERE NOT holds), NULL, 'audit()');

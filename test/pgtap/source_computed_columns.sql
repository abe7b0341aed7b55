-- A view computes the person, and the value, that are remembered of it.
BEGIN;
CREATE FUNCTION broken(publication text) RETURNS text LANGUAGE sql AS $$ SELECT coalesce(string_agg(check_name, ' ' ORDER BY check_name), '') FROM pprepub.audit(publication) WHERE NOT holds $$;

-- hashtext() leaves other bits above a negative number than an array does.
CREATE TABLE people AS SELECT 'person ' || i AS name, i % 60 AS age, 'd' || i % 7 AS ill FROM generate_series(1, 400) i;
CREATE VIEW hashed AS SELECT hashtext(name) AS id, age, ill FROM people;
SELECT ok((SELECT count(*) FILTER (WHERE id < 0) BETWEEN 100 AND 300 FROM hashed), 'some keys are negative');
SELECT pprepub.create_publication('hashed', 'hashed', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
SELECT pprepub.publish('hashed') \g /dev/null
DELETE FROM people WHERE name LIKE '%7';
SELECT pprepub.publish('hashed') \g /dev/null
SELECT is(broken('hashed'), '', 'computed keys');
SELECT is((SELECT count(*) FROM pprepub.neighborhoods('hashed'), generate_series(1, records)), 400::bigint, 'nobody is taken for a newcomer');
INSERT INTO people SELECT 'person 1', 1, 'd1';
SELECT throws_ok($$ SELECT pprepub.publish('hashed') $$, '23505', NULL, 'a repeated key');
CREATE TABLE copied AS SELECT hashtext(name) AS id, age, ill FROM people WHERE name <> 'person 1';
CREATE VIEW mixed AS SELECT * FROM copied UNION ALL SELECT hashtext('person ' || age), age, ill FROM copied WHERE age < 10 AND hashtext('person ' || age) < 0;
SELECT throws_ok($$ SELECT pprepub.create_publication('mixed', 'mixed', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}') $$, '23505', NULL,
	'also where only one of them is computed, and nothing is published yet');

-- Sensitive values: all are the same one, half of them computed.
CREATE TABLE alike AS SELECT i AS id, i % 60 AS age, hashtext('a') AS ill FROM generate_series(1, 40) i;
SELECT ok(hashtext('a') < 0 OR hashtext('b') < 0, 'one of these is negative');
UPDATE alike SET ill = least(hashtext('a'), hashtext('b'));
CREATE VIEW half AS SELECT id, age, CASE WHEN id % 2 = 0 THEN ill WHEN hashtext('a') < hashtext('b') THEN hashtext(substr('a', 1, age + 1)) ELSE hashtext(substr('b', 1, age + 1)) END AS ill FROM alike;
SELECT is((SELECT count(DISTINCT ill) FROM half), 1::bigint, 'one value');
SELECT pprepub.create_publication('half', 'half', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
SELECT throws_ok($$ SELECT pprepub.publish('half') $$, 'P0002', NULL, 'is not two');
SELECT pprepub.alter_publication('half', '{"k": 5, "l": 1, "accept_weakening": true}') \g /dev/null
SELECT pprepub.publish('half') \g /dev/null
SELECT is(broken('half'), '', 'nor another one in the table');

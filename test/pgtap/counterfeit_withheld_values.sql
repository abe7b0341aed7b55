-- Invented rows show no value that only somebody has who is left out of an answer, or withheld.
CREATE TABLE people (id int, age float8, disease text);
INSERT INTO people SELECT i, i % 50, 'd' || i % 2 FROM generate_series(1, 300) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "repair": "counterfeit"}') \g /dev/null
SELECT is(count(*), 300::bigint, 'everybody') FROM published.people();
DELETE FROM people WHERE id % 3 = 0;
INSERT INTO people SELECT 1000, 'NaN', 'secret';
CREATE TABLE answer AS SELECT * FROM published.people();
SELECT ok(counterfeits > 40, 'many rows are invented') FROM pprepub.release WHERE publication = 'people' AND number = 2;
SELECT is_empty($$ SELECT FROM answer WHERE disease = 'secret' $$, 'none of them has what only somebody has who is left out');

-- Whose values have changed, and who cannot be published any more
CREATE TABLE strict AS SELECT i AS id, i % 50 AS age, 'd' || i % 2 AS disease FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('strict', 'strict', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "repair": "counterfeit"}') \g /dev/null
SELECT count(*) FROM published.strict() \g /dev/null
SELECT pprepub.alter_publication('strict', '{"k": 20, "accept_lockout": true}') \g /dev/null
UPDATE strict SET disease = 'secret';
INSERT INTO strict SELECT i, i % 50, 'd' || i % 2 FROM generate_series(101, 105) i;
DROP TABLE answer;
CREATE TABLE answer AS SELECT * FROM published.strict();
SELECT is(count(*), 20::bigint, 'newcomers and invented rows') FROM answer;
SELECT is_empty($$ SELECT FROM answer WHERE disease = 'secret' $$, 'who show nothing of those who are withheld');

-- Whose value no release has shown, since each left the column out: nobody sees it for the first time when they are gone.
CREATE TABLE unseen AS SELECT i AS id, 20 + i AS age, (ARRAY['flu', 'asthma', 'angina'])[1 + i % 3] AS disease FROM generate_series(1, 20) i;
UPDATE unseen SET disease = 'leprosy' WHERE id = 7;
SELECT pprepub.create_publication('unseen', 'unseen', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3, "reserve": 2}') \g /dev/null
SELECT pprepub.publish('unseen', columns => '{age}') \g /dev/null
DELETE FROM unseen WHERE id = 7;
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('unseen')), '(10,0)', 'no row stands in');
SELECT is_empty($$ SELECT FROM published.unseen WHERE disease = 'leprosy' $$, 'and the value is not shown');
-- Nor do rows that are company for newcomers show it.
CREATE TABLE untold AS SELECT i AS id, 20 + i AS age, CASE WHEN i > 8 THEN (ARRAY['flu', 'asthma', 'angina'])[1 + i % 3] ELSE 'rare ' || i END AS disease FROM generate_series(1, 20) i;
SELECT pprepub.create_publication('untold', 'untold', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3, "reserve": 2}') \g /dev/null
SELECT pprepub.publish('untold', columns => '{age}') \g /dev/null
DELETE FROM untold WHERE id <= 8;
INSERT INTO untold SELECT i, 90, 'flu' FROM generate_series(21, 26) i;
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('untold')), '(20,4)', 'newcomers get company');
SELECT is_empty($$ SELECT FROM published.untold WHERE disease ~ 'rare' $$, 'which shows what others have who are shown');
-- Where a release has shown it, it stays, whatever others leave out.
UPDATE unseen SET disease = 'leprosy' WHERE id = 8;
INSERT INTO unseen VALUES (7, 27, 'flu');
SELECT pprepub.publish('unseen') FROM generate_series(1, 2) \g /dev/null
SELECT is((SELECT count(*) FROM published.unseen WHERE disease = 'leprosy'), 1::bigint, 'it is shown');
SELECT pprepub.publish('unseen', columns => '{age}') \g /dev/null
DELETE FROM unseen WHERE id = 8;
SELECT pprepub.publish('unseen') \g /dev/null
SELECT is((SELECT count(*) FROM published.unseen WHERE disease = 'leprosy'), 1::bigint, 'and goes on being shown');

SELECT is_empty(format($$ SELECT * FROM pprepub.audit(%L) WHERE NOT holds AND check_name <> 'covers' $$, p), format('all of it holds: %s', p))
FROM (VALUES ('people'), ('strict'), ('unseen')) p(p);

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
INSERT INTO strict SELECT i, i % 50, 'd' || i % 2 FROM generate_series(101, 125) i;
DROP TABLE answer;
CREATE TABLE answer AS SELECT * FROM published.strict();
SELECT is(count(*), 25::bigint, 'newcomers') FROM answer;
SELECT is_empty($$ SELECT FROM answer WHERE disease = 'secret' $$, 'who show nothing of those who are withheld');

-- Whose value no release has shown, since each left the column out: when they are gone it may be anybody's, since all show what they had then.
CREATE TABLE unseen AS SELECT i AS id, 20 + i AS age, (ARRAY['flu', 'asthma', 'angina'])[1 + i % 3] AS disease FROM generate_series(1, 20) i;
UPDATE unseen SET disease = 'leprosy' WHERE id = 7;
SELECT pprepub.create_publication('unseen', 'unseen', 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3, "reserve": 2}') \g /dev/null
SELECT pprepub.publish('unseen', columns => '{age}') \g /dev/null
CREATE TABLE before AS TABLE unseen;
DELETE FROM unseen WHERE id = 7;
UPDATE unseen SET disease = 'anemia' WHERE id < 7;
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('unseen')), '(20,1)', 'a row stands in');
SELECT bag_eq('SELECT disease FROM published.unseen', 'SELECT disease FROM before', 'and nothing tells it from those of others');
-- Where a release has shown it, it stays, whatever others leave out.
UPDATE unseen SET disease = 'leprosy' WHERE id = 8;
INSERT INTO unseen VALUES (7, 27, 'leprosy');
SELECT pprepub.publish('unseen') FROM generate_series(1, 2) \g /dev/null
SELECT is((SELECT count(*) FROM published.unseen WHERE disease = 'leprosy'), 2::bigint, 'it is shown');
SELECT pprepub.publish('unseen', columns => '{age}') \g /dev/null
DELETE FROM unseen WHERE id = 8;
SELECT pprepub.publish('unseen') \g /dev/null
SELECT is((SELECT count(*) FROM published.unseen WHERE disease = 'leprosy'), 2::bigint, 'and goes on being shown');

SELECT is_empty(format($$ SELECT * FROM pprepub.audit(%L) WHERE NOT holds AND check_name <> 'covers' $$, p), format('all of it holds: %s', p))
FROM (VALUES ('people'), ('strict'), ('unseen')) p(p);

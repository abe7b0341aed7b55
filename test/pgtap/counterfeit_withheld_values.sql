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

SELECT is_empty(format($$ SELECT * FROM pprepub.audit(%L) WHERE NOT holds AND check_name <> 'covers' $$, p), format('all of it holds: %s', p))
FROM (VALUES ('people'), ('strict')) p(p);

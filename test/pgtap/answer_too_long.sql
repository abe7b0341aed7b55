-- A question that is too long is refused where it is asked: it takes no shared memory, and no worker.
CREATE TABLE people AS SELECT i AS id, i AS age, 'd' || i % 4 AS disease FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "max_answers_per_statement": 100}') \g /dev/null
-- A worker would have to wait for this transaction.
BEGIN;
SELECT count(*) FROM pprepub.publish('people') \g /dev/null
SELECT throws_ok($$ SELECT FROM published.people(repeat('x', 65537)) $$, '54000', 'a cohort may have 65536 bytes at most', 'a long cohort');
SELECT throws_ok($$ SELECT FROM published.people(columns => array_fill('age'::name, ARRAY[1601])) $$, '54011', 'a release shows 1600 columns at most', 'many columns');
SELECT throws_ok($$ SELECT FROM published.people(repeat('x', 65536), array_fill('age'::name, ARRAY[1600])) $$, '40P01', NULL, 'anything shorter is asked');
COMMIT;

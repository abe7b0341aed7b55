-- A person with several rows: k counts people, all rows stand in one class, and observers may know how many rows anybody has.
CREATE TABLE visits AS SELECT i % 200 AS patient, 20 + (i % 200) / 4 + CASE WHEN i > 380 THEN 1 ELSE 0 END AS age, 'd' || (i * 7919 % 23) AS ill,
	'2026-01-01'::date + i % 50 AS at FROM generate_series(1, 400) i;
SELECT pprepub.create_publication('v', 'visits', 'patient', '{"age": "range", "at": "range"}', 'ill', 'bpg', '{"k": 5, "l": 3}', rows => 'several') \g /dev/null
SELECT * FROM pprepub.publish('v') \g /dev/null
SELECT is(count(*), 400::bigint, 'all rows leave') FROM published.v_1;
SELECT ok(bool_and(holds), 'the release is as it was declared') FROM pprepub.audit('v');
UPDATE visits SET ill = 'd1' WHERE patient < 40;
INSERT INTO visits SELECT 1000 + i % 20, 30, 'd' || i % 9, '2026-01-05' FROM generate_series(1, 40) i;
DELETE FROM visits WHERE patient BETWEEN 50 AND 60;
SELECT * FROM pprepub.publish('v') \g /dev/null
SELECT is(count(*), (SELECT count(*) FROM published.v_2), 'an answer about everybody is the last release') FROM published.v_now;
SELECT ok(count(*) > 0, 'an answer about some') FROM published.v('age < 30');
SELECT ok(bool_and(holds), 'all releases and answers are as they were declared') FROM pprepub.audit('v');

-- Rows and people, told apart in all that is shown of a publication where a person has several rows.
CREATE TABLE visits AS SELECT p AS patient, 20 + p % 40 AS age, 'd' || (p * 7 + v * 5) % 11 AS ill FROM generate_series(1, 100) p, generate_series(1, 1 + p % 3) v;
INSERT INTO visits SELECT 1, 21, 'd' || v % 5 FROM generate_series(1, 6) v;
SELECT pprepub.create_publication('v', 'visits', 'patient', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 3}', rows => 'several', max_rows => 4) \g /dev/null
SELECT is((SELECT max_rows FROM pprepub.publication WHERE name = 'v'), 4, 'max_rows is shown');
CREATE FUNCTION told(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
	more text;
BEGIN
	EXECUTE statement;
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS said = MESSAGE_TEXT, more = PG_EXCEPTION_DETAIL;
	RETURN CASE WHEN said LIKE '%nothing%' THEN more ELSE said END;
END $$;
SELECT is((SELECT jsonb_object_agg(metric, value) FROM pprepub.preview('v') WHERE metric IN ('rows', 'people', 'kept_back', 'average_class')) - 'average_class',
	'{"rows": 202, "people": 100, "kept_back": 4}', 'preview counts rows, people and what stays back');
SELECT ok((SELECT value FROM pprepub.preview('v') WHERE metric = 'average_class') < 30, 'a class has people');
SELECT is((SELECT ARRAY[rows, people] FROM pprepub.publish('v')), '{202,100}', 'so does publish');
SELECT is((SELECT count(*) FROM published.v_1), 202::bigint, 'which are the rows that left');
SELECT is((SELECT ARRAY[rows, people] FROM published.v_releases), '{202,100}', 'analysts see both');
SELECT is((SELECT ARRAY[rows, people] FROM pprepub.health WHERE publication = 'v'), '{202,100}', 'and who watches');
SELECT is((SELECT value FROM pprepub.metrics('v', 1) WHERE metric = 'kept_back'), 4::float8, 'the release keeps what stayed back');
SELECT is((SELECT ARRAY[rows, people] FROM pprepub.forecast('v', 1)), '{202,100}', 'a forecast counts both');
SELECT is((SELECT ARRAY[rows_at_least, rows_at_most, people_at_least, round(estimate), people_at_most] FROM published.v_counts('{age}', '{"age": ["[0,100)"]}')), '{202,206,100,100,104}',
	'counts tell both, and that rows stay back');
SELECT is((SELECT count(*) FROM published.v_values), 202::bigint, 'a row of values for each row');
SELECT is((SELECT count(*) FROM published.v_now), 202::bigint, 'a live table shows rows');
DELETE FROM visits WHERE patient % 10 = 3;
SELECT * FROM pprepub.publish('v') \g /dev/null
SELECT is((SELECT ARRAY[withheld_percent, invented_percent, people] FROM published.v_releases ORDER BY release DESC LIMIT 1), '{0,10,100}', 'shares are of people');
SELECT is((SELECT rows FROM published.v_releases ORDER BY release DESC LIMIT 1), (SELECT count(*) FROM published.v), 'and rows of invented people count');
SELECT ok(bool_and(holds), 'all is as it was declared') FROM pprepub.audit('v');
SELECT ok(pprepub.report('v') ~ '>202</td><td[^>]*>100</td>', 'the page tells people');

-- What speaks of one row a person is refused; other principles count each value once a person.
SELECT is(told(format('SELECT pprepub.alter_publication(''v'', %L)', params)), said, said) FROM (VALUES
	('{"max_rows": 20}', '"max_rows" of publication "v" cannot be changed'),
	('{"rows": "one"}', '"rows" of publication "v" cannot be changed'),
	('{"joint": true}', '"joint" cannot be declared where a person may have several rows'),
	('{"t": 0.5, "distribution": "visits"}', '"distribution" cannot be declared where a person may have several rows')) w (params, said);
SELECT is(told($$SELECT pprepub.audit('v', '{"l": 2, "joint": true}')$$), '"joint" is not judged where a person may have several rows', 'nor is it audited');
CREATE FUNCTION keeps(params text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	people text;
BEGIN
	CREATE TABLE judged AS SELECT * FROM visits;
	PERFORM pprepub.create_publication('p', 'judged', 'patient', '{"age": "range"}', 'ill', 'bpg', params::jsonb, rows => 'several');
	people := (pprepub.publish('p')).people;
	UPDATE judged SET ill = 'd' || (patient * 3 + 1) % 11 WHERE patient % 4 = 0;
	people := people || ', ' || (pprepub.publish('p')).people || CASE WHEN (SELECT bool_and(holds) FROM pprepub.audit('p')) THEN '' ELSE ', broken' END;
	PERFORM pprepub.drop_publication('p', forget_history => true);
	DROP TABLE judged;
	RETURN people;
END $$;
SELECT is(keeps(params), '90, 90', params) FROM (VALUES ('{"k": 5, "t": 0.3}'), ('{"k": 5, "beta": 2}'), ('{"k": 5, "delta": 2}'), ('{"k": 5, "frequency": 3}'), ('{"k": 5, "entropy": 3}'), ('{"k": 5, "recursive": 2, "c": 3}')) p (params);
SELECT is(told($$SELECT keeps('{"k": 95}')$$), 'The source has 90 people, and its parameters need at least 95.', 'too few people are no rows');

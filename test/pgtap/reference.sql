-- The distribution that releases are compared with, when somebody has tampered with it.

CREATE TABLE people AS SELECT i AS id, 20 + i % 37 AS age, 'd' || i % 7 AS ill FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "delta": 1000}') \g /dev/null
SELECT rows FROM pprepub.publish('people') \g /dev/null

\i test/lib/tampering.sql
CREATE FUNCTION outcome(asked text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE asked;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN sqlstate || ' ' || sqlerrm;
END $$;
SELECT is(damage('SELECT', 'outcome(''SELECT pprepub.publish(''''people'''')'')'), 'done', 'nothing is wrong');
SELECT is(damage(change, format('outcome(%L)', asked)), 'XX001 the distribution that releases of publication "people" are compared with is malformed', format('%s: %s', change, asked))
	FROM unnest(ARRAY['UPDATE published_private.people_reference SET people = 0 WHERE sensitive = ''d1''', 'UPDATE published_private.people_reference SET people = "of" + 1',
		'UPDATE published_private.people_reference SET sensitive = NULL', 'UPDATE published_private.people_reference SET "of" = NULL', 'UPDATE published_private.people_reference SET "of" = -1, people = -2',
		'ALTER TABLE published_private.people_reference ALTER sensitive TYPE int USING 1', 'ALTER TABLE published_private.people_reference DROP people',
		'ALTER TABLE published_private.people_reference ADD more int']) change,
	unnest(ARRAY['SELECT pprepub.publish(''people'')', 'SELECT pprepub.preview(''people'')', 'SELECT pprepub.forecast(''people'', 2)']) asked;
-- Gone, it is made anew: of what the log tells.
CREATE FUNCTION people_in_it() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT sum(people) || ' in ' || min(release) FROM published_private.people_reference);
END $$;
SELECT is(damage('DROP TABLE published_private.people_reference', 'outcome(''SELECT pprepub.publish(''''people'''')'') || '': '' || people_in_it()'), 'done: 100 in 1',
	'it is made of the first release');

-- Settings of a database that would end a worker, or hold up the next question.
SELECT format('ALTER DATABASE %I SET exit_on_error = on', current_database()) \gexec
SELECT format('ALTER DATABASE %I SET vacuum_cost_delay = 100', current_database()) \gexec
CREATE TABLE people AS SELECT i AS id, i AS age, 'd' || i % 4 AS disease FROM generate_series(1, 40) i;
CREATE FUNCTION told(id int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'delay %', current_setting('vacuum_cost_delay');
END $$;
CREATE VIEW telling AS SELECT told(id) AS id, age, disease FROM people;
SELECT pprepub.create_publication('telling', 'telling', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}') \g /dev/null
SELECT results_eq('SELECT count(*) FROM published.telling()', 'VALUES (0::bigint)', 'a source that fails is answered');
SELECT results_eq('SELECT rows FROM pprepub.release', 'VALUES (0::bigint)', 'which counts');
SELECT is(rtrim(message), 'delay 0', 'a worker that vacuums does not dawdle') FROM pprepub.failed_answer;

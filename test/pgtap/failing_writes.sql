-- A source whose code writes may meet who writes the same: that is an error of the source's like any other, answered
-- as if there were nobody. Whoever asks could bring it about, and would learn for nothing that the code has run.
CREATE EXTENSION IF NOT EXISTS dblink;
CREATE TABLE counter AS SELECT 1 AS n;
CREATE TABLE people AS SELECT i AS id, i AS age, 'd' || i % 4 AS disease FROM generate_series(1, 40) i;
SELECT format('host=%s port=%s dbname=%s user=%s', split_part(current_setting('unix_socket_directories'), ',', 1),
	current_setting('port'), current_database(), session_user) AS here \gset
CREATE FUNCTION count_reader(here text, id int) RETURNS int LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
	IF id = 7 THEN
		PERFORM dblink_exec(here, 'UPDATE counter SET n = n + 1');
		UPDATE counter SET n = n + 1;
	END IF;
	RETURN id;
END $$;
CREATE VIEW counted AS SELECT count_reader(:'here', id) AS id, age, disease FROM people;
SELECT pprepub.create_publication('counted', 'counted', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}') \g /dev/null
SELECT results_eq('SELECT count(*) FROM published.counted(''age > 20'')', 'VALUES (20::bigint)', 'an answer about others');
SELECT results_eq('SELECT count(*) FROM published.counted(''age < 20'')', 'VALUES (0::bigint)', 'one that fails for somebody is empty');
SELECT results_eq('SELECT number, rows FROM pprepub.release', 'VALUES (1, 20::bigint), (2, 0::bigint)', 'and counts');
SELECT results_eq('SELECT release, sqlstate FROM pprepub.failed_answer', $$ VALUES (2, '40001') $$, 'the owner is told');

-- Releases that take several blocks of the table of paths, which stand in any order.
BEGIN;

CREATE TABLE people AS SELECT i AS id, 20 + i % 50 AS age, 'd' || i % 9 AS ill FROM generate_series(1, 140000) i;
SELECT pprepub.create_publication('big', 'people', 'id', '{"age": "range"}', 'ill', 'm-invariance', '{"m": 4}') \g /dev/null
CREATE FUNCTION go_on() RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.publish('big');
	DELETE FROM people WHERE id % 10 = (SELECT count(*) FROM pprepub.release);
	INSERT INTO people SELECT i + (SELECT max(id) FROM people), 20 + i % 50, 'd' || i % 9 FROM generate_series(1, 14000) i;
$$;
SELECT go_on() FROM generate_series(1, 2) \g /dev/null
SELECT cmp_ok((SELECT min(n) FROM (SELECT count(*) AS n FROM published_private.big_paths GROUP BY release) b), '>', 1::bigint, 'some blocks a release');

-- Past all protection: the same rows, the last one first.
SET session_replication_role = replica;
SET allow_system_table_mods = on;
UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.big_paths'::regclass;
CREATE TEMP TABLE blocks AS TABLE published_private.big_paths;
TRUNCATE published_private.big_paths;
INSERT INTO published_private.big_paths SELECT * FROM blocks ORDER BY release DESC, rows DESC;

SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('big') WHERE NOT holds), NULL, 'audit() reads them in the order of people');
SELECT results_eq($q$ SELECT * FROM pprepub.rebuild_history('big') $q$, $q$ VALUES ('paths', true) $q$, 'and so does who makes them anew');
SELECT lives_ok('SELECT go_on()', 'publish() finds everybody');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('big') WHERE NOT holds), NULL, 'where he was');

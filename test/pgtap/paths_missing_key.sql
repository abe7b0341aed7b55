-- A key that is missing from the table of paths, of a type that stands behind a pointer.
BEGIN;
CREATE TABLE people AS SELECT 'p' || i AS id, 20 + i % 50 AS age, 'd' || i % 9 AS ill FROM generate_series(1, 200) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'm-invariance', '{"m": 4}') \g /dev/null
SELECT pprepub.publish('people') \g /dev/null

-- Past all protection
SET session_replication_role = replica;
SET allow_system_table_mods = on;
UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.people_paths'::regclass;
UPDATE published_private.people_paths SET keys[3] = NULL;
SELECT throws_ok($$ SELECT pprepub.publish('people') $$, 'XX001', 'the paths of publication "people" are malformed', 'somebody without a key is refused');
SELECT throws_ok($$ SELECT FROM pprepub.audit('people') $$, 'XX001', 'the paths of publication "people" are malformed', 'audit() refuses him, too');
SELECT results_eq($$ SELECT * FROM pprepub.rebuild_history('people') $$, $$ VALUES ('paths', false) $$, 'the log knows his');
SELECT lives_ok($$ SELECT pprepub.publish('people') $$, 'and life goes on');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('people') WHERE NOT holds), NULL, 'all holds');

-- A table that a parameter names is read as the publication's owner, whoever calls, and its copy is the owner's alone.
BEGIN;
SET client_min_messages = warning;
CREATE ROLE regress_keeper;
CREATE ROLE regress_stranger;
CREATE ROLE regress_member IN ROLE regress_keeper;
SELECT lives_ok($$ GRANT CREATE ON SCHEMA public TO regress_keeper $$, 'roles');
SELECT format('GRANT CREATE ON DATABASE %I TO regress_keeper', current_database()) AS grant_create \gexec
SET ROLE regress_keeper;
CREATE TABLE ills (id int PRIMARY KEY, age int, ill text);
INSERT INTO ills SELECT i, i % 50, (ARRAY['a', 'b', 'c', 'd'])[1 + i % 4] FROM generate_series(1, 40) i;
\i test/lib/spy.sql
CREATE VIEW hostile AS SELECT a AS from_value, b AS to_value FROM unnest(ARRAY['a', 'b', 'c', 'd']) a, unnest(ARRAY['a', 'b', 'c', 'd']) b WHERE public.spy();
RESET ROLE;

-- A superuser publishes somebody's table, with somebody's view: it runs as that somebody.
SELECT lives_ok($$ SELECT pprepub.create_publication('ills', 'ills', 'id', '{"age": "range"}', 'ill', 'm-distinct', '{"m": 2, "updates": "hostile"}') $$,
	'a superuser names a hostile view');
SELECT results_eq('SELECT DISTINCT who, super FROM known', $$ VALUES ('regress_keeper'::text COLLATE "C", false) $$, 'which runs as the owner, and cannot become anybody else');
SELECT is((SELECT relowner::regrole::text FROM pg_class WHERE oid = 'published_private.ills_updates'::regclass), 'regress_keeper', 'the copy is the owner''s');
SELECT is((SELECT count(*) FROM published_private.ills_updates), 16::bigint, 'with all rows');
SELECT ok(NOT has_table_privilege('regress_stranger', 'published_private.ills_updates', 'SELECT'), 'strangers cannot read it');
TRUNCATE known;
SELECT lives_ok($$ SELECT pprepub.alter_publication('ills', '{}') $$, 'it is copied again');
SELECT results_eq('SELECT DISTINCT who, super FROM known', $$ VALUES ('regress_keeper'::text COLLATE "C", false) $$, 'as the owner, too');
SELECT results_eq($$ SELECT tgenabled::text COLLATE "C", tgname::text COLLATE "C" FROM pg_trigger WHERE tgrelid = 'published_private.ills_updates'::regclass $$,
	$$ VALUES ('A'::text COLLATE "C", 'pprepub_seal'::text COLLATE "C") $$, 'the new copy is sealed');

-- A member names what the owner may read, by the member's own search path.
SET ROLE regress_keeper;
CREATE SCHEMA mine;
CREATE TABLE mine.here AS TABLE hostile;
SET ROLE regress_member;
SET search_path = mine, public;
SELECT lives_ok($$ SELECT pprepub.alter_publication('ills', '{"updates": "here"}') $$, 'a member names a table by his search path');
SET search_path = public;
SELECT is((SELECT params->>'updates' FROM pprepub.publication), 'mine.here', 'which is kept with its schema');
SELECT lives_ok($$ SELECT pprepub.alter_publication('ills', '{}') $$, 'and found again without it');
SET ROLE regress_stranger;
SELECT throws_ok($$ SELECT pprepub.alter_publication('ills', '{"updates": "mine.here"}') $$, '42501', NULL, 'strangers may not');
SELECT throws_ok($$ SELECT * FROM pprepub.risk_after_updates('ills') $$, '42501', NULL, 'nor ask for risks');
RESET ROLE;

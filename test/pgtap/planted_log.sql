-- A relation that another role left in TARGET_private, when it could still create there, is not taken for the log.
BEGIN;
CREATE ROLE regress_crony;
CREATE ROLE regress_owner;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_owner', current_database()) \gexec
CREATE SCHEMA out; CREATE SCHEMA out_private;
GRANT USAGE, CREATE ON SCHEMA out_private TO regress_crony;
SET ROLE regress_crony;
CREATE FUNCTION out_private.g() RETURNS void LANGUAGE plpgsql AS $$ BEGIN IF current_user <> 'regress_crony' THEN EXECUTE 'ALTER ROLE regress_crony SUPERUSER'; END IF; END $$;
CREATE FUNCTION out_private.f(int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM out_private.g(); RETURN $1; END $$;
CREATE TABLE out_private.p_members (release int, key int, class bigint, sensitive text);
CREATE INDEX ON out_private.p_members (out_private.f(release));
RESET ROLE;
REVOKE CREATE ON SCHEMA out_private FROM regress_crony;	-- as create_publication's hint asks
CREATE TABLE t AS SELECT i AS id, i%10 AS age, 'd'||i%5 AS d FROM generate_series(1,100) i;
SELECT throws_ok($$ SELECT pprepub.create_publication('p','t','id','{"age":"range"}','d','bpg','{"k":3,"l":2}', target=>'out') $$,
	'42P07', NULL, 'a name that is taken is refused at once');
ALTER TABLE out_private.p_members RENAME TO elsewhere;
SELECT pprepub.create_publication('p','t','id','{"age":"range"}','d','bpg','{"k":3,"l":2}', target=>'out');
ALTER TABLE out_private.elsewhere RENAME TO p_members;
SELECT throws_ok($$ SELECT pprepub.publish('p') $$, '42P07', NULL, 'and at the first release');
SELECT is((SELECT count(*) FROM pprepub.class_members('p')), 0::bigint, 'it is not read either');
DROP TABLE out_private.p_members;
CREATE TABLE out_private.p_asked (release int, key int, class bigint, sensitive text);
SELECT throws_ok($$ SELECT pprepub.publish('p') $$, '42P07', NULL, 'nor is the other part of it taken over');
DROP TABLE out_private.p_asked;
SELECT count(*) FROM pprepub.publish('p');
SELECT ok(NOT rolsuper, 'the crony is no superuser') FROM pg_roles WHERE rolname = 'regress_crony';
SELECT is(relowner::regrole::text, session_user::text, relname || ' is the owner''s') FROM pg_class WHERE relname IN ('p_members', 'p_asked');
SELECT is((SELECT count(*) FROM pg_trigger WHERE tgrelid IN ('out_private.p_members'::regclass, 'out_private.p_asked'::regclass) AND tgname = 'pprepub_seal'), 2::bigint, 'both parts of the log are sealed');
SELECT is((SELECT count(*) FROM pprepub_internal.catalog_relation WHERE relation IN ('out_private.p_members'::regclass, 'out_private.p_asked'::regclass)), 2::bigint, 'and protected');

-- Default privileges of the role that creates the extension open its catalog.
BEGIN;
CREATE ROLE regress_greedy;
DROP EXTENSION pprepub;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC, regress_greedy;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO PUBLIC, regress_greedy;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO PUBLIC, regress_greedy;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO regress_greedy WITH GRANT OPTION;
CREATE EXTENSION pprepub;
SELECT is_empty($$ SELECT c.relname, a.grantee::regrole, a.privilege_type FROM pg_class c, aclexplode(relacl) a
	WHERE relnamespace IN ('pprepub'::regnamespace, 'pprepub_internal'::regnamespace) AND relkind IN ('r', 'S') AND a.grantee <> relowner $$, 'nobody has rights on the catalog');
SELECT is_empty($$ SELECT c.relname, a.grantee::regrole, a.privilege_type FROM pg_class c, aclexplode(relacl) a
	WHERE relnamespace IN ('pprepub'::regnamespace, 'pprepub_internal'::regnamespace) AND relkind = 'v' AND a.grantee <> relowner AND a.privilege_type <> 'SELECT' $$, 'views are read only');
SELECT ok(has_function_privilege('public', 'pprepub.publish(text, text, name[])', 'EXECUTE'), 'its functions are everybody''s, and check for themselves');
SELECT ok(NOT has_function_privilege('regress_greedy', 'pprepub_internal.protect()', 'EXECUTE'), 'but those that events call');
SELECT ok(NOT has_schema_privilege('regress_greedy', schema, 'CREATE'), 'nobody creates in ' || schema) FROM (VALUES ('pprepub'), ('pprepub_internal')) s(schema);
-- The view of publications is updatable for whoever has the right.
CREATE ROLE regress_owner;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_owner', current_database()) \gexec
CREATE SCHEMA ward AUTHORIZATION regress_owner;
SET ROLE regress_owner;
CREATE TABLE ward.t AS SELECT i AS id, i%10 AS age, 'd'||i%5 AS d FROM generate_series(1,100) i;
SELECT pprepub.create_publication('p','ward.t','id','{"age":"range"}','d','bpg','{"k":30,"l":2}', target=>'out');
SELECT count(*) FROM pprepub.publish('p');
SELECT throws_ok($$ UPDATE pprepub.publication SET releases = 0 $$, NULL, NULL, 'the view is for reading');
RESET ROLE;
SELECT is((SELECT releases || ' ' || (params ->> 'k') FROM pprepub_internal.catalog_publication), '1 30', 'an owner does not rewrite the catalog');

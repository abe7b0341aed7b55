-- Rights on what is made, whatever default privileges say; what each role may call and see.
BEGIN;

CREATE ROLE regress_owner;
CREATE ROLE regress_greedy;
CREATE ROLE regress_stranger;
CREATE ROLE regress_auditor;
CREATE ROLE regress_visitor NOINHERIT;
GRANT regress_owner TO regress_auditor, regress_visitor;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_owner, regress_stranger', current_database()) \gexec
CREATE SCHEMA ward AUTHORIZATION regress_owner;
CREATE SCHEMA street AUTHORIZATION regress_stranger;

-- 'done', or the SQLSTATE, message, detail and hint of the error.
CREATE FUNCTION as_role(role name, sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
	hint text;
BEGIN
	PERFORM set_config('role', role, true);
	EXECUTE sql;
	PERFORM set_config('role', 'none', true);
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws('|', SQLSTATE, message, nullif(detail, ''), nullif(hint, ''));
END
$$;
CREATE FUNCTION error_as(role name, sql text) RETURNS text LANGUAGE sql AS $$ SELECT left(as_role(role, sql), 5) $$;

-- How many rows a role gets.
CREATE FUNCTION rows_as(role name, sql text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	PERFORM set_config('role', role, true);
	EXECUTE format('SELECT count(*) FROM (%s) s', sql) INTO n;
	PERFORM set_config('role', 'none', true);
	RETURN n;
END
$$;

-- Rights of others than the owner on relations and schemas of a target.
CREATE FUNCTION granted(schema text) RETURNS TABLE (object text, grantee text, privilege text) LANGUAGE sql AS $$
	SELECT c.relname::text, coalesce(r.rolname, 'PUBLIC')::text, a.privilege_type::text
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN aclexplode(c.relacl) a
		LEFT JOIN pg_roles r ON r.oid = a.grantee
	WHERE n.nspname = schema AND a.grantee <> c.relowner AND c.relname <> 'catalog'
	UNION ALL
	SELECT n.nspname::text, coalesce(r.rolname, 'PUBLIC')::text, a.privilege_type::text
	FROM pg_namespace n CROSS JOIN aclexplode(n.nspacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
	WHERE n.nspname = schema AND a.grantee <> n.nspowner
$$;
-- Rights on columns.
CREATE FUNCTION granted_columns(schema text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT c.relname || '.' || a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
	WHERE c.relnamespace = schema::regnamespace AND a.attacl IS NOT NULL
$$;

SET ROLE regress_owner;
CREATE TABLE ward.people AS SELECT i AS id, i % 10 AS age, 'd' || i % 5 AS disease FROM generate_series(1, 40) i;
CREATE TABLE ward.others AS SELECT * FROM ward.people;
CREATE TABLE ward.thirds AS SELECT * FROM ward.people;
CREATE TABLE ward.levels AS SELECT 'leaf' AS leaf, 'root' AS root;
RESET ROLE;

-- ---- Default privileges of the owner ----

-- For all that the owner makes, the owner's own rights withheld
SET ROLE regress_owner;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC, regress_greedy, regress_stranger;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO regress_greedy WITH GRANT OPTION;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO PUBLIC, regress_greedy;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO PUBLIC, regress_greedy;
ALTER DEFAULT PRIVILEGES GRANT ALL ON FUNCTIONS TO PUBLIC, regress_greedy;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TYPES TO PUBLIC, regress_greedy;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM regress_owner;
SELECT pprepub.create_publication('people', 'ward.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2, "l": 2}',
	target => 'out') \g /dev/null
RESET ROLE;
SELECT is_empty($$ SELECT * FROM granted('out') $$, 'default privileges: nobody has rights on the target');
SELECT is_empty($$ SELECT * FROM granted('out_private') $$, 'nor on the private schema and the pinned view');
SELECT is(error_as('regress_owner', $$ SELECT * FROM pprepub.publish('people') $$), 'done', 'publish works though the owner''s own rights are withheld');
SELECT is_empty($$ SELECT * FROM granted('out') $$, 'nobody has rights on release and view');
SELECT is_empty($$ SELECT * FROM granted('out_private') $$, 'nobody has rights on the log');
SELECT is_empty($$ SELECT * FROM granted_columns('out') UNION ALL SELECT * FROM granted_columns('out_private') $$, 'nor on a column');
SELECT is(rows_as('regress_owner', relation) > 0, true, 'the owner reads ' || relation)
	FROM (VALUES ('TABLE out.people'), ('TABLE out.people_1'), ('TABLE out_private.people_members'), ('TABLE out_private.people_source')) v(relation);
SELECT is(error_as(role, 'SELECT * FROM ' || relation), '42501', role || ' does not read ' || relation)
	FROM (VALUES ('out.people'), ('out.people_1'), ('out_private.people_members'), ('out_private.people_asked'), ('out_private.people_source')) v(relation),
		(VALUES ('regress_greedy'), ('regress_stranger')) r(role);
SELECT is(proacl::text, '{regress_owner=X/regress_owner}', 'the function that answers is the owner''s alone') FROM pg_proc WHERE oid = 'out.people'::regproc;
SELECT is(error_as('regress_owner', 'GRANT INSERT ON out.people TO regress_greedy; SELECT pprepub.publish(''people'')'), 'done', 'another right on the view than to read it');
SELECT ok(NOT has_table_privilege('regress_greedy', 'out.people_2', 'SELECT'), 'lets nobody read the next release');
SELECT is(error_as('regress_owner', $$ SELECT pprepub.drop_publication('people', true) $$), 'done', 'the owner drops it');
SELECT is(error_as('regress_owner', $$ DROP SCHEMA out, out_private $$), 'done', 'and the schemas');

-- In the schemas, made beforehand; a superuser publishes
SET ROLE regress_owner;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM PUBLIC, regress_greedy, regress_stranger;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON SCHEMAS FROM PUBLIC, regress_greedy;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO regress_owner;
CREATE SCHEMA out;
CREATE SCHEMA out_private;
ALTER DEFAULT PRIVILEGES IN SCHEMA out, out_private GRANT ALL ON TABLES TO PUBLIC, regress_greedy;
ALTER DEFAULT PRIVILEGES IN SCHEMA out, out_private GRANT SELECT ON TABLES TO regress_stranger WITH GRANT OPTION;
GRANT USAGE ON SCHEMA out, out_private TO PUBLIC;
RESET ROLE;
SELECT lives_ok($$ SELECT pprepub.create_publication('people', 'ward.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2, "l": 2}',
	target => 'out') $$, 'a superuser declares it');
SELECT lives_ok($$ SELECT pprepub.publish('people') $$, 'a superuser publishes it');
SELECT results_eq($$ SELECT * FROM granted('out') $$, $$ VALUES ('out', 'PUBLIC', 'USAGE') $$, 'default privileges in schema: none on release and view');
SELECT results_eq($$ SELECT * FROM granted('out_private') $$, $$ VALUES ('out_private', 'PUBLIC', 'USAGE') $$, 'none on the private relations');
SELECT is(error_as(role, 'SELECT * FROM ' || relation), '42501', role || ' does not read ' || relation)
	FROM (VALUES ('out.people'), ('out.people_1'), ('out_private.people_members'), ('out_private.people_asked'), ('out_private.people_source')) v(relation),
		(VALUES ('regress_greedy'), ('regress_stranger')) r(role);
SELECT is(error_as('regress_owner', 'GRANT SELECT ON out.people TO regress_stranger'), 'done', 'the owner grants the view');
SELECT is(rows_as('regress_stranger', 'SELECT * FROM out.people'), 40::bigint, 'which is all that an analyst needs');
SELECT is(error_as('regress_stranger', 'SELECT * FROM ward.people'), '42501', 'the source stays closed');

-- Schemas that others could plant in
SELECT is(error_as('regress_owner', 'CREATE SCHEMA mine; CREATE SCHEMA mine_private; GRANT CREATE ON SCHEMA mine_private TO regress_stranger'), 'done', 'a private schema that others may create in');
SELECT is(error_as('regress_owner', $$ SELECT pprepub.create_publication('others', 'ward.others', 'id', '{"age": "range"}', 'disease', 'bpg',
	'{"k": 2}', target => 'mine') $$), '42P15', 'is refused');
SELECT is(error_as('regress_owner', $$ SELECT pprepub.create_publication('others', 'ward.others', 'id', '{"age": "range"}', 'disease', 'bpg',
	'{"k": 2}', target => 'street') $$), '42501', 'so is one that is another role''s');
SELECT throws_ok($$ SELECT pprepub.create_publication('others', 'ward.others', 'id', '{"age": "range"}', 'disease', 'bpg',
	'{"k": 2}', target => 'street') $$, '42501', NULL, 'for a superuser, too');

-- ---- The extension's own objects ----

CREATE TEMP VIEW member AS
	SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
	WHERE e.extname = 'pprepub' AND d.deptype = 'e';

SELECT is_empty($$ SELECT objid::regprocedure FROM member WHERE classid = 'pg_proc'::regclass AND obj_description(objid, 'pg_proc') IS NULL $$,
	'every function has a comment');
SELECT is_empty($$ SELECT objid::regclass FROM member JOIN pg_class c ON c.oid = objid WHERE classid = 'pg_class'::regclass AND relkind IN ('r', 'v')
	AND obj_description(objid, 'pg_class') IS NULL $$, 'every table and view has a comment');
SELECT is_empty($$ SELECT objid::regprocedure FROM member JOIN pg_proc p ON p.oid = objid WHERE classid = 'pg_proc'::regclass AND prosecdef $$,
	'no function is SECURITY DEFINER');
-- test/lint/spot reads the bodies of those that are left: they are qualified, and inlined.
SELECT set_eq($$ SELECT objid::regprocedure::text FROM member JOIN pg_proc p ON p.oid = objid JOIN pg_language l ON l.oid = prolang WHERE classid = 'pg_proc'::regclass
	AND lanname NOT IN ('c', 'internal') AND prosqlbody IS NULL AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY (proconfig), false) $$,
	ARRAY['pprepub.is_withheld(anyrange)', 'pprepub.is_withheld(text)', 'pprepub.lies_in(anyrange,anyrange)', 'pprepub.touches(anyrange,anyrange)', 'pprepub.share_in(anyrange,anyrange)',
		'pprepub.share_in(anyrange,anyrange,anyrange)', 'pprepub.share_in(text,text)'], 'others fix search_path, or were parsed when they were made');
SELECT set_eq($$ SELECT p.proname::text FROM member JOIN pg_proc p ON p.oid = objid WHERE classid = 'pg_proc'::regclass
	AND NOT has_function_privilege('regress_stranger', p.oid, 'EXECUTE') $$, '{protect}'::text[], 'PUBLIC executes all that checks for itself');
SELECT set_eq($$ SELECT c.relname::text FROM member JOIN pg_class c ON c.oid = objid WHERE classid = 'pg_class'::regclass AND relkind <> 'S'
	AND has_table_privilege('regress_stranger', c.oid, 'SELECT') $$, '{taxonomy_node,shard,catalog,auditor,erasure,publication,release,failed_answer,noise,progress,storage,health,attempt,measured,counted_view,counted_column,counted_node,shown_root,shown_checksum}'::text[], 'PUBLIC reads the views only');
SELECT is_empty($$ SELECT c.oid::regclass, p FROM member JOIN pg_class c ON c.oid = objid, unnest('{INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}'::text[]) p
	WHERE classid = 'pg_class'::regclass AND relkind <> 'S' AND has_table_privilege('regress_stranger', c.oid, p) $$, 'and writes nothing');
SELECT is_empty($$ SELECT seqrelid::regclass FROM member JOIN pg_sequence ON seqrelid = objid AND classid = 'pg_class'::regclass
	WHERE has_sequence_privilege('regress_stranger', seqrelid, 'USAGE, SELECT, UPDATE') $$, 'nor draws numbers');
SELECT is_empty($$ SELECT c.oid::regclass FROM member JOIN pg_class c ON c.oid = objid
	WHERE classid = 'pg_class'::regclass AND relkind = 'v' AND NOT c.reloptions @> '{security_barrier=true}' $$, 'views are security barriers');
SELECT ok(has_schema_privilege('regress_stranger', schema, 'USAGE') AND NOT has_schema_privilege('regress_stranger', schema, 'CREATE'),
	schema || ': PUBLIC uses the schema and creates nothing in it') FROM (VALUES ('pprepub'), ('pprepub_internal')) s(schema);
SELECT is_empty($$ SELECT c.oid::regclass FROM member JOIN pg_class c ON c.oid = objid
	WHERE classid = 'pg_class'::regclass AND relnamespace = 'pprepub'::regnamespace AND relkind <> 'v' $$, 'tables and sequences are internals');
SELECT is_empty($$ SELECT p.oid::regprocedure FROM member JOIN pg_proc p ON p.oid = objid WHERE classid = 'pg_proc'::regclass
	AND pronamespace = 'pprepub'::regnamespace AND (prorettype IN ('trigger'::regtype, 'event_trigger'::regtype, 'fdw_handler'::regtype, 'table_am_handler'::regtype)
		OR 'oid'::regtype = ANY (proargtypes)) $$, 'so are functions that only the server calls');
SELECT set_eq($$ SELECT DISTINCT nspname FROM member JOIN pg_proc p ON p.oid = objid JOIN pg_namespace n ON n.oid = pronamespace WHERE classid = 'pg_proc'::regclass $$,
	'{pprepub,pprepub_internal}'::name[], 'no function stands elsewhere');
-- A right on paper is one thing; this is what comes of trying.
SELECT is(error_as(role, format(sql, c.oid::regclass)), '42501', role || ': ' || format(sql, c.relname))
	FROM member JOIN pg_class c ON c.oid = objid AND classid = 'pg_class'::regclass AND c.relkind = 'r',
		(VALUES ('SELECT FROM %s'), ('DELETE FROM %s'), ('TRUNCATE %s'), ('CREATE TRIGGER t BEFORE INSERT ON %s FOR EACH STATEMENT EXECUTE FUNCTION pprepub_internal.refuse_change()')) s(sql),
		(VALUES ('regress_stranger'), ('regress_owner')) r(role)
	ORDER BY c.relname COLLATE "C", sql COLLATE "C", role;
SELECT is_empty($$ SELECT * FROM pg_stats WHERE schemaname IN ('pprepub', 'pprepub_internal') AND has_table_privilege('regress_stranger', schemaname || '.' || tablename, 'SELECT') $$,
	'statistics of the catalog are nobody''s');

-- ---- Somebody else's publication ----

-- Whatever the arguments, and however things stand, a stranger hears one thing.
CREATE TEMP TABLE call (sql text);
INSERT INTO call VALUES
	($$ SELECT pprepub.publish('people') $$),
	($$ SELECT pprepub.preview('people') $$),
	($$ SELECT pprepub.preview('people', params => '{"k": 1}') $$),
	($$ SELECT pprepub.preview('people', params => '{"no such": 1}') $$),
	($$ SELECT pprepub.forecast('people', 3) $$),
	($$ SELECT pprepub.forecast('people', 3, 0.1, params => '{"no such": 1}') $$),
	($$ SELECT pprepub.import_release('people', 'pg_class') $$),
	($$ SELECT pprepub.import_release('people', 0) $$),
	($$ SELECT pprepub.metrics('people', 1) $$),
	($$ SELECT pprepub.metrics('people', 99) $$),
	($$ SELECT pprepub.metrics('people', NULL) $$),
	($$ SELECT pprepub.class_members('people') $$),
	($$ SELECT pprepub.withheld('people') $$),
	($$ SELECT pprepub.withheld_keys('people') $$),
	($$ SELECT pprepub.attack('people') $$),
	($$ SELECT pprepub.assert_safe('people') $$),
	($$ SELECT pprepub.risks('people', 1) $$),
	($$ SELECT pprepub.risks('people', 99) $$),
	($$ SELECT pprepub.report('people') $$),
	($$ SELECT pprepub.report('people', true) $$),
	($$ SELECT pprepub.explore('people') $$),
	($$ SELECT pprepub.explore('people', '{"k": 3}') $$),
	($$ SELECT pprepub.grant_audit('people', 'regress_stranger') $$),
	($$ SELECT pprepub.revoke_audit('people', 'regress_stranger') $$),
	($$ SELECT pprepub.audit('people') $$),
	($$ SELECT pprepub.linkability('people') $$),
	($$ SELECT pprepub.linkability('people', '{99}') $$),
	($$ SELECT pprepub.link_profile('people') $$),
	($$ SELECT pprepub.groups('people') $$),
	($$ SELECT pprepub.linked_values('people') $$),
	($$ SELECT pprepub.historical_correlations('people') $$),
	($$ SELECT pprepub.compromise('people', '{}') $$),
	($$ SELECT pprepub.rebuild_history('people') $$),
	($$ SELECT pprepub.acknowledge_history('people') $$),
	($$ SELECT pprepub.schedule('people', '0 3 * * 1') $$),
	($$ SELECT pprepub.schedule('people', 'no such') $$),
	($$ SELECT pprepub.unschedule('people') $$),
	($$ SELECT pprepub.publish('people', columns => '{no such}') $$),
	($$ SELECT pprepub.alter_publication('people', '{}') $$),
	($$ SELECT pprepub.alter_publication('people', '{"k": 1}') $$),
	($$ SELECT pprepub.alter_publication('people', '{"no such": 1}') $$),
	($$ SELECT pprepub.alter_publication('people', '{"accept_weakening": 3}') $$),
	($$ SELECT pprepub.alter_publication('people', '{"k": 9, "accept_lockout": true}') $$),
	($$ SELECT pprepub.alter_publication('people', '[]') $$),
	($$ SELECT pprepub.drop_publication('people') $$),
	($$ SELECT pprepub.drop_publication('people', true) $$),
	($$ SELECT pprepub.drop_publication('people', NULL) $$);
-- Auditors may call some of them, and strangers are told so.
CREATE FUNCTION refusal(sql text, name text) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN sql ~ 'pprepub\.(metrics|withheld|attack|audit|assert_safe|linkability|historical_correlations|risks|report)\('
		THEN format('42501|must be owner or auditor of publication "%s"|Its owner can call pprepub.grant_audit().', name)
		ELSE format('42501|must be owner of publication "%s"', name) END
$$;
SELECT is(as_role(role, sql), refusal(sql, 'people'), role || ':' || sql)
	FROM call, (VALUES ('regress_stranger'), ('regress_visitor')) r(role);
-- Again while nothing was published yet, and once the source is somebody else's.
SELECT is(error_as('regress_owner', $$ SELECT pprepub.create_publication('fresh', 'ward.thirds', 'id', '{"age": "range"}', 'disease', 'bpg',
	'{"k": 2, "l": 2}', target => 'out') $$), 'done', 'a fresh publication');
SELECT is(as_role('regress_stranger', replace(sql, 'people', 'fresh')), refusal(sql, 'fresh'), 'fresh:' || sql) FROM call;
ALTER TABLE ward.people OWNER TO regress_greedy;
SELECT is(as_role('regress_stranger', sql), refusal(sql, 'people'), 'moved:' || sql) FROM call;
SELECT is(error_as('regress_owner', sql), CASE WHEN sql ~ 'alter_' THEN '42501' ELSE '55000' END, 'for its former owner it fails closed:' || sql)
	FROM call WHERE sql !~ 'NULL|99|no such|\[]|accept';
SELECT is(error_as('regress_greedy', sql), '42501', 'for its new owner, too:' || sql)
	FROM call WHERE sql !~ 'NULL|99|alter_';
SELECT throws_ok(sql, '55000', NULL, 'and for a superuser:' || sql) FROM call WHERE sql !~ 'NULL|99|alter_';
ALTER TABLE ward.people OWNER TO regress_owner;
SELECT is(as_role('regress_stranger', $$ SELECT pprepub.publish('absent') $$),
	'42704|publication "absent" does not exist|Declare it with pprepub.create_publication().', 'a publication that does not exist');

-- Taking its name, its source, its target, its taxonomy
SELECT is(as_role('regress_stranger', 'CREATE TABLE street.people AS SELECT i AS id, i % 10 AS age, ''d'' || i % 5 AS disease FROM generate_series(1, 40) i'), 'done', 'a stranger has people, too');
SELECT is(as_role('regress_stranger', $$ SELECT pprepub.create_publication('people', 'street.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2}', target => 'street_out') $$),
	'42710|publication "people" already exists', 'a name that is taken says so and no more');
SELECT is(error_as('regress_stranger', $$ SELECT pprepub.create_publication('mine', 'street.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2}', target => 'out') $$),
	'42501', 'another''s target is refused');
GRANT USAGE ON SCHEMA ward TO regress_stranger;
SELECT is(as_role('regress_stranger', $$ SELECT pprepub.create_publication('mine', 'ward.thirds', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2}', target => 'street_out') $$),
	'42501|must be owner of table thirds', 'another''s source is refused');
SELECT is(as_role('regress_stranger', $$ SELECT pprepub.create_publication('mine', 'ward.thirds', 'nothing', '{"nothing": "nothing"}', 'nothing', 'bpg', '{"k": 2}', target => 'street_out') $$),
	'42501|must be owner of table thirds', 'before its columns are looked at');
SELECT is(error_as('regress_owner', $$ SELECT pprepub.create_taxonomy('tree', 'ward.levels') $$), 'done', 'a taxonomy');
SELECT is(error_as('regress_stranger', sql), '42501', 'is its owner''s:' || sql) FROM (VALUES
	($$ SELECT pprepub.drop_taxonomy('tree') $$),
	($$ SELECT pprepub.extend_taxonomy('tree', 'street.people') $$),
	($$ SELECT pprepub.create_taxonomy('theirs', 'ward.levels') $$)) v(sql);
SELECT is(rows_as('regress_stranger', $$ SELECT * FROM pprepub.taxonomy_node WHERE taxonomy = 'tree' $$), 2::bigint, 'but any role reads it');

-- ---- Views ----

SELECT is(error_as('regress_stranger', $$ SELECT pprepub.create_publication('streets', 'street.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2, "l": 2}', target => 'street_out') $$),
	'done', 'a stranger declares');
SELECT is(error_as('regress_stranger', $$ SELECT pprepub.publish('streets') $$), 'done', 'and publishes');
SELECT is(rows_as(role, format('SELECT * FROM pprepub.release WHERE publication = %L', name)), n, format('%s sees %s release(s) of %s', role, n, name))
	FROM (VALUES ('regress_owner', 'people', 1::bigint), ('regress_owner', 'streets', 0), ('regress_stranger', 'people', 0), ('regress_stranger', 'streets', 1),
		('regress_auditor', 'people', 1), ('regress_auditor', 'streets', 0), ('regress_visitor', 'people', 0), ('regress_greedy', 'people', 0)) v(role, name, n);
SELECT is(rows_as(role, format('SELECT * FROM pprepub.publication WHERE name = %L', name)), n, format('%s sees %s declaration(s) of %s', role, n, name))
	FROM (VALUES ('regress_owner', 'people', 1::bigint), ('regress_owner', 'streets', 0), ('regress_stranger', 'people', 0), ('regress_stranger', 'streets', 1),
		('regress_auditor', 'fresh', 1), ('regress_auditor', 'streets', 0), ('regress_visitor', 'people', 0), ('regress_greedy', 'people', 0)) v(role, name, n);
-- A condition that tells what it is given
CREATE TABLE street.leak (word text);
ALTER TABLE street.leak OWNER TO regress_stranger;
SELECT is(as_role('regress_stranger', $$ CREATE FUNCTION street.leak(word text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS
	'BEGIN INSERT INTO street.leak VALUES (word); RETURN true; END' $$), 'done', 'a leaky condition');
SELECT is(as_role('regress_stranger', 'SELECT FROM pprepub.release WHERE street.leak(publication)'), 'done', 'on the view of releases');
SELECT is(as_role('regress_stranger', 'SELECT FROM pprepub.publication WHERE street.leak(name) AND street.leak(target) AND street.leak(sensitive)'), 'done',
	'on the view of publications');
SELECT set_eq('TABLE street.leak', '{streets,street_out,disease}'::text[], 'sees the stranger''s own only');
SELECT ok(error_as('regress_stranger', sql) IN ('42501', '55000'), 'views do not write:' || sql) FROM (VALUES
	($$ DELETE FROM pprepub.release $$), ($$ UPDATE pprepub.publication SET releases = 0 $$), ($$ DELETE FROM pprepub.publication $$), ($$ UPDATE pprepub.taxonomy_node SET node = 'x' $$),
	($$ INSERT INTO pprepub.release (publication) VALUES ('x') $$)) v(sql);

-- An auditor is granted the owner's role; one who does not inherit it must take it up.
SELECT is(error_as('regress_auditor', sql), 'done', 'an auditor:' || sql) FROM call
	WHERE sql ~ '(metrics|members|groups|statistics|correlations|compromise|attack|intact)' AND sql !~ 'NULL|99';
SELECT is(rows_as('regress_auditor', $$ SELECT * FROM pprepub.class_members('people') $$), 40::bigint, 'reads all members');
SELECT is(error_as('regress_auditor', $$ SELECT pprepub.preview('fresh') $$), 'done', 'and previews');

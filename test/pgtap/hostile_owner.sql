-- A privileged role works on the publications of a role that is out for more rights:
-- whatever that role planted runs with its own rights, in a restricted context, or not at all.
BEGIN;
\i test/lib/mallory.sql

-- A publication of somebody else.
SELECT format('GRANT CREATE ON DATABASE %I TO regress_alice', current_database()) \gexec
CREATE SCHEMA alice AUTHORIZATION regress_alice;
SET ROLE regress_alice;
CREATE TABLE alice.people AS
	SELECT i AS id, i % 10 AS age, 'd' || i % 5 AS disease FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('alices', 'alice.people', 'id', '{"age": "range"}', 'disease',
	'bpg', '{"k": 2, "l": 2}', target => 'alices');
SELECT count(*) FROM pprepub.publish('alices') \g /dev/null
RESET ROLE;

-- The catalog of everybody but mallory.
CREATE FUNCTION catalog_of_others() RETURNS text LANGUAGE sql VOLATILE AS $$
	WITH mine AS (SELECT publication FROM pprepub_internal.catalog_publication WHERE owner <> 'regress_mallory'::regrole)
	SELECT md5(concat_ws('/',
		(SELECT string_agg(t::text, ';' ORDER BY t::text) FROM pprepub_internal.catalog_publication t WHERE publication IN (TABLE mine)),
		(SELECT string_agg(t::text, ';' ORDER BY t::text) FROM pprepub_internal.catalog_column t WHERE publication IN (TABLE mine)),
		(SELECT string_agg(t::text, ';' ORDER BY t::text) FROM pprepub_internal.catalog_relation t WHERE publication IN (TABLE mine)),
		(SELECT string_agg(t::text, ';' ORDER BY t::text) FROM pprepub_internal.catalog_release t WHERE publication IN (TABLE mine)),
		(SELECT string_agg(t::text, ';' ORDER BY t::text) FROM pprepub_internal.catalog_metric t WHERE publication IN (TABLE mine)),
		(SELECT string_agg(t::text, ';' ORDER BY t::text) FROM alices.alices_1 t),
		(SELECT string_agg(t::text, ';' ORDER BY t::text) FROM alices_private.alices_members t),
		(SELECT string_agg(t::text, ';' ORDER BY t::text) FROM alices_private.alices_asked t),
		(SELECT string_agg(t::text, ';' ORDER BY t::text) FROM vault.secret t),
		(SELECT string_agg(evtname::text || evtenabled::text, ';' ORDER BY evtname) FROM pg_event_trigger)))
$$;
CREATE TEMP TABLE before AS SELECT catalog_of_others() AS state;

-- The caller's own settings, which must come back.
CREATE FUNCTION session_state() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT concat_ws(' ', current_user, session_user, current_setting('role'), current_setting('search_path'),
		current_setting('row_security'), current_setting('DateStyle'), current_setting('TimeZone'),
		current_setting('default_table_access_method'), current_setting('session_replication_role'))
$$;
CREATE TEMP TABLE session_before AS SELECT session_state() AS state;

-- ---- Mallory's devices: each notes who it ran as ----

SET ROLE regress_mallory;

CREATE TABLE evil.witness (device text, ran_as name, outcome text);

CREATE FUNCTION evil.note(device text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO evil.witness VALUES (device, current_user, NULL);
END
$$;

-- Declared immutable, though it is not, to be allowed everywhere.
CREATE FUNCTION evil.pass(value int, device text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM evil.note_anyhow(device);
	RETURN value;
END
$$;
CREATE FUNCTION evil.note_anyhow(device text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO evil.witness VALUES (device, current_user, NULL);
END
$$;

CREATE TABLE evil.parent (class bigint);

CREATE FUNCTION evil.try(sql text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE sql;
	INSERT INTO evil.witness VALUES (sql, current_user, 'done');
EXCEPTION WHEN OTHERS THEN
	INSERT INTO evil.witness VALUES (sql, current_user, SQLSTATE);
END
$$;
CREATE FUNCTION evil.try_all(id int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF id OPERATOR(pg_catalog.=) 1 THEN
		PERFORM evil.try(sql) FROM (SELECT sql FROM evil.attempt ORDER BY number) a;
	END IF;
	RETURN id;
END
$$;
RESET ROLE;

-- Everything here must fail, for want of rights or because the context is restricted.
INSERT INTO forbidden VALUES
	(format('GRANT %I TO regress_mallory', session_user)),
	('CREATE TABLE alices.alices_2 ()'),
	('CREATE TABLE alices_private.mine ()'),
	('CREATE FUNCTION pprepub.mine() RETURNS int LANGUAGE sql AS ''SELECT 1'''),
	('DELETE FROM vault.secret'),
	('SELECT * FROM alices_private.alices_members'),
	('SELECT * FROM alices_private.alices_asked'),
	('SELECT * FROM alices.alices_1'),
	('INSERT INTO pprepub_internal.catalog_relation VALUES (''vault.secret'', 1, ''release'', 1)'),
	('DELETE FROM pprepub_internal.catalog_release'),
	('TRUNCATE pprepub_internal.catalog_relation'),
	('SELECT nextval(''pprepub_internal.catalog_publication_number'')'),
	('SELECT pprepub.publish(''alices'')'),
	('SELECT pprepub.preview(''alices'')'),
	('SELECT pprepub.forecast(''alices'', 2)'),
	('SELECT pprepub.import_release(''alices'', ''evil.people'', ''id'')'),
	('SELECT pprepub.import_release(''evil'', ''vault.secret'')'),
	('SELECT pprepub.class_members(''alices'')'),
	('SELECT pprepub.groups(''alices'')'),
	('SELECT pprepub.linkability(''alices'')'),
	('SELECT pprepub.link_profile(''alices'')'),
	('SELECT pprepub.linked_values(''alices'')'),
	('SELECT pprepub.metrics(''alices'', 1)'),
	('SELECT pprepub.alter_publication(''alices'', ''{"k": 9}'')'),
	('SELECT pprepub.drop_publication(''alices'', true)'),
	('ALTER EVENT TRIGGER pprepub_protect_drops DISABLE'),
	('CREATE EVENT TRIGGER mine ON ddl_command_end EXECUTE FUNCTION pprepub_internal.protect()'),
	('CREATE OR REPLACE FUNCTION pprepub_internal.refuse_change() RETURNS trigger LANGUAGE plpgsql AS ''BEGIN RETURN NEW; END'''),
	('ALTER FUNCTION pprepub.publish(text, text, name[]) OWNER TO regress_mallory'),
	('DROP EXTENSION pprepub CASCADE'),
	-- what would run later, with the rights of whoever is then there
	('DECLARE later CURSOR WITH HOLD FOR SELECT evil.note(''held cursor'')'),
	('PREPARE later AS SELECT evil.note(''prepared'')');
SET ROLE regress_mallory;
INSERT INTO evil.attempt (sql) SELECT sql FROM forbidden;
-- These may work, and must not matter.
INSERT INTO evil.attempt (sql) VALUES
	('SET search_path = evil, pg_catalog'),
	('SET row_security = on'),
	('SET DateStyle = ''German'''),
	('SET TimeZone = ''Asia/Tokyo'''),
	('SET quote_all_identifiers = on'),
	('SET extra_float_digits = -10'),
	('SET default_table_access_method = ''heap''');
-- In the search path that was just set, these stand in for what everybody uses.
CREATE FUNCTION evil.count(anyelement) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.note('planted count'); RETURN 1; END $$;
CREATE FUNCTION evil.shadow(int, int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM evil.note('planted operator'); RETURN true; END $$;
CREATE OPERATOR evil.= (FUNCTION = evil.shadow, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR evil.<> (FUNCTION = evil.shadow, LEFTARG = int, RIGHTARG = int);
CREATE TABLE evil.pg_class AS SELECT * FROM pg_catalog.pg_class LIMIT 1;

CREATE FUNCTION evil.fire() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM evil.note('trigger ' || TG_NAME);
	RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER deferred AFTER INSERT ON evil.deferred
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION evil.fire();

-- The source: generated column, default, check, triggers on the table; a domain with a
-- check function and the attempts in the view.
CREATE FUNCTION evil.check_value(value int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM evil.note('domain');
	RETURN true;
END
$$;
CREATE DOMAIN evil.checked AS int CHECK (evil.check_value(VALUE));
CREATE TABLE evil.people (
	id int PRIMARY KEY,
	age int DEFAULT evil.pass(1, 'default'),
	disease text,
	shoe int GENERATED ALWAYS AS (evil.pass(1, 'generated')) STORED,
	CHECK (evil.pass(1, 'check') = 1)
);
INSERT INTO evil.people SELECT i, i % 10, 'd' || i % 5 FROM generate_series(1, 40) i;
CREATE TRIGGER people AFTER INSERT OR UPDATE OR DELETE ON evil.people
	FOR EACH STATEMENT EXECUTE FUNCTION evil.fire();
CREATE VIEW evil.source AS
	SELECT evil.try_all(id) AS id, (age + 0)::evil.checked AS age, shoe, disease FROM evil.people;
DELETE FROM evil.witness;
RESET ROLE;

-- ---- A superuser declares, previews, publishes, alters, drops ----

CREATE FUNCTION ran() RETURNS TABLE (device text, ran_as name, outcome text) LANGUAGE sql VOLATILE AS
	'DELETE FROM evil.witness RETURNING *';
-- One row for all that a call let run: how often, and what ran as anybody but mallory.
CREATE FUNCTION gist(OUT runs bigint, OUT foreigners bigint, OUT breaches text) LANGUAGE sql VOLATILE AS $$
	SELECT count(*), count(*) FILTER (WHERE ran_as <> 'regress_mallory'),
		string_agg(device, '; ') FILTER (WHERE outcome = 'done' AND device IN (SELECT sql FROM forbidden))
	FROM ran()
$$;
CREATE FUNCTION aftermath(call text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	SET CONSTRAINTS ALL IMMEDIATE;	-- as a commit would
	SET CONSTRAINTS ALL DEFERRED;
	RETURN NEXT is(session_state(), (SELECT state FROM session_before), call || ' leaves the session as it was');
	RETURN NEXT is(catalog_of_others(), (SELECT state FROM before), call || ' changes nothing of others');
	RETURN NEXT ok(NOT (SELECT rolsuper FROM pg_roles WHERE rolname = 'regress_mallory'), call || ' makes nobody a superuser');
	RETURN NEXT is((SELECT count(*) FROM pg_event_trigger WHERE evtname ~ '^pprepub_protect' AND evtenabled = 'A'), 4::bigint,
		call || ' leaves the event triggers');
END
$$;

SELECT lives_ok($$ SELECT pprepub.create_publication('evil', 'evil.source', 'id', '{"age": "range"}', 'disease',
	'bpg', '{"k": 2, "l": 2}', insensitive => '{shoe}', target => 'evil_out') $$, 'a superuser declares a hostile source');
SELECT results_eq($$ SELECT runs > 0, foreigners, breaches FROM gist() $$,
	$$ VALUES (true, 0::bigint, NULL::text) $$, 'create_publication: counting insensitive values runs the source as the owner');
SELECT aftermath('create_publication');
SELECT is((SELECT array_agg(DISTINCT c.relowner::regrole::text) FROM pg_class c
	WHERE relnamespace IN ('evil_out'::regnamespace, 'evil_out_private'::regnamespace)),
	'{regress_mallory}', 'what was made belongs to the owner');

SELECT lives_ok($$ SELECT * FROM pprepub.preview('evil') $$, 'a superuser previews it');
SELECT results_eq($$ SELECT runs > 60, foreigners, breaches FROM gist() $$,
	$$ VALUES (true, 0::bigint, NULL::text) $$, 'preview: the devices ran, as the owner, and got nowhere');
SELECT aftermath('preview');
SELECT is((SELECT count(*) FROM pprepub.release WHERE publication = 'evil'), 0::bigint, 'preview published nothing');

SELECT lives_ok($$ SELECT * FROM pprepub.forecast('evil', 3) $$, 'a superuser forecasts it');
SELECT results_eq($$ SELECT runs > 60, foreigners, breaches FROM gist() $$,
	$$ VALUES (true, 0::bigint, NULL::text) $$, 'forecast: the devices ran, as the owner, and got nowhere');
SELECT aftermath('forecast');
SELECT is((SELECT count(*) FROM pprepub.release WHERE publication = 'evil'), 0::bigint, 'forecast published nothing');

SELECT lives_ok($$ SELECT * FROM pprepub.publish('evil') $$, 'a superuser publishes it');
CREATE TEMP TABLE run AS SELECT * FROM ran();
SELECT is_empty($$ SELECT * FROM run WHERE ran_as <> 'regress_mallory' $$, 'publish: all ran as the owner');
SELECT bag_eq($$ SELECT DISTINCT sql FROM forbidden $$,
	$$ SELECT DISTINCT device FROM run WHERE outcome IS NOT NULL AND outcome <> 'done' $$,
	'publish: every attempt was made, and failed');
SELECT is_empty($$ SELECT DISTINCT outcome FROM run WHERE outcome NOT IN ('done', '42501', '0A000', '42P17', '0LP01') $$,
	'publish: for want of rights, or because the context is restricted');
SELECT is((SELECT array_agg(DISTINCT device ORDER BY device) FROM run WHERE outcome IS NULL), '{domain}',
	'publish: of the rest, only the domain''s check ran');
SELECT is_empty($$ SELECT FROM run WHERE device ~ '^planted' $$, 'publish: a search path set by the source leads nowhere');
SELECT aftermath('publish');
SELECT is((SELECT rows FROM pprepub.release WHERE publication = 'evil'), 40::bigint, 'the release is whole');
SELECT is((SELECT array_agg(DISTINCT c.relowner::regrole::text) FROM pg_class c
	WHERE relnamespace IN ('evil_out'::regnamespace, 'evil_out_private'::regnamespace)),
	'{regress_mallory}', 'release, view and log belong to the owner');
SELECT is((SELECT published_by FROM pprepub.release WHERE publication = 'evil'), session_user::name, 'published_by is the session''s user');

SELECT lives_ok($$ SELECT * FROM pprepub.class_members('evil') $$, 'a superuser reads members');
SELECT lives_ok($$ SELECT * FROM pprepub.metrics('evil', 1) $$, 'a superuser reads metrics');
SELECT lives_ok($$ SELECT * FROM pprepub.risks('evil', 1) $$, 'a superuser reads risks');
SELECT ok((SELECT holds FROM pprepub.audit('evil') WHERE check_name = 'checksums'), 'a superuser verifies the release');
SELECT lives_ok($$ SELECT pprepub.alter_publication('evil', '{"reserve": 2}') $$, 'a superuser alters it');
SELECT is_empty($$ SELECT * FROM ran() $$, 'members, metrics, risks, audit and alter_publication run nothing of the owner''s');
SELECT lives_ok($$ SELECT pprepub.alter_publication('evil', '{"k": 3, "reserve": 1, "accept_lockout": true}') $$, 'a superuser asks for more');
SELECT is_empty($$ SELECT * FROM ran() $$, 'then its source is read, and what that writes undone');
SELECT aftermath('alter_publication');

-- An import runs what it reads as the owner, too, and reads what the owner may.
SELECT lives_ok($$ SELECT * FROM pprepub.import_release('evil', 'evil.source', 'id') $$, 'a superuser imports into it');
CREATE TEMP TABLE import_run AS SELECT * FROM ran();
SELECT is_empty($$ SELECT * FROM import_run WHERE ran_as <> 'regress_mallory' $$, 'import_release: all ran as the owner');
SELECT bag_eq($$ SELECT DISTINCT sql FROM forbidden $$,
	$$ SELECT DISTINCT device FROM import_run WHERE outcome IS NOT NULL AND outcome <> 'done' $$,
	'import_release: every attempt was made, and failed');
SELECT is((SELECT array_agg(DISTINCT device ORDER BY device) FROM import_run WHERE outcome IS NULL), '{domain}',
	'import_release: of the rest, only the domain''s check ran');
SELECT aftermath('import_release');
SELECT is((SELECT rows FROM pprepub.release WHERE publication = 'evil' AND number = 2), 40::bigint, 'the import is whole');
SELECT throws_ok($$ SELECT pprepub.import_release('evil', 'vault.secret') $$, '42501', 'role "regress_mallory" may not read "secret"',
	'a superuser cannot import for the owner what that one may not read');
SELECT throws_ok($$ SELECT pprepub.import_release('evil', 'alices.alices_1') $$, '42501', 'role "regress_mallory" may not read "alices_1"',
	'nor the release of another');

-- Triggers, rules, indexes, policies and columns on what was published.
CREATE FUNCTION as_role(role name, sql text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('role', role, true);
	EXECUTE sql;
	PERFORM set_config('role', 'none', true);
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END
$$;
SELECT is(as_role('regress_mallory', sql), '55000', sql) FROM (VALUES
	('DELETE FROM evil_out.evil_1'),
	('UPDATE evil_out.evil_1 SET class = 1'),
	('INSERT INTO evil_out.evil_1 (class) VALUES (1)'),
	('TRUNCATE evil_out.evil_1'),
	('MERGE INTO evil_out.evil_1 r USING evil.people p ON r.class = p.id WHEN MATCHED THEN DELETE'),
	('DELETE FROM evil_out.evil'),
	('DELETE FROM evil_out_private.evil_members'),
	('DELETE FROM evil_out_private.evil_asked'),
	('INSERT INTO evil_out_private.evil_asked (release) VALUES (1)'),
	('TRUNCATE evil_out_private.evil_members'),
	('CREATE RULE r AS ON DELETE TO evil_out.evil_1 DO INSTEAD NOTHING'),
	('CREATE RULE r AS ON DELETE TO evil_out_private.evil_members DO ALSO SELECT evil.note(''rule'')'),
	('ALTER TABLE evil_out.evil_1 DISABLE TRIGGER ALL'),
	('ALTER TABLE evil_out.evil_1 DISABLE TRIGGER pprepub_seal'),
	('ALTER TABLE evil_out.evil_1 ENABLE REPLICA TRIGGER pprepub_seal'),
	('DROP TRIGGER pprepub_seal ON evil_out.evil_1'),
	('ALTER TRIGGER pprepub_seal ON evil_out.evil_1 RENAME TO broken'),
	('CREATE OR REPLACE TRIGGER pprepub_seal BEFORE INSERT ON evil_out.evil_1 FOR EACH STATEMENT EXECUTE FUNCTION evil.fire()'),
	('ALTER TABLE evil_out.evil_1 ALTER class SET DEFAULT evil.pass(1, ''default'')'),
	('ALTER TABLE evil_out.evil_1 ADD mine int GENERATED ALWAYS AS (evil.pass(1, ''generated'')) STORED'),
	('ALTER TABLE evil_out.evil_1 ADD CHECK (evil.pass(1, ''check'') = 1)'),
	('ALTER TABLE evil_out_private.evil_members ALTER class TYPE int USING evil.pass(1, ''rewrite'')'),
	('ALTER TABLE evil_out.evil_1 ENABLE ROW LEVEL SECURITY'),
	('ALTER TABLE evil_out_private.evil_members FORCE ROW LEVEL SECURITY'),
	('ALTER TABLE evil_out.evil_1 RENAME TO mine'),
	('ALTER TABLE evil_out.evil_1 SET SCHEMA evil'),
	('ALTER TABLE evil_out.evil_1 SET UNLOGGED'),
	('ALTER TABLE evil_out.evil_1 DROP disease CASCADE'),
	('ALTER TABLE evil_out.evil_1 RENAME disease TO mine'),
	('ALTER TABLE evil_out.evil_1 INHERIT evil.parent'),
	('CREATE TABLE evil.child () INHERITS (evil_out.evil_1)'),
	('DROP TABLE evil_out.evil_1 CASCADE'),
	('DROP TABLE evil_out_private.evil_members'),
	('DROP VIEW evil_out_private.evil_source'),
	('CREATE OR REPLACE VIEW evil_out_private.evil_source AS SELECT id, (age + 0)::evil.checked AS age, shoe, disease FROM evil.people'),
	('DROP SCHEMA evil_out CASCADE'),
	('DROP SCHEMA evil_out_private CASCADE'),
	('ALTER SCHEMA evil_out RENAME TO mine'),
	('DROP TABLE evil.people CASCADE'),
	('DROP DOMAIN evil.checked CASCADE'),
	('DROP FUNCTION evil.try_all CASCADE'),
	('CREATE INDEX ON evil_out_private.evil_members (release) WHERE evil.pass(release, ''index'') = 1'),
	('CREATE POLICY planted ON evil_out.evil_1 USING (evil.pass(1, ''policy'') = 1)'),
	('DROP OWNED BY regress_mallory')) t(sql);
SELECT is_empty($$ SELECT * FROM ran() $$, 'and nothing of it ran');

-- An index on the log is built before it is refused; what it ran, it ran as its maker.
SELECT is(as_role('regress_mallory', 'CREATE INDEX ON evil_out_private.evil_members (evil.pass(release, ''index''))'), '55000', 'an index by a function of his');
SELECT is(as_role('regress_mallory', 'ALTER TABLE evil_out_private.evil_members ADD EXCLUDE (release WITH =) WHERE (evil.pass(release, ''index'') = 9)'), '55000', 'nor one behind a constraint');
SELECT is_empty($$ SELECT * FROM ran() WHERE ran_as <> 'regress_mallory' $$, 'and nothing of it ran as another');

-- These are allowed, and must not run when a superuser drops the publication.
SELECT is(as_role('regress_mallory', sql), 'done', sql) FROM (VALUES
	('CREATE TRIGGER aaa BEFORE INSERT OR DELETE OR UPDATE OR TRUNCATE ON evil_out.evil_1 FOR EACH STATEMENT EXECUTE FUNCTION evil.fire()'),
	('CREATE TRIGGER aaa AFTER DELETE ON evil_out_private.evil_members FOR EACH ROW EXECUTE FUNCTION evil.fire()'),
	('CREATE INDEX ON evil_out.evil_1 (evil.pass(class::int, ''index''))')) t(sql);
SELECT ok(count(*) > 0 AND bool_and(ran_as = 'regress_mallory'), 'building an index runs its function, as the owner') FROM ran();
SELECT is((SELECT count(*) FROM pprepub.class_members('evil')), 80::bigint, 'and reads its members again');
SELECT is_empty($$ SELECT * FROM ran() WHERE ran_as <> 'regress_mallory' $$, 'neither runs anything as the superuser');
SELECT throws_ok($$ SELECT pprepub.drop_publication('evil') $$, '55000', NULL, 'dropping needs more words');
SELECT lives_ok($$ SELECT pprepub.drop_publication('evil', true) $$, 'a superuser drops it');
SELECT is_empty($$ SELECT * FROM ran() $$, 'drop_publication runs nothing of the owner''s');
SELECT aftermath('drop_publication');
SELECT is_empty($$ SELECT * FROM pg_class WHERE relnamespace IN ('evil_out'::regnamespace, 'evil_out_private'::regnamespace) $$,
	'and leaves nothing behind');

-- ---- Types with support functions and casts of their own ----

SET ROLE regress_mallory;
CREATE TYPE evil.tag AS (word text);
CREATE FUNCTION evil.tag_compare(a evil.tag, b evil.tag) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM evil.note_anyhow('btree');
	PERFORM evil.try_all(1);
	RETURN btrecordcmp(a, b);
END
$$;
CREATE FUNCTION evil.tag_less(a evil.tag, b evil.tag) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM evil.note_anyhow('less');
	RETURN btrecordcmp(a, b) OPERATOR(pg_catalog.<) 0;
END
$$;
CREATE FUNCTION evil.tag_equal(a evil.tag, b evil.tag) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM evil.note_anyhow('equal');
	PERFORM evil.try_all(1);
	RETURN btrecordcmp(a, b) OPERATOR(pg_catalog.=) 0;
END
$$;
CREATE FUNCTION evil.tag_hash(a evil.tag) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM evil.note_anyhow('hash');
	PERFORM evil.try_all(1);
	RETURN hashtext(a.word) & 3;	-- collisions, so that equality is asked
END
$$;
CREATE FUNCTION evil.tag_text(a evil.tag) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM evil.note_anyhow('cast');
	PERFORM evil.try_all(1);
	RETURN a.word;
END
$$;
CREATE OPERATOR evil.== (FUNCTION = evil.tag_equal, LEFTARG = evil.tag, RIGHTARG = evil.tag);
CREATE OPERATOR evil.<< (FUNCTION = evil.tag_less, LEFTARG = evil.tag, RIGHTARG = evil.tag);
CREATE CAST (evil.tag AS text) WITH FUNCTION evil.tag_text AS IMPLICIT;
RESET ROLE;
-- Only a superuser may make operator classes; one who installs a type for others does.
CREATE OPERATOR CLASS evil.tag_hashing DEFAULT FOR TYPE evil.tag USING hash AS
	OPERATOR 1 evil.== (evil.tag, evil.tag), FUNCTION 1 evil.tag_hash(evil.tag);
CREATE OPERATOR CLASS evil.tag_sorting DEFAULT FOR TYPE evil.tag USING btree AS
	OPERATOR 1 evil.<< (evil.tag, evil.tag), OPERATOR 3 evil.== (evil.tag, evil.tag),
	FUNCTION 1 evil.tag_compare(evil.tag, evil.tag);
SET ROLE regress_mallory;
CREATE TABLE evil.tagged AS
	SELECT row('k' || i)::evil.tag AS id, row('q' || i % 4)::evil.tag AS colour, row('d' || i % 5)::evil.tag AS disease,
		row('i' || i % 2)::evil.tag AS hat
	FROM generate_series(1, 40) i;
DELETE FROM evil.witness;
RESET ROLE;

SELECT lives_ok($$ SELECT pprepub.create_publication('tagged', 'evil.tagged', 'id', '{"colour": "suppress"}', 'disease',
	'bpg', '{"k": 2, "l": 2}', insensitive => '{hat}', target => 'evil_out') $$, 'a superuser declares hostile types');
SELECT results_eq($$ SELECT foreigners, breaches FROM gist() $$,
	$$ VALUES (0::bigint, NULL::text) $$, 'create_publication: what ran of the types ran as the owner');
SELECT lives_ok($$ SELECT * FROM pprepub.preview('tagged') $$, 'a superuser previews them');
SELECT results_eq($$ SELECT runs > 0, foreigners, breaches FROM gist() $$,
	$$ VALUES (true, 0::bigint, NULL::text) $$, 'preview: support functions ran as the owner, and got nowhere');
SELECT lives_ok($$ SELECT * FROM pprepub.publish('tagged') $$, 'a superuser publishes them');
CREATE TEMP TABLE run_of_types AS SELECT * FROM ran();
SELECT is_empty($$ SELECT * FROM run_of_types WHERE ran_as <> 'regress_mallory' $$, 'publish: support functions ran as the owner');
SELECT is_empty($$ SELECT * FROM run_of_types WHERE outcome = 'done' AND device IN (SELECT sql FROM forbidden) $$, 'publish: and got nowhere');
SELECT ok((SELECT array_agg(DISTINCT device) FROM run_of_types) @> '{hash,equal}', 'publish: hashing and equality did run');
SELECT lives_ok($$ SELECT * FROM pprepub.class_members('tagged') $$, 'a superuser reads their members');
CREATE TEMP TABLE run_of_cast AS SELECT * FROM ran();
SELECT ok((SELECT array_agg(DISTINCT device) FROM run_of_cast) @> '{cast}', 'members: the key''s cast did run');
SELECT is_empty($$ SELECT * FROM run_of_cast WHERE ran_as <> 'regress_mallory' $$, 'members: as the owner');
SELECT is_empty($$ SELECT * FROM run_of_cast WHERE outcome = 'done' AND device IN (SELECT sql FROM forbidden) $$, 'members: and got nowhere');
SELECT lives_ok($$ SELECT * FROM pprepub.groups('tagged') $$, 'a superuser reads their groups');
SELECT results_eq($$ SELECT runs > 0, foreigners, breaches FROM gist() $$,
	$$ VALUES (true, 0::bigint, NULL::text) $$, 'groups: hashing and equality ran as the owner, and got nowhere');
SELECT lives_ok($$ SELECT * FROM pprepub.linkability('tagged') $$, 'a superuser joins their releases');
SELECT lives_ok($$ SELECT * FROM pprepub.link_profile('tagged') $$, 'and profiles them');
SELECT results_eq($$ SELECT runs > 0, foreigners, breaches FROM gist() $$,
	$$ VALUES (true, 0::bigint, NULL::text) $$, 'linkability: support functions ran as the owner, and got nowhere');
SELECT lives_ok($$ SELECT * FROM pprepub.linked_values('tagged') $$, 'a superuser reads their statistics');
DROP TABLE run_of_cast;
CREATE TEMP TABLE run_of_cast AS SELECT * FROM ran();
SELECT ok((SELECT array_agg(DISTINCT device) FROM run_of_cast) @> '{cast}', 'statistics: the key''s cast did run');
SELECT is_empty($$ SELECT * FROM run_of_cast WHERE ran_as <> 'regress_mallory' $$, 'statistics: as the owner');
SELECT is_empty($$ SELECT * FROM run_of_cast WHERE outcome = 'done' AND device IN (SELECT sql FROM forbidden) $$, 'statistics: and got nowhere');
SELECT ok((SELECT holds FROM pprepub.audit('tagged') WHERE check_name = 'checksums'), 'a superuser verifies them');
SELECT lives_ok($$ SELECT pprepub.drop_publication('tagged', true) $$, 'a superuser drops them');
SELECT results_eq($$ SELECT foreigners, breaches FROM gist() $$,
	$$ VALUES (0::bigint, NULL::text) $$, 'nothing of it as the superuser');
SELECT aftermath('a hostile type');

-- ---- Row security ----

SET ROLE regress_mallory;
CREATE TABLE evil.guarded AS SELECT id, age, disease FROM evil.people;
CREATE POLICY planted ON evil.guarded USING (evil.pass(id, 'policy') > 0);
ALTER TABLE evil.guarded ENABLE ROW LEVEL SECURITY;
SELECT pprepub.create_publication('guarded', 'evil.guarded', 'id', '{"age": "range"}', 'disease',
	'bpg', '{"k": 2, "l": 2}', target => 'evil_out');
DELETE FROM evil.witness;
RESET ROLE;
SELECT lives_ok($$ SELECT * FROM pprepub.preview('guarded') $$, 'policies do not concern the owner');
SELECT is_empty($$ SELECT * FROM ran() $$, 'and do not run');
SELECT is(as_role('regress_mallory', 'ALTER TABLE evil.guarded FORCE ROW LEVEL SECURITY'), 'done', 'unless forced');
SELECT throws_ok($$ SELECT * FROM pprepub.preview('guarded') $$, '42501', NULL, 'an error beats silent filtering: preview');
SELECT throws_ok($$ SELECT * FROM pprepub.publish('guarded') $$, '42501', NULL, 'an error beats silent filtering: publish');
SELECT is_empty($$ SELECT * FROM ran() $$, 'nor did the policy run then');
SELECT is((SELECT releases FROM pprepub_internal.catalog_publication WHERE name = 'guarded'), 0, 'no number was taken');
SELECT lives_ok($$ SELECT pprepub.drop_publication('guarded') $$, 'a superuser drops it');

-- ---- Calls from inside the source ----

SET ROLE regress_mallory;
CREATE VIEW evil.nested AS SELECT evil.try_all(id) AS id, age, disease FROM evil.people;
SELECT pprepub.create_publication('nested', 'evil.nested', 'id', '{"age": "range"}', 'disease',
	'bpg', '{"k": 2, "l": 2}', target => 'evil_out');
DELETE FROM evil.attempt;
INSERT INTO evil.attempt (sql) VALUES ('SELECT pprepub.publish(''nested'')');
DELETE FROM evil.witness;
RESET ROLE;
SELECT lives_ok($$ SELECT * FROM pprepub.publish('nested') $$, 'a source that publishes itself while it is published');
SELECT results_eq($$ SELECT ran_as = 'regress_mallory', outcome FROM ran() $$, $$ VALUES (true, '42501'::text) $$, 'gets the second release refused');
SELECT is((SELECT count(*) FROM pprepub.release WHERE publication = 'nested'), 1::bigint, 'and there is one release');
SELECT is((SELECT count(*) FROM pprepub.class_members('nested')), 40::bigint, 'with its members once');
SELECT lives_ok($$ SELECT pprepub.drop_publication('nested', true) $$, 'a superuser drops it');
DELETE FROM evil.witness;

-- A view or table of the owner's where a release will stand is not taken for ours.
SET ROLE regress_mallory;
SELECT pprepub.create_publication('squatted', 'evil.nested', 'id', '{"age": "range"}', 'disease',
	'bpg', '{"k": 2, "l": 2}', target => 'evil_out');
DELETE FROM evil.attempt;
CREATE VIEW evil_out.squatted AS SELECT NULL::bigint AS class, NULL::int4range AS age, ''::text AS disease;
RESET ROLE;
SELECT throws_ok($$ SELECT * FROM pprepub.publish('squatted') $$, '42P07', NULL, 'a view in the way of a release is refused');
SELECT is(as_role('regress_mallory', 'DROP VIEW evil_out.squatted; CREATE TABLE evil_out.squatted_1 ()'), 'done', 'it goes, a table comes');
SELECT throws_ok($$ SELECT * FROM pprepub.publish('squatted') $$, '42P07', NULL, 'a table in the way of a release is refused');
SELECT is(as_role('regress_mallory', 'DROP TABLE evil_out.squatted_1'), 'done', 'it goes, too');
SELECT is((SELECT number FROM pprepub.publish('squatted')), 1, 'the number was given back');
SELECT lives_ok($$ SELECT pprepub.drop_publication('squatted', true) $$, 'a superuser drops it');
SELECT aftermath('a squatter');

-- ---- Names that want to be SQL ----

CREATE TEMP TABLE name (number serial, name text);
INSERT INTO name (name) VALUES
	('x"; DROP TABLE vault.secret; --'),
	('x''; DROP TABLE vault.secret; --'),
	('x''''"""; DROP SCHEMA vault CASCADE; --'),
	('x$$; DROP TABLE vault.secret; $$'),
	('x\''; DROP TABLE vault.secret; --'),
	(E'x\n; DROP TABLE vault.secret; --'),
	('x%s%n%1$s %I %L $1 $2 :x'),
	('x" CASCADE; DROP TABLE vault.secret'),
	('.*'), ('select'), (' '), ('"'), ('{"k": 1}');
GRANT SELECT ON name TO regress_mallory;

-- One list of words names publication, target, columns, type, taxonomy, relation and schema.
CREATE FUNCTION publish_named(word text, number int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	target text := word || number;
	result bigint;
BEGIN
	PERFORM set_config('role', 'regress_mallory', true);
	EXECUTE format('CREATE SCHEMA %I', 's' || target);
	EXECUTE format('CREATE TYPE %I.%I AS ENUM (''leaf'', ''d0'', ''d1'', ''d2'', ''d3'', ''d4'')', 's' || target, 'e' || word);
	EXECUTE format('CREATE TABLE %1$I.%2$I (%3$I int, %2$I int, %4$I text, %5$I %1$I.%7$I, %6$I %1$I.%7$I)',
		's' || target, word, 'id' || word, 'p' || word, 't' || word, 'd' || word, 'e' || word);
	EXECUTE format('INSERT INTO %I.%I SELECT i, i %% 10, ''z'' || i %% 3, ''leaf'', (''d'' || i %% 5)::%I.%I FROM generate_series(1, 40) i',
		's' || target, word, 's' || target, 'e' || word);
	EXECUTE format('CREATE TABLE %I.levels AS SELECT ''leaf'' AS leaf, %L AS root UNION ALL SELECT ''leaf2'', %L',
		's' || target, word, word);
	PERFORM pprepub.create_taxonomy(word, format('%I.levels', 's' || target)::regclass);
	PERFORM set_config('role', 'none', true);

	PERFORM pprepub.create_publication(word, format('%I.%I', 's' || target, word)::regclass, 'id' || word,
		jsonb_build_object(word, 'range', 'p' || word, 'prefix', 't' || word, 'taxonomy ' || word), 'd' || word,
		'bpg', '{"k": 2, "l": 2}', target => target);
	PERFORM pprepub.preview(word);
	PERFORM pprepub.publish(word);
	PERFORM pprepub.alter_publication(word, '{"k": 3, "accept_lockout": true}');
	PERFORM pprepub.metrics(word, 1);
	PERFORM pprepub.import_release(word, format('%I.%I', 's' || target, word)::regclass, 'id' || word);
	EXECUTE format('CREATE VIEW %I.left_out AS SELECT * FROM %I.%I', 's' || target, target, word || '_2');
	EXECUTE format('GRANT USAGE ON SCHEMA %1$I TO regress_mallory; GRANT SELECT ON %1$I.left_out TO regress_mallory', 's' || target);
	PERFORM pprepub.import_release(word, format('%I.left_out', 's' || target)::regclass);
	PERFORM pprepub.acknowledge_history(word);
	EXECUTE format('DROP VIEW %I.left_out', 's' || target);
	EXECUTE format('SELECT count(*) FROM %I.%I', target, word) INTO result;
	IF result <> 40 OR NOT (SELECT holds FROM pprepub.audit(word) WHERE check_name = 'checksums') OR (SELECT count(*) FROM pprepub.class_members(word)) <> 80 THEN
		RETURN 'the release is not whole';
	END IF;
	PERFORM pprepub.drop_publication(word, true);
	PERFORM pprepub.drop_taxonomy(word);
	RETURN 'done';
END
$$;
SELECT is(publish_named(name, number), 'done', 'a publication named ' || replace(name, E'\n', '\n')) FROM name ORDER BY number;
SELECT is((SELECT what FROM vault.secret), 'treasure', 'the vault stands');
SELECT aftermath('a hostile name');

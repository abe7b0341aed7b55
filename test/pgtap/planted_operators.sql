-- Functions that others planted before the extension came, or put first in the search path, are never called.
BEGIN;
-- pgTAP stands aside, since public is to be planted.
DROP EXTENSION pgtap;
CREATE SCHEMA tap;
CREATE EXTENSION pgtap SCHEMA tap;
SET search_path = pg_catalog, tap;
DROP EXTENSION pprepub; DROP SCHEMA pprepub;

CREATE ROLE regress_planter;
GRANT CREATE ON SCHEMA public TO regress_planter;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_planter', current_database()) \gexec

-- ---- The extension's schema ----

-- The extension's own check must be what refuses, not the server's.
CREATE FUNCTION tap.create_over(VARIADIC plan text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	command text;
BEGIN
	FOREACH command IN ARRAY plan LOOP
		EXECUTE command;
	END LOOP;
	CREATE EXTENSION pprepub;
	RETURN 'created';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END
$$;
SELECT is(create_over('CREATE SCHEMA pprepub AUTHORIZATION regress_planter'), '42P15', 'a schema of somebody else is refused');
SELECT is(create_over('CREATE SCHEMA pprepub', 'GRANT CREATE ON SCHEMA pprepub TO regress_planter'), '42P15', 'a schema that others may create in is refused');
SELECT is(create_over('CREATE SCHEMA pprepub', 'GRANT CREATE ON SCHEMA pprepub TO PUBLIC'), '42P15', 'a schema that all may create in is refused');
SELECT is(create_over('CREATE SCHEMA pprepub', 'CREATE FUNCTION pprepub.count("any") RETURNS int LANGUAGE internal AS ''int4um'''), '42P15', 'a schema with a function is refused');
SELECT is(create_over('CREATE SCHEMA pprepub', 'CREATE TABLE pprepub.catalog_tree ()'), '42P15', 'a schema with a table is refused');
SELECT is(create_over('CREATE SCHEMA pprepub_internal'), '42P06', 'a schema of internals that exists already is refused');
SELECT is(create_over('CREATE SCHEMA pprepub', 'CREATE DOMAIN pprepub.int8 AS int'), '42P15', 'a schema with a type is refused');
SELECT is(create_over('CREATE SCHEMA pprepub', 'CREATE OPERATOR pprepub.= (FUNCTION = int48eq, LEFTARG = int, RIGHTARG = int8)'), '42P15', 'a schema with an operator is refused');

CREATE ROLE "regress Odd" SUPERUSER;
SELECT is(create_over('SET LOCAL ROLE "regress Odd"'), 'created', 'a superuser whose name has capitals and spaces makes it');
RESET ROLE; DROP EXTENSION pprepub; DROP SCHEMA pprepub;

-- ---- Plants ----

CREATE SCHEMA planted AUTHORIZATION regress_planter;
SET ROLE regress_planter;
CREATE TABLE planted.called (what text, by_whom name);
GRANT INSERT, SELECT ON planted.called TO PUBLIC;
GRANT USAGE ON SCHEMA planted TO PUBLIC;
CREATE FUNCTION planted.caught(what text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO planted.called VALUES (what, current_user);
END
$$;

-- Each stands in public and in planted, and matches better than what it imitates, or as well.
CREATE FUNCTION planted.plant(home text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $plant$
DECLARE
	one record;
	body text;
	number int := 0;
BEGIN
	FOR one IN VALUES
		('count', 'bigint', '1'), ('jsonb_each', 'text', 'NULL'), ('unnest', 'text', 'NULL'), ('quote_ident', 'text', 'NULL'),
		('format', 'text', 'NULL'), ('array_agg', 'text', 'NULL'), ('hashtext', 'int', '1'), ('starts_with', 'boolean', 'true'),
		('substr', 'text', 'NULL'), ('length', 'int', '1'), ('sum', 'bigint', '1'), ('now', 'timestamptz', 'NULL'),
		('to_regclass', 'text', 'NULL'), ('pg_has_role', 'boolean', 'true'), ('nextval', 'bigint', '1'), ('lower', 'text', 'NULL'),
		('aclexplode', 'text', 'NULL'), ('pg_extension_config_dump', 'int', '1'), ('text', 'text', 'NULL'), ('publish', 'text', 'NULL')
	LOOP
		body := format('BEGIN PERFORM planted.caught(%L); RETURN %s; END', one.column1, one.column3);
		EXECUTE format('CREATE FUNCTION %I.%I(anyelement) RETURNS %s LANGUAGE plpgsql AS %L', home, one.column1, one.column2, body);
		EXECUTE format('CREATE FUNCTION %I.%I(text) RETURNS %s LANGUAGE plpgsql AS %L', home, one.column1, one.column2, body);
		EXECUTE format('CREATE FUNCTION %I.%I(text, text) RETURNS %s LANGUAGE plpgsql AS %L', home, one.column1, one.column2, body);
		EXECUTE format('CREATE FUNCTION %I.%I(jsonb) RETURNS %s LANGUAGE plpgsql AS %L', home, one.column1, one.column2, body);
		EXECUTE format('CREATE FUNCTION %I.%I(oid, text) RETURNS %s LANGUAGE plpgsql AS %L', home, one.column1, one.column2, body);
	END LOOP;
	EXECUTE format('CREATE FUNCTION %I.now() RETURNS timestamptz LANGUAGE plpgsql AS %L', home, 'BEGIN PERFORM planted.caught(''now''); RETURN NULL; END');

	FOR one IN SELECT o.op, t.l, t.r FROM
		unnest('{=,<>,<,>,<=,>=,||,@>,&&,~,!~,+,-,->,->>,#>>}'::text[]) o(op),
		(VALUES ('int4', 'int4'), ('int4', 'int8'), ('int8', 'int8'), ('oid', 'oid'), ('oid', 'regclass'), ('regclass', 'oid'),
			('regclass', 'regclass'), ('text', 'text'), ('name', 'name'), ('name', 'text'), ('text', 'name'), ('"char"', '"char"'),
			('jsonb', 'text'), ('jsonb', 'jsonb'), ('numeric', 'numeric'), ('anyarray', 'anyarray'), ('anyelement', 'anyelement'),
			('regrole', 'oid'), ('oid', 'regrole'), ('regrole', 'regrole'), ('uuid', 'uuid'), ('text', 'unknown'), ('unknown', 'text')) t(l, r)
	LOOP
		number := number + 1;
		BEGIN
			EXECUTE format('CREATE FUNCTION %I.operator_%s(%s, %s) RETURNS boolean LANGUAGE plpgsql AS %L', home, number, one.l, one.r,
				format('BEGIN PERFORM planted.caught(%L); RETURN true; END', one.l || ' ' || one.op || ' ' || one.r));
			EXECUTE format('CREATE OPERATOR %I.%s (FUNCTION = %I.operator_%s, LEFTARG = %s, RIGHTARG = %s)', home, one.op, home, number, one.l, one.r);
		EXCEPTION WHEN undefined_object OR feature_not_supported OR invalid_function_definition OR invalid_object_definition OR datatype_mismatch THEN
			NULL;
		END;
	END LOOP;

	-- Relations and types with the names of those that are asked.
	FOR one IN VALUES ('pg_class'), ('pg_namespace'), ('pg_proc'), ('pg_trigger'), ('pg_rewrite'), ('pg_inherits'), ('pg_depend'),
		('catalog_publication'), ('catalog_relation'), ('catalog_tree'), ('release') LOOP
		EXECUTE format('CREATE VIEW %I.%I AS SELECT 1::oid AS oid, planted.caught(%L) IS NULL AS caught', home, one.column1, 'view ' || one.column1);
	END LOOP;
	FOR one IN VALUES ('int4'), ('int8'), ('text'), ('name'), ('regclass'), ('regrole'), ('numeric'), ('jsonb') LOOP
		EXECUTE format('CREATE FUNCTION %I.check_%s(xid) RETURNS boolean LANGUAGE plpgsql AS %L', home, one.column1,
			format('BEGIN PERFORM planted.caught(%L); RETURN true; END', 'type ' || one.column1));
		EXECUTE format('CREATE DOMAIN %I.%I AS xid CHECK (%I.check_%s(VALUE))', home, one.column1, home, one.column1);
	END LOOP;
	EXECUTE format('CREATE FUNCTION %I.refuse_change() RETURNS trigger LANGUAGE plpgsql AS %L', home,
		'BEGIN PERFORM planted.caught(''refuse_change''); RETURN NULL; END');
	EXECUTE format('CREATE FUNCTION %I.publish(text, text DEFAULT NULL, name[] DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS %L', home,
		'BEGIN PERFORM planted.caught(''publish''); RETURN NULL; END');
END
$plant$;
SELECT planted.plant('public');
SELECT planted.plant('planted');

-- A source, and levels, of types whose operators were all planted.
CREATE TABLE planted.people (id int PRIMARY KEY, age int, zip text, country text, hat text, disease text);
INSERT INTO planted.people SELECT i, i % 10, (100 + i % 12)::text, (ARRAY['a', 'b', 'c'])[1 + i % 3], 'h', 'd' || i % 5
	FROM generate_series(1, 60) i;
CREATE TABLE planted.levels AS SELECT * FROM (VALUES ('a', 'ab', 'all'), ('b', 'ab', 'all'), ('c', 'c', 'all')) v(leaf, mid, root);
CREATE TABLE planted.more AS SELECT * FROM (VALUES ('d', 'dd', 'all')) v(leaf, mid, root);
RESET ROLE;
SELECT cmp_ok((SELECT count(*) FROM pg_operator WHERE oprnamespace IN ('planted'::regnamespace, 'public'::regnamespace)), '>', 400::bigint,
	'there are plants');

-- They do bite whoever looks where they stand.
SET search_path = planted, public, pg_catalog;
SELECT 1 = 1 \g /dev/null
SET search_path = pg_catalog, tap;
SELECT pg_catalog.count(*) OPERATOR(pg_catalog.>) 0 AS bites FROM planted.called \gset
SELECT ok(:'bites', 'which bite');
TRUNCATE planted.called;

-- ---- Everything that the extension does, behind that search path ----

-- The steps run with the hostile path; what they called is looked at without.
CREATE FUNCTION tap.behind_path(path text, command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	callers text;
BEGIN
	PERFORM pg_catalog.set_config('search_path', path, true);
	EXECUTE command;
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, tap', true);
	SELECT pg_catalog.string_agg(DISTINCT what, ', ') INTO callers FROM planted.called;
	RETURN coalesce(callers, 'nothing');
END
$$;

CREATE TABLE tap.path (path text);
INSERT INTO tap.path VALUES ('planted, public, pg_catalog'), ('public, pg_catalog, pprepub'), ('planted, pprepub, pg_temp, pg_catalog');

CREATE FUNCTION tap.journey(path text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	step record;
BEGIN
	FOR step IN VALUES
		('CREATE EXTENSION pprepub'),
		('SELECT pprepub.create_taxonomy(''tree'', ''planted.levels'')'),
		('SELECT pprepub.create_range_taxonomy(''ladder'', 0, 100, ''{5,10}'')'),
		('SELECT pprepub.create_publication(''pub'', ''planted.people'', ''id'',
			''{"age": "range", "zip": "prefix", "country": "taxonomy tree"}'', ''disease'', ''bpg'', ''{"k": 3, "l": 2}'', insensitive => ''{hat}'')'),
		('SELECT pprepub.extend_taxonomy(''tree'', ''planted.more'')'),
		('SELECT pprepub.alter_publication(''pub'', ''{"k": 4}'')'),
		('SELECT FROM pprepub.preview(''pub'')'),
		('SELECT FROM pprepub.publish(''pub'')'),
		('SELECT FROM pprepub.metrics(''pub'', 1)'),
		('SELECT FROM pprepub.risks(''pub'', 1)'),
		('SELECT FROM pprepub.class_members(''pub'')'),
		('SELECT FROM pprepub.groups(''pub'')'),
		('SELECT FROM pprepub.linked_values(''pub'')'),
		('SELECT FROM pprepub.linkability(''pub'')'),
		('SELECT FROM pprepub.link_profile(''pub'')'),
		('SELECT FROM pprepub.release'),
		('SELECT FROM pprepub.taxonomy_node'),
		('SELECT FROM published.pub'),
		('CREATE TABLE planted.any_ddl ()'),
		('DROP TABLE planted.any_ddl'),
		('DO $do$ BEGIN DELETE FROM published.pub_1; EXCEPTION WHEN object_not_in_prerequisite_state THEN NULL; END $do$'),
		('DO $do$ BEGIN DROP TABLE published.pub_1 CASCADE; EXCEPTION WHEN object_not_in_prerequisite_state THEN NULL; END $do$'),
		('DO $do$ BEGIN ALTER TABLE published.pub_1 RENAME TO x; EXCEPTION WHEN object_not_in_prerequisite_state THEN NULL; END $do$'),
		('SELECT pprepub.drop_publication(''pub'', true)'),
		('SELECT pprepub.drop_taxonomy(''tree'')'),
		('DROP EXTENSION pprepub')
	LOOP
		RETURN NEXT tap.is(tap.behind_path(path, step.column1), 'nothing',
			substr(split_part(step.column1, E'\n', 1), 1, 70) || ' calls nothing planted [' || path || ']');
		IF step.column1 ~ '^SELECT FROM pprepub.publish' THEN
			RETURN NEXT tap.is((SELECT rows || ' ' || suppressed FROM pprepub.release), '60 0', 'and the release is whole');
		END IF;
	END LOOP;
END
$$;
SELECT tap.journey(path) FROM tap.path;

-- View, log and trigger of a release refer to the server's own.
CREATE EXTENSION pprepub;
SET search_path = planted, public, pg_catalog;
SELECT pprepub.create_publication('pub', 'planted.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 3, "l": 2}') \g /dev/null
SELECT FROM pprepub.publish('pub') \g /dev/null
SET search_path = pg_catalog, tap;
SELECT is_empty($$
	SELECT d.objid FROM pg_depend d JOIN pg_class c ON d.classid = 'pg_class'::regclass AND d.objid = c.oid
	WHERE c.relnamespace IN ('published'::regnamespace, 'published_private'::regnamespace)
	  AND (d.refclassid = 'pg_proc'::regclass OR d.refclassid = 'pg_operator'::regclass OR d.refclassid = 'pg_type'::regclass)
	UNION ALL
	SELECT d.objid FROM pg_depend d JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid JOIN pg_class c ON c.oid = w.ev_class
	WHERE c.relnamespace IN ('published'::regnamespace, 'published_private'::regnamespace)
	  AND d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass)
	  AND NOT (d.refclassid = 'pg_proc'::regclass AND d.refobjid IN (SELECT oid FROM pg_proc WHERE pronamespace IN ('pprepub'::regnamespace, 'pprepub_internal'::regnamespace))) $$,
	'nothing made for a publication depends on a plant');
SELECT is_empty($$
	SELECT d.objid FROM pg_depend d JOIN pg_depend e ON e.classid = d.classid AND e.objid = d.objid AND e.deptype = 'e'
		AND e.refclassid = 'pg_extension'::regclass
	WHERE d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass, 'pg_type'::regclass, 'pg_class'::regclass)
	  AND d.refobjid IN (SELECT oid FROM pg_proc WHERE pronamespace IN ('planted'::regnamespace, 'public'::regnamespace)
		UNION ALL SELECT oid FROM pg_operator WHERE oprnamespace IN ('planted'::regnamespace, 'public'::regnamespace)
		UNION ALL SELECT oid FROM pg_type WHERE typnamespace IN ('planted'::regnamespace, 'public'::regnamespace)
		UNION ALL SELECT oid FROM pg_class WHERE relnamespace IN ('planted'::regnamespace, 'public'::regnamespace)) $$,
	'nothing of the extension depends on a plant');
SELECT is((SELECT array_agg(DISTINCT tgfoid::regprocedure::text) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
	WHERE c.relnamespace IN ('published'::regnamespace, 'published_private'::regnamespace)), '{pprepub_internal.refuse_change()}',
	'releases and log are sealed by the extension''s trigger');
SELECT is_empty($$ SELECT * FROM planted.called $$, 'nothing planted was ever called');

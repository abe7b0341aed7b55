-- The extension, two owners and an analyst for all tests.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET client_min_messages = warning;
DROP ROLE IF EXISTS regress_owner, regress_other, regress_analyst;		-- of a run that was interrupted
RESET client_min_messages;
CREATE EXTENSION pprepub;
CREATE ROLE regress_owner;
CREATE ROLE regress_other;
CREATE ROLE regress_analyst;
DO $$ BEGIN
	EXECUTE format('GRANT CREATE ON DATABASE %I TO regress_owner, regress_other', current_database());
	EXECUTE format('ALTER DATABASE %I SET client_min_messages = warning', current_database());
END $$;
GRANT CREATE ON SCHEMA public TO regress_owner, regress_other;

-- EXPLAIN in the words of PostgreSQL 15, whatever version this is.
CREATE FUNCTION explained(options text, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE format('EXPLAIN (%s%s) %s', options, CASE WHEN options ~ 'ANALYZE' THEN ', BUFFERS OFF' END, query) LOOP
		CONTINUE WHEN line ~ '^ *Disabled: ';
		line := regexp_replace(line, ' *"Disabled": false, *\n', '', 'g');
		line := regexp_replace(line, '(rows=\d+)\.\d+', '\1', 'g');
		line := regexp_replace(line, 'InitPlan expr_(\d+)', 'InitPlan \1', 'g');
		line := regexp_replace(line, '(InitPlan \d+) \(returns \$\d+\)', '\1', 'g');
		RETURN NEXT regexp_replace(line, '\(InitPlan \d+\)\.col1', '$0', 'g');
	END LOOP;
END $$;

-- Drops publications with their history, and says nothing.
CREATE PROCEDURE forget(VARIADIC names text[]) LANGUAGE sql SET client_min_messages = warning AS
$$ SELECT pprepub.drop_publication(name, true) FROM unnest(names) name $$;

-- Drops what a test made: publications, what stands in public, and schemas. Publications leave nothing in those that they
-- published in, which are dropped without CASCADE.
CREATE PROCEDURE clean() LANGUAGE plpgsql SECURITY DEFINER SET client_min_messages = warning AS $$
DECLARE
	command text;
BEGIN
	PERFORM pprepub.drop_publication(name, true) FROM pprepub_internal.catalog_publication;
	PERFORM pprepub.drop_taxonomy(name) FROM pprepub_internal.catalog_taxonomy;
	FOREACH command IN ARRAY ARRAY(
		SELECT format('DROP %s IF EXISTS %s CASCADE', i.type, i.identity) FROM (
			SELECT (relkind = 'S')::int, tableoid, oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = ANY ('{r,p,v,m,f,S}')
			UNION ALL SELECT 2, tableoid, oid FROM pg_proc
			WHERE pronamespace = 'public'::regnamespace AND proname <> ALL ('{explained,forget,force_parallel,clean}')
			UNION ALL SELECT 3, tableoid, oid FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype = ANY ('{c,d,e,r}')
			) made (place, class, object), pg_identify_object(class, object, 0) i ORDER BY place) || ARRAY(
		SELECT format('DROP SCHEMA %I%s', nspname, CASE WHEN nspname !~ '_private$' AND to_regnamespace(nspname || '_private') IS NULL THEN ' CASCADE' END)
		FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema$|public$|pprepub$|pprepub_internal$)')
	LOOP
		EXECUTE command;
	END LOOP;
END $$;

-- The parameter by which plans are made parallel is called otherwise since 16.
CREATE FUNCTION force_parallel(value text) RETURNS void LANGUAGE sql AS
$$ SELECT set_config(name, value, false) FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query') $$;
\set ECHO all

-- The extension itself.
SELECT extname, extrelocatable, nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
WHERE extname = 'pprepub';

-- Catalog tables and their sequences are dumped.
SELECT c.oid::regclass AS not_dumped FROM pg_class c
WHERE relnamespace IN ('pprepub'::regnamespace, 'pprepub_internal'::regnamespace) AND relkind IN ('r', 'S')
AND NOT c.oid = ANY (SELECT unnest(extconfig) FROM pg_extension WHERE extname = 'pprepub');

-- Types that pg_upgrade does not bear, in columns that stay.
SELECT attrelid::regclass, attname, atttypid::regtype FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
WHERE relnamespace IN ('pprepub'::regnamespace, 'pprepub_internal'::regnamespace) AND relkind = 'r' AND attnum > 0
AND atttypid IN ('regproc'::regtype, 'regprocedure'::regtype, 'regoper'::regtype, 'regoperator'::regtype,
	'regconfig'::regtype, 'regdictionary'::regtype, 'regnamespace'::regtype, 'regcollation'::regtype);

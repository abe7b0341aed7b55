\echo Use "CREATE EXTENSION pprepub" to load this file. \quit

-- If the schema exists already, a role that owns it, or may create in it, could
-- put operators and functions in our way, now or later.
DO $$
BEGIN
	IF EXISTS (
		SELECT FROM pg_catalog.pg_namespace n
		WHERE n.nspname OPERATOR(pg_catalog.=) 'pprepub'::pg_catalog.name
		  AND (n.nspowner OPERATOR(pg_catalog.<>) current_user::pg_catalog.regrole::pg_catalog.oid
			OR EXISTS (SELECT FROM pg_catalog.pg_proc WHERE pronamespace OPERATOR(pg_catalog.=) n.oid)
			OR EXISTS (SELECT FROM pg_catalog.pg_operator WHERE oprnamespace OPERATOR(pg_catalog.=) n.oid)
			OR EXISTS (SELECT FROM pg_catalog.pg_type WHERE typnamespace OPERATOR(pg_catalog.=) n.oid)
			OR EXISTS (SELECT FROM pg_catalog.pg_class WHERE relnamespace OPERATOR(pg_catalog.=) n.oid)
			OR EXISTS (SELECT FROM pg_catalog.aclexplode(n.nspacl) a
					   WHERE a.privilege_type OPERATOR(pg_catalog.=) 'CREATE'::pg_catalog.text
						 AND a.grantee OPERATOR(pg_catalog.<>) n.nspowner))) THEN
		RAISE EXCEPTION 'schema "pprepub" exists already, is not empty or is not yours alone'
			USING ERRCODE = 'invalid_schema_definition',
				  HINT = 'Drop it, or rename it, before CREATE EXTENSION pprepub.';
	END IF;
END
$$;

-- Functions, views and tables that serve those of schema pprepub, and that nobody calls by name.  A schema that exists already is refused.
CREATE SCHEMA pprepub_internal;
COMMENT ON SCHEMA pprepub_internal IS 'internals of extension pprepub, whose names can change in any version';

\echo Use "CREATE EXTENSION pprepub" to load this file. \quit

-- Nothing else is found below by a name without a schema, until the script ends.
SET LOCAL search_path = pg_catalog, pg_temp;

-- If the schema exists already, a role that owns it, or may create in it, could
-- put operators and functions in our way, now or later.
DO $$
BEGIN
	IF EXISTS (
		SELECT FROM pg_namespace n
		WHERE n.nspname = 'pprepub'
		  AND (pg_get_userbyid(n.nspowner) <> current_user
			OR EXISTS (SELECT FROM pg_proc WHERE pronamespace = n.oid)
			OR EXISTS (SELECT FROM pg_operator WHERE oprnamespace = n.oid)
			OR EXISTS (SELECT FROM pg_type WHERE typnamespace = n.oid)
			OR EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid)
			OR EXISTS (SELECT FROM aclexplode(n.nspacl) a WHERE a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner))) THEN
		RAISE EXCEPTION 'schema "pprepub" exists already, is not empty or is not yours alone'
			USING ERRCODE = 'invalid_schema_definition',
				  HINT = 'Drop it, or rename it, before CREATE EXTENSION pprepub.';
	END IF;
END
$$;

-- Functions, views and tables that serve those of schema pprepub, and that nobody calls by name.  A schema that exists already is refused.
CREATE SCHEMA pprepub_internal;
COMMENT ON SCHEMA pprepub_internal IS 'internals of extension pprepub, whose names can change in any version';

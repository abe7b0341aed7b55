-- ----------------------------------------------------------------
-- Rights on all objects
-- ----------------------------------------------------------------

-- Default privileges may have granted any right to any role, or withheld it.
DO $$
DECLARE
	made record;
BEGIN
	FOR made IN
		SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || c.oid::pg_catalog.regclass::text AS object, c.relacl AS rights
		FROM pg_catalog.pg_class c WHERE c.relnamespace IN ('pprepub'::pg_catalog.regnamespace, 'pprepub_internal'::pg_catalog.regnamespace) AND c.relkind IN ('r', 'v', 'S')
		UNION ALL SELECT 'FUNCTION ' || p.oid::pg_catalog.regprocedure::text, p.proacl
		FROM pg_catalog.pg_proc p WHERE p.pronamespace IN ('pprepub'::pg_catalog.regnamespace, 'pprepub_internal'::pg_catalog.regnamespace)
		UNION ALL SELECT 'SCHEMA ' || n.nspname, n.nspacl FROM pg_catalog.pg_namespace n WHERE n.nspname IN ('pprepub', 'pprepub_internal')
	LOOP
		CONTINUE WHEN made.rights IS NULL;
		EXECUTE 'REVOKE ALL ON ' || made.object || ' FROM PUBLIC';
		EXECUTE 'GRANT ALL ON ' || made.object || ' TO CURRENT_USER';
		EXECUTE coalesce((
			SELECT pg_catalog.string_agg(pg_catalog.format('REVOKE ALL ON %s FROM %I CASCADE;', made.object, r.rolname), ' ')
			FROM pg_catalog.aclexplode(made.rights) a JOIN pg_catalog.pg_roles r ON r.oid = a.grantee
			WHERE r.rolname <> current_user), '');
		IF made.object LIKE 'FUNCTION %' THEN
			EXECUTE 'GRANT EXECUTE ON ' || made.object || ' TO PUBLIC';
		END IF;
	END LOOP;
END
$$;

-- Each function checks the rights of its caller itself, and each view shows only rows that the caller may see.
GRANT USAGE ON SCHEMA pprepub, pprepub_internal TO PUBLIC;
-- Owners of publications make their live tables, and NAME_all, by way of them; others can make tables that nothing is read from.
GRANT USAGE ON FOREIGN SERVER pprepub, pprepub_releases TO PUBLIC;
REVOKE EXECUTE ON FUNCTION pprepub_internal.protect() FROM PUBLIC;
GRANT SELECT ON pprepub.taxonomy_node, pprepub.shard, pprepub.publication, pprepub.release, pprepub.catalog, pprepub.auditor, pprepub.erasure, pprepub.failed_answer, pprepub.noise, pprepub.progress, pprepub.storage,
	pprepub.health, pprepub_internal.health, pprepub_internal.attempt, pprepub_internal.measured, pprepub_internal.counted_view, pprepub_internal.counted_column, pprepub_internal.counted_node,
	pprepub_internal.shown_root, pprepub_internal.shown_checksum TO PUBLIC;

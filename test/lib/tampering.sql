-- Rows of the access method pprepub are not changed by anybody. Who tampers with them, past all protection, makes heaps of their tables
-- first, and can make them what they were:
--
--	stored_as(method)
--
-- for all tables that publications have of it. Both rewrites must have been let past the event triggers.
CREATE FUNCTION stored_as(method name) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	t regclass;
BEGIN
	FOR t IN SELECT c.oid FROM pprepub.catalog_relation r JOIN pg_class c ON c.oid = r.relation WHERE r.part IN ('release', 'log') AND c.relkind = 'r' LOOP
		EXECUTE format('ALTER TABLE %s SET ACCESS METHOD %I', t, method);
	END LOOP;
END $$;

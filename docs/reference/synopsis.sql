-- Prints each function of schema pprepub as docs/reference/functions.md shows it: its synopsis, and the sentence that
-- is its comment.  test/t/reference.pl compares the page with this.  A type in front of a default is left out.
--
--     psql -XAt -F ' ' -f docs/reference/synopsis.sql
WITH argument AS (
	SELECT p.oid, a.n, coalesce(p.proargmodes[a.n], 'i') AS mode, p.proargnames[a.n] AS name, pg_catalog.format_type(a.type, NULL) AS type,
		regexp_replace(pg_catalog.pg_get_function_arg_default(p.oid, a.n::int), '::[a-z ]+(\[\])?$', '') AS by_default
	FROM pg_catalog.pg_proc p CROSS JOIN LATERAL unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) WITH ORDINALITY a (type, n)
), signature AS (
	SELECT p.oid, p.proname, p.pronamespace, p.proretset,
		coalesce(string_agg(concat_ws(' ', CASE a.mode WHEN 'v' THEN 'VARIADIC' END, a.name, a.type, 'DEFAULT ' || a.by_default), ', ' ORDER BY a.n) FILTER (WHERE a.mode IN ('i', 'v')), '') AS arguments,
		string_agg(concat_ws(' ', a.name, a.type), ', ' ORDER BY a.n) FILTER (WHERE a.mode NOT IN ('i', 'v')) AS columns
	FROM pg_catalog.pg_proc p LEFT JOIN argument a USING (oid)
	GROUP BY p.oid, p.proname, p.pronamespace, p.proretset
)
SELECT format('%s.%s(%s) → %s', pronamespace::regnamespace, proname, arguments,
		CASE WHEN columns IS NULL THEN pg_catalog.pg_get_function_result(oid)
			 ELSE CASE WHEN proretset THEN 'SETOF ' ELSE '' END || '(' || columns || ')' END) AS synopsis,
	upper(left(comment, 1)) || substr(comment, 2) || '.' AS sentence
FROM signature, LATERAL (SELECT pg_catalog.obj_description(oid, 'pg_proc') AS comment) c
WHERE pronamespace = 'pprepub'::regnamespace
ORDER BY proname, arguments;

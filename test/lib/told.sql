-- told(COMMAND): the rows of a query, as text; or the error, with detail and hint.  Any role may call it, and write into pgTAP's tables.
CREATE FUNCTION told(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	told text;
	detail text;
	hint text;
BEGIN
	IF command !~ '^(SELECT|TABLE|VALUES|WITH)\M' THEN
		EXECUTE command;
		RETURN 'done';
	END IF;
	EXECUTE format('SELECT string_agg(CASE (SELECT count(*) FROM json_object_keys(row_to_json(q))) WHEN 1 THEN coalesce(q.c::text, ''NULL'') ELSE substr(q::text, 2, length(q::text) - 2) END, ''; '')'
		' FROM (%s) q(c)', command) INTO told;
	RETURN coalesce(told, 'no rows');
EXCEPTION WHEN OTHERS OR query_canceled THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', SQLSTATE || ' ' || SQLERRM, nullif(detail, ''), nullif(hint, ''));
END
$$;
SELECT format('GRANT ALL ON ALL TABLES IN SCHEMA %1$s TO PUBLIC; GRANT ALL ON ALL SEQUENCES IN SCHEMA %1$s TO PUBLIC', pg_my_temp_schema()::regnamespace) \gexec

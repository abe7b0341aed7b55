-- told(COMMAND): the rows of a query, as text; or the error, with detail and hint.
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
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', SQLSTATE || ' ' || SQLERRM, nullif(detail, ''), nullif(hint, ''));
END
$$;

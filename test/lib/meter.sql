-- How many answers there were since somebody last asked this.
CREATE SCHEMA meter;
GRANT USAGE ON SCHEMA meter TO PUBLIC;
CREATE TABLE meter.counted AS SELECT 0::bigint AS n;
CREATE FUNCTION meter.answers() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
	WITH before AS (SELECT n FROM meter.counted),
		now AS (UPDATE meter.counted SET n = (SELECT count(*) FROM pprepub_internal.catalog_release WHERE kind = 'query') RETURNING n)
	SELECT now.n - before.n FROM now, before
$$;

-- All lives need these: taxonomies, the procedures of a life, and tables of figures.
\i test/data/census.sql
\i test/data/census_levels.sql
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,country}'::text[]) name \g /dev/null
SELECT pprepub.create_range_taxonomy('age', 0, 128, '{1,2,4,8,16,32,64,128}') \g /dev/null

CREATE TABLE life (method text, releases int, asked bigint, rows bigint, seconds float8, bytes float8);
CREATE TABLE figure (method text, releases int, asked bigint, call text, seconds float8, bytes float8);
CREATE TABLE declared (method text, quasi_identifiers jsonb, params jsonb);
INSERT INTO declared
SELECT method, jsonb_build_object('age', ages, 'sex', 'suppress', 'education', 'taxonomy education', 'country', 'taxonomy country'), params
FROM (VALUES ('bpg', 'range', '{"k": 10, "l": 3}'::jsonb), ('global', 'range', '{"l": 2, "strategy": "constant-ratio", "releases": 20}'), ('m-invariance', 'range', '{"m": 3}'),
	('sequential', 'taxonomy age', '{"k": 3}')) d (method, ages, params);

CREATE FUNCTION peak_bytes() RETURNS float8 LANGUAGE sql VOLATILE AS $$
	SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+) kB'))[1]::float8 * 1024
$$;

-- Touches all shared buffers, which are counted to the backend from then on; then tells the peak so far.
CREATE TABLE wide AS SELECT i, repeat('x', 1000) AS x FROM generate_series(1, (SELECT 10 * setting::int FROM pg_settings WHERE name = 'shared_buffers')) i;
CREATE UNIQUE INDEX ON wide (i);
CREATE FUNCTION touched_bytes() RETURNS float8 LANGUAGE plpgsql VOLATILE SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
	PERFORM sum(length(x)) FROM wide WHERE i > 0;
	RETURN peak_bytes();
END
$$;

-- Publishes the table so many times; from one to the next 1 % of its people are replaced by newcomers, 0.2 % change.
CREATE PROCEDURE live(people int, releases int, moves boolean, changes boolean) LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 1 .. releases LOOP
		PERFORM pprepub.publish('current');
		COMMIT;
		DELETE FROM current WHERE moves AND id > (n - 1) * (people / 100) AND id <= n * (people / 100);
		INSERT INTO current SELECT id, age, sex, education, country, occupation FROM everybody
		WHERE moves AND id > people + (n - 1) * (people / 100) AND id <= people + n * (people / 100);
		UPDATE current SET secret = e.occupation FROM everybody e
		WHERE changes AND current.id % 500 = n AND e.id = current.id % 1000 + 1;
		COMMIT;
	END LOOP;
END
$$;

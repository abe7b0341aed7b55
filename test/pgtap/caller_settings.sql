-- Settings of the caller do not change whom the history knows.
BEGIN;
CREATE FUNCTION broken(publication text) RETURNS text LANGUAGE sql AS $$ SELECT coalesce(string_agg(check_name, ' ' ORDER BY check_name), '') FROM pprepub.audit(publication) WHERE NOT holds $$;

-- Keys that are arrays are remembered as text, in which array_nulls has a say.
CREATE TABLE people AS SELECT ARRAY['p' || i, NULL] AS id, i % 60 AS age, 'd' || i % 7 AS ill FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
SELECT pprepub.publish('people') \g /dev/null
DELETE FROM people WHERE age % 10 = 3;
SET LOCAL array_nulls = off;
SELECT pprepub.publish('people') \g /dev/null
SELECT is(broken('people'), '', 'arrays with NULLs are known again');
RESET array_nulls;
SELECT is(broken('people'), '', 'as they were');
SELECT is((SELECT count(*) FROM pprepub.neighborhoods('people'), generate_series(1, records)), 100::bigint, 'nobody is taken for a newcomer');

-- possible_parameters() counts what alter_publication() asks about.
DROP ROLE IF EXISTS possible_reader;
CREATE ROLE possible_reader;
CREATE TABLE people AS SELECT i AS id, hashint4(i) & 63 AS age, 'ill ' || (hashint4(-i) & 7) AS ill, hashint4(i + 9) & 63 AS cost FROM generate_series(1, 300) i;
SELECT pprepub.create_publication('p', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2, "frequency": 1.5, "t": 0.8, "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT pprepub.create_publication('m', 'people', 'id', '{"age": "range"}', 'ill', 'm-invariance', '{"m": 2}', beside => '{p}') \g /dev/null
SELECT is_empty('SELECT * FROM pprepub.possible_parameters(''p'')', 'nobody was published, nobody can be lost');
SELECT pprepub.publish(p) FROM unnest('{p,m}'::text[]) p \g /dev/null
DELETE FROM people WHERE id % 7 = 0;
SELECT pprepub.publish(p) FROM unnest('{p,m}'::text[]) p \g /dev/null
SELECT is_empty('SELECT * FROM pprepub.possible_parameters(''m'')', 'sets of this method are not judged by numbers');

CREATE FUNCTION lost(params jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	message text;
BEGIN
	PERFORM pprepub.alter_publication('p', params);
	RAISE EXCEPTION 'with these parameters 0 people';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT;
	RETURN substring(message FROM 'these parameters (\d+) people');
END $$;
CREATE TABLE possible AS SELECT * FROM pprepub.possible_parameters('p');
SELECT set_eq('SELECT DISTINCT parameter FROM possible', '{k,l,frequency,t}'::text[], 'of all that are declared, and have strengths');
SELECT is(lost(jsonb_build_object(parameter, value)), people_lost, format('%s %s loses %s people', parameter, value, people_lost)) FROM possible;
SELECT cmp_ok(lost(jsonb_build_object(parameter, value + 1)), '>', people_lost, format('%s %s loses more', parameter, value + 1))
	FROM (SELECT *, lead(value) OVER (PARTITION BY parameter ORDER BY value) AS next FROM possible) p WHERE parameter IN ('k', 'l') AND next IS NOT NULL;
SELECT is(count(*) FILTER (WHERE people_lost > 0) > 0, true, parameter || ' can be too strong') FROM possible GROUP BY parameter;
SELECT is((SELECT params->>'k' FROM pprepub.publication WHERE name = 'p'), '4', 'nothing is declared by it');
SET ROLE possible_reader;
SELECT throws_ok('SELECT * FROM pprepub.possible_parameters(''p'')', '42501', NULL, 'for the owner');
RESET ROLE;
DROP ROLE possible_reader;

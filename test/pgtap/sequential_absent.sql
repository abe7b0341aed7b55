-- Sequences where people leave and come back: whoever knows who was there when adds and subtracts what all releases show.

CREATE TABLE everybody AS SELECT i AS id, 20 + i % 2 AS age, 'd' || i % 7 AS ill FROM generate_series(1, 63) i;
CREATE TABLE people (LIKE everybody);
-- Releases of those whom conditions tell, one after the other; which of them came about.
CREATE FUNCTION live(there text[], k numeric, privacy text DEFAULT 'linkability') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	done text := '';
BEGIN
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'sequential', jsonb_build_object('k', k, 'seed', 1, 'privacy', privacy));
	FOR n IN 1 .. cardinality(there) LOOP
		TRUNCATE people;
		EXECUTE 'INSERT INTO people SELECT * FROM everybody WHERE ' || there[n];
		BEGIN
			PERFORM pprepub.publish('people', columns => '{ill}');
			done := done || n;
		EXCEPTION WHEN no_data_found THEN
			NULL;
		END;
	END LOOP;
	PERFORM pprepub.drop_publication('people', true);
	RETURN done;
END $$;

-- Two releases
SELECT is(live('{true, "id > 14", "id > 1"}', 3), '12', 'who has not come back with the others would be found beside the first release');
SELECT is(live('{"id > 14", true, "id > 1"}', 3), '12', 'and who leaves again alone');
SELECT is(live('{"id <= 28", "id <= 1 OR id > 28"}', 3), '12', 'but who is the only one to stay may have any value of both releases');

-- More of them: 1 - 2 is those who left, 3 - 4 the same without one.
SELECT is(live(ARRAY['id <= 42', 'id <= 21', 'true', 'id <= 21 OR id > 42' || who], k, privacy), done, format('three releases, and a fourth with %L, %s %s', who, privacy, k))
FROM (VALUES (' OR id = 25', 3, 'linkability', '123'), (' OR id IN (25, 32)', 2, 'linkability', '123'), (' OR id IN (25, 26)', 3, 'linkability', '123'),
	(' OR id IN (25, 26, 27)', 3, 'linkability', '1234'), ('', 3, 'linkability', '1234'), (' OR id IN (25, 26, 27, 32)', 2.5, 'diversity', '123'),
	(' OR id IN (25, 26, 27)', 2.5, 'diversity', '1234')) v(who, k, privacy, done);
-- The owner is told.
CREATE FUNCTION people_are(condition text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE people;
	EXECUTE 'INSERT INTO people SELECT * FROM everybody WHERE ' || condition;
END $$;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'sequential', '{"k": 3, "seed": 1}') \g /dev/null
SELECT people_are(condition), pprepub.publish('people', columns => '{ill}') FROM unnest('{id <= 42,id <= 21,true}'::text[]) condition \g /dev/null
SELECT people_are('id <= 21 OR id > 42 OR id = 25') \g /dev/null
SELECT throws_ok($$ SELECT pprepub.publish('people', columns => '{ill}') $$, 'P0002', 'no release of publication "people" was found that keeps what its method promises', 'an error says why');
SELECT lives_ok($$ SELECT pprepub.publish('people', columns => '{age}') $$, 'without the sensitive column there is none');
SELECT pprepub.drop_publication('people', true) \g /dev/null

-- 1 + 2 - 3 is those of 1 and 2 twice, but that would take that they are few in both.
SELECT is(live('{"id <= 28", "id <= 7 OR id > 28", "id > 7"}', 3), '123', 'a few stay who are enough');

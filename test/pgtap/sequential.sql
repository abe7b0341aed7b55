-- Method sequential on random lives: whatever it publishes keeps what was promised, as linkability() tells.
BEGIN;
SELECT setseed(0.7) \g /dev/null

CREATE TABLE drawn (leaf text, parent text, root text);
INSERT INTO drawn SELECT 'c' || i, 'g' || i / 3, 'all' FROM generate_series(0, 7) i;
SELECT pprepub.create_taxonomy('drawn', 'drawn') \g /dev/null
CREATE TABLE people (id int PRIMARY KEY, age int, zip text, country text, sex text, ill text);
CREATE FUNCTION add_people(n int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO people SELECT coalesce((SELECT max(id) FROM people), 0) + i, CASE WHEN random() < 0.95 THEN (random() * random() * 30)::int END,
		'1' || (random() * 5)::int || (random() * 3)::int, 'c' || floor(random() * 8), CASE WHEN random() < 0.5 THEN 'F' ELSE 'M' END,
		CASE WHEN random() < 0.95 THEN 'd' || floor(random() * random() * 9) END FROM generate_series(1, n) i $$;
CREATE FUNCTION some_columns() RETURNS name[] LANGUAGE sql AS $$
	SELECT coalesce(array_agg(c::name ORDER BY c) FILTER (WHERE random() < 0.5), '{ill}') FROM unnest('{age,zip,country,sex,ill}'::text[]) c $$;
-- What came of a publish: '' if it was refused for a reason that there is.
CREATE FUNCTION try_publish(publication text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.publish(publication, columns => some_columns());
	RETURN 'published';
EXCEPTION WHEN no_data_found THEN
	RETURN '';
END $$;
-- The least of all but those who are linked to nothing that is shown.
CREATE FUNCTION kept(publication text, k float8, diversity boolean) RETURNS boolean LANGUAGE sql AS $$
	SELECT coalesce(bool_and(CASE WHEN kept.diversity THEN p.diversity ELSE p.linkability END >= k), true) FROM pprepub.link_profile(publication) p
	WHERE p.sensitive IS NOT NULL AND p.sensitive::text NOT LIKE '[{"value": null, %}]' $$;

-- The same people
CREATE FUNCTION live(params jsonb, k float8, diversity boolean, moving boolean) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	published int := 0;
BEGIN
	TRUNCATE people;
	PERFORM add_people(60 + (random() * 100)::int);
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range", "zip": "prefix", "country": "taxonomy drawn", "sex": "suppress"}', 'ill', 'sequential', params);
	FOR n IN 1 .. 5 LOOP
		CONTINUE WHEN try_publish('people') = '';
		published := published + 1;
		IF NOT moving AND NOT kept('people', k, diversity) THEN
			RETURN NEXT fail(format('%s: release %s of %s', params, published, (SELECT array_agg(columns) FROM pprepub.release)));
		END IF;
		IF EXISTS (SELECT FROM pprepub.audit('people') WHERE NOT holds) THEN
			RETURN NEXT fail(format('%s: the audit of release %s', params, published));
		END IF;
		IF moving THEN
			DELETE FROM people WHERE random() < 0.1;
			PERFORM add_people(20);
			UPDATE people SET age = age + 1 WHERE random() < 0.05;
			UPDATE people SET ill = 'd' || floor(random() * 9) WHERE random() < 0.1;
		END IF;
	END LOOP;
	PERFORM pprepub.drop_publication('people', true);
	RETURN NEXT cmp_ok(published, '>', 0, params::text);
END $$;
SELECT live(jsonb_build_object('k', k), k, false, false) FROM unnest('{2, 4}'::int[]) k, generate_series(1, 3);
SELECT live(jsonb_build_object('k', k, 'privacy', 'diversity', 'loss', 'em'), k, true, false) FROM unnest('{1.2, 1.5}'::float8[]) k, generate_series(1, 2);
SELECT live('{"k": 3, "model": "cut"}', 3, false, false);
SELECT live(jsonb_build_object('k', 3, 'approach', approach), 3, false, true) FROM unnest('{unifying, separative}'::text[]) approach, generate_series(1, 2);

-- Previewing leaves nothing behind, and publishing gives what was previewed.
SELECT add_people(50) \g /dev/null
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress"}', 'ill', 'sequential', '{"k": 3}') \g /dev/null
SELECT pprepub.publish('people', columns => '{age, zip}') \g /dev/null
CREATE TABLE previewed AS SELECT * FROM pprepub.preview('people', columns => '{age, ill}') WHERE metric IN ('lm', 'em', 'rows', 'classes');
SELECT is((SELECT count(*)::int FROM pprepub.release), 1, 'previewed');
SELECT pprepub.publish('people', columns => '{age, ill}') \g /dev/null
SELECT is_empty($$ SELECT metric, round(value::numeric, 6) FROM previewed WHERE metric IN ('lm', 'em')
	EXCEPT SELECT metric, round(value::numeric, 6) FROM pprepub.metrics('people', 2) $$, 'the same seed gives the same release');

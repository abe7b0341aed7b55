-- A history may begin with answers that have nobody in them, for whatever reason: it is whole, and goes on.
CREATE TABLE people AS SELECT i AS id, i AS age, 'd' || i % 3 AS ill FROM generate_series(1, 20) i;
CREATE VIEW failing AS SELECT 1 / (id - id) AS id, age, ill FROM people;
CREATE TABLE deserted AS SELECT * FROM people WITH NO DATA;
CREATE TABLE few AS SELECT * FROM people LIMIT 2;
SELECT pprepub.create_publication(name, name::regclass, 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "repair": "dirty", "max_added": 1}')
	FROM unnest('{failing,deserted,few}'::text[]) name \g /dev/null

CREATE FUNCTION broken(name text) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(check_name, ' ') FROM pprepub.audit(name) WHERE NOT holds $$;
CREATE FUNCTION history_of(name text) RETURNS bigint[] LANGUAGE sql AS $$
	SELECT ARRAY[(SELECT count(*) FROM pprepub.class_members(name)), (SELECT count(*) FROM pprepub.groups(name)),
		(SELECT count(*) FROM pprepub.linked_values(name)), (SELECT count(*) FROM pprepub.attack(name)), (SELECT count(*) FROM pprepub.release WHERE publication = name)]
$$;
-- asked by code, which is not told of errors
SELECT results_eq('SELECT count(*) FROM published.failing()', 'VALUES (0::bigint)', 'a source that fails');
SELECT is((SELECT count(*) FROM published.deserted()), 0::bigint, 'a source without people');
SELECT is((SELECT count(*) FROM published.few()), 0::bigint, 'too few people');
SELECT is(history_of(name), '{0,0,0,0,1}', name || ': a history of nobody') FROM unnest('{failing,deserted,few}'::text[]) name;
SELECT ok((SELECT holds FROM pprepub.audit(name) WHERE check_name = 'checksums'), name || ': an answer of nothing') FROM unnest('{failing,deserted,few}'::text[]) name;
SELECT is((SELECT equal FROM pprepub.rebuild_history(name)), true, name || ': all that there is is remembered') FROM unnest('{failing,deserted,few}'::text[]) name;
SELECT is(broken('failing'), 'covers', 'what fails cannot be looked at, all else can');
SELECT is(broken('deserted'), NULL, 'nothing is wrong');
SELECT is(broken('few'), NULL, 'there either');

CREATE OR REPLACE VIEW failing AS SELECT id, age, ill FROM people;
INSERT INTO deserted TABLE people;
INSERT INTO few SELECT * FROM people WHERE id NOT IN (SELECT id FROM few);
SELECT is((SELECT count(*) FROM published.failing()), 20::bigint, 'it fails no longer');
SELECT is((SELECT count(*) FROM published.deserted()), 20::bigint, 'people came');
SELECT is((SELECT count(*) FROM published.few()), 20::bigint, 'more came');
SELECT is((SELECT rows FROM pprepub.publish(name)), 20::bigint, name || ': they can be published') FROM unnest('{failing,deserted,few}'::text[]) name;
SELECT is(broken(name), NULL, name || ': all holds') FROM unnest('{failing,deserted,few}'::text[]) name;
SELECT is((SELECT array_agg(DISTINCT release ORDER BY release) FROM pprepub.class_members(name)), '{2,3}', name || ': nobody was in the first') FROM unnest('{failing,deserted,few}'::text[]) name;

-- A worker may look at a history that has not begun: whoever was refused before anything was answered may ask again.
CREATE TABLE later AS SELECT i AS id, i AS age, 'd' || i % 3 AS ill FROM generate_series(1, 20) i;
SELECT pprepub.create_publication('later', 'later', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "repair": "dirty", "max_added": 1}') \g /dev/null
SELECT throws_ok($$ SELECT * FROM published.later(columns => '{height}') $$, '42703', NULL, 'a first question is refused');
SELECT is((SELECT count(*) FROM published.later()), 20::bigint, 'the next one is answered');
SELECT cmp_ok((SELECT count(*) FROM published.later('age > 10')), '>=', 10::bigint, 'and so is the next');
SELECT is(broken('later'), NULL, 'all holds');

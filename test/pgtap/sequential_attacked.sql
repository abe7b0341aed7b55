-- An observer, or a hasty owner, tries on sequences: guessed seeds, the order of rows, publishing again and again,
-- rolling back, taxonomies of odd shapes.

CREATE TABLE people AS SELECT i AS id, 20 + (i * 7) % 30 AS age, CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END AS sex, 'd' || (i * i) % 11 AS ill FROM generate_series(1, 300) i;
CREATE FUNCTION declare(params jsonb) RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', 'sequential', params) $$;

-- ---- Seeds ----

-- One seed gives the same cells, but not the same order: that is drawn anew, and does not tell of the source's.
CREATE TABLE made (try int, place bigint, age int4range, sex text, ill text);
CREATE PROCEDURE make(try int, params jsonb) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM declare(params);
	PERFORM pprepub.publish('people', columns => '{age, sex}');
	PERFORM pprepub.publish('people', columns => '{age, ill}');
	INSERT INTO made SELECT try, row_number() OVER (), age, sex, ill FROM published.people_2;
	PERFORM pprepub.drop_publication('people', true);
END $$;
CALL make(1, '{"k": 3, "seed": 7}');
CALL make(2, '{"k": 3, "seed": 7}');
SELECT results_eq('SELECT age, ill, count(*) FROM made WHERE try = 1 GROUP BY 1, 2 ORDER BY 1, 2',
	'SELECT age, ill, count(*) FROM made WHERE try = 2 GROUP BY 1, 2 ORDER BY 1, 2', 'the same seed, the same cells');
SELECT isnt((SELECT string_agg(ill, ',' ORDER BY place) FROM made WHERE try = 1), (SELECT string_agg(ill, ',' ORDER BY place) FROM made WHERE try = 2), 'but another order');
SELECT cmp_ok(abs(corr(place, length)), '<', 0.3::float8, 'rows are not in the order of the source, as far as values tell')
	FROM (SELECT m.place, avg(p.id) AS length FROM made m JOIN people p USING (ill) WHERE try = 1 GROUP BY m.place) s;

-- Previewing leaves nothing behind, and publishing gives what was previewed.
SELECT declare('{"k": 3}') \g /dev/null
SELECT pprepub.publish('people', columns => '{age, sex}') \g /dev/null
CREATE TABLE previewed AS SELECT metric, round(value::numeric, 6) FROM pprepub.preview('people', columns => '{age, ill}') WHERE metric IN ('lm', 'em');
SELECT is((SELECT count(*)::int FROM pprepub.release), 1, 'previewed');
SELECT pprepub.publish('people', columns => '{age, ill}') \g /dev/null
SELECT is_empty($$ TABLE previewed EXCEPT SELECT metric, round(value::numeric, 6) FROM pprepub.metrics('people', 2) $$, 'the same seed gives the same release');
SELECT pprepub.drop_publication('people', true) \g /dev/null

-- ---- Publishing again and again ----

SELECT declare('{"k": 3}') \g /dev/null
SELECT pprepub.publish('people', columns => '{age, sex}') \g /dev/null
SELECT lives_ok($$ SELECT pprepub.publish('people', columns => '{age, ill}') $$, format('the same columns, time %s', n)) FROM generate_series(1, 4) n;
SELECT cmp_ok(linkability, '>=', 3, 'all of them together') FROM pprepub.linkability('people');
-- All of somebody's cells hold him.
SELECT ok(holds, check_name) FROM pprepub.audit('people');
-- Rolled back, nothing was published, and the next release has its number.
BEGIN;
SELECT number AS number FROM pprepub.publish('people', columns => '{sex, ill}') \gset rolled_
ROLLBACK;
SELECT number AS number FROM pprepub.publish('people', columns => '{sex}') \gset next_
SELECT is(:next_number, :rolled_number, 'a release that was rolled back was none');
SELECT is((SELECT count(*) FROM pprepub.release), 6::bigint, 'nor is there a trace of it');
SELECT ok(holds, check_name || ' after it') FROM pprepub.audit('people') WHERE check_name IN ('joined', 'invariant', 'rows');
SELECT pprepub.drop_publication('people', true) \g /dev/null

-- ---- Taxonomies ----

CREATE TABLE deep AS SELECT 'l' || i AS leaf, 'n' || i AS p1, 'n' || i AS p2, 'm' || i / 2 AS p3, 'm' || i / 2 AS p4, 'm' || i / 2 AS p5, 'k' || i / 4 AS p6, 'j' || i / 8 AS p7, 'j' || i / 8 AS p8, 'root' AS p9 FROM generate_series(0, 15) i;
CREATE TABLE single AS SELECT 'only' AS leaf, 'root' AS root;
CREATE TABLE names AS SELECT * FROM (VALUES ('a', 'A', 'all'), ('ab', 'A', 'all'), ('A ', 'B', 'all'), ('a*', 'B', 'all')) v(leaf, parent, root);
SELECT pprepub.create_taxonomy(t, t::regclass) FROM unnest('{deep, single, names}'::text[]) t \g /dev/null
CREATE TABLE trees AS SELECT i AS id, 'l' || (i * 5) % 16 AS far, 'only' AS one, (ARRAY['a', 'ab', 'A ', 'a*'])[1 + i % 4] AS odd, 'd' || (i * i) % 11 AS ill FROM generate_series(1, 200) i;
SELECT pprepub.create_publication('trees', 'trees', 'id', '{"far": "taxonomy deep", "one": "taxonomy single", "odd": "taxonomy names"}', 'ill', 'sequential', '{"k": 4}') \g /dev/null
SELECT lives_ok(format($$ SELECT pprepub.publish('trees', columns => %L) $$, columns), columns) FROM unnest('{"{far,one,odd}","{far,one,ill}","{odd,ill}","{one,odd,far,ill}"}'::text[]) columns;
SELECT cmp_ok(linkability, '>=', 4, 'trees of odd shapes') FROM pprepub.linkability('trees');
SELECT ok(holds, check_name || ' of trees') FROM pprepub.audit('trees');
-- Half of the people leave: what they were is recovered along trees.
DELETE FROM trees WHERE id % 2 = 0;
SELECT lives_ok($$ SELECT pprepub.publish('trees', columns => '{one,ill}') $$, 'half have left');
SELECT alike(measured, '% of 200 people 0 less than promised', 'all are judged') FROM pprepub.audit('trees') WHERE check_name = 'joined';

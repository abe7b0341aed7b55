-- Releases are joined with the leaves of their day: a node of an earlier release covers no leaf that was added later.  Random
-- trees that grow between releases of people who come and leave; pairs of records are compared by their sets of leaves.
BEGIN;
SELECT setseed(0.23) \g /dev/null
CREATE FUNCTION draw(choices anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS
	'SELECT choices[1 + floor(random() * array_length(choices, 1))::int]';

CREATE TABLE levels (leaf text, parent text, root text);
CREATE TABLE people (id int PRIMARY KEY, country text, ill text);
-- Leaves of a node in the tree that a release was made with.
CREATE TABLE tree (release int, leaf text, parent text, root text);
CREATE FUNCTION leaves_of(r int, node text) RETURNS text[] LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN node IS NULL THEN '{nothing}' ELSE array_agg(leaf) || CASE WHEN node = 'World' THEN '{nothing}'::text[] ELSE '{}' END END
	FROM tree t WHERE t.release = r AND node IN (leaf, parent, root)
$$;
CREATE TABLE record (r int, person int, leaves text[], told boolean, ill text, absent boolean);

CREATE FUNCTION judged(kind text) RETURNS text LANGUAGE sql AS $$
	WITH together AS (SELECT array_agg(DISTINCT (a.absent, b.absent)::text) AS kinds FROM record a JOIN record b USING (person) WHERE a.r = 1 AND b.r = 2),
		edge AS (SELECT a.leaves AS a, b.leaves AS b, coalesce(CASE WHEN a.told THEN a.ill END, CASE WHEN b.told THEN b.ill END) AS ill FROM record a CROSS JOIN record b CROSS JOIN together
			WHERE a.r = 1 AND b.r = 2 AND (a.absent OR b.absent OR a.leaves && b.leaves) AND (NOT a.told OR NOT b.told OR a.ill = b.ill)
				AND (kind = 'mj_unifying' OR (a.absent, b.absent)::text = ANY (kinds))),
		linked AS (SELECT p.country, (SELECT count(DISTINCT coalesce(ill, 'not shown')) FROM edge WHERE (a IS NULL OR coalesce(p.country, 'nothing') = ANY (a)) AND (b IS NULL OR coalesce(p.country, 'nothing') = ANY (b))) AS linkability
			FROM people p WHERE EXISTS (SELECT FROM record WHERE person = p.id))
	SELECT concat_ws(' ', (SELECT count(*) FROM edge), (SELECT nullif(min(nullif(linkability, 0)), 0) FROM linked WHERE EXISTS (SELECT FROM record WHERE told)))
$$;

CREATE FUNCTION grow(r int) RETURNS void LANGUAGE plpgsql AS $fn$
BEGIN
	IF random() < 0.8 THEN
		INSERT INTO levels SELECT 'l' || r || i, 'n' || floor(random() * 4)::int, 'World' FROM generate_series(1, 2) i;
		PERFORM pprepub.extend_taxonomy('tree', 'levels');
		PERFORM pprepub.alter_publication('people', '{}');
	END IF;
END
$fn$;

CREATE FUNCTION try_tree(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	columns text[] := draw('{"{country,ill}","{country}"}'::text[]);
BEGIN
	TRUNCATE levels, people, tree, record;
	INSERT INTO levels SELECT 'l' || i, 'n' || i % (1 + number % 3), 'World' FROM generate_series(1, 4) i;
	PERFORM pprepub.create_taxonomy('tree', 'levels');
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"country": "taxonomy tree"}', 'ill', 'bpg', jsonb_build_object('k', draw('{1,2,2,3}'::int[])));
	FOR r IN 1 .. 2 LOOP
		INSERT INTO people SELECT 100 * r + i, CASE WHEN random() < 0.9 THEN (SELECT draw(array_agg(leaf)) FROM levels WHERE r = 1 OR random() < 0.5 OR leaf ~ '^l2') END, draw('{a,b,c,d}'::text[])
			FROM generate_series(1, CASE r WHEN 1 THEN 9 ELSE 4 END) i;
		INSERT INTO tree SELECT r, l.* FROM levels l;
		PERFORM pprepub.publish('people', columns => CASE r WHEN 1 THEN columns ELSE '{country,ill}' END::name[]);
		EXECUTE format('INSERT INTO record SELECT DISTINCT %s, m.key::int, leaves_of(%1$s, c.country), ''ill'' = ANY (%L), p.ill, false
			FROM pprepub.class_members(''people'') m JOIN published.people_%1$s c USING (class) JOIN people p ON p.id = m.key::int WHERE m.release = %1$s',
			r, CASE r WHEN 1 THEN columns ELSE '{country,ill}' END);
		IF r = 1 THEN
			PERFORM grow(2);
			DELETE FROM people WHERE random() < 0.3;
		END IF;
	END LOOP;
	INSERT INTO record SELECT r, person, NULL, told AND EXISTS (SELECT FROM record y WHERE y.person = p.person AND y.told), (SELECT ill FROM record y WHERE y.person = p.person), true
		FROM (SELECT DISTINCT r, told FROM record) x CROSS JOIN (SELECT DISTINCT person FROM record) p
		WHERE NOT EXISTS (SELECT FROM record y WHERE y.r = x.r AND y.person = p.person);
	RETURN QUERY SELECT is((SELECT concat_ws(' ', edges, linkability) FROM pprepub.linkability('people', NULL, kind)), judged(kind), format('tree %s, %s, %s', number, columns, kind))
		FROM unnest('{mj,mj_unifying}'::text[]) kind;
	PERFORM pprepub.drop_publication('people', true);
	PERFORM pprepub.drop_taxonomy('tree');
END
$fn$;
SELECT try_tree(number) FROM generate_series(1, 40) number;

-- Releases after a tree has grown are as safe as before.
CREATE FUNCTION try_sequence(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	published int := 0;
BEGIN
	TRUNCATE levels, people;
	INSERT INTO levels SELECT 'l' || i, 'n' || i % 3, 'World' FROM generate_series(1, 6) i;
	PERFORM pprepub.create_taxonomy('tree', 'levels');
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"country": "taxonomy tree"}', 'ill', 'sequential', '{"k": 2}');
	FOR r IN 1 .. 3 LOOP
		INSERT INTO people SELECT 100 * r + i, (SELECT draw(array_agg(leaf)) FROM levels), draw('{a,b,c,d}'::text[]) FROM generate_series(1, 30) i;
		BEGIN
			PERFORM pprepub.publish('people', columns => CASE r WHEN 2 THEN '{country}' ELSE '{country,ill}' END::name[]);
			published := published + 1;
		EXCEPTION WHEN no_data_found OR data_exception THEN
		END;
		PERFORM grow(r + 1);
		DELETE FROM people WHERE random() < 0.1;
	END LOOP;
	RETURN QUERY SELECT ok(linkability >= 2 AND published > 1, format('sequence %s: %s releases, linkability %s', number, published, linkability)) FROM pprepub.linkability('people');
	PERFORM pprepub.drop_publication('people', true);
	PERFORM pprepub.drop_taxonomy('tree');
END
$fn$;
SELECT try_sequence(number) FROM generate_series(1, 15) number;

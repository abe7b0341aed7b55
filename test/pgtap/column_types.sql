-- Types that stand on no line: as what they can be published, and the cast that is named where they cannot. And keys of several columns.
CREATE TABLE people AS SELECT i AS id, i / 20 AS house, i % 20 AS person, i % 50 AS age, 'ill ' || i % 5 AS ill, (i % 9 * 100.5)::numeric::money AS money, i % 9 * interval '1 day' AS "interval",
	('10.0.' || i % 9 || '.' || i % 3)::inet AS inet, ('10.0.' || i % 9 || '.0/24')::cidr AS cidr, point(i % 9, 1) AS point, time '08:00' + i % 9 * interval '1 hour' AS time FROM generate_series(1, 100) i;
CREATE FUNCTION try(key name, qis jsonb, sensitive text, insensitive name[], OUT state text, OUT hint text, OUT shown text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.create_publication('p', 'people', key, qis, sensitive, 'bpg', '{"k": 5}', insensitive);
	PERFORM pprepub.publish('p');
	SELECT to_jsonb(s) ->> coalesce((SELECT k FROM jsonb_object_keys(qis) k WHERE k <> 'age'), insensitive[1], sensitive) INTO shown FROM pprepub.synthetic('p', 1) s;
	PERFORM pprepub.drop_publication('p', true);
	state := '00000';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, hint = PG_EXCEPTION_HINT;
END $$;
SELECT is((t.state, t.hint LIKE '%' || c.named || '%'), (CASE WHEN c.named IS NULL THEN '00000' ELSE '42804' END, CASE WHEN c.named IS NOT NULL THEN true END), format('%s as %s: %s', c.type, c.role, coalesce(t.hint, t.shown, 'NULL')))
FROM (VALUES ('money', 'range', 'money::numeric'), ('money', 'prefix', 'money::numeric'), ('money', 'suppress', NULL), ('money', 'sensitive', 'money::numeric'), ('money', 'insensitive', NULL),
	('interval', 'range', 'extract(epoch FROM "interval")::integer'), ('interval', 'suppress', NULL), ('interval', 'sensitive', NULL), ('interval', 'insensitive', NULL),
	('inet', 'range', 'host(inet)'), ('inet', 'prefix', 'host(inet)'), ('inet', 'suppress', NULL), ('inet', 'sensitive', NULL), ('inet', 'insensitive', NULL), ('cidr', 'prefix', 'host(cidr)'),
	('point', 'range', 'point[0], point[1]'), ('time', 'range', 'extract(epoch FROM "time")::integer'), ('time', 'sensitive', NULL)) c (type, role, named),
	LATERAL try('id', CASE WHEN c.role IN ('sensitive', 'insensitive') THEN '{"age": "range"}' ELSE jsonb_build_object(c.type, c.role) END, CASE c.role WHEN 'sensitive' THEN c.type ELSE 'ill' END,
		CASE c.role WHEN 'insensitive' THEN ARRAY[c.type::name] ELSE '{}' END) t;
-- The casts that are named, and the key.
SELECT is((try(k, '{"age": "range"}', 'ill', '{}')).hint, $$Declare a view that makes one of several, SELECT jsonb_build_array(a, b) AS key, …; or, if one of them names the person, rows => 'several'.$$, k)
	FROM unnest('{"{house,person}","house, person"}'::name[]) k;
CREATE VIEW cast_people AS SELECT jsonb_build_array(house, person) AS key, money::numeric AS money, extract(epoch FROM "interval")::integer AS "interval", host(inet) AS inet, point[0] AS x, extract(epoch FROM "time")::integer AS "time", ill FROM people;
SELECT lives_ok($$SELECT pprepub.create_publication('c', 'cast_people', 'key', '{"money": "range", "interval": "range", "inet": "prefix", "x": "range", "time": "range"}', 'ill', 'bpg', '{"k": 5}')$$, 'a view with the casts');
SELECT is(rows, 100::bigint, 'is published') FROM pprepub.publish('c');

-- A leaf that was a typo: the taxonomy is made anew without it, and publications that have never shown it adopt that.
CREATE TABLE levels AS SELECT leaf, node, 'all' AS root FROM (VALUES ('a', 'x'), ('b', 'x'), ('c', 'y'), ('b ', 'x'), ('alone', 'z')) v (leaf, node);
CREATE TABLE wards AS SELECT i AS id, chr(97 + i / 40) AS ward, 'ill ' || i % 4 AS ill FROM generate_series(0, 119) i;
SELECT pprepub.create_taxonomy('wards', 'levels') \g /dev/null
SELECT pprepub.create_publication('w', 'wards', 'id', '{"ward": "taxonomy wards"}', 'ill', 'bpg', '{"k": 5}') \g /dev/null
SELECT pprepub.publish('w') \g /dev/null
CREATE FUNCTION without(gone text[], extra text DEFAULT NULL, OUT leaves bigint) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.drop_taxonomy('wards');
	EXECUTE format('CREATE TABLE fewer AS SELECT * FROM levels WHERE leaf <> ALL (%L) UNION SELECT %3$L, ''x'', ''all'' WHERE %3$L IS NOT NULL', gone, NULL, extra);
	PERFORM pprepub.create_taxonomy('wards', 'fewer');
	DROP TABLE fewer;
	PERFORM pprepub.alter_publication('w');
	leaves := (SELECT n.leaves FROM pprepub_internal.catalog_column c JOIN pprepub_internal.catalog_tree_node n USING (tree) WHERE c.taxonomy = 'wards' AND n.parent IS NULL);
END $$;
SELECT is(without('{a}'), 5::bigint, 'not without one that a release shows');
SELECT is(without('{alone}'), 5::bigint, 'nor if a node becomes a leaf by it');
SELECT is(without('{"b ",b}'), 5::bigint, 'nor with another one that is shown');
SELECT is(without('{"b "}', 'd'), 5::bigint, 'one goes, one comes');
SELECT is(array_agg(node::text ORDER BY first_leaf), '{a,b,d,c,alone}', 'the typo is gone') FROM pprepub_internal.catalog_column c JOIN pprepub_internal.catalog_tree_node n USING (tree) WHERE c.taxonomy = 'wards' AND n.depth = 2;
INSERT INTO wards SELECT 1000 + i, 'd', 'ill ' || i % 4 FROM generate_series(1, 20) i;
SELECT is(r.rows, 140::bigint, 'the next release') FROM pprepub.publish('w') r;
SELECT is(count(*) FILTER (WHERE NOT holds), 0::bigint, 'all holds') FROM pprepub.audit('w');

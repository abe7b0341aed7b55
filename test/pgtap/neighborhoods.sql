-- neighborhoods(): against the log, the release tables and the source, all read by queries.
SET extra_float_digits = 1;
BEGIN;
SELECT setseed(0.7) \g /dev/null

-- ---- A few people, to be seen through ----

CREATE TABLE few AS SELECT * FROM (VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 50, 'a'), (4, 60, 'a')) v (id, age, ill);
SELECT pprepub.create_publication('few', 'few', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 2}') \g /dev/null
SELECT is_empty($$ SELECT FROM pprepub.neighborhoods('few') $$, 'no releases, no neighborhoods');
SELECT pprepub.publish('few') \g /dev/null
CREATE FUNCTION told(publication text) RETURNS SETOF text LANGUAGE sql AS
	$$ SELECT concat_ws(' ', signature, region, records, sensitive_values) FROM pprepub.neighborhoods(publication) $$;
SELECT set_eq($$ SELECT told('few') $$, '{"1 {\"age\": \"[10,21)\"} 2 2","1 {\"age\": \"[50,61)\"} 2 1"}'::text[], 'the cells of their classes');
UPDATE few SET age = age + 5 WHERE id <= 2;
SELECT pprepub.publish('few') \g /dev/null
SELECT set_eq($$ SELECT told('few') $$, '{"11 {\"age\": \"[15,21)\"} 2 2","11 {\"age\": \"[50,61)\"} 2 1"}'::text[], 'what two classes have in common');
UPDATE few SET age = age + 60 WHERE id <= 2;
UPDATE few SET ill = 'a' WHERE id = 2;
SELECT pprepub.publish('few') \g /dev/null
SELECT set_eq($$ SELECT told('few') $$, '{"111 {\"age\": \"[75,86)\"} 2 1","111 {\"age\": \"[50,61)\"} 2 1"}'::text[], 'nothing: the region begins anew');
DELETE FROM few WHERE id <= 2;
SELECT pprepub.publish('few') \g /dev/null
SELECT set_eq($$ SELECT told('few') $$, '{"1110 {\"age\": \"[75,86)\"} 2 1","1111 {\"age\": \"[50,61)\"} 2 1"}'::text[], 'who has left is known as ever');
-- Where a change was undone, what was told before it is not told again.
UPDATE few SET age = 55 WHERE id = 3;
INSERT INTO few SELECT i, i * 100, 'a' FROM generate_series(5, 6) i;
SELECT pprepub.publish('few') \g /dev/null
UPDATE few SET age = age + 100 WHERE id <= 4;
SELECT pprepub.publish('few') \g /dev/null
UPDATE few SET age = age - 101 WHERE id <= 4;
SELECT pprepub.publish('few') \g /dev/null
SELECT ok('1111111 {"age": "[54,60)"} 2 1' IN (SELECT told('few')), 'changed back');
SAVEPOINT reading;
SET transaction_read_only = on;
SELECT count(*) AS n FROM pprepub.neighborhoods('few') \gset
SELECT count(*) AS links FROM pprepub.linked_values('few') \gset
ROLLBACK TO reading;
SELECT ok(:n > 0 AND :links > 0, 'in a transaction that only reads');

-- Names that look like something else, in every place where there is one; NULL as a sensitive value counts for none
CREATE TABLE "odd levels" AS SELECT * FROM (VALUES ('le''af "1"', 'ro\ot'), ('{', 'ro\ot')) v (leaf, root);
SELECT pprepub.create_taxonomy('tr"e''e', '"odd levels"') \g /dev/null
CREATE TABLE "odd people" AS SELECT i AS "ke""y", i AS "a""g'e\", (ARRAY['x"', 'y\'])[1 + i / 3] || i AS "{}", (ARRAY['le''af "1"', '{'])[1 + i / 3] AS "number", NULL::text AS "sensitive"
	FROM generate_series(1, 4) i;
SELECT pprepub.create_publication('o"d''d; p\', '"odd people"', 'ke"y',
	'{"a\"g''e\\": "range", "{}": "prefix", "number": "taxonomy tr\"e''e"}', 'sensitive', 'bpg', '{"k": 2}', target => 'o"ut') \g /dev/null
SELECT pprepub.publish('o"d''d; p\') \g /dev/null
SELECT set_eq($$ SELECT region || jsonb_build_object('records', records, 'sensitive', sensitive_values) FROM pprepub.neighborhoods('o"d''d; p\') $$,
	ARRAY['{"a\"g''e\\": "[1,3)", "{}": "x\"*", "number": "le''af \"1\"", "records": 2, "sensitive": 0}',
		'{"a\"g''e\\": "[3,5)", "{}": "y\\*", "number": "{", "records": 2, "sensitive": 0}']::jsonb[], 'hostile names');

-- ---- What must be told of any publication, found by queries ----

CREATE TABLE levels AS SELECT 'leaf' || i AS leaf, CASE WHEN i = 0 THEN 'leaf0' ELSE 'group' || i / 3 END AS middle,
	CASE WHEN i = 0 THEN 'leaf0' ELSE 'part' || i / 6 END AS part, 'root' AS root FROM generate_series(0, 13) i;
SELECT pprepub.create_taxonomy('tree', 'levels') \g /dev/null
SELECT pprepub.create_range_taxonomy('ladder', 0, 64, '{4,16}') \g /dev/null

-- Cells that are known of two people who are published twice, beside four others who stay as they are.
CREATE FUNCTION twice(kind text, type text, once text[], again text[], others text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	told jsonb;
BEGIN
	EXECUTE format('CREATE TABLE six AS SELECT i AS id, CASE WHEN i <= 2 THEN $1[i] ELSE $2 END::%s AS cell, ''x''::text AS ill FROM generate_series(1, 6) i', type)
		USING once, others;
	PERFORM pprepub.create_publication('six', 'six', 'id', jsonb_build_object('cell', kind), 'ill', 'bpg', '{"k": 2}');
	PERFORM pprepub.publish('six');
	EXECUTE format('UPDATE six SET cell = $1[id]::%s WHERE id <= 2', type) USING again;
	PERFORM pprepub.publish('six');
	SELECT region -> 'cell' INTO told FROM pprepub.neighborhoods('six') n JOIN published_private.six_neighborhoods USING (neighborhood)
		WHERE 1 = ANY (keys) AND 2 = ANY (keys);
	PERFORM pprepub.drop_publication('six', true);
	DROP TABLE six;
	RETURN told;
END $$;
SELECT is(twice(kind, type, once::text[], again::text[], others), told::jsonb, format('%s %s: %s, then %s', kind, type, once, again)) FROM (VALUES
	('range', 'int', '{10,20}', '{15,30}', '99', '"[15,21)"'),
	('range', 'int', '{10,20}', '{20,30}', '99', '"[20,21)"'),
	('range', 'int', '{10,20}', '{21,30}', '99', '"[21,31)"'),
	('range', 'int', '{2147483640,2147483647}', '{2147483645,2147483647}', '99', '"[2147483645,)"'),
	('range', 'smallint', '{10,20}', '{15,30}', '99', '"[15,21)"'),
	('range', 'bigint', '{9000000010,9000000020}', '{9000000015,9000000030}', '99', '"[9000000015,9000000021)"'),
	('range', 'numeric', '{1.5,2.50}', '{1.75,3}', '99', '"[1.7,2.6)"'),
	('range', 'numeric', '{1,2}', '{2,2}', '99', '"[2,2]"'),
	('range', 'numeric', '{1,2}', '{2,3}', '99', '"[2,2.1)"'),
	('range', 'numeric', '{1,2}', '{2.2,3}', '99', '"[2.2,3.05)"'),
	('range', 'float8', '{0.1,0.3}', '{0.2,0.7}', '99', '"[0.2,0.31)"'),
	('range', 'real', '{0.1,0.3}', '{0.2,0.7}', '99', '"[0.2,0.31)"'),
	('range', 'date', '{2000-02-28,2000-03-02}', '{2000-02-29,2000-03-05}', '2020-01-01', '"[2000-02-29,2000-03-03)"'),
	('range', 'timestamp', '{2000-02-28 10:00,2000-02-28 12:00}', '{2000-02-28 11:00,2000-02-28 13:00}', '2020-01-01', '"[\"2000-02-28 11:00:00\",\"2000-02-28 12:10:00\")"'),
	('range', 'int', '{NULL,NULL}', '{10,20}', '99', '"[10,21)"'),
	('range', 'int', '{10,20}', '{NULL,NULL}', '99', 'null'),
	('range', 'int', '{NULL,NULL}', '{10,NULL}', '99', 'null'),
	('range', 'int', '{10,NULL}', '{NULL,NULL}', '99', 'null'),
	('range', 'int', '{NULL,NULL}', '{NULL,NULL}', '99', 'null'),
	('range', 'int', '{10,20}', '{10,NULL}', '99', '"[10,21)"'),
	('range', 'int', '{10,NULL}', '{NULL,20}', '99', '"(,)"'),
	('prefix', 'text', '{531a,531b}', '{53a,53b}', 'z', '"531*"'),
	('prefix', 'text', '{53a,53b}', '{531a,531b}', 'z', '"531*"'),
	('prefix', 'text', '{531,531}', '{53a,53b}', 'z', '"531"'),
	('prefix', 'text', '{53a,53b}', '{531,531}', 'z', '"531"'),
	('prefix', 'text', '{531,531}', '{531,5312}', 'z', '"531"'),
	('prefix', 'text', '{531,531}', '{5312,5312}', 'z', '"5312"'),
	('prefix', 'text', '{531a,531b}', '{53,53}', 'z', '"53"'),
	('prefix', 'text', '{531a,531b}', '{532a,532b}', 'z', '"532*"'),
	('prefix', 'char(6)', '{531a,531b}', '{53a,53b}', 'z', '"531*"'),
	('prefix', 'text', '{öäa,öäb}', '{öa,öb}', 'z', '"öä*"'),
	('prefix', 'text', '{"",""}', '{5a,5b}', 'z', '"5*"'),
	('prefix', 'text', '{5a,5b}', '{"",""}', 'z', '""'),
	('taxonomy tree', 'text', '{leaf3,leaf4}', '{leaf4,leaf4}', 'leaf13', '"leaf4"'),
	('taxonomy tree', 'text', '{leaf4,leaf4}', '{leaf3,leaf4}', 'leaf13', '"leaf4"'),
	('taxonomy tree', 'text', '{leaf1,leaf4}', '{leaf3,leaf4}', 'leaf13', '"group1"'),
	('taxonomy tree', 'text', '{leaf3,leaf4}', '{leaf6,leaf7}', 'leaf13', '"group2"'),
	('taxonomy tree', 'text', '{leaf3,leaf4}', '{leaf0,leaf7}', 'leaf13', '"group1"'),
	('taxonomy tree', 'text', '{NULL,NULL}', '{leaf0,leaf7}', 'leaf13', 'null'),
	('taxonomy tree', 'text', '{NULL,NULL}', '{leaf6,leaf7}', 'leaf13', '"group2"'),
	('taxonomy ladder', 'int', '{1,5}', '{2,3}', '63', '"[0,4)"'),
	('suppress', 'text', '{F,F}', '{F,M}', 'z', '"F"'),
	('suppress', 'text', '{F,M}', '{M,M}', 'z', '"M"'),
	('suppress', 'text', '{F,F}', '{M,M}', 'z', '"M"'),
	('suppress', 'text', '{NULL,NULL}', '{F,F}', 'z', '"F"'),
	('suppress', 'inet', '{10.0.0.1/24,10.0.0.1/24}', '{10.0.0.1/24,10.0.0.2}', '::1', '"10.0.0.1/24"')
	) v (kind, type, once, again, others, told);

CREATE FUNCTION seen(publication text) RETURNS TABLE (who text, release int, class bigint, value text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT coalesce(k, s, ''#'' || i), release, class, v FROM published_private.%I,
		unnest(keys::text[], stands_for::text[], invented, sensitive::text[]) u (k, s, i, v)', publication || '_members');
END $$;
CREATE FUNCTION member(publication text) RETURNS TABLE (neighborhood bigint, who text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT neighborhood, coalesce(k, ''#'' || i) FROM published_private.%I, unnest(keys::text[], invented) u (k, i)',
		publication || '_neighborhoods');
END $$;

CREATE TABLE whole (kind text, cell jsonb);
INSERT INTO whole VALUES ('int4range', '"(,)"'), ('daterange', '"(,)"'), ('numrange', '"(,)"'), ('tstzrange', '"(,)"'), ('prefix', '"*"'), ('suppress', '"*"'), ('tree', '"root"'), ('ladder', '"[0,64)"');
CREATE FUNCTION below(taxon text, a text, b text) RETURNS boolean LANGUAGE sql AS $$
	WITH RECURSIVE up AS (SELECT a COLLATE "C" AS node UNION SELECT n.parent FROM up JOIN pprepub.taxonomy_node n USING (node) WHERE taxonomy = taxon)
	SELECT b IN (SELECT node FROM up WHERE node IS NOT NULL)
$$;
-- Of two cells as JSON; NULL if they have nothing in common
CREATE FUNCTION meet(how text, a jsonb, b jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	w jsonb := (SELECT cell FROM whole WHERE kind = how);
	x text := a #>> '{}';
	y text := b #>> '{}';
	r text;
BEGIN
	IF a = b OR b = w THEN RETURN a; END IF;
	IF a = w THEN RETURN b; END IF;
	IF x IS NULL OR y IS NULL OR how = 'suppress' THEN RETURN NULL; END IF;
	IF how = 'prefix' THEN
		RETURN CASE WHEN x LIKE '%*' AND starts_with(y, left(x, -1)) THEN b WHEN y LIKE '%*' AND starts_with(x, left(y, -1)) THEN a END;
	ELSIF how IN ('tree', 'ladder') THEN
		RETURN CASE WHEN below(how, x, y) THEN a WHEN below(how, y, x) THEN b END;
	END IF;
	EXECUTE format('SELECT %L::%s * %L::%2$s', x, how, y) INTO r;
	RETURN to_jsonb(nullif(r, 'empty'));
END $$;

-- Regions from the paths of the log and the tables that still stand
CREATE FUNCTION expected(pub text, kinds jsonb) RETURNS TABLE (neighborhood bigint, region jsonb) LANGUAGE plpgsql AS $$
DECLARE
	at record;
	shown jsonb;
	common jsonb;
BEGIN
	FOR neighborhood, region IN
		SELECT m.neighborhood, (SELECT jsonb_object_agg(c.key, cell) FROM jsonb_each_text(kinds) c JOIN whole ON kind = c.value)
		FROM (SELECT DISTINCT m.neighborhood FROM member(pub) m) m
	LOOP
		FOR at IN SELECT DISTINCT s.release, s.class FROM seen(pub) s
			WHERE s.who = (SELECT min(m.who) FROM member(pub) m WHERE m.neighborhood = expected.neighborhood) ORDER BY s.release DESC
		LOOP
			CONTINUE WHEN to_regclass(format('published.%I', pub || '_' || at.release)) IS NULL;
			EXECUTE format('SELECT to_jsonb(r) FROM published.%I r WHERE class = %s LIMIT 1', pub || '_' || at.release, at.class) INTO shown;
			SELECT jsonb_object_agg(c.key, meet(c.value, region -> c.key, shown -> c.key)) FILTER (WHERE meet(c.value, region -> c.key, shown -> c.key) IS NOT NULL)
				INTO common FROM jsonb_each_text(kinds) c;
			EXIT WHEN (SELECT count(*) FROM jsonb_object_keys(common)) < (SELECT count(*) FROM jsonb_object_keys(kinds));
			region := common;
		END LOOP;
		RETURN NEXT;
	END LOOP;
END $$;

CREATE FUNCTION check_told(pub text, kinds jsonb, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT isnt_empty(format('SELECT FROM pprepub.neighborhoods(%L)', pub), what || ': there are some');
	RETURN NEXT bag_eq(format('SELECT neighborhood, region FROM pprepub.neighborhoods(%L)', pub),
		format('SELECT * FROM expected(%L, %L)', pub, kinds), what || ': regions');
	RETURN NEXT bag_eq(format('SELECT neighborhood, records FROM pprepub.neighborhoods(%L)', pub),
		format('SELECT neighborhood, count(*) FROM member(%L) GROUP BY 1', pub), what || ': records are members');
	RETURN NEXT is((SELECT sum(records) FROM pprepub.neighborhoods(pub)), (SELECT count(DISTINCT who)::numeric FROM seen(pub)),
		what || ': everybody who was published is in one');
	RETURN NEXT bag_eq(format('SELECT who, signature FROM pprepub.neighborhoods(%L) JOIN member(%1$L) USING (neighborhood) WHERE who !~ ''^#''', pub),
		format('SELECT who, string_agg((r = ANY (releases))::int::text, '''' ORDER BY r)::varbit FROM (
			SELECT who, array_agg(release) AS releases FROM seen(%1$L) WHERE who !~ ''^#'' GROUP BY who) s,
			generate_series(1, (SELECT p.releases FROM pprepub.publication p WHERE p.name = %1$L)) r GROUP BY who', pub), what || ': signatures');
	RETURN NEXT bag_eq(format('SELECT neighborhood, sensitive_values FROM pprepub.neighborhoods(%L)', pub),
		format('SELECT neighborhood, min(n) FROM (SELECT neighborhood, release, count(DISTINCT value) AS n
			FROM member(%L) JOIN seen(%1$L) USING (who) GROUP BY 1, 2) r GROUP BY 1', pub), what || ': sensitive values');
END $$;

-- ---- Lives at random, with every kind of cell ----

CREATE TABLE people (id int, settled boolean, a int, d date, m numeric, f float8, t timestamptz, p text, c text, b int, e boolean, ill text);
CREATE FUNCTION draw(ids int[]) RETURNS SETOF people LANGUAGE sql AS $$
	SELECT i, random() < 0.6, CASE WHEN random() < 0.95 THEN (random() * 60)::int END, date '2000-02-25' + (random() * 40)::int, (random() * 20)::numeric(5, 2),
		CASE WHEN random() < 0.95 THEN random() * 5 END, timestamptz '2020-01-01 UTC' + interval '1 hour' * (random() * 50)::int,
		left(md5((random() * 30)::int::text), 3), 'leaf' || (random() * 13)::int, (random() * 63)::int, random() < 0.5,
		CASE WHEN random() < 0.95 THEN 'd' || (random() * 6)::int END
	FROM unnest(ids) i
$$;
CREATE FUNCTION change(who int[]) RETURNS void LANGUAGE sql AS $$
	DELETE FROM people WHERE id = ANY (who);
	INSERT INTO people SELECT id, false, a, d, m, f, t, p, c, b, e, ill FROM draw(who);
$$;
CREATE FUNCTION try_life(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	every jsonb := '{"a": "int4range", "d": "daterange", "m": "numrange", "f": "numrange", "t": "tstzrange", "p": "prefix", "c": "tree", "b": "ladder", "e": "suppress"}';
	kinds jsonb;
	declared jsonb;
	repair text := (ARRAY['none', 'dirty', 'minimal', 'counterfeit'])[1 + number % 4];
	releases int := 2 + (random() * 5)::int;
	shown name[];
	what text;
BEGIN
	-- Few columns make narrow cells, in which everything counts.
	SELECT jsonb_object_agg(key, value) INTO kinds FROM (SELECT * FROM jsonb_each(every) ORDER BY random() LIMIT 1 + number % 4) k;
	SELECT jsonb_object_agg(key, CASE WHEN value ~ 'range' THEN 'range' WHEN value IN ('tree', 'ladder') THEN 'taxonomy ' || value ELSE value END)
		INTO declared FROM jsonb_each_text(kinds);
	what := format('life %s (%s, %s releases, %s)', number, repair, releases, declared);
	TRUNCATE people;
	INSERT INTO people SELECT * FROM draw(ARRAY(SELECT generate_series(1, 150)));
	PERFORM pprepub.create_publication('life', 'people', 'id', declared, 'ill', 'bpg', jsonb_build_object('k', 3, 'l', 2, 'repair', repair, 'reserve', 3));
	FOR n IN 1 .. releases LOOP
		shown := CASE WHEN random() < 0.3 THEN ARRAY(SELECT key FROM jsonb_object_keys(kinds) key WHERE random() < 0.5) || name 'ill' END;
		PERFORM pprepub.publish('life', columns => shown);
		DELETE FROM people WHERE NOT settled AND random() < 0.1;
		INSERT INTO people SELECT * FROM draw(ARRAY(SELECT generate_series(n * 1000, n * 1000 + 20)));
		INSERT INTO people SELECT id, false, a, d, m, f, t, p, c, b, e, ill
			FROM draw(ARRAY(SELECT i FROM generate_series(1, 150, 7) i WHERE i NOT IN (SELECT id FROM people)));
		PERFORM change(ARRAY(SELECT id FROM people WHERE NOT settled AND random() < 0.2));
	END LOOP;
	RETURN QUERY SELECT check_told('life', kinds, what);
	-- People who were there all the time, and never changed, lie where their neighborhood is said to.
	RETURN NEXT isnt_empty($$ SELECT FROM people JOIN member('life') ON who = id::text WHERE settled $$, what || ': some never changed');
	RETURN NEXT is_empty(format($$
		SELECT c.key, n.region, one FROM pprepub.neighborhoods('life') n JOIN member('life') USING (neighborhood) JOIN people one ON who = one.id::text AND settled,
			jsonb_each(n.region) c, jsonb_each_text(%L) k
		WHERE k.key = c.key AND NOT lies_in(k.value, c.value, to_jsonb(one) -> c.key) $$, kinds), what || ': regions hold them');
	PERFORM pprepub.drop_publication('life', true);
END
$fn$;
CREATE FUNCTION lies_in(how text, cell jsonb, value jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	x text := cell #>> '{}';
	y text := value #>> '{}';
	r boolean;
BEGIN
	IF cell = (SELECT w.cell FROM whole w WHERE kind = how) THEN RETURN true; END IF;
	IF x IS NULL OR y IS NULL THEN RETURN x IS NULL AND y IS NULL; END IF;
	IF how = 'suppress' THEN RETURN left(x, 1) = left(y, 1); END IF;
	IF how = 'prefix' THEN RETURN x = y OR x LIKE '%*' AND starts_with(y, left(x, -1)); END IF;
	IF how = 'tree' THEN RETURN below(how, y, x); END IF;
	EXECUTE format('SELECT %L::%s @> %L::%s', x, CASE how WHEN 'ladder' THEN 'numrange' ELSE how END, y,
		CASE how WHEN 'int4range' THEN 'int' WHEN 'daterange' THEN 'date' WHEN 'tstzrange' THEN 'timestamptz' ELSE 'numeric' END) INTO r;
	RETURN r;
END $$;
SELECT try_life(number) FROM generate_series(1, 24) number;

-- ---- What is not there says nothing ----

TRUNCATE people;
INSERT INTO people SELECT * FROM draw(ARRAY(SELECT generate_series(1, 100)));
SELECT pprepub.create_publication('life', 'people', 'id', '{"a": "range", "p": "prefix"}', 'ill', 'bpg', '{"k": 4, "reserve": 3}') \g /dev/null
SELECT pprepub.publish('life', columns => '{ill}') \g /dev/null
SELECT set_eq($$ SELECT region FROM pprepub.neighborhoods('life') $$, ARRAY['{"a": "(,)", "p": "*"}']::jsonb[], 'columns that were never shown');
SELECT pprepub.publish('life', columns => '{a}') \g /dev/null
SELECT ok(bool_and(region ->> 'p' = '*') AND bool_or(region ->> 'a' <> '(,)'), 'nor one of them') FROM pprepub.neighborhoods('life');
SELECT pprepub.publish('life', columns => '{p}') \g /dev/null
SELECT check_told('life', '{"a": "int4range", "p": "prefix"}', 'columns from several releases');
CREATE TEMP TABLE before AS SELECT * FROM pprepub.neighborhoods('life');
ALTER EVENT TRIGGER pprepub_protect_drops DISABLE;
DROP TABLE published.life_2;
ALTER EVENT TRIGGER pprepub_protect_drops ENABLE ALWAYS;
SELECT check_told('life', '{"a": "int4range", "p": "prefix"}', 'a table that is gone');
SELECT bag_eq($$ SELECT neighborhood, signature, region || '{"a": "(,)"}' AS region, records, sensitive_values FROM before $$,
	$$ SELECT neighborhood, signature, region, records, sensitive_values FROM pprepub.neighborhoods('life') $$, 'only its cells are');

SELECT pprepub.drop_publication('life', true) \g /dev/null

-- A taxonomy that grew: cells of earlier releases are nodes of it still.
SELECT pprepub.create_publication('life', 'people', 'id', '{"c": "taxonomy tree"}', 'ill', 'bpg', '{"k": 4, "reserve": 4}') \g /dev/null
SELECT pprepub.publish('life') \g /dev/null
INSERT INTO levels VALUES ('leaf5a', 'group1', 'part0', 'root'), ('leaf90', 'group30', 'part0', 'root');
SELECT pprepub.extend_taxonomy('tree', 'levels') \g /dev/null
SELECT pprepub.alter_publication('life', '{}') \g /dev/null
UPDATE people SET c = 'leaf5a' WHERE c IN ('leaf3', 'leaf4');
SELECT pprepub.publish('life') \g /dev/null
SELECT check_told('life', '{"c": "tree"}', 'a taxonomy that grew');

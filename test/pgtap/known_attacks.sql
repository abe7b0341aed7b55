-- Attacks on others of our kind, tried on answers and releases. Numbers in the tests' names group
-- the attacks: 1 names, 7 internals, 8 paths to what is asked, 10 leaky code over it, 13 order and place,
-- 15 a source that changes, 22 too much and too little.

CREATE ROLE regress_owner;
CREATE ROLE regress_asker;
CREATE ROLE regress_stranger;
GRANT regress_stranger TO regress_asker;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_owner', current_database()) \gexec
CREATE SCHEMA ward AUTHORIZATION regress_owner;
CREATE SCHEMA desk AUTHORIZATION regress_asker;
GRANT USAGE ON SCHEMA desk TO regress_stranger;
SET ROLE regress_owner;
CREATE TABLE ward.people (id int PRIMARY KEY, age int, zip text, disease text);
INSERT INTO ward.people SELECT i, 20 + i % 30, (53100 + i % 20)::text, 'd' || i % 5 FROM generate_series(1, 90) i;
SELECT pprepub.create_publication('people', 'ward.people', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'bpg', '{"k": 5, "l": 2, "repair": "dirty", "reserve": 1}') \g /dev/null
SELECT FROM pprepub.publish('people') \g /dev/null
GRANT USAGE ON SCHEMA published TO regress_asker, regress_stranger;
GRANT SELECT ON published.people, published.people_1 TO regress_asker;
GRANT EXECUTE ON FUNCTION published.people TO regress_asker;
RESET ROLE;

\i test/lib/meter.sql

-- ---- 8: whatever the path, each call is one answer, and shows what answers show ----

SET ROLE regress_asker;
CREATE FUNCTION desk.safe(age int4range, zip text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT (age IS NULL OR upper_inf(age) OR upper(age) - lower(age) > 1) AND (zip IS NULL OR zip LIKE '%*') $$;
CREATE FUNCTION desk.inlined() RETURNS SETOF int4range LANGUAGE sql AS 'SELECT age FROM published.people ()';
CREATE FUNCTION desk.atomic() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT count(*) FROM published.people (); END;
CREATE FUNCTION desk.definer() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM published.people ()';
CREATE VIEW desk.asking AS SELECT * FROM published.people ();
CREATE VIEW desk.asking_as_who_asks WITH (security_invoker) AS SELECT * FROM published.people ();
CREATE VIEW desk.asking_on AS SELECT age, zip FROM desk.asking WITH LOCAL CHECK OPTION;
GRANT SELECT ON ALL TABLES IN SCHEMA desk TO regress_stranger;

SELECT is((SELECT count(*) FROM published.people ()), 90::bigint, '8: SELECT');
SELECT is(meter.answers(), 1::bigint, '8: SELECT counts');
SELECT ok(EXISTS (SELECT FROM published.people ()), '8: EXISTS');
SELECT is(meter.answers(), 1::bigint, '8: EXISTS counts');
SELECT ok('[0,1)'::int4range NOT IN (SELECT age FROM published.people ()), '8: IN');
SELECT is(meter.answers(), 1::bigint, '8: IN counts');
SELECT is((SELECT count(*) FROM (SELECT age FROM published.people () EXCEPT SELECT age FROM published.people_1 WHERE false) s) > 0, true, '8: set operations');
SELECT is(meter.answers(), 1::bigint, '8: set operations count');
SELECT throws_ok($$ SELECT age FROM published.people () INTERSECT SELECT age FROM published.people () $$, '53400', NULL, '8: two in a statement are refused');
SELECT is(meter.answers(), 1::bigint, '8: but the first was answered');
SELECT is((SELECT max(n) FROM (SELECT count(*) OVER () AS n FROM published.people ()) w), 90::bigint, '8: window');
SELECT is(meter.answers(), 1::bigint, '8: a window counts');
SELECT is((SELECT count(*) FROM (SELECT age, zip, count(*) FROM published.people () GROUP BY GROUPING SETS ((age), (zip), ())) g WHERE age IS NULL AND zip IS NULL), 1::bigint, '8: GROUPING SETS');
SELECT is(meter.answers(), 1::bigint, '8: GROUPING SETS count');
SELECT is((SELECT bool_and(desk.safe(age, NULL)) FROM desk.inlined() age), true, '8: an inlined function');
SELECT is(meter.answers(), 1::bigint, '8: an inlined function counts');
SELECT is(desk.atomic(), 90::bigint, '8: a function of parsed statements');
SELECT is(meter.answers(), 1::bigint, '8: a function of parsed statements counts');
SELECT is((SELECT bool_and(desk.safe(age, zip)) FROM desk.asking), true, '8: a view');
SELECT is(meter.answers(), 1::bigint, '8: a view counts');
SELECT is((SELECT bool_and(desk.safe(age, zip)) FROM desk.asking_as_who_asks), true, '8: a view as who asks');
SELECT is(meter.answers(), 1::bigint, '8: it counts, too');
SELECT is((SELECT bool_and(desk.safe(age, zip)) FROM desk.asking_on), true, '8: a view on a view');
SELECT is(meter.answers(), 1::bigint, '8: a view on a view counts');
COPY (SELECT * FROM published.people ()) TO STDOUT \g /dev/null
SELECT is(meter.answers(), 1::bigint, '8: COPY of a query counts');
SELECT throws_ok($$ COPY (SELECT * FROM published.people ()) TO '/dev/null' $$, '42501', NULL, '8: COPY to a file is not for everybody');
SELECT throws_ok('SELECT * FROM published.people () TABLESAMPLE SYSTEM (10)', '42601', NULL, '8: TABLESAMPLE of a function');
SELECT throws_ok('SELECT * FROM desk.asking TABLESAMPLE SYSTEM (10)', '0A000', NULL, '8: TABLESAMPLE of a view');
SELECT throws_ok('SELECT * FROM published.people () p FOR UPDATE OF p', '0A000', NULL, '8: FOR UPDATE of a function');
SELECT is(meter.answers(), 0::bigint, '8: none of them counts');
PREPARE generic AS SELECT count(*) FROM published.people ();
SET plan_cache_mode = force_generic_plan;
EXECUTE generic \g /dev/null
SELECT is(meter.answers(), 1::bigint, '8: a generic plan counts');
-- A role that may not ask finds no path either; the second of the views, and a function of somebody's who may, lend their rights.
SET ROLE regress_stranger;
SELECT throws_ok('EXECUTE generic', '42501', NULL, '8: a generic plan after SET ROLE');
SELECT throws_ok('SELECT * FROM published.people ()', '42501', NULL, '8: a stranger');
SELECT throws_ok('SELECT * FROM desk.inlined()', '42501', NULL, '8: a stranger by a function that is inlined');
SELECT throws_ok('SELECT desk.atomic()', '42501', NULL, '8: a stranger by one of parsed statements');
SELECT throws_ok('SELECT * FROM desk.asking', '42501', NULL, '8: a stranger by a view, which lends no right on functions');
SELECT throws_ok('SELECT * FROM desk.asking_as_who_asks', '42501', NULL, '8: a stranger by a view as who asks');
SELECT throws_ok('SELECT * FROM published.people', '42501', NULL, '8: a stranger by the view of the newest release');
SELECT throws_ok('SELECT * FROM pprepub_internal.answer(''people'', NULL, NULL) a (class bigint, age int4range, zip text, disease text)', '42501', NULL, '8: a stranger by what is behind it');
SELECT is(meter.answers(), 0::bigint, '8: all that costs nothing');
SELECT is(desk.definer(), 90::bigint, '8: a function that runs as who may ask lends its right');
SELECT is(meter.answers(), 1::bigint, '8: and counts');
SET ROLE regress_asker;
RESET plan_cache_mode;

-- ---- 10: code of the asker's sees the rows that leave, and no others ----

CREATE TABLE desk.leaked (age int4range, zip text, disease text);
CREATE FUNCTION desk.leak(age int4range, zip text, disease text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN
	INSERT INTO desk.leaked VALUES (age, zip, disease);
	RETURN false;
END $$;
CREATE FUNCTION desk.leak_less(text, text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN
	INSERT INTO desk.leaked (zip) VALUES ($1);
	RETURN $1 OPERATOR(pg_catalog.<) $2;
END $$;
CREATE OPERATOR desk.<<< (FUNCTION = desk.leak_less, LEFTARG = text, RIGHTARG = text);
SELECT is((SELECT count(*) FROM published.people () a WHERE desk.leak(a.age, a.zip, a.disease)), 0::bigint, '10: a leaky condition');
SELECT is(meter.answers(), 1::bigint, '10: a leaky condition counts');
SELECT results_eq('SELECT count(*), bool_and(desk.safe(age, zip)) FROM desk.leaked', 'VALUES (90::bigint, true)', '10: it sees what leaves');
TRUNCATE desk.leaked;
SELECT is((SELECT count(*) FROM published.people () a WHERE a.zip OPERATOR(desk.<<<) '5'), 0::bigint, '10: a leaky operator');
SELECT results_eq('SELECT count(*), bool_and(desk.safe(age, zip)) FROM desk.leaked', 'VALUES (90::bigint, true)', '10: it sees what leaves, too');
TRUNCATE desk.leaked;
SELECT is((SELECT count(*) FROM published.people p WHERE desk.leak(p.age, p.zip, p.disease)), 0::bigint, '10: a leaky condition on the newest release');
SELECT results_eq('SELECT count(*), bool_and(desk.safe(age, zip)) FROM desk.leaked', 'VALUES (90::bigint, true)', '10: sees what is published');
SELECT meter.answers() \g /dev/null
SELECT throws_matching('SELECT zip::int FROM published.people ()', 'invalid input syntax for type integer: "53[0-9]*\*"', '10: a cast that fails tells a cell');
SELECT throws_ok('SELECT 1 / (lower(age) - lower(age)) FROM published.people ()', '22012', NULL, '10: a division that fails');
SELECT is(meter.answers(), 2::bigint, '10: what fails over an answer counts');
SELECT format('SELECT throws_matching(%L, ''^(?!a statement may have)'', %L)', format('SELECT count(*) FROM published.people (%L)', cohort), '10: in a cohort: ' || cohort)
	FROM unnest(ARRAY['desk.leak(NULL, zip, disease)', 'zip OPERATOR(desk.<<<) ''5''', 'zip::int > 5', '1 / (age - 33) = 1', 'CASE WHEN age = 33 THEN true END', 'pg_sleep(age) IS NULL',
		'age = 33 AND pg_sleep(1) IS NOT NULL', 'disease = ''d1''', 'EXISTS (SELECT FROM ward.people)', 'id = 1', 'age = (SELECT 33)', 'people IS NULL', 'ctid = ''(0,1)''', 'xmin = ''700''',
		'zip ~ ''(a+)+$''']) cohort \gexec
SELECT is(meter.answers(), 0::bigint, '10: is refused, and costs nothing');
SELECT is((SELECT count(*) FROM (SELECT * FROM published.people () LIMIT 0) s), 0::bigint, '10: LIMIT 0');
SELECT is(meter.answers(), 0::bigint, '10: LIMIT 0 asks nothing, so takes no time that tells');

-- ---- 1: columns are names, whatever they are called ----

SELECT format('SELECT throws_ok(%L, ''42703'', NULL, %L)', format('SELECT * FROM published.people(columns => ARRAY[%L]::name[])', word), '1: columns: ' || word)
	FROM unnest(ARRAY['age; DROP TABLE ward.people', '"age"', 'age" FROM ward.people --', 'AGE', '', E'age\n', repeat('a', 63), '*', '$1', '$$', 'ctid', 'ward.people.age']) word \gexec
SELECT format('SELECT throws_matching(%L, ''column'', %L)', format('SELECT * FROM published.people(columns => %L)', columns), '1: columns: ' || columns)
	FROM unnest('{"{NULL}","{}","{id}"}'::text[]) columns \gexec
SELECT is(meter.answers(), 0::bigint, '1: all that costs nothing');

-- ---- 13: neither order nor place tells ----

CREATE TEMP TABLE one AS SELECT row_number() OVER () AS n, a.* FROM published.people () a;
CREATE TEMP TABLE two AS SELECT row_number() OVER () AS n, a.* FROM published.people () a;
SELECT isnt((SELECT array_agg(age ORDER BY n) FROM one), (SELECT array_agg(age ORDER BY n) FROM two), '13: classes come in another order each time');
SELECT isnt((SELECT array_agg(disease ORDER BY age, zip, n) FROM one), (SELECT array_agg(disease ORDER BY age, zip, n) FROM two), '13: and so do the rows of a class');
SELECT bag_eq('SELECT age, zip, disease FROM one', 'SELECT age, zip, disease FROM two', '13: the rows are the same');
SELECT throws_ok('SELECT xmin FROM published.people_1', '0A000', 'rows of table "people_1" have no system columns but ctid and tableoid', '13: which transaction has written a row is not to be seen');
SELECT isnt((SELECT array_agg(disease ORDER BY age, zip, ctid) FROM published.people_1), (SELECT array_agg(disease ORDER BY age, zip, n) FROM one), '13: its places say no more');
SELECT is((SELECT count(*) FROM pg_attribute WHERE attrelid = 'published.people_1'::regclass AND (attnum > 0 AND attname = 'id' OR attidentity <> '' OR atthasdef)), 0::bigint, '13: there is no number of a row');
RESET ROLE;

-- ---- 7: nothing internal ----

SET ROLE regress_asker;
SELECT is((SELECT count(*) FROM pg_stats WHERE schemaname IN ('ward', 'published_private', 'pprepub', 'pprepub_internal')), 0::bigint, '7: no statistics of what is not published');
SELECT unalike(prosrc, '%ward%', '7: the function''s text says nothing of the source') FROM pg_proc WHERE oid = 'published.people'::regproc;
SELECT unalike(pg_get_viewdef('published.people'::regclass), '%ward%', '7: nor does the view''s');
SELECT throws_ok(format('SELECT * FROM pprepub.%s(''people'')', name), '42501', NULL, '7: not for an asker: ' || name)
	FROM unnest('{class_members,groups,linked_values,attack,audit,preview,publish,rebuild_history}'::text[]) name;
SELECT is((SELECT count(*) FROM pprepub.release), 0::bigint, '7: nor are the rows of releases');
RESET ROLE;

-- ---- 15: the source changes between answers ----

SET ROLE regress_owner;
ALTER TABLE ward.people RENAME age TO years;
SET ROLE regress_asker;
SELECT cmp_ok((SELECT count(*) FROM published.people ('age > 30')), '>', 0::bigint, '15: a column was renamed: it is called as it was declared');
SET ROLE regress_owner;
SELECT throws_ok(command, NULL, NULL, '15: ' || command) FROM unnest(ARRAY['ALTER TABLE ward.people DROP years', 'ALTER TABLE ward.people ALTER years TYPE bigint', 'ALTER TABLE ward.people DROP id',
	'DROP TABLE ward.people', 'ALTER TABLE ward.people ALTER zip TYPE varchar(3)']) command;
ALTER TABLE ward.people RENAME TO persons;
ALTER TABLE ward.persons ADD weight int DEFAULT 70;
SELECT is((SELECT count(*) FROM published.people ()), 90::bigint, '15: the table was renamed, and got a column');
TRUNCATE ward.persons;
SELECT is((SELECT count(*) FROM published.people ()), 0::bigint, '15: it was emptied');
INSERT INTO ward.persons SELECT i, 20 + i % 30, (53100 + i % 20)::text, 'd' || i % 5 FROM generate_series(1, 90) i;
SELECT is((SELECT count(*) FROM published.people ()), 90::bigint, '15: everybody came back');
UPDATE ward.persons SET disease = NULL;
SELECT results_eq('SELECT count(*), count(disease) FROM published.people ()', 'VALUES (90::bigint, 90::bigint)', '15: values that count for nobody: what was shown stays');
UPDATE ward.persons SET disease = 'd' || id % 5, years = NULL;
SELECT is((SELECT count(*) FROM published.people ('age = 33')), 0::bigint, '15: ages that nobody has any more');
UPDATE ward.persons SET years = 20 + id % 30;
SELECT is((SELECT count(*) FROM pprepub.audit('people') WHERE NOT holds), 0::bigint, '15: all holds') ;
SELECT is((SELECT count(*) FROM pprepub.attack('people') WHERE NOT holds), 0::bigint, '15: 25: and nobody is told apart');
RESET ROLE;

-- ---- 22: too much, and too little ----

CREATE TABLE nobody (id int, age int, s text);
CREATE TABLE few AS SELECT i AS id, i AS age, 's' || i AS s FROM generate_series(1, 4) i;
CREATE TABLE blank AS SELECT i AS id, NULL::int AS age, 's' || i % 3 AS s FROM generate_series(1, 30) i;
CREATE TABLE unknown AS SELECT i AS id, i AS age, NULL::text AS s FROM generate_series(1, 30) i;
CREATE TABLE alike AS SELECT i AS id, 7 AS age, 's' || i % 3 AS s FROM generate_series(1, 5000) i;
SELECT pprepub.create_publication(name, name::regclass, 'id', '{"age": "range"}', 's', 'bpg', '{"k": 5, "l": 2, "repair": "dirty", "reserve": 1}', target => 'bulk') FROM unnest('{nobody,few,blank,unknown,alike}'::text[]) name \g /dev/null
SELECT is((SELECT count(*) FROM bulk.nobody()), 0::bigint, '22: nobody is there');
SELECT is((SELECT count(*) FROM bulk.few()), 0::bigint, '22: fewer than k');
SELECT is((SELECT count(*) FROM bulk.blank()), 30::bigint, '22: no quasi-identifier is known');
SELECT is((SELECT count(*) FROM bulk.unknown()), 0::bigint, '22: no sensitive value is known');
SELECT is((SELECT count(*) FROM bulk.alike()), 5000::bigint, '22: all are alike');
SELECT is((SELECT count(*) FROM pprepub.publication p, pprepub.audit(p.name) a WHERE NOT holds AND p.name <> 'people'), 0::bigint, '22: all holds');
-- Fifty quasi-identifiers.
SELECT format('CREATE TABLE broad AS SELECT i AS id, ''s'' || i %% 7 AS s, %s FROM generate_series(1, 200) i', string_agg(format('i * %s %% 101 AS q%s', 2 * n + 1, n), ', ')) FROM generate_series(1, 50) n \gexec
SELECT pprepub.create_publication('broad', 'broad', 'id', (SELECT jsonb_object_agg('q' || n, 'range') FROM generate_series(1, 50) n), 's', 'bpg', '{"k": 5, "l": 3}', target => 'bulk') \g /dev/null
SELECT is((SELECT count(*) FROM bulk.broad()), 200::bigint, '22: fifty quasi-identifiers');
SELECT is((SELECT count(*) FROM bulk.broad(columns => '{q7}')), 200::bigint, '22: and one of them');
-- A taxonomy that is wide, and one that is deep.
CREATE TABLE wide_levels AS SELECT 'leaf ' || i AS leaf, 'branch ' || i / 100 AS branch, 'all' AS root FROM generate_series(1, 100000) i;
SELECT pprepub.create_taxonomy('wide', 'wide_levels') \g /dev/null
CREATE TABLE leaves AS SELECT i AS id, 'leaf ' || i * 50 AS leaf, 's' || i % 3 AS s FROM generate_series(1, 1000) i;
SELECT pprepub.create_publication('leaves', 'leaves', 'id', '{"leaf": "taxonomy wide"}', 's', 'bpg', '{"k": 5, "l": 2, "repair": "dirty", "reserve": 1}', target => 'bulk') \g /dev/null
SELECT is((SELECT count(*) FROM bulk.leaves()), 1000::bigint, '22: a hundred thousand leaves');
SELECT format('CREATE TABLE deep_levels AS SELECT ''leaf '' || i AS leaf, %s, ''all'' AS root FROM generate_series(1, 10) i',
	string_agg(format('''node %s '' || (i >> %s) AS l%s', n, n / 150, n), ', ' ORDER BY n)) FROM generate_series(1, 600) n \gexec
SELECT pprepub.create_taxonomy('deep', 'deep_levels') \g /dev/null
CREATE TABLE twigs AS SELECT i AS id, 'leaf ' || 1 + i % 10 AS leaf, 's' || i % 3 AS s FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('twigs', 'twigs', 'id', '{"leaf": "taxonomy deep"}', 's', 'bpg', '{"k": 5, "l": 2, "repair": "dirty", "reserve": 1}', target => 'bulk') \g /dev/null
SELECT is((SELECT count(*) FROM bulk.twigs()), 100::bigint, '22: six hundred levels');
DROP SCHEMA desk CASCADE;
SELECT pprepub.drop_publication(name, true) FROM pprepub.publication \g /dev/null
DROP OWNED BY regress_owner, regress_asker, regress_stranger CASCADE;
DROP ROLE regress_owner, regress_asker, regress_stranger;

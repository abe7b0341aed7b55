-- How well releases can be joined back to people.
\i test/lib/told.sql
CREATE ROLE regress_joiner;
CREATE ROLE regress_outsider;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_joiner', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO regress_joiner;
\i test/lib/planted.sql
GRANT USAGE ON SCHEMA planted TO regress_joiner;

-- ---- The paper's examples ----

-- Example 1.1: age and disease, gender and disease; each links Alice (30, F) to two diseases, both together to angina only.
CREATE TABLE patients (id int PRIMARY KEY, age int, gender text, disease text);
INSERT INTO patients VALUES (1, 20, 'M', 'measles'), (2, 20, 'F', 'hepatitis'), (3, 30, 'M', 'flu'), (4, 30, 'F', 'angina');
SELECT pprepub.create_publication('patients', 'patients', 'id', '{"age": "range", "gender": "suppress"}', 'disease', 'bpg', '{"k": 1, "reserve": 1}');
-- Nothing is out.
SELECT is(told($$SELECT * FROM pprepub.linkability('patients')$$), 'kmj,0,0,0,0,0,0,,,0,{}');
SELECT is(told($$SELECT * FROM pprepub.link_profile('patients')$$), 'no rows');
SELECT is(told($$SELECT number FROM pprepub.publish('patients', columns => '{age,disease}')$$), '1');
SELECT is(told($$SELECT number FROM pprepub.publish('patients', columns => '{gender,disease}')$$), '2');
SELECT is(told($$SELECT * FROM pprepub.linkability('patients', '{1}')$$), 'kmj,1,1,0,0,4,4,2,2,0,"{0,4}"');
SELECT is(told($$SELECT * FROM pprepub.linkability('patients', '{2}')$$), 'kmj,1,1,0,0,4,4,2,2,0,"{0,4}"');
SELECT is(told($$SELECT * FROM pprepub.linkability('patients')$$), 'kmj,2,8,4,4,4,4,1,1,0,{4}');
SELECT is(told($$SELECT * FROM pprepub.link_profile('patients', '{1}') ORDER BY tuple$$), '"{""age"": ""20"", ""gender"": ""F""}",1,2,2,"[{""value"": ""hepatitis"", ""frequency"": 0.5}, {""value"": ""measles"", ""frequency"": 0.5}]"; "{""age"": ""20"", ""gender"": ""M""}",1,2,2,"[{""value"": ""hepatitis"", ""frequency"": 0.5}, {""value"": ""measles"", ""frequency"": 0.5}]"; "{""age"": ""30"", ""gender"": ""F""}",1,2,2,"[{""value"": ""angina"", ""frequency"": 0.5}, {""value"": ""flu"", ""frequency"": 0.5}]"; "{""age"": ""30"", ""gender"": ""M""}",1,2,2,"[{""value"": ""angina"", ""frequency"": 0.5}, {""value"": ""flu"", ""frequency"": 0.5}]"');
SELECT is(told($$SELECT * FROM pprepub.link_profile('patients') ORDER BY tuple$$), '"{""age"": ""20"", ""gender"": ""F""}",1,1,1,"[{""value"": ""hepatitis"", ""frequency"": 1}]"; "{""age"": ""20"", ""gender"": ""M""}",1,1,1,"[{""value"": ""measles"", ""frequency"": 1}]"; "{""age"": ""30"", ""gender"": ""F""}",1,1,1,"[{""value"": ""angina"", ""frequency"": 1}]"; "{""age"": ""30"", ""gender"": ""M""}",1,1,1,"[{""value"": ""flu"", ""frequency"": 1}]"');
-- Two more women come.
INSERT INTO patients VALUES (5, 30, 'F', 'flu'), (6, 20, 'F', 'hepatitis');
SELECT is(told($$SELECT number FROM pprepub.publish('patients', columns => '{age,disease}')$$), '3');
SELECT is(told($$SELECT number FROM pprepub.publish('patients', columns => '{gender,disease}')$$), '4');
SELECT is(told($$SELECT tuple, linkability, diversity, sensitive FROM pprepub.link_profile('patients', '{3,4}') ORDER BY tuple$$), '"{""age"": ""20"", ""gender"": ""F""}",1,1,"[{""value"": ""hepatitis"", ""frequency"": 1}]"; "{""age"": ""20"", ""gender"": ""M""}",1,1,"[{""value"": ""measles"", ""frequency"": 1}]"; "{""age"": ""30"", ""gender"": ""F""}",2,1.5,"[{""value"": ""flu"", ""frequency"": 0.666666666666667}, {""value"": ""angina"", ""frequency"": 0.333333333333333}]"; "{""age"": ""30"", ""gender"": ""M""}",1,1,"[{""value"": ""flu"", ""frequency"": 1}]"');
SELECT pprepub.drop_publication('patients', true);
DROP TABLE patients;

-- Example 2.2: ten edges, six matches.
CREATE TABLE t (id int PRIMARY KEY, age int, zipcode text, occupation text, disease text);
INSERT INTO t VALUES (1, 30, '53120', 'teacher', 'measles'), (2, 30, '53425', 'engineer', 'hepatitis'),
	(3, 35, '53890', 'singer', 'flu'), (4, 40, '53764', 'actor', 'angina');
SELECT pprepub.create_publication('t', 't', 'id', '{"age": "range", "zipcode": "prefix", "occupation": "suppress"}', 'disease', 'bpg', '{"k": 1, "reserve": 1}');
SELECT is(told($$SELECT number FROM pprepub.publish('t')$$), '1');
SELECT is(told($q$SELECT planted.release('t', $$ SELECT id AS key, int4range(age, age, '[]') AS age, zipcode, '*' AS occupation, NULL AS disease FROM t $$, '{age,zipcode}')$q$), '2');
CREATE TABLE t_2 (id int, age int4range, zipcode text, occupation text, disease text);
INSERT INTO t_2 VALUES (1, '(,)', '53120', '*', 'measles'), (2, '(,)', '53*', '*', 'hepatitis'), (3, '(,)', '53890', 'singer', 'flu'), (4, '(,)', '53*', 'actor', 'angina');
SELECT is(told($$SELECT planted.release('t', 'SELECT id AS key, age, zipcode, occupation, disease FROM t_2', '{zipcode,occupation,disease}')$$), '3');
SELECT is(told($$SELECT join_kind, edges, matches, cliques, tuples, linkability, diversity FROM pprepub.linkability('t', '{2,3}')$$), 'kmj,10,6,6,4,1,1');
SELECT is(told($$SELECT join_kind, edges, matches, cliques, tuples, linkability, diversity FROM pprepub.linkability('t', '{2,3}', 'mj')$$), 'mj,10,10,10,4,1,1');
SELECT is(told($$SELECT tuple ->> 'age' AS age, linkability, diversity, sensitive FROM pprepub.link_profile('t', '{2,3}') ORDER BY tuple$$), '30,1,1,"[{""value"": ""measles"", ""frequency"": 1}]"; 30,1,1,"[{""value"": ""hepatitis"", ""frequency"": 1}]"; 35,1,1,"[{""value"": ""flu"", ""frequency"": 1}]"; 40,2,2,"[{""value"": ""angina"", ""frequency"": 0.5}, {""value"": ""hepatitis"", ""frequency"": 0.5}]"');
-- Nobody knows whose rows the second release has, or those of both.
SELECT is(told($$SELECT planted.release('t', 'SELECT id AS key, age, zipcode, occupation, disease FROM t_2', '{zipcode,occupation,disease}', false)$$), '4');
SELECT is(told($$SELECT join_kind, edges, matches, cliques, tuples, linkability, diversity FROM pprepub.linkability('t', '{2,4}')$$), 'kmj,10,6,6,4,1,1');
SELECT is(told($q$SELECT planted.release('t', $$ SELECT id AS key, int4range(age, age, '[]') AS age, zipcode, '*' AS occupation, NULL AS disease FROM t $$, '{age,zipcode}', false)$q$), '5');
SELECT is(told($$SELECT join_kind, edges, matches, cliques, tuples, linkability, diversity FROM pprepub.linkability('t', '{4,5}')$$), 'kmj,10,6,6,4,1,1');
-- Of people of whom two are not in the other: as few people as can be.
SELECT is(told($q$SELECT planted.release('t', $$ SELECT id AS key, int4range(age, age, '[]') AS age, CASE WHEN id < 3 THEN zipcode ELSE '6' || id END AS zipcode, '*' AS occupation, NULL AS disease FROM t $$, '{age,zipcode}', false)$q$), '6');
SELECT is(told($$SELECT join_kind, edges, matches, cliques, tuples, linkability, diversity FROM pprepub.linkability('t', '{4,6}')$$), 'kmj,25,17,17,4,1,1');
SELECT pprepub.drop_publication('t', true);
DROP TABLE t, t_2;

-- Examples 3.1 and 3.3: a clique that is in no perfect matching, and the kernel that leaves it out; 3.2: local recoding.
CREATE TABLE t (id int PRIMARY KEY, a1 text, a2 text, a3 int);
INSERT INTO t VALUES (1, 'a', 'x', 1), (2, 'b', 'x', 2), (3, 'a', 'y', 2);
SELECT pprepub.create_publication('t', 't', 'id', '{"a1": "suppress", "a2": "suppress"}', 'a3', 'bpg', '{"k": 1, "reserve": 1}');
SELECT is(told($$SELECT number FROM pprepub.publish('t', columns => '{a1,a2}')$$), '1');
SELECT is(told($$SELECT number FROM pprepub.publish('t', columns => '{a2,a3}')$$), '2');
SELECT is(told($$SELECT number FROM pprepub.publish('t', columns => '{a1,a3}')$$), '3');
SELECT is(told($$SELECT join_kind, edges, matches, cliques, linkability, diversity FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability('t', join_kind => kind)$$), 'mj,15,15,4,1,1; kmj,15,9,3,1,1; fmj,15,9,3,1,1');
SELECT pprepub.drop_publication('t', true);
UPDATE t SET a1 = chr(96 + id), a2 = chr(119 + id), a3 = id;
SELECT pprepub.create_publication('t', 't', 'id', '{"a1": "suppress", "a2": "suppress"}', 'a3', 'bpg', '{"k": 1, "reserve": 1}');
SELECT is(told($$SELECT number FROM pprepub.publish('t', columns => '{a1,a2}')$$), '1');
SELECT is(told($q$SELECT planted.release('t', $$ SELECT id AS key, '*' AS a1, CASE WHEN id = 1 THEN '*' ELSE a2 END AS a2, a3 FROM t $$, '{a2,a3}')$q$), '2');
SELECT is(told($$SELECT join_kind, edges, matches, cliques, linkability, diversity FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability('t', join_kind => kind)$$), 'mj,5,5,5,1,1; kmj,5,3,3,1,1; fmj,5,3,3,1,1');
SELECT pprepub.drop_publication('t', true);
DROP TABLE t;

-- A kernel that is larger than the full match join.  The graph is that of given edges between records of three releases,
-- written as releases in the way of lemma 9.2: a column for each two releases and each record of the later one.
CREATE TABLE edge (r int, i int, s int, j int);
INSERT INTO edge SELECT r, i, s, i FROM generate_series(1, 3) i, (VALUES (1, 2), (1, 3), (2, 3)) v(r, s);
INSERT INTO edge VALUES (1, 1, 2, 3), (1, 2, 2, 1), (1, 2, 2, 3), (1, 3, 2, 2), (1, 1, 3, 2), (1, 1, 3, 3),
	(1, 2, 3, 1), (1, 3, 3, 2), (2, 1, 3, 2), (2, 2, 3, 1), (2, 3, 3, 1);
CREATE VIEW numbered AS		-- record i of r in column c of (r, s, n): neighbours of record n of s come first
	SELECT c, r, s, n, i, row_number() OVER (PARTITION BY c ORDER BY is_neighbour DESC, i)::int AS code, count(*) FILTER (WHERE is_neighbour) OVER (PARTITION BY c)::int AS neighbours
	FROM (SELECT row_number() OVER (ORDER BY r, s, n) AS c, * FROM (VALUES (1, 2), (1, 3), (2, 3)) v(r, s), generate_series(1, 3) n) k
	CROSS JOIN LATERAL (SELECT i, EXISTS (SELECT FROM edge e WHERE (e.r, e.i, e.s, e.j) = (k.r, g.i, k.s, k.n)) AS is_neighbour FROM generate_series(1, 3) g(i)) x;
CREATE TABLE t (id int PRIMARY KEY, c1 int, c2 int, c3 int, c4 int, c5 int, c6 int, c7 int, c8 int, c9 int, s text);
INSERT INTO t SELECT i, a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], 'd' || i FROM (SELECT i, array_agg(code ORDER BY c) a FROM numbered GROUP BY i) x;
SELECT pprepub.create_publication('t', 't', 'id', '{"c1":"range","c2":"range","c3":"range","c4":"range","c5":"range","c6":"range","c7":"range","c8":"range","c9":"range"}', 's', 'bpg', '{"k": 1, "reserve": 1}');
SELECT is(told($$SELECT number FROM pprepub.publish('t')$$), '1');
SELECT is(told($$SELECT planted.release('t', (SELECT format('SELECT * FROM (VALUES %s) v(key, c1, c2, c3, c4, c5, c6, c7, c8, c9, s)', string_agg(format('(%s, %s, %s)', i, cells, CASE WHEN release = 3 THEN format('''d%s''', i) ELSE 'NULL' END), ', '))
	FROM (SELECT i, string_agg(format('int4range %L', CASE WHEN r = release THEN int4range(code, code, '[]') WHEN s = release AND n = i THEN int4range(1, neighbours, '[]') ELSE '(,)' END), ', ' ORDER BY c) AS cells
		FROM numbered GROUP BY i) x),
	CASE release WHEN 3 THEN '{c4,c5,c6,c7,c8,c9,s}' WHEN 2 THEN '{c1,c2,c3,c7,c8,c9}' ELSE '{c1,c2,c3,c4,c5,c6}' END::name[]) FROM generate_series(1, 3) release$$), '2; 3; 4');
SELECT is(told($$SELECT join_kind, edges, matches, cliques, linkability, diversity FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability('t', '{2,3,4}', kind)$$), 'mj,20,20,11,1,1; kmj,20,18,9,1,1; fmj,20,18,8,1,1');
SELECT is(told($$SELECT k.tuple ->> 'c1' AS c1, k.sensitive AS kmj, f.sensitive AS fmj FROM pprepub.link_profile('t', '{2,3,4}') k JOIN pprepub.link_profile('t', '{2,3,4}', 'fmj') f USING (tuple) ORDER BY tuple$$), '1,"[{""value"": ""d1"", ""frequency"": 0.5}, {""value"": ""d2"", ""frequency"": 0.5}]","[{""value"": ""d1"", ""frequency"": 0.5}, {""value"": ""d2"", ""frequency"": 0.5}]"; 2,"[{""value"": ""d1"", ""frequency"": 0.5}, {""value"": ""d2"", ""frequency"": 0.5}]","[{""value"": ""d1"", ""frequency"": 0.5}, {""value"": ""d2"", ""frequency"": 0.5}]"; 3,"[{""value"": ""d3"", ""frequency"": 1}]","[{""value"": ""d3"", ""frequency"": 1}]"');
-- A search that ends too early is told.
SET pprepub.fmj_budget = 10;
SELECT is(told($$SELECT * FROM pprepub.linkability('t', '{2,3,4}', 'fmj')$$), '53400 the full match join was not found within 10 steps / Finding it for more than two releases can take very long. / Ask for join_kind => ''kmj'', which is found in any case: it may hold joins that a perfect matching of all releases rules out, so its linkability is the same or greater, never less. Or raise pprepub.fmj_budget.');
RESET pprepub.fmj_budget;
SELECT is(told($$SELECT current_setting('pprepub.fmj_budget')$$), '1e+08');
SELECT pprepub.drop_publication('t', true);
DROP TABLE t, edge CASCADE;

-- ---- A life ----

DROP SCHEMA published, published_private;
SET ROLE regress_joiner;
CREATE TABLE people (id int PRIMARY KEY, age int, sex text, ward int, ill text);
INSERT INTO people SELECT i, (i * 7) % 60, substr('FM', i % 2 + 1, 1), i % 3, CASE WHEN i % 9 > 0 THEN 'd' || (i * i) % 7 END FROM generate_series(1, 200) i;
SELECT is(told($$SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', 'bpg', '{"k": 4, "l": 2, "repair": "counterfeit"}', '{ward}')$$), '');
SELECT is(told($$SELECT number FROM pprepub.publish('people', columns => '{age,ward}')$$), '1');
-- No release shows the illness.
SELECT is(told($$SELECT join_kind, linkability, diversity FROM pprepub.linkability('people')$$), 'kmj,,');
SELECT is(told($$SELECT DISTINCT linkability, diversity, sensitive FROM pprepub.link_profile('people')$$), ',,');
SELECT is(told($$SELECT number FROM pprepub.publish('people', columns => '{sex,ward,ill}')$$), '2');
DELETE FROM people WHERE id % 11 = 0;
UPDATE people SET age = age + 1 WHERE id % 13 = 0;
UPDATE people SET ill = 'd1' WHERE id % 17 = 0;
UPDATE people SET ward = 1 WHERE id = 1;
INSERT INTO people SELECT 300 + i, i, 'F', 1, 'd' || i % 5 FROM generate_series(1, 20) i;
SELECT is(told($$SELECT number, counterfeits > 0 AS counterfeits FROM pprepub.publish('people')$$), '3,t');
-- Each kind is as wide as the one before or wider, and so are its figures.
SELECT is(told($$WITH found AS (SELECT * FROM unnest('{fmj,kmj,mj}'::text[]) WITH ORDINALITY k(kind, n), pprepub.linkability('people', '{1,2,3}', CASE kind WHEN 'fmj' THEN 'kmj' ELSE kind END))
SELECT bool_and(a.edges = b.edges AND a.matches <= b.matches AND a.cliques <= b.cliques AND a.linkability <= b.linkability) AS is_chain FROM found a JOIN found b ON a.n <= b.n$$), 'true');
SELECT is(told($$SELECT a.matches <= b.matches AND a.cliques <= b.cliques AND a.linkability <= b.linkability AS unifying_is_weaker
FROM pprepub.linkability('people') a, pprepub.linkability('people', join_kind => 'kmj_unifying') b$$), 'true');
SELECT is(told($$SELECT count(*), sum(records) = (SELECT count(*) FROM people) AS everybody FROM pprepub.link_profile('people')$$), '77,t');
-- Too many cliques to count: no other figure depends on their number.
CREATE TEMP TABLE counted AS SELECT * FROM pprepub.linkability('people');
SET pprepub.search_budget = 1000;
SELECT is(told($$SELECT c.cliques > 1000 AS counted, l.cliques, to_jsonb(c) - 'cliques' = to_jsonb(l) - 'cliques' AS equal FROM counted c, pprepub.linkability('people') l$$), 't,,t');
SET pprepub.search_budget = 0;
SELECT is(told($$SELECT cliques, linkability > 0 AS told FROM pprepub.linkability('people', '{2}')$$), ',t');
RESET pprepub.search_budget;
DROP TABLE counted;

-- Arguments.
SELECT is(told($$SELECT pprepub.linkability('people', '{}')$$), '22023 there must be a release to be judged / Leave the argument out, or say NULL, for all of them.');
SELECT is(told($$SELECT pprepub.linkability('people', '{4}')$$), '42704 publication "people" has no release 4 / Its releases have the numbers 1 to 3.');
SELECT is(told($$SELECT pprepub.linkability('people', '{0}')$$), '42704 publication "people" has no release 0 / Its releases have the numbers 1 to 3.');
SELECT is(told($$SELECT pprepub.linkability('people', '{2,1,2}')$$), '22023 release 2 is named twice');
SELECT is(told($$SELECT pprepub.linkability('people', '{1,NULL}')$$), '22004 the number of a release must not be null');
SELECT is(told($$SELECT pprepub.linkability('people', '{1}', 'full')$$), '22023 there is no join of kind "full" / Kinds are "mj", "kmj", "fmj", "mj_unifying" and "kmj_unifying".');
SELECT is(told($$SELECT pprepub.linkability('people', '{1}', NULL)$$), '22004 the kind of a join must not be null');
SELECT is(told($$SELECT pprepub.linkability(NULL)$$), '22004 the name of a publication must not be null');
SELECT is(told($$SELECT pprepub.linkability('none such')$$), '42704 publication "none such" does not exist / Declare it with pprepub.create_publication().');
SELECT is(told($$SELECT pprepub.link_profile('people', '{7}')$$), '42704 publication "people" has no release 7 / Its releases have the numbers 1 to 3.');
SELECT is(told($$SELECT (pprepub.linkability('people', '{3,1}')).releases$$), '2');
SELECT is(told($$SET pprepub.fmj_budget = -1$$), '22023 -1 is outside the valid range for parameter "pprepub.fmj_budget" (0 .. 1e+18)');

-- Releases without classes are joined like others: the same tables, imported twice.
CREATE TABLE visitors AS SELECT i AS id, 20 + i % 6 AS age, (ARRAY['F', 'M'])[1 + i % 2] AS sex, 'd' || i % 4 AS disease FROM generate_series(1, 24) i;
SELECT pprepub.create_publication(name, 'visitors', 'id', '{"age": "range", "sex": "suppress"}', 'disease', name, '{"k": 2}', beside => beside)
FROM (VALUES ('bpg', '{}'::name[]), ('sequential', '{bpg}')) declared(name, beside);
CREATE VIEW aged AS SELECT id AS person, int4range(age / 2 * 2, age / 2 * 2 + 2) AS age, disease FROM visitors WHERE id < 22;
CREATE VIEW sexed AS SELECT id AS person, sex, CASE WHEN id % 3 = 0 THEN int4range(20, 24) ELSE int4range(age, age + 1) END AS age FROM visitors WHERE id > 1;
SELECT is(told($$SELECT number, rows FROM unnest('{bpg,sequential}'::name[]) p, unnest('{aged,sexed}'::regclass[]) r, pprepub.import_release(p::text, r, 'person')$$), '1,21; 1,21; 2,23; 2,23');
SELECT is(told($$SELECT l.* FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability('sequential', join_kind => kind) l$$), 'mj,2,10,311,311,311,6,5,3.5,0,"{0,0,0,0,24}"; kmj,2,10,311,311,311,6,5,3.5,0,"{0,0,0,0,24}"; fmj,2,10,311,311,311,6,5,3.5,0,"{0,0,0,0,24}"');
SELECT is(told($$SELECT count(*) FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability('bpg', join_kind => kind) b
JOIN pprepub.linkability('sequential', join_kind => b.join_kind) s ON b = s$$), '3');
SELECT pprepub.drop_publication(name, true) FROM unnest('{bpg,sequential}'::text[]) name;
DROP TABLE visitors CASCADE;

-- Answers are judged as observers see them, but without their insensitive values, which are not kept.
CREATE TABLE guests AS SELECT i AS id, 20 + i AS age, 'ward ' || i AS ward, 'd' || i % 3 AS disease FROM generate_series(1, 6) i;
SET client_min_messages = error;
SELECT pprepub.create_publication('guests', 'guests', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 6, "accept_insensitive": true}', '{ward}');
SELECT is(told($$SELECT count(*) FROM published.guests()$$), '6');
SELECT is(told($$SELECT rows, classes FROM pprepub.publish('guests')$$), '6,1');
SELECT is(told($$SELECT rows, classes FROM pprepub.publish('guests')$$), '6,1');
SELECT is(told($$SELECT number, kind FROM pprepub.release WHERE publication = 'guests' ORDER BY number$$), '1,query; 2,stored; 3,stored');
SELECT is(told($$SELECT pair, l.edges, l.cliques, l.linkability, l.diversity FROM unnest('{"{1}","{1,2}","{2,3}","{1,2,3}"}'::text[]) pair, pprepub.linkability('guests', pair::int[]) l$$), '{1},0,6,3,3; "{1,2}",12,12,3,3; "{2,3}",6,6,3,3; "{1,2,3}",30,12,3,3');
SELECT is(told($$SELECT * FROM pprepub.link_profile('guests', '{1}') LIMIT 1$$), '"{""age"": ""21""}",1,3,3,"[{""value"": ""d0"", ""frequency"": 0.333333333333333}, {""value"": ""d1"", ""frequency"": 0.333333333333333}, {""value"": ""d2"", ""frequency"": 0.333333333333333}]"');
SELECT pprepub.drop_publication('guests', true);
DROP TABLE guests;

-- The owner's alone.
RESET ROLE;
SELECT is(told($$SELECT linkability IS NOT NULL AS told FROM pprepub.linkability('people')$$), 'true');
SET ROLE regress_outsider;
SELECT is(told($$SELECT pprepub.linkability('people')$$), '42501 must be owner or auditor of publication "people" / Its owner can call pprepub.grant_audit().');
SELECT is(told($$SELECT pprepub.link_profile('people')$$), '42501 must be owner of publication "people"');
SET ROLE regress_joiner;
-- In transactions that only read.
BEGIN READ ONLY;
SELECT is(told($$SELECT linkability IS NOT NULL AS told FROM pprepub.linkability('people')$$), 'true');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT is(told($$SELECT count(*) > 0 AS told FROM pprepub.link_profile('people')$$), 'true');
COMMIT;
-- Cancelled in the middle: nobody lives to see all cliques of so many releases counted.
DO $$ BEGIN
	FOR n IN 1 .. 24 LOOP
		UPDATE people SET age = (age + n) % 60 WHERE id % 3 = n % 3;
		INSERT INTO people SELECT 1000 * n + i, (n * i) % 60, 'F', 1, 'd' || i % 5 FROM generate_series(1, 50) i;
		PERFORM pprepub.publish('people', columns => '{age}');
	END LOOP;
END $$;
SET statement_timeout = '500ms';
SELECT is(told($$SELECT * FROM pprepub.linkability('people')$$), '57014 canceling statement due to statement timeout');
-- So are searches whose budget never ends.
SET pprepub.fmj_budget = 1e18;
SET pprepub.search_budget = 1e18;
SELECT is(told($$SELECT * FROM pprepub.linkability('people', join_kind => 'fmj')$$), '57014 canceling statement due to statement timeout');
RESET pprepub.fmj_budget;
RESET pprepub.search_budget;
-- A page is made all the same, and says what it leaves out.
SET statement_timeout = '60s';
SET pprepub.search_budget = 1e6;
SELECT is(told($$SELECT page ~ 'Left out: what all releases and answers tell together' AS left_out, page ~ 'linked to fewest values' AS people FROM pprepub.report('people', internal => true) page$$), 't,f');
RESET pprepub.search_budget;
RESET statement_timeout;
SELECT is(told($$SELECT linkability IS NOT NULL AS told FROM pprepub.linkability('people', '{2}')$$), 'true');
SELECT pprepub.drop_publication('people', true);
RESET ROLE;
DROP OWNED BY regress_joiner, regress_outsider CASCADE;
DROP ROLE regress_joiner, regress_outsider;

-- How well releases can be joined back to people.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
\i test/lib/planted.sql
\set ECHO all
GRANT USAGE ON SCHEMA planted TO regress_owner;
SET client_min_messages = warning;

-- ---- The paper's examples ----

-- Example 1.1: age and disease, gender and disease; each links Alice (30, F) to two diseases, both together to angina only.
CREATE TABLE patients (id int PRIMARY KEY, age int, gender text, disease text);
INSERT INTO patients VALUES (1, 20, 'M', 'measles'), (2, 20, 'F', 'hepatitis'), (3, 30, 'M', 'flu'), (4, 30, 'F', 'angina');
SELECT pprepub.create_publication('patients', 'patients', 'id', '{"age": "range", "gender": "suppress"}', 'disease', 'bpg', '{"k": 1, "reserve": 1}');
-- Nothing is out.
SELECT * FROM pprepub.linkability('patients');
SELECT * FROM pprepub.link_profile('patients');
SELECT number FROM pprepub.publish('patients', columns => '{age,disease}');
SELECT number FROM pprepub.publish('patients', columns => '{gender,disease}');
SELECT * FROM pprepub.linkability('patients', '{1}');
SELECT * FROM pprepub.linkability('patients', '{2}');
SELECT * FROM pprepub.linkability('patients');
SELECT * FROM pprepub.link_profile('patients', '{1}') ORDER BY tuple;
SELECT * FROM pprepub.link_profile('patients') ORDER BY tuple;
-- Two more women come.
INSERT INTO patients VALUES (5, 30, 'F', 'flu'), (6, 20, 'F', 'hepatitis');
SELECT number FROM pprepub.publish('patients', columns => '{age,disease}');
SELECT number FROM pprepub.publish('patients', columns => '{gender,disease}');
SELECT tuple, linkability, diversity, sensitive FROM pprepub.link_profile('patients', '{3,4}') ORDER BY tuple;
CALL forget('patients');
DROP TABLE patients;

-- Example 2.2: ten edges, six matches.
CREATE TABLE t (id int PRIMARY KEY, age int, zipcode text, occupation text, disease text);
INSERT INTO t VALUES (1, 30, '53120', 'teacher', 'measles'), (2, 30, '53425', 'engineer', 'hepatitis'),
	(3, 35, '53890', 'singer', 'flu'), (4, 40, '53764', 'actor', 'angina');
SELECT pprepub.create_publication('t', 't', 'id', '{"age": "range", "zipcode": "prefix", "occupation": "suppress"}', 'disease', 'bpg', '{"k": 1, "reserve": 1}');
SELECT number FROM pprepub.publish('t');
SELECT planted.release('t', $$ SELECT id AS key, int4range(age, age, '[]') AS age, zipcode, '*' AS occupation, NULL AS disease FROM t $$, '{age,zipcode}');
CREATE TABLE t_2 (id int, age int4range, zipcode text, occupation text, disease text);
INSERT INTO t_2 VALUES (1, '(,)', '53120', '*', 'measles'), (2, '(,)', '53*', '*', 'hepatitis'), (3, '(,)', '53890', 'singer', 'flu'), (4, '(,)', '53*', 'actor', 'angina');
SELECT planted.release('t', 'SELECT id AS key, age, zipcode, occupation, disease FROM t_2', '{zipcode,occupation,disease}');
SELECT join_kind, edges, matches, cliques, tuples, linkability, diversity FROM pprepub.linkability('t', '{2,3}');
SELECT join_kind, edges, matches, cliques, tuples, linkability, diversity FROM pprepub.linkability('t', '{2,3}', 'mj');
SELECT tuple ->> 'age' AS age, linkability, diversity, sensitive FROM pprepub.link_profile('t', '{2,3}') ORDER BY tuple;
-- Nobody knows whose rows the second release has, or those of both.
SELECT planted.release('t', 'SELECT id AS key, age, zipcode, occupation, disease FROM t_2', '{zipcode,occupation,disease}', false);
SELECT join_kind, edges, matches, cliques, tuples, linkability, diversity FROM pprepub.linkability('t', '{2,4}');
SELECT planted.release('t', $$ SELECT id AS key, int4range(age, age, '[]') AS age, zipcode, '*' AS occupation, NULL AS disease FROM t $$, '{age,zipcode}', false);
SELECT join_kind, edges, matches, cliques, tuples, linkability, diversity FROM pprepub.linkability('t', '{4,5}');
-- Of people of whom two are not in the other: as few people as can be.
SELECT planted.release('t', $$ SELECT id AS key, int4range(age, age, '[]') AS age, CASE WHEN id < 3 THEN zipcode ELSE '6' || id END AS zipcode, '*' AS occupation, NULL AS disease FROM t $$, '{age,zipcode}', false);
SELECT join_kind, edges, matches, cliques, tuples, linkability, diversity FROM pprepub.linkability('t', '{4,6}');
CALL forget('t');
DROP TABLE t, t_2;

-- Examples 3.1 and 3.3: a clique that is in no perfect matching, and the kernel that leaves it out; 3.2: local recoding.
CREATE TABLE t (id int PRIMARY KEY, a1 text, a2 text, a3 int);
INSERT INTO t VALUES (1, 'a', 'x', 1), (2, 'b', 'x', 2), (3, 'a', 'y', 2);
SELECT pprepub.create_publication('t', 't', 'id', '{"a1": "suppress", "a2": "suppress"}', 'a3', 'bpg', '{"k": 1, "reserve": 1}');
SELECT number FROM pprepub.publish('t', columns => '{a1,a2}');
SELECT number FROM pprepub.publish('t', columns => '{a2,a3}');
SELECT number FROM pprepub.publish('t', columns => '{a1,a3}');
SELECT join_kind, edges, matches, cliques, linkability, diversity FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability('t', join_kind => kind);
CALL forget('t');
UPDATE t SET a1 = chr(96 + id), a2 = chr(119 + id), a3 = id;
SELECT pprepub.create_publication('t', 't', 'id', '{"a1": "suppress", "a2": "suppress"}', 'a3', 'bpg', '{"k": 1, "reserve": 1}');
SELECT number FROM pprepub.publish('t', columns => '{a1,a2}');
SELECT planted.release('t', $$ SELECT id AS key, '*' AS a1, CASE WHEN id = 1 THEN '*' ELSE a2 END AS a2, a3 FROM t $$, '{a2,a3}');
SELECT join_kind, edges, matches, cliques, linkability, diversity FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability('t', join_kind => kind);
CALL forget('t');
DROP TABLE t;

-- A kernel that is larger than the full match join.  The graph is that of given edges between records of three releases,
-- written as releases in the way of lemma 9.2: a column for each two releases and each record of the later one.
\set ECHO none
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
\set ECHO all
SELECT pprepub.create_publication('t', 't', 'id', '{"c1":"range","c2":"range","c3":"range","c4":"range","c5":"range","c6":"range","c7":"range","c8":"range","c9":"range"}', 's', 'bpg', '{"k": 1, "reserve": 1}');
SELECT number FROM pprepub.publish('t');
SELECT planted.release('t', (SELECT format('SELECT * FROM (VALUES %s) v(key, c1, c2, c3, c4, c5, c6, c7, c8, c9, s)', string_agg(format('(%s, %s, %s)', i, cells, CASE WHEN release = 3 THEN format('''d%s''', i) ELSE 'NULL' END), ', '))
	FROM (SELECT i, string_agg(format('int4range %L', CASE WHEN r = release THEN int4range(code, code, '[]') WHEN s = release AND n = i THEN int4range(1, neighbours, '[]') ELSE '(,)' END), ', ' ORDER BY c) AS cells
		FROM numbered GROUP BY i) x),
	CASE release WHEN 3 THEN '{c4,c5,c6,c7,c8,c9,s}' WHEN 2 THEN '{c1,c2,c3,c7,c8,c9}' ELSE '{c1,c2,c3,c4,c5,c6}' END::name[]) FROM generate_series(1, 3) release;
SELECT join_kind, edges, matches, cliques, linkability, diversity FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability('t', '{2,3,4}', kind);
SELECT k.tuple ->> 'c1' AS c1, k.sensitive AS kmj, f.sensitive AS fmj FROM pprepub.link_profile('t', '{2,3,4}') k JOIN pprepub.link_profile('t', '{2,3,4}', 'fmj') f USING (tuple) ORDER BY tuple;
-- A search that ends too early is told.
SET pprepub.fmj_budget = 10;
SELECT * FROM pprepub.linkability('t', '{2,3,4}', 'fmj');
RESET pprepub.fmj_budget;
SHOW pprepub.fmj_budget;
CALL forget('t');
DROP TABLE t, edge CASCADE;

-- ---- A life ----

DROP SCHEMA published, published_private;
SET ROLE regress_owner;
CREATE TABLE people (id int PRIMARY KEY, age int, sex text, ward int, ill text);
INSERT INTO people SELECT i, (i * 7) % 60, substr('FM', i % 2 + 1, 1), i % 3, CASE WHEN i % 9 > 0 THEN 'd' || (i * i) % 7 END FROM generate_series(1, 200) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', 'bpg', '{"k": 4, "l": 2, "repair": "counterfeit"}', '{ward}');
SELECT number FROM pprepub.publish('people', columns => '{age,ward}');
-- No release shows the illness.
SELECT join_kind, linkability, diversity FROM pprepub.linkability('people');
SELECT DISTINCT linkability, diversity, sensitive FROM pprepub.link_profile('people');
SELECT number FROM pprepub.publish('people', columns => '{sex,ward,ill}');
DELETE FROM people WHERE id % 11 = 0;
UPDATE people SET age = age + 1 WHERE id % 13 = 0;
UPDATE people SET ill = 'd1' WHERE id % 17 = 0;
UPDATE people SET ward = 1 WHERE id = 1;
INSERT INTO people SELECT 300 + i, i, 'F', 1, 'd' || i % 5 FROM generate_series(1, 20) i;
SELECT number, counterfeits > 0 AS counterfeits FROM pprepub.publish('people');
-- Each kind is as wide as the one before or wider, and so are its figures.
WITH found AS (SELECT * FROM unnest('{fmj,kmj,mj}'::text[]) WITH ORDINALITY k(kind, n), pprepub.linkability('people', '{1,2,3}', CASE kind WHEN 'fmj' THEN 'kmj' ELSE kind END))
SELECT bool_and(a.edges = b.edges AND a.matches <= b.matches AND a.cliques <= b.cliques AND a.linkability <= b.linkability) AS is_chain FROM found a JOIN found b ON a.n <= b.n;
SELECT a.matches <= b.matches AND a.cliques <= b.cliques AND a.linkability <= b.linkability AS unifying_is_weaker
FROM pprepub.linkability('people') a, pprepub.linkability('people', join_kind => 'kmj_unifying') b;
SELECT count(*), sum(records) = (SELECT count(*) FROM people) AS everybody FROM pprepub.link_profile('people');
-- Too many cliques to count: no other figure depends on their number.
CREATE TEMP TABLE counted AS SELECT * FROM pprepub.linkability('people');
SET pprepub.search_budget = 1000;
SELECT c.cliques > 1000 AS counted, l.cliques, to_jsonb(c) - 'cliques' = to_jsonb(l) - 'cliques' AS equal FROM counted c, pprepub.linkability('people') l;
SET pprepub.search_budget = 0;
SELECT cliques, linkability > 0 AS told FROM pprepub.linkability('people', '{2}');
RESET pprepub.search_budget;
DROP TABLE counted;

-- Arguments.
SELECT pprepub.linkability('people', '{}');
SELECT pprepub.linkability('people', '{4}');
SELECT pprepub.linkability('people', '{0}');
SELECT pprepub.linkability('people', '{2,1,2}');
SELECT pprepub.linkability('people', '{1,NULL}');
SELECT pprepub.linkability('people', '{1}', 'full');
SELECT pprepub.linkability('people', '{1}', NULL);
SELECT pprepub.linkability(NULL);
SELECT pprepub.linkability('none such');
SELECT pprepub.link_profile('people', '{7}');
SELECT (pprepub.linkability('people', '{3,1}')).releases;
SET pprepub.fmj_budget = -1;

-- Releases without classes are joined like others: the same tables, imported twice.
CREATE TABLE visitors AS SELECT i AS id, 20 + i % 6 AS age, (ARRAY['F', 'M'])[1 + i % 2] AS sex, 'd' || i % 4 AS disease FROM generate_series(1, 24) i;
SELECT pprepub.create_publication(name, 'visitors', 'id', '{"age": "range", "sex": "suppress"}', 'disease', name, '{"k": 2}', beside => beside)
FROM (VALUES ('bpg', '{}'::name[]), ('sequential', '{bpg}')) declared(name, beside);
CREATE VIEW aged AS SELECT id AS person, int4range(age / 2 * 2, age / 2 * 2 + 2) AS age, disease FROM visitors WHERE id < 22;
CREATE VIEW sexed AS SELECT id AS person, sex, CASE WHEN id % 3 = 0 THEN int4range(20, 24) ELSE int4range(age, age + 1) END AS age FROM visitors WHERE id > 1;
SELECT number, rows FROM unnest('{bpg,sequential}'::name[]) p, unnest('{aged,sexed}'::regclass[]) r, pprepub.import_release(p::text, r, 'person');
SELECT l.* FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability('sequential', join_kind => kind) l;
SELECT count(*) FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability('bpg', join_kind => kind) b
JOIN pprepub.linkability('sequential', join_kind => b.join_kind) s ON b = s;
SELECT pprepub.drop_publication(name, true) FROM unnest('{bpg,sequential}'::text[]) name;
DROP TABLE visitors CASCADE;

-- Answers are judged as observers see them, but without their insensitive values, which are not kept.
CREATE TABLE guests AS SELECT i AS id, 20 + i AS age, 'ward ' || i AS ward, 'd' || i % 3 AS disease FROM generate_series(1, 6) i;
SET client_min_messages = error;
SELECT pprepub.create_publication('guests', 'guests', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 6, "accept_insensitive": true}', '{ward}');
SELECT count(*) FROM published.guests();
SELECT rows, classes FROM pprepub.publish('guests');
SELECT rows, classes FROM pprepub.publish('guests');
SET client_min_messages = warning;
SELECT number, kind FROM pprepub.release WHERE publication = 'guests' ORDER BY number;
SELECT pair, l.edges, l.cliques, l.linkability, l.diversity FROM unnest('{"{1}","{1,2}","{2,3}","{1,2,3}"}'::text[]) pair, pprepub.linkability('guests', pair::int[]) l;
SELECT * FROM pprepub.link_profile('guests', '{1}') LIMIT 1;
CALL forget('guests');
DROP TABLE guests;

-- The owner's alone.
RESET ROLE;
SELECT linkability IS NOT NULL AS told FROM pprepub.linkability('people');
SET ROLE regress_other;
SELECT pprepub.linkability('people');
SELECT pprepub.link_profile('people');
SET ROLE regress_owner;
-- In transactions that only read.
BEGIN READ ONLY;
SELECT linkability IS NOT NULL AS told FROM pprepub.linkability('people');
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT count(*) > 0 AS told FROM pprepub.link_profile('people');
ROLLBACK;
-- Cancelled in the middle: nobody lives to see all cliques of so many releases counted.
DO $$ BEGIN
	FOR n IN 1 .. 24 LOOP
		UPDATE people SET age = (age + n) % 60 WHERE id % 3 = n % 3;
		INSERT INTO people SELECT 1000 * n + i, (n * i) % 60, 'F', 1, 'd' || i % 5 FROM generate_series(1, 50) i;
		PERFORM pprepub.publish('people', columns => '{age}');
	END LOOP;
END $$;
SET statement_timeout = '500ms';
SELECT * FROM pprepub.linkability('people');
-- So are searches whose budget never ends.
SET pprepub.fmj_budget = 1e18;
SET pprepub.search_budget = 1e18;
SELECT * FROM pprepub.linkability('people', join_kind => 'fmj');
RESET pprepub.fmj_budget;
RESET pprepub.search_budget;
-- A page is made all the same, and says what it leaves out.
SET statement_timeout = '60s';
SET pprepub.search_budget = 1e6;
SELECT page ~ 'Left out: what all releases and answers tell together' AS left_out, page ~ 'linked to fewest values' AS people FROM pprepub.report('people', internal => true) page;
RESET pprepub.search_budget;
RESET statement_timeout;
SELECT linkability IS NOT NULL AS told FROM pprepub.linkability('people', '{2}');
CALL public.clean();

-- Several sensitive columns, and bands of numbers and texts.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET client_min_messages = notice;
CREATE SCHEMA several;
CREATE TABLE several.patients (
	id int PRIMARY KEY,
	age int,
	zip text,
	disease text,
	income numeric(10,2),
	doctor text
);
INSERT INTO several.patients
	SELECT i, 20 + i % 40, (10000 + i * 7 % 500)::text, (ARRAY['flu', 'hiv', 'cold', NULL, 'gout'])[1 + i * 3 % 5],
		CASE WHEN i % 11 = 0 THEN NULL ELSE 1000 + i * 37 % 4000 END, 'Dr ' || i % 3
	FROM generate_series(1, 200) i;
SELECT pprepub.create_range_taxonomy('incomes', 0, 5000, '{1000, 5000}') \g /dev/null
\set ECHO all

-- lists
\set call 'SELECT pprepub.create_publication(\'wards\', \'several.patients\', \'id\', \'{"age": "range", "zip": "prefix"}\', '
:call '{disease, income}', 'global', '{"l": 2, "strategy": "geometric", "alpha": 2}');
:call '{disease, income}', 'm-invariance', '{"m": 2}');
:call '{}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease, NULL}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease, disease}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease, age}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease, id}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease, gender}', 'bpg', '{"k": 5, "l": 2}');
:call '{{disease}, {income}}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease', 'bpg', '{"k": 5, "l": 2}');
:call NULL, 'bpg', '{"k": 5, "l": 2}');

-- bands
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"income": 5}}');
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"age": "range 10"}}');
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"disease": "range 10"}}');
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"income": "range"}}');
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"income": "range 0"}}');
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"income": "taxonomy nobodys"}}');

-- the first release
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"income": "taxonomy incomes"}}') \g /dev/null
SELECT sensitive, params -> 'bands' AS bands FROM pprepub.publication;
\d published_private.wards_sensitive
\d published_private.wards_source
SELECT regexp_replace(pg_get_viewdef('published_private.wards_source'), '\mpatients\.', '', 'g') AS source;
SELECT number, rows, suppressed, counterfeits FROM pprepub.publish('wards');
\d published.wards_1
SELECT count(*), count(disease), count(income) FROM published.wards_1;
SELECT min(d) >= 2 AS diseases, min(i) >= 2 AS incomes
	FROM (SELECT count(DISTINCT disease) AS d, count(DISTINCT floor(income / 1000)) AS i FROM published.wards_1 GROUP BY class) c;
-- the true pairs, and the true incomes
SELECT disease, income FROM several.patients EXCEPT ALL SELECT disease, income FROM published.wards_1;
SELECT holds, string_agg(check_name, ', ' ORDER BY check_name) FROM pprepub.audit('wards') GROUP BY 1;

-- the same by other bands, and looking ahead
SELECT metric, value FROM pprepub.preview('wards', params => '{"bands": {"income": "range 100"}}') WHERE metric = 'suppressed';
SELECT metric, value FROM pprepub.preview('wards', params => '{"bands": {"disease": "range 100"}}') WHERE metric = 'suppressed';
SELECT params -> 'bands' AS bands FROM pprepub.publication;
SELECT count(*) > 0 AS some FROM pprepub.forecast('wards', releases => 3);
SELECT pprepub.alter_publication('wards', '{"leaves": "disease"}');
SELECT pprepub.alter_publication('wards', '{"leaves": "sensitive_tuple"}');

-- columns by themselves
SELECT number, columns FROM pprepub.publish('wards', columns => '{age, income}');
SELECT count(*), count(disease), count(income) FROM published.wards_2;
SELECT count(*) > 0 AS some, count(disease) > 0 AS diseases, count(income) AS incomes FROM published.wards('age > 25', '{age, disease}');
SELECT count(*) FROM published.wards('disease = ''hiv''');
SELECT count(*) FROM published.wards('income > 3000');
SELECT count(*) FROM published.wards('sensitive_tuple IS NULL');

-- updates
UPDATE several.patients SET disease = 'measles' WHERE id = 7;
UPDATE several.patients SET income = income + 1 WHERE id = 9;
DELETE FROM several.patients WHERE id > 190;
ALTER TABLE several.patients RENAME COLUMN income TO earns;
SELECT number FROM pprepub.publish('wards');
SELECT check_name, measured, holds FROM pprepub.audit('wards') WHERE NOT holds;
SELECT * FROM pprepub.rebuild_history('wards');
SELECT count(*) > 0 AS some FROM pprepub.class_members('wards');
SELECT min(sensitive_values) >= 2 AS diverse FROM pprepub.groups('wards');
SELECT linkability >= 1 AS linked, diversity >= 1 AS diverse FROM pprepub.linkability('wards', '{1, 4}');
SELECT release, linkability >= 1 AS linked FROM generate_series(1, 4) release, pprepub.linkability('wards', ARRAY(SELECT generate_series(1, release)));
SELECT jsonb_object_keys(sensitive) AS key, count(*) FROM pprepub.link_profile('wards', '{1, 4}') GROUP BY 1 ORDER BY 1;
-- Values that were held back come with the next release.
SELECT number FROM pprepub.publish('wards');
SELECT count(*) > 0 AS some, bool_and(exact) AS exact FROM pprepub.compromise('wards', '{1}');
SELECT count(*) > 0 FROM pprepub.attack('wards');

-- out of the ladder
UPDATE several.patients SET earns = 5000 WHERE id = 3;
SELECT number FROM pprepub.publish('wards');
SELECT count(*) > 0 FROM published.wards('age < 50');
SELECT pprepub.alter_publication('wards', '{"bands": {"income": "range 500"}}');
SELECT pprepub.alter_publication('wards', '{"bands": {"income": "range 500"}, "accept_weakening": true}') \g /dev/null
SELECT number FROM pprepub.publish('wards');
SELECT pprepub.alter_publication('wards', '{"leaves": "doctor"}') \g /dev/null
SELECT number FROM pprepub.publish('wards');

-- protection
\set VERBOSITY terse
DROP TYPE published_private.wards_sensitive;
DROP TYPE published_private.wards_sensitive CASCADE;
ALTER TYPE published_private.wards_sensitive ADD ATTRIBUTE x int;
ALTER TYPE published_private.wards_sensitive RENAME TO x;
ALTER TYPE published_private.wards_sensitive RENAME ATTRIBUTE disease TO x;
COMMENT ON TYPE published_private.wards_sensitive IS 'diseases and incomes';
\set VERBOSITY default
CALL forget('wards');
SELECT typname FROM pg_type WHERE typname ~ '^_?wards';
SELECT count(*) FROM pprepub_internal.catalog_relation;

-- An import: a column that the table lacks is that of today.
CREATE TABLE several.old AS SELECT id, '[,)'::int4range AS age, '*' AS zip, disease, income FROM (SELECT id, disease, earns AS income FROM several.patients LIMIT 100) p;
CREATE VIEW several.old_incomes AS SELECT id, age, zip, income + 1 AS income FROM several.old;
:call '{disease, earns}', 'bpg', '{"k": 5, "l": 2, "bands": {"earns": "range 1000"}}') \g /dev/null
CALL forget('wards');
ALTER TABLE several.patients RENAME COLUMN earns TO income;
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"income": "range 1000"}}') \g /dev/null
SELECT number, kind, columns, rows FROM pprepub.import_release('wards', 'several.old', 'id');
SELECT number, kind, columns, rows FROM pprepub.import_release('wards', 'several.old_incomes', 'id');
SELECT number, kind, columns, rows FROM pprepub.import_release('wards', 'several.old_incomes', 'id', accept_changes => true);
SELECT count(*), count(disease), count(income) FROM published.wards_2;
SELECT release, bool_and((s).disease IS NOT DISTINCT FROM p.disease) AS diseases, bool_and((s).income = p.income + release - 1) AS incomes
	FROM published_private.wards_members CROSS JOIN unnest(keys, sensitive) AS m(key, disease, income) CROSS JOIN LATERAL (SELECT m) x(s)
	JOIN several.patients p ON p.id = m.key GROUP BY release ORDER BY release;
SELECT number FROM pprepub.publish('wards');
SELECT check_name, holds FROM pprepub.audit('wards') WHERE NOT holds;
SELECT * FROM pprepub.rebuild_history('wards');
CALL forget('wards');

-- A single column with bands is no tuple; answers leave out what no band holds.
:call 'income', 'bpg', '{"k": 5, "l": 2, "bands": {"income": "taxonomy incomes"}}') \g /dev/null
SELECT sensitive FROM pprepub.publication;
SELECT to_regtype('published_private.wards_sensitive');
SELECT count(*) > 0 AS some, count(*) FILTER (WHERE income >= 5000) AS beyond FROM published.wards();
SELECT number FROM pprepub.publish('wards');
UPDATE several.patients SET income = 17 WHERE id = 3;
SELECT number FROM pprepub.publish('wards');
SELECT min(n) >= 2 AS bands FROM (SELECT count(DISTINCT floor(income / 1000)) AS n FROM published.wards GROUP BY class) c;
SELECT check_name, holds FROM pprepub.audit('wards') WHERE NOT holds;
SELECT min(sensitive_values) >= 2 AS diverse FROM pprepub.groups('wards');
-- The publication's own copy of the ladder stays.
SELECT pprepub.drop_taxonomy('incomes') \g /dev/null
SELECT pprepub.create_range_taxonomy('incomes', 0, 10, '{1, 10}') \g /dev/null
SELECT pprepub.alter_publication('wards', '{"k": 6}');
SELECT number FROM pprepub.publish('wards');
SELECT pprepub.alter_publication('wards', '{"bands": null, "accept_weakening": true}') \g /dev/null
SELECT params FROM pprepub.publication;
SELECT kind, taxonomy, tree FROM pprepub_internal.catalog_column WHERE role LIKE 'sensitive%';
SELECT number FROM pprepub.publish('wards');
CALL forget('wards');

-- Wider bands can shut out people whom no release told apart by more than one.
CREATE TABLE several.paid AS SELECT i AS id, i AS age, i * 100 AS income FROM generate_series(1, 20) i;
SELECT pprepub.create_publication('paid', 'several.paid', 'id', '{"age": "range"}', 'income', 'bpg', '{"k": 5, "l": 2, "bands": {"income": "range 200"}}') \g /dev/null
SELECT number FROM pprepub.publish('paid');
SELECT pprepub.alter_publication('paid', '{"bands": {"income": "range 200"}}') \g /dev/null
SELECT pprepub.alter_publication('paid', '{"bands": {"income": "range 10000"}, "accept_weakening": true}');
SELECT pprepub.alter_publication('paid', '{"bands": {"income": "range 10000"}, "accept_weakening": true, "accept_lockout": true}');
SELECT check_name, holds FROM pprepub.audit('paid') WHERE NOT holds;
\set ECHO none
CALL forget('paid');

-- Bands of texts: the nodes of a level of a taxonomy, of which 250.01 and 250.02 are one.
CREATE TABLE several.icd (code text, disease text, chapter text, root text);
INSERT INTO several.icd VALUES ('250.01', '250', 'endocrine', 'any'), ('250.02', '250', 'endocrine', 'any'), ('250.03', '250', 'endocrine', 'any'),
	('401.1', '401', 'circulatory', 'any'), ('401.9', '401', 'circulatory', 'any'), ('V70', 'V70', 'V70', 'any');
SELECT pprepub.create_taxonomy('icd', 'several.icd') \g /dev/null
CREATE TABLE several.ill AS SELECT i AS id, i AS age, CASE WHEN i < 60 THEN '250.0' || 1 + i % 3 ELSE (ARRAY['250', '250.01', '401.1', '401.9', 'V70'])[1 + i % 5] END AS diagnosis FROM generate_series(0, 119) i;
\set ECHO all
\set icd 'SELECT pprepub.create_publication(\'ill\', \'several.ill\', \'id\', \'{"age": "range"}\', \'diagnosis\', \'bpg\', '
:icd '{"k": 5, "l": 2, "bands": {"diagnosis": "taxonomy icd"}}');
:icd '{"k": 5, "l": 2, "bands": {"diagnosis": "taxonomy icd 0"}}');
:icd '{"k": 5, "l": 2, "bands": {"diagnosis": "taxonomy icd 4"}}');
:icd '{"k": 5, "l": 2, "bands": {"diagnosis": "taxonomy nobodys 1"}}');
:icd '{"k": 5, "l": 2, "bands": {"diagnosis": "taxonomy incomes 1"}}');
:icd '{"k": 5, "l": 2, "distance": "ordered", "bands": {"diagnosis": "taxonomy icd 2"}}');
-- A value above the level may stand for several nodes: it has no band.
:icd '{"k": 5, "l": 2, "bands": {"diagnosis": "taxonomy icd 3"}}') \g /dev/null
SELECT pprepub.publish('ill');
SELECT count(*) FILTER (WHERE diagnosis = '250') AS above FROM published.ill();
CALL forget('ill');
:icd '{"k": 5, "l": 2}') \g /dev/null
SELECT number FROM pprepub.publish('ill');
CREATE VIEW several.by_disease AS SELECT min(n) AS least FROM (SELECT count(DISTINCT left(diagnosis, 3)) AS n FROM published.ill GROUP BY class) c;
TABLE several.by_disease;
SELECT pprepub.alter_publication('ill', '{"bands": {"diagnosis": "taxonomy icd 2"}}');
SELECT pprepub.alter_publication('ill', '{"bands": {"diagnosis": "taxonomy icd 2"}, "accept_weakening": true}');
DROP VIEW several.by_disease;
CALL forget('ill');
:icd '{"k": 5, "l": 2, "frequency": 1.2, "bands": {"diagnosis": "taxonomy icd 2"}}') \g /dev/null
SELECT number FROM pprepub.publish('ill');
SELECT min(n) AS least, bool_and(most / rows::numeric <= 1 / 1.2) AS varied
	FROM (SELECT class, count(*) AS n, sum(c) AS rows, max(c) AS most FROM (SELECT class, left(diagnosis, 3), count(*) AS c FROM published.ill_1 GROUP BY 1, 2) d GROUP BY class) c;
SELECT check_name, holds FROM pprepub.audit('ill') WHERE check_name IN ('l', 'frequency', 'atoms');
SELECT check_name, holds FROM pprepub.audit('ill', '{"l": 4}') WHERE check_name = 'l';	-- of bands, not of codes
SELECT min(sensitive_values) >= 2 AS diverse FROM pprepub.groups('ill');
SELECT kind, taxonomy FROM pprepub_internal.catalog_column WHERE role = 'sensitive';
-- A new value is refused until the taxonomy is extended, which leaves all others where they were.
UPDATE several.ill SET diagnosis = '250.04' WHERE id = 100;
SELECT pprepub.publish('ill');
INSERT INTO several.icd VALUES ('250.04', '250', 'endocrine', 'any'), ('460', '460', 'respiratory', 'any');
SELECT pprepub.extend_taxonomy('icd', 'several.icd') \g /dev/null
SELECT pprepub.publish('ill');
SELECT pprepub.alter_publication('ill', '{}');
SELECT number FROM pprepub.publish('ill');
SELECT check_name, holds FROM pprepub.audit('ill') WHERE NOT holds;
SELECT * FROM pprepub.rebuild_history('ill');
-- The publication has its own copy.
SELECT pprepub.drop_taxonomy('icd') \g /dev/null
UPDATE several.icd SET disease = code, chapter = code;
SELECT pprepub.create_taxonomy('icd', 'several.icd') \g /dev/null
SELECT pprepub.alter_publication('ill', '{"bands": {"diagnosis": "taxonomy icd 2"}}');
SELECT number FROM pprepub.publish('ill');
SELECT min(sensitive_values) >= 2 AS diverse FROM pprepub.groups('ill');
CALL forget('ill');
-- A name that ends in a number is no level; a level behind it is one.
CREATE TABLE several.levels AS TABLE several.icd;
UPDATE several.levels SET disease = left(code, 3), chapter = left(code, 3);
SELECT pprepub.create_taxonomy('icd 9', 'several.levels') \g /dev/null
:icd '{"k": 5, "l": 2, "bands": {"diagnosis": "taxonomy icd 9"}}');
:icd '{"k": 5, "l": 2, "bands": {"diagnosis": "taxonomy icd 9 1"}}') \g /dev/null
SELECT number FROM pprepub.publish('ill');
SELECT min(n) AS least FROM (SELECT count(DISTINCT left(diagnosis, 3)) AS n FROM published.ill_1 GROUP BY class) c;
SELECT check_name, holds FROM pprepub.audit('ill') WHERE NOT holds;
SELECT pprepub.drop_publication('ill', true), pprepub.drop_taxonomy('icd'), pprepub.drop_taxonomy('icd 9');

-- Deductions about each column.
CREATE TABLE several.four AS SELECT i AS id, 30 + i AS age, (ARRAY['flu', 'hiv', 'flu', 'hiv'])[i] AS a, i % 2 AS b FROM generate_series(1, 4) i;
SELECT pprepub.create_publication('four', 'several.four', 'id', '{"age": "range"}', '{a, b}', 'bpg', '{"k": 4, "l": 2}') \g /dev/null
SELECT number FROM pprepub.publish('four');
SELECT key, sensitive, candidates FROM pprepub.compromise('four', '{1, 3}') ORDER BY 1, 2;
SELECT key, sensitive, sizes, counts FROM pprepub.linked_values('four') ORDER BY 1, 2 LIMIT 4;
\set ECHO none
CALL forget('four');

-- Hostile names, and types of all sorts.
CREATE COLLATION several.loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE several.mood AS ENUM ('good', 'bad');
CREATE DOMAIN several.worth AS numeric(10,1) CHECK (value > 0);
CREATE TYPE several.pair AS (x int, y int);
CREATE TABLE several."odd" (
	id text PRIMARY KEY,
	age int,
	"{odd" several.mood,
	sensitive text COLLATE several.loose,
	"sensitive_tuple" int[],
	"Class "" of ' $x$" several.worth,
	"a234567890b234567890c234567890d234567890e234567890f234567890ghi" several.pair,
	place point,
	secret xml
);
INSERT INTO several.odd
	SELECT 'p' || i, i, (ARRAY['good', 'bad'])[1 + i % 2]::several.mood, (ARRAY['Flu', 'flu', 'HIV'])[1 + i % 3], ARRAY[i % 4, NULL], 1 + i % 5,
		CASE WHEN i % 7 > 0 THEN ROW(nullif(i % 2, 0), NULL)::several.pair END, point(i, i)
	FROM generate_series(1, 60) i;
\set ECHO all
SELECT pprepub.create_publication('odd', 'several.odd', 'id', '{"age": "range"}', '{sensitive, place}', 'bpg', '{"k": 3, "l": 2}');
SELECT pprepub.create_publication('odd', 'several.odd', 'id', '{"age": "range"}', '{sensitive, secret}', 'bpg', '{"k": 3, "l": 2}');
SELECT pprepub.create_publication('odd', 'several.odd', 'id', '{"age": "range"}', '{odd', 'bpg', '{"k": 3, "l": 2}');
SELECT pprepub.create_publication('odd', 'several.odd', 'id', '{"age": "range"}', '{"{odd"}', 'bpg', '{"k": 3, "l": 2}') \g /dev/null
SELECT sensitive FROM pprepub.publication;
CALL forget('odd');
SELECT pprepub.create_publication('Odd" one''s', 'several.odd', 'id', '{"age": "range"}',
	ARRAY['{odd', 'sensitive', 'sensitive_tuple', 'Class " of '' $x$', 'a234567890b234567890c234567890d234567890e234567890f234567890ghi']::text, 'bpg',
	'{"k": 6, "l": 2, "bands": {"Class \" of '' $x$": "range 2"}}') \g /dev/null
SELECT sensitive FROM pprepub.publication;
SELECT attname, format_type(atttypid, atttypmod) AS type FROM pg_attribute WHERE attrelid = 'published_private."Odd"" one''s_source"'::regclass ORDER BY attnum;
SELECT number FROM pprepub.publish('Odd" one''s');
SELECT count(*) > 0 AS some, count(*) = count(sensitive) AS shown, count("{odd") AS left_out FROM published."Odd"" one's"('age > 0', '{age, sensitive}');
SELECT count(*) FROM several.odd o WHERE NOT EXISTS (SELECT FROM published."Odd"" one's_1" p WHERE o.sensitive_tuple = p.sensitive_tuple AND o."{odd" = p."{odd" AND o.sensitive = p.sensitive);
-- Equal values are written alike, though their rows differ otherwise.
SELECT count(DISTINCT sensitive COLLATE "C") AS spellings FROM several.odd;
SELECT count(DISTINCT sensitive COLLATE "C") AS spellings FROM published."Odd"" one's_1";
DELETE FROM several.odd WHERE age > 55;
SELECT number FROM pprepub.publish('Odd" one''s');
SELECT check_name, holds FROM pprepub.audit('Odd" one''s') WHERE NOT holds;
SELECT * FROM pprepub.rebuild_history('Odd" one''s');
SELECT linkability >= 1 AS linked FROM pprepub.linkability('Odd" one''s');
ALTER TYPE several.mood RENAME VALUE 'bad' TO 'worse';
CALL public.clean();

-- compromise() on tables that were made elsewhere: large and small classes, people without a value, and two tables that cross each other.
BEGIN;

CREATE FUNCTION lot(id int, what int, sides int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT mod(hashint8extended(id, what) & 9223372036854775807, sides)::int $$;
CREATE TABLE people AS SELECT id, 17 + (lot(id, 1, 60) * lot(id, 2, 60)) / 60 AS age, 'e' || lot(id, 3, 1 + lot(id, 4, 16)) AS education, 's' || lot(id, 5, 2) AS sex,
	CASE WHEN lot(id, 6, 17) > 0 THEN 'o' || lot(id, 7, 1 + lot(id, 8, 14)) END AS occupation
FROM generate_series(1, 4000) id;
INSERT INTO people VALUES (4001, 95, 'e99', 's1', 'o1'), (4002, 95, 'e99', 's1', NULL);
ALTER TABLE people ADD PRIMARY KEY (id);
CREATE VIEW decades AS SELECT id, int4range(age / 10 * 10, age / 10 * 10 + 10) AS age, education, sex, occupation FROM people;
CREATE VIEW sexes AS SELECT id, int4range(age, age + 1) AS age, '*' AS education, sex, occupation FROM people WHERE id % 10 < 9;

SELECT pprepub.create_publication('p', 'people', 'id', '{"age": "range", "education": "suppress", "sex": "suppress"}', 'occupation', 'bpg', '{"k": 2, "l": 2}') \g /dev/null
SELECT classes AS classes FROM pprepub.import_release('p', 'decades', 'id') \gset
SELECT cmp_ok(:classes, '>', 100, 'there are many classes');

-- One table: who is not known has one of the values that those who are leave over in the class.
CREATE TABLE known AS SELECT id FROM people WHERE id = 4001 OR id <= 4000 AND lot(id, 9, 4) = 0;
CREATE FUNCTION known() RETURNS text[] LANGUAGE sql AS $$ SELECT array_agg(id::text) FROM known $$;
CREATE TABLE left_over AS SELECT age / 10 AS decade, education, sex, occupation, count(*) FILTER (WHERE k.id IS NULL) AS people
FROM people LEFT JOIN known k USING (id) GROUP BY 1, 2, 3, 4;
CREATE TABLE expected AS SELECT p.id::text AS key, (SELECT array_agg(occupation ORDER BY occupation) FILTER (WHERE people > 0) FROM left_over WHERE (decade, education, sex) = (p.age / 10, p.education, p.sex)) AS candidates,
	(SELECT count(*) FROM left_over WHERE (decade, education, sex) = (p.age / 10, p.education, p.sex)) AS before
FROM people p WHERE id NOT IN (SELECT id FROM known);

CREATE FUNCTION found() RETURNS TABLE (key text, candidates text[], exact boolean) LANGUAGE sql AS $$
	SELECT key, ARRAY(SELECT c FROM unnest(candidates) c ORDER BY c), exact FROM pprepub.compromise('p', known())
$$;

SET LOCAL pprepub.search_budget = 0;
CREATE TABLE narrowed AS SELECT * FROM found();
SELECT results_eq('SELECT key, candidates, true FROM expected WHERE cardinality(candidates) < before OR cardinality(candidates) = 1 ORDER BY 1', 'SELECT * FROM narrowed ORDER BY 1',
	'of one table everything follows, without a search');
SELECT cmp_ok((SELECT count(*) FROM narrowed WHERE array_position(candidates, NULL) IS NOT NULL), '>', 100::bigint, 'who may have no value may have it');
SELECT is((SELECT candidates FROM narrowed WHERE key = '4002'), '{NULL}', 'of somebody it is found out that he has none');

-- Two tables: what is excluded is never the truth, and a larger budget never says less.
SELECT number FROM pprepub.import_release('p', 'sexes', 'id') \g /dev/null
CREATE TABLE told (budget float8, key text, candidates text[], exact boolean);
INSERT INTO told SELECT 0, * FROM found();
SET LOCAL pprepub.search_budget = 3e6;
INSERT INTO told SELECT 3e6, * FROM found();
SET LOCAL pprepub.search_budget = 2e7;
INSERT INTO told SELECT 2e7, * FROM found();
RESET pprepub.search_budget;

SELECT is_empty('SELECT key FROM told JOIN people ON id::text = key WHERE array_position(candidates, occupation) IS NULL', 'nobody is said not to have what he has');
SELECT is_empty('SELECT key FROM told a LEFT JOIN told b USING (key) WHERE a.budget < b.budget AND NOT b.candidates <@ a.candidates
	AND array_position(b.candidates, NULL) IS NULL', 'what is excluded stays excluded with a larger budget');
SELECT is_empty('SELECT key FROM told a JOIN told b USING (key) WHERE a.budget < b.budget AND a.exact AND (NOT b.exact OR a.candidates <> b.candidates)',
	'what is exact stays so');
SELECT results_eq('SELECT budget FROM told GROUP BY budget ORDER BY count(*) FILTER (WHERE NOT exact) DESC', 'SELECT unnest(ARRAY[0, 3e6, 2e7]::float8[])', 'a larger budget finds out more');
SELECT cmp_ok((SELECT count(*) FROM told WHERE budget = 0 AND NOT exact), '>', 1000::bigint, 'without a search, not everything is said to be exact');

-- A search that never ends is one that can be cancelled.
SET LOCAL pprepub.search_budget = 1e18;
CREATE FUNCTION is_cancelled(query text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN false;
EXCEPTION WHEN query_canceled THEN
	RETURN true;
END $$;
SET LOCAL statement_timeout = '300ms';
SELECT ok(is_cancelled($$ SELECT count(*) FROM pprepub.compromise('p', known()) $$), 'compromise() is cancelled');
SET LOCAL statement_timeout = 0;
SET LOCAL pprepub.search_budget = 0;
SELECT results_eq('SELECT * FROM found() ORDER BY key', 'SELECT key, candidates, exact FROM told WHERE budget = 0 ORDER BY key', 'what comes after that is as it was');
RESET pprepub.search_budget;
SELECT throws_ok('SET LOCAL pprepub.search_budget = -1', '22023', NULL, 'a budget is not less than nothing');

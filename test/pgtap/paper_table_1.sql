-- Table 1 of Riboni and Bettini, as it was published: what observers find out who know that Carl has AIDS.
BEGIN;

CREATE TABLE patients (name text PRIMARY KEY, age int, gender text, zip int, disease text);
INSERT INTO patients VALUES ('Alice', 33, 'Female', 12000, 'cancer'), ('Betty', 31, 'Female', 11000, 'bronchitis'), ('Carl', 35, 'Male', 12000, 'AIDS'),
	('Doris', 40, 'Female', 13000, 'cancer'), ('Erica', 41, 'Female', 14000, 'AIDS'), ('Fiona', 37, 'Female', 13000, 'bronchitis'),
	('Grace', 42, 'Female', 13000, 'bronchitis'), ('Hanna', 41, 'Female', 13000, 'cancer');
CREATE TABLE shown (release int, name text, age int4range, gender text, zip int4range, disease text);
INSERT INTO shown
SELECT release, p.name, age_range, gender_shown, zip_range, disease FROM (VALUES
	(1, '{Alice,Betty,Carl}'::text[], '[31,35]'::int4range, '*', '[11000,12000]'::int4range),
	(1, '{Doris,Erica,Fiona}', '[37,41]', 'Female', '[13000,14000]'),
	(2, '{Carl,Doris,Fiona}', '[35,40]', '*', '[12000,13000]'),
	(2, '{Erica,Grace,Hanna}', '[41,42]', 'Female', '[13000,14000]')) c(release, names, age_range, gender_shown, zip_range)
JOIN patients p ON p.name = ANY (names);
CREATE TABLE first AS SELECT name, age, gender, zip, disease FROM shown WHERE release = 1;
CREATE TABLE second AS SELECT name, age, gender, zip, disease FROM shown WHERE release = 2;

SELECT pprepub.create_publication('ward', 'patients', 'name', '{"age": "range", "gender": "suppress", "zip": "range"}', 'disease', 'bpg', '{"k": 3, "l": 3}') \g /dev/null
SELECT number FROM pprepub.import_release('ward', 'first', 'name') \g /dev/null
SELECT number FROM pprepub.import_release('ward', 'second', 'name') \g /dev/null

-- Classes by their people: their numbers mean nothing.
CREATE FUNCTION people_of(release int, class bigint) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(key, ' ' ORDER BY key) FROM pprepub.class_members('ward') m WHERE (m.release, m.class) = ($1, $2)
$$;
SELECT results_eq($$ SELECT people_of(release_a, class_a), people_of(release_b, class_b), unmatched FROM pprepub.historical_correlations('ward') ORDER BY 1, 2 $$,
	$$ VALUES ('Alice Betty Carl', 'Carl Doris Fiona', 2), ('Doris Erica Fiona', 'Carl Doris Fiona', 1), ('Doris Erica Fiona', 'Erica Grace Hanna', 2) $$,
	'Examples 1 and 3: Carl with Erica, Alice and Betty with Doris and Fiona; and through the fourth class, Doris and Fiona with Grace and Hanna');
SELECT results_eq($$ SELECT key, (SELECT string_agg(c, ' ' ORDER BY c) FROM unnest(candidates) c), exact FROM pprepub.compromise('ward', '{Carl}') ORDER BY key $$,
	$$ VALUES ('Alice', 'bronchitis cancer', true), ('Betty', 'bronchitis cancer', true), ('Doris', 'bronchitis cancer', true), ('Erica', 'AIDS', true),
		('Fiona', 'bronchitis cancer', true), ('Grace', 'bronchitis cancer', true), ('Hanna', 'bronchitis cancer', true) $$,
	'Examples 1, 2 and 4: Doris and Fiona have no AIDS, so Erica has');
SELECT is((SELECT count(*) FROM pprepub.compromise('ward', '{}')), 0::bigint, 'who knows nobody deduces nothing');
SELECT is((SELECT bool_and(cardinality(without_keys) = 3) FROM pprepub.compromise('ward', '{Carl}')), true, 'all of that comes from knowing Carl');
SELECT is((SELECT string_agg(key, ' ' ORDER BY key) FROM pprepub.compromise('ward', '{Carl,Doris}') WHERE cardinality(candidates) = 1), 'Erica Fiona', 'who knows Doris, too, knows Fiona');

-- Certain without any knowledge: {1, 2} and then 1 alone; three people in two pairs that cross; and a class of one value.
CREATE TABLE few (id int PRIMARY KEY, age int, disease text);
INSERT INTO few VALUES (1, 30, 'a'), (2, 31, 'b'), (3, 32, 'c'), (4, 33, 'd'), (5, 34, 'd');
CREATE FUNCTION imported(name text, keys int[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE %I AS SELECT id, disease FROM few WHERE id = ANY (%L)', name, keys);
	PERFORM pprepub.import_release('few', name, 'id');
END $$;
SELECT pprepub.create_publication('few', 'few', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 1}', beside => '{ward}') \g /dev/null
SELECT imported('r1', '{1, 2, 3}'), imported('r2', '{1, 2}') \g /dev/null
CREATE FUNCTION told(keys text[]) RETURNS TABLE (key text, candidates text, without text, exact boolean) LANGUAGE sql AS $$
	SELECT key, (SELECT string_agg(c, ' ' ORDER BY c) FROM unnest(candidates) c), (SELECT string_agg(c, ' ' ORDER BY c) FROM unnest(without_keys) c), exact
	FROM pprepub.compromise('few', keys)
$$;
SELECT results_eq($$ SELECT * FROM told('{}') ORDER BY key $$, $$ VALUES ('1', 'a b', 'a b', true), ('2', 'a b', 'a b', true), ('3', 'c', 'c', true) $$,
	'two releases tell a value, and narrow those of others');
SELECT results_eq($$ SELECT * FROM told('{1}') ORDER BY key $$, $$ VALUES ('2', 'b', 'a b', true), ('3', 'c', 'c', true) $$, 'a column tells what knowledge adds');
SELECT imported('r3', '{1, 3}'), imported('r4', '{4, 5}') \g /dev/null
SELECT results_eq($$ SELECT * FROM told('{}') ORDER BY key $$,
	$$ VALUES ('1', 'a', 'a', true), ('2', 'b', 'b', true), ('3', 'c', 'c', true), ('4', 'd', 'd', true), ('5', 'd', 'd', true) $$, 'everybody whose value is certain has a row');

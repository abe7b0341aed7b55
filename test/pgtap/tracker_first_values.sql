-- Values that are shown first are those of the people whom the first release of a group showed, whatever columns it left out.

CREATE FUNCTION declare(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE %I AS SELECT i AS id, 20 + i AS age, CASE i WHEN 10 THEN ''HIV'' ELSE (ARRAY[''flu'', ''asthma'', ''angina''])[1 + i %% 3] END AS disease FROM generate_series(1, 10) i', name);
	PERFORM pprepub.create_publication(name, name, 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 3}');
END $$;
CREATE FUNCTION shown(of text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg(n || '' '' || disease, '', '' ORDER BY disease) FROM (SELECT disease, count(*) AS n FROM %s GROUP BY disease) shown', of) INTO result;
	RETURN result;
END $$;

-- Three questions, of which the first tells no values
SELECT declare('asked') \g /dev/null
SELECT age FROM published.asked_now WHERE age <= 30 LIMIT 1 \g /dev/null
SELECT is(shown('published.asked_now WHERE age <= 29'), '1 HIV, 3 angina, 3 asthma, 3 flu', 'a row stands in for one who was there');
SELECT is(shown('published.asked_now WHERE age <= 30'), '1 HIV, 3 angina, 3 asthma, 3 flu', 'and shows what the person has');

-- Somebody left before values were shown, and came back.
SELECT declare('left') \g /dev/null
SELECT pprepub.publish('left', columns => '{age}') \g /dev/null
DELETE FROM "left" WHERE id = 10;
UPDATE "left" SET disease = 'measles' WHERE id = 1;
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('left')), '(10,1)', 'a row stands in for one who left before');
SELECT is(shown('published."left"'), '1 HIV, 3 angina, 3 asthma, 3 flu', 'and all show what they had');
INSERT INTO "left" VALUES (10, 30, 'HIV');
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('left')), '(10,0)', 'until nobody is lacking');
SELECT is(shown('published."left"'), '1 HIV, 3 angina, 2 asthma, 3 flu, 1 measles', 'and nothing is made up');

-- Few newcomers wait for company: rows that keep it would have values that nobody has.
SELECT declare('few') \g /dev/null
DELETE FROM few WHERE id > 8;
SELECT throws_like($$ SELECT pprepub.publish('few', columns => '{age}') $$, '%nothing that may be published', 'few newcomers wait');
SELECT throws_like($$ SELECT pprepub.publish('few') $$, '%nothing that may be published', 'whether or not values are shown');

-- Somebody who came back after a release without values does not bring a new one at once.
SELECT declare('back') \g /dev/null
SELECT pprepub.publish('back') \g /dev/null
SELECT shown('published.back') AS before \gset
DELETE FROM back WHERE id = 10;
SELECT pprepub.publish('back', columns => '{age}') \g /dev/null
INSERT INTO back VALUES (10, 30, 'measles');
SELECT pprepub.rebuild_history('back') \g /dev/null
SELECT pprepub.publish('back') \g /dev/null
SELECT is(shown('published.back'), :'before', 'nothing new in the release of the return');

-- Nobody has NULL, so a row that shows it stands in for somebody.
SELECT declare('brought') \g /dev/null
CREATE TABLE elsewhere AS SELECT id AS k, 1 AS class, '[21,30]' AS age FROM brought;
DELETE FROM brought WHERE id = 10;
SELECT pprepub.import_release('brought', 'elsewhere', key => 'k', accept_changes => true) \g /dev/null
SELECT pprepub.publish('brought') \g /dev/null
SELECT is((SELECT (count(*), count(disease))::text FROM published.brought), '(10,10)', 'nor does a row stand out that stands in for one who left before an import');

SELECT is_empty(format($$ SELECT * FROM pprepub.audit(%L) WHERE NOT holds $$, p), format('all of it holds: %s', p)) FROM (VALUES ('asked'), ('left'), ('back')) p(p);

-- Values that are shown first are shown of all: neither beside rows that stand in for some, nor where somebody has just come back.

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
SELECT is(shown('published.asked_now WHERE age <= 29'), NULL, 'nobody is shown where somebody is lacking');
SELECT is(shown('published.asked_now WHERE age <= 30'), '1 HIV, 3 angina, 3 asthma, 3 flu', 'and all with the values that they have');
SELECT is(shown('published.asked_now WHERE age <= 30'), '1 HIV, 3 angina, 3 asthma, 3 flu', 'from the first time on');
SELECT is(shown('published.asked_now WHERE age <= 29'), '1 HIV, 3 angina, 3 asthma, 3 flu', 'which rows that stand in show, too');

-- Somebody left before values were shown, and came back.
SELECT declare('left') \g /dev/null
SELECT pprepub.publish('left', columns => '{age}') \g /dev/null
DELETE FROM "left" WHERE id = 10;
SELECT throws_like($$ SELECT pprepub.publish('left') $$, '%nothing that may be published', 'those who are left wait');
INSERT INTO "left" VALUES (10, 30, 'HIV');
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('left')), '(10,0)', 'until nobody is lacking');
SELECT is(shown('published."left"'), '1 HIV, 3 angina, 3 asthma, 3 flu', 'and nothing is made up');

-- Twice as many can be parted, without rows that stand in.
SELECT declare('parted') \g /dev/null
INSERT INTO parted SELECT i, 30 + i, (ARRAY['flu', 'asthma', 'angina'])[1 + i % 3] FROM generate_series(11, 25) i;
SELECT pprepub.alter_publication('parted', '{"reserve": 2}') \g /dev/null
SELECT pprepub.publish('parted', columns => '{age}') \g /dev/null
SELECT pprepub.publish('parted', 'age <= 35') \g /dev/null
SELECT is((SELECT counterfeits FROM pprepub.release WHERE publication = 'parted' AND number = 2), 0::bigint, 'no row stands in');

-- Few newcomers wait where values are not shown: rows that keep them company would have values that nobody knows.
SELECT declare('few') \g /dev/null
DELETE FROM few WHERE id > 8;
SELECT throws_like($$ SELECT pprepub.publish('few', columns => '{age}') $$, '%nothing that may be published', 'few newcomers wait');
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('few')), '(10,2)', 'for company whose values are shown');

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
SELECT throws_like($$ SELECT pprepub.publish('brought') $$, '%nothing that may be published', 'nor is anybody shown beside one who left before an import');

SELECT is_empty(format($$ SELECT * FROM pprepub.audit(%L) WHERE NOT holds $$, p), format('all of it holds: %s', p)) FROM (VALUES ('asked'), ('left'), ('parted'), ('few'), ('back')) p(p);

-- A change that a release leaves out is new to observers when a later one shows it: not beside rows that stand in.

CREATE FUNCTION declare(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE %I AS SELECT i AS id, 20 + i AS age, (ARRAY[''flu'', ''asthma''])[1 + i %% 2] AS disease FROM generate_series(1, 10) i', name);
	PERFORM pprepub.create_publication(name, name, 'id', '{"age": "range"}', 'disease', params => '{"k": 10, "l": 2}');
	PERFORM pprepub.publish(name);
END $$;
CREATE FUNCTION shown(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT string_agg(disease, '' '' ORDER BY disease) FROM published.%I', name) INTO result;
	RETURN result;
END $$;

-- It came with a release that left the column out; and then somebody left.
SELECT declare('hidden') \g /dev/null
SELECT shown('hidden') AS before \gset
UPDATE hidden SET disease = 'flu' WHERE id = 1;
SELECT pprepub.publish('hidden', columns => '{age}') \g /dev/null
DELETE FROM hidden WHERE id = 10;
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('hidden')), '(10,1)', 'a row stands in');
SELECT is(shown('hidden'), :'before', 'and nothing new is shown');

-- The one who left came back in a release that left the column out, with another value; and then with the own one.
SELECT declare('back') \g /dev/null
DELETE FROM back WHERE id = 10;
SELECT pprepub.publish('back') \g /dev/null
INSERT INTO back VALUES (10, 30, 'asthma');
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('back', columns => '{age}')), '(10,1)', 'a row still stands in');
UPDATE back SET disease = 'flu' WHERE id = 10;
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('back', columns => '{age}')), '(10,0)', 'nobody is lacking');
UPDATE back SET disease = 'asthma' WHERE id = 10;
SELECT pprepub.publish('back') \g /dev/null
SELECT isnt(shown('back'), :'before', 'the next release shows what anybody may have now');

-- A release that came from elsewhere, and left the column out
SELECT declare('imported') \g /dev/null
UPDATE imported SET disease = 'flu' WHERE id = 1;
CREATE TABLE elsewhere AS SELECT id AS k, 1 AS class, '[21,30]' AS age FROM imported;
SELECT pprepub.import_release('imported', 'elsewhere', key => 'k', accept_changes => true) \g /dev/null
DELETE FROM imported WHERE id = 10;
SELECT pprepub.publish('imported') \g /dev/null
SELECT is(shown('imported'), :'before', 'nothing new after an import');

-- It has a row of somebody who has left since: what stands in shows what was shown, and no NULL.
SELECT declare('gone') \g /dev/null
SELECT shown('gone') AS before \gset
DELETE FROM gone WHERE id = 10;
DROP TABLE elsewhere;
CREATE TABLE elsewhere AS SELECT i AS k, 1 AS class, '[21,30]' AS age FROM generate_series(1, 10) i;
SELECT pprepub.import_release('gone', 'elsewhere', key => 'k', accept_changes => true) \g /dev/null
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('gone')), '(10,1)', 'a row stands in after an import');
SELECT is(shown('gone'), :'before', 'and shows what was shown before it');

-- A rebuilt history tells it, too.
DELETE FROM back WHERE id = 9;
SELECT pprepub.publish('back') \g /dev/null
SELECT shown('back') AS before \gset
INSERT INTO back VALUES (9, 29, 'flu');
SELECT pprepub.publish('back', columns => '{age}') \g /dev/null
SELECT is((SELECT bool_and(equal) FROM pprepub.rebuild_history('back')), true, 'the history is what the log tells');
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('back')), '(10,1)', 'and still a row stands in');
SELECT is(shown('back'), :'before', 'and nothing new is shown');

SELECT is_empty(format($$ SELECT * FROM pprepub.audit(%L) WHERE NOT holds AND check_name <> 'covers' $$, p), format('all of it holds: %s', p))
FROM (VALUES ('hidden'), ('back'), ('imported'), ('gone')) p(p);

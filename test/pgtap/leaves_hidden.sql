-- A column by which newcomers are laid out is read and stays unseen: no release, answer, history, catalog or error has a value of it, nor
-- do those who may not read the source reach it.
CREATE ROLE leaves_owner;
CREATE ROLE leaves_analyst;
DO $$ BEGIN EXECUTE format('GRANT CREATE ON DATABASE %I TO leaves_owner', current_database()); END $$;
GRANT CREATE ON SCHEMA public TO leaves_owner;

SET ROLE leaves_owner;
CREATE TABLE people AS SELECT i AS id, i * 37 % 80 AS age, 'd' || i % 6 AS ill, CASE WHEN i % 10 > 0 THEN 'unseen ' || i / 12 END AS slot FROM generate_series(1, 400) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2, "repair": "counterfeit", "leaves": "slot", "max_answers_per_statement": 10}') \g /dev/null
GRANT USAGE ON SCHEMA published TO leaves_analyst;
GRANT EXECUTE ON FUNCTION published.people TO leaves_analyst;
SELECT pprepub.publish('people') \g /dev/null
DELETE FROM people WHERE id < 50;
INSERT INTO people SELECT i, i % 80, 'd' || i % 6, 'unseen ' || i / 12 FROM generate_series(401, 500) i;
SELECT pprepub.publish('people') \g /dev/null
SET ROLE leaves_analyst;
SELECT cmp_ok(count(*), '>=', 451::bigint, 'an answer has everybody') FROM published.people();
SELECT throws_ok($$ SELECT * FROM published.people('slot = ''unseen 7''') $$, '42703', NULL, 'who asks about it is told that there is none');
SELECT throws_ok($$ SELECT * FROM published.people(NULL, '{slot}') $$, '42703', NULL, 'or to see it');
SELECT throws_ok($$ SELECT slot FROM published_private.people_source $$, '42501', NULL, 'the pinned view is not his to read');
SET ROLE leaves_owner;
SELECT pprepub.publish('people', 'age < 40') \g /dev/null
SELECT is(count(*), 0::bigint, 'all is as promised') FROM pprepub.audit('people') WHERE NOT holds;

-- Everything that is stored, row by row.
RESET ROLE;
CREATE FUNCTION rows_with(relation regclass, word text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM %s t WHERE t::text LIKE %L', relation, '%' || word || '%') INTO n;
	RETURN n;
END $$;
SELECT is(array_agg(c.oid::regclass::text ORDER BY c.oid::regclass::text COLLATE "C"), '{people,published_private.people_source}', 'only the source has its values')
FROM pg_class c WHERE relkind IN ('r', 'v') AND relnamespace IN ('public'::regnamespace, 'published'::regnamespace, 'published_private'::regnamespace, 'pprepub'::regnamespace, 'pprepub_internal'::regnamespace)
AND relname !~ '^(tap_|pg_all_foreign_keys)' AND rows_with(c.oid, 'unseen') > 0;

-- A source that cannot tell it any more is answered as if there were nobody, and its owner learns why, not of whom.
SET ROLE leaves_owner;
CREATE VIEW failing AS SELECT id, age, ill, CASE WHEN id <> 77 THEN 1 ELSE 1 / (id - 77) END AS slot FROM people;
SELECT pprepub.create_publication('failing', 'failing', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2}', beside => '{people}') \g /dev/null
GRANT EXECUTE ON FUNCTION published.failing TO leaves_analyst;
SELECT lives_ok($$ SELECT pprepub.publish('failing') $$, 'a column that is not read does no harm');
SELECT lives_ok($$ SELECT pprepub.alter_publication('failing', '{"leaves": "slot"}') $$, 'it is declared');
SELECT throws_ok($$ SELECT pprepub.publish('failing') $$, '22012', NULL, 'the owner is told that it cannot be read');
SET ROLE leaves_analyst;
SELECT is(count(*), 0::bigint, 'the analyst is not') FROM published.failing();
SET ROLE leaves_owner;
SELECT pprepub.drop_publication(name, true) FROM unnest('{failing,people}'::text[]) name \g /dev/null
RESET ROLE;
DROP OWNED BY leaves_owner, leaves_analyst CASCADE;
DROP ROLE leaves_owner, leaves_analyst;

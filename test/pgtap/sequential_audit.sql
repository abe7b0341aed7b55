-- audit() of all releases of a sequence together: no false alarm whatever becomes of the source, and none missed
-- where a release is not what was published, or brings more to light.
SELECT setseed(0.3) \g /dev/null

CREATE TABLE tree (leaf text, parent text, root text);
INSERT INTO tree SELECT 'c' || i, 'g' || i / 3, 'all' FROM generate_series(0, 7) i;
SELECT pprepub.create_taxonomy('tree', 'tree') \g /dev/null
CREATE TABLE people (id int PRIMARY KEY, age int, zip text, country text, sex text, ill text, ward int);
CREATE FUNCTION add_people(n int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO people SELECT coalesce((SELECT max(id) FROM people), 0) + i, CASE WHEN random() < 0.95 THEN (random() * random() * 30)::int END,
		'1' || (random() * 5)::int || (random() * 3)::int, 'c' || floor(random() * 8), CASE WHEN random() < 0.5 THEN 'F' ELSE 'M' END,
		CASE WHEN random() < 0.95 THEN 'd' || floor(random() * random() * 9) END, random() * 3 FROM generate_series(1, n) i $$;
CREATE FUNCTION some_columns() RETURNS name[] LANGUAGE sql AS $$
	SELECT coalesce(array_agg(c::name ORDER BY c) FILTER (WHERE random() < 0.5), '{ill}') FROM unnest('{age,zip,country,sex,ill}'::text[]) c $$;
CREATE FUNCTION try_publish() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.publish('people', columns => some_columns());
	RETURN 1;
EXCEPTION WHEN no_data_found THEN
	RETURN 0;
END $$;
CREATE FUNCTION joined() RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' ', CASE WHEN holds THEN 'holds' WHEN holds IS NULL THEN 'open' ELSE 'broken' END, measured) FROM pprepub.audit('people') WHERE check_name = 'joined' $$;
-- Whatever becomes of people, as often as they are published.
CREATE FUNCTION live(params jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	published int := 0;
	what text;
BEGIN
	TRUNCATE people;
	PERFORM add_people(80 + (random() * 100)::int);
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range", "zip": "prefix", "country": "taxonomy tree", "sex": "suppress"}', 'ill', 'sequential', params, '{ward}');
	FOR n IN 1 .. 4 LOOP
		published := published + try_publish();
		FOREACH what IN ARRAY ARRAY['SELECT', 'DELETE FROM people WHERE random() < 0.1', 'SELECT add_people(20)', 'UPDATE people SET age = age + 1, zip = ''199'' WHERE random() < 0.1',
			'UPDATE people SET ill = ''d'' || floor(random() * 9) WHERE random() < 0.1', 'DELETE FROM people WHERE country = ''c7''', 'UPDATE people SET ward = 9'] LOOP
			EXECUTE what;
			IF published > 0 AND (joined() IS NULL OR joined() NOT SIMILAR TO '(holds%|open%; [0-9]+ could not be judged)') THEN
				RETURN NEXT fail(format('%s, %s releases, after %s: %s', params, published, what, joined()));
			END IF;
		END LOOP;
	END LOOP;
	TRUNCATE people;
	IF published > 0 AND joined() LIKE 'broken%' THEN
		RETURN NEXT fail(format('%s: nobody is left: %s', params, joined()));
	END IF;
	PERFORM pprepub.drop_publication('people', true);
	RETURN NEXT cmp_ok(published, '>', 0, params::text);
END $$;
SELECT live(jsonb_build_object('k', k, 'approach', approach, 'join', kind)) FROM unnest('{2, 3}'::int[]) k, unnest('{unifying, separative}'::text[]) approach, unnest('{kmj,mj}'::text[]) kind;
SELECT live(jsonb_build_object('k', 1.3, 'privacy', 'diversity', 'approach', approach)) FROM unnest('{unifying, separative}'::text[]) approach;

-- ---- Real ones: what was published elsewhere ----

CREATE TABLE known AS SELECT i AS id, 20 + i % 4 AS age, '1' || i % 3 || '0' AS zip, 'c' || i % 8 AS country, (ARRAY['F', 'M'])[1 + i % 2] AS sex, 'd' || i % 7 AS ill, i % 2 AS ward
	FROM generate_series(1, 60) i;
CREATE FUNCTION begin_again(params jsonb DEFAULT '{"k": 3}') RETURNS void LANGUAGE sql AS $$
	TRUNCATE people;
	INSERT INTO people SELECT id, age, zip, country, sex, ill, ward FROM known;
	SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "zip": "prefix", "country": "taxonomy tree", "sex": "suppress"}', 'ill', 'sequential', params, '{ward}');
	SELECT pprepub.publish('people', columns => '{age,zip,sex}');
	SELECT pprepub.publish('people', columns => '{age,ill}') $$;
SELECT begin_again() \g /dev/null
SELECT alike(joined(), 'holds % of 60 people 0 less than promised', 'what was published');
CREATE VIEW worse AS SELECT id, age, zip, country, sex, ill FROM known;
SELECT pprepub.import_release('people', 'worse', 'id') \g /dev/null
SELECT matches(joined(), '^broken [12] at the least; of 60 people [1-9][0-9]* less than promised', 'an import that brings too much to light');
-- Nor is that mended by publishing what is harmless: nothing is published any more.
SELECT throws_like($$ SELECT pprepub.publish('people', columns => '{sex,ill}') $$, 'no release of publication % can keep linkability 3', 'and nothing is published on top of it');
SELECT pprepub.drop_publication('people', true) \g /dev/null

-- ---- Damage, past all protection ----

\i test/lib/tampering.sql
CREATE FUNCTION damage(command text) RETURNS text LANGUAGE sql AS $$ SELECT damage(command, 'joined()') $$;
SELECT begin_again() \g /dev/null
SELECT alike(damage('SELECT'), 'holds %', 'no damage');
SELECT is(damage(command), 'broken release 2 of publication "people" is not as it was published', command) FROM (VALUES
	($$ UPDATE published.people_2 SET ill = 'never heard of' WHERE ctid = (SELECT min(ctid) FROM published.people_2) $$),
	($$ DELETE FROM published.people_2 WHERE ctid = (SELECT min(ctid) FROM published.people_2) $$),
	($$ INSERT INTO published.people_2 SELECT * FROM published.people_2 LIMIT 1 $$),
	($$ UPDATE published.people_2 SET age = 'empty' WHERE ill = 'd1' $$),
	($$ TRUNCATE published.people_2 $$), ($$ DROP TABLE published.people_2 CASCADE $$),
	($$ DELETE FROM published_private.people_members WHERE release = 2 $$),
	($$ DELETE FROM published_private.people_members WHERE release = 2 AND class = 1 $$)) v(command);
-- Rows that hang together otherwise than they did: everybody of an age has one illness, as often as the log has it somewhere.
SELECT alike(damage($$ UPDATE published.people_2 SET ill = 'd1' WHERE age = '[21,22)' $$), 'broken %', 'values that are not where they were');
-- A source that cannot be read is said to be so.
BEGIN;
UPDATE people SET country = 'Atlantis' WHERE id = 1;
SELECT joined() AS unreadable \gset
ROLLBACK;
SELECT alike(:'unreadable'::text, 'broken column "country" % has 1 row(s) with values that taxonomy "tree" lacks', 'a source that cannot be read');
SELECT pprepub.drop_publication('people', true) \g /dev/null

-- ---- By whom all is judged ----

CREATE TABLE few (id int PRIMARY KEY, a int, b text, c text, s text);
CREATE FUNCTION few_are(params jsonb, people text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.drop_publication(name, true) FROM pprepub.publication WHERE name = 'few';
	TRUNCATE few;
	EXECUTE 'INSERT INTO few VALUES ' || people;
	PERFORM pprepub.create_publication('few', 'few', 'id', '{"a": "range", "b": "prefix", "c": "suppress"}', 's', 'sequential', params);
END $$;
CREATE FUNCTION joined_few() RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(', ', holds, measured) FROM pprepub.audit('few') WHERE check_name = 'joined' $$;

-- Newcomers who are told apart show u and v once each. Of all rows v is twice as likely: the row (aa, v) may be a newcomer's.
SELECT few_are('{"k": 2, "privacy": "diversity", "approach": "separative", "seed": 686237}', $$(1, 0, 'aa', 'M', 'w'), (3, 5, 'bb', 'M', 'u'), (4, 9, 'aa', 'F', 'v'), (6, 5, 'bb', 'M', 'v')$$) \g /dev/null
SELECT pprepub.publish('few', columns => '{a,b,c,s}') \g /dev/null
INSERT INTO few VALUES (2, 2, 'bb', 'F', 'u'), (5, 1, 'aa', 'F', 'v');
CREATE TABLE newcomers AS SELECT * FROM (VALUES (1, '(,)', 'aa', '*', 'w'), (4, '(,)', 'aa', '*', 'v'), (3, '[5,6)', 'bb', 'M', 'u'), (6, '[5,6)', 'bb', 'M', 'v'),
	(2, '[0,3)', '*', 'F', 'u'), (5, '[0,3)', '*', 'F', 'v')) v(id, a, b, c, s);
SELECT throws_ok($$ SELECT pprepub.publish('few', columns => '{a,b,c,s}') $$, 'P0002', NULL, 'diversity is that of all rows, whoever is told apart while a release is looked for');
SELECT pprepub.import_release('few', 'newcomers', key => 'id') \g /dev/null
SELECT is(joined_few(), 'f, 1.5 at the least; of 6 people 1 less than promised', 'audit says so, too');

-- People who have left, of whom the release has nobody, count.
SELECT few_are('{"k": 2, "approach": "separative"}', $$(1, 1, 'ba', 'F', 'w'), (2, 2, 'ab', 'M', 'w'), (3, 2, 'ab', 'F', 'v')$$) \g /dev/null
SELECT pprepub.publish('few', columns => '{c,s}') \g /dev/null
DELETE FROM few;
INSERT INTO few SELECT 3 + i, i, 'ab', 'F', 's' || i FROM generate_series(1, 9) i;
SELECT pprepub.alter_publication('few', '{"k": 4}') \g /dev/null
SELECT throws_ok($$ SELECT pprepub.publish('few', columns => '{b}') $$, 'P0002', NULL, 'nothing is published that audit would find too little of');
SELECT is(joined_few(), 't, 2 at the least; of 3 people 0 less than promised', 'and what is out keeps what was promised with it');

-- NULL is no value that somebody is linked to.
SELECT few_are('{"k": 2, "privacy": "diversity"}', $$(3, 0, 'aa', 'F', 'u'), (4, 1, 'bb', 'F', 'v')$$) \g /dev/null
SELECT pprepub.publish('few', columns => '{b,s}') \g /dev/null
INSERT INTO few VALUES (2, 0, 'ab', 'M', NULL);
CREATE TABLE nothing_known AS SELECT 2 AS id, '[0,3)' AS a, NULL::text AS s;
SELECT pprepub.import_release('few', 'nothing_known', key => 'id') \g /dev/null
SELECT is(joined_few(), 't, 2 at the least; of 3 people 0 less than promised', 'NULL is not protected, and no alarm');

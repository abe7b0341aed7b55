-- audit(): all holds after whatever publish() made, and each kind of damage is found by the check that is there for it.

CREATE TABLE levels (country text, region text, world text);
INSERT INTO levels VALUES ('France', 'West', 'World'), ('Spain', 'South', 'World'), ('Italy', 'South', 'World'), ('Peru', 'Peru', 'World');
SELECT pprepub.create_taxonomy('world', 'levels') \g /dev/null
CREATE TABLE people AS SELECT i AS id, CASE WHEN i % 19 > 0 THEN (i * 7) % 60 END AS age, (i * 3.7) % 50 AS weight, date '2000-01-01' + i % 90 AS born,
	CASE WHEN i % 31 > 0 THEN 53100 + i % 20 || '' END AS zip, (ARRAY['France', 'Spain', 'Italy', 'Peru', NULL])[1 + i % 5] AS country,
	(ARRAY['F', 'M', NULL])[1 + i % 3] AS sex, CASE WHEN i % 13 > 0 THEN 'd' || (i * i) % 7 END AS ill, i % 2 AS ward
	FROM generate_series(1, 600) i;
SELECT pprepub.create_publication('people', 'people', 'id',
	'{"age": "range", "weight": "range", "born": "range", "zip": "prefix", "country": "taxonomy world", "sex": "suppress"}',
	'ill', 'bpg', '{"k": 5, "l": 2, "reserve": 3, "repair": "counterfeit"}', '{ward}') \g /dev/null

CREATE FUNCTION broken() RETURNS text LANGUAGE sql AS $$ SELECT coalesce(string_agg(check_name, ' ' ORDER BY check_name), '') FROM pprepub.audit('people') WHERE NOT holds $$;
CREATE FUNCTION measured(name text) RETURNS bigint LANGUAGE sql AS $$ SELECT substring(measured FROM '\d+')::bigint FROM pprepub.audit('people') WHERE check_name = name $$;

SELECT is((SELECT string_agg(measured || coalesce(holds::text, ''), ' ') FROM pprepub.audit('people')), 'no release yet', 'nothing is out, and a pass on nothing is none');
SELECT rows FROM pprepub.publish('people') \g /dev/null
SELECT is(broken(), '', 'a first release');
SELECT is((SELECT array_agg(check_name) FROM pprepub.audit('people')), '{k,l,atoms,invariant,places,remembered,checksums,rows,covers,ends}', 'all checks');
SELECT is(measured('covers'), 600::bigint, 'covers everybody');
DELETE FROM people WHERE id % 23 = 5;
UPDATE people SET age = 59 - age WHERE id % 17 = 2;
UPDATE people SET ill = 'd9' WHERE id % 11 = 3;
INSERT INTO people SELECT 1000 + id, age, weight, born, zip, country, sex, ill, ward FROM people WHERE id % 9 = 0;
SELECT rows FROM pprepub.publish('people', columns => '{ill,age,zip}') \g /dev/null
UPDATE people SET country = 'Peru', born = born + 7 WHERE id % 29 = 4;
SELECT rows FROM pprepub.publish('people', columns => '{country,sex,weight,born,ward}') \g /dev/null
SELECT rows FROM pprepub.publish('people') \g /dev/null
SELECT is(broken(), '', 'a life');
SELECT ok(measured('covers') > 2000 AND measured('covers') < (SELECT count(*) FROM pprepub.class_members('people') m JOIN people p ON p.id = m.key::int), 'who has changed is not looked for in old cells');
SELECT ok(measured('rows') = 4, 'all releases agree with the log');
-- Each release is judged by what it promised itself.
SELECT pprepub.alter_publication('people', '{"k": 40, "accept_lockout": true}') \g /dev/null
SELECT is(broken(), '', 'stronger parameters are for what comes');
SELECT pprepub.alter_publication('people', '{"k": 5, "accept_weakening": true}') \g /dev/null
-- A role that may only read, and a source that cannot be read.
BEGIN READ ONLY;
SELECT is(broken(), '', 'in a read-only transaction');
ROLLBACK;
BEGIN;
UPDATE people SET country = 'Atlantis' WHERE id = 1;
SELECT is(broken(), 'covers', 'a source that cannot be coded leaves the other checks alone');
SELECT ok((SELECT measured ~ 'country' AND measured !~ 'Atlantis' FROM pprepub.audit('people') WHERE check_name = 'covers'), 'and says why, without values');
ROLLBACK;
-- The reason outlives what is read after it, which takes memory of its own.
CREATE TABLE many AS SELECT i AS id, i % 60 AS age, md5(i::text) AS zip, (ARRAY['France', 'Spain'])[1 + i % 2] AS country, 'd' || i % 7 AS ill FROM generate_series(1, 20000) i;
SELECT pprepub.create_publication('many', 'many', 'id', '{"country": "taxonomy world", "age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
SELECT rows FROM pprepub.publish('many') \g /dev/null
SELECT rows FROM pprepub.publish('many', columns => '{age,ill,zip}') \g /dev/null
UPDATE many SET country = 'Atlantis' WHERE id = 1;
SELECT is((SELECT measured FROM pprepub.audit('many') WHERE check_name = 'covers'),
	'column "country" of publication "many" has 1 row(s) with values that taxonomy "world" lacks', 'also where another release can be looked at');
-- A value where there was none is a change, whatever the value.
CREATE TABLE visits AS SELECT i AS id, CASE WHEN i > 10 THEN 7 END AS n, i % 3 AS ill FROM generate_series(1, 20) i;
SELECT pprepub.create_publication('visits', 'visits', 'id', '{"n": "suppress"}', 'ill', 'bpg', '{"k": 5}') \g /dev/null
SELECT rows FROM pprepub.publish('visits') \g /dev/null
UPDATE visits SET n = 0 WHERE id = 1;
SELECT is((SELECT measured FROM pprepub.audit('visits') WHERE check_name = 'covers' AND holds), '19', 'no number is taken for NULL');
-- Errors of the moment say nothing of the source.
CREATE TABLE weather (code text);
CREATE FUNCTION storm() RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	found text := (SELECT code FROM public.weather);
BEGIN
	IF found IS NOT NULL THEN
		RAISE EXCEPTION 'storm' USING errcode = found;
	END IF;
	RETURN 0;
END $$;
CREATE TABLE boats AS SELECT i AS id, i AS age, i % 4 AS ill FROM generate_series(1, 40) i;
CREATE VIEW fleet AS SELECT id, age + storm() AS age, ill FROM boats;
SELECT pprepub.create_publication('fleet', 'fleet', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3}') \g /dev/null
SELECT rows FROM pprepub.publish('fleet') \g /dev/null
INSERT INTO weather VALUES ('22012');
SELECT is((SELECT measured FROM pprepub.audit('fleet') WHERE check_name = 'covers'), 'storm', 'an error of the source');
UPDATE weather SET code = '40001';
SELECT throws_ok($$ SELECT FROM pprepub.audit('fleet') $$, '40001', 'storm', 'a serialization failure is to be tried again');
UPDATE weather SET code = '55P03';
SELECT throws_ok($$ SELECT FROM pprepub.audit('fleet') $$, '55P03', 'storm', 'and a lock that was not to be had');
UPDATE weather SET code = '57014';
CREATE FUNCTION cancelled() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM pprepub.audit('fleet');
EXCEPTION WHEN query_canceled THEN
	RETURN 'cancelled';
END $$;
SELECT is(cancelled() || ' ' || current_setting('search_path'), 'cancelled ' || current_setting('search_path'), 'cancelling it leaves nothing behind');

-- Damage, past all protection.
\i test/lib/tampering.sql
CREATE FUNCTION damage(command text) RETURNS text LANGUAGE sql AS $$ SELECT damage(command, 'broken()') $$;
SELECT is(damage('SELECT'), '', 'no damage');
SELECT is(damage($$ UPDATE published.people_1 SET ill = 'd0' WHERE ctid = (SELECT ctid FROM published.people_1 WHERE ill <> 'd0' LIMIT 1) $$), 'checksums rows', 'another value in a release');
SELECT is(damage($$ UPDATE published.people_1 SET ward = 1 - ward WHERE ctid = (SELECT ctid FROM published.people_1 LIMIT 1) $$), 'checksums', 'another insensitive value');
SELECT is(damage($$ DELETE FROM published.people_2 WHERE ctid = (SELECT max(ctid) FROM published.people_2) $$), 'checksums rows', 'a row less');
SELECT is(damage($$ INSERT INTO published.people_2 SELECT * FROM published.people_2 LIMIT 1 $$), 'checksums rows', 'a row more');
SELECT is(damage($$ UPDATE published.people_1 SET class = 1 WHERE class = 2 $$), 'checksums rows', 'two classes in one');
SELECT is(damage($$ UPDATE published.people_1 SET weight = '[49.95,49.96]' WHERE class = 3 $$), 'checksums covers', 'a cell elsewhere');
SELECT is(damage($$ UPDATE published.people_1 SET zip = 'x*' WHERE class = 3 $$), 'checksums covers', 'a prefix of nobody');
SELECT is(damage($$ UPDATE published.people_1 SET country = 'Nowhere' WHERE class = 3 $$), 'checksums covers', 'a node of no tree');
SELECT is(damage($$ UPDATE published.people_1 SET sex = 'X' WHERE class = 3 $$), 'checksums covers', 'a value of nobody');
SELECT is(damage($$ UPDATE published.people_1 SET born = '(,2000-01-01)' WHERE class = 3 $$), 'checksums covers', 'an empty time');
SELECT is(damage($$ UPDATE published.people_1 SET age = '(,)', weight = '(,)', born = '(,)', zip = '*', country = 'World', sex = '*' $$), 'checksums', 'withheld cells cover everybody');
SELECT is(damage($$ UPDATE published.people_1 SET weight = '(,)' WHERE ctid = (SELECT ctid FROM published.people_1 WHERE class = 3 LIMIT 1) $$), 'checksums rows', 'cells that differ inside a class');
-- The history.
SELECT is(damage($$ DELETE FROM published_private.people_groups WHERE "group" = (SELECT max("group") FROM published_private.people_groups) $$), 'invariant', 'a group is missing');
SELECT is(damage($$ INSERT INTO published_private.people_places SELECT * FROM published_private.people_places LIMIT 1 $$), 'invariant', 'a stay stands there twice');
SELECT is(damage($$ DELETE FROM published_private.people_places WHERE ctid = (SELECT max(ctid) FROM published_private.people_places) $$), 'invariant', 'a stay is missing');
SELECT is(damage($$ UPDATE published_private.people_groups SET keys[1] = -1 WHERE "group" = (SELECT max("group") FROM published_private.people_groups) $$), 'invariant', 'a stranger');
SELECT is(damage($$ WITH a AS (SELECT "group" AS n, keys[1] AS k FROM published_private.people_groups WHERE keys[1] IS NOT NULL ORDER BY 1 LIMIT 2)
	UPDATE published_private.people_groups SET keys[1] = (SELECT k FROM a WHERE n <> "group") WHERE "group" IN (SELECT n FROM a) $$), 'invariant', 'two have changed places');
SELECT matches(damage($$ DELETE FROM published_private.people_members WHERE release = 1 AND class <= 4 $$), '^(invariant )?rows$', 'classes of the log are missing');
SELECT is(damage($$ UPDATE published_private.people_members SET sensitive[1] = 'dx' WHERE (release, class) = (SELECT release, min(class) FROM published_private.people_members
	WHERE cardinality(array_remove(keys, NULL)) < cardinality(places) GROUP BY release LIMIT 1) $$), 'invariant places rows', 'a value of the log, beside an invented row');
SELECT is(damage($$ UPDATE published_private.people_groups SET sensitive[1] = 'dx' WHERE "group" = (SELECT max("group") FROM published_private.people_groups) $$), 'invariant', 'a value of a group');
SELECT is(damage($$ UPDATE published_private.people_groups SET sensitive = sensitive || sensitive[1:cardinality(keys)] WHERE "group" = (SELECT max("group") FROM published_private.people_groups) $$), 'invariant', 'an epoch of no release');
-- Two classes of which one person changed sides: the release still has its rows, but he sits elsewhere.
SELECT is(damage($$ WITH c AS (SELECT class, keys[1] AS k, sensitive[1] AS s FROM published_private.people_members WHERE release = 1 AND class IN (1, 2))
	UPDATE published_private.people_members m SET keys[1] = (SELECT k FROM c WHERE c.class <> m.class), sensitive[1] = (SELECT s FROM c WHERE c.class <> m.class) WHERE release = 1 AND class IN (1, 2) $$) ~ 'invariant', true, 'two people of the log');
-- Nothing worse than allowed could hide: more is asked of the same history.
SELECT is(damage($$ UPDATE pprepub_internal.catalog_release SET params = params || '{"k": 100}' $$), 'atoms k places', 'k');
SELECT is(damage($$ UPDATE pprepub_internal.catalog_release SET params = params || '{"l": 8}' $$), 'atoms l places', 'l');
SELECT is(damage($$ UPDATE pprepub_internal.catalog_release SET params = params || '{"k": 100}' WHERE number = 3 $$), 'atoms k places', 'the worst release counts, also for all that is known of its people');
SELECT is(damage($$ UPDATE pprepub_internal.catalog_publication SET remembered = remembered + 1 $$), 'remembered', 'a person was forgotten everywhere');

SELECT matches(damage('UPDATE published_private.people_members SET keys[1] = keys[2] WHERE release = 1 AND class = 1'), 'invariant.*places', 'somebody is in a release twice');
SELECT throws_ok($$ SELECT damage('UPDATE published_private.people_members SET places[1] = places[2] WHERE release = 1 AND class = 1') $$, 'XX001', 'somebody is in a release twice');
SELECT throws_ok($$ SELECT damage('UPDATE published_private.people_members SET sensitive = sensitive || sensitive WHERE release = 1 AND class = 1') $$, 'XX001', 'the log of publication "people" has a malformed class');
SELECT throws_ok($$ SELECT damage('UPDATE published_private.people_members SET keys[1] = NULL, fingerprints[1] = NULL WHERE release = 1 AND class = 1') $$, 'XX001', 'the log of publication "people" has a malformed class');
SELECT throws_ok($$ SELECT damage('UPDATE published_private.people_members SET release = 9 WHERE release = 1 AND class = 1') $$, 'XX001', 'the log of publication "people" tells of release 9');
-- Nothing where something always is.
SELECT throws_ok(format($$ SELECT damage('UPDATE published_private.people_members SET %I = NULL WHERE release = 1 AND class = 1') $$, c), 'XX001', NULL, 'a class without ' || c)
	FROM unnest('{release,class,keys,places,sensitive,fingerprints}'::text[]) c;
SELECT is(damage(format('UPDATE published_private.people_groups SET %I = NULL WHERE "group" = (SELECT max("group") FROM published_private.people_groups)', c)), 'invariant', 'a group without ' || c)
	FROM unnest('{keys,sensitive}'::text[]) c;
SELECT is(damage('UPDATE published_private.people_groups SET states = array_fill(1, ARRAY[10000]) WHERE "group" = (SELECT max("group") FROM published_private.people_groups)'), 'invariant', 'more states than places');
CREATE FUNCTION damaged(what text, asked text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL allow_system_table_mods = on;
	UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.people_groups'::regclass;
	EXECUTE 'UPDATE published_private.people_groups SET ' || what;
	EXECUTE asked;
	RAISE EXCEPTION USING errcode = 'YY000';
EXCEPTION WHEN SQLSTATE 'YY000' THEN
	RETURN '';
WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
SELECT ok(damaged(what, asked) ~ 'group.* of publication "people" is malformed', what)
	FROM unnest('{group,keys,sensitive}'::text[]) c, format('%I = NULL', c) what, (VALUES ('SELECT pprepub.publish(''people'')')) a (asked);
SELECT ok(damaged(what, 'SELECT pprepub.publish(''people'')') ~ 'is malformed', 'too many states, or epochs: ' || what)
	FROM unnest(ARRAY['states = array_fill(1, ARRAY[10000])', 'epochs = epochs || 1']) what;
-- Nor is what has other columns, with or without rows: to take a number for an array would bring the server down.
SELECT ok(damaged('keys = keys; ALTER EVENT TRIGGER pprepub_protect_commands DISABLE; ALTER EVENT TRIGGER pprepub_protect_rewrites DISABLE; ALTER EVENT TRIGGER pprepub_protect_drops DISABLE;
	ALTER TABLE published_private.people_groups ' || change, asked) ~ 'groups of publication "people" is malformed', format('%s: %s', change, asked))
	FROM unnest(ARRAY['ALTER keys TYPE bigint USING 1', 'ALTER keys TYPE text USING ''{1,2}''', 'ALTER keys TYPE smallint[] USING ''{1,2}''', 'ALTER parts TYPE bigint[] USING NULL',
		'ALTER sensitive TYPE bytea USING ''x''', 'ALTER "group" TYPE text', 'ADD signature bigint', 'DROP parts']) change,
		unnest(ARRAY['SELECT pprepub.publish(''people'')', 'SELECT pprepub.rebuild_history(''people'')',
			'DELETE FROM published_private.people_groups; SELECT pprepub.publish(''people'')']) asked;
SELECT is(damage('ALTER EVENT TRIGGER pprepub_protect_commands DISABLE; ALTER EVENT TRIGGER pprepub_protect_rewrites DISABLE; ALTER TABLE published_private.people_groups ALTER keys TYPE text USING ''{1,2}'''),
	'invariant', 'an audit says so');
-- The log, of releases and of answers.
SELECT ok(damaged('keys = keys; ALTER EVENT TRIGGER pprepub_protect_commands DISABLE; ALTER EVENT TRIGGER pprepub_protect_rewrites DISABLE; ALTER EVENT TRIGGER pprepub_protect_drops DISABLE;
	ALTER TABLE published_private.people_' || part || ' ' || change, asked) ~ 'the table of members of publication "people" is malformed', format('%s: %s: %s', part, change, asked))
	FROM unnest('{members,asked}'::text[]) part, unnest(ARRAY['ALTER keys TYPE bigint USING 1', 'ALTER fingerprints TYPE text USING ''x''', 'ALTER release TYPE text', 'DROP places', 'ADD more int']) change,
		unnest(ARRAY['SELECT pprepub.publish(''people'')', 'SELECT pprepub.audit(''people'')', 'SELECT pprepub.attack(''people'')', 'SELECT pprepub.class_members(''people'')', 'SELECT pprepub.rebuild_history(''people'')']) asked;
SELECT is(damaged('states = array_fill(1, ARRAY[10000])', 'SELECT FROM pprepub.rebuild_history(''people''); SELECT pprepub.publish(''people'')'), '', 'which can be mended');

-- Releases with other columns.
SELECT is(damage('ALTER EVENT TRIGGER pprepub_protect_commands DISABLE; ALTER EVENT TRIGGER pprepub_protect_rewrites DISABLE; ALTER EVENT TRIGGER pprepub_protect_drops DISABLE;
	ALTER TABLE published.people_1 ' || change), 'checksums rows', change)
	FROM (VALUES ('ADD more int'), ('DROP ill CASCADE'), ('ALTER age TYPE text'), ('ALTER ill TYPE bigint USING 1'), ('ALTER class TYPE text')) c(change);

-- Answers, which builds with assertions can make here: what is kept of them, with the log, is all that there is.
\if :asserts
CREATE FUNCTION answer_here(publication text, cohort text, columns name[]) RETURNS SETOF record
	LANGUAGE C AS '$libdir/pprepub', 'pprepub_answer_here';
CREATE FUNCTION ask(columns name[]) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*) FROM answer_here('people', NULL, columns) a (class bigint, age int4range, weight numrange, born daterange, zip text, country text, sex text, ill text, ward int)
$$;
SELECT ok(ask(NULL) > 500, 'an answer, the fifth release');
SELECT ok(ask('{ill,age,zip}') > 500, 'one with some columns');
UPDATE people SET country = 'Italy', weight = weight / 2 WHERE id % 37 = 4;
SELECT ok(ask('{age,country,sex,ward}') > 500, 'one without the sensitive column');
SELECT rows FROM pprepub.publish('people') \g /dev/null
SELECT is(broken(), '', 'a life with answers');
SELECT ok(measured('checksums') = 8 AND measured('rows') = 8, 'all releases are looked at');
SELECT ok(measured('covers') > 4000, 'and cover their people');
BEGIN READ ONLY;
SELECT is(broken(), '', 'in a read-only transaction, too');
ROLLBACK;
SELECT is(damage('SELECT'), '', 'no damage');
SELECT is(damage('UPDATE published_private.people_regions SET ' || change || ' WHERE release = 5 AND class = 3'), found, 'of an answer: ' || change)
	FROM (VALUES ($$weight = '[49.95,49.96]'$$, 'checksums covers'), ($$zip = 'x*'$$, 'checksums covers'), ($$country = 'Nowhere'$$, 'checksums covers'),
		($$sex = 'X'$$, 'checksums covers'), ($$born = '(,2000-01-01)'$$, 'checksums covers'), ($$age = 'empty'$$, 'checksums covers'),
		($$weight = '(,)', born = '(,)', age = '(,)', zip = '*', country = 'World', sex = '*'$$, 'checksums'),
		('rows = rows + 1', 'rows'), ('rows = NULL', 'rows'), ('class = NULL', 'checksums rows'), ('class = 100000', 'checksums rows'),
		('release = 6', 'checksums rows'), ('release = NULL', 'checksums rows'), ('release = 8', 'checksums rows'), ('release = 9', 'checksums rows'),
		('release = 0', 'checksums rows')) c(change, found);
SELECT ok(damage($$ UPDATE published_private.people_regions SET class = 7 - class WHERE release = 5 AND class IN (3, 4) $$) ~ 'checksums', 'two classes have changed places');
SELECT is(damage($$ DELETE FROM published_private.people_regions WHERE release = 6 AND class = 1 $$), 'checksums rows', 'a class is missing');
SELECT is(damage($$ INSERT INTO published_private.people_regions SELECT * FROM published_private.people_regions WHERE release = 6 AND class = 1 $$), 'checksums rows', 'a class stands there twice');
SELECT is(damage($$ UPDATE published_private.people_regions SET sex = 'F' WHERE release = 6 AND class = 1 $$), 'checksums', 'a column that was not shown');
SELECT is(damage($$ UPDATE published_private.people_asked SET sensitive[1] = 'dx' WHERE release = 6 AND class = 1 $$), 'checksums invariant places', 'a value of the log');
SELECT is(damage($$ UPDATE published_private.people_asked SET sensitive[1] = 'dx' WHERE release = 7 AND class = 1 $$), 'invariant places', 'one that was not shown is in no checksum');
SELECT is(damage($$ UPDATE pprepub_internal.catalog_release SET checksum_seed = checksum_seed + 1 WHERE number = 7 $$), 'checksums', 'another seed');
SELECT is(damage('ALTER EVENT TRIGGER pprepub_protect_commands DISABLE; ALTER EVENT TRIGGER pprepub_protect_rewrites DISABLE; ALTER EVENT TRIGGER pprepub_protect_drops DISABLE;'
		|| change || ' published_private.people_regions ' || more), 'checksums rows', format('%s … %s', change, more))
	FROM (VALUES ('DROP TABLE', ''), ('ALTER TABLE', 'ADD more int'), ('ALTER TABLE', 'DROP sex'), ('ALTER TABLE', 'ALTER age TYPE text'),
		('ALTER TABLE', 'ALTER release TYPE bigint'), ('ALTER TABLE', 'ALTER rows TYPE text')) c(change, more);
\endif

-- A withheld cell may be of people who have nothing but NULL by now.
CREATE TABLE blank AS SELECT i AS id, CASE WHEN i > 1 THEN i END AS age, 'd' || i AS ill FROM generate_series(1, 3) i;
SELECT pprepub.create_publication('blank', 'blank', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2}') \g /dev/null
SELECT pprepub.publish('blank') \g /dev/null
UPDATE blank SET age = NULL;
SELECT is((SELECT jsonb_agg(a) FROM pprepub.audit('blank') a WHERE NOT holds), NULL, 'all is well where all have become NULL');

-- A log that has not all that is remembered makes no fold anew, and one that has does.
CREATE TABLE kept AS SELECT i AS id, i % 20 AS age, 'd' || i % 5 AS ill FROM generate_series(1, 200) i;
SELECT pprepub.create_publication('kept', 'kept', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
SELECT pprepub.publish('kept') FROM generate_series(1, 2) \g /dev/null
CREATE TABLE whole_log AS TABLE published_private.kept_members;
CREATE PROCEDURE set_log(rows text) LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL allow_system_table_mods = on;
	UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.kept_members'::regclass;
	TRUNCATE published_private.kept_members;
	EXECUTE 'INSERT INTO published_private.kept_members SELECT * FROM whole_log WHERE ' || rows;
	UPDATE pg_class SET relhastriggers = true WHERE oid = 'published_private.kept_members'::regclass;
END $$;
CREATE FUNCTION fold() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(n::text, ',' ORDER BY "group") FROM published_private.kept_groups n $$;
SELECT fold() \gset
CALL set_log('false');
SELECT throws_like($$ SELECT * FROM pprepub.rebuild_history('kept') $$, 'the log of publication "kept" is not whole', 'an empty log makes nothing anew');
CALL set_log('release = 1 OR class > (SELECT min(class) FROM whole_log WHERE release = 2)');
SELECT throws_ok($$ SELECT * FROM pprepub.rebuild_history('kept') $$, 'XX001', 'the log of publication "kept" is not whole', 'nor one that lacks a class of known people');
SELECT is(fold(), :'fold', 'the fold is as it was');
CALL set_log('true');
SELECT results_eq($$ SELECT equal FROM pprepub.rebuild_history('kept') $$, 'VALUES (true)', 'and is right for the log that is whole');

-- An answer about nobody promised nobody anything, whatever weaker release came later.
CREATE TABLE few AS SELECT i AS id, i % 20 AS age, 'd' || i % 2 AS ill FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('few', 'few', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 3}') \g /dev/null
SELECT is_empty($$ SELECT * FROM published.few('false') $$, 'an answer about nobody');
SELECT pprepub.alter_publication('few', '{"l": 2, "accept_weakening": true}') \g /dev/null
SELECT pprepub.publish('few') \g /dev/null
SELECT is((SELECT jsonb_agg(a) FROM pprepub.audit('few') a WHERE NOT holds), NULL, 'asks nothing of people who came later');

SELECT throws_ok($$ SELECT * FROM pprepub.audit('none') $$, '42704');
SELECT throws_ok($$ SELECT * FROM pprepub.audit(NULL) $$, '22004');

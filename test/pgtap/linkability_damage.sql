-- linkability() on releases that are not what was published: an error, or judged as they are; and on sources that cannot
-- be read, of any kind of column.

CREATE TABLE levels (country text, region text, world text);
INSERT INTO levels VALUES ('France', 'West', 'World'), ('Spain', 'South', 'World'), ('Italy', 'South', 'World'), ('Peru', 'Peru', 'World');
SELECT pprepub.create_taxonomy('world', 'levels') \g /dev/null
SELECT pprepub.create_range_taxonomy('decades', 0, 100, '{10,50}') \g /dev/null
CREATE TABLE people AS SELECT i AS id, CASE WHEN i % 19 > 0 THEN (i * 7) % 60 END AS age, (i * 3.7) % 50 AS weight, date '2000-01-01' + i % 90 AS born,
	CASE WHEN i % 31 > 0 THEN 53100 + i % 20 || '' END AS zip, (ARRAY['France', 'Spain', 'Italy', 'Peru', NULL])[1 + i % 5] AS country, i % 100 AS points,
	(ARRAY['F', 'M', NULL])[1 + i % 3] AS sex, CASE WHEN i % 13 > 0 THEN 'd' || (i * i) % 7 END AS ill, i % 2 AS ward
	FROM generate_series(1, 300) i;
SELECT pprepub.create_publication('people', 'people', 'id',
	'{"age": "range", "weight": "range", "born": "range", "zip": "prefix", "country": "taxonomy world", "points": "taxonomy decades", "sex": "suppress"}',
	'ill', 'bpg', '{"k": 5, "l": 2, "repair": "counterfeit"}', '{ward}') \g /dev/null

CREATE FUNCTION judged(kind text DEFAULT 'kmj') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM FROM pprepub.link_profile('people', NULL, kind);
	RETURN (SELECT CASE WHEN linkability IS NULL THEN 'nothing' ELSE 'judged' END FROM pprepub.linkability('people', NULL, kind));
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
SELECT rows FROM pprepub.publish('people', columns => '{age,weight,zip,country,ward}') \g /dev/null
SELECT is(judged(), 'nothing', 'no release shows the illness');
DELETE FROM people WHERE id % 23 = 5;
UPDATE people SET ward = 1 - ward WHERE id % 29 = 4;
UPDATE people SET ill = 'd9' WHERE id % 31 = 3;
SELECT rows FROM pprepub.publish('people', columns => '{born,country,points,sex,ill,ward}') \g /dev/null
SELECT is(judged(kind), 'judged', kind) FROM unnest('{mj,kmj,mj_unifying,kmj_unifying}'::text[]) kind;
-- Changed insensitive values mean that somebody has left, and somebody else has come: so there are more people than the log knows.
SELECT ok(a.edges > b.edges, 'rows that fit nobody are of others') FROM pprepub.linkability('people', join_kind => 'kmj_unifying') a, pprepub.linkability('people') b;
SELECT rows FROM pprepub.publish('people', 'sex = ''F''') \g /dev/null
SELECT is(judged(), 'judged', 'all kinds of columns, and a cohort');

-- Damage, past all protection.
\i test/lib/tampering.sql
CREATE FUNCTION damage(command text) RETURNS text LANGUAGE sql AS $$ SELECT damage(command, 'judged()') $$;
CREATE FUNCTION refused(release int) RETURNS text LANGUAGE sql AS $$ SELECT format('XX001 release %s of publication "people" is not as it was published', release) $$;
SELECT is(damage('SELECT'), 'judged', 'no damage');
SELECT is(damage($$ UPDATE published.people_2 SET ill = 'd0' WHERE ctid = (SELECT ctid FROM published.people_2 WHERE ill <> 'd0' LIMIT 1) $$), refused(2), 'another value');
SELECT is(damage($$ UPDATE published.people_2 SET ill = 'never heard of' WHERE class = 1 $$), refused(2), 'a value that the log has not');
SELECT is(damage($$ DELETE FROM published.people_1 WHERE ctid = (SELECT max(ctid) FROM published.people_1) $$), refused(1), 'a row less');
SELECT is(damage($$ INSERT INTO published.people_1 SELECT * FROM published.people_1 LIMIT 1 $$), refused(1), 'a row more');
SELECT is(damage($$ UPDATE published.people_1 SET class = 1 WHERE class = 2 $$), refused(1), 'two classes in one');
SELECT is(damage($$ UPDATE published.people_1 SET class = NULL WHERE class = 2 $$), refused(1), 'a class without a number');
SELECT is(damage($$ UPDATE published.people_1 SET class = -7 WHERE class = 2 $$), refused(1), 'a negative one');
SELECT is(damage($$ UPDATE published.people_1 SET class = 9223372036854775807 WHERE class = 2 $$), refused(1), 'a large one');
SELECT is(damage($$ UPDATE published.people_1 SET class = 4294967295 WHERE class = 2 $$), refused(1), 'the largest there can be');
SELECT is(damage($$ UPDATE published.people_1 SET country = 'Nowhere' WHERE class = 2 $$), refused(1), 'a node of no tree');
SELECT is(damage($$ UPDATE published.people_1 SET weight = 'empty' WHERE class = 2 $$), refused(1), 'a range of nothing');
SELECT is(damage($$ TRUNCATE published.people_1 $$), refused(1), 'no rows');
SELECT is(damage($$ ALTER TABLE published.people_1 DROP COLUMN sex CASCADE $$), refused(1), 'a column less');
SELECT is(damage($$ ALTER TABLE published.people_1 ADD COLUMN more int $$), refused(1), 'a column more');
SELECT is(damage($$ ALTER TABLE published.people_1 ALTER ward TYPE text $$), refused(1), 'a column of another type');
SELECT is(damage($$ DROP TABLE published.people_1 CASCADE $$), refused(1), 'no table');
SELECT is(damage(command), 'judged', command) FROM (VALUES
	($$ UPDATE published.people_1 SET weight = '[49.95,49.96]' WHERE class = 2 $$), ($$ UPDATE published.people_1 SET weight = '(,3)' WHERE class = 2 $$),
	($$ UPDATE published.people_1 SET weight = '(1.5,1.500001)' WHERE ctid = (SELECT min(ctid) FROM published.people_1) $$),
	($$ UPDATE published.people_1 SET zip = 'x*' WHERE class = 2 $$), ($$ UPDATE published.people_1 SET zip = '' WHERE class = 2 $$),
	($$ UPDATE published.people_1 SET zip = '**' WHERE class = 2 $$), ($$ UPDATE published.people_1 SET zip = NULL, age = NULL, country = NULL WHERE class = 2 $$),
	($$ UPDATE published.people_2 SET sex = 'F*' WHERE class = 2 $$), ($$ UPDATE published.people_2 SET born = '(,2000-01-01)' WHERE class = 2 $$),
	($$ UPDATE published.people_1 SET ward = 77 WHERE class = 2 $$), ($$ UPDATE published.people_1 SET ward = NULL $$)) v(command);

-- The log
SELECT ok(damage($$ DELETE FROM published_private.people_members WHERE release = 1 AND class = 1 $$) LIKE 'XX001%', 'a class less in the log');
SELECT ok(damage($$ UPDATE published_private.people_members SET class = 1 WHERE release = 1 $$) LIKE 'XX001%', 'classes of one number');
SELECT ok(damage($$ UPDATE published_private.people_members SET class = -class WHERE release = 1 $$) LIKE 'XX001%', 'classes of no number');
SELECT ok(damage($$ UPDATE published_private.people_members SET keys = keys || keys, sensitive = sensitive || sensitive, fingerprints = fingerprints || fingerprints WHERE release = 1 AND class = 1 $$) LIKE 'XX001%', 'everybody twice');
SELECT ok(damage($$ UPDATE published_private.people_members m SET keys = (SELECT keys FROM published_private.people_members o WHERE o.release = 1 AND cardinality(o.keys) = cardinality(m.keys) AND o.class <> m.class LIMIT 1)
	WHERE release = 1 AND class = (SELECT class FROM published_private.people_members x WHERE release = 1 AND cardinality(array_remove(keys, NULL)) = cardinality(sensitive) LIMIT 1) $$) LIKE 'XX001%', 'somebody in two classes');
SELECT ok(damage($$ DELETE FROM published_private.people_members WHERE release = 1 $$) IN ('judged', 'nothing'), 'a release that the log does not know is of unknown people');
SELECT ok(damage($$ DROP TABLE published_private.people_members $$) LIKE 'XX001%', 'no log');

-- The source: what cannot be coded is told as it is when publishing.
BEGIN;
UPDATE people SET country = 'Atlantis' WHERE id = 1;
SELECT is(judged(), '22000 column "country" of publication "people" has 1 row(s) with values that taxonomy "world" lacks', 'a value of no taxonomy');
ROLLBACK;
BEGIN;
UPDATE people SET id = 7 WHERE id = 8;
SELECT ok(judged() LIKE '23505%', 'two of one key');
ROLLBACK;
BEGIN;
TRUNCATE people;
SELECT is(judged(), 'nothing', 'nobody is there any more');
SELECT is(tuples, 0::bigint, 'so there is nobody to be linked') FROM pprepub.linkability('people');
SELECT is_empty($$ SELECT FROM pprepub.link_profile('people') $$, 'nor a profile');
ROLLBACK;
-- Nothing is kept of whom nobody is told; what is gone stays linked, but has no tuple.
SELECT is(sum(records), (SELECT count(*) FROM people)::numeric, 'everybody who is there has a tuple') FROM pprepub.link_profile('people');
SELECT pprepub.drop_publication('people', true) \g /dev/null

-- Types with operators of their own, keys of several parts, values that look different and are equal.
CREATE TABLE odd AS SELECT ROW(i, 'x')::text || i AS id, ARRAY['p' || i, NULL] AS key, (i % 10)::float8 / 3 AS size, timestamptz '2000-01-01' + i % 7 * interval '1 hour' AS seen,
	(i % 5)::bigint * 4611686018427387904::numeric % 9223372036854775807 AS large, ('1.' || repeat('0', i % 3))::numeric + i % 4 AS ill, point(i, i) AS place, ('{"a": ' || i % 2 || '}')::json AS note
	FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('people', 'odd', 'key', '{"size": "range", "seen": "range", "large": "range", "id": "prefix"}', 'ill', 'bpg', '{"k": 3}', '{note}') \g /dev/null
SELECT rows FROM pprepub.publish('people', columns => '{size,ill,note}') \g /dev/null
SELECT rows FROM pprepub.publish('people', columns => '{seen,size,large,id,note}') \g /dev/null
SELECT is(judged(kind), 'judged', 'odd types by ' || kind) FROM unnest('{mj,kmj,mj_unifying,kmj_unifying}'::text[]) kind;
SELECT is(tuples, 60::bigint, 'one tuple each') FROM pprepub.linkability('people');
SELECT ok(linkability <= 4, 'equal values are one') FROM pprepub.linkability('people');
SELECT pprepub.drop_publication('people', true) \g /dev/null

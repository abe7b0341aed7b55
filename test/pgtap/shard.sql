-- A shard publishes the rows of its condition alone, whatever the session's settings, and refuses a source that has others.
BEGIN;
\i test/lib/told.sql
CREATE SCHEMA lab;
SET client_min_messages = error;
CREATE FUNCTION lab.now_ok(int) RETURNS boolean LANGUAGE sql STABLE AS 'SELECT true';
CREATE FUNCTION lab.later(int, timestamptz DEFAULT now()) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN true; END';
CREATE FUNCTION lab.even(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 % 2 = 0; END';
CREATE TYPE lab.mood AS ENUM ('good', 'bad');
CREATE TABLE lab.people AS SELECT i * 2 AS id, i % 50 AS age, substr('FM', i % 2 + 1, 1) AS sex, 'd' || i % 7 AS ill, 'north' AS region, 'good'::lab.mood AS mood, now() AS at
	FROM generate_series(1, 200) i;
CREATE FUNCTION lab.declare(name text, shard text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.create_publication(name, 'lab.people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', params => '{"k": 3, "l": 2}', shard => shard);
	RETURN 'declared';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
CREATE FUNCTION lab.called(sql text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE sql;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- ---- A sharded declaration that is refused says what is wrong, and what to do ----

SELECT is(told(format($$SELECT pprepub.create_sharded_publication('s', %L, %L, 'id', '{"age": "range"}', 'ill', shard => 'id %% 2', shards => %L)$$, servers, source, shards)), '22023 ' || error, error)
FROM (VALUES ('{}', 'lab.people', NULL, 'a sharded publication needs 1 to 999 servers / There are 0. / Name a server of postgres_fdw for each shard; one may repeat.'),
	('{a,b}', '{lab.people}', NULL, 'there must be a source and a value for each of 2 shards / There are 1 source(s) and 2 value(s). / Name one source for all, or a list; "shards" lists the values of "shard", which are 0, 1, … without it.'),
	('{a,b}', 'lab.people', '{0,0}', 'each shard must have a value of its own, and none is null / They are {0,0}. / List different values in "shards".')) c(servers, source, shards, error);

-- ---- What is no condition ----

SELECT matches(lab.declare('no', shard), '^' || error, format('refused: %s', shard))
FROM (VALUES ('', '42601 the condition of a shard must be one expression'), ('id > 0; DROP TABLE lab.people', '42601 syntax error'), ('true) UNION SELECT (false', '42601 syntax error'),
	('true UNION SELECT false', '42601 syntax error'), ('true FROM lab.people', '42601 the condition'), ('true, false', '42601 the condition'),
	('true AS x', '42601 the condition'), ('true ORDER BY 1', '42601 the condition'), ('true LIMIT 1', '42601 the condition'), ('*', '42'),
	('id IN (SELECT id FROM lab.people)', '0A000 cannot use subquery'), ('EXISTS (SELECT)', '0A000 cannot use subquery'), ('count(*) > 0', '42803 aggregate functions'),
	('row_number() OVER () = 1', '42P20 window functions'), ('generate_series(1, 2) = 1', '0A000 set-returning functions'), ('$1', '42P02'),
	('id', '42804 argument of shard must be type boolean'), ('''maybe''', '22P02'), ('nobody = 1', '42703 column "nobody" does not exist'), ('lab.people.id > 0 AND x.id > 0', '42P01'),
	('now_ok(id)', '42883'), ('lab.now_ok(id)', '42P17 functions in the condition of a shard must be marked IMMUTABLE'), ('lab.later(id)', '42P17'), ('random() < 1', '42P17'),
	('at > ''2020-01-01''::timestamptz AND at::text <> ''''', '42P17'), ('mood::text = ''good''', '42P17'), ('current_user = ''x''', '42P17'), ('current_date > ''2020-01-01''', '42P17'),
	('ctid > ''(0,0)''', '42P10 system column'), ('tableoid > 0', '0A000 the condition'), ('source IS NOT NULL', '42703'), ('people IS NOT NULL', '0A000 the condition'), ('ill <> ''flu''', '42P17 the condition of a shard cannot look at sensitive column "ill"')) v(shard, error);
SELECT is((SELECT count(*) FROM pprepub.publication) + (SELECT count(*) FROM pg_namespace WHERE nspname = 'published'), 0::bigint, 'nothing was made');

-- ---- Its rows alone ----

SELECT is(lab.declare('s', 'id % 2 = 0 /* even */ -- or not'), 'declared', 'a condition of the key');
SELECT is((SELECT shard FROM pprepub.publication), '((id % 2) = 0)', 'is shown as it is meant');
SELECT lives_ok($$ SELECT pprepub.publish('s') $$, 'is published');
INSERT INTO lab.people SELECT i, 30, 'F', 'd1', 'north' FROM unnest('{1, 3, NULL}'::int[]) i;
SELECT is(lab.called($$ SELECT pprepub.publish('s') $$), '23514 3 row(s) of the source are not of the shard of publication "s"', 'rows of others, and without a key, are refused');
SELECT is(lab.called($$ SELECT pprepub.publish('s', 'age > 20') $$), '23514 3 row(s) of the source are not of the shard of publication "s"', 'whomever a release is about');
SELECT is(lab.called($$ SELECT * FROM pprepub.preview('s') $$), '23514 3 row(s) of the source are not of the shard of publication "s"', 'and in a preview');
SELECT is((SELECT max(number) FROM pprepub.release), 1, 'they took no number');
SELECT is((SELECT count(*) FROM published_private.s_source), 200::bigint, 'and are not read');
DELETE FROM lab.people WHERE id % 2 = 1 OR id IS NULL;
SELECT is((SELECT measured FROM pprepub.audit('s') WHERE check_name = 'shard' AND holds), 'those where ((id % 2) = 0)', 'an audit tells the condition');

SAVEPOINT here;
SELECT shard_of_key AS builtin FROM pprepub.publication \gset
SELECT pprepub.drop_publication('s', forget_history => true);
SELECT lab.declare('s', 'lab.even(id)') AS declared \gset
SELECT shard_of_key AS own FROM pprepub.publication \gset
ROLLBACK TO here;
SELECT is(:'builtin' || :'own', 'tf', 'people can move where a function that can be replaced tells the shard');

-- ---- It stays ----

SELECT is(lab.called($$ CREATE OR REPLACE VIEW published_private.s_source AS SELECT id, age, sex, ill FROM lab.people $$), '55000 CREATE VIEW would change what was made for publication "s"', 'nobody changes it');
ALTER TABLE lab.people RENAME id TO number;
SELECT lives_ok($$ SELECT pprepub.alter_publication('s', '{"k": 4, "l": 2}', '{"region": "suppress"}') $$, 'columns are added, when the key has another name');
SELECT matches(pg_get_viewdef('published_private.s_source'), 'WHERE .*number % 2', 'to the same rows');
INSERT INTO lab.people SELECT i, 30, 'F', 'd1', 'north' FROM unnest('{1, 3}'::int[]) i;
SELECT is(lab.called($$ SELECT pprepub.publish('s') $$), '23514 2 row(s) of the source are not of the shard of publication "s"', 'and others refused');
SELECT matches(lab.called($$ ALTER TABLE lab.people DROP COLUMN number $$), '^2BP01', 'the view holds its columns');
DELETE FROM lab.people WHERE number % 2 = 1;
SELECT lives_ok($$ SELECT pprepub.publish('s') $$, 'without them it is published');
CREATE ROLE regress_shards;
GRANT CREATE, USAGE ON SCHEMA lab TO regress_shards;
ALTER TABLE lab.people OWNER TO regress_shards; ALTER SCHEMA published OWNER TO regress_shards; ALTER SCHEMA published_private OWNER TO regress_shards;
SET ROLE regress_shards;
SELECT pprepub.alter_publication('s', '{}');
SELECT lives_ok($$ SELECT pprepub.publish('s') $$, 'a new owner takes it over');
RESET ROLE;
SELECT is((SELECT coalesce(string_agg(check_name, ' '), '') FROM pprepub.audit('s') WHERE NOT holds), ''::text, 'all of it holds');
SAVEPOINT here;
ALTER EVENT TRIGGER pprepub_protect_commands DISABLE; ALTER EVENT TRIGGER pprepub_protect_views DISABLE;
CREATE OR REPLACE VIEW published_private.s_source AS SELECT number AS id, age, sex, ill, region FROM lab.people;
SELECT measured FROM pprepub.audit('s') WHERE check_name = 'shard' AND NOT holds \gset
ROLLBACK TO here;
SELECT is(:'measured'::text, 'the pinned view has no condition', 'an audit finds a view that lost it');
SELECT pprepub.drop_publication('s', forget_history => true);
ALTER TABLE lab.people RENAME number TO id;

-- ---- Names mean what they mean in pg_catalog ----

CREATE FUNCTION lab.wrong(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR lab.= (LEFTARG = text, RIGHTARG = text, FUNCTION = lab.wrong);
SET search_path = lab, pg_catalog, public;
SELECT lab.declare('s', 'region = ''north'' AND lab.even(id) AND pprepub.shard_of(id::text, 1) = 0') AS declared \gset
INSERT INTO lab.people VALUES (1000, 20, 'F', 'd1', 'south');
SELECT lab.called($$ SELECT pprepub.publish('s') $$) AS published \gset
RESET search_path;
SELECT is(:'declared'::text, 'declared', 'columns that are not declared, and functions by their schemas');
SELECT is(:'published'::text, '23514 1 row(s) of the source are not of the shard of publication "s"', 'operators of a search path have no part in it');
DELETE FROM lab.people WHERE region = 'south';
SELECT pprepub.drop_publication('s');
-- ---- Numbers of shards ----

SELECT is((SELECT array_agg(DISTINCT pprepub.shard_of(i::text, 4) ORDER BY pprepub.shard_of(i::text, 4)) FROM generate_series(1, 1000) i), '{0,1,2,3}', 'from 0 on');
SELECT cmp_ok((SELECT max(n) - min(n) FROM (SELECT count(*) AS n FROM generate_series(1, 10000) i GROUP BY pprepub.shard_of(i::text, 8)) s), '<', 250::bigint, 'of about as many keys');
SELECT is(pprepub.shard_of('one', 1000000), 328949, 'for ever');

-- ---- What the coordinator calls ----

ALTER TABLE lab.people OWNER TO current_user; ALTER SCHEMA published OWNER TO current_user; ALTER SCHEMA published_private OWNER TO current_user;
SELECT pprepub.create_publication('s', 'lab.people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', params => '{"k": 3, "l": 2, "max_answers_per_role": 2}', shard => 'id > 0');
SELECT is(pprepub_internal.shard_begin('nobody'), NULL::int, 'no such publication');
SET ROLE regress_shards;
SELECT is(pprepub_internal.shard_begin('s'), NULL::int, 'none of the caller''s');
SELECT matches(lab.called(sql), '^42501 must be owner of publication "s"', sql)
FROM unnest(ARRAY['SELECT pprepub_internal.shard_skip(''s'', 5)', 'SELECT pprepub_internal.shard_note(''s'', ''x'')',
	'SELECT pprepub_internal.shard_guard(''s'', ''0123456789abcdef'')', 'SELECT pprepub_internal.shard_arrivals(''s'')', 'SELECT pprepub_internal.shard_clear(''s'', ''{}'')',
	'SELECT pprepub_internal.shard_cleared(''s'')']) sql;
RESET ROLE;
SELECT pprepub_internal.shard_skip('s', 2);
SELECT pprepub.publish('s');
\if :asserts
CREATE FUNCTION lab.answer_here(publication text, cohort text, columns name[]) RETURNS SETOF record LANGUAGE C AS '$libdir/pprepub', 'pprepub_answer_here';
SELECT count(*) FROM lab.answer_here('s', 'false', NULL) a (class bigint, age int4range, sex text, ill text);
SELECT pprepub_internal.shard_skip('s', 5);
CREATE FUNCTION lab.left_by(release int) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws('|', to_jsonb(r) - '{number, published_by, published_as, seconds, history_seconds, checksum_seed, checksum, witness, phases, warnings}'::text[],
		(SELECT to_jsonb(f) - 'release' FROM pprepub_internal.catalog_failure f WHERE (f.publication, f.release) = (r.publication, r.number)),
		(SELECT jsonb_object_agg(metric, value) FROM pprepub_internal.catalog_metric m WHERE (m.publication, m.release) = (r.publication, r.number)))
	FROM pprepub_internal.catalog_release r WHERE r.number = left_by.release
$$;
SELECT is(lab.left_by(4), lab.left_by(3), 'a number that is passed leaves all that an answer about nobody does');
\endif
SELECT pprepub_internal.shard_skip('s', 9);
SELECT is(pprepub_internal.shard_begin('s'), 9, 'numbers are passed');
SELECT lives_ok($$ SELECT pprepub_internal.shard_skip('s', 9) $$, 'up to the next one');
SELECT is(lab.called($$ SELECT pprepub_internal.shard_skip('s', 8) $$), '55000 the next release of publication "s" has number 9, not 8', 'and none is taken twice');
SELECT is((SELECT coalesce(string_agg(check_name, ' '), '') FROM pprepub.audit('s') WHERE NOT holds), ''::text, 'an audit holds');
SELECT is((SELECT string_agg(release::text, ' ') FROM published.s_releases), '2', 'analysts see nothing of them');
SELECT is((SELECT answers_used FROM published.s_answers), (SELECT count(*) FROM pprepub.release WHERE kind = 'query' AND published_by = current_user), 'and they are nobody''s answers');
SELECT pprepub_internal.shard_note('s', 'one');
SELECT is(pprepub_internal.shard_attempt('s'), 'one', 'an attempt is noted');
SET ROLE regress_shards;
SELECT is(pprepub_internal.shard_attempt('s'), NULL::text, 'for its owner');
SELECT is(lab.called($$ SELECT pprepub_internal.note_sharded('s', 'mine', true, '{here}', '{s}') $$), '42710 publication "s" already exists', 'no stranger takes its name for a sharded publication');
RESET ROLE;
SELECT lives_ok($$ SELECT pprepub.publish('s') $$, 'a shard that this transaction has begun is published');
SELECT pprepub.drop_publication('s', forget_history => true);
SELECT lab.declare('s', 'id > 0');
SELECT pprepub_internal.shard_note('s', 'one');
SELECT is(lab.called($$ SELECT pprepub.publish('s') $$), '55000 publication "s" is published together with the other shards', 'another is not');
SAVEPOINT here;
SELECT pprepub_internal.shard_begin('s');
SELECT (pprepub.publish('s')).number AS published \gset
ROLLBACK TO here;
SELECT is(:published, 1, 'once it has begun');
SELECT is(lab.called($$ SELECT pprepub.publish('s') $$), '55000 publication "s" is published together with the other shards', 'which a rollback undoes');
SELECT pprepub.drop_publication('s', forget_history => true);

-- ---- People who could move ----

SELECT is(pprepub_internal.keyed_hash('ä', '\x01'), substr(sha256('\x01'::bytea || sha256('\x01'::bytea || convert_to('ä', 'UTF8'))), 1, 16), 'a keyed hash');
CREATE TABLE lab.costly AS SELECT id::numeric AS id, age, sex, ill FROM lab.people;
SELECT pprepub.create_publication('n', 'lab.costly', 'id', '{"age": "range"}', 'ill', params => '{"k": 3}', shard => 'pprepub.shard_of(id::text, 1) = 0');
SELECT is((SELECT shard_of_key FROM pprepub.publication), false, 'equal keys that are written in several ways can be of several shards');
SELECT matches(lab.called(format('SELECT pprepub_internal.shard_guard(%L, %L)', name, secret)), error, format('no guard of %s: %s', name, error))
FROM (VALUES ('n', 'sixteen bytes ok', '^42804 column "id" of type numeric'), ('n', 'fifteen bytes..', '^55000'), ('n', NULL, '^22004')) v(name, secret, error);
SELECT pprepub.drop_publication('n');
SELECT matches(lab.called($$ SELECT pprepub.create_publication('n', 'lab.costly', 'nobody', '{"age": "range"}', 'ill', params => '{"k": 3}', shard => 'id > 0') $$), '^42703', 'a key that is none');
SELECT lab.declare('s', NULL);
SELECT matches(lab.called($$ SELECT pprepub_internal.shard_guard('s', 'sixteen bytes ok') $$), '^55000 publication "s" cannot be guarded', 'none without a condition');
SELECT pprepub.drop_publication('s');
SELECT lab.declare('s', 'region = ''north'' AND (age >= 0 OR sex IS NULL)');
SELECT matches(lab.called($$ SELECT pprepub_internal.shard_arrivals('s') $$), '^55000 publication "s" has no guard', 'nobody arrives where there is none');
SELECT pprepub_internal.shard_guard('s', 'sixteen bytes ok');
SELECT matches(lab.called($$ SELECT pprepub_internal.shard_guard('s', 'sixteen bytes ok') $$), '^55000', 'a second one');
SELECT is((SELECT source::text FROM pprepub.publication), 'lab.people', 'the source is the source');
SELECT matches(lab.called($$ SELECT pprepub.publish('s') $$), '^P0002', 'nobody is cleared');
CREATE FUNCTION lab.hash(id int) RETURNS bytea LANGUAGE sql AS $$ SELECT pprepub_internal.keyed_hash(id::text, 'sixteen bytes ok') $$;
SELECT set_eq($$ SELECT * FROM pprepub_internal.shard_arrivals('s') $$, 'SELECT lab.hash(id) FROM lab.people', 'all arrive');
SELECT pprepub_internal.shard_clear('s', ARRAY(SELECT lab.hash(id) FROM lab.people WHERE id <= 300)) FROM generate_series(1, 2);
SELECT set_eq($$ SELECT * FROM pprepub_internal.shard_cleared('s') $$, 'SELECT lab.hash(id) FROM lab.people WHERE id <= 300', 'some are cleared');
SELECT is((SELECT rows FROM pprepub.publish('s')), 150::bigint, 'and published');
ALTER TABLE lab.people RENAME id TO number;
SELECT pprepub.alter_publication('s', add_quasi_identifiers => '{"mood": "suppress"}');
SELECT is((SELECT count(*) FROM published_private.s_source), 150::bigint, 'no others when columns are added');
SELECT set_eq($$ SELECT * FROM pprepub_internal.shard_arrivals('s') $$, 'SELECT lab.hash(number) FROM lab.people WHERE number > 300', 'who arrive, when the key has another name');
ALTER TABLE lab.people RENAME number TO id;
INSERT INTO lab.people VALUES (NULL, 30, 'F', 'd1', 'north'), (998, 30, 'F', 'd1', 'south');
SELECT is((SELECT count(*) FROM pprepub_internal.shard_arrivals('s')), 50::bigint, 'nobody arrives without a key, or in another shard');
SELECT is(lab.called($$ SELECT pprepub.publish('s') $$), '23514 2 row(s) of the source are not of the shard of publication "s"', 'and both are refused');
DELETE FROM lab.people WHERE id IS NULL OR id = 998;
SELECT matches(lab.called(sql), '^55000', sql)
FROM unnest(ARRAY['INSERT INTO published_private.s_cleared VALUES (1, ''x'')', 'TRUNCATE published_private.s_cleared', 'UPDATE published_private.s_secret SET secret = ''sixteen bytes no''',
	'DROP TABLE published_private.s_cleared CASCADE', 'ALTER TABLE published_private.s_secret RENAME TO x']) sql;
SELECT ok(NOT has_table_privilege('regress_shards', 'published_private.' || t, 'SELECT'), t || ' is the owner''s') FROM unnest('{s_cleared,s_secret}'::text[]) t;
DELETE FROM lab.people WHERE id = 2;
SELECT is(pprepub.forget_person('s', '2'), 1::bigint, 'a person is forgotten');
SELECT is((SELECT count(*) FILTER (WHERE h = lab.hash(2)) || ' of ' || count(*) FROM pprepub_internal.shard_cleared('s') h), '0 of 149', 'among those who are cleared, too');
SELECT is((SELECT rows - counterfeits FROM pprepub.publish('s')), 149::bigint, 'others are published');
SELECT is((SELECT coalesce(string_agg(check_name, ' '), '') FROM pprepub.audit('s') WHERE NOT holds), ''::text, 'and an audit holds');
ALTER TABLE lab.people OWNER TO regress_shards; ALTER SCHEMA published OWNER TO regress_shards; ALTER SCHEMA published_private OWNER TO regress_shards;
SET ROLE regress_shards;
SELECT pprepub.alter_publication('s', '{}');
SELECT is((SELECT count(*) FROM pprepub_internal.shard_arrivals('s')), 50::bigint, 'a new owner takes the guard over');
SELECT pprepub_internal.shard_clear('s', '{}');
SELECT lives_ok($$ SELECT pprepub.publish('s') $$, 'and publishes');
RESET ROLE;
SELECT pprepub.drop_publication('s', forget_history => true);
SELECT is((SELECT count(*) FROM pg_class WHERE relnamespace = 'published_private'::regnamespace), 0::bigint, 'all goes with the publication');

-- ---- People with several rows ----

ALTER TABLE lab.people OWNER TO current_user; ALTER SCHEMA published OWNER TO current_user; ALTER SCHEMA published_private OWNER TO current_user;
INSERT INTO lab.people SELECT id, age, sex, 'e' || id % 3, region FROM lab.people;
SELECT pprepub.create_publication('s', 'lab.people', 'id', '{"age": "range"}', 'ill', params => '{"k": 3, "l": 2}', rows => 'several', shard => 'region = ''north''');
SELECT pprepub_internal.shard_guard('s', 'sixteen bytes ok');
SELECT is((SELECT count(*) FROM pprepub_internal.shard_arrivals('s')), 199::bigint, 'each arrives once');
SELECT pprepub_internal.shard_clear('s', ARRAY(SELECT pprepub_internal.shard_arrivals('s')));
SELECT is((SELECT people FROM pprepub.publish('s')), 199::bigint, 'and is published');
SELECT pprepub.alter_publication('s', add_quasi_identifiers => '{"mood": "suppress"}');
SELECT is((SELECT count(*) FROM published_private.s_source), 398::bigint, 'with all rows');

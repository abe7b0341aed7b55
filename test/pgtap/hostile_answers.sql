-- An answer is made by a worker that the server takes for its superuser. What a source
-- brings along runs there as its owner, in a restricted context, from the first statement
-- to the commit, and leaves nothing behind. Nothing here is in one transaction: answers see
-- only what was committed.
\i test/lib/mallory.sql

CREATE ROLE regress_asker;
SET ROLE regress_mallory;
CREATE TABLE evil.witness (device text, ran_as name, session name, outcome text, settings text);
CREATE FUNCTION evil.note(device text, outcome text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO evil.witness VALUES (device, current_user, session_user, outcome,
		concat_ws(' ', current_setting('transaction_isolation'), current_setting('transaction_read_only'), current_setting('row_security'),
			current_setting('DateStyle'), current_setting('IntervalStyle'), current_setting('TimeZone'), current_setting('search_path'),
			current_setting('lock_timeout'), current_setting('statement_timeout'), current_setting('track_counts'),
			current_setting('track_activities'), current_setting('log_min_messages'), current_setting('synchronous_commit'),
			current_setting('session_replication_role')))
$$;
CREATE FUNCTION evil.try(sql text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE sql;
	PERFORM evil.note(sql, 'done');
EXCEPTION WHEN OTHERS THEN
	PERFORM evil.note(sql, SQLSTATE);
END
$$;
CREATE FUNCTION evil.try_all(id int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF id OPERATOR(pg_catalog.=) 1 THEN
		PERFORM evil.note('start', NULL);
		PERFORM evil.try(sql) FROM (SELECT sql FROM evil.attempt ORDER BY number) a;
	END IF;
	RETURN id;
END
$$;
CREATE FUNCTION evil.fire() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM evil.note('trigger', TG_NAME);
	RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER deferred AFTER INSERT ON evil.deferred
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION evil.fire();
CREATE TABLE evil.fired (n int);
CREATE TRIGGER fired AFTER INSERT ON evil.fired FOR EACH ROW EXECUTE FUNCTION evil.fire();
CREATE TABLE evil.people AS SELECT i AS id, i % 10 AS age, 'd' || i % 5 AS disease FROM generate_series(1, 40) i;
CREATE VIEW evil.source AS SELECT evil.try_all(id) AS id, age, disease FROM evil.people;
SELECT pprepub.create_publication('evil', 'evil.source', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2}', target => 'evil_out');
SELECT pprepub.create_publication('other', 'evil.people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2}', target => 'evil_out', beside => '{evil}');
RESET ROLE;

INSERT INTO forbidden VALUES
	(format('SET LOCAL SESSION AUTHORIZATION %I', session_user)),
	('SET LOCAL ROLE NONE'),
	('SELECT set_config(''role'', ''none'', true)'),
	(format('SELECT set_config(''session_authorization'', %L, true)', session_user)),
	('ALTER FUNCTION evil.as_none() SECURITY DEFINER SET role = regress_alice; SELECT evil.as_none()'),
	('ALTER ROLE regress_mallory SET role = regress_mallory'),
	('ALTER ROLE regress_alice SET role = regress_mallory'),
	(format('ALTER DATABASE %I SET role = %L', current_database(), session_user)),
	('SET track_counts = on'),
	('SET track_functions = ''all'''),
	('SET track_activities = on'),
	('SET log_min_messages = debug1'),
	('SET log_statement = ''all'''),
	('SET log_temp_files = 0'),
	('SET pprepub.answer_time_grid = 1'),
	('SELECT pg_reload_conf()'),
	('COMMIT'),
	('DISCARD ALL'),
	('DECLARE later CURSOR WITH HOLD FOR SELECT 1'),
	('SELECT pprepub.publish(''evil'')'),
	('SELECT pprepub.publish(''other'')'),
	('SELECT pprepub.drop_publication(''evil'', true)'),
	-- nor can one answer be asked for while another is made
	('SELECT * FROM evil_out.evil()'),
	('SELECT * FROM evil_out.other()');
SET ROLE regress_mallory;
INSERT INTO evil.attempt (sql) SELECT sql FROM forbidden;
-- These may work, and must not matter.
INSERT INTO evil.attempt (sql) VALUES
	('SET search_path = evil, pg_catalog'),
	('SET row_security = on'),
	('SET DateStyle = ''German'''),
	('SET synchronous_commit = off'),
	('SET lock_timeout = 1'),
	('SET statement_timeout = 1'),
	('SET client_min_messages = debug5'),
	('RESET ALL'),
	('INSERT INTO evil.fired VALUES (1)');
GRANT USAGE ON SCHEMA evil_out TO regress_asker;
GRANT EXECUTE ON FUNCTION evil_out.evil, evil_out.other TO regress_asker;
RESET ROLE;

-- Settings of a database are no better than those of a source.
DO $$
DECLARE
	setting text;
BEGIN
	FOREACH setting IN ARRAY '{default_transaction_isolation = serializable, default_transaction_read_only = on, row_security = on, DateStyle = German, IntervalStyle = iso_8601, TimeZone = Asia/Tokyo, search_path = evil, lock_timeout = 1, statement_timeout = 1, track_counts = on, track_functions = all, synchronous_commit = off, session_replication_role = replica, role = regress_alice, log_min_messages = warning}'::text[]
	LOOP
		EXECUTE format('ALTER DATABASE %I SET %s TO %L', current_database(), split_part(setting, ' = ', 1), split_part(setting, ' = ', 2));
	END LOOP;
END
$$;

CREATE FUNCTION breaches(OUT runs bigint, OUT foreigners bigint, OUT breaches text) LANGUAGE sql AS $$
	SELECT count(*), count(*) FILTER (WHERE (ran_as, session) <> ('regress_mallory', 'regress_mallory')),
		string_agg(device, '; ') FILTER (WHERE outcome = 'done' AND device IN (SELECT sql FROM forbidden))
	FROM evil.witness
$$;

SET SESSION AUTHORIZATION regress_asker;
SELECT is((SELECT count(*) FROM evil_out.evil()), 40::bigint, 'an analyst asks a hostile source');
RESET SESSION AUTHORIZATION;
SELECT results_eq($$ SELECT runs > 40, foreigners, breaches FROM breaches() $$, $$ VALUES (true, 0::bigint, NULL::text) $$,
	'its devices ran, as the owner, and got nowhere');
SELECT bag_eq($$ SELECT sql FROM forbidden $$, $$ SELECT device FROM evil.witness WHERE outcome ~ '^[0-9A-Z]{5}$' $$,
	'every attempt was made, and failed');
SELECT is_empty($$ SELECT DISTINCT device, outcome FROM evil.witness WHERE outcome NOT IN ('done', 'fired') AND
	outcome NOT IN ('42501', '0A000', '2D000', '25001', '55P02') $$,
	'for want of rights, or because the context is restricted');
SELECT is((SELECT settings FROM evil.witness WHERE device = 'start'),
	'repeatable read off off ISO, YMD postgres UTC pg_catalog, pg_temp 1min 0 off off fatal on origin', 'what it started under');
SELECT is((SELECT count(*) FROM evil.witness WHERE device = 'trigger'), 1::bigint, 'a trigger that does not wait ran');

SELECT is((SELECT count(*) FROM evil_out.evil()), 40::bigint, 'a superuser asks it');
SELECT results_eq($$ SELECT foreigners, breaches FROM breaches() $$, $$ VALUES (0::bigint, NULL::text) $$, 'with no more success');
SELECT is((SELECT count(*) FROM evil_out.other()), 40::bigint, 'another publication of his is none the worse');
SELECT ok(NOT rolsuper, 'he is no superuser') FROM pg_roles WHERE rolname = 'regress_mallory';
SELECT is((SELECT string_agg(published_by, ' ' ORDER BY number) FROM pprepub.release WHERE publication = 'evil'),
	'regress_asker ' || session_user, 'published_by is who asked');
SELECT is((SELECT string_agg(published_as, ' ' ORDER BY number) FROM pprepub.release WHERE publication = 'evil'),
	'regress_asker ' || session_user, 'so is published_as, whatever the functions between do');
SELECT is_empty($$ SELECT * FROM pprepub.audit('evil') WHERE NOT holds $$, 'all is remembered');
SELECT is_empty($$ SELECT 1 FROM pg_locks WHERE locktype = 'advisory' $$, 'and nothing stays locked');

-- A source that is not to be seen by row security says so, rather than leaving rows out.
ALTER TABLE evil.people ENABLE ROW LEVEL SECURITY;
ALTER TABLE evil.people FORCE ROW LEVEL SECURITY;
SELECT throws_ok($$ SELECT * FROM evil_out.other() $$, '42501', NULL, 'row security on the source is an error');
SELECT is((SELECT count(*) FROM pprepub.release WHERE publication = 'other'), 1::bigint, 'and no answer');

SELECT pprepub.drop_publication('evil', true), pprepub.drop_publication('other', true) \g /dev/null
DROP OWNED BY regress_mallory, regress_alice, regress_asker CASCADE;
DROP ROLE regress_mallory, regress_alice, regress_asker;

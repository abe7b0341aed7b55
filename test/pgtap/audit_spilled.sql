-- The history in a temporary file: audit(), attack() and rebuild_history() find the same as in memory, what is made anew is what the log tells, by
-- SQL that shares no code with them, and one that is cancelled leaves nothing behind.
SELECT setseed(0.5) \g /dev/null

CREATE TABLE people (id int PRIMARY KEY, age int, zip text, ill text, cost int);
CREATE FUNCTION value() RETURNS text LANGUAGE sql VOLATILE AS
	$$ SELECT CASE WHEN random() > 0.02 THEN 'd' || (1 + floor(12 * random()))::int END $$;
CREATE PROCEDURE pass_time() LANGUAGE sql AS $$
	DELETE FROM people WHERE random() < 0.05;
	INSERT INTO people SELECT i, i % 50, (100 + i % 7)::text, value(), i % 3 FROM generate_series(1, 4000) i WHERE random() < 0.06 ON CONFLICT DO NOTHING;
	UPDATE people SET ill = value() WHERE random() < 0.03 AND ill IS NOT NULL;
$$;
CREATE PROCEDURE live(name text, qis jsonb, method text, params jsonb, sensitive name DEFAULT 'ill') LANGUAGE plpgsql AS $$
BEGIN
	PERFORM setseed(0.3);
	TRUNCATE people;
	INSERT INTO people SELECT i, i % 50, (100 + i % 7)::text, value(), i % 3 FROM generate_series(1, 3600) i;
	IF method IN ('m-invariance', 'm-distinct') THEN
		UPDATE people SET ill = 'd0' WHERE ill IS NULL;
	END IF;
	PERFORM pprepub.create_publication(name, 'people', 'id', qis, sensitive, method, params, beside => ARRAY(SELECT p.name FROM pprepub.publication p));
	FOR n IN 1 .. 5 LOOP
		PERFORM pprepub.publish(name, CASE WHEN n = 4 AND method = 'bpg' THEN 'age < 30' END);
		IF method IN ('m-invariance', 'm-distinct') THEN
			DELETE FROM people WHERE random() < 0.02;
		ELSE
			CALL pass_time();
		END IF;
	END LOOP;
END $$;
CALL live('dirty', '{"age": "range", "zip": "prefix"}', 'bpg', '{"k": 6, "l": 2, "reserve": 2, "repair": "dirty"}');
CALL live('invented', '{"age": "range", "zip": "prefix"}', 'bpg', '{"k": 6, "l": 2, "frequency": 2, "reserve": 2, "repair": "counterfeit"}');
CALL live('two', '{"age": "range"}', 'bpg', '{"k": 6, "l": 2, "reserve": 2}', '{ill,cost}');
CALL live('linked', '{"age": "range"}', 'global', '{"l": 2, "strategy": "constant-ratio", "releases": 8}');
CALL live('invariant', '{"age": "range"}', 'm-invariance', '{"m": 3}');

-- Small and large memory.  Where a file may not grow, it is an error to have one.
CREATE FUNCTION under(memory text, file text, query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('work_mem', memory, true), set_config('temp_file_limit', file, true);
	RETURN QUERY EXECUTE format('SELECT q::text FROM (%s) q', query);
END $$;
CREATE VIEW asked AS SELECT name, format(call, name) AS query FROM pprepub.publication,
	unnest(ARRAY['SELECT * FROM pprepub.audit(%L)', 'SELECT * FROM pprepub.audit(%L, ''{"k": 9, "l": 3, "t": 0.1}'')', 'SELECT * FROM pprepub.attack(%L)',
		'SELECT * FROM pprepub.attack(%L, ''{"k": 9, "frequency": 3}'')', 'SELECT * FROM pprepub.rebuild_history(%L)']) call;
SELECT results_eq(format('SELECT under(''64kB'', ''-1'', %L)', query), format('SELECT under(''1GB'', ''0'', %L)', query), name || ': ' || query) FROM asked;
-- Methods check by themselves in memory; and "linked" has few rows.
SELECT throws_ok(format('SELECT under(''64kB'', ''0'', %L)', query), '53400', NULL, name || ', no room for a file: ' || query) FROM asked
WHERE name <> 'linked' AND NOT (name = 'invariant' AND query ~ 'audit\(''[a-z]*''\)');
SELECT is((SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql\_tmp' || pg_backend_pid() || '.%'), 0::bigint, 'no file stays');

-- Files do not pile up in a statement, whether calls end well, in an error of theirs, or in one of another.
CREATE FUNCTION files() RETURNS bigint LANGUAGE sql VOLATILE AS
	$$ SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql\_tmp' || pg_backend_pid() || '.%' $$;
CREATE FUNCTION files_after(query text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN files();
END $$;
CREATE FUNCTION caught(query text, state text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RAISE 'no error';
EXCEPTION WHEN OTHERS THEN
	IF SQLSTATE <> state THEN RAISE; END IF;
END $$;
SET work_mem = '64kB';
SELECT is(files_after(query), 0::bigint, 'no file stays in the statement of ' || query) FROM asked WHERE name = 'dirty';
SELECT is(files_after($$ SELECT pprepub.assert_safe('dirty', '{"k": 2}') $$), 0::bigint, 'nor of assert_safe()');
SELECT is(files_after($$ SELECT caught('SELECT pprepub.assert_safe(''dirty'', ''{"k": 900}'')', 'PP001') $$), 0::bigint, 'nor where it is not safe');
SELECT is(files_after($$ SELECT caught('SELECT 1 / (SELECT 0 FROM pprepub.audit(''dirty'') LIMIT 1)', '22012') $$), 0::bigint, 'nor behind an error of somebody else');
SELECT is(files_after($f$ SELECT caught($$ SELECT under('64kB', '64kB', 'SELECT pprepub.audit(''dirty'')') $$, '53400') $f$), 0::bigint, 'nor where it may not grow further');
RESET work_mem;

-- ---- What is made anew, in SQL ----

CREATE FUNCTION logged(name text) RETURNS TABLE (release int, class bigint, member text, ill text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT release, class, coalesce(key::text, ''invented''), sensitive::text
		FROM (SELECT release, class, unnest(keys) AS key, unnest(sensitive) AS sensitive FROM published_private.%I) l', name || '_members');
END $$;

CREATE FUNCTION people_of_log(name text) RETURNS TABLE (member text, came int) LANGUAGE sql AS $$
	SELECT member, min(release) FROM logged(name) WHERE member <> 'invented' GROUP BY 1
$$;
CREATE FUNCTION people_kept(name text) RETURNS TABLE (member text, came int) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT unnest(keys)::text, came FROM published_private.%I', name || '_people');
END $$;

CREATE PROCEDURE lose(name text, fold text) LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL allow_system_table_mods = on;
	UPDATE pg_class SET relhastriggers = false WHERE oid = format('published_private.%I', name || fold)::regclass;
	EXECUTE format('DELETE FROM published_private.%I', name || fold);
	UPDATE pg_class SET relhastriggers = true WHERE oid = format('published_private.%I', name || fold)::regclass;
END $$;
CREATE FUNCTION is_twin(name text, fold text, of_log text, kept text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT set_eq(of_log, kept, name || ': what is kept is what SQL makes of the log');
	CALL lose(name, fold);
	RETURN NEXT is((SELECT u FROM under('64kB', '-1', format('SELECT equal FROM pprepub.rebuild_history(%L)', name)) u), '(f)', name || ': it is made anew');
	RETURN NEXT set_eq(of_log, kept, name || ': and is what SQL makes of the log');
	RETURN NEXT is_empty(format('SELECT fold FROM pprepub.rebuild_history(%L) WHERE NOT equal', name), name || ': nothing is left to do');
END $$;
-- Groups are compared with the log class by class in groups.sql.
SELECT format('CREATE TABLE %I AS TABLE published_private.%I', name || '_before', name || '_groups') FROM pprepub.publication WHERE method = 'bpg' \gexec
SELECT is_twin(name, '_groups', format('TABLE %I', name || '_before'), format('TABLE published_private.%I', name || '_groups'))
FROM pprepub.publication WHERE method = 'bpg';
SELECT is_twin(name, '_people', format('SELECT * FROM people_of_log(%L)', name), format('SELECT * FROM people_kept(%L)', name))
FROM pprepub.publication WHERE to_regclass(format('published_private.%I', name || '_people')) IS NOT NULL;
SELECT lives_ok(format('SELECT pprepub.publish(%L)', name), name || ': the next release') FROM pprepub.publication;
SELECT is_empty(format('SELECT check_name, measured FROM pprepub.audit(%L) WHERE NOT holds AND check_name <> ''beside''', name), name || ': all holds') FROM pprepub.publication;

-- ---- Cancelled ----

SELECT sum("group") AS kept FROM published_private.invented_groups \gset
\set VERBOSITY terse
\set ON_ERROR_STOP off
SET work_mem = '64kB';
SET statement_timeout = '3ms';
SELECT * FROM pprepub.audit('invented') \g /dev/null
\set audited :SQLSTATE
SELECT * FROM pprepub.attack('invented') \g /dev/null
\set attacked :SQLSTATE
SELECT * FROM pprepub.rebuild_history('invented') \g /dev/null
\set rebuilt :SQLSTATE
RESET statement_timeout;
\set ON_ERROR_STOP on
SELECT is(concat_ws(' ', :'audited', :'attacked', :'rebuilt'), '57014 57014 57014', 'each is cancelled');
SELECT is((SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql\_tmp' || pg_backend_pid() || '.%'), 0::bigint, 'no file stays');
SELECT is(sum("group")::bigint, :kept::bigint, 'nor is anything made anew') FROM published_private.invented_groups;
SELECT is_empty($$ SELECT check_name FROM pprepub.audit('invented') WHERE NOT holds AND check_name <> 'beside' $$, 'all holds');

-- regress_mallory, who is out for more rights, with devices that a source of hers may bring along.
--
--	evil.attempt(number, sql)	what her code tries, in this order
--	forbidden(sql)			what must fail, for want of rights or because the context is restricted; tests add to it
CREATE ROLE regress_mallory;
CREATE ROLE regress_alice;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_mallory', current_database()) \gexec
CREATE SCHEMA vault;
CREATE TABLE vault.secret AS SELECT 'treasure' AS what;
GRANT USAGE ON SCHEMA vault TO regress_mallory;
CREATE SCHEMA evil AUTHORIZATION regress_mallory;
SET ROLE regress_mallory;
CREATE TABLE evil.attempt (number serial, sql text);
CREATE TABLE evil.deferred (n int);		-- a trigger on it waits for the commit
-- Functions that become somebody else by a setting of theirs.
SELECT format('CREATE FUNCTION evil.%I() RETURNS text LANGUAGE sql SET %s = %I AS ''SELECT current_user::text''', name, setting, value)
FROM (VALUES ('as_none', 'role', 'none'), ('as_superuser', 'role', session_user), ('as_alice', 'role', 'regress_alice'),
	('as_session', 'session_authorization', session_user)) t(name, setting, value) \gexec
RESET ROLE;
CREATE TABLE forbidden (sql text);
GRANT SELECT ON forbidden TO regress_mallory;
INSERT INTO forbidden VALUES
	('SET ROLE NONE'),
	('RESET ROLE'),
	(format('SET ROLE %I', session_user)),
	('SET ROLE regress_alice'),
	('SELECT set_config(''role'', ''none'', false)'),
	('SET SESSION AUTHORIZATION DEFAULT'),
	('RESET SESSION AUTHORIZATION'),
	(format('SET SESSION AUTHORIZATION %I', session_user)),
	(format('SELECT set_config(''session_authorization'', %L, false)', session_user)),
	('SELECT evil.as_none()'),
	('SELECT evil.as_superuser()'),
	('SELECT evil.as_alice()'),
	('SELECT evil.as_session()'),
	('SET session_replication_role = replica'),
	('ALTER ROLE regress_mallory SUPERUSER'),
	('CREATE ROLE regress_mallory_too SUPERUSER'),
	('GRANT regress_alice TO regress_mallory'),
	('CREATE TABLE vault.mine ()'),
	('SELECT * FROM vault.secret'),
	('SELECT * FROM pprepub_internal.catalog_publication'),
	('UPDATE pprepub_internal.catalog_publication SET owner = ''regress_mallory'''),
	('COPY (SELECT 1) TO PROGRAM ''true'''),
	('SELECT pg_read_file(''PG_VERSION'')'),
	('CREATE TEMP TABLE later (n int)'),
	('LISTEN later'),
	('INSERT INTO evil.deferred VALUES (1)');

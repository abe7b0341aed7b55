-- Releases stay as they are: rows, columns, names, fences, and those of the private schema.
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
CREATE TABLE patients AS SELECT i AS id, i AS age, 'd' || i % 5 AS disease FROM generate_series(1, 10) i;
SELECT pprepub.create_publication('patients', 'patients', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
SELECT rows FROM pprepub.publish('patients');

\set ECHO none
CREATE FUNCTION refused(VARIADIC commands text[]) RETURNS TABLE (command text, answer text) LANGUAGE plpgsql AS $$
BEGIN
	FOREACH command IN ARRAY commands LOOP
		BEGIN
			EXECUTE command;
			RAISE EXCEPTION 'went through' USING ERRCODE = 'ZZ000';
		EXCEPTION WHEN OTHERS THEN
			answer := CASE WHEN SQLSTATE = 'ZZ000' THEN 'WENT THROUGH' WHEN command ~ 'FROM PROGRAM|ON SELECT' THEN 'refused by PostgreSQL, in words of each version' ELSE SQLSTATE || ' ' || SQLERRM END;
		END;
		RETURN NEXT;
	END LOOP;
END $$;
SET client_min_messages = error;
\set ECHO all

-- The owner himself, and then a superuser.
SELECT answer, string_agg(n::text, ' ' ORDER BY n) AS commands FROM refused(
	'INSERT INTO published.patients_1 VALUES (1)',
	'INSERT INTO published.patients_1 SELECT WHERE false',
	'UPDATE published.patients_1 SET class = 7',
	'DELETE FROM published.patients_1',
	'MERGE INTO published.patients_1 p USING patients s ON p.class = s.id WHEN MATCHED THEN DELETE',
	'TRUNCATE published.patients_1',
	'TRUNCATE published.patients_1 CASCADE',
	'INSERT INTO published.patients VALUES (1)',
	'DELETE FROM published.patients',
	'COPY published.patients_1 FROM PROGRAM ''true''',
	'DROP TABLE published.patients_1',
	'DROP TABLE published.patients_1 CASCADE',
	'DROP SCHEMA published CASCADE',
	'DROP OWNED BY regress_owner CASCADE',
	'ALTER TABLE published.patients_1 RENAME TO x',
	'ALTER TABLE published.patients_1 RENAME class TO x',
	'ALTER TABLE published.patients_1 SET SCHEMA public',
	'ALTER SCHEMA published RENAME TO x',
	'ALTER TABLE published.patients_1 ADD x int',
	'ALTER TABLE published.patients_1 ADD x int DEFAULT random()',
	'ALTER TABLE published.patients_1 DROP class',
	'ALTER TABLE published.patients_1 DROP class CASCADE',
	'ALTER TABLE published.patients_1 ALTER class TYPE text',
	'ALTER TABLE published.patients_1 ALTER class TYPE int',
	'ALTER TABLE published.patients_1 ALTER class SET DEFAULT 1',
	'ALTER TABLE published.patients_1 ALTER class SET NOT NULL',
	'ALTER TABLE published.patients_1 ADD CHECK (class > 0)',
	'ALTER TABLE published.patients_1 DISABLE TRIGGER pprepub_seal',
	'ALTER TABLE published.patients_1 DISABLE TRIGGER ALL',
	'ALTER TABLE published.patients_1 DISABLE TRIGGER USER',
	'ALTER TABLE published.patients_1 ENABLE TRIGGER pprepub_seal',
	'ALTER TABLE published.patients_1 ENABLE REPLICA TRIGGER pprepub_seal',
	'ALTER TRIGGER pprepub_seal ON published.patients_1 RENAME TO x',
	'DROP TRIGGER pprepub_seal ON published.patients_1',
	'CREATE OR REPLACE TRIGGER pprepub_seal BEFORE INSERT ON published.patients_1 EXECUTE FUNCTION suppress_redundant_updates_trigger()',
	'CREATE OR REPLACE TRIGGER pprepub_seal BEFORE INSERT ON published.patients_1 EXECUTE FUNCTION pprepub_internal.refuse_change()',
	'CREATE OR REPLACE TRIGGER pprepub_seal BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON published.patients_1 WHEN (false) EXECUTE FUNCTION pprepub_internal.refuse_change()',
	'CREATE OR REPLACE TRIGGER pprepub_seal BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON published_private.patients_members EXECUTE FUNCTION pprepub_internal.refuse_change()',
	'CREATE POLICY p ON published.patients_1 USING (false)',
	'CREATE INDEX ON published_private.patients_members (abs(release))',
	'CREATE INDEX ON published_private.patients_members (release) WHERE release > 0',
	'ALTER TABLE published.patients_1 SET UNLOGGED',
	'ALTER TABLE published.patients_1 SET ACCESS METHOD heap',
	'ALTER TABLE published.patients_1 SET ACCESS METHOD heap2',
	'ALTER TABLE published.patients_1 ENABLE ROW LEVEL SECURITY',
	'CREATE RULE r AS ON SELECT TO published.patients_1 DO INSTEAD SELECT 1',
	'CREATE RULE r AS ON INSERT TO published.patients_1 DO INSTEAD NOTHING',
	'CREATE TABLE child () INHERITS (published.patients_1)',
	'CREATE TABLE parent (class bigint, age int4range, disease text); ALTER TABLE published.patients_1 INHERIT parent',
	'CREATE TABLE parent (class bigint, age int4range, disease text) PARTITION BY RANGE (class); ALTER TABLE parent ATTACH PARTITION published.patients_1 DEFAULT',
	'DROP TABLE published_private.patients_members',
	'DELETE FROM published_private.patients_members',
	'TRUNCATE published_private.patients_members',
	'ALTER TABLE published_private.patients_members RENAME TO x',
	'DROP VIEW published_private.patients_source',
	'ALTER VIEW published_private.patients_source RENAME TO x',
	'ALTER VIEW published_private.patients_source RENAME age TO x',
	'CREATE OR REPLACE VIEW published_private.patients_source AS SELECT id, age + 1 AS age, disease FROM patients',
	'ALTER VIEW published_private.patients_source SET SCHEMA public',
	'ALTER SCHEMA published_private RENAME TO x',
	'DROP SCHEMA published_private CASCADE',
	'DROP TABLE patients',
	'DROP TABLE patients CASCADE',
	'DELETE FROM pprepub_internal.catalog_release') WITH ORDINALITY r(command, answer, n) GROUP BY answer ORDER BY min(n) \g (recordsep='\n')
RESET ROLE;
SELECT answer, string_agg(n::text, ' ' ORDER BY n) AS commands FROM refused(
	'DELETE FROM published.patients_1',
	'SET LOCAL session_replication_role = replica; DELETE FROM published.patients_1',
	'DROP TABLE published.patients_1 CASCADE',
	'SET LOCAL session_replication_role = replica; DROP TABLE published.patients_1 CASCADE',
	'SET LOCAL session_replication_role = replica; ALTER TABLE published.patients_1 DISABLE TRIGGER ALL',
	'ALTER TABLE published.patients_1 DISABLE TRIGGER ALL',
	'DROP SCHEMA published, published_private CASCADE',
	'DROP OWNED BY regress_owner CASCADE',
	'DROP FUNCTION pprepub_internal.refuse_change() CASCADE',
	'DROP EVENT TRIGGER pprepub_protect_drops',
	'DELETE FROM published_private.patients_members') WITH ORDINALITY r(command, answer, n) GROUP BY answer ORDER BY min(n);
\set ECHO none
SET ROLE regress_owner;

-- Statements that leave rows, columns and fences alone are free, and those of pg_restore.
CREATE INDEX ON published.patients_1 (class);
CREATE INDEX ON published.patients_1 ((lower(disease)));
DROP INDEX published.patients_1_class_idx;
ALTER TABLE published.patients_1 ENABLE ALWAYS TRIGGER pprepub_seal;
ALTER TABLE published.patients_1 OWNER TO regress_owner;
ALTER TABLE published.patients_1 ALTER class SET STATISTICS 1000;
ALTER TABLE published.patients_1 SET (autovacuum_enabled = false);
COMMENT ON TABLE published.patients_1 IS 'the first one';
COMMENT ON COLUMN published.patients_1.class IS 'a number';
GRANT SELECT ON published.patients_1 TO regress_analyst;
REVOKE SELECT ON published.patients_1 FROM regress_analyst;
CREATE INDEX ON published_private.patients_members (release);
ANALYZE published.patients_1;
VACUUM published.patients_1;
VACUUM FULL published.patients_1;
\set ECHO all
CLUSTER published.patients_1 USING patients_1_lower_idx;
REINDEX TABLE published.patients_1;
CREATE STATISTICS published.st ON class, disease FROM published.patients_1;
CREATE VIEW reader AS SELECT * FROM published.patients_1;
DROP VIEW reader;
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums';
SELECT count(*) FROM published.patients;

-- The view of the newest release is a convenience: it may go.
DROP VIEW published.patients;
SELECT count(*) FROM published.patients_1;

-- Nothing else is in the way of others' DDL.
CREATE TABLE bystander (a int);
ALTER TABLE bystander RENAME a TO b;
DROP TABLE bystander;
CREATE TEMPORARY TABLE passing (a int);
BEGIN READ ONLY;
ALTER TABLE passing ADD b int;
\set ECHO none
COMMIT;
DROP TABLE passing;

-- Tampering below SQL is seen.
RESET ROLE;
SET allow_system_table_mods = on;
BEGIN;
UPDATE pg_trigger SET tgenabled = 'D' WHERE tgrelid = 'published.patients_1'::regclass;
\set ECHO all
SELECT count(*) FROM (SELECT 1 FROM pg_class) c WHERE false;
UPDATE pg_class SET relhastriggers = false WHERE oid = 'published.patients_1'::regclass;
SAVEPOINT before;
UPDATE published.patients_1 SET disease = 'changed' WHERE class = 1;
ROLLBACK TO before;
ALTER EVENT TRIGGER pprepub_protect_commands DISABLE;
ALTER EVENT TRIGGER pprepub_protect_rewrites DISABLE;
ALTER TABLE published.patients_1 SET ACCESS METHOD heap;
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums';
UPDATE published.patients_1 SET disease = 'changed' WHERE class = 1;
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums';
ALTER TABLE published.patients_1 SET ACCESS METHOD pprepub;
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums';
ROLLBACK;
RESET allow_system_table_mods;
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums';

SELECT pprepub.drop_publication('patients', true) \g /dev/null

-- Until something was published, whoever drops a table need not ask who declared it.
SET ROLE regress_owner;
SELECT pprepub.create_publication('patients', 'patients', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
DROP TABLE patients CASCADE;
SELECT pprepub.publish('patients');
SELECT name, source FROM pprepub.publication;
SELECT pprepub.alter_publication('patients', '{}');
CALL public.clean();

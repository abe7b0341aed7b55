-- Releases on a schedule, where there is no pg_cron; where there is, test/t/schedule.pl.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
CREATE TABLE schedule_patients (id int PRIMARY KEY, age int, disease text);
INSERT INTO schedule_patients SELECT i, i % 50, 'd' || i % 5 FROM generate_series(1, 200) i;
ALTER TABLE schedule_patients OWNER TO regress_owner;
CREATE ROLE regress_member LOGIN IN ROLE regress_owner;
SET ROLE regress_owner;
SELECT pprepub.create_publication('patients', 'schedule_patients', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}');
RESET ROLE;
\set ECHO all

-- The role that runs a job logs in.
SET ROLE regress_owner;
SELECT pprepub.schedule('patients', '0 3 * * 1');
RESET ROLE;

-- Nobody runs jobs here.  The hint names the package of each version of PostgreSQL.
\set VERBOSITY terse
SET ROLE regress_member;
SELECT pprepub.schedule('patients', '0 3 * * 1');
SELECT pprepub.schedule('patients', '0 3 * * 1', cohort => 'age > 40');
SELECT pprepub.unschedule('patients');
SELECT publication, job FROM pprepub.health;

-- Nor do settings and schemas that are called so.
SET cron.database_name = 'contrib_regression';
SELECT pprepub.schedule('patients', '0 3 * * 1');
RESET ROLE;
CREATE SCHEMA cron;
CREATE TABLE cron.job AS SELECT 1::bigint AS jobid, 'pprepub: patients' AS jobname;
CREATE FUNCTION cron.schedule(text, text, text) RETURNS bigint LANGUAGE sql RETURN 1;
SELECT pprepub.schedule('patients', '0 3 * * 1');
SELECT publication, job FROM pprepub.health;
DROP SCHEMA cron CASCADE;
\set VERBOSITY default

-- Its arguments.
SELECT pprepub.schedule(NULL, '0 3 * * 1');
SELECT pprepub.schedule('patients', NULL);
\set VERBOSITY terse
SELECT pprepub.schedule('patients', '0 3 * * 1', 'age > now()');
\set VERBOSITY default
SELECT pprepub.schedule('patients', '0 3 * * 1', 'disease = ''d1''');
SELECT pprepub.schedule('nobody''s', '0 3 * * 1');
SELECT pprepub.unschedule(NULL);
SELECT pprepub.unschedule('nobody''s');

-- Its callers.
SET ROLE regress_analyst;
SELECT pprepub.schedule('patients', '0 3 * * 1');
SELECT pprepub.unschedule('patients');
SELECT publication, job FROM pprepub.health;
SELECT * FROM pprepub_internal.scheduled_jobs();
SELECT * FROM pprepub_internal.catalog_schedule;
RESET ROLE;

-- And when.
BEGIN READ ONLY;
SELECT pprepub.schedule('patients', '0 3 * * 1');
ROLLBACK;
BEGIN READ ONLY;
SELECT pprepub.unschedule('patients');
ROLLBACK;
BEGIN READ ONLY;
SELECT publication, job FROM pprepub.health;
\set ECHO none
COMMIT;

SET ROLE regress_owner;
CALL forget('patients');
DROP SCHEMA published, published_private;
RESET ROLE;
DROP ROLE regress_member;
DROP TABLE schedule_patients;
\set ECHO all

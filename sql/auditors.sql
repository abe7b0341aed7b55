-- Roles that may audit, and see no data.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
\set VERBOSITY default
CREATE ROLE regress_audited_owner;
CREATE ROLE regress_auditor;
CREATE ROLE regress_auditors;
CREATE ROLE regress_audit_stranger;
GRANT CREATE ON DATABASE :DBNAME TO regress_audited_owner;
SET ROLE regress_audited_owner;
CREATE SCHEMA regress_ward;
CREATE TABLE regress_ward.patients AS
	SELECT i AS id, i % 40 AS age, (1000 + i % 30)::text AS zip, 'disease ' || i % 5 AS disease FROM generate_series(1, 200) i;
ALTER TABLE regress_ward.patients ADD PRIMARY KEY (id);
SELECT pprepub.create_publication('audited', 'regress_ward.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'bpg',
	'{"k": 5, "l": 2, "repair": "counterfeit"}', target => 'regress_audited') \g /dev/null
\set ECHO all
SELECT number FROM pprepub.publish('audited');
SELECT number FROM pprepub.publish('audited', cohort => 'age < 20');

-- Nobody else may.
SET ROLE regress_auditor;
SELECT * FROM pprepub.audit('audited');
SELECT * FROM pprepub.attack('audited');
SELECT * FROM pprepub.linkability('audited');
SELECT * FROM pprepub.historical_correlations('audited');
SELECT * FROM pprepub.metrics('audited', 1);
SELECT pprepub.grant_audit('audited', 'regress_auditor');
SELECT count(*) FROM pprepub.release;
SELECT count(*) FROM pprepub.publication;

-- Granted, also to a role that others are members of
SET ROLE regress_audited_owner;
SELECT pprepub.grant_audit('audited', 'regress_auditors') \g /dev/null
SELECT pprepub.grant_audit('audited', 'regress_auditors');	-- twice is once
SELECT pprepub.grant_audit('audited', 'regress_nobody');
SELECT pprepub.grant_audit('audited', 'public');
SELECT pprepub.grant_audit('audited', NULL);
SELECT pprepub.grant_audit('nothing', 'regress_auditors');
SELECT * FROM pprepub.auditor;
SELECT relname, relkind, obj_description(oid, 'pg_class') FROM pg_class WHERE relname = 'audited_auditors';
DROP VIEW regress_audited_private.audited_auditors;
RESET ROLE;
GRANT regress_auditors TO regress_auditor;
SET ROLE regress_auditor;
SELECT holds, string_agg(check_name, ', ' ORDER BY check_name) FROM pprepub.audit('audited') GROUP BY 1;
SELECT check_name, holds FROM pprepub.audit('audited', '{"frequency": 1.5}');
SELECT DISTINCT kind, holds FROM pprepub.attack('audited') ORDER BY 1;
SELECT releases, linkability > 0 FROM pprepub.linkability('audited');
SELECT count(*) FROM pprepub.historical_correlations('audited');
SELECT count(*) FROM pprepub.metrics('audited', 1);
SELECT metric FROM pprepub.metrics('audited', 2);
SELECT measure, value FROM pprepub.risks('audited', 1) WHERE measure IN ('rows', 'prosecutor_highest');
SELECT measure FROM pprepub.risks('audited', 2);
-- The report itself, behind the gate, is for those who may read what it reads.
SELECT * FROM pprepub_internal.class_sizes('audited', 1);
SELECT name, releases FROM pprepub.publication;
SELECT number, kind, cohort, rows > 0 AS rows, suppressed, dirty, counterfeits FROM pprepub.release ORDER BY number;
SELECT * FROM pprepub.auditor;

-- All the rest is the owner's.
SELECT * FROM pprepub.class_members('audited');
SELECT * FROM pprepub.groups('audited');
SELECT * FROM pprepub.linked_values('audited');
SELECT * FROM pprepub.link_profile('audited');
SELECT * FROM pprepub.breach_probability('audited');
SELECT * FROM pprepub.risk_after_updates('audited');
SELECT * FROM pprepub.compromise('audited', '{1}');
SELECT * FROM pprepub.preview('audited');
SELECT * FROM pprepub.forecast('audited', 2);
SELECT * FROM pprepub.publish('audited');
SELECT * FROM pprepub.import_release('audited', 'pg_class');
SELECT * FROM pprepub.rebuild_history('audited');
SELECT pprepub.acknowledge_history('audited');
SELECT pprepub.alter_publication('audited', '{}');
SELECT pprepub.drop_publication('audited', true);
SELECT pprepub.grant_audit('audited', 'regress_audit_stranger');
SELECT pprepub.revoke_audit('audited', 'regress_auditor');
SELECT pprepub.schedule('audited', '0 3 * * 1');
SELECT count(*) FROM pprepub.failed_answer;
TABLE regress_ward.patients;
TABLE regress_audited.audited;
TABLE regress_audited_private.audited_members;
TABLE regress_audited_private.audited_auditors;
TABLE pprepub_internal.catalog_release;

-- A value of the source is in no message.
\set ECHO none
SET ROLE regress_audited_owner;
CREATE FUNCTION regress_ward.tell(t text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
	RAISE WARNING 'reading %', t;
	IF t = 'disease 3' AND current_setting('regress.fails', true) = 'on' THEN RAISE 'the value is %', t USING DETAIL = t, HINT = t, COLUMN = t, TABLE = t; END IF;
	RETURN t; END $$;
CREATE VIEW regress_ward.telling AS SELECT id, age, regress_ward.tell(disease) AS disease FROM regress_ward.patients WHERE id <= 20;
SET client_min_messages = error;
SELECT pprepub.create_publication('telling', 'regress_ward.telling', 'id', '{"age": "range"}', 'disease', 'sequential', '{"k": 2}', target => 'regress_audited', beside => '{audited}') \g /dev/null
\set ECHO all
SELECT number FROM pprepub.publish('telling');
RESET client_min_messages;
SELECT pprepub.grant_audit('telling', 'regress_auditor') \g /dev/null
SET ROLE regress_auditor;
SET regress.fails = 'off';
SELECT releases FROM pprepub.linkability('telling');
SET regress.fails = 'on';
SELECT releases FROM pprepub.linkability('telling');
SELECT check_name, measured, holds FROM pprepub.audit('telling') WHERE NOT holds;
SELECT kind FROM pprepub.attack('telling', '{"k": 2}');
SET ROLE regress_audited_owner;
SET client_min_messages = error;
SELECT releases FROM pprepub.linkability('telling');
\set ECHO none
RESET client_min_messages;
-- Nor in an error that looks like one of the moment, with its context
SET ROLE regress_audited_owner;
CREATE OR REPLACE FUNCTION regress_ward.tell(t text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
	IF current_setting('regress.fails', true) = 'on' THEN RAISE 'the value is %', t USING ERRCODE = '40001'; END IF;
	RETURN t; END $$;
SET ROLE regress_auditor;
\set ECHO all
SELECT releases FROM pprepub.linkability('telling');
\echo :LAST_ERROR_SQLSTATE
-- Nor in the code of an error, of either sort
SET ROLE regress_audited_owner;
CREATE OR REPLACE FUNCTION regress_ward.tell(t text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
	IF current_setting('regress.fails', true) <> 'off' THEN RAISE 'failed' USING ERRCODE = current_setting('regress.fails') || right(t, 1); END IF;
	RETURN t; END $$;
SET ROLE regress_auditor;
SET regress.fails = 'DIS0';
SELECT releases FROM pprepub.linkability('telling');
\echo :LAST_ERROR_SQLSTATE
SET regress.fails = '40D0';
SELECT releases FROM pprepub.linkability('telling');
\echo :LAST_ERROR_SQLSTATE
SELECT pprepub.report('telling') ~ 'SQLSTATE' AS told;
\echo :LAST_ERROR_SQLSTATE
SET regress.fails = 'DIS0';
SELECT pprepub.report('telling') ~ 'SQLSTATE|DIS0' AS told, pprepub.report('telling') ~ 'Do not sign: this could not be computed' AS refused;
SET regress.fails = 'on';
-- Arguments of the caller are told as ever.
SET ROLE regress_auditor;
SELECT * FROM pprepub.linkability('telling', '{7}');
SELECT * FROM pprepub.linkability('telling', NULL, 'guess');
SELECT * FROM pprepub.audit('telling', '{"k": "x"}');

-- Others wait no longer than the audit takes.
BEGIN;
SELECT count(*) > 0 FROM pprepub.audit('audited');
SELECT count(*) > 0 FROM pprepub.attack('audited'), pprepub.linkability('audited'), pprepub.metrics('audited', 1),
	pprepub.risks('audited', 1), pprepub.historical_correlations('audited') RIGHT JOIN (SELECT) one ON true, pprepub.report('audited');
SELECT pprepub.assert_safe('audited');
SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'object' AND classid = 'pprepub_internal.catalog_publication'::regclass;
COMMIT;
-- A cohort's figures are not told by way of a join, either.
SELECT linkability FROM pprepub.linkability('audited', '{1}');
SELECT linkability FROM pprepub.linkability('audited', '{2}');

-- Those who ask for answers should not audit.
SET ROLE regress_audited_owner;
GRANT SELECT ON regress_audited.audited_now TO regress_audit_stranger;
SELECT pprepub.grant_audit('audited', 'regress_audit_stranger');

-- Revoked, by hand or not
SELECT pprepub.revoke_audit('audited', 'regress_auditors') \g /dev/null
SELECT pprepub.revoke_audit('audited', 'regress_auditors') \g /dev/null
SELECT * FROM pprepub.auditor ORDER BY 1, 2;
SET client_min_messages = error;
CALL forget('telling');
RESET client_min_messages;
SET ROLE regress_auditor;
SELECT * FROM pprepub.audit('audited');
-- No release to check, and others that are judged apart
SET ROLE regress_audited_owner;
CREATE TABLE regress_ward.few AS SELECT * FROM regress_ward.patients WHERE id <= 9;
ALTER TABLE regress_ward.few ADD PRIMARY KEY (id);
SELECT pprepub.create_publication('few', 'regress_ward.few', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 3, "reserve": 1}', target => 'regress_audited') \g /dev/null
SELECT * FROM pprepub.audit('few') \g (format=aligned t=off)
SELECT pprepub.assert_safe('few');
SELECT pprepub.grant_audit('few', 'regress_auditor') \g /dev/null
SET ROLE regress_auditor;
BEGIN;
SELECT * FROM pprepub.attack('few');
SELECT releases FROM pprepub.linkability('few');
SELECT check_name FROM pprepub.audit('few');
SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'object' AND classid = 'pprepub_internal.catalog_publication'::regclass;
COMMIT;
SET ROLE regress_audited_owner;
SELECT number FROM pprepub.publish('few');
SELECT pprepub.assert_safe('few');
SELECT pprepub.assert_safe('few', '{"k": 4, "l": 3}');
\echo :LAST_ERROR_SQLSTATE
SELECT check_name, required_value, measured_value, failing_classes, failing_people, worst FROM pprepub.audit('few', '{"k": 4, "l": 4, "frequency": 9}');
SELECT check_name, required_value, measured_value, failing_classes, failing_people FROM pprepub.audit('few');
SELECT kind, count(*) AS sets, count(*) FILTER (WHERE NOT holds) AS failing, bool_and(holds) AS holds FROM pprepub.attack('few', '{"k": 4}') GROUP BY kind ORDER BY kind;
SELECT linkability, unknown, people_at FROM pprepub.linkability('few');
SELECT pprepub.create_publication('again', 'regress_ward.few', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 3}', target => 'regress_audited', beside => '{few}') \g /dev/null
SELECT check_name, required, measured, holds, measured_value FROM pprepub.audit('few') WHERE holds IS NOT TRUE;
SELECT pprepub.assert_safe('few');	-- nothing fails
SET client_min_messages = error;
CALL forget('few', 'again');
RESET client_min_messages;

RESET ROLE;
DROP ROLE regress_audit_stranger;	-- refused while it may
\set ECHO none
DROP OWNED BY regress_audit_stranger;
DROP ROLE regress_audit_stranger;

-- A new owner of the source appoints auditors anew.
CREATE ROLE regress_audited_heir;
SET ROLE regress_audited_owner;
SELECT pprepub.grant_audit('audited', 'regress_auditor') \g /dev/null
SET ROLE regress_auditor;
\set ECHO all
SELECT count(*) FROM pprepub.publication;
RESET ROLE;
ALTER TABLE regress_ward.patients OWNER TO regress_audited_heir;
ALTER SCHEMA regress_audited OWNER TO regress_audited_heir;
ALTER SCHEMA regress_audited_private OWNER TO regress_audited_heir;
SET ROLE regress_auditor;
SELECT * FROM pprepub.audit('audited');	-- closed, until it is taken over
SET ROLE regress_audited_heir;
SELECT pprepub.alter_publication('audited', '{}') \g /dev/null
SET ROLE regress_auditor;
SELECT * FROM pprepub.audit('audited');

RESET ROLE;
SET client_min_messages = error;
SELECT pprepub.drop_publication('audited', true) \g /dev/null
SELECT count(*) FROM pg_class WHERE relname LIKE '%_auditors';
DROP SCHEMA regress_ward, regress_audited, regress_audited_private CASCADE;
DROP OWNED BY regress_audited_owner, regress_audited_heir, regress_auditor, regress_auditors;
DROP ROLE regress_audited_owner, regress_audited_heir, regress_auditor, regress_auditors;

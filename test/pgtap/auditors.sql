-- Auditors who try for more: all methods, imports, grants of their own, roles in between, old snapshots.
\pset fieldsep '\n'
CREATE ROLE audits_owner;
CREATE ROLE audits_many;
CREATE ROLE audits_by_group IN ROLE audits_many;
CREATE ROLE audits_when_set NOINHERIT IN ROLE audits_many;
CREATE ROLE audits_stranger;
SELECT format('GRANT CREATE ON DATABASE %I TO audits_owner', current_database()) \gexec
SET ROLE audits_owner;
CREATE SCHEMA ward;
CREATE TABLE ward.patients AS SELECT 'KEY-' || i AS id, 7000000 + i AS age, 'value ' || i % 6 AS disease FROM generate_series(1, 240) i;
ALTER TABLE ward.patients ADD PRIMARY KEY (id);
CREATE TABLE ward.updates AS SELECT DISTINCT a.disease AS from_value, b.disease AS to_value FROM ward.patients a, ward.patients b WHERE a.disease <> b.disease;

-- A publication of each method, another one that only imported, and one of answers about cohorts
CREATE FUNCTION ward.declare(name text, method text, params jsonb) RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication(name, 'ward.patients', 'id', '{"age": "range"}', 'disease', method, params, target => 'audited',
		beside => ARRAY(SELECT p.name FROM pprepub.publication p));
	SELECT pprepub.grant_audit(name, 'audits_many');
$$;
SELECT ward.declare('a_bpg', 'bpg', '{"k": 4, "l": 2}') \g /dev/null
SELECT ward.declare('a_sequential', 'sequential', '{"k": 2}') \g /dev/null
SELECT ward.declare('a_invariance', 'm-invariance', '{"m": 2}') \g /dev/null
SELECT ward.declare('a_cor', 'cor-split', '{"m": 2, "n": 2}') \g /dev/null
SELECT ward.declare('a_global', 'global', '{"l": 2, "strategy": "constant-ratio", "releases": 2}') \g /dev/null
SELECT ward.declare('a_distinct', 'm-distinct', '{"m": 2, "updates": "ward.updates"}') \g /dev/null
SELECT ward.declare('a_import', 'bpg', '{"k": 4}') \g /dev/null
SELECT pprepub.publish(name) FROM pprepub.publication WHERE name <> 'a_import' \g /dev/null
CREATE TABLE ward.made AS SELECT id, int4range(age / 10 * 10, age / 10 * 10 + 10) AS age, disease FROM ward.patients;
SELECT pprepub.import_release('a_import', 'ward.made', 'id') \g /dev/null
SELECT pprepub.publish('a_bpg', 'age < 7000009') \g /dev/null
DELETE FROM ward.patients WHERE right(id, 1) = '3';

-- All that an auditor may ask, as one text
CREATE FUNCTION ward.told(name text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	told text := '';
	row text;
	call text;
BEGIN
	FOREACH call IN ARRAY ARRAY['audit(%1$L)', 'audit(%1$L, ''{"k": 100}'')', 'attack(%1$L)', 'metrics(%1$L, 1)', 'linkability(%1$L, ''{1}'')', 'linkability(%1$L)',
		'historical_correlations(%1$L)', 'risks(%1$L, 1)', 'report(%1$L)'] LOOP
		BEGIN
			FOR row IN EXECUTE format('SELECT r::text FROM pprepub.' || call || ' r', name) LOOP
				told := told || call || row || E'\n';
			END LOOP;
		EXCEPTION WHEN OTHERS THEN
			told := told || call || sqlstate || sqlerrm || E'\n';
		END;
	END LOOP;
	RETURN told;
END $$;
RESET ROLE;
GRANT USAGE ON SCHEMA ward TO audits_many, audits_stranger;
SELECT publication AS name FROM pprepub.auditor ORDER BY 1 \g /dev/null

-- No key and no exact age of anybody comes out by any method; the sensitive value of nobody does beside one.
CREATE FUNCTION told_as(role name) RETURNS TABLE (name name, told text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('role', role, true);
	FOR name IN SELECT p.name FROM pprepub.publication p ORDER BY 1 LOOP
		told := ward.told(name);
		RETURN NEXT;
	END LOOP;
	PERFORM set_config('role', 'none', true);
END $$;
CREATE TEMP TABLE told AS SELECT * FROM told_as('audits_by_group');
SELECT is((SELECT count(*) FROM told), 7::bigint, 'members of an auditor are auditors, of all seven');
SELECT is(told ~ 'KEY-', false, name || ': no key comes out') FROM told;
SELECT is(told ~ '\y700[0-9]{4}\y', false, name || ': no value of a quasi-identifier') FROM told;
SELECT is((SELECT string_agg(line, E'\n') FROM regexp_split_to_table(told, E'\n') line WHERE line ~ 'XX000|internal error'), NULL, name || ': nothing breaks') FROM told;
-- The seed of sequential tells more of withheld cells.  Its owner sees it; auditors do not, nor does the page that leaves the house.
SELECT params ->> 'seed' AS seed FROM pprepub.publication WHERE name = 'a_sequential' \gset
SELECT ok(count(*) = 2 AND bool_and(params ->> 'seed' = :'seed'), 'the owner sees the seed')
	FROM (SELECT params FROM pprepub.publication WHERE name = 'a_sequential' UNION ALL SELECT params FROM pprepub.release WHERE publication = 'a_sequential') p;
SET ROLE audits_many;
SELECT ok(count(*) > 10 AND NOT bool_or(params ? 'seed'), 'an auditor does not') FROM (SELECT params FROM pprepub.publication UNION ALL SELECT params FROM pprepub.release) p;
SELECT ok(strpos(pprepub.report('a_sequential'), :'seed') = 0, 'nor on the page');
RESET ROLE;
SELECT ok(strpos(pprepub.report('a_sequential'), :'seed') = 0, 'also if the owner makes it');
SELECT ok(length(told) > 5000 AND told ~ 'What is not promised', name || ': something is told, though') FROM told;

-- How long a release took follows how many people it is about.
SET ROLE audits_many;
SELECT is((SELECT count(*) FROM pprepub.release WHERE phases IS NOT NULL OR warnings IS NOT NULL), 0::bigint, 'phases and warnings are not theirs');
SELECT ok((SELECT count(*) FROM pprepub.release) >= 7, 'releases are');
RESET ROLE;

-- A role that does not inherit audits once it is set, and not before.
SELECT is((SELECT count(*) FROM told_as('audits_when_set')), 0::bigint, 'a role that does not inherit sees no publication');
SET ROLE audits_when_set;
SELECT throws_ok($$ SELECT pprepub.audit('a_bpg') $$, '42501', NULL, 'nor may it audit');
RESET ROLE;
SET SESSION AUTHORIZATION audits_when_set;
SET ROLE audits_many;
SELECT lives_ok($$ SELECT pprepub.audit('a_bpg') $$, 'but with the role that it may set');
RESET SESSION AUTHORIZATION;

-- An auditor cannot make auditors, by whatever way a right is handed on.
SET ROLE audits_many;
SELECT throws_ok($$ GRANT SELECT ON audited_private.a_bpg_auditors TO audits_stranger $$, '42501', NULL, 'the right is not for auditors to grant');
SELECT throws_ok($$ SELECT pprepub.grant_audit('a_bpg', 'audits_stranger') $$, '42501', NULL, 'nor by the function');
SELECT throws_ok($$ ALTER VIEW audited_private.a_bpg_auditors OWNER TO audits_many $$, '42501', NULL, 'nor is the view theirs');
RESET ROLE;
SELECT is(has_table_privilege('audits_stranger', 'audited_private.a_bpg_auditors', 'SELECT'), false, 'a stranger has none');
SET ROLE audits_owner;
SELECT throws_ok($$ CREATE OR REPLACE VIEW audited_private.a_bpg_auditors AS SELECT 1 AS x $$, NULL, NULL, 'the view stays as it is');
SET ROLE audits_stranger;
SELECT throws_ok($$ SELECT pprepub.report('a_bpg') $$, '42501', NULL, 'and opens no page');
RESET ROLE;

-- An old snapshot: the audit is of it, or is refused; it is never half of this and half of that.
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) FROM pg_class \g /dev/null
SET LOCAL ROLE audits_many;
SELECT lives_ok($$ SELECT pprepub.audit('a_bpg'), pprepub.linkability('a_bpg', '{1}') $$, 'REPEATABLE READ: an audit');
SELECT ok(pprepub.report('a_bpg') ~ 'checks hold|Do not sign', 'REPEATABLE READ: a page');
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY;
SET LOCAL ROLE audits_many;
SELECT ok(pprepub.report('a_bpg') ~ 'checks hold|Do not sign', 'SERIALIZABLE READ ONLY: a page');
COMMIT;

-- Revoked is revoked, also for members.
SET ROLE audits_owner;
SELECT pprepub.revoke_audit('a_bpg', 'audits_many') \g /dev/null
RESET ROLE;
SELECT is((SELECT count(*) FROM told_as('audits_by_group')), 6::bigint, 'revoked from members, too');
SET ROLE audits_owner;
SELECT pprepub.drop_publication(name, true) FROM pprepub.publication \g /dev/null
RESET ROLE;
DROP OWNED BY audits_owner, audits_many, audits_by_group, audits_when_set, audits_stranger CASCADE;
DROP ROLE audits_owner, audits_many, audits_by_group, audits_when_set, audits_stranger;

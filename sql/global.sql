-- Method global: over all releases together, nobody was ever linked to a value with a chance of more than 1/l.
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
CREATE SCHEMA worlds;
SET search_path = worlds;

-- Ratios that strategies ask of classes: Table 1 of the paper, by its formula, and how geometric ones grow.
\set SHOW_CONTEXT never
SELECT l, t.releases, round(value::numeric, 2) AS ratio
FROM (VALUES (2, 2), (2, 5), (2, 20), (5, 20), (10, 20), (2, 10), (5, 10), (10, 10)) t (l, releases),
	pprepub.plan('global', to_jsonb(t) || '{"strategy": "constant-ratio"}') p WHERE p.releases = 1 AND figure = 'ratio';
SELECT releases, strategy, max(round(value::numeric, 4)) FILTER (WHERE figure = 'ratio') AS ratio, max(round(value::numeric, 4)) FILTER (WHERE figure = 'breach') AS breach
FROM unnest('{constant-ratio,geometric}'::text[]) strategy, pprepub.plan('global', jsonb_build_object('l', 2, 'releases', 4, 'strategy', strategy)) GROUP BY 1, 2 ORDER BY 2, 1;
SELECT count(*), max(releases), max(value) FROM pprepub.plan('global', '{"l": 2, "strategy": "geometric", "alpha": 3}');
SELECT * FROM pprepub.plan('global', '{"l": 1, "strategy": "geometric", "alpha": 1.5, "releases": 1}');
SELECT * FROM pprepub.plan('global', '{"l": 1, "strategy": "constant-ratio", "releases": 1}');
SELECT releases, value FROM pprepub.plan('global', '{"l": 1000, "strategy": "geometric", "alpha": 1.000001, "releases": 400}') WHERE figure = 'ratio' AND releases = 400;
SELECT round(value::numeric / 2147483646.5 / 1000000, 9) AS one FROM pprepub.plan('global', '{"l": 2147483647, "strategy": "constant-ratio", "releases": 1000000}') WHERE figure = 'ratio' LIMIT 1;
SELECT * FROM pprepub.plan('global', '{"strategy": "geometric"}');
SELECT * FROM pprepub.plan('global', '{"l": 0, "strategy": "geometric"}');
SELECT * FROM pprepub.plan('global', '{"l": 2, "strategy": "geometric", "releases": 1.5}');
SELECT * FROM pprepub.plan('global', '{"l": 2, "strategy": "geometric", "releases": 1000001}');
SELECT * FROM pprepub.plan('global', '{"l": 2, "strategy": "geometric", "alpha": 1}');
SELECT * FROM pprepub.plan('global', '{"l": 2, "strategy": "linear"}');
SELECT * FROM pprepub.plan('global', '{"l": 2, "k": 2, "strategy": "geometric"}');
\set SHOW_CONTEXT errors

-- The running example.
\set ECHO none
CREATE TABLE patients (id text PRIMARY KEY, sex text, zip text, disease text);
INSERT INTO patients VALUES ('o1', 'M', '65001', 'flu'), ('o2', 'M', '65002', 'chlamydia'), ('o3', 'F', '65014', 'flu'), ('o4', 'F', '65015', 'fever');

-- Parameters
CREATE FUNCTION declare_patients(params jsonb) RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication('patients', 'worlds.patients', 'id', '{"sex": "suppress", "zip": "prefix"}', 'disease', 'global', params,
		target => 'worlds_out')
$$;
\set ECHO all
SELECT declare_patients('{}');
SELECT declare_patients('{"l": 2}');
SELECT declare_patients('{"l": 2, "strategy": "constant-ratio"}');
SELECT declare_patients('{"l": 2, "strategy": "geometric"}');
SELECT declare_patients('{"l": 2, "strategy": "geometric", "alpha": 1}');
SELECT declare_patients('{"l": 2, "strategy": "geometric", "alpha": 0.5}');
SELECT declare_patients('{"l": 2, "strategy": "geometric", "alpha": 1.0000001}');
SELECT declare_patients('{"l": 0, "strategy": "geometric", "alpha": 2}');
SELECT declare_patients('{"l": 2.5, "strategy": "geometric", "alpha": 2}');
SELECT declare_patients('{"l": 2, "strategy": "constant-ratio", "releases": 0}');
SELECT declare_patients('{"l": 2, "strategy": "linear", "releases": 1}');
SELECT declare_patients('{"l": 2, "strategy": "constant-ratio", "releases": 1, "registry": "nowhere"}');
SELECT declare_patients('{"l": 2, "strategy": "constant-ratio", "releases": 1, "registry": 7}');
SELECT pprepub.create_publication('patients', 'patients', 'id', '{"sex": "suppress"}', 'disease', 'global',
	'{"l": 2, "strategy": "constant-ratio", "releases": 1}', insensitive => '{zip}', target => 'worlds_out');

-- Classes of 2 would do for one release, and no class would do for two.
SELECT declare_patients('{"l": 2, "strategy": "constant-ratio", "releases": 1}');
SELECT metric, value FROM pprepub.preview('patients') WHERE metric IN ('rows', 'classes', 'suppressed', 'avg');
CALL public.forget('patients');
SELECT declare_patients('{"l": 2, "strategy": "constant-ratio", "releases": 2}');
SELECT number FROM pprepub.publish('patients');
SELECT pprepub.publish('patients', cohort => 'sex = ''M''');
SELECT pprepub.publish('patients', columns => '{sex}');
\set VERBOSITY terse
SELECT * FROM worlds_out.patients();
\set VERBOSITY default

-- One of the flus is another disease: classes of 4, twice.
UPDATE patients SET disease = 'cough' WHERE id = 'o3';
SELECT number, rows, classes, suppressed FROM pprepub.publish('patients');
SELECT class, sex, zip, disease FROM worlds_out.patients_1 ORDER BY disease;
SELECT number, rows, classes, suppressed FROM pprepub.publish('patients');
SELECT * FROM pprepub.linked_values('patients') WHERE key = 'o2' ORDER BY sensitive \g (format=aligned t=off)
SELECT * FROM pprepub.breach_probability('patients') WHERE key = 'o2' ORDER BY sensitive \g (format=aligned t=off)
SELECT check_name, required, measured, holds FROM pprepub.audit('patients') ORDER BY check_name;

-- A third time a class must have 9: four people have no such company.
SELECT number FROM pprepub.publish('patients');
INSERT INTO patients VALUES ('o5', 'F', '65016', 'cold'), ('o6', 'F', '65017', 'gout'), ('o7', 'M', '65003', 'measles'), ('o8', 'M', '65004', 'mumps');
SELECT number, rows, classes, suppressed FROM pprepub.publish('patients');
\set VERBOSITY terse
SELECT disease FROM worlds_out.patients_3 ORDER BY 1;
DELETE FROM patients WHERE id >= 'o5';
INSERT INTO patients VALUES ('p5', 'F', '65016', 'cold'), ('p6', 'F', '65017', 'gout'), ('p7', 'M', '65003', 'measles'), ('p8', 'M', '65004', 'mumps'), ('p9', 'M', '65005', 'rubella');
SELECT number, rows, classes, suppressed FROM pprepub.publish('patients');
SELECT key, sizes, counts FROM pprepub.linked_values('patients') WHERE key = 'o2' AND sensitive = 'chlamydia';
SELECT sensitive, releases, probability FROM pprepub.breach_probability('patients') WHERE key = 'o2' AND sensitive IN ('chlamydia', 'gout') ORDER BY 1;
-- Nothing is left of the secret, but others may come.
SELECT number, rows, classes, suppressed FROM pprepub.publish('patients');
SELECT check_name, measured, holds FROM pprepub.audit('patients') WHERE check_name IN ('global', 'localised', 'min-max', 'paths') ORDER BY check_name;
SELECT * FROM pprepub.rebuild_history('patients');

-- Promises stay.
SELECT pprepub.alter_publication('patients', '{"l": 1}');
SELECT pprepub.alter_publication('patients', '{"strategy": "geometric"}');
SELECT pprepub.alter_publication('patients', '{"strategy": "geometric", "alpha": 1.5}') \g /dev/null
SELECT pprepub.alter_publication('patients', '{"l": 3}');
SELECT number, rows, classes, suppressed FROM pprepub.publish('patients');
\set VERBOSITY default
SELECT check_name, required, measured, holds FROM pprepub.audit('patients') WHERE check_name IN ('global', 'localised') ORDER BY check_name;

-- Some values are protected, the others leave as they are.
CREATE TABLE rare (disease text);
SELECT pprepub.alter_publication('patients', '{"transient": "worlds.rare"}');
SELECT pprepub.alter_publication('patients', '{"transient": "worlds.rare", "accept_weakening": true}');
INSERT INTO rare VALUES (NULL), ('chlamydia'), ('nobody has it');
CALL public.forget('patients');
SELECT declare_patients('{"l": 2, "strategy": "constant-ratio", "releases": 2, "transient": "rare"}');
SELECT number, rows, classes, suppressed FROM pprepub.publish('patients');
SELECT count(*) AS people, count(*) FILTER (WHERE disease = 'chlamydia') AS ill, bool_or(zip LIKE '%*') AS generalised
FROM worlds_out.patients_1 GROUP BY class ORDER BY 1 DESC, 2 DESC;
SELECT key, sensitive, releases, probability FROM pprepub.breach_probability('patients') ORDER BY 1;
SELECT DISTINCT sensitive FROM pprepub.linked_values('patients');
-- Values that were shown without protection stay shown, and the owner is told.
INSERT INTO rare VALUES ('gout');
SELECT pprepub.alter_publication('patients', '{}');
SELECT DISTINCT sensitive FROM pprepub.linked_values('patients') ORDER BY 1;
SELECT check_name, measured, holds FROM pprepub.audit('patients') WHERE check_name IN ('global', 'localised') ORDER BY check_name;
SELECT number, rows, suppressed FROM pprepub.publish('patients');
DELETE FROM rare WHERE disease IS NULL;
SELECT pprepub.alter_publication('patients', '{}') \g /dev/null
DELETE FROM rare WHERE disease = 'chlamydia';
SELECT pprepub.alter_publication('patients', '{"transient": "rare"}');
SELECT pprepub.alter_publication('patients', '{"transient": "rare", "accept_weakening": true}') \g /dev/null
CALL public.forget('patients');

-- People of a registry are counted in, where they lie in a class's region; they demand as much as everybody.
CREATE TABLE voters (id text, sex text, zip text, name text);
INSERT INTO voters VALUES (NULL, 'M', '65002', 'Nobody');
SELECT declare_patients('{"l": 2, "strategy": "constant-ratio", "releases": 2, "transient": "rare", "registry": "voters"}');
UPDATE voters SET id = 'v1';
INSERT INTO voters VALUES ('v1', 'M', '65002', 'Somebody');
SELECT declare_patients('{"l": 2, "strategy": "constant-ratio", "releases": 2, "transient": "rare", "registry": "voters"}');
UPDATE voters SET id = 'v2' WHERE name = 'Somebody';
INSERT INTO rare VALUES ('chlamydia');
INSERT INTO voters SELECT 'v' || i, 'M', '65002' FROM generate_series(3, 9) i;
INSERT INTO voters VALUES ('o2', 'F', '99999', 'who is in the source, as he is there'), ('v99', NULL, NULL, 'Unknown');
SELECT declare_patients('{"l": 2, "strategy": "constant-ratio", "releases": 2, "transient": "rare", "registry": "voters"}');
SELECT number, rows, classes, suppressed FROM pprepub.publish('patients');
SELECT zip, sex, disease FROM worlds_out.patients_1 WHERE disease = 'chlamydia';
SELECT count(*), count(*) FILTER (WHERE key LIKE 'v%') AS counted_in, bool_or(key = 'v99') AS unknown FROM pprepub.class_members('patients')
WHERE class = (SELECT class FROM worlds_out.patients_1 WHERE disease = 'chlamydia');
SELECT sensitive, sizes, counts, count(*) FROM pprepub.linked_values('patients') WHERE sensitive = 'chlamydia' GROUP BY 1, 2, 3;
SELECT holds, string_agg(check_name, ', ' ORDER BY check_name) FROM pprepub.audit('patients') GROUP BY 1;
-- Counted in twice, they are linked twice; as themselves, they demand what is left.
SELECT number, rows, suppressed FROM pprepub.publish('patients');
INSERT INTO patients SELECT id, sex, zip, 'chlamydia' FROM voters WHERE id IN (SELECT key FROM pprepub.class_members('patients') WHERE key LIKE 'v%' AND release = 2) ORDER BY id LIMIT 1;
SET client_min_messages = error;
SELECT number, rows + suppressed AS people FROM pprepub.publish('patients');
RESET client_min_messages;
SELECT max(probability) <= 0.5 AS holds FROM pprepub.breach_probability('patients');
SELECT holds, string_agg(check_name, ', ' ORDER BY check_name) FROM pprepub.audit('patients') GROUP BY 1;
SELECT * FROM pprepub.rebuild_history('patients');

-- Nobody else may look.
SET ROLE regress_other;
SELECT * FROM pprepub.breach_probability('patients');
SELECT count(*) FROM worlds_out_private.patients_registry;
\set VERBOSITY terse
SELECT count(*) FROM worlds_out_private.patients_members;
SET ROLE regress_owner;
DELETE FROM worlds_out_private.patients_registry;
DROP TABLE worlds_out_private.patients_transient;
CALL public.forget('patients');
SELECT to_regclass('worlds_out_private.patients_registry');

-- Two releases that were made elsewhere, each of which keeps the promise by itself: the owner hears what they tell together.
\set ECHO none
CREATE TABLE guests (name text PRIMARY KEY, zip text, sex text, disease text);
INSERT INTO guests VALUES ('Otto', '65001', 'M', 'flu'), ('Paul', '65002', 'M', 'chlamydia'), ('Rita', '65011', 'F', 'flu'), ('Sara', '65012', 'F', 'fever');
CREATE TABLE delicate (disease text);
INSERT INTO delicate VALUES ('chlamydia');
SELECT pprepub.create_publication('guests', 'guests', 'name', '{"zip": "prefix", "sex": "suppress"}', 'disease', 'global',
	'{"l": 2, "strategy": "constant-ratio", "releases": 2, "transient": "delicate"}', target => 'worlds_out') \g /dev/null
CREATE TABLE extract_1 AS SELECT name, left(zip, 4) || '*' AS zip, sex, disease FROM guests;
\set ECHO all
SELECT number FROM pprepub.import_release('guests', 'extract_1', key => 'name');
UPDATE guests SET disease = CASE name WHEN 'Otto' THEN 'chlamydia' ELSE 'flu' END WHERE sex = 'M';
CREATE TABLE extract_2 AS SELECT name, left(zip, 4) || '*' AS zip, sex, disease FROM guests;
SELECT number FROM pprepub.import_release('guests', 'extract_2', key => 'name');
SELECT key, releases, probability FROM pprepub.breach_probability('guests') ORDER BY key;
-- One that gives values away by itself, to others
UPDATE guests SET disease = 'chlamydia' WHERE sex = 'F';
CREATE TABLE extract_3 AS SELECT name, left(zip, 4) || '*' AS zip, sex, disease FROM guests WHERE sex = 'F';
SELECT number FROM pprepub.import_release('guests', 'extract_3', key => 'name', accept_changes => true);
-- One that adds nothing to what is known says nothing.
CREATE TABLE extract_4 AS SELECT name, left(zip, 4) || '*' AS zip, sex, 'flu' AS disease FROM guests WHERE sex = 'M';
SELECT number FROM pprepub.import_release('guests', 'extract_4', key => 'name', accept_changes => true);
-- Nor does one with none of the values; one without the column counts as if it showed them, and one without rows is refused.
CREATE TABLE extract_5 AS SELECT name, left(zip, 4) || '*' AS zip, sex, NULL::text AS disease FROM guests;
SELECT number FROM pprepub.import_release('guests', 'extract_5', key => 'name', accept_changes => true);
CREATE TABLE extract_6 AS SELECT name, zip, sex FROM extract_5;
SELECT number FROM pprepub.import_release('guests', 'extract_6', key => 'name');
SELECT key, releases, round(probability::numeric, 3) AS probability FROM pprepub.breach_probability('guests') ORDER BY key;
CREATE TABLE extract_7 AS SELECT * FROM extract_5 WHERE false;
SELECT number FROM pprepub.import_release('guests', 'extract_7', key => 'name', accept_changes => true);
SELECT check_name, measured, holds FROM pprepub.audit('guests') WHERE NOT holds ORDER BY 1;
-- Later releases do not link those people to it again.
INSERT INTO guests SELECT 'guest ' || i, '65021', 'F', CASE i WHEN 1 THEN 'chlamydia' ELSE 'flu' END FROM generate_series(1, 12) i;
SELECT number, rows, suppressed FROM pprepub.publish('guests');
SELECT key, releases, probability FROM pprepub.breach_probability('guests') WHERE key !~ '^guest' ORDER BY key;
CALL public.forget('guests');
-- Each release is judged by the l that it was published with: those who were linked before are told of, and fail nothing.
CREATE TABLE eight AS SELECT i AS id, i AS zip, CASE i % 2 WHEN 0 THEN 'x' ELSE 'y' END AS d FROM generate_series(1, 8) i;
ALTER TABLE eight ADD PRIMARY KEY (id);
SELECT pprepub.create_publication('eight', 'eight', 'id', '{"zip": "range"}', 'd', 'global', '{"l": 2, "strategy": "constant-ratio", "releases": 1}', target => 'worlds_out') \g /dev/null
SELECT count(*) FROM pprepub.publish('eight');
SELECT pprepub.alter_publication('eight', '{"l": 4}');
\set VERBOSITY default
SELECT check_name, required, measured, holds, failing_people FROM pprepub.audit('eight') WHERE check_name IN ('localised', 'global', 'min-max', 'before') ORDER BY 1;
SELECT pprepub.assert_safe('eight');
-- An import is judged by the l of its day; a release under a smaller one takes nothing from that.
CREATE TABLE pairs AS SELECT id, d, (id + 1) / 2 AS class FROM eight;
SELECT number FROM pprepub.import_release('eight', 'pairs', key => 'id');
SELECT check_name, required, measured, holds, failing_people FROM pprepub.audit('eight') WHERE check_name IN ('localised', 'global', 'min-max', 'before') ORDER BY 1;
SELECT pprepub.alter_publication('eight', '{"l": 1, "accept_weakening": true}') \g /dev/null
SELECT count(*) FROM pprepub.publish('eight');
SELECT check_name, required, measured, holds, failing_people FROM pprepub.audit('eight') WHERE check_name IN ('localised', 'global', 'min-max', 'before') ORDER BY 1;
SELECT pprepub.assert_safe('eight');
CALL public.clean();

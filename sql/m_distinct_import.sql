-- m-distinct goes on from releases that were made elsewhere; risk_after_updates() judges what they and other methods are worth.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
SET client_min_messages = warning;
CREATE TABLE patients (name text PRIMARY KEY, zip int, hours int, disease text);
INSERT INTO patients VALUES ('Ken', 14, 20, 'dyspepsia'), ('Julia', 16, 23, 'pneumonia'), ('Tom', 24, 32, 'pneumonia'),
	('Harry', 26, 35, 'gastritis'), ('Lily', 29, 17, 'glaucoma'), ('Ben', 31, 19, 'flu');
CREATE TABLE progress (from_value text, to_value text);
INSERT INTO progress VALUES ('dyspepsia', 'gastritis'), ('gastritis', 'dyspepsia'), ('pneumonia', 'flu'), ('flu', 'pneumonia'),
	('pneumonia', 'lung cancer'), ('glaucoma', 'cataract');
\set qis '{"zip": "range", "hours": "range"}'
CREATE PROCEDURE a_release_later() LANGUAGE sql AS $$
	UPDATE patients SET zip = 18, hours = 31, disease = 'lung cancer' WHERE name = 'Julia';
	UPDATE patients SET zip = 15, hours = 27 WHERE name = 'Tom';
	UPDATE patients SET zip = 23, hours = 32, disease = 'dyspepsia' WHERE name = 'Harry';
	UPDATE patients SET zip = 12 WHERE name = 'Lily';
	UPDATE patients SET zip = 26, hours = 35, disease = 'pneumonia' WHERE name = 'Ben';
$$;

-- Table III as it was published, and what follows: Table V has two counterfeits.
SELECT pprepub.create_publication('patients', 'patients', 'name', :'qis', 'disease', 'm-distinct', '{"m": 2, "updates": "progress"}') \g /dev/null
CREATE TABLE three AS SELECT * FROM (VALUES ('Ken', '[14,17)', '[20,24)', 'dyspepsia', 1), ('Julia', '[14,17)', '[20,24)', 'pneumonia', 1),
	('Tom', '[24,27)', '[32,36)', 'pneumonia', 2), ('Harry', '[24,27)', '[32,36)', 'gastritis', 2), ('Lily', '[29,32)', '[17,20)', 'glaucoma', 3),
	('Ben', '[29,32)', '[17,20)', 'flu', 3)) v(name, zip, hours, disease, class);
\set ECHO all
SELECT number, kind, rows, classes FROM pprepub.import_release('patients', 'three', key => 'name');
CALL a_release_later();
SELECT number, rows, classes, counterfeits FROM pprepub.publish('patients');
SELECT check_name, measured, holds FROM pprepub.audit('patients') WHERE check_name IN ('candidates', 'legal updates', 'm-unique', 're-publication risk') ORDER BY 1;
SELECT max(risk), min(candidates) FROM pprepub.risk_after_updates('patients');

-- Table IV instead, which is 2-diverse: the owner hears what it breaks (Examples 2 and 3, section I-A).
CALL forget('patients');
TRUNCATE patients;
INSERT INTO patients SELECT name, substr(zip, 2, 2)::int, substr(hours, 2, 2)::int, disease FROM three;
SELECT pprepub.create_publication('patients', 'patients', 'name', :'qis', 'disease', 'm-distinct', '{"m": 2, "updates": "progress"}') \g /dev/null
SELECT number FROM pprepub.import_release('patients', 'three', key => 'name');
CALL a_release_later();
CREATE TABLE four AS SELECT * FROM (VALUES ('Ken', '[12,15)', '[17,21)', 'dyspepsia', 1), ('Lily', '[12,15)', '[17,21)', 'glaucoma', 1),
	('Julia', '[15,19)', '[27,32)', 'lung cancer', 2), ('Tom', '[15,19)', '[27,32)', 'pneumonia', 2), ('Harry', '[23,27)', '[32,36)', 'dyspepsia', 3),
	('Ben', '[23,27)', '[32,36)', 'pneumonia', 3)) v(name, zip, hours, disease, class);
SELECT number FROM pprepub.import_release('patients', 'four', key => 'name');
SELECT candidates, risk, string_agg(key || ' ' || release, ', ' ORDER BY key, release) FROM pprepub.risk_after_updates('patients') GROUP BY 1, 2 ORDER BY 1, 2;
SELECT check_name, measured, holds FROM pprepub.audit('patients') WHERE NOT holds ORDER BY 1;
-- Candidates that are left stay; those who were given away stay given away.
SELECT number FROM pprepub.publish('patients');
SELECT candidates, string_agg(key || ' ' || release, ', ' ORDER BY key, release) FROM pprepub.risk_after_updates('patients')
WHERE candidates < 2 OR release = 3 GROUP BY 1 ORDER BY 1;

-- Releases that could not be followed are refused: without the column, with NULLs, with values of which nothing is declared.
CREATE TABLE silent AS SELECT name, zip, hours FROM patients;
SELECT pprepub.import_release('patients', 'silent', key => 'name');
CREATE TABLE unsure AS SELECT name, zip, hours, nullif(disease, 'pneumonia') AS disease FROM patients;
SELECT pprepub.import_release('patients', 'unsure', key => 'name', accept_changes => true);
CREATE TABLE unheard_of AS SELECT name, zip, hours, CASE name WHEN 'Tom' THEN 'measles' ELSE disease END AS disease FROM patients;
SELECT pprepub.import_release('patients', 'unheard_of', key => 'name', accept_changes => true);
-- Nobody can have had that in between; it was out nevertheless, and now Tom's row is wrong, or the table is.
BEGIN;
CREATE TABLE impossible AS SELECT name, zip, hours, CASE name WHEN 'Tom' THEN 'cataract' ELSE disease END AS disease FROM patients;
SELECT number FROM pprepub.import_release('patients', 'impossible', key => 'name', accept_changes => true);
SELECT count(*) FROM pprepub.risk_after_updates('patients');
SELECT pprepub.publish('patients');
ROLLBACK;
-- Whose rows they are nobody knows: nothing can be followed, and the owner has to say that this is known.
BEGIN;
CREATE TABLE anonymous AS SELECT zip, hours, disease FROM patients;
SELECT number FROM pprepub.import_release('patients', 'anonymous');
SAVEPOINT imported;
SELECT pprepub.publish('patients');
ROLLBACK TO imported;
SELECT pprepub.acknowledge_history('patients');
SELECT number FROM pprepub.publish('patients');
ROLLBACK;

-- Values that were published stay declared: observers go on asking what they have become.
DELETE FROM patients WHERE name = 'Lily';
DELETE FROM progress WHERE from_value = 'glaucoma';
SELECT pprepub.alter_publication('patients', '{}');
INSERT INTO progress VALUES ('glaucoma', 'glaucoma'), ('cataract', 'cataract');
SELECT pprepub.alter_publication('patients', '{}');
SELECT number FROM pprepub.publish('patients');

-- There and back again: only what two releases show has to be possible.
INSERT INTO patients VALUES ('Mia', 15, 22, 'pneumonia');
SELECT number FROM pprepub.publish('patients');
UPDATE patients SET disease = 'lung cancer' WHERE name = 'Mia';
UPDATE patients SET disease = 'pneumonia' WHERE name = 'Mia';
SELECT number FROM pprepub.publish('patients');
UPDATE patients SET disease = 'lung cancer' WHERE name = 'Mia';
SELECT number FROM pprepub.publish('patients');
UPDATE patients SET disease = 'pneumonia' WHERE name = 'Mia';
SELECT pprepub.publish('patients');
-- So it is for somebody else who was given her key.
UPDATE patients SET disease = 'dyspepsia' WHERE name = 'Mia';
SELECT pprepub.publish('patients');
DELETE FROM patients WHERE name = 'Mia';
CALL forget('patients');

-- Under strict, no two values of a first class may ever become the same.
SELECT pprepub.create_publication('strict', 'patients', 'name', :'qis', 'disease', 'm-distinct', '{"m": 2, "updates": "progress", "strict": true}') \g /dev/null
CREATE TABLE lungs AS SELECT name, '*'::text AS zip, '*'::text AS hours, disease FROM patients WHERE name IN ('Julia', 'Tom');
SELECT number FROM pprepub.import_release('strict', 'lungs', key => 'name');
SELECT check_name, required, measured, holds, worst, failing_people FROM pprepub.audit('strict') WHERE check_name = 'apart';
-- Newcomers stay away from them, for ever; and their classes stay as they are.
SELECT count(*) AS releases FROM (SELECT pprepub.publish('strict') FROM generate_series(1, 2)) twice;
SELECT release, count(*) FILTER (WHERE key IN ('Julia', 'Tom')) AS lungs, count(*) FILTER (WHERE key NOT IN ('Julia', 'Tom')) AS others
	FROM pprepub.class_members('strict') WHERE release > 1 GROUP BY release, class HAVING bool_or(key IN ('Julia', 'Tom')) ORDER BY release;
SELECT check_name, failing_people FROM pprepub.audit('strict') WHERE NOT holds;
\set ECHO none
CALL forget('strict');
-- Values that no release has shown yet connect others: 1 and 2 are not what the first import says they are (docs/explanation/m_distinct.md).
CREATE TABLE crossing (id int PRIMARY KEY, d text, zip int DEFAULT 1);
INSERT INTO crossing VALUES (1, '1'), (2, '2'), (3, '5'), (4, '3'), (5, '4'), (6, '6');
CREATE TABLE ways AS SELECT v[1] AS from_value, v[2] AS to_value FROM (VALUES ('{1,A}'::text[]), ('{1,C}'), ('{2,B}'), ('{2,D}'), ('{3,A}'), ('{3,D}'), ('{4,B}'), ('{4,C}'),
	('{5,E}'), ('{5,F}'), ('{6,E}'), ('{6,F}')) w(v);
SELECT pprepub.create_publication('strict', 'crossing', 'id', '{"zip": "range"}', 'd', 'm-distinct', '{"m": 3, "updates": "ways", "strict": true}') \g /dev/null
CREATE TABLE first_classes AS SELECT id, d, (id + 2) / 3 AS class FROM crossing;
\set ECHO all
SELECT number FROM pprepub.import_release('strict', 'first_classes', key => 'id');
SELECT check_name, measured, worst - 'class' AS worst FROM pprepub.audit('strict') WHERE NOT holds;
UPDATE crossing SET d = (ARRAY['A', 'B', 'F', 'D', 'C', 'E'])[id];
CREATE TABLE second_classes AS SELECT id, d, CASE WHEN id IN (1, 2, 6) THEN 1 ELSE 2 END AS class FROM crossing;
SELECT number FROM pprepub.import_release('strict', 'second_classes', key => 'id');
SELECT min(candidates) FROM pprepub.risk_after_updates('strict');
SELECT check_name, measured, worst - 'class' AS worst FROM pprepub.audit('strict') WHERE NOT holds;
SELECT pprepub.assert_safe('strict');
\set ECHO none
CALL forget('strict');
-- Classes of their own families each, which a third one mixes.
CREATE TABLE others (from_value text, to_value text);
INSERT INTO others SELECT v, v FROM unnest('{a,b,c}'::text[]) v;
TRUNCATE crossing;
INSERT INTO crossing VALUES (1, 'a'), (2, 'b'), (3, 'c');
SELECT pprepub.create_publication('strict', 'crossing', 'id', '{"zip": "range"}', 'd', 'm-distinct', '{"m": 2, "updates": "others", "strict": true}') \g /dev/null
CREATE TABLE a_and_b AS SELECT id, d FROM crossing WHERE id < 3;
CREATE TABLE a_and_c AS SELECT id, d FROM crossing WHERE id <> 2;
\set ECHO all
SELECT number FROM pprepub.import_release('strict', 'a_and_b', key => 'id');
SELECT count(*) FROM pprepub.audit('strict') WHERE NOT holds;
SELECT number FROM pprepub.import_release('strict', 'a_and_c', key => 'id');
SELECT check_name, measured, worst - 'class' AS worst FROM pprepub.audit('strict') WHERE NOT holds ORDER BY 1;
-- A release by weaker parameters hides nothing of that.
SELECT pprepub.alter_publication('strict', '{"m": 1, "strict": false, "accept_weakening": true}') \g /dev/null
SELECT number FROM pprepub.publish('strict');
SELECT check_name, measured, worst - 'class' AS worst FROM pprepub.audit('strict') WHERE NOT holds ORDER BY 1;
CALL forget('strict');

-- Imports are judged by the parameters of their day; so are classes too small for m, before and after it was raised and lowered.
INSERT INTO crossing SELECT i, chr(96 + i % 3 + 1) FROM generate_series(4, 12) i;
CREATE TABLE pairs AS SELECT id, d, CASE WHEN id <= 6 THEN (id + 1) / 2 ELSE (id - 1) / 3 + 10 END AS class FROM crossing ORDER BY id;
SELECT pprepub.create_publication('raised', 'crossing', 'id', '{"zip": "range"}', 'd', 'm-distinct', '{"m": 2, "updates": "others"}') \g /dev/null
CREATE TABLE first_pairs AS SELECT * FROM pairs WHERE id <= 6;
SELECT number FROM pprepub.import_release('raised', 'first_pairs', key => 'id');
SELECT count(*) FROM pprepub.audit('raised') WHERE NOT holds;
SELECT pprepub.alter_publication('raised', '{"m": 3}') \g /dev/null
SELECT count(*) FROM pprepub.audit('raised') WHERE NOT holds;
SELECT number FROM pprepub.import_release('raised', 'pairs', key => 'id');
SELECT check_name, required, measured, worst - 'class' AS worst FROM pprepub.audit('raised') WHERE NOT holds ORDER BY 1;
CALL forget('raised');
SELECT pprepub.create_publication('lowered', 'crossing', 'id', '{"zip": "range"}', 'd', 'm-distinct', '{"m": 3, "updates": "others"}') \g /dev/null
SELECT number FROM pprepub.import_release('lowered', 'pairs', key => 'id');
SELECT check_name, required, measured, worst - 'class' AS worst FROM pprepub.audit('lowered') WHERE NOT holds ORDER BY 1;
SELECT pprepub.alter_publication('lowered', '{"m": 1, "accept_weakening": true}') \g /dev/null
SELECT number FROM pprepub.publish('lowered');
SELECT check_name, required, measured, worst - 'class' AS worst FROM pprepub.audit('lowered') WHERE NOT holds ORDER BY 1;
CALL forget('lowered');
-- A class of too few values, and no others for it.
DELETE FROM others WHERE from_value = 'c';
DELETE FROM crossing WHERE d = 'c';
SELECT pprepub.create_publication('few', 'crossing', 'id', '{"zip": "range"}', 'd', 'm-distinct', '{"m": 3, "updates": "others"}');
CREATE TABLE two AS SELECT id, d FROM crossing WHERE id < 3;
SELECT number FROM pprepub.import_release('few', 'two', key => 'id');
SELECT number FROM pprepub.publish('few');
CALL forget('few');

-- Other methods: m-invariance keeps whom it shows safe; BPG looks at sets of people only; what a release withholds tells nothing.
SELECT pprepub.create_publication('unchanging', 'patients', 'name', :'qis', 'disease', 'm-invariance', '{"m": 2}') \g /dev/null
SELECT pprepub.create_publication('sets', 'patients', 'name', :'qis', 'disease', 'bpg', '{"k": 2, "l": 2}', beside => '{unchanging}') \g /dev/null
INSERT INTO progress VALUES ('dyspepsia', 'dyspepsia'), ('pneumonia', 'pneumonia'), ('lung cancer', 'lung cancer');
SELECT count(*) FROM (SELECT pprepub.publish('unchanging') FROM generate_series(1, 2)) twice;
SELECT max(risk) <= 0.5 AS as_promised FROM pprepub.risk_after_updates('unchanging', 'progress');
SELECT number FROM pprepub.publish('sets');
SELECT number FROM pprepub.publish('sets', columns => '{zip}');
SELECT release, count(*) > 0 AS is_told FROM pprepub.risk_after_updates('sets', 'progress') GROUP BY release;
-- A table that makes no sense.
CREATE TABLE odd AS SELECT from_value, to_value, 0.5 AS probability FROM progress;
UPDATE odd SET probability = -1 WHERE to_value = 'flu';
SELECT count(*) FROM pprepub.risk_after_updates('sets', 'odd');
CALL public.clean();

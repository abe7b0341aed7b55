-- audit() and attack() by any principle: releases that were made elsewhere, and parameters that change.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
SET client_min_messages = error;

-- ---- "l-Diversity": patients, a 4-anonymous table of them, and a diverse one ----

CREATE TABLE patients (id int PRIMARY KEY, zip text, age int, ill text);
INSERT INTO patients VALUES (1, '13053', 28, 'heart'), (2, '13068', 29, 'heart'), (3, '13068', 21, 'virus'), (4, '13053', 23, 'virus'),
	(5, '14853', 50, 'cancer'), (6, '14853', 55, 'heart'), (7, '14850', 47, 'virus'), (8, '14850', 49, 'virus'),
	(9, '13053', 31, 'cancer'), (10, '13053', 37, 'cancer'), (11, '13068', 36, 'cancer'), (12, '13068', 35, 'cancer');
CREATE VIEW four AS SELECT id, CASE WHEN zip < '14' THEN '130**' ELSE '1485*' END AS zip,
	CASE WHEN age < 30 THEN '[20,30)' WHEN age < 40 THEN '[30,40)' ELSE '[40,60)' END AS age, ill FROM patients;
CREATE VIEW diverse AS SELECT id, left(zip, 4) || '*' AS zip, CASE WHEN age < 40 THEN '[20,41)' ELSE '[40,60)' END AS age, ill FROM patients;
SELECT pprepub.create_publication('four', 'patients', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 4}') \g /dev/null
SELECT pprepub.create_publication('diverse', 'patients', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 4}', beside => '{four}') \g /dev/null
SELECT pprepub.create_publication('both', 'patients', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 4}', beside => '{four,diverse}') \g /dev/null
\set ECHO all
SELECT rows, classes FROM pprepub.import_release('four', 'four', 'id');
SELECT rows, classes FROM pprepub.import_release('diverse', 'diverse', 'id');

-- Classes of cancer alone, of two values twice, of three values.
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('four', '{"entropy": 2, "frequency": 2, "l": 3}');
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('four', '{"recursive": 2, "c": 1.5}');
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse', '{"k": 4, "l": 3, "entropy": 2.8, "frequency": 2}');
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse', '{"entropy": 2.9}');
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse', '{"recursive": 3, "c": 2}');
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse', '{"recursive": 3, "c": 2.1}');
-- Of all twelve, 5 have cancer, 3 a weak heart, 4 a virus: shares of 0.417, 0.25 and 0.333 are compared with 0.5, 0.25 and 0.25, or 0.25, 0.25 and 0.5.
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse', '{"t": 0.17, "beta": 0.5, "delta": 0.5, "distance": "equal"}');
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('four', '{"t": 0.17, "beta": 0.8, "delta": 0.5, "distance": "equal"}');
SELECT * FROM pprepub.attack('four', '{"frequency": 2}');
SELECT * FROM pprepub.attack('diverse', '{"frequency": 2}');

-- Each table by itself has two values or three in most classes; both together tell four pairs apart.
SELECT rows, classes FROM pprepub.import_release('both', 'diverse', 'id');
SELECT rows, classes FROM pprepub.import_release('both', 'four', 'id');
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('both', '{"k": 2, "frequency": 2}');
SELECT * FROM pprepub.attack('both', '{"k": 2, "frequency": 2}');
SELECT * FROM pprepub.attack('both', '{"k": 2, "frequency": 1.5}') WHERE holds;
-- Nothing of this was promised.
SELECT check_name, required, measured, holds FROM pprepub.audit('both') WHERE check_name IN ('k', 'l', 'atoms') OR check_name ~ 'revealed';

-- ---- Declared, and broken by an import ----

SELECT pprepub.create_publication('strict', 'patients', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 4, "frequency": 2, "recursive": 2, "c": 1.5}', beside => '{four,diverse,both}') \g /dev/null
RESET client_min_messages;
SELECT rows, classes FROM pprepub.import_release('strict', 'diverse', 'id');
SELECT rows, classes FROM pprepub.import_release('strict', 'four', 'id');
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('strict') WHERE check_name ~ 'k|atoms|frequency|recursive';
SELECT * FROM pprepub.attack('strict');
-- By another principle it may hold, and be told so.
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('strict', '{"k": 2}');

-- ---- Raised, and added: who could never be shown again? ----

\set ECHO none
CREATE FUNCTION try_alter(name text, params jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text; detail text; hint text;
BEGIN
	PERFORM pprepub.alter_publication(name, params);
	RETURN 'altered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', message, detail, hint);
END
$$;
CREATE TABLE pupils AS SELECT id, id % 7 AS age, 'd' || id % 5 AS ill FROM generate_series(1, 40) id;
SELECT pprepub.create_publication('new', 'pupils', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4}') \g /dev/null
\set ECHO all
-- A principle is given up, too, if that is meant; and a distance is declared with the t that it is of.
SELECT rows FROM pprepub.publish('new');
SELECT try_alter('new', '{"t": 0.5, "distance": "equal"}');
SELECT try_alter('new', '{"distance": "auto"}');
SELECT try_alter('new', '{"t": 0.6}');
SELECT try_alter('new', '{"t": null}');
SELECT try_alter('new', '{"t": null, "distance": null, "accept_weakening": true}');
SELECT try_alter('new', '{"recursive": 2, "c": 3}');
SELECT try_alter('new', '{"recursive": null, "accept_weakening": true}');
SELECT try_alter('new', '{"recursive": null, "c": null, "accept_weakening": true}');
SELECT params FROM pprepub.publication WHERE name = 'new';
CALL forget('new');
DROP TABLE pupils;

SELECT try_alter('diverse', '{"frequency": 2}');		-- all satisfy it
SELECT try_alter('diverse', '{"frequency": 2.1}');
SELECT try_alter('diverse', '{"entropy": 2.9}');
SELECT try_alter('diverse', '{"beta": 0.21, "delta": 0.5}');		-- the eight with cancer do
SELECT try_alter('four', '{"t": 0.4}');
SELECT try_alter('four', '{"t": 0.4, "accept_lockout": true}');
SELECT try_alter('four', '{"t": 0.6, "accept_weakening": true}');		-- weaker: nobody is asked about
SELECT try_alter('four', '{"t": 0.5}');
SELECT try_alter('four', '{"t": 0.59}');
-- The release that is out promised less.
SELECT check_name, holds FROM pprepub.audit('four') WHERE check_name ~ '^t$|revealed';

-- ---- Principles that are none ----

\set ECHO none
CREATE FUNCTION try_principle(principle jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text; message text; detail text; hint text;
BEGIN
	PERFORM pprepub.attack('both', principle);
	RETURN (SELECT string_agg(check_name || ' ' || measured, ', ') FROM pprepub.audit('both', principle));
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', state || ' ' || message, nullif(detail, ''), nullif(hint, ''));
END
$$;
\set ECHO all
SELECT x, try_principle(x::jsonb) FROM unnest(ARRAY[
	'{}', '[]', '3', '{"k": 1, "l": 1, "frequency": 1, "joint": true}', '{"m": 3}', '{"K": 3}', '{"repair": "dirty"}', '{"k": 0}',
	'{"k": 2.5}', '{"l": null}', '{"t": -1}', '{"t": 1.5}', '{"t": "NaN"}', '{"t": {"t": 0.1}}', '{"frequency": [2]}',
	'{"beta": 1e300}', '{"beta": 0.0000001}', '{"delta": 0}', '{"recursive": 2}', '{"recursive": 2, "c": -1}',
	'{"recursive": 2, "c": 0}', '{"c": 2}', '{"t": 0.1, "distance": "far"}', '{"t": 0.1, "distance": "ordered"}',
	'{"frequency": 2, "joint": "yes"}', '{"t": 0.1, "distribution": "patients"}']) x \g (recordsep='\n')
-- Edges of what is one.
SELECT x, try_principle(x::jsonb) FROM unnest(ARRAY[
	'{"t": 0, "distance": "equal"}', '{"beta": 0, "delta": 0.000001}', '{"k": 2147483647, "frequency": 1000000, "joint": true}']) x;
SELECT try_principle(NULL) LIKE '%checksums%' AS declared;

-- ---- NULLs, and releases that nothing is known of ----

SET client_min_messages = error;
CREATE TABLE visits (id int, ward text, ill text);
INSERT INTO visits VALUES (1, 'a', NULL), (2, 'a', NULL), (3, 'b', 'flu'), (4, 'b', NULL), (5, 'b', 'gout');
SELECT pprepub.create_publication('visits', 'visits', 'id', '{"ward": "suppress"}', 'ill', 'bpg', '{"k": 2}') \g /dev/null
SELECT count(*) FROM pprepub.audit('visits', '{"frequency": 2}');
CREATE VIEW unknown AS SELECT ward, ill FROM visits;
SELECT rows FROM pprepub.import_release('visits', 'unknown');
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('visits', '{"frequency": 2, "t": 0.1}');
SELECT * FROM pprepub.attack('visits', '{"frequency": 2}');
SELECT rows, classes FROM pprepub.import_release('visits', 'visits', 'id');
-- A NULL is no value: where nobody has any, nothing is as it should be, but k.
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('visits', '{"k": 2, "frequency": 2, "t": 0.1}');
SELECT * FROM pprepub.attack('visits', '{"k": 2, "frequency": 2}');

-- ---- "t-Closeness": nine salaries, a 3-diverse table of them, and a close one ----

\set ECHO none
CREATE TABLE staff (id int, zip text, salary int);
INSERT INTO staff VALUES (1, '47677', 3000), (2, '47602', 4000), (3, '47678', 5000), (4, '47905', 6000), (5, '47909', 11000), (6, '47906', 8000),
	(7, '47605', 7000), (8, '47673', 9000), (9, '47607', 10000);
CREATE VIEW staff_diverse AS SELECT id, CASE WHEN id < 4 THEN '47***' WHEN id < 7 THEN '4790*' ELSE '476**' END AS zip, salary FROM staff;
CREATE VIEW staff_close AS SELECT id, CASE WHEN id IN (1, 3, 8) THEN '4767*' WHEN id IN (2, 7, 9) THEN '4760*' ELSE '4790*' END AS zip, salary FROM staff;
SELECT pprepub.create_publication('diverse_staff', 'staff', 'id', '{"zip": "prefix"}', 'salary', 'bpg', '{"k": 3}') \g /dev/null
SELECT pprepub.create_publication('close_staff', 'staff', 'id', '{"zip": "prefix"}', 'salary', 'bpg', '{"k": 3}', beside => '{diverse_staff}') \g /dev/null
\set ECHO all
SELECT rows, classes FROM pprepub.import_release('diverse_staff', 'staff_diverse', 'id');
SELECT rows, classes FROM pprepub.import_release('close_staff', 'staff_close', 'id');
-- From 3, 4 and 5 thousand it is 0.375 to all of them, and no more than 0.167 from each class of the other table.
SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('diverse_staff', '{"t": 0.2}');
SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('close_staff', '{"t": 0.166667, "distance": "ordered"}');
SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('close_staff', '{"t": 0.6, "distance": "equal"}');
\set ECHO none
CALL forget('diverse_staff', 'close_staff');
DROP VIEW staff_diverse, staff_close;
DROP TABLE staff;

-- ---- Several columns: each by itself, and one beside a value of another ----

CREATE TABLE workers (id int, ward text, ill text, income int);
INSERT INTO workers VALUES (1, 'a', 'flu', 10), (2, 'a', 'flu', 10), (3, 'a', 'gout', 20), (4, 'a', 'gout', 20),
	(5, 'b', 'flu', 10), (6, 'b', 'gout', 10), (7, 'b', 'flu', 20), (8, 'b', 'gout', 30);
SELECT pprepub.create_publication('workers', 'workers', 'id', '{"ward": "suppress"}', '{ill, income}', 'bpg', '{"k": 4}') \g /dev/null
\set ECHO all
SELECT rows, classes FROM pprepub.import_release('workers', 'workers', 'id');
SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('workers', '{"l": 2, "frequency": 2}');
SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('workers', '{"frequency": 2.5}');
SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('workers', '{"l": 2, "frequency": 2, "joint": true}');
SELECT check_name, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('workers', '{"l": 3, "entropy": 2.5}');
SELECT * FROM pprepub.attack('workers', '{"l": 2}');
SELECT * FROM pprepub.attack('workers', '{"l": 2, "joint": true}');
CALL forget('workers');

-- Only the owner asks.
RESET client_min_messages;
SET ROLE regress_other;
SELECT check_name, required, measured, holds, worst - 'class' AS worst, failing_classes, failing_people FROM pprepub.audit('visits', '{"frequency": 2}');
SELECT * FROM pprepub.attack('visits', '{"frequency": 2}');
\set ECHO none
SET ROLE regress_owner;

-- ---- What a release was published with counts for it, and for all up to it, whatever comes later ----

SET client_min_messages = error;
CREATE TABLE eight AS SELECT i AS id, i AS age, 'v' || i % 2 AS ill FROM generate_series(1, 8) i;
ALTER TABLE eight ADD PRIMARY KEY (id);
CREATE VIEW halves AS SELECT id, ill, id / 5 AS class FROM eight;
CREATE VIEW others AS SELECT id, ill, id / 3 % 2 AS class FROM eight;	-- 1, 2, 6, 7, 8; 3, 4, 5
\set ECHO all
SELECT pprepub.create_publication('eight', 'eight', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 2}', beside => ARRAY(SELECT name FROM pprepub.publication));
SELECT number FROM pprepub.import_release('eight', 'halves', 'id');
-- More is asked of later releases only: each keeps k, and what both tell apart does not, by k of the second one.
SELECT pprepub.alter_publication('eight', '{"k": 3, "accept_lockout": true}') \g /dev/null
SELECT count(*) FROM pprepub.audit('eight') WHERE NOT holds;
SELECT number FROM pprepub.import_release('eight', 'others', 'id');
SELECT check_name, required, measured, worst, failing_people FROM pprepub.audit('eight') WHERE NOT holds;
-- A release under weaker ones takes nothing from that.
SELECT pprepub.alter_publication('eight', '{"k": 1, "accept_weakening": true}') \g /dev/null
SELECT number FROM pprepub.publish('eight');
SELECT check_name, required, measured, worst, failing_people FROM pprepub.audit('eight') WHERE NOT holds;
CALL forget('eight');
-- People who were shown in sets that are too small now, and are not shown any more, fail nothing.
SELECT pprepub.create_publication('eight', 'eight', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 2, "l": 2, "reserve": 1}', beside => ARRAY(SELECT name FROM pprepub.publication)) \g /dev/null
SELECT count(*) FROM pprepub.publish('eight');
DELETE FROM eight WHERE id > 4;
INSERT INTO eight SELECT i, i, 'v' || i % 3 FROM generate_series(9, 16) i;
SELECT pprepub.alter_publication('eight', '{"k": 4, "l": 3, "accept_lockout": true}') \g /dev/null
SELECT count(*) FROM pprepub.publish('eight');
SELECT check_name, required, holds FROM pprepub.audit('eight') WHERE check_name IN ('k', 'l', 'atoms') OR NOT holds;
CALL public.clean();

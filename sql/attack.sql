-- Attacks find what all releases reveal together.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
CREATE TABLE people (id int PRIMARY KEY, age int, sex text, ill text);
CREATE PROCEDURE begin_life(params jsonb) LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE people;
	INSERT INTO people SELECT i, (i * 7) % 60, substr('FM', i % 2 + 1, 1), 'd' || (i * i) % 7 FROM generate_series(1, 400) i;
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', 'bpg', params);
END $$;
-- People leave, come, come back, fall ill, and grow older.
CREATE PROCEDURE pass_time(n int) LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM people WHERE id % 23 = n;
	INSERT INTO people SELECT i, i % 60, 'F', 'd' || i % 7 FROM generate_series(n * 1000, n * 1000 + 30) i;
	INSERT INTO people SELECT 23 + n - 1, 5, 'M', 'd1' WHERE n > 1 ON CONFLICT DO NOTHING;
	UPDATE people SET ill = 'd' || (id + n) % 7 WHERE id % 11 = n;
	UPDATE people SET age = 59 - age WHERE id % 29 = n;
END $$;
CREATE PROCEDURE publish_often(first int, last int) LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN first .. last LOOP
		PERFORM pprepub.publish('people', columns => CASE n WHEN 3 THEN '{sex,ill}'::name[] WHEN 4 THEN '{age}' END);
		CALL pass_time(n);
	END LOOP;
END $$;
-- In short: rows of each kind, and the least of each.
CREATE VIEW attacked AS
	SELECT kind, count(*), min(records) AS records, min(sensitive_values) AS sensitive_values, bool_and(holds) AS holds
	FROM pprepub.attack('people') GROUP BY kind;

-- Nothing is published yet, so nothing is revealed.
CALL begin_life('{"k": 5, "l": 2, "reserve": 8}');
\set ECHO all
SELECT * FROM pprepub.attack('people');
-- One release: its classes are all there is.
SELECT number FROM pprepub.publish('people');
SELECT release, kind, other_release, records >= 5 AS k, sensitive_values >= 2 AS l, holds FROM pprepub.attack('people');
-- And who is in which is what class_members() says.
SELECT records = (SELECT min(n) FROM (SELECT count(*) n FROM pprepub.class_members('people') GROUP BY class) c) AS equal FROM pprepub.attack('people');
\set ECHO none
CALL forget('people');

-- A life under each repair, in which one release shows no ages, and one no illnesses.
SET client_min_messages = error;
CREATE PROCEDURE report(repair text) LANGUAGE plpgsql AS $$
DECLARE
	found record;
BEGIN
	CALL begin_life(jsonb_build_object('k', 5, 'l', 2, 'reserve', 4, 'repair', repair));
	CALL publish_often(1, 5);
	FOR found IN SELECT *, a.records >= 5 AND sensitive_values >= 2 AS safe FROM attacked a ORDER BY kind LOOP
		RAISE INFO '%: % % rows of kind %, %, %', repair, CASE found.kind WHEN 'difference' THEN 'up to' ELSE 'all' END,
			CASE found.kind WHEN 'difference' THEN greatest(found.count, 20) ELSE found.count END, found.kind,
			CASE WHEN found.safe THEN 'safe' ELSE 'not safe' END, CASE WHEN found.holds THEN 'as promised' ELSE 'not as promised' END;
	END LOOP;
	PERFORM pprepub.drop_publication('people', true);
END $$;
\set ECHO all
CALL report('dirty');
CALL report('counterfeit');
RESET client_min_messages;

-- A class of one release, which in the next stands beside one of newcomers: by hand.
TRUNCATE people;
INSERT INTO people SELECT i, i, 'F', 'd' || i % 4 FROM generate_series(1, 16) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', 'bpg', '{"k": 4, "l": 2, "reserve": 4}') \g /dev/null
SELECT number, rows, classes FROM pprepub.publish('people');
DELETE FROM people WHERE id > 12;
INSERT INTO people SELECT i, i, 'M', 'd' || i % 2 FROM generate_series(21, 26) i;
SELECT number, rows, classes FROM pprepub.publish('people');
SELECT number, rows, classes FROM pprepub.publish('people');
SELECT * FROM pprepub.attack('people') \g (format=aligned t=off)

-- Older releases are judged by what they promised.
SELECT pprepub.alter_publication('people', '{"k": 5, "l": 3, "accept_lockout": true}');
INSERT INTO people SELECT i, i, 'M', 'd' || i % 4 FROM generate_series(31, 36) i;
SELECT number, rows, classes FROM pprepub.publish('people');
SELECT * FROM pprepub.attack('people') WHERE release = 4 OR other_release = 4;
SELECT count(*), bool_and(holds) FROM pprepub.attack('people');

-- Failures stand first: had the newest two promised more, those before would stay as they are.
RESET ROLE;
BEGIN;
UPDATE pprepub_internal.catalog_release SET params = params || '{"k": 17}' WHERE publication = (SELECT max(publication) FROM pprepub_internal.catalog_publication) AND number IN (3, 4);
SELECT release, kind, other_release, records, holds FROM pprepub.attack('people') WHERE NOT holds OR release + other_release = 3;
ROLLBACK;
SET ROLE regress_owner;

-- audit() counts its atoms in its own way.
SELECT measured = format('k = %s, l = %s', records, sensitive_values) AS equal
FROM pprepub.attack('people'), pprepub.audit('people') WHERE kind = 'atom' AND check_name = 'atoms';

-- In any kind of transaction.
BEGIN READ ONLY;
SELECT count(*) FROM pprepub.attack('people');
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE;
SELECT count(*) FROM pprepub.attack('people');
ROLLBACK;
-- Releases of this transaction count.
BEGIN;
SELECT number FROM pprepub.publish('people');
SELECT count(*) FROM pprepub.attack('people');
ROLLBACK;
SELECT count(*) FROM pprepub.attack('people');

-- The owner's alone.
RESET ROLE;
SELECT count(*) FROM pprepub.attack('people');
SET ROLE regress_analyst;
SELECT pprepub.attack('people');
SET ROLE regress_owner;
SELECT pprepub.attack('none such');
SELECT pprepub.attack(NULL);
CALL forget('people');

-- A release that promised less singles nobody out.
TRUNCATE people;
INSERT INTO people SELECT i, 30, CASE WHEN i > 8 THEN 'M' ELSE 'F' END, 'd' || i % 4 FROM generate_series(1, 10) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', 'bpg', '{"k": 6, "reserve": 4}') \g /dev/null
SELECT number, rows, classes FROM pprepub.publish('people');
SELECT pprepub.alter_publication('people', '{"k": 2, "accept_weakening": true}') \g /dev/null
SELECT number, rows, classes, counterfeits FROM pprepub.publish('people', 'sex = ''F''');
SELECT * FROM pprepub.attack('people');
CALL forget('people');

-- NULL counts for no value, and l = 1 asks for none; values that look different may be equal.
CREATE TABLE odd AS SELECT i AS id, i AS age, CASE WHEN i % 2 = 0 THEN ('1.' || repeat('0', i))::numeric END AS ill FROM generate_series(1, 8) i;
SELECT pprepub.create_publication('odd', 'odd', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 8}') \g /dev/null
SELECT number, rows FROM pprepub.publish('odd');
SELECT * FROM pprepub.attack('odd');
UPDATE odd SET ill = NULL;
SELECT number, rows FROM pprepub.publish('odd');
SELECT * FROM pprepub.attack('odd');
CALL public.clean();

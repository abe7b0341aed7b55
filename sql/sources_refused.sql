-- Sources that cannot be published as they are: said when they are declared, not at the first release.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET client_min_messages = notice;
SET ROLE regress_owner;
CREATE TABLE ill (id numeric, age int, disease text, cost numeric);
CREATE FUNCTION declare(method text, params jsonb, source regclass DEFAULT 'ill', sensitive name DEFAULT 'disease') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.create_publication('ill', source, 'id', '{"age": "range"}', sensitive, method, params);
	CALL forget('ill');
	RETURN 'declared';
END $$;
\set ECHO all
\set VERBOSITY terse

-- One that is empty may be filled later.
SELECT declare('bpg', '{"k": 1000000, "l": 1000}');

-- Keys that are NULL or repeated, however they are written.
INSERT INTO ill SELECT i, i, 'd' || i % 5, ('1.' || repeat('0', i % 3))::numeric FROM generate_series(1, 20) i;
SELECT declare('bpg', '{"k": 2}');
INSERT INTO ill VALUES (NULL, 40, 'd1'), (NULL, 41, 'd2');
SELECT declare('bpg', '{"k": 2}');
DELETE FROM ill WHERE id IS NULL;
INSERT INTO ill VALUES (7.0, 40, 'd1'), (7, 41, 'd2'), (8.00, 42, 'd3');
\set VERBOSITY default
SELECT declare('bpg', '{"k": 2}');
\set VERBOSITY terse
CREATE VIEW once AS SELECT DISTINCT ON (id) * FROM ill;
SELECT declare('bpg', '{"k": 2}', 'once');
DROP VIEW once;
DELETE FROM ill WHERE age >= 40;
CREATE TABLE halves (id int, age int, disease text) PARTITION BY LIST (age);
CREATE TABLE half PARTITION OF halves FOR VALUES IN (1);
CREATE TABLE other_half PARTITION OF halves FOR VALUES IN (2);
INSERT INTO halves VALUES (1, 1, 'd1'), (1, 2, 'd2');
SELECT declare('bpg', '{"k": 1}', 'halves');
SELECT declare('bpg', '{"k": 1}', 'half');
DROP TABLE halves;
-- They can come later, too.
SELECT pprepub.create_publication('ill', 'ill', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2}') \g /dev/null
INSERT INTO ill VALUES (7, 40, 'd1');
SELECT pprepub.publish('ill');
CALL forget('ill');
DELETE FROM ill WHERE age = 40;

-- Fewer rows, or fewer different values, than a class needs.
\set VERBOSITY default
SELECT declare('bpg', '{"k": 21, "l": 6, "repair": "dirty"}');
\set VERBOSITY terse
SELECT declare('bpg', '{"k": 20, "l": 5, "repair": "dirty"}');
SELECT declare('bpg', '{"k": 21}');
SELECT declare('bpg', '{"k": 2, "l": 6, "repair": "counterfeit"}');
SELECT declare('sequential', '{"k": 5}');
SELECT declare('sequential', '{"k": 6}');
SELECT declare('sequential', '{"k": 5.1, "privacy": "diversity"}');
SELECT declare('m-invariance', '{"m": 5}');
SELECT declare('m-invariance', '{"m": 6}');
SELECT declare('cor-split', '{"m": 5, "n": 1}');
SELECT declare('cor-split', '{"m": 6, "n": 1}');
SELECT declare('global', '{"l": 5, "strategy": "constant-ratio", "releases": 1}');
SELECT declare('global', '{"l": 6, "strategy": "constant-ratio", "releases": 1}');
SELECT declare('global', '{"l": 3, "strategy": "constant-ratio", "releases": 2}');
SELECT declare('global', '{"l": 2, "strategy": "geometric", "alpha": 2.5}');
SELECT declare('global', '{"l": 2, "strategy": "geometric", "alpha": 2.6}');
SELECT declare('global', '{"l": 1, "strategy": "geometric", "alpha": 9}');

-- Values that are equal are one, and NULL is none; but for method global somebody without a value is as good as another one.
SELECT declare('bpg', '{"k": 2, "l": 2}', sensitive => 'cost');
UPDATE ill SET disease = NULL WHERE disease = 'd0';
SELECT declare('bpg', '{"k": 2, "l": 5}');
SELECT declare('sequential', '{"k": 5}');
SELECT declare('global', '{"l": 8, "strategy": "constant-ratio", "releases": 1}');
SELECT declare('global', '{"l": 9, "strategy": "constant-ratio", "releases": 1}');
UPDATE ill SET disease = NULL;
SELECT declare('bpg', '{"k": 2}');
SELECT declare('sequential', '{"k": 1}');
UPDATE ill SET disease = 'd' || id % 5;

-- Where other tables say what there may be, these do.
CREATE TABLE registry AS SELECT id, age FROM ill UNION ALL SELECT i, i FROM generate_series(21, 30) i;
CREATE TABLE shameful AS SELECT 'd1' AS disease;
CREATE TABLE updates AS SELECT 'd' || i AS from_value, 'd' || i % 7 AS to_value FROM generate_series(0, 6) i;
SELECT declare('global', '{"l": 6, "strategy": "constant-ratio", "releases": 1, "registry": "registry"}');
SELECT declare('global', '{"l": 6, "strategy": "constant-ratio", "releases": 1, "transient": "shameful"}');
SELECT declare('m-distinct', '{"m": 7, "updates": "updates"}');
SELECT declare('m-distinct', '{"m": 8, "updates": "updates"}');

-- More that is asked for later.
SELECT pprepub.create_publication('ill', 'ill', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2, "l": 2}') \g /dev/null
SELECT pprepub.alter_publication('ill', '{"l": 5}') \g /dev/null
SELECT pprepub.alter_publication('ill', '{"l": 6}');
SELECT pprepub.alter_publication('ill', '{"k": 3}') \g /dev/null
SELECT pprepub.alter_publication('ill', '{"reserve": 2}');
SELECT pprepub.alter_publication('ill', '{"k": 40, "l": 2}') \g /dev/null
SELECT pprepub.alter_publication('ill', '{"k": 20, "repair": "dirty"}');
SELECT rows FROM pprepub.publish('ill');
SELECT pprepub.alter_publication('ill', '{"l": 6, "accept_lockout": true}');
INSERT INTO ill VALUES (7, 40, 'd1');
SELECT pprepub.alter_publication('ill', '{"l": 7, "accept_lockout": true}');
\set ECHO none
DELETE FROM ill WHERE age = 40;
CALL forget('ill');

-- A source that cannot be read now may be readable later; whose code runs is its owner, and no more than that.
CREATE FUNCTION look(id numeric) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RAISE NOTICE 'looked at by %', current_user;
	SET ROLE regress_other;
	RETURN true;
END $$;
CREATE VIEW looked AS SELECT * FROM ill WHERE id > 19 AND look(id);
RESET ROLE;
\set ECHO all
\set VERBOSITY default
SELECT declare('bpg', '{"k": 1}', 'looked');
\set VERBOSITY terse
SET ROLE regress_owner;
CREATE TABLE notes (note text);
CREATE FUNCTION note(id numeric) RETURNS boolean LANGUAGE sql AS $$ INSERT INTO public.notes VALUES ('looked at'); SELECT true $$;
CREATE VIEW writing AS SELECT * FROM ill WHERE note(id);
SELECT declare('bpg', '{"k": 41}', 'writing');
SELECT count(*) AS notes FROM notes;
CREATE VIEW failing AS SELECT id, age, 'd' || age / (age - 3) AS disease FROM ill;
SELECT declare('bpg', '{"k": 1}', 'failing');
REVOKE SELECT ON ill FROM regress_owner;
SELECT declare('bpg', '{"k": 1}');
GRANT SELECT ON ill TO regress_owner;
CREATE MATERIALIZED VIEW unfilled AS SELECT * FROM ill WITH NO DATA;
SELECT declare('bpg', '{"k": 1}', 'unfilled');
CREATE VIEW slow AS SELECT i AS id, 1 AS age, pg_sleep(10)::text AS disease FROM generate_series(1, 100) i;
SET statement_timeout = '200ms';
SELECT declare('bpg', '{"k": 1}', 'slow');
\set ECHO none
RESET statement_timeout;

-- Tables that a crash empties, while what was published of them is remembered.
CREATE UNLOGGED TABLE gone (id int, age int, disease text);
CREATE VIEW behind AS SELECT * FROM (SELECT id, age, disease FROM gone UNION ALL SELECT id, age, disease FROM ill) v;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM behind;
CREATE TABLE parts (id int, age int, disease text) PARTITION BY LIST (age);
CREATE TABLE part PARTITION OF parts FOR VALUES IN (1);
CREATE UNLOGGED TABLE gone_part PARTITION OF parts FOR VALUES IN (2);
\set ECHO all
\set VERBOSITY default
SELECT declare('bpg', '{"k": 1}', 'gone');
SELECT declare('bpg', '{"k": 1}', 'behind');
SELECT declare('bpg', '{"k": 1}', 'kept');
SELECT declare('bpg', '{"k": 1}', 'parts');
SELECT declare('bpg', '{"k": 1}', 'part');
ALTER TABLE gone SET LOGGED;
SELECT declare('bpg', '{"k": 1}', 'behind');
CALL public.clean();

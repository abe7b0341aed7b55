-- A release that is rolled back was not published, however it came to that: its number is given again, with the history that
-- it had, and later releases are judged with what was committed.
\i test/lib/attacker.sql

DROP ROLE IF EXISTS regress_analyst;
CREATE ROLE regress_analyst;
CREATE TABLE one AS SELECT i AS id, (i * 7) % 60 AS age, 'd' || (i * i) % 7 AS ill FROM generate_series(1, 200) i;
CREATE TABLE two AS TABLE one;
SELECT pprepub.create_publication(source, source::regclass, 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2, "reserve": 3}')
	FROM unnest('{one,two}'::text[]) source \g /dev/null
GRANT USAGE ON SCHEMA published TO regress_analyst;

CREATE FUNCTION change(step int) RETURNS void LANGUAGE sql AS $$
	DELETE FROM one WHERE id % 17 = step;
	INSERT INTO one SELECT i, i % 60, 'd' || i % 7 FROM generate_series(step * 1000, step * 1000 + 20) i;
	UPDATE one SET ill = 'd' || (id + step) % 7 WHERE id % 11 = step;
	UPDATE one SET age = 59 - age WHERE id % 13 = step;
	DELETE FROM two WHERE id % 19 = step;
	INSERT INTO two SELECT i, i % 50, 'd' || i % 5 FROM generate_series(step * 1000, step * 1000 + 30) i;
$$;
-- All that is remembered and shown, without what each attempt has of its own
CREATE FUNCTION history() RETURNS text LANGUAGE sql AS $$
	SELECT concat((SELECT jsonb_agg(m ORDER BY p.name, m.release, m.key) FROM pprepub.publication p, pprepub.class_members(p.name) m),
		(SELECT jsonb_agg(s ORDER BY p.name, s.key, s.release) FROM pprepub.publication p, pprepub.class_members(p.name) s),
		(SELECT jsonb_agg(s ORDER BY p.name, s.key, s.sensitive) FROM pprepub.publication p, pprepub.linked_values(p.name) s),
		(SELECT jsonb_agg(r ORDER BY publication, number) FROM pprepub.release r),
		(SELECT jsonb_agg(relname ORDER BY relname) FROM pg_class WHERE relkind <> 't' AND relnamespace::regnamespace::text IN ('published', 'published_private')))
$$;
CREATE TABLE before (history text);

-- Commits a release of each, which must have these numbers and be allowed with all others.
CREATE FUNCTION goes_on(number_of_one int, number_of_two int, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT is(history(), (SELECT history FROM before), what || ': nothing remains');
	PERFORM attacker.remember('one'), attacker.remember('two');
	RETURN NEXT is((SELECT number FROM pprepub.publish('one')), number_of_one, what || ': the number is given again');
	RETURN NEXT is((SELECT number FROM pprepub.publish('two')), number_of_two, what || ': and that of another publication');
	RETURN NEXT is(ARRAY(SELECT attacker.faults('one', 4, 2)), '{}', what || ': the next release is allowed');
	RETURN NEXT is(ARRAY(SELECT attacker.faults('two', 4, 2)), '{}', what || ': so is that of the other');
	PERFORM change(number_of_one);
	TRUNCATE before;
	INSERT INTO before SELECT history();
END $$;

INSERT INTO before SELECT history();
SELECT goes_on(1, 1, 'at first');
GRANT SELECT ON published.one TO regress_analyst;

-- ROLLBACK, after others have read it: they saw what was not published.
BEGIN;
SELECT pprepub.publish('one') \g /dev/null
SET ROLE regress_analyst;
SELECT count(*) FROM published.one \g /dev/null
RESET ROLE;
ROLLBACK;
SELECT goes_on(2, 2, 'rolled back after it was read');

-- ROLLBACK TO SAVEPOINT, once and again, also into a release of the same transaction
BEGIN;
SAVEPOINT a;
SELECT pprepub.publish('one'), pprepub.publish('two') \g /dev/null
ROLLBACK TO a;
SELECT pprepub.publish('one') \g /dev/null
SAVEPOINT b;
SELECT change(50);
SELECT pprepub.publish('one') \g /dev/null
ROLLBACK TO b;
ROLLBACK TO a;
RELEASE a;
COMMIT;
SELECT goes_on(3, 3, 'rolled back to a savepoint');

-- A later error of the same transaction, and of the same statement
\set ON_ERROR_STOP off
\set VERBOSITY terse
BEGIN;
SELECT pprepub.publish('one'), pprepub.publish('two') \g /dev/null
DO $$ BEGIN RAISE division_by_zero; END $$;
COMMIT;
\set ON_ERROR_STOP on
SELECT goes_on(4, 4, 'an error followed');
DO $$ BEGIN PERFORM pprepub.publish('one'), pprepub.publish('two'), 1 / ((SELECT holds FROM pprepub.audit('one') WHERE check_name = 'checksums')::int - 1); EXCEPTION WHEN division_by_zero THEN END $$;
SELECT goes_on(5, 5, 'an error was caught');
DO $$ BEGIN PERFORM pprepub.publish('one'), pprepub.publish('none such'); EXCEPTION WHEN undefined_object THEN END $$;
SELECT goes_on(6, 6, 'the second publication failed');

-- Of two publications in a transaction, one rolled back.  Each goes on from what it has.
SELECT attacker.remember('one') \g /dev/null
BEGIN;
SELECT pprepub.publish('one') \g /dev/null
SAVEPOINT a;
SELECT pprepub.publish('two') \g /dev/null
ROLLBACK TO a;
COMMIT;
SELECT is(ARRAY(SELECT attacker.faults('one', 4, 2)), '{}', 'one of two was rolled back: the other is allowed');
UPDATE before SET history = history();
SELECT goes_on(8, 7, 'one of two was rolled back');

-- Two releases of one publication in a transaction: the first of them counts for the second.
BEGIN;
SELECT attacker.remember('one') \g /dev/null
SELECT is((SELECT number FROM pprepub.publish('one')), 9, 'a release');
SELECT change(70);
SELECT attacker.remember('one') \g /dev/null
SAVEPOINT a;
SELECT is((SELECT number FROM pprepub.publish('one')), 10, 'another, in one transaction');
ROLLBACK TO a;
SELECT is((SELECT number FROM pprepub.publish('one')), 10, 'and once more');
COMMIT;
SELECT is(ARRAY(SELECT attacker.faults('one', 4, 2)), '{}', 'two in a transaction are allowed together');

-- The attacker finds what there is.
UPDATE attacker.copy_one SET ill = 'another' WHERE id = (SELECT min(key::int) FROM pprepub.class_members('one') WHERE release = 10);
SELECT matches((SELECT string_agg(f, E'\n') FROM attacker.faults('one', 4, 2) f), 'release 10, class .* is shown', 'the attacker knows the values');
SELECT matches((SELECT string_agg(f, E'\n') FROM attacker.faults('two', 1000, 2) f), 'atom .* people', 'counts people');
SELECT matches((SELECT string_agg(f, E'\n') FROM attacker.faults('two', 4, 8) f), 'atom .* values in release', 'and their values');
DELETE FROM attacker.copy_two WHERE of_release = 2 AND id = (SELECT min(key::int) FROM pprepub.class_members('two') WHERE release = 2);
SELECT matches((SELECT string_agg(f, E'\n') FROM attacker.faults('two', 4, 2) f), 'release 2', 'knows who was there');

DROP OWNED BY regress_analyst;
DROP ROLE regress_analyst;

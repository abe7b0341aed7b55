-- Attacks on live tables: hostile values, names, operators and functions of whoever asks, views in between, rights, errors.

CREATE ROLE regress_owner;
CREATE ROLE regress_asker;
CREATE ROLE regress_stranger;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_owner, regress_asker', current_database()) \gexec
CREATE SCHEMA ward AUTHORIZATION regress_owner;
CREATE SCHEMA desk AUTHORIZATION regress_asker;
SET ROLE regress_owner;
CREATE TABLE ward.people (id int PRIMARY KEY, age int, zip text, disease text, "ill"" OR true --" text);
INSERT INTO ward.people SELECT i, 20 + i % 30, (53100 + i % 20)::text, 'd' || i % 5, 'x' || i % 2 FROM generate_series(1, 90) i;
SELECT pprepub.create_publication('people', 'ward.people', 'id', '{"age": "range", "zip": "prefix", "ill\" OR true --": "suppress"}', 'disease', 'bpg',
	'{"k": 5, "l": 2, "repair": "dirty", "reserve": 1, "max_answers_per_statement": 10}') \g /dev/null
SELECT FROM pprepub.publish('people') \g /dev/null
GRANT USAGE ON SCHEMA published TO regress_asker, regress_stranger;
GRANT SELECT ON published.people_now, published.people_answers, published.people_values TO regress_asker;
RESET ROLE;

\i test/lib/meter.sql
CREATE FUNCTION meter.cohort() RETURNS text LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS
	'SELECT coalesce(cohort, ''everybody'') FROM pprepub_internal.catalog_release ORDER BY number DESC LIMIT 1';

-- ---- Values and names ----

SET ROLE regress_asker;
SELECT is((SELECT count(*) FROM published.people_now WHERE zip = word), 0::bigint, 'a value is a value: ' || word)
	FROM unnest(ARRAY[''' OR true OR zip = ''', 'x'') OR (true', E'\\'' OR true --', '/* */ --', E'a\nb', '$$ OR true $$', repeat('''', 100)]) word;
SELECT is(meter.answers() > 0, true, 'they were asked');
CREATE FUNCTION desk.asks(value text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
	EXECUTE format('SELECT count(*) FROM published.people_now WHERE zip = %L', value);
	RETURN meter.cohort();
END $$;
SELECT is(desk.asks(word), format('(zip = %s)', ltrim(quote_literal(word))), 'asked as it is: ' || word)
	FROM unnest(ARRAY[''' OR true OR zip = ''', 'x'') OR (true', E'\\'' OR true --', '/* */ --', E'a\nb', '$$ OR true $$']) word;
SELECT is((SELECT count(*) FROM published.people_now WHERE "ill"" OR true --" = 'x1' AND age > 30) <= 40, true, 'a name is a name');
SELECT is(meter.cohort(), $$("ill"" OR true --" = 'x1') AND (age > 30)$$, 'in a cohort, too');

-- ---- Code of the asker's ----

CREATE TABLE desk.leaked (age int, zip text, disease text);
CREATE FUNCTION desk.leak(age int, zip text, disease text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN
	INSERT INTO desk.leaked VALUES (age, zip, disease);
	RETURN false;
END $$;
SELECT throws_ok($$ CREATE FUNCTION desk.leak_more(int, int) RETURNS boolean LANGUAGE sql LEAKPROOF AS 'SELECT true' $$, '42501', NULL, 'nobody calls a function leakproof that is not');
CREATE FUNCTION desk.leak_more(int, int) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS $$ BEGIN
	INSERT INTO desk.leaked (age) VALUES ($1);
	RETURN $1 OPERATOR(pg_catalog.>) $2;
END $$;
CREATE OPERATOR desk.> (FUNCTION = desk.leak_more, LEFTARG = int, RIGHTARG = int, RESTRICT = scalargtsel);
SELECT meter.answers() \g /dev/null
SELECT is((SELECT count(*) FROM published.people_now p WHERE desk.leak(p.age, p.zip, p.disease)), 0::bigint, 'a leaky condition');
SELECT is(meter.cohort(), 'everybody', 'is not asked');
SELECT is((SELECT count(*) FROM (SELECT age, zip, disease FROM desk.leaked EXCEPT ALL SELECT age, zip, disease FROM published.people_values) d), 0::bigint, 'it sees what leaves');
TRUNCATE desk.leaked;
SELECT is((SELECT count(*) FROM published.people_now p WHERE p.age OPERATOR(desk.>) 100), 0::bigint, 'a planted operator');
SELECT is(meter.cohort(), 'everybody', 'is not asked either');
SELECT is((SELECT count(*) FROM (SELECT age FROM desk.leaked EXCEPT ALL SELECT age FROM published.people_values) d), 0::bigint, 'it sees what leaves, too');
SELECT is((SELECT count(*) FROM desk.leaked), 90::bigint, 'of everybody');
SELECT is(meter.answers(), 2::bigint, 'both counted');
-- functions of its own under the names that values are computed with
CREATE FUNCTION desk.midpoint(anyrange) RETURNS anyelement LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$;
CREATE FUNCTION desk.jsonb_build_object(VARIADIC pg_catalog.text[]) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$;
CREATE FUNCTION desk.equal(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$;
CREATE OPERATOR desk.= (FUNCTION = desk.equal, LEFTARG = text, RIGHTARG = text);
CREATE DOMAIN desk.text AS pg_catalog.int4;
SET search_path = desk, pg_catalog;
CREATE TEMP TABLE seen AS SELECT age, zip, cells FROM published.people_now;
RESET search_path;
SELECT is((SELECT count(*) FROM (SELECT age, zip, cells FROM seen EXCEPT ALL SELECT age, zip, cells FROM published.people_values) d), 0::bigint, 'nothing planted is met');
-- a value that is computed once, before anybody is asked, by whatever it likes
CREATE FUNCTION desk.bound() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN 30; END $$;
CREATE FUNCTION desk.no_bound() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN RAISE 'no bound'; END $$;
SELECT meter.answers() \g /dev/null
SELECT is((SELECT count(*) > 0 FROM published.people_now WHERE age > desk.bound()), true, 'a bound that is computed');
SELECT is(meter.cohort(), '(age > 30)', 'is asked with its value');
SELECT throws_ok('SELECT count(*) FROM published.people_now WHERE age > desk.no_bound()', 'P0001', 'no bound', 'one that fails');
SELECT is(meter.answers(), 1::bigint, 'asks nothing');
SELECT throws_like('SELECT zip::int FROM published.people_now', 'invalid input syntax for type integer: "53%*"', 'a cast that fails tells a value that leaves');
SELECT is(meter.answers(), 1::bigint, 'and counts');

-- ---- Any query ----

SELECT is((SELECT count(*) FROM (SELECT age, zip, count(*) FROM published.people_now GROUP BY GROUPING SETS ((age), (zip), ())) g WHERE age IS NULL AND zip IS NULL) >= 1, true, 'GROUPING SETS');
SELECT is((SELECT max(n) FROM (SELECT count(*) OVER () AS n FROM published.people_now) w), 90::bigint, 'window');
SELECT ok(33 IN (SELECT age FROM published.people_now WHERE age = 33) IS NOT NULL, 'IN');
SELECT is((SELECT count(*) FROM (SELECT disease FROM published.people_now EXCEPT SELECT disease FROM published.people_values) s), 0::bigint, 'set operations');
SELECT is(meter.answers(), 4::bigint, 'each is an answer');
SELECT throws_ok('SELECT * FROM published.people_now TABLESAMPLE SYSTEM (10)', '0A000', NULL, 'TABLESAMPLE');
SELECT is(meter.answers(), 0::bigint, 'which is none');
BEGIN;
SELECT count(*) FROM published.people_now \g /dev/null
ROLLBACK;
SELECT is(meter.answers(), 1::bigint, 'seen and rolled back');
CREATE FUNCTION desk.catches() RETURNS text LANGUAGE plpgsql AS $$ BEGIN
	PERFORM count(*) FROM published.people_now;
	RAISE 'after all';
EXCEPTION WHEN OTHERS THEN
	RETURN 'caught';
END $$;
SELECT is(desk.catches(), 'caught', 'seen in a subtransaction that is rolled back');
SELECT is(meter.answers(), 1::bigint, 'counts as well');

-- A view narrows what others ask, and cannot be widened.
CREATE VIEW desk.old AS SELECT age, zip, disease FROM published.people_now WHERE age >= 40;
CREATE VIEW desk.old_barred WITH (security_barrier) AS SELECT age, zip, disease FROM published.people_now WHERE age >= 40;
CREATE VIEW desk.old_as_who_asks WITH (security_invoker) AS SELECT age, zip, disease FROM published.people_now WHERE age >= 40;
CREATE FUNCTION desk.count_of_old() RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS 'SELECT count(*) FROM published.people_now WHERE age >= 40';
GRANT USAGE ON SCHEMA desk TO regress_stranger;
GRANT SELECT ON desk.old, desk.old_barred, desk.old_as_who_asks TO regress_stranger;
SET ROLE regress_stranger;
SELECT is((SELECT count(*) > 0 FROM desk.old WHERE age < 45 OR age >= 45), true, 'a view');
SELECT is(meter.cohort(), '(age >= 40) AND ((age < 45) OR (age >= 45))', 'narrows');
SELECT is((SELECT count(*) > 0 FROM desk.old_barred WHERE zip IS NOT NULL OR pg_sleep(0) IS NULL), true, 'a barrier');
SELECT is(meter.cohort(), '(age >= 40)', 'likewise');
SELECT throws_ok('SELECT count(*) FROM desk.old_as_who_asks', '42501', NULL, 'a view as who asks is no way in');
SELECT is(desk.count_of_old() > 0, true, 'a function of one who may');
SELECT throws_ok('SELECT count(*) FROM published.people_now', '42501', NULL, 'the table itself is not for strangers');
SELECT throws_ok('EXPLAIN SELECT count(*) FROM published.people_now', '42501', NULL, 'nor its plans');
SELECT throws_ok('SELECT * FROM published.people_answers', '42501', NULL, 'nor what there is to know');
SELECT throws_ok($$ SELECT * FROM pprepub.answers('published.people_now') $$, '42501', NULL, 'by the function behind it neither');
SELECT throws_ok($$ SELECT * FROM pprepub.answers('pg_class') $$, '42809', NULL, 'which tells of live tables alone');
SELECT throws_ok('SELECT * FROM published.people_releases', '42501', NULL, 'releases are for those who were granted the list');
RESET ROLE;

-- Somebody else's table on our server is nobody's live table, also one with the columns and the name of one.
SET ROLE regress_asker;
CREATE FOREIGN TABLE desk.people_now (age int, zip text, disease text, ill text, class bigint, cells jsonb) SERVER pprepub;
SELECT throws_ok('SELECT * FROM desk.people_now', 'HV00R', NULL, 'a table of the asker''s');
SELECT throws_ok('EXPLAIN SELECT * FROM desk.people_now', 'HV00R', NULL, 'is not planned either');
SELECT throws_ok('ALTER SERVER pprepub OWNER TO regress_asker', '42501', NULL, 'the server is not theirs');
SELECT throws_ok('ALTER FOREIGN TABLE published.people_now OWNER TO regress_asker', '42501', NULL, 'nor is the live table');
RESET ROLE;

-- A table that has the name of a live table, of a publication that has none, is left alone.
SET ROLE regress_owner;
CREATE TABLE ward.others (LIKE ward.people INCLUDING ALL);
SELECT pprepub.create_publication('still', 'ward.others', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'sequential', '{"k": 5}') \g /dev/null
GRANT CREATE ON SCHEMA published TO regress_asker;
SET ROLE regress_asker;
CREATE TABLE published.still_now (age int);
COMMENT ON TABLE published.still_now IS 'mine';
SET ROLE regress_owner;
SELECT pprepub.alter_publication('still', '{"k": 6}') \g /dev/null
SELECT is(obj_description('published.still_now'::regclass), 'mine', 'somebody else''s comment stays');
RESET ROLE;

SELECT is_empty($$ SELECT check_name FROM pprepub.audit('people') WHERE NOT holds $$, 'all that was answered is remembered, and safe');
SELECT is_empty($$ SELECT * FROM pprepub.attack('people') WHERE NOT holds $$, 'together');
DROP SCHEMA desk CASCADE;
SELECT pprepub.drop_publication(name, true) FROM pprepub.publication \g /dev/null
DROP OWNED BY regress_owner, regress_asker, regress_stranger CASCADE;
DROP ROLE regress_owner, regress_asker, regress_stranger;

-- Method global over random lives: in all that is out, nobody was ever linked to a protected value with a chance of more than 1/l.
-- Chances are counted here from the log, in whole numbers, and by none of the extension's own code.
\set QUIET on
SET client_min_messages = error;
BEGIN;
SELECT no_plan();
SELECT setseed(0.25) \g /dev/null

CREATE TABLE people (id int PRIMARY KEY, age int, zip text, ill text);
CREATE TABLE delicate AS SELECT 'd' || i AS ill FROM generate_series(4, 9) i;
CREATE TABLE register AS SELECT i AS id, i % 50 AS age, (100 + i % 7)::text AS zip FROM generate_series(1, 900, 3) i;
CREATE AGGREGATE product(numeric) (sfunc = numeric_mul, stype = numeric, initcond = '1');

CREATE FUNCTION value() RETURNS text LANGUAGE sql VOLATILE AS
	$$ SELECT CASE WHEN random() > 0.08 THEN 'd' || (1 + floor(15 * power(random(), 1.5)))::int END $$;

-- Some leave, others come, some come back, and many fall ill otherwise.
CREATE FUNCTION live() RETURNS void LANGUAGE sql AS $$
	DELETE FROM people WHERE random() < 0.3;
	INSERT INTO people SELECT i, i % 50, (100 + i % 7)::text, value() FROM generate_series(1, 700) i WHERE random() < 0.25 ON CONFLICT DO NOTHING;
	UPDATE people SET ill = value() WHERE random() < 0.4;
	UPDATE people SET age = age + 1 WHERE random() < 0.1;
$$;

-- The classes that linked each person to each value, from the log; people who were counted in stand there without a value.
CREATE FUNCTION links(protected text[]) RETURNS TABLE (key text, sensitive text, sizes int[], counts int[]) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY WITH log AS MATERIALIZED (SELECT release, class, unnest(m.keys)::text AS key, unnest(m.sensitive)::text AS sensitive FROM published_private.people_members m),
		size AS (SELECT release, class, count(*)::int AS n FROM log GROUP BY 1, 2),
		shown AS (SELECT release, class, log.sensitive, count(*)::int AS n FROM log
			WHERE log.sensitive IS NOT NULL AND (protected IS NULL OR log.sensitive = ANY (protected)) GROUP BY 1, 2, 3)
	SELECT log.key, shown.sensitive, array_agg(size.n ORDER BY release), array_agg(shown.n ORDER BY release)
	FROM log JOIN shown USING (release, class) JOIN size USING (release, class) GROUP BY 1, 2;
END $$;

-- Who is linked too well: l times what is kept of n1 n2 … is less than l - 1 times all of it.
CREATE FUNCTION breached(l int, protected text[]) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT key || ': ' || sensitive FROM links(protected), LATERAL (SELECT product(size - count) AS kept, product(size) AS whole FROM unnest(sizes, counts) u (size, count)) p
	WHERE l * kept < (l - 1) * whole
$$;

CREATE FUNCTION check_all(l int, protected text[], what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT is_empty(format('SELECT breached(%s, %L)', l, protected), what || ': nobody is linked too well');
	RETURN NEXT isnt_empty(format('SELECT FROM links(%L)', protected), what || ': somebody is linked');
	RETURN NEXT bag_eq($q$ SELECT key, sensitive, sizes, counts FROM pprepub.linked_values('people') $q$,
		format('SELECT * FROM links(%L)', protected), what || ': linked_values() are those of the values that are protected');
	RETURN NEXT is_empty(format($q$ SELECT key, sensitive FROM links(%L) FULL JOIN pprepub.breach_probability('people') b USING (key, sensitive),
			LATERAL (SELECT 1 - product((size - count)::numeric / size) AS told FROM unnest(sizes, counts) u (size, count)) p
		WHERE abs(b.probability - told) < 1e-9 IS NOT TRUE OR b.releases <> cardinality(sizes) $q$, protected), what || ': breach_probability() tells that');
	RETURN NEXT is_empty($q$ SELECT check_name, measured FROM pprepub.audit('people') WHERE NOT holds $q$, what || ': audit() finds nothing');
	RETURN NEXT is_empty($q$ SELECT fold FROM pprepub.rebuild_history('people') WHERE NOT equal $q$, what || ': what is kept is what the log tells');
	RETURN NEXT is_empty(format($q$ SELECT m.key FROM pprepub.class_members('people') m JOIN register ON register.id::text = m.key
		WHERE release = (SELECT max(number) FROM pprepub.release WHERE publication = 'people') GROUP BY 1 HAVING count(*) > 1 $q$), what || ': nobody is in two classes');
END $$;

CREATE FUNCTION declare_people(params jsonb) RETURNS void LANGUAGE sql AS
	$$ SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'global', params) $$;

CREATE FUNCTION check_lives(l int, params jsonb, releases int) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	protected text[] := CASE WHEN params ? 'transient' THEN (SELECT array_agg(ill) FROM delicate) END;
BEGIN
	TRUNCATE people;
	PERFORM declare_people(params || jsonb_build_object('l', l));
	FOR n IN 1 .. releases LOOP
		PERFORM live();
		BEGIN
			PERFORM pprepub.publish('people');
		EXCEPTION WHEN no_data_found THEN
			NULL;				-- nothing that may be published any more is no breach
		END;
		RETURN NEXT is_empty(format('SELECT breached(%s, %L)', l, protected), format('%s, release %s', params, n));
	END LOOP;
	RETURN QUERY SELECT check_all(l, protected, params::text);
	PERFORM pprepub.drop_publication('people', true);
END $$;

SELECT check_lives(2, '{"strategy": "constant-ratio", "releases": 4}', 7);
SELECT check_lives(2, '{"strategy": "constant-ratio", "releases": 3, "transient": "delicate", "registry": "register"}', 7);
SELECT check_lives(3, '{"strategy": "constant-ratio", "releases": 2, "registry": "register"}', 5);
SELECT check_lives(2, '{"strategy": "geometric", "alpha": 2}', 6);
SELECT check_lives(3, '{"strategy": "geometric", "alpha": 1.5, "transient": "delicate"}', 7);
SELECT check_lives(2, '{"strategy": "geometric", "alpha": 3, "transient": "delicate", "registry": "register"}', 6);
SELECT check_lives(5, '{"strategy": "constant-ratio", "releases": 2, "transient": "delicate"}', 5);

-- Values that go back and forth are linked each time they are shown.
TRUNCATE people;
INSERT INTO people SELECT i, i % 50, (100 + i % 7)::text, 'd' || i % 15 FROM generate_series(1, 600) i;
SELECT declare_people('{"l": 2, "strategy": "constant-ratio", "releases": 4}') \g /dev/null
SELECT pprepub.publish('people') FROM generate_series(1, 2) \g /dev/null
UPDATE people SET ill = 'd' || (id + 7) % 15;
SELECT pprepub.publish('people') \g /dev/null
UPDATE people SET ill = 'd' || id % 15;
SELECT pprepub.publish('people') \g /dev/null
UPDATE people SET ill = 'd' || (id + 7) % 15;
SELECT pprepub.publish('people') \g /dev/null
SELECT check_all(2, NULL, 'back and forth');

-- What is rolled back was never seen: as often as it is tried, the next release is as it would have been.
SELECT count(*) AS before FROM links(NULL) \gset
DO $$
BEGIN
	FOR i IN 1 .. 10 LOOP
		BEGIN
			PERFORM pprepub.publish('people');
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero OR no_data_found THEN
			NULL;				-- as it is drawn, there may be nothing that may be published
		END;
	END LOOP;
END $$;
SELECT is((SELECT count(*) FROM links(NULL)), :before::bigint, 'rolled back: nothing is remembered');
SELECT is((SELECT max(number) FROM pprepub.release WHERE publication = 'people'), 5, 'rolled back: numbers are given again');
SELECT check_all(2, NULL, 'rolled back');

-- Who promises more later keeps to it with all whom that does not come too late for.
SELECT breached(4, NULL) AS who INTO TEMPORARY TABLE too_late;
SELECT pprepub.alter_publication('people', '{"l": 4}') \g /dev/null
DELETE FROM people WHERE id % 3 = 0;
INSERT INTO people SELECT i, i % 50, (100 + i % 7)::text, 'd' || i % 15 FROM generate_series(1001, 2000) i;
SELECT pprepub.publish('people') FROM generate_series(1, 3) \g /dev/null
SELECT is_empty('SELECT breached(4, NULL) EXCEPT TABLE too_late', 'a larger l holds for all others from then on');
SELECT is_empty('SELECT breached(2, NULL)', 'and what was promised before for everybody');
SELECT pprepub.drop_publication('people', true) \g /dev/null

-- Values that are protected from some day on: what was shown of them before counts.
SELECT declare_people('{"l": 2, "strategy": "constant-ratio", "releases": 4, "transient": "delicate"}') \g /dev/null
SELECT pprepub.publish('people') FROM generate_series(1, 2) \g /dev/null
INSERT INTO delicate VALUES ('d1');
CREATE TEMPORARY TABLE shown AS SELECT breached(2, '{d1}') AS who;
SELECT isnt_empty('TABLE shown', 'what was not protected was shown');
SELECT pprepub.alter_publication('people', '{}') \g /dev/null
SELECT pprepub.publish('people') FROM generate_series(1, 2) \g /dev/null
SELECT is_empty('SELECT breached(2, (SELECT array_agg(ill) FROM delicate)) EXCEPT TABLE shown', 'nobody else is linked to it too well');
SELECT is_empty($$ SELECT who FROM shown JOIN pprepub.class_members('people') m ON m.key || ': d1' = who JOIN people ON people.id::text = m.key
	WHERE m.release > 2 AND ill = 'd1' $$, 'who was is withheld while he has it');
SELECT pprepub.drop_publication('people', true) \g /dev/null

SELECT * FROM finish();
ROLLBACK;

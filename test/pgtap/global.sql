-- Method global tells rightly whom it linked to what, and how well, also where values go back and forth and where releases are
-- rolled back.  Chances are counted here from the log, in whole numbers, and by none of the extension's own code.
BEGIN;
SELECT setseed(0.25) \g /dev/null

CREATE TABLE people (id int PRIMARY KEY, age int, zip text, ill text);
CREATE TABLE delicate AS SELECT 'd' || i AS ill FROM generate_series(4, 9) i;
CREATE TABLE register AS SELECT i AS id, i % 50 AS age, (100 + i % 7)::text AS zip FROM generate_series(1, 900, 3) i;
CREATE AGGREGATE product(numeric) (sfunc = numeric_mul, stype = numeric, initcond = '1');

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

-- People who are linked too well: l times what is kept of n1 n2 … is less than l - 1 times all of it.
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

-- Releases that are rolled back were never seen: as often as it is tried, the next release is as it would have been.
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

SELECT pprepub.drop_publication('people', true) \g /dev/null

-- Of protected values alone, with people who are counted in.
SELECT declare_people('{"l": 2, "strategy": "constant-ratio", "releases": 3, "transient": "delicate", "registry": "register"}') \g /dev/null
SELECT pprepub.publish('people') FROM generate_series(1, 3) \g /dev/null
SELECT check_all(2, (SELECT array_agg(ill) FROM delicate), 'some values, and a registry');

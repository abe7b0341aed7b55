-- Releases and answers right before and after people leave, and come back, who keep their values: an observer who knows who is in
-- the source when, and in which class, subtracts what classes show.  What one shows and another, of the rest of its people, does not
-- is of those who are in the first only.
SELECT setseed(0.2) \g /dev/null

CREATE TABLE everybody AS SELECT i AS id, 20 + i * 7 % 30 AS age, 'd' || i * 11 % 97 % 9 AS ill FROM generate_series(1, 240) i;
CREATE TABLE people (LIKE everybody);
CREATE TABLE shown (release int, class bigint, ill text);

-- In a life with changes, some fall ill otherwise, and half of those who come back.
CREATE PROCEDURE live(repair text, reserve int, k int, l int, changes bool DEFAULT false) LANGUAGE plpgsql AS $$
DECLARE
	number int;
BEGIN
	TRUNCATE people, shown;
	INSERT INTO people SELECT * FROM everybody WHERE id <= 200;
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg',
		jsonb_build_object('k', k, 'l', l, 'repair', repair, 'reserve', reserve, 'max_answers_per_statement', 100));
	COMMIT;
	FOR step IN 1 .. 8 LOOP
		number := (SELECT releases + 1 FROM pprepub.publication);
		IF step % 2 = 0 THEN
			INSERT INTO shown SELECT number, class, ill FROM published.people(format('age >= %s', 20 + step % 3 * 5));
		ELSE
			BEGIN
				number := (pprepub.publish('people', CASE WHEN step % 4 = 3 THEN 'age < 40' END)).number;
				EXECUTE format('INSERT INTO shown SELECT %s, class, ill FROM published.people_%1$s', number);
			EXCEPTION WHEN no_data_found THEN
				NULL;
			END;
		END IF;
		COMMIT;
		-- one by one, a few, or a class's worth
		DELETE FROM people WHERE id IN (SELECT id FROM people ORDER BY random() LIMIT (ARRAY[1, 2, 5])[1 + step % 3]);
		UPDATE people SET ill = 'd' || (random() * 8)::int WHERE changes AND random() < 0.05;
		INSERT INTO people SELECT id, age, CASE WHEN changes AND random() < 0.5 THEN 'back' ELSE ill END FROM everybody e WHERE NOT EXISTS (SELECT FROM people p WHERE p.id = e.id) AND random() < 0.1;
		COMMIT;
	END LOOP;
END $$;

-- Of each two classes that share people: the values that the first shows more often, and the people of whom one must have each of these.
CREATE VIEW difference AS
WITH member AS MATERIALIZED (SELECT m.release, m.class, m.key::int AS id FROM pprepub.class_members('people') m),
	pair AS (SELECT DISTINCT a.release, a.class, b.release AS other_release, b.class AS other_class FROM member a JOIN member b USING (id) WHERE a.release <> b.release),
	found AS (SELECT p.*, ARRAY(SELECT ill FROM (SELECT ill, row_number() OVER (PARTITION BY ill) FROM shown WHERE (release, class) = (p.release, p.class)
			EXCEPT SELECT ill, row_number() OVER (PARTITION BY ill) FROM shown WHERE (release, class) = (other_release, other_class)) d) AS ills,
		ARRAY(SELECT id FROM member WHERE (release, class) = (p.release, p.class) EXCEPT SELECT id FROM member WHERE (release, class) = (other_release, other_class)) AS people
		FROM pair p)
SELECT * FROM found;

CREATE FUNCTION audit_differences(k int, l int) RETURNS TABLE (pairs bigint, singled bigint) LANGUAGE sql AS $$
	-- People of whom fewer than k are left have values of their own, or those of a larger set are too much alike
	SELECT count(*), count(*) FILTER (WHERE cardinality(ills) > 0 AND cardinality(people) > 0 AND
		(cardinality(people) < k OR cardinality(ills) >= cardinality(people) AND (SELECT count(DISTINCT ill) FROM unnest(ills) ill) < l)) FROM difference $$;

SELECT format(sql, repair, reserve) FROM unnest('{dirty,counterfeit}'::text[]) repair, unnest('{1,3}'::int[]) reserve,
	unnest(ARRAY['CALL live(%L, %s, 4, 2)',
		$$ SELECT ok(pairs > 30 AND singled = 0, format('%s, reserve %s: %%s pairs of classes, %%s of which single few people out', pairs, singled)) FROM audit_differences(4, 2) $$,
		$$ SELECT FROM pprepub.drop_publication('people', true) $$]) WITH ORDINALITY s(sql, i) ORDER BY repair, reserve, i \gexec

-- Where values change: what a class shows anew is of people who sat at its places before, all of them.
SET check_function_bodies = off;
CREATE FUNCTION look() RETURNS void LANGUAGE sql AS $look$ CREATE TEMP TABLE changed AS
WITH row AS (SELECT release, class, "group", unnest(places) AS place, unnest(keys) AS key, unnest(sensitive) AS ill FROM published_private.people_members
		UNION ALL SELECT release, class, "group", unnest(places), unnest(keys), unnest(sensitive) FROM published_private.people_asked),
	seen AS (SELECT *, lag(ill) OVER (PARTITION BY "group", place ORDER BY release) AS before, min(release) OVER (PARTITION BY "group", place) AS first,
		key IS NULL OR min(release) OVER (PARTITION BY "group", place, key) = release AS is_strange FROM row)
SELECT release, class, array_agg(ill ORDER BY ill) IS DISTINCT FROM array_agg(before ORDER BY before) AS is_news, bool_or(is_strange) AS stood_in
FROM seen WHERE first < release GROUP BY 1, 2 $look$;

SELECT format(sql, reserve) FROM unnest('{1,3}'::int[]) reserve, unnest(ARRAY['CALL live(''counterfeit'', %s, 4, 2, true)', 'SELECT look()',
	$$ SELECT ok(count(*) FILTER (WHERE is_news AND NOT stood_in) > 3 AND count(*) FILTER (WHERE stood_in) > 20, 'reserve %s: values change, rows stand in, and people arrive') FROM changed $$,
	$$ SELECT is(count(*), 0::bigint, 'reserve %s: nothing is new where rows stand in, or somebody has just arrived') FROM changed WHERE is_news AND stood_in $$,
	$$ SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('people') WHERE NOT holds AND check_name <> 'covers'), NULL, 'reserve %s: audit()') $$,
	$$ SELECT is((SELECT jsonb_agg(a) FROM pprepub.attack('people') a WHERE NOT holds), NULL, 'reserve %s: attack()') $$, 'DROP TABLE changed',
	$$ SELECT FROM pprepub.drop_publication('people', true) $$]) WITH ORDINALITY s(sql, i) ORDER BY reserve, i \gexec

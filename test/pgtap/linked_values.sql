-- linked_values() against a query over the log that says the same.
BEGIN;
SELECT setseed(0.5) \g /dev/null

-- The log as rows, keys and values cast as the columns of the source are.
CREATE FUNCTION linked(publication text, key_type text, sensitive_type text) RETURNS TABLE (key text, sensitive text, sizes int[], counts int[]) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('WITH log AS MATERIALIZED (
			SELECT release, class, key::%1$s AS key, sensitive::%2$s AS sensitive
			FROM (SELECT release, class, unnest(keys) AS key, unnest(sensitive) AS sensitive FROM published_private.%3$I) u),
		count AS (SELECT release, class, sensitive, count(*)::int AS n FROM log GROUP BY 1, 2, 3),
		size AS (SELECT release, class, count(*)::int AS n FROM log GROUP BY 1, 2),
		linked AS (SELECT key, release, class FROM log WHERE key IS NOT NULL)
		SELECT linked.key::text, count.sensitive::text, array_agg(size.n ORDER BY release), array_agg(count.n ORDER BY release)
		FROM linked JOIN count USING (release, class) JOIN size USING (release, class)
		WHERE count.sensitive IS NOT NULL GROUP BY linked.key, count.sensitive', key_type, sensitive_type, publication || '_members');
END $$;

-- Equal keys and values may be written in several ways, of which each side shows one: plain() makes them one.
CREATE FUNCTION same(publication text, key text, sensitive text, what text, plain text DEFAULT '%s') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	columns text := format(plain, 'key') || ' AS key, ' || format(plain, 'sensitive') || ' AS sensitive, sizes, counts';
BEGIN
	RETURN NEXT bag_eq(format('SELECT %s FROM pprepub.linked_values(%L)', columns, publication),
		format('SELECT %s FROM linked(%L, %L, %L)', columns, publication, key, sensitive), what);
	RETURN NEXT isnt_empty(format('SELECT FROM pprepub.linked_values(%L)', publication), what || ': there are some');
END $$;

-- A life with people who leave, come, come back and change, NULLs among their values.
CREATE TABLE people AS SELECT i AS id, i % 60 AS age, CASE WHEN i % 13 > 0 THEN 'd' || i % 7 END AS ill FROM generate_series(1, 300) i;
CREATE FUNCTION live(publication text, releases int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 1 .. releases LOOP
		PERFORM pprepub.publish(publication);
		DELETE FROM people WHERE random() < 0.1;
		INSERT INTO people SELECT (SELECT max(id) + 1000 FROM people) + i, i % 60, 'd' || i % 9 FROM generate_series(1, CASE WHEN n % 3 = 0 THEN 1 ELSE 30 END) i;
		INSERT INTO people SELECT i, i % 60, 'd' || i % 7 FROM generate_series(1, 300, 10) i WHERE i NOT IN (SELECT id FROM people) AND random() < 0.5;
		UPDATE people SET ill = CASE WHEN random() < 0.8 THEN 'd' || id % 5 END WHERE random() < 0.1;
	END LOOP;
END $$;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2, "repair": "counterfeit"}') \g /dev/null
SELECT is_empty($$ SELECT FROM pprepub.linked_values('people') $$, 'no releases, no statistics');
SELECT live('people', 8) \g /dev/null
SELECT isnt_empty('SELECT FROM published_private.people_members WHERE cardinality(array_remove(keys, NULL)) < cardinality(places)', 'some rows are invented');
SELECT same('people', 'int', 'text', 'people who leave and come back');
SELECT pprepub.drop_publication('people', true) \g /dev/null
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "reserve": 5}') \g /dev/null
SELECT live('people', 5) \g /dev/null
SELECT same('people', 'int', 'text', 'without diversity or invented rows');
UPDATE people SET ill = NULL;
SELECT pprepub.publish('people') \g /dev/null
SELECT same('people', 'int', 'text', 'a release without values');

-- Composite keys, values without arrays
CREATE TYPE who AS (house int, name text);
CREATE TABLE pairs AS SELECT ROW(i / 4, 'n "' || i % 4 || '"')::who AS id, i AS age, ARRAY[i % 5 / 2.0, NULL] AS ill FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('pairs', 'pairs', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2, "repair": "counterfeit"}') \g /dev/null
SELECT pprepub.publish('pairs') \g /dev/null
DELETE FROM pairs WHERE age % 10 = 0;
SELECT pprepub.publish('pairs') \g /dev/null
SELECT same('pairs', 'who', 'numeric[]', 'composite keys');

-- Equal values of different looks; char(n), whose blanks text does not have; a cast of the owner's
CREATE TABLE looks AS SELECT i::char(5) AS id, i AS age, ('1.' || repeat('0', i % 3))::numeric + i % 2 AS ill FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('looks', 'looks', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2, "reserve": 4}') \g /dev/null
SELECT pprepub.publish('looks') \g /dev/null
UPDATE looks SET ill = trim_scale(ill);
SELECT pprepub.publish('looks') \g /dev/null
SELECT same('looks', 'char(5)', 'numeric', 'equal values that look different', 'rtrim(rtrim(%s, ''0''), ''.'')');
SELECT is_empty($$ SELECT FROM pprepub.linked_values('looks') WHERE key ~ ' ' $$, 'blanks that fill up are not text');
CREATE COLLATION whatever_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE cases AS SELECT ('p' || i) COLLATE whatever_case AS id, i AS age, ('d' || i % 4) COLLATE whatever_case AS ill FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('cases', 'cases', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2, "reserve": 4}') \g /dev/null
SELECT pprepub.publish('cases') \g /dev/null
UPDATE cases SET id = upper(id), ill = upper(ill) WHERE age % 2 = 0 AND (SELECT NOT collisdeterministic FROM pg_collation WHERE collname = 'whatever_case');
SELECT pprepub.publish('cases') \g /dev/null
SELECT same('cases', 'text COLLATE whatever_case', 'text COLLATE whatever_case', 'a collation that does not tell case', 'lower(%s)');
SELECT is(count(DISTINCT key), 40::bigint, 'equal keys are one person') FROM pprepub.linked_values('cases');

CREATE TYPE mood AS ENUM ('well', 'ill', 'dead');
CREATE FUNCTION words(mood) RETURNS text LANGUAGE sql AS $$ SELECT 'is ' || enum_out($1)::text || ' for ' || current_user $$;
CREATE CAST (mood AS text) WITH FUNCTION words(mood);
CREATE TABLE moods AS SELECT i AS id, i AS age, (enum_range(NULL::mood))[1 + i % 3] AS ill FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('moods', 'moods', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2}') \g /dev/null
SELECT pprepub.publish('moods') \g /dev/null
SELECT same('moods', 'int', 'mood', 'a cast to text of the owner''s');
SELECT isnt_empty($$ SELECT FROM pprepub.linked_values('moods') WHERE sensitive = 'is dead for ' || current_user $$, 'it is used');

-- Which cells have anything in common, and which cover a value, by PostgreSQL's own operators: ranges with ends of every kind,
-- of numbers, dates and times; prefixes, empty ones and stars within; NULLs.
BEGIN;
SELECT setseed(0.77) \g /dev/null
CREATE FUNCTION draw(choices anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS
	'SELECT choices[1 + floor(random() * array_length(choices, 1))::int]';
CREATE TABLE people (id int PRIMARY KEY, n numeric, d date, t timestamp, f float8, p text, ill text);

-- Around a number there may be an end of any kind, at itself only one that holds it.
CREATE FUNCTION around(v numeric) RETURNS numrange LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN v IS NULL THEN draw('{NULL,NULL,"(,)"}'::numrange[]) ELSE numrange(lo, hi, CASE WHEN lo = v THEN '[' ELSE draw('{[,(}'::text[]) END || CASE WHEN hi = v THEN ']' ELSE draw('{],)}'::text[]) END) END
	FROM (SELECT v - draw('{0,0.5,1,1,2}'::numeric[]) * draw('{1,1,1,NULL}'::int[]) AS lo, v + draw('{0,0.5,1,1,2}'::numeric[]) * draw('{1,1,1,NULL}'::int[]) AS hi) b
$$;
CREATE FUNCTION day_of(v numeric) RETURNS date LANGUAGE sql IMMUTABLE AS $$ SELECT date '2000-01-01' + (v * 2)::int $$;
CREATE FUNCTION time_of(v numeric) RETURNS timestamp LANGUAGE sql IMMUTABLE AS $$ SELECT timestamp '2000-01-01' + v::float8 * interval '1 hour' $$;
CREATE FUNCTION days(c numrange) RETURNS daterange LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN c IS NOT NULL THEN daterange(day_of(lower(c)), day_of(upper(c)), '[]') END
$$;
CREATE FUNCTION times(c numrange) RETURNS tsrange LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN c IS NOT NULL THEN tsrange(time_of(lower(c)), time_of(upper(c)), CASE WHEN lower_inc(c) THEN '[' ELSE '(' END || CASE WHEN upper_inc(c) THEN ']' ELSE ')' END) END
$$;
-- A star behind a star is taken for one that fills a prefix up.
CREATE FUNCTION begins(v text) RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT CASE WHEN v IS NULL THEN draw('{NULL,NULL,*}'::text[]) ELSE draw(ARRAY[v, left(v, 1) || '*', rtrim(left(v, 2), '*') || '*', v || '*', '*']) END
$$;
-- Withheld is whatever the column's kind prints for it, which covers NULL.
CREATE FUNCTION meet(a anyrange, b anyrange) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN lower_inf(a) AND upper_inf(a) OR lower_inf(b) AND upper_inf(b) THEN true ELSE coalesce(a && b, a IS NULL AND b IS NULL) END
$$;
CREATE FUNCTION covers(a anyrange, v anyelement) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN lower_inf(a) AND upper_inf(a) THEN true ELSE coalesce(a @> v, a IS NULL AND v IS NULL) END
$$;
CREATE FUNCTION covers(a text, v text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN a = '*' THEN true WHEN a LIKE '%*' THEN coalesce(starts_with(v, left(a, -1)), false) ELSE a IS NOT DISTINCT FROM v END
$$;
CREATE FUNCTION meet(a text, b text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT covers(a, b) OR covers(b, a) OR a LIKE '%*' AND b LIKE '%*' AND (starts_with(left(a, -1), left(b, -1)) OR starts_with(left(b, -1), left(a, -1)))
$$;

CREATE FUNCTION try_cells(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	name text := (ARRAY['n', 'd', 't', 'f', 'p'])[1 + number % 5];
	cell text := (ARRAY['around(n)', 'days(around(n))', 'times(around(n))', 'around(n)', 'begins(p)'])[1 + number % 5];
BEGIN
	TRUNCATE people;
	INSERT INTO people SELECT i, v, day_of(v), time_of(v), v::float8, w, 'd' || i % 4 FROM (SELECT i, draw('{1,1.5,2,2.5,3,7,NULL}'::numeric[]) AS v, draw('{"",a,ab,abc,"a*b","a*bc",b,ä,äb,NULL}'::text[]) AS w FROM generate_series(1, 10) i) x;
	PERFORM pprepub.create_publication('cells', 'people', 'id', '{"n": "range", "d": "range", "t": "range", "f": "range", "p": "prefix"}', 'ill', 'bpg', '{"k": 1}');
	FOR r IN 1 .. 2 LOOP
		EXECUTE format('CREATE TABLE made_%s AS SELECT id, %s AS %s, ill FROM people', r, cell, name);
		PERFORM pprepub.import_release('cells', format('made_%s', r), 'id');
	END LOOP;
	RETURN QUERY EXECUTE format('SELECT is((SELECT edges FROM pprepub.linkability(''cells'', NULL, ''mj'')), (SELECT count(*) FROM made_1 a, made_2 b WHERE meet(a.%1$I, b.%1$I) AND a.ill = b.ill), ''cells %2$s: '' || %1$L)', name, number);
	RETURN QUERY EXECUTE format('SELECT is((SELECT jsonb_object_agg(coalesce(tuple::text, ''''), linkability) FROM pprepub.link_profile(''cells'', ''{1}'')),
		(SELECT jsonb_object_agg(q.tuple::text, (SELECT count(DISTINCT m.ill) FROM made_1 m WHERE covers(m.%1$I, p.%3$s))) FROM pprepub.link_profile(''cells'', ''{1}'') q
			JOIN people p ON (q.tuple ->> ''n'') IS NOT DISTINCT FROM p.n::text AND (q.tuple ->> ''p'') IS NOT DISTINCT FROM p.p), ''what cells %2$s cover: '' || %1$L)', name, number,
		CASE name WHEN 'f' THEN 'n' ELSE name END);
	DROP TABLE made_1, made_2;
	PERFORM pprepub.drop_publication('cells', true);
END
$fn$;
SELECT try_cells(number) FROM generate_series(0, 74) number;

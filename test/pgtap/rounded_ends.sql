-- Ends of ranges without a step: rounded by no more than what would be printed otherwise tells, never past the next end, and as
-- round as they can be; on random tables of every type, against a reference in SQL.
SET TimeZone = 'Pacific/Chatham';
SET extra_float_digits = 1;
BEGIN;
SELECT setseed(0.27) \g /dev/null

-- Numbers are rounded on tens and fives; days and times on these.
CREATE TABLE grid (kind text, rank int, width numeric, span interval);
INSERT INTO grid SELECT 'number', 2 * e, ('1e' || e)::numeric, NULL FROM generate_series(-30, 30) e;
INSERT INTO grid SELECT 'number', 2 * e + 1, ('5e' || e)::numeric, NULL FROM generate_series(-30, 30) e;
INSERT INTO grid SELECT 'time', 100 - n, NULL, span::interval FROM unnest('{100 years,10 years,1 year,3 months,1 month,1 day,1 hour,10 minutes,1 minute,1 second,0.1 seconds,0.01 seconds,0.001 seconds,0.0001 seconds,0.00001 seconds,0.000001 seconds}'::text[])
	WITH ORDINALITY s (span, n);

-- The greatest point of a grid up to a time
CREATE FUNCTION floor_to(t timestamp, span interval) RETURNS timestamp LANGUAGE sql AS $$
	SELECT CASE WHEN span >= interval '100 years' THEN make_timestamp(floor(extract(year FROM t) / 100)::int * 100, 1, 1, 0, 0, 0)
		WHEN span >= interval '1 year' THEN date_trunc(CASE span WHEN '10 years' THEN 'decade' ELSE 'year' END, t)
		WHEN span >= interval '1 month' THEN date_trunc(CASE span WHEN '3 months' THEN 'quarter' ELSE 'month' END, t)
		ELSE date_bin(span, t, '2000-01-01') END
$$;

-- The end that is to be, given the next one.  Of times, all in microseconds and UTC.
CREATE FUNCTION rounded(v numeric, next numeric, width numeric, is_low bool, is_whole bool) RETURNS numeric LANGUAGE sql AS $$
	SELECT coalesce((SELECT at FROM grid g, LATERAL (SELECT v - (v % g.width + g.width) % g.width + CASE WHEN is_low THEN 0 ELSE g.width END AS at) p
		WHERE kind = 'number' AND abs(at - v) <= $3 / 10 + CASE WHEN is_whole AND NOT is_low THEN 1 ELSE 0 END AND (NOT is_whole OR g.width >= 1)
			AND CASE WHEN next IS NULL THEN true WHEN is_low THEN at > next ELSE at <= next END ORDER BY rank DESC LIMIT 1),
		v + CASE WHEN is_whole AND NOT is_low THEN 1 ELSE 0 END)
$$;
CREATE FUNCTION rounded(v timestamp, next timestamp, width interval, is_low bool, tick interval) RETURNS timestamp LANGUAGE sql AS $$
	SELECT coalesce((SELECT at FROM grid g, LATERAL (SELECT floor_to(v, span) + CASE WHEN is_low THEN interval '0' ELSE span END AS at) p
		WHERE kind = 'time' AND span >= tick AND abs(extract(epoch FROM at - v)) <= extract(epoch FROM $3) / 10 + CASE WHEN is_low THEN 0 ELSE extract(epoch FROM tick) END
			AND CASE WHEN next IS NULL THEN true WHEN is_low THEN at > next ELSE at <= next END ORDER BY rank DESC LIMIT 1),
		v + CASE WHEN is_low THEN interval '0' ELSE tick END)
$$;

CREATE TABLE ruler (type text, drawn text, low text, high text, to_line text, line text);
INSERT INTO ruler VALUES
	('integer', 'floor(exp(random() * 14) - 1000)', 'number', '', '%s::numeric', 'numeric'),
	('integer', 'floor(random() * 60)', 'number', '', '%s::numeric', 'numeric'),
	('smallint', 'floor((random() - 0.5) * 60000)', 'number', '', '%s::numeric', 'numeric'),
	('bigint', 'floor((random() - 0.5) * 1e15)', 'number', '', '%s::numeric', 'numeric'),
	('numeric', '(random() - 0.5)::numeric / 7', 'number', '', '%s', 'numeric'),
	('numeric', 'round((random() * 200)::numeric, 2)', 'number', '', '%s', 'numeric'),
	('float8', '48 + random()', 'number', '', '%s::text::numeric', 'numeric'),
	('float4', '(random() - 0.5) * 1e-20', 'number', '', '%s::text::numeric', 'numeric'),
	('date', 'date ''1890-01-01'' + floor(random() * 60000)::int', 'time', '1 day', '%s::timestamp', 'timestamp'),
	('date', 'date ''2026-01-01'' + floor(random() * 300)::int', 'time', '1 day', '%s::timestamp', 'timestamp'),
	('timestamp', 'timestamp ''2020-01-01'' + random() * interval ''700 days''', 'time', '0.000001 seconds', '%s', 'timestamp'),
	('timestamp', 'timestamp ''2020-01-01'' + random() * interval ''3 minutes''', 'time', '0.000001 seconds', '%s', 'timestamp'),
	('timestamptz', 'timestamptz ''1999-12-31 22:00+00'' + random() * interval ''30 hours''', 'time', '0.000001 seconds', '(%s AT TIME ZONE ''UTC'')', 'timestamp');

CREATE FUNCTION try_table(number int, how ruler) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	what text := format('table %s (%s, %s): ', number, how.type, how.drawn);
	n int := CASE number WHEN 1 THEN 40 ELSE 200 END;
	tick text := CASE WHEN how.line = 'numeric' THEN (how.type IN ('integer', 'smallint', 'bigint'))::text ELSE quote_literal(how.high) || '::interval' END;
	next_low text;
	next_high text;
BEGIN
	EXECUTE format('CREATE TABLE people AS SELECT i AS id, CASE WHEN i %% 40 > 0 OR $2 = 1 THEN (%s)::%s END AS v, (%1$s)::%2$s AS w, ''d'' || i %% 5 AS ill FROM generate_series(1, $1) i', how.drawn, how.type) USING n, number;
	PERFORM pprepub.create_publication('p', 'people', 'id', '{"v": "range", "w": "range"}', 'ill', 'bpg', '{"k": 4, "reserve": 1}');
	PERFORM pprepub.publish('p');
	EXECUTE format('CREATE TABLE box AS SELECT c.class, x.name, x.cell, min(x.line) AS lo, max(x.line) AS hi FROM (SELECT DISTINCT class, v, w FROM published.p) c
		JOIN pprepub.class_members(''p'') m USING (class) JOIN people p ON p.id::text = m.key, LATERAL (VALUES (''v'', c.v, %s), (''w'', c.w, %s)) x (name, cell, line) GROUP BY 1, 2, 3',
		format(how.to_line, 'p.v'), format(how.to_line, 'p.w'));
	RETURN NEXT cmp_ok((SELECT count(DISTINCT class) FROM box), '>', 4::bigint, what || 'some classes');
	-- The neighbours of an end, among those of cells that are not withheld
	CREATE VIEW ending AS SELECT name, lo AS line FROM box WHERE cell <> '(,)' UNION SELECT name, hi FROM box WHERE cell <> '(,)';
	EXECUTE format('CREATE TABLE expected AS SELECT b.*, %s AS low, %s AS high, rounded(lo, (SELECT max(line) FROM ending e WHERE e.name = b.name AND line < lo), hi - lo, true, %s) AS rounded_low,
		rounded(hi, (SELECT min(line) FROM ending e WHERE e.name = b.name AND line > hi), hi - lo, false, %3$s) AS rounded_high FROM box b WHERE cell <> ''(,)'' AND lo < hi',
		format(how.to_line, 'lower(cell)'), format(how.to_line, 'upper(cell)'), tick);
	RETURN NEXT is((SELECT jsonb_agg(e) FROM (SELECT * FROM expected e WHERE low <> rounded_low OR high <> rounded_high LIMIT 3) e), NULL, what || 'as round as they can be');
	RETURN NEXT is_empty('SELECT * FROM expected WHERE upper_inc(cell) OR NOT lower_inc(cell)', what || 'the lower one belongs to the cell, the upper one does not');
	RETURN NEXT is_empty('SELECT * FROM expected WHERE low > lo OR high <= hi', what || 'cells hold their people');
	RETURN NEXT is_empty('SELECT * FROM expected a JOIN expected b USING (name) WHERE (a.hi < b.lo OR b.hi < a.lo) AND a.cell && b.cell', what || 'cells that did not meet do not meet');
	RETURN NEXT is_empty(format('SELECT * FROM box WHERE lo = hi AND cell <> ''(,)'' AND (%s <> lo OR %s NOT IN (hi, %s))', format(how.to_line, 'lower(cell)'), format(how.to_line, 'upper(cell)'),
		CASE how.line WHEN 'numeric' THEN 'hi + 1' ELSE 'hi + interval ''1 day''' END), what || 'one value is printed as it is');
	RETURN NEXT is((SELECT jsonb_agg(a) FROM pprepub.audit('p') a WHERE NOT holds), NULL, what || 'audit()');
	PERFORM pprepub.drop_publication('p', true);
	DROP VIEW ending;
	DROP TABLE people, box, expected;
END
$fn$;
SELECT try_table(number, r) FROM ruler r, generate_series(1, 2) number;

-- Methods of every kind, and a release after the first: cells hold their people, and judges agree. What is sequential is printed as it was judged.
CREATE TABLE people AS SELECT i AS id, 48 + (i * 7919 % 10007) / 9973.0::float8 AS lat, timestamptz '2026-01-01' + i * 7919 % 10007 * interval '1:13:11.123456' AS admitted, 'd' || i % 12 AS ill FROM generate_series(1, 300) i;
CREATE TABLE progress AS SELECT 'd' || i AS from_value, 'd' || (i + 1) AS to_value FROM generate_series(0, 10, 2) i;
CREATE FUNCTION try_method(method text, params jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
BEGIN
	PERFORM pprepub.create_publication('p', 'people', 'id', '{"lat": "range", "admitted": "range"}', 'ill', method, params);
	PERFORM pprepub.publish('p');
	IF method = 'sequential' THEN
		RETURN NEXT ok((SELECT count(*) FILTER (WHERE upper_inc(lat)) = count(*) AND count(*) > 0 FROM published.p WHERE lat <> '(,)'), method || ': ends as they are');
	ELSE
		UPDATE people SET lat = lat + 0.1 WHERE id % 50 = 0;
		DELETE FROM people WHERE id % 41 = 0;
		PERFORM pprepub.publish('p');
		RETURN NEXT cmp_ok((SELECT count(*) FROM published.p WHERE length(lower(lat)::text) > 8 AND NOT upper_inc(lat)), '=', 0::bigint, method || ': few digits');
		RETURN NEXT cmp_ok((SELECT count(*) FROM published.p WHERE lat <> '(,)' AND NOT upper_inc(lat)), '>', 100::bigint, method || ': cells of several values');
	END IF;
	RETURN NEXT is((SELECT jsonb_agg(a) FROM pprepub.audit('p') a WHERE NOT holds), NULL, method || ': audit()');
	RETURN NEXT is((SELECT jsonb_agg(a) FROM pprepub.attack('p') a WHERE NOT holds AND method IN ('bpg', 'm-invariance')), NULL, method || ': attack()');
	PERFORM pprepub.drop_publication('p', true);
END
$fn$;
SELECT try_method(method, params::jsonb) FROM (VALUES ('bpg', '{"k": 5, "l": 2, "repair": "counterfeit", "reserve": 1}'), ('sequential', '{"k": 2}'), ('m-invariance', '{"m": 3}'), ('cor-split', '{"m": 6, "n": 3}'),
	('global', '{"l": 2, "strategy": "constant-ratio", "releases": 3}'), ('m-distinct', '{"m": 3, "updates": "progress"}')) AS m (method, params);

-- Somebody who is withheld moves no end, wherever he is; nor does an exact end of a cell that is withheld.
CREATE TABLE few AS SELECT i AS id, v::numeric AS v, 'x'::text AS ill FROM unnest('{10.1234,13.3721,20.3301,24.9917}'::text[]) WITH ORDINALITY t (v, i);
SELECT pprepub.create_publication('few', 'few', 'id', '{"v": "range"}', 'ill', 'bpg', '{"k": 2, "reserve": 1}') \g /dev/null
SELECT pprepub.publish('few') \g /dev/null
INSERT INTO few VALUES (5, 13.40001, 'x');
SELECT pprepub.publish('few') \g /dev/null
SELECT bag_eq('SELECT v FROM published.few_1', ARRAY['[10,13.5)', '[10,13.5)', '[20,25)', '[20,25)']::numrange[], 'two cells');
SELECT bag_eq('SELECT v FROM published.few_2', 'SELECT v FROM published.few_1', 'and the same ones beside somebody who waits');

-- Whatever text is given as a cohort: it is refused before any row is read, or it picks the rows that the same text picks as
-- plain SQL, without an error, though the rows hold the strangest values that their types have.
--
-- All texts are drawn from a seed: where one fails, SELECT why(text) tells.

CREATE DOMAIN small AS int2 CHECK (VALUE IS NULL OR VALUE > -32768);
CREATE TABLE strange (id int, b bool, i2 small, i4 int, i8 int8, n numeric, f4 real, f8 float8, t text, v varchar, c char(3), nm name, d date, ti time,
	ts timestamp, tz timestamptz, iv interval, u uuid, r4 int4range, rn numrange, rd daterange, rt tsrange, s int);
INSERT INTO strange VALUES
	(1, true, -32767, -2147483648, -9223372036854775808, 'NaN', 'NaN', 'NaN', '', '', '', '', '-infinity', '00:00', '-infinity', '-infinity', '-178000000 years',
		'00000000-0000-0000-0000-000000000000', 'empty', 'empty', 'empty', 'empty', 1),
	(2, false, 32767, 2147483647, 9223372036854775807, 'infinity', 'infinity', 'infinity', repeat('a%_\', 3000), repeat('a%_\', 3000), 'a\', 'zz', 'infinity', '24:00',
		'infinity', 'infinity', '178000000 years', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '(,)', '(,)', '(,)', '(,)', 2),
	(3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	(4, true, 0, 0, 0, '1e1000', '-infinity', '1e308', '\', '\\', '\', '\', '4713-01-01 BC', '12:00', '4713-01-01 00:00 BC', '4713-01-02 00:00+00 BC', '0',
		gen_random_uuid(), '[1,2147483647)', '[-infinity,NaN]', '[4713-01-01 BC,5874897-12-31)', '[4713-01-01 BC,294276-12-31]', 4),
	(5, false, 1, 5, 30, '-1e1000', '3e38', '-0', 'ab', 'ba', 'ab', 'ab', '5874897-12-31', '23:59:59.999999', '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999+00',
		'1 mon -30 days', gen_random_uuid(), '[5,6)', '[0.5,0.5]', '[2024-01-01,2024-02-01)', '[2024-01-01,2024-02-01)', 5);
INSERT INTO strange SELECT 5 + i, i % 2 = 0, i, i * 7, i * 1000, i / 3.0, i / 3.0, i / 7.0, chr(97 + i % 3) || i % 10 || 'x', 'ab' || i % 5, 'a' || i % 5, 'n' || i, date '2024-01-01' + i, time '08:00' + i * interval '7 min',
	timestamp '2024-01-01' + i * interval '7 h', timestamptz '2024-01-01 00:00+00' + i * interval '7 h', i * interval '1 day', gen_random_uuid(), int4range(i, i + 5),
	numrange(i, i + 0.5), daterange(date '2024-01-01' + i, date '2024-01-05' + i), tsrange(timestamp '2024-01-01' + i * interval '7 h', NULL), i
	FROM generate_series(1, 25) i;
CREATE VIEW nobody AS SELECT * FROM strange WHERE id < 0;
DO $$
BEGIN
	PERFORM pprepub.create_publication(name, name, 'id', (SELECT jsonb_object_agg(attname, 'suppress') FROM pg_attribute
		WHERE attrelid = 'strange'::regclass AND attnum > 0 AND attname NOT IN ('id', 's')), 's', 'bpg', '{"k": 1}', beside => beside)
	FROM (VALUES ('strange', '{}'::name[]), ('nobody', '{strange}')) p (name, beside);
END
$$;

CREATE FUNCTION draw(VARIADIC choices text[]) RETURNS text LANGUAGE sql VOLATILE AS
	'SELECT choices[1 + floor(random() * array_length(choices, 1))::int]';
CREATE FUNCTION a_column() RETURNS text LANGUAGE sql VOLATILE AS
	$$SELECT draw('b','i2','i4','i8','n','f4','f8','t','v','c','nm','d','ti','ts','tz','iv','u','r4','rn','rd','rt', CASE WHEN random() < 0.05 THEN 'id' ELSE 'i4' END)$$;
-- A comparison that should make sense.
CREATE FUNCTION a_comparison() RETURNS text LANGUAGE sql VOLATILE AS $$
	WITH pair AS MATERIALIZED (SELECT o.left_name, n.right_name FROM (SELECT a_column() AS left_name) o,
		LATERAL (SELECT CASE
			WHEN left_name ~ '^(i|n$|f|id)' THEN draw('i2', 'i4', 'i8', 'n', 'f4', 'f8', '30', '0', '-1.5', '1e10', '2 * 15', 'NULL', '''NaN''', '''7''')
			WHEN left_name IN ('t', 'v', 'c', 'nm') THEN draw('t', 'v', 'c', 'nm', '''ab1''', '''''', E'''\\''', '''a''::text', '''a''::char(3)', '''a''::name')
			WHEN left_name IN ('d', 'ts', 'tz') THEN draw('d', 'ts', 'tz', '''2024-01-10''', 'now()', 'current_date - 30', '''infinity''::date', 'now() - interval ''1 year''', 'localtimestamp')
			WHEN left_name LIKE 'r_' THEN draw('r4', 'rn', 'rd', 'rt', '''empty''', '''(,)''')
			ELSE draw(left_name, 'NULL', '''12:00''', '''1 day''', 'true') END AS right_name) n)
	SELECT draw(left_name || ' ' || operator || ' ' || right_name, right_name || ' ' || operator || ' ' || left_name, left_name || ' BETWEEN ' || right_name || ' AND ' || right_name,
		left_name || ' IN (' || right_name || ', ' || right_name || ')', left_name || ' IS DISTINCT FROM ' || right_name)
	FROM pair, (SELECT CASE WHEN left_name LIKE 'r_' THEN draw('&&', '@>', '<@', '<<', '>>', '&<', '&>', '=', '<') ELSE draw('=', '<>', '<', '<=', '>', '>=') END AS operator FROM pair) o
$$;
CREATE FUNCTION a_type() RETURNS text LANGUAGE sql VOLATILE AS
	$$SELECT draw('bool','int2','int','int8','numeric','real','float8','text','varchar','varchar(2)','char(2)','name','date','time','timestamp','timestamptz','interval','uuid',
		'int4range','numrange','daterange','tsrange','int[]','text[]','numeric(3,1)','timestamp(0)', CASE WHEN random() < 0.2 THEN 'regclass' ELSE 'date' END, CASE WHEN random() < 0.2 THEN 'small' ELSE 'int' END)$$;
CREATE FUNCTION a_constant(depth int DEFAULT 0) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	IF depth > 3 THEN
		RETURN draw('1', '''1''', 'NULL');
	END IF;
	RETURN CASE floor(random() * 20)::int
		WHEN 0 THEN a_constant(depth + 1) || ' ' || draw('+', '-', '*', '/', '%') || ' ' || a_constant(depth + 1)
		WHEN 1 THEN '(' || a_constant(depth + 1) || ')::' || a_type()
		WHEN 2 THEN a_type() || ' ' || quote_literal(a_constant(depth + 1))
		WHEN 3 THEN '-' || a_constant(depth + 1)
		WHEN 4 THEN 'now()' WHEN 5 THEN draw('current_date', 'localtimestamp', 'current_timestamp(0)', 'localtime', 'current_time', 'current_user')
		WHEN 6 THEN 'date_trunc(' || quote_literal(draw('month', 'day', 'fortnight')) || ', ' || a_constant(depth + 1) || ')'
		WHEN 7 THEN draw('int4range', 'numrange', 'daterange', 'make_date', 'length', 'clock_timestamp', 'pg_sleep') || '(' || a_constant(depth + 1) || ', ' || a_constant(depth + 1) || ')'
		WHEN 8 THEN 'ARRAY[' || a_constant(depth + 1) || ', ' || a_constant(depth + 1) || ']'
		WHEN 9 THEN quote_literal(draw('{1,2}', '{a,NULL}', '[1,5)', '(,)', 'empty', '[2024-01-02,2024-02-01)', '{a%,\\}', '{"\\\\"}'))
		WHEN 10 THEN quote_literal(draw('infinity', '-infinity', 'NaN', 'now', 'today', 'epoch', '294276-12-31', '5874897-12-31', '4713-01-01 BC', '1 day', '24:00'))
		WHEN 11 THEN 'interval ' || quote_literal(draw('1 day', '1 mon', '-5 min', '178000000 years'))
		ELSE draw('1', '30', '0', '2147483647', '1e400', '1e1000', '0.5', '''a''', '''ab%''', '''2024-01-10''', '''2024-01-10 12:00''', 'true', 'NULL', '''1''', '''t''')
	END;
END
$$;
CREATE FUNCTION a_value() RETURNS text LANGUAGE sql VOLATILE AS
	$$SELECT CASE WHEN random() < 0.5 THEN a_column() WHEN random() < 0.15 THEN a_column() || '::' || a_type()
		WHEN random() < 0.05 THEN a_column() || draw(' + ', ' - ', ' * ', ' || ') || a_constant() ELSE a_constant() END$$;
CREATE FUNCTION a_pattern() RETURNS text LANGUAGE sql VOLATILE AS
	$$SELECT quote_literal(string_agg(draw('%', '_', '\', 'a', 'b', 'ab', 'x'), '')) FROM generate_series(1, 1 + floor(random() * 8)::int)$$;
CREATE FUNCTION a_condition(depth int DEFAULT 0) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	IF depth < 3 AND random() < 0.4 THEN
		RETURN draw(a_condition(depth + 1) || ' AND ' || a_condition(depth + 1), '(' || a_condition(depth + 1) || ' OR ' || a_condition(depth + 1) || ')',
			'NOT ' || a_condition(depth + 1), '(' || a_condition(depth + 1) || ') IS ' || draw('', 'NOT ') || draw('TRUE', 'FALSE', 'UNKNOWN', 'NULL'));
	END IF;
	RETURN CASE floor(random() * 24)::int
		WHEN 0 THEN a_value() || draw(' ', ' NOT ') || 'BETWEEN ' || draw('', 'SYMMETRIC ') || a_value() || ' AND ' || a_value()
		WHEN 1 THEN a_value() || draw(' ', ' NOT ') || 'IN (' || a_value() || ', ' || a_constant() || ', ' || a_constant() || ')'
		WHEN 2 THEN a_value() || ' ' || draw('=', '<>', '<', 'LIKE', '>=') || draw(' ANY (', ' ALL (') || a_constant() || ')'
		WHEN 3 THEN a_value() || ' IS ' || draw('', 'NOT ') || draw('NULL', 'DISTINCT FROM ' || a_value())
		WHEN 4 THEN draw('t', 'v', 'c', 'nm', a_value()) || draw(' LIKE ', ' NOT LIKE ', ' ~~ ', ' ILIKE ', ' LIKE ') || a_pattern() || draw('', '', '', ' ESCAPE ''%''', ' ESCAPE ''''')
		WHEN 5 THEN draw('r4', 'rn', 'rd', 'rt', a_value()) || ' ' || draw('&&', '@>', '<@', '<<', '>>', '&<', '&>', '-|-', '=', '<') || ' ' || draw('r4', 'rn', 'rd', 'rt', a_value())
		WHEN 6 THEN draw('b', a_value())
		WHEN 7 THEN a_value() || ' ' || draw('=', '<>', '<', '<=', '>', '>=', '!=', '~', 'OPERATOR(pg_catalog.<)') || ' ' || a_value()
		WHEN 8 THEN draw('t', 'v', 'c', 'nm') || draw(' LIKE ', ' NOT LIKE ') || a_pattern()
		ELSE a_comparison()
	END;
END
$$;
-- A word less, twice or elsewhere; or a letter.
CREATE FUNCTION mutated(condition text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	words text[] := regexp_split_to_array(condition, ' ');
	n int := array_length(words, 1);
	i int := 1 + floor(random() * n)::int;
	j int := 1 + floor(random() * n)::int;
	at int := 1 + floor(random() * length(condition))::int;
BEGIN
	RETURN CASE floor(random() * 6)::int
		WHEN 0 THEN array_to_string(words[: i - 1] || words[i + 1 :], ' ')
		WHEN 1 THEN array_to_string(words[: i] || words[j :], ' ')
		WHEN 2 THEN array_to_string(words[: i] || draw(')', '(', ';', ',', '--', '/*', '''', '"', '$1', '[', '::', 'COLLATE "C"', 'UNION SELECT', 'OR', 'LIMIT 1', '.*', E'\\', chr(233)) || words[i + 1 :], ' ')
		WHEN 3 THEN overlay(condition PLACING chr(33 + floor(random() * 93)::int) FROM at FOR 1)
		WHEN 4 THEN left(condition, at)
		ELSE condition
	END;
END
$$;

-- How a cohort is answered: the number of its rows, or an error.
CREATE FUNCTION answer_to(publication text, cohort text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT sum(value) FROM pprepub.preview(publication, cohort) WHERE metric IN ('rows', 'suppressed'));
EXCEPTION WHEN no_data_found THEN
	RETURN 0;
WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
CREATE FUNCTION plain_rows(cohort text) RETURNS text LANGUAGE plpgsql SET timezone = 'UTC' SET datestyle = 'ISO, YMD' AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE 'SELECT count(*) FROM strange WHERE ' || cohort INTO n;
	RETURN n;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;
CREATE FUNCTION why(cohort text) RETURNS TABLE (checked text, answered text, plain text) LANGUAGE sql VOLATILE AS
	$$SELECT answer_to('nobody', cohort), answer_to('strange', cohort), plain_rows(cohort)$$;

SELECT setseed(0.4);
CREATE TABLE tried AS SELECT cohort, answer_to('nobody', cohort) AS checked
	FROM (SELECT CASE WHEN i % 3 = 0 THEN mutated(a_condition()) ELSE a_condition() END AS cohort FROM generate_series(1, 1500) i) t;
ALTER TABLE tried ADD answered text, ADD plain text;
UPDATE tried SET answered = answer_to('strange', cohort);
UPDATE tried SET plain = plain_rows(cohort) WHERE checked = '0';
SELECT cmp_ok(count(*), '>', 400::bigint, format('%s of 1500 texts are accepted', count(*))) FROM tried WHERE checked = '0';
SELECT cmp_ok(count(DISTINCT left(checked, 5)), '>', 8::bigint, 'others are refused for many reasons') FROM tried WHERE checked <> '0';
SELECT is(array_agg(cohort || ': ' || answered), NULL, 'what is accepted never fails, whatever the rows hold')
	FROM (SELECT * FROM tried WHERE checked = '0' AND answered !~ '^\d+$' LIMIT 20) t;
SELECT is(array_agg(cohort || ': ' || checked || ', ' || answered), NULL, 'and what is refused is refused alike, whatever the rows hold')
	FROM (SELECT * FROM tried WHERE checked <> '0' AND answered <> replace(checked, '"nobody"', '"strange"') LIMIT 20) t;
SELECT is(array_agg(cohort || ': ' || answered || ', ' || plain), NULL, 'and picks the rows that plain SQL picks')
	FROM (SELECT * FROM tried WHERE checked = '0' AND answered <> plain AND plain ~ '^\d+$' LIMIT 20) t;
SELECT is(array_agg(cohort || ': ' || plain), NULL, 'which does not fail either')
	FROM (SELECT * FROM tried WHERE checked = '0' AND plain !~ '^\d+$' LIMIT 20) t;
SELECT is(array_agg(checked || ': ' || cohort), NULL, 'nothing is an internal error')
	FROM (SELECT * FROM tried WHERE checked ~ '^(XX|57|58)' OR answered ~ '^(XX|57|58)' LIMIT 20) t;

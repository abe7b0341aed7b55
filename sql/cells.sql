-- Cells print every kind and type, also at the ends of the types.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
SET client_min_messages = warning;
\set k2 '{"k": 2}'

-- publishes a table t(id, qi, s) with one quasi-identifier, k = 2, and shows the cells
CREATE FUNCTION cells(type text, kind text, VARIADIC vals text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text; printed text; detail text; hint text;
BEGIN
	EXECUTE format('CREATE TABLE t (id int, q %s, s int)', type);
	FOR i IN 1 .. array_length(vals, 1) LOOP
		EXECUTE format('INSERT INTO t VALUES (%s, %L, %s)', i, vals[i], i);
	END LOOP;
	PERFORM pprepub.create_publication('t', 't', 'id', jsonb_build_object('q', kind), 's', 'bpg', '{"k": 2, "reserve": 1}');
	PERFORM pprepub.publish('t');
	SELECT string_agg(format('%s x%s', coalesce(q, 'NULL'), n), '  ' ORDER BY first), max(type_of) INTO result, printed
	FROM (SELECT q::text, count(*) AS n, min(s) AS first, max(pg_typeof(q)::text) AS type_of FROM published.t GROUP BY class, q) g;
	PERFORM pprepub.drop_publication('t', forget_history => true);
	DROP TABLE t;
	RETURN printed || ': ' || result;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', SQLSTATE || ' ' || SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;
\set ECHO all

-- Ranges, in the column's range type: canonical where that is discrete.
SELECT cells('int', 'range', '1', '2', '8', '9');
SELECT cells('smallint', 'range', '-32768', '-32767', '32766', '32767');
SELECT cells('int', 'range', '-2147483648', '-2147483647', '2147483646', '2147483647');
SELECT cells('bigint', 'range', '-9223372036854775808', '-9223372036854775807', '9223372036854775806', '9223372036854775807');
-- Ranges of values that one double stands for, which come in another order than theirs.
SELECT cells('bigint', 'range', '9223372036854775805', '0', '9223372036854775804', '1', '9223372036854775807', '9223372036854775806');
SELECT cells('numeric', 'range', '1.00000000000000000002', '5', '1.00000000000000000001', '6', '1.00000000000000000003', '1.0');
SELECT cells('numeric', 'range', '0.10', '0.2', '1e40', '1e41');
SELECT cells('numeric(6,2)', 'range', '0.10', '0.2', '1000', '1001');
SELECT cells('real', 'range', '0.1', '0.2', '1e37', '1.1e37');
SELECT cells('double precision', 'range', '0.1', '0.30000000000000004', '-1e308', '-1.1e308');
SELECT cells('double precision', 'range', '-0', '0', '5e-324', '1e-300');
SELECT cells('date', 'range', '4713-01-01 BC', '4712-01-01 BC', '5874896-12-31', '5874897-12-31');
SELECT cells('date', 'range', '2024-02-28', '2024-02-29', '2030-01-01', '2030-01-02');
SELECT cells('timestamp', 'range', '4713-01-01 BC', '4712-01-01 BC', '294276-01-01', '294276-12-31 23:59:59.999999');
SELECT cells('timestamptz', 'range', '2024-02-28 00:00+0', '2024-02-28 12:00+05', '2030-01-01 00:00:00.000001+0', '2030-01-02 00:00+0');

-- Values without a place on a line.
SELECT cells('numeric', 'range', '1', '2', 'NaN', '4');
SELECT cells('numeric', 'range', '1', '2', 'Infinity', '4');
SELECT cells('double precision', 'range', '1', '-Infinity', 'NaN', 'Infinity');
SELECT cells('real', 'range', '1', 'NaN', '3');
SELECT cells('date', 'range', '2024-01-01', 'infinity', '2024-01-02');
SELECT cells('timestamp', 'range', '2024-01-01', '-infinity', '2024-01-02');
SELECT cells('timestamptz', 'range', '2024-01-01', 'infinity', '2024-01-02');

-- A withheld cell tells no end; a single value prints as it is; NULL is a value.
SELECT cells('int', 'range', '1', '9');
SELECT cells('int', 'range', '1', '1', '9', '9');
SELECT cells('int', 'range', '5', '5', '5');
SELECT cells('int', 'range', NULL, NULL, '1', '2');
SELECT cells('int', 'range', NULL, NULL, NULL);
SELECT cells('int', 'range', NULL, '1', '9');
SELECT cells('int', 'range', NULL, NULL, '1', '1', '9', '9');
SELECT cells('text', 'prefix', NULL, NULL, 'ab', 'ac');
SELECT cells('text', 'prefix', NULL, 'ab', 'ac');
SELECT cells('text', 'suppress', NULL, NULL, 'x', 'x');
SELECT cells('text', 'suppress', NULL, 'x', 'x');

-- Prefixes: characters, not bytes.
SELECT cells('text', 'prefix', '53101', '53102', '54200', '54301');
SELECT cells('text', 'prefix', 'a', 'ab', 'abc', 'x', 'xyz');
SELECT cells('text', 'prefix', 'abcdefghz', 'abcdefgh', 'b', 'abcdefg', 'abcdefghi', 'bb', 'abcdefghia', 'abcdef');
SELECT cells('text', 'prefix', '', '', 'b', 'c');
SELECT cells('text', 'prefix', '', 'a');
SELECT cells('text', 'prefix', 'äöü', 'äöx', 'äx1', 'äx2');
SELECT cells('text', 'prefix', 'é1', 'è1', 'ß', 'ß2');
SELECT cells('varchar(3)', 'prefix', 'aa', 'ab', 'ba', 'bb');
SELECT cells('char(4)', 'prefix', 'aa', 'ab', 'ba', 'bb');
SELECT cells('name', 'prefix', 'aa', 'ab', 'ba', 'bb');
SELECT cells('text', 'prefix', repeat('x', 5000) || '1', repeat('x', 5000) || '2') = 'text: * x2' AS long;
SELECT cells('text', 'prefix', 'ends in *', 'a');
SELECT cells('text', 'suppress', '*', 'a');

-- Suppress: any type that prints.
SELECT cells('text', 'suppress', 'F', 'F', 'M', 'M', 'X', 'Y');
SELECT cells('bool', 'suppress', 't', 't', 'f', 'f');
SELECT cells('int[]', 'suppress', '{1,2}', '{1,2}', '{}', '{}', '{NULL}', '{NULL}');
SELECT cells('jsonb', 'suppress', '{"a": 1}', '{"a":1}', '[]', 'null');
SELECT cells('json', 'suppress', '{"a": 1}', '{"a":1}');
SELECT cells('point', 'suppress', '(1,2)', '(1,2)');
SELECT cells('uuid', 'suppress', '00000000-0000-0000-0000-000000000000', '00000000000000000000000000000000');
SELECT cells('bytea', 'suppress', '\x00ff', '\x00ff');
SELECT cells('interval', 'suppress', '1 day', '24 hours', '1 day');
SELECT cells('char(3)', 'suppress', 'a', 'a ', 'b', 'b');
SELECT cells('double precision', 'suppress', 'NaN', 'NaN', '-0', '0');
SELECT cells('numeric', 'suppress', '1.0', '1.00');

-- Domains and enums.
CREATE DOMAIN years AS int CHECK (VALUE BETWEEN 0 AND 150);
CREATE DOMAIN old_years AS years CHECK (VALUE > 60);
CREATE DOMAIN code AS varchar(5);
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
SELECT cells('years', 'range', '1', '2', '149', '150');
SELECT cells('old_years', 'range', '70', '71', '149', '150');
SELECT cells('code', 'prefix', 'aa', 'ab', 'ba', 'bb');
SELECT cells('mood', 'suppress', 'sad', 'sad', 'happy', 'happy');
SELECT cells('mood', 'range', 'sad', 'ok');

-- Taxonomies.
\set ECHO none
CREATE TABLE levels (leaf text, middle text, root text);
INSERT INTO levels VALUES ('a', 'ab', 'abcd'), ('b', 'ab', 'abcd'), ('c', 'cd', 'abcd'), ('d', 'cd', 'abcd');
SELECT pprepub.create_taxonomy('letters', 'levels') \g /dev/null
DELETE FROM levels;
INSERT INTO levels VALUES ('sad', 'low', 'any'), ('ok', 'low', 'any'), ('happy', 'happy', 'any');
SELECT pprepub.create_taxonomy('moods', 'levels') \g /dev/null
DELETE FROM levels;
INSERT INTO levels VALUES ('lone', 'lone', 'lone');
SELECT pprepub.create_taxonomy('lone', 'levels') \g /dev/null
SELECT pprepub.create_range_taxonomy('decades', 0, 25, '{5, 10}') \g /dev/null
\set ECHO all
SELECT cells('text', 'taxonomy letters', 'a', 'b', 'c', 'c');
SELECT cells('text', 'taxonomy letters', 'a', 'c', NULL, NULL);
SELECT cells('text', 'taxonomy letters', 'a', 'c', NULL);
SELECT cells('text', 'taxonomy letters', 'a', 'b', NULL, 'a');
SELECT cells('varchar', 'taxonomy letters', 'a', 'b');
SELECT cells('char(3)', 'taxonomy letters', 'a', 'b');
SELECT cells('mood', 'taxonomy moods', 'sad', 'ok', 'happy', 'happy');
SELECT cells('text', 'taxonomy lone', 'lone', 'lone');
SELECT cells('text', 'taxonomy lone', 'lone', 'lone', NULL, NULL);
SELECT cells('text', 'taxonomy lone', 'lone', NULL);
SELECT cells('text', 'taxonomy letters', 'a', 'b', 'ab', 'A', 'x', 'y', 'z', 'x', 'x', 'v', 'w', 'u');
SELECT cells('int', 'taxonomy decades', '0', '4', '10', '11', '19', '24', '20');
SELECT cells('numeric', 'taxonomy decades', '4.999', '0', '5', '9.9');
SELECT cells('real', 'taxonomy decades', '4.999', '0', '5', '9.9');
SELECT pprepub.create_range_taxonomy('exact', 1234500, 1234700, '{1, 10}') \g /dev/null
SELECT cells('real', 'taxonomy exact', '1234567', '1234567', '1234599', '1234599');
SELECT cells('double precision', 'taxonomy decades', '9.999999999999998', '5', '10', '10');
SELECT pprepub.drop_taxonomy('exact') \g /dev/null
CREATE TABLE answers (leaf bool, root text);
INSERT INTO answers VALUES (true, 'any'), (false, 'any');
SELECT pprepub.create_taxonomy('answers', 'answers') \g /dev/null
SELECT cells('bool', 'taxonomy answers', 'true', 'true', 'false', 'false');
SELECT pprepub.drop_taxonomy('answers') \g /dev/null
DROP TABLE answers;
SELECT cells('numeric', 'range', '1.50', '1.5', '1.500', '2', '3');
SELECT cells('numeric', 'range', '1.5', '1.500', '1.50', '2', '3');
SELECT cells('int', 'taxonomy decades', '-1', '25', '3', '1000000');
SELECT cells('double precision', 'taxonomy decades', 'NaN', 'Infinity', '1');
SELECT cells('int', 'taxonomy decades', NULL, NULL, '3', '4');
-- Ends without a step are rounded outwards, for a tenth of the cell's width, but not past the next end.
SELECT cells('double precision', 'range', '48.005380749020226', '48.0579281110815', '52', '53');
SELECT cells('int', 'range', '21340', '36870', '38200', '60000');
SELECT cells('int', 'range', '1000', '2990', '2995', '5000');
SELECT cells('int', 'range', '1000', '2990', '3000', '5000');
SELECT cells('int', 'range', '10', '36', '37', '99');
SELECT cells('int', 'range', '13', '22', '36', '45');
SELECT cells('int', 'range', '-987', '-123', '-9', '1003');
SELECT cells('bigint', 'range', '-9223372036854775808', '-8000000000000000000', '8000000000000000001', '9223372036854775806');
SELECT cells('smallint', 'range', '-32768', '-30001', '30001', '32767');
SELECT cells('numeric', 'range', '0.0012345', '0.0019876', '1234567.89', '1234599.99');
SELECT cells('numeric', 'range', '1.1', '1.10000000000000000000000000000000000000000000000001', '1e20', '2e20');
SELECT cells('date', 'range', '1931-02-03', '1989-11-09', '2001-09-11', '2024-02-29');
SELECT cells('timestamp', 'range', '2026-05-11 18:48:51.119926', '2026-06-20 03:00:17.5', '2026-07-01', '2026-07-01 00:00:00.000011');
SELECT cells('timestamptz', 'range', '2026-05-11 18:48:51.119926+2', '2026-05-11 19:58:01+2', '2026-05-12 18:48:51+2', '2030-05-12 18:48:51+2');

-- Steps: cells begin and end at multiples of them, rounded outwards, also where all have one value.
SELECT cells('int', 'range 5', '22', '24', '36', '37');
SELECT cells('int', 'range 5', '22', '22', '22', '22');
SELECT cells('int', 'range 5', '20', '20', '25', '25', '44', '45');
SELECT cells('int', 'range 5', '-1', '-5', '-6', '-7', '0', '4');
SELECT cells('int', 'range 5', NULL, NULL, '1', '2');
SELECT cells('int', 'range 5', NULL, '1', '9');
SELECT cells('int', 'range 5', '1', '9');
SELECT cells('int', 'range 5', '1', '1', '9', '9', '30', '90');
SELECT cells('old_years', 'range 10', '70', '71', '149', '150');
SELECT cells('smallint', 'range 1000', '-32768', '-32767', '32766', '32767');
SELECT cells('smallint', 'range 100000', '-32768', '-1', '0', '32767');
SELECT cells('int', 'range 5', '-2147483648', '-2147483647', '2147483646', '2147483647');
SELECT cells('int', 'range 2147483647', '-2147483648', '-2147483648', '-2147483647', '-1', '0', '2147483646', '2147483647', '2147483647');
SELECT cells('bigint', 'range 10', '-9223372036854775808', '-9223372036854775807', '9223372036854775806', '9223372036854775807');
SELECT cells('bigint', 'range 9223372036854775807', '-9223372036854775808', '-9223372036854775808', '-7', '-1', '0', '3', '9223372036854775807', '9223372036854775807');
SELECT cells('numeric', 'range 0.25', '0.10', '0.24', '0.25', '0.3', '-0.1', '-0.25', '1e40', '1.0000000000000000000000000000000000000001e40');
SELECT cells('numeric(6,2)', 'range 10.00', '0.10', '9.99', '1000', '1009.99');
SELECT cells('numeric', 'range .5', '1.50', '1.5', '1.500', '2', '3');
SELECT cells('real', 'range 0.1', '0.1', '0.3', '1234567.8', '1234567.9');
SELECT cells('double precision', 'range 0.1', '0.1', '0.30000000000000004', '-1e15', '-1.01e15');
SELECT cells('double precision', 'range 2', '-0', '0', '5e-324', '1.9', '-5e-324', '-1.9');
SELECT cells('date', 'range 1 week', '2024-02-28', '2024-02-29', '1999-12-31', '2000-01-02');
SELECT cells('date', 'range 1 month', '2024-02-28', '2024-02-29', '2030-12-01', '2031-01-31');
SELECT cells('date', 'range 3 months', '2024-02-28', '2024-03-31', '2024-04-01', '2024-04-02');
SELECT cells('date', 'range 10 Years', '1999-12-31', '1990-01-01', '2000-01-01', '2009-12-31');
SELECT cells('date', 'range 100 years', '0100-05-05 BC', '0099-01-01 BC', '0001-01-01 BC', '0099-12-31');
SELECT cells('date', 'range 1 year', '4713-01-01 BC', '4713-12-31 BC', '5874896-12-31', '5874897-12-31');
SELECT cells('date', 'range 7 days', '4714-11-24 BC', '4714-11-25 BC', '5874897-12-30', '5874897-12-31');
SELECT cells('timestamp', 'range 1 day', '2024-02-28 18:48:51.119926', '2024-02-29 00:00', '1999-12-31 23:59:59.999999', '1999-12-31 00:00');
SELECT cells('timestamp', 'range 12 hours', '2024-02-28 11:59:59.999999', '2024-02-28 00:00', '2024-02-28 12:00', '2024-02-28 23:00');
SELECT cells('timestamp', 'range 90 minutes', '2024-02-28 01:29', '2024-02-28 00:00', '2024-02-28 01:30', '2024-02-28 02:59:59');
SELECT cells('timestamp', 'range 1 month', '4713-01-01 BC', '4713-01-31 BC', '294276-12-01', '294276-12-31 23:59:59.999999');
SELECT cells('timestamp', 'range 1 week', '4714-11-24 BC', '4714-11-25 BC', '294276-12-31', '294276-12-31 23:59:59.999999');
SELECT cells('timestamptz', 'range 1 day', '2024-02-28 23:30+00', '2024-02-29 01:00+02', '2030-01-01 00:00:00.000001+0', '2030-01-01 23:59+0');
SELECT cells('timestamptz', 'range 1 year', '2024-01-01 00:30+01', '2023-05-05 00:00+0', '2024-01-01 00:00+0', '2024-12-31 23:59+0');
SELECT cells('int', 'range 5', '1', '2', '3');
SELECT cells('double precision', 'range 5', '1', '-Infinity', 'NaN', 'Infinity');
SELECT cells('numeric', 'range 5', '1', '2', 'NaN', 'Infinity');
SELECT cells('timestamp', 'range 1 day', '2024-01-01', '-infinity', '2024-01-02');
SELECT cells('date', 'range 1 year', '2024-01-01', 'infinity', '2024-01-02');

-- Steps that are none.
SELECT cells('int', 'range 0', '1');
SELECT cells('int', 'range -5', '1');
SELECT cells('int', 'range 2.5', '1');
SELECT cells('int', 'range ', '1');
SELECT cells('int', 'range  5', '1');
SELECT cells('int', 'range five', '1');
SELECT cells('int', 'range 1 day', '1');
SELECT cells('int', 'range 2147483648', '1');
SELECT cells('smallint', 'range 99999999999999999999', '1');
SELECT cells('numeric', 'range 0.00', '1');
SELECT cells('numeric', 'range -0.5', '1');
SELECT cells('numeric', 'range NaN', '1');
SELECT cells('double precision', 'range Infinity', '1');
SELECT cells('double precision', 'range 1e3', '1');
SELECT cells('real', 'range .', '1');
SELECT cells('date', 'range 5', '2024-01-01');
SELECT cells('date', 'range 12 hours', '2024-01-01');
SELECT cells('date', 'range -1 day', '2024-01-01');
SELECT cells('date', 'range 0 days', '2024-01-01');
SELECT cells('date', 'range 1 month 3 days', '2024-01-01');
SELECT cells('date', 'range 1 fortnight', '2024-01-01');
SELECT cells('date', 'range 99999999999 years', '2024-01-01');
SELECT cells('timestamp', 'range 9999999999999 weeks', '2024-01-01');
SELECT cells('timestamptz', 'range 1.5 days', '2024-01-01');
SELECT cells('timestamptz', 'range days', '2024-01-01');
SELECT cells('text', 'range 5', 'a');
SELECT cells('text', 'prefix 5', 'a');
CALL public.clean();

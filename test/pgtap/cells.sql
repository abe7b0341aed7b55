-- Cells print every kind and type, also at the ends of the types.
SET DateStyle = 'Postgres, MDY';
SET TimeZone = 'PST8PDT';

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

-- Ranges, in the column's range type: canonical where that is discrete.
SELECT is(cells('int', 'range', '1', '2', '8', '9'), 'int4range: [1,3) x2  [8,10) x2');
SELECT is(cells('smallint', 'range', '-32768', '-32767', '32766', '32767'), 'int4range: [-32768,-32766) x2  [32766,32768) x2');
SELECT is(cells('int', 'range', '-2147483648', '-2147483647', '2147483646', '2147483647'), 'int4range: (,-2147483646) x2  [2147483646,) x2');
SELECT is(cells('bigint', 'range', '-9223372036854775808', '-9223372036854775807', '9223372036854775806', '9223372036854775807'), 'int8range: (,-9223372036854775806) x2  [9223372036854775806,) x2');
-- Ranges of values that one double stands for, which come in another order than theirs.
SELECT is(cells('bigint', 'range', '9223372036854775805', '0', '9223372036854775804', '1', '9223372036854775807', '9223372036854775806'), 'int8range: [9223372036854775804,9223372036854775806) x2  [0,2) x2  [9223372036854775806,) x2');
SELECT is(cells('numeric', 'range', '1.00000000000000000002', '5', '1.00000000000000000001', '6', '1.00000000000000000003', '1.0'), 'numrange: [1.00000000000000000002,1.00000000000000000003] x2  [5,6.1) x2  [1.0,1.00000000000000000001] x2');
SELECT is(cells('numeric', 'range', '0.10', '0.2', '1e40', '1e41'), 'numrange: [0.1,0.21) x2  [10000000000000000000000000000000000000000,105000000000000000000000000000000000000000) x2');
SELECT is(cells('numeric(6,2)', 'range', '0.10', '0.2', '1000', '1001'), 'numrange: [0.1,0.21) x2  [1000,1001.1) x2');
SELECT is(cells('real', 'range', '0.1', '0.2', '1e37', '1.1e37'), 'numrange: [0.1,0.21) x2  [10000000000000000000000000000000000000,11100000000000000000000000000000000000) x2');
SELECT is(cells('double precision', 'range', '0.1', '0.30000000000000004', '-1e308', '-1.1e308'), 'numrange: [0.1,0.31) x2  [-110000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000,-99000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000) x2');
SELECT is(cells('double precision', 'range', '-0', '0', '5e-324', '1e-300'), 'numrange: [0,0] x2  [0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000005,0.0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000011) x2');
SELECT is(cells('date', 'range', '4713-01-01 BC', '4712-01-01 BC', '5874896-12-31', '5874897-12-31'), 'daterange: ["01-01-4713 BC","02-01-4712 BC") x2  [12-01-5874896,) x2');
SELECT is(cells('date', 'range', '2024-02-28', '2024-02-29', '2030-01-01', '2030-01-02'), 'daterange: [02-28-2024,03-01-2024) x2  [01-01-2030,01-03-2030) x2');
SELECT is(cells('timestamp', 'range', '4713-01-01 BC', '4712-01-01 BC', '294276-01-01', '294276-12-31 23:59:59.999999'), 'tsrange: ["Thu Jan 01 00:00:00 4713 BC","Tue Feb 01 00:00:00 4712 BC") x2  ["Sat Jan 01 00:00:00 294276","Sun Dec 31 23:59:59.999999 294276"] x2');
SELECT is(cells('timestamptz', 'range', '2024-02-28 00:00+0', '2024-02-28 12:00+05', '2030-01-01 00:00:00.000001+0', '2030-01-02 00:00+0'), 'tstzrange: ["Tue Feb 27 16:00:00 2024 PST","Tue Feb 27 23:10:00 2024 PST") x2  ["Mon Dec 31 16:00:00 2029 PST","Tue Jan 01 17:00:00 2030 PST") x2');

-- Values without a place on a line.
SELECT is(cells('numeric', 'range', '1', '2', 'NaN', '4'), '22000 column "q" of publication "t" has 1 row(s) with NaN or infinity, which no range can hold / For example: "NaN". / Declare a view that turns them into NULL.');
SELECT is(cells('numeric', 'range', '1', '2', 'Infinity', '4'), '22000 column "q" of publication "t" has 1 row(s) with NaN or infinity, which no range can hold / For example: "Infinity". / Declare a view that turns them into NULL.');
SELECT is(cells('double precision', 'range', '1', '-Infinity', 'NaN', 'Infinity'), '22000 column "q" of publication "t" has 3 row(s) with NaN or infinity, which no range can hold / For example: "-Infinity", "NaN", "Infinity". / Declare a view that turns them into NULL.');
SELECT is(cells('real', 'range', '1', 'NaN', '3'), '22000 column "q" of publication "t" has 1 row(s) with NaN or infinity, which no range can hold / For example: "NaN". / Declare a view that turns them into NULL.');
SELECT is(cells('date', 'range', '2024-01-01', 'infinity', '2024-01-02'), '22000 column "q" of publication "t" has 1 row(s) with NaN or infinity, which no range can hold / For example: "infinity". / Declare a view that turns them into NULL.');
SELECT is(cells('timestamp', 'range', '2024-01-01', '-infinity', '2024-01-02'), '22000 column "q" of publication "t" has 1 row(s) with NaN or infinity, which no range can hold / For example: "-infinity". / Declare a view that turns them into NULL.');
SELECT is(cells('timestamptz', 'range', '2024-01-01', 'infinity', '2024-01-02'), '22000 column "q" of publication "t" has 1 row(s) with NaN or infinity, which no range can hold / For example: "infinity". / Declare a view that turns them into NULL.');

-- A withheld cell tells no end; a single value prints as it is; NULL is a value.
SELECT is(cells('int', 'range', '1', '9'), 'int4range: (,) x2');
SELECT is(cells('int', 'range', '1', '1', '9', '9'), 'int4range: [1,2) x2  [9,10) x2');
SELECT is(cells('int', 'range', '5', '5', '5'), 'int4range: [5,6) x3');
SELECT is(cells('int', 'range', NULL, NULL, '1', '2'), 'int4range: NULL x2  [1,3) x2');
SELECT is(cells('int', 'range', NULL, NULL, NULL), 'int4range: NULL x3');
SELECT is(cells('int', 'range', NULL, '1', '9'), 'int4range: (,) x3');
SELECT is(cells('int', 'range', NULL, NULL, '1', '1', '9', '9'), 'int4range: NULL x2  [1,2) x2  [9,10) x2');
SELECT is(cells('text', 'prefix', NULL, NULL, 'ab', 'ac'), 'text: NULL x2  a* x2');
SELECT is(cells('text', 'prefix', NULL, 'ab', 'ac'), 'text: * x3');
SELECT is(cells('text', 'suppress', NULL, NULL, 'x', 'x'), 'text: NULL x2  x x2');
SELECT is(cells('text', 'suppress', NULL, 'x', 'x'), 'text: * x3');

-- Prefixes: characters, not bytes.
SELECT is(cells('text', 'prefix', '53101', '53102', '54200', '54301'), 'text: 5310* x2  54* x2');
SELECT is(cells('text', 'prefix', 'a', 'ab', 'abc', 'x', 'xyz'), 'text: a* x3  x* x2');
SELECT is(cells('text', 'prefix', 'abcdefghz', 'abcdefgh', 'b', 'abcdefg', 'abcdefghi', 'bb', 'abcdefghia', 'abcdef'), 'text: abcdefgh* x2  b* x2  abcdef* x2  abcdefghi* x2');
SELECT is(cells('text', 'prefix', '', '', 'b', 'c'), 'text:  x2  * x2');
SELECT is(cells('text', 'prefix', '', 'a'), 'text: * x2');
SELECT is(cells('text', 'prefix', 'äöü', 'äöx', 'äx1', 'äx2'), 'text: äö* x2  äx* x2');
SELECT is(cells('text', 'prefix', 'é1', 'è1', 'ß', 'ß2'), 'text: * x2  ß* x2');
SELECT is(cells('varchar(3)', 'prefix', 'aa', 'ab', 'ba', 'bb'), 'text: a* x2  b* x2');
SELECT is(cells('char(4)', 'prefix', 'aa', 'ab', 'ba', 'bb'), 'text: a* x2  b* x2');
SELECT is(cells('name', 'prefix', 'aa', 'ab', 'ba', 'bb'), 'text: a* x2  b* x2');
SELECT ok(cells('text', 'prefix', repeat('x', 5000) || '1', repeat('x', 5000) || '2') = 'text: * x2');
SELECT is(cells('text', 'prefix', 'ends in *', 'a'), '22000 column "q" of publication "t" has 1 row(s) with values that end in "*", which generalised values end in / For example: "ends in *". / Declare a view that writes them differently.');
SELECT is(cells('text', 'suppress', '*', 'a'), '22000 column "q" of publication "t" has 1 row(s) with values that end in "*", which generalised values end in / For example: "*". / Declare a view that writes them differently.');

-- Suppress: any type that prints.
SELECT is(cells('text', 'suppress', 'F', 'F', 'M', 'M', 'X', 'Y'), 'text: F x2  M x2  * x2');
SELECT is(cells('bool', 'suppress', 't', 't', 'f', 'f'), 'text: t x2  f x2');
SELECT is(cells('int[]', 'suppress', '{1,2}', '{1,2}', '{}', '{}', '{NULL}', '{NULL}'), 'text: {1,2} x2  {} x2  {NULL} x2');
SELECT is(cells('jsonb', 'suppress', '{"a": 1}', '{"a":1}', '[]', 'null'), 'text: {"a": 1} x2  * x2');
SELECT is(cells('json', 'suppress', '{"a": 1}', '{"a":1}'), 'text: * x2');
SELECT is(cells('point', 'suppress', '(1,2)', '(1,2)'), 'text: (1,2) x2');
SELECT is(cells('uuid', 'suppress', '00000000-0000-0000-0000-000000000000', '00000000000000000000000000000000'), 'text: 00000000-0000-0000-0000-000000000000 x2');
SELECT is(cells('bytea', 'suppress', '\x00ff', '\x00ff'), 'text: \x00ff x2');
SELECT is(cells('interval', 'suppress', '1 day', '24 hours', '1 day'), 'text: * x3');
SELECT is(cells('char(3)', 'suppress', 'a', 'a ', 'b', 'b'), 'text: a x2  b x2');
SELECT is(cells('double precision', 'suppress', 'NaN', 'NaN', '-0', '0'), 'text: NaN x2  * x2');
SELECT is(cells('numeric', 'suppress', '1.0', '1.00'), 'text: * x2');

-- Domains and enums.
CREATE DOMAIN years AS int CHECK (VALUE BETWEEN 0 AND 150);
CREATE DOMAIN old_years AS years CHECK (VALUE > 60);
CREATE DOMAIN code AS varchar(5);
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
SELECT is(cells('years', 'range', '1', '2', '149', '150'), 'int4range: [1,3) x2  [149,151) x2');
SELECT is(cells('old_years', 'range', '70', '71', '149', '150'), 'int4range: [70,72) x2  [149,151) x2');
SELECT is(cells('code', 'prefix', 'aa', 'ab', 'ba', 'bb'), 'text: a* x2  b* x2');
SELECT is(cells('mood', 'suppress', 'sad', 'sad', 'happy', 'happy'), 'text: sad x2  happy x2');
SELECT is(cells('mood', 'range', 'sad', 'ok'), '42804 column "q" of type mood cannot be generalized to ranges / Ranges are for smallint, integer, bigint, numeric, real, double precision, date, timestamp and timestamptz; use "prefix", "taxonomy NAME" or "suppress", or a view that casts the column.');

-- Taxonomies.
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
SELECT is(cells('text', 'taxonomy letters', 'a', 'b', 'c', 'c'), 'text: ab x2  c x2');
SELECT is(cells('text', 'taxonomy letters', 'a', 'c', NULL, NULL), 'text: abcd x2  NULL x2');
SELECT is(cells('text', 'taxonomy letters', 'a', 'c', NULL), 'text: abcd x3');
SELECT is(cells('text', 'taxonomy letters', 'a', 'b', NULL, 'a'), 'text: a x2  abcd x2');
SELECT is(cells('varchar', 'taxonomy letters', 'a', 'b'), 'text: ab x2');
SELECT is(cells('char(3)', 'taxonomy letters', 'a', 'b'), 'text: ab x2');
SELECT is(cells('mood', 'taxonomy moods', 'sad', 'ok', 'happy', 'happy'), 'text: low x2  happy x2');
SELECT is(cells('text', 'taxonomy lone', 'lone', 'lone'), 'text: lone x2');
SELECT is(cells('text', 'taxonomy lone', 'lone', 'lone', NULL, NULL), 'text: lone x2  NULL x2');
SELECT is(cells('text', 'taxonomy lone', 'lone', NULL), 'text: lone x2');
SELECT is(cells('text', 'taxonomy letters', 'a', 'b', 'ab', 'A', 'x', 'y', 'z', 'x', 'x', 'v', 'w', 'u'), '22000 column "q" of publication "t" has 10 row(s) with values that taxonomy "letters" lacks / For example: "ab", "A", "x". / Add them with pprepub.extend_taxonomy() and adopt the extension with pprepub.alter_publication().');
SELECT is(cells('int', 'taxonomy decades', '0', '4', '10', '11', '19', '24', '20'), 'text: [0,5) x2  [10,20) x3  [20,25) x2');
SELECT is(cells('numeric', 'taxonomy decades', '4.999', '0', '5', '9.9'), 'text: [0,5) x2  [5,10) x2');
SELECT is(cells('real', 'taxonomy decades', '4.999', '0', '5', '9.9'), 'text: [0,5) x2  [5,10) x2');
SELECT pprepub.create_range_taxonomy('exact', 1234500, 1234700, '{1, 10}') \g /dev/null
SELECT is(cells('real', 'taxonomy exact', '1234567', '1234567', '1234599', '1234599'), 'text: [1234567,1234568) x2  [1234599,1234600) x2');
SELECT is(cells('double precision', 'taxonomy decades', '9.999999999999998', '5', '10', '10'), 'text: [5,10) x2  [10,15) x2');
SELECT pprepub.drop_taxonomy('exact') \g /dev/null
CREATE TABLE answers (leaf bool, root text);
INSERT INTO answers VALUES (true, 'any'), (false, 'any');
SELECT pprepub.create_taxonomy('answers', 'answers') \g /dev/null
SELECT is(cells('bool', 'taxonomy answers', 'true', 'true', 'false', 'false'), 'text: t x2  f x2');
SELECT pprepub.drop_taxonomy('answers') \g /dev/null
DROP TABLE answers;
SELECT is(cells('numeric', 'range', '1.50', '1.5', '1.500', '2', '3'), 'numrange: [1.5,1.5] x3  [2,3.1) x2');
SELECT is(cells('numeric', 'range', '1.5', '1.500', '1.50', '2', '3'), 'numrange: [1.5,1.5] x3  [2,3.1) x2');
SELECT is(cells('int', 'taxonomy decades', '-1', '25', '3', '1000000'), '22000 column "q" of publication "t" has 3 row(s) with values that taxonomy "decades" lacks / For example: "-1", "25", "1000000". / Declare the publication with a ladder that holds them, or a view that turns them into NULL.');
SELECT is(cells('double precision', 'taxonomy decades', 'NaN', 'Infinity', '1'), '22000 column "q" of publication "t" has 2 row(s) with values that taxonomy "decades" lacks / For example: "NaN", "Infinity". / Declare the publication with a ladder that holds them, or a view that turns them into NULL.');
SELECT is(cells('int', 'taxonomy decades', NULL, NULL, '3', '4'), 'text: NULL x2  [0,5) x2');
-- Ends without a step are rounded outwards, for a tenth of the cell's width, but not past the next end.
SELECT is(cells('double precision', 'range', '48.005380749020226', '48.0579281110815', '52', '53'), 'numrange: [48.005,48.06) x2  [52,53.1) x2');
SELECT is(cells('int', 'range', '21340', '36870', '38200', '60000'), 'int4range: [20000,37000) x2  [38000,61000) x2');
SELECT is(cells('int', 'range', '1000', '2990', '2995', '5000'), 'int4range: [1000,2995) x2  [2995,5100) x2');
SELECT is(cells('int', 'range', '1000', '2990', '3000', '5000'), 'int4range: [1000,3000) x2  [3000,5100) x2');
SELECT is(cells('int', 'range', '10', '36', '37', '99'), 'int4range: [10,37) x2  [37,100) x2');
SELECT is(cells('int', 'range', '13', '22', '36', '45'), 'int4range: [13,23) x2  [36,46) x2');
SELECT is(cells('int', 'range', '-987', '-123', '-9', '1003'), 'int4range: [-1000,-100) x2  [-100,1100) x2');
SELECT is(cells('bigint', 'range', '-9223372036854775808', '-8000000000000000000', '8000000000000000001', '9223372036854775806'), 'int8range: (,-7900000000000000000) x2  [8000000000000000000,9223372036854775807) x2');
SELECT is(cells('smallint', 'range', '-32768', '-30001', '30001', '32767'), 'int4range: [-33000,-30000) x2  [30000,33000) x2');
SELECT is(cells('numeric', 'range', '0.0012345', '0.0019876', '1234567.89', '1234599.99'), 'numrange: [0.0012,0.002) x2  [1234565,1234600) x2');
SELECT is(cells('numeric', 'range', '1.1', '1.10000000000000000000000000000000000000000000000001', '1e20', '2e20'), 'numrange: [1.1,1.10000000000000000000000000000000000000000000000001] x2  [100000000000000000000,210000000000000000000) x2');
SELECT is(cells('date', 'range', '1931-02-03', '1989-11-09', '2001-09-11', '2024-02-29'), 'daterange: [01-01-1930,01-01-1990) x2  [01-01-2000,01-01-2025) x2');
SELECT is(cells('timestamp', 'range', '2026-05-11 18:48:51.119926', '2026-06-20 03:00:17.5', '2026-07-01', '2026-07-01 00:00:00.000011'), 'tsrange: ["Mon May 11 00:00:00 2026","Sun Jun 21 00:00:00 2026") x2  ["Wed Jul 01 00:00:00 2026","Wed Jul 01 00:00:00.000012 2026") x2');
SELECT is(cells('timestamptz', 'range', '2026-05-11 18:48:51.119926+2', '2026-05-11 19:58:01+2', '2026-05-12 18:48:51+2', '2030-05-12 18:48:51+2'), 'tstzrange: ["Mon May 11 09:48:00 2026 PDT","Mon May 11 11:00:00 2026 PDT") x2  ["Mon May 11 17:00:00 2026 PDT","Sun Jun 30 17:00:00 2030 PDT") x2');

-- Steps: cells begin and end at multiples of them, rounded outwards, also where all have one value.
SELECT is(cells('int', 'range 5', '22', '24', '36', '37'), 'int4range: [20,25) x2  [35,40) x2');
SELECT is(cells('int', 'range 5', '22', '22', '22', '22'), 'int4range: [20,25) x2  [20,25) x2');
SELECT is(cells('int', 'range 5', '20', '20', '25', '25', '44', '45'), 'int4range: [20,25) x2  [25,30) x2  [40,50) x2');
SELECT is(cells('int', 'range 5', '-1', '-5', '-6', '-7', '0', '4'), 'int4range: [-5,0) x2  [-10,-5) x2  [0,5) x2');
SELECT is(cells('int', 'range 5', NULL, NULL, '1', '2'), 'int4range: NULL x2  [0,5) x2');
SELECT is(cells('int', 'range 5', NULL, '1', '9'), 'int4range: (,) x3');
SELECT is(cells('int', 'range 5', '1', '9'), 'int4range: (,) x2');
SELECT is(cells('int', 'range 5', '1', '1', '9', '9', '30', '90'), 'int4range: [0,5) x2  [5,10) x2  [30,95) x2');
SELECT is(cells('old_years', 'range 10', '70', '71', '149', '150'), 'int4range: [70,80) x2  [140,160) x2');
SELECT is(cells('smallint', 'range 1000', '-32768', '-32767', '32766', '32767'), 'int4range: [-33000,-32000) x2  [32000,33000) x2');
SELECT is(cells('smallint', 'range 100000', '-32768', '-1', '0', '32767'), 'int4range: [-100000,0) x2  [0,100000) x2');
SELECT is(cells('int', 'range 5', '-2147483648', '-2147483647', '2147483646', '2147483647'), 'int4range: (,-2147483645) x2  [2147483645,) x2');
SELECT is(cells('int', 'range 2147483647', '-2147483648', '-2147483648', '-2147483647', '-1', '0', '2147483646', '2147483647', '2147483647'), 'int4range: (,-2147483647) x2  [-2147483647,0) x2  [0,2147483647) x2  [2147483647,) x2');
SELECT is(cells('bigint', 'range 10', '-9223372036854775808', '-9223372036854775807', '9223372036854775806', '9223372036854775807'), 'int8range: (,-9223372036854775800) x2  [9223372036854775800,) x2');
SELECT is(cells('bigint', 'range 9223372036854775807', '-9223372036854775808', '-9223372036854775808', '-7', '-1', '0', '3', '9223372036854775807', '9223372036854775807'), 'int8range: (,-9223372036854775807) x2  [-9223372036854775807,0) x2  [0,9223372036854775807) x2  [9223372036854775807,) x2');
SELECT is(cells('numeric', 'range 0.25', '0.10', '0.24', '0.25', '0.3', '-0.1', '-0.25', '1e40', '1.0000000000000000000000000000000000000001e40'), 'numrange: [0,0.25) x2  [0.25,0.5) x2  [-0.25,0) x2  [10000000000000000000000000000000000000000,10000000000000000000000000000000000000001.25) x2');
SELECT is(cells('numeric(6,2)', 'range 10.00', '0.10', '9.99', '1000', '1009.99'), 'numrange: [0,10) x2  [1000,1010) x2');
SELECT is(cells('numeric', 'range .5', '1.50', '1.5', '1.500', '2', '3'), 'numrange: [1.5,2) x3  [2,3.5) x2');
SELECT is(cells('real', 'range 0.1', '0.1', '0.3', '1234567.8', '1234567.9'), 'numrange: [0.1,0.4) x2  [1234567.8,1234568) x2');
SELECT is(cells('double precision', 'range 0.1', '0.1', '0.30000000000000004', '-1e15', '-1.01e15'), 'numrange: [0.1,0.4) x2  [-1010000000000000,-999999999999999.9) x2');
SELECT is(cells('double precision', 'range 2', '-0', '0', '5e-324', '1.9', '-5e-324', '-1.9'), 'numrange: [0,2) x2  [0,2) x2  [-2,0) x2');
SELECT is(cells('date', 'range 1 week', '2024-02-28', '2024-02-29', '1999-12-31', '2000-01-02'), 'daterange: [02-26-2024,03-04-2024) x2  [12-27-1999,01-03-2000) x2');
SELECT is(cells('date', 'range 1 month', '2024-02-28', '2024-02-29', '2030-12-01', '2031-01-31'), 'daterange: [02-01-2024,03-01-2024) x2  [12-01-2030,02-01-2031) x2');
SELECT is(cells('date', 'range 3 months', '2024-02-28', '2024-03-31', '2024-04-01', '2024-04-02'), 'daterange: [01-01-2024,04-01-2024) x2  [04-01-2024,07-01-2024) x2');
SELECT is(cells('date', 'range 10 Years', '1999-12-31', '1990-01-01', '2000-01-01', '2009-12-31'), 'daterange: [01-01-1990,01-01-2000) x2  [01-01-2000,01-01-2010) x2');
SELECT is(cells('date', 'range 100 years', '0100-05-05 BC', '0099-01-01 BC', '0001-01-01 BC', '0099-12-31'), 'daterange: ["01-01-0101 BC","01-01-0001 BC") x2  ["01-01-0001 BC",01-01-0100) x2');
SELECT is(cells('date', 'range 1 year', '4713-01-01 BC', '4713-12-31 BC', '5874896-12-31', '5874897-12-31'), 'daterange: ["01-01-4713 BC","01-01-4712 BC") x2  [01-01-5874896,) x2');
SELECT is(cells('date', 'range 7 days', '4714-11-24 BC', '4714-11-25 BC', '5874897-12-30', '5874897-12-31'), 'daterange: (,"12-01-4714 BC") x2  [12-30-5874897,) x2');
SELECT is(cells('timestamp', 'range 1 day', '2024-02-28 18:48:51.119926', '2024-02-29 00:00', '1999-12-31 23:59:59.999999', '1999-12-31 00:00'), 'tsrange: ["Wed Feb 28 00:00:00 2024","Fri Mar 01 00:00:00 2024") x2  ["Fri Dec 31 00:00:00 1999","Sat Jan 01 00:00:00 2000") x2');
SELECT is(cells('timestamp', 'range 12 hours', '2024-02-28 11:59:59.999999', '2024-02-28 00:00', '2024-02-28 12:00', '2024-02-28 23:00'), 'tsrange: ["Wed Feb 28 00:00:00 2024","Wed Feb 28 12:00:00 2024") x2  ["Wed Feb 28 12:00:00 2024","Thu Feb 29 00:00:00 2024") x2');
SELECT is(cells('timestamp', 'range 90 minutes', '2024-02-28 01:29', '2024-02-28 00:00', '2024-02-28 01:30', '2024-02-28 02:59:59'), 'tsrange: ["Wed Feb 28 00:00:00 2024","Wed Feb 28 01:30:00 2024") x2  ["Wed Feb 28 01:30:00 2024","Wed Feb 28 03:00:00 2024") x2');
SELECT is(cells('timestamp', 'range 1 month', '4713-01-01 BC', '4713-01-31 BC', '294276-12-01', '294276-12-31 23:59:59.999999'), 'tsrange: ["Thu Jan 01 00:00:00 4713 BC","Sun Feb 01 00:00:00 4713 BC") x2  ["Fri Dec 01 00:00:00 294276",) x2');
SELECT is(cells('timestamp', 'range 1 week', '4714-11-24 BC', '4714-11-25 BC', '294276-12-31', '294276-12-31 23:59:59.999999'), 'tsrange: (,"Mon Dec 01 00:00:00 4714 BC") x2  ["Mon Dec 25 00:00:00 294276",) x2');
SELECT is(cells('timestamptz', 'range 1 day', '2024-02-28 23:30+00', '2024-02-29 01:00+02', '2030-01-01 00:00:00.000001+0', '2030-01-01 23:59+0'), 'tstzrange: ["Tue Feb 27 16:00:00 2024 PST","Wed Feb 28 16:00:00 2024 PST") x2  ["Mon Dec 31 16:00:00 2029 PST","Tue Jan 01 16:00:00 2030 PST") x2');
SELECT is(cells('timestamptz', 'range 1 year', '2024-01-01 00:30+01', '2023-05-05 00:00+0', '2024-01-01 00:00+0', '2024-12-31 23:59+0'), 'tstzrange: ["Sat Dec 31 16:00:00 2022 PST","Sun Dec 31 16:00:00 2023 PST") x2  ["Sun Dec 31 16:00:00 2023 PST","Tue Dec 31 16:00:00 2024 PST") x2');
SELECT is(cells('int', 'range 5', '1', '2', '3'), 'int4range: [0,5) x3');
SELECT is(cells('double precision', 'range 5', '1', '-Infinity', 'NaN', 'Infinity'), '22000 column "q" of publication "t" has 3 row(s) with NaN or infinity, which no range can hold / For example: "-Infinity", "NaN", "Infinity". / Declare a view that turns them into NULL.');
SELECT is(cells('numeric', 'range 5', '1', '2', 'NaN', 'Infinity'), '22000 column "q" of publication "t" has 2 row(s) with NaN or infinity, which no range can hold / For example: "NaN", "Infinity". / Declare a view that turns them into NULL.');
SELECT is(cells('timestamp', 'range 1 day', '2024-01-01', '-infinity', '2024-01-02'), '22000 column "q" of publication "t" has 1 row(s) with NaN or infinity, which no range can hold / For example: "-infinity". / Declare a view that turns them into NULL.');
SELECT is(cells('date', 'range 1 year', '2024-01-01', 'infinity', '2024-01-02'), '22000 column "q" of publication "t" has 1 row(s) with NaN or infinity, which no range can hold / For example: "infinity". / Declare a view that turns them into NULL.');

-- Steps that are none.
SELECT is(cells('int', 'range 0', '1'), '22023 step "0" of quasi-identifier "q" is not greater than 0 / A step of type integer is a whole number: "range 5".');
SELECT is(cells('int', 'range -5', '1'), '22023 step "-5" of quasi-identifier "q" is not greater than 0 / A step of type integer is a whole number: "range 5".');
SELECT is(cells('int', 'range 2.5', '1'), '22023 step "2.5" of quasi-identifier "q" is no whole number / A step of type integer is a whole number: "range 5".');
SELECT is(cells('int', 'range ', '1'), '22023 step "" of quasi-identifier "q" does not begin with a whole number / A step of type integer is a whole number: "range 5".');
SELECT is(cells('int', 'range  5', '1'), '22023 step " 5" of quasi-identifier "q" does not begin with a whole number / A step of type integer is a whole number: "range 5".');
SELECT is(cells('int', 'range five', '1'), '22023 step "five" of quasi-identifier "q" does not begin with a whole number / A step of type integer is a whole number: "range 5".');
SELECT is(cells('int', 'range 1 day', '1'), '22023 step "1 day" of quasi-identifier "q" is no whole number / A step of type integer is a whole number: "range 5".');
SELECT is(cells('int', 'range 2147483648', '1'), '22023 step "2147483648" of quasi-identifier "q" is too large / A step of type integer is a whole number: "range 5".');
SELECT is(cells('smallint', 'range 99999999999999999999', '1'), '22023 step "99999999999999999999" of quasi-identifier "q" is too large / A step of type smallint is a whole number: "range 5".');
SELECT is(cells('numeric', 'range 0.00', '1'), '22023 step "0.00" of quasi-identifier "q" is not greater than 0 / A step of type numeric is a number: "range 0.5".');
SELECT is(cells('numeric', 'range -0.5', '1'), '22023 step "-0.5" of quasi-identifier "q" is not greater than 0 / A step of type numeric is a number: "range 0.5".');
SELECT is(cells('numeric', 'range NaN', '1'), '22023 step "NaN" of quasi-identifier "q" is no number / A step of type numeric is a number: "range 0.5".');
SELECT is(cells('double precision', 'range Infinity', '1'), '22023 step "Infinity" of quasi-identifier "q" is no number / A step of type double precision is a number: "range 0.5".');
SELECT is(cells('double precision', 'range 1e3', '1'), '22023 step "1e3" of quasi-identifier "q" is no number / A step of type double precision is a number: "range 0.5".');
SELECT is(cells('real', 'range .', '1'), '22023 step "." of quasi-identifier "q" is no number / A step of type real is a number: "range 0.5".');
SELECT is(cells('date', 'range 5', '2024-01-01'), '22023 step "5" of quasi-identifier "q" is no length of time / A step of type date is a whole number of days, weeks, months or years: "range 1 week".');
SELECT is(cells('date', 'range 12 hours', '2024-01-01'), '22023 step "12 hours" of quasi-identifier "q" is no whole number of days / A step of type date is a whole number of days, weeks, months or years: "range 1 week".');
SELECT is(cells('date', 'range -1 day', '2024-01-01'), '22023 step "-1 day" of quasi-identifier "q" is not greater than 0 / A step of type date is a whole number of days, weeks, months or years: "range 1 week".');
SELECT is(cells('date', 'range 0 days', '2024-01-01'), '22023 step "0 days" of quasi-identifier "q" is not greater than 0 / A step of type date is a whole number of days, weeks, months or years: "range 1 week".');
SELECT is(cells('date', 'range 1 month 3 days', '2024-01-01'), '22023 step "1 month 3 days" of quasi-identifier "q" is no length of time / A step of type date is a whole number of days, weeks, months or years: "range 1 week".');
SELECT is(cells('date', 'range 1 fortnight', '2024-01-01'), '22023 step "1 fortnight" of quasi-identifier "q" is no length of time / A step of type date is a whole number of days, weeks, months or years: "range 1 week".');
SELECT is(cells('date', 'range 99999999999 years', '2024-01-01'), '22023 step "99999999999 years" of quasi-identifier "q" is too large / A step of type date is a whole number of days, weeks, months or years: "range 1 week".');
SELECT is(cells('timestamp', 'range 9999999999999 weeks', '2024-01-01'), '22023 step "9999999999999 weeks" of quasi-identifier "q" is too large / A step of type timestamp without time zone is a whole number of seconds, minutes, hours, days, weeks, months or years: "range 12 hours".');
SELECT is(cells('timestamptz', 'range 1.5 days', '2024-01-01'), '22023 step "1.5 days" of quasi-identifier "q" is no length of time / A step of type timestamp with time zone is a whole number of seconds, minutes, hours, days, weeks, months or years: "range 12 hours".');
SELECT is(cells('timestamptz', 'range days', '2024-01-01'), '22023 step "days" of quasi-identifier "q" does not begin with a whole number / A step of type timestamp with time zone is a whole number of seconds, minutes, hours, days, weeks, months or years: "range 12 hours".');
SELECT is(cells('text', 'range 5', 'a'), '42804 column "q" of type text cannot be generalized to ranges / Ranges are for smallint, integer, bigint, numeric, real, double precision, date, timestamp and timestamptz; use "prefix", "taxonomy NAME" or "suppress", or a view that casts the column.');
SELECT is(cells('text', 'prefix 5', 'a'), '22023 unknown kind "prefix 5" for quasi-identifier "q" / Kinds are "range", "range STEP", "prefix", "taxonomy NAME" and "suppress".');

-- Kinds of data that people publish, as functions of a number of rows: few values and many, evenly spread and skewed,
-- tuples that repeat and tuples that are nearly all different, few columns and many, flat and deep.
--
-- A kind is a row of table kind: the columns of its rows, made from i, and how they are generalised.

-- Below n, small numbers far more often: the exponent says how much.
CREATE FUNCTION skewed(n int, exponent float8) RETURNS int LANGUAGE sql VOLATILE PARALLEL RESTRICTED AS $$ SELECT (n * random() ^ exponent)::int % n $$;

CREATE TABLE kind (position serial, name text PRIMARY KEY, columns text, quasi_identifiers jsonb, note text);
INSERT INTO kind (name, columns, quasi_identifiers, note) VALUES
	('few', 'skewed(73, 2) AS a, skewed(7, 2) AS b, skewed(2, 1)::text AS c', '{"a": "range", "b": "range", "c": "suppress"}', 'three columns of few values'),
	('prefix4', '17 + skewed(73, 2) AS a, skewed(7, 1.5) AS b, skewed(2, 1)::text AS c, lpad(skewed(9500, 3)::text, 4, ''0'') AS d',
		'{"a": "range", "b": "range", "c": "suppress", "d": "prefix"}', 'few values, and 9,500 prefixes of 4 digits, skewed'),
	('prefix12', '17 + skewed(73, 1) AS a, skewed(2, 1)::text AS b, lpad((skewed(1000000, 4)::bigint * 1000000 + skewed(1000000, 2))::text, 12, ''0'') AS c',
		'{"a": "range", "b": "suppress", "c": "prefix"}', 'prefixes of 12 digits, nearly all different'),
	('unique', '(1e6 * random())::int AS a, (1e6 * random() * random())::int AS b, skewed(2, 1)::text AS c', '{"a": "range", "b": "range", "c": "suppress"}',
		'two ranges of a million values: tuples nearly all different'),
	('deep', '17 + skewed(73, 1) AS a, skewed(16384, 2)::text AS b, skewed(2, 1)::text AS c', '{"a": "range", "b": "taxonomy deep", "c": "suppress"}', 'a taxonomy of 14 levels'),
	('many', (SELECT string_agg(format('skewed(%s, %s) AS c%s', 2 + i % 9, 1 + i % 3, i), ', ') FROM generate_series(1, 20) i),
		(SELECT jsonb_object_agg('c' || i, 'range') FROM generate_series(1, 20) i), '20 columns of 2 to 10 values');

-- Levels of a taxonomy over 0 .. 16383: each node has two children.
CREATE VIEW deep_levels AS
	SELECT i::text AS leaf, 'n1_' || i / 2 AS l1, 'n2_' || i / 4 AS l2, 'n3_' || i / 8 AS l3, 'n4_' || i / 16 AS l4, 'n5_' || i / 32 AS l5, 'n6_' || i / 64 AS l6, 'n7_' || i / 128 AS l7,
		'n8_' || i / 256 AS l8, 'n9_' || i / 512 AS l9, 'n10_' || i / 1024 AS l10, 'n11_' || i / 2048 AS l11, 'n12_' || i / 4096 AS l12, 'n13_' || i / 8192 AS l13, 'all' AS l14
	FROM generate_series(0, 16383) i;
SELECT pprepub.create_taxonomy('deep', 'deep_levels') \g /dev/null

-- Makes rows of a kind, in table people.
CREATE PROCEDURE make(kind text, n int) LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE IF EXISTS people;
	PERFORM setseed(0.5);
	EXECUTE (SELECT format('CREATE TABLE people AS SELECT i AS id, %s, skewed(50, 1.5) AS sensitive FROM generate_series(1, %s) i', k.columns, n) FROM kind k WHERE k.name = make.kind);
	ALTER TABLE people ADD PRIMARY KEY (id);
	ANALYZE people;
	PERFORM pprepub.create_publication('people', 'people', 'id', (SELECT k.quasi_identifiers FROM kind k WHERE k.name = make.kind), 'sensitive',
		params => '{"k": 10, "l": 3, "repair": "dirty", "reserve": 1}');
END
$$;

CREATE TABLE run (kind text, n int, what text, value float8);

CREATE FUNCTION peak_bytes() RETURNS float8 LANGUAGE sql VOLATILE AS $$
	SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+) kB'))[1]::float8 * 1024
$$;

-- Seconds of the processor that this session has had; other work does not count.
CREATE FUNCTION cpu() RETURNS float8 LANGUAGE sql VOLATILE AS $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9 $$;

-- Sorts and previews in turn; the sort's result is discarded on the server.
CREATE PROCEDURE measure_run(kind text, n int, keys text) LANGUAGE plpgsql AS $$
DECLARE
	start float8;
BEGIN
	FOR i IN 1..3 LOOP
		start := cpu();
		EXECUTE format('SELECT count(*) FROM (SELECT id FROM people ORDER BY %s, sensitive OFFSET 0) s', keys);
		INSERT INTO run VALUES (kind, n, 'sort', cpu() - start);
		start := cpu();
		INSERT INTO run SELECT kind, n, metric, value FROM pprepub.preview('people');
		INSERT INTO run VALUES (kind, n, 'preview', cpu() - start);
	END LOOP;
END
$$;

-- Times of auditing imports of "everybody", the first half of it and all: see run.

CREATE TABLE figure (people int, tables int, known float8, keys int, seconds float8, rows bigint, exact bigint);
CREATE TABLE people (id int PRIMARY KEY, age int, education text, race text, sex text, marital_status text, occupation text);
CREATE VIEW decades AS SELECT id, int4range(age / 10 * 10, age / 10 * 10 + 10) AS age, education, race, sex, '*' AS marital_status, occupation FROM people;
CREATE VIEW states AS SELECT id, int4range(age / 20 * 20, age / 20 * 20 + 20) AS age, '*' AS education, race, '*' AS sex, marital_status, occupation FROM people;

-- The better of two runs.
CREATE PROCEDURE measure(tables int, known float8) LANGUAGE plpgsql AS $$
DECLARE
	keys text[] := ARRAY(SELECT id::text FROM people WHERE abs(hashint8extended(id, 3) % 1000000) < known * 1000000);
	start timestamptz;
	best float8;
	n bigint;
	certain bigint;
BEGIN
	FOR i IN 1 .. 2 LOOP
		start := clock_timestamp();
		SELECT count(*), count(*) FILTER (WHERE exact) INTO n, certain FROM pprepub.compromise('people', keys);
		best := least(best, extract(epoch FROM clock_timestamp() - start));
	END LOOP;
	INSERT INTO figure VALUES ((SELECT count(*) FROM people), tables, known, cardinality(keys), best, n, certain);
END $$;

CREATE PROCEDURE audit(most int) LANGUAGE plpgsql AS $$
DECLARE
	classes int;
BEGIN
	INSERT INTO people SELECT * FROM everybody WHERE id <= most;
	ANALYZE people;
	PERFORM pprepub.create_publication('people', 'people', 'id',
		'{"age": "range", "education": "suppress", "race": "suppress", "sex": "suppress", "marital_status": "suppress"}', 'occupation', 'bpg', '{"k": 2, "l": 2, "repair": "dirty", "reserve": 1}');
	FOR tables IN 1 .. 2 LOOP
		SELECT i.classes INTO classes FROM pprepub.import_release('people', (CASE tables WHEN 1 THEN 'decades' ELSE 'states' END)::regclass, 'id') i;
		RAISE INFO '% people: table % has % classes', most, tables, classes;
		CALL measure(tables, 0.0001);
		CALL measure(tables, 0.04);
	END LOOP;
	PERFORM pprepub.drop_publication('people', true);
	TRUNCATE people;
END $$;

SELECT max(id) / 2 AS half, max(id) AS whole FROM everybody \gset
CALL audit(:half);
CALL audit(:whole);

\echo
\echo what they find out who know so many people (keys), in rows, and how many of these are exact: seconds, and times what half of the people take
SELECT tables, people, keys, rows, exact, round(f.seconds::numeric, 2) AS seconds, round((f.seconds / h.seconds)::numeric, 1) AS times_half
FROM figure f LEFT JOIN (SELECT tables, known, people * 2 AS people, seconds FROM figure) h USING (tables, known, people)
ORDER BY tables, known, people;

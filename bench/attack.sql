-- attack() on long lives: 200,000 people, of whom 2,000 are replaced from release to release; k = l = 10,
-- reserve 20, 50 sensitive values: test/run bench attack
--
-- Half as many releases, and half as many people, stand beside to show how it grows.
-- Memory is the growth of the peak resident set of a backend that does nothing else, without
-- what it touched of shared buffers.
\i test/data/census.sql
\i test/data/census_levels.sql
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;

CREATE TABLE people AS SELECT row_number() OVER (ORDER BY hashint8extended(id, 42)) AS number, * FROM census(400000);
CREATE UNIQUE INDEX ON people (number);
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,country}'::text[]) name \g /dev/null

CREATE TABLE current (id int PRIMARY KEY, age int, sex text, education text, country text, salary_class int);
CREATE TABLE figure (position serial, repair text, people int, releases int, rows bigint, revealed bigint, broken bigint,
	seconds float8, bytes float8);

\i test/lib/peak_bytes.sql

CREATE PROCEDURE come(first int, last int) LANGUAGE sql AS $$
	INSERT INTO current SELECT id, age, sex, education, country, salary_class FROM people WHERE number BETWEEN first AND last
$$;

CREATE PROCEDURE begin_life(size int, mend text) LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT FROM pprepub.publication) THEN
		PERFORM pprepub.drop_publication('current', true);
	END IF;
	TRUNCATE current;
	CALL come(1, size);
	PERFORM pprepub.create_publication('current', 'current', 'id',
		'{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country"}',
		'salary_class', 'bpg', jsonb_build_object('k', 10, 'l', 10, 'reserve', 20, 'repair', mend));
END
$$;

CREATE PROCEDURE live(size int, last int) LANGUAGE plpgsql AS $$
DECLARE
	rate int := size / 100;
BEGIN
	FOR n IN (SELECT releases + 1 FROM pprepub.publication) .. last LOOP
		PERFORM pprepub.publish('current');
		DELETE FROM current WHERE id IN (SELECT id FROM current ORDER BY hashint8extended(id, n) LIMIT rate);
		CALL come(size + 1 + (n - 1) * rate, size + n * rate);
		COMMIT;
	END LOOP;
END
$$;

CREATE PROCEDURE measure(mend text, size int) LANGUAGE plpgsql AS $$
DECLARE
	before float8 := peak_bytes();
	start timestamptz := clock_timestamp();
BEGIN
	INSERT INTO figure (repair, people, releases, revealed, broken)
	SELECT mend, size, max(release) FILTER (WHERE kind = 'atom'), count(*), count(*) FILTER (WHERE NOT holds) FROM pprepub.attack('current');
	UPDATE figure SET seconds = extract(epoch FROM clock_timestamp() - start), bytes = peak_bytes() - before,
		rows = (SELECT sum(r.rows) FROM pprepub.release r WHERE r.publication = 'current')
	WHERE seconds IS NULL;
END
$$;

CALL begin_life(100000, 'counterfeit');
CALL live(100000, 100);
\c -
CALL measure('counterfeit', 100000);
SET client_min_messages = error;
CALL begin_life(200000, 'counterfeit');
CALL live(200000, 50);
\c -
CALL measure('counterfeit', 200000);
CALL live(200000, 100);
\c -
CALL measure('counterfeit', 200000);
SET client_min_messages = error;
CALL begin_life(200000, 'dirty');
CALL live(200000, 100);
\c -
CALL measure('dirty', 200000);

\echo
\echo attack()
SELECT repair, people, releases, rows, revealed, broken, round(seconds::numeric, 2) AS seconds,
	round((1e9 * seconds / rows)::numeric) AS ns_a_row, round(bytes::numeric / 1e6) AS mb, round((bytes / rows)::numeric, 1) AS bytes_a_row
FROM figure ORDER BY position;

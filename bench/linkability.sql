-- linkability() on the configurations of paper 000's table 6, over census-like people whose cells were generalised at
-- random, each by itself: test/run bench linkability
--
-- Beside each audit, SELECT DISTINCT over the same columns of the same releases: the least that anybody can do who looks
-- at all rows.  The audit reads the history and the source, too.  Memory is the growth of the peak resident set of a
-- backend that does nothing else, without what it touched of shared buffers.  How the algorithms do by themselves, beside
-- the paper's, record by record: test/run bench joins
\set QUIET on
\i test/data/census.sql
\i test/lib/planted.sql
SET client_min_messages = error;

CREATE TABLE everybody AS SELECT * FROM census(500000);
CREATE TABLE figure (position serial, configuration text, people int, releases int, seconds float8, distinct_seconds float8, bytes float8,
	linkability int, diversity float8, edges bigint, cliques numeric);

\i test/lib/peak_bytes.sql

-- Each cell is at one of the levels of a taxonomy: the value, a group, all.
CREATE FUNCTION recode(value int, width int) RETURNS int4range LANGUAGE sql VOLATILE AS $$
	SELECT CASE floor(random() * 3)::int WHEN 0 THEN int4range(value, value, '[]') WHEN 1 THEN int4range(value / width * width, value / width * width + width) ELSE '(,)' END
$$;
CREATE FUNCTION recode(value text) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT CASE WHEN random() < 0.5 THEN value ELSE '*' END $$;

-- Values of a column of a release, if it shows it.
CREATE FUNCTION shown_as(name text, is_shown boolean) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN name IN ('age', 'education') THEN CASE WHEN is_shown THEN format('recode(%s, %s)', name, CASE name WHEN 'age' THEN 10 ELSE 4 END) ELSE '''(,)''::int4range' END
		WHEN name = 'occupation' THEN CASE WHEN is_shown THEN name ELSE 'NULL' END
		ELSE CASE WHEN is_shown THEN format('recode(%s)', name) ELSE '''*''' END END || ' AS ' || name
$$;

-- Releases from the second one on with these columns each, of so many people; the first is of everybody, since planted people keep their places.
CREATE PROCEDURE prepare(size int, VARIADIC shown text[]) LANGUAGE plpgsql AS $$
DECLARE
	names text;
BEGIN
	IF EXISTS (SELECT FROM pprepub.publication) THEN
		PERFORM pprepub.drop_publication('people', true);
		DROP TABLE people;
	END IF;
	CREATE TABLE people AS SELECT id, age, array_position('{Preschool,1st-4th,5th-6th,7th-8th,9th,10th,11th,12th,GED,HS-grad,Some-college,Assoc-voc,Assoc-acdm,Bachelors,Masters,Doctorate,Prof-school}', education) AS education,
		sex, race, country, marital_status, occupation FROM everybody WHERE id <= size;
	PERFORM pprepub.create_publication('people', 'people', 'id',
		'{"age": "range", "education": "range", "sex": "suppress", "race": "suppress", "country": "suppress", "marital_status": "suppress"}',
		'occupation', 'bpg', '{"k": 1, "repair": "dirty", "reserve": 1}');
	PERFORM pprepub.publish('people', columns => '{sex}');
	FOREACH names IN ARRAY shown LOOP
		PERFORM planted.release('people', (SELECT format('SELECT id AS key, %s FROM people', string_agg(shown_as(c, c = ANY (string_to_array(names, ','))), ', '))
			FROM unnest('{age,education,sex,race,country,marital_status,occupation}'::text[]) c), string_to_array(names, ',')::name[]);
	END LOOP;
END
$$;

CREATE FUNCTION others() RETURNS int[] LANGUAGE sql AS $$
	SELECT array_agg(number ORDER BY number) FROM pprepub.release WHERE publication = 'people' AND number > 1
$$;

-- The better of two runs, of which the first has everything to read.
CREATE PROCEDURE measure(name text) LANGUAGE plpgsql AS $$
DECLARE
	before float8 := peak_bytes();
	best float8;
	distinct_best float8 := 0;
	start timestamptz;
	found record;
	release record;
	shortest float8;
BEGIN
	FOR i IN 1 .. 2 LOOP
		start := clock_timestamp();
		SELECT * INTO found FROM pprepub.linkability('people', others());
		best := least(best, extract(epoch FROM clock_timestamp() - start));
	END LOOP;
	INSERT INTO figure (configuration, people, releases, seconds, bytes, linkability, diversity, edges, cliques)
	VALUES (name, (SELECT count(*) FROM people), found.releases, best, peak_bytes() - before, found.linkability, found.diversity, found.edges, found.cliques);
	FOR release IN SELECT * FROM pprepub.release r WHERE r.number = ANY (others()) LOOP
		shortest := NULL;
		FOR i IN 1 .. 2 LOOP
			start := clock_timestamp();
			EXECUTE format('SELECT count(*) FROM (SELECT DISTINCT %s FROM %s) d', array_to_string(release.columns, ', '), release.relation);
			shortest := least(shortest, extract(epoch FROM clock_timestamp() - start));
		END LOOP;
		distinct_best := distinct_best + shortest;
	END LOOP;
	UPDATE figure SET distinct_seconds = distinct_best WHERE distinct_seconds IS NULL;
END
$$;

CALL prepare(100000, 'age,education', 'age,occupation');
\c -
SET client_min_messages = error;
CALL measure('CENSUS-1');
CALL prepare(200000, 'age,education', 'age,occupation');
\c -
SET client_min_messages = error;
CALL measure('CENSUS-1');
CALL prepare(300000, 'age,education', 'age,occupation');
\c -
SET client_min_messages = error;
CALL measure('CENSUS-1');
CALL prepare(400000, 'age,education', 'age,occupation');
\c -
SET client_min_messages = error;
CALL measure('CENSUS-1');
CALL prepare(500000, 'age,education', 'age,occupation');
\c -
SET client_min_messages = error;
CALL measure('CENSUS-1');
CALL prepare(100000, 'sex,race,country,education', 'sex,race,marital_status,occupation');
\c -
SET client_min_messages = error;
CALL measure('CENSUS-2');
CALL prepare(100000, 'age,sex', 'sex,occupation', 'age,occupation');
\c -
SET client_min_messages = error;
CALL measure('R = 3');
CALL prepare(100000, 'age,sex', 'age,occupation', 'age,sex,marital_status', 'sex,occupation');
\c -
SET client_min_messages = error;
CALL measure('R = 4');
CALL prepare(500000, 'age,sex', 'sex,occupation', 'age,occupation');
\c -
SET client_min_messages = error;
CALL measure('R = 3');
CALL prepare(500000, 'age,sex', 'age,occupation', 'age,sex,marital_status', 'sex,occupation');
\c -
SET client_min_messages = error;
CALL measure('R = 4');

\echo
\echo linkability(), by the kernel match join
SELECT configuration, people, releases, round(1000 * seconds::numeric) AS ms, round(1000 * distinct_seconds::numeric) AS distinct_ms,
	round((seconds / distinct_seconds)::numeric, 1) AS times_distinct, round(bytes::numeric / 1e6) AS mb, round((bytes / people)::numeric) AS bytes_a_person,
	linkability, round(diversity::numeric, 2) AS diversity, edges, cliques
FROM figure ORDER BY position;
\echo Growth with people: the exponent from the fewest to the most
SELECT configuration, round((ln(max(seconds) FILTER (WHERE people = most) / max(seconds) FILTER (WHERE people = fewest)) / ln(most::float8 / fewest))::numeric, 2) AS exponent
FROM figure JOIN (SELECT configuration, min(people) AS fewest, max(people) AS most FROM figure GROUP BY configuration HAVING min(people) < max(people)) range USING (configuration)
GROUP BY configuration, fewest, most ORDER BY configuration;
\echo More releases: times the audit of two, of as many people
SELECT f.configuration, f.people, round((f.seconds / two.seconds)::numeric, 1) AS times_two
FROM figure f JOIN figure two ON two.configuration = 'CENSUS-1' AND two.people = f.people WHERE f.releases > 2 ORDER BY f.position;

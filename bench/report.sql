-- What an auditor's page costs, beside the releases that it is about: test/run bench report
--
-- Weeks of census-like people, of whom a twentieth leave and come each week. Each part of the page is timed by itself, and
-- report() as a whole; ratios are to publish() of the last week, and to that of the same at half the people.  Memory is
-- the peak of the session up to then, without what it touched of shared buffers.  The last two lines time preview()
-- alone, and while another session reads view progress ten times a second.
\set QUIET on
\i test/data/census.sql
SET client_min_messages = error;

\getenv people PEOPLE
\getenv releases RELEASES
\if :{?people}
\else
	\set people 10000
\endif
\if :{?releases}
\else
	\set releases 5
\endif

CREATE TABLE figure (position serial, part text, people int, seconds float8, bytes float8);
\i test/lib/peak_bytes.sql
CREATE TABLE everybody AS SELECT * FROM census(2 * :people);

-- So many releases of so many people.
CREATE PROCEDURE live(size int, weeks int) LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz;
BEGIN
	CREATE TABLE people AS SELECT id, age, education, sex, country, marital_status, occupation FROM everybody WHERE id <= size;
	ALTER TABLE people ADD PRIMARY KEY (id);
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range", "education": "suppress", "sex": "suppress", "country": "suppress", "marital_status": "suppress"}',
		'occupation', params => '{"k": 10, "l": 3}');
	FOR week IN 1 .. weeks LOOP
		IF week > 1 THEN
			DELETE FROM people WHERE random() < 0.05;
			INSERT INTO people SELECT id, age, education, sex, country, marital_status, occupation FROM everybody
				WHERE id > size + (week - 2) * (size / 20) AND id <= size + (week - 1) * (size / 20);
		END IF;
		began := clock_timestamp();
		PERFORM pprepub.publish('people');
	END LOOP;
	INSERT INTO figure (part, people, seconds) VALUES ('publish, the last week', size, extract(epoch FROM clock_timestamp() - began));
END
$$;

CREATE PROCEDURE measure(size int) LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz;
	part text;
BEGIN
	FOREACH part IN ARRAY '{audit(''people''),attack(''people''),linkability(''people''),linkability_series(''people''),"risks(''people'', (SELECT releases FROM pprepub.publication))",report(''people'')}'::text[] LOOP
		began := clock_timestamp();
		EXECUTE format('SELECT count(*) FROM pprepub.%s', part);
		INSERT INTO figure (part, people, seconds, bytes) VALUES (split_part(part, '(', 1), size, extract(epoch FROM clock_timestamp() - began), peak_bytes());
	END LOOP;
END
$$;

CALL live(:people / 2, :releases);
CALL measure(:people / 2);
SELECT pprepub.drop_publication('people', true) \g /dev/null
DROP TABLE people;
CALL live(:people, :releases);
CALL measure(:people);

-- Progress, read by nobody and by somebody
CREATE PROCEDURE preview_often(told text) LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz := clock_timestamp();
BEGIN
	FOR i IN 1 .. 200 LOOP
		PERFORM pprepub.preview('people');
	END LOOP;
	INSERT INTO figure (part, seconds) VALUES (told, extract(epoch FROM clock_timestamp() - began) / 200);
END
$$;
CALL preview_often('preview, to warm up');
CALL preview_often('preview, watched by nobody');
SELECT format($$echo 'SELECT count(*) FROM pprepub.progress \watch 0.1' | PGAPPNAME=watcher nohup psql -XAtq -d %L > /dev/null 2>&1 & echo $! > %s/watcher$$, current_database(), current_setting('data_directory')) AS watch,
	format('kill $(cat %s/watcher)', current_setting('data_directory')) AS end_watch \gset
\setenv WATCH :watch
\setenv END_WATCH :end_watch
\! sh -c "$WATCH"
CALL preview_often('preview, watched ten times a second');
DO $$ BEGIN
	IF NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'watcher') THEN
		RAISE EXCEPTION 'nobody watched';
	END IF;
END $$;
\! sh -c "$END_WATCH"

\pset title 'report() and its parts'
SELECT a.part, a.people, round(a.seconds::numeric, 2) AS seconds, round((a.seconds / p.seconds)::numeric, 2) AS "of publish", round((a.seconds / h.seconds)::numeric, 2) AS "of half the people", round((a.bytes / 1e6)::numeric) AS "memory, MB"
FROM figure a LEFT JOIN figure p ON p.part LIKE 'publish%' AND p.people = a.people LEFT JOIN figure h ON h.part = a.part AND h.people = a.people / 2
WHERE a.people = :people ORDER BY a.position;
\pset title 'preview() and view progress'
SELECT part, round(seconds::numeric, 3) AS seconds, round((seconds / (SELECT seconds FROM figure WHERE part = 'preview, watched by nobody'))::numeric, 2) AS "of unwatched"
FROM figure WHERE part LIKE 'preview, watched%' ORDER BY position;

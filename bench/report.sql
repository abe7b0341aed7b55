-- Costs of an auditor's page, beside the releases that it is about: test/run bench report
--
-- Weeks of census-like people, of whom a twentieth leave and come each week. Each part of the page is timed by itself, and
-- report() as a whole; ratios are to publish() of the last week, and to that of the same at half the people.  Memory is
-- the peak of the session up to then, without what it touched of shared buffers.  Then comes half a year of a hospital of
-- 20,000 to 32,000 people who leave, come, come back, move and fall ill anew: report() and its parts in a session of its
-- own, and how long a release took that another session published meanwhile.  The last two lines time preview()
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

-- Makes releases of so many people.
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
	FOREACH part IN ARRAY '{audit(''people''),attack(''people''),linkability(''people''),"risks(''people'', (SELECT releases FROM pprepub.publication))",report(''people'')}'::text[] LOOP
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

-- Half a year of a hospital: 80 zip codes, 40 countries and 600 diseases, the first ones the commonest.
CREATE FUNCTION drawn(id int, purpose int) RETURNS float8 LANGUAGE sql IMMUTABLE AS
	$$ SELECT (hashint8extended(id, purpose) & 1048575) / 1048576.0 $$;
CREATE FUNCTION zip(draw float8) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT (53000 + floor(80 * power(draw, 1.7)) * 13)::text $$;
CREATE FUNCTION disease(draw float8) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT 'D' || floor(600 * power(draw, 3)) $$;
CREATE TABLE patients (id int PRIMARY KEY, age int, sex text, zip text, country text, disease text);
CREATE TABLE discharged (LIKE patients, week int);
CREATE PROCEDURE admit(first int, last int) LANGUAGE sql AS $$
	INSERT INTO patients SELECT id, floor(45 * (drawn(id, 1) + drawn(id, 2)))::int, CASE WHEN drawn(id, 3) < 0.52 THEN 'F' ELSE 'M' END,
		zip(drawn(id, 4)), 'C' || floor(40 * power(drawn(id, 5), 8)), disease(drawn(id, 6)) FROM generate_series(first, last) id
$$;
CREATE PROCEDURE pass_week(week int) LANGUAGE plpgsql AS $$
DECLARE
	people int := (SELECT count(*) FROM patients);
	newest int := (SELECT max(id) FROM (SELECT id FROM patients UNION ALL SELECT id FROM discharged) known);
BEGIN
	WITH left_now AS (DELETE FROM patients WHERE drawn(id, 100 + pass_week.week) < 0.05 RETURNING *)
		INSERT INTO discharged SELECT *, pass_week.week FROM left_now;
	WITH back AS (DELETE FROM discharged d WHERE d.week < pass_week.week AND drawn(id, 200 + pass_week.week) < 0.05 RETURNING *)
		INSERT INTO patients SELECT id, age, sex, zip, country, disease(drawn(id, 300 + pass_week.week)) FROM back;
	CALL admit(newest + 1, newest + people / 20);
	UPDATE patients SET disease = disease(drawn(id, 400 + pass_week.week)) WHERE drawn(id, 500 + pass_week.week) < 0.01;
	UPDATE patients SET zip = zip(drawn(id, 600 + pass_week.week)) WHERE drawn(id, 700 + pass_week.week) < 0.005;
	UPDATE patients SET age = age + 1 WHERE drawn(id, 800 + pass_week.week) < 1 / 52.0;
END
$$;
CREATE PROCEDURE live_in_hospital() LANGUAGE plpgsql AS $$
BEGIN
	CALL admit(1, 20000);
	PERFORM pprepub.create_publication('hospital', 'patients', 'id', '{"age": "range", "sex": "suppress", "zip": "prefix", "country": "suppress"}', 'disease',
		params => '{"k": 10, "l": 3}');
	FOR week IN 1 .. 26 LOOP
		IF week > 1 THEN
			CALL pass_week(week);
		END IF;
		PERFORM pprepub.publish('hospital');
		COMMIT;
	END LOOP;
END
$$;
CREATE TABLE meanwhile (began timestamptz, ended timestamptz);
CREATE PROCEDURE publish_meanwhile() LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz;
BEGIN
	WHILE NOT EXISTS (SELECT FROM pprepub.progress WHERE command = 'linkability') LOOP
		PERFORM pg_sleep(0.05);
	END LOOP;
	began := clock_timestamp();
	PERFORM pprepub.publish('hospital');
	INSERT INTO meanwhile VALUES (began, clock_timestamp());
END
$$;
CREATE PROCEDURE measure_hospital() LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz;
	report_ended timestamptz;
	part text;
BEGIN
	FOREACH part IN ARRAY '{audit(''hospital''),attack(''hospital''),"risks(''hospital'', 26)"}'::text[] LOOP
		began := clock_timestamp();
		EXECUTE format('SELECT count(*) FROM pprepub.%s', part);
		INSERT INTO figure (part, people, seconds, bytes) VALUES ('hospital: ' || split_part(part, '(', 1), 0, extract(epoch FROM clock_timestamp() - began), peak_bytes());
		COMMIT;
	END LOOP;
	began := clock_timestamp();
	PERFORM pprepub.report('hospital');
	report_ended := clock_timestamp();
	INSERT INTO figure (part, people, seconds, bytes) VALUES ('hospital: report', 0, extract(epoch FROM clock_timestamp() - began), peak_bytes());
	COMMIT;
	WHILE NOT EXISTS (SELECT FROM meanwhile) LOOP
		PERFORM pg_sleep(0.05);
		COMMIT;
	END LOOP;
	INSERT INTO figure (part, people, seconds) SELECT format('hospital: publish meanwhile, %s the report ended', CASE WHEN m.ended < report_ended THEN 'before' ELSE 'after' END), 0,
		extract(epoch FROM m.ended - m.began) FROM meanwhile m;
END
$$;
CALL live_in_hospital();
SELECT format($$nohup psql -XAtq -d %L -c 'CALL publish_meanwhile()' > /dev/null 2>&1 &$$, current_database()) AS publish \gset
\setenv PUBLISH :publish
\! sh -c "$PUBLISH"
\c
SET client_min_messages = error;
CALL measure_hospital();

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
\pset title 'report() of half a year: 26 releases of 20,000 to 32,000 people'
SELECT substr(part, 11) AS part, round(seconds::numeric, 2) AS seconds, round((bytes / 1e6)::numeric) AS "memory, MB" FROM figure WHERE part LIKE 'hospital: %' ORDER BY position;
\pset title 'preview() and view progress'
SELECT part, round(seconds::numeric, 3) AS seconds, round((seconds / (SELECT seconds FROM figure WHERE part = 'preview, watched by nobody'))::numeric, 2) AS "of unwatched"
FROM figure WHERE part LIKE 'preview, watched%' ORDER BY position;

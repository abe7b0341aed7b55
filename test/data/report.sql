-- The page of the demo's hospital after five weeks and an answer: docs/pictures/report.html (test/run psql -XAtqf test/data/report.sql).
\set QUIET on
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pprepub;
\ir hospital.sql
\o /dev/null
\ir declare.sql
\o
SELECT pprepub.publish('patients') \g /dev/null
SELECT count(*) FROM published.patients_now WHERE sex = 'F' AND age >= 65 \g /dev/null
DO $$
BEGIN
	FOR week IN 2 .. 5 LOOP
		CALL hospital.pass_week(week);
		PERFORM pprepub.publish('patients');
	END LOOP;
END $$;
SELECT pprepub.report('patients');

\set QUIET on
SET client_min_messages = warning;
CREATE EXTENSION pprepub;
\i test/data/hospital.sql
SELECT 'CREATE ROLE analyst' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'analyst') \gexec
RESET client_min_messages;
\set QUIET off
\set ECHO queries

\echo '-- A hospital''s patients: who they are, and what they suffer from.'
SELECT * FROM hospital.patients LIMIT 3;

\echo '-- Countries may be generalised to regions and continents.'
SELECT pprepub.create_taxonomy('world', 'hospital.country_levels');

\echo '-- Each patient shall stand among 10 or more who look alike and have 3 diseases or more.'
SELECT pprepub.create_publication('patients',
         source            => 'hospital.patients',
         key               => 'id',
         quasi_identifiers => '{"age": "range", "zip": "prefix",
                                "country": "taxonomy world", "sex": "suppress"}',
         sensitive         => 'disease',
         method            => 'bpg',
         params            => '{"k": 10, "l": 3}');

\echo '-- What would a release cost?  This publishes nothing.'
SELECT metric, round(value::numeric, 2) AS value FROM pprepub.preview('patients')
WHERE metric IN ('rows', 'classes', 'average_class', 'loss_percent', 'withheld_percent', 'invented_percent');

\echo '-- The first release.'
SELECT number, kind, relation, rows, classes, suppressed FROM pprepub.publish('patients');

\echo '-- Analysts read a table like any other; its cells are ranges, prefixes, nodes.'
SELECT age, zip, country, sex, count(*) AS people, count(DISTINCT disease) AS diseases
FROM published.patients GROUP BY class, age, zip, country, sex ORDER BY age, zip, country, sex LIMIT 6;

SELECT disease, count(*) FROM published.patients
WHERE age && '[60,)' GROUP BY disease ORDER BY count(*) DESC, disease LIMIT 3;

\echo '-- Or they ask about people of their own choice, in plain SQL, without any right on hospital.patients.'
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON published.patients_now, published.patients_answers TO analyst;
SET ROLE analyst;
SELECT disease, count(*) AS people, round(avg(age)) AS mean_age
FROM published.patients_now WHERE sex = 'F' AND age >= 65 GROUP BY disease ORDER BY people DESC, disease LIMIT 3;
SELECT answers_used, k, l, max_added FROM published.patients_answers;
RESET ROLE;
SELECT number, kind, cohort, columns, rows, counterfeits FROM pprepub.release WHERE number = 2;

\echo '-- Published releases stay.'
\set ON_ERROR_STOP off
DELETE FROM published.patients_1;
DROP TABLE published.patients_1 CASCADE;
\set ON_ERROR_STOP on
SELECT pprepub.release_intact('patients', 1);

\echo '-- The owner, and nobody else, can look up who is where.'
SELECT count(*) AS people, count(DISTINCT class) AS classes FROM pprepub.class_members('patients') WHERE release = 1;

\echo '-- Four weeks pass.  Each week 100 patients come, about as many are discharged, and all who are there are published.'
DO $$
BEGIN
	FOR week IN 2 .. 5 LOOP
		CALL hospital.pass_week(week);
		PERFORM pprepub.publish('patients');
	END LOOP;
END $$;
SELECT number, rows - counterfeits AS people, suppressed AS withheld, classes
FROM pprepub.release WHERE kind = 'stored' ORDER BY number;

SELECT metric, round(avg(value)) AS average
FROM pprepub.release, pprepub.metrics('patients', number)
WHERE kind = 'stored' AND metric IN ('loss_percent', 'invented_percent', 'average_class') GROUP BY metric;

\echo '-- A trend over all releases of everybody.'
SELECT release, trunc(100.0 * count(*) FILTER (WHERE disease = 'influenza') / count(*)) AS influenza_percent
FROM published.patients_all GROUP BY release ORDER BY release;

\echo '-- Counts with bounds: how many rows of the newest release lie in a band for sure, probably, and at most.'
SELECT bin->>'age' AS age, at_least, round(estimate) AS about, at_most
FROM published.patients_counts('{age}', '{"age": ["[0,40)", "[40,65)", "[65,)"]}');

\echo '-- Can what is out be joined back?  What intersections and differences of these releases reveal, and all other checks.'
SELECT kind, count(*) AS ways, min(records) >= 10 AS ten_people, min(sensitive_values) >= 3 AS three_diseases, bool_and(holds) AS holds
FROM pprepub.attack('patients') GROUP BY kind;

SELECT check_name, holds FROM pprepub.audit('patients');

\set QUIET on
SET client_min_messages = warning;
CREATE EXTENSION pprepub;
\i test/data/hospital.sql
\o /dev/null
SELECT pprepub.create_taxonomy('world', 'hospital.country_levels');
\o
SELECT 'CREATE ROLE analyst' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'analyst') \gexec
RESET client_min_messages;
\set ECHO queries

\echo '-- Monday: 2,000 patients. Each shall stand among 10 or more who look alike, with 3 or more diseases.'
\o /dev/null
SELECT pprepub.create_publication('patients', source => 'hospital.patients', key => 'id',
         quasi_identifiers => '{"age": "range", "zip": "prefix", "country": "taxonomy world", "sex": "suppress"}',
         sensitive => 'disease', params => '{"k": 10, "l": 3}');
\o
SELECT number, relation, rows, suppressed AS withheld FROM pprepub.publish('patients');

\echo '-- The release is a table: ranges, prefixes and groups of countries stand beside the true diseases.'
SELECT age, zip, country, sex, count(*) AS people, count(DISTINCT disease) AS diseases
FROM published.patients GROUP BY class, age, zip, country, sex ORDER BY age, zip LIMIT 3;

\echo '-- A week passes.'
CREATE TEMPORARY TABLE last_week AS SELECT * FROM hospital.patients;
CALL hospital.pass_week(2);
SELECT count(*) FILTER (WHERE n.id IS NULL) AS discharged, count(*) FILTER (WHERE o.id IS NULL) AS admitted,
       count(*) FILTER (WHERE n.disease <> o.disease) AS other_disease
FROM last_week o FULL JOIN hospital.patients n USING (id);
SELECT number, rows - counterfeits AS people, suppressed AS withheld, counterfeits AS invented FROM pprepub.publish('patients');

\echo '-- Somebody intersects and subtracts both releases. The smallest sets of people that they find:'
SELECT kind, min(records) AS people, bool_and(sensitive_values > 3) AS varied, bool_and(holds) AS holds
FROM pprepub.attack('patients') WHERE kind <> 'atom' GROUP BY kind ORDER BY kind;

\echo '-- An analyst asks about some of the patients, without any right on the source.'
GRANT USAGE ON SCHEMA published TO analyst;
GRANT SELECT ON published.patients_now TO analyst;
SET ROLE analyst;
SELECT disease, count(*) AS people, round(avg(age)) AS mean_age
FROM published.patients_now WHERE sex = 'F' AND age >= 65 GROUP BY disease ORDER BY people DESC, disease LIMIT 3;
\set ECHO none
RESET ROLE;
\set ECHO queries

\echo '-- Does every promise hold, of both releases and the answer together? What does the page to sign say?'
SELECT count(*) AS checks, bool_and(holds) AS hold, substring(pprepub.report('patients') FROM 'verdict good">(.*?)<') AS page
FROM pprepub.audit('patients');

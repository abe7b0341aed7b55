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

\echo '-- Or they ask about people of their own choice, without any right on hospital.patients.'
GRANT USAGE ON SCHEMA published TO analyst;
GRANT EXECUTE ON FUNCTION published.patients TO analyst;
SET ROLE analyst;
SELECT disease, count(*) FROM published.patients('sex = ''F'' AND age >= 40')
GROUP BY disease ORDER BY count(*) DESC, disease LIMIT 3;
RESET ROLE;
SELECT number, kind, cohort, rows, dirty FROM pprepub.release WHERE number = 2;

\echo '-- What was published stays.'
\set ON_ERROR_STOP off
DELETE FROM published.patients_1;
DROP TABLE published.patients_1 CASCADE;
\set ON_ERROR_STOP on
SELECT pprepub.release_intact('patients', 1);

\echo '-- The owner, and nobody else, can look up who is where.'
SELECT count(*) AS people, count(DISTINCT class) AS classes FROM pprepub.members('patients') WHERE release = 1;

\echo '-- A week later: some were discharged, some came.  Invented rows take the places of those who left.'
SELECT pprepub.alter_publication('patients', '{"repair": "counterfeit"}');
DELETE FROM hospital.patients WHERE id % 40 = 7;
INSERT INTO hospital.patients SELECT 200 + id, 80 - age / 2, zip, country, sex, disease FROM hospital.patients WHERE id % 8 = 1;
SELECT number, rows, classes, suppressed, counterfeits FROM pprepub.publish('patients');

\echo '-- Can what is out be joined back?  What intersections and differences of these releases reveal, and all other checks.'
SELECT kind, release, other_release, records >= 10 AS ten_people, sensitive_values >= 3 AS three_diseases, holds
FROM pprepub.attack('patients');

SELECT check_name, holds FROM pprepub.audit('patients');

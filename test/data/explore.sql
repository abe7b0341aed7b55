-- A page that compares settings, of the demo's hospital before its first release: docs/pictures/explore.html.
\set QUIET on
SET client_min_messages = error;
CREATE EXTENSION IF NOT EXISTS pprepub;
\ir hospital.sql
\o /dev/null
\ir declare.sql
\o
SELECT pprepub.explore('patients', '{"k": [5, 10, 20], "l": [3, 8], "reserve": [1, 2, 4]}');

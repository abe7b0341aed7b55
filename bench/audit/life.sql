-- A life of about so many rows in so many releases, by one method.
SET client_min_messages = error;
SET max_parallel_workers_per_gather = 0;
SELECT pprepub.drop_publication('current', true) FROM pprepub.publication \g /dev/null
DROP TABLE IF EXISTS current, everybody;
SELECT :rows / :releases AS people \gset
CREATE TABLE everybody AS SELECT id, age, sex, education, country, occupation FROM census(:people + :people / 100 * :releases);
CREATE UNIQUE INDEX ON everybody (id);
CREATE TABLE current AS SELECT id, age, sex, education, country, occupation AS secret FROM everybody WHERE id <= :people;
ALTER TABLE current ADD PRIMARY KEY (id);
ANALYZE everybody, current;
SELECT pprepub.create_publication('current', 'current', 'id', quasi_identifiers, 'secret', method, params) FROM declared WHERE method = :'method' \g /dev/null
\c -
SET client_min_messages = error;
SELECT touched_bytes() AS before \gset
CALL live(:people, :releases, :'method' <> 'sequential', :'method' NOT IN ('m-invariance', 'sequential'));
INSERT INTO life SELECT :'method', :releases, :rows, sum(rows), sum(seconds), peak_bytes() - :before FROM pprepub.release;
CHECKPOINT;

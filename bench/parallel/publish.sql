-- A release of people with so many workers, in a transaction that is rolled back: psql -v kind=NAME -v workers=N
SET client_min_messages = error;
SET max_parallel_workers_per_gather = :workers;
BEGIN;
SELECT publication IS NOT NULL AS done, seconds, phases FROM pprepub.publish('people') \gset
ROLLBACK;
INSERT INTO publish_run SELECT :'kind', :workers, 'all', :seconds;
INSERT INTO publish_run SELECT :'kind', :workers, key, value::float8 FROM jsonb_each_text(:'phases');

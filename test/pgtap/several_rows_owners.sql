-- Owners of tables in which a person has several rows: insensitive columns, samples, and the life of a declaration.
-- Insensitive columns are those of the same row, while it is there; no row tells that it is of old, or invented.
CREATE TABLE trips AS SELECT patient, 30 AS age, 'ill ' || patient % 4 || '.' || i AS ill, patient % 4 || '.' || i AS ward FROM generate_series(1, 10) patient, generate_series(1, 2) i;
SELECT pprepub.create_publication('trips', 'trips', 'patient', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2, "reserve": 1}', insensitive => '{ward}', rows => 'several') \g /dev/null
SELECT * FROM pprepub.publish('trips') \g /dev/null
SELECT is(count(*) FILTER (WHERE ill = 'ill ' || ward), 20::bigint, 'each row has its own') FROM published.trips_1;
DELETE FROM trips WHERE patient = 1 AND ill LIKE '%.1' OR patient = 2;
SELECT * FROM pprepub.publish('trips') \g /dev/null
SELECT is(count(ward), 20::bigint, 'none is NULL where a row has gone, or a person') FROM published.trips_2;
SELECT ok(count(*) >= 17, 'and others stay with their rows') FROM published.trips_2 WHERE ill = 'ill ' || ward;
SELECT is(count(ward), 20::bigint, 'nor is it in an answer') FROM published.trips('age > 0');
SELECT ok(bool_and(holds), 'the table is as it was published') FROM pprepub.audit('trips');

-- Of people with too many rows a sample is shown, drawn once: rows that were shown stay while they are there.
CREATE TABLE bills AS SELECT patient, 30 AS age, 'bill ' || patient || '.' || i AS bill FROM generate_series(1, 40) patient, generate_series(1, 4) i;
SELECT pprepub.create_publication('bills', 'bills', 'patient', '{"age": "range"}', 'bill', 'bpg', '{"k": 5, "l": 2, "reserve": 1}', rows => 'several', max_rows => 3) \g /dev/null
SELECT * FROM pprepub.publish('bills') \g /dev/null
SELECT is(count(*), 120::bigint, 'three of four rows each') FROM published.bills_1;
-- Observers who know the key of a person, and values, cannot compute which ones a sample shows.
SELECT pprepub.create_publication('bills_too', 'bills', 'patient', '{"age": "range"}', 'bill', 'bpg', '{"k": 5, "l": 2}', beside => '{bills}', rows => 'several', max_rows => 3) \g /dev/null
SELECT * FROM pprepub.publish('bills_too') \g /dev/null
SELECT isnt_empty('SELECT bill FROM published.bills_1 EXCEPT SELECT bill FROM published.bills_too_1', 'a publication draws samples of its own');
SELECT pprepub.drop_publication('bills_too', true) \g /dev/null
INSERT INTO bills SELECT patient, 30, 'bill ' || patient || '.' || i FROM generate_series(1, 40) patient, generate_series(5, 12) i;
SELECT * FROM pprepub.publish('bills') \g /dev/null
SELECT bag_eq('SELECT bill FROM published.bills_2', 'SELECT bill FROM published.bills_1', 'new rows displace none that was shown');
SELECT bag_eq($$SELECT bill FROM published.bills('age > 0')$$, 'SELECT bill FROM published.bills_1', 'in an answer either');
CREATE TABLE gone AS SELECT min(bill) AS bill FROM published.bills_1 GROUP BY split_part(bill, '.', 1);
DELETE FROM bills WHERE bill IN (TABLE gone);
SELECT * FROM pprepub.publish('bills') \g /dev/null
SELECT is((SELECT count(*) FROM published.bills_4 WHERE bill IN (SELECT bill FROM published.bills_1 EXCEPT TABLE gone)), 80::bigint, 'nor do others, where one has gone');
SELECT is((SELECT count(*) FROM published.bills_4 WHERE bill NOT IN (SELECT bill FROM published.bills_1)), 40::bigint, 'whose place a new one takes');

-- A declaration is renamed, altered, taken over and dropped like any other.
CREATE ROLE several_old; CREATE ROLE several_new;
SELECT format('GRANT CREATE ON DATABASE %I TO several_old', current_database()) \gexec
CREATE SCHEMA ward AUTHORIZATION several_old;
GRANT USAGE ON SCHEMA ward TO several_new;
SET ROLE several_old;
CREATE TABLE ward.visits AS SELECT i % 60 AS patient, 20 + i % 60 / 3 AS age, 'd' || i % 7 AS ill, 'w' || i % 5 AS ward FROM generate_series(1, 150) i;
SELECT pprepub.create_publication('stays', 'ward.visits', 'patient', '{"age": "range"}', '{ill, ward}', 'bpg', '{"k": 4, "l": 2}', target => 'stays_out', rows => 'several', max_rows => 2) \g /dev/null
SELECT * FROM pprepub.publish('stays') \g /dev/null
ALTER TABLE ward.visits RENAME patient TO person;
ALTER TABLE ward.visits RENAME ill TO diagnosis;
INSERT INTO ward.visits SELECT person, age, 'd' || person % 6, 'w' || person % 4 FROM ward.visits WHERE person < 20;
SELECT * FROM pprepub.publish('stays') \g /dev/null
SELECT is((SELECT array_agg(attname::text ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'stays_out.stays_2'::regclass AND attnum > 0), '{class,age,ill,ward}', 'columns that are renamed keep their names in releases');
SELECT pprepub.alter_publication('stays', '{"k": 6, "l": 3}') \g /dev/null
SELECT * FROM pprepub.publish('stays') \g /dev/null
SELECT is((SELECT bool_and(holds) FROM pprepub.audit('stays')), true, 'stronger parameters, and all is well');
RESET ROLE;
ALTER SCHEMA stays_out OWNER TO several_new; ALTER SCHEMA stays_out_private OWNER TO several_new; ALTER TABLE ward.visits OWNER TO several_new;
SELECT lives_ok($$ SELECT pprepub.alter_publication('stays', '{}') $$, 'a new owner takes it over');
SELECT is((SELECT count(*) FROM pg_class WHERE relnamespace IN ('stays_out'::regnamespace, 'stays_out_private'::regnamespace) AND relowner <> 'several_new'::regrole), 0::bigint, 'with its types');
SET ROLE several_new;
SELECT * FROM pprepub.publish('stays') \g /dev/null
SELECT is((SELECT bool_and(holds) FROM pprepub.audit('stays')), true, 'publishes, and all is well');
SELECT throws_ok('DROP TYPE stays_out_private.stays_rows CASCADE', '55000', NULL, 'the type of its rows stays');
SELECT pprepub.drop_publication('stays', forget_history => true) \g /dev/null
SELECT is((SELECT count(*) FROM pg_class WHERE relname LIKE 'stays\_%' AND relnamespace = 'stays_out_private'::regnamespace), 0::bigint, 'but goes with it');
RESET ROLE;
DROP OWNED BY several_new, several_old CASCADE;
DROP ROLE several_new, several_old;

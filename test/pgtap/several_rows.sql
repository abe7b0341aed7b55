-- A person with several rows: k counts people, all rows stand in one class, and observers may know how many rows anybody has.
CREATE TABLE visits AS SELECT i % 200 AS patient, 20 + (i % 200) / 4 + CASE WHEN i > 380 THEN 1 ELSE 0 END AS age, 'd' || (i * 7919 % 23) AS ill,
	'2026-01-01'::date + i % 50 AS at FROM generate_series(1, 400) i;
SELECT pprepub.create_publication('v', 'visits', 'patient', '{"age": "range", "at": "range"}', 'ill', 'bpg', '{"k": 5, "l": 3}', rows => 'several') \g /dev/null
SELECT * FROM pprepub.publish('v') \g /dev/null
SELECT is(count(*), 400::bigint, 'all rows leave') FROM published.v_1;
SELECT ok(bool_and(holds), 'the release is as it was declared') FROM pprepub.audit('v');
UPDATE visits SET ill = 'd1' WHERE patient < 40;
INSERT INTO visits SELECT 1000 + i % 20, 30, 'd' || i % 9, '2026-01-05' FROM generate_series(1, 40) i;
DELETE FROM visits WHERE patient BETWEEN 50 AND 60;
SELECT * FROM pprepub.publish('v') \g /dev/null
SELECT is(count(*), (SELECT count(*) FROM published.v_2), 'an answer about everybody is the last release') FROM published.v_now;
SELECT ok(count(*) > 0, 'an answer about some') FROM published.v('age < 30');
SELECT ok(bool_and(holds), 'all releases and answers are as they were declared') FROM pprepub.audit('v');

-- Observers know whose number of rows has changed, so new rows leave when k people have some, with l values.
CREATE TABLE ward AS SELECT i AS patient, 40 AS age, 'd' || i AS ill FROM generate_series(1, 5) i;
SELECT pprepub.create_publication('ward', 'ward', 'patient', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2, "reserve": 1}', rows => 'several') \g /dev/null
CREATE FUNCTION shown_after(change text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	rows bigint;
BEGIN
	EXECUTE change;
	EXECUTE format('SELECT count(*) FROM published.ward_%s', (pprepub.publish('ward')).number) INTO rows;
	RETURN rows;
END $$;
SELECT is(shown_after('SELECT 1'), 5::bigint, 'a row each');
SELECT is(shown_after('INSERT INTO ward VALUES (1, 40, ''new'')'), 5::bigint, 'a new row of one person waits');
SELECT is(shown_after('INSERT INTO ward VALUES (2, 40, ''new'')'), 5::bigint, 'and of two');
SELECT is(shown_after('INSERT INTO ward VALUES (3, 40, ''new'')'), 5::bigint, 'and of three, if all are the same');
SELECT is(shown_after('UPDATE ward SET ill = ''other'' WHERE patient = 3 AND ill = ''new'''), 8::bigint, 'but not if they differ');
SELECT is(shown_after('DELETE FROM ward WHERE patient = 1 AND ill = ''new'''), 8::bigint, 'a row of one person goes later');
SELECT ok(bool_and(holds), 'the log tells nothing else') FROM pprepub.audit('ward');
SELECT is((SELECT equal FROM pprepub.rebuild_history('ward')), true, 'the history can be made again');
SELECT throws_ok(format('SELECT pprepub.create_publication(''w'', ''ward'', ''patient'', ''{"age": "range"}'', ''ill'', %L, %L, rows => ''several'')', method, params),
	'0A000', NULL, method || ' takes one row a person')
	FROM (VALUES ('m-invariance', '{"m": 2}'), ('sequential', '{"k": 2}')) m(method, params);
SELECT throws_ok($$SELECT pprepub.create_publication('w', 'ward', 'patient', '{"age": "range"}', 'ill', rows => 'many')$$, '22023', NULL, 'one or several');
SELECT lives_ok($$SELECT pprepub.drop_publication('ward', forget_history => true)$$, 'it can be dropped');

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
INSERT INTO bills SELECT patient, 30, 'bill ' || patient || '.' || i FROM generate_series(1, 40) patient, generate_series(5, 12) i;
SELECT * FROM pprepub.publish('bills') \g /dev/null
SELECT bag_eq('SELECT bill FROM published.bills_2', 'SELECT bill FROM published.bills_1', 'new rows displace none that was shown');
SELECT bag_eq($$SELECT bill FROM published.bills('age > 0')$$, 'SELECT bill FROM published.bills_1', 'in an answer either');
CREATE TABLE gone AS SELECT min(bill) AS bill FROM published.bills_1 GROUP BY split_part(bill, '.', 1);
DELETE FROM bills WHERE bill IN (TABLE gone);
SELECT * FROM pprepub.publish('bills') \g /dev/null
SELECT is((SELECT count(*) FROM published.bills_4 WHERE bill IN (SELECT bill FROM published.bills_1 EXCEPT TABLE gone)), 80::bigint, 'nor do others, where one has gone');
SELECT is((SELECT count(*) FROM published.bills_4 WHERE bill NOT IN (SELECT bill FROM published.bills_1)), 40::bigint, 'whose place a new one takes');

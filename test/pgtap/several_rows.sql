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

-- Somebody without a value has no rows to count: groups that say so are not what the log tells.
CREATE FUNCTION publish_damaged() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL allow_system_table_mods = on;
	UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.v_groups'::regclass;
	UPDATE published_private.v_groups SET sensitive[1] = NULL;
	RETURN pprepub.publish('v');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
SELECT is(publish_damaged(), 'the fold of publication "v" is not what its log tells', 'a place without a value');

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
SELECT is((SELECT array_agg(value ORDER BY metric) FROM pprepub.metrics('ward', 2) WHERE metric IN ('stale', 'stale_rows')), '{1,1}', 'of whom one row is not shown');
SELECT is(shown_after('INSERT INTO ward VALUES (2, 40, ''new'')'), 5::bigint, 'and of two');
SELECT is(shown_after('INSERT INTO ward VALUES (3, 40, ''new'')'), 5::bigint, 'and of three, if all are the same');
SELECT is(shown_after('UPDATE ward SET ill = ''other'' WHERE patient = 3 AND ill = ''new'''), 8::bigint, 'but not if they differ');
SELECT is(shown_after('DELETE FROM ward WHERE patient = 1 AND ill = ''new'''), 8::bigint, 'a row of one person goes later');
SELECT is(shown_after('DELETE FROM ward WHERE patient = 5'), 8::bigint, 'a place is free');
SELECT is(shown_after('INSERT INTO ward VALUES (5, 40, ''else''), (5, 40, ''more'')'), 8::bigint, 'a person who comes back with other rows shows the old ones');
SELECT is((counterfeits, suppressed, stale), (0::bigint, 0::bigint, 2::bigint), 'in the own place') FROM pprepub.release WHERE publication = 'ward' ORDER BY number DESC LIMIT 1;
SELECT is(value, 4::float8, 'a row of one person has gone; of the other one has, and two are there') FROM pprepub.preview('ward') WHERE metric = 'stale_rows';
SELECT ok(bool_and(holds), 'the log tells nothing else') FROM pprepub.audit('ward');
SELECT is((SELECT equal FROM pprepub.rebuild_history('ward')), true, 'the history can be made again');
SELECT throws_ok(format('SELECT pprepub.create_publication(''w'', ''ward'', ''patient'', ''{"age": "range"}'', ''ill'', %L, %L, rows => ''several'')', method, params),
	'0A000', NULL, method || ' takes one row a person')
	FROM (VALUES ('m-invariance', '{"m": 2}'), ('sequential', '{"k": 2}')) m(method, params);
SELECT throws_ok($$SELECT pprepub.create_publication('w', 'ward', 'patient', '{"age": "range"}', 'ill', rows => 'many')$$, '22023', NULL, 'one or several');
SELECT lives_ok($$SELECT pprepub.drop_publication('ward', forget_history => true)$$, 'it can be dropped');
INSERT INTO ward SELECT i, i, 'd' || i % 7 FROM generate_series(101, 200) i;
DELETE FROM ward WHERE patient < 101;
SELECT pprepub.create_publication('ward', 'ward', 'patient', '{"age": "range"}', 'ill', 'bpg', '{"k": 10, "l": 2, "reserve": 1}', rows => 'several') \g /dev/null
SELECT is(shown_after('SELECT 1'), 100::bigint, 'groups of twelve or thirteen');
SELECT is(shown_after('UPDATE ward SET age = 122 WHERE patient = 112'), 100::bigint, 'a person who moves stays where cells get wider by less than two rows');
SELECT is(suppressed, 0::bigint, 'and is shown') FROM pprepub.release WHERE publication = 'ward' AND number = 2;
SELECT pprepub.drop_publication('ward', forget_history => true) \g /dev/null

-- Rows are facts that come and go, and observers know when somebody's do: those that came and went together, or stay, are a set.
CREATE FUNCTION ward_of(params text, VARIADIC changes text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	change text;
	shown text;
	faults text;
BEGIN
	PERFORM pprepub.create_publication('ward', 'ward', 'patient', '{"age": "range"}', 'ill', 'bpg', '{"reserve": 1}'::jsonb || params::jsonb, rows => 'several');
	FOREACH change IN ARRAY changes LOOP
		EXECUTE change;
		EXECUTE format('SELECT string_agg(ill, '' '' ORDER BY ill) FROM published.ward_%s', (pprepub.publish('ward')).number) INTO shown;
	END LOOP;
	SELECT ', but ' || string_agg(check_name, ', ') INTO faults FROM pprepub.audit('ward') WHERE NOT holds;
	PERFORM pprepub.drop_publication('ward', forget_history => true);
	RETURN concat(shown, faults);
END $$;
\set few '''{"k": 3, "l": 2}'''
CREATE FUNCTION rows_come(whose int[], ills text[], go text DEFAULT 'false') RETURNS text LANGUAGE sql AS $$
	SELECT format('DELETE FROM ward WHERE %s; INSERT INTO ward SELECT patient, 40, ill FROM unnest(%L::int[], %L::text[]) r(patient, ill)', go, whose, ills) $$;
SELECT is(ward_of(:few, rows_come('{1,2,3,4,5}', '{flu,flu,cold,gout,cold}', 'true'), rows_come('{1}', '{hiv}'), rows_come('{}', '{}', 'ill = ''flu'' AND patient = 1')),
	'cold cold flu flu gout', 'a row came to somebody, and one went: as many rows as before are not the same');
SELECT is(ward_of(:few, rows_come('{1,2,3,4,5}', '{a,b,c,d,a}', 'true'), rows_come('{1,2,3}', '{hiv,flu,cold}'), $$UPDATE ward SET ill = 'hiv' WHERE ill IN ('flu', 'cold')$$),
	'a a b c cold d flu hiv', 'three who got rows together do not come to have one value');
SELECT is(ward_of(:few, rows_come('{1,2,3,4,5}', '{hiv,a,b,a,b}', 'true'), rows_come('{2,3,4,5}', '{d,e,d,e}'), rows_come('{}', '{}', 'ill IN (''a'', ''b'')')),
	'a a b b d d e e hiv', 'rows of all but one do not go');
SELECT is(ward_of(:few, rows_come('{1,2,3,4,5}', '{hiv,a,b,a,b}', 'true'), rows_come('{1,2,3,4,5}', '{d,d,e,d,e}'), rows_come('{}', '{}', 'ill IN (''hiv'', ''a'', ''b'')')),
	'd d d e e', 'but of all');
SELECT is(ward_of(:few, rows_come('{1,2,3,4,5,4,5}', '{a,b,a,b,a,c,c}', 'true'), rows_come('{1,2,3}', '{hiv,d,e}'), rows_come('{}', '{}', $$(patient, ill) IN ((1, 'hiv'), (4, 'b'), (5, 'a'))$$)),
	'a a a b b c c d e hiv', 'of three who lose rows one alone may have had the new one');

SELECT is(ward_of(:few, rows_come('{1,2,3,4,5}', '{flu,flu,cold,gout,cold}', 'true'), 'INSERT INTO ward VALUES (1, 0, ''flu'')'),
	'cold cold flu flu gout', 'a row with the number 0 is another row: audit() does not take the person for one who stayed as before');

SELECT is(ward_of('{"k": 2, "l": 1, "reserve": 2}', rows_come('{1,2,3,4}', '{a,b,c,d}', 'true'), rows_come('{1,2}', '{e,f}'), 'DELETE FROM ward WHERE patient IN (2, 4)'),
	'a b c d e f', 'two who got rows are not parted, each with somebody who got none');

-- Shares count people, who may fill more rows.
SELECT throws_like(format('SELECT ward_of(%L, rows_come(''{1,2,3,4,5,1,1,1,1,1,1}'', ''{cold,hiv,gout,cold,angina,flu,flu,flu,flu,flu,flu}'', ''true''))', params),
	'%has nothing that may be published', params || ': who has most rows has one value for certain')
	FROM (VALUES ('{"k": 5, "frequency": 2.5}'), ('{"k": 5, "entropy": 3}'), ('{"k": 5, "recursive": 3, "c": 2}'), ('{"k": 5, "t": 0.9}'), ('{"k": 5, "beta": 4}'), ('{"k": 5, "delta": 2}')) v(params);

-- Shares are of people, who count once for each value of theirs.
CREATE TABLE even AS SELECT i % 200 AS patient, 20 + (i % 200) / 4 AS age, 'd' || i * 7919 % 23 % 5 AS ill FROM generate_series(1, 400) i;
SELECT pprepub.create_publication('even', 'even', 'patient', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "t": 0.3}', rows => 'several') \g /dev/null
SELECT * FROM pprepub.publish('even') \g /dev/null
WITH seat AS (SELECT DISTINCT class, patient, ill FROM (SELECT class, unnest(keys)::int AS patient FROM published_private.even_members) m JOIN even USING (patient)),
	here AS (SELECT class, ill, count(*) / sum(count(*)) OVER (PARTITION BY class) AS share FROM seat GROUP BY 1, 2),
	everywhere AS (SELECT ill, count(*) / sum(count(*)) OVER () AS share FROM seat GROUP BY 1),
	far AS (SELECT class, sum(abs(coalesce(here.share, 0) - e.share)) / 2 AS t FROM (SELECT DISTINCT class FROM seat) c CROSS JOIN everywhere e LEFT JOIN here USING (class, ill) GROUP BY 1)
SELECT is((SELECT round(substr(measured, 5)::numeric, 3) FROM pprepub.audit('even') WHERE check_name = 't'), round(max(t), 3), 't is as far as the farthest class') FROM far;

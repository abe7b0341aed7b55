-- People with several rows, in all that reads the past: two sensitive columns, bands, NULLs, a collation that knows no case, 1,000 rows of one person.
CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE visits AS SELECT i % 60 AS patient, 20 + i % 60 / 4 + i / 111 AS age, '2026-01-01'::date + i % 50 AS at,
	CASE WHEN i % 17 > 0 THEN (ARRAY['d', 'D'])[1 + i % 2] || i * 7919 % 13 END COLLATE caseless AS ill, CASE WHEN i % 19 > 0 THEN 100 + i * 31 % 77 END AS cost
	FROM generate_series(1, 120) i;
INSERT INTO visits SELECT 7, 22, '2026-01-05'::date + i % 20, 'd' || i % 13, 100 + i % 30 FROM generate_series(1, 1000) i;
SELECT pprepub.create_publication('v', 'visits', 'patient', '{"age": "range", "at": "range"}', '{ill, cost}', 'bpg', '{"k": 5, "l": 3, "bands": {"cost": "range 10"}}', rows => 'several') \g /dev/null
SELECT ok(bool_or(value > 0), 'preview') FROM pprepub.preview('v') WHERE metric = 'rows';
SELECT * FROM pprepub.publish('v') \g /dev/null
SELECT is((SELECT array_agg(sensitive_values ORDER BY sensitive_values) FROM pprepub.groups('v')),
	(SELECT array_agg(n ORDER BY n) FROM (SELECT count(DISTINCT (ill, cost)) AS n FROM published.v_1 GROUP BY class) c), 'a group shows the values of rows');
SELECT pprepub.publish('v', 'age < 30') \g /dev/null
UPDATE visits SET ill = 'd1' WHERE patient < 20;
INSERT INTO visits SELECT 1000 + i % 10, 30, '2026-01-05', 'd' || i % 9, 100 + i FROM generate_series(1, 20) i;
DELETE FROM visits WHERE patient BETWEEN 50 AND 56;
SELECT pprepub.publish('v') \g /dev/null
SELECT count(*) AS asked FROM published.v('at < ''2026-01-20''') \gset
SELECT is(count(*), :asked::bigint, 'a live table asks for people of whom one row meets a condition') FROM published.v_now WHERE at < '2026-01-20';
SELECT pprepub.publish('v', columns => '{age, cost}') \g /dev/null
SELECT is(count(*), count(DISTINCT key), 'who is withheld is listed once') FROM pprepub.withheld_keys('v');
SELECT is(r.value, (SELECT count(*) FROM pprepub.class_members('v') WHERE release = 3)::float8, 'risks count people') FROM pprepub.risks('v', 3) r WHERE r.measure = 'people';
SELECT is(r.value, m.people::float8, 'and observers, too') FROM pprepub.risks('v', 3) r, pprepub.release m WHERE r.measure = 'rows' AND m.publication = 'v' AND m.number = 3;
SELECT is(count(*), 1::bigint, 'risks of an answer') FROM pprepub.risks('v', 5) WHERE measure = 'people' AND value > 0;
SELECT is(count(*), 3::bigint, 'forecast') FROM pprepub.forecast('v', 3) WHERE rows > 0;
SELECT ok(bool_and(holds), 'attack') FROM pprepub.attack('v');
SELECT ok(bool_and(release_a < release_b), 'correlations') FROM pprepub.historical_correlations('v');
SELECT ok(report NOT LIKE '%Do not sign%' AND report LIKE '%a person may have several%', 'report') FROM pprepub.report('v', true) report;
SELECT is(equal, true, 'the history can be made again') FROM pprepub.rebuild_history('v');
-- 25 classes of 12 people may have more than a pair of values each; nobody is linked to rows in which all is NULL.
SELECT ok(bool_and(s <= n AND sensitive <> '(,)'), 'links are of people') FROM pprepub.linked_values('v') l, unnest(sizes, counts) u(n, s);
SELECT ok(count(DISTINCT sensitive) = 2 AND bool_and(exact IS NULL) AND bool_and(array_remove(candidates, NULL) <@ without_keys), 'compromise') FROM pprepub.compromise('v', '{1,2,3}');
SELECT throws_ok(query, '0A000', NULL, query) FROM (VALUES ('SELECT pprepub.linkability(''v'')'), ('SELECT pprepub.link_profile(''v'')'),
	('SELECT pprepub.import_release(''v'', ''visits'')')) v(query);
SELECT throws_ok('SELECT pprepub.risk_after_updates(''v'')', '22023', NULL, 'no updates are declared');

-- Releases, and the log, that somebody changed.
\i test/lib/tampering.sql
CREATE FUNCTION failing(command text) RETURNS text LANGUAGE sql AS $$
	SELECT damage(command, '(SELECT string_agg(check_name, '' '' ORDER BY check_name COLLATE "C") FROM pprepub.audit(''v'') WHERE NOT holds)')
$$;
SELECT is(failing('SELECT'), NULL, 'nothing');
SELECT is(failing(command), 'checksums rows', command) FROM (VALUES
	('UPDATE published.v_1 SET ill = ''d99'' WHERE ctid = (SELECT min(ctid) FROM published.v_1)'),
	('UPDATE published.v_1 SET cost = NULL WHERE class = 1'),
	('UPDATE published.v_1 SET class = 3 - class WHERE class < 3 AND ctid IN (SELECT min(ctid) FROM published.v_1 GROUP BY class)'),
	('INSERT INTO published.v_1 SELECT * FROM published.v_1 LIMIT 1'), ('DELETE FROM published.v_1 WHERE ctid = (SELECT max(ctid) FROM published.v_1)')) v(command);
CREATE FUNCTION rows_of(change text) RETURNS text LANGUAGE sql AS $$
	SELECT format('UPDATE published_private.v_members SET sensitive[1] = ROW(%s)::published_private.v_rows WHERE release = 1 AND class = 1', change)
$$;
SELECT matches(failing(rows_of(change)), 'rows', change) FROM (VALUES ('(sensitive[1]).tuples || (sensitive[1]).tuples'), ('(sensitive[1]).tuples[2:]'), ('NULL'), ('ARRAY[NULL]::published_private.v_sensitive[]'),
	('(sensitive[2]).tuples || (sensitive[2]).tuples')) v(change);
SELECT matches(failing('UPDATE published_private.v_members SET sensitive[1] = NULL WHERE release = 1 AND class = 1'), 'rows', 'no rows at all');
SELECT throws_ok($$SELECT damage('DELETE FROM published.v_1 WHERE class = 1', '(SELECT count(*) FROM pprepub.risks(''v'', 1))')$$, 'XX001', NULL, 'risks are of what was published');

-- What is known of others tells of all rows of a person.
CREATE TABLE ward AS SELECT *, 5 AS age FROM (VALUES (1, 'a'), (1, 'b'), (2, 'a'), (2, 'c'), (3, 'd'), (3, NULL), (3, 'd')) v(patient, ill);
SELECT pprepub.create_publication('ward', 'ward', 'patient', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2, "reserve": 1}', rows => 'several') \g /dev/null
SELECT pprepub.publish('ward') \g /dev/null
SELECT is(array_agg(c.key || ARRAY(SELECT unnest(c.candidates) ORDER BY 1)::text), '{"3{d,NULL}"}', 'the rows that are left') FROM pprepub.compromise('ward', '{1,2}') c;
SELECT is(array_agg(c.key || ARRAY(SELECT unnest(c.candidates) ORDER BY 1)::text ORDER BY c.key), '{"1{a,b,c}","2{a,b,c}"}', 'or those of two') FROM pprepub.compromise('ward', '{3}') c;
SELECT is(array_agg(l.sensitive || l.sizes::text || l.counts::text ORDER BY l.sensitive), '{"a{3}{2}","b{3}{1}","c{3}{1}","d{3}{2}"}', 'a value counts as often as rows show it')
	FROM pprepub.linked_values('ward') l WHERE l.key = '2';
SELECT is(max(probability), 2 / 3::float8, 'two of three people have one value') FROM pprepub.breach_probability('ward');

-- Sources that are at odds with it.
CREATE TABLE odd (patient int, age int, at point, doc json, x xid, t text);
SELECT throws_ok(format('SELECT pprepub.create_publication(''odd'', ''odd'', ''patient'', ''{"age": "range"}'', %L, params => ''{"k": 2}'', rows => ''several'')', sensitive), '42804', NULL, sensitive || ' cannot be sorted')
	FROM unnest('{at,doc,x,"{t,at}"}'::text[]) sensitive;
CREATE TABLE stays AS SELECT i % 30 AS patient, 20 + i % 30 / 3 AS age, 'd' || i % 7 AS ill, 1 AS divisor FROM generate_series(1, 90) i;
CREATE VIEW odd_stays AS SELECT patient, age::float8, ill, 1 / divisor AS one FROM stays;
SELECT pprepub.create_publication('stays', 'odd_stays', 'patient', '{"age": "range 5", "one": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2}', rows => 'several') \g /dev/null
SELECT pprepub.publish('stays') \g /dev/null
SELECT is(count(*), 90::bigint, 'an answer shows all rows') FROM published.stays();
INSERT INTO stays VALUES (NULL, 20, 'd1', 1), (NULL, 21, 'd2', 1);
SELECT is(count(*), 90::bigint, 'but for those of nobody') FROM published.stays();
SELECT throws_ok($$ SELECT pprepub.publish('stays') $$, '23502', NULL, 'of which publish() complains');
DELETE FROM stays WHERE patient IS NULL;
CREATE OR REPLACE VIEW odd_stays AS SELECT patient, CASE WHEN divisor = 7 THEN 'NaN' ELSE age::float8 END AS age, ill, 1 / divisor AS one FROM stays;
UPDATE stays SET divisor = 7 WHERE ctid = (SELECT max(ctid) FROM stays WHERE patient = 5);
SELECT count(*) AS n FROM published.stays () \gset
SELECT ok(:n = 90 AND suppressed = 1, 'a person is left out of whom one row cannot be shown; an invented one has as many') FROM pprepub.release WHERE publication = 'stays' ORDER BY number DESC LIMIT 1;
UPDATE stays SET divisor = 0 WHERE divisor = 7;
SELECT throws_ok($$ SELECT pprepub.publish('stays') $$, '22012', NULL, 'a source that cannot be read');
SELECT is(string_agg(check_name, ' '), 'covers', 'audit() judges what is out all the same') FROM pprepub.audit('stays') WHERE NOT holds;
SELECT is(measured, '4, 360 rows in all', 'rows of answers are counted as those of tables') FROM pprepub.audit('stays') WHERE check_name = 'rows';
UPDATE stays SET divisor = 1;

-- Operators and functions that are planted before those of the system are never called.
CREATE SCHEMA planted;
SELECT format('CREATE FUNCTION planted.no(%s, %1$s) RETURNS boolean LANGUAGE plpgsql AS $x$BEGIN RAISE EXCEPTION $m$planted$m$; END$x$', t)
	FROM unnest('{int,text,float8,published_private.stays_rows,published_private.stays_sensitive}'::text[]) t \gexec
SELECT format('CREATE OPERATOR planted.%s (FUNCTION = planted.no, LEFTARG = %s, RIGHTARG = %2$s)', o, t)
	FROM unnest('{int,text,float8,published_private.stays_rows,published_private.stays_sensitive}'::text[]) t, unnest('{=,<,>}'::text[]) o \gexec
CREATE FUNCTION planted.cardinality(anyarray) RETURNS int LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION $m$planted$m$; END';
CREATE FUNCTION called(call text) RETURNS void LANGUAGE plpgsql SET search_path = planted, pg_catalog, public AS 'BEGIN EXECUTE call; END';
UPDATE stays SET age = age + 1;
SELECT throws_ok($$ SELECT called('SELECT 1 = 1') $$, 'P0001', 'planted', 'others call them');
SELECT lives_ok(format('SELECT called(%L)', 'SELECT * FROM ' || call), call) FROM unnest('{"published.stays (''age < 25'')",pprepub.publish(''stays''),pprepub.audit(''stays''),pprepub.attack(''stays''),pprepub.groups(''stays''),
	pprepub.withheld_keys(''stays''),"pprepub.risks(''stays'', 1)",pprepub.linked_values(''stays''),"pprepub.compromise(''stays'', ''{1}'')",pprepub.rebuild_history(''stays''),"pprepub.forecast(''stays'', 1)",pprepub.report(''stays'')}'::text[]) call;

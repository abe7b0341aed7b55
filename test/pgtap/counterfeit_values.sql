-- Values that nobody has had, among invented rows: an observer who knows the people of each class, and that invented rows have values
-- that are known, would know whose they are, at once or some releases later.
BEGIN;

CREATE TABLE people AS SELECT i AS id, 20 + i % 40 AS age, 'd' || i % 6 AS ill FROM generate_series(1, 60) i;
SELECT pprepub.create_publication(v.name, 'people', 'id', '{"age": "range"}', 'ill', v.method, v.params, beside => v.beside)
FROM (VALUES ('m', 'm-invariance', '{"m": 3}'::jsonb, '{}'::name[]), ('c', 'cor-split', '{"m": 3, "n": 2}', '{m}'),
	('b', 'bpg', '{"k": 4, "l": 3, "repair": "counterfeit"}', '{m,c}')) v(name, method, params, beside) \g /dev/null
SELECT name FROM unnest('{m,c,b}'::text[]) name, pprepub.publish(name) \g /dev/null

-- Somebody comes alone, with a value of his own.
INSERT INTO people VALUES (100, 33, 'new');
PREPARE release AS SELECT pprepub.publish($1);
SELECT throws_ok(format('EXECUTE release(%L)', name), '55000', '1 row(s) that are new to publication "' || name || '" would be found by their sensitive values',
	name || ': nothing is published') FROM unnest('{m,c}'::text[]) name;
SELECT is((SELECT suppressed FROM pprepub.publish('b')), 1::bigint, 'b: he waits');
SELECT is_empty($$ SELECT FROM published.b WHERE ill = 'new' $$, 'and his value does not leave');

-- Two people with a new value each are too few, and so is one beside somebody with a known value: that value's next rows would join their class.
INSERT INTO people VALUES (101, 34, 'newer');
SELECT throws_ok(format('EXECUTE release(%L)', name), '55000', '2 row(s) that are new to publication "' || name || '" would be found by their sensitive values',
	name || ': two values are too few') FROM unnest('{m,c}'::text[]) name;
SELECT is((SELECT suppressed FROM pprepub.publish('b')), 2::bigint, 'b: both wait');
UPDATE people SET ill = 'd3' WHERE id = 101;
SELECT throws_ok(format('EXECUTE release(%L)', name), '55000', '1 row(s) that are new to publication "' || name || '" would be found by their sensitive values',
	name || ': beside a known one') FROM unnest('{m,c}'::text[]) name;
SELECT is((SELECT suppressed FROM pprepub.publish('b')), 2::bigint, 'b: both wait still');

-- Three people with different values are enough.
INSERT INTO people VALUES (103, 36, 'd4');
SELECT lives_ok(format('EXECUTE release(%L)', name), name || ': one of three that are all true') FROM unnest('{m,c}'::text[]) name;
SELECT is((SELECT string_agg(DISTINCT name, ' ') FROM (SELECT 'm' AS name, ill FROM published.m UNION ALL SELECT 'c', ill FROM published.c) s WHERE ill = 'new'), 'c m', 'and leaves');
SELECT is((SELECT suppressed FROM pprepub.publish('b')), 3::bigint, 'b: three wait for a fourth');
SELECT is((SELECT count(*) FROM pprepub.class_members(name) members JOIN pprepub.class_members(name) others USING (release, class)
	WHERE members.key = '100' AND others.key IN ('100', '101', '103') AND release = (SELECT max(release) FROM pprepub.class_members(name))), 3::bigint,
	name || ': they share a class') FROM unnest('{m,c}'::text[]) name;

-- Now it is known, and hides whoever comes next.
INSERT INTO people VALUES (102, 35, 'new');
SELECT lives_ok(format('EXECUTE release(%L)', name), name || ': it is known now') FROM unnest('{m,c}'::text[]) name;
SELECT is((SELECT suppressed FROM pprepub.publish('b')), 0::bigint, 'b: four newcomers with three values are a group');
SELECT is((SELECT count(DISTINCT s.class) FROM published.b s WHERE ill = 'new'), 1::bigint, 'of their own');

-- Two people who have one new value stand under two signatures: exchanging values under the one leaves it to the other.
CREATE TABLE pairs AS SELECT i AS id, 20 + i % 2 * 60 AS age, CASE WHEN i % 2 = 0 THEN 'c' ELSE 'd' END AS ill FROM generate_series(1, 4) i;
SELECT pprepub.create_publication(method, 'pairs', 'id', '{"age": "range"}', 'ill', method, params, beside => beside)
FROM (VALUES ('m-invariance', '{"m": 2}'::jsonb, '{}'::name[]), ('cor-split', '{"m": 2, "n": 1}', '{m-invariance}')) v(method, params, beside) \g /dev/null
CREATE FUNCTION all_publish() RETURNS void LANGUAGE sql AS $$ SELECT pprepub.publish(name) FROM unnest('{m-invariance,cor-split}'::text[]) name $$;
SELECT all_publish() \g /dev/null
INSERT INTO pairs VALUES (10, 30, 'v'), (11, 60, 'v');
SELECT all_publish() \g /dev/null
SELECT results_eq($$ SELECT string_agg(r.ill, ' ' ORDER BY r.ill) FROM published."m-invariance_2" r JOIN pprepub.class_members('m-invariance') m USING (class)
	WHERE m.release = 2 AND m.key IN ('10', '11') GROUP BY r.class ORDER BY 1 $$, $$ VALUES ('c v'), ('d v') $$, 'two different signatures');
SELECT is((SELECT string_agg(name || ' ' || check_name, ', ') FROM unnest('{m-invariance,cor-split}'::text[]) name, pprepub.audit(name) WHERE NOT holds), NULL, 'audit()');
SELECT is((SELECT measured FROM pprepub.audit('m-invariance') WHERE check_name = 'first appearances'), '0 of them not', 'looks at it');

-- Half of a class leave, and the others have a new value: it would be theirs.
CREATE TABLE few AS SELECT i AS id, 20 + i AS age, 'd' || i AS ill FROM generate_series(1, 4) i;
SELECT pprepub.create_publication('few', 'few', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 3, "repair": "counterfeit"}') \g /dev/null
SELECT pprepub.publish('few') \g /dev/null
DELETE FROM few WHERE id > 2;
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('few')), '(4,2)', 'two stand in for those who have left');
UPDATE few SET ill = 'new';
SELECT is((SELECT (rows, counterfeits)::text FROM pprepub.publish('few')), '(4,2)', 'their rows are shown');
SELECT is((SELECT string_agg(ill, ' ' ORDER BY ill) FROM published.few), 'd1 d2 d3 d4', 'with what was shown last, though they have a value of their own');

-- More newcomers than k who have too few values.
INSERT INTO few SELECT i, 20 + i, 'd3' FROM generate_series(11, 16) i;
SELECT is((SELECT (rows, suppressed)::text FROM pprepub.publish('few')), '(4,6)', 'people of one value wait for others');
INSERT INTO few VALUES (17, 30, 'd2'), (18, 30, 'd1');
SELECT is((SELECT (rows, suppressed)::text FROM pprepub.publish('few')), '(12,0)', 'who have come');

SELECT is((SELECT string_agg(name || ' ' || check_name, ', ') FROM unnest('{m,c,b,few}'::text[]) name, pprepub.audit(name) WHERE NOT holds), NULL, 'audit()');

-- Method global of people with several rows: what links whom is counted here from the tables of releases, in whole numbers.
CREATE TABLE visits AS SELECT p AS patient, 20 + p % 50 + (p % 7 = n)::int AS age, '2026-01-01'::date + (p * 31 + n * 5) % 90 AS at,
	CASE WHEN p % 40 > 0 OR n > 0 THEN 'd' || least((p * 7919 + n * 104729) % 60, (p * 31 + n * 7) % 47) END AS ill
	FROM generate_series(1, 900) p, generate_series(0, p % 4) n;
UPDATE visits SET ill = (SELECT min(ill) FROM visits v WHERE v.patient = visits.patient) WHERE patient % 30 = 3;	-- the same again
CREATE TABLE delicate AS SELECT 'd' || i AS ill FROM generate_series(9, 40) i;
CREATE AGGREGATE product(numeric) (sfunc = numeric_mul, stype = numeric, initcond = '1');

SELECT pprepub.create_publication('v', 'visits', 'patient', '{"age": "range", "at": "range"}', 'ill', 'global',
	'{"l": 2, "strategy": "constant-ratio", "releases": 3, "transient": "delicate"}', rows => 'several') \g /dev/null
SELECT * FROM pprepub.publish('v') \g /dev/null
UPDATE visits SET ill = 'd' || (patient + 5) % 60 WHERE patient % 5 = 0;
INSERT INTO visits SELECT p, 20 + p % 50, '2026-02-02', 'd' || p % 60 FROM generate_series(1, 900, 6) p;
SELECT * FROM pprepub.publish('v') \g /dev/null
DELETE FROM visits WHERE patient % 11 = 0;
SELECT * FROM pprepub.publish('v') \g /dev/null

-- Whoever knows how many rows everybody has takes any dealing of a class's rows for equally likely.
CREATE TABLE person AS SELECT release, class, key, cardinality((set).tuples) AS rows
	FROM (SELECT release, class, unnest(keys)::text AS key, unnest(sensitive) AS set FROM published_private.v_members) m;
CREATE VIEW link AS SELECT key, ill, array_agg(people ORDER BY release) AS sizes, array_agg(n ORDER BY release) AS counts, product(kept) AS kept
	FROM person p JOIN (SELECT release, class, count(*)::int AS people, sum(rows) AS all_rows FROM person GROUP BY 1, 2) c USING (release, class)
	JOIN (SELECT release, class, ill, count(*)::int AS n FROM published.v_all WHERE ill IN (TABLE delicate) GROUP BY 1, 2, 3) s USING (release, class),
	LATERAL (SELECT product(greatest(all_rows - n - i, 0)::numeric / (all_rows - i)) AS kept FROM generate_series(0, p.rows - 1) i) k GROUP BY 1, 2;
SELECT is(count(*), (SELECT sum(rows) FROM person), 'all rows of those who are shown leave') FROM published.v_all;
SELECT ok(max(rows) > 4 AND count(DISTINCT key) > 850, 'most are shown') FROM person;
SELECT is_empty('SELECT release, class FROM person GROUP BY 1, 2 HAVING min(rows) < max(rows)', 'people of a class have as many rows');
SELECT ok(max(cardinality(counts)) > 1, 'some are linked twice') FROM link;
SELECT is_empty('SELECT key, ill, kept FROM link WHERE kept < 0.5', 'nobody was ever linked to a value with a chance of more than 1/2');
SELECT bag_eq($$ SELECT * FROM pprepub.linked_values('v') $$, 'SELECT key, ill, sizes, counts FROM link', 'linked_values() tells of values, not of sets');
SELECT is_empty($$ SELECT key FROM pprepub.breach_probability('v') b JOIN link USING (key) WHERE b.sensitive = ill AND probability < 1 - kept - 1e-9 $$,
	'breach_probability() is no less than the chance');
SELECT ok(bool_and(holds) AND 'rows each' = ANY (array_agg(check_name)), 'audit() finds nothing') FROM pprepub.audit('v');
INSERT INTO delicate VALUES ('d1');
SELECT lives_ok($$ SELECT pprepub.alter_publication('v', '{"l": 3, "transient": "delicate"}') $$, 'more may be promised, of more values');
CREATE TABLE others AS TABLE visits;
SELECT throws_ok($$ SELECT pprepub.create_publication('w', 'others', 'patient', '{"age": "range"}', 'ill', 'global',
	'{"l": 2, "strategy": "constant-ratio", "releases": 3, "registry": "others"}', rows => 'several') $$, '0A000', NULL, 'nobody is counted in');

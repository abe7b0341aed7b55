-- Of the rows that answer a cohort, at most the share max_added was not asked for, or is of nobody.
CREATE TABLE people AS SELECT i AS id, 20 + i * 7 % 60 AS age, i * 11 % 9 AS ward, 'd' || i * 13 % 8 AS ill FROM generate_series(1, 900) i;
CREATE TABLE ways AS SELECT format('%s_%s', repair, max_added * 100) AS publication, repair, max_added
FROM unnest('{dirty,counterfeit}'::text[]) repair, unnest('{0,0.2,0.5,1}'::numeric[]) max_added;
CREATE TABLE cohorts AS SELECT n, format('age BETWEEN %s AND %s AND ward <= %s', 20 + n * 17 % 50, 20 + n * 17 % 50 + n % 12, n * 5 % 9) AS cohort
FROM generate_series(1, 25) n;

CREATE FUNCTION declare_all() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	way ways;
BEGIN
	FOR way IN SELECT * FROM ways LOOP
		PERFORM pprepub.create_publication(way.publication, 'people', 'id', '{"age": "range", "ward": "range"}', 'ill', 'bpg',
			jsonb_build_object('k', 6, 'l', 2, 'reserve', 2, 'repair', way.repair, 'max_added', way.max_added),
			beside => (SELECT coalesce(array_agg(name), '{}') FROM pprepub.publication));
		IF way.max_added > 0 THEN
			PERFORM pprepub.publish(way.publication, 'ward < 7');
		END IF;
	END LOOP;
END $$;
SELECT declare_all() \g /dev/null
\pset format unaligned
\pset tuples_only on
\o /dev/null
SELECT format('SELECT count(*) FROM published.%I(%L)', publication, cohort) FROM ways, cohorts WHERE n <= 15 ORDER BY publication, n \gexec
DELETE FROM people WHERE id % 15 = 0;
UPDATE people SET ill = 'd' || id % 8 WHERE id % 20 = 1;
INSERT INTO people SELECT i, 20 + i * 7 % 60, i * 11 % 9, 'd' || i * 13 % 8 FROM generate_series(901, 1000) i;
SELECT format('SELECT count(*) FROM published.%I(%L)', publication, cohort) FROM ways, cohorts WHERE n > 15 ORDER BY publication, n \gexec
\o

CREATE VIEW answers AS SELECT w.*, number, rows, suppressed, dirty + counterfeits AS added FROM pprepub.release JOIN ways w USING (publication) WHERE kind = 'query';
SELECT is((SELECT count(*) FROM answers), 200::bigint, 'all are answered');
SELECT is_empty('SELECT * FROM answers WHERE added > max_added * rows', 'no answer has more rows that were not asked for');
SELECT ok(bool_and(n > 0), 'but some have some')
FROM (SELECT count(*) FILTER (WHERE added > 0 OR max_added = 0) AS n FROM answers GROUP BY publication) a;
SELECT ok(sum(suppressed) FILTER (WHERE max_added = 0.2) > sum(suppressed) FILTER (WHERE max_added = 1), repair || ': a bound withholds')
FROM answers GROUP BY repair;
SELECT is_empty($$ SELECT publication, check_name, worst FROM ways, pprepub.audit(publication) WHERE NOT holds $$, 'audit() agrees');

-- Everybody is no cohort.
CREATE TABLE few AS SELECT i AS id, i AS age, 'd' || i AS ill FROM generate_series(1, 6) i;
SELECT pprepub.create_publication('few', 'few', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 6, "max_added": 0.1}') \g /dev/null
SELECT pprepub.publish('few') \g /dev/null
DELETE FROM few WHERE id > 3;
SELECT is((SELECT count(*) FROM published.few('age < 9')), 0::bigint, 'three of six are a cohort that is withheld');
SELECT is((SELECT count(*) FROM published.few()), 6::bigint, 'and are shown as everybody');

-- The parameter
SELECT throws_like($$ SELECT pprepub.alter_publication('few', '{"max_added": 1.5}') $$, '%"max_added"%', 'a share is 1 at most');
SELECT throws_like($$ SELECT pprepub.alter_publication('few', '{"max_added": -0.1}') $$, '%"max_added"%', 'and 0 at least');
SELECT throws_like($$ SELECT pprepub.preview('few', 'age = 1') $$, '%has nothing that may be published%', 'one of three is withheld');
SELECT is((SELECT value FROM pprepub.preview('few', 'age = 1', params => '{"max_added": 0.9}') WHERE metric = 'counterfeits'), 5::float8,
	'unless a preview allows five others');
SELECT lives_ok($$ SELECT pprepub.alter_publication('few', '{"max_added": 1}') $$, 'a larger one weakens no promise');

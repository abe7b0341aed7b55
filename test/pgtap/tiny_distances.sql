-- Values that lie so close together that the inverse of what parts them is no float any more.
-- Nobody at the two tiny values has company enough there, and whoever lies far away has his own.
CREATE TABLE people AS SELECT i AS id, CASE WHEN i <= 20 THEN -1 WHEN i % 6 < 3 THEN 0 ELSE 1e-40 END::float8 AS dose, 'd' || i % 6 AS ill
FROM generate_series(1, 50) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"dose": "range"}', 'ill', 'global', '{"l": 3, "strategy": "constant-ratio", "releases": 2}') \g /dev/null
SELECT cmp_ok((SELECT rows FROM pprepub.publish('people')), '>=', 40::bigint, 'a release');
SELECT is((SELECT string_agg(DISTINCT dose::text, ' ' ORDER BY dose::text) FROM published.people_1 WHERE dose && '[0,1]' AND NOT dose && '(,0)'),
	'[0,0.00000000000000000000000000000000000000011)', 'they stand together');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('people') WHERE NOT holds), NULL, 'all holds');

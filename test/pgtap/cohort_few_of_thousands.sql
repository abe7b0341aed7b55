-- A few people who are asked for, or are in the source, bring along thousands.
CREATE TABLE people AS SELECT i AS id, i AS ward, 'd' || i % 7 AS ill FROM generate_series(1, 6000) i;
ALTER TABLE people ADD PRIMARY KEY (id);
SELECT pprepub.create_publication('people', 'people', 'id', '{"ward": "range"}', 'ill', 'bpg', '{"k": 10, "l": 2, "reserve": 300, "repair": "dirty", "max_added": 1}') \g /dev/null
SELECT is((SELECT rows FROM pprepub.publish('people')), 6000::bigint, 'groups of thousands');
SELECT format($$ SELECT cmp_ok((SELECT count(*) FROM published.people('ward > %s AND ward <= %s')), '>', 2999::bigint, '%s of them bring along all') $$,
	1000 * few, 1001 * few, few) FROM generate_series(1, 5) few \gexec
SELECT cmp_ok((SELECT rows FROM pprepub.publish('people', 'ward = 5000')), '>', 2999::bigint, 'in a stored release, too');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('people') WHERE NOT holds), NULL, 'all holds');

CREATE TABLE voters AS SELECT id + 10 AS id, ward FROM people;
CREATE TABLE guests AS SELECT * FROM people LIMIT 2;
SELECT pprepub.create_publication('guests', 'guests', 'id', '{"ward": "range"}', 'ill', 'global',
	'{"l": 2, "strategy": "constant-ratio", "releases": 2, "registry": "voters"}', beside => '{people}') \g /dev/null
SELECT is((SELECT rows FROM pprepub.publish('guests')), 2::bigint, 'two guests, and a registry of thousands');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('guests') WHERE NOT holds), NULL, 'all holds there, too');

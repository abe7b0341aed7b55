-- synthetic() draws rows that lie in the cells of the newest release, with values of its classes, and of the source's types.
DROP ROLE IF EXISTS synthetic_reader;
CREATE ROLE synthetic_reader;
CREATE TABLE levels AS SELECT 'w' || i AS leaf, 'house ' || i % 2 AS node, 'all' AS root FROM generate_series(0, 9) i;
SELECT pprepub.create_taxonomy('wards', 'levels') \g /dev/null
SELECT pprepub.create_range_taxonomy('ladder', 0, 128, '{2,8,64}') \g /dev/null
CREATE TABLE people AS SELECT i AS id, (hashint4(i) & 63)::smallint AS small, hashint4(i) & 63 AS age, hashint4(i + 1) & 127 AS years, (hashint4(i) & 1023) / 10.0 AS weight, sqrt(hashint4(i + 2) & 511) AS height,
	date '2000-01-01' + (hashint4(i) & 4095) AS born, timestamptz '2020-01-01 00:00+00' + (hashint4(i) & 4095) * interval '1 hour' AS seen, (53000 + (hashint4(i + 4) & 15))::varchar(9) AS zip,
	'w' || hashint4(i + 3) % 5 + 4 AS ward, (hashint4(i) & 1) = 1 AS female, CASE WHEN i % 50 > 0 THEN hashint4(i) & 3 END AS kids, NULL::int AS nothing, i % 7 AS s, 'x' || i % 2 AS nth, i % 7 AS draw,
	CASE WHEN i % 40 > 0 THEN ARRAY['ill ' || (hashint4(-i) & 7)] END AS ill, 'note ' || i % 3 AS note FROM generate_series(1, 2000) i;
SELECT pprepub.create_publication('p', 'people', 'id', '{"small": "range", "age": "range 5", "years": "taxonomy ladder", "weight": "range", "height": "range", "born": "range 1 month", "seen": "range",
	"zip": "prefix", "ward": "taxonomy wards", "female": "suppress", "kids": "range", "nothing": "range", "s": "range", "nth": "suppress", "draw": "range"}', 'ill', params => '{"k": 5, "l": 2}', insensitive => '{note}') \g /dev/null
SELECT throws_ok(q, state, NULL, q) FROM (VALUES ('SELECT pprepub.synthetic(''p'', 1)', '55000'), ('SELECT pprepub.synthetic(''none'', 1)', '42704'), ('SELECT pprepub.synthetic(''p'', -1)', '22023'), ('SELECT pprepub.synthetic(NULL, 1)', '22023'),
	('SELECT pprepub.synthetic(''p'', NULL)', '22023')) v (q, state);
SELECT pprepub.publish('p', columns => '{age, ill}') \g /dev/null
SELECT pprepub.publish('p') \g /dev/null
CREATE TABLE drawn AS SELECT r.* FROM pprepub.synthetic('p', 3000) s CROSS JOIN jsonb_populate_record(NULL::published.p_values, s) r;
SELECT is(count(*), 3000::bigint, 'as many as were asked for') FROM drawn;
SELECT is(count(*), 0::bigint, 'none of nothing') FROM pprepub.synthetic('p', 0);
SELECT is(count(*), 0::bigint, 'each lies in the cells of a class that has its value') FROM drawn d WHERE NOT EXISTS (
	SELECT FROM published.p c WHERE c.ill IS NOT DISTINCT FROM d.ill AND c.note = d.note
		AND (c.age @> d.age OR c.age IS NULL AND d.age IS NULL) AND c.small @> d.small::int AND c.weight @> d.weight AND c.height @> d.height::numeric AND c.born @> d.born AND c.seen @> d.seen
		AND (c.zip = '*' OR starts_with(d.zip, rtrim(c.zip, '*'))) AND (c.female = '*' OR c.female::boolean = d.female)
		AND (d.kids IS NULL AND c.kids IS NULL OR lower_inf(c.kids) OR c.kids @> d.kids) AND d.nothing IS NULL AND c.s @> d.s AND c.draw @> d.draw AND c.nth IN (d.nth, '*')
		AND c.years::numrange @> d.years::numeric
		AND EXISTS (SELECT FROM levels l WHERE l.leaf = d.ward AND c.ward IN (l.leaf, l.node, l.root)));
SELECT cmp_ok(count(DISTINCT d -> c)::int, '>', least_values, c || ' varies inside cells') FROM drawn, LATERAL to_jsonb(drawn) d, (VALUES ('small', 10), ('age', 20), ('years', 30), ('weight', 50), ('height', 50), ('born', 100), ('seen', 500), ('ward', 4), ('kids', 2), ('ill', 7)) v (c, least_values)
	GROUP BY c, least_values;
SELECT is(count(*), 2::bigint, 'nothing is noted') FROM pprepub.release WHERE publication = 'p';

GRANT USAGE ON SCHEMA published TO synthetic_reader;
SET ROLE synthetic_reader;
SELECT throws_ok('SELECT pprepub.synthetic(''p'', 1)', '42501', NULL, 'for those who may read the release');
RESET ROLE;
GRANT SELECT ON published.p TO synthetic_reader;
SET ROLE synthetic_reader;
SELECT is(count(s), 5::bigint, 'and them alone') FROM pprepub.synthetic('p', 5) s;
RESET ROLE;
DROP OWNED BY synthetic_reader;
DROP ROLE synthetic_reader;

-- A window that slides, by whether classes are laid out by when people leave: test/run bench leaves
--
-- 20,000 people, the oldest twentieth or fifth of whom are replaced from release to release, 20
-- releases; k = 10, l = 3, reserve 1, true rows only but for "counterfeit". Shares of the people, and
-- what a cell loses (of 1), on the average of the releases; cost is all of them together.
SET client_min_messages = error;
CREATE TABLE drawn AS
SELECT id, (h[1] % 80)::int AS age, (ARRAY['F', 'M'])[1 + h[2] % 2] AS sex, (h[3] % 20)::int AS ward, 'disease ' || h[4] % 20 AS disease
FROM (SELECT id, array_agg(hashint8extended(id, n) & 1048575 ORDER BY n) AS h
	FROM generate_series(0, 99999) id, generate_series(1, 4) n GROUP BY id) drawn;

CREATE TABLE ways AS
SELECT format('w%s_%s', part, way) AS publication, part, 20000 / part AS cohort, way,
	'{"k": 10, "l": 3, "reserve": 1}' || CASE way WHEN 'dirty' THEN '{"repair": "dirty"}' WHEN 'counterfeit' THEN '{"repair": "counterfeit"}'
		ELSE '{"repair": "dirty", "leaves": "slot"}' END::jsonb AS params
FROM unnest('{20,5}'::int[]) part, unnest('{dirty,counterfeit,leaves}'::text[]) way;
SELECT DISTINCT format('CREATE TABLE people_%s AS SELECT *, id / %s AS slot FROM drawn LIMIT 0', part, cohort) FROM ways \gexec
SELECT format($$SELECT pprepub.create_publication(%L, 'people_%s', 'id', '{"age": "range", "sex": "suppress", "ward": "range"}', 'disease', 'bpg', %L,
	beside => (SELECT coalesce(array_agg(name), '{}') FROM pprepub.publication))$$, publication, part, params) FROM ways
\o /dev/null
\gexec
SELECT sql FROM (
	SELECT DISTINCT r, 1 AS place, format('TRUNCATE people_%s', part) AS sql FROM ways, generate_series(0, 19) r
	UNION ALL SELECT DISTINCT r, 2, format('INSERT INTO people_%s SELECT *, id / %s FROM drawn WHERE id >= %s AND id < %s', part, cohort, r * cohort, r * cohort + 20000)
	FROM ways, generate_series(0, 19) r
	UNION ALL SELECT r, 3, format('SELECT pprepub.publish(%L)', publication) FROM ways, generate_series(0, 19) r) x
ORDER BY r, place, sql \gexec
\o

SELECT round(100.0 / part) AS "leave, %", way, round(100 * avg(withheld), 1) AS "withheld, %", round(100 * avg(invented), 1) AS "invented, %",
	round(avg(loss), 3) AS loss, round(avg(withheld + invented + loss * (1 - withheld)), 3) AS cost, round(1000 * avg(seconds)) AS ms
FROM (SELECT publication, suppressed / 20000.0 AS withheld, counterfeits / 20000.0 AS invented, seconds::numeric,
		(SELECT value FROM pprepub.metrics(publication, number) WHERE metric = 'ail')::numeric / 3 AS loss FROM pprepub.release) r JOIN ways USING (publication)
GROUP BY part, way ORDER BY part DESC, way;

-- 200,000 newcomers of many or few days: what it takes to cut each day's by themselves.
CREATE TABLE newcomers AS SELECT id, (h[1] % 80)::int AS age, (ARRAY['F', 'M'])[1 + h[2] % 2] AS sex, (h[3] % 400)::int AS ward, 'disease ' || h[4] % 20 AS disease, h[5] AS day
FROM (SELECT id, array_agg(hashint8extended(id, n) & 1048575 ORDER BY n) AS h FROM generate_series(1, 200000) id, generate_series(1, 5) n GROUP BY id) drawn;
SELECT format('CREATE VIEW of_%s_days AS SELECT id, age, sex, ward, disease, day %% %1$s AS day FROM newcomers', days) FROM unnest('{1,50,2000,10000}'::int[]) days \gexec
SELECT format($$SELECT pprepub.create_publication('of_%s_days', 'of_%1$s_days', 'id', '{"age": "range", "sex": "suppress", "ward": "range"}', 'disease', 'bpg',
	'{"k": 10, "l": 3, "repair": "dirty", "reserve": 1, "leaves": "day"}', beside => (SELECT coalesce(array_agg(name), '{}') FROM pprepub.publication))$$, days) FROM unnest('{1,50,2000,10000}'::int[]) days
\o /dev/null
\gexec
SELECT format('SELECT pprepub.publish(''of_%s_days'')', days) FROM unnest('{1,50,2000,10000}'::int[]) days \gexec
\o
SELECT publication, round(value::numeric, 1) AS "loss, %", round(1000 * seconds) AS ms FROM pprepub.release, LATERAL pprepub.metrics(publication, number)
WHERE publication LIKE 'of%days' AND metric = 'loss_percent' ORDER BY length(publication::text), 1;

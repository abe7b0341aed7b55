-- Answers about cohorts that overlap, by what protects those who would be exposed: test/run bench cohorts
--
-- 20,000 people; 200 cohorts of three of 20 wards and 21 of 80 years of age, some 780 people
-- each, drawn once and asked of each publication; k = 10, l = 3. "whole" has one release of
-- everybody first. Shares are those of the second hundred answers: rows withheld of those
-- asked for, rows added or invented of those given; loss is that of a cell.
SET client_min_messages = error;
CREATE TABLE people AS
SELECT id, (h[1] % 80)::int AS age, (ARRAY['F', 'M'])[1 + h[2] % 2] AS sex, (h[3] % 20)::int AS ward, 'disease ' || h[4] % 20 AS disease
FROM (SELECT id, array_agg(hashint8extended(id, n) & 1048575 ORDER BY n) AS h
	FROM generate_series(1, 20000) id, generate_series(1, 4) n GROUP BY id) drawn;
ALTER TABLE people ADD PRIMARY KEY (id);
VACUUM ANALYZE people;

CREATE TABLE cohorts AS
SELECT n, format('ward BETWEEN %s AND %s AND age BETWEEN %s AND %s', ward, ward + 2, age, age + 20) AS cohort
FROM (SELECT n, (hashint8extended(n, 5) & 1048575) % 18 AS ward, (hashint8extended(n, 6) & 1048575) % 60 AS age
	FROM generate_series(1, 200) n) drawn;

CREATE TABLE ways AS
SELECT format('%s_%s_%s', repair, reserve, whole) AS publication, repair, reserve, whole
FROM unnest('{none,dirty,minimal,counterfeit}'::text[]) WITH ORDINALITY r (repair, place), unnest('{1,10}'::int[]) reserve,
	unnest('{f,t}'::boolean[]) whole;
SELECT format($$SELECT pprepub.create_publication(%L, 'people', 'id', '{"age": "range", "sex": "suppress", "ward": "range"}', 'disease', 'bpg', %L,
	beside => (SELECT coalesce(array_agg(name), '{}') FROM pprepub.publication))$$,
	publication, jsonb_build_object('k', 10, 'l', 3, 'repair', repair, 'reserve', reserve)) FROM ways
\o /dev/null
\gexec
SELECT format('SELECT pprepub.publish(%L)', publication) FROM ways WHERE whole \gexec
SELECT format('SELECT count(*) FROM published.%I(%L)', publication, cohort) FROM ways, cohorts ORDER BY publication, n \gexec
\o

SELECT repair, reserve, whole,
	round(100.0 * sum(suppressed) / sum(rows - dirty - counterfeits + suppressed), 1) AS withheld,
	round(100.0 * sum(dirty) / sum(rows), 1) AS added, round(100.0 * sum(counterfeits) / sum(rows), 1) AS invented,
	round(sum(rows) / sum(classes), 0) AS class_size,
	round(avg((SELECT value FROM pprepub.metrics(publication, number) WHERE metric = 'loss_percent'))::numeric, 1) AS loss,
	round(1000 * percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)::numeric, 1) AS ms
FROM pprepub.release JOIN ways USING (publication)
WHERE kind = 'query' AND number > 100 + whole::int
GROUP BY repair, reserve, whole
ORDER BY repair, reserve, whole;

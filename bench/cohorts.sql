-- Answers about cohorts that overlap, by what protects those who would be exposed, and how many rows it may add: test/run bench cohorts
--
-- 20,000 people; 200 cohorts of three of 20 wards and 21 of 80 years of age, some 780 people
-- each, drawn once and asked of each publication; k = 10, l = 3. Some have one release of
-- everybody first, and of some of these 5 % have left since. Shares are those of the second
-- hundred answers: "given" are rows that were asked for, of those asked for; "others" are
-- rows that were not asked for, added or invented, of those given; "worst" is the largest
-- share of these in one answer; loss is that of a cell.  The second table is of cohorts of
-- some 50 people, each of which would be the first that anybody asks about.
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
SELECT format('way_%s', row_number() OVER ()) AS publication, *
FROM (VALUES (1, 'nothing', '2'), (2, 'all', '1'), (3, 'all', '2'), (4, 'all, 5 % left', '2')) b (place, before, reserve),
	(VALUES (NULL), ('["ward"]')) s (strata),
	unnest('{dirty,counterfeit}'::text[]) WITH ORDINALITY r (repair, repair_place),
	unnest('{0.5,1}'::numeric[]) max_added;
SELECT format($$SELECT pprepub.create_publication(%L, 'people', 'id', '{"age": "range", "sex": "suppress", "ward": "range"}', 'disease', 'bpg', %L,
	beside => (SELECT coalesce(array_agg(name), '{}') FROM pprepub.publication))$$,
	publication, jsonb_build_object('k', 10, 'l', 3, 'repair', repair, 'reserve', reserve::jsonb, 'max_added', max_added) ||
		coalesce(jsonb_build_object('strata', strata::jsonb), '{}')) FROM ways
\o /dev/null
\gexec
SELECT format('SELECT pprepub.publish(%L)', publication) FROM ways WHERE before <> 'nothing' \gexec
CREATE TABLE small AS
SELECT format('ward = %s AND age BETWEEN %s AND %s', n % 20, 4 * (n % 19), 4 * (n % 19) + 3) AS cohort FROM generate_series(1, 100) n;
CREATE TABLE first (publication text, cohort text, rows float8, suppressed float8, others float8, loss float8);
CREATE FUNCTION ask(publication text, cohort text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO first SELECT ask.publication, ask.cohort, max(value) FILTER (WHERE metric = 'rows'), max(value) FILTER (WHERE metric = 'suppressed'),
		sum(value) FILTER (WHERE metric IN ('dirty', 'counterfeits')), max(value) FILTER (WHERE metric = 'loss_percent')
	FROM pprepub.preview(ask.publication, ask.cohort);
EXCEPTION WHEN no_data_found THEN
	EXECUTE 'INSERT INTO first SELECT $1, $2, 0, count(*), 0 FROM people WHERE ' || cohort USING publication, cohort;
END $$;
SELECT ask(publication, cohort) FROM ways, small WHERE before = 'all';
SELECT format('SELECT count(*) FROM published.%I(%L)', publication, cohort) FROM ways, cohorts WHERE before NOT LIKE '%left' ORDER BY publication, n \gexec

DELETE FROM people WHERE id % 20 = 0;
SELECT ask(publication, cohort) FROM ways, small WHERE before LIKE '%left';
SELECT format('SELECT count(*) FROM published.%I(%L)', publication, cohort) FROM ways, cohorts WHERE before LIKE '%left' ORDER BY publication, n \gexec
\o

SELECT before, reserve, strata, repair, max_added,
	round(100.0 * sum(rows - dirty - counterfeits) / sum(rows - dirty - counterfeits + suppressed), 1) AS given,
	round(100.0 * sum(dirty + counterfeits) / sum(rows), 1) AS others,
	round(100.0 * max((dirty + counterfeits)::numeric / nullif(rows, 0)), 1) AS worst,
	round(sum(rows) / sum(classes), 0) AS class_size,
	round(avg((SELECT value FROM pprepub.metrics(publication, number) WHERE metric = 'loss_percent'))::numeric, 1) AS loss,
	round(1000 * percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)::numeric, 1) AS ms
FROM pprepub.release JOIN ways USING (publication)
WHERE kind = 'query' AND number > 100 + (before <> 'nothing')::int
GROUP BY place, before, reserve, strata, repair_place, repair, max_added
ORDER BY place, strata NULLS FIRST, repair_place, max_added DESC;

SELECT before, reserve, strata, repair, max_added, round(100 * sum(rows - others) / sum(rows - others + suppressed)) AS given,
	round(100 * sum(others) / sum(rows)) AS others, round(100 * max(others / nullif(rows, 0))) AS worst, round(avg(loss)::numeric, 1) AS loss
FROM first JOIN ways USING (publication)
GROUP BY place, before, reserve, strata, repair_place, repair, max_added
ORDER BY place, strata NULLS FIRST, repair_place, max_added DESC;

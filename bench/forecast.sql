-- forecast() of ten releases beside one preview(), and what it says of settings: 20,000 and 200,000 people of the census, of
-- whom 5 % are replaced from release to release; k = 10, l = 3, four quasi-identifiers: test/run bench forecast
--
-- Seconds are medians of three runs, taken in turn.
\i test/data/census.sql
\i test/data/census_levels.sql
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;

CREATE TABLE small AS SELECT id, age, sex, education, country, salary_class FROM census(20000);
CREATE TABLE large AS SELECT id, age, sex, education, country, salary_class FROM census(200000);
VACUUM ANALYZE small, large;
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,country}'::text[]) name \g /dev/null
SELECT pprepub.create_publication(name, name::regclass, 'id',
	'{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country"}',
	'salary_class', 'bpg', '{"k": 10, "l": 3}')
FROM unnest('{small,large}'::text[]) name \g /dev/null

CREATE TABLE run (source text, reserve text, what text, seconds float8);
CREATE PROCEDURE measure(source text, reserve text) LANGUAGE plpgsql AS $$
DECLARE
	params jsonb := format('{"reserve": %s}', reserve);
	start timestamptz;
BEGIN
	FOR i IN 1..3 LOOP
		start := clock_timestamp();
		PERFORM pprepub.preview(source, params => params);
		INSERT INTO run VALUES (source, reserve, 'preview', extract(epoch FROM clock_timestamp() - start));
		start := clock_timestamp();
		PERFORM pprepub.forecast(source, 10, 0.05, params => params);
		INSERT INTO run VALUES (source, reserve, 'forecast', extract(epoch FROM clock_timestamp() - start));
	END LOOP;
END
$$;
SELECT format('CALL measure(%L, %L)', source, reserve) FROM unnest('{small,large}'::text[]) source, unnest('{1,2,4}'::text[]) reserve \gexec

\echo
\echo seconds of a preview, and of a forecast of ten releases
SELECT CASE source WHEN 'small' THEN 20000 ELSE 200000 END AS people, reserve, round(p::numeric, 3) AS preview_s, round(f::numeric, 3) AS forecast_s, round((f / p)::numeric, 1) AS ratio
FROM (SELECT source, reserve, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE what = 'preview') AS p,
	percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE what = 'forecast') AS f FROM run GROUP BY 1, 2) m ORDER BY 1, 2;

\echo
\echo what is foreseen of 20,000 people, averages of ten releases
SELECT repair, reserve, round(avg(withheld_percent)::numeric, 1) AS withheld, round(avg(invented_percent)::numeric, 1) AS invented, round(avg(loss_percent)::numeric, 1) AS loss
FROM unnest('{dirty,counterfeit}'::text[]) repair, unnest('{1,2,4,10}'::jsonb[]) reserve,
	pprepub.forecast('small', 10, 0.05, params => jsonb_build_object('repair', repair, 'reserve', reserve)) GROUP BY 1, 2 ORDER BY 1 DESC, 2;

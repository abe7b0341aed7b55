-- Errors that bench/counts/methods.sql has measured.
\pset footer off
\echo
\echo median and 90th percentile of the error in per cent of the truth, and how many of the conditions lie between the bounds; width: median of the bounds, in parts of the truth
SELECT c.people, week AS release, c.publication, round(l.value::numeric, 2) AS loss, round(l.invented::numeric, 1) AS invented, round(l.withheld::numeric, 1) AS withheld,
	CASE WHEN is_sensitive THEN 'yes' ELSE 'no' END AS sensitive, per_cent,
	round(100 * percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(estimate - truth) / truth)::numeric, 1) AS median,
	round(100 * percentile_cont(0.9) WITHIN GROUP (ORDER BY abs(estimate - truth) / truth)::numeric, 1) AS p90,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY (high - low) / truth)::numeric, 2) AS width,
	count(*) FILTER (WHERE truth BETWEEN low AND high) || ' of ' || count(*) AS inside
FROM counted c LEFT JOIN loss l ON (l.people, l.release, l.publication) = (c.people, c.week, c.publication)
GROUP BY 1, 2, 3, 4, 5, 6, is_sensitive, per_cent ORDER BY 1, 2, is_sensitive, per_cent, c.publication;
\echo refused
SELECT name, refused FROM method WHERE refused IS NOT NULL;

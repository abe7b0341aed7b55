-- Errors that bench/counts/methods.sql has measured.
\pset footer off
\echo
\echo median and 90th percentile of the error in per cent of the truth, by how many of the people meet the condition, first by quasi-identifiers alone, then with
\echo the sensitive column, too; how many conditions lie between the bounds; loss of a cell, invented and withheld in per cent
WITH error AS (
	SELECT people, week, publication, per_cent || CASE WHEN is_sensitive THEN ' with' ELSE '' END AS kind, count(*) AS n, count(*) FILTER (WHERE truth BETWEEN low AND high) AS inside,
		round(100 * percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(estimate - truth) / truth)::numeric, 1) || ', ' ||
		round(100 * percentile_cont(0.9) WITHIN GROUP (ORDER BY abs(estimate - truth) / truth)::numeric, 1) AS per_cent
	FROM counted GROUP BY people, week, publication, is_sensitive, per_cent)
SELECT e.people, week AS release, e.publication, round(l.value::numeric, 2) AS loss, round(l.invented::numeric, 1) AS invented, round(l.withheld::numeric, 1) AS withheld,
	max(per_cent) FILTER (WHERE kind = '1') AS "1 %", max(per_cent) FILTER (WHERE kind = '5') AS "5 %", max(per_cent) FILTER (WHERE kind = '20') AS "20 %",
	max(per_cent) FILTER (WHERE kind = '1 with') AS "1 % with", max(per_cent) FILTER (WHERE kind = '5 with') AS "5 % with", sum(inside) || ' of ' || sum(n) AS inside
FROM error e LEFT JOIN loss l ON (l.people, l.release, l.publication) = (e.people, e.week, e.publication) LEFT JOIN method m ON m.name = e.publication
GROUP BY 1, 2, 3, 4, 5, 6, m.position ORDER BY 1, 2, m.position;
SELECT name, refused FROM method WHERE refused IS NOT NULL;

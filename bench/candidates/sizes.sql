-- Figures of sources that shrink, stay and grow, which bench/candidates/run has measured.
\pset footer off
\echo
\echo lost in cells and invented, percent of the people, as a mean and in the last release; both together are the cost; with n = 3, classes that are not safe
SELECT r.scenario, r.method, (array_agg(r.rows - r.counterfeits ORDER BY release DESC))[1] AS people,
	round(avg(loss)::numeric, 1) AS loss, round(avg(i.invented), 1) AS invented, round((avg(loss) + avg(i.invented))::numeric, 1) AS cost,
	round((array_agg(loss ORDER BY release DESC))[1]::numeric, 1) AS last_loss, round((array_agg(i.invented ORDER BY release DESC))[1], 1) AS last_invented,
	round(100.0 * coalesce(sum(u.classes), 0) / sum(r.classes), 1) AS unsafe, round(avg(cpu)::numeric, 3) AS release_cpu
FROM run r LEFT JOIN unsafe u USING (scenario, method, release), LATERAL (SELECT 100.0 * counterfeits / (rows - counterfeits) AS invented) i
GROUP BY 1, 2 ORDER BY 1, 2;

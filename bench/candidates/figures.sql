-- Figures of lives that bench/candidates/run has measured.
\pset footer off
CREATE VIEW timed AS
SELECT r.*, last, nullif(cpu, 0) / nullif(plain_cpu, 0) AS to_plain, release > last - 5 AS is_last, release BETWEEN 3 AND 7 AS is_fifth FROM run r JOIN (SELECT scenario, max(release) AS last FROM run GROUP BY 1) l USING (scenario);

\echo
\echo seconds of a release and of CREATE TABLE AS SELECT … ORDER BY, medians, by the clock and by the processor; last / fifth: of the last five releases
\echo against the third to seventh, by the processor, against plain; growth: the exponent with which that grows with the number of releases, from the fifth on
SELECT scenario, method, max(release) AS releases, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds)::numeric, 3) AS release_s,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY plain)::numeric, 3) AS plain_s,
	round((percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds / plain))::numeric, 2) AS to_plain,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY cpu)::numeric, 3) AS release_cpu, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY plain_cpu)::numeric, 3) AS plain_cpu,
	round((percentile_cont(0.5) WITHIN GROUP (ORDER BY cpu / nullif(plain_cpu, 0)))::numeric, 2) AS cpu_to_plain, round(max(cpu / nullif(plain_cpu, 0))::numeric, 2) AS worst,
	round((percentile_cont(0.5) WITHIN GROUP (ORDER BY to_plain) FILTER (WHERE is_last) / percentile_cont(0.5) WITHIN GROUP (ORDER BY to_plain) FILTER (WHERE is_fifth))::numeric, 2) AS last_to_fifth,
	round((regr_slope(ln(to_plain), ln(release)) FILTER (WHERE release >= 5))::numeric, 2) AS growth
FROM timed GROUP BY scenario, method ORDER BY 1, 2;

\echo
\echo Figure 7: classes of each release that are not safe with n = 3
SELECT r.scenario, r.method, coalesce(sum(u.classes), 0) AS unsafe, sum(r.classes) AS classes, string_agg(coalesce(u.classes, 0)::text, ' ' ORDER BY release) AS releases
FROM run r LEFT JOIN unsafe u USING (scenario, method, release) WHERE method <> 'bpg' GROUP BY 1, 2 ORDER BY 1, 2;

\echo
\echo Figure 8: invented rows of each release
SELECT scenario, method, sum(counterfeits) AS invented, sum(rows) AS rows, string_agg(counterfeits::text, ' ' ORDER BY release) AS releases
FROM run WHERE method <> 'bpg' GROUP BY 1, 2 ORDER BY 1, 2;

\echo
\echo Figure 9: median relative error of counts over random boxes of the four quasi-identifiers in the last release, by expected selectivity
\echo (selectivity: of those that are not empty, on average): for who knows how frequent each age, education and so on is; and, even, if rows lie evenly in their cells
SELECT scenario, expected, round(avg(selectivity)::numeric, 4) AS selectivity, round((max(error) FILTER (WHERE publication = 1))::numeric, 4) AS m_invariance,
	round((max(error) FILTER (WHERE publication = 2))::numeric, 4) AS cor_split,
	round((max(error) FILTER (WHERE publication = 2) / nullif(max(error) FILTER (WHERE publication = 1), 0))::numeric, 2) AS ratio,
	round((max(error) FILTER (WHERE publication = 3))::numeric, 4) AS bpg,
	round((max(even) FILTER (WHERE publication = 1))::numeric, 4) AS even_m_invariance, round((max(even) FILTER (WHERE publication = 2))::numeric, 4) AS even_cor_split,
	round((max(even) FILTER (WHERE publication = 3))::numeric, 4) AS even_bpg
FROM error GROUP BY 1, 2 ORDER BY 1, 2;

\echo
\echo rows withheld and invented and the loss of a cell (percent), in the first release, too; FEM and VEM with counterfeits (bits): averages of all releases
SELECT scenario, method, round(avg(100.0 * suppressed / (rows - counterfeits + suppressed)), 1) AS withheld, round(avg(100.0 * counterfeits / rows), 2) AS invented,
	round(avg(loss)::numeric, 1) AS loss, round((avg(loss) FILTER (WHERE release = 1))::numeric, 1) AS first_loss, round(avg(fem)::numeric, 2) AS fem, round(avg(vem)::numeric, 2) AS vem FROM run GROUP BY 1, 2 ORDER BY 1, 2;

\echo
\echo what auditing takes, in seconds of the processor (by the clock); growth: the exponent with which that grows with the rows of all releases
SELECT method, function, string_agg(format('%s: %s (%s)', release, round(cpu::numeric, 2), round(seconds::numeric, 2)), ', ' ORDER BY release) AS releases,
	max(rows) AS rows, max(results) AS results, round(regr_slope(ln(nullif(cpu, 0)), ln(rows))::numeric, 2) AS growth
FROM audited GROUP BY 1, 2 ORDER BY 2, 1;

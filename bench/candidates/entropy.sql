-- Figures of the comparison by FEM and VEM that bench/candidates/run has measured.
\pset footer off
CREATE VIEW compared AS
SELECT r.*, last, split_part(scenario, ', ', 1) AS sensitive, split_part(scenario, ', ', 2)::int AS r
FROM run r JOIN (SELECT scenario, max(release) AS last FROM run GROUP BY 1) l USING (scenario) WHERE scenario ~ '^(salary_class|occupation), ';

\echo
\echo Figures 1 and 2 of Barbosa, Pinto and Gomes: seconds of all releases, and of one on average, by the clock and by the processor; last / fifth as above;
\echo rows withheld and invented and the loss of a cell, percent on average
SELECT sensitive, r, method, max(release) AS releases, round(sum(seconds)::numeric, 1) AS total_s, round(avg(seconds)::numeric, 3) AS release_s,
	round(sum(cpu)::numeric, 1) AS total_cpu, round(avg(cpu)::numeric, 3) AS release_cpu,
	round((percentile_cont(0.5) WITHIN GROUP (ORDER BY cpu / nullif(plain_cpu, 0)) FILTER (WHERE release > last - 5) / percentile_cont(0.5) WITHIN GROUP (ORDER BY nullif(cpu, 0) / nullif(plain_cpu, 0)) FILTER (WHERE release BETWEEN 3 AND 7))::numeric, 2) AS last_to_fifth,
	round(avg(cpu / nullif(plain_cpu, 0))::numeric, 2) AS cpu_to_plain,
	round(avg(100.0 * suppressed / (rows - counterfeits + suppressed)), 1) AS withheld, round(avg(100.0 * counterfeits / rows), 2) AS invented,
	round(avg(loss)::numeric, 1) AS loss
FROM compared GROUP BY 1, 2, 3 ORDER BY 1, 2 DESC, 3;

\echo
\echo Figure 3: FEM and VEM with counterfeits (bits), release by release; every eighth where there are 81
SELECT sensitive, r, method, metric, round(avg(value)::numeric, 2) AS average, string_agg(round(value::numeric, 1)::text, ' ' ORDER BY release) FILTER (WHERE (release - 1) % CASE WHEN last > 20 THEN 8 ELSE 1 END = 0) AS releases
FROM compared, LATERAL (VALUES ('fem', fem), ('vem', vem)) m(metric, value) GROUP BY 1, 2, 3, 4 ORDER BY 1, 2 DESC, 4, 3;

\echo
\echo FEM and VEM as parts of those of m-invariance: the least and the average of all releases (the paper: 0.83 and 1.62 at least)
SELECT sensitive, r, c.method, round(min(c.fem / i.fem)::numeric, 2) AS least_fem, round(avg(c.fem / i.fem)::numeric, 2) AS fem,
	round(min(c.vem / i.vem)::numeric, 2) AS least_vem, round(avg(c.vem / i.vem)::numeric, 2) AS vem
FROM compared c JOIN compared i USING (sensitive, r, release) WHERE i.method = 'm-invariance' GROUP BY 1, 2, 3 ORDER BY 1, 2 DESC, 3;

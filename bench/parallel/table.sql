\echo publish() by workers, in seconds; speedup is of the whole
WITH median AS (SELECT kind, workers, phase, percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) AS m FROM publish_run GROUP BY kind, workers, phase),
	wide AS (SELECT kind, workers, max(m) FILTER (WHERE phase = 'all') AS whole, max(m) FILTER (WHERE phase = 'read source') AS load,
		max(m) FILTER (WHERE phase = 'cut newcomers') AS cut, max(m) FILTER (WHERE phase = 'judge draft') AS judge,
		max(m) FILTER (WHERE phase = 'store rows') AS store, max(m) FILTER (WHERE phase = 'write history') AS log FROM median GROUP BY kind, workers)
SELECT w.kind, w.workers, round(w.whole::numeric, 2) AS all, round(w.load::numeric, 2) AS load, round(w.cut::numeric, 2) AS cut, round(w.judge::numeric, 2) AS judge,
	round(w.store::numeric, 2) AS store, round(w.log::numeric, 2) AS log,
	round((a.whole / w.whole)::numeric, 2) AS speedup, round((a.cut / w.cut)::numeric, 2) AS speedup_of_cut
FROM wide w JOIN wide a ON a.kind = w.kind AND a.workers = (SELECT min(workers) FROM wide)
ORDER BY 1, 2;

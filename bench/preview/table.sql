\echo preview() beside ORDER BY of the same columns
WITH median AS (SELECT kind, n, what, percentile_cont(0.5) WITHIN GROUP (ORDER BY value) AS m FROM run GROUP BY kind, n, what),
	wide AS (SELECT kind, n, max(m) FILTER (WHERE what = 'sort') AS sort, max(m) FILTER (WHERE what = 'preview') AS preview, max(m) FILTER (WHERE what = 'load_seconds') AS load,
		max(m) FILTER (WHERE what = 'partition_seconds') AS partition, max(m) FILTER (WHERE what = 'loss_percent') AS loss, max(m) FILTER (WHERE what = 'bytes') AS bytes
		FROM median GROUP BY kind, n)
SELECT w.kind, w.n AS rows, round(w.sort::numeric, 2) AS sort_s, round(w.preview::numeric, 2) AS preview_s, round((w.preview / w.sort)::numeric, 2) AS ratio,
	round(w.load::numeric, 2) AS load_s, round(w.partition::numeric, 2) AS partition_s, round((1e6 * w.preview / w.n)::numeric, 2) AS us_a_row,
	round((ln(w.preview / s.preview) / nullif(ln(w.n::float8 / s.n), 0))::numeric, 2) AS growth, round(w.bytes::numeric) AS bytes_a_row, round(w.loss::numeric, 3) AS loss_percent
FROM wide w JOIN kind k ON k.name = w.kind JOIN LATERAL (SELECT * FROM wide s WHERE s.kind = w.kind ORDER BY n LIMIT 1) s ON true
ORDER BY k.position, w.n;

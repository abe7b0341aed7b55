\echo
\echo calls beside the releases that wrote the history; compare: rebuild_history() of what is as the log tells; rebuild: of what was lost
SELECT f.method, f.releases, l.rows, round(l.seconds::numeric, 1) AS releases_s, round(l.bytes::numeric / 1e6) AS releases_mb, f.call, round(f.seconds::numeric, 1) AS seconds,
	round((f.seconds / l.seconds)::numeric, 2) AS ratio, round((1e9 * f.seconds / l.rows)::numeric) AS ns_a_row,
	round((ln(f.seconds / s.seconds) / nullif(ln(l.rows::float8 / s.rows), 0))::numeric, 2) AS growth,
	round(f.bytes::numeric / 1e6) AS mb, round((f.bytes / l.rows)::numeric, 1) AS bytes_a_row
FROM life l JOIN figure f USING (method, releases, asked)
	JOIN LATERAL (SELECT sf.seconds, sl.rows FROM figure sf JOIN life sl USING (method, releases, asked)
		WHERE (sf.method, sf.releases, sf.call) = (f.method, f.releases, f.call) ORDER BY asked LIMIT 1) s ON true
ORDER BY f.method, f.releases DESC, array_position('{audit,attack,compare,rebuild}', f.call), l.rows;

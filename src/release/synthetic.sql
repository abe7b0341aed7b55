-- ----------------------------------------------------------------
-- release/: rows drawn from a release, for tests and demos
-- ----------------------------------------------------------------

-- All of it runs with the rights of the caller, who reads the view NAME.  A drawn row is one of the release, with a value in place of each cell:
-- of a range any in it, of a withheld one any between the ends that the release shows; a leaf below a node; a text that the release shows behind a prefix.
CREATE FUNCTION pprepub.synthetic(publication text, n int) RETURNS SETOF jsonb
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
	AS $$
DECLARE
	shown pprepub_internal.counted_view;
	col pprepub_internal.counted_column;
	share constant text := 'random()::numeric * (upper(h.c)%1$s - lower(h.c)%1$s)';
	draw text;
	maps text := '';
	list text := '';
	names text;
BEGIN
	IF publication IS NULL OR n IS NULL OR n < 0 THEN
		RAISE EXCEPTION 'a publication and a number of rows are needed' USING ERRCODE = 'invalid_parameter_value', HINT = 'For example: pprepub.synthetic(''patients'', 1000).';
	END IF;
	SELECT v.* INTO shown FROM pprepub_internal.counted_view v WHERE v.publication = synthetic.publication AND v.release IS NULL;
	IF NOT FOUND AND EXISTS (SELECT FROM pprepub.shard s WHERE s.publication = synthetic.publication) THEN
		RAISE EXCEPTION 'pprepub.synthetic() cannot be called for all shards of publication "%"', publication
			USING ERRCODE = 'feature_not_supported', HINT = 'Call it for a shard: view pprepub.shard lists them.';
	ELSIF NOT FOUND THEN
		RAISE EXCEPTION 'publication "%" does not exist', publication USING ERRCODE = 'undefined_object';
	ELSIF shown.relation IS NULL THEN
		RAISE EXCEPTION 'publication "%" has no release of everybody that you may read', publication USING ERRCODE = 'object_not_in_prerequisite_state';
	END IF;
	EXECUTE format('SELECT FROM %s LIMIT 0', shown.relation);
	FOR col IN SELECT c.* FROM pprepub_internal.counted_column c WHERE c.relation = shown.relation ORDER BY c.position LOOP
		IF col.kind = 'value' THEN
			draw := format('r.c%s', col.position);
		ELSIF col.kind = 'range' THEN
			draw := CASE WHEN col.type IN ('int4range'::regtype, 'int8range'::regtype) THEN format('lower(h.c) + floor(' || share || ')', '::numeric')
				WHEN col.type = 'daterange'::regtype THEN 'lower(h.c) + floor(random() * (upper(h.c) - lower(h.c)))::int'
				WHEN col.type = 'numrange'::regtype THEN format('lower(h.c) + trunc(' || share || ', greatest(scale(lower(h.c)), scale(upper(h.c))))', '')
				ELSE 'lower(h.c) + random() * (upper(h.c) - lower(h.c))' END;
			-- an end that is infinite stands for all values
			draw := format('(SELECT CASE WHEN isempty(h.c) OR lower(h.c)::text || upper(h.c)::text ~ ''infinity|Infinity|NaN'' THEN lower(h.c) ELSE %2$s END'
				' FROM (SELECT CASE WHEN lower_inf(r.c%1$s) OR upper_inf(r.c%1$s) THEN (SELECT %3$s(min(lower(a.c%1$s)), max(upper(a.c%1$s))) FROM all_rows a) ELSE r.c%1$s END AS c) h)', col.position, draw, col.type);
		ELSIF col.kind = 'taxonomy' THEN
			maps := maps || format(', n%1$s AS MATERIALIZED (SELECT node, leaves, is_leaf FROM pprepub_internal.counted_node WHERE relation = %2$s AND name = %3$L)', col.position, shown.relation::oid, col.name);
			-- a leaf of a ladder is an interval
			draw := format('(SELECT CASE WHEN %2$L THEN (SELECT to_jsonb(lower(h.c) + trunc(' || share || ', greatest(scale(lower(h.c)), scale(upper(h.c))))) FROM (SELECT l.node::numrange AS c) h) ELSE to_jsonb(l.node) END'
				' FROM n%3$s k JOIN n%3$s l ON l.is_leaf AND lower(l.leaves) = lower(k.leaves) + floor(r.draw[%3$s] * (upper(k.leaves) - lower(k.leaves))) WHERE k.node = r.c%3$s)',
				'', col.is_ladder, col.position);
		ELSE
			maps := maps || format(', v%1$s AS MATERIALIZED (SELECT c.cell, array_agg(f.cell) AS texts FROM (SELECT DISTINCT c%1$s AS cell FROM all_rows) c'
				' LEFT JOIN (SELECT DISTINCT c%1$s AS cell FROM all_rows) f ON CASE WHEN c.cell = ''*'' OR %2$L AND right(c.cell, 1) = ''*'' THEN starts_with(f.cell, left(c.cell, -1)) AND right(f.cell, 1) <> ''*'' ELSE f.cell = c.cell END'
				' GROUP BY 1)', col.position, col.kind = 'prefix');
			draw := format('(SELECT coalesce(v.texts[1 + floor(r.draw[%1$s] * cardinality(v.texts))::int], nullif(left(v.cell, -1), '''')) FROM v%1$s v WHERE v.cell = r.c%1$s)', col.position);
		END IF;
		list := list || format(', %s AS %I', draw, col.name);
	END LOOP;
	-- Columns of any name: by number up to the last line, and s.* is a row where a column is named s, too.
	names := (SELECT string_agg(format('%I AS c%s', c.name, c.position), ', ') FROM pprepub_internal.counted_column c WHERE c.relation = shown.relation);
	RETURN QUERY EXECUTE format('WITH all_rows AS MATERIALIZED (SELECT %s, row_number() OVER () AS nth FROM %s)%s,'
		' r AS MATERIALIZED (SELECT a.*, ARRAY(SELECT random() FROM generate_series(1, %s) WHERE d.i IS NOT NULL) AS draw'
		'  FROM (SELECT i, 1 + floor(random() * (SELECT count(*) FROM all_rows))::bigint AS nth FROM generate_series(1, $1) i) d JOIN all_rows a USING (nth))'
		' SELECT to_jsonb(s.*) FROM (SELECT %s FROM r) s', names, shown.relation, maps, (SELECT max(c.position) FROM pprepub_internal.counted_column c WHERE c.relation = shown.relation), substr(list, 3))
		USING n;
END
$$;
COMMENT ON FUNCTION pprepub.synthetic(text, int) IS 'draw rows from the newest release, with values in place of cells, for tests and demos';

-- ----------------------------------------------------------------
-- release/: TARGET.NAME_counts(), bounds of a release
--
-- All of it runs with the rights of the caller.  The views show what the caller may read, or finds in pg_class and pg_proc anyhow.
-- ----------------------------------------------------------------

-- A release of everybody tells those who may read it how many people it has, and at most how many of its rows are invented or stale, and of
-- the source's people withheld: in whole percent, rounded up, so that none is none, and no figure moves with each person.
CREATE VIEW pprepub_internal.counted_view WITH (security_barrier) AS
	SELECT p.publication AS id, p.name AS publication, p.target, v.release, k.oid::pg_catalog.regclass AS relation, p.max_rows, r.trees,
		t.told * r.people AS people, t.told * at_most.invented AS invented, t.told * at_most.withheld AS withheld, t.told * at_most.stale AS stale, t.told * at_most.kept_back AS kept_back,
		(r.params->>'k')::pg_catalog."numeric" AS k, r.kind <> 'query' AND r.relation IS NULL AS is_forgotten
	FROM pprepub_internal.catalog_publication p
		CROSS JOIN LATERAL (
			SELECT NULL::pg_catalog.int4 AS release, a.relation,
				(SELECT pg_catalog.max(n.number) FROM pprepub_internal.catalog_release n WHERE n.publication = p.publication AND n.relation::pg_catalog.oid IN (
					SELECT d.refobjid FROM pg_catalog.pg_rewrite w JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = w.oid
					WHERE w.ev_class = a.relation::pg_catalog.oid AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass)) AS number
			FROM (SELECT) one LEFT JOIN pprepub_internal.catalog_relation a ON a.publication = p.publication AND a.part = 'view'
			UNION ALL SELECT n.number, n.relation, n.number FROM pprepub_internal.catalog_release n WHERE n.publication = p.publication) v
		LEFT JOIN pg_catalog.pg_class k ON k.oid = v.relation::pg_catalog.oid
		LEFT JOIN pprepub_internal.catalog_release r ON r.publication = p.publication AND r.number = v.number
		CROSS JOIN LATERAL (SELECT CASE WHEN r.kind = 'stored' AND r.cohort IS NULL AND pg_catalog.has_schema_privilege(p.target::pg_catalog.text, 'USAGE')
			AND pg_catalog.has_any_column_privilege(k.oid, 'SELECT') THEN 1 END AS told) t
		CROSS JOIN LATERAL (SELECT pg_catalog.max(f.n) FILTER (WHERE f.what = 'invented') AS invented, pg_catalog.max(f.n) FILTER (WHERE f.what = 'withheld') AS withheld,
				pg_catalog.max(f.n) FILTER (WHERE f.what = 'stale') AS stale, pg_catalog.max(f.n) FILTER (WHERE f.what = 'kept_back') AS kept_back
			FROM (SELECT c.what, pg_catalog.ceil(pg_catalog.ceil(100.0 * c.n / greatest(r.people, 1)) * greatest(r.people, 1) / 100)::pg_catalog.int8 AS n
				FROM (VALUES ('invented', r.counterfeits), ('withheld', r.suppressed), ('stale', r.stale), ('kept_back', coalesce((
					SELECT m.value::pg_catalog.int8 FROM pprepub_internal.catalog_metric m WHERE m.publication = r.publication AND m.release = r.number AND m.metric = 'kept_back'), 0))) c (what, n)) f) at_most;
COMMENT ON VIEW pprepub_internal.counted_view IS 'publications, each with the view of its newest release of everybody, and with its releases, for TARGET.NAME_counts()';

-- The nodes of a release are those of the trees that it was made with.  A column's tree is for those who may read the column.
CREATE VIEW pprepub_internal.counted_column WITH (security_barrier) AS
	SELECT c.publication, c.relation, c.position, c.name, c.kind, c.is_sensitive, c.taxonomy, c.tree, c.type,
		CASE c.kind WHEN 'range' THEN '(,)' WHEN 'taxonomy' THEN root.node WHEN 'value' THEN NULL ELSE '*' END AS withheld,
		EXISTS (SELECT FROM pprepub_internal.catalog_tree t WHERE t.tree = c.tree AND t.ladder IS NOT NULL) AS is_ladder
	FROM (SELECT v.publication, v.relation, q.position, q.name, CASE q.role WHEN 'quasi-identifier' THEN pg_catalog.split_part(q.kind, ' ', 1) ELSE 'value' END AS kind,
			q.role IN ('sensitive', 'sensitive part') AS is_sensitive, q.taxonomy, a.atttypid::pg_catalog.regtype AS type,
			CASE WHEN pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'SELECT') THEN coalesce(v.trees[(SELECT pg_catalog.count(b.tree) FROM pprepub_internal.catalog_column b
							  WHERE b.publication = q.publication AND b.role = 'quasi-identifier' AND b.position <= q.position)], q.tree) END AS tree
		FROM pprepub_internal.counted_view v
			JOIN pprepub_internal.catalog_column q ON q.publication = v.id AND q.role NOT IN ('key', 'layout')
			JOIN pg_catalog.pg_attribute a ON a.attrelid = v.relation::pg_catalog.oid AND a.attname = q.name AND NOT a.attisdropped
		WHERE pg_catalog.has_schema_privilege(v.target::pg_catalog.text, 'USAGE') AND pg_catalog.has_any_column_privilege(v.relation::pg_catalog.oid, 'SELECT')) c
		LEFT JOIN pprepub_internal.catalog_tree_node root ON root.tree = c.tree AND root.parent IS NULL AND c.kind = 'taxonomy';
COMMENT ON VIEW pprepub_internal.counted_column IS 'columns that you can count by, for TARGET.NAME_counts()';

CREATE VIEW pprepub_internal.counted_node WITH (security_barrier) AS
	SELECT c.publication, c.relation, c.name, n.node, pg_catalog.int8range(n.first_leaf, n.first_leaf + n.leaves) AS leaves,
		n.leaves = 1 AND NOT EXISTS (SELECT FROM pprepub_internal.catalog_tree_node b WHERE b.tree = n.tree AND b.parent = n.node) AS is_leaf
	FROM pprepub_internal.counted_column c JOIN pprepub_internal.catalog_tree_node n USING (tree)
	WHERE c.kind = 'taxonomy';
COMMENT ON VIEW pprepub_internal.counted_node IS 'nodes of columns that you can count by, for TARGET.NAME_counts()';

-- Cells that no other one lies in, sorted by their bytes: all that lies in a prefix follows it.
CREATE FUNCTION pprepub_internal.finest_cells(cells text[]) RETURNS TABLE (cell text, stem text, nth bigint)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT s.cell, s.stem, s.nth
	FROM (SELECT c.cell, t.stem, row_number() OVER sorted AS nth, lead(c.cell) OVER sorted AS next
		  FROM unnest(cells) c (cell) CROSS JOIN LATERAL (SELECT CASE WHEN right(c.cell, 1) = '*' THEN left(c.cell, -1) ELSE c.cell END AS stem) t
		  WHERE c.cell IS NOT NULL
		  WINDOW sorted AS (ORDER BY t.stem COLLATE "C", length(c.cell) DESC)) s
	WHERE next IS NULL OR NOT pprepub.lies_in(s.next, s.cell)
$$;
COMMENT ON FUNCTION pprepub_internal.finest_cells(text[]) IS 'list prefixes and values in which no other one lies, for TARGET.NAME_counts()';

-- Bins lie at the multiples of their width: of numbers as they are, of days and seconds from Monday, 3 January 2000, where steps begin, too.
CREATE FUNCTION pprepub_internal.bins_of_width(type regtype, low text, high text, includes_high boolean, is_open_below boolean, is_open_above boolean, width numeric,
		OUT bins jsonb, OUT fault text)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	counts constant boolean := type IN ('int4range'::regtype, 'int8range'::regtype, 'daterange'::regtype);
	is_time constant boolean := type IN ('tsrange'::regtype, 'tstzrange'::regtype);
	moment constant text := 'timestamp ''2000-01-03'' + div(%1$s, 86400)::int4 * interval ''1 day'' + (mod(%1$s, 86400) * 1000000)::float8 * interval ''1 microsecond''';
	-- an end as a number, a number as an end, and the numbers that the type has ends for
	line constant text[] := CASE type
		WHEN 'int4range'::regtype THEN ARRAY['%L::numeric', '(%1$s)::int4', '-2147483648', '2147483647']
		WHEN 'int8range'::regtype THEN ARRAY['%L::numeric', '(%1$s)::int8', '-9223372036854775808', '9223372036854775807']
		WHEN 'daterange'::regtype THEN ARRAY['(%L::date - date ''2000-01-03'')::numeric', 'date ''2000-01-03'' + (%1$s)::int4', '-2451547', '2145031946']
		WHEN 'tsrange'::regtype THEN ARRAY['extract(epoch FROM %L::timestamp - timestamp ''2000-01-03'')', moment, '-211813660800', '9223371158399.999999']
		WHEN 'tstzrange'::regtype THEN ARRAY['extract(epoch FROM %L::timestamptz - timestamptz ''2000-01-03 00:00+00'')', '(' || moment || ') AT TIME ZONE ''UTC''',
			'-211813660800', '9223371158399.999999']
		ELSE ARRAY['%L::numeric', '%1$s', '-Infinity', 'Infinity'] END;
	first numeric;
	last numeric;
	unit numeric;
	digits text[];
BEGIN
	fault := CASE WHEN width <= 0 THEN 'A width is more than 0.'
		WHEN counts AND width % 1 <> 0 THEN 'The width of bins of whole numbers or days is a whole number.'
		WHEN is_time AND width * 1000000 % 1 <> 0 THEN 'The width of bins of times is a whole number of microseconds.' END;
	-- Where no end is told, one bin holds everything.
	bins := '["(,)"]';
	IF fault IS NOT NULL OR low IS NULL THEN
		RETURN;
	END IF;
	EXECUTE format('SELECT ' || line[1] || ', ' || line[1], low, high) INTO first, last;
	IF width IS NULL THEN
		-- 1, 2 or 5 times a power of ten, so that about ten cover it all; of times, in days or hours if there are several
		unit := CASE WHEN NOT is_time THEN 1 WHEN last - first >= 5 * 86400 THEN 86400 WHEN last - first >= 5 * 3600 THEN 3600 ELSE 1 END;
		digits := string_to_array(to_char((last - first) / (unit * 10), '9.999EEEE'), 'e');
		width := ((CASE WHEN digits[1]::numeric <= 1 THEN 1 WHEN digits[1]::numeric <= 2 THEN 2 WHEN digits[1]::numeric <= 5 THEN 5 ELSE 10 END) || 'e' || digits[2])::numeric * unit;
		width := greatest(width, CASE WHEN counts THEN 1 WHEN is_time THEN 0.000001 END);
	END IF;
	IF last - first > width * 10000 THEN
		fault := 'They would be more than 10000.';
		RETURN;
	END IF;
	first := first - mod(first, width) - CASE WHEN mod(first, width) < 0 THEN width ELSE 0 END;
	EXECUTE format('SELECT jsonb_agg(%s(CASE WHEN n BETWEEN $4 AND $5 AND NOT (n = $1 AND $6) THEN %s END,'
			' CASE WHEN m BETWEEN $4 AND $5 AND NOT (is_last AND $7) THEN %s END)::text ORDER BY n)'
			' FROM (SELECT n, n + $3 AS m, row_number() OVER (ORDER BY n DESC) = 1 AS is_last FROM generate_series($1, $2, $3) n WHERE n < $2 OR $8) s',
			type, format(line[2], 'n'), format(line[2], 'm'))
		USING first, last, width, line[3]::numeric, line[4]::numeric, is_open_below, is_open_above, includes_high INTO bins;
END
$$;
COMMENT ON FUNCTION pprepub_internal.bins_of_width(regtype, text, text, boolean, boolean, boolean, numeric) IS
	'list bins of one width, or of one that is chosen, between the ends that a release shows, for TARGET.NAME_counts()';

-- The bins of a column that shows these cells, as they are given, or chosen so that all lies in one of them; and of ranges, what they cover at most.
CREATE FUNCTION pprepub_internal.bins_of(col pprepub_internal.counted_column, cells text[], given jsonb, OUT bins jsonb, OUT whole text)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	form constant text := coalesce(jsonb_typeof(given), 'none');
	hint constant text := CASE col.kind
		WHEN 'range' THEN 'Bins of ranges are a width (of dates in days, of times in seconds), bounds, or a list: 10, [20, 30, 65], ["[20,30)", "[30,65)", null].'
		WHEN 'taxonomy' THEN format('Bins of nodes are a list: ["Europe", "Asia", null]. View pprepub.taxonomy_node lists those of taxonomy "%s".', col.taxonomy)
		WHEN 'prefix' THEN 'Bins of prefixes are a number of characters, or a list: 2, ["53*", "54*", null].'
		WHEN 'suppress' THEN 'Bins are a list of values: ["F", "M", null].'
		ELSE 'Bins are a list of values: ["asthma", "flu", null].' END;
	-- Bounds, which noisy counts take, are the ranges between them.
	listed constant jsonb := CASE WHEN form = 'array' AND col.kind = 'range' THEN (
		SELECT CASE WHEN count(*) > 1 AND bool_and(coalesce(low !~ '^[[(]', false)) THEN jsonb_agg(format('[%s,%s)', low, high) ORDER BY nth) FILTER (WHERE high IS NOT NULL) ELSE given END
		FROM (SELECT low, lead(low) OVER (ORDER BY nth) AS high, nth FROM jsonb_array_elements_text(given) WITH ORDINALITY b (low, nth)) b) ELSE given END;
	fault text := CASE
		WHEN form NOT IN ('none', 'array', 'number') THEN 'They are of another JSON type.'
		WHEN given = '[]' THEN 'The list is empty.'
		WHEN form = 'array' AND EXISTS (SELECT FROM jsonb_array_elements(listed) e WHERE jsonb_typeof(e) NOT IN ('string', 'null')) THEN
			'The list may hold strings and null only.'
		WHEN form = 'number' AND col.kind NOT IN ('range', 'prefix') THEN 'A number says nothing of them.'
		WHEN form = 'number' AND col.kind = 'prefix' AND NOT given::numeric BETWEEN 0.5 AND 2147483647 THEN 'There must be one character at least.' END;
	characters int := 0;
	ends record;
	state text;
	message text;
	detail text;
BEGIN
	IF fault IS NULL AND col.kind = 'range' THEN
		EXECUTE format('WITH c AS MATERIALIZED (SELECT c::%1$s AS cell FROM unnest($1) c WHERE c <> ''empty''),'
				' e AS (SELECT min(lower(cell)) AS low, max(upper(cell)) AS high, coalesce(bool_or(lower_inf(cell) AND NOT upper_inf(cell)), false) AS open_below,'
				' coalesce(bool_or(upper_inf(cell) AND NOT lower_inf(cell)), false) AS open_above FROM c),'
				' h AS (SELECT bool_or(upper_inc(cell)) AS includes_high FROM c, e WHERE upper(cell) = high)'
				' SELECT low::text, high::text, open_below, open_above, includes_high, CASE WHEN low < high THEN %1$s(low, high, CASE WHEN includes_high THEN ''[]'' ELSE ''[)'' END)::text END AS whole'
				' FROM e, h', col.type) USING cells INTO ends;
		whole := ends.whole;
	END IF;
	IF fault IS NOT NULL THEN
		NULL;
	ELSIF form = 'array' THEN
		bins := given;
		IF col.kind = 'range' THEN
			EXECUTE format('SELECT jsonb_agg(label::%s::text ORDER BY nth) FROM jsonb_array_elements_text($1) WITH ORDINALITY b (label, nth)', col.type) USING listed INTO bins;
		ELSIF col.kind = 'taxonomy' THEN
			fault := (SELECT format('There was no node "%s" when the release was made.', label) FROM jsonb_array_elements_text(given) WITH ORDINALITY b (label, nth)
				WHERE label NOT IN (SELECT n.node FROM pprepub_internal.counted_node n WHERE n.relation = col.relation AND n.name = col.name) ORDER BY nth LIMIT 1);
		END IF;
	ELSIF col.kind = 'range' THEN
		SELECT b.* INTO bins, fault FROM pprepub_internal.bins_of_width(col.type, CASE WHEN whole IS NOT NULL THEN ends.low END, ends.high,
			ends.includes_high, ends.open_below, ends.open_above, given::numeric) b;
	ELSIF col.kind = 'taxonomy' THEN
		bins := (SELECT jsonb_agg(n.node ORDER BY n.leaves) FROM pprepub_internal.counted_node n WHERE n.relation = col.relation AND n.name = col.name AND n.is_leaf);
	ELSIF col.kind = 'value' THEN
		bins := (SELECT jsonb_agg(c ORDER BY c COLLATE "C") FROM unnest(cells) c WHERE c IS NOT NULL);
	ELSE
		-- The finest cells; or so many characters of them as are asked for, or as give up to twenty bins.
		IF form = 'number' THEN
			characters := given::numeric;
		ELSIF col.kind = 'prefix' AND (SELECT count(*) FROM pprepub_internal.finest_cells(cells)) > 20 THEN
			characters := 1;
			WHILE (SELECT count(DISTINCT left(f.stem, characters + 1)) FROM pprepub_internal.finest_cells(cells) f) <= 20 LOOP
				characters := characters + 1;
			END LOOP;
		END IF;
		bins := (SELECT jsonb_agg(label ORDER BY nth)
			FROM (SELECT CASE WHEN characters > 0 AND length(f.stem) >= characters THEN left(f.stem, characters) || '*' ELSE f.cell END AS label, min(f.nth) AS nth
				  FROM pprepub_internal.finest_cells(cells) f GROUP BY 1) s);
	END IF;
	bins := coalesce(bins, '[]') || CASE WHEN form <> 'array' AND array_position(cells, NULL) IS NOT NULL THEN '[null]'::jsonb ELSE '[]' END;
	fault := coalesce(fault, CASE WHEN jsonb_array_length(bins) > 10000 THEN 'They are more than 10000.' END);
	IF fault IS NOT NULL THEN
		RAISE EXCEPTION 'invalid bins of column "%"', col.name USING ERRCODE = 'invalid_parameter_value', DETAIL = fault, HINT = hint;
	END IF;
EXCEPTION
	-- A type's own error says what is accepted, too.
	WHEN data_exception THEN
		GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
		RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message, DETAIL = detail, HINT = hint;
END
$$;
COMMENT ON FUNCTION pprepub_internal.bins_of(pprepub_internal.counted_column, text[], jsonb) IS 'list the bins of a column, for TARGET.NAME_counts()';

-- Which bins each cell touches, whether its value surely lies there, and its share in them: of a range evenly over its numbers, days or times, cut
-- to what the release shows; of a node over its leaves, and of a prefix or a star over the finest cells within, as many times each as the cube root
-- of the rows that show just it, and of as many more as there are values.  Frequent values are frequent in wide cells, too, but less so: most who
-- have them are in cells of their own; and a few rows say little.  A withheld cell may stand for NULL: it touches all bins, that of NULL, too, and
-- lies in none.
CREATE FUNCTION pprepub_internal.touches_of(col pprepub_internal.counted_column, cells text[], counts bigint[], bins jsonb, whole text)
	RETURNS TABLE (cell text[], bin bigint, lies boolean, share float8)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	IF col.kind = 'range' THEN
		RETURN QUERY EXECUTE format('WITH c AS MATERIALIZED (SELECT c AS cell, c::%1$s AS covers FROM unnest($1) c),'
				' b AS MATERIALIZED (SELECT b.nth, b.cell::%1$s AS covers FROM jsonb_array_elements_text($2) WITH ORDINALITY b (cell, nth))'
				' SELECT ARRAY[c.cell], b.nth, pprepub.lies_in(c.covers, b.covers) AND c.cell <> $3, coalesce(pprepub.share_in(c.covers, b.covers, $4::%1$s), 0)'
				' FROM c JOIN b ON pprepub.touches(c.covers, b.covers)', col.type) USING cells, bins, col.withheld, whole;
	ELSIF col.kind = 'value' THEN
		RETURN QUERY SELECT ARRAY[c], b.nth, true, 1::float8 FROM unnest(cells) c JOIN jsonb_array_elements_text(bins) WITH ORDINALITY b (label, nth) ON b.label = c;
	ELSIF col.kind = 'taxonomy' THEN
		RETURN QUERY
			WITH n AS MATERIALIZED (SELECT n.node, n.leaves FROM pprepub_internal.counted_node n WHERE n.relation = col.relation AND n.name = col.name),
				own AS MATERIALIZED (SELECT n.leaves, sum(c.n) AS n FROM unnest(cells, counts) c (cell, n) JOIN n ON n.node = c.cell AND upper(n.leaves) - lower(n.leaves) = 1 GROUP BY 1),
				-- sums of weights up to each leaf, from which that of any node is a difference; rounded, so that all orders of summing are alike
				upto AS MATERIALIZED (
					SELECT l AS leaf, sum(round(cbrt((a.n + coalesce(own.n, 0))::float8)::numeric, 6)) OVER (ORDER BY l) AS sum
					FROM (SELECT max(upper(n.leaves)) AS n FROM n) a CROSS JOIN generate_series(0, a.n - 1) l LEFT JOIN own ON own.leaves = int8range(l, l + 1)),
				w AS MATERIALIZED (SELECT n.node, n.leaves, hi.sum - coalesce(lo.sum, 0) AS sum FROM n JOIN upto hi ON hi.leaf = upper(n.leaves) - 1 LEFT JOIN upto lo ON lo.leaf = lower(n.leaves) - 1),
				c AS MATERIALIZED (SELECT c.cell, w.leaves, w.sum FROM unnest(cells) c (cell) JOIN w ON w.node = c.cell)
			SELECT ARRAY[c.cell], b.nth, c.leaves <@ w.leaves AND c.cell <> col.withheld, (CASE WHEN c.leaves <@ w.leaves THEN 1 ELSE w.sum / c.sum END)::float8
			FROM jsonb_array_elements_text(bins) WITH ORDINALITY b (cell, nth) JOIN w ON w.node = b.cell JOIN c ON c.leaves && w.leaves;
	ELSE
		RETURN QUERY
			WITH b AS MATERIALIZED (SELECT b.label, b.nth FROM jsonb_array_elements_text(bins) WITH ORDINALITY b (label, nth)),
				f AS MATERIALIZED (SELECT f.cell, f.stem, round(cbrt((count(*) OVER () + c.n)::float8)::numeric, 6) AS weight FROM pprepub_internal.finest_cells(cells) f JOIN unnest(cells, counts) c (cell, n) ON c.cell = f.cell COLLATE "C"),
				-- the weight of those that lie in each cell or bin
				within AS MATERIALIZED (
					SELECT left(f.stem, p.n) || '*' AS label, sum(f.weight) AS n
					FROM f CROSS JOIN (SELECT length(c) - 1 AS n FROM unnest(cells) c WHERE right(c, 1) = '*' UNION SELECT length(b.label) - 1 FROM b WHERE right(b.label, 1) = '*') p
					WHERE length(f.stem) >= p.n GROUP BY 1
					UNION ALL SELECT f.cell, f.weight FROM f WHERE right(f.cell, 1) <> '*')
			SELECT ARRAY[c], b.nth, pprepub.lies_in(c, b.label) AND c <> col.withheld, (CASE WHEN pprepub.lies_in(c, b.label) THEN 1 ELSE coalesce(i.n, 0) / o.n END)::float8
			FROM unnest(cells) c JOIN b ON pprepub.touches(c, b.label) LEFT JOIN within i ON i.label = b.label LEFT JOIN within o ON o.label = c;
	END IF;
	RETURN QUERY SELECT ARRAY[c], b.nth, c IS NULL, CASE WHEN c IS NULL THEN 1 ELSE 0 END::float8
		FROM unnest(cells) c JOIN jsonb_array_elements_text(bins) WITH ORDINALITY b (label, nth) ON b.label IS NULL WHERE c IS NULL OR c = col.withheld;
END
$$;
COMMENT ON FUNCTION pprepub_internal.touches_of(pprepub_internal.counted_column, text[], bigint[], jsonb, text) IS 'tell how cells lie to bins, for TARGET.NAME_counts()';

-- Counts of the people of the source when the release was made, and of their rows.  A row in a bin may be invented, or show an older value; people
-- may be withheld, or be there with other values.  Each may be all of those that the release tells of, so bounds are wider by as much.
CREATE FUNCTION pprepub_internal.counts(publication text, by name[], bins jsonb, release int)
	RETURNS TABLE (bin jsonb, people_at_least bigint, estimate float8, people_at_most bigint, rows_at_least bigint, rows_estimate float8, rows_at_most bigint)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET jit = off
	AS $$
DECLARE
	counted pprepub_internal.counted_view;
	several boolean;
	sensitive boolean;
	blurred boolean;
	spread bigint := 0;
	released bigint;
	columns pprepub_internal.counted_column[];
	col pprepub_internal.counted_column;
	fault text;
	combinations numeric := 1;
	known jsonb := '[]';
	cells text[];
	counted_cells bigint[];
	shown text[];
	chosen record;
BEGIN
	IF publication IS NULL OR by IS NULL THEN
		RAISE EXCEPTION '% must not be null', CASE WHEN publication IS NULL THEN 'the name of a publication' ELSE 'the columns to count by' END USING ERRCODE = 'null_value_not_allowed';
	END IF;
	fault := CASE WHEN cardinality(by) NOT BETWEEN 1 AND 4 THEN format('There are %s.', cardinality(by))
		WHEN array_position(by, NULL) IS NOT NULL THEN 'One is NULL.'
		ELSE (SELECT format('Column "%s" is named twice.', b) FROM unnest(by) b GROUP BY b HAVING count(*) > 1 LIMIT 1) END;
	IF fault IS NOT NULL THEN
		RAISE EXCEPTION 'invalid list of columns to count by'
			USING ERRCODE = 'invalid_parameter_value', DETAIL = fault, HINT = 'Name up to 4 columns of the release, each once: ''{age,sex}''.';
	END IF;
	IF jsonb_typeof(bins) <> 'object' THEN
		RAISE EXCEPTION 'bins must be a JSON object' USING ERRCODE = 'invalid_parameter_value', HINT = 'Give bins by column: {"age": 10, "sex": ["F", "M"]}.';
	END IF;

	SELECT v.* INTO counted FROM pprepub_internal.counted_view v WHERE v.publication = counts.publication AND v.release IS NOT DISTINCT FROM counts.release;
	IF NOT EXISTS (SELECT FROM pprepub_internal.counted_view v WHERE v.publication = counts.publication) THEN
		RAISE EXCEPTION 'publication "%" does not exist', publication USING ERRCODE = 'undefined_object';
	ELSIF counted.relation IS NULL AND has_schema_privilege(to_regnamespace(quote_ident(
			(SELECT v.target FROM pprepub_internal.counted_view v WHERE v.publication = counts.publication LIMIT 1)))::oid, 'USAGE') IS FALSE THEN
		RAISE EXCEPTION 'permission denied for schema %', (SELECT v.target FROM pprepub_internal.counted_view v WHERE v.publication = counts.publication LIMIT 1)
			USING ERRCODE = 'insufficient_privilege';
	ELSIF counted.relation IS NULL AND release IS NULL THEN
		RAISE EXCEPTION 'publication "%" has no release of everybody yet', publication
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Its owner makes one with pprepub.publish().';
	ELSIF counted.relation IS NULL THEN
		RAISE EXCEPTION 'publication "%" has no release % with a table', publication, release
			USING ERRCODE = 'undefined_object', HINT = CASE WHEN counted.is_forgotten THEN 'Its owner has had the table forgotten.' ELSE format('%s_releases lists those that have one.', publication) END;
	END IF;
	-- An error for those who may not read the view or a column of it, before anything else is told; and a lock that keeps the view as it is.
	EXECUTE format('SELECT FROM %s LIMIT 0', counted.relation);
	columns := ARRAY(SELECT c FROM pprepub_internal.counted_column c WHERE c.relation = counted.relation AND c.name = ANY (by) ORDER BY array_position(by, c.name));
	fault := (SELECT b FROM unnest(by) b WHERE b NOT IN (SELECT c.name FROM unnest(columns) c) LIMIT 1);
	IF fault IS NOT NULL THEN
		RAISE EXCEPTION '% of publication "%" shows no column "%"', CASE WHEN release IS NULL THEN 'the newest release' ELSE 'release ' || release END, publication, fault USING ERRCODE = 'undefined_column',
			HINT = format('Columns to count by: %s.', (SELECT string_agg(c.name, ', ' ORDER BY c.position) FROM pprepub_internal.counted_column c WHERE c.relation = counted.relation));
	END IF;
	fault := (SELECT k FROM jsonb_object_keys(bins) k WHERE k <> ALL (by::text[]) LIMIT 1);
	IF fault IS NOT NULL THEN
		RAISE EXCEPTION 'there are bins of column "%", which is not counted by', fault
			USING ERRCODE = 'invalid_parameter_value', HINT = 'Name it among the columns to count by, or leave its bins out.';
	END IF;

	FOREACH col IN ARRAY columns LOOP
		IF col.kind = 'range' AND (SELECT t.typtype <> 'r' FROM pg_type t WHERE t.oid = col.type::oid) THEN
			RAISE EXCEPTION 'column "%" of the view is not a range', col.name USING ERRCODE = 'datatype_mismatch', HINT = 'The next release makes the view anew.';
		END IF;
		-- Texts are told apart by their bytes, whatever their column's collation takes for equal.
		shown := shown || format(CASE col.kind WHEN 'range' THEN 'r.%I' ELSE 'r.%I::text COLLATE "C"' END, col.name);
		EXECUTE format('SELECT array_agg(cell::text), array_agg(n) FROM (SELECT %s AS cell, count(*) AS n FROM %s r GROUP BY 1) s', shown[cardinality(shown)], counted.relation)
			INTO cells, counted_cells;
		SELECT b.* INTO chosen FROM pprepub_internal.bins_of(col, cells, bins -> col.name::text) b;
		known := known || jsonb_build_object('cells', coalesce(cells, '{}'), 'counts', coalesce(counted_cells, '{}'), 'bins', chosen.bins, 'whole', chosen.whole);
		combinations := combinations * jsonb_array_length(chosen.bins);
	END LOOP;
	IF combinations > 10000 THEN
		RAISE EXCEPTION 'there are more than 10000 combinations of bins' USING ERRCODE = 'program_limit_exceeded', HINT = 'Count by fewer columns, or give fewer bins.';
	END IF;

	-- Rows of equal cells are one, or where people have several, those of a class: of m rows that are all of it are k people or more.  Numeric sums
	-- are the same to the last digit in any order.
	several := counted.max_rows > 1;
	sensitive := (SELECT bool_or(c.is_sensitive) FROM unnest(columns) c);
	blurred := sensitive AND counted.stale > 0;
	-- Newcomers take the places of those who left, first those of frequent values.  So the places that stay empty are spread over the values of a
	-- class, however many rows have them; but where there are fewer people than there were, as many more places are empty of all values alike.
	IF NOT several AND sensitive AND counted.invented > 0 AND has_column_privilege(counted.relation, 'class', 'SELECT') THEN
		spread := (SELECT greatest(counted.people - greatest(max(v.people - v.invented), counted.people - counted.invented), 0) FROM pprepub_internal.counted_view v
			WHERE v.publication = counts.publication AND (v.release < counts.release OR counts.release IS NULL));
	END IF;
	EXECUTE format('SELECT count(*) FROM %s', counted.relation) INTO released;
	RETURN QUERY EXECUTE (
		SELECT format('WITH r AS MATERIALIZED (SELECT %s, %s AS class, count(*) AS n FROM %s r GROUP BY %s), %s,'
			' m AS MATERIALIZED (SELECT r.class, sum(r.n) AS n FROM r GROUP BY 1),'
			' c AS (SELECT %s, r.class, coalesce(sum(r.n) FILTER (WHERE %s), 0) AS low, sum((%s)::numeric * greatest(r.n - $8::numeric / (SELECT count(*) FROM r), 0)) AS about, sum(r.n) AS high FROM r%s GROUP BY %s, r.class),'
			' s AS (SELECT %10$s, sum(c.low) AS low, sum(c.about) AS about, sum(c.high) AS high,'
				-- people of these rows: all who have none elsewhere, or as few as there can be
				' CASE WHEN $3.max_rows = 1 THEN sum(c.low) ELSE greatest(sum(CASE WHEN c.low = m.n THEN greatest($3.k, ceil(m.n / $3.max_rows)) ELSE ceil(c.low / $3.max_rows) END),'
				'  $3.people - $4 + sum(m.n) FILTER (WHERE c.low = m.n)) END AS people_low,'
				' least(sum(c.high), $3.people) AS people_high,'
				' CASE WHEN $3.max_rows = 1 THEN sum(c.about) WHEN NOT $5 THEN sum(c.about) * $3.people / $4'
				'  ELSE sum(m.n * $3.people / $4 * (1 - power((1 - least(c.about / m.n, 1))::float8, ($4::float8 / $3.people))::numeric)) END AS people_about'
				' FROM c JOIN m USING (class) GROUP BY %10$s),'
			' f AS (SELECT %10$s, label.bin, coalesce(s.low, 0) AS low, coalesce(s.about, 0) AS about, coalesce(s.high, 0) AS high, coalesce(s.people_low, 0) AS people_low,'
				' coalesce(s.people_about, 0) AS people_about, coalesce(s.people_high, 0) AS people_high, coalesce(($3.people - $3.invented + $3.withheld)::numeric / nullif($3.people - $8, 0), 1) AS scale'
				' FROM (SELECT jsonb_build_object(%11$s) AS bin, %10$s FROM %12$s) label LEFT JOIN s USING (%10$s)),'
			' b AS (SELECT f.*, coalesce(greatest(f.people_low - $3.invented - $6, 0), 0) AS a, f.people_high + $3.withheld + $6 + $3.kept_back AS z,'
				' coalesce(greatest(f.low - ($3.invented + $7) * $3.max_rows, 0), 0) AS ra, f.high + ($3.withheld + $7) * $3.max_rows + $3.kept_back AS rz FROM f)'
			' SELECT b.bin, b.a::bigint, greatest(least(b.people_about * b.scale, b.z), b.a)::float8, b.z::bigint, b.ra::bigint, greatest(least(b.about * b.scale, b.rz), b.ra)::float8, b.rz::bigint'
			' FROM b ORDER BY %10$s',
			string_agg(format('%s AS c%s', shown[i], i), ', '), CASE WHEN several OR spread > 0 THEN 'coalesce(r.class, 0)' ELSE '0' END, counted.relation, string_agg(i::text, ', ') || ', ' || cardinality(columns) + 1,
			string_agg(format('t%1$s AS MATERIALIZED (SELECT * FROM pprepub_internal.touches_of($1[%1$s], ARRAY(SELECT jsonb_array_elements_text($2 -> %2$s -> ''cells'')),'
				' ARRAY(SELECT jsonb_array_elements_text($2 -> %2$s -> ''counts'')::bigint), $2 -> %2$s -> ''bins'', $2 -> %2$s ->> ''whole''))', i, i - 1), ', '),
			string_agg(format('t%1$s.bin AS bin%1$s', i), ', '), string_agg(format('t%s.lies', i), ' AND '), string_agg(format('t%s.share', i), ' * '),
			string_agg(format(' JOIN t%1$s ON t%1$s.cell = ARRAY[r.c%1$s::text COLLATE "C"]', i), ''), string_agg(format('bin%s', i), ', '),
			string_agg(format('%L, label%s', by[i], i), ', '),
			string_agg(format('jsonb_array_elements_text($2 -> %2$s -> ''bins'') WITH ORDINALITY b%1$s (label%1$s, bin%1$s)', i, i - 1), ' CROSS JOIN '))
		FROM generate_subscripts(columns, 1) i)
	USING columns, known, counted, released, sensitive,
		CASE WHEN blurred THEN counted.stale ELSE 0 END, CASE WHEN blurred OR several THEN counted.stale ELSE 0 END, spread;
END
$$;
COMMENT ON FUNCTION pprepub_internal.counts(text, name[], jsonb, int) IS
	'count people and rows of a release in bins, for TARGET.NAME_counts()';

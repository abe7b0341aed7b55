-- ----------------------------------------------------------------
-- answer/: TARGET.NAME_noisy(), counts of people with noise, and the ledger that they are charged to
-- ----------------------------------------------------------------

-- Costs are whole billionths of epsilon, or of rho under Gaussian noise.  An answer is written with its charge, so that it is given
-- again; a question that failed is charged, too.
CREATE TABLE pprepub_internal.catalog_noise (
	publication int,
	number int,
	asked_at timestamptz NOT NULL,
	asked_by name NOT NULL,			-- the session's user, who is charged
	asked_as name NOT NULL,
	release int NOT NULL,			-- the newest that has a table, or 0: equal questions get these counts until the next one
	question jsonb NOT NULL,		-- its normal form: what columns are counted by, each with all of its bins, the condition, and epsilon
	cost bigint NOT NULL,
	counts bigint[],				-- with noise, in the order of bins; NULL where the source failed
	half_width bigint NOT NULL,
	sums bigint[],					-- likewise, in steps; NULL without sums
	sum_half_width bigint,
	failure text,
	spent bigint NOT NULL,			-- by all, with this one
	own bigint NOT NULL,			-- by asked_by, likewise
	PRIMARY KEY (publication, number)
);
COMMENT ON TABLE pprepub_internal.catalog_noise IS 'the ledger of noisy counts, and what was answered';
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_noise', '');
CREATE INDEX ON pprepub_internal.catalog_noise (publication, release, pg_catalog.jsonb_hash_extended(question, 0));
CREATE INDEX ON pprepub_internal.catalog_noise (publication, asked_by, number);

-- The budget of a publication, and how much of it was spent, also by a role: in billionths.  NULL where it has no noisy counts.  A question
-- costs a ten-thousandth of it at least, so that the ledger ends with the budget.
CREATE FUNCTION pprepub_internal.noise_account(publication int, role name, OUT total bigint, OUT spent bigint, OUT per_role bigint, OUT own bigint, OUT role_left bigint, OUT per_question bigint,
		OUT at_least bigint, OUT gaussian boolean)
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT b.total, s.spent, least(b.per_role, b.total), s.own, greatest(least(b.per_role - s.own, b.total - s.spent), 0), least(b.per_question, b.per_role, b.total), ceil(b.total / 10000.0)::bigint, b.gaussian
	FROM (SELECT ((n.n ->> 'total')::numeric * 1e9)::bigint AS total, ((n.n ->> 'per_role')::numeric * 1e9)::bigint AS per_role,
			((n.n ->> 'per_question')::numeric * 1e9)::bigint AS per_question, n.n ->> 'noise' IS NOT DISTINCT FROM 'gaussian' AS gaussian
		FROM pprepub_internal.catalog_publication p CROSS JOIN LATERAL (SELECT p.params -> 'noise_budget' AS n) n WHERE p.publication = $1) b
	CROSS JOIN (SELECT coalesce((SELECT c.spent FROM pprepub_internal.catalog_noise c WHERE c.publication = $1 ORDER BY c.number DESC LIMIT 1), 0) AS spent,
		coalesce((SELECT c.own FROM pprepub_internal.catalog_noise c WHERE c.publication = $1 AND c.asked_by = $2 ORDER BY c.number DESC LIMIT 1), 0) AS own) s
$$;
COMMENT ON FUNCTION pprepub_internal.noise_account(int, name) IS 'what noisy counts of a publication may cost, and have cost';

-- Why a publication cannot have these parameters.
CREATE FUNCTION pprepub_internal.wrong_noise_budget(publication int, params jsonb, OUT wrong text[])
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE
		WHEN a.spent > (n.n ->> 'total')::numeric * 1e9 THEN ARRAY['55000', format('noisy counts of publication "%s" have cost more than that already', p.name),
			format('They have cost %s.', trim_scale(a.spent / 1e9)), 'What was told stays told.']
		WHEN a.gaussian <> (n.n ->> 'noise' IS NOT DISTINCT FROM 'gaussian') THEN ARRAY['55000',
			format('the noise of publication "%s" cannot be of another distribution now', p.name), 'Costs of both cannot be added.', NULL] END
	FROM pprepub_internal.catalog_publication p CROSS JOIN pprepub_internal.noise_account($1, NULL) a CROSS JOIN (SELECT $2 -> 'noise_budget' AS n) n
	WHERE p.publication = $1 AND a.spent > 0
$$;
COMMENT ON FUNCTION pprepub_internal.wrong_noise_budget(int, jsonb) IS 'why the budget of noisy counts cannot be changed like this';

-- The bins of a column, as labels, and an expression that numbers them, from 1 on, times a stride: so numbers of columns need only be added.
-- The number behind the last is that of all other values, and of NULL.  Bins come from what is declared and asked, never from rows.  Those of
-- numbers, dates and times lie between bounds.  A value counts in the first bin that holds it.
CREATE FUNCTION pprepub_internal.noise_bins(name text, kind text, tree int, type regtype, given jsonb, stride int, OUT labels jsonb, OUT number text)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	ladder constant numeric[] := (SELECT t.ladder FROM pprepub_internal.catalog_tree t WHERE t.tree = noise_bins.tree);
	is_nodes constant boolean := tree IS NOT NULL AND ladder IS NULL;
	has_bounds constant boolean := NOT is_nodes AND kind NOT IN ('prefix', 'suppress')
		AND type IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype, 'float4'::regtype, 'float8'::regtype,
			'date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype);
	hint constant text := CASE
		WHEN has_bounds THEN format('Give the bounds of its bins, ascending: {"%s": [0, 20, 40]}.', name)
		WHEN is_nodes THEN 'Bins are a list of nodes: ["Europe", "Asia"]. Left out, they are the leaves.'
		WHEN kind = 'prefix' THEN format('List its bins: {"%s": ["53*", "54*"]}.', name)
		ELSE format('List the values that are counted: {"%s": ["F", "M"]}.', name) END;
	most constant int := 10000;
	digits constant text := CASE type WHEN 'int2'::regtype THEN '^(0|-?[1-9]\d{0,3})$' WHEN 'int4'::regtype THEN '^(0|-?[1-9]\d{0,8})$' WHEN 'int8'::regtype THEN '^(0|-?[1-9]\d{0,17})$' END;
	bounds text;
	is_ascending boolean;
	fault text;
BEGIN
	IF given IS NULL AND ladder IS NOT NULL THEN
		IF (ladder[2] - ladder[1]) / ladder[3] < most THEN
			given := (SELECT jsonb_agg(b) FROM generate_series(ladder[1], ladder[2], ladder[3]) b);
		END IF;
	ELSIF given IS NULL AND is_nodes THEN
		given := (SELECT jsonb_agg(n.node ORDER BY n.first_leaf) FROM pprepub_internal.catalog_tree_node n
			WHERE n.tree = noise_bins.tree AND n.leaves = 1 AND NOT EXISTS (SELECT FROM pprepub_internal.catalog_tree_node b WHERE b.tree = n.tree AND b.parent = n.node));
	END IF;
	fault := CASE
		WHEN given IS NULL THEN 'They do not follow from the declaration.'
		WHEN jsonb_typeof(given) <> 'array' THEN 'They are no list.'
		WHEN jsonb_array_length(given) < CASE WHEN has_bounds THEN 2 ELSE 1 END THEN 'The list is too short.'
		WHEN has_bounds AND given ->> 0 ~ '^[[(]' THEN 'They are ranges, no bounds.'
		WHEN jsonb_array_length(given) > most THEN format('They are more than %s.', most)
		WHEN EXISTS (SELECT FROM jsonb_array_elements(given) e WHERE jsonb_typeof(e) NOT IN ('string', 'number', 'boolean')) THEN
			'The list may hold values only; NULLs are always counted, beside all others.' END;
	IF fault IS NULL AND has_bounds THEN
		EXECUTE format('SELECT array_agg(b::%1$s ORDER BY nth), bool_and(coalesce(b::%1$s > a::%1$s, true)), jsonb_agg(format(''[%%s,%%s)'', a::%1$s, b::%1$s) ORDER BY nth) FILTER (WHERE nth > 1)'
			' FROM (SELECT b, nth, lag(b) OVER (ORDER BY nth) AS a FROM jsonb_array_elements_text($1) WITH ORDINALITY b(b, nth)) s', type)
			USING given INTO bounds, is_ascending, labels;
		fault := CASE WHEN NOT is_ascending THEN 'They are not ascending.' END;
		-- 0 is below all of them, and the last one above
		number := format('coalesce(nullif(width_bucket(%I, %L::%s[]), 0), %s)%s', name, bounds, type, jsonb_array_length(given), ' * ' || nullif(stride, 1));
	ELSIF fault IS NULL THEN
		labels := (SELECT jsonb_agg(e ORDER BY nth) FROM jsonb_array_elements_text(given) WITH ORDINALITY e(e, nth));
		fault := (SELECT format('"%s" is listed twice.', e) FROM jsonb_array_elements_text(labels) e GROUP BY e HAVING count(*) > 1 LIMIT 1);
		IF kind = 'prefix' THEN
			-- Neither order nor number of bins may show in the time, so each length is looked up
			number := (SELECT format('coalesce(least(%s), %s)', string_agg(format('(%L::jsonb ->> %s)::int', s.stems, s.found), ', '), stride * (jsonb_array_length(labels) + 1))
				FROM (SELECT format(CASE WHEN e LIKE '%*' THEN 'left(%I::text, %s)' ELSE '%I::text' END, name, length(rtrim(e, '*'))) AS found, jsonb_object_agg(rtrim(e, '*'), nth * stride ORDER BY nth DESC) AS stems
					FROM jsonb_array_elements_text(labels) WITH ORDINALITY e(e, nth) GROUP BY 1) s);
		ELSE
			IF is_nodes THEN
				fault := coalesce(fault, (SELECT format('There is no node "%s".', e) FROM jsonb_array_elements_text(labels) WITH ORDINALITY e(e, nth)
					WHERE NOT EXISTS (SELECT FROM pprepub_internal.catalog_tree_node n WHERE n.tree = noise_bins.tree AND n.node = e) ORDER BY nth LIMIT 1));
			END IF;
			-- A few are found faster one by one, and integers without their texts
			number := (SELECT format(CASE WHEN count(*) > CASE WHEN is_integers THEN 10 ELSE 4 END THEN 'coalesce((%4$L::jsonb ->> %1$I::text)::int, %3$s)'
					WHEN is_integers THEN 'CASE %1$I %2$s ELSE %3$s END' ELSE 'CASE %1$I::text COLLATE "C" %2$s ELSE %3$s END' END,
					name, string_agg(format('WHEN %L THEN %s', n.value, n.number), ' ' ORDER BY n.number), stride * (jsonb_array_length(labels) + 1), jsonb_object_agg(n.value, n.number))
				FROM (SELECT s.value, s.nth * stride AS number, coalesce(bool_and(s.value ~ digits) OVER (), false) AS is_integers
				FROM (
					SELECT e AS value, nth FROM jsonb_array_elements_text(labels) WITH ORDINALITY e(e, nth) WHERE NOT is_nodes
					UNION ALL SELECT l.node, min(nth) FROM jsonb_array_elements_text(labels) WITH ORDINALITY e(e, nth)
						JOIN pprepub_internal.catalog_tree_node n ON n.tree = noise_bins.tree AND n.node = e
						JOIN pprepub_internal.catalog_tree_node l ON l.tree = n.tree AND l.first_leaf >= n.first_leaf AND l.first_leaf < n.first_leaf + n.leaves
							AND l.leaves = 1 AND NOT EXISTS (SELECT FROM pprepub_internal.catalog_tree_node b WHERE b.tree = l.tree AND b.parent = l.node)
					WHERE is_nodes GROUP BY l.node) s) n GROUP BY is_integers);
		END IF;
	END IF;
	IF fault IS NOT NULL THEN
		RAISE EXCEPTION 'invalid bins of column "%"', name USING ERRCODE = 'invalid_parameter_value', DETAIL = fault, HINT = hint;
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.noise_bins(text, text, int, regtype, jsonb, int) IS 'list the bins of a column, for TARGET.NAME_noisy()';

-- A sum of {"column": "cost", "from": 0, "to": 1000, "step": 1}: an expression for what a row adds, and one, of what is written into it, that
-- cuts what a person adds to a number of steps between the bounds; and the most of such steps.
CREATE FUNCTION pprepub_internal.noise_sum(publication int, sum jsonb, types regtype[], OUT added text, OUT clamped text, OUT most_steps bigint, OUT wrong text[])
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	hint constant text := 'Give its column and bounds, and a step if it is not 1: {"column": "cost", "from": 0, "to": 1000, "step": 1}.';
	name constant text := (SELECT r.name FROM pprepub_internal.catalog_released_column r WHERE r.publication = noise_sum.publication AND r.name = sum ->> 'column'
		AND types[r.position] IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype, 'float4'::regtype, 'float8'::regtype));
	ends numeric[];
BEGIN
	wrong := CASE
		WHEN jsonb_typeof(sum) <> 'object' OR EXISTS (SELECT FROM jsonb_each(sum) e WHERE jsonb_typeof(e.value) <> CASE e.key WHEN 'column' THEN 'string' ELSE 'number' END
			OR e.key NOT IN ('column', 'from', 'to', 'step')) OR NOT sum ?& '{column,from,to}' THEN ARRAY['22023', 'invalid sum', NULL, hint]
		WHEN name IS NULL THEN ARRAY['42703', format('column "%s" cannot be summed', sum ->> 'column'), NULL, 'Sums are of numbers, and not of the key.'] END;
	IF wrong IS NOT NULL THEN
		RETURN;
	END IF;
	ends := ARRAY[sum ->> 'from', sum ->> 'to', coalesce(sum ->> 'step', '1')]::numeric[];
	wrong := CASE
		WHEN EXISTS (SELECT FROM unnest(ends) e WHERE abs(e) > 1e15 OR scale(trim_scale(e)) > 15) OR ends[3] <= 0 OR ends[1] >= ends[2] OR mod(ends[1], ends[3]) <> 0 OR mod(ends[2], ends[3]) <> 0 THEN
			ARRAY['22023', 'invalid sum', '"from" must be less than "to", and both multiples of "step", which is more than 0.', hint]
		WHEN greatest(abs(ends[1]), abs(ends[2])) / ends[3] > 10000000 THEN ARRAY['54000', 'the bounds of a sum are more than 10000000 steps from 0', NULL, 'Choose a larger step.'] END;
	IF wrong IS NOT NULL THEN
		RETURN;
	END IF;
	added := format('nullif(%I::numeric, ''NaN'')', name);
	clamped := format('CASE WHEN %%1$s IS NOT NULL THEN round(least(greatest(%%1$s, %s), %s) / %s)::bigint END', ends[1], ends[2], ends[3]);
	most_steps := greatest(abs(ends[1]), abs(ends[2])) / ends[3];
END
$$;
COMMENT ON FUNCTION pprepub_internal.noise_sum(int, jsonb, regtype[]) IS 'read a sum for TARGET.NAME_noisy()';

-- A question, read: its normal form, how many bins it has, a query that counts people in them, what it costs, and the number of an equal
-- question that was answered since the newest release.  Rows say nothing here.
--
-- A person is counted in a bin once, and in max_rows bins at most; where there are more, in those that the key draws.  Time must not tell of how
-- many people the condition holds.  So it is no WHERE: the others take the same way into bins of their own, from nbins on, which nobody looks at.
CREATE FUNCTION pprepub_internal.noise_question(publication int, role name, by name[], given jsonb, condition text, epsilon numeric, types regtype[], must_fit boolean, is_unique boolean,
		OUT question jsonb, OUT nbins int, OUT query text, OUT cost bigint, OUT release int, OUT kept int, OUT gaussian boolean, OUT total bigint, OUT most_steps bigint, OUT wrong text[])
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	p pprepub_internal.catalog_publication;
	a record;
	col record;
	columns jsonb := '[]';
	cell text := '0';
	source text;
	cells bigint := 1;
	first bigint := 0;
	bins constant jsonb := given -> 0;
	sum constant jsonb := given -> 1;
	added text := 'NULL::numeric';
	clamped text := '0::bigint';
	unknown text;
	key text;
	countable constant text := (SELECT string_agg(format('"%s"', c.name), ', ' ORDER BY c.position) FROM pprepub_internal.catalog_released_column c
		WHERE c.publication = noise_question.publication);
BEGIN
	SELECT * INTO p FROM pprepub_internal.catalog_publication c WHERE c.publication = noise_question.publication;
	SELECT * INTO a FROM pprepub_internal.noise_account(publication, role);
	gaussian := a.gaussian;
	epsilon := coalesce(epsilon, CASE WHEN NOT must_fit OR p.params -> 'noise_budget' ? 'per_question' THEN least(a.per_question / 1e9, 100) / CASE jsonb_typeof(sum) WHEN 'null' THEN 1 ELSE 2 END END);
	unknown := (SELECT n FROM unnest(by) n WHERE NOT EXISTS (
		SELECT FROM pprepub_internal.catalog_released_column c WHERE c.publication = noise_question.publication AND c.name = n) LIMIT 1);
	wrong := CASE
		WHEN a.total IS NULL THEN ARRAY['55000', format('publication "%s" has no noise budget', p.name), NULL,
			format('Its owner can declare one: pprepub.alter_publication(%L, ''{"noise_budget": {"total": 1}}'').', p.name)]
		WHEN array_position(by, NULL) IS NOT NULL OR array_ndims(by) > 1 THEN ARRAY['22004', 'columns to count by must be a list of names', NULL, NULL]
		WHEN unknown IS NOT NULL THEN ARRAY['42703', format('noisy counts of publication "%s" cannot be by column "%s"', p.name, unknown), NULL, format('They can be by %s.', countable)]
		WHEN cardinality(by) > (SELECT count(DISTINCT n) FROM unnest(by) n) THEN ARRAY['42701', 'a column is named twice', NULL, NULL]
		WHEN jsonb_typeof(bins) <> 'object' THEN ARRAY['22023', 'bins must be a JSON object', NULL, 'Give a list for each column: {"age": [0, 20, 40]}.']
		WHEN epsilon IS NULL THEN ARRAY['22004', 'epsilon must be given', NULL, 'The publication declares no "per_question".']
		-- Each byte is work for the rows that get so far, and time would tell how many do
		WHEN octet_length(condition) > 4096 THEN ARRAY['54000', 'a condition of noisy counts may have 4096 bytes at most', NULL, 'Count by the column, and list its values as bins.']
		WHEN NOT (epsilon BETWEEN 0.000001 AND 100) OR scale(trim_scale(epsilon)) > 9 THEN ARRAY['22023', 'invalid epsilon', 
			'It is a number from 0.000001 to 100 with up to 9 digits behind the point.', NULL] END;
	IF wrong IS NOT NULL THEN
		RETURN;
	END IF;
	wrong := (SELECT ARRAY['42703', format('bins are given for "%s", which is not counted by', k), NULL, NULL] FROM jsonb_object_keys(bins) k WHERE k::name <> ALL (by) OR length(k) > 63 LIMIT 1);
	IF wrong IS NOT NULL THEN
		RETURN;
	END IF;

	IF jsonb_typeof(sum) <> 'null' THEN
		SELECT s.wrong, s.added, s.clamped, s.most_steps INTO wrong, added, clamped, most_steps FROM pprepub_internal.noise_sum(publication, sum, types) s;
		IF wrong IS NOT NULL THEN
			RETURN;
		END IF;
	END IF;

	-- Of the last column the numbers follow each other
	FOR col IN SELECT c.name::text, c.role, c.kind, c.tree, c.position FROM pprepub_internal.catalog_column c
		WHERE c.publication = noise_question.publication AND c.name = ANY (by) ORDER BY c.position DESC
	LOOP
		SELECT jsonb_build_array(jsonb_build_array(col.name, b.labels)) || columns, CASE WHEN cells = 1 THEN b.number ELSE b.number || ' + ' || cell END, first + cells, cells * (jsonb_array_length(b.labels) + 1)
		INTO columns, cell, first, cells
		FROM pprepub_internal.noise_bins(col.name, split_part(CASE col.role WHEN 'quasi-identifier' THEN col.kind ELSE 'value' END, ' ', 1),
			CASE col.role WHEN 'quasi-identifier' THEN col.tree END, types[col.position], bins -> col.name, cells::int) b;
		IF cells > 10000 THEN
			wrong := ARRAY['54000', 'there are more than 10000 combinations of bins', NULL, 'Count by fewer columns, or in fewer bins.'];
			RETURN;
		END IF;
	END LOOP;
	cost := epsilon * 1e9 * CASE WHEN most_steps IS NULL THEN 1 ELSE 2 END;
	nbins := cells;
	total := a.total;
	IF octet_length(columns::text) > 65536 THEN
		wrong := ARRAY['54000', 'bins may have 65536 bytes at most', NULL, 'Count in fewer bins, or in bins with shorter names.'];
		RETURN;
	END IF;
	question := jsonb_build_object('by', columns, 'where', condition, CASE WHEN gaussian THEN 'rho' ELSE 'epsilon' END, trim_scale(epsilon)) ||
		CASE WHEN most_steps IS NULL THEN '{}' ELSE jsonb_build_object('sum', '{"step": 1}'::jsonb || sum) END;
	release := coalesce((SELECT max(r.number) FROM pprepub_internal.catalog_release r WHERE r.publication = noise_question.publication AND r.kind <> 'query'), 0);
	kept := (SELECT n.number FROM pprepub_internal.catalog_noise n
		WHERE n.publication = noise_question.publication AND n.release = noise_question.release AND jsonb_hash_extended(n.question, 0) = jsonb_hash_extended(noise_question.question, 0)
			AND n.question = noise_question.question AND n.counts IS NOT NULL LIMIT 1);
	-- Texts are sorted faster byte by byte, where equal ones have equal bytes
	key := (SELECT quote_ident(c.name) || CASE WHEN l.collisdeterministic AND types[c.position] IN ('text'::regtype, 'varchar'::regtype) THEN ' COLLATE "C"' ELSE '' END
		FROM pprepub_internal.catalog_column c JOIN pg_attribute t ON t.attrelid = p.pinned AND t.attname = c.name LEFT JOIN pg_collation l ON l.oid = t.attcollation
		WHERE c.publication = noise_question.publication AND c.role = 'key');
	source := format('SELECT %s AS key, %s AS cell, (%s) IS TRUE AS is_in, %s AS added FROM %s', key, cell, coalesce(condition, 'true'), added, p.pinned);
	cell := format('cell + CASE WHEN is_in THEN %s ELSE %s END', - first, nbins - first);
	query := format('SELECT cell, count(*), %s FROM (%s) c GROUP BY cell', CASE WHEN most_steps IS NULL THEN '0::bigint' ELSE 'coalesce(sum(added), 0)::bigint' END, CASE
		WHEN is_unique THEN format('SELECT %s AS cell, %s AS added FROM (%s) r WHERE key IS NOT NULL', cell, format(clamped, 'added'), source)
		WHEN p.max_rows = 1 THEN format('SELECT min(%s) AS cell, %s AS added FROM (%s) r WHERE key IS NOT NULL GROUP BY key', cell, format(clamped, 'min(added)'), source)
		ELSE format('SELECT %s AS cell, %s AS added FROM (SELECT cell, bool_or(is_in) AS is_in, CASE WHEN bool_or(is_in AND added IS NOT NULL) THEN sum(CASE WHEN is_in AND added IS NOT NULL THEN least(greatest(added, -1e1000), 1e1000) ELSE 0 END) END AS added,'
			' %s AS nth FROM (%s) r WHERE key IS NOT NULL GROUP BY key, cell) d WHERE nth <= %s', cell, format(clamped, 'added'), CASE WHEN nbins <= p.max_rows THEN '1'
			ELSE 'row_number() OVER (PARTITION BY key ORDER BY bool_or(is_in) DESC, hashint8extended(cell, hashtextextended(key::text, 0)), cell)' END, source, p.max_rows) END);
	wrong := CASE
		WHEN kept IS NOT NULL OR NOT must_fit THEN NULL
		WHEN cost < a.at_least THEN ARRAY['53400', format('a question about publication "%s" costs %s at least', p.name, trim_scale(a.at_least / 1e9)), NULL, 'Ask with a larger epsilon.']
		WHEN cost > a.per_question THEN ARRAY['53400', format('a question about publication "%s" may cost %s at most', p.name, trim_scale(a.per_question / 1e9)), NULL, 'Ask with a smaller epsilon.']
		WHEN a.own + cost > a.per_role THEN ARRAY['53400', format('role "%s" has %s of its %s left for noisy counts of publication "%s"', role, trim_scale(greatest(a.per_role - a.own, 0) / 1e9),
			trim_scale(a.per_role / 1e9), p.name), NULL, 'Ask with a smaller epsilon, or what was answered before. The publication''s owner can raise "per_role".']
		WHEN a.spent + cost > a.total THEN ARRAY['53400', format('publication "%s" has %s of its %s left for noisy counts', p.name, trim_scale(greatest(a.total - a.spent, 0) / 1e9),
			trim_scale(a.total / 1e9)), NULL, 'Ask with a smaller epsilon, or what was answered before. The publication''s owner can raise "total".'] END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.noise_question(int, name, name[], jsonb, text, numeric, regtype[], boolean, boolean) IS 'read a question for TARGET.NAME_noisy()';

-- An answer as it is given: a row for each combination of bins, also those that nobody is in.
CREATE FUNCTION pprepub_internal.noisy_rows(publication int, number int, OUT bin jsonb, OUT noisy_count bigint, OUT half_width bigint, OUT noisy_sum numeric, OUT sum_half_width numeric)
	RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE a AS (SELECT n.question -> 'by' AS by, n.counts, n.half_width, n.sums, n.sum_half_width, coalesce((n.question -> 'sum' ->> 'step')::numeric, 1) AS step
		FROM pprepub_internal.catalog_noise n WHERE n.publication = $1 AND n.number = $2),
	b AS (
		SELECT 0 AS columns, '{}'::jsonb AS bin, 0::bigint AS cell
		UNION ALL SELECT b.columns + 1, b.bin || jsonb_build_object(a.by -> b.columns ->> 0, e.label), b.cell * (jsonb_array_length(a.by -> b.columns -> 1) + 1) + e.nth - 1
		FROM a, b, LATERAL jsonb_array_elements((a.by -> b.columns -> 1) || 'null'::jsonb) WITH ORDINALITY e(label, nth) WHERE b.columns < jsonb_array_length(a.by))
	SELECT b.bin, a.counts[b.cell + 1], a.half_width, a.sums[b.cell + 1] * a.step, a.sum_half_width * a.step FROM a, b WHERE b.columns = jsonb_array_length(a.by) ORDER BY b.cell
$$;
COMMENT ON FUNCTION pprepub_internal.noisy_rows(int, int) IS 'rows of an answer of TARGET.NAME_noisy()';

CREATE FUNCTION pprepub_internal.noisy(publication text, by name[], "where" text, bins jsonb, epsilon numeric, sum jsonb,
		OUT bin jsonb, OUT noisy_count bigint, OUT half_width bigint, OUT noisy_sum numeric, OUT sum_half_width numeric) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_noisy';
COMMENT ON FUNCTION pprepub_internal.noisy(text, name[], text, jsonb, numeric, jsonb) IS
	'count people with noise for TARGET.NAME_noisy(), in a transaction of its own, charged before the first row is returned';

CREATE FUNCTION pprepub_internal.noise_left(publication text, by name[], "where" text, bins jsonb, epsilon numeric, sum jsonb,
		OUT total numeric, OUT total_left numeric, OUT role_left numeric, OUT per_question numeric, OUT least_cost numeric, OUT cost numeric, OUT half_width bigint, OUT sum_half_width numeric,
		OUT total_epsilon double precision) RETURNS SETOF record
	LANGUAGE C STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_noise_left';
COMMENT ON FUNCTION pprepub_internal.noise_left(text, name[], text, jsonb, numeric, jsonb) IS 'show for TARGET.NAME_noise_left() what is left, and what a question would cost';

CREATE VIEW pprepub.noise WITH (security_barrier) AS
	SELECT p.name AS publication, n.number, n.asked_at, n.asked_by, n.asked_as, n.release,
		CASE WHEN a.is_owner THEN n.question ELSE n.question OPERATOR(pg_catalog.-) 'where'::pg_catalog.text END AS question,
		pg_catalog.trim_scale(n.cost / 1e9) AS cost, n.counts IS NULL AS failed, CASE WHEN a.is_owner THEN n.failure END AS failure
	FROM pprepub_internal.catalog_noise n JOIN pprepub_internal.catalog_publication p USING (publication) JOIN pprepub_internal.catalog_reader a USING (publication);
COMMENT ON VIEW pprepub.noise IS 'questions that were charged to the noise budgets of publications that you own or may audit';

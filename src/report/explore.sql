-- ----------------------------------------------------------------
-- report/: a page that compares settings
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub_internal.grid_settings(grid jsonb) RETURNS jsonb[]
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	most CONSTANT int := 30;
	settings jsonb[] := '{"{}"}';
	tried record;
BEGIN
	IF jsonb_typeof(grid) <> 'object' THEN
		RAISE EXCEPTION 'a grid must be a JSON object' USING ERRCODE = 'invalid_parameter_value', HINT = 'For example {"k": [5, 10], "reserve": [1, 2, 4]}.';
	END IF;
	FOR tried IN SELECT g.key AS name, g.value AS values FROM jsonb_each(grid) g LOOP
		IF jsonb_typeof(tried.values) <> 'array' OR tried.values = '[]' THEN
			RAISE EXCEPTION 'a grid must list the values of parameter "%" to try', tried.name
				USING ERRCODE = 'invalid_parameter_value', HINT = 'For example {"k": [5, 10], "reserve": [1, 2, 4]}. A value that is a list itself stands in a list: {"strata": [["age"], []]}.';
		ELSIF cardinality(settings) * jsonb_array_length(tried.values) > most THEN
			RAISE EXCEPTION 'a grid must not have more than % settings', most
				USING ERRCODE = 'program_limit_exceeded', DETAIL = 'Each value of a parameter is tried with each of all others.', HINT = 'Try fewer values at once.';
		END IF;
		settings := ARRAY(
			SELECT s.setting || jsonb_build_object(tried.name, v.value) FROM unnest(settings) WITH ORDINALITY s (setting, i), jsonb_array_elements(tried.values) WITH ORDINALITY v (value, i)
			ORDER BY s.i, v.i);
	END LOOP;
	RETURN settings;
END
$$;
COMMENT ON FUNCTION pprepub_internal.grid_settings(jsonb) IS 'list all settings of a grid of pprepub.explore()';

CREATE FUNCTION pprepub_internal.weakened_parameter(method text, declared jsonb, given jsonb) RETURNS text
	LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_weakened_parameter';
COMMENT ON FUNCTION pprepub_internal.weakened_parameter(text, jsonb, jsonb) IS 'name a parameter that would promise less than is declared';

-- Around the parameters that decide most, as they are declared: of global, l
CREATE FUNCTION pprepub_internal.usual_grid(params jsonb) RETURNS jsonb
	LANGUAGE SQL IMMUTABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT coalesce(jsonb_object_agg(p.key, CASE WHEN p.key = 'reserve' THEN '[1, 2, 4]'::jsonb
		WHEN p.key = 'k' THEN jsonb_build_array(greatest(p.value::int / 2, 2), p.value, p.value::int * 2) ELSE jsonb_build_array(p.value, p.value::int + 1, p.value::int + 2) END), '{}')
	FROM jsonb_each(params) p WHERE p.key IN ('k', 'm', 'reserve', CASE WHEN NOT params ? 'k' THEN 'l' END) AND p.value::text ~ '^\d{1,6}$'
$$;
COMMENT ON FUNCTION pprepub_internal.usual_grid(jsonb) IS 'choose a grid where the caller of pprepub.explore() gave none';

CREATE FUNCTION pprepub_internal.explore(publication text, grid jsonb, releases int) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET client_min_messages = error
	AS $$
DECLARE
	declared pprepub.publication;
	settings jsonb[];
	setting jsonb;
	metrics jsonb;
	verdict record;
	reason text;
	rows jsonb := '[]';
	classes text[];
	names text[];
BEGIN
	IF releases IS NULL OR releases < 1 THEN
		RAISE EXCEPTION '"releases" must be 1 or more' USING ERRCODE = 'invalid_parameter_value';
	END IF;
	SELECT * INTO STRICT declared FROM pprepub.publication p WHERE p.name = explore.publication;
	grid := coalesce(grid, pprepub_internal.usual_grid(declared.params));
	settings := pprepub_internal.grid_settings(grid);
	names := ARRAY(SELECT jsonb_object_keys(grid));
	FOREACH setting IN ARRAY '{}'::jsonb || settings LOOP
		metrics := '{}';
		BEGIN
			IF releases = 1 THEN
				SELECT jsonb_object_agg(p.metric, p.value) INTO metrics FROM pprepub.preview(declared.name, params => setting) p;
			ELSE
				SELECT jsonb_build_object('loss_percent', avg(f.loss_percent), 'withheld_percent', avg(f.withheld_percent), 'invented_percent', avg(f.invented_percent),
					'stale_percent', avg(f.stale_percent), 'average_class', avg(f.average_class))
				INTO metrics FROM pprepub.forecast(declared.name, explore.releases, params => setting) f;
			END IF;
			SELECT v.grade, CASE WHEN pprepub_internal.weakened_parameter(declared.method, declared.params, setting) IS NULL THEN '' ELSE 'Promises less than declared. ' END || v.words AS words
			INTO verdict FROM pprepub_internal.verdict_on_use(metrics) v;
		EXCEPTION WHEN OTHERS THEN
			-- neither an error of the moment nor one of ours is a reason
			IF SQLSTATE ~ '^(40|53|57|XX)' OR SQLSTATE = '55P03' THEN
				RAISE;
			END IF;
			SELECT 'bad' AS grade, format('Cannot be: %s.', SQLERRM) AS words INTO verdict;
		END;
		rows := rows || jsonb_build_array(
			to_jsonb(ARRAY[CASE WHEN rows = '[]' THEN 'now' ELSE jsonb_array_length(rows)::text END] || ARRAY(SELECT CASE WHEN setting ? n THEN setting ->> n ELSE declared.params ->> n END FROM unnest(names) WITH ORDINALITY n (n, i) ORDER BY n.i)) ||
			(SELECT jsonb_agg(trim_scale(round((metrics ->> f.name)::numeric, 1)) ORDER BY f.i)
			 FROM unnest('{loss_percent,withheld_percent,invented_percent,stale_percent,count_error_percent_5,classes}'::text[]) WITH ORDINALITY f (name, i)) ||
			jsonb_build_array((SELECT string_agg(trim_scale(round(value::numeric, 1))::text, ', ' ORDER BY value::numeric) FROM jsonb_each_text(metrics) WHERE key LIKE '%\_class'), verdict.words));
		classes := classes || verdict.grade;
	END LOOP;
	RETURN pprepub_internal.html_page(format('Settings of publication %s', publication),
		pprepub_internal.html_paragraph(format(CASE releases WHEN 1 THEN 'Figures of the next release of everybody, if it were made now:' ELSE 'Averages of the next %s releases of everybody, played on the rows of today as pprepub.forecast() supposes people to come and leave:' END ||
			' as declared, and with other parameters. Nothing was published or changed.', releases)) ||
		pprepub_internal.svg_stacks('cost', 'Lost in cells, withheld and invented: less is better', '%', rows, ARRAY(SELECT cardinality(names) + c FROM generate_series(1, 3) c), '{loss,withheld,invented}') ||
		pprepub_internal.html_table('Settings', '{Setting}' || ARRAY(SELECT '#' || n FROM unnest(names) WITH ORDINALITY n (n, i) ORDER BY n.i) || '{#Loss %,#Withheld %,#Invented %,#Stale %,#Error of counts %,#Classes,#Class sizes,Good for}', rows, classes) ||
		pprepub_internal.html_heading('reading', 'How to read this') || jsonb_build_array(jsonb_build_object('list', array_remove(ARRAY[
			'A setting that promises less, as by a smaller k, l or m, looks better here: that is no reason to choose it. Compare settings that promise the same.',
			CASE declared.method WHEN 'bpg' THEN 'Groups of method bpg last: after the first release, other parameters change who joins them, and what is made for newcomers, and hide groups that became too small.' END,
			CASE releases WHEN 1 THEN 'One release is shown. What suits it best need not suit the next ones: pprepub.explore(..., releases => 12) plays those.' END,
			'Class sizes: the least, the average and the most rows of a class, invented rows included.',
			'Error of counts: half of the estimates of conditions that 5 % of the people meet are off by so much or more. A dash: it was not measured.',
			'Settings that cannot be have no bar, and say why. The limits of what is good for what are those of pprepub.report().',
			'The figures tell of true rows: they are for the owner alone.'], NULL))));
END
$$;
COMMENT ON FUNCTION pprepub_internal.explore(text, jsonb, int) IS 'make the page of pprepub.explore(), for the owner of the publication';

CREATE FUNCTION pprepub.explore(publication text, grid jsonb DEFAULT NULL, releases int DEFAULT 1) RETURNS text
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_explore';
COMMENT ON FUNCTION pprepub.explore(text, jsonb, int) IS
	'make a page that compares the next release, or releases, under up to 30 settings; nothing is published';

-- ----------------------------------------------------------------
-- report/: a page to sign
-- ----------------------------------------------------------------

-- HTML.  All text from outside goes through html(), so no name and no value can be markup.  A page is ASCII alone, whatever
-- the encoding of database and client, and well-formed XML, so that programs can read it, too.

CREATE FUNCTION pprepub_internal.html(content text) RETURNS text
	LANGUAGE plpgsql STABLE STRICT SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	-- In a database of SQL_ASCII nobody knows what bytes beyond ASCII mean, and nothing can be converted.
	bytes bytea := convert_to(content, CASE getdatabaseencoding() WHEN 'SQL_ASCII' THEN 'SQL_ASCII' ELSE 'UTF8' END);
	i int := 0;
	first int;
	width int;
	point int;
	escaped text := '';
BEGIN
	IF content COLLATE "C" ~ '^[] a-zA-Z0-9_.,:;!?%#*+=/()[{}-]*$' THEN
		RETURN content;
	END IF;
	WHILE i < length(bytes) LOOP
		first := get_byte(bytes, i);
		width := CASE WHEN first < 128 THEN 1 WHEN first < 192 THEN 0 WHEN first < 224 THEN 2 WHEN first < 240 THEN 3 WHEN first < 248 THEN 4 ELSE 0 END;
		IF width = 0 OR i + width > length(bytes) THEN
			point := NULL;
		ELSE
			point := CASE width WHEN 1 THEN first ELSE first & (255 >> (width + 1)) END;
			FOR more IN 1 .. width - 1 LOOP
				point := CASE WHEN get_byte(bytes, i + more) & 192 = 128 THEN (point << 6) | (get_byte(bytes, i + more) & 63) END;
			END LOOP;
		END IF;
		IF point IS NULL OR point < (ARRAY[0, 128, 2048, 65536])[width] THEN
			-- no UTF-8
			width := 1;
			point := 65534;
		END IF;
		escaped := escaped || CASE
			-- XML cannot hold these
			WHEN point < 32 AND point NOT IN (9, 10, 13) OR point IN (127, 65534, 65535) OR point BETWEEN 55296 AND 57343 OR point > 1114111 THEN '&#xFFFD;'
			WHEN point >= 128 OR point IN (ascii('&'), ascii('<'), ascii('>'), ascii('"'), ascii('''')) THEN '&#x' || upper(to_hex(point)) || ';'
			ELSE chr(point) END;
		i := i + width;
	END LOOP;
	RETURN escaped;
END
$$;
COMMENT ON FUNCTION pprepub_internal.html(text) IS 'write text in ASCII as HTML shows it, in a content or in an attribute';

CREATE FUNCTION pprepub_internal.html_number(value float8) RETURNS text
	LANGUAGE SQL IMMUTABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT CASE WHEN value IS NULL OR value = 'NaN' THEN 'unknown'
		WHEN abs(value) >= 100 OR value = round(value) THEN round(value)::numeric::text
		ELSE round(value::numeric, 3 - floor(log(abs(value)))::int)::float8::text END
$$;
COMMENT ON FUNCTION pprepub_internal.html_number(float8) IS 'write a number with up to four digits, or as a whole one';

-- A page is an array of parts: headings, paragraphs, lists, tables, and markup of ours.  html_of() and json_of() write it, so
-- that both say the same.

CREATE FUNCTION pprepub_internal.html_heading(anchor text, title text) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT jsonb_build_array(jsonb_build_object('id', anchor, 'title', title)) $$;
COMMENT ON FUNCTION pprepub_internal.html_heading(text, text) IS 'make the heading of a section';

-- Its class is no text from outside.
CREATE FUNCTION pprepub_internal.html_paragraph(content text, class text DEFAULT NULL) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT jsonb_build_array(jsonb_build_object('words', content, 'class', class)) $$;
COMMENT ON FUNCTION pprepub_internal.html_paragraph(text, text) IS 'make a paragraph, of a class if it has one';

-- A heading that begins with # is of a column of numbers, which are put to the right; NULL is shown as a dash.
CREATE FUNCTION pprepub_internal.html_table(caption text, headings text[], rows jsonb, classes text[] DEFAULT NULL) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT jsonb_build_array(jsonb_build_object('caption', caption, 'headings', headings, 'rows', rows, 'classes', classes)) WHERE rows IS NOT NULL $$;
COMMENT ON FUNCTION pprepub_internal.html_table(text, text[], jsonb, text[]) IS 'make a table of rows, each an array of cells, and of a class if it has one; nothing without rows';

CREATE FUNCTION pprepub_internal.html_of(part jsonb) RETURNS text
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT CASE
		WHEN part ? 'title' THEN format(E'<h2 id="%s">%s</h2>\n', part ->> 'id', pprepub_internal.html(part ->> 'title'))
		WHEN part ? 'words' THEN format(E'<p%s>%s</p>\n', ' class="' || (part ->> 'class') || '"', pprepub_internal.html(part ->> 'words'))
		WHEN part ? 'list' THEN E'<ul>\n' || (SELECT string_agg(format(E'<li>%s</li>\n', pprepub_internal.html(l.words)), '' ORDER BY l.i)
			FROM jsonb_array_elements_text(part -> 'list') WITH ORDINALITY l (words, i)) || E'</ul>\n'
		WHEN part ? 'markup' THEN part ->> 'markup'
		ELSE format(E'<div class="wide" tabindex="0" role="region" aria-label="%1$s">\n<table>\n<caption>%1$s</caption>\n<thead><tr>%2$s</tr></thead>\n<tbody>\n%3$s</tbody>\n</table>\n</div>\n',
			pprepub_internal.html(part ->> 'caption'),
			(SELECT string_agg(format('<th scope="col"%s>%s</th>', CASE WHEN h.title LIKE '#%' THEN ' class="number"' END, pprepub_internal.html(ltrim(h.title, '#'))), '' ORDER BY h.i)
			 FROM jsonb_array_elements_text(part -> 'headings') WITH ORDINALITY h (title, i)),
			(SELECT string_agg(format(E'<tr%s>%s</tr>\n', ' class="' || (part -> 'classes' ->> r.n::int - 1) || '"', c.cells), '' ORDER BY r.n)
			 FROM jsonb_array_elements(part -> 'rows') WITH ORDINALITY r (cells, n) CROSS JOIN LATERAL (
				SELECT string_agg(format('<%1$s%2$s%3$s>%4$s</%1$s>', CASE WHEN v.i = 1 THEN 'th' ELSE 'td' END, CASE WHEN v.i = 1 THEN ' scope="row"' END,
					CASE WHEN part -> 'headings' ->> v.i::int - 1 LIKE '#%' THEN ' class="number"' END, coalesce(pprepub_internal.html(v.cell), '&#x2013;')), '' ORDER BY v.i) AS cells
				FROM jsonb_array_elements_text(r.cells) WITH ORDINALITY v (cell, i)) c)) END
$$;
COMMENT ON FUNCTION pprepub_internal.html_of(jsonb) IS 'write a part of a page as HTML';

-- Sections in their order, with the class of their verdict, sentences, and tables whose cells are named by their headings.
CREATE FUNCTION pprepub_internal.json_of(parts jsonb) RETURNS json
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT json_agg(json_build_object('id', s.id, 'title', s.title, 'verdict', s.verdict, 'words', s.words, 'tables', s.tables) ORDER BY s.section)
	FROM (SELECT p.section, max(p.part ->> 'id') AS id, max(p.part ->> 'title') AS title, max(substring(p.part ->> 'class' FROM '^verdict (.*)')) AS verdict,
			coalesce(json_agg(w.words ORDER BY p.i, w.i) FILTER (WHERE w.words IS NOT NULL), '[]') AS words,
			coalesce(json_agg(json_build_object('caption', p.part ->> 'caption', 'rows', t.rows) ORDER BY p.i) FILTER (WHERE p.part ? 'rows'), '[]') AS tables
		  FROM (SELECT e.part, e.i, count(e.part -> 'title') OVER (ORDER BY e.i) AS section FROM jsonb_array_elements(parts) WITH ORDINALITY e (part, i)) p
			CROSS JOIN LATERAL jsonb_array_elements_text(coalesce(p.part -> 'list', jsonb_build_array(p.part -> 'words'))) WITH ORDINALITY w (words, i)
			LEFT JOIN LATERAL (
				SELECT coalesce(json_agg(c.cells ORDER BY r.n), '[]') AS rows
				FROM jsonb_array_elements(p.part -> 'rows') WITH ORDINALITY r (cells, n) CROSS JOIN LATERAL (
					SELECT json_object_agg(ltrim(p.part -> 'headings' ->> v.i::int - 1, '#'), v.cell ORDER BY v.i) AS cells
					FROM jsonb_array_elements(r.cells) WITH ORDINALITY v (cell, i)) c) t ON p.part ? 'rows'
		  GROUP BY p.section) s
$$;
COMMENT ON FUNCTION pprepub_internal.json_of(jsonb) IS 'write the parts of a page for programs';

CREATE FUNCTION pprepub_internal.in_words(names text[]) RETURNS text
	LANGUAGE SQL IMMUTABLE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT concat_ws(' and ', nullif(array_to_string(names[ : cardinality(names) - 1], ', '), ''), names[cardinality(names)]) $$;
COMMENT ON FUNCTION pprepub_internal.in_words(text[]) IS 'write a list of names in a sentence';

CREATE FUNCTION pprepub_internal.in_number(n bigint, noun text) RETURNS text
	LANGUAGE SQL IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp
	AS $$ SELECT format('%s %s%s', n, noun, CASE WHEN n <> 1 THEN 's' END) $$;
COMMENT ON FUNCTION pprepub_internal.in_number(bigint, text) IS 'write how many there are of something';

-- Charts, as inline SVG.  Each has a title and a description for those who cannot see it; the figures stand in a table beside it.

CREATE FUNCTION pprepub_internal.svg_length(length float8) RETURNS numeric
	LANGUAGE SQL IMMUTABLE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT (round(length * 10) / 10)::numeric(9, 1) $$;
COMMENT ON FUNCTION pprepub_internal.svg_length(float8) IS 'round a length in a chart';

CREATE FUNCTION pprepub_internal.svg_top(most float8) RETURNS float8
	LANGUAGE SQL IMMUTABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT s.step * CASE WHEN most <= s.step THEN 1 WHEN most <= 2 * s.step THEN 2 WHEN most <= 5 * s.step THEN 5 ELSE 10 END
	FROM (SELECT CASE WHEN most > 0 THEN power(10::float8, floor(log(most))) ELSE 1 END AS step) s
$$;
COMMENT ON FUNCTION pprepub_internal.svg_top(float8) IS 'find the round number at the top of a chart: 1, 2 or 5 with zeros';

CREATE FUNCTION pprepub_internal.svg_y(value float8, top float8) RETURNS numeric
	LANGUAGE SQL IMMUTABLE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT pprepub_internal.svg_length(194 - value / top * 182) $$;
COMMENT ON FUNCTION pprepub_internal.svg_y(float8, float8) IS 'find where a value is drawn in a chart, below its top';

CREATE FUNCTION pprepub_internal.svg_chart(anchor text, title text, words text, unit text, top float8, drawing text) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT jsonb_build_array(jsonb_build_object('markup', format(E'<figure>\n<figcaption id="%1$s-title">%2$s</figcaption>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 240" role="img" aria-labelledby="%1$s-title %1$s-words">\n<desc id="%1$s-words">%3$s</desc>\n%4$s%5$s</svg>\n</figure>\n',
		anchor, pprepub_internal.html(title), pprepub_internal.html(words),
		(SELECT string_agg(format(E'<line class="grid" x1="56" x2="628" y1="%1$s" y2="%1$s"/><text x="50" y="%2$s" text-anchor="end">%3$s%4$s</text>\n',
			pprepub_internal.svg_y(i, 4), pprepub_internal.svg_y(i, 4) + 4, pprepub_internal.html_number(top * i / 4), unit), '' ORDER BY i)
		 FROM generate_series(0, 4) i),
		drawing)))
$$;
COMMENT ON FUNCTION pprepub_internal.svg_chart(text, text, text, text, float8, text) IS 'write a chart with its words, and the lines that values are read off';

-- A line for each of these columns of rows, whose first column goes to the right.  It goes on behind values that are not known.
CREATE FUNCTION pprepub_internal.svg_lines(anchor text, title text, unit text, rows jsonb, columns int[], names text[]) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	n int := jsonb_array_length(rows);
	x text[] := ARRAY(
		SELECT pprepub_internal.svg_length(61 + coalesce((p.at - min(p.at) OVER ()) / nullif(max(p.at) OVER () - min(p.at) OVER (), 0), 0.5) * 562)
		FROM (SELECT (r ->> 0)::float8 AS at, i FROM jsonb_array_elements(rows) WITH ORDINALITY e (r, i)) p ORDER BY p.i);
	top float8 := pprepub_internal.svg_top((SELECT max((r ->> c)::float8) FROM jsonb_array_elements(rows) r, unnest(columns) c));
	last text;
	words text[];
	drawing text;
BEGIN
	drawing := (SELECT string_agg(format('<text x="%s" y="210" text-anchor="middle">%s</text>', x[i], r ->> 0), '' ORDER BY i)
		FROM jsonb_array_elements(rows) WITH ORDINALITY e (r, i) WHERE (i - 1) % ((n + 11) / 12) = 0);
	FOR s IN 0 .. cardinality(columns) - 1 LOOP
		last := rows -> (n - 1) ->> columns[s + 1];
		words := words || format('%s: %s in the last of %s.', names[s + 1], coalesce(pprepub_internal.html_number(last::float8) || CASE WHEN last IS NOT NULL THEN unit END, 'unknown'), n);
		drawing := drawing || (
			SELECT format(E'<polyline class="s%1$s" stroke-width="2" points="%2$s"/>\n%3$s\n<line class="s%1$s" stroke-width="2" x1="%4$s" x2="%5$s" y1="232" y2="232"/><text x="%6$s" y="236">%7$s</text>\n',
				s, string_agg(p.x || ',' || p.y || ' ', '' ORDER BY p.i),
				CASE WHEN n <= 60 THEN string_agg(format('<circle class="s%s" r="2.5" cx="%s" cy="%s"/>', s, p.x, p.y), '' ORDER BY p.i) END,
				56 + s * 190, 80 + s * 190, 86 + s * 190, pprepub_internal.html(names[s + 1]))
			FROM (SELECT i, x[i] AS x, pprepub_internal.svg_y((r ->> columns[s + 1])::float8, top) AS y
				  FROM jsonb_array_elements(rows) WITH ORDINALITY e (r, i)) p WHERE p.y IS NOT NULL);
	END LOOP;
	RETURN pprepub_internal.svg_chart(anchor, title, array_to_string(words, ' '), unit, top, drawing);
END
$$;
COMMENT ON FUNCTION pprepub_internal.svg_lines(text, text, text, jsonb, int[], text[]) IS 'draw columns of rows as lines';

-- These columns of rows on top of each other, in a bar for each row; nothing where they are not known.
CREATE FUNCTION pprepub_internal.svg_stacks(anchor text, title text, unit text, rows jsonb, columns int[], names text[]) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	WITH piece AS (
		SELECT e.i, s.s, e.r ->> 0 AS label, (e.r ->> columns[s.s])::float8 AS value, sum((e.r ->> columns[s.s])::float8) OVER (PARTITION BY e.i ORDER BY s.s) AS until, count(*) OVER () / cardinality(columns) AS n
		FROM jsonb_array_elements(rows) WITH ORDINALITY e (r, i), generate_series(1, cardinality(columns)) s (s))
	SELECT pprepub_internal.svg_chart(anchor, title, string_agg(format('%s: %s%s.', p.label, pprepub_internal.html_number(p.until), unit), ' ' ORDER BY p.i) FILTER (WHERE p.s = cardinality(columns) AND p.until IS NOT NULL),
		unit, max(t.top), string_agg(
			CASE WHEN p.value > 0 THEN format(E'<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>\n', (ARRAY['bar', 'more', 'low'])[p.s], pprepub_internal.svg_length(56 + (p.i - 0.9) * 572.0 / p.n),
				pprepub_internal.svg_y(p.until, t.top), pprepub_internal.svg_length(0.8 * 572 / p.n), pprepub_internal.svg_length(p.value / t.top * 182)) ELSE '' END ||
			CASE WHEN p.s = 1 THEN format(E'<text x="%s" y="210" text-anchor="middle">%s</text>\n', pprepub_internal.svg_length(56 + (p.i - 0.5) * 572.0 / p.n), pprepub_internal.html(p.label)) ELSE '' END ||
			CASE WHEN p.i = 1 THEN format(E'<rect class="%s" x="%s" y="226" width="12" height="12"/><text x="%s" y="236">%s</text>\n', (ARRAY['bar', 'more', 'low'])[p.s], p.s * 190 - 134, p.s * 190 - 116, pprepub_internal.html(names[p.s])) ELSE '' END,
			'' ORDER BY p.i, p.s))
	FROM piece p, (SELECT pprepub_internal.svg_top(max(m.until)) AS top FROM piece m) t
$$;
COMMENT ON FUNCTION pprepub_internal.svg_stacks(text, text, text, jsonb, int[], text[]) IS 'draw columns of rows as bars on top of each other';

-- Single sizes are told apart where they matter, but no more of them than can be read: a bar for each size, or for a sixteenth
-- of them, below 2 k, and then ranges that double.  Bars of sets smaller than k stand out, and a line is drawn there.
CREATE FUNCTION pprepub_internal.svg_sizes(anchor text, title text, sizes bigint[], sets bigint[], k bigint) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	bars jsonb;
	n int;
	top float8;
	below bigint;
	drawing text;
BEGIN
	WITH RECURSIVE bar (size, next) AS (
		SELECT 1::bigint, least(1 + (k + 15) / 16, greatest(k, 2))
		UNION ALL SELECT b.next, CASE WHEN b.next < k THEN least(b.next + (k + 15) / 16, k) WHEN b.next < 2 * k THEN least(b.next + (k + 15) / 16, 2 * k) ELSE 2 * b.next END
		FROM bar b WHERE b.next <= (SELECT max(s) FROM unnest(sizes) s)),
	filled AS (
		SELECT b.size, coalesce(sum(s.sets), 0) AS sets, coalesce(sum(s.size * s.sets), 0) AS people
		FROM bar b LEFT JOIN unnest(svg_sizes.sizes, svg_sizes.sets) s (size, sets) ON s.size >= b.size AND s.size < b.next GROUP BY b.size)
	SELECT coalesce(jsonb_agg(jsonb_build_array(f.size, f.sets, f.people) ORDER BY f.size), '[]'), count(*), pprepub_internal.svg_top(max(f.people)), coalesce(sum(f.people) FILTER (WHERE f.size < k), 0)
	INTO bars, n, top, below
	FROM filled f WHERE f.size >= (SELECT min(s.size) FROM filled s WHERE s.sets > 0);
	drawing := (
		SELECT string_agg(format(E'<rect class="%s" x="%s" y="%s" width="%s" height="%s"/>%s%s\n', CASE WHEN b.size < k THEN 'low' ELSE 'bar' END,
			pprepub_internal.svg_length(56 + (b.i + 0.1) * 572 / n), pprepub_internal.svg_y(b.people, top), pprepub_internal.svg_length(0.8 * 572 / n), pprepub_internal.svg_length(b.people / top * 182),
			CASE WHEN b.i % ((n + 15) / 16) = 0 THEN format('<text x="%s" y="210" text-anchor="middle">%s</text>', pprepub_internal.svg_length(56 + (b.i + 0.5) * 572 / n), b.size) END,
			CASE WHEN b.size = k THEN format('<line class="s1" stroke-width="2" x1="%1$s" x2="%1$s" y1="12" y2="194"/><text x="%2$s" y="22">k = %3$s</text>',
				pprepub_internal.svg_length(56 + b.i * 572.0 / n), pprepub_internal.svg_length(61 + b.i * 572.0 / n), k) END), '' ORDER BY b.i)
		FROM (SELECT (r ->> 0)::bigint AS size, (r ->> 2)::float8 AS people, i - 1 AS i FROM jsonb_array_elements(bars) WITH ORDINALITY e (r, i)) b);
	RETURN CASE WHEN n > 0 THEN pprepub_internal.svg_chart(anchor, title,
			format('Bars from size %s to size %s or more. %s people are in sets of fewer than %s.', bars -> 0 ->> 0, bars -> (n - 1) ->> 0, below, k), '', top,
			drawing || E'<text x="56" y="234">people in sets of this size, up to the next one</text>\n') ELSE '[]' END ||
		pprepub_internal.html_table(title, '{#Size from,#Sets,#People}', (SELECT coalesce(jsonb_agg(r ORDER BY i), '[]') FROM jsonb_array_elements(bars) WITH ORDINALITY e (r, i) WHERE r ->> 1 <> '0'));
END
$$;
COMMENT ON FUNCTION pprepub_internal.svg_sizes(text, text, bigint[], bigint[], bigint) IS 'draw how many people are in sets of each size, with a table of it';

-- Sections of the page.  All run as the owner: what the page must not tell of cohorts, and of people, they leave out.

CREATE VIEW pprepub_internal.shown_root WITH (security_barrier) AS
	SELECT p.name AS publication, c.name AS "column", n.node AS root
	FROM pprepub_internal.catalog_publication p JOIN pprepub_internal.catalog_reader a USING (publication) JOIN pprepub_internal.catalog_column c USING (publication)
		JOIN pprepub_internal.catalog_tree_node n ON n.tree = c.tree AND n.parent IS NULL
	WHERE a.is_owner;
COMMENT ON VIEW pprepub_internal.shown_root IS 'cells of your publications'' taxonomies that are withheld';

CREATE VIEW pprepub_internal.shown_checksum WITH (security_barrier) AS
	SELECT p.name AS publication, r.number, r.relation::pg_catalog.regclass AS relation, r.checksum,
		ARRAY(SELECT c.name FROM pprepub_internal.catalog_released_column c WHERE c.publication = r.publication AND c.came > r.number) AS later_columns
	FROM pprepub_internal.catalog_release r JOIN pprepub_internal.catalog_publication p USING (publication) JOIN pprepub_internal.catalog_reader a USING (publication)
	WHERE a.is_owner AND r.relation IS NOT NULL;
COMMENT ON VIEW pprepub_internal.shown_checksum IS 'checksums of your releases that have tables';

-- The smallest set and the fewest values that releases reveal together are the worst of all their classes, too.  Other methods
-- than bpg promise nothing of such sets, but something else: there a sentence can be of classes of one release alone.
CREATE FUNCTION pprepub_internal.report_sentence(declared pprepub.publication, newest int, rows bigint, sensitive_values bigint) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT pprepub_internal.html_heading('sentence', 'In one sentence') || pprepub_internal.html_paragraph(
		format('A neighbor who knows %s of a person, and ', pprepub_internal.in_words(ARRAY(SELECT jsonb_object_keys(declared.quasi_identifiers)))) ||
		CASE WHEN rows > 0 THEN CASE declared.releases WHEN 1 THEN 'that the person is in the release, ' ELSE format('in which of all %s releases and answers the person is, ', declared.releases) END ||
			CASE WHEN rows = 1 THEN 'may find what is shown of this person alone.' ELSE format('finds the person among at least %s %s, and sees at least %s of %s there.',
			rows, CASE WHEN declared.max_rows > 1 THEN 'people' ELSE 'rows' END,
			pprepub_internal.in_number(sensitive_values, CASE WHEN starts_with(declared.sensitive, '{') THEN 'different combination' ELSE 'different value' END),
			CASE WHEN starts_with(declared.sensitive, '{') THEN pprepub_internal.in_words(declared.sensitive::text[]) ELSE declared.sensitive END) END
		ELSE format('that the person is in release %s, finds at least %s with equal cells there; of all releases together method %s promises %s.', newest,
			pprepub_internal.in_number((SELECT r.value::bigint FROM pprepub_internal.risks(declared.name, newest, NULL) r WHERE r.measure = 'class_smallest'), CASE WHEN declared.max_rows > 1 THEN 'person' ELSE 'row' END),
			declared.method, pprepub_internal.promise(declared.name)) END)
	WHERE CASE WHEN declared.method = 'bpg' THEN rows > 0 ELSE newest IS NOT NULL END
$$;
COMMENT ON FUNCTION pprepub_internal.report_sentence(pprepub.publication, int, bigint, bigint) IS 'write a section of report(): the worst case in a sentence';

-- The limits are ours.  A column that is as good as withheld is a reason for care, however little all others lose.
CREATE FUNCTION pprepub_internal.usefulness(metrics jsonb, OUT measure text, OUT value float8, OUT care float8, OUT little float8, OUT words text, OUT grade text)
	RETURNS SETOF record LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT m.measure, v.value, m.care, m.little, CASE WHEN v.value IS NULL THEN 'not measured' ELSE format(m.words, v.value) END,
		CASE WHEN v.value > m.little THEN 'poor' WHEN v.value > m.care THEN 'care' WHEN v.value IS NOT NULL THEN 'useful' END
	FROM (SELECT * FROM (VALUES
			('loss_percent', 33::float8, 67::float8, 'cells lose %s %% of what they could tell'),
			('withheld_percent', 5, 20, '%s %% of the people are withheld'),
			('invented_percent', 15, 33, '%s %% of the rows are invented'),
			('stale_percent', 10, 33, '%s %% of the people show an older value'),
			('count_error_percent_5', 10, 33, 'half of all counts of 5 %% of the people are off by %s %% or more')) f
		UNION ALL SELECT l.metric, 90, NULL, 'column ' || replace(substr(l.metric, 17), '%', '%%') || ' loses %s %%'
		FROM jsonb_object_keys(usefulness.metrics) l (metric) WHERE starts_with(l.metric, 'loss_percent of ')) m (measure, care, little, words)
		CROSS JOIN LATERAL (SELECT round((usefulness.metrics ->> m.measure)::numeric, 1)::float8) v (value)
$$;
COMMENT ON FUNCTION pprepub_internal.usefulness(jsonb) IS 'judge what a release is good for, by its figures, for its owner';

CREATE FUNCTION pprepub_internal.verdict_on_use(metrics jsonb, OUT grade text, OUT words text)
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT g.grade, CASE g.grade WHEN 'poor' THEN 'Of little use: ' WHEN 'care' THEN 'Useful with care: ' WHEN 'useful' THEN 'Useful: no figure is above its limit' ELSE 'It was not measured' END ||
		coalesce(g.words, '') || '.'
	FROM (SELECT (array_agg(u.grade ORDER BY u.grade = 'poor' DESC, u.grade = 'care' DESC))[1] AS grade,
			string_agg(u.words, ', ' ORDER BY u.grade = 'poor' DESC, u.ordinality) FILTER (WHERE u.grade <> 'useful') AS words
		  FROM pprepub_internal.usefulness(verdict_on_use.metrics) WITH ORDINALITY u WHERE u.grade IS NOT NULL) g
$$;
COMMENT ON FUNCTION pprepub_internal.verdict_on_use(jsonb) IS 'sum up what a release is good for';

CREATE FUNCTION pprepub_internal.report_usefulness(publication text, newest int) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT pprepub_internal.html_heading('usefulness', format('What release %s is good for', newest)) || pprepub_internal.html_paragraph(v.words, 'verdict ' || coalesce(v.grade, 'open')) ||
		pprepub_internal.html_table('Figures, and the limits above which care is needed, or little use is left', '{Figure,In words,#Value,#Care above,#Little use above,Verdict}',
			(SELECT coalesce(jsonb_agg(jsonb_build_array(u.measure, u.words, u.value, u.care, u.little,
				CASE u.grade WHEN 'useful' THEN 'useful' WHEN 'care' THEN 'with care' WHEN 'poor' THEN 'of little use' END) ORDER BY u.ordinality), '[]')
			 FROM pprepub_internal.usefulness(m.metrics) WITH ORDINALITY u),
			ARRAY(SELECT u.grade FROM pprepub_internal.usefulness(m.metrics) WITH ORDINALITY u ORDER BY u.ordinality)) ||
		pprepub_internal.html_paragraph('All figures are per cent. The limits are those of pprepub, and no law''s: what you do with the release may need others, or bear more.')
	FROM (SELECT coalesce(jsonb_object_agg(f.metric, f.value), '{}') AS metrics FROM pprepub_internal.metrics(report_usefulness.publication, newest) f) m,
		pprepub_internal.verdict_on_use(m.metrics) v
	WHERE newest IS NOT NULL
$$;
COMMENT ON FUNCTION pprepub_internal.report_usefulness(text, int) IS 'write a section of report(): what the newest release is good for';

-- The three questions of the European data protection authorities about anonymous data (Opinion 05/2014 of their working party).
CREATE FUNCTION pprepub_internal.report_questions(declared pprepub.publication, newest int, rows bigint, sensitive_values bigint) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT pprepub_internal.html_heading('questions', 'Singling out, linkability, inference') ||
		pprepub_internal.html_paragraph('Singling out: can somebody be told apart from all others? Linkability: can records of one person be joined? Inference: can a value of a person be concluded?') ||
		pprepub_internal.html_table('What can be done with releases and answers, and what stands against it', '{What,What stands against it,Measured,What is left}', jsonb_build_array(
			jsonb_build_array('Singling out',
				'Rows are shown in classes with equal cells. No releases and answers together may tell a smaller set apart than was promised. The checks above tell whether that holds.',
				coalesce('The smallest set that all releases and answers tell apart has ' || pprepub_internal.in_number(rows, 'row') || '.',
					CASE declared.method WHEN 'sequential' THEN 'It is not promised: method sequential hides which value is whose, not which row.' ELSE elsewhere END),
				'Small sets, if little was promised. Insensitive columns, which leave as they are.'),
			jsonb_build_array('Linkability',
				'Keys never leave. A record of another source fits all rows of a class. From release to release classes can be followed, and nobody in them.',
				coalesce((SELECT format('Somebody who links all people of release %s to a row each is right for %s %%, and for one person with a chance of %s %% at most.', newest,
						pprepub_internal.html_number(max(round(100 * r.value::numeric, 1)::float8) FILTER (WHERE r.measure = 'marketer')),
						pprepub_internal.html_number(max(round(100 * r.value::numeric, 1)::float8) FILTER (WHERE r.measure = 'prosecutor_highest')))
					FROM pprepub_internal.risks(declared.name, newest, NULL) r WHERE newest IS NOT NULL HAVING count(r.value) FILTER (WHERE r.measure = 'prosecutor_highest') > 0),
					'No release of everybody has people in it.'),
				'Observers who know more columns of a person than the quasi-identifiers. Publications that are judged apart.'),
			jsonb_build_array('Inference',
				format('Sets of people must show several sensitive values, as promised: %s.', pprepub_internal.promise(declared.name)),
				coalesce('The set with the fewest shows ' || pprepub_internal.in_number(sensitive_values, 'sensitive value') || '.', elsewhere),
				'How probable each value is, unless shares of values are limited, too. Values that mean nearly the same. What is true of all people alike.')))
	FROM (SELECT 'The checks above judge it, by what the method promises.') e (elsewhere)
$$;
COMMENT ON FUNCTION pprepub_internal.report_questions(pprepub.publication, int, bigint, bigint) IS 'write a section of report(): what stands against what observers may try';

CREATE FUNCTION pprepub_internal.report_verdict(declared pprepub.publication, newest int) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	checks jsonb;
	classes text[];
	failing int;
	undecided int;
	holding int;
	sets jsonb;
	fewest bigint;
	least bigint;
BEGIN
	SELECT coalesce(jsonb_agg(jsonb_build_array(a.check_name, CASE WHEN a.holds THEN 'holds' WHEN NOT a.holds THEN 'fails' ELSE 'to be judged' END,
			a.required, a.measured, a.failing_classes, a.failing_people) ORDER BY a.ordinality), '[]'),
		array_agg(CASE WHEN a.holds THEN 'good' WHEN NOT a.holds THEN 'bad' ELSE 'open' END ORDER BY a.ordinality),
		count(*) FILTER (WHERE NOT a.holds), count(*) FILTER (WHERE a.holds IS NULL), count(*) FILTER (WHERE a.holds)
	INTO checks, classes, failing, undecided, holding
	FROM pprepub.audit(declared.name) WITH ORDINALITY a;
	SELECT jsonb_agg(jsonb_build_array(s.kind, s.pairs, s.failing, s.records, s.sensitive_values) ORDER BY s.holds, s.kind DESC), min(s.records), min(s.sensitive_values)
	INTO sets, fewest, least
	FROM (SELECT a.kind, count(*) AS pairs, count(*) FILTER (WHERE NOT a.holds) AS failing, min(a.records) AS records, min(a.sensitive_values) AS sensitive_values,
			bool_and(a.holds) AS holds
		  FROM pprepub.attack(declared.name) a GROUP BY a.kind) s;
	IF declared.method <> 'bpg' THEN
		fewest := NULL;
		least := NULL;
	END IF;
	RETURN coalesce(pprepub_internal.report_sentence(declared, newest, fewest, least), '[]') ||
		pprepub_internal.html_heading('verdict', 'Verdict') ||
		CASE WHEN failing > 0 THEN pprepub_internal.html_paragraph(format('Do not sign: %s of %s checks fail.', failing, failing + holding), 'verdict bad')
			WHEN holding = 0 THEN pprepub_internal.html_paragraph('Nothing was published, so nothing was checked.', 'verdict open')
			ELSE pprepub_internal.html_paragraph(format('All %s checks hold.', holding), 'verdict good') END ||
		CASE WHEN undecided > 0 AND holding > 0 THEN pprepub_internal.html_paragraph(format('%s more must be judged by somebody: no program can.', undecided), 'open') ELSE '[]' END ||
		pprepub_internal.html_table('Every check of what is out, what fails first', '{Check,Verdict,Required,Measured,#Classes that fail,#People in sets that fail}', checks, classes) ||
		coalesce(pprepub_internal.html_table('Sets of people that intersections and differences of all releases reveal',
			'{Kind,#Pairs of releases,#That fail,#Fewest people,#Fewest values}', sets), '[]') ||
		coalesce(pprepub_internal.report_usefulness(declared.name, newest), '[]') ||
		CASE WHEN declared.releases > 0 THEN pprepub_internal.report_questions(declared, newest, fewest, least) ELSE '[]' END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.report_verdict(pprepub.publication, int) IS 'write sections of report(): what is checked, whether it holds, and what releases are good for';

CREATE FUNCTION pprepub_internal.report_promise(declared pprepub.publication) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT pprepub_internal.html_heading('promise', 'What was promised') ||
		pprepub_internal.html_paragraph(format('The promise: %s, by method %s.', pprepub_internal.promise(declared.name), declared.method)) ||
		-- for those who have never heard of k and l
		CASE WHEN declared.method = 'bpg' THEN pprepub_internal.html_paragraph(format('This is promised, and the checks above tell whether it holds: an observer who has all releases and answers, and knows which of them a person is in, still finds the person among %s people or more who cannot be told apart, invented ones included%s.',
			declared.params ->> 'k', ', and these have ' || (declared.params ->> 'l') || ' different sensitive values or more')) ELSE '[]' END ||
		pprepub_internal.html_table('The publication', '{Part,As declared}', jsonb_build_array(
			jsonb_build_array('Source', declared.source::text || coalesce(', rows where ' || declared.shard, '')),
			jsonb_build_array('Key', declared.key || CASE WHEN declared.max_rows > 1 THEN format(', in up to %s rows of a person', declared.max_rows) ELSE '' END),
			jsonb_build_array('Quasi-identifiers', declared.quasi_identifiers::text),
			jsonb_build_array('Sensitive', declared.sensitive),
			jsonb_build_array('Insensitive', declared.insensitive::text),
			jsonb_build_array('Parameters', (declared.params - 'seed'::text)::text),
			jsonb_build_array('Judged apart from', nullif(declared.beside::text, '{}')),
			jsonb_build_array('Tables taken to hold no people', nullif(declared.lookup::text, '{}')),
			jsonb_build_array('Releases and answers', declared.releases)))
$$;
COMMENT ON FUNCTION pprepub_internal.report_promise(pprepub.publication) IS 'write a section of report(): what was declared';

CREATE FUNCTION pprepub_internal.report_releases(publication text) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	rows jsonb := (
		SELECT jsonb_agg(jsonb_build_array(r.number, r.published_at::timestamp(0)::text, r.kind, r.rows, r.people, r.classes, m.withheld, m.invented, m.stale, m.loss, m.count_errors) ORDER BY r.number)
		FROM (SELECT * FROM pprepub.release e WHERE e.publication = report_releases.publication AND e.kind <> 'query' AND e.cohort IS NULL OFFSET 0) r
			CROSS JOIN LATERAL (
				SELECT round(max(f.value) FILTER (WHERE f.metric = 'withheld_percent')::numeric, 1) AS withheld,
					round(max(f.value) FILTER (WHERE f.metric = 'invented_percent')::numeric, 1) AS invented,
					round(max(f.value) FILTER (WHERE f.metric = 'stale_percent')::numeric, 1) AS stale,
					round(max(f.value) FILTER (WHERE f.metric = 'loss_percent')::numeric, 1) AS loss,
					string_agg(coalesce(round(f.value::numeric, 1)::text, '-'), ', ') FILTER (WHERE f.metric LIKE 'count_error_percent%') AS count_errors
				FROM pprepub.metrics(r.publication, r.number) f) m);
BEGIN
	RETURN pprepub_internal.html_heading('releases', 'Releases of everybody') || CASE WHEN rows IS NULL THEN pprepub_internal.html_paragraph('There is none.') ELSE
		pprepub_internal.svg_lines('rows', 'Rows of releases of everybody', '', rows, '{3}', '{rows}') ||
		pprepub_internal.svg_lines('shares', 'Withheld, invented, stale, and lost in cells', '%', rows, '{6,7,8,9}', '{withheld,invented,stale,loss}') ||
		pprepub_internal.html_table('Releases of everybody (times in UTC)', '{#Number,Published,Kind,#Rows,#People,#Classes,#Withheld %,#Invented %,#Stale %,#Loss %,"#Error of counts %"}', rows) ||
		pprepub_internal.html_paragraph('Stale: people whose row shows an older value than theirs. Loss: 0 % shows values as they are, 100 % withholds all cells of quasi-identifiers.'
			' Error of counts: the median of estimates of conditions that 1, 5 and 20 % of the people meet.') END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.report_releases(text) IS 'write a section of report(): the releases of everybody';

-- A set is those who were in the same class of each release, or in none of it.  128 bits of hashes stand for its classes.
CREATE FUNCTION pprepub_internal.told_apart(publication text, OUT size bigint, OUT sets bigint) RETURNS SETOF record
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	logs text := (
		SELECT string_agg(format('SELECT * FROM %I.%I', p.target || '_private', p.name || s.suffix), ' UNION ALL ')
		FROM pprepub.publication p, (VALUES ('_members'), ('_asked')) s (suffix)
		WHERE p.name = told_apart.publication AND to_regclass(format('%I.%I', p.target || '_private', p.name || s.suffix)) IS NOT NULL);
BEGIN
	-- People of a class published elsewhere keep a place that they have, which the log does not say again.
	RETURN QUERY EXECUTE format('SELECT s.size, count(*) FROM (
			SELECT count(*) AS size FROM (
				SELECT bit_xor(hashint8extended(k.class, k.release)) AS a, bit_xor(hashint8extended(k.class, - k.release)) AS b
				FROM (SELECT c.release, c.class, first_value(c."group") OVER stay AS "group", coalesce(c.place, first_value(c.place) OVER stay) AS place, c.key, c.invented
					FROM (SELECT l.release, l.class, CASE WHEN m.place IS NOT NULL THEN l."group" END AS "group", m.place, m.key,
							CASE WHEN m.key IS NOT DISTINCT FROM NULL THEN row_number() OVER () END AS invented,
							count(m.place) OVER (PARTITION BY m.key ORDER BY l.release) AS stay
						FROM (%s) l CROSS JOIN LATERAL (SELECT unnest(l.keys) AS key, unnest(l.places) AS place, unnest(l.sensitive)) m) c
					WINDOW stay AS (PARTITION BY c.key, c.invented, c.stay ORDER BY c.release)) k
				GROUP BY k."group", k.place, CASE WHEN k."group" IS NULL THEN k.key END, CASE WHEN k."group" IS NULL THEN k.invented END) i
			GROUP BY i.a, i.b) s GROUP BY s.size', logs);
END
$$;
COMMENT ON FUNCTION pprepub_internal.told_apart(text) IS 'count the sets that all releases and answers together tell apart, by size, for the owner';

CREATE FUNCTION pprepub_internal.report_sizes(publication text, newest int, releases int) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT pprepub_internal.html_heading('sizes', 'How many people cannot be told apart') ||
		(SELECT pprepub_internal.svg_sizes('atom-sizes', 'Sets that all releases and answers together tell apart, invented rows included', array_agg(t.size), array_agg(t.sets), p.k)
		 FROM pprepub_internal.told_apart(publication) t) ||
		CASE WHEN newest IS NULL THEN '[]' ELSE
			(SELECT pprepub_internal.svg_sizes('class-sizes', format('Rows with equal cells in release %s', newest), array_agg(c.rows), array_agg(c.classes), p.k)
			 FROM (SELECT s.rows, count(*) AS classes FROM pprepub_internal.class_sizes(publication, newest) s WHERE s.rows > 0 GROUP BY s.rows) c) ||
			pprepub_internal.html_heading('risks', format('How likely somebody is found in release %s', newest)) ||
			pprepub_internal.html_paragraph('The prosecutor knows that a person is in the release, and all quasi-identifiers; the marketer links everybody. These figures are of this release alone, and say nothing of others.') ||
			pprepub_internal.html_table(format('Risks of release %s; people above the threshold have a risk of more than 0.2', newest), '{Measure,#Value,Meaning}',
				(SELECT coalesce(jsonb_agg(jsonb_build_array(m.measure, pprepub_internal.html_number(m.value)::numeric, m.meaning) ORDER BY m.ordinality), '[]')
				 FROM pprepub_internal.risks(publication, newest, NULL) WITH ORDINALITY m WHERE m.value IS NOT NULL)) END
	FROM (SELECT greatest(CASE WHEN r.method = 'bpg' THEN (r.params ->> 'k')::bigint END, 1) AS k FROM pprepub.release r
		  WHERE r.publication = report_sizes.publication AND r.number = coalesce(newest, releases)) p
$$;
COMMENT ON FUNCTION pprepub_internal.report_sizes(text, int, int) IS 'write sections of report(): how many people cannot be told apart, and risks of a release';

CREATE FUNCTION pprepub_internal.has_column(relation regclass, attribute name) RETURNS boolean
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT EXISTS (SELECT FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
		WHERE a.attrelid = has_column.relation AND a.attname = has_column.attribute AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind = 'r')
$$;
COMMENT ON FUNCTION pprepub_internal.has_column(regclass, name) IS 'tell whether a table stands, and has a column';

CREATE FUNCTION pprepub_internal.report_values(declared pprepub.publication) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	page jsonb := pprepub_internal.html_heading('values', 'Sensitive values of the last releases');
	last int[] := ARRAY(
		SELECT l.number FROM (
			SELECT r.number FROM pprepub.release r WHERE r.publication = declared.name AND r.relation IS NOT NULL AND r.cohort IS NULL ORDER BY r.number DESC LIMIT 6) l
		ORDER BY l.number);
	shown name;
	rows jsonb;
BEGIN
	IF last = '{}' THEN
		RETURN '[]';
	END IF;
	FOREACH shown IN ARRAY CASE WHEN starts_with(declared.sensitive, '{') THEN declared.sensitive::name[] ELSE ARRAY[declared.sensitive]::name[] END LOOP
		EXECUTE (
			SELECT format('SELECT coalesce(jsonb_agg(v.cells ORDER BY v.newest DESC NULLS LAST, v.value COLLATE "C"), ''[]'') FROM (
					SELECT c.value, p.newest, jsonb_build_array(coalesce(c.value, ''(none, or withheld)''), %s) AS cells
					FROM (SELECT value, %s FROM (%s) counted GROUP BY value) c
						CROSS JOIN LATERAL (SELECT %s AS newest) p ORDER BY p.newest DESC NULLS LAST, c.value COLLATE "C" LIMIT 20) v',
				string_agg(format('round(100.0 * c.rows_%1$s / nullif(c.all_%1$s, 0), 1)', r.number), ', ' ORDER BY r.number),
				string_agg(format('sum(rows) FILTER (WHERE release = %1$s) AS rows_%1$s, sum(sum(rows) FILTER (WHERE release = %1$s)) OVER () AS all_%1$s', r.number), ', ' ORDER BY r.number),
				string_agg(CASE WHEN pprepub_internal.has_column(r.relation, shown)
					THEN format('SELECT %s AS release, %I::text AS value, count(*) AS rows FROM %s GROUP BY 2', r.number, shown, r.relation)
					ELSE format('SELECT %s AS release, NULL AS value, 1 AS rows', r.number) END, ' UNION ALL ' ORDER BY r.number),
				format('round(100.0 * c.rows_%1$s / nullif(c.all_%1$s, 0), 1)', last[cardinality(last)]))
			FROM pprepub.release r WHERE r.publication = declared.name AND r.number = ANY (last)) INTO rows;
		page := page || pprepub_internal.html_table(format('%s: per cent of the rows, 20 values at most', shown),
			ARRAY[shown::text] || ARRAY(SELECT '#% in ' || l FROM unnest(last) l), rows);
	END LOOP;
	RETURN page;
END
$$;
COMMENT ON FUNCTION pprepub_internal.report_values(pprepub.publication) IS 'write a section of report(): how often each sensitive value is shown';

CREATE FUNCTION pprepub_internal.report_columns(declared pprepub.publication, newest int) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	shown record;
	rows jsonb := '[]';
	cells bigint;
	withheld numeric;
BEGIN
	IF newest IS NULL THEN
		RETURN '[]';
	END IF;
	FOR shown IN
		SELECT a.attname AS name, q.kind, r.relation, t.root, round(m.value::numeric, 1) AS loss
		FROM pprepub.release r JOIN pg_class c ON c.oid = r.relation AND c.relkind = 'r' JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			JOIN jsonb_each_text(declared.quasi_identifiers) q (name, kind) ON q.name = a.attname
			LEFT JOIN pprepub_internal.shown_root t ON t.publication = declared.name AND t."column" = a.attname
			LEFT JOIN pprepub.metrics(declared.name, newest) m ON m.metric = 'loss_percent of ' || a.attname
		WHERE r.publication = declared.name AND r.number = newest ORDER BY a.attnum
	LOOP
		EXECUTE format('SELECT count(DISTINCT %1$I::text), round(100.0 * count(*) FILTER (WHERE %2$s) / nullif(count(*), 0), 1) FROM %3$s',
			shown.name, CASE WHEN shown.root IS NULL THEN format('pprepub.is_withheld(%I)', shown.name) ELSE format('%I = %L', shown.name, shown.root) END, shown.relation)
		INTO cells, withheld;
		rows := rows || jsonb_build_array(jsonb_build_array(shown.name, shown.kind, cells, shown.loss, withheld));
	END LOOP;
	RETURN CASE WHEN rows = '[]' THEN '[]' ELSE
		pprepub_internal.html_heading('columns', format('What release %s loses by column', newest)) ||
		pprepub_internal.html_table('Quasi-identifiers', '{Column,Kind,#Different cells,#Loss %,#Withheld %}', rows) ||
		pprepub_internal.html_paragraph('Loss: the share of its domain that a cell covers, on average; 0 % shows values as they are. A dash: it was not measured.') END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.report_columns(pprepub.publication, int) IS 'write a section of report(): what a release loses by column';

CREATE FUNCTION pprepub_internal.linkability_in_steps(publication text, releases int[] DEFAULT NULL, join_kind text DEFAULT 'kmj',
		OUT join_kind text, OUT releases int, OUT nodes bigint, OUT edges bigint, OUT matches bigint, OUT cliques numeric,
		OUT tuples bigint, OUT linkability int, OUT diversity float8, OUT unknown bigint, OUT people_at bigint[])
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_linkability_in_steps';
COMMENT ON FUNCTION pprepub_internal.linkability_in_steps(text, int[], text) IS
	'do as linkability(), but raise an error where the steps of pprepub.search_budget do not suffice: a page is made within seconds';

CREATE FUNCTION pprepub_internal.report_left_out(publication text) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT pprepub_internal.html_paragraph(format(CASE WHEN pprepub_internal.has_several_rows(publication)
		THEN 'Left out: what all releases and answers tell together of quasi-identifiers. Releases are joined row by row, and a person may have several.'
		ELSE 'Left out: what all releases and answers tell together. Joining them takes more than the %s steps of pprepub.search_budget. The owner or an auditor can join a few releases of everybody at a time: SELECT * FROM pprepub.linkability(%L, releases => ''{1,2}''); or all, without the last argument, however long that takes.' END,
		current_setting('pprepub.search_budget')::float8::numeric::text, publication))
$$;
COMMENT ON FUNCTION pprepub_internal.report_left_out(text) IS 'write that releases were not joined for report()';

CREATE FUNCTION pprepub_internal.report_linkability(publication text, OUT page jsonb, OUT is_joined boolean)
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	rows jsonb;
BEGIN
	page := pprepub_internal.html_heading('linkability', 'How far releases can be joined back to people');
	IF pprepub_internal.has_several_rows(publication) THEN
		page := page || pprepub_internal.report_left_out(publication);
		is_joined := false;
		RETURN;
	END IF;
	BEGIN
		SELECT jsonb_build_array(jsonb_build_array('no value is told', l.unknown)) ||
			(SELECT coalesce(jsonb_agg(jsonb_build_array(p.i || CASE WHEN p.i = 10 THEN ' or more' ELSE '' END, p.people) ORDER BY p.i), '[]') FROM unnest(l.people_at) WITH ORDINALITY p (people, i))
		INTO rows FROM pprepub_internal.linkability_in_steps(report_linkability.publication) l;
		is_joined := true;
	EXCEPTION WHEN configuration_limit_exceeded THEN
		IF SQLERRM <> 'a search was not finished within its steps' THEN
			RAISE;
		END IF;
		is_joined := false;
	END;
	page := page || CASE WHEN NOT is_joined THEN pprepub_internal.report_left_out(report_linkability.publication) ELSE
		pprepub_internal.html_paragraph('Somebody who has all releases and knows a person''s quasi-identifiers is left with so many sensitive values of the person: 1 means that the value is certain, 2 that it is one of two.') ||
		pprepub_internal.html_table('People by how many sensitive values all releases link them to', '{Values,#People}', rows) END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.report_linkability(text) IS 'write a section of report(): how far releases can be joined back to people, if it takes not too long';

CREATE FUNCTION pprepub_internal.report_answers(declared pprepub.publication) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT pprepub_internal.html_heading('answers', 'Who asked for answers') ||
		coalesce(pprepub_internal.html_table('Answers by role; a dash: any number is allowed', '{Role,#Answers,#Allowed,First,Last}',
			(SELECT jsonb_agg(jsonb_build_array(a.published_by, a.answers, declared.params ->> 'max_answers_per_role', a.first, a.last) ORDER BY a.answers DESC, a.published_by)
			 FROM (SELECT r.published_by, count(*) AS answers, min(r.published_at)::date AS first, max(r.published_at)::date AS last
				   FROM pprepub.release r WHERE r.publication = declared.name AND r.kind = 'query' GROUP BY r.published_by) a)),
			pprepub_internal.html_paragraph('Nobody.')) ||
		CASE WHEN declared.params ? 'noise_budget' THEN pprepub_internal.html_table(format('Noisy counts by role; all may cost %s', declared.params -> 'noise_budget' ->> 'total'),
			'{Role,#Questions,#Cost,#Allowed,First,Last}',
			(SELECT coalesce(jsonb_agg(jsonb_build_array(n.asked_by, n.questions, n.cost, coalesce(declared.params -> 'noise_budget' ->> 'per_role', declared.params -> 'noise_budget' ->> 'total'), n.first, n.last)
				ORDER BY n.cost DESC, n.asked_by), '[]')
			 FROM (SELECT c.asked_by, count(*) AS questions, sum(c.cost) AS cost, min(c.asked_at)::date AS first, max(c.asked_at)::date AS last
				   FROM pprepub.noise c WHERE c.publication = declared.name GROUP BY c.asked_by) n)) ELSE '[]' END
$$;
COMMENT ON FUNCTION pprepub_internal.report_answers(pprepub.publication) IS 'write a section of report(): the roles that asked';

CREATE FUNCTION pprepub_internal.report_people(publication text, is_joined boolean) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT pprepub_internal.html_heading('people', 'People at risk (internal: do not pass on)') ||
		CASE WHEN is_joined THEN pprepub_internal.html_table('Quasi-identifiers that are linked to fewest values, 20 at most', '{Quasi-identifiers,#People,#Values,Linked to}',
			(SELECT coalesce(jsonb_agg(jsonb_build_array(l.tuple::text, l.records, l.linkability, l.sensitive::text) ORDER BY l.linkability, l.diversity, l.tuple::text), '[]')
			 FROM (SELECT * FROM pprepub.link_profile(publication) p WHERE p.linkability > 0 ORDER BY p.linkability, p.diversity, p.tuple::text LIMIT 20) l))
		ELSE pprepub_internal.report_left_out(publication) END ||
		pprepub_internal.html_table('Smallest classes, by true people, 20 at most', '{#Release,#Class,#People,Keys}',
			(SELECT coalesce(jsonb_agg(jsonb_build_array(m.release, m.class, m.people, m.keys) ORDER BY m.people, m.release, m.class), '[]')
			 FROM (SELECT c.release, c.class, count(*) AS people, string_agg(c.key, ', ' ORDER BY c.key COLLATE "C") AS keys
				   FROM pprepub.class_members(publication) c GROUP BY c.release, c.class ORDER BY 3, 1, 2 LIMIT 20) m))
$$;
COMMENT ON FUNCTION pprepub_internal.report_people(text, boolean) IS 'write a section of report() for the owner alone: people at risk';

-- The limits of all checks; docs/explanation/promises.md has all of them.
CREATE FUNCTION pprepub_internal.not_promised() RETURNS text[]
	LANGUAGE SQL IMMUTABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT ARRAY[
		'The promise says nothing about observers who know sensitive values of people in the releases, or what relates people to each other.',
		'Releases of the same people elsewhere, or by publications that are judged apart, are not looked at.',
		'Insensitive columns leave as they are. Nobody may know them of a person.',
		'A set of people with several sensitive values can still be telling, where the values mean nearly the same.',
		'The owner and superusers can read the source, and can change what this is computed from.',
		'People who are withheld are protected; others who know of them learn that they are withheld, and no more.']
$$;
COMMENT ON FUNCTION pprepub_internal.not_promised() IS 'what no publication promises, in short';

CREATE FUNCTION pprepub_internal.report_ending(publication text) RETURNS jsonb
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT pprepub_internal.html_heading('not-promised', 'What is not promised') || jsonb_build_array(jsonb_build_object('list', pprepub_internal.not_promised())) ||
		pprepub_internal.html_heading('computed', 'What this page was computed from') ||
		pprepub_internal.html_paragraph(format('Made at %s (UTC) in database %s, by pprepub %s on PostgreSQL %s, from the log of all releases and answers, the release tables, and the source as it was at that moment.',
			now()::timestamp(0), current_database(), (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'pprepub'), current_setting('server_version'))) ||
		pprepub_internal.html_table('Releases that have tables, with the checksums of their rows', '{#Release,Table,Checksum}',
			(SELECT coalesce(jsonb_agg(jsonb_build_array(c.number, c.relation::text, c.checksum) ORDER BY c.number), '[]') FROM pprepub_internal.shown_checksum c WHERE c.publication = report_ending.publication)) ||
		pprepub_internal.html_heading('signature', 'Signature') || jsonb_build_array(jsonb_build_object('markup',
			E'<table class="sign"><caption>To be filled in by hand</caption><tbody>\n<tr><th scope="row">Accepted or refused</th><td></td></tr>'
			'<tr><th scope="row">Name</th><td></td></tr><tr><th scope="row">Date and signature</th><td></td></tr>\n</tbody></table>\n'))
$$;
COMMENT ON FUNCTION pprepub_internal.report_ending(text) IS 'write the last sections of report(): limits, checksums, and lines for a signature';

-- Light and dark, a phone and A4; contrasts are 4.5 to 1 and more.
CREATE FUNCTION pprepub_internal.html_page(title text, parts jsonb) RETURNS text
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT format($html$<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src &#x27;none&#x27;; style-src &#x27;unsafe-inline&#x27;"/>
<title>%1$s</title>
<style>
%2$s</style>
</head>
<body>
<main>
<h1>%1$s</h1>
$html$, pprepub_internal.html(title), $css$:root{--ink:#1b1b1b;--paper:#fff;--soft:#595959;--line:#d0d0d0;--good:#155724;--bad:#a11420;--open:#7a4b00;--a:#0b5394;--b:#a11420;--c:#4b6b00}
@media (prefers-color-scheme:dark){:root{--ink:#ececec;--paper:#161616;--soft:#b0b0b0;--line:#484848;--good:#7ddc9a;--bad:#ff8f98;--open:#f2c063;--a:#8ab8ff;--b:#ff8f98;--c:#c0dc6c}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:60rem;margin:0 auto;padding:1rem}
h1{font-size:1.6rem;line-height:1.2}h2{font-size:1.2rem;margin-top:2rem;border-bottom:1px solid var(--line)}
p,li{max-width:46rem}.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.9rem;margin:.5rem 0}
caption{text-align:left;color:var(--soft)}th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:left;vertical-align:top;overflow-wrap:anywhere}
th{white-space:nowrap}.number{text-align:right;white-space:nowrap}thead .number{white-space:normal;overflow-wrap:normal}td:last-child:not(.number){min-width:8rem}.verdict{font-size:1.2rem;font-weight:600;border-left:.4rem solid;padding:.3rem .8rem}
.good,.useful{color:var(--good)}.bad,.poor{color:var(--bad)}.open,.care{color:var(--open)}
svg{width:100%;max-width:44rem;height:auto}svg text{fill:var(--ink);font-size:12px}.grid{stroke:var(--line)}
.s0{stroke:var(--a);fill:none}.s1{stroke:var(--b);fill:none;stroke-dasharray:6 3}.s2{stroke:var(--c);fill:none;stroke-dasharray:2 3}
.bar{fill:var(--a)}.low{fill:var(--b)}.more{fill:var(--c)}.sign{width:100%;max-width:30rem}.sign th{white-space:normal}.sign td{height:2.5rem;width:60%}
@page{size:A4;margin:18mm}
@media print{:root{--ink:#000;--paper:#fff;--soft:#444;--line:#bbb;--good:#155724;--bad:#a11420;--open:#7a4b00;--a:#0b5394;--b:#a11420;--c:#4b6b00}body{max-width:none;padding:0;font-size:10pt}h2{break-after:avoid}figure,tr{break-inside:avoid}details{display:block}}
$css$) || (SELECT string_agg(pprepub_internal.html_of(p.part), '' ORDER BY p.i) FROM jsonb_array_elements(parts) WITH ORDINALITY p (part, i)) || E'</main>\n</body>\n</html>\n'
$$;
COMMENT ON FUNCTION pprepub_internal.html_page(text, jsonb) IS 'write a page, with its style';

-- A section that may fail, since the source is read for it, says so: a page that says so can be refused.
CREATE FUNCTION pprepub_internal.report(publication text, internal boolean, format text) RETURNS text
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET max_parallel_workers_per_gather = 0
	AS $$
DECLARE
	declared pprepub.publication;
	newest int := (SELECT max(r.number) FROM pprepub.release r WHERE r.publication = report.publication AND r.kind <> 'query' AND r.cohort IS NULL);
	is_joined boolean := true;
	section record;
	part jsonb;
	parts jsonb := '[]';
BEGIN
	internal := coalesce(internal, false);
	IF format IS NULL OR format NOT IN ('html', 'json') THEN
		RAISE EXCEPTION 'a report cannot have this format'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'It can be "html", a page, or "json", the same figures for programs.';
	END IF;
	SELECT * INTO STRICT declared FROM pprepub.publication p WHERE p.name = report.publication;
	FOR section IN
		SELECT s.* FROM (VALUES ('verdict', 'Verdict', true), ('rest', NULL, true), ('linkability', 'How far releases can be joined back to people', declared.releases > 0),
			('answers', NULL, true), ('people', 'People at risk (internal: do not pass on)', internal)) s (anchor, title, is_shown)
		WHERE s.is_shown
	LOOP
		part := NULL;
		BEGIN
			CASE section.anchor
				WHEN 'verdict' THEN
					part := pprepub_internal.report_verdict(declared, newest);
				WHEN 'rest' THEN
					part := pprepub_internal.report_promise(declared) || pprepub_internal.report_releases(declared.name) ||
						CASE WHEN declared.releases > 0 THEN pprepub_internal.report_sizes(declared.name, newest, declared.releases) ELSE '[]' END ||
						pprepub_internal.report_values(declared) || pprepub_internal.report_columns(declared, newest);
				WHEN 'linkability' THEN
					SELECT l.page, l.is_joined INTO part, is_joined FROM pprepub_internal.report_linkability(declared.name) l;
				WHEN 'answers' THEN
					part := pprepub_internal.report_answers(declared);
				WHEN 'people' THEN
					part := pprepub_internal.report_people(declared.name, is_joined);
			END CASE;
			-- It only looked: if code of the source wrote anything, that is undone.
			RAISE EXCEPTION 'end of a section';
		EXCEPTION WHEN OTHERS OR assert_failure THEN
			IF part IS NULL THEN
				-- neither an error of the moment, nor one of what is not read from the source
				IF SQLSTATE ~ '^(40|53|57)' OR SQLSTATE = '55P03' OR section.title IS NULL THEN
					RAISE;
				END IF;
				part := pprepub_internal.html_heading(section.anchor, section.title) || pprepub_internal.html_paragraph(CASE WHEN internal
					THEN format('Do not sign: this could not be computed: %s (SQLSTATE %s).', SQLERRM, SQLSTATE)
					ELSE 'Do not sign: this could not be computed; the owner''s internal report says why.' END, 'verdict bad');
			END IF;
		END;
		parts := parts || part;
	END LOOP;
	parts := parts || pprepub_internal.report_ending(declared.name);
	RETURN CASE format WHEN 'html' THEN pprepub_internal.html_page(format('%s of publication %s', CASE WHEN internal THEN 'Internal report' ELSE 'Report' END, publication), parts)
		ELSE json_build_object('publication', publication, 'internal', internal, 'made_at', now(), 'releases', declared.releases, 'sections', pprepub_internal.json_of(parts))::text END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.report(text, boolean, text) IS 'make the page of pprepub.report(), for the owner of the publication';

CREATE FUNCTION pprepub.report(publication text, internal boolean DEFAULT false, format text DEFAULT 'html') RETURNS text
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_report';
COMMENT ON FUNCTION pprepub.report(text, boolean, text) IS
	'make a page, to be signed or refused, of what a publication promises, how safe its releases are, and what they are good for';

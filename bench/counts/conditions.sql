-- Random conditions of two or three columns that 1, 5 and 20 % of the people of table "current" meet: around somebody's values.
-- Variable qis: how these are published.
CREATE TABLE counted (week int, publication name, is_sensitive boolean, per_cent int, n int, formula text, low float8, estimate float8, high float8, truth float8);
CREATE TABLE qi AS SELECT key AS name, split_part(value, ' ', 1) AS kind, split_part(value, ' ', 2) AS taxonomy FROM jsonb_each_text(:'qis'::jsonb);
CREATE TABLE node_leaf AS SELECT q.name, n.node, l.node AS leaf, n.leaves
	FROM qi q, LATERAL (SELECT node, pprepub.leaves(node, q.taxonomy) AS span, upper(pprepub.leaves(node, q.taxonomy)) - lower(pprepub.leaves(node, q.taxonomy)) AS leaves
		FROM pprepub.taxonomy_node t WHERE t.taxonomy = q.taxonomy) n,
		LATERAL (SELECT t.node FROM pprepub.taxonomy_node t WHERE t.taxonomy = q.taxonomy AND pprepub.leaves(t.node, q.taxonomy) <@ n.span
			AND NOT EXISTS (SELECT FROM pprepub.taxonomy_node b WHERE b.taxonomy = q.taxonomy AND b.parent = t.node)) l
	WHERE q.kind = 'taxonomy';
CREATE INDEX ON node_leaf (name, leaf);
CREATE FUNCTION lot(i int8, seed int8, upto int8) RETURNS int8 LANGUAGE sql IMMUTABLE AS $$ SELECT (hashint8extended(i, seed) & 2147483647) % upto $$;

-- A bin around the value of somebody: numbers up to 20 lower and higher, a node above, or the value.
CREATE FUNCTION bin_around(name text, kind text, value text, i int8) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT CASE kind WHEN 'range' THEN int4range(value::int - lot(i, 5, 21)::int, value::int + 1 + lot(i, 6, 21)::int)::text
		WHEN 'taxonomy' THEN (SELECT node FROM node_leaf n WHERE n.name = bin_around.name AND n.leaf = value AND n.leaves < (SELECT max(leaves) FROM node_leaf m WHERE m.name = bin_around.name)
			ORDER BY hashtextextended(node, i) LIMIT 1)
		ELSE value END $$;
-- Of each node what share of its leaves lies in another.
CREATE TABLE node_share AS SELECT a.name, a.node AS bin, b.node AS cell, count(*)::float8 / b.leaves AS share
	FROM node_leaf a JOIN node_leaf b USING (name, leaf) GROUP BY 1, 2, 3, b.leaves;
CREATE INDEX ON node_share (name, bin);
-- The condition as SQL: of the source, and whether cells lie in it, touch it, and to which share.
CREATE FUNCTION clause(form text, name text, kind text, bin text, release text DEFAULT 'published.current') RETURNS text LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN kind = 'taxonomy' AND form = 'share' THEN format('coalesce((%L::jsonb ->> %I)::float8, 0)', (SELECT jsonb_object_agg(cell, share) FROM node_share n WHERE (n.name, n.bin) = (clause.name, clause.bin)), name)
		WHEN kind = 'taxonomy' THEN format('%I = ANY (%L::text[])', name, (SELECT array_agg(cell) FROM node_share n WHERE (n.name, n.bin) = (clause.name, clause.bin) AND (form = 'touches' OR share = 1)))
		ELSE format(CASE form || ' ' || kind
			WHEN 'is range' THEN '%1$I <@ %2$L::int4range' WHEN 'lies range' THEN '%1$I <@ %2$L::int4range' WHEN 'touches range' THEN '%1$I && %2$L::int4range'
			WHEN 'share range' THEN 'coalesce(pprepub.share_in(%1$I, %2$L::int4range, (SELECT int4range(min(lower(%1$I)), max(upper(%1$I))) FROM %3$s)), 0)'
			WHEN 'touches suppress' THEN '%1$I IN (%2$L, ''*'')'
			WHEN 'share suppress' THEN 'CASE %1$I WHEN %2$L THEN 1 WHEN ''*'' THEN 1.0 / (SELECT count(DISTINCT %1$I) FROM %3$s WHERE %1$I <> ''*'') ELSE 0 END'
			ELSE CASE WHEN form = 'share' THEN '(%1$I = %2$L)::int' ELSE '%1$I = %2$L' END END, name, bin, release) END $$;

-- So many conditions of each size, all others drawn are dropped.
CREATE FUNCTION conditions(many int) RETURNS TABLE (nth int, is_sensitive boolean, per_cent int, names text[], kinds text[], bins text[], truth float8) LANGUAGE plpgsql AS $$
DECLARE
	people constant float8 := (SELECT count(*) FROM current);
	ids constant int8[] := ARRAY(SELECT id FROM current ORDER BY id);
	found int[] := array_fill(0, '{2,3}');
	size int;
BEGIN
	FOR i IN 1 .. 60 * many LOOP
		EXIT WHEN many <= ALL (found);
		is_sensitive := i % 2 = 0;
		SELECT array_agg(c.name ORDER BY c.name), array_agg(c.kind ORDER BY c.name), array_agg(bin_around(c.name, c.kind, c.value, i) ORDER BY c.name) INTO names, kinds, bins
		FROM (SELECT q.name, q.kind, w.value FROM (SELECT to_jsonb(c) AS who FROM current c WHERE id = ids[1 + lot(i, 1, cardinality(ids))]) p, qi q, LATERAL (SELECT who ->> q.name AS value) w
			ORDER BY hashtextextended(q.name, i) LIMIT 2 + i / 2 % 2 - is_sensitive::int) c;
		IF is_sensitive THEN
			SELECT names || 'secret'::text, kinds || 'value'::text, bins || secret INTO names, kinds, bins FROM current WHERE id = ids[1 + lot(i, 1, cardinality(ids))];
		END IF;
		CONTINUE WHEN array_position(bins, NULL) IS NOT NULL;
		EXECUTE 'SELECT count(*) FROM current WHERE ' || (SELECT string_agg(clause('is', names[c], kinds[c], bins[c]), ' AND ') FROM generate_subscripts(names, 1) c) INTO truth;
		size := CASE WHEN truth / people BETWEEN 0.005 AND 0.02 THEN 1 WHEN truth / people BETWEEN 0.03 AND 0.08 THEN 2 WHEN truth / people BETWEEN 0.13 AND 0.3 THEN 3 END;
		CONTINUE WHEN size IS NULL OR found[1 + is_sensitive::int][size] >= many;
		found[1 + is_sensitive::int][size] := found[1 + is_sensitive::int][size] + 1;
		nth := i;
		per_cent := ('{1,5,20}'::int[])[size];
		RETURN NEXT;
	END LOOP;
END $$;

-- ----------------------------------------------------------------
-- report/: risks of one release, as the textbooks count them
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub_internal.has_several_rows(publication text) RETURNS boolean
	LANGUAGE SQL STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT p.max_rows > 1 FROM pprepub.publication p WHERE p.name = has_several_rows.publication
$$;
COMMENT ON FUNCTION pprepub_internal.has_several_rows(text) IS 'tell whether a person may have several rows in a publication, for its owner';

-- Rows with equal cells are a class, whatever its number: readers tell rows apart by cells alone.
CREATE FUNCTION pprepub_internal.class_sizes(publication text, release int, OUT rows bigint, OUT people bigint) RETURNS SETOF record
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	made record;
	shown text;
	logged text;
	is_logged boolean;
	is_whole boolean;
BEGIN
	SELECT p.target || '_private' AS private, p.name AS publication, p.method, r.kind, r.relation, c.oid IS NOT NULL AS stands,
		(SELECT coalesce(string_agg(format('t.%I::text COLLATE "C"', q), ', '), '') FROM jsonb_object_keys(p.quasi_identifiers) q) AS cells
	INTO STRICT made
	FROM pprepub.publication p JOIN pprepub.release r ON r.publication = p.name LEFT JOIN pg_class c ON c.oid = r.relation
	WHERE p.name = class_sizes.publication AND r.number = class_sizes.release;
	IF made.kind <> 'query' AND made.relation IS NULL THEN
		RAISE EXCEPTION 'the table of release % of publication "%" was forgotten', class_sizes.release, made.publication
			USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Name a later release.';
	END IF;
	shown := CASE WHEN made.kind = 'query' THEN
			format('SELECT t.class, ARRAY[%s]::text[] AS cells, t.rows FROM %I.%I t WHERE t.release = %s',
				made.cells, made.private, made.publication || '_regions', class_sizes.release)
		WHEN made.stands THEN
			format('SELECT %s AS class, ARRAY[%s]::text[] AS cells, count(*) AS rows FROM %s t GROUP BY 1, 2',
				CASE made.method WHEN 'sequential' THEN 'NULL::bigint' ELSE 't.class' END, made.cells, made.relation) END;
	logged := format('SELECT l.class, cardinality(l.fingerprints) AS people, cardinality(l.sensitive) - cardinality(l.keys) AS invented, %s AS rows FROM %I.%I l WHERE l.release = %s',
		CASE WHEN made.kind <> 'query' AND pprepub_internal.has_several_rows(publication) THEN '(SELECT sum(cardinality(s.tuples)) FROM unnest(l.sensitive) s)' ELSE 'cardinality(l.fingerprints) + cardinality(l.sensitive) - cardinality(l.keys)' END,
		made.private, made.publication || CASE made.kind WHEN 'query' THEN '_asked' ELSE '_members' END, class_sizes.release);
	-- Rows of sequential releases are all true, and those of an import without a key are nobody's.
	is_logged := made.method <> 'sequential';
	IF is_logged AND made.kind = 'imported' THEN
		EXECUTE format('SELECT EXISTS (%s)', logged) INTO is_logged;
	END IF;
	FOR rows, people, is_whole IN EXECUTE CASE
		WHEN shown IS NULL THEN 'SELECT 0, 0, false'
		WHEN NOT is_logged THEN format('SELECT sum(s.rows), sum(s.rows), true FROM (%s) s GROUP BY s.cells', shown)
		-- Observers who are told how many rows are invented do not count them.
		-- Of people with several rows they know how many a class has, and count these.
		ELSE format('SELECT sum(s.rows - l.rows + l.people + l.invented) - %s * sum(l.invented), sum(l.people), bool_and(s.rows IS NOT DISTINCT FROM l.rows)
				FROM (%s) s FULL JOIN (%s) l USING (class) GROUP BY s.cells',
			(to_regclass(format('%I.%I', made.private, made.publication || '_counterfeits')) IS NOT NULL)::int, shown, logged) END
	LOOP
		IF NOT is_whole THEN
			RAISE EXCEPTION 'release % of publication "%" is not as it was published', class_sizes.release, made.publication
				USING ERRCODE = 'data_corrupted', HINT = 'pprepub.audit() says what has changed. Restore the publication''s tables from a backup.';
		END IF;
		RETURN NEXT;
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.class_sizes(text, int) IS
	'count the rows that observers count, and the people, of each class of a release, for its owner';

CREATE FUNCTION pprepub_internal.risks(publication text, release int, threshold float8, OUT measure text, OUT value float8, OUT meaning text) RETURNS SETOF record
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	threshold := coalesce(threshold, 0.2);
	IF threshold <= 0 OR threshold > 1 THEN
		RAISE EXCEPTION '"threshold" must be greater than 0, and 1 at most'
			USING ERRCODE = 'invalid_parameter_value', HINT = 'A threshold of 0.2 counts people who are hidden among fewer than 5.';
	END IF;
	RETURN QUERY
		WITH class AS (
			SELECT c.rows::float8, c.people::float8 FROM pprepub_internal.class_sizes(risks.publication, risks.release) c WHERE c.rows > 0),
		total AS (
			SELECT coalesce(sum(c.rows), 0) AS rows, coalesce(sum(c.people), 0) AS people, count(*)::float8 AS classes,
				min(c.rows) AS smallest, percentile_cont(0.5) WITHIN GROUP (ORDER BY c.rows) AS median, max(c.rows) AS largest,
				coalesce(sum(c.people) FILTER (WHERE c.rows = 1), 0) AS alone, sum(c.rows * (c.rows - 1)) AS alike,
				max(1 / c.rows) FILTER (WHERE c.people > 0) AS highest, max(1 / nullif(c.people, 0)) AS uninvented, sum(c.people / c.rows) AS found,
				sum(CASE WHEN 1 / c.rows > threshold * (1 + 1e-12) THEN c.people ELSE 0 END) AS above
			FROM class c)
		SELECT m.* FROM total t CROSS JOIN LATERAL (VALUES
			('rows', t.rows, CASE WHEN pprepub_internal.has_several_rows(publication) THEN 'people whom observers count' ELSE 'rows that observers take for people' END),
			('people', t.people, 'people among them; the others are invented'),
			('classes', t.classes, 'different combinations of cells'),
			('class_smallest', t.smallest, 'rows of the smallest class'),
			('class_median', t.median, 'rows of the middle class by size'),
			('class_largest', t.largest, 'rows of the largest class'),
			('people_alone', t.alone, 'people in a class of one row'),
			('separation', 1 - t.alike / nullif(t.rows * (t.rows - 1), 0), 'share of pairs of rows with different cells'),
			('distinction', t.classes / nullif(t.rows, 0), 'different combinations of cells per row'),
			('prosecutor_highest', t.highest, 'chance of being found by somebody who knows that the person is in it'),
			('prosecutor_average', t.found / nullif(t.people, 0), 'the average over people'),
			('prosecutor_above', t.above, 'people above the threshold'),
			('prosecutor_share_above', t.above / nullif(t.people, 0), 'their share'),
			('prosecutor_highest_uninvented', t.uninvented, 'the highest for somebody who can tell invented rows'),
			('marketer', t.found / nullif(t.people, 0), 'share of people rightly linked by somebody who links everybody'),
			('marketer_people', t.found, 'their number')) m (measure, value, meaning);
END
$$;
COMMENT ON FUNCTION pprepub_internal.risks(text, int, float8) IS 'rows of pprepub.risks(), for the owner of the publication';

CREATE FUNCTION pprepub.risks(publication text, release int, threshold float8 DEFAULT 0.2, OUT measure text, OUT value float8, OUT meaning text)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_release_figures';
COMMENT ON FUNCTION pprepub.risks(text, int, float8) IS
	'compute textbook risks of one release by itself: prosecutor and marketer risk, and people who are alone';

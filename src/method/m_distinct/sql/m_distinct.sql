-- ----------------------------------------------------------------
-- method/m_distinct/: what values can have become
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.risk_after_updates(publication text, updates regclass DEFAULT NULL, OUT key text, OUT release int,
		OUT candidates int, OUT risk float8) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_risk_after_updates';
COMMENT ON FUNCTION pprepub.risk_after_updates(text, regclass) IS
	'compute what observers conclude about each person in each release, if they know what sensitive values can become';

CREATE FUNCTION pprepub_internal.wrong_updates(copy regclass) RETURNS text[]
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	subject CONSTANT text := 'the table that "updates" names';
	n record;
	wrong record;
BEGIN
	EXECUTE format('SELECT count(*) AS rows, count(probability) AS probabilities, count(*) FILTER (WHERE from_value IS NULL OR to_value IS NULL) AS incomplete FROM %s', copy)
		INTO n;
	-- NaN is above all numbers
	EXECUTE format($q$SELECT format('from "%%s" to "%%s"', from_value, to_value) AS update, count(*) AS rows, min(probability) AS probability FROM %s
		GROUP BY from_value, to_value HAVING count(*) > 1 OR NOT (min(probability) > 0 AND min(probability) <= 1) ORDER BY 2 DESC, from_value::text COLLATE "C", to_value::text COLLATE "C" LIMIT 1$q$, copy)
		INTO wrong;
	IF n.incomplete > 0 OR n.rows = 0 OR n.probabilities NOT IN (0, n.rows) OR wrong.rows > 0 THEN
		RETURN CASE
			WHEN n.incomplete > 0 THEN ARRAY['22004', format('%s has %s row(s) without a value', subject, n.incomplete), NULL, 'Each row says from which value to which one.']
			WHEN n.rows = 0 THEN ARRAY['22023', format('%s is empty', subject), NULL,
				'Each row says from which value to which one; a value that never changes has a row to itself.']
			WHEN n.probabilities NOT IN (0, n.rows) THEN ARRAY['22023', format('%s has %s row(s) without a probability', subject, n.rows - n.probabilities), NULL,
				'Either all rows have one, or none has.']
			WHEN wrong.rows > 1 THEN ARRAY['22023', format('%s repeats the update %s', subject, wrong.update)]
			ELSE ARRAY['22023', format('the update %s has probability %s', wrong.update, wrong.probability), NULL,
				'Probabilities are greater than 0, and 1 at most; leave out what is impossible.'] END;
	END IF;
	EXECUTE format('SELECT from_value AS value, sum(probability) AS sum FROM %s GROUP BY 1 HAVING NOT abs(sum(probability) - 1) <= 1e-6 ORDER BY from_value::text COLLATE "C" LIMIT 1', copy)
		INTO wrong;
	RETURN CASE WHEN wrong.sum IS NOT NULL
		THEN ARRAY['22023', format('the probabilities of the updates from "%s" sum to %s instead of 1', wrong.value, trim_scale(round(wrong.sum::numeric, 6)))] END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.wrong_updates(regclass) IS 'why rows are no updates of values';

-- ----------------------------------------------------------------
-- report/: what goes with a release that leaves the database
-- ----------------------------------------------------------------

-- A sum of hashes can be computed anew wherever the rows are, without the extension, and whether columns were added to them since or not.
CREATE FUNCTION pprepub_internal.manifest(publication text, release int, format text) RETURNS jsonb
	LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	declared pprepub.publication;
	made pprepub.release;
	shown text;
	sealed pprepub_internal.shown_checksum;
	hashes text;
	sum_of_hashes numeric;
	columns jsonb;
	checks jsonb;
	told jsonb;
BEGIN
	SELECT * INTO STRICT declared FROM pprepub.publication p WHERE p.name = manifest.publication;
	SELECT r.* INTO STRICT made FROM pprepub.release r WHERE r.publication = declared.name AND r.number = manifest.release;
	shown := (SELECT made.relation::text FROM pg_class c WHERE c.oid = made.relation);
	IF shown IS NULL OR coalesce(format, '') NOT IN ('json', 'dcat') THEN
		RAISE EXCEPTION USING ERRCODE = CASE WHEN shown IS NULL THEN 'undefined_table' ELSE 'invalid_parameter_value' END,
			MESSAGE = CASE WHEN shown IS NULL THEN format('release %s of publication "%s" has no table', made.number, declared.name)
				ELSE format('"%s" is no format of manifests', format) END,
			HINT = CASE WHEN shown IS NOT NULL THEN 'Formats are "json" and "dcat".' WHEN made.kind = 'query' THEN 'Answers have none; only releases with a table are moved elsewhere.'
				WHEN made.relation IS NULL THEN 'Its owner has had the table forgotten.' ELSE 'The table is missing: restore it from a backup.' END;
	END IF;
	SELECT c.* INTO sealed FROM pprepub_internal.shown_checksum c WHERE c.publication = declared.name AND c.number = made.number;
	hashes := format('SELECT sum(hashtextextended(%s::text, 0)::numeric) FROM %s r', CASE WHEN sealed.later_columns = '{}' THEN '(r.*)'
		ELSE (SELECT format('ROW(%s)', string_agg(format('r.%I', a.attname), ', ' ORDER BY a.attnum)) FROM pg_attribute a
			WHERE a.attrelid = made.relation AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (sealed.later_columns)) END, shown);
	EXECUTE hashes INTO sum_of_hashes;
	SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'role', c.role, 'kind', declared.quasi_identifiers ->> a.attname::text,
			'is_shown', (made.columns IS NULL OR c.role IS NULL OR a.attname = ANY (made.columns)) AND a.attname <> ALL (sealed.later_columns), 'meaning', col_description(a.attrelid, a.attnum))) ORDER BY a.attnum) INTO columns
	FROM pg_attribute a CROSS JOIN LATERAL (SELECT CASE WHEN declared.quasi_identifiers ? a.attname::text THEN 'quasi-identifier'
			WHEN a.attname = ANY (declared.insensitive) THEN 'insensitive'
			WHEN a.attname = ANY (CASE WHEN declared.sensitive LIKE '{%' THEN declared.sensitive::name[] ELSE ARRAY[declared.sensitive]::name[] END) THEN 'sensitive' END AS role) c
	WHERE a.attrelid = made.relation AND a.attnum > 0 AND NOT a.attisdropped;
	SELECT jsonb_agg(jsonb_build_object('check', a.check_name, 'holds', a.holds, 'required', a.required, 'measured', a.measured) ORDER BY a.ordinality) INTO checks
	FROM pprepub.audit(declared.name) WITH ORDINALITY a;
	told := jsonb_build_object('manifest', 1, 'publication', declared.name, 'release', made.number, 'table', shown, 'published_at', made.published_at,
		'cohort', made.cohort, 'method', made.method, 'parameters', made.params - 'seed', 'promise', pprepub_internal.promise(declared.name), 'columns', columns,
		'rows', made.rows, 'people', made.people, 'classes', made.classes,
		'measured', (SELECT jsonb_object_agg(m.metric, round(m.value::numeric, 2)) FROM pprepub.metrics(declared.name, made.number) m WHERE m.metric ~ 'percent|^average_class'),
		'verdict', CASE WHEN checks @> '[{"holds": false}]' THEN 'fails' ELSE 'holds' END, 'audit', checks, 'audited_at', now(),
		'checksums', jsonb_build_object('checksum', sealed.checksum, 'sum_of_hashes', sum_of_hashes, 'computed_by', hashes),
		'not_promised', pprepub_internal.not_promised(), 'pprepub', (SELECT e.extversion FROM pg_extension e WHERE e.extname = 'pprepub'));
	RETURN CASE format WHEN 'json' THEN told ELSE jsonb_build_object(
		'@context', '{"dcat": "http://www.w3.org/ns/dcat#", "dct": "http://purl.org/dc/terms/", "csvw": "http://www.w3.org/ns/csvw#", "xsd": "http://www.w3.org/2001/XMLSchema#", "prov": "http://www.w3.org/ns/prov#"}'::jsonb,
		'@type', 'dcat:Dataset', 'dct:identifier', shown, 'dct:title', format('Release %s of %s', made.number, declared.name),
		'dct:description', format('Anonymized rows. Promised: %s. The audit of all that was published %s.', told ->> 'promise', told ->> 'verdict'),
		'dct:issued', jsonb_build_object('@type', 'xsd:dateTime', '@value', made.published_at), 'dcat:version', made.number::text,
		'prov:wasGeneratedBy', jsonb_build_object('@type', 'prov:Activity', 'dct:title', format('pprepub %s, method %s', told ->> 'pprepub', made.method)),
		'dct:rights', (SELECT string_agg(n, ' ') FROM unnest(pprepub_internal.not_promised()) n),
		'dcat:distribution', jsonb_build_array(jsonb_build_object('@type', 'dcat:Distribution', 'dct:title', shown, 'dct:format', 'PostgreSQL table',
			'csvw:tableSchema', jsonb_build_object('csvw:column', (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('csvw:name', c.c -> 'name', 'csvw:datatype', c.c -> 'type', 'dct:description', c.c -> 'meaning')) ORDER BY c.n)
				FROM jsonb_array_elements(columns) WITH ORDINALITY c (c, n)))))) END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.manifest(text, int, text) IS 'make what pprepub.manifest() returns, for the owner of the publication';

CREATE FUNCTION pprepub.manifest(publication text, release int, format text DEFAULT 'json') RETURNS jsonb
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_manifest';
COMMENT ON FUNCTION pprepub.manifest(text, int, text) IS
	'describe a release, as JSON, for those who get it elsewhere';

-- ----------------------------------------------------------------
-- check/: checking what is out
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.audit(publication text, principle jsonb DEFAULT NULL, OUT check_name text, OUT required text, OUT measured text,
		OUT holds boolean, OUT worst jsonb, OUT required_value float8, OUT measured_value float8, OUT failing_classes bigint, OUT failing_people bigint)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_audit';
COMMENT ON FUNCTION pprepub.audit(text, jsonb) IS
	'check all that can be checked of releases and history, failures first';

CREATE FUNCTION pprepub.assert_safe(publication text, principle jsonb DEFAULT NULL) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_assert_safe';
COMMENT ON FUNCTION pprepub.assert_safe(text, jsonb) IS
	'raise an error if a check of audit() fails, or if there is no release yet';

-- ----------------------------------------------------------------
-- method/m_distinct/: what values can have become
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.risk_after_updates(publication text, updates regclass DEFAULT NULL, OUT key text, OUT release int,
		OUT candidates int, OUT risk float8) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_risk_after_updates';
COMMENT ON FUNCTION pprepub.risk_after_updates(text, regclass) IS
	'compute what observers conclude about each person in each release, if they know what sensitive values can become';

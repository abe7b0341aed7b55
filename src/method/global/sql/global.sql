-- ----------------------------------------------------------------
-- method/global/: how likely people were ever linked
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.breach_probability(publication text, OUT key text, OUT sensitive text, OUT releases int,
		OUT probability float8) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_breach_probability';
COMMENT ON FUNCTION pprepub.breach_probability(text) IS
	'compute how likely an observer of all releases thinks it that each person was ever linked to each protected value';

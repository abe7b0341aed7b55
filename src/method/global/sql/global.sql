-- ----------------------------------------------------------------
-- method/global/: how likely people were ever linked
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.breach_probability(publication text, OUT key text, OUT sensitive text, OUT releases int,
		OUT probability float8) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_breach_probability';
COMMENT ON FUNCTION pprepub.breach_probability(text) IS
	'compute how likely an observer of all releases thinks it that each person was ever linked to each protected value';

CREATE FUNCTION pprepub.plan_global(l int, releases int DEFAULT NULL, alpha float8 DEFAULT NULL, OUT round int, OUT strategy text,
		OUT ratio float8, OUT breach float8) RETURNS SETOF record
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_plan_global';
COMMENT ON FUNCTION pprepub.plan_global(int, int, float8) IS
	'show the class sizes that method global needs, round by round, and the probability of a breach by then';

-- ----------------------------------------------------------------
-- method/global/: how likely people were ever linked
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.plan_global(l int, releases int DEFAULT NULL, alpha float8 DEFAULT NULL, OUT round int, OUT strategy text,
		OUT ratio float8, OUT breach float8) RETURNS SETOF record
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_plan_global';
COMMENT ON FUNCTION pprepub.plan_global(int, int, float8) IS
	'show the class sizes that method global needs, round by round, and the probability of a breach by then';

-- ----------------------------------------------------------------
-- method/global/: how likely people were ever linked
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.breach_probability(publication text, OUT key text, OUT sensitive text, OUT releases int,
		OUT probability float8) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_breach_probability';
COMMENT ON FUNCTION pprepub.breach_probability(text) IS
	'how likely an observer of all releases holds it that each person was ever linked to each sensitive value, and by how many releases; of the values that are protected, where a publication protects some only';

CREATE FUNCTION pprepub.plan_global(l int, releases int DEFAULT NULL, alpha float8 DEFAULT NULL, OUT round int, OUT strategy text,
		OUT ratio float8, OUT breach float8) RETURNS SETOF record
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_plan_global';
COMMENT ON FUNCTION pprepub.plan_global(int, int, float8) IS
	'how many times larger than a value is frequent in it a class of method global is, for who is linked to the value for the first time, the second, and so on, and how likely he was ever linked by then; under each strategy, for as many rounds as releases (20), and for alpha (2)';

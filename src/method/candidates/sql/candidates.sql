-- ----------------------------------------------------------------
-- method/candidates/: estimates for method cor-split
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.estimate_exclusion_by_knowledge(p float8, lifespan int) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_estimate_exclusion_by_knowledge';
COMMENT ON FUNCTION pprepub.estimate_exclusion_by_knowledge(float8, int) IS
	'an estimate: how likely it is that a candidate value of somebody who is published lifespan times is excluded because it is known to be another''s, if each person''s value is known with probability p';

CREATE FUNCTION pprepub.estimate_exclusion_by_correlation(p float8, lifespan int, m int, n int) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_estimate_exclusion_by_correlation';
COMMENT ON FUNCTION pprepub.estimate_exclusion_by_correlation(float8, int, int, int) IS
	'an estimate: how likely it is that a candidate value is excluded by historical correlations of n people, in classes of m values';

CREATE FUNCTION pprepub.estimate_breach(p float8, lifespan int, m int, n int) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_estimate_breach';
COMMENT ON FUNCTION pprepub.estimate_breach(float8, int, int, int) IS
	'an estimate, not a bound: how likely it is that all candidate values but one are excluded';

CREATE FUNCTION pprepub.estimate_n(p float8, lifespan int, m int, threshold float8) RETURNS int
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_estimate_n';
COMMENT ON FUNCTION pprepub.estimate_n(float8, int, int, float8) IS
	'the smallest n with which method cor-split keeps estimate_breach() below the threshold, or NULL if there is none';

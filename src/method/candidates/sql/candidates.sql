-- ----------------------------------------------------------------
-- method/candidates/: estimates for method cor-split
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.estimate_exclusion_by_knowledge(p float8, lifespan int) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_estimate_exclusion_by_knowledge';
COMMENT ON FUNCTION pprepub.estimate_exclusion_by_knowledge(float8, int) IS
	'estimate how likely a candidate value is excluded by an observer who knows some people''s values';

CREATE FUNCTION pprepub.estimate_exclusion_by_correlation(p float8, lifespan int, m int, n int) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_estimate_exclusion_by_correlation';
COMMENT ON FUNCTION pprepub.estimate_exclusion_by_correlation(float8, int, int, int) IS
	'estimate how likely a candidate value is excluded by historical correlations';

CREATE FUNCTION pprepub.estimate_breach(p float8, lifespan int, m int, n int) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_estimate_breach';
COMMENT ON FUNCTION pprepub.estimate_breach(float8, int, int, int) IS
	'estimate how likely all candidate values of a person but one are excluded; this is no upper bound';

CREATE FUNCTION pprepub.estimate_n(p float8, lifespan int, m int, threshold float8) RETURNS int
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_estimate_n';
COMMENT ON FUNCTION pprepub.estimate_n(float8, int, int, float8) IS
	'find the smallest n for which estimate_breach() stays below a threshold; NULL if there is none';

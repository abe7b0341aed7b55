-- ----------------------------------------------------------------
-- method/candidates/: estimates for method cor-split
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.p_ct(p float8, lifespan int) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_p_ct';
COMMENT ON FUNCTION pprepub.p_ct(float8, int) IS
	'an estimate: how likely it is that a candidate value of somebody who is published lifespan times is excluded because it is known to be another''s, if each person''s value is known with probability p';

CREATE FUNCTION pprepub.p_hc(p float8, lifespan int, m int, n int) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_p_hc';
COMMENT ON FUNCTION pprepub.p_hc(float8, int, int, int) IS
	'an estimate: how likely it is that a candidate value is excluded by historical correlations of n people, in classes of m values';

CREATE FUNCTION pprepub.p_pb(p float8, lifespan int, m int, n int) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_p_pb';
COMMENT ON FUNCTION pprepub.p_pb(float8, int, int, int) IS
	'an estimate, not a bound: how likely it is that all candidate values but one are excluded';

CREATE FUNCTION pprepub.n_choose(p float8, lifespan int, m int, threshold float8) RETURNS int
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_n_choose';
COMMENT ON FUNCTION pprepub.n_choose(float8, int, int, float8) IS
	'the smallest n with which method cor-split keeps p_pb() below the threshold, or NULL if there is none';

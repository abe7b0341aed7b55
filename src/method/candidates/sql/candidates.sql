-- ----------------------------------------------------------------
-- serve/: what correlated classes and known people tell of others
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.historical_correlations(publication text, most int DEFAULT NULL, OUT release_a int, OUT class_a bigint,
		OUT release_b int, OUT class_b bigint, OUT unmatched int) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_historical_correlations';
COMMENT ON FUNCTION pprepub.historical_correlations(text, int) IS
	'classes of two releases that show the same values and have people in common, but not all: how many of each are not in the other, and have the same values as these; most says how many these may be';

CREATE FUNCTION pprepub.compromise(publication text, keys text[], OUT key text, OUT candidates text[], OUT exact boolean) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_compromise';
COMMENT ON FUNCTION pprepub.compromise(text, text[]) IS
	'what an observer of all releases who knows these people''s sensitive values deduces about others: the values that are left for each of whom he excludes any; what is excluded is in no world that agrees with the releases; exact is false where pprepub.search_budget was used up before it was known that each value left is in one';

CREATE FUNCTION pprepub.compromise_components(publication text, keys text[], OUT component bigint, OUT key text,
		OUT people bigint, OUT exact boolean) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_compromise_components';
COMMENT ON FUNCTION pprepub.compromise_components(text, text[]) IS
	'people whose values stay open to such an observer hang together if they were in a class: who with whom, how many these are, invented rows among them, and whether it is known that each value left is in a world that agrees with the releases, so that no more can be excluded';

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

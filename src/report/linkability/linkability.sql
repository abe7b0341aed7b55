-- ----------------------------------------------------------------
-- report/linkability/: joining releases back to people
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.linkability(publication text, releases int[] DEFAULT NULL, join_kind text DEFAULT 'kmj',
		OUT join_kind text, OUT releases int, OUT nodes bigint, OUT edges bigint, OUT matches bigint, OUT cliques numeric,
		OUT tuples bigint, OUT linkability int, OUT diversity float8, OUT unknown bigint, OUT people_at bigint[])
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_linkability';
COMMENT ON FUNCTION pprepub.linkability(text, int[], text) IS
	'how well releases can be joined back to people, by a match join of kind mj, kmj, fmj, mj_unifying or kmj_unifying: the fewest sensitive values that anybody''s quasi-identifiers are linked to, and the inverse of the greatest relative frequency of one; unknown are people whose value no release tells, who are left out of that, and people_at are how many people are linked to 1, 2, … values, the tenth to 10 or more; invented rows are left out';

CREATE FUNCTION pprepub.linkability_series(publication text, join_kind text DEFAULT 'kmj',
		OUT release int, OUT linkability int, OUT diversity float8, OUT unknown bigint, OUT people_at bigint[]) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_linkability_series';
COMMENT ON FUNCTION pprepub.linkability_series(text, text) IS
	'what linkability() says of all releases up to each: what every further one has given away';

CREATE FUNCTION pprepub.link_profile(publication text, releases int[] DEFAULT NULL, join_kind text DEFAULT 'kmj',
		OUT tuple jsonb, OUT records bigint, OUT linkability int, OUT diversity float8, OUT sensitive jsonb) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_link_profile';
COMMENT ON FUNCTION pprepub.link_profile(text, int[], text) IS
	'what a match join of releases tells of each combination of quasi-identifiers that people of theirs have now: how many they are, and the sensitive values that they are linked to, with their relative frequencies; by column, if there are several';

CREATE FUNCTION pprepub.link_posterior(publication text, releases int[] DEFAULT NULL,
		OUT tuple jsonb, OUT records bigint, OUT probability float8, OUT sensitive jsonb) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_link_posterior';
COMMENT ON FUNCTION pprepub.link_posterior(text, int[]) IS
	'how likely sensitive values of people are to whoever knows the quasi-identifiers of all of them, if every way to join releases and people without contradiction is as likely as any other; exact, for components that are counted within pprepub.search_budget; by column, if there are several sensitive ones';

-- ----------------------------------------------------------------
-- report/linkability/: joining releases back to people
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.linkability(publication text, releases int[] DEFAULT NULL, join_kind text DEFAULT 'kmj',
		OUT join_kind text, OUT releases int, OUT nodes bigint, OUT edges bigint, OUT matches bigint, OUT cliques numeric,
		OUT tuples bigint, OUT linkability int, OUT diversity float8, OUT unknown bigint, OUT people_at bigint[])
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_linkability';
COMMENT ON FUNCTION pprepub.linkability(text, int[], text) IS 'measure how well releases can be joined back to people';

CREATE FUNCTION pprepub.link_profile(publication text, releases int[] DEFAULT NULL, join_kind text DEFAULT 'kmj',
		OUT tuple jsonb, OUT records bigint, OUT linkability int, OUT diversity float8, OUT sensitive jsonb) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_link_profile';
COMMENT ON FUNCTION pprepub.link_profile(text, int[], text) IS
	'list the sensitive values that joined releases link to each combination of quasi-identifiers';

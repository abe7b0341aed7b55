-- ----------------------------------------------------------------
-- report/: what releases tell
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.metrics(publication text, release int, OUT metric text, OUT value float8)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_metrics';
COMMENT ON FUNCTION pprepub.metrics(text, int) IS
	'show how much a release lost and how much it still says, as measured when it was made';

CREATE FUNCTION pprepub.attack(publication text, principle jsonb DEFAULT NULL, OUT release int, OUT kind text, OUT other_release int,
		OUT records bigint, OUT sensitive_values bigint, OUT holds boolean) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_attack';
COMMENT ON FUNCTION pprepub.attack(text, jsonb) IS
	'find the smallest and least diverse sets of people that all releases reveal together, and judge them';

CREATE FUNCTION pprepub.signatures(publication text, OUT key text, OUT signature varbit)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_signatures';
COMMENT ON FUNCTION pprepub.signatures(text) IS 'list in which releases each person was, one bit for each release';

CREATE FUNCTION pprepub.neighborhoods(publication text, OUT neighborhood bigint, OUT signature varbit, OUT region jsonb,
		OUT records bigint, OUT sensitive_values bigint) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_neighborhoods';
COMMENT ON FUNCTION pprepub.neighborhoods(text) IS
	'list the sets of people whom no observer can separate using all releases';

CREATE FUNCTION pprepub.historical_correlations(publication text, most int DEFAULT NULL, OUT release_a int, OUT class_a bigint,
		OUT release_b int, OUT class_b bigint, OUT unmatched int) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_historical_correlations';
COMMENT ON FUNCTION pprepub.historical_correlations(text, int) IS
	'list pairs of classes of two releases that show the same values and share some people, but not all';

CREATE FUNCTION pprepub.compromise(publication text, keys text[], OUT key text, OUT candidates text[],
		OUT without_keys text[], OUT exact boolean, OUT sensitive text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_compromise';
COMMENT ON FUNCTION pprepub.compromise(text, text[]) IS
	'list what values remain to people for an observer of all releases, with and without knowing the values of these people';

CREATE FUNCTION pprepub_internal.running(OUT pid int, OUT publication name, OUT command text, OUT phase text, OUT done bigint, OUT total bigint,
		OUT since timestamptz, OUT phase_since timestamptz) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'pprepub_running';
COMMENT ON FUNCTION pprepub_internal.running() IS 'rows of view pprepub.progress';

CREATE VIEW pprepub.progress WITH (security_barrier) AS
	SELECT pid, publication, command, phase, done, total, since, phase_since
	FROM pprepub_internal.running();
COMMENT ON VIEW pprepub.progress IS 'long commands that run on your publications in any session, and how far they are';

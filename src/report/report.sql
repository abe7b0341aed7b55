-- ----------------------------------------------------------------
-- report/: what releases tell
-- ----------------------------------------------------------------

-- The first statement loads the library, without which no session knows its settings.
CREATE FUNCTION pprepub.settings(OUT name text, OUT setting text, OUT unit text, OUT context text, OUT source text, OUT description text)
	RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL RESTRICTED
	AS $$
		SELECT pprepub.is_withheld('*'::pg_catalog.text);
		SELECT s.name, s.setting, s.unit, s.context, s.source, s.short_desc FROM pg_catalog.pg_settings s
		WHERE pg_catalog.starts_with(s.name, 'pprepub.') ORDER BY s.name;
	$$;
COMMENT ON FUNCTION pprepub.settings() IS
	'the settings of pprepub as they are in this session, which knows them from then on';

CREATE FUNCTION pprepub.metrics(publication text, release int, OUT metric text, OUT value float8)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_metrics';
COMMENT ON FUNCTION pprepub.metrics(text, int) IS
	'how much a release lost and how much it still says, as measured when it was made';

CREATE FUNCTION pprepub.release_intact(publication text, release int) RETURNS boolean
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_release_intact';
COMMENT ON FUNCTION pprepub.release_intact(text, int) IS
	'does a release still have the rows that it was published with, or, if it was an answer, does what is kept of it still say what it said?';

CREATE FUNCTION pprepub.attack(publication text, principle jsonb DEFAULT NULL, OUT release int, OUT kind text, OUT other_release int,
		OUT records bigint, OUT sensitive_values bigint, OUT holds boolean) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_attack';
COMMENT ON FUNCTION pprepub.attack(text, jsonb) IS
	'what all releases reveal together: of the intersections and the differences of each two, and of all (atoms), how many people and different sensitive values there are at least, and whether all of them satisfy what was promised, or the principle that is given; what does not hold first';

CREATE FUNCTION pprepub.attack_summary(publication text, principle jsonb DEFAULT NULL, OUT kind text, OUT sets bigint, OUT failing bigint,
		OUT records bigint, OUT sensitive_values bigint, OUT holds boolean) RETURNS SETOF record
	LANGUAGE SQL VOLATILE PARALLEL UNSAFE
	BEGIN ATOMIC
		SELECT a.kind, count(*), count(*) FILTER (WHERE NOT a.holds), min(a.records), min(a.sensitive_values), bool_and(a.holds)
		FROM pprepub.attack(attack_summary.publication, attack_summary.principle) a GROUP BY a.kind ORDER BY bool_and(a.holds), a.kind DESC;
	END;
COMMENT ON FUNCTION pprepub.attack_summary(text, jsonb) IS
	'attack() in a row for each kind: how many rows it has, how many of them do not hold, the fewest people and the fewest sensitive values of any';

CREATE FUNCTION pprepub.signatures(publication text, OUT key text, OUT signature varbit)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_signatures';
COMMENT ON FUNCTION pprepub.signatures(text) IS
	'in which releases each person was, a bit for each; an invented row that stands for somebody counts as that person';

CREATE FUNCTION pprepub.neighborhoods(publication text, OUT neighborhood bigint, OUT signature varbit, OUT region jsonb,
		OUT records bigint, OUT sensitive_values bigint) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_neighborhoods';
COMMENT ON FUNCTION pprepub.neighborhoods(text) IS
	'the sets of people whom nobody can separate: in which releases they were, the cells that they are known to lie in, how many they are, invented rows included, and the fewest sensitive values that a release showed of them, of the column with the fewest, and in bands where these are judged';

CREATE FUNCTION pprepub.historical_correlations(publication text, most int DEFAULT NULL, OUT release_a int, OUT class_a bigint,
		OUT release_b int, OUT class_b bigint, OUT unmatched int) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_historical_correlations';
COMMENT ON FUNCTION pprepub.historical_correlations(text, int) IS
	'classes of two releases that show the same values and have people in common, but not all: how many of each are not in the other, and have the same values as these; most says how many these may be';

CREATE FUNCTION pprepub.compromise(publication text, keys text[], OUT key text, OUT candidates text[], OUT exact boolean,
		OUT sensitive text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_compromise';
COMMENT ON FUNCTION pprepub.compromise(text, text[]) IS
	'what an observer of all releases who knows these people''s sensitive values deduces about others: the values that are left for each of whom he excludes any; what is excluded is in no world that agrees with the releases; exact is false where pprepub.search_budget was used up before it was known that each value left is in one; a row for each sensitive column of theirs';

CREATE FUNCTION pprepub.compromise_components(publication text, keys text[], OUT component bigint, OUT key text,
		OUT people bigint, OUT exact boolean) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_compromise_components';
COMMENT ON FUNCTION pprepub.compromise_components(text, text[]) IS
	'people whose values stay open to such an observer hang together if they were in a class: who with whom, how many these are, invented rows among them, and whether it is known that each value left is in a world that agrees with the releases, so that no more can be excluded';

CREATE FUNCTION pprepub_internal.running(OUT pid int, OUT publication name, OUT command text, OUT phase text, OUT done bigint, OUT total bigint,
		OUT since timestamptz, OUT phase_since timestamptz) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'pprepub_running';
COMMENT ON FUNCTION pprepub_internal.running() IS 'what view pprepub.progress shows';

CREATE VIEW pprepub.progress WITH (security_barrier) AS
	SELECT pid, publication, command, phase, done, total, since, phase_since
	FROM pprepub_internal.running();
COMMENT ON VIEW pprepub.progress IS
	'where publish(), preview(), audit(), attack(), linkability(), compromise() and import_release() are that run on the publications that you own, in any session: how much of the phase is done, and of how much (NULL: not known)';

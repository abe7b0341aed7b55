-- ----------------------------------------------------------------
-- serve/: releases
-- ----------------------------------------------------------------

CREATE VIEW pprepub.release WITH (security_barrier) AS
	SELECT p.name AS publication, r.number, r.kind, r.published_at, r.published_by, r.method, r.params,
		r.relation, r.cohort, r.columns, r.rows, r.classes, r.suppressed, r.dirty, r.counterfeits, r.seconds
	FROM pprepub.catalog_release r JOIN pprepub.catalog_publication p USING (publication)
	WHERE pg_catalog.pg_has_role(p.owner, 'USAGE');
COMMENT ON VIEW pprepub.release IS 'every release of the publications that you own';

CREATE FUNCTION pprepub.publish(publication text, cohort text DEFAULT NULL, columns name[] DEFAULT NULL)
	RETURNS pprepub.release
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_publish';
COMMENT ON FUNCTION pprepub.publish(text, text, name[]) IS
	'makes a stored release of a publication, about everybody or a cohort, safe together with all that was published before, in the transaction that calls it';

CREATE FUNCTION pprepub.import_release(publication text, source regclass, key name DEFAULT NULL, accept_changes boolean DEFAULT false)
	RETURNS pprepub.release
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_import_release';
COMMENT ON FUNCTION pprepub.import_release(text, regclass, name, boolean) IS
	'adopts a table that was published earlier or elsewhere: its columns are matched by name, those that it lacks are withheld; key names its column that tells whose the rows are; accept_changes says that people may have changed since';

CREATE FUNCTION pprepub.preview(publication text, cohort text DEFAULT NULL, columns name[] DEFAULT NULL,
		OUT metric text, OUT value float8) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_preview';
COMMENT ON FUNCTION pprepub.preview(text, text, name[]) IS
	'what publish() would give: its metrics, and where time and memory go; nothing is published or remembered';

CREATE FUNCTION pprepub.answer(publication text, cohort text, columns name[]) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_answer';
COMMENT ON FUNCTION pprepub.answer(text, text, name[]) IS
	'answers for the functions that stand beside releases, which run as the publication''s owner: in a transaction of its own, remembered before the first row is given out';

CREATE VIEW pprepub.failed_answer WITH (security_barrier) AS
	SELECT p.name AS publication, f.release, f.failed_at, f.sqlstate, pg_catalog.rtrim(f.message) AS message
	FROM pprepub.catalog_failure f JOIN pprepub.catalog_publication p USING (publication)
	WHERE f.sqlstate <> '00000' AND pg_catalog.pg_has_role(p.owner, 'USAGE');
COMMENT ON VIEW pprepub.failed_answer IS
	'errors of your sources while answers were made: whoever asked saw an empty answer';

CREATE FUNCTION pprepub.metrics(publication text, release int, OUT metric text, OUT value float8)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_metrics';
COMMENT ON FUNCTION pprepub.metrics(text, int) IS
	'how much a release lost and how much it still says, as measured when it was made';

CREATE FUNCTION pprepub.release_intact(publication text, release int) RETURNS boolean
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_release_intact';
COMMENT ON FUNCTION pprepub.release_intact(text, int) IS
	'does a release still have the rows that it was published with, or, if it was an answer, does what is kept of it still say what it said?';

CREATE FUNCTION pprepub.audit(publication text, OUT check_name text, OUT required text, OUT measured text,
		OUT holds boolean, OUT worst jsonb) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_audit';
COMMENT ON FUNCTION pprepub.audit(text) IS
	'everything that can be checked of what is out, what does not hold first: sizes and values of classes and of all that releases together reveal, the history against its log, release tables against their checksums, the log and the source';

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

CREATE FUNCTION pprepub.attack(publication text, OUT release int, OUT kind text, OUT other_release int,
		OUT records bigint, OUT sensitive_values bigint, OUT holds boolean) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_attack';
COMMENT ON FUNCTION pprepub.attack(text) IS
	'what all releases reveal together: of the intersections and the differences of each two, and of all (atoms), how many people and different sensitive values there are at least, and whether that is what was promised; what does not hold first';

CREATE FUNCTION pprepub.signatures(publication text, OUT key text, OUT signature varbit)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_signatures';
COMMENT ON FUNCTION pprepub.signatures(text) IS
	'in which releases each person was, a bit for each; an invented row that stands for somebody counts as that person';

CREATE FUNCTION pprepub.neighborhoods(publication text, OUT neighborhood bigint, OUT signature varbit, OUT region jsonb,
		OUT records bigint, OUT sensitive_values bigint) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_neighborhoods';
COMMENT ON FUNCTION pprepub.neighborhoods(text) IS
	'the sets of people whom nobody can separate: in which releases they were, the cells that they are known to lie in, how many they are, invented rows included, and the fewest sensitive values that a release showed of them';

CREATE FUNCTION pprepub.update_risk(publication text, updates regclass DEFAULT NULL, OUT key text, OUT release int,
		OUT candidates int, OUT risk float8, OUT joint_candidates int) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_update_risk';
COMMENT ON FUNCTION pprepub.update_risk(text, regclass) IS
	'what observers of all releases, who know what values can become, conclude of each version of each person: how many sensitive values it can have had, and the probability of the true one, by what is known of that person; and how many are left to observers who know everybody''s class in each release and hold all people against each other, or NULL where that takes more steps than pprepub.search_budget; updates names another table than the declared one';

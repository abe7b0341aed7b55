-- ----------------------------------------------------------------
-- answer/: answers
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub_internal.answer(publication text, cohort text, columns name[]) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_answer';
COMMENT ON FUNCTION pprepub_internal.answer(text, text, name[]) IS
	'make an answer for TARGET.NAME(), in a transaction of its own, remembered before the first row is returned';

CREATE VIEW pprepub.failed_answer WITH (security_barrier) AS
	SELECT p.name AS publication, f.release, f.failed_at, f.sqlstate, pg_catalog.rtrim(f.message) AS message
	FROM pprepub_internal.catalog_failure f JOIN pprepub_internal.catalog_publication p USING (publication)
	WHERE f.sqlstate <> '00000' AND pg_catalog.pg_has_role(p.owner, 'USAGE');
COMMENT ON VIEW pprepub.failed_answer IS 'errors of your sources while answers were made; analysts saw empty answers';

CREATE FUNCTION pprepub.answers(live_table regclass, OUT answers_used bigint, OUT answers_left bigint, OUT answers_per_statement bigint,
		OUT k numeric, OUT l numeric, OUT principle text, OUT repair text, OUT max_added numeric, OUT noise_spent numeric, OUT noise_left numeric)
	LANGUAGE C STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_answers';
COMMENT ON FUNCTION pprepub.answers(regclass) IS
	'show how many answers of a live table the caller has used and has left, and their rules';

-- Live tables

CREATE FUNCTION pprepub_internal.live_handler() RETURNS fdw_handler
	LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'pprepub_live_handler';
COMMENT ON FUNCTION pprepub_internal.live_handler() IS 'live table foreign-data wrapper handler';

CREATE FUNCTION pprepub_internal.live_validator(options text[], catalog oid) RETURNS void
	LANGUAGE C STRICT AS 'MODULE_PATHNAME', 'pprepub_live_validator';
COMMENT ON FUNCTION pprepub_internal.live_validator(text[], oid) IS
	'live table foreign-data wrapper validator, which refuses all options';

CREATE FOREIGN DATA WRAPPER pprepub HANDLER pprepub_internal.live_handler VALIDATOR pprepub_internal.live_validator;
COMMENT ON FOREIGN DATA WRAPPER pprepub IS 'foreign-data wrapper of live tables';

CREATE SERVER pprepub FOREIGN DATA WRAPPER pprepub;
COMMENT ON SERVER pprepub IS 'server of live tables: this database';

CREATE FUNCTION pprepub_internal.shard_skip(publication text, number int) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_shard_skip';
COMMENT ON FUNCTION pprepub_internal.shard_skip(text, int) IS 'take the numbers of releases before this one, by answers about nobody';

-- ----------------------------------------------------------------
-- answer/: answers
-- ----------------------------------------------------------------

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

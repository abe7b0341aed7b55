-- ----------------------------------------------------------------
-- report/page/: a page to sign
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.report(publication text, internal boolean DEFAULT false, population bigint DEFAULT NULL, registry regclass DEFAULT NULL) RETURNS text
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_report';
COMMENT ON FUNCTION pprepub.report(text, boolean, bigint, regclass) IS
	'a page in HTML that says what was promised, what is out and how safe that is, for a data protection officer to sign or refuse; internal adds keys and tuples of people at risk, and is for the owner only; population and registry are those of risks()';

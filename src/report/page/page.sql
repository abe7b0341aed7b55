-- ----------------------------------------------------------------
-- report/page/: a page to sign
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.report(publication text, internal boolean DEFAULT false) RETURNS text
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_report';
COMMENT ON FUNCTION pprepub.report(text, boolean) IS
	'make an HTML page about what a publication promises and how safe its releases are, to be signed or refused';

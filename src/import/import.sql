-- ----------------------------------------------------------------
-- import/: releases that were made elsewhere
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.import_release(publication text, source regclass, key name DEFAULT NULL, accept_changes boolean DEFAULT false)
	RETURNS pprepub.release
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_import_release';
COMMENT ON FUNCTION pprepub.import_release(text, regclass, name, boolean) IS
	'import a table that was published earlier or elsewhere as a release';

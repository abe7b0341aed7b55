-- ----------------------------------------------------------------
-- import/: releases that were made elsewhere
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.import_release(publication text, source regclass, key name DEFAULT NULL, accept_changes boolean DEFAULT false)
	RETURNS pprepub.release
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_import_release';
COMMENT ON FUNCTION pprepub.import_release(text, regclass, name, boolean) IS
	'adopts a table that was published earlier or elsewhere: its columns are matched by name, those that it lacks are withheld; key names its column that tells whose the rows are; accept_changes says that people may have changed since';

-- ----------------------------------------------------------------
-- history/: what observers have seen
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.members(publication text, OUT release int, OUT key text, OUT class bigint)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_members';
COMMENT ON FUNCTION pprepub.members(text) IS
	'the people of each class of each release, for the publication''s owner';

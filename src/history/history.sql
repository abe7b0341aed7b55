-- ----------------------------------------------------------------
-- history/: the releases and answers that observers have seen
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.rebuild_history(publication text, OUT fold text, OUT equal boolean)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_rebuild_history';
COMMENT ON FUNCTION pprepub.rebuild_history(text) IS
	'rebuild from the log what is kept beside it, and tell whether it was equal';

CREATE FUNCTION pprepub.acknowledge_history(publication text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_acknowledge_history';
COMMENT ON FUNCTION pprepub.acknowledge_history(text) IS
	'confirm that the history is complete after a restore, copy or promotion; also waive protection together with releases imported without a key';

CREATE FUNCTION pprepub_internal.is_rewound(publication text) RETURNS boolean
	LANGUAGE C STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_is_rewound';
COMMENT ON FUNCTION pprepub_internal.is_rewound(text) IS
	'tell whether the history may have been rewound; NULL unless the caller owns the publication, and on a standby';

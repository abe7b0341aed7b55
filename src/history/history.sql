-- ----------------------------------------------------------------
-- history/: the releases and answers that observers have seen
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.class_members(publication text, OUT release int, OUT key text, OUT class bigint)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_class_members';
COMMENT ON FUNCTION pprepub.class_members(text) IS
	'the people of each class of each release, for the publication''s owner';

CREATE FUNCTION pprepub.linked_values(publication text, OUT key text, OUT sensitive text, OUT sizes int[], OUT counts int[])
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_linked_values';
COMMENT ON FUNCTION pprepub.linked_values(text) IS
	'for each person and each sensitive value (each that is protected) that a release linked to that person: the sizes of the classes that did, and how often the value occurs in each';

CREATE FUNCTION pprepub.rebuild_history(publication text, OUT fold text, OUT equal boolean)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_rebuild_history';
COMMENT ON FUNCTION pprepub.rebuild_history(text) IS
	'makes what is kept beside the log anew from the log, and says whether it was equal; where it was not, it is replaced';

CREATE FUNCTION pprepub.acknowledge_history(publication text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_acknowledge_history';
COMMENT ON FUNCTION pprepub.acknowledge_history(text) IS
	'says that the history is whole, after a backup, a copy or a dump was restored, or a standby promoted, and waives protection together with imported releases of which nobody knows whose their rows are: publishing goes on';

CREATE FUNCTION pprepub_internal.is_rewound(publication text) RETURNS boolean
	LANGUAGE C STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_is_rewound';
COMMENT ON FUNCTION pprepub_internal.is_rewound(text) IS
	'may the history have been rewound, so that nothing is published before acknowledge_history()? NULL for others than the owner, and on a standby, which cannot tell';

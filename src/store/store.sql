-- ----------------------------------------------------------------
-- Storage: the access method
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub_internal.store_handler(internal) RETURNS table_am_handler
	LANGUAGE C STRICT VOLATILE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_handler';
COMMENT ON FUNCTION pprepub_internal.store_handler(internal) IS 'append-only columnar table access method handler';

CREATE ACCESS METHOD pprepub TYPE TABLE HANDLER pprepub_internal.store_handler;
COMMENT ON ACCESS METHOD pprepub IS 'append-only columnar table access method';

CREATE FUNCTION pprepub.compact_storage(relation regclass) RETURNS bigint
	LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_compact_storage';
COMMENT ON FUNCTION pprepub.compact_storage(regclass) IS
	'merge small row groups of a table of access method pprepub; returns how many were merged';

CREATE FUNCTION pprepub.verify_storage(relation regclass, OUT group_number bigint, OUT check_name text, OUT holds boolean, OUT detail text)
	RETURNS SETOF record
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'pprepub_verify_storage';
COMMENT ON FUNCTION pprepub.verify_storage(regclass) IS
	'check all structures and checksums of a table of access method pprepub, one row for each group';

CREATE FUNCTION pprepub_internal.describe_storage(relation regclass, OUT groups bigint, OUT rows bigint, OUT heap_bytes bigint, OUT encodings jsonb)
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'pprepub_describe_storage';
COMMENT ON FUNCTION pprepub_internal.describe_storage(regclass) IS 'figures of one table for view pprepub.storage';

CREATE VIEW pprepub.storage AS
	SELECT c.oid::regclass AS "table", d.groups, d.rows,
		   pg_catalog.pg_table_size(c.oid) AS bytes, d.heap_bytes, d.encodings
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_am a ON a.oid = c.relam,
		 LATERAL pprepub_internal.describe_storage(c.oid) d
	WHERE a.amname = 'pprepub' AND c.relkind IN ('r', 'm')
	  AND pg_catalog.pg_has_role(c.relowner, 'USAGE')
	  AND (c.relpersistence <> 't' OR c.relnamespace = pg_catalog.pg_my_temp_schema());
COMMENT ON VIEW pprepub.storage IS 'sizes and encodings of your tables of access method pprepub';

-- ----------------------------------------------------------------
-- Storage: the access method
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub_internal.store_handler(internal) RETURNS table_am_handler
	LANGUAGE C STRICT VOLATILE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_handler';
COMMENT ON FUNCTION pprepub_internal.store_handler(internal) IS 'append-only columnar table access method handler';

CREATE ACCESS METHOD pprepub TYPE TABLE HANDLER pprepub_internal.store_handler;
COMMENT ON ACCESS METHOD pprepub IS 'append-only columnar table access method';

CREATE FUNCTION pprepub.verify_storage(relation regclass, OUT group_number bigint, OUT check_name text, OUT holds boolean, OUT detail text)
	RETURNS SETOF record
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'pprepub_verify_storage';
COMMENT ON FUNCTION pprepub.verify_storage(regclass) IS
	'check all structures and checksums of a table of access method pprepub, one row for each group';

CREATE FUNCTION pprepub_internal.describe_storage(relation regclass, OUT rows bigint, OUT sampled_rows bigint, OUT sampled_bytes bigint,
		OUT column_name name, OUT encoding text, OUT bytes bigint)
	RETURNS SETOF record
	LANGUAGE C STRICT VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'pprepub_describe_storage';
COMMENT ON FUNCTION pprepub_internal.describe_storage(regclass) IS 'figures of the groups of one table, and of their columns, for view pprepub.storage';

CREATE VIEW pprepub.storage AS
	SELECT c.oid::regclass AS "table", d.groups, d.rows, pg_catalog.pg_table_size(c.oid) AS bytes, d.heap_bytes, d.encodings
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_am a ON a.oid = c.relam, LATERAL (
		WITH figures AS MATERIALIZED (SELECT * FROM pprepub_internal.describe_storage(c.oid)),
		encoded AS (
			SELECT e.column_name, jsonb_build_object('bytes', sum(e.bytes)) || jsonb_object_agg(e.encoding, e.groups) AS encodings
			FROM (SELECT f.column_name, f.encoding, sum(f.bytes) AS bytes, count(*) AS groups FROM figures f
				WHERE f.column_name IS NOT NULL GROUP BY f.column_name, f.encoding) e
			GROUP BY e.column_name)
		-- a page has a header of 24 bytes
		SELECT count(f.rows) AS groups, coalesce(sum(f.rows), 0)::bigint AS rows,
			coalesce((ceil(sum(f.sampled_bytes) / nullif(sum(f.sampled_rows), 0) * sum(f.rows) / (b.size - 24)) * b.size)::bigint, 0) AS heap_bytes,
			(SELECT coalesce(jsonb_object_agg(e.column_name, e.encodings), '{}') FROM encoded e) AS encodings
		FROM figures f RIGHT JOIN (SELECT current_setting('block_size')::int AS size) b ON true
		GROUP BY b.size) d
	WHERE a.amname = 'pprepub' AND c.relkind IN ('r', 'm')
	  AND pg_catalog.pg_has_role(c.relowner, 'USAGE')
	  AND (c.relpersistence <> 't' OR c.relnamespace = pg_catalog.pg_my_temp_schema());
COMMENT ON VIEW pprepub.storage IS 'sizes and encodings of your tables of access method pprepub';

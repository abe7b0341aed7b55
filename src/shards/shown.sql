-- ----------------------------------------------------------------
-- shards/: what analysts read of all shards
-- ----------------------------------------------------------------

-- Views in TARGET are unions of foreign tables in TARGET_private.  They read releases by their numbers, never what is the newest on
-- a shard: shards commit one after the other, and postgres_fdw reads each in one snapshot while its views are made anew.

-- On a shard: the relations of a publication in its target, and their columns; of NAME, too, how cells become values.
CREATE FUNCTION pprepub_internal.shard_relations(publication text, OUT suffix text, OUT is_full boolean, OUT comment text, OUT columns jsonb) RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	WITH counted AS MATERIALIZED (
		SELECT c.name, c.kind, c.withheld, c.is_ladder FROM pprepub_internal.counted_view v JOIN pprepub_internal.counted_column c ON c.relation = v.relation
		WHERE v.publication = $1 AND v.release IS NULL)
	SELECT substr(c.relname, length($1) + 2), EXISTS (SELECT FROM pprepub.release r WHERE r.publication = $1 AND r.relation = c.oid AND r.cohort IS NULL AND r.columns IS NULL),
		obj_description(c.oid, 'pg_class'),
		jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
			'collation', CASE WHEN a.attcollation NOT IN (0, t.typcollation) THEN a.attcollation::regcollation END, 'comment', col_description(c.oid, a.attnum),
			'kind', k.kind, 'withheld', k.withheld, 'is_ladder', k.is_ladder, 'is_text', t.typcategory = 'S') ORDER BY a.attnum)
	FROM pprepub.publication p JOIN pg_namespace n ON n.nspname = p.target JOIN pg_class c ON c.relnamespace = n.oid
		JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid
		LEFT JOIN counted k ON k.name = a.attname AND c.relname = $1 || '_values'
	WHERE p.name = $1 AND c.relkind IN ('r', 'v', 'f') AND (c.relname = $1 OR pprepub_internal.is_name_of(c.relname::text, $1))
	GROUP BY c.oid, c.relname
$$;
COMMENT ON FUNCTION pprepub_internal.shard_relations(text) IS 'relations that a shard shows of its publication';

-- A shard tells types and collations by names, which must be of some that are here.  The name of a type may end in a comment, which must
-- not take in what follows.
CREATE FUNCTION pprepub_internal.column_type(col jsonb) RETURNS text
	LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT CASE WHEN ($1 ->> 'type')::regtype IS NOT NULL THEN ($1 ->> 'type') || E'\n' END $$;
COMMENT ON FUNCTION pprepub_internal.column_type(jsonb) IS 'type of a column as a shard has it';

CREATE FUNCTION pprepub_internal.column_definition(col jsonb) RETURNS text
	LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT format('%I %s%s', $1 ->> 'name', pprepub_internal.column_type($1), ' COLLATE ' || ($1 ->> 'collation')::regcollation) $$;
COMMENT ON FUNCTION pprepub_internal.column_definition(jsonb) IS 'definition of a column as a shard has it';

CREATE FUNCTION pprepub_internal.union_of_shards(publication text, private name, suffix text, columns text[], condition text) RETURNS text
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT string_agg(format('SELECT %s FROM %I.%I a%s', (
			SELECT string_agg(CASE c WHEN 'class' THEN format('a.class * 1000 + %s AS class', s.shard) ELSE 'a.' || quote_ident(c) END, ', ' ORDER BY i)
			FROM unnest($4) WITH ORDINALITY u(c, i)), $2, format('%s_%s_%s', $1, s.shard, $3), ' WHERE a.' || $5), ' UNION ALL ' ORDER BY s.shard)
	FROM pprepub.shard s WHERE s.publication = $1
$$;
COMMENT ON FUNCTION pprepub_internal.union_of_shards(text, name, text, text[], text) IS 'query for the rows of all shards; classes have different numbers, whose last three digits are the shard';

-- Of what is read with the rights of the reader.  A function of the library, which the planner computes, has the library loaded, whose
-- hook looks at who asks, and at what is sent.
CREATE FUNCTION pprepub_internal.watched_union(publication text, private name, suffix text, columns text[]) RETURNS text
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT format('SELECT * FROM (%s) u WHERE pprepub.width(''[1,2)''::int4range) = 1', pprepub_internal.union_of_shards($1, $2, $3, $4, NULL))
$$;
COMMENT ON FUNCTION pprepub_internal.watched_union(text, name, text, text[]) IS 'query for live tables of all shards, or for what is left to ask of them';

-- A branch of such a union that has no rows.  It is a function in FROM: no condition on rows, as WHERE false, keeps it from being run.
CREATE FUNCTION pprepub_internal.whole_or_error(release int, are_there boolean[]) RETURNS SETOF record
	LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1 SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	IF false = ANY (are_there) THEN
		RAISE EXCEPTION 'shard % does not show release %', array_position(are_there, false), release USING ERRCODE = 'serialization_failure',
			DETAIL = 'It was made after the transaction began, or has been forgotten.', HINT = 'Try again in a new transaction.';
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.whole_or_error(int, boolean[]) IS 'no rows, but an error if a shard lacks a release';

-- A release of everybody is there if NAME_all has a row of it, which a snapshot may be too old for, or it has none; another is if it is listed.
CREATE FUNCTION pprepub_internal.unless_whole(publication text, private name, release_column text, release int, columns jsonb) RETURNS text
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT format(' UNION ALL SELECT * FROM pprepub_internal.whole_or_error(%s, ARRAY[%s]) g(%s)', $4, string_agg(format('coalesce('
			|| CASE WHEN $3 IS NOT NULL THEN '(SELECT true FROM %1$I.%2$I a WHERE a.%5$I = %4$s LIMIT 1), ' ELSE '' END
			|| '(SELECT %6$s FROM %1$I.%3$I r WHERE r.release = %4$s), false)',
			$2, format('%s_%s_all', $1, s.shard), format('%s_%s_releases', $1, s.shard), $4, $3, CASE WHEN $3 IS NULL THEN 'r.relation IS NOT NULL' ELSE 'r.rows = 0' END), ', ' ORDER BY s.shard),
		(SELECT string_agg(pprepub_internal.column_definition(c), ', ' ORDER BY i) FROM jsonb_array_elements($5) WITH ORDINALITY u(c, i)))
	FROM pprepub.shard s WHERE s.publication = $1
$$;
COMMENT ON FUNCTION pprepub_internal.unless_whole(text, name, text, int, jsonb) IS 'a further branch of a union: an error if it would be a part of a release';

-- Figures are of the whole release, shares by people; what a release promises is what each shard promises.
CREATE FUNCTION pprepub_internal.releases_of_all(target name, publication text, shards int, query text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT format('SELECT r.release, max(r.published_at) AS published_at, CASE WHEN count(r.relation) = %5$s THEN format(''%%I.%%I'', %1$L::text, %2$L || r.release) END AS relation,
			min(r.kind) AS kind, min(r.columns) AS columns, sum(r.rows)::int8 AS rows, sum(r.people)::int8 AS people, %3$s, min(r.k) AS k, min(r.l) AS l,
			min(r.principle) AS principle, min(r.repair) AS repair
		FROM (%4$s) r GROUP BY r.release HAVING count(*) = %5$s', $1, $2 || '_',
		(SELECT string_agg(format('round(sum(r.%1$I * r.people) / nullif(sum(r.people), 0))::int4 AS %1$I', c), ', ') FROM unnest(ARRAY['withheld_percent', 'invented_percent', 'stale_percent']) c), $4, $3)
$$;
COMMENT ON FUNCTION pprepub_internal.releases_of_all(name, text, int, text) IS 'query for the releases of all shards, made of one for each shard''s';

-- Each query asks all shards, so the least that is left on one is left.
CREATE FUNCTION pprepub_internal.answers_of_all(columns text[], query text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT format('SELECT %s FROM (%s) a', string_agg(format('%s(a.%I) AS %2$I', CASE WHEN c IN ('answers_used', 'max_added', 'noise_spent') THEN 'max' ELSE 'min' END, c), ', ' ORDER BY i), $2)
	FROM unnest($1) WITH ORDINALITY u(c, i)
$$;
COMMENT ON FUNCTION pprepub_internal.answers_of_all(text[], text) IS 'query for the answers that a reader has left';

-- Like views NAME_values of the shards, but over the release that all have.  NULL where it takes numbers from a shard's own tree.
CREATE FUNCTION pprepub_internal.values_of_all(columns jsonb, query text) RETURNS text
	LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
	WITH col AS (
		SELECT u.i, c.*, pprepub_internal.column_type(u.c) AS type_here,
			CASE WHEN c.kind = 'range' THEN format('pprepub.midpoint(r.%I)', c.name)
				WHEN c.is_ladder THEN format('%s(pprepub.midpoint(nullif(r.%I, %L)::numrange))', CASE WHEN c.type IN ('smallint', 'integer', 'bigint') THEN 'floor' ELSE '' END, c.name, c.withheld)
				WHEN c.kind <> 'value' THEN format('nullif(r.%I, %L)', c.name, c.withheld)
				ELSE format('r.%I', c.name) END AS value
		FROM jsonb_array_elements($1) WITH ORDINALITY u(c, i),
			jsonb_to_record(u.c) c(name text, type text, kind text, withheld text, is_ladder boolean, is_text boolean))
	SELECT format('SELECT %s FROM (%s) r', string_agg(CASE WHEN c.kind IS NOT NULL OR c.name = 'class' THEN format('(%s)::%s AS %I', c.value, c.type_here, c.name)
		ELSE format('jsonb_object(ARRAY[%s]::text[], ARRAY[%s]) AS %I', q.names, q.cells, c.name) END, ', ' ORDER BY c.i), $2)
	FROM col c, (SELECT string_agg(quote_literal(q.name), ', ' ORDER BY q.i) AS names, string_agg(format('r.%I::text', q.name), ', ' ORDER BY q.i) AS cells FROM col q WHERE q.kind <> 'value') q
	HAVING bool_and(c.kind IS DISTINCT FROM 'taxonomy' OR c.is_ladder OR c.is_text)
$$;
COMMENT ON FUNCTION pprepub_internal.values_of_all(jsonb, text) IS 'query for values in place of cells';

-- A foreign table that exists gets the columns that came since.  Anybody may read those that are read with the rights of the reader: nobody
-- but the owner may use the schema, and the shard judges its own users.
-- The server may say otherwise: estimates of a shard would let joins ask it for each row.
CREATE FUNCTION pprepub_internal.make_foreign(schema name, name text, server name, target name, relation text, columns jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	qualified CONSTANT text := format('%I.%I', schema, name);
	made CONSTANT regclass := to_regclass(qualified);
	statement text;
BEGIN
	IF made IS NOT NULL THEN
		FOR statement IN SELECT format('ALTER FOREIGN TABLE %s ADD COLUMN %s', made, pprepub_internal.column_definition(c)) FROM jsonb_array_elements(columns) WITH ORDINALITY u(c, i)
			WHERE NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = made AND a.attname = c ->> 'name' AND NOT a.attisdropped) ORDER BY i
		LOOP
			EXECUTE statement;
		END LOOP;
		RETURN;
	END IF;
	EXECUTE format('CREATE FOREIGN TABLE %s (%s) SERVER %I OPTIONS (schema_name %L, table_name %L, async_capable ''true'', use_remote_estimate ''false'', fetch_size ''10000'')', qualified,
		(SELECT string_agg(pprepub_internal.column_definition(c), ', ' ORDER BY i) FROM jsonb_array_elements(columns) WITH ORDINALITY u(c, i)), server, target, relation);
	FOR statement IN SELECT * FROM pprepub_internal.rights_to_reset('pg_class'::regclass, qualified::regclass, 'TABLE ' || qualified) LOOP
		EXECUTE statement;
	END LOOP;
	IF name ~ '_(now|answers)$' THEN
		EXECUTE format('GRANT SELECT ON %s TO PUBLIC', qualified);
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.make_foreign(name, text, name, name, text, jsonb) IS 'make a foreign table of a relation of a shard';

-- Before shards commit: nobody else may have made what will be shown, or may drop it.
CREATE FUNCTION pprepub_internal.verify_target(publication text) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	target CONSTANT name := (SELECT s.target FROM pprepub.shard s WHERE s.publication = verify_target.publication LIMIT 1);
	other CONSTANT text := (SELECT c.oid::regclass FROM pg_class c WHERE c.relnamespace = to_regnamespace(quote_ident(target)) AND NOT (c.relkind = 'v' AND c.relowner = quote_ident(current_user)::regrole)
		AND (c.relname = verify_target.publication OR pprepub_internal.is_name_of(c.relname::text, verify_target.publication)) LIMIT 1);
BEGIN
	PERFORM pprepub_internal.make_schemas(target);
	IF other IS NOT NULL THEN
		RAISE EXCEPTION 'relation % is in the way of publication "%"', other, publication USING ERRCODE = 'duplicate_table', HINT = 'Rename or drop it.';
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.verify_target(text) IS 'raise an error if something stands where a sharded publication will be shown';

-- Roles that may read NAME may read a new release.
CREATE FUNCTION pprepub_internal.show_on_coordinator(target name, publication text, suffix text, query text, comment text, columns jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	qualified CONSTANT text := format('%I.%I', target, concat_ws('_', publication, nullif(suffix, '')));
	made CONSTANT regclass := to_regclass(qualified);
	statement text;
BEGIN
	-- Without the newest release in it, it stays, and its readers are not waited for.
	IF query IS NULL OR suffix ~ '^([0-9]+|releases|now|answers)$' AND jsonb_array_length(columns) = (SELECT c.relnatts FROM pg_class c WHERE c.oid = made) THEN
		RETURN;
	END IF;
	EXECUTE format('CREATE OR REPLACE VIEW %s %s AS %s', qualified, CASE WHEN suffix IN ('now', 'answers') THEN 'WITH (security_invoker)' ELSE '' END, query);
	IF made IS NULL THEN
		FOR statement IN SELECT * FROM pprepub_internal.rights_to_reset('pg_class'::regclass, qualified::regclass, 'TABLE ' || qualified)
			UNION ALL SELECT format('GRANT SELECT ON %s TO %s', qualified, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END)
			FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = to_regclass(format('%I.%I', target, publication)) AND suffix ~ '^[0-9]+$'
				AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner
		LOOP
			EXECUTE statement;
		END LOOP;
	END IF;
	EXECUTE format('COMMENT ON VIEW %s IS %L', qualified, comment);
	FOR statement IN SELECT format('COMMENT ON COLUMN %s.%I IS %L', qualified, c ->> 'name', c ->> 'comment') FROM jsonb_array_elements(columns) c WHERE c ->> 'comment' IS NOT NULL LOOP
		EXECUTE statement;
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.show_on_coordinator(name, text, text, text, text, jsonb) IS 'make a view of all shards, or make it anew';

CREATE FUNCTION pprepub_internal.drop_forgotten(target name, publication text, kept text[]) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	gone record;
BEGIN
	FOR gone IN
		SELECT c.oid::regclass AS view, (SELECT string_agg(format('; DROP FOREIGN TABLE %s', f.oid::regclass), '') FROM pg_class f, pprepub.shard s
			WHERE s.publication = drop_forgotten.publication AND f.relkind = 'f' AND f.relnamespace = quote_ident(target || '_private')::regnamespace
				AND f.relname = format('%s_%s_%s', publication, s.shard, substr(c.relname, length(publication) + 2))) AS tables
		FROM pg_class c WHERE c.relnamespace = quote_ident(target)::regnamespace AND c.relkind = 'v' AND starts_with(c.relname, publication || '_')
			AND substr(c.relname, length(publication) + 2) ~ '^[0-9]+$' AND substr(c.relname, length(publication) + 2) <> ALL (kept)
	LOOP
		BEGIN
			EXECUTE format('DROP VIEW %s%s', gone.view, gone.tables);
		EXCEPTION WHEN dependent_objects_still_exist THEN
			RAISE WARNING 'could not drop view % of a forgotten release, since other objects depend on it', gone.view
				USING HINT = format('Drop them, or let them read %I.%I, which has the releases that are left.', target, publication || '_all');
		END;
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.drop_forgotten(name, text, text[]) IS 'drop views of releases that the shards have forgotten';

-- Makes foreign tables of what the shards show now, and views of all shards.
CREATE FUNCTION pprepub_internal.show_sharded(publication text) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET citus.enable_ddl_propagation = off
	AS $$
#variable_conflict use_variable
DECLARE
	target CONSTANT name := (SELECT s.target FROM pprepub.shard s WHERE s.publication = show_sharded.publication LIMIT 1);
	private CONSTANT name := target || '_private';
	shards CONSTANT int := (SELECT count(*) FROM pprepub.shard s WHERE s.publication = show_sharded.publication);
	shown jsonb;
	newest int;
	release_column text;
	part record;
BEGIN
	PERFORM pprepub_internal.verify_target(publication);
	-- Relations that all shards have
	SELECT jsonb_agg(a.answer || jsonb_build_object('shard', a.shard)) INTO shown FROM (
		SELECT a.*, count(*) OVER (PARTITION BY a.answer -> 'suffix') AS n
		FROM pprepub_internal.on_shards(publication, 'SELECT r.* FROM pprepub_internal.shard_relations({publication}) r') a) a WHERE a.n = shards;
	newest := (SELECT max(s.suffix::int) FROM (
		SELECT s.suffix FROM jsonb_to_recordset(shown) s(suffix text, is_full boolean) WHERE s.suffix ~ '^[0-9]+$' GROUP BY s.suffix HAVING bool_and(s.is_full)) s);
	release_column := (SELECT s.columns -> 0 ->> 'name' FROM jsonb_to_recordset(shown) s(suffix text, columns jsonb) WHERE s.suffix = 'all' LIMIT 1);

	PERFORM pprepub_internal.make_foreign(private, format('%s_%s_%s', publication, s.shard, s.suffix), p.server, target, p.shard_publication || '_' || s.suffix, s.columns)
		FROM jsonb_to_recordset(shown) s(shard int, suffix text, is_full boolean, columns jsonb) JOIN pprepub.shard p USING (shard)
		WHERE p.publication = show_sharded.publication AND s.suffix NOT IN ('', 'values') AND NOT s.is_full;
	FOR part IN
		SELECT s.suffix, s.columns, ARRAY(SELECT c ->> 'name' FROM jsonb_array_elements(s.columns) c) AS names,
			replace(s.comment, format('publication "%s"', p.shard_publication), format('publication "%s"', publication)) AS comment,
			CASE WHEN s.suffix IN ('', 'values') THEN newest WHEN s.suffix ~ '^[0-9]+$' THEN s.suffix::int END AS release,
			s.suffix !~ '^[0-9]+$' OR s.is_full AS is_full
		FROM jsonb_to_recordset(shown) s(shard int, suffix text, is_full boolean, comment text, columns jsonb) JOIN pprepub.shard p USING (shard)
		WHERE s.shard = 1 AND p.publication = show_sharded.publication
	LOOP
		CONTINUE WHEN newest IS NULL AND part.suffix IN ('', 'values', 'all', 'counterfeits');
		PERFORM pprepub_internal.show_on_coordinator(target, publication, part.suffix, CASE
			WHEN part.suffix = 'values' THEN pprepub_internal.values_of_all(part.columns, (
				SELECT pprepub_internal.union_of_shards(publication, private, 'all', array_agg(c ->> 'name' ORDER BY i), format('%I = %s', release_column, newest))
					|| pprepub_internal.unless_whole(publication, private, release_column, newest, jsonb_agg(c ORDER BY i))
				FROM jsonb_to_recordset(shown) s(shard int, suffix text, columns jsonb), jsonb_array_elements(s.columns) c, array_position(part.names, c ->> 'name') i
				WHERE s.shard = 1 AND s.suffix = ''))
			WHEN part.release IS NOT NULL AND part.is_full THEN pprepub_internal.union_of_shards(publication, private, 'all', part.names, format('%I = %s', release_column, part.release))
				|| pprepub_internal.unless_whole(publication, private, release_column, part.release, part.columns)
			WHEN part.release IS NOT NULL THEN pprepub_internal.union_of_shards(publication, private, part.suffix, part.names, NULL)
				|| pprepub_internal.unless_whole(publication, private, NULL, part.release, part.columns)
			WHEN part.suffix IN ('all', 'counterfeits') THEN pprepub_internal.union_of_shards(publication, private, part.suffix, part.names, format('%I <= %s', part.names[1], newest))
				|| pprepub_internal.unless_whole(publication, private, release_column, newest, part.columns)
			WHEN part.suffix = 'releases' THEN pprepub_internal.releases_of_all(target, publication, shards, pprepub_internal.union_of_shards(publication, private, part.suffix, part.names, NULL))
			WHEN part.suffix = 'answers' THEN pprepub_internal.answers_of_all(part.names, pprepub_internal.watched_union(publication, private, part.suffix, part.names))
			ELSE pprepub_internal.watched_union(publication, private, part.suffix, part.names) END,
			part.comment, part.columns);
	END LOOP;
	PERFORM pprepub_internal.drop_forgotten(target, publication, (SELECT array_agg(s.suffix) FROM jsonb_to_recordset(shown) s(suffix text)));
	PERFORM pprepub_internal.show_counts(publication, target, newest);
END
$$;
COMMENT ON FUNCTION pprepub_internal.show_sharded(text) IS 'make what analysts read of all shards';

-- Counts

CREATE FUNCTION pprepub_internal.show_counts(publication text, target name, newest int) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	named CONSTANT text := format('%I.%I(name[], jsonb, int)', target, publication || '_counts');
	is_new CONSTANT boolean := to_regprocedure(named) IS NULL;
	statement text;
BEGIN
	EXECUTE format('CREATE OR REPLACE FUNCTION %I.%I(by name[], bins jsonb DEFAULT ''{}'', release int DEFAULT NULL) RETURNS TABLE (bin jsonb, people_at_least int8, estimate float8,
			people_at_most int8, rows_at_least int8, rows_estimate float8, rows_at_most int8) LANGUAGE sql VOLATILE PARALLEL UNSAFE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
			AS %L', target, publication || '_counts', format('SELECT * FROM pprepub_internal.sharded_counts(%L, $1, $2, coalesce($3, %L::int))', publication, newest));
	EXECUTE format('COMMENT ON FUNCTION %s IS %L', named, 'count people and rows of a release in bins of these columns: at least, about, and at most');
	FOR statement IN SELECT * FROM pprepub_internal.rights_to_reset('pg_proc'::regclass, named::regprocedure, 'FUNCTION ' || named) WHERE is_new LOOP
		EXECUTE statement;
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.show_counts(text, name, int) IS 'make TARGET.NAME_counts() of a sharded publication';

-- On a shard: the cells that columns of a release show.
CREATE FUNCTION pprepub_internal.shard_cells(publication text, by name[], release int, OUT col name, OUT cell text) RETURNS SETOF record
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	shown pprepub_internal.counted_column;
BEGIN
	FOR shown IN SELECT c.* FROM pprepub_internal.counted_view v JOIN pprepub_internal.counted_column c ON c.relation = v.relation
		WHERE v.publication = shard_cells.publication AND v.release = shard_cells.release AND c.name = ANY (by)
	LOOP
		RETURN QUERY EXECUTE format('SELECT DISTINCT %L::name, %I::text COLLATE "C" FROM %s', shown.name, shown.name, shown.relation);
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.shard_cells(text, name[], int) IS 'cells of columns of a release';

-- On a shard: bins of columns that show these cells there, or on others.
CREATE FUNCTION pprepub_internal.shard_bins(publication text, bins jsonb, release int, cells jsonb) RETURNS jsonb
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT $2 || coalesce(jsonb_object_agg(c.name, (
		SELECT b.bins FROM pprepub_internal.bins_of(c, ARRAY(SELECT jsonb_array_elements_text($4 -> c.name::text)), $2 -> c.name::text) b)), '{}')
	FROM pprepub_internal.counted_view v JOIN pprepub_internal.counted_column c ON c.relation = v.relation
	WHERE v.publication = $1 AND v.release = $3 AND $4 ? c.name::text
$$;
COMMENT ON FUNCTION pprepub_internal.shard_bins(text, jsonb, int, jsonb) IS 'bins for the cells of all shards';

-- Bins that are not given are chosen for all shards.  People of different shards are different, so bounds and estimates are sums.
CREATE FUNCTION pprepub_internal.sharded_counts(publication text, by name[], bins jsonb, release int, OUT bin jsonb, OUT people_at_least bigint, OUT estimate float8,
		OUT people_at_most bigint, OUT rows_at_least bigint, OUT rows_estimate float8, OUT rows_at_most bigint) RETURNS SETOF record
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	chosen jsonb := bins;
	cells jsonb;
BEGIN
	IF jsonb_typeof(bins) = 'object' AND EXISTS (SELECT FROM unnest(by) b WHERE jsonb_typeof(bins -> b::text) IS DISTINCT FROM 'array') THEN
		cells := (SELECT jsonb_object_agg(c.col, c.cells) FROM (
			SELECT a.answer ->> 'col' AS col, jsonb_agg(DISTINCT a.answer -> 'cell') AS cells
			FROM pprepub_internal.on_shards(publication, format('SELECT c.* FROM pprepub_internal.shard_cells({publication}, %L, %L) c', by, release)) a GROUP BY 1) c);
		chosen := coalesce((SELECT a.answer -> 'bins' FROM pprepub_internal.on_shards(publication,
			format('SELECT pprepub_internal.shard_bins({publication}, %L, %L, %L) AS bins', bins, release, cells)) a WHERE a.shard = 1), bins);
	END IF;
	RETURN QUERY SELECT r.bin, sum(r.people_at_least)::bigint, sum(r.estimate), sum(r.people_at_most)::bigint, sum(r.rows_at_least)::bigint, sum(r.rows_estimate), sum(r.rows_at_most)::bigint
	FROM pprepub_internal.on_shards(publication, format('SELECT pg_catalog.row_number() OVER () AS nth, c.* FROM pprepub_internal.counts({publication}, %L, %L, %L) c', by, chosen, release)) a,
		jsonb_to_record(a.answer) r(nth bigint, bin jsonb, people_at_least bigint, estimate float8, people_at_most bigint, rows_at_least bigint, rows_estimate float8, rows_at_most bigint)
	GROUP BY r.bin ORDER BY min(r.nth);
END
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_counts(text, name[], jsonb, int) IS 'body of TARGET.NAME_counts() over all shards';

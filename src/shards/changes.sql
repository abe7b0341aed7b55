-- ----------------------------------------------------------------
-- shards/: what else is changed on all shards or on none
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub_internal.change_shards(publication text, kind text, query text, OUT answer text) RETURNS SETOF text
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
BEGIN
	PERFORM pprepub_internal.lock_sharded(publication);
	RETURN QUERY SELECT a.answer FROM pprepub_internal.in_two_phases(publication, kind, pprepub_internal.for_shards(publication, query), false) a;
END
$$;
COMMENT ON FUNCTION pprepub_internal.change_shards(text, text, text) IS 'run a query on all shards, or on none';

-- On a shard: keys as its coordinator knows them, however they are written.
CREATE FUNCTION pprepub_internal.shard_hashes(publication text, keys text[]) RETURNS SETOF bytea
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET "DateStyle" = 'ISO, YMD' SET "TimeZone" = 'UTC' SET bytea_output = 'hex'
	AS $$
BEGIN
	RETURN QUERY EXECUTE (SELECT format('SELECT pprepub_internal.keyed_hash(k::%s::text, s.secret) FROM unnest($1) k, %I.%I s', format_type(a.atttypid, a.atttypmod), p.target || '_private', p.name || '_secret')
		FROM pprepub.publication p JOIN pg_attribute a ON a.attrelid = format('%I.%I', p.target || '_private', p.name || '_cleared')::regclass AND a.attname = 'key'
		WHERE p.name = shard_hashes.publication) USING keys;
END
$$;
COMMENT ON FUNCTION pprepub_internal.shard_hashes(text, text[]) IS 'keyed hashes of keys, with the secret that all shards have';

-- Somebody who was forgotten is given to a shard anew.
CREATE FUNCTION pprepub_internal.sharded_forget_person(publication text, keys text[]) RETURNS bigint
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	forgotten CONSTANT bigint := (SELECT sum(a::bigint) FROM pprepub_internal.change_shards(publication, 'forget',
		format('SELECT pprepub.forget_person({publication}, VARIADIC %L)::pg_catalog.text', keys)) a);
BEGIN
	IF pprepub_internal.registry_of(publication) IS NOT NULL THEN
		EXECUTE format('DELETE FROM %s p USING pprepub_internal.on_shards($1, $2) a WHERE p.person = (a.answer ->> ''h'')::bytea', pprepub_internal.registry_of(publication))
			USING publication, format('SELECT h FROM pprepub_internal.shard_hashes({publication}, %L) h', keys);
	END IF;
	RETURN forgotten;
END
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_forget_person(text, text[]) IS 'body of forget_person() for sharded publications';

-- Shards have published at different moments: a release is older if it is on all of them.
CREATE FUNCTION pprepub_internal.sharded_forget_releases(publication text, before timestamptz) RETURNS int[]
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET "DateStyle" = 'ISO'
	AS $$
#variable_conflict use_variable
DECLARE
	later CONSTANT int := (SELECT min((s.answer ->> 'later')::int) FROM pprepub_internal.on_shards(publication, format(
		'SELECT pg_catalog.min(r.number) AS later FROM pprepub.release r WHERE r.publication OPERATOR(pg_catalog.=) {publication} AND r.published_at OPERATOR(pg_catalog.>=) %L', before)) s);
	numbers int[];
BEGIN
	SELECT array_agg(DISTINCT i ORDER BY i) INTO numbers FROM pprepub_internal.change_shards(publication, 'forget', format('WITH n AS (SELECT {publication}::pg_catalog.text AS name)
		SELECT pprepub.forget_releases(n.name, LEAST(%L, (SELECT pg_catalog.min(r.published_at) FROM pprepub.release r
			WHERE r.publication OPERATOR(pg_catalog.=) n.name AND r.number OPERATOR(pg_catalog.>=) %L)))::pg_catalog.text FROM n', before, later)) a, unnest(a::int[]) i;
	PERFORM pprepub_internal.show_sharded(publication);
	RETURN coalesce(numbers, '{}');
END
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_forget_releases(text, timestamptz) IS 'body of forget_releases() for sharded publications';

CREATE FUNCTION pprepub_internal.sharded_grant_audit(publication text, role name) RETURNS void
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT pprepub_internal.change_shards($1, 'grant', format('SELECT pprepub.grant_audit({publication}, %L)::pg_catalog.text', $2)) $$;
COMMENT ON FUNCTION pprepub_internal.sharded_grant_audit(text, name) IS 'body of grant_audit() for sharded publications: for a role of this name on each shard';

CREATE FUNCTION pprepub_internal.sharded_revoke_audit(publication text, role name) RETURNS void
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT pprepub_internal.change_shards($1, 'revoke', format('SELECT pprepub.revoke_audit({publication}, %L)::pg_catalog.text', $2)) $$;
COMMENT ON FUNCTION pprepub_internal.sharded_revoke_audit(text, name) IS 'body of revoke_audit() for sharded publications';

CREATE FUNCTION pprepub_internal.sharded_rebuild_history(publication text, OUT fold text, OUT equal boolean) RETURNS SETOF record
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT r.fold, bool_and(r.equal) FROM pprepub_internal.change_shards($1, 'rebuild', 'SELECT pg_catalog.jsonb_agg(r)::pg_catalog.text FROM pprepub.rebuild_history({publication}) r') a
		CROSS JOIN LATERAL jsonb_to_recordset(a::jsonb) r(fold text, equal boolean) GROUP BY r.fold
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_rebuild_history(text) IS 'body of rebuild_history() for sharded publications';

CREATE FUNCTION pprepub_internal.sharded_acknowledge_history(publication text) RETURNS void
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT pprepub_internal.change_shards($1, 'acknowledge', 'SELECT pprepub.acknowledge_history({publication})::pg_catalog.text') $$;
COMMENT ON FUNCTION pprepub_internal.sharded_acknowledge_history(text) IS 'body of acknowledge_history() for sharded publications';

-- pg_cron runs the job as the owner.
CREATE FUNCTION pprepub_internal.sharded_schedule(publication text, cron text, cohort text) RETURNS bigint
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT pprepub_internal.make_job($1, $2, pprepub_internal.require_cron(current_user, $1, $2, $3)) $$;
COMMENT ON FUNCTION pprepub_internal.sharded_schedule(text, text, text) IS 'body of schedule() for sharded publications';

CREATE FUNCTION pprepub_internal.sharded_unschedule(publication text) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	EXECUTE 'SELECT cron.unschedule($1)' USING pprepub_internal.job_name(publication);
END
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_unschedule(text) IS 'body of unschedule() for sharded publications';

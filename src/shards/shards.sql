-- ----------------------------------------------------------------
-- shards/: publications over several machines
-- ----------------------------------------------------------------

-- A sharded publication is a publication of its own on each shard, of people who are on no other.  The coordinator holds no
-- rows, and remembers nothing but the declaration: all else is asked of the shards.  Commands go by dblink, so that all shards
-- work at once and commit in two phases; analysts read foreign tables of postgres_fdw.

CREATE FUNCTION pprepub_internal.note_sharded(publication text, target name, key_decides boolean, servers name[], shards text[]) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_note_sharded';
COMMENT ON FUNCTION pprepub_internal.note_sharded(text, name, boolean, name[], text[]) IS 'record a sharded publication as the caller''s; without servers, take it out';

CREATE FUNCTION pprepub_internal.make_schemas(target name) RETURNS void
	LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_make_schemas';
COMMENT ON FUNCTION pprepub_internal.make_schemas(name) IS 'create the schemas of a target as the caller''s, or verify that they are';

-- Links to shards

-- Its functions are called by name in its schema, with the types of their arguments: nobody can put others before these.
CREATE FUNCTION pprepub_internal.dblink_schema() RETURNS text
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	schema CONSTANT text := (SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'dblink');
BEGIN
	IF schema IS NULL THEN
		RAISE EXCEPTION 'extension dblink is missing' USING ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = 'Shards are given commands by way of it.', HINT = 'Run CREATE EXTENSION dblink.';
	END IF;
	RETURN schema;
END
$$;
COMMENT ON FUNCTION pprepub_internal.dblink_schema() IS 'schema of extension dblink, or an error';

-- The first of the shards that share a server: commands that declare something go by its link, one after the other.
CREATE FUNCTION pprepub_internal.shard_links(publication text, apart boolean, OUT shard int, OUT server name, OUT shard_publication text, OUT link text, OUT is_first boolean)
	RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT s.shard, s.server, s.shard_publication, format('pprepub %s %s', $1, CASE WHEN $2 THEN s.shard ELSE first_value(s.shard) OVER w END),
		$2 OR s.shard = first_value(s.shard) OVER w
	FROM pprepub.shard s WHERE s.publication = $1 WINDOW w AS (PARTITION BY s.server ORDER BY s.shard) ORDER BY s.shard
$$;
COMMENT ON FUNCTION pprepub_internal.shard_links(text, boolean) IS 'names of the links to shards: one each, or one for each server';

CREATE FUNCTION pprepub_internal.close_links(publication text) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	dblink CONSTANT text := pprepub_internal.dblink_schema();
	link text;
BEGIN
	FOR link IN EXECUTE format('SELECT l FROM unnest(%1$s.dblink_get_connections()) l', dblink) LOOP
		IF link IN (SELECT l.link FROM pprepub_internal.shard_links(publication, true) l) THEN
			EXECUTE format('SELECT %1$s.dblink_disconnect($1::text)', dblink) USING link;
		END IF;
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.close_links(text) IS 'end the sessions on the shards, with all that is not prepared';

-- Messages of shards would go to the log of this server.
CREATE FUNCTION pprepub_internal.open_links(publication text, apart boolean) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	dblink CONSTANT text := pprepub_internal.dblink_schema();
	why text;
	s record;
BEGIN
	PERFORM pprepub_internal.close_links(publication);
	FOR s IN SELECT * FROM pprepub_internal.shard_links(publication, apart) l WHERE l.is_first LOOP
		IF NOT EXISTS (SELECT FROM pg_foreign_server f WHERE f.srvname = s.server) THEN
			RAISE EXCEPTION 'server "%" of shard % does not exist', s.server, s.shard USING ERRCODE = 'undefined_object';
		END IF;
		-- dblink does not say which server is away
		BEGIN
			EXECUTE format('SELECT %1$s.dblink_connect($1::text, $2::text)', dblink) USING s.link, s.server;
		EXCEPTION WHEN sqlclient_unable_to_establish_sqlconnection THEN
			GET STACKED DIAGNOSTICS why = PG_EXCEPTION_DETAIL;
			RAISE EXCEPTION 'could not connect to server "%" of shard % of publication "%"', s.server, s.shard, publication USING ERRCODE = SQLSTATE, DETAIL = why,
				HINT = 'Try again when it answers: nothing is done on some shards alone.';
		END;
		EXECUTE format('SELECT %1$s.dblink_exec($1::text, $2::text)', dblink)
			USING s.link, format('SET search_path = pg_catalog, pg_temp; SET client_min_messages = error; SET application_name = %L', 'pprepub ' || pg_backend_pid());
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.open_links(text, boolean) IS 'begin sessions on the shards';

-- In the place of the word's first occurrence: what follows it may be a user's text, where {number} stands before {publication}.
CREATE FUNCTION pprepub_internal.put_word(query text, word text, value text) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT CASE WHEN strpos($1, $2) = 0 THEN $1 ELSE overlay($1 PLACING $3 FROM strpos($1, $2) FOR length($2)) END $$;
COMMENT ON FUNCTION pprepub_internal.put_word(text, text, text) IS 'a query with a value in place of a word';

-- All links at once, where each shard has one.  An error of a shard is one here, unless it is asked for as an answer.  A query
-- has one column.  The wait is short naps, since a wait for one shard could not be canceled.  A query that is not sent by a link that
-- is lost would have no rows for an answer.  A shard in this database
-- may wait for the caller: nobody else would notice.
CREATE FUNCTION pprepub_internal.ask_links(publication text, apart boolean, queries text[], as_answer boolean DEFAULT false, OUT shard int, OUT answer text, OUT failed text)
	RETURNS SETOF record
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	dblink CONSTANT text := pprepub_internal.dblink_schema();
	waiting int[];
	sent boolean;
	busy boolean;
	nap float8;
	looked timestamptz := clock_timestamp();
	s record;
BEGIN
	FOR s IN SELECT l.link, array_agg(l.shard ORDER BY l.shard) AS shards FROM pprepub_internal.shard_links(publication, apart) l
		WHERE queries[l.shard] IS NOT NULL GROUP BY l.link
	LOOP
		CONTINUE WHEN cardinality(s.shards) > 1;
		EXECUTE format('SELECT %1$s.dblink_send_query($1::text, $2::text) = 1', dblink) INTO sent USING s.link, queries[s.shards[1]];
		waiting := CASE WHEN sent THEN waiting || s.shards[1] ELSE waiting END;
	END LOOP;
	FOR s IN SELECT l.shard, l.link FROM pprepub_internal.shard_links(publication, apart) l WHERE queries[l.shard] IS NOT NULL ORDER BY l.shard LOOP
		shard := s.shard;
		failed := NULL;
		BEGIN
			IF shard = ANY (waiting) IS NOT TRUE THEN
				EXECUTE format('SELECT %1$s.dblink_send_query($1::text, $2::text) = 1', dblink) INTO sent USING s.link, queries[shard];
				IF NOT sent THEN
					RAISE EXCEPTION 'the connection to shard % is lost', shard USING ERRCODE = 'connection_failure';
				END IF;
			END IF;
			nap := 0.0005;
			LOOP
				-- each look reads 16 kB at most of what has come
				EXECUTE format('SELECT min(%1$s.dblink_is_busy($1::text)) = 1 FROM generate_series(1, 100)', dblink) INTO busy USING s.link;
				EXIT WHEN NOT busy;
				PERFORM pg_sleep(nap);
				nap := least(nap * 1.5, 0.02);
				CONTINUE WHEN clock_timestamp() < looked + interval '1 second';
				looked := clock_timestamp();
				PERFORM pg_stat_clear_snapshot();
				IF EXISTS (SELECT FROM pg_stat_activity b WHERE b.application_name = 'pprepub ' || pg_backend_pid() AND b.usename = current_user AND pg_backend_pid() = ANY (pg_blocking_pids(b.pid))) THEN
					RAISE EXCEPTION 'a shard waits for a lock of this transaction' USING ERRCODE = 'deadlock_detected', HINT = 'Commit it first.';
				END IF;
			END LOOP;
			FOR answer IN EXECUTE format('SELECT a.answer FROM %1$s.dblink_get_result($1::text) AS a(answer text)', dblink) USING s.link LOOP
				RETURN NEXT;
			END LOOP;
			EXECUTE format('SELECT count(*) FROM %1$s.dblink_get_result($1::text) AS a(answer text)', dblink) USING s.link;
		EXCEPTION WHEN OTHERS THEN
			IF NOT as_answer THEN
				RAISE;
			END IF;
			answer := NULL;
			failed := SQLERRM;
			RETURN NEXT;
		END;
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.ask_links(text, boolean, text[], boolean) IS 'run a query each on shards, and return the rows';

-- A query for each shard, made of one with {publication} for the shard's publication.
CREATE FUNCTION pprepub_internal.for_shards(publication text, query text) RETURNS text[]
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT array_agg(pprepub_internal.put_word($2, '{publication}', quote_literal(s.shard_publication)) ORDER BY s.shard) FROM pprepub.shard s WHERE s.publication = $1 $$;
COMMENT ON FUNCTION pprepub_internal.for_shards(text, text) IS 'a query for each shard';

CREATE FUNCTION pprepub_internal.on_shards(publication text, query text, OUT shard int, OUT answer jsonb) RETURNS SETOF record
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
BEGIN
	PERFORM pprepub_internal.open_links(publication, true);
	RETURN QUERY SELECT a.shard, a.answer::jsonb FROM pprepub_internal.ask_links(publication, true,
		pprepub_internal.for_shards(publication, format('SELECT pg_catalog.to_jsonb(q)::pg_catalog.text FROM (%s) q', query))) a;
	PERFORM pprepub_internal.close_links(publication);
EXCEPTION WHEN OTHERS OR query_canceled THEN
	PERFORM pprepub_internal.close_links(publication);
	RAISE;
END
$$;
COMMENT ON FUNCTION pprepub_internal.on_shards(text, text) IS 'run a query on all shards at once, as the caller''s user mapping there; return its rows';

-- Two phases

-- An attempt is a prepared transaction on each shard, "pprepub KIND PUBLICATION ATTEMPT SHARD".  Shard 1 decides: once it has
-- committed, its publication notes the attempt, and all others must commit; before, all can be rolled back, shard 1 first.
CREATE FUNCTION pprepub_internal.settle(publication text, apart boolean, OUT shard int, OUT attempt text, OUT action text) RETURNS SETOF record
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	doubt record;
	decided text;
BEGIN
	FOR doubt IN
		SELECT d.attempt, array_agg(DISTINCT d.shard ORDER BY d.shard) AS shards
		FROM (SELECT regexp_replace(a.answer, ' [0-9]+$', '') AS attempt, substring(a.answer FROM '[0-9]+$')::int AS shard
			FROM pprepub_internal.ask_links(publication, apart, (
				SELECT array_agg(CASE WHEN l.is_first THEN format('SELECT x.gid FROM pg_catalog.pg_prepared_xacts x
					WHERE x.database OPERATOR(pg_catalog.=) pg_catalog.current_database() AND x.owner OPERATOR(pg_catalog.=) current_user
						AND x.gid OPERATOR(pg_catalog.~) %L', '^pprepub [a-z]+ ' || pprepub_internal.attempt_of(publication) || ' [-0-9a-f]+ [0-9]+$') END ORDER BY l.shard)
				FROM pprepub_internal.shard_links(publication, apart) l)) a) d
		GROUP BY d.attempt
	LOOP
		decided := 'ROLLBACK';
		IF 1 <> ALL (doubt.shards) THEN
			SELECT CASE WHEN a.answer = doubt.attempt OR a.answer IS NULL AND starts_with(doubt.attempt, 'pprepub drop ') THEN 'COMMIT' ELSE 'ROLLBACK' END
			INTO decided FROM pprepub_internal.ask_links(publication, apart, (pprepub_internal.for_shards(publication, 'SELECT pprepub_internal.shard_attempt({publication})'))[:1]) a;
		END IF;
		FOREACH shard IN ARRAY doubt.shards LOOP
			PERFORM pprepub_internal.ask_links(publication, apart, array_fill(NULL::text, ARRAY[shard - 1]) || format('%s PREPARED %L', decided, doubt.attempt || ' ' || shard));
			attempt := doubt.attempt;
			action := CASE decided WHEN 'COMMIT' THEN 'committed' ELSE 'rolled back' END;
			RETURN NEXT;
		END LOOP;
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.settle(text, boolean) IS 'finish what is in doubt on shards, by links that are open';

-- Of its shards: another coordinator may have one of the same name over other publications of the same databases.
CREATE FUNCTION pprepub_internal.attempt_of(publication text) RETURNS text
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT md5(string_agg(s.shard_publication, ' ' ORDER BY s.shard)) FROM pprepub.shard s WHERE s.publication = $1 $$;
COMMENT ON FUNCTION pprepub_internal.attempt_of(text) IS 'a publication as names of prepared transactions have it';

-- A session at a time works on a sharded publication: nobody else takes its transactions for left behind.
CREATE FUNCTION pprepub_internal.lock_sharded(publication text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_lock_sharded';
COMMENT ON FUNCTION pprepub_internal.lock_sharded(text) IS 'keep other sessions from a sharded publication until the end of the transaction';

-- Nothing that has been prepared stays so if this fails, unless a shard does not answer.
CREATE FUNCTION pprepub_internal.give_up(publication text, apart boolean) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
BEGIN
	PERFORM pprepub_internal.close_links(publication);
	BEGIN
		PERFORM pprepub_internal.open_links(publication, apart);
		PERFORM pprepub_internal.settle(publication, apart);
	EXCEPTION WHEN OTHERS THEN
		RAISE WARNING 'could not look for what is in doubt on the shards of publication "%"', publication
			USING DETAIL = SQLERRM, HINT = format('Call pprepub.finish_in_doubt(%L) when all answer.', publication);
	END;
	PERFORM pprepub_internal.close_links(publication);
END
$$;
COMMENT ON FUNCTION pprepub_internal.give_up(text, boolean) IS 'roll back on all shards what they have not decided to commit';

-- A command for each link, with %s for the shard.
CREATE FUNCTION pprepub_internal.for_links(publication text, apart boolean, command text) RETURNS text[]
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT array_agg(CASE WHEN l.is_first THEN replace($3, '{shard}', l.shard::text) END ORDER BY l.shard) FROM pprepub_internal.shard_links($1, $2) l $$;
COMMENT ON FUNCTION pprepub_internal.for_links(text, boolean, text) IS 'a command for each link';

-- Runs a query each on the shards, all or none.  In those that publish, {number} is the number of a release that all can make.
-- All have committed the same attempt last, unless one was restored, or somebody else has ended what was prepared.
CREATE FUNCTION pprepub_internal.in_two_phases(publication text, kind text, queries text[], apart boolean, OUT shard int, OUT answer text) RETURNS SETOF record
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	attempt CONSTANT text := format('pprepub %s %s %s', kind, pprepub_internal.attempt_of(publication), gen_random_uuid());
	is_decided boolean := false;
	number int;
	lost text;
BEGIN
	-- A session of an attempt that has failed may hold a lock, and prepare what it has yet: nobody else would finish that.
	LOOP
		PERFORM pprepub_internal.open_links(publication, apart);
		PERFORM pprepub_internal.settle(publication, apart);
		PERFORM pprepub_internal.ask_links(publication, apart, pprepub_internal.for_links(publication, apart, 'BEGIN'));
		BEGIN
			SELECT max(a.answer::int) INTO number
				FROM pprepub_internal.ask_links(publication, apart, pprepub_internal.for_shards(publication, 'SELECT pprepub_internal.shard_begin({publication})')) a;
			EXIT;
		EXCEPTION WHEN lock_not_available THEN
		END;
	END LOOP;
	IF kind NOT IN ('create', 'drop', 'acknowledge') AND 1 < (SELECT count(DISTINCT coalesce(a.answer, ''))
		FROM pprepub_internal.ask_links(publication, apart, pprepub_internal.for_shards(publication, 'SELECT pprepub_internal.shard_attempt({publication})')) a) THEN
		RAISE EXCEPTION 'the last change of publication "%" is not on all shards', publication USING ERRCODE = 'object_not_in_prerequisite_state',
			DETAIL = 'A shard may have been restored from an older backup, or what was prepared there may have been rolled back.',
			HINT = format('When nothing is missing, call pprepub.acknowledge_history(%L).', publication);
	END IF;
	RETURN QUERY SELECT a.shard, a.answer FROM pprepub_internal.ask_links(publication, apart, CASE kind WHEN 'publish' THEN (
		SELECT array_agg(pprepub_internal.put_word(q, '{number}', number::text) ORDER BY i) FROM unnest(queries) WITH ORDINALITY u(q, i)) ELSE queries END) a;
	IF kind <> 'drop' THEN
		PERFORM pprepub_internal.ask_links(publication, apart, pprepub_internal.for_shards(publication,
			format('SELECT pprepub_internal.shard_note({publication}, %L)::pg_catalog.text', attempt)));
	END IF;
	-- A transaction that has failed is rolled back by it, without an error.
	SELECT max(a.shard) INTO number FROM pprepub_internal.ask_links(publication, apart, pprepub_internal.for_links(publication, apart, format('PREPARE TRANSACTION %L', attempt || ' {shard}'))) a
		WHERE a.answer <> 'PREPARE TRANSACTION';
	IF number IS NOT NULL THEN
		RAISE EXCEPTION 'shard % could not prepare its transaction', number USING ERRCODE = 'transaction_rollback';
	END IF;
	is_decided := true;		-- from here on, only shard 1 knows
	PERFORM pprepub_internal.ask_links(publication, apart, (pprepub_internal.for_links(publication, apart, format('COMMIT PREPARED %L', attempt || ' {shard}')))[:1]);
	SELECT string_agg(format('Shard %s: %s', a.shard, a.failed), E'\n') INTO lost FROM pprepub_internal.ask_links(publication, apart,
		ARRAY[NULL::text] || (pprepub_internal.for_links(publication, apart, format('COMMIT PREPARED %L', attempt || ' {shard}')))[2:], true) a WHERE a.failed IS NOT NULL;
	IF lost IS NOT NULL AND kind = 'drop' THEN
		-- without the declaration, nobody would find it
		RAISE EXCEPTION 'publication "%" is in doubt on some shards, and will be dropped there', publication USING ERRCODE = 'connection_exception',
			DETAIL = lost, HINT = 'Drop it again when they answer.';
	ELSIF lost IS NOT NULL THEN
		RAISE WARNING 'publication "%" is in doubt on some shards, and will be committed there', publication
			USING DETAIL = lost, HINT = format('Call pprepub.finish_in_doubt(%L) when they answer.', publication);
	END IF;
	PERFORM pprepub_internal.close_links(publication);
EXCEPTION WHEN OTHERS OR query_canceled THEN
	IF is_decided THEN
		PERFORM pprepub_internal.close_links(publication);
		RAISE WARNING 'publication "%" may be in doubt on its shards', publication
			USING HINT = format('Call pprepub.finish_in_doubt(%L) when all shards answer.', publication);
	ELSE
		PERFORM pprepub_internal.give_up(publication, apart);
	END IF;
	RAISE;
END
$$;
COMMENT ON FUNCTION pprepub_internal.in_two_phases(text, text, text[], boolean) IS 'run a query each on shards, on all of them or on none';

CREATE FUNCTION pprepub.finish_in_doubt(publication text, OUT shard int, OUT attempt text, OUT action text) RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_on_sharded';
COMMENT ON FUNCTION pprepub.finish_in_doubt(text) IS 'commit or roll back on shards what was prepared there and not finished, and show the newest release';

CREATE FUNCTION pprepub_internal.sharded_finish_in_doubt(publication text, OUT shard int, OUT attempt text, OUT action text) RETURNS SETOF record
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
BEGIN
	PERFORM pprepub_internal.lock_sharded(publication);
	PERFORM pprepub_internal.open_links(publication, true);
	RETURN QUERY SELECT * FROM pprepub_internal.settle(publication, true);
	PERFORM pprepub_internal.close_links(publication);
	PERFORM pprepub_internal.show_sharded(publication);
EXCEPTION WHEN OTHERS OR query_canceled THEN
	PERFORM pprepub_internal.close_links(publication);
	RAISE;
END
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_finish_in_doubt(text) IS 'body of finish_in_doubt()';

-- Releases

CREATE FUNCTION pprepub_internal.sharded_publish(publication text, cohort text, columns name[]) RETURNS pprepub.release
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	made pprepub.release;
BEGIN
	PERFORM pprepub_internal.lock_sharded(publication);
	PERFORM pprepub_internal.verify_target(publication);
	PERFORM pprepub_internal.clear_people(publication);
	SELECT min(r.number), min(r.kind), max(r.published_at), min(r.published_by), min(r.published_as), min(r.method), min(r.params::text)::jsonb,
		min(r.cohort), min(r.columns), sum(r.rows), sum(r.people), sum(r.classes), sum(r.suppressed), sum(r.dirty), sum(r.counterfeits), sum(r.stale), sum(r.unrefreshed), max(r.seconds)
	INTO made.number, made.kind, made.published_at, made.published_by, made.published_as, made.method, made.params,
		made.cohort, made.columns, made.rows, made.people, made.classes, made.suppressed, made.dirty, made.counterfeits, made.stale, made.unrefreshed, made.seconds
	FROM pprepub_internal.in_two_phases(publication, 'publish', pprepub_internal.for_shards(publication, format(
			'SELECT pg_catalog.to_jsonb(p)::pg_catalog.text FROM pprepub_internal.shard_publish(number => {number}, publication => {publication}, cohort => %L, columns => %L) p', cohort, columns)), true) a,
		jsonb_populate_record(NULL::pprepub.release, a.answer::jsonb - 'relation') r;
	PERFORM pprepub_internal.show_sharded(publication);
	made.publication := publication;
	made.relation := to_regclass((SELECT format('%I.%I', s.target, publication || '_' || made.number) FROM pprepub.shard s WHERE s.publication = sharded_publish.publication LIMIT 1));
	RETURN made;
END
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_publish(text, text, name[]) IS 'body of publish() for sharded publications: a release of one number on all shards, or on none';

-- On a shard: a release of a number that the coordinator has chosen.
CREATE FUNCTION pprepub_internal.shard_publish(publication text, number int, cohort text, columns name[]) RETURNS pprepub.release
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
BEGIN
	PERFORM pprepub_internal.shard_skip(publication, number);
	RETURN pprepub.publish(publication, cohort, columns);
END
$$;
COMMENT ON FUNCTION pprepub_internal.shard_publish(text, int, text, name[]) IS 'make a release as a shard, under the number that all shards give it';

CREATE FUNCTION pprepub_internal.registry_of(publication text) RETURNS text
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT format('%I.%I', s.target || '_private', $1 || '_shards_people') FROM pprepub.shard s WHERE s.publication = $1 AND NOT s.key_decides LIMIT 1 $$;
COMMENT ON FUNCTION pprepub_internal.registry_of(text) IS 'the table that says which shard has whom, if people can move';

-- People who can move stay with the shard that had them first.  The shards tell of people by hashes with a key that they share,
-- and show those alone whom they were given.  A registry that was rewound learns again from the shards whom they have.
CREATE FUNCTION pprepub_internal.clear_people(publication text) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	registry CONSTANT text := pprepub_internal.registry_of(publication);
	lags boolean;
BEGIN
	IF registry IS NULL THEN
		RETURN;
	END IF;
	-- A trigger of the owner's could wait for the end of the transaction, and run with the rights of the caller.
	EXECUTE format('LOCK TABLE %s IN SHARE ROW EXCLUSIVE MODE', registry);
	IF EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = registry::regclass) THEN
		RAISE EXCEPTION 'table % must have no triggers', registry USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Drop them.';
	END IF;
	PERFORM pprepub_internal.open_links(publication, true);
	EXECUTE format('SELECT bool_or(a.answer::numeric IS DISTINCT FROM (SELECT sum(hashtextextended(encode(p.person, ''hex''), 0)) FROM %s p WHERE p.shard = a.shard)) FROM pprepub_internal.ask_links($1, true, $2) a', registry)
		INTO lags USING publication, pprepub_internal.for_shards(publication, 'SELECT pg_catalog.sum(pg_catalog.hashtextextended(pg_catalog.encode(c, ''hex''), 0))::pg_catalog.text FROM pprepub_internal.shard_cleared({publication}) c');
	IF lags THEN
		EXECUTE format('INSERT INTO %s (person, shard) SELECT a.answer::bytea, min(a.shard) FROM pprepub_internal.ask_links($1, true, $2) a GROUP BY 1
			ON CONFLICT (person) DO UPDATE SET shard = excluded.shard', registry)
			USING publication, pprepub_internal.for_shards(publication, 'SELECT c::pg_catalog.text FROM pprepub_internal.shard_cleared({publication}) c');
	END IF;
	EXECUTE format('
		WITH arrived AS MATERIALIZED (SELECT a.answer::bytea AS person, a.shard FROM pprepub_internal.ask_links($1, true, $2) a),
			claimed AS (INSERT INTO %1$s AS p (person, shard) SELECT a.person, min(a.shard) FROM arrived a GROUP BY a.person
				ON CONFLICT (person) DO UPDATE SET shard = p.shard RETURNING p.person, p.shard)
		SELECT pprepub_internal.clear_on_shards($1, array_agg(c.person), array_agg(c.shard)) FROM claimed c JOIN arrived a USING (person, shard)', registry)
		USING publication, pprepub_internal.for_shards(publication, 'SELECT a::pg_catalog.text FROM pprepub_internal.shard_arrivals({publication}) a');
	PERFORM pprepub_internal.close_links(publication);
EXCEPTION WHEN OTHERS OR query_canceled THEN
	PERFORM pprepub_internal.close_links(publication);
	RAISE;
END
$$;
COMMENT ON FUNCTION pprepub_internal.clear_people(text) IS 'give newcomers to the shards that have them first';

CREATE FUNCTION pprepub_internal.clear_on_shards(publication text, people bytea[], shards int[]) RETURNS void
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT FROM pprepub_internal.ask_links($1, true, (
		SELECT array_agg((SELECT format('SELECT pprepub_internal.shard_clear(%L, %L)::pg_catalog.text', s.shard_publication, array_agg(u.person))
			FROM unnest($2, $3) u(person, shard) WHERE u.shard = s.shard HAVING count(*) > 0) ORDER BY s.shard)
		FROM pprepub.shard s WHERE s.publication = $1))
$$;
COMMENT ON FUNCTION pprepub_internal.clear_on_shards(text, bytea[], int[]) IS 'tell each shard whom it may show';

-- Declarations

-- "a.b", or a list in braces with a word for each shard.
CREATE FUNCTION pprepub_internal.word_for_each(words text, shards int) RETURNS text[]
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT CASE WHEN $1 LIKE '{%' THEN $1::text[] ELSE array_fill($1, ARRAY[$2]) END $$;
COMMENT ON FUNCTION pprepub_internal.word_for_each(text, int) IS 'a word for each shard';

CREATE FUNCTION pprepub.create_sharded_publication(publication text, servers name[], source text, key name, quasi_identifiers jsonb, sensitive text, shard text,
		shards text[] DEFAULT NULL, method text DEFAULT 'bpg', params jsonb DEFAULT '{}', insensitive name[] DEFAULT '{}', target name DEFAULT 'published',
		rows text DEFAULT 'one', max_rows int DEFAULT 10) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	n CONSTANT int := coalesce(cardinality(servers), 0);
	sources CONSTANT text[] := pprepub_internal.word_for_each(source, n);
	words CONSTANT text[] := coalesce(shards, (SELECT array_agg(i::text) FROM generate_series(0, n - 1) i));
	-- A server's name, or the value where servers repeat; in no case what a release or a view of all is called.
	names CONSTANT text[] := (SELECT array_agg(CASE WHEN pprepub_internal.is_name_of(publication || '_' || n.word, publication) THEN publication || '_shard' ELSE publication || '_' END || n.word ORDER BY u.i)
		FROM unnest(servers, words) WITH ORDINALITY u(s, w, i)
			CROSS JOIN LATERAL (SELECT CASE WHEN (SELECT count(*) FROM unnest(servers) o(s) WHERE o.s = u.s) = 1 THEN u.s::text ELSE u.w END AS word) n);
	secret CONSTANT bytea := sha256((gen_random_uuid()::text || gen_random_uuid())::bytea);
	wrong text[];
	decides boolean;
BEGIN
	wrong := CASE
		WHEN EXISTS (SELECT FROM pprepub.shard s WHERE s.publication = create_sharded_publication.publication) THEN ARRAY['42710', format('publication "%s" already exists', publication),
			'It is one of shards.', format('Choose another name, or call pprepub.drop_publication(%L) first.', publication)]
		WHEN n NOT BETWEEN 1 AND 999 THEN ARRAY['22023', 'a sharded publication needs 1 to 999 servers', format('There are %s.', n), 'Name a server of postgres_fdw for each shard; one may repeat.']
		WHEN cardinality(sources) <> n OR cardinality(words) <> n THEN ARRAY['22023', format('there must be a source and a value for each of %s shards', n),
			format('There are %s source(s) and %s value(s).', cardinality(sources), cardinality(words)), 'Name one source for all, or a list; "shards" lists the values of "shard", which are 0, 1, … without it.']
		WHEN (SELECT count(DISTINCT w) FROM unnest(words) w) < n THEN ARRAY['22023', 'each shard must have a value of its own, and none is null', format('They are %s.', words::text), 'List different values in "shards".']
		WHEN params ?| ARRAY['t', 'beta', 'delta'] AND NOT params ? 'distribution' THEN ARRAY['22023', 'shards must be compared with one declared distribution',
			'Each would take that of its own people for that of all.', 'Give a table that all shards have: "distribution".'] END;
	IF wrong IS NOT NULL THEN
		RAISE EXCEPTION '%', wrong[2] USING ERRCODE = wrong[1], DETAIL = wrong[3], HINT = wrong[4];
	END IF;
	PERFORM pprepub_internal.note_sharded(publication, target, true, servers, names);
	PERFORM pprepub_internal.verify_one_distribution(publication, params);
	SELECT bool_and(a.answer::boolean) INTO decides FROM pprepub_internal.in_two_phases(publication, 'create', (
		SELECT array_agg(format('SELECT pprepub_internal.create_shard(%L, %L, %L, %L, %L, %L, %L, %L, %L, %L, %L, %L, %L, %L)::pg_catalog.text', u.name, u.source, key, quasi_identifiers,
			sensitive, method, params, insensitive, target, rows, max_rows, format('(%s)::pg_catalog.text OPERATOR(pg_catalog.=) %L', shard, u.word),
			(SELECT array_agg(b.name) FROM unnest(names, servers) WITH ORDINALITY b(name, server, i) WHERE b.i < u.i AND b.server = u.server), secret) ORDER BY u.i)
		FROM unnest(names, sources, words, servers) WITH ORDINALITY u(name, source, word, server, i)), false) a;
	PERFORM pprepub_internal.note_sharded(publication, target, decides, servers, names);
	PERFORM pprepub_internal.make_target(publication, target);
	PERFORM pprepub_internal.show_sharded(publication);
END
$$;
COMMENT ON FUNCTION pprepub.create_sharded_publication(text, name[], text, name, jsonb, text, text, text[], text, jsonb, name[], name, text, int) IS
	'declare a publication over shards, each with a server and a source';

-- Shards that compared with different ones would promise different things.
CREATE FUNCTION pprepub_internal.verify_one_distribution(publication text, params jsonb) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	IF params ->> 'distribution' IS NOT NULL AND 1 < (SELECT count(DISTINCT a.answer)
		FROM pprepub_internal.on_shards(publication, format('SELECT pg_catalog.array_agg(d::pg_catalog.text ORDER BY d::pg_catalog.text COLLATE "C") AS d FROM %s d',
			(SELECT string_agg(quote_ident(w), '.' ORDER BY i) FROM unnest(parse_ident(params ->> 'distribution')) WITH ORDINALITY u(w, i)))) a) THEN
		RAISE EXCEPTION 'table % differs from shard to shard', params ->> 'distribution' USING ERRCODE = 'invalid_parameter_value',
			HINT = 'Give all shards the rows of one distribution.';
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.verify_one_distribution(text, jsonb) IS 'raise an error if shards would be compared with different distributions';

-- On a shard.  True if the key alone tells the shard.
CREATE FUNCTION pprepub_internal.create_shard(publication text, source text, key name, quasi_identifiers jsonb, sensitive text, method text, params jsonb, insensitive name[],
		target name, rows text, max_rows int, shard text, beside name[], secret bytea) RETURNS boolean
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
DECLARE
	decides boolean;
BEGIN
	PERFORM pprepub.create_publication(publication, source::regclass, key, quasi_identifiers, sensitive, method, params, insensitive, target, coalesce(beside, '{}'),
		rows => rows, max_rows => max_rows, shard => shard);
	decides := (SELECT p.shard_of_key FROM pprepub.publication p WHERE p.name = publication);
	IF NOT decides THEN
		PERFORM pprepub_internal.shard_guard(publication, secret);
	END IF;
	RETURN decides;
END
$$;
COMMENT ON FUNCTION pprepub_internal.create_shard(text, text, name, jsonb, text, text, jsonb, name[], name, text, int, text, name[], bytea) IS 'declare the publication of a shard';

-- The shards may stand in this database, and have made the schemas by now.
CREATE FUNCTION pprepub_internal.make_target(publication text, target name) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET citus.enable_ddl_propagation = off
	AS $$
#variable_conflict use_variable
BEGIN
	PERFORM pprepub_internal.make_schemas(target);
	IF to_regclass(format('%I.catalog', target)) IS NULL THEN
		EXECUTE format('CREATE VIEW %I.catalog AS SELECT object, shows, costs, may_read FROM pprepub.catalog WHERE target = %L', target, target);
		EXECUTE format('GRANT SELECT ON %I.catalog TO PUBLIC', target);
		EXECUTE format('COMMENT ON VIEW %I.catalog IS %L', target, 'what is published in this schema, what it costs, and whether you may read it');
	END IF;
	IF pprepub_internal.registry_of(publication) IS NOT NULL THEN
		EXECUTE format('CREATE TABLE %s (person bytea PRIMARY KEY, shard int NOT NULL)', pprepub_internal.registry_of(publication));
	END IF;
END
$$;
COMMENT ON FUNCTION pprepub_internal.make_target(text, name) IS 'make what stands in the target of a sharded publication before there are releases';

CREATE FUNCTION pprepub_internal.sharded_alter_publication(publication text, params jsonb, add_quasi_identifiers jsonb, add_insensitive name[]) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
BEGIN
	PERFORM pprepub_internal.lock_sharded(publication);
	PERFORM pprepub_internal.verify_one_distribution(publication, params);
	PERFORM pprepub_internal.in_two_phases(publication, 'alter', pprepub_internal.for_shards(publication,
		format('SELECT pprepub.alter_publication({publication}, %L, %L, %L)::pg_catalog.text', params, add_quasi_identifiers, add_insensitive)), false);
	PERFORM pprepub_internal.show_sharded(publication);
END
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_alter_publication(text, jsonb, jsonb, name[]) IS 'body of alter_publication() for sharded publications';

CREATE FUNCTION pprepub_internal.drop_shown(publication text, cascade boolean) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET citus.enable_ddl_propagation = off
	AS $$
#variable_conflict use_variable
DECLARE
	target CONSTANT name := (SELECT s.target FROM pprepub.shard s WHERE s.publication = drop_shown.publication LIMIT 1);
	made text;
BEGIN
	FOR made IN
		SELECT d.made FROM (
			SELECT 1 AS place, format('DROP FUNCTION %s %s', f.oid::regprocedure, CASE WHEN cascade THEN 'CASCADE' END) AS made
				FROM pg_proc f WHERE f.pronamespace = quote_ident(target)::regnamespace AND f.proname = publication || '_counts'
			UNION ALL SELECT CASE WHEN c.relname LIKE '%\_all' THEN 3 ELSE 2 END, format('DROP VIEW %s %s', c.oid::regclass, CASE WHEN cascade THEN 'CASCADE' END)
				FROM pg_class c WHERE c.relnamespace = quote_ident(target)::regnamespace AND c.relkind = 'v'
					AND (c.relname = publication OR pprepub_internal.is_name_of(c.relname::text, publication))
			UNION ALL SELECT 4, format('DROP %s %s', CASE c.relkind WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END, c.oid::regclass)
				FROM pg_class c WHERE c.relnamespace = quote_ident(target || '_private')::regnamespace AND starts_with(c.relname, publication || '_')
					AND (c.relkind = 'f' AND substr(c.relname, length(publication) + 2) ~ '^[0-9]+_([0-9]+|all|releases|now|answers|counterfeits)$' OR c.relname = publication || '_shards_people')) d
		ORDER BY d.place
	LOOP
		EXECUTE made;
	END LOOP;
END
$$;
COMMENT ON FUNCTION pprepub_internal.drop_shown(text, boolean) IS 'drop what stands on the coordinator for a sharded publication';

-- It is tried here first, and undone: shards in this database would wait for its locks.  Shards that have dropped theirs have, as a caller's
-- rollback does not take that back.
CREATE FUNCTION pprepub_internal.sharded_drop_publication(publication text, forget_history boolean, keep_releases boolean, cascade boolean) RETURNS void
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
#variable_conflict use_variable
BEGIN
	PERFORM pprepub_internal.lock_sharded(publication);
	IF keep_releases THEN
		RAISE EXCEPTION 'the releases of a sharded publication cannot be kept' USING ERRCODE = 'feature_not_supported',
			HINT = 'Drop the publication of each shard with keep_releases => true.';
	END IF;
	BEGIN
		PERFORM pprepub_internal.drop_shown(publication, cascade);
		RAISE SQLSTATE 'PPDRY';
	EXCEPTION WHEN SQLSTATE 'PPDRY' THEN
	END;
	PERFORM pprepub_internal.in_two_phases(publication, 'drop', pprepub_internal.for_shards(publication,
		format('SELECT pprepub.drop_publication(p.name, %L, false, %L)::pg_catalog.text FROM pprepub.publication p WHERE p.name OPERATOR(pg_catalog.=) {publication}', forget_history, cascade)), false);
	PERFORM pprepub_internal.drop_shown(publication, cascade);
	PERFORM pprepub_internal.note_sharded(publication, NULL, NULL, NULL, NULL);
END
$$;
COMMENT ON FUNCTION pprepub_internal.sharded_drop_publication(text, boolean, boolean, boolean) IS 'body of drop_publication() for sharded publications';

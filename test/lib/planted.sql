-- Releases that were not made by a method, put past all protection among those of a publication that has one: for match
-- joins of cells that no method makes.
--
--	planted.release(publication, rows, columns, keyed)
--
-- rows is a query of a column "key", in the key's own type, and then the columns of a release but the class, as the
-- release is to show them, withheld cells and all.  Rows with equal cells become a class.  keyed: the log tells whose
-- they are.  The number of the release.
CREATE SCHEMA planted;

CREATE FUNCTION planted.release(pub text, query text, columns name[], keyed boolean DEFAULT true) RETURNS int LANGUAGE plpgsql AS $fn$
DECLARE
	p record;
	made text;
	names text;			-- of a release's columns but the class
	cells text;			-- of them, the quasi-identifiers
	sensitive name;
	n bigint;
BEGIN
	SELECT c.publication, releases + 1 AS number, target INTO STRICT p FROM pprepub_internal.catalog_publication c WHERE name = pub;
	SELECT string_agg(quote_ident(name), ', ' ORDER BY position), string_agg(quote_ident(name), ', ' ORDER BY position) FILTER (WHERE role = 'quasi-identifier'),
		max(name::text) FILTER (WHERE role = 'sensitive')
		INTO names, cells, sensitive FROM pprepub_internal.catalog_column WHERE publication = p.publication AND role <> 'key';
	made := format('%I.%I', p.target, pub || '_' || p.number);
	SET LOCAL session_replication_role = replica;
	EXECUTE format('CREATE TEMP TABLE planted_rows AS SELECT dense_rank() OVER (ORDER BY %s) AS class, q.* FROM (%s) q', cells, query);
	EXECUTE format('CREATE TABLE %s (LIKE %I.%I) USING pprepub', made, p.target, pub || '_1');
	EXECUTE format('INSERT INTO %s (class, %s) SELECT class, %2$s FROM planted_rows ORDER BY class', made, names);
	GET DIAGNOSTICS n = ROW_COUNT;
	INSERT INTO pprepub_internal.catalog_relation VALUES (made::regclass, p.publication, 'release', 1);
	INSERT INTO pprepub_internal.catalog_release SELECT (jsonb_populate_record(r, jsonb_build_object('number', p.number, 'kind', 'imported', 'identified', keyed,
		'relation', made, 'columns', release.columns, 'rows', n))).* FROM pprepub_internal.catalog_release r WHERE publication = p.publication AND number = 1;
	UPDATE pprepub_internal.catalog_publication SET releases = p.number WHERE publication = p.publication;
	IF keyed THEN
		SET LOCAL allow_system_table_mods = on;
		UPDATE pg_class SET relhastriggers = false WHERE oid = format('%I.%I', p.target || '_private', pub || '_members')::regclass;
		EXECUTE format('INSERT INTO %I.%I (release, class, keys, places, sensitive, fingerprints)
			SELECT %s, r.class, array_agg(r.key), array_agg(NULL::int), array_agg(s.%I), array_agg(0) FROM planted_rows r JOIN %I.%I s ON s.%I = r.key GROUP BY r.class',
			p.target || '_private', pub || '_members', p.number, sensitive, p.target || '_private', pub || '_source',
			(SELECT name FROM pprepub_internal.catalog_column WHERE publication = p.publication AND role = 'key'));
		UPDATE pg_class SET relhastriggers = true WHERE oid = format('%I.%I', p.target || '_private', pub || '_members')::regclass;
		SET LOCAL allow_system_table_mods = off;
	END IF;
	DROP TABLE planted_rows;
	SET LOCAL session_replication_role = origin;
	RETURN p.number;
END
$fn$;

-- forecast() is asked and forgotten: nothing is written, drawn, kept or locked that preview() would not, and it can be cancelled.
CREATE TABLE people AS SELECT i AS id, i * 37 % 80 AS age, 'd' || i % 7 AS ill, i / 20 AS month FROM generate_series(1, 2000) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 3, "leaves": "month"}') \g /dev/null
SELECT pprepub.publish('people') \g /dev/null
DELETE FROM people WHERE id % 20 = 0;
SELECT pprepub.publish('people') \g /dev/null
DELETE FROM people WHERE id % 20 = 1;

CREATE FUNCTION cancelled(sql text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE sql;
	RETURN false;
EXCEPTION WHEN query_canceled THEN
	RETURN true;
END $$;
CREATE VIEW written AS SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) AS n FROM pg_stat_xact_all_tables WHERE relname !~ '^__t';
-- All that is stored, row by row, with the places where it stands; what sequences have drawn; what relations there are.
CREATE FUNCTION state_of(relation regclass) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text;
BEGIN
	EXECUTE format('SELECT coalesce(md5(string_agg(%s, '';'' ORDER BY ctid)), '''') FROM %s t',
		CASE (SELECT relkind FROM pg_class WHERE oid = relation) WHEN 'S' THEN 'concat(last_value, is_called)' ELSE 't::text' END, relation) INTO state;
	RETURN state;
END $$;
CREATE VIEW state AS
	SELECT c.oid::regclass::text AS what, state_of(c.oid) AS state FROM pg_class c
	WHERE c.relkind IN ('r', 'S') AND c.relnamespace IN ('pprepub'::regnamespace, 'pprepub_internal'::regnamespace, 'published'::regnamespace, 'published_private'::regnamespace)
	UNION ALL SELECT 'relations', md5(string_agg(c::text, ';' ORDER BY c.oid)) FROM (SELECT oid, relname, relfilenode, relacl, relnamespace FROM pg_class WHERE relpersistence <> 't' AND relname !~ '^(before|pg_toast)') c
	UNION ALL SELECT 'functions', md5(string_agg(p::text, ';' ORDER BY p.oid)) FROM (SELECT oid, proname, proacl FROM pg_proc) p;
CREATE TABLE before AS SELECT * FROM state;
CREATE TEMP VIEW locked AS SELECT locktype, relation::regclass::text, classid, objid, objsubid, mode FROM pg_locks WHERE pid = pg_backend_pid() AND locktype NOT IN ('virtualxid', 'transactionid')
	AND coalesce(relation::regclass::text, '') !~ '^(pg_|__t)' AND NOT EXISTS (SELECT FROM pg_index WHERE indexrelid = relation);	-- who plans a query locks indexes

-- In a transaction that may not write, and does not.
BEGIN READ ONLY;
SELECT n AS before FROM written \gset
SELECT count(*) AS simple FROM pprepub.forecast('people', 20) \gset
SELECT count(*) AS other FROM pprepub.forecast('people', 20, 0.1, 0.12, 0.3, 0.01, 0.01, 0.1, 0.1, 1, '{"k": 2, "repair": "dirty", "reserve": 1}') \gset
SELECT pg_current_xact_id_if_assigned() IS NULL AS writes_nothing, n - :before AS counted FROM written \gset
COMMIT;
SELECT is(:simple, 20, 'it works when read only');
SELECT is(:other, 20, 'with other parameters, too');
SELECT ok(:'writes_nothing', 'no transaction number was drawn, so nothing was written');
SELECT is(:counted, 0, 'nor counted');
SELECT bag_eq('TABLE state', 'TABLE before', 'all is as it was');

BEGIN;
SELECT count(*) AS n FROM pprepub.preview('people') \gset
SELECT coalesce(string_agg(DISTINCT concat_ws(' ', locktype, relation, classid, objid, objsubid, mode), ';'), '') AS by_preview
	FROM locked WHERE coalesce(relation, '') !~ 'people_members$|^pprepub\.|catalog_(release|reader|lookup|source)$' \gset
COMMIT;
BEGIN;
SELECT count(*) AS n FROM pprepub.forecast('people', 5) \gset
SELECT is(string_agg(DISTINCT concat_ws(' ', locktype, relation, classid, objid, objsubid, mode), ';'), :'by_preview', 'it locks what a preview locks, beside the log and the catalog')
	FROM locked WHERE coalesce(relation, '') !~ 'people_members$|^pprepub\.|catalog_(release|reader|lookup|source)$';
SELECT is_empty($$ SELECT * FROM locked WHERE mode !~ 'AccessShare' $$, 'and shares it with everybody who looks');
COMMIT;

-- Cancelled in the middle: nothing stays behind, and the next one is as any other.
SET statement_timeout = '300ms';
SELECT cancelled($$ SELECT count(*) FROM pprepub.forecast('people', 1000, 0.05, 0.053) $$) AS is_cancelled \gset
RESET statement_timeout;
SELECT ok(:'is_cancelled', 'it can be cancelled');
SELECT bag_eq('TABLE state', 'TABLE before', 'and is forgotten');
SELECT results_eq($$ SELECT * FROM pprepub.forecast('people', 5, 0.05) $$, $$ SELECT * FROM pprepub.forecast('people', 5, 0.05) $$, 'the same question has the same answer');

-- Memory of a release is given back: a long forecast takes hardly more than a short one.
CREATE FUNCTION resident() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s+(\d+) kB'))[1]::bigint $$;
SELECT count(*) FROM pprepub.forecast('people', 20, 0.05) \g /dev/null
SELECT resident() AS short \gset
SELECT count(*) FROM pprepub.forecast('people', 200, 0.05) \g /dev/null
SELECT cmp_ok(resident() - :short, '<', 8192::bigint, 'kilobytes more, for ten times as many releases');

-- The source runs as it does for a preview: once, and its errors are the owner's.
CREATE VIEW failing AS SELECT id, age / CASE WHEN id = 77 THEN 0 ELSE 1 END AS age, ill FROM people;
SELECT pprepub.create_publication('failing', 'failing', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}', beside => '{people}') \g /dev/null
SELECT throws_ok($$ SELECT * FROM pprepub.forecast('failing', 3) $$, '22012', NULL, 'an error of the source');
CREATE SEQUENCE reads;
CREATE VIEW counting AS SELECT id, age, ill, nextval('reads') > 0 AS counted FROM people;
SELECT pprepub.create_publication('counting', 'counting', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "l": 2}', '{counted}', beside => '{people,failing}') \g /dev/null
SELECT nextval('reads') AS first \gset
SELECT count(*) FROM pprepub.forecast('counting', 10) \g /dev/null
SELECT is(nextval('reads') - :first, (SELECT count(*) + 1 FROM people), 'the source is read once, however many releases there are');

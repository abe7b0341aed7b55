-- The log is read from the newest class on, as far as is needed; people stand in several arrays.
BEGIN;

CREATE TABLE people AS SELECT i AS id, 20 + i % 50 AS age, 'd' || i % 9 AS ill FROM generate_series(1, 140000) i;
CREATE TABLE few AS SELECT * FROM people WHERE id <= 300;
SELECT pprepub.create_publication('big', 'people', 'id', '{"age": "range"}', 'ill', 'm-invariance', '{"m": 4}') \g /dev/null
SELECT pprepub.create_publication('few', 'few', 'id', '{"age": "range"}', 'ill', 'm-invariance', '{"m": 4}', beside => '{big}') \g /dev/null
CREATE FUNCTION go_on(name text, source regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.publish(name);
	EXECUTE format('DELETE FROM %s WHERE id %% 10 = (SELECT count(*) FROM pprepub.release WHERE publication = %L)', source, name);
	EXECUTE format('INSERT INTO %1$s SELECT * FROM (SELECT i, 20 + i %% 50, ''d'' || i %% 9 FROM generate_series(1, 330) i ORDER BY hashint4(i) LIMIT 40) v
		WHERE NOT EXISTS (SELECT FROM %1$s p WHERE p.id = i)', source);
END $$;
SELECT go_on('big', 'people') FROM generate_series(1, 2) \g /dev/null
SELECT go_on('few', 'few') FROM generate_series(1, 4) \g /dev/null
SELECT cmp_ok(count(*), '>', 1::bigint, 'several arrays of one release') FROM published_private.big_people WHERE came = 1;
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('big') WHERE NOT holds), NULL, 'who are those of the log');

-- Past all protection: the same rows, the last one first, and then one less.
SET session_replication_role = replica;
SET allow_system_table_mods = on;
UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.few_members'::regclass;
CREATE TEMP TABLE classes AS SELECT row_number() OVER () AS n, m.* FROM published_private.few_members m;
ALTER TABLE classes DROP n;
CREATE FUNCTION restore(query text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE published_private.few_members;
	EXECUTE 'INSERT INTO published_private.few_members ' || query;
END $$;
SELECT restore('SELECT * FROM classes ORDER BY release DESC, class DESC') \g /dev/null
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('few') WHERE NOT holds), NULL, 'audit() reads them in any order');
SELECT throws_ok($$ SELECT pprepub.publish('few') $$, 'XX001', 'the log of publication "few" is not whole', 'publish() does not take an old class for the last one');
SELECT restore('SELECT * FROM classes ORDER BY release, class DESC') \g /dev/null
SELECT lives_ok($$ SELECT go_on('few', 'few') $$, 'it finds everybody where releases stand in their order');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('few') WHERE NOT holds), NULL, 'where he was');
SELECT restore('SELECT * FROM classes WHERE class <> (SELECT max(class) FROM classes WHERE release = 4)') \g /dev/null
SELECT throws_ok($$ SELECT pprepub.publish('few') $$, 'XX001', NULL, 'a class that is gone is missed');

-- A worker that rests keeps where people are in the fold. When that was damaged, and made anew from the log, it does
-- not go on with what it kept.
CREATE TABLE people AS SELECT i AS id, i AS age, 'd' || i % 3 AS ill FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5, "max_added": 1}') \g /dev/null
CREATE FUNCTION broken() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(check_name, ' ') FROM pprepub.audit('people') WHERE NOT holds $$;

-- Some become unknown people, as many as there were; which, is kept.
CREATE TABLE lost (id int);
CREATE PROCEDURE damage() LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL allow_system_table_mods = on;
	UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.people_neighborhoods'::regclass;
	TRUNCATE lost;
	WITH one AS (SELECT min(neighborhood) AS n FROM published_private.people_neighborhoods WHERE keys[1] < 1000)
	INSERT INTO lost SELECT unnest(keys) FROM published_private.people_neighborhoods, one WHERE neighborhood = n;
	UPDATE published_private.people_neighborhoods SET keys = (SELECT array_agg(k + 1000) FROM unnest(keys) k) WHERE keys[1] = ANY (SELECT id FROM lost);
	UPDATE pg_class SET relhastriggers = true WHERE oid = 'published_private.people_neighborhoods'::regclass;
END $$;

SELECT is((SELECT count(*) FROM published.people()), 60::bigint, 'everybody');
CALL damage();
SELECT is(broken(), 'invariant', 'the fold is damaged');
-- A worker that begins now looks at it after the first question, which is refused.
SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE backend_type = 'pprepub answer' \g /dev/null
SELECT throws_ok($$ SELECT * FROM published.people(columns => '{height}') $$, '42703', NULL, 'a worker has seen it');
SELECT pg_sleep(0.3) \g /dev/null
SELECT is((SELECT equal FROM pprepub.rebuild_history('people')), false, 'it is made anew');
SELECT is(broken(), NULL, 'and whole');
SELECT format('SELECT cmp_ok((SELECT count(*) FROM published.people(''age IN (%s)'')), ''>='', 0::bigint, ''asked for'')', string_agg(id::text, ', ')) FROM lost \gexec
SELECT is(broken(), NULL, 'who had been lost is found again');

-- Its rows may be anywhere then.
SELECT cmp_ok((SELECT count(*) FROM published.people('age > 30')), '>=', 30::bigint, 'half of them');
SELECT is((SELECT count(*) FROM published.people()), 60::bigint, 'everybody again');
CALL damage();
SELECT is((SELECT equal FROM pprepub.rebuild_history('people')), false, 'made anew once more');
VACUUM FULL published_private.people_neighborhoods;
SELECT cmp_ok((SELECT count(*) FROM published.people('age < 30')), '>=', 29::bigint, 'moved: others');
SELECT is((SELECT count(*) FROM published.people()), 60::bigint, 'moved: everybody');
SELECT is(broken(), NULL, 'moved: all holds');
SELECT is((SELECT equal FROM pprepub.rebuild_history('people')), true, 'moved: as the log tells');

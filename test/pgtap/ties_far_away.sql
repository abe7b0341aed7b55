-- Ties lead from group to group.  An answer about few people follows them to a hundred groups; where they lead further, nothing new is shown.
CREATE TABLE ring (id int PRIMARY KEY, a int, ill text);
-- n groups of two, and others: the log is made to say that one of each came from the next group after release 1.
CREATE PROCEDURE make_ring(n int) LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE ring;
	INSERT INTO ring SELECT i, i / 2, 'x' FROM generate_series(0, 2 * n + 39) i;
	PERFORM pprepub.create_publication('ring', 'ring', 'id', '{"a": "range"}', 'ill', params => '{"k": 2, "l": 1, "reserve": 1}'), pprepub.publish('ring'), pprepub.publish('ring');
	SET LOCAL allow_system_table_mods = on;
	UPDATE pg_class SET relhastriggers = false WHERE oid = 'published_private.ring_members'::regclass;
	CREATE TEMP TABLE told AS SELECT * FROM published_private.ring_members;
	UPDATE told SET keys = (SELECT array_agg(CASE WHEN k < 2 * n AND k % 2 = 0 THEN (k + 2) % (2 * n) ELSE k END ORDER BY i) FROM unnest(keys) WITH ORDINALITY u(k, i)) WHERE release = 1;
	TRUNCATE published_private.ring_members;
	INSERT INTO published_private.ring_members SELECT * FROM told ORDER BY release, class;
	DROP TABLE told;
	UPDATE pg_class SET relhastriggers = true WHERE oid = 'published_private.ring_members'::regclass;
	PERFORM pprepub.rebuild_history('ring');
	UPDATE ring SET ill = 'y' WHERE a = 5;
END $$;
CALL make_ring(101);
SELECT is(string_agg(ill, ' '), 'y y', 'ties to a hundred groups more') FROM published.ring('a = 5');
SELECT pprepub.drop_publication('ring', forget_history => true) \g /dev/null
CALL make_ring(102);
SELECT is(string_agg(ill, ' '), 'x x', 'and to one more') FROM published.ring('a = 5');
SELECT is((SELECT string_agg(ill, ' ') FROM published.ring('a IN (5, 119)')), 'x x x x', 'an answer about others, too, is no way around');
SELECT lives_ok($$SELECT pprepub.publish('ring')$$);
SELECT is(string_agg(ill, ' '), 'y y', 'a release of everybody follows all') FROM published.ring_now WHERE a = 5;

-- Method m-distinct under attack: releases that were rolled back, the order of rows, invented rows that could be recognised, and whoever
-- owns the table of updates, its functions and its policies.
CREATE FUNCTION drawn(i bigint, what bigint) RETURNS float8 LANGUAGE sql IMMUTABLE
RETURN (hashint8extended(i, what) & 16777215) / 16777216.0;

-- A table that only shrinks, so that rows are invented: 12 ills, each of which can become three others.
CREATE TABLE ills (id int PRIMARY KEY, age int, sex text, ill int);
INSERT INTO ills SELECT i, 20 + floor(60 * drawn(i, 1)), (ARRAY['F', 'M'])[1 + floor(2 * drawn(i, 2))::int], floor(12 * power(drawn(i, 3), 1.2)) FROM generate_series(1, 3000) i;
CREATE TABLE course AS SELECT a AS from_value, b AS to_value FROM generate_series(0, 11) a, generate_series(0, 11) b WHERE a / 4 = b / 4;
SELECT pprepub.create_publication('ills', 'ills', 'id', '{"age": "range", "sex": "suppress"}', 'ill', 'm-distinct', '{"m": 3, "updates": "course"}') \g /dev/null
CREATE PROCEDURE pass_time(step int) LANGUAGE sql AS $$
	DELETE FROM ills WHERE drawn(id, 100 + step) < 0.1;
	UPDATE ills SET ill = ill / 4 * 4 + floor(4 * drawn(id, 200 + step)) WHERE drawn(id, 300 + step) < 0.3;
$$;

-- Rolled back: the number is given again, nothing is remembered, and what follows keeps what was promised.
SELECT is(number, 1, 'a release') FROM pprepub.publish('ills');
CALL pass_time(2);
BEGIN;
SELECT is(number, 2, 'another one, which is rolled back') FROM pprepub.publish('ills');
SELECT ok(bool_and(holds), 'while it stands, all is well') FROM pprepub.audit('ills');
ROLLBACK;
SELECT is(count(*), 0::bigint, 'nobody is remembered in it') FROM pprepub.class_members('ills') WHERE release = 2;
SELECT is(count(*), 0::bigint, 'and nobody is told of its invented rows') FROM published.ills_counterfeits WHERE release = 2;
CALL pass_time(3);
SELECT is(number, 2, 'the number is given again') FROM pprepub.publish('ills');
DO $$
BEGIN
	FOR step IN 4 .. 12 LOOP
		CALL pass_time(step);
		BEGIN
			PERFORM pprepub.publish('ills');
			IF step % 3 = 0 THEN
				RAISE EXCEPTION 'again';
			END IF;
		EXCEPTION WHEN raise_exception THEN
			CALL pass_time(50 + step);
			PERFORM pprepub.publish('ills');
		END;
	END LOOP;
END $$;
SELECT is((SELECT jsonb_agg(a) FROM pprepub.audit('ills') a WHERE NOT holds), NULL, 'all of them keep the promise');

-- Which rows are invented, from the log, which observers do not have: each value is in its class once.
CREATE TABLE shown AS
SELECT l.release, l.class, l.sensitive AS ill, l.key IS NULL AS invented
FROM (SELECT release, class, unnest(keys) AS key, unnest(sensitive) AS sensitive FROM published_private.ills_members) l;
CREATE TABLE placed (release int, class bigint, ill int, place bigint, size bigint, class_place bigint);
DO $$
DECLARE
	n int;
BEGIN
	FOR n IN SELECT number FROM pprepub.release LOOP
		EXECUTE format('INSERT INTO placed SELECT %1$s, class, ill, row_number() OVER (PARTITION BY class ORDER BY stands), count(*) OVER (PARTITION BY class), dense_rank() OVER (ORDER BY class)
			FROM (SELECT class, ill, row_number() OVER () AS stands FROM published.ills_%1$s) s', n);
	END LOOP;
END $$;
CREATE VIEW told AS SELECT p.*, s.invented FROM placed p JOIN shown s USING (release, class, ill);
SELECT is((SELECT count(*) FROM told), (SELECT sum(rows) FROM pprepub.release)::bigint, 'every row is found');
SELECT cmp_ok((SELECT count(*) FROM told WHERE invented), '>', 300::bigint, 'and enough of them are invented');
SELECT is((SELECT sum(counterfeits) FROM published.ills_counterfeits), (SELECT count(*) FROM told WHERE invented)::numeric, 'as many as everybody is told');
-- Places in a class are even: of n invented rows the mean of (place - 1/2) / size is 1/2, with a deviation of sqrt(1/12n) at most.
SELECT cmp_ok((SELECT abs(avg((place - 0.5) / size) - 0.5) / sqrt(1.0 / 12 / count(*)) FROM told WHERE invented), '<', 4.5, 'their place in the class tells nothing');
SELECT cmp_ok((SELECT abs(avg((class_place - 0.5) / classes) - 0.5) / sqrt(1.0 / 12 / count(*)) FROM told
		JOIN (SELECT release, max(class) AS classes FROM placed GROUP BY 1) m USING (release) WHERE invented), '<', 4.5, 'nor does the place of the class');
-- Values: as frequent as they are among all true rows, but for what chance does to so many rows.
SELECT cmp_ok((SELECT max(abs(i.share - t.share) / sqrt(t.share * (1 - t.share) * (1 / i.rows + 1 / t.rows))) FROM
		(SELECT ill, count(*) / sum(count(*)) OVER same AS share, sum(count(*)) OVER same AS rows FROM told WHERE invented GROUP BY ill WINDOW same AS (PARTITION BY ill / 4)) i
		JOIN (SELECT ill, count(*) / sum(count(*)) OVER same AS share, sum(count(*)) OVER same AS rows FROM told WHERE NOT invented GROUP BY ill WINDOW same AS (PARTITION BY ill / 4)) t USING (ill)), '<', 5::numeric,
	'of what can become the same, invented rows show what true ones do');
SELECT is((SELECT count(*) FROM told i WHERE invented AND NOT EXISTS (SELECT FROM told t WHERE NOT t.invented AND (t.release, t.ill) = (i.release, i.ill))), 0::bigint,
	'and nothing that no true row shows');

-- Strict lives of a few people who come, leave, come back and change, where m is raised on the way, where releases before were made elsewhere, or
-- without strict: whoever comes under strict keeps as many candidates as m was then (test/lives asks for observers who follow everybody).
SELECT setseed(0.46) \g /dev/null
CREATE TABLE few (id int PRIMARY KEY, zip int, d int);
CREATE TABLE becomes (from_value int, to_value int);
CREATE TABLE promised (release int, m int, is_strict bool);
CREATE TABLE found (life int, key text, m int, candidates int, audit text);
CREATE FUNCTION lead_lives(lives int, begins text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	m int;
	is_strict bool;
	n int;
BEGIN
	FOR life IN 1 .. lives LOOP
		TRUNCATE few, becomes, promised;
		-- four families or more, of one to three values each
		INSERT INTO becomes SELECT v, v FROM generate_series(0, 11) v;
		INSERT INTO becomes SELECT a, b FROM generate_series(0, 11) a, generate_series(0, 11) b WHERE a % 4 = b % 4 AND a <> b AND random() < 0.4;
		INSERT INTO few SELECT i, i, floor(12 * random()) FROM generate_series(1, 3 + (3 * random())::int) i;
		m := 2;
		is_strict := begins <> 'without strict';
		PERFORM pprepub.create_publication('few', 'few', 'id', '{"zip": "range"}', 'd', 'm-distinct', jsonb_build_object('m', m, 'updates', 'becomes', 'strict', is_strict));
		FOR step IN 1 .. 5 LOOP
			IF step <= 2 AND begins = 'elsewhere' THEN
				CREATE TABLE extract AS SELECT id, d, floor(2 * random())::int AS class FROM few;
				PERFORM pprepub.import_release('few', 'extract', key => 'id', accept_changes => true);
				DROP TABLE extract;
			ELSE
				PERFORM pprepub.publish('few');
			END IF;
			INSERT INTO promised VALUES (step, m, is_strict AND NOT (step <= 2 AND begins = 'elsewhere'));
			UPDATE few SET d = (SELECT to_value FROM published_private.few_updates WHERE from_value = d ORDER BY random() LIMIT 1) WHERE random() < 0.3;
			DELETE FROM few WHERE random() < 0.2 AND id > 1;
			INSERT INTO few SELECT 10 * step + i, 20 * random(), floor(12 * random()) FROM generate_series(1, (2 * random())::int) i;
			IF step >= 2 AND NOT is_strict OR m < 4 AND random() < 0.4 THEN
				m := least(4, m + (random() < 0.7)::int);
				is_strict := true;
				PERFORM pprepub.alter_publication('few', jsonb_build_object('m', m, 'strict', is_strict));
			END IF;
		END LOOP;
		INSERT INTO found SELECT life, r.key, f.m, r.candidates, (SELECT string_agg(check_name, ', ') FROM pprepub.audit('few') WHERE NOT holds)
		FROM pprepub.risk_after_updates('few') r
		JOIN (SELECT DISTINCT ON (key) key, p.m, p.is_strict FROM pprepub.class_members('few') JOIN promised p USING (release) ORDER BY key, release) f USING (key) WHERE f.is_strict;
		PERFORM pprepub.drop_publication('few', true);
	END LOOP;
END $$;
SELECT lead_lives(15, 'strict') \g /dev/null
SELECT is((SELECT jsonb_agg(f) FROM found f WHERE candidates < m OR audit IS NOT NULL), NULL, 'strict lives keep m candidates, and the audit knows it');
SELECT cmp_ok((SELECT count(*) FROM found WHERE candidates >= m AND m > 2), '>', 25::bigint, 'also those who came when m was raised');
TRUNCATE found;
SELECT lead_lives(8, 'elsewhere') \g /dev/null
SELECT is((SELECT jsonb_agg(f) FROM found f WHERE candidates < m), NULL, 'so does whoever comes after releases that were made elsewhere');
SELECT lead_lives(8, 'without strict') \g /dev/null
SELECT is((SELECT jsonb_agg(f) FROM found f WHERE candidates < m), NULL, 'or without strict');

-- The owner of the table of updates may do anything with it after it was copied.
SELECT format('GRANT CREATE ON DATABASE %I TO PUBLIC', current_database()) AS grant_create \gexec
GRANT CREATE ON SCHEMA public TO PUBLIC;
CREATE ROLE regress_owns_table;
CREATE ROLE regress_publishes;
GRANT SELECT ON course TO PUBLIC;
SET ROLE regress_owns_table;
CREATE TABLE theirs AS TABLE course;
GRANT SELECT ON theirs TO regress_publishes;
SET ROLE regress_publishes;
CREATE TABLE mine (id int PRIMARY KEY, age int, ill int);
INSERT INTO mine SELECT i, 20 + i % 50, i % 12 FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('mine', 'mine', 'id', '{"age": "range"}', 'ill', 'm-distinct', '{"m": 3, "updates": "theirs"}', target => 'shown_by_me') \g /dev/null
SELECT is(number, 1, 'somebody else''s table') FROM pprepub.publish('mine');
SET ROLE regress_owns_table;
TRUNCATE theirs;
ALTER TABLE theirs ENABLE ROW LEVEL SECURITY;
CREATE POLICY the_first ON theirs USING (from_value < 3);
INSERT INTO theirs TABLE course;
SET ROLE regress_publishes;
UPDATE mine SET ill = ill / 4 * 4 + id % 4;
SELECT is(number, 2, 'which was emptied, and has policies now') FROM pprepub.publish('mine');
SELECT throws_like($$ SELECT pprepub.alter_publication('mine', '{"updates": "theirs"}') $$, '%row-level security%', 'is not copied with rows left out');
RESET ROLE;

-- A table that risk_after_updates() is given is read as the publication's owner, whoever calls.
SET ROLE regress_publishes;
\i test/lib/spy.sql
CREATE VIEW hostile AS SELECT * FROM public.course WHERE public.spy();
RESET ROLE;
SELECT cmp_ok((SELECT count(*) FROM pprepub.risk_after_updates('mine', 'hostile')), '=', 120::bigint, 'a superuser asks, with a hostile view');
SELECT results_eq('SELECT DISTINCT who, super FROM known', $$ VALUES ('regress_publishes'::text COLLATE "C", false) $$, 'which runs as the owner, and cannot become anybody else');
SELECT pprepub.drop_publication('mine', true) \g /dev/null
DROP OWNED BY regress_owns_table, regress_publishes CASCADE;
DROP ROLE regress_owns_table, regress_publishes;

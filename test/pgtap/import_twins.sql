-- Releases of true rows, as long as nobody leaves, that are exported with their keys and imported into a twin publication make
-- the same history there: groups, members, attacks and audits are the same, and lives that go on from there are as safe.
-- Imports of any shape, which keep nothing of what is promised, leave a history that is what its log tells, and no later
-- release tells more of anybody than it may.
\i test/lib/attacker.sql

CREATE FUNCTION draw(choices anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS
	'SELECT choices[1 + floor(random() * array_length(choices, 1))::int]';
CREATE TABLE levels (leaf text, middle text, root text);
INSERT INTO levels SELECT 'n' || i, 'm' || i / 3, 'all' FROM generate_series(0, 8) i;
SELECT pprepub.create_taxonomy('tree', 'levels') \g /dev/null

-- Ages so near to each other that no end of a range is rounded: an import is measured by all that its cells cover.
CREATE FUNCTION people(from_id int, to_id int) RETURNS TABLE (id int, a int, b text, c text, d boolean, s text, w text) LANGUAGE sql VOLATILE AS $$
	SELECT i, CASE WHEN random() > 0.05 THEN floor(random() * 10)::int END, left(md5(random()::text), 2), 'n' || floor(random() * 9)::int,
		random() < 0.5, CASE WHEN random() > 0.05 THEN 's' || floor(random() * 5)::int END, 'w' || i % 3
	FROM generate_series(from_id, to_id) i
$$;

-- Release n of a publication with the key of each row, which has left in an order that says nothing: rows of a class
-- and a value (and what else leaves as it is) are as good as each other.
CREATE FUNCTION export(pub text, n int, shown_columns text, with_class boolean) RETURNS void LANGUAGE plpgsql AS $fn$
DECLARE
	t regclass := relation FROM pprepub.release WHERE publication = pub AND number = n;
	plain text := (SELECT string_agg(c, ', ') FROM unnest(string_to_array(shown_columns, ', ')) c WHERE c IN ('s', 'w'));
BEGIN
	EXECUTE format('CREATE TABLE exported AS
		WITH shown AS (SELECT class, %2$s, row_number() OVER (PARTITION BY class %3$s) AS nth FROM %1$s),
			held AS (SELECT class, key AS person %3$s, row_number() OVER (PARTITION BY class %3$s) AS nth
				FROM %4$I.%5$I m, unnest(keys, sensitive) r (key, s) JOIN (SELECT id, w FROM person) p ON id = key WHERE release = %9$s)
		SELECT %6$s person, %7$s FROM shown JOIN held ON shown.class = held.class AND shown.nth = held.nth %8$s',
		t, shown_columns, ', ' || plain, pub || '_private', pub || '_members', CASE WHEN with_class THEN 'shown.class,' ELSE '' END,
		(SELECT string_agg('shown.' || c, ', ') FROM unnest(string_to_array(shown_columns, ', ')) c),
		(SELECT string_agg(format('AND shown.%1$s IS NOT DISTINCT FROM held.%1$s', c), ' ') FROM unnest(string_to_array(plain, ', ')) c), n);
END
$fn$;

-- All that the extension tells of a publication, but for numbers of classes and groups.
CREATE FUNCTION told(pub text) RETURNS TABLE (what text, said jsonb) LANGUAGE sql AS $$
	SELECT 'members', jsonb_agg(m ORDER BY m::text) FROM (SELECT release, array_agg(key ORDER BY key) FROM pprepub.class_members(pub) GROUP BY release, class) m
	UNION ALL SELECT 'statistics', jsonb_agg(s ORDER BY s::text) FROM pprepub.linked_values(pub) s
	UNION ALL SELECT 'groups', jsonb_agg(n ORDER BY n::text) FROM (SELECT places, people, free, sensitive_values FROM pprepub.groups(pub)) n
	UNION ALL SELECT 'attack', jsonb_agg(a) FROM pprepub.attack(pub) a
	UNION ALL SELECT 'audit', jsonb_agg(a) FROM (SELECT check_name, required, measured, holds FROM pprepub.audit(pub)) a
$$;
CREATE FUNCTION rows_of(pub text, n int, shown text) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	said jsonb;
BEGIN
	EXECUTE format('SELECT jsonb_agg(r ORDER BY r::text) FROM (SELECT %s FROM %s) r', shown, relation)
		FROM pprepub.release WHERE publication = pub AND number = n INTO said;
	RETURN said;
END
$$;

-- ---- Twins ----

CREATE FUNCTION twins(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	seeded text := setseed(number / 1000.0);
	k int := draw('{2,3,5}'::int[]);
	l int := draw('{1,2,3}'::int[]);
	rows int := draw('{30,80,200}'::int[]);
	params jsonb := jsonb_build_object('k', k, 'l', l, 'repair', 'dirty', 'reserve', draw('{1,2,4}'::int[]));
	kinds jsonb := '{"a": "range", "b": "prefix", "c": "taxonomy tree", "d": "suppress"}';
	with_class boolean := number % 4 > 0;
	title text := format('twins %s (k %s, l %s, %s rows%s)', number, k, l, rows, CASE WHEN with_class THEN '' ELSE ', without classes' END);
	shown text;
	r pprepub.release;
	i pprepub.release;
	faults text[];
	steps int := 0;
	is_judged boolean := true;		-- the attacker wants to see sensitive values in all releases
BEGIN
	CREATE TABLE person AS SELECT * FROM people(1, rows);
	CREATE TABLE copied AS TABLE person;
	PERFORM pprepub.create_publication('orig', 'person', 'id', kinds, 's', 'bpg', params, '{w}', 'orig');
	PERFORM pprepub.create_publication('twin', 'copied', 'id', kinds, 's', 'bpg', params, '{w}', 'twin');
	FOR step IN 1 .. 4 LOOP
		shown := draw('{"a, b, c, d, s, w","a, s","b, c","a, b, d, s","c, w","s"}'::text[]);
		TRUNCATE copied;
		INSERT INTO copied TABLE person;
		PERFORM attacker.remember('twin');
		BEGIN
			r := pprepub.publish('orig', CASE WHEN step > 1 AND random() < 0.5 THEN 'a < ' || floor(random() * 40)::int || ' OR a IS NULL' END, string_to_array(shown, ', ')::name[]);
		EXCEPTION WHEN no_data_found THEN
			CONTINUE;
		END;
		steps := steps + 1;
		PERFORM export('orig', r.number, shown, with_class);
		i := pprepub.import_release('twin', 'exported', 'person', accept_changes => true);
		DROP TABLE exported;
		is_judged := is_judged AND shown ~ '\ms\M';
		faults := '{}';
		IF is_judged THEN
			faults := ARRAY(SELECT attacker.faults('twin', k, l) LIMIT 10);
		END IF;
		IF rows_of('orig', r.number, 'a, b, c, d, s, w') IS DISTINCT FROM rows_of('twin', r.number, 'a, b, c, d, s, w') THEN
			faults := faults || format('other rows in release %s, of %s', r.number, shown);
		END IF;
		IF with_class THEN
			faults := faults || ARRAY(SELECT format('%s: %s, not %s', what, t.said, o.said) FROM told('orig') o JOIN told('twin') t USING (what)
				WHERE o.said IS DISTINCT FROM t.said LIMIT 3);
			-- Cells that cover all that leaves are withheld, and then not told from such as cover everybody.
			IF r.suppressed = 0 AND r.cohort IS NULL THEN
				faults := faults || ARRAY(SELECT format('metric %s: %s, not %s', metric, t.value, o.value) FROM pprepub.metrics('orig', r.number) o
					JOIN pprepub.metrics('twin', r.number) t USING (metric) WHERE abs(o.value - t.value) > 1e-6 * (1 + abs(o.value)));
			END IF;
		END IF;
		faults := faults || ARRAY(SELECT 'audit: ' || a FROM pprepub.audit('twin') a WHERE NOT holds) || ARRAY(SELECT 'attack: ' || a FROM pprepub.attack('twin') a WHERE NOT holds);
		IF NOT (SELECT equal FROM pprepub.rebuild_history('twin')) THEN
			faults := faults || 'the fold is not what the log tells'::text;
		END IF;
		RETURN NEXT is(faults, '{}', format('%s, step %s, %s', title, step, shown));
		INSERT INTO person SELECT * FROM people(1000 * step, 1000 * step + floor(rows * random() / 4)::int);
		UPDATE person SET s = 's' || floor(random() * 5)::int WHERE random() < 0.05;
	END LOOP;

	-- The twin goes on by itself.
	TRUNCATE copied;
	INSERT INTO copied TABLE person;
	FOR step IN 1 .. 2 LOOP
		PERFORM attacker.remember('twin');
		BEGIN
			PERFORM pprepub.publish('twin', CASE WHEN step > 1 THEN 'd' END);
		EXCEPTION WHEN no_data_found THEN
		END;
		faults := '{}';
		IF is_judged AND steps > 0 THEN
			faults := ARRAY(SELECT attacker.faults('twin', k, l) LIMIT 10);
		END IF;
		RETURN NEXT is(faults || ARRAY(SELECT 'attack: ' || a FROM pprepub.attack('twin') a WHERE NOT holds)
			|| ARRAY(SELECT 'audit: ' || a FROM pprepub.audit('twin') a WHERE NOT holds), '{}', format('%s goes on', title));
		DELETE FROM copied WHERE random() < 0.1;
		UPDATE copied SET a = floor(random() * 40)::int, b = left(md5(random()::text), 2) WHERE random() < 0.05;
	END LOOP;
	PERFORM pprepub.drop_publication(name, true) FROM pprepub.publication;
	PERFORM attacker.forget('twin');
	DROP TABLE person, copied;
END
$fn$;
SELECT format('SELECT twins(%s)', number) FROM generate_series(1, 12) number \gexec

-- ---- Every type, as it is and as text ----

SELECT setseed(0.3) \g /dev/null
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN grade AS int2 CHECK (VALUE > -9);
SELECT pprepub.create_range_taxonomy('ages', 0, 96, '{1.5,12}') \g /dev/null
CREATE TABLE person (id uuid, small grade, large int8, num numeric(12,3), four float4, eight float8, born date, seen timestamptz, at timestamp,
	years numeric, code varchar(6), letter char(4), flag boolean, mood mood, s numeric(8,2), w jsonb);
INSERT INTO person SELECT md5(i::text)::uuid, i % 9, i * 100000000000, i * random(), random(), exp(random() * 50), '2000-01-01'::date + (random() * 4000)::int,
	'2020-01-01'::timestamptz + random() * interval '1000 days', '2020-01-01'::timestamp + random() * interval '1000 days', (random() * 95)::numeric(6,3),
	left(md5(random()::text), 1 + i % 6), 'x' || i % 5, random() < 0.5, (ARRAY['sad', 'ok', 'happy'])[1 + i % 3]::mood, i % 7 + 0.5, jsonb_build_object('n', i % 4)
FROM generate_series(1, 120) i;
UPDATE person SET small = NULL, born = NULL, flag = NULL WHERE random() < 0.05;
CREATE TABLE copied AS TABLE person;
SELECT pprepub.create_publication('orig', 'person', 'id', kinds, 's', 'bpg', '{"k": 3, "l": 2}', '{w}', 'orig'),
	pprepub.create_publication('twin', 'copied', 'id', kinds, 's', 'bpg', '{"k": 3, "l": 2}', '{w}', 'twin')
FROM (SELECT '{"small": "range", "large": "range", "num": "range", "four": "range", "eight": "range", "born": "range", "seen": "range", "at": "range",
	"years": "taxonomy ages", "code": "prefix", "letter": "suppress", "flag": "suppress", "mood": "suppress"}'::jsonb AS kinds) k \g /dev/null
SELECT 'small, large, num, four, eight, born, seen, at, years, code, letter, flag, mood, s, w' AS all_columns \gset
SELECT pprepub.publish('orig', columns => string_to_array(c, ', ')::name[])
	FROM unnest(ARRAY['small, large', 'num, four', 'eight, born', 'seen, at', 'years, code', 'letter, flag, mood', :'all_columns']) c \g /dev/null
-- Each in its own type, and then all as text; what a release withheld is * there.
SELECT format('CREATE VIEW typed_%1$s AS SELECT m.key AS person, r.* FROM (SELECT *, row_number() OVER (PARTITION BY class, s, w) AS nth FROM %2$s) r
	JOIN (SELECT m.key, m.class, %3$s AS s, %4$s AS w, row_number() OVER (PARTITION BY m.class, %3$s, %4$s) AS nth
		FROM pprepub.class_members(''orig'') m JOIN person p ON p.id = m.key::uuid WHERE release = %1$s) m USING (class, nth)
	WHERE m.s IS NOT DISTINCT FROM r.s AND m.w IS NOT DISTINCT FROM r.w', number, relation,
	CASE WHEN columns IS NULL OR 's' = ANY (columns) THEN 'p.s' ELSE 'NULL::numeric' END, CASE WHEN columns IS NULL OR 'w' = ANY (columns) THEN 'p.w' ELSE 'NULL::jsonb' END)
FROM pprepub.release WHERE publication = 'orig' ORDER BY number \gexec
CREATE FUNCTION adopt(n int, as_text boolean) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	shown text[] := coalesce(r.columns::text[], string_to_array('small, large, num, four, eight, born, seen, at, years, code, letter, flag, mood, s, w', ', '))
		FROM pprepub.release r WHERE publication = 'orig' AND number = n;
	i int;
BEGIN
	EXECUTE format('CREATE TABLE attempt AS SELECT person%1$s, class, %2$s FROM typed_%3$s', CASE WHEN as_text THEN '' ELSE '::uuid' END,
		(SELECT string_agg(CASE WHEN as_text THEN format('CASE WHEN %1$I::text = ''(,)'' THEN ''*'' ELSE %1$I::text END AS %1$I', c) ELSE quote_ident(c) END, ', ') FROM unnest(shown) c), n);
	SELECT number INTO i FROM pprepub.import_release('twin', 'attempt', 'person');
	DROP TABLE attempt;
	RETURN NEXT is(rows_of('twin', i, 'class, ' || array_to_string(shown, ', ')) IS NOT NULL AND
		rows_of('twin', i, array_to_string(shown, ', ')) = rows_of('orig', n, array_to_string(shown, ', ')), true,
		format('release %s of %s%s is the same again', n, shown, CASE WHEN as_text THEN ', as text,' ELSE '' END));
END
$fn$;
SELECT format('SELECT adopt(%s, %L)', n, as_text) FROM generate_series(1, 7) n, unnest('{f,t}'::bool[]) as_text ORDER BY as_text, n \gexec
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('twin') WHERE NOT holds), NULL, 'and all of it stands up to an audit');
SELECT is((SELECT jsonb_agg(n ORDER BY n::text) FROM (SELECT places, people, free, sensitive_values FROM pprepub.groups('twin')) n),
	(SELECT jsonb_agg(n ORDER BY n::text) FROM (SELECT places, people, free, sensitive_values FROM pprepub.groups('orig')) n), 'and tells of people what the other one does');
SELECT is((SELECT equal FROM pprepub.rebuild_history('twin')), true, 'and the fold is what the log tells');
DO $$
BEGIN
	FOR n IN 1 .. 7 LOOP EXECUTE format('DROP VIEW typed_%s', n); END LOOP;
	PERFORM pprepub.drop_publication(name, true) FROM pprepub.publication;
END
$$;
DROP TABLE person, copied;

-- ---- Any shape ----

CREATE TABLE person AS SELECT * FROM people(1, 0);
CREATE TABLE known AS SELECT id, s FROM people(1, 0);		-- what they have, and keep
CREATE TABLE attempted AS SELECT p.*, 0 AS dice FROM people(1, 0) p;
CREATE VIEW chosen AS SELECT * FROM attempted;

-- Classes of release n that are too small, or show too little.
CREATE FUNCTION too_weak(n int, k int, l int) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT format(''%%s rows with %%s values'', count(*), count(DISTINCT s)) FROM %s GROUP BY class HAVING count(*) < %s OR %s > 1 AND count(DISTINCT s) < %3$s',
		relation, k, l) FROM pprepub.release WHERE publication = 'shape' AND number = n;
END $$;

CREATE FUNCTION any_shape(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	seeded text := setseed(number / 1000.0);
	k int := draw('{2,3,5}'::int[]);
	l int := draw('{1,2,3}'::int[]);
	repair text := draw('{dirty,counterfeit}'::text[]);
	what text := format('shape %s (k %s, l %s, %s)', number, k, l, repair);
	n int := 0;
	faults text[];
BEGIN
	INSERT INTO person SELECT * FROM people(1, 150);
	INSERT INTO known SELECT id, s FROM people(1, 400);
	UPDATE person p SET s = o.s FROM known o WHERE o.id = p.id;
	PERFORM pprepub.create_publication('shape', 'person', 'id', '{"a": "range", "b": "prefix", "c": "taxonomy tree", "d": "suppress"}', 's', 'bpg',
		jsonb_build_object('k', k, 'l', l, 'repair', repair), '{w}', 'shape');
	FOR step IN 1 .. 6 LOOP
		faults := '{}';
		IF random() < 0.5 THEN
			-- Each cell as narrow as chance would have it; some people are not in it, some have left long ago.
			EXECUTE format($$CREATE VIEW attempt AS SELECT id AS person, %s FROM chosen$$, draw(ARRAY[
				'CASE WHEN dice < 5 THEN int4range(a, a, ''[]'') WHEN dice < 9 THEN int4range(a / 10 * 10, a / 10 * 10 + 10) ELSE int4range(NULL, NULL) END AS a, s',
				'left(b, dice % 2) || ''*'' AS b, CASE WHEN dice % 3 = 0 THEN c ELSE ''*'' END AS c',
				'CASE WHEN dice < 5 THEN d::text ELSE ''*'' END AS d, s, w', 's', 'dice AS class', 'a, b, c, d, s, w', 'c, dice % 2 AS class, s']));
			INSERT INTO attempted SELECT p.*, floor(random() * 12)::int FROM person p WHERE random() > draw('{0,0,0.3}'::float8[])
				UNION ALL SELECT q.*, floor(random() * 12)::int FROM people(200, 230) q WHERE random() < draw('{0,0.5}'::float8[]);
			UPDATE attempted t SET s = o.s FROM known o WHERE o.id = t.id;
			PERFORM pprepub.import_release('shape', 'attempt', 'person');
			n := n + 1;
			DROP VIEW attempt;
			TRUNCATE attempted;
		ELSE
			BEGIN
				PERFORM pprepub.publish('shape', CASE WHEN random() < 0.3 THEN 'a < 20' END);
				n := n + 1;
				faults := ARRAY(SELECT too_weak(n, k, l) LIMIT 5);
			EXCEPTION WHEN no_data_found THEN
			END;
		END IF;
		faults := faults || ARRAY(SELECT 'audit: ' || a FROM pprepub.audit('shape') a WHERE NOT holds AND check_name NOT IN ('k', 'l', 'atoms', 'changes'));
		IF n > 0 AND NOT (SELECT equal FROM pprepub.rebuild_history('shape')) THEN
			faults := faults || 'the fold is not what the log tells'::text;
		END IF;
		RETURN NEXT is(faults, '{}', format('%s, step %s, %s releases', what, step, n));
		DELETE FROM person WHERE random() < 0.05;
		INSERT INTO person SELECT p.id, a, b, c, d, known.s, w FROM people(230 + 20 * step, 245 + 20 * step) p JOIN known USING (id);
	END LOOP;
	PERFORM pprepub.drop_publication('shape', true);
	TRUNCATE person, known;
END
$fn$;
SELECT format('SELECT any_shape(%s)', number) FROM generate_series(1, 15) number \gexec

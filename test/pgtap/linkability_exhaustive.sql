-- linkability() and link_profile() against the definitions, on random small publications: people come, leave and change,
-- columns are left out, releases are about some only.
\i test/lib/joiner.sql
BEGIN;
SELECT setseed(0.17) \g /dev/null

CREATE FUNCTION draw(choices anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS
	'SELECT choices[1 + floor(random() * array_length(choices, 1))::int]';
CREATE TABLE people (id int PRIMARY KEY, age int, zip text, sex text, ill text, ward int);
CREATE TABLE copy (release int, LIKE people);		-- the source as it was for each release

SET check_function_bodies = off;
-- Whether somebody of release r is who he was in release s, as far as it can be known.
CREATE FUNCTION is_still(k int, r int, s int) RETURNS boolean LANGUAGE sql AS $$
	SELECT a.ill IS NOT DISTINCT FROM b.ill
		AND NOT (x.columns && '{age,zip,sex}' AND x.columns @> (SELECT coalesce(array_agg(c), '{}') FROM unnest(y.columns) c WHERE c IN ('age', 'zip', 'sex'))
			AND y.columns @> (SELECT coalesce(array_agg(c), '{}') FROM unnest(x.columns) c WHERE c IN ('age', 'zip', 'sex'))
			AND ('age' = ANY (x.columns) AND a.age IS DISTINCT FROM b.age OR 'zip' = ANY (x.columns) AND a.zip IS DISTINCT FROM b.zip
				OR 'sex' = ANY (x.columns) AND a.sex IS DISTINCT FROM b.sex))
		AND joiner.fit(p.age, q.age) AND joiner.fit(p.zip, q.zip) AND joiner.fit(p.sex, q.sex)
	FROM copy a, copy b, shown x, shown y, row_of p, row_of q
	WHERE a.id = k AND a.release = is_still.r AND b.id = k AND b.release = is_still.s AND x.release = is_still.r AND y.release = is_still.s
		AND p.release = is_still.r AND p.key = k AND q.release = is_still.s AND q.key = k
$$;
CREATE TABLE shown (release int, columns name[]);
CREATE TABLE row_of (release int, key int, age int4range, zip text, sex text);
CREATE TABLE epoch (release int, key int, person int);

-- Fills joiner.record and joiner.tuple with these releases; how many people there are.
CREATE FUNCTION take_releases(numbers int[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int := 0;
	m record;
	known int;
BEGIN
	TRUNCATE shown, row_of, epoch, joiner.record, joiner.tuple;
	INSERT INTO shown SELECT number, coalesce(columns, '{age,zip,sex,ill,ward}') FROM pprepub.release WHERE publication = 'people';
	FOR m IN SELECT unnest AS number FROM unnest(numbers) LOOP
		EXECUTE format('INSERT INTO row_of SELECT DISTINCT m.release, m.key::int, r.age, r.zip, r.sex
			FROM pprepub.class_members(''people'') m JOIN published.people_%s r USING (class) WHERE m.release = %1$s', m.number);
	END LOOP;
	-- A release without the column shows nothing that is new.
	FOR m IN SELECT release AS number FROM shown WHERE NOT 'ill' = ANY (columns) ORDER BY release LOOP
		UPDATE copy c SET ill = (SELECT d.ill FROM copy d JOIN row_of w ON w.release = d.release AND w.key = d.id WHERE d.id = c.id AND d.release < m.number ORDER BY d.release DESC LIMIT 1)
		WHERE c.release = m.number AND EXISTS (SELECT FROM row_of WHERE key = c.id AND release < m.number);
	END LOOP;
	FOR m IN SELECT release, key FROM row_of ORDER BY release, key LOOP
		SELECT person INTO known FROM epoch WHERE key = m.key ORDER BY release DESC LIMIT 1;
		IF NOT FOUND OR (SELECT NOT bool_and(is_still(m.key, m.release, e.release)) FROM epoch e WHERE e.person = known) THEN
			known := n;
			n := n + 1;
		END IF;
		INSERT INTO epoch VALUES (m.release, m.key, known);
	END LOOP;
	INSERT INTO joiner.record
	SELECT array_position(numbers, s.release), p - 1, coalesce(w.age, CASE WHEN e.key IS NULL THEN '(,)'::int4range END), coalesce(w.zip, CASE WHEN e.key IS NULL THEN '*' END),
		coalesce(w.sex, CASE WHEN e.key IS NULL THEN '*' END), CASE WHEN 'ward' = ANY (s.columns) THEN c.ward END,
		'ill' = ANY (s.columns), e.key IS NULL AND NOT EXISTS (SELECT FROM epoch f JOIN shown USING (release) WHERE f.person = p - 1 AND 'ill' = ANY (columns)),
		(SELECT ill FROM epoch f JOIN copy d ON d.release = f.release AND d.id = f.key WHERE f.person = p - 1 LIMIT 1), e.key IS NULL, p - 1
	FROM shown s CROSS JOIN generate_series(1, n) p LEFT JOIN epoch e ON e.release = s.release AND e.person = p - 1
		LEFT JOIN row_of w ON w.release = s.release AND w.key = e.key LEFT JOIN copy c ON c.release = s.release AND c.id = e.key
	WHERE s.release = ANY (numbers);
	INSERT INTO joiner.tuple SELECT age, zip, sex FROM people WHERE id IN (SELECT key FROM epoch);
	RETURN n;
END
$$;

CREATE FUNCTION judged(numbers int[], kind text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	edges bigint := joiner.join(kind);
BEGIN
	RETURN (SELECT concat_ws(' ', kind, array_length(numbers, 1), edges, CASE WHEN array_length(numbers, 1) > 1 THEN (SELECT count(*) FROM joiner.edge) ELSE 0 END,
		(SELECT count(*) FROM joiner.clique), (SELECT count(*) FROM (SELECT DISTINCT * FROM joiner.tuple) t),
		coalesce((min(linkability) FILTER (WHERE linkability > 0))::text, '-'), coalesce((min(diversity) FILTER (WHERE linkability > 0))::numeric(20, 9)::text, '-'),
		coalesce(sum(records) FILTER (WHERE linkability = 0), 0),
		(SELECT coalesce(array_agg((SELECT coalesce(sum(records), 0) FROM joiner.profiled WHERE linkability = n OR n = 10 AND linkability > 10) ORDER BY n), '{}')::bigint[]
		 FROM generate_series(1, least(10, coalesce(max(linkability), 0))) n)) FROM joiner.profiled);
END
$$;
CREATE FUNCTION measured(numbers int[], kind text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', join_kind, releases, edges, matches, cliques, tuples, coalesce(linkability::text, '-'), coalesce(diversity::numeric(20, 9)::text, '-'),
		unknown, people_at)
	FROM pprepub.linkability('people', numbers, kind)
$$;

CREATE PROCEDURE change_people() LANGUAGE plpgsql AS $$
BEGIN
	IF random() < 0.4 THEN
		RETURN;
	END IF;
	UPDATE people SET age = draw('{20,25,30}'::int[]) WHERE random() < 0.15;
	UPDATE people SET ill = draw('{a,b}'::text[]) WHERE random() < 0.1;
	DELETE FROM people WHERE random() < 0.15;
	INSERT INTO people SELECT coalesce(max(id), 0) + 1, 25, '112', 'F', 'c', 1 FROM people HAVING random() < 0.5;
END
$$;

CREATE FUNCTION try_life(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	size int := draw('{2,3,3,4,4}'::int[]);
	wanted int := draw('{1,2,2,3,3}'::int[]);
	insensitive name[] := draw('{"{}","{}","{ward}"}'::text[])::name[];
	what text;
	numbers int[];
	n int;
	kind text;
	own text;
BEGIN
	TRUNCATE people, copy;
	INSERT INTO people SELECT i, CASE WHEN random() < 0.9 THEN draw('{20,25,30}'::int[]) END, draw('{111,112,121,211}'::text[]), draw('{F,M}'::text[]),
		CASE WHEN random() < 0.95 THEN draw('{a,b,c}'::text[]) END, draw('{1,1,2}'::int[]) FROM generate_series(1, size) i;
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range", "zip": "prefix", "sex": "suppress"}', 'ill', 'bpg',
		jsonb_build_object('k', draw('{1,1,2}'::int[]), 'repair', draw('{dirty,counterfeit}'::text[]), 'accept_insensitive', true), insensitive => insensitive);
	FOR r IN 1 .. wanted LOOP
		BEGIN
			what := draw('{"age,zip","age,ill","zip,sex,ill","sex,ill","age,zip,sex,ill","age,zip,sex",ill,"age,sex"}'::text[]);
			IF insensitive <> '{}' AND random() < 0.7 THEN
				what := what || ',ward';
			END IF;
			INSERT INTO copy SELECT releases + 1, p.* FROM people p, pprepub.publication WHERE name = 'people';
			PERFORM pprepub.publish('people', draw('{NULL,NULL,NULL,age < 30}'::text[]), string_to_array(what, ',')::name[]);
		EXCEPTION WHEN no_data_found THEN
			NULL;
		END;
		CALL change_people();
	END LOOP;
	SELECT array_agg(r.number ORDER BY r.number) INTO numbers FROM pprepub.release r WHERE publication = 'people';
	n := take_releases(numbers);
	IF numbers IS NOT NULL AND n <= 5 THEN
		FOREACH kind IN ARRAY '{mj,kmj,fmj,mj_unifying,kmj_unifying}'::text[] LOOP
			CONTINUE WHEN kind = 'fmj' AND n > 4;
			own := judged(numbers, kind);
			RETURN NEXT is(measured(numbers, kind), own, format('life %s of %s people: %s', number, n, kind));
			RETURN NEXT is((SELECT count(*) FROM ((SELECT nullif(tuple ->> 'age', '')::int, tuple ->> 'zip', tuple ->> 'sex', records, linkability, round(diversity::numeric, 9)
					FROM pprepub.link_profile('people', numbers, kind))
				EXCEPT (SELECT age, zip, sex, records, linkability, round(diversity::numeric, 9) FROM joiner.profiled)) d), 0::bigint, format('life %s: profile by %s', number, kind));
		END LOOP;
	END IF;
	PERFORM pprepub.drop_publication('people', true);
END
$fn$;
-- Each in a transaction of its own, or there would be more locks than the server has room for.
COMMIT;
SELECT format('SELECT try_life(%s)', number) FROM generate_series(1, 75) number \gexec

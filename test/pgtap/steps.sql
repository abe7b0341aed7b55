-- Ranges with a step, on random lives of every type: cells cover their people and end at steps, no further out than need be;
-- people are put together as they would be if the source had been rounded, and reports see what they would see elsewhere.
SET extra_float_digits = 1;
SET TimeZone = 'Pacific/Chatham';
BEGIN;
SELECT setseed(0.43) \g /dev/null

CREATE FUNCTION draw(choices anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS
	'SELECT choices[1 + floor(random() * array_length(choices, 1))::int]';
-- How values of each type are drawn, and where the bin of v begins and ends
CREATE TABLE ruler (type text, step text, drawn text, range text, low text, high text);
INSERT INTO ruler VALUES
	('integer', '7', '3 * n', 'int4range', 'floor(v / 7.0)::int * 7', '%s + 7'),
	('smallint', '300', '300 + 17 * n', 'int4range', 'floor(v / 300.0)::int * 300', '%s + 300'),
	('bigint', '10000000000', '3000000007 * n', 'int8range', 'floor(v / 10000000000.0)::bigint * 10000000000', '%s + 10000000000'),
	('numeric', '0.25', 'n / 10.0', 'numrange', 'floor(v / 0.25) * 0.25', '%s + 0.25'),
	('float8', '0.1', '1.0 * n / 30', 'numrange', 'floor(v::text::numeric / 0.1) * 0.1', '%s + 0.1'),
	('float4', '1000', '300000000 + 333 * n', 'numrange', 'floor(v::text::numeric / 1000) * 1000', '%s + 1000'),
	('date', '1 week', 'date ''1999-12-31'' + n', 'daterange', 'date_trunc(''week'', v::timestamp)::date', '%s + 7'),
	('date', '10 days', 'date ''1999-12-31'' + n', 'daterange', 'date_bin(''10 days'', v::timestamp, ''2000-01-03'')::date', '%s + 10'),
	('date', '3 months', 'date ''1999-12-31'' + 9 * n', 'daterange', 'date_trunc(''quarter'', v::timestamp)::date', '(%s + interval ''3 months'')::date'),
	('date', '10 years', 'date ''1999-12-31'' + 300 * n', 'daterange', 'date_trunc(''decade'', v::timestamp)::date', '(%s + interval ''10 years'')::date'),
	('timestamp', '12 hours', 'timestamp ''1999-12-31 01:02:03.000004'' + n * interval ''5:07:00.000013''', 'tsrange', 'date_bin(''12 hours'', v, ''2000-01-03'')', '%s + interval ''12 hours'''),
	('timestamp', '1 month', 'timestamp ''1999-12-31 23:59:59.999999'' + n * interval ''3 days 5:00''', 'tsrange', 'date_trunc(''month'', v)', '%s + interval ''1 month'''),
	('timestamptz', '1 day', 'timestamptz ''1999-12-31 23:59:59.999999+0'' + n * interval ''7:00''', 'tstzrange', 'date_bin(''1 day'', v, ''2000-01-03 00:00+0'')', '%s + interval ''24:00'''),
	('timestamptz', '1 year', 'timestamptz ''1999-12-31 23:59:59.999999+0'' + n * interval ''300:00''', 'tstzrange', 'date_trunc(''year'', v, ''UTC'')',
		'date_trunc(''year'', %s + interval ''9000:00'', ''UTC'')');

-- The bin of a value, as a range
CREATE FUNCTION make_ruler(how ruler) RETURNS void LANGUAGE plpgsql AS $fn$
BEGIN
	EXECUTE format('CREATE FUNCTION bin(v %s) RETURNS %s LANGUAGE sql STABLE AS $$ SELECT %2$s(%s, %s) $$',
		how.type, how.range, how.low, format(how.high, '(' || how.low || ')'));
END
$fn$;

CREATE FUNCTION try_life(number int, how ruler) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	what text := format('life %s (%s, step %s): ', number, how.type, how.step);
	k int := draw('{1,2,3,5}'::int[]);
	n int := draw('{6,30,90}'::int[]);
	nulls float8 := draw('{0,0,0.1}'::float8[]);
	repair text := draw('{dirty,counterfeit}'::text[]);
	-- Newcomers are laid out by bins, too.
	layout jsonb := draw('{"{}","{\"strata\": [\"age\"]}","{\"leaves\": \"age\"}","{\"strata\": [\"zip\", \"age\"]}"}'::jsonb[]);
	declared jsonb := jsonb_build_object('k', k, 'repair', repair, 'reserve', 1) || layout;
	faults bigint;
	released int;
BEGIN
	PERFORM make_ruler(how);
	EXECUTE format('CREATE TABLE people AS SELECT i AS id, CASE WHEN random() >= $1 THEN (%s)::%s END AS age, left(md5(i::text), 2) AS zip, ''d'' || i %% 5 AS ill FROM generate_series(1, $2) i, LATERAL (SELECT floor(random() * 80)::int - 40 + 0 * i AS n) drawn',
		how.drawn, how.type) USING nulls, n;
	EXECUTE 'CREATE VIEW rounded AS SELECT id, lower(bin(age)) AS age, zip, ill FROM people';
	EXECUTE 'CREATE TABLE then_was (release int, LIKE people)';
	EXECUTE 'CREATE FUNCTION alike(pub text) RETURNS SETOF text[] LANGUAGE sql AS $$ SELECT array_agg(concat_ws('' '', bin(age), zip) ORDER BY bin(age), zip)
		FROM pprepub.class_members(pub) m JOIN then_was w ON w.release = m.release AND w.id::text = m.key WHERE m.release = 1 GROUP BY class $$';
	PERFORM pprepub.create_publication('stepped', 'people', 'id', jsonb_build_object('age', 'range ' || how.step, 'zip', 'prefix'), 'ill', 'bpg', declared);
	PERFORM pprepub.create_publication('twin', 'rounded', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', declared, beside => '{stepped}');
	FOR release IN 1 .. 3 LOOP
		IF release > 1 THEN
			DELETE FROM people WHERE random() < 0.1;
			EXECUTE 'UPDATE people p SET age = o.age FROM people o WHERE o.id = p.id + 1 AND p.id % 9 = $1' USING release;
			EXECUTE 'INSERT INTO people SELECT 1000 * $1 + id, age, zip, ill FROM people WHERE id % 4 = 0 AND id < 1000' USING release;
		END IF;
		BEGIN
			PERFORM pprepub.publish('stepped'), pprepub.publish('twin');
		EXCEPTION WHEN no_data_found THEN
			CONTINUE;
		END;
		EXECUTE 'INSERT INTO then_was SELECT $1, * FROM people' USING (SELECT max(r.number) FROM pprepub.release r WHERE publication = 'stepped');
	END LOOP;
	SELECT count(*) INTO released FROM pprepub.release WHERE publication = 'stepped';
	FOR release IN 1 .. released LOOP
		EXECUTE format($q$ SELECT count(*) FROM pprepub.class_members('stepped') m JOIN published.stepped_%s c USING (class) JOIN then_was w ON w.release = m.release AND w.id::text = m.key
			WHERE m.release = %1$s AND NOT CASE WHEN c.age IS NULL THEN w.age IS NULL WHEN c.age = '(,)' THEN true ELSE w.age IS NOT NULL AND c.age @> bin(w.age) END $q$, release) INTO faults;
		RETURN NEXT is(faults, 0::bigint, format('%s release %s: cells hold the bins of their members', what, release));
		-- Where nobody is added or invented, no further out than their bins; and the whole is withheld.
		EXECUTE format($q$ SELECT count(*) FROM (SELECT c.age, range_agg(bin(w.age)) AS bins FROM (SELECT DISTINCT class, age FROM published.stepped_%s) c
			JOIN pprepub.class_members('stepped') m ON m.class = c.class AND m.release = %1$s JOIN then_was w ON w.release = m.release AND w.id::text = m.key
			GROUP BY c.class, c.age) g WHERE age <> '(,)' AND age <> range_merge(bins) $q$, release) INTO faults;
		IF release = 1 THEN
			RETURN NEXT is(faults, 0::bigint, format('%s release %s: and end where these end', what, release));
		END IF;
		EXECUTE format($q$ SELECT count(*) FROM published.stepped_%s WHERE NOT lower_inf(age) AND lower(bin(lower(age)::%s)) <> lower(age)
			OR NOT upper_inf(age) AND lower(bin(upper(age)::%2$s)) <> upper(age) $q$, release, how.type) INTO faults;
		IF how.type <> 'float4' THEN	-- which does not have all ends as values
			RETURN NEXT is(faults, 0::bigint, format('%s release %s: at steps', what, release));
		END IF;
	END LOOP;
	-- Lots are drawn for people who are alike.
	RETURN NEXT bag_eq($q$ SELECT alike('stepped') $q$, $q$ SELECT alike('twin') $q$, what || 'the classes of a rounded source');
	RETURN NEXT is((SELECT jsonb_agg(a) FROM pprepub.audit('stepped') a WHERE NOT holds), NULL, what || 'audit()');
	RETURN NEXT is((SELECT measured FROM pprepub.audit('stepped') WHERE check_name = 'ends' AND measured NOT LIKE '0 not at steps, 0 the value%'), NULL, what || 'no end is anybody''s');
	RETURN NEXT is((SELECT jsonb_agg(a) FROM pprepub.attack('stepped') a WHERE NOT holds), NULL, what || 'attack()');
	PERFORM pprepub.drop_publication('stepped', true), pprepub.drop_publication('twin', true);
	DROP FUNCTION alike(text);
	DROP VIEW rounded;
	DROP TABLE people, then_was;
	EXECUTE format('DROP FUNCTION bin(%s)', how.type);
END
$fn$;
SELECT try_life(number, r) FROM ruler r, generate_series(1, 2) number;

-- Releases of a stepped publication are what they are, whoever joins them: imported beside it, without a step, they can be
-- joined as well as there (classes that print alike are one elsewhere).  And what was published without a step, or with others, is not rounded.
CREATE FUNCTION told(pub name) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_array((SELECT jsonb_agg(l) FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability(pub, NULL, kind) l),
		(SELECT jsonb_agg(p ORDER BY p::text) FROM pprepub.link_profile(pub) p))
$$;
CREATE FUNCTION try_imports(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	width int;
	said text;
BEGIN
	CREATE TABLE people AS SELECT i AS id, floor(random() * 12)::int - 6 AS age, (ARRAY['11', '12', '21'])[1 + floor(random() * 3)::int] AS zip, 'd' || i % 3 AS ill FROM generate_series(1, 8) i;
	PERFORM pprepub.create_publication('stepped', 'people', 'id', '{"age": "range 3", "zip": "prefix"}', 'ill', 'bpg', '{"k": 2, "reserve": 1, "repair": "dirty"}');
	PERFORM pprepub.create_publication('plain', 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 2, "reserve": 1, "repair": "dirty"}', beside => '{stepped}');
	PERFORM pprepub.publish('stepped'), pprepub.publish('stepped', columns => '{age,ill}');
	FOR release IN 1 .. 2 LOOP
		EXECUTE format('CREATE TABLE made AS SELECT id, age, ill %s FROM (SELECT DISTINCT class, age, zip FROM published.stepped_%s) c JOIN pprepub.class_members(''stepped'') m USING (class) JOIN (SELECT id, ill FROM people) p ON p.id::text = m.key WHERE m.release = %2$s',
			CASE release WHEN 1 THEN ', zip' END, release);
		PERFORM pprepub.import_release('plain', 'made', 'id');
		DROP TABLE made;
	END LOOP;
	RETURN NEXT is(told('plain'), told('stepped'), format('import %s: stepped releases elsewhere', number));
	PERFORM pprepub.drop_publication('stepped', true), pprepub.drop_publication('plain', true);

	PERFORM pprepub.create_publication('stepped', 'people', 'id', '{"age": "range 3", "zip": "prefix"}', 'ill', 'bpg', '{"k": 1}');
	PERFORM pprepub.create_publication('plain', 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 1}', beside => '{stepped}');
	FOR release IN 1 .. 2 LOOP
		width := draw('{1,2,5}'::int[]);
		EXECUTE format('CREATE TABLE made AS SELECT id, int4range(age, age + %s) AS age, ill FROM people', width);
		PERFORM pprepub.import_release(pub, 'made', 'id') FROM unnest('{stepped,plain}'::text[]) pub;
		DROP TABLE made;
	END LOOP;
	RETURN NEXT is(told('stepped'), told('plain'), format('import %s: other releases here', number));
	-- People who have changed within their bins are what they were, as far as this publication can know.
	UPDATE people SET age = floor(age / 3.0)::int * 3 + (age + 7) % 3;
	RETURN NEXT is((SELECT jsonb_agg(a) FROM pprepub.audit('stepped') a WHERE NOT holds AND check_name NOT IN ('k', 'l', 'atoms')), NULL, format('import %s: audit()', number));
	-- A cell that does not hold its person is told from one that does, to the value.
	BEGIN
		CREATE VIEW made AS SELECT id, int4range(age + 1, age + 2) AS age, ill FROM people;
		PERFORM pprepub.import_release('stepped', 'made', 'id');
	EXCEPTION WHEN data_exception THEN
		said := SQLERRM;
	END;
	RETURN NEXT is(said, 'column "age" of "made" has 8 row(s) that do not cover what the source has of the same people', format('import %s: not by bins', number));
	PERFORM pprepub.drop_publication('stepped', true), pprepub.drop_publication('plain', true);
	DROP TABLE people;
END
$fn$;
SELECT try_imports(number) FROM generate_series(1, 10) number;

-- Methods of every kind publish with steps, and their judges agree; an end that nobody would have is told by audit().
CREATE TABLE people AS SELECT i AS id, (i * 7) % 60 AS age, timestamptz '2026-01-01' + i * interval '7:13:11.123456' AS admitted, 'd' || i % 12 AS ill FROM generate_series(1, 300) i;
CREATE TABLE progress AS SELECT 'd' || i AS from_value, 'd' || (i + 1) AS to_value FROM generate_series(0, 10, 2) i;
CREATE FUNCTION try_method(method text, params jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	failed jsonb;
BEGIN
	PERFORM pprepub.create_publication('p', 'people', 'id', '{"age": "range 5", "admitted": "range 1 week"}', 'ill', method, params);
	PERFORM pprepub.publish('p');
	UPDATE people SET age = age + 1 WHERE id % 50 = 0;
	PERFORM pprepub.alter_publication('p', '{}');
	RETURN NEXT is((SELECT quasi_identifiers FROM pprepub.publication WHERE name = 'p'), '{"age": "range 5", "admitted": "range 1 week"}'::jsonb, method || ': altered, without a change');
	IF method = 'sequential' THEN
		PERFORM pprepub.publish('p', columns => '{age,ill}');
	ELSE
		DELETE FROM people WHERE id % 41 = 0;
		PERFORM pprepub.publish('p');
	END IF;
	SELECT jsonb_agg(a) INTO failed FROM pprepub.audit('p') a WHERE NOT holds;
	RETURN NEXT is(failed, NULL, method || ': audit()');
	RETURN NEXT ok((SELECT measured LIKE '0 not at steps, 0 the value%' FROM pprepub.audit('p') WHERE check_name = 'ends'), method || ': ends');
	RETURN NEXT is_empty($$ SELECT * FROM published.p WHERE lower(age) % 5 <> 0 OR upper(age) % 5 <> 0 OR extract(isodow FROM lower(admitted) AT TIME ZONE 'UTC') <> 1
		OR lower(admitted) AT TIME ZONE 'UTC' <> date_trunc('day', lower(admitted) AT TIME ZONE 'UTC') $$, method || ': cells');
	RETURN NEXT ok((SELECT value BETWEEN 0 AND 1 FROM pprepub.metrics('p', 1) WHERE metric = 'ail'), method || ': loss');
	PERFORM pprepub.drop_publication('p', true);
END
$fn$;
SELECT try_method(method, params::jsonb) FROM (VALUES ('bpg', '{"k": 5, "l": 2, "repair": "counterfeit"}'), ('sequential', '{"k": 2}'), ('m-invariance', '{"m": 3}'), ('cor-split', '{"m": 6, "n": 3}'),
	('global', '{"l": 2, "strategy": "constant-ratio", "releases": 3}'),
	('m-distinct', '{"m": 3, "updates": "progress"}')) AS m (method, params);

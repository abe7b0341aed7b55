-- Releases of everybody are joined in the same way whether or not it is known whose their rows are, as long as each can be of
-- somebody else; in whatever order columns were declared and rows stand.
BEGIN;
SELECT setseed(0.59) \g /dev/null
CREATE FUNCTION draw(choices anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS
	'SELECT choices[1 + floor(random() * array_length(choices, 1))::int]';
CREATE TABLE people (id int PRIMARY KEY, age int, zip text, ill text, ward text);
CREATE VIEW turned AS SELECT ward, ill, zip, id, age FROM people ORDER BY age DESC;

-- Of all releases, and of each two, where they can be of the same people.
CREATE FUNCTION told(pub name) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_array((SELECT jsonb_agg(l) FROM unnest('{mj,kmj,fmj,mj_unifying}'::text[]) kind, unnest('{"{1,2}","{2,3}","{1,3}","{1,2,3}"}'::text[]) r, pprepub.linkability(pub, r::int[], kind) l),
		(SELECT jsonb_agg(p ORDER BY p::text) FROM pprepub.link_profile(pub) p))
$$;

CREATE FUNCTION try_life(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	pub name;
	columns_of text[] := ARRAY[draw('{"age, ill","age, zip, ill","zip, ill","age, zip, ill, ward"}'::text[]), draw('{age,zip,"age, zip","zip, ward"}'::text[]),
		draw('{age,"zip, ill",ill,"ill, ward"}'::text[])];
	known text;
BEGIN
	TRUNCATE people;
	INSERT INTO people SELECT i, 20 + 5 * floor(random() * 3)::int, draw('{11,12,21}'::text[]), CASE WHEN random() < 0.9 THEN draw('{a,b,c}'::text[]) END, draw('{A,B}'::text[])
		FROM generate_series(1, 3 + number % 4) i;
	FOREACH pub IN ARRAY '{known,some,none}'::name[] LOOP
		PERFORM pprepub.create_publication(pub, CASE pub WHEN 'some' THEN 'turned' ELSE 'people' END::regclass, 'id',
			CASE WHEN pub = 'none' THEN '{"zip": "prefix", "age": "range"}' ELSE '{"age": "range", "zip": "prefix"}' END::jsonb, 'ill', 'bpg', '{"k": 1}', '{ward}',
			beside => CASE pub WHEN 'known' THEN '{}' WHEN 'some' THEN '{known}' ELSE '{known,some}' END::name[]);
	END LOOP;
	FOR n IN 1 .. 3 LOOP
		EXECUTE format('CREATE TABLE made AS SELECT id, %s FROM (SELECT id, int4range(age, age + %s) AS age, CASE WHEN random() < 0.5 THEN zip ELSE left(zip, 1) || ''*'' END AS zip, ill, ward FROM people) p',
			columns_of[n], draw('{1,10}'::int[]));
		EXECUTE format('CREATE TABLE unnamed AS SELECT %s FROM made ORDER BY random()', columns_of[n]);
		PERFORM pprepub.import_release('known', 'made', 'id'), pprepub.import_release('none', 'unnamed');
		IF n = 2 THEN
			PERFORM pprepub.import_release('some', 'unnamed');
		ELSE
			PERFORM pprepub.import_release('some', 'made', 'id');
		END IF;
		DROP TABLE made, unnamed;
	END LOOP;
	known := told('known');
	RETURN QUERY SELECT is(told(p)::text, known, format('life %s of %s people, %s: %s', number, (SELECT count(*) FROM people), columns_of, p)) FROM unnest('{some,none}'::name[]) p;
	PERFORM pprepub.drop_publication(unnest('{known,some,none}'::name[]), true);
END
$fn$;
SELECT try_life(number) FROM generate_series(1, 40) number;

-- Where it is not known who is in a release, everybody is judged.
TRUNCATE people;
INSERT INTO people SELECT i, 20 + i, '11', 'a', 'A' FROM generate_series(1, 6) i;
SELECT pprepub.create_publication('known', 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 1}') \g /dev/null
CREATE VIEW half AS SELECT id, age, ill FROM people WHERE id < 4;
CREATE VIEW unnamed AS SELECT age, ill FROM half;
SELECT pprepub.import_release('known', 'half', 'id'), pprepub.import_release('known', 'unnamed', accept_changes => true) \g /dev/null
SELECT is((SELECT tuples FROM pprepub.linkability('known', ARRAY[release])), CASE release WHEN 1 THEN 3 ELSE 6 END::bigint, 'release ' || release) FROM generate_series(1, 2) release;
SELECT is(tuples, 6::bigint, 'of both, everybody, too') FROM pprepub.linkability('known');
SELECT is(count(*) FILTER (WHERE linkability IS NULL), 3::bigint, 'those whom nothing fits are linked to nothing') FROM pprepub.link_profile('known');

-- Two observers: audit's knows in which releases a person was, linkability's does not; the example of docs/howto/linkability.md.
CREATE TABLE alike AS SELECT i AS id, 1 AS age, CASE WHEN i <= 3 THEN 'flu' ELSE 'angina' END AS ill FROM generate_series(1, 6) i;
SELECT pprepub.create_publication('alike', 'alike', 'id', '{"age": "range"}', 'ill', 'sequential', '{"k": 2, "privacy": "diversity"}') \g /dev/null
SELECT number FROM pprepub.publish('alike', columns => '{age}') \g /dev/null
DELETE FROM alike WHERE id IN (1, 4);
SELECT number FROM pprepub.publish('alike', columns => '{ill}') \g /dev/null
SELECT is(measured_value, 2::float8, 'who was in a release that shows values has one of them') FROM pprepub.audit('alike') WHERE check_name = 'joined';
SELECT is((linkability, diversity), (3, 3::float8), 'who may have been absent may have none that is known') FROM pprepub.linkability('alike');

-- Releases that are imported when people have left are joined as if they had been imported, or published, before.
BEGIN;
SELECT setseed(0.41) \g /dev/null

CREATE FUNCTION draw(choices anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS
	'SELECT choices[1 + floor(random() * array_length(choices, 1))::int]';
CREATE TABLE people (id int PRIMARY KEY, age int, zip text, ill text);

-- Of all releases, up to each, and of each combination of quasi-identifiers.
CREATE FUNCTION told(pub name) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_array((SELECT jsonb_agg(l) FROM unnest('{mj,kmj,fmj}'::text[]) kind, pprepub.linkability(pub, NULL, kind) l),
		(SELECT jsonb_agg(s ORDER BY number) FROM pprepub.release r, pprepub.linkability(pub, ARRAY(SELECT generate_series(1, number))) s WHERE publication = pub), (SELECT jsonb_agg(p ORDER BY p::text) FROM pprepub.link_profile(pub) p))
$$;

CREATE FUNCTION try_life(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	pub name;
	columns_of text[] := ARRAY[draw('{"age, ill","age, zip, ill","zip, ill"}'::text[]), draw('{age,zip,"age, zip"}'::text[]),
		draw('{age,"zip, ill",ill}'::text[])];
	turn int[] := draw('{"{1,2}","{2,1}","{2,1,3}","{1,2,3}"}'::text[])::int[];
	n int;
BEGIN
	TRUNCATE people;
	INSERT INTO people SELECT i, 20 + 5 * floor(random() * 3)::int, draw('{11,12,21}'::text[]), CASE WHEN random() < 0.9 THEN draw('{a,b,c}'::text[]) END
		FROM generate_series(1, 3 + number % 4) i;
	FOREACH pub IN ARRAY '{before,after}'::name[] LOOP
		PERFORM pprepub.create_publication(pub, 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 1}',
			beside => CASE pub WHEN 'after' THEN '{before}' ELSE '{}' END::name[]);
	END LOOP;
	FOREACH n IN ARRAY turn LOOP
		EXECUTE format('CREATE TABLE made_%s AS SELECT id, %s FROM (SELECT id, int4range(age, age + %s) AS age, CASE WHEN random() < 0.5 THEN zip ELSE left(zip, 1) || ''*'' END AS zip, ill FROM people) p',
			n, columns_of[n], draw('{1,10}'::int[]));
		PERFORM pprepub.import_release('before', format('made_%s', n), 'id');
	END LOOP;
	DELETE FROM people WHERE id > 1 AND random() < 0.4;
	FOREACH n IN ARRAY turn LOOP
		PERFORM pprepub.import_release('after', format('made_%s', n), 'id', accept_changes => true);
		EXECUTE format('DROP TABLE made_%s', n);
	END LOOP;
	RETURN NEXT is(told('after'), told('before'), format('life %s: %s', number, columns_of));
	PERFORM pprepub.drop_publication(unnest('{before,after}'::name[]), true);
END
$fn$;
SELECT try_life(number) FROM generate_series(1, 40) number;

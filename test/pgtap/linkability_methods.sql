-- Releases of every method are joined as they are when other publications import them: invented rows are left out, and so
-- are people who are only counted in.
CREATE TABLE people AS SELECT i::text AS id, (i * 7) % 60 AS age, substr('FM', i % 2 + 1, 1) AS sex, 'd' || i % 7 AS ill FROM generate_series(1, 150) i;
CREATE TABLE copy (release int, LIKE people);		-- the source as it was for each release
CREATE TABLE updates AS SELECT 'd' || i AS from_value, 'd' || j AS to_value FROM generate_series(0, 6) i, generate_series(0, 6) j;
CREATE TABLE rare AS SELECT 'd1' AS ill;
CREATE TABLE voters AS SELECT 'v' || i AS id, i % 60 AS age, substr('FM', i % 2 + 1, 1) AS sex FROM generate_series(1, 150) i;

CREATE FUNCTION told(pub name) RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_build_array((SELECT jsonb_agg(l) FROM unnest('{mj,kmj,mj_unifying,kmj_unifying}'::text[]) kind, pprepub.linkability(pub, NULL, kind) l),
		(SELECT jsonb_agg(s ORDER BY number) FROM pprepub.release r, pprepub.linkability(pub, ARRAY(SELECT generate_series(1, number))) s WHERE publication = pub), (SELECT jsonb_agg(p ORDER BY p::text) FROM pprepub.link_profile(pub) p))
$$;
-- The newest release, by those who are in it and were in the source.
CREATE PROCEDURE import_twin(pub name) LANGUAGE plpgsql AS $fn$
DECLARE
	r pprepub.release := n FROM pprepub.release n WHERE publication = pub ORDER BY number DESC LIMIT 1;
BEGIN
	EXECUTE format('CREATE TABLE made AS SELECT m.key AS person, c.*, s.ill FROM pprepub.class_members(%L) m
		JOIN (SELECT DISTINCT class, age, sex FROM %s) c USING (class) JOIN copy s ON s.release = %s AND s.id = m.key WHERE m.release = %3$s', pub, r.relation, r.number);
	PERFORM pprepub.import_release('twin', 'made', 'person');
	DROP TABLE made;
END
$fn$;
CREATE FUNCTION try_method(declared text, params jsonb) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	kinds jsonb := '{"age": "range", "sex": "suppress"}';
BEGIN
	CREATE TABLE before AS TABLE people;
	PERFORM pprepub.create_publication('own', 'people', 'id', kinds, 'ill', declared, params);
	PERFORM pprepub.create_publication('twin', 'people', 'id', kinds, 'ill', 'bpg', '{"k": 1}', beside => '{own}');
	FOR n IN 1 .. 3 LOOP
		PERFORM pprepub.publish('own');
		INSERT INTO copy SELECT n, p.* FROM people p;
		CALL import_twin('own');
		DELETE FROM people WHERE right(id, 1) = n::text;
		INSERT INTO people SELECT (n * 1000 + i)::text, (i * 3) % 60, substr('FM', i % 2 + 1, 1), 'd' || (i + n) % 7 FROM generate_series(1, 40) i;
		INSERT INTO people SELECT id, age, sex, 'd' || n FROM voters WHERE id IN ('v' || n, 'v' || n + 50);		-- whom somebody may have been taken for
	END LOOP;
	RETURN NEXT is(told('own'), told('twin'), format('%s %s, %s invented', declared, params, (SELECT sum(counterfeits) FROM pprepub.release WHERE publication = 'own')));
	PERFORM pprepub.drop_publication(name, true) FROM unnest('{own,twin}'::name[]) name;
	TRUNCATE people, copy;
	INSERT INTO people TABLE before;
	DROP TABLE before;
END
$fn$;
SELECT try_method(declared, params) FROM (VALUES ('bpg', '{"k": 4, "l": 2, "repair": "counterfeit"}'::jsonb), ('bpg', '{"k": 3, "repair": "dirty"}'), ('m-invariance', '{"m": 3}'),
	('cor-split', '{"m": 3, "n": 2}'), ('m-distinct', '{"m": 3, "updates": "updates"}'), ('global', '{"l": 2, "strategy": "constant-ratio", "releases": 3}'),
	('global', '{"l": 2, "strategy": "constant-ratio", "releases": 3, "transient": "rare", "registry": "voters"}')) v(declared, params);

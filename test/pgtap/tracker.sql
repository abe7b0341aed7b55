-- Somebody asks again and again about cohorts that differ a little, and holds the answers against each other.
\ir ../lib/attacker.sql

CREATE FUNCTION ask(pub text, cohort text) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT rows FROM pprepub.publish(pub, cohort));
EXCEPTION WHEN no_data_found THEN
	RETURN 0;
END
$$;
CREATE TABLE answer (repair text, i int, rows int);

-- The victim is 33 years old, and nobody else who lives in 53117 is.
CREATE FUNCTION declare_people(repair text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE people_%s AS SELECT i AS id, 20 + i * 7 %% 60 AS age, (53100 + i * 13 %% 40)::text AS zip, (i * 11 / 7) %% 9 AS s
		FROM generate_series(1, 300) i WHERE NOT (20 + i * 7 %% 60 = 33 AND i * 13 %% 40 = 17)', repair);
	EXECUTE format('INSERT INTO people_%s VALUES (1000, 33, ''53117'', 100)', repair);
	PERFORM pprepub.create_publication(repair, 'people_' || repair, 'id', '{"age": "range", "zip": "prefix"}', 's', 'bpg',
		jsonb_build_object('k', 5, 'l', 3, 'repair', repair, 'reserve', 2));
	PERFORM attacker.remember(repair);
END
$$;
SELECT declare_people(repair) FROM unnest('{dirty,counterfeit}'::text[]) repair;

-- A window that moves by a year; everybody with and without the victim; the victim and ever fewer others.
SELECT format('INSERT INTO answer SELECT %L, %s, ask(%1$L, %3$L)', repair, i, CASE i % 4
		WHEN 0 THEN format('age BETWEEN %s AND %s', 20 + i / 4, 40 + i / 4)
		WHEN 1 THEN format('age < %s AND NOT (age = 33 AND zip = ''53117'')', 80 - i / 8)
		WHEN 2 THEN format('age < %s', 80 - i / 8)
		ELSE format('age = 33 AND zip = ''53117'' OR age > %s', 40 + i / 4) END)
FROM unnest('{dirty,counterfeit}'::text[]) repair, generate_series(0, 99) i \gexec

SELECT cmp_ok(count(*), '>', 50::bigint, repair || ': most are answered') FROM answer WHERE rows > 0 GROUP BY repair ORDER BY repair;
INSERT INTO attacker.copy_dirty SELECT r, id, age, zip, s FROM people_dirty, generate_series(2, (SELECT releases FROM pprepub.publication WHERE name = 'dirty')) r;
INSERT INTO attacker.copy_counterfeit SELECT r, id, age, zip, s FROM people_counterfeit, generate_series(2, (SELECT releases FROM pprepub.publication WHERE name = 'counterfeit')) r;
SELECT is(ARRAY(SELECT attacker.faults(repair, 5, 3) LIMIT 10), '{}', repair || ': nobody is told apart from fewer than four others, nor what they suffer from')
	FROM unnest('{dirty,counterfeit}'::text[]) repair;
SELECT is((SELECT jsonb_agg(a) FROM pprepub.attack(repair) a WHERE NOT holds), NULL, repair || ': nor by intersections and differences')
	FROM unnest('{dirty,counterfeit}'::text[]) repair;
SELECT is((SELECT jsonb_agg(a) FROM pprepub.audit(repair) a WHERE NOT holds), NULL, repair || ': and an audit agrees')
	FROM unnest('{dirty,counterfeit}'::text[]) repair;
-- Whoever of the victim's group was asked for, all its rows were shown, or none.
CREATE TABLE shown AS SELECT repair, "group", keys, (SELECT array_agg(place || ' ' || s ORDER BY place) FROM unnest(places, sensitive) p (place, s)) AS rows
	FROM (SELECT 'dirty' AS repair, * FROM published_private.dirty_members UNION ALL SELECT 'counterfeit', * FROM published_private.counterfeit_members) m;
SELECT ok(count(*) > 5 AND count(DISTINCT rows) = 1 AND min(cardinality(rows)) >= 5, repair || ': the victim is never alone')
	FROM shown s WHERE "group" = (SELECT max("group") FROM shown v WHERE v.repair = s.repair AND '1000' = ANY (keys::text[])) GROUP BY repair ORDER BY repair;

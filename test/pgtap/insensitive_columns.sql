-- Insensitive columns, where people leave: who compares two releases by them finds k rows of a class or more that are missing, or
-- none. With repair "counterfeit", which warns of it when it is declared, he finds those of the people who have left.
BEGIN;

CREATE TABLE everybody AS
SELECT i AS id, 20 + i * 7 % 53 AS age, 'd' || i * 11 % 97 % 9 AS ill, 'n' || i AS note, i * 31 % 17 % 3 AS ward, hashint4(i) % 20 = 7 AS is_gone FROM generate_series(1, 900) i;

-- Two releases, the second without those who are gone, and of a part of the others where true rows are added.
CREATE FUNCTION live(name name, repair text, insensitive name, cohort text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE %I AS TABLE everybody', name);
	PERFORM pprepub.create_publication(name, name::regclass, 'id', '{"age": "range"}', 'ill', 'bpg',
		jsonb_build_object('k', 4, 'l', 2, 'reserve', 3, 'repair', repair, 'accept_insensitive', true), insensitive => ARRAY[insensitive]);
	PERFORM pprepub.publish(name);
	EXECUTE format('DELETE FROM %I WHERE is_gone', name);
	PERFORM pprepub.publish(name, cohort);
END $$;
SELECT live(repair, repair, 'note', CASE repair WHEN 'dirty' THEN 'note NOT LIKE ''%1''' END)
FROM unnest('{dirty,counterfeit}'::text[]) repair \g /dev/null
SELECT live('wards', 'counterfeit', 'ward') \g /dev/null
SELECT ok(dirty > 0, publication || ': rows are added') FROM pprepub.release WHERE publication = 'dirty' AND number = 2;

-- A note is one person's, and finds his row in each release.
CREATE FUNCTION missing(publication name, OUT notes text[]) RETURNS SETOF text[] LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT array_agg(note) FROM published.%I WHERE note NOT IN (SELECT note FROM published.%I) GROUP BY class', publication || '_1', publication || '_2');
END $$;
SELECT ok(count(*) > 0 AND min(cardinality(notes)) >= 4, 'dirty: those who are missing of a class are k or more') FROM missing('dirty') notes;
SELECT results_eq($$ SELECT note COLLATE "C" FROM missing('counterfeit') notes, unnest(notes) note ORDER BY 1 $$, $$ SELECT note COLLATE "C" FROM everybody WHERE is_gone ORDER BY 1 $$,
	'counterfeit: those who are missing are those who are gone');
SELECT cmp_ok((SELECT min(cardinality(notes)) FROM missing('counterfeit') notes), '<', 4, 'who may be fewer than k');

-- A ward is many people's.  Where one of a class is gone, and a ward has fewer rows than before, it was his.
CREATE TABLE lived AS SELECT m.release, m.class, e.* FROM pprepub.class_members('wards') m JOIN everybody e ON e.id::text = m.key;
CREATE TABLE compared AS
SELECT a.class AS before, b.class AS after, (SELECT max(ward) FROM lived g WHERE (g.release, g.class) = (1, a.class) AND is_gone) AS his
FROM lived a JOIN lived b USING (id) WHERE (a.release, b.release) = (1, 2) GROUP BY 1, 2
HAVING (SELECT count(*) FROM lived g WHERE (g.release, g.class) = (1, a.class) AND is_gone) = 1;
CREATE TABLE fewer AS
SELECT his, (SELECT array_agg(ward) FROM (SELECT ward FROM published.wards_1 WHERE class = before EXCEPT ALL SELECT ward FROM published.wards_2 WHERE class = after) w) AS wards FROM compared;
SELECT ok(count(*) > 0, 'a ward has fewer rows') FROM fewer WHERE wards IS NOT NULL;
SELECT is((SELECT count(*) FROM fewer WHERE wards <> ARRAY[his]), 0::bigint, 'it was that of him who is gone');

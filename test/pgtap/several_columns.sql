-- Several sensitive columns of all sorts, through updates, cohorts, releases of some of the columns, and imports: whatever is out stays as it was
-- published, the fold is that of the log, and each set that a release of everybody shows has l values, or bands, in each column.
CREATE SCHEMA lives;
CREATE TABLE lives.people (id int, age int, zip int, illness text, income numeric, since date, ward char(4)) PARTITION BY RANGE (id);
CREATE TABLE lives.old_people PARTITION OF lives.people FOR VALUES FROM (0) TO (150);
CREATE TABLE lives.new_people PARTITION OF lives.people FOR VALUES FROM (150) TO (100000);
-- Long texts stand outside of their rows.
ALTER TABLE lives.people ALTER illness SET STORAGE external;
CREATE VIEW lives.known AS SELECT id, age, zip, illness, income::numeric(8,1) AS income, since, ward FROM lives.people;
CREATE FUNCTION lives.come(n int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO lives.people
		SELECT (SELECT coalesce(max(id), 0) FROM lives.people) + i, random() * 50, random() * 99,
			CASE WHEN random() < 0.9 THEN repeat('x' || (random() * 5)::int, 1 + (random() * 3000)::int % 2 * 2000) END,
			CASE WHEN random() < 0.9 THEN (random() * 100)::numeric(8,3) END,
			CASE WHEN random() < 0.9 THEN date '2020-01-01' + (random() * 1000)::int END,
			CASE WHEN random() < 0.9 THEN chr(97 + (random() * 3)::int) || repeat(' ', (random() * 3)::int) END
		FROM generate_series(1, n) i
$$;
SELECT setseed(0.7) \g /dev/null
SELECT lives.come(200) \g /dev/null
SELECT pprepub.create_publication('lives', 'lives.known', 'id', '{"age": "range 5", "zip": "range"}', '{illness, income, since, ward}', 'bpg',
	'{"k": 4, "l": 2, "bands": {"income": "range 7.5", "since": "range 3 months"}, "max_answers_per_statement": 100}') \g /dev/null
SELECT is((SELECT count(*) FROM pg_type t CROSS JOIN aclexplode(coalesce(t.typacl, acldefault('T', t.typowner))) a
	WHERE t.typrelid = 'published_private.lives_sensitive'::regclass AND a.grantee <> t.typowner), 0::bigint, 'the type of their tuples is the owner''s alone');
CREATE TABLE lives.wrong (round int, finding text);
CREATE PROCEDURE lives.change() LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM lives.people WHERE random() < 0.05;
	PERFORM lives.come(10);
	UPDATE lives.people SET income = income + 10 WHERE random() < 0.05;
	UPDATE lives.people SET illness = NULL WHERE random() < 0.02;
END $$;
CREATE PROCEDURE lives.release(round int, shown name[]) LANGUAGE plpgsql AS $$
BEGIN
	IF round % 3 = 0 THEN
		PERFORM count(*) FROM published.lives('age > ' || (random() * 40)::int, shown);
	ELSIF round % 5 = 0 THEN
		EXECUTE format('CREATE TABLE lives.import_%s AS SELECT id, ''[,)''::int4range AS age%s FROM lives.known WHERE id %% 3 > 0',
			round, (SELECT coalesce(string_agg(', ' || x, ''), '') FROM unnest(shown) x WHERE x NOT IN ('age', 'zip')));
		PERFORM pprepub.import_release('lives', format('lives.import_%s', round)::regclass, 'id', accept_changes => true);
	ELSE
		PERFORM pprepub.publish('lives', columns => CASE WHEN round % 4 > 0 THEN shown END);
	END IF;
END $$;
CREATE PROCEDURE lives.judge(round int) LANGUAGE sql AS $$
	-- An import promises nothing.
	INSERT INTO lives.wrong SELECT round, check_name || ': ' || measured FROM pprepub.audit('lives') WHERE NOT holds AND (round < 5 OR check_name <> 'atoms');
	INSERT INTO lives.wrong SELECT round, fold FROM pprepub.rebuild_history('lives') WHERE NOT equal;
$$;
DO $$
DECLARE
	shown name[];
BEGIN
	FOR round IN 1 .. 8 LOOP
		shown := ARRAY(SELECT x FROM unnest('{age, zip, illness, income, since, ward}'::name[]) x WHERE random() < 0.6);
		CALL lives.release(round, shown);
		COMMIT;						-- answers are made in transactions of their own
		CALL lives.judge(round);
		CALL lives.change();
		COMMIT;
	END LOOP;
END $$;
SELECT is_empty('SELECT * FROM lives.wrong', 'nothing that is out has changed, and the history is whole');
SELECT is((SELECT count(*) FROM pprepub.release), 8::bigint, 'there were releases');
SELECT is_empty($$
	SELECT class FROM published.lives_4 GROUP BY class
	HAVING least(count(DISTINCT illness), count(DISTINCT floor(income / 7.5)), count(DISTINCT date_trunc('quarter', since)), count(DISTINCT ward)) < 2
	$$, 'each class of a release of all columns has two values of each');
SELECT is_empty($$
	SELECT jsonb_object_keys(sensitive) FROM pprepub.link_profile('lives', '{1, 4}') EXCEPT SELECT unnest('{illness, income, since, ward}'::text[])
	$$, 'the link profile tells columns apart');

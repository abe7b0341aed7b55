-- Small sequences whose people leave, change and come: whatever happens to them, a release is made, or refused for what it would tell,
-- and all that is out keeps what was promised.

-- Who leaves may have been what nobody is any more.
CREATE TABLE four (id int, age int, sex text, ill text);
INSERT INTO four VALUES (1, 3, 'M', 'd3'), (2, 1, 'F', 'd1'), (3, 6, 'F', 'd1'), (4, 6, 'F', 'd0');
SELECT pprepub.create_publication('four', 'four', 'id', '{"age": "range", "sex": "suppress"}', 'ill', 'sequential', '{"k": 1, "seed": 1}') \g /dev/null
SELECT is((SELECT rows FROM pprepub.publish('four', columns => '{age,sex,ill}')), 4::bigint, 'four people');
DELETE FROM four WHERE id IN (2, 4);
SELECT is((SELECT rows FROM pprepub.publish('four', columns => '{age,ill}')), 2::bigint, 'the two who are left, neither of whom is as young as one who is not');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('four') WHERE NOT holds), NULL, 'all holds');
SELECT pprepub.drop_publication('four', true) \g /dev/null

CREATE TABLE people (id int, age int, sex text, ill text);
CREATE FUNCTION try_publish(columns name[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.publish('people', columns => columns);
	RETURN 'published';
EXCEPTION WHEN no_data_found THEN
	RETURN 'refused';
END $$;
CREATE FUNCTION live(life int, OUT published bigint, OUT wrong text) LANGUAGE plpgsql AS $$
DECLARE
	columns name[] := '{age,ill,sex,ill,age,sex,age,ill}';
	choice int;
BEGIN
	PERFORM setseed(life / 1000.0);
	TRUNCATE people;
	INSERT INTO people SELECT i, (random() * 6)::int, CASE WHEN random() < 0.5 THEN 'F' ELSE 'M' END, 'd' || (random() * 3)::int FROM generate_series(1, 3 + life % 16) i;
	PERFORM pprepub.create_publication('people', 'people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', 'sequential',
		jsonb_build_object('k', 1 + life % 3, 'seed', life));
	published := 0;
	FOR release IN 1 .. 4 LOOP
		choice := floor(random() * 4);
		published := published + (try_publish(CASE choice WHEN 3 THEN '{age,sex,ill}' ELSE columns[1 + 2 * choice : 2 + 2 * choice] END) = 'published')::int;
		UPDATE people SET ill = 'd' || (random() * 3)::int WHERE random() < 0.2;
		UPDATE people SET age = (random() * 6)::int WHERE random() < 0.05;
		DELETE FROM people WHERE random() < 0.05;
		INSERT INTO people SELECT 100 * release + i, (random() * 6)::int, 'F', 'd' || (random() * 3)::int FROM generate_series(1, (random() * 4)::int) i;
	END LOOP;
	SELECT string_agg(check_name || ': ' || measured, ', ') INTO wrong FROM pprepub.audit('people') WHERE NOT holds;
	PERFORM pprepub.drop_publication('people', true);
END $$;
CREATE TABLE lived AS SELECT life, l.* FROM generate_series(1, 60) life, LATERAL live(life) l;
SELECT cmp_ok((SELECT sum(published) FROM lived), '>', 80::numeric, 'many were published');
SELECT is((SELECT string_agg(life || ' ' || wrong, '; ') FROM lived WHERE wrong IS NOT NULL), NULL, 'all that is out holds');

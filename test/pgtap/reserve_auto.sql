-- reserve "auto" chooses how large classes are by how people leave: with invented rows nearly everybody is shown for ten
-- weeks, at a lower price than with any reserve that is declared.
CREATE TABLE people (id int PRIMARY KEY, age int, zip text, ill text);
-- Five in a hundred leave from week to week, others come, and one in a hundred falls ill otherwise.
CREATE FUNCTION sometimes(id int, what int, percent int) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ SELECT abs(hashint8extended(id, what)) % 100 < percent $$;
CREATE PROCEDURE come(first int, last int) LANGUAGE sql AS $$
	INSERT INTO people SELECT i, 18 + abs(hashint8extended(i, 1)) % 63, (10000 + abs(hashint8extended(i, 2)) % 4000)::text, 'd' || abs(hashint8extended(i, 3)) % 12
	FROM generate_series(first, last) i
$$;
CREATE TABLE week (publication text, week int, withheld float, invented float, loss float);
CREATE PROCEDURE live(name text, params jsonb, weeks int) LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
	TRUNCATE people;
	CALL come(1, 4000);
	PERFORM pprepub.create_publication(name, 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', '{"k": 5, "l": 3}' || params,
		beside => ARRAY(SELECT p.name FROM pprepub.publication p));
	FOR w IN 1 .. weeks LOOP
		SELECT * INTO r FROM pprepub.publish(name);
		INSERT INTO week SELECT name, w, r.suppressed / 4000.0, r.counterfeits / 4000.0, value / 2 FROM pprepub.metrics(name, w) WHERE metric = 'ail';
		DELETE FROM people WHERE sometimes(id, 10 * w, 5);
		SELECT 4000 - count(*) AS missing INTO r FROM people;
		CALL come(5000 * w + 1, 5000 * w + r.missing::int);
		UPDATE people SET ill = 'd' || (id + w) % 12 WHERE sometimes(id, 10 * w + 1, 1);
	END LOOP;
END $$;
SELECT format('CALL live(%L, ''{"repair": "counterfeit", "reserve": %s}'', 10)', 'reserve_' || replace(reserve, '"', ''), reserve) FROM unnest('{1,5,20,\"auto\"}'::text[]) reserve \gexec

CREATE VIEW cost AS SELECT publication, avg(withheld) AS withheld, avg(invented) AS invented, avg(loss * (1 - withheld)) AS loss,
	avg(withheld + invented + loss * (1 - withheld)) AS cost FROM week GROUP BY publication;
TABLE cost;
SELECT cmp_ok(auto.cost, '<=', other.cost * 1.05, format('auto costs %s, %s %s', round(auto.cost::numeric, 3), other.publication, round(other.cost::numeric, 3)))
	FROM cost auto, cost other WHERE auto.publication = 'reserve_auto' AND other.publication <> 'reserve_auto';
SELECT cmp_ok(withheld, '<', 0.03::float, 'hardly anybody is withheld') FROM cost WHERE publication = 'reserve_auto';
SELECT is_empty(format('SELECT check_name FROM pprepub.audit(%L) WHERE NOT holds', publication), publication || ': all holds') FROM cost;
SELECT is_empty(format('SELECT FROM pprepub.attack(%L) WHERE NOT holds', publication), publication || ': nobody is told apart') FROM cost;

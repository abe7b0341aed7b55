-- Parameter "strata" of method bpg: classes do not mix values that analysts ask about, as far as that can be.
\pset format unaligned \t on
SET ROLE regress_owner;
SET client_min_messages = warning;
CREATE TABLE strata_people (id int PRIMARY KEY, age int, country text, sex text, disease text, ward text, photo point);
INSERT INTO strata_people SELECT i, i * 37 % 80, CASE WHEN i % 20 < 16 THEN (ARRAY['Chad', 'Mali', 'Peru', 'Togo'])[1 + i % 4] WHEN i % 20 < 19 THEN 'rare ' || i % 20 END,
	CASE i % 3 WHEN 0 THEN 'F' WHEN 1 THEN 'M' END, 'd' || i % 7, 'w' || i % 3 FROM generate_series(0, 399) i;
\set qis '{"age": "range", "country": "suppress", "sex": "suppress"}'
CREATE FUNCTION mixed(of name) RETURNS TABLE (release int, classes bigint, countries bigint, sexes bigint) LANGUAGE sql AS $$
	SELECT release, count(*), count(*) FILTER (WHERE countries > 1), count(*) FILTER (WHERE sexes > 1)
	FROM (SELECT release, count(DISTINCT coalesce(country, '')) AS countries, count(DISTINCT coalesce(sex, '')) AS sexes
		  FROM pprepub.class_members(of) m JOIN strata_people p ON p.id = m.key::int GROUP BY release, class) c GROUP BY release ORDER BY release
$$;

-- No two countries are mixed, and the sexes nowhere.
SELECT pprepub.create_publication('people', 'strata_people', 'id', :'qis', 'disease', 'bpg', '{"k": 5, "l": 2, "strata": ["country", "sex"]}');
SELECT params FROM pprepub.publication;
SELECT rows, suppressed FROM pprepub.publish('people');
SELECT classes > 10 AS classes, countries, sexes FROM mixed('people');
-- So whoever asks about one takes whole classes.
SELECT rows, suppressed, dirty FROM pprepub.publish('people', 'country = ''Mali''');
SELECT rows, suppressed, dirty FROM pprepub.publish('people', 'country = ''Peru'' AND sex = ''F''');
SELECT * FROM pprepub.audit('people') WHERE NOT holds;

-- For the newcomers to come, another list, or none; countries of few people are mixed with each other, by a release that does not show them, too.
SELECT pprepub.alter_publication('people', '{"strata": ["sex"]}');
SELECT pprepub.alter_publication('people', '{"strata": null}');
SELECT params FROM pprepub.publication;
CALL forget('people');
SELECT pprepub.create_publication('people', 'strata_people', 'id', :'qis', 'disease', 'bpg', '{"k": 15, "l": 2, "reserve": 2, "strata": ["country"], "leaves": "photo"}');
SELECT pprepub.create_publication('people', 'strata_people', 'id', :'qis', 'disease', 'bpg', '{"k": 15, "l": 2, "reserve": 2, "strata": ["country"]}');
SELECT rows, suppressed FROM pprepub.publish('people', NULL, '{age,disease}');
SELECT array_agg(DISTINCT country) AS mixed FROM pprepub.class_members('people') m JOIN strata_people p ON p.id = m.key::int
WHERE class IN (SELECT class FROM pprepub.class_members('people') m JOIN strata_people p ON p.id = m.key::int GROUP BY class HAVING count(DISTINCT country) > 1);

-- People who came before strata were declared, into larger classes, are parted by them with the next release; so after five releases a country takes no strangers.
CREATE TABLE moving AS TABLE strata_people;
ALTER TABLE moving ADD PRIMARY KEY (id);
CREATE PROCEDURE live(params jsonb) LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
	DELETE FROM moving;
	INSERT INTO moving SELECT id, id % 79, country, sex, disease FROM strata_people;
	PERFORM pprepub.create_publication('moving', 'moving', 'id', '{"age": "range", "country": "suppress"}', 'disease', 'bpg',
		'{"k": 4, "l": 2, "repair": "dirty", "max_added": 1, "reserve": 10, "weights": {"country": 0.001}}', beside => '{people}');
	PERFORM pprepub.publish('moving');
	PERFORM pprepub.alter_publication('moving', params);
	FOR i IN 2 .. 5 LOOP
		PERFORM pprepub.publish('moving');
		DELETE FROM moving WHERE id % 80 = i * 7;
		INSERT INTO moving SELECT 1000 * i + id, id % 79, country, sex, disease FROM strata_people WHERE id < 60;
	END LOOP;
	FOR r IN SELECT release, avg((countries > 1)::int) AS mixed FROM (SELECT release, count(DISTINCT coalesce(country, '')) AS countries
		FROM pprepub.class_members('moving') m JOIN moving p ON p.id = m.key::int GROUP BY release, class) c WHERE release IN (1, 2, 5) GROUP BY release ORDER BY release LOOP
		RAISE INFO 'release %: % classes mix countries', r.release, CASE WHEN r.mixed < 0.25 THEN 'few' WHEN r.mixed > 0.75 THEN 'most' ELSE 'some' END;
	END LOOP;
	SELECT rows, dirty INTO r FROM pprepub.publish('moving', 'country = ''Mali''');
	RAISE INFO 'of those shown as from Mali %', CASE WHEN r.dirty = 0 THEN 'all are' WHEN r.dirty > r.rows / 2 THEN 'most are not' ELSE 'some are not' END;
	RAISE INFO '% checks fail', (SELECT count(*) FROM pprepub.audit('moving') WHERE NOT holds);
	PERFORM pprepub.drop_publication('moving', true);
END $$;
SET client_min_messages = error;
CALL live('{"reserve": 1}');
CALL live('{"reserve": 1, "strata": ["country"]}');
CALL live('{"reserve": "auto", "strata": ["country"]}');
SET client_min_messages = warning;

-- Refused.
SELECT pprepub.alter_publication('people', '{"strata": "country"}');
\set VERBOSITY terse
SELECT pprepub.alter_publication('people', '{"strata": {"country": 1}}');
SELECT pprepub.alter_publication('people', '{"strata": [1]}');
SELECT pprepub.alter_publication('people', '{"strata": [""]}');
SELECT pprepub.alter_publication('people', '{"strata": ["sex", "sex"]}');
SELECT pprepub.alter_publication('people', '{"strata": ["sex", "ward"]}');
SELECT pprepub.alter_publication('people', '{"strata": ["disease"]}');
SELECT pprepub.alter_publication('people', '{"strata": ["id"]}');
SELECT pprepub.alter_publication('people', '{"strata": ["no"]}');
SELECT pprepub.alter_publication('people', '{"strata": []}');
SELECT params FROM pprepub.publication;
CALL forget('people');
SELECT pprepub.create_publication('people', 'strata_people', 'id', :'qis', 'disease', 'bpg', '{"k": 5, "strata": ["ward"]}');
SELECT pprepub.create_publication('people', 'strata_people', 'id', '{"age": "range", "photo": "suppress"}', 'disease', 'bpg', '{"k": 5, "strata": ["photo"]}');

DROP FUNCTION mixed;
DROP PROCEDURE live;
DROP TABLE strata_people, moving;
DROP SCHEMA published, published_private;
RESET client_min_messages;
RESET ROLE;

-- Parameters "strata" and "weights" of method bpg: how newcomers are cut for the sake of analysts.
SET ROLE regress_owner;
SET client_min_messages = warning;
\set ECHO none
\pset format unaligned
\pset tuples_only on
CREATE TABLE people (id int PRIMARY KEY, age int, zip int, country text, sex text, disease text, photo point);
INSERT INTO people SELECT i, i * 37 % 101, i * 53 % 97, CASE WHEN i % 20 < 16 THEN (ARRAY['Chad', 'Mali', 'Peru', 'Togo'])[1 + i % 4] WHEN i % 20 < 19 THEN 'rare ' || i % 20 END,
	(ARRAY['F', 'M'])[i % 3], 'd' || i % 7 FROM generate_series(0, 999) i;
CREATE FUNCTION declare(params jsonb) RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "zip": "range", "country": "suppress", "sex": "suppress"}', 'disease', 'bpg',
		'{"k": 10, "l": 2, "repair": "dirty", "max_added": 1, "reserve": 1}' || params)
$$;
CREATE FUNCTION shown() RETURNS TABLE (release int, countries text[], sexes text[]) LANGUAGE sql AS $$
	SELECT m.release, array_agg(DISTINCT p.country), array_agg(DISTINCT p.sex) FROM pprepub.class_members('people') m JOIN people p ON p.id = m.key::int GROUP BY m.release, m.class
$$;

-- No classes mix two countries but those of few people, and none the sexes; an answer about one takes whole classes.
SELECT declare('{"k": 60, "strata": ["country", "sex"], "weights": {"age": 4.5}}') \g /dev/null
\set ECHO all
SELECT params -> 'strata' AS strata, params -> 'weights' AS weights FROM pprepub.publication;
SELECT rows, suppressed FROM pprepub.publish('people');
SELECT countries, count(DISTINCT sexes) AS sexes, max(cardinality(sexes)) AS together FROM shown() GROUP BY countries ORDER BY countries;
SELECT rows, suppressed, dirty FROM pprepub.publish('people', 'country = ''Mali''');
SELECT rows, suppressed, dirty FROM pprepub.publish('people', 'country = ''Peru'' AND sex = ''F''');
-- For newcomers to come another list, or none; an empty one stays empty.
SELECT pprepub.alter_publication('people', '{"strata": [], "weights": null}') \g /dev/null
SELECT params -> 'strata' AS strata, params -> 'weights' AS weights FROM pprepub.publication;

-- People who came before strata were declared stay together.
SELECT pprepub.drop_publication('people', true) \g /dev/null
SELECT declare('{"reserve": 10, "weights": {"country": 0.001}}') \g /dev/null
SELECT rows FROM pprepub.publish('people') \g /dev/null
SELECT pprepub.alter_publication('people', '{"reserve": 1, "strata": ["country"]}') \g /dev/null
SELECT rows FROM pprepub.publish('people', columns => '{age,disease}') \g /dev/null
SELECT release, avg((cardinality(countries) > 1)::int) > 0.75 AS most_mix, avg((cardinality(countries) > 1)::int) < 0.25 AS few_mix FROM shown() GROUP BY release ORDER BY release;
SELECT check_name FROM pprepub.audit('people') WHERE NOT holds;
\set ECHO none
SELECT pprepub.drop_publication('people', true) \g /dev/null

-- A column that weighs more has narrower cells, and answers about it add fewer rows; only the ratio of weights counts, and loss is measured without them.
CREATE TABLE tried (weights jsonb, age numeric, zip numeric, ail numeric, of_ages int);
CREATE PROCEDURE try(weights jsonb) LANGUAGE plpgsql AS $$
DECLARE t tried;
BEGIN
	PERFORM declare(jsonb_strip_nulls(jsonb_build_object('weights', weights)));
	PERFORM pprepub.publish('people', columns => '{age,zip,disease}');
	SELECT weights, avg(coalesce((upper(w.age) - 1 - lower(w.age)) / 100.0, 1)), avg(coalesce((upper(w.zip) - 1 - lower(w.zip)) / 96.0, 1)) INTO t FROM published.people_1 w;
	t.ail := value FROM pprepub.metrics('people', 1) WHERE metric = 'ail';
	t.of_ages := dirty FROM pprepub.publish('people', 'age BETWEEN 30 AND 45', '{age,zip,disease}');
	INSERT INTO tried VALUES (t.*);
	PERFORM pprepub.drop_publication('people', true);
END $$;
CALL try(NULL); CALL try('{"age": 16, "zip": 16}'); CALL try('{"age": 8}'); CALL try('{"zip": 4, "age": 0.5}');
\set ECHO all
SELECT weights, round(100 * age) AS age, round(100 * zip) AS zip, age + zip - ail BETWEEN 0 AND 0.05 AS same, of_ages FROM tried;

-- The first people who are asked for lay out an answer likewise; a forecast and a preview take other ones, by the names that the publication has.
SELECT declare('{"weights": {"zip": 1000}}') \g /dev/null
SELECT avg(coalesce(upper(zip) - lower(zip), 97)) < 8 AS narrow, avg(coalesce(upper(age) - lower(age), 101)) > 30 AS wide FROM published.people('zip < 48');
SELECT value > (SELECT value FROM pprepub.preview('people', params => '{"weights": {"age": 1, "zip": 1}}') WHERE metric = 'ail') AS more FROM pprepub.preview('people') WHERE metric = 'ail';
SELECT count(*) FROM pprepub.forecast('people', 2, params => '{"strata": ["country"]}');
ALTER TABLE people RENAME COLUMN age TO years;
SELECT pprepub.preview('people', params => '{"weights": {"years": 2}}');
SELECT pprepub.alter_publication('people', '{"weights": {"age": 2}}') \g /dev/null

-- Anything else is refused.
SELECT pprepub.alter_publication('people', '{"strata": ["sex", "sex"]}');
SELECT pprepub.alter_publication('people', '{"strata": ["disease"]}');
SELECT pprepub.alter_publication('people', '{"strata": "country"}');
SELECT pprepub.alter_publication('people', '{"weights": {"age": 0}}');
DO $$
DECLARE given text; accepted text[] := '{}';
BEGIN
	FOREACH given IN ARRAY ARRAY['{"strata": {"country": 1}}', '{"strata": [1]}', '{"strata": [""]}', '{"weights": {"age": -1}}', '{"weights": {"age": 0.000999}}',
		'{"weights": {"age": 1000.000001}}', '{"weights": {"age": 1e400}}', '{"weights": {"age": 0.3333333}}', '{"weights": {"age": "2"}}', '{"weights": {"age": null}}',
		'{"weights": {"age": [1]}}', '{"weights": {"age": {"zip": 1}}}', '{"weights": ["age"]}', '{"weights": "age"}', '{"weights": 2}', '{"weights": {"": 1}}'] LOOP
		BEGIN
			PERFORM pprepub.alter_publication('people', given::jsonb);
			accepted := accepted || given;
		EXCEPTION WHEN invalid_parameter_value THEN NULL;
		END;
	END LOOP;
	RAISE INFO 'accepted: %', accepted;
END $$;
SELECT pprepub.drop_publication('people', true) \g /dev/null
SELECT pprepub.create_publication('people', 'people', 'id', '{"years": "range", "photo": "suppress"}', 'disease', 'bpg', '{"k": 5, "strata": ["photo"]}');
-- A quasi-identifier that cannot be sorted has a weight, though.
SELECT pprepub.create_publication('people', 'people', 'id', '{"years": "range", "photo": "suppress"}', 'disease', 'bpg', '{"k": 5, "weights": {"photo": 0.5}}') \g /dev/null
SELECT rows, suppressed FROM pprepub.publish('people');
CALL public.clean();

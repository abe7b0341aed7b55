-- Parameter "weights" of method bpg: cells of a column that weighs more stay narrower.
\pset format unaligned \t on
\set VERBOSITY terse
SET ROLE regress_owner;
SET client_min_messages = warning;
CREATE TABLE weighed (id int PRIMARY KEY, age int, zip int, country text, disease text, ward text, photo point);
INSERT INTO weighed SELECT i, i * 37 % 101, i * 53 % 97, (ARRAY['Chad', 'Mali', 'Peru', 'Togo'])[1 + i * 7 % 11 % 4], 'd' || i % 7, 'w' || i % 3 FROM generate_series(0, 999) i;
CREATE FUNCTION declare(params jsonb) RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication('weighed', 'weighed', 'id', '{"age": "range", "zip": "range", "country": "suppress"}', 'disease', 'bpg',
		'{"k": 10, "l": 2, "repair": "dirty", "max_added": 1, "reserve": 1}' || params)
$$;
-- How wide cells are, as parts of the whole; whether that is the loss that is reported, which has no weights, but for the rounding of ends; and how many strangers cohorts take.
CREATE TABLE tried (weights jsonb, age numeric, zip numeric, country numeric, same boolean, of_ages int, of_zips int);
CREATE PROCEDURE try(weights jsonb) LANGUAGE plpgsql AS $$
DECLARE t tried;
BEGIN
	PERFORM declare(CASE WHEN weights IS NULL THEN '{}' ELSE jsonb_build_object('weights', weights) END);
	PERFORM pprepub.publish('weighed');
	SELECT avg(coalesce((upper(w.age) - 1 - lower(w.age)) / 100.0, 1)), avg(coalesce((upper(w.zip) - 1 - lower(w.zip)) / 96.0, 1)), avg((w.country = '*')::int) INTO t.age, t.zip, t.country FROM published.weighed_1 w;
	t.same := t.age + t.zip + t.country - (SELECT value FROM pprepub.metrics('weighed', 1) WHERE metric = 'ail')::numeric BETWEEN 0 AND 0.05;
	t.of_ages := dirty FROM pprepub.publish('weighed', 'age BETWEEN 30 AND 45');
	PERFORM pprepub.drop_publication('weighed', true);
	PERFORM declare(CASE WHEN weights IS NULL THEN '{}' ELSE jsonb_build_object('weights', weights) END);
	PERFORM pprepub.publish('weighed');
	t.of_zips := dirty FROM pprepub.publish('weighed', 'zip < 20');
	t.weights := weights;
	INSERT INTO tried VALUES (t.*);
	PERFORM pprepub.drop_publication('weighed', true);
END $$;

-- A column that weighs more is cut before the others, and whoever asks about it gets fewer strangers.
CALL try(NULL);
CALL try('{"age": 8}');
CALL try('{"zip": 4, "age": 0.5}');
CALL try('{"country": 0.001}');
SELECT weights, round(age, 2) AS age, round(zip, 2) AS zip, round(country, 2) AS country, same, of_ages, of_zips FROM tried \g (format=aligned t=off)
-- Weights that are alike, and none, are the same.
CALL try('{}');
CALL try('{"age": 16, "zip": 16, "country": 16}');
SELECT count(*), count(DISTINCT (age, zip, country, of_ages, of_zips)) FROM tried WHERE weights IS NULL OR weights IN ('{}', '{"age": 16, "zip": 16, "country": 16}');

-- They are kept, tried, altered for the releases to come, and given up.
SELECT declare('{"weights": {"age": 4.5, "country": 0.001}, "strata": ["country"]}');
SELECT params FROM pprepub.publication;
SELECT value < (SELECT value FROM pprepub.preview('weighed', params => '{"weights": {"age": 1000}}') WHERE metric = 'ail') AS more FROM pprepub.preview('weighed') WHERE metric = 'ail';
SELECT pprepub.alter_publication('weighed', '{"weights": {"zip": 1000}}');
SELECT params -> 'weights' AS weights FROM pprepub.publication;
-- The first people who are asked for lay out an answer likewise; a column that is not shown weighs nothing.
SELECT avg(coalesce(upper(zip) - lower(zip), 97)) < 8 AS narrow, avg(coalesce(upper(age) - lower(age), 101)) > 30 AS wide FROM published.weighed('zip < 48');
SELECT rows, suppressed FROM pprepub.publish('weighed', NULL, '{age,disease}');
SELECT * FROM pprepub.audit('weighed') WHERE NOT holds;
SELECT pprepub.alter_publication('weighed', '{"weights": null}');
SELECT params ? 'weights' AS weights FROM pprepub.publication;
-- They hold the names of the publication, which stay when the source's change.
ALTER TABLE weighed RENAME COLUMN age TO years;
SELECT pprepub.alter_publication('weighed', '{"weights": {"years": 2}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": 2}}');
SELECT pprepub.preview('weighed', params => '{"weights": {"years": 2}}');
INSERT INTO weighed SELECT i, i * 37 % 101, i * 53 % 97, 'Chad', 'd' || i % 7, 'w' || i % 3 FROM generate_series(1000, 1099) i;
SELECT rows, suppressed FROM pprepub.publish('weighed');
ALTER TABLE weighed RENAME COLUMN years TO age;

-- Refused.
SELECT pprepub.alter_publication('weighed', '{"leaves": "ward"}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"ward": 1}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"disease": 1}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"id": 1}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": 1, "no": 1}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"": 1}}');
\set VERBOSITY default
SELECT pprepub.preview('weighed', params => '{"weights": {"no": 1}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": 0}}');
\set VERBOSITY terse
\set SHOW_CONTEXT never
\set VERBOSITY terse
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": -1}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": 0.000999}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": 1000.000001}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": 1e400}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": 0.3333333}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": "2"}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": null}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": {"zip": 1}}}');
SELECT pprepub.alter_publication('weighed', '{"weights": {"age": [1]}}');
SELECT pprepub.alter_publication('weighed', '{"weights": ["age"]}');
SELECT pprepub.alter_publication('weighed', '{"weights": "age"}');
SELECT pprepub.alter_publication('weighed', '{"weights": 2}');
\set VERBOSITY default
SELECT params -> 'weights' AS weights FROM pprepub.publication;
CALL forget('weighed');
SELECT declare('{"weights": {"ward": 1}}');
SELECT declare('{"leaves": "ward", "weights": {"ward": 1}}');
SELECT pprepub.create_publication('weighed', 'weighed', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 2, "weights": {"age": 1}}');
-- A quasi-identifier that cannot be sorted has a weight, too.
SELECT pprepub.create_publication('weighed', 'weighed', 'id', '{"age": "range", "photo": "suppress"}', 'disease', 'bpg', '{"k": 5, "repair": "dirty", "weights": {"photo": 0.5}}');
SELECT rows, suppressed FROM pprepub.publish('weighed');
CALL forget('weighed');

DROP FUNCTION declare;
DROP PROCEDURE try;
DROP TABLE weighed, tried;
DROP SCHEMA published, published_private;
RESET client_min_messages;
RESET ROLE;

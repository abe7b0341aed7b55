-- Lives of a hospital, of its own schema: "hospital"; "unasked", the same without analysts; "curious", which are asked about cohorts before each release,
-- too; "settled", in which nobody moves.  All have a quiet week, and in one the release is made twice.
\i test/data/census_levels.sql
CREATE VIEW current AS SELECT id, age, sex, zip, country, diagnosis AS secret FROM hospital.extract;
CREATE TABLE seen (id int8 PRIMARY KEY, zip text, week int);
CREATE TABLE zip_levels AS SELECT zip, district, county, region, '*' AS root FROM hospital.zips;
CREATE TABLE land_levels AS SELECT country, coalesce(l.parent, 'Elsewhere') AS parent, '*' AS root
FROM (SELECT DISTINCT country FROM hospital.extract UNION SELECT DISTINCT country FROM :pool) c LEFT JOIN country_levels l ON l.leaf = c.country;
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{zip,land}'::text[]) name \g /dev/null

CREATE PROCEDURE begin_life(people int) LANGUAGE plpgsql AS $$
BEGIN
	CALL hospital.start(people);
	TRUNCATE seen;
	INSERT INTO seen SELECT id, zip, 1 FROM current;
END
$$;

CREATE PROCEDURE pass(life text, week int, moves text[]) LANGUAGE plpgsql AS $$
BEGIN
	IF week = 6 THEN
		RETURN;
	END IF;
	CALL hospital.pass_week(week, move => CASE life WHEN 'settled' THEN 0 ELSE 0.005 END);
	INSERT INTO unsteady SELECT c.id, pass.week FROM current c JOIN seen s USING (id) WHERE s.zip <> c.zip OR s.week < (SELECT max(s.week) FROM seen s)
	ON CONFLICT (id) DO UPDATE SET week = excluded.week;
	INSERT INTO seen SELECT id, zip, pass.week FROM current ON CONFLICT (id) DO UPDATE SET zip = excluded.zip, week = excluded.week;
END
$$;

-- A hospital, where there is no other: patients are admitted, leave, come back, move, have birthdays, and get other diagnoses.
-- Rows of test/data/census.sql; the same calls give the same rows.
CREATE SCHEMA hospital;
CREATE FUNCTION hospital.h(text) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT (hashtextextended($1, 7) & 1048575) / 1048576.0 $$;
CREATE TABLE hospital.zips AS
SELECT (53000 + i * 13)::text AS zip, 'district ' || i / 7 AS district, 'county ' || i / 21 AS county, 'region ' || i / 42 AS region, i AS n FROM generate_series(0, 79) i;
CREATE TABLE hospital.pool AS
SELECT c.id, c.sex, '2026-01-05'::date - (c.age * 365.25 + hospital.h(c.id || '/b') * 365)::int AS birth, z.zip, c.country,
	'D' || least(c.age / 20, 4) * 8 + (48 * power(hospital.h(c.id || '/d'), 2))::int AS diagnosis
FROM census(120000) c JOIN hospital.zips z ON z.n = floor(80 * power(hospital.h(c.id || '/z'), 1.7))::int;
ALTER TABLE hospital.pool ADD PRIMARY KEY (id);
CREATE TABLE hospital.today (d date);
CREATE TABLE hospital.patients (LIKE hospital.pool, PRIMARY KEY (id));
CREATE TABLE hospital.gone (LIKE hospital.pool, week int);
CREATE VIEW hospital.extract AS SELECT p.id, extract(year FROM age(t.d, p.birth))::int AS age, p.sex, p.zip, p.country, p.diagnosis FROM hospital.patients p, hospital.today t;

CREATE PROCEDURE hospital.start(people int) LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE hospital.today, hospital.patients, hospital.gone;
	INSERT INTO hospital.today VALUES ('2026-01-05');
	INSERT INTO hospital.patients SELECT * FROM hospital.pool WHERE id <= people;
END
$$;

CREATE PROCEDURE hospital.pass_week(w int, leave float8 DEFAULT 0.05, come float8 DEFAULT 0.05, change float8 DEFAULT 0.01, move float8 DEFAULT 0.005,
	come_back float8 DEFAULT 0.05) LANGUAGE plpgsql AS $$
DECLARE
	people int := (SELECT count(*) FROM hospital.patients);
	last int := (SELECT max(id) FROM (TABLE hospital.patients UNION ALL SELECT id, sex, birth, zip, country, diagnosis FROM hospital.gone) q);
BEGIN
	UPDATE hospital.today SET d = d + 7;
	WITH x AS (DELETE FROM hospital.patients WHERE hospital.h(id || '/l/' || w) < leave RETURNING *) INSERT INTO hospital.gone SELECT *, w FROM x;
	WITH x AS (DELETE FROM hospital.gone WHERE week < w AND hospital.h(id || '/r/' || w) < come_back RETURNING *)
	INSERT INTO hospital.patients SELECT x.id, x.sex, x.birth, x.zip, x.country, CASE WHEN hospital.h(x.id || '/n/' || w) < 0.5 THEN x.diagnosis ELSE q.diagnosis END
	FROM x JOIN hospital.pool q ON q.id = 1 + (x.id * 7 + w) % 120000;
	INSERT INTO hospital.patients SELECT * FROM hospital.pool WHERE id > last AND id <= last + (people * come)::int;
	UPDATE hospital.patients p SET diagnosis = q.diagnosis FROM hospital.pool q WHERE q.id = 1 + p.id * 11 % 120000 AND hospital.h(p.id || '/c/' || w) < change;
	UPDATE hospital.patients p SET zip = q.zip FROM hospital.pool q WHERE q.id = 1 + p.id * 13 % 120000 AND hospital.h(p.id || '/m/' || w) < move;
END
$$;

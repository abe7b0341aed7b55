-- A hospital, for the demo: 2,000 patients, always the same, where they come from, and how weeks pass.

CREATE SCHEMA hospital;

CREATE TABLE hospital.patients (
	id int PRIMARY KEY,
	age int NOT NULL,
	zip text NOT NULL,
	country text NOT NULL,
	sex text NOT NULL,
	disease text NOT NULL
);

CREATE PROCEDURE hospital.admit(first int, last int) LANGUAGE sql AS $$
	INSERT INTO hospital.patients
	SELECT id,
		18 + (h[1] % 36 + h[2] % 38)::int,
		(ARRAY['531', '532', '537', '549'])[1 + h[3] % 4] || lpad((h[4] % 6 * 7)::text, 2, '0'),
		(ARRAY['France', 'France', 'France', 'France', 'France', 'France', 'Italy', 'Italy', 'Spain', 'Spain',
			'Poland', 'Romania', 'Morocco', 'Morocco', 'Senegal', 'Vietnam', 'India', 'Brazil'])[1 + h[5] % 18],
		(ARRAY['F', 'M'])[1 + h[6] % 2],
		(ARRAY['influenza', 'influenza', 'influenza', 'diabetes', 'diabetes', 'diabetes', 'asthma', 'asthma',
			'hypertension', 'hypertension', 'hypertension', 'gastritis', 'gastritis', 'hepatitis', 'HIV',
			'kidney stones', 'lung cancer', 'depression', 'depression', 'epilepsy'])[1 + h[7] % 20]
	FROM (
		SELECT id, array_agg(hashint8extended(id, n) & 9223372036854775807 ORDER BY n) AS h
		FROM generate_series(first, last) id, generate_series(1, 7) n
		GROUP BY id) drawn
	ORDER BY id
$$;

CALL hospital.admit(1, 2000);

-- Five of a hundred are discharged, as many come, and one of a hundred turns out to have something else.
CREATE PROCEDURE hospital.pass_week(week int) LANGUAGE sql AS $$
	DELETE FROM hospital.patients WHERE hashint8extended(id, 100 + week) & 1023 < 51;
	UPDATE hospital.patients SET disease = 'influenza' WHERE hashint8extended(id, 200 + week) & 1023 < 10;
	CALL hospital.admit(1000 * week + 1001, 1000 * week + 1100);
$$;

CREATE TABLE hospital.country_levels (country text, region text, continent text, world text);

INSERT INTO hospital.country_levels VALUES
	('France', 'Western Europe', 'Europe', 'World'),
	('Italy', 'Southern Europe', 'Europe', 'World'),
	('Spain', 'Southern Europe', 'Europe', 'World'),
	('Portugal', 'Southern Europe', 'Europe', 'World'),
	('Germany', 'Western Europe', 'Europe', 'World'),
	('Poland', 'Eastern Europe', 'Europe', 'World'),
	('Romania', 'Eastern Europe', 'Europe', 'World'),
	('Morocco', 'North Africa', 'Africa', 'World'),
	('Algeria', 'North Africa', 'Africa', 'World'),
	('Senegal', 'West Africa', 'Africa', 'World'),
	('Vietnam', 'Asia', 'Asia', 'World'),
	('India', 'Asia', 'Asia', 'World'),
	('Brazil', 'Americas', 'Americas', 'World');

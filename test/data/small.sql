-- The small tables of docs/explanation: CALL small.PAGE(1) makes that of a page, and further calls bring the releases to come.
CREATE SCHEMA small;
CREATE SCHEMA IF NOT EXISTS hospital;

CREATE PROCEDURE small.bpg(step int) LANGUAGE plpgsql AS $$
BEGIN
	IF step = 1 THEN
		CREATE TABLE hospital.patients (name text PRIMARY KEY, age int, sex text, disease text);
		INSERT INTO hospital.patients VALUES ('Alice', 30, 'F', 'flu'), ('Charlotte', 33, 'F', 'migraine'), ('Bob', 36, 'M', 'pneumonia'), ('Dave', 40, 'M', 'HIV');
		RETURN;
	END IF;
	DELETE FROM hospital.patients WHERE name IN ('Charlotte', 'Bob');
	INSERT INTO hospital.patients VALUES ('Fran', 31, 'F', 'flu'), ('George', 35, 'M', 'cancer');
	PERFORM pprepub.publish('patients');
	DELETE FROM hospital.patients WHERE name IN ('Alice', 'Dave');
	INSERT INTO hospital.patients VALUES ('Ellis', 38, 'M', 'HIV'), ('Helen', 39, 'F', 'HIV');
	PERFORM pprepub.publish('patients');
END
$$;

CREATE PROCEDURE small.candidates(step int) LANGUAGE plpgsql AS $$
BEGIN
	IF step = 1 THEN
		CREATE TABLE hospital.patients (name text PRIMARY KEY, age int, sex text, disease text);
		INSERT INTO hospital.patients VALUES ('Alice', 31, 'F', 'flu'), ('Betty', 30, 'F', 'cancer'), ('Carl', 50, 'M', 'flu'), ('Dan', 51, 'M', 'AIDS');
	ELSE
		DELETE FROM hospital.patients WHERE name IN ('Betty', 'Dan');
		INSERT INTO hospital.patients VALUES ('Emil', 52, 'M', 'AIDS'), ('Fiona', 70, 'F', 'asthma'), ('Grace', 71, 'F', 'flu');
	END IF;
END
$$;

-- Two releases of six people, by m-invariance as "plain" and by cor-split as "split".
CREATE PROCEDURE small.six() LANGUAGE plpgsql AS $$
DECLARE
	name text;
BEGIN
	FOREACH name IN ARRAY '{plain,split}'::text[] LOOP
		EXECUTE format('CREATE TABLE hospital.%I (name text PRIMARY KEY, age int, disease text)', name);
		EXECUTE format($sql$INSERT INTO hospital.%I VALUES ('Alice', 30, 'cancer'), ('Betty', 31, 'bronchitis'), ('Carl', 32, 'AIDS'),
			('Doris', 50, 'cancer'), ('Fiona', 51, 'bronchitis'), ('Erica', 52, 'AIDS')$sql$, name);
		PERFORM pprepub.create_publication(name, ('hospital.' || name)::regclass, 'name', '{"age": "range"}', 'disease',
			CASE name WHEN 'plain' THEN 'm-invariance' ELSE 'cor-split' END, CASE name WHEN 'plain' THEN '{"m": 3}' ELSE '{"m": 3, "n": 2}' END::jsonb);
		PERFORM pprepub.publish(name);
		EXECUTE format($sql$DELETE FROM hospital.%I WHERE name IN ('Alice', 'Fiona')$sql$, name);
		EXECUTE format($sql$INSERT INTO hospital.%I VALUES ('Grace', 33, 'cancer'), ('Hanna', 53, 'bronchitis')$sql$, name);
		PERFORM pprepub.publish(name);
	END LOOP;
END
$$;

-- Six people whose diseases change; and the two releases of them that were made by themselves, imported.
CREATE PROCEDURE small.m_distinct(step int) LANGUAGE plpgsql AS $$
BEGIN
	IF step = 1 THEN
		CREATE TABLE hospital.patients (name text PRIMARY KEY, zip int, hours int, disease text);
		INSERT INTO hospital.patients VALUES ('Ken', 14, 20, 'dyspepsia'), ('Julia', 16, 23, 'pneumonia'), ('Tom', 24, 32, 'pneumonia'),
			('Harry', 26, 35, 'gastritis'), ('Lily', 29, 17, 'glaucoma'), ('Ben', 31, 19, 'flu');
		RETURN;
	END IF;
	CREATE TABLE hospital.one AS SELECT * FROM (VALUES ('Ken', '[14,17)', '[20,24)', 'dyspepsia', 1), ('Julia', '[14,17)', '[20,24)', 'pneumonia', 1),
		('Tom', '[24,27)', '[32,36)', 'pneumonia', 2), ('Harry', '[24,27)', '[32,36)', 'gastritis', 2), ('Lily', '[29,32)', '[17,20)', 'glaucoma', 3),
		('Ben', '[29,32)', '[17,20)', 'flu', 3)) v(name, zip, hours, disease, class);
	CREATE TABLE hospital.two AS SELECT * FROM (VALUES ('Ken', '[12,15)', '[17,21)', 'dyspepsia', 1), ('Lily', '[12,15)', '[17,21)', 'glaucoma', 1),
		('Julia', '[15,19)', '[27,32)', 'lung cancer', 2), ('Tom', '[15,19)', '[27,32)', 'pneumonia', 2), ('Harry', '[23,27)', '[32,36)', 'dyspepsia', 3),
		('Ben', '[23,27)', '[32,36)', 'pneumonia', 3)) v(name, zip, hours, disease, class);
	CREATE TABLE hospital.others (LIKE hospital.patients INCLUDING ALL);
	INSERT INTO hospital.others SELECT name, substr(zip, 2, 2)::int, substr(hours, 2, 2)::int, disease FROM hospital.one;
	PERFORM pprepub.create_publication('by_itself', 'hospital.others', 'name', '{"zip": "range", "hours": "range"}', 'disease', 'm-distinct',
		'{"m": 2, "updates": "hospital.progress"}');
	PERFORM pprepub.import_release('by_itself', 'hospital.one', key => 'name');
	DELETE FROM hospital.others;
	INSERT INTO hospital.others SELECT name, substr(zip, 2, 2)::int, substr(hours, 2, 2)::int, disease FROM hospital.two;
	PERFORM pprepub.import_release('by_itself', 'hospital.two', key => 'name');

	UPDATE hospital.patients p SET zip = now.zip, hours = now.hours, disease = now.disease
	FROM (VALUES ('Ken', 14, 20, 'dyspepsia'), ('Lily', 12, 17, 'glaucoma'), ('Julia', 18, 31, 'lung cancer'), ('Tom', 15, 27, 'pneumonia'),
		('Harry', 23, 32, 'dyspepsia'), ('Ben', 26, 35, 'pneumonia')) now (name, zip, hours, disease) WHERE now.name = p.name;
	PERFORM pprepub.publish('patients');
END
$$;

CREATE PROCEDURE small.global(step int) LANGUAGE plpgsql AS $$
BEGIN
	IF step = 1 THEN
		CREATE TABLE hospital.visits (name text PRIMARY KEY, zip text, sex text, disease text);
		INSERT INTO hospital.visits VALUES ('Otto', '65001', 'M', 'flu'), ('Paul', '65002', 'M', 'chlamydia'), ('Rita', '65014', 'F', 'flu'), ('Sara', '65015', 'F', 'fever');
		CREATE TABLE hospital.delicate (disease text);
		INSERT INTO hospital.delicate VALUES ('chlamydia');
	ELSE
		DELETE FROM hospital.visits WHERE name = 'Sara';
		INSERT INTO hospital.visits VALUES ('Tina', '65016', 'F', 'flu');
		UPDATE hospital.visits SET disease = CASE name WHEN 'Otto' THEN 'chlamydia' WHEN 'Paul' THEN 'flu' ELSE 'fever' END WHERE name <> 'Tina';
	END IF;
END
$$;

CREATE PROCEDURE small.sequential(step int) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TABLE hospital.patients (name text PRIMARY KEY, age int, gender text, disease text);
	INSERT INTO hospital.patients VALUES ('Adam', 20, 'male', 'measles'), ('Beth', 20, 'female', 'hepatitis'), ('Carl', 30, 'male', 'flu'), ('Alice', 30, 'female', 'angina');
END
$$;

CREATE PROCEDURE small.principles(step int) LANGUAGE sql AS $$
	CREATE TABLE hospital.records AS SELECT i AS id, 20 + i % 60 AS age, ('{flu,flu,flu,cold,cold,asthma,HIV}'::text[])[1 + i * 31 / 7 % 7] AS disease FROM generate_series(1, 400) i;
	ALTER TABLE hospital.records ADD PRIMARY KEY (id);
$$;

CREATE PROCEDURE small.generalization(step int) LANGUAGE plpgsql AS $$
BEGIN
	CREATE TABLE hospital.visits (id int PRIMARY KEY, age int, zip text, country text, sex text, admitted date, disease text);
	INSERT INTO hospital.visits VALUES (1, 41, '53711', 'France', 'F', '2026-05-04', 'asthma'), (2, 44, '53715', 'Germany', 'F', '2026-05-06', 'flu'),
		(3, 49, '53703', 'France', 'F', '2026-05-08', 'HIV'), (4, 22, '60601', 'Japan', 'M', '2026-05-12', 'flu'),
		(5, 25, '60611', 'Japan', 'F', '2026-05-19', 'asthma'), (6, 28, '60614', 'Germany', 'M', '2026-06-02', 'flu');
	CREATE TABLE hospital.levels AS SELECT * FROM (VALUES ('France', 'Europe', 'World'), ('Germany', 'Europe', 'World'), ('Japan', 'Asia', 'World')) v (leaf, parent, root);
	PERFORM pprepub.create_taxonomy('world', 'hospital.levels');
END
$$;

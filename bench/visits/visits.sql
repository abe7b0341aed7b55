SET check_function_bodies = off;
SET max_parallel_workers_per_gather = 0;
\pset footer off
CREATE TABLE zip_levels AS SELECT zip, district, county, region, '*' AS root FROM hospital.zips;
SELECT pprepub.create_taxonomy('zip', 'zip_levels') \g /dev/null
CREATE TABLE run (what text, people_are text, week int, visits float8, people float8, rows float8, loss float8, invented float8, withheld float8, stale float8, seconds float8);
CREATE TABLE trap (what text, people_are text, classes bigint, below_k bigint, least bigint, recurring bigint, below_l bigint, found bigint, by_number bigint);

-- A visit is published as a person, or a row of a patient.
CREATE TABLE visit (visit bigint PRIMARY KEY, patient int, age int, sex text, zip text, at date, diagnosis text);
CREATE PROCEDURE begin_publication(several boolean, dated boolean, zips boolean) LANGUAGE sql AS $$
	SELECT pprepub.create_publication('visits', 'visit', CASE WHEN several THEN 'patient' ELSE 'visit' END,
		'{"age": "range", "sex": "suppress"}' || CASE WHEN zips THEN '{"zip": "taxonomy zip"}' ELSE '{"zip": "suppress", "at": "range"}' END::jsonb || CASE WHEN dated THEN '{"at": "range"}' ELSE '{}' END::jsonb,
		'diagnosis', 'bpg', '{"k": 10, "l": 3}', rows => CASE WHEN several THEN 'several' ELSE 'one' END) $$;
CREATE PROCEDURE publish_week(what text, several boolean, week int) LANGUAGE plpgsql AS $$
DECLARE
	made record;
	n float8 := CASE WHEN several THEN (SELECT count(DISTINCT patient) FROM visit) ELSE (SELECT count(*) FROM visit) END;
BEGIN
	SELECT * INTO made FROM pprepub.publish('visits');
	INSERT INTO run SELECT what, CASE WHEN several THEN 'patients' ELSE 'visits' END, week, count(*), n, made.rows,
		(SELECT value / 100 FROM pprepub.metrics('visits', made.number) WHERE metric = 'loss_percent'), made.counterfeits / n, made.suppressed / n,
		(SELECT stale FROM pprepub.release r WHERE (r.publication, r.number) = ('visits', made.number)) / n, made.seconds FROM visit;
END $$;

-- Classes with fewer than k patients; patients with the same diagnosis each time, by what all classes of their visits in one release show:
-- what observers who know that are left with; by_number: who know the number of visits, too.
CREATE PROCEDURE look_for_traps(what text, several boolean) LANGUAGE sql AS $$
	WITH log AS MATERIALIZED (SELECT class, unnest(keys)::bigint AS key FROM published_private.visits_members WHERE release = (SELECT max(number) FROM pprepub.release WHERE publication = 'visits')),
		seat AS MATERIALIZED (SELECT class, patient, diagnosis FROM log JOIN visit ON key = CASE WHEN several THEN patient ELSE visit END),
		size AS (SELECT class, count(DISTINCT patient) AS n FROM seat GROUP BY 1),
		of_class AS MATERIALIZED (SELECT class, diagnosis, count(*) AS n FROM seat GROUP BY 1, 2),
		recurring AS (SELECT patient, min(diagnosis) AS diagnosis, count(*) AS n FROM seat GROUP BY 1 HAVING count(*) > 1 AND min(diagnosis) = max(diagnosis)),
		own AS MATERIALIZED (SELECT patient, class, count(*) AS n FROM seat JOIN recurring r USING (patient) GROUP BY 1, 2),
		candidate AS (SELECT patient, c.diagnosis, count(*) AS classes, bool_and(c.n >= own.n) AS is_enough FROM own JOIN of_class c USING (class) GROUP BY 1, 2),
		left_over AS (SELECT patient, count(*) AS n, count(*) FILTER (WHERE is_enough) AS enough FROM candidate
			WHERE classes = (SELECT count(*) FROM own WHERE own.patient = candidate.patient) GROUP BY 1)
	INSERT INTO trap SELECT what, CASE WHEN several THEN 'patients' ELSE 'visits' END, (SELECT count(*) FROM size), (SELECT count(*) FROM size WHERE n < 10), (SELECT min(n) FROM size),
		count(*), count(*) FILTER (WHERE n < 3), count(*) FILTER (WHERE n < 2), count(*) FILTER (WHERE enough < 2) FROM left_over $$;

-- Once
CREATE PROCEDURE once(what text, several boolean, zips boolean) LANGUAGE plpgsql AS $$
BEGIN
	CALL begin_publication(several, false, zips);
	COMMIT;
	CALL publish_week(what, several, 1);
	COMMIT;
	CALL look_for_traps(what, several);
	PERFORM pprepub.drop_publication('visits', true);
	COMMIT;
END $$;
SELECT to_regclass('hospital_raw.serial') IS NOT NULL AS is_real \gset
\if :is_real
	INSERT INTO visit SELECT row_number() OVER (ORDER BY release, id), id, age, gender, race, date '2026-01-01' + release, diagnosis FROM hospital_raw.serial;
	ANALYZE visit;
	CALL once('serial', false, false);
	CALL once('serial', true, false);
\endif
TRUNCATE visit;
INSERT INTO visit SELECT i, 1 + power(hospital.h(i || '/who'), 1.5) * 0.3 * :visits, NULL, NULL, NULL, date '2026-01-01' + (i % 200)::int, 'D' || floor(600 * power(hospital.h(i || '/what'), 2)) FROM generate_series(1, :visits) i;
UPDATE visit SET age = 90 * hospital.h(patient || '/age'), sex = CASE WHEN hospital.h(patient || '/sex') < 0.5 THEN 'F' ELSE 'M' END,
	zip = (SELECT z.zip FROM hospital.zips z WHERE z.n = floor(80 * power(hospital.h(patient || '/zip'), 1.7)));
VACUUM ANALYZE visit;
SELECT :visits > 0 AS drawn \gset
\if :drawn
	CALL once('drawn', false, true);
	CALL once('drawn', true, true);
\endif

-- Week by week: of the hospital's own visits, or else drawn
CREATE TABLE called AS SELECT visit, patient, at, diagnosis FROM visit LIMIT 0;
CREATE SEQUENCE visit_number;
CREATE PROCEDURE call_in(week int) LANGUAGE sql AS $$
	DELETE FROM called WHERE patient NOT IN (SELECT id FROM hospital.patients);
	INSERT INTO called SELECT nextval('visit_number'), p.id, t.d - n * 37, CASE WHEN n = 0 OR hospital.h(p.id || '/v/' || n) < 0.33 THEN p.diagnosis ELSE q.diagnosis END
	FROM hospital.today t, hospital.patients p CROSS JOIN LATERAL generate_series(0, CASE week WHEN 1 THEN p.id % 3 ELSE 0 END) n JOIN hospital.pool_of_visits q ON q.id = 1 + (p.id * 3 + n) % 90000
	WHERE p.id NOT IN (SELECT patient FROM called) OR hospital.h(p.id || '/w/' || week) < 0.04 $$;
SELECT CASE WHEN :'is_real' THEN 'hospital_raw.pool' ELSE 'hospital.pool' END AS pool \gset
CREATE VIEW hospital.pool_of_visits AS SELECT id, diagnosis FROM :pool;
CREATE PROCEDURE live(what text, several boolean, dated boolean, weeks int, people int) LANGUAGE plpgsql AS $$
BEGIN
	CALL hospital.start(people);
	TRUNCATE called;
	FOR week IN 1 .. weeks LOOP
		IF week > 1 THEN
			CALL hospital.pass_week(week);
		END IF;
		CALL call_in(week);
		TRUNCATE visit;
		IF to_regclass('hospital.visits') IS NOT NULL THEN
			INSERT INTO visit SELECT v.visit, v.patient, e.age, e.sex, e.zip, v.at, v.diagnosis FROM hospital.visits v JOIN hospital.extract e ON e.id = v.patient;
		ELSE
			INSERT INTO visit SELECT v.visit, v.patient, e.age, e.sex, e.zip, v.at, v.diagnosis FROM called v JOIN hospital.extract e ON e.id = v.patient;
		END IF;
		IF week = 1 THEN
			CALL begin_publication(several, dated, true);
		END IF;
		COMMIT;
		ANALYZE visit;
		CALL publish_week(what, several, week);
		COMMIT;
	END LOOP;
	CALL look_for_traps(what || CASE WHEN weeks > 1 THEN ', last week' ELSE '' END, several);
	PERFORM pprepub.drop_publication('visits', true);
	COMMIT;
END $$;
CALL live('hospital', false, false, :weeks, :people);
CALL live('hospital', true, false, :weeks, :people);
CALL live('hospital, dates', false, true, 1, :people);
CALL live('hospital, dates', true, true, 1, :people);

\echo
\echo of all that are called people, shares: cost is loss of those shown, invented and withheld together; mean of the weeks, and the last one
SELECT what, people_are, CASE w.since WHEN 1 THEN 'mean of ' ELSE 'week ' END || until AS weeks, round(avg(visits)) AS visits, round(avg(people)) AS people,
	round(avg(loss * (1 - withheld))::numeric, 3) AS loss, round(avg(invented)::numeric, 3) AS invented, round(avg(withheld)::numeric, 3) AS withheld,
	round(avg(loss * (1 - withheld) + invented + withheld)::numeric, 3) AS cost, round(avg(stale)::numeric, 3) AS stale, round(avg(seconds)::numeric, 2) AS seconds
FROM run r JOIN (SELECT what, max(week) AS until FROM run GROUP BY 1) u USING (what), LATERAL (SELECT DISTINCT since FROM unnest(ARRAY[1, until]) since) w
WHERE week BETWEEN since AND until GROUP BY what, people_are, since, until ORDER BY what, since, people_are DESC;
\echo
\echo the last release: classes with fewer than 10 patients; patients with one diagnosis at all visits, by what all classes of theirs show: fewer than 3 left, 1 left, 1 with so many rows
SELECT * FROM trap ORDER BY what, people_are DESC;

-- Diagnoses of the patients of a hospital as they followed each other, in 20 releases; every diagnosis can become every other one.
-- "lost": rows whose diagnosis is none of the candidates of their patient's first class, which m-invariance could not show.
SET client_min_messages = error;
SET max_parallel_workers_per_gather = 0;
SELECT to_regclass('serial') IS NULL AS is_drawn \gset
\if :is_drawn
	\echo
	\echo drawn, in place of the real data: 4,500 patients a release, a tenth of whom are those of the last one, four fifths of these with another diagnosis
	CREATE TABLE serial AS
	SELECT r AS release, CASE WHEN r > 1 AND i <= 450 THEN (r - 1) * 10000 + i + 450 ELSE r * 10000 + i END AS id,
		(floor(10 * sqrt((hashint8extended(i, r) & 255) / 256.0)) * 10)::int AS age, (ARRAY['Female', 'Male'])[1 + (hashint8extended(i, r) >> 8 & 1)] AS gender,
		(ARRAY['Caucasian', 'Caucasian', 'Caucasian', 'AfricanAmerican'])[1 + (hashint8extended(i, r) >> 16 & 3)] AS race,
		(ARRAY['Emergency', 'Urgent', 'Elective'])[1 + (hashint8extended(i, r) >> 24 & 1)] AS admission_type,
		'diagnosis ' || floor(700 * power((hashint8extended(i, r) >> 32 & 65535) / 65536.0, 3)) AS diagnosis
	FROM generate_series(1, 20) r, generate_series(1, 4500) i;
\endif
CREATE TABLE patients AS SELECT id, age, gender, race, admission_type, diagnosis FROM serial WHERE release = 0;
ALTER TABLE patients ADD PRIMARY KEY (id);
CREATE TABLE diagnoses AS SELECT a AS from_value, b AS to_value FROM (SELECT DISTINCT diagnosis AS a FROM serial) x, (SELECT DISTINCT diagnosis AS b FROM serial) y;
CREATE TABLE first_candidates (id int PRIMARY KEY, diagnoses text[]);
CREATE TABLE serial_run (release int, lost bigint, plain float8);

CREATE PROCEDURE serial_step(n int) LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz;
	plain float8;
BEGIN
	TRUNCATE patients;
	INSERT INTO patients SELECT id, age, gender, race, admission_type, diagnosis FROM serial WHERE release = n;
	began := clock_timestamp();
	CREATE TABLE sorted AS SELECT * FROM patients ORDER BY age, gender, race, admission_type;
	plain := extract(epoch FROM clock_timestamp() - began);
	DROP TABLE sorted;
	COMMIT;
	INSERT INTO serial_run SELECT n, (SELECT count(*) FROM patients JOIN first_candidates f USING (id) WHERE diagnosis <> ALL (f.diagnoses)), plain;
	PERFORM pprepub.publish('serial');
	COMMIT;
	INSERT INTO first_candidates SELECT k, m.sensitive FROM published_private.serial_members m CROSS JOIN unnest(m.keys) k
		WHERE m.release = n AND k IS NOT NULL ON CONFLICT DO NOTHING;
	COMMIT;
END $$;

CREATE PROCEDURE serial_life(m int) LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE first_candidates, serial_run;
	PERFORM pprepub.create_publication('serial', 'patients', 'id', '{"age": "range", "gender": "suppress", "race": "suppress", "admission_type": "suppress"}',
		'diagnosis', 'm-distinct', jsonb_build_object('m', m, 'updates', 'public.diagnoses'));
	COMMIT;
	FOR n IN 1 .. 20 LOOP
		CALL serial_step(n);
	END LOOP;
END $$;

CREATE VIEW serial_table AS
SELECT r.number AS release, r.rows, r.classes, r.counterfeits AS invented, lost,
	(SELECT round(value::numeric, 1) FROM pprepub.metrics('serial', r.number) WHERE metric = 'loss_percent') AS loss_pct,
	round(r.seconds::numeric, 3) AS release_s, round(plain::numeric, 3) AS plain_s, round((r.seconds / plain)::numeric, 1) AS to_plain
FROM pprepub.release r JOIN serial_run ON release = number WHERE publication = 'serial' AND number IN (1, 2, 5, 10, 15, 20);

\echo
\echo diagnoses, m = 4
CALL serial_life(4);
SELECT * FROM serial_table ORDER BY release;
SELECT check_name, measured, holds FROM pprepub.audit('serial') WHERE check_name IN ('m-unique', 'legal updates', 'candidates', 're-publication risk') ORDER BY 1;
SELECT pprepub.drop_publication('serial', true) \g /dev/null
\echo diagnoses, m = 8
CALL serial_life(8);
SELECT * FROM serial_table ORDER BY release;
SELECT pprepub.drop_publication('serial', true) \g /dev/null

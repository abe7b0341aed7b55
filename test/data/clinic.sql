-- Patients, visits and wards of the clinic in docs/howto/several_rows.md.
INSERT INTO clinic.wards SELECT i, 'department ' || i FROM generate_series(1, 8) i;
INSERT INTO clinic.patients
SELECT i, date '1940-01-01' + i * 7919 % 25000, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END, (ARRAY['0', 'A', 'B', 'AB'])[1 + i * 7919 / 13 % 4]
FROM generate_series(1, 1000) i;
INSERT INTO clinic.visits
SELECT i, 1 + i * 31 % 900, 1 + i % 8, date '2026-01-01' + i % 90, 'diagnosis ' || i * 17 % 40 FROM generate_series(1, 1400) i;

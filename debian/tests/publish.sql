CREATE EXTENSION pprepub;
CREATE ROLE package_owner;
CREATE ROLE package_analyst;
SELECT format('GRANT CREATE ON DATABASE %I TO package_owner', current_database()) \gexec
SET ROLE package_owner;

CREATE SCHEMA package;
CREATE TABLE package.patients AS
SELECT id, 18 + id * 37 % 70 AS age, 10000 + id * 7919 % 90000 AS zip,
	(ARRAY['influenza', 'asthma', 'diabetes', 'gastritis', 'epilepsy'])[1 + id * 31 % 11 % 5]
	AS disease
FROM generate_series(1, 1000) id;
SELECT pprepub.create_publication('patients', 'package.patients', 'id', '{"age": "range", "zip": "range"}', 'disease', 'bpg',
	'{"k": 5, "l": 3}');
SELECT number, rows - counterfeits, suppressed FROM pprepub.publish('patients');
DELETE FROM package.patients WHERE id % 20 = 0;
SELECT number, rows - counterfeits, suppressed FROM pprepub.publish('patients');
GRANT USAGE ON SCHEMA published TO package_analyst;
GRANT SELECT ON published.patients_now TO package_analyst;
RESET ROLE;

-- She cannot read the source, and gets an answer that a background worker makes.
SET ROLE package_analyst;
DO $$
BEGIN
	ASSERT NOT has_schema_privilege('package', 'USAGE');
	ASSERT (SELECT sum(people) BETWEEN 100 AND 400 AND min(people) >= 5 AND min(diseases) >= 3
		FROM (SELECT count(*) AS people, count(DISTINCT disease) AS diseases
			FROM published.patients_now WHERE age < 40 GROUP BY class, age, zip) classes);
END;
$$;
RESET ROLE;
DO $$
BEGIN
	ASSERT (SELECT count(*) >= 5 AND bool_and(holds) FROM pprepub.audit('patients'));
END;
$$;

-- A million people in a thousand wards, all of whom fifty releases, of twenty wards each,
-- have been about; and eight small hospitals with a publication each.
\i test/data/census.sql
\i test/data/census_levels.sql
SET client_min_messages = error;
CREATE TABLE people AS SELECT id, age, sex, education, salary_class,
	abs(hashint8extended(id, 7) % (:people / 1000))::int AS ward FROM census(:people);
ALTER TABLE people ADD PRIMARY KEY (id);
CREATE INDEX ON people (ward);
VACUUM ANALYZE people;

SELECT pprepub.create_taxonomy('education', 'education_levels') \g /dev/null
CREATE FUNCTION declare(name text, source regclass) RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication(name, source, 'id',
		'{"age": "range", "sex": "suppress", "education": "taxonomy education", "ward": "range"}',
		'salary_class', 'bpg', '{"k": 10, "l": 3, "repair": "dirty", "reserve": 1}')
$$;
SELECT declare('people', 'people') \g /dev/null

CREATE PROCEDURE publish_regions(publication text, wards int, regions int) LANGUAGE plpgsql AS $$
BEGIN
	FOR r IN 0 .. regions - 1 LOOP
		PERFORM pprepub.publish(publication, format('ward >= %s AND ward < %s', wards * r / regions, wards * (r + 1) / regions));
		COMMIT;
	END LOOP;
END
$$;
CALL publish_regions('people', :people / 1000, 50);

SELECT format('CREATE TABLE clinic_%1$s AS SELECT * FROM people WHERE id %% 8 = %1$s - 1; ALTER TABLE clinic_%1$s ADD PRIMARY KEY (id);
	CREATE INDEX ON clinic_%1$s (ward); SELECT declare(''clinic_%1$s'', ''clinic_%1$s'')', n)
FROM generate_series(1, 8) n \gexec
SELECT format('CALL publish_regions(''clinic_%s'', %s, 50)', n, :people / 1000) FROM generate_series(1, 8) n \gexec

CREATE ROLE bench_analyst LOGIN;
GRANT USAGE ON SCHEMA published TO bench_analyst;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA published TO bench_analyst;
GRANT SELECT ON people, published.people_now TO bench_analyst;

VACUUM ANALYZE;
CHECKPOINT;

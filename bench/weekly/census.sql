-- So many people of a census, and taxonomies.
\i test/data/census.sql
\i test/data/census_levels.sql
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,country}'::text[]) name \g /dev/null
CREATE TABLE everybody AS SELECT row_number() OVER (ORDER BY id) AS number, age, sex, education, country, occupation AS secret FROM census(:rows);

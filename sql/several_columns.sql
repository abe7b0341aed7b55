-- Several sensitive columns, and bands of numbers.
\set VERBOSITY default
CREATE SCHEMA several;
CREATE TABLE several.patients (
	id int PRIMARY KEY,
	age int,
	zip text,
	disease text,
	income numeric(10,2),
	doctor text
);
INSERT INTO several.patients
	SELECT i, 20 + i % 40, (10000 + i * 7 % 500)::text, (ARRAY['flu', 'hiv', 'cold', NULL, 'gout'])[1 + i * 3 % 5],
		CASE WHEN i % 11 = 0 THEN NULL ELSE 1000 + i * 37 % 4000 END, 'Dr ' || i % 3
	FROM generate_series(1, 200) i;
SELECT pprepub.create_range_taxonomy('incomes', 0, 5000, '{1000, 5000}');

-- lists
\set call 'SELECT pprepub.create_publication(\'wards\', \'several.patients\', \'id\', \'{"age": "range", "zip": "prefix"}\', '
:call '{disease, income}', 'global', '{"l": 2, "strategy": "geometric", "alpha": 2}');
:call '{disease, income}', 'm-invariance', '{"m": 2}');
:call '{}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease, NULL}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease, disease}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease, age}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease, id}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease, gender}', 'bpg', '{"k": 5, "l": 2}');
:call '{{disease}, {income}}', 'bpg', '{"k": 5, "l": 2}');
:call '{disease', 'bpg', '{"k": 5, "l": 2}');
:call NULL, 'bpg', '{"k": 5, "l": 2}');

-- bands
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"income": 5}}');
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"age": "range 10"}}');
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"disease": "range 10"}}');
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"income": "range"}}');
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"income": "range 0"}}');
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"income": "taxonomy nobodys"}}');

-- the first release
:call '{disease, income}', 'bpg', '{"k": 5, "l": 2, "bands": {"income": "taxonomy incomes"}}');
SELECT sensitive, params -> 'bands' AS bands FROM pprepub.publication;
\d published_private.wards_sensitive
\d+ published_private.wards_source
SELECT number, rows, suppressed, counterfeits FROM pprepub.publish('wards');
\d published.wards_1
SELECT count(*), count(disease), count(income) FROM published.wards_1;
SELECT min(d) >= 2 AS diseases, min(i) >= 2 AS incomes
	FROM (SELECT count(DISTINCT disease) AS d, count(DISTINCT floor(income / 1000)) AS i FROM published.wards_1 GROUP BY class) c;
-- the true pairs, and the true incomes
SELECT disease, income FROM several.patients EXCEPT ALL SELECT disease, income FROM published.wards_1;
SELECT check_name, holds FROM pprepub.audit('wards');
SELECT pprepub.release_intact('wards', 1);

-- columns by themselves
SELECT number, columns FROM pprepub.publish('wards', columns => '{age, income}');
SELECT count(*), count(disease), count(income) FROM published.wards_2;
SELECT count(*) > 0 AS some, count(disease) > 0 AS diseases, count(income) AS incomes FROM published.wards('age > 25', '{age, disease}');
SELECT pprepub.release_intact('wards', 3);
SELECT count(*) FROM published.wards('disease = ''hiv''');
SELECT count(*) FROM published.wards('income > 3000');
SELECT count(*) FROM published.wards('sensitive_tuple IS NULL');

-- updates
UPDATE several.patients SET disease = 'measles' WHERE id = 7;
UPDATE several.patients SET income = income + 1 WHERE id = 9;
DELETE FROM several.patients WHERE id > 190;
ALTER TABLE several.patients RENAME COLUMN income TO earns;
SELECT number FROM pprepub.publish('wards');
SELECT check_name, measured, holds FROM pprepub.audit('wards') WHERE NOT holds;
SELECT * FROM pprepub.rebuild_history('wards');
SELECT count(*) > 0 AS some FROM pprepub.members('wards');
SELECT min(sensitive_values) >= 2 AS diverse FROM pprepub.neighborhoods('wards');
SELECT linkability >= 1 AS linked, diversity >= 1 AS diverse FROM pprepub.linkability('wards', '{1, 4}');
SELECT release, linkability >= 1 AS linked FROM pprepub.linkability_series('wards');
SELECT jsonb_object_keys(sensitive) AS key, count(*) FROM pprepub.link_profile('wards', '{1, 4}') GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM pprepub.compromise('wards', '{1}');
SELECT count(*) > 0 FROM pprepub.attack('wards');

-- out of the ladder
UPDATE several.patients SET earns = 5000 WHERE id = 3;
SELECT number FROM pprepub.publish('wards');
SELECT count(*) > 0 FROM published.wards('age < 50');
SELECT pprepub.alter_publication('wards', '{"bands": {"income": "range 500"}}');
SELECT pprepub.alter_publication('wards', '{"bands": {"income": "range 500"}, "accept_weakening": true}');
SELECT number FROM pprepub.publish('wards');
SELECT pprepub.alter_publication('wards', '{"leaves": "doctor"}');
SELECT number FROM pprepub.publish('wards');

-- protection
\set VERBOSITY terse
DROP TYPE published_private.wards_sensitive;
DROP TYPE published_private.wards_sensitive CASCADE;
ALTER TYPE published_private.wards_sensitive ADD ATTRIBUTE x int;
ALTER TYPE published_private.wards_sensitive RENAME TO x;
ALTER TYPE published_private.wards_sensitive RENAME ATTRIBUTE disease TO x;
COMMENT ON TYPE published_private.wards_sensitive IS 'diseases and incomes';
\set VERBOSITY default
SELECT pprepub.drop_publication('wards', forget_history => true);
SELECT typname FROM pg_type WHERE typname ~ '^_?wards';
SELECT count(*) FROM pprepub.catalog_relation;

DROP SCHEMA several CASCADE;
SELECT pprepub.drop_taxonomy('incomes');
DROP SCHEMA published, published_private;

-- The figures of risks() against plain SQL over the table that a release is, and over the log.
-- A column of a row is a test, too.
\pset fieldsep '\n'
\i test/lib/planted.sql

CREATE TABLE adults AS SELECT i AS id, 17 + (i * i % 7919) % 70 AS age, (ARRAY['Private','State','Self','None',NULL])[1 + (i * 31 / 7) % 5] AS work,
	(20 + i * 17 % 80)::text || (i % 10) AS zip, i % 13 AS job FROM generate_series(1, 3000) i;
CREATE TABLE country AS SELECT * FROM adults
	UNION ALL SELECT 100000 + i, 17 + (i * 7) % 75, (ARRAY['Private','State','Self','None',NULL,'Army'])[1 + i % 6], (20 + i * 13 % 79)::text || (i % 10), 0 FROM generate_series(1, 9000) i;

CREATE FUNCTION risk(pub text, number int, what text, threshold float8 DEFAULT 0.2)
	RETURNS numeric LANGUAGE sql AS $$ SELECT round(value::numeric, 9) FROM pprepub.risks(pub, number, threshold) WHERE measure = what $$;

SELECT pprepub.create_publication('adults', 'adults', 'id', '{"age": "range", "work": "suppress", "zip": "prefix"}', 'job', 'bpg', '{"k": 4, "l": 2}') \g /dev/null
SELECT rows FROM pprepub.publish('adults') \g /dev/null
DELETE FROM adults WHERE id % 9 = 0;
SELECT rows FROM pprepub.publish('adults') \g /dev/null
SELECT cmp_ok(counterfeits, '>', 0::bigint, 'some rows are invented') FROM pprepub.release WHERE publication = 'adults' AND number = 2;

-- With plain SQL: rows by their cells, and people by the log.
CREATE FUNCTION classes(number int) RETURNS TABLE (cells text, rows numeric, people numeric, age int4range, work text, zip text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT row(r.age, r.work, r.zip)::text, count(*)::numeric,
		(SELECT count(*)::numeric FROM pprepub.class_members(''adults'') m WHERE m.release = %s AND m.class = ANY (array_agg(DISTINCT r.class))),
		r.age, r.work, r.zip FROM published.adults_%1$s r GROUP BY r.age, r.work, r.zip', number);
END
$$;
CREATE TABLE class AS SELECT n AS number, c.* FROM generate_series(1, 2) n, classes(n) c;

SELECT is(risk('adults', n, 'rows'), sum(rows), 'rows'), is(risk('adults', n, 'people'), sum(people), 'people'),
	is(risk('adults', n, 'classes'), count(*)::numeric, 'classes'),
	is(risk('adults', n, 'class_smallest'), min(rows), 'smallest'), is(risk('adults', n, 'class_largest'), max(rows), 'largest'),
	is(risk('adults', n, 'class_median'), round(percentile_cont(0.5) WITHIN GROUP (ORDER BY rows)::numeric, 9), 'median'),
	is(risk('adults', n, 'people_alone'), 0::numeric, 'nobody is alone'),
	is(risk('adults', n, 'separation'), round(1 - sum(rows * (rows - 1)) / (sum(rows) * (sum(rows) - 1)), 9), 'separation'),
	is(risk('adults', n, 'distinction'), round(count(*) / sum(rows), 9), 'distinction'),
	is(risk('adults', n, 'prosecutor_highest'), round(max(1 / rows) FILTER (WHERE people > 0), 9), 'prosecutor, highest'),
	is(risk('adults', n, 'prosecutor_highest_uninvented'), round(max(1 / people) FILTER (WHERE people > 0), 9), 'the highest where invented rows are known'),
	is(risk('adults', n, 'prosecutor_average'), round(sum(people / rows) / sum(people), 9), 'average'),
	is(risk('adults', n, 'prosecutor_above', threshold => 0.1), coalesce(sum(people) FILTER (WHERE rows < 10), 0), 'people above a threshold'),
	is(risk('adults', n, 'prosecutor_share_above', threshold => 0.1), round(coalesce(sum(people) FILTER (WHERE rows < 10), 0) / sum(people), 9), 'their share'),
	is(risk('adults', n, 'marketer'), risk('adults', n, 'prosecutor_average'), 'the marketer has nothing better')
FROM generate_series(1, 2) n JOIN class ON number = n GROUP BY n;
SELECT is(risk('adults', 1, 'prosecutor_above', threshold => 1.0 / min(rows)), 0::numeric, 'a risk that is the threshold is not above it') FROM class WHERE number = 1;

-- A class may be known by its cells alone, numbers or not; an answer is read from what is kept of it.
SELECT pprepub.create_publication('cells', 'adults', 'id', '{"age": "range", "zip": "prefix"}', 'job', 'sequential', '{"k": 3}', beside => '{adults}') \g /dev/null
SELECT rows FROM pprepub.publish('cells') \g /dev/null
SELECT is(risk('cells', 1, 'classes'), count(*)::numeric, 'a release without class numbers'), is(risk('cells', 1, 'class_smallest'), min(n)::numeric, 'by its cells')
	FROM (SELECT count(*) AS n FROM published.cells_1 GROUP BY age, zip) c;
-- The blank keeps this a call of the function where tests ask live tables.
SELECT count(*) FROM published.adults ('age < 40') \g /dev/null
SELECT is(risk('adults', number, 'rows'), r.rows::numeric, 'an answer has its rows'), is(risk('adults', number, 'people'), (r.rows - counterfeits)::numeric, 'and people'),
	cmp_ok(risk('adults', number, 'class_smallest'), '>=', 4::numeric, 'and classes')
	FROM pprepub.release r WHERE publication = 'adults' AND kind = 'query';

-- Two classes that show the same cells are one; single rows are alone; a table of nobody has no risk.
SELECT pprepub.create_publication('bare', 'country', 'id', '{"age": "range", "zip": "prefix"}', 'job', 'bpg', '{"k": 1}', target => 'bare') \g /dev/null
SELECT rows FROM pprepub.publish('bare') \g /dev/null
SELECT planted.release('bare', $$ SELECT id, '[17,30)'::int4range AS age, CASE id WHEN 1 THEN '1*' WHEN 2 THEN NULL ELSE '2*' END AS zip, job FROM country WHERE id <= 9 $$,
	'{age,zip,job}', false) AS number \gset
SELECT is(risk('bare', :number, 'people_alone'), 2::numeric, 'NULL is a cell of its own'), is(risk('bare', :number, 'prosecutor_highest'), 1::numeric, 'who is alone is found'),
	is(risk('bare', :number, 'prosecutor_average'), round(3 / 9.0, 9), 'on average'), is(risk('bare', :number, 'people'), 9::numeric, 'without a log all rows are people');

-- Where the number of invented rows is public, they hide nobody.
CREATE TABLE sick AS SELECT i AS id, i % 60 AS age, i % 5 AS s FROM generate_series(1, 60) i;
SELECT pprepub.create_publication('sick', 'sick', 'id', '{"age": "range"}', 's', 'm-invariance', '{"m": 3}', target => 'sick_out') \g /dev/null
SELECT rows FROM pprepub.publish('sick') \g /dev/null
DELETE FROM sick WHERE id % 4 = 0;
SELECT rows FROM pprepub.publish('sick') \g /dev/null
SELECT cmp_ok(sum(counterfeits), '>', 0::numeric, 'rows are invented'), is(risk('sick', 2, 'rows'), (SELECT count(*) FROM sick_out.sick_2) - sum(counterfeits), 'and are not counted'),
	is(risk('sick', 2, 'people'), risk('sick', 2, 'rows'), 'so that people are left')
	FROM sick_out.sick_counterfeits WHERE release = 2;

-- An answer of nobody, columns that are left out, and a transaction that may not write.
CREATE TABLE e AS SELECT i AS id, i % 60 AS age, i % 7 AS zip, i % 5 AS s FROM generate_series(1, 600) i;
SELECT pprepub.create_publication('e', 'e', 'id', '{"age": "range", "zip": "range"}', 's', 'bpg', '{"k": 3}', target => 'e_out') \g /dev/null
SELECT count(*) FROM e_out.e('age = 700') \g /dev/null
SELECT rows FROM pprepub.publish('e', columns => '{zip,s}') \g /dev/null
BEGIN READ ONLY;
SELECT is(risk('e', 1, 'rows'), 0::numeric, 'nobody has no rows'), is(risk('e', 1, 'prosecutor_highest'), NULL, 'and no risk'),
	is(risk('e', 2, 'classes'), count(DISTINCT zip)::numeric, 'a column that is left out tells nobody apart') FROM e_out.e_2;
COMMIT;

-- A table that is not what was published is refused.
SET session_replication_role = replica;
SET allow_system_table_mods = on;
UPDATE pg_class SET relhastriggers = false WHERE oid = 'e_out.e_2'::regclass;
INSERT INTO e_out.e_2 (class) VALUES (99999);
RESET session_replication_role;
SELECT throws_ok($$ SELECT * FROM pprepub.risks('e', 2) $$, 'XX001', 'release 2 of publication "e" is not as it was published');

-- Owners only.
DROP ROLE IF EXISTS risks_stranger;	-- of a run that was interrupted
CREATE ROLE risks_stranger;
GRANT SELECT ON published.adults_1 TO risks_stranger;
SET ROLE risks_stranger;
SELECT throws_ok($$ SELECT * FROM pprepub.risks('adults', 1) $$, '42501');
SELECT throws_ok($$ SELECT * FROM pprepub_internal.risks('adults', 1, 0.2) $$, 'P0002', NULL, 'nor without the gate');
RESET ROLE;
-- Everything that was granted goes with the roles.
DROP OWNED BY risks_stranger CASCADE;
DROP ROLE risks_stranger;

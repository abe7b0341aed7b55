-- TARGET.catalog, what depends on a publication, and what is told of a release.
BEGIN;
CREATE ROLE catalog_owner;
CREATE ROLE catalog_reader;
CREATE ROLE catalog_stranger;
SELECT format('GRANT CREATE ON DATABASE %I TO catalog_owner', current_database()) \gexec
SET ROLE catalog_owner;
CREATE SCHEMA ward;
CREATE TABLE ward.patients AS SELECT i AS id, i % 50 AS age, 'd' || i % 6 AS disease, i % 4 AS floor FROM generate_series(1, 240) i;
CREATE TABLE ward.others AS TABLE ward.patients;
SELECT throws_ok($$SELECT pprepub.create_publication('catalog', 'ward.patients', 'id', '{"age": "range"}', 'disease', params => '{"k": 5}')$$, '42939', 'a publication cannot be called "catalog"');
SELECT pprepub.create_publication('patients', 'ward.patients', 'id', '{"age": "range"}', 'disease', params => '{"k": 5, "noise_budget": {"total": 1}}') \g /dev/null
SELECT pprepub.create_publication('others', 'ward.others', 'id', '{"age": "range"}', 'disease', 'sequential', '{"k": 5}') \g /dev/null
SELECT pprepub.create_publication('away', 'ward.others', 'id', '{"floor": "suppress"}', 'disease', params => '{"k": 5}', target => 'elsewhere', beside => '{others}') \g /dev/null
SELECT pprepub.publish('patients') \g /dev/null
SELECT pprepub.publish('patients', 'age < 25') \g /dev/null
SELECT pprepub.publish('others') \g /dev/null
GRANT USAGE ON SCHEMA published TO catalog_reader;
GRANT SELECT ON published.patients_values, published.patients_now TO catalog_reader;

-- ---- Analysts ----

SET ROLE catalog_reader;
SELECT results_eq($$SELECT object, costs, may_read FROM published.catalog WHERE object ~ 'patients'$$, $$VALUES
	('published.patients', 'nothing', false), ('published.patients(cohort, columns)', 'an answer for each call', false), ('published.patients_all', 'nothing', false),
	('published.patients_answers', 'nothing', false), ('published.patients_counts(by, bins, release)', 'nothing', false),
	('published.patients_noise_left(by, where, bins, epsilon, sum)', 'nothing', false), ('published.patients_noisy(by, where, bins, epsilon, sum)', 'noise budget', false),
	('published.patients_now', 'an answer for each query', true), ('published.patients_releases', 'nothing', false), ('published.patients_values', 'nothing', true),
	('published.patients_1', 'nothing', false), ('published.patients_2', 'nothing', false)$$, 'each object, and what it costs');
SELECT results_eq($$SELECT shows FROM published.catalog WHERE object IN ('published.others', 'published.others_1')$$,
	$$VALUES ('newest release of everybody with all columns'), ('release: its rows never change, number 1 of ' || to_char(now(), 'YYYY-MM-DD'))$$, 'what they show');
SELECT is((SELECT count(*) FROM published.catalog WHERE shows IS NULL), 0::bigint, 'all of them say it');
SELECT is((SELECT array_agg(DISTINCT target::text) FROM pprepub.catalog), '{published}', 'of targets that may be used');
SET ROLE catalog_owner;
SELECT is((SELECT array_agg(DISTINCT publication ORDER BY publication) FROM pprepub.catalog WHERE may_read), '{away,others,patients}', 'the owner may read all');
GRANT SELECT ON published.patients TO catalog_reader;
SET ROLE catalog_reader;
SELECT is(array_agg(c.object), '{published.patients,"published.patients_counts(by, bins, release)",published.patients_now,published.patients_values}',
	'counts may be read with what they count') FROM published.catalog c WHERE c.may_read;
SET ROLE catalog_stranger;
SELECT is((SELECT count(*) FROM pprepub.catalog), 0::bigint, 'nothing is told without USAGE');
SELECT throws_ok('TABLE published.catalog', '42501', NULL, 'nor by the list');
SET ROLE catalog_owner;

-- ---- What goes with a release ----

SELECT pprepub.grant_audit('patients', 'catalog_reader') \g /dev/null
SET ROLE catalog_reader;
CREATE TEMP TABLE told AS SELECT pprepub.manifest('patients', 1) AS m, pprepub.manifest('patients', 1, 'dcat') AS d;
SELECT results_eq($$SELECT m->>'table', (m->'rows')::int, m->>'promise', m->>'verdict', m->'columns'->1->>'name', m->'columns'->1->>'role', m->'columns'->1->>'kind', m->'columns'->2->>'role' FROM told$$,
	$$VALUES ('published.patients_1', 240, 'k = 5, l = 1', 'holds', 'age', 'quasi-identifier', 'range', 'sensitive')$$, 'what a release is');
SELECT set_has($$SELECT jsonb_object_keys(m->'measured') FROM told$$, $$VALUES ('loss_percent'), ('loss_percent of age'), ('withheld_percent'), ('invented_percent')$$, 'what it lost');
SELECT ok((m->'checksums'->>'checksum') ~ '^[0-9a-f-]{36}$' AND jsonb_array_length(m->'audit') > 5 AND jsonb_array_length(m->'not_promised') > 5, 'checksum, audit, limits') FROM told;
SELECT is(d->>'@type' || ' ' || (d #>> '{dcat:distribution,0,csvw:tableSchema,csvw:column,1,csvw:datatype}'), 'dcat:Dataset int4range', 'for a catalog of data sets') FROM told;
SELECT throws_ok($$SELECT pprepub.manifest('patients', 2)$$, '42501', 'must be owner of publication "patients" to see figures of release 2');
SELECT throws_ok($$SELECT pprepub.manifest('others', 1)$$, '42501', 'must be owner or auditor of publication "others"');
SELECT throws_ok($$SELECT pprepub.manifest('patients', 3)$$, '42704', 'publication "patients" has no release 3');
SET ROLE catalog_owner;
SELECT throws_ok($$SELECT pprepub.manifest('patients', 1, 'xml')$$, '22023', '"xml" is no format of manifests');
SELECT is(pprepub.manifest('patients', 2)->>'cohort', 'age < 25', 'a cohort is described for the owner');
SET timezone = 'Asia/Tokyo'; SET datestyle = 'German'; SET search_path = published, public;
SELECT public.is((m->'checksums'->>'sum_of_hashes')::numeric, (SELECT sum(hashtextextended(r::text, 0)::numeric) FROM patients_1 r), 'a checksum that anybody can compute')
FROM pprepub.manifest('patients', 1) m;
RESET search_path; RESET timezone; RESET datestyle;

-- ---- Dropping ----

CREATE VIEW ward.monthly AS SELECT disease, count(*) FROM published.patients GROUP BY 1;
CREATE MATERIALIZED VIEW ward.yearly AS SELECT sum(count) FROM ward.monthly;
CREATE FUNCTION ward.first(p published.patients_values) RETURNS int LANGUAGE sql AS 'SELECT 1';
CREATE TABLE ward.rows (r published.patients_1);
SELECT throws_ok($$SELECT pprepub.drop_publication('patients', forget_history => true)$$, '2BP01',
	'cannot drop publication "patients" because other objects depend on what was made for it');
CREATE FUNCTION ward.detail(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE call;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' ', detail, hint);
END
$$;
SELECT is(ward.detail($$SELECT pprepub.drop_publication('patients', true)$$), 'They are column r of table ward.rows, function ward.first(published.patients_values), materialized view ward.yearly, '
	'view ward.monthly. If they are to go, too, say so: pprepub.drop_publication(''patients'', forget_history => true, cascade => true).', 'each is named once');
-- Another publication does not go with it, and is named.
CREATE VIEW ward.again AS SELECT row_number() OVER () AS id, age, disease FROM published.patients_values;
SELECT pprepub.create_publication('again', 'ward.again', 'id', '{"age": "range"}', 'disease', params => '{"k": 5}', target => 'elsewhere') \g /dev/null
SELECT matches(ward.detail($$SELECT pprepub.drop_publication('patients', true, cascade => true)$$), 'view elsewhere_private.again_source.* Drop publication "again" first');
SELECT pprepub.drop_publication('again') \g /dev/null
SET client_min_messages = warning;
SELECT lives_ok($$SELECT pprepub.drop_publication('patients', true, cascade => true)$$, 'and the others go, if that is asked for');
SELECT is(array_agg(c.oid::regclass::text ORDER BY c.relname), '{ward.others,ward.patients,ward.rows}', 'and nothing else') FROM pg_class c WHERE c.relnamespace = 'ward'::regnamespace;
SELECT bag_eq('SELECT DISTINCT publication FROM pprepub.catalog', $$VALUES ('others'), ('away')$$, 'the list of the others stays');
SELECT pprepub.drop_publication('others', true) \g /dev/null
SELECT hasnt_relation('published', 'catalog', 'and goes with the last of them');

-- A relation of that name is left alone; the list that was dropped comes back.
DROP VIEW elsewhere.catalog;
CREATE TABLE published.catalog ();
SELECT pprepub.create_publication('others', 'ward.others', 'id', '{"age": "range"}', 'disease', 'sequential', '{"k": 5}', beside => '{away}') \g /dev/null
SELECT pprepub.alter_publication('away', '{}') \g /dev/null
SELECT pprepub.drop_publication('others') \g /dev/null
SELECT is(array_agg(c.oid::regclass || ' ' || c.relkind::text ORDER BY c.relkind DESC), '{"elsewhere.catalog v","published.catalog r"}', 'each stands') FROM pg_class c WHERE c.relname = 'catalog' AND c.relnamespace <> 'pprepub'::regnamespace;
RESET ROLE;

-- Columns that were added by alter_publication(): releases before withhold them, and all methods and reports go on.
DROP ROLE IF EXISTS added_analyst;
CREATE ROLE added_analyst;
CREATE TABLE levels (leaf text, root text);
INSERT INTO levels SELECT 'ward ' || i, 'any ward' FROM generate_series(0, 3) i;
SELECT pprepub.create_taxonomy('wards', 'levels') \g /dev/null
CREATE TABLE may_become AS SELECT 'ill 1' AS from_value, 'ill 2' AS to_value UNION ALL SELECT 'ill ' || i, 'ill ' || i FROM generate_series(0, 18) i;
CREATE TABLE known AS SELECT 1 AS id, 30 AS age, 'near' AS region;
CREATE TABLE method (name text, params jsonb, rows text DEFAULT 'one', insensitive boolean DEFAULT true);
INSERT INTO method (name, params) VALUES ('bpg', '{"k": 5, "l": 2, "noise_budget": {"total": 1}}'), ('global', '{"l": 2, "strategy": "constant-ratio", "releases": 5, "registry": "known"}'), ('cor-split', '{"m": 3, "n": 2}'), ('m-invariance', '{"m": 3}'),
	('m-distinct', '{"m": 3, "updates": "may_become"}'), ('sequential', '{"k": 4}');
INSERT INTO method VALUES ('bpg', '{"k": 5, "l": 2, "leaves": "until"}', 'several');
CREATE TABLE publication AS SELECT 'p' || row_number() OVER () AS p, m.* FROM method m;
SELECT format('CREATE TABLE %1$s (id int, age int, until int, ill text, region text)', p) FROM publication \gexec
CREATE PROCEDURE pass(week int) LANGUAGE plpgsql AS $$
DECLARE
	p text;
BEGIN
	FOR p IN SELECT q.p FROM publication q WHERE week = 1 OR q.name <> 'sequential' LOOP
		EXECUTE format('DELETE FROM %s WHERE hashint4(id + %s) %% 20 = 0', p, week);
		EXECUTE format('INSERT INTO %s (id, age, until, ill, region) SELECT i, 20 + hashint4(i) & 63, i / 50, ''ill '' || i %% 19, ''near'' FROM generate_series(%s, %s) i', p, 1000 * week, 1000 * week + CASE week WHEN 1 THEN 400 ELSE 30 END);
	END LOOP;
END $$;
CALL pass(1);
SELECT format('SELECT pprepub.create_publication(%L, %1$L, ''id'', ''{"age": "range 5", "region": "suppress"}'', ''ill'', %L, %L, beside => ARRAY(SELECT q.name FROM pprepub.publication q), rows => %L)', p, name, params, rows) FROM publication \gexec
CREATE PROCEDURE publish_all() LANGUAGE plpgsql AS $$
DECLARE
	p text;
BEGIN
	FOR p IN SELECT q.p FROM publication q LOOP
		PERFORM pprepub.publish(p);
	END LOOP;
END $$;
CALL publish_all();
CALL pass(2);
CALL publish_all();
CREATE VIEW answering AS SELECT p FROM publication WHERE to_regclass('published.' || p || '_now') IS NOT NULL;
CREATE FUNCTION rows_of(query text) RETURNS SETOF jsonb LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE format('SELECT to_jsonb(q) FROM (%s) q', query); END $$;
SELECT ok(count(r) > 0, 'an answer of ' || p) FROM answering, rows_of(format('SELECT * FROM published.%I(''age < 50'')', p)) r GROUP BY p;
SELECT format('GRANT SELECT ON published.%1$I, published.%1$s_values, published.%1$s_all, published.%1$s_now TO added_analyst; GRANT EXECUTE ON FUNCTION published.%1$I(text, name[]) TO added_analyst', p) FROM answering \gexec
GRANT USAGE ON SCHEMA published TO added_analyst;
CREATE VIEW audits AS SELECT p.p, a.check_name, a.holds FROM publication p, pprepub.audit(p.p) a;
CREATE TABLE before AS TABLE audits;
CREATE TABLE described AS SELECT p, pprepub.manifest(p, 1) AS m FROM publication;

-- A column of each kind, of a source that has them only now.
SELECT format('ALTER TABLE %1$s ADD ward text, ADD zip text, ADD born date, ADD note text, ADD rate real; UPDATE %1$s SET rate = CASE WHEN id > 9 THEN ''NaN''::real END, ward = ''ward '' || id %% 4, zip = (53000 + id %% 40)::text, born = date ''2000-01-01'' + id, note = ''n'' || id %% 3', p) FROM publication \gexec
SELECT throws_ok(format('SELECT pprepub.alter_publication(''p1'', add_quasi_identifiers => %L, add_insensitive => %L)', q, i), state, NULL, q || i) FROM (VALUES
	('{"age": "range"}', '{}', '42701'), ('{"id": "range"}', '{}', '42701'), ('{"ill": "suppress"}', '{}', '42701'), ('{"nothing": "range"}', '{}', '42703'), ('{"zip": "range"}', '{}', '42804'),
	('{"zip": "prefix"}', '{zip}', '42611'), ('{}', '{note,note}', '42701'), ('{}', '{age}', '42701'), ('[]', '{}', '22023'), ('{"ward": "taxonomy none"}', '{}', '42704'), ('{}', '{born}', '55000'), ('{"rate": "range"}', '{}', '22000'), ('{"note": "taxonomy wards"}', '{}', '22000')) v(q, i, state);
SELECT throws_ok('SELECT pprepub.alter_publication(''p2'', add_quasi_identifiers => ''{"zip": "prefix"}'')', '42703', NULL, 'a registry needs it, too');
ALTER TABLE known RENAME TO unknown;
SELECT throws_ok('SELECT pprepub.alter_publication(''p2'', add_quasi_identifiers => ''{"zip": "prefix"}'')', '55000', NULL, 'one that is gone');
ALTER TABLE unknown RENAME TO known;
ALTER TABLE known ADD ward text, ADD zip text, ADD born date;
SELECT is(count(*), 0::bigint, 'nothing was added so') FROM pprepub_internal.catalog_column WHERE came > 0;
SELECT format('SELECT pprepub.alter_publication(%L, %L, add_quasi_identifiers => ''{"ward": "taxonomy wards", "zip": "prefix", "born": "range 1 month"}'', add_insensitive => %L)', p,
	CASE WHEN name = 'global' THEN '{}' ELSE '{"accept_insensitive": true}' END, CASE WHEN name = 'global' THEN '{}' ELSE '{note}' END) FROM publication \gexec

-- Before the next release.
SELECT is(r.equal, true, 'what is kept of ' || p || ' is as the log tells') FROM publication, pprepub.rebuild_history(p) r;
SELECT set_eq('TABLE audits', 'TABLE before', 'no check says anything else');
SELECT is(r, '{"zip": "*", "born": "(,)", "note": null, "ward": "any ward"}'::jsonb - CASE WHEN p = 'p2' THEN 'note' ELSE '' END, 'release 1 of ' || p || ' withholds them')
	FROM publication, LATERAL (SELECT DISTINCT r - '{age,class,ill,region}'::text[] AS r FROM rows_of(format('SELECT * FROM published.%I', p || '_1')) r) r;
SELECT is(count(DISTINCT r -> 'release'), 2::bigint, 'all releases are in the table of ' || p)
	FROM publication, rows_of(format('SELECT * FROM published.%I WHERE born && daterange ''[2001-01-01,2001-01-02)''', p || '_all')) r GROUP BY p;
SELECT is(r ->> 'columns', '{age,ill,region}', 'analysts are told what release 2 of ' || p || ' shows') FROM publication, rows_of(format('SELECT columns::text FROM published.%I WHERE release = 2', p || '_releases')) r;
SELECT is(n.m #> '{checksums,sum_of_hashes}', d.m #> '{checksums,sum_of_hashes}', 'release 1 of ' || p || ' has the sum that it had') FROM described d, pprepub.manifest(p, 1) n(m);
SELECT is(array_agg(c ->> 'name' ORDER BY c ->> 'name') FILTER (WHERE NOT (c -> 'is_shown')::boolean), '{born,note,ward,zip}', 'and is not said to show more') FROM jsonb_array_elements(pprepub.manifest('p1', 1) -> 'columns') c;
GRANT SELECT ON answering TO added_analyst;
SET ROLE added_analyst;
SELECT ok(count(r) > 0, 'columns of answers of ' || p) FROM answering, rows_of(format('SELECT ward, zip, born, note FROM published.%I(''ward = ''''ward 1'''' OR zip > ''''530'''''')', p)) r GROUP BY p;
SELECT ok(count(r) > 0, 'columns of the live table of ' || p) FROM answering, rows_of(format('SELECT * FROM published.%I WHERE born > date ''2001-01-01''', p || '_now')) r WHERE r -> 'cells' ? 'born' GROUP BY p;
RESET ROLE;
SELECT is(count(*), 0::bigint, 'answers are whole') FROM audits WHERE NOT holds;

-- And with the next ones.
CALL publish_all();
CALL pass(3);
CALL publish_all();
SELECT is(count(*) FILTER (WHERE NOT holds), 0::bigint, 'all holds of ' || p) FROM audits GROUP BY p;
SELECT ok(bool_and(r -> 'zip' IS NOT NULL) AND count(DISTINCT r -> 'born') > 1, 'the view of ' || p) FROM publication, rows_of(format('SELECT * FROM published.%I', p || '_values')) r GROUP BY p;
SELECT is(count(*), 0::bigint, p || ' is attacked in vain') FROM publication, pprepub.attack(p) a WHERE NOT a.holds GROUP BY p;
SELECT is(r.equal, true, 'what is kept of ' || p || ' is as the log tells') FROM publication, pprepub.rebuild_history(p) r;
SELECT is(r.f[3], r.f[2], 'nobody of ' || p || ' has moved for it')
	FROM publication, LATERAL (SELECT array_agg((people, counterfeits, suppressed, classes) ORDER BY number) AS f FROM pprepub.release WHERE publication = p AND kind = 'stored') r WHERE name = 'bpg';
SELECT lives_ok(format(q, p), format(q, p)) FROM publication, unnest(ARRAY['SELECT pprepub.preview(%L)', 'SELECT pprepub.report(%L)', 'SELECT pprepub.risks(%L, 2)', 'SELECT pprepub.metrics(%L, 4)',
	'SELECT published.%s_counts(''{ward,born}'')', 'SELECT published.%s_counts(''{ward,zip}'', release => 2)', 'SELECT pprepub.class_members(%L)', 'SELECT pprepub.withheld(%L)']) q;
SELECT lives_ok(format(q, p), format(q, p)) FROM publication, unnest(ARRAY['SELECT pprepub.linkability(%L)', 'SELECT pprepub.compromise(%L, ''{}'')', 'SELECT pprepub.forecast(%L, 2)', 'SELECT pprepub.risk_after_updates(%L)']) q
	WHERE (q ~ 'linkability' AND rows = 'one') OR (q ~ 'compromise' AND name = 'bpg' AND rows = 'one') OR (q ~ 'forecast' AND name = 'bpg') OR (q ~ 'risk_after' AND name = 'm-distinct');
SELECT ok(sum(noisy_count) > 0, 'noisy counts by an added column') FROM published.p1_noisy('{ward}', 'born > ''2001-01-01''', epsilon => 1);
SELECT is(count(*) FILTER (WHERE people_at_most < people_at_least), 0::bigint, 'counts of a release that withholds it') FROM published.p1_counts('{zip}', release => 1);
SELECT is(ROW(l.intervals, l.move)::text, '(2,0)', 'nobody is taken for one who moved because of them') FROM pprepub_internal.catalog_publication p,
	pprepub_internal.life_of_log('p1', ARRAY(SELECT c.came FROM pprepub_internal.catalog_column c WHERE c.publication = p.publication)) l WHERE p.name = 'p1';

-- Again, from a source whose columns have other names by now; and where nothing was published yet.
ALTER TABLE p1 RENAME zip TO postcode;
ALTER TABLE p1 ADD job text;
SELECT throws_ok('SELECT pprepub.alter_publication(''p1'', add_quasi_identifiers => ''{"postcode": "prefix"}'')', '42701', NULL, 'it has that column by another name');
SELECT pprepub.alter_publication('p1', '{"weights": {"job": 2}}', '{"job": "suppress"}') \g /dev/null
CREATE TABLE p8 AS SELECT id, age, ill, born, note FROM p1;
SELECT pprepub.create_publication('p8', 'p8', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 5}', beside => ARRAY(SELECT q.name FROM pprepub.publication q)) \g /dev/null
SELECT pprepub.alter_publication('p8', add_quasi_identifiers => '{"born": "range"}') \g /dev/null
SELECT is(array_agg(attname::text ORDER BY attnum), '{age,ill,class,cells,born}', 'added before the first release') FROM pg_attribute WHERE attrelid = 'published.p8_now'::regclass AND attnum > 0;
SELECT p.p, r.suppressed FROM unnest('{p1,p8}'::text[]) p(p), pprepub.publish(p) r \g /dev/null
SELECT is(array_agg(attname::text ORDER BY attnum), '{age,ill,class,cells,born}', 'and shown there') FROM pg_attribute WHERE attrelid = 'published.p8_values'::regclass AND attnum > 0;
SELECT pprepub.alter_publication('p8', '{"accept_insensitive": true}', add_insensitive => '{note}') \g /dev/null
SELECT is(array_agg(attname::text ORDER BY attnum), '{age,ill,region,class,cells,ward,zip,born,note,job}', 'one after the other') FROM pg_attribute WHERE attrelid = 'published.p1_now'::regclass AND attnum > 0;
SELECT is(count(*) FILTER (WHERE NOT a.holds), 0::bigint, p || ' is whole') FROM unnest('{p1,p8}'::text[]) p, pprepub.audit(p) a GROUP BY p;
SELECT ok(count(*) > 0 AND bool_or(job IS NULL), 'asked by all of them') FROM published.p1_now WHERE zip IS NOT NULL AND job IS NULL AND born > '2000-01-01';
SELECT is(count(*) FILTER (WHERE NOT v.holds), 0::bigint, 'tables of releases are sound') FROM pprepub.storage s, pprepub.verify_storage(s."table") v;
CREATE TABLE elsewhere AS SELECT id, int4range(0, 100) AS age, ill, daterange(born, born + 400) AS born FROM p8;
SELECT is(r.rows, (SELECT count(*) FROM p8), 'a release that was made elsewhere') FROM pprepub.import_release('p8', 'elsewhere', 'id') r;
SELECT is(string_agg(check_name, ' '), NULL, 'and nothing of another shape') FROM pprepub.audit('p8') WHERE NOT holds AND check_name IN ('checksums', 'rows', 'remembered', 'covers', 'people');
SELECT s FROM (SELECT cells->>'born' AS s FROM published.p1_now WHERE born > '2000-06-01') s \g /dev/null
SELECT is(columns, '{born}', 'a live table asks for the cells that are named') FROM pprepub.release WHERE publication = 'p1' ORDER BY number DESC LIMIT 1;
SELECT count(job) FROM published.p1_now WHERE job IS NULL \g /dev/null
SELECT is(columns, '{job}', 'and for a column that was added') FROM pprepub.release WHERE publication = 'p1' ORDER BY number DESC LIMIT 1;

-- A column that comes later is one that earlier releases left out: the next release is the same.
CREATE TABLE later AS SELECT i AS id, hashint4(i) & 31 AS age, hashint4(i + 3) & 15 AS w, 'ill ' || (hashint4(-i) & 7) AS ill FROM generate_series(1, 200) i;
SELECT format('SELECT pprepub.create_publication(%L, ''later'', ''id'', %L, ''ill'', ''sequential'', ''{"k": 2, "seed": 1}'', beside => ARRAY(SELECT q.name FROM pprepub.publication q))', p, q)
	FROM (VALUES ('first', '{"age": "range", "w": "range"}'), ('later', '{"age": "range"}')) v(p, q) \gexec
SELECT pprepub.publish(p, columns => '{age,ill}') FROM unnest('{first,later}'::text[]) p \g /dev/null
SELECT pprepub.alter_publication('later', add_quasi_identifiers => '{"w": "range"}') \g /dev/null
DELETE FROM later WHERE id % 2 = 0;
SELECT pprepub.publish(p) FROM unnest('{first,later}'::text[]) p \g /dev/null
SELECT bag_eq('SELECT age, w, ill FROM published.later_2', 'SELECT age, w, ill FROM published.first_2', 'joins of releases are judged as if it had been left out');

-- explore() and report(): the pages say what preview(), attack() and metrics() say, in HTML and in JSON, whatever names are.
CREATE ROLE explore_owner;
CREATE ROLE explore_auditor;
SELECT format('GRANT CREATE ON DATABASE %I TO explore_owner', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO explore_owner;
CREATE FUNCTION cells(page text) RETURNS text[] LANGUAGE sql AS $$
	SELECT array_agg(cell ORDER BY n) FROM xmltable('//div[@class="wide"]//tbody/tr/*' PASSING (page::xml) COLUMNS n FOR ORDINALITY, cell text PATH '.') $$;
CREATE FUNCTION counted(page text, path text) RETURNS int LANGUAGE sql AS $$ SELECT (xpath('count(' || path || ')', page::xml))[1]::text::int $$;

SET ROLE explore_owner;
CREATE TABLE people AS SELECT i AS id, i % 61 AS "a<b> & %s", i % 13 AS ward, (ARRAY['flu', '</td><script>', 'gout', 'cold', '"'])[1 + i % 5] AS ill FROM generate_series(1, 600) i;
ALTER TABLE people ADD PRIMARY KEY (id);
\set name '<script>alert(1)</script>'
SELECT pprepub.create_publication(:'name', 'people', 'id', '{"a<b> & %s": "range", "ward": "range"}', 'ill', params => '{"k": 5, "l": 2}') \g /dev/null
SELECT pprepub.grant_audit(:'name', 'explore_auditor') \g /dev/null
SET client_min_messages = error;

-- ---- explore() ----
SELECT pprepub.explore(:'name', '{"k": [5, 10, 700], "<i>": [1]}') AS hostile, pprepub.explore(:'name', '{"reserve": [1, 4], "k": [5, 20]}') AS page, pprepub.explore(:'name') AS usual \gset
SELECT is(counted(:'page', '//tbody/tr'), 5, 'as declared, and each value with each of the others');
SELECT is((cells(:'page'))[1 : 3] || (cells(:'page'))[12 : 13], '{now,5,2,1,5}', 'settings are numbered, and show what holds where nothing else is tried');
SELECT is(array(SELECT ((cells(:'page'))[3 + 11 * i])::int * 100 + ((cells(:'page'))[2 + 11 * i])::int FROM generate_series(1, 4) i), '{105,405,120,420}', 'in the order of the grid');
CREATE FUNCTION said(name text, params jsonb) RETURNS text[] LANGUAGE sql AS $$
	WITH preview AS (SELECT metric, trim_scale(round(value::numeric, 1)) AS value FROM pprepub.preview(name, params => params))
	SELECT ARRAY(SELECT p.value::text FROM unnest('{loss_percent,withheld_percent,invented_percent,stale_percent,count_error_percent_5,classes}'::text[]) WITH ORDINALITY f (name, n)
		JOIN preview p ON p.metric = f.name ORDER BY f.n) || (SELECT string_agg(p.value::text, ', ' ORDER BY p.value) FROM preview p WHERE p.metric LIKE '%\_class') $$;
SELECT is((cells(:'page'))[11 * i + 4 : 11 * i + 10], said(:'name', params), params::text || ': as preview() says')
	FROM unnest('{"{}","{\"k\": 5, \"reserve\": 1}","{\"k\": 5, \"reserve\": 4}","{\"k\": 20, \"reserve\": 1}","{\"k\": 20, \"reserve\": 4}"}'::jsonb[]) WITH ORDINALITY p (params, n), LATERAL (SELECT n::int - 1 AS i) o;
SELECT is(counted(:'page', '//*[local-name() = "rect"]'), 5 + 3, 'a bar for each that withholds and invents nothing, and a legend');
SELECT is(counted(:'usual', '//tbody/tr'), 1 + 9, 'without a grid: three k, three reserves');
SELECT is(array_positions(ARRAY(SELECT cell ~ '^Promises less than declared\. Useful' FROM unnest(cells(:'usual')) WITH ORDINALITY c (cell, n) WHERE n % 11 = 0 ORDER BY n), true), '{2,3,4}', 'a smaller k is said to promise less');
SELECT is(counted(pprepub.explore(:'name', '{}'), '//tbody/tr'), 2, 'a grid of nothing has one setting');
SELECT is(counted(:'hostile', '//tr[@class="bad"]'), 3, 'settings that cannot be are shown');
SELECT is((cells(:'hostile'))[22], 'Cannot be: unknown parameter "<i>" for method "bpg".', 'and say why');
SELECT is((cells(pprepub.explore(:'name', '{"k": [700, 5]}')))[20], format('Cannot be: publication "%s" has nothing that may be published.', :'name'), 'as where k is more than there are people');
SELECT is(counted(page, '//script | //i | //b | //img | //link | //@onload | //@src | //@href'), 0, 'no name is markup, and nothing is loaded') FROM unnest(ARRAY[:'hostile', :'page', :'usual']) page;
SELECT is(page ~ '[^\x0a\x20-\x7e]', false, 'ASCII') FROM unnest(ARRAY[:'hostile', :'page']) page;

SELECT throws_ok(format('SELECT pprepub.explore(%L, %L)', :'name', grid), code, message, message) FROM (VALUES
	('[]', '22023', 'a grid must be a JSON object'), ('3', '22023', 'a grid must be a JSON object'), ('null', '22023', 'a grid must be a JSON object'),
	('{"k": 5}', '22023', 'a grid must list the values of parameter "k" to try'), ('{"k": []}', '22023', 'a grid must list the values of parameter "k" to try'),
	('{"k": [5, 6, 7, 8, 9, 10, 11, 12], "l": [1, 2, 3, 4]}', '54000', 'a grid must not have more than 30 settings')) v (grid, code, message);
SELECT is(counted(pprepub.explore(:'name', jsonb_build_object('k', (SELECT jsonb_agg(i) FROM generate_series(3, 32) i))), '//tbody/tr'), 31, '30 settings are not too many');
SELECT throws_ok(format('SELECT pprepub.explore(%L, %L)', :'name', jsonb_build_object('k', (SELECT jsonb_agg(i) FROM generate_series(3, 33) i))), '54000', NULL, '31 are');
SELECT throws_ok(format('SELECT pprepub.explore(%L, releases => %L)', :'name', n), '22023', '"releases" must be 1 or more', 'releases: ' || coalesce(n, 'NULL')) FROM unnest('{0,-1,NULL}'::text[]) n;
SELECT is((cells(pprepub.explore(:'name', '{"reserve": [1]}', 3)))[13 : 19], (SELECT ARRAY(SELECT trim_scale(round(f::numeric, 1))::text FROM unnest(ARRAY[avg(loss_percent), avg(withheld_percent), avg(invented_percent), avg(stale_percent)]) f)
	|| '{–,–}' || trim_scale(round(avg(average_class)::numeric, 1))::text FROM pprepub.forecast(:'name', 3, params => '{"reserve": 1}')), 'several releases are averages of forecast()');
SELECT throws_ok($$ SELECT pprepub.explore('none') $$, '42704', 'publication "none" does not exist', 'no such publication');
SELECT throws_ok($$ SELECT pprepub.explore(NULL) $$, '22004', 'the name of a publication must not be null', 'no publication');
SET ROLE explore_auditor;
SELECT throws_ok(format('SELECT pprepub.explore(%L)', :'name'), '42501', NULL, 'an auditor sees no figures of what was not published');
SET ROLE explore_owner;
-- An error of the source is a reason; one of the moment ends all.
CREATE FUNCTION fail(id int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF current_setting('explore.fail', true) <> '' THEN RAISE 'failed' USING ERRCODE = current_setting('explore.fail'); END IF; RETURN id; END $$;
CREATE VIEW failing AS SELECT fail(id) AS id, ward, ill FROM people;
SELECT pprepub.create_publication('failing', 'failing', 'id', '{"ward": "range"}', 'ill', params => '{"k": 5}', beside => ARRAY[:'name']) \g /dev/null
CREATE FUNCTION tried(code text) RETURNS text LANGUAGE plpgsql SET client_min_messages = error AS $$ BEGIN PERFORM set_config('explore.fail', code, true); RETURN (cells(pprepub.explore('failing', '{}')))[9];
	EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ': ' || SQLERRM; END $$;
SELECT is(tried(code), said || 'failed' || left('.', length(said) - 7), code) FROM (VALUES ('P0001', 'Cannot be: '), ('22012', 'Cannot be: '), ('40001', '40001: '), ('53200', '53200: '), ('55P03', '55P03: '), ('57P01', '57P01: '), ('XX000', 'XX000: ')) v (code, said);
SELECT set_config('explore.fail', '', false) \g /dev/null
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
SELECT lives_ok(format('SELECT pprepub.explore(%L)', :'name'), 'it writes nothing');
COMMIT;
SELECT is((SELECT count(*) FROM pprepub.release), 0::bigint, 'nothing was published');

SELECT pprepub.create_publication('close', 'people', 'id', '{"ward": "range"}', 'ill', params => '{"k": 5, "t": 0.5}', beside => ARRAY[:'name', 'failing']) \g /dev/null
SELECT is(ARRAY(SELECT c[10 * i + 2] || ' ' || (c[10 * i + 10] ~ '^Promises less')::text FROM generate_series(0, 3) i),
	'{"0.5 false","0.4 false","0.9 true","– true"}', 'a greater t, or none, promises less, too') FROM (SELECT cells(pprepub.explore('close', '{"t": [0.4, 0.9, null]}')) AS c) e;

-- ---- What a release is good for ----
SELECT is(v.grade || ': ' || v.words, said, said) FROM (VALUES
	('{"loss_percent": 33, "withheld_percent": 5, "invented_percent": 15, "stale_percent": 10, "count_error_percent_5": 10, "loss_percent of x": 90}', 'useful: Useful: no figure is above its limit.'),
	('{"loss_percent": 33.04}', 'useful: Useful: no figure is above its limit.'), ('{"loss_percent": 33.1}', 'care: Useful with care: cells lose 33.1 % of what they could tell.'),
	('{"loss_percent": 67.1}', 'poor: Of little use: cells lose 67.1 % of what they could tell.'), ('{"withheld_percent": 20}', 'care: Useful with care: 20 % of the people are withheld.'),
	('{"withheld_percent": 20.1, "invented_percent": 34}', 'poor: Of little use: 20.1 % of the people are withheld, 34 % of the rows are invented.'),
	('{"invented_percent": 16, "stale_percent": 34}', 'poor: Of little use: 34 % of the people show an older value, 16 % of the rows are invented.'),
	('{"count_error_percent_5": 11}', 'care: Useful with care: half of all counts of 5 % of the people are off by 11 % or more.'),
	('{"loss_percent": 20, "loss_percent of 100%s": 100}', 'care: Useful with care: column 100%s loses 100 %.'),
	('{"loss_percent": 1, "count_error_percent_5": null}', 'useful: Useful: no figure is above its limit.')) c (metrics, said), pprepub_internal.verdict_on_use(metrics::jsonb) v;
SELECT is(pprepub_internal.verdict_on_use('{}'), (NULL::text, 'It was not measured.'::text), 'of a release that was not measured nothing is said');

-- ---- report() ----
SELECT is(json_array_length(pprepub.report(:'name', format => 'json')::json -> 'sections'), 7, 'before the first release');
SELECT pprepub.publish(:'name') \g /dev/null
DELETE FROM people WHERE id % 4 = 1;
SELECT array_agg(value::bigint ORDER BY value) AS sizes FROM pprepub.preview(:'name') WHERE metric IN ('smallest_class', 'largest_class') \gset
SELECT pprepub.publish(:'name') \g /dev/null
SELECT is(ARRAY[min(rows), max(rows)], :'sizes', 'the sizes of classes that preview() told, with invented rows') FROM (SELECT count(*) AS rows FROM published."<script>alert(1)</script>_2" GROUP BY class) c;
SELECT count(*) FROM published."<script>alert(1)</script>"('ward < 6') \g /dev/null
SELECT pprepub.report(:'name') AS page, pprepub.report(:'name', true) AS internal, pprepub.report(:'name', format => 'json') AS json, pprepub.report(:'name', true, 'json') AS internal_json \gset
SELECT is((xpath('//h2[@id="sentence"]/following-sibling::p[1]/text()', :'page'::xml))[1]::text, format('A neighbor who knows ward and a&lt;b&gt; &amp; %%s of a person, and in which of all 3 releases and answers the person is, '
	'finds the person among at least %s rows, and sees at least %s different values of ill there.', min(records), min(sensitive_values)), 'the sentence says what attack() says') FROM pprepub.attack(:'name');
SELECT is((xpath('//p[starts-with(@class, "verdict ") and not(contains(@class, "good"))]/text()', :'page'::xml))[1]::text, (SELECT words FROM pprepub_internal.verdict_on_use((
	SELECT jsonb_object_agg(metric, value) FROM pprepub.metrics(:'name', 2)))), 'the verdict on use is that of metrics()');
SELECT is(counted(:'page', '//*[@class="bad"]'), 0, 'no verdict on use counts as a check that fails');
SELECT is(ARRAY(SELECT s ->> 'id' FROM json_array_elements(json::json -> 'sections') s), ARRAY(SELECT unnest(xpath('//h2/@id', page::xml))::text), 'JSON has the sections of the page')
	FROM (VALUES (:'page', :'json'), (:'internal', :'internal_json')) v (page, json);
SELECT is(ARRAY(SELECT coalesce(c.value, chr(8211)) FROM json_array_elements(json::json -> 'sections') WITH ORDINALITY s (section, i), json_array_elements(section -> 'tables') WITH ORDINALITY t (shown, j),
	json_array_elements(shown -> 'rows') WITH ORDINALITY r (cells, k), json_each_text(cells) WITH ORDINALITY c (key, value, l) ORDER BY i, j, k, l), cells(page), 'and its figures, cell by cell')
	FROM (VALUES (:'page', :'json'), (:'internal', :'internal_json')) v (page, json);
SELECT is(jsonb_path_query_array(:'json', '$.sections[*] ? (@.verdict != null).verdict')::text, '["good", "care"]', 'programs find both verdicts');
SELECT is(jsonb_path_query_first(:'json', '$.sections[*].tables[*].rows[*] ? (@.Kind == "atom")."Fewest people"')::text, min(records)::text, 'and figures, as numbers') FROM pprepub.attack(:'name') WHERE kind = 'atom';
SELECT throws_ok(format('SELECT pprepub.report(%L, format => %L)', :'name', f), '22023', 'a report cannot have this format', 'format: ' || coalesce(f, 'NULL')) FROM unnest('{pdf,JSON,"",NULL}'::text[]) f;
SET ROLE explore_auditor;
SELECT ok(pprepub.report(:'name', format => 'json')::jsonb - 'made_at' #- '{sections,-2}' = :'json'::jsonb - 'made_at' #- '{sections,-2}', 'auditors read the same');
SELECT throws_ok(format('SELECT pprepub.report(%L, true, ''json'')', :'name'), '42501', NULL, 'and nobody''s keys');
SET ROLE explore_owner;

-- A weak release made elsewhere is told as it is; a column that is withheld is a reason for care.
CREATE TABLE weak AS SELECT id, ill, ward, (ward / 2)::text AS zip FROM people;
ALTER TABLE weak ADD PRIMARY KEY (id);
CREATE TABLE made AS SELECT id, ill, int4range(ward, ward + 1) AS ward, '*' AS zip FROM weak WHERE id = (SELECT min(id) FROM weak);
SELECT pprepub.create_publication('weak', 'weak', 'id', '{"ward": "range", "zip": "suppress"}', 'ill', params => '{"k": 5, "l": 2}', beside => ARRAY[:'name']) \g /dev/null
SELECT pprepub.import_release('weak', 'made', 'id') \g /dev/null
SELECT pprepub.report('weak') AS page \gset
SELECT matches(:'page'::text, 'and that the person is in the release, may find what is shown of this person alone\.', 'somebody who is alone is said to be');
SELECT matches(:'page'::text, 'column zip loses 100 %', 'a column that tells nothing is named');
SELECT matches(:'page'::text, 'a chance of 100 % at most', 'links are certain');
SELECT matches(:'page'::text, '>count_error_percent_5</th><td>not measured<', 'what was not measured is said to be');
RESET ROLE;

-- A page to sign.  Names and values are markup, and each stays text; keys are for the owner; what fails, or cannot be read, is said.
CREATE ROLE report_owner;
CREATE ROLE report_auditor;
CREATE ROLE report_stranger;
SELECT format('GRANT CREATE ON DATABASE %I TO report_owner', current_database()) \gexec
CREATE FUNCTION is_xml(page text) RETURNS boolean LANGUAGE sql AS $$ SELECT xml_is_well_formed_document(replace(page, '<!DOCTYPE html>', '')) $$;
CREATE FUNCTION ids(page text) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(id[1], ' ') FROM regexp_matches(page, '<h2 id="([^"]*)"', 'g') id $$;
CREATE FUNCTION verdict(page text) RETURNS text LANGUAGE sql AS $$ SELECT (regexp_match(page, '<p class="(verdict[^>]*>[^<]*)'))[1] $$;
CREATE FUNCTION text_of(page text) RETURNS text LANGUAGE sql AS $$ SELECT regexp_replace(regexp_replace(page, '<[^>]*>', ' ', 'g'), '\s+', ' ', 'g') $$;
CREATE FUNCTION at_any_time(page text) RETURNS text LANGUAGE sql AS $$ SELECT regexp_replace(page, 'Made at [-0-9 :]*', '') $$;
SET ROLE report_owner;
CREATE SCHEMA desk;
CREATE TABLE desk.patients AS
	SELECT 'KEY-' || i AS id, i % 40 AS "age <b>", (ARRAY['<img src=x onerror=alert(1)>', '&amp;', '"''>', E'\u00e4\u20ac\U0001F600', E'a\x01b'])[1 + i % 5] AS "sick & tired"
	FROM generate_series(1, 200) i;
ALTER TABLE desk.patients ADD PRIMARY KEY (id);
CREATE TABLE desk.people AS TABLE desk.patients;
ALTER TABLE desk.people ADD PRIMARY KEY (id);
\set name '"></h1><script>alert(1)</script>'
SELECT pprepub.create_publication(:'name', 'desk.patients', 'id', '{"age <b>": "range"}', 'sick & tired', 'bpg', '{"k": 5, "l": 2, "reserve": 1}') \g /dev/null

-- Before the first release, and with some
SELECT pprepub.report(:'name') AS page \gset
SELECT is(is_xml(:'page'), true, 'well-formed without a release');
SELECT is(ids(:'page'), 'verdict promise releases answers not-promised computed signature', 'sections without a release');
SELECT is(verdict(:'page'), 'verdict open">Nothing was published, so nothing was checked.', 'a verdict of nothing');
SELECT pprepub.publish(:'name') \g /dev/null
DELETE FROM desk.patients WHERE right(id, 1) = '7';
SELECT pprepub.publish(:'name') \g /dev/null
SELECT count(*) FROM published."""></h1><script>alert(1)</script>_now" WHERE "age <b>" < 20 \g /dev/null
SELECT pprepub.report(:'name') AS page, pprepub.report(:'name', true) AS internal \gset
SELECT is(is_xml(page), true, 'well-formed') FROM (VALUES (:'page'), (:'internal')) v (page);
SELECT is(ids(:'page'), 'sentence verdict usefulness questions promise releases sizes risks values columns linkability answers not-promised computed signature', 'sections');
SELECT is(ids(:'internal'), replace(ids(:'page'), 'answers', 'answers people'), 'the owner''s page names people');
SELECT is(verdict(:'page'), 'verdict good">All 10 checks hold.', 'a verdict');
-- Nothing of a name or a value is markup, nothing comes from elsewhere, and all is ASCII.
SELECT is(string_agg(DISTINCT tag[1] COLLATE "C", ' '), 'body caption circle desc div figcaption figure h1 h2 head html li line main meta p polyline rect style svg table tbody td text th thead title tr ul', 'tags')
	FROM regexp_matches(:'internal', '<([a-z0-9]+)', 'g') tag;
SELECT is(ARRAY[:'internal' ~ 'script|onerror', :'internal' ~ '<script|<img|<[^>]* onerror|<b>', :'internal' ~ '(src|href)=' AND :'internal' !~ '&#x3C;img src=x', :'internal' ~ '[^\x01-\x7e]'], '{t,f,f,f}', 'names are told, none is markup, nothing is loaded, all is ASCII');
SELECT matches(:'page'::text, 'alert\(1\)&#x3C;/script&#x3E;</h1>', 'a name in a title');
SELECT is(:'page' ~ '&#xE4;&#x20AC;&#x1F600;' AND :'page' ~ 'a&#xFFFD;b', true, 'Unicode, and a control character');
SELECT is(:'page' ~ 'KEY-' OR :'internal' !~ 'KEY-1', false, 'keys are for the owner');
SELECT is(text_of(substring(:'page' FROM '<h2 id="columns".*?</table>')), ' What release 2 loses by column Quasi-identifiers Column Kind Different cells Loss % Withheld % age &#x3C;b&#x3E; range 20 ' ||
	round(value::numeric, 1) || ' 0.0 ', 'loss by column is that of metrics()') FROM pprepub.metrics(:'name', 2) WHERE metric = 'loss_percent of age <b>';
SELECT pprepub.alter_publication(:'name', '{"max_answers_per_role": 5}') \g /dev/null
SELECT matches(text_of(substring(pprepub.report(:'name') FROM '<h2 id="answers".*?</table>')), format('Role Answers Allowed First Last %s 1 5 [-0-9]{10} [-0-9]{10} $', session_user), 'who asked, and how much is allowed');

-- Auditors read the same page, also of a release about a cohort, and where releases are not joined within few steps.
SELECT pprepub.grant_audit(:'name', 'report_auditor') \g /dev/null
SELECT pprepub.publish(:'name', cohort => '"age <b>" < 10') \g /dev/null
CREATE FUNCTION desk.page(role name, budget text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	page text;
BEGIN
	PERFORM set_config('role', role, true), set_config('pprepub.search_budget', budget, true);
	page := at_any_time(pprepub.report('"></h1><script>alert(1)</script>'));
	PERFORM set_config('role', 'report_owner', true);
	RETURN page;
END $$;
RESET ROLE;
GRANT USAGE ON SCHEMA desk TO report_auditor;
SELECT is(desk.page('report_auditor', budget), page, 'the same page within ' || budget) FROM (VALUES ('1e8'), ('500')) b (budget), desk.page('report_owner', budget) page;
SELECT is(desk.page('report_owner', budget) ~ 'Left out', is_left_out, 'joins left out within ' || budget) FROM (VALUES ('1e8', false), ('500', true)) b (budget, is_left_out);
SELECT is(desk.page('report_owner', '500') ~ 'Do not sign', false, 'that is no reason to refuse');
SET ROLE report_auditor;
SELECT throws_ok(format('SELECT pprepub.report(%L, true)', :'name'), '42501', format('must be owner of publication "%s" for an internal report', :'name'), 'an auditor reads no keys');
SET ROLE report_stranger;
SELECT throws_ok(format('SELECT pprepub.report(%L)', :'name'), '42501', format('must be owner or auditor of publication "%s"', :'name'), 'a stranger reads nothing');
SET ROLE report_owner;
SELECT throws_ok($$ SELECT pprepub.report('nothing') $$, '42704', 'publication "nothing" does not exist', 'no publication');
SELECT throws_ok($$ SELECT pprepub.report(NULL) $$, '22004', 'the name of a publication must not be null', 'no name');
BEGIN READ ONLY;
SELECT ok(length(pprepub.report(:'name')) > 10000, 'READ ONLY');
COMMIT;

-- What was made elsewhere, and fails
SET client_min_messages = error;
SELECT pprepub.create_publication('bad', 'desk.people', 'id', '{"age <b>": "range"}', 'sick & tired', 'bpg', '{"k": 5, "l": 2, "repair": "dirty", "reserve": 1}', target => 'out') \g /dev/null
UPDATE desk.people SET "sick & tired" = 'same' WHERE "age <b>" < 8;
CREATE TABLE desk.made AS SELECT id, int4range("age <b>", "age <b>" + 1) AS "age <b>", "sick & tired" FROM desk.people WHERE "age <b>" < 8;
SELECT pprepub.import_release('bad', 'desk.made', 'id') \g /dev/null
SELECT pprepub.report('bad') AS page \gset
SELECT is(is_xml(:'page'), true, 'well-formed, and bad');
SELECT is(verdict(:'page'), 'verdict bad">Do not sign: 2 of 10 checks fail.', 'what fails is counted');
SELECT is(string_agg(text_of(r[1]), ';'), ' l fails l &#x3E;= 2 l = 1 8 40 ; atoms fails k &#x3E;= 5, l &#x3E;= 2 k = 5, l = 1 &#x2013; 40 ', 'and marked') FROM regexp_matches(:'page', '<tr class="bad">.*?</tr>', 'g') r;

-- A source that cannot be read any more: the page says so.  What the source says is for the owner alone.
CREATE VIEW desk.breaks AS SELECT id, "age <b>", "sick & tired" FROM desk.patients;
SELECT pprepub.create_publication('breaks', 'desk.breaks', 'id', '{"age <b>": "range"}', 'sick & tired', 'bpg', '{"k": 5}', beside => ARRAY[:'name']) \g /dev/null
SELECT pprepub.publish('breaks') \g /dev/null
CREATE FUNCTION desk.fail(id text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no such patient: %', id; END $$;
CREATE OR REPLACE VIEW desk.breaks AS SELECT desk.fail(id) AS id, "age <b>", "sick & tired" FROM desk.patients;
SELECT pprepub.grant_audit('breaks', 'report_auditor') \g /dev/null
SELECT pprepub.report('breaks') AS page, pprepub.report('breaks', true) AS internal \gset
SET ROLE report_auditor;
SELECT is(at_any_time(pprepub.report('breaks')), at_any_time(:'page'), 'auditors are told the same');
SET ROLE report_owner;
SELECT is(is_xml(:'page') AND :'page' !~ 'patient: KEY', true, 'well-formed, and without a key');
SELECT is(regexp_replace(string_agg(text_of(v[1]), ''), 'KEY-[0-9]+', 'KEY', 'g'), ' Do not sign: 1 of 8 checks fail. Useful: no figure is above its limit.' || said, 'a page that could not be made')
	FROM (VALUES (:'page', ' Do not sign: this could not be computed; the owner&#x27;s internal report says why.'),
		(:'internal', repeat(' Do not sign: this could not be computed: no such patient: KEY (SQLSTATE P0001).', 2))) p (page, said), regexp_matches(page, '<p class="verdict[^>]*>[^<]*', 'g') v GROUP BY said;
SELECT is(regexp_replace(measured, 'KEY-[0-9]+', 'KEY'), 'no such patient: KEY', check_name || ': ' || required) FROM pprepub.audit('breaks') WHERE NOT holds;

-- Other methods have pages, too.
CREATE TABLE desk.others AS TABLE desk.people;
ALTER TABLE desk.others ADD PRIMARY KEY (id);
CREATE TABLE desk.updates AS SELECT a AS from_value, b AS to_value FROM (SELECT DISTINCT "sick & tired" AS a FROM desk.others) x, (SELECT DISTINCT "sick & tired" AS b FROM desk.others) y WHERE a <> b;
CREATE FUNCTION desk.made(method text, params jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.create_publication(method, 'desk.others', 'id', '{"age <b>": "range"}', 'sick & tired', method, params, beside => (SELECT array_agg(p.name::text) FROM pprepub.publication p));
	PERFORM pprepub.publish(method);
	RETURN pprepub.report(method);
END $$;
SELECT ok(is_xml(page) AND page ~ ('that the person is in release 1, finds at least ' || said || '\.'), method || ': a page') FROM (VALUES
	('sequential', '{"k": 2}'::jsonb, '1 row with equal cells there; of all releases together method sequential promises k = 2'),
	('m-invariance', '{"m": 2}', '2 rows with equal cells there; of all releases together method m-invariance promises m = 2'),
	('global', '{"l": 2, "strategy": "constant-ratio", "releases": 1}', '[0-9]+ rows with equal cells there; of all releases together method global promises l = 2'),
	('m-distinct', '{"m": 2, "updates": "desk.updates"}', '2 rows with equal cells there; of all releases together method m-distinct promises m = 2')) v (method, params, said), desk.made(method, params) page;
RESET ROLE;

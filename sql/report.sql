-- A page to sign.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
CREATE ROLE regress_report_owner;
CREATE ROLE regress_report_auditor;
CREATE ROLE regress_report_stranger;
GRANT CREATE ON DATABASE :DBNAME TO regress_report_owner;
SET ROLE regress_report_owner;
CREATE SCHEMA regress_desk;
CREATE TABLE regress_desk.patients AS
	SELECT 'KEY-' || i AS id, i % 40 AS "age <b>", (ARRAY['<img src=x onerror=alert(1)>', '&amp;', '"''>', E'\u00e4\u20ac\U0001F600', E'a\x01b'])[1 + i % 5] AS "sick & tired"
	FROM generate_series(1, 200) i;
ALTER TABLE regress_desk.patients ADD PRIMARY KEY (id);
SELECT pprepub.create_publication('"></h1><script>alert(1)</script>', 'regress_desk.patients', 'id', '{"age <b>": "range"}', 'sick & tired', 'bpg',
	'{"k": 5, "l": 2, "repair": "counterfeit", "reserve": 1}', target => 'regress_desk_out') \g /dev/null
\set name '"></h1><script>alert(1)</script>'

-- Before the first release
SELECT pprepub.report(:'name') AS page \gset
\set ECHO all
SELECT xml_is_well_formed_document(replace(:'page', '<!DOCTYPE html>', '')) AS well_formed;
SELECT array_agg(id) FROM (SELECT (regexp_matches(:'page', '<h2 id="([^"]*)"', 'g'))[1] AS id) s;
SELECT (regexp_match(:'page', '<p class="verdict[^>]*>[^<]*'))[1];

-- And with some
SELECT number FROM pprepub.publish(:'name');
DELETE FROM regress_desk.patients WHERE right(id, 1) = '7';
SELECT number FROM pprepub.publish(:'name');
SELECT count(*) > 0 AS answered FROM regress_desk_out."""></h1><script>alert(1)</script>_now" WHERE "age <b>" < 20;
SELECT pprepub.report(:'name') AS page \gset
SELECT pprepub.report(:'name', true) AS internal \gset
SELECT xml_is_well_formed_document(replace(:'page', '<!DOCTYPE html>', '')) AS well_formed, xml_is_well_formed_document(replace(:'internal', '<!DOCTYPE html>', '')) AS well_formed;
SELECT array_agg(id) FROM (SELECT (regexp_matches(:'page', '<h2 id="([^"]*)"', 'g'))[1] AS id) s;
SELECT array_agg(id) FROM (SELECT (regexp_matches(:'internal', '<h2 id="([^"]*)"', 'g'))[1] AS id) s;
SELECT (regexp_match(:'page', '<p class="verdict[^>]*>[^<]*'))[1];
-- Nothing of a name or a value is markup, nothing comes from elsewhere, and all is ASCII.
SELECT string_agg(DISTINCT tag, ' ') AS tags FROM (SELECT (regexp_matches(:'internal', '<([a-z0-9]+)', 'g'))[1] COLLATE "C" AS tag) t;
SELECT :'internal' ~ 'script|onerror|javascript' AS told, :'internal' ~ '<script|<img| onerror=|<b>' AS is_markup, :'internal' ~ '(src|href)=' AND :'internal' !~ '&#x3C;img src=x' AS from_elsewhere,
	:'internal' ~ '[^\x01-\x7e]' AS beyond_ascii;
SELECT (regexp_match(:'page', 'alert[^<]*</h1>'))[1];
SELECT :'page' ~ '&#xE4;&#x20AC;&#x1F600;' AS unicode, :'page' ~ 'a&#xFFFD;b' AS no_control;
-- Keys and tuples are for the owner.
SELECT :'page' ~ 'KEY-' AS keys, :'internal' ~ 'KEY-1' AS keys_for_the_owner;
SELECT pprepub.grant_audit(:'name', 'regress_report_auditor') \g /dev/null
SELECT pprepub.publish(:'name', cohort => '"age <b>" < 10') IS NOT NULL;
SELECT pprepub.report(:'name') AS page \gset
SET ROLE regress_report_auditor;
SELECT pprepub.report(:'name') AS audited \gset
SELECT regexp_replace(:'page', 'Made at [-0-9 :]*', '') = regexp_replace(:'audited', 'Made at [-0-9 :]*', '') AS same_page, :'page' ~ 'Left out' AS left_out;
SELECT pprepub.report(:'name', true);
-- Within few steps releases are not joined, and both are told so.
SET pprepub.search_budget = 500;
SELECT pprepub.report(:'name') AS audited \gset
SET ROLE regress_report_owner;
SELECT pprepub.report(:'name') AS page \gset
SELECT regexp_replace(:'page', 'Made at [-0-9 :]*', '') = regexp_replace(:'audited', 'Made at [-0-9 :]*', '') AS same_page, :'page' ~ 'Left out' AS left_out, :'page' ~ 'Do not sign' AS bad;
RESET pprepub.search_budget;
SET ROLE regress_report_stranger;
SELECT pprepub.report(:'name');
SET ROLE regress_report_owner;
SELECT pprepub.report('nothing');
SELECT pprepub.report(NULL);
BEGIN READ ONLY;
SELECT length(pprepub.report(:'name')) > 10000 AS in_read_only;
\set ECHO none
COMMIT;

-- A page of what was made elsewhere, and fails
CREATE TABLE regress_desk.elsewhere AS SELECT id, "age <b>", 'same' AS "sick & tired" FROM regress_desk.patients WHERE "age <b>" < 8;
CREATE TABLE regress_desk.people AS SELECT id, "age <b>", "sick & tired" FROM regress_desk.patients;
ALTER TABLE regress_desk.people ADD PRIMARY KEY (id);
SELECT pprepub.create_publication('bad', 'regress_desk.people', 'id', '{"age <b>": "range"}', 'sick & tired', 'bpg', '{"k": 5, "l": 2, "repair": "dirty", "reserve": 1}', target => 'regress_desk_out') \g /dev/null
CREATE TABLE regress_desk.made AS SELECT id, int4range("age <b>", "age <b>" + 1) AS "age <b>", "sick & tired" FROM regress_desk.patients WHERE "age <b>" < 8;
SET client_min_messages = error;
\set ECHO all
SELECT number, kind FROM pprepub.import_release('bad', 'regress_desk.made', 'id');
RESET client_min_messages;
SELECT pprepub.report('bad') AS page \gset
SELECT xml_is_well_formed_document(replace(:'page', '<!DOCTYPE html>', '')) AS well_formed;
SELECT (regexp_match(:'page', '<p class="verdict[^>]*>[^<]*'))[1];
SELECT regexp_replace((regexp_matches(:'page', '<tr class="bad">.*?</tr>', 'g'))[1], '<[^>]*>', ' ', 'g') AS fails;

-- Loss by column is that of metrics().
CREATE FUNCTION regress_desk.text_of(page text) RETURNS text LANGUAGE sql AS $$ SELECT regexp_replace(page, '<[^>]*>', ' ', 'g') $$;
SELECT metric, round(value::numeric, 1) AS value FROM pprepub.metrics(:'name', 2) WHERE metric LIKE 'loss%';
SELECT pprepub.report(:'name') AS page \gset
SELECT regress_desk.text_of(substring(:'page' from '<h2 id="columns".*?</table>')) AS columns;
-- Answers, and how many are allowed
SELECT pprepub.alter_publication(:'name', '{"max_answers_per_role": 5}') \g /dev/null
SELECT replace(regress_desk.text_of(regexp_replace(substring(pprepub.report(:'name') from '<h2 id="answers".*?</table>'), '[0-9]{4}-[0-9]{2}-[0-9]{2}', 'DATE', 'g')), session_user, 'USER') AS askers;
-- A source that cannot be read any more: the page says so. What the source says is for the owner alone.
CREATE VIEW regress_desk.breaks AS SELECT id, "age <b>", "sick & tired" FROM regress_desk.patients;
SELECT pprepub.create_publication('breaks', 'regress_desk.breaks', 'id', '{"age <b>": "range"}', 'sick & tired', 'bpg', '{"k": 5}', target => 'regress_desk_out',
	beside => ARRAY[:'name']) \g /dev/null
SELECT number FROM pprepub.publish('breaks');
\set ECHO none
CREATE FUNCTION regress_desk.fail(id text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no such patient: %', id; END $$;
CREATE OR REPLACE VIEW regress_desk.breaks AS SELECT regress_desk.fail(id) AS id, "age <b>", "sick & tired" FROM regress_desk.patients;
SELECT pprepub.grant_audit('breaks', 'regress_report_auditor') \g /dev/null
SELECT pprepub.report('breaks') AS page, pprepub.report('breaks', true) AS internal \gset
SET ROLE regress_report_auditor;
SELECT pprepub.report('breaks') AS audited \gset
SET ROLE regress_report_owner;
\set ECHO all
SELECT xml_is_well_formed_document(replace(:'page', '<!DOCTYPE html>', '')) AS well_formed, :'page' ~ 'patient: KEY' AS told,
	regexp_replace(:'page', 'Made at [-0-9 :]*', '') = regexp_replace(:'audited', 'Made at [-0-9 :]*', '') AS same_page;
SELECT regress_desk.text_of((regexp_matches(:'page', '<p class="verdict[^>]*>[^<]*', 'g'))[1]);
SELECT check_name, required, regexp_replace(measured, 'KEY-[0-9]+', 'KEY') AS measured FROM pprepub.audit('breaks') WHERE NOT holds;
SELECT regexp_replace(regress_desk.text_of((regexp_matches(:'internal', '<p class="verdict[^>]*>[^<]*', 'g'))[1]), 'KEY-[0-9]+', 'KEY') AS told_the_owner;
\set ECHO none
CALL forget('breaks');
-- Other methods have pages, too.
CREATE TABLE regress_desk.others AS TABLE regress_desk.people;
ALTER TABLE regress_desk.others ADD PRIMARY KEY (id);
SET client_min_messages = error;
SELECT pprepub.create_publication('seq', 'regress_desk.others', 'id', '{"age <b>": "range"}', 'sick & tired', 'sequential', '{"k": 2}', target => 'regress_desk_out') \g /dev/null
SELECT pprepub.create_publication('inv', 'regress_desk.others', 'id', '{"age <b>": "range"}', 'sick & tired', 'm-invariance', '{"m": 2}', target => 'regress_desk_out', beside => '{seq}') \g /dev/null
SELECT pprepub.create_publication('glo', 'regress_desk.others', 'id', '{"age <b>": "range"}', 'sick & tired', 'global', '{"l": 2, "strategy": "constant-ratio", "releases": 1}', target => 'regress_desk_out', beside => '{seq,inv}') \g /dev/null
CREATE TABLE regress_desk.updates AS SELECT a AS from_value, b AS to_value FROM (SELECT DISTINCT "sick & tired" AS a FROM regress_desk.others) x, (SELECT DISTINCT "sick & tired" AS b FROM regress_desk.others) y WHERE a <> b;
SELECT pprepub.create_publication('dis', 'regress_desk.others', 'id', '{"age <b>": "range"}', 'sick & tired', 'm-distinct', '{"m": 2, "updates": "regress_desk.updates"}', target => 'regress_desk_out', beside => '{seq,inv,glo}') \g /dev/null
\set ECHO all
SELECT count(*) FROM (VALUES ('seq'), ('inv'), ('glo'), ('dis')) v (name), pprepub.publish(name);
SELECT name, xml_is_well_formed_document(replace(pprepub.report(name), '<!DOCTYPE html>', '')) AS well_formed FROM (VALUES ('seq'), ('inv'), ('glo'), ('dis')) v (name);
SELECT pprepub.drop_publication(name, true) FROM pprepub.publication WHERE target = 'regress_desk_out';
DROP SCHEMA regress_desk, regress_desk_out, regress_desk_out_private CASCADE;
RESET ROLE;
DROP OWNED BY regress_report_owner, regress_report_auditor, regress_report_stranger;
DROP ROLE regress_report_owner, regress_report_auditor, regress_report_stranger;

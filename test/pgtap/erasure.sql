-- Erasure: forget_person() puts a random number in place of a key wherever the history has it, and forget_releases() drops
-- tables of old releases. What was published stays, everybody else is protected as before, and nothing names who is gone.
CREATE FUNCTION broken(publication text) RETURNS text LANGUAGE sql AS
	$$ SELECT coalesce(string_agg(check_name, ' ' ORDER BY check_name), '') FROM pprepub.audit(publication) WHERE NOT holds $$;
CREATE FUNCTION error_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE sql;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws('|', SQLSTATE, SQLERRM, detail, hint);
END
$$;
-- Tables, statistics and files of schema TARGET_private that have a text anywhere.
CREATE FUNCTION places_of(word text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	t record;
	found boolean;
BEGIN
	FOR t IN SELECT c.oid, c.relkind, c.relname, pg_relation_filepath(c.oid) AS file FROM pg_class c
		WHERE c.relnamespace = 'published_private'::regnamespace AND c.relkind IN ('r', 'i')
			OR c.oid IN (SELECT reltoastrelid FROM pg_class WHERE relnamespace = 'published_private'::regnamespace) LOOP
		IF t.relkind = 'r' THEN
			EXECUTE format('SELECT EXISTS (SELECT FROM %s r WHERE strpos(r::text, %L) > 0)', t.oid::regclass, word) INTO found;
			IF found THEN RETURN NEXT 'rows of ' || t.relname; END IF;
		END IF;
		IF position(word::bytea IN pg_read_binary_file(t.file)) > 0 THEN RETURN NEXT 'file of ' || t.relname; END IF;
	END LOOP;
	RETURN QUERY SELECT 'statistics of ' || tablename FROM pg_stats s WHERE schemaname = 'published_private' AND strpos(s::text, word) > 0;
END
$$;

-- ---- Every method ----

CREATE TABLE people AS SELECT format('person-%s-', i) AS id, (i * 7) % 60 AS age, substr('FM', i % 2 + 1, 1) AS sex, 'd' || i % 7 AS ill FROM generate_series(1, 150) i;
CREATE TABLE updates AS SELECT 'd' || i AS from_value, 'd' || j AS to_value FROM generate_series(0, 6) i, generate_series(0, 6) j;
CREATE TABLE voters AS SELECT 'Voter ' || i AS id, i % 60 AS age, substr('FM', i % 2 + 1, 1) AS sex FROM generate_series(1, 150) i;
CREATE TABLE rare AS SELECT 'd1' AS ill;
CREATE TABLE result (what text, has text, wants text);
CREATE PROCEDURE live(method text, params jsonb) LANGUAGE plpgsql AS $fn$
DECLARE
	before text;
	who text;
	known bigint;
	again bigint;
BEGIN
	CREATE TABLE kept AS TABLE people;
	PERFORM pprepub.create_publication('lived', 'people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', method, params);
	PERFORM pprepub.publish('lived');
	DELETE FROM people WHERE id LIKE 'person-1_-';
	INSERT INTO people SELECT 'New ' || i, i, 'F', 'd' || i % 7 FROM generate_series(1, 30) i;
	PERFORM pprepub.publish('lived');
	CREATE TABLE out_before AS SELECT * FROM published.lived_1;
	before := (SELECT jsonb_agg(a ORDER BY a::text) FROM pprepub.attack('lived') a);
	CREATE TABLE members_before AS SELECT * FROM pprepub.class_members('lived');
	who := (SELECT min(key) FROM members_before WHERE key LIKE 'person-1_-');
	CREATE TABLE places_before AS SELECT places_of(who) AS p;
	known := pprepub.forget_person('lived', who, 'nobody', who);
	again := pprepub.forget_person('lived', who);
	INSERT INTO result VALUES (method || ': one of two was known', known, 1), (method || ': not for long', again, 0),
		(method || ': audit', broken('lived'), ''),
		(method || ': what observers can single out', (SELECT jsonb_agg(a ORDER BY a::text) FROM pprepub.attack('lived') a), before),
		(method || ': the release', (SELECT count(*) FROM (TABLE out_before EXCEPT ALL TABLE published.lived_1) d), 0),
		(method || ': one stranger in the person''s classes', (SELECT count(DISTINCT n.key) || ' ' || count(*) FROM members_before b
			JOIN pprepub.class_members('lived') n USING (release, class) WHERE b.key = who AND NOT EXISTS (SELECT FROM members_before o WHERE o.key = n.key)),
			(SELECT 1 || ' ' || count(*) FROM members_before WHERE key = who)),
		(method || ': others are who they were', (SELECT count(*) FROM (SELECT * FROM members_before WHERE key <> who EXCEPT SELECT * FROM pprepub.class_members('lived')) d), 0),
		(method || ': a key less', (SELECT string_agg(p, ', ') FROM places_of(who) p), NULL),
		(method || ': which was in rows', (SELECT bool_or(p LIKE 'rows of lived_members') FROM places_before), true),
		(method || ': no fold differs', (SELECT bool_and(equal) FROM pprepub.rebuild_history('lived')), CASE WHEN method IN ('bpg', 'm-invariance', 'm-distinct') THEN true END);
	DELETE FROM people WHERE id LIKE 'person-3_-';
	PERFORM pprepub.publish('lived');
	INSERT INTO result VALUES (method || ': audit of the next release', broken('lived'), ''),
		(method || ': tables go', split_part(error_of($$ SELECT pprepub.forget_releases('lived', 'infinity') $$), '|', 2), CASE method WHEN 'sequential' THEN 'releases of method "sequential" cannot be forgotten' ELSE '' END);
	PERFORM pprepub.publish('lived');
	INSERT INTO result VALUES (method || ': audit of one after that', broken('lived'), '');
	PERFORM pprepub.drop_publication('lived', true);
	TRUNCATE people;
	INSERT INTO people TABLE kept;
	DROP TABLE kept, out_before, members_before, places_before;
END
$fn$;
SELECT format('CALL live(%L, %L)', method, params) FROM (VALUES ('bpg', '{"k": 4, "l": 3}'), ('bpg', '{"k": 4, "l": 2, "repair": "dirty"}'), ('m-invariance', '{"m": 3}'), ('cor-split', '{"m": 3, "n": 2}'),
	('m-distinct', '{"m": 3, "updates": "updates"}'), ('sequential', '{"k": 2}'), ('global', '{"l": 2, "strategy": "constant-ratio", "releases": 4}'),
	('global', '{"l": 2, "strategy": "constant-ratio", "releases": 4, "transient": "rare", "registry": "voters"}')) m (method, params) \gexec
SELECT is(has, wants, what) FROM result;

-- ---- What is left in files and statistics ----

CREATE TABLE patients AS SELECT format('patient-%s-', i) AS id, i % 60 AS age, 'd' || i % 7 AS ill FROM generate_series(1, 300) i;
SELECT pprepub.create_publication('patients', 'patients', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2}') \g /dev/null
SELECT count(pprepub.publish('patients')) \g /dev/null
SELECT count(*) FROM published.patients('age < 30') \g /dev/null
DELETE FROM patients WHERE id = 'patient-120-';
SELECT count(pprepub.publish('patients')) \g /dev/null
ANALYZE published_private.patients_groups; ANALYZE published_private.patients_places;
CHECKPOINT;
SELECT set_eq($$ SELECT regexp_replace(places_of('patient-120-'), '.* of', 'in') $$, $$ VALUES ('in patients_members'), ('in patients_places'), ('in patients_groups'), ('in patients_asked') $$, 'a key is in files');
SELECT isnt_empty($$ SELECT FROM pg_stats WHERE schemaname = 'published_private' AND histogram_bounds::text LIKE '%patient-%' $$, 'and keys are in statistics');
SELECT throws_like($$ SELECT pprepub.forget_person('patients', 'patient-7-', 'patient-120-') $$, 'people who are to be forgotten are still in source "patients"', 'somebody is still there');
BEGIN;
SELECT is(pprepub.forget_person('patients', 'patient-120-'), 1::bigint, 'it can be undone');
ROLLBACK;
SELECT is((SELECT count(*) FROM pprepub.class_members('patients') WHERE key = 'patient-120-'), 2::bigint, 'as if nothing had been forgotten');
SELECT is(broken('patients'), '', 'and all is well');
CREATE FUNCTION prints(sign text) RETURNS int[] LANGUAGE sql AS $$ SELECT array_agg(DISTINCT p) FROM published_private.patients_members m, unnest(m.keys, m.fingerprints) u (k, p) WHERE k ~ sign $$;
CREATE TABLE printed AS SELECT prints('^patient-120-$') AS before;
SELECT is(pprepub.forget_person('patients', 'patient-120-'), 1::bigint, 'a person is forgotten');
SELECT is(cardinality(prints('^[0-9a-f]{8}-')) || ' ' || (before && prints('^[0-9a-f]{8}-') OR 0 = ANY (prints(''))), '1 false', 'a random number is in place of fingerprints') FROM printed;
SELECT is(count(*) > 0, true, 'answers go on') FROM published.patients('age < 30');
CHECKPOINT;
SELECT is_empty($$ SELECT places_of('patient-120-') $$, 'in all files');
SELECT is_empty($$ SELECT FROM pg_stats WHERE schemaname = 'published_private' AND histogram_bounds::text LIKE '%patient-%' $$, 'and no key stays in statistics');
SELECT is((SELECT string_agg(concat_ws(' ', publication, erased_by, people, releases), ',') FROM pprepub.erasure), format('patients %s 1', current_user), 'that is noted, not who it was');
SELECT is((SELECT required || '; ' || measured FROM pprepub.audit('patients') WHERE check_name = 'forgotten'), '0 release(s) without a table, which its owner had forgotten; 0, and 1 people whose keys are gone', 'audit() tells so');
SELECT matches(pprepub.report('patients'), '>forgotten</.*and 1 people whose keys are gone', 'and the report');
BEGIN;
SELECT count(pprepub.publish('patients')) \g /dev/null
DELETE FROM patients WHERE id IN ('patient-121-', 'patient-122-', 'patient-123-');
SELECT is(pprepub.forget_person('patients', 'patient-121-', 'patient-122-'), 2::bigint, 'in the transaction of a release');
SAVEPOINT a;
SELECT is(pprepub.forget_person('patients', 'patient-123-'), 1::bigint, 'in a part of it');
ROLLBACK TO a;
SELECT count(pprepub.publish('patients')) \g /dev/null
COMMIT;
SELECT is(broken('patients') || (SELECT equal FROM pprepub.rebuild_history('patients')), 'true', 'it is as the log tells');
SELECT is((SELECT count(DISTINCT key) FROM pprepub.class_members('patients') WHERE key ~ '-12[0-3]-$'), 1::bigint, 'and one is left of four');
SELECT throws_ok(format('%s published_private.patients_%s', sql, t), '55000', NULL, format('%s of %s is refused as before', sql, t))
FROM unnest('{TRUNCATE,DELETE FROM}'::text[]) sql, unnest('{members,groups,places}'::text[]) t;
SELECT is((SELECT count(*) FROM pg_trigger WHERE tgrelid::regclass::text LIKE 'published_private.patients%' AND tgname = 'pprepub_seal' AND tgenabled <> 'A'), 0::bigint, 'all seals are whole');

-- ---- Keys of every type ----

CREATE TYPE pair AS (hospital varchar(4), number int, note text);
CREATE TYPE colors AS ENUM ('red', 'green');
CREATE DOMAIN number AS bigint CHECK (VALUE > 0);
CREATE COLLATION whatever_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE cases (type text, key text, other text, wants text);
INSERT INTO cases VALUES
	('bigint', 'i', '17', '^-\d+$'), ('integer', 'i', '17', '^-\d+$'), ('smallint', '-i', '-17', '^-\d+$'), ('numeric(5)', 'i', '17.0', '^-\d+$'), ('number', 'i', '17', '^-\d+$'),
	('text', '''p'' || i', 'p17', '^[0-9a-f-]{36}$'), ('varchar(4)', '''p'' || i', 'p17', '^[0-9a-f-]{36}$'), ('char(4)', '''p'' || i', 'p17', '^[0-9a-f-]{36}$'),
	('text COLLATE whatever_case', '''p'' || i', 'P17', '^[0-9a-f-]{36}$'), ('uuid', 'md5(i::text)', md5('17'), '^[0-9a-f-]{36}$'),
	('bytea', 'sha256(i::text::bytea)', sha256('17')::text, '^\\x[0-9a-f]{64}$'), ('pair', 'ROW(''H'', i, NULL)', '(H,17,)', '^\(,-\d+,[0-9a-f-]{36}\)$'),
	('jsonb', 'jsonb_build_array(''H'', i)', '["H", 17]', '^"[0-9a-f-]{36}"$'), ('date', 'date ''2000-01-01'' + i', '2000-01-18', 'refused'), ('text[]', 'ARRAY[''p'' || i]', '{p17}', 'refused'), ('real', 'i', '17', 'refused');
CREATE PROCEDURE try_types() LANGUAGE plpgsql AS $fn$
DECLARE
	c cases;
	known bigint;
BEGIN
	FOR c IN TABLE cases LOOP
		EXECUTE format('CREATE TABLE typed AS SELECT (%s)::%s AS id, i %% 20 AS age, i %% 5 AS ill FROM generate_series(1, 60) i', c.key, c.type);
		PERFORM pprepub.create_publication('typed', 'typed', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3, "l": 2}');
		PERFORM pprepub.publish('typed');
		CREATE TABLE before AS SELECT id::text FROM typed;
		EXECUTE format('DELETE FROM typed WHERE id = (%s)::%s', quote_literal(c.other), c.type);
		IF c.wants = 'refused' THEN
			INSERT INTO result VALUES (c.type, left(error_of(format('SELECT pprepub.forget_person(''typed'', %L)', c.other)), 55), '0A000|nobody can be forgotten where keys have type ' || left(c.type, 4));
		ELSE
			known := pprepub.forget_person('typed', c.other);
			INSERT INTO result VALUES (c.type, known || ' ' || (SELECT string_agg((key ~ c.wants)::text, ' ') FROM pprepub.class_members('typed') WHERE key NOT IN (TABLE before))
				|| ' ' || broken('typed') || (SELECT equal FROM pprepub.rebuild_history('typed')), '1 true true');
		END IF;
		PERFORM pprepub.publish('typed');
		INSERT INTO result VALUES (c.type || ': the next release', broken('typed'), ''),
			(c.type || ': the history takes longer ones', (SELECT string_agg(attrelid::regclass || '.' || attname, ' ') FROM pg_attribute WHERE attrelid IN
				(SELECT oid FROM pg_class WHERE relname ~ '^typed_' AND relkind = 'r' AND relnamespace = 'published_private'::regnamespace) AND atttypmod >= 0), NULL);
		PERFORM pprepub.drop_publication('typed', true);
		DROP TABLE typed, before;
	END LOOP;
END
$fn$;
TRUNCATE result;
CALL try_types();
SELECT is(has, wants, what) FROM result;
-- Numbers of few values are drawn until one is nobody's, in the history or the source, and not for ever.
CREATE TABLE small AS SELECT i::smallint AS id, i % 20 AS age, i % 5 AS ill FROM generate_series(-32768, -8001) i;
SELECT pprepub.create_publication('small', 'small', 'id', '{"age": "suppress"}', 'ill', 'bpg', '{"k": 2, "l": 2}') \g /dev/null
SELECT count(pprepub.publish('small')) \g /dev/null
DELETE FROM small WHERE id = -32768;
SELECT is(pprepub.forget_person('small', '-32768'), 1::bigint, 'one of few is found');
SELECT is(broken('small'), '', 'which nobody has');
INSERT INTO small SELECT i, 1, 1 FROM generate_series(-8000, -1) i;
DELETE FROM small WHERE id = -32767;
SELECT throws_like($$ SELECT pprepub.forget_person('small', '-32767') $$, 'no numbers are left%', 'none is left');
SELECT pprepub.drop_publication('small', true) \g /dev/null

-- ---- Erasure as an attack ----

-- Releases to come are the same, whether people were forgotten or not: their places are free, as those of all who leave.
CREATE TABLE twins AS SELECT i AS id, i * 7 % 401 AS age, 'd' || i % 5 AS ill FROM generate_series(1, 200) i;
SELECT pprepub.create_publication('twin', 'twins', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2}') \g /dev/null
SELECT pprepub.create_publication('other', 'twins', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2}', beside => '{twin}') \g /dev/null
SELECT count(pprepub.publish(p)) FROM unnest('{twin,other}'::text[]) p \g /dev/null
DELETE FROM twins WHERE id % 10 = 3;
SELECT is(pprepub.forget_person('other', VARIADIC ARRAY(SELECT i::text FROM generate_series(3, 200, 10) i)), 20::bigint, 'twenty people at once');
INSERT INTO twins SELECT i, i * 7 % 401, 'd' || i % 5 FROM generate_series(301, 340) i;
SELECT count(pprepub.publish(p)) FROM unnest('{twin,other}'::text[]) p \g /dev/null
SELECT bag_eq('SELECT age::text, array_agg(ill ORDER BY ill) FROM published.other_2 GROUP BY class, age', 'SELECT age::text, array_agg(ill ORDER BY ill) FROM published.twin_2 GROUP BY class, age', 'the next release is the same');
-- Candidates stand in the order of keys, and those who were forgotten have others.
SELECT set_eq(format(q, 'other'), format(q, 'twin'), 'nobody else is compromised by it') FROM (VALUES ($$ SELECT c.key, c.release, s.*, exact, sensitive FROM pprepub.compromise(%L, ARRAY(SELECT i::text FROM generate_series(1, 60, 10) i)) c,
	LATERAL (SELECT ARRAY(SELECT unnest(c.candidates) ORDER BY 1), ARRAY(SELECT unnest(c.without_keys) ORDER BY 1)) s(candidates, others) WHERE c.key::int IN (SELECT id FROM twins) $$)) v(q);
SELECT is(broken('other'), '', 'and all is well');
-- Somebody who comes back is a stranger, who was known and is so no more: others keep what they were promised, that person does not.
INSERT INTO twins SELECT i, i * 7 % 401, 'd' || i % 5 FROM generate_series(3, 200, 10) i;
SELECT count(pprepub.publish('other')) \g /dev/null
SELECT is(broken('other'), '', 'people who come back are newcomers');
SELECT is((SELECT count(*) FILTER (WHERE key::int < 0) || ' ' || count(*) FILTER (WHERE key::int % 10 = 3) FROM pprepub.class_members('other') WHERE release = 1), '20 0', 'and nobody knows who they were');
SELECT is(error_of($$ SELECT pprepub.forget_person('other', '3') $$), '55000|people who are to be forgotten are still in source "twins"'
	'|The next release would show them as strangers, and nobody would know what others tell of them.|Delete their rows, or leave them out in a view, and call the function again.', 'they must leave first');
SELECT throws_ok($$ SELECT pprepub.forget_person('other', NULL::text) $$, '22004', 'a key must not be null', 'a key is asked for');
SELECT is(error_of($$ SELECT pprepub.forget_person('other', '77777') $$), error_of($$ SELECT pprepub.forget_person('other', '88888') $$), 'one that nobody has is no error');

-- ---- Several rows, imports, and registries ----

CREATE TABLE visits AS SELECT i % 40 AS patient, i % 40 / 2 AS age, 'd' || i % 7 AS ill FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('visits', 'visits', 'patient', '{"age": "range"}', 'ill', 'bpg', '{"k": 4, "l": 2}', rows => 'several') \g /dev/null
SELECT count(pprepub.publish('visits')) \g /dev/null
DELETE FROM visits WHERE patient = 7;
CREATE TABLE elsewhere AS SELECT DISTINCT patient, '[0,20)'::int4range AS age, 'd1' AS ill FROM visits WHERE patient < 20;
SELECT is(pprepub.forget_person('visits', '7'), 1::bigint, 'a person with several rows');
SELECT is(broken('visits') || (SELECT equal FROM pprepub.rebuild_history('visits')), 'true', 'is a person still');
SELECT count(pprepub.publish('visits')) \g /dev/null
SELECT is(broken('visits'), '', 'whose rows protect others');
SELECT pprepub.create_publication('imported', 'twins', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 2}', beside => '{twin,other}') \g /dev/null
CREATE TABLE elsewhere_too AS SELECT id, int4range(age / 10 * 10, age / 10 * 10 + 10) AS age, ill FROM twins;
SELECT count(pprepub.import_release('imported', 'elsewhere_too', 'id')) \g /dev/null
DELETE FROM twins WHERE id = 4;
SELECT is(pprepub.forget_person('imported', '4'), 1::bigint, 'in an import, too');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('imported') WHERE NOT holds AND check_name IN ('rows', 'checksums', 'invariant', 'remembered')), NULL, 'which is as it was');
SELECT pprepub.create_publication('counted', 'people', 'id', '{"age": "range", "sex": "suppress"}', 'ill', 'global',
	'{"l": 2, "strategy": "constant-ratio", "releases": 4, "transient": "rare", "registry": "voters"}') \g /dev/null
SELECT count(pprepub.publish('counted')) \g /dev/null
DELETE FROM voters WHERE id IN ('Voter 1', 'Voter 2');
SELECT throws_like($$ SELECT pprepub.forget_person('counted', 'Voter 1') $$, 'people who are to be forgotten are still in "registry"', 'a copy of a registry has them');
SELECT pprepub.alter_publication('counted', '{"registry": "voters"}') \g /dev/null
SELECT lives_ok($$ SELECT pprepub.forget_person('counted', 'Voter 1') $$, 'until it is copied again');

-- ---- Releases ----

SELECT count(pprepub.publish('other')) FROM generate_series(1, 2) \g /dev/null
SELECT count(pprepub.publish('other', 'age < 200')) \g /dev/null
SELECT count(pprepub.publish('other', columns => '{age}')) \g /dev/null
SELECT throws_ok($$ SELECT pprepub.forget_releases('other', NULL) $$, '22004', NULL, 'a time is asked for');
SELECT is(pprepub.forget_releases('other', '-infinity'), '{}', 'none is older');
CREATE VIEW on_top AS SELECT count(*) FROM published.other_1;
SELECT matches(error_of($$ SELECT pprepub.forget_releases('other', 'infinity') $$), '^2BP01.cannot drop.*view public.on_top.*Drop them first, or let them read published.other_all', 'a view reads one of them');
DROP VIEW on_top;
SELECT is(pprepub.forget_releases('other', (SELECT published_at FROM pprepub.release WHERE publication = 'other' AND number = 3)), '{1,2}', 'older releases are');
SELECT is(pprepub.forget_releases('other', 'infinity'), '{3,4,6}', 'the newest stays, and what NAME shows');
SELECT is(pprepub.forget_releases('other', 'infinity'), '{}', 'whenever it is asked');
SELECT is((SELECT array_agg(relname::text ORDER BY relname) FROM pg_class WHERE relnamespace = 'published'::regnamespace AND relname ~ '^other_\d+$'), '{other_5,other_7}', 'tables are gone');
SELECT set_eq('SELECT release, relation FROM published.other_releases', $$ VALUES (1, NULL), (2, NULL), (3, NULL), (4, NULL), (5, 'published.other_5'), (6, NULL), (7, 'published.other_7') $$, 'the list says so');
SELECT is((SELECT array_agg(DISTINCT release) FROM published.other_all), '{5}', 'NAME_all has the one that is left');
SELECT bag_eq('TABLE published.other', 'SELECT class, age, ill FROM published.other_5', 'NAME shows it');
SELECT lives_ok('TABLE published.other_values', 'NAME_values, too');
SELECT is(broken('other') || (SELECT equal FROM pprepub.rebuild_history('other')), 'true', 'the history is whole');
SELECT is((SELECT string_agg(required || ': ' || measured, '; ' ORDER BY check_name) FROM pprepub.audit('other') WHERE check_name IN ('forgotten', 'checksums')),
	'2 release(s) with the rows that they were published with: 2; 5 release(s) without a table, which its owner had forgotten: 5, and 20 people whose keys are gone', 'audit() says what it has not compared');
SELECT matches(error_of($$ SELECT * FROM published.other_counts('{age}', release => 1) $$), '^42704.publication "other" has no release 1 with a table..Its owner has had the table forgotten', 'no counts of a release that is gone');
SELECT is(error_of($$ SELECT * FROM published.other_counts('{age}', release => 99) $$), '42704|publication "other" has no release 99 with a table||other_releases lists those that have one.', 'nor of one that never was');
SELECT throws_ok(sql, '55000', 'the table of release 1 of publication "other" was forgotten', sql) FROM unnest(ARRAY[$$ SELECT * FROM pprepub.risks('other', 1) $$, $$ SELECT * FROM pprepub.linkability('other', '{1,5}') $$]) sql;
SELECT lives_ok(sql, sql) FROM unnest(ARRAY[$$ SELECT * FROM pprepub.linkability('other', NULL, 'mj') $$, $$ SELECT * FROM pprepub.attack('other') $$, $$ SELECT * FROM pprepub.linked_values('other') $$,
	$$ SELECT * FROM pprepub.metrics('other', 1) $$, $$ SELECT * FROM pprepub.preview('other') $$, $$ SELECT * FROM pprepub.storage $$, $$ SELECT * FROM pprepub.health $$]) sql;
SELECT unalike(pprepub.report('other'), '%could not be%', 'the report is whole');
SELECT count(pprepub.publish('other')) \g /dev/null
SELECT is(broken('other'), '', 'later releases are judged with all of them');
UPDATE pprepub_internal.catalog_release SET relation = NULL WHERE number = 5 AND publication = (SELECT publication FROM pprepub_internal.catalog_publication WHERE name = 'other');
SELECT is(broken('other'), 'forgotten', 'a table that is gone otherwise is found');

-- ---- Rights ----

CREATE ROLE regress_officer; CREATE ROLE regress_nobody;
SELECT pprepub.grant_audit('twin', 'regress_officer'), pprepub.grant_audit('other', 'regress_officer') \g /dev/null
SET ROLE regress_officer;
SELECT is((SELECT sum(people) FROM pprepub.erasure), 20::numeric, 'an auditor sees how many');
SELECT throws_ok(sql, '42501', NULL, 'and may not forget') FROM unnest(ARRAY[$$ SELECT pprepub.forget_person('twin', '3') $$, $$ SELECT pprepub.forget_releases('twin', now()) $$]) sql;
SET ROLE regress_nobody;
SELECT is_empty('TABLE pprepub.erasure', 'others see nothing');
RESET ROLE;
SELECT pprepub.revoke_audit('twin', 'regress_officer'), pprepub.revoke_audit('other', 'regress_officer') \g /dev/null
DROP ROLE regress_officer, regress_nobody;
-- A dump may leave a table out, which is not forgotten until its owner says so.
SELECT count(pprepub.publish('patients')) \g /dev/null
UPDATE pprepub_internal.catalog_release SET relation = 0::regclass WHERE number = 3 AND publication = (SELECT publication FROM pprepub_internal.catalog_publication WHERE name = 'patients');
SELECT is(broken('patients'), 'checksums rows', 'a table that is missing is found');
SELECT is(split_part(error_of(format('SELECT pprepub.manifest(%L, %s)', p, n)), '|', 4), hint, hint)
FROM (VALUES ('other', 1, 'Its owner has had the table forgotten.'), ('patients', 2, 'Answers have none; only releases with a table are moved elsewhere.'), ('patients', 3, 'The table is missing: restore it from a backup.')) v (p, n, hint);
SELECT is(3 = ANY (pprepub.forget_releases('patients', 'infinity')), true, 'and can be forgotten, too');
SELECT is(broken('patients'), '', 'as if it had been there');
SELECT pprepub.drop_publication('other', true) \g /dev/null
SELECT is_empty($$ SELECT FROM pprepub_internal.catalog_erasure WHERE publication NOT IN (SELECT publication FROM pprepub_internal.catalog_publication) $$, 'notes go with the publication');

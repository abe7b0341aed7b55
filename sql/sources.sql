-- Sources, and relations that share data with them.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
CREATE FUNCTION declare(name text, source regclass, beside name[] DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	PERFORM pprepub.create_publication(name, source, 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}', beside => beside);
	RETURN 'declared';
EXCEPTION WHEN object_in_use THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLERRM || ' / ' || detail;
END $$;

-- A partitioned table, and everything that reaches it.
CREATE TABLE people (id int, age int, disease text) PARTITION BY RANGE (id);
CREATE TABLE people_low PARTITION OF people FOR VALUES FROM (0) TO (50);
CREATE TABLE people_high PARTITION OF people FOR VALUES FROM (50) TO (100);
INSERT INTO people SELECT i, i, 'd' || i % 7 FROM generate_series(1, 99) i;
CREATE VIEW through_view AS SELECT * FROM people;
CREATE VIEW through_views AS SELECT * FROM through_view WHERE age > 10;
CREATE MATERIALIZED VIEW kept AS SELECT * FROM through_views;
CREATE VIEW through_kept AS SELECT * FROM kept;
CREATE VIEW through_subquery AS SELECT 1 AS id, 2 AS age, 'x' AS disease WHERE EXISTS (SELECT FROM people_low);
CREATE TABLE copied AS TABLE people;
\set ECHO all
SELECT declare('whole', 'people');
SELECT declare('again', 'people');
SELECT declare('part', 'people_low');
SELECT declare('view', 'through_view');
SELECT declare('views', 'through_views');
SELECT declare('kept', 'kept');
SELECT declare('through_kept', 'through_kept');
SELECT declare('subquery', 'through_subquery');
SELECT declare('copied', 'copied');
SELECT declare('beside', 'people', beside => '{whole}');
SELECT declare('third', 'people_high', beside => '{whole}');
SELECT rows FROM pprepub.publish('whole');
SELECT rows FROM pprepub.publish('copied');
SELECT pprepub.drop_publication('beside'), pprepub.drop_publication('copied', true), pprepub.drop_publication('whole', true);

-- The other way round: a partition first, its sibling and its parent then.
SELECT declare('low', 'people_low');
SELECT declare('high', 'people_high');
SELECT declare('whole', 'people');
SELECT declare('kept', 'kept');
-- Checked again at each release: what was apart may be so no more.
CREATE TABLE apart (id int, age int, disease text);
INSERT INTO apart SELECT i, i, 'd' || i % 7 FROM generate_series(100, 149) i;
SELECT declare('apart', 'apart');
ALTER TABLE people ATTACH PARTITION apart FOR VALUES FROM (100) TO (200);
SELECT pprepub.publish('apart');
SELECT pprepub.preview('apart');
SELECT pprepub.publish('low');
ALTER TABLE people DETACH PARTITION apart;
SELECT rows FROM pprepub.publish('apart');
SELECT pprepub.drop_publication('low'), pprepub.drop_publication('apart', true);

-- Lookup tables, which two publications share; what is shared besides is listed.
\set ECHO none
CREATE TABLE wards (id int PRIMARY KEY, ward text);
INSERT INTO wards SELECT i, 'w' || i FROM generate_series(1, 7) i;
CREATE TABLE patients (pid int PRIMARY KEY, age int, disease text, ward int REFERENCES wards);
CREATE TABLE staff (sid int PRIMARY KEY, age int, disease text, ward int REFERENCES wards);
CREATE TABLE visits (visit int PRIMARY KEY, who int REFERENCES patients, disease text);
INSERT INTO patients SELECT i, 20 + i % 50, 'd' || i % 7, 1 + i % 7 FROM generate_series(1, 200) i;
INSERT INTO staff SELECT i, 20 + i % 50, 'd' || i % 7, 1 + i % 7 FROM generate_series(1001, 1100) i;
INSERT INTO visits SELECT i, 1 + i % 200, 'd' || i % 7 FROM generate_series(10001, 10400) i;
CREATE VIEW patients_seen AS SELECT pid AS id, age, disease, w.ward FROM patients p JOIN wards w ON w.id = p.ward;
CREATE VIEW staff_seen AS SELECT sid AS id, age, disease, w.ward FROM staff s JOIN wards w ON w.id = s.ward;
CREATE VIEW visits_seen AS SELECT visit AS id, p.age, v.disease, w.ward FROM visits v JOIN patients p ON p.pid = v.who JOIN wards w ON w.id = p.ward;
CREATE MATERIALIZED VIEW seen_people AS SELECT pid AS id, age, disease FROM patients;
CREATE VIEW nobody_seen AS SELECT * FROM staff_seen WHERE id < 0;
CREATE FUNCTION looked_up(source regclass, lookup regclass[], name text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	PERFORM pprepub.create_publication(coalesce(name, source::text), source, 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}', lookup => lookup);
	RETURN 'declared';
EXCEPTION WHEN others THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLERRM || ' / ' || detail;
END $$;
\set ECHO all
SELECT looked_up('patients_seen', '{}');
SELECT looked_up('staff_seen', '{}');
SELECT looked_up('visits_seen', '{}');
SELECT looked_up('visits_seen', '{wards}');
-- People are no lookup table, by whatever name.
SELECT looked_up('visits_seen', '{wards, patients}');
ALTER TABLE patients RENAME TO seen;
SELECT looked_up('visits_seen', '{wards, seen}');
ALTER TABLE visits DROP CONSTRAINT visits_who_fkey;
SELECT looked_up('visits_seen', '{wards, seen}');
SELECT looked_up('staff_seen', '{wards, staff}');
SELECT looked_up('staff', '{wards, staff}');
SELECT looked_up('nobody_seen', '{wards}');
-- Nor the other way round, where the one who says so comes first.
CALL forget('patients_seen');
SELECT looked_up('visits_seen', '{wards, seen}');
SELECT looked_up('seen_people', '{}');
SELECT looked_up('patients_seen', '{}');
CALL forget('visits_seen');
SELECT looked_up('patients_seen', '{}');
SELECT looked_up('staff_seen', '{wards, patients_seen}');
SELECT looked_up('staff_seen', '{wards, people_low}');
SELECT looked_up('staff_seen', '{NULL}');
SELECT looked_up('staff_seen', '{wards, 0}');
SELECT looked_up('staff_seen', '{wards}');
SELECT name, lookup FROM pprepub.publication ORDER BY name;
SELECT rows > 0 AS published FROM pprepub.publish('staff_seen');
SELECT rows > 0 AS published FROM pprepub.publish('patients_seen');
SELECT check_name, required, measured, holds FROM pprepub.audit('staff_seen') WHERE check_name IN ('lookup', 'beside');
SELECT check_name, required, measured, holds FROM pprepub.audit('patients_seen') WHERE check_name IN ('lookup', 'beside');
SELECT pprepub.report('staff_seen') LIKE '%taken to hold no people%wards}%' AS reported;
-- It is kept, whatever its name; and if people come in, the audit tells.
DROP TABLE wards CASCADE;
ALTER TABLE wards RENAME TO units;
SELECT rows > 0 AS published FROM pprepub.publish('staff_seen');
SELECT lookup FROM pprepub.publication WHERE name = 'staff_seen';
INSERT INTO units SELECT pid FROM seen ON CONFLICT DO NOTHING;
SELECT check_name, measured, holds FROM pprepub.audit('patients_seen') WHERE check_name = 'lookup';
SELECT pprepub.alter_publication('staff_seen', '{"lookup": []}');
CALL forget('staff_seen');
SELECT looked_up('staff_seen', '{}');
\set ECHO none
CALL forget('patients_seen');
DROP VIEW patients_seen, staff_seen, visits_seen, nobody_seen CASCADE;
DROP TABLE units, seen, staff, visits CASCADE;
DROP FUNCTION looked_up;

-- Plain inheritance; a parent shows its children's rows.
CREATE TABLE parent (id int, age int, disease text);
CREATE TABLE child (more text) INHERITS (parent);
INSERT INTO parent SELECT i, i, 'p' FROM generate_series(1, 5) i;
INSERT INTO child SELECT i, i, 'c' FROM generate_series(6, 10) i;
\set ECHO all
SELECT declare('parent', 'parent');
SELECT declare('child', 'child');
SELECT rows FROM pprepub.publish('parent');
\set ECHO none
CALL forget('parent');

-- A foreign table.
RESET ROLE;
CREATE FOREIGN DATA WRAPPER nothing;
CREATE SERVER nowhere FOREIGN DATA WRAPPER nothing;
GRANT USAGE ON FOREIGN SERVER nowhere TO regress_owner;
SET ROLE regress_owner;
CREATE FOREIGN TABLE far (id int, age int, disease text) SERVER nowhere;
\set ECHO all
SELECT declare('far', 'far');
SELECT pprepub.publish('far');
CALL forget('far');

-- Columns: dropped, generated, identity.
CREATE TABLE odd (gone int, id int GENERATED ALWAYS AS IDENTITY, born int, gone2 text,
	age int GENERATED ALWAYS AS (2024 - born) STORED, disease text DEFAULT 'none', secret text);
ALTER TABLE odd DROP COLUMN gone, DROP COLUMN gone2;
INSERT INTO odd (born, disease, secret) SELECT 2000 - i, 'd' || i % 3, 'never leaves' FROM generate_series(1, 10) i;
SELECT declare('odd', 'odd');
SELECT rows FROM pprepub.publish('odd');
SELECT age, count(*) FROM published.odd GROUP BY age ORDER BY age;
SELECT attname FROM pg_attribute WHERE attrelid = 'published.odd_1'::regclass AND attnum > 0;
\set ECHO none
CALL forget('odd');

-- Keys of any type that can be hashed and sorted.
CREATE FUNCTION key_type(type text, make text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('CREATE TABLE keyed AS SELECT %s::%s AS id, i AS age, i AS disease FROM generate_series(1, 10) i', make, type);
	PERFORM declare('keyed', 'keyed');
	PERFORM pprepub.publish('keyed');
	EXECUTE format('SELECT count(DISTINCT m.key) || '' people, '' || left(min(m.key), 30) || '' … '' || left(max(m.key), 30)
		FROM pprepub.class_members(''keyed'') m JOIN keyed k ON k.id = m.key::%s', type) INTO result;
	PERFORM pprepub.drop_publication('keyed', true);
	DROP TABLE keyed;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
CREATE TYPE pair AS (a int, b text);
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
\set ECHO all
SELECT type, key_type(type, make) FROM (VALUES
	('smallint', 'i'), ('bigint', '(i * 10000000000)'), ('numeric', '(i / 7.0)'), ('text', '(repeat(''x'', 3000) || i)'),
	('char(5)', 'i'), ('uuid', 'md5(i::text)'), ('bytea', '(''\x0'' || i % 10)'), ('date', '(date ''2024-01-01'' + i)'),
	('int[]', 'ARRAY[i, NULL]'), ('jsonb', 'jsonb_build_object(''a'', i)'), ('pair', 'ROW(i, ''x'')'),
	('double precision', '(i * 0.1)'), ('inet', '(''10.0.0.'' || i)'), ('mood', '(ARRAY[''sad'', ''ok''])[1 + i % 2]'),
	('int4range', 'int4range(i, i + 1)'), ('json', '''1''')) t (type, make);
-- Keys that are equal are one person, however they are written.
SELECT key_type('numeric', 'CASE WHEN i < 3 THEN (''1.'' || repeat(''0'', i))::numeric ELSE i END');
SELECT key_type('double precision', 'CASE i WHEN 1 THEN ''-0''::float8 WHEN 2 THEN 0 ELSE i END');
SELECT key_type('char(5)', 'CASE i WHEN 1 THEN ''a'' WHEN 2 THEN ''a  '' ELSE i::text END');

-- Sensitive values likewise: a class needs two that differ.
CREATE TABLE same AS SELECT i AS id, i AS age, ('1.' || repeat('0', i))::numeric AS disease FROM generate_series(1, 4) i;
SELECT pprepub.create_publication('same', 'same', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 2, "l": 2}');
SELECT pprepub.publish('same');
CALL forget('same');

-- Somebody else's table, though it may be read.
GRANT SELECT ON copied TO regress_other;
SET ROLE regress_other;
SELECT pprepub.create_publication('stolen', 'copied', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}');
CREATE VIEW mine AS SELECT * FROM copied;
SELECT pprepub.create_publication('mine', 'mine', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}');
SET ROLE regress_other;
CREATE SCHEMA others;
SELECT pprepub.create_publication('mine', 'mine', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5}', target => 'others');
SELECT rows FROM pprepub.publish('mine');		-- he sees those rows anyway
\set ECHO none
CALL forget('mine');
SET ROLE regress_owner;
REVOKE SELECT ON copied FROM regress_other;

-- Row security that hides rows from the owner is an error, not a smaller release.
ALTER TABLE copied ENABLE ROW LEVEL SECURITY;
ALTER TABLE copied FORCE ROW LEVEL SECURITY;
\set ECHO all
SELECT declare('copied', 'copied');
SELECT pprepub.publish('copied');
ALTER TABLE copied NO FORCE ROW LEVEL SECURITY;
SELECT rows FROM pprepub.publish('copied');
\set ECHO none
CALL public.clean();
RESET ROLE;
DROP SERVER nowhere CASCADE;
DROP FOREIGN DATA WRAPPER nothing;

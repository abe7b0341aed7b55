-- Parameter "leaves" of method bpg: newcomers are laid out by a column that tells who leaves together.
\set ECHO none
\pset format unaligned \t on \pset recordsep ' ; '
SET ROLE regress_owner;
SET client_min_messages = warning;
CREATE TABLE stays (id int PRIMARY KEY, age int, disease text, ward text, until date, photo point, notes json);
INSERT INTO stays SELECT i, i * 37 % 80, 'd' || i % 5, 'w' || i % 3, date '2026-01-01' + i / 10 * 30 FROM generate_series(0, 79) i;
\set params '{"k": 4, "l": 2, "repair": "dirty", "reserve": 1, "leaves": "until"}'

-- The column is read, and is no column of the publication: neither shown, nor asked about, nor told to anybody.
SELECT pprepub.create_publication('stays', 'stays', 'id', '{"age": "range"}', 'disease', 'bpg', :'params', '{ward}') \g /dev/null
\set ECHO all
SELECT regexp_replace(pg_get_viewdef('published_private.stays_source'), '\m(patients|stays)\.', '', 'g') AS source;
SELECT params, quasi_identifiers, insensitive FROM pprepub.publication;
SELECT rows, suppressed, counterfeits FROM pprepub.publish('stays');
SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'published.stays_1'::regclass AND attnum > 0 ORDER BY attnum;
SELECT pprepub.publish('stays', 'until > ''2026-03-01''');
SELECT pprepub.publish('stays', NULL, '{until}');
SELECT * FROM published.stays('until IS NULL');
SELECT attrelid::regclass FROM pg_attribute WHERE attnum > 0 AND attname = 'until' AND attrelid::regclass::text LIKE 'published%';

-- Each class leaves as a whole.
SELECT count(*) AS classes, count(*) FILTER (WHERE first = last) AS of_one_date FROM (
	SELECT min(until) AS first, max(until) AS last FROM pprepub.class_members('stays') m JOIN stays s ON s.id = m.key::int GROUP BY class) c;

-- So nobody is withheld while the window slides, and an answer lays newcomers out, too.
INSERT INTO stays SELECT i, i * 37 % 80, 'd' || i % 5, 'w' || i % 3, date '2026-01-01' + i / 10 * 30 FROM generate_series(80, 89) i;
DELETE FROM stays WHERE id < 10;
SELECT rows, suppressed, counterfeits FROM pprepub.publish('stays');
INSERT INTO stays SELECT i, i * 37 % 80, 'd' || i % 5, 'w' || i % 3, date '2026-01-01' + i / 10 * 30 FROM generate_series(90, 119) i;
DELETE FROM stays WHERE id < 20;
SELECT rows FROM pprepub.publish('stays');
SELECT count(*) AS classes, count(*) FILTER (WHERE first = last) AS of_one_date FROM (
	SELECT min(until) AS first, max(until) AS last FROM pprepub.class_members('stays') m JOIN stays s ON s.id = m.key::int WHERE release = 3 GROUP BY class) c;
SELECT * FROM pprepub.audit('stays') WHERE NOT holds;

-- It follows a rename, can be another one, and none.
ALTER TABLE stays RENAME COLUMN until TO discharged;
SELECT rows, suppressed FROM pprepub.publish('stays');
SELECT pprepub.alter_publication('stays', '{"leaves": "discharged"}') \g /dev/null
SELECT params FROM pprepub.publication;
ALTER TABLE stays RENAME COLUMN age TO years;
SELECT pprepub.alter_publication('stays', '{"leaves": "years"}') \g /dev/null
SELECT params FROM pprepub.publication;
SELECT pprepub.alter_publication('stays', '{"leaves": "ward"}') \g /dev/null
SELECT pprepub.alter_publication('stays', '{"leaves": null, "repair": "counterfeit"}') \g /dev/null
SELECT params FROM pprepub.publication;
SELECT rows, suppressed FROM pprepub.publish('stays');
SELECT pprepub.alter_publication('stays', '{"reserve": 2}') \g /dev/null
SELECT params FROM pprepub.publication;
CALL forget('stays');

-- It can be declared late: the pinned view gets the column, under names that it had, and stays its owner's.
SELECT pprepub.create_publication('stays', 'stays', 'id', '{"years": "range"}', 'disease', 'bpg', '{"k": 4, "l": 2}') \g /dev/null
ALTER TABLE stays RENAME COLUMN years TO age;
SELECT rows FROM pprepub.publish('stays');
SELECT pprepub.preview('stays', params => '{"leaves": "discharged"}');
SELECT value FROM pprepub.preview('stays', params => '{"leaves": "years"}') WHERE metric = 'rows';
SELECT pprepub.alter_publication('stays', '{"leaves": "discharged"}') \g /dev/null
SELECT regexp_replace(pg_get_viewdef('published_private.stays_source'), '\m(patients|stays)\.', '', 'g') AS source;
SELECT relowner::regrole, relacl FROM pg_class WHERE oid = 'published_private.stays_source'::regclass;
SELECT rows, suppressed FROM pprepub.publish('stays');
SELECT pprepub.alter_publication('stays', '{"leaves": "ward"}') \g /dev/null
SELECT pprepub.alter_publication('stays', '{"leaves": "discharged"}') \g /dev/null
RESET ROLE;
SELECT position, name, role FROM pprepub_internal.catalog_column ORDER BY 1;
SET ROLE regress_owner;
ALTER TABLE stays ALTER COLUMN discharged TYPE timestamp;
ALTER TABLE stays DROP COLUMN discharged;
CREATE OR REPLACE VIEW published_private.stays_source AS SELECT id, age AS years, disease, discharged, ward FROM stays;

-- Refused, when declared and later.
SELECT pprepub.alter_publication('stays', '{"leaves": "no"}');
SELECT pprepub.alter_publication('stays', '{"leaves": "id"}');
SELECT pprepub.alter_publication('stays', '{"leaves": "disease"}');
SELECT pprepub.alter_publication('stays', '{"leaves": "photo"}');
SELECT pprepub.alter_publication('stays', '{"leaves": "notes"}');
SELECT pprepub.alter_publication('stays', '{"leaves": ""}');
SELECT pprepub.alter_publication('stays', '{"leaves": ["ward"]}');
SELECT pprepub.alter_publication('stays', '{"leaves": "ctid"}');
SELECT pprepub.alter_publication('stays', '{"k": null}');
SELECT params FROM pprepub.publication;
CALL forget('stays');
CREATE FUNCTION try(leaves text) RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication('tried', 'stays', 'id', '{"age": "range"}', 'disease', 'bpg', jsonb_build_object('k', 4, 'leaves', leaves))
$$;
SELECT try('no');
SELECT try('id');
SELECT try('disease');
SELECT try('photo');
SELECT try(NULL);
SELECT params FROM pprepub.publication;
CALL forget('tried');
SELECT pprepub.create_publication('tried', 'stays', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 2, "leaves": "ward"}');

-- A quasi-identifier that a release does not show lays it out all the same, and withholds nothing of an answer.
SELECT pprepub.create_publication('stays', 'stays', 'id', '{"age": "range", "discharged": "range"}', 'disease', 'bpg', '{"k": 4, "l": 2, "leaves": "discharged"}') \g /dev/null
SELECT rows, suppressed FROM pprepub.publish('stays', NULL, '{age,disease}');
SELECT count(*) AS classes, count(*) FILTER (WHERE first = last) AS of_one_date FROM (
	SELECT min(discharged) AS first, max(discharged) AS last FROM pprepub.class_members('stays') m JOIN stays s ON s.id = m.key::int GROUP BY class) c;
CALL forget('stays');

-- Any type with an order will do, and a domain over one; NULLs stand apart.
CREATE DOMAIN slot AS int[];
CREATE TABLE slots (id int, age int, disease text, slot slot);
INSERT INTO slots SELECT i, i % 7, 'd' || i % 5, CASE WHEN i % 4 > 0 THEN ARRAY[i % 4, 1] END FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('slots', 'slots', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 4, "l": 2, "leaves": "slot"}') \g /dev/null
SELECT rows, suppressed FROM pprepub.publish('slots');
SELECT count(*) AS classes, count(*) FILTER (WHERE slots = 1) AS of_one_slot FROM (
	SELECT count(DISTINCT coalesce(slot, '{}')) AS slots FROM pprepub.class_members('slots') m JOIN slots s ON s.id = m.key::int GROUP BY class) c;
CALL public.clean();

-- Parameter "leaves" of method bpg: newcomers are laid out by a column that tells who leaves together.
\i test/lib/told.sql
CREATE ROLE regress_leaver;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_leaver', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO regress_leaver;
SET ROLE regress_leaver;
CREATE TABLE stays (id int PRIMARY KEY, age int, disease text, ward text, until date, photo point, notes json);
INSERT INTO stays SELECT i, i * 37 % 80, 'd' || i % 5, 'w' || i % 3, date '2026-01-01' + i / 10 * 30 FROM generate_series(0, 79) i;
\set params '{"k": 4, "l": 2, "repair": "dirty", "reserve": 1, "leaves": "until"}'

-- The column is read, and is no column of the publication: neither shown, nor asked about, nor told to anybody.
SELECT pprepub.create_publication('stays', 'stays', 'id', '{"age": "range"}', 'disease', 'bpg', :'params', '{ward}') \g /dev/null
SELECT is(told($$SELECT regexp_replace(pg_get_viewdef('published_private.stays_source'), '(\m(patients|stays)\.|\s)+', ' ', 'g') AS source$$), ' SELECT id, age, disease, ward, until FROM stays;');
SELECT is(told($$SELECT params, quasi_identifiers, insensitive FROM pprepub.publication$$), '"{""k"": 4, ""l"": 2, ""ties"": ""worlds"", ""leaves"": ""until"", ""repair"": ""dirty"", ""reserve"": 1, ""max_added"": 0.5, ""max_answers_per_statement"": 1}","{""age"": ""range""}",{ward}');
SELECT is(told($$SELECT rows, suppressed, counterfeits FROM pprepub.publish('stays')$$), '80,0,0');
SELECT is(told($$SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = 'published.stays_1'::regclass AND attnum > 0 ORDER BY attnum$$), 'class,bigint; age,int4range; disease,text; ward,text');
SELECT is(told($$SELECT pprepub.publish('stays', 'until > ''2026-03-01''')$$), '42703 cohorts of publication "stays" have no column "until" / They may ask about "age", "ward". A value is written in single quotes.');
SELECT is(told($$SELECT pprepub.publish('stays', NULL, '{until}')$$), '42703 publication "stays" has no column "until" / Its releases can show "age", "disease", "ward".');
SELECT is(told($$SELECT * FROM published.stays ('until IS NULL')$$), '42703 cohorts of publication "stays" have no column "until" / They may ask about "age", "ward". A value is written in single quotes.');
SELECT is(told($$SELECT attrelid::regclass FROM pg_attribute WHERE attnum > 0 AND attname = 'until' AND attrelid::regclass::text LIKE 'published%'$$), 'published_private.stays_source');

-- Each class leaves as a whole.
SELECT is(told($$SELECT count(*) AS classes, count(*) FILTER (WHERE first = last) AS of_one_date FROM (
	SELECT min(until) AS first, max(until) AS last FROM pprepub.class_members('stays') m JOIN stays s ON s.id = m.key::int GROUP BY class) c$$), '16,16');

-- So nobody is withheld while the window slides, and an answer lays newcomers out, too.
INSERT INTO stays SELECT i, i * 37 % 80, 'd' || i % 5, 'w' || i % 3, date '2026-01-01' + i / 10 * 30 FROM generate_series(80, 89) i;
DELETE FROM stays WHERE id < 10;
SELECT is(told($$SELECT rows, suppressed, counterfeits FROM pprepub.publish('stays')$$), '80,0,0');
INSERT INTO stays SELECT i, i * 37 % 80, 'd' || i % 5, 'w' || i % 3, date '2026-01-01' + i / 10 * 30 FROM generate_series(90, 119) i;
DELETE FROM stays WHERE id < 20;
SELECT is(told($$SELECT rows FROM pprepub.publish('stays')$$), '100');
SELECT is(told($$SELECT count(*) AS classes, count(*) FILTER (WHERE first = last) AS of_one_date FROM (
	SELECT min(until) AS first, max(until) AS last FROM pprepub.class_members('stays') m JOIN stays s ON s.id = m.key::int WHERE release = 3 GROUP BY class) c$$), '20,20');
SELECT is(told($$SELECT * FROM pprepub.audit('stays') WHERE NOT holds$$), 'no rows');

-- It follows a rename, can be another one, and none.
ALTER TABLE stays RENAME COLUMN until TO discharged;
SELECT is(told($$SELECT rows, suppressed FROM pprepub.publish('stays')$$), '100,0');
SELECT pprepub.alter_publication('stays', '{"leaves": "discharged"}') \g /dev/null
SELECT is(told($$SELECT params FROM pprepub.publication$$), '{"k": 4, "l": 2, "ties": "worlds", "leaves": "until", "repair": "dirty", "reserve": 1, "max_added": 0.5, "max_answers_per_statement": 1}');
ALTER TABLE stays RENAME COLUMN age TO years;
SELECT pprepub.alter_publication('stays', '{"leaves": "years"}') \g /dev/null
SELECT is(told($$SELECT params FROM pprepub.publication$$), '{"k": 4, "l": 2, "ties": "worlds", "leaves": "age", "repair": "dirty", "reserve": 1, "max_added": 0.5, "max_answers_per_statement": 1}');
SELECT pprepub.alter_publication('stays', '{"leaves": "ward"}') \g /dev/null
SELECT pprepub.alter_publication('stays', '{"leaves": null, "repair": "counterfeit"}') \g /dev/null
SELECT is(told($$SELECT params FROM pprepub.publication$$), '{"k": 4, "l": 2, "ties": "worlds", "repair": "counterfeit", "reserve": 1, "max_added": 0.5, "max_answers_per_statement": 1}');
SELECT is(told($$SELECT rows, suppressed FROM pprepub.publish('stays')$$), '100,0');
SELECT pprepub.alter_publication('stays', '{"reserve": 2}') \g /dev/null
SELECT is(told($$SELECT params FROM pprepub.publication$$), '{"k": 4, "l": 2, "ties": "worlds", "repair": "counterfeit", "reserve": 2, "max_added": 0.5, "max_answers_per_statement": 1}');
SELECT pprepub.drop_publication('stays', true);

-- It can be declared late: the pinned view gets the column, under names that it had, and stays its owner's.
SELECT pprepub.create_publication('stays', 'stays', 'id', '{"years": "range"}', 'disease', 'bpg', '{"k": 4, "l": 2}') \g /dev/null
ALTER TABLE stays RENAME COLUMN years TO age;
SELECT is(told($$SELECT rows FROM pprepub.publish('stays')$$), '100');
SELECT is(told($$SELECT pprepub.preview('stays', params => '{"leaves": "discharged"}')$$), '0A000 a preview cannot lay newcomers out by column "discharged" / It would have to be added to what the publication reads, and a preview changes nothing. / Declare it with pprepub.alter_publication() first.');
SELECT is(told($$SELECT value FROM pprepub.preview('stays', params => '{"leaves": "years"}') WHERE metric = 'rows'$$), '100');
SELECT pprepub.alter_publication('stays', '{"leaves": "discharged"}') \g /dev/null
SELECT is(told($$SELECT regexp_replace(pg_get_viewdef('published_private.stays_source'), '(\m(patients|stays)\.|\s)+', ' ', 'g') AS source$$), ' SELECT id, age AS years, disease, discharged FROM stays;');
SELECT is(told($$SELECT relowner::regrole, relacl FROM pg_class WHERE oid = 'published_private.stays_source'::regclass$$), 'regress_leaver,');
SELECT is(told($$SELECT rows, suppressed FROM pprepub.publish('stays')$$), '100,0');
SELECT pprepub.alter_publication('stays', '{"leaves": "ward"}') \g /dev/null
SELECT pprepub.alter_publication('stays', '{"leaves": "discharged"}') \g /dev/null
RESET ROLE;
SELECT is(told($$SELECT position, name, role FROM pprepub_internal.catalog_column ORDER BY 1$$), '1,id,key; 2,years,quasi-identifier; 3,disease,sensitive; 4,discharged,layout; 5,ward,layout');
SET ROLE regress_leaver;
SELECT is(rtrim(told($$ALTER TABLE stays ALTER COLUMN discharged TYPE timestamp$$), '.'), '0A000 cannot alter type of a column used by a view or rule / rule _RETURN on view published_private.stays_source depends on column "discharged"');
SELECT is(told($$ALTER TABLE stays DROP COLUMN discharged$$), '2BP01 cannot drop column discharged of table stays because other objects depend on it / view published_private.stays_source depends on column discharged of table stays / Use DROP ... CASCADE to drop the dependent objects too.');
SELECT is(told($$CREATE OR REPLACE VIEW published_private.stays_source AS SELECT id, age AS years, disease, discharged, ward FROM stays$$), '55000 CREATE VIEW would change what was made for publication "stays" / Releases and their history stay as they are. pprepub.drop_publication(name, forget_history => true) drops a publication with all that was made for it.');

-- Refused, when declared and later.
SELECT is(told($$SELECT pprepub.alter_publication('stays', '{"leaves": "no"}')$$), '42703 column "no" of relation "stays" does not exist / Its columns are "id", "age", "disease", "ward", "discharged", "photo", "notes".');
SELECT is(told($$SELECT pprepub.alter_publication('stays', '{"leaves": "id"}')$$), '42611 parameter "leaves" cannot name the key "id" / It differs for everybody, so no two people share a value. / It names a quasi-identifier, an insensitive column, or a column without a role.');
SELECT is(told($$SELECT pprepub.alter_publication('stays', '{"leaves": "disease"}')$$), '42611 parameter "leaves" cannot name the sensitive column "disease" / Classes would be formed by the values that they hide. / It names a quasi-identifier, an insensitive column, or a column without a role.');
SELECT is(told($$SELECT pprepub.alter_publication('stays', '{"leaves": "photo"}')$$), '42804 parameter "leaves" cannot name column "photo" of type point / Its type lacks operators for sorting. / Declare a view that casts the column, for example to date or integer.');
SELECT is(told($$SELECT pprepub.alter_publication('stays', '{"leaves": "notes"}')$$), '42804 parameter "leaves" cannot name column "notes" of type json / Its type lacks operators for sorting. / Declare a view that casts the column, for example to date or integer.');
SELECT is(told($$SELECT pprepub.alter_publication('stays', '{"leaves": ""}')$$), '22023 invalid value for parameter "leaves" / It must be the name of a column or null.');
SELECT is(told($$SELECT pprepub.alter_publication('stays', '{"leaves": ["ward"]}')$$), '22023 invalid value for parameter "leaves" / It must be the name of a column or null.');
SELECT is(told($$SELECT pprepub.alter_publication('stays', '{"leaves": "ctid"}')$$), '42703 column "ctid" of relation "stays" does not exist / Its columns are "id", "age", "disease", "ward", "discharged", "photo", "notes".');
SELECT is(told($$SELECT pprepub.alter_publication('stays', '{"k": null}')$$), '22023 invalid value for parameter "k" / It must be an integer from 1 to 2147483647.');
SELECT is(told($$SELECT params FROM pprepub.publication$$), '{"k": 4, "l": 2, "ties": "worlds", "leaves": "discharged", "repair": "counterfeit", "reserve": 2, "max_added": 0.5, "max_answers_per_statement": 1}');
SELECT pprepub.drop_publication('stays', true);
CREATE FUNCTION try(leaves text) RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication('tried', 'stays', 'id', '{"age": "range"}', 'disease', 'bpg', jsonb_build_object('k', 4, 'leaves', leaves))
$$;
SELECT is(told($$SELECT try('no')$$), '42703 column "no" of relation "stays" does not exist / Its columns are "id", "age", "disease", "ward", "discharged", "photo", "notes".');
SELECT is(told($$SELECT try('id')$$), '42611 parameter "leaves" cannot name the key "id" / It differs for everybody, so no two people share a value. / It names a quasi-identifier, an insensitive column, or a column without a role.');
SELECT is(told($$SELECT try('disease')$$), '42611 parameter "leaves" cannot name the sensitive column "disease" / Classes would be formed by the values that they hide. / It names a quasi-identifier, an insensitive column, or a column without a role.');
SELECT is(told($$SELECT try('photo')$$), '42804 parameter "leaves" cannot name column "photo" of type point / Its type lacks operators for sorting. / Declare a view that casts the column, for example to date or integer.');
SELECT try(NULL);
SELECT is(told($$SELECT params FROM pprepub.publication$$), '{"k": 4, "l": 1, "ties": "worlds", "repair": "counterfeit", "reserve": 2, "max_added": 0.5, "max_answers_per_statement": 1}');
SELECT pprepub.drop_publication('tried', true);
SELECT is(told($$SELECT pprepub.create_publication('tried', 'stays', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 2, "leaves": "ward"}')$$), '22023 unknown parameter "leaves" for method "m-invariance" / Parameters of method "m-invariance": "m" (required), "accept_insensitive", "noise_budget".');

-- A quasi-identifier that a release does not show lays it out all the same, and withholds nothing of an answer.
SELECT pprepub.create_publication('stays', 'stays', 'id', '{"age": "range", "discharged": "range"}', 'disease', 'bpg', '{"k": 4, "l": 2, "leaves": "discharged"}') \g /dev/null
SELECT is(told($$SELECT rows, suppressed FROM pprepub.publish('stays', NULL, '{age,disease}')$$), '100,0');
SELECT is(told($$SELECT count(*) AS classes, count(*) FILTER (WHERE first = last) AS of_one_date FROM (
	SELECT min(discharged) AS first, max(discharged) AS last FROM pprepub.class_members('stays') m JOIN stays s ON s.id = m.key::int GROUP BY class) c$$), '10,10');
SELECT pprepub.drop_publication('stays', true);

-- Any type with an order will do, and a domain over one; NULLs stand apart.
CREATE DOMAIN slot AS int[];
CREATE TABLE slots (id int, age int, disease text, slot slot);
INSERT INTO slots SELECT i, i % 7, 'd' || i % 5, CASE WHEN i % 4 > 0 THEN ARRAY[i % 4, 1] END FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('slots', 'slots', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 4, "l": 2, "leaves": "slot"}') \g /dev/null
SELECT is(told($$SELECT rows, suppressed FROM pprepub.publish('slots')$$), '40,0');
SELECT is(told($$SELECT count(*) AS classes, count(*) FILTER (WHERE slots = 1) AS of_one_slot FROM (
	SELECT count(DISTINCT coalesce(slot, '{}')) AS slots FROM pprepub.class_members('slots') m JOIN slots s ON s.id = m.key::int GROUP BY class) c$$), '4,4');
SELECT pprepub.drop_publication(name, true) FROM pprepub.publication;
RESET ROLE;
DROP OWNED BY regress_leaver CASCADE;
DROP ROLE regress_leaver;

-- Names with quotes, spaces, unicode and all 63 bytes, everywhere.
\pset format unaligned \t on \pset recordsep '; '
SET client_min_messages = notice;
RESET ROLE;
CREATE ROLE "regress ""Ünï"" 'owner', a name of sixty-three bytes: $$ %s \n!";
SELECT octet_length(rolname) FROM pg_roles WHERE rolname LIKE 'regress "%' \gset
SELECT :octet_length AS bytes;
\set ECHO none
DO $do$ BEGIN
	EXECUTE format('GRANT CREATE ON DATABASE %I TO %I', current_database(), 'regress "Ünï" ''owner'', a name of sixty-three bytes: $$ %s \n!');
END $do$;
CREATE SCHEMA "a ""schema"" 'of' häuser; DROP TABLE x; -- $$" AUTHORIZATION "regress ""Ünï"" 'owner', a name of sixty-three bytes: $$ %s \n!";
SET ROLE "regress ""Ünï"" 'owner', a name of sixty-three bytes: $$ %s \n!";
SET search_path = "a ""schema"" 'of' häuser; DROP TABLE x; -- $$";

CREATE TABLE "T""a'b; -- Ω $x$ %s %I \n" (
	"the ""key"" '; DROP TABLE x; -- Ωµéga, which has 63 bytes in a" text PRIMARY KEY,
	" " int, "Order" text, "sélect" text, "a.b" text, "$1" text);
INSERT INTO "T""a'b; -- Ω $x$ %s %I \n"
	SELECT 'k''"' || i, i, 'p"' || i / 2, CASE WHEN i % 2 = 0 THEN 'l''eaf"a' ELSE 'Blätt %s' END, 's''"' || i, 'in''s"'
	FROM generate_series(1, 8) i;
CREATE TABLE levels (leaf text, root text);
INSERT INTO levels VALUES ('l''eaf"a', 'The "root" $$ %s'), ('Blätt %s', 'The "root" $$ %s');
SELECT pprepub.create_taxonomy('a "taxonomy" of ''leaves'' $$ 森', 'levels') \g /dev/null
\set ECHO all

SELECT pprepub.create_publication('Pub "1" ''x''; DROP TABLE y; -- Ω: 48 bytes $$ %s',
	source => '"T""a''b; -- Ω $x$ %s %I \n"',
	key => 'the "key" ''; DROP TABLE x; -- Ωµéga, which has 63 bytes in a',
	quasi_identifiers => '{" ": "range", "Order": "prefix", "sélect": "taxonomy a \"taxonomy\" of ''leaves'' $$ 森"}',
	sensitive => 'a.b', method => 'bpg', params => '{"k": 4, "l": 4, "repair": "dirty", "reserve": 1}', insensitive => '{$1}',
	target => 'Target "T" ''; DROP SCHEMA public; -- Ω, these 55 bytes');
SELECT max(octet_length(nspname)), count(*) FROM pg_namespace WHERE nspname LIKE 'Target "T"%';
SELECT value FROM pprepub.preview('Pub "1" ''x''; DROP TABLE y; -- Ω: 48 bytes $$ %s') WHERE metric = 'classes';
SELECT publication, number, relation FROM pprepub.publish('Pub "1" ''x''; DROP TABLE y; -- Ω: 48 bytes $$ %s');
SELECT " ", "Order", "sélect", count("a.b"), min("$1")
FROM "Target ""T"" '; DROP SCHEMA public; -- Ω, these 55 bytes"."Pub ""1"" 'x'; DROP TABLE y; -- Ω: 48 bytes $$ %s" GROUP BY 1, 2, 3, class ORDER BY 1;
SELECT min(key), max(key), count(DISTINCT class) FROM pprepub.class_members('Pub "1" ''x''; DROP TABLE y; -- Ω: 48 bytes $$ %s');
SELECT measure, value FROM pprepub.risks('Pub "1" ''x''; DROP TABLE y; -- Ω: 48 bytes $$ %s', 1) WHERE measure ~ '^(rows|people|classes)$';
SELECT holds FROM pprepub.audit('Pub "1" ''x''; DROP TABLE y; -- Ω: 48 bytes $$ %s') WHERE check_name = 'checksums';
SELECT pprepub.alter_publication('Pub "1" ''x''; DROP TABLE y; -- Ω: 48 bytes $$ %s', '{"k": 5, "accept_lockout": true}');
DROP TABLE "Target ""T"" '; DROP SCHEMA public; -- Ω, these 55 bytes"."Pub ""1"" 'x'; DROP TABLE y; -- Ω: 48 bytes $$ %s_1" CASCADE;
SELECT pprepub.drop_publication('Pub "1" ''x''; DROP TABLE y; -- Ω: 48 bytes $$ %s');
SELECT pprepub.drop_publication('Pub "1" ''x''; DROP TABLE y; -- Ω: 48 bytes $$ %s', forget_history => true);
\set ECHO none
SELECT pprepub.drop_taxonomy('a "taxonomy" of ''leaves'' $$ 森') \g /dev/null

-- Names that differ in case only, or that one's releases would have, or that something else has.
RESET ROLE;
RESET search_path;
SET ROLE regress_owner;
CREATE TABLE patients AS SELECT i AS id, i AS age, i AS disease FROM generate_series(1, 10) i;
CREATE TABLE visitors AS TABLE patients;
SELECT pprepub.create_publication('pub', 'patients', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}') \g /dev/null
\set ECHO all
SELECT pprepub.create_publication('pub', 'visitors', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}');
SELECT pprepub.create_publication('pub_1', 'visitors', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}');
SELECT pprepub.create_publication('pub_counterfeits', 'visitors', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}');
SELECT pprepub.create_publication('pub_1', 'visitors', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}', target => 'elsewhere') \g /dev/null
SELECT pprepub.drop_publication('pub_1');
SELECT pprepub.create_publication('pub_1x', 'visitors', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}') \g /dev/null
SELECT pprepub.drop_publication('pub_1x') \g /dev/null
SELECT pprepub.create_publication('PUB', 'visitors', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}') \g /dev/null
SELECT pprepub.publish('PUB') IS NOT NULL, pprepub.publish('pub') IS NOT NULL;
SELECT publication, relation FROM pprepub.release ORDER BY 1;
SELECT pprepub.drop_publication('PUB', true) \g /dev/null
CREATE VIEW published.taken_7 AS SELECT 1;
SELECT pprepub.create_publication('taken', 'visitors', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}');
DROP VIEW published.taken_7;
CREATE TABLE published.taken ();
SELECT pprepub.create_publication('taken', 'visitors', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}');
DROP TABLE published.taken;
SELECT pprepub.drop_publication('pub', true);
-- A name taken after it was declared: nothing of it is touched.
SELECT pprepub.create_publication('late', 'visitors', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "reserve": 1}') \g /dev/null
CREATE TABLE published.late_1 (mine int);
SELECT pprepub.publish('late');
DROP TABLE published.late_1;
CREATE TABLE published.late (mine int);
SELECT pprepub.publish('late');
DROP TABLE published.late;
CREATE VIEW published.late AS SELECT 1 AS mine;
SELECT pprepub.publish('late');
DROP VIEW published.late;
SELECT rows FROM pprepub.publish('late');
SELECT pprepub.drop_publication('late', true);

DROP TABLE patients, visitors;
DROP SCHEMA published, published_private, elsewhere, elsewhere_private;
RESET ROLE;
SET client_min_messages = warning;
DROP OWNED BY "regress ""Ünï"" 'owner', a name of sixty-three bytes: $$ %s \n!" CASCADE;
DROP ROLE "regress ""Ünï"" 'owner', a name of sixty-three bytes: $$ %s \n!";

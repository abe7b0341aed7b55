-- alter_publication() and drop_publication(): neither weakens what was promised unless told so in so many words.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET client_min_messages = notice;
SET ROLE regress_owner;
CREATE TABLE patients AS SELECT i AS id, i AS age, chr(97 + i % 3) AS ward, 'd' || i % 5 AS disease FROM generate_series(1, 30) i;
CREATE TABLE levels (leaf text, root text);
INSERT INTO levels VALUES ('a', 'all'), ('b', 'all'), ('c', 'all');
SELECT pprepub.create_taxonomy('wards', 'levels') \g /dev/null
SELECT pprepub.create_publication('patients', 'patients', 'id', '{"age": "range", "ward": "taxonomy wards"}', 'disease', 'bpg', '{"k": 5, "l": 2}') \g /dev/null
CREATE VIEW params AS SELECT params FROM pprepub.release;

-- Before anything was published, everything may change; what is not given stays.
SELECT pprepub.alter_publication('patients', '{"k": 3}') \g /dev/null
SELECT pprepub.alter_publication('patients', '{"k": 4, "reserve": 1}') \g /dev/null
SELECT pprepub.alter_publication('patients', '{}') \g /dev/null
\set ECHO all
SELECT pprepub.alter_publication('patients', '{"k": 0}');
SELECT pprepub.alter_publication('patients', '{"m": 3}');
SELECT pprepub.alter_publication('patients', '[]');
SELECT pprepub.alter_publication('patients', NULL);
SELECT pprepub.alter_publication('patients', '{"accept_weakening": "yes"}');
SELECT pprepub.alter_publication('no such', '{}');
SELECT pprepub.alter_publication(NULL, '{}');
SELECT params FROM pprepub.publish('patients');

-- Afterwards, stronger may be said at once, weaker in so many words.
SELECT pprepub.alter_publication('patients', '{"reserve": 2, "l": 2}');
\set VERBOSITY terse
SELECT pprepub.alter_publication('patients', '{"ties": "none"}') \g /dev/null
SELECT pprepub.alter_publication('patients', '{"ties": "worlds"}');
SELECT pprepub.alter_publication('patients', '{"ties": "alone", "accept_weakening": true}') \g /dev/null
SELECT pprepub.alter_publication('patients', '{"ties": "worlds"}') \g /dev/null
-- But who would never be published again for it is asked after.
SELECT pprepub.alter_publication('patients', '{"k": 6, "l": 3}');
SELECT pprepub.alter_publication('patients', '{"k": 6, "l": 3, "accept_weakening": true}');
SELECT pprepub.alter_publication('patients', '{"k": 6, "l": 3, "accept_lockout": false}');
SELECT pprepub.alter_publication('patients', '{"k": 6, "l": 3, "accept_lockout": "yes"}');
SELECT params FROM pprepub.publication;
SELECT pprepub.alter_publication('patients', '{"k": 6, "l": 3, "reserve": 1, "accept_lockout": true}');
SELECT pprepub.alter_publication('patients', '{"k": 6, "l": 3}');		-- no more than before
SELECT pprepub.alter_publication('patients', '{"k": 5}');
SELECT pprepub.alter_publication('patients', '{"l": 2}');
SELECT pprepub.alter_publication('patients', '{"l": 2, "accept_weakening": false}');
SELECT pprepub.alter_publication('patients', '{"l": 2, "accept_weakening": true}') \g /dev/null
RESET ROLE;
SELECT params FROM pprepub_internal.catalog_publication;
SELECT params FROM pprepub_internal.catalog_release;		-- of its day
SET ROLE regress_owner;

-- Extensions of taxonomies are adopted; other trees of the same name are not.
INSERT INTO levels VALUES ('d', 'all');
SELECT pprepub.extend_taxonomy('wards', 'levels') \g /dev/null
SELECT pprepub.alter_publication('patients', '{}');
SELECT pprepub.alter_publication('patients', '{}') \g /dev/null
SELECT pprepub.drop_taxonomy('wards') \g /dev/null
SELECT pprepub.alter_publication('patients', '{}') \g /dev/null
UPDATE levels SET leaf = 'x' WHERE leaf = 'a';
SELECT pprepub.create_taxonomy('wards', 'levels') \g /dev/null
SELECT pprepub.alter_publication('patients', '{}');
SELECT pprepub.drop_taxonomy('wards') \g /dev/null
RESET ROLE;
SELECT count(DISTINCT tree) AS trees FROM pprepub_internal.catalog_tree_node;		-- the release's, and the publication's
SET ROLE regress_owner;

-- A new owner of the source: everything fails closed until he takes over.
RESET ROLE;
ALTER TABLE patients OWNER TO regress_other;
SET ROLE regress_owner;
SELECT pprepub.publish('patients');
SELECT pprepub.preview('patients');
SELECT pprepub.metrics('patients', 1);
SELECT pprepub.class_members('patients');
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums';
SELECT pprepub.drop_publication('patients', true);
\set VERBOSITY default
SELECT pprepub.alter_publication('patients', '{}');
SET ROLE regress_other;
SELECT pprepub.publish('patients');
SELECT pprepub.alter_publication('patients', '{}');
RESET ROLE;
ALTER SCHEMA published OWNER TO regress_other;
SET ROLE regress_other;
SELECT pprepub.alter_publication('patients', '{}');
RESET ROLE;
ALTER SCHEMA published_private OWNER TO regress_other;
SET ROLE regress_other;
SELECT pprepub.alter_publication('patients', '{}') \g /dev/null
SELECT count(*) FROM pprepub.release;
SELECT count(*) FROM pprepub.class_members('patients');
SELECT holds FROM pprepub.audit('patients') WHERE check_name = 'checksums';
SELECT relowner::regrole, count(*) FROM pg_class WHERE relnamespace IN ('published'::regnamespace, 'published_private'::regnamespace) GROUP BY 1;
SET ROLE regress_owner;
SELECT count(*) FROM pprepub.release;
SELECT pprepub.class_members('patients');
SELECT count(*) FROM published.patients_1;

-- Dropping.
SELECT pprepub.drop_publication('patients', true);
SET ROLE regress_other;
SELECT pprepub.drop_publication('patients');
\set VERBOSITY terse
SELECT pprepub.drop_publication('patients', NULL);
SELECT pprepub.drop_publication('patients', false);
SELECT pprepub.drop_publication('patients', true);
SELECT pprepub.drop_publication('patients', true);
SELECT pprepub.drop_publication(NULL);
RESET ROLE;
SELECT count(*) FROM pg_class WHERE relnamespace IN ('published'::regnamespace, 'published_private'::regnamespace);
SELECT (SELECT count(*) FROM pprepub_internal.catalog_publication) AS publications, (SELECT count(*) FROM pprepub_internal.catalog_column) AS columns,
	(SELECT count(*) FROM pprepub_internal.catalog_relation) AS relations, (SELECT count(*) FROM pprepub_internal.catalog_release) AS releases,
	(SELECT count(*) FROM pprepub_internal.catalog_metric) AS metrics, (SELECT count(*) FROM pprepub_internal.catalog_tree) AS trees;
CALL public.clean();

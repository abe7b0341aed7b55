-- Owners see of releases that were made without them: warnings that are kept, and how publications fare.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;
CREATE TABLE watched (id int PRIMARY KEY, age int, disease text);
INSERT INTO watched SELECT i, i, 'd' || i % 5 FROM generate_series(1, 60) i;
SET client_min_messages = warning;
\set ECHO all
SELECT pprepub.create_publication('watched', 'watched', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 4, "repair": "dirty", "reserve": 1}');

-- Nothing was published yet.
SELECT * FROM pprepub.health \gx

-- A release that loses nobody, and one that loses most; nobody sees the warning, and it is kept.
SELECT number, rows, suppressed, warnings FROM pprepub.publish('watched');
DELETE FROM watched WHERE id <= 40 AND id % 4 = 0;
SET client_min_messages = error;
SELECT number, regexp_replace(unnest(warnings), '[0-9]+(\.[0-9]+)?', 'N', 'g') AS warning FROM pprepub.publish('watched');
SELECT number, kind, cardinality(warnings) AS warnings FROM pprepub.release WHERE publication = 'watched' ORDER BY number;
SELECT publication, last_release, age < interval '1 hour' AS young, releases, answers, answers_last_day, failed_last_day, rows < 50 AS fewer,
	withheld_percent >= 5 AS withheld, invented_percent, starving, cardinality(warnings) AS warnings, bytes > history_bytes AS bytes,
	history_bytes > 0 AS history, bytes_per_day = bytes AS of_one_day, schedule_state, refused
FROM pprepub.health \gx

-- A release of a cohort counts, but what was withheld of everybody is what the release of everybody says.
INSERT INTO watched SELECT i, i % 10 + 60, 'd' || i % 5 FROM generate_series(61, 120) i;
SELECT number, rows > 0 AS rows FROM pprepub.publish('watched', 'age > 59');
SELECT last_release, releases, starving FROM pprepub.health;

-- Relations of each publication are found by an index: all of them are not read for each one.
\set ECHO none
RESET ROLE;
CREATE FUNCTION reads_all() RETURNS TABLE (line text) LANGUAGE plpgsql AS $$
BEGIN
	FOR line IN EXECUTE 'EXPLAIN SELECT bytes, history_bytes FROM pprepub.health' LOOP
		IF line ~ 'Seq Scan on catalog_relation' THEN
			RETURN NEXT;
		END IF;
	END LOOP;
END $$;
SET enable_seqscan = off;
\set ECHO all
SELECT * FROM reads_all();
RESET enable_seqscan;
DROP FUNCTION reads_all;
SET ROLE regress_owner;

-- Answers warn of nothing, whatever is withheld, and count.
SELECT count(*) AS answered FROM published.watched('age < 3');
SELECT kind, rows, suppressed, warnings FROM pprepub.release WHERE publication = 'watched' AND kind = 'query';
SELECT last_release, releases, answers, answers_last_day, failed_last_day FROM pprepub.health;

-- A table that somebody else published, which keeps no promise.
CREATE TABLE elsewhere AS SELECT id, int4range(age, age + 1) AS age, disease FROM watched WHERE id > 100;
SELECT number, kind, regexp_replace(unnest(warnings), '[0-9]+', 'N', 'g') AS warning FROM pprepub.import_release('watched', 'elsewhere', 'id');
SELECT last_release, releases FROM pprepub.health;

-- One whose rows are nobody's keeps the next release back.
CREATE TABLE nobodys AS SELECT age, disease FROM elsewhere;
SELECT number, kind, warnings FROM pprepub.import_release('watched', 'nobodys', accept_changes => true);
SELECT refused FROM pprepub.health;
SELECT pprepub.acknowledge_history('watched');
SELECT refused FROM pprepub.health;

-- Two warnings, in their order.
CREATE TABLE noted AS SELECT i AS id, i % 10 * 5 AS age, 'd' || i % 3 AS disease, 'n' || i % 22 AS note FROM generate_series(1, 40) i;
SELECT pprepub.create_publication('noted', 'noted', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 4, "repair": "dirty", "reserve": 1}', insensitive => '{note}');
SELECT cardinality(warnings) AS warnings FROM pprepub.publish('noted');
DELETE FROM noted WHERE id < 10;
SELECT regexp_replace(split_part(unnest(warnings), '.', 1), '[0-9]+', 'N', 'g') AS warning FROM pprepub.publish('noted');

-- Figures are the owner's.
SET ROLE regress_other;
SELECT * FROM pprepub.health;
SELECT count(*) FROM pprepub.release;
SELECT pprepub_internal.is_rewound('watched'), pprepub_internal.is_rewound('nobody''s'), pprepub_internal.is_rewound(NULL);
SET ROLE regress_owner;
SELECT pprepub_internal.is_rewound('watched');

-- A publication that is broken is a row like others.
BEGIN READ ONLY;
SELECT publication, refused FROM pprepub.health ORDER BY 1;
COMMIT;
RESET ROLE;
ALTER TABLE noted OWNER TO regress_other;
SET ROLE regress_owner;
SELECT publication, refused FROM pprepub.health ORDER BY 1;
\set ECHO none
RESET ROLE;
ALTER TABLE noted OWNER TO regress_owner;
UPDATE pprepub_internal.catalog_publication SET witness = jsonb_set(witness, '{timeline}', '99') WHERE name = 'noted';
UPDATE pprepub_internal.catalog_publication SET pinned = 1 WHERE name = 'watched';
UPDATE pprepub_internal.catalog_release SET relation = 1 WHERE number = 1;
UPDATE pprepub_internal.catalog_relation SET relation = oid::regclass FROM (SELECT 1 AS oid) o WHERE relation = 'published.watched_1'::regclass;
SET ROLE regress_owner;
\set ECHO all
SELECT publication, refused FROM pprepub.health ORDER BY 1;
RESET ROLE;
UPDATE pprepub_internal.catalog_publication SET pinned = 'published_private.watched_source'::regclass WHERE name = 'watched';
UPDATE pprepub_internal.catalog_relation SET relation = 'published.watched_1'::regclass WHERE relation = 1::regclass;
SET ROLE regress_owner;
CALL public.clean();

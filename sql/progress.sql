-- pprepub.progress, seen by the source's own code while it is read.
\d pprepub.progress
\pset format unaligned \t on \pset recordsep '; '
SET client_min_messages = notice;
SET ROLE regress_owner;
SELECT * FROM pprepub.progress;

\set ECHO none
CREATE TABLE seen_people AS SELECT i AS id, i % 50 AS age, 'd' || i % 7 AS disease FROM generate_series(1, 200) i;
CREATE FUNCTION see(id int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	seen record;
BEGIN
	IF id IN (1, 150) THEN
		FOR seen IN SELECT * FROM pprepub.progress LOOP
			RAISE NOTICE '% %: %, % of %, % %', seen.command, seen.publication, seen.phase, seen.units_done, seen.units_total,
				seen.pid = pg_backend_pid() AND seen.datname = current_database() AND seen.datid = (SELECT oid FROM pg_database WHERE datname = current_database())
					AND seen.relid = (SELECT source::oid FROM pprepub.publication WHERE name = seen.publication), seen.since <= seen.phase_since;
		END LOOP;
	END IF;
	RETURN id;
END
$$;
CREATE VIEW seen_source AS SELECT see(id) AS id, age, disease FROM seen_people;
\set ECHO all
-- A publication with a long name.
SELECT pprepub.create_publication(rpad('seen', 40, '_'), 'seen_source', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "l": 3}');
SELECT number FROM pprepub.publish(rpad('seen', 40, '_'));
SELECT * FROM pprepub.progress;

-- Two at once are one after the other.
SELECT metric, value FROM pprepub.preview(rpad('seen', 40, '_')) WHERE metric = 'rows'
UNION ALL SELECT 'holds', count(*) FROM pprepub.attack(rpad('seen', 40, '_')) WHERE holds;
SELECT * FROM pprepub.progress;

-- An error that is caught leaves nothing, and another command begins anew.
DO $$
BEGIN
	BEGIN
		PERFORM pprepub.publish(rpad('seen', 40, '_'), 'age < 0');
	EXCEPTION WHEN no_data_found THEN
		RAISE NOTICE 'caught: % commands', (SELECT count(*) FROM pprepub.progress);
	END;
	PERFORM pprepub.preview(rpad('seen', 40, '_'));
END
$$;

-- Of what a source's code runs itself nothing is shown, whether it ends well or not: the outer command goes on.
CREATE TABLE inner_people AS TABLE seen_people;
SELECT pprepub.create_publication('inner', 'inner_people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "l": 3}');
\set ECHO none
CREATE FUNCTION run_inner(id int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF id = 50 THEN
		PERFORM pprepub.preview('inner');
		RAISE NOTICE 'inner preview has ended';
	ELSIF id = 100 THEN
		BEGIN
			PERFORM pprepub.preview('inner', 'age < 0');
		EXCEPTION WHEN no_data_found THEN
			RAISE NOTICE 'inner preview has failed';
		END;
	END IF;
	RETURN id;
END
$$;
CREATE TABLE outer_people AS TABLE seen_people;
CREATE VIEW outer_source AS SELECT see(run_inner(id)) AS id, age, disease FROM outer_people;
\set ECHO all
SELECT pprepub.create_publication('outer', 'outer_source', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 5, "l": 3}');
SELECT number FROM pprepub.publish('outer');

-- Nothing is there to be written, and others see nothing, though nothing runs.
DELETE FROM pprepub.progress;
SET ROLE regress_analyst;
SELECT * FROM pprepub.progress;
SELECT * FROM pprepub_internal.running();

SET ROLE regress_owner;
CALL public.clean();

-- Method global reads the log: what all classes disclosed of everybody follows what is protected now, imports, and values however they are written.
BEGIN;
SELECT setseed(0.75) \g /dev/null

CREATE TABLE people (id int PRIMARY KEY, age int, zip text, ill text);
CREATE TABLE delicate AS SELECT 'd' || i AS ill FROM generate_series(6, 9) i;
CREATE FUNCTION live() RETURNS void LANGUAGE sql AS $$
	DELETE FROM people WHERE random() < 0.4;
	INSERT INTO people SELECT i, i % 50, (100 + i % 7)::text, 'd' || (1 + floor(12 * power(random(), 1.5)))::int
		FROM generate_series(1, 500) i WHERE random() < 0.3 ON CONFLICT DO NOTHING;
	UPDATE people SET ill = 'd' || (1 + floor(12 * power(random(), 1.5)))::int WHERE random() < 0.4;
$$;
CREATE FUNCTION publish(releases int) RETURNS void LANGUAGE plpgsql AS
	$$ BEGIN FOR i IN 1 .. releases LOOP PERFORM live(); PERFORM pprepub.publish('people'); END LOOP; END $$;

-- The chance that classes of all releases leave to the person and value that are linked best, by the log, of those shown since a release.
CREATE FUNCTION best_link(name text, since int, protected text[]) RETURNS float8 LANGUAGE plpgsql AS $f$
DECLARE
	best float8;
BEGIN
	EXECUTE format($q$
		WITH log AS MATERIALIZED (SELECT release, class, unnest(keys) AS key, unnest(sensitive)::text AS ill FROM published_private.%I),
			size AS (SELECT release, class, count(*) AS size FROM log GROUP BY 1, 2),
			shown AS MATERIALIZED (SELECT release, class, ill, ln(greatest((size - count(*))::float8 / size, 1e-30)) AS kept
				FROM log JOIN size USING (release, class) WHERE $2 IS NULL OR ill = ANY ($2) GROUP BY 1, 2, 3, size)
		SELECT max(linked) FROM (SELECT 1 - exp(sum(kept)) AS linked FROM log JOIN shown USING (release, class) GROUP BY key, shown.ill HAVING max(release) >= $1) l
		$q$, name || '_members') INTO best USING since, protected;
	RETURN best;
END $f$;

SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'global',
	'{"l": 2, "strategy": "constant-ratio", "releases": 4}') \g /dev/null
SELECT publish(5) \g /dev/null
SELECT cmp_ok(best_link('people', 1, NULL), '<', 0.5 + 1e-9::float8, 'all values: nobody is linked to one in two');
SELECT pprepub.alter_publication('people', '{"transient": "delicate", "accept_weakening": true}') \g /dev/null
SELECT publish(3) \g /dev/null
SELECT cmp_ok(best_link('people', 6, '{d6,d7,d8,d9}'), '<', 0.5 + 1e-9::float8, 'fewer values: nobody to those');
SELECT cmp_ok(best_link('people', 6, NULL), '>', 0.5 + 1e-9::float8, 'but to others');
INSERT INTO delicate VALUES ('d3'), ('d10'), (NULL), ('d3'), ('never seen');
SELECT pprepub.alter_publication('people', '{}') \g /dev/null
SELECT publish(3) \g /dev/null
SELECT cmp_ok(best_link('people', 9, '{d6,d7,d8,d9}'), '<', 0.5 + 1e-9::float8, 'more values: still nobody to those');
SELECT pprepub.alter_publication('people', '{"strategy": "geometric", "alpha": 2, "accept_weakening": true}') \g /dev/null
SELECT publish(2) \g /dev/null
SELECT cmp_ok(best_link('people', 12, '{d6,d7,d8,d9}'), '<', 0.5 + 1e-9::float8, 'another strategy: still nobody');

-- A release of another making, which has one class and tells much; and one of which nothing is known.
CREATE TABLE elsewhere AS SELECT 1 AS class, id, int4range(0, 60) AS age, '1*'::text AS zip, ill FROM people WHERE id % 10 = 0;
SELECT number FROM pprepub.import_release('people', 'elsewhere', 'id') \g /dev/null
CREATE TABLE nobodys AS SELECT 1 AS class, int4range(0, 60) AS age, '1*'::text AS zip, ill FROM people WHERE id % 10 = 0;
SELECT number FROM pprepub.import_release('people', 'nobodys', accept_changes => true) \g /dev/null
SELECT pprepub.acknowledge_history('people') \g /dev/null
SELECT lives_ok('SELECT publish(2)', 'life goes on after imports');
SELECT is_empty($$ SELECT FROM pprepub.rebuild_history('people') $$, 'nothing is kept beside the log');

-- Where one value is all that there is, everything is disclosed, though nothing was asked then.
CREATE TABLE alike AS SELECT i AS id, i % 5 AS age, 'flu'::text AS ill FROM generate_series(1, 20) i;
SELECT pprepub.create_publication('alike', 'alike', 'id', '{"age": "range"}', 'ill', 'global',
	'{"l": 1, "strategy": "constant-ratio", "releases": 3}') \g /dev/null
SELECT is(rows, 20::bigint, 'all are shown where nothing is asked') FROM pprepub.publish('alike');
SELECT is(rows, 20::bigint, 'and again') FROM pprepub.publish('alike');
INSERT INTO alike SELECT i, i % 5, 'd' || i FROM generate_series(21, 100) i;
SELECT pprepub.alter_publication('alike', '{"l": 2}') \g /dev/null
SELECT is(suppressed, 20::bigint, 'none of them is linked to that value again') FROM pprepub.publish('alike');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('alike') WHERE NOT holds AND check_name NOT IN ('global', 'localised')), NULL, 'audit() knows what is kept');

-- Values that are the same however they are written, and values of types that have no arrays, or NULLs inside.
CREATE COLLATION careless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE illness AS (what text, since int);
CREATE FUNCTION check_type(type text, expression text, other text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE odd (id int, age int, ill %s)', type);
	EXECUTE format('INSERT INTO odd SELECT i, i %% 5, %s FROM generate_series(1, 80) i', expression);
	EXECUTE format('CREATE TABLE listed (ill %s)', type);
	EXECUTE format('INSERT INTO listed SELECT %s FROM generate_series(3, 5) i', other);
	PERFORM pprepub.create_publication('odd', 'odd', 'id', '{"age": "range"}', 'ill', 'global',
		'{"l": 2, "strategy": "constant-ratio", "releases": 3, "transient": "listed"}');
	FOR n IN 1 .. 5 LOOP
		PERFORM pprepub.publish('odd');
	END LOOP;
	RETURN NEXT ok(bool_and(holds), type || ': audit() finds the promise kept') FROM pprepub.audit('odd') WHERE check_name IN ('global', 'localised');
	RETURN NEXT isnt_empty('SELECT FROM pprepub.breach_probability(''odd'')', type || ': the owner is told of whom something was disclosed');
	PERFORM pprepub.drop_publication('odd', true);
	DROP TABLE odd, listed;
END $$;
SELECT check_type('text COLLATE careless', $$'d' || i % 8$$, $$'D' || i % 8$$);
SELECT check_type('int[]', 'ARRAY[i % 8, NULL]', 'ARRAY[i % 8, NULL]');
SELECT check_type('illness', $$ROW('d' || i % 8, NULL)::illness$$, $$ROW('d' || i % 8, NULL)::illness$$);
SELECT check_type('numeric', 'i % 8 + 0.50', 'i % 8 + 0.5');

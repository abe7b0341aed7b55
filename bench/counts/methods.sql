-- The same people published by every method, and as strict Mondrian would; counts of them by random conditions.
\i bench/counts/conditions.sql
ALTER TABLE counted ADD people int;
CREATE TABLE loss (people int, release int, publication name, value float8, invented float8, withheld float8);
CREATE TABLE no_updates AS SELECT DISTINCT secret AS from_value, secret AS to_value FROM everybody;
CREATE TABLE strict_class (number int8 PRIMARY KEY, class int);
CREATE TABLE method (position serial, name name PRIMARY KEY, params jsonb, refused text);
-- What sequential shows: a few columns at a time, which it is for, and the sensitive one in the first and fifth; it is asked only about these.
CREATE FUNCTION shown(release int) RETURNS name[] LANGUAGE sql IMMUTABLE AS $$
	SELECT (CASE release % 4 WHEN 1 THEN '{age,education,secret}' WHEN 2 THEN '{age,sex}' WHEN 3 THEN '{sex,country}' ELSE '{sex,education}' END)::name[]
$$;

-- As many people of 5 % come as leave between releases; values stay, as some methods want.
CREATE PROCEDURE begin(people int) LANGUAGE plpgsql AS $$
DECLARE
	m method;
BEGIN
	TRUNCATE method;
	INSERT INTO method (name, params) VALUES ('bpg', '{"k": 10, "l": 3}'), ('sequential', '{"k": 3, "seed": 1}'), ('global', '{"l": 3, "strategy": "constant-ratio", "releases": 5}'),
		('m-distinct', '{"m": 3, "updates": "no_updates"}'), ('m-invariance', '{"m": 3}'), ('cor-split', '{"m": 3, "n": 2}'), ('strict', NULL);
	CALL begin_life(people);
	FOR m IN SELECT * FROM method ORDER BY position LOOP
		PERFORM pprepub.create_publication(m.name, 'current', 'id', (SELECT jsonb_object_agg(name, concat_ws(' ', kind, nullif(taxonomy, ''))) FROM qi), 'secret',
			coalesce(nullif(m.name, 'strict'), 'bpg'), coalesce(m.params, '{"k": 10, "l": 3}'), beside => ARRAY(SELECT name FROM pprepub.publication));
	END LOOP;
END $$;

CREATE PROCEDURE publish_all(release int) LANGUAGE plpgsql AS $$
DECLARE
	m method;
	newcomers int := (SELECT count(*) / 20 FROM current);
BEGIN
	IF release > 1 THEN
		DELETE FROM current WHERE id IN (SELECT id FROM current ORDER BY hashint8extended(id, release) LIMIT newcomers);
		CALL come(release, newcomers);
	END IF;
	FOR m IN SELECT * FROM method WHERE params IS NOT NULL AND refused IS NULL ORDER BY position LOOP
		COMMIT;
		RAISE INFO '% release % of %', to_char(clock_timestamp(), 'HH24:MI:SS'), release, m.name;
		BEGIN
			PERFORM pprepub.publish(m.name, columns => CASE m.name WHEN 'sequential' THEN shown(release) END);
		EXCEPTION WHEN OTHERS THEN
			UPDATE method SET refused = format('release %s: %s', release, sqlerrm) WHERE name = m.name;
		END;
	END LOOP;
END $$;

-- The classes of table strict_class as a release with the narrowest cells.
CREATE PROCEDURE adopt_strict(release int) LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE IF EXISTS strict_cells;
	CREATE TABLE strict_cells AS
	WITH person AS (SELECT c.*, row_number() OVER (ORDER BY id) - 1 AS place FROM current c),
		member AS (SELECT class, p.*, e.parent AS education_above, l.parent AS country_above
			FROM person p JOIN strict_class s ON s.number = place JOIN education_levels e ON e.leaf = p.education JOIN country_levels l ON l.leaf = p.country),
		cell AS (SELECT class, int4range(min(age), max(age) + 1) AS age, CASE WHEN min(sex) = max(sex) THEN min(sex) ELSE '*' END AS sex,
			CASE WHEN min(education) = max(education) THEN min(education) WHEN min(education_above) = max(education_above) THEN min(education_above) ELSE '*' END AS education,
			CASE WHEN min(country) = max(country) THEN min(country) WHEN min(country_above) = max(country_above) THEN min(country_above) ELSE '*' END AS country
			FROM member GROUP BY class)
	SELECT m.id, c.age, c.sex, c.education, c.country, m.secret FROM member m JOIN cell c USING (class);
	PERFORM pprepub.import_release('strict', 'strict_cells', key => 'id');
END $$;

-- Bounds of the import, of which NAME_counts() has none, are counts of its cells.
CREATE PROCEDURE measure_all(people int, release int, many int) LANGUAGE plpgsql AS $$
DECLARE
	c record;
	target record;
	least_of float8;
	most_of float8;
BEGIN
	CALL adopt_strict(release);
	INSERT INTO loss SELECT measure_all.people, measure_all.release, r.name, m.value[2], m.value[1], s.value
	FROM method r CROSS JOIN LATERAL (SELECT * FROM pprepub.release l WHERE l.publication = r.name ORDER BY number DESC LIMIT 1) l,
		LATERAL (SELECT array_agg(value ORDER BY metric) AS value FROM pprepub.metrics(r.name, l.number) WHERE metric IN ('loss_percent', 'invented_percent')) m,
		LATERAL (SELECT max(value) AS value FROM pprepub.metrics(r.name, l.number) WHERE metric = 'withheld_percent') s WHERE refused IS NULL;
	FOR c IN SELECT * FROM conditions(many) LOOP
		FOR target IN SELECT name, (SELECT max(number) FROM pprepub.release l WHERE l.publication = name) AS number FROM method WHERE refused IS NULL
			AND (name <> 'sequential' OR c.names::name[] <@ shown(release)) LOOP
			EXECUTE format('INSERT INTO counted (people, week, publication, is_sensitive, per_cent, n, low, estimate, high, truth)
				SELECT $1, $2, %1$L, $3, $4, cardinality($5), people_at_least, estimate, people_at_most, $6 FROM published.%2$I($5, $7, $8)', target.name, target.name || '_counts')
			USING people, release, c.is_sensitive, c.per_cent, c.names::name[], c.truth, (SELECT jsonb_object_agg(c.names[i], ARRAY[c.bins[i]]) FROM generate_subscripts(c.names, 1) i), target.number;
		END LOOP;
		EXECUTE format('SELECT count(*) FILTER (WHERE %s), count(*) FILTER (WHERE %s) FROM strict_cells', string_agg(clause('lies', c.names[i], c.kinds[i], c.bins[i]), ' AND '),
			string_agg(clause('touches', c.names[i], c.kinds[i], c.bins[i]), ' AND ')) FROM generate_subscripts(c.names, 1) i INTO least_of, most_of;
		UPDATE counted SET low = least_of, high = most_of WHERE publication = 'strict' AND counted.high IS NULL;
	END LOOP;
END $$;

CREATE PROCEDURE finish() LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pprepub.drop_publication(name, true) FROM pprepub.publication;
END $$;

-- Somebody who has all releases of a publication, and knows of every person in which class of each
-- that person was.  He shares no code with the extension: he works on what it says (class_members(),
-- linked_values(), release tables) and on copies of the source, one made before each release.
--
--	attacker.remember(publication)		copies the source, as of the next release
--	attacker.ask(publication, cohort, columns, definition)	asks for an answer, and keeps what he got; definition lists its columns
--	attacker.faults(publication, k, l)	all that is wrong, in words; no rows if all is well
--	attacker.forget(publication)		drops the copies
--
-- People and sensitive values are numbered here, under their types' own equality.  Classes are followed by their rows' seats:
-- the places of groups, or, where a method has none, people, and each invented row by itself.
CREATE SCHEMA attacker;

-- Seats, with their values; is_true tells people from invented rows.
CREATE UNLOGGED TABLE attacker.seat (publication text, seat text, person bigint, release int, class bigint, value bigint, is_true boolean);
CREATE UNLOGGED TABLE attacker.shown (publication text, release int, class bigint, value bigint, n bigint);
CREATE UNLOGGED TABLE attacker.linked (publication text, person bigint, value bigint, sizes int[], counts int[]);

CREATE FUNCTION attacker.remember(pub text) RETURNS void LANGUAGE plpgsql AS $fn$
DECLARE
	p record;
	copy text := format('attacker.%I', 'copy_' || pub);
BEGIN
	SELECT * INTO STRICT p FROM pprepub.publication WHERE name = pub;
	EXECUTE format('CREATE TABLE IF NOT EXISTS %s AS SELECT 0 AS of_release, s.* FROM %s s WITH NO DATA', copy, p.source);
	EXECUTE format('DELETE FROM %s WHERE of_release > %s', copy, p.releases);	-- what came to nothing
	EXECUTE format('INSERT INTO %s SELECT %s, s.* FROM %s s', copy, p.releases + 1, p.source);
END
$fn$;

-- Of an answer there is only what he has kept.
CREATE FUNCTION attacker.rows_of(pub text, number int) RETURNS text LANGUAGE sql AS $fn$
	SELECT coalesce(relation::text, format('attacker.%I', format('answer_%s_%s', pub, number)))
	FROM pprepub.release r WHERE r.publication = pub AND r.number = rows_of.number
$fn$;

-- answer_here(), which builds with assertions have, is the caller's to create.  The number of the release.
CREATE FUNCTION attacker.ask(pub text, cohort text, columns name[], definition text) RETURNS int LANGUAGE plpgsql AS $fn$
DECLARE
	number int := releases + 1 FROM pprepub.publication WHERE name = pub;
	answer text := format('attacker.%I', format('answer_%s_%s', pub, number));
BEGIN
	EXECUTE format('DROP TABLE IF EXISTS %s', answer);	-- one that was rolled back, or of another publication
	EXECUTE format('CREATE TABLE %s AS SELECT * FROM answer_here(%L, %L, %L) a (%s)', answer, pub, cohort, columns, definition);
	RETURN number;
END
$fn$;

CREATE FUNCTION attacker.forget(pub text) RETURNS void LANGUAGE plpgsql AS $fn$
DECLARE
	answer regclass;
BEGIN
	FOR answer IN SELECT oid FROM pg_class WHERE relnamespace = 'attacker'::regnamespace AND starts_with(relname, 'answer_' || pub || '_') LOOP
		EXECUTE format('DROP TABLE %s', answer);
	END LOOP;
	EXECUTE format('DROP TABLE attacker.%I', 'copy_' || pub);
END
$fn$;

-- The log of releases and of answers, row by row.
CREATE FUNCTION attacker.log_of(pub text) RETURNS text LANGUAGE sql AS $fn$
	SELECT string_agg(format('SELECT release, class, "group", unnest(places) AS place, unnest(keys) AS key, unnest(sensitive) AS thing FROM %s', c.oid::regclass), ' UNION ALL ')
	FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pprepub.publication p ON nspname = p.target || '_private'
	WHERE p.name = pub AND relname IN (pub || '_members', pub || '_asked')
$fn$;

-- Notes all that the extension says, in numbers.
CREATE FUNCTION attacker.look(pub text) RETURNS void LANGUAGE plpgsql AS $fn$
DECLARE
	p record;
	r record;
	copy text := format('attacker.%I', 'copy_' || pub);
	key_type text;
	value_type text;
BEGIN
	SELECT * INTO STRICT p FROM pprepub.publication WHERE name = pub;
	SELECT format_type(atttypid, atttypmod) INTO key_type FROM pg_attribute WHERE attrelid = copy::regclass AND attname = p.key;
	SELECT format_type(atttypid, atttypmod) INTO value_type FROM pg_attribute WHERE attrelid = copy::regclass AND attname = p.sensitive;
	DROP TABLE IF EXISTS attacker.known_person, attacker.known_value;
	EXECUTE format('CREATE UNLOGGED TABLE attacker.known_person AS
		SELECT key, row_number() OVER (ORDER BY key) AS person FROM (SELECT DISTINCT %I AS key FROM %s) k', p.key, copy);
	EXECUTE format('CREATE UNLOGGED TABLE attacker.known_value AS
		SELECT thing, row_number() OVER (ORDER BY thing) AS value FROM (SELECT DISTINCT %I AS thing FROM %s) s WHERE thing IS NOT NULL', p.sensitive, copy);
	ANALYZE attacker.known_person, attacker.known_value;
	DELETE FROM attacker.seat WHERE publication = pub;
	DELETE FROM attacker.shown WHERE publication = pub;
	DELETE FROM attacker.linked WHERE publication = pub;
	-- who was published elsewhere keeps the place; of people's values, old ones too, the copies tell, if the log says which
	EXECUTE format('INSERT INTO attacker.seat
		WITH log AS MATERIALIZED (SELECT l.release, l.class, l.key::%2$s AS key, l.thing, l.place || '' of '' || l."group" AS seat,
				count(l.place) OVER (PARTITION BY l.key::%2$s ORDER BY l.release) AS stay FROM (%6$s) l)
		SELECT %1$L, coalesce(l.seat, first_value(l.seat) OVER (PARTITION BY l.key, stay ORDER BY l.release), person::text, ''row '' || row_number() OVER ()),
			k.person, l.release, l.class, CASE WHEN l.key IS NULL OR h.is_theirs THEN t.value ELSE c.value END, l.key IS NOT NULL
		FROM log l LEFT JOIN attacker.known_person k ON k.key = l.key LEFT JOIN attacker.known_value t ON t.thing = l.thing
			LEFT JOIN (SELECT of_release, %3$I AS key, value FROM %4$s LEFT JOIN attacker.known_value ON thing = %5$I) c ON c.of_release = l.release AND c.key = k.key
			LEFT JOIN LATERAL (SELECT true AS is_theirs FROM %4$s o WHERE c.key IS NOT NULL AND o.%3$I = k.key AND o.%5$I IS NOT DISTINCT FROM l.thing AND o.of_release <= l.release LIMIT 1) h ON true',
		pub, key_type, p.key, copy, p.sensitive, coalesce(attacker.log_of(pub),
			format('SELECT of_release AS release, 0 AS class, 0 AS "group", 0 AS place, %I AS key, %I AS thing FROM %s WHERE false', p.key, p.sensitive, copy)));
	FOR r IN SELECT * FROM pprepub.release WHERE publication = pub LOOP
		EXECUTE format('INSERT INTO attacker.shown SELECT %L, %s, class, CASE WHEN %I IS NOT NULL THEN coalesce(value, -1) END, count(*)
			FROM %s LEFT JOIN attacker.known_value ON thing = %3$I GROUP BY 3, 4', pub, r.number, p.sensitive, attacker.rows_of(pub, r.number));
	END LOOP;
	EXECUTE format('INSERT INTO attacker.linked SELECT %L, person, value, sizes, counts
		FROM pprepub.linked_values(%1$L) s LEFT JOIN attacker.known_person k ON k.key = s.key::%s LEFT JOIN attacker.known_value ON thing = s.sensitive::%s',
		pub, key_type, value_type);
	ANALYZE attacker.seat, attacker.shown;
END
$fn$;

-- Rows that are told apart from all others, or have too few values where they are: of a group, nobody knows who has which place.
CREATE FUNCTION attacker.unsafe_atoms(pub text, k int, l int) RETURNS SETOF text LANGUAGE sql AS $fn$
	WITH path AS MATERIALIZED (SELECT seat, array_agg(ARRAY[release, class] ORDER BY release) AS path FROM attacker.seat WHERE publication = pub GROUP BY seat),
		atom AS MATERIALIZED (SELECT seat, path, dense_rank() OVER (ORDER BY path) AS atom FROM path),	-- paths are long
		part AS MATERIALIZED (SELECT atom, release, count(*) AS people, count(DISTINCT value) AS values
			FROM attacker.seat JOIN atom USING (seat) WHERE publication = pub GROUP BY atom, release),
		unsafe AS (SELECT DISTINCT atom, format('%s people', people) AS what FROM part WHERE people < k
			UNION ALL SELECT atom, format('%s values in release %s', values, release) FROM part WHERE l > 1 AND values < l)
	SELECT format('atom %s: %s', path, what) FROM unsafe JOIN (SELECT DISTINCT atom, path FROM atom) a USING (atom)
$fn$;

CREATE FUNCTION attacker.faults(pub text, k int, l int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
BEGIN
	PERFORM attacker.look(pub);

	-- Releases
	RETURN QUERY SELECT format('release %s is missing', i) FROM pprepub.publication p, generate_series(1, p.releases) i
		WHERE p.name = pub AND NOT EXISTS (SELECT FROM pprepub.release r WHERE r.publication = pub AND r.number = i);
	RETURN QUERY SELECT format('release %s is one too many', r.number) FROM pprepub.release r JOIN pprepub.publication p ON p.name = r.publication
		WHERE r.publication = pub AND r.number NOT BETWEEN 1 AND p.releases;
	RETURN QUERY SELECT 'releases are not intact: ' || worst::text FROM pprepub.audit(pub) WHERE check_name = 'checksums' AND NOT holds;
	RETURN QUERY SELECT format('release %s has not as many rows, classes or invented rows as it says', r.number)
		FROM pprepub.release r
			LEFT JOIN (SELECT release, sum(n) AS rows, count(DISTINCT class) AS classes FROM attacker.shown WHERE publication = pub GROUP BY 1) s ON s.release = r.number
			LEFT JOIN (SELECT release, count(*) FILTER (WHERE is_true) AS people FROM attacker.seat WHERE publication = pub GROUP BY 1) m ON m.release = r.number
		WHERE publication = pub AND (coalesce(s.rows, 0), coalesce(s.classes, 0), coalesce(s.rows - m.people, 0))
			IS DISTINCT FROM (r.rows::numeric, r.classes, r.counterfeits::numeric);

	-- Members
	RETURN QUERY SELECT format('release %s has %s members who were not in the source', release, count(*)) FROM attacker.seat
		WHERE publication = pub AND is_true AND person IS NULL GROUP BY release;
	RETURN QUERY SELECT format('release %s has %s %s times', release, who, count(*)) FROM attacker.seat, unnest(ARRAY['seat ' || seat, 'person ' || person]) who
		WHERE publication = pub AND who IS NOT NULL GROUP BY release, who HAVING count(*) > 1;
	RETURN QUERY SELECT format('person %s had %s places of group %s', person, count(DISTINCT seat), split_part(seat, ' of ', 2)) FROM attacker.seat
		WHERE publication = pub AND person IS NOT NULL AND seat ~ ' of ' GROUP BY person, split_part(seat, ' of ', 2) HAVING count(DISTINCT seat) > 1;
	RETURN QUERY SELECT format('release %s is no release', release) FROM attacker.seat WHERE publication = pub
		AND release NOT IN (SELECT r.number FROM pprepub.release r WHERE r.publication = pub) GROUP BY release;
	-- what they had when it was published is what it shows, and of invented rows what the log tells
	RETURN QUERY SELECT format('release %s, class %s: value %s is shown %s times, of %s rows', release, class, value, coalesce(s.n, 0), coalesce(m.n, 0))
		FROM (SELECT release, class, coalesce(value, 0) AS value, n FROM attacker.shown WHERE publication = pub) s
			FULL JOIN (SELECT release, class, coalesce(value, 0) AS value, count(*) AS n FROM attacker.seat WHERE publication = pub GROUP BY 1, 2, 3) m
			USING (release, class, value)
		WHERE s.n IS DISTINCT FROM m.n;

	-- Statistics: the classes that linked somebody to a value, and how much
	RETURN QUERY
		WITH size AS (SELECT release, class, sum(n)::int AS size FROM attacker.shown WHERE publication = pub GROUP BY 1, 2),
			own AS (SELECT person, s.value, array_agg(size ORDER BY release) AS sizes, array_agg(s.n::int ORDER BY release) AS counts
				FROM attacker.seat p JOIN size USING (release, class) JOIN attacker.shown s USING (release, class)
				WHERE p.publication = pub AND s.publication = pub AND s.value IS NOT NULL AND person IS NOT NULL GROUP BY 1, 2)
		SELECT format('person %s, value %s: statistics are %s %s, not %s %s', person, value, t.sizes, t.counts, own.sizes, own.counts)
		FROM own FULL JOIN (SELECT * FROM attacker.linked WHERE publication = pub) t USING (person, value)
		WHERE (t.sizes, t.counts) IS DISTINCT FROM (own.sizes, own.counts);

	RETURN QUERY SELECT attacker.unsafe_atoms(pub, k, l);
	RETURN QUERY SELECT format('%s are not what the log tells', fold) FROM pprepub.rebuild_history(pub) WHERE NOT equal;
	RETURN QUERY SELECT format('audit: %s', a) FROM pprepub.audit(pub) a WHERE NOT holds;
END
$fn$;

-- Somebody who has all releases of a publication, and knows of every person in which class of each
-- that person was.  He shares no code with the extension: he works on what it says (class_members(),
-- linked_values(), release tables) and on copies of the source, one made before each release.
--
--	attacker.remember(publication)		copies the source, as of the next release
--	attacker.ask(publication, cohort, columns, definition)	asks for an answer, and keeps what he got; definition lists its columns
--	attacker.faults(publication, k, l)	all that is wrong, in words; no rows if all is well
--	attacker.forget(publication)		drops the copies
--
-- People and sensitive values are numbered here, under their types' own equality.  An invented row is somebody
-- too: it has the number of whom it stands for, or a negative one if it stands for nobody.
CREATE SCHEMA attacker;

-- People's places, with their values; is_true tells people from invented rows, whose values nobody can tell.
CREATE UNLOGGED TABLE attacker.place (publication text, person bigint, release int, class bigint, value bigint, is_true boolean);
CREATE UNLOGGED TABLE attacker.shown (publication text, release int, class bigint, value bigint, n bigint);
CREATE UNLOGGED TABLE attacker.stood_for (publication text, person bigint, release int);
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

-- The log of releases and of answers; and that person by person.
CREATE FUNCTION attacker.log_tables(pub text) RETURNS SETOF regclass LANGUAGE sql AS $fn$
	SELECT c.oid::regclass FROM pg_class c WHERE c.relnamespace = (SELECT n.oid FROM pg_namespace n, pprepub.publication p WHERE nspname = p.target || '_private' AND p.name = pub) AND relname IN (pub || '_members', pub || '_asked')
$fn$;
CREATE FUNCTION attacker.log_of(pub text) RETURNS text LANGUAGE sql AS $fn$
	SELECT string_agg(format('SELECT release, keys[i] AS key, sensitive[i] AS thing FROM %s, generate_subscripts(keys, 1) i', log), ' UNION ALL ')
	FROM attacker.log_tables(pub) log
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
	DELETE FROM attacker.place WHERE publication = pub;
	DELETE FROM attacker.shown WHERE publication = pub;
	DELETE FROM attacker.stood_for WHERE publication = pub;
	DELETE FROM attacker.linked WHERE publication = pub;
	-- beside invented rows people show what they showed last: which of their values a row has, the log tells
	EXECUTE format('INSERT INTO attacker.place SELECT %L, k.person, m.release, m.class, CASE WHEN h.is_theirs THEN t.value ELSE c.value END, true
		FROM pprepub.class_members(%1$L) m LEFT JOIN attacker.known_person k ON k.key = m.key::%s
			LEFT JOIN (SELECT of_release, %3$I AS key, value FROM %4$s LEFT JOIN attacker.known_value ON thing = %5$I) c ON c.of_release = m.release AND c.key = k.key
			LEFT JOIN (%6$s) l ON l.release = m.release AND l.key::%2$s = k.key LEFT JOIN attacker.known_value t ON t.thing = l.thing
			LEFT JOIN LATERAL (SELECT true AS is_theirs FROM %4$s o WHERE c.key IS NOT NULL AND o.%3$I = k.key AND o.%5$I IS NOT DISTINCT FROM l.thing AND o.of_release <= m.release LIMIT 1) h ON true',
		pub, key_type, p.key, copy, p.sensitive,
		coalesce(attacker.log_of(pub), format('SELECT of_release AS release, %I AS key, %I AS thing FROM %s WHERE false', p.key, p.sensitive, copy)));
	FOR r IN SELECT * FROM pprepub.release WHERE publication = pub LOOP
		EXECUTE format('INSERT INTO attacker.shown SELECT %L, %s, class, CASE WHEN %I IS NOT NULL THEN coalesce(value, -1) END, count(*)
			FROM %s LEFT JOIN attacker.known_value ON thing = %3$I GROUP BY 3, 4', pub, r.number, p.sensitive, attacker.rows_of(pub, r.number));
	END LOOP;
	FOR r IN SELECT relation FROM attacker.log_tables(pub) relation LOOP
		EXECUTE format('INSERT INTO attacker.stood_for SELECT %L, person, release
			FROM (SELECT release, unnest(stands_for) AS key FROM %s) s JOIN attacker.known_person k ON k.key = s.key::%s', pub, r.relation, key_type);
	END LOOP;
	EXECUTE format('INSERT INTO attacker.linked SELECT %L, person, value, sizes, counts
		FROM pprepub.linked_values(%1$L) s LEFT JOIN attacker.known_person k ON k.key = s.key::%s LEFT JOIN attacker.known_value ON thing = s.sensitive::%s',
		pub, key_type, value_type);
	ANALYZE attacker.place, attacker.shown;
END
$fn$;

-- Finds the places of invented rows.  Who is stood for is with those who were always with him; the rest of
-- a class are invented rows that were always with its people, or are as new as they.
CREATE FUNCTION attacker.place_invented(pub text, number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
BEGIN
	INSERT INTO attacker.place
	WITH path AS MATERIALIZED (SELECT person, array_agg(ARRAY[release, class] ORDER BY release) AS path
			FROM attacker.place WHERE publication = pub AND release < number GROUP BY person),
		home AS (SELECT path, min(class) AS class FROM attacker.place JOIN path USING (person)
			WHERE publication = pub AND release = number GROUP BY path HAVING min(class) = max(class))
	SELECT pub, s.person, number, home.class, NULL, false
	FROM attacker.stood_for s JOIN path USING (person) LEFT JOIN home USING (path)
	WHERE s.publication = pub AND s.release = number
		AND NOT EXISTS (SELECT FROM attacker.place o WHERE o.publication = pub AND o.release = number AND o.person = s.person);

	INSERT INTO attacker.place
	WITH path AS MATERIALIZED (SELECT person, array_agg(ARRAY[release, class] ORDER BY release) AS path
			FROM attacker.place WHERE publication = pub AND release < number GROUP BY person),
		size AS (SELECT class, sum(n) AS size FROM attacker.shown WHERE publication = pub AND release = number GROUP BY class),
		placed AS (SELECT class, min(path) AS path, count(*) AS people, count(path) AS known, count(DISTINCT path) AS paths
			FROM attacker.place LEFT JOIN path USING (person) WHERE publication = pub AND release = number GROUP BY class),
		-- a class whose people come from one path, or are all new
		lacks AS (SELECT class, path, size - people AS n, sum(size - people) OVER (PARTITION BY path ORDER BY class) AS upto
			FROM size JOIN placed USING (class) WHERE size > people AND (known = 0 OR known = people AND paths = 1)),
		free AS (SELECT person, path, row_number() OVER (PARTITION BY path ORDER BY person) AS i FROM path WHERE person < 0)
	SELECT pub, person, number, class, NULL::bigint, false FROM lacks JOIN free USING (path) WHERE i > upto - n AND i <= upto
	UNION ALL SELECT pub, -1000000 * number - 1000 * class - i, number, class, NULL::bigint, false FROM lacks, generate_series(1, n) i WHERE path IS NULL;

	RETURN QUERY SELECT format('release %s, class %s: of %s rows, %s are people or invented rows that can be followed', number, class, size, people)
		FROM (SELECT class, sum(n) AS size FROM attacker.shown WHERE publication = pub AND release = number GROUP BY class) s
			FULL JOIN (SELECT class, count(*) AS people FROM attacker.place WHERE publication = pub AND release = number GROUP BY class) m USING (class)
		WHERE size IS DISTINCT FROM people;
END
$fn$;

-- People who are told apart from all others, or have too few values where they are.
CREATE FUNCTION attacker.unsafe_atoms(pub text, k int, l int) RETURNS SETOF text LANGUAGE sql AS $fn$
	WITH path AS MATERIALIZED (SELECT person, array_agg(ARRAY[release, class] ORDER BY release) AS path
			FROM attacker.place WHERE publication = pub GROUP BY person),
		atom AS MATERIALIZED (SELECT person, path, dense_rank() OVER (ORDER BY path) AS atom FROM path),	-- paths are long
		-- what he knows of each group in each release that it was in
		part AS MATERIALIZED (SELECT atom, release, class, count(*) AS people, count(*) FILTER (WHERE NOT is_true) AS invented,
				array_agg(DISTINCT value) FILTER (WHERE value IS NOT NULL) AS own
			FROM attacker.place JOIN atom USING (person) WHERE publication = pub GROUP BY atom, release, class),
		-- values of the invented rows of a class; which of them has which he cannot tell
		spare AS (SELECT release, class, array_agg(value) AS spare
			FROM attacker.shown s LEFT JOIN (SELECT release, class, value, count(*) AS true_ones FROM attacker.place
				WHERE publication = pub AND is_true GROUP BY 1, 2, 3) o USING (release, class, value)
			WHERE publication = pub AND value IS NOT NULL AND n > coalesce(true_ones, 0) GROUP BY 1, 2),
		diverse AS (SELECT part.*, CASE WHEN invented = 0 THEN coalesce(cardinality(own), 0) ELSE
				least(coalesce(cardinality(own), 0) + invented, (SELECT count(*) FROM (SELECT unnest(own) UNION SELECT unnest(spare)) u)) END AS values
			FROM part LEFT JOIN spare USING (release, class))
	SELECT format('atom %s: %s people', path, people) FROM (SELECT DISTINCT atom, people FROM part WHERE people < k) few
		JOIN (SELECT DISTINCT atom, path FROM atom) a USING (atom)
	UNION ALL
	SELECT format('atom %s: %s values in release %s', path, values, release) FROM diverse JOIN (SELECT DISTINCT atom, path FROM atom) a USING (atom)
	WHERE l > 1 AND values < l
$fn$;

CREATE FUNCTION attacker.faults(pub text, k int, l int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	number int;
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
			LEFT JOIN (SELECT release, count(*) AS people FROM attacker.place WHERE publication = pub GROUP BY 1) m ON m.release = r.number
		WHERE publication = pub AND (coalesce(s.rows, 0), coalesce(s.classes, 0), coalesce(s.rows - m.people, 0))
			IS DISTINCT FROM (r.rows::numeric, r.classes, r.counterfeits::numeric);

	-- Members
	RETURN QUERY SELECT format('release %s has %s members who were not in the source', release, count(*)) FROM attacker.place p
		WHERE publication = pub AND person IS NULL GROUP BY release;
	RETURN QUERY SELECT format('release %s has person %s %s times', release, person, count(*)) FROM attacker.place
		WHERE publication = pub GROUP BY release, person HAVING count(*) > 1;
	RETURN QUERY SELECT format('release %s is no release', release) FROM attacker.place WHERE publication = pub
		AND release NOT IN (SELECT r.number FROM pprepub.release r WHERE r.publication = pub) GROUP BY release;
	-- what they had when it was published is what it shows, and nothing else but for invented rows
	RETURN QUERY SELECT format('release %s, class %s: value %s is shown %s times, of %s people', release, class, value, coalesce(s.n, 0), coalesce(m.n, 0))
		FROM (SELECT release, class, coalesce(value, 0) AS value, n FROM attacker.shown WHERE publication = pub) s
			FULL JOIN (SELECT release, class, coalesce(value, 0) AS value, count(*) AS n FROM attacker.place WHERE publication = pub GROUP BY 1, 2, 3) m
			USING (release, class, value)
		WHERE value = -1 OR coalesce(s.n, 0) < coalesce(m.n, 0)
			OR s.n > coalesce(m.n, 0) AND (SELECT r.counterfeits FROM pprepub.release r WHERE r.publication = pub AND r.number = release) = 0;

	FOR number IN SELECT r.number FROM pprepub.release r WHERE r.publication = pub AND r.counterfeits > 0 ORDER BY 1 LOOP
		RETURN QUERY SELECT attacker.place_invented(pub, number);
	END LOOP;

	-- Statistics: the classes that linked somebody to a value, and how much
	RETURN QUERY
		WITH size AS (SELECT release, class, sum(n)::int AS size FROM attacker.shown WHERE publication = pub GROUP BY 1, 2),
			own AS (SELECT person, s.value, array_agg(size ORDER BY release) AS sizes, array_agg(s.n::int ORDER BY release) AS counts
				FROM attacker.place p JOIN size USING (release, class) JOIN attacker.shown s USING (release, class)
				WHERE p.publication = pub AND s.publication = pub AND s.value IS NOT NULL AND person > 0 GROUP BY 1, 2)
		SELECT format('person %s, value %s: statistics are %s %s, not %s %s', person, value, t.sizes, t.counts, own.sizes, own.counts)
		FROM own FULL JOIN (SELECT * FROM attacker.linked WHERE publication = pub) t USING (person, value)
		WHERE (t.sizes, t.counts) IS DISTINCT FROM (own.sizes, own.counts);

	RETURN QUERY SELECT attacker.unsafe_atoms(pub, k, l);
	RETURN QUERY SELECT format('%s are not what the log tells', fold) FROM pprepub.rebuild_history(pub) WHERE NOT equal;
	RETURN QUERY SELECT format('audit: %s', a) FROM pprepub.audit(pub) a WHERE NOT holds;
END
$fn$;

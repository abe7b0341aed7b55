-- ----------------------------------------------------------------
-- history/: the releases and answers that observers have seen
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.rebuild_history(publication text, OUT fold text, OUT equal boolean)
	RETURNS SETOF record
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_rebuild_history';
COMMENT ON FUNCTION pprepub.rebuild_history(text) IS
	'rebuild from the log what is kept beside it, and tell whether it was equal';

CREATE FUNCTION pprepub.acknowledge_history(publication text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_acknowledge_history';
COMMENT ON FUNCTION pprepub.acknowledge_history(text) IS
	'confirm that the history is complete after a restore, copy or promotion; also waive protection together with releases imported without a key';

CREATE FUNCTION pprepub.forget_person(publication text, VARIADIC keys text[]) RETURNS bigint
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_forget_person';
COMMENT ON FUNCTION pprepub.forget_person(text, text[]) IS
	'put random numbers in place of keys of people who have left the source, and tell how many the history had';

-- Integers are negative, since keys hardly ever are; texts are longer than columns with a length can hold; others look like
-- keyed hashes and random keys of their types.  NULL for types that have too few values: one of them would be somebody's.
CREATE FUNCTION pprepub_internal.random_key(type oid) RETURNS text
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	code CONSTANT text := gen_random_uuid();
	bits CONSTANT bigint := ('x' || left(code, 8) || right(code, 8))::bit(64)::bigint;
	fields text[] := ARRAY(SELECT coalesce('"' || replace(replace(CASE WHEN t.typtype IN ('b', 'c') AND a.atttypmod = -1 THEN pprepub_internal.random_key(t.oid) END,
			'\', '\\'), '"', '""') || '"', '')
		FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = (SELECT c.typrelid FROM pg_type c WHERE c.oid = type)
			AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum);
BEGIN
	RETURN CASE
		WHEN type IN ('bigint'::regtype, 'numeric'::regtype) THEN (-1 - (bits & 9223372036854775807))::text
		WHEN type = 'integer'::regtype THEN (-1 - (bits & 2147483647))::text
		WHEN type = 'smallint'::regtype THEN (-1 - (bits & 32767))::text
		WHEN type = 'bytea'::regtype THEN sha256(code::bytea)::text
		WHEN type = 'jsonb'::regtype THEN format('"%s"', code)
		WHEN type = 'uuid'::regtype OR (SELECT t.typcategory = 'S' FROM pg_type t WHERE t.oid = type) THEN code
		WHEN array_to_string(fields, '') <> '' THEN '(' || array_to_string(fields, ',') || ')' END;
END
$$;
COMMENT ON FUNCTION pprepub_internal.random_key(oid) IS 'draw a value that stands for the key of somebody who was forgotten';

CREATE FUNCTION pprepub_internal.is_rewound(publication text) RETURNS boolean
	LANGUAGE C STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_is_rewound';
COMMENT ON FUNCTION pprepub_internal.is_rewound(text) IS
	'tell whether the history may have been rewound; NULL unless the caller owns the publication, and on a standby';

-- Groups and places, as they follow from the log: the beginning of a query, with results "groups" and "places".
-- log: a query; key, sensitive: what stands before and behind an element to compare it by its type's own equality, and to
-- make it a value of the type; bare: the releases that do not show all quasi-identifiers; partial: those of a cohort.
-- In FROM, unnest() would take composite values apart.
CREATE FUNCTION pprepub_internal.fold_of_log(log text, key text[], sensitive text[], bare int[], partial int[]) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT format($query$
		WITH member AS MATERIALIZED (
			SELECT l.release, l.class, l."group",
				unnest(l.places) AS place, unnest(l.keys) AS key, unnest(l.sensitive) AS value, unnest(l.fingerprints) AS fingerprint
			FROM (%1$s) l),
		person AS MATERIALIZED (
			SELECT %2$sm.key%3$s AS key, row_number() OVER () AS person, max(m.release) AS last
			FROM member m WHERE m.key IS DISTINCT FROM NULL GROUP BY 1),
		known AS MATERIALIZED (SELECT m.*, p.person, p.last FROM member m LEFT JOIN person p ON p.key = %2$sm.key%3$s),
		-- People of a class published elsewhere keep a place that they have, which the log does not say again.
		keeper AS MATERIALIZED (SELECT DISTINCT m.person FROM known m WHERE m.place IS NULL),
		counted AS (
			SELECT m.*, count(m.place) OVER (PARTITION BY m.person ORDER BY m.release) AS stay FROM known m JOIN keeper USING (person)),
		seated AS MATERIALIZED (
			SELECT m.release, m.class, m.person, m.last, m.key, m.value, m.fingerprint, false AS is_kept, m."group", m.place
			FROM known m LEFT JOIN keeper k USING (person) WHERE k.person IS NULL
			UNION ALL
			SELECT c.release, c.class, c.person, c.last, c.key, c.value, c.fingerprint, c.place IS NULL,
				CASE WHEN c.place IS NULL THEN first_value(c."group") OVER stay ELSE c."group" END,
				coalesce(c.place, first_value(c.place) OVER stay)
			FROM counted c WINDOW stay AS (PARTITION BY c.person, c.stay ORDER BY c.release)),
		-- Classes published elsewhere have negative numbers.
		class AS MATERIALIZED (
			SELECT s.release, s.class, row_number() OVER (ORDER BY s.release, s.class) * CASE WHEN bool_or(s.is_kept) THEN -1 ELSE 1 END AS number
			FROM seated s GROUP BY s.release, s.class),
		-- A place's holder sat there last, and has sat nowhere else since.  Of a cohort it is known who was there, but not who was away.
		place AS MATERIALIZED (
			SELECT s."group", s.place, min(s.release) AS created, array_agg(c.number ORDER BY s.release) AS classes,
				max(s.release) FILTER (WHERE s.person IS NOT NULL) AS sat,
				max(s.release) FILTER (WHERE s.person IS NULL AND s.release <> ALL (%8$L::int[])) AS away
			FROM seated s JOIN class c USING (release, class) GROUP BY s."group", s.place),
		-- Places of a part were in the same classes, ever.  It is apart if others that were in them, too, were shown next without it.
		line AS MATERIALIZED (SELECT DISTINCT p."group", p.classes, cardinality(p.classes) AS n FROM place p),
		apart AS (
			SELECT DISTINCT l."group", l.classes FROM line l JOIN line o USING ("group")
			WHERE o.n > l.n AND o.classes[l.n + 1] > 0 AND o.classes[ : l.n] = l.classes),
		parted AS (
			SELECT p.*, CASE WHEN a.classes IS NULL THEN 1 ELSE -1 END * min(p.place) OVER (PARTITION BY p."group", p.classes) AS part
			FROM place p LEFT JOIN apart a USING ("group", classes)),
		holder AS MATERIALIZED (
			SELECT s."group", s.place, s.person, s.key FROM place p JOIN seated s USING ("group", place) WHERE s.release = p.sat AND s.last = p.sat),
		-- A release and a fingerprint as one number, of which the latest is the greatest.
		print AS (
			SELECT s."group", s.place, (max(s.release::bigint << 32 | (s.fingerprint & 4294967295)) << 32 >> 32)::int AS fingerprint
			FROM seated s JOIN holder h USING ("group", place, person) WHERE s.release <> ALL (%6$L::int[]) GROUP BY s."group", s.place),
		held AS (
			SELECT p."group", min(p.created) AS created, array_agg(h.key ORDER BY p.place) AS keys,
				array_agg((h.person IS NOT NULL AND coalesce(p.away > p.sat, false))::int ORDER BY p.place) AS states,
				array_agg(coalesce(f.fingerprint, 0) ORDER BY p.place) AS fingerprints, array_agg(p.part ORDER BY p.place) AS parts
			FROM parted p LEFT JOIN holder h USING ("group", place) LEFT JOIN print f USING ("group", place)
			GROUP BY p."group"),
		-- Values of a place, each from its release to the next one; an epoch begins where some place of the group has another.
		change AS MATERIALIZED (
			SELECT c."group", c.place, c.value, c.release AS since, lead(c.release) OVER (PARTITION BY c."group", c.place ORDER BY c.release) AS until
			FROM (
				SELECT s."group", s.place, s.release, s.value,
					lag(s.release) OVER lives IS NULL OR %4$ss.value%5$s IS DISTINCT FROM %4$slag(s.value) OVER lives%5$s AS is_new
				FROM seated s WINDOW lives AS (PARTITION BY s."group", s.place ORDER BY s.release)) c
			WHERE c.is_new),
		epoch AS MATERIALIZED (SELECT DISTINCT c."group", c.since FROM change c),
		shown AS (
			SELECT e."group", array_agg(c.value ORDER BY e.since, c.place) AS sensitive
			FROM epoch e JOIN change c USING ("group") WHERE c.since <= e.since AND (c.until IS NULL OR c.until > e.since) GROUP BY e."group"),
		epochs AS (SELECT e."group", array_agg(e.since ORDER BY e.since) AS epochs FROM epoch e GROUP BY e."group"),
		groups AS (
			SELECT h."group", h.created, h.keys, CASE WHEN 1 = ANY (h.states) THEN h.states END AS states, h.fingerprints,
				CASE WHEN 1 <> ANY (h.parts) THEN h.parts END AS parts,
				e.epochs, s.sensitive
			FROM held h JOIN shown s USING ("group") JOIN epochs e USING ("group")),
		places AS (
			SELECT s.key%7$s AS key, s."group", s.place, s.release AS came
			FROM seated s JOIN (SELECT s."group", s.place, min(s.release) AS release FROM seated s WHERE s.person IS NOT NULL
				GROUP BY s.person, s."group", s.place) f USING ("group", place, release))
		$query$, log, key[1], key[2], sensitive[1], sensitive[2], bare, key[3], partial)
	$$;
COMMENT ON FUNCTION pprepub_internal.fold_of_log(text, text[], text[], int[], int[]) IS 'write a query that makes groups and places from a log';

-- Groups that only one of the two has, or that differ, and how many the log tells of.
CREATE FUNCTION pprepub_internal.compare_fold(log text, key text[], sensitive text[], bare int[], partial int[], kept_groups text, kept_places text,
		OUT items bigint, OUT wrong bigint, OUT first_wrong bigint)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp SET enable_mergejoin = off SET enable_nestloop = off
	AS $$
BEGIN
	EXECUTE pprepub_internal.fold_of_log(log, key, sensitive, bare, partial) || format($query$,
		told AS (SELECT p."group", p.place, p.came, %1$sp.key%2$s AS key FROM places p),
		kept AS (SELECT p."group", p.place, p.came, %1$sp.key%2$s AS key FROM %5$s p),
		wrong AS (
			SELECT "group" FROM groups g FULL JOIN %6$s k USING ("group")
			WHERE g.created IS NULL OR k.created IS NULL
				OR (g.created, g.states, g.fingerprints, g.parts, g.epochs) IS DISTINCT FROM (k.created, k.states, k.fingerprints, k.parts, k.epochs)
				OR (cardinality(g.keys), cardinality(g.sensitive)) IS DISTINCT FROM (cardinality(k.keys), cardinality(k.sensitive))
				OR EXISTS (SELECT FROM (SELECT unnest(g.keys) AS a, unnest(k.keys) AS b) u WHERE %1$su.a%2$s IS DISTINCT FROM %1$su.b%2$s)
				OR EXISTS (SELECT FROM (SELECT unnest(g.sensitive) AS a, unnest(k.sensitive) AS b) u WHERE %3$su.a%4$s IS DISTINCT FROM %3$su.b%4$s)
			UNION SELECT "group" FROM told t FULL JOIN kept k USING ("group", place, came) WHERE t.key IS DISTINCT FROM k.key
			UNION SELECT "group" FROM kept GROUP BY "group", place, came HAVING count(*) > 1
			UNION SELECT "group" FROM %6$s GROUP BY "group" HAVING count(*) > 1)
		SELECT (SELECT count(DISTINCT p."group") FROM place p), count(*), coalesce(min(w."group"), 0) FROM wrong w
		$query$, key[1], key[2], sensitive[1], sensitive[2], kept_places, kept_groups) INTO items, wrong, first_wrong;
END
$$;
COMMENT ON FUNCTION pprepub_internal.compare_fold(text, text[], text[], int[], int[], text, text) IS 'compare groups and places with a log';

-- People, each with the first release that shows them: the beginning of a query, with results "newcomer" and "people".
CREATE FUNCTION pprepub_internal.people_of_log(log text, key text[]) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
	SELECT format($query$
		WITH newcomer AS MATERIALIZED (
			SELECT min(m.release) AS came, (array_agg(m.key))[1] AS key
			FROM (SELECT l.release, unnest(l.keys) AS key FROM (%1$s) l) m GROUP BY %2$sm.key%3$s),
		people AS (
			SELECT n.came, array_agg(n.key) AS keys
			FROM (SELECT *, row_number() OVER (PARTITION BY came) / 100000 AS part FROM newcomer) n GROUP BY n.came, n.part)
		$query$, log, key[1], key[2])
	$$;
COMMENT ON FUNCTION pprepub_internal.people_of_log(text, text[]) IS 'write a query that finds people in a log';

-- People whom only one of the two has, or in another release, and how many the log tells of.
CREATE FUNCTION pprepub_internal.compare_people(log text, key text[], kept text, OUT items bigint, OUT wrong bigint, OUT first_wrong bigint)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
BEGIN
	EXECUTE pprepub_internal.people_of_log(log, key) || format($query$,
		told AS (SELECT %1$sn.key%2$s AS key, n.came FROM newcomer n),
		kept AS (SELECT %1$sp.key%2$s AS key, p.came FROM (SELECT came, unnest(keys) AS key FROM %3$s) p),
		wrong AS ((TABLE told EXCEPT ALL TABLE kept) UNION ALL (TABLE kept EXCEPT ALL TABLE told))
		SELECT (SELECT count(*) FROM newcomer), count(*), coalesce(min(came), 0) FROM wrong
		$query$, key[1], key[2], kept) INTO items, wrong, first_wrong;
END
$$;
COMMENT ON FUNCTION pprepub_internal.compare_people(text, text[], text) IS 'compare people with a log';

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
			SELECT %2$sm.key%3$s AS key, row_number() OVER () AS person FROM member m WHERE m.key IS DISTINCT FROM NULL GROUP BY 1),
		-- People of a class published elsewhere keep a place that they have, which the log does not say again.
		counted AS (
			SELECT m.*, p.person, count(m.place) OVER (PARTITION BY p.person ORDER BY m.release) AS stay
			FROM member m LEFT JOIN person p ON p.key = %2$sm.key%3$s),
		seated AS MATERIALIZED (
			SELECT c.release, c.class, c.person, c.key, c.value, c.fingerprint, c.place IS NULL AS is_kept,
				CASE WHEN c.place IS NULL THEN first_value(c."group") OVER stay ELSE c."group" END AS "group",
				coalesce(c.place, first_value(c.place) OVER stay) AS place
			FROM counted c WINDOW stay AS (PARTITION BY c.person, c.stay ORDER BY c.release)),
		-- Classes published elsewhere have negative numbers.
		class AS MATERIALIZED (
			SELECT s.release, s.class, row_number() OVER (ORDER BY s.release, s.class) * CASE WHEN bool_or(s.is_kept) THEN -1 ELSE 1 END AS number
			FROM seated s GROUP BY s.release, s.class),
		place AS MATERIALIZED (
			SELECT s."group", s.place, min(s.release) AS created, array_agg(c.number ORDER BY s.release) AS classes
			FROM seated s JOIN class c USING (release, class) GROUP BY s."group", s.place),
		-- Places of a part were in the same classes, ever.  It is apart if others that were in them, too, were shown next without it.
		line AS MATERIALIZED (SELECT DISTINCT p."group", p.classes, cardinality(p.classes) AS n FROM place p),
		apart AS (
			SELECT DISTINCT l."group", l.classes FROM line l JOIN line o USING ("group")
			WHERE o.n > l.n AND o.classes[l.n + 1] > 0 AND o.classes[ : l.n] = l.classes),
		parted AS (
			SELECT p."group", p.place, p.created,
				CASE WHEN a.classes IS NULL THEN 1 ELSE -1 END * min(p.place) OVER (PARTITION BY p."group", p.classes) AS part
			FROM place p LEFT JOIN apart a USING ("group", classes)),
		sitter AS (
			SELECT DISTINCT ON (s."group", s.place) s."group", s.place, s.person, s.key
			FROM seated s WHERE s.person IS NOT NULL ORDER BY s."group", s.place, s.release DESC),
		seat AS (
			SELECT DISTINCT ON (s.person) s.person, s."group", s.place FROM seated s WHERE s.person IS NOT NULL ORDER BY s.person, s.release DESC),
		-- A place's holder sat there last, and has sat nowhere else since.
		holder AS MATERIALIZED (SELECT h.* FROM sitter h JOIN seat USING (person, "group", place)),
		print AS (
			SELECT "group", place, person, (array_agg(s.fingerprint ORDER BY s.release DESC))[1] AS fingerprint
			FROM seated s JOIN holder h USING ("group", place, person) WHERE s.release <> ALL (%6$L::int[]) GROUP BY "group", place, person),
		-- Of a cohort it is known who was there, but not who was away.
		latest AS (
			SELECT DISTINCT ON (s."group", s.place) s."group", s.place, s.person IS NULL AS is_away
			FROM seated s WHERE s.person IS NOT NULL OR s.release <> ALL (%8$L::int[]) ORDER BY s."group", s.place, s.release DESC),
		held AS (
			SELECT p."group", min(p.created) AS created, array_agg(h.key ORDER BY p.place) AS keys,
				array_agg((h.person IS NOT NULL AND l.is_away)::int ORDER BY p.place) AS states,
				array_agg(coalesce(f.fingerprint, 0) ORDER BY p.place) AS fingerprints, array_agg(p.part ORDER BY p.place) AS parts
			FROM parted p JOIN latest l USING ("group", place) LEFT JOIN holder h USING ("group", place) LEFT JOIN print f USING ("group", place)
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
		groups AS (
			SELECT h."group", h.created, h.keys, CASE WHEN 1 = ANY (h.states) THEN h.states END AS states, h.fingerprints,
				CASE WHEN 1 <> ANY (h.parts) THEN h.parts END AS parts,
				ARRAY(SELECT e.since FROM epoch e WHERE e."group" = h."group" ORDER BY e.since) AS epochs, s.sensitive
			FROM held h JOIN shown s USING ("group")),
		places AS (
			SELECT (array_agg(s.key ORDER BY s.release))[1]%7$s AS key, s."group", s.place, min(s.release) AS came
			FROM seated s WHERE s.person IS NOT NULL GROUP BY s.person, s."group", s.place)
		$query$, log, key[1], key[2], sensitive[1], sensitive[2], bare, key[3], partial)
	$$;
COMMENT ON FUNCTION pprepub_internal.fold_of_log(text, text[], text[], int[], int[]) IS 'write a query that makes groups and places from a log';

-- Groups that only one of the two has, or that differ, and how many the log tells of.
CREATE FUNCTION pprepub_internal.compare_fold(log text, key text[], sensitive text[], bare int[], partial int[], kept_groups text, kept_places text,
		OUT items bigint, OUT wrong bigint, OUT first_wrong bigint)
	LANGUAGE plpgsql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
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
			UNION SELECT "group" FROM ((TABLE told EXCEPT ALL TABLE kept) UNION ALL (TABLE kept EXCEPT ALL TABLE told)) d)
		SELECT (SELECT count(DISTINCT s."group") FROM seated s), count(*), coalesce(min(w."group"), 0) FROM wrong w
		$query$, key[1], key[2], sensitive[1], sensitive[2], kept_places, kept_groups) INTO items, wrong, first_wrong;
END
$$;
COMMENT ON FUNCTION pprepub_internal.compare_fold(text, text[], text[], int[], int[], text, text) IS 'compare groups and places with a log';

-- Match joins of small releases from their definitions, record by record, with all perfect matchings tried: plpgsql that
-- shares nothing with the extension but what class_members() says.
--
--	joiner.record			a row for each person and release; who fills it says who is absent
--	joiner.join(kind)		makes joiner.edge and joiner.clique those of a kind of join
--	joiner.profiled			linkability and diversity of each tuple of joiner.tuple
--
-- A cell of a release that shows nothing is '(,)' or '*'.  told: the release shows the illness; an absentee's illness is NULL
-- and "unknown" if no release shows it.
CREATE SCHEMA joiner;
CREATE TABLE joiner.record (r int, i int, age int4range, zip text, sex text, ward int, told boolean, unknown boolean, ill text, absent boolean,
	person int, PRIMARY KEY (r, i));
CREATE TABLE joiner.tuple (age int, zip text, sex text);

CREATE FUNCTION joiner.fit(a text, b text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN a = '*' OR b = '*' THEN true WHEN a IS NULL OR b IS NULL THEN a IS NULL AND b IS NULL
		WHEN a LIKE '%*' AND starts_with(rtrim(b, '*'), rtrim(a, '*')) THEN true
		WHEN b LIKE '%*' AND starts_with(rtrim(a, '*'), rtrim(b, '*')) THEN true ELSE a = b END
$$;
CREATE FUNCTION joiner.fit(a int4range, b int4range) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT CASE WHEN a = '(,)' OR b = '(,)' THEN true WHEN a IS NULL OR b IS NULL THEN a IS NULL AND b IS NULL ELSE a && b END
$$;

-- Which of two releases' people are there and absent, of anybody: '11', '10', '01', '00'.
CREATE FUNCTION joiner.together(a int, b int) RETURNS text[] LANGUAGE sql STABLE AS $$
	SELECT array_agg(DISTINCT (NOT x.absent)::int::text || (NOT y.absent)::int::text)
	FROM joiner.record x JOIN joiner.record y USING (person) WHERE x.r = a AND y.r = b
$$;

-- All edges; "there" parts those of absentees, unless the reading is the unifying one.
CREATE FUNCTION joiner.edges(unifying boolean) RETURNS TABLE (r int, i int, s int, j int) LANGUAGE sql STABLE AS $$
	SELECT a.r, a.i, b.r, b.i FROM joiner.record a JOIN joiner.record b ON a.r < b.r
	JOIN LATERAL (SELECT joiner.together(a.r, b.r) AS t) x ON true
	WHERE joiner.fit(a.age, b.age) AND joiner.fit(a.zip, b.zip) AND joiner.fit(a.sex, b.sex)
		AND (a.ward IS NULL OR b.ward IS NULL OR a.ward = b.ward)
		AND (NOT a.told OR NOT b.told OR a.unknown OR b.unknown OR a.ill IS NOT DISTINCT FROM b.ill)
		AND (unifying OR (NOT a.absent)::int::text || (NOT b.absent)::int::text = ANY (x.t))
$$;

-- Is there a perfect matching of two releases' records from number i on, by edges edge[i * n + j], that avoids those taken?
CREATE FUNCTION joiner.matches(edge boolean[], n int, i int, taken boolean[]) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF i = n THEN
		RETURN true;
	END IF;
	FOR j IN 0 .. n - 1 LOOP
		IF edge[i * n + j + 1] AND NOT taken[j + 1] THEN
			taken[j + 1] := true;
			IF joiner.matches(edge, n, i + 1, taken) THEN
				RETURN true;
			END IF;
			taken[j + 1] := false;
		END IF;
	END LOOP;
	RETURN false;
END
$$;

CREATE TABLE joiner.edge (r int, i int, s int, j int);
CREATE TABLE joiner.clique (member int[]);		-- member[r] is a record of release r

-- R-cliques of the edges there are; nobody is absent everywhere, unless the reading is the unifying one.
CREATE PROCEDURE joiner.find_cliques(unifying boolean) LANGUAGE plpgsql AS $$
DECLARE
	releases int := max(r) FROM joiner.record;
BEGIN
	DELETE FROM joiner.clique;
	INSERT INTO joiner.clique SELECT ARRAY[i] FROM joiner.record WHERE r = 1;
	FOR k IN 2 .. releases LOOP
		CREATE TEMP TABLE longer AS SELECT member || x.i AS member FROM joiner.clique c JOIN joiner.record x ON x.r = k
			WHERE NOT EXISTS (SELECT FROM generate_series(1, k - 1) q
				WHERE NOT EXISTS (SELECT FROM joiner.edge e WHERE e.r = q AND e.i = member[q] AND e.s = k AND e.j = x.i));
		DELETE FROM joiner.clique;
		INSERT INTO joiner.clique SELECT member FROM longer;
		DROP TABLE longer;
	END LOOP;
	DELETE FROM joiner.clique WHERE NOT unifying
		AND (SELECT bool_and(absent) FROM unnest(member) WITH ORDINALITY m(i, r) JOIN joiner.record USING (r, i));
END
$$;

CREATE PROCEDURE joiner.keep_edges_of_cliques() LANGUAGE sql AS $$
	DELETE FROM joiner.edge e WHERE NOT EXISTS (SELECT FROM joiner.clique WHERE member[e.r] = e.i AND member[e.s] = e.j)
$$;

-- Drops what is in no perfect matching of two releases.
CREATE PROCEDURE joiner.drop_no_matches() LANGUAGE plpgsql AS $$
DECLARE
	n int := count(*) FROM joiner.record WHERE r = 1;
	pair record;
	e record;
	edge boolean[];
	single boolean[];
BEGIN
	FOR pair IN SELECT DISTINCT edge.r, edge.s FROM joiner.edge LOOP
		SELECT array_agg(EXISTS (SELECT FROM joiner.edge d WHERE d.r = pair.r AND d.i = x AND d.s = pair.s AND d.j = y) ORDER BY x, y) INTO edge
		FROM generate_series(0, n - 1) x, generate_series(0, n - 1) y;
		FOR e IN SELECT * FROM joiner.edge WHERE joiner.edge.r = pair.r AND joiner.edge.s = pair.s LOOP
			single := edge;
			FOR j IN 0 .. n - 1 LOOP
				single[e.i * n + j + 1] := j = e.j;
			END LOOP;
			IF NOT joiner.matches(single, n, 0, array_fill(false, ARRAY[n])) THEN
				DELETE FROM joiner.edge d WHERE d = e;
			END IF;
		END LOOP;
	END LOOP;
END
$$;

-- Marks the cliques of all perfect matchings of all releases.
CREATE FUNCTION joiner.admit(chosen int[][], n int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	found boolean := false;
	c int[];
	k int := coalesce(array_length(chosen, 1), 0);
BEGIN
	IF k = n THEN
		FOREACH c SLICE 1 IN ARRAY chosen LOOP
			INSERT INTO admissible VALUES (c) ON CONFLICT DO NOTHING;
		END LOOP;
		RETURN true;
	END IF;
	FOR c IN SELECT member FROM joiner.clique WHERE member[1] = k LOOP
		CONTINUE WHEN k > 0 AND (SELECT bool_or(chosen[x][y] = c[y]) FROM generate_series(1, k) x, generate_series(2, array_length(c, 1)) y);
		found := joiner.admit(chosen || ARRAY[c], n) OR found;
	END LOOP;
	RETURN found;
END
$$;

-- Makes joiner.edge and joiner.clique those of a join of this kind; returns how many edges there were in the beginning.
CREATE FUNCTION joiner.join(kind text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	unifying boolean := kind LIKE '%unifying';
	n int := count(*) FROM joiner.record WHERE r = 1;
	several boolean := max(r) > 1 FROM joiner.record;
	all_edges bigint;
	before bigint;
BEGIN
	DELETE FROM joiner.edge;
	INSERT INTO joiner.edge SELECT * FROM joiner.edges(unifying);
	SELECT count(*) INTO all_edges FROM joiner.edge;
	CALL joiner.find_cliques(unifying);
	IF kind LIKE 'kmj%' THEN
		LOOP
			SELECT count(*) INTO before FROM joiner.edge;
			CALL joiner.drop_no_matches();
			CALL joiner.find_cliques(unifying);
			IF several THEN
				CALL joiner.keep_edges_of_cliques();
			END IF;
			EXIT WHEN before = (SELECT count(*) FROM joiner.edge);
		END LOOP;
	ELSIF kind = 'fmj' THEN
		CREATE TEMP TABLE admissible (member int[] PRIMARY KEY);
		PERFORM joiner.admit('{}', n);
		DELETE FROM joiner.clique WHERE member NOT IN (SELECT member FROM admissible);
		DROP TABLE admissible;
		CALL joiner.keep_edges_of_cliques();
	END IF;
	RETURN all_edges;
END
$$;

-- Of the join at hand: how many cliques link each tuple to each illness, what is not shown being one.
CREATE VIEW joiner.linked AS
	SELECT t.age, t.zip, t.sex, v.ill, count(*) AS cliques FROM (SELECT DISTINCT * FROM joiner.tuple) t CROSS JOIN joiner.clique c
	CROSS JOIN LATERAL (SELECT bool_and(CASE WHEN x.age = '(,)' THEN true WHEN x.age IS NULL THEN t.age IS NULL ELSE coalesce(x.age @> t.age, false) END
			AND joiner.fit(x.zip, t.zip) AND joiner.fit(x.sex, t.sex)) AS fits,
		CASE WHEN bool_or(x.told AND NOT x.unknown AND x.ill IS NULL) THEN NULL
			ELSE coalesce(max(x.ill) FILTER (WHERE x.told AND NOT x.unknown), 'not shown') END AS ill
		FROM unnest(c.member) WITH ORDINALITY m(i, r) JOIN joiner.record x USING (r, i)) v
	WHERE v.fits GROUP BY t.age, t.zip, t.sex, v.ill;

CREATE VIEW joiner.profiled AS
	SELECT t.age, t.zip, t.sex, count(*) AS records, l.linkability, l.diversity FROM joiner.tuple t LEFT JOIN LATERAL (
		SELECT count(ill)::int AS linkability,
			coalesce(sum(cliques) FILTER (WHERE ill IS NOT NULL) / max(cliques) FILTER (WHERE ill IS NOT NULL), 0)::float8 AS diversity
		FROM joiner.linked l WHERE l.age IS NOT DISTINCT FROM t.age AND l.zip IS NOT DISTINCT FROM t.zip AND l.sex IS NOT DISTINCT FROM t.sex
		HAVING count(*) > 0 AND (SELECT bool_or(told) FROM joiner.record)) l ON true
	GROUP BY t.age, t.zip, t.sex, l.linkability, l.diversity;

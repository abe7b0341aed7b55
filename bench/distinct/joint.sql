-- How many candidates are left to observers who follow everybody at once, beside those that each person has by himself: risk_after_updates() over
-- lives of five releases that the method made of 6 people at first (:lives of them), 50 (a tenth as many) and 500 (one).
--
-- From release to release a fifth leaves, some come back, 15 % are new, and 30 % of the values change as the table of updates allows. Strict lives
-- that lack values which no updates connect are left out.
SET client_min_messages = error;
SELECT setseed(0.5) \g /dev/null

CREATE TABLE people (id int PRIMARY KEY, age int, ill int);
CREATE TABLE gone (LIKE people);
CREATE TABLE updates (from_value int, to_value int);
CREATE TABLE life (what text, m int, is_strict boolean, size int, versions bigint, alone bigint, jointly bigint, known bigint, unknown bigint, seconds float8);

-- Among n values: anything; anything in a group; only down; only down, in branches; half of them to some of the other half; the same so
-- that values which never become the same are connected by others.
CREATE PROCEDURE declare_updates(kind text, n int) LANGUAGE sql AS $$
	TRUNCATE updates;
	INSERT INTO updates SELECT a, b FROM generate_series(0, n - 1) a, generate_series(0, n - 1) b
	WHERE CASE kind WHEN 'any' THEN true WHEN 'groups of 3' THEN a / 3 = b / 3 WHEN 'fall' THEN a >= b WHEN '3 branches' THEN a % 3 = b % 3 AND a >= b
		WHEN 'fork' THEN a = b OR (a >= n / 2 AND b < n / 2 AND random() < 0.4)
		WHEN 'cross' THEN a = b OR (a, b) IN ((0, 6), (0, 8), (1, 7), (1, 9), (2, 6), (2, 9), (3, 7), (3, 8), (4, 10), (4, 11), (5, 10), (5, 11)) END;
$$;

CREATE PROCEDURE change_values() LANGUAGE sql AS $$
	UPDATE people p SET ill = (SELECT to_value FROM updates u WHERE from_value = p.ill ORDER BY random() LIMIT 1) WHERE random() < 0.3;
$$;

CREATE PROCEDURE pass_time(size int, n_values int) LANGUAGE sql AS $$
	WITH back AS (DELETE FROM gone WHERE random() < 0.3 RETURNING *), leaving AS (DELETE FROM people WHERE random() < 0.2 RETURNING *),
		noted AS (INSERT INTO gone TABLE leaving)
	INSERT INTO people TABLE back;
	INSERT INTO people SELECT (SELECT max(id) FROM (TABLE people UNION ALL TABLE gone) s) + i, random() * 50, floor(random() * n_values)
	FROM generate_series(1, 1 + size * 15 / 100) i;
	CALL change_values();
$$;

CREATE PROCEDURE live(kind text, n_values int, m int, is_strict boolean, size int) LANGUAGE plpgsql AS $$
DECLARE
	began timestamptz;
BEGIN
	TRUNCATE people, gone;
	CALL declare_updates(kind, n_values);
	INSERT INTO people SELECT i, random() * 50, floor(random() * n_values) FROM generate_series(1, size) i;
	PERFORM pprepub.create_publication('bench', 'people', 'id', '{"age": "range"}', 'ill', 'm-distinct',
		jsonb_build_object('m', m, 'updates', 'public.updates', 'strict', is_strict));
	FOR release IN 1 .. 5 LOOP
		IF release > 1 THEN
			CALL pass_time(size, n_values);
		END IF;
		PERFORM pprepub.publish('bench');
	END LOOP;
	began := clock_timestamp();
	INSERT INTO life SELECT format('%s of %s', kind, n_values), m, is_strict, size, count(*), count(*) FILTER (WHERE candidates < m),
		count(*) FILTER (WHERE joint_candidates < m), count(*) FILTER (WHERE joint_candidates = 1), count(*) FILTER (WHERE joint_candidates IS NULL),
		extract(epoch FROM clock_timestamp() - began)
	FROM pprepub.risk_after_updates('bench');
	PERFORM pprepub.drop_publication('bench', true);
EXCEPTION WHEN OTHERS THEN
	IF SQLERRM !~ 'that updates do not connect' THEN
		RAISE;
	END IF;
END $$;

CREATE PROCEDURE lead_lives(lives int, kind text, n_values int, m int, is_strict boolean) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. lives LOOP
		CALL live(kind, n_values, m, is_strict, 6);
		IF i % 10 = 0 THEN
			CALL live(kind, n_values, m, is_strict, 50);
		END IF;
		COMMIT;
	END LOOP;
	CALL live(kind, n_values, m, is_strict, 500);
	COMMIT;
END $$;

CALL lead_lives(:lives, 'any', 6, 3, false);
CALL lead_lives(:lives, 'fall', 2, 2, false);
CALL lead_lives(:lives, 'fall', 5, 2, false);
CALL lead_lives(:lives, 'fall', 5, 3, false);
CALL lead_lives(:lives, 'groups of 3', 6, 3, false);
CALL lead_lives(:lives, 'groups of 3', 9, 3, false);
CALL lead_lives(:lives, 'fork', 8, 2, false);
CALL lead_lives(:lives, 'groups of 3', 9, 2, true);
CALL lead_lives(:lives, 'groups of 3', 9, 3, true);
CALL lead_lives(:lives, '3 branches', 9, 3, true);
CALL lead_lives(:lives, 'fork', 8, 2, true);
CALL lead_lives(:lives, 'fork', 8, 3, true);
CALL lead_lives(:lives, 'cross', 12, 2, true);

\echo
\echo versions with fewer than m candidates, each person by himself, and jointly; with one; whose joint candidates were not found
SELECT what AS updates, m, is_strict AS strict, size AS people, count(*) AS lives, sum(versions) AS versions, sum(alone) AS alone, sum(jointly) AS jointly,
	sum(known) AS known, sum(unknown) AS unknown, round((100 * sum(jointly) / nullif(sum(versions - unknown), 0))::numeric, 1) AS jointly_pct,
	round(max(seconds)::numeric, 2) AS seconds
FROM life GROUP BY 1, 2, 3, 4 ORDER BY 3, 1, 2, 4;

-- Invented rows of m-invariance and cor-split cannot be told from people's: neither where they stand, nor in which classes, nor by
-- what they show; and they never come again.
BEGIN;
SELECT setseed(0.4) \g /dev/null

-- One value is too frequent among newcomers, and everybody with another one leaves for a while.
CREATE TABLE people AS SELECT i AS id, 20 + i * 7 % 50 AS age, (ARRAY['N', 'E', 'S', 'W'])[1 + i % 4] AS side,
	CASE WHEN i % 10 < 3 THEN 'd0' ELSE 'd' || 1 + (i * 11 % 97) % 11 END AS ill FROM generate_series(1, 6000) i;
CREATE TABLE away (LIKE people);
CREATE TABLE everybody AS TABLE people;
SELECT pprepub.create_publication(v.method, 'people', 'id', '{"age": "range", "side": "suppress"}', 'ill', replace(v.method, '_', '-'), v.params, beside => v.beside)
FROM (VALUES ('m_invariance', 'm-invariance', '{"m": 4}'::jsonb, '{}'::name[]), ('cor_split', 'cor-split', '{"m": 4, "n": 3}', '{m_invariance}')) v(method, real, params, beside) \g /dev/null

CREATE FUNCTION live(releases int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	FOR n IN 1 .. releases LOOP
		PERFORM pprepub.publish('m_invariance'), pprepub.publish('cor_split');
		WITH back AS (DELETE FROM away WHERE random() < 0.5 RETURNING *) INSERT INTO people TABLE back;
		WITH gone AS (DELETE FROM people WHERE ill = 'd' || 1 + n OR random() < 0.1 RETURNING *) INSERT INTO away TABLE gone;
	END LOOP;
END $$;
SELECT live(5) \g /dev/null

-- Releases as one table: a row's place in its class, and the class's place in the release.
CREATE TABLE shown (publication text, release int, class bigint, classes bigint, place bigint, size bigint, ill text, age int4range, side text);
DO $$
DECLARE
	one record;
BEGIN
	FOR one IN SELECT publication, number, relation, classes FROM pprepub.release LOOP
		EXECUTE format('INSERT INTO shown SELECT %L, %s, class, %s, row_number() OVER (PARTITION BY class ORDER BY ctid), count(*) OVER (PARTITION BY class),
			ill, age, side FROM %s', one.publication, one.number, one.classes, one.relation);
	END LOOP;
END $$;
-- Each value stands once in a class of m-invariance, so the owner knows which rows are invented.
CREATE TABLE invented AS
SELECT s.* FROM shown s WHERE publication = 'm_invariance' AND NOT EXISTS (
	SELECT FROM pprepub.class_members('m_invariance') m JOIN everybody e ON e.id::text = m.key WHERE (m.release, m.class, e.ill) = (s.release, s.class, s.ill));
SELECT is((SELECT count(*) FROM invented), (SELECT sum(counterfeits)::bigint FROM pprepub.release WHERE publication = 'm_invariance'), 'all of them are found');
SELECT ok((SELECT min(counterfeits) > 100 FROM pprepub.release), 'there are many in each release');

-- Within five standard deviations.
CREATE FUNCTION about(found numeric, expected numeric, variance numeric, what text) RETURNS text LANGUAGE sql AS $$
	SELECT ok(abs(found - expected) < 5 * sqrt(variance), format('%s: %s, %s expected', what, round(found, 1), round(expected, 1)))
$$;
SELECT about(count(*) FILTER (WHERE place = 1), sum(1.0 / size), sum(1.0 / size), 'they stand first in a class as often as others') FROM invented;
SELECT about(count(*) FILTER (WHERE place = size), sum(1.0 / size), sum(1.0 / size), 'and last') FROM invented;
SELECT about(sum((place - 0.5) / size), count(*) / 2.0, count(*) / 12.0, 'and in the middle') FROM invented;
SELECT about(sum((class - 0.5) / classes), count(*) / 2.0, count(*) / 12.0, publication || ': classes that have any are numbered like others')
FROM (SELECT DISTINCT publication, release, s.class, classes FROM shown s JOIN (SELECT 'm_invariance' AS publication, * FROM published.m_invariance_counterfeits
	UNION ALL SELECT 'cor_split', * FROM published.cor_split_counterfeits) c USING (publication, release) WHERE c.class = s.class) c GROUP BY publication;
SELECT is((SELECT count(*) FROM (SELECT FROM shown GROUP BY publication, release, class HAVING count(DISTINCT (age, side)) > 1) c), 0::bigint, 'cells are those of all the class');
SELECT is((SELECT count(*) FROM shown WHERE ill IS NULL OR age IS NULL OR side IS NULL OR ill !~ '^d\d+$'), 0::bigint, 'nothing is missing of them');

-- Where people's rows can be told apart, an invented one says of itself what some true row of its class says, whichever that is.
CREATE TABLE told AS SELECT *, 'n' || id AS note FROM everybody;
SELECT pprepub.create_publication('told', 'told', 'id', '{"age": "range"}', 'ill', 'm-invariance', '{"m": 4, "accept_insensitive": true}', insensitive => '{note}',
	beside => '{m_invariance,cor_split}') \g /dev/null
SELECT pprepub.publish('told') \g /dev/null
CREATE TABLE copied AS SELECT s.class, s.ill, t.ill AS of
FROM published.told_1 s JOIN told t USING (note) JOIN pprepub.class_members('told') m ON m.key = t.id::text AND m.class = s.class;
SELECT ok(count(*) > 100, 'many say what others say') FROM copied WHERE ill <> of;
SELECT about(count(*) FILTER (WHERE others.place = 1), sum(1.0 / others.n), sum(1.0 / others.n), 'and not that of the lowest value') FROM copied c,
	LATERAL (SELECT count(*) FILTER (WHERE o.ill <= c.of) AS place, count(*) AS n FROM copied o WHERE o.class = c.class AND o.ill = o.of) others WHERE c.ill <> c.of;

-- At first they have the values of all but the one that is too frequent, as people have.
SELECT is((SELECT count(DISTINCT ill) FROM invented WHERE release = 1), 11::bigint, 'values are those of people');
SELECT ok(bool_and(n < 4 * least), 'none stands out') FROM (SELECT count(*) AS n, min(count(*)) OVER () AS least FROM invented WHERE release = 1 GROUP BY ill) v;

-- People who came back are among the same values, and nothing is suppressed.
SELECT is((SELECT string_agg(check_name, ' ') FROM unnest('{m_invariance,cor_split}'::text[]) name, pprepub.audit(name) WHERE NOT holds), NULL, 'audit()');
SELECT is((SELECT sum(suppressed) FROM pprepub.release), 0::numeric, 'nothing is suppressed');

-- A release that was rolled back leaves nothing behind: the next one has its number, other invented rows, and is safe.
SAVEPOINT before;
SELECT pprepub.publish('cor_split') \g /dev/null
ROLLBACK TO before;
SELECT is((SELECT number FROM pprepub.publish('cor_split')), 6, 'a release that was rolled back was none');
SELECT is_empty($$ SELECT * FROM pprepub.rebuild_history('cor_split') $$, 'nor is it in the history');
SELECT is((SELECT string_agg(check_name, ' ') FROM pprepub.audit('cor_split') WHERE NOT holds), NULL, 'and audit() holds');

-- The experiment of Barbosa, Pinto and Gomes, section 7: 200,000 people, of whom r are
-- replaced by others from release to release until 600,000 were there; k = l = 10, four
-- quasi-identifiers, 50 sensitive values: test/run bench republish
--
-- The paper's are those without a reserve (1) and with its own repair, dirty rows. Each run is one publication. Times are
-- those of publish(), history included; history is the share of it that goes into reading what was published, guarding it
-- and writing it (the paper's post-processing, which matches people, too: 22 to 25 %); plain is CREATE TABLE AS SELECT … ORDER BY of as many rows as
-- the last release took: its source, and some of it twice for invented rows.
\i test/data/census.sql
\i test/data/census_levels.sql
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;

CREATE TABLE people AS SELECT row_number() OVER (ORDER BY hashint8extended(id, 42)) AS number, * FROM census(600000);
CREATE UNIQUE INDEX ON people (number);
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,country}'::text[]) name \g /dev/null

CREATE TABLE current (id int PRIMARY KEY, age int, sex text, education text, country text, salary_class int);
CREATE TABLE run (r int, reserve int, repair text, release int, rows bigint, suppressed bigint, counterfeits bigint,
	classes bigint, seconds float8, history float8, plain float8);
CREATE TABLE figure (r int, reserve int, repair text, release int, metric text, value float8);

CREATE PROCEDURE come(first int, last int) LANGUAGE sql AS $$
	INSERT INTO current SELECT id, age, sex, education, country, salary_class FROM people WHERE number BETWEEN first AND last
$$;

CREATE PROCEDURE live(rate int, spare int, mend text) LANGUAGE plpgsql AS $$
DECLARE
	n int := 0;
	start timestamptz;
	took float8;
BEGIN
	TRUNCATE current;
	CALL come(1, 200000);
	PERFORM pprepub.create_publication('current', 'current', 'id',
		'{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country"}',
		'salary_class', 'bpg', jsonb_build_object('k', 10, 'l', 10, 'reserve', spare, 'repair', mend));
	LOOP
		n := n + 1;
		COMMIT;
		INSERT INTO run SELECT rate, spare, mend, number, p.rows, p.suppressed, p.counterfeits, p.classes, p.seconds
		FROM pprepub.publish('current') p;
		UPDATE run SET history = (SELECT sum(value::float8) FROM jsonb_each_text(phases) WHERE key IN ('read history', 'guard history', 'write history', 'replace groups'))
		FROM pprepub_internal.catalog_release WHERE (r, reserve, repair, release) = (rate, spare, mend, n) AND number = n;
		INSERT INTO figure SELECT rate, spare, mend, n, m.* FROM pprepub.metrics('current', n) m
		WHERE metric IN ('fem', 'vem', 'fem_counterfeit', 'vem_counterfeit', 'loss_percent');
		COMMIT;
		EXIT WHEN 200000 + n * rate > 600000;
		DELETE FROM current WHERE id IN (SELECT id FROM current ORDER BY hashint8extended(id, n) LIMIT rate);
		CALL come(200001 + (n - 1) * rate, 200000 + n * rate);
	END LOOP;
	CREATE TABLE same AS SELECT id, age, sex, education, country, salary_class FROM current
		UNION ALL (SELECT id, age, sex, education, country, salary_class FROM current, generate_series(1, 5) LIMIT
			(SELECT counterfeits FROM pprepub.release WHERE publication = 'current' AND number = n));
	start := clock_timestamp();
	CREATE TABLE copy AS SELECT id::bigint AS class, age, sex, education, country, salary_class FROM same
		ORDER BY age, sex COLLATE "C", education COLLATE "C", country COLLATE "C";
	took := extract(epoch FROM clock_timestamp() - start);
	DROP TABLE copy, same;
	UPDATE run SET plain = took WHERE (r, reserve, repair) = (rate, spare, mend);
	PERFORM pprepub.drop_publication('current', true);
	COMMIT;
END
$$;

CALL live(40000, 1, 'dirty');
CALL live(40000, 20, 'dirty');
CALL live(40000, 1, 'counterfeit');
CALL live(40000, 2, 'counterfeit');
CALL live(20000, 1, 'dirty');
CALL live(20000, 2, 'counterfeit');
CALL live(10000, 1, 'dirty');
CALL live(10000, 2, 'counterfeit');
CALL live(5000, 1, 'dirty');
CALL live(5000, 1, 'counterfeit');
CALL live(5000, 2, 'counterfeit');

CREATE VIEW summary AS
SELECT r, reserve, repair, max(release) AS releases,
	round(avg(100.0 * suppressed / (rows - counterfeits + suppressed)), 1) AS withheld,
	round(avg(100.0 * suppressed / (rows - counterfeits + suppressed)) FILTER (WHERE release > 1 AND release < 6), 1) AS withheld_2_to_5,
	round(avg(100.0 * counterfeits / rows), 1) AS invented,
	(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds) FILTER (WHERE release BETWEEN 3 AND 7))::numeric AS fifth,
	avg(rows) FILTER (WHERE release BETWEEN 3 AND 7) AS fifth_rows,
	(percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds))::numeric AS median, max(plain)::numeric AS plain,
	round((100 * sum(history) / sum(seconds))::numeric, 1) AS history
FROM run GROUP BY r, reserve, repair;

CREATE VIEW lost AS
SELECT r, reserve, repair, round(avg(value)::numeric, 1) AS loss FROM figure WHERE metric = 'loss_percent' GROUP BY r, reserve, repair;

CREATE VIEW last AS
SELECT r, reserve, repair, (percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds))::numeric AS last, avg(rows) AS last_rows
FROM run JOIN (SELECT r, reserve, repair, max(release) AS n FROM run GROUP BY 1, 2, 3) m
USING (r, reserve, repair) WHERE release > n - 5 GROUP BY 1, 2, 3;

\echo
\echo people withheld, rows invented and loss of a cell, percent of a release on average; seconds of a release (medians; fifth: of the
\echo third to seventh, last: of the last five), how much the rows released grew meanwhile, and the share of history
SELECT r, repair, reserve, releases, withheld, withheld_2_to_5, invented, loss, round(median, 3) AS release_s,
	round(fifth, 3) AS fifth_s, round(last, 3) AS last_s, round(last / fifth, 2) AS last_to_fifth,
	round(last_rows / fifth_rows, 2) AS in_rows, history AS history_pct,
	round(plain, 3) AS plain_s, round(last / plain, 2) AS to_plain
FROM summary JOIN lost USING (r, reserve, repair) JOIN last USING (r, reserve, repair) ORDER BY r DESC, repair DESC, reserve;

\echo
\echo FEM and VEM of the paper (its Figure 3, curves without numbers; with 10 runs of r = 5k and r = 40k): a very good VEM in the
\echo first releases that gradually decreases; a FEM slightly below m-invariance at first that recovers with each release.
\echo Its listing as printed lets observers single out sets that are not allowed.
\echo FEM and VEM (bits) and the loss of a cell (percent) at the first, second, fifth, middle and last release
SELECT r, repair, reserve, metric, round(max(value) FILTER (WHERE release = 1)::numeric, 2) AS first,
	round(max(value) FILTER (WHERE release = 2)::numeric, 2) AS second,
	round(max(value) FILTER (WHERE release = 5)::numeric, 2) AS fifth,
	round(max(value) FILTER (WHERE release = releases / 2)::numeric, 2) AS middle,
	round(max(value) FILTER (WHERE release = releases)::numeric, 2) AS last
FROM figure JOIN summary USING (r, reserve, repair)
WHERE metric ~ CASE repair WHEN 'counterfeit' THEN '_counterfeit$|^loss' ELSE '^.em$|^loss' END
GROUP BY r, repair, reserve, metric, releases ORDER BY r DESC, repair DESC, reserve, metric;

\echo
\echo the same release by release, as the paper draws them; every eighth where there are 81
SELECT r, repair, reserve, metric, string_agg(round(value::numeric, 1)::text, ' ' ORDER BY release) AS releases
FROM figure JOIN (SELECT r, reserve, repair, releases FROM summary WHERE r IN (5000, 40000)) s USING (r, reserve, repair)
WHERE metric ~ CASE repair WHEN 'counterfeit' THEN '_counterfeit$|^loss' ELSE '^.em$|^loss' END AND (release - 1) % CASE WHEN s.releases > 20 THEN 8 ELSE 1 END = 0
GROUP BY r, repair, reserve, metric ORDER BY r DESC, repair DESC, reserve, metric;

-- forecast(): the releases to come, played on the rows of today.
\set ECHO none
\pset format unaligned \t on \pset recordsep '; '
\set VERBOSITY terse
SET ROLE regress_owner;
SET client_min_messages = notice;
CREATE TABLE people (id int PRIMARY KEY, age int, disease text, until date);
INSERT INTO people SELECT i, i * 37 % 80, 'd' || i % 5, date '2026-01-01' + i / 10 FROM generate_series(1, 400) i;
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 4, "l": 2, "repair": "counterfeit", "reserve": 2}');
CREATE FUNCTION forecast(releases int, leave float8 DEFAULT NULL, come float8 DEFAULT NULL, change float8 DEFAULT NULL, params jsonb DEFAULT NULL)
	RETURNS TABLE (release int, rows bigint, withheld numeric, invented numeric, loss numeric, class numeric) LANGUAGE sql AS $$
	SELECT release, rows, round(withheld_percent::numeric, 1), round(invented_percent::numeric, 1), round(loss_percent::numeric, 1), round(average_class::numeric, 1)
	FROM pprepub.forecast('people', $1, $2, $3, $4, params => $5)
$$;
\set ECHO all

-- Defaults: five in a hundred leave, and as many come. One row for each release, the first of which is a preview.
SELECT * FROM forecast(4) \g (format=aligned t=off)
SELECT metric, round(value::numeric, 1) FROM pprepub.preview('people') WHERE metric IN ('rows', 'withheld_percent', 'invented_percent', 'loss_percent', 'average_class');

-- Given: nobody leaves, all are replaced, the table grows, it empties.
SELECT * FROM forecast(3, 0, 0, 0);
SELECT * FROM forecast(3, 1, 1);
SELECT * FROM forecast(3, 0, 1);
SELECT * FROM forecast(3, 1, 0);
SELECT * FROM forecast(3, 0.1);
SELECT * FROM forecast(3, 0.1, 0.1, 1);
SELECT count(*), min(release), max(release) FROM pprepub.forecast('people', 1000, 0.01, 0.01);

-- People come back and move, values change, analysts ask; or nothing happens, whatever is supposed.
SELECT release, rows, round(withheld_percent) AS withheld, round(invented_percent) AS invented, round(stale_percent, 1) AS stale, round(returners_withheld_percent) AS returners FROM (SELECT release, rows,
	withheld_percent, invented_percent, stale_percent::numeric, returners_withheld_percent FROM pprepub.forecast('people', 5, change => 0.02, move => 0.05, come_back => 0.5, answers => 2)) f;
SELECT count(DISTINCT (rows, withheld_percent, invented_percent, stale_percent, loss_percent)), count(returners_withheld_percent)
FROM pprepub.forecast('people', 5, 0.2, 0.3, 0.1, 0.1, 0.5, quiet => 1, answers => 3);
SELECT ties, round(avg(returners_withheld_percent)) AS returners
FROM unnest('{alone,none}'::text[]) ties, pprepub.forecast('people', 8, 0.1, come_back => 0.3, back_changed => 0, params => jsonb_build_object('ties', ties)) GROUP BY 1 ORDER BY 1;

-- With other parameters, which hold for the forecast alone.
SELECT repair, reserve, round(avg(withheld_percent)::numeric, 1) AS withheld, round(avg(invented_percent)::numeric, 1) AS invented, round(avg(loss_percent)::numeric, 1) AS loss
FROM unnest('{counterfeit,dirty}'::text[]) repair, unnest('{1,4,16}'::int[]) reserve,
	pprepub.forecast('people', 10, 0.05, params => jsonb_build_object('repair', repair, 'reserve', reserve)) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT params ->> 'reserve' AS reserve FROM pprepub.publication;

-- Releases go on from those that were published. From here on classes depend on lots that publish() has drawn.
SELECT rows FROM pprepub.publish('people');
DELETE FROM people WHERE id <= 8;
SELECT release FROM forecast(2);
INSERT INTO people SELECT i, i * 37 % 80, 'd' || i % 5, date '2026-01-01' + i / 10 FROM generate_series(401, 408) i;
SELECT number FROM pprepub.publish('people');
DELETE FROM people WHERE id BETWEEN 9 AND 12;
SELECT f.rows = p.value AS is_preview FROM pprepub.forecast('people', 1, 0) f, pprepub.preview('people') p WHERE p.metric = 'rows';
SELECT count(*) FROM (SELECT * FROM forecast(5, 0.1) EXCEPT ALL SELECT * FROM forecast(5, 0.1)) again;
SELECT pprepub.alter_publication('people', '{"leaves": "until"}');
SELECT release, rows > 300 AS many FROM forecast(2, 0.1);

-- Refused
SELECT * FROM pprepub.forecast(NULL, 1);
SELECT * FROM pprepub.forecast('nobody', 1);
SELECT * FROM pprepub.forecast('people', NULL);
SELECT * FROM pprepub.forecast('people', 0);
SELECT * FROM pprepub.forecast('people', -1);
SELECT * FROM pprepub.forecast('people', 1001);
SELECT * FROM pprepub.forecast('people', 1, -0.01);
SELECT * FROM pprepub.forecast('people', 1, 1.01);
SELECT * FROM pprepub.forecast('people', 1, 'NaN');
SELECT * FROM pprepub.forecast('people', 1, come => 'Infinity');
SELECT * FROM pprepub.forecast('people', 1, come => '-Infinity');
SELECT * FROM pprepub.forecast('people', 1, change => 'NaN');
SELECT * FROM pprepub.forecast('people', 1, answers => 101);
\set VERBOSITY default
SELECT * FROM pprepub.forecast('people', 1, change => 2);
SELECT * FROM pprepub.forecast('people', 13, 0, 1);
SELECT * FROM pprepub.forecast('people', 1000, 0, 1);
\set VERBOSITY terse
SELECT * FROM pprepub.forecast('people', 1, params => '{"k": 0}');
SELECT * FROM pprepub.forecast('people', 1, params => '[]');
\set VERBOSITY default
SELECT * FROM pprepub.forecast('people', 1, params => '{"l": 6}');
SELECT * FROM pprepub.forecast('people', 1, params => '{"leaves": "disease"}');
SELECT pprepub.create_publication('invariant', 'people', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 2}', beside => '{people}');
SELECT * FROM pprepub.forecast('invariant', 1);
\set VERBOSITY terse
CALL forget('invariant');
SET ROLE regress_other;
SELECT * FROM pprepub.forecast('people', 1);
SELECT * FROM pprepub.forecast('nobody', 1);
SET ROLE regress_owner;
TRUNCATE people;
SELECT * FROM pprepub.forecast('people', 1);
SELECT * FROM pprepub.preview('people');
CALL public.clean();

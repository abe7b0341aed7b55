-- A worker that stays looks people up in its directory; one that starts for a question reads the whole fold. Either way
-- the history is as it should be. Builds with assertions, which the whole suite has, compare each look-up with the fold.

-- Some come, some leave, some come back, some change, by the day alone.
CREATE TABLE people (id text PRIMARY KEY, age int, zip text, ill text);
CREATE PROCEDURE live(day int) LANGUAGE sql AS $$
	DELETE FROM people;
	INSERT INTO people SELECT 'p' || i, 18 + (i * 7 + CASE WHEN i % 19 = day % 19 THEN day ELSE 0 END) % 60,
		(1000 + i * 13 % 40)::text, 'd' || (i * 31 + CASE WHEN i % 23 = day % 23 THEN day ELSE 0 END) % 11
	FROM generate_series(1 + day * 20, 900 + day * 20) i WHERE (i + day) % 17 <> 3 ORDER BY i;
$$;
CREATE FUNCTION worker() RETURNS int LANGUAGE sql AS $$ SELECT pid FROM pg_stat_activity WHERE backend_type = 'pprepub answer' AND datname = current_database() $$;
CREATE FUNCTION settle() RETURNS void LANGUAGE sql AS $$ SELECT FROM (SELECT pg_terminate_backend(worker(), 5000)) t $$;
CREATE TABLE question AS SELECT n, format(kind, n * 11 % 50 + 18, 1000 + n * 7 % 40) AS cohort
	FROM generate_series(1, 24) n JOIN (VALUES (0, 'age > %1$s'), (1, 'zip > ''%2$s'''), (2, 'age BETWEEN %1$s AND %1$s + 5'), (3, 'age < %1$s OR zip = ''%2$s''')) k(i, kind) ON n % 4 = i;
CREATE TABLE answer (way text, n int, class bigint, age int4range, zip text, ill text);
CREATE VIEW ways AS SELECT unnest('{by_fold,by_directory,inventing_by_directory}'::text[]) w;
CREATE TABLE asked (way text, n int, worker int);

-- Asks all questions of a publication of its own, a day after the other.
CREATE PROCEDURE ask(way text, linger text, repair text) LANGUAGE plpgsql AS $$
DECLARE q question;
BEGIN
	EXECUTE format('ALTER DATABASE %I SET pprepub.answer_linger = %L', current_database(), linger);
	PERFORM settle();
	CALL live(0);
	PERFORM pprepub.create_publication(way, 'people', 'id', '{"age": "range", "zip": "prefix"}', 'ill', 'bpg', jsonb_build_object('k', 4, 'l', 3, 'reserve', 6, 'repair', repair, 'max_answers_per_statement', 100),
		beside => ARRAY(SELECT name FROM pprepub.publication));
	PERFORM pprepub.publish(way);
	COMMIT;
	FOR q IN SELECT * FROM question ORDER BY n LOOP
		IF q.n % 3 = 0 THEN CALL live(q.n / 3); COMMIT; END IF;
		IF q.n % 8 = 0 THEN PERFORM pprepub.publish(way); COMMIT; END IF;
		EXECUTE format('INSERT INTO answer SELECT %L, %s, * FROM published.%I(%L)', way, q.n, way, q.cohort);
		COMMIT;
		PERFORM pg_sleep(0.05);		-- a worker that is not to stay goes
		INSERT INTO asked VALUES (way, q.n, worker());
		COMMIT;
	END LOOP;
	PERFORM settle();
END $$;

CALL ask('by_fold', '0', 'dirty');
CALL ask('by_directory', '1min', 'dirty');
CALL ask('inventing_by_directory', '1min', 'counterfeit');
SELECT is((SELECT count(worker) FROM asked WHERE way = 'by_fold'), 0::bigint, 'no worker stayed');
SELECT is((SELECT array_agg(c) FROM (SELECT count(DISTINCT worker) c FROM asked WHERE way <> 'by_fold' GROUP BY way) c), '{1,1}', 'one worker made all answers');
SELECT cmp_ok((SELECT count(*) FROM answer a WHERE a.way = w), '>', 1000::bigint, w || ': they had rows') FROM ways w;
SELECT is((SELECT equal FROM pprepub.rebuild_history(w)), true, w || ': the fold is as the log tells') FROM ways w;
SELECT is_empty(format('SELECT check_name FROM pprepub.audit(%L) WHERE NOT holds', w), w || ': all holds') FROM ways w;

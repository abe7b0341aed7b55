-- The truth lies between the bounds of counts, of people and of their rows: of 40 random conditions after each release, whatever is
-- invented, withheld or stale, in every method; by any release; nothing is told of cohorts.
CREATE TABLE s1 (id int, age int, zip text, sex text, ill text);
CREATE TABLE s2 (LIKE s1);
CREATE FUNCTION lot(i int, seed int, upto int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT ((hashint8extended(i, seed) & 2147483647) % upto)::int $$;
-- A row of somebody; the week tells newcomers from others.
CREATE FUNCTION rows_of(i int, many int) RETURNS SETOF s1 LANGUAGE sql STABLE AS $$
	SELECT i, 20 + lot(i, 1, 50), (lot(i, 2, 8) + 50)::text || lot(i, 3, 10), CASE WHEN lot(i, 4, 40) > 0 THEN (ARRAY['F', 'M'])[1 + lot(i, 4, 2)] END, 'd' || lot(i * 100 + v, 5, 24)
	FROM generate_series(1, many) v $$;
-- People leave, come, come back, move, and change; visits are added.
CREATE PROCEDURE pass(week int) LANGUAGE sql AS $$
	DELETE FROM s1 WHERE lot(id, 100 + week, 12) = 0;
	INSERT INTO s1 SELECT r.* FROM generate_series(1, 400) i, rows_of(i, 1) r WHERE lot(i, 200 + week, 8) = 0 AND i NOT IN (SELECT id FROM s1);
	INSERT INTO s1 SELECT r.* FROM generate_series(1000 * week, 1000 * week + 20) i, rows_of(i, 1) r;
	UPDATE s1 SET ill = 'd' || lot(id, 300 + week, 24) WHERE lot(id, 400 + week, 15) = 0;
	UPDATE s1 SET age = 20 + lot(id, 500 + week, 50) WHERE lot(id, 600 + week, 40) = 0;
	DELETE FROM s2 WHERE lot(id, 100 + week, 12) = 0;
	INSERT INTO s2 SELECT r.* FROM generate_series(1000 * week, 1000 * week + 20) i, rows_of(i, 1 + i % 5) r;
	INSERT INTO s2 SELECT id, age, zip, sex, 'd' || lot(id, 300 + week, 24) FROM (SELECT DISTINCT id, age, zip, sex FROM s2) p WHERE lot(id, 400 + week, 10) = 0;
$$;
-- 'all inside', or the conditions that are not; release NULL: the view.
CREATE FUNCTION judged(name text, source text, number int, week int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	cols name[];
	bins jsonb;
	truth record;
	told record;
	low int;
	value text;
	n int := 0;
BEGIN
	FOR i IN 1 .. 40 LOOP
		low := 15 + lot(i, 700 + week, 50);
		value := 'd' || lot(i, 800 + week, 24);
		cols := (ARRAY['{age,sex}', '{age,zip}', '{zip,sex,ill}', '{age,ill}', '{age,zip,sex}', '{ill}'])[1 + i % 6];
		bins := jsonb_build_object('age', ARRAY[int4range(low, low + 1 + lot(i, 900, 30))], 'zip', ARRAY[(50 + lot(i, 7, 8))::text || '*'], 'sex', ARRAY[(ARRAY['F', 'M', NULL])[1 + i % 3]], 'ill', ARRAY[value]);
		SELECT jsonb_object_agg(key, b.value) INTO bins FROM jsonb_each(bins) b WHERE key = ANY (cols::text[]);
		EXECUTE format('SELECT count(DISTINCT id) AS people, count(*) AS rows FROM %I WHERE true', source)
			|| CASE WHEN 'age' = ANY (cols) THEN format(' AND age <@ %L::int4range', bins -> 'age' ->> 0) ELSE '' END
			|| CASE WHEN 'zip' = ANY (cols) THEN format(' AND starts_with(zip, %L)', rtrim(bins -> 'zip' ->> 0, '*')) ELSE '' END
			|| CASE WHEN 'sex' = ANY (cols) THEN format(' AND sex IS NOT DISTINCT FROM %L', bins -> 'sex' ->> 0) ELSE '' END
			|| CASE WHEN 'ill' = ANY (cols) THEN format(' AND ill = %L', value) ELSE '' END INTO truth;
		EXECUTE format('SELECT * FROM published.%I($1, $2, $3)', name || '_counts') USING cols, bins, number INTO told;
		IF NOT (truth.people BETWEEN told.people_at_least AND told.people_at_most AND truth.rows BETWEEN told.rows_at_least AND told.rows_at_most
				AND told.estimate BETWEEN told.people_at_least AND told.people_at_most AND told.rows_estimate BETWEEN told.rows_at_least AND told.rows_at_most) THEN
			RETURN format('%s: %s people and %s rows, but %s', bins, truth.people, truth.rows, told);
		END IF;
		n := n + 1;
	END LOOP;
	RETURN n || ' inside';
END $$;
INSERT INTO s1 SELECT r.* FROM generate_series(1, 400) i, rows_of(i, 1) r;
INSERT INTO s2 SELECT r.* FROM generate_series(1, 300) i, rows_of(i, 1 + i % 5) r;
-- Values of some methods do not change.
CREATE VIEW s3 AS SELECT id, age, zip, sex, 'd' || lot(id * 100 + 1, 5, 24) AS ill FROM s1;
CREATE TABLE kind (name text PRIMARY KEY, source text, method text, params jsonb);
INSERT INTO kind VALUES ('bpg', 's1', 'bpg', '{"k": 5, "l": 3}'), ('dirty', 's1', 'bpg', '{"k": 5, "l": 3, "repair": "dirty"}'), ('several', 's2', 'bpg', '{"k": 5, "l": 3}'),
	('global', 's3', 'global', '{"l": 2, "strategy": "constant-ratio", "releases": 6}'), ('invariant', 's3', 'm-invariance', '{"m": 3}'), ('sequential', 's3', 'sequential', '{"k": 2}'),
	('distinct', 's1', 'm-distinct', '{"m": 3, "updates": "becomes"}');
CREATE TABLE becomes AS SELECT 'd' || a AS from_value, 'd' || b AS to_value FROM generate_series(0, 23) a, generate_series(0, 23) b;
-- A copy each: publications of one table would have to be declared beside each other.
SELECT format('CREATE TABLE of_%s AS TABLE %s', name, source) FROM kind \gexec
SELECT pprepub.create_publication(name, ('of_' || name)::regclass, 'id', '{"age": "range", "zip": "prefix", "sex": "suppress"}', 'ill', method, params,
	rows => CASE name WHEN 'several' THEN 'several' ELSE 'one' END, max_rows => CASE name WHEN 'several' THEN 4 ELSE 10 END) FROM kind \g /dev/null
CREATE PROCEDURE remake() LANGUAGE plpgsql AS $$
DECLARE
	k record;
BEGIN
	FOR k IN SELECT * FROM kind WHERE method <> 'sequential' OR NOT EXISTS (SELECT FROM pprepub.release r WHERE r.publication = name) LOOP
		EXECUTE format('DELETE FROM of_%s; INSERT INTO of_%1$s TABLE %s', k.name, k.source);
		PERFORM pprepub.publish(k.name);
	END LOOP;
END $$;
SET client_min_messages = error;
CALL remake();
SELECT is(judged(name, source, NULL, 1), '40 inside', 'release 1 of ' || name) FROM kind;
CREATE TABLE first AS SELECT name, c.* FROM kind, LATERAL pprepub_internal.counts(name, '{sex,ill}', '{}', 1) c;
CALL pass(2);
CALL remake();
SELECT is(judged(name, source, NULL, 2), '40 inside', 'release 2 of ' || name) FROM kind WHERE method <> 'sequential';
CALL pass(3);
CALL remake();
CALL pass(4);
CALL remake();
SELECT is(judged(name, source, 4, 4), '40 inside', 'release 4 of ' || name) FROM kind WHERE method <> 'sequential';
SELECT ok(bool_or(suppressed > 0) AND bool_or(counterfeits > 0) AND bool_or(stale > 0), 'these have withheld, invented and stale rows') FROM pprepub.release WHERE publication IN ('bpg', 'several');
SELECT is_empty('SELECT name, c.* FROM kind, LATERAL pprepub_internal.counts(name, ''{sex,ill}'', ''{}'', 1) c EXCEPT TABLE first', 'an older release tells what it told');
SELECT is_empty('SELECT name, c.* FROM kind, LATERAL pprepub_internal.counts(name, ''{sex,ill}'', ''{}'', NULL) c WHERE method <> ''sequential'' EXCEPT SELECT name, c.* FROM kind, LATERAL pprepub_internal.counts(name, ''{sex,ill}'', ''{}'', 4) c WHERE method <> ''sequential''',
	'the view tells what the newest release does');

SELECT is(count(*), 24::bigint, 'owners are told how far estimates are from the source') FROM pprepub.release r, pprepub.metrics(publication, number) m
WHERE method <> 'sequential' AND number IN (1, 4) AND metric IN ('count_error_percent_5', 'count_error_percent_20') AND value BETWEEN 0.01 AND 90;
SELECT is((SELECT count(value) FROM pprepub.preview('bpg') WHERE metric ~ '^count_error_percent_(5|20)$'), 2::bigint, 'before a release, too');
SELECT ok(strpos(pprepub.report('bpg'), (SELECT '>' || string_agg(coalesce(round(value::numeric, 1)::text, '-'), ', ' ORDER BY nth) || '<' FROM pprepub.metrics('bpg', 4) WITH ORDINALITY m (metric, value, nth)
	WHERE metric ~ '^count_error')) > 0, 'and on the page that is signed');

-- Places that newcomers leave empty are spread over the values of a class, however many rows have them, so that few are of a frequent one; those of
-- people who have left for good are like all others.
CREATE TABLE skewed AS SELECT i AS id, lot(i, 1, 60) AS age, CASE WHEN lot(i, 2, 2) = 0 THEN 'flu' ELSE 'd' || lot(i, 3, 40) END AS ill FROM generate_series(1, 1500) i;
SELECT pprepub.create_publication('skewed', 'skewed', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 10, "l": 4}');
DO $$ BEGIN
	FOR week IN 1 .. 6 LOOP
		PERFORM pprepub.publish('skewed');
		DELETE FROM skewed WHERE lot(id, 10 + week, 6) = 0;
		INSERT INTO skewed SELECT i, lot(i, 1, 60), CASE WHEN lot(i, 2, 2) = 0 THEN 'flu' ELSE 'd' || lot(i, 3, 40) END FROM generate_series(2000 * week, 2000 * week + 1499 - (SELECT count(*)::int FROM skewed)) i;
	END LOOP;
	PERFORM pprepub.publish('skewed');
END $$;
CREATE FUNCTION count_flu(OUT told float8, OUT alike float8, OUT truth float8) LANGUAGE sql AS $$
	SELECT c.estimate, r.flu * s.everybody / r.everybody, s.flu
	FROM published.skewed_counts('{ill}', '{"ill": ["flu"]}') c, (SELECT count(*) FILTER (WHERE ill = 'flu')::float8 AS flu, count(*)::float8 AS everybody FROM skewed) s,
		(SELECT count(*) FILTER (WHERE ill = 'flu')::float8 AS flu, count(*)::float8 AS everybody FROM published.skewed) r $$;
SELECT cmp_ok(abs(told - truth), '<', abs(alike - truth) * 0.75, format('%s, or %s, for %s', told, alike, truth)) FROM count_flu();
DELETE FROM skewed WHERE lot(id, 9, 5) = 0;
SELECT pprepub.publish('skewed');
SELECT cmp_ok(abs(told - truth), '<', 0.1 * truth, format('%s, or %s, for %s', told, alike, truth)) FROM count_flu();

-- What is not told
SELECT throws_ok('SELECT * FROM published.bpg_counts(''{age}'', release => 9)', '42704', 'publication "bpg" has no release 9 with a table', 'a release that does not exist');
SELECT throws_ok('SELECT * FROM published.bpg_counts(''{age}'', ''{"age": ["[1,2)"], "ill": ["x"]}'', 1)', '22023', NULL, 'bins of another column');
SELECT number AS cohort FROM pprepub.publish('bpg', 'age < 45') \gset
SELECT is((SELECT ARRAY[people_at_least, people_at_most, rows_at_least, rows_at_most] FROM published.bpg_counts('{age}', '{"age": ["[0,100)"]}', :cohort)), ARRAY[0, NULL, 0, NULL]::bigint[],
	'nobody is told how many of a cohort are withheld or invented');
SELECT is((SELECT people_at_most FROM published.bpg_counts('{age}', '{"age": ["[200,300)"]}', 4)), (SELECT withheld FROM pprepub_internal.counted_view WHERE publication = 'bpg' AND release = 4),
	'people who are withheld may be anywhere');
SELECT ok(bool_and(withheld >= suppressed AND invented >= counterfeits AND c.stale >= r.stale AND withheld <= suppressed + r.people / 100.0 + 1), 'their numbers are told in whole percent, rounded up')
FROM pprepub_internal.counted_view c JOIN pprepub.release r ON (r.publication, r.number) = (c.publication, c.release) WHERE r.cohort IS NULL;
SELECT ok(bool_and(l.stale_percent = ceil(100.0 * r.stale / r.people)) AND bool_or(l.stale_percent BETWEEN 1 AND 99), 'of stale people so in NAME_releases, too')
FROM published.bpg_releases l JOIN pprepub.release r ON r.publication = 'bpg' AND r.number = l.release WHERE l.kind = 'everybody';
CREATE ROLE regress_counts;
SET ROLE regress_counts;
SELECT ok(bool_and(people IS NULL AND withheld IS NULL AND invented IS NULL AND stale IS NULL), 'and to those who may read the release') FROM pprepub_internal.counted_view;
RESET ROLE;
DROP ROLE regress_counts;
-- Older tables stay when a publication is dropped, and its function goes.
SELECT pprepub.drop_publication('dirty', forget_history => true, keep_releases => true) \g /dev/null
SELECT throws_ok('SELECT FROM pprepub_internal.counts(''dirty'', ''{age}'', ''{}'', 1)', '42704', 'publication "dirty" does not exist', 'a publication that was dropped');

-- What cells lose if people are divided into shards of so many, against one publisher of all: bench/sharded/run says which people.
--
-- Publishers come one after the other, each with a table of its own people; k = 10, l = 3, a first release. A loss is reckoned in the domain
-- of all people, so that a shard of a narrow domain is not held for one that loses much. There are as many regions as shards: "one, region" is
-- one publisher that shows them. Shards by "age" are of the same size, those by "sex" nearly.
\i test/data/census.sql
\i test/data/census_levels.sql
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;
SELECT setseed(0.5) \g /dev/null
CREATE TABLE people AS SELECT c.*, lpad((9500 * random() ^ 3)::int::text, 4, '0') AS zip, (1e6 * random())::int AS income
	FROM census(:people) c;
SELECT pprepub.create_taxonomy(name, (name || '_levels')::regclass) FROM unnest('{education,marital_status,work_class,country}'::text[]) name \g /dev/null

CREATE TABLE kind (position serial, name text, quasi_identifiers jsonb);
INSERT INTO kind (name, quasi_identifiers) VALUES
	('census', '{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country"}'),
	('adult', '{"age": "range", "sex": "suppress", "education": "taxonomy education", "country": "taxonomy country", "marital_status": "taxonomy marital_status", "work_class": "taxonomy work_class", "race": "suppress"}'),
	('zip', '{"age": "range", "sex": "suppress", "education": "taxonomy education", "zip": "prefix"}'),
	('income', '{"age": "range", "sex": "suppress", "income": "range"}');

CREATE TABLE run (kind text, people int, way text, shard int, rows float8, loss float8, withheld float8, invented float8, seconds float8);

-- The widest a cell of a column can be, among the rows of table "current" or "people".
CREATE FUNCTION width(source regclass, quasi_identifiers jsonb) RETURNS TABLE (name text, width float8) LANGUAGE plpgsql AS $$
DECLARE
	kind text;
BEGIN
	FOR name, kind IN SELECT * FROM jsonb_each_text(quasi_identifiers) LOOP
		width := 1;
		IF kind = 'range' THEN
			EXECUTE format('SELECT max(%I) - min(%1$I) FROM %s', name, source) INTO width;
		ELSIF kind = 'prefix' THEN
			EXECUTE format('SELECT count(DISTINCT %I) - 1 FROM %s', name, source) INTO width;
		END IF;
		RETURN NEXT;
	END LOOP;
END
$$;

CREATE PROCEDURE publish_shards(kind text, quasi_identifiers jsonb, way text, shard text, n int, people int) LANGUAGE plpgsql AS $$
DECLARE
	widest jsonb := (SELECT jsonb_object_agg(name, width) FROM width('everybody', quasi_identifiers));
	made record;
BEGIN
	FOR i IN 0 .. n - 1 LOOP
		EXECUTE format('CREATE TABLE current AS SELECT * FROM everybody WHERE (%s) = %s', shard, i);
		ALTER TABLE current ADD PRIMARY KEY (id);
		PERFORM pprepub.create_publication('current', 'current', 'id', quasi_identifiers, 'salary_class', 'bpg', '{"k": 10, "l": 3}');
		SELECT * INTO made FROM pprepub.publish('current');
		INSERT INTO run SELECT kind, people, way, i, made.rows - made.counterfeits,
			(SELECT avg(value * width / (widest->>name)::float8) FROM pprepub.metrics('current', 1) m JOIN width('current', quasi_identifiers) ON metric = 'loss_percent of ' || name),
			made.suppressed, made.counterfeits, made.seconds;
		PERFORM pprepub.drop_publication('current', true);
		DROP TABLE current;
		COMMIT;
	END LOOP;
END
$$;

CREATE PROCEDURE measure(n int, size int) LANGUAGE plpgsql AS $$
DECLARE
	k kind;
	by_region jsonb;
	bounds int[];
BEGIN
	CREATE TABLE everybody AS SELECT p.*, abs(hashint8extended(id, 5) % n)::text AS region FROM people p WHERE id <= n * size;
	ANALYZE everybody;
	bounds := percentile_disc((SELECT array_agg(i::float8 / n) FROM generate_series(1, n - 1) i)) WITHIN GROUP (ORDER BY age) FROM everybody;
	FOR k IN SELECT * FROM kind ORDER BY position LOOP
		by_region := k.quasi_identifiers || '{"region": "suppress"}';
		CALL publish_shards(k.name, k.quasi_identifiers, 'one', '0', 1, n * size);
		CALL publish_shards(k.name, by_region, 'one, region', '0', 1, n * size);
		IF n > 1 THEN
			CALL publish_shards(k.name, k.quasi_identifiers, 'key', format('abs(hashint8extended(id, 9) %% %s)', n), n, n * size);
			CALL publish_shards(k.name, by_region, 'region', 'region::int', n, n * size);
			IF n = 2 THEN
				CALL publish_shards(k.name, k.quasi_identifiers, 'sex', '(sex = ''Male'')::int', n, n * size);
			END IF;
			CALL publish_shards(k.name, k.quasi_identifiers, 'age', format('width_bucket(age, %L::int[])', bounds), n, n * size);
		END IF;
	END LOOP;
	DROP TABLE everybody;
	COMMIT;
END
$$;

SELECT format('CALL measure(%s, %s)', n, :size) FROM unnest('{1,2,4,8}'::int[]) n WHERE n * :size <= :people \gexec

\echo
\echo people, shards of one size; loss of a cell, percent; rows withheld and invented, percent; seconds of all, one after the other
SELECT kind, people, way, count(*) AS shards, round((sum(loss * rows) / sum(rows))::numeric, 3) AS loss,
	round(((sum(loss * rows) / sum(rows)) / first_value(sum(loss * rows) / sum(rows)) OVER (PARTITION BY kind, people, way IN ('region', 'one, region') ORDER BY way LIKE 'one%' DESC))::numeric, 2) AS ratio,
	round((100 * sum(withheld) / sum(rows + withheld))::numeric, 3) AS withheld, round((100 * sum(invented) / sum(rows + invented))::numeric, 3) AS invented,
	round(sum(seconds)::numeric, 1) AS seconds
FROM run JOIN kind ON name = run.kind GROUP BY position, kind, people, way ORDER BY position, people, way IN ('region', 'one, region'), way LIKE 'one%' DESC, way;

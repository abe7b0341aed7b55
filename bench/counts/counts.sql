-- Counts by random conditions after the first week, the twelfth and the last.
SET max_parallel_workers_per_gather = 0;
SET client_min_messages = error;
\pset footer off
SELECT (:'lives'::text[])[1] AS life \gset
CREATE TABLE unsteady (id int8 PRIMARY KEY, week int);
\i bench/counts/conditions.sql

CREATE PROCEDURE measure(week int, many int) LANGUAGE plpgsql AS $$
DECLARE
	c record;
	low float8;
	estimate float8;
	high float8;
BEGIN
	FOR c IN SELECT * FROM conditions(many) LOOP
		EXECUTE format('SELECT count(*) FILTER (WHERE %s), sum(%s), count(*) FILTER (WHERE %s) FROM published.current', string_agg(clause('lies', c.names[i], c.kinds[i], c.bins[i]), ' AND '),
			string_agg(clause('share', c.names[i], c.kinds[i], c.bins[i]), ' * '), string_agg(clause('touches', c.names[i], c.kinds[i], c.bins[i]), ' AND '))
		FROM generate_subscripts(c.names, 1) i INTO low, estimate, high;
		INSERT INTO counted VALUES (week, 'current', c.is_sensitive, c.per_cent, cardinality(c.names), 'equal shares', low, estimate, high, c.truth);
		INSERT INTO counted SELECT week, 'current', c.is_sensitive, c.per_cent, cardinality(c.names), 'NAME_counts', n.people_at_least, n.estimate, n.people_at_most, c.truth
		FROM published.current_counts(c.names::name[], (SELECT jsonb_object_agg(c.names[i], ARRAY[c.bins[i]]) FROM generate_subscripts(c.names, 1) i)) n;
	END LOOP;
END $$;

CREATE PROCEDURE live(life text, weeks int, people int, qis jsonb, moves text[], many int) LANGUAGE plpgsql AS $$
BEGIN
	CALL begin_life(people);
	PERFORM pprepub.create_publication('current', 'current', 'id', qis, 'secret', 'bpg', '{"k": 10, "l": 3}');
	FOR week IN 1 .. weeks LOOP
		COMMIT;
		PERFORM pprepub.publish('current');
		IF week IN (1, 12, weeks) THEN
			COMMIT;
			CALL measure(week, many);
		END IF;
		CALL pass(life, week + 1, moves);
	END LOOP;
END $$;
CALL live(:'life', :weeks, :people, :'qis', :'moves', :conditions);

\echo errors in per cent of the truth, widths in parts of it; of how many conditions the truth lies between the bounds
SELECT week, CASE WHEN is_sensitive THEN 'with the sensitive column' ELSE 'quasi-identifiers' END AS columns, per_cent || ' %' AS share, formula, count(*) AS n,
	round(100 * percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(estimate - truth) / truth)::numeric, 1) AS error,
	round(100 * percentile_cont(0.9) WITHIN GROUP (ORDER BY abs(estimate - truth) / truth)::numeric, 1) AS p90,
	round(percentile_cont(0.5) WITHIN GROUP (ORDER BY (high - low) / truth)::numeric, 2) AS width, count(*) FILTER (WHERE truth BETWEEN low AND high) AS inside
FROM counted GROUP BY week, is_sensitive, per_cent, formula ORDER BY week, is_sensitive, per_cent, formula DESC;

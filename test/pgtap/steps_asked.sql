-- Ranges with a step, asked about: answers and releases of cohorts show bins, and never tell people of one bin apart.

CREATE TABLE people AS SELECT i AS id, nullif(i * 7 % 60, 59) AS age, timestamptz '2026-01-01' + i * interval '7:13:11.123456' AS admitted, 'd' || i % 7 AS ill FROM generate_series(1, 300) i;
ALTER TABLE people ADD PRIMARY KEY (id);
SELECT pprepub.create_publication('asked', 'people', 'id', '{"age": "range 5", "admitted": "range 1 day"}', 'ill', 'bpg', '{"k": 4, "l": 2, "reserve": 1, "repair": "dirty"}') \g /dev/null

-- Conditions are about exact values, and cells are not.
CREATE FUNCTION cohort(i int) RETURNS text LANGUAGE sql AS $$
	SELECT CASE i % 5 WHEN 0 THEN format('age BETWEEN %s AND %s', i, i + 20) WHEN 1 THEN format('age = %s', i) WHEN 2 THEN 'age IS NULL OR age < 30'
		WHEN 3 THEN format('admitted < %L', '2026-02-' || 1 + i % 28 || ' 12:00+00') ELSE format('age <> %s', i) END
$$;
SELECT format('CREATE TABLE answer_%s AS SELECT * FROM published.asked(%L)', i, cohort(i)) FROM generate_series(1, 24) i \gexec
SELECT rows >= 0 FROM pprepub.publish('asked', cohort(30)) \g /dev/null
SELECT rows >= 0 FROM pprepub.publish('asked', cohort(7), '{age,ill}') \g /dev/null
UPDATE people SET age = age / 5 * 5 + (age + 2) % 5 WHERE id % 3 = 0;
SELECT rows > 0 FROM pprepub.publish('asked') \g /dev/null
SELECT format('CREATE TABLE answer_%s AS SELECT * FROM published.asked(%L)', i, cohort(i)) FROM generate_series(25, 40) i \gexec
CREATE TEMP TABLE cells (release int, class bigint, age int4range, admitted tstzrange);
SELECT format('INSERT INTO cells SELECT %s, class, age, admitted FROM answer_%1$s', i) FROM generate_series(1, 40) i \gexec
SELECT format('INSERT INTO cells SELECT %s, class, age, admitted FROM %s', 100 + number, relation) FROM pprepub.release WHERE publication = 'asked' AND relation IS NOT NULL \gexec

SELECT cmp_ok((SELECT count(*) FROM cells), '>', 1000::bigint, 'much is told');
SELECT is_empty($$ SELECT * FROM cells WHERE lower(age) % 5 <> 0 OR upper(age) % 5 <> 0 $$, 'of ages, by fives');
SELECT is_empty($$ SELECT * FROM cells WHERE lower(admitted) AT TIME ZONE 'UTC' <> date_trunc('day', lower(admitted) AT TIME ZONE 'UTC')
	OR upper(admitted) AT TIME ZONE 'UTC' <> date_trunc('day', upper(admitted) AT TIME ZONE 'UTC') $$, 'of times, by days');
SELECT is((SELECT jsonb_agg(a) FROM pprepub.audit('asked') a WHERE NOT holds), NULL, 'audit()');
SELECT matches((SELECT measured FROM pprepub.audit('asked') WHERE check_name = 'ends'), '^0 not at steps, 0 the value of one person', 'no end is anybody''s');
SELECT is((SELECT jsonb_agg(a) FROM pprepub.attack('asked') a WHERE NOT holds), NULL, 'attack()');
-- Somebody who changes within a bin has not changed.
SELECT is((SELECT measured FROM pprepub.audit('asked') WHERE check_name = 'covers'),
	(SELECT count(*)::text FROM pprepub.class_members('asked')), 'people who change within a bin are what they were');
-- The loss of an answer about a part is measured against the whole of the source, in bins.
SELECT is_empty($$ SELECT * FROM pprepub.release r, pprepub.metrics('asked', r.number) WHERE publication = 'asked' AND metric = 'ail' AND NOT value BETWEEN 0 AND 2 $$, 'loss');

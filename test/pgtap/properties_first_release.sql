-- Properties of every first release, tried on random small tables of every kind:
-- with and without NULLs, even and skewed, of few and many values.
SET extra_float_digits = 1;
BEGIN;
SELECT setseed(0.42) \g /dev/null

CREATE FUNCTION draw(choices anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS
	'SELECT choices[1 + floor(random() * array_length(choices, 1))::int]';
-- From 0 to n - 1, the small ones more often the larger the skew
CREATE FUNCTION skewed(n int, skew float8) RETURNS int LANGUAGE sql VOLATILE AS
	'SELECT least(n - 1, floor(n * power(random(), skew))::int)';

CREATE TABLE levels AS
	SELECT 'leaf' || i AS leaf, CASE WHEN i = 0 THEN 'leaf0' ELSE 'group' || i / 3 END AS middle,
		CASE WHEN i = 0 THEN 'leaf0' ELSE 'part' || i / 6 END AS part, 'root' AS root
	FROM generate_series(0, 13) i;
SELECT pprepub.create_taxonomy('tree', 'levels') \g /dev/null

-- How each drawn type of the range column is written: as what its range type holds, and its unit.
CREATE TABLE ruler (type text, range text, value text, unit text);
INSERT INTO ruler VALUES
	('smallint', 'int4range', 'p.a::int', '1'), ('integer', 'int4range', 'p.a', '1'), ('bigint', 'int8range', 'p.a', '1'),
	('numeric', 'numrange', 'p.a', '0'), ('float8', 'numrange', 'p.a::text::numeric', '0'), ('float4', 'numrange', 'p.a::text::numeric', '0'),
	('date', 'daterange', 'p.a', '1');

-- A cell NULL stands for NULL, and a withheld one for all.
CREATE FUNCTION covers(cell text, withheld text, value text, otherwise boolean) RETURNS boolean LANGUAGE sql IMMUTABLE AS
	'SELECT CASE WHEN cell IS NULL THEN value IS NULL WHEN cell = withheld THEN true ELSE value IS NOT NULL AND otherwise END';

CREATE FUNCTION try_release(number int) RETURNS SETOF text LANGUAGE plpgsql AS $fn$
DECLARE
	rows int := draw('{1,4,9,25,60,150,400}'::int[]);
	k int := draw('{1,2,3,5,10}'::int[]);
	l int := draw('{1,1,2,3,4}'::int[]);
	skew float8 := draw('{1,1,3,10}'::float8[]);
	nulls float8 := draw('{0,0,0.02,0.3,1}'::float8[]);
	values int := draw('{1,2,5,20,100}'::int[]);
	sensitive int := draw('{1,2,4,8,30}'::int[]);
	how ruler;
	sensitive_type text := draw('{text,integer,numeric}'::text[]);
	what text;
	published pprepub.release;
	metric jsonb;
	faults bigint;
BEGIN
	SELECT * INTO how FROM ruler ORDER BY type OFFSET floor(random() * 7) LIMIT 1;
	what := format('table %s (%s rows, k %s, l %s, skew %s, nulls %s, values %s/%s, %s, %s): ', number, rows, k, l, skew, nulls, values, sensitive, how.type, sensitive_type);

	-- numeric gets equal values of unequal looks: 1.0 and 1.00
	EXECUTE format($sql$
		CREATE TABLE person AS
		SELECT i * 7 %% 10007 AS id, i AS place,
			CASE WHEN random() >= $1 THEN %s END::%s AS a,
			CASE WHEN random() >= $1 THEN left(md5(skewed($3, $2)::text), 2 + floor(random() * 2)::int) END AS b,
			CASE WHEN random() >= $1 / 2 THEN 'leaf' || skewed(14, $2) END AS c,
			CASE WHEN random() >= $1 / 2 THEN 's' || skewed(3, $2) END AS e,
			CASE WHEN random() >= $1 / 3 THEN %s END AS s
		FROM generate_series(1, $4) i ORDER BY i $sql$,
		CASE how.type WHEN 'date' THEN 'date ''2000-02-25'' + skewed($3, $2)' WHEN 'float8' THEN 'skewed($3, $2) / 7.0' WHEN 'float4' THEN 'skewed($3, $2) / 7.0'
			WHEN 'numeric' THEN '(skewed($3, $2) / 4.0)::numeric(10, 2)' ELSE 'skewed($3, $2) * 3 - 20' END,
		how.type,
		CASE sensitive_type WHEN 'text' THEN '''d'' || skewed($5, $2)' WHEN 'integer' THEN 'skewed($5, $2)'
			ELSE '(skewed($5, $2)::text || draw(''{.0,.00,.000}''::text[]))::numeric' END)
		USING nulls, skew, values, rows, sensitive;
	PERFORM pprepub.create_publication('trial', 'person', 'id', '{"a": "range", "b": "prefix", "c": "taxonomy tree", "e": "suppress"}', 's',
		'bpg', jsonb_build_object('k', k, 'l', l, 'repair', 'dirty', 'accept_insensitive', true), insensitive => '{place}', target => 'trial');

	BEGIN
		published := pprepub.publish('trial');
	EXCEPTION WHEN no_data_found THEN
		EXECUTE 'SELECT count(DISTINCT s) FROM person' INTO faults;
		RETURN NEXT ok(rows < k OR l > 1 AND faults < l, what || 'nothing was published since nothing may be');
		PERFORM pprepub.drop_publication('trial');
		DROP TABLE person;
		RETURN;
	END;

	-- Classes
	EXECUTE 'SELECT count(*) FROM (SELECT FROM trial.trial_1 GROUP BY class HAVING count(*) < $1 OR $2 > 1 AND count(DISTINCT s) < $2) x' INTO faults USING k, l;
	RETURN NEXT is(faults, 0::bigint, what || 'each class has k rows and l sensitive values');
	EXECUTE 'SELECT count(*) FROM (SELECT class FROM trial.trial_1 GROUP BY class HAVING count(DISTINCT (a, b, c, e)) > 1) x' INTO faults;
	RETURN NEXT is(faults, 0::bigint, what || 'rows of a class share its cells');
	EXECUTE 'SELECT count(*) FROM trial.trial_1 HAVING min(class) <> 1 OR max(class) <> count(DISTINCT class)' INTO faults;
	RETURN NEXT is(coalesce(faults, 0), 0::bigint, what || 'classes are numbered without gaps');

	-- Members
	RETURN NEXT is(published.rows + published.suppressed, rows::bigint, what || 'rows published and suppressed are the source''s');
	EXECUTE 'SELECT count(*) FROM trial.trial_1' INTO faults;
	RETURN NEXT is(published.rows, faults, what || 'the release has as many rows as it says');
	CREATE TABLE member AS SELECT key::int AS id, class FROM pprepub.class_members('trial');
	RETURN NEXT ok((SELECT count(*) = published.rows AND count(DISTINCT id) = count(*) FROM member), what || 'each row has one member');
	EXECUTE 'SELECT count(*) FROM ((SELECT class, s, place FROM trial.trial_1 EXCEPT ALL SELECT class, s, place FROM member JOIN person USING (id))
		UNION ALL (SELECT class, s, place FROM member JOIN person USING (id) EXCEPT ALL SELECT class, s, place FROM trial.trial_1)) x' INTO faults;
	RETURN NEXT is(faults, 0::bigint, what || 'classes hold the sensitive and insensitive values of their members');
	EXECUTE format($sql$
		SELECT count(*) FROM trial.trial_1 r JOIN member m USING (class) JOIN person p USING (id)
		WHERE NOT (covers(r.a::text, '(,)', p.a::text, r.a @> %s)
			AND covers(r.b, '*', p.b, r.b = p.b OR r.b LIKE '%%*' AND starts_with(p.b, left(r.b, -1)))
			AND covers(r.c, 'root', p.c, EXISTS (SELECT FROM levels WHERE leaf = p.c AND r.c IN (leaf, middle, part, root)))
			AND covers(r.e, '*', p.e, r.e = p.e)) $sql$, how.value) INTO faults;
	RETURN NEXT is(faults, 0::bigint, what || 'cells cover the values of their members');

	-- Cells tell what was there: prefixes occur in the source, and ranges end near values of their members
	EXECUTE format($sql$
		SELECT count(*) FROM (SELECT class, r.a, min(%1$s) AS low, max(%1$s) AS high FROM (SELECT DISTINCT class, a FROM trial.trial_1) r JOIN member m USING (class) JOIN person p USING (id) GROUP BY 1, 2) x
			WHERE NOT lower_inf(a) AND (lower(a) NOT BETWEEN low - (high - low) / 10 - %3$s AND low OR upper(a) NOT BETWEEN high + %2$s AND high + %2$s + (high - low) / 10 + %3$s)
		UNION ALL SELECT count(*) FROM trial.trial_1 r
			WHERE b <> '*' AND NOT EXISTS (SELECT FROM person p WHERE p.b = r.b OR r.b LIKE '%%*' AND starts_with(p.b, left(r.b, -1))) ORDER BY 1 DESC LIMIT 1 $sql$,
		how.value, how.unit, CASE how.unit WHEN '0' THEN '1e-9' ELSE '0' END) INTO faults;
	RETURN NEXT is(faults, 0::bigint, what || 'cells end near values that occur');

	-- test/unit/test_metrics.c asks whether figures follow their definitions, and loss_percent.sql whether they arrive.
	SELECT jsonb_object_agg(m.metric, m.value) INTO metric FROM pprepub.metrics('trial', 1) m;
	EXECUTE 'SELECT count(DISTINCT class) FROM trial.trial_1' INTO faults;
	RETURN NEXT is(published.classes, faults, what || 'classes');
	RETURN NEXT ok((metric ->> 'suppressed')::bigint = published.suppressed AND (metric ->> 'dirty')::int = 0 AND (metric ->> 'counterfeits')::int = 0
		AND published.dirty = 0 AND published.counterfeits = 0, what || 'nothing was added');
	RETURN NEXT ok((metric ->> 'precision')::float8 BETWEEN 0 AND 1 AND (metric ->> 'vem')::float8 >= 0 AND (metric ->> 'em')::float8 >= 0,
		what || 'precision, vem and em are in their bounds');
	RETURN NEXT ok((SELECT holds FROM pprepub.audit('trial') WHERE check_name = 'checksums'), what || 'the release is intact');

	PERFORM pprepub.drop_publication('trial', true);
	DROP TABLE person, member;
END
$fn$;
SELECT try_release(number) FROM generate_series(1, 60) number;

-- ---- Order says nothing ----

-- The bounds are more than five standard deviations away from what chance gives.
CREATE TABLE crowd AS
	SELECT i AS id, i AS place, i / 40 AS age, 'd' || i % 6 AS disease FROM generate_series(1, 4000) i;
CREATE TABLE again AS TABLE crowd;
SELECT pprepub.create_publication(source, source::regclass, 'id', '{"age": "range"}', 'disease', 'bpg', '{"k": 8, "l": 3, "reserve": 1, "accept_insensitive": true}',
	insensitive => '{place}') FROM unnest('{crowd,again}'::text[]) source \g /dev/null
SELECT pprepub.publish(source) FROM unnest('{crowd,again}'::text[]) source \g /dev/null

CREATE TABLE stored AS
	SELECT class, place, lower(age) AS low, row_number() OVER (ORDER BY ctid) AS stands, row_number() OVER (PARTITION BY class ORDER BY ctid) AS in_class
	FROM published.crowd_1;
SELECT cmp_ok(count(DISTINCT class), '>', 90::bigint, 'there are classes enough to tell') FROM stored;
SELECT cmp_ok(abs(corr(class, low)), '<', 0.55::float8, 'classes are not numbered by their cells')
	FROM (SELECT DISTINCT ON (class) class, low FROM stored) x;
SELECT ok(avg((low >= before)::int) BETWEEN 0.2 AND 0.8, 'nor do their cells stand in order')
	FROM (SELECT low, lag(low) OVER (ORDER BY class) AS before FROM (SELECT DISTINCT ON (class) class, low FROM stored) x) y;
SELECT cmp_ok(abs(corr(class, first)), '<', 0.55::float8, 'classes are not numbered by the places of their rows')
	FROM (SELECT class, min(place) AS first FROM stored GROUP BY class) x;
SELECT ok(avg((place > before)::int) BETWEEN 0.45 AND 0.55, 'rows of a class do not stand as in the source')
	FROM (SELECT place, lag(place) OVER (PARTITION BY class ORDER BY stands) AS before FROM stored) x WHERE before IS NOT NULL;
SELECT cmp_ok(abs(corr(in_class, rank)), '<', 0.1::float8, 'nor are their ranks related')
	FROM (SELECT in_class, row_number() OVER (PARTITION BY class ORDER BY place) AS rank FROM stored) x;
SELECT ok(avg(first::int) < 0.5, 'the first of a class in the source is not always its first row')
	FROM (SELECT in_class = 1 AS first FROM (SELECT in_class, row_number() OVER (PARTITION BY class ORDER BY place) AS rank FROM stored) x WHERE rank = 1) y;
SELECT cmp_ok(abs(corr(a.class, b.class)), '<', 0.55::float8, 'equal data get other class numbers next time')
	FROM stored a JOIN published.again_1 b USING (place);
SELECT isnt((SELECT array_agg(place ORDER BY ctid) FROM published.crowd_1), (SELECT array_agg(place ORDER BY ctid) FROM published.again_1),
	'and another order');

-- Methods m-invariance and cor-split: the same candidate values for ever.
\set ECHO none
\pset format unaligned \t on \pset recordsep ' ; '
SET client_min_messages = warning;
SET ROLE regress_owner;
CREATE SCHEMA ward;
CREATE TABLE ward.patients (id int, name text, age int, zip text, disease text);
INSERT INTO ward.patients SELECT i, 'p' || i, 20 + i % 40, (11000 + i % 7 * 100)::text, ('{flu,cancer,AIDS,bronchitis,asthma,diabetes}'::text[])[1 + i % 6]
FROM generate_series(1, 120) i;
\set ECHO all

-- Declarations.
SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{}');
SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 0}');
SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 6}');
SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 6, "n": 3, "p": 0.04}');
SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 3, "n": 4}');
SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 6, "p": 0.5, "lifespan": 24, "threshold": 0.1}');
SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 3}', insensitive => '{zip}');

-- How n is chosen (paper 004, section 4.2); for a lifespan of 21 its formula gives 2.
\set SHOW_CONTEXT never
SELECT lifespan, n.value AS n FROM (VALUES (0.04, 24, 6, 0.1), (0.04, 21, 6, 0.1), (0.5, 24, 6, 0.1), (1, 1, 2147483647, 1), (0.5, 10, 2147483647, 1)) v (p, lifespan, m, threshold),
	pprepub.plan('cor-split', to_jsonb(v)) n WHERE figure = 'n';
SELECT n, figure, round(value::numeric, 4) AS value FROM unnest('{1,3}'::int[]) n, pprepub.plan('cor-split', jsonb_build_object('p', 0.04, 'lifespan', 24, 'm', 6, 'n', n));
SELECT figure, value FROM pprepub.plan('cor-split', '{"p": 0.5, "lifespan": 100000, "m": 1000, "threshold": 0.01}');
SELECT * FROM pprepub.plan('cor-split', '{"p": 1.5, "lifespan": 24, "m": 6, "n": 3}');
SELECT * FROM pprepub.plan('cor-split', '{"p": 0.04, "lifespan": 0, "m": 6, "n": 3}');
SELECT * FROM pprepub.plan('cor-split', '{"p": 0.04, "lifespan": 24, "m": 6, "n": 7}');
SELECT * FROM pprepub.plan('cor-split', '{"p": 0.04, "lifespan": 24, "m": 6}');
SELECT * FROM pprepub.plan('cor-split', '{"p": "0.04", "lifespan": 24, "m": 6, "n": 1}');
SELECT * FROM pprepub.plan('cor-split', '{"p": 0.04, "lifespans": 24}');
SELECT * FROM pprepub.plan('m-invariance', '{"m": 3}');
SELECT * FROM pprepub.plan('cor-split', '[]');
SELECT * FROM pprepub.plan('cor-split', '1');
\set SHOW_CONTEXT errors

-- m-invariance
SELECT pprepub.create_publication('wards', 'ward.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'm-invariance', '{"m": 3}', target => 'shown') \g /dev/null
SELECT number, rows, classes, suppressed, counterfeits FROM pprepub.publish('wards');
SELECT count(*) AS rows, count(DISTINCT class) AS classes FROM shown.wards;
SELECT count(*) AS classes_with_too_few FROM (SELECT class FROM shown.wards GROUP BY class HAVING count(DISTINCT disease) < 3 OR count(DISTINCT disease) < count(*)) c;
SELECT count(*) FROM shown.wards_counterfeits;
DELETE FROM ward.patients WHERE id <= 6 OR disease = 'flu' AND id < 40;
INSERT INTO ward.patients SELECT 200 + i, 'n' || i, 30, '11000', ('{cancer,AIDS,asthma}'::text[])[1 + i % 3] FROM generate_series(1, 6) i;
SELECT number, rows - counterfeits AS true_rows, suppressed, counterfeits > 0 AS invented FROM pprepub.publish('wards');
SELECT sum(counterfeits) = (SELECT counterfeits FROM pprepub.release WHERE publication = 'wards' AND number = 2) AS all_told FROM shown.wards_counterfeits WHERE release = 2;
SELECT holds, string_agg(check_name, ', ' ORDER BY check_name) FROM pprepub.audit('wards') GROUP BY 1;
SELECT * FROM pprepub.rebuild_history('wards');
SELECT releases, count(*) FROM (SELECT key, array_agg(release ORDER BY release) AS releases FROM pprepub.class_members('wards') GROUP BY key) m GROUP BY 1 ORDER BY 1;
SELECT kind, holds FROM pprepub.attack('wards') GROUP BY 1, 2 ORDER BY 1;

-- Everybody's candidates stay what they were.
SELECT count(*) AS changed FROM (
	SELECT key FROM (SELECT m.key, m.release, array_agg(DISTINCT v.disease ORDER BY v.disease) AS seen
		FROM pprepub.class_members('wards') m
		JOIN (SELECT 1 AS release, class, disease FROM shown.wards_1 UNION ALL SELECT 2, class, disease FROM shown.wards_2) v USING (release, class)
		GROUP BY 1, 2) s GROUP BY key HAVING count(DISTINCT seen) > 1) c;

-- Refused: values that change, or are missing.
UPDATE ward.patients SET disease = 'flu' WHERE id IN (50, 51);
SELECT number FROM pprepub.publish('wards');
UPDATE ward.patients SET disease = NULL WHERE id = 60;
SELECT number FROM pprepub.publish('wards');
SELECT metric FROM pprepub.preview('wards');
UPDATE ward.patients SET disease = ('{flu,cancer,AIDS,bronchitis,asthma,diabetes}'::text[])[1 + id % 6] WHERE id <= 120;
SELECT pprepub.publish('wards', 'age > 30');
SELECT pprepub.publish('wards', NULL, '{age}');
SELECT number FROM pprepub.import_release('wards', 'shown.wards_1');
SELECT pprepub.alter_publication('wards', '{"m": 2}');
SELECT number FROM pprepub.publish('wards');

-- Skewed values: named with their share; a few are made up for by counterfeits.
CREATE TABLE ward.skewed AS SELECT i AS id, i % 50 AS age, CASE WHEN i <= 70 THEN 'flu' ELSE 'd' || i % 5 END AS disease FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('skewed', 'ward.skewed', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 4}') \g /dev/null
SELECT number FROM pprepub.publish('skewed');
UPDATE ward.skewed SET disease = 'flu';
SELECT number FROM pprepub.publish('skewed');
UPDATE ward.skewed SET disease = CASE WHEN id <= 30 THEN 'flu' ELSE 'd' || id % 5 END;
SELECT number, classes, counterfeits FROM pprepub.publish('skewed');
-- A value that nobody has had, among invented rows
INSERT INTO ward.skewed VALUES (101, 20, 'new');
SELECT number FROM pprepub.publish('skewed');
\set ECHO none
DELETE FROM ward.skewed WHERE id = 101;

-- cor-split
CREATE TABLE ward.stays AS SELECT i AS id, i * 7 % 50 AS age, 'd' || i % 12 AS disease FROM generate_series(1, 600) i;
SELECT pprepub.create_publication('stays', 'ward.stays', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 6, "p": 0.04, "lifespan": 24, "threshold": 0.1}') \g /dev/null
SELECT pprepub.create_publication('plain', 'ward.stays', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 6}', beside => '{stays}') \g /dev/null
CREATE FUNCTION ward.live(step int) RETURNS void LANGUAGE sql AS $$
	DELETE FROM ward.stays WHERE hashint8extended(id, step) & 7 = 0;
	INSERT INTO ward.stays SELECT 1000 * step + i, i * 11 % 50, 'd' || (hashint8extended(i, step) & 7) FROM generate_series(1, 70) i;
$$;
\set ECHO all
SELECT number, suppressed FROM pprepub.publish('stays') UNION ALL SELECT number, suppressed FROM pprepub.publish('plain');
SELECT ward.live(1);
SELECT number, suppressed FROM pprepub.publish('stays') UNION ALL SELECT number, suppressed FROM pprepub.publish('plain');
SELECT ward.live(2);
SELECT number, suppressed FROM pprepub.publish('stays') UNION ALL SELECT number, suppressed FROM pprepub.publish('plain');
SELECT holds, string_agg(check_name, ', ' ORDER BY check_name) FROM pprepub.audit('stays') GROUP BY 1 ORDER BY 1;
SELECT * FROM pprepub.rebuild_history('stays');
-- n is 3 here; what it forbids is in what m-invariance releases.
SELECT count(*) AS unsafe FROM pprepub.historical_correlations('stays') WHERE unmatched < 3;
SELECT count(*) > 10 AS unsafe FROM pprepub.historical_correlations('plain') WHERE unmatched < 3;
CREATE TEMP TABLE few AS SELECT * FROM pprepub.historical_correlations('plain') WHERE unmatched <= 2;
SELECT count(*) AS differences FROM (
	(TABLE pg_temp.few EXCEPT ALL SELECT * FROM pprepub.historical_correlations('plain', most => 2))
	UNION ALL (SELECT * FROM pprepub.historical_correlations('plain', most => 2) EXCEPT ALL TABLE pg_temp.few)) d;
SELECT pprepub.historical_correlations('plain', most => -1);
SELECT pprepub.create_publication('once', 'ward.stays', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 6, "p": 0.04, "lifespan": 1, "threshold": 0.1}', beside => '{stays,plain}') \g /dev/null
SELECT number FROM pprepub.publish('once');
DELETE FROM ward.stays WHERE id % 100 > 0;
SELECT number FROM pprepub.publish('once');
SELECT pprepub.compromise('stays', '{nobody}');
SELECT pprepub.compromise('stays', '{99999}');
SELECT pprepub.compromise('stays', NULL);
SELECT count(*) FROM pprepub.compromise('stays', '{}') WHERE exact;
SELECT count(*) > 0 AS something FROM pprepub.compromise('plain', ARRAY(SELECT id::text FROM ward.stays ORDER BY id LIMIT 20));
-- Nothing is left open silently.
SET pprepub.search_budget = 0;
SELECT count(*) > 0 AS some FROM pprepub.compromise('plain', '{}') WHERE NOT exact;
RESET pprepub.search_budget;

-- An analyst reads the counterfeits where the owner says so.
RESET ROLE;
GRANT USAGE ON SCHEMA shown TO regress_analyst;
SET ROLE regress_analyst;
SELECT count(*) FROM shown.wards_counterfeits;
SET ROLE regress_owner;
GRANT SELECT ON shown.wards_counterfeits TO regress_analyst;
SET ROLE regress_analyst;
SELECT count(*) > 0 AS some FROM shown.wards_counterfeits;
SELECT pprepub.historical_correlations('stays');
SELECT pprepub.compromise('stays', '{1}');
RESET ROLE;

SET ROLE regress_owner;
DELETE FROM shown_private.wards_counterfeits;
DROP VIEW shown.wards_counterfeits;
SELECT number FROM pprepub.publish('wards');
SELECT count(*) > 0 AS again FROM shown.wards_counterfeits;
SELECT pprepub.drop_publication(name, true) FROM unnest('{wards,skewed,once,stays,plain}'::text[]) name;
SELECT relname FROM pg_class WHERE relname ~ '^(wards|skewed|once|stays|plain)_';

-- m is raised for those who come later; the others keep what they have, and the audit asks no more.
CREATE TABLE ward.raised AS SELECT i AS id, i AS age, 'd' || i % 5 AS disease FROM generate_series(1, 20) i;
SELECT pprepub.create_publication('once', 'ward.raised', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 2}', target => 'shown') \g /dev/null
SELECT pprepub.create_publication('evenly', 'ward.raised', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 2, "n": 2}', target => 'shown', beside => '{once}') \g /dev/null
SELECT count(pprepub.publish(name)) FROM pprepub.publication;
SELECT pprepub.alter_publication(name, '{"m": 3}') FROM pprepub.publication;
INSERT INTO ward.raised SELECT i, i, 'd' || i % 5 FROM generate_series(21, 30) i;
SELECT count(pprepub.publish(name)) FROM pprepub.publication, generate_series(1, 2);
SELECT name, required, holds FROM pprepub.publication, pprepub.audit(name) WHERE check_name ~ 'uniqueness' OR NOT holds ORDER BY 1;
SELECT min(n) FILTER (WHERE any_new) AS of_newcomers, min(n) AS of_all FROM (SELECT count(DISTINCT s.disease) AS n, bool_or(m.key::int > 20) AS any_new
	FROM shown.once_3 s JOIN pprepub.class_members('once') m ON m.release = 3 AND m.class = s.class GROUP BY s.class) c;
CALL public.clean();

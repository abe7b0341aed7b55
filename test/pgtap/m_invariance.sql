-- Methods m-invariance and cor-split: the same candidate values for ever.
\i test/lib/told.sql
CREATE ROLE regress_warden;
CREATE ROLE regress_reader;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_warden', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO regress_warden;
SET ROLE regress_warden;
CREATE SCHEMA ward;
CREATE TABLE ward.patients (id int, name text, age int, zip text, disease text);
INSERT INTO ward.patients SELECT i, 'p' || i, 20 + i % 40, (11000 + i % 7 * 100)::text, ('{flu,cancer,AIDS,bronchitis,asthma,diabetes}'::text[])[1 + i % 6]
FROM generate_series(1, 120) i;

-- Declarations.
SELECT is(told($$SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{}')$$), '22023 parameter "m" of method "m-invariance" is missing / Give it in the parameters, {"m": …}: an integer from 1 to 1000000.');
SELECT is(told($$SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 0}')$$), '22023 invalid value for parameter "m" / It must be an integer from 1 to 1000000.');
SELECT is(told($$SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 6}')$$), '22023 parameters of method "cor-split" contradict each other / Either n is given, or all of p, lifespan and threshold, by which n is chosen.');
SELECT is(told($$SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 6, "n": 3, "p": 0.04}')$$), '22023 parameters of method "cor-split" contradict each other / Either n is given, or all of p, lifespan and threshold, by which n is chosen.');
SELECT is(told($$SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 3, "n": 4}')$$), '22023 parameters of method "cor-split" contradict each other / n cannot be greater than m.');
SELECT is(told($$SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 6, "p": 0.5, "lifespan": 24, "threshold": 0.1}')$$), '22023 parameters of method "cor-split" contradict each other / With this p, lifespan and m no n keeps the probability of a breach below the threshold: the least there is, is 1.000000.');
SELECT is(told($$SELECT pprepub.create_publication('w', 'ward.patients', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 3}', insensitive => '{zip}')$$), '0A000 method "m-invariance" has no insensitive columns / They would leave as they are, and tell the rows of a class apart. / If that is what you want, say so: add "accept_insensitive": true to the parameters.');

-- How n is chosen (paper 004, section 4.2); for a lifespan of 21 its formula gives 2.
SELECT is(told($$SELECT lifespan, n.value AS n FROM (VALUES (0.04, 24, 6, 0.1), (0.04, 21, 6, 0.1), (0.5, 24, 6, 0.1), (1, 1, 2147483647, 1), (0.5, 10, 2147483647, 1)) v (p, lifespan, m, threshold),
	pprepub.plan('cor-split', to_jsonb(v)) n WHERE figure = 'n'$$), '24,3; 21,2; 24,; 1,; 10,25');
SELECT is(told($$SELECT n, figure, round(value::numeric, 4) AS value FROM unnest('{1,3}'::int[]) n, pprepub.plan('cor-split', jsonb_build_object('p', 0.04, 'lifespan', 24, 'm', 6, 'n', n))$$), '1,"excluded by knowledge",0.6246; 1,"excluded by correlation",0.9924; 1,breach,0.9858; 3,"excluded by knowledge",0.6246; 3,"excluded by correlation",0.0018; 3,breach,0.0956');
SELECT is(told($$SELECT figure, value FROM pprepub.plan('cor-split', '{"p": 0.5, "lifespan": 100000, "m": 1000, "threshold": 0.01}')$$), 'n,; "excluded by knowledge",1; "excluded by correlation",0; breach,1');
SELECT is(told($$SELECT * FROM pprepub.plan('cor-split', '{"p": 1.5, "lifespan": 24, "m": 6, "n": 3}')$$), '22023 "p" must be a number from 0 to 1 / It is 1.5.');
SELECT is(told($$SELECT * FROM pprepub.plan('cor-split', '{"p": 0.04, "lifespan": 0, "m": 6, "n": 3}')$$), '22023 "lifespan" must be an integer from 1 to 2147483647 / It is 0.');
SELECT is(told($$SELECT * FROM pprepub.plan('cor-split', '{"p": 0.04, "lifespan": 24, "m": 6, "n": 7}')$$), '22023 "n" must be an integer from 1 to 6 / It is 7.');
SELECT is(told($$SELECT * FROM pprepub.plan('cor-split', '{"p": 0.04, "lifespan": 24, "m": 6}')$$), '22023 "threshold" must be a number from 0 to 1 / It is missing.');
SELECT is(told($$SELECT * FROM pprepub.plan('cor-split', '{"p": "0.04", "lifespan": 24, "m": 6, "n": 1}')$$), '22023 "p" must be a number from 0 to 1 / It is "0.04".');
SELECT is(told($$SELECT * FROM pprepub.plan('cor-split', '{"p": 0.04, "lifespans": 24}')$$), '22023 a plan for method "cor-split" has no parameter "lifespans" / Its parameters are "m", "n", "p", "lifespan", "threshold".');
SELECT is(told($$SELECT * FROM pprepub.plan('m-invariance', '{"m": 3}')$$), '22023 there is no plan for method "m-invariance" / There are plans for "cor-split" and "global".');
SELECT is(told($$SELECT * FROM pprepub.plan('cor-split', '[]')$$), '22023 cannot call jsonb_object_keys on an array');
SELECT is(told($$SELECT * FROM pprepub.plan('cor-split', '1')$$), '22023 cannot call jsonb_object_keys on a scalar');

-- m-invariance
SELECT pprepub.create_publication('wards', 'ward.patients', 'id', '{"age": "range", "zip": "prefix"}', 'disease', 'm-invariance', '{"m": 3}', target => 'shown') \g /dev/null
SELECT is(told($$SELECT number, rows, classes, suppressed, counterfeits FROM pprepub.publish('wards')$$), '1,120,40,0,0');
SELECT is(told($$SELECT count(*) AS rows, count(DISTINCT class) AS classes FROM shown.wards$$), '120,40');
SELECT is(told($$SELECT count(*) AS classes_with_too_few FROM (SELECT class FROM shown.wards GROUP BY class HAVING count(DISTINCT disease) < 3 OR count(DISTINCT disease) < count(*)) c$$), '0');
SELECT is(told($$SELECT count(*) FROM shown.wards_counterfeits$$), '0');
DELETE FROM ward.patients WHERE id <= 6 OR disease = 'flu' AND id < 40;
INSERT INTO ward.patients SELECT 200 + i, 'n' || i, 30, '11000', ('{cancer,AIDS,asthma}'::text[])[1 + i % 3] FROM generate_series(1, 6) i;
SELECT is(told($$SELECT number, rows - counterfeits AS true_rows, suppressed, counterfeits > 0 AS invented FROM pprepub.publish('wards')$$), '2,115,0,t');
SELECT is(told($$SELECT sum(counterfeits) = (SELECT counterfeits FROM pprepub.release WHERE publication = 'wards' AND number = 2) AS all_told FROM shown.wards_counterfeits WHERE release = 2$$), 'true');
SELECT is(told($$SELECT holds, string_agg(check_name, ', ' ORDER BY check_name) FROM pprepub.audit('wards') GROUP BY 1$$), 't,"checksums, covers, ends, first appearances, m-invariance, m-uniqueness, people, remembered, rows"');
SELECT is(told($$SELECT * FROM pprepub.rebuild_history('wards')$$), 'people,t');
SELECT is(told($$SELECT releases, count(*) FROM (SELECT key, array_agg(release ORDER BY release) AS releases FROM pprepub.class_members('wards') GROUP BY key) m GROUP BY 1 ORDER BY 1$$), '{1},11; "{1,2}",109; {2},6');
SELECT is(told($$SELECT kind, holds FROM pprepub.attack('wards') GROUP BY 1, 2 ORDER BY 1$$), 'atom,t; difference,t; intersection,t');

-- Everybody's candidates stay what they were.
SELECT is(told($$SELECT count(*) AS changed FROM (
	SELECT key FROM (SELECT m.key, m.release, array_agg(DISTINCT v.disease ORDER BY v.disease) AS seen
		FROM pprepub.class_members('wards') m
		JOIN (SELECT 1 AS release, class, disease FROM shown.wards_1 UNION ALL SELECT 2, class, disease FROM shown.wards_2) v USING (release, class)
		GROUP BY 1, 2) s GROUP BY key HAVING count(DISTINCT seen) > 1) c$$), '0');

-- Refused: values that change, or are missing.
UPDATE ward.patients SET disease = 'flu' WHERE id IN (50, 51);
SELECT is(told($$SELECT number FROM pprepub.publish('wards')$$), '55000 the sensitive value of 2 row(s) of publication "wards" is not what was published / Method "m-invariance" protects people whose values do not change. / Method "m-distinct" is for values that change. If a row is about something new, such as another stay in hospital, declare a key that tells the two apart.');
UPDATE ward.patients SET disease = NULL WHERE id = 60;
SELECT is(told($$SELECT number FROM pprepub.publish('wards')$$), '22004 the source of publication "wards" has 1 row(s) without a sensitive value / Method "m-invariance" shows every row among others with different values. / Leave these rows out with a view, or give them a value.');
SELECT is(told($$SELECT metric FROM pprepub.preview('wards')$$), '22004 the source of publication "wards" has 1 row(s) without a sensitive value / Method "m-invariance" shows every row among others with different values. / Leave these rows out with a view, or give them a value.');
UPDATE ward.patients SET disease = ('{flu,cancer,AIDS,bronchitis,asthma,diabetes}'::text[])[1 + id % 6] WHERE id <= 120;
SELECT is(told($$SELECT pprepub.publish('wards', 'age > 30')$$), '0A000 method "m-invariance" publishes everybody / Leave the argument out.');
SELECT is(told($$SELECT pprepub.publish('wards', NULL, '{age}')$$), '0A000 method "m-invariance" publishes all columns / Leave the argument out.');
SELECT is(told($$SELECT number FROM pprepub.import_release('wards', 'shown.wards_1')$$), '0A000 releases cannot be imported into publication "wards" / Method "m-invariance" can only continue releases that it has made. / Declare a publication of another method to audit them.');
SELECT is(told($$SELECT pprepub.alter_publication('wards', '{"m": 2}')$$), '55000 a smaller "m" would weaken what publication "wards" has promised / The people in its releases would be protected less from now on. / If that is what you want, say so: add "accept_weakening": true to the parameters.');
SELECT is(told($$SELECT number FROM pprepub.publish('wards')$$), '3');

-- Skewed values: named with their share; a few are made up for by counterfeits.
CREATE TABLE ward.skewed AS SELECT i AS id, i % 50 AS age, CASE WHEN i <= 70 THEN 'flu' ELSE 'd' || i % 5 END AS disease FROM generate_series(1, 100) i;
SELECT pprepub.create_publication('skewed', 'ward.skewed', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 4}') \g /dev/null
SELECT is(told($$SELECT number FROM pprepub.publish('skewed')$$), '55000 too many people of publication "skewed" have the same sensitive value / 70 of 100 rows that are new to it, 70.0 %, have "flu": with m = 4 that would take 180 invented rows, more than there are true ones. / Declare a smaller m, or a sensitive column that tells more values apart.');
UPDATE ward.skewed SET disease = 'flu';
SELECT is(told($$SELECT number FROM pprepub.publish('skewed')$$), '55000 publication "skewed" has 1 different sensitive value(s), and needs 4 / 100 of 100 rows that are new to it, 100.0 %, have "flu"; invented rows can only have values that are known. / Declare a smaller m.');
UPDATE ward.skewed SET disease = CASE WHEN id <= 30 THEN 'flu' ELSE 'd' || id % 5 END;
SELECT is(told($$SELECT number, classes, counterfeits FROM pprepub.publish('skewed')$$), '1,30,20');
-- A value that nobody has had, among invented rows
INSERT INTO ward.skewed VALUES (101, 20, 'new');
SELECT is(told($$SELECT number FROM pprepub.publish('skewed')$$), '55000 1 row(s) that are new to publication "skewed" would be found by their sensitive values / No release has shown these values, and too few people come with them: beside invented rows, which only have values that are known, this release or later ones would tell whose they are. / Publish when 4 people with different values are new at the same time, leave these rows out with a view, or declare a coarser sensitive column.');
DELETE FROM ward.skewed WHERE id = 101;

-- cor-split
CREATE TABLE ward.stays AS SELECT i AS id, i * 7 % 50 AS age, 'd' || i % 12 AS disease FROM generate_series(1, 600) i;
SELECT pprepub.create_publication('stays', 'ward.stays', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 6, "p": 0.04, "lifespan": 24, "threshold": 0.1}') \g /dev/null
SELECT pprepub.create_publication('plain', 'ward.stays', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 6}', beside => '{stays}') \g /dev/null
CREATE FUNCTION ward.live(step int) RETURNS void LANGUAGE sql AS $$
	DELETE FROM ward.stays WHERE hashint8extended(id, step) & 7 = 0;
	INSERT INTO ward.stays SELECT 1000 * step + i, i * 11 % 50, 'd' || (hashint8extended(i, step) & 7) FROM generate_series(1, 70) i;
$$;
SELECT is(told($$SELECT number, suppressed FROM pprepub.publish('stays') UNION ALL SELECT number, suppressed FROM pprepub.publish('plain')$$), '1,0; 1,0');
SELECT ward.live(1);
SELECT is(told($$SELECT number, suppressed FROM pprepub.publish('stays') UNION ALL SELECT number, suppressed FROM pprepub.publish('plain')$$), '2,0; 2,0');
SELECT ward.live(2);
SELECT is(told($$SELECT number, suppressed FROM pprepub.publish('stays') UNION ALL SELECT number, suppressed FROM pprepub.publish('plain')$$), '3,0; 3,0');
SELECT is(told($$SELECT holds, string_agg(check_name, ', ' ORDER BY check_name) FROM pprepub.audit('stays') GROUP BY 1 ORDER BY 1$$), 't,"checksums, covers, ends, first appearances, hc-safety, remembered, rows, weak m-invariance, weak m-uniqueness"; ,beside');
SELECT is(told($$SELECT * FROM pprepub.rebuild_history('stays')$$), 'no rows');
-- n is 3 here; what it forbids is in what m-invariance releases.
SELECT is(told($$SELECT count(*) AS unsafe FROM pprepub.historical_correlations('stays') WHERE unmatched < 3$$), '0');
SELECT is(told($$SELECT count(*) > 10 AS unsafe FROM pprepub.historical_correlations('plain') WHERE unmatched < 3$$), 'true');
CREATE TEMP TABLE few AS SELECT * FROM pprepub.historical_correlations('plain') WHERE unmatched <= 2;
SELECT is(told($$SELECT count(*) AS differences FROM (
	(TABLE pg_temp.few EXCEPT ALL SELECT * FROM pprepub.historical_correlations('plain', most => 2))
	UNION ALL (SELECT * FROM pprepub.historical_correlations('plain', most => 2) EXCEPT ALL TABLE pg_temp.few)) d$$), '0');
SELECT is(told($$SELECT pprepub.historical_correlations('plain', most => -1)$$), '22023 most must not be negative');
SELECT pprepub.create_publication('once', 'ward.stays', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 6, "p": 0.04, "lifespan": 1, "threshold": 0.1}', beside => '{stays,plain}') \g /dev/null
SELECT is(told($$SELECT number FROM pprepub.publish('once')$$), '1');
DELETE FROM ward.stays WHERE id % 100 > 0;
SELECT is(told($$SELECT number FROM pprepub.publish('once')$$), '55000 4 row(s) of publication "once" were published 1 times, as often as its "lifespan" allows / Each release more makes it more likely that what is known of some people tells of others. / Leave these rows out with a view.');
SELECT is(told($$SELECT pprepub.compromise('stays', '{nobody}')$$), '22P02 invalid input syntax for type integer: "nobody"');
SELECT is(told($$SELECT pprepub.compromise('stays', '{99999}')$$), '22023 nobody with key "99999" was published / pprepub.class_members() lists the keys of all who were.');
SELECT is(told($$SELECT pprepub.compromise('stays', NULL)$$), '22004 the keys must not be null');
SELECT is(told($$SELECT count(*) FROM pprepub.compromise('stays', '{}') WHERE exact$$), '0');
SELECT is(told($$SELECT count(*) > 0 AS something FROM pprepub.compromise('plain', ARRAY(SELECT id::text FROM ward.stays ORDER BY id LIMIT 20))$$), 'true');
-- Nothing is left open silently.
SET pprepub.search_budget = 0;
SELECT is(told($$SELECT count(*) > 0 AS some FROM pprepub.compromise('plain', '{}') WHERE NOT exact$$), 'true');
RESET pprepub.search_budget;

-- An analyst reads the counterfeits where the owner says so.
RESET ROLE;
GRANT USAGE ON SCHEMA shown TO regress_reader;
SET ROLE regress_reader;
SELECT is(told($$SELECT count(*) FROM shown.wards_counterfeits$$), '42501 permission denied for view wards_counterfeits');
SET ROLE regress_warden;
GRANT SELECT ON shown.wards_counterfeits TO regress_reader;
SET ROLE regress_reader;
SELECT is(told($$SELECT count(*) > 0 AS some FROM shown.wards_counterfeits$$), 'true');
SELECT is(told($$SELECT pprepub.historical_correlations('stays')$$), '42501 must be owner or auditor of publication "stays" / Its owner can call pprepub.grant_audit().');
SELECT is(told($$SELECT pprepub.compromise('stays', '{1}')$$), '42501 must be owner of publication "stays"');
RESET ROLE;

SET ROLE regress_warden;
SELECT is(told($$DELETE FROM shown_private.wards_counterfeits$$), '55000 table "wards_counterfeits" cannot be changed / Releases and their history stay as they are. pprepub.drop_publication(name, forget_history => true) drops a publication with all that was made for it.');
DROP VIEW shown.wards_counterfeits;
SELECT is(told($$SELECT number FROM pprepub.publish('wards')$$), '4');
SELECT is(told($$SELECT count(*) > 0 AS again FROM shown.wards_counterfeits$$), 'true');
SELECT pprepub.drop_publication(name, true) FROM unnest('{wards,skewed,once,stays,plain}'::text[]) name;
SELECT is(told($$SELECT relname FROM pg_class WHERE relname ~ '^(wards|skewed|once|stays|plain)_'$$), 'no rows');

-- m is raised for those who come later; the others keep what they have, and the audit asks no more.
CREATE TABLE ward.raised AS SELECT i AS id, i AS age, 'd' || i % 5 AS disease FROM generate_series(1, 20) i;
SELECT pprepub.create_publication('once', 'ward.raised', 'id', '{"age": "range"}', 'disease', 'm-invariance', '{"m": 2}', target => 'shown') \g /dev/null
SELECT pprepub.create_publication('evenly', 'ward.raised', 'id', '{"age": "range"}', 'disease', 'cor-split', '{"m": 2, "n": 2}', target => 'shown', beside => '{once}') \g /dev/null
SELECT is(told($$SELECT count(pprepub.publish(name)) FROM pprepub.publication$$), '2');
SELECT pprepub.alter_publication(name, '{"m": 3}') FROM pprepub.publication;
INSERT INTO ward.raised SELECT i, i, 'd' || i % 5 FROM generate_series(21, 30) i;
SELECT is(told($$SELECT count(pprepub.publish(name)) FROM pprepub.publication, generate_series(1, 2)$$), '4');
SELECT is(told($$SELECT name, required, holds FROM pprepub.publication, pprepub.audit(name) WHERE check_name ~ 'uniqueness' OR NOT holds ORDER BY 1$$), 'evenly,"2 values or more in each class, each equally often",t; once,"2 values or more in each class, each once",t');
SELECT is(told($$SELECT min(n) FILTER (WHERE any_new) AS of_newcomers, min(n) AS of_all FROM (SELECT count(DISTINCT s.disease) AS n, bool_or(m.key::int > 20) AS any_new
	FROM shown.once_3 s JOIN pprepub.class_members('once') m ON m.release = 3 AND m.class = s.class GROUP BY s.class) c$$), '3,2');
SELECT pprepub.drop_publication(name, true) FROM unnest('{once,evenly}'::text[]) name;
RESET ROLE;
DROP OWNED BY regress_warden, regress_reader CASCADE;
DROP ROLE regress_warden, regress_reader;

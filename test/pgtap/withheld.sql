-- withheld() and withheld_keys(): whom the newest release of everybody leaves out.
CREATE TABLE people AS SELECT i AS id, i * 37 % 80 AS age, 'd' || i % 5 AS ill FROM generate_series(1, 400) i;
ALTER TABLE people ADD PRIMARY KEY (id);
SELECT pprepub.create_publication('people', 'people', 'id', '{"age": "range"}', 'ill', params => '{"k": 4, "l": 2}') \g /dev/null
SELECT is((SELECT count(*) FROM pprepub.withheld('people')), 0::bigint, 'no release, no figures');
SELECT is((SELECT count(*) FROM pprepub.withheld_keys('people')), 0::bigint, 'and nobody');
SELECT rows FROM pprepub.publish('people') \g /dev/null

-- Two newcomers are too few; of those who were there, some may be withheld, too.
DELETE FROM people WHERE id % 40 = 0;
INSERT INTO people VALUES (1001, 3, 'rare'), (1002, 79, 'as rare');
SELECT rows FROM pprepub.publish('people') \g /dev/null
SELECT results_eq($$ SELECT release, reason FROM pprepub.withheld('people') $$, $$ VALUES (2, 'left_out'), (2, 'waiting'), (2, 'retired'), (2, 'hidden') $$, 'four reasons');
SELECT is((SELECT sum(people)::bigint FROM pprepub.withheld('people')), (SELECT suppressed FROM pprepub.release WHERE number = 2), 'everybody who is withheld has one');
SELECT is((SELECT min(people) >= 0 FROM pprepub.withheld('people')), true, 'no number is negative');
SELECT is((SELECT count(*) FROM pprepub.withheld_keys('people')), (SELECT suppressed FROM pprepub.release WHERE number = 2), 'they are listed');
SELECT is((SELECT string_agg(key || ': ' || reason, ', ' ORDER BY key) FROM pprepub.withheld_keys('people') WHERE key::int > 1000), '1001: never had a place, 1002: never had a place', 'newcomers');

-- Of a release of a cohort nothing is told; who comes later is listed until the next release of everybody.
SELECT rows FROM pprepub.publish('people', 'age < 40') \g /dev/null
SELECT is((SELECT max(release) FROM pprepub.withheld('people')), 2, 'not of a cohort');
INSERT INTO people VALUES (1003, 40, 'd1');
SELECT is((SELECT count(*) FROM pprepub.withheld_keys('people') WHERE key = '1003'), 1::bigint, 'of the source of today');

-- Of methods without places no reason is known.
CREATE TABLE others AS SELECT i AS id, i % 80 AS age, 'd' || i % 40 AS ill FROM generate_series(1, 400) i;
SELECT pprepub.create_publication('others', 'others', 'id', '{"age": "range"}', 'ill', 'm-invariance', '{"m": 3}') \g /dev/null
SELECT rows FROM pprepub.publish('others') \g /dev/null
INSERT INTO others VALUES (1001, 3, 'd1');
SELECT results_eq($$ SELECT * FROM pprepub.withheld_keys('others') $$, $$ VALUES ('1001', NULL) $$, 'nor a place');

-- Auditors see numbers.
CREATE ROLE regress_officer;
SELECT pprepub.grant_audit('people', 'regress_officer') \g /dev/null
SET ROLE regress_officer;
SELECT is((SELECT count(*) FROM pprepub.withheld('people')), 4::bigint, 'figures');
SELECT throws_like($$ SELECT * FROM pprepub.withheld_keys('people') $$, 'must be owner%', 'and nobody');
SELECT is((SELECT count(*) FROM pprepub.release WHERE stale IS NULL), 1::bigint, 'no figure of a cohort');
RESET ROLE;
SELECT pprepub.revoke_audit('people', 'regress_officer') \g /dev/null
DROP ROLE regress_officer;

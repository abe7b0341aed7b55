-- Of the rows that answer a cohort, at most the share max_added was not asked for, or is of nobody (test/lives asks whether they are more).
-- Everybody is no cohort.
CREATE TABLE few AS SELECT i AS id, i AS age, 'd' || i AS ill FROM generate_series(1, 6) i;
SELECT pprepub.create_publication('few', 'few', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 6, "max_added": 0.1}') \g /dev/null
SELECT pprepub.publish('few') \g /dev/null
DELETE FROM few WHERE id > 3;
SELECT is((SELECT count(*) FROM published.few('age < 9')), 0::bigint, 'three of six are a cohort that is withheld');
SELECT is((SELECT count(*) FROM published.few()), 6::bigint, 'and are shown as everybody');

-- The parameter
SELECT throws_like($$ SELECT pprepub.alter_publication('few', '{"max_added": 1.5}') $$, '%"max_added"%', 'a share is 1 at most');
SELECT throws_like($$ SELECT pprepub.alter_publication('few', '{"max_added": -0.1}') $$, '%"max_added"%', 'and 0 at least');
SELECT throws_like($$ SELECT pprepub.preview('few', 'age = 1') $$, '%has nothing that may be published%', 'one of three is withheld');
SELECT is((SELECT value FROM pprepub.preview('few', 'age = 1', params => '{"max_added": 0.9}') WHERE metric = 'counterfeits'), 5::float8,
	'unless a preview allows five others');
SELECT lives_ok($$ SELECT pprepub.alter_publication('few', '{"max_added": 1}') $$, 'a larger one weakens no promise');

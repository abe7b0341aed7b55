-- Publications of plain tables, which are told apart at the first glance; until somebody brings the tables together.
BEGIN;

CREATE TABLE a AS SELECT i AS id, 20 + i % 50 AS age, 'd' || i % 9 AS ill FROM generate_series(1, 100) i;
CREATE TABLE b (LIKE a);
CREATE TABLE c (LIKE a);
INSERT INTO b TABLE a;
CREATE FUNCTION declare(name text, beside name[] DEFAULT '{}') RETURNS void LANGUAGE sql AS $$
	SELECT pprepub.create_publication(name, name::regclass, 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3}', beside => beside)
$$;
SELECT declare('a') \g /dev/null
SELECT declare('b') \g /dev/null
SELECT lives_ok($$ SELECT pprepub.publish('a') $$, 'two tables, two publications');
CREATE FUNCTION refused(name text, other text, what text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT throws_like(format('SELECT pprepub.publish(%L)', name), format('"%s" shares data with publication "%s"', name, other), what)
$$;

SAVEPOINT apart;
ALTER TABLE b INHERIT a;
SELECT refused('a', 'b', 'a table has a child now');
SELECT refused('b', 'a', 'and the child a parent');
ALTER TABLE b NO INHERIT a;
SELECT lives_ok($$ SELECT pprepub.publish('a') $$, 'not any more');
SELECT lives_ok($$ SELECT pprepub.publish('b') $$, 'neither of the two');
ROLLBACK TO apart;

CREATE TABLE parent (LIKE a);
ALTER TABLE a INHERIT parent;
SELECT lives_ok($$ SELECT pprepub.publish('a') $$, 'a table has a parent');
ALTER TABLE b INHERIT parent;
SELECT refused('a', 'b', 'and the parent another child');
ROLLBACK TO apart;

CREATE RULE note AS ON INSERT TO a DO ALSO INSERT INTO b SELECT id, age, ill FROM b LIMIT 0;
SELECT refused('a', 'b', 'a rule of a table reads another one');
SELECT refused('b', 'a', 'that is in whose place it is read');
ROLLBACK TO apart;

SELECT declare('c') \g /dev/null
CREATE TABLE whole (LIKE a) PARTITION BY RANGE (id);
ALTER TABLE whole ATTACH PARTITION a FOR VALUES FROM (1) TO (101);
SELECT lives_ok($$ SELECT pprepub.publish('a') $$, 'a partition without siblings');
ALTER TABLE whole ATTACH PARTITION c FOR VALUES FROM (101) TO (201);
SELECT refused('a', 'c', 'a partition has a sibling now, to which people can move');
SELECT lives_ok($$ SELECT pprepub.publish('b') $$, 'others are as they were');
ROLLBACK TO apart;

SELECT throws_like($$ SELECT pprepub.create_publication('again', 'a', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3}') $$,
	'"a" shares data with publication "a"', 'the same table twice');
SELECT lives_ok($$ SELECT pprepub.create_publication('again', 'a', 'id', '{"age": "range"}', 'ill', 'bpg', '{"k": 3}', beside => '{a}') $$,
	'unless it is said');
SELECT lives_ok($$ SELECT pprepub.publish('a') $$, 'from either side');
CREATE VIEW seen AS SELECT * FROM b;
SELECT throws_like($$ SELECT declare('seen') $$, '"seen" shares data with publication "b"', 'a view of a table');
SELECT lives_ok($$ SELECT declare('seen', '{b}') $$, 'beside it');
SELECT lives_ok($$ SELECT pprepub.publish('a') $$, 'a table beside a view of another');
CREATE OR REPLACE VIEW seen AS SELECT b.* FROM b JOIN a USING (id);
SELECT refused('a', 'seen', 'the view reaches it, too');

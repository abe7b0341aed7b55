-- Values of people who have left a sequence are recovered from the log, in columns of any kind, though nobody else is like them any more.
CREATE TABLE levels (leaf text, parent text, root text);
INSERT INTO levels SELECT 'c' || i, 'g' || i / 3, 'all' FROM generate_series(0, 7) i;
SELECT pprepub.create_taxonomy('levels', 'levels') \g /dev/null
CREATE TABLE kinds (id int PRIMARY KEY, age smallint, weight numeric, born date, zip text, code char(4), country varchar(9), sex boolean, ill text);
INSERT INTO kinds SELECT i, i % 7, i % 5 * 1.50, date '2000-01-01' + i % 6, '53' || i % 4 || i % 3, 'x' || i % 2, 'c' || i % 8, i % 2 = 0, 'd' || i % 9 FROM generate_series(1, 400) i;
SELECT pprepub.create_publication('kinds', 'kinds', 'id', '{"age": "range", "weight": "range", "born": "range", "zip": "prefix", "code": "suppress", "country": "taxonomy levels", "sex": "suppress"}',
	'ill', 'sequential', '{"k": 5, "seed": 1}') \g /dev/null
SELECT pprepub.publish('kinds', columns => '{age,weight,ill}') \g /dev/null
SELECT pprepub.publish('kinds', columns => '{born,zip,ill}') \g /dev/null
SELECT pprepub.publish('kinds', columns => '{code,country,sex,ill}') \g /dev/null
DELETE FROM kinds WHERE id % 5 = 0;
SELECT lives_ok($$ SELECT pprepub.publish('kinds', columns => '{sex,ill}') $$, 'people of all kinds have left');
SELECT alike(measured, '5 at the least; of 400 people 0 less%', 'all of them are judged again') FROM pprepub.audit('kinds') WHERE check_name = 'joined';

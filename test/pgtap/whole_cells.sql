-- A cell that covers everybody in a release says nothing, whoever else there is: somebody withheld, or left out, must not
-- make it say where it ends.
CREATE TABLE cells (id int, age int, zip text, place float8, disease text);
INSERT INTO cells SELECT i, i, '5' || i, 1, 'd' || i % 7 FROM generate_series(1, 19) i;
SELECT pprepub.create_publication('cells', 'cells', 'id', '{"age": "range", "zip": "prefix", "place": "range"}', 'disease', 'bpg',
	'{"k": 10, "max_answers_per_statement": 100}') \g /dev/null
CREATE FUNCTION shown() RETURNS SETOF text LANGUAGE sql AS $$ SELECT DISTINCT concat_ws(' ', age, zip) FROM published.cells () $$;
SELECT results_eq('SELECT shown()', $$ VALUES ('(,) *') $$, 'a class of all that there are');
INSERT INTO cells SELECT 100, 1000, '7', 'NaN', 'd1';
SELECT results_eq('SELECT shown()', $$ VALUES ('(,) *') $$, 'and one beside somebody who cannot be shown');
UPDATE cells SET place = 1 WHERE id = 100;
SELECT results_eq('SELECT shown()', $$ VALUES ('(,) *') $$, 'one beside somebody who is withheld');
UPDATE cells SET age = NULL, zip = NULL WHERE id = 100;
SELECT results_eq('SELECT shown()', $$ VALUES ('(,) *') $$, 'of whom less is known');
SELECT is_empty($$ SELECT * FROM pprepub.audit('cells') WHERE NOT holds AND check_name <> 'covers' $$, 'all of it holds');

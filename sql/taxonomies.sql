-- Taxonomies: made from levels tables, extended, dropped, and all that can be wrong with them.
\pset format unaligned \t on \pset recordsep '; '
SET ROLE regress_owner;

CREATE TABLE levels (country text, continent text, world text);
INSERT INTO levels VALUES
	('France', 'Europe', 'World'), ('Spain', 'Europe', 'World'), ('Morocco', 'Africa', 'World'),
	('Antarctica', 'Antarctica', 'World');		-- ragged: a leaf right below the root
SELECT pprepub.create_taxonomy('world', 'levels');
SELECT * FROM pprepub.taxonomy_node WHERE taxonomy = 'world' ORDER BY depth, node;

-- Extended by new leaves and subtrees; what was there may be repeated.
CREATE TABLE more_levels AS TABLE levels;
INSERT INTO more_levels VALUES ('Italy', 'Europe', 'World'), ('India', 'Asia', 'World');
SELECT pprepub.extend_taxonomy('world', 'more_levels');
SELECT node, parent, leaves FROM pprepub.taxonomy_node WHERE taxonomy = 'world' ORDER BY depth, node;

-- A hierarchy file of ARX's, as it is.
CREATE TABLE hierarchy (a text, b text, c text, d text);
COPY hierarchy FROM stdin WITH (FORMAT csv, DELIMITER ';');
Bachelors;Undergraduate;Higher education;*
Some-college;Undergraduate;Higher education;*
Masters;Graduate;Higher education;*
1st-4th;Primary School;Primary education;*
\.
SELECT pprepub.create_taxonomy('education', 'hierarchy');
SELECT node, parent, leaves FROM pprepub.taxonomy_node WHERE taxonomy = 'education' ORDER BY depth, node;

-- One node alone is a tree.
CREATE TABLE one_level AS SELECT 'everything' AS thing;
SELECT pprepub.create_taxonomy('one', 'one_level');
SELECT * FROM pprepub.taxonomy_node WHERE taxonomy = 'one';

-- Any type that prints; columns that were dropped are not levels; rows repeated are one.
CREATE TABLE numbers (dropped int, leaf int, half numeric, root bool);
ALTER TABLE numbers DROP COLUMN dropped;
INSERT INTO numbers SELECT i / 2, i / 4 + 0.5, true FROM generate_series(0, 7) i;
SELECT pprepub.create_taxonomy('numbers', 'numbers');
SELECT * FROM pprepub.taxonomy_node WHERE taxonomy = 'numbers' ORDER BY depth, node;

-- A tree is refused with the node that does not fit.
CREATE TABLE wrong (leaf text, parent text, root text);
CREATE FUNCTION try_levels(VARIADIC rows text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text; hint text;
BEGIN
	DELETE FROM wrong;
	FOR i IN 1 .. array_length(rows, 1) BY 3 LOOP
		INSERT INTO wrong VALUES (rows[i], rows[i + 1], rows[i + 2]);
	END LOOP;
	PERFORM pprepub.create_taxonomy('wrong', 'wrong');
	RETURN 'created';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' / ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;
SELECT try_levels('a', 'b', 'root', 'c', 'd', 'other root');
SELECT try_levels('a', 'b', 'root', 'a', 'c', 'root');
SELECT try_levels('a', 'b', 'a');
SELECT try_levels('a', 'b', 'root', 'b', 'c', 'root');
SELECT try_levels('b', 'c', 'root', 'a', 'b', 'root');
SELECT try_levels('a', 'b', 'root', 'c', 'root', 'b');
SELECT try_levels('a', 'b', 'root', 'root', 'c', 'd');
SELECT try_levels('a', NULL, 'root');
SELECT try_levels(NULL, 'b', 'root');
SELECT try_levels('a', 'b', NULL);
SELECT try_levels('a', '*', 'root');
SELECT try_levels('**', 'b', 'root');
SELECT try_levels('a', 'b', 'root', 'a', 'b', 'root');
SELECT pprepub.drop_taxonomy('wrong');
SELECT try_levels(repeat('a', 1025), 'b', 'root');
DELETE FROM wrong;
SELECT pprepub.create_taxonomy('wrong', 'wrong');
CREATE TABLE no_columns ();
SELECT pprepub.create_taxonomy('wrong', 'no_columns');
CREATE VIEW too_many AS SELECT i AS leaf, 'root'::text AS root FROM generate_series(1, 1048577) i;
SELECT pprepub.create_taxonomy('wrong', 'too_many');
SELECT pprepub.create_taxonomy('wrong', 'too_many_not');
SELECT pprepub.create_taxonomy('wrong', 4000000000);
SELECT pprepub.create_taxonomy('wrong', 'pg_class_oid_index');
SELECT pprepub.create_taxonomy(NULL, 'levels');
SELECT pprepub.create_taxonomy('', 'levels');
SELECT pprepub.create_taxonomy(repeat('x', 64), 'levels');
SELECT pprepub.create_taxonomy('wrong', NULL);
SELECT pprepub.create_taxonomy('world', 'levels');

-- An extension moves nothing that was there.
DELETE FROM wrong;
INSERT INTO wrong VALUES ('France', 'Asia', 'World');
SELECT pprepub.extend_taxonomy('world', 'wrong');
UPDATE wrong SET parent = 'Europe', root = 'Universe';
SELECT pprepub.extend_taxonomy('world', 'wrong');
UPDATE wrong SET leaf = 'Paris', parent = 'France', root = 'World';
SELECT pprepub.extend_taxonomy('world', 'wrong');
UPDATE wrong SET leaf = 'Europe', parent = 'Europe';
SELECT pprepub.extend_taxonomy('world', 'wrong');
SELECT pprepub.extend_taxonomy('no such', 'levels');
SELECT count(*) FROM pprepub.taxonomy_node WHERE taxonomy = 'world';

-- Ladders.
SELECT pprepub.create_range_taxonomy('ages', 0, 25, '{5, 10}');
SELECT node, parent, depth, leaves FROM pprepub.taxonomy_node WHERE taxonomy = 'ages' ORDER BY depth, node;
SELECT pprepub.create_range_taxonomy('fine', -0.5, 0.5, '{0.25}');
SELECT node, parent FROM pprepub.taxonomy_node WHERE taxonomy = 'fine' ORDER BY depth, node;
SELECT pprepub.create_range_taxonomy('wrong', 0, 0, '{5}');
SELECT pprepub.create_range_taxonomy('wrong', 0, 'NaN', '{5}');
SELECT pprepub.create_range_taxonomy('wrong', '-Infinity', 0, '{5}');
SELECT pprepub.create_range_taxonomy('wrong', 0, 100, '{}');
SELECT pprepub.create_range_taxonomy('wrong', 0, 100, '{0}');
SELECT pprepub.create_range_taxonomy('wrong', 0, 100, '{5, 12}');
SELECT pprepub.create_range_taxonomy('wrong', 0, 100, '{5, 5}');
SELECT pprepub.create_range_taxonomy('wrong', 0, 100, '{5, NULL}');
SELECT pprepub.create_range_taxonomy('wrong', 0, 100, NULL);
SELECT pprepub.create_range_taxonomy('wrong', 0, 1e9, '{1}');
SELECT pprepub.create_range_taxonomy('wrong', 1e131000, 1e131000 + 5, '{1}');
SELECT pprepub.create_range_taxonomy('wrong', 0, 5, ARRAY[1, 10 ^ 131000::numeric]);
SELECT pprepub.extend_taxonomy('ages', 'levels');

-- Any role may read and name a taxonomy; only its owner changes it, and only
-- from a table of his own: what it holds becomes readable by everybody.
SET ROLE regress_other;
SELECT count(*) FROM pprepub.taxonomy_node WHERE taxonomy = 'world';
SELECT pprepub.extend_taxonomy('world', 'more_levels');
SELECT pprepub.drop_taxonomy('world');
SELECT pprepub.create_taxonomy('stolen', 'levels');
SELECT * FROM pprepub_internal.catalog_taxonomy;
RESET ROLE;
GRANT SELECT ON levels TO regress_other;
SET ROLE regress_other;
SELECT pprepub.create_taxonomy('stolen', 'levels');
RESET ROLE;

-- Dropped, and its nodes with it.
SET ROLE regress_owner;
SELECT pprepub.drop_taxonomy(t) FROM unnest('{world,education,one,numbers,ages,fine}'::text[]) t;
SELECT pprepub.drop_taxonomy('world');
RESET ROLE;
SELECT count(*) FROM pprepub_internal.catalog_tree_node;
CALL public.clean();

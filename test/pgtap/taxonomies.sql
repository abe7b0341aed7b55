-- Taxonomies: made from levels tables, extended, dropped, and all that can be wrong with them.
\i test/lib/told.sql
CREATE ROLE regress_gardener;
CREATE ROLE regress_thief;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_gardener', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO regress_gardener;
SET ROLE regress_gardener;

CREATE TABLE levels (country text, continent text, world text);
INSERT INTO levels VALUES
	('France', 'Europe', 'World'), ('Spain', 'Europe', 'World'), ('Morocco', 'Africa', 'World'),
	('Antarctica', 'Antarctica', 'World');		-- ragged: a leaf right below the root
SELECT pprepub.create_taxonomy('world', 'levels');
SELECT is(told($$SELECT * FROM pprepub.taxonomy_node WHERE taxonomy = 'world' ORDER BY depth, node$$), 'world,World,,0,4; world,Africa,World,1,1; world,Antarctica,World,1,1; world,Europe,World,1,2; world,France,Europe,2,1; world,Morocco,Africa,2,1; world,Spain,Europe,2,1');

-- Extended by new leaves and subtrees; what was there may be repeated.
CREATE TABLE more_levels AS TABLE levels;
INSERT INTO more_levels VALUES ('Italy', 'Europe', 'World'), ('India', 'Asia', 'World');
SELECT pprepub.extend_taxonomy('world', 'more_levels');
SELECT is(told($$SELECT node, parent, leaves FROM pprepub.taxonomy_node WHERE taxonomy = 'world' ORDER BY depth, node$$), 'World,,6; Africa,World,1; Antarctica,World,1; Asia,World,1; Europe,World,3; France,Europe,1; India,Asia,1; Italy,Europe,1; Morocco,Africa,1; Spain,Europe,1');

-- A hierarchy file of ARX's, as it is.
CREATE TABLE hierarchy (a text, b text, c text, d text);
COPY hierarchy FROM stdin WITH (FORMAT csv, DELIMITER ';');
Bachelors;Undergraduate;Higher education;*
Some-college;Undergraduate;Higher education;*
Masters;Graduate;Higher education;*
1st-4th;Primary School;Primary education;*
\.
SELECT pprepub.create_taxonomy('education', 'hierarchy');
SELECT is(told($$SELECT node, parent, leaves FROM pprepub.taxonomy_node WHERE taxonomy = 'education' ORDER BY depth, node$$), '*,,4; "Higher education",*,3; "Primary education",*,1; Graduate,"Higher education",1; "Primary School","Primary education",1; Undergraduate,"Higher education",2; 1st-4th,"Primary School",1; Bachelors,Undergraduate,1; Masters,Graduate,1; Some-college,Undergraduate,1');

-- One node alone is a tree.
CREATE TABLE one_level AS SELECT 'everything' AS thing;
SELECT pprepub.create_taxonomy('one', 'one_level');
SELECT is(told($$SELECT * FROM pprepub.taxonomy_node WHERE taxonomy = 'one'$$), 'one,everything,,0,1');

-- Any type that prints; columns that were dropped are not levels; rows repeated are one.
CREATE TABLE numbers (dropped int, leaf int, half numeric, root bool);
ALTER TABLE numbers DROP COLUMN dropped;
INSERT INTO numbers SELECT i / 2, i / 4 + 0.5, true FROM generate_series(0, 7) i;
SELECT pprepub.create_taxonomy('numbers', 'numbers');
SELECT is(told($$SELECT * FROM pprepub.taxonomy_node WHERE taxonomy = 'numbers' ORDER BY depth, node$$), 'numbers,t,,0,4; numbers,0.5,t,1,2; numbers,1.5,t,1,2; numbers,0,0.5,2,1; numbers,1,0.5,2,1; numbers,2,1.5,2,1; numbers,3,1.5,2,1');

-- A tree is refused with the node that does not fit.
CREATE TABLE wrong (leaf text, parent text, root text);
CREATE FUNCTION try_levels(VARIADIC rows text[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM wrong;
	FOR i IN 1 .. array_length(rows, 1) BY 3 LOOP
		INSERT INTO wrong VALUES (rows[i], rows[i + 1], rows[i + 2]);
	END LOOP;
	PERFORM pprepub.create_taxonomy('wrong', 'wrong');
	RETURN 'created';
END $$;
SELECT is(told($$SELECT try_levels('a', 'b', 'root', 'c', 'd', 'other root')$$), '42P16 taxonomy "wrong" has two roots, "root" and "other root" / The last column must hold the same value in every row.');
SELECT is(told($$SELECT try_levels('a', 'b', 'root', 'a', 'c', 'root')$$), '42P16 node "a" of taxonomy "wrong" has two parents, "b" and "c"');
SELECT is(told($$SELECT try_levels('a', 'b', 'a')$$), '42P16 node "a" of taxonomy "wrong" stands on two levels of a row with another node between');
SELECT is(told($$SELECT try_levels('a', 'b', 'root', 'b', 'c', 'root')$$), '42P16 node "b" of taxonomy "wrong" is a leaf in one row and has children in another / A leaf of a ragged tree repeats its name on the levels that it skips.');
SELECT is(told($$SELECT try_levels('b', 'c', 'root', 'a', 'b', 'root')$$), '42P16 node "b" of taxonomy "wrong" is a leaf in one row and has children in another / A leaf of a ragged tree repeats its name on the levels that it skips.');
SELECT is(told($$SELECT try_levels('a', 'b', 'root', 'c', 'root', 'b')$$), '42P16 node "root" of taxonomy "wrong" is the root in one row and has a parent in another');
SELECT is(told($$SELECT try_levels('a', 'b', 'root', 'root', 'c', 'd')$$), '42P16 node "root" of taxonomy "wrong" is a leaf in one row and has children in another / A leaf of a ragged tree repeats its name on the levels that it skips.');
SELECT is(told($$SELECT try_levels('a', NULL, 'root')$$), '22004 a row of taxonomy "wrong" has a NULL in column 2 / It is the row of leaf "a". / NULLs in the data need no node: NULL is a value of its own.');
SELECT is(told($$SELECT try_levels(NULL, 'b', 'root')$$), '22004 a row of taxonomy "wrong" has a NULL in column 1 / It is a row of root "root". / NULLs in the data need no node: NULL is a value of its own.');
SELECT is(told($$SELECT try_levels('a', 'b', NULL)$$), '22004 a row of taxonomy "wrong" has a NULL in column 3 / It is the row of leaf "a". / NULLs in the data need no node: NULL is a value of its own.');
SELECT is(told($$SELECT try_levels('a', '*', 'root')$$), '42P16 node "*" of taxonomy "wrong" is not the root / A cell of nothing but stars reads as withheld. Give the node another name.');
SELECT is(told($$SELECT try_levels('**', 'b', 'root')$$), '42P16 node "**" of taxonomy "wrong" is not the root / A cell of nothing but stars reads as withheld. Give the node another name.');
SELECT is(told($$SELECT try_levels('a', 'b', 'root', 'a', 'b', 'root')$$), 'created');
SELECT pprepub.drop_taxonomy('wrong');
SELECT is(told($$SELECT try_levels(repeat('a', 1025), 'b', 'root')$$), '54000 node "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…" of taxonomy "wrong" is longer than 1024 bytes / Give it a shorter name.');
DELETE FROM wrong;
SELECT is(told($$SELECT pprepub.create_taxonomy('wrong', 'wrong')$$), 'P0002 taxonomy "wrong" would be empty / Its table needs a row for each leaf: the leaf, its parent, and so on up to the root.');
CREATE TABLE no_columns ();
SELECT is(told($$SELECT pprepub.create_taxonomy('wrong', 'no_columns')$$), '42P16 relation "no_columns" has no columns');
CREATE VIEW too_many AS SELECT i AS leaf, 'root'::text AS root FROM generate_series(1, 1048577) i;
SELECT is(told($$SELECT pprepub.create_taxonomy('wrong', 'too_many')$$), '54000 taxonomy "wrong" has more than 1048576 nodes, "1048576" being one too many / Leave out the leaves that do not occur, or generalize the column in a view first.');
SELECT is(told($$SELECT pprepub.create_taxonomy('wrong', 'too_many_not')$$), '42P01 relation "too_many_not" does not exist');
SELECT is(told($$SELECT pprepub.create_taxonomy('wrong', 4000000000)$$), '42P01 relation with OID 4000000000 does not exist');
SELECT is(told($$SELECT pprepub.create_taxonomy('wrong', 'pg_class_oid_index')$$), '42809 "pg_class_oid_index" is not a source / A source is a table, a view, a materialized view or a foreign table.');
SELECT is(told($$SELECT pprepub.create_taxonomy(NULL, 'levels')$$), '22004 the name of a taxonomy must not be null');
SELECT is(told($$SELECT pprepub.create_taxonomy('', 'levels')$$), '42602 the name of a taxonomy must have 1 to 63 bytes');
SELECT is(told($$SELECT pprepub.create_taxonomy(repeat('x', 64), 'levels')$$), '42602 the name of a taxonomy must have 1 to 63 bytes');
SELECT is(told($$SELECT pprepub.create_taxonomy('wrong', NULL)$$), '22004 the source of a taxonomy must not be null');
SELECT is(told($$SELECT pprepub.create_taxonomy('world', 'levels')$$), '42710 taxonomy "world" already exists / Add leaves with pprepub.extend_taxonomy(), or choose another name.');

-- An extension moves nothing that was there.
DELETE FROM wrong;
INSERT INTO wrong VALUES ('France', 'Asia', 'World');
SELECT is(told($$SELECT pprepub.extend_taxonomy('world', 'wrong')$$), '42P16 node "France" of taxonomy "world" has two parents, "Europe" and "Asia"');
UPDATE wrong SET parent = 'Europe', root = 'Universe';
SELECT is(told($$SELECT pprepub.extend_taxonomy('world', 'wrong')$$), '42P16 node "Europe" of taxonomy "world" has two parents, "World" and "Universe"');
UPDATE wrong SET leaf = 'Paris', parent = 'France', root = 'World';
SELECT is(told($$SELECT pprepub.extend_taxonomy('world', 'wrong')$$), '42P16 node "France" of taxonomy "world" is a leaf in one row and has children in another / A leaf of a ragged tree repeats its name on the levels that it skips.');
UPDATE wrong SET leaf = 'Europe', parent = 'Europe';
SELECT is(told($$SELECT pprepub.extend_taxonomy('world', 'wrong')$$), '42P16 node "Europe" of taxonomy "world" is a leaf in one row and has children in another / A leaf of a ragged tree repeats its name on the levels that it skips.');
SELECT is(told($$SELECT pprepub.extend_taxonomy('no such', 'levels')$$), '42704 taxonomy "no such" does not exist / Create it with pprepub.create_taxonomy(), or see pprepub.taxonomy_node for those that exist.');
SELECT is(told($$SELECT count(*) FROM pprepub.taxonomy_node WHERE taxonomy = 'world'$$), '10');

-- Ladders.
SELECT pprepub.create_range_taxonomy('ages', 0, 25, '{5, 10}');
SELECT is(told($$SELECT node, parent, depth, leaves FROM pprepub.taxonomy_node WHERE taxonomy = 'ages' ORDER BY depth, node$$), '"[0,25)",,0,5; "[0,10)","[0,25)",1,2; "[10,20)","[0,25)",1,2; "[20,25)","[0,25)",1,1; "[0,5)","[0,10)",2,1; "[10,15)","[10,20)",2,1; "[15,20)","[10,20)",2,1; "[5,10)","[0,10)",2,1');
SELECT pprepub.create_range_taxonomy('fine', -0.5, 0.5, '{0.25}');
SELECT is(told($$SELECT node, parent FROM pprepub.taxonomy_node WHERE taxonomy = 'fine' ORDER BY depth, node$$), '"[-0.5,0.5)",; "[-0.25,0)","[-0.5,0.5)"; "[-0.5,-0.25)","[-0.5,0.5)"; "[0,0.25)","[-0.5,0.5)"; "[0.25,0.5)","[-0.5,0.5)"');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', 0, 0, '{5}')$$), '22023 taxonomy "wrong" needs a finite low end below a finite high end');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', 0, 'NaN', '{5}')$$), '22023 taxonomy "wrong" needs a finite low end below a finite high end');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', '-Infinity', 0, '{5}')$$), '22023 taxonomy "wrong" needs a finite low end below a finite high end');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', 0, 100, '{}')$$), '22023 taxonomy "wrong" needs 1 to 1599 widths');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', 0, 100, '{0}')$$), '22023 width 1 of taxonomy "wrong" does not fit / Widths are positive, and each is a larger multiple of the one before.');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', 0, 100, '{5, 12}')$$), '22023 width 2 of taxonomy "wrong" does not fit / Widths are positive, and each is a larger multiple of the one before.');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', 0, 100, '{5, 5}')$$), '22023 width 2 of taxonomy "wrong" does not fit / Widths are positive, and each is a larger multiple of the one before.');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', 0, 100, '{5, NULL}')$$), '22023 width 2 of taxonomy "wrong" does not fit / Widths are positive, and each is a larger multiple of the one before.');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', 0, 100, NULL)$$), '22004 the ends and widths of a taxonomy must not be null');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', 0, 1e9, '{1}')$$), '54000 taxonomy "wrong" would have more than 1048576 nodes / Choose a larger first width.');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', 1e131000, 1e131000 + 5, '{1}')$$), '54000 a number of taxonomy "wrong" has more than 500 digits / Round its ends and widths.');
SELECT is(told($$SELECT pprepub.create_range_taxonomy('wrong', 0, 5, ARRAY[1, 10 ^ 131000::numeric])$$), '54000 a number of taxonomy "wrong" has more than 500 digits / Round its ends and widths.');
SELECT is(told($$SELECT pprepub.extend_taxonomy('ages', 'levels')$$), '42809 taxonomy "ages" is a ladder of intervals and cannot be extended / Create another one with pprepub.create_range_taxonomy().');

-- Any role may read and name a taxonomy; only its owner changes it, and only
-- from a table of his own: what it holds becomes readable by everybody.
SET ROLE regress_thief;
SELECT is(told($$SELECT count(*) FROM pprepub.taxonomy_node WHERE taxonomy = 'world'$$), '10');
SELECT is(told($$SELECT pprepub.extend_taxonomy('world', 'more_levels')$$), '42501 must be owner of taxonomy "world"');
SELECT is(told($$SELECT pprepub.drop_taxonomy('world')$$), '42501 must be owner of taxonomy "world"');
SELECT is(told($$SELECT pprepub.create_taxonomy('stolen', 'levels')$$), '42501 must be owner of relation "levels" / Everybody can read the values of a taxonomy.');
SELECT is(told($$SELECT * FROM pprepub_internal.catalog_taxonomy$$), '42501 permission denied for table catalog_taxonomy');
RESET ROLE;
GRANT SELECT ON levels TO regress_thief;
SET ROLE regress_thief;
SELECT is(told($$SELECT pprepub.create_taxonomy('stolen', 'levels')$$), '42501 must be owner of relation "levels" / Everybody can read the values of a taxonomy.');
RESET ROLE;

-- Dropped, and its nodes with it.
SET ROLE regress_gardener;
SELECT pprepub.drop_taxonomy(t) FROM unnest('{world,education,one,numbers,ages,fine}'::text[]) t;
SELECT is(told($$SELECT pprepub.drop_taxonomy('world')$$), '42704 taxonomy "world" does not exist / Create it with pprepub.create_taxonomy(), or see pprepub.taxonomy_node for those that exist.');
RESET ROLE;
SELECT is(told($$SELECT count(*) FROM pprepub_internal.catalog_tree_node$$), '0');
DROP OWNED BY regress_gardener, regress_thief;
DROP ROLE regress_gardener, regress_thief;

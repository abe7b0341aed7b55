-- Functions of cells, for everybody: the middle, the width, whether a cell is withheld, and how it lies to a bin.
\i test/lib/told.sql
SET TimeZone = 'PST8PDT';
SET DateStyle = 'Postgres, MDY';
CREATE ROLE regress_owner_of_cells;
CREATE ROLE regress_reader_of_cells;
SELECT format('GRANT CREATE ON DATABASE %I TO regress_owner_of_cells', current_database()) \gexec
GRANT CREATE ON SCHEMA public TO regress_owner_of_cells;
SET ROLE regress_reader_of_cells;

-- The middle is of the cell's own type, lies in the cell, and is rounded down where values are counted.
SELECT is(told($$SELECT pprepub.midpoint(int4range(20, 30)), pprepub.midpoint(int4range(20, 21)), pprepub.midpoint(int4range(-5, 0)), pg_typeof(pprepub.midpoint(int4range(1, 2)))$$), '25,20,-3,integer');
SELECT is(told($$SELECT pprepub.midpoint(int8range(20, 31)), pprepub.midpoint(numrange(1.5, 2.75)), pprepub.midpoint(numrange(1.50, 1.50, '[]')), pprepub.midpoint(numrange(-1, 0, '()'))$$), '25,2.125,1.5,-0.5');
SELECT is(told($$SELECT pprepub.midpoint(daterange('2026-05-01', '2026-06-01')), pprepub.midpoint('["2026-05-11 00:00:00","2026-05-12 00:00:00")'::tsrange)$$), '05-16-2026,"Mon May 11 12:00:00 2026"');
SELECT is(told($$SELECT pprepub.midpoint('["2026-05-11 00:00:00+00","2026-05-11 00:00:00+00"]'::tstzrange) = '2026-05-11 00:00:00+00'$$), 'true');
-- at the ends of the types
SELECT is(told($$SELECT pprepub.midpoint(int4range(-2147483648, 2147483647)), pprepub.midpoint(int4range(2147483645, 2147483647)), pprepub.midpoint(int4range(-2147483648, -2147483647))$$), '-1,2147483646,-2147483648');
SELECT is(told($$SELECT pprepub.midpoint(int8range(-9223372036854775808, 9223372036854775807)), pprepub.midpoint(int8range(9223372036854775805, 9223372036854775807)),
	pprepub.midpoint(int8range(-9223372036854775808, -9223372036854775806))$$), '-1,9223372036854775806,-9223372036854775807');
SELECT is(told($$SELECT pprepub.midpoint(daterange('4713-01-01 BC', '5874897-12-31')), pprepub.midpoint(tsrange('4713-01-01 BC', '294276-12-31 23:59:59.999999'))$$), '12-31-2935092,"Fri Jul 02 23:59:59.999999 144782"');
SELECT is(told($$SELECT length(pprepub.midpoint(numrange(('9' || repeat('0', 131071))::numeric, ('9' || repeat('1', 131071))::numeric))::text)$$), '131074');
SELECT is(told($$SELECT bool_and(pprepub.midpoint(cell) <@ cell AND pprepub.midpoint(cell) = floor((lower(cell) + upper(cell)) / 2.0))
FROM (SELECT int4range(a, a + b) AS cell FROM generate_series(-7, 7) a, generate_series(1, 9) b) c$$), 'true');
-- none where an end is not told
SELECT is(told($$SELECT pprepub.midpoint(cell) IS NULL, pprepub.width(cell) IS NULL FROM unnest('{"(,)","[5,)","(,5)"}'::int4range[]) cell$$), 't,t; t,t; t,t');
SELECT is(told($$SELECT pprepub.midpoint('empty'::int4range) IS NULL, pprepub.width('empty'::int4range), pprepub.midpoint(NULL::int4range) IS NULL, pprepub.width(NULL::int4range) IS NULL$$), 't,0,t,t');
SELECT is(told($$SELECT pprepub.midpoint('[2026-01-01,infinity)'::daterange) IS NULL, pprepub.midpoint('[-infinity,2026-01-01)'::tsrange) IS NULL,
	pprepub.width('[1,Infinity)'::numrange) IS NULL, pprepub.width('[1,NaN)'::numrange) IS NULL$$), 't,t,t,t');

SELECT is(told($$SELECT pprepub.width(int4range(20, 30)), pprepub.width(int8range(-9223372036854775808, 9223372036854775807)), pprepub.width(numrange(1.5, 2.75)), pprepub.width(numrange(1.5, 1.5, '[]'))$$), '10,1.8446744073709552e+19,1.25,0');
SELECT is(told($$SELECT pprepub.width(daterange('2026-05-01', '2026-06-01')), pprepub.width(tsrange('2026-05-11', '2026-05-12')), pprepub.width(numrange(0, '1e400'))$$), '31,86400,');

-- Withheld: no end is told. A cell that is NULL tells that the value is missing.
SELECT is(told($$SELECT pprepub.is_withheld(cell) FROM unnest('{"(,)","[5,)","(,5)","[5,6)",empty,NULL}'::int4range[]) cell$$), 'true; false; false; false; false; false');
SELECT is(told($$SELECT pprepub.is_withheld(cell) FROM unnest('{*,5*,F,"",NULL}'::text[]) cell$$), 'true; false; false; false; false');

-- Ranges and bins
SELECT is(told($$SELECT cell, pprepub.lies_in(cell, bin), pprepub.touches(cell, bin), pprepub.share_in(cell, bin), pprepub.share_in(cell, bin, int4range(0, 100))
FROM unnest('{"[20,30)","[22,25)","[15,25)","[10,20)","[30,31)","[29,30)","(,)","[25,)","(,25)","(,20)",empty,NULL}'::int4range[]) cell, int4range(20, 30) bin$$), '"[20,30)",t,t,1,1; "[22,25)",t,t,1,1; "[15,25)",f,t,0.5,0.5; "[10,20)",f,f,0,0; "[30,31)",f,f,0,0; "[29,30)",t,t,1,1; "(,)",f,t,,0.1; "[25,)",f,t,,0.06666666666666667; "(,25)",f,t,,0.2; "(,20)",f,f,0,0; empty,f,f,0,0; ,f,f,0,0');
SELECT is(told($$SELECT pprepub.lies_in(int4range(1, 2), NULL), pprepub.touches(int4range(1, 2), NULL), pprepub.share_in(int4range(1, 2), NULL), pprepub.share_in(NULL::int4range, NULL)$$), ',,,');
SELECT is(told($$SELECT pprepub.lies_in(int4range(1, 2), '(,)'), pprepub.lies_in('(,)'::int4range, '(,)'), pprepub.share_in('(,)'::int4range, '(,)'), pprepub.touches(int4range(1, 2), 'empty'), pprepub.share_in(int4range(1, 2), 'empty')$$), 't,t,1,f,0');
-- cells of one value count whole
SELECT is(told($$SELECT pprepub.share_in(numrange(1.5, 1.5, '[]'), numrange(1, 2)), pprepub.share_in(numrange(2, 2, '[]'), numrange(1, 2)), pprepub.share_in(numrange(2, 2, '[]'), numrange(1, 2, '[]'))$$), '1,0,1');
SELECT is(told($$SELECT pprepub.touches(numrange(1, 2, '[]'), numrange(2, 3)), pprepub.share_in(numrange(1, 2, '[]'), numrange(2, 3)), pprepub.share_in(numrange(1, 2, '[]'), numrange(1, 2))$$), 't,0,1');
SELECT is(told($$SELECT pprepub.share_in(numrange(0, 3), numrange(1, 2)), pprepub.share_in(numrange(0, '4e400'), numrange(0, '1e400'))$$), '0.3333333333333333,');
SELECT is(told($$SELECT pprepub.share_in(int8range(-9223372036854775808, 9223372036854775807), int8range(0, 4611686018427387904))$$), '0.25');
SELECT is(told($$SELECT pprepub.share_in(daterange('2026-01-01', '2026-01-11'), daterange('2026-01-06', '2026-02-01')), pprepub.share_in(tsrange('2026-01-01', '2026-01-02'), tsrange('2026-01-01 18:00', NULL))$$), '0.5,0.25');
-- what is beyond the whole, and a whole without an end
SELECT is(told($$SELECT pprepub.share_in('(,)'::int4range, int4range(200, 300), int4range(0, 100)), pprepub.share_in('[50,)'::int4range, int4range(0, 75), int4range(0, 100)),
	pprepub.share_in('(,)'::int4range, int4range(0, 100), int4range(0, 50)), pprepub.share_in('[50,)'::int4range, int4range(0, 75), '[0,)')$$), '0,0.5,1,');
-- the shares of a partition sum up
SELECT is(told($$SELECT DISTINCT round(sum(pprepub.share_in(cell, bin, int4range(0, 50)))::numeric, 12)
FROM unnest('{"[3,17)","(,)","[49,)","[0,50)","[7,8)"}'::int4range[]) cell, (SELECT int4range(a, a + 5) AS bin FROM generate_series(0, 45, 5) a) b GROUP BY cell$$), '1.000000000000');

-- Prefixes and values
SELECT is(told($$SELECT cell, string_agg(format('%s: %s %s %s', bin, pprepub.lies_in(cell, bin), pprepub.touches(cell, bin), pprepub.share_in(cell, bin)), ', ' ORDER BY n)
FROM unnest('{5312,53*,*,53,6*,"",NULL}'::text[]) cell, unnest('{5312,53*,*,531*}'::text[]) WITH ORDINALITY b (bin, n) GROUP BY cell ORDER BY cell$$), '"","5312: f f 0, 53*: f f 0, *: t t 1, 531*: f f 0"; *,"5312: f t , 53*: f t , *: t t 1, 531*: f t "; 53,"5312: f f 0, 53*: t t 1, *: t t 1, 531*: f f 0"; 53*,"5312: f t , 53*: t t 1, *: t t 1, 531*: f t "; 5312,"5312: t t 1, 53*: t t 1, *: t t 1, 531*: t t 1"; 6*,"5312: f f 0, 53*: f f 0, *: t t 1, 531*: f f 0"; ,"5312: f f 0, 53*: f f 0, *: f f 0, 531*: f f 0"');
SELECT is(told($$SELECT pprepub.lies_in('F', NULL::text), pprepub.touches('F', NULL::text), pprepub.share_in('F', NULL::text), pprepub.lies_in(NULL::text, NULL)$$), ',,,');
SELECT is(told($$SELECT pprepub.lies_in('Ä1', 'Ä*'), pprepub.lies_in('a', 'A*')$$), 't,f');

-- Nodes of a taxonomy are ranges of leaves.
SET ROLE regress_owner_of_cells;
CREATE TABLE levels AS SELECT * FROM (VALUES ('France', 'Europe', 'World'), ('Germany', 'Europe', 'World'), ('Japan', 'Asia', 'World'), ('Antarctica', 'Antarctica', 'World')) v;
SELECT pprepub.create_taxonomy('cell world', 'levels') \g /dev/null
SET ROLE regress_reader_of_cells;
SELECT is(told($$SELECT node, pprepub.leaves(node, 'cell world') FROM unnest('{World,Europe,France,Germany,Asia,Japan,Antarctica,Mars,NULL}'::text[]) node$$), 'World,"[0,4)"; Europe,"[2,4)"; France,"[2,3)"; Germany,"[3,4)"; Asia,"[1,2)"; Japan,"[1,2)"; Antarctica,"[0,1)"; Mars,; ,');
SELECT is(told($$SELECT pprepub.lies_in(pprepub.leaves('France', 'cell world'), pprepub.leaves('Europe', 'cell world')), pprepub.share_in(pprepub.leaves('World', 'cell world'), pprepub.leaves('Europe', 'cell world')),
	pprepub.touches(pprepub.leaves('Japan', 'cell world'), pprepub.leaves('Europe', 'cell world'))$$), 't,0.5,f');
SELECT is(told($$SELECT pprepub.leaves('France', 'nowhere')$$), '42704 taxonomy "nowhere" does not exist / Create it with pprepub.create_taxonomy(), or see pprepub.taxonomy_node for those that exist.');
SELECT is(told($$SELECT pprepub_internal.leaves('France', NULL) IS NULL, pprepub_internal.leaves('France', -1) IS NULL$$), 't,t');
RESET ROLE;
SELECT tree AS tree FROM pprepub_internal.catalog_taxonomy WHERE name = 'cell world' \gset
SET ROLE regress_reader_of_cells;
SELECT is(told(format($$SELECT pprepub_internal.leaves('Europe', %1$s) = pprepub.leaves('Europe', 'cell world'), pprepub_internal.leaves(node, %1$s) FROM unnest('{France,France,Mars,Japan}'::text[]) node$$, :tree)),
	't,"[2,3)"; t,"[2,3)"; t,; t,"[1,2)"');
BEGIN READ ONLY;
SELECT is(told($$SELECT pprepub.leaves('Asia', 'cell world')$$), '[1,2)');
COMMIT;
-- a tree that grows is read anew by the next statement
SET ROLE regress_owner_of_cells;
INSERT INTO levels VALUES ('Brazil', 'America', 'World');
SELECT pprepub.extend_taxonomy('cell world', 'levels') \g /dev/null
SELECT is(told($$SELECT pprepub.leaves('World', 'cell world')$$), '[0,5)');
SELECT pprepub.drop_taxonomy('cell world') \g /dev/null
DROP TABLE levels;

-- Ranges that no release prints
CREATE TYPE floats AS RANGE (SUBTYPE = float8);
SELECT is(told($$SELECT pprepub.midpoint(floats(1, 2))$$), '0A000 cells of type floats cannot be measured / Cells are of type int4range, int8range, numrange, daterange, tsrange or tstzrange.');
SELECT is(told($$SELECT pprepub.width(floats(1, 2))$$), '0A000 cells of type floats cannot be measured / Cells are of type int4range, int8range, numrange, daterange, tsrange or tstzrange.');
SELECT is(told($$SELECT pprepub.share_in(floats(1, 2), floats(1, 2))$$), '1');
SELECT is(told($$SELECT pprepub.lies_in(floats(1, 2), floats(0, 3)), pprepub.touches(floats(1, 2), floats(2, 3)), pprepub.is_withheld('(,)'::floats)$$), 't,f,t');
DROP TYPE floats;
CREATE TYPE loose AS RANGE (SUBTYPE = int4);
SELECT is(told($$SELECT pprepub.width('[1,5]'::loose)$$), '0A000 cells of type loose cannot be measured / Cells are of type int4range, int8range, numrange, daterange, tsrange or tstzrange.');
SELECT is(told($$SELECT pprepub.share_in(NULL::loose, '[1,5]')$$), '0');
DROP TYPE loose;
SELECT throws_ok($$SELECT pprepub.midpoint('F'::text)$$, '42883', 'function pprepub.midpoint(text) does not exist');
RESET ROLE;
DROP OWNED BY regress_owner_of_cells, regress_reader_of_cells;
DROP ROLE regress_owner_of_cells, regress_reader_of_cells;

-- Functions of cells, for everybody: the middle, the width, whether a cell is withheld, and how it lies to a bin.
SET client_min_messages = warning;
SET ROLE regress_analyst;
\pset format unaligned \t on \pset recordsep '; '

-- The middle is of the cell's own type, lies in the cell, and is rounded down where values are counted.
SELECT pprepub.midpoint(int4range(20, 30)), pprepub.midpoint(int4range(20, 21)), pprepub.midpoint(int4range(-5, 0)), pg_typeof(pprepub.midpoint(int4range(1, 2)));
SELECT pprepub.midpoint(int8range(20, 31)), pprepub.midpoint(numrange(1.5, 2.75)), pprepub.midpoint(numrange(1.50, 1.50, '[]')), pprepub.midpoint(numrange(-1, 0, '()'));
SELECT pprepub.midpoint(daterange('2026-05-01', '2026-06-01')), pprepub.midpoint('["2026-05-11 00:00:00","2026-05-12 00:00:00")'::tsrange);
SELECT pprepub.midpoint('["2026-05-11 00:00:00+00","2026-05-11 00:00:00+00"]'::tstzrange) = '2026-05-11 00:00:00+00';
-- at the ends of the types
SELECT pprepub.midpoint(int4range(-2147483648, 2147483647)), pprepub.midpoint(int4range(2147483645, 2147483647)), pprepub.midpoint(int4range(-2147483648, -2147483647));
SELECT pprepub.midpoint(int8range(-9223372036854775808, 9223372036854775807)), pprepub.midpoint(int8range(9223372036854775805, 9223372036854775807)),
	pprepub.midpoint(int8range(-9223372036854775808, -9223372036854775806));
SELECT pprepub.midpoint(daterange('4713-01-01 BC', '5874897-12-31')), pprepub.midpoint(tsrange('4713-01-01 BC', '294276-12-31 23:59:59.999999'));
SELECT length(pprepub.midpoint(numrange(('9' || repeat('0', 131071))::numeric, ('9' || repeat('1', 131071))::numeric))::text);
SELECT bool_and(pprepub.midpoint(cell) <@ cell AND pprepub.midpoint(cell) = floor((lower(cell) + upper(cell)) / 2.0))
FROM (SELECT int4range(a, a + b) AS cell FROM generate_series(-7, 7) a, generate_series(1, 9) b) c;
-- none where an end is not told
SELECT pprepub.midpoint(cell) IS NULL, pprepub.width(cell) IS NULL FROM unnest('{"(,)","[5,)","(,5)"}'::int4range[]) cell;
SELECT pprepub.midpoint('empty'::int4range) IS NULL, pprepub.width('empty'::int4range), pprepub.midpoint(NULL::int4range) IS NULL, pprepub.width(NULL::int4range) IS NULL;
SELECT pprepub.midpoint('[2026-01-01,infinity)'::daterange) IS NULL, pprepub.midpoint('[-infinity,2026-01-01)'::tsrange) IS NULL,
	pprepub.width('[1,Infinity)'::numrange) IS NULL, pprepub.width('[1,NaN)'::numrange) IS NULL;

SELECT pprepub.width(int4range(20, 30)), pprepub.width(int8range(-9223372036854775808, 9223372036854775807)), pprepub.width(numrange(1.5, 2.75)), pprepub.width(numrange(1.5, 1.5, '[]'));
SELECT pprepub.width(daterange('2026-05-01', '2026-06-01')), pprepub.width(tsrange('2026-05-11', '2026-05-12')), pprepub.width(numrange(0, '1e400'));

-- Withheld: no end is told. A cell that is NULL tells that the value is missing.
SELECT pprepub.is_withheld(cell) FROM unnest('{"(,)","[5,)","(,5)","[5,6)",empty,NULL}'::int4range[]) cell;
SELECT pprepub.is_withheld(cell) FROM unnest('{*,5*,F,"",NULL}'::text[]) cell;

-- Ranges and bins
SELECT cell, pprepub.lies_in(cell, bin), pprepub.touches(cell, bin), pprepub.share_in(cell, bin), pprepub.share_in(cell, bin, int4range(0, 100))
FROM unnest('{"[20,30)","[22,25)","[15,25)","[10,20)","[30,31)","[29,30)","(,)","[25,)","(,25)","(,20)",empty,NULL}'::int4range[]) cell, int4range(20, 30) bin;
SELECT pprepub.lies_in(int4range(1, 2), NULL), pprepub.touches(int4range(1, 2), NULL), pprepub.share_in(int4range(1, 2), NULL), pprepub.share_in(NULL::int4range, NULL);
SELECT pprepub.lies_in(int4range(1, 2), '(,)'), pprepub.lies_in('(,)'::int4range, '(,)'), pprepub.share_in('(,)'::int4range, '(,)'), pprepub.touches(int4range(1, 2), 'empty'), pprepub.share_in(int4range(1, 2), 'empty');
-- cells of one value count whole
SELECT pprepub.share_in(numrange(1.5, 1.5, '[]'), numrange(1, 2)), pprepub.share_in(numrange(2, 2, '[]'), numrange(1, 2)), pprepub.share_in(numrange(2, 2, '[]'), numrange(1, 2, '[]'));
SELECT pprepub.touches(numrange(1, 2, '[]'), numrange(2, 3)), pprepub.share_in(numrange(1, 2, '[]'), numrange(2, 3)), pprepub.share_in(numrange(1, 2, '[]'), numrange(1, 2));
SELECT pprepub.share_in(numrange(0, 3), numrange(1, 2)), pprepub.share_in(numrange(0, '4e400'), numrange(0, '1e400'));
SELECT pprepub.share_in(int8range(-9223372036854775808, 9223372036854775807), int8range(0, 4611686018427387904));
SELECT pprepub.share_in(daterange('2026-01-01', '2026-01-11'), daterange('2026-01-06', '2026-02-01')), pprepub.share_in(tsrange('2026-01-01', '2026-01-02'), tsrange('2026-01-01 18:00', NULL));
-- what is beyond the whole, and a whole without an end
SELECT pprepub.share_in('(,)'::int4range, int4range(200, 300), int4range(0, 100)), pprepub.share_in('[50,)'::int4range, int4range(0, 75), int4range(0, 100)),
	pprepub.share_in('(,)'::int4range, int4range(0, 100), int4range(0, 50)), pprepub.share_in('[50,)'::int4range, int4range(0, 75), '[0,)');
-- the shares of a partition sum up
SELECT DISTINCT round(sum(pprepub.share_in(cell, bin, int4range(0, 50)))::numeric, 12)
FROM unnest('{"[3,17)","(,)","[49,)","[0,50)","[7,8)"}'::int4range[]) cell, (SELECT int4range(a, a + 5) AS bin FROM generate_series(0, 45, 5) a) b GROUP BY cell;

-- Prefixes and values
SELECT cell, string_agg(format('%s: %s %s %s', bin, pprepub.lies_in(cell, bin), pprepub.touches(cell, bin), pprepub.share_in(cell, bin)), ', ' ORDER BY n)
FROM unnest('{5312,53*,*,53,6*,"",NULL}'::text[]) cell, unnest('{5312,53*,*,531*}'::text[]) WITH ORDINALITY b (bin, n) GROUP BY cell ORDER BY cell;
SELECT pprepub.lies_in('F', NULL::text), pprepub.touches('F', NULL::text), pprepub.share_in('F', NULL::text), pprepub.lies_in(NULL::text, NULL);
SELECT pprepub.lies_in('Ä1', 'Ä*'), pprepub.lies_in('a', 'A*');

-- Nodes of a taxonomy are ranges of leaves.
SET ROLE regress_owner;
CREATE TABLE levels AS SELECT * FROM (VALUES ('France', 'Europe', 'World'), ('Germany', 'Europe', 'World'), ('Japan', 'Asia', 'World'), ('Antarctica', 'Antarctica', 'World')) v;
SELECT pprepub.create_taxonomy('cell world', 'levels') \g /dev/null
SET ROLE regress_analyst;
SELECT node, pprepub.leaves(node, 'cell world') FROM unnest('{World,Europe,France,Germany,Asia,Japan,Antarctica,Mars,NULL}'::text[]) node;
SELECT pprepub.lies_in(pprepub.leaves('France', 'cell world'), pprepub.leaves('Europe', 'cell world')), pprepub.share_in(pprepub.leaves('World', 'cell world'), pprepub.leaves('Europe', 'cell world')),
	pprepub.touches(pprepub.leaves('Japan', 'cell world'), pprepub.leaves('Europe', 'cell world'));
SELECT pprepub.leaves('France', 'nowhere');
SELECT pprepub_internal.leaves('France', NULL) IS NULL, pprepub_internal.leaves('France', -1) IS NULL;
RESET ROLE;
SELECT tree AS tree FROM pprepub_internal.catalog_taxonomy WHERE name = 'cell world' \gset
SET ROLE regress_analyst;
SELECT pprepub_internal.leaves('Europe', :tree) = pprepub.leaves('Europe', 'cell world'), pprepub_internal.leaves(node, :tree) FROM unnest('{France,France,Mars,Japan}'::text[]) node;
BEGIN READ ONLY;
SELECT pprepub.leaves('Asia', 'cell world');
COMMIT;
-- a tree that grows is read anew by the next statement
SET ROLE regress_owner;
INSERT INTO levels VALUES ('Brazil', 'America', 'World');
SELECT pprepub.extend_taxonomy('cell world', 'levels') \g /dev/null
SELECT pprepub.leaves('World', 'cell world');
SELECT pprepub.drop_taxonomy('cell world') \g /dev/null
DROP TABLE levels;

-- Ranges that no release prints
CREATE TYPE floats AS RANGE (SUBTYPE = float8);
SELECT pprepub.midpoint(floats(1, 2));
SELECT pprepub.width(floats(1, 2));
SELECT pprepub.share_in(floats(1, 2), floats(1, 2));
SELECT pprepub.lies_in(floats(1, 2), floats(0, 3)), pprepub.touches(floats(1, 2), floats(2, 3)), pprepub.is_withheld('(,)'::floats);
DROP TYPE floats;
CREATE TYPE loose AS RANGE (SUBTYPE = int4);
SELECT pprepub.width('[1,5]'::loose);
SELECT pprepub.share_in(NULL::loose, '[1,5]');
DROP TYPE loose;
SELECT pprepub.midpoint('F'::text);
CALL public.clean();

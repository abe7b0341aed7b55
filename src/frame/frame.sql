-- ----------------------------------------------------------------
-- frame/: cells, for everybody who reads them
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.midpoint(cell anyrange) RETURNS anyelement
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_midpoint';
COMMENT ON FUNCTION pprepub.midpoint(anyrange) IS
	'the value in the middle of a cell, of whole numbers and days rounded down; NULL where an end is not told';

CREATE FUNCTION pprepub.width(cell anyrange) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_width';
COMMENT ON FUNCTION pprepub.width(anyrange) IS
	'how many whole numbers or days a cell covers, how long one of numbers is, or how many seconds one of times lasts; NULL where an end is not told';

CREATE FUNCTION pprepub.is_withheld(cell anyrange) RETURNS boolean
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_range_is_withheld';
COMMENT ON FUNCTION pprepub.is_withheld(anyrange) IS 'whether a range tells neither of its ends';

CREATE FUNCTION pprepub.is_withheld(cell text) RETURNS boolean
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_text_is_withheld';
COMMENT ON FUNCTION pprepub.is_withheld(text) IS 'whether a prefix or a value is shown as *';

CREATE FUNCTION pprepub.lies_in(cell anyrange, bin anyrange) RETURNS boolean
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_range_lies_in';
COMMENT ON FUNCTION pprepub.lies_in(anyrange, anyrange) IS
	'whether all of a cell lies in a bin, so that the value does; a cell that is NULL lies in none';

CREATE FUNCTION pprepub.lies_in(cell text, bin text) RETURNS boolean
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_text_lies_in';
COMMENT ON FUNCTION pprepub.lies_in(text, text) IS
	'whether all of a cell lies in a bin, both being values or prefixes such as 53*; a cell that is NULL lies in none';

CREATE FUNCTION pprepub.touches(cell anyrange, bin anyrange) RETURNS boolean
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_range_touches';
COMMENT ON FUNCTION pprepub.touches(anyrange, anyrange) IS
	'whether a cell and a bin have a value in common, so that the value may lie in the bin; a cell that is NULL touches none';

CREATE FUNCTION pprepub.touches(cell text, bin text) RETURNS boolean
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_text_touches';
COMMENT ON FUNCTION pprepub.touches(text, text) IS
	'whether a cell and a bin have a value in common, both being values or prefixes such as 53*; a cell that is NULL touches none';

-- Two functions, since a NULL by default would be of no range type.
CREATE FUNCTION pprepub.share_in(cell anyrange, bin anyrange) RETURNS float8
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_range_share_in';
COMMENT ON FUNCTION pprepub.share_in(anyrange, anyrange) IS
	'the share of a cell that lies in a bin, as if its values were spread evenly: a guess; NULL where an end of the cell is not told, and it lies partly in the bin';

CREATE FUNCTION pprepub.share_in(cell anyrange, bin anyrange, whole anyrange) RETURNS float8
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_range_share_in';
COMMENT ON FUNCTION pprepub.share_in(anyrange, anyrange, anyrange) IS
	'like share_in(cell, bin), where whole is what any cell can cover at most, so that a withheld one is spread over it';

CREATE FUNCTION pprepub.share_in(cell text, bin text) RETURNS float8
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_text_share_in';
COMMENT ON FUNCTION pprepub.share_in(text, text) IS
	'1 where a cell lies in a bin, 0 where it does not touch it, and NULL where nobody can say, both being values or prefixes such as 53*';

CREATE FUNCTION pprepub.leaves(node text, taxonomy text) RETURNS int8range
	LANGUAGE C STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_taxonomy_leaves';
COMMENT ON FUNCTION pprepub.leaves(text, text) IS
	'the leaves below a node of a taxonomy as it is now, numbered from left to right, as a range that other functions of cells take; NULL where there is no such node';

CREATE FUNCTION pprepub_internal.leaves(node text, tree int) RETURNS int8range
	LANGUAGE C STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_tree_leaves';
COMMENT ON FUNCTION pprepub_internal.leaves(text, int) IS
	'like leaves(text, text), of a tree by its number, for views that pprepub makes';

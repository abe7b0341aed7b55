-- ----------------------------------------------------------------
-- frame/: cells, for everybody who reads them
-- ----------------------------------------------------------------

CREATE FUNCTION pprepub.midpoint(cell anyrange) RETURNS anyelement
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_midpoint';
COMMENT ON FUNCTION pprepub.midpoint(anyrange) IS
	'compute the middle of a range, rounded down for whole numbers and days; NULL if an end is missing';

CREATE FUNCTION pprepub.width(cell anyrange) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_width';
COMMENT ON FUNCTION pprepub.width(anyrange) IS
	'compute how many whole numbers, days or seconds a range covers, or how long it is; NULL if an end is missing';

-- Functions of ranges can be inlined.  They are strings, since a parsed body may have no polymorphic arguments.
CREATE FUNCTION pprepub.is_withheld(cell anyrange) RETURNS boolean
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT coalesce(pg_catalog.lower_inf(cell) AND pg_catalog.upper_inf(cell), false)';
COMMENT ON FUNCTION pprepub.is_withheld(anyrange) IS
	'tell whether a range is withheld: it has neither a lower nor an upper end';

CREATE FUNCTION pprepub.is_withheld(cell text) RETURNS boolean
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT coalesce(cell COLLATE pg_catalog."C" OPERATOR(pg_catalog.=) ''*'', false)';
COMMENT ON FUNCTION pprepub.is_withheld(text) IS 'tell whether a prefix or value is withheld: it is printed as *';

CREATE FUNCTION pprepub.lies_in(cell anyrange, bin anyrange) RETURNS boolean
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT CASE WHEN bin IS NOT NULL THEN coalesce(cell OPERATOR(pg_catalog.<@) bin AND NOT pg_catalog.isempty(cell), false) END';
COMMENT ON FUNCTION pprepub.lies_in(anyrange, anyrange) IS
	'tell whether all of a range lies in a bin, so that the person''s value certainly does';

CREATE FUNCTION pprepub.lies_in(cell text, bin text) RETURNS boolean
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_text_lies_in';
COMMENT ON FUNCTION pprepub.lies_in(text, text) IS
	'tell whether all of a prefix or value lies in a bin';

CREATE FUNCTION pprepub.touches(cell anyrange, bin anyrange) RETURNS boolean
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT CASE WHEN bin IS NOT NULL THEN coalesce(cell OPERATOR(pg_catalog.&&) bin, false) END';
COMMENT ON FUNCTION pprepub.touches(anyrange, anyrange) IS
	'tell whether a range overlaps a bin, so that the person''s value may lie in the bin';

CREATE FUNCTION pprepub.touches(cell text, bin text) RETURNS boolean
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_text_touches';
COMMENT ON FUNCTION pprepub.touches(text, text) IS
	'tell whether a prefix or value overlaps a bin';

CREATE FUNCTION pprepub.share_in(cell anyrange, bin anyrange) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT CASE WHEN bin IS NULL THEN NULL WHEN cell IS NULL OR NOT cell OPERATOR(pg_catalog.&&) bin THEN 0
		WHEN cell OPERATOR(pg_catalog.<@) bin THEN 1 ELSE pprepub.width(cell OPERATOR(pg_catalog.*) bin) OPERATOR(pg_catalog./) pprepub.width(cell) END';
COMMENT ON FUNCTION pprepub.share_in(anyrange, anyrange) IS
	'estimate the share of a range that lies in a bin, as if its values were spread evenly';

-- Two functions, since a NULL by default would be of no range type.
CREATE FUNCTION pprepub.share_in(cell anyrange, bin anyrange, whole anyrange) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT CASE WHEN bin IS NULL THEN NULL WHEN cell IS NULL OR NOT cell OPERATOR(pg_catalog.&&) bin THEN 0
		WHEN cell OPERATOR(pg_catalog.<@) bin THEN 1
		WHEN pprepub.width(cell OPERATOR(pg_catalog.*) whole) OPERATOR(pg_catalog.>) 0
		THEN pprepub.width(cell OPERATOR(pg_catalog.*) whole OPERATOR(pg_catalog.*) bin) OPERATOR(pg_catalog./) pprepub.width(cell OPERATOR(pg_catalog.*) whole)
		ELSE pprepub.share_in(coalesce(cell OPERATOR(pg_catalog.*) whole, cell), bin) END';
COMMENT ON FUNCTION pprepub.share_in(anyrange, anyrange, anyrange) IS
	'estimate the share of a range that lies in a bin, if no range exceeds a third one';

-- How many values begin alike, nobody knows.
CREATE FUNCTION pprepub.share_in(cell text, bin text) RETURNS float8
	LANGUAGE sql IMMUTABLE PARALLEL SAFE
	AS 'SELECT CASE WHEN bin IS NULL THEN NULL WHEN pprepub.lies_in(cell, bin) THEN 1 WHEN NOT pprepub.touches(cell, bin) THEN 0 END';
COMMENT ON FUNCTION pprepub.share_in(text, text) IS
	'compute the share of a prefix or value that lies in a bin: 1, 0, or NULL where it is unknown';

CREATE FUNCTION pprepub.leaves(node text, taxonomy text) RETURNS int8range
	LANGUAGE C STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_taxonomy_leaves';
COMMENT ON FUNCTION pprepub.leaves(text, text) IS
	'get the numbers of the leaves below a node of a taxonomy, as a range; NULL if there is no such node';

CREATE FUNCTION pprepub_internal.leaves(node text, tree int) RETURNS int8range
	LANGUAGE C STABLE STRICT PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_tree_leaves';
COMMENT ON FUNCTION pprepub_internal.leaves(text, int) IS
	'get the numbers of the leaves below a node of a stored tree, as a range';

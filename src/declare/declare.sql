-- ----------------------------------------------------------------
-- declare/: taxonomies, publications and their parameters
-- ----------------------------------------------------------------

-- Catalog tables.  Only the extension reads and writes them; other roles see
-- them through the views that stand beside them.  There are no foreign keys:
-- the extension's C code is the only writer, and a restore then needs no order.

-- A relation's OID, dumped as its name.  Of one that a restore lacks, it reads as 0, where a regclass would lose all rows of its table.
CREATE TYPE pprepub_internal.relation_name;
CREATE FUNCTION pprepub_internal.relation_name_in(name cstring) RETURNS pprepub_internal.relation_name
	LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'pprepub_relation_name_in';
COMMENT ON FUNCTION pprepub_internal.relation_name_in(cstring) IS 'read the name of a relation that may be missing';
CREATE FUNCTION pprepub_internal.relation_name_out(relation pprepub_internal.relation_name) RETURNS cstring
	LANGUAGE internal STABLE STRICT PARALLEL SAFE AS 'regclassout';
COMMENT ON FUNCTION pprepub_internal.relation_name_out(pprepub_internal.relation_name) IS 'write the name of a relation';
CREATE TYPE pprepub_internal.relation_name (INPUT = pprepub_internal.relation_name_in, OUTPUT = pprepub_internal.relation_name_out, LIKE = pg_catalog.regclass);
COMMENT ON TYPE pprepub_internal.relation_name IS 'a relation of the catalog; "-" if a restore left it out';
CREATE CAST (pprepub_internal.relation_name AS pg_catalog.oid) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (pprepub_internal.relation_name AS pg_catalog.regclass) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (pg_catalog.regclass AS pprepub_internal.relation_name) WITHOUT FUNCTION AS ASSIGNMENT;

CREATE TABLE pprepub_internal.catalog_tree (
	tree int PRIMARY KEY,
	ladder numeric[]
);
CREATE SEQUENCE pprepub_internal.catalog_tree_number AS int OWNED BY pprepub_internal.catalog_tree.tree;
ALTER TABLE pprepub_internal.catalog_tree
	ALTER COLUMN tree SET DEFAULT pg_catalog.nextval('pprepub_internal.catalog_tree_number');
COMMENT ON TABLE pprepub_internal.catalog_tree IS
	'trees of taxonomies, which never change; ladder holds low, high and widths of a range taxonomy';

CREATE TABLE pprepub_internal.catalog_tree_node (
	tree int,
	node text COLLATE "C",
	parent text COLLATE "C",
	depth int NOT NULL,
	first_leaf bigint NOT NULL,
	leaves bigint NOT NULL,
	PRIMARY KEY (tree, node)
);
CREATE INDEX catalog_tree_child ON pprepub_internal.catalog_tree_node (tree, parent);
COMMENT ON TABLE pprepub_internal.catalog_tree_node IS
	'nodes of trees; leaves are numbered depth-first from first_leaf';

CREATE TABLE pprepub_internal.catalog_taxonomy (
	name text COLLATE "C" PRIMARY KEY,
	owner regrole NOT NULL,
	tree int NOT NULL
);
COMMENT ON TABLE pprepub_internal.catalog_taxonomy IS 'names of taxonomies, each with its current tree';

CREATE TABLE pprepub_internal.catalog_publication (
	publication int PRIMARY KEY,
	name text COLLATE "C" NOT NULL UNIQUE,
	owner regrole NOT NULL,
	pinned pprepub_internal.relation_name NOT NULL,
	method text NOT NULL,
	params jsonb NOT NULL,
	target name NOT NULL,
	max_rows int NOT NULL,
	sample_seed bigint NOT NULL DEFAULT pg_catalog.hashtextextended(pg_catalog.gen_random_uuid()::text, 0),	-- secret: who knows it knows which rows of a person are likely shown
	beside int[] NOT NULL,
	releases int NOT NULL DEFAULT 0,
	remembered bigint NOT NULL DEFAULT 0,
	witness jsonb,
	shard text,
	shard_of_key boolean NOT NULL DEFAULT false,
	attempt text
) WITH (fillfactor = 30);	-- each release updates its publication's row
CREATE SEQUENCE pprepub_internal.catalog_publication_number AS int OWNED BY pprepub_internal.catalog_publication.publication;
ALTER TABLE pprepub_internal.catalog_publication
	ALTER COLUMN publication SET DEFAULT pg_catalog.nextval('pprepub_internal.catalog_publication_number');
COMMENT ON TABLE pprepub_internal.catalog_publication IS
	'publications as declared; witness tells where and when the last release was made, remembered how many rows the history must have, attempt that shards are published together';

CREATE TABLE pprepub_internal.catalog_column (
	publication int,
	position int,
	name name NOT NULL,
	role text NOT NULL,
	kind text,
	taxonomy text,
	tree int,
	came int NOT NULL,				-- the first release after it was added, those before withhold it; 0: it was declared with the publication
	PRIMARY KEY (publication, position)
);
COMMENT ON TABLE pprepub_internal.catalog_column IS
	'declared columns of publications, in the order of the pinned view; tree is the publication''s own copy of its taxonomy';

CREATE TABLE pprepub_internal.catalog_relation (
	relation pprepub_internal.relation_name NOT NULL,
	publication int NOT NULL,
	part text NOT NULL,
	format smallint NOT NULL		-- of its rows: see docs/explanation/formats.md
);
COMMENT ON TABLE pprepub_internal.catalog_relation IS
	'relations made for publications, which are protected and dropped with them';

-- Computed, since a source's OID cannot be kept: a restore makes some materialized views only after the catalog's rows.
CREATE VIEW pprepub_internal.catalog_source AS
	SELECT DISTINCT p.publication, d.refobjid::pg_catalog.regclass AS source
	FROM pprepub_internal.catalog_publication p
		JOIN pg_catalog.pg_rewrite w ON w.ev_class = p.pinned::pg_catalog.oid
		JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = w.oid
			AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid <> w.ev_class
	WHERE NOT EXISTS (SELECT FROM pprepub_internal.catalog_relation r WHERE r.publication = p.publication AND r.relation::pg_catalog.oid = d.refobjid AND r.part IN ('cleared', 'secret'));
COMMENT ON VIEW pprepub_internal.catalog_source IS 'source of each publication, as its pinned view reads it';

CREATE VIEW pprepub_internal.catalog_lookup AS
	SELECT DISTINCT r.publication, d.refobjid::pg_catalog.regclass AS lookup
	FROM pprepub_internal.catalog_relation r
		JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.relation::pg_catalog.oid
		JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = w.oid
			AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid <> w.ev_class
	WHERE r.part = 'lookups';
COMMENT ON VIEW pprepub_internal.catalog_lookup IS 'tables without people of each publication, as its view of them names them';
-- Each stands once, but for those that a restore left out: so there is no primary key, which PostgreSQL's publications of all tables need.
ALTER TABLE pprepub_internal.catalog_relation REPLICA IDENTITY FULL;
CREATE UNIQUE INDEX catalog_relation_oid ON pprepub_internal.catalog_relation (relation, (nullif(relation::oid, 0::oid)));
CREATE INDEX catalog_relation_history ON pprepub_internal.catalog_relation (publication) WHERE part <> 'release';

CREATE TABLE pprepub_internal.catalog_release (
	publication int,
	number int,
	kind text NOT NULL,
	published_at timestamptz NOT NULL,
	published_by name NOT NULL,		-- the session's user
	published_as name NOT NULL,		-- the role that it had set, or the same
	method text NOT NULL,
	params jsonb NOT NULL,
	relation pprepub_internal.relation_name,
	cohort text,
	columns name[],
	rows bigint NOT NULL,				-- that leave
	people bigint NOT NULL,				-- whose they are, and invented ones
	classes bigint NOT NULL,
	suppressed bigint NOT NULL,
	dirty bigint NOT NULL,
	counterfeits bigint NOT NULL,
	stale bigint NOT NULL,				-- rows of people that show another value than that of the day
	unrefreshed bigint NOT NULL,		-- rows of groups that could not show new values, by numbers alone
	seconds float8 NOT NULL,
	history_seconds float8 NOT NULL,	-- of them: reading, guarding, writing the history
	phases jsonb NOT NULL,				-- seconds of each, up to when this was noted
	trees int[] NOT NULL,
	format smallint NOT NULL,			-- of its cells, its classes' order and its checksum: see docs/explanation/formats.md
	checksum_seed bigint,
	checksum uuid,
	witness jsonb,
	identified boolean NOT NULL,		-- does the log say whose its rows are?
	waived_at timestamptz,				-- since when that it does not is accepted
	waived_by name,
	warnings text[] NOT NULL DEFAULT '{}',		-- that were raised while it was made; answers raise none
	starves boolean NOT NULL DEFAULT false,		-- do they say that too many rows are withheld?
	PRIMARY KEY (publication, number)
);
COMMENT ON TABLE pprepub_internal.catalog_release IS
	'releases and answers; identified is false for imports without a key, which block publishing until they are waived';
-- Every release looks for such rows, and there are hardly ever any.
CREATE INDEX catalog_release_unidentified ON pprepub_internal.catalog_release (publication, number) WHERE NOT identified AND waived_at IS NULL;
-- Few releases have tables where many are answers.
CREATE INDEX catalog_release_table ON pprepub_internal.catalog_release (publication, number) WHERE kind <> 'query';
-- The answers of a day are looked for whenever health is asked for.
CREATE INDEX catalog_release_time ON pprepub_internal.catalog_release (publication, published_at);

CREATE TABLE pprepub_internal.catalog_metric (
	publication int,
	release int,
	position int,
	metric text NOT NULL,
	value float8 NOT NULL,
	PRIMARY KEY (publication, release, position)
);
COMMENT ON TABLE pprepub_internal.catalog_metric IS 'metrics of releases, measured when they were made';

CREATE TABLE pprepub_internal.catalog_failure (
	publication int,
	release int,
	failed_at timestamptz NOT NULL,
	sqlstate text NOT NULL,
	message text NOT NULL,
	PRIMARY KEY (publication, release)
);
COMMENT ON TABLE pprepub_internal.catalog_failure IS
	'errors of sources while answers were made; every answer has a row of the same width, with or without an error';

CREATE TABLE pprepub_internal.catalog_erasure (
	publication int NOT NULL,
	erased_at timestamptz NOT NULL,
	erased_by name NOT NULL,
	people bigint,				-- not who
	releases int[]				-- whose tables were dropped
);
COMMENT ON TABLE pprepub_internal.catalog_erasure IS 'what owners have had forgotten: so many people, or the tables of releases';

SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_erasure', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_tree', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_tree_number', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_tree_node', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_taxonomy', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_publication', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_publication_number', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_column', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_relation', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_release', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_metric', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_failure', '');

-- Shards

CREATE TABLE pprepub_internal.catalog_sharded (
	name text COLLATE "C" PRIMARY KEY,
	owner regrole NOT NULL,
	target name NOT NULL,
	key_decides boolean NOT NULL		-- does the key alone tell a person's shard, so that nobody moves?
);
COMMENT ON TABLE pprepub_internal.catalog_sharded IS 'sharded publications as declared on their coordinator';

CREATE TABLE pprepub_internal.catalog_shard (
	name text COLLATE "C",
	shard int,
	server name NOT NULL,
	publication text COLLATE "C" NOT NULL,
	PRIMARY KEY (name, shard)
);
COMMENT ON TABLE pprepub_internal.catalog_shard IS 'the shards of sharded publications: a publication on a server each';

SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_sharded', '');
SELECT pg_catalog.pg_extension_config_dump('pprepub_internal.catalog_shard', '');

CREATE VIEW pprepub.shard AS
	SELECT p.name AS publication, p.owner, p.target, p.key_decides, s.shard, s.server, s.publication AS shard_publication
	FROM pprepub_internal.catalog_sharded p JOIN pprepub_internal.catalog_shard s USING (name)
	ORDER BY p.name, s.shard;
COMMENT ON VIEW pprepub.shard IS 'the shards of sharded publications; each shard judges itself who may do what there';

-- Taxonomies

-- Of the database's collation, so that a query can compare them with a live table's columns.
CREATE VIEW pprepub.taxonomy_node WITH (security_barrier) AS
	SELECT t.name COLLATE "default" AS taxonomy, n.node COLLATE "default" AS node, n.parent COLLATE "default" AS parent, n.depth, n.leaves
	FROM pprepub_internal.catalog_taxonomy t JOIN pprepub_internal.catalog_tree_node n USING (tree);
COMMENT ON VIEW pprepub.taxonomy_node IS 'nodes of all taxonomies';

-- Stores a tree, from rows of leaf, parent, …, root, each an array as text, and from the nodes of an older tree, which stay.
-- Where that makes no tree, "wrong" is SQLSTATE, message, detail and hint of an error.  Leaves are numbered by the names of
-- siblings, those of a ladder in the order of its rows.
CREATE FUNCTION pprepub_internal.plant_tree(taxonomy text, rows text[], ladder numeric[], old int, OUT planted int, OUT wrong text[])
	LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	most CONSTANT int := 1048576;
	malformed CONSTANT text := '42P16';
	-- Edges, in the order in which they appear; that of a root has no parent.
	nodes text[];
	parents text[];
	leaf boolean[];
BEGIN
	SELECT ARRAY['22004', format('a row of taxonomy "%s" has a NULL in column %s', taxonomy, array_position(l.level, NULL)),
		CASE WHEN l.level[1] IS NOT NULL THEN format('It is the row of leaf "%s".', l.level[1])
			WHEN l.level[cardinality(l.level)] IS NOT NULL THEN format('It is a row of root "%s".', l.level[cardinality(l.level)]) END,
		'NULLs in the data need no node: NULL is a value of its own.']
	INTO wrong
	FROM (SELECT r.r::text[] AS level FROM unnest(rows) r) l WHERE array_position(l.level, NULL) IS NOT NULL LIMIT 1;
	IF wrong IS NOT NULL THEN
		RETURN;
	END IF;

	-- A value repeated on consecutive levels is one node.
	WITH place AS (
		SELECT s.line, s.level, s.node FROM (
			SELECT r.line, n.level, n.node, lag(n.node) OVER (PARTITION BY r.line ORDER BY n.level) AS below
			FROM unnest(rows) WITH ORDINALITY r(r, line) CROSS JOIN unnest(r.r::text[]) WITH ORDINALITY n(node, level)) s
		WHERE s.node IS DISTINCT FROM s.below
	), edge AS (
		SELECT 0 AS line, n.depth AS level, n.node COLLATE "default" AS node, n.parent COLLATE "default" AS parent, n.leaves = 1 AND NOT EXISTS (
			SELECT FROM pprepub_internal.catalog_tree_node c WHERE c.tree = n.tree AND c.parent = n.node) AS is_leaf
		FROM pprepub_internal.catalog_tree_node n WHERE n.tree = plant_tree.old
		UNION ALL
		SELECT p.line, p.level, p.node, lead(p.node) OVER w, row_number() OVER w = 1 FROM place p WINDOW w AS (PARTITION BY p.line ORDER BY p.level)
	)
	SELECT array_agg(e.node ORDER BY e.line, e.level), array_agg(e.parent ORDER BY e.line, e.level), array_agg(e.is_leaf ORDER BY e.line, e.level),
		(SELECT ARRAY[malformed, format('node "%s" of taxonomy "%s" stands on two levels of a row with another node between', p.node, taxonomy), NULL, NULL]
		 FROM place p GROUP BY p.line, p.node HAVING count(*) > 1 LIMIT 1)
	INTO nodes, parents, leaf, wrong
	FROM (SELECT DISTINCT ON (e.node, e.parent, e.is_leaf) e.* FROM edge e ORDER BY e.node, e.parent, e.is_leaf, e.line, e.level) e;
	IF wrong IS NOT NULL THEN
		RETURN;
	END IF;

	WITH edge AS (
		SELECT * FROM unnest(nodes, parents, leaf) WITH ORDINALITY e(node, parent, is_leaf, seen)
	), node AS (
		SELECT e.node, min(e.seen) AS seen, bool_or(e.is_leaf) AND bool_or(NOT e.is_leaf) AS is_both,
			bool_or(e.parent IS NULL) AS is_root, min(e.seen) FILTER (WHERE e.parent IS NULL) AS root_seen, (array_agg(DISTINCT e.parent) FILTER (WHERE e.parent IS NOT NULL)) AS parents,
			(array_agg(e.parent ORDER BY e.seen) FILTER (WHERE e.parent IS NOT NULL)) AS parents_seen
		FROM edge e GROUP BY e.node
	)
	SELECT w.wrong INTO wrong FROM (
		SELECT 1, 0, ARRAY['P0002', format('taxonomy "%s" would be empty', taxonomy), NULL,
			'Its table needs a row for each leaf: the leaf, its parent, and so on up to the root.'] WHERE nodes IS NULL
		UNION ALL SELECT 2, n.seen, ARRAY['54000', format('node "%s…" of taxonomy "%s" is longer than 1024 bytes', left(n.node, 40), taxonomy), NULL,
			'Give it a shorter name.'] FROM node n WHERE octet_length(n.node) > 1024
		UNION ALL (SELECT 2, n.seen, ARRAY['54000', format('taxonomy "%s" has more than %s nodes, "%s" being one too many', taxonomy, most, n.node), NULL,
			'Leave out the leaves that do not occur, or generalize the column in a view first.'] FROM node n ORDER BY n.seen OFFSET most LIMIT 1)
		UNION ALL SELECT 3, n.seen, ARRAY[malformed, format('node "%s" of taxonomy "%s" is a leaf in one row and has children in another', n.node, taxonomy), NULL,
			'A leaf of a ragged tree repeats its name on the levels that it skips.'] FROM node n WHERE n.is_both
		UNION ALL SELECT 4, n.root_seen, ARRAY[malformed, format('node "%s" of taxonomy "%s" is the root in one row and has a parent in another', n.node, taxonomy), NULL, NULL]
			FROM node n WHERE n.is_root AND n.parents IS NOT NULL
		UNION ALL SELECT 5, n.seen, ARRAY[malformed, format('node "%s" of taxonomy "%s" has two parents, "%s" and "%s"', n.node, taxonomy,
			n.parents_seen[1], n.parents_seen[2]), NULL, NULL] FROM node n WHERE cardinality(n.parents) > 1
		UNION ALL (SELECT 6, n.seen, ARRAY[malformed, format('taxonomy "%s" has two roots, "%s" and "%s"', taxonomy, lag(n.node) OVER (ORDER BY n.seen), n.node), NULL,
			'The last column must hold the same value in every row.'] FROM node n WHERE n.is_root ORDER BY n.seen OFFSET 1 LIMIT 1)
		UNION ALL SELECT 7, n.seen, ARRAY[malformed, format('node "%s" of taxonomy "%s" is not the root', n.node, taxonomy), NULL,
			'A cell of nothing but stars reads as withheld. Give the node another name.'] FROM node n WHERE NOT n.is_root AND n.node ~ '^\*+$'
	) w(kind, seen, wrong) ORDER BY w.kind, w.seen LIMIT 1;
	IF wrong IS NOT NULL THEN
		RETURN;
	END IF;

	INSERT INTO pprepub_internal.catalog_tree (ladder) VALUES (plant_tree.ladder) RETURNING tree INTO planted;
	WITH RECURSIVE edge AS MATERIALIZED (
		SELECT e.node, e.parent, e.is_leaf, CASE WHEN plant_tree.ladder IS NULL THEN e.node ELSE to_char(e.seen, 'FM0000000000') END AS key
		FROM unnest(nodes, parents, leaf) WITH ORDINALITY e(node, parent, is_leaf, seen)
	), branch AS (
		SELECT e.node, e.is_leaf, ARRAY[e.node] AS path, ARRAY[e.key] AS keys FROM edge e WHERE e.parent IS NULL
		UNION ALL SELECT e.node, e.is_leaf, b.path || e.node, b.keys || e.key FROM branch b JOIN edge e ON e.parent = b.node
	), numbered AS (
		SELECT b.path, row_number() OVER (ORDER BY b.keys COLLATE "C") - 1 AS number FROM branch b WHERE b.is_leaf
	)
	INSERT INTO pprepub_internal.catalog_tree_node (tree, node, parent, depth, first_leaf, leaves)
	SELECT planted, n.path[i], n.path[i - 1], i - 1, min(n.number), count(*)
	FROM numbered n CROSS JOIN generate_subscripts(n.path, 1) i GROUP BY 2, 3, 4;
END
$$;
COMMENT ON FUNCTION pprepub_internal.plant_tree(text, text[], numeric[], int) IS 'store a tree of a taxonomy, or say why it is none';

-- The rows of a ladder for plant_tree(): each lowest interval with those that contain it.  Numbers with too many digits are
-- refused before anything is computed with them: that takes minutes with the longest.
CREATE FUNCTION pprepub_internal.ladder_rows(taxonomy text, low numeric, high numeric, widths numeric[], OUT rows text[], OUT wrong text[])
	LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$
DECLARE
	too_long CONSTANT text[] := ARRAY['54000', format('a number of taxonomy "%s" has more than 500 digits', taxonomy), NULL, 'Round its ends and widths.'];
BEGIN
	wrong := CASE
		WHEN length(trim_scale(low)::text) > 500 OR length(trim_scale(high)::text) > 500 THEN too_long
		WHEN low IN ('NaN', 'Infinity', '-Infinity') OR high IN ('NaN', 'Infinity', '-Infinity') OR low >= high THEN
			ARRAY['22023', format('taxonomy "%s" needs a finite low end below a finite high end', taxonomy), NULL, NULL]
		WHEN cardinality(widths) NOT BETWEEN 1 AND 1599 THEN
			ARRAY['22023', format('taxonomy "%s" needs 1 to 1599 widths', taxonomy), NULL, NULL] END;
	FOR i IN 1 .. cardinality(widths) LOOP
		EXIT WHEN wrong IS NOT NULL;
		wrong := CASE
			WHEN length(trim_scale(widths[i])::text) > 500 THEN too_long
			WHEN widths[i] IS NULL OR widths[i] IN ('NaN', 'Infinity') OR widths[i] <= 0 OR i > 1 AND (widths[i] <= widths[i - 1] OR widths[i] % widths[i - 1] <> 0) THEN
				ARRAY['22023', format('width %s of taxonomy "%s" does not fit', i, taxonomy), 'Widths are positive, and each is a larger multiple of the one before.', NULL] END;
	END LOOP;
	IF wrong IS NULL AND high - low > widths[1] * 1048576 THEN
		wrong := ARRAY['54000', format('taxonomy "%s" would have more than 1048576 nodes', taxonomy), NULL, 'Choose a larger first width.'];
	END IF;
	IF wrong IS NOT NULL THEN
		RETURN;
	END IF;
	SELECT array_agg((ARRAY(
			SELECT format('[%s,%s)', trim_scale(s.start), trim_scale(least(s.start + s.width, high)))
			FROM (SELECT w.width, low + div(a - low, w.width) * w.width AS start FROM unnest(widths) w(width)) s ORDER BY s.width)
		|| format('[%s,%s)', trim_scale(low), trim_scale(high)))::text ORDER BY a)
	INTO rows FROM generate_series(low, high, widths[1]) a WHERE a < high;
END
$$;
COMMENT ON FUNCTION pprepub_internal.ladder_rows(text, numeric, numeric, numeric[]) IS 'rows of a tree of intervals, or why there can be none';

-- All rows of a levels table, leaf first, each as the text of an array.  A node's name is what its value prints.
CREATE FUNCTION pprepub_internal.levels_query(source oid) RETURNS text
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT 'SELECT pg_catalog.array_agg(ARRAY[' || string_agg(format(
			'CASE WHEN pg_catalog.num_nulls(%1$I) OPERATOR(pg_catalog.=) 0 THEN pg_catalog.format(''%%s'', %1$I%2$s) END', a.attname,
			CASE WHEN t.typoutput = 'bpcharout'::regproc THEN '::pg_catalog.text' ELSE '' END), ', ' ORDER BY a.attnum)
		|| ']::pg_catalog.text) FROM ' || (SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1)
	FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = $1 AND a.attnum > 0 AND NOT a.attisdropped
$$;
COMMENT ON FUNCTION pprepub_internal.levels_query(oid) IS 'a query for the rows of a levels table';

CREATE FUNCTION pprepub.create_taxonomy(name text, source regclass) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_create_taxonomy';
COMMENT ON FUNCTION pprepub.create_taxonomy(text, regclass) IS
	'create a taxonomy from a table with one row for each leaf: the leaf, its parent, and so on up to the root';

CREATE FUNCTION pprepub.extend_taxonomy(name text, source regclass) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_extend_taxonomy';
COMMENT ON FUNCTION pprepub.extend_taxonomy(text, regclass) IS
	'add leaves and subtrees to a taxonomy; publications adopt them by alter_publication()';

CREATE FUNCTION pprepub.create_range_taxonomy(name text, low numeric, high numeric, widths numeric[]) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_create_range_taxonomy';
COMMENT ON FUNCTION pprepub.create_range_taxonomy(text, numeric, numeric, numeric[]) IS
	'create a taxonomy of intervals of numbers, with one level for each width';

CREATE FUNCTION pprepub.drop_taxonomy(name text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_drop_taxonomy';
COMMENT ON FUNCTION pprepub.drop_taxonomy(text) IS 'drop a taxonomy; publications that use it keep their copy';

-- Publications

-- From each publication's source to the relations and functions that it depends on; "role" is the reader's.  Of a publication,
-- which is 0 in a declaration, its source, owner, lookup tables, and the publications that need no look.
--
-- Partitions and children are followed up and then down again: a row, and so a person, can move from one partition to its
-- sibling.  A view is followed only into relations that its owner may read: a view that cannot be read shares nothing, and a
-- role could otherwise stop the releases of another by a view of its table.  A filled materialized view was read once.
-- Functions are followed if their bodies are in SQL's own form; the tables that others read cannot be seen from the catalogs.
CREATE FUNCTION pprepub_internal.shared_data(source oid, number int, skipped int[], reader oid, tables oid[],
		OUT name text, OUT relation text, OUT oid oid, OUT is_lookup boolean, OUT pinned oid, OUT owner oid, OUT key text) RETURNS SETOF record
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE lookup AS (
		SELECT $2 AS publication, unnest($5) AS relation
		UNION SELECT publication, lookup::oid FROM pprepub_internal.catalog_lookup
	), source AS (
		SELECT $2 AS publication, $1::oid AS relation, $4::oid AS owner
		UNION ALL SELECT publication, source::oid, owner::oid
			FROM pprepub_internal.catalog_publication JOIN pprepub_internal.catalog_source USING (publication)
			WHERE publication <> $2 AND NOT publication = ANY ($3) AND NOT $2 = ANY (beside)
	), r AS (
		SELECT publication, 'pg_class'::regclass::oid AS classid, relation AS object, owner AS role FROM source
		UNION SELECT r.publication, n.classid, n.object, n.role FROM r CROSS JOIN LATERAL (
			SELECT d.refclassid AS classid, d.refobjid AS object, k.relowner AS role
				FROM pg_class k JOIN pg_rewrite w ON w.ev_class = k.oid
				JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refobjid <> k.oid
				WHERE r.classid = 'pg_class'::regclass AND k.oid = r.object AND (d.refclassid = 'pg_proc'::regclass
				OR d.refclassid = 'pg_class'::regclass AND (k.relkind = 'm' AND k.relispopulated
					OR has_any_column_privilege(k.relowner, d.refobjid, 'SELECT')
					OR has_any_column_privilege(r.role, d.refobjid, 'SELECT')))
			UNION ALL SELECT d.refclassid, d.refobjid, r.role FROM pg_depend d
				WHERE r.classid = 'pg_proc'::regclass AND d.classid = r.classid AND d.objid = r.object
				AND d.refclassid IN ('pg_proc'::regclass, 'pg_class'::regclass)
			UNION ALL SELECT 'pg_class'::regclass, inhparent, r.role FROM pg_inherits
				WHERE r.classid = 'pg_class'::regclass AND inhrelid = r.object
			UNION ALL SELECT 'pg_class'::regclass, inhrelid, r.role FROM pg_inherits
				WHERE r.classid = 'pg_class'::regclass AND inhparent = r.object) n
			WHERE NOT EXISTS (SELECT FROM lookup l WHERE l.publication = r.publication AND l.relation = r.object AND r.classid = 'pg_class'::regclass))
		SELECT DISTINCT p.name, c.oid::regclass::text, c.oid, EXISTS (SELECT FROM lookup l
			WHERE l.publication IN (mine.publication, other.publication) AND l.relation = c.oid) AS is_lookup,
		p.pinned::oid AS pinned, p.owner::oid AS owner, (SELECT k.name::text FROM pprepub_internal.catalog_column k WHERE k.publication = p.publication AND k.role = 'key') AS key
		FROM r mine JOIN r other ON other.classid = mine.classid AND other.object = mine.object
		AND mine.publication = $2 AND other.publication <> $2
		JOIN pg_class c ON mine.classid = 'pg_class'::regclass AND c.oid = mine.object
			AND c.relkind IN ('r', 'p', 'f', 'm') AND c.oid >= 16384
		JOIN pprepub_internal.catalog_publication p ON p.publication = other.publication
		ORDER BY 4, 1, 3
$$;
COMMENT ON FUNCTION pprepub_internal.shared_data(oid, int, int[], oid, oid[]) IS 'tables that the sources of other publications reach, too';

-- Looks through views and partitions; a materialized view has its own copy of the rows.
CREATE FUNCTION pprepub_internal.unlogged_tables(source oid) RETURNS SETOF text
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE r AS (SELECT $1 AS relation UNION SELECT n.relation FROM r CROSS JOIN LATERAL (
		SELECT d.refobjid AS relation FROM pg_class v JOIN pg_rewrite w ON w.ev_class = v.oid
			JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
			WHERE v.oid = r.relation AND v.relkind = 'v'
		UNION ALL SELECT inhrelid FROM pg_inherits WHERE inhparent = r.relation) n)
		SELECT c.oid::regclass::text AS relation FROM r JOIN pg_class c ON c.oid = r.relation
		WHERE c.relkind = 'r' AND c.relpersistence = 'u' ORDER BY c.oid
$$;
COMMENT ON FUNCTION pprepub_internal.unlogged_tables(oid) IS 'unlogged tables that rows of a relation stand in';

-- Leaves that the new tree lacks, if it keeps every other old node, with its parent, as a leaf or as an inner node; NULL if not.
CREATE FUNCTION pprepub_internal.retired_leaves(old int, new int) RETURNS text[]
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH retired AS (
		SELECT ARRAY(SELECT o.node::text FROM pprepub_internal.catalog_tree_node o WHERE o.tree = $1
			AND NOT EXISTS (SELECT FROM pprepub_internal.catalog_tree_node c WHERE c.tree = $1 AND c.parent = o.node)
			AND NOT EXISTS (SELECT FROM pprepub_internal.catalog_tree_node n WHERE n.tree = $2 AND n.node = o.node)) AS leaves)
	SELECT r.leaves FROM retired r WHERE NOT EXISTS (
		SELECT FROM pprepub_internal.catalog_tree_node o LEFT JOIN pprepub_internal.catalog_tree_node n ON n.tree = $2 AND n.node = o.node
		WHERE o.tree = $1 AND o.node::text <> ALL (r.leaves) AND (n.node IS NULL OR n.parent IS DISTINCT FROM o.parent
			OR EXISTS (SELECT FROM pprepub_internal.catalog_tree_node c WHERE c.tree = $2 AND c.parent = o.node)
			<> EXISTS (SELECT FROM pprepub_internal.catalog_tree_node c WHERE c.tree = $1 AND c.parent = o.node))
		UNION ALL SELECT FROM pprepub_internal.catalog_tree o JOIN pprepub_internal.catalog_tree n
			ON o.tree = $1 AND n.tree = $2 AND o.ladder IS DISTINCT FROM n.ladder)
$$;
COMMENT ON FUNCTION pprepub_internal.retired_leaves(int, int) IS 'leaves that a tree lacks of one that it holds otherwise';

-- NAME_1, NAME_values and the like are names that relations and functions of a publication have in TARGET.
CREATE FUNCTION pprepub_internal.is_name_of(name text, publication text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN starts_with($1, $2 || '_') AND substr($1, length($2) + 2) ~ '^([0-9]+|counterfeits|values|all|answers|now|releases|counts|noisy|noise_left)$';
COMMENT ON FUNCTION pprepub_internal.is_name_of(text, text) IS 'is it a name of a release, a view or a function of a publication?';

-- SQLSTATE, message, detail and hint of an error if a new publication, or what will be made for it, would collide with what exists.
CREATE FUNCTION pprepub_internal.name_in_the_way(name text, target text, private text, OUT wrong text[])
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT w.wrong FROM (
		SELECT 1, ARRAY['42710', format('publication "%s" already exists', $1), NULL, NULL]
		WHERE EXISTS (SELECT FROM pprepub_internal.catalog_publication p WHERE p.name = $1) OR EXISTS (SELECT FROM pprepub_internal.catalog_sharded p WHERE p.name = $1)
		UNION ALL SELECT 2, ARRAY['42939', 'a publication cannot be called "catalog"', NULL, 'View catalog of its target lists what is published there.']
		WHERE $1 = 'catalog'
		UNION ALL SELECT 2, ARRAY['42710', format('the name "%s" collides with the releases of publication "%s"', $1, p.name), NULL,
			'Choose another name, or another target schema.']
		FROM pprepub_internal.catalog_publication p
		WHERE p.target = $2::name AND (pprepub_internal.is_name_of($1, p.name) OR pprepub_internal.is_name_of(p.name, $1))
		-- A schema must not hold the releases of one publication and the history of another.
		UNION ALL SELECT 3, ARRAY['42P06', format('schema "%s" or "%s" is used by publication "%s" in another way', $2, $3, p.name), NULL,
			'Name another schema with target => ''…''.']
		FROM pprepub_internal.catalog_publication p WHERE p.target = $3::name OR $2 = p.target || '_private'
		UNION ALL SELECT 4, ARRAY['42P07', format('relation "%s" already exists in schema "%s"', c.relname, n.nspname), NULL,
			'Choose another name, or another target schema.']
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $2::name AND (c.relname = $1::name OR pprepub_internal.is_name_of(c.relname::text, $1))
			OR n.nspname = $3::name AND c.relname = ANY (ARRAY[$1 || '_source', $1 || '_lookups', $1 || '_sensitive', $1 || '_members', $1 || '_asked',
				$1 || '_groups', $1 || '_places', $1 || '_people', $1 || '_regions', $1 || '_counterfeits', $1 || '_reference',
				$1 || '_cleared', $1 || '_secret'])
		UNION ALL SELECT 5, ARRAY['42723', format('function %s already exists', f.oid::regprocedure), NULL,
			'Choose another name, or another target schema.']
		FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
		WHERE n.nspname = $2::name AND f.proname::text IN ($1, $1 || '_counts', $1 || '_noisy', $1 || '_noise_left')
	) w(kind, wrong) ORDER BY w.kind LIMIT 1
$$;
COMMENT ON FUNCTION pprepub_internal.name_in_the_way(text, text, text) IS 'why a publication cannot have a name';

-- No list is the default: the owner's own rights, but that PUBLIC may execute functions, and use types.  Default privileges can
-- withhold rights from the owner, too.
CREATE FUNCTION pprepub_internal.rights_to_reset(class oid, object oid, named text) RETURNS SETOF text
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH o AS (SELECT relowner AS owner, relacl AS acl FROM pg_class WHERE $1 = 'pg_class'::regclass AND oid = $2
		UNION ALL SELECT nspowner, nspacl FROM pg_namespace WHERE $1 = 'pg_namespace'::regclass AND oid = $2
		UNION ALL SELECT proowner, coalesce(proacl, acldefault('f', proowner)) FROM pg_proc WHERE $1 = 'pg_proc'::regclass AND oid = $2
		UNION ALL SELECT typowner, coalesce(typacl, acldefault('T', typowner)) FROM pg_type WHERE $1 = 'pg_type'::regclass AND oid = $2)
	SELECT s.statement FROM (
		SELECT DISTINCT 1 AS place, format('REVOKE ALL ON %s FROM %s CASCADE', $3, CASE a.grantee WHEN 0 THEN 'PUBLIC'
			ELSE quote_ident(pg_get_userbyid(a.grantee)) END) AS statement FROM o, aclexplode(o.acl) a WHERE a.grantee <> o.owner
		UNION ALL SELECT 2, format('GRANT ALL ON %s TO %I', $3, pg_get_userbyid(o.owner)) FROM o WHERE o.acl IS NOT NULL) s
	ORDER BY s.place, s.statement
$$;
COMMENT ON FUNCTION pprepub_internal.rights_to_reset(oid, oid, text) IS 'statements that revoke all rights on an object but its owner''s';

-- A publication that stands in a schema already cannot have another one; and where publications of other roles stand in it, it must
-- not become another role's, since nothing of them would be published any more.
CREATE FUNCTION pprepub_internal.schema_in_the_way(name text, owner oid, is_declared boolean, OUT wrong text[])
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE
		WHEN n.oid IS NULL THEN ARRAY['3F000', format('schema "%s" does not exist', $1), NULL,
			format('Run CREATE SCHEMA %I AUTHORIZATION %I.', $1, r.rolname)]
		WHEN n.nspowner <> $2 THEN ARRAY['42501', format('schema "%s" does not belong to role "%s"', $1, r.rolname),
			'The owner of a schema can drop what stands in it, so it must be the owner of the source.',
			CASE WHEN $3 THEN format('Run ALTER SCHEMA %I OWNER TO %I.', $1, r.rolname)
				WHEN EXISTS (SELECT FROM pprepub_internal.catalog_publication p WHERE $1 IN (p.target::text, p.target::text || '_private') AND p.owner::oid <> $2)
				THEN 'Publications of others stand in it: declare this one with a schema of its own, target => ''…''.'
				ELSE format('Declare the publication with another schema, target => ''…'', or run ALTER SCHEMA %I OWNER TO %I if nobody else needs this one.',
					$1, r.rolname) END]
		WHEN EXISTS (SELECT FROM aclexplode(n.nspacl) a WHERE a.grantee <> $2 AND a.privilege_type = 'CREATE')
		THEN ARRAY['42P15', format('others may create objects in schema "%s"', $1), NULL,
			'Revoke CREATE on it from everybody but its owner, or declare the publication with another schema: target => ''…''.'] END
	FROM pg_roles r LEFT JOIN pg_namespace n ON n.nspname = $1::name WHERE r.oid = $2
$$;
COMMENT ON FUNCTION pprepub_internal.schema_in_the_way(text, oid, boolean) IS 'why nothing can be published in a schema';

CREATE FUNCTION pprepub_internal.no_bands(tree int, taxonomy text, level int, OUT wrong text[])
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT CASE
		WHEN $3 = 0 AND t.ladder IS NULL THEN ARRAY['42809', format('taxonomy "%s" makes no bands without a level', $2),
			'It is no ladder of intervals over numbers.',
			format('Say which nodes are to be one value each: "taxonomy %s 1" are those below the root.', $2)]
		WHEN $3 > 0 AND t.ladder IS NOT NULL THEN ARRAY['42809', format('taxonomy "%s" makes no bands by a level', $2),
			'It is a ladder, whose narrowest intervals are the bands.', 'Leave the level out.']
		WHEN $3 > n.levels THEN ARRAY['22023', format('taxonomy "%s" has no level %s', $2, $3),
			format('Its leaves are %s level(s) below its root at most.', n.levels)] END
	FROM pprepub_internal.catalog_tree t,
		(SELECT max(depth) AS levels FROM pprepub_internal.catalog_tree_node WHERE tree = $1) n WHERE t.tree = $1
$$;
COMMENT ON FUNCTION pprepub_internal.no_bands(int, text, int) IS 'why a taxonomy makes no bands of a level';

CREATE FUNCTION pprepub.create_publication(publication text, source regclass, key name,
		quasi_identifiers jsonb, sensitive text, method text DEFAULT 'bpg', params jsonb DEFAULT '{}',
		insensitive name[] DEFAULT '{}', target name DEFAULT 'published', beside name[] DEFAULT '{}', lookup regclass[] DEFAULT '{}',
		rows text DEFAULT 'one', max_rows int DEFAULT 10, shard text DEFAULT NULL) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_create_publication';
COMMENT ON FUNCTION pprepub.create_publication(text, regclass, name, jsonb, text, text, jsonb, name[], name, name[], regclass[], text, int, text) IS
	'declare how a table or view is published: its key, the roles of its columns, and a method with parameters';

CREATE FUNCTION pprepub.alter_publication(publication text, params jsonb DEFAULT '{}', add_quasi_identifiers jsonb DEFAULT '{}',
		add_insensitive name[] DEFAULT '{}') RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_alter_publication';
COMMENT ON FUNCTION pprepub.alter_publication(text, jsonb, jsonb, name[]) IS
	'change parameters, add columns, adopt extended taxonomies, and let a new owner of the source take over';

CREATE FUNCTION pprepub_internal.forget_publication(number int) RETURNS void
	LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	DELETE FROM pprepub_internal.catalog_erasure WHERE publication = $1;
	DELETE FROM pprepub_internal.catalog_noise WHERE publication = $1;
	DELETE FROM pprepub_internal.catalog_failure WHERE publication = $1;
	DELETE FROM pprepub_internal.catalog_metric WHERE publication = $1;
	DELETE FROM pprepub_internal.catalog_release WHERE publication = $1;
	DELETE FROM pprepub_internal.catalog_relation WHERE publication = $1;
	DELETE FROM pprepub_internal.catalog_column WHERE publication = $1;
	DELETE FROM pprepub_internal.catalog_publication WHERE publication = $1;
$$;
COMMENT ON FUNCTION pprepub_internal.forget_publication(int) IS 'delete the rows of a publication from the catalog';

-- In the order of dropping: views depend on the tables that they read, so they go first; the type, which others are made with, goes last.
CREATE FUNCTION pprepub_internal.made_for(publication int, keep_releases boolean, functions oid[], OUT classid oid, OUT objid oid, OUT statement text)
	RETURNS SETOF record LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	SELECT m.classid, m.objid, m.statement FROM (
		SELECT 1 AS place, 'pg_proc'::regclass::oid AS classid, f.oid AS objid, 'DROP FUNCTION IF EXISTS ' || f.oid::regprocedure AS statement
		FROM pg_proc f WHERE f.oid = ANY ($3)
		UNION ALL SELECT CASE k.relkind WHEN 'v' THEN CASE r.part WHEN 'source' THEN 3 ELSE 2 END WHEN 'c' THEN 4 ELSE CASE WHEN r.part IN ('cleared', 'secret') THEN 4 ELSE 3 END END, 'pg_class'::regclass, k.oid,
			format('DROP %s IF EXISTS %s', CASE k.relkind WHEN 'v' THEN 'VIEW' WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'c' THEN 'TYPE' ELSE 'TABLE' END, r.relation)
		FROM pprepub_internal.catalog_relation r JOIN pg_class k ON k.oid = r.relation::oid
		WHERE r.publication = $1 AND NOT (r.part = 'release' AND $2)) m ORDER BY m.place, m.objid DESC
$$;
COMMENT ON FUNCTION pprepub_internal.made_for(int, boolean, oid[]) IS 'what goes with a publication, and how it is dropped';

-- A rule stands for its view.  Parts of others (their types, indexes, defaults) are followed and not listed.
CREATE FUNCTION pprepub_internal.dependents(publication int, keep_releases boolean, functions oid[], OUT objects text, OUT beside text)
	LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
	WITH RECURSIVE made AS MATERIALIZED (SELECT m.classid, m.objid FROM pprepub_internal.made_for($1, $2, $3) m),
		reached AS (
			SELECT m.classid, m.objid, 0 AS objsubid, false AS is_other, false AS is_listed FROM made m
			UNION SELECT n.classid, n.objid, n.objsubid, r.is_other OR d.deptype = 'n', d.deptype = 'n'
			FROM reached r JOIN pg_depend d ON d.refclassid = r.classid AND d.refobjid = r.objid AND r.objsubid IN (0, d.refobjsubid) AND d.deptype IN ('n', 'a', 'i')
				LEFT JOIN pg_rewrite w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
				CROSS JOIN LATERAL (SELECT CASE WHEN w.oid IS NULL THEN d.classid ELSE 'pg_class'::regclass END AS classid, coalesce(w.ev_class, d.objid) AS objid,
					CASE WHEN w.oid IS NULL THEN d.objsubid ELSE 0 END AS objsubid) n
			WHERE (n.classid, n.objid) NOT IN (SELECT m.classid, m.objid FROM made m)),
		other AS (SELECT r.classid, r.objid, pg_describe_object(r.classid, r.objid, r.objsubid) AS object FROM reached r WHERE r.is_other AND r.is_listed)
	SELECT (SELECT string_agg(o.object, ', ' ORDER BY o.object) FROM (SELECT DISTINCT o.object FROM other o ORDER BY 1 LIMIT 20) o)
			|| CASE WHEN count(DISTINCT o.object) > 20 THEN format(', and %s more', count(DISTINCT o.object) - 20) ELSE '' END, min(p.name)
	FROM other o LEFT JOIN pprepub_internal.catalog_relation k ON o.classid = 'pg_class'::regclass AND k.relation::oid = o.objid
		LEFT JOIN pprepub_internal.catalog_publication p ON p.publication = k.publication AND p.publication <> $1
$$;
COMMENT ON FUNCTION pprepub_internal.dependents(int, boolean, oid[]) IS 'objects of others that depend on what goes with a publication, and another publication among them';

CREATE FUNCTION pprepub.drop_publication(publication text, forget_history boolean DEFAULT false, keep_releases boolean DEFAULT false,
		cascade boolean DEFAULT false) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_drop_publication';
COMMENT ON FUNCTION pprepub.drop_publication(text, boolean, boolean, boolean) IS
	'drop a publication with everything that was made for it';

CREATE FUNCTION pprepub.grant_audit(publication text, role name) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_grant_audit';
COMMENT ON FUNCTION pprepub.grant_audit(text, name) IS 'let a role audit a publication without access to rows or keys';

CREATE FUNCTION pprepub.revoke_audit(publication text, role name) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_revoke_audit';
COMMENT ON FUNCTION pprepub.revoke_audit(text, name) IS 'revoke the right that grant_audit() granted';

-- Publications that the caller may know of, and whether with all rights of their owners, or as an auditor.
CREATE VIEW pprepub_internal.catalog_reader AS
	SELECT p.publication, pg_catalog.pg_has_role(p.owner, 'USAGE') AS is_owner
	FROM pprepub_internal.catalog_publication p LEFT JOIN pprepub_internal.catalog_relation a ON a.publication = p.publication AND a.part = 'auditors'
	WHERE pg_catalog.pg_has_role(p.owner, 'USAGE') OR pg_catalog.has_table_privilege(a.relation::pg_catalog.oid, 'SELECT');
COMMENT ON VIEW pprepub_internal.catalog_reader IS 'publications that the reader owns or may audit';

CREATE VIEW pprepub.erasure WITH (security_barrier) AS
	SELECT p.name AS publication, e.erased_at, e.erased_by, e.people, e.releases
	FROM pprepub_internal.catalog_erasure e JOIN pprepub_internal.catalog_publication p USING (publication) JOIN pprepub_internal.catalog_reader a USING (publication);
COMMENT ON VIEW pprepub.erasure IS 'how many people, and which tables of releases, were forgotten in publications that you own or may audit';

CREATE VIEW pprepub.auditor WITH (security_barrier) AS
	SELECT p.name AS publication, a.grantee::pg_catalog.regrole AS role, a.grantor::pg_catalog.regrole AS granted_by
	FROM pprepub_internal.catalog_publication p
		JOIN pprepub_internal.catalog_relation r ON r.publication = p.publication AND r.part = 'auditors'
		JOIN pg_catalog.pg_class c ON c.oid = r.relation::pg_catalog.oid
		CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) a
	WHERE pg_catalog.pg_has_role(p.owner, 'USAGE') AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner;
COMMENT ON VIEW pprepub.auditor IS 'roles that may audit your publications';

CREATE VIEW pprepub.publication WITH (security_barrier) AS
	-- with the seed, cells that are withheld tell more
	SELECT p.name, p.owner, s.source, p.method, CASE WHEN a.is_owner THEN p.params ELSE p.params OPERATOR(pg_catalog.-) 'seed'::pg_catalog.text END AS params,
		p.target, p.releases,
		(SELECT c.name FROM pprepub_internal.catalog_column c
		 WHERE c.publication = p.publication AND c.role = 'key') AS key,
		(SELECT pg_catalog.jsonb_object_agg(c.name, c.kind) FROM pprepub_internal.catalog_column c
		 WHERE c.publication = p.publication AND c.role = 'quasi-identifier') AS quasi_identifiers,
		-- as create_publication() takes it
		coalesce(
			(SELECT pg_catalog.array_agg(c.name::pg_catalog.text ORDER BY c.position)::pg_catalog.text FROM pprepub_internal.catalog_column c
			 WHERE c.publication = p.publication AND c.role = 'sensitive part' HAVING pg_catalog.count(*) > 0),
			(SELECT CASE WHEN pg_catalog.starts_with(c.name::pg_catalog.text, '{') THEN ARRAY[c.name]::pg_catalog.text ELSE c.name::pg_catalog.text END
			 FROM pprepub_internal.catalog_column c
			 WHERE c.publication = p.publication AND c.role = 'sensitive')) AS sensitive,
		ARRAY(SELECT c.name FROM pprepub_internal.catalog_column c
			  WHERE c.publication = p.publication AND c.role = 'insensitive' ORDER BY c.position) AS insensitive,
		ARRAY(SELECT b.name FROM pprepub_internal.catalog_publication b
			  WHERE b.publication = ANY (p.beside) ORDER BY b.name) AS beside,
		ARRAY(SELECT l.lookup FROM pprepub_internal.catalog_lookup l WHERE l.publication = p.publication ORDER BY l.lookup::pg_catalog.text) AS lookup,
		p.max_rows, p.shard, p.shard_of_key
	FROM pprepub_internal.catalog_publication p JOIN pprepub_internal.catalog_reader a USING (publication) LEFT JOIN pprepub_internal.catalog_source s USING (publication);
COMMENT ON VIEW pprepub.publication IS 'publications that you own or may audit, as they are declared now';

-- Shards: what a condition may call, and what the coordinator of all shards calls on each

CREATE FUNCTION pprepub.shard_of(key text, shards int) RETURNS int LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
	RETURN ((pg_catalog.hashtextextended(key COLLATE "C", 52) & 9223372036854775807) % shards)::int;
COMMENT ON FUNCTION pprepub.shard_of(text, int) IS 'number of the shard that a key belongs to, from 0 on';

CREATE FUNCTION pprepub_internal.keyed_hash(key text, secret bytea) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'pprepub_keyed_hash';
COMMENT ON FUNCTION pprepub_internal.keyed_hash(text, bytea) IS 'hash of a key that nobody can try keys on without the secret';

CREATE FUNCTION pprepub_internal.shard_begin(publication text) RETURNS int
	LANGUAGE C VOLATILE PARALLEL UNSAFE SET lock_timeout = '5s' AS 'MODULE_PATHNAME', 'pprepub_shard_begin';
COMMENT ON FUNCTION pprepub_internal.shard_begin(text) IS 'lock a shard that is to be published, and return the number of its next release, or NULL';

CREATE FUNCTION pprepub_internal.shard_note(publication text, attempt text) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_shard_note';
COMMENT ON FUNCTION pprepub_internal.shard_note(text, text) IS 'note with which attempt of its coordinator a shard is published';

CREATE VIEW pprepub_internal.attempt WITH (security_barrier) AS
	SELECT p.name, p.attempt FROM pprepub_internal.catalog_publication p WHERE pg_catalog.pg_has_role(p.owner, 'USAGE');
COMMENT ON VIEW pprepub_internal.attempt IS 'last attempts of the coordinators of your publications';
CREATE FUNCTION pprepub_internal.shard_attempt(publication text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
	AS $$ SELECT attempt FROM pprepub_internal.attempt WHERE name = $1 $$;
COMMENT ON FUNCTION pprepub_internal.shard_attempt(text) IS 'last attempt of its coordinator that a shard has committed';

CREATE FUNCTION pprepub_internal.shard_guard(publication text, secret bytea) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_shard_guard';
COMMENT ON FUNCTION pprepub_internal.shard_guard(text, bytea) IS 'publish only people of a shard who are cleared';

CREATE FUNCTION pprepub_internal.shard_arrivals(publication text) RETURNS SETOF bytea
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_shard_arrivals';
COMMENT ON FUNCTION pprepub_internal.shard_arrivals(text) IS 'list keyed hashes of people of a shard who are not cleared';

CREATE FUNCTION pprepub_internal.shard_clear(publication text, people bytea[]) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_shard_clear';
COMMENT ON FUNCTION pprepub_internal.shard_clear(text, bytea[]) IS 'clear people for a shard by their keyed hashes';

CREATE FUNCTION pprepub_internal.shard_cleared(publication text) RETURNS SETOF bytea
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_shard_cleared';
COMMENT ON FUNCTION pprepub_internal.shard_cleared(text) IS 'list keyed hashes of people who are cleared for a shard';

-- A foreign key is found through views by the column's name; one that a view reads and does not show counts if the view shows a
-- key of the table that has it.  Whether persons repeat is left to the caller, who knows rows, and values that differ.
CREATE FUNCTION pprepub_internal.person_columns(source oid, key text, OUT name text, OUT target text, OUT persons boolean, OUT shown boolean,
		OUT rows_each int, OUT words text) RETURNS SETOF record
	LANGUAGE SQL STABLE SET search_path = pg_catalog, pg_temp
	AS $$
	WITH RECURSIVE n AS (
		SELECT '(patient|person|people|customer|client|user|member|employee|citizen|student|pupil|resident|participant|policyholder|taxpayer|voter|mrn|ssn)s?' AS persons),
	r AS (
		SELECT person_columns.source AS relation
		UNION SELECT n.relation FROM r CROSS JOIN LATERAL (
			SELECT d.refobjid AS relation
			FROM pg_class v JOIN pg_rewrite w ON w.ev_class = v.oid
				JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
			WHERE v.oid = r.relation AND v.relkind IN ('v', 'm')
			UNION ALL SELECT i.inhrelid FROM pg_inherits i WHERE i.inhparent = r.relation) n),
	f AS (
		SELECT DISTINCT ON (a.attname) a.attname, c.conrelid, c.confrelid::regclass::text AS target, lower(t.relname) ~ format('^%s$', n.persons) AS to_persons
		FROM n CROSS JOIN r JOIN pg_constraint c ON c.conrelid = r.relation AND c.contype = 'f' AND cardinality(c.conkey) = 1 AND c.confrelid <> c.conrelid
			JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1] JOIN pg_class t ON t.oid = c.confrelid
		ORDER BY a.attname, to_persons DESC, c.oid),
	c AS (
		SELECT coalesce(s.attname, f.attname)::text AS name, s.attname IS NOT NULL AS shown, f.target, f.conrelid,
			coalesce(f.to_persons, false) OR lower(coalesce(s.attname, f.attname)) ~ format('^%s(_?(id|no|nr|num|number|key|uuid|fk|ref))?$', n.persons) AS persons
		FROM n CROSS JOIN ((
			SELECT a.attname FROM pg_attribute a
			WHERE a.attrelid = person_columns.source AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid <> 'bool'::regtype) s
			FULL JOIN f ON f.attname = s.attname))
	SELECT c.name, c.target, c.persons, c.shown,
		-- wards and the like have many rows each, persons some
		CASE WHEN c.persons THEN 100 ELSE 10 END,
		format(CASE WHEN c.target IS NULL THEN 'column "%s" is named like a person''s key' ELSE 'column "%s" points to %s' END, c.name, c.target)
	FROM c
	WHERE (c.persons OR c.shown AND c.target IS NOT NULL) AND c.name IS DISTINCT FROM key
		AND NOT EXISTS (SELECT FROM c k WHERE k.name = key AND k.persons)
		AND (c.shown OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.conrelid AND a.attname::text = key AND NOT a.attisdropped))
		AND (c.persons OR NOT EXISTS (
			SELECT FROM n CROSS JOIN r JOIN pg_class t ON t.oid = r.relation JOIN pg_attribute a ON a.attrelid = t.oid
			WHERE lower(t.relname) ~ format('^%s$', n.persons) AND a.attname::text = key))
	ORDER BY c.shown DESC, c.persons DESC, c.target IS NULL, c.name
$$;
COMMENT ON FUNCTION pprepub_internal.person_columns(oid, text) IS 'list columns of a relation that seem to point to persons, the likeliest first';

CREATE FUNCTION pprepub_internal.promise(publication text) RETURNS text
	LANGUAGE C STABLE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_promise';
COMMENT ON FUNCTION pprepub_internal.promise(text) IS 'write the parameters of a publication that promise something';

-- Protection of releases and history

CREATE FUNCTION pprepub_internal.refuse_change() RETURNS trigger
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_refuse_change';
COMMENT ON FUNCTION pprepub_internal.refuse_change() IS 'trigger function that refuses changes of releases and history';

-- Parts of TARGET that hold nothing of their own, so that their owner may change and drop them: views, and the foreign table of
-- live answers.
CREATE FUNCTION pprepub_internal.is_loose(part text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN $1 IN ('view', 'counterfeits_view', 'values_view', 'all_view', 'answers_view', 'live', 'catalog');
COMMENT ON FUNCTION pprepub_internal.is_loose(text) IS 'may the owner of a publication drop what was made for it as this part?';

-- In an event trigger.  A new seal as seal_table() makes it, and a plain index, are not listed where they do no harm.
CREATE FUNCTION pprepub_internal.touched_relations(OUT command_tag text, OUT how text, OUT publication int, OUT is_view boolean, OUT relation oid)
	RETURNS SETOF record LANGUAGE sql STABLE PARALLEL UNSAFE
	BEGIN ATOMIC
	WITH RECURSIVE command AS (SELECT classid, objid, command_tag FROM pg_event_trigger_ddl_commands()),
		kept AS (SELECT relation::oid AS relation, publication, part FROM pprepub_internal.catalog_relation WHERE NOT pprepub_internal.is_loose(part)),
		used_type AS (
			SELECT DISTINCT kept.publication, a.atttypid AS type FROM kept JOIN pg_attribute a ON a.attrelid = kept.relation
				WHERE EXISTS (SELECT FROM command WHERE command_tag LIKE 'ALTER %' AND classid IN ('pg_type'::regclass, 'pg_class'::regclass))
					AND a.attnum > 0 AND a.atttypid >= 16384
			UNION SELECT u.publication, n.type FROM used_type u JOIN pg_type t ON t.oid = u.type CROSS JOIN LATERAL (
				SELECT t.typelem AS type UNION ALL SELECT t.typbasetype
				UNION ALL SELECT g.rngsubtype FROM pg_range g WHERE g.rngtypid = t.oid
				UNION ALL SELECT a.atttypid FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0) n WHERE n.type >= 16384)
		SELECT c.command_tag, 'itself' AS how, k.publication, c.command_tag = 'CREATE VIEW' AS is_view, k.relation FROM command c JOIN kept k ON k.relation = c.objid
			WHERE c.classid = 'pg_class'::regclass
		UNION ALL SELECT c.command_tag, 'itself', k.publication, false, NULL
			FROM command c JOIN pg_type t ON t.oid = c.objid JOIN kept k ON k.relation = t.typrelid
			WHERE c.classid = 'pg_type'::regclass AND k.part IN ('sensitive_tuple', 'sensitive_rows')
		UNION ALL SELECT c.command_tag, 'policy', k.publication, false, NULL
			FROM command c JOIN pg_policy p ON p.oid = c.objid JOIN kept k ON k.relation = p.polrelid
			WHERE c.classid = 'pg_policy'::regclass
		UNION ALL SELECT c.command_tag, CASE WHEN t.tgname = 'pprepub_seal' THEN 'seal' ELSE 'trigger' END, k.publication, false, NULL
			FROM command c JOIN pg_trigger t ON t.oid = c.objid JOIN kept k ON k.relation = t.tgrelid
			WHERE c.classid = 'pg_trigger'::regclass AND (c.command_tag <> 'CREATE TRIGGER' OR t.tgname = 'pprepub_seal')
		UNION ALL SELECT c.command_tag, 'broken seal', k.publication, false, NULL
			FROM command c JOIN pg_trigger t ON t.oid = c.objid JOIN kept k ON k.relation = t.tgrelid
			WHERE c.classid = 'pg_trigger'::regclass AND t.tgname = 'pprepub_seal'
				AND (t.tgfoid <> 'pprepub_internal.refuse_change()'::regprocedure OR t.tgtype <> 62 OR t.tgqual IS NOT NULL OR t.tgattr <> '')
		UNION ALL SELECT c.command_tag, 'rule', k.publication, false, NULL
			FROM command c JOIN pg_rewrite w ON w.oid = c.objid JOIN kept k ON k.relation = w.ev_class
			WHERE c.classid = 'pg_rewrite'::regclass
		UNION ALL SELECT c.command_tag, 'index', k.publication, false, NULL
			FROM command c JOIN pg_index i ON c.objid IN (i.indexrelid, i.indrelid) JOIN kept k ON k.relation = i.indrelid
			WHERE c.classid = 'pg_class'::regclass AND k.part <> 'release'
				AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL OR EXISTS (
					SELECT FROM unnest(i.indclass::oid[]) o WHERE o >= 16384))
		UNION ALL SELECT c.command_tag, 'schema', p.publication, false, NULL
			FROM command c JOIN pg_namespace n ON n.oid = c.objid JOIN kept k
				ON k.relation IN (SELECT oid FROM pg_class WHERE relnamespace = n.oid)
			JOIN pprepub_internal.catalog_publication p USING (publication) WHERE c.classid = 'pg_namespace'::regclass
		UNION ALL SELECT c.command_tag, 'type', u.publication, false, NULL FROM command c JOIN used_type u JOIN pg_type t ON t.oid = u.type
			ON c.classid = 'pg_type'::regclass AND c.objid = t.oid OR c.classid = 'pg_class'::regclass AND c.objid = t.typrelid
		UNION ALL SELECT 'ALTER TABLE', 'inheritance', k.publication, false, NULL
			FROM pg_inherits i JOIN kept k ON k.relation IN (i.inhrelid, i.inhparent);
	END;
COMMENT ON FUNCTION pprepub_internal.touched_relations() IS 'publications whose relations a command has touched, and in which way';

CREATE FUNCTION pprepub_internal.protect() RETURNS event_trigger
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_protect';
COMMENT ON FUNCTION pprepub_internal.protect() IS 'event trigger function that refuses DDL on releases and history';

CREATE EVENT TRIGGER pprepub_protect_views ON ddl_command_start WHEN TAG IN ('CREATE VIEW')
	EXECUTE FUNCTION pprepub_internal.protect();
CREATE EVENT TRIGGER pprepub_protect_commands ON ddl_command_end EXECUTE FUNCTION pprepub_internal.protect();
CREATE EVENT TRIGGER pprepub_protect_rewrites ON table_rewrite EXECUTE FUNCTION pprepub_internal.protect();
CREATE EVENT TRIGGER pprepub_protect_drops ON sql_drop EXECUTE FUNCTION pprepub_internal.protect();

-- Fired also in a session whose session_replication_role is replica.
ALTER EVENT TRIGGER pprepub_protect_views ENABLE ALWAYS;
ALTER EVENT TRIGGER pprepub_protect_commands ENABLE ALWAYS;
ALTER EVENT TRIGGER pprepub_protect_rewrites ENABLE ALWAYS;
ALTER EVENT TRIGGER pprepub_protect_drops ENABLE ALWAYS;

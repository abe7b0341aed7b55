-- ----------------------------------------------------------------
-- declare/: taxonomies, publications and their parameters
-- ----------------------------------------------------------------

-- Catalog tables.  Only the extension reads and writes them; other roles see
-- them through the views that stand beside them.  There are no foreign keys:
-- the extension's C code is the only writer, and a restore then needs no order.

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
	pinned regclass NOT NULL,
	method text NOT NULL,
	params jsonb NOT NULL,
	target name NOT NULL,
	beside int[] NOT NULL,
	releases int NOT NULL DEFAULT 0,
	remembered bigint NOT NULL DEFAULT 0,
	witness jsonb
) WITH (fillfactor = 30);	-- each release updates its publication's row
CREATE SEQUENCE pprepub_internal.catalog_publication_number AS int OWNED BY pprepub_internal.catalog_publication.publication;
ALTER TABLE pprepub_internal.catalog_publication
	ALTER COLUMN publication SET DEFAULT pg_catalog.nextval('pprepub_internal.catalog_publication_number');
COMMENT ON TABLE pprepub_internal.catalog_publication IS
	'publications as declared; witness tells where and when the last release was made, remembered how many rows the history must have';

-- Computed, since a source's OID cannot be kept: a restore makes some materialized views only after the catalog's rows.
CREATE VIEW pprepub_internal.catalog_source AS
	SELECT DISTINCT p.publication, d.refobjid::pg_catalog.regclass AS source
	FROM pprepub_internal.catalog_publication p
		JOIN pg_catalog.pg_rewrite w ON w.ev_class = p.pinned::pg_catalog.oid
		JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = w.oid
			AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid <> w.ev_class;
COMMENT ON VIEW pprepub_internal.catalog_source IS 'source of each publication, as its pinned view reads it';

CREATE TABLE pprepub_internal.catalog_column (
	publication int,
	position int,
	name name NOT NULL,
	role text NOT NULL,
	kind text,
	taxonomy text,
	tree int,
	PRIMARY KEY (publication, position)
);
COMMENT ON TABLE pprepub_internal.catalog_column IS
	'declared columns of publications, in the order of the pinned view; tree is the publication''s own copy of its taxonomy';

CREATE TABLE pprepub_internal.catalog_relation (
	relation regclass PRIMARY KEY,
	publication int NOT NULL,
	part text NOT NULL,
	format smallint NOT NULL		-- of its rows: see docs/explanation/formats.md
);
COMMENT ON TABLE pprepub_internal.catalog_relation IS
	'relations made for publications, which are protected and dropped with them';

CREATE VIEW pprepub_internal.catalog_lookup AS
	SELECT DISTINCT r.publication, d.refobjid::pg_catalog.regclass AS lookup
	FROM pprepub_internal.catalog_relation r
		JOIN pg_catalog.pg_rewrite w ON w.ev_class = r.relation::pg_catalog.oid
		JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = w.oid
			AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid <> w.ev_class
	WHERE r.part = 'lookups';
COMMENT ON VIEW pprepub_internal.catalog_lookup IS 'tables without people of each publication, as its view of them names them';
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
	relation regclass,
	cohort text,
	columns name[],
	rows bigint NOT NULL,
	classes bigint NOT NULL,
	suppressed bigint NOT NULL,
	dirty bigint NOT NULL,
	counterfeits bigint NOT NULL,
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

-- Taxonomies

-- Of the database's collation, so that a query can compare them with a live table's columns.
CREATE VIEW pprepub.taxonomy_node WITH (security_barrier) AS
	SELECT t.name COLLATE "default" AS taxonomy, n.node COLLATE "default" AS node, n.parent COLLATE "default" AS parent, n.depth, n.leaves
	FROM pprepub_internal.catalog_taxonomy t JOIN pprepub_internal.catalog_tree_node n USING (tree);
COMMENT ON VIEW pprepub.taxonomy_node IS 'nodes of all taxonomies';

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

CREATE FUNCTION pprepub.create_publication(publication text, source regclass, key name,
		quasi_identifiers jsonb, sensitive text, method text DEFAULT 'bpg', params jsonb DEFAULT '{}',
		insensitive name[] DEFAULT '{}', target name DEFAULT 'published', beside name[] DEFAULT '{}', lookup regclass[] DEFAULT '{}') RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_create_publication';
COMMENT ON FUNCTION pprepub.create_publication(text, regclass, name, jsonb, text, text, jsonb, name[], name, name[], regclass[]) IS
	'declare how a table or view is published: its key, the roles of its columns, and a method with parameters';

CREATE FUNCTION pprepub.alter_publication(publication text, params jsonb) RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_alter_publication';
COMMENT ON FUNCTION pprepub.alter_publication(text, jsonb) IS
	'change parameters of a publication, adopt extended taxonomies, and let a new owner of the source take over';

CREATE FUNCTION pprepub.drop_publication(publication text, forget_history boolean DEFAULT false, keep_releases boolean DEFAULT false)
	RETURNS void
	LANGUAGE C VOLATILE PARALLEL UNSAFE AS 'MODULE_PATHNAME', 'pprepub_drop_publication';
COMMENT ON FUNCTION pprepub.drop_publication(text, boolean, boolean) IS
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
		ARRAY(SELECT l.lookup FROM pprepub_internal.catalog_lookup l WHERE l.publication = p.publication ORDER BY l.lookup::pg_catalog.text) AS lookup
	FROM pprepub_internal.catalog_publication p JOIN pprepub_internal.catalog_reader a USING (publication) LEFT JOIN pprepub_internal.catalog_source s USING (publication);
COMMENT ON VIEW pprepub.publication IS 'publications that you own or may audit, as they are declared now';

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

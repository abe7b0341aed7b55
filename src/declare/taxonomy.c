/*
 * taxonomy.c
 *		create_taxonomy(), extend_taxonomy(), drop_taxonomy().
 *
 * NOTES
 *		A tree, once stored, never changes: a taxonomy is a name that points at
 *		one.  Extending makes a new tree and moves the name, so publications
 *		and releases go on pointing at the tree of their day.  A tree that
 *		nothing points at any more is deleted.
 *
 *		A levels table is read with its owner's rights.  The caller must own it:
 *		its contents become readable by all roles.
 */
#include "declare/taxonomy.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#define FETCH_ROWS		1000

PG_FUNCTION_INFO_V1(pprepub_create_taxonomy);
PG_FUNCTION_INFO_V1(pprepub_extend_taxonomy);
PG_FUNCTION_INFO_V1(pprepub_drop_taxonomy);

/* ----------------------------------------------------------------
 * Reading levels
 * ----------------------------------------------------------------
 */

/* The query for all columns of a levels table, leaf first. */
static char *
levels_query(Oid source)
{
	Relation	relation = table_open(source, AccessShareLock);
	TupleDesc	columns = RelationGetDescr(relation);
	StringInfoData sql;
	int			ncolumns = 0;

	initStringInfo(&sql);
	for (int i = 0; i < columns->natts; i++)
	{
		if (TupleDescAttr(columns, i)->attisdropped)
			continue;
		/* A node's name is the text that its value prints; char(n) without its padding. */
		appendStringInfo(&sql, "%s%s%s", ncolumns++ == 0 ? "SELECT " : ", ",
						 quote_identifier(NameStr(TupleDescAttr(columns, i)->attname)),
						 getBaseType(TupleDescAttr(columns, i)->atttypid) == BPCHAROID
						 ? "::pg_catalog.text" : "");
	}
	if (ncolumns == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("relation \"%s\" has no columns", get_rel_name(source))));
	appendStringInfo(&sql, " FROM %s", quoted_relation(source));
	table_close(relation, NoLock);
	return sql.data;
}

void
add_rows_of(TreeBuilder *builder, const char *sql, MemoryContext context)
{
	SPIPlanPtr	plan = SPI_prepare(sql, 0, NULL);
	Portal		portal;

	if (plan == NULL)
		elog(ERROR, "could not prepare \"%s\"", sql);
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	for (;;)
	{
		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		if (SPI_processed == 0)
			break;
		for (uint64 row = 0; row < SPI_processed; row++)
		{
			char	   *values[MAX_LEVELS] = {NULL};
			int			nvalues = SPI_tuptable->tupdesc->natts;
			MemoryContext old;

			CHECK_FOR_INTERRUPTS();
			Assert(nvalues <= MAX_LEVELS);
			old = MemoryContextSwitchTo(SPI_tuptable->tuptabcxt);
			for (int i = 0; i < nvalues; i++)
				values[i] = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, i + 1);
			MemoryContextSwitchTo(context);
			builder_add_row(builder, values, nvalues);
			MemoryContextSwitchTo(old);
		}
		SPI_freetuptable(SPI_tuptable);
	}
	SPI_cursor_close(portal);
	SPI_freeplan(plan);
}

/* Refuses a source that the user does not own, since any user may read the taxonomy made of it. */
static void
verify_levels_source(Oid source)
{
	verify_source_kind(source);
	if (!has_rights_of(relation_owner(source)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of relation \"%s\"", get_rel_name(source)),
				 errdetail("Everybody can read the values of a taxonomy.")));
}

/* Feeds the rows of a levels table, read as its owner, to the builder. */
static void
add_levels(TreeBuilder *builder, Oid source)
{
	MemoryContext context = CurrentMemoryContext;
	Identity	caller;

	verify_levels_source(source);
	act_as(&caller, relation_owner(source));
	SPI_connect();
	add_rows_of(builder, levels_query(source), context);
	SPI_finish();
	act_as_before(&caller);
	MemoryContextSwitchTo(context);
}

/* ----------------------------------------------------------------
 * Storing trees, and the names that point at them
 * ----------------------------------------------------------------
 */

static Datum
make_array(Datum *values, bool *nulls, uint32 n, Oid type, int16 length, bool byval, char align)
{
	int			dims[] = {n};
	int			bounds[] = {1};

	return PointerGetDatum(construct_md_array(values, nulls, 1, dims, bounds,
											  type, length, byval, align));
}

/* Inside catalog_enter(): stores the finished tree and returns its number. */
static int32
store_tree(const TreeBuilder *builder, ArrayType *ladder)
{
	Size		n = builder->nnodes;
	Datum	   *names = palloc_extended(sizeof(Datum) * n, MCXT_ALLOC_HUGE);
	Datum	   *parents = palloc_extended(sizeof(Datum) * n, MCXT_ALLOC_HUGE);
	bool	   *orphan = palloc_extended(sizeof(bool) * n, MCXT_ALLOC_HUGE);
	Datum	   *depths = palloc_extended(sizeof(Datum) * n, MCXT_ALLOC_HUGE);
	Datum	   *firsts = palloc_extended(sizeof(Datum) * n, MCXT_ALLOC_HUGE);
	Datum	   *leaves = palloc_extended(sizeof(Datum) * n, MCXT_ALLOC_HUGE);
	int32		tree;

	for (uint32 i = 0; i < n; i++)
	{
		const TaxonomyNode *node = &builder->nodes[i];

		names[i] = CStringGetTextDatum(node->name);
		orphan[i] = node->parent == NO_NODE;
		parents[i] = orphan[i] ? (Datum) 0 :
			CStringGetTextDatum(builder->nodes[node->parent].name);
		depths[i] = Int32GetDatum(node->depth);
		firsts[i] = Int64GetDatum(node->first_leaf);
		leaves[i] = Int64GetDatum(node->leaves);
	}
	catalog_execute("INSERT INTO pprepub_internal.catalog_tree (ladder) VALUES ($1) RETURNING tree",
					ladder != NULL ? CATALOG_PARAM(NUMERICARRAYOID, PointerGetDatum(ladder))
					: CATALOG_NULL(NUMERICARRAYOID));
	tree = catalog_int(0, "tree");
	catalog_execute("INSERT INTO pprepub_internal.catalog_tree_node (tree, node, parent, depth, first_leaf, leaves)"
					" SELECT $1, * FROM unnest($2, $3, $4, $5, $6)",
					CATALOG_PARAM(INT4OID, Int32GetDatum(tree)),
					CATALOG_PARAM(TEXTARRAYOID, make_array(names, NULL, n, TEXTOID, -1, false, TYPALIGN_INT)),
					CATALOG_PARAM(TEXTARRAYOID, make_array(parents, orphan, n, TEXTOID, -1, false, TYPALIGN_INT)),
					CATALOG_PARAM(INT4ARRAYOID, make_array(depths, NULL, n, INT4OID, 4, true, TYPALIGN_INT)),
					CATALOG_PARAM(INT8ARRAYOID, make_array(firsts, NULL, n, INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)),
					CATALOG_PARAM(INT8ARRAYOID, make_array(leaves, NULL, n, INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)));
	return tree;
}

static void
refuse_unknown(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("taxonomy \"%s\" does not exist", name),
			 errhint("Create it with pprepub.create_taxonomy(), or see pprepub.taxonomy_node for those that exist.")));
}

/*
 * Locks the taxonomy's row: an extension or a drop waits, and then sees which
 * publications use the tree.
 */
int32
find_taxonomy(const char *name)
{
	catalog_read("SELECT tree FROM pprepub_internal.catalog_taxonomy WHERE name = $1 FOR SHARE",
				 CATALOG_TEXT(name));
	if (SPI_processed == 0)
		refuse_unknown(name);
	return catalog_int(0, "tree");
}

/* The tree of a taxonomy that the caller owns, locked against others who would change it. */
static int32
own_taxonomy(CatalogAccess *access, const char *name)
{
	Oid			owner;
	bool		may;

	catalog_read("SELECT tree, owner::oid AS owner FROM pprepub_internal.catalog_taxonomy WHERE name = $1 FOR UPDATE",
				 CATALOG_TEXT(name));
	if (SPI_processed == 0)
		refuse_unknown(name);
	owner = catalog_oid(0, "owner");
	may = has_privs_of_role(access->caller.userid, owner);
	if (!may)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of taxonomy \"%s\"", name)));
	return catalog_int(0, "tree");
}

int32
present_tree(const char *taxonomy)
{
	CatalogAccess access;
	int32		tree;

	catalog_enter(&access);
	if (catalog_read("SELECT tree FROM pprepub_internal.catalog_taxonomy WHERE name = $1", CATALOG_TEXT(taxonomy)) == 0)
		refuse_unknown(taxonomy);
	tree = catalog_int(0, "tree");
	catalog_leave(&access);
	return tree;
}

bool
node_leaves(int32 tree, const char *node, int64 *first, int64 *leaves)
{
	CatalogAccess access;
	bool		is_known;
	bool		isnull;

	catalog_enter(&access);
	is_known = catalog_read("SELECT first_leaf, leaves FROM pprepub_internal.catalog_tree_node WHERE tree = $1 AND node = $2",
							CATALOG_PARAM(INT4OID, Int32GetDatum(tree)), CATALOG_TEXT(node)) > 0;
	if (is_known)
	{
		*first = DatumGetInt64(catalog_field(0, "first_leaf", &isnull));
		*leaves = DatumGetInt64(catalog_field(0, "leaves", &isnull));
	}
	catalog_leave(&access);
	return is_known;
}

char *
tree_root(int32 tree)
{
	CatalogAccess access;
	char	   *name;

	catalog_enter(&access);
	catalog_read("SELECT node FROM pprepub_internal.catalog_tree_node WHERE tree = $1 AND parent IS NULL",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(tree)));
	name = catalog_text(&access, 0, "node");
	catalog_leave(&access);
	return name;
}

bool
tree_is_ladder(int32 tree)
{
	CatalogAccess access;
	bool		is_ladder;

	catalog_enter(&access);
	is_ladder = catalog_read("SELECT FROM pprepub_internal.catalog_tree WHERE tree = $1 AND ladder IS NOT NULL",
							 CATALOG_PARAM(INT4OID, Int32GetDatum(tree))) > 0;
	catalog_leave(&access);
	return is_ladder;
}

/*
 * Under an old snapshot nothing is deleted, since it does not show the trees
 * that others use now; a later call deletes what this one leaves.
 */
void
forget_unused_trees(void)
{
	if (IsolationUsesXactSnapshot())
		return;
	catalog_execute("WITH gone AS ("
					" DELETE FROM pprepub_internal.catalog_tree t"
					" WHERE NOT EXISTS (SELECT FROM pprepub_internal.catalog_taxonomy x WHERE x.tree = t.tree)"
					" AND NOT EXISTS (SELECT FROM pprepub_internal.catalog_column c WHERE c.tree = t.tree)"
					" AND NOT EXISTS (SELECT FROM pprepub_internal.catalog_release r WHERE t.tree = ANY (r.trees))"
					" RETURNING t.tree)"
					" DELETE FROM pprepub_internal.catalog_tree_node n USING gone WHERE n.tree = gone.tree");
}

void
store_taxonomy(const TreeBuilder *builder, ArrayType *ladder)
{
	CatalogAccess access;

	catalog_enter(&access);
	catalog_read("SELECT 1 FROM pprepub_internal.catalog_taxonomy WHERE name = $1",
				 CATALOG_TEXT(builder->taxonomy));
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("taxonomy \"%s\" already exists", builder->taxonomy),
				 errhint("Add leaves with pprepub.extend_taxonomy(), or choose another name.")));
	catalog_execute("INSERT INTO pprepub_internal.catalog_taxonomy (name, owner, tree) VALUES ($1, $2, $3)",
					CATALOG_TEXT(builder->taxonomy),
					CATALOG_PARAM(REGROLEOID, ObjectIdGetDatum(access.caller.userid)),
					CATALOG_PARAM(INT4OID, Int32GetDatum(store_tree(builder, ladder))));
	catalog_leave(&access);
}

/* Adds the nodes of a stored tree to a builder: an extension keeps them all. */
static void
add_stored_tree(TreeBuilder *builder, int32 tree, MemoryContext context)
{
	MemoryContext old;

	catalog_read("SELECT node, parent, leaves = 1 AND NOT EXISTS (SELECT FROM pprepub_internal.catalog_tree_node c"
				 " WHERE c.tree = n.tree AND c.parent = n.node) AS leaf"
				 " FROM pprepub_internal.catalog_tree_node n WHERE tree = $1 ORDER BY depth",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(tree)));
	old = MemoryContextSwitchTo(context);
	for (uint64 row = 0; row < SPI_processed; row++)
	{
		char	   *name = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1);
		char	   *parent = SPI_getvalue(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 2);
		bool		isnull;
		bool		leaf = DatumGetBool(catalog_field(row, "leaf", &isnull));
		uint32		node = builder_node(builder, name, leaf ? STANDING_LEAF : STANDING_INNER);

		builder->nodes[node].is_old = true;
		if (parent == NULL)
			builder->root = node;
		else
			builder_link(builder, node, builder_node(builder, parent, STANDING_INNER));
	}
	MemoryContextSwitchTo(old);
}

char *
taxonomy_argument(FunctionCallInfo fcinfo, int n)
{
	char	   *name = text_argument(fcinfo, n, "the name of a taxonomy");

	if (name[0] == '\0' || strlen(name) >= NAMEDATALEN)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("the name of a taxonomy must have 1 to %d bytes", NAMEDATALEN - 1)));
	return name;
}

static Oid
source_argument(FunctionCallInfo fcinfo, int n)
{
	verify_not_null(fcinfo, n, "the source of a taxonomy");
	return PG_GETARG_OID(n);
}

Datum
pprepub_create_taxonomy(PG_FUNCTION_ARGS)
{
	TreeBuilder *builder = builder_create(taxonomy_argument(fcinfo, 0), false);

	verify_may_change("create_taxonomy()");
	add_levels(builder, source_argument(fcinfo, 1));
	builder_finish(builder);
	store_taxonomy(builder, NULL);
	PG_RETURN_VOID();
}

Datum
pprepub_extend_taxonomy(PG_FUNCTION_ARGS)
{
	char	   *name = taxonomy_argument(fcinfo, 0);
	Oid			source = source_argument(fcinfo, 1);
	TreeBuilder *builder = builder_create(name, false);
	CatalogAccess access;
	int32		tree;
	bool		isnull;

	verify_may_change("extend_taxonomy()");
	catalog_enter(&access);
	tree = own_taxonomy(&access, name);
	catalog_read("SELECT ladder FROM pprepub_internal.catalog_tree WHERE tree = $1",
				 CATALOG_PARAM(INT4OID, Int32GetDatum(tree)));
	(void) catalog_field(0, "ladder", &isnull);
	if (!isnull)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("taxonomy \"%s\" is a ladder of intervals and cannot be extended", name),
				 errhint("Create another one with pprepub.create_range_taxonomy().")));
	add_stored_tree(builder, tree, access.context);
	catalog_leave(&access);

	add_levels(builder, source);
	builder_finish(builder);

	catalog_enter(&access);
	catalog_execute("UPDATE pprepub_internal.catalog_taxonomy SET tree = $2 WHERE name = $1",
					CATALOG_TEXT(name),
					CATALOG_PARAM(INT4OID, Int32GetDatum(store_tree(builder, NULL))));
	forget_unused_trees();
	catalog_leave(&access);
	PG_RETURN_VOID();
}

Datum
pprepub_drop_taxonomy(PG_FUNCTION_ARGS)
{
	char	   *name = taxonomy_argument(fcinfo, 0);
	CatalogAccess access;

	verify_may_change("drop_taxonomy()");
	catalog_enter(&access);
	(void) own_taxonomy(&access, name);
	catalog_execute("DELETE FROM pprepub_internal.catalog_taxonomy WHERE name = $1", CATALOG_TEXT(name));
	forget_unused_trees();
	catalog_leave(&access);
	PG_RETURN_VOID();
}

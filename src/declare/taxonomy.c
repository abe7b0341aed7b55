/*
 * taxonomy.c
 *		create_taxonomy(), extend_taxonomy(), create_range_taxonomy(), drop_taxonomy().
 *
 * A tree, once stored, never changes: a taxonomy is a name that points at one.  Extending makes a new tree and moves the
 * name, so publications and releases go on pointing at the tree of their day.  A tree that nothing points at any more is
 * deleted.
 *
 * A levels table is read with its owner's rights.  The caller must own it: its contents become readable by all roles.
 */
#include "declare/taxonomy.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "declare/string_map.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rel.h"

/* ----------------------------------------------------------------
 * A tree under construction, from rows of leaf, parent, …, root
 * ----------------------------------------------------------------
 */

#define MAX_NODES	1048576		/* of a tree */
#define MAX_LEVELS	1600		/* columns of a row */
#define NO_NODE		PG_UINT32_MAX

/* The part of a node in the rows read so far: one that is both is an error. */
typedef enum Standing
{
	STANDING_LEAF,
	STANDING_INNER
} Standing;

typedef struct TaxonomyNode
{
	char	   *name;
	uint32		parent;			/* NO_NODE for the root */
	uint32		depth;
	Standing	standing;
	bool		is_old;			/* was there before the extension */

	/* Set when the tree is complete */
	uint32		first_child;
	uint32		next_sibling;
	int64		first_leaf;
	int64		leaves;
} TaxonomyNode;

typedef struct TreeBuilder
{
	const char *taxonomy;
	bool		keep_order;		/* children in order of appearance, not name */
	TaxonomyNode *nodes;
	uint32		nnodes;
	uint32		capacity;
	uint32		root;
	string_map_hash *by_name;
} TreeBuilder;

#define MAX_NAME_BYTES	1024

/* With keep_order, leaves are numbered in order of appearance, else by the names of siblings. */
static TreeBuilder *
builder_create(const char *taxonomy, bool keep_order)
{
	TreeBuilder *builder = palloc0(sizeof(TreeBuilder));

	builder->taxonomy = taxonomy;
	builder->keep_order = keep_order;
	builder->capacity = 64;
	builder->nodes = palloc(sizeof(TaxonomyNode) * builder->capacity);
	builder->root = NO_NODE;
	builder->by_name = string_map_create(CurrentMemoryContext, 64, NULL);
	return builder;
}

/* Finds or makes a node. */
static uint32
builder_node(TreeBuilder *builder, const char *name, Standing standing)
{
	bool		found;
	StringMapEntry *entry = string_map_insert(builder->by_name, name, &found);
	TaxonomyNode *node;

	if (found)
	{
		node = &builder->nodes[entry->number];
		if (node->standing != standing)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
					 errmsg("node \"%s\" of taxonomy \"%s\" is a leaf in one row and has children in another",
							name, builder->taxonomy),
					 errhint("A leaf of a ragged tree repeats its name on the levels that it skips.")));
		return entry->number;
	}
	if (strlen(name) > MAX_NAME_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("node \"%.*s…\" of taxonomy \"%s\" is longer than %d bytes",
						pg_mbcliplen(name, strlen(name), 40), name, builder->taxonomy, MAX_NAME_BYTES),
				 errhint("Give it a shorter name.")));
	if (builder->nnodes >= MAX_NODES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("taxonomy \"%s\" has more than %d nodes, \"%s\" being one too many",
						builder->taxonomy, MAX_NODES, name),
				 errhint("Leave out the leaves that do not occur, or generalize the column in a view first.")));
	if (builder->nnodes == builder->capacity)
	{
		builder->capacity *= 2;
		builder->nodes = repalloc_huge(builder->nodes, sizeof(TaxonomyNode) * (Size) builder->capacity);
	}
	node = &builder->nodes[builder->nnodes];
	memset(node, 0, sizeof(TaxonomyNode));
	node->name = pstrdup(name);
	node->parent = NO_NODE;
	node->standing = standing;
	entry->key = node->name;
	entry->number = builder->nnodes;
	return builder->nnodes++;
}

/* Hangs a node below its parent. */
static void
builder_link(TreeBuilder *builder, uint32 child, uint32 parent)
{
	TaxonomyNode *node = &builder->nodes[child];

	if (child == builder->root)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("node \"%s\" of taxonomy \"%s\" is the root in one row and has a parent in another",
						node->name, builder->taxonomy)));
	if (node->parent != NO_NODE && node->parent != parent)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("node \"%s\" of taxonomy \"%s\" has two parents, \"%s\" and \"%s\"",
						node->name, builder->taxonomy,
						builder->nodes[node->parent].name, builder->nodes[parent].name)));
	if (node->name[0] != '\0' && node->name[strspn(node->name, "*")] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("node \"%s\" of taxonomy \"%s\" is not the root", node->name, builder->taxonomy),
				 errhint("A cell of nothing but stars reads as withheld. Give the node another name.")));
	node->parent = parent;
}

/* Notes the last node of a row, which must be the same root in every row. */
static void
builder_set_root(TreeBuilder *builder, uint32 root)
{
	TaxonomyNode *node = &builder->nodes[root];

	if (node->parent != NO_NODE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("node \"%s\" of taxonomy \"%s\" is the root in one row and has a parent in another",
						node->name, builder->taxonomy)));
	if (builder->root != NO_NODE && builder->root != root)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("taxonomy \"%s\" has two roots, \"%s\" and \"%s\"",
						builder->taxonomy, builder->nodes[builder->root].name, node->name),
				 errhint("The last column must hold the same value in every row.")));
	builder->root = root;
}

/* Raises an error about a NULL in the row, or a node that stands on two separate levels of it. */
static void
verify_row(const TreeBuilder *builder, char *const *values, int nvalues)
{
	for (int i = 0; i < nvalues; i++)
		if (values[i] == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("a row of taxonomy \"%s\" has a NULL in column %d",
							builder->taxonomy, i + 1),
					 i > 0 && values[0] != NULL
					 ? errdetail("It is the row of leaf \"%s\".", values[0])
					 : values[nvalues - 1] != NULL
					 ? errdetail("It is a row of root \"%s\".", values[nvalues - 1]) : 0,
					 errhint("NULLs in the data need no node: NULL is a value of its own.")));
	for (int i = 2; i < nvalues; i++)
		for (int j = 0; j < i - 1; j++)
			if (strcmp(values[i], values[j]) == 0 && strcmp(values[i], values[i - 1]) != 0)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
						 errmsg("node \"%s\" of taxonomy \"%s\" stands on two levels of a row with another node between",
								values[i], builder->taxonomy)));
}

/* Adds a row: leaf, its parent, …, the root; a value repeated on consecutive levels is one node. */
static void
builder_add_row(TreeBuilder *builder, char *const *values, int nvalues)
{
	uint32		child;

	verify_row(builder, values, nvalues);
	child = builder_node(builder, values[0], STANDING_LEAF);
	for (int i = 1; i < nvalues; i++)
	{
		uint32		parent;

		if (strcmp(values[i], values[i - 1]) == 0)
			continue;
		parent = builder_node(builder, values[i], STANDING_INNER);
		builder_link(builder, child, parent);
		child = parent;
	}
	builder_set_root(builder, child);
}

static int
compare_by_name(const void *a, const void *b, void *nodes)
{
	return strcmp(((TaxonomyNode *) nodes)[*(const uint32 *) a].name,
				  ((TaxonomyNode *) nodes)[*(const uint32 *) b].name);
}

/* Links the children of each node in the order in which their leaves are numbered. */
static void
link_children(TreeBuilder *builder)
{
	uint32	   *order = palloc_extended(sizeof(uint32) * (Size) builder->nnodes, MCXT_ALLOC_HUGE);

	for (uint32 i = 0; i < builder->nnodes; i++)
	{
		order[i] = i;
		builder->nodes[i].first_child = NO_NODE;
		builder->nodes[i].next_sibling = NO_NODE;
	}
	if (!builder->keep_order)
		qsort_arg(order, builder->nnodes, sizeof(uint32), compare_by_name, builder->nodes);
	for (uint32 i = builder->nnodes; i-- > 0;)	/* backwards: each is put in front of its later siblings */
	{
		TaxonomyNode *node = &builder->nodes[order[i]];

		if (node->parent == NO_NODE)
			continue;
		node->next_sibling = builder->nodes[node->parent].first_child;
		builder->nodes[node->parent].first_child = order[i];
	}
	pfree(order);
}

/* Walks the tree depth-first without recursion and numbers the leaves; an error if it is empty. */
static void
builder_finish(TreeBuilder *builder)
{
	int64		next_leaf = 0;
	uint32		at = builder->root;

	if (builder->nnodes == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NO_DATA_FOUND),
				 errmsg("taxonomy \"%s\" would be empty", builder->taxonomy),
				 errhint("Its table needs a row for each leaf: the leaf, its parent, and so on up to the root.")));
	link_children(builder);
	builder->nodes[at].depth = 0;
	for (;;)
	{
		TaxonomyNode *node = &builder->nodes[at];

		node->first_leaf = next_leaf;
		if (node->first_child != NO_NODE)
		{
			builder->nodes[node->first_child].depth = node->depth + 1;
			at = node->first_child;
			continue;
		}
		next_leaf++;
		node->leaves = 1;
		/* Climb until a sibling is left to visit. */
		while (at != builder->root && builder->nodes[at].next_sibling == NO_NODE)
		{
			at = builder->nodes[at].parent;
			builder->nodes[at].leaves = next_leaf - builder->nodes[at].first_leaf;
		}
		if (at == builder->root)
			break;
		builder->nodes[builder->nodes[at].next_sibling].depth = builder->nodes[at].depth;
		at = builder->nodes[at].next_sibling;
	}
}

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

/* Inside SPI: feeds the rows of a query to the builder, a batch at a time. */
static void
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

/* Locks the taxonomy's row: an extension or a drop waits, and then sees which publications use the tree. */
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
 * Under an old snapshot nothing is deleted, since it does not show the trees that others use now; a later call deletes
 * what this one leaves.
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

/* Stores a finished tree under the builder's name, for the caller; ladder is NULL but for ladders. */
static void
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

/* A function's argument that names a taxonomy. */
static char *
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

/* ----------------------------------------------------------------
 * Ladders: trees of nested intervals over a number
 * ----------------------------------------------------------------
 */

PG_FUNCTION_INFO_V1(pprepub_create_range_taxonomy);

#define MAX_DIGITS 500			/* of a number, with its sign and point: the name of a node has two */

static Numeric
numeric_op(PGFunction function, Numeric a, Numeric b)
{
	return DatumGetNumeric(DirectFunctionCall2(function, NumericGetDatum(a), NumericGetDatum(b)));
}

static bool
numeric_test(PGFunction function, Numeric a, Numeric b)
{
	return DatumGetBool(DirectFunctionCall2(function, NumericGetDatum(a), NumericGetDatum(b)));
}

static char *
numeric_text(Numeric n)
{
	return DatumGetCString(DirectFunctionCall1(numeric_out,
											   DirectFunctionCall1(numeric_trim_scale,
																   NumericGetDatum(n))));
}

static bool
numeric_is_finite(Numeric n)
{
	return !numeric_is_nan(n) && !numeric_is_inf(n);
}

/* Refuses a number with too many digits before anything is computed with it: that takes minutes with the longest numbers. */
static void
verify_digits(const char *name, Numeric n)
{
	if (strlen(numeric_text(n)) > MAX_DIGITS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a number of taxonomy \"%s\" has more than %d digits", name, MAX_DIGITS),
				 errhint("Round its ends and widths.")));
}

/* Raises an error unless the ends are finite and the widths form a ladder that is not too large. */
static void
verify_ladder(const char *name, Numeric low, Numeric high, Datum *widths, bool *nulls, int nwidths)
{
	Numeric		zero = int64_to_numeric(0);

	verify_digits(name, low);
	verify_digits(name, high);
	if (!numeric_is_finite(low) || !numeric_is_finite(high) || !numeric_test(numeric_lt, low, high))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("taxonomy \"%s\" needs a finite low end below a finite high end", name)));
	if (nwidths == 0 || nwidths >= MAX_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("taxonomy \"%s\" needs 1 to %d widths", name, MAX_LEVELS - 1)));
	for (int i = 0; i < nwidths; i++)
	{
		Numeric		width = nulls[i] ? NULL : DatumGetNumeric(widths[i]);

		if (width != NULL)
			verify_digits(name, width);
		if (width == NULL || !numeric_is_finite(width) || !numeric_test(numeric_gt, width, zero) ||
			(i > 0 && (!numeric_test(numeric_gt, width, DatumGetNumeric(widths[i - 1])) ||
					   !numeric_test(numeric_eq, zero,
									 numeric_op(numeric_mod, width, DatumGetNumeric(widths[i - 1]))))))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("width %d of taxonomy \"%s\" does not fit", i + 1, name),
					 errdetail("Widths are positive, and each is a larger multiple of the one before.")));
	}
	if (numeric_test(numeric_gt,
					 numeric_op(numeric_sub, high, low),
					 numeric_op(numeric_mul, DatumGetNumeric(widths[0]), int64_to_numeric(MAX_NODES))))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("taxonomy \"%s\" would have more than %d nodes", name, MAX_NODES),
				 errhint("Choose a larger first width.")));
}

/* A query for the rows that builder_add_row() takes: each lowest interval with those that contain it. */
static char *
ladder_query(Numeric low, Numeric high, Datum *widths, int nwidths)
{
	StringInfoData sql;
	char	   *from = numeric_text(low);
	char	   *to = numeric_text(high);

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < nwidths; i++)
	{
		char	   *width = numeric_text(DatumGetNumeric(widths[i]));

		appendStringInfo(&sql,
						 "format('[%%s,%%s)',"
						 " trim_scale(numeric '%1$s' + div(a - numeric '%1$s', numeric '%3$s') * numeric '%3$s'),"
						 " trim_scale(least(numeric '%1$s' + (div(a - numeric '%1$s', numeric '%3$s') + 1) * numeric '%3$s', numeric '%2$s'))), ",
						 from, to, width);
	}
	appendStringInfo(&sql,
					 "'[%1$s,%2$s)'::text FROM generate_series(numeric '%1$s', numeric '%2$s', numeric '%3$s') a"
					 " WHERE a < numeric '%2$s'",
					 from, to, numeric_text(DatumGetNumeric(widths[0])));
	return sql.data;
}

Datum
pprepub_create_range_taxonomy(PG_FUNCTION_ARGS)
{
	TreeBuilder *builder = builder_create(taxonomy_argument(fcinfo, 0), true);
	MemoryContext context = CurrentMemoryContext;
	CatalogAccess access;
	Numeric		low;
	Numeric		high;
	Datum	   *widths;
	Datum	   *ladder;
	bool	   *nulls;
	int			nwidths;

	verify_may_change("create_range_taxonomy()");
	for (int i = 1; i <= 3; i++)
		verify_not_null(fcinfo, i, "the ends and widths of a taxonomy");
	low = PG_GETARG_NUMERIC(1);
	high = PG_GETARG_NUMERIC(2);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(3), NUMERICOID, -1, false, TYPALIGN_INT,
					  &widths, &nulls, &nwidths);
	verify_ladder(builder->taxonomy, low, high, widths, nulls, nwidths);

	/* Built from pg_catalog alone, so it may run as the catalog's owner. */
	catalog_enter(&access);
	add_rows_of(builder, ladder_query(low, high, widths, nwidths), context);
	catalog_leave(&access);
	builder_finish(builder);

	ladder = palloc(sizeof(Datum) * (nwidths + 2));
	ladder[0] = NumericGetDatum(low);
	ladder[1] = NumericGetDatum(high);
	memcpy(ladder + 2, widths, sizeof(Datum) * nwidths);
	store_taxonomy(builder, construct_array(ladder, nwidths + 2, NUMERICOID, -1, false, TYPALIGN_INT));
	PG_RETURN_VOID();
}

/*
 * taxonomy.c
 *		create_taxonomy(), extend_taxonomy(), create_range_taxonomy(), drop_taxonomy().
 *
 * A tree, once stored, never changes: a taxonomy is a name that points at one.  Extending makes a new tree and moves the
 * name, so publications and releases go on pointing at the tree of their day.  A tree that nothing points at any more is
 * deleted.  pprepub_internal.plant_tree() makes trees.
 *
 * A levels table is read with its owner's rights.  The caller must own it: its contents become readable by all roles.
 */
#include "declare/taxonomy.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(pprepub_create_taxonomy);
PG_FUNCTION_INFO_V1(pprepub_extend_taxonomy);
PG_FUNCTION_INFO_V1(pprepub_create_range_taxonomy);
PG_FUNCTION_INFO_V1(pprepub_drop_taxonomy);

/* ---- Names and trees ---- */

/* The tree that a taxonomy stands for now, locked as the end of the query says; an unknown name is an error. */
static int32
read_taxonomy(const char *name, const char *lock)
{
	if (catalog_read(psprintf("SELECT tree, owner::oid AS owner FROM pprepub_internal.catalog_taxonomy WHERE name = $1%s", lock),
					 CATALOG_TEXT(name)) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("taxonomy \"%s\" does not exist", name),
				 errhint("Create it with pprepub.create_taxonomy(), or see pprepub.taxonomy_node for those that exist.")));
	return catalog_int(0, "tree");
}

/* Locks the taxonomy's row: an extension or a drop waits, and then sees which publications use the tree. */
int32
find_taxonomy(const char *name)
{
	return read_taxonomy(name, " FOR SHARE");
}

/* The tree of a taxonomy that the caller owns, locked against others who would change it. */
static int32
own_taxonomy(CatalogAccess *access, const char *name)
{
	int32		tree = read_taxonomy(name, " FOR UPDATE");

	if (!has_privs_of_role(access->caller.userid, catalog_oid(0, "owner")))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of taxonomy \"%s\"", name)));
	return tree;
}

int32
present_tree(const char *taxonomy)
{
	CatalogAccess access;
	int32		tree;

	catalog_enter(&access);
	tree = read_taxonomy(taxonomy, "");
	catalog_leave(&access);
	return tree;
}

bool
node_leaves(int32 tree, const char *node, int64 *first, int64 *leaves)
{
	CatalogAccess access;
	bool		is_known;

	catalog_enter(&access);
	is_known = catalog_read("SELECT first_leaf, leaves FROM pprepub_internal.catalog_tree_node WHERE tree = $1 AND node = $2",
							CATALOG_INT(tree), CATALOG_TEXT(node)) > 0;
	if (is_known)
	{
		*first = catalog_int(0, "first_leaf");
		*leaves = catalog_int(0, "leaves");
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
				 CATALOG_INT(tree));
	name = catalog_text(&access, 0, "node");
	catalog_leave(&access);
	return name;
}

bool
tree_is_ladder(int32 tree)
{
	return catalog_finds("SELECT FROM pprepub_internal.catalog_tree WHERE tree = $1 AND ladder IS NOT NULL",
						 CATALOG_INT(tree));
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

/* ---- Making trees ---- */

/* Reads the rows of a levels table, as its owner; a caller who is not would show them to everybody. */
static CatalogParam
read_levels(Oid source)
{
	MemoryContext context = CurrentMemoryContext;
	CatalogParam rows = CATALOG_NULL(TEXTARRAYOID);
	CatalogAccess access;
	Identity	caller;
	char	   *query;
	Datum		array;

	verify_source_kind(source);
	if (!has_rights_of(relation_owner(source)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of relation \"%s\"", get_rel_name(source)),
				 errdetail("Everybody can read the values of a taxonomy.")));
	LockRelationOid(source, AccessShareLock);
	catalog_enter(&access);
	catalog_read("SELECT pprepub_internal.levels_query($1) AS query", CATALOG_OID(source));
	query = catalog_text(&access, 0, "query");
	catalog_leave(&access);
	if (query == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TABLE_DEFINITION),
				 errmsg("relation \"%s\" has no columns", get_rel_name(source))));
	act_as(&caller, relation_owner(source));
	SPI_connect();
	if (SPI_execute(query, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read levels");
	array = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &rows.isnull);
	MemoryContextSwitchTo(context);
	if (!rows.isnull)
		rows.value = PointerGetDatum(DatumGetArrayTypePCopy(array));
	SPI_finish();
	act_as_before(&caller);
	MemoryContextSwitchTo(context);
	return rows;
}

/* Inside catalog_enter(): stores a tree of rows, and of the nodes of an older tree if that is not 0, and returns its number. */
static int32
plant_tree(const char *taxonomy, CatalogParam rows, CatalogParam ladder, int32 old)
{
	catalog_execute("SELECT planted, wrong FROM pprepub_internal.plant_tree($1, $2, $3, $4)",
					CATALOG_TEXT(taxonomy), rows, ladder, CATALOG_INT(old));
	catalog_raise();
	return catalog_int(0, "planted");
}

/* Inside catalog_enter(): stores a tree under a new name, for the caller. */
static void
store_taxonomy(const CatalogAccess *access, const char *name, CatalogParam rows, CatalogParam ladder)
{
	int32		tree = plant_tree(name, rows, ladder, 0);

	if (catalog_read("SELECT FROM pprepub_internal.catalog_taxonomy WHERE name = $1", CATALOG_TEXT(name)) > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("taxonomy \"%s\" already exists", name),
				 errhint("Add leaves with pprepub.extend_taxonomy(), or choose another name.")));
	catalog_execute("INSERT INTO pprepub_internal.catalog_taxonomy (name, owner, tree) VALUES ($1, $2, $3)",
					CATALOG_TEXT(name), CATALOG_PARAM(REGROLEOID, ObjectIdGetDatum(access->caller.userid)), CATALOG_INT(tree));
}

/* ---- SQL functions ---- */

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

Datum
pprepub_create_taxonomy(PG_FUNCTION_ARGS)
{
	char	   *name = taxonomy_argument(fcinfo, 0);
	CatalogParam rows;
	CatalogAccess access;

	verify_may_change("create_taxonomy()");
	verify_not_null(fcinfo, 1, "the source of a taxonomy");
	rows = read_levels(PG_GETARG_OID(1));
	catalog_enter(&access);
	store_taxonomy(&access, name, rows, CATALOG_NULL(NUMERICARRAYOID));
	catalog_leave(&access);
	PG_RETURN_VOID();
}

Datum
pprepub_extend_taxonomy(PG_FUNCTION_ARGS)
{
	char	   *name = taxonomy_argument(fcinfo, 0);
	CatalogParam rows;
	CatalogAccess access;
	int32		tree;

	verify_not_null(fcinfo, 1, "the source of a taxonomy");
	verify_may_change("extend_taxonomy()");
	catalog_enter(&access);
	tree = own_taxonomy(&access, name);
	catalog_leave(&access);
	if (tree_is_ladder(tree))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("taxonomy \"%s\" is a ladder of intervals and cannot be extended", name),
				 errhint("Create another one with pprepub.create_range_taxonomy().")));
	rows = read_levels(PG_GETARG_OID(1));
	catalog_enter(&access);
	catalog_execute("UPDATE pprepub_internal.catalog_taxonomy SET tree = $2 WHERE name = $1",
					CATALOG_TEXT(name), CATALOG_INT(plant_tree(name, rows, CATALOG_NULL(NUMERICARRAYOID), tree)));
	forget_unused_trees();
	catalog_leave(&access);
	PG_RETURN_VOID();
}

/* Ladders are trees of nested intervals over a number. */
Datum
pprepub_create_range_taxonomy(PG_FUNCTION_ARGS)
{
	char	   *name = taxonomy_argument(fcinfo, 0);
	CatalogAccess access;
	CatalogParam ladder;
	CatalogParam rows;
	bool		isnull;

	verify_may_change("create_range_taxonomy()");
	for (int i = 1; i <= 3; i++)
		verify_not_null(fcinfo, i, "the ends and widths of a taxonomy");
	catalog_enter(&access);
	catalog_read("SELECT rows, wrong, $2 || ($3 || $4) AS ladder FROM pprepub_internal.ladder_rows($1, $2, $3, $4)",
				 CATALOG_TEXT(name),
				 CATALOG_PARAM(NUMERICOID, PG_GETARG_DATUM(1)), CATALOG_PARAM(NUMERICOID, PG_GETARG_DATUM(2)),
				 CATALOG_PARAM(NUMERICARRAYOID, PG_GETARG_DATUM(3)));
	catalog_raise();
	rows = CATALOG_PARAM(TEXTARRAYOID, catalog_field(0, "rows", &isnull));
	ladder = CATALOG_PARAM(NUMERICARRAYOID, catalog_field(0, "ladder", &isnull));
	store_taxonomy(&access, name, rows, ladder);
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

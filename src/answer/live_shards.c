/*
 * live_shards.c
 *		Planning scans of TARGET.NAME_now of a sharded publication: what postgres_fdw does not send to the shards.
 *
 * The view is a union of foreign tables of postgres_fdw, one for each shard's live table.  What it sends, the shard asks as far as it
 * can; what it keeps filters the values that come back, which is told here.  A condition that it would send anew for each row of an
 * outer query would be as many answers, and is refused.
 */
#include "answer/live.h"

#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/catalog.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static build_simple_rel_hook_type next_hook = NULL;

/*
 * Is it a shard's live table ("_now") or view "_answers", as the coordinator has made it?  If there is room for it, tells the view that
 * is read, for the first shard.
 */
static bool
is_of_shard(Oid relation, const char *suffix, char **view)
{
	const char *end = strrchr(get_rel_name(relation), '_');
	CatalogAccess access;
	bool		found;

	if (end == NULL || strcmp(end, suffix) != 0 || !OidIsValid(catalog_relation("catalog_shard")))
		return false;
	catalog_enter(&access);
	found = catalog_read("SELECT CASE h.shard WHEN 1 THEN format('%I.%I', s.target, s.name || $2) END AS view"
						 " FROM pprepub_internal.catalog_sharded s JOIN pprepub_internal.catalog_shard h USING (name)"
						 " JOIN pg_class c ON c.relname = format('%s_%s%s', s.name, h.shard, $2) AND c.relnamespace = to_regnamespace(quote_ident(s.target || '_private'))"
						 " WHERE c.oid = $1", CATALOG_OID(relation), CATALOG_TEXT(suffix)) > 0;
	if (found && view != NULL)
		*view = catalog_text(&access, 0, "view");
	catalog_leave(&access);
	return found;
}

/* Comments tell the quasi-identifiers, whose values are not those that people have. */
static void
notice_not_sent(Oid relation, Index varno, List *conditions, const char *view)
{
	Bitmapset  *used = NULL;
	int			member = -1;
	StringInfoData list;
	CatalogAccess access;
	char	   *names;

	pull_varattnos((Node *) conditions, varno, &used);
	initStringInfo(&list);
	while ((member = bms_next_member(used, member)) >= 0)
		appendStringInfo(&list, "%s%d", list.len > 0 ? "," : "{", member + FirstLowInvalidHeapAttributeNumber);
	if (list.len == 0)
		return;
	appendStringInfoChar(&list, '}');
	catalog_enter(&access);
	catalog_read("SELECT string_agg(format('\"%s\"', a.attname), ', ' ORDER BY a.attnum) AS names FROM pg_attribute a"
				 " JOIN pg_attribute v ON v.attrelid = to_regclass($3) AND v.attname = a.attname"
				 " WHERE a.attrelid = $1 AND a.attnum = ANY ($2::int[]) AND col_description(v.attrelid, v.attnum) LIKE 'quasi-identifier%'",
				 CATALOG_OID(relation), CATALOG_TEXT(list.data), CATALOG_TEXT(view));
	names = catalog_text(&access, 0, "names");
	catalog_leave(&access);
	if (names != NULL)
		ereport(NOTICE,
				(errmsg("a condition on %s of %s is not sent to the shards, and is applied to generalized values", names, view),
				 errhint("Sent are conditions of PostgreSQL's own immutable operators in the collation of the column, as age > 40.")));
}

/* Has an expression another value for each row of an outer query?  Then postgres_fdw asks again, even if it does not send the value. */
static bool
changes_with_rows(Node *node, Bitmapset *known)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param))
		return castNode(Param, node)->paramkind == PARAM_EXEC && !bms_is_member(castNode(Param, node)->paramid, known);
	return expression_tree_walker(node, changes_with_rows, known);
}

/* In the place of postgres_fdw's own function. */
static ForeignScan *
plan_scan(PlannerInfo *root, RelOptInfo *rel, Oid relation, ForeignPath *path, List *columns, List *clauses, Plan *outer)
{
	ForeignScan *scan = GetFdwRoutineByServerId(rel->serverid)->GetForeignPlan(root, rel, relation, path, columns, clauses, outer);
	char	   *view = NULL;

	if (!OidIsValid(relation) || !is_of_shard(relation, "_now", &view))
		return scan;
	if (changes_with_rows((Node *) list_make3(scan->fdw_exprs, scan->scan.plan.qual, scan->scan.plan.targetlist), known_parameters(root)))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a condition on a live table of shards changes from row to row of an outer query"),
				 errdetail("The shards would be asked anew for each row."),
				 errhint("Keep one answer: WITH a AS MATERIALIZED (TABLE …).")));
	if (view != NULL)
		notice_not_sent(relation, rel->relid, scan->scan.plan.qual, view);
	return scan;
}

/*
 * The planner's hook, called for each relation of a query.  What is read with the rights of the reader leads to servers and views of the
 * owner: a superuser would get there without a password, and run the owner's code.
 */
static void
look_at_relation(RELATION_HOOK_PARAMETERS)
{
	Oid			relation = planner_rt_fetch(rel->relid, root)->relid;
	bool		is_live;

	if (next_hook != NULL)
		next_hook(RELATION_HOOK_ARGUMENTS);
	if (rel->fdwroutine == NULL || rel->fdwroutine->GetForeignPlan == live_scan_plan)
		return;
	is_live = is_of_shard(relation, "_now", NULL);
	if (superuser() && (is_live || is_of_shard(relation, "_answers", NULL)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("superusers cannot ask shards for answers"),
				 errhint("Use SET ROLE to ask as a role that has user mappings.")));
	if (is_live)
	{
		FdwRoutine *routine = palloc(sizeof(FdwRoutine));

		*routine = *rel->fdwroutine;
		routine->GetForeignPlan = plan_scan;
		rel->fdwroutine = routine;
	}
}

void
define_live_tables_of_shards(void)
{
	next_hook = build_simple_rel_hook;
	build_simple_rel_hook = look_at_relation;
}

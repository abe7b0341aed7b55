/*
 * plan.c
 *		Hooks of the planner, and the paths that they add.  See plan.h.
 */
#include "postgres.h"

#include "store/plan.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "utils/spccache.h"

static planner_hook_type previous_planner;
static set_rel_pathlist_hook_type previous_pathlist;
static build_simple_rel_hook_type previous_relation_info;

/* Decoding a vector and handing out its rows takes less than taking heap tuples apart. */
#define ROW_COST_FACTOR 0.5

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* Returns the attributes that the relation's output or its conditions use, as pull_varattnos() numbers them. */
static Bitmapset *
needed_attributes(const RelOptInfo *rel)
{
	Bitmapset  *numbers = NULL;
	ListCell   *cell;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &numbers);
	foreach(cell, rel->baserestrictinfo)
		pull_varattnos((Node *) lfirst_node(RestrictInfo, cell)->clause, rel->relid, &numbers);
	return numbers;
}

Bitmapset *
columns_of(const Bitmapset *numbers, int natts)
{
	Bitmapset  *columns = NULL;
	int			number = -1;

	while ((number = bms_next_member(numbers, number)) >= 0)
	{
		AttrNumber	attno = number + FirstLowInvalidHeapAttributeNumber;

		if (attno == 0 && natts > 0)
			columns = bms_add_range(columns, 0, natts - 1);
		else if (attno > 0)
			columns = bms_add_member(columns, attno - 1);
	}
	return columns;
}

/* ----------------------------------------------------------------
 * Paths
 * ----------------------------------------------------------------
 */

/* Costs the path like a sequential scan of a share of the bytes. */
static void
cost_path(PlannerInfo *root, RelOptInfo *rel, Path *path, double share)
{
	double		page_cost;
	QualCost	quals = rel->baserestrictcost;
	Cost		cpu;
	double		divisor = 1;

	get_tablespace_page_costs(rel->reltablespace, NULL, &page_cost);
	if (path->param_info)
	{
		QualCost	more;

		cost_qual_eval(&more, path->param_info->ppi_clauses, root);
		quals.startup += more.startup;
		quals.per_tuple += more.per_tuple;
	}
	path->rows = path->param_info ? path->param_info->ppi_rows : rel->rows;
	cpu = (cpu_tuple_cost * ROW_COST_FACTOR + quals.per_tuple) * rel->tuples +
		path->pathtarget->cost.per_tuple * path->rows;
	if (path->parallel_workers > 0)
	{
		divisor = path->parallel_workers;
		if (parallel_leader_participation && path->parallel_workers < 4)
			divisor += 1.0 - 0.3 * path->parallel_workers;
		path->rows = clamp_row_est(path->rows / divisor);
	}
	path->startup_cost = quals.startup + path->pathtarget->cost.startup;
	path->total_cost = path->startup_cost + cpu / divisor + page_cost * rel->pages * share;
	if (!enable_seqscan)
		disable_path(path);
}

/* Makes the plan, with the columns needed and the clauses by which groups can be skipped. */
static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *plans)
{
	CustomScan *scan = makeNode(CustomScan);

	/* The target list may be set later only. */
	Bitmapset  *numbers = needed_attributes(rel);
	Bitmapset  *columns;
	int			column = -1;
	ListCell   *cell;

	clauses = extract_actual_clauses(clauses, false);
	pull_varattnos((Node *) tlist, rel->relid, &numbers);
	pull_varattnos((Node *) clauses, rel->relid, &numbers);
	columns = columns_of(numbers, rel->max_attr);
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = clauses;
	scan->scan.scanrelid = rel->relid;
	scan->flags = path->flags;
	scan->methods = &store_scan_methods;
	while ((column = bms_next_member(columns, column)) >= 0)
		scan->custom_private = lappend_int(scan->custom_private, column);
	foreach(cell, clauses)
	{
		Condition	condition;

		if (make_condition(lfirst(cell), rel->relid, &condition))
			scan->custom_exprs = lappend(scan->custom_exprs, copyObject(lfirst(cell)));
	}
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "pprepub",
	.PlanCustomPath = make_plan
};

/* Makes a path of the custom scan; share is the part of the columns that it reads. */
static Path *
make_path(PlannerInfo *root, RelOptInfo *rel, int workers, double share)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rel->reltarget;
	path->path.param_info = get_baserel_parampathinfo(root, rel, rel->lateral_relids);
	path->path.parallel_aware = workers > 0;
	path->path.parallel_safe = rel->consider_parallel;
	path->path.parallel_workers = workers;
	path->flags = CUSTOMPATH_SUPPORT_BACKWARD_SCAN | CUSTOMPATH_SUPPORT_PROJECTION;
	path->methods = &path_methods;
	cost_path(root, rel, &path->path, share);
	return &path->path;
}

/* ----------------------------------------------------------------
 * Hooks
 * ----------------------------------------------------------------
 */

/* The hook: adds our paths where the relation is a table of ours, after previous hooks. */
static void
plan_table(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *rte)
{
	Relation	table;
	ListCell   *cell;

	if (previous_pathlist)
		previous_pathlist(root, rel, rti, rte);
	if (rte->rtekind != RTE_RELATION || rte->inh || IS_DUMMY_REL(rel) ||
		(rte->relkind != RELKIND_RELATION && rte->relkind != RELKIND_MATVIEW))
		return;
	table = table_open(rte->relid, NoLock);
	if (is_stored(table))
	{
		Bitmapset  *numbers = needed_attributes(rel);

		/*
		 * Workers cannot see what is pending, and sealing it may not be ours to do.  A worker may be given all of a
		 * table to scan, too, as one side of a join.
		 */
		if (has_pending(table, NULL))
		{
			rel->consider_parallel = false;
			rel->partial_pathlist = NIL;
			foreach(cell, rel->pathlist)
				((Path *) lfirst(cell))->parallel_safe = false;
		}
		/* Our rows have no xmin, nor other system columns but these. */
		for (AttrNumber attno = FirstLowInvalidHeapAttributeNumber + 1; attno < 0; attno++)
			if (attno != SelfItemPointerAttributeNumber && attno != TableOidAttributeNumber &&
				bms_is_member(attno - FirstLowInvalidHeapAttributeNumber, numbers))
				refuse(table, REFUSE_SYSTEM_COLUMN);
		if (rte->tablesample == NULL)
		{
			int			natts = RelationGetNumberOfAttributes(table);
			double		share = (bms_num_members(columns_of(numbers, natts)) + 0.1) / (natts + 0.1);

			add_path(rel, make_path(root, rel, 0, share));
			if (rel->consider_parallel && bms_is_empty(rel->lateral_relids))
			{
				int			workers = compute_parallel_worker(rel, rel->pages, -1, max_parallel_workers_per_gather);

				if (workers > 0)
					add_partial_path(rel, make_path(root, rel, workers, share));
			}
		}
	}
	table_close(table, NoLock);
}

/*
 * Without a bitmap path, rather than with one taken away later: another index path
 * would have been given up for it.
 */
static void
keep_bitmaps_away(RELATION_HOOK_PARAMETERS)
{
	Relation	table;
	Counters	counters;
	ListCell   *cell;

	if (previous_relation_info)
		previous_relation_info(RELATION_HOOK_ARGUMENTS);
	if (rel->indexlist == NIL)
		return;
	table = table_open(planner_rt_fetch(rel->relid, root)->relid, NoLock);
	if (is_stored(table) && read_counters(table, &counters) && counters.next / ROWS_PER_BLOCK >= BITMAP_BLOCKS)
		foreach(cell, rel->indexlist)
			lfirst_node(IndexOptInfo, cell)->amhasgetbitmap = false;
	table_close(table, NoLock);
}

/*
 * INSERT … ON CONFLICT is refused before anything is done, whether a row would conflict or not.  To partitions rows come
 * later: there the callbacks refuse.
 */
static PlannedStmt *
plan_statement(Query *query, const char *text, int options, ParamListInfo parameters since_19(struct ExplainState *explain))
{
	PlannedStmt *statement = previous_planner ? previous_planner(query, text, options, parameters since_19(explain)) :
		standard_planner(query, text, options, parameters since_19(explain));
	ListCell   *cell;

	foreach(cell, lcons(statement->planTree, list_copy(statement->subplans)))
	{
		const ModifyTable *modify = lfirst(cell);
		Relation	table;

		if (modify == NULL || !IsA(modify, ModifyTable) || modify->onConflictAction == ONCONFLICT_NONE)
			continue;
		table = table_open(rt_fetch(linitial_int(modify->resultRelations), statement->rtable)->relid, NoLock);
		if (is_stored(table))
			refuse(table, REFUSE_CONFLICT);
		table_close(table, NoLock);
	}
	return statement;
}

void
start_planning(void)
{
	previous_planner = planner_hook;
	planner_hook = plan_statement;
	RegisterCustomScanMethods(&store_scan_methods);
	previous_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = plan_table;
	previous_relation_info = build_simple_rel_hook;
	build_simple_rel_hook = keep_bitmaps_away;
}

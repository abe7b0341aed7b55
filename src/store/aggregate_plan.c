/*
 * aggregate_plan.c
 *		The hook that adds aggregating paths.  See plan.h.
 *
 * NOTES
 *		Row-level security, and conditions of views that are barriers, keep us away: the order in which
 *		conditions are evaluated is theirs.
 */
#include "postgres.h"

#include "store/plan.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planner.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/spccache.h"

static create_upper_paths_hook_type previous_upper_paths;

/* Of what a condition or an aggregate costs a row in PostgreSQL's own plans. */
#define VECTOR_COST_FACTOR 0.1

/* A query that may be aggregated here, and all that is found out about it. */
typedef struct Candidate
{
	PlannerInfo *root;
	RelOptInfo *rel;			/* the table */
	List	   *clauses;		/* in the order of evaluation */
	PathTarget *target;			/* the keys, and then aggregates in part */
	List	   *columns;		/* see plan.h */
	List	   *kinds;
	List	   *operators;
	List	   *collations;
	bool		by_headers;		/* may headers answer alone? */
	double		groups;
} Candidate;

/* ----------------------------------------------------------------
 * Conditions
 * ----------------------------------------------------------------
 */

/* Only columns, no whole rows, and nothing that our evaluation would call more or less often. */
static bool
clause_is_plain(Node *clause)
{
	ListCell   *cell;

	if (contain_volatile_functions(clause) || contain_subplans(clause))
		return false;
	foreach(cell, pull_var_clause(clause, PVC_INCLUDE_PLACEHOLDERS))
		if (!IsA(lfirst(cell), Var) || lfirst_node(Var, cell)->varattno <= 0)
		return false;
	return true;
}

/*
 * Takes the table's conditions; false if one of them is not for us.  First comes what cannot fail, and decides on
 * groups; then what costs least, as PostgreSQL orders it.
 */
static bool
take_clauses(Candidate *candidate)
{
	const List *infos = candidate->rel->baserestrictinfo;
	Cost	   *costs = palloc(Max(list_length(infos), 1) * sizeof(Cost));
	ListCell   *cell;

	foreach(cell, infos)
	{
		const RestrictInfo *info = lfirst_node(RestrictInfo, cell);
		Condition	condition;
		bool		decides = make_condition((Node *) info->clause, candidate->rel->relid, &condition);
		Cost		cost = decides ? -1 : info->eval_cost.per_tuple;
		int			place = list_length(candidate->clauses);

		if (info->pseudoconstant || info->security_level > 0 || !clause_is_plain((Node *) info->clause))
			return false;
		for (; place > 0 && costs[place - 1] > cost; place--)
			costs[place] = costs[place - 1];
		costs[place] = cost;
		candidate->clauses = list_insert_nth(candidate->clauses, place, info->clause);
		candidate->by_headers = candidate->by_headers && decides;
	}
	return true;
}

/* ----------------------------------------------------------------
 * Keys and aggregates
 * ----------------------------------------------------------------
 */

/* Takes what rows are grouped by: plain columns that can be hashed. */
static bool
take_keys(Candidate *candidate)
{
	ListCell   *cell;

	foreach(cell, candidate->root->parse->groupClause)
	{
		const SortGroupClause *clause = lfirst_node(SortGroupClause, cell);
		Expr	   *expr = (Expr *) get_sortgroupclause_expr((SortGroupClause *) clause, candidate->root->processed_tlist);
		const Var  *var = (const Var *) expr;

		if (!clause->hashable || !IsA(var, Var) || var->varno != (int) candidate->rel->relid || var->varattno <= 0)
			return false;
		add_column_to_pathtarget(candidate->target, expr, clause->tleSortGroupRef);
		candidate->columns = lappend_int(candidate->columns, var->varattno);
		candidate->operators = lappend_oid(candidate->operators, clause->eqop);
		candidate->collations = lappend_oid(candidate->collations, exprCollation((Node *) expr));
	}
	return true;
}

/* Takes an aggregate, unless it is there already; false if it is none that we know. */
static bool
take_aggregate(Candidate *candidate, const Aggref *aggref)
{
	AttrNumber	column;
	TallyKind	kind = tally_of_aggregate(aggref, candidate->rel->relid, &column);
	Aggref	   *part;

	if (kind == TALLY_NONE)
		return false;
	part = makeNode(Aggref);
	memcpy(part, aggref, sizeof(Aggref));
	mark_partial_aggref(part, AGGSPLIT_INITIAL_SERIAL);
	if (list_member(candidate->target->exprs, part))
		return true;
	add_column_to_pathtarget(candidate->target, (Expr *) part, 0);
	candidate->columns = lappend_int(candidate->columns, column);
	candidate->kinds = lappend_int(candidate->kinds, kind);
	candidate->by_headers = candidate->by_headers && kind < TALLY_SUM;
	return true;
}

/* Takes what the query's results are made of; false if that is more than keys and aggregates that we know. */
static bool
take_target(Candidate *candidate, const PathTarget *wanted, Node *having)
{
	List	   *exprs = pull_var_clause((Node *) list_make2(wanted->exprs, having),
										PVC_INCLUDE_AGGREGATES | PVC_RECURSE_WINDOWFUNCS | PVC_INCLUDE_PLACEHOLDERS);
	ListCell   *cell;

	candidate->target = create_empty_pathtarget();
	if (!take_keys(candidate))
		return false;
	foreach(cell, exprs)
	{
		Node	   *node = lfirst(cell);

		if (IsA(node, Aggref) ? !take_aggregate(candidate, (const Aggref *) node) :
			!list_member(candidate->target->exprs, node))
			return false;
	}
	set_pathtarget_cost_width(candidate->root, candidate->target);
	return true;
}

/* ----------------------------------------------------------------
 * Paths
 * ----------------------------------------------------------------
 */

/* Groups of rows are walked over, at least; then their columns are, a vector at a time. */
static void
cost_path(const Candidate *candidate, Path *path)
{
	const RelOptInfo *rel = candidate->rel;
	List	   *columns = list_concat_unique_int(NIL, candidate->columns);
	double		page_cost;
	double		share;
	Cost		cost;

	get_tablespace_page_costs(rel->reltablespace, NULL, &page_cost);
	share = Min(1, (list_length(columns) + 1.0) / (rel->max_attr + 1.0));
	cost = (rel->tuples / GROUP_ROWS + 1) * 2 * page_cost;
	if (!candidate->by_headers || candidate->clauses != NIL)
		cost += page_cost * rel->pages * share + VECTOR_COST_FACTOR * rel->tuples *
			(cpu_operator_cost * list_length(candidate->columns) + rel->baserestrictcost.per_tuple);

	/* Each group of the query's is looked up, made, and handed on. */
	cost += rel->baserestrictcost.startup +
		candidate->groups * (cpu_operator_cost * (1 + list_length(candidate->operators)) + cpu_tuple_cost);
	path->startup_cost = cost;
	path->total_cost = cost;
	if (!enable_seqscan)
		disable_path(path);
	path->rows = candidate->groups;
}

/*
 * Makes the plan.  In the path's private list stand the table's number, the clauses, and what the node will be told;
 * columns of conditions are added to the target list, as these must be able to name them.
 */
static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *plans)
{
	CustomScan *scan = makeNode(CustomScan);
	List	   *targets = copyObject(tlist);
	ListCell   *cell;

	scan->scan.scanrelid = linitial_int(linitial(path->custom_private));
	scan->scan.plan.targetlist = tlist;
	scan->custom_exprs = copyObject(lsecond(path->custom_private));
	scan->custom_private = copyObject(lthird(path->custom_private));
	foreach(cell, pull_var_clause((Node *) scan->custom_exprs, 0))
	{
		Var		   *var = lfirst_node(Var, cell);

		if (tlist_member((Expr *) var, targets) != NULL)
			continue;
		targets = lappend(targets, makeTargetEntry((Expr *) copyObject(var), list_length(targets) + 1, NULL, false));
		linitial(scan->custom_private) = lappend_int(linitial(scan->custom_private), var->varattno);
	}
	scan->custom_scan_tlist = targets;
	scan->flags = path->flags;
	scan->methods = &store_aggregate_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "pprepub aggregate",
	.PlanCustomPath = make_plan
};

/* Adds the path, under a Finalize Aggregate that makes results of states, and looks at HAVING. */
static void
add_aggregate_path(Candidate *candidate, RelOptInfo *grouped, List *having, bool is_parallel_safe)
{
	PlannerInfo *root = candidate->root;
	CustomPath *path = makeNode(CustomPath);
	AggClauseCosts costs;
	bool		by_keys = root->parse->groupClause != NIL;
	double		groups;
	List	   *others;

	path->path.pathtype = T_CustomScan;
	path->path.parent = grouped;
	path->path.pathtarget = candidate->target;
	path->path.parallel_safe = is_parallel_safe;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = list_make3(list_make1_int(candidate->rel->relid), candidate->clauses,
									  list_make4(candidate->columns, candidate->kinds, candidate->operators, candidate->collations));
	path->methods = &path_methods;

	/*
	 * Of ranges, ANALYZE says that each is another one, without having looked; a cell of a release is one of a few.
	 */
	groups = 1;
	others = NIL;
	for (int i = 0; i < list_length(candidate->operators); i++)
	{
		Expr	   *key = list_nth(candidate->target->exprs, i);

		if (type_is_range(exprType((Node *) key)))
			groups *= DEFAULT_NUM_DISTINCT;
		else
			others = lappend(others, key);
	}
	if (others != NIL)
		groups *= estimate_num_groups(candidate->root, others, candidate->rel->rows, NULL, NULL);
	candidate->groups = Min(groups, candidate->rel->rows);
	cost_path(candidate, &path->path);
	MemSet(&costs, 0, sizeof(costs));
	get_agg_clause_costs(root, AGGSPLIT_FINAL_DESERIAL, &costs);
	add_path(grouped, (Path *) create_agg_path(root, grouped, &path->path, grouped->reltarget, by_keys ? AGG_HASHED : AGG_PLAIN,
											   AGGSPLIT_FINAL_DESERIAL, root->parse->groupClause, having, &costs,
											   candidate->groups));
}

/* ----------------------------------------------------------------
 * The hook
 * ----------------------------------------------------------------
 */

/* A query of one table, as it stands, and of nothing else? */
static bool
is_plain_query(PlannerInfo *root, RelOptInfo *rel)
{
	const RangeTblEntry *rte;

	if (rel->reloptkind != RELOPT_BASEREL || rel->rtekind != RTE_RELATION || IS_DUMMY_REL(rel) ||
		!bms_is_empty(rel->lateral_relids) || root->parse->groupingSets != NIL || root->parse->rowMarks != NIL ||
		root->qual_security_level > 0)
		return false;
	rte = planner_rt_fetch(rel->relid, root);
	return !rte->inh && rte->tablesample == NULL && rte->securityQuals == NIL &&
		(rte->relkind == RELKIND_RELATION || rte->relkind == RELKIND_MATVIEW);
}

/* The hook: adds our path where all of the query is understood, after previous hooks. */
static void
plan_aggregates(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *output, void *extra)
{
	Relation	table;

	if (previous_upper_paths)
		previous_upper_paths(root, stage, input, output, extra);
	if (stage != UPPERREL_GROUP_AGG || !is_plain_query(root, input))
		return;
	table = table_open(planner_rt_fetch(input->relid, root)->relid, NoLock);
	if (is_stored(table))
	{
		Candidate	candidate = {.root = root, .rel = input, .by_headers = root->parse->groupClause == NIL};
		Node	   *having = ((const GroupPathExtraData *) extra)->havingQual;

		if (take_target(&candidate, output->reltarget, having) && take_clauses(&candidate))
			add_aggregate_path(&candidate, output, (List *) having, output->consider_parallel);
	}
	table_close(table, NoLock);
}

void
start_aggregates(void)
{
	RegisterCustomScanMethods(&store_aggregate_methods);
	previous_upper_paths = create_upper_paths_hook;
	create_upper_paths_hook = plan_aggregates;
}

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
#include "utils/rel.h"
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
	AggregatePlan plan;
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

/* First what cannot fail, and decides on groups; then what costs least, as PostgreSQL orders it. */
static double
rank_of_clause(Candidate *candidate, Node *clause)
{
	Condition	condition;
	QualCost	cost;

	if (make_condition(clause, candidate->rel->relid, &condition))
		return -1;
	cost_qual_eval_node(&cost, clause, candidate->root);
	return cost.per_tuple;
}

/* Puts a clause in its place among those before it. */
static void
insert_clause(Candidate *candidate, Node *clause)
{
	double		rank = rank_of_clause(candidate, clause);
	int			place = list_length(candidate->clauses);

	while (place > 0 && rank_of_clause(candidate, list_nth(candidate->clauses, place - 1)) > rank)
		place--;
	candidate->clauses = list_insert_nth(candidate->clauses, place, clause);
	candidate->by_headers = candidate->by_headers && rank < 0;
}

/* Takes the table's conditions; false if one of them is not for us. */
static bool
take_clauses(Candidate *candidate)
{
	ListCell   *cell;

	foreach(cell, candidate->rel->baserestrictinfo)
	{
		const RestrictInfo *info = lfirst_node(RestrictInfo, cell);

		if (info->pseudoconstant || info->security_level > 0 || !clause_is_plain((Node *) info->clause))
			return false;
		insert_clause(candidate, (Node *) info->clause);
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
		candidate->plan.columns = lappend_int(candidate->plan.columns, var->varattno);
		candidate->plan.operators = lappend_oid(candidate->plan.operators, clause->eqop);
		candidate->plan.collations = lappend_oid(candidate->plan.collations, exprCollation((Node *) expr));
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
	candidate->plan.columns = lappend_int(candidate->plan.columns, column);
	candidate->plan.kinds = lappend_int(candidate->plan.kinds, kind);
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
	List	   *columns = list_concat_unique_int(NIL, candidate->plan.columns);
	double		page_cost;
	double		share;
	Cost		cost;

	get_tablespace_page_costs(rel->reltablespace, NULL, &page_cost);
	share = Min(1, (list_length(columns) + 1.0) / (rel->max_attr + 1.0));
	cost = (rel->tuples / GROUP_ROWS + 1) * 2 * page_cost;
	if (!candidate->by_headers || candidate->clauses != NIL)
		cost += page_cost * rel->pages * share + VECTOR_COST_FACTOR * rel->tuples *
			(cpu_operator_cost * list_length(candidate->plan.columns) + rel->baserestrictcost.per_tuple);

	/* Each group of the query's is looked up, made, and handed on. */
	cost += rel->baserestrictcost.startup +
		candidate->groups * (cpu_operator_cost * (1 + list_length(candidate->plan.operators)) + cpu_tuple_cost);
	path->startup_cost = cost;
	path->total_cost = cost;
	if (!enable_seqscan)
		disable_path(path);
	path->rows = candidate->groups;
}

/* Adds columns of conditions to the target list: these must be able to name them. */
static List *
scan_target_list(List *tlist, List *clauses, AggregatePlan *plan)
{
	List	   *result = copyObject(tlist);
	List	   *vars = pull_var_clause((Node *) clauses, 0);
	ListCell   *cell;

	foreach(cell, vars)
	{
		Var		   *var = lfirst_node(Var, cell);

		if (tlist_member((Expr *) var, result) != NULL)
			continue;
		result = lappend(result, makeTargetEntry((Expr *) copyObject(var), list_length(result) + 1, NULL, false));
		plan->columns = lappend_int(plan->columns, var->varattno);
	}
	return result;
}

/* Makes the plan.  In the path's private list stand the table's number, the clauses, and the AggregatePlan. */
static Plan *
make_plan(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist, List *clauses, List *plans)
{
	CustomScan *scan = makeNode(CustomScan);
	AggregatePlan plan = aggregate_plan_of_list(copyObject(lthird(path->custom_private)));

	scan->scan.scanrelid = linitial_int(linitial(path->custom_private));
	scan->scan.plan.targetlist = tlist;
	scan->custom_exprs = copyObject(lsecond(path->custom_private));
	scan->custom_scan_tlist = scan_target_list(tlist, scan->custom_exprs, &plan);
	scan->custom_private = list_of_aggregate_plan(&plan);
	scan->flags = path->flags;
	scan->methods = &store_aggregate_methods;
	return &scan->scan.plan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "pprepub aggregate",
	.PlanCustomPath = make_plan
};

/*
 * Of ranges, ANALYZE says that each is another one, without having looked; a cell
 * of a release is one of a few.
 */
static double
estimate_groups(const Candidate *candidate)
{
	double		groups = 1;
	List	   *others = NIL;

	for (int i = 0; i < list_length(candidate->plan.operators); i++)
	{
		Expr	   *key = list_nth(candidate->target->exprs, i);

		if (type_is_range(exprType((Node *) key)))
			groups *= DEFAULT_NUM_DISTINCT;
		else
			others = lappend(others, key);
	}
	if (others != NIL)
		groups *= estimate_num_groups(candidate->root, others, candidate->rel->rows, NULL, NULL);
	return Min(groups, candidate->rel->rows);
}

/* Adds the path, under a Finalize Aggregate that makes results of states, and looks at HAVING. */
static void
add_aggregate_path(Candidate *candidate, RelOptInfo *grouped, List *having, bool is_parallel_safe)
{
	PlannerInfo *root = candidate->root;
	CustomPath *path = makeNode(CustomPath);
	AggClauseCosts costs;
	bool		by_keys = root->parse->groupClause != NIL;

	path->path.pathtype = T_CustomScan;
	path->path.parent = grouped;
	path->path.pathtarget = candidate->target;
	path->path.parallel_safe = is_parallel_safe;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_private = list_make3(list_make1_int(candidate->rel->relid), candidate->clauses,
									  list_of_aggregate_plan(&candidate->plan));
	path->methods = &path_methods;
	candidate->groups = estimate_groups(candidate);
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

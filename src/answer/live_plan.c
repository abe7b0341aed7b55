/*
 * live_plan.c
 *		Planning scans of live tables: which conditions of a query are its cohort, and which columns it shows.
 *
 * CONDITIONS
 *		A condition that becomes part of a cohort is asked of true values, and says nothing of the values that come out.
 *		The planner must not know it: it would take sex = 'F' for a fact about the rows, and conclude from it that they
 *		need not be sorted by sex before they are grouped, or that a column joined with this one equals 'F', too.  So the
 *		conditions are taken out of the query before the planner draws conclusions, by the hook that it has for what
 *		plugins know of a relation.
 *
 *		A condition is taken where it would filter the relation's rows: in WHERE, and in the ON of a join, unless an outer
 *		join stands between.  Children of other tables, and of a UNION ALL that is made one query of with what is around
 *		it, share the conditions of their parent, which are not taken.
 *
 *		Earlier still, outer joins are reduced to others by conditions that are strict, as they would be for a source that
 *		is joined itself.
 *
 * PARALLEL QUERY
 *		A query with a live table is run by one process.
 */
#include "answer/live.h"

#include "compat.h"
#include "declare/target_objects.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "release/cohort/cohort.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

/* Nobody may be told how many rows there are, so the planner is told this. */
#define ROWS_EXPECTED	1000
#define COST_OF_ASKING	10000

/* Of a relation, while its query is planned: what the hook found. */
typedef struct LiveRelation
{
	DeclaredPublication *publication;
	List	   *asked;			/* conditions */
	Bitmapset  *not_asked;		/* columns of the publication */
} LiveRelation;

static build_simple_rel_hook_type next_hook = NULL;

DeclaredPublication *
publication_of_live_table(Oid relation)
{
	DeclaredPublication *publication = publication_of_live(relation);

	if (publication == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_TABLE_NOT_FOUND),
				 errmsg("foreign table \"%s\" is not the live table of a publication", get_rel_name(relation)),
				 errhint("pprepub.create_publication() makes live tables, and no other table can be read by way of server \"pprepub\".")));
	return publication;
}

int
asked_column(const DeclaredPublication *publication, AttrNumber attribute)
{
	return attribute > 0 ? live_column(publication, attribute) : LIVE_CELLS;
}

/* ----------------------------------------------------------------
 * Where conditions filter a relation's rows
 * ----------------------------------------------------------------
 */

typedef struct FilterSearch
{
	Index		relation;
	List	   *filters;		/* of Node **: lists of conditions */
	List	   *others;			/* likewise: that do not filter the rows, but may look at them */
	bool		is_closed;		/* do conditions from further outside not filter the rows? */
} FilterSearch;

static bool find_filters(FilterSearch *search, Node *item);

static void
add_conditions(FilterSearch *search, Node **conditions, bool filters)
{
	List	  **where = filters && !search->is_closed ? &search->filters : &search->others;

	*where = lappend(*where, conditions);
}

/* The conditions of an outer join filter the side that it fills up with NULLs; what stands outside of it, the other one. */
static bool
find_filters_of_join(FilterSearch *search, JoinExpr *join)
{
	bool		is_left = find_filters(search, join->larg);

	if (!is_left && !find_filters(search, join->rarg))
		return false;
	switch (join->jointype)
	{
		case JOIN_INNER:
			add_conditions(search, &join->quals, true);
			break;
		case JOIN_SEMI:
			add_conditions(search, &join->quals, true);
			search->is_closed |= !is_left;
			break;
		case JOIN_LEFT:
		case JOIN_ANTI:
			add_conditions(search, &join->quals, !is_left);
			search->is_closed |= !is_left;
			break;
		default:
			add_conditions(search, &join->quals, false);
			search->is_closed = true;
	}
	return true;
}

/* True if the relation stands in this part of the query. */
static bool
find_filters(FilterSearch *search, Node *item)
{
	ListCell   *cell;

	check_stack_depth();
	if (IsA(item, RangeTblRef))
		return (Index) castNode(RangeTblRef, item)->rtindex == search->relation;
	if (IsA(item, JoinExpr))
		return find_filters_of_join(search, castNode(JoinExpr, item));
	foreach(cell, castNode(FromExpr, item)->fromlist)
	{
		if (!find_filters(search, lfirst(cell)))
			continue;
		add_conditions(search, &castNode(FromExpr, item)->quals, true);
		return true;
	}
	return false;
}

/* ----------------------------------------------------------------
 * Taking them
 * ----------------------------------------------------------------
 */

Bitmapset *
known_parameters(const PlannerInfo *root)
{
	Bitmapset  *known = root->parent_root == NULL ? NULL : known_parameters(root->parent_root);
	ListCell   *plan;
	ListCell   *param;

	foreach(plan, root->init_plans)
	{
		foreach(param, lfirst_node(SubPlan, plan)->setParam)
			known = bms_add_member(known, lfirst_int(param));
	}
	return known;
}

/* A condition is tried before the values in it are known. */
static char *
print_nothing(QueryCondition *condition, Expr *value, Oid type)
{
	return "";
}

/* Notes the columns that cohorts can ask about, but not in this condition. */
static void
note_not_asked(LiveRelation *live, Index relation, Node *clause)
{
	Bitmapset  *attributes = NULL;
	int			member = -1;

	pull_varattnos(clause, relation, &attributes);
	while ((member = bms_next_member(attributes, member)) >= 0)
	{
		int			column = asked_column(live->publication, member + FirstLowInvalidHeapAttributeNumber);

		if (column >= 0 && live->publication->columns[column].role == ROLE_QUASI_IDENTIFIER)
			live->not_asked = bms_add_member(live->not_asked, column);
	}
}

/* Moves the conditions that can be asked from a list of the query's to the cohort. */
static void
take_conditions(LiveRelation *live, QueryCondition *condition, List **conditions)
{
	ListCell   *cell;

	foreach(cell, *conditions)
	{
		Node	   *clause = lfirst(cell);

		if (cohort_of_condition(condition, clause) == NULL)
		{
			note_not_asked(live, condition->relation, clause);
			continue;
		}
		live->asked = lappend(live->asked, clause);
		*conditions = foreach_delete_current(*conditions, cell);
	}
}

/* The planner's hook, called for each relation of a query before anything is concluded from its conditions. */
static void
look_at_relation(RELATION_HOOK_PARAMETERS)
{
	FilterSearch search = {.relation = rel->relid};
	LiveRelation *live;
	QueryCondition condition;
	ListCell   *cell;

	if (next_hook != NULL)
		next_hook(RELATION_HOOK_ARGUMENTS);
	if (rel->fdwroutine == NULL || rel->fdwroutine->GetForeignPlan != live_scan_plan)
		return;
	root->glob->parallelModeOK = false;
	live = palloc0(sizeof(LiveRelation));
	live->publication = publication_of_live_table(planner_rt_fetch(rel->relid, root)->relid);
	rel->fdw_private = live;
	condition = (QueryCondition) {
		.publication = live->publication, .relation = rel->relid, .column_of = asked_column,
		.print_value = print_nothing, .known = known_parameters(root),
	};
	(void) find_filters(&search, (Node *) root->parse->jointree);
	foreach(cell, search.filters)
		take_conditions(live, &condition, (List **) lfirst(cell));
	foreach(cell, search.others)
		note_not_asked(live, rel->relid, *(Node **) lfirst(cell));
}

void
define_live_tables(void)
{
	next_hook = build_simple_rel_hook;
	build_simple_rel_hook = look_at_relation;
	define_live_tables_of_shards();
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* A search for how a query uses the columns that stand for several. */
typedef struct UseSearch
{
	const DeclaredPublication *publication;
	Index		relation;
	AttrNumber	cells;			/* the column of cells */
	Bitmapset  *named;			/* columns of the publication, as in cells ->> 'age' */
	bool		all_cells;		/* are cells used otherwise? */
	bool		whole_rows;
} UseSearch;

static bool
is_column(const UseSearch *search, Node *node, AttrNumber attribute)
{
	return IsA(node, Var) && castNode(Var, node)->varno == (int) search->relation &&
		castNode(Var, node)->varattno == attribute && castNode(Var, node)->varlevelsup == 0;
}

/* Is the node a field of the cells, by a name that is known?  If so, notes the column. */
static bool
note_named_cell(UseSearch *search, Node *node)
{
	OpExpr	   *op = IsA(node, OpExpr) ? (OpExpr *) node : NULL;
	Const	   *name;

	if (op == NULL || (op->opfuncid != F_JSONB_OBJECT_FIELD && op->opfuncid != F_JSONB_OBJECT_FIELD_TEXT) ||
		!is_column(search, linitial(op->args), search->cells) || !IsA(lsecond(op->args), Const))
		return false;
	name = lsecond_node(Const, op->args);
	for (int i = 0; i < search->publication->ncolumns && !name->constisnull; i++)
		if (strcmp(search->publication->columns[i].name, TextDatumGetCString(name->constvalue)) == 0)
			search->named = bms_add_member(search->named, i);
	return true;
}

static bool
use_walker(Node *node, UseSearch *search)
{
	if (node == NULL || note_named_cell(search, node))
		return false;
	search->all_cells |= is_column(search, node, search->cells);
	search->whole_rows |= is_column(search, node, InvalidAttrNumber);
	return expression_tree_walker(node, use_walker, search);
}

/*
 * Finds the uses in a query.  Where some may be elsewhere, in what looks at the relation from a subquery or a function
 * beside it, or by way of a parent, everything counts as used.
 */
static UseSearch
find_uses(const PlannerInfo *root, const RelOptInfo *rel, const DeclaredPublication *publication)
{
	UseSearch	search = {.publication = publication, .relation = rel->relid, .cells = 1};
	ListCell   *cell;

	while (live_column(publication, search.cells) != LIVE_CELLS)
		search.cells++;
	search.all_cells = search.whole_rows = rel->reloptkind != RELOPT_BASEREL || !bms_is_empty(rel->lateral_referencers);
	foreach(cell, root->processed_tlist)
	{
		TargetEntry *target = lfirst_node(TargetEntry, cell);

		if (!target->resjunk || !IsA(target->expr, Var))	/* else: a row that is kept to be looked at again */
			(void) use_walker((Node *) target->expr, &search);
	}
	(void) use_walker((Node *) root->parse->jointree, &search);
	(void) use_walker(root->parse->havingQual, &search);
	return search;
}

/* The table's columns that the query looks at, conditions that are asked left aside; numbers as pull_varattnos() has them. */
static Bitmapset *
attributes_wanted(const RelOptInfo *rel, const UseSearch *uses)
{
	const int	whole_row = InvalidAttrNumber - FirstLowInvalidHeapAttributeNumber;
	Bitmapset  *wanted = NULL;
	ListCell   *cell;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &wanted);
	foreach(cell, rel->baserestrictinfo)
		pull_varattnos((Node *) lfirst_node(RestrictInfo, cell)->clause, rel->relid, &wanted);
	if (uses->whole_rows && bms_is_member(whole_row, wanted))
		wanted = bms_add_range(wanted, 1 - FirstLowInvalidHeapAttributeNumber,
							   rel->max_attr - FirstLowInvalidHeapAttributeNumber);
	return wanted;
}

/* The columns of the publication that an answer must show for them. */
static Bitmapset *
columns_shown(const UseSearch *uses, const Bitmapset *wanted)
{
	const DeclaredPublication *publication = uses->publication;
	Bitmapset  *shown = NULL;
	int			member = -1;

	while ((member = bms_next_member(wanted, member)) >= 0)
	{
		AttrNumber	attribute = member + FirstLowInvalidHeapAttributeNumber;
		int			column = asked_column(publication, attribute);

		if (column >= 0)
			shown = bms_add_member(shown, column);
		/* Cells are shown one by one where the query names them, else all. */
		for (int i = 0; attribute == uses->cells && i < publication->ncolumns; i++)
			if (publication->columns[i].role == ROLE_QUASI_IDENTIFIER &&
				(uses->all_cells || uses->named == NULL || bms_is_member(i, uses->named)))
				shown = bms_add_member(shown, i);
	}
	/* Where a query uses no column, as count(*) does not, the sensitive one is shown: an answer must show something. */
	for (int i = 0; shown == NULL && i < publication->ncolumns; i++)
		if (is_sensitive(&publication->columns[i]))
			shown = bms_make_singleton(i);
	return shown;
}

/* ----------------------------------------------------------------
 * The plan
 * ----------------------------------------------------------------
 */

void
live_rel_size(PlannerInfo *root, RelOptInfo *rel, Oid relation)
{
	rel->tuples = ROWS_EXPECTED;
	set_baserel_size_estimates(root, rel);
}

void
live_paths(PlannerInfo *root, RelOptInfo *rel, Oid relation)
{
	add_path(rel, (Path *) make_foreign_path(root, rel, COST_OF_ASKING, COST_OF_ASKING + ROWS_EXPECTED * cpu_tuple_cost));
}

/* A set as a list, which plans can be copied with. */
static List *
integers(const Bitmapset *set)
{
	List	   *list = NIL;
	int			member = -1;

	while ((member = bms_next_member(set, member)) >= 0)
		list = lappend_int(list, member);
	return list;
}

ForeignScan *
live_scan_plan(PlannerInfo *root, RelOptInfo *rel, Oid relation, ForeignPath *path,
			   List *columns, List *clauses, Plan *outer)
{
	LiveRelation *live = rel->fdw_private;
	UseSearch	uses = find_uses(root, rel, live->publication);
	Bitmapset  *wanted = attributes_wanted(rel, &uses);
	Bitmapset  *shown = columns_shown(&uses, wanted);
	ListCell   *cell;

	/* Conditions that the planner has for the relation itself: those that a child gets from its parent are no others. */
	foreach(cell, rel->baserestrictinfo)
		note_not_asked(live, rel->relid, (Node *) lfirst_node(RestrictInfo, cell)->clause);
	foreach(cell, rel->joininfo)
		note_not_asked(live, rel->relid, (Node *) lfirst_node(RestrictInfo, cell)->clause);
	return make_foreignscan(columns, extract_actual_clauses(clauses, false), rel->relid, live->asked,
							list_make3(integers(wanted), integers(shown), integers(live->not_asked)),
							NIL, NIL, outer);
}

LivePlan
live_plan(const List *fdw_private)
{
	return (LivePlan) {
		.wanted = linitial(fdw_private), .shown = lsecond(fdw_private), .not_asked = lthird(fdw_private)
	};
}

/*
 * explain.c
 *		Properties of plan nodes.  See explain.h.
 */
#include "postgres.h"

#include "store/explain.h"

#include "compat.h"
#include "nodes/makefuncs.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"

void
explain_columns(const CustomScanState *node, const Bitmapset *columns, ExplainState *es)
{
	TupleDesc	desc = RelationGetDescr(node->ss.ss_currentRelation);
	List	   *names = NIL;
	int			column = -1;

	while ((column = bms_next_member(columns, column)) >= 0)
		names = lappend(names, NameStr(TupleDescAttr(desc, column)->attname));
	ExplainPropertyList("Columns", names, es);
}

void
explain_clauses(CustomScanState *node, const char *label, List *ancestors, ExplainState *es)
{
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	List	   *context;

	if (plan->custom_exprs == NIL)
		return;
	context = set_deparse_context_plan(es->deparse_cxt, &plan->scan.plan, ancestors);
	ExplainPropertyText(label,
						deparse_expression((Node *) make_ands_explicit(list_copy(plan->custom_exprs)), context,
										   explained_tables(es) > 1 || es->verbose, false), es);
}

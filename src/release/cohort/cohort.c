/*
 * cohort.c
 *		From the text of a cohort to a condition for rows.
 *
 * NOTES
 *		Columns are given as the types under their domains; the condition is
 *		printed and read again, so it may be put into any query of the view,
 *		and the planner uses the source's indexes for it.
 */
#include "release/cohort/cohort.h"

#include "catalog/pg_type.h"
#include "method/method.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "release/cohort/steps.h"
#include "utils/builtins.h"
#include "utils/ruleutils.h"

/* A place in the cohort is none in the statement that the cohort came with. */
static void
move_position(void *cohort)
{
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(cohort);
	}
}

/* Turns a column's name into a Var: the parser's hook, since cohorts are parsed without a range table. */
static Node *
column_of(ParseState *pstate, ColumnRef *reference)
{
	const DeclaredPublication *publication = pstate->p_ref_hook_state;
	int			i = find_cohort_column(publication, strVal(linitial(reference->fields)),
									   pstate, reference->location);
	const DeclaredColumn *column = &publication->columns[i];
	Var		   *var = makeVar(1, i + 1, column->type, column->typmod, column->collation, 0);

	var->location = reference->location;
	return (Node *) var;
}

/* Coerces the cohort to boolean, or raises an error. */
static Node *
as_boolean(ParseState *pstate, Node *expression)
{
	Oid			type = exprType(expression);

	if (type != BOOLOID && type != UNKNOWNOID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a cohort must be of type boolean, not %s", format_type_be(type)),
				 errhint("Compare it with something: age > 40."),
				 parser_errposition(pstate, exprLocation(expression))));
	return coerce_to_boolean(pstate, expression, "cohort");
}

/* Computes all that no row has a part in, now() included. */
static Node *
compute_constants(Node *expression)
{
	PlannerInfo *root = makeNode(PlannerInfo);

	root->glob = makeNode(PlannerGlobal);
	return estimate_expression_value(root, expression);
}

static void
verify_takes_cohorts(const DeclaredPublication *publication)
{
	if (!find_method(publication->method)->declaration.cohorts)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("method \"%s\" publishes everybody", publication->method),
				 errhint("Leave the argument out.")));
}

/* Reads a cohort in the order of steps.h: as written, as meant, and what is left for rows. */
static Node *
read_cohort(const DeclaredPublication *publication, const char *cohort)
{
	ParseState *pstate = make_parsestate(NULL);
	Node	   *expression;

	pstate->p_sourcetext = cohort;
	pstate->p_pre_columnref_hook = column_of;
	pstate->p_ref_hook_state = unconstify(DeclaredPublication *, publication);
	expression = read_written(pstate, publication, cohort);
	expression = transformExpr(pstate, expression, EXPR_KIND_WHERE);
	expression = as_boolean(pstate, expression);
	assign_expr_collations(pstate, expression);
	verify_built_in(pstate, expression);
	expression = compute_constants(expression);
	verify_for_rows(pstate, expression);
	free_parsestate(pstate);
	return expression;
}

char *
cohort_condition(const DeclaredPublication *publication, const char *cohort)
{
	ErrorContextCallback callback = {
		.previous = error_context_stack, .callback = move_position, .arg = unconstify(char *, cohort)
	};
	Node	   *expression;

	verify_takes_cohorts(publication);
	error_context_stack = &callback;
	expression = read_cohort(publication, cohort);
	error_context_stack = callback.previous;
	return deparse_expression(expression, deparse_context_for("source", publication->pinned), false, true);
}

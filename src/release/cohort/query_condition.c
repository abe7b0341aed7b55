/*
 * query_condition.c
 *		A condition of a query, written as a cohort.
 *
 *		A condition is looked at as the planner has it, and comes out as text, so that it is read, and checked, once more
 *		by those who answer.  Each part says its type, so that the operators are those that the query had.
 *
 *		Cohorts are read in time zone UTC, and a query's conditions in that of its session.  So a value is brought to the kind
 *		of time that its column has, in the session, and no other comparison that depends on the time zone is taken.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "release/cohort/cohort.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

static char *write_node(QueryCondition *condition, Node *node);

/* ----------------------------------------------------------------
 * Values: what no column has a part in
 * ----------------------------------------------------------------
 */

/* Does the node need a row, or something that is not known when the query begins? */
static bool
needs_row(Node *node, QueryCondition *condition)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Var:
		case T_PlaceHolderVar:
		case T_Aggref:
		case T_GroupingFunc:
		case T_WindowFunc:
		case T_SubPlan:
		case T_AlternativeSubPlan:
		case T_SubLink:
		case T_CurrentOfExpr:
		case T_NextValueExpr:
			return true;
		case T_Param:
			{
				Param	   *param = (Param *) node;

				if (param->paramkind == PARAM_EXEC)
					return !condition->is_begun && !bms_is_member(param->paramid, condition->known);
				return param->paramkind != PARAM_EXTERN;
			}
		default:
			return expression_tree_walker(node, needs_row, condition);
	}
}

static bool
is_value(QueryCondition *condition, Node *node)
{
	return !needs_row(node, condition) && !contain_volatile_functions(node);
}

/* A value of time, with a time zone where the other side has one, and without where it has none. */
static Expr *
in_kind_of_time(Expr *value, Oid other)
{
	Oid			type = exprType((Node *) value);
	Oid			cast = InvalidOid;
	Oid			result = InvalidOid;

	if (other == TIMESTAMPTZOID && (type == DATEOID || type == TIMESTAMPOID))
	{
		cast = type == DATEOID ? F_TIMESTAMPTZ_DATE : F_TIMESTAMPTZ_TIMESTAMP;
		result = TIMESTAMPTZOID;
	}
	else if (type == TIMESTAMPTZOID && (other == DATEOID || other == TIMESTAMPOID))
	{
		cast = F_TIMESTAMP_TIMESTAMPTZ;
		result = TIMESTAMPOID;
	}
	if (!OidIsValid(cast))
		return value;
	return (Expr *) makeFuncExpr(cast, result, list_make1(value), InvalidOid, InvalidOid, COERCE_EXPLICIT_CAST);
}

/*
 * A value with its type, where that is not the other side's, for which a literal is taken anyhow; NULL if cohorts have
 * none of its type.
 */
static char *
write_value(QueryCondition *condition, Expr *value, Oid other)
{
	Oid			type = getBaseType(exprType((Node *) value));
	Oid			element = get_element_type(type);
	const char *name = cohort_type_name(OidIsValid(element) ? element : type);
	char	   *text;

	if (name == NULL)
		return NULL;
	text = condition->print_value(condition, value, type);
	if (type == INT4OID && text != NULL && text[0] != '-')
		return text;
	if (type == other && text != NULL)
		return quote_literal_cstr(text);
	return psprintf("%s::%s%s", text == NULL ? "NULL" : quote_literal_cstr(text), name, OidIsValid(element) ? "[]" : "");
}

/* ----------------------------------------------------------------
 * Comparisons
 * ----------------------------------------------------------------
 */

/* Is the collation by which texts are compared that of all the columns in them?  Cohorts have no COLLATE. */
static bool
has_own_collation(Node *node, Oid *collation)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return OidIsValid(castNode(Var, node)->varcollid) && castNode(Var, node)->varcollid != *collation;
	return expression_tree_walker(node, has_own_collation, collation);
}

/*
 * One side of a comparison; other: the type of the other side.  A pattern must be a value; and a comparison of two
 * values is none of columns.
 */
static char *
write_side(QueryCondition *condition, Node *side, Oid other)
{
	Expr	   *value;

	if (!is_value(condition, side))
		return write_node(condition, side);
	value = in_kind_of_time((Expr *) side, other);
	if (condition->is_begun && exprType((Node *) value) == TIMESTAMPOID && exprType(side) == TIMESTAMPTZOID)
		condition->verify_local_time(condition, (Expr *) side);
	return write_value(condition, value, other);
}

/* May cohorts apply the operator to these? */
static bool
is_comparison(QueryCondition *condition, Oid operator, List *args, Oid collation)
{
	char	   *name = get_opname(operator);

	if (operator >= FirstGenbkiObjectId || name == NULL || !is_column_operator(name) ||
		get_op_rettype(operator) != BOOLOID || list_length(args) != 2 || has_own_collation((Node *) args, &collation))
		return false;
	if (strcmp(name, "~~") != 0 && strcmp(name, "!~~") != 0)
		return true;
	return is_value(condition, lsecond(args)) && get_collation_isdeterministic(collation);
}

/* word: the operator as cohorts write it. */
static char *
write_comparison(QueryCondition *condition, OpExpr *op, const char *word)
{
	Node	   *left = list_length(op->args) == 2 ? linitial(op->args) : NULL;
	Node	   *right = left == NULL ? NULL : lsecond(op->args);
	char	   *left_text;
	char	   *right_text;

	if (!is_comparison(condition, op->opno, op->args, op->inputcollid))
		return NULL;
	/* Of two columns, brought to one kind of time, it depends on the time zone all the same. */
	if (op_volatile(op->opno) != PROVOLATILE_IMMUTABLE && !is_value(condition, left) && !is_value(condition, right))
		return NULL;
	left_text = write_side(condition, left, exprType(right));
	right_text = left_text == NULL ? NULL : write_side(condition, right, exprType(left));
	return right_text == NULL ? NULL : psprintf("(%s %s %s)", left_text, word, right_text);
}

/* A column compared with the elements of an array, as IN has it. */
static char *
write_any(QueryCondition *condition, ScalarArrayOpExpr *any)
{
	Node	   *array = lsecond(any->args);
	char	   *left;
	char	   *right;

	if (!is_comparison(condition, any->opno, any->args, any->inputcollid) || !is_value(condition, array) ||
		op_volatile(any->opno) != PROVOLATILE_IMMUTABLE || !OidIsValid(get_element_type(getBaseType(exprType(array)))))
		return NULL;
	left = write_side(condition, linitial(any->args), InvalidOid);
	right = left == NULL ? NULL : write_value(condition, (Expr *) array, InvalidOid);
	return right == NULL ? NULL :
		psprintf("(%s %s %s (%s))", left, get_opname(any->opno), any->useOr ? "ANY" : "ALL", right);
}

/* A column that cohorts can ask about, by the name that it was declared with. */
static char *
write_column(QueryCondition *condition, Var *var)
{
	int			column;

	if ((Index) var->varno != condition->relation || var->varlevelsup != 0 || var->varattno <= 0)
		return NULL;
	column = condition->column_of(condition->publication, var->varattno);
	if (column < 0 || !is_cohort_column(&condition->publication->columns[column]))
		return NULL;
	return pstrdup(quote_identifier(condition->publication->columns[column].name));
}

/* A cast to a type that cohorts know, of what is not a value. */
static char *
write_cast(QueryCondition *condition, Node *arg, Oid type)
{
	char	   *text = is_cohort_type(type) ? write_node(condition, arg) : NULL;

	return text == NULL ? NULL : psprintf("(%s)::%s", text, cohort_type_name(type));
}

/* AND, OR and NOT, if all their parts can be asked. */
static char *
write_bool(QueryCondition *condition, BoolExpr *expression)
{
	const char *word = expression->boolop == AND_EXPR ? " AND " : " OR ";
	StringInfoData text;
	ListCell   *cell;

	initStringInfo(&text);
	foreach(cell, expression->args)
	{
		char	   *part = write_node(condition, lfirst(cell));

		if (part == NULL)
			return NULL;
		appendStringInfo(&text, "%s%s", text.len > 0 ? word : "", part);
	}
	return psprintf(expression->boolop == NOT_EXPR ? "(NOT %s)" : "(%s)", text.data);
}

static char *
write_test(QueryCondition *condition, Node *arg, const char *test)
{
	char	   *text = write_node(condition, arg);

	return text == NULL ? NULL : psprintf("(%s %s)", text, test);
}

/* The words of a test of a boolean. */
static const char *const boolean_tests[] = {
	[IS_TRUE] = "IS TRUE",[IS_NOT_TRUE] = "IS NOT TRUE",[IS_FALSE] = "IS FALSE",[IS_NOT_FALSE] = "IS NOT FALSE",
	[IS_UNKNOWN] = "IS UNKNOWN",[IS_NOT_UNKNOWN] = "IS NOT UNKNOWN",
};

/* Writes a node that is no value; NULL if cohorts have none of its kind. */
static char *
write_expression(QueryCondition *condition, Node *node)
{
	const FuncExpr *call = (FuncExpr *) node;
	const NullTest *null_test = (NullTest *) node;
	const BooleanTest *test = (BooleanTest *) node;

	switch (nodeTag(node))
	{
		case T_Var:
			return write_column(condition, (Var *) node);
		case T_RelabelType:
			return write_cast(condition, (Node *) ((RelabelType *) node)->arg, ((RelabelType *) node)->resulttype);
		case T_FuncExpr:
			/* a cast that has a result for each value of a column */
			return !is_column_cast(call->funcid) || func_volatile(call->funcid) != PROVOLATILE_IMMUTABLE ? NULL :
				write_cast(condition, linitial(call->args), call->funcresulttype);
		case T_OpExpr:
			return write_comparison(condition, (OpExpr *) node, get_opname(((OpExpr *) node)->opno));
		case T_DistinctExpr:
			return write_comparison(condition, (OpExpr *) node, "IS DISTINCT FROM");
		case T_ScalarArrayOpExpr:
			return write_any(condition, (ScalarArrayOpExpr *) node);
		case T_BoolExpr:
			return write_bool(condition, (BoolExpr *) node);
		case T_NullTest:
			return null_test->argisrow ? NULL :
				write_test(condition, (Node *) null_test->arg, null_test->nulltesttype == IS_NULL ? "IS NULL" : "IS NOT NULL");
		case T_BooleanTest:
			return write_test(condition, (Node *) test->arg, boolean_tests[test->booltesttype]);
		default:
			return NULL;
	}
}

static char *
write_node(QueryCondition *condition, Node *node)
{
	check_stack_depth();
	return is_value(condition, node) ? write_value(condition, (Expr *) node, InvalidOid) : write_expression(condition, node);
}

char *
cohort_of_condition(QueryCondition *condition, Node *clause)
{
	return is_value(condition, clause) ? NULL : write_node(condition, clause);
}

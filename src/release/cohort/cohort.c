/*
 * cohort.c
 *		From the text of a cohort to a condition for rows.
 */
#include "postgres.h"

#include "release/cohort/cohort.h"

#include "access/transam.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "compat.h"
#include "declare/shard.h"
#include "method/method.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

/* ----------------------------------------------------------------
 * A cohort as PostgreSQL takes it: which operators and casts its words mean.
 *
 * That names are those of pg_catalog is not enough: casts have no schema,
 * and so anybody's may have come in.  What was made by initdb has a number
 * below all others.
 * ----------------------------------------------------------------
 */

#define MAX_PATTERN_BYTES	1024	/* each % may cost a level of recursion, for each row */
#define MAX_DIGITS			1000	/* multiplying long numbers takes long, and cannot be interrupted */

static bool
is_strange(Oid function, void *context)
{
	return function >= FirstGenbkiObjectId || func_volatile(function) == PROVOLATILE_VOLATILE;
}

static void
verify_type(ParseState *pstate, Node *node)
{
	Oid			type = exprType(node);
	Oid			element = get_element_type(type);

	if (type != UNKNOWNOID && !is_cohort_type(OidIsValid(element) ? element : type))
		refuse_in_cohort(psprintf("values of type %s", format_type_be(type)), pstate, exprLocation(node));
}

/*
 * Verifies a cohort as PostgreSQL takes it: nothing but what is built in, over types
 * that are on the list. To be called before anything is computed.
 */
static bool
verify_built_in(Node *node, ParseState *pstate)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_List:
			break;
		case T_Const:
			{
				const Const *number = (Const *) node;

				/* It would take too long to calculate with. */
				if (number->consttype == NUMERICOID && !number->constisnull &&
					strlen(DatumGetCString(DirectFunctionCall1(numeric_out, number->constvalue))) > MAX_DIGITS)
					ereport(ERROR,
							(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
							 errmsg("a number of a cohort may have %d digits at most", MAX_DIGITS),
							 parser_errposition(pstate, number->location)));
				verify_type(pstate, node);
				break;
			}
		case T_CoerceViaIO:
			refuse_in_cohort(psprintf("casts from type %s to type %s",
									  format_type_be(exprType((Node *) ((CoerceViaIO *) node)->arg)),
									  format_type_be(exprType(node))),
							 pstate, exprLocation(node));
		case T_Var:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_ScalarArrayOpExpr:
		case T_FuncExpr:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_RelabelType:
		case T_ArrayExpr:
		case T_ArrayCoerceExpr:
		case T_SQLValueFunction:
			verify_type(pstate, node);
			break;
		case T_CaseTestExpr:	/* an element of what ArrayCoerceExpr is about */
			break;
		default:
			refuse_in_cohort("expressions of this kind", pstate, exprLocation(node));
	}
	if (check_functions_in_node(node, is_strange, NULL))
		refuse_in_cohort("operators and casts that are not built in", pstate, exprLocation(node));
	return expression_tree_walker(node, verify_built_in, pstate);
}

/* Where an escape has nothing behind it, LIKE fails for the rows that get so far. */
static void
verify_pattern(ParseState *pstate, Datum pattern, int location)
{
	text	   *words = DatumGetTextPP(pattern);
	const char *p = VARDATA_ANY(words);
	int			length = VARSIZE_ANY_EXHDR(words);

	if (length > MAX_PATTERN_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a LIKE pattern of a cohort may have %d bytes at most", MAX_PATTERN_BYTES),
				 parser_errposition(pstate, location)));
	for (int i = 0; i < length; i++)
		if (p[i] == '\\' && ++i == length)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_ESCAPE_SEQUENCE),
					 errmsg("LIKE pattern must not end with escape character"),
					 errhint("To match a backslash, write two of them."),
					 parser_errposition(pstate, location)));
}

/* Refuses LIKE that could fail for some rows. */
static void
verify_like(ParseState *pstate, Node *pattern, Oid collation, int location)
{
	Datum		value;
	Datum	   *patterns;
	bool	   *nulls;
	int			n;

	if (!IsA(pattern, Const))
		refuse_in_cohort("LIKE with a pattern that is not constant", pstate, location);
	if (!get_collation_isdeterministic(collation))
		refuse_in_cohort("LIKE over a column whose collation is not deterministic", pstate, location);
	value = ((Const *) pattern)->constvalue;
	if (((Const *) pattern)->constisnull)
		return;
	if (exprType(pattern) == TEXTOID)
	{
		verify_pattern(pstate, value, exprLocation(pattern));
		return;
	}
	if (exprType(pattern) != TEXTARRAYOID)	/* of LIKE ANY and LIKE ALL */
		elog(ERROR, "pattern has type %u", exprType(pattern));
	deconstruct_array(DatumGetArrayTypeP(value), TEXTOID, -1, false, TYPALIGN_INT, &patterns, &nulls, &n);
	for (int i = 0; i < n; i++)
		if (!nulls[i])
			verify_pattern(pstate, patterns[i], exprLocation(pattern));
}

/* Allows only built-in operators that cohorts may use on columns, with a safe collation and pattern. */
static void
verify_comparison(ParseState *pstate, Oid operator, List *args, Oid collation, int location)
{
	char	   *name = get_opname(operator);
	ListCell   *cell;

	if (operator >= FirstGenbkiObjectId || !is_column_operator(name) || get_op_rettype(operator) != BOOLOID)
		refuse_in_cohort(psprintf("operator %s over columns", name), pstate, location);
	/* Texts that do not say by which collation they are to be compared fail for the rows that get so far. */
	foreach(cell, args)
	{
		Oid			type = exprType(lfirst(cell));
		Oid			element = get_element_type(type);

		if (!OidIsValid(collation) && type_is_collatable(OidIsValid(element) ? element : type))
			refuse_in_cohort("comparisons of columns with different collations", pstate, location);
	}
	if (strcmp(name, "~~") == 0 || strcmp(name, "!~~") == 0)
		verify_like(pstate, lsecond(args), collation, location);
}

/* Verifies the part that is left to be computed for each row: it must have a result for each value of a column. */
static bool
verify_for_rows(Node *node, ParseState *pstate)
{
	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_List:
		case T_Var:
		case T_Const:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_RelabelType:
			break;
		case T_OpExpr:
		case T_DistinctExpr:
			{
				OpExpr	   *op = (OpExpr *) node;

				verify_comparison(pstate, op->opno, op->args, op->inputcollid, op->location);
				break;
			}
		case T_ScalarArrayOpExpr:
			{
				ScalarArrayOpExpr *op = (ScalarArrayOpExpr *) node;

				if (!IsA(lsecond(op->args), Const))
					refuse_in_cohort("arrays of columns", pstate, op->location);
				verify_comparison(pstate, op->opno, op->args, op->inputcollid, op->location);
				break;
			}
		case T_FuncExpr:
			{
				FuncExpr   *call = (FuncExpr *) node;

				if (!is_column_cast(call->funcid))
					refuse_in_cohort(call->funcformat == COERCE_EXPLICIT_CALL
									 ? psprintf("function %s() over columns", get_func_name(call->funcid))
									 : psprintf("casts of columns to type %s", format_type_be(call->funcresulttype)),
									 pstate, exprLocation(node));
				break;
			}
		case T_ArrayExpr:
			refuse_in_cohort("arrays of columns", pstate, exprLocation(node));
		default:
			refuse_in_cohort("expressions of this kind over columns", pstate, exprLocation(node));
	}
	return expression_tree_walker(node, verify_for_rows, pstate);
}

/* ----------------------------------------------------------------
 * From the text of a cohort to a condition for rows.
 *
 * Columns are given as the types under their domains; the condition is
 * printed and read again, so it may be put into any query of the view,
 * and the planner uses the source's indexes for it.
 * ----------------------------------------------------------------
 */

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

/* Reads a cohort as it is written, as it is meant, and what is left of it for rows. */
static Node *
read_cohort(const DeclaredPublication *publication, const char *cohort)
{
	ParseState *pstate = make_parsestate(NULL);
	PlannerInfo *root = makeNode(PlannerInfo);
	Node	   *expression;
	Oid			type;

	pstate->p_sourcetext = cohort;
	pstate->p_pre_columnref_hook = column_of;
	pstate->p_ref_hook_state = unconstify(DeclaredPublication *, publication);
	expression = read_written(pstate, publication, cohort);
	expression = transformExpr(pstate, expression, EXPR_KIND_WHERE);
	type = exprType(expression);
	if (type != BOOLOID && type != UNKNOWNOID)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a cohort must be of type boolean, not %s", format_type_be(type)),
				 errhint("Compare it with something: age > 40."),
				 parser_errposition(pstate, exprLocation(expression))));
	expression = coerce_to_boolean(pstate, expression, "cohort");
	assign_expr_collations(pstate, expression);
	(void) verify_built_in(expression, pstate);
	/* All that no row has a part in is computed, now() included. */
	root->glob = makeNode(PlannerGlobal);
	expression = estimate_expression_value(root, expression);
	(void) verify_for_rows(expression, pstate);
	free_parsestate(pstate);
	return expression;
}

char *
condition_of(const DeclaredPublication *publication, const char *cohort)
{
	ErrorContextCallback callback = {
		.previous = error_context_stack, .callback = move_position, .arg = unconstify(char *, cohort)
	};
	Node	   *expression;

	error_context_stack = &callback;
	expression = read_cohort(publication, cohort);
	error_context_stack = callback.previous;
	return deparse_expression(expression, deparse_context_for("source", publication->pinned), false, true);
}

char *
cohort_condition(const DeclaredPublication *publication, const char *cohort)
{
	if (!find_method(publication->method)->declaration.cohorts)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("method \"%s\" publishes everybody", publication->method),
				 errhint("Leave the argument out.")));
	return condition_of(publication, cohort);
}

/*
 * condition.c
 *		Taking conditions apart, and comparing groups' bounds with them.
 *
 * NOTES
 *		Only operators of PostgreSQL's own btree families count, and only those
 *		whose order is the one that bounds are kept in (bounds.h).
 */
#include "postgres.h"

#include "store/condition.h"

#include "access/transam.h"
#include "catalog/pg_type_d.h"
#include "compat.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/typcache.h"
#include "utils/uuid.h"

/* ----------------------------------------------------------------
 * Taking apart
 * ----------------------------------------------------------------
 */

/* Returns the column that an expression stands for, through binary-compatible casts; or NULL. */
static const Var *
column_of(const Node *node, Index relid)
{
	while (IsA(node, RelabelType))
		node = (const Node *) ((const RelabelType *) node)->arg;
	if (IsA(node, Var) && ((const Var *) node)->varno == (int) relid &&
		((const Var *) node)->varlevelsup == 0 && ((const Var *) node)->varattno > 0)
		return (const Var *) node;
	return NULL;
}

/* Its value is known before the scan starts, and finding it out cannot fail. */
static bool
is_known(const Node *node)
{
	while (IsA(node, RelabelType))
		node = (const Node *) ((const RelabelType *) node)->arg;
	return IsA(node, Const) || (IsA(node, Param) && ((const Param *) node)->paramkind != PARAM_SUBLINK);
}

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

/* Values of both types are kept, and compared, in one and the same way. */
static bool
are_comparable(Oid column, Oid value, Order *order)
{
	column = getBaseType(column);
	value = getBaseType(value);
	*order = order_of_type(column);
	if (*order == ORDER_NONE || order_of_type(value) != *order)
		return false;
	return column == value || (is_integer(column) && is_integer(value)) || *order == ORDER_TEXT;
}

/* Text is compared byte by byte here. */
static bool
collation_agrees(Order order, StrategyNumber strategy, Oid collation)
{
	if (order != ORDER_TEXT)
		return true;
	if (!OidIsValid(collation))
		return false;
	return lc_collate_is_c(collation) ||
		(strategy == BTEqualStrategyNumber && get_collation_isdeterministic(collation));
}

/* Can bounds be compared by this operator? Sets the condition's strategy if so. */
static bool
set_operator(Condition *condition, Oid operator, Oid column_type, Oid operand_type, Oid value_type, Oid collation)
{
	TypeCacheEntry *entry = lookup_type_cache(getBaseType(operand_type), TYPECACHE_BTREE_OPFAMILY);

	if (!are_comparable(column_type, value_type, &condition->order) ||
		!OidIsValid(entry->btree_opf) || entry->btree_opf >= FirstNormalObjectId)
		return false;
	condition->type = value_type;
	condition->strategy = get_op_opfamily_strategy(operator, entry->btree_opf);
	return condition->strategy != InvalidStrategy &&
		collation_agrees(condition->order, condition->strategy, collation);
}

/* Makes the condition of "column operator value", or of "value operator column". */
static bool
make_comparison(const OpExpr *clause, Index relid, Condition *condition)
{
	Node	   *left = linitial(clause->args);
	Node	   *right = list_length(clause->args) == 2 ? lsecond(clause->args) : NULL;
	Oid			operator = clause->opno;
	const Var  *column;

	if (right == NULL)
		return false;
	if (column_of(left, relid) == NULL)
	{
		Node	   *swapped = left;

		left = right;
		right = swapped;
		operator = get_commutator(operator);
	}
	column = column_of(left, relid);
	if (column == NULL || !is_known(right) || !OidIsValid(operator))
		return false;
	condition->kind = CONDITION_COMPARE;
	condition->column = column->varattno - 1;
	condition->expression = (Expr *) right;
	return set_operator(condition, operator, column->vartype, exprType(left), exprType(right), clause->inputcollid);
}

/* Makes the condition of "column operator ANY (array)". */
static bool
make_any(const ScalarArrayOpExpr *clause, Index relid, Condition *condition)
{
	Node	   *left = linitial(clause->args);
	Node	   *right = lsecond(clause->args);
	const Var  *column = column_of(left, relid);
	Oid			element = get_element_type(exprType(right));

	if (!clause->useOr || column == NULL || !is_known(right) || !OidIsValid(element))
		return false;
	condition->kind = CONDITION_ANY;
	condition->column = column->varattno - 1;
	condition->expression = (Expr *) right;
	return set_operator(condition, clause->opno, column->vartype, exprType(left), element, clause->inputcollid);
}

/* Makes a condition of IS NULL or IS NOT NULL; false if the clause is not about a column. */
static bool
make_null_test(const NullTest *clause, Index relid, Condition *condition)
{
	const Var  *column = column_of((Node *) clause->arg, relid);

	/* IS NULL of a composite value asks about its fields. */
	if (column == NULL || clause->argisrow)
		return false;
	condition->kind = clause->nulltesttype == IS_NULL ? CONDITION_NULL : CONDITION_NOT_NULL;
	condition->column = column->varattno - 1;
	return true;
}

bool
make_condition(Node *clause, Index relid, Condition *condition)
{
	memset(condition, 0, sizeof(*condition));
	if (IsA(clause, OpExpr))
		return make_comparison((OpExpr *) clause, relid, condition);
	if (IsA(clause, ScalarArrayOpExpr))
		return make_any((ScalarArrayOpExpr *) clause, relid, condition);
	if (IsA(clause, NullTest))
		return make_null_test((NullTest *) clause, relid, condition);
	return false;
}

/* ----------------------------------------------------------------
 * Executing
 * ----------------------------------------------------------------
 */

void
begin_condition(Condition *condition, PlanState *parent)
{
	condition->state = condition->expression ? ExecInitExpr(condition->expression, parent) : NULL;
}

/* The value may be gone before the scan is; and bounds have no TOAST pointers. */
static Datum
keep_value(const Condition *condition, Datum value)
{
	if (condition->order == ORDER_UUID)
		return datumCopy(value, false, UUID_LEN);
	if (bound_is_by_reference(condition->order))
		return PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	return value;
}

/* Keeps an array's elements; a NULL among them makes no row match. */
static void
take_array(Condition *condition, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *elements;
	bool	   *nulls;
	int			nelements;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign, &elements, &nulls, &nelements);
	condition->values = palloc(Max(nelements, 1) * sizeof(Datum));
	for (int i = 0; i < nelements; i++)
		if (!nulls[i])
			condition->values[condition->nvalues++] = keep_value(condition, elements[i]);
}

void
evaluate_condition(Condition *condition, ExprContext *econtext)
{
	Datum		value;
	bool		isnull;

	condition->never = false;
	condition->nvalues = 0;
	if (condition->state == NULL)
		return;
	value = ExecEvalExprSwitchContext(condition->state, econtext, &isnull);
	condition->never = isnull;
	if (isnull)
		return;
	if (condition->kind == CONDITION_ANY)
		take_array(condition, value);
	else
	{
		condition->values = palloc(sizeof(Datum));
		condition->values[0] = keep_value(condition, value);
		condition->nvalues = 1;
	}
	condition->never = condition->nvalues == 0;
}

bool
group_may_fulfill(const RowGroup *group, const Condition *condition)
{
	const ColumnEntry *entry;
	Datum		least;
	Datum		greatest;

	if (condition->never)
		return false;
	if (condition->column >= group->header.natts)
		return true;
	entry = &group->columns[condition->column];
	if (condition->kind == CONDITION_NULL)
		return entry->nulls > 0;
	if (entry->nulls == group->header.nrows)
		return false;
	if (condition->kind == CONDITION_NOT_NULL || !group_bounds(group, condition->column, condition->order, &least, &greatest))
		return true;
	for (int i = 0; i < condition->nvalues; i++)
		if (bounds_may_hold(condition->order, least, greatest, condition->strategy, condition->values[i]))
			return true;
	return false;
}

bool
group_must_fulfill(const RowGroup *group, const Condition *condition)
{
	const ColumnEntry *entry;
	Datum		least;
	Datum		greatest;

	if (condition->never || condition->column >= group->header.natts)
		return false;
	entry = &group->columns[condition->column];
	if (condition->kind == CONDITION_NULL)
		return entry->nulls == group->header.nrows;
	if (entry->nulls > 0)
		return false;
	if (condition->kind == CONDITION_NOT_NULL)
		return true;
	if (!group_bounds(group, condition->column, condition->order, &least, &greatest))
		return false;
	for (int i = 0; i < condition->nvalues; i++)
		if (bounds_must_hold(condition->order, least, greatest, condition->strategy, condition->values[i]))
			return true;
	return false;
}

bool
value_fulfills(const Condition *condition, Datum value, bool isnull)
{
	if (condition->never || isnull)
		return !condition->never && condition->kind == CONDITION_NULL;
	if (condition->kind == CONDITION_NULL || condition->kind == CONDITION_NOT_NULL)
		return condition->kind == CONDITION_NOT_NULL;
	for (int i = 0; i < condition->nvalues; i++)
		if (bounds_may_hold(condition->order, value, value, condition->strategy, condition->values[i]))
			return true;
	return false;
}

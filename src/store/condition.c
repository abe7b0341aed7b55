/*
 * condition.c
 *		Conditions on columns, and the bounds of groups that they are compared with.
 *
 * NOTES
 *		Only operators of PostgreSQL's own btree families count, and only those
 *		whose order is the one that bounds are kept in (layout.h).
 */
#include "postgres.h"

#include "store/plan.h"

#include "access/transam.h"
#include "catalog/pg_type_d.h"
#include "compat.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/typcache.h"
#include "utils/uuid.h"

/* ----------------------------------------------------------------
 * Bounds
 * ----------------------------------------------------------------
 */

Order
order_of_type(Oid type)
{
	switch (getBaseType(type))
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return ORDER_INTEGER;
		case BOOLOID:
		case OIDOID:
			return ORDER_UNSIGNED;
		case FLOAT4OID:
			return ORDER_FLOAT4;
		case FLOAT8OID:
			return ORDER_FLOAT8;
		case NUMERICOID:
			return ORDER_NUMERIC;
		case UUIDOID:
			return ORDER_UUID;
		case TEXTOID:
		case VARCHAROID:
			return ORDER_TEXT;
		default:
			return ORDER_NONE;
	}
}

int
compare_in_order(Order order, Datum a, Datum b)
{
	switch (order)
	{
		case ORDER_INTEGER:
			return DatumGetInt64(a) < DatumGetInt64(b) ? -1 : DatumGetInt64(a) > DatumGetInt64(b);
		case ORDER_UNSIGNED:
			/* Above these 32 bits a Datum may have anything. */
			return DatumGetUInt32(a) < DatumGetUInt32(b) ? -1 : DatumGetUInt32(a) > DatumGetUInt32(b);
		case ORDER_FLOAT4:
			return float4_cmp_internal(DatumGetFloat4(a), DatumGetFloat4(b));
		case ORDER_FLOAT8:
			return float8_cmp_internal(DatumGetFloat8(a), DatumGetFloat8(b));
		case ORDER_NUMERIC:
			return DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
		case ORDER_UUID:
			return memcmp(DatumGetUUIDP(a)->data, DatumGetUUIDP(b)->data, UUID_LEN);
		case ORDER_TEXT:
			{
				struct varlena *x = (struct varlena *) DatumGetPointer(a);
				struct varlena *y = (struct varlena *) DatumGetPointer(b);
				Size		x_length = VARSIZE_ANY_EXHDR(x);
				Size		y_length = VARSIZE_ANY_EXHDR(y);
				int			result = memcmp(VARDATA_ANY(x), VARDATA_ANY(y), Min(x_length, y_length));

				/* Compares two varlenas byte by byte, the shorter first where one begins with the other. */
				if (result != 0 || x_length == y_length)
					return result;
				return x_length < y_length ? -1 : 1;
			}
		case ORDER_NONE:
			break;
	}
	elog(ERROR, "values without an order were compared");
	return 0;
}

bool
find_bounds(Order order, const Datum *values, const bool *nulls, uint32 nrows, Datum *least, Datum *greatest)
{
	bool		found = false;

	for (uint32 i = 0; i < nrows; i++)
	{
		if (nulls[i])
			continue;
		if (!found)
			*least = *greatest = values[i];
		else if (values[i] == values[i - 1] && !nulls[i - 1])
			continue;
		else if (compare_in_order(order, values[i], *least) < 0)
			*least = values[i];
		else if (compare_in_order(order, values[i], *greatest) > 0)
			*greatest = values[i];
		found = true;
	}
	return found;
}

bool
bounds_may_hold(Order order, Datum least, Datum greatest, StrategyNumber strategy, Datum value)
{
	switch (strategy)
	{
		case BTLessStrategyNumber:
			return compare_in_order(order, least, value) < 0;
		case BTLessEqualStrategyNumber:
			return compare_in_order(order, least, value) <= 0;
		case BTEqualStrategyNumber:
			return compare_in_order(order, least, value) <= 0 && compare_in_order(order, greatest, value) >= 0;
		case BTGreaterEqualStrategyNumber:
			return compare_in_order(order, greatest, value) >= 0;
		case BTGreaterStrategyNumber:
			return compare_in_order(order, greatest, value) > 0;
	}
	return true;
}

bool
bounds_must_hold(Order order, Datum least, Datum greatest, StrategyNumber strategy, Datum value)
{
	switch (strategy)
	{
		case BTLessStrategyNumber:
		case BTLessEqualStrategyNumber:
			return bounds_may_hold(order, greatest, greatest, strategy, value);
		case BTEqualStrategyNumber:
			return bounds_may_hold(order, least, least, strategy, value) &&
				bounds_may_hold(order, greatest, greatest, strategy, value);
		case BTGreaterEqualStrategyNumber:
		case BTGreaterStrategyNumber:
			return bounds_may_hold(order, least, least, strategy, value);
	}
	return false;
}

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

/* Values of both types are kept, and compared, in one and the same way. */
static bool
are_comparable(Oid column, Oid value, Order *order)
{
	column = getBaseType(column);
	value = getBaseType(value);
	*order = order_of_type(column);
	if (*order == ORDER_NONE || order_of_type(value) != *order)
		return false;
	return column == value || *order == ORDER_TEXT ||
		((column == INT2OID || column == INT4OID || column == INT8OID) && (value == INT2OID || value == INT4OID || value == INT8OID));
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
	if (condition->strategy == InvalidStrategy || condition->order != ORDER_TEXT)
		return condition->strategy != InvalidStrategy;
	/* Text is compared byte by byte here. */
	return OidIsValid(collation) && (lc_collate_is_c(collation) ||
									 (condition->strategy == BTEqualStrategyNumber && get_collation_isdeterministic(collation)));
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

bool
make_condition(Node *clause, Index relid, Condition *condition)
{
	memset(condition, 0, sizeof(*condition));
	if (IsA(clause, OpExpr))
		return make_comparison((OpExpr *) clause, relid, condition);
	if (IsA(clause, ScalarArrayOpExpr))
		return make_any((ScalarArrayOpExpr *) clause, relid, condition);
	if (IsA(clause, NullTest))
	{
		const NullTest *test = (const NullTest *) clause;
		const Var  *column = column_of((Node *) test->arg, relid);

		/* IS NULL of a composite value asks about its fields. */
		if (column == NULL || test->argisrow)
			return false;
		condition->kind = test->nulltesttype == IS_NULL ? CONDITION_NULL : CONDITION_NOT_NULL;
		condition->column = column->varattno - 1;
		return true;
	}
	return false;
}

/* ----------------------------------------------------------------
 * Executing
 * ----------------------------------------------------------------
 */

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
	{
		ArrayType  *array = DatumGetArrayTypeP(value);
		int16		typlen;
		bool		typbyval;
		char		typalign;
		Datum	   *elements;
		bool	   *nulls;
		int			nelements;

		/* Keeps an array's elements; a NULL among them makes no row match. */
		get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
		deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign, &elements, &nulls, &nelements);
		condition->values = palloc(Max(nelements, 1) * sizeof(Datum));
		for (int i = 0; i < nelements; i++)
			if (!nulls[i])
				condition->values[condition->nvalues++] = keep_value(condition, elements[i]);
	}
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

/*
 * live_values.c
 *		The rows of an answer as rows of the live table: a value for each cell.
 *
 * NOTES
 *		Values are computed by the expressions that the view of values is made of (value_columns.h).  All rows of a
 *		class have the same cells, and leave one after the other, so that they are computed once a class.
 */
#include "answer/live.h"

#include "access/sysattr.h"
#include "declare/live_table.h"
#include "declare/value_columns.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parser.h"
#include "release/past_releases.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

/* A column of the live table. */
typedef struct LiveValue
{
	int			attribute;		/* of a released row, from 0 on; or -1 */
	ExprState  *expression;		/* over a released row, or NULL */

	/* Of an expression: of the class at hand, and what type its values are of */
	Datum		value;
	bool		isnull;
	bool		byval;
	int16		length;
} LiveValue;

struct LiveValues
{
	int			ncolumns;
	LiveValue  *column;			/* [ncolumns] */
	bool		has_class;
	bool		has_row;		/* has there been a row? */
	int64		class;			/* of the row before */
	ExprContext *expressions;	/* its memory: values of a class */
};

/* ----------------------------------------------------------------
 * Expressions
 * ----------------------------------------------------------------
 */

/* Turns a column's name into a column of released rows: the parser's hook. */
static Node *
released_column(ParseState *pstate, ColumnRef *reference)
{
	TupleDesc	released = pstate->p_ref_hook_state;
	const char *name = strVal(linitial(reference->fields));

	for (int i = 0; i < released->natts; i++)
	{
		const FormData_pg_attribute *attribute = TupleDescAttr(released, i);

		if (strcmp(NameStr(attribute->attname), name) == 0)
			return (Node *) makeVar(1, i + 1, attribute->atttypid, attribute->atttypmod, attribute->attcollation, 0);
	}
	elog(ERROR, "releases have no column \"%s\"", name);
}

/* Parses an expression over the columns of releases as the view of values has it. */
static Expr *
parse_value(const char *sql, TupleDesc released)
{
	ParseState *pstate = make_parsestate(NULL);
	RawStmt    *statement = linitial_node(RawStmt, raw_parser(sql, RAW_PARSE_PLPGSQL_EXPR));
	ResTarget  *target = linitial_node(ResTarget, castNode(SelectStmt, statement->stmt)->targetList);
	Node	   *expression;

	pstate->p_sourcetext = sql;
	pstate->p_pre_columnref_hook = released_column;
	pstate->p_ref_hook_state = released;
	expression = transformExpr(pstate, target->val, EXPR_KIND_SELECT_TARGET);
	assign_expr_collations(pstate, expression);
	free_parsestate(pstate);
	return expression_planner((Expr *) expression);
}

static void
set_expression(LiveValue *column, const char *sql, TupleDesc released)
{
	Expr	   *expression = parse_value(sql, released);

	column->expression = ExecInitExpr(expression, NULL);
	get_typlenbyval(exprType((Node *) expression), &column->length, &column->byval);
}

/* ----------------------------------------------------------------
 * Columns
 * ----------------------------------------------------------------
 */

/* Where released rows have a column of the publication. */
static int
released_attribute(const DeclaredPublication *publication, int column)
{
	int			attribute = has_class_column(publication);

	for (int i = 0; i < column; i++)
		attribute += publication->columns[i].role != ROLE_KEY;
	return attribute;
}

/* Sets where a column of the live table comes from. */
static void
set_column(LiveValue *column, const DeclaredPublication *publication, int source, TupleDesc released)
{
	if (source == LIVE_CELLS)
		set_expression(column, cells_sql(publication), released);
	else if (source == LIVE_CLASS)
		column->attribute = 0;
	else if (publication->columns[source].role == ROLE_QUASI_IDENTIFIER)
		set_expression(column, value_sql(&publication->columns[source]), released);
	else
		column->attribute = released_attribute(publication, source);
}

LiveValues *
live_values_create(const DeclaredPublication *publication, TupleDesc released, const List *wanted, EState *query)
{
	LiveValues *values = palloc0(sizeof(LiveValues));
	ListCell   *cell;

	values->has_class = has_class_column(publication);
	values->ncolumns = count_live_columns(publication);
	values->column = palloc0(sizeof(LiveValue) * values->ncolumns);
	values->expressions = CreateExprContext(query);
	for (int i = 0; i < values->ncolumns; i++)
		values->column[i].attribute = -1;
	foreach(cell, wanted)
	{
		AttrNumber	attribute = lfirst_int(cell) + FirstLowInvalidHeapAttributeNumber;

		if (attribute > 0)
			set_column(&values->column[attribute - 1], publication, live_column(publication, attribute), released);
	}
	return values;
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

/* A value may point into the row that it was computed from, which goes before the class does. */
static void
compute_class(LiveValues *values)
{
	MemoryContext old;

	ResetExprContext(values->expressions);
	old = MemoryContextSwitchTo(values->expressions->ecxt_per_tuple_memory);
	for (int i = 0; i < values->ncolumns; i++)
	{
		LiveValue  *column = &values->column[i];

		if (column->expression == NULL)
			continue;
		column->value = ExecEvalExpr(column->expression, values->expressions, &column->isnull);
		if (!column->isnull)
			column->value = datumCopy(column->value, column->byval, column->length);
	}
	MemoryContextSwitchTo(old);
}

/* Does a class begin with the row?  Without classes, each row has cells of its own. */
static bool
is_new_class(LiveValues *values, TupleTableSlot *row)
{
	int64		class = values->has_class ? DatumGetInt64(row->tts_values[0]) : 0;
	bool		is_new = !values->has_row || !values->has_class || class != values->class;

	values->has_row = true;
	values->class = class;
	return is_new;
}

void
live_values_store(LiveValues *values, TupleTableSlot *row, TupleTableSlot *slot)
{
	slot_getallattrs(row);
	values->expressions->ecxt_scantuple = row;
	if (is_new_class(values, row))
		compute_class(values);
	ExecClearTuple(slot);
	for (int i = 0; i < values->ncolumns; i++)
	{
		const LiveValue *column = &values->column[i];
		bool		is_plain = column->expression == NULL && column->attribute >= 0;

		slot->tts_values[i] = is_plain ? row->tts_values[column->attribute] : column->value;
		slot->tts_isnull[i] = is_plain ? row->tts_isnull[column->attribute] : column->isnull || column->expression == NULL;
	}
	ExecStoreVirtualTuple(slot);
}

/*
 * live_scan.c
 *		Scanning a live table: asks once, when the first row is wanted, and gives the rows of the answer as often as they
 *		are wanted.
 *
 * The table's own rights are those of any table: the executor has checked them before a scan begins.
 */
#include "answer/live.h"

#include "access/reloptions.h"
#include "access/sysattr.h"
#include "answer/answer.h"
#include "compat_explain.h"
#include "declare/target_objects.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parser.h"
#include "pgtime.h"
#include "release/cohort/cohort.h"
#include "release/past_releases.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(pprepub_live_handler);
PG_FUNCTION_INFO_V1(pprepub_live_validator);

/* ----------------------------------------------------------------
 * The rows of an answer as rows of the live table: a value for each cell
 *
 * Values are computed by the expressions that the view of values is made of (target_objects.h).  All rows of a class have
 * the same cells, and leave one after the other, so that they are computed once a class.
 * ----------------------------------------------------------------
 */

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

typedef struct LiveValues
{
	int			ncolumns;
	LiveValue  *column;			/* [ncolumns] */
	bool		has_class;
	bool		has_row;		/* has there been a row? */
	int64		class;			/* of the row before */
	ExprContext *expressions;	/* its memory: values of a class */
} LiveValues;

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

/* Has a column show an expression over the columns of releases, written as the view of values has it. */
static void
set_expression(LiveValue *column, const char *sql, TupleDesc released)
{
	ParseState *pstate = make_parsestate(NULL);
	RawStmt    *statement = linitial_node(RawStmt, raw_parser(sql, RAW_PARSE_PLPGSQL_EXPR));
	ResTarget  *target = linitial_node(ResTarget, castNode(SelectStmt, statement->stmt)->targetList);
	Expr	   *expression;

	pstate->p_sourcetext = sql;
	pstate->p_pre_columnref_hook = released_column;
	pstate->p_ref_hook_state = released;
	expression = (Expr *) transformExpr(pstate, target->val, EXPR_KIND_SELECT_TARGET);
	assign_expr_collations(pstate, (Node *) expression);
	free_parsestate(pstate);
	expression = expression_planner(expression);
	column->expression = ExecInitExpr(expression, NULL);
	get_typlenbyval(exprType((Node *) expression), &column->length, &column->byval);
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
	{
		column->attribute = has_class_column(publication);
		for (int i = 0; i < source; i++)
			column->attribute += publication->columns[i].role != ROLE_KEY;
	}
}

/*
 * released: the columns of an answer's rows; wanted: the live table's columns that have values, as in the plan.
 * Everything lives as long as the query does.
 */
static LiveValues *
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

/* Fills a slot of the live table's from a row of an answer.  What it points to lives until the next row. */
static void
live_values_store(LiveValues *values, TupleTableSlot *row, TupleTableSlot *slot)
{
	int64		class;

	slot_getallattrs(row);
	values->expressions->ecxt_scantuple = row;
	class = values->has_class ? DatumGetInt64(row->tts_values[0]) : 0;
	if (!values->has_row || !values->has_class || class != values->class)	/* else each row has cells of its own */
		compute_class(values);
	values->has_row = true;
	values->class = class;
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

/* ----------------------------------------------------------------
 * The question
 * ----------------------------------------------------------------
 */

typedef struct LiveScan
{
	LivePlan	plan;
	DeclaredPublication *publication;
	Bitmapset  *parameters;		/* that the cohort depends on */

	/* Once it was asked */
	Tuplestorestate *rows;		/* of the answer */
	TupleTableSlot *row;
	LiveValues *values;
} LiveScan;

static ForeignScan *
plan_of(const ForeignScanState *node)
{
	return castNode(ForeignScan, node->ss.ps.plan);
}

/* The text of a value, however the session has values look. */
static char *
print_plainly(Oid type, Datum value)
{
	int			level = NewGUCNestLevel();
	char	   *text;

	(void) set_config_option("datestyle", "ISO", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("intervalstyle", "postgres", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("extra_float_digits", "1", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	text = value_text(type, value);
	AtEOXact_GUC(true, level);
	return text;
}

/* Computes a value of the cohort; see QueryCondition. */
static char *
print_value(QueryCondition *condition, Expr *value, Oid type)
{
	ForeignScanState *node = condition->arg;
	bool		isnull;
	Datum		result = ExecEvalExprSwitchContext(ExecInitExpr(value, &node->ss.ps), node->ss.ps.ps_ExprContext, &isnull);

	return isnull ? NULL : print_plainly(type, result);
}

/* Seconds that the session's clock is ahead of UTC at a point in time. */
static int
clock_ahead(TimestampTz time)
{
	int			zone = 0;
	struct pg_tm tm;
	fsec_t		fraction;
	const char *name;

	if (timestamp2tm(time, &zone, &tm, &fraction, &name, NULL) != 0)
		zone = 0;
	return -zone;
}

/*
 * Clocks that change by an hour have local times in a wrong order within an hour of the change, and at no other time.  No
 * clock ever changed by more than a day.
 */
static bool
is_near_clock_change(TimestampTz time)
{
	int			now = clock_ahead(time);

	for (int day = -1; day <= 1; day += 2)
	{
		int			change = abs(clock_ahead(time + day * (USECS_PER_DAY + USECS_PER_HOUR)) - now);

		if (change != 0 && clock_ahead(time + day * (change + 1) * USECS_PER_SEC) != now)
			return true;
	}
	return false;
}

/* See QueryCondition. */
static void
verify_local_time(QueryCondition *condition, Expr *value)
{
	ForeignScanState *node = condition->arg;
	bool		isnull;
	Datum		result = ExecEvalExprSwitchContext(ExecInitExpr(value, &node->ss.ps), node->ss.ps.ps_ExprContext, &isnull);

	if (isnull || TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(result)) || !is_near_clock_change(DatumGetTimestampTz(result)))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("a time without time zone cannot be compared with \"%s\"", timestamptz_to_str(DatumGetTimestampTz(result))),
			 errdetail("Clocks are changed then in time zone \"%s\".", pg_get_timezone_name(session_timezone)),
			 errhint("Compare with a value of type timestamp: CAST (… AS timestamp).")));
}

/* The conditions of the plan with their values, or NULL for everybody. */
static char *
cohort_of(ForeignScanState *node, const LiveScan *scan)
{
	QueryCondition condition = {
		.publication = scan->publication, .relation = plan_of(node)->scan.scanrelid, .column_of = asked_column,
		.print_value = print_value, .verify_local_time = verify_local_time, .is_begun = true, .arg = node,
	};
	StringInfoData cohort;
	ListCell   *cell;

	initStringInfo(&cohort);
	foreach(cell, plan_of(node)->fdw_exprs)
	{
		char	   *part = cohort_of_condition(&condition, lfirst(cell));

		if (part == NULL)
			elog(ERROR, "a condition of a live table can no longer be asked");
		appendStringInfo(&cohort, "%s%s", cohort.len > 0 ? " AND " : "", part);
	}
	return cohort.len > 0 ? cohort.data : NULL;
}

/* The names of the columns to show, or NULL for all of them. */
static ArrayType *
columns_of(const LiveScan *scan)
{
	bool	   *shown = palloc0(sizeof(bool) * scan->publication->ncolumns);
	ListCell   *cell;

	if (list_length(scan->plan.shown) == scan->publication->ncolumns - 1)	/* all but the key */
		return NULL;
	foreach(cell, scan->plan.shown)
		shown[lfirst_int(cell)] = true;
	return column_names(scan->publication, shown);
}

/* A condition that looks at middles of cells, or at NULL where they are withheld, finds other rows than it seems to. */
static void
notice_not_asked(const LiveScan *scan, const char *table)
{
	StringInfoData names;
	ListCell   *cell;

	if (scan->plan.not_asked == NIL)
		return;
	initStringInfo(&names);
	foreach(cell, scan->plan.not_asked)
		appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "", scan->publication->columns[lfirst_int(cell)].name);
	ereport(NOTICE,
			(errmsg("a condition on %s of \"%s\" could not be asked, and is applied to generalized values", names.data, table),
			 errhint("Conditions that can be asked stand in WHERE or ON, joined by AND. They compare a column with values that are known when the query begins (=, <, BETWEEN, IN, LIKE, IS NULL).")));
}

/* ----------------------------------------------------------------
 * Asking
 * ----------------------------------------------------------------
 */

/* Asks with values that are computed now, in the memory of the query, whose rows outlive the row at hand. */
static void
ask_once(ForeignScanState *node, LiveScan *scan)
{
	MemoryContext old = MemoryContextSwitchTo(node->ss.ps.state->es_query_cxt);
	const DeclaredPublication *publication = scan->publication;
	const char *table = RelationGetRelationName(node->ss.ss_currentRelation);
	Question	question = {
		.publication = publication->id, .name = publication->name, .owner = publication->owner,
		.method = publication->method, .params = publication->params,
	};
	RowTarget	target;

	verify_may_ask();
	if (node->ss.ps.state->es_epq_active != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not look again at a row that another transaction has changed"),
				 errdetail("Live table \"%s\" would be asked anew for it.", table),
				 errhint("Try again, or keep the answer in a table first.")));
	question.request.cohort = cohort_of(node, scan);
	question.request.columns = columns_of(scan);
	notice_not_asked(scan, table);
	target.desc = released_columns(publication);
	scan->values = live_values_create(publication, target.desc, scan->plan.wanted, node->ss.ps.state);
	scan->row = MakeSingleTupleTableSlot(target.desc, &TTSOpsMinimalTuple);
	target.store = tuplestore_begin_heap(true, false, work_mem);
	ask(&question, &target);
	scan->rows = target.store;
	MemoryContextSwitchTo(old);
}

/* ----------------------------------------------------------------
 * The scan
 * ----------------------------------------------------------------
 */

static bool
parameters_walker(Node *node, Bitmapset **parameters)
{
	if (node == NULL)
		return false;
	if (IsA(node, Param) && castNode(Param, node)->paramkind == PARAM_EXEC)
		*parameters = bms_add_member(*parameters, castNode(Param, node)->paramid);
	return expression_tree_walker(node, parameters_walker, parameters);
}

/* Looks up the publication, but asks nothing yet: LIMIT 0 costs no answer. */
static void
begin_scan(ForeignScanState *node, int flags)
{
	LiveScan   *scan;

	if (flags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	scan = palloc0(sizeof(LiveScan));
	scan->plan = live_plan(plan_of(node)->fdw_private);
	scan->publication = publication_of_live_table(RelationGetRelid(node->ss.ss_currentRelation));
	verify_live_columns(scan->publication, RelationGetDescr(node->ss.ss_currentRelation));
	(void) parameters_walker((Node *) plan_of(node)->fdw_exprs, &scan->parameters);
	node->fdw_state = scan;

	/* Parts of the query that were planned before the live table was met may be parallel, but nobody can ask then. */
	node->ss.ps.state->es_plannedstmt->parallelModeNeeded = false;
}

/* The first row that is wanted is the question. */
static TupleTableSlot *
next_row(ForeignScanState *node)
{
	LiveScan   *scan = node->fdw_state;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;

	MemoryContext old;
	bool		has_row;

	if (scan->rows == NULL)
		ask_once(node, scan);
	/* A row that is read from a file is freed when the next one is read, so it must outlive the query's row at hand. */
	old = MemoryContextSwitchTo(node->ss.ps.state->es_query_cxt);
	has_row = tuplestore_gettupleslot(scan->rows, true, false, scan->row);
	MemoryContextSwitchTo(old);
	if (!has_row)
		return ExecClearTuple(slot);
	live_values_store(scan->values, scan->row, slot);
	return slot;
}

/* Other parameters would be another question, and each question is an answer that is remembered for ever. */
static void
scan_again(ForeignScanState *node)
{
	LiveScan   *scan = node->fdw_state;

	if (scan->rows == NULL)
		return;
	if (bms_overlap(node->ss.ps.chgParam, scan->parameters))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("live table \"%s\" cannot be asked anew for each row of another table",
						RelationGetRelationName(node->ss.ss_currentRelation)),
				 errhint("Ask once about everybody who is of interest, and join the rows.")));
	tuplestore_rescan(scan->rows);
}

/* Frees the rows, if there are any. */
static void
end_scan(ForeignScanState *node)
{
	LiveScan   *scan = node->fdw_state;

	if (scan == NULL || scan->rows == NULL)
		return;
	ExecDropSingleTupleTableSlot(scan->row);
	tuplestore_end(scan->rows);
}

/* Prints whom the answer is about, and what it shows, from the plan alone. */
static void
explain_scan(ForeignScanState *node, ExplainState *es)
{
	const ForeignScan *plan = plan_of(node);
	LivePlan	live = live_plan(plan->fdw_private);
	const DeclaredPublication *publication = publication_of_live_table(RelationGetRelid(node->ss.ss_currentRelation));
	List	   *context = set_deparse_context_plan(es->deparse_cxt, (Plan *) plan, NIL);
	List	   *names = NIL;
	ListCell   *cell;

	ExplainPropertyText("Cohort", plan->fdw_exprs == NIL ? "everybody" :
						deparse_expression((Node *) make_ands_explicit(plan->fdw_exprs), context, false, false), es);
	foreach(cell, live.shown)
		names = lappend(names, publication->columns[lfirst_int(cell)].name);
	ExplainPropertyList("Columns", names, es);
}

/* ----------------------------------------------------------------
 * The foreign-data wrapper
 * ----------------------------------------------------------------
 */

Datum
pprepub_live_handler(PG_FUNCTION_ARGS)
{
	FdwRoutine *routine = makeNode(FdwRoutine);

	routine->GetForeignRelSize = live_rel_size;
	routine->GetForeignPaths = live_paths;
	routine->GetForeignPlan = live_scan_plan;
	routine->BeginForeignScan = begin_scan;
	routine->IterateForeignScan = next_row;
	routine->ReScanForeignScan = scan_again;
	routine->EndForeignScan = end_scan;
	routine->ExplainForeignScan = explain_scan;
	PG_RETURN_POINTER(routine);
}

/* Nothing about a live table is an option. */
Datum
pprepub_live_validator(PG_FUNCTION_ARGS)
{
	List	   *options = untransformRelOptions(PG_GETARG_DATUM(0));

	if (options != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				 errmsg("invalid option \"%s\"", linitial_node(DefElem, options)->defname),
				 errhint("Live tables, and their server, have no options.")));
	PG_RETURN_VOID();
}

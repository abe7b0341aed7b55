/*
 * plan.h
 *		Planning and executing queries of our tables: custom scans that read only what a query needs.
 *
 * PostgreSQL 15 does not tell a table's access method which columns a query needs,
 * or which rows.  A custom scan does: it decodes only those columns and leaves out
 * groups whose bounds say that they have no such rows.  Another one aggregates: it
 * counts rows up, group by group, and hands on the states for a Finalize Aggregate
 * above it.  Headers answer for groups of which all rows are meant; others are read
 * column by column, as codes where values repeat.  What is not understood is left to
 * PostgreSQL's own plans: these paths are more, never the only ones.
 */
#ifndef PPREPUB_STORE_PLAN_H
#define PPREPUB_STORE_PLAN_H

#include "postgres.h"

#include "access/stratnum.h"
#include "compat_explain.h"
#include "nodes/execnodes.h"
#include "nodes/extensible.h"
#include "nodes/pg_list.h"
#include "nodes/primnodes.h"
#include "store/handler.h"

/* ----------------------------------------------------------------
 * Conditions that tell which groups need not be read, and which rows are meant (condition.c)
 * ----------------------------------------------------------------
 */

typedef enum ConditionKind
{
	CONDITION_COMPARE,			/* column op value */
	CONDITION_ANY,				/* column op ANY (array) */
	CONDITION_NULL,				/* column IS NULL */
	CONDITION_NOT_NULL
} ConditionKind;

typedef struct Condition
{
	ConditionKind kind;
	int			column;			/* attribute number less 1 */
	Order		order;
	StrategyNumber strategy;
	Expr	   *expression;		/* of the value, or of the array; a constant or a parameter */
	Oid			type;			/* of a value */

	/* While it is executed */
	ExprState  *state;
	bool		never;			/* nothing fulfills it: the value is NULL */
	int			nvalues;
	Datum	   *values;
} Condition;

/* Makes the condition of a clause about the relation; false if no group can be skipped by it. */
extern bool make_condition(Node *clause, Index relid, Condition *condition);

/* Finds out the value; it lives in the current context. */
extern void evaluate_condition(Condition *condition, ExprContext *econtext);

/* May a row of the group fulfill it? */
extern bool group_may_fulfill(const RowGroup *group, const Condition *condition);

/* Do all of them, for sure? */
extern bool group_must_fulfill(const RowGroup *group, const Condition *condition);

/* Does a row with this value of the column fulfill it? */
extern bool value_fulfills(const Condition *condition, Datum value, bool isnull);

/* ----------------------------------------------------------------
 * Rows of a group, a vector at a time, and those that fulfill all of a query's conditions (filter.c)
 *
 * A batch has columns as values, and as codes where there are some.  Only what is
 * asked for is read and decoded.  Values by reference live as long as the group
 * that they are of, or its vector.
 *
 * Conditions that bounds are compared with decide on whole groups, where they can.  Of
 * columns with codes each code is looked at once.  An expression is evaluated for
 * no row that the conditions before it exclude: it might raise an error.
 * ----------------------------------------------------------------
 */

typedef struct BatchColumn
{
	int			column;			/* attribute number less 1 */
	Order		order;

	/* In the current group */
	bool		opened;
	EncodedColumn *encoded;		/* or NULL */
	bool		fixed;			/* all rows have one value, which is not encoded: */
	Datum		value;
	bool		isnull;
	bool		ranged;			/* integers that lie close together, whose codes are their distances from the least */
	int64		least;

	/* In the current vector */
	bool		has_codes;
	bool		has_values;
	CodedVector *coded;
	Datum	   *values;
	bool	   *nulls;
} BatchColumn;

typedef struct Batch
{
	Cursor	   *cursor;			/* borrowed; set by the user of the batch */
	TupleDesc	desc;			/* borrowed */
	int			ncolumns;
	BatchColumn *columns;

	RowGroup   *group;			/* the current group; NULL: it is in memory */
	uint32		nrows;
	uint32		vector;			/* the current one */
	uint32		n;				/* its rows */
	MemoryContext context;		/* owned: of the vector */
} Batch;

/* All is allocated in the current context. */
extern Batch *make_batch(TupleDesc desc, const int *columns, int ncolumns);

/* The cursor has entered another group. */
extern void batch_enter(Batch *batch, uint32 nrows);

/* Goes to a vector; returns its rows, of which there are ENCODING_VECTOR at most. */
extern uint32 batch_go(Batch *batch, uint32 vector, uint16 *rows);

/* The codes of a column's rows; NULL if there are none. */
extern const CodedVector *batch_codes(Batch *batch, int i);

/* The value of one of these codes. */
extern Datum batch_value_of_code(Batch *batch, int i, uint32 code, bool *isnull);

/* Brings values and nulls of a column. */
extern void batch_values(Batch *batch, int i);

typedef struct Filter Filter;

/*
 * Variables of the clauses have this number; of their attributes, columns says
 * which of the batch's columns each is, or -1.  The slot is one to evaluate in;
 * without it, clauses that cannot be compared with bounds are left out.
 */
extern Filter *make_filter(List *clauses, ScanState *scan, Index varno, TupleTableSlot *slot, const int *columns,
						   const Batch *batch);

/* Parameters have other values now. */
extern void renew_filter(Filter *filter);

/* Can no row of the group pass the filter?  As cursor_skips() takes it. */
extern bool filter_excludes(void *filter, const RowGroup *group);

/* The batch has entered another group: do all of its rows pass? */
extern bool filter_enter(Filter *filter, const Batch *batch);

/* Keeps those of the current vector's rows that pass; returns how many. */
extern uint32 filter_rows(Filter *filter, Batch *batch, uint16 *rows, uint32 n);

/* ----------------------------------------------------------------
 * Aggregates that are counted up column by column: their transition states, as PostgreSQL has them (tally.c)
 *
 * A tally's result is that of a partial aggregation, so that a Finalize Aggregate
 * can make the results.
 * ----------------------------------------------------------------
 */

/* The kinds of aggregates. */
typedef enum TallyKind
{
	TALLY_NONE,
	TALLY_ROWS,					/* count(*) */
	TALLY_VALUES,				/* count(column) */
	TALLY_LEAST,				/* min */
	TALLY_GREATEST,				/* max */
	TALLY_SUM,					/* sum of smallint or integer */
	TALLY_MEAN,					/* avg of the same */
	TALLY_BIG_SUM				/* sum or avg of bigint */
} TallyKind;

typedef struct Tally
{
	TallyKind	kind;
	int			column;			/* attribute number less 1; -1: none */
	int			place;			/* of the column in the batch */
	Order		order;
	int16		typlen;
	bool		typbyval;
} Tally;

/* A tally of one group of the query's. */
typedef struct Count
{
	int64		n;				/* rows, or values that are not NULL */
	int128		sum;
	Datum		value;			/* the least or the greatest of these n; owned, if by reference */
} Count;

/*
 * Can the aggregate be counted up here?  The variables of its arguments are the
 * relation's, and *column is the argument's attribute number, or 0.
 */
extern TallyKind tally_of_aggregate(const Aggref *aggref, Index relid, AttrNumber *column);

/* The place is that of the column in the batch, or -1. */
extern void begin_tally(Tally *tally, TallyKind kind, const Batch *batch, int place);

/* Adds all rows of the batch's group by what its header says; false if that cannot be done.  Values are kept in the context. */
extern bool tally_header(const Tally *tally, Count *count, const Batch *batch, MemoryContext context);

/* Adds rows of the current vector. */
extern void tally_rows(const Tally *tally, Count *count, Batch *batch, const uint16 *rows, uint32 n, MemoryContext context);

extern Datum tally_result(const Tally *tally, const Count *count, bool *isnull);

/* ----------------------------------------------------------------
 * Plans
 * ----------------------------------------------------------------
 */

/* customscan.c executes it.  custom_private: the columns, as integers; custom_exprs: clauses. */
extern const CustomScanMethods store_scan_methods;

/* Ends the scan of either node. */
extern void end_store_scan(CustomScanState *node);

/* The columns (attribute number less 1) that a node reads, and its clauses, if it has some, for EXPLAIN. */
extern void explain_columns(const CustomScanState *node, const Bitmapset *columns, ExplainState *es);
extern void explain_clauses(CustomScanState *node, const char *label, List *ancestors, ExplainState *es);

/* How many groups were read, but for those that were answered by their headers, and skipped. */
extern void explain_groups(CustomScanState *node, uint64 answered, ExplainState *es);

/*
 * aggregate.c executes it.  The scan's attributes are the keys, then the aggregates, then further columns of
 * conditions.  custom_private: of each attribute the column's number, or that of the argument, or 0; of each
 * aggregate the TallyKind; of each key the operator for equality, and the collation.  custom_exprs: clauses.
 */
extern const CustomScanMethods store_aggregate_methods;

extern void start_planning(void);
extern void start_aggregates(void);

#endif							/* PPREPUB_STORE_PLAN_H */

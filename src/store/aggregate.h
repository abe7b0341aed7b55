/*
 * aggregate.h
 *		A custom scan that aggregates: it counts a table's rows up, group by group, and
 *		hands on the states for a Finalize Aggregate above it.
 *
 * Headers answer for groups of which all rows are meant; others are read column by
 * column, as codes where values repeat.  What is not understood is left to
 * PostgreSQL's own plans: this path is one more, never the only one.
 */
#ifndef PPREPUB_STORE_AGGREGATE_H
#define PPREPUB_STORE_AGGREGATE_H

#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/pg_list.h"

/*
 * The plan's message to the node, as lists: the scan's attributes are the keys, then
 * the aggregates, then further columns of conditions.
 */
typedef struct AggregatePlan
{
	List	   *columns;		/* of each attribute: the column's number, or that of the argument, or 0 */
	List	   *kinds;			/* of each aggregate: TallyKind */
	List	   *operators;		/* of each key: equality, and collation */
	List	   *collations;
} AggregatePlan;

extern List *list_of_aggregate_plan(const AggregatePlan *plan);
extern AggregatePlan aggregate_plan_of_list(List *list);

extern const CustomScanMethods *store_aggregate_methods(void);
extern void start_aggregates(void);

#endif							/* PPREPUB_STORE_AGGREGATE_H */

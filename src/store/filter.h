/*
 * filter.h
 *		Which rows of a group fulfill all of a query's conditions.
 *
 * Conditions that bounds are compared with (condition.h) decide on whole groups, where they can.  Of
 * columns with codes each code is looked at once.  An expression is evaluated for
 * no row that the conditions before it exclude: it might raise an error.
 */
#ifndef PPREPUB_STORE_FILTER_H
#define PPREPUB_STORE_FILTER_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "store/batch.h"

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

/* Can no row of the group pass? */
extern bool filter_excludes(Filter *filter, const RowGroup *group);

/* The batch has entered another group: do all of its rows pass? */
extern bool filter_enter(Filter *filter, const Batch *batch);

/* Keeps those of the current vector's rows that pass; returns how many. */
extern uint32 filter_rows(Filter *filter, Batch *batch, uint16 *rows, uint32 n);

#endif							/* PPREPUB_STORE_FILTER_H */

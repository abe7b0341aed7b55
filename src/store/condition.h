/*
 * condition.h
 *		Conditions that tell which groups need not be read, and which rows are meant.
 */
#ifndef PPREPUB_STORE_CONDITION_H
#define PPREPUB_STORE_CONDITION_H

#include "postgres.h"

#include "access/stratnum.h"
#include "nodes/execnodes.h"
#include "nodes/primnodes.h"
#include "store/bounds.h"
#include "store/group.h"

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

extern void begin_condition(Condition *condition, PlanState *parent);

/* Finds out the value; it lives in the current context. */
extern void evaluate_condition(Condition *condition, ExprContext *econtext);

/* May a row of the group fulfill it? */
extern bool group_may_fulfill(const RowGroup *group, const Condition *condition);

/* Do all of them, for sure? */
extern bool group_must_fulfill(const RowGroup *group, const Condition *condition);

/* Does a row with this value of the column fulfill it? */
extern bool value_fulfills(const Condition *condition, Datum value, bool isnull);

#endif							/* PPREPUB_STORE_CONDITION_H */

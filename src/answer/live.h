/*
 * live.h
 *		TARGET.NAME_now, the foreign table through which analysts ask in plain SQL: live_plan.c and live_scan.c.
 *
 * One scan is one answer, which rescans replay.  Conditions of the query say whom the answer is about; they are asked of
 * the source's true values, and of nothing that comes out.  All other conditions are applied to the rows that come out,
 * by the executor.
 */
#ifndef PPREPUB_ANSWER_LIVE_H
#define PPREPUB_ANSWER_LIVE_H

#include "postgres.h"

#include "declare/publication.h"
#include "executor/tuptable.h"
#include "foreign/fdwapi.h"
#include "nodes/bitmapset.h"

/* The publication of a live table, as it was declared; any other foreign table of our server is an error. */
extern DeclaredPublication *publication_of_live_table(Oid relation);

/* Its column that stands for the live table's, or a negative number; see live_column(). */
extern int	asked_column(const DeclaredPublication *publication, AttrNumber attribute);

/* When the module is loaded: hooks take conditions out of queries, and look at those on live tables of shards. */
extern void define_live_tables(void);
extern void define_live_tables_of_shards(void);

/* The parameters that subqueries of a query, and of those around it, compute once. */
extern Bitmapset *known_parameters(const PlannerInfo *root);

/* A plan's private list, of integers. */
typedef struct LivePlan
{
	List	   *wanted;			/* the table's columns, as pull_varattnos() has them */
	List	   *shown;			/* the publication's columns that the answer shows: their indexes */
	List	   *not_asked;		/* likewise: quasi-identifiers with conditions on what comes out */
} LivePlan;

extern LivePlan live_plan(const List *fdw_private);

extern void live_rel_size(PlannerInfo *root, RelOptInfo *rel, Oid relation);
extern void live_paths(PlannerInfo *root, RelOptInfo *rel, Oid relation);
extern ForeignScan *live_scan_plan(PlannerInfo *root, RelOptInfo *rel, Oid relation, ForeignPath *path,
								   List *columns, List *clauses, Plan *outer);

#endif							/* PPREPUB_ANSWER_LIVE_H */

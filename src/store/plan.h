/*
 * plan.h
 *		The paths that are added when a table of ours is planned.
 *
 * PostgreSQL 15 does not tell a table's access method which columns a query needs,
 * or which rows.  A custom scan does: it decodes only those columns and leaves out
 * groups whose bounds say that they have no such rows.
 */
#ifndef PPREPUB_STORE_PLAN_H
#define PPREPUB_STORE_PLAN_H

#include "postgres.h"

#include "nodes/extensible.h"

extern void start_planning(void);

/* customscan.c: executes it.  custom_private: the columns, as integers; custom_exprs: clauses. */
extern const CustomScanMethods *store_scan_methods(void);

#endif							/* PPREPUB_STORE_PLAN_H */

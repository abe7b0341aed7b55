/*
 * explain.h
 *		What EXPLAIN shows of both custom scans.
 */
#ifndef PPREPUB_STORE_EXPLAIN_H
#define PPREPUB_STORE_EXPLAIN_H

#include "postgres.h"

#include "commands/explain.h"
#include "compat.h"
#include "nodes/execnodes.h"

/* The columns (attribute number less 1) that are read. */
extern void explain_columns(const CustomScanState *node, const Bitmapset *columns, ExplainState *es);

/* The node's clauses, if it has some. */
extern void explain_clauses(CustomScanState *node, const char *label, List *ancestors, ExplainState *es);

#endif							/* PPREPUB_STORE_EXPLAIN_H */

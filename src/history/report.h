/*
 * report.h
 *		What an owner asks of the history.
 */
#ifndef PPREPUB_HISTORY_REPORT_H
#define PPREPUB_HISTORY_REPORT_H

#include "postgres.h"

#include "declare/publication.h"
#include "fmgr.h"
#include "nodes/execnodes.h"

/*
 * Answers a set-returning function whose first argument names a publication:
 * has the rows put, as the owner, under the statement's snapshot, with as many
 * releases as that one sees; no rows while there is none.  Memory is freed.
 */
extern void report_history(FunctionCallInfo fcinfo,
						   void (*put_rows) (const DeclaredPublication *publication, ReturnSetInfo *result));

/* The same, of what other arguments say. */
extern void report_history_about(FunctionCallInfo fcinfo, void *what,
								 void (*put_rows) (const DeclaredPublication *publication, void *what, ReturnSetInfo *result));

#endif							/* PPREPUB_HISTORY_REPORT_H */

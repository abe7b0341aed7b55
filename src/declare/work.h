/*
 * work.h
 *		Work on a publication, as its owner; and reports, set-returning functions whose first argument names a
 *		publication.
 */
#ifndef PPREPUB_DECLARE_WORK_H
#define PPREPUB_DECLARE_WORK_H

#include "postgres.h"

#include "declare/catalog.h"
#include "declare/publication.h"
#include "fmgr.h"
#include "nodes/execnodes.h"
#include "utils/snapshot.h"

typedef struct OwnersWork
{
	MemoryContext context;		/* of all that is done meanwhile */
	Identity	caller;
	bool		is_auditors;	/* what comes out is for a role that sees no data */
	bool		hid_errors;		/* the work that this is done in */

	/* Reports only */
	DeclaredPublication *publication;
	ReturnSetInfo *result;
} OwnersWork;

/* From here on inside SPI, under one snapshot, which may have to be taken after a lock. */
extern void work_begin(OwnersWork *work, Oid owner, Snapshot snapshot);

/*
 * From here on as the caller again, in the context of before; what was found stays until the work's context is deleted.
 * Nothing need be done on error.
 */
extern void work_end(OwnersWork *work);

/* Like work_end(), but frees what was found, too. */
extern void work_close(OwnersWork *work);

/*
 * Opens the publication that the first argument names.  A report is about what the active snapshot sees, that of the
 * statement, or of a report that this one is a part of: the catalog, the log, the source and the tables of releases are
 * of one moment, and nobody who publishes waits.
 */
extern void report_open(OwnersWork *work, FunctionCallInfo fcinfo);

/* Like it, for a caller who need have no more rights than to audit. */
extern void report_open_for_auditor(OwnersWork *work, FunctionCallInfo fcinfo);

/*
 * Calls the body of a function that auditors may call.  An error in the middle of the work may tell a value of the
 * source: they get another one.  Behind the body, nothing that was locked in it is locked any more.
 */
extern Datum for_auditors(FunctionCallInfo fcinfo, PGFunction body);

/* In such a body: from now on nothing comes out of our work that an auditor may not see, whoever calls. */
extern void hide_data(void);

/* Starts the result, which outlives such a body. */
extern void begin_rows(FunctionCallInfo fcinfo);

/* Starts the result, and the work, which work_close() ends.  False if there is no release: no rows then, and no work. */
extern bool report_begin(OwnersWork *work, FunctionCallInfo fcinfo);

/* A row of the result, which is copied. */
extern void report_row(const OwnersWork *work, Datum *values, bool *nulls);

/* A report that needs no arguments but the publication: opens it, puts its rows, and closes it. */
extern Datum report(FunctionCallInfo fcinfo, void (*put) (const OwnersWork *work));

#endif							/* PPREPUB_DECLARE_WORK_H */

/*
 * progress_report.c
 *		running(): what sessions are doing on one's publications.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "declare/identity.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_running);

/* May the caller see this row?  Figures of rows are the source's, so they are for its owner. */
static bool
may_see(const ProgressRow *row)
{
	return row->database == MyDatabaseId && has_rights_of(row->owner);
}

/* Puts a command as a row. */
static void
put_command(const ReturnSetInfo *result, const ProgressRow *row)
{
	bool		has_total = row->total != NO_TOTAL;
	NameData	publication;
	Datum		values[] = {
		Int32GetDatum(row->pid),
		NameGetDatum(&publication),
		CStringGetTextDatum(row->command),
		CStringGetTextDatum(row->phase),
		Int64GetDatum((int64) (has_total ? Min(row->done, row->total) : row->done)),
		Int64GetDatum((int64) row->total),
		TimestampTzGetDatum(row->since),
		TimestampTzGetDatum(row->phase_since),
	};
	bool		nulls[lengthof(values)] = {[4] = !has_total && row->done == 0,[5] = !has_total};

	namestrcpy(&publication, row->publication);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

Datum
pprepub_running(PG_FUNCTION_ARGS)
{
	int			n;
	ProgressRow *rows = progress_rows(&n);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	for (int i = 0; i < n; i++)
		if (may_see(&rows[i]))
			put_command((ReturnSetInfo *) fcinfo->resultinfo, &rows[i]);
	return (Datum) 0;
}

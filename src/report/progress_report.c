/*
 * progress_report.c
 *		running(): what sessions are doing on one's publications, and on those that one audits.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "declare/publication.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_running);

/* Is it a command that the caller, an auditor of its publication, has called? */
static bool
is_auditors_own(const ProgressRow *row)
{
	CatalogAccess access;
	int32		publication;

	if (!has_rights_of(row->caller))
		return false;
	catalog_enter(&access);
	publication = catalog_read("SELECT publication FROM pprepub_internal.catalog_publication WHERE name = $1",
							   CATALOG_TEXT(row->publication)) == 0 ? 0 : catalog_int(0, "publication");
	catalog_leave(&access);
	return publication != 0 && may_audit(publication);
}

/* Puts a command as a row. */
static void
put_command(const ReturnSetInfo *result, const ProgressRow *row, bool with_figures)
{
	bool		has_total = with_figures && row->total != NO_TOTAL;
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
	bool		nulls[lengthof(values)] = {[4] = !with_figures || (!has_total && row->done == 0),[5] = !has_total};

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
	{
		/* Figures of rows are the source's, so they are for its owner. */
		bool		is_owners = has_rights_of(rows[i].owner);

		if (rows[i].database == MyDatabaseId && (is_owners || is_auditors_own(&rows[i])))
			put_command((ReturnSetInfo *) fcinfo->resultinfo, &rows[i], is_owners);
	}
	return (Datum) 0;
}

/*
 * past_rebuild.c
 *		rebuild_history(): neighborhoods and paths, made anew from the log.
 *
 * NOTES
 *		A table is compared first, and stays where it is as the log tells.  The tests make both tables a third
 *		time, in SQL, which shares no code with what keeps, compares or rebuilds them.
 */
#include "postgres.h"

#include "declare/subtransaction.h"
#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/past_compare.h"
#include "history/past_rebuild.h"
#include "history/reader.h"
#include "history/writer.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_rebuild_history);

static const struct
{
	int			kept_for;		/* PAST_… */
	const char *name;
}			folds[] =
{
	[NEIGHBORHOODS_TABLE] = {PAST_NEIGHBORHOODS, "neighborhoods"},
	[PATHS_TABLE] = {PAST_LAST | PAST_PATHS, "paths"},
};

/* Deletes all rows of the table that the active snapshot sees; returns the greatest number of a neighborhood, or 0. */
static int64
delete_all(Oid table, PastTable which)
{
	RowReader  *reader = reader_open(table);
	ItemPointerData tids[1024];
	int			n = 0;
	int64		last = 0;
	TupleTableSlot *slot;

	while ((slot = reader_next(reader)) != NULL)
	{
		if (n == lengthof(tids))
		{
			delete_rows(table, tids, n);
			n = 0;
		}
		tids[n++] = slot->tts_tid;
		if (which == NEIGHBORHOODS_TABLE && !slot->tts_isnull[FOLD_NEIGHBORHOOD])
			last = Max(last, DatumGetInt64(slot->tts_values[FOLD_NEIGHBORHOOD]));
	}
	if (n > 0)
		delete_rows(table, tids, n);
	reader_close(reader);
	return last;
}

typedef struct Comparing
{
	const DeclaredPublication *publication;
	const Recalled *recalled;
	PastTable	which;
	bool		is_equal;
} Comparing;

/* The work of a subtransaction: compares the table with the log. */
static void
compare(void *what)
{
	Comparing  *comparing = what;
	const Recalled *recalled = comparing->recalled;
	PastComparison comparison = comparing->which == NEIGHBORHOODS_TABLE
		? neighborhoods_compare(comparing->publication, recalled, atoms_of(&recalled->seen))
		: paths_compare(comparing->publication, recalled);

	comparing->is_equal = comparison.wrong == 0;
}

/* A table that is malformed is not; an error of the log, or another, is thrown. */
static bool
is_as_log_tells(const DeclaredPublication *publication, const Recalled *recalled, PastTable which)
{
	Comparing	comparing = {.publication = publication, .recalled = recalled, .which = which};
	ErrorData  *error = look_in_subtransaction(compare, &comparing);

	if (error != NULL && error->sqlerrcode != ERRCODE_DATA_CORRUPTED)
		ReThrowError(error);
	return error == NULL && comparing.is_equal;
}

/* Is the table what follows from the log?  If not, it is replaced. */
static bool
rebuild(const DeclaredPublication *publication, PastTable which)
{
	Oid			table = past_table_ensure(publication, which);
	const Recalled *recalled;
	int64		last;

	past_table_verify(publication, which);
	recalled = recall_in_parts(publication);
	if (is_as_log_tells(publication, recalled, which))
		return true;
	last = delete_all(table, which);
	if (which == NEIGHBORHOODS_TABLE)
		neighborhoods_rebuild(publication, recalled, table, last);
	else
		paths_rebuild(publication, recalled, table);
	return false;
}

Datum
pprepub_rebuild_history(PG_FUNCTION_ARGS)
{
	const char *name = text_argument(fcinfo, 0, "the name of a publication");
	OwnersWork	work = {.result = (ReturnSetInfo *) fcinfo->resultinfo};

	verify_may_change("rebuild_history()");
	work.publication = publication_open(name, ExclusiveLock);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (work.publication->releases == 0)
		return (Datum) 0;
	work_begin(&work, work.publication->owner, GetTransactionSnapshot());
	for (PastTable which = NEIGHBORHOODS_TABLE; which <= PATHS_TABLE; which++)
		if (keeps_past(work.publication, folds[which].kept_for))
		{
			bool		is_equal = rebuild(work.publication, which);

			report_row(&work, (Datum[]) {CStringGetTextDatum(folds[which].name), BoolGetDatum(is_equal)},
					   (bool[]) {false, false});
		}
	work_close(&work);
	return (Datum) 0;
}

/*
 * rebuild.c
 *		rebuild_history(): neighborhoods and paths, made anew from the log.
 *
 * NOTES
 *		A table is compared first, and stays where it is as the log tells.  It stays, too, where the log has not all
 *		that the catalog remembers: a good table is not replaced by what a damaged log tells.  The tests make both tables a third
 *		time, in SQL, which shares no code with what keeps, compares or rebuilds them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "declare/catalog.h"
#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/rebuild.h"
#include "history/rows.h"
#include "miscadmin.h"
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

/* How many rows of a release the log tells of: people who are only counted in have none. */
static uint64
count_rows(const Seen *seen, int32 r)
{
	const SeenRelease *release = seen_release(seen, r);
	uint64		n = release->first[release->nclasses];
	uint64		rows = 0;

	for (uint64 i = 0; i < n; i++)
		rows += !seen_is_counted(release, i);
	return rows;
}

static void
refuse_log(const DeclaredPublication *publication, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("the log of publication \"%s\" is not whole", publication->name),
			 errdetail("%s", detail),
			 errhint("Nothing was changed. Restore the table of its log from a backup.")));
}

/* Raises an error unless the log has as many people, and rows of each release, as the catalog remembers. */
static void
verify_log_is_whole(const DeclaredPublication *publication, const Seen *seen)
{
	CatalogAccess access;
	uint64		n;

	if (seen->nindividuals != (uint64) publication->remembered)
		refuse_log(publication, psprintf("It tells of " UINT64_FORMAT " instead of " INT64_FORMAT " people and invented rows.",
										 seen->nindividuals, publication->remembered));
	catalog_enter(&access);
	n = catalog_read("SELECT number, rows FROM pprepub_internal.catalog_release WHERE publication = $1 AND identified AND number <= $2",
					 CATALOG_INT(publication->id), CATALOG_INT(seen->nreleases));
	for (uint64 i = 0; i < n; i++)
	{
		int32		number = catalog_int(i, "number");
		uint64		logged = count_rows(seen, number - 1);
		int64		rows = catalog_int(i, "rows");

		CHECK_FOR_INTERRUPTS();
		if (logged != (uint64) rows)
			refuse_log(publication, psprintf("It tells of " UINT64_FORMAT " instead of " INT64_FORMAT " rows of release %d.",
											 logged, rows, number));
	}
	catalog_leave(&access);
}

/* Makes the table anew from the log. */
static void
make_anew(const DeclaredPublication *publication, const Recalled *recalled, Oid table, PastTable which)
{
	int64		last = delete_all(table, which);

	if (which == NEIGHBORHOODS_TABLE)
		neighborhoods_rebuild(publication, recalled, table, last);
	else
		paths_rebuild(publication, recalled, table, protected_values(publication, recalled));
}

/* Is the table what follows from the log?  If not, it is replaced. */
static bool
rebuild(const DeclaredPublication *publication, PastTable which)
{
	Oid			table = past_table_ensure(publication, which);
	const Recalled *recalled;
	bool		is_equal;

	past_table_verify(publication, which);
	recalled = recall_in_parts(publication);
	verify_log_is_whole(publication, &recalled->seen);
	is_equal = is_as_log_tells(publication, recalled, which);
	if (!is_equal)
		make_anew(publication, recalled, table, which);
	recalled_close(recalled);
	return is_equal;
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

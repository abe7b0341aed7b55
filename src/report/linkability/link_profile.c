/*
 * link_profile.c
 *		link_profile(): what the join of releases tells of each tuple of
 *		quasi-identifiers.
 */
#include "postgres.h"

#include "declare/work.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "report/linkability/linking.h"
#include "report/linkability/tuple_json.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_link_profile);

static void
put_tuple(const OwnersWork *work, TuplePrinter *printer, const Linked *linked, const LinkProfile *profile, uint32 t)
{
	bool		is_told = profile != NULL && profile->linkability[t] != NO_CLIQUE;
	uint64		first = is_told ? profile->first[t] : 0;
	Datum		values[] = {
		tuple_json(printer, linked->tuples->row[t]),
		Int64GetDatum(linked->tuples->records[t]),
		Int32GetDatum(is_told ? profile->linkability[t] : 0),
		Float8GetDatum(is_told ? profile->diversity[t] : 0),
		is_told ? values_json(printer, &profile->value[first], &profile->frequency[first], profile->linkability[t], "frequency") : (Datum) 0
	};
	bool		nulls[] = {false, false, !is_told, !is_told, !is_told};

	report_row(work, values, nulls);
}

/* As the owner, under the active snapshot. */
static void
put_tuples(const OwnersWork *work, const int32 *numbers, int32 n, const JoinKind *kind)
{
	Linking    *linking = linking_create(work->publication, numbers, n);
	Linked	   *linked = link_first(linking, n, kind);
	LinkProfile *profile = profile_of(linked, true);
	TuplePrinter *printer = tuple_printer(linking);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "a tuple", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);

	for (uint32 t = 0; t < linked->tuples->ntuples; t++)
	{
		CHECK_FOR_INTERRUPTS();
		put_tuple(work, printer, linked, profile, t);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
}

Datum
pprepub_link_profile(PG_FUNCTION_ARGS)
{
	OwnersWork	work;
	const JoinKind *kind = join_kind_argument(fcinfo, 2);
	int32	   *numbers;
	int32		n;

	report_open(&work, fcinfo, RowShareLock);
	numbers = releases_argument(fcinfo, 1, work.publication, &n);
	if (report_begin(&work, fcinfo))
	{
		put_tuples(&work, numbers, n, kind);
		work_close(&work);
	}
	return (Datum) 0;
}

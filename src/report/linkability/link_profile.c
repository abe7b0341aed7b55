/*
 * link_profile.c
 *		link_profile(): what the join of releases tells of each tuple of
 *		quasi-identifiers.
 */
#include "postgres.h"

#include "declare/work.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "report/linkability/release_join.h"
#include "report/linkability/tuple_json.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_link_profile);

static void
put_tuple(const OwnersWork *work, TuplePrinter *printer, const ReleaseJoin *join, const LinkProfile *profile, uint32 t)
{
	bool		has_result = profile != NULL && profile->linkability[t] != NO_CLIQUE;
	uint64		first = has_result ? profile->first[t] : 0;
	Datum		values[] = {
		tuple_json(printer, join->tuples->row[t]),
		Int64GetDatum(join->tuples->records[t]),
		Int32GetDatum(has_result ? profile->linkability[t] : 0),
		Float8GetDatum(has_result ? profile->diversity[t] : 0),
		has_result ? values_json(printer, &profile->value[first], &profile->frequency[first], profile->linkability[t], "frequency") : (Datum) 0
	};
	bool		nulls[] = {false, false, !has_result, !has_result, !has_result};

	report_row(work, values, nulls);
}

/* As the owner, under the active snapshot. */
static void
put_tuples(const OwnersWork *work, const int32 *numbers, int32 n, const JoinKind *kind)
{
	JoinData   *data = read_join_data(work->publication, numbers, n);
	ReleaseJoin *join = join_first(data, n, kind);
	LinkProfile *profile = profile_of(join, true);
	TuplePrinter *printer = tuple_printer(data);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "a tuple", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);

	for (uint32 t = 0; t < join->tuples->ntuples; t++)
	{
		CHECK_FOR_INTERRUPTS();
		put_tuple(work, printer, join, profile, t);
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

/*
 * linkability.c
 *		linkability(), linkability_series() and link_profile(): how well releases can
 *		be joined back to people.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "report/linkability/release_join.h"
#include "report/linkability/tuple_json.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_linkability);
PG_FUNCTION_INFO_V1(pprepub_linkability_series);
PG_FUNCTION_INFO_V1(pprepub_link_profile);

typedef struct Figures
{
	int32		releases;
	uint64		nodes;
	uint64		edges;
	uint64		matches;
	char	   *cliques;
	uint64		tuples;
	bool		has_result;		/* there is a tuple that is linked to something, and a release that shows the sensitive
								 * column */
	uint32		linkability;
	double		diversity;
} Figures;

/* Fills in the least linkability and diversity of any tuple, if a tuple is linked to something. */
static void
judge(const ReleaseJoin *join, Figures *figures)
{
	LinkProfile *profile = profile_of(join, false);

	figures->tuples = join->tuples->ntuples;
	figures->has_result = profile != NULL && profile->least_linkability != NO_CLIQUE;
	if (!figures->has_result)
		return;
	figures->linkability = profile->least_linkability;
	figures->diversity = profile->least_diversity;
}

/* Called as the owner, under the active snapshot; what the figures hold is in the context given. */
static void
find_figures(const DeclaredPublication *publication, const int32 *numbers, int32 n, const JoinKind *kind,
			 MemoryContext context, Figures *figures)
{
	JoinData   *data = read_join_data(publication, numbers, n);
	ReleaseJoin *join = join_first(data, n, kind);
	JoinCounts	counts = join_count(join->graph);

	figures->nodes = counts.nodes;
	figures->edges = join->edges;
	figures->matches = counts.edges;
	figures->cliques = MemoryContextStrdup(context, wide_text(counts.cliques));
	judge(join, figures);
}

static Datum
numeric_of(const char *digits)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(digits), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/* The figures as the row of linkability(). */
static Datum
row_of(FunctionCallInfo fcinfo, const JoinKind *kind, const Figures *figures)
{
	Datum		values[] = {
		CStringGetTextDatum(kind->name),
		Int32GetDatum(figures->releases),
		Int64GetDatum(figures->nodes),
		Int64GetDatum(figures->edges),
		Int64GetDatum(figures->matches),
		numeric_of(figures->cliques),
		Int64GetDatum(figures->tuples),
		Int32GetDatum(figures->linkability),
		Float8GetDatum(figures->diversity),
	};
	bool		nulls[lengthof(values)] = {[7] = !figures->has_result,[8] = !figures->has_result};
	TupleDesc	columns;

	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls));
}

Datum
pprepub_linkability(PG_FUNCTION_ARGS)
{
	OwnersWork	work;
	const JoinKind *kind = join_kind_argument(fcinfo, 2);
	MemoryContext context = CurrentMemoryContext;
	Figures		figures = {.cliques = "0"};
	int32	   *numbers;

	report_open(&work, fcinfo, RowShareLock);
	numbers = releases_argument(fcinfo, 1, work.publication, &figures.releases);
	if (figures.releases > 0)
	{
		work_begin(&work, work.publication->owner, GetLatestSnapshot());
		find_figures(work.publication, numbers, figures.releases, kind, context, &figures);
		work_close(&work);
	}
	PG_RETURN_DATUM(row_of(fcinfo, kind, &figures));
}

/* ----------------------------------------------------------------
 * Release by release
 * ----------------------------------------------------------------
 */

/* Adds a release's row to the result; its figures are NULL where the join has none. */
static void
put_figures(const OwnersWork *work, int32 release, const Figures *figures)
{
	Datum		values[] = {
		Int32GetDatum(release),
		Int32GetDatum(figures->linkability),
		Float8GetDatum(figures->diversity),
	};
	bool		nulls[] = {false, !figures->has_result, !figures->has_result};

	report_row(work, values, nulls);
}

/* Called as the owner, under the active snapshot. */
static void
put_series(const OwnersWork *work, const JoinKind *kind)
{
	int32		n;
	const int32 *numbers = all_releases(work->publication, &n);
	JoinData   *data = read_join_data(work->publication, numbers, n);
	MemoryContext join = AllocSetContextCreate(CurrentMemoryContext, "a join", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(join);

	for (int32 r = 1; r <= n; r++)
	{
		Figures		figures = {0};

		CHECK_FOR_INTERRUPTS();
		judge(join_first(data, r, kind), &figures);
		put_figures(work, r, &figures);
		MemoryContextReset(join);
	}
	MemoryContextSwitchTo(old);
}

Datum
pprepub_linkability_series(PG_FUNCTION_ARGS)
{
	OwnersWork	work;
	const JoinKind *kind = join_kind_argument(fcinfo, 1);

	report_open(&work, fcinfo, RowShareLock);
	if (report_begin(&work, fcinfo))
	{
		put_series(&work, kind);
		work_close(&work);
	}
	return (Datum) 0;
}

/* ----------------------------------------------------------------
 * Tuple by tuple
 * ----------------------------------------------------------------
 */

/* Puts a tuple with the values that it is linked to as a row. */
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

/* Called as the owner, under the active snapshot. */
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

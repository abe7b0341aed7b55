/*
 * linkability.c
 *		linkability() and link_profile(): how well releases can be joined back to
 *		people.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "declare/work.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "release/search_budgets.h"
#include "report/linkability/release_join.h"
#include "report/linkability/tuple_json.h"
#include "utils/array.h"
#include "shared/progress.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(pprepub_linkability);
PG_FUNCTION_INFO_V1(pprepub_link_profile);

/* People are counted apart by how many values they are linked to, up to this many. */
#define MOST_TOLD_APART 10

typedef struct Figures
{
	int32		releases;
	uint64		nodes;
	uint64		edges;
	uint64		matches;
	char	   *cliques;		/* NULL if they are too many to count */
	uint64		tuples;
	bool		has_result;		/* there is a tuple that is linked to a value, and a release that shows the sensitive
								 * column */
	uint32		linkability;
	double		diversity;
	uint64		unknown;		/* people who are linked to no value but NULL */
	uint64		people_at[MOST_TOLD_APART]; /* people who are linked to 1, 2, … values; the last, to more, too */
} Figures;

/* Adds a tuple: so many people, who are linked to so many values. */
static void
add_tuple(Figures *figures, uint64 people, uint32 linkability, double diversity)
{
	if (linkability == 0)
	{
		figures->unknown += people;
		return;
	}
	figures->people_at[Min(linkability, MOST_TOLD_APART) - 1] += people;
	figures->linkability = figures->has_result ? Min(figures->linkability, linkability) : linkability;
	figures->diversity = figures->has_result ? Min(figures->diversity, diversity) : diversity;
	figures->has_result = true;
}

/* Fills in what a join says of tuples that are linked to something. */
static void
judge(const ReleaseJoin *join, Figures *figures)
{
	bool		one_of_several = join->data->reading->nsensitive > 1;
	LinkProfile *profile = profile_of(join, one_of_several);

	figures->tuples = join->tuples->ntuples;
	for (uint32 t = 0; t < join->tuples->ntuples && profile != NULL; t++)
	{
		TupleLinks	links;

		CHECK_FOR_INTERRUPTS();
		if (profile->linkability[t] == NO_CLIQUE)
			continue;
		if (!one_of_several)
		{
			add_tuple(figures, join->tuples->records[t], profile->linkability[t], profile->diversity[t]);
			continue;
		}
		links = links_of_tuple(join, profile, t);
		add_tuple(figures, join->tuples->records[t], links.linkability, links.diversity);
		pfree(unconstify(Code *, links.value));
		pfree(links.figure);
	}
}

/* Takes the figures of another sensitive column, if it has less diversity; and in any case the lesser linkability. */
static void
take_lesser(Figures *figures, const Figures *other)
{
	Figures		before = *figures;

	if (!before.has_result || (other->has_result && other->diversity < before.diversity))
		*figures = *other;
	if (before.has_result && other->has_result)
		figures->linkability = Min(before.linkability, other->linkability);
}

/* Called as the owner, under the active snapshot; what the figures hold is in the context given. */
static void
find_figures(const DeclaredPublication *publication, const int32 *numbers, int32 n, const JoinKind *kind,
			 MemoryContext context, Figures *figures)
{
	uint64		steps = (uint64) search_budget;

	for (int c = 0; c < count_sensitive(publication); c++)
	{
		ReleaseJoin *join = join_first(read_join_data(publication, numbers, n, c), n, kind);
		JoinCounts	counts = join_count(join->graph, &steps);
		Figures		own = {
			.releases = n, .nodes = counts.nodes, .edges = join->edges, .matches = counts.edges,
			.cliques = counts.cliques == NULL ? NULL : MemoryContextStrdup(context, wide_text(counts.cliques))
		};

		judge(join, &own);
		if (c == 0)
			*figures = own;
		else
			take_lesser(figures, &own);
	}
}

static Datum
numeric_of(const char *digits)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(digits), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/* People by how many values they are linked to, up to the last number that somebody is. */
static Datum
people_at(const Figures *figures)
{
	Datum		elements[MOST_TOLD_APART];
	int			n = 0;

	for (int i = 0; i < MOST_TOLD_APART; i++)
	{
		elements[i] = Int64GetDatum(figures->people_at[i]);
		if (figures->people_at[i] > 0)
			n = i + 1;
	}
	return PointerGetDatum(construct_array(elements, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
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
		figures->cliques == NULL ? (Datum) 0 : numeric_of(figures->cliques),
		Int64GetDatum(figures->tuples),
		Int32GetDatum(figures->linkability),
		Float8GetDatum(figures->diversity),
		Int64GetDatum(figures->unknown),
		people_at(figures),
	};
	bool		nulls[lengthof(values)] = {[5] = figures->cliques == NULL,[7] = !figures->has_result,[8] = !figures->has_result};
	TupleDesc	columns;

	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls));
}

/* The row of linkability(). */
static Datum
find_linkability(FunctionCallInfo fcinfo)
{
	OwnersWork	work;
	const JoinKind *kind = join_kind_argument(fcinfo, 2);
	MemoryContext context = CurrentMemoryContext;
	Figures		figures = {.cliques = "0"};
	int32	   *numbers;

	report_open_for_auditor(&work, fcinfo);
	numbers = releases_argument(fcinfo, 1, work.publication, &figures.releases);
	if (figures.releases > 0)
	{
		progress_begin("linkability", work.publication->owner, work.publication->name);
		work_begin(&work, work.publication->owner, GetActiveSnapshot());
		find_figures(work.publication, numbers, figures.releases, kind, context, &figures);
		work_close(&work);
		progress_end();
	}
	PG_RETURN_DATUM(row_of(fcinfo, kind, &figures));
}

Datum
pprepub_linkability(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, find_linkability);
}

/* ----------------------------------------------------------------
 * Tuple by tuple
 * ----------------------------------------------------------------
 */

/* The findings of a join about tuples, by one of the sensitive columns. */
typedef struct ColumnProfile
{
	ReleaseJoin *join;
	LinkProfile *profile;
	TuplePrinter *printer;
	TupleIndex *index;
} ColumnProfile;

/* Puts a tuple with the values of all sensitive columns that it is linked to as a row. */
static void
put_tuple(const OwnersWork *work, const ColumnProfile *columns, int n, uint32 t)
{
	const SourceTuples *tuples = columns[0].join->tuples;
	Datum		tuple = tuple_json(columns[0].printer, tuples->row[t]);
	TupleLinks	least = {0};
	Datum	   *sensitive = palloc0(sizeof(Datum) * n);

	for (int c = 0; c < n; c++)
	{
		TupleLinks	links = links_of_tuple(columns[c].join, columns[c].profile, c == 0 ? t : find_tuple(columns[c].index, tuple));

		if (!links.is_linked)
			continue;
		sensitive[c] = values_json(columns[c].printer, &links);
		least.linkability = least.is_linked ? Min(least.linkability, links.linkability) : links.linkability;
		least.diversity = least.is_linked ? Min(least.diversity, links.diversity) : links.diversity;
		least.is_linked = true;
	}
	report_row(work,
			   (Datum[]) {
		tuple, Int64GetDatum(tuples->records[t]), Int32GetDatum(least.linkability), Float8GetDatum(least.diversity),
		columns_json(work->publication, sensitive)
	},
			   (bool[]) {false, false, !least.is_linked, !least.is_linked, !least.is_linked});
}

/* Called as the owner, under the active snapshot. */
static void
put_tuples(const OwnersWork *work, const int32 *numbers, int32 n, const JoinKind *kind)
{
	int			ncolumns = count_sensitive(work->publication);
	ColumnProfile *columns = palloc0(sizeof(ColumnProfile) * ncolumns);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "a tuple", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	for (int c = 0; c < ncolumns; c++)
	{
		ColumnProfile *column = &columns[c];

		column->join = join_first(read_join_data(work->publication, numbers, n, c), n, kind);
		column->profile = profile_of(column->join, true);
		column->printer = tuple_printer(column->join->data);
		if (c > 0)
			column->index = index_tuples(column->printer, column->join->tuples);
	}
	old = MemoryContextSwitchTo(row);
	for (uint32 t = 0; t < columns[0].join->tuples->ntuples; t++)
	{
		CHECK_FOR_INTERRUPTS();
		put_tuple(work, columns, ncolumns, t);
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

	report_open(&work, fcinfo);
	numbers = releases_argument(fcinfo, 1, work.publication, &n);
	if (report_begin(&work, fcinfo))
	{
		progress_begin("link_profile", work.publication->owner, work.publication->name);
		put_tuples(&work, numbers, n, kind);
		work_close(&work);
		progress_end();
	}
	return (Datum) 0;
}

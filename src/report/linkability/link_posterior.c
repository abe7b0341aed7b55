/*
 * link_posterior.c
 *		link_posterior(): how likely sensitive values are to an observer who knows all
 *		quasi-identifiers.
 *
 * NOTES
 *		The source is joined to the releases as if it were one, without the sensitive
 *		column: so each record of it is one of a person.
 */
#include "postgres.h"

#include "audit/join/worlds.h"
#include "declare/work.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "release/search_budgets.h"
#include "report/linkability/release_join.h"
#include "report/linkability/tuple_json.h"
#include "shared/progress.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_link_posterior);

static void
refuse_unknown(const DeclaredPublication *publication)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("it is not known who is in these releases of publication \"%s\"", publication->name),
			 errdetail("A release was imported without a key, or its rows fit those of others only if some of them are other people's."),
			 errhint("Name other releases, or use pprepub.link_profile().")));
}

static void
refuse_over_budget(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("worlds were not counted within %.0f steps", search_budget),
			 errdetail("Counting the ways in which releases can be joined can take very long."),
			 errhint("Name fewer releases, use pprepub.link_profile(), which counts cliques instead of worlds, or raise pprepub.search_budget.")));
}

/* The known people, the join of the source and the releases, and its posterior. */
typedef struct PosteriorReport
{
	const JoinData *data;
	KnownPeople *known;
	JoinGraph  *graph;
	Posterior	posterior;
	SourceTuples *tuples;
	TuplePrinter *printer;
	TupleIndex *index;			/* NULL for the first sensitive column */
	uint32	   *node;			/* [tuples] of the source, or NO_NODE where no person who has it is known */
} PosteriorReport;

#define NO_NODE PG_UINT32_MAX

/* Does any release show the sensitive column?  The first of the join is the source, and does not count. */
static bool
shows_sensitive(const PosteriorReport *report)
{
	const JoinGraph *graph = report->graph;

	for (int32 r = 1; r < graph->nreleases; r++)
		if (graph->input->release[r].sensitive != NULL)
			return true;
	return false;
}

/* Finds the node of each tuple of the source. */
static void
find_nodes(PosteriorReport *report)
{
	const SourceTuples *tuples = report->tuples;
	const KnownPeople *known = report->known;

	report->node = new_array(uint32, tuples->ntuples);
	memset(report->node, 0xff, sizeof(uint32) * tuples->ntuples);	/* NO_NODE */
	for (uint64 i = 0; i < tuples->nrows; i++)
	{
		uint32		person = known->person_of_row[tuples->row_of[i]];

		if (person != NOBODY_YET && known->is_known[person])
			report->node[tuples->tuple_of[i]] = report->graph->side[0].node_of[person];
	}
}

/* Counts the worlds of the join; an error if there are none, or too many. */
static void
count_worlds(PosteriorReport *report)
{
	JoinTrouble trouble;
	JoinOutcome outcome = join_kernel(report->graph, &trouble);

	if (outcome == JOIN_FOUND)
		outcome = join_worlds(report->graph, (uint64) search_budget, &report->posterior);
	if (outcome == JOIN_OVER_BUDGET)
		refuse_over_budget();
	if (outcome != JOIN_FOUND)
		refuse_unknown(report->data->publication);
}

/* Called as the owner, inside SPI, under the active snapshot. */
static PosteriorReport *
find_posterior(const DeclaredPublication *publication, const int32 *numbers, int32 n, int column)
{
	PosteriorReport *report = palloc0(sizeof(PosteriorReport));
	const JoinData *data = read_join_data(publication, numbers, n, column);
	const People *people = people_of(data->reading, data->source, n, data->is_guess, false, 0);

	if (!people->is_whole)
		refuse_unknown(publication);
	report->data = data;
	report->known = known_people(people, data->source);
	report->graph = join_graph(&report->known->input);
	report->tuples = tuples_of_members(data->reading, data->source, n);
	count_worlds(report);
	find_nodes(report);
	report->printer = tuple_printer(data);
	if (column > 0)
		report->index = index_tuples(report->printer, report->tuples);
	return report;
}

/* The values of the judged column that a tuple may have, with their probabilities. */
static TupleLinks
likely_values(const PosteriorReport *report, uint32 t)
{
	const Reading *reading = report->data->reading;
	const Posterior *posterior = &report->posterior;
	uint64		first;
	uint64		n;

	if (report->node[t] == NO_NODE || !shows_sensitive(report))
		return (TupleLinks) {0};
	first = posterior->first[report->node[t]];
	n = posterior->first[report->node[t] + 1] - first;
	if (reading->nsensitive > 1)
		return links_in_column(reading, &posterior->value[first], &posterior->probability[first], n);
	return (TupleLinks) {.is_linked = true, .n = n, .value = &posterior->value[first], .figure = &posterior->probability[first]};
}

/* The greatest probability of a value that is shown. */
static double
greatest(const TupleLinks *links)
{
	double		result = 0;

	for (uint32 i = 0; i < links->n; i++)
		if (links->value[i] != NO_CODE)
			result = Max(result, links->figure[i]);
	return result;
}

/* Puts a tuple with its posterior, by all sensitive columns, as a row. */
static void
put_tuple(const OwnersWork *work, PosteriorReport *const *reports, int n, uint32 t)
{
	const SourceTuples *tuples = reports[0]->tuples;
	Datum		tuple = tuple_json(reports[0]->printer, tuples->row[t]);
	Datum	   *sensitive = palloc0(sizeof(Datum) * n);
	double		probability = 0;
	bool		is_known = false;

	for (int c = 0; c < n; c++)
	{
		double		likeliest;
		TupleLinks	links = likely_values(reports[c], c == 0 ? t : find_tuple(reports[c]->index, tuple));

		if (!links.is_linked)
			continue;
		likeliest = greatest(&links);
		probability = is_known ? Max(probability, likeliest) : likeliest;
		is_known = true;
		sensitive[c] = values_json(reports[c]->printer, &links, "probability");
	}
	report_row(work,
			   (Datum[]) {
		tuple, Int64GetDatum(tuples->records[t]), Float8GetDatum(probability), columns_json(work->publication, sensitive)
	},
			   (bool[]) {false, false, !is_known, !is_known});
}

/* Puts a row for each tuple of the source. */
static void
put_tuples(const OwnersWork *work, const int32 *numbers, int32 n)
{
	int			ncolumns = count_sensitive(work->publication);
	PosteriorReport **reports = palloc(sizeof(PosteriorReport *) * ncolumns);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "a tuple", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	for (int c = 0; c < ncolumns; c++)
		reports[c] = find_posterior(work->publication, numbers, n, c);
	old = MemoryContextSwitchTo(row);
	for (uint32 t = 0; t < reports[0]->tuples->ntuples; t++)
	{
		CHECK_FOR_INTERRUPTS();
		put_tuple(work, reports, ncolumns, t);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
}

Datum
pprepub_link_posterior(PG_FUNCTION_ARGS)
{
	OwnersWork	work;
	int32	   *numbers;
	int32		n;

	report_open(&work, fcinfo);
	numbers = releases_argument(fcinfo, 1, work.publication, &n);
	if (report_begin(&work, fcinfo))
	{
		progress_begin("link_posterior", work.publication->owner, work.publication->name);
		put_tuples(&work, numbers, n);
		work_close(&work);
		progress_end();
	}
	return (Datum) 0;
}

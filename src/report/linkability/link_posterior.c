/*
 * link_posterior.c
 *		link_posterior(): how likely sensitive values are to whoever knows everybody's
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
#include "report/linkability/linking.h"
#include "report/linkability/tuple_json.h"
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
			 errdetail("To count the ways in which releases can be joined may take longer than anybody can wait."),
			 errhint("Name fewer releases, use pprepub.link_profile(), which counts cliques instead of worlds, or raise pprepub.search_budget.")));
}

/* The people, the join of the source and the releases, and its posterior. */
typedef struct Believing
{
	const Linking *linking;
	KnownPeople *known;
	JoinGraph  *graph;
	Posterior	posterior;
	SourceTuples *tuples;
	uint32	   *node;			/* [tuples] of the source, or NO_NODE where nobody who has it is known */
} Believing;

#define NO_NODE PG_UINT32_MAX

static bool
is_told(const Believing *believing)
{
	const JoinGraph *graph = believing->graph;

	for (int32 r = 1; r < graph->nreleases; r++)
		if (graph->input->release[r].sensitive != NULL)
			return true;
	return false;
}

static void
find_nodes(Believing *believing)
{
	const SourceTuples *tuples = believing->tuples;
	const KnownPeople *known = believing->known;

	believing->node = new_array(uint32, tuples->ntuples);
	memset(believing->node, 0xff, sizeof(uint32) * tuples->ntuples);	/* NO_NODE */
	for (uint64 i = 0; i < tuples->nrows; i++)
	{
		uint32		person = known->person_of_row[tuples->row_of[i]];

		if (person != NOBODY_YET && known->is_known[person])
			believing->node[tuples->tuple_of[i]] = believing->graph->side[0].node_of[person];
	}
}

static void
count_worlds(Believing *believing)
{
	JoinTrouble trouble;
	JoinOutcome outcome = join_kernel(believing->graph, &trouble);

	if (outcome == JOIN_FOUND)
		outcome = join_worlds(believing->graph, (uint64) search_budget, &believing->posterior);
	if (outcome == JOIN_OVER_BUDGET)
		refuse_over_budget();
	if (outcome != JOIN_FOUND)
		refuse_unknown(believing->linking->publication);
}

/* As the owner, inside SPI, under the active snapshot. */
static Believing *
believe(const DeclaredPublication *publication, const int32 *numbers, int32 n)
{
	Believing  *believing = palloc0(sizeof(Believing));
	const Linking *linking = linking_create(publication, numbers, n);
	const People *people = people_of(linking->reading, linking->source, n, linking->is_guess, false, 0);

	if (!people->is_whole)
		refuse_unknown(publication);
	believing->linking = linking;
	believing->known = known_people(people, linking->source);
	believing->graph = join_graph(&believing->known->input);
	believing->tuples = tuples_of_members(linking->reading, linking->source, n);
	count_worlds(believing);
	find_nodes(believing);
	return believing;
}

/* The greatest probability of a value that is shown. */
static double
greatest(const Posterior *posterior, uint64 first, uint64 end)
{
	double		result = 0;

	for (uint64 i = first; i < end; i++)
		if (posterior->value[i] != NO_CODE)
			result = Max(result, posterior->probability[i]);
	return result;
}

static void
put_tuple(const OwnersWork *work, TuplePrinter *printer, const Believing *believing, uint32 t)
{
	const Posterior *posterior = &believing->posterior;
	bool		is_known = believing->node[t] != NO_NODE && is_told(believing);
	uint64		first = is_known ? posterior->first[believing->node[t]] : 0;
	uint64		end = is_known ? posterior->first[believing->node[t] + 1] : 0;
	Datum		values[] = {
		tuple_json(printer, believing->tuples->row[t]),
		Int64GetDatum(believing->tuples->records[t]),
		Float8GetDatum(greatest(posterior, first, end)),
		is_known ? values_json(printer, &posterior->value[first], &posterior->probability[first], end - first, "probability") : (Datum) 0
	};
	bool		nulls[] = {false, false, !is_known, !is_known};

	report_row(work, values, nulls);
}

static void
put_tuples(const OwnersWork *work, const Believing *believing)
{
	TuplePrinter *printer = tuple_printer(believing->linking);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "a tuple", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);

	for (uint32 t = 0; t < believing->tuples->ntuples; t++)
	{
		CHECK_FOR_INTERRUPTS();
		put_tuple(work, printer, believing, t);
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

	report_open(&work, fcinfo, RowShareLock);
	numbers = releases_argument(fcinfo, 1, work.publication, &n);
	if (report_begin(&work, fcinfo))
	{
		put_tuples(&work, believe(work.publication, numbers, n));
		work_close(&work);
	}
	return (Datum) 0;
}

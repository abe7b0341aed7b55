/*
 * shown.c
 *		Looking for matchings near the known one that link people to other values.
 *
 * NOTES
 *		Two things are tried, in which observers are taken to know more than they do.  If
 *		something is possible for them even so, it is possible.
 *
 *		If they know which records of some releases are the same person's, these releases
 *		are one, and all others another one; of two, the kernel is the full match join.  A
 *		record's cell in a column then is what all cells of its person there have in
 *		common.
 *
 *		If they know who has which cells, records of equal cells are a class, and what is
 *		possible follows by looking for worlds (audit/compromise.h).  A tuple might be
 *		anybody whose records fit it, and have what that person might have.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "audit/join/cliques.h"
#include "audit/join/kernel.h"
#include "audit/join/profile.h"
#include "audit/join/shown.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Two united releases with more edges are not joined. */
#define MOST_EDGES		(4 * 1024 * 1024)

typedef struct Showing
{
	const JoinGraph *graph;
	const JoinTuples *tuples;
	Meeting    *meeting;		/* [releases] */

	/* The known matching */
	uint32		npeople;
	uint32	  **record;			/* [releases][people] */
	uint64	  **first;			/* [releases][nodes + 1] people by node: those of v are first[v] up to, not including,
								 * first[v + 1] */
	uint32	  **member;			/* [releases][people] */

	/* Values that people may have */
	Individual *individual;		/* [people] or NO_INDIVIDUAL if no release shows a value of theirs */
	const Deduction *deduction;

	/* By tuple */
	uint32		width;			/* bytes */
	uint8	   *heard;			/* [tuples * width] a bit for each value */
	uint32	   *nheard;			/* [tuples] */
} Showing;

/* Notes a value of a tuple; a NULL counts for none. */
static void
hear(Showing *showing, uint32 tuple, Code value)
{
	uint8	   *heard;

	if (value == NO_CODE || value == showing->graph->input->null_value)
		return;
	heard = &showing->heard[(Size) tuple * showing->width + value / 8];
	showing->nheard[tuple] += (*heard >> value % 8 & 1) == 0;
	*heard |= 1 << value % 8;
}

/* ----------------------------------------------------------------
 * Some releases as one
 * ----------------------------------------------------------------
 */

/* Finds for each person the common part of the cells in a column of these releases, or NULL if none shows it: [people]. */
static const Span *
common_cells(const JoinInput *input, int32 column, const bool *is_one, uint32 *const *record)
{
	uint32		n = input->release[0].nrecords;
	Span	   *common = NULL;

	for (int32 r = 0; r < input->nreleases; r++)
	{
		const Span *cells = input->release[r].cells[column];

		if (!is_one[r] || cells == NULL)
			continue;
		if (common == NULL)
		{
			common = new_array(Span, n);
			for (uint32 p = 0; p < n; p++)
				common[p] = ANYTHING;
		}
		for (uint32 p = 0; p < n; p++)
			common[p] = (Span) {Max(common[p].lo, cells[record[r][p]].lo), Min(common[p].hi, cells[record[r][p]].hi)};
	}
	return common;
}

/* The value of each person in these releases, or NULL if none of them shows any: [people]. */
static const Code *
common_values(const JoinInput *input, const bool *is_one, uint32 *const *record)
{
	uint32		n = input->release[0].nrecords;
	Code	   *common = NULL;

	for (int32 r = 0; r < input->nreleases; r++)
	{
		const Code *sensitive = input->release[r].sensitive;

		if (!is_one[r] || sensitive == NULL)
			continue;
		if (common == NULL)
		{
			common = new_array(Code, n);
			memset(common, 0xff, sizeof(Code) * n); /* NO_CODE */
		}
		for (uint32 p = 0; p < n; p++)
			if (sensitive[record[r][p]] != NO_CODE)
				common[p] = sensitive[record[r][p]];
	}
	return common;
}

/* These releases as one. */
static JoinRelease
unite(const JoinInput *input, const bool *is_one, uint32 *const *record)
{
	uint32		n = input->release[0].nrecords;
	const Span **cells = palloc(sizeof(Span *) * (input->ncolumns + 1));
	uint32	   *person = new_array(uint32, n);

	for (int32 c = 0; c < input->ncolumns; c++)
		cells[c] = common_cells(input, c, is_one, record);
	for (uint32 p = 0; p < n; p++)
		person[p] = p;
	return (JoinRelease) {.nrecords = n, .cells = cells, .sensitive = common_values(input, is_one, record), .person = person};
}

/* Hears what tuples are linked to if some releases are one, and all others another one. */
static void
hear_two(Showing *showing, const bool *is_one, uint32 *const *record)
{
	const JoinInput *all = showing->graph->input;
	bool	   *is_other = palloc(sizeof(bool) * all->nreleases);
	JoinInput	input = *all;
	JoinGraph  *graph;
	JoinTrouble trouble;
	LinkProfile *profile;

	for (int32 r = 0; r < all->nreleases; r++)
		is_other[r] = !is_one[r];
	input.nreleases = 2;
	input.release = (JoinRelease[]) {unite(all, is_other, record), unite(all, is_one, record)};
	input.together = NULL;
	input.most_edges = MOST_EDGES;
	graph = join_graph(&input);
	if (graph == NULL || join_kernel(graph, &trouble) != JOIN_FOUND)
		return;
	profile = link_profile(graph, showing->tuples, true);
	for (uint32 t = 0; t < showing->tuples->ntuples && profile != NULL; t++)
		for (uint32 i = 0; profile->linkability[t] != NO_CLIQUE && i < profile->nvalues[t] && !is_box(showing->tuples, all->nqis, t); i++)
			hear(showing, t, profile->value[profile->first[t] + i]);
}

/* Takes each release by itself, and all that show values. */
static void
hear_united(Showing *showing)
{
	const JoinInput *input = showing->graph->input;
	bool	   *is_one = palloc0(sizeof(bool) * input->nreleases);
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "two releases", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	for (int32 i = 0; i <= input->nreleases; i++)
	{
		for (int32 r = 0; r < input->nreleases; r++)
			is_one[r] = i < input->nreleases ? r == i : input->release[r].sensitive != NULL;
		old = MemoryContextSwitchTo(work);
		hear_two(showing, is_one, showing->record);
		MemoryContextSwitchTo(old);
		MemoryContextReset(work);
	}
	MemoryContextDelete(work);
}

/* ----------------------------------------------------------------
 * The known matching
 * ----------------------------------------------------------------
 */

/* Takes everybody's own records; false if those of a person do not fit each other. */
static bool
take_known(Showing *showing)
{
	const JoinGraph *graph = showing->graph;
	int32		n = graph->nreleases;
	uint32	   *own = palloc(sizeof(uint32) * n);

	for (uint32 p = 0; p < showing->npeople; p++)
	{
		CHECK_FOR_INTERRUPTS();
		find_own_nodes(graph, p, own);
		if (!is_clique(graph, own))
			return false;
	}
	showing->first = new_zeros(uint64 *, n);
	showing->member = new_zeros(uint32 *, n);
	showing->record = new_zeros(uint32 *, n);
	for (int32 r = 0; r < n; r++)
	{
		const JoinRelease *release = &graph->input->release[r];

		list_by_group(graph->side[r].node_of_person, showing->npeople, graph->side[r].nnodes, &showing->first[r], &showing->member[r]);
		showing->record[r] = new_array(uint32, showing->npeople);
		for (uint32 i = 0; i < showing->npeople; i++)
			showing->record[r][release->person[i]] = i;
	}
	pfree(own);
	return true;
}

/* ----------------------------------------------------------------
 * Values that people may have
 * ----------------------------------------------------------------
 */

static inline bool
is_told(const JoinRelease *release, uint32 record)
{
	return release->sensitive[record] != NO_CODE;
}

/* Numbers the people of whom a release shows a value. */
static uint64
number_individuals(Showing *showing)
{
	const JoinInput *input = showing->graph->input;
	uint64		n = 0;

	showing->individual = new_array(Individual, showing->npeople);
	memset(showing->individual, 0xff, sizeof(Individual) * showing->npeople);	/* NO_INDIVIDUAL */
	for (int32 r = 0; r < input->nreleases; r++)
	{
		const JoinRelease *release = &input->release[r];

		for (uint32 i = 0; release->sensitive != NULL && i < release->nrecords; i++)
			if (is_told(release, i) && showing->individual[release->person[i]] == NO_INDIVIDUAL)
				showing->individual[release->person[i]] = n++;
	}
	return n;
}

/* A release as observers see it who know who has which cells: records of equal cells are a class. */
static SeenRelease
see_release(const Showing *showing, const JoinRelease *release)
{
	Parting		parting = parting_create(release->nrecords);
	SeenRelease seen = {0};
	uint32	   *member;
	uint64		n = 0;

	for (int32 c = 0; c < showing->graph->input->ncolumns; c++)
		if (release->cells[c] != NULL)
			part_by(&parting, release->cells[c]);
	seen.nclasses = parting.nparts;
	list_by_group(parting.part, release->nrecords, parting.nparts, &seen.first, &member);
	seen.individual = new_array(Individual, release->nrecords);
	seen.value = new_array(Code, release->nrecords);
	seen.counterfeit = new_zeros(bool, release->nrecords);
	for (uint32 c = 0; c < seen.nclasses; c++)
	{
		uint64		begin = seen.first[c];

		seen.first[c] = n;
		for (uint64 i = begin; i < seen.first[c + 1]; i++)
			if (is_told(release, member[i]))
			{
				seen.individual[n] = showing->individual[release->person[member[i]]];
				seen.value[n++] = release->sensitive[member[i]];
			}
	}
	seen.first[seen.nclasses] = n;
	parting_free(&parting);
	pfree(member);
	return seen;
}

/* Finds what people may have, by the releases that show values. */
static void
find_possible(Showing *showing, uint64 budget)
{
	const JoinInput *input = showing->graph->input;
	Seen	   *seen = palloc0(sizeof(Seen));

	seen->nvalues = input->nvalues;
	seen->nindividuals = number_individuals(showing);
	seen->release = palloc0(sizeof(SeenRelease) * input->nreleases);
	for (int32 r = 0; r < input->nreleases; r++)
		if (input->release[r].sensitive != NULL)
			seen->release[seen->nreleases++] = see_release(showing, &input->release[r]);
	showing->deduction = deduce(statistics_of(seen), NULL, 0, false, budget);
}

/* ----------------------------------------------------------------
 * Values of a tuple
 * ----------------------------------------------------------------
 */

/* Do all of a person's records contain the tuple? */
static bool
fits(const Showing *showing, uint32 tuple, uint32 person)
{
	const JoinInput *input = showing->graph->input;

	for (int32 r = 0; r < input->nreleases; r++)
		for (int32 c = 0; c < input->nqis; c++)
		{
			const Span *cells = input->release[r].cells[c];

			if (cells != NULL && !span_contains(cells[showing->record[r][person]], tuple_cell(showing->tuples, c, tuple)))
				return false;
		}
	return true;
}

/* If somebody's records fit it, the tuple may be that person, and have what the person may have. */
static void
hear_person(Showing *showing, uint32 tuple, uint32 person)
{
	const Deduction *deduction = showing->deduction;
	uint32		group;

	if (showing->individual[person] == NO_INDIVIDUAL || !fits(showing, tuple, person))
		return;
	group = deduction->peers->group[showing->individual[person]];
	for (uint32 i = 0; i < deduction->ncandidates[group]; i++)
	{
		uint64		at = deduction->first[group] + i;

		if (!deduction_is_open(deduction, group) || deduction->is_possible[at])
			hear(showing, tuple, deduction->candidate[at]);
	}
}

/* Hears everybody whose records are met, by the release in which those are the fewest, until it is enough. */
static void
hear_people(Showing *showing, uint32 tuple, uint32 enough)
{
	uint64		fewest = PG_UINT64_MAX;
	int32		best = 0;

	for (int32 r = 0; r < showing->graph->nreleases; r++)
	{
		const Meeting *meeting = &showing->meeting[r];
		uint64		n = 0;

		meet(&showing->meeting[r], showing->tuples, tuple);
		for (uint32 i = 0; i < meeting->nnodes && n < fewest; i++)
			n += showing->graph->side[r].size[meeting->node[i]];
		if (n < fewest)
			best = r;
		fewest = Min(n, fewest);
	}
	for (uint32 i = 0; i < showing->meeting[best].nnodes; i++)
	{
		uint32		node = showing->meeting[best].node[i];

		for (uint64 m = showing->first[best][node]; m < showing->first[best][node + 1] && showing->nheard[tuple] < enough; m++)
			hear_person(showing, tuple, showing->member[best][m]);
	}
}

uint32 *
join_shown(const JoinGraph *graph, const JoinTuples *tuples, uint32 enough, uint64 budget)
{
	Showing		showing = {.graph = graph, .tuples = tuples, .npeople = graph->input->release[0].nrecords};

	showing.width = graph->input->nvalues / 8 + 1;
	showing.heard = new_zeros(uint8, (Size) tuples->ntuples * showing.width);
	showing.nheard = new_zeros(uint32, tuples->ntuples);
	if (!knows_people(graph) || !take_known(&showing))
		return showing.nheard;
	hear_united(&showing);
	find_possible(&showing, budget);
	showing.meeting = new_zeros(Meeting, graph->nreleases);
	for (int32 r = 0; r < graph->nreleases; r++)
		meeting_create(&showing.meeting[r], graph, r, tuples);
	for (uint32 t = 0; t < tuples->ntuples; t++)
	{
		CHECK_FOR_INTERRUPTS();
		if (showing.nheard[t] < enough)
			hear_people(&showing, t, enough);
	}
	return showing.nheard;
}

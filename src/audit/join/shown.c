/*
 * shown.c
 *		Looking for matchings near the known one that link people to other values.
 *
 * NOTES
 *		Observers are taken to know more than they do.  If something is possible for them even so, it is possible.
 *
 *		If they know who has which cells, records of equal cells are a class, and what is possible follows by looking
 *		for worlds (audit/compromise.h).  A tuple might be anybody whose records fit it, and have what that person
 *		might have.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "audit/join/counting.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

typedef struct Showing
{
	const JoinGraph *graph;
	const JoinTuples *tuples;
	Consistent *consistent;		/* [releases] */

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
	uint8	   *is_linked;		/* [tuples * width] a bit for each value */
	uint32	   *nvalues;		/* [tuples] */
} Showing;

/* Takes everybody's own records; false if those of a person do not fit each other. */
static bool
take_known(Showing *showing)
{
	const JoinGraph *graph = showing->graph;
	int32		n = graph->nreleases;
	uint32	   *own = new_array(uint32, n);

	for (uint32 p = 0; p < showing->npeople; p++)
	{
		CHECK_FOR_INTERRUPTS();
		find_own_nodes(graph, p, own);
		if (!is_clique(graph, own))
			return false;
	}
	pfree(own);
	showing->first = new_array(uint64 *, n);
	showing->member = new_array(uint32 *, n);
	showing->record = new_array(uint32 *, n);
	for (int32 r = 0; r < n; r++)
	{
		list_by_group(graph->side[r].node_of_person, showing->npeople, graph->side[r].nnodes, &showing->first[r], &showing->member[r]);
		showing->record[r] = new_array(uint32, showing->npeople);
		for (uint32 i = 0; i < showing->npeople; i++)
			showing->record[r][graph->input->release[r].person[i]] = i;
	}
	return true;
}

/* ---- Values that people may have ---- */

/* A release as observers see it who know who has which cells: records of equal cells are a class; those that show no value are left out. */
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
			if (release->sensitive[member[i]] != NO_CODE)
			{
				seen.individual[n] = showing->individual[release->person[member[i]]];
				seen.value[n++] = release->sensitive[member[i]];
			}
	}
	seen.first[seen.nclasses] = n;
	pfree(parting.part);
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
	seen->release = new_zeros(SeenRelease, input->nreleases);
	showing->individual = new_array(Individual, showing->npeople);
	memset(showing->individual, 0xff, sizeof(Individual) * showing->npeople);	/* NO_INDIVIDUAL */
	for (int32 r = 0; r < input->nreleases; r++)
	{
		const JoinRelease *release = &input->release[r];

		for (uint32 i = 0; release->sensitive != NULL && i < release->nrecords; i++)
			if (release->sensitive[i] != NO_CODE && showing->individual[release->person[i]] == NO_INDIVIDUAL)
				showing->individual[release->person[i]] = seen->nindividuals++;
	}
	for (int32 r = 0; r < input->nreleases; r++)
		if (input->release[r].sensitive != NULL)
			seen->release[seen->nreleases++] = see_release(showing, &input->release[r]);
	showing->deduction = deduce(seen, NULL, 0, 0, budget);
}

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

/* If a person's records fit it, the tuple may be that person, and have what the person may have. */
static void
link_person(Showing *showing, uint32 tuple, uint32 person)
{
	const Spell *spell;

	if (showing->individual[person] == NO_INDIVIDUAL || !fits(showing, tuple, person))
		return;
	spell = &showing->deduction->spell[showing->deduction->first[showing->individual[person]]];
	for (uint32 i = 0; i < spell->n && spell->is_exact; i++)
	{
		Code		value = spell->candidate[i];
		uint8	   *byte;

		if (value == NO_CODE || value == showing->graph->input->null_value)
			continue;			/* a NULL counts for none */
		byte = &showing->is_linked[(Size) tuple * showing->width + value / 8];
		showing->nvalues[tuple] += (*byte >> value % 8 & 1) == 0;
		*byte |= 1 << value % 8;
	}
}

/* Looks at everybody whose records may fit, by the release in which those are the fewest, until it is enough. */
static void
link_people(Showing *showing, uint32 tuple, uint32 enough)
{
	uint64		fewest = PG_UINT64_MAX;
	int32		best = 0;

	for (int32 r = 0; r < showing->graph->nreleases; r++)
	{
		Consistent *consistent = &showing->consistent[r];
		uint64		n = 0;

		find_consistent(consistent, showing->tuples, tuple, false);
		for (uint32 i = 0; i < consistent->nnodes && n < fewest; i++)
			n += showing->graph->side[r].size[consistent->node[i]];
		if (n < fewest)
			best = r;
		fewest = Min(n, fewest);
	}
	for (uint32 i = 0; i < showing->consistent[best].nnodes; i++)
	{
		const uint64 *first = &showing->first[best][showing->consistent[best].node[i]];

		for (uint64 m = first[0]; m < first[1] && showing->nvalues[tuple] < enough; m++)
			link_person(showing, tuple, showing->member[best][m]);
	}
}

uint32 *
join_shown(const JoinGraph *graph, const JoinTuples *tuples, uint32 enough, uint64 budget)
{
	Showing		showing = {.graph = graph, .tuples = tuples, .npeople = graph->input->release[0].nrecords};

	showing.width = graph->input->nvalues / 8 + 1;
	showing.is_linked = new_zeros(uint8, (Size) tuples->ntuples * showing.width);
	showing.nvalues = new_zeros(uint32, tuples->ntuples);
	if (!knows_people(graph) || !take_known(&showing))
		return showing.nvalues;
	find_possible(&showing, budget);
	showing.consistent = consistent_create(graph, tuples);
	for (uint32 t = 0; t < tuples->ntuples; t++)
	{
		CHECK_FOR_INTERRUPTS();
		if (showing.nvalues[t] < enough)
			link_people(&showing, t, enough);
	}
	return showing.nvalues;
}

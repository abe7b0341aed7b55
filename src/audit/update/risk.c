/*
 * risk.c
 *		Versions and their risks.
 *
 * NOTES
 *		People who were in the same classes have the same graph, and differ only
 *		in which of its nodes are theirs: so graphs are made for atoms.
 */
#include "postgres.h"

#include "audit/update/risk.h"
#include "audit/update/update_graph.h"
#include "frame/arrays.h"
#include "history/seen.h"
#include "miscadmin.h"
#include "utils/memutils.h"

typedef struct Risking
{
	const Seen *seen;
	const Statistics *statistics;
	const Atoms *atoms;
	uint64		npeople;
	bool		every_moment;
	VersionVisit visit;
	void	   *what;

	Code	   *shown;			/* [steps] of statistics: the value of a true row, or NO_CODE */
	uint64	   *first_member;	/* [atoms + 1] */
	Individual *member;			/* [people] atom by atom */

	const uint32 *joint_candidates; /* [steps] of people */
	UpdateGraph *graph;
	Code	   *value;			/* [values + 1] of a layer */
	double	   *weight;
	uint64		impossible;
} Risking;

/* Lists the value that each person showed in each step. */
static void
gather_shown(Risking *risking)
{
	const Seen *seen = risking->seen;
	uint64	   *next = new_array(uint64, seen->nindividuals);

	memcpy(next, risking->statistics->first, sizeof(uint64) * seen->nindividuals);
	risking->shown = new_array(Code, risking->statistics->first[seen->nindividuals]);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = &seen->release[r];

		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
			risking->shown[next[release->individual[i]]++] = release->counterfeit[i] ? NO_CODE : release->value[i];
	}
	pfree(next);
}

/* The values of a class, NULL among them if it is shown, by how often they are. */
static void
add_layer(Risking *risking, Step step)
{
	const ShownValues *shown = &risking->statistics->shown[step.release];
	uint64		rest = statistics_size(risking->statistics, step);
	Code		n = 0;

	for (uint64 i = shown->first[step.class]; i < shown->first[step.class + 1]; i++)
	{
		risking->value[n] = shown->value[i];
		risking->weight[n++] = shown->count[i];
		rest -= shown->count[i];
	}
	if (rest > 0)
	{
		risking->value[n] = NO_CODE;
		risking->weight[n++] = rest;
	}
	graph_add_layer(risking->graph, risking->value, risking->weight, n);
}

/* Visits the versions of a person, by what the graph concludes. */
static void
visit_member(Risking *risking, Individual individual, uint32 layers)
{
	const Statistics *statistics = risking->statistics;
	uint64		first = statistics->first[individual];

	for (uint32 l = 0; l < layers; l++)
	{
		Version		version = {
			.individual = individual,
			.release = statistics->step[first + l].release,
			.seen_from = statistics->step[first + layers - 1].release,
			.step = statistics->step + first,
			.nsteps = layers,
			.value = risking->shown[first + l],
			.joint_candidates = risking->joint_candidates[first + l],
		};

		if (version.value == NO_CODE)
			continue;
		version.candidates = layer_candidates(graph_layer(risking->graph, l));
		version.risk = layer_risk(graph_layer(risking->graph, l), version.value);
		risking->visit(risking->what, &version);
	}
}

/* Concludes once for all people of an atom: they were in the same classes. */
static void
visit_atom(Risking *risking, uint32 atom)
{
	uint64		begin = risking->first_member[atom];
	uint64		end = risking->first_member[atom + 1];
	const Statistics *statistics = risking->statistics;
	uint64		first;
	uint32		nlayers;

	if (begin == end)
		return;
	first = statistics->first[risking->member[begin]];
	nlayers = statistics->first[risking->member[begin] + 1] - first;
	graph_clear(risking->graph);
	for (uint32 l = 0; l < nlayers; l++)
		add_layer(risking, statistics->step[first + l]);
	for (uint32 layers = risking->every_moment ? 1 : nlayers; layers <= nlayers; layers++)
	{
		if (!graph_conclude(risking->graph, layers) && layers == nlayers)
			risking->impossible += end - begin;
		for (uint64 i = begin; i < end; i++)
			visit_member(risking, risking->member[i], layers);
	}
}

uint64
each_version(const Seen *seen, const Updates *updates, uint64 npeople,
			 bool every_moment, uint64 budget, VersionVisit visit, void *what)
{
	Risking		risking = {
		.seen = seen, .statistics = statistics_of(seen), .atoms = atoms_of(seen),
		.npeople = npeople, .every_moment = every_moment, .visit = visit, .what = what,
		.graph = graph_create(updates),
	};

	gather_shown(&risking);
	list_by_group(risking.atoms->atom, npeople, risking.atoms->natoms, &risking.first_member, &risking.member);
	risking.joint_candidates = joint_candidates(risking.statistics, updates, npeople, budget);
	risking.value = new_array(Code, seen->nvalues);
	risking.weight = new_array(double, seen->nvalues);
	for (uint32 a = 0; a < risking.atoms->natoms; a++)
	{
		CHECK_FOR_INTERRUPTS();
		visit_atom(&risking, a);
	}
	return risking.impossible;
}

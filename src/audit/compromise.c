/*
 * compromise.c
 *		Narrowing candidates, class by class, until nothing follows any more.
 *
 * NOTES
 *		A class is looked at again when a candidate of one of its members is
 *		excluded.  Then the values that are taken are excluded for its others, and
 *		it is compared with each class that it shares people and all values with.
 *		Correlations are found there and then: all of them together would be as
 *		many as people times releases times releases.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "audit/covers.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* Steps of a first search, and how many times as many the next one takes */
#define FIRST_EFFORT	1000
#define MORE_EFFORT		10

/* A class of another release that has groups in common with the one at hand */
typedef struct Met
{
	Step		at;
	uint64		ncommon;
	uint64		first;			/* of these, in a row of all */
} Met;

typedef struct Deducing
{
	const Statistics *statistics;
	const Peers *peers;
	Deduction  *deduction;

	/* Classes to be looked at */
	bool	   *is_waiting;		/* [classes] */
	Step	   *waiting;		/* a ring of all classes and one more */
	uint64		nwaiting;
	uint64		next;

	/* Scratch: marks are counted up, so that they need not be cleared */
	uint64	   *group_mark;		/* [groups] */
	uint64	   *value_mark;		/* [values] */
	uint64		mark;

	/* The class at hand */
	uint64	   *taken;			/* [values] rows that are known to be some person's; zeros else */
	uint32	   *having;			/* [values] groups that have it as a candidate; zeros else */
	uint32	   *in_common;		/* [values] those of them that were met, too; zeros else */
	uint32	   *met_at;			/* [classes] which one it is of those that were met, from 1 on; zeros else */
	Met		   *met;
	uint64		nmet;
	uint64		room_for_met;
	uint32	   *common;			/* groups */
	uint64		room_for_common;
} Deducing;

Individual
find_changed(const Statistics *statistics)
{
	const Seen *seen = statistics->seen;
	Code	   *shown = new_zeros(Code, seen->nindividuals);
	bool	   *is_shown = new_zeros(bool, seen->nindividuals);
	Individual	changed = NO_INDIVIDUAL;

	for (int32 r = 0; r < seen->nreleases; r++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < seen->release[r].first[seen->release[r].nclasses]; i++)
		{
			Individual	t = seen->release[r].individual[i];

			if (is_shown[t] && shown[t] != seen->release[r].value[i])
				changed = Min(changed, t);
			is_shown[t] = true;
			shown[t] = seen->release[r].value[i];
		}
	}
	pfree(shown);
	pfree(is_shown);
	return changed;
}

Code
name_null(Seen *seen)
{
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = &seen->release[r];

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
			if (release->value[i] == NO_CODE)
				release->value[i] = seen->nvalues;
	}
	return seen->nvalues++;
}

/* ----------------------------------------------------------------
 * Candidates
 * ----------------------------------------------------------------
 */

static inline Code *
candidates_of(const Deducing *deducing, uint32 g)
{
	return deducing->deduction->candidate + deducing->deduction->first[g];
}

/* The values that a class shows. */
static inline const Code *
shown_by(const Deducing *deducing, Step at, uint32 *n)
{
	const ShownValues *shown = &deducing->statistics->shown[at.release];

	*n = shown->first[at.class + 1] - shown->first[at.class];
	return &shown->value[shown->first[at.class]];
}

/* The values that all classes of a person show are the first candidates. */
static void
begin_group(Deducing *deducing, uint32 g)
{
	uint64		nsteps;
	const Step *step = peers_steps(deducing->peers, g, &nsteps);
	uint32		nshown;
	const Code *shown = shown_by(deducing, step[0], &nshown);
	uint32		n = 0;

	for (uint64 s = 0; s < nsteps; s++)
	{
		uint32		nhere;

		(void) shown_by(deducing, step[s], &nhere);
		deducing->deduction->nshown[g] = Max(deducing->deduction->nshown[g], nhere);
	}
	for (uint32 i = 0; i < nshown; i++)
	{
		bool		everywhere = true;

		for (uint64 s = 1; s < nsteps && everywhere; s++)
			everywhere = statistics_count(deducing->statistics, step[s], shown[i]) > 0;
		if (everywhere)
			candidates_of(deducing, g)[n++] = shown[i];
	}
	deducing->deduction->ncandidates[g] = n;
}

/* Gives each group the candidates that its classes leave. */
static void
begin_candidates(Deducing *deducing)
{
	const Peers *peers = deducing->peers;
	Deduction  *deduction = deducing->deduction;

	for (uint32 g = 0; g < peers->n; g++)
	{
		uint64		nsteps;
		uint32		nshown;

		shown_by(deducing, peers_steps(peers, g, &nsteps)[0], &nshown);
		deduction->first[g + 1] = deduction->first[g] + nshown;
	}
	deduction->candidate = new_zeros(Code, deduction->first[peers->n]);
	deduction->is_possible = new_zeros(bool, deduction->first[peers->n]);
	for (uint32 g = 0; g < peers->n; g++)
	{
		CHECK_FOR_INTERRUPTS();
		begin_group(deducing, g);
	}
}

/* Queues a class to be looked at, unless it is queued already. */
static void
wait_for(Deducing *deducing, Step at)
{
	uint64		nclasses = peers_nclasses(deducing->peers);
	bool	   *is_waiting = &deducing->is_waiting[peers_class(deducing->peers, at)];

	if (*is_waiting)
		return;
	*is_waiting = true;
	deducing->waiting[(deducing->next + deducing->nwaiting++) % (nclasses + 1)] = at;
}

/* More may follow about others in the classes of people who have lost a candidate. */
static void
wait_for_classes(void *what, uint32 g)
{
	Deducing   *deducing = what;
	uint64		n;
	const Step *step = peers_steps(deducing->peers, g, &n);

	for (uint64 s = 0; s < n; s++)
		wait_for(deducing, step[s]);
}

/* Keeps the candidates that a mark stands at, or those that it does not. */
static void
keep_marked(Deducing *deducing, uint32 g, bool marked)
{
	uint32	   *n = &deducing->deduction->ncandidates[g];
	Code	   *candidates = candidates_of(deducing, g);
	bool	   *is_possible = &deducing->deduction->is_possible[deducing->deduction->first[g]];
	uint32		kept = 0;

	for (uint32 i = 0; i < *n; i++)
		if ((deducing->value_mark[candidates[i]] == deducing->mark) == marked)
		{
			is_possible[kept] = is_possible[i];
			candidates[kept++] = candidates[i];
		}
	if (kept == *n)
		return;
	*n = kept;
	wait_for_classes(deducing, g);
}

/* ----------------------------------------------------------------
 * ct-pvr
 * ----------------------------------------------------------------
 */

/* Values all of whose rows are known to be of some people are of no other. */
static void
exclude_taken(Deducing *deducing, Step at)
{
	const Peers *peers = deducing->peers;
	const ShownValues *shown = &deducing->statistics->shown[at.release];
	const uint32 *n = deducing->deduction->ncandidates;
	uint64		first = peers->first_in[peers_class(peers, at)];
	uint64		end = peers->first_in[peers_class(peers, at) + 1];
	bool		any = false;

	deducing->mark++;
	for (uint64 i = first; i < end; i++)
		if (n[peers->in[i]] == 1)
			deducing->taken[candidates_of(deducing, peers->in[i])[0]] += peers_size(peers, peers->in[i]);
	for (uint64 i = shown->first[at.class]; i < shown->first[at.class + 1]; i++)
	{
		if (deducing->taken[shown->value[i]] >= shown->count[i])
		{
			deducing->value_mark[shown->value[i]] = deducing->mark;
			any = true;
		}
		deducing->taken[shown->value[i]] = 0;
	}
	for (uint64 i = first; i < end && any; i++)
		if (n[peers->in[i]] > 1)
			keep_marked(deducing, peers->in[i], false);
}

/* ----------------------------------------------------------------
 * hc-pvr
 * ----------------------------------------------------------------
 */

/* Counts a group that the class at hand has in common with an earlier or later class. */
static void
meet(Deducing *deducing, Step at, uint32 g)
{
	uint32	   *met_at = &deducing->met_at[peers_class(deducing->peers, at)];

	if (*met_at == 0)
	{
		array_reserve(deducing->met, deducing->room_for_met, deducing->nmet + 1);
		deducing->met[deducing->nmet++] = (Met) {.at = at};
		*met_at = deducing->nmet;
	}
	deducing->met[*met_at - 1].ncommon++;
}

/* Makes room for what each class that was met has in common. */
static void
divide_common(Deducing *deducing)
{
	uint64		ncommon = 0;

	for (uint64 i = 0; i < deducing->nmet; i++)
	{
		deducing->met[i].first = ncommon;
		ncommon += deducing->met[i].ncommon;
		deducing->met[i].ncommon = 0;
	}
	array_reserve(deducing->common, deducing->room_for_common, ncommon);
}

static void
have_in_common(Deducing *deducing, Step at, uint32 g)
{
	Met		   *met = &deducing->met[deducing->met_at[peers_class(deducing->peers, at)] - 1];

	deducing->common[met->first + met->ncommon++] = g;
}

/* Visits where the groups of a class were in other releases. */
static void
follow(Deducing *deducing, Step at, void (*visit) (Deducing *deducing, Step at, uint32 g))
{
	const Peers *peers = deducing->peers;
	uint64		class = peers_class(peers, at);

	for (uint64 i = peers->first_in[class]; i < peers->first_in[class + 1]; i++)
	{
		uint64		n;
		const Step *step = peers_steps(peers, peers->in[i], &n);

		for (uint64 s = 0; s < n; s++)
			if (step[s].release != at.release)
				visit(deducing, step[s], peers->in[i]);
	}
}

static void
find_met(Deducing *deducing, Step at)
{
	deducing->nmet = 0;
	follow(deducing, at, meet);
	divide_common(deducing);
	follow(deducing, at, have_in_common);
}

/* Adds a class's groups to what has which candidates, or takes them out. */
static void
count_having(Deducing *deducing, uint64 class, int32 times)
{
	const Peers *peers = deducing->peers;

	for (uint64 i = peers->first_in[class]; i < peers->first_in[class + 1]; i++)
		for (uint32 k = 0; k < deducing->deduction->ncandidates[peers->in[i]]; k++)
			deducing->having[candidates_of(deducing, peers->in[i])[k]] += times;
}

/*
 * Marks what none of the class at hand can have but people of the one that was met, if there is
 * anything.  Where these are known to have it, it is taken there, too, and will be found so.
 */
static bool
mark_impossible(Deducing *deducing, const Met *met)
{
	const uint32 *common = deducing->common + met->first;
	const uint32 *n = deducing->deduction->ncandidates;
	bool		any = false;

	deducing->mark++;
	for (uint64 i = 0; i < met->ncommon; i++)
		for (uint32 k = 0; k < n[common[i]]; k++)
			deducing->in_common[candidates_of(deducing, common[i])[k]]++;
	for (uint64 i = 0; i < met->ncommon; i++)
		for (uint32 k = 0; k < n[common[i]] && n[common[i]] > 1; k++)
		{
			Code		value = candidates_of(deducing, common[i])[k];

			if (deducing->in_common[value] < deducing->having[value])
				continue;
			deducing->value_mark[value] = deducing->mark;
			any = true;
		}
	for (uint64 i = 0; i < met->ncommon; i++)
		for (uint32 k = 0; k < n[common[i]]; k++)
			deducing->in_common[candidates_of(deducing, common[i])[k]] = 0;
	return any;
}

/* It is not for those who were met elsewhere, either. */
static void
exclude_impossible(Deducing *deducing, const Met *met)
{
	const Peers *peers = deducing->peers;
	uint64		class = peers_class(peers, met->at);

	for (uint64 i = 0; i < met->ncommon; i++)
		deducing->group_mark[deducing->common[met->first + i]] = deducing->mark;
	for (uint64 i = peers->first_in[class]; i < peers->first_in[class + 1]; i++)
		if (deducing->group_mark[peers->in[i]] != deducing->mark)
			keep_marked(deducing, peers->in[i], false);
}

/* Tells of classes that were met; they tell of this one when they are looked at themselves. */
static void
look_at_class(Deducing *deducing, Step at)
{
	uint64		class = peers_class(deducing->peers, at);

	exclude_taken(deducing, at);
	find_met(deducing, at);
	count_having(deducing, class, 1);
	for (uint64 i = 0; i < deducing->nmet; i++)
	{
		CHECK_FOR_INTERRUPTS();
		deducing->met_at[peers_class(deducing->peers, deducing->met[i].at)] = 0;
		if (mark_impossible(deducing, &deducing->met[i]) &&
			statistics_same_values(deducing->statistics, at, deducing->met[i].at))
			exclude_impossible(deducing, &deducing->met[i]);
	}
	count_having(deducing, class, -1);
}

/* Applies the rules to waiting classes until nothing more follows. */
static void
narrow(Deducing *deducing)
{
	uint64		nclasses = peers_nclasses(deducing->peers);

	while (deducing->nwaiting > 0)
	{
		Step		at = deducing->waiting[deducing->next];

		CHECK_FOR_INTERRUPTS();
		deducing->next = (deducing->next + 1) % (nclasses + 1);
		deducing->nwaiting--;
		deducing->is_waiting[peers_class(deducing->peers, at)] = false;
		look_at_class(deducing, at);
		progress_step(1);
	}
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

/* Allocates the state of a deduction, with counters of classes, groups and values. */
static Deducing *
deducing_create(const Statistics *statistics, const Peers *peers)
{
	Deducing   *deducing = palloc0(sizeof(Deducing));
	Deduction  *deduction = palloc0(sizeof(Deduction));
	uint64		nclasses = peers_nclasses(peers);

	deducing->statistics = statistics;
	deducing->peers = deduction->peers = peers;
	deducing->is_waiting = new_zeros(bool, nclasses);
	deducing->waiting = new_zeros(Step, nclasses);
	deducing->group_mark = new_zeros(uint64, peers->n);
	deducing->value_mark = new_zeros(uint64, statistics->seen->nvalues);
	deducing->taken = new_zeros(uint64, statistics->seen->nvalues);
	deducing->having = new_zeros(uint32, statistics->seen->nvalues);
	deducing->in_common = new_zeros(uint32, statistics->seen->nvalues);
	deducing->met_at = new_zeros(uint32, nclasses);
	array_reserve(deducing->met, deducing->room_for_met, 64);
	array_reserve(deducing->common, deducing->room_for_common, 64);
	deducing->deduction = deduction;
	deduction->first = new_zeros(uint64, peers->n);
	deduction->ncandidates = new_zeros(uint32, peers->n);
	deduction->nshown = new_zeros(uint32, peers->n);
	return deducing;
}

/* Deduces what follows without knowing a person's value: where classes differ in what they show. */
static void
look_at_all(Deducing *deducing)
{
	const Peers *peers = deducing->peers;
	const Seen *seen = deducing->statistics->seen;

	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			Step		at = {r, c};
			uint64		class = peers_class(peers, at);
			uint32		nshown;
			bool		is_narrow;

			shown_by(deducing, at, &nshown);
			is_narrow = nshown == 1;
			for (uint64 i = peers->first_in[class]; i < peers->first_in[class + 1] && !is_narrow; i++)
				is_narrow = deducing->deduction->ncandidates[peers->in[i]] < nshown;
			if (is_narrow)
				wait_for(deducing, at);
		}
}

/* Narrows the groups of people whose values are known to these. */
static void
know(Deducing *deducing)
{
	const Peers *peers = deducing->peers;

	for (uint32 g = 0; g < peers->n; g++)
	{
		if (!peers->is_known[g])
			continue;
		deducing->value_mark[peers->value[peers->individual[peers->first[g]]]] = ++deducing->mark;
		keep_marked(deducing, g, true);
	}
}

/*
 * Searches that are short come first, wherever they are needed, so that hard ones do not leave
 * nothing for others; and what a longer budget allows is done after all that a shorter one does.
 */
static void
search_worlds(Deducing *deducing, uint64 budget)
{
	uint64		effort = FIRST_EFFORT;

	while (look_for_worlds(deducing->deduction, effort, &budget, wait_for_classes, deducing) && budget > 0)
	{
		progress_phase("follow what is found", NO_TOTAL);
		narrow(deducing);
		effort = Min(effort, PG_UINT64_MAX / MORE_EFFORT) * MORE_EFFORT;
	}
	progress_phase("follow what is found", NO_TOTAL);
	narrow(deducing);
}

Deduction *
deduce(const Statistics *statistics, const Individual *known, uint64 nknown, bool knows_inventions, uint64 budget)
{
	const Peers *peers = peers_create(statistics, known, nknown, knows_inventions);
	Deducing   *deducing = deducing_create(statistics, peers);
	Deduction  *deduction = deducing->deduction;

	if (knows_inventions)
		deduction->covers = covers_find(peers);
	begin_candidates(deducing);
	look_at_all(deducing);
	progress_phase("look at classes", NO_TOTAL);
	narrow(deducing);
	know(deducing);
	progress_phase("follow what is known", NO_TOTAL);
	narrow(deducing);
	search_worlds(deducing, budget);
	return deduction;
}

/*
 * compromise.c
 *		Narrowing candidates, class by class, until nothing follows any more.
 *
 * NOTES
 *		A class is looked at again when a candidate of one of its members is excluded.  Then the values that are taken
 *		are excluded for its others, and it is compared with each class that it shares people and all values with.
 *		Correlations are found there and then: all of them together would be as many as people times releases times
 *		releases.
 */
#include "postgres.h"

#include "audit/compromise.h"
#include "audit/worlds.h"
#include "frame/arrays.h"
#include "frame/tuple_numbers.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

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

/* ---- Peers ---- */

/* Groups people by all that observers know of each: classes, the value, if it is known, and whether the row is invented. */
static void
find_groups(Peers *peers, const bool *is_known, const bool *is_invented)
{
	const Statistics *statistics = peers->statistics;
	uint64		nindividuals = statistics->seen->nindividuals;
	TupleNumbers *known = tuple_numbers_create(ANY_WIDTH);
	uint32	   *word = new_array(uint32, 2 * statistics->seen->nreleases + 2);

	peers->group = new_array(uint32, nindividuals);
	peers->is_known = new_array(bool, nindividuals);
	peers->is_invented = new_array(bool, nindividuals);
	for (Individual t = 0; t < nindividuals; t++)
	{
		uint32		n = 0;

		CHECK_FOR_INTERRUPTS();
		for (uint64 s = statistics->first[t]; s < statistics->first[t + 1]; s++)
		{
			word[n++] = statistics->step[s].release;
			word[n++] = statistics->step[s].class;
		}
		word[n++] = is_known[t] ? peers->value[t] : NO_CODE;
		word[n++] = is_known[t] * 2 + is_invented[t];
		peers->group[t] = tuple_number(known, word, n);
		peers->is_known[peers->group[t]] = is_known[t];
		peers->is_invented[peers->group[t]] = is_invented[t];
	}
	peers->n = known->n;
	tuple_numbers_free(known);
	pfree(word);
}

/* Numbers the classes of all releases in one row, and lists the groups of each. */
static void
list_groups_by_class(Peers *peers)
{
	const Seen *seen = peers->statistics->seen;
	uint64		nclasses;
	uint64	   *filled;
	uint64		nsteps;

	peers->base = new_zeros(uint64, seen->nreleases);
	for (int32 r = 0; r < seen->nreleases; r++)
		peers->base[r + 1] = peers->base[r] + seen->release[r].nclasses;
	nclasses = peers_nclasses(peers);
	peers->first_in = new_zeros(uint64, nclasses);
	for (uint32 g = 0; g < peers->n; g++)
	{
		const Step *step = peers_steps(peers, g, &nsteps);

		CHECK_FOR_INTERRUPTS();
		for (uint64 s = 0; s < nsteps; s++)
			peers->first_in[peers_class(peers, step[s]) + 1]++;
	}
	for (uint64 class = 0; class < nclasses; class++)
		peers->first_in[class + 1] += peers->first_in[class];
	peers->in = new_array(uint32, peers->first_in[nclasses]);
	filled = new_array(uint64, nclasses);
	memcpy(filled, peers->first_in, sizeof(uint64) * nclasses);
	for (uint32 g = 0; g < peers->n; g++)
	{
		const Step *step = peers_steps(peers, g, &nsteps);

		CHECK_FOR_INTERRUPTS();
		for (uint64 s = 0; s < nsteps; s++)
			peers->in[filled[peers_class(peers, step[s])]++] = g;
	}
	pfree(filled);
}

/* Takes up to 12 bytes for each row that was ever published, in the current context, most of them for a short time. */
static Peers *
peers_create(const Statistics *statistics, const Individual *known, uint64 nknown, bool tells_invented)
{
	const Seen *seen = statistics->seen;
	Peers	   *peers = palloc0(sizeof(Peers));
	bool	   *is_known = new_zeros(bool, seen->nindividuals);
	bool	   *is_invented = new_array(bool, seen->nindividuals);

	peers->statistics = statistics;
	peers->value = new_array(Code, seen->nindividuals);
	for (uint64 i = 0; i < nknown; i++)
		is_known[known[i]] = true;
	memset(is_invented, tells_invented, sizeof(bool) * seen->nindividuals);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = &seen->release[r];

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = 0; i < release->first[release->nclasses]; i++)
		{
			peers->value[release->individual[i]] = release->value[i];
			is_invented[release->individual[i]] &= tells_invented && release->counterfeit[i];
		}
	}
	find_groups(peers, is_known, is_invented);
	list_by_group(peers->group, seen->nindividuals, peers->n, &peers->first, &peers->individual);
	list_groups_by_class(peers);
	pfree(is_known);
	pfree(is_invented);
	return peers;
}

/* ---- Covers: values whose first classes are full of invented rows ---- */

/* A value in its first release. */
typedef struct FirstShowing
{
	int32		release;		/* or -1 */
	bool		is_true;		/* does a true row have it? */
	bool		is_plain;		/* has a class too few invented rows for it? */
	uint64		rows;
	uint32		nclasses;
} FirstShowing;

uint64
peers_having(const Peers *peers, uint32 group, Code value)
{
	uint64		n = 0;

	for (uint64 i = peers->first[group]; i < peers->first[group + 1]; i++)
		n += peers->value[peers->individual[i]] == value;
	return n;
}

/* Notes a class for the values that it shows, where these are shown for the first time. */
static void
note_class(const Peers *peers, FirstShowing *firsts, Step at)
{
	const ShownValues *shown = &peers->statistics->shown[at.release];
	uint64		class = peers_class(peers, at);
	uint64		invented = 0;

	for (uint64 i = peers->first_in[class]; i < peers->first_in[class + 1]; i++)
		if (peers->is_invented[peers->in[i]])
			invented += peers_size(peers, peers->in[i]);
	for (uint64 i = shown->first[at.class]; i < shown->first[at.class + 1]; i++)
	{
		FirstShowing *first = &firsts[shown->value[i]];

		if (first->release < 0)
			first->release = at.release;
		if (first->release != at.release)
			continue;
		first->is_plain |= shown->count[i] > invented;
		first->rows += shown->count[i];
		first->nclasses++;
		for (uint64 k = peers->first_in[class]; k < peers->first_in[class + 1] && !first->is_true; k++)
			first->is_true = !peers->is_invented[peers->in[k]] && peers_having(peers, peers->in[k], shown->value[i]) > 0;
	}
}

/* Not those of values that no true row has in their first release: there, observers are wrong. */
static void
find_covers(Deduction *deduction)
{
	const Peers *peers = deduction->peers;
	const Seen *seen = peers->statistics->seen;
	FirstShowing *firsts = new_zeros(FirstShowing, seen->nvalues);

	for (Code v = 0; v < seen->nvalues; v++)
		firsts[v].release = -1;
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			CHECK_FOR_INTERRUPTS();
			note_class(peers, firsts, (Step) {r, c});
		}
	deduction->cover = new_array(Cover, seen->nvalues);
	for (Code v = 0; v < seen->nvalues; v++)
	{
		const FirstShowing *first = &firsts[v];
		Cover	   *cover = &deduction->cover[deduction->ncovers];

		CHECK_FOR_INTERRUPTS();
		if (first->release < 0 || first->is_plain || !first->is_true)
			continue;
		deduction->ncovers++;
		*cover = (Cover) {.value = v, .most = first->rows - 1, .group = new_array(uint32, first->nclasses)};
		for (uint32 c = 0; c < seen->release[first->release].nclasses; c++)
		{
			Step		at = {first->release, c};
			uint64		class = peers_class(peers, at);

			for (uint64 i = peers->first_in[class]; i < peers->first_in[class + 1] && statistics_count(peers->statistics, at, v) > 0; i++)
				if (peers->is_invented[peers->in[i]])
					cover->group[cover->n++] = peers->in[i];
		}
	}
	pfree(firsts);
}

bool
deduction_may_have(const Deduction *deduction, uint32 group, Code value)
{
	for (uint32 k = 0; k < deduction->ncandidates[group]; k++)
		if (deduction->candidate[deduction->first[group] + k] == value)
			return true;
	return false;
}

bool
cover_binds(const Deduction *deduction, const Cover *cover)
{
	const Peers *peers = deduction->peers;
	uint64		most = 0;

	for (uint32 i = 0; i < cover->n; i++)
	{
		uint64		nsteps;
		const Step *step = peers_steps(peers, cover->group[i], &nsteps);
		uint64		rows = statistics_count(peers->statistics, *step, cover->value);

		if (deduction_may_have(deduction, cover->group[i], cover->value))
			most += Min(peers_size(peers, cover->group[i]), rows);
	}
	return most > cover->most;
}

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

/* ---- Candidates ---- */

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
		uint64		nsteps;
		const Step *step = peers_steps(peers, g, &nsteps);
		uint32		nshown;
		const Code *shown = shown_by(deducing, step[0], &nshown);

		CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < nshown; i++)
		{
			uint64		s = 1;

			while (s < nsteps && statistics_count(deducing->statistics, step[s], shown[i]) > 0)
				s++;
			if (s == nsteps)
				candidates_of(deducing, g)[deduction->ncandidates[g]++] = shown[i];
		}
		for (uint64 s = 0; s < nsteps; s++)
		{
			(void) shown_by(deducing, step[s], &nshown);
			deduction->nshown[g] = Max(deduction->nshown[g], nshown);
		}
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

/* Finds the classes of other releases that the groups of a class were in, and those groups. */
static void
find_met(Deducing *deducing, Step at)
{
	const Peers *peers = deducing->peers;
	uint64		class = peers_class(peers, at);
	uint64		ncommon = 0;

	deducing->nmet = 0;
	for (int pass = 0; pass < 2; pass++)
	{
		for (uint64 i = peers->first_in[class]; i < peers->first_in[class + 1]; i++)
		{
			uint64		n;
			const Step *step = peers_steps(peers, peers->in[i], &n);

			for (uint64 s = 0; s < n; s++)
			{
				uint32	   *met_at = &deducing->met_at[peers_class(peers, step[s])];
				Met		   *met;

				if (step[s].release == at.release)
					continue;
				if (*met_at == 0)
				{
					array_reserve(deducing->met, deducing->room_for_met, deducing->nmet + 1);
					deducing->met[deducing->nmet++] = (Met) {.at = step[s]};
					*met_at = deducing->nmet;
				}
				met = &deducing->met[*met_at - 1];
				if (pass == 1)
					deducing->common[met->first + met->ncommon] = peers->in[i];
				met->ncommon++;
			}
		}
		for (uint64 i = 0; i < deducing->nmet && pass == 0; i++)
		{
			deducing->met[i].first = ncommon;
			ncommon += deducing->met[i].ncommon;
			deducing->met[i].ncommon = 0;
		}
		array_reserve(deducing->common, deducing->room_for_common, ncommon);
	}
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
 * Marks what none of the class at hand can have but people of the one that was met, if there is anything.  Where these
 * are known to have it, it is taken there, too, and will be found so.
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

/* Tells of classes that were met; they tell of this one when they are looked at themselves. */
static void
look_at_class(Deducing *deducing, Step at)
{
	const Peers *peers = deducing->peers;
	uint64		class = peers_class(peers, at);

	exclude_taken(deducing, at);
	find_met(deducing, at);
	count_having(deducing, class, 1);
	for (uint64 i = 0; i < deducing->nmet; i++)
	{
		const Met  *met = &deducing->met[i];
		uint64		other = peers_class(peers, met->at);

		CHECK_FOR_INTERRUPTS();
		deducing->met_at[other] = 0;
		if (!mark_impossible(deducing, met) || !statistics_same_values(deducing->statistics, at, met->at))
			continue;

		/* It is not for those who were met elsewhere, either */
		for (uint64 k = 0; k < met->ncommon; k++)
			deducing->group_mark[deducing->common[met->first + k]] = deducing->mark;
		for (uint64 k = peers->first_in[other]; k < peers->first_in[other + 1]; k++)
			if (deducing->group_mark[peers->in[k]] != deducing->mark)
				keep_marked(deducing, peers->in[k], false);
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

Deduction *
deduce(const Statistics *statistics, const Individual *known, uint64 nknown, bool knows_inventions, uint64 budget)
{
	const Peers *peers = peers_create(statistics, known, nknown, knows_inventions);
	Deducing   *deducing = deducing_create(statistics, peers);
	Deduction  *deduction = deducing->deduction;

	if (knows_inventions)
		find_covers(deduction);
	begin_candidates(deducing);
	look_at_all(deducing);
	progress_phase("look at classes", NO_TOTAL);
	narrow(deducing);
	for (uint32 g = 0; g < peers->n; g++)
	{
		if (!peers->is_known[g])
			continue;
		deducing->value_mark[peers->value[peers->individual[peers->first[g]]]] = ++deducing->mark;
		keep_marked(deducing, g, true);
	}
	progress_phase("follow what is known", NO_TOTAL);
	narrow(deducing);
	for (uint64 effort = FIRST_EFFORT;; effort = more_effort(effort))
	{
		bool		is_open = look_for_worlds(deduction, effort, &budget, wait_for_classes, deducing);

		progress_phase("follow what is found", NO_TOTAL);
		narrow(deducing);
		if (!is_open || budget == 0)
			return deduction;
	}
}

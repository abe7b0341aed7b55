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
#include "audit/worlds.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

typedef struct Deducing
{
	const Statistics *statistics;
	Deduction  *deduction;

	/* Classes of all releases in one row, and those to be looked at */
	uint64	   *base;			/* [releases + 1] */
	bool	   *is_waiting;		/* [classes] */
	Step	   *waiting;		/* a ring of all classes and one more */
	uint64		nwaiting;
	uint64		next;

	/* Scratch: marks are counted up, so that they need not be cleared */
	uint64	   *class_mark;		/* [classes] */
	uint64	   *thread_mark;	/* [threads] */
	uint64	   *value_mark;		/* [values] */
	uint32	   *taken;			/* [values] zeros */
	uint64		mark;
	Step	   *met;
	uint64		nmet;
	uint64		allocated;
} Deducing;

Thread
find_changed(const Statistics *statistics)
{
	const Seen *seen = statistics->seen;
	Code	   *shown = new_zeros(Code, seen->nthreads);
	bool	   *is_shown = new_zeros(bool, seen->nthreads);
	Thread		changed = NO_THREAD;

	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint64 i = 0; i < seen->release[r].first[seen->release[r].nclasses]; i++)
		{
			Thread		t = seen->release[r].thread[i];

			if (is_shown[t] && shown[t] != seen->release[r].value[i])
				changed = Min(changed, t);
			is_shown[t] = true;
			shown[t] = seen->release[r].value[i];
		}
	pfree(shown);
	pfree(is_shown);
	return changed;
}

/* ----------------------------------------------------------------
 * Candidates
 * ----------------------------------------------------------------
 */

static inline Code *
candidates_of(const Deducing *deducing, Thread t)
{
	return deducing->deduction->candidate + deducing->deduction->first[t];
}

static bool
is_shown_by(const ShownValues *shown, uint32 class, Code value)
{
	for (uint64 i = shown->first[class]; i < shown->first[class + 1]; i++)
		if (shown->value[i] == value)
			return true;
	return false;
}

/* Everybody can have what all of his classes show. */
static void
begin_candidates(Deducing *deducing)
{
	const Statistics *statistics = deducing->statistics;
	Deduction  *deduction = deducing->deduction;
	uint64		nthreads = statistics->seen->nthreads;

	for (uint64 t = 0; t < nthreads; t++)
	{
		Step		at = statistics->step[statistics->first[t]];
		const ShownValues *shown = &statistics->shown[at.release];

		deduction->first[t + 1] = deduction->first[t] + shown->first[at.class + 1] - shown->first[at.class];
	}
	deduction->candidate = new_zeros(Code, deduction->first[nthreads]);
	for (uint64 t = 0; t < nthreads; t++)
	{
		Step		at = statistics->step[statistics->first[t]];
		const ShownValues *shown = &statistics->shown[at.release];
		uint32		n = 0;

		for (uint64 i = shown->first[at.class]; i < shown->first[at.class + 1]; i++)
		{
			bool		everywhere = true;

			for (uint64 s = statistics->first[t] + 1; s < statistics->first[t + 1] && everywhere; s++)
				everywhere = is_shown_by(&statistics->shown[statistics->step[s].release],
										 statistics->step[s].class, shown->value[i]);
			if (everywhere)
				candidates_of(deducing, t)[n++] = shown->value[i];
		}
		deduction->ncandidates[t] = n;
	}
}

static void
wait_for(Deducing *deducing, Step at)
{
	uint64		nclasses = deducing->base[deducing->statistics->seen->nreleases];
	bool	   *is_waiting = &deducing->is_waiting[deducing->base[at.release] + at.class];

	if (*is_waiting)
		return;
	*is_waiting = true;
	deducing->waiting[(deducing->next + deducing->nwaiting++) % (nclasses + 1)] = at;
}

/* Keeps the candidates that a mark stands at, or those that it does not; whoever lost one is told. */
static void
keep_marked(Deducing *deducing, Thread t, bool marked)
{
	const Statistics *statistics = deducing->statistics;
	uint32	   *n = &deducing->deduction->ncandidates[t];
	Code	   *candidates = candidates_of(deducing, t);
	uint32		kept = 0;

	for (uint32 i = 0; i < *n; i++)
		if ((deducing->value_mark[candidates[i]] == deducing->mark) == marked)
			candidates[kept++] = candidates[i];
	if (kept == *n)
		return;
	*n = kept;
	for (uint64 s = statistics->first[t]; s < statistics->first[t + 1]; s++)
		wait_for(deducing, statistics->step[s]);
}

/* ----------------------------------------------------------------
 * ct-pvr
 * ----------------------------------------------------------------
 */

/* Values all of whose rows are known to be somebody's are nobody else's. */
static void
exclude_taken(Deducing *deducing, Step at)
{
	const SeenRelease *release = &deducing->statistics->seen->release[at.release];
	const ShownValues *shown = &deducing->statistics->shown[at.release];
	const uint32 *n = deducing->deduction->ncandidates;
	bool		any = false;

	deducing->mark++;
	for (uint64 i = release->first[at.class]; i < release->first[at.class + 1]; i++)
		if (n[release->thread[i]] == 1)
			deducing->taken[candidates_of(deducing, release->thread[i])[0]]++;
	for (uint64 i = shown->first[at.class]; i < shown->first[at.class + 1]; i++)
	{
		if (deducing->taken[shown->value[i]] >= shown->count[i])
		{
			deducing->value_mark[shown->value[i]] = deducing->mark;
			any = true;
		}
		deducing->taken[shown->value[i]] = 0;
	}
	for (uint64 i = release->first[at.class]; i < release->first[at.class + 1] && any; i++)
		if (n[release->thread[i]] > 1)
			keep_marked(deducing, release->thread[i], false);
}

/* ----------------------------------------------------------------
 * hc-pvr
 * ----------------------------------------------------------------
 */

static void
find_met(Deducing *deducing, Step at)
{
	const Statistics *statistics = deducing->statistics;
	const SeenRelease *release = &statistics->seen->release[at.release];

	deducing->nmet = 0;
	deducing->mark++;
	for (uint64 i = release->first[at.class]; i < release->first[at.class + 1]; i++)
		for (uint64 s = statistics->first[release->thread[i]]; s < statistics->first[release->thread[i] + 1]; s++)
		{
			Step		step = statistics->step[s];
			uint64	   *mark = &deducing->class_mark[deducing->base[step.release] + step.class];

			if (step.release == at.release || *mark == deducing->mark)
				continue;
			*mark = deducing->mark;
			if (deducing->nmet == deducing->allocated)
			{
				deducing->allocated *= 2;
				deducing->met = repalloc_huge(deducing->met, sizeof(Step) * deducing->allocated);
			}
			deducing->met[deducing->nmet++] = step;
		}
}

/* What nobody of b who is not in a can have, nobody of a has who is not in b. */
static void
exclude_impossible(Deducing *deducing, Step a, Step b)
{
	const Seen *seen = deducing->statistics->seen;
	const SeenRelease *x = &seen->release[a.release];
	const SeenRelease *y = &seen->release[b.release];
	uint64		mark = ++deducing->mark;

	for (uint64 i = x->first[a.class]; i < x->first[a.class + 1]; i++)
		deducing->thread_mark[x->thread[i]] = mark;
	for (uint64 i = y->first[b.class]; i < y->first[b.class + 1]; i++)
	{
		Thread		t = y->thread[i];

		if (deducing->thread_mark[t] == mark)
		{
			deducing->thread_mark[t] = 0;	/* in both */
			continue;
		}
		for (uint32 k = 0; k < deducing->deduction->ncandidates[t]; k++)
			deducing->value_mark[candidates_of(deducing, t)[k]] = mark;
	}
	for (uint64 i = x->first[a.class]; i < x->first[a.class + 1]; i++)
		if (deducing->thread_mark[x->thread[i]] == mark)
			keep_marked(deducing, x->thread[i], true);
}

static void
look_at_class(Deducing *deducing, Step at)
{
	exclude_taken(deducing, at);
	find_met(deducing, at);
	for (uint64 i = 0; i < deducing->nmet; i++)
	{
		if (!statistics_same_values(deducing->statistics, at, deducing->met[i]))
			continue;
		exclude_impossible(deducing, at, deducing->met[i]);
		exclude_impossible(deducing, deducing->met[i], at);
	}
}

static void
narrow(Deducing *deducing)
{
	uint64		nclasses = deducing->base[deducing->statistics->seen->nreleases];

	while (deducing->nwaiting > 0)
	{
		Step		at = deducing->waiting[deducing->next];

		CHECK_FOR_INTERRUPTS();
		deducing->next = (deducing->next + 1) % (nclasses + 1);
		deducing->nwaiting--;
		deducing->is_waiting[deducing->base[at.release] + at.class] = false;
		look_at_class(deducing, at);
	}
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

static Deducing *
deducing_create(const Statistics *statistics)
{
	const Seen *seen = statistics->seen;
	Deducing   *deducing = palloc0(sizeof(Deducing));
	uint64		nclasses;

	deducing->statistics = statistics;
	deducing->base = new_zeros(uint64, seen->nreleases);
	for (int32 r = 0; r < seen->nreleases; r++)
		deducing->base[r + 1] = deducing->base[r] + seen->release[r].nclasses;
	nclasses = deducing->base[seen->nreleases];
	deducing->is_waiting = new_zeros(bool, nclasses);
	deducing->waiting = new_zeros(Step, nclasses);
	deducing->class_mark = new_zeros(uint64, nclasses);
	deducing->thread_mark = new_zeros(uint64, seen->nthreads);
	deducing->value_mark = new_zeros(uint64, seen->nvalues);
	deducing->taken = new_zeros(uint32, seen->nvalues);
	deducing->allocated = 64;
	deducing->met = palloc(sizeof(Step) * deducing->allocated);
	deducing->deduction = palloc0(sizeof(Deduction));
	deducing->deduction->first = new_zeros(uint64, seen->nthreads);
	deducing->deduction->ncandidates = new_zeros(uint32, seen->nthreads);
	deducing->deduction->nbefore = new_zeros(uint32, seen->nthreads);
	deducing->deduction->together = new_zeros(Thread, seen->nthreads);
	deducing->deduction->is_exact = new_zeros(bool, seen->nthreads);
	return deducing;
}

/* Whatever follows without knowing anybody: where classes differ in what they show. */
static void
look_at_all(Deducing *deducing)
{
	const Statistics *statistics = deducing->statistics;
	const Seen *seen = statistics->seen;

	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			const SeenRelease *release = &seen->release[r];
			uint64		nvalues = statistics->shown[r].first[c + 1] - statistics->shown[r].first[c];
			bool		is_narrow = nvalues == 1;

			for (uint64 i = release->first[c]; i < release->first[c + 1] && !is_narrow; i++)
				is_narrow = deducing->deduction->ncandidates[release->thread[i]] < nvalues;
			if (is_narrow)
				wait_for(deducing, (Step) {r, c});
		}
}

static void
know(Deducing *deducing, Thread t)
{
	const Statistics *statistics = deducing->statistics;
	Step		at = statistics->step[statistics->first[t]];
	const SeenRelease *release = &statistics->seen->release[at.release];

	deducing->mark++;
	for (uint64 i = release->first[at.class]; i < release->first[at.class + 1]; i++)
		if (release->thread[i] == t && release->value[i] != NO_CODE)
		{
			deducing->value_mark[release->value[i]] = deducing->mark;
			keep_marked(deducing, t, true);
		}
}

/* Where few hang together, all worlds; what these exclude may say more about others. */
static void
search_worlds(Deducing *deducing)
{
	Worlds	   *worlds = worlds_create(deducing->statistics, deducing->deduction);
	Thread		t;

	while ((t = worlds_next(worlds)) != NO_THREAD)
		for (uint64 s = deducing->statistics->first[t]; s < deducing->statistics->first[t + 1]; s++)
			wait_for(deducing, deducing->statistics->step[s]);
	worlds_end(worlds);
}

Deduction *
deduce(const Statistics *statistics, const Thread *known, uint64 nknown)
{
	Deducing   *deducing = deducing_create(statistics);
	Deduction  *deduction = deducing->deduction;

	begin_candidates(deducing);
	look_at_all(deducing);
	narrow(deducing);
	memcpy(deduction->nbefore, deduction->ncandidates, sizeof(uint32) * statistics->seen->nthreads);
	for (uint64 i = 0; i < nknown; i++)
		know(deducing, known[i]);
	do
	{
		narrow(deducing);
		search_worlds(deducing);
	} while (deducing->nwaiting > 0);
	return deduction;
}

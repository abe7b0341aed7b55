/*
 * search.h
 *		The search for a release: what its stages share.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SEARCH_H
#define PPREPUB_METHOD_SEQUENTIAL_SEARCH_H

#include "common/pg_prng.h"
#include "method/sequential/guard.h"

typedef struct Search
{
	const SeqTask *task;		/* borrowed */
	SeqPeople  *people;
	Guard	   *guard;
	pg_prng_state random;
	uint64		trials;
	uint64		kept;			/* trials */
	bool		reversible;		/* what is kept can be undone by people_undo(), too */
	uint64		woven_steps;	/* in webs that are no more */
	uint64		most_steps;		/* after so many, exhaust_lots() gives up */

	/* Steps from piece to piece that not a single record could take */
	TupleNumbers *failed;
	uint64	   *failed_at;		/* [failed] when so many trials had been kept */
	uint32		failed_room;
} Search;

/* Where a trial began */
typedef struct Trial
{
	uint32		web;
	uint32		people;
	uint32		guard;
} Trial;

static inline Trial
begin_trial(Search *search)
{
	search->trials++;
	return (Trial) {
		.web = web_mark(search->people->web),
		.people = people_mark(search->people),
		.guard = guard_mark(search->guard)
	};
}

static inline void
keep_trial(Search *search)
{
	search->kept++;
	web_commit(search->people->web);
	guard_commit(search->guard);
	if (!search->reversible)
		people_commit(search->people);
}

static inline void
undo_trial(Search *search, Trial trial)
{
	guard_undo(search->guard, trial.guard);
	web_undo(search->people->web, trial.web);
	people_undo(search->people, trial.people);
}

/* Keeps what was done in a trial if no tuple is harmed, else undoes it. */
static inline bool
judge_trial(Search *search, Trial trial)
{
	bool		holds;

	web_settle(search->people->web);
	holds = guard_holds(search->guard, trial.web, trial.people);
	if (holds)
		keep_trial(search);
	else
		undo_trial(search, trial);
	return holds;
}

/*
 * Stage 1: finds a cut through each column's tree.  Returns false if what was promised does not
 * hold, and could not be made to.  level: what the cut gives, or would have given at its best.
 */
extern bool specialise_cuts(Search *search, double *level);

/* Stage 2: makes cells more specific until not a single one can be. */
extern void specialise_cells(Search *search);

/* Stage 3: lowers the loss further; not a single cell could be more specific afterwards, either. */
extern void refine_cells(Search *search);

/* How much was looked at so far: the same on every machine, unlike time. */
static inline uint64
steps_taken(const Search *search)
{
	return search->woven_steps + search->people->web->steps + search->guard->steps + search->trials;
}

/* Makes the web anew, outside of trials. */
extern void weave_anew(Search *search);

/* Makes the web anew if most of its edges were dropped: they take room among those that are left. */
static inline void
clear_web(Search *search)
{
	if (search->people->web->ndropped > search->people->web->nedges / 2)
		weave_anew(search);
}

/* Makes these lots more specific, one after the other, until none can be; false if it gave up. */
extern bool exhaust_lots(Search *search, Pile *lots);

/* Makes all lots more specific until none can be. */
extern void exhaust_all(Search *search);

extern void shuffle_lots(Search *search, Pile *lots);

/* Forgets which steps failed, since cells became less specific. */
extern void forget_failures(Search *search);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SEARCH_H */

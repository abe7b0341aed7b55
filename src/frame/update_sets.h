/*
 * update_sets.h
 *		The updates of sensitive values that owners declare, and that every
 *		observer is taken to know.
 *
 * The candidate update set of a value holds the values that it can have in the
 * next release.  Declared sets are reflexive and transitive, so if a value can
 * become another one, the set of that one is a subset of its own.  Values are
 * codes of one frame, or of one history.
 */
#ifndef PPREPUB_FRAME_UPDATE_SETS_H
#define PPREPUB_FRAME_UPDATE_SETS_H

#include "frame/domain.h"

typedef struct Update
{
	Code		from;
	Code		to;
	double		probability;	/* used only where all updates have one */
} Update;

typedef struct Updates
{
	Code		nvalues;
	uint64	   *first;			/* [nvalues + 1] value v's set is to[first[v]] up to, not including, to[first[v + 1]];
								 * empty where nothing was declared */
	Code	   *to;				/* ascending within a set */
	double	   *probability;	/* beside to, or NULL */
} Updates;

/* Sorts the array; of repeated updates the first counts. */
extern Updates *updates_create(Code nvalues, Update *list, uint64 n, bool has_probabilities);

/*
 * Makes the reflexive and transitive closure, without probabilities.  A value of which nothing was declared keeps an empty
 * set, unless another value can become it.
 */
extern Updates *updates_close(const Updates *updates);

/* The place of an update in to[], or NO_UPDATE. */
#define NO_UPDATE PG_UINT64_MAX
extern uint64 updates_find(const Updates *updates, Code from, Code to);

/*
 * Returns the component of each value, [values], and sets *n to the number of components.  Updates in either direction
 * connect values, so a value never leaves its component.
 */
extern uint32 *updates_components(const Updates *updates, uint32 *n);

static inline bool
updates_allow(const Updates *updates, Code from, Code to)
{
	return updates_find(updates, from, to) != NO_UPDATE;
}

static inline uint64
updates_size(const Updates *updates, Code value)
{
	return updates->first[value + 1] - updates->first[value];
}

#endif							/* PPREPUB_FRAME_UPDATE_SETS_H */

/*
 * updates.h
 *		The values that a sensitive value can become: declared by owners, and taken to
 *		be publicly known.
 *
 * The candidate update set of a value holds what the value can be in the next
 * release.  Declared sets are reflexive and transitive, so a value that another
 * one can become has a subset of its set.  Values are codes of one frame, or of
 * one history.
 */
#ifndef PPREPUB_FRAME_UPDATES_H
#define PPREPUB_FRAME_UPDATES_H

#include "frame/span.h"

typedef struct Update
{
	Code		from;
	Code		to;
	double		probability;	/* only where all have one */
} Update;

typedef struct Updates
{
	Code		nvalues;
	uint64	   *first;			/* [nvalues + 1] value v's set is to[first[v]] up to, not
								 * including, to[first[v + 1]]; empty where nothing was
								 * declared */
	Code	   *to;				/* ascending within a set */
	double	   *probability;	/* beside to, or NULL */
} Updates;

/* Sorts the array; of repeated updates the first counts. */
extern Updates *updates_create(Code nvalues, Update *list, uint64 n, bool has_probabilities);

/*
 * A copy with what makes it reflexive and transitive, without
 * probabilities.  Values of which nothing was declared stay so, unless another
 * one can become them.
 */
extern Updates *updates_close(const Updates *updates);

/* The place of an update in to[], or NO_UPDATE. */
#define NO_UPDATE PG_UINT64_MAX
extern uint64 updates_find(const Updates *updates, Code from, Code to);

/*
 * Numbers of components, of which there are n: values that updates connect, in any
 * direction, are of one.  A value never leaves its component.  [values]
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

#endif							/* PPREPUB_FRAME_UPDATES_H */

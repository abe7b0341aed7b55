/*
 * neighborhoods.h
 *		The rows of the fold for reports: every neighborhood, including those
 *		without members in the source.
 */
#ifndef PPREPUB_HISTORY_NEIGHBORHOODS_H
#define PPREPUB_HISTORY_NEIGHBORHOODS_H

#include "postgres.h"

#include "history/recall.h"

typedef struct KnownNeighborhood
{
	int64		number;
	Individual	member;			/* any of its members: all were in the same classes */
	int64		records;		/* its members, invented rows included */
	int64		sensitive_values;	/* different values in the epoch, and of the sensitive column, with the fewest;
									 * bands, where these are judged */
} KnownNeighborhood;

/* Reads all neighborhoods and sets *n to their number.  Callers act as the owner, under the active snapshot. */
extern KnownNeighborhood *neighborhoods_read(const DeclaredPublication *publication,
											 const Recalled *recalled, uint64 *n);

#endif							/* PPREPUB_HISTORY_NEIGHBORHOODS_H */

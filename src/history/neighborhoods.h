/*
 * neighborhoods.h
 *		The rows of the fold for reports: every neighborhood, whether or not
 *		anybody of it is in the source.
 */
#ifndef PPREPUB_HISTORY_NEIGHBORHOODS_H
#define PPREPUB_HISTORY_NEIGHBORHOODS_H

#include "postgres.h"

#include "history/recall.h"

typedef struct KnownNeighborhood
{
	int64		number;
	Thread		member;			/* one of its members, who was where all were */
	int64		records;		/* its members, invented rows included */
	int64		sensitive_values;	/* different ones, in the epoch that shows fewest */
} KnownNeighborhood;

/* As the owner, under the active snapshot; *n is set to how many there are. */
extern KnownNeighborhood *neighborhoods_read(const DeclaredPublication *publication,
											 const Recalled *recalled, uint64 *n);

#endif							/* PPREPUB_HISTORY_NEIGHBORHOODS_H */

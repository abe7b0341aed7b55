/*
 * paths_check.h
 *		Is the table of paths what the log tells?
 */
#ifndef PPREPUB_CHECK_PATHS_CHECK_H
#define PPREPUB_CHECK_PATHS_CHECK_H

#include "postgres.h"

#include "history/recall.h"

typedef struct Followed
{
	uint64		classes;		/* of the log */
	uint64		wrong;			/* of either that the other does not have so */
	int32		first_wrong;	/* a release, if there is one */
} Followed;

/* As the owner, under the active snapshot; the releases are as many as the log was read with. */
extern Followed compare_paths(const DeclaredPublication *publication, const Recalled *recalled);

#endif							/* PPREPUB_CHECK_PATHS_CHECK_H */

/*
 * changes.h
 *		Whose values have changed, where rows stood in for people?
 */
#ifndef PPREPUB_AUDIT_CHANGES_H
#define PPREPUB_AUDIT_CHANGES_H

#include "history/seen.h"
#include "partition/principle.h"

/* A class that shows values that were not shown of its people in the release before */
typedef struct Change
{
	uint32		class;			/* of the release, from 0 on */
	int32		before;			/* the release that showed these people last */
	uint64		rows;			/* with a new value; 0: there is no change */
	uint32		values;			/* different new ones */
	uint64		bearers;		/* people whom observers know the new values to be of */
	bool		stood_in;		/* did rows stand in for any of these people, now or before? */
} Change;

/* The change of each release that is hidden worst, of those where rows stood in: [releases]; one of no rows where there is none. */
extern Change *worst_changes(const Seen *seen, const Principle *promised);

/* May k people be the bearers, and are there l new values where all of them must have one? */
extern bool change_is_hidden(const Change *change, const Principle *promised);

#endif							/* PPREPUB_AUDIT_CHANGES_H */

/*
 * smallest.h
 *		The sets of people that are worst off: fewest members, fewest different
 *		sensitive values.
 */
#ifndef PPREPUB_AUDIT_SMALLEST_H
#define PPREPUB_AUDIT_SMALLEST_H

#include "history/atoms.h"
#include "partition/principle.h"

/* Each figure with the set that has it; of several the first. */
typedef struct Smallest
{
	uint64		records;
	uint32		fewest;			/* the class or atom with so few records */
	uint32		values;
	uint32		poorest;		/* the class or atom with so few values */
	int32		poor_in;		/* atoms: the release, from 0 on, that showed so few */
} Smallest;

/* Of the classes of a release, or of all atoms; false if there is none. */
extern bool smallest_classes(const Seen *seen, int32 r, Smallest *smallest);
extern bool smallest_atoms(const Seen *seen, const Atoms *atoms, Smallest *smallest);

/* How many classes of a release the principle does not allow. */
extern uint32 count_refused_classes(const Seen *seen, int32 r, const Principle *principle);

/* How many of the first so many individuals are in atoms that the principle does not allow. */
extern uint64 count_refused(const Seen *seen, const Atoms *atoms, const Principle *principle, uint64 nindividuals);

#endif							/* PPREPUB_AUDIT_SMALLEST_H */

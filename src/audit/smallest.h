/*
 * smallest.h
 *		The sets of people that are worst off: fewest members, fewest different sensitive values, values that are
 *		farthest from what a principle asks for.
 *
 * Principles are bound to the values of what was seen.
 */
#ifndef PPREPUB_AUDIT_SMALLEST_H
#define PPREPUB_AUDIT_SMALLEST_H

#include "history/seen.h"
#include "partition/principle.h"

/* The worst that a condition measures. */
typedef struct WorstMeasure
{
	double		measure;
	int			aspect;			/* in which it is, or -1 beside others */
	uint32		set;			/* the class or atom */
	int32		in;				/* atoms: the release, from 0 on */
	uint64		refused;		/* classes that it refuses, or individuals in atoms that it does */
} WorstMeasure;

/* Each figure with the set that has it; of several the first. */
typedef struct Smallest
{
	uint64		records;
	uint32		fewest;			/* the class or atom with so few records */
	uint32		values;			/* in the aspect that has fewest */
	uint32		poorest;		/* the class or atom with so few values */
	int32		poor_in;		/* atoms: the release, from 0 on, that showed so few */
	int			poor_aspect;
	WorstMeasure term[NPRINCIPLES]; /* of each term of the principle */
} Smallest;

/* Of the classes of a release, or of the atoms that were in one from the given release on; false if there is none.  aspects: NULL for one. */
extern bool smallest_classes(const Seen *seen, int32 r, const Aspects *aspects, const Principle *principle,
							 Smallest *smallest);
extern bool smallest_atoms(const Seen *seen, const Atoms *atoms, int32 from, const Aspects *aspects, const Principle *principle,
						   Smallest *smallest);

/* How many classes of a release the principle does not allow; unless marked is NULL, marks their members: [individuals]. */
extern uint32 count_refused_classes(const Seen *seen, int32 r, const Principle *principle, bool *marked);

/*
 * Marks individuals in such atoms that the principle does not allow with the values of each release that they were in:
 * [individuals]; and how many people are in any now.
 */
extern void mark_refused(const Seen *seen, const Atoms *atoms, int32 from, const Principle *principle, bool *marked);
extern uint64 count_refused(const Seen *seen, const Atoms *atoms, const Principle *principle);

/* The latter for n principles at once. */
extern void count_refused_by(const Seen *seen, const Atoms *atoms, int n, const Principle *principles, uint64 *refused);

#endif							/* PPREPUB_AUDIT_SMALLEST_H */

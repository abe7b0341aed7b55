/*
 * history_check.h
 *		What must be true of a history after each release.
 *
 * Each person is in one neighborhood; whoever shares one shares its signature;
 * every neighborhood satisfies the principle (paper 003, Analysis).  It is
 * checked against the log, by code that shares nothing with what writes it.
 */
#ifndef PPREPUB_CHECK_HISTORY_CHECK_H
#define PPREPUB_CHECK_HISTORY_CHECK_H

#include "postgres.h"

#include "audit/atoms.h"
#include "history/recall.h"

typedef struct Invariant
{
	uint64		neighborhoods;	/* of the fold */
	uint64		wrong;			/* not as the log tells them */
	int64		first_wrong;	/* a number, if there is one */
} Invariant;

/* As the owner, under the active snapshot: is each neighborhood an atom, and each atom one? */
extern Invariant compare_neighborhoods(const DeclaredPublication *publication,
									   const Recalled *recalled, const Atoms *atoms);

/* An internal error if the invariant does not hold; reads all of the history. */
extern void verify_invariant(const DeclaredPublication *publication);

#endif							/* PPREPUB_CHECK_HISTORY_CHECK_H */

/*
 * worlds.h
 *		Worlds that agree with the releases, in which somebody has a candidate.
 */
#ifndef PPREPUB_AUDIT_WORLDS_H
#define PPREPUB_AUDIT_WORLDS_H

#include "audit/compromise.h"

/*
 * Looks for a world for each candidate that is not known to be possible, and
 * excludes those that are in none.  A search takes so many steps at most, and all
 * of them what is left of the budget.  Nothing may follow any more from the rules.
 * Is there anything that is still not known?
 */
extern bool look_for_worlds(Deduction *deduction, uint64 effort, uint64 *budget,
							void (*lost) (void *what, uint32 group), void *what);

#endif							/* PPREPUB_AUDIT_WORLDS_H */

/*
 * attempt.h
 *		Doing what may fail through no fault of ours: it reads what others made.
 */
#ifndef PPREPUB_DECLARE_ATTEMPT_H
#define PPREPUB_DECLARE_ATTEMPT_H

#include "postgres.h"

/*
 * Does the work in a subtransaction, in the current context.  NULL, or the error
 * that it came to: then all is undone, but for what it wrote into memory.  An
 * error that is not to be swallowed is for the caller to throw again: not before
 * the subtransaction has ended, or whoever catches it would end that one and not
 * his own.
 */
extern ErrorData *attempt(void (*work) (void *what), void *what);

/* For work that only looks: all is undone also where it did not fail. */
extern ErrorData *attempt_undone(void (*work) (void *what), void *what);

#endif							/* PPREPUB_DECLARE_ATTEMPT_H */

/*
 * optional_work.h
 *		What a worker does between two questions, for which nobody waits.
 */
#ifndef PPREPUB_ANSWER_OPTIONAL_WORK_H
#define PPREPUB_ANSWER_OPTIONAL_WORK_H

#include "postgres.h"

/*
 * Outside of transactions, which work begins and commits.  False where it failed:
 * then it is as if it had not been tried, and there is nobody to be told.
 */
extern bool do_unasked(void (*work) (void *what), void *what);

#endif							/* PPREPUB_ANSWER_OPTIONAL_WORK_H */

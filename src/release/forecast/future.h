/*
 * future.h
 *		From one release to the next, in memory: who will be in the source then.  past_after() (history/past.h) tells what
 *		will be remembered of a draft.
 *
 * Nothing here reads the database or writes.  Rows of people who are to come are
 * copies of rows that are real.
 */
#ifndef PPREPUB_RELEASE_FUTURE_H
#define PPREPUB_RELEASE_FUTURE_H

#include "common/pg_prng.h"
#include "method/method.h"

/* Shares of the people of a release, from 0 to 1, until the next one. */
typedef struct Churn
{
	double		leave;
	double		come;			/* as many newcomers as this is of those who were there */
	double		change;			/* of those who stay, to another sensitive value */
} Churn;

/*
 * The frame of the next release, whose past, which is given for this frame, is
 * changed to be that of the new one: what is known of groups, and not of rows, stays where it is.  Newcomers
 * and changed values are those of rows of a frame that is real.  All three frames share domains and codes.
 */
extern Frame frame_after(const Frame *frame, const Frame *real, const Churn *churn,
						 pg_prng_state *random, Past *past);

#endif							/* PPREPUB_RELEASE_FUTURE_H */

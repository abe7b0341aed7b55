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

/* Shares from 0 to 1, from one release to the next, in the order of the arguments of forecast(). */
typedef enum Rate
{
	LEAVE,						/* of the people of the release */
	COME,						/* as many people as this is of those who were there, new ones or not */
	CHANGE,						/* of those who stay, to another sensitive value */
	MOVE,						/* of those who stay, to another value of one quasi-identifier */
	COME_BACK,					/* of those away */
	QUIET,						/* of the times between two releases, in which nothing happens */
	BACK_CHANGED,				/* of those who come back, with another sensitive value: the log does not tell */
	NRATES
} Rate;

typedef struct Churn
{
	double		rate[NRATES];
} Churn;

/* People in memory.  Those away come last, so the release to come is about the first rows of the frame. */
typedef struct Crowd
{
	Frame		frame;
	Past		past;			/* for all its rows */
	uint64		npresent;
	bool	   *is_unsteady;	/* [rows] has the person come back or moved, since the crowd began? */
} Crowd;

/*
 * In the current context, these and their arrays; what is known of groups, and not of rows, stays where it is.  All
 * frames share domains and codes; newcomers and changed values are those of rows of a frame that is real.
 */

/*
 * The people of a frame, and those who are away, if they may come back: so many that all have been shown who are known.
 * Each is like somebody of the last group, and if others have the places, of any.
 */
extern Crowd crowd_begin(const Frame *real, const Past *past, const Churn *churn, uint64 known, pg_prng_state *random);

/* After some time. */
extern Crowd crowd_after(const Crowd *crowd, const Frame *real, const Churn *churn, pg_prng_state *random);

/* The past as the method gets it, with the frame of those present; of an answer, if some are asked for only. */
extern Past crowd_past(const Crowd *crowd, Frame *frame, const bool *asked);

/* About a third of the people present, by a quasi-identifier: between the values of two of them. */
extern bool *crowd_cohort(const Crowd *crowd, pg_prng_state *random);

#endif							/* PPREPUB_RELEASE_FUTURE_H */

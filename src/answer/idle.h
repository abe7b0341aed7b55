/*
 * idle.h
 *		What a worker does between two questions: forgets the first, and waits
 *		for the next.
 */
#ifndef PPREPUB_ANSWER_IDLE_H
#define PPREPUB_ANSWER_IDLE_H

#include "postgres.h"

#include "answer/channel.h"

/* Lets go of the question; false when it is time to go. */
extern bool begin_rest(void);

/* The next question's channel, or NULL when it is time to go.  Outside of transactions. */
extern Channel *rest(void);

#endif							/* PPREPUB_ANSWER_IDLE_H */

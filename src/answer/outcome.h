/*
 * outcome.h
 *		What comes out of a question: rows, or an error, as messages of a queue.
 */
#ifndef PPREPUB_ANSWER_OUTCOME_H
#define PPREPUB_ANSWER_OUTCOME_H

#include "postgres.h"

#include "answer/answer.h"
#include "answer/channel.h"
#include "utils/tuplestore.h"

/*
 * By the worker; whoever asked may have gone, which is no matter: everything
 * is remembered by then.
 */
extern bool takes_long_to_send(const Answer *answer);	/* it may have to wait for who takes it in */
extern bool send_answer(Channel *channel, const Answer *answer);	/* false where nobody hears it */
extern void send_end(Channel *channel);	/* of an answer */
extern void send_error(Channel *channel, const ErrorData *error);

/* By the asker: where the rows go as they come. */
typedef struct Reception
{
	TupleDesc	desc;			/* that is expected */
	Tuplestorestate *store;
	TupleTableSlot *slot;
} Reception;

/* Takes in a message; true when it was the last one.  Raises the worker's error. */
extern bool take_message(Reception *reception, const char *message, Size size);

#endif							/* PPREPUB_ANSWER_OUTCOME_H */

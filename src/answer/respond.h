/*
 * respond.h
 *		What the worker does inside its transaction: from a question to an answer.
 */
#ifndef PPREPUB_ANSWER_RESPOND_H
#define PPREPUB_ANSWER_RESPOND_H

#include "postgres.h"

#include "answer/answer.h"
#include "answer/channel.h"

/*
 * As the owner in a security-restricted context, inside SPI, under the active
 * snapshot, the publication being locked.
 *
 * Up to answer_begins() nothing that was asked for is looked at: an error is
 * about the request, is told to whoever asked, and costs nothing.  From there
 * on the answer is made and remembered whatever becomes of whoever asked, and
 * an error of the source's gives the answer that an empty cohort gets, with a
 * note for the owner.  The answer is allocated in the context given.
 */
extern Answer *respond(const Question *question, MemoryContext context);

/* By the worker: an error when the question was withdrawn. */
extern void answer_begins(void);

#endif							/* PPREPUB_ANSWER_RESPOND_H */

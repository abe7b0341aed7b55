/*
 * stored_answers.h
 *		Answers put together again from what is kept of them: the cells of their
 *		classes, and the values of the log.
 *
 * Insensitive values, which are not kept, are NULL.
 */
#ifndef PPREPUB_ANSWER_STORED_ANSWERS_H
#define PPREPUB_ANSWER_STORED_ANSWERS_H

#include "postgres.h"

#include "history/answered.h"
#include "release/past_releases.h"

typedef struct Answers
{
	TupleDesc	columns;		/* of their rows */
	int			sensitive;		/* an attribute */
	int			ncells;
	const int  *cell;			/* [ncells] attributes */
	const Answered *answered;	/* NULL where what was kept is gone */
	bool	   *is_intact;		/* [publication->releases] is answer n, at n - 1, what it was by the checksum? */
} Answers;

/* As the owner, under the active snapshot: all answers among n releases; reads the log once. */
extern Answers *answers_read(const DeclaredPublication *publication, const Released *released, int32 n);

/* Sets what all rows of the class at a place have in common; all else is NULL. */
extern void set_answered_class(const Answers *answers, const AnsweredRelease *answer, uint32 place,
							   Datum *values, bool *nulls);

#endif							/* PPREPUB_ANSWER_STORED_ANSWERS_H */

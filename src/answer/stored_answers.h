/*
 * stored_answers.h
 *		Past answers, put together from the cells of their classes and the
 *		sensitive values that the history keeps.
 *
 * Insensitive values are not kept, and are NULL here.
 */
#ifndef PPREPUB_ANSWER_STORED_ANSWERS_H
#define PPREPUB_ANSWER_STORED_ANSWERS_H

#include "postgres.h"

#include "history/past_tables.h"
#include "release/past_releases.h"

typedef struct Answers
{
	TupleDesc	columns;		/* of their rows */
	int			nsensitive;
	const int  *sensitive;		/* [nsensitive] their attributes */
	int			ncells;
	const int  *cell;			/* [ncells] their attributes */
	const Answered *answered;	/* NULL if the table that keeps them is gone */
	bool	   *is_intact;		/* [publication->releases] does answer n, at n - 1, have its checksum? */
} Answers;

/* Reads all answers among the publication's releases, as the owner and under the active snapshot; scans the log once. */
extern Answers *answers_read(const DeclaredPublication *publication, const Released *released);

/* Sets the columns that all rows of a class share, which is at that place of the answer; the others are NULL. */
extern void set_answered_class(const Answers *answers, const AnsweredRelease *answer, uint32 place,
							   Datum *values, bool *nulls);

#endif							/* PPREPUB_ANSWER_STORED_ANSWERS_H */

/*
 * answer.h
 *		A release that is an answer, not a table.
 *
 * WHAT IS WRITTEN
 *		Everybody can see how much WAL there is, and the size of any table, so how
 *		much an answer writes must say nothing that the answer does not.  It
 *		writes: a row of the catalog of releases, one for each metric and one for
 *		an error, whether there was one or not, of fixed width but for the words
 *		of the request; for each class that leaves,
 *		a row of the log and one of the regions; and the neighborhoods that the
 *		classes part.  So the amount follows from the rows that leave and from
 *		those that left before, with two exceptions: how long the keys of their
 *		people are, if keys are of variable length, and how many rows are
 *		invented.  What was asked for and withheld writes nothing, and an answer
 *		without a class writes the same whatever the reason.
 */
#ifndef PPREPUB_ANSWER_ANSWER_H
#define PPREPUB_ANSWER_ANSWER_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"
#include "declare/publication.h"
#include "release/release.h"

typedef struct Answer
{
	TupleDesc	desc;
	uint64		nrows;
	MinimalTuple *rows;			/* [nrows] in the order in which they may leave; nothing is toasted */
	int32		number;			/* of the release */
	Oid			fold;			/* or InvalidOid */
} Answer;

/*
 * As the owner, inside SPI, under the active snapshot, with the publication
 * locked for publishing: writes a release that was made, with all its history,
 * and gives its rows.  One without a class is a release, too: its answer has no
 * rows.  failure: the error for which nothing was made, or NULL.  The rows may
 * leave when the transaction has committed.  The answer is allocated in the
 * context given.
 */
extern Answer *remember_answer(DeclaredPublication *publication, const ReleaseBuild *build,
							   const ErrorData *failure, double seconds, MemoryContext context);

#endif							/* PPREPUB_ANSWER_ANSWER_H */

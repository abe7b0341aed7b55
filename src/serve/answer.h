/*
 * answer.h
 *		A release that is an answer, not a table.
 *
 * WHAT IS WRITTEN
 *		Everybody can see how much WAL there is, and the size of any table, so how
 *		much an answer writes must say nothing that the answer does not.  It
 *		writes: a row of the catalog of releases and one for each metric, of
 *		fixed width but for the words of the request; for each class that leaves,
 *		a row of the log and one of the regions; and the neighborhoods that the
 *		classes part.  So the amount follows from the rows that leave and from
 *		those that left before, with two exceptions: how long the keys of their
 *		people are, if keys are of variable length, and how many rows are
 *		invented.  What was asked for and withheld writes nothing, and an answer
 *		without a class writes the same whatever the reason.
 */
#ifndef PPREPUB_SERVE_ANSWER_H
#define PPREPUB_SERVE_ANSWER_H

#include "postgres.h"

#include "access/htup.h"
#include "access/tupdesc.h"
#include "declare/publication.h"
#include "serve/request.h"

typedef struct Answer
{
	TupleDesc	desc;
	uint64		nrows;
	MinimalTuple *rows;			/* [nrows] in the order in which they may leave; nothing is toasted */
} Answer;

/*
 * As the owner, inside SPI, under the active snapshot, with the publication
 * locked for publishing, and after verify_may_release(): makes a release, with
 * all its history.  One without a class is a release, too: its answer has no rows, and
 * there is no error.  The rows may leave when the transaction has committed.
 * The answer is allocated in the context given.
 */
extern Answer *make_answer(DeclaredPublication *publication, const Request *request,
						   MemoryContext context);

#endif							/* PPREPUB_SERVE_ANSWER_H */

/*
 * sequence.h
 *		A release of a method that judges it together with all before.
 */
#ifndef PPREPUB_METHOD_SEQUENTIAL_SQL_SEQUENCE_H
#define PPREPUB_METHOD_SEQUENTIAL_SQL_SEQUENCE_H

#include "postgres.h"

#include "frame/load.h"
#include "method/method.h"

/*
 * As the owner, inside SPI, under the active snapshot: reads all releases that are known whose
 * rows they have, has the method draft the next one, and has it judged once more, as
 * linkability() will.  Where nothing may be published that is an error.
 */
extern Draft *draft_in_sequence(const DeclaredPublication *publication, const LoadedFrame *loaded);

/* What all releases that are known whose rows they have tell of people together */
typedef struct Published
{
	uint32		people;			/* who were judged: in the last release, and what they were; or not in it any more */
	uint32		exposed;		/* of them, who are linked to less than was promised */
	double		least;			/* level of any; infinite if nobody is linked to anything */
	bool		is_contradicted;	/* nothing can be judged: insensitive values have changed */
} Published;

/*
 * The same for what was published, as publish() judged it: by these parameters, and by the joins that need no budget.
 * A release that is not as it was published is an error, as is a source that cannot be read.
 */
extern Published *judge_published(const DeclaredPublication *publication, const int64 *params);

#endif							/* PPREPUB_METHOD_SEQUENTIAL_SQL_SEQUENCE_H */

/*
 * inspect_release.h
 *		Looking at a release: is it what was published, and does it cover whom it
 *		says?
 */
#ifndef PPREPUB_CHECK_INSPECT_RELEASE_H
#define PPREPUB_CHECK_INSPECT_RELEASE_H

#include "postgres.h"

#include "answer/stored_answers.h"
#include "frame/load.h"
#include "history/recall.h"
#include "release/past_releases.h"

typedef struct Inspection
{
	bool		exists;			/* its table, or what is kept of answers, with the right columns */
	bool		is_intact;		/* by the checksum */
	uint64		rows;
	bool		is_logged;		/* class by class, the rows and values of the log */
	int64		unlogged_class;	/* where it is not: a class, or 0 */

	/* Members whose quasi-identifiers in the source are what they were then */
	uint64		unchanged;
	uint64		covered;		/* by the cells of their classes */
	int64		uncovered_class;	/* of one who is not */
	const char *uncovered_column;
} Inspection;

/* Where people are in the source now: [people of the log], NO_ROW for those who have left. */
extern RowId *find_people(const Recalled *recalled, const LoadedFrame *present);

/*
 * As the owner, under the active snapshot.  present: the source now, with the
 * columns that the release shows, or NULL if it is not to be looked at; and
 * where people are in it.  answers: what is kept of all of them.
 */
extern Inspection inspect_release(const DeclaredPublication *publication, const Released *released,
								  Recalled *recalled, const Answers *answers,
								  const LoadedFrame *present, const RowId *row_of_person);

#endif							/* PPREPUB_CHECK_INSPECT_RELEASE_H */

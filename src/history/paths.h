/*
 * paths.h
 *		The classes that the people of a source were in, in the codes of one
 *		frame: what methods see of the history that follow people one by one.
 *
 * A step is a person's row in a release: the class that it was in, and the
 * sensitive value that was shown.  Methods that ask for PAST_LAST get the last
 * step of each person only; those that ask for PAST_PATHS get all.  A person
 * without a step was never published.
 *
 * Classes are those that some person of the frame was in.  Invented rows are in
 * their values and sizes; they are of no person, and have no steps.
 *
 * A method that asks for PAST_PATHS may say that it does not need the steps of
 * people of whom little was disclosed: they have none here, though they were published.
 */
#ifndef PPREPUB_HISTORY_PATHS_H
#define PPREPUB_HISTORY_PATHS_H

#include "frame/frame.h"
#include "history/disclosure.h"

typedef struct Paths
{
	int32		releases;

	uint32		nclasses;
	int32	   *release;		/* [nclasses] 1, 2, … */
	uint64	   *first_value;	/* [nclasses + 1] the values of all rows of class c are from first_value[c] up to, not
								 * including, first_value[c + 1] */
	Code	   *value;			/* NO_CODE for NULL; in no order */

	uint64	   *first;			/* [rows of the frame + 1] the steps of row r are from first[r] up to, not including,
								 * first[r + 1], the oldest first */
	uint32	   *class;			/* [steps] */
	Code	   *shown;			/* [steps] */

	int32	   *disclosed;		/* [rows of the frame] by the classes of each, at the worst: see disclosure.h; with
								 * PAST_PATHS, else NULL */
} Paths;

static inline bool
paths_known(const Paths *paths, RowId row)
{
	return paths->first[row + 1] > paths->first[row];
}

/* The last step of a person who has one. */
static inline uint64
paths_last(const Paths *paths, RowId row)
{
	return paths->first[row + 1] - 1;
}

static inline uint64
paths_size(const Paths *paths, uint32 class)
{
	return paths->first_value[class + 1] - paths->first_value[class];
}

#endif							/* PPREPUB_HISTORY_PATHS_H */

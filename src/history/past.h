/*
 * past.h
 *		All that a method sees of the history: groups of places (places.h), or the paths of people, in the codes of one
 *		frame.
 *
 * For a method that does not ask for PAST_PLACES there are no groups; PAST_LAST or PAST_PATHS are found in the log.
 */
#ifndef PPREPUB_HISTORY_PAST_H
#define PPREPUB_HISTORY_PAST_H

#include "postgres.h"

#include "frame/frame.h"
#include "frame/update_sets.h"
#include "history/places.h"

/* ----------------------------------------------------------------
 * Paths: the classes that the people of a source were in, for methods that follow people one by one
 *
 * A step is a person's row in a release: the class that it was in, and the sensitive value that was shown.  Methods
 * that ask for PAST_LAST get the last step of each person only; those that ask for PAST_PATHS get all.  A person
 * without a step was never published.
 *
 * Classes are those that some person of the frame was in.  Invented rows are in
 * their values and sizes; they are of no person, and have no steps.
 * ----------------------------------------------------------------
 */

typedef struct Paths
{
	uint32		nclasses;
	uint64	   *first_value;	/* [nclasses + 1] the values of all rows of class c are from first_value[c] up to, not
								 * including, first_value[c + 1] */
	Code	   *value;			/* NO_CODE for NULL; in no order */

	uint64	   *first;			/* [rows of the frame + 1] the steps of row r are from first[r] up to, not including,
								 * first[r + 1], the oldest first */
	uint32	   *class;			/* [steps] */
	Code	   *shown;			/* [steps] */
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

/* ----------------------------------------------------------------
 * The values that classes of the past showed, with their counts
 *
 * All people of a class share its values, so the protected ones are counted once.  They are kept together with the
 * rest of what is needed of a class, since most of the time goes into waiting for memory.
 * ----------------------------------------------------------------
 */

typedef struct ShownValue
{
	Code		value;
	uint32		count;			/* rows that have it */
} ShownValue;

typedef struct ShownClass
{
	uint64		first;			/* index of the class's first value */
	uint32		nvalues;
	uint32		size;
	double		worst;			/* logarithm of the least kept_by() of its values */
} ShownClass;

typedef struct ShownClasses
{
	ShownClass *class;			/* [classes of the paths] */
	ShownValue *value;			/* protected values, class by class */
} ShownClasses;

/* Counts the values of all classes of the paths, in the current context. */
extern ShownClasses shown_classes(const Paths *paths, const Frame *frame);
extern void shown_free(ShownClasses *shown);

/* Returns the number of rows of a class that show a value. */
extern uint32 times_shown(const ShownClasses *shown, uint32 class, Code value);

/* Returns the share of the rows of a class that do not show a value. */
static inline double
kept_by(const ShownClass *class, const ShownValue *shown)
{
	return 1 - (double) shown->count / class->size;
}

/* ----------------------------------------------------------------
 * Companies: people of a source who were in a class together, in any release so far
 *
 * A company is a set of people who are in the source and were in one class; its other members, and when that was, are
 * not said.  Sets that were together in one release after the other are one company.  Methods that ask for
 * PAST_COMPANIES get those that are large enough to tell something: see method_declaration.h.
 * ----------------------------------------------------------------
 */

typedef struct Companies
{
	uint32		n;
	uint64	   *first;			/* [rows of the frame + 1] the companies of row r are from first[r] up to, not
								 * including, first[r + 1] */
	uint32	   *company;		/* [first[rows]] */
	uint32	   *releases;		/* [rows] the releases that a person was in */
} Companies;

typedef struct CompanyFinder CompanyFinder;

/* In the current context. */
extern CompanyFinder *companies_begin(uint64 nrows);

/* The person of a row was in a release. */
extern void companies_count(CompanyFinder *finder, RowId row);

/* The people of these rows were in one class.  Classes come release by release, so that a company that stayed together is noticed. */
extern void companies_add(CompanyFinder *finder, const RowId *rows, uint32 n);

extern const Companies *companies_end(CompanyFinder *finder);

/* ----------------------------------------------------------------
 * The past
 * ----------------------------------------------------------------
 */

typedef struct Past
{
	int32		releases;		/* 0 for an empty past */
	const Places *places;		/* NULL if the method does not want them; never NULL if it does */
	const bool *is_away;		/* [places] the holder was not in the source when the group was shown last; NULL where
								 * nobody was away */
	const bool *has_moved;		/* [rows of the frame] are the quasi-identifiers of the holder of a place others than
								 * when the group was shown last?  NULL where that is not known, or nobody has */
	const Paths *paths;			/* NULL if the method does not want them */
	const Companies *companies; /* the same */
	const Updates *updates;		/* what values can become, as observers know; NULL where nothing was declared */
	const bool *is_mixed;		/* [rows of the frame] people whose classes strict does not know: see find_mixed();
								 * NULL if there are none */
	bool		was_weaker;		/* was some release made under a weaker principle, or elsewhere? */
	bool		is_whole;		/* is the frame all of the source, so that holders without a row have left? */
	bool		is_answer;		/* is it for an analyst?  Then nobody moves, and nobody has left for good */
	bool		founds_none;	/* an answer, when a release of everybody is out: newcomers take free places, or wait */
} Past;

/* The past as it is read for the same frame after this was shown as the release of this number (places_after.c). */
extern Past *past_after(const Past *past, const Frame *frame, const ShownPlaces *showing, int32 release);

#endif							/* PPREPUB_HISTORY_PAST_H */

/*
 * past.h
 *		The groups of people that observers of all releases so far can tell
 *		apart, in the codes of one frame: all that a method sees of the history.
 *
 * A neighborhood is a set of people whom no observer can separate: they were in the same class of each release, or in
 * none of it.  Everything that intersections and differences of releases reveal is a union of neighborhoods, so under
 * a monotonous principle it is enough to look at these.
 *
 * Its members are those who were ever published in it, in the source now or not; a counterfeit row, whether it stands
 * for a person or not, is a member like any other.  Neighborhoods none of whose members is in the source may be left
 * out, and of a release of all of the source those of which the method says that they are lost (smallest_parted): who
 * of them is in the source is known.
 *
 * For a method that does not ask for PAST_NEIGHBORHOODS there are no
 * neighborhoods; PAST_LAST or PAST_PATHS are found in paths.
 */
#ifndef PPREPUB_HISTORY_PAST_H
#define PPREPUB_HISTORY_PAST_H

#include "postgres.h"

#include "frame/frame.h"
#include "frame/update_sets.h"

/* ----------------------------------------------------------------
 * Disclosure: how much classes have disclosed of a person, at the worst
 *
 * Of a class of n rows, c of which have a value, all readers know that a person in it has that value with the chance
 * of c in n: 1 - c/n is kept of the secret.  The class discloses minus the logarithm of that, for the protected value
 * that it has most often; and the sum of what all classes of a person have disclosed is no less than they disclosed
 * of any single value.  So of most people one number says that no class of the past need be looked at.
 *
 * It is a whole number, so that it is the same wherever and however it is computed: of units, each class rounded up.
 * The logarithm is an integral of 1 / (1 - x), which lies below its chord: of x = c/n no more is disclosed than the
 * mean of x and x / (1 - x).
 * ----------------------------------------------------------------
 */

#define DISCLOSURE_UNIT (1 << 24)	/* a logarithm of 1 */
#define DISCLOSURE_ALL PG_INT32_MAX /* nothing may be kept */

static inline int64
half_of_ratio(uint32 count, uint32 size)
{
	return ((int64) count * (DISCLOSURE_UNIT / 2) + size - 1) / size;
}

/* By a class of a size that has no value of those protected oftener than so. */
static inline int32
disclosure_by_class(uint32 most, uint32 size)
{
	if (most == size)
		return DISCLOSURE_ALL;
	return (int32) Min(half_of_ratio(most, size) + half_of_ratio(most, size - most), DISCLOSURE_ALL);
}

/* By a class after others. */
static inline int32
disclosure_in_all(int32 before, int32 by_class)
{
	return before > DISCLOSURE_ALL - by_class ? DISCLOSURE_ALL : before + by_class;
}

/* ----------------------------------------------------------------
 * Paths: the classes that the people of a source were in, for methods that follow people one by one
 *
 * A step is a person's row in a release: the class that it was in, and the sensitive value that was shown.  Methods
 * that ask for PAST_LAST get the last step of each person only; those that ask for PAST_PATHS get all.  A person
 * without a step was never published.
 *
 * Classes are those that some person of the frame was in.  Invented rows are in
 * their values and sizes; they are of no person, and have no steps.
 *
 * A method that asks for PAST_PATHS may say that it does not need the steps of
 * people of whom little was disclosed: they have none here, though they were published.
 * ----------------------------------------------------------------
 */

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

	int32	   *disclosed;		/* [rows of the frame] by the classes of each, at the worst; with PAST_PATHS, else NULL */
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

/*
 * Prefetch the class of a step, and then its values: callers that go through
 * one person after the other do so for people to come.
 */
static inline void
await_class(const ShownClasses *shown, const Paths *paths, uint64 step)
{
	__builtin_prefetch(&shown->class[paths->class[step]]);
}

static inline void
await_values(const ShownClasses *shown, const Paths *paths, uint64 step)
{
	const ShownClass *class = &shown->class[paths->class[step]];

	for (uint32 i = 0; i < class->nvalues; i += PG_CACHE_LINE_SIZE / 2 / sizeof(ShownValue))
		__builtin_prefetch(&shown->value[class->first + i]);
}

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

#define NO_NEIGHBORHOOD PG_UINT32_MAX
#define NO_MEMBER PG_UINT64_MAX
#define LOST_MEMBER (PG_UINT64_MAX - 1)

/* Had a person a row of its own when its value was shown last?  A neighborhood keeps 1 minus it as a number, 0 or -1. */
typedef enum Absence
{
	WAS_THERE,
	WAS_AWAY,					/* or a row has stood in for it since then, where no values were shown */
	NEVER_TOLD					/* no release has shown values of its neighborhood */
} Absence;

typedef struct Past
{
	int32		releases;		/* 0 for an empty past; all else but paths and companies is NULL then */
	const Paths *paths;			/* NULL if the method does not want them */
	const Companies *companies; /* the same */
	const Updates *updates;		/* what values can become, as observers know; NULL where nothing was declared */
	const bool *is_mixed;		/* [rows of the frame] people whose classes strict does not know: see find_mixed();
								 * NULL if there are none */

	/* Neighborhoods */
	uint32		nneighborhoods;
	uint64	   *first;			/* [nneighborhoods + 1] n's members are first[n] up to, not including, first[n + 1] */
	RowId	   *row;			/* [members] the member's row now, or NO_ROW */

	/*
	 * Sensitive values as they were published, NO_CODE for NULL.  An epoch is a release, or several releases that
	 * showed the same values of all members; the epoch of the newest release comes last.
	 */
	uint64	   *first_value;	/* [nneighborhoods + 1] */
	Code	   *value;			/* epoch by epoch, member by member */

	uint64	   *member;			/* [rows of the frame] or NO_MEMBER of a person who was never published in any, or
								 * LOST_MEMBER */
	uint32		nlost;			/* neighborhoods */

	/* Rows that were invented, as far as methods ask; who is one is not kept */
	const bool *is_filled;		/* [nneighborhoods] with rows that stand for nobody, when it came; or NULL where none
								 * was */
	bool		is_loose;		/* did rows stand in for people beside new values, in some release? */
	const uint8 *absence;		/* [members] an Absence each; NULL where nobody was away */

	/* How fast people leave, as far as it is known */
	bool		is_whole;		/* is the frame all of the source, so that members without a row have left? */
	uint64		departed;		/* people who have left, if it is */
	uint64		exposed;		/* people of the source at each stored release of all of it, added up */
} Past;

static inline uint64
past_size(const Past *past, uint32 neighborhood)
{
	return past->first[neighborhood + 1] - past->first[neighborhood];
}

static inline uint64
past_epochs(const Past *past, uint32 neighborhood)
{
	return (past->first_value[neighborhood + 1] - past->first_value[neighborhood]) /
		past_size(past, neighborhood);
}

static inline bool
past_is_filled(const Past *past, uint32 neighborhood)
{
	return past->is_filled != NULL && past->is_filled[neighborhood];
}

static inline Absence
past_absence(const Past *past, uint64 member)
{
	return past->absence == NULL ? WAS_THERE : past->absence[member];
}

static inline bool
past_is_untold(const Past *past, uint32 neighborhood)
{
	return past->absence != NULL &&
		memchr(past->absence + past->first[neighborhood], NEVER_TOLD, past_size(past, neighborhood)) != NULL;
}

/* After a release: where it shows no values, nobody comes back. */
static inline Absence
absence_after(Absence before, bool shows_no_value, bool stands_in)
{
	if (shows_no_value && before == NEVER_TOLD)
		return NEVER_TOLD;
	return stands_in ? WAS_AWAY : shows_no_value ? before : WAS_THERE;
}

/* Likewise, of a member or, if that is NO_MEMBER, of somebody new. */
static inline Absence
past_absence_after(const Past *past, const Frame *frame, uint64 member, bool stands_in)
{
	return absence_after(member == NO_MEMBER ? NEVER_TOLD : past_absence(past, member), frame->shows_no_value, stands_in);
}

/* The values published of all members in an epoch: [members of the neighborhood]. */
static inline const Code *
past_values(const Past *past, uint32 neighborhood, uint64 epoch)
{
	return past->value + past->first_value[neighborhood] + epoch * past_size(past, neighborhood);
}

/* ----------------------------------------------------------------
 * Epochs: the values that are remembered of people of one neighborhood, when a release parts them from the others
 *
 * These rules are followed by the fold, which is written, and by forecasts, which are not.
 * ----------------------------------------------------------------
 */

/* People of one neighborhood, or newcomers, whom a release shows together, or leaves out together. */
typedef struct Parted
{
	uint32		parent;			/* or NO_NEIGHBORHOOD */
	uint64		size;
	const uint64 *member;		/* [size] index in the past, if there is a parent */
	const Code *shown;			/* [size] values in the release; NULL if it shows none */
	const uint8 *absence;		/* [size] an Absence each, after the last release of them; NULL where nobody is away */
} Parted;

/* Are they a whole neighborhood, shown with the values of its last epoch, rows standing in for the same people?  Then all stays as it was. */
extern bool parted_is_unchanged(const Past *past, const Parted *people);

/* Have they always been shown with the values of this release? */
extern bool parted_is_one_epoch(const Past *past, const Parted *people);

/*
 * Lists their epochs: those of the parent, and the release's own if it shows them; no two are alike, and the newest
 * comes last.  values has room for one more epoch than the parent has.  Returns their number.
 */
extern uint64 parted_epochs(const Past *past, const Parted *people, Code *values);

#endif							/* PPREPUB_HISTORY_PAST_H */

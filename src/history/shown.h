/*
 * shown.h
 *		The values that classes of the past showed, with their counts.
 *
 * All people of a class share its values, so the protected ones are counted
 * once.  They are kept together with the rest of what is needed of a class, since
 * most of the time goes into waiting for memory.
 */
#ifndef PPREPUB_HISTORY_SHOWN_H
#define PPREPUB_HISTORY_SHOWN_H

#include "history/paths.h"

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

#endif							/* PPREPUB_HISTORY_SHOWN_H */

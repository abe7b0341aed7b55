/*
 * shown.h
 *		What the classes of the past showed, value by value.
 *
 * Everybody in a class has the same to look at, so its protected values are
 * counted once, and stand together with all that is asked of a class: most of
 * the time goes in waiting for what lies here and there in memory.
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
	uint64		first;			/* its values are from here on */
	uint32		nvalues;
	uint32		size;
	double		worst;			/* log of what is kept of the secret that is kept least */
} ShownClass;

typedef struct ShownClasses
{
	ShownClass *class;			/* [classes of the paths] */
	ShownValue *value;			/* those that are protected */
} ShownClasses;

/*
 * Has memory bring what is known of a step's class, and then its values, while
 * something else is done: who looks at one person after the other says so of
 * those to come.
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

/* In the current context. */
extern ShownClasses shown_classes(const Paths *paths, const Frame *frame);
extern void shown_free(ShownClasses *shown);

/* How many rows of a class have a value. */
extern uint32 times_shown(const ShownClasses *shown, uint32 class, Code value);

/* How much of a secret is kept by a class that shows it. */
static inline double
kept_by(const ShownClass *class, const ShownValue *shown)
{
	return 1 - (double) shown->count / class->size;
}

#endif							/* PPREPUB_HISTORY_SHOWN_H */

/*
 * global.h
 *		How large classes are, release after release, so that a person can be
 *		linked to the same value again and again: section 6 of Wong, Fu, Liu,
 *		Wang, Xu: Preserving Individual Privacy in Serial Data Publishing.
 *
 * A class of n rows, c of which have a value, has the ratio n / c for it.  A person
 * who was in classes of ratios r1, r2, … was never linked to the value with the
 * chance (1 - 1/r1) (1 - 1/r2) …: that much of the secret is kept.  It must not
 * become less than 1 - 1/l.
 */
#ifndef PPREPUB_METHOD_GLOBAL_GLOBAL_H
#define PPREPUB_METHOD_GLOBAL_GLOBAL_H

#include "history/past.h"
#include "partition/grow.h"

typedef enum StrategyKind
{
	CONSTANT_RATIO,				/* the same in each of so many releases */
	GEOMETRIC					/* alpha times what would do if there were no release to come */
} StrategyKind;

typedef struct Strategy
{
	StrategyKind kind;
	uint32		l;
	uint32		releases;		/* CONSTANT_RATIO: that are expected to link a person to a value */
	double		alpha;			/* GEOMETRIC: more than 1 */
} Strategy;

/* The least of a secret that must be kept. */
static inline double
least_kept(const Strategy *strategy)
{
	return 1 - 1.0 / strategy->l;
}

/* The ratio demanded of the first class that links a person to a value, and the least of all after it. */
extern double first_ratio(const Strategy *strategy);

/* The ratio demanded of the next class where so much is kept; infinite if nothing keeps the promise any more. */
extern double next_ratio(const Strategy *strategy, double kept);

/* Where so much of a secret is kept, no more is demanded of its value than all do. */
extern double enough_kept(const Strategy *strategy);

/*
 * demands.c: demands of the people of a frame on their classes, after all that linked them
 * to values before.  Everything is allocated in the current context; frame, paths (or NULL) and
 * strategy are borrowed.
 */
extern const Ratios *demands_of(const Frame *frame, const Paths *paths, const Strategy *strategy);

/* Can no class whatsoever link the row to its value any more? */
extern bool is_exhausted(const Ratios *ratios, RowId row);

#endif							/* PPREPUB_METHOD_GLOBAL_GLOBAL_H */

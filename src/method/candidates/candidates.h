/*
 * candidates.h
 *		What the methods share that show everybody among the same candidate
 *		values for ever: m-invariance and cor-split.
 */
#ifndef PPREPUB_METHOD_CANDIDATES_CANDIDATES_H
#define PPREPUB_METHOD_CANDIDATES_CANDIDATES_H

#include "method/method.h"
#include "partition/buckets.h"

/* A draft in the making: class after class. */
typedef struct Drafting
{
	const Frame *frame;
	Draft	   *draft;
	uint32		classes_allocated;
	uint64		counterfeits_allocated;
	RowId	   *rows;			/* of the class at hand */
	uint64		nrows;
	uint64		rows_allocated;
} Drafting;

/* In the current context, in which the draft stays. */
extern Drafting *drafting_create(const Frame *frame, uint32 m);

/* The cells of a set for the class at hand: rows, and counterfeits where there are none. */
extern void drafting_add_set(Drafting *drafting, const RowId *cell, const Code *values, uint32 n);
extern void drafting_add_counterfeits(Drafting *drafting, const Code *values, uint32 n);

/* The class at hand is whole. */
extern void drafting_end_class(Drafting *drafting);

/*
 * Section 3 of paper 004, of somebody who is in so many releases, where each
 * person is compromised with probability p, and correlated sets have n people:
 * that a value is excluded by people who are known, and by correlations; and that
 * all but one are.  Estimates: correlations are taken one by one.
 */
extern double exclusion_by_compromise(double p, int64 lifespan);
extern double exclusion_by_correlation(double p, uint32 m, uint32 n, int64 lifespan);
extern double breach_probability(double p, uint32 m, uint32 n, int64 lifespan);

/* The smallest n that keeps the probability of a breach below the threshold, or 0: paper 004, Figure 3. */
extern uint32 n_choose(double p, int64 lifespan, uint32 m, double threshold);

/* The n that a publication of method cor-split is safe with: as given, or as chosen. */
extern uint32 cor_degree(const int64 *params);

/* The least threshold that is not below the probability of a breach with any n. */
extern double least_threshold(double p, int64 lifespan, uint32 m);

#endif							/* PPREPUB_METHOD_CANDIDATES_CANDIDATES_H */

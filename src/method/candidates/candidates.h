/*
 * candidates.h
 *		Code shared by the methods that show each person among the same candidate
 *		values for ever: m-invariance and cor-split.
 */
#ifndef PPREPUB_METHOD_CANDIDATES_CANDIDATES_H
#define PPREPUB_METHOD_CANDIDATES_CANDIDATES_H

#include "method/drafting.h"
#include "partition/signature_buckets.h"

/* The cells of a set for the class at hand: rows, and invented ones where there are none. */
extern void add_set(Drafting *drafting, const RowId *cell, const Code *values, uint32 n);
extern void add_invented_set(Drafting *drafting, const Code *values, uint32 n);

/*
 * Section 3 of paper 004, of a person who is in so many releases, where each
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

/*
 * candidates.h
 *		The methods that show each person among the same candidate values for ever:
 *		m-invariance and cor-split.
 */
#ifndef PPREPUB_METHOD_CANDIDATES_CANDIDATES_H
#define PPREPUB_METHOD_CANDIDATES_CANDIDATES_H

#include "history/past.h"
#include "method/method.h"

/* The cells of a set for the class at hand: rows, and invented ones where there are none. */
extern void add_set(Drafting *drafting, const RowId *cell, const Code *values, uint32 n);

/*
 * How likely it is that all candidate values of a person but one are excluded, where the person is in so many releases,
 * each person is compromised with probability p, and correlated sets have n people: section 3 of paper 004.  An
 * estimate: it does not see what follows from several correlations together.
 */
extern double breach_estimate(double p, uint32 m, uint32 n, int64 lifespan);

/* The smallest n that keeps the estimate below the threshold, or 0: paper 004, Figure 3. */
extern uint32 n_choose(double p, int64 lifespan, uint32 m, double threshold);

/* The n that a publication of method cor-split is safe with: as given, or as chosen. */
extern uint32 cor_degree(const int64 *params);

/*
 * By how many people in all a class has too many in common with earlier ones: 0 if it is hc-safe.  rows[nrows] are its
 * people, size counts counterfeits, too; count[companies] are zeros between two questions.  The time that it takes
 * grows with how often these people were in other company.
 */
extern uint64 hc_excess(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, uint32 n, uint32 *count);

#endif							/* PPREPUB_METHOD_CANDIDATES_CANDIDATES_H */

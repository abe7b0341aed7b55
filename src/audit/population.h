/*
 * population.h
 *		From a sample to the population that it was drawn from: how many people are
 *		alone there, by models of the literature.
 *
 * A release is taken for a simple random sample, without replacement, of the
 * people of a population.  docs/howto/risks.md says what that is worth.
 */
#ifndef PPREPUB_AUDIT_POPULATION_H
#define PPREPUB_AUDIT_POPULATION_H

#include "postgres.h"

/* How many classes have each size: frequencies of frequencies. */
typedef struct SizeCounts
{
	uint32		n;
	uint64	   *size;			/* [n] ascending, none of them 0 */
	uint64	   *classes;		/* [n] */
} SizeCounts;

/* Counts classes by their size; those of size 0 are none. */
extern SizeCounts count_sizes(const uint64 *size, uint32 n);

/* All rows, and all classes. */
extern uint64 counted_rows(const SizeCounts *counts);
extern uint64 counted_classes(const SizeCounts *counts);

/* ----------------------------------------------------------------
 * Pitman's model, as Hoshino (2001) fits it: a superpopulation whose classes are
 * those of a two-parameter Chinese restaurant.  With alpha = 0 it is Ewens's, whose
 * limit is the log-series model.
 * ----------------------------------------------------------------
 */

typedef struct Pitman
{
	double		alpha;			/* from 0 to less than 1 */
	double		concentration;	/* theta + alpha, greater than 0 */
} Pitman;

/* Finds the likeliest parameters.  False where there are none inside the model: nobody is alone, or everybody, or all are one class. */
extern bool pitman_fit(const SizeCounts *counts, Pitman *pitman);

/* The log of the likelihood, but for what does not depend on the parameters. */
extern double pitman_likelihood(const Pitman *pitman, const SizeCounts *counts);

/* How many of so many people are expected to be alone. */
extern double pitman_alone(const Pitman *pitman, uint64 people);

/* How likely somebody who is alone in a sample is alone in the population. */
extern double pitman_stays_alone(const Pitman *pitman, uint64 sample, uint64 population);

/* ----------------------------------------------------------------
 * The individual risk of Benedetti and Franconi (1998)
 * ----------------------------------------------------------------
 */

/*
 * The mean of 1/F, where the population has F people of a class of which so many are in
 * a sample that is this share of the population: F has a negative binomial distribution.
 */
extern double expected_risk(uint64 size, double share);

#endif							/* PPREPUB_AUDIT_POPULATION_H */

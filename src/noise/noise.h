/*
 * noise.h
 *		Noise for figures, drawn exactly, and what it costs.
 *
 * Noise is drawn by integers alone, after Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy"
 * (2020): sampling that rounds somewhere gives figures away that differential privacy hides, by their last bits.  Bits come
 * from the strong random source, and none of it is drawn where that fails.  Nothing here takes a figure as an argument, so
 * neither noise, nor the time that it takes, nor its errors follow data.
 *
 * Time must not tell much of the noise, either, or it could be taken off again.  A draw is topped up to a number of trials,
 * which hardly any exceeds.  Trials take about, and not precisely, the same time: answers that must hide
 * microseconds need pprepub.answer_time_grid.
 *
 * Errors have no other cause than parameters out of range, a random source that fails, or noise that is more than 100 times
 * its scale, which is less likely than e^-100.
 */
#ifndef PPREPUB_NOISE_H
#define PPREPUB_NOISE_H

#include "postgres.h"

#include "compat.h"

/* A positive rational number.  Functions that take one refuse numbers that are 0 or above RATIO_MOST. */
typedef struct Ratio
{
	uint64		num;
	uint64		den;
} Ratio;

#define RATIO_MOST	(UINT64CONST(1) << 55)

/* An integer x with probability proportional to e^(-|x| / scale), or to e^(-x^2 / (2 variance)): exactly. */
extern int64 noise_laplace(Ratio scale);
extern int64 noise_gaussian(Ratio variance);

/* With probability 0.95 or more, noise is not farther from 0: the least such integer, or one hardly larger. */
extern int64 noise_half_width(bool gaussian, Ratio parameter);

/*
 * The scale of the noise that keeps a promise of epsilon, or the variance that keeps one of rho (zero-concentrated), for
 * figures that one person changes by so much, all together: by the sum of changes for Laplace, of their squares for Gauss.
 * Each figure gets noise of its own.  Where the exact number does not fit a Ratio, it is the one above that is next to it; an
 * error where none is: sums of large numbers are to be counted in a larger unit.
 */
extern Ratio noise_of_promise(bool gaussian, uint64 change, Ratio promise);

/* Budgets and costs are integers in units of 0.000000001, so that sums are exact. */
#define COST_UNITS	UINT64CONST(1000000000)

/* The epsilon that holds at this delta, between 0 and 1, after costs of rho.  For people: nothing is decided by it. */
extern double epsilon_at_delta(int64 rho, double delta);

/*
 * For tests.  Gives n random bits, at most 64: tests put their own here.  How many trials the draw has taken.  True with
 * probability e^(-num / den).
 */
extern uint64 (*noise_bits) (int n);
extern uint64 noise_trials;
extern bool bernoulli_exp(uint128 num, uint128 den);

/* An error: out of range.  The second one, if the ratio is. */
pg_noreturn extern void refuse_noise(void);
extern void check_ratio(Ratio ratio);

#endif							/* PPREPUB_NOISE_H */

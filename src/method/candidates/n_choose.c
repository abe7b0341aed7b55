/*
 * n_choose.c
 *		How large correlated sets must be: Figure 3 of paper 004.
 *
 * NOTES
 *		The probability of Theorem 2 is an estimate: it does not see what follows
 *		from several correlations together.
 */
#include "postgres.h"

#include <math.h>

#include "method/candidates/candidates.h"

double
exclusion_by_compromise(double p, int64 lifespan)
{
	return 1 - pow(1 - p, lifespan);
}

double
exclusion_by_correlation(double p, uint32 m, uint32 n, int64 lifespan)
{
	return 1 - pow(1 - pow(p - p / m, n), (double) lifespan * (m / n));
}

double
breach_probability(double p, uint32 m, uint32 n, int64 lifespan)
{
	double		kept = (1 - exclusion_by_compromise(p, lifespan)) * (1 - exclusion_by_correlation(p, m, n, lifespan));

	return pow(1 - kept, m - 1);
}

uint32
n_choose(double p, int64 lifespan, uint32 m, double threshold)
{
	for (uint32 n = 1; n <= m; n++)
		if (breach_probability(p, m, n, lifespan) < threshold)
			return n;
	return 0;
}

double
least_threshold(double p, int64 lifespan, uint32 m)
{
	double		least = 1;

	for (uint32 n = 1; n <= m; n++)
		least = Min(least, breach_probability(p, m, n, lifespan));
	return least;
}

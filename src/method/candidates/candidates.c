/*
 * candidates.c
 *		Sets of cells in classes of a draft, and how large correlated sets must be.
 */
#include "postgres.h"

#include <math.h>

#include "method/candidates/candidates.h"

void
add_set(Drafting *drafting, const RowId *cell, const Code *values, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		if (cell[i] != NO_ROW)
			drafting_add_rows(drafting, &cell[i], 1);
		else
			*drafting_invent(drafting, 1) = values[i];
}

void
add_invented_set(Drafting *drafting, const Code *values, uint32 n)
{
	memcpy(drafting_invent(drafting, n), values, sizeof(Code) * n);
}

/* ----------------------------------------------------------------
 * How large correlated sets must be: Figure 3 of paper 004
 *
 * The probability of Theorem 2 is an estimate: it does not see what follows
 * from several correlations together.
 *
 * It falls, or stays, as n rises: more people correlate less likely, and fewer
 * sets of them fit into a class.  So the least there is, is that of n = m, and
 * the smallest n that will do is found by halving.
 * ----------------------------------------------------------------
 */

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
	uint32		too_small = 0;
	uint32		enough = m;

	if (least_threshold(p, lifespan, m) >= threshold)
		return 0;
	while (enough - too_small > 1)
	{
		uint32		n = too_small + (enough - too_small) / 2;

		if (breach_probability(p, m, n, lifespan) < threshold)
			enough = n;
		else
			too_small = n;
	}
	return enough;
}

double
least_threshold(double p, int64 lifespan, uint32 m)
{
	return breach_probability(p, m, m, lifespan);
}

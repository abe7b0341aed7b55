/*
 * cost.c
 *		How much noise a promise needs, and what it costs.
 */
#include "noise/noise.h"

#include <math.h>

/* ---- Rational numbers ---- */

/* The number, or where it does not fit, the one above that is next to it; den is at most 2 RATIO_MOST, so products fit. */
static Ratio
ratio_above(uint128 num, uint128 den)
{
	uint128		a = num;
	uint128		b = den;

	while (b > 0)
	{
		uint128		rest = a % b;

		a = b;
		b = rest;
	}
	num /= a;
	den /= a;
	if (num > RATIO_MOST || den > RATIO_MOST)
	{
		uint128		fits = Min(RATIO_MOST, RATIO_MOST * den / num);

		if (fits == 0)
			refuse_noise();
		num = num / den * fits + (num % den * fits + den - 1) / den;
		den = fits;
	}
	return (Ratio) {(uint64) num, (uint64) den};
}

/* ---- How much noise ---- */

Ratio
noise_of_promise(bool gaussian, uint64 change, Ratio promise)
{
	check_ratio(promise);
	check_ratio((Ratio) {change, 1});
	return ratio_above((uint128) change * promise.den, (uint128) promise.num * (gaussian ? 2 : 1));
}

/* ---- What it costs ---- */

double
epsilon_at_delta(int64 rho, double delta)
{
	double		exact = (double) rho / COST_UNITS;

	if (rho < 0 || !(delta > 0 && delta < 1))
		refuse_noise();
	return (exact + 2 * sqrt(exact * -log(delta))) * (1 + 1e-12);
}

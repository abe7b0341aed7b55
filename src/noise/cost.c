/*
 * cost.c
 *		How much noise a promise needs, and what it costs.
 */
#include "noise/noise.h"

#include <math.h>

#define LEAST_UNITS		(COST_UNITS / 1000000)
#define MOST_UNITS		(COST_UNITS * 100)

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

bool
ratio_of_text(const char *decimal, Ratio *ratio)
{
	uint64		units = 0;
	uint64		unit = COST_UNITS;
	bool		is_fraction = false;

	for (const char *c = decimal; *c != '\0'; c++)
	{
		if (*c == '.' && !is_fraction && c > decimal && c[1] != '\0')
		{
			is_fraction = true;
			continue;
		}
		if (*c < '0' || *c > '9')
			return false;
		if (is_fraction)
			unit /= 10;
		if (unit == 0 && *c != '0')
			return false;
		units = (is_fraction ? units : units * 10) + (*c - '0') * unit;
		if (units > MOST_UNITS)
			return false;
	}
	if (units < LEAST_UNITS)
		return false;
	*ratio = ratio_above(units, COST_UNITS);
	return true;
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

static int64
cost_above(uint128 num, uint128 den)
{
	uint128		cost = num / den + (num % den > 0);

	if (cost > PG_INT64_MAX)
		refuse_noise();
	return (int64) cost;
}

int64
cost_of_laplace(Ratio epsilon, bool concentrated)
{
	check_ratio(epsilon);
	if (!concentrated)
		return cost_above((uint128) epsilon.num * COST_UNITS, epsilon.den);
	/* Their squares, times the units, must not exceed 2^128. */
	if (epsilon.num > UINT64CONST(1) << 48 || epsilon.den > UINT64CONST(1) << 48)
		refuse_noise();
	return cost_above((uint128) epsilon.num * epsilon.num * COST_UNITS, (uint128) 2 * epsilon.den * epsilon.den);
}

int64
cost_of_gaussian(Ratio rho)
{
	return cost_of_laplace(rho, false);
}

bool
cost_fits(int64 spent, int64 cost, int64 limit)
{
	return cost > 0 && spent >= 0 && limit >= spent && cost <= limit - spent;
}

double
epsilon_at_delta(int64 rho, double delta)
{
	double		exact = (double) rho / COST_UNITS;

	if (rho < 0 || !(delta > 0 && delta < 1))
		refuse_noise();
	return (exact + 2 * sqrt(exact * -log(delta))) * (1 + 1e-12);
}

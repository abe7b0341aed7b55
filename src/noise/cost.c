/*
 * cost.c
 *		How much noise a promise needs, how wide noise is, and what it costs.
 */
#include "noise/noise.h"

#include <math.h>

#define LEAST_UNITS		(COST_UNITS / 1000000)
#define MOST_UNITS		(COST_UNITS * 100)

/* Floating point errs by less. */
#define GRAIN	1e-12

/* Of deviations above this, a bound is close enough to the sum. */
#define SUMMED_DEVIATION 1000.0

void
refuse_noise(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("noise of this size cannot be drawn"),
			 errhint("Count sums in a larger unit, or ask for less precision.")));
}

void
check_ratio(Ratio ratio)
{
	if (ratio.num == 0 || ratio.den == 0 || ratio.num > RATIO_MOST || ratio.den > RATIO_MOST)
		refuse_noise();
}

/* ---- Rational numbers ---- */

/* The number, or where it does not fit, one a little above */
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
	while (num > RATIO_MOST || den > RATIO_MOST)
	{
		num = num / 2 + num % 2;
		den /= 2;
	}
	if (den == 0)
		refuse_noise();
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
laplace_scale(uint64 sensitivity, Ratio epsilon)
{
	check_ratio(epsilon);
	check_ratio((Ratio) {sensitivity, 1});
	return ratio_above((uint128) sensitivity * epsilon.den, epsilon.num);
}

Ratio
gaussian_variance(uint64 sensitivity, Ratio rho)
{
	check_ratio(rho);
	/* Their square, times a number up to RATIO_MOST, must not exceed 2^128. */
	if (sensitivity == 0 || sensitivity > UINT64CONST(1) << 36)
		refuse_noise();
	return ratio_above((uint128) sensitivity * sensitivity * rho.den, (uint128) 2 * rho.num);
}

/* ---- How wide it is: an interval is for people, so floating point does, with a grain to spare ---- */

/* Farther than w are, on both sides together, 2 r^(w + 1) / (1 + r), where r = e^(-1 / scale). */
static double
half_width_of_laplace(double scale)
{
	return scale * log(40.0 / (1.0 + exp(-1.0 / scale))) * (1 + GRAIN) - 1.0;
}

/* A large deviation: farther than w are not more than of a normal distribution from w on (the paper's proposition 25). */
static double
half_width_of_gaussian(double variance)
{
	double		within = 1.0;
	double		all = 1.0;
	double		weight;
	double		w = 0;

	if (variance > SUMMED_DEVIATION * SUMMED_DEVIATION)
		return 1.959963984540055 * sqrt(variance);
	for (double x = 1; (weight = exp(-x * x / (2 * variance))) > 1e-20; x++)
		all += 2 * weight;
	while (within < all * 0.95 * (1 + GRAIN))
	{
		w++;
		within += 2 * exp(-w * w / (2 * variance));
	}
	return w;
}

int64
noise_half_width(bool gaussian, Ratio parameter)
{
	double		value;
	double		width;

	check_ratio(parameter);
	value = (double) parameter.num / parameter.den;
	width = gaussian ? half_width_of_gaussian(value) : half_width_of_laplace(value);
	return (int64) ceil(Max(width, 0.0));
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
	return (exact + 2 * sqrt(exact * -log(delta))) * (1 + GRAIN);
}

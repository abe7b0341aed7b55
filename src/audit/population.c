/*
 * population.c
 *		Pitman's model, and the mean risk of a sample.
 *
 * NOTES
 *		Sums over people and classes are taken by the formula of Euler and Maclaurin
 *		behind their first terms, so they cost the same for a hundred and for a
 *		billion people.  The error is below that of the arithmetic.
 */
#include "audit/population.h"

#include <math.h>

#include "frame/arrays.h"
#include "miscadmin.h"

/* ----------------------------------------------------------------
 * Sizes
 * ----------------------------------------------------------------
 */

static int
compare_sizes(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return (x > y) - (x < y);
}

SizeCounts
count_sizes(const uint64 *size, uint32 n)
{
	SizeCounts	counts = {.size = new_array(uint64, n), .classes = new_array(uint64, n)};
	uint64	   *sorted = new_array(uint64, n);

	CHECK_FOR_INTERRUPTS();
	if (n > 0)
		memcpy(sorted, size, sizeof(uint64) * n);
	qsort(sorted, n, sizeof(uint64), compare_sizes);
	for (uint32 i = 0; i < n; i++)
	{
		if (sorted[i] == 0)
			continue;
		if (counts.n == 0 || counts.size[counts.n - 1] != sorted[i])
		{
			counts.size[counts.n] = sorted[i];
			counts.classes[counts.n++] = 0;
		}
		counts.classes[counts.n - 1]++;
	}
	pfree(sorted);
	return counts;
}

uint64
counted_rows(const SizeCounts *counts)
{
	uint64		rows = 0;

	for (uint32 i = 0; i < counts->n; i++)
		rows += counts->size[i] * counts->classes[i];
	return rows;
}

uint64
counted_classes(const SizeCounts *counts)
{
	uint64		classes = 0;

	for (uint32 i = 0; i < counts->n; i++)
		classes += counts->classes[i];
	return classes;
}

/* ----------------------------------------------------------------
 * Sums of log(a + s i) and of 1 / (a + s i), i from 0 up to, not including, m
 * ----------------------------------------------------------------
 */

#define FIRST_TERMS 32

/* log(1 + x) / x */
static double
slope_of_log(double x)
{
	return x < 1e-12 ? 1 - x / 2 : log1p(x) / x;
}

/* Sums logs: the first terms one by one, the others as an integral with its corrections. */
static double
sum_of_logs(double a, double s, double m)
{
	double		sum = 0;
	double		b;

	for (int i = 0; i < FIRST_TERMS && m > 0; i++, m--, a += s)
		sum += log(a);
	if (m <= 0)
		return sum;
	b = a + s * m;
	return sum + m * (log(b) - 1 + slope_of_log(s * m / a)) - (log(b) - log(a)) / 2 +
		(s / b - s / a) / 12 - (pow(s / b, 3) - pow(s / a, 3)) / 360;
}

/* Sums reciprocals likewise. */
static double
sum_of_reciprocals(double a, double s, double m)
{
	double		sum = 0;
	double		b;

	for (int i = 0; i < FIRST_TERMS && m > 0; i++, m--, a += s)
		sum += 1 / a;
	if (m <= 0)
		return sum;
	b = a + s * m;
	return sum + m / a * slope_of_log(s * m / a) - (1 / b - 1 / a) / 2 -
		s * (1 / (b * b) - 1 / (a * a)) / 12 + s * s * s * (pow(b, -4) - pow(a, -4)) / 120;
}

/* ----------------------------------------------------------------
 * Pitman's model
 * ----------------------------------------------------------------
 */

double
pitman_likelihood(const Pitman *pitman, const SizeCounts *counts)
{
	double		alpha = pitman->alpha;
	double		people = counted_rows(counts);
	double		sum = sum_of_logs(pitman->concentration, alpha, (double) counted_classes(counts) - 1) -
		sum_of_logs(pitman->concentration + 1 - alpha, 1, people - 1);

	for (uint32 i = 0; i < counts->n; i++)
		sum += counts->classes[i] * sum_of_logs(1 - alpha, 1, (double) counts->size[i] - 1);
	return sum;
}

#define LEAST_LOG	(-60.0)		/* of a concentration */
#define MOST_LOG	90.0
#define HALVINGS	100

/*
 * The likeliest concentration for an alpha: where the derivative changes its sign.  It is positive near 0, since there
 * are two classes or more, and negative far out, since there are fewer classes than people.
 */
static double
likeliest_concentration(double alpha, double people, double classes)
{
	double		low = LEAST_LOG;
	double		high = MOST_LOG;

	for (int i = 0; i < HALVINGS; i++)
	{
		double		middle = (low + high) / 2;
		double		concentration = exp(middle);

		if (sum_of_reciprocals(concentration, alpha, classes - 1) >
			sum_of_reciprocals(concentration + 1 - alpha, 1, people - 1))
			low = middle;
		else
			high = middle;
	}
	return exp((low + high) / 2);
}

/* Sets the model that is likeliest for an alpha; returns the log of its likelihood. */
static double
try_alpha(Pitman *pitman, double alpha, const SizeCounts *counts)
{
	CHECK_FOR_INTERRUPTS();
	pitman->alpha = alpha;
	pitman->concentration = likeliest_concentration(alpha, counted_rows(counts), counted_classes(counts));
	return pitman_likelihood(pitman, counts);
}

#define STEPS		64
#define MOST_ALPHA	(1 - 1e-7)
#define GOLDEN		0.6180339887498949

/* Narrows an interval of alpha around its likeliest one. */
static void
narrow_alpha(Pitman *pitman, double low, double high, const SizeCounts *counts)
{
	double		left = high - GOLDEN * (high - low);
	double		right = low + GOLDEN * (high - low);
	double		of_left = try_alpha(pitman, left, counts);
	double		of_right = try_alpha(pitman, right, counts);

	while (high - low > 1e-10)
	{
		if (of_left >= of_right)
		{
			high = right;
			right = left;
			of_right = of_left;
			left = high - GOLDEN * (high - low);
			of_left = try_alpha(pitman, left, counts);
		}
		else
		{
			low = left;
			left = right;
			of_left = of_right;
			right = low + GOLDEN * (high - low);
			of_right = try_alpha(pitman, right, counts);
		}
	}
	(void) try_alpha(pitman, (low + high) / 2, counts);
}

/* Is the model inside, where a maximum can be, and not at an end where the search has stopped? */
static bool
is_inside(const Pitman *pitman)
{
	double		at = log(pitman->concentration);

	return isfinite(at) && at > LEAST_LOG + 1 && at < MOST_LOG - 1 && pitman->alpha < MOST_ALPHA - 1e-6;
}

bool
pitman_fit(const SizeCounts *counts, Pitman *pitman)
{
	double		best = -HUGE_VAL;
	int			at = 0;

	/* Nobody is alone, or everybody; or there is one class, and nothing to learn of others */
	if (counts->n < 2 || counts->size[0] != 1)
		return false;
	for (int i = 0; i < STEPS; i++)
	{
		double		likelihood = try_alpha(pitman, (double) i / STEPS, counts);

		if (!isfinite(likelihood))
			return false;
		if (likelihood > best)
		{
			best = likelihood;
			at = i;
		}
	}
	narrow_alpha(pitman, (double) Max(at - 1, 0) / STEPS, Min((double) (at + 1) / STEPS, MOST_ALPHA), counts);
	if (at == 0 && best >= pitman_likelihood(pitman, counts))
		(void) try_alpha(pitman, 0, counts);
	return is_inside(pitman);
}

double
pitman_alone(const Pitman *pitman, uint64 people)
{
	if (people == 0)
		return 0;
	return people * exp(sum_of_logs(pitman->concentration, 1, (double) people - 1) -
						sum_of_logs(pitman->concentration + 1 - pitman->alpha, 1, (double) people - 1));
}

double
pitman_stays_alone(const Pitman *pitman, uint64 sample, uint64 population)
{
	double		others = (double) population - (double) sample;

	return exp(sum_of_logs(pitman->concentration + sample - 1, 1, others) -
			   sum_of_logs(pitman->concentration - pitman->alpha + sample, 1, others));
}

/* ----------------------------------------------------------------
 * The individual risk
 *
 * The mean is p times the integral of u^(f-1) / (p + q u) from 0 to 1, with q = 1 - p.
 * Two neighbours add up to a known number: q I(f+1) + p I(f) = 1/f.
 * ----------------------------------------------------------------
 */

#define FEW 64

/* Sums p q^m (f-1)! m! / (f+m)!, all terms of which are positive. */
static double
risk_by_series(double size, double share)
{
	double		term = share / size;
	double		sum = 0;

	for (double m = 0; term > sum * 1e-17; m++)
	{
		sum += term;
		term *= (1 - share) * (m + 1) / (size + m + 1);
	}
	return sum;
}

double
expected_risk(uint64 size, double share)
{
	double		integral;

	if (share >= 1)
		return 1.0 / size;
	if (size > FEW || share > 0.5)
		return risk_by_series(size, share);
	integral = -log(share) / (1 - share);
	for (uint64 f = 1; f < size; f++)
		integral = (1.0 / f - share * integral) / (1 - share);
	return share * integral;
}

/*
 * noise.c
 *		Discrete Laplace and Gaussian noise, by rejection, of integers alone; how wide it is.
 *
 * Products are below 2^128, since parameters are below RATIO_MOST.
 */
#include "noise/noise.h"

#include "port/pg_bitutils.h"

#include <math.h>

/* Of draws, all but some 60 of a million at most need no more. */
#define TRIALS_OF_DRAW 512

/* None needs more, unless its bits are not random: it would never end. */
#define MOST_TRIALS 1000000

uint64		noise_trials = 0;

static uint64 strong_bits(int n);

uint64		(*noise_bits) (int n) = strong_bits;

/* ---- Bits ---- */

static void
refuse_bits(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INTERNAL_ERROR),
			 errmsg("could not draw noise"),
			 errdetail("The server's source of strong random numbers failed.")));
}

/* From a buffer, since the source is slow to be asked */
static uint64
strong_word(void)
{
	static uint64 word[64];
	static int	nwords = 0;
	uint64		result;

	if (nwords == 0)
	{
		if (!pg_strong_random(word, sizeof(word)))
			refuse_bits();
		nwords = lengthof(word);
	}
	/* Memory that is read later does not tell which noise was drawn. */
	result = word[--nwords];
	word[nwords] = 0;
	return result;
}

/* No bit is left unused: one word does for some twenty trials. */
static uint64
strong_bits(int n)
{
	static uint128 pool = 0;
	static int	nbits = 0;
	uint64		result;

	if (nbits < n)
	{
		pool |= (uint128) strong_word() << nbits;
		nbits += 64;
	}
	result = (uint64) (pool & (((uint128) 1 << n) - 1));
	pool >>= n;
	nbits -= n;
	return result;
}

/* ---- Lots, each a number of trials ---- */

/* A number below n, all of them alike. */
static uint128
uniform_below(uint128 n)
{
	uint64		high = (uint64) ((n - 1) >> 64);
	uint64		low = (uint64) (n - 1);
	int			nhigh = high == 0 ? 0 : pg_leftmost_one_pos64(high) + 1;
	int			nlow = high != 0 ? 64 : low == 0 ? 0 : pg_leftmost_one_pos64(low) + 1;
	uint128		result;

	do
	{
		if (++noise_trials > MOST_TRIALS)
			refuse_bits();
		result = noise_bits(nlow);
		if (nhigh > 0)
			result |= (uint128) noise_bits(nhigh) << 64;
	} while (result >= n);
	return result;
}

static bool
bernoulli(uint128 num, uint128 den)
{
	return uniform_below(den) < num;
}

/*
 * True with probability e^-x, for x of at most 1: the first k trials succeed with probability x^k / k!, and the sum of these,
 * with signs in turn, is e^-x.
 */
static bool
bernoulli_exp_of_fraction(uint128 num, uint128 den)
{
	uint64		k = 1;

	while (bernoulli(1, k) && bernoulli(num, den))
		k++;
	return k % 2 == 1;
}

bool
bernoulli_exp(uint128 num, uint128 den)
{
	for (uint128 whole = num / den; whole > 0; whole--)
		if (!bernoulli_exp_of_fraction(1, 1))
			return false;
	return bernoulli_exp_of_fraction(num % den, den);
}

static void
idle_trials(void)
{
	for (; noise_trials % TRIALS_OF_DRAW != 0; noise_trials++)
		(void) noise_bits(0);
}

/* ---- Noise ---- */

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

/*
 * How far is a multiple of 1 / num by a geometric number with the ratio e^(-1 / num): its rest below num by rejection, the
 * multiples of num by trials of e^-1.  Of these, den fall together.  A 0 with a minus is drawn again, since 0 would come twice.
 */
static int64
draw_laplace(Ratio scale)
{
	for (;;)
	{
		uint128		rest = uniform_below(scale.num);
		uint128		far;
		bool		negative;

		if (!bernoulli_exp(rest, scale.num))
			continue;
		/* Below 2^55 each, and more than 2^64 are never added. */
		for (far = rest; bernoulli_exp(1, 1);)
			far += scale.num;
		far /= scale.den;
		negative = bernoulli(1, 2);
		if (negative && far == 0)
			continue;
		if (far > PG_INT64_MAX)
			refuse_noise();
		return negative ? -(int64) far : (int64) far;
	}
}

/* The largest integer whose square is not above n */
static uint64
root_of(uint64 n)
{
	uint64		root = 0;

	for (uint64 bit = UINT64CONST(1) << 31; bit > 0; bit >>= 1)
		if ((root + bit) * (root + bit) <= n)
			root += bit;
	return root;
}

int64
noise_laplace(Ratio scale)
{
	int64		noise;

	check_ratio(scale);
	noise_trials = 0;
	noise = draw_laplace(scale);
	idle_trials();
	return noise;
}

/*
 * Laplace noise of scale t, the next integer above the deviation, is kept with probability e^(-(|noise| - variance / t)^2 /
 * (2 variance)).  With the variance num / den, that is e^(-(|noise| den t - num)^2 / (2 num den t^2)).
 *
 * Since t^2 <= 2 num / den + 2, den t^2 is below 2^58, and the divisor below 2^114.
 */
int64
noise_gaussian(Ratio variance)
{
	uint64		t;
	int64		noise;
	uint128		off;

	check_ratio(variance);
	noise_trials = 0;
	t = root_of(variance.num / variance.den) + 1;
	do
	{
		noise = draw_laplace((Ratio) {t, 1});
		off = (uint128) llabs(noise) * variance.den * t;
		off = off > variance.num ? off - variance.num : variance.num - off;
		if (off > PG_UINT64_MAX)
			refuse_noise();
	} while (!bernoulli_exp(off * off, (uint128) 2 * variance.num * variance.den * t * t));
	idle_trials();
	return noise;
}

/* ---- How wide it is: an interval is for people, so floating point does, with a grain to spare ---- */

/* Farther than w are, on both sides together, 2 r^(w + 1) / (1 + r), where r = e^(-1 / scale). */
static double
half_width_of_laplace(double scale)
{
	return scale * log(40.0 / (1.0 + exp(-1.0 / scale))) * (1 + 1e-12) - 1.0;
}

/* A large deviation: farther than w are not more than of a normal distribution from w on (the paper's proposition 25). */
static double
half_width_of_gaussian(double variance)
{
	double		within = 1.0;
	double		all = 1.0;
	double		weight;
	double		w = 0;

	if (variance > 1e6)
		return 1.959963984540055 * sqrt(variance);
	for (double x = 1; (weight = exp(-x * x / (2 * variance))) > 1e-20; x++)
		all += 2 * weight;
	while (within < all * 0.95 * (1 + 1e-12))
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

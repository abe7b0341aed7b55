/*
 * test_noise.c
 *		Noise against the exact distribution: by all strings of bits that a draw may read, and by millions of draws; how
 *		wide it is, and what it costs.
 */
#include "shim.h"

#include "common/pg_prng.h"
#include "noise/noise.h"

#include <math.h>

/* ---- Bits: the server's source is ours here ---- */

#define WORDS_KEPT 1024

static pg_prng_state random_state = {1, 2};
static bool source_fails = false;
static uint64 given[WORDS_KEPT];
static int	ngiven = 0;

/* The words of a buffer are used from its end. */
bool
pg_strong_random(void *buffer, size_t length)
{
	uint64	   *word = buffer;

	for (int i = length / sizeof(uint64) - 1; i >= 0; i--)
	{
		word[i] = pg_prng_uint64(&random_state);
		if (ngiven < WORDS_KEPT)
			given[ngiven++] = word[i];
	}
	return !source_fails;
}

static uint64 stuck_at;

static uint64
stuck_bits(int n)
{
	return stuck_at & ((UINT64CONST(1) << n) - 1);
}

static void
draw_many(void)
{
	for (int i = 0; i < 10000; i++)
		noise_laplace((Ratio) {1000, 1});
}

/* Each bit of the source is used once, in order; a source that fails, or is stuck, gives no noise. */
static void
random_source(void)
{
	uint64		(*strong) (int n) = noise_bits;
	int			read = 0;
	int			wrong = 0;

	/* The first test: all words since the program began are kept. */
	while (read < 64 * (WORDS_KEPT - 64))
	{
		int			n = any_below(65);
		uint64		bits = strong(n);

		for (int i = 0; i < n; i++, read++)
			wrong += ((given[read / 64] >> read % 64) & 1) != ((bits >> i) & 1);
	}
	check(wrong == 0);
	source_fails = true;
	for (int i = 0; i < 2; i++)
		check(error_of(draw_many) != NULL && shim_sqlerrcode == ERRCODE_INTERNAL_ERROR);
	source_fails = false;
	check(error_of(draw_many) == NULL);
	noise_bits = stuck_bits;
	check(error_of(draw_many) != NULL);
	stuck_at = PG_UINT64_MAX;
	check(error_of(draw_many) != NULL);
	noise_bits = strong;
}

/* ---- The exact distributions ---- */

#define MOST_NOISE 2000

typedef struct Law
{
	bool		gaussian;
	Ratio		parameter;
} Law;

static const Law laws[] = {
	{false, {1, 1}}, {false, {10, 1}}, {false, {1, 3}}, {false, {7, 2}}, {false, {1000000000, 123456789}},
	{true, {1, 1}}, {true, {1, 4}}, {true, {5, 3}}, {true, {50, 1}}, {true, {1000000000, 246913578}},
};
static Law law;
static double p_of[MOST_NOISE + 1]; /* of noise x, and of -x, by this law */

static double
use_law(bool gaussian, uint64 num, uint64 den)
{
	double		value = (double) num / den;
	double		all = 0;

	law = (Law) {gaussian, {num, den}};
	for (int x = MOST_NOISE; x >= 0; x--)
	{
		p_of[x] = exp(gaussian ? -(double) x * x / (2 * value) : -x / value);
		all += p_of[x] * (x == 0 ? 1 : 2);
	}
	for (int x = 0; x <= MOST_NOISE; x++)
		p_of[x] /= all;
	return value;
}

static int64
draw(void)
{
	return law.gaussian ? noise_gaussian(law.parameter) : noise_laplace(law.parameter);
}

/* ---- All strings of bits ---- */

#define MOST_IN_TREE 20

static int	tree_depth;
static uint64 string;
static int	nstring;
static int	nread;				/* bits of the string that the draw has read */
static uint128 tree_num;
static uint128 tree_den;		/* of an event, or 0 for noise by the law */
static int64 tree_result;

/* The bits of the string; where it ends, it is continued with zeros. */
static uint64
bits_of_string(int n)
{
	nread += n;
	if (nread > tree_depth)
		elog(ERROR, "the string has no more bits");
	if (nread > nstring)
	{
		string <<= nread - nstring;
		nstring = nread;
	}
	return (string >> (nstring - nread)) & ((UINT64CONST(1) << n) - 1);
}

static void
draw_from_tree(void)
{
	noise_trials = nread = 0;
	tree_result = tree_den == 0 ? draw() : bernoulli_exp(tree_num, tree_den);
}

/* How likely each result is at least, by the strings that decide; returns how likely the other strings are. */
static double
walk_tree(double likely[2 * MOST_IN_TREE + 1])
{
	uint64		(*strong) (int n) = noise_bits;
	double		undecided = 0;

	tree_depth = some_of(10) == 10 ? 22 : 20;
	noise_bits = bits_of_string;
	memset(likely, 0, sizeof(double) * (2 * MOST_IN_TREE + 1));
	string = nstring = 0;
	do
	{
		bool		decides = error_of(draw_from_tree) == NULL && Abs(tree_result) <= MOST_IN_TREE;

		*(decides ? &likely[MOST_IN_TREE + tree_result] : &undecided) += ldexp(1, -nstring);
		/* The next string that begins otherwise */
		while (nstring > 0 && string % 2 == 1)
		{
			string >>= 1;
			nstring--;
		}
		string++;
	} while (nstring > 0);
	noise_bits = strong;
	return undecided;
}

static void
every_string_of_bits(void)
{
	double		likely[2 * MOST_IN_TREE + 1];
	double		undecided;

	tree_den = 0;
	for (int i = 0; i < (int) lengthof(laws); i++)
	{
		if (laws[i].parameter.num > 10)
			continue;
		use_law(laws[i].gaussian, laws[i].parameter.num, laws[i].parameter.den);
		undecided = walk_tree(likely);
		check(undecided < 0.7);
		for (int x = -MOST_IN_TREE; x <= MOST_IN_TREE; x++)
			check(likely[MOST_IN_TREE + x] <= p_of[abs(x)] + 1e-12 && likely[MOST_IN_TREE + x] + undecided >= p_of[abs(x)] - 1e-12);
	}
	for (tree_den = 1; tree_den < 8; tree_den++)
		for (tree_num = 0; tree_num < 24; tree_num++)
		{
			double		exact = exp(-(double) tree_num / (double) tree_den);

			undecided = walk_tree(likely);
			check(undecided < 0.1);
			check(likely[MOST_IN_TREE + 1] <= exact + 1e-12 && likely[MOST_IN_TREE + 1] + undecided >= exact - 1e-12);
		}
}

/* ---- Draws ---- */

/* How far chi-square of so many degrees is from what is expected, in deviations (Wilson and Hilferty). */
static double
deviations_of(double chi_square, int degrees)
{
	double		rest = 2.0 / (9.0 * degrees);

	return (cbrt(chi_square / degrees) - (1 - rest)) / sqrt(rest);
}

#define LEAST_EXPECTED 25

/* Noise that is rarer is counted together.  Whatever the noise, the number of trials is the same. */
static void
check_draws(int n)
{
	static int	drawn[2 * MOST_NOISE + 1];
	double		chi_square = 0;
	double		rare = n;
	int			nrare = n;
	int			degrees = 0;
	int			longer = 0;

	memset(drawn, 0, sizeof(drawn));
	for (int i = 0; i < n; i++)
	{
		int64		noise = draw();

		longer += noise_trials != 512;
		if (Abs(noise) <= MOST_NOISE)
			drawn[MOST_NOISE + noise]++;
	}
	for (int x = -MOST_NOISE; x <= MOST_NOISE; x++)
	{
		double		expected = p_of[abs(x)] * n;

		if (expected < LEAST_EXPECTED)
			continue;
		chi_square += pow(drawn[MOST_NOISE + x] - expected, 2) / expected;
		rare -= expected;
		nrare -= drawn[MOST_NOISE + x];
		degrees++;
	}
	chi_square += pow(nrare - rare, 2) / rare;
	check(fabs(deviations_of(chi_square, degrees)) < 4);
	check(longer <= n / 20000);
}

static void
millions_of_draws(void)
{
	for (int i = 0; i < (int) lengthof(laws); i++)
	{
		use_law(laws[i].gaussian, laws[i].parameter.num, laws[i].parameter.den);
		check_draws(some_of(1000000));
	}
}

/* Numbers that need more than 64 bits */
static void
large_fractions(void)
{
	uint128		den = ((uint128) 1 << 113) - 1;
	int			n = some_of(500000);

	for (int tenths = 1; tenths < 40; tenths += 6)
	{
		double		p = exp(-tenths / 10.0);
		int			hits = 0;

		for (int i = 0; i < n; i++)
		{
			noise_trials = 0;
			hits += bernoulli_exp(den / 10 * tenths, den);
		}
		check(fabs(hits - n * p) < 4 * sqrt(n * p * (1 - p)));
	}
}

/* Of noise that is too wide to be summed, draws tell. */
static void
wide_noise(void)
{
	static const Ratio wide[] = {{UINT64CONST(1) << 40, 3}, {RATIO_MOST, 1}, {RATIO_MOST, RATIO_MOST / 1000003}};
	int			n = some_of(200000);

	for (int i = 0; i < 2 * (int) lengthof(wide); i++)
	{
		int64		width;
		int			within = 0;
		int			positive = 0;
		int			residue[7] = {0};

		law = (Law) {i % 2 == 0, wide[i / 2]};
		width = noise_half_width(law.gaussian, law.parameter);
		for (int j = 0; j < n; j++)
		{
			int64		noise = draw();

			within += Abs(noise) <= width;
			positive += noise > 0;
			residue[Abs(noise) % 7]++;
		}
		check(fabs(within - 0.95 * n) < 4 * sqrt(n * 0.95 * 0.05) + n * 1e-3);
		check(fabs(positive - 0.5 * n) < 4 * sqrt(n * 0.25) + n * 1e-3);
		for (int r = 0; r < 7; r++)
			check(fabs(residue[r] - n / 7.0) < 4 * sqrt(n / 7.0) + n * 2e-3);
	}
}

/* ---- Neighbours ---- */

/* Figures of sources that differ by a person are no more unlike than was promised, and no noise is wasted. */
static void
promises(void)
{
	static const Ratio promises[] = {{1, 1000000}, {1, 20}, {123456789, COST_UNITS}, {1, 1}, {1000000007, COST_UNITS}, {5, 2}, {99999999999, COST_UNITS}};

	for (int i = 0; i < 2 * (int) lengthof(promises); i++)
		for (uint64 change = 1; change < RATIO_MOST / 4000000; change = change * 13 + 1)
		{
			uint64		twice = i % 2 + 1;
			Ratio		promise = promises[i / 2];
			Ratio		noise = noise_of_promise(twice == 2, change, promise);

			check((uint128) change * noise.den * promise.den <= (uint128) promise.num * noise.num * twice);
			check_near((double) promise.num / promise.den * noise.num / noise.den * twice / change, 1.0);
		}
}

/* Outcomes of n people and of n + 1, by what draws and strings of bits were compared with */
static void
likely_outcomes(void)
{
	for (int i = 0; i < (int) lengthof(laws); i++)
	{
		double		value = use_law(laws[i].gaussian, laws[i].parameter.num, laws[i].parameter.den);

		for (int x = -40; x < 40 && !law.gaussian; x++)
			check(fabs(log(p_of[abs(x)] / p_of[abs(x + 1)])) <= 1 / value + 1e-9);
		for (double alpha = 1.5; alpha < 20 && law.gaussian; alpha *= 2)
		{
			double		sum = 0;

			for (int x = -MOST_NOISE; x < MOST_NOISE; x++)
				if (p_of[abs(x)] > 0 && p_of[abs(x + 1)] > 0)
					sum += exp(alpha * log(p_of[abs(x)]) + (1 - alpha) * log(p_of[abs(x + 1)]));
			check(log(sum) / (alpha - 1) <= alpha / (2 * value) + 1e-9);
		}
	}
}

static void
half_widths(void)
{
	for (int gaussian = 0; gaussian < 2; gaussian++)
		for (uint64 num = 1; num < 150; num += 1 + num / 8)
			for (uint64 den = 1; den < 40; den += 1 + den / 3)
			{
				int64		width = noise_half_width(gaussian, (Ratio) {num, den});
				double		within;

				use_law(gaussian, num, den);
				within = p_of[0];
				for (int x = 1; x < width; x++)
					within += 2 * p_of[x];
				check(width == 0 || within < 0.95 + 1e-9);
				check(within + (width > 0 ? 2 * p_of[width] : 0) >= 0.95);
			}
}

/* ---- What is refused ---- */

static Ratio refused;
static int	refuser;

static void
use_refused(void)
{
	switch (refuser)
	{
		case 0:
			noise_laplace(refused);
			break;
		case 1:
			noise_gaussian(refused);
			break;
		case 2:
			noise_half_width(false, refused);
			break;
		case 3:
			noise_of_promise(false, 1, refused);
			break;
		case 4:
			noise_of_promise(true, RATIO_MOST / 3, (Ratio) {1, 10});
	}
}

static void
out_of_range(void)
{
	static const Ratio bad[] = {{0, 1}, {1, 0}, {0, 0}, {RATIO_MOST + 1, 1}, {1, RATIO_MOST + 1}, {PG_UINT64_MAX, PG_UINT64_MAX}};

	for (int i = 0; i < (int) lengthof(bad); i++)
		for (refuser = 0; refuser < 5; refuser++)
		{
			refused = bad[i];
			shim_sqlerrcode = 0;
			check(error_of(use_refused) != NULL && shim_sqlerrcode == ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE);
		}
	/* Noise that hardly ever is any */
	check(noise_laplace((Ratio) {1, RATIO_MOST}) == 0 && noise_gaussian((Ratio) {1, RATIO_MOST}) == 0);
}

static void
epsilons(void)
{
	check_near(epsilon_at_delta(COST_UNITS / 2, 1e-6), 0.5 + 2 * sqrt(0.5 * log(1e6)));
	check(epsilon_at_delta(0, 0.5) == 0);
}

static const Test tests[] = {
	{"random source", random_source},
	{"every string of bits", every_string_of_bits},
	{"millions of draws", millions_of_draws},
	{"large fractions", large_fractions},
	{"promises", promises},
	{"likely outcomes", likely_outcomes},
	{"half widths", half_widths},
	{"wide noise", wide_noise},
	{"out of range", out_of_range},
	{"epsilons", epsilons},
};

RUN(tests)

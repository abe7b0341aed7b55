/*
 * test_risks.c
 *		Risks of one release, by their definitions; and estimates for a population
 *		against sums term by term, and against populations that are known.
 */
#include "shim.h"

#include <math.h>

#include "audit/boxes.h"
#include "audit/risks.h"
#include "common/pg_prng.h"

static bool
near(double a, double b, double error)
{
	return fabs(a - b) <= error * Max(1, fabs(b));
}

/* ----------------------------------------------------------------
 * Estimates, term by term
 * ----------------------------------------------------------------
 */

static double
plain_likelihood(double alpha, double theta, const SizeCounts *counts)
{
	double		sum = 0;

	for (uint64 i = 1; i < counted_classes(counts); i++)
		sum += log(theta + i * alpha);
	for (uint64 i = 1; i < counted_rows(counts); i++)
		sum -= log(theta + i);
	for (uint32 c = 0; c < counts->n; c++)
		for (uint64 i = 1; i < counts->size[c]; i++)
			sum += counts->classes[c] * log(i - alpha);
	return sum;
}

static void
likelihoods_are_sums(void)
{
	uint64		size[] = {1, 1, 1, 2, 3, 3, 500, 7, 90};
	SizeCounts	counts = count_sizes(size, lengthof(size));

	check(counts.n == 6 && counts.size[0] == 1 && counts.classes[0] == 3 && counts.size[5] == 500);
	check(counted_rows(&counts) == 608 && counted_classes(&counts) == 9);
	for (int i = 0; i < 200; i++)
	{
		double		alpha = any_below(100) / 100.0;
		double		concentration = exp((double) any_below(200) / 10 - 8);

		check(near(pitman_likelihood(&(Pitman) {alpha, concentration}, &counts),
				   plain_likelihood(alpha, concentration - alpha, &counts), 1e-10));
	}
}

static void
chances_are_products(void)
{
	for (int i = 0; i < 200; i++)
	{
		double		alpha = any_below(100) / 100.0;
		double		concentration = exp((double) any_below(200) / 10 - 8);
		double		theta = concentration - alpha;
		uint64		sample = 1 + any_below(300);
		uint64		population = sample + any_below(1000);
		double		stays = 1;
		double		alone = population;
		Pitman		pitman = {alpha, concentration};

		for (uint64 n = sample; n < population; n++)
			stays *= (theta + n - 1 + alpha) / (theta + n);
		for (uint64 n = 1; n < population; n++)
			alone *= (theta + n - 1 + alpha) / (theta + n);
		check(near(pitman_stays_alone(&pitman, sample, population), stays, 1e-9));
		check(near(pitman_alone(&pitman, population), alone, 1e-9));
	}
	/* Ewens's model has N theta / (theta + N - 1) */
	check(near(pitman_alone(&(Pitman) {0, 20}, 1000000000), 1e9 * 20 / (20 + 1e9 - 1), 1e-5));
	check(pitman_alone(&(Pitman) {0.5, 20}, 0) == 0 && near(pitman_alone(&(Pitman) {0.5, 20}, 1), 1, 1e-12));
}

/* The mean of 1/F with F negative binomial. */
static double
plain_risk(uint64 size, double share)
{
	double		chance = pow(share, size);
	double		sum = 0;

	for (double f = size; f < size + 4000 / share; f++)
	{
		sum += chance / f;
		chance *= (1 - share) * f / (f + 1 - size);
	}
	return sum;
}

static void
expected_risks_are_means(void)
{
	double		share[] = {1, 0.999, 0.7, 0.51, 0.5, 0.49, 0.1, 0.01};
	uint64		size[] = {1, 2, 3, 5, 10, 40, 63, 64, 65, 66};

	for (uint32 p = 0; p < lengthof(share); p++)
		for (uint32 f = 0; f < lengthof(size); f++)
		{
			check(near(expected_risk(size[f], share[p]), plain_risk(size[f], share[p]), 1e-9));
			check(expected_risk(size[f], share[p]) <= 1.0 / size[f] * (1 + 1e-12));
		}
	check(near(expected_risk(1, 1e-9), 1e-9 * log(1e9), 1e-15));
	check(expected_risk(1000000, 1e-9) > 0 && expected_risk(1000000, 1e-9) < 1.1e-15);
}

/* ----------------------------------------------------------------
 * Estimates, of populations that are known
 * ----------------------------------------------------------------
 */

typedef struct Population
{
	uint32	   *class_of;		/* [people] */
	uint32		people;
	uint32		classes;
} Population;

/* Draws a population of Pitman's model, person by person. */
static Population
draw_population(pg_prng_state *random, double alpha, double theta, uint32 people)
{
	Population	population = {.class_of = palloc(sizeof(uint32) * people), .people = people};
	uint64	   *size = palloc0(sizeof(uint64) * people);

	for (uint32 i = 0; i < people; i++)
	{
		double		at = pg_prng_double(random) * (theta + i);
		uint32		other;

		if (i == 0 || at < theta + population.classes * alpha)
			population.class_of[i] = population.classes++;
		else
		{
			/* a class is as likely as its size less alpha */
			do
				other = population.class_of[pg_prng_uint64_range(random, 0, i - 1)];
			while (pg_prng_double(random) < alpha / size[other]);
			population.class_of[i] = other;
		}
		size[population.class_of[i]]++;
	}
	return population;
}

/* Swaps a sample to the front; returns the sizes of classes in it. */
static uint64 *
draw_sample(pg_prng_state *random, Population *population, uint32 n)
{
	uint64	   *size = palloc0(sizeof(uint64) * population->classes);

	for (uint32 i = 0; i < n; i++)
	{
		uint32		j = pg_prng_uint64_range(random, i, population->people - 1);
		uint32		class = population->class_of[i];

		population->class_of[i] = population->class_of[j];
		population->class_of[j] = class;
		size[population->class_of[i]]++;
	}
	return size;
}

/* Over some populations of the model, estimates agree with the truth: the draws are the same each time. */
static void
populations_are_found(double alpha, double theta, uint32 people, uint32 n)
{
	pg_prng_state random;
	double		truth = 0;
	double		of_sample = 0;
	double		estimate = 0;
	double		estimate_of_sample = 0;
	double		alone = 0;
	double		expected = 0;

	pg_prng_seed(&random, 42);
	for (int round = 0; round < 20; round++)
	{
		Population	population = draw_population(&random, alpha, theta, people);
		uint64	   *size = palloc0(sizeof(uint64) * population.classes);
		uint64	   *sampled = draw_sample(&random, &population, n);
		SizeCounts	counts = count_sizes(sampled, population.classes);
		Pitman		pitman;

		for (uint32 i = 0; i < people; i++)
			size[population.class_of[i]]++;
		for (uint32 c = 0; c < population.classes; c++)
		{
			truth += size[c] == 1;
			of_sample += size[c] == 1 && sampled[c] == 1;
		}
		check(pitman_fit(&counts, &pitman));
		estimate += pitman_alone(&pitman, people);
		estimate_of_sample += counts.classes[0] * pitman_stays_alone(&pitman, n, people);
		alone += counts.classes[0];
		expected += pitman_alone(&pitman, n);
	}
	check(near(estimate, truth, 0.15));
	check(near(estimate_of_sample, of_sample, 0.15));
	check(near(expected, alone, 0.02));
}

/* No other parameters are likelier than those that are found. */
static void
fits_are_likeliest(void)
{
	for (int round = 0; round < 60; round++)
	{
		uint64		size[40];
		uint32		n = 2 + any_below(38);
		SizeCounts	counts;
		Pitman		pitman;
		double		likelihood;

		for (uint32 c = 0; c < n; c++)
			size[c] = 1 + any_below(1 + any_below(20));
		size[0] = 1;
		counts = count_sizes(size, n);
		if (!pitman_fit(&counts, &pitman))
			continue;
		likelihood = pitman_likelihood(&pitman, &counts);
		for (int i = 0; i < 500; i++)
		{
			Pitman		other = {any_below(1000) / 1000.0, exp((double) any_below(3000) / 100 - 15)};

			check(pitman_likelihood(&other, &counts) <= likelihood + 1e-7);
		}
	}
}

static bool
is_fit(const uint64 *size, uint32 n)
{
	SizeCounts	counts = count_sizes(size, n);
	Pitman		pitman;

	return pitman_fit(&counts, &pitman);
}

static void
nothing_is_estimated_of_nothing(void)
{
	check(!is_fit(NULL, 0));
	check(!is_fit((uint64[]) {0}, 1));
	check(!is_fit((uint64[]) {1}, 1));
	check(!is_fit((uint64[]) {1, 1, 1, 1}, 4));
	check(!is_fit((uint64[]) {5}, 1));
	check(!is_fit((uint64[]) {5, 5, 7}, 3));	/* k-anonymous */
	check(is_fit((uint64[]) {1, 2, 5, 9}, 4));
}

/* ----------------------------------------------------------------
 * Risks
 * ----------------------------------------------------------------
 */

static void
risks_are_as_defined(void)
{
	RiskClass	class[] = {{1, 1, 1}, {2, 2, 10}, {4, 3, 2}, {10, 10, 40}, {5, 0, 7}};
	RiskQuestion question = {.threshold = 0.25, .has_registry = true};
	ClassRisks *risks = measure_risks(class, lengthof(class), &question);

	check(risks->rows == 22 && risks->people == 16 && risks->classes == 5 && risks->alone == 1);
	check(risks->smallest == 1 && risks->median == 4 && risks->largest == 10);
	check(near(risks->separation, 1 - (1 + 6 + 45 + 10) / 231.0, 1e-12) && near(risks->distinction, 5 / 22.0, 1e-12));
	check(risks->prosecutor.highest == 1 && near(risks->prosecutor.average, (1 + 1 + 0.75 + 1) / 16, 1e-12));
	check(risks->prosecutor.above == 3 && near(risks->prosecutor.share_above, 3 / 16.0, 1e-12));
	check(risks->highest_among_people == 1);
	check(risks->journalist.highest == 1 && near(risks->journalist.average, (1 + 0.2 + 0.75 + 0.25) / 16, 1e-12));
	check(risks->journalist.above == 1 && risks->unregistered == 1 && risks->alone_in_registry == 1);
	check(near(risks->marketer, risks->journalist.average, 0) && isnan(risks->population_alone));

	question = (RiskQuestion) {.threshold = 0.2, .population = 220};
	risks = measure_risks(class, lengthof(class), &question);
	check(near(risks->journalist.highest, expected_risk(1, 0.1), 1e-12));
	check(risks->is_fitted && risks->people_alone > 0 && risks->people_alone < 1);
	question.population = 22;
	risks = measure_risks(class, lengthof(class), &question);
	check(risks->population_alone == 1 && risks->people_alone == 1 && risks->journalist.highest == 1);

	/* a model that expects eight rows to be alone where one is does not know the release */
	risks = measure_risks((RiskClass[]) {
		{1, 1, 0}, {2, 2, 0}, {2, 2, 0}, {2, 2, 0}, {2, 2, 0}, {3, 3, 0}, {3, 3, 0}, {3, 3, 0}, {3, 3, 0}, {3, 3, 0}, {3, 3, 0}, {3, 3, 0}, {3, 3, 0}, {3, 3, 0}, {3, 3, 0}, {3, 3, 0}, {3, 3, 0}
	}, 17, &(RiskQuestion) {.population = 100000});
	check(!risks->is_fitted && risks->expected_alone > 3 && isnan(risks->population_alone) && isnan(risks->people_alone));

	question.population = 22;
	risks = measure_risks(class + 1, 4, &question);
	check(risks->people_alone == 0 && isnan(measure_risks(class + 1, 4, &(RiskQuestion) {.population = 99})->population_alone));
}

static void
nobody_has_no_risk(void)
{
	RiskQuestion question = {.threshold = 0.2, .population = 100};
	ClassRisks *risks = measure_risks(NULL, 0, &question);
	NamedRisk  *list;
	int			n = list_risks(risks, &question, &list);

	for (int i = 0; i < n; i++)
		check(isnan(list[i].value) || list[i].value == 0);
	check(isnan(risks->prosecutor.highest) && isnan(risks->separation) && isnan(risks->marketer));
	risks = measure_risks((RiskClass[]) {{1, 1, 0}}, 1, &question);
	check(risks->prosecutor.highest == 1 && isnan(risks->separation) && risks->distinction == 1);
}

/* ----------------------------------------------------------------
 * Boxes
 * ----------------------------------------------------------------
 */

static void
boxes_hold_their_points(int width)
{
	uint32		n = any_below(400);
	Code	   *code = palloc(sizeof(Code) * (n * width + 1));
	uint64	   *weight = palloc(sizeof(uint64) * (n + 1));
	Code		most = 1 + any_below(30);
	PointTree  *tree;

	for (uint32 i = 0; i < n; i++)
	{
		weight[i] = any_below(5);
		for (int c = 0; c < width; c++)
			code[i * width + c] = any_below(20) == 0 ? PG_UINT32_MAX - any_below(3) : any_below(most);
	}
	tree = points_create(code, weight, n, width);
	for (int b = 0; b < 50; b++)
	{
		Span		box[4] = {{0}};
		uint64		expected = 0;

		for (int c = 0; c < width; c++)
		{
			box[c].lo = any_below(most);
			box[c].hi = any_below(4) == 0 ? PG_UINT32_MAX : box[c].lo + any_below(most);
		}
		for (uint32 i = 0; i < n; i++)
		{
			bool		is_in = true;

			for (int c = 0; c < width; c++)
				is_in &= span_contains(box[c], span_of(code[i * width + c]));
			expected += is_in ? weight[i] : 0;
		}
		check(points_in_box(tree, box) == expected);
	}
}

static void
estimates_come_near(void)
{
	populations_are_found(0.0, 400, 20000, 2000);
	populations_are_found(0.4, 100, 20000, 2000);
	populations_are_found(0.7, 20, 20000, 4000);
	populations_are_found(0.3, 1000, 20000, 1000);
}

static void
boxes_of_all_widths(void)
{
	for (int i = 0; i < 100; i++)
		boxes_hold_their_points(i % 5);
}

static const Test tests[] = {
	{"likelihoods are sums of logs", likelihoods_are_sums},
	{"chances are products", chances_are_products},
	{"expected risks are means of a negative binomial distribution", expected_risks_are_means},
	{"what is drawn by the model is estimated well", estimates_come_near},
	{"fits are likeliest", fits_are_likeliest},
	{"nothing is estimated of nothing", nothing_is_estimated_of_nothing},
	{"risks are as defined", risks_are_as_defined},
	{"nobody has no risk", nobody_has_no_risk},
	{"boxes hold their points", boxes_of_all_widths},
};

int
main(void)
{
	return run_tests(tests, lengthof(tests));
}

/*
 * test_reserve.c
 *		Is the reserve that is chosen by itself a good one?
 *
 * Losses are compared with classes that were cut, costs with lives of classes
 * that are played person by person, and the choice with all others.
 */
#include "shim.h"

#include <math.h>

#include "common/pg_prng.h"
#include "frame/arrays.h"
#include "method/bpg/class_life.h"
#include "partition/classes.h"
#include "partition/mondrian.h"

#define NQIS		3
#define NCODES		200

static pg_prng_state random_state;

static double
draw(void)
{
	return pg_prng_double(&random_state);
}

/* ---- Losses ---- */

static TreeNode node[] = {{.leaves = {0, 1}, .first_child = 1, .nchildren = 2}, {.leaves = {0, 0}, .level = 1}, {.leaves = {1, 1}, .level = 1}};
static uint32 leaf[] = {1, 2};
static const Tree shown_or_not = {.nnodes = 3, .nodes = node, .leaf = leaf};
static double position[NCODES];
static uint64 frequency[NCODES];
static Domain domain[NQIS];

/* Rows whose codes are drawn evenly, of so many different codes; the last column has two values, which are shown or withheld. */
static Frame
make_frame(uint64 nrows, Code ncodes)
{
	Frame		frame = {.nrows = nrows, .nqis = NQIS, .domain = domain, .nsensitive = 4};

	frame.code = palloc(sizeof(Code *) * NQIS);
	frame.sensitive = new_array(Code, nrows);
	for (int i = 0; i < NCODES; i++)
		position[i] = i;
	for (int q = 0; q < NQIS; q++)
	{
		domain[q] = (Domain) {.size = NCODES, .null_code = NO_CODE, .frequency = frequency, .position = position};
		frame.code[q] = new_array(Code, nrows);
		for (uint64 row = 0; row < nrows; row++)
			frame.code[q][row] = draw() * (q < NQIS - 1 ? ncodes : Min(ncodes, 2));
	}
	domain[NQIS - 1] = (Domain) {.size = 2, .null_code = NO_CODE, .frequency = frequency, .tree = &shown_or_not};
	for (uint64 row = 0; row < nrows; row++)
		frame.sensitive[row] = draw() * 4;
	return frame;
}

static RowId *
all_rows(uint64 nrows)
{
	RowId	   *rows = new_array(RowId, nrows);

	for (uint64 row = 0; row < nrows; row++)
		rows[row] = row;
	return rows;
}

/* The average loss of a cell, and the average size, of classes that are cut. */
static double
loss_of_cut(const Frame *frame, uint64 least, double *size)
{
	Principle	principle = principle_k_l(least, 1);
	Classes    *classes = mondrian(frame, all_rows(frame->nrows), frame->nrows, &principle, 1);
	double		sum = 0;

	for (uint32 c = 0; c < classes->nclasses; c++)
		for (int q = 0; q < NQIS; q++)
			sum += domain_loss(&domain[q], class_region(classes, c)[q]) * class_size(classes, c);
	*size = (double) frame->nrows / classes->nclasses;
	return sum / NQIS / frame->nrows;
}

static void
test_losses_of_cuts(void)
{
	for (uint64 nrows = 1000; nrows <= 27000; nrows *= 3)
	{
		Frame		frame = make_frame(nrows, NCODES);
		LossCurve	curve = loss_curve(&frame, all_rows(nrows), nrows);

		for (uint64 least = 10; least <= nrows / 20; least *= 3)
		{
			double		size;
			double		loss = loss_of_cut(&frame, least, &size);

			printf("# %6lu rows, classes of %7.1f: %.4f, cut %.4f\n", (unsigned long) nrows, size, loss_of_size(&curve, size), loss);
			check(loss_of_size(&curve, size) < loss * 1.3 && loss_of_size(&curve, size) > loss / 1.3);
		}
	}
}

static void
test_curve(void)
{
	Frame		frame = make_frame(5000, NCODES);
	Frame		alike = make_frame(5000, 1);
	RowId	   *rows = all_rows(5000);
	LossCurve	curve = loss_curve(&frame, rows, 5000);

	for (double size = 2; size < 5000; size *= 1.3)
		check(loss_of_size(&curve, size) <= loss_of_size(&curve, size * 1.3));
	for (uint64 row = 0; row < 5000; row++)
		check(rows[row] == row);
	curve = loss_curve(&alike, rows, 5000);
	check(loss_of_size(&curve, 10) == 0);
	curve = loss_curve(&frame, rows, 3);
	check(loss_of_size(&curve, 3) >= 0 && loss_of_size(&curve, 3) <= 1);
	curve = loss_curve(&frame, rows, 0);
	check(loss_of_size(&curve, 3) == 0);
}

/* ---- Costs ---- */

/* The life of one class, person by person, by the rules of docs/explanation/bpg.md; adds to its cost and its people. */
static void
play_class(const Outlook *outlook, double loss, int alive, double *cost, double *people)
{
	int			dead = 0;
	bool		is_given_up = false;

	for (uint32 release = 0; release < outlook->releases && alive > 0; release++)
	{
		int			invented;

		for (int i = alive; release > 0 && i > 0; i--)
			if (draw() < outlook->churn)
			{
				alive--;
				dead++;
			}
		if (dead >= (int) outlook->k)
			dead = 0;
		invented = Max(dead, (int) outlook->k - alive);
		is_given_up |= alive < outlook->invented_cost * invented;
		*people += alive;
		*cost += is_given_up ? alive : alive * loss + outlook->invented_cost * invented;
	}
}

static void
test_costs_of_lives(void)
{
	static const double churns[] = {0.01, 0.05, 0.2};

	for (int i = 0; i < (int) lengthof(churns); i++)
		for (uint32 releases = 5; releases <= 50; releases += 45)
			for (int size = 14; size <= 224; size *= 4)
			{
				Outlook		outlook = {.k = 10, .churn = churns[i], .releases = releases, .invents = true, .invented_cost = 1};
				LossCurve	curve = {.npoints = 1, .size = {1000}, .loss = {0.1}};
				double		cost = 0;
				double		people = 0;
				double		expected = cost_of_size(&outlook, &curve, size);

				for (int life = 0; life < some_of(2000); life++)
					play_class(&outlook, 0.1, size, &cost, &people);
				printf("# %2.0f %%, %2u releases, classes of %3d: %.4f, played %.4f\n", churns[i] * 100, releases, size, expected, cost / people);
				check(fabs(expected - cost / people) < 0.03 + 0.25 * cost / people);
			}
}

static void
test_choice(void)
{
	Frame		frame = make_frame(20000, NCODES);
	LossCurve	curve = loss_curve(&frame, all_rows(20000), 20000);
	Outlook		outlook = {.k = 10, .releases = 20, .invents = true, .invented_cost = 1};
	uint64		last = 1;

	check(best_reserve(&outlook, &curve, 20000) == 1);	/* nobody leaves */
	for (outlook.churn = 0.01; outlook.churn < 0.2; outlook.churn += 0.03)
	{
		uint64		reserve = best_reserve(&outlook, &curve, 20000);

		printf("# %2.0f %% leave: reserve %lu\n", outlook.churn * 100, (unsigned long) reserve);
		check(reserve * 5 / 4 >= last);	/* classes that all leave soon need no more */
		for (uint64 other = 1; other <= 100; other++)
			check(cost_of_size(&outlook, &curve, reserve * 14) <= cost_of_size(&outlook, &curve, other * 14) * 1.05);
		last = reserve;
	}
	check(last > 3);
	outlook.releases = 1;
	check(best_reserve(&outlook, &curve, 20000) == 1);	/* there is no later release */
	outlook.releases = 20;
	outlook.invents = false;
	outlook.churn = 0.05;
	check(best_reserve(&outlook, &curve, 20000) > 10);	/* true rows cost people */
	check(best_reserve(&outlook, &curve, 5) == 1);	/* too few for two classes */
	outlook.k = PG_INT32_MAX;
	check(best_reserve(&outlook, &curve, 20000) == 1);
}

static const Test tests[] = {
	{"the shape of a loss curve", test_curve},
	{"losses of classes that are cut", test_losses_of_cuts},
	{"costs of lives that are played", test_costs_of_lives},
	{"the choice", test_choice},
};

int
main(void)
{
	pg_prng_seed(&random_state, 7);
	return run_tests(tests, lengthof(tests));
}

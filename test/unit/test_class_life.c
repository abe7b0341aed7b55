/*
 * test_class_life.c
 *		What is expected of the future of a table, against lives that were led.
 */
#include "lives.h"

#include <math.h>

#include "method/bpg/bpg.h"

/* The share withheld of a release of true rows. */
static double
withheld_of(uint64 k, uint64 reserve, double leave, int release)
{
	Outlook		outlook = {.k = k, .churn = leave};

	return release_shares(&outlook, 1.2 * k * reserve, release).withheld;
}

/* Shares withheld of 20,000 people, k = 10, in lives that were measured, of which so many percent left a release. */
static void
test_what_is_foreseen(void)
{
	static const struct
	{
		double		leave;
		int			release;
		double		measured;
	}			lives[] = {{.05, 1, 0}, {.05, 2, .417}, {.05, 3, .649}, {.05, 5, .813}, {.05, 10, .891}, {.025, 2, .23}, {.025, 5, .63}, {.025, 40, .91}};

	for (int i = 0; i < (int) lengthof(lives); i++)
		check(fabs(withheld_of(10, 1, lives[i].leave, lives[i].release) - lives[i].measured) < .02);
	for (int64 k = 2; k <= PG_INT32_MAX; k = k < 100 ? k + 1 : k * 10)
		for (int64 reserve = 1; reserve < 12; reserve++)
			for (int release = 1; release <= 12; release++)
			{
				double		share = withheld_of(k, reserve, .05, release);

				check(share >= 0 && share < 1);
				check(release == 1 ? share == 0 : share > withheld_of(k, reserve, .05, release - 1) - 1e-9);
				check(reserve == 1 || share <= withheld_of(k, reserve - 1, .05, release) + .02);
			}
}

static Draft *
draft_of_all(World *world)
{
	return bpg_method.draft(&world->frame, &world->past, world->params, below(1000000));
}

/* Of each twenty people one leaves, and another comes: the share withheld of releases 2 and 10. */
static void
live_foreseen(World *world, int64 k, int64 reserve, double *withheld)
{
	memset(world, 0, sizeof(World));
	world->params[0] = k;
	world->params[1] = 1;
	world->params[2] = 2;
	world->params[3] = reserve;
	add_people(world, 200, NVALUES);
	for (int r = 1; r <= 10; r++)
	{
		release(world, 100, draft_of_all);
		if (r == 2 || r == 10)
			withheld[r == 10] += world->draft->suppressed / 200.0;
		for (int gone = 0; gone < 10;)
		{
			Individual *individual = &world->individuals[below(world->nindividuals)];

			gone += individual->alive;
			individual->alive = false;
		}
		add_people(world, 10, NVALUES);
	}
}

static void
test_what_comes_true(void)
{
	World	   *world = malloc(sizeof(World));

	for (int64 k = 3; k <= 5; k++)
		for (int64 reserve = 1; reserve <= 2; reserve++)
		{
			double		withheld[2] = {0};

			for (int life = 0; life < 20; life++)
				live_foreseen(world, k, reserve, withheld);
			printf("# k = %d, reserve %d: %.3f withheld, %.3f foreseen; %.3f, %.3f\n", (int) k, (int) reserve,
				   withheld[0] / 20, withheld_of(k, reserve, .05, 2), withheld[1] / 20, withheld_of(k, reserve, .05, 10));
			check(fabs(withheld[0] / 20 - withheld_of(k, reserve, .05, 2)) < .08);
			check(fabs(withheld[1] / 20 - withheld_of(k, reserve, .05, 10)) < .08);
		}
	free(world);
}

static const Test tests[] = {
	{"what is foreseen", test_what_is_foreseen},
	{"what comes true", test_what_comes_true},
};

RUN(tests)

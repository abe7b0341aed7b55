/*
 * reserve.c
 *		Playing the life of a class, on average.
 *
 * NOTES
 *		From release to release a part of a class leaves.  Until they are k, those
 *		who have left need invented rows in their places, or else the rest is
 *		withheld; once they are k they are a set of their own, and the rest goes
 *		on without them.  A large class loses more in its cells, and less by that:
 *		stand-ins are fewer for each of its people, and it lives longer.
 */
#include "postgres.h"

#include <math.h>

#include "method/bpg/reserve.h"

#define MEAN_CLASS 1.4			/* times the least size, as classes come out */

/* A class in the middle of its life; numbers are averages, so they need not be whole. */
typedef struct ClassLife
{
	double		alive;			/* and not lost */
	double		dead;			/* since the class was parted last */
	double		lost;			/* who stay and can never be shown again */
} ClassLife;

/* The invented rows that it takes to show those who are alive, by numbers alone. */
static double
stand_ins(const Outlook *outlook, double alive, double dead)
{
	double		missing = Max(outlook->k - alive, 0);

	return dead < outlook->k ? Max(dead, missing) : missing;
}

bool
is_dying(const Outlook *outlook, double alive, double dead)
{
	return alive < outlook->invented_cost * stand_ins(outlook, alive, dead);
}

/* Goes on to the next release: a part of a class leaves. */
static void
step(const Outlook *outlook, ClassLife *life)
{
	double		leave = life->alive * outlook->churn;

	life->alive -= leave;
	life->lost -= life->lost * outlook->churn;
	life->dead += leave;
	if (life->dead >= outlook->k)
		life->dead = 0;
}

/*
 * Without invented rows: if anybody has left, as many are withheld for good as
 * those who left lack to k, or all where the others would be fewer than k.
 */
static void
withhold(const Outlook *outlook, ClassLife *life)
{
	double		any = 1 - exp(-life->dead);
	double		hidden = life->alive + life->dead < 2 * outlook->k ? life->alive : Max(outlook->k - life->dead, 0);

	life->lost += any * Min(hidden, life->alive);
	life->alive -= any * Min(hidden, life->alive);
	life->dead = 0;
}

/* The cost of one release. */
static double
release_cost(const Outlook *outlook, ClassLife *life, double loss)
{
	if (!outlook->invents)
		withhold(outlook, life);
	else if (is_dying(outlook, life->alive, life->dead))
		return life->alive;
	return life->lost + life->alive * loss +
		(outlook->invents ? outlook->invented_cost * stand_ins(outlook, life->alive, life->dead) : 0);
}

double
cost_of_size(const Outlook *outlook, const LossCurve *curve, double size)
{
	double		loss = loss_of_size(curve, size);
	ClassLife	life = {.alive = size};
	double		cost = 0;
	double		people = 0;

	for (uint32 release = 0; release < outlook->releases && life.alive + life.lost >= size / 1000; release++)
	{
		if (release > 0)
			step(outlook, &life);
		people += life.alive + life.lost;
		cost += release_cost(outlook, &life, loss);
	}
	return cost / people;
}

uint64
best_reserve(const Outlook *outlook, const LossCurve *curve, uint64 people)
{
	uint64		best = 1;
	double		least = INFINITY;

	for (uint64 reserve = 1; reserve == 1 || reserve * outlook->k * 2 <= people; reserve += reserve / 8 + 1)
	{
		double		cost = cost_of_size(outlook, curve, reserve * outlook->k * MEAN_CLASS);

		if (cost < least)
		{
			least = cost;
			best = reserve;
		}
	}
	return best;
}

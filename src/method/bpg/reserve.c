/*
 * reserve.c
 *		Choosing the size of classes that costs least.
 *
 * NOTES
 *		A large class loses more in its cells, and less by those who leave: invented
 *		rows are fewer for each of its people, and it lives longer.
 */
#include "postgres.h"

#include <math.h>

#include "method/bpg/reserve.h"
#include "miscadmin.h"

#define MEAN_CLASS 1.4			/* times the least size, as classes come out */

/* Releases that few of a class see make no difference, nor do those after very many. */
#define FEW_LEFT		0.001
#define MOST_RELEASES	1000

double
cost_of_size(const Outlook *outlook, const LossCurve *curve, double size)
{
	double		loss = loss_of_size(curve, size);
	uint32		releases = Min(outlook->releases, MOST_RELEASES);
	ClassLife	life = class_life(outlook, size);
	double		cost = 0;
	double		people = 0;

	for (uint32 release = 0; release < releases && life.alive >= size * FEW_LEFT; release++)
	{
		PeopleShares shares = class_shares(&life);

		people += life.alive;
		cost += life.alive * (shares.withheld + (1 - shares.withheld) * loss + outlook->invented_cost * shares.invented);
		live_on(&life);
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
		double		size = reserve * outlook->k * MEAN_CLASS;
		double		cost = cost_of_size(outlook, curve, Max(size, curve->least_size));

		CHECK_FOR_INTERRUPTS();
		if (cost < least)
		{
			least = cost;
			best = reserve;
		}
	}
	return best;
}

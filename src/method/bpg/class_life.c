/*
 * class_life.c
 *		Playing the life of a class, on average, and choosing the size of classes that
 *		costs least.
 *
 * NOTES
 *		From release to release a part of a class leaves.  Until they are k, those
 *		who have left need invented rows in their places, or else they are hidden
 *		among people who are withheld for good.  Once they are k they are a set of
 *		their own, and the rest goes on without them.
 *
 *		With invented rows, averages of the numbers tell enough.  With true rows,
 *		all of a neighborhood of fewer than 2k people are lost as soon as anybody
 *		leaves, so the average person's fate is a walk along the sizes that the
 *		neighborhood has after each parting.
 *
 *		Sensitive values are left out of account: classes that must be larger for their sake begin larger
 *		(see LossCurve), and then go the same way.
 *		test/unit/test_class_life.c compares with lives that were led.
 *
 *		A large class loses more in its cells, and less by those who leave: invented
 *		rows are fewer for each of its people, and it lives longer.
 */
#include "postgres.h"

#include <math.h>

#include "method/bpg/class_life.h"
#include "miscadmin.h"

#define MEAN_CLASS 1.4			/* times the least size, as classes come out */

/* Releases that few of a class see make no difference, nor do those after very many. */
#define FEW_LEFT		0.001
#define MOST_RELEASES	1000

/* How many of the others leave between two releases, if anybody does. */
static double
leaving(const Outlook *outlook, double size)
{
	double		others = Max(size - 1, 0);
	double		any = 1 - pow(1 - outlook->churn, others);

	return any > 0 ? outlook->churn * others / any : 0;
}

/* Sets what sizes a neighborhood of true rows goes through: those who have left go, and others with them until they are k. */
static void
list_sizes(ClassLife *life)
{
	double		k = life->outlook->k;
	int			i = 0;

	for (; i < MOST_PARTINGS && life->size[i] >= 2 * k; i++)
	{
		double		leave = leaving(life->outlook, life->size[i]);

		life->size[i + 1] = life->size[i] - Max(k, leave);
	}
	life->npartings = i;
}

ClassLife
class_life(const Outlook *outlook, double size)
{
	ClassLife	life = {.outlook = outlook, .alive = size, .size = {size}, .shown = {1}};

	if (!outlook->invents)
		list_sizes(&life);
	return life;
}

/* Of those who stay in a neighborhood that somebody has left: the part that is withheld for good. */
static double
hidden_share(const Outlook *outlook, double size)
{
	double		departed = leaving(outlook, size);

	departed = Min(departed, outlook->k);
	return size < 2 * outlook->k ? 1 : (outlook->k - departed) / (size - departed);
}

/* True rows: neighborhoods that somebody has left are parted, or lost. */
static void
part_neighborhoods(ClassLife *life)
{
	const Outlook *outlook = life->outlook;

	for (int i = life->npartings; i >= 0; i--)
	{
		double		whole = pow(1 - outlook->churn, Max(life->size[i] - 1, 0));
		double		met = life->shown[i] * (1 - whole);

		life->shown[i] -= met;
		if (i < life->npartings)
			life->shown[i + 1] += met * (1 - hidden_share(outlook, life->size[i]));
	}
}

void
live_on(ClassLife *life)
{
	const Outlook *outlook = life->outlook;
	double		leave = life->alive * outlook->churn;

	life->alive -= leave;
	life->dead += leave;
	if (life->dead >= outlook->k)
		life->dead = 0;
	if (!outlook->invents)
		part_neighborhoods(life);
}

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

PeopleShares
class_shares(const ClassLife *life)
{
	PeopleShares shares = {0};

	if (!life->outlook->invents)
	{
		shares.withheld = 1;
		for (int i = 0; i <= life->npartings; i++)
			shares.withheld -= life->shown[i];
		shares.withheld = Max(shares.withheld, 0);
	}
	else if (is_dying(life->outlook, life->alive, life->dead))
		shares.withheld = 1;
	else
		shares.invented = stand_ins(life->outlook, life->alive, life->dead) / life->alive;
	return shares;
}

PeopleShares
release_shares(const Outlook *outlook, double size, uint32 release)
{
	ClassLife	life = class_life(outlook, size);
	PeopleShares all = {0};
	double		there = 1;		/* of those who came so many releases ago */

	for (uint32 age = 0; age < release; age++)
	{
		PeopleShares shares = class_shares(&life);
		double		part = age < release - 1 ? there * outlook->churn : there;

		all.withheld += part * shares.withheld;
		all.invented += part * shares.invented;
		there *= 1 - outlook->churn;
		live_on(&life);
	}
	return all;
}

/* ----------------------------------------------------------------
 * The size that costs least
 * ----------------------------------------------------------------
 */

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

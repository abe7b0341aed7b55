/*
 * crowds.c
 *		Demands of rows on their class, and whether a class in the making meets them.
 */
#include "postgres.h"

#include <math.h>

#include "frame/arrays.h"
#include "partition/growing.h"

/* So near to each other, doubles that were computed in a few hundred steps may be the same number. */
#define NEAR 1e-9

static inline bool
is_near(double a, double b)
{
	return fabs(a - b) < NEAR * b;	/* nothing is near to what is infinite */
}

static bool
demand_is_met(const Ratios *ratios, RowId row, const Demand *demand, uint64 size, uint64 count)
{
	double		needed = demand->ratio * count;

	if (!is_near(size, needed))
		return size > needed;
	return ratios->is_met(ratios, row, demand, size, count);
}

/* How often has the row the value? */
static uint32
times_own(const Ratios *ratios, RowId row, Code value)
{
	uint64		n;
	const Code *own = values_of(ratios, row, &n);
	uint32		times = 0;

	for (uint64 i = 0; i < n; i++)
		times += own[i] == value;
	return times;
}

const Demand *
own_demand(const Ratios *ratios, RowId row)
{
	if (ratios->first != NULL && ratios->value[row] != NO_CODE)
		for (uint64 i = ratios->first[row]; i < ratios->first[row + 1]; i++)
			if (times_own(ratios, row, ratios->demands[i].value) > 0)
				return &ratios->demands[i];
	return NULL;
}

/* Would the row's own values be linked to it no better than is demanded, if no other row of so many has them? */
static bool
is_met_alone(const Ratios *ratios, RowId row, uint64 size)
{
	uint64		n;
	const Code *own = values_of(ratios, row, &n);

	for (uint64 i = 0; i < n; i++)
		if (!base_is_met(ratios, size, times_own(ratios, row, own[i])))
			return false;
	for (uint64 i = ratios->first == NULL ? 0 : ratios->first[row]; ratios->first != NULL && i < ratios->first[row + 1]; i++)
	{
		uint32		times = times_own(ratios, row, ratios->demands[i].value);

		if (times > 0 && !demand_is_met(ratios, row, &ratios->demands[i], size, times))
			return false;
	}
	return true;
}

uint64
least_size(const Ratios *ratios, RowId row)
{
	const Demand *demand = own_demand(ratios, row);
	double		ratio = demand == NULL ? ratios->base : Max(ratios->base, demand->ratio);
	uint64		size;

	if (!(ratio < MAX_FRAME_ROWS))
		return PG_UINT64_MAX;
	size = (uint64) ceil(ratio * (1 - NEAR));
	while (!is_met_alone(ratios, row, size))
		size++;
	return size;
}

Crowd *
crowd_create(const Ratios *ratios)
{
	Crowd	   *crowd = palloc0(sizeof(Crowd));
	Size		n = (Size) ratios->nvalues + 1;

	crowd->ratios = ratios;
	crowd->count = new_zeros(uint32, n);
	crowd->touched = new_array(Code, n);
	crowd->is_touched = new_zeros(bool, n);
	if (ratios->first == NULL)
		return crowd;
	crowd->worst = new_zeros(const Demand *, n);
	crowd->worst_of = new_array(RowId, n);
	crowd->is_close = new_zeros(bool, n);
	return crowd;
}

void
crowd_clear(Crowd *crowd)
{
	for (Code i = 0; i < crowd->ntouched; i++)
	{
		Code		value = crowd->touched[i];

		crowd->count[value] = 0;
		crowd->is_touched[value] = false;
		if (crowd->worst == NULL)
			continue;
		crowd->worst[value] = NULL;
		crowd->is_close[value] = false;
	}
	crowd->ntouched = 0;
	crowd->size = 0;
	crowd->most = 0;
}

static void
touch(Crowd *crowd, Code value)
{
	if (crowd->is_touched[value])
		return;
	crowd->is_touched[value] = true;
	crowd->touched[crowd->ntouched++] = value;
}

void
crowd_count(Crowd *crowd, RowId row)
{
	uint64		n;
	const Code *own = values_of(crowd->ratios, row, &n);

	crowd->size++;
	for (uint64 i = 0; i < n && own[i] != NO_CODE; i++)
	{
		touch(crowd, own[i]);
		crowd->count[own[i]]++;
		crowd->most = Max(crowd->most, crowd->count[own[i]]);
	}
}

/* Keeps the greatest demand on each value, and notes where two are too close to tell. */
void
crowd_add(Crowd *crowd, RowId row)
{
	const Ratios *ratios = crowd->ratios;

	crowd_count(crowd, row);
	if (ratios->first == NULL)
		return;
	for (uint64 i = ratios->first[row]; i < ratios->first[row + 1]; i++)
	{
		const Demand *demand = &ratios->demands[i];
		const Demand **worst = &crowd->worst[demand->value];

		touch(crowd, demand->value);
		if (*worst != NULL && (*worst)->ratio != demand->ratio)
			crowd->is_close[demand->value] |= is_near((*worst)->ratio, demand->ratio);
		if (*worst != NULL && (*worst)->ratio >= demand->ratio)
			continue;
		*worst = demand;
		crowd->worst_of[demand->value] = row;
	}
}

bool
crowd_has_room(const Crowd *crowd, Code value, uint32 more)
{
	uint64		count = (uint64) crowd->count[value] + more;
	const Demand *worst = crowd->worst == NULL ? NULL : crowd->worst[value];

	if (!base_is_met(crowd->ratios, crowd->goal, count))
		return false;
	if (worst == NULL)
		return true;
	if (crowd->is_close[value] && is_near(crowd->goal, worst->ratio * count))
		return false;			/* who of several demands most is not known */
	return demand_is_met(crowd->ratios, crowd->worst_of[value], worst, crowd->goal, count);
}

bool
crowd_meets(const Crowd *crowd, RowId row, const Demand *demand)
{
	uint64		count = (uint64) crowd->count[demand->value] + times_own(crowd->ratios, row, demand->value);

	return count == 0 || demand_is_met(crowd->ratios, row, demand, crowd->goal, count);
}

bool
crowd_admits(const Crowd *crowd, RowId row)
{
	const Ratios *ratios = crowd->ratios;
	uint64		n;
	const Code *own = values_of(ratios, row, &n);
	double		all = (double) crowd->goal / (crowd->most + n) * (1 - NEAR);

	for (uint64 i = 0; i < n && own[i] != NO_CODE; i++)
		if ((i == 0 || own[i] != own[i - 1]) && !crowd_has_room(crowd, own[i], n == 1 ? 1 : times_own(ratios, row, own[i])))
			return false;
	if (ratios->first == NULL)
		return true;
	for (uint64 i = ratios->first[row]; i < ratios->first[row + 1]; i++)
	{
		if (ratios->demands[i].ratio < all)
			break;				/* that of all values would be met, and what follows is less */
		if (!crowd_meets(crowd, row, &ratios->demands[i]))
			return false;
	}
	return true;
}

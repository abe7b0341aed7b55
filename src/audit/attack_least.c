/*
 * attack_least.c
 *		The fewest people and values of the sets that a pair of releases reveals.
 *
 * NOTES
 *		Sizes add up.  Different values do not, but a sketch of 64 bits, in which
 *		each value sets one, gives a set no more bits than it has values.  Only
 *		if that bound is less than the least number found so far are the values of
 *		a class counted, which happens seldom: where there are few values the
 *		bound is exact, and each count finds less than there was.
 *
 *		To count what C lacks without a part, it is enough to know of each part
 *		how many values of C are in no other.  So a class costs one step for each
 *		value of an atom, into however many parts it falls.
 */
#include "postgres.h"

#include "audit/attacking.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"

/* No more than the values of each part, and of the class without it. */
static void
bound_values(Attacker *attacker)
{
	uint64		any = 0;		/* bits of some part */
	uint64		many = 0;		/* bits of several */
	int			nany;

	for (uint32 p = 0; p < attacker->nparts; p++)
	{
		many |= any & attacker->part[p].sketch;
		any |= attacker->part[p].sketch;
	}
	nany = pg_popcount64(any);
	for (uint32 p = 0; p < attacker->nparts; p++)
	{
		ClassPart  *part = &attacker->part[p];

		part->within = pg_popcount64(part->sketch);
		part->without = nany - pg_popcount64(part->sketch & ~many);
	}
}

/*
 * Counts the values of a part.  Its "without" counts those that no other part
 * has; first_mark is that of the class's first part.  Returns how many no part
 * before it had.
 */
static uint32
count_part(Attacker *attacker, uint32 p, uint64 first_mark)
{
	ClassPart  *part = &attacker->part[p];
	uint64		mark = first_mark + p;
	uint32		fresh = 0;

	part->within = part->without = 0;
	for (uint32 i = part->last; i != NO_PRESENCE; i = attacker->next[i])
	{
		const Presence *presence = &attacker->own.presence[i];

		for (uint32 j = presence[0].first_value; j < presence[1].first_value; j++)
		{
			Code		value = attacker->own.value[j];
			uint64		before = attacker->seen_in[value];

			if (before == mark)
				continue;
			attacker->seen_in[value] = mark;
			part->within++;
			if (before < first_mark)
			{
				part->without++;
				fresh++;
			}
			else if (attacker->shared_in[value] != first_mark)
			{
				attacker->part[before - first_mark].without--;
				attacker->shared_in[value] = first_mark;
			}
		}
	}
	return fresh;
}

/* Counts the different values of each part, and those of the class without it. */
static void
count_values(Attacker *attacker)
{
	uint64		first_mark = attacker->mark + 1;
	uint32		values = 0;

	for (uint32 p = 0; p < attacker->nparts; p++)
		values += count_part(attacker, p, first_mark);
	for (uint32 p = 0; p < attacker->nparts; p++)
		attacker->part[p].without = values - attacker->part[p].without;
	attacker->mark += attacker->nparts;
}

/* Individuals that are absent from the other release are a difference; without a class, all others of this one are. */
static Found
lowered(const Attacker *attacker, uint64 size, Found found)
{
	for (uint32 p = 0; p < attacker->nparts; p++)
	{
		const ClassPart *part = &attacker->part[p];

		if (part->class == absent_from_other(attacker))
		{
			lower(&found.differences, part->records, part->within);
			continue;
		}
		lower(&found.intersections, part->records, part->within);
		if (part->records < size)
			lower(&found.differences, size - part->records, part->without);
	}
	return found;
}

/* Lowers what was found by a class; its values are counted only where the bound could be less. */
static void
attack_class(Attacker *attacker, uint64 size, uint32 c, Found *found)
{
	Found		bound;

	part_class(attacker, c);
	bound_values(attacker);
	bound = lowered(attacker, size, *found);
	if (bound.intersections.values < found->intersections.values ||
		bound.differences.values < found->differences.values)
	{
		count_values(attacker);
		bound = lowered(attacker, size, *found);
	}
	*found = bound;
}

static inline bool
is_less(const Least *least, const Least *found)
{
	return least->records < found->records || least->values < found->values;
}

/* Are there people of the release in view in the other one? */
static bool
have_common(const Attacker *attacker)
{
	const uint64 *own = attacker->is_in[attacker->own.r];
	const uint64 *other = attacker->is_in[attacker->other];

	for (uint32 i = 0; i <= attacker->atoms->natoms / 64; i++)
		if ((own[i] & other[i]) != 0)
			return true;
	return false;
}

/*
 * Each set of a class has an atom of it, so a class whose least atom is no less than what was found need not be parted.
 * Classes of small atoms come first, and most others are left out after them.
 */
Found
least_of_pair(Attacker *attacker, int32 other)
{
	const View *own = &attacker->own;
	Found		found = {no_set, no_set};
	bool		common;

	attacker->other = other;
	common = have_common(attacker);
	for (uint32 i = 0; i < own->nclasses; i++)
	{
		uint32		c = own->order[i];
		const Least *least = &own->least[c];

		if (!(common && is_less(least, &found.intersections)) && !is_less(least, &found.differences))
			continue;
		CHECK_FOR_INTERRUPTS();
		attack_class(attacker, seen_size(&attacker->seen->release[own->r], c), c, &found);
	}
	return found;
}

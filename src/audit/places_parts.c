/*
 * places_parts.c
 *		May some places of a group be parted off, whoever sits in them?
 *
 * NOTES
 *		The values of a part are not known before it is shown, so any of its size may be its own.  NULLs count for
 *		nothing, and the commonest values leave the fewest others, or the least even ones: the worst part has all NULLs,
 *		and then the commonest values.  Conditions that look at one value more than at others are tried with each of
 *		them in front.  So no part is refused wrongly; under conditions that compare with shares, one may be overlooked.
 */
#include "postgres.h"

#include "audit/places_judge.h"
#include "frame/arrays.h"
#include "miscadmin.h"

/* A value of the set, and the side of it that an aspect judges. */
typedef struct Sided
{
	Code		value;
	Code		side;
	uint32		count;			/* rows that have the value */
	uint64		side_count;		/* and that side */
} Sided;

/* Values of one side together, in an order that does not depend on how they came. */
DEFINE_ORDER(compare_sides, Sided, ASCENDING(side) ASCENDING(value));

/* NULLs first, then the commonest sides. */
static int
compare_commonest(const void *a, const void *b)
{
	const Sided *one = a;
	const Sided *other = b;

	if ((one->side == NO_CODE) != (other->side == NO_CODE))
		return one->side == NO_CODE ? -1 : 1;
	if (one->side_count != other->side_count)
		return one->side_count > other->side_count ? -1 : 1;
	return compare_sides(a, b);
}

/* The values without NULL, with their sides, the worst ones first; returns how many these are. */
static uint32
make_sides(const Aspect *aspect, const Code *value, uint64 n, Tally *tally, Sided *sides)
{
	uint32		nsides = 0;

	for (uint64 i = 0; i < n; i++)
		tally_add(tally, value[i]);
	for (uint32 i = 0; i < tally->values; i++)
	{
		Code		v = tally->value[i];

		sides[nsides++] = (Sided) {
			.value = v, .side = aspect == NULL || aspect->code == NULL ? v : aspect->code[v], .count = tally->count[v]
		};
	}
	tally_clear(tally);
	qsort(sides, nsides, sizeof(Sided), compare_sides);
	for (uint32 from = 0, to; from < nsides; from = to)
	{
		uint64		count = 0;

		for (to = from; to < nsides && sides[to].side == sides[from].side; to++)
			count += sides[to].count;
		for (uint32 i = from; i < to; i++)
			sides[i].side_count = count;
	}
	qsort(sides, nsides, sizeof(Sided), compare_commonest);
	return nsides;
}

/* Takes values in their order, those of one side in front, until the part is full. */
static bool
part_is_allowed(const Principle *principle, const Sided *sides, uint32 nsides, Code front, uint64 nulls, uint64 size, Tally *tally)
{
	bool		allowed;

	for (uint64 i = 0; i < nulls && tally->rows < size; i++)
		tally_add(tally, NO_CODE);
	for (int turn = 0; turn < 2; turn++)
		for (uint32 i = 0; i < nsides && tally->rows < size; i++)
			if ((sides[i].side == front) == (turn == 0))
				tally_add_rows(tally, sides[i].value, Min(sides[i].count, size - tally->rows));
	allowed = principle_allows_values(principle, tally);
	tally_clear(tally);
	return allowed;
}

/* Each aspect has its own worst parts. */
static bool
parts_are_allowed_by(const Principle *principle, const Aspect *aspect, const Code *value, uint64 n, uint64 size, Tally *tally)
{
	Sided	   *sides = new_array(Sided, n);
	uint32		nsides = make_sides(aspect, value, n, tally, sides);
	uint64		nulls = n;
	bool		allowed;

	for (uint32 i = 0; i < nsides; i++)
		nulls -= sides[i].count;
	allowed = part_is_allowed(principle, sides, nsides, NO_CODE, nulls, size, tally);
	for (uint32 i = 0; i < nsides && allowed && principle->judging != NULL; i++)
	{
		CHECK_FOR_INTERRUPTS();
		allowed = part_is_allowed(principle, sides, nsides, sides[i].side, nulls, size, tally);
	}
	pfree(sides);
	return allowed;
}

bool
all_parts_are_allowed(const Principle *principle, const Aspects *aspects, const Code *value, uint64 n, uint64 size, Tally *tally)
{
	if (aspects == NULL)
		return parts_are_allowed_by(principle, NULL, value, n, size, tally);
	for (int a = 0; a < aspects->n; a++)
		if (!parts_are_allowed_by(principle, &aspects->aspect[a], value, n, size, tally))
			return false;
	return true;
}

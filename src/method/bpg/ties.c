/*
 * ties.c
 *		People keep to their groups.
 */
#include "postgres.h"

#include "method/bpg/ties.h"

struct Ties
{
	const Places *places;
};

Ties *
ties_create(const Frame *frame, const Past *past, const Principle *principle, uint64 k, TiesRule rule)
{
	Ties	   *ties = palloc(sizeof(Ties));

	ties->places = past->places;
	return ties;
}

bool
tie_to_place(Ties *ties, RowId row, uint64 place)
{
	return false;
}

void
ties_forget(Ties *ties, RowId row, uint64 place)
{
}

uint64
tie_to_class(Ties *ties, RowId *rows, uint64 n)
{
	uint64		left = 0;

	for (uint64 i = 0; i < n; i++)
		if (ties->places->first_stay[rows[i] + 1] == ties->places->first_stay[rows[i]])
			rows[left++] = rows[i];
	return left;
}

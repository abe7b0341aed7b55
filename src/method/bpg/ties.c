/*
 * ties.c
 *		People keep to their groups.
 */
#include "postgres.h"

#include "method/bpg/ties.h"

struct Ties
{
	TiesRule	rule;
};

Ties *
ties_create(const Frame *frame, const Past *past, const Principle *principle, uint64 k, TiesRule rule)
{
	return palloc0(sizeof(Ties));
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
	return n;
}

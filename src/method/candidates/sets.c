/*
 * sets.c
 *		Sets of cells, a row or an invented one of each value, in classes of a
 *		draft.
 */
#include "postgres.h"

#include "method/candidates/candidates.h"

void
add_set(Drafting *drafting, const RowId *cell, const Code *values, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		if (cell[i] != NO_ROW)
			drafting_add_rows(drafting, &cell[i], 1);
		else
			*drafting_invent(drafting, 1) = values[i];
}

void
add_invented_set(Drafting *drafting, const Code *values, uint32 n)
{
	memcpy(drafting_invent(drafting, n), values, sizeof(Code) * n);
}

/*
 * hc_safe.c
 *		Counting, for the people of a class, who of them were where together.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "partition/hc_safe.h"
#include "utils/memutils.h"

typedef struct Common
{
	uint64		excess;
	uint64		most;
} Common;

HcRoom
hc_room(const Companies *companies)
{
	return (HcRoom) {
		new_zeros(uint32, companies->n)
	};
}

static void
count_companies(const Companies *companies, const RowId *rows, uint64 nrows, HcRoom *room)
{
	for (uint64 i = 0; i < nrows; i++)
		for (uint64 at = companies->first[rows[i]]; at < companies->first[rows[i] + 1]; at++)
			room->count[companies->company[at]]++;
}

/* Looks at each earlier class once, and leaves no count behind. */
static Common
common_with(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, uint64 allowed, HcRoom *room)
{
	Common		common = {0};

	count_companies(companies, rows, nrows, room);
	for (uint64 i = 0; i < nrows; i++)
		for (uint64 at = companies->first[rows[i]]; at < companies->first[rows[i] + 1]; at++)
		{
			uint32		count = room->count[companies->company[at]];

			room->count[companies->company[at]] = 0;
			if (count >= size)
				continue;
			common.most = Max(common.most, count);
			if (count > allowed)
				common.excess += count - allowed;
		}
	return common;
}

uint64
hc_excess(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, uint32 n, HcRoom *room)
{
	uint64		allowed = size > n ? size - n : 0;

	if (n <= 1 || nrows <= allowed)
		return 0;
	return common_with(companies, rows, nrows, size, allowed, room).excess;
}

uint64
hc_most_in_common(const Companies *companies, const RowId *rows, uint64 nrows, uint64 size, HcRoom *room)
{
	return common_with(companies, rows, nrows, size, size, room).most;
}

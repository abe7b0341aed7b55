/*
 * ripe.c
 *		Who may find a class at all.
 *
 * NOTES
 *		A value that more rows have than classes can take, however the rows are
 *		dealt, keeps no more of them than that: which ones is drawn by lot, so
 *		that who is left out says nothing else of anybody.
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "partition/growing.h"
#include "utils/memutils.h"

typedef struct Ripening
{
	const Ratios *ratios;		/* borrowed */
	uint64		rows;			/* that may be in a class */
	uint64		company;		/* those of them that need none */
	uint64	   *count;			/* [values] of the others */
} Ripening;

static void
count_rows_by_value(Ripening *ripening, const RowId *rows, uint64 nrows)
{
	const Ratios *ratios = ripening->ratios;

	for (uint64 i = 0; i < nrows; i++)
	{
		if (ratios->value[rows[i]] == NO_CODE)
			ripening->company++;
		else
			ripening->count[ratios->value[rows[i]]]++;
	}
	ripening->rows = nrows;
}

/* How many rows of a value there may be, if there are so many rows in all: one for each of the smallest classes. */
static uint64
most_of_a_value(const Ripening *ripening)
{
	return ripening->rows / (uint64) ceil(ripening->ratios->base);
}

/* Lowers what is counted until no value has more rows than the others can hide. */
static void
cap_counts(Ripening *ripening)
{
	uint64		before;

	do
	{
		uint64		most = most_of_a_value(ripening);

		before = ripening->rows;
		ripening->rows = ripening->company;
		for (Code value = 0; value < ripening->ratios->nvalues; value++)
		{
			ripening->count[value] = Min(ripening->count[value], most);
			ripening->rows += ripening->count[value];
		}
	} while (ripening->rows < before);
}

/* Of the rows of each value, as many as there may be come first, drawn by lot. */
static uint64
draw_lots(Ripening *ripening, RowId *rows, uint64 nrows, uint64 *total, uint64 seed)
{
	const Ratios *ratios = ripening->ratios;
	pg_prng_state random;
	uint64		kept = 0;

	pg_prng_seed(&random, seed);
	for (uint64 i = 0; i < nrows; i++)
	{
		RowId		row = rows[i];
		Code		value = ratios->value[row];

		if (value != NO_CODE)
		{
			bool		is_drawn = ripening->count[value] == total[value] ||
				pg_prng_uint64_range(&random, 1, total[value]) <= ripening->count[value];

			total[value]--;
			if (!is_drawn)
				continue;
			ripening->count[value]--;
		}
		rows[i] = rows[kept];
		rows[kept++] = row;
	}
	return kept;
}

uint64
ripe_rows(RowId *rows, uint64 nrows, const Ratios *ratios, uint64 seed)
{
	Size		n = (Size) ratios->nvalues + 1;
	Ripening	ripening = {
		.ratios = ratios,
		.count = new_zeros(uint64, n),
	};
	uint64	   *total = new_array(uint64, n);

	count_rows_by_value(&ripening, rows, nrows);
	memcpy(total, ripening.count, sizeof(uint64) * n);
	cap_counts(&ripening);
	nrows = draw_lots(&ripening, rows, nrows, total, seed);
	pfree(total);
	pfree(ripening.count);
	return nrows;
}

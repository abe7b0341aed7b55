/*
 * tally.c
 *		Tallies of sensitive values.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "partition/tally.h"

Tally *
tally_create(Code nvalues)
{
	Tally	   *tally = palloc0(sizeof(Tally));

	tally->count = new_zeros(uint32, nvalues);
	tally->value = new_array(Code, nvalues);
	tally->place = new_array(uint32, nvalues);
	return tally;
}

void
tally_clear(Tally *tally)
{
	while (tally->values > 0)
		tally->count[tally->value[--tally->values]] = 0;
	tally->rows = 0;
}

void
tally_free(Tally *tally)
{
	pfree(tally->place);
	pfree(tally->value);
	pfree(tally->count);
	pfree(tally);
}

void
tally_copy(Tally *tally, const Tally *from)
{
	tally_clear(tally);
	tally->rows = from->rows;
	tally->values = from->values;
	for (uint32 i = 0; i < from->values; i++)
	{
		Code		value = from->value[i];

		tally->value[i] = value;
		tally->place[value] = i;
		tally->count[value] = from->count[value];
	}
}

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

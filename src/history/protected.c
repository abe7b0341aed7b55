/*
 * protected.c
 *		Looking values of the log up in a list.
 */
#include "history/protected.h"

#include "declare/tables.h"
#include "history/reader.h"
#include "utils/memutils.h"

typedef struct Marking
{
	const Recalled *recalled;
	bool	   *is_listed;
} Marking;

static void
mark_value(void *what, TupleTableSlot *slot)
{
	Marking    *marking = what;
	Code		code = recalled_value(marking->recalled, slot->tts_values[0], slot->tts_isnull[0]);

	if (code != NO_CODE && code != UNKNOWN_VALUE)
		marking->is_listed[code] = true;
}

bool *
listed_values(Oid table, const Recalled *recalled)
{
	Marking		marking = {
		.recalled = recalled,
		.is_listed = palloc_extended(sizeof(bool) * ((Size) recalled->seen.nvalues + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO),
	};

	read_each(table, mark_value, &marking);
	return marking.is_listed;
}

const bool *
protected_values(const DeclaredPublication *publication, const Recalled *recalled)
{
	Oid			copy = copied_table(publication, "transient");

	return OidIsValid(copy) ? listed_values(copy, recalled) : NULL;
}

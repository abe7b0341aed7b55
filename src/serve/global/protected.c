/*
 * protected.c
 *		Which values a publication protects.
 */
#include "serve/global/global.h"

#include "declare/tables.h"
#include "history/reader.h"
#include "utils/memutils.h"

typedef struct Marking
{
	const Recalled *recalled;
	bool	   *is_protected;
} Marking;

static void
mark_value(void *what, TupleTableSlot *slot)
{
	Marking    *marking = what;
	Code		code = recalled_value(marking->recalled, slot->tts_values[0], slot->tts_isnull[0]);

	if (code != NO_CODE && code != UNKNOWN_VALUE)
		marking->is_protected[code] = true;
}

const bool *
protected_values(const DeclaredPublication *publication, const Recalled *recalled)
{
	Oid			copy = copied_table(publication, "transient");
	Marking		marking = {.recalled = recalled};

	if (!OidIsValid(copy))
		return NULL;
	marking.is_protected = palloc_extended(sizeof(bool) * ((Size) recalled->seen.nvalues + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	read_each(copy, mark_value, &marking);
	return marking.is_protected;
}

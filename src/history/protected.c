/*
 * protected.c
 *		Looking values of the log up in a list.
 *
 * NOTES
 *		The log and the list may write equal values in different ways, so they
 *		are compared by the type's own equality.
 */
#include "history/protected.h"

#include "declare/parameters.h"
#include "frame/arrays.h"
#include "history/reader.h"
#include "utils/memutils.h"

typedef struct Listing
{
	const Recalled *recalled;
	bool	   *is_listed;
} Listing;

/* Marks a listed value, if the log has it. */
static void
list_value(void *what, TupleTableSlot *slot)
{
	const Listing *listing = what;
	Code		value = recalled_value(listing->recalled, slot->tts_values[0], slot->tts_isnull[0]);

	if (value < listing->recalled->seen.nvalues)
		listing->is_listed[value] = true;
}

bool *
listed_values(const DeclaredPublication *publication, Oid table, const Recalled *recalled)
{
	Listing		listing = {.recalled = recalled, .is_listed = new_zeros(bool, recalled->seen.nvalues)};

	read_each(table, list_value, &listing);
	return listing.is_listed;
}

Oid
protected_list(const DeclaredPublication *publication)
{
	return copied_table(publication, "transient");
}

const bool *
protected_values(const DeclaredPublication *publication, const Recalled *recalled)
{
	Oid			list = protected_list(publication);

	return OidIsValid(list) ? listed_values(publication, list, recalled) : NULL;
}

void
load_protected_values(const DeclaredPublication *publication, FrameLoad *load)
{
	Oid			list = protected_list(publication);

	if (OidIsValid(list))
		load_protected(load, list);
}

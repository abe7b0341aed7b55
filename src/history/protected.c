/*
 * protected.c
 *		Looking values of the log up in a list.
 *
 * NOTES
 *		The log and the list may write equal values in different ways, so they
 *		are compared by the type's own equality.
 */
#include "history/protected.h"

#include "declare/parameter_tables.h"
#include "frame/arrays.h"
#include "history/reader.h"
#include "utils/memutils.h"

/* Values of a list, as numbers of the log's dictionary; new values get numbers after all others. */
typedef struct Listing
{
	const Recalled *recalled;
	uint64		n;
	uint64		allocated;
	uint32	   *number;
} Listing;

/* Appends the number of a listed value. */
static void
list_value(void *what, TupleTableSlot *slot)
{
	Listing    *listing = what;

	if (listing->n == listing->allocated)
	{
		listing->allocated *= 2;
		listing->number = repalloc_huge(listing->number, sizeof(uint32) * listing->allocated);
	}
	listing->number[listing->n++] = dictionary_number(listing->recalled->dictionary, slot->tts_values[0], slot->tts_isnull[0]);
}

bool *
listed_values(const DeclaredPublication *publication, Oid table, const Recalled *recalled)
{
	Listing		listing = {.recalled = recalled,.allocated = 64,.number = palloc(sizeof(uint32) * 64)};
	bool	   *is_listed = new_zeros(bool, recalled->seen.nvalues);
	bool	   *is_equal;
	const Code *code;
	Code		ncodes;
	Datum	   *values;

	read_each(table, list_value, &listing);
	code = dictionary_merge_equal(recalled->dictionary, publication_column(publication, ROLE_SENSITIVE)->collation,
								  &ncodes, &values);
	is_equal = new_zeros(bool, ncodes);
	for (uint64 i = 0; i < listing.n; i++)
		if (listing.number[i] != DICTIONARY_NULL)
			is_equal[code[listing.number[i]]] = true;
	for (uint32 number = DICTIONARY_NULL + 1; number < recalled->known; number++)
		is_listed[recalled->code[number]] |= is_equal[code[number]];
	return is_listed;
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

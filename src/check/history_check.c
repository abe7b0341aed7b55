/*
 * history_check.c
 *		Comparing the fold with the atoms of the log.
 */
#include "check/history_check.h"

#include "audit/smallest.h"
#include "check/paths_check.h"
#include "history/fold.h"
#include "history/reader.h"
#include "miscadmin.h"
#include "release/past_releases.h"
#include "utils/memutils.h"

#define NO_ATOM PG_UINT32_MAX

typedef struct Comparing
{
	const Recalled *recalled;
	const Atoms *atoms;
	Element		key;
	bool	   *taken;			/* [atoms] by a neighborhood */
	Invariant	invariant;
} Comparing;

static uint32
atom_of(const Comparing *comparing, Thread thread)
{
	return thread == NO_THREAD ? NO_ATOM : comparing->atoms->atom[thread];
}

/* The atom of all members, or NO_ATOM where they are of several or unknown to the log. */
static uint32
atom_of_members(const Comparing *comparing, const TupleTableSlot *slot, uint64 *members)
{
	ElementWalk walk;
	ElementWalk numbers;
	bool		any_invented = !slot->tts_isnull[FOLD_INVENTED];
	uint32		atom = NO_ATOM;

	element_walk(&walk, &comparing->key, DatumGetArrayTypeP(slot->tts_values[FOLD_KEYS]));
	if (any_invented)
		element_walk(&numbers, &element_int8, DatumGetArrayTypeP(slot->tts_values[FOLD_INVENTED]));
	while (element_next(&walk))
	{
		Thread		thread = NO_THREAD;
		uint32		found;

		if (any_invented && !element_next(&numbers))
			return NO_ATOM;		/* fewer than keys */
		if (!walk.isnull)
			thread = recalled_person(comparing->recalled, walk.value);
		else if (any_invented && !numbers.isnull)
			thread = recalled_invented(comparing->recalled, DatumGetInt64(numbers.value));
		found = atom_of(comparing, thread);
		if (found == NO_ATOM || (walk.i > 0 && found != atom))
			return NO_ATOM;
		atom = found;
	}
	if (any_invented && numbers.n != walk.n)
		return NO_ATOM;
	*members = walk.n;
	return atom;
}

static bool
is_atom(Comparing *comparing, const TupleTableSlot *slot)
{
	uint64		members = 0;
	uint32		atom = is_neighborhood(slot) ? atom_of_members(comparing, slot, &members) : NO_ATOM;

	if (atom == NO_ATOM || comparing->taken[atom] || comparing->atoms->size[atom] != members)
		return false;
	comparing->taken[atom] = true;
	return true;
}

static void
compare_neighborhood(void *what, TupleTableSlot *slot)
{
	Comparing  *comparing = what;
	Invariant  *invariant = &comparing->invariant;

	invariant->neighborhoods++;
	if (!is_atom(comparing, slot) && invariant->wrong++ == 0)
		invariant->first_wrong = DatumGetInt64(slot->tts_values[FOLD_NEIGHBORHOOD]);
}

Invariant
compare_neighborhoods(const DeclaredPublication *publication, const Recalled *recalled, const Atoms *atoms)
{
	Comparing	comparing = {.recalled = recalled,.atoms = atoms};
	Oid			fold = fold_of(publication);

	if (!OidIsValid(fold))
		fold_refuse(publication, 0);
	comparing.key = element_of(publication_column(publication, ROLE_KEY));
	comparing.taken = palloc0(sizeof(bool) * ((Size) atoms->natoms + 1));
	if (is_fold(publication, fold))
		read_each(fold, compare_neighborhood, &comparing);
	for (uint32 a = 0; a < atoms->natoms; a++)
		comparing.invariant.wrong += !comparing.taken[a];
	return comparing.invariant;
}

/* What was published elsewhere need not keep what is promised here. */
static bool
any_imported(const Released *released, int32 n)
{
	for (int32 r = 0; r < n; r++)
		if (released[r].is_imported)
			return true;
	return false;
}

void
verify_invariant(const DeclaredPublication *publication)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "invariant", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	const Recalled *recalled = recall(publication);
	const Atoms *atoms = atoms_of(&recalled->seen);
	const Released *released = read_released(publication);
	Principle	weakest = weakest_principle(released, publication->releases);
	Smallest	smallest;

	if (keeps_past(publication, PAST_NEIGHBORHOODS) && compare_neighborhoods(publication, recalled, atoms).wrong > 0)
		elog(ERROR, "the neighborhoods of publication \"%s\" are not what its log tells", publication->name);
	if (keeps_past(publication, PAST_LAST | PAST_PATHS) && compare_paths(publication, recalled).wrong > 0)
		elog(ERROR, "the paths of publication \"%s\" are not what its log tells", publication->name);
	if (!any_imported(released, publication->releases) && smallest_atoms(&recalled->seen, atoms, &smallest) &&
		(smallest.records < weakest.k || (weakest.l > 1 && smallest.values < weakest.l)))
		elog(ERROR, "the releases of publication \"%s\" reveal " UINT64_FORMAT " people with %u sensitive values",
			 publication->name, smallest.records, smallest.values);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

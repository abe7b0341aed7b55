/*
 * check_history.c
 *		What must be true of a history after each release, in builds with
 *		assertions.
 *
 * Neighborhoods and paths are what the log tells, and every neighborhood
 * satisfies the principle (paper 003, Analysis).
 */
#include "postgres.h"

#include "access/xact.h"
#include "audit/smallest.h"
#include "history/rebuild.h"
#include "history/recall.h"
#include "release/given_principle.h"
#include "release/past_releases.h"
#include "release/release.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#ifdef USE_ASSERT_CHECKING

/* Imported releases need not keep what is promised here. */
static bool
any_imported(const Released *released, int32 n)
{
	for (int32 r = 0; r < n; r++)
		if (released[r].is_imported)
			return true;
	return false;
}

/* Does every atom of the log keep the weakest principle that any release promised? */
static void
check_atoms(const DeclaredPublication *publication, const Recalled *recalled, const Atoms *atoms)
{
	const Seen *seen = &recalled->seen;
	Released   *released = read_released(publication);
	Principle	weakest;
	uint64		refused;

	if (any_imported(released, publication->releases))
		return;
	bind_principles(released, seen, aspects_of_recalled(publication, recalled), NULL);
	weakest = weakest_principle(released, publication->releases);
	refused = count_refused(seen, atoms, &weakest, seen->nindividuals);
	if (refused > 0)
		elog(ERROR, "the releases of publication \"%s\" reveal " UINT64_FORMAT " people in sets that the principle does not allow",
			 publication->name, refused);
}

#endif

void
check_history(DeclaredPublication *publication)
{
#ifdef USE_ASSERT_CHECKING
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "check of a history", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	const Recalled *recalled;
	const Atoms *atoms;

	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
	publication->releases++;
	recalled = recall(publication); /* an answer has no temporary files */
	atoms = atoms_of(&recalled->seen);
	if (keeps_past(publication, PAST_NEIGHBORHOODS) && neighborhoods_compare(publication, recalled, atoms).wrong > 0)
		elog(ERROR, "the neighborhoods of publication \"%s\" are not what its log tells", publication->name);
	if (keeps_past(publication, PAST_LAST | PAST_PATHS) && paths_compare(publication, recalled).wrong > 0)
		elog(ERROR, "the paths of publication \"%s\" are not what its log tells", publication->name);
	check_atoms(publication, recalled, atoms);
	PopActiveSnapshot();
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
#endif
}

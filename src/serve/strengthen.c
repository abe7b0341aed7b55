/*
 * strengthen.c
 *		Counting who can never be published again.
 *
 * NOTES
 *		Sets that observers can tell apart only become smaller.  Whoever is in
 *		one that the new parameters do not allow is lost to all releases to come.
 */
#include "postgres.h"

#include "serve/strengthen.h"

#include "audit/smallest.h"
#include "executor/spi.h"
#include "history/recall.h"
#include "serve/released.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

static uint64
count_lost(const DeclaredPublication *publication, const Principle *principle)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "lost people", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;
	Identity	caller;
	Recalled   *recalled;
	uint64		lost;

	PushActiveSnapshot(GetLatestSnapshot());
	act_as(&caller, publication->owner);
	SPI_connect();
	old = MemoryContextSwitchTo(work);
	recalled = recall(publication);
	lost = count_refused(&recalled->seen, atoms_of(&recalled->seen), principle, recalled->people->size);
	MemoryContextSwitchTo(old);
	SPI_finish();
	act_as_before(&caller);
	PopActiveSnapshot();
	MemoryContextDelete(work);
	return lost;
}

void
warn_of_lost_people(const DeclaredPublication *publication, Jsonb *params)
{
	Principle	before = principle_under(publication->method, publication->params);
	Principle	after = principle_under(publication->method, params);
	uint64		lost;

	if (after.k <= before.k && after.l <= before.l)
		return;
	lost = count_lost(publication, &after);
	if (lost > 0)
		ereport(WARNING,
				(errmsg("with these parameters " UINT64_FORMAT " people of publication \"%s\" can never be published again",
						lost, publication->name),
				 errdetail("What was published tells them apart from others in sets that are too small now, or have too few sensitive values, and sets never grow."),
				 errhint("To keep them, set the former parameters again, with \"accept_weakening\": true.")));
}

/*
 * warn_of_lost_people.c
 *		Counting who can never be published again.
 *
 * NOTES
 *		Sets that observers can tell apart only become smaller.  Whoever is in
 *		one that the new parameters do not allow is lost to all releases to come.
 */
#include "postgres.h"

#include "release/warn_of_lost_people.h"

#include "audit/smallest.h"
#include "declare/work.h"
#include "history/recall.h"
#include "release/past_releases.h"
#include "release/promises.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

static uint64
count_lost(const DeclaredPublication *publication, const Principle *principle)
{
	OwnersWork	work;
	Recalled   *recalled;
	uint64		lost;

	work_begin(&work, publication->owner, GetLatestSnapshot());
	recalled = recall(publication);
	lost = count_refused(&recalled->seen, atoms_of(&recalled->seen), principle, recalled->people->size);
	work_end(&work);
	MemoryContextDelete(work.context);
	return lost;
}

void
warn_of_lost_people(const DeclaredPublication *publication, Jsonb *params)
{
	Principle	before = principle_under(publication->method, publication->params);
	Principle	after = principle_under(publication->method, params);
	const Promise *promise = find_promise(publication);
	uint64		lost;

	if (promise != NULL && promise->strengthen != NULL)
		promise->strengthen(publication, params);
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

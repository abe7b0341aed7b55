/*
 * attack_report.c
 *		attack(): what an owner's releases reveal together.
 *
 * NOTES
 *		No release may come while it looks, so publishing waits: the log must tell
 *		of the releases that the catalog has.
 */
#include "postgres.h"

#include "audit/attack.h"
#include "fmgr.h"
#include "funcapi.h"
#include "history/recall.h"
#include "release/past_releases.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(pprepub_attack);

static void
put_revealed(ReturnSetInfo *result, const Revealed *revealed)
{
	static const char *const kinds[] = {
		[REVEALED_BY_INTERSECTION] = "intersection",
		[REVEALED_BY_DIFFERENCE] = "difference",
		[REVEALED_BY_ALL] = "atom",
	};
	Datum		values[] = {
		Int32GetDatum(revealed->release),
		CStringGetTextDatum(kinds[revealed->kind]),
		Int32GetDatum(revealed->other),
		Int64GetDatum(revealed->records),
		Int64GetDatum(revealed->values),
		BoolGetDatum(revealed->holds),
	};
	bool		nulls[] = {false, false, revealed->other == 0, false, false, false};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Where nobody knows whose the rows of the other one are, nothing follows from it: it is not a release of nobody. */
static bool
is_known(const Released *released, const Revealed *revealed)
{
	return revealed->other == 0 || released[revealed->other - 1].is_identified;
}

/* As the owner, under the active snapshot. */
static Attack *
attack_publication(const DeclaredPublication *publication, const Released *released)
{
	const Seen *seen = &recall(publication)->seen;
	Principle  *promised = palloc(sizeof(Principle) * publication->releases);

	for (int32 r = 0; r < publication->releases; r++)
		promised[r] = released[r].principle;
	return attack(seen, atoms_of(seen), promised);
}

Datum
pprepub_attack(PG_FUNCTION_ARGS)
{
	char	   *name = text_argument(fcinfo, 0, "the name of a publication");
	DeclaredPublication *publication = publication_open(name, RowShareLock);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext context;
	MemoryContext old;
	Identity	caller;
	const Released *released;
	Attack	   *found;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	if (publication->releases == 0)
		return (Datum) 0;
	context = AllocSetContextCreate(CurrentMemoryContext, "attack", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	PushActiveSnapshot(GetLatestSnapshot());
	act_as(&caller, publication->owner);
	released = read_released(publication);
	found = attack_publication(publication, released);
	act_as_before(&caller);
	PopActiveSnapshot();
	for (uint64 i = 0; i < found->n; i++)
		if (is_known(released, &found->revealed[i]))
			put_revealed(result, &found->revealed[i]);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return (Datum) 0;
}

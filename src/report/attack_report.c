/*
 * attack_report.c
 *		attack(): what an owner's releases reveal together.
 */
#include "postgres.h"

#include "audit/attack.h"
#include "declare/work.h"
#include "fmgr.h"
#include "history/recall.h"
#include "release/past_releases.h"
#include "shared/progress.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(pprepub_attack);

/* Puts a set that releases reveal as a row. */
static void
put_revealed(const OwnersWork *work, const Revealed *revealed)
{
	static const char *const kinds[] = {
		[REVEALED_BY_INTERSECTION] = "intersection",
		[REVEALED_BY_DIFFERENCE] = "difference",
		[REVEALED_BY_CHANGE] = "change",
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

	report_row(work, values, nulls);
}

/* Nothing follows from a release of which it is not known whose its rows are: it is not a release of no people. */
static bool
is_known(const Released *released, const Revealed *revealed)
{
	return revealed->other == 0 || released[revealed->other - 1].is_identified;
}

/* Attacks the releases of the publication, as the owner. */
static void
put_attack(const OwnersWork *work, const Principle *given)
{
	const DeclaredPublication *publication = work->publication;
	Released   *released = read_released(publication);
	Recalled   *recalled = recall_in_parts(publication);
	const Seen *seen = &recalled->seen;
	const Aspects *aspects = aspects_of_recalled(publication, recalled);
	Principle  *promised = palloc(sizeof(Principle) * publication->releases);
	const Attack *found;

	recalled_forget_people(recalled);
	bind_principles(released, seen, aspects, given);
	for (int32 r = 0; r < publication->releases; r++)
		promised[r] = released[r].principle;
	found = attack(seen, atoms_of(seen), aspects, promised);
	for (uint64 i = 0; i < found->n; i++)
		if (is_known(released, &found->revealed[i]))
			put_revealed(work, &found->revealed[i]);
	recalled_close(recalled);
}

/* The rows of attack(). */
static Datum
report_attack(FunctionCallInfo fcinfo)
{
	const Principle *given = principle_argument(fcinfo, 1);
	OwnersWork	work;

	report_open_for_auditor(&work, fcinfo);
	if (report_begin(&work, fcinfo))
	{
		progress_begin("attack", work.publication->owner, work.publication->name);
		put_attack(&work, given);
		work_close(&work);
		progress_end();
	}
	return (Datum) 0;
}

Datum
pprepub_attack(PG_FUNCTION_ARGS)
{
	return for_auditors(fcinfo, report_attack);
}

/*
 * neighborhoods_report.c
 *		neighborhoods(): whom nobody can separate, and what is known of them.
 */
#include "postgres.h"

#include "check/atoms_from_log.h"
#include "declare/work.h"
#include "fmgr.h"
#include "history/fold.h"
#include "history/neighborhoods.h"
#include "miscadmin.h"
#include "release/regions.h"
#include "report/signatures.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(pprepub_neighborhoods);

static JsonbValue
json_string(char *string)
{
	return (JsonbValue) {.type = jbvString,.val.string = {.len = strlen(string),.val = string}};
}

static Datum
region_json(const Regions *regions, const Cell *region)
{
	JsonbParseState *state = NULL;
	JsonbValue *object;

	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	for (int q = 0; q < regions->nqis; q++)
	{
		char	   *text = cells_text(regions->cells[q], region[q]);
		JsonbValue	name = json_string(regions->column[q]->name);
		JsonbValue	cell = {.type = jbvNull};

		if (text != NULL)
			cell = json_string(text);
		pushJsonbValue(&state, WJB_KEY, &name);
		pushJsonbValue(&state, WJB_VALUE, &cell);
	}
	object = pushJsonbValue(&state, WJB_END_OBJECT, NULL);
	return JsonbPGetDatum(JsonbValueToJsonb(object));
}

static void
put_neighborhood(const OwnersWork *work, const KnownNeighborhood *known, VarBit *signature, Datum region)
{
	Datum		values[] = {
		Int64GetDatum(known->number),
		VarBitPGetDatum(signature),
		region,
		Int64GetDatum(known->records),
		Int64GetDatum(known->sensitive_values),
	};
	bool		nulls[lengthof(values)] = {false};

	report_row(work, values, nulls);
}

/* As the owner, all under the active snapshot. */
static void
put_neighborhoods(const OwnersWork *work)
{
	const DeclaredPublication *publication = work->publication;
	const Recalled *recalled = recall(publication);
	const Atoms *atoms = atoms_of(&recalled->seen);
	const Regions *regions = regions_read(publication, &recalled->seen);
	uint64		n;
	const KnownNeighborhood *known = keeps_past(publication, PAST_NEIGHBORHOODS) ?
		neighborhoods_read(publication, recalled, &n) : neighborhoods_of_log(&recalled->seen, atoms, &n);
	Cell	   *region = palloc(sizeof(Cell) * (regions->nqis + 1));
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "region", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);

	for (uint64 i = 0; i < n; i++)
	{
		uint32		atom = atoms->atom[known[i].member];

		CHECK_FOR_INTERRUPTS();
		region_of(regions, atoms, atom, region);
		put_neighborhood(work, &known[i], signature_of(atoms, atom, recalled->seen.nreleases), region_json(regions, region));
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
}

Datum
pprepub_neighborhoods(PG_FUNCTION_ARGS)
{
	OwnersWork	work;

	report_open(&work, fcinfo, AccessShareLock);
	if (report_begin(&work, fcinfo))
	{
		put_neighborhoods(&work);
		work_close(&work);
	}
	return (Datum) 0;
}

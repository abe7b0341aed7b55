/*
 * neighborhoods_report.c
 *		signatures() and neighborhoods(): in which releases people were, which people
 *		cannot be told apart, and what is known of them.
 */
#include "postgres.h"

#include "compat.h"
#include "declare/work.h"
#include "fmgr.h"
#include "frame/arrays.h"
#include "history/atoms.h"
#include "history/fold.h"
#include "history/neighborhoods.h"
#include "history/recall.h"
#include "history/texts.h"
#include "miscadmin.h"
#include "report/regions.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/varbit.h"

PG_FUNCTION_INFO_V1(pprepub_signatures);
PG_FUNCTION_INFO_V1(pprepub_neighborhoods);

/* ----------------------------------------------------------------
 * signatures()
 * ----------------------------------------------------------------
 */

/* A bit for each release: was the atom in it? */
static VarBit *
signature_of(const Atoms *atoms, uint32 atom, int32 nreleases)
{
	VarBit	   *signature = palloc0(VARBITTOTALLEN(nreleases));

	SET_VARSIZE(signature, VARBITTOTALLEN(nreleases));
	VARBITLEN(signature) = nreleases;
	for (uint32 place = atoms->last[atom]; place != NO_PLACE; place = atoms->previous[place])
		VARBITS(signature)[atoms->release[place] / BITS_PER_BYTE] |= HIGHBIT >> (atoms->release[place] % BITS_PER_BYTE);
	return signature;
}

/* Puts a row for each person. */
static void
put_signatures(const OwnersWork *work)
{
	const DeclaredPublication *publication = work->publication;
	const Recalled *recalled = recall(publication);
	const Atoms *atoms = atoms_of(&recalled->seen);
	TextCast   *key = text_cast_create(publication_column(publication, ROLE_KEY));
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "signature", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);

	for (uint64 person = 0; person < recalled->people->size; person++)
	{
		Datum		values[2];
		bool		nulls[2] = {false};

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(row);
		values[0] = text_cast(key, recalled->people->keys[person], &nulls[0]);
		values[1] = VarBitPGetDatum(signature_of(atoms, atoms->atom[person], recalled->seen.nreleases));
		report_row(work, values, nulls);
	}
	MemoryContextSwitchTo(old);
}

Datum
pprepub_signatures(PG_FUNCTION_ARGS)
{
	return report(fcinfo, put_signatures);
}

/* ----------------------------------------------------------------
 * neighborhoods()
 * ----------------------------------------------------------------
 */

/* A value that a class showed, and the atom that it was of. */
typedef struct Shown
{
	uint32		atom;
	Code		value;
} Shown;

/* Orders rows by atom and value, so that equal ones become neighbors. */
static int
compare_shown(const void *a, const void *b)
{
	const Shown *x = a;
	const Shown *y = b;

	if (x->atom != y->atom)
		return x->atom < y->atom ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* An atom is in one class of a release, or in none. */
static void
count_values_of_class(const SeenRelease *release, uint32 c, const Atoms *atoms, Shown *shown, KnownNeighborhood *known)
{
	uint64		first = release->first[c];
	uint64		size = seen_size(release, c);

	for (uint64 i = 0; i < size; i++)
		shown[i] = (Shown) {atoms->atom[release->individual[first + i]], release->value[first + i]};
	qsort(shown, size, sizeof(Shown), compare_shown);
	for (uint64 i = 0; i < size;)
	{
		KnownNeighborhood *of = &known[shown[i].atom];
		uint64		begin = i;
		int64		different = 0;

		for (; i < size && shown[i].atom == shown[begin].atom; i++)
			different += shown[i].value != NO_CODE && (i == begin || shown[i].value != shown[i - 1].value);
		of->sensitive_values = Min(of->sensitive_values, different);
	}
}

/* Counts the fewest sensitive values that any class shows of each atom. */
static void
count_values(const Seen *seen, const Atoms *atoms, KnownNeighborhood *known)
{
	uint64		largest = 0;
	Shown	   *shown;

	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
			largest = Max(largest, seen_size(&seen->release[r], c));
	shown = new_array(Shown, largest);
	for (int32 r = 0; r < seen->nreleases; r++)
		for (uint32 c = 0; c < seen->release[r].nclasses; c++)
		{
			CHECK_FOR_INTERRUPTS();
			count_values_of_class(&seen->release[r], c, atoms, shown, known);
		}
	pfree(shown);
}

/* Every atom as a neighborhood, where none are kept beside the log; *n is set to how many there are. */
static KnownNeighborhood *
neighborhoods_of_log(const Seen *seen, const Atoms *atoms, uint64 *n)
{
	KnownNeighborhood *known = new_array(KnownNeighborhood, atoms->natoms);

	for (uint32 a = 0; a < atoms->natoms; a++)
		known[a] = (KnownNeighborhood) {
			.number = (int64) a + 1,
			.records = atoms->size[a],
			.sensitive_values = atoms->size[a],
		};
	for (uint64 t = seen->nindividuals; t-- > 0;)
		known[atoms->atom[t]].member = t;
	count_values(seen, atoms, known);
	*n = atoms->natoms;
	return known;
}

static JsonbValue
json_string(char *string)
{
	return (JsonbValue) {.type = jbvString, .val.string = {.len = strlen(string), .val = string}};
}

/* A region as JSON, cells by the names of their columns. */
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

/* Puts a neighborhood as a row. */
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

/* Called as the owner, all under the active snapshot. */
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
	return report(fcinfo, put_neighborhoods);
}

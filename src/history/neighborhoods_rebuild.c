/*
 * neighborhoods_rebuild.c
 *		The table of neighborhoods, made anew from the log.
 *
 * NOTES
 *		A neighborhood is an atom of the log.  Releases are gone through from the newest
 *		to the oldest, so the first that shows an epoch is the last that showed it; and a
 *		list to which each is put in front has the newest at its end.  What is kept in memory is what the
 *		table will have, whatever the number of releases.
 */
#include "history/past_rebuild.h"

#include "common/hashfn.h"
#include "frame/arrays.h"
#include "history/element.h"
#include "history/past.h"
#include "history/writer.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* The values that a release showed of an atom, in the order of its members */
typedef struct ShownEpoch
{
	uint64		newer;			/* of the same atom, or NO_EPOCH */
	uint64		first_value;
	uint32		hash;
} ShownEpoch;

#define NO_EPOCH PG_UINT64_MAX

typedef struct Rebuilding
{
	const Recalled *recalled;
	const Atoms *atoms;

	/* Members, atom by atom */
	uint64	   *first;			/* [natoms + 1] */
	uint32	   *member;			/* [individuals] */
	uint32	   *place;			/* [individuals] where each stands in member[] */
	Code	   *shown;			/* [individuals] at the same places, by the class at hand */
	uint8	   *absence;		/* [individuals] at the same places: an Absence each */
	bool	   *is_told;		/* [individuals] at the same places: has a class shown its value, of those walked? */

	uint64		nepochs;
	uint64		epochs_room;
	ShownEpoch *epoch;
	uint64	   *oldest;			/* [natoms] epoch, or NO_EPOCH */
	uint64		nvalues;
	uint64		values_room;
	Code	   *value;
} Rebuilding;

/* ----------------------------------------------------------------
 * Epochs
 * ----------------------------------------------------------------
 */

/* Adds what the class at hand showed of an atom, unless a newer release showed the same. */
static void
add_epoch(Rebuilding *rebuilding, uint32 atom)
{
	Size		size = rebuilding->atoms->size[atom];
	const Code *shown = rebuilding->shown + rebuilding->first[atom];
	uint32		hash = hash_bytes((const unsigned char *) shown, sizeof(Code) * size);

	for (uint64 e = rebuilding->oldest[atom]; e != NO_EPOCH; e = rebuilding->epoch[e].newer)
		if (rebuilding->epoch[e].hash == hash &&
			memcmp(rebuilding->value + rebuilding->epoch[e].first_value, shown, sizeof(Code) * size) == 0)
			return;
	array_reserve(rebuilding->epoch, rebuilding->epochs_room, rebuilding->nepochs + 1);
	array_reserve(rebuilding->value, rebuilding->values_room, rebuilding->nvalues + size);
	rebuilding->epoch[rebuilding->nepochs] = (ShownEpoch) {rebuilding->oldest[atom], rebuilding->nvalues, hash};
	rebuilding->oldest[atom] = rebuilding->nepochs++;
	memcpy(rebuilding->value + rebuilding->nvalues, shown, sizeof(Code) * size);
	rebuilding->nvalues += size;
}

/* Adds what a class showed of its atoms, which are in it as a whole: each is met by its first member. */
static void
add_class(Rebuilding *rebuilding, const SeenRelease *release, uint32 c, bool shows_values)
{
	const Atoms *atoms = rebuilding->atoms;

	CHECK_FOR_INTERRUPTS();
	progress_step(seen_size(release, c));
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	member = release->individual[i];

		rebuilding->shown[rebuilding->place[member]] = release->value[i];
		if (!rebuilding->is_told[rebuilding->place[member]] && release->counterfeit[i])
			rebuilding->absence[rebuilding->place[member]] = WAS_AWAY;
		rebuilding->is_told[rebuilding->place[member]] |= shows_values;
	}
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	member = release->individual[i];

		if (rebuilding->place[member] == rebuilding->first[atoms->atom[member]])
			add_epoch(rebuilding, atoms->atom[member]);
	}
}

/* Finds the epochs of all atoms. */
static void
find_epochs(Rebuilding *rebuilding)
{
	const Seen *seen = &rebuilding->recalled->seen;

	rebuilding->oldest = new_array(uint64, rebuilding->atoms->natoms);
	memset(rebuilding->oldest, 0xff, sizeof(uint64) * rebuilding->atoms->natoms);	/* NO_EPOCH */
	rebuilding->shown = new_array(Code, seen->nindividuals);
	rebuilding->absence = new_zeros(uint8, seen->nindividuals);
	rebuilding->is_told = new_zeros(bool, seen->nindividuals);
	for (int32 r = seen->nreleases - 1; r >= 0; r--)
	{
		const SeenRelease *release = seen_release(seen, r);

		for (uint32 c = 0; c < release->nclasses; c++)
			add_class(rebuilding, release, c, seen_shows_values(seen, r));
	}
	for (uint64 i = 0; i < seen->nindividuals; i++)
		if (!rebuilding->is_told[i])
			rebuilding->absence[i] = NEVER_TOLD;
	pfree(rebuilding->shown);
	pfree(rebuilding->is_told);
}

/* ----------------------------------------------------------------
 * Rows
 * ----------------------------------------------------------------
 */

/* Room for the members of one row */
typedef struct MemberArrays
{
	uint64		room;
	Datum	   *keys;
	bool	   *has_no_key;
	Datum	   *numbers;
	bool	   *has_no_number;
} MemberArrays;

/* Sets the columns of a row that tell who the members of an atom are. */
static void
set_members(const Rebuilding *rebuilding, uint32 atom, MemberArrays *arrays, const Element *key, Datum *values, bool *nulls)
{
	const Recalled *recalled = rebuilding->recalled;
	uint64		npeople = recalled->people->size;
	uint64		size = rebuilding->atoms->size[atom];
	const uint32 *member = rebuilding->member + rebuilding->first[atom];
	const uint8 *absence = rebuilding->absence + rebuilding->first[atom];
	bool		any_number = false;

	for (uint64 i = 0; i < size; i++)
	{
		bool		is_invented = member[i] >= npeople;

		arrays->has_no_key[i] = is_invented;
		arrays->has_no_number[i] = !is_invented && absence[i] == WAS_THERE;
		arrays->numbers[i] = is_invented ? recalled->invented->keys[member[i] - npeople] : Int64GetDatum(1 - absence[i]);
		if (!is_invented)
			arrays->keys[i] = recalled->people->keys[member[i]];
		any_number |= !arrays->has_no_number[i];
	}
	values[FOLD_KEYS] = element_array(key, arrays->keys, arrays->has_no_key, size);
	nulls[FOLD_INVENTED] = !any_number;
	values[FOLD_INVENTED] = any_number ? element_array(&element_int8, arrays->numbers, arrays->has_no_number, size) : (Datum) 0;
}

/* All values of an atom, epoch by epoch. */
static Datum
epochs_of_atom(const Rebuilding *rebuilding, uint32 atom, const Element *sensitive)
{
	uint64		size = rebuilding->atoms->size[atom];
	uint64		n = 0;
	Code	   *codes;

	for (uint64 e = rebuilding->oldest[atom]; e != NO_EPOCH; e = rebuilding->epoch[e].newer)
		n += size;
	codes = new_array(Code, n);
	n = 0;
	for (uint64 e = rebuilding->oldest[atom]; e != NO_EPOCH; e = rebuilding->epoch[e].newer)
	{
		memcpy(codes + n, rebuilding->value + rebuilding->epoch[e].first_value, sizeof(Code) * size);
		n += size;
	}
	return coded_array(sensitive, rebuilding->recalled->values, codes, n);
}

/* The size of the largest atom. */
static uint64
most_members(const Atoms *atoms)
{
	uint64		most = 0;

	for (uint32 a = 0; a < atoms->natoms; a++)
		most = Max(most, atoms->size[a]);
	return most;
}

/* Writes a row for each atom, with numbers from the one after "last" on. */
static void
write_atoms(const Rebuilding *rebuilding, const DeclaredPublication *publication, Oid table, int64 last)
{
	const Atoms *atoms = rebuilding->atoms;
	Element		key = element_of(publication_column(publication, ROLE_KEY));
	Element		sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
	uint64		room = most_members(atoms);
	MemberArrays arrays = {room, new_array(Datum, room), new_array(bool, room), new_array(Datum, room), new_array(bool, room)};
	RowWriter  *writer = writer_open(table, true);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "neighborhood", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(row);

	for (uint32 a = 0; a < atoms->natoms; a++)
	{
		Datum		values[FOLD_COLUMNS] = {[FOLD_NEIGHBORHOOD] = Int64GetDatum(++last)};
		bool		nulls[FOLD_COLUMNS] = {false};

		set_members(rebuilding, a, &arrays, &key, values, nulls);
		values[FOLD_SENSITIVE] = epochs_of_atom(rebuilding, a, &sensitive);
		writer_add(writer, values, nulls);
		MemoryContextReset(row);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(row);
	writer_close(writer);
}

/* Lists the members of all atoms. */
static void
list_members(Rebuilding *rebuilding)
{
	uint64		nindividuals = rebuilding->recalled->seen.nindividuals;

	list_by_group(rebuilding->atoms->atom, nindividuals, rebuilding->atoms->natoms, &rebuilding->first, &rebuilding->member);
	rebuilding->place = new_array(uint32, nindividuals);
	for (uint64 i = 0; i < nindividuals; i++)
		rebuilding->place[rebuilding->member[i]] = i;
}

void
neighborhoods_rebuild(const DeclaredPublication *publication, const Recalled *recalled, Oid table, int64 last)
{
	Rebuilding	rebuilding = {.recalled = recalled, .atoms = atoms_of(&recalled->seen)};

	list_members(&rebuilding);
	find_epochs(&rebuilding);
	write_atoms(&rebuilding, publication, table, last);
}

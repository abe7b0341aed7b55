/*
 * neighborhoods.c
 *		The table of neighborhoods: compared with the log, and made anew from it.
 *
 * NOTES
 *		A row is right if its members are an atom of the log, and its epochs are what the releases showed of them.  A
 *		row with other members is wrong at once.  The values are compared when all rows are known: the log is walked
 *		once more, class by class, and an atom is in a class as a whole.  Of an epoch no more is kept than a hash of
 *		its values, under a seed that is drawn each time, so that nobody can make others that have the same.
 *
 *		When all is made anew, releases are gone through from the newest to the oldest, so the first that shows an
 *		epoch is the last that showed it; and a list to which each is put in front has the newest at its end.  What is
 *		kept in memory is what the table will have, whatever the number of releases.
 */
#include "history/rebuild.h"

#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "frame/arrays.h"
#include "history/element.h"
#include "history/fold.h"
#include "history/past.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------
 * Comparing
 * ----------------------------------------------------------------
 */

typedef struct ComparedEpoch
{
	uint64		hash;			/* of its values, in the log's codes */
	bool		is_shown;		/* by a release so far? */
} ComparedEpoch;

typedef struct ComparedRow
{
	int64		number;			/* 0 if it has none */
	bool		is_wrong;
	uint32		size;
	uint64		first_member;	/* in Comparing.shown */
	uint64		first_epoch;	/* in Comparing.epochs */
	uint32		nepochs;
	uint32		epoch;			/* shown by the last release */
} ComparedRow;

typedef struct Comparing
{
	const Recalled *recalled;
	const Atoms *atoms;
	Element		key;
	Element		sensitive;

	/* The rows of the table, and where their members stand in them */
	uint64		n;
	uint64		room;
	ComparedRow *rows;
	uint32	   *row;			/* [individuals] or NO_COMPARED_ROW */
	uint32	   *place;			/* [individuals] */
	uint8	   *absence;		/* [individuals] an Absence each, by the rows */
	uint8	   *logged_absence; /* [individuals] and by the log */
	uint64		nmembers;
	bool	   *has_row;		/* [atoms] */

	/* The members of the row at hand */
	MemoryContext context;
	ElementRoom keys;
	Individual *members;
	uint64		members_room;

	/* The epochs of all rows, and the values of the one at hand */
	uint64		seed;
	uint64		nepochs;
	uint64		epochs_room;
	ComparedEpoch *epochs;
	uint64		values_room;
	Code	   *values;

	Code	   *shown;			/* [members] of the rows, by the class at hand */
} Comparing;

#define NO_COMPARED_ROW PG_UINT32_MAX

/* ----------------------------------------------------------------
 * Members
 * ----------------------------------------------------------------
 */

/* Invented rows have a number instead of a key, in an array that is as long; people have 0 if a row stood in for them last. */
static bool
read_invented(Comparing *comparing, Datum invented, int n)
{
	bool		any = false;
	ElementWalk walk;

	element_walk(&walk, &element_int8, DatumGetArrayTypeP(invented));
	if (walk.n != n)
		return false;
	while (element_next(&walk))
		if (!walk.isnull)
		{
			any = true;
			if (DatumGetInt64(walk.value) <= 0 && comparing->members[walk.i] != NO_INDIVIDUAL)
			{
				comparing->absence[comparing->members[walk.i]] = 1 - DatumGetInt64(walk.value);
				continue;
			}
			if (comparing->members[walk.i] != NO_INDIVIDUAL)
				return false;
			comparing->members[walk.i] = recalled_invented(comparing->recalled, DatumGetInt64(walk.value));
		}
	return any;
}

/* Finds the individuals of a row's members; some may stay unknown. */
static bool
read_members(Comparing *comparing, const TupleTableSlot *slot, ComparedRow *row)
{
	ElementRoom *keys = &comparing->keys;

	(void) element_read(&comparing->key, slot->tts_values[FOLD_KEYS], keys, comparing->context);
	array_reserve(comparing->members, comparing->members_room, (uint64) keys->n);
	keys_find_all(comparing->recalled->people, keys->values, keys->nulls, keys->n, comparing->members);
	row->size = keys->n;
	return slot->tts_isnull[FOLD_INVENTED] || read_invented(comparing, slot->tts_values[FOLD_INVENTED], keys->n);
}

/* Are the members an atom, and the first row to be this atom?  Only then is it noted where they stand. */
static bool
is_atom(Comparing *comparing, const ComparedRow *row)
{
	const Atoms *atoms = comparing->atoms;
	uint32		index = row - comparing->rows;
	uint32		atom;

	if (row->size == 0 || comparing->members[0] == NO_INDIVIDUAL)
		return false;
	atom = atoms->atom[comparing->members[0]];
	if (comparing->has_row[atom] || atoms->size[atom] != row->size)
		return false;
	for (uint32 i = 0; i < row->size; i++)
	{
		Individual	member = comparing->members[i];

		if (member == NO_INDIVIDUAL || atoms->atom[member] != atom || comparing->row[member] == index)
			return false;
		comparing->row[member] = index;
		comparing->place[member] = i;
	}
	comparing->has_row[atom] = true;
	return true;
}

/* ----------------------------------------------------------------
 * Values
 * ----------------------------------------------------------------
 */

static uint64
hash_values(const Comparing *comparing, const Code *values, uint32 n)
{
	return hash_bytes_extended((const unsigned char *) values, sizeof(Code) * (Size) n, comparing->seed);
}

/* Keeps all epochs. */
static bool
read_values(Comparing *comparing, Datum sensitive, ComparedRow *row)
{
	ElementWalk walk;

	element_walk(&walk, &comparing->sensitive, DatumGetArrayTypeP(sensitive));
	if (walk.n == 0 || walk.n % row->size != 0)
		return false;
	row->nepochs = walk.n / row->size;
	row->first_epoch = comparing->nepochs;
	array_reserve(comparing->epochs, comparing->epochs_room, comparing->nepochs + row->nepochs);
	array_reserve(comparing->values, comparing->values_room, (uint64) row->size);
	while (element_next(&walk))
	{
		uint32		place = walk.i % row->size;

		comparing->values[place] = recalled_value(comparing->recalled, walk.value, walk.isnull);
		if (place == row->size - 1)
			comparing->epochs[comparing->nepochs++] = (ComparedEpoch) {.hash = hash_values(comparing, comparing->values, row->size)};
	}
	row->first_member = comparing->nmembers;
	comparing->nmembers += row->size;
	return true;
}

/* Looks for the epoch of the class at hand: mostly that of the release before. */
static void
find_epoch(Comparing *comparing, ComparedRow *row)
{
	ComparedEpoch *epochs = comparing->epochs + row->first_epoch;
	uint64		hash = hash_values(comparing, comparing->shown + row->first_member, row->size);

	for (uint32 i = 0; i < row->nepochs; i++)
	{
		uint32		epoch = (row->epoch + i) % row->nepochs;

		if (epochs[epoch].hash == hash)
		{
			row->epoch = epoch;
			epochs[epoch].is_shown = true;
			return;
		}
	}
	row->is_wrong = true;
}

/* The row of a member, if its members are right, or NULL. */
static ComparedRow *
row_of(const Comparing *comparing, Individual member)
{
	uint32		row = comparing->row[member];

	return row == NO_COMPARED_ROW || comparing->rows[row].is_wrong ? NULL : &comparing->rows[row];
}

/* Finds the values that a class showed of each row, and the epochs that these are. */
static void
compare_class(Comparing *comparing, const SeenRelease *release, uint32 c, bool shows_values)
{
	CHECK_FOR_INTERRUPTS();
	progress_step(release->first[c + 1] - release->first[c]);
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		Individual	member = release->individual[i];
		const ComparedRow *row = row_of(comparing, member);

		if (member < comparing->recalled->people->size)
			comparing->logged_absence[member] = absence_after(comparing->logged_absence[member], !shows_values, release->counterfeit[i]);
		if (row != NULL)
			comparing->shown[row->first_member + comparing->place[member]] = release->value[i];
	}
	for (uint64 i = release->first[c]; i < release->first[c + 1]; i++)
	{
		ComparedRow *row = row_of(comparing, release->individual[i]);

		if (row != NULL && comparing->place[release->individual[i]] == 0)
			find_epoch(comparing, row);
	}
}

/* The epoch of the newest release must come last, and none may be that of no release. */
static bool
has_epochs_of_log(const Comparing *comparing, const ComparedRow *row)
{
	for (uint32 epoch = 0; epoch < row->nepochs; epoch++)
		if (!comparing->epochs[row->first_epoch + epoch].is_shown)
			return false;
	return row->epoch == row->nepochs - 1;
}

/* ----------------------------------------------------------------
 * The table
 * ----------------------------------------------------------------
 */

/* Visits a row of the table: are its members right? */
static void
compare_row(void *what, TupleTableSlot *slot)
{
	Comparing  *comparing = what;
	ComparedRow *row;

	array_reserve(comparing->rows, comparing->room, comparing->n + 1);
	row = &comparing->rows[comparing->n++];
	*row = (ComparedRow) {.is_wrong = true};
	if (!is_neighborhood(slot))
		return;
	row->number = DatumGetInt64(slot->tts_values[FOLD_NEIGHBORHOOD]);
	row->is_wrong = !read_members(comparing, slot, row) || !is_atom(comparing, row) ||
		!read_values(comparing, slot->tts_values[FOLD_SENSITIVE], row);
}

/* Walks the log once more: did all rows with right members show the right values? */
static void
compare_values(Comparing *comparing)
{
	const Seen *seen = &comparing->recalled->seen;

	comparing->shown = new_array(Code, comparing->nmembers);
	memset(comparing->logged_absence, NEVER_TOLD, comparing->recalled->people->size);
	for (int32 r = 0; r < seen->nreleases; r++)
	{
		const SeenRelease *release = seen_release(seen, r);

		for (uint32 c = 0; c < release->nclasses; c++)
			compare_class(comparing, release, c, seen_shows_values(seen, r));
	}
	for (uint64 member = 0; member < seen->nindividuals; member++)
	{
		ComparedRow *row = row_of(comparing, member);

		if (row != NULL && comparing->absence[member] != comparing->logged_absence[member])
			row->is_wrong = true;
	}
	for (uint64 n = 0; n < comparing->n; n++)
		if (!comparing->rows[n].is_wrong && !has_epochs_of_log(comparing, &comparing->rows[n]))
			comparing->rows[n].is_wrong = true;
}

/* Counts wrong rows, and atoms without a row. */
static PastComparison
count_wrong(const Comparing *comparing)
{
	PastComparison comparison = {.items = comparing->n};

	for (uint64 n = 0; n < comparing->n; n++)
		if (comparing->rows[n].is_wrong)
		{
			int64		number = comparing->rows[n].number;

			if (comparison.wrong++ == 0 || number < comparison.first_wrong)
				comparison.first_wrong = number;
		}
	for (uint32 atom = 0; atom < comparing->atoms->natoms; atom++)
		if (!comparing->has_row[atom])
			comparison.wrong++;
	return comparison;
}

PastComparison
neighborhoods_compare(const DeclaredPublication *publication, const Recalled *recalled, const Atoms *atoms)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "comparing neighborhoods", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	PastComparison comparison;
	Oid			table = past_table(publication, NEIGHBORHOODS_TABLE);
	uint64		nindividuals = recalled->seen.nindividuals;
	Comparing	comparing = {
		.recalled = recalled,
		.atoms = atoms,
		.context = CurrentMemoryContext,
		.seed = pg_prng_uint64(&pg_global_prng_state),
		.key = element_of(publication_column(publication, ROLE_KEY)),
		.sensitive = element_of(publication_column(publication, ROLE_SENSITIVE)),
		.row = new_array(uint32, nindividuals),
		.place = new_array(uint32, nindividuals),
		.absence = new_zeros(uint8, nindividuals),
		.logged_absence = new_zeros(uint8, nindividuals),
		.has_row = new_zeros(bool, atoms->natoms),
	};

	if (!OidIsValid(table))
		past_refuse(publication, 0);
	past_table_verify(publication, NEIGHBORHOODS_TABLE);
	/* Memory that lasts longer than a visit. */
	array_reserve(comparing.rows, comparing.room, 1);
	array_reserve(comparing.members, comparing.members_room, 1);
	array_reserve(comparing.epochs, comparing.epochs_room, 1);
	array_reserve(comparing.values, comparing.values_room, 1);
	memset(comparing.row, 0xff, sizeof(uint32) * nindividuals);
	read_each(table, compare_row, &comparing);
	compare_values(&comparing);
	comparison = count_wrong(&comparing);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return comparison;
}

/* ----------------------------------------------------------------
 * Rebuilding
 * ----------------------------------------------------------------
 */

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

/* Writes a row for each atom, with numbers from the one after "last" on. */
static void
write_atoms(const Rebuilding *rebuilding, const DeclaredPublication *publication, Oid table, int64 last)
{
	const Atoms *atoms = rebuilding->atoms;
	Element		key = element_of(publication_column(publication, ROLE_KEY));
	Element		sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
	uint64		most = 0;
	MemberArrays arrays;
	RowWriter  *writer = writer_open(table, true);
	MemoryContext row = AllocSetContextCreate(CurrentMemoryContext, "neighborhood", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old;

	for (uint32 a = 0; a < atoms->natoms; a++)
		most = Max(most, atoms->size[a]);
	arrays = (MemberArrays) {new_array(Datum, most), new_array(bool, most), new_array(Datum, most), new_array(bool, most)};
	old = MemoryContextSwitchTo(row);
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

void
neighborhoods_rebuild(const DeclaredPublication *publication, const Recalled *recalled, Oid table, int64 last)
{
	uint64		nindividuals = recalled->seen.nindividuals;
	Rebuilding	rebuilding = {.recalled = recalled, .atoms = atoms_of(&recalled->seen), .place = new_array(uint32, nindividuals)};

	list_by_group(rebuilding.atoms->atom, nindividuals, rebuilding.atoms->natoms, &rebuilding.first, &rebuilding.member);
	for (uint64 i = 0; i < nindividuals; i++)
		rebuilding.place[rebuilding.member[i]] = i;
	find_epochs(&rebuilding);
	write_atoms(&rebuilding, publication, table, last);
}

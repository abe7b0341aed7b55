/*
 * remember.c
 *		Writing a release into the log and into the fold.
 *
 * NOTES
 *		A new group is written with its class: log and fold store equal arrays, which are then made once.  What becomes of
 *		groups of the past is noted place by place, and written in the end, since somebody who is shown in one class may
 *		have left a place of another.
 *
 *		Members of a mixed class keep their places, and each place shows the value of its own person from then on:
 *		observers know that it is one of those that the class showed, but not which, and this is stricter.  They know who
 *		was in the class, so the places of its members are a part of each group.
 */
#include "history/remember.h"

#include "frame/arrays.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

/* A place of the past, as a release shows it. */
typedef struct Shown
{
	RowId		row;			/* NO_ROW: no person */
	bool		by_counterfeit;
	bool		is_left;		/* the holder has a place elsewhere from this release on */
	bool		is_apart;
	uint32		mixed;			/* the mixed class that the holder is in, from 1 on, or 0 */
	Code		value;			/* where somebody or something is shown */
} Shown;

struct Remembering
{
	Fold	   *fold;
	const LoadedFrame *loaded;
	int32		release;
	bool		has_prints;		/* of all quasi-identifiers */
	RowWriter  *groups;			/* NULL where none are kept */
	RowWriter  *stays;			/* likewise */
	PathWriter *paths;			/* likewise */
	RowWriter  *log;
	RowWriter  *counterfeits;	/* or NULL if their numbers are not public */
	uint64		newcomers;
	uint32		nmixed;			/* mixed classes so far */
	Shown	   *shown;			/* [places of the past] */
	bool	   *is_touched;		/* [groups of the past] */
	MemoryContext row;			/* of the class or group at hand */
};

Remembering *
remember_begin(Fold *fold, const LoadedFrame *loaded, int32 release, PastTable part)
{
	const DeclaredPublication *publication = fold->publication;
	Remembering *remembering = palloc0(sizeof(Remembering));

	remembering->fold = fold;
	remembering->loaded = loaded;
	remembering->release = release;
	remembering->has_prints = fold_has_prints(fold, loaded);
	if (fold->keeps_places)
	{
		remembering->groups = writer_open(past_table_ensure(publication, GROUPS_TABLE), true);
		remembering->stays = writer_open(past_table_ensure(publication, PLACES_TABLE), false);
		remembering->shown = new_zeros(Shown, fold->places.nplaces);
		for (uint64 i = 0; i < fold->places.nplaces; i++)
			remembering->shown[i].row = NO_ROW;
		remembering->is_touched = new_zeros(bool, fold->places.ngroups);
	}
	if (fold->paths != NULL)
		remembering->paths = path_writer_open(fold->paths, loaded, release);
	log_ensure(publication);
	remembering->log = writer_open(past_table(publication, part), false);
	if (tells_counterfeits(publication))
		remembering->counterfeits = writer_open(counterfeits_ensure(publication), false);
	remembering->row = AllocSetContextCreate(CurrentMemoryContext, "remembered class", ALLOCSET_DEFAULT_SIZES);
	return remembering;
}

/* ----------------------------------------------------------------
 * Places
 * ----------------------------------------------------------------
 */

/* Has the person of a row been at a place before? */
static bool
was_at(const Places *places, RowId row, uint64 place)
{
	for (uint64 i = places->first_stay[row]; i < places->first_stay[row + 1]; i++)
		if (places->stay[i].place == place)
			return true;
	return false;
}

/* The person of a row has come to a place, which is counted from 0 on here. */
static void
write_stay(Remembering *remembering, RowId row, int64 group, uint64 place)
{
	static const bool nulls[PLACES_COLUMNS] = {false};
	Datum		values[PLACES_COLUMNS] = {
		[PLACES_KEY] = remembering->loaded->keys[row],[PLACES_GROUP] = Int64GetDatum(group),
		[PLACES_PLACE] = Int32GetDatum((int32) place + 1),[PLACES_CAME] = Int32GetDatum(remembering->release)
	};

	writer_add(remembering->stays, values, nulls);
}

/* A person who is shown at another place, or in a new group, holds no other one any more. */
static void
leave_place(Remembering *remembering, RowId row, uint64 place)
{
	const Places *places = &remembering->fold->places;
	uint64		held = places->place[row];

	if (held == NO_PLACE || held == place)
		return;
	remembering->shown[held].is_left = true;
	remembering->is_touched[places_group(places, held)] = true;
}

/* Notes what a class shows at the places of its group; returns these places, counted from 1 on. */
static Datum
take_places(Remembering *remembering, const RememberedClass *class)
{
	const Places *places = &remembering->fold->places;
	uint64		first = places->first[class->group];
	int32	   *numbers = new_array(int32, class->nrows + class->ninvented);

	remembering->is_touched[class->group] = true;
	for (uint64 i = 0; i < class->nrows; i++)
	{
		RowId		row = class->rows[i];
		uint64		place = class->place[row];

		remembering->shown[place].row = row;
		remembering->shown[place].value = remembering->loaded->frame.sensitive[row];
		numbers[i] = place - first + 1;
		leave_place(remembering, row, place);
		if (!was_at(places, row, place))
			write_stay(remembering, row, places->number[class->group], place - first);
	}
	for (uint64 i = 0; i < class->ninvented; i++)
	{
		remembering->shown[class->stands_in[i]].by_counterfeit = true;
		remembering->shown[class->stands_in[i]].value = class->invented[i];
		numbers[class->nrows + i] = class->stands_in[i] - first + 1;
	}
	return integer_array(numbers, class->nrows + class->ninvented);
}

/* ----------------------------------------------------------------
 * The log
 * ----------------------------------------------------------------
 */

static Datum
codes_as_array(const Remembering *remembering, const Code *codes, uint64 n)
{
	return coded_array(&remembering->fold->sensitive, remembering->loaded->sensitive.values, codes, n);
}

static Datum
keys_of(const Remembering *remembering, const RowId *rows, uint64 n)
{
	Datum	   *keys = new_array(Datum, n);

	for (uint64 i = 0; i < n; i++)
		keys[i] = remembering->loaded->keys[rows[i]];
	return element_array(&remembering->fold->key, keys, NULL, n);
}

/* The sensitive values of rows, and of counterfeits behind them. */
static Datum
values_of(const Remembering *remembering, const RowId *rows, uint64 n, const Code *invented, uint64 ninvented)
{
	Code	   *codes = new_array(Code, n + ninvented);

	for (uint64 i = 0; i < n; i++)
		codes[i] = remembering->loaded->frame.sensitive[rows[i]];
	if (ninvented > 0)
		memcpy(codes + n, invented, sizeof(Code) * ninvented);
	return codes_as_array(remembering, codes, n + ninvented);
}

static Datum
prints_of(const Remembering *remembering, const RowId *rows, uint64 n)
{
	int32	   *prints = new_array(int32, n);

	for (uint64 i = 0; i < n; i++)
		prints[i] = known_print(remembering->loaded, rows[i]);
	return integer_array(prints, n);
}

/* Logs a class of nrows true rows; the group is 0 where it has none, and then it has no places. */
static void
log_class(Remembering *remembering, const RememberedClass *class, Datum keys, int64 group, Datum places, Datum sensitive)
{
	Datum		values[LOG_COLUMNS] = {
		[LOG_RELEASE] = Int32GetDatum(remembering->release),[LOG_CLASS] = Int64GetDatum(class->number),
		[LOG_KEYS] = keys,[LOG_GROUP] = Int64GetDatum(group),[LOG_PLACES] = places,[LOG_SENSITIVE] = sensitive,
		[LOG_FINGERPRINTS] = prints_of(remembering, class->rows, class->nrows)
	};
	bool		nulls[LOG_COLUMNS] = {[LOG_GROUP] = group == 0,[LOG_PLACES] = group == 0};

	writer_add(remembering->log, values, nulls);
}

/* ----------------------------------------------------------------
 * New groups
 * ----------------------------------------------------------------
 */

/* Writes people as a new group, in their order; returns its number.  Arrays are passed, since the log may store the same. */
static int64
write_new_group(Remembering *remembering, const RowId *rows, uint64 n, Datum keys, Datum sensitive)
{
	int64		number = ++remembering->fold->last_number;
	Datum		values[GROUPS_COLUMNS] = {
		[GROUPS_GROUP] = Int64GetDatum(number),[GROUPS_CREATED] = Int32GetDatum(remembering->release),
		[GROUPS_KEYS] = keys,[GROUPS_SENSITIVE] = sensitive,
		[GROUPS_FINGERPRINTS] = remembering->has_prints ? prints_of(remembering, rows, n) : integer_array(new_zeros(int32, n), n),
		[GROUPS_EPOCHS] = integer_array(&remembering->release, 1)
	};
	bool		nulls[GROUPS_COLUMNS] = {[GROUPS_STATES] = true,[GROUPS_PARTS] = true};

	writer_add(remembering->groups, values, nulls);
	for (uint64 i = 0; i < n; i++)
	{
		leave_place(remembering, rows[i], NO_PLACE);
		write_stay(remembering, rows[i], number, i);
	}
	remembering->newcomers += n;
	return number;
}

static Datum
first_places(uint64 n)
{
	int32	   *places = new_array(int32, n);

	for (uint64 i = 0; i < n; i++)
		places[i] = i + 1;
	return integer_array(places, n);
}

void
remember_class(Remembering *remembering, const RememberedClass *class)
{
	MemoryContext old;
	uint64		npeople = class->nrows + class->ncounted;
	Datum		keys;
	Datum		places = (Datum) 0;
	Datum		sensitive;
	int64		group = 0;

	MemoryContextReset(remembering->row);
	old = MemoryContextSwitchTo(remembering->row);
	keys = keys_of(remembering, class->rows, npeople);
	sensitive = values_of(remembering, class->rows, npeople, class->invented, class->ninvented);
	if (remembering->groups != NULL && class->group == NO_GROUP)
	{
		group = write_new_group(remembering, class->rows, class->nrows, keys, sensitive);
		places = first_places(class->nrows);
	}
	else if (remembering->groups != NULL)
	{
		group = remembering->fold->places.number[class->group];
		places = take_places(remembering, class);
	}
	else if (remembering->paths != NULL)
		path_writer_add(remembering->paths, class->rows, npeople, class->invented, class->ninvented);
	else
		for (uint64 i = 0; i < npeople; i++)
			remembering->newcomers += !remembering->fold->is_known[class->rows[i]];
	if (remembering->counterfeits != NULL && class->ninvented > 0)
		writer_add(remembering->counterfeits,
				   (Datum[]) {Int32GetDatum(remembering->release), Int64GetDatum(class->number), Int64GetDatum(class->ninvented)},
				   (bool[]) {false, false, false});
	log_class(remembering, class, keys, group, places, sensitive);
	MemoryContextSwitchTo(old);
}

/* ----------------------------------------------------------------
 * Mixed classes
 * ----------------------------------------------------------------
 */

static int
compare_places_of(const void *a, const void *b, void *place_of)
{
	uint64		x = ((const uint64 *) place_of)[*(const RowId *) a];
	uint64		y = ((const uint64 *) place_of)[*(const RowId *) b];

	return (x > y) - (x < y);
}

/* Puts people without a place last, and makes a group of them; returns its number, or 0. */
static int64
take_mixed(Remembering *remembering, RowId *rows, uint64 nrows, Datum *places_array)
{
	const Places *places = &remembering->fold->places;
	Datum	   *numbers = new_array(Datum, nrows);
	bool	   *has_none = new_array(bool, nrows);
	uint64		nplaced = 0;

	qsort_arg(rows, nrows, sizeof(RowId), compare_places_of, places->place);
	remembering->nmixed++;
	for (; nplaced < nrows && places->place[rows[nplaced]] != NO_PLACE; nplaced++)
	{
		uint64		place = places->place[rows[nplaced]];

		remembering->shown[place].row = rows[nplaced];
		remembering->shown[place].value = remembering->loaded->frame.sensitive[rows[nplaced]];
		remembering->shown[place].mixed = remembering->nmixed;
		remembering->is_touched[places_group(places, place)] = true;
	}
	if (nplaced == nrows)
		return 0;
	for (uint64 i = 0; i < nrows; i++)
	{
		has_none[i] = i < nplaced;
		numbers[i] = Int32GetDatum((int32) (i - nplaced) + 1);
	}
	*places_array = element_array(&element_int4, numbers, has_none, nrows);
	return write_new_group(remembering, rows + nplaced, nrows - nplaced,
						   keys_of(remembering, rows + nplaced, nrows - nplaced),
						   values_of(remembering, rows + nplaced, nrows - nplaced, NULL, 0));
}

void
remember_mixed_class(Remembering *remembering, int64 number, RowId *rows, uint64 nrows)
{
	RememberedClass class = {.number = number, .rows = rows, .nrows = nrows};
	MemoryContext old;
	Datum		places = (Datum) 0;
	int64		group;

	if (remembering->groups == NULL)
	{
		remember_class(remembering, &class);
		return;
	}
	MemoryContextReset(remembering->row);
	old = MemoryContextSwitchTo(remembering->row);
	group = take_mixed(remembering, rows, nrows, &places);
	log_class(remembering, &class, keys_of(remembering, rows, nrows), group, places,
			  values_of(remembering, rows, nrows, NULL, 0));
	MemoryContextSwitchTo(old);
}

/* ----------------------------------------------------------------
 * Groups of the past
 * ----------------------------------------------------------------
 */

/* Is some place of the same part shown, so that the log tells which are not? */
static bool
is_part_shown(const Remembering *remembering, uint32 g, uint64 place)
{
	const Places *places = &remembering->fold->places;

	for (uint64 i = places->first[g]; i < places->first[g + 1]; i++)
		if (places->part[i] == places->part[place] && (remembering->shown[i].row != NO_ROW || remembering->shown[i].by_counterfeit))
			return true;
	return false;
}

void
remember_apart(Remembering *remembering, const bool *is_apart)
{
	const Places *places = &remembering->fold->places;

	for (uint32 g = 0; is_apart != NULL && g < places->ngroups; g++)
		for (uint64 i = places->first[g]; i < places->first[g + 1] && remembering->is_touched[g]; i++)
			remembering->shown[i].is_apart = is_apart[i] && is_part_shown(remembering, g, i);
}

/* A row of a group in the making: [places of the group] what has changed, and whether anything has. */
typedef struct NewRow
{
	Datum	   *keys;
	bool	   *has_none;
	int32	   *states;
	int32	   *fingerprints;
	int32	   *parts;
	Code	   *values;
	bool		is_new_epoch;
	bool		is_changed;
} NewRow;

/* Holder, state and fingerprint of a place, after the release. */
static void
renew_holder(const Remembering *remembering, uint64 place, int i, NewRow *row)
{
	const Shown *shown = &remembering->shown[place];
	RowId		holder = remembering->fold->places.row[place];

	if (shown->row != NO_ROW)
	{
		bool		is_same = shown->row == holder;

		if (!is_same)
			row->keys[i] = remembering->loaded->keys[shown->row];
		row->has_none[i] = false;
		row->states[i] = 0;
		if (remembering->has_prints)
			row->fingerprints[i] = known_print(remembering->loaded, shown->row);
		else if (!is_same)
			row->fingerprints[i] = 0;
		row->is_changed |= !is_same;
		return;
	}
	if (shown->is_left)
	{
		row->has_none[i] = row->is_changed = true;
		row->states[i] = row->fingerprints[i] = 0;
	}
	else if (shown->by_counterfeit && !row->has_none[i] && remembering->fold->past.is_whole)
		row->states[i] = HOLDER_WAS_AWAY;
}

/* Parts a group: places that are parted off, members of a mixed class, and the rest. */
static void
renew_parts(const Remembering *remembering, const GroupRow *group, uint64 first, NewRow *row)
{
	const Shown *shown = remembering->shown + first;

	for (int i = 0; i < group->size; i++)
	{
		int32		before = group->parts == NULL ? 1 : group->parts[i];
		bool		is_shown = shown[i].row != NO_ROW || shown[i].by_counterfeit;
		int			j = 0;

		/* The first place of the old part that is treated alike. */
		while (j < i && (shown[j].is_apart != shown[i].is_apart || shown[j].mixed != shown[i].mixed ||
						 (group->parts == NULL ? 1 : group->parts[j]) != before))
			j++;
		row->parts[i] = shown[i].is_apart || (before < 0 && !is_shown) ? -(j + 1) : j + 1;
	}
}

/* Makes an array of integers, or NULL where all are as they are by default. */
static Datum
array_or_null(const int32 *integers, int n, int32 by_default, bool *isnull)
{
	*isnull = true;
	for (int i = 0; i < n; i++)
		*isnull &= integers[i] == by_default;
	return *isnull ? (Datum) 0 : integer_array(integers, n);
}

/* Is what was read of so many places what it is now?  Integers that were not there are as they are by default. */
static bool
are_equal(const int32 *before, const int32 *after, int n, int32 by_default)
{
	for (int i = 0; i < n; i++)
		if ((before == NULL ? by_default : before[i]) != after[i])
			return false;
	return true;
}

/* The group after the release. */
static NewRow
renew_group(const Remembering *remembering, uint32 g)
{
	const Fold *fold = remembering->fold;
	const Places *places = &fold->places;
	const GroupRow *group = &fold->groups[g];
	uint64		first = places->first[g];
	const Code *last = group_shown(places, g);
	NewRow		row = {
		.keys = new_zeros(Datum, group->size), .has_none = new_array(bool, group->size),
		.states = new_zeros(int32, group->size), .fingerprints = new_array(int32, group->size),
		.parts = new_array(int32, group->size), .values = new_array(Code, group->size)
	};
	ElementWalk walk;

	for (element_walk(&walk, &fold->key, group->keys); element_next(&walk);)
	{
		int			i = walk.i;
		const Shown *shown = &remembering->shown[first + i];

		row.keys[i] = walk.isnull ? (Datum) 0 : walk.value;
		row.has_none[i] = walk.isnull;
		row.states[i] = group->states == NULL ? 0 : group->states[i];
		row.fingerprints[i] = group->fingerprints[i];
		row.values[i] = shown->row != NO_ROW || shown->by_counterfeit ? shown->value : last[i];
		row.is_new_epoch |= row.values[i] != last[i];
		renew_holder(remembering, first + i, i, &row);
	}
	renew_parts(remembering, group, first, &row);
	row.is_changed |= row.is_new_epoch || !are_equal(group->states, row.states, group->size, 0) ||
		!are_equal(group->fingerprints, row.fingerprints, group->size, 0) ||
		!are_equal(group->parts, row.parts, group->size, 1);
	return row;
}

/* All epochs of the group, the new one last. */
static Datum
epochs_of(const Remembering *remembering, uint32 g, const NewRow *row, Datum *since)
{
	const Places *places = &remembering->fold->places;
	uint64		size = group_size(places, g);
	uint64		nepochs = group_epochs(places, g);
	int32	   *releases = new_array(int32, nepochs + 1);
	Code	   *values = new_array(Code, (nepochs + 1) * size);

	memcpy(releases, places->since + places->first_epoch[g], sizeof(int32) * nepochs);
	memcpy(values, places->value + places->first_value[g], sizeof(Code) * nepochs * size);
	if (row->is_new_epoch)
	{
		memcpy(values + nepochs * size, row->values, sizeof(Code) * size);
		releases[nepochs++] = remembering->release;
	}
	*since = integer_array(releases, nepochs);
	return codes_as_array(remembering, values, nepochs * size);
}

/* Writes the row of a group anew, whose old one is deleted. */
static void
write_group(Remembering *remembering, RowWriter *writer, uint32 g)
{
	const GroupRow *group = &remembering->fold->groups[g];
	NewRow		row = renew_group(remembering, g);
	Datum		values[GROUPS_COLUMNS];
	bool		nulls[GROUPS_COLUMNS] = {false};

	values[GROUPS_GROUP] = Int64GetDatum(group->number);
	values[GROUPS_CREATED] = Int32GetDatum(group->created);
	values[GROUPS_KEYS] = element_array(&remembering->fold->key, row.keys, row.has_none, group->size);
	values[GROUPS_STATES] = array_or_null(row.states, group->size, 0, &nulls[GROUPS_STATES]);
	values[GROUPS_FINGERPRINTS] = integer_array(row.fingerprints, group->size);
	values[GROUPS_PARTS] = array_or_null(row.parts, group->size, 1, &nulls[GROUPS_PARTS]);
	values[GROUPS_SENSITIVE] = epochs_of(remembering, g, &row, &values[GROUPS_EPOCHS]);
	writer_add(writer, values, nulls);
}

/* Deletes the rows of groups that have changed; the index would not let new ones come before.  Marks the others as not touched. */
static void
delete_changed(Remembering *remembering, Oid table)
{
	const Fold *fold = remembering->fold;
	ItemPointerData *tids = new_array(ItemPointerData, fold->places.ngroups);
	uint64		n = 0;

	for (uint32 g = 0; g < fold->places.ngroups; g++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!remembering->is_touched[g])
			continue;
		MemoryContextReset(remembering->row);
		MemoryContextSwitchTo(remembering->row);
		remembering->is_touched[g] = renew_group(remembering, g).is_changed;
		if (remembering->is_touched[g])
			tids[n++] = fold->groups[g].tid;
	}
	delete_rows(table, tids, n);
	pfree(tids);
}

/* Writes the groups of the past that have changed. */
static void
replace_groups(Remembering *remembering)
{
	const Fold *fold = remembering->fold;
	Oid			table = past_table(fold->publication, GROUPS_TABLE);
	MemoryContext old = CurrentMemoryContext;
	RowWriter  *writer;

	progress_phase("replace groups", fold->places.ngroups);
	delete_changed(remembering, table);
	MemoryContextSwitchTo(old);
	CommandCounterIncrement();
	writer = writer_open(table, true);
	for (uint32 g = 0; g < fold->places.ngroups; g++)
	{
		progress_step(1);
		CHECK_FOR_INTERRUPTS();
		if (!remembering->is_touched[g])
			continue;
		MemoryContextReset(remembering->row);
		MemoryContextSwitchTo(remembering->row);
		write_group(remembering, writer, g);
		MemoryContextSwitchTo(old);
	}
	writer_close(writer);
}

uint64
remember_end(Remembering *remembering)
{
	writer_close(remembering->log);
	if (remembering->groups != NULL)
	{
		writer_close(remembering->groups);
		writer_close(remembering->stays);
		replace_groups(remembering);
		past_indexes_ensure(remembering->fold->publication);
	}
	if (remembering->counterfeits != NULL)
		writer_close(remembering->counterfeits);
	if (remembering->paths != NULL)
		remembering->newcomers = path_writer_close(remembering->paths);
	MemoryContextDelete(remembering->row);
	return remembering->newcomers;
}

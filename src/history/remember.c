/*
 * remember.c
 *		Writing a release into the log, and into what is kept beside it.
 */
#include "history/remember.h"

#include "frame/arrays.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

#define MOST_KEYS 100000		/* in an array: keys of a kilobyte still fit */

typedef struct Remembering
{
	Fold	   *fold;
	const LoadedFrame *loaded;
	const Remembered *release;
	const Classes *classes;		/* its */
	RowWriter  *log;
	RowWriter  *counterfeits;	/* or NULL if their numbers are not public */
	uint64		newcomers;
	Datum	   *people;			/* keys of those who are new, where a table of people is kept; else NULL */
	uint64		npeople;
	MemoryContext row;			/* of the class or group at hand */

	/* Under a method with places */
	RowWriter  *stays;			/* else NULL */
	const Past *past;			/* after the release */
	const Places *before;
	const Places *after;
	const uint32 *group;		/* [nclasses] */
	int32	   *print;			/* [places after] fingerprints of their holders, as groups keep them */
} Remembering;

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

/* The places of members in a group, from 1 on; NULL for those who keep one of another. */
static Datum
places_of(const Remembering *remembering, uint32 c, uint32 group)
{
	const Places *after = remembering->after;
	const RowId *rows = &remembering->classes->rows[remembering->classes->first[c]];
	uint64		nrows = class_size(remembering->classes, c);
	uint64		n = nrows + class_counterfeits(remembering->classes, c);
	Datum	   *places = new_array(Datum, n);
	bool	   *is_kept = new_zeros(bool, n);

	for (uint64 i = 0; i < n; i++)
	{
		uint64		place = i < nrows ? after->place[rows[i]] :
			remembering->release->showing->stands_in[remembering->classes->first_counterfeit[c] + i - nrows];

		is_kept[i] = place < after->first[group] || place >= after->first[group + 1];
		places[i] = Int32GetDatum((int32) (place - after->first[group]) + 1);
	}
	return element_array(&element_int4, places, is_kept, n);
}

/* Writes the people of a class who have come to a place. */
static void
write_stays(Remembering *remembering, uint32 c, uint32 group)
{
	static const bool nulls[PLACES_COLUMNS] = {false};
	const Places *before = remembering->before;
	const Places *after = remembering->after;

	for (uint64 i = remembering->classes->first[c]; i < remembering->classes->first[c + 1]; i++)
	{
		RowId		row = remembering->classes->rows[i];

		/* Places are read one after the other, people of the past here and there. */
		if (after->place[row] >= before->nplaces || before->row[after->place[row]] != row)
			writer_add(remembering->stays, (Datum[]) {
				[PLACES_KEY] = remembering->loaded->keys[row],[PLACES_GROUP] = Int64GetDatum(after->number[group]),
				[PLACES_PLACE] = Int32GetDatum((int32) (after->place[row] - after->first[group]) + 1),
				[PLACES_CAME] = Int32GetDatum(remembering->release->number)
			}, nulls);
	}
}

/* The rows of a class, and who was counted in behind them. */
static const RowId *
people_of(const Remembering *remembering, uint32 c, uint64 *n)
{
	const Remembered *release = remembering->release;
	const RowId *rows = &remembering->classes->rows[remembering->classes->first[c]];
	uint64		size = class_size(remembering->classes, c);
	uint64		ncounted = release->first_counted == NULL ? 0 : release->first_counted[c + 1] - release->first_counted[c];
	RowId	   *people;

	*n = size + ncounted;
	if (ncounted == 0)
		return rows;
	people = new_array(RowId, *n);
	memcpy(people, rows, sizeof(RowId) * size);
	memcpy(people + size, &release->counted[release->first_counted[c]], sizeof(RowId) * ncounted);
	return people;
}

/* Counts what is new in a class of a method without places, and notes who is. */
static void
note_newcomers(Remembering *remembering, const RowId *people, uint64 npeople, uint64 ninvented)
{
	remembering->newcomers += ninvented;
	for (uint64 i = 0; i < npeople; i++)
	{
		if (paths_know(remembering->fold->paths, people[i]))
			continue;
		remembering->newcomers++;
		if (remembering->people != NULL)
			remembering->people[remembering->npeople++] = remembering->loaded->keys[people[i]];
	}
}

/* Writes who was published for the first time, in arrays that are not too long. */
static void
write_people(Remembering *remembering)
{
	const DeclaredPublication *publication = remembering->fold->publication;
	RowWriter  *writer = writer_open(past_table_ensure(publication, PEOPLE_TABLE), false);

	for (uint64 from = 0; from < remembering->npeople; from += MOST_KEYS)
		writer_add(writer, (Datum[]) {
			[PEOPLE_CAME] = Int32GetDatum(remembering->release->number),
			[PEOPLE_KEYS] = element_array(&remembering->fold->key, remembering->people + from, NULL, Min(MOST_KEYS, remembering->npeople - from))
		}, (bool[PEOPLE_COLUMNS]) {false});
	writer_close(writer);
}

/* Writes a class into the log, and wherever else its method has it written. */
static void
remember_class(Remembering *remembering, uint32 c)
{
	const Classes *classes = remembering->classes;
	uint32		group = remembering->stays == NULL ? NO_GROUP : remembering->group[c];
	uint64		ninvented = class_counterfeits(classes, c);
	const Code *invented = ninvented == 0 ? NULL : &classes->counterfeit[classes->first_counterfeit[c]];
	uint64		npeople;
	const RowId *people = people_of(remembering, c, &npeople);
	Datum		release = Int32GetDatum(remembering->release->number);
	Datum		number = Int64GetDatum(remembering->release->class[c]);
	Datum		values[LOG_COLUMNS] = {
		[LOG_RELEASE] = release,[LOG_CLASS] = number,[LOG_KEYS] = keys_of(remembering, people, npeople),
		[LOG_SENSITIVE] = values_of(remembering, people, npeople, invented, ninvented),
		[LOG_FINGERPRINTS] = prints_of(remembering, people, class_size(classes, c))
	};

	if (group != NO_GROUP)
	{
		values[LOG_GROUP] = Int64GetDatum(remembering->after->number[group]);
		values[LOG_PLACES] = places_of(remembering, c, group);
		write_stays(remembering, c, group);
	}
	if (remembering->fold->paths != NULL)
		note_newcomers(remembering, people, npeople, ninvented);
	if (remembering->counterfeits != NULL && ninvented > 0)
		writer_add(remembering->counterfeits, (Datum[]) {release, number, Int64GetDatum(ninvented)}, (bool[]) {false, false, false});
	writer_add(remembering->log, values, (bool[LOG_COLUMNS]) {[LOG_GROUP] = group == NO_GROUP,[LOG_PLACES] = group == NO_GROUP});
}

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

/* Fingerprints of holders: of those shown now, today's, if all quasi-identifiers are shown; else those that they had at the place. */
static void
list_prints(Remembering *remembering)
{
	const Fold *fold = remembering->fold;
	const Places *after = remembering->after;
	bool		has_prints = fold_has_prints(fold, remembering->loaded);

	remembering->print = new_zeros(int32, after->nplaces);
	for (uint32 g = 0; g < remembering->before->ngroups; g++)
		memcpy(remembering->print + after->first[g], fold->groups[g].fingerprints, sizeof(int32) * group_size(after, g));
	for (uint64 i = 0; i < remembering->classes->first[remembering->classes->nclasses]; i++)
	{
		RowId		row = remembering->classes->rows[i];
		uint64		place = after->place[row];

		if (has_prints)
			remembering->print[place] = known_print(remembering->loaded, row);
		else if (place >= remembering->before->nplaces || remembering->before->row[place] != row)
			remembering->print[place] = 0;
	}
	for (uint64 place = 0; place < after->nplaces; place++)
		if (!after->is_held[place])
			remembering->print[place] = 0;
}

/* Is a group of the past another one now? */
static bool
is_changed(const Remembering *remembering, uint32 g)
{
	const Places *before = remembering->before;
	const Places *after = remembering->after;
	const bool *was_away = remembering->fold->past.is_away;
	uint64		first = before->first[g];
	uint64		n = group_size(before, g);

	if (group_epochs(before, g) != group_epochs(after, g) ||
		memcmp(before->row + first, after->row + first, sizeof(RowId) * n) != 0 ||
		memcmp(before->is_held + first, after->is_held + first, n) != 0 ||
		memcmp(before->part + first, after->part + first, sizeof(uint32) * n) != 0 ||
		memcmp(before->is_apart + first, after->is_apart + first, n) != 0 ||
		memcmp(remembering->fold->groups[g].fingerprints, remembering->print + first, sizeof(int32) * n) != 0)
		return true;
	return was_away == NULL ? memchr(remembering->past->is_away + first, 1, n) != NULL :
		memcmp(was_away + first, remembering->past->is_away + first, n) != 0;
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

/* Writes the row of a group as it is after the release. */
static void
write_group(const Remembering *remembering, RowWriter *writer, uint32 g)
{
	const Places *after = remembering->after;
	uint64		first = after->first[g];
	int			n = group_size(after, g);
	Datum	   *keys = new_array(Datum, n);
	bool	   *has_none = new_array(bool, n);
	int32	   *states = new_array(int32, n);
	int32	   *parts = new_array(int32, n);
	Datum		values[GROUPS_COLUMNS] = {
		[GROUPS_GROUP] = Int64GetDatum(after->number[g]),[GROUPS_CREATED] = Int32GetDatum(after->created[g]),
		[GROUPS_FINGERPRINTS] = integer_array(remembering->print + first, n),
		[GROUPS_EPOCHS] = integer_array(after->since + after->first_epoch[g], group_epochs(after, g)),
		[GROUPS_SENSITIVE] = codes_as_array(remembering, group_values(after, g, 0), group_epochs(after, g) * n)
	};
	bool		nulls[GROUPS_COLUMNS] = {false};

	for (int i = 0; i < n; i++)
	{
		uint64		place = first + i;
		RowId		row = after->row[place];

		has_none[i] = !after->is_held[place];
		keys[i] = has_none[i] ? (Datum) 0 : row != NO_ROW ? remembering->loaded->keys[row] : remembering->fold->holder[place];
		states[i] = remembering->past->is_away[place] ? HOLDER_WAS_AWAY : 0;
		parts[i] = ((int32) after->part[place] + 1) * (after->is_apart[place] ? -1 : 1);
	}
	values[GROUPS_KEYS] = element_array(&remembering->fold->key, keys, has_none, n);
	values[GROUPS_STATES] = array_or_null(states, n, 0, &nulls[GROUPS_STATES]);
	values[GROUPS_PARTS] = array_or_null(parts, n, 1, &nulls[GROUPS_PARTS]);
	writer_add(writer, values, nulls);
}

/* Writes groups that are new or have changed.  Old rows are deleted first: the index would not let new ones come before. */
static void
replace_groups(Remembering *remembering)
{
	const Fold *fold = remembering->fold;
	const Places *after = remembering->after;
	Oid			table = past_table(fold->publication, GROUPS_TABLE);
	ItemPointerData *tids = new_array(ItemPointerData, fold->places.ngroups);
	bool	   *is_written = new_array(bool, after->ngroups);
	RowWriter  *writer;
	uint64		n = 0;

	progress_phase("replace groups", after->ngroups);
	list_prints(remembering);
	for (uint32 g = 0; g < after->ngroups; g++)
	{
		is_written[g] = g >= fold->places.ngroups || is_changed(remembering, g);
		if (is_written[g] && g < fold->places.ngroups)
			tids[n++] = fold->groups[g].tid;
	}
	delete_rows(table, tids, n);
	CommandCounterIncrement();
	writer = writer_open(table, true);
	for (uint32 g = 0; g < after->ngroups; g++)
	{
		MemoryContext old = MemoryContextSwitchTo(remembering->row);

		progress_step(1);
		CHECK_FOR_INTERRUPTS();
		if (is_written[g])
			write_group(remembering, writer, g);
		MemoryContextSwitchTo(old);
		MemoryContextReset(remembering->row);
	}
	writer_close(writer);
	if (fold->wants_indexes)
		past_indexes_ensure(fold->publication);
}

/* ----------------------------------------------------------------
 * A release
 * ----------------------------------------------------------------
 */

/* Opens what there is to write, and foresees the places. */
static void
prepare(Remembering *remembering)
{
	Fold	   *fold = remembering->fold;
	const DeclaredPublication *publication = fold->publication;

	if (fold->keeps_places)
	{
		(void) past_table_ensure(publication, GROUPS_TABLE);
		remembering->stays = writer_open(past_table_ensure(publication, PLACES_TABLE), false);
		remembering->past = past_after(&fold->past, &remembering->loaded->frame, remembering->release->showing, remembering->release->number);
		remembering->before = &fold->places;
		remembering->after = remembering->past->places;
		remembering->group = groups_of_classes(&fold->places, remembering->release->showing);
		remembering->newcomers = remembering->after->nplaces - fold->places.nplaces;
	}
	if (keeps_people(publication))
		remembering->people = new_array(Datum, remembering->loaded->frame.nrows);
	log_ensure(publication);
	remembering->log = writer_open(past_table(publication, remembering->release->log), false);
	if (tells_counterfeits(publication))
		remembering->counterfeits = writer_open(counterfeits_ensure(publication), false);
}

uint64
remember(Fold *fold, const LoadedFrame *loaded, const Remembered *release)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "remembered release", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Remembering remembering = {.fold = fold, .loaded = loaded, .release = release, .classes = release->showing->classes};

	progress_phase("write history", remembering.classes->first[remembering.classes->nclasses]);
	remembering.row = AllocSetContextCreate(work, "remembered class", ALLOCSET_DEFAULT_SIZES);
	prepare(&remembering);
	for (uint32 i = 0; i < remembering.classes->nclasses; i++)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(remembering.row);
		remember_class(&remembering, release->order[i]);
		MemoryContextSwitchTo(work);
		MemoryContextReset(remembering.row);
		progress_step(class_size(remembering.classes, release->order[i]));
	}
	writer_close(remembering.log);
	if (remembering.counterfeits != NULL)
		writer_close(remembering.counterfeits);
	if (remembering.people != NULL)
		write_people(&remembering);
	if (remembering.stays != NULL)
	{
		writer_close(remembering.stays);
		replace_groups(&remembering);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
	return remembering.newcomers;
}

void
past_skip(const DeclaredPublication *publication)
{
	log_ensure(publication);
	if (!keeps_past(publication, PAST_PLACES))
		return;
	(void) past_table_ensure(publication, GROUPS_TABLE);
	(void) past_table_ensure(publication, PLACES_TABLE);
}

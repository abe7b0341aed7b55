/*
 * fold.c
 *		Reading the tables of groups and places.
 *
 * NOTES
 *		Both tables are read from end to end for all of the source, or for many people.  Otherwise the stays of the people
 *		asked for are found by their keys, and groups by their numbers: in both cases groups come in the order of numbers,
 *		so that a draft does not depend on how they were found, but where ties lead further than they are followed.
 */
#include "history/fold.h"

#include "compat.h"
#include "executor/spi.h"
#include "frame/arrays.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Of more than one in so many people of the history, all of it is read. */
#define FEW				8

#define STAYS			32		/* rows whose people are looked up together */

/* Groups that ties of few people are followed to, beside their own. */
#define FOLLOWED		100

typedef struct Reading
{
	Fold	   *fold;
	const KeyTable *people;
	KeyTable   *strangers;		/* not among the rows */

	/* Where few people are looked up: places by key and by group, and groups */
	IndexReader *stays;
	IndexReader *sitters;
	IndexReader *groups;
} Reading;

/* ----------------------------------------------------------------
 * Groups
 * ----------------------------------------------------------------
 */

/* Copies an array of a row, since the row does not outlive its visit; NULL for NULL. */
static ArrayType *
keep(const Fold *fold, const TupleTableSlot *slot, int column)
{
	ArrayType  *array;

	if (slot->tts_isnull[column])
		return NULL;
	array = DatumGetArrayTypeP(slot->tts_values[column]);
	return memcpy(MemoryContextAllocHuge(fold->context, VARSIZE(array)), array, VARSIZE(array));
}

static int
length_of(const ArrayType *array)
{
	return ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
}

/* Integers as they stand in an array; false if these are not n. */
static bool
integers_in(const ArrayType *array, int n, const int32 **integers)
{
	*integers = array == NULL ? NULL : (const int32 *) ARR_DATA_PTR(array);
	return array == NULL || (!ARR_HASNULL(array) && length_of(array) == n);
}

/* The first place of each part is named by all places of it, and negatively if it is apart. */
static bool
are_parts(const int32 *parts, int n)
{
	for (int i = 0; parts != NULL && i < n; i++)
		if (parts[i] == 0 || parts[i] < -(i + 1) || parts[i] > i + 1 || parts[abs(parts[i]) - 1] != parts[i])
			return false;
	return true;
}

/* Keeps the row of a group; false if it is malformed. */
static bool
take_group(Fold *fold, const TupleTableSlot *slot)
{
	ArrayType  *epochs = keep(fold, slot, GROUPS_EPOCHS);
	GroupRow	group = {
		.number = DatumGetInt64(slot->tts_values[GROUPS_GROUP]), .tid = slot->tts_tid,
		.created = DatumGetInt32(slot->tts_values[GROUPS_CREATED]), .nepochs = length_of(epochs),
		.keys = keep(fold, slot, GROUPS_KEYS), .sensitive = keep(fold, slot, GROUPS_SENSITIVE)
	};

	group.size = length_of(group.keys);
	if (!integers_in(keep(fold, slot, GROUPS_STATES), group.size, &group.states) ||
		!integers_in(keep(fold, slot, GROUPS_FINGERPRINTS), group.size, &group.fingerprints) ||
		!integers_in(keep(fold, slot, GROUPS_PARTS), group.size, &group.parts) ||
		!integers_in(epochs, group.nepochs, &group.epochs))
		return false;
	fold->places.last_number = Max(fold->places.last_number, group.number);
	array_reserve(fold->groups, fold->groups_allocated, fold->places.ngroups + 1);
	fold->groups[fold->places.ngroups++] = group;
	fold->places.nplaces += group.size;
	return group.size > 0 && group.nepochs > 0 && are_parts(group.parts, group.size) &&
		(int64) length_of(group.sensitive) == (int64) group.size * group.nepochs;
}

/* Visits a row of the table of groups; a malformed one is an error. */
static void
read_group(void *what, TupleTableSlot *slot)
{
	Fold	   *fold = ((Reading *) what)->fold;
	static const int always[] = {
		GROUPS_GROUP, GROUPS_CREATED, GROUPS_KEYS, GROUPS_FINGERPRINTS, GROUPS_EPOCHS, GROUPS_SENSITIVE
	};

	if (!row_has_values(slot, GROUPS_COLUMNS, always, lengthof(always)) || !take_group(fold, slot))
		refuse_group(fold->publication, slot->tts_isnull[GROUPS_GROUP] ? 0 : DatumGetInt64(slot->tts_values[GROUPS_GROUP]));
}

static int
compare_int64(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return (x > y) - (x < y);
}

DEFINE_ORDER(compare_groups, GroupRow, ASCENDING(number));

/* The group of a number; an error if there is none. */
static uint32
find_group(const Fold *fold, int64 number)
{
	uint32		n = fold->places.ngroups;
	uint64		found = n == 0 || number < fold->groups[0].number ? n : (uint64) (number - fold->groups[0].number);

	/* Where all have been read, none is missing. */
	if (found < n && fold->groups[found].number == number)
		return found;
	find_first(found, n, i, fold->groups[i].number >= number);
	if (found == n || fold->groups[found].number != number)
		refuse_group(fold->publication, number);
	return found;
}

/* ----------------------------------------------------------------
 * Stays
 * ----------------------------------------------------------------
 */

/* The stay of a row of the table of places, of nobody yet. */
static PersonStay
stay_of(const Fold *fold, const TupleTableSlot *slot)
{
	static const int always[] = {PLACES_KEY, PLACES_GROUP, PLACES_PLACE, PLACES_CAME};

	if (!row_has_values(slot, PLACES_COLUMNS, always, lengthof(always)))
		refuse_group(fold->publication, 0);
	return (PersonStay) {
		NO_KEY, DatumGetInt64(slot->tts_values[PLACES_GROUP]),
		{(uint64) DatumGetInt32(slot->tts_values[PLACES_PLACE]), DatumGetInt32(slot->tts_values[PLACES_CAME])}
	};
}

static void
add_stay(Fold *fold, uint64 person, PersonStay stay)
{
	array_reserve(fold->stays, fold->stays_allocated, fold->nstays + 1);
	stay.person = person;
	fold->stays[fold->nstays++] = stay;
}

/* Takes some rows of the table of places, whose people are looked up together. */
static void
take_stays(Reading *reading, const Datum *keys, const PersonStay *stays, int n)
{
	uint32		person[STAYS];

	keys_find_all(reading->people, keys, NULL, n, person);
	for (int i = 0; i < n; i++)
		if (person[i] != NO_KEY)
			add_stay(reading->fold, person[i], stays[i]);
		else
			add_stay(reading->fold, reading->people->size + keys_add(reading->strangers, keys[i]), stays[i]);
}

/* Reads the table of places from end to end; keys do not outlive their row, so they are copied. */
static void
read_all_stays(Reading *reading)
{
	const KeyTable *people = reading->people;
	RowReader  *reader = reader_open(past_table(reading->fold->publication, PLACES_TABLE));
	MemoryContext some = AllocSetContextCreate(CurrentMemoryContext, "stays", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(some);
	Datum		keys[STAYS];
	PersonStay	stays[STAYS];
	int			n = 0;
	TupleTableSlot *slot;

	while ((slot = reader_next(reader)) != NULL)
	{
		stays[n] = stay_of(reading->fold, slot);
		keys[n++] = datumCopy(slot->tts_values[PLACES_KEY], people->byval, people->length);
		if (n == STAYS)
		{
			take_stays(reading, keys, stays, n);
			MemoryContextReset(some);
			n = 0;
		}
	}
	take_stays(reading, keys, stays, n);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(some);
	reader_close(reader);
}

/* Sorts stays by person, those of each the oldest first.  What is not there yet is of person 0, who has none before. */
static void
sort_stays(Fold *fold, uint64 npeople)
{
	uint64	   *end = new_zeros(uint64, npeople + 1);
	PersonStay *sorted = new_zeros(PersonStay, fold->nstays);

	for (uint64 i = 0; i < fold->nstays; i++)
		end[fold->stays[i].person + 1]++;
	for (uint64 person = 0; person < npeople; person++)
		end[person + 1] += end[person];
	for (uint64 i = 0; i < fold->nstays; i++)
	{
		const PersonStay *stay = &fold->stays[i];
		uint64		at = end[stay->person]++;

		CHECK_FOR_INTERRUPTS();
		for (; at > 0 && sorted[at - 1].person == stay->person && sorted[at - 1].stay.came > stay->stay.came; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = *stay;
	}
	pfree(end);
	pfree(fold->stays);
	fold->stays = sorted;
}

/*
 * Each stay of a person after an earlier one links two groups.  The person had left before another one came to the place, and
 * the group may have shown new values since.
 */
static void
link_groups(Fold *fold)
{
	Places	   *places = &fold->places;
	uint64		room = 0;
	uint64		since_room = 0;
	int32	   *since = NULL;	/* when people came to the places that links are from */
	Stay	   *stay;

	places->link = new_array(Link, 0);
	for (uint64 i = 1; i < fold->nstays; i++)
	{
		const PersonStay *from = &fold->stays[i - 1];
		const PersonStay *to = &fold->stays[i];

		if (from->person != to->person || from->group == to->group)
			continue;
		array_reserve(places->link, room, places->nlinks + 1);
		array_reserve(since, since_room, places->nlinks + 1);
		since[places->nlinks] = from->stay.came;
		places->link[places->nlinks++] = (Link) {from->stay.place, to->stay.place, to->stay.came - 1, to->stay.came};
	}
	if (places->nlinks == 0)
		return;
	stay = new_array(Stay, fold->nstays);
	for (uint64 i = 0; i < fold->nstays; i++)
		stay[i] = fold->stays[i].stay;
	end_links(places, 0, since, fold->nstays, stay);
	pfree(stay);
	pfree(since);
}

/* Finds groups whose ties lead to some that were not followed, and drops their links. */
static void
find_open_ties(Fold *fold)
{
	Places	   *places = &fold->places;
	uint64	   *tied = union_find_create(places->ngroups);
	bool	   *is_open = new_zeros(bool, places->ngroups);
	uint64		n = 0;

	for (uint64 i = 0; i < places->nlinks; i++)
		union_unite(tied, places_group(places, places->link[i].from), places_group(places, places->link[i].to));
	for (uint32 g = 0; g < places->ngroups; g++)
		is_open[union_root(tied, g)] |= !fold->groups[g].is_followed;
	for (uint32 g = places->ngroups; g-- > 0;)
		is_open[g] = is_open[union_root(tied, g)];	/* a root is the first of its groups */
	for (uint64 i = 0; i < places->nlinks; i++)
		if (!is_open[places_group(places, places->link[i].from)])
			places->link[n++] = places->link[i];
	places->nlinks = n;
	places->has_open_ties = is_open;
	pfree(tied);
}

/* Gives stays the places of the past, sorts them, and drops those of people who are not among the rows. */
static void
lay_out_stays(Fold *fold, uint64 nrows)
{
	const Places *places = &fold->places;
	uint64		npeople = nrows;

	for (uint64 i = 0; i < fold->nstays; i++)
	{
		PersonStay *stay = &fold->stays[i];
		uint32		g = find_group(fold, stay->group);

		CHECK_FOR_INTERRUPTS();
		if (stay->stay.place < 1 || stay->stay.place > group_size(places, g))
			refuse_group(fold->publication, stay->group);
		stay->stay.place += places->first[g] - 1;
		npeople = Max(npeople, stay->person + 1);
	}
	sort_stays(fold, npeople);
	link_groups(fold);
	if (fold->is_followed)
		find_open_ties(fold);
	fold->nread = nrows;
	while (fold->nstays > 0 && fold->stays[fold->nstays - 1].person >= nrows)
		fold->nstays--;
}

/* ----------------------------------------------------------------
 * Looking few people up
 * ----------------------------------------------------------------
 */

/* The stays of a person. */
static void
look_up_person(Reading *reading, const KeyTable *keys, uint32 i, uint64 person)
{
	TupleTableSlot *slot;

	index_reader_find(reading->stays, keys->keys[i]);
	while ((slot = index_reader_next(reading->stays)) != NULL)
	{
		PersonStay	stay = stay_of(reading->fold, slot);

		if (keys_find(keys, slot->tts_values[PLACES_KEY]) == i)
			add_stay(reading->fold, person, stay);
	}
}

/* The groups of stays from a first one on, but for those that have been read. */
static void
look_up_groups(Reading *reading, uint64 first)
{
	Fold	   *fold = reading->fold;
	uint32		known = fold->places.ngroups;
	uint64		n = fold->nstays - first;
	int64	   *numbers = new_array(int64, n);
	TupleTableSlot *slot;

	for (uint64 i = 0; i < n; i++)
		numbers[i] = fold->stays[first + i].group;
	if (n > 0)
		qsort(numbers, n, sizeof(int64), compare_int64);
	for (uint64 i = 0; i < n; i++)
	{
		if ((i > 0 && numbers[i] == numbers[i - 1]) ||
			bsearch(&(GroupRow) {.number = numbers[i]}, fold->groups, known, sizeof(GroupRow), compare_groups) != NULL)
			continue;
		index_reader_find(reading->groups, Int64GetDatum(numbers[i]));
		while ((slot = index_reader_next(reading->groups)) != NULL)
			read_group(reading, slot);
	}
	qsort(fold->groups, fold->places.ngroups, sizeof(GroupRow), compare_groups);
}

/* The stays of all who ever sat in a group. */
static void
follow_group(Reading *reading, GroupRow *group)
{
	TupleTableSlot *slot;

	group->is_followed = true;
	index_reader_find(reading->sitters, Int64GetDatum(group->number));
	while ((slot = index_reader_next(reading->sitters)) != NULL)
	{
		uint64		known = reading->strangers->size;
		uint32		stranger;

		(void) stay_of(reading->fold, slot);
		if (keys_find(reading->people, slot->tts_values[PLACES_KEY]) != NO_KEY)
			continue;
		stranger = keys_add(reading->strangers, slot->tts_values[PLACES_KEY]);
		if (stranger == known)
			look_up_person(reading, reading->strangers, stranger, reading->people->size + stranger);
	}
}

/* The fewest places that a part of a group has. */
static int
smallest_part(const GroupRow *group)
{
	int		   *n;
	int			least = group->size;

	if (group->parts == NULL)
		return least;
	n = new_zeros(int, group->size);
	for (int i = 0; i < group->size; i++)
		n[abs(group->parts[i]) - 1]++;
	for (int i = 0; i < group->size; i++)
		if (n[i] > 0)
			least = Min(least, n[i]);
	pfree(n);
	return least;
}

/* Chooses groups of which all places of a part may be asked for, or some if that is enough; returns how many. */
static uint32
choose_groups(const Fold *fold, bool some_are_enough, bool *is_chosen)
{
	int		   *n = new_zeros(int, fold->places.ngroups);
	uint32		nchosen = 0;

	for (uint64 i = 0; i < fold->nstays; i++)
		n[find_group(fold, fold->stays[i].group)]++;
	for (uint32 g = 0; g < fold->places.ngroups; g++)
		nchosen += is_chosen[g] = some_are_enough || n[g] >= smallest_part(&fold->groups[g]);
	pfree(n);
	return nchosen;
}

/* Chooses groups that people of those followed so far were in, too; returns how many. */
static uint32
choose_next_groups(const Reading *reading, bool *is_chosen)
{
	const Fold *fold = reading->fold;
	bool	   *is_met = new_zeros(bool, reading->people->size + reading->strangers->size);
	uint32		nchosen = 0;

	for (uint64 i = 0; i < fold->nstays; i++)
		is_met[fold->stays[i].person] |= fold->groups[find_group(fold, fold->stays[i].group)].is_followed;
	for (uint64 i = 0; i < fold->nstays; i++)
	{
		uint32		g = find_group(fold, fold->stays[i].group);

		if (!is_met[fold->stays[i].person] || fold->groups[g].is_followed || is_chosen[g])
			continue;
		is_chosen[g] = true;
		nchosen++;
	}
	pfree(is_met);
	return nchosen;
}

/* Follows ties of groups that may show new values, or all, from group to group: as far as is cheap, which ties alone decide. */
static void
follow_ties(Reading *reading, bool of_all)
{
	Fold	   *fold = reading->fold;
	bool	   *is_chosen = new_zeros(bool, fold->places.ngroups);
	uint32		n = choose_groups(fold, of_all, is_chosen);
	uint64		most = (uint64) n + FOLLOWED;

	fold->is_followed = true;
	for (uint64 followed = n; n > 0 && followed <= most; followed += n)
	{
		uint64		known = fold->nstays;

		for (uint32 g = 0; g < fold->places.ngroups; g++)
			if (is_chosen[g])
				follow_group(reading, &fold->groups[g]);
		look_up_groups(reading, known);
		pfree(is_chosen);
		is_chosen = new_zeros(bool, fold->places.ngroups);
		n = choose_next_groups(reading, is_chosen);
	}
	pfree(is_chosen);
}

/* The greatest number of a group. */
static int64
last_number(const DeclaredPublication *publication)
{
	MemoryContext old = CurrentMemoryContext;
	bool		isnull;
	int64		last = 0;

	if (SPI_execute(psprintf("SELECT pg_catalog.max(\"group\") FROM %s", quoted_relation(past_table(publication, GROUPS_TABLE))),
					true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not look up the last group");
	last = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(old);
	return isnull ? 0 : last;
}

/* False where an index is gone. */
static bool
look_up(Reading *reading, bool was_weaker)
{
	Fold	   *fold = reading->fold;
	Oid			places = past_table(fold->publication, PLACES_TABLE);
	IndexReader *readers[] = {
		reading->stays = index_reader_open(places, PLACES_KEY), reading->sitters = index_reader_open(places, PLACES_GROUP),
		reading->groups = index_reader_open(past_table(fold->publication, GROUPS_TABLE), GROUPS_GROUP)
	};
	bool		are_there = true;

	for (size_t i = 0; i < lengthof(readers); i++)
		are_there &= readers[i] != NULL;
	if (are_there)
	{
		for (uint64 i = 0; i < reading->people->size; i++)
			look_up_person(reading, reading->people, i, i);
		look_up_groups(reading, 0);
		follow_ties(reading, was_weaker);
		fold->places.last_number = last_number(fold->publication);
	}
	for (size_t i = 0; i < lengthof(readers); i++)
		if (readers[i] != NULL)
			index_reader_close(readers[i]);
	return are_there;
}

/* ----------------------------------------------------------------
 * All of it
 * ----------------------------------------------------------------
 */

/* Makes a fold that has read nothing yet. */
static Fold *
fold_create(const DeclaredPublication *publication, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Fold	   *fold = palloc0(sizeof(Fold));

	fold->publication = publication;
	fold->context = context;
	fold->key = element_of(publication_column(publication, ROLE_KEY));
	fold->sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
	fold->keeps_places = keeps_past(publication, PAST_PLACES);
	fold->groups = new_array(GroupRow, 0);
	fold->stays = new_array(PersonStay, 0);
	fold->past.releases = publication->releases;
	fold->past.places = fold->keeps_places ? &fold->places : NULL;
	MemoryContextSwitchTo(old);
	return fold;
}

/* The holder of a place keeps the rows that it shows. */
static void
keep_shown(const Places *places, FrameLoad *load, uint32 g, uint64 place)
{
	if (places->row[place] != NO_ROW)
		load_keep_shown(load, places->row[place], group_shown(places, g)[place - places->first[g]]);
}

/* Puts a group's holders, parts and epochs among those of all; values stay numbers until the finished load gives codes. */
static void
lay_out_group(Fold *fold, FrameLoad *load, uint32 g)
{
	Places	   *places = &fold->places;
	GroupRow   *group = &fold->groups[g];
	ElementRoom *room = &fold->room;
	uint64		at = places->first[g];

	places->number[g] = group->number;
	places->created[g] = group->created;
	(void) element_read(&fold->key, PointerGetDatum(group->keys), room, fold->context);
	memcpy(fold->holder + at, room->values, sizeof(Datum) * group->size);
	keys_find_all(load_keys(load), room->values, room->nulls, group->size, places->row + at);
	for (int i = 0; i < group->size; i++)
	{
		int32		part = group->parts == NULL ? 1 : group->parts[i];

		places->is_held[at + i] = !room->nulls[i];
		places->part[at + i] = (uint32) abs(part) - 1;
		places->is_apart[at + i] = part < 0;
	}
	memcpy(places->since + places->first_epoch[g], group->epochs, sizeof(int32) * group->nepochs);
	(void) element_read(&fold->sensitive, PointerGetDatum(group->sensitive), room, fold->context);
	load_sensitive_numbers(load, room->values, room->nulls, places->value + places->first_value[g], room->n);
	for (int i = 0; i < group->size; i++)
		keep_shown(places, load, g, at + i);
	pfree(group->sensitive);
	group->sensitive = NULL;
}

/* Renumbers the rows of the source by the places that their people hold: those of a group are read together from now on. */
static void
renumber_rows(Fold *fold, FrameLoad *load)
{
	Places	   *places = &fold->places;
	uint64		nrows = load_keys(load)->size;
	RowId	   *number = new_array(RowId, nrows);
	RowId		next = 0;

	memset(number, 0xff, sizeof(RowId) * nrows);	/* NO_ROW */
	for (uint64 place = 0; place < places->nplaces; place++)
	{
		RowId		row = places->row[place];

		if (row == NO_ROW)
			continue;
		if (number[row] == NO_ROW)
			number[row] = next++;
		places->row[place] = number[row];
	}
	for (uint64 row = 0; row < nrows; row++)
		if (number[row] == NO_ROW)
			number[row] = next++;
	for (uint64 i = 0; i < fold->nstays; i++)
		if (fold->stays[i].person < nrows)
			fold->stays[i].person = number[fold->stays[i].person];
	load_renumber(load, number);
	pfree(number);
}

/* Lays out what was read, by the numbers of groups. */
static void
lay_out(Fold *fold, FrameLoad *load, bool is_all)
{
	MemoryContext old = MemoryContextSwitchTo(fold->context);
	Places	   *places = &fold->places;
	uint32		n = places->ngroups;

	if (n > 0)
		qsort(fold->groups, n, sizeof(GroupRow), compare_groups);
	places->number = new_array(int64, n);
	places->created = new_array(int32, n);
	places->first = new_zeros(uint64, n);
	places->first_epoch = new_zeros(uint64, n);
	places->first_value = new_zeros(uint64, n);
	for (uint32 g = 0; g < n; g++)
	{
		const GroupRow *group = &fold->groups[g];

		if (g > 0 && group->number == group[-1].number)
			refuse_group(fold->publication, group->number);
		places->first[g + 1] = places->first[g] + group->size;
		places->first_epoch[g + 1] = places->first_epoch[g] + group->nepochs;
		places->first_value[g + 1] = places->first_value[g] + (uint64) group->size * group->nepochs;
	}
	fold->holder = new_array(Datum, places->nplaces);
	places->row = new_array(RowId, places->nplaces);
	places->is_held = new_array(bool, places->nplaces);
	places->part = new_array(uint32, places->nplaces);
	places->is_apart = new_array(bool, places->nplaces);
	places->since = new_array(int32, places->first_epoch[n]);
	places->value = new_array(Code, places->first_value[n]);
	for (uint32 g = 0; g < n; g++)
	{
		CHECK_FOR_INTERRUPTS();
		lay_out_group(fold, load, g);
		progress_step(fold->groups[g].size);
	}
	if (is_all && places->nplaces > 0)
		renumber_rows(fold, load);
	lay_out_stays(fold, load_keys(load)->size);
	MemoryContextSwitchTo(old);
}

/* Groups and places of a publication that has some. */
static void
read_places(Fold *fold, FrameLoad *load, bool is_all, bool was_weaker)
{
	const DeclaredPublication *publication = fold->publication;
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);
	Reading		reading = {.fold = fold, .people = load_keys(load)};
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "strangers", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);

	if (!OidIsValid(past_table(publication, GROUPS_TABLE)) || !OidIsValid(past_table(publication, PLACES_TABLE)))
		past_refuse(publication, 0);
	past_table_verify(publication, GROUPS_TABLE);
	past_table_verify(publication, PLACES_TABLE);
	reading.strangers = keys_create(key->type, key->collation);
	fold->wants_indexes = !is_all && reading.people->size <= (uint64) publication->remembered / FEW;
	if (!fold->wants_indexes || !look_up(&reading, was_weaker))
	{
		read_each(past_table(publication, GROUPS_TABLE), read_group, &reading);
		if (fold->places.nplaces != (uint64) publication->remembered)
			past_refuse(publication, fold->places.nplaces); /* the missing would pass for newcomers */
		array_reserve(fold->stays, fold->stays_allocated, fold->places.nplaces + fold->places.nplaces / 4);
		read_all_stays(&reading);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

Fold *
fold_read(const DeclaredPublication *publication, FrameLoad *load, bool is_all, bool was_weaker, MemoryContext context)
{
	Fold	   *fold = fold_create(publication, context);

	if (!fold->keeps_places)
		fold->paths = paths_read(publication, load, context);
	else
	{
		if (publication->remembered > 0)
			read_places(fold, load, is_all, was_weaker);
		lay_out(fold, load, is_all);
	}
	return fold;
}

/* ----------------------------------------------------------------
 * The past
 * ----------------------------------------------------------------
 */

/* The place that each row holds.  A person must not hold two, which would be shown twice. */
static void
find_place_of_each(Fold *fold, uint64 nrows)
{
	Places	   *places = &fold->places;

	places->place = new_array(uint64, nrows);
	memset(places->place, 0xff, sizeof(uint64) * nrows);	/* NO_PLACE */
	for (uint32 g = 0; g < places->ngroups; g++)
		for (uint64 i = places->first[g]; i < places->first[g + 1]; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (places->row[i] == NO_ROW)
				continue;
			if (places->place[places->row[i]] != NO_PLACE)
				refuse_group(fold->publication, places->number[g]);
			places->place[places->row[i]] = i;
		}
}

/* Lists the stays of each row.  Those of helpers were not read: they have but the place that they hold, where they came no sooner than its group. */
static void
list_stays(Fold *fold, uint64 nrows)
{
	Places	   *places = &fold->places;
	uint64		at = 0;
	uint64		n = 0;

	places->first_stay = new_array(uint64, nrows);
	places->stay = new_array(Stay, fold->nstays + nrows);
	for (uint64 row = 0; row < nrows; row++)
	{
		uint64		place = places->place[row];
		bool		is_there = place == NO_PLACE;

		CHECK_FOR_INTERRUPTS();
		places->first_stay[row] = n;
		for (; at < fold->nstays && fold->stays[at].person == row; at++)
		{
			is_there |= fold->stays[at].stay.place == place;
			places->stay[n++] = fold->stays[at].stay;
		}
		if (is_there)
			continue;
		if (n > places->first_stay[row] || row < fold->nread)
			past_refuse(fold->publication, fold->nstays);
		places->stay[n++] = (Stay) {place, places->created[places_group(places, place)]};
	}
	places->first_stay[nrows] = n;
}

/* Notes whose holders were away when their places were shown last. */
static const bool *
list_away(const Fold *fold)
{
	const Places *places = &fold->places;
	bool	   *is_away = new_zeros(bool, places->nplaces);
	bool		is_any = false;

	for (uint32 g = 0; g < places->ngroups; g++)
		for (int i = 0; fold->groups[g].states != NULL && i < fold->groups[g].size; i++)
			is_any |= is_away[places->first[g] + i] = fold->groups[g].states[i] == HOLDER_WAS_AWAY;
	return is_any ? is_away : NULL;
}

bool
fold_has_prints(const Fold *fold, const LoadedFrame *loaded)
{
	for (int i = 0; i < fold->publication->ncolumns; i++)
		if (fold->publication->columns[i].role == ROLE_QUASI_IDENTIFIER && !loaded->shown[i])
			return false;
	return true;
}

/* Notes whose quasi-identifiers have changed since their places were shown last. */
static const bool *
list_moved(const Fold *fold, const LoadedFrame *loaded)
{
	const Places *places = &fold->places;
	bool	   *has_moved;
	bool		is_any = false;

	if (!fold_has_prints(fold, loaded))
		return NULL;
	has_moved = new_zeros(bool, loaded->frame.nrows);
	for (uint32 g = 0; g < places->ngroups; g++)
		for (int i = 0; i < fold->groups[g].size; i++)
		{
			RowId		row = places->row[places->first[g] + i];
			int32		before = fold->groups[g].fingerprints[i];

			if (row != NO_ROW && before != 0 && known_print(loaded, row) != 0 && known_print(loaded, row) != before)
				is_any = has_moved[row] = true;
		}
	return is_any ? has_moved : NULL;
}

const Past *
fold_past(Fold *fold, const LoadedFrame *loaded)
{
	MemoryContext old = MemoryContextSwitchTo(fold->context);
	Past	   *past = &fold->past;
	Places	   *places = &fold->places;

	if (fold->keeps_places)
	{
		for (uint64 i = 0; i < places->first_value[places->ngroups]; i++)
			places->value[i] = loaded->sensitive_code[places->value[i]];
		find_place_of_each(fold, loaded->frame.nrows);
		list_stays(fold, loaded->frame.nrows);
		past->is_away = list_away(fold);
		past->has_moved = list_moved(fold, loaded);
	}
	MemoryContextSwitchTo(old);
	if (fold->paths != NULL)
		paths_finish(fold->paths, loaded, past);
	return past;
}

void
fold_keep_values(const Fold *fold, LoadedFrame *loaded)
{
	const Places *places = &fold->places;

	for (uint32 g = 0; g < places->ngroups; g++)
	{
		const Code *last = group_shown(places, g);

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = places->first[g]; i < places->first[g + 1]; i++)
			if (places->row[i] != NO_ROW)
				loaded->frame.sensitive[places->row[i]] = last[i - places->first[g]];
	}
}

/* ----------------------------------------------------------------
 * Helpers
 * ----------------------------------------------------------------
 */

Past
peek_at_past(Fold *fold, const Frame *frame, const Code *code)
{
	Past		past = fold->past;
	Places	   *places = palloc(sizeof(Places));
	uint64		n = fold->places.first_value[fold->places.ngroups];

	find_place_of_each(fold, frame->nrows);
	list_stays(fold, frame->nrows);
	past.is_away = list_away(fold);
	*places = fold->places;
	places->value = new_array(Code, n);
	for (uint64 i = 0; i < n; i++)
		places->value[i] = code[fold->places.value[i]];
	past.places = places;
	return past;
}

/* Of holders whose rows have not been read, since they were not asked for or have left the source. */
void
fetch_helpers(Fold *fold, FrameLoad *load, const bool *wanted)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "helpers", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	Places	   *places = &fold->places;
	uint64		n = 0;
	uint64		keys_room = 0;
	uint64		places_room = 0;
	Datum	   *key = NULL;
	uint64	   *place = NULL;

	for (uint32 g = 0; g < places->ngroups; g++)
		for (uint64 i = places->first[g]; i < places->first[g + 1] && wanted[g]; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (!places->is_held[i] || places->row[i] != NO_ROW)
				continue;
			array_reserve(key, keys_room, n + 1);
			array_reserve(place, places_room, n + 1);
			key[n] = fold->holder[i];
			place[n++] = i;
		}
	if (n > 0)
		load_helpers(load, key, n);
	for (uint64 i = 0; i < n; i++)
	{
		places->row[place[i]] = keys_find(load_keys(load), key[i]);
		keep_shown(places, load, places_group(places, place[i]), place[i]);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

/*
 * fold.c
 *		Making the table of neighborhoods, and reading it.
 */
#include "history/fold.h"

#include "compat.h"
#include "declare/parameters.h"
#include "frame/arrays.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "shared/progress.h"
#include "utils/memutils.h"

typedef struct Reading
{
	Fold	   *fold;
	FrameLoad  *load;
	const NeighborhoodRef *ref; /* of the row at hand, where a directory knows it */
} Reading;

/* Makes room for another neighborhood, with so many members and values. */
static void
make_room(Fold *fold, uint64 members, uint64 values)
{
	Past	   *past = &fold->past;
	uint32		n = past->nneighborhoods;

	if (n + 2 > fold->allocated)
	{
		fold->allocated = array_room(fold->allocated, n + 2);
		array_resize(fold->neighborhoods, fold->allocated);
		array_resize(past->first, fold->allocated);
		array_resize(past->first_value, fold->allocated);
	}
	array_reserve(past->row, fold->members_allocated, past->first[n] + members);
	array_reserve(fold->absence, fold->away_allocated, past->first[n] + members);
	array_reserve(past->value, fold->values_allocated, past->first_value[n] + values);
}

/* Looks up the members, whose keys stay in the buffer; returns how many are in the source. */
static uint64
find_members(Fold *fold, const KeyTable *people, ArrayType *keys)
{
	ElementRoom *room = &fold->room;
	RowId	   *row;
	uint64		found = 0;

	(void) element_read(&fold->key, PointerGetDatum(keys), room, fold->context);
	make_room(fold, room->n, 0);
	row = fold->past.row + fold->past.first[fold->past.nneighborhoods];
	keys_find_all(people, room->values, room->nulls, room->n, row);
	for (int i = 0; i < room->n; i++)
	{
		found += row[i] != NO_ROW;
		fold->past.departed += row[i] == NO_ROW && !room->nulls[i];
	}
	fold->members += room->n;
	return found;
}

int64
last_invented(ArrayType *invented)
{
	ElementWalk walk;
	int64		last = 0;

	for (element_walk(&walk, &element_int8, invented); element_next(&walk);)
		if (!walk.isnull)
			last = Max(last, DatumGetInt64(walk.value));
	return last;
}

/* Copies an array of a row, since the row does not outlive its visit. */
static ArrayType *
keep(const Fold *fold, const ArrayType *array)
{
	return array == NULL ? NULL : memcpy(MemoryContextAlloc(fold->context, VARSIZE(array)), array, VARSIZE(array));
}

bool
is_neighborhood(const TupleTableSlot *slot)
{
	static const int always[] = {FOLD_NEIGHBORHOOD, FOLD_KEYS, FOLD_SENSITIVE};

	return row_has_values(slot, FOLD_COLUMNS, always, lengthof(always));
}

/* Notes who of the neighborhood at hand had no row of its own. */
static void
note_absences(Fold *fold, ArrayType *invented, uint64 size)
{
	uint64		first = fold->past.first[fold->past.nneighborhoods];
	ElementWalk walk;

	memset(fold->absence + first, WAS_THERE, size);
	if (invented == NULL)
		return;
	for (element_walk(&walk, &element_int8, invented); element_next(&walk);)
		fold->absence[first + walk.i] = walk.isnull || DatumGetInt64(walk.value) > 0 ? WAS_THERE : 1 - DatumGetInt64(walk.value);
}

/* Keeps a neighborhood that has members in the source and is not lost; false if it is malformed. */
static bool
take_neighborhood(Reading *reading, const TupleTableSlot *slot)
{
	Fold	   *fold = reading->fold;
	Past	   *past = &fold->past;
	uint32		n = past->nneighborhoods;
	ArrayType  *keys = DatumGetArrayTypeP(slot->tts_values[FOLD_KEYS]);
	ArrayType  *invented = slot->tts_isnull[FOLD_INVENTED] ? NULL : DatumGetArrayTypeP(slot->tts_values[FOLD_INVENTED]);
	uint64		found = find_members(fold, load_keys(reading->load), keys);
	uint64		size = fold->room.n;
	uint64		nvalues;
	int64		last = 0;

	progress_step(size);
	/* Members without a key have a number each, in an array that is as long. */
	if (invented == NULL ? ARR_HASNULL(keys) : (uint64) ArrayGetNItems(ARR_NDIM(invented), ARR_DIMS(invented)) != size)
		return false;
	if (invented != NULL)
		last = last_invented(invented);
	fold->last_number = Max(fold->last_number, DatumGetInt64(slot->tts_values[FOLD_NEIGHBORHOOD]));
	fold->last_invented = Max(fold->last_invented, last);
	if (found == 0)
		return true;
	if (found < size && size < fold->smallest_parted)
	{
		/* Lost: too small to be parted, and members have left.  Only its people in the source are kept. */
		const RowId *row = past->row + past->first[n];

		for (uint64 i = 0; i < size; i++)
			if (row[i] != NO_ROW)
				fold->is_lost[row[i]] = true;
		fold->lost += found;
		past->nlost++;
		return true;
	}
	fold->neighborhoods[n] = (Neighborhood) {
		.tid = slot->tts_tid, .keys = keep(fold, keys), .invented = keep(fold, invented), .is_filled = last > 0
	};
	note_absences(fold, invented, size);
	/* Values stay numbers of the load's dictionary, until the finished load gives codes. */
	(void) element_read(&fold->sensitive, slot->tts_values[FOLD_SENSITIVE], &fold->room, fold->context);
	nvalues = fold->room.n;
	make_room(fold, 0, nvalues);
	load_sensitive_numbers(reading->load, fold->room.values, fold->room.nulls, past->value + past->first_value[n], nvalues);
	past->first_value[n + 1] = past->first_value[n] + nvalues;
	past->first[n + 1] = past->first[n] + size;
	past->nneighborhoods++;
	return nvalues > 0 && nvalues % size == 0;
}

/* Visits a row of the fold; a malformed one is an error. */
static void
read_neighborhood(void *what, TupleTableSlot *slot)
{
	Reading    *reading = what;
	Fold	   *fold = reading->fold;

	if (!is_neighborhood(slot) || !take_neighborhood(reading, slot))
		refuse_neighborhood(fold->publication, slot);
}

/* Makes a fold that has read nothing yet, with room for so many members and as many values. */
static Fold *
fold_create(const DeclaredPublication *publication, uint64 members, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Fold	   *fold = palloc0(sizeof(Fold));

	fold->publication = publication;
	fold->context = context;
	fold->key = element_of(publication_column(publication, ROLE_KEY));
	fold->sensitive = element_of(publication_column(publication, ROLE_SENSITIVE));
	fold->keeps_neighborhoods = keeps_past(publication, PAST_NEIGHBORHOODS);
	fold->past.releases = publication->releases;
	fold->past.first = palloc0(sizeof(uint64));
	fold->past.first_value = palloc0(sizeof(uint64));
	fold->members_allocated = fold->values_allocated = members + 1; /* of most, enough */
	fold->past.row = new_array(RowId, fold->members_allocated);
	fold->away_allocated = fold->members_allocated;
	fold->absence = new_array(uint8, fold->away_allocated);
	fold->past.value = new_array(Code, fold->values_allocated);
	fold->neighborhoods = palloc(sizeof(Neighborhood));
	MemoryContextSwitchTo(old);
	return fold;
}

Fold *
fold_read(const DeclaredPublication *publication, FrameLoad *load, bool is_all, MemoryContext context)
{
	Fold	   *fold = fold_create(publication, publication->remembered, context);
	const MethodDeclaration *method = method_declaration(publication->method);
	Oid			table = past_table(publication, NEIGHBORHOODS_TABLE);

	if (keeps_past(publication, PAST_LAST | PAST_PATHS))
	{
		fold->paths = path_reader_open(publication, load, context);
		fold->last_invented = fold->paths->counts.invented;
	}
	if (!fold->keeps_neighborhoods)
		return fold;
	if (is_all && method->smallest_parted != NULL)
		fold->smallest_parted = method->smallest_parted(param_values(method, publication->params));
	if (fold->smallest_parted > 0)
		fold->is_lost = MemoryContextAllocExtended(context, load_keys(load)->size + 1, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (OidIsValid(table))
	{
		past_table_verify(publication, NEIGHBORHOODS_TABLE);
		read_each(table, read_neighborhood, &(Reading) {fold, load, NULL});
	}
	if (fold->members != (uint64) publication->remembered)
		past_refuse(publication, fold->members);	/* the missing would pass for newcomers */
	return fold;
}

/* Reads a neighborhood that the directory points at; false if the row is another one. */
static bool
read_ref(void *what, TupleTableSlot *slot)
{
	Reading    *reading = what;
	uint32		n = reading->fold->past.nneighborhoods;

	if (slot->tts_isnull[FOLD_NEIGHBORHOOD] ||
		DatumGetInt64(slot->tts_values[FOLD_NEIGHBORHOOD]) != reading->ref->number)
		return false;
	read_neighborhood(reading, slot);
	if (reading->fold->past.nneighborhoods > n)
		reading->fold->neighborhoods[n].index = reading->ref->index;
	reading->ref++;
	return true;
}

/* In assert builds: a look-up finds exactly the neighborhoods that reading the whole fold finds, in the same order. */
static void
check_looked_up(const Fold *fold, FrameLoad *load)
{
#ifdef USE_ASSERT_CHECKING
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "whole fold", ALLOCSET_DEFAULT_SIZES);
	const Fold *whole = fold_read(fold->publication, load, false, context);
	const Past *past = &fold->past;
	uint32		n = past->nneighborhoods;

	Assert(whole->past.nneighborhoods == n);
	for (uint32 i = 0; i < n; i++)
		Assert(ItemPointerEquals(&whole->neighborhoods[i].tid, &fold->neighborhoods[i].tid));
	Assert(memcmp(whole->past.first, past->first, sizeof(uint64) * (n + 1)) == 0);
	Assert(memcmp(whole->past.first_value, past->first_value, sizeof(uint64) * (n + 1)) == 0);
	Assert(memcmp(whole->past.row, past->row, sizeof(RowId) * past->first[n]) == 0);
	Assert(memcmp(whole->past.value, past->value, sizeof(Code) * past->first_value[n]) == 0);
	Assert(whole->last_number == fold->last_number && whole->last_invented == fold->last_invented);
	MemoryContextDelete(context);
#endif
}

Fold *
fold_look_up(const DeclaredPublication *publication, Directory *directory,
			 FrameLoad *load, MemoryContext context)
{
	Fold	   *fold = fold_create(publication, 0, context);
	NeighborhoodRefs found = directory_find(directory, load_keys(load));

	past_table_verify(publication, NEIGHBORHOODS_TABLE);
	if (found.n > 0 &&
		!read_some(past_table(publication, NEIGHBORHOODS_TABLE), found.tids, found.n, read_ref,
				   &(Reading) {fold, load, found.refs}))
		return NULL;
	fold->directory = directory;
	fold->last_number = directory_last_number(directory);
	fold->last_invented = directory_last_invented(directory);
	check_looked_up(fold, load);
	return fold;
}

/*
 * Finds the member of the past that each row is.  A person must not be in two
 * neighborhoods, which would be shown twice.
 */
static void
find_member_of_each(Fold *fold, uint64 nrows)
{
	Past	   *past = &fold->past;
	uint64	   *member = MemoryContextAllocExtended(fold->context, sizeof(uint64) * (nrows + 1), MCXT_ALLOC_HUGE);
	uint64		found = fold->lost;

	for (uint64 row = 0; row < nrows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		member[row] = fold->is_lost != NULL && fold->is_lost[row] ? LOST_MEMBER : NO_MEMBER;
	}
	for (uint64 i = 0; i < past->first[past->nneighborhoods]; i++)
	{
		CHECK_FOR_INTERRUPTS();
		found += past->row[i] != NO_ROW;
		member[Min(past->row[i], nrows)] = i;	/* members without a row go to the extra last element */
	}
	for (uint64 row = 0; row < nrows; row++)
	{
		CHECK_FOR_INTERRUPTS();
		found -= member[row] != NO_MEMBER;
	}
	if (found > 0)
		past_refuse(fold->publication, fold->publication->remembered - found);
	past->member = member;
}

const Past *
fold_past(Fold *fold, const LoadedFrame *loaded)
{
	Past	   *past = &fold->past;

	for (uint64 i = 0; i < past->first_value[past->nneighborhoods]; i++)
		past->value[i] = loaded->sensitive_code[past->value[i]];
	past->absence = fold->absence;
	find_member_of_each(fold, loaded->frame.nrows);
	if (fold->paths != NULL)
	{
		past->paths = path_reader_paths(fold->paths, loaded);
		past->companies = path_reader_companies(fold->paths);
	}
	return past;
}

void
fold_keep_values(const Fold *fold, LoadedFrame *loaded)
{
	const Past *past = &fold->past;
	Frame	   *frame = &loaded->frame;

	frame->shows_no_value = true;
	for (uint32 n = 0; n < past->nneighborhoods; n++)
	{
		const Code *last = past_values(past, n, past_epochs(past, n) - 1);

		CHECK_FOR_INTERRUPTS();
		for (uint64 i = past->first[n]; i < past->first[n + 1]; i++)
			if (past->row[i] != NO_ROW)
				frame->sensitive[past->row[i]] = last[i - past->first[n]];
	}
}

void
fold_members(const Fold *fold, uint32 neighborhood, Members *members)
{
	const Neighborhood *from = &fold->neighborhoods[neighborhood];
	ElementWalk walk;

	element_walk(&walk, &fold->key, from->keys);
	*members = (Members) {.keys = new_array(Datum, walk.n), .is_invented = new_array(bool, walk.n), .n = walk.n};
	while (element_next(&walk))
	{
		members->keys[walk.i] = walk.value;
		members->is_invented[walk.i] = walk.isnull;
	}
	if (from->invented == NULL)
		return;
	members->numbers = palloc0(sizeof(int64) * members->n);
	for (element_walk(&walk, &element_int8, from->invented); element_next(&walk);)
		if (!walk.isnull)
			members->numbers[walk.i] = DatumGetInt64(walk.value);
}

/* ----------------------------------------------------------------
 * Helpers
 * ----------------------------------------------------------------
 */

Past
peek_at_past(const Fold *fold, const Code *code)
{
	Past		past = fold->past;
	uint64		n = past.first_value[past.nneighborhoods];

	past.absence = fold->absence;
	past.value = new_array(Code, n);
	for (uint64 i = 0; i < n; i++)
		past.value[i] = code[fold->past.value[i]];
	return past;
}

/* Of members whose rows have not been read, since they were not asked for or have left the source. */
void
fetch_helpers(Fold *fold, FrameLoad *load, const bool *wanted)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "helpers", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(work);
	RowId	   *row = fold->past.row;
	uint64		n = 0;
	uint64		keys_room = 0;
	uint64		members_room = 0;
	Datum	   *key = NULL;
	uint64	   *member = NULL;

	for (uint32 neighborhood = 0; neighborhood < fold->past.nneighborhoods; neighborhood++)
	{
		uint64		first = fold->past.first[neighborhood];
		Members		members;

		CHECK_FOR_INTERRUPTS();
		if (!wanted[neighborhood])
			continue;
		fold_members(fold, neighborhood, &members);
		for (int i = 0; i < members.n; i++)
			if (!members.is_invented[i] && row[first + i] == NO_ROW)
			{
				array_reserve(key, keys_room, n + 1);
				array_reserve(member, members_room, n + 1);
				key[n] = members.keys[i];
				member[n++] = first + i;
			}
	}
	if (n > 0)
		load_helpers(load, key, n);
	for (uint64 i = 0; i < n; i++)
		row[member[i]] = keys_find(load_keys(load), key[i]);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(work);
}

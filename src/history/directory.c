/*
 * directory.c
 *		Open addressing over hashes of keys.
 *
 * NOTES
 *		Two people with the same hash are both found, and the row itself tells
 *		which of them it is about: keys need not be kept.  A neighborhood that
 *		is no more leaves its slots behind; they are used again.
 */
#include "history/directory.h"

#include "history/fold.h"
#include "history/reader.h"
#include "history/space.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#define FREE PG_UINT32_MAX

typedef struct Slot
{
	uint32		hash;
	uint32		at;				/* a place, or FREE */
} Slot;

struct Directory
{
	MemoryContext context;
	int32		publication;
	int32		releases;
	int64		remembered;
	Oid			table;
	Element		key;
	KeyTable   *hasher;			/* knows the type's hash function; holds nobody */
	ElementRoom room;

	Place	   *places;			/* an invalid tid where the neighborhood is no more */
	uint32		nplaces;
	uint32		ngone;
	uint32		places_allocated;

	BlockNumber *loose;			/* pages of rows forgotten since */
	uint64		nloose;
	uint64		loose_allocated;

	Slot	   *slots;
	uint64		nslots;			/* a power of 2 */
	uint64		used;			/* not FREE */

	int64		last_number;
	int64		last_invented;
	bool		is_worn;		/* has the table lost as many rows as it has? */
};

/* ----------------------------------------------------------------
 * Slots
 * ----------------------------------------------------------------
 */

static void
make_slots(Directory *directory, uint64 n)
{
	directory->nslots = pg_nextpower2_64(Max(n, 1024));
	directory->slots = MemoryContextAllocExtended(directory->context, sizeof(Slot) * directory->nslots, MCXT_ALLOC_HUGE);
	memset(directory->slots, 0xff, sizeof(Slot) * directory->nslots);	/* FREE */
	directory->used = 0;
}

static inline bool
is_gone(const Directory *directory, uint32 at)
{
	return !ItemPointerIsValid(&directory->places[at].tid);
}

/* Takes the first slot on the way that is free, or that of a neighborhood that is no more. */
static void
put(Directory *directory, uint32 hash, uint32 at)
{
	uint64		i = hash & (directory->nslots - 1);

	while (directory->slots[i].at != FREE && !is_gone(directory, directory->slots[i].at))
		i = (i + 1) & (directory->nslots - 1);
	directory->used += directory->slots[i].at == FREE;
	directory->slots[i] = (Slot) {hash, at};
}

/* Anew, with room for n more, without those of neighborhoods that are no more; moved: where places went. */
static void
rehash(Directory *directory, uint64 n, const uint32 *moved)
{
	Slot	   *old = directory->slots;
	uint64		nold = directory->nslots;
	uint64		living = 0;

	for (uint64 i = 0; i < nold; i++)
		living += old[i].at != FREE && (moved != NULL ? moved[old[i].at] != FREE : !is_gone(directory, old[i].at));
	make_slots(directory, (living + n) / 3 * 4 + 4);
	for (uint64 i = 0; i < nold; i++)
	{
		uint32		at = old[i].at == FREE || moved == NULL ? old[i].at : moved[old[i].at];

		if (at != FREE && !is_gone(directory, at))
			put(directory, old[i].hash, at);
	}
	pfree(old);
	CHECK_FOR_INTERRUPTS();
}

static void
make_room(Directory *directory, uint64 n)
{
	if ((directory->used + n) * 4 > directory->nslots * 3)
		rehash(directory, n, NULL);
}

/* ----------------------------------------------------------------
 * Places
 * ----------------------------------------------------------------
 */

static uint32
add_place(Directory *directory, const TupleTableSlot *slot)
{
	int64		number = DatumGetInt64(slot->tts_values[FOLD_NEIGHBORHOOD]);
	uint32		at = directory->nplaces++;

	if (directory->nplaces > directory->places_allocated)
	{
		directory->places_allocated += directory->places_allocated / 4 + 1024;
		directory->places = repalloc_huge(directory->places, sizeof(Place) * directory->places_allocated);
	}
	directory->places[at] = (Place) {slot->tts_tid, at, number};
	directory->last_number = Max(directory->last_number, number);
	return at;
}

void
directory_add(Directory *directory, TupleTableSlot *slot)
{
	ElementRoom *room = &directory->room;
	uint32		at;

	slot_getallattrs(slot);
	at = add_place(directory, slot);
	(void) element_read(&directory->key, DatumGetArrayTypeP(slot->tts_values[FOLD_KEYS]), room, directory->context);
	make_room(directory, room->n);
	for (int i = 0; i < room->n; i++)
		if (!room->nulls[i])
			put(directory, keys_hash(directory->hasher, room->values[i]), at);
	if (!slot->tts_isnull[FOLD_INVENTED])
		directory->last_invented = Max(directory->last_invented,
									   last_invented(DatumGetArrayTypeP(slot->tts_values[FOLD_INVENTED])));
}

static void
note_all_loose(Directory *directory)
{
	MemoryContext old = MemoryContextSwitchTo(directory->context);

	pfree(directory->loose);
	directory->loose = loose_pages(directory->table, &directory->nloose);
	directory->loose_allocated = directory->nloose + 1;
	MemoryContextSwitchTo(old);
}

/* Rows are forgotten in the order of the table. */
static void
note_loose(Directory *directory, BlockNumber page)
{
	if (directory->nloose > 0 && directory->loose[directory->nloose - 1] == page)
		return;
	if (directory->nloose == directory->loose_allocated)
	{
		directory->loose_allocated = directory->loose_allocated * 2 + 64;
		directory->loose = repalloc_huge(directory->loose, sizeof(BlockNumber) * directory->loose_allocated);
	}
	directory->loose[directory->nloose++] = page;
}

void
directory_forget(Directory *directory, uint32 at)
{
	note_loose(directory, ItemPointerGetBlockNumber(&directory->places[at].tid));
	ItemPointerSetInvalid(&directory->places[at].tid);
	directory->ngone++;
}

void
directory_find_space(Directory *directory)
{
	directory->nloose = find_space_in(directory->table, directory->loose, directory->nloose);
}

/* Gives the places of neighborhoods that are no more to others. */
static void
close_up(Directory *directory)
{
	uint32	   *moved = palloc_extended(sizeof(uint32) * directory->nplaces, MCXT_ALLOC_HUGE);
	uint32		n = 0;

	for (uint32 at = 0; at < directory->nplaces; at++)
	{
		moved[at] = is_gone(directory, at) ? FREE : n;
		if (moved[at] == FREE)
			continue;
		directory->places[n] = directory->places[at];
		directory->places[n].at = n;
		n++;
	}
	directory->nplaces = n;
	directory->ngone = 0;
	rehash(directory, 0, moved);
	pfree(moved);
}

void
directory_advance(Directory *directory, int32 releases, int64 newcomers)
{
	directory->releases = releases;
	directory->remembered += newcomers;
	if (directory->ngone > directory->nplaces / 2 + 1024)
	{
		close_up(directory);
		directory->is_worn = true;
	}
}

Oid
directory_worn_table(Directory *directory)
{
	bool		is_worn = directory->is_worn;

	directory->is_worn = false;
	return is_worn ? directory->table : InvalidOid;
}

/* ----------------------------------------------------------------
 * The whole
 * ----------------------------------------------------------------
 */

static void
read_row(void *what, TupleTableSlot *slot)
{
	Directory  *directory = what;

	directory_add(directory, slot);
	directory->remembered += directory->room.n;
}

Directory *
directory_read(const DeclaredPublication *publication, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	Directory  *directory = palloc0(sizeof(Directory));
	const DeclaredColumn *key = publication_column(publication, ROLE_KEY);

	directory->context = context;
	directory->publication = publication->id;
	directory->releases = publication->releases;
	directory->table = fold_of(publication);
	directory->key = element_of(key);
	directory->hasher = keys_create(key->type, key->collation);
	directory->places = palloc(sizeof(Place));
	directory->loose = palloc(sizeof(BlockNumber));
	make_slots(directory, publication->remembered / 3 * 4 + 4);
	MemoryContextSwitchTo(old);
	if (OidIsValid(directory->table))
	{
		read_each(directory->table, read_row, directory);
		note_all_loose(directory);
	}
	if (directory->remembered != publication->remembered)
		fold_refuse(publication, directory->remembered);
	return directory;
}

bool
directory_knows(const Directory *directory, int32 publication)
{
	return directory->publication == publication;
}

bool
directory_is_current(const Directory *directory, const DeclaredPublication *publication)
{
	return OidIsValid(directory->table) &&	/* there is nothing to follow before the first release */
		directory->publication == publication->id &&
		directory->releases == publication->releases &&
		directory->remembered == publication->remembered &&
		directory->table == fold_of(publication);
}

static int
compare_places(const void *a, const void *b)
{
	return ItemPointerCompare(unconstify(ItemPointerData *, &((const Place *) a)->tid),
							  unconstify(ItemPointerData *, &((const Place *) b)->tid));
}

/* Of no use but to see whether the fold is still the one that was read. */
static void
find_any(const Directory *directory, Places *found)
{
	uint32		at = 0;

	while (at < directory->nplaces && is_gone(directory, at))
		at++;
	if (at < directory->nplaces)
		found->places[found->n++] = directory->places[at];
}

/* Appends the places of everybody who has the hash. */
static void
find_hash(const Directory *directory, uint32 hash, Places *found, uint32 *allocated)
{
	uint64		mask = directory->nslots - 1;

	for (uint64 i = hash & mask; directory->slots[i].at != FREE; i = (i + 1) & mask)
	{
		if (directory->slots[i].hash != hash || is_gone(directory, directory->slots[i].at))
			continue;
		if (found->n == *allocated)
			found->places = repalloc_huge(found->places, sizeof(Place) * (*allocated *= 2));
		found->places[found->n++] = directory->places[directory->slots[i].at];
	}
}

Places
directory_find(const Directory *directory, const KeyTable *people)
{
	uint32		allocated = 1024;
	Places		found = {.places = palloc(sizeof(Place) * allocated)};
	uint32		all;

	for (uint64 i = 0; i < people->size; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		find_hash(directory, keys_hash(directory->hasher, people->keys[i]), &found, &allocated);
	}
	if (found.n == 0)
		find_any(directory, &found);
	qsort(found.places, found.n, sizeof(Place), compare_places);
	all = found.n;
	found.n = 0;
	found.tids = palloc_extended(sizeof(ItemPointerData) * ((Size) all + 1), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < all; i++)
		if (i == 0 || found.places[i].at != found.places[found.n - 1].at)
		{
			found.tids[found.n] = found.places[i].tid;
			found.places[found.n++] = found.places[i];
		}
	return found;
}

int64
directory_last_number(const Directory *directory)
{
	return directory->last_number;
}

int64
directory_last_invented(const Directory *directory)
{
	return directory->last_invented;
}

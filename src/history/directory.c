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

#include "access/xact.h"
#include "frame/arrays.h"
#include "history/fold.h"
#include "history/heap_reader.h"
#include "history/space.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#define FREE PG_UINT32_MAX

/* So many slots are on their way from memory at a time. */
#define AT_ONCE 32

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

	LoosePages	loose;			/* pages of rows forgotten since */

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

/* The slot of a hash will be looked at soon. */
static inline void
approach(const Directory *directory, uint32 hash)
{
	__builtin_prefetch(&directory->slots[hash & (directory->nslots - 1)]);
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

static void
put_some(Directory *directory, const Datum *keys, const bool *nulls, int n, uint32 at)
{
	uint32		hash[AT_ONCE];
	int			nhashes = 0;

	for (int i = 0; i < n; i++)
		if (!nulls[i])
		{
			hash[nhashes] = keys_hash(directory->hasher, keys[i]);
			approach(directory, hash[nhashes++]);
		}
	for (int i = 0; i < nhashes; i++)
		put(directory, hash[i], at);
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
	for (int i = 0; i < room->n; i += AT_ONCE)
		put_some(directory, room->values + i, room->nulls + i, Min(AT_ONCE, room->n - i), at);
	if (!slot->tts_isnull[FOLD_INVENTED])
		directory->last_invented = Max(directory->last_invented,
									   last_invented(DatumGetArrayTypeP(slot->tts_values[FOLD_INVENTED])));
}

void
directory_forget(Directory *directory, uint32 at)
{
	note_loose(&directory->loose, ItemPointerGetBlockNumber(&directory->places[at].tid), GetTopTransactionId());
	ItemPointerSetInvalid(&directory->places[at].tid);
	directory->ngone++;
}

/* Gives the places of neighborhoods that are no more to others. */
static void
close_up(Directory *directory)
{
	uint32	   *moved = new_array(uint32, directory->nplaces);
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

void
directory_tidy(Directory *directory)
{
	find_space(directory->table, &directory->loose);
}

Oid
directory_table(const Directory *directory)
{
	return directory->table;
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
	directory->loose.context = context;
	make_slots(directory, publication->remembered / 3 * 4 + 4);
	MemoryContextSwitchTo(old);
	if (OidIsValid(directory->table))
		read_heap(directory->table, NULL, read_row, directory, &directory->loose);
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

static void
find_some(const Directory *directory, const Datum *keys, int n, Places *found, uint32 *allocated)
{
	uint32		hash[AT_ONCE];

	for (int i = 0; i < n; i++)
	{
		hash[i] = keys_hash(directory->hasher, keys[i]);
		approach(directory, hash[i]);
	}
	for (int i = 0; i < n; i++)
		find_hash(directory, hash[i], found, allocated);
}

Places
directory_find(const Directory *directory, const KeyTable *people)
{
	uint32		allocated = 1024;
	Places		found = {.places = palloc(sizeof(Place) * allocated)};
	uint32		all;

	for (uint64 i = 0; i < people->size; i += AT_ONCE)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		find_some(directory, people->keys + i, Min(AT_ONCE, people->size - i), &found, &allocated);
	}
	if (found.n == 0)
		find_any(directory, &found);
	qsort(found.places, found.n, sizeof(Place), compare_places);
	all = found.n;
	found.n = 0;
	found.tids = new_array(ItemPointerData, all);
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

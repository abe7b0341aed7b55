/*
 * directory.c
 *		Open addressing over hashes of keys.
 *
 * NOTES
 *		Two people with the same hash are both found, and the row itself tells
 *		which of them it is about: keys need not be kept.  A neighborhood that
 *		is no more leaves its slots behind; they are used again, each for the
 *		person that it was about, if possible.
 */
#include "history/directory.h"

#include "access/xact.h"
#include "frame/arrays.h"
#include "history/fold.h"
#include "history/reader.h"
#include "history/space.h"
#include "miscadmin.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"

#define FREE PG_UINT32_MAX

/* So many slots are on their way from memory at a time. */
#define AT_ONCE 32

/* Of ten slots six are used at first, and seven at most. */
#define SLOTS_FOR(n)	((n) / 3 * 5 + 16)
#define is_full(used, nslots)	((used) * 10 > (nslots) * 7)

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
	uint64		nslots;
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
	directory->nslots = SLOTS_FOR(n);
	directory->slots = MemoryContextAllocExtended(directory->context, sizeof(Slot) * directory->nslots, MCXT_ALLOC_HUGE);
	memset(directory->slots, 0xff, sizeof(Slot) * directory->nslots);	/* FREE */
	directory->used = 0;
}

static inline bool
is_gone(const Directory *directory, uint32 at)
{
	return !ItemPointerIsValid(&directory->places[at].tid);
}

/* A type's own hashes may differ in their lower bits only. */
static inline Slot *
first_slot(const Directory *directory, uint32 hash)
{
	return directory->slots + ((uint64) (hash * 0x9e3779b1) * directory->nslots >> 32);
}

static inline Slot *
next_slot(const Directory *directory, Slot *slot)
{
	return ++slot == directory->slots + directory->nslots ? directory->slots : slot;
}

/* The slot of a hash will be looked at soon. */
static inline void
approach(const Directory *directory, uint32 hash)
{
	__builtin_prefetch(first_slot(directory, hash));
}

/* The same of up to AT_ONCE people; tells their hashes. */
static void
approach_some(const Directory *directory, const Datum *keys, uint32 *hash, int n)
{
	for (int i = 0; i < n; i++)
	{
		hash[i] = keys_hash(directory->hasher, keys[i]);
		approach(directory, hash[i]);
	}
}

/* Takes the person's own slot, if it is of a neighborhood that is no more; else the first on the way that is free, or is such. */
static void
put(Directory *directory, uint32 hash, uint32 at)
{
	Slot	   *slot = first_slot(directory, hash);
	Slot	   *other = NULL;

	for (; slot->at != FREE; slot = next_slot(directory, slot))
	{
		if ((slot->hash != hash && other != NULL) || !is_gone(directory, slot->at))
			continue;
		if (slot->hash == hash)
		{
			slot->at = at;
			return;
		}
		other = slot;
	}
	if (other == NULL)
	{
		other = slot;
		directory->used++;
	}
	*other = (Slot) {hash, at};
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
	make_slots(directory, living + n);
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
	if (is_full(directory->used + n, directory->nslots))
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
	(void) element_read(&directory->key, slot->tts_values[FOLD_KEYS], room, directory->context);
	make_room(directory, room->n);
	for (int i = 0; i < room->n; i += AT_ONCE)
		put_some(directory, room->values + i, room->nulls + i, Min(AT_ONCE, room->n - i), at);
	if (!slot->tts_isnull[FOLD_INVENTED])
	{
		int64		last = last_invented(DatumGetArrayTypeP(slot->tts_values[FOLD_INVENTED]));

		directory->last_invented = Max(directory->last_invented, last);
	}
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
}

void
directory_tidy(Directory *directory)
{
	if (directory->ngone > directory->nplaces / 2 + 1024)
	{
		close_up(directory);
		directory->is_worn = true;
	}
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

typedef struct Reading
{
	const DeclaredPublication *publication;
	Directory  *directory;
} Reading;

static void
read_row(void *what, TupleTableSlot *slot)
{
	Reading    *reading = what;
	Directory  *directory = reading->directory;

	if (!is_neighborhood(slot))
		refuse_neighborhood(reading->publication, slot);
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
	make_slots(directory, publication->remembered);
	MemoryContextSwitchTo(old);
	if (OidIsValid(directory->table))
	{
		verify_fold(publication, directory->table);
		read_each(directory->table, read_row, &(Reading) {publication, directory});
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

/* Places, each once. */
typedef struct Finding
{
	const Directory *directory;
	Places		found;
	uint32		allocated;
	bool	   *is_found;		/* [nplaces] */
} Finding;

static void
add_found(Finding *finding, uint32 at)
{
	const Directory *directory = finding->directory;

	if (finding->is_found[at] || is_gone(directory, at))
		return;
	finding->is_found[at] = true;
	if (finding->found.n == finding->allocated)
		finding->found.places = repalloc_huge(finding->found.places, sizeof(Place) * (finding->allocated *= 2));
	finding->found.places[finding->found.n++] = directory->places[at];
}

/* The places of everybody who has one of the hashes. */
static void
find_some(Finding *finding, const Datum *keys, int n)
{
	const Directory *directory = finding->directory;
	uint32		hash[AT_ONCE];

	approach_some(directory, keys, hash, n);
	for (int i = 0; i < n; i++)
		for (Slot *slot = first_slot(directory, hash[i]); slot->at != FREE; slot = next_slot(directory, slot))
			if (slot->hash == hash[i])
				add_found(finding, slot->at);
}

/* Any place is of no use but to see whether the fold is still the one that was read. */
static void
find_any(Finding *finding)
{
	for (uint32 at = 0; at < finding->directory->nplaces && finding->found.n == 0; at++)
		add_found(finding, at);
}

Places
directory_find(const Directory *directory, const KeyTable *people)
{
	Finding		finding = {.directory = directory,.allocated = 1024,.is_found = new_zeros(bool, directory->nplaces)};
	Places	   *found = &finding.found;

	found->places = palloc(sizeof(Place) * finding.allocated);
	for (uint64 i = 0; i < people->size; i += AT_ONCE)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		find_some(&finding, people->keys + i, Min(AT_ONCE, people->size - i));
	}
	find_any(&finding);
	qsort(found->places, found->n, sizeof(Place), compare_places);
	found->tids = new_array(ItemPointerData, found->n);
	for (uint32 i = 0; i < found->n; i++)
		found->tids[i] = found->places[i].tid;
	pfree(finding.is_found);
	return *found;
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

/*
 * directory.c
 *		Open addressing over hashes of keys.
 *
 * NOTES
 *		Keys are not kept: a look-up finds all people with the same hash, and the rows that it leads to tell them
 *		apart.  The slots of a deleted neighborhood stay until they are used again, if possible for the same person.
 */
#include "history/fold.h"

#include "frame/arrays.h"
#include "history/rows.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define FREE PG_UINT32_MAX

/* A new table of slots is 60% full at most, and grows at 70%. */
#define SLOTS_FOR(n)	((n) / 3 * 5 + 16)
#define is_full(used, nslots)	((used) * 10 > (nslots) * 7)

typedef struct Slot
{
	uint32		hash;
	uint32		index;			/* of a neighborhood, or FREE */
} Slot;

struct Directory
{
	MemoryContext context;
	int32		publication;
	int32		releases;
	int64		remembered;
	Oid			table;
	Element		key;
	KeyTable   *hasher;			/* supplies the type's hash function; has no keys */
	ElementRoom room;

	NeighborhoodRef *refs;		/* with an invalid tid if the neighborhood is deleted */
	uint32		nrefs;
	uint32		ngone;
	uint32		refs_allocated;

	Slot	   *slots;
	uint64		nslots;
	uint64		used;			/* not FREE */

	int64		last_number;
	int64		last_invented;
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
is_gone(const Directory *directory, uint32 index)
{
	return !ItemPointerIsValid(&directory->refs[index].tid);
}

/* Mixes the hash, since hashes of some types differ in their lower bits only. */
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

/* Enters a person into a slot of a deleted neighborhood, preferably one with the same hash, or else a free slot. */
static void
put(Directory *directory, uint32 hash, uint32 index)
{
	Slot	   *slot = first_slot(directory, hash);
	Slot	   *other = NULL;

	for (; slot->index != FREE; slot = next_slot(directory, slot))
	{
		if ((slot->hash != hash && other != NULL) || !is_gone(directory, slot->index))
			continue;
		if (slot->hash == hash)
		{
			slot->index = index;
			return;
		}
		other = slot;
	}
	if (other == NULL)
	{
		other = slot;
		directory->used++;
	}
	*other = (Slot) {hash, index};
}

/* Makes new slots with room for n more people, and drops those of deleted neighborhoods. */
static void
rehash(Directory *directory, uint64 n)
{
	Slot	   *old = directory->slots;
	uint64		nold = directory->nslots;
	uint64		living = 0;

	for (uint64 i = 0; i < nold; i++)
		living += old[i].index != FREE && !is_gone(directory, old[i].index);
	make_slots(directory, living + n);
	for (uint64 i = 0; i < nold; i++)
		if (old[i].index != FREE && !is_gone(directory, old[i].index))
			put(directory, old[i].hash, old[i].index);
	pfree(old);
	CHECK_FOR_INTERRUPTS();
}

/* ----------------------------------------------------------------
 * Neighborhoods
 * ----------------------------------------------------------------
 */

/* Notes where the row of a neighborhood is, and returns its index. */
static uint32
add_ref(Directory *directory, const TupleTableSlot *slot)
{
	int64		number = DatumGetInt64(slot->tts_values[FOLD_NEIGHBORHOOD]);
	uint32		index = directory->nrefs++;

	if (directory->nrefs > directory->refs_allocated)
	{
		directory->refs_allocated += directory->refs_allocated / 4 + 1024;
		directory->refs = repalloc_huge(directory->refs, sizeof(NeighborhoodRef) * directory->refs_allocated);
	}
	directory->refs[index] = (NeighborhoodRef) {slot->tts_tid, index, number};
	directory->last_number = Max(directory->last_number, number);
	return index;
}

void
directory_add(Directory *directory, TupleTableSlot *slot)
{
	ElementRoom *room = &directory->room;
	uint32		index;

	slot_getallattrs(slot);
	index = add_ref(directory, slot);
	(void) element_read(&directory->key, slot->tts_values[FOLD_KEYS], room, directory->context);
	if (is_full(directory->used + room->n, directory->nslots))
		rehash(directory, room->n);
	for (int i = 0; i < room->n; i++)
		if (!room->nulls[i])
			put(directory, keys_hash(directory->hasher, room->values[i]), index);
	if (!slot->tts_isnull[FOLD_INVENTED])
	{
		int64		last = last_invented(DatumGetArrayTypeP(slot->tts_values[FOLD_INVENTED]));

		directory->last_invented = Max(directory->last_invented, last);
	}
}

void
directory_forget(Directory *directory, uint32 index)
{
	ItemPointerSetInvalid(&directory->refs[index].tid);
	directory->ngone++;
}

/* Removes deleted neighborhoods, and renumbers the others. */
static void
close_up(Directory *directory)
{
	uint32	   *moved = new_array(uint32, directory->nrefs);
	uint32		n = 0;

	rehash(directory, 0);
	for (uint32 index = 0; index < directory->nrefs; index++)
	{
		if (is_gone(directory, index))
			continue;
		moved[index] = n;
		directory->refs[n] = directory->refs[index];
		directory->refs[n].index = n;
		n++;
	}
	for (uint64 i = 0; i < directory->nslots; i++)
		if (directory->slots[i].index != FREE)
			directory->slots[i].index = moved[directory->slots[i].index];
	directory->nrefs = n;
	directory->ngone = 0;
	pfree(moved);
}

void
directory_advance(Directory *directory, int32 releases, int64 newcomers)
{
	directory->releases = releases;
	directory->remembered += newcomers;
	if (directory->ngone > directory->nrefs / 2 + 1024)
		close_up(directory);
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

/* Adds a neighborhood, and counts its members to verify that the fold is complete. */
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
	directory->table = past_table(publication, NEIGHBORHOODS_TABLE);
	directory->key = element_of(key);
	directory->hasher = keys_create(key->type, key->collation);
	directory->refs = palloc(sizeof(NeighborhoodRef));
	make_slots(directory, publication->remembered);
	MemoryContextSwitchTo(old);
	if (OidIsValid(directory->table))
	{
		past_table_verify(publication, NEIGHBORHOODS_TABLE);
		read_each(directory->table, read_row, &(Reading) {publication, directory});
	}
	if (directory->remembered != publication->remembered)
		past_refuse(publication, directory->remembered);
	return directory;
}

bool
directory_is_current(const Directory *directory, const DeclaredPublication *publication)
{
	return OidIsValid(directory->table) &&	/* there is nothing to follow before the first release */
		directory->publication == publication->id &&
		directory->releases == publication->releases &&
		directory->remembered == publication->remembered &&
		directory->table == past_table(publication, NEIGHBORHOODS_TABLE);
}

static int
compare_refs(const void *a, const void *b)
{
	return ItemPointerCompare(unconstify(ItemPointerData *, &((const NeighborhoodRef *) a)->tid),
							  unconstify(ItemPointerData *, &((const NeighborhoodRef *) b)->tid));
}

/* A search in progress, which finds each neighborhood once. */
typedef struct Finding
{
	const Directory *directory;
	NeighborhoodRefs found;
	uint32		allocated;
	bool	   *is_found;		/* [nrefs] */
} Finding;

/* Adds a neighborhood to the result once; slots of deleted ones are skipped. */
static void
add_found(Finding *finding, uint32 index)
{
	const Directory *directory = finding->directory;

	if (finding->is_found[index] || is_gone(directory, index))
		return;
	finding->is_found[index] = true;
	if (finding->found.n == finding->allocated)
		finding->found.refs = repalloc_huge(finding->found.refs, sizeof(NeighborhoodRef) * (finding->allocated *= 2));
	finding->found.refs[finding->found.n++] = directory->refs[index];
}

/* Finds any neighborhood, so that reading its row can tell whether the fold was rebuilt. */
static void
find_any(Finding *finding)
{
	for (uint32 index = 0; index < finding->directory->nrefs && finding->found.n == 0; index++)
		add_found(finding, index);
}

NeighborhoodRefs
directory_find(const Directory *directory, const KeyTable *people)
{
	Finding		finding = {.directory = directory, .allocated = 1024, .is_found = new_zeros(bool, directory->nrefs)};
	NeighborhoodRefs *found = &finding.found;

	found->refs = palloc(sizeof(NeighborhoodRef) * finding.allocated);
	for (uint64 i = 0; i < people->size; i++)
	{
		uint32		hash = keys_hash(directory->hasher, people->keys[i]);

		CHECK_FOR_INTERRUPTS();
		for (Slot *slot = first_slot(directory, hash); slot->index != FREE; slot = next_slot(directory, slot))
			if (slot->hash == hash)
				add_found(&finding, slot->index);
	}
	find_any(&finding);
	qsort(found->refs, found->n, sizeof(NeighborhoodRef), compare_refs);
	found->tids = new_array(ItemPointerData, found->n);
	for (uint32 i = 0; i < found->n; i++)
		found->tids[i] = found->refs[i].tid;
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

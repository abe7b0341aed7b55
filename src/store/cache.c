/*
 * cache.c
 *		A hash table of groups.  See cache.h.
 *
 * MEMORY
 *		CACHE_BYTES at most, but for the group that is in use: when there are more,
 *		or more than CACHE_GROUPS, all go.
 */
#include "postgres.h"

#include "store/cache.h"

#include "compat.h"
#include "store/rownumber.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

#define CACHE_GROUPS 1024
#define CACHE_BYTES ((Size) 16 * 1024 * 1024)

/* Without holes: it is hashed as it stands. */
typedef struct CacheKey
{
	uint64		first;
	uint64		node;			/* the TOAST relation's; the stamp tells what this does not */
} CacheKey;

typedef struct CacheEntry
{
	CacheKey	key;
	RowGroup   *group;
} CacheEntry;

static struct
{
	MemoryContext context;		/* of groups, and of the table */
	HTAB	   *groups;
	uint64		generation;
}			cache;

uint64
cache_generation(void)
{
	return cache.generation;
}

static void
make_cache(void)
{
	HASHCTL		control = {.keysize = sizeof(CacheKey), .entrysize = sizeof(CacheEntry), .hcxt = cache.context};

	cache.groups = hash_create("pprepub groups", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static bool
is_cache_full(void)
{
	return cache.groups != NULL &&
		(hash_get_num_entries(cache.groups) >= CACHE_GROUPS || MemoryContextMemAllocated(cache.context, true) > CACHE_BYTES);
}

/* Empties the cache when it holds too many groups or bytes; makes it if there is none. */
static void
make_room_in_cache(void)
{
	if (cache.context == NULL)
		cache.context = AllocSetContextCreate(CacheMemoryContext, "pprepub groups", ALLOCSET_SMALL_SIZES);
	else if (is_cache_full())
	{
		cache.generation++;
		MemoryContextReset(cache.context);
		cache.groups = NULL;
	}
	if (cache.groups == NULL)
		make_cache();
}

void
use_group_again(RowGroup *group, ChunkReader *reader)
{
	group->rel = chunks_store(reader)->rel;
	group->desc = RelationGetDescr(group->rel);
	group->reader = reader;
}

static bool
is_same(const RowGroup *group, const Chunk *header)
{
	return group->stamp == header->stamp && header->damage == NULL;
}

RowGroup *
cached_group(ChunkReader *reader, const Chunk *header)
{
	CacheKey	key = {header->first, chunks_store(reader)->toast->rd_locator.relNumber};
	CacheEntry *entry = cache.groups ? hash_search(cache.groups, &key, HASH_FIND, NULL) : NULL;
	MemoryContext context;
	RowGroup   *group;
	bool		found;

	if (entry != NULL && is_same(entry->group, header))
	{
		use_group_again(entry->group, reader);
		return entry->group;
	}
	make_room_in_cache();
	context = AllocSetContextCreate(cache.context, "a group", ALLOCSET_SMALL_SIZES);
	group = open_group(reader, header, context);
	entry = hash_search(cache.groups, &key, HASH_ENTER, &found);
	if (found)
	{
		cache.generation++;
		MemoryContextDelete(entry->group->context);
	}
	entry->group = group;
	return group;
}

/* The table and the reader may be gone when the group is used again. */
void
done_with_group(RowGroup *group)
{
	group->reader = NULL;
	group->rel = NULL;
	group->desc = NULL;
}

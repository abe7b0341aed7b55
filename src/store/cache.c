/*
 * cache.c
 *		A table of groups with one place for each.  See cache.h.
 *
 * MEMORY
 *		CACHE_BYTES at most, but for the group that is in use: when there are
 *		more, all go.  A group of few rows is not worth a place.
 */
#include "postgres.h"

#include "store/cache.h"

#include "common/hashfn.h"
#include "store/rownumber.h"
#include "utils/memutils.h"

#define CACHE_PLACES 256
#define CACHE_BYTES ((Size) 16 * 1024 * 1024)

static struct
{
	MemoryContext context;
	RowGroup   *places[CACHE_PLACES];
	MemoryContext passing;		/* of a group that got no place */
}			cache;

static void
forget_cached_groups(void)
{
	MemoryContextReset(cache.context);
	memset(cache.places, 0, sizeof(cache.places));
	cache.passing = NULL;
}

static void
make_room_in_cache(void)
{
	if (cache.context == NULL)
		cache.context = AllocSetContextCreate(CacheMemoryContext, "pprepub groups", ALLOCSET_SMALL_SIZES);
	if (cache.passing != NULL)
		MemoryContextDelete(cache.passing);
	cache.passing = NULL;
	if (MemoryContextMemAllocated(cache.context, true) > CACHE_BYTES)
		forget_cached_groups();
}

static RowGroup **
place_of(Oid node, uint64 first)
{
	return &cache.places[(hash_bytes_uint32((uint32) first) ^ hash_bytes_uint32(node ^ (uint32) (first >> 32))) %
						 CACHE_PLACES];
}

static bool
is_same(const RowGroup *group, Relation rel, Oid node, const Chunk *header)
{
	return group != NULL && group->toast_node == node && group->first == header->first &&
		group->stamp == header->stamp && header->damage == NULL;
}

RowGroup *
cached_group(ChunkReader *reader, const Chunk *header)
{
	Relation	rel = chunks_store(reader)->rel;
	Oid			node = chunks_store(reader)->toast->rd_node.relNode;
	RowGroup  **place = place_of(node, header->first);
	MemoryContext context;
	RowGroup   *group;

	if (is_same(*place, rel, node, header))
	{
		(*place)->rel = rel;
		(*place)->desc = RelationGetDescr(rel);
		(*place)->reader = reader;
		return *place;
	}
	make_room_in_cache();
	context = AllocSetContextCreate(cache.context, "a group", ALLOCSET_SMALL_SIZES);
	cache.passing = context;
	group = open_group(reader, header, context);
	if (group->header.nrows >= SMALL_GROUP_ROWS)
	{
		if (*place != NULL)
			MemoryContextDelete((*place)->context);
		*place = group;
		cache.passing = NULL;
	}
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

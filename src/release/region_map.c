/*
 * region_map.c
 *		Open addressing over the numbers themselves.
 */
#include "release/region_map.h"

#include "common/hashfn.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define FIRST_SLOTS 1024

static void
make_slots(RegionMap *map, uint32 nslots)
{
	map->nslots = nslots;
	map->slots = new_array(uint32, nslots);
	memset(map->slots, 0xff, sizeof(uint32) * (Size) nslots);	/* NO_REGION */
}

RegionMap *
region_map_create(int width)
{
	RegionMap  *map = palloc0(sizeof(RegionMap));

	map->width = width;
	map->allocated = FIRST_SLOTS / 2;
	map->numbers = palloc(sizeof(uint32) * ((Size) map->allocated * width + 1));
	make_slots(map, FIRST_SLOTS);
	return map;
}

/* The slot where a region is, or would be. */
static uint32 *
find_slot(const RegionMap *map, const uint32 *numbers)
{
	Size		bytes = sizeof(uint32) * map->width;
	uint32		at = hash_bytes((const unsigned char *) numbers, bytes) & (map->nslots - 1);

	while (map->slots[at] != NO_REGION && memcmp(region_numbers(map, map->slots[at]), numbers, bytes) != 0)
		at = (at + 1) & (map->nslots - 1);
	return &map->slots[at];
}

static void
grow(RegionMap *map)
{
	MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(map));

	CHECK_FOR_INTERRUPTS();
	if (map->allocated > PG_UINT32_MAX / 4)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a release has too many different regions"),
				 errhint("Publish fewer columns, or in several releases of a cohort each.")));
	map->allocated *= 2;
	map->numbers = repalloc_huge(map->numbers, sizeof(uint32) * ((Size) map->allocated * map->width + 1));
	pfree(map->slots);
	make_slots(map, map->nslots * 2);
	for (uint32 i = 0; i < map->size; i++)
		*find_slot(map, region_numbers(map, i)) = i;
	MemoryContextSwitchTo(old);
}

uint32
region_map_add(RegionMap *map, const uint32 *numbers)
{
	uint32	   *slot = find_slot(map, numbers);

	if (*slot != NO_REGION)
		return *slot;
	if (map->size == map->allocated)
	{
		grow(map);
		slot = find_slot(map, numbers);
	}
	memcpy(map->numbers + (Size) map->size * map->width, numbers, sizeof(uint32) * map->width);
	return *slot = map->size++;
}

uint32
region_map_find(const RegionMap *map, const uint32 *numbers)
{
	return *find_slot(map, numbers);
}

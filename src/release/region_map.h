/*
 * region_map.h
 *		Rows of so many numbers each, told apart: 0, 1, 2 … in the order that they
 *		came.
 */
#ifndef PPREPUB_RELEASE_REGION_MAP_H
#define PPREPUB_RELEASE_REGION_MAP_H

#include "postgres.h"

typedef struct RegionMap
{
	int			width;			/* numbers of a region */
	uint32		size;
	uint32		allocated;
	uint32	   *numbers;		/* [size][width] */
	uint32		nslots;			/* a power of 2 */
	uint32	   *slots;			/* a region or NO_REGION */
} RegionMap;

#define NO_REGION PG_UINT32_MAX

/* In the current context. */
extern RegionMap *region_map_create(int width);

/* The region with these numbers, which is new if there is none. */
extern uint32 region_map_add(RegionMap *map, const uint32 *numbers);

/* The same, or NO_REGION. */
extern uint32 region_map_find(const RegionMap *map, const uint32 *numbers);

static inline const uint32 *
region_numbers(const RegionMap *map, uint32 region)
{
	return map->numbers + (Size) region * map->width;
}

#endif							/* PPREPUB_RELEASE_REGION_MAP_H */

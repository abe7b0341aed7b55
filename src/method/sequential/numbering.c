/*
 * numbering.c
 *		A table of keys.
 */
#include "postgres.h"

#include "frame/arrays.h"
#include "method/sequential/numbering.h"
#include "utils/memutils.h"

static uint32 *
find_slot(const Numbering *numbering, const uint32 *key)
{
	uint64		hash = UINT64CONST(0x9E3779B97F4A7C15);

	for (int32 i = 0; i < numbering->width; i++)
	{
		hash = (hash ^ key[i]) * UINT64CONST(0xC2B2AE3D27D4EB4F);
		hash ^= hash >> 29;
	}
	for (uint64 i = hash;; i++)
	{
		uint32	   *slot = &numbering->slot[i & (numbering->nslots - 1)];

		if (*slot == NO_NUMBER ||
			memcmp(key_of(numbering, *slot), key, sizeof(uint32) * numbering->width) == 0)
			return slot;
	}
}

static void
make_slots(Numbering *numbering, uint64 nslots)
{
	if (numbering->slot != NULL)
		pfree(numbering->slot);
	numbering->nslots = nslots;
	numbering->slot = new_array(uint32, nslots);
	memset(numbering->slot, 0xFF, sizeof(uint32) * nslots);
	for (uint32 i = 0; i < numbering->n; i++)
		*find_slot(numbering, key_of(numbering, i)) = i;
}

Numbering
numbering_create(int32 width)
{
	Numbering	numbering = {.width = width,.room = 64};

	numbering.key = palloc(sizeof(uint32) * numbering.room * Max(width, 1));
	make_slots(&numbering, 256);
	return numbering;
}

uint32
number_of(Numbering *numbering, const uint32 *key)
{
	uint32	   *slot = find_slot(numbering, key);
	uint32		number = *slot;

	if (number != NO_NUMBER)
		return number;
	number = numbering->n++;
	if (numbering->n > numbering->room)
	{
		numbering->room *= 2;
		numbering->key = repalloc_huge(numbering->key,
									   sizeof(uint32) * numbering->room * Max(numbering->width, 1));
	}
	memcpy(&numbering->key[(Size) number * numbering->width], key, sizeof(uint32) * numbering->width);
	*slot = number;
	if (numbering->n > numbering->nslots / 2)
		make_slots(numbering, numbering->nslots * 2);
	return number;
}

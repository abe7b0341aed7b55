/*
 * parting.c
 *		A table of the parts and cells there are, a column at a time.
 */
#include "postgres.h"

#include "audit/join/parting.h"
#include "frame/arrays.h"
#include "miscadmin.h"
#include "utils/memutils.h"

struct PartingSlot
{
	uint32		part;			/* in which records stood together */
	uint32		made;			/* the part that they are now; NO_PART while the slot is free */
	Span		cell;
};

#define NO_PART PG_UINT32_MAX

/* Empties the table, which gets this number of slots. */
static void
clear_slots(Parting *parting, uint64 nslots)
{
	if (nslots != parting->nslots)
	{
		if (parting->slot != NULL)
			pfree(parting->slot);
		parting->slot = new_array(PartingSlot, nslots);
		parting->nslots = nslots;
	}
	for (uint64 i = 0; i < nslots; i++)
		parting->slot[i].made = NO_PART;
}

/* The slot of a part and a cell, or the free one where it belongs. */
static inline PartingSlot *
find_slot(const Parting *parting, uint32 part, Span cell)
{
	uint64		hash = part * UINT64CONST(0x9E3779B97F4A7C15) ^
		((uint64) cell.hi << 32 | cell.lo) * UINT64CONST(0xC2B2AE3D27D4EB4F);

	hash ^= hash >> 32;
	for (uint64 i = hash;; i++)
	{
		PartingSlot *slot = &parting->slot[i & (parting->nslots - 1)];

		if (slot->made == NO_PART || (slot->part == part && span_equal(slot->cell, cell)))
			return slot;
	}
}

/* Doubles the table. */
static void
grow_slots(Parting *parting)
{
	PartingSlot *old = parting->slot;
	uint64		nold = parting->nslots;

	parting->slot = NULL;
	clear_slots(parting, nold * 2);
	for (uint64 i = 0; i < nold; i++)
		if (old[i].made != NO_PART)
			*find_slot(parting, old[i].part, old[i].cell) = old[i];
	pfree(old);
}

void
part_by(Parting *parting, const Span *cells)
{
	uint32		nparts = 0;

	clear_slots(parting, Max(parting->nslots, 256));
	for (uint32 i = 0; i < parting->nrecords; i++)
	{
		PartingSlot *slot = find_slot(parting, parting->part[i], cells[i]);

		if (slot->made == NO_PART)
		{
			*slot = (PartingSlot) {.part = parting->part[i], .made = nparts++, .cell = cells[i]};
			parting->part[i] = slot->made;
			if (nparts > parting->nslots / 2)
				grow_slots(parting);
		}
		else
			parting->part[i] = slot->made;
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	parting->nparts = nparts;
}

Parting
parting_create(uint32 nrecords)
{
	return (Parting) {
		.nrecords = nrecords,
		.part = new_zeros(uint32, nrecords),
		.nparts = nrecords > 0
	};
}

void
parting_free(Parting *parting)
{
	pfree(parting->part);
	if (parting->slot != NULL)
		pfree(parting->slot);
}

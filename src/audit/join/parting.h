/*
 * parting.h
 *		Parting many things column by column: those that stood together and have
 *		the same cell stay together.
 */
#ifndef PPREPUB_AUDIT_JOIN_PARTING_H
#define PPREPUB_AUDIT_JOIN_PARTING_H

#include "frame/domain.h"

typedef struct PartingSlot PartingSlot;

typedef struct Parting
{
	uint32		nrecords;
	uint32	   *part;			/* [nrecords] from 0 on, by what comes first */
	uint32		nparts;

	/* Private: the table by which they are parted further */
	PartingSlot *slot;
	uint64		nslots;			/* a power of two */
} Parting;

/* All together.  Allocated in the current context. */
extern Parting parting_create(uint32 nrecords);

/* One step for each of cells[nrecords]. */
extern void part_by(Parting *parting, const Span *cells);

extern void parting_free(Parting *parting);

#endif							/* PPREPUB_AUDIT_JOIN_PARTING_H */

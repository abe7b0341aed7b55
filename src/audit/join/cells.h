/*
 * cells.h
 *		Many records by their cells: those that are alike, and those that a box of cells meets.
 */
#ifndef PPREPUB_AUDIT_JOIN_CELLS_H
#define PPREPUB_AUDIT_JOIN_CELLS_H

#include "frame/domain.h"

/* Records are parted column by column: those that stood together and have the same cell stay together. */
typedef struct Parting
{
	uint32		nrecords;
	uint32	   *part;			/* [nrecords] from 0 on, by what comes first */
	uint32		nparts;
} Parting;

/* All together.  Allocated in the current context; pfree(part) frees it. */
extern Parting parting_create(uint32 nrecords);

/* One step for each of cells[nrecords]. */
extern void part_by(Parting *parting, const Span *cells);
extern void part_by_codes(Parting *parting, const Code *code);

/* The index of many boxes. */
typedef struct Boxes Boxes;

/*
 * Box i has the cells cells[c][record[i]], for c < ncolumns.  All that is passed must outlive what is returned, which
 * is allocated in the current context.
 */
extern Boxes *boxes_index(uint32 n, const uint32 *record, int32 ncolumns, const Span *const *cells);
extern void boxes_free(Boxes *boxes);

/* How the boxes to be found lie to the given one: overlapping it in every column, containing all of it, or in it */
typedef enum Lie
{
	MEETING,
	AROUND,
	WITHIN
} Lie;

/* Writes the numbers of the boxes that lie so to found, in no order; returns how many. */
extern uint32 boxes_find(const Boxes *boxes, const Span *box, Lie lie, uint32 *found);

#endif							/* PPREPUB_AUDIT_JOIN_CELLS_H */

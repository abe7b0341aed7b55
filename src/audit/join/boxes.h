/*
 * boxes.h
 *		Finding, among many boxes of cells, those that a box meets.
 */
#ifndef PPREPUB_AUDIT_JOIN_BOXES_H
#define PPREPUB_AUDIT_JOIN_BOXES_H

#include "frame/domain.h"

typedef struct Boxes Boxes;

/*
 * Box i has the cells cells[c][record[i]], for c < ncolumns.  All that is passed must outlive
 * what is returned, which is allocated in the current context.
 */
extern Boxes *boxes_index(uint32 n, const uint32 *record, int32 ncolumns, const Span *const *cells);

/* Writes the numbers of the boxes that overlap a box in every column to found, in no order; returns how many. */
extern uint32 boxes_meeting(const Boxes *boxes, const Span *box, uint32 *found);

/* Finds boxes that contain all of it; and boxes that lie in it. */
extern uint32 boxes_around(const Boxes *boxes, const Span *box, uint32 *found);
extern uint32 boxes_within(const Boxes *boxes, const Span *box, uint32 *found);

extern void boxes_free(Boxes *boxes);

#endif							/* PPREPUB_AUDIT_JOIN_BOXES_H */

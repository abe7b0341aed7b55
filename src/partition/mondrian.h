/*
 * mondrian.h
 *		Cutting a frame into classes that a principle allows, losing little.
 */
#ifndef PPREPUB_PARTITION_MONDRIAN_H
#define PPREPUB_PARTITION_MONDRIAN_H

#include "partition/classes.h"
#include "partition/principle.h"

/*
 * Cut the given rows of the frame into classes, each of which the principle
 * allows; every row is in exactly one.  When even all of them together are not
 * allowed, the result has no class.  The principle is asked as it is: one with
 * conditions on values is bound to the frame's by the caller (principle_bound()).
 *
 * Regions are the smallest cells that cover their members.  The result is the
 * same for the same frame, rows and seed; the seed only decides among equals
 * (which of several rows with the same codes goes to which class).  Everything
 * returned is allocated in the caller's context, everything else is gone on
 * return.  The array rows is permuted and becomes the result's.
 */
extern Classes *mondrian(const Frame *frame, RowId *rows, uint64 nrows,
						 const Principle *principle, uint64 seed);

#endif							/* PPREPUB_PARTITION_MONDRIAN_H */

/*
 * drafting.h
 *		A draft in the making: class after class.
 */
#ifndef PPREPUB_METHOD_DRAFTING_H
#define PPREPUB_METHOD_DRAFTING_H

#include "method/method.h"

typedef struct Drafting
{
	const Frame *frame;
	Draft	   *draft;
	uint64		nrows;			/* of the class at hand */
	uint64		ninvented;
	uint32		classes_allocated;
	uint64		counterfeits_allocated;
} Drafting;

/* In the current context, in which the draft stays; k: what classes are measured against. */
extern Drafting *drafting_create(const Frame *frame, double k);

/* Like drafting_create(), for methods that want neighborhoods: the draft says of which a class is part, and for whom invented rows stand. */
extern Drafting *drafting_create_of_neighborhoods(const Frame *frame, double k);

/* Into the class at hand. */
extern void drafting_add_rows(Drafting *drafting, const RowId *rows, uint64 n);

/* Adds n invented rows to the class at hand: returns where their values go. */
extern Code *drafting_invent(Drafting *drafting, uint64 n);

/* The class at hand is whole; region: its cells, or NULL for those that cover its rows.  Returns its number. */
extern uint32 drafting_end_class(Drafting *drafting, const Span *region);

#endif							/* PPREPUB_METHOD_DRAFTING_H */

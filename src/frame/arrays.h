/*
 * arrays.h
 *		Arrays as long as there are rows, or people: more than PostgreSQL's usual
 *		gigabyte, if need be.
 *
 * They live in the current context.  There is room for one element more: so that
 * there is an array of none, and one that says where the last one ends.
 */
#ifndef PPREPUB_FRAME_ARRAYS_H
#define PPREPUB_FRAME_ARRAYS_H

#include "postgres.h"

#include "utils/palloc.h"

#define new_array(type, n) \
	((type *) palloc_extended(sizeof(type) * ((Size) (n) + 1), MCXT_ALLOC_HUGE))
#define new_zeros(type, n) \
	((type *) palloc_extended(sizeof(type) * ((Size) (n) + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO))

#endif							/* PPREPUB_FRAME_ARRAYS_H */
